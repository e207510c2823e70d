//! The catalog: base tables, the cache of definitions, and what one session sees of both.
//!
//! ```text
//! row, base        the base tables and their rows as structs
//! store            typed seeks and changes on them within a transaction
//! predicate        predicates of security policies       path        paths as users write them
//! bound            texts of defaults and rules that are objects     data_file   files that BULK INSERT may read
//! load             rows -> TableDef, ModuleDef, ...          partition   partition functions and schemes
//! login_policy     what the password policy keeps of a login
//! shared           versions and counters that all engines see
//! numbers          identity values, sequences, row versions
//! statistics       of the values in tables, in memory
//! database         one database: options, cache, counters
//! registry, spec   the system objects by name: T-SQL text, computed tables, native procedures
//! session          sql::catalog::Catalog for a session: own uncommitted changes, temporary tables, system objects
//! configuration    options of the server   governor    resource pools, and the databases in them
//! family           which databases were one before a backup     restored    databases from backups
//! snapshots        which databases are snapshots of which     good_check    when one was last found in order
//! event_type       events of DDL and logon triggers      scoped_trigger   triggers of a database or the server
//! boot             the first start of a data directory, and each later one
//! ```

pub mod row;
pub mod base;
pub mod clock;
pub mod path;
pub mod error;
pub mod scalar_type;
pub mod store;
pub mod predicate;
pub mod bound;
pub mod data_file;
pub mod partition;
pub mod load;
pub mod login_policy;
pub mod family;
pub mod workload;
pub mod shared;
pub mod spec;
pub mod configuration;
pub mod governor;
pub mod boot;
pub mod snapshots;
pub mod good_check;
pub mod cloned;
pub mod restored;
pub mod marks;
pub mod event_type;
pub mod suspects;
pub mod counter;
pub mod statistics;
pub mod scoped_trigger;
pub mod xml_collection;
pub mod database;
pub mod registry;
pub mod numbers;
pub mod session;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use os::sync::{Mutex, RwLock};
use sql::catalog::DatabaseId;
use storage::{Durability, Isolation, LogSpace, Storage, Transaction};
use types::{CollationId, SqlError, SqlResult, sql_error};

use base::{FileRow, LOG_FILE, file_status};
pub use database::Database;
pub use session::{CatalogSession, SessionCatalog};
use store::Rows;

use crate::settings::config::Configuration;

/// A database holds at most 2 to this power pages: 256 GB.
pub const DATABASE_PAGE_BITS: u32 = 25;
const PAGE_BYTES: u64 = 8_192;
/// Databases of an instance. Each reserves addresses for all its pages: so many take 30 of the 128 TB there are, and their pages have
/// numbers of 32 bits.
pub const DATABASES_MAX: usize = 120;

pub const MASTER: DatabaseId = DatabaseId(1);
pub const TEMPDB: DatabaseId = DatabaseId(2);
pub const MODEL: DatabaseId = DatabaseId(3);
pub const MSDB: DatabaseId = DatabaseId(4);
/// ASE's monitoring tables. Far from the numbers of users' databases, which begin with 5.
pub const ASE_MDA: DatabaseId = DatabaseId(32_766);
pub const ASE_MDA_NAME: &str = "ase_mda";

/// One of the server's own databases, which cannot be renamed or dropped.
pub fn is_system(id: DatabaseId) -> bool {
    id.0 <= MSDB.0 || id == ASE_MDA
}

/// Everything an engine knows of its databases. One an engine, shared by its sessions.
pub struct Catalog {
    pub storage: Storage,
    databases: RwLock<Vec<Arc<Database>>>,
    /// The `databases_version` as of which `databases` and the process's settings are right.
    databases_seen: AtomicU64,
    /// Numbers of databases that are being made.
    claimed: Mutex<Vec<u16>>,
    shared: shared::Shared,
    pub configuration: Configuration,
    pub server_name: String,
    /// Where database files are, for sys.database_files and the server properties.
    pub data_directory: String,
    /// Where BULK INSERT may read, besides a directory of the data.
    pub bulk_directories: Vec<std::path::PathBuf>,
    /// Bytes a second that backups read of their databases.
    pub backup_rate: Option<u64>,
    pub collation: CollationId,
    pub started: row::Date,
    /// The same in UTC, 100 ns since 0001-01-01.
    pub started_ticks: i64,
}

impl Catalog {
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn database(&self, id: DatabaseId) -> Option<Arc<Database>> {
        os::plant!();
        self.databases.read().iter().find(|db| db.id == id).cloned()
    }

    /// While it stays the same, so do the databases that were found.
    pub fn databases_version(&self) -> u64 {
        self.shared.numbers.databases_version.load(Ordering::Acquire)
    }

    /// Takes over what another engine changed of the databases, their options and the server's. Where a session has no row locked.
    pub fn catch_up(&self) -> SqlResult<()> {
        let version = self.databases_version();
        if self.databases_seen.load(Ordering::Acquire) == version {
            return Ok(());
        }
        self.configuration.apply_to_process();
        let rows: Vec<base::DatabaseRow> = self.read(&self.expect_database(MASTER), |rows| rows.all())?;
        let mut databases = self.databases.write();
        // One created later under the number of one dropped is another.
        let is =
            |db: &Database, row: &base::DatabaseRow| i32::from(db.id.0) == row.id && db.row().created == row.created;
        databases.retain(|db| rows.iter().any(|row| is(db, row)));
        for row in rows {
            match databases.iter().find(|db| is(db, &row)) {
                Some(db) => db.set_row(row),
                None => databases.push(Arc::new(Database::new(row, &self.shared))),
            }
        }
        self.databases_seen.store(version, Ordering::Release);
        Ok(())
    }

