//! One backup: what its head and tail say. Format 1 ends where it is said below, and has full backups only; 3 is 2 of a set that is
//! encrypted; 4 and 5 are 2 and 3 of the log of a file that nobody could open.
//!
//! ```text
//! head:   format u32, database u16, file u32, scan LSN u64, redo LSN u64, epoch u32, pages u32, began u64 (ticks, UTC),
//!         count u32 and pages u32 each of pending frees, name (length u16, UTF-8), about (length u32, bytes: its taker's)
//!         (format 1 ends here), kind u8 (1 full, 2 log, 3 differential), base LSN u64, base u128
//! pages:  first page u32, mask u32 of those that follow (bit n: page first + n), the pages
//! rows:   number u64, object u32, length u32, image; again and again
//! log:    LSN u64, length u32, a block of the log without the zeros at its end; again and again
//! tail:   end LSN u64, next transaction u64, next row number u64, next object u32, pages u64, rows u64, log bytes u64,
//!         ended u64 (ticks, UTC), covered u64 (ticks, UTC; format 1 has not got it), blocks before the tail u32, crc32 of their
//!         checksums u32
//! ```
//! A log backup has blocks of log only: scan LSN is where it begins. A differential one has the pages that are newer than the base LSN.
//! The first of either kind after a restore has all pages and rows, and base LSN 0: nothing here says what has changed since the backup.
//! In the log of a file that nobody could open transactions are over that may have left changes in it.

use super::blocks::{BlockKind, BlockReader, damaged};
use super::media::Media;
use crate::error::{StorageError, StorageResult};

/// Of backups.
pub const FORMAT: u32 = 5;
/// Of those that are not encrypted, and of those that are.
const FORMATS: [u32; 2] = [2, 3];
/// Added to these for what was held.
const HELD: u32 = 2;
/// Pages of one block: as many as the mask has bits.
pub const PAGES_A_BLOCK: u32 = 32;

/// What is to be taken.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    pub kind: SetKind,
    /// Comes back as it is: what is known of a database outside of it.
    pub about: &'a [u8],
    pub compressed: bool,
    /// Of a full backup: its number, by which differential ones name it; None: they go on from the one before, as COPY_ONLY says.
    pub number: Option<u128>,
    /// From its end on log is kept for log backups, if none is kept yet.
    pub keeps_log: bool,
    /// Of a log backup: the log is kept for the next one all the same.
    pub copy_only: bool,
    /// Of a log or a differential backup: all pages and rows are in it, since what they go on from was elsewhere; the number of the full
    /// backup before it, 0: there is none.
    pub whole: Option<u128>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum SetKind {
    #[default]
    Full = 1,
    Log = 2,
    Differential = 3,
}

impl SetKind {
    fn from_byte(byte: u8) -> Option<SetKind> {
        [SetKind::Full, SetKind::Log, SetKind::Differential].into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// Bytes done, of how many about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    pub total: u64,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetHead {
    pub database: u16,
    pub file: u32,
    /// Recovery begins to read there, to change pages there.
    pub scan_lsn: u64,
    pub redo_lsn: u64,
    pub epoch: u32,
    /// Of the data file.
    pub pages: u32,
    pub began: u64,
    pub pending: Vec<u32>,
    pub name: String,
    pub about: Vec<u8>,
    pub kind: SetKind,
    /// Of the full backup that came before, and its number; 0: there was none.
    pub base_lsn: u64,
    pub base: u128,
    /// Its blocks are, all but this one and the tail.
    pub encrypted: bool,
    /// Of the log of a file that nobody could open: transactions without a commit may have left their changes in it, whatever their ends say.
    pub held: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SetTail {
    /// What was committed before is in it.
    pub end_lsn: u64,
    pub next_transaction: u64,
    pub next_row: u64,
    pub next_object: u32,
    /// Written: those of zeros are not.
    pub pages: u64,
    pub rows: u64,
    pub log_bytes: u64,
    pub ended: u64,
    /// What was committed by then is in it.
    pub covered: u64,
}

impl Set {
    /// A log or a differential backup that is put in place of what was restored before it, and not on top of that.
    pub fn is_whole(&self) -> bool {
        match self.head.kind {
            SetKind::Full => false,
            SetKind::Log => self.tail.pages != 0,
            SetKind::Differential => self.head.base_lsn == 0,
        }
    }
}

/// A backup in its file, from its first byte to behind its last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Set {
    pub from: u64,
    pub to: u64,
    pub head: SetHead,
    pub tail: SetTail,
}

/// Takes numbers from the front of bytes.
pub struct Words<'a>(pub &'a [u8]);

