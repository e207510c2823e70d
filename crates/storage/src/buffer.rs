#![allow(unsafe_code)]
//! The buffer pool: the address of a page is `base + index * 8 KB` in a large reserved range, after vmcache (Leis et
//! al., SIGMOD 2023), so finding a page costs no hash look-up. A state word for each page says what its frame is:
//!
//! ```text
//!  63        24 23    16 15                                               8 7                                       0
//! +------------+--------+---------------------------------------------------+-----------------------------------------+
//! | version    | 0      | 0 0 WHOLE READING WAITERS REFERENCED WRITING DIRTY| latch: 0 absent, 1 free, 2..=254 readers|
//! +------------+--------+---------------------------------------------------+ plus one, 255 exclusive ----------------+
//! absent -> exclusive (fault: read in place) -> free <-> readers; free <-> exclusive; free -> exclusive -> absent (evict)
//! ```
//! The version grows at each exclusive release. DIRTY is set under the exclusive latch before the change is logged, and
//! cleared together with setting WRITING when the page is copied out under a shared latch. WRITING pages are not evicted,
//! so a page is never read back before its newest image is on disk. READING is set while a fault reads the page: waits for
//! it are PAGEIOLATCH waits. WAITERS: somebody waits in `os::sync::ParkingLot`; whoever releases the latch wakes them.
//!
//! Latch order: parent before child, left neighbour before right, tree page before bitmap page. Eviction and writing only try latches, and
//! hold one at a time: they are done by workers that hold others. A checkpoint waits for one while it holds nothing.
//!
//! Torn pages: a batch of pages is first written to the double-write file and hardened there, then in place.
//! After a crash every page is whole in one of the two (`rewrite_last_batch`). Not so a page that is WHOLE in the log: its image was logged
//! since it was last written, so that it follows from the log whatever lies in its place, and is written there alone.

mod reading;
mod writing;
mod awaiting;
mod resident;

pub use resident::{PageContent, ResidentPage};
pub use writing::rewrite_last_batch;

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use os::disk::{Disk, File, Open};
use os::engines;
use os::region::{Part, Placed, spread, spread_count};
use os::shared_struct;
use os::sync::{Event, Mutex, ParkingLot};
use os::wait::{self, WaitType};

use crate::error::{StorageError, StorageResult};
use crate::layout::{DatabaseId, PageRef};
use crate::log::Log;
use crate::pages::data_files::{DataFile, DataFiles};
use crate::pages::files::read_or_zero;
use crate::pages::page::{self, PAGE_BYTES, PageBytes, PageKind};
use crate::pages::suspects::{SuspectKind, Suspects};
use crate::region::broker::Broker;
use crate::region::memory::Memory;

const LATCH: u64 = 0xff;
const ABSENT: u64 = 0;
const FREE: u64 = 1;
const READERS_MAX: u64 = 254;
const EXCLUSIVE: u64 = 255;
const DIRTY: u64 = 1 << 8;
const WRITING: u64 = 1 << 9;
const REFERENCED: u64 = 1 << 10;
const WAITERS: u64 = 1 << 11;
const READING: u64 = 1 << 12;
const WHOLE: u64 = 1 << 13;
const VERSION_ONE: u64 = 1 << 24;
const FLAGS: u64 = DIRTY | WRITING | REFERENCED | WAITERS | READING | WHOLE;
const _: () =
    assert!(FLAGS & LATCH == 0 && FLAGS < VERSION_ONE && FLAGS.count_ones() == 6, "the parts of a state word");
const _: () =
    assert!(READERS_MAX < EXCLUSIVE && EXCLUSIVE == LATCH, "a reader more than the most is not taken for a writer");

const DOUBLE_WRITE_FILE: &str = "doublewrite.hdw";
/// Pages in a batch of the double-write file.
const BATCH_PAGES: usize = 256;
/// Looks at a held latch before the worker waits: most are held for less than a microsecond.
const SPINS: u32 = 40;

shared_struct! {
    #[derive(Debug, Default)]
    pub struct BufferCounters {
        pub reads: AtomicU64,
        pub writes: AtomicU64,
        pub evictions: AtomicU64,
        pub latch_waits: AtomicU64,
        pub checkpoint_pages: AtomicU64,
    }
}

