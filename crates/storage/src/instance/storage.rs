//! One instance: its files, buffer, log, transactions and tables. Opening it recovers it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use os::clock;
use os::disk::Disk;
use os::region::{Placed, Visibility};
use os::sched::{Place, TaskKind};
use os::shared_struct;
use os::sync::{Event, Mutex};
use os::wait::WaitType;
use types::pause::{Pacer, Pause, Unheard};

use crate::buffer::ResidentPage;
use crate::concurrency::commits::Status;
use crate::concurrency::locks::{LockEntry, LockMode, MemoryTransaction, Resource, TransactionEntry, WriterEntry};
use crate::engine::Engine;
use crate::error::{LogHolder, StorageError, StorageResult, heard};
use crate::instance::metrics::{LogSpace, Metrics};
use crate::layout::{DatabaseId, IndexLayout, PageRef, TableId, TableLayout};
use crate::log::BLOCK_HEAD;
use crate::log::store::Segment;
use crate::memory_optimized::checkpoint::Covered;
use crate::pages::data_files::{Chain, DataFile, FileWork};
use crate::pages::page::PAGE_BYTES;
use crate::recovery::control::{CONTROL_FILE, Control, ControlFile};
use crate::recovery::restart::{self, Limits, Recovered};
use crate::region::archived::Archived;
use crate::region::broker::{Broker, Clerk};
use crate::region::grants::Grants;
use crate::region::memory::Memory;
use crate::region::row_counts::pack;
use crate::shapes::known::TableShape;
use crate::shapes::shape::{self, IndexRoots, PartitionedShape, Roots, Shape};
use crate::shapes::tree::Tree;
use crate::spill::Spill;
use crate::tables::disk_table::DiskTable;
use crate::tables::memory_table::stats::{LastCheckpoint, MemoryHeap, MemoryTableStats, MemoryTotals};
use crate::tables::memory_table::{INDEXES_MAX, MemoryTable};
use crate::tables::partitioned::PartitionedTable;
use crate::tables::table::Table;
use crate::transaction::{Isolation, Transaction};
use crate::trees::check::{FileSpace, PageTotals};
use crate::trees::integrity::Flaw;
use crate::xtp::collect::GarbageQueue;
use crate::xtp::pools::Pools;
use crate::xtp::values;

/// Where and how large. `StorageConfig::new` has the defaults of a small server.
pub struct StorageConfig {
    pub disk: Disk,
    /// Frames of the buffer pool.
    pub memory_bytes: usize,
    /// A power of two, at least 1 MB.
    pub log_buffer_bytes: usize,
    pub log_segment_bytes: u64,
    /// All log files together; a transaction that needs more gets `LogFull`.
    pub log_bytes_max: u64,
    /// Rows of the first so many leaves of a tree that is built are in the log, whoever needs them there: of a small tree they cost less than
    /// to wait for the disk.
    pub logged_leaves: u32,
    /// Old row versions beyond this go to a spill file.
    pub version_memory_bytes: usize,
    /// Most that sorts and hashes of an engine have in work files at a time.
    pub spill_bytes_max: u64,
    /// Most that memory-optimized tables take, with their indexes and old versions.
    pub memory_optimized_bytes: usize,
    pub files_max: usize,
    /// A data file has at most 2 to this power pages.
    pub page_bits: u32,
    /// A checkpoint at least this often while there is something to write; 0: only when asked.
    pub recovery_interval_ms: u64,
    /// Delayed commits are hardened after at most about this; 0: no background duties at all (tests).
    pub log_flush_ms: u64,
    /// Room in the instance's memory for what its caller wants all engines to see (`Storage::memory`).
    pub caller_bytes: usize,
    /// Who else will use the instance: processes forked after it was opened, or nobody.
    pub visibility: Visibility,
}

impl StorageConfig {
    pub fn new(disk: Disk) -> StorageConfig {
        StorageConfig {
            disk,
            memory_bytes: 256 << 20,
            log_buffer_bytes: 8 << 20,
            log_segment_bytes: 32 << 20,
            log_bytes_max: 64 << 30,
            logged_leaves: 1_024,
            version_memory_bytes: 256 << 20,
            spill_bytes_max: 64 << 30,
            memory_optimized_bytes: 256 << 20,
            files_max: 16,
            page_bits: 17,
            recovery_interval_ms: 60_000,
            log_flush_ms: 5,
            caller_bytes: 0,
            visibility: Visibility::ThisProcess,
        }
    }

    /// Files in memory only.
    pub fn in_memory() -> StorageConfig {
        StorageConfig::new(Disk::memory())
    }
}

/// Backups at a time; who comes later waits.
const PINS: usize = 8;

/// The directory of backups, within that of the data.
pub const BACKUPS: &str = "backup";

shared_struct! {
    /// Somebody reads the log from here on, and the checkpoint files there were then.
    #[derive(Clone, Copy, Default)]
    struct Pin {
        /// Who: the engine's number plus one, 0: nobody.
        engine: u64,
        scan_lsn: u64,
    }
}

shared_struct! {
    /// The last checkpoint.
    struct Checkpointed {
        /// Of the control file.
        sequence: u64,
        at_ms: u64,
        /// End of the log then.
        tail: u64,
        covered: Covered,
        pins: [Pin; PINS],
    }
}

impl Checkpointed {
    /// From where on somebody reads the log.
    fn pinned(&self) -> Option<u64> {
        self.pins.iter().filter(|pin| pin.engine != 0).map(|pin| pin.scan_lsn).min()
    }
}

/// How often what is to be done in the background; 0: never.
struct Duties {
    log_flush_ms: u64,
    checkpoint_ms: u64,
}

