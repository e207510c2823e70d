//! What the world or another transaction can do to a storage call. The user's numbers in the comments are what the caller maps to.

use std::fmt;

use os::disk::DiskError;
use os::region::OutOfMemory;
use types::SqlResult;
use types::row::CorruptRow;

use crate::hold::Hold;
use crate::layout::{DatabaseId, IndexId, PageRef, TableId};

#[derive(Debug, Clone, PartialEq)]
pub enum StorageError {
    /// A unique index already has this key (2601, 2627). `index` is the index's id; `row` the refused row image.
    DuplicateKey {
        table: TableId,
        index: IndexId,
    },
    /// The transaction is the victim of a deadlock (1205) and must be rolled back.
    Deadlock,
    /// The lock timeout passed (1222); only the statement fails.
    LockTimeout,
    /// The request was cancelled (attention) while it waited, or in a pause of long work.
    Cancelled,
    /// SNAPSHOT isolation: the row was changed after the snapshot (3960). The transaction must be rolled back.
    UpdateConflict {
        table: TableId,
    },
    /// A row of a memory-optimized table that somebody else has changed since the transaction began (41302). As after the next
    /// three, the transaction must be rolled back.
    WriteConflict {
        table: TableId,
    },
    /// A row that was read under REPEATABLE READ has changed before the commit (41305).
    NotRepeatable {
        table: TableId,
    },
    /// Somebody has added a row to what was looked through under SERIALIZABLE, or one with the same unique key (41325).
    Phantom {
        table: TableId,
    },
    /// A transaction whose changes were seen before it had committed has failed (41301).
    DependencyFailed,
    /// No memory for rows of memory-optimized tables (41805), in the pool of this name.
    MemoryOptimizedFull {
        pool: Box<str>,
    },
    /// The database's memory-optimized tables have all the memory that a database may have (41823).
    QuotaReached,
    /// SNAPSHOT isolation: the table's definition was changed after the snapshot (3961).
    Reshaped {
        table: TableId,
    },
    /// The row does not fit a page even with its long values out of row (511).
    RowTooLarge {
        bytes: usize,
        bytes_max: usize,
    },
    /// An index key longer than the limit (1946).
    KeyTooLong {
        bytes: usize,
        bytes_max: usize,
    },
    /// No room in the log (9002).
    LogFull(LogHolder),
    /// No room in a data file (1105).
    DiskFull,
    /// No room for the work files of a sort (1105, of tempdb).
    WorkFilesFull,
    /// No memory for buffers, versions or locks (701, 1204).
    OutOfMemory,
    /// A page failed its checksum or carries another page's number (824), or waits until it is restored, in this database (829).
    CorruptPage {
        page: PageRef,
        awaits: Option<DatabaseId>,
    },
    /// A row image does not agree with its table's layout.
    CorruptRow(CorruptRow),
    /// The row named by a locator is not there (deleted since the caller read it).
    RowGone,
    UnknownDatabase,
    /// Nobody may use the database: it is offline (942), its file is missing (945), or damaged (926).
    Held {
        database: Box<str>,
        hold: Hold,
    },
    UnknownTable,
    UnknownIndex,
    AlreadyExists,
    /// There is no backup that this one could go on from (3035, 4214).
    NoBackup,
    /// The database files are of a newer version than this program reads.
    NewerFormat {
        found: u32,
        known: u32,
    },
    /// The files contradict each other or are damaged before the last hardened LSN: recovery must not guess.
    Damaged(String),
    /// The disk refused a read or write.
    Io(String),
    /// A log or data write failed earlier, or `shutdown` ran: the storage accepts nothing any more.
    Stopped(String),
}

impl StorageError {
    /// Of a file that is named: what an operator has to look at.
    pub fn of_file(name: &str, error: DiskError) -> StorageError {
        match error {
            DiskError::Full => StorageError::DiskFull,
            error => StorageError::Io(format!("{name}: {error}")),
        }
    }

