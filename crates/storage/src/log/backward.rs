//! Reading a transaction's records from the newest to the oldest.

use super::{Log, check_length};
use crate::error::StorageResult;
use crate::pages::page::u32_at;

/// One read of the log's files serves the many records of a transaction that lie close together.
const WINDOW_BYTES: u64 = 256 * 1024;
/// Read behind the start of a record whose length is not known yet: most are shorter.
const SHORT_RECORD_BYTES: u64 = 1024;
const _: () = assert!(super::RECORD_BYTES_MAX as u64 <= WINDOW_BYTES, "any record fits a window");

pub struct Backward<'a> {
    log: &'a Log,
    /// The log is kept from here on.
    first: u64,
    /// LSN of the window's first byte.
    start: u64,
    window: Vec<u8>,
    recent: Vec<u8>,
}

impl<'a> Backward<'a> {
    /// For records at or after `first`, which stay while they are read.
    pub fn new(log: &'a Log, first: u64) -> Backward<'a> {
        Backward { log, first, start: 0, window: Vec::new(), recent: Vec::new() }
    }

    /// The record at `lsn`, which has been appended.
    pub fn record(&mut self, lsn: u64) -> StorageResult<&[u8]> {
        if lsn >= self.log.released() {
            self.log.read(lsn, &mut self.recent)?;
            return Ok(&self.recent);
        }
        let length = check_length(lsn, u32_at(self.part(lsn, 4)?, 0))?;
        self.part(lsn, length)
    }

    fn part(&mut self, lsn: u64, length: usize) -> StorageResult<&[u8]> {
        let mut end = lsn + length as u64;
        if lsn < self.start || end > self.start + self.window.len() as u64 {
            end = end.max(self.log.released().min(lsn + SHORT_RECORD_BYTES));
            self.start = end.saturating_sub(WINDOW_BYTES).max(self.first).min(lsn);
            self.window.resize((end - self.start) as usize, 0);
            self.log.store().read(self.start, &mut self.window)?;
        }
        let at = (lsn - self.start) as usize;
        debug_assert!(self.window.len() as u64 <= WINDOW_BYTES, "a window of {} bytes", self.window.len());
        debug_assert!(at + length <= self.window.len(), "the record lies in the window");
        Ok(&self.window[at..at + length])
    }
}