pub struct Buffer {
    frames: Frames,
    /// By `spread`: pages that were allocated one after the other are often different sessions'.
    states: Part<AtomicU64>,
    parking: Placed<ParkingLot>,
    page_bits: u32,
    /// Knows how many frames there may be.
    broker: Broker,
    resident: Placed<AtomicUsize>,
    /// Indexes of resident pages, in no order, as many as the clock says.
    entries: Part<AtomicU64>,
    clock: Placed<Mutex<Clock>>,
    files: Arc<DataFiles>,
    /// Held while a batch is written: batches do not overlap.
    writing: Placed<Mutex<DoubleWritten>>,
    /// Rung when pages have to be written before there is room: the lazy writer goes on ahead.
    pub lazy_writer: Placed<Event>,
    double_write: File,
    /// Of the batch that is being written. Kept: memory that is touched anew for each batch costs as much as writing it.
    copies: Mutex<Vec<PageBytes>>,
    /// Set once, before pages change: the pool needs the log to keep S1.
    log: OnceLock<Arc<Log>>,
    counters: Placed<BufferCounters>,
    pub suspects: Suspects,
}

shared_struct! {
    struct Clock {
        entries: usize,
        hand: usize,
    }
}

shared_struct! {
    /// Indexes of the pages in the double-write file, in order.
    struct DoubleWritten {
        count: usize,
        indexes: [u64; BATCH_PAGES],
    }
}

/// The address range. Zero until touched.
struct Frames {
    pages: Part<u8>,
}

impl Frames {
    fn page(&self, index: usize) -> *mut PageBytes {
        assert!((index + 1) * PAGE_BYTES <= self.pages.len(), "page {index} out of the range");
        // SAFETY: within the range by the assertion. Only latches say who may read or write through it.
        unsafe { self.pages.as_ptr().as_ptr().add(index * PAGE_BYTES).cast() }
    }

    /// The frames of `count` pages, which lie side by side. The caller holds their exclusive latches, and has no other reference to them.
    #[allow(clippy::mut_from_ref)]
    fn latched(&self, index: usize, count: usize) -> &mut [u8] {
        assert!(
            count > 0 && (index + count) * PAGE_BYTES <= self.pages.len(),
            "pages from {index} on out of the range"
        );
        // SAFETY: within the range, and the latches make the caller their only user.
        unsafe { std::slice::from_raw_parts_mut(self.page(index).cast::<u8>(), count * PAGE_BYTES) }
    }

    /// Has memory for `count` pages that lie side by side, all at once: a third less than by touching them one by one. The caller holds their
    /// exclusive latches.
    fn back(&self, index: usize, count: usize) {
        debug_assert!(count > 0 && (index + count) * PAGE_BYTES <= self.pages.len());
        let frame = NonNull::new(self.page(index).cast::<u8>()).expect("mapped above zero");
        self.pages.region().back(frame, count * PAGE_BYTES);
    }

    /// Gives the memory of `count` pages that lie side by side back. The caller holds their exclusive latches.
    fn discard(&self, index: usize, count: usize) {
        debug_assert!(count > 0 && (index + count) * PAGE_BYTES <= self.pages.len());
        let frame = NonNull::new(self.page(index).cast::<u8>()).expect("mapped above zero");
        // SAFETY: whole pages of the region, and the latches keep everyone else out.
        unsafe { self.pages.region().punch_out(frame, count * PAGE_BYTES) };
    }
}

/// Whether a page that was read is what its place should have. One newer than the log is not: the log has lost its end, or the page is not
/// of this instance. Nor is one that waits until it is restored.
fn is_whole(frame: &PageBytes, file: &DataFile, page: u32, log_tail: u64) -> bool {
    page::is_intact(frame, file.number, page)
        && page::check(frame).is_ok()
        && page::lsn(frame) <= log_tail
        && page::kind(frame) != Some(PageKind::Awaiting)
}

/// A page nobody changes while this lives.
pub struct Shared<'a> {
    buffer: &'a Buffer,
    index: usize,
}

/// A page only this guard's owner reads or changes.
pub struct Exclusive<'a> {
    buffer: &'a Buffer,
    index: usize,
}

impl Deref for Shared<'_> {
    type Target = PageBytes;
    #[inline]
    fn deref(&self) -> &PageBytes {
        // SAFETY: the shared latch keeps the frame resident and unchanged.
        unsafe { &*self.buffer.frames.page(self.index) }
    }
}