    /// A page that is not what should lie there.
    pub fn corrupt(page: PageRef) -> StorageError {
        StorageError::CorruptPage { page, awaits: None }
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StorageError::DuplicateKey { table, index } => {
                write!(f, "duplicate key in index {} of table {}", index.0, table.0)
            }
            StorageError::Deadlock => write!(f, "deadlock victim"),
            StorageError::LockTimeout => write!(f, "lock request timed out"),
            StorageError::Cancelled => write!(f, "cancelled"),
            StorageError::UpdateConflict { table } => write!(f, "snapshot update conflict in table {}", table.0),
            StorageError::WriteConflict { table } => write!(f, "write conflict in memory-optimized table {}", table.0),
            StorageError::NotRepeatable { table } => {
                write!(f, "repeatable read validation failed on table {}", table.0)
            }
            StorageError::Phantom { table } => write!(f, "serializable validation failed on table {}", table.0),
            StorageError::DependencyFailed => write!(f, "a transaction that this one depends on has failed"),
            StorageError::MemoryOptimizedFull { pool } => {
                write!(f, "no memory for memory-optimized tables in pool {pool}")
            }
            StorageError::QuotaReached => write!(f, "the database has reached its quota for memory-optimized tables"),
            StorageError::Reshaped { table } => write!(f, "table {} has changed since the snapshot", table.0),
            StorageError::RowTooLarge { bytes, bytes_max } => write!(f, "row of {bytes} bytes, at most {bytes_max}"),
            StorageError::KeyTooLong { bytes, bytes_max } => write!(f, "key of {bytes} bytes, at most {bytes_max}"),
            StorageError::LogFull(holder) => write!(f, "the log is full due to {}", holder.name()),
            StorageError::DiskFull => write!(f, "a data file is full"),
            StorageError::WorkFilesFull => write!(f, "no room for work files"),
            StorageError::OutOfMemory => write!(f, "out of memory"),
            StorageError::CorruptPage { page, awaits: None } => write!(f, "page {page} is damaged"),
            StorageError::CorruptPage { page, .. } => write!(f, "page {page} waits until it is restored"),
            StorageError::CorruptRow(why) => write!(f, "{why}"),
            StorageError::RowGone => write!(f, "the row is gone"),
            StorageError::UnknownDatabase => write!(f, "unknown database"),
            StorageError::Held { database, hold } => write!(f, "database {database} is not open: {hold}"),
            StorageError::UnknownTable => write!(f, "unknown table"),
            StorageError::UnknownIndex => write!(f, "unknown index"),
            StorageError::AlreadyExists => write!(f, "already exists"),
            StorageError::NoBackup => write!(f, "no backup to go on from"),
            StorageError::NewerFormat { found, known } => {
                write!(f, "files of format {found}; this program reads up to {known}: a newer version wrote them")
            }
            StorageError::Damaged(what) => write!(f, "damaged: {what}"),
            StorageError::Io(what) => write!(f, "I/O error: {what}"),
            StorageError::Stopped(why) => write!(f, "storage has stopped: {why}"),
        }
    }
}

impl std::error::Error for StorageError {}

impl From<DiskError> for StorageError {
    fn from(why: DiskError) -> StorageError {
        match why {
            DiskError::Full => StorageError::DiskFull,
            why => StorageError::Io(why.to_string()),
        }
    }
}

impl From<OutOfMemory> for StorageError {
    fn from(_: OutOfMemory) -> StorageError {
        StorageError::OutOfMemory
    }
}

impl From<CorruptRow> for StorageError {
    fn from(why: CorruptRow) -> StorageError {
        StorageError::CorruptRow(why)
    }
}

/// What keeps the oldest part of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogHolder {
    Nothing,
    Checkpoint,
    /// Of a database under FULL or BULK_LOGGED: it is in no log backup yet.
    LogBackup,
    /// The archive has not got it yet.
    Archive,
    Backup,
    Transaction,
    /// A database that is not open wants it once it is (`hold`).
    HeldDatabase,
}

impl LogHolder {
    /// As `sys.databases.log_reuse_wait` and `log_reuse_wait_desc` have it.
    pub fn number(self) -> u8 {
        match self {
            LogHolder::Nothing => 0,
            LogHolder::Checkpoint => 1,
            LogHolder::LogBackup | LogHolder::Archive => 2,
            LogHolder::Backup => 3,
            LogHolder::Transaction => 4,
            LogHolder::HeldDatabase => 14,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            LogHolder::Nothing => "NOTHING",
            LogHolder::Checkpoint => "CHECKPOINT",
            LogHolder::LogBackup | LogHolder::Archive => "LOG_BACKUP",
            LogHolder::Backup => "ACTIVE_BACKUP_OR_RESTORE",
            LogHolder::Transaction => "ACTIVE_TRANSACTION",
            LogHolder::HeldDatabase => "OTHER_TRANSIENT",
        }
    }
}

pub type StorageResult<T> = Result<T, StorageError>;

/// Work that a row is to whoever goes over many of them, besides its bytes (`types::pause`): a hundred rows, then a look around.
pub const ROW_WORK: usize = 512;

/// What a pause came to (`types::pause`). Why nobody wants the answer any more, its maker knows.
pub fn heard(paused: SqlResult<()>) -> StorageResult<()> {
    paused.map_err(|_| StorageError::Cancelled)
}
