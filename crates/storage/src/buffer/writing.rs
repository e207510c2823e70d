//! Frames that are wanted for other pages: eviction, and the writing of pages, by batch, that it and checkpoints need.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use os::disk::{Disk, File, Open};
use os::engines;
use os::wait::{self, WaitType};
use types::pause::Pause;

use super::{
    ABSENT, BATCH_PAGES, Buffer, DIRTY, DOUBLE_WRITE_FILE, DoubleWritten, EXCLUSIVE, FREE, LATCH, READERS_MAX,
    REFERENCED, Shared, WHOLE, WRITING,
};
use crate::error::{StorageError, StorageResult, heard};
use crate::log::Log;
use crate::pages::data_files::DataFile;
use crate::pages::files::read_or_zero;
use crate::pages::page::{self, PAGE_BYTES, PageBytes, put_u32, u32_at};

const EVICT_PAGES: usize = 64;
const _: () =
    assert!(EVICT_PAGES <= HAND_STEPS && BATCH_PAGES <= HAND_STEPS, "the hand passes as many pages as are wanted");
/// Pages that the clock hand passes at a time: the clock is locked meanwhile.
const HAND_STEPS: usize = 4096;

/// Pages before the clock hand that the lazy writer looks at.
const AHEAD_STEPS: usize = 2 * HAND_STEPS;
/// Fewer are not worth a write, unless the pool is very small.
const AHEAD_PAGES_MIN: usize = BATCH_PAGES / 4;

/// A page that is being written. Its bytes lie beside those of its neighbours in the batch, so that they are one write as they are.
struct Outgoing {
    index: usize,
    file: Arc<DataFile>,
    /// It follows from the log, whatever becomes of what lies in its place.
    is_whole: bool,
}

/// What `copy_out` finds.
enum Copied {
    Page {
        is_whole: bool,
    },
    /// Dirty, and its latch is held.
    Busy,
    /// There is nothing to write (any more).
    Clean,
}

impl Buffer {
    pub(super) fn make_room(&self) -> StorageResult<()> {
        self.make_room_for(1)
    }

    pub(super) fn make_room_for(&self, pages: usize) -> StorageResult<()> {
        self.go_down_to(pages, usize::MAX)
    }

    /// Others have taken memory: frames beyond what is left for them go, at most as many as `rounds` of the hand find. What cannot be
    /// written has stopped the log.
    pub fn give_way(&self, rounds: usize) {
        if self.log.get().is_some() {
            self.go_down_to(0, rounds).ok();
        }
    }

    /// Until there is room for so many pages more.
    fn go_down_to(&self, room: usize, rounds: usize) -> StorageResult<()> {
        let (mut fruitless, mut done) = (0, 0);
        while done < rounds && self.resident.load(Ordering::Relaxed) + room > self.frames_max() {
            done += 1;
            let mut dirty = Vec::new();
            if self.evict(&mut dirty) > 0 {
                continue;
            }
            fruitless += 1;
            if fruitless * HAND_STEPS > 2 * self.resident.load(Ordering::Relaxed) + 100 * HAND_STEPS {
                // Every page is in use: going over the limit beats failing.
                return Ok(());
            }
            if dirty.is_empty() {
                wait::yield_now();
            } else {
                in_order(&mut dirty);
                self.write_batch(&dirty, self.log.get().expect("the log is attached before pages change"), None)?;
            }
        }
        Ok(())
    }

    /// Writes what the clock's hand comes to next, so that who wants room finds clean pages there and does not wait for the log and the
    /// device. A write that fails has stopped the log.
    pub fn write_ahead(&self, log: &Log) {
        while self.resident.load(Ordering::Relaxed) + BATCH_PAGES > self.frames_max() {
            let mut dirty = self.dirty_ahead();
            if dirty.len() < AHEAD_PAGES_MIN.min(1 + self.resident.load(Ordering::Relaxed) / 8) {
                return;
            }
            in_order(&mut dirty);
            if self.write_batch(&dirty, log, None).is_err() {
                return;
            }
        }
    }

