//! Pages whose restore is under way (`backup::some_pages`). What lies in such a page's place says so, so that every engine that reads it
//! knows, also after a crash.

use std::sync::atomic::Ordering;

use os::engines;
use os::wait::{self, WaitType};

use super::writing::stop_if_failed;
use super::{ABSENT, Buffer, DIRTY, DoubleWritten, EXCLUSIVE, Exclusive, FREE, LATCH, READING, REFERENCED, WHOLE};
use crate::error::StorageResult;
use crate::log::Log;
use crate::pages::data_files::DataFile;
use crate::pages::files::read_or_zero;
use crate::pages::page::{self, PAGE_BYTES, PageBytes, PageKind, put_u64};

impl Buffer {
    /// From here on nobody reads or changes a page, until it is restored or given out anew. All that was logged of it comes before the LSN that
    /// is returned. The caller holds no latch.
    pub fn put_off(&self, file: &DataFile, page: u32) -> StorageResult<u64> {
        let index = self.index(file, page)?;
        let state = self.state(index);
        let log = self.log.get().expect("the log is attached before pages change");
        loop {
            // Batches and checkpoints wait: what a crash finds in the page's place is then no older than the log that is read.
            let mut writing = self.writing.lock();
            engines::enter(state);
            let word = state.load(Ordering::Acquire);
            if matches!(word & LATCH, ABSENT | FREE) && self.to_exclusive(state, word) {
                let put_off = stop_if_failed(log, self.mark_awaiting((file, page, index), log, &mut writing));
                match word & LATCH {
                    FREE if put_off.is_err() => self.release(index, FREE, 0),
                    FREE => self.drop_latched(index),
                    _ => self.release(index, ABSENT, 0),
                }
                engines::leave(state);
                return put_off;
            }
            engines::leave(state);
            drop(writing);
            wait::yield_now();
        }
    }

    /// What lies in its place may be sound, and needed by recovery: torn, it would be neither that nor a page that waits. So the mark is hardened
    /// elsewhere before.
    fn mark_awaiting(
        &self,
        (file, number, index): (&DataFile, u32, usize),
        log: &Log,
        written: &mut DoubleWritten,
    ) -> StorageResult<u64> {
        let offset = u64::from(number) * PAGE_BYTES as u64;
        let mut bytes: Box<PageBytes> = Box::new([0; PAGE_BYTES]);
        read_or_zero(&file.file, WaitType::PAGEIOLATCH_EX, offset, &mut bytes[..])?;
        if page::is_awaiting(&bytes, file.number, number) {
            return Ok(page::lsn(&bytes));
        }
        log.harden_all()?;
        let lsn = log.hardened();
        page::format(&mut bytes, PageKind::Awaiting, 0, file.number, number, 0);
        put_u64(&mut bytes[..], 8, lsn);
        page::seal(&mut bytes);
        self.copy_twice(&[(index, &bytes)], written)?;
        file.file.write_at(&bytes[..], offset)?;
        file.file.sync_data()?;
        Ok(lsn)
    }

    /// Gives up a page that is latched exclusively and in the clock.
    fn drop_latched(&self, index: usize) {
        let mut clock = self.clock.lock();
        let at = (0..clock.entries).find(|at| self.entry(*at) == index).expect("a page that is there is in the clock");
        self.remove_entry(&mut clock, at);
        drop(clock);
        self.resident.fetch_sub(1, Ordering::Relaxed);
        self.frames.discard(index, 1);
        self.release(index, ABSENT, DIRTY | WHOLE | REFERENCED);
    }

    /// The zeroed frame of a page that waits until it is restored. None: it waits no more.
    pub fn awaiting(&self, file: &DataFile, number: u32) -> StorageResult<Option<Exclusive<'_>>> {
        let index = self.index(file, number)?;
        let state = self.state(index);
        let mut tries = 0;
        self.make_room()?;
        engines::enter(state);
        loop {
            let word = state.load(Ordering::Acquire);
            match word & LATCH {
                ABSENT if self.to_reading(index, word) => break,
                ABSENT => {}
                // Somebody tries to read it.
                EXCLUSIVE if word & READING != 0 => self.pause(index, &mut tries, true),
                // What is in memory waits for nothing.
                _ => {
                    engines::leave(state);
                    return Ok(None);
                }
            }
        }
        let offset = u64::from(number) * PAGE_BYTES as u64;
        let frame = self.frames.latched(index, 1);
        let read = read_or_zero(&file.file, WaitType::PAGEIOLATCH_EX, offset, frame);
        let is_awaiting = read.is_ok() && page::is_awaiting((&*frame).try_into().expect("a page"), file.number, number);
        if !is_awaiting {
            self.frames.discard(index, 1);
            self.release(index, ABSENT, READING);
            engines::leave(state);
            read?;
            return Ok(None);
        }
        frame.fill(0);
        state.fetch_and(!READING, Ordering::Relaxed);
        self.enlist(index);
        Ok(Some(Exclusive { buffer: self, index }))
    }
}