impl Deref for Exclusive<'_> {
    type Target = PageBytes;
    #[inline]
    fn deref(&self) -> &PageBytes {
        // SAFETY: the exclusive latch keeps the frame resident and everyone else out.
        unsafe { &*self.buffer.frames.page(self.index) }
    }
}

impl DerefMut for Exclusive<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut PageBytes {
        debug_assert_eq!(
            self.buffer.state(self.index).load(Ordering::Relaxed) & LATCH,
            EXCLUSIVE,
            "who changes a page has its latch"
        );
        // SAFETY: as for `deref`, and `self` is borrowed mutably.
        unsafe { &mut *self.buffer.frames.page(self.index) }
    }
}

impl Drop for Shared<'_> {
    #[inline]
    fn drop(&mut self) {
        let state = self.buffer.state(self.index);
        let before = state.fetch_sub(1, Ordering::SeqCst);
        debug_assert!((2..=READERS_MAX).contains(&(before & LATCH)), "a reader held the latch");
        // The last reader lets writers in, one of too many lets one more reader in.
        if before & WAITERS != 0 && matches!(before & LATCH, 2 | READERS_MAX) {
            self.buffer.parking.wake(self.index as u64, state, WAITERS);
        }
        engines::leave(state);
    }
}

impl Drop for Exclusive<'_> {
    #[inline]
    fn drop(&mut self) {
        debug_assert!(
            page::kind(self) == Some(PageKind::Free) || page::page_no(self) == self.number(),
            "page {} in the frame of {}",
            page::page_no(self),
            self.number()
        );
        os::panics::assert_whole("a page");
        self.buffer.release(self.index, FREE, 0);
        engines::leave(self.buffer.state(self.index));
    }
}

impl Shared<'_> {
    pub fn number(&self) -> u32 {
        self.buffer.page_of(self.index)
    }
}

impl Exclusive<'_> {
    #[inline]
    pub fn number(&self) -> u32 {
        self.buffer.page_of(self.index)
    }

    /// Before the change is logged: a checkpoint that begins after the log record must see the page as dirty.
    #[inline]
    pub fn mark_dirty(&mut self) {
        let state = self.buffer.state(self.index);
        let word = state.load(Ordering::Relaxed);
        assert_eq!(word & LATCH, EXCLUSIVE, "who changes a page has its latch");
        debug_assert!(word & READING == 0, "a page is read before it is changed");
        if word & DIRTY == 0 {
            state.fetch_or(DIRTY, Ordering::Relaxed);
        }
    }

    /// After all of the page was logged, under the latch that was held then.
    pub fn mark_whole(&mut self) {
        self.buffer.state(self.index).fetch_or(WHOLE, Ordering::Relaxed);
    }
}

impl Buffer {
    /// The address range is `files_max << page_bits` pages.
    pub fn new(
        memory: &Memory,
        disk: &Disk,
        files: Arc<DataFiles>,
        files_max: usize,
        page_bits: u32,
    ) -> StorageResult<Buffer> {
        let pages = files_max << page_bits;
        assert!(page_bits < u32::BITS && pages >> page_bits == files_max, "{files_max} files of 2^{page_bits} pages");
        let double_write = disk.open(DOUBLE_WRITE_FILE, Open::ExistingOrNew)?;
        // Whole from the start: pages that have their place in a data file must be writable on a full disk.
        let double_write_bytes = ((BATCH_PAGES + 1) * PAGE_BYTES) as u64;
        if double_write.len()? < double_write_bytes {
            double_write.allocate(double_write_bytes)?;
            double_write.sync_data()?;
        }
        let clock = Mutex::new(WaitType::SOS_MUTEX, Clock { entries: 0, hand: 0 });
        let written = DoubleWritten { count: 0, indexes: [0; BATCH_PAGES] };
        Ok(Buffer {
            frames: Frames { pages: memory.carve("page frames", pages * PAGE_BYTES)? },
            states: memory.carve("page states", spread_count(pages))?,
            parking: memory.place("page latches", ParkingLot::default())?,
            page_bits,
            broker: memory.broker().clone(),
            resident: memory.place("resident pages", AtomicUsize::new(0))?,
            entries: memory.carve("clock of pages", pages)?,
            suspects: Suspects::default(),
            clock: memory.place("clock hand", clock)?,
            files,
            writing: memory.place("page writer", Mutex::new(WaitType::SOS_MUTEX, written))?,
            lazy_writer: memory.place("lazy writer", Event::auto_reset(WaitType::LAZYWRITER_SLEEP))?,
            double_write,
            copies: Mutex::new(WaitType::SOS_MUTEX, Vec::new()),
            log: OnceLock::new(),
            counters: memory.place("buffer counters", BufferCounters::default())?,
        })
    }