    /// Pages that could go if they were written, as many as a batch takes.
    fn dirty_ahead(&self) -> Vec<usize> {
        let clock = self.clock.lock();
        let ahead = (0..clock.entries.min(AHEAD_STEPS)).map(|step| self.entry((clock.hand + step) % clock.entries));
        let would_go = |index: &usize| {
            let word = self.state(*index).load(Ordering::Acquire);
            word & (DIRTY | WRITING | REFERENCED) == DIRTY && word & LATCH == FREE
        };
        ahead.filter(would_go).take(BATCH_PAGES).collect()
    }

    /// As if memory were short for a moment. A write that fails has stopped the log.
    pub fn evict_some(&self, log: &Log) {
        let mut dirty = Vec::new();
        if self.evict(&mut dirty) == 0 {
            in_order(&mut dirty);
            self.write_batch(&dirty, log, None).ok();
        }
    }

    /// Moves the clock hand on and drops clean pages not used since it last passed. How many; when none, `dirty` holds pages
    /// that could go if they were written, and the hand stands before them.
    fn evict(&self, dirty: &mut Vec<usize>) -> usize {
        let mut clock = self.clock.lock();
        debug_assert!(
            clock.entries <= self.resident.load(Ordering::Relaxed),
            "a page is counted before it is in the clock"
        );
        let mut steps = HAND_STEPS.min(2 * clock.entries);
        let mut gone = Vec::new();
        let mut first_dirty = 0;
        while steps > 0 && gone.len() < EVICT_PAGES && dirty.len() < BATCH_PAGES && clock.entries > 0 {
            steps -= 1;
            if clock.hand >= clock.entries {
                clock.hand = 0;
            }
            let hand = clock.hand;
            let index = self.entry(hand);
            let state = self.state(index);
            let word = state.load(Ordering::Acquire);
            if word & LATCH == FREE && word & WRITING == 0 {
                if word & REFERENCED != 0 {
                    state.compare_exchange(word, word & !REFERENCED, Ordering::Relaxed, Ordering::Relaxed).ok();
                } else if word & DIRTY != 0 {
                    if dirty.is_empty() {
                        first_dirty = hand;
                    }
                    dirty.push(index);
                } else if self.to_exclusive(state, word) {
                    gone.push(index);
                    // The newest takes its place. The hand goes on, and comes to it last.
                    self.remove_entry(&mut clock, hand);
                }
            }
            clock.hand += 1;
        }
        if gone.is_empty() && !dirty.is_empty() {
            clock.hand = first_dirty;
            self.lazy_writer.set();
        }
        debug_assert!(gone.len() <= EVICT_PAGES && dirty.len() <= BATCH_PAGES);
        self.drop_pages(&mut gone);
        gone.len()
    }

    /// Gives up pages that are latched exclusively and in the clock no more: neighbours together, since each call is dear.
    fn drop_pages(&self, gone: &mut [usize]) {
        gone.sort_unstable();
        for run in gone.chunk_by(|a, b| a + 1 == *b) {
            self.frames.discard(run[0], run.len());
            run.iter().for_each(|index| self.release(*index, ABSENT, REFERENCED));
        }
        self.resident.fetch_sub(gone.len(), Ordering::Relaxed);
        self.counters.evictions.fetch_add(gone.len() as u64, Ordering::Relaxed);
    }

    /// Writes every page that is dirty now. Returns how many, after all of them are on disk for sure.
    pub fn write_all(&self, log: &Log, pause: &dyn Pause) -> StorageResult<u64> {
        let all = {
            let clock = self.clock.lock();
            (0..clock.entries).map(|at| self.entry(at)).collect()
        };
        let written = self.write_dirty(all, log, pause)?;
        self.counters.checkpoint_pages.fetch_add(written, Ordering::Relaxed);
        Ok(written)
    }