impl<'a> Words<'a> {
    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (now, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(now)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N).and_then(|bytes| bytes.try_into().ok())
    }

    pub fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub fn u128(&mut self) -> Option<u128> {
        self.array().map(u128::from_le_bytes)
    }

    pub fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
}

impl SetHead {
    pub fn encode(&self) -> Vec<u8> {
        let format = FORMATS[usize::from(self.encrypted)] + if self.held { HELD } else { 0 };
        let mut out = format.to_le_bytes().to_vec();
        out.extend_from_slice(&self.database.to_le_bytes());
        out.extend_from_slice(&self.file.to_le_bytes());
        for lsn in [self.scan_lsn, self.redo_lsn] {
            out.extend_from_slice(&lsn.to_le_bytes());
        }
        out.extend_from_slice(&self.epoch.to_le_bytes());
        out.extend_from_slice(&self.pages.to_le_bytes());
        out.extend_from_slice(&self.began.to_le_bytes());
        out.extend_from_slice(&(self.pending.len() as u32).to_le_bytes());
        self.pending.iter().for_each(|page| out.extend_from_slice(&page.to_le_bytes()));
        out.extend_from_slice(&(self.name.len() as u16).to_le_bytes());
        out.extend_from_slice(self.name.as_bytes());
        out.extend_from_slice(&(self.about.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.about);
        out.push(self.kind as u8);
        out.extend_from_slice(&self.base_lsn.to_le_bytes());
        out.extend_from_slice(&self.base.to_le_bytes());
        out
    }

    pub fn decode(bytes: &[u8]) -> StorageResult<SetHead> {
        let mut words = Words(bytes);
        let format = match words.u32() {
            Some(found @ 1..=FORMAT) => found,
            Some(found) if found > FORMAT => return Err(StorageError::NewerFormat { found, known: FORMAT }),
            _ => return Err(damaged("its head")),
        };
        SetHead::decode_rest(&mut words, format).ok_or_else(|| damaged("its head"))
    }

    fn decode_rest(words: &mut Words<'_>, format: u32) -> Option<SetHead> {
        let mut head = SetHead {
            database: words.u16()?,
            file: words.u32()?,
            scan_lsn: words.u64()?,
            redo_lsn: words.u64()?,
            epoch: words.u32()?,
            pages: words.u32()?,
            began: words.u64()?,
            encrypted: [FORMATS[1], FORMATS[1] + HELD].contains(&format),
            held: format >= FORMATS[0] + HELD,
            ..SetHead::default()
        };
        for _ in 0..words.u32()? {
            head.pending.push(words.u32()?);
        }
        let name = words.u16()? as usize;
        head.name = String::from_utf8(words.bytes(name)?.to_vec()).ok()?;
        let about = words.u32()? as usize;
        head.about = words.bytes(about)?.to_vec();
        if format > 1 {
            head.kind = SetKind::from_byte(words.u8()?)?;
            (head.base_lsn, head.base) = (words.u64()?, words.u128()?);
        }
        let is_sound = head.database != 0 && head.file != 0 && head.scan_lsn <= head.redo_lsn && head.epoch > 0;
        (is_sound && words.0.is_empty()).then_some(head)
    }
}

impl SetTail {
    pub fn encode(&self, (blocks, sum): (u32, u32)) -> Vec<u8> {
        let mut out = Vec::new();
        for number in [self.end_lsn, self.next_transaction, self.next_row] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&self.next_object.to_le_bytes());
        for number in [self.pages, self.rows, self.log_bytes, self.ended, self.covered] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&blocks.to_le_bytes());
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// Also what it says of the blocks before it.
    fn decode(bytes: &[u8]) -> Option<(SetTail, (u32, u32))> {
        const SUMS: usize = 8;
        let mut words = Words(bytes);
        let mut tail = SetTail {
            end_lsn: words.u64()?,
            next_transaction: words.u64()?,
            next_row: words.u64()?,
            next_object: words.u32()?,
            pages: words.u64()?,
            rows: words.u64()?,
            log_bytes: words.u64()?,
            ended: words.u64()?,
            covered: 0,
        };
        tail.covered = if words.0.len() > SUMS { words.u64()? } else { tail.ended };
        let said = (words.u32()?, words.u32()?);
        words.0.is_empty().then_some((tail, said))
    }
}

