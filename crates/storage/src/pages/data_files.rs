//! The data files of an instance. What all engines know of a file lies in a table of the region; each engine has a handle
//! of its own for it, opened when it first meets the file.
//! One may be held (`hold`): it keeps its place, and nobody gets it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};

use os::disk::{Disk, DiskError, File, Open};
use os::region::{Part, Placed};
use os::shared_struct;
use os::sync::{Mutex, RwLock};
use os::wait::WaitType;

use crate::error::{StorageError, StorageResult};
use crate::hold::{HeldFile, Hold, Since};
use crate::layout::DatabaseId;
use crate::pages::page::PAGE_BYTES;
use crate::region::memory::Memory;

/// A database name has at most 128 UTF-16 units.
const NAME_BYTES: usize = 3 * 128;
/// Data files grow by this many pages, or an eighth of their size.
const GROW_PAGES: u32 = 128;
/// Not more at a time, so that the log has its part of a disk that is nearly full.
const GROW_PAGES_MAX: u32 = (1 << 30) / PAGE_BYTES as u32;
const _: () = assert!(GROW_PAGES > 0);

pub fn file_name(number: u32) -> String {
    format!("d{number:05}.hdb")
}

/// Where pages of a file lie while they are restored (`backup::some_pages`).
pub fn restored_pages_name(number: u32) -> String {
    format!("r{number:05}.hpr")
}

