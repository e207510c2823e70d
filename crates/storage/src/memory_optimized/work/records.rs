//! Memory-optimized tables in the log: a transaction's rows, written when it commits, and nothing before. What never commits is
//! never in the log, so there is nothing to undo.
//!
//! ```text
//! body of `Kind::Rows`, one after the other:
//!   1  object u32, length u32, image        a row inserted. Its number is the LSN of the 1.
//!   2  object u32, number u64               a row deleted
//!   3  object u32, length u32, first part of an image that goes on in the next records of the transaction
//!   4  length u32, part                     goes on with it
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use super::Work;
use crate::engine::{Author, Engine, Writer};
use crate::error::{StorageError, StorageResult};
use crate::layout::DatabaseId;
use crate::log::record::{HEAD_BYTES, Kind, Record};
use crate::pages::page::{u32_at, u64_at};
use crate::xtp::memory::At;
use crate::xtp::row::{OWNED, Row};
use crate::xtp::work_list::{Change, blocks};

const INSERT: u8 = 1;
const DELETE: u8 = 2;
const INSERT_PART: u8 = 3;
const PART: u8 = 4;

const INSERT_HEAD: usize = 9;
const PART_HEAD: usize = 5;
/// A record is written once it has this many bytes.
const BODY_BYTES: usize = 48 * 1024;
const _: () = assert!(HEAD_BYTES + BODY_BYTES <= crate::log::RECORD_BYTES_MAX, "a record of rows fits the log");
const _: () = assert!(INSERT_HEAD == 1 + 2 * size_of::<u32>() && PART_HEAD == 1 + size_of::<u32>());

/// Rows of a transaction on their way into the log.
struct Body<'a> {
    engine: &'a Engine,
    writer: &'a mut Writer,
    /// The slot of the object that the row before was of, and its number if it is durable.
    object: Option<(u16, Option<u32>)>,
    /// A record is of one database: its backup has it, others' do not.
    database: Option<DatabaseId>,
    bytes: Vec<u8>,
    /// Rows in it, and where.
    rows: Vec<(At, usize)>,
    /// Records written, and their bytes.
    records: u64,
    written: u64,
}

impl Body<'_> {
    /// The number of a row's object; None: its rows are not logged.
    #[inline]
    fn object_of(&mut self, row: Row<'_>) -> StorageResult<Option<u32>> {
        let slot = row.object();
        match self.object {
            Some((before, number)) if before == slot => Ok(number),
            _ => {
                let object = self.engine.xtp.objects.at(slot);
                let number = object.is_durable().then(|| object.number());
                self.object = Some((slot, number));
                if number.is_some() && self.database != Some(object.database()) {
                    self.flush()?;
                    self.database = Some(object.database());
                }
                Ok(number)
            }
        }
    }

    #[inline]
    fn write(&mut self, object: u32, row: Row<'_>) -> StorageResult<()> {
        let image = row.image();
        if self.bytes.len() + INSERT_HEAD + image.len() > BODY_BYTES {
            self.flush()?;
            if INSERT_HEAD + image.len() > BODY_BYTES {
                return self.write_parts(object, row, image);
            }
        }
        self.write_first(INSERT, object, row, image);
        Ok(())
    }

    /// The head of an image of so many bytes, and its beginning.
    #[inline]
    fn write_first(&mut self, kind: u8, object: u32, row: Row<'_>, first: &[u8]) {
        debug_assert!(first.len() <= row.image_bytes() && (kind == INSERT) == (first.len() == row.image_bytes()));
        self.rows.push((row.at(), self.bytes.len()));
        let mut head = [kind; INSERT_HEAD];
        head[1..5].copy_from_slice(&object.to_le_bytes());
        head[5..].copy_from_slice(&(row.image_bytes() as u32).to_le_bytes());
        self.bytes.extend_from_slice(&head);
        self.bytes.extend_from_slice(first);
    }

    #[cold]
    fn write_parts(&mut self, object: u32, row: Row<'_>, image: &[u8]) -> StorageResult<()> {
        debug_assert!(self.bytes.is_empty(), "an image in parts begins a record");
        let (first, rest) = image.split_at(BODY_BYTES - INSERT_HEAD);
        self.write_first(INSERT_PART, object, row, first);
        for part in rest.chunks(BODY_BYTES - PART_HEAD) {
            self.flush()?;
            self.bytes.push(PART);
            self.bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
            self.bytes.extend_from_slice(part);
        }
        Ok(())
    }

    fn delete(&mut self, object: u32, row: Row<'_>) -> StorageResult<()> {
        if self.bytes.len() + 13 > BODY_BYTES {
            self.flush()?;
        }
        let number = row.number().load(Ordering::Acquire);
        assert!(number != 0, "a committed row has its number");
        debug_assert!(number < self.engine.log.tail(), "row {number} is in the log");
        self.bytes.push(DELETE);
        self.bytes.extend_from_slice(&object.to_le_bytes());
        self.bytes.extend_from_slice(&number.to_le_bytes());
        Ok(())
    }

    /// Appends what there is.
    fn flush(&mut self) -> StorageResult<()> {
        let Some(database) = self.database.filter(|_| !self.bytes.is_empty()) else { return Ok(()) };
        self.engine.admit(self.writer)?;
        assert!(self.bytes.len() <= BODY_BYTES, "a record of {} bytes of rows", self.bytes.len());
        let file = self.engine.file_of(database)?;
        let end = self.engine.append(&mut Author::Change(self.writer), Kind::Rows, &file, 0, &[&self.bytes])?;
        self.engine.xtp.note_logged(self.writer.last_lsn);
        self.records += 1;
        self.written += end - self.writer.last_lsn;
        let body = self.writer.last_lsn + HEAD_BYTES as u64;
        for (at, offset) in self.rows.drain(..) {
            // Release: whoever sees the row committed sees its number.
            Row::new(&self.engine.xtp.memory, at).number().store(body + offset as u64, Ordering::Release);
            debug_assert!(at != At::NONE && offset < BODY_BYTES);
        }
        self.bytes.clear();
        Ok(())
    }
}

