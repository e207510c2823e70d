//! A piece of the file, from where the row at hand begins.

use std::ops::Range;

use os::disk::File;
use sql::plan::{BulkEnd, BulkKind, BulkLayout};
use types::SqlResult;

use super::{Asked, cannot_open};
use crate::context::out_of_memory;

/// Read at once.
const PIECE: usize = 64 << 10;

/// One value, and one row without it.
pub const VALUE_BYTES_MAX: usize = 64 << 20;
const ROW_BYTES_MAX: usize = VALUE_BYTES_MAX + (1 << 20);

/// A value of a whole file.
const WHOLE_BYTES_MAX: usize = i32::MAX as usize;

pub struct Window {
    file: File,
    /// Of the next piece, in the file.
    offset: u64,
    bytes: Vec<u8>,
    /// Where the row begins, and what is read next.
    row: usize,
    at: usize,
    ended: bool,
    full: bool,
}

/// What a prefix says. None: NULL.
pub fn length_of(prefix: &[u8]) -> Option<usize> {
    if prefix.iter().all(|byte| *byte == 0xff) {
        return None;
    }
    let mut bytes = [0; 8];
    bytes[..prefix.len()].copy_from_slice(prefix);
    Some(usize::try_from(u64::from_le_bytes(bytes)).unwrap_or(usize::MAX))
}

impl Window {
    pub fn new(file: File) -> Window {
        Window { file, offset: 0, bytes: Vec::new(), row: 0, at: 0, ended: false, full: false }
    }