/// Reads the set that begins at `from`, each block of it whole, and calls `visit` with those between head and tail.
pub fn read_set(
    file: &dyn Media,
    from: u64,
    visit: &mut dyn FnMut(&SetHead, BlockKind, &[u8], Progress) -> StorageResult<()>,
) -> StorageResult<Set> {
    let mut reader = BlockReader::new(file, from)?;
    let mut body = Vec::new();
    if reader.next(&mut body)? != BlockKind::Head {
        return Err(damaged("it does not begin with its head"));
    }
    let head = SetHead::decode(&body)?;
    if head.encrypted {
        reader.unlock(&body)?;
    }
    let total = file.len()?.saturating_sub(from);
    loop {
        match reader.next(&mut body)? {
            BlockKind::Head => return Err(damaged("it has two heads")),
            BlockKind::Tail => break,
            kind => visit(&head, kind, &body, Progress { done: reader.at - from, total })?,
        }
    }
    let (tail, said) = SetTail::decode(&body).ok_or_else(|| damaged("its tail"))?;
    if said != reader.sum() {
        return Err(damaged("its tail does not fit"));
    }
    if tail.end_lsn < head.redo_lsn {
        return Err(damaged("its log ends before its pages"));
    }
    Ok(Set { from, to: reader.at, head, tail })
}

/// Whether every block of the set at `from` is whole.
pub fn verify(file: &dyn Media, from: u64, step: &mut dyn FnMut(Progress) -> StorageResult<()>) -> StorageResult<Set> {
    read_set(file, from, &mut |_, _, _, progress| step(progress))
}

/// The sets of a file, by their heads and tails: what lies between is not read. Behind the last there may be one that was never
/// ended. None: it is no file of backups.
pub fn sets(file: &dyn Media) -> StorageResult<Vec<Set>> {
    let mut found = Vec::new();
    let (mut from, mut body) = (0, Vec::new());
    while let Some(set) = one_set(file, from, &mut body)? {
        from = set.to;
        found.push(set);
    }
    Ok(found)
}

/// Whether a set begins there, ended or not.
pub fn begins(file: &dyn Media, from: u64) -> StorageResult<bool> {
    let mut reader = BlockReader::new(file, from)?;
    Ok(matches!(reader.next(&mut Vec::new()), Ok(BlockKind::Head)))
}

fn one_set(file: &dyn Media, from: u64, body: &mut Vec<u8>) -> StorageResult<Option<Set>> {
    let mut reader = BlockReader::new(file, from)?;
    if !matches!(reader.next(body), Ok(BlockKind::Head)) {
        return Ok(None);
    }
    let head = SetHead::decode(body)?;
    // Of one set alone the tail is known to be at the end.
    if file.holds_one() && !reader.go_to_last_tail()? {
        return Ok(None);
    }
    while !reader.is_at_tail()? {
        if reader.skip()?.is_none() {
            return Ok(None);
        }
    }
    reader.next(body)?;
    let (tail, _) = SetTail::decode(body).ok_or_else(|| damaged("its tail"))?;
    Ok(Some(Set { from, to: reader.at, head, tail }))
}
