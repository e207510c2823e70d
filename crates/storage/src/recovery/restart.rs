//! From files to a running engine. ARIES in three passes: analysis finds the end of the log, the unfinished transactions
//! and the files; redo repeats history from the checkpoint's redo LSN; undo rolls back what was unfinished, as any
//! rollback. A crash at any point of it, again and again, is met by doing it again: pages carry the LSN they are at, and
//! undo is logged.
//!
//! What a start reads may lie in the system's cache alone: of a process that was killed before its flush, or whose flush
//! failed, after which the system counts as written what is not. So everything that was not surely hardened is written
//! again before anything relies on it: the names of files, the newest control record, the end of the log, the last batch of
//! pages.
//!
//! A checkpoint: note scan LSN S, the first record of any unfinished transaction or the LSN that is hardened; harden the log up to
//! an LSN B; bring the checkpoint files of memory-optimized tables up to it; write every page that is dirty; write the control
//! file; give back the log before S. Transactions go on meanwhile.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use os::disk::{Disk, DiskError, Open};
use os::region::Visibility;
use os::sync::{Event, Mutex};
use os::wait::WaitType;
use types::pause::Pause;

use crate::buffer::{Buffer, Exclusive, rewrite_last_batch};
use crate::concurrency::commits::Commits;
use crate::concurrency::locks::Locks;
use crate::concurrency::versions::Versions;
use crate::engine::{BITMAP_SPAN, Engine, Numbers, TreeCounters, Writer};
use crate::error::{StorageError, StorageResult};
use crate::hold::{HeldFile, Hold, Since};
use crate::layout::{DatabaseId, PageRef};
use crate::log::record::{CellBody, FLAG_TEMPORARY, Head, HeaderBody, Kind, Record, UpdateBody};
use crate::log::store::{LocalLog, LogStore};
use crate::log::structure::{self, Action, Bits};
use crate::log::{Log, replay};
use crate::memory_optimized::checkpoint::{Covered, Manifest, Pair, Written, manifest_name};
use crate::memory_optimized::load::Tail;
use crate::pages::data_files::{DataFile, DataFiles, file_name, is_file_name, restored_pages_name};
use crate::pages::page::{self, PageBytes, PageKind, u16_at, u32_at};
use crate::recovery::control::{Control, ControlFile, FORMAT, FileEntry, HeldEntry};
use crate::recovery::holding::{Behind, changes_pages, may_be_held};
use crate::region::archived::Archived;
use crate::region::ghosts::Ghosts;
use crate::region::grants::Grants;
use crate::region::memory::Memory;
use crate::region::page_list::PageList;
use crate::region::room::Room;
use crate::shapes::known::Shapes;
use crate::shapes::shape::DIRECTORY_ROOT;
use crate::trees::btree::empty_root;
use crate::trees::heal::file_header;
use crate::trees::rows::apply_header;
use crate::xtp::Xtp;

pub struct Limits {
    pub memory_bytes: usize,
    pub log_buffer_bytes: usize,
    pub log_segment_bytes: u64,
    pub log_bytes_max: u64,
    pub logged_leaves: u32,
    pub version_memory_bytes: usize,
    pub memory_optimized_bytes: usize,
    pub files_max: usize,
    pub page_bits: u32,
    /// For what the caller shares.
    pub caller_bytes: usize,
    /// Who else will see the instance's memory.
    pub visibility: Visibility,
}

/// The page of a record that a file came to be, if its pages were written before and no record has them: those of a restored database.
/// After a crash the file is there as it was hardened then. What is made of the log alone, as the restore of an archive, has it not.
pub const PAGES_FROM_ELSEWHERE: u32 = 1;

/// The file of a directory whose log is archived (`archive::owner`).
pub const ARCHIVE_TOKEN: &str = "archive-owner";

/// Trees and files that committed transactions dropped and that still hold their pages.
const PENDING_FREES_MAX: usize = 4 << 20;

impl Limits {
    fn reserve(&self) -> StorageResult<Memory> {
        let bytes = Buffer::region_bytes(self.files_max, self.page_bits)
            + self.log_buffer_bytes
            + Versions::region_bytes(self.version_memory_bytes)
            + Locks::region_bytes()
            + Commits::region_bytes()
            + Grants::region_bytes()
            + PENDING_FREES_MAX * size_of::<u64>()
            + Xtp::region_bytes(self.memory_optimized_bytes)
            + self.caller_bytes;
        let memory = Memory::reserve(bytes, self.visibility)?;
        memory.broker().set_target(self.memory_bytes as u64);
        Ok(memory)
    }
}