struct Inner {
    engine: Arc<Engine>,
    control: ControlFile,
    /// Of this life of the instance.
    epoch: u32,
    /// Held while a checkpoint is written.
    checkpointed: Placed<Mutex<Checkpointed>>,
    duties: Duties,
    spill: Arc<Spill>,
    recovered: Recovered,
    /// How far the control file says that the log was hardened, as far as this engine knows.
    noted: AtomicU64,
    /// Held by who restores a database: there is one place to unpack a backup.
    restoring: Placed<Mutex<()>>,
    page_bits: u32,
    memory_optimized_bytes: usize,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.end_duties();
    }
}

/// Cheap to clone; all clones are one instance.
#[derive(Clone)]
pub struct Storage {
    inner: Arc<Inner>,
}

impl Storage {
    /// Creates an instance without databases, or recovers the one there is. tempdb is gone after each start.
    ///
    /// The background duties (log writer, checkpoint, version cleaner) are tasks of the caller's machine. A thread that is
    /// no worker has none: it hardens and checkpoints by hand, or each engine that it forks calls `start_duties`.
    pub fn open(config: StorageConfig) -> StorageResult<Storage> {
        let limits = Limits {
            memory_bytes: config.memory_bytes,
            log_buffer_bytes: config.log_buffer_bytes,
            log_segment_bytes: config.log_segment_bytes,
            log_bytes_max: config.log_bytes_max,
            logged_leaves: config.logged_leaves,
            version_memory_bytes: config.version_memory_bytes,
            memory_optimized_bytes: config.memory_optimized_bytes,
            files_max: config.files_max,
            page_bits: config.page_bits,
            caller_bytes: config.caller_bytes,
            visibility: config.visibility,
        };
        let disk = config.disk.clone();
        let (engine, file, control, recovered) = restart::open(config.disk, &limits)?;
        let spill = Spill::new(disk, config.spill_bytes_max)?;
        let checkpointed = Checkpointed {
            sequence: control.sequence,
            at_ms: 0,
            tail: 0,
            covered: Covered { scan_lsn: control.scan_lsn, redo_lsn: control.redo_lsn, manifest: control.manifest },
            pins: [Pin::default(); PINS],
        };
        let checkpointed = engine.memory.place("last checkpoint", Mutex::new(WaitType::CHKPT, checkpointed))?;
        let duties = Duties { log_flush_ms: config.log_flush_ms, checkpoint_ms: config.recovery_interval_ms };
        let epoch = control.epoch;
        let restoring = engine.memory.place("restoring", Mutex::new(WaitType::BACKUPIO, ()))?;
        let inner = Inner {
            engine,
            control: file,
            epoch,
            checkpointed,
            duties,
            spill,
            recovered,
            noted: AtomicU64::new(0),
            restoring,
            page_bits: limits.page_bits,
            memory_optimized_bytes: limits.memory_optimized_bytes,
        };
        let storage = Storage { inner: Arc::new(inner) };
        storage.checkpoint()?;
        if os::sched::here().is_some() {
            storage.start_duties();
        }
        Ok(storage)
    }

    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.inner.engine
    }

    /// Of this life of the instance.
    pub(crate) fn epoch(&self) -> u32 {
        self.inner.epoch
    }

    /// A checkpoint, whose files and the log from its scan LSN on stay until the guard goes. None: there are as many already as there
    /// may be.
    pub(crate) fn pin_checkpoint(&self) -> StorageResult<Option<PinnedCheckpoint>> {
        Ok(self.pin_instance()?.map(|(pin, _)| pin))
    }

    /// The log of a database that is kept for log backups stays from here on until the guard goes; where it begins. The outer None: there are
    /// as many pins already as there may be. `NoBackup`: none is kept.
    pub(crate) fn pin_log(&self, db: DatabaseId) -> StorageResult<Option<(PinnedCheckpoint, u64)>> {
        let mut last = self.inner.checkpointed.lock();
        let from = self.chain_of(db).log_from().ok_or(StorageError::NoBackup)?;
        let Some(slot) = last.pins.iter().position(|pin| pin.engine == 0) else { return Ok(None) };
        let covered = last.covered;
        *self.engine().log_readers.lock() += 1;
        last.pins[slot] = Pin { engine: u64::from(os::engines::number()) + 1, scan_lsn: from };
        self.inner.show_pinned(&last);
        Ok(Some((PinnedCheckpoint { inner: self.inner.clone(), slot, covered }, from)))
    }

    /// As `pin_checkpoint`, with the control record that was written.
    pub(crate) fn pin_instance(&self) -> StorageResult<Option<(PinnedCheckpoint, Control)>> {
        let mut last = self.inner.checkpointed.lock();
        let Some(slot) = last.pins.iter().position(|pin| pin.engine == 0) else { return Ok(None) };
        // Before the checkpoint, which writes the pages whose rows are not in the log.
        *self.engine().log_readers.lock() += 1;
        let written = self.inner.write_checkpoint(&mut last, &Unheard::default());
        let missing = || StorageError::Damaged(format!("{CONTROL_FILE} has no good copy"));
        let covered = last.covered;
        let control = written
            .and_then(|()| self.inner.control.newest())
            .and_then(|control| control.filter(|control| control.scan_lsn == covered.scan_lsn).ok_or_else(missing));
        let control = control.inspect_err(|_| *self.engine().log_readers.lock() -= 1)?;
        last.pins[slot] = Pin { engine: u64::from(os::engines::number()) + 1, scan_lsn: covered.scan_lsn };
        self.inner.show_pinned(&last);
        Ok(Some((PinnedCheckpoint { inner: self.inner.clone(), slot, covered }, control)))
    }

    /// From now on the log is kept for the archive: from `end` on, where the archive ends, if the log is still there, else from where the
    /// last checkpoint begins. Whether it is there.
    pub(crate) fn keep_for_archive(&self, end: Option<u64>) -> StorageResult<bool> {
        let engine = self.engine();
        self.under_checkpoint(|covered| {
            let there = end.filter(|end| *end >= engine.log.store().first());
            engine.archived.hold_from(there.unwrap_or(covered.scan_lsn));
            Ok(there.is_some())
        })
    }

    /// What the archive has, and how it goes.
    pub fn archived(&self) -> &Archived {
        &self.engine().archived
    }

    /// Up to which LSN the log is hardened.
    pub fn hardened(&self) -> u64 {
        self.engine().log.hardened()
    }

    /// The end of all that was appended so far, which is hardened then.
    pub fn harden(&self) -> StorageResult<u64> {
        self.engine().log.harden_all()?;
        Ok(self.hardened())
    }

    /// What backups have of a database.
    pub fn chain(&self, db: DatabaseId) -> StorageResult<Chain> {
        Ok(self.engine().file_of(db)?.chain())
    }

    /// The same, also of one that nobody may use.
    pub fn chain_of(&self, db: DatabaseId) -> Chain {
        self.engine().files.chain_of(db)
    }

    /// Changes what backups have of a database, by a checkpoint, which gives back what log is wanted no longer.
    pub(crate) fn change_chain(&self, file: &DataFile, change: impl FnOnce(&mut Chain)) -> StorageResult<()> {
        let mut last = self.inner.checkpointed.lock();
        let before = file.chain();
        let mut chain = before;
        change(&mut chain);
        file.set_chain(chain);
        if chain == before {
            return Ok(());
        }
        let written = self.inner.write_checkpoint(&mut last, &Unheard::default());
        if written.is_err() {
            // As the control file has it.
            file.set_chain(before);
        }
        written
    }

    /// No log of the database is kept for log backups any longer: its recovery model is SIMPLE now.
    pub fn end_log_chain(&self, db: DatabaseId) -> StorageResult<()> {
        let file = self.engine().file_of(db)?;
        match file.chain().log_from() {
            Some(_) => self.change_chain(&file, |chain| chain.log_from = 0),
            None => Ok(()),
        }
    }

    /// Why the log cannot be reused, as the database sees it.
    pub fn log_holder_of(&self, db: DatabaseId) -> LogHolder {
        self.engine().log_holder_of(db)
    }

    /// The directory of backups whose takers name no other, made if it is not there.
    pub fn backup_directory(&self) -> StorageResult<Disk> {
        Ok(self.engine().disk.subdirectory(BACKUPS)?)
    }

    /// Of the instance's files.
    pub fn disk(&self) -> &Disk {
        &self.engine().disk
    }

    /// Held by who restores a database.
    pub(crate) fn restoring(&self) -> &Mutex<()> {
        &self.inner.restoring
    }

    /// For an instance beside this one in which its backups can be opened.
    pub(crate) fn private_config(&self, disk: Disk) -> StorageConfig {
        StorageConfig {
            memory_bytes: 32 << 20,
            log_buffer_bytes: 1 << 20,
            log_segment_bytes: PRIVATE_SEGMENT_BYTES,
            log_bytes_max: PRIVATE_LOG_BYTES_MAX,
            version_memory_bytes: 4 << 20,
            memory_optimized_bytes: self.inner.memory_optimized_bytes,
            files_max: 2,
            page_bits: self.inner.page_bits,
            recovery_interval_ms: 0,
            log_flush_ms: 0,
            ..StorageConfig::new(disk)
        }
    }

    /// Starts the background duties as tasks of this machine. Where engines are processes each has them: a bell wakes one,
    /// and whoever finds nothing left to do goes on waiting.
    pub fn start_duties(&self) {
        let Duties { log_flush_ms: flush_ms, checkpoint_ms } = self.inner.duties;
        if flush_ms == 0 {
            return;
        }
        let log = self.engine().log.clone();
        self.start_duty(TaskKind::LogWriter, log.writer_bell(), move |inner| {
            // Delayed commits gather: one flush for all of them.
            os::wait::sleep(WaitType::LOGMGR_QUEUE, flush_ms);
            if let Some(inner) = inner.upgrade() {
                inner.engine.log.harden_delayed().ok();
            }
        });
        self.start_duty(TaskKind::VersionCleaner, &self.engine().cleaner, |inner| {
            if let Some(inner) = inner.upgrade() {
                inner.engine.collect_versions();
                // A page that cannot be read stays as it is, and whoever needs it hears of that.
                inner.engine.free_pending().ok();
                inner.engine.clean_ghosts().ok();
                inner.spill.trim();
            }
        });
        self.start_duty(TaskKind::LazyWriter, &self.engine().buffer.lazy_writer, |inner| {
            if let Some(inner) = inner.upgrade() {
                inner.engine.buffer.write_ahead(&inner.engine.log);
            }
        });
        self.start_duty(TaskKind::XtpPool, &self.engine().xtp.memory.short, |inner| {
            if let Some(inner) = inner.upgrade() {
                inner.engine.xtp.memory.back_ahead();
            }
        });
        if checkpoint_ms == 0 {
            return;
        }
        self.engine().room.serve();
        self.start_duty(TaskKind::Checkpoint, &self.engine().checkpointer, move |inner| {
            let Some(inner) = inner.upgrade() else { return };
            inner.note_hardened();
            // Its failure has stopped the log, or leaves the older checkpoint valid: the next one tries again.
            inner.checkpoint_if_due(checkpoint_ms).ok();
        });
    }

    /// Runs `step` each time the bell rings, at least every half second, until the last `Storage` is gone, the log has
    /// stopped or the machine stops.
    fn start_duty(&self, kind: TaskKind, bell: &Placed<Event>, mut step: impl FnMut(&Weak<Inner>) + Send + 'static) {
        let (inner, bell) = (Arc::downgrade(&self.inner), bell.clone());
        os::sched::spawn(kind, Place::LeastLoaded, move || {
            loop {
                bell.wait(Some(clock::after_ms(DUTY_EVERY_MS)));
                let ended = inner.upgrade().is_none_or(|inner| inner.engine.log.is_stopped().is_some());
                if ended || os::sched::stopping() {
                    break;
                }
                step(&inner);
            }
        });
    }

    /// What all engines of the instance see; to be carved before there is a second engine.
    pub fn memory(&self) -> &Memory {
        &self.engine().memory
    }

    /// Work files of statements.
    pub fn spill(&self) -> &Arc<Spill> {
        &self.inner.spill
    }

    pub fn begin(&self, isolation: Isolation) -> Transaction {
        Transaction::new(self.engine().clone(), isolation)
    }

    /// Ends the transactions of an engine process that died outside of critical sections; how many there were. `publish` makes visible
    /// what it may have defined, before its locks are released.
    pub fn bury(&self, engine: u32, publish: impl FnOnce()) -> StorageResult<usize> {
        let buried = self.engine().bury(engine, publish)?;
        self.engine().grants.engine_has_ended(engine);
        self.broker().engine_has_ended(engine);
        // Last: whoever writes a checkpoint holds its pins, and may wait for what the dead engine has left, the log's writer too. What
        // cannot be removed now goes at the next start.
        self.inner.unpin(&|_, pin| pin.engine == u64::from(engine) + 1).ok();
        Ok(buried)
    }

    /// What the start had to repeat and to roll back.
    pub fn recovered(&self) -> Recovered {
        self.inner.recovered
    }

    /// Writes all changed pages, so that recovery starts from here.
    pub fn checkpoint(&self) -> StorageResult<()> {
        self.inner.write_checkpoint(&mut self.inner.checkpointed.lock(), &Unheard::default())
    }

    /// The same for a client, who may not wait for its end: what has been written so far does no harm.
    pub fn checkpoint_heard(&self, pause: &dyn Pause) -> StorageResult<()> {
        loop {
            if let Some(mut last) = self.inner.checkpointed.try_lock() {
                return self.inner.write_checkpoint(&mut last, pause);
            }
            os::wait::sleep(WaitType::CHKPT, LOOK_AGAIN_MS);
            heard(pause.pause())?;
        }
    }

    /// Notes how far the log has been hardened, as a background duty does.
    pub fn note_hardened(&self) {
        self.inner.note_hardened();
    }

    /// While no checkpoint is written. `work` hears what the last one covered.
    pub(crate) fn under_checkpoint<T>(&self, work: impl FnOnce(Covered) -> StorageResult<T>) -> StorageResult<T> {
        let last = self.inner.checkpointed.lock();
        work(last.covered)
    }

    /// Checkpoints and stops; calls after it fail with `Stopped`.
    pub fn shutdown(&self) -> StorageResult<()> {
        let result = self.checkpoint();
        if result.is_ok() {
            self.inner.note_hardened();
        }
        self.engine().log.stop(StorageError::Stopped("shut down".into()));
        self.inner.end_duties();
        result
    }

    /// Nothing is written any more but what is committed: the next start recovers.
    pub fn stop_at_once(&self) -> StorageResult<()> {
        let result = self.flush_log();
        self.engine().log.stop(StorageError::Stopped("shut down".into()));
        self.inner.end_duties();
        result
    }

    /// The files of the log.
    pub fn log_segments(&self) -> Vec<Segment> {
        self.engine().log.store().all_segments()
    }

    /// Of each file of the log.
    pub fn log_segment_bytes(&self) -> u64 {
        self.engine().log.store().segment_bytes()
    }

    /// Gives back the log's files that are not in use, after a checkpoint.
    pub fn shrink_log(&self, pause: &dyn Pause) -> StorageResult<()> {
        self.checkpoint_heard(pause)?;
        self.engine().log.store().shrink()
    }

    /// Waits until nothing can be written any more, or until the deadline: a log or data write has failed, or `shutdown` ran.
    pub fn wait_until_stopped(&self, deadline: u64) -> Option<StorageError> {
        self.engine().log.wait_for_end(deadline);
        self.engine().log.is_stopped()
    }

    /// `sys.sp_flush_log`: hardens every delayed commit so far.
    pub fn flush_log(&self) -> StorageResult<()> {
        self.engine().log.harden_all()
    }

    /// `TEMPDB` is not recovered: the next start removes it.
    pub fn create_database(&self, tx: &mut Transaction, db: DatabaseId, name: &str) -> StorageResult<()> {
        tx.check_running()?;
        if !matches!(self.engine().file_of(db), Err(StorageError::UnknownDatabase)) {
            return Err(StorageError::AlreadyExists);
        }
        self.engine().create_file(Some(&mut tx.writer), db, db == DatabaseId::TEMPDB, name).map(|_| ())
    }

    /// The files go when the transaction commits. Nobody may use the database any more.
    pub fn drop_database(&self, tx: &mut Transaction, db: DatabaseId) -> StorageResult<()> {
        tx.check_running()?;
        let (number, noted) = match self.engine().files.held_of(db) {
            // Its file is named in master's place.
            Some(held) => (held.number, self.engine().file_of(DatabaseId::MASTER)?),
            None => {
                let file = self.engine().file_of(db)?;
                (file.number, file)
            }
        };
        self.engine().identify(&mut tx.writer)?;
        tx.drops.push(PageRef { file: number, page: 0 });
        let objects = self.engine().xtp.objects.all().map(|(_, object)| object);
        tx.objects.dropped.extend(objects.filter(|object| object.database() == db).map(|object| object.number()));
        // A transaction that only drops must still write its commit.
        self.engine().note(&mut tx.writer, &noted)
    }

    pub fn databases(&self) -> Vec<DatabaseId> {
        let mut all = self.engine().files.databases();
        all.sort();
        all
    }

    pub fn tables(&self, db: DatabaseId) -> StorageResult<Vec<TableId>> {
        self.engine().list_directory(db)
    }

    pub(super) fn create_tree(&self, tx: &mut Transaction, db: DatabaseId) -> StorageResult<u32> {
        let engine = self.engine();
        engine.identify(&mut tx.writer)?;
        engine.admit(&tx.writer)?;
        let file = engine.file_of(db)?;
        engine.create_root(&file, &mut tx.writer)
    }

    pub fn create_table(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        layout: &TableLayout,
    ) -> StorageResult<()> {
        tx.check_running()?;
        assert!(table.0 != 0, "no table has the id 0");
        tx.lock_table(db, table, LockMode::SchemaModification)?;
        if self.engine().read_directory(db, table)?.is_some() {
            return Err(StorageError::AlreadyExists);
        }
        if layout.memory.is_some() {
            return self.create_memory_table(tx, db, table, layout, 0);
        }
        let base = self.create_tree(tx, db)?;
        let mut roots = Roots { base, ..Roots::default() };
        if shape::may_be_long(layout, shape::image_max(layout)) {
            roots.long_values = self.create_tree(tx, db)?;
        }
        for index in &layout.indexes {
            roots.indexes.push(self.create_index_trees(tx, db, (layout, index), base)?);
        }
        self.write_shape(tx, db, table, Some((layout, &roots)))
    }

    /// Its objects come to be when it is first opened. `values`: the object of its values, 0: another one if it needs one.
    fn create_memory_table(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        layout: &TableLayout,
        values: u32,
    ) -> StorageResult<()> {
        assert!(layout.indexes.len() <= INDEXES_MAX, "more indexes than a row has links");
        let mut object = || {
            let number = self.engine().xtp.numbers.next_object.fetch_add(1, Ordering::SeqCst);
            tx.objects.made.push(number);
            number
        };
        let base = object();
        let long_values = match values {
            0 if !values::columns(layout).is_empty() => object(),
            kept => kept,
        };
        let roots =
            Roots { base, long_values, indexes: vec![IndexRoots::default(); layout.indexes.len()], partitioning: None };
        self.write_shape(tx, db, table, Some((layout, &roots)))
    }

    /// Copies a memory-optimized table into an object of another layout. Values that are out of their rows stay where they are.
    pub(super) fn rebuild_memory_table(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        layout: &TableLayout,
        old: &Roots,
        pause: &dyn Pause,
    ) -> StorageResult<()> {
        debug_assert!(layout.memory.is_some() && old.base != 0);
        let before = tx.savepoint();
        let source = self.open_table(db, table)?;
        self.create_memory_table(tx, db, table, layout, old.long_values)?;
        tx.objects.dropped.push(old.base);
        let copied = self.open_table(db, table).and_then(|target| match (&*source, &*target) {
            (Table::Memory(source), Table::Memory(target)) => source.copy_to(tx, target, &mut Pacer::new(pause)),
            _ => unreachable!("both are memory-optimized"),
        });
        self.undo_if_failed(tx, before, copied)
    }

    pub(super) fn write_shape(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        shape: Option<(&TableLayout, &Roots)>,
    ) -> StorageResult<()> {
        debug_assert!(tx.may_reshape(db, table), "who changes a definition keeps all others from changing it");
        tx.reshaped.push((db, table));
        let bytes = shape.map(|(layout, roots)| shape::encode(layout, roots));
        let patience = tx.patience();
        // Whose rows stay where they are has as many as before.
        let old = self.engine().read_directory(db, table)?;
        let counted = shape.zip(old).is_some_and(|((_, roots), (_, old))| roots.base != 0 && roots.base == old.base);
        let written = self.engine().write_directory(&mut tx.writer, db, table, bytes.as_deref(), patience);
        // Others may have read what was there until now.
        self.engine().shapes.forget(&[(db, table)], counted);
        written
    }

    pub(super) fn drop_tree(&self, tx: &mut Transaction, db: DatabaseId, root: u32) -> StorageResult<()> {
        assert!(root != 0, "no tree begins at page 0");
        let file = self.engine().file_of(db)?;
        tx.drops.push(PageRef { file: file.number, page: root });
        Ok(())
    }

    pub(super) fn drop_roots(&self, tx: &mut Transaction, db: DatabaseId, roots: &Roots) -> StorageResult<()> {
        roots.all().try_for_each(|root| self.drop_tree(tx, db, root))
    }

    /// Empty ones of an index of a table with this layout; `base`: the table's own tree, which is the clustered index's.
    pub(super) fn create_index_trees(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        (layout, index): (&TableLayout, &IndexLayout),
        base: u32,
    ) -> StorageResult<IndexRoots> {
        if index.clustered {
            return Ok(IndexRoots::of(base));
        }
        let entries = self.create_tree(tx, db)?;
        let long_values = if shape::entries_may_be_long(layout, index) { self.create_tree(tx, db)? } else { 0 };
        Ok(IndexRoots { entries, long_values })
    }

    pub(super) fn drop_index_trees(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        roots: IndexRoots,
    ) -> StorageResult<()> {
        Roots { base: roots.entries, long_values: roots.long_values, ..Roots::default() }
            .all()
            .try_for_each(|root| self.drop_tree(tx, db, root))
    }

    /// What a table is made of, for who changes that: nobody else uses it until the transaction ends.
    pub(super) fn to_alter(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
    ) -> StorageResult<(TableLayout, Roots)> {
        tx.check_running()?;
        tx.lock_table(db, table, LockMode::SchemaModification)?;
        self.engine().read_directory(db, table)?.ok_or(StorageError::UnknownTable)
    }

    /// The pages go when the transaction commits.
    pub fn drop_table(&self, tx: &mut Transaction, db: DatabaseId, table: TableId) -> StorageResult<()> {
        let (layout, roots) = self.to_alter(tx, db, table)?;
        match (layout.memory, &roots.partitioning) {
            (Some(_), _) => drop_objects(tx, &roots),
            (None, Some(partitioning)) => {
                for part in &partitioning.partitions {
                    self.drop_table(tx, db, *part)?;
                }
            }
            (None, None) => self.drop_roots(tx, db, &roots)?,
        }
        self.write_shape(tx, db, table, None)
    }

    /// New empty trees in place of the old ones.
    pub fn truncate_table(&self, tx: &mut Transaction, db: DatabaseId, table: TableId) -> StorageResult<()> {
        let (layout, old) = self.to_alter(tx, db, table)?;
        if layout.memory.is_some() {
            drop_objects(tx, &old);
            return self.create_memory_table(tx, db, table, &layout, 0);
        }
        if let Some(partitioning) = &old.partitioning {
            return self.truncate_partitions(tx, db, table, &(0..partitioning.partitions.len()).collect::<Vec<_>>());
        }
        let base = self.create_tree(tx, db)?;
        let mut roots = Roots { base, ..Roots::default() };
        if old.long_values != 0 {
            roots.long_values = self.create_tree(tx, db)?;
        }
        for index in &layout.indexes {
            roots.indexes.push(self.create_index_trees(tx, db, (&layout, index), base)?);
        }
        self.drop_roots(tx, db, &old)?;
        self.write_shape(tx, db, table, Some((&layout, &roots)))
    }

    pub(super) fn undo_if_failed(
        &self,
        tx: &mut Transaction,
        before: crate::transaction::Savepoint,
        result: StorageResult<()>,
    ) -> StorageResult<()> {
        if result.is_err() {
            tx.rollback_to(before)?;
        }
        result
    }

    /// A hash look-up: open it in each statement, unless it `is_current` still.
    pub fn open_table(&self, db: DatabaseId, table: TableId) -> StorageResult<Arc<Table>> {
        let engine = self.engine();
        let (opened, known) = engine.shapes.find((db, table));
        let shape = match known {
            Some(shape) => shape,
            None => engine.shapes.keep(opened, (db, table), self.read_shape(db, table)?),
        };
        let engine = engine.clone();
        Ok(Arc::new(match shape {
            TableShape::Disk(shape) => Table::Disk(DiskTable { engine, shape, opened }),
            TableShape::Memory(shape) => Table::Memory(MemoryTable { engine, shape, opened }),
            TableShape::Partitioned(shape) => {
                let part = |shape: &Arc<Shape>| DiskTable { engine: engine.clone(), shape: shape.clone(), opened };
                let parts = shape.parts.iter().map(part).collect();
                Table::Partitioned(PartitionedTable { shape, parts, opened })
            }
        }))
    }

    fn read_shape(&self, db: DatabaseId, table: TableId) -> StorageResult<TableShape> {
        let engine = self.engine();
        let (layout, mut roots) = engine.read_directory(db, table)?.ok_or(StorageError::UnknownTable)?;
        if layout.memory.is_some() {
            return engine.memory_shape(db, table).map(TableShape::Memory);
        }
        if let Some(partitioning) = roots.partitioning.take() {
            let part = |id: &TableId| match self.read_shape(db, *id)? {
                TableShape::Disk(shape) => Ok(shape),
                _ => Err(StorageError::Damaged(format!("partition {} of table {}", id.0, table.0))),
            };
            let parts = partitioning.partitions.iter().map(part).collect::<StorageResult<Vec<_>>>()?;
            let shape = PartitionedShape::new((db, table), layout, *partitioning, parts);
            return Ok(TableShape::Partitioned(Arc::new(shape)));
        }
        self.disk_shape((db, table), layout, &roots).map(TableShape::Disk)
    }

    pub(super) fn disk_shape(
        &self,
        (db, table): (DatabaseId, TableId),
        layout: TableLayout,
        roots: &Roots,
    ) -> StorageResult<Arc<Shape>> {
        let engine = self.engine();
        let file = engine.file_of(db)?;
        let tree = |root| Tree::new(file.clone(), root);
        let rows = engine.shapes.row_counts.of(pack(db, table), || engine.estimate_rows(&tree(roots.base)))?;
        Ok(Arc::new(Shape::new((db, table), layout, roots, rows, tree)))
    }

    /// The memory-optimized tables of a database. `chains`: with the lengths of the chains of hash indexes, which takes its time.
    pub fn memory_optimized_tables(&self, db: DatabaseId, chains: bool) -> Vec<MemoryTableStats> {
        let mut tx = self.begin(Isolation::ReadCommitted);
        self.engine().memory_tables(&mut tx, db, chains)
    }

    /// What all memory-optimized tables have counted since the start.
    pub fn memory_totals(&self) -> MemoryTotals {
        self.engine().memory_totals()
    }

    pub fn memory_heap(&self) -> MemoryHeap {
        let mut tx = self.begin(Isolation::ReadCommitted);
        self.engine().memory_heap(&mut tx)
    }

    /// Running transactions that use memory-optimized tables; with the commit time of those that are about to commit.
    pub fn memory_transactions(&self) -> Vec<(MemoryTransaction, Option<u64>)> {
        let end = |entry: &MemoryTransaction| match self.engine().commits.status(entry.id) {
            _ if entry.id == 0 => None,
            Status::Preparing(time) | Status::Committed(time) => Some(time).filter(|time| *time != 0),
            Status::Active | Status::RolledBack => None,
        };
        self.engine().locks.memory_transactions().into_iter().map(|entry| (entry, end(&entry))).collect()
    }

    /// The last checkpoint, with its files that have rows of the database. Waits for one that is being made.
    pub fn last_checkpoint(&self, db: DatabaseId) -> StorageResult<LastCheckpoint> {
        let last = self.inner.checkpointed.lock();
        debug_assert!(last.covered.scan_lsn <= last.covered.redo_lsn);
        Ok(LastCheckpoint {
            sequence: last.sequence,
            ago_ms: clock::now_ms().saturating_sub(last.at_ms),
            log_at_begin: last.tail,
            redo_lsn: last.covered.redo_lsn,
            scan_lsn: last.covered.scan_lsn,
            manifest: last.covered.manifest,
            log_end: self.engine().log.tail(),
            files: self.engine().checkpoint_files(db, last.covered.manifest)?,
        })
    }

    /// How long ago the last checkpoint began. None: one is being written.
    pub fn checkpoint_ago_ms(&self) -> Option<u64> {
        let last = self.inner.checkpointed.try_lock()?;
        Some(clock::now_ms().saturating_sub(last.at_ms))
    }

    /// Old versions of memory-optimized tables that wait to be collected, by scheduler.
    pub fn garbage_queues(&self) -> Vec<GarbageQueue> {
        self.engine().xtp.garbage.queues()
    }

    /// Who holds how much of the instance's memory, and how much there may be.
    pub fn broker(&self) -> &Broker {
        self.engine().memory.broker()
    }

    /// Of so much memory, what memory-optimized tables may take.
    pub const fn memory_optimized_part(bytes: u64) -> u64 {
        bytes / 5 * 4
    }

    /// How much memory there must be so that such tables may take `rows` bytes.
    pub const fn memory_for_rows(rows: u64) -> u64 {
        rows.div_ceil(4) * 5
    }

    /// So much the instance may hold from now on, in all engines. What is held beyond it goes, as far as it can.
    pub fn set_memory_target(&self, bytes: u64) {
        let engine = self.engine();
        self.broker().set_target(bytes);
        let rows = Storage::memory_optimized_part(bytes);
        engine.xtp.memory.limit_to(rows);
        engine.xtp.pools.set_limit(rows.min(engine.xtp.memory.stats().limit_bytes));
        engine.buffer.give_way(usize::MAX);
    }

    /// All that is held: pages, what clerks count, what processes hold besides.
    pub fn memory_held(&self) -> u64 {
        self.engine().buffer.resident_pages() as u64 * PAGE_BYTES as u64 + self.broker().others()
    }

    /// See `Buffer::for_each_resident`.
    pub fn for_each_resident_page<E>(&self, visit: impl FnMut(ResidentPage) -> Result<(), E>) -> Result<(), E> {
        self.engine().buffer.for_each_resident(visit)
    }

    /// The buffer pool has as many pages as it may.
    pub fn is_short_of_frames(&self) -> bool {
        let buffer = &self.engine().buffer;
        buffer.resident_pages() + buffer.frames_max() / 64 >= buffer.frames_max()
    }

    /// Memory that queries are granted.
    pub fn grants(&self) -> &Grants {
        &self.engine().grants
    }

    /// Looks at what the process of this engine holds, and has pages go that others leave no room for.
    pub fn measure_memory(&self) {
        let (memory, engine) = (&self.engine().memory, os::engines::number());
        let broker = memory.broker();
        let of_region = || {
            let pages = self.engine().buffer.resident_pages() as u64 * PAGE_BYTES as u64;
            pages + broker.rows_held() + broker.held(Clerk::Log) + broker.held(Clerk::Versions)
        };
        broker.measured(engine, os::limits::private_memory(), if memory.is_private() { of_region() } else { 0 });
        self.engine().buffer.give_way(usize::MAX);
        os::limits::expect_use(broker.target().saturating_sub(self.memory_held()));
    }

    /// Somebody is about to take `bytes`: where there is no room for them, what was freed lately and the allocator keeps goes back first.
    pub fn make_room(&self, bytes: u64) {
        self.measure_memory();
        let broker = self.broker();
        if broker.has_slack() && !broker.has_room_for(bytes) {
            self.trim_memory();
        }
    }

    /// Has the allocator give back what it keeps, off the scheduler: that takes milliseconds.
    pub fn trim_memory(&self) {
        os::sched::preemptive(WaitType::PREEMPTIVE_OTHER, os::heap::trim);
        self.measure_memory();
    }

    /// Somebody has taken memory: a worker that did so sees to it that some pages go.
    pub fn give_way(&self) {
        self.engine().buffer.give_way(1);
    }

    /// Bytes that memory-optimized tables take, with indexes and old versions.
    pub fn memory_optimized_bytes(&self) -> u64 {
        self.engine().xtp.memory.stats().allocated_bytes
    }

    /// The pools of databases that limit what memory-optimized tables take.
    pub fn memory_pools(&self) -> &Pools {
        &self.engine().xtp.pools
    }

    /// Lets all old versions go that nobody needs any more; the version cleaner does so by itself, sooner or later.
    pub fn collect_versions(&self) {
        self.engine().collect_versions();
    }

    /// Lets deleted rows go from their pages, and pages that hold little without them, as far as `collect_versions` found that nobody
    /// needs them. The version cleaner does so by itself.
    pub fn clean_ghosts(&self) -> StorageResult<()> {
        self.engine().clean_ghosts()
    }

    /// Checks the trees and bitmaps of a database while nobody changes anything; how many pages there are.
    pub fn check_pages(&self, db: DatabaseId) -> StorageResult<PageTotals> {
        self.engine().check_pages(db)
    }

    /// All that is wrong with the pages of a database, or of one table, while it is used.
    pub fn flaws(&self, db: DatabaseId, only: Option<TableId>, pause: &dyn Pause) -> StorageResult<Vec<Flaw>> {
        self.engine().flaws(db, only, pause)
    }

    pub fn space(&self, db: DatabaseId) -> StorageResult<FileSpace> {
        self.engine().space(db)
    }

    /// Gives back the free end of a database's file, all but `least` pages of it. Pages in use stay where they are.
    pub fn shrink_file(&self, db: DatabaseId, least: u32, pause: &dyn Pause) -> StorageResult<()> {
        self.clean_ghosts()?;
        self.engine().free_pending()?;
        self.checkpoint_heard(pause)?;
        self.engine().shrink_file(db, least)
    }

    /// Pages of the file of a database, in use or not.
    pub fn file_pages(&self, db: DatabaseId) -> StorageResult<u64> {
        Ok(u64::from(self.engine().file_of(db)?.pages()))
    }

    /// Reads and writes of a database's data file.
    pub fn file_work(&self, db: DatabaseId) -> StorageResult<(FileWork, FileWork)> {
        Ok(self.engine().file_of(db)?.work())
    }

    /// Bytes of the log's files, and of those that are in use.
    pub fn log_space(&self) -> LogSpace {
        let (log, store) = (&self.engine().log, self.engine().log.store());
        let used = log.tail().saturating_sub(store.first());
        LogSpace { used, total: store.file_bytes().max(used), holder: self.engine().log_holder() }
    }

    pub fn metrics(&self) -> Metrics {
        Metrics::read(self.engine())
    }

    /// Lock table entries, for `sys.dm_tran_locks`.
    pub fn locks(&self) -> Vec<LockEntry> {
        self.engine().locks.entries()
    }

    pub fn writers(&self) -> Vec<WriterEntry> {
        self.engine().locks.writers()
    }

    /// What a session waits for, and how it wants to have it.
    pub fn awaited_by(&self, session: u32) -> Option<(Resource, LockMode)> {
        self.engine().locks.awaited_by(session)
    }

    /// Whether the rows of a table on pages are in no order. False for one that is not there.
    pub fn is_heap(&self, db: DatabaseId, table: TableId) -> bool {
        let found = self.open_table(db, table);
        found.is_ok_and(|found| matches!(&*found, Table::Disk(table) if table.is_heap()))
    }

    /// Running transactions, for `sys.dm_tran_active_transactions`.
    pub fn transactions(&self) -> Vec<TransactionEntry> {
        self.engine().locks.transactions()
    }
}

