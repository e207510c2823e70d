//! sp_delete_backuphistory, sp_delete_database_backuphistory: msdb forgets backups and restores.
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-delete-backuphistory-transact-sql

use types::convert::{ConvertContext, NO_STYLE, convert};
use types::{Datum, SqlResult, SqlType};

use super::parameters::Parameters;
use crate::catalog::MASTER;
use crate::catalog::base::{
    BackupBaseRow, BackupFileRow, BackupKeyRow, BackupMediaRow, BackupSetRow, BackupStripeRow, RestoreRow,
    RestoreStopRow,
};
use crate::catalog::database::names_equal;
use crate::catalog::load::int;
use crate::catalog::row::Date;
use crate::catalog::store::Rows;
use crate::session::host::SessionHost;

/// sp_delete_backuphistory @oldest_date: what is older goes.
pub fn delete_older(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    let Some((ty, value)) = given.value(0) else { return Err(given.missing(0)) };
    let Datum::I64(oldest) = convert(&value, &ty, &SqlType::DATETIME, NO_STYLE, &ConvertContext::ASSIGN)? else {
        return Ok(0);
    };
    let oldest = Date(oldest);
    forget(host, |set| set.finished.0 < oldest.0, |restore| restore.finished.0 < oldest.0)
}

/// sp_delete_database_backuphistory @database_name.
pub fn delete_database(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    let name = given.text(0).unwrap_or_default();
    let collation = host.server.catalog.collation;
    let same = |other: &str| names_equal(collation, other, &name);
    forget(host, |set| same(&set.database), |restore| same(&restore.database))
}

fn forget(
    host: &SessionHost,
    of_set: impl Fn(&BackupSetRow) -> bool,
    of_restore: impl Fn(&RestoreRow) -> bool,
) -> SqlResult<i32> {
    let master = host.server.catalog.expect_database(MASTER);
    host.server.catalog.change(&master, |rows| {
        let (gone, kept): (Vec<_>, Vec<_>) = rows.all::<BackupSetRow>()?.into_iter().partition(|set| of_set(set));
        for restore in rows.all::<RestoreRow>()? {
            if of_restore(&restore) || gone.iter().any(|set| set.id == restore.set) {
                rows.delete::<RestoreStopRow>(0, &[int(restore.id)])?;
                rows.delete::<RestoreRow>(0, &[int(restore.id)])?;
            }
        }
        for set in &gone {
            delete_set(rows, set.id)?;
            if kept.iter().all(|other| other.media != set.media) {
                rows.delete::<BackupStripeRow>(0, &[int(set.media)])?;
                rows.delete::<BackupMediaRow>(0, &[int(set.media)])?;
            }
        }
        Ok(0)
    })
}

fn delete_set(rows: &mut Rows<'_>, set: i32) -> SqlResult<()> {
    rows.delete::<BackupFileRow>(0, &[int(set)])?;
    rows.delete::<BackupBaseRow>(0, &[int(set)])?;
    rows.delete::<BackupKeyRow>(0, &[int(set)])?;
    rows.delete::<BackupSetRow>(0, &[int(set)])?;
    Ok(())
}
