//! Which databases were one before a backup: the family is made with the first backup, comes back with each restore, and a database
//! restored has a number of its own in it (`family_guid` and `database_guid` of msdb.dbo.backupset).

use types::{SqlResult, sql_error};

use super::base::{ClassRow, class};
use super::load::{int, small};
use super::row::{Date, Text};
use super::store::Rows;
use super::{Catalog, Database, clock};

/// `ClassRow::status`.
const LOG_BACKUP: i32 = 1;
/// `ClassRow::id`.
const OF_FAMILY: i32 = 1;
const OF_FORK: i32 = 2;
const OF_TAIL: i32 = 3;

/// A uniqueidentifier as it lies in rows.
pub type Guid = [u8; 16];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    pub family: Guid,
    pub database: Guid,
}

/// Where the backups end that a database was restored from, and its own begin: its first log backup, or differential one, goes on
/// there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fork {
    /// The database that was backed up, and its file.
    pub database: Guid,
    pub file: u32,
    /// Where its log ends that was restored.
    pub end_lsn: u64,
    /// The full backup at the beginning, None: one that nothing goes on from.
    pub base: Option<Guid>,
    /// Ticks, UTC.
    pub time: u64,
    /// A log backup goes on from here.
    pub takes_log: bool,
}

/// A database that was closed, since the tail of its log goes elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail {
    /// All that was changed before it was closed lies before this.
    pub end_lsn: u64,
    pub was_read_only: bool,
}

impl Fork {
    /// In the order of `read`.
    fn written(&self) -> String {
        let base = self.base.map_or_else(|| "-".to_string(), |base| written(&base));
        format!("{} {} {} {base} {}", self.file, self.end_lsn, self.time, u8::from(self.takes_log))
    }

    fn read(row: &ClassRow) -> Option<Fork> {
        let mut words = row.value.0.as_deref()?.split(' ');
        Some(Fork {
            database: read(&row.name)?,
            file: words.next()?.parse().ok()?,
            end_lsn: words.next()?.parse().ok()?,
            time: words.next()?.parse().ok()?,
            base: read(words.next()?),
            takes_log: words.next()? == "1",
        })
    }
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

/// Its bytes in hexadecimal digits.
pub fn written(id: &Guid) -> String {
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
    row_of(OF_FAMILY, written(&family.family), written(&family.database))
}

fn row_of(id: i32, name: String, value: String) -> ClassRow {
    let now = clock::now();
    let value = Text(Some(value));
    ClassRow { class: class::FAMILY, id, name, owner: 1, created: now, modified: now, status: 0, value }
}

/// None: there was no backup of it, nor was it restored from one.
pub fn found(rows: &mut Rows<'_>) -> SqlResult<Option<Family>> {
    let found = rows.first::<ClassRow>(0, &[small(class::FAMILY), int(OF_FAMILY)])?;
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

/// When the last log backup was taken of the chain that it is in. None: there was none.
pub fn last_log_backup(rows: &mut Rows<'_>) -> SqlResult<Option<Date>> {
    let found = rows.first::<ClassRow>(0, &[small(class::FAMILY), int(OF_FAMILY)])?;
    Ok(found.filter(|row| row.status & LOG_BACKUP != 0).map(|row| row.modified))
}

pub fn note_log_backup(catalog: &Catalog, db: &Database, is_there: bool) -> SqlResult<()> {
    let note = |row: &mut ClassRow| {
        row.status = if is_there { row.status | LOG_BACKUP } else { row.status & !LOG_BACKUP };
        row.modified = clock::now();
    };
    catalog.change(db, |rows| rows.update(0, &[small(class::FAMILY), int(OF_FAMILY)], note)).map(|_| ())
}

/// Of a database just restored.
pub fn renew(rows: &mut Rows<'_>, family: Guid, fork: Option<&Fork>) -> SqlResult<()> {
    rows.delete::<ClassRow>(0, &[small(class::FAMILY)])?;
    rows.insert(&row(&Family { family, database: new_guid() }))?;
    match fork {
        Some(fork) => rows.insert(&row_of(OF_FORK, written(&fork.database), fork.written())),
        None => Ok(()),
    }
}

/// Where its backups go on from those that it was restored from. None: it has some of its own.
pub fn fork(rows: &mut Rows<'_>) -> SqlResult<Option<Fork>> {
    let found = rows.first::<ClassRow>(0, &[small(class::FAMILY), int(OF_FORK)])?;
    Ok(found.and_then(|row| Fork::read(&row)))
}

/// It has a full backup of its own (`all`), or no log backup goes on from there any more.
pub fn end_fork(catalog: &Catalog, db: &Database, all: bool) -> SqlResult<()> {
    let key = [small(class::FAMILY), int(OF_FORK)];
    let Some(fork) = catalog.read(db, self::fork)? else { return Ok(()) };
    if !all && !fork.takes_log {
        return Ok(());
    }
    let without = Fork { takes_log: false, ..fork }.written();
    catalog.change(db, |rows| match all {
        true => rows.delete::<ClassRow>(0, &key).map(|_| ()),
        false => rows.update(0, &key, |row: &mut ClassRow| row.value = Text(Some(without.clone()))).map(|_| ()),
    })
}

/// It is being closed.
pub fn note_tail(rows: &mut Rows<'_>, tail: Tail) -> SqlResult<()> {
    forget_tail(rows)?;
    rows.insert(&row_of(OF_TAIL, "tail".into(), format!("{} {}", tail.end_lsn, u8::from(tail.was_read_only))))
}

/// None: it was not closed.
pub fn tail(rows: &mut Rows<'_>) -> SqlResult<Option<Tail>> {
    let found = rows.first::<ClassRow>(0, &[small(class::FAMILY), int(OF_TAIL)])?;
    let parsed = |row: ClassRow| {
        let (end, flag) = row.value.0.as_deref()?.split_once(' ')?;
        Some(Tail { end_lsn: end.parse().ok()?, was_read_only: flag == "1" })
    };
    Ok(found.and_then(parsed))
}

/// It is open.
pub fn forget_tail(rows: &mut Rows<'_>) -> SqlResult<()> {
    rows.delete::<ClassRow>(0, &[small(class::FAMILY), int(OF_TAIL)]).map(|_| ())
}