/// Log written since the last checkpoint that makes the next one due, whatever the time.
const CHECKPOINT_LOG_BYTES: u64 = 1 << 30;

/// Of the log of an instance in which a backup is opened.
pub(crate) const PRIVATE_SEGMENT_BYTES: u64 = 16 << 20;
/// Of all its files together, as many as there may be.
pub(crate) const PRIVATE_LOG_BYTES_MAX: u64 = PRIVATE_SEGMENT_BYTES * 9_000;

/// A checkpoint that somebody reads: see `Storage::pin_checkpoint`.
pub(crate) struct PinnedCheckpoint {
    inner: Arc<Inner>,
    slot: usize,
    pub covered: Covered,
}

impl Drop for PinnedCheckpoint {
    fn drop(&mut self) {
        // What cannot be removed now goes at the next start.
        self.inner.unpin(&|slot, _| slot == self.slot).ok();
    }
}

/// How often a client's CHECKPOINT looks whether the one that is being written is over.
const LOOK_AGAIN_MS: u64 = 10;

/// How often a background duty looks without being asked: how late a version goes or a checkpoint begins at most.
const DUTY_EVERY_MS: u64 = 500;

impl Inner {
    fn end_duties(&self) {
        self.engine.log.writer_bell().set();
        self.engine.cleaner.set();
        self.engine.xtp.memory.short.set();
        self.engine.checkpointer.set();
        self.engine.buffer.lazy_writer.set();
    }