impl Engine {
    /// Writes what the transaction has done to the rows of durable tables.
    pub fn log_work(&self, writer: &mut Writer, work: &mut Work) -> StorageResult<()> {
        let Some(list) = &work.list else { return Ok(()) };
        let owner = OWNED | writer.id;
        assert_eq!(work.commit_time.is_some(), !list.is_empty(), "rows are logged once the commit time is given");
        let (bytes, rows) = (Vec::new(), Vec::with_capacity(list.length.min(BODY_BYTES / INSERT_HEAD)));
        let mut body = Body { engine: self, writer, object: None, database: None, bytes, rows, records: 0, written: 0 };
        for block in blocks(&self.xtp.memory, list.newest) {
            for entry in block.changes_ahead() {
                let row = Row::new(&self.xtp.memory, entry.row);
                debug_assert!(
                    entry.change != Change::Inserted || row.begin().load(Ordering::Relaxed) == owner,
                    "a transaction logs its own rows"
                );
                let Some(object) = body.object_of(row)? else { continue };
                let is_own = |moment: &AtomicU64| moment.load(Ordering::Relaxed) == owner;
                match entry.change {
                    // What came and went is not told.
                    Change::Inserted if !is_own(row.end()) => body.write(object, row)?,
                    Change::Ended if !is_own(row.begin()) => body.delete(object, row)?,
                    _ => continue,
                }
            }
        }
        body.flush()?;
        debug_assert!(body.rows.is_empty() && body.bytes.is_empty(), "all that was gathered is in the log");
        let counts = &mut work.tally.transaction;
        (counts.log_records, counts.log_bytes) = (body.records, body.written);
        counts.logged = u64::from(body.records > 0);
        Ok(())
    }
}

/// What a record says.
pub enum Said<'a> {
    Inserted { object: u32, number: u64, image: &'a [u8] },
    Deleted { object: u32, number: u64 },
}

/// Reads the records of one transaction, in their order.
#[derive(Default)]
pub struct Reader {
    /// Object, number, length and what there is of an image that is not complete.
    open: Option<(u32, u64, usize, Vec<u8>)>,
}

impl Reader {
    /// Calls `say` for everything that is complete with this record. `Damaged`: it is no such record.
    pub fn read(
        &mut self,
        record: &Record<'_>,
        say: &mut dyn FnMut(Said<'_>) -> StorageResult<()>,
    ) -> StorageResult<()> {
        let damaged = || StorageError::Damaged(format!("log record at {}", record.lsn));
        let body = record.body;
        let mut at = 0;
        while at < body.len() {
            let number = record.lsn + (HEAD_BYTES + at) as u64;
            let rest = &body[at..];
            let word = |place: usize| (rest.len() >= place + 4).then(|| u32_at(rest, place)).ok_or_else(damaged);
            match rest[0] {
                INSERT => {
                    let length = word(5)? as usize;
                    let image = rest.get(INSERT_HEAD..INSERT_HEAD + length).ok_or_else(damaged)?;
                    say(Said::Inserted { object: word(1)?, number, image })?;
                    at += INSERT_HEAD + length;
                }
                DELETE => {
                    let bytes = rest.get(5..13).ok_or_else(damaged)?;
                    say(Said::Deleted { object: word(1)?, number: u64_at(bytes, 0) })?;
                    at += 13;
                }
                INSERT_PART => {
                    self.open = Some((word(1)?, number, word(5)? as usize, rest[INSERT_HEAD..].to_vec()));
                    at = body.len();
                }
                PART => {
                    let length = word(1)? as usize;
                    let part = rest.get(PART_HEAD..PART_HEAD + length).ok_or_else(damaged)?;
                    let (object, number, total, mut image) = self.open.take().ok_or_else(damaged)?;
                    image.extend_from_slice(part);
                    if image.len() < total {
                        self.open = Some((object, number, total, image));
                    } else {
                        say(Said::Inserted { object, number, image: &image })?;
                    }
                    at += PART_HEAD + length;
                }
                _ => return Err(damaged()),
            }
        }
        Ok(())
    }
}