/// What analysis learns.
#[derive(Default)]
struct Found {
    /// Last record of each unfinished transaction.
    unfinished: BTreeMap<u64, u64>,
    files: BTreeMap<u32, FileEntry>,
    /// Of these, those that came to be behind the checkpoint.
    created: BTreeSet<u32>,
    /// Files whose pages the log has not, and whose transaction made them.
    filled_elsewhere: BTreeMap<u32, u64>,
    dropped: BTreeSet<u32>,
    pending: Vec<PageRef>,
    /// Transactions whose rows of memory-optimized tables are not to be read from the log: rolled back, or committed before
    /// the checkpoint.
    rows_elsewhere: BTreeSet<u64>,
    /// Those that wrote such rows and are not over yet.
    rows_open: BTreeSet<u64>,
    /// The log has such rows, of whatever transaction.
    has_rows: bool,
    /// Of the checkpoint.
    redo_lsn: u64,
    transaction_max: u64,
    file_max: u32,
}

impl Found {
    fn tree_is_gone(&mut self, head: &Head) {
        self.pending.retain(|at| *at != PageRef { file: head.file, page: head.page });
    }

    fn take(&mut self, record: &Record<'_>) -> StorageResult<()> {
        debug_assert!(record.end > record.lsn);
        let head = &record.head;
        if head.transaction != 0 {
            self.transaction_max = self.transaction_max.max(head.transaction);
            match head.kind {
                Kind::Commit | Kind::End => self.unfinished.remove(&head.transaction),
                _ => self.unfinished.insert(head.transaction, record.lsn),
            };
        }
        match head.kind {
            Kind::Rows => {
                self.has_rows = true;
                self.rows_open.insert(head.transaction);
            }
            Kind::Commit | Kind::End if self.rows_open.remove(&head.transaction) => {
                if head.kind == Kind::End || record.lsn < self.redo_lsn {
                    self.rows_elsewhere.insert(head.transaction);
                }
            }
            _ => {}
        }
        match head.kind {
            Kind::FileCreate => {
                let damaged = || StorageError::Damaged(format!("log record at {}", record.lsn));
                let (entry, _) = FileEntry::decode(record.body).ok_or_else(damaged)?;
                self.file_max = self.file_max.max(entry.number);
                if record.lsn >= self.redo_lsn {
                    self.created.insert(entry.number);
                }
                if head.page == PAGES_FROM_ELSEWHERE {
                    self.filled_elsewhere.insert(entry.number, head.transaction);
                }
                self.files.insert(entry.number, entry);
            }
            Kind::FileDrop => {
                self.files.remove(&head.file);
                self.dropped.insert(head.file);
                self.pending.retain(|at| at.file != head.file);
            }
            Kind::TreeDrop => self.pending.push(PageRef { file: head.file, page: head.page }),
            Kind::TreeFree => self.tree_is_gone(head),
            Kind::Structure if head.transaction == 0 && head.page != 0 => self.tree_is_gone(head),
            Kind::Commit => {
                let drops = record.body.chunks_exact(8).map(|at| PageRef { file: u32_at(at, 0), page: u32_at(at, 4) });
                // In the log of a backup those of other databases are blanked.
                self.pending.extend(drops.filter(|at| at.file != 0));
            }
            _ => {}
        }
        Ok(())
    }
}

/// What a start found to do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Recovered {
    /// Log read, in bytes, and the records in it that were redone where their pages lacked them.
    pub log_bytes: u64,
    pub records: u64,
    pub rolled_back: usize,
    pub elapsed_ns: u64,
}

