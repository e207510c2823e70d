//! When DBCC CHECKDB last found nothing wrong with a database: rows of master, changed and read in the session's transaction. Of tempdb
//! nothing is kept, since it is made anew.

use types::SqlResult;

use super::base::{ReferenceRow, class};
use super::load::{int, small};
use super::store::Rows;
use super::{Database, TEMPDB, clock};

/// The check that ends now has found nothing. `master`: its rows.
pub fn note(master: &mut Rows<'_>, db: &Database) -> SqlResult<()> {
    if db.id == TEMPDB {
        return Ok(());
    }
    let moment = clock::now().0;
    let (high, low) = ((moment >> 32) as i32, moment as i32);
    let depid = i32::from(db.id.0);
    let row = ReferenceRow { class: class::GOOD_CHECK, depid, depsubid: 0, indepid: high, indepsubid: low, status: 0 };
    master.delete::<ReferenceRow>(0, &[int(depid), small(class::GOOD_CHECK)])?;
    master.insert(&row)
}

/// The moment as a datetime is kept. None: no check of it has ended so.
pub fn last(master: &mut Rows<'_>, db: &Database) -> SqlResult<Option<i64>> {
    let found = master.first::<ReferenceRow>(0, &[int(i32::from(db.id.0)), small(class::GOOD_CHECK)])?;
    Ok(found.map(|row| i64::from(row.indepid) << 32 | i64::from(row.indepsubid as u32)))
}