    /// Bytes of the region for frames, states and clock.
    pub fn region_bytes(files_max: usize, page_bits: u32) -> usize {
        let pages = files_max << page_bits;
        pages * (PAGE_BYTES + size_of::<AtomicU64>()) + spread_count(pages) * size_of::<AtomicU64>() + PAGE_BYTES
    }

    pub fn counters(&self) -> &BufferCounters {
        &self.counters
    }

    pub fn attach_log(&self, log: Arc<Log>) {
        assert!(self.log.set(log).is_ok(), "one log");
    }

    /// Pages that may be in memory now.
    pub fn frames_max(&self) -> usize {
        (self.broker.buffer_bytes() / PAGE_BYTES as u64) as usize
    }

    pub fn resident_pages(&self) -> usize {
        self.resident.load(Ordering::Relaxed)
    }

    /// Nobody uses the file any more: throws its pages away.
    pub fn forget_file(&self, file: &DataFile) {
        let writing = self.writing.lock();
        let mut clock = self.clock.lock();
        let range = (file.slot << self.page_bits)..((file.slot + 1) << self.page_bits);
        let mut at = 0;
        while at < clock.entries {
            let index = self.entry(at);
            if !range.contains(&index) {
                at += 1;
                continue;
            }
            let state = self.state(index);
            debug_assert!(state.load(Ordering::Relaxed) & WRITING == 0, "batches are written under the lock held here");
            loop {
                let word = state.load(Ordering::Acquire);
                if word & LATCH == FREE && self.to_exclusive(state, word) {
                    break;
                }
                wait::yield_now();
            }
            self.frames.discard(index, 1);
            self.release(index, ABSENT, DIRTY | WRITING | WHOLE | REFERENCED);
            let before = self.resident.fetch_sub(1, Ordering::Relaxed);
            assert!(before > 0, "a page in the clock is counted");
            self.remove_entry(&mut clock, at);
        }
        drop(clock);
        drop(writing);
    }

    fn entry(&self, at: usize) -> usize {
        self.entries[at].load(Ordering::Relaxed) as usize
    }

    /// The last entry takes the place of the one that goes.
    fn remove_entry(&self, clock: &mut Clock, at: usize) {
        assert!(at < clock.entries, "entry {at} of {}", clock.entries);
        clock.entries -= 1;
        self.entries[at].store(self.entries[clock.entries].load(Ordering::Relaxed), Ordering::Relaxed);
    }

    fn index(&self, file: &DataFile, page: u32) -> StorageResult<usize> {
        if page >> self.page_bits != 0 {
            return Err(StorageError::DiskFull);
        }
        debug_assert!((file.slot << self.page_bits) < self.entries.len(), "slot {} has pages", file.slot);
        Ok(file.slot << self.page_bits | page as usize)
    }

    #[inline]
    fn state(&self, index: usize) -> &AtomicU64 {
        &self.states[spread(index)]
    }

    #[inline]
    fn page_of(&self, index: usize) -> u32 {
        (index & ((1 << self.page_bits) - 1)) as u32
    }