/// Opens or creates the instance in `disk`. The control file is written before it returns.
pub fn open(disk: Disk, limits: &Limits) -> StorageResult<(Arc<Engine>, ControlFile, Control, Recovered)> {
    let started = os::clock::now();
    let mut recovered = Recovered::default();
    disk.sync_names()?;
    let (control_file, control) = ControlFile::open(&disk)?;
    let is_new = control.is_none();
    let mut control = control.unwrap_or(Control { next_transaction: 1, next_file: 1, ..Control::default() });
    let memory = limits.reserve()?;
    let store = LocalLog::open(&memory, disk.clone(), limits.log_segment_bytes, limits.log_bytes_max)?;
    let mut found = Found { redo_lsn: control.redo_lsn, ..Found::default() };
    let held = std::mem::take(&mut control.held);
    let known = std::mem::take(&mut control.files);
    found.files.extend(known.into_iter().map(|entry| (entry.number, entry)));
    found.pending = std::mem::take(&mut control.pending);
    let mut end = control.scan_lsn;
    if !is_new {
        end = analyse(&store, &control_file, &mut control, &mut found)?;
    }
    control.epoch += 1;
    let next = control.next_transaction.max(found.transaction_max + 1);
    let next_file = control.next_file.max(found.file_max + 1);
    assert!(next > 0 && next_file > 0, "0 is the system's");

    let log = Arc::new(Log::new(&memory, Box::new(store), limits.log_buffer_bytes, end, control.epoch)?);
    let files = Arc::new(DataFiles::new(&memory, disk.clone(), limits.files_max)?);
    let buffer = Buffer::new(&memory, &disk, files.clone(), limits.files_max, limits.page_bits)?;
    buffer.attach_log(log.clone());
    let numbers = Numbers {
        next_file: AtomicU32::new(next_file),
        // Each row took more bytes of the log than numbers.
        next_row: AtomicU64::new(end.max(1).max(control.next_row.saturating_add(end - control.redo_lsn))),
        commits_since_advance: AtomicU32::new(0),
        trees: TreeCounters::default(),
    };
    let pending_frees = PageList::new(&memory, "pages to free", PENDING_FREES_MAX)?;
    pending_frees.add(found.pending.iter().copied());
    let engine = Arc::new(Engine {
        versions: Versions::new(&memory, &disk, limits.version_memory_bytes)?,
        disk,
        buffer,
        log,
        commits: Commits::recovered(&memory, next, found.unfinished.keys().copied())?,
        locks: Locks::new(&memory)?,
        files,
        shapes: Shapes::new(&memory)?,
        pending_frees,
        freeing: memory.place("freeing", Mutex::new(WaitType::SOS_MUTEX, ()))?,
        logged_leaves: limits.logged_leaves,
        log_readers: memory.place("readers of the log", Mutex::new(WaitType::SOS_MUTEX, 0))?,
        ghosts: Ghosts::new(&memory)?,
        checkpointer: memory.place("checkpoint", Event::auto_reset(WaitType::CHECKPOINT_QUEUE))?,
        room: memory.place("room in the log", Room::default())?,
        archived: memory.place("archive", Archived::default())?,
        cleaner: memory.place("version cleaner", Event::auto_reset(WaitType::VERSION_STORE_CLEANER))?,
        numbers: memory.place("numbers", numbers)?,
        grants: Grants::new(&memory)?,
        xtp: Xtp::new(&memory, limits.memory_optimized_bytes)?,
        memory,
    });
    if engine.disk.exists(ARCHIVE_TOKEN) {
        // What it lacks, whoever writes it on will say.
        engine.archived.lag_max.store(u64::MAX, Ordering::SeqCst);
        engine.archived.hold_from(engine.log.store().first());
    }
    engine.open_files(&found, &held, &control)?;
    engine.files.take_chains(&control.chains);
    if !is_new {
        recover(&engine, (&control, end), &found, &held, &mut recovered)?;
    }
    engine.free_pending()?;
    recovered.elapsed_ns = os::clock::now() - started;
    Ok((engine, control_file, control, recovered))
}

/// Redo, and undo of who had not committed.
fn recover(
    engine: &Arc<Engine>,
    (control, end): (&Control, u64),
    found: &Found,
    held: &[HeldEntry],
    recovered: &mut Recovered,
) -> StorageResult<()> {
    let (scan, redo) = (control.scan_lsn, control.redo_lsn);
    let since = Since { scan_lsn: scan, redo_lsn: redo };
    let store = engine.log.store();
    let mut behind = Behind::default();
    replay(store, scan, end, &mut |record| {
        if record.lsn < redo {
            return Ok(());
        }
        recovered.records += 1;
        let redone = engine.redo(&record, found, &mut behind);
        engine.or_hold(record.head.file, since, redone)
    })?;
    for page in behind.left() {
        if !engine.files.is_held(page.file) {
            engine.or_hold(page.file, since, Err(StorageError::corrupt(page)))?;
        }
    }
    recovered.log_bytes = end - scan;
    recovered.rolled_back = found.unfinished.len();
    for (transaction, last_lsn) in &found.unfinished {
        engine.undo_unfinished(*transaction, *last_lsn, since)?;
    }
    engine.check_heads(since)?;
    assert_eq!(engine.locks.oldest_lsn(), u64::MAX, "nothing is left to undo");
    engine.recover_held_files(held)?;
    engine.load_memory_tables(found, control, end)?;
    engine.advance_horizon();
    engine.log.harden_all()?;
    assert!(engine.log.hardened() >= end, "what recovery relies on is on disk");
    Ok(())
}