    /// The same of some pages of a file.
    pub fn write_pages(
        &self,
        file: &DataFile,
        pages: &BTreeSet<u32>,
        log: &Log,
        pause: &dyn Pause,
    ) -> StorageResult<()> {
        let indexes: StorageResult<_> = pages.iter().map(|page| self.index(file, *page)).collect();
        self.write_dirty(indexes?, log, pause).map(drop)
    }

    fn write_dirty(&self, mut dirty: Vec<usize>, log: &Log, pause: &dyn Pause) -> StorageResult<u64> {
        dirty.retain(|index| self.state(*index).load(Ordering::Acquire) & (DIRTY | WRITING) != 0);
        dirty.sort_unstable();
        debug_assert!(dirty.is_sorted_by(|a, b| a < b), "a page is in the clock once");
        let mut written = 0;
        for batch in dirty.chunks(BATCH_PAGES) {
            let mut batch = batch.to_vec();
            while !batch.is_empty() {
                let mut busy = Vec::new();
                written += self.write_batch(&batch, log, Some(&mut busy))?;
                // Not under the writers' lock: who holds such a latch may be waiting for that lock, to make room for another page.
                busy.iter().for_each(|index| self.await_latch(*index));
                batch = busy;
            }
            wait::yield_now();
            heard(pause.pause())?;
        }
        let writing = self.writing.lock();
        stop_if_failed(log, log.is_stopped().map_or_else(|| self.files.sync(), Err))?;
        drop(writing);
        Ok(written)
    }

    /// S1: the log of every page is hardened before the page is written anywhere. `busy`: of a checkpoint, which leaves tempdb out and
    /// wants to know which dirty pages had to be left, since somebody held their latches.
    fn write_batch(&self, indexes: &[usize], log: &Log, mut busy: Option<&mut Vec<usize>>) -> StorageResult<u64> {
        let mut written = self.writing.lock();
        assert!(indexes.len() <= BATCH_PAGES, "a batch of {} pages", indexes.len());
        assert!(indexes.is_sorted_by(|a, b| a < b), "a page is in a batch once");
        // Before any page counts as clean: an engine may fail to open a file.
        let files: StorageResult<Vec<_>> =
            indexes.iter().map(|index| self.files.in_slot(index >> self.page_bits)).collect();
        let mut pages: Vec<Outgoing> = Vec::with_capacity(indexes.len());
        let mut copies = std::mem::take(&mut *self.copies.lock());
        copies.clear();
        let mut lsn_max = 0;
        for (index, file) in indexes.iter().zip(files?) {
            let Some(file) = file else { continue };
            if busy.is_some() && file.temporary {
                continue;
            }
            match self.copy_out(*index, &mut copies) {
                Copied::Page { is_whole } => {
                    if let Some(copy) = copies.last().filter(|_| !file.temporary) {
                        lsn_max = lsn_max.max(page::lsn(copy));
                    }
                    pages.push(Outgoing { index: *index, file, is_whole });
                }
                Copied::Busy => busy.iter_mut().for_each(|busy| busy.push(*index)),
                Copied::Clean => {}
            }
        }
        let result = stop_if_failed(log, self.write_copies(&pages, &mut copies, lsn_max, log, &mut written));
        for page in &pages {
            let state = self.state(page.index);
            debug_assert!(state.load(Ordering::Relaxed) & WRITING != 0, "what is being written stays marked");
            state.fetch_and(!WRITING, Ordering::Release);
        }
        *self.copies.lock() = copies;
        result?;
        Ok(pages.len() as u64)
    }