    fn to_exclusive(&self, state: &AtomicU64, word: u64) -> bool {
        debug_assert!(matches!(word & LATCH, ABSENT | FREE), "a latch that somebody holds is waited for");
        state.compare_exchange(word, word & !LATCH | EXCLUSIVE, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    fn to_reading(&self, index: usize, word: u64) -> bool {
        debug_assert_eq!(
            word & (LATCH | DIRTY | WRITING | WHOLE),
            ABSENT,
            "a page that is not there has nothing to be written"
        );
        let next = word & !LATCH | EXCLUSIVE | READING;
        self.state(index).compare_exchange(word, next, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Ends an exclusive latch. Others change bits of the word meanwhile (WAITERS, WRITING), so it is one atomic addition;
    /// `clear`: bits to take away, which nobody else changes.
    #[inline]
    fn release(&self, index: usize, to: u64, clear: u64) {
        debug_assert!(matches!(to, ABSENT | FREE) && clear & !FLAGS == 0);
        let state = self.state(index);
        if clear != 0 {
            state.fetch_and(!clear, Ordering::Relaxed);
        }
        let before = state.fetch_add(VERSION_ONE.wrapping_sub(EXCLUSIVE - to), Ordering::SeqCst);
        debug_assert_eq!(before & LATCH, EXCLUSIVE, "the latch was held");
        debug_assert!(to != ABSENT || before & (DIRTY | WRITING | WHOLE) == 0, "a page that goes has been written");
        if before & WAITERS != 0 {
            self.parking.wake(index as u64, state, WAITERS);
        }
    }

    /// Another look at a latch that somebody else holds: soon at first, then when it is released.
    #[cold]
    fn pause(&self, index: usize, tries: &mut u32, exclusive: bool) {
        *tries += 1;
        if *tries < SPINS && !os::sim::active() {
            return std::hint::spin_loop();
        }
        self.counters.latch_waits.fetch_add(1, Ordering::Relaxed);
        let state = self.state(index);
        let wait = match (state.load(Ordering::Relaxed) & READING != 0, exclusive) {
            (true, true) => WaitType::PAGEIOLATCH_EX,
            (true, false) => WaitType::PAGEIOLATCH_SH,
            (false, true) => WaitType::PAGELATCH_EX,
            (false, false) => WaitType::PAGELATCH_SH,
        };
        let keeps_out = |word: u64| match word & LATCH {
            ABSENT | FREE => false,
            EXCLUSIVE | READERS_MAX => true,
            _ => exclusive,
        };
        // It holds nothing while it waits.
        engines::leave(state);
        self.parking.wait(index as u64, state, WAITERS, keeps_out, wait);
        engines::enter(state);
    }

    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn shared(&self, file: &DataFile, page: u32) -> StorageResult<Shared<'_>> {
        os::plant!();
        os::stats::count_page_read();
        let index = self.index(file, page)?;
        engines::enter(self.state(index));
        match self.latch_shared(file, page, index) {
            Ok(()) => Ok(Shared { buffer: self, index }),
            Err(error) => Err(self.not_latched(index, error)),
        }
    }

    #[inline]
    fn latch_shared(&self, file: &DataFile, page: u32, index: usize) -> StorageResult<()> {
        let state = self.state(index);
        let mut tries = 0;
        loop {
            let word = state.load(Ordering::Acquire);
            match word & LATCH {
                ABSENT => self.fault(file, page, index, word, WaitType::PAGEIOLATCH_SH)?,
                EXCLUSIVE | READERS_MAX => self.pause(index, &mut tries, false),
                _ => {
                    let next = (word + 1) | REFERENCED;
                    debug_assert!((2..=READERS_MAX).contains(&(next & LATCH)), "one reader more");
                    if state.compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                        return Ok(());
                    }
                }
            }
        }
    }

    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn exclusive(&self, file: &DataFile, page: u32) -> StorageResult<Exclusive<'_>> {
        os::plant!();
        os::stats::count_page_read();
        os::stats::count_page_write();
        let index = self.index(file, page)?;
        engines::enter(self.state(index));
        match self.latch_exclusive(file, page, index) {
            Ok(()) => Ok(Exclusive { buffer: self, index }),
            Err(error) => Err(self.not_latched(index, error)),
        }
    }

    #[inline]
    fn latch_exclusive(&self, file: &DataFile, page: u32, index: usize) -> StorageResult<()> {
        let state = self.state(index);
        let mut tries = 0;
        loop {
            let word = state.load(Ordering::Acquire);
            match word & LATCH {
                ABSENT => self.fault(file, page, index, word, WaitType::PAGEIOLATCH_EX)?,
                FREE => {
                    let next = word & !LATCH | EXCLUSIVE | REFERENCED;
                    if state.compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                        return Ok(());
                    }
                }
                _ => self.pause(index, &mut tries, true),
            }
        }
    }