/// Reads the log from the last checkpoint on, once it is known to be there up to its end. Where that is.
fn analyse(
    store: &LocalLog,
    control_file: &ControlFile,
    control: &mut Control,
    found: &mut Found,
) -> StorageResult<u64> {
    store.check_files(control.scan_lsn)?;
    let (first, limit) = store.range().unwrap_or((0, 0));
    if first > control.scan_lsn {
        return Err(StorageError::Damaged(format!("the log before LSN {first} is missing; restore it")));
    }
    let read = replay(store, control.scan_lsn, limit, &mut |record| found.take(&record))?;
    if read.end < control.redo_lsn {
        return Err(StorageError::Damaged(format!(
            "the log ends at LSN {}, before LSN {} of the last checkpoint; restore it or a backup",
            read.end, control.redo_lsn
        )));
    }
    let noted = control_file.noted_hardened()?;
    if read.end < noted {
        return Err(StorageError::Damaged(format!(
            "the log ends at LSN {}, but had been hardened up to LSN {noted}: what was committed between them is gone; \
             put its files back, or restore from a backup",
            read.end
        )));
    }
    store.rewrite(read.hardened, read.end)?;
    if read.hardened < read.end {
        store.harden()?;
    }
    control.epoch = control.epoch.max(read.epoch);
    Ok(read.end)
}

/// Where backups are unpacked.
pub const SCRATCH: &str = "restore";

/// Removes what a restore that never came to its end has left.
pub fn clear_scratch(disk: &Disk) -> StorageResult<()> {
    // Only of a real disk it is known whether it has the directory, and only there asking for it makes one.
    if matches!(disk, Disk::Real(_)) && !disk.exists(SCRATCH) {
        return Ok(());
    }
    let scratch = disk.subdirectory(SCRATCH)?;
    for name in scratch.list()? {
        scratch.remove(&name)?;
    }
    Ok(())
}

/// Of a database without which there is no instance.
fn not_opened(entry: &FileEntry, error: DiskError) -> StorageError {
    let (file, name) = (file_name(entry.number), &entry.name);
    StorageError::Damaged(match error {
        DiskError::Denied => {
            format!("{file} of database {name}: {error}; it must be the user's whom the server runs as")
        }
        error => format!("{file} of database {name}: {error}; put it back, or restore from a backup"),
    })
}

impl Engine {
    fn open_files(&self, found: &Found, held: &[HeldEntry], control: &Control) -> StorageResult<()> {
        let path = |number: u32| file_name(number);
        for number in &found.dropped {
            if self.disk.exists(&path(*number)) {
                self.disk.remove(&path(*number))?;
            }
        }
        // A restore that never came to its end.
        for name in self.disk.list()?.into_iter().filter(|name| is_file_name(name)) {
            if !found.files.keys().any(|number| path(*number) == name) {
                self.disk.remove(&name)?;
            }
        }
        // Pages that were being restored, of a file that is there no more.
        let restored = |name: &str| found.files.keys().any(|number| restored_pages_name(*number) == name);
        for name in self.disk.list()?.into_iter().filter(|name| name.ends_with(".hpr") && !restored(name)) {
            self.disk.remove(&name)?;
        }
        clear_scratch(&self.disk)?;
        rewrite_last_batch(&self.disk, &|number| {
            let Some(entry) = found.files.get(&number).filter(|entry| !entry.temporary) else { return Ok(None) };
            match self.disk.open(&path(number), Open::Existing) {
                Ok(file) => Ok(Some(file)),
                // Its database stays closed, as is found below.
                Err(error) if error == DiskError::NotFound || may_be_held(entry.database) => Ok(None),
                Err(error) => Err(not_opened(entry, error)),
            }
        })?;
        for entry in found.files.values() {
            debug_assert!(entry.number != 0 && entry.database != 0, "0 is neither a file nor a database");
            if entry.temporary {
                if self.disk.exists(&path(entry.number)) {
                    self.disk.remove(&path(entry.number))?;
                }
                continue;
            }
            let hold = |hold, since, why: String| {
                let (number, database, name) = (entry.number, entry.database, entry.name.clone());
                self.files.add_held(&HeldFile { number, database, name, hold, since, why })
            };
            if let Some(before) = held.iter().find(|held| held.number == entry.number) {
                hold(before.hold, before.since, before.why.clone())?;
                continue;
            }
            // Its creation is in the log if it is not on disk yet; then redo fills it.
            let elsewhere = found.filled_elsewhere.get(&entry.number);
            let is_filled_by_redo = found.created.contains(&entry.number) && elsewhere.is_none();
            let how = if is_filled_by_redo { Open::ExistingOrNew } else { Open::Existing };
            match self.disk.open(&path(entry.number), how) {
                Ok(file) => {
                    self.files.add(entry.number, entry.database, false, file, &entry.name)?.mark_logged();
                }
                // A restore of an archive up to the middle of its making.
                Err(DiskError::NotFound) if elsewhere.is_some_and(|maker| found.unfinished.contains_key(maker)) => {}
                Err(error) if may_be_held(entry.database) => {
                    let since = Since { scan_lsn: control.scan_lsn, redo_lsn: control.redo_lsn };
                    hold(Hold::RecoveryPending, since, format!("{}: {error}", path(entry.number)))?;
                }
                Err(error) => return Err(not_opened(entry, error)),
            }
        }
        Ok(())
    }