    /// Adds a copy of a dirty page, which is marked as being written.
    fn copy_out(&self, index: usize, copies: &mut Vec<PageBytes>) -> Copied {
        let state = self.state(index);
        engines::enter(state);
        let nothing = loop {
            let word = state.load(Ordering::Acquire);
            let dirty = word & DIRTY != 0;
            assert!(!dirty || word & WRITING == 0, "batches do not overlap");
            match word & LATCH {
                _ if !dirty => break Copied::Clean,
                ABSENT => break Copied::Clean,
                EXCLUSIVE | READERS_MAX => break Copied::Busy,
                _ => {
                    let next = ((word + 1) & !(DIRTY | WHOLE)) | WRITING;
                    if state.compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                        let guard = Shared { buffer: self, index };
                        debug_assert_eq!(page::check(&guard), Ok(()), "page {}", guard.number());
                        copies.push(*guard);
                        return Copied::Page { is_whole: word & WHOLE != 0 };
                    }
                }
            }
        };
        engines::leave(state);
        nothing
    }

    /// Returns when somebody has released the latch of a page, or nobody held it.
    fn await_latch(&self, index: usize) {
        let state = self.state(index);
        let mut tries = 0;
        engines::enter(state);
        while matches!(state.load(Ordering::Acquire) & LATCH, EXCLUSIVE | READERS_MAX) {
            self.pause(index, &mut tries, false);
        }
        engines::leave(state);
    }

    fn write_copies(
        &self,
        pages: &[Outgoing],
        copies: &mut [PageBytes],
        lsn_max: u64,
        log: &Log,
        written: &mut DoubleWritten,
    ) -> StorageResult<()> {
        if pages.is_empty() {
            return Ok(());
        }
        os::sim_point!("buffer.batch");
        log.harden(lsn_max)?;
        // Another batch failed while this one waited: what it should have flushed is nowhere for sure, so neither may its
        // copies be overwritten nor a checkpoint count on it.
        if let Some(stopped) = log.is_stopped() {
            return Err(stopped);
        }
        let mask = (1 << self.page_bits) - 1;
        assert_eq!(pages.len(), copies.len(), "each page of a batch has its copy");
        for (page, copy) in pages.iter().zip(&mut *copies) {
            let place = (page.file.number, (page.index & mask) as u32);
            assert_eq!((page::file_no(copy), page::page_no(copy)), place, "a page goes where it belongs");
            assert!(
                page.file.temporary || page::lsn(copy) <= log.hardened(),
                "S1: the log of page {}:{} first",
                place.0,
                place.1
            );
            page::seal(copy);
        }
        self.double_write(pages, copies, written)?;
        let mut rest = &*copies;
        // Pages that lie side by side in a file are one write.
        for run in pages.chunk_by(|one, next| next.index == one.index + 1 && next.file.number == one.file.number) {
            let offset = (run[0].index & mask) as u64 * PAGE_BYTES as u64;
            let file = &run[0].file;
            let (now, later) = rest.split_at(run.len());
            let begun = os::clock::now();
            file.file.write_at(now.as_flattened(), offset)?;
            file.count_write(run.len() as u64, begun);
            rest = later;
            if !file.temporary {
                file.mark_unsynced();
            }
        }
        self.counters.writes.fetch_add(pages.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Hardens copies of pages that may be torn where they belong. One that lies there already, of an earlier batch, must not stay behind
    /// what is written in place: a start would take it for the newest where that is damaged.
    fn double_write(&self, pages: &[Outgoing], copies: &[PageBytes], written: &mut DoubleWritten) -> StorageResult<()> {
        let lies_there = |index: usize| written.indexes[..written.count].binary_search(&(index as u64)).is_ok();
        let copied = |page: &Outgoing| !page.file.temporary && (!page.is_whole || lies_there(page.index));
        let pages: Vec<_> =
            pages.iter().zip(copies).filter(|(page, _)| copied(page)).map(|(page, copy)| (page.index, copy)).collect();
        assert!(pages.len() <= BATCH_PAGES, "the double-write file has room for a batch");
        match pages.is_empty() {
            true => Ok(()),
            false => self.copy_twice(&pages, written),
        }
    }

    /// Hardens copies of pages, each with its index, in place of those of the batch before, whose pages are on disk before that.
    pub(super) fn copy_twice(&self, pages: &[(usize, &PageBytes)], written: &mut DoubleWritten) -> StorageResult<()> {
        self.files.sync()?;
        let mut area = vec![0; PAGE_BYTES * (pages.len() + 1)];
        put_u32(&mut area, 0, pages.len() as u32);
        written.count = pages.len();
        for (position, (index, copy)) in pages.iter().enumerate() {
            written.indexes[position] = *index as u64;
            area[PAGE_BYTES * (position + 1)..PAGE_BYTES * (position + 2)].copy_from_slice(&copy[..]);
        }
        self.double_write.write_at(&area, 0)?;
        Ok(self.double_write.sync_data()?)
    }
}

/// The pages of a batch as they lie in their files, each once: in a small pool the hand that found them comes round twice, and who
/// changes a page between two copies of it would be told that batches overlap.
fn in_order(dirty: &mut Vec<usize>) {
    dirty.sort_unstable();
    dirty.dedup();
}

/// After a failed write or flush the state of the files is unknown: nothing more may be acknowledged or written. Called
/// under the writer's lock, so that the next batch knows.
pub(super) fn stop_if_failed<T>(log: &Log, result: StorageResult<T>) -> StorageResult<T> {
    if let Err(error) = &result
        && !matches!(error, StorageError::Stopped(_))
    {
        log.stop(error.clone());
    }
    result
}

/// At start, before any page is read: the pages of the last batch, which may be torn, or read well from the system's cache
/// and yet not be on disk, are written again, each whole and the newer of the page and its copy. The copies first: the
/// flush that failed may have been theirs. Then the copies go: pages may soon be newer than they. Returns how many pages were not whole or
/// older than their copies.
pub fn rewrite_last_batch(disk: &Disk, open: &dyn Fn(u32) -> StorageResult<Option<File>>) -> StorageResult<u32> {
    if !disk.exists(DOUBLE_WRITE_FILE) {
        return Ok(0);
    }
    let area = disk.open(DOUBLE_WRITE_FILE, Open::Existing)?;
    let mut bytes = vec![0; (BATCH_PAGES + 1) * PAGE_BYTES];
    read_or_zero(&area, WaitType::IO_COMPLETION, 0, &mut bytes)?;
    let count = (u32_at(&bytes, 0) as usize).min(BATCH_PAGES);
    if count == 0 {
        return Ok(0);
    }
    bytes.truncate((count + 1) * PAGE_BYTES);
    area.write_at(&bytes, 0)?;
    area.sync_data()?;
    let mut restored = 0;
    let mut files: BTreeMap<u32, Option<File>> = BTreeMap::new();
    let mut now = Box::new([0; PAGE_BYTES]);
    for copy in bytes[PAGE_BYTES..].as_chunks::<PAGE_BYTES>().0 {
        let (file_no, page_no) = (page::file_no(copy), page::page_no(copy));
        if u32_at(copy, 0) != page::checksum(copy) {
            continue;
        }
        let file = match files.entry(file_no) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(open(file_no)?),
        };
        let Some(file) = file else { continue };
        let offset = page_no as u64 * PAGE_BYTES as u64;
        read_or_zero(file, WaitType::IO_COMPLETION, offset, &mut now[..])?;
        if !page::is_intact(&now, file_no, page_no) || page::lsn(&now) < page::lsn(copy) {
            now.copy_from_slice(copy);
            restored += 1;
        }
        assert!(page::is_intact(&now, file_no, page_no), "what is written at a start is whole");
        file.write_at(&now[..], offset)?;
    }
    for file in files.values().flatten() {
        file.sync_data()?;
    }
    area.write_at(&[0; PAGE_BYTES], 0)?;
    area.sync_data()?;
    Ok(restored)
}
