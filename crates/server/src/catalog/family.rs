//! Which databases were one before a backup: the family is made with the first backup, comes back with each restore, and a database
//! restored has a number of its own in it (`family_guid` and `database_guid` of msdb.dbo.backupset).

use types::{SqlResult, sql_error};

use super::base::{ClassRow, class};
use super::load::small;
use super::row::Text;
use super::store::Rows;
use super::{Catalog, Database, clock};

/// `ClassRow::status`.
const LOG_BACKUP: i32 = 1;

/// A uniqueidentifier as it lies in rows.
pub type Guid = [u8; 16];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    pub family: Guid,
    pub database: Guid,
}

/// A new one.
pub fn new_guid() -> Guid {
    let mut id = [0; 16];
    os::random::fill(&mut id);
    // Version 4, and the variant: where the fields' bytes lie as SQL Server keeps them.
    id[7] = id[7] & 0x0f | 0x40;
    id[8] = id[8] & 0x3f | 0x80;
    id
}

fn written(id: &Guid) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read(text: &str) -> Option<Guid> {
    let mut id = [0; 16];
    for (at, byte) in id.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(at * 2..at * 2 + 2)?, 16).ok()?;
    }
    Some(id)
}

fn row(family: &Family) -> ClassRow {
    let now = clock::now();
    ClassRow {
        class: class::FAMILY,
        id: 1,
        name: written(&family.family),
        owner: 1,
        created: now,
        modified: now,
        status: 0,
        value: Text(Some(written(&family.database))),
    }
}

/// None: there was no backup of it, nor was it restored from one.
pub fn found(rows: &mut Rows<'_>) -> SqlResult<Option<Family>> {
    let found = rows.first::<ClassRow>(0, &[small(class::FAMILY)])?;
    let parsed = |row: ClassRow| {
        Some(Family { family: read(&row.name)?, database: read(row.value.0.as_deref().unwrap_or(""))? })
    };
    Ok(found.and_then(parsed))
}

/// The family of a database that is to be in a backup.
pub fn of(catalog: &Catalog, db: &Database) -> SqlResult<Family> {
    // Twice: another backup may make it first.
    for _ in 0..2 {
        if let Some(family) = catalog.read(db, found)? {
            return Ok(family);
        }
        let new = Family { family: new_guid(), database: new_guid() };
        if catalog.change(db, |rows| rows.try_insert(&row(&new)))?.is_ok() {
            return Ok(new);
        }
    }
    Err(sql_error!(2801, db.name()))
}

/// Whether a log backup was taken in the chain that it is in.
pub fn has_log_backup(rows: &mut Rows<'_>) -> SqlResult<bool> {
    let found = rows.first::<ClassRow>(0, &[small(class::FAMILY)])?;
    Ok(found.is_some_and(|row| row.status & LOG_BACKUP != 0))
}

pub fn note_log_backup(catalog: &Catalog, db: &Database, is_there: bool) -> SqlResult<()> {
    let note = |row: &mut ClassRow| {
        row.status = if is_there { row.status | LOG_BACKUP } else { row.status & !LOG_BACKUP };
    };
    catalog.change(db, |rows| rows.update(0, &[small(class::FAMILY)], note)).map(|_| ())
}

/// Of a database just restored.
pub fn renew(rows: &mut Rows<'_>, family: Guid) -> SqlResult<()> {
    rows.delete::<ClassRow>(0, &[small(class::FAMILY)])?;
    rows.insert(&row(&Family { family, database: new_guid() }))
}