    fn redo(&self, record: &Record<'_>, found: &Found, behind: &mut Behind) -> StorageResult<()> {
        let head = &record.head;
        debug_assert!(record.lsn >= found.redo_lsn, "what lies before is in the pages");
        if head.flags & FLAG_TEMPORARY != 0 || found.dropped.contains(&head.file) {
            return Ok(());
        }
        let damaged = || StorageError::Damaged(format!("log record at {} does not fit its page", record.lsn));
        if !changes_pages(head.kind) {
            return Ok(());
        }
        if self.files.is_held(head.file) {
            return Ok(());
        }
        let file = self.file(head.file)?.ok_or_else(damaged)?;
        self.redo_on(&file, record, behind)
    }

    /// What a record says of pages of the file.
    pub(crate) fn redo_on(&self, file: &DataFile, record: &Record<'_>, behind: &mut Behind) -> StorageResult<()> {
        self.redo_each(file, record, &mut |page, is_whole, redo| {
            behind.redo(PageRef { file: file.number, page }, is_whole, redo)
        })
    }

    /// As `redo_on`, a page at a time: `each` hears which it is, and whether all of it follows from the record, and redoes it or not.
    pub(crate) fn redo_each(
        &self,
        file: &DataFile,
        record: &Record<'_>,
        each: &mut dyn FnMut(u32, bool, &dyn Fn() -> StorageResult<()>) -> StorageResult<()>,
    ) -> StorageResult<()> {
        let head = &record.head;
        let damaged = || {
            let (lsn, kind, page) = (record.lsn, head.kind, head.page);
            StorageError::Damaged(format!("log record at {lsn} ({kind:?}) does not fit its page, {page}"))
        };
        if head.kind == Kind::Structure {
            let actions = structure::decode(record.body).ok_or_else(damaged)?;
            for (at, (number, first)) in actions.iter().enumerate() {
                if actions[..at].iter().any(|(earlier, _)| earlier == number) {
                    continue;
                }
                let is_whole = matches!(first, Action::Image { .. });
                each(*number, is_whole, &|| {
                    let mut guard = self.page_to_redo(file, *number, is_whole)?;
                    if page::lsn(&guard) >= record.end {
                        // What follows from the log is written in place alone. The flush for it may have failed, and what was read here
                        // be in the system's cache and not on disk.
                        if is_whole {
                            guard.mark_dirty();
                        }
                        return Ok(());
                    }
                    // All actions of the page and its LSN under one latch: it may be written as soon as that is gone, and a start after
                    // the next crash must not do again what is done.
                    guard.mark_dirty();
                    for (_, action) in actions[at..].iter().filter(|(of, _)| of == number) {
                        if !action.fits(&guard, *number) {
                            return Err(damaged());
                        }
                        action.apply(&mut guard, file.number, *number);
                    }
                    page::set_lsn(&mut guard, record.end);
                    Ok(())
                })?;
            }
            return Ok(());
        }
        each(head.page, false, &|| {
            let mut guard = self.page_to_redo(file, head.page, false)?;
            if page::lsn(&guard) >= record.end {
                return Ok(());
            }
            if page::kind(&guard) != Some(PageKind::Leaf) {
                return Err(damaged());
            }
            guard.mark_dirty();
            redo_cell(&mut guard, head.kind, record.body).ok_or_else(damaged)?;
            page::set_lsn(&mut guard, record.end);
            Ok(())
        })
    }