    /// So that a start knows a log that has lost its end. What cannot be written now is next time.
    fn note_hardened(&self) {
        let hardened = self.engine.log.hardened();
        if self.noted.swap(hardened, Ordering::Relaxed) != hardened {
            self.control.note_hardened(hardened).ok();
        }
    }

    fn checkpoint_if_due(&self, every_ms: u64) -> StorageResult<()> {
        let mut last = self.checkpointed.lock();
        assert!(self.engine.log.tail() >= last.tail, "the log only grows");
        let written = self.engine.log.tail() - last.tail;
        let due = clock::now_ms() >= last.at_ms + every_ms
            || written > CHECKPOINT_LOG_BYTES
            || self.engine.room.is_asked()
            || os::sim_choice!("checkpoint.due", 2);
        match due && (written > BLOCK_HEAD || self.engine.room.is_asked()) {
            true => self.write_checkpoint(&mut last, &Unheard::default()),
            false => Ok(()),
        }
    }

    /// What holds the log is asked without the lock.
    fn show_pinned(&self, last: &Checkpointed) {
        self.engine.room.pinned.store(last.pinned().map_or(0, |lsn| lsn + 1), Ordering::SeqCst);
    }

    /// These are read no longer. Files that checkpoints left for them are removed after the last.
    fn unpin(&self, is_over: &dyn Fn(usize, &Pin) -> bool) -> StorageResult<()> {
        let mut last = self.checkpointed.lock();
        let mut found = false;
        for (slot, pin) in last.pins.iter_mut().enumerate().filter(|(_, pin)| pin.engine != 0) {
            if is_over(slot, pin) {
                *pin = Pin::default();
                *self.engine.log_readers.lock() -= 1;
                found = true;
            }
        }
        self.show_pinned(&last);
        if !found || last.pinned().is_some() || self.engine.log.is_stopped().is_some() {
            return Ok(());
        }
        self.engine.discard_checkpoint_files(last.covered.manifest)
    }

    fn write_checkpoint(&self, last: &mut Checkpointed, pause: &dyn Pause) -> StorageResult<()> {
        // Before it begins: what is written meanwhile makes the next one due.
        (last.at_ms, last.tail) = (clock::now_ms(), self.engine.log.tail());
        let pinned = last.pinned();
        let asked = self.engine.room.begin_answer();
        let ended =
            self.engine.checkpoint(&self.control, self.epoch, last.sequence + 1, &mut last.covered, (pinned, pause));
        self.engine.room.answer(asked);
        if self.engine.pending_frees.first().is_some() {
            // What had no room to be freed may have it now.
            self.engine.cleaner.set();
        }
        ended?;
        debug_assert!(last.covered.manifest <= last.sequence + 1, "a manifest has the number of its checkpoint");
        last.sequence += 1;
        Ok(())
    }
}

fn drop_objects(tx: &mut Transaction, roots: &Roots) {
    assert!(roots.base != 0, "0 is no object");
    tx.objects.dropped.push(roots.base);
    if roots.long_values != 0 {
        tx.objects.dropped.push(roots.long_values);
    }
}