    #[cold]
    fn not_latched(&self, index: usize, error: StorageError) -> StorageError {
        engines::leave(self.state(index));
        error
    }

    /// A page whose old content does not matter: zeroed, not read from disk. Only for pages just allocated.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn fresh(&self, file: &DataFile, page: u32) -> StorageResult<Exclusive<'_>> {
        os::plant!();
        let index = self.index(file, page)?;
        let state = self.state(index);
        let mut tries = 0;
        engines::enter(state);
        loop {
            let word = state.load(Ordering::Acquire);
            match word & LATCH {
                ABSENT => {
                    self.make_room().map_err(|error| self.not_latched(index, error))?;
                    if self.to_exclusive(state, word) {
                        self.enlist(index);
                        break;
                    }
                }
                FREE => {
                    if self.to_exclusive(state, word) {
                        break;
                    }
                }
                _ => self.pause(index, &mut tries, true),
            }
        }
        let mut guard = Exclusive { buffer: self, index };
        debug_assert_eq!(page::kind(&guard), Some(PageKind::Free), "page {page} was not in use");
        guard.fill(0);
        Ok(guard)
    }

    fn enlist(&self, index: usize) {
        self.resident.fetch_add(1, Ordering::Relaxed);
        let mut clock = self.clock.lock();
        assert!(clock.entries < self.entries.len(), "each page is in the clock once");
        self.entries[clock.entries].store(index as u64, Ordering::Relaxed);
        clock.entries += 1;
    }

    /// Reads an absent page in. Somebody else may do it first: the caller looks again.
    fn fault(&self, file: &DataFile, page: u32, index: usize, word: u64, wait: WaitType) -> StorageResult<()> {
        self.make_room()?;
        debug_assert_eq!(index >> self.page_bits, file.slot, "a page of the file");
        if !self.to_reading(index, word) {
            return Ok(());
        }
        // SAFETY: the exclusive latch on an absent page makes this the only user of the frame.
        let frame = unsafe { &mut *self.frames.page(index) };
        let begun = os::clock::now();
        let read = read_or_zero(&file.file, wait, page as u64 * PAGE_BYTES as u64, frame);
        file.count_read(1, begun);
        let log = self.log.get();
        // A write may have failed, and its page have gone as if it were on disk.
        let stopped = log.and_then(|log| log.is_stopped());
        let log_tail = log.map_or(u64::MAX, |log| log.tail());
        let intact = read.is_ok() && is_whole(frame, file, page, log_tail);
        self.counters.reads.fetch_add(1, Ordering::Relaxed);
        os::stats::count_page_fault();
        if !intact || stopped.is_some() {
            let at = PageRef { file: file.number, page };
            let is_awaiting = read.is_ok() && page::is_awaiting(frame, file.number, page);
            if !file.temporary && stopped.is_none() && !is_awaiting {
                let is_wrong = read.is_err() || page::has_own_checksum(frame);
                self.suspects.add(at, if is_wrong { SuspectKind::Wrong } else { SuspectKind::Checksum });
            }
            self.frames.discard(index, 1);
            self.release(index, ABSENT, READING);
            stopped.map_or(Ok(()), Err)?;
            read?;
            let awaits = is_awaiting.then_some(DatabaseId(file.database));
            return Err(StorageError::CorruptPage { page: at, awaits });
        }
        self.enlist(index);
        self.state(index).fetch_or(REFERENCED, Ordering::Relaxed);
        self.release(index, FREE, READING);
        Ok(())
    }

    /// Whether a page that could not be read is whole, of a time that the log does not tell of.
    pub fn is_newer_than_log(&self, file: &DataFile, page: u32) -> bool {
        let mut bytes = Box::new([0; PAGE_BYTES]);
        let offset = page as u64 * PAGE_BYTES as u64;
        let read = read_or_zero(&file.file, WaitType::PAGEIOLATCH_SH, offset, &mut bytes[..]);
        let log = self.log.get().expect("the log is attached before pages change");
        read.is_ok() && page::is_intact(&bytes, file.number, page) && page::lsn(&bytes) > log.tail()
    }

    /// Room on disk for `pages` pages, `DiskFull` otherwise.
    pub fn grow_file(&self, file: &DataFile, pages: u32) -> StorageResult<()> {
        file.grow(pages, 1 << self.page_bits)
    }
}