    /// The rows of memory-optimized tables, once their definitions are what they are to be.
    fn load_memory_tables(&self, found: &Found, control: &Control, end: u64) -> StorageResult<()> {
        let manifest = Manifest::read(&self.disk, control.manifest)?;
        manifest.remove_others(&self.disk, control.manifest)?;
        self.xtp.knows_objects_below(manifest.next_object);
        let since = Since { scan_lsn: control.scan_lsn, redo_lsn: control.redo_lsn };
        let tables = self.open_memory_tables(since)?;
        debug_assert!(
            tables.keys().all(|number| *number < self.xtp.next_object()),
            "numbers of objects are given once"
        );
        let others: BTreeSet<u64> = found.rows_elsewhere.iter().chain(found.unfinished.keys()).copied().collect();
        let mut tail = Tail::default();
        let read_log = |visit: &mut dyn FnMut(&Record<'_>) -> StorageResult<()>| match found.has_rows {
            true => replay(self.log.store(), control.scan_lsn, end, &mut |record| visit(&record)).map(drop),
            false => Ok(()),
        };
        read_log(&mut |record| tail.note(self, record, &others))?;
        tail.load_pairs(self, &tables, &manifest.pairs, since)?;
        read_log(&mut |record| tail.load(self, &tables, record, &others))
    }

    /// The rows of memory-optimized tables of a database that is opened while the others are used; those that are loaded already stay.
    /// `covered`: by the last checkpoint, and none is written meanwhile. `end`: up to which the log is hardened.
    pub fn load_memory_tables_of(&self, db: DatabaseId, covered: Covered, end: u64) -> StorageResult<()> {
        let tables = self.memory_tables_not_loaded(db)?;
        if tables.is_empty() {
            return Ok(());
        }
        let mut found = Found { redo_lsn: covered.redo_lsn, ..Found::default() };
        let store = self.log.store();
        replay(store, covered.scan_lsn, end, &mut |record| found.take(&record))?;
        let others: BTreeSet<u64> = found.rows_elsewhere.iter().chain(found.unfinished.keys()).copied().collect();
        let manifest = Manifest::read(&self.disk, covered.manifest)?;
        let mut tail = Tail::default();
        replay(store, covered.scan_lsn, end, &mut |record| tail.note(self, &record, &others))?;
        let with_rows = |pair: &&Pair| pair.objects.keys().any(|object| tables.contains_key(object));
        for pair in manifest.pairs.iter().filter(with_rows) {
            tail.load_pair(self, &tables, pair)?;
        }
        replay(store, covered.scan_lsn, end, &mut |record| tail.load(self, &tables, &record, &others)).map(drop)
    }