/// A data file's, of whatever number.
pub fn is_file_name(name: &str) -> bool {
    let number = name.strip_prefix('d').and_then(|rest| rest.strip_suffix(".hdb"));
    number.is_some_and(|number| number.len() >= 5 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What backups have of a database. It changes under the lock of checkpoints, and is in the control file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chain {
    /// From this LSN on the log is in no log backup yet, and is kept for one; 0: none is kept.
    pub log_from: u64,
    /// Pages with a higher LSN have changed since the last full backup; 0: there is none.
    pub base_lsn: u64,
    /// Of that backup, as its taker numbers it.
    pub base: u128,
}

impl Chain {
    pub fn log_from(&self) -> Option<u64> {
        (self.log_from != 0).then_some(self.log_from)
    }
}

/// Bytes kept of the reason why a file is held.
const WHY_BYTES: usize = 240;

shared_struct! {
    /// A file as all engines know it, by slot: its place in the range of page addresses.
    struct FileState {
        /// Never used again for another file; 0: the slot is free. Written last.
        number: AtomicU32,
        database: AtomicU32,
        temporary: AtomicBool,
        /// The log says that it came to be.
        logged: AtomicBool,
        /// Nobody uses it any more: it is being removed.
        dropped: AtomicBool,
        /// Written in place since it was last hardened.
        unsynced: AtomicBool,
        /// Pages the file has room for.
        pages: AtomicU32,
        /// Where the next free page is likely (allocation).
        free_hint: AtomicU32,
        /// `Chain`; its `base` is the lower and the upper half.
        log_from: AtomicU64,
        base_lsn: AtomicU64,
        base: [AtomicU64; 2],
        name_bytes: AtomicU32,
        name: [AtomicU8; NAME_BYTES],
        /// `Hold`, 0: everybody may use it.
        hold: AtomicU8,
        /// `Since`, while it is held.
        scan_lsn: AtomicU64,
        redo_lsn: AtomicU64,
        /// How often it was opened again: a handle from before is of the file that was there then.
        reopened: AtomicU32,
        why_bytes: AtomicU32,
        why: [AtomicU8; WHY_BYTES],
        /// Reads and writes since the file was opened first: how many, of how many pages, and how long they took, ns.
        reads: [AtomicU64; 3],
        writes: [AtomicU64; 3],
    }
}

/// Reads or writes of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileWork {
    pub times: u64,
    pub pages: u64,
    pub took_ns: u64,
}

fn count(words: &[AtomicU64; 3], pages: u64, since_ns: u64) {
    for (word, more) in words.iter().zip([1, pages, os::clock::now().saturating_sub(since_ns)]) {
        word.fetch_add(more, Ordering::Relaxed);
    }
}

fn counted(words: &[AtomicU64; 3]) -> FileWork {
    let [times, pages, took_ns] = [0, 1, 2].map(|at| words[at].load(Ordering::Relaxed));
    FileWork { times, pages, took_ns }
}

fn text_in(bytes: &[AtomicU8], length: &AtomicU32) -> String {
    let bytes: Vec<u8> =
        bytes[..length.load(Ordering::Relaxed) as usize].iter().map(|byte| byte.load(Ordering::Relaxed)).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn keep_text(text: &str, bytes: &[AtomicU8], length: &AtomicU32) {
    let text = &text.as_bytes()[..text.floor_char_boundary(bytes.len())];
    for (to, byte) in bytes.iter().zip(text) {
        to.store(*byte, Ordering::Relaxed);
    }
    length.store(text.len() as u32, Ordering::Relaxed);
}

impl FileState {
    fn say_held(&self, hold: Hold, since: Since, why: &str) {
        self.scan_lsn.store(since.scan_lsn, Ordering::Relaxed);
        self.redo_lsn.store(since.redo_lsn, Ordering::Relaxed);
        keep_text(why, &self.why, &self.why_bytes);
        self.hold.store(hold as u8, Ordering::Release);
    }

    fn since(&self) -> Since {
        Since { scan_lsn: self.scan_lsn.load(Ordering::Relaxed), redo_lsn: self.redo_lsn.load(Ordering::Relaxed) }
    }

    fn held(&self) -> Option<Hold> {
        Hold::from_byte(self.hold.load(Ordering::Acquire))
    }
}

impl FileState {
    fn chain(&self) -> Chain {
        let [low, high] = [&self.base[0], &self.base[1]].map(|half| u128::from(half.load(Ordering::SeqCst)));
        Chain {
            log_from: self.log_from.load(Ordering::SeqCst),
            base_lsn: self.base_lsn.load(Ordering::SeqCst),
            base: high << 64 | low,
        }
    }

    fn set_chain(&self, chain: Chain) {
        self.log_from.store(chain.log_from, Ordering::SeqCst);
        self.base_lsn.store(chain.base_lsn, Ordering::SeqCst);
        self.base[0].store(chain.base as u64, Ordering::SeqCst);
        self.base[1].store((chain.base >> 64) as u64, Ordering::SeqCst);
    }

    fn is_used(&self) -> bool {
        self.number.load(Ordering::Acquire) != 0 && !self.dropped.load(Ordering::Acquire)
    }
}

/// A data file that is open here.
pub struct DataFile {
    pub number: u32,
    pub database: u16,
    /// Of tempdb: its pages and log need not survive.
    pub temporary: bool,
    pub(crate) slot: usize,
    pub(crate) file: File,
    /// `FileState::reopened` when it was opened.
    opening: u32,
    table: Part<FileState>,
}

impl DataFile {
    fn state(&self) -> &FileState {
        &self.table[self.slot]
    }

    pub fn pages(&self) -> u32 {
        self.state().pages.load(Ordering::Acquire)
    }

    /// A read that began at `since_ns`.
    pub fn count_read(&self, pages: u64, since_ns: u64) {
        count(&self.state().reads, pages, since_ns);
    }

    pub fn count_write(&self, pages: u64, since_ns: u64) {
        count(&self.state().writes, pages, since_ns);
    }

    /// Reads and writes.
    pub fn work(&self) -> (FileWork, FileWork) {
        (counted(&self.state().reads), counted(&self.state().writes))
    }

    pub fn free_hint(&self) -> &AtomicU32 {
        &self.state().free_hint
    }

    pub fn chain(&self) -> Chain {
        self.state().chain()
    }

    /// Under the lock of checkpoints.
    pub fn set_chain(&self, chain: Chain) {
        self.state().set_chain(chain);
    }

    /// Of the database.
    pub fn name(&self) -> String {
        let state = self.state();
        text_in(&state.name, &state.name_bytes)
    }

    /// The record of its creation has been appended.
    pub fn mark_logged(&self) {
        self.state().logged.store(true, Ordering::Release);
    }

    pub fn is_logged(&self) -> bool {
        self.state().logged.load(Ordering::Acquire)
    }

    pub fn drop_soon(&self) {
        debug_assert!(self.is_there(), "a file is dropped once");
        self.state().dropped.store(true, Ordering::Release);
    }

    fn is_there(&self) -> bool {
        self.state().number.load(Ordering::Acquire) == self.number
    }

    /// Room on disk for `pages` pages of at most `pages_max`, `DiskFull` otherwise.
    pub fn grow(&self, pages: u32, pages_max: u32) -> StorageResult<()> {
        let now = self.pages();
        if pages <= now {
            return Ok(());
        }
        let wanted = pages.max(now.saturating_add((now / 8).clamp(GROW_PAGES, GROW_PAGES_MAX))).min(pages_max);
        if pages > wanted {
            return Err(StorageError::DiskFull);
        }
        let grown = match self.file.allocate(wanted as u64 * PAGE_BYTES as u64) {
            Err(DiskError::Full) => self.file.allocate(pages as u64 * PAGE_BYTES as u64).map(|()| pages),
            other => other.map(|()| wanted),
        }?;
        assert!(grown >= pages && grown <= pages_max, "room for {grown} pages, {pages} asked for, at most {pages_max}");
        self.state().pages.fetch_max(grown, Ordering::AcqRel);
        Ok(())
    }

    /// Gives back what lies behind so many pages. Nobody takes a page there meanwhile.
    pub fn shrink(&self, pages: u32) -> StorageResult<()> {
        if pages >= self.pages() {
            return Ok(());
        }
        self.state().pages.store(pages, Ordering::Release);
        self.state().free_hint.fetch_min(pages, Ordering::Relaxed);
        Ok(self.file.set_len(pages as u64 * PAGE_BYTES as u64)?)
    }

    /// Something was written in place.
    pub fn mark_unsynced(&self) {
        assert!(!self.temporary, "pages of tempdb need not be hardened");
        self.state().unsynced.store(true, Ordering::Relaxed);
    }
}

pub struct DataFiles {
    disk: Disk,
    /// Held while a file comes or goes.
    changing: Placed<Mutex<()>>,
    table: Part<FileState>,
    /// Handles of this engine, by slot; of a file that is gone until the slot is used again.
    opened: RwLock<Vec<Option<Arc<DataFile>>>>,
}

impl DataFiles {
    pub fn new(memory: &Memory, disk: Disk, files_max: usize) -> StorageResult<DataFiles> {
        Ok(DataFiles {
            disk,
            changing: memory.place("data files", Mutex::new(WaitType::SOS_MUTEX, ()))?,
            table: memory.carve("table of data files", files_max)?,
            opened: RwLock::new(WaitType::SOS_RW, (0..files_max).map(|_| None).collect()),
        })
    }

    pub fn add(
        &self,
        number: u32,
        database: u16,
        temporary: bool,
        file: File,
        name: &str,
    ) -> StorageResult<Arc<DataFile>> {
        let pages = (file.len()? / PAGE_BYTES as u64) as u32;
        let slot = self.take_slot(number, database, temporary, pages, name, None)?;
        Ok(self.keep(slot, number, file))
    }

    /// One that nobody gets.
    pub fn add_held(&self, held: &HeldFile) -> StorageResult<()> {
        self.take_slot(held.number, held.database, false, 0, &held.name, Some(held)).map(drop)
    }

    fn take_slot(
        &self,
        number: u32,
        database: u16,
        temporary: bool,
        pages: u32,
        name: &str,
        held: Option<&HeldFile>,
    ) -> StorageResult<usize> {
        assert!(number != 0 && database != 0, "0 is a free slot");
        let _changing = self.changing.lock();
        let is_free = |state: &FileState| state.number.load(Ordering::Relaxed) == 0;
        let slot = self.table.iter().position(is_free).ok_or(StorageError::OutOfMemory)?;
        debug_assert!(
            self.table.iter().all(|state| state.number.load(Ordering::Relaxed) != number),
            "file {number} is in the table already"
        );
        let state = &self.table[slot];
        state.database.store(database as u32, Ordering::Relaxed);
        state.temporary.store(temporary, Ordering::Relaxed);
        for flag in [&state.logged, &state.dropped, &state.unsynced] {
            flag.store(false, Ordering::Relaxed);
        }
        state.pages.store(pages, Ordering::Relaxed);
        state.free_hint.store(0, Ordering::Relaxed);
        state.reads.iter().chain(&state.writes).for_each(|word| word.store(0, Ordering::Relaxed));
        state.set_chain(Chain::default());
        keep_text(name, &state.name, &state.name_bytes);
        state.hold.store(0, Ordering::Relaxed);
        if let Some(held) = held {
            state.logged.store(true, Ordering::Relaxed);
            state.say_held(held.hold, held.since, &held.why);
        }
        // Release: who sees the number sees the rest.
        state.number.store(number, Ordering::Release);
        Ok(slot)
    }

    fn keep(&self, slot: usize, number: u32, file: File) -> Arc<DataFile> {
        assert!(number != 0, "a handle of a free slot");
        let state = &self.table[slot];
        let data = Arc::new(DataFile {
            number,
            database: state.database.load(Ordering::Relaxed) as u16,
            temporary: state.temporary.load(Ordering::Relaxed),
            slot,
            file,
            opening: state.reopened.load(Ordering::Acquire),
            table: self.table.clone(),
        });
        self.opened.write()[slot] = Some(data.clone());
        data
    }

    /// The slot may be used again.
    pub fn remove(&self, file: &DataFile) {
        let _changing = self.changing.lock();
        assert!(file.is_there(), "a file is removed once");
        assert!(file.state().dropped.load(Ordering::Relaxed), "nobody may use a file that goes");
        file.state().number.store(0, Ordering::Release);
        self.opened.write()[file.slot] = None;
    }

    /// The file in a slot, None if it is free or held. An error if this engine cannot open it: a checkpoint that took it for free would
    /// leave its pages behind.
    pub fn in_slot(&self, slot: usize) -> StorageResult<Option<Arc<DataFile>>> {
        let state = &self.table[slot];
        let number = state.number.load(Ordering::Acquire);
        if let Some(file) = &self.opened.read()[slot]
            && file.number == number
            && file.opening == state.reopened.load(Ordering::Acquire)
        {
            return Ok(Some(file.clone()));
        }
        // Pages of one that is being closed, or repaired, are still written.
        if number == 0 || state.held().is_some_and(|hold| !matches!(hold, Hold::Changing | Hold::Emergency)) {
            return Ok(None);
        }
        match self.disk.open(&file_name(number), Open::Existing) {
            Ok(file) => Ok(Some(self.keep(slot, number, file))),
            // Removed meanwhile.
            Err(DiskError::NotFound) if state.number.load(Ordering::Acquire) != number => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// `may_be`: even if it is held, for this reason.
    fn find(&self, is: impl Fn(&FileState) -> bool, may_be: Option<Hold>) -> StorageResult<Option<Arc<DataFile>>> {
        let found = |state: &FileState| state.number.load(Ordering::Acquire) != 0 && is(state);
        let Some(slot) = self.table.iter().position(found) else { return Ok(None) };
        if self.table[slot].held().is_some_and(|hold| Some(hold) != may_be) {
            return Ok(None);
        }
        Ok(self.in_slot(slot)?.filter(|file| file.is_there()))
    }

    /// One that may be changed.
    pub fn by_number(&self, number: u32) -> StorageResult<Option<Arc<DataFile>>> {
        self.find(|state| state.number.load(Ordering::Relaxed) == number, None)
    }

    /// The data file of a database, also of one that may only be read (`Hold::Emergency`).
    pub fn of(&self, db: DatabaseId) -> StorageResult<Arc<DataFile>> {
        let is = |state: &FileState| state.database.load(Ordering::Relaxed) == db.0 as u32;
        self.find(is, Some(Hold::Emergency))?.ok_or_else(|| self.why_not(db))
    }

    #[cold]
    fn why_not(&self, db: DatabaseId) -> StorageError {
        match self.held_of(db) {
            Some(held) => StorageError::Held { database: held.name.into(), hold: held.hold },
            None => StorageError::UnknownDatabase,
        }
    }

    /// Nobody gets the file from now on. Its pages stay in memory: the caller sees to them.
    pub fn hold(&self, file: &DataFile, hold: Hold, since: Since, why: &str) {
        assert!(file.is_there() && !file.temporary, "a file that is there is held");
        file.state().say_held(hold, since, why);
    }

    /// What is said of a file that is held.
    pub fn say_held(&self, number: u32, hold: Hold, since: Since, why: &str) {
        if let Some(slot) = self.slot_of(number) {
            self.table[slot].say_held(hold, since, why);
        }
    }

    /// Everybody may use the file.
    pub fn let_go(&self, file: &DataFile) {
        file.state().hold.store(0, Ordering::Release);
    }

    /// Forgets the handles of a held file: what is opened next may be another file.
    pub fn close(&self, number: u32) {
        let _changing = self.changing.lock();
        let Some(slot) = self.slot_of(number) else { return };
        debug_assert!(self.table[slot].held().is_some(), "a file that is in use stays open");
        self.table[slot].reopened.fetch_add(1, Ordering::AcqRel);
        self.opened.write()[slot] = None;
    }

    /// Opens a held file, for the caller alone until `let_go`.
    pub fn reopen(&self, number: u32) -> StorageResult<Arc<DataFile>> {
        self.close(number);
        let file = self.disk.open(&file_name(number), Open::Existing)?;
        let pages = (file.len()? / PAGE_BYTES as u64) as u32;
        let _changing = self.changing.lock();
        let slot = self.slot_of(number).ok_or(StorageError::UnknownDatabase)?;
        let state = &self.table[slot];
        state.pages.store(pages, Ordering::Relaxed);
        state.free_hint.store(0, Ordering::Relaxed);
        state.unsynced.store(false, Ordering::Relaxed);
        state.hold.store(Hold::Changing as u8, Ordering::Release);
        Ok(self.keep(slot, number, file))
    }

    /// The slot of a held file may be used again.
    pub fn remove_held(&self, number: u32) {
        self.close(number);
        let _changing = self.changing.lock();
        if let Some(slot) = self.slot_of(number) {
            self.table[slot].number.store(0, Ordering::Release);
        }
    }

    /// Those that nobody gets, by number.
    pub fn held(&self) -> Vec<HeldFile> {
        let describe = |state: &FileState| {
            let number = state.number.load(Ordering::Acquire);
            let hold = state.held().filter(|_| number != 0)?;
            Some(HeldFile {
                number,
                database: state.database.load(Ordering::Relaxed) as u16,
                name: text_in(&state.name, &state.name_bytes),
                hold,
                since: state.since(),
                why: text_in(&state.why, &state.why_bytes),
            })
        };
        let mut held: Vec<HeldFile> = self.table.iter().filter_map(describe).collect();
        held.sort_by_key(|file| file.number);
        held
    }

    pub fn held_of(&self, db: DatabaseId) -> Option<HeldFile> {
        self.held().into_iter().find(|held| held.database == db.0)
    }

    /// Why nobody gets the file of a database.
    pub fn hold_of(&self, db: DatabaseId) -> Option<Hold> {
        let is = |state: &&FileState| {
            state.number.load(Ordering::Acquire) != 0 && state.database.load(Ordering::Relaxed) == db.0 as u32
        };
        self.table.iter().find(is)?.held()
    }

    pub fn is_held(&self, number: u32) -> bool {
        self.slot_of(number).is_some_and(|slot| self.table[slot].held().is_some())
    }

    fn slot_of(&self, number: u32) -> Option<usize> {
        self.table.iter().position(|state| state.number.load(Ordering::Acquire) == number)
    }

    /// Where the log that held files lack begins.
    pub fn wanted_from(&self) -> Option<u64> {
        self.held().iter().map(|held| held.since.scan_lsn).min().filter(|lsn| *lsn != u64::MAX)
    }

    /// The databases that have a file which may be used.
    pub fn databases(&self) -> Vec<DatabaseId> {
        let used =
            self.table.iter().filter(|state| state.number.load(Ordering::Acquire) != 0 && state.held().is_none());
        used.map(|state| DatabaseId(state.database.load(Ordering::Relaxed) as u16)).collect()
    }

    /// From where on the log is kept for the log backups of all databases.
    pub fn log_kept_from(&self) -> Option<u64> {
        self.table.iter().filter(|state| state.is_used()).filter_map(|state| state.chain().log_from()).min()
    }

    /// Nothing, if there is no such database.
    pub fn chain_of(&self, db: DatabaseId) -> Chain {
        let is = |state: &&FileState| state.is_used() && state.database.load(Ordering::Relaxed) == u32::from(db.0);
        self.table.iter().find(is).map_or(Chain::default(), FileState::chain)
    }

    /// Those that have one, by number of the file, files that are held too.
    pub fn chains(&self) -> Vec<(u32, Chain)> {
        let of = |state: &FileState| (state.number.load(Ordering::Relaxed), state.chain());
        let used = self.table.iter().filter(|state| state.is_used());
        used.map(of).filter(|(_, chain)| *chain != Chain::default()).collect()
    }

    /// At a start, of files that are still there.
    pub fn take_chains(&self, chains: &[(u32, Chain)]) {
        for state in self.table.iter().filter(|state| state.is_used()) {
            let number = state.number.load(Ordering::Relaxed);
            if let Some((_, chain)) = chains.iter().find(|(of, _)| *of == number) {
                state.set_chain(*chain);
            }
        }
    }

    /// All that may be used, by number.
    pub fn all(&self) -> StorageResult<Vec<Arc<DataFile>>> {
        let opened: StorageResult<Vec<_>> = (0..self.table.len()).map(|slot| self.in_slot(slot)).collect();
        let mut all: Vec<_> = opened?.into_iter().flatten().filter(|file| !self.is_held(file.number)).collect();
        all.sort_by_key(|file| file.number);
        debug_assert!(all.is_sorted_by(|a, b| a.number < b.number), "a file has one slot");
        Ok(all)
    }

    /// Hardens what was written in place.
    pub fn sync(&self) -> StorageResult<()> {
        for (slot, state) in self.table.iter().enumerate() {
            if !state.unsynced.swap(false, Ordering::Relaxed) || state.dropped.load(Ordering::Acquire) {
                continue;
            }
            if let Some(file) = self.in_slot(slot)? {
                file.file.sync_data()?;
            }
        }
        Ok(())
    }
}