    /// Reads a piece more. False: there is none, or the row has become too long.
    fn more(&mut self, asked: &mut dyn Asked) -> SqlResult<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.bytes.len() - self.row > ROW_BYTES_MAX {
            self.full = true;
            return Ok(false);
        }
        asked.pause()?;
        self.read()
    }

    fn read(&mut self) -> SqlResult<bool> {
        if self.row > PIECE && self.row * 2 > self.bytes.len() {
            self.bytes.drain(..self.row);
            self.at -= self.row;
            self.row = 0;
        }
        let start = self.bytes.len();
        self.bytes.resize(start + PIECE, 0);
        let read = self.file.read_some_at(&mut self.bytes[start..], self.offset);
        let read = read.map_err(|error| cannot_open("", error))?;
        self.bytes.truncate(start + read);
        self.offset += read as u64;
        self.ended = read == 0;
        Ok(read > 0)
    }

    /// A byte order mark is no data.
    pub fn skip_mark(&mut self, layout: &BulkLayout) -> SqlResult<()> {
        let first = match layout {
            BulkLayout::Fields(fields) | BulkLayout::Quoted { fields, .. } => fields.first(),
            BulkLayout::Whole => None,
        };
        let mark: &[u8] = match first.map(|field| field.kind) {
            Some(BulkKind::Wide) => b"\xff\xfe",
            Some(BulkKind::Text(_)) => b"\xef\xbb\xbf",
            _ => return Ok(()),
        };
        self.read()?;
        if self.bytes.starts_with(mark) {
            self.at = mark.len();
        }
        Ok(())
    }

    pub fn begin_row(&mut self) {
        self.row = self.at;
        self.full = false;
    }

    /// Of the row so far.
    pub fn row_bytes(&self) -> &[u8] {
        &self.bytes[self.row..self.at]
    }

    /// Where the row begins in the file.
    pub fn row_offset(&self) -> u64 {
        self.offset - (self.bytes.len() - self.row) as u64
    }

    pub fn slice(&self, range: Range<usize>) -> &[u8] {
        &self.bytes[self.row + range.start..self.row + range.end]
    }

    /// No end was found within what a row may have.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Whether so many bytes are there.
    fn has(&mut self, asked: &mut dyn Asked, count: usize) -> SqlResult<bool> {
        while self.bytes.len() - self.at < count {
            if !self.more(asked)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub fn at_end(&mut self, asked: &mut dyn Asked) -> SqlResult<bool> {
        Ok(!self.has(asked, 1)?)
    }

    pub fn peek(&mut self, asked: &mut dyn Asked) -> SqlResult<Option<u8>> {
        Ok(if self.has(asked, 1)? { Some(self.bytes[self.at]) } else { None })
    }

    /// So many bytes, as a range of the row. None: the file has no more.
    pub fn take(&mut self, asked: &mut dyn Asked, count: usize) -> SqlResult<Option<Range<usize>>> {
        if !self.has(asked, count)? {
            return Ok(None);
        }
        let start = self.at - self.row;
        self.at += count;
        Ok(Some(start..start + count))
    }

    /// Goes over the end, if it is here.
    pub fn take_end(&mut self, asked: &mut dyn Asked, end: &BulkEnd) -> SqlResult<bool> {
        self.has(asked, longest(end))?;
        let found = length_here(&self.bytes[self.at..], end);
        self.at += found.unwrap_or(0);
        Ok(found.is_some())
    }

    /// What lies before the end, which is gone over. `lenient`: the end of the file is one, too.
    pub fn until(&mut self, asked: &mut dyn Asked, end: &BulkEnd, lenient: bool) -> SqlResult<Option<Range<usize>>> {
        self.until_either(asked, end, None, lenient)
    }

    /// The same, unless `stop` comes first: None.
    pub fn until_either(
        &mut self,
        asked: &mut dyn Asked,
        end: &BulkEnd,
        stop: Option<&BulkEnd>,
        lenient: bool,
    ) -> SqlResult<Option<Range<usize>>> {
        let start = self.at - self.row;
        // Relative to the row: reading more moves what is there.
        let mut looked = start;
        loop {
            let from = self.row + looked;
            let found = find(&self.bytes[from..], end);
            // No further than that.
            let within = |stop: &BulkEnd| {
                let most = found.as_ref().map_or(self.bytes.len(), |found| from + found.start + longest(stop) - 1);
                most.min(self.bytes.len())
            };
            let stopped = stop.and_then(|stop| find(&self.bytes[from..within(stop)], stop));
            if let Some(stopped) = stopped
                && found.as_ref().is_none_or(|found| stopped.start < found.start)
            {
                return Ok(None);
            }
            if let Some(found) = found {
                self.at = from + found.end;
                return Ok(Some(start..looked + found.start));
            }
            let longest = longest(end).max(stop.map_or(0, longest));
            looked = (self.bytes.len() - self.row).saturating_sub(longest.saturating_sub(1)).max(looked);
            looked -= (looked - start) % end.unit.max(1);
            if !self.more(asked)? {
                break;
            }
        }
        if !lenient || self.full {
            return Ok(None);
        }
        self.at = self.bytes.len();
        // The last line's end may have lost its line feed.
        let mut until = self.at - self.row;
        if end.return_at == Some(0) && self.bytes[self.row + start..].ends_with(carriage_return(end)) {
            until -= carriage_return(end).len();
        }
        Ok(Some(start..until))
    }

    /// To before an end that has just been gone over.
    pub fn step_back(&mut self, end: &BulkEnd) {
        self.at -= end.bytes.len();
    }

    /// A value in quotes, which are doubled in it. False: it has no end.
    pub fn unquote(&mut self, asked: &mut dyn Asked, quote: u8, out: &mut Vec<u8>) -> SqlResult<bool> {
        self.at += 1;
        loop {
            let from = self.at;
            match self.bytes[from..].iter().position(|byte| *byte == quote) {
                None => {
                    out.extend_from_slice(&self.bytes[from..]);
                    self.at = self.bytes.len();
                    if !self.more(asked)? {
                        return Ok(false);
                    }
                }
                Some(found) => {
                    out.extend_from_slice(&self.bytes[from..from + found]);
                    self.at = from + found + 1;
                    if self.peek(asked)? != Some(quote) {
                        return Ok(true);
                    }
                    out.push(quote);
                    self.at += 1;
                }
            }
        }
    }

    /// All of the file. 701
    pub fn rest(&mut self, asked: &mut dyn Asked) -> SqlResult<&[u8]> {
        loop {
            asked.pause()?;
            if self.bytes.len() > WHOLE_BYTES_MAX {
                return Err(out_of_memory());
            }
            if !self.read()? {
                break;
            }
        }
        self.at = self.bytes.len();
        Ok(&self.bytes)
    }
}

fn carriage_return(end: &BulkEnd) -> &'static [u8] {
    if end.unit == 2 { b"\r\0" } else { b"\r" }
}

/// Bytes that the end may have.
fn longest(end: &BulkEnd) -> usize {
    end.bytes.len() + end.return_at.map_or(0, |_| carriage_return(end).len())
}

/// Bytes of the end, if it is what `bytes` begin with.
fn length_here(bytes: &[u8], end: &BulkEnd) -> Option<usize> {
    if let Some(at) = end.return_at {
        let (before, behind) = end.bytes.split_at(at);
        let rest = bytes.strip_prefix(before).and_then(|rest| rest.strip_prefix(carriage_return(end)));
        if rest.is_some_and(|rest| rest.starts_with(behind)) {
            return Some(longest(end));
        }
    }
    bytes.starts_with(&end.bytes).then_some(end.bytes.len())
}

/// Where the end is.
fn find(bytes: &[u8], end: &BulkEnd) -> Option<Range<usize>> {
    let first = end.bytes.first()?;
    let mut from = 0;
    while let Some(found) = bytes[from..].iter().position(|byte| byte == first) {
        let at = from + found;
        if at.is_multiple_of(end.unit.max(1))
            && let Some(length) = length_here(&bytes[at..], end)
        {
            let before = carriage_return(end);
            let is_behind = end.return_at == Some(0) && bytes[..at].ends_with(before);
            return Some(if is_behind { at - before.len()..at + length } else { at..at + length });
        }
        from = at + 1;
    }
    None
}