    fn page_to_redo(&self, file: &DataFile, number: u32, replaces: bool) -> StorageResult<Exclusive<'_>> {
        self.buffer.grow_file(file, number + 1)?;
        match self.buffer.exclusive(file, number) {
            Err(StorageError::CorruptPage { page, .. }) if self.buffer.is_newer_than_log(file, number) => {
                Err(StorageError::Damaged(format!("page {page} is newer than the log, which has lost its end")))
            }
            // The whole page follows from the log, also one that waited until it was restored.
            Err(StorageError::CorruptPage { page, .. }) if replaces => {
                self.buffer.suspects.forget(page);
                self.buffer.fresh(file, number)
            }
            // Its rows lay in its place, and that was torn when it was written later: an image follows, as of any torn page.
            Ok(page) if !replaces && page::kind(&page) == Some(PageKind::Unlogged) => {
                Err(StorageError::corrupt(PageRef { file: file.number, page: number }))
            }
            other => other,
        }
    }

    /// `scan`: its records lie behind.
    fn undo_unfinished(&self, transaction: u64, last_lsn: u64, since: Since) -> StorageResult<()> {
        let scan = since.scan_lsn;
        assert!(transaction != 0 && last_lsn >= scan, "record {last_lsn} of a log read from {scan}");
        os::sim_point!("recovery.undo");
        let member = self.locks.enter();
        self.locks[member].id.store(transaction, Ordering::SeqCst);
        self.locks[member].first_lsn.store(scan, Ordering::SeqCst);
        let mut next = last_lsn;
        while let Err(error) = self.roll_back_abandoned(member, transaction, next) {
            // What has been undone is in the log. The rest goes on without the file that is damaged.
            let StorageError::CorruptPage { page, .. } = &error else { return Err(error) };
            self.or_hold(page.file, since, Err(error.clone()))?;
            next = self.locks[member].last_lsn.load(Ordering::SeqCst).max(last_lsn);
        }
        self.locks.leave(member);
        Ok(())
    }

    /// A data file with its first pages. `author`: whose rollback removes it again.
    pub fn create_file(
        &self,
        writer: Option<&mut Writer>,
        db: DatabaseId,
        temporary: bool,
        name: &str,
    ) -> StorageResult<Arc<DataFile>> {
        let number = self.numbers.next_file.fetch_add(1, Ordering::SeqCst);
        let entry = FileEntry { number, database: db.0, temporary, name: name.into() };
        assert!(number != 0 && db.0 != 0, "0 is neither a file nor a database");
        let mut body = Vec::new();
        entry.encode(&mut body);
        let path = file_name(number);
        if self.disk.exists(&path) {
            // Left over from before a crash: its number was never hardened.
            self.disk.remove(&path)?;
        }
        let file = self.disk.open(&path, Open::ExistingOrNew)?;
        let data = self.files.add(number, db.0, temporary, file, &entry.name)?;
        let mut author = match writer {
            Some(writer) => {
                self.identify(writer)?;
                crate::engine::Author::Change(writer)
            }
            None => crate::engine::Author::System,
        };
        self.append(&mut author, Kind::FileCreate, &data, 0, &[&body])?;
        data.mark_logged();
        if let Err(error) = self.disk.sync_names() {
            // Which names the directory keeps is unknown.
            self.log.stop(error.into());
            return Err(error.into());
        }
        self.buffer.grow_file(&data, 8)?;
        let header = file_header(number, db, FORMAT);
        let root = empty_root(number, DIRECTORY_ROOT);
        let bits: Vec<u8> = [0_u16, 1, DIRECTORY_ROOT as u16].iter().flat_map(|bit| bit.to_le_bytes()).collect();
        let mut guards =
            [self.buffer.fresh(&data, 0)?, self.buffer.fresh(&data, 1)?, self.buffer.fresh(&data, DIRECTORY_ROOT)?];
        let actions = [
            (0, Action::image(&header)),
            (1, Action::SetBits { value: true, bits: Bits(&bits) }),
            (DIRECTORY_ROOT, Action::image(&root)),
        ];
        const { assert!(BITMAP_SPAN > DIRECTORY_ROOT) };
        let mut latched: Vec<&mut Exclusive<'_>> = guards.iter_mut().collect();
        self.restructure(&data, &actions, &mut latched)?;
        Ok(data)
    }

    /// See the top of this file. After a failed write or flush nobody knows what the files hold: the instance stops.
    /// `before`: what the last one covered; what this one does then stands there. `pinned`: the log from there on, and the checkpoint
    /// files there are, somebody still reads.
    pub fn checkpoint(
        &self,
        control_file: &ControlFile,
        epoch: u32,
        sequence: u64,
        before: &mut Covered,
        (pinned, pause): (Option<u64>, &dyn Pause),
    ) -> StorageResult<u64> {
        if let Some(stopped) = self.log.is_stopped() {
            return Err(stopped);
        }
        // Rows of memory-optimized tables are logged before their commit, and are wanted if that lies behind the redo LSN. So the
        // redo LSN comes after the commits of all transactions that are over by now.
        let begun = self.log.hardened();
        fence(Ordering::SeqCst);
        let scan_lsn = begun.min(self.locks.oldest_lsn());
        self.log.harden_all()?;
        let covered = Covered { scan_lsn, redo_lsn: self.log.hardened(), manifest: before.manifest };
        assert!(covered.scan_lsn <= covered.redo_lsn, "what is redone lies in what is read: {covered:?}");
        assert!(before.scan_lsn <= covered.scan_lsn, "the log is not wanted where it was given back: {covered:?}");
        assert!(before.redo_lsn <= covered.redo_lsn, "a checkpoint covers no less than the one before it");
        let rows = self.checkpoint_rows(*before, covered.redo_lsn, sequence, pause);
        if let Err(error @ (StorageError::DiskFull | StorageError::Cancelled)) = rows {
            // Nothing that counts has been written. The log stays as it is.
            self.discard_new_files(before.manifest, pinned)?;
            return Err(error);
        }
        let result = rows.and_then(|rows| {
            let next = (self.commits.next_id(), self.numbers.next_row.load(Ordering::SeqCst));
            let written = match self.buffer.write_all(&self.log, pause) {
                Err(StorageError::Cancelled) => {
                    self.discard_new_files(before.manifest, pinned)?;
                    return Err(StorageError::Cancelled);
                }
                written => written?,
            };
            self.write_checkpoint(control_file, epoch, sequence, covered, &rows, next, pinned)?;
            *before = Covered { manifest: rows.manifest, ..covered };
            Ok(written)
        });
        if let Err(error) = &result
            && matches!(error, StorageError::Io(_) | StorageError::DiskFull)
        {
            self.log.stop(error.clone());
        }
        result
    }

    /// Of a checkpoint that failed. Those that somebody reads stay, and what is left beside them is written over by the next.
    fn discard_new_files(&self, manifest: u64, pinned: Option<u64>) -> StorageResult<()> {
        match pinned {
            None => self.discard_checkpoint_files(manifest),
            Some(_) => Ok(()),
        }
    }

    fn write_checkpoint(
        &self,
        control_file: &ControlFile,
        epoch: u32,
        sequence: u64,
        Covered { scan_lsn, redo_lsn, .. }: Covered,
        rows: &Written,
        (next_transaction, next_row): (u64, u64),
        pinned: Option<u64>,
    ) -> StorageResult<()> {
        let entry = |file: &Arc<DataFile>| FileEntry {
            number: file.number,
            database: file.database,
            temporary: file.temporary,
            name: file.name(),
        };
        // Pending frees before the files: a file that goes in between is found missing and no longer pending.
        let pending = self.pending_frees.all();
        os::sim_point!("checkpoint.files");
        let mut files: Vec<FileEntry> = self.files.all()?.iter().filter(|file| file.is_logged()).map(entry).collect();
        let held = self.files.held();
        files.extend(held.iter().map(|held| FileEntry {
            number: held.number,
            database: held.database,
            temporary: false,
            name: held.name.clone(),
        }));
        files.sort_by_key(|file| file.number);
        let wanted = self.files.wanted_from().map_or(scan_lsn, |lsn| lsn.min(scan_lsn));
        // One that is being recovered is what it was before.
        let kept = |hold| if hold == Hold::Changing { Hold::RecoveryPending } else { hold };
        let held = held
            .into_iter()
            .filter(|held| held.since != Since::OPEN)
            .map(|held| HeldEntry { number: held.number, hold: kept(held.hold), since: held.since, why: held.why })
            .collect();
        // A start that knows a file from here and nothing of its transaction would take that for one that committed.
        self.log.harden_all()?;
        let control = Control {
            epoch,
            sequence,
            scan_lsn,
            redo_lsn,
            next_transaction,
            next_file: self.numbers.next_file.load(Ordering::SeqCst),
            files,
            pending,
            manifest: rows.manifest,
            next_row,
            chains: self.files.chains(),
            held,
        };
        // A flush of another worker may have failed meanwhile.
        if let Some(stopped) = self.log.is_stopped() {
            return Err(stopped);
        }
        assert!(self.log.hardened() >= redo_lsn, "a control record counts on the log up to LSN {redo_lsn}");
        assert!(
            rows.manifest == 0 || self.disk.exists(&manifest_name(rows.manifest)),
            "a control record names a manifest that is there"
        );
        assert!(rows.manifest <= sequence, "manifest {} of checkpoint {sequence}", rows.manifest);
        os::sim_point!("checkpoint.control");
        control_file.write(&control)?;
        os::sim_point!("checkpoint.truncate");
        rows.install(&self.xtp.numbers.checkpoints, &self.disk, pinned.is_some())?;
        debug_assert!(scan_lsn <= self.log.hardened(), "the log is given back up to where a start begins to read");
        let archived = self.archived.kept_from(self.log.hardened());
        let kept = pinned.into_iter().chain(self.files.log_kept_from()).chain(archived).chain([wanted]).min();
        self.log.store().truncate(kept.expect("one is given"))
    }
}