    /// This engine changed what `catch_up` takes over. If another did so as well, this one still has to catch up.
    pub(crate) fn raise_databases_version(&self) {
        let before = self.shared.numbers.databases_version.fetch_add(1, Ordering::AcqRel);
        let _ = self.databases_seen.compare_exchange(before, before + 1, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Panics if it is gone: for the system databases, and for a database its caller holds in use.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn expect_database(&self, id: DatabaseId) -> Arc<Database> {
        os::plant!();
        self.database(id).expect("a database in use exists")
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn database_named(&self, name: &str) -> Option<Arc<Database>> {
        os::plant!();
        self.databases.read().iter().find(|db| database::names_equal(self.collation, &db.row().name, name)).cloned()
    }

    /// By ascending id.
    pub fn databases(&self) -> Vec<Arc<Database>> {
        let mut all = self.databases.read().clone();
        all.sort_by_key(|db| db.id);
        all
    }

    pub(crate) fn add_database(&self, db: Database) {
        db.counters.forget_all();
        self.databases.write().push(Arc::new(db));
        self.raise_databases_version();
        self.raise_version();
    }

    pub(crate) fn remove_database(&self, id: DatabaseId) {
        self.databases.write().retain(|db| db.id != id);
        self.raise_databases_version();
        self.raise_version();
    }

    pub fn version(&self) -> u64 {
        self.shared.numbers.version.load(Ordering::Acquire)
    }

    pub(crate) fn raise_version(&self) {
        self.shared.numbers.version.fetch_add(1, Ordering::AcqRel);
    }

    /// An engine that died may have committed changes and not said so: all look again, this one too.
    pub(crate) fn publish_for_the_dead(&self) {
        self.databases().iter().for_each(|db| db.invalidate());
        self.shared.numbers.databases_version.fetch_add(1, Ordering::AcqRel);
        self.raise_version();
    }

    /// Temporary objects by the engine that made them.
    pub(crate) fn owned(&self) -> &shared::Owned {
        &self.shared.owned
    }

    pub(crate) fn next_temporary(&self) -> u64 {
        self.shared.numbers.temporaries.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Up to when what backups have read has its time, of all engines.
    pub fn backups_read_until(&self) -> &std::sync::atomic::AtomicU64 {
        &self.shared.numbers.backups_read_until
    }

    /// The login of this name, which compares by the server's collation.
    pub fn login(&self, name: &str) -> SqlResult<Option<base::LoginRow>> {
        let master = self.expect_database(MASTER);
        self.read(&master, |rows| rows.first::<base::LoginRow>(1, &[load::name(name)]))
    }

    /// 926, 942, 945, 952: nobody may use it now.
    pub fn check_open(&self, db: &Database) -> SqlResult<()> {
        db.check_restored()?;
        match self.storage.hold_of(db.storage_id()) {
            // Who may read it then, its rights say.
            None | Some(storage::Hold::Emergency) => Ok(()),
            Some(hold) => Err(exec::not_open(&db.name(), hold)),
        }
    }

    /// Those that may be used, and changed.
    pub fn open_databases(&self) -> Vec<Arc<Database>> {
        let mut all = self.databases();
        all.retain(|db| !db.is_restoring() && self.storage.hold_of(db.storage_id()).is_none());
        all
    }

    /// Reads committed rows of a database in a transaction of its own.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn read<T>(&self, db: &Database, work: impl FnOnce(&mut Rows<'_>) -> SqlResult<T>) -> SqlResult<T> {
        os::plant!();
        let mut tx = self.storage.begin(Isolation::ReadCommitted);
        tx.begin_statement();
        let answer = work(&mut db.rows(&self.storage, &mut tx));
        end(tx, answer)
    }

    /// Changes rows of a database in a transaction of its own, which commits unless `work` fails.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn change<T>(&self, db: &Database, work: impl FnOnce(&mut Rows<'_>) -> SqlResult<T>) -> SqlResult<T> {
        os::plant!();
        let mut tx = self.storage.begin(Isolation::ReadCommitted);
        tx.begin_statement();
        let answer = work(&mut db.rows(&self.storage, &mut tx));
        end(tx, answer)
    }

    /// The log as a database shows it. There is one for all, and each has it at least as large as its log files were declared; a snapshot has
    /// none.
    pub fn log_space_of(&self, db: &Database) -> SqlResult<LogSpace> {
        let shared = self.storage.log_space();
        let whole = shared.total.next_multiple_of(PAGE_BYTES);
        let number = [load::int(i32::from(db.id.0))];
        let files = self.read(&self.expect_database(MASTER), |rows| rows.find::<FileRow>(0, &number))?;
        let bytes = |file: &FileRow| {
            let declared = u64::from(file.size.unsigned_abs()) * PAGE_BYTES;
            if file.fileid == LOG_FILE { declared.max(whole) } else { declared }
        };
        let total: u64 = files.iter().filter(|file| file.status & file_status::LOG != 0).map(bytes).sum();
        Ok(LogSpace { total, used: shared.used.min(total), ..shared })
    }

    /// A clean stop: counters give back what they reserved.
    pub fn shutdown(&self) -> SqlResult<()> {
        for db in self.open_databases() {
            db.counters.write_back(&self.storage, &db)?;
        }
        Ok(())
    }
}

fn end<T>(tx: Transaction, answer: SqlResult<T>) -> SqlResult<T> {
    match answer {
        Ok(value) => tx.commit(Durability::Full).map_err(error::storage_error).map(|()| value),
        Err(error) => {
            tx.rollback().map_err(error::storage_error)?;
            Err(error)
        }
    }
}

/// 911.
pub fn no_such_database(name: &str) -> SqlError {
    sql_error!(911, name)
}