/// None: the body does not fit the page.
pub(crate) fn redo_cell(page: &mut PageBytes, kind: Kind, body: &[u8]) -> Option<()> {
    debug_assert_eq!(page::kind(page), Some(PageKind::Leaf), "cells of rows are in leaves");
    let count = page::slot_count(page);
    match kind {
        Kind::Insert => {
            let body = CellBody::decode(body)?;
            let fits = page::takes(page, body.slot as usize, body.key, body.payload.len());
            fits.then(|| page::insert(page, body.slot as usize, body.key, &[body.payload]))
        }
        Kind::Update => {
            let body = UpdateBody::decode(body)?;
            let slot = Some(body.slot as usize).filter(|slot| *slot < count)?;
            let old = page::payload(page, slot);
            let agrees = old.len() == body.prefix + body.old.len() + body.suffix;
            let new = agrees.then(|| body.patch(old, body.new))?;
            page::has_room_to_replace(page, slot, new.len()).then(|| page::replace(page, slot, &new))
        }
        Kind::Header => {
            let body = HeaderBody::decode(body)?;
            let slot = Some(body.slot as usize).filter(|slot| *slot < count)?;
            (page::payload(page, slot).len() >= body.new.len()).then(|| apply_header(page, slot, body.new))
        }
        Kind::Remove => {
            let slot = u16_at(body.get(..2)?, 0) as usize;
            (slot < count).then(|| page::remove(page, slot))
        }
        _ => None,
    }
}
