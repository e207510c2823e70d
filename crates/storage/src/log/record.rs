//! Log records.
//!
//! ```text
//!  0  length u32 (whole record, a multiple of 8)    4  kind u8    5  flags u8    6  padding bytes u8, 0
//!  8  transaction u64 (0: the system)
//! 16  previous u64: LSN of the transaction's record before this one; of a compensation record: what to undo next
//! 24  file u32    28  page u32     (0 if the record is of no page; of a commit: when it was, u64, ticks of 100 ns UTC, 0 up to format 5)
//! 32  body
//! ```

use crate::pages::page::{u16_at, u32_at, u64_at};

pub const HEAD_BYTES: usize = 32;
const _: () = assert!(HEAD_BYTES == 4 * size_of::<u64>());
/// Undoes a change: redone, never undone.
pub const FLAG_COMPENSATION: u8 = 1;
/// Of tempdb: recovery skips it.
pub const FLAG_TEMPORARY: u8 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A cell inserted. Body: `CellBody` with the new payload.
    Insert = 1,
    /// A payload changed. Body: `UpdateBody`.
    Update = 2,
    /// A row header changed (ghosted or revived). Body: `HeaderBody`.
    Header = 3,
    /// A cell removed for good (undo of an insert, ghost cleanup). Body: slot u16.
    Remove = 4,
    /// Changes of several pages that hold together. Body: page actions (`structure.rs`). Of a transaction: the tree at `file:page` came to be
    /// with them, and undo frees it. Of none, with a page: the dropped tree there is gone with them.
    Structure = 5,
    /// Body: trees and files (page 0) the transaction dropped, 8 bytes each.
    Commit = 6,
    /// A rolled back transaction is done.
    End = 7,
    /// Body: `checkpoint.rs`.
    Checkpoint = 8,
    /// A data file came to be. `file` is its number, `page` whether its pages were there already; body: database u16, flags u16, name.
    FileCreate = 9,
    /// A data file was removed.
    FileDrop = 10,
    /// The tree at `file:page` had come to be; undo frees it. Of older logs.
    TreeCreate = 11,
    /// The pages of the dropped tree at `file:page` are free: of older logs all but the root, which follows; of a repair all.
    TreeFree = 12,
    /// The creation of the tree at `file:page` is undone: its pages are to be freed.
    TreeDrop = 13,
    /// Nothing happened to a page, but the transaction has something to say at its commit.
    Note = 14,
    /// Rows of memory-optimized tables. Body: `xtp::records`.
    Rows = 15,
}

impl Kind {
    pub fn from_byte(byte: u8) -> Option<Kind> {
        use Kind::*;
        let rows = [Insert, Update, Header, Remove, Structure, Commit, End, Checkpoint];
        let names = [FileCreate, FileDrop, TreeCreate, TreeFree, TreeDrop, Note, Rows];
        rows.into_iter().chain(names).find(|kind| *kind as u8 == byte)
    }
}

/// What every record begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub kind: Kind,
    pub flags: u8,
    pub transaction: u64,
    pub previous: u64,
    pub file: u32,
    pub page: u32,
}

impl Head {
    /// `time`: as `os::clock::utc_ticks` has it.
    #[inline]
    pub fn commit(transaction: u64, previous: u64, time: u64) -> Head {
        Head { kind: Kind::Commit, flags: 0, transaction, previous, file: time as u32, page: (time >> 32) as u32 }
    }

    /// When a commit was; 0: a log of format 5 or before does not say.
    pub fn time(&self) -> u64 {
        debug_assert!(self.kind == Kind::Commit, "only commits have a time");
        u64::from(self.page) << 32 | u64::from(self.file)
    }

    #[inline]
    pub fn encode(&self, length: u32, padding: u8) -> [u8; HEAD_BYTES] {
        debug_assert!(padding < 8, "a record is a multiple of 8");
        debug_assert!(self.flags & !(FLAG_COMPENSATION | FLAG_TEMPORARY) == 0, "flags {:#x}", self.flags);
        let mut out = [0; HEAD_BYTES];
        out[..4].copy_from_slice(&length.to_le_bytes());
        out[4] = self.kind as u8;
        out[5] = self.flags;
        out[6] = padding;
        out[8..16].copy_from_slice(&self.transaction.to_le_bytes());
        out[16..24].copy_from_slice(&self.previous.to_le_bytes());
        out[24..28].copy_from_slice(&self.file.to_le_bytes());
        out[28..32].copy_from_slice(&self.page.to_le_bytes());
        out
    }
}

/// A record read back. `lsn` is where it starts, `end` where the next one may start.
#[derive(Debug, Clone)]
pub struct Record<'a> {
    pub lsn: u64,
    pub end: u64,
    pub head: Head,
    pub body: &'a [u8],
}

impl<'a> Record<'a> {
    /// `bytes` is the whole record. None: not a record.
    pub fn decode(lsn: u64, bytes: &'a [u8]) -> Option<Record<'a>> {
        if bytes.len() < HEAD_BYTES || u32_at(bytes, 0) as usize != bytes.len() {
            return None;
        }
        let padding = bytes[6] as usize;
        let head = Head {
            kind: Kind::from_byte(bytes[4])?,
            flags: bytes[5],
            transaction: u64_at(bytes, 8),
            previous: u64_at(bytes, 16),
            file: u32_at(bytes, 24),
            page: u32_at(bytes, 28),
        };
        let body = bytes.get(HEAD_BYTES..bytes.len().checked_sub(padding)?)?;
        Some(Record { lsn, end: lsn + bytes.len() as u64, head, body })
    }
}

/// Root of the tree and key of the row that the record changes.
pub fn row_of<'a>(record: &Record<'a>) -> Option<(u32, &'a [u8])> {
    match record.head.kind {
        Kind::Insert => CellBody::decode(record.body).map(|body| (body.root, body.key)),
        Kind::Update => UpdateBody::decode(record.body).map(|body| (body.root, body.key)),
        Kind::Header => HeaderBody::decode(record.body).map(|body| (body.root, body.key)),
        _ => None,
    }
}

/// Body of `Insert`: root u32, slot u16, key length u16, key, payload.
#[derive(Debug, Clone, Copy)]
pub struct CellBody<'a> {
    pub root: u32,
    pub slot: u16,
    pub key: &'a [u8],
    pub payload: &'a [u8],
}

pub const CELL_HEAD_BYTES: usize = 8;

impl<'a> CellBody<'a> {
    #[inline]
    pub fn head(&self) -> [u8; CELL_HEAD_BYTES] {
        cell_head(self.root, self.slot, self.key.len())
    }

    pub fn decode(body: &'a [u8]) -> Option<CellBody<'a>> {
        let (root, slot, key, payload) = decode_cell(body)?;
        Some(CellBody { root, slot, key, payload })
    }
}

#[inline]
pub fn cell_head(root: u32, slot: u16, key_bytes: usize) -> [u8; CELL_HEAD_BYTES] {
    debug_assert!(
        root != 0 && key_bytes <= crate::pages::page::KEY_BYTES_MAX,
        "a key of {key_bytes} bytes in tree {root}"
    );
    let mut out = [0; CELL_HEAD_BYTES];
    out[..4].copy_from_slice(&root.to_le_bytes());
    out[4..6].copy_from_slice(&slot.to_le_bytes());
    out[6..8].copy_from_slice(&(key_bytes as u16).to_le_bytes());
    out
}

fn decode_cell(body: &[u8]) -> Option<(u32, u16, &[u8], &[u8])> {
    let head = body.get(..CELL_HEAD_BYTES)?;
    let length = u16_at(head, 6) as usize;
    let rest = &body[CELL_HEAD_BYTES..];
    Some((u32_at(head, 0), u16_at(head, 4), rest.get(..length)?, &rest[length..]))
}

/// Body of `Update`: cell head, key, then prefix u16, suffix u16, old middle length u16, old middle, new middle: the
/// payloads agree in their first `prefix` and last `suffix` bytes. Row headers are part of the payload.
#[derive(Debug, Clone, Copy)]
pub struct UpdateBody<'a> {
    pub root: u32,
    pub slot: u16,
    pub key: &'a [u8],
    pub prefix: usize,
    pub suffix: usize,
    pub old: &'a [u8],
    pub new: &'a [u8],
}

impl<'a> UpdateBody<'a> {
    pub fn between(root: u32, slot: u16, key: &'a [u8], old: &'a [u8], new: &'a [u8]) -> UpdateBody<'a> {
        let prefix = crate::pages::page::common_prefix(old, new);
        let most = old.len().min(new.len()) - prefix;
        let suffix = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
        debug_assert!(prefix + suffix <= old.len().min(new.len()), "what both begin and end with does not overlap");
        UpdateBody {
            root,
            slot,
            key,
            prefix,
            suffix,
            old: &old[prefix..old.len() - suffix],
            new: &new[prefix..new.len() - suffix],
        }
    }

    pub fn cell_head(&self) -> [u8; CELL_HEAD_BYTES] {
        cell_head(self.root, self.slot, self.key.len())
    }

    pub fn lengths(&self) -> [u8; 6] {
        debug_assert!(
            self.prefix.max(self.suffix).max(self.old.len()) <= crate::pages::page::PAGE_BYTES,
            "a payload lies in a page"
        );
        let mut out = [0; 6];
        out[..2].copy_from_slice(&(self.prefix as u16).to_le_bytes());
        out[2..4].copy_from_slice(&(self.suffix as u16).to_le_bytes());
        out[4..].copy_from_slice(&(self.old.len() as u16).to_le_bytes());
        out
    }

    pub fn decode(body: &'a [u8]) -> Option<UpdateBody<'a>> {
        let (root, slot, key, rest) = decode_cell(body)?;
        let lengths = rest.get(..6)?;
        let old_bytes = u16_at(lengths, 4) as usize;
        let old = rest.get(6..6 + old_bytes)?;
        let new = &rest[6 + old_bytes..];
        Some(UpdateBody {
            root,
            slot,
            key,
            prefix: u16_at(lengths, 0) as usize,
            suffix: u16_at(lengths, 2) as usize,
            old,
            new,
        })
    }

    /// `from` with its middle (the old one for redo, the new one for undo) replaced by `middle`.
    pub fn patch(&self, from: &[u8], middle: &[u8]) -> Vec<u8> {
        debug_assert!(from.len() >= self.prefix + self.suffix, "{} bytes to patch", from.len());
        [&from[..self.prefix], middle, &from[from.len() - self.suffix..]].concat()
    }
}

/// Body of `Header`: cell head, key, old row header, new row header (16 bytes each).
#[derive(Debug, Clone, Copy)]
pub struct HeaderBody<'a> {
    pub root: u32,
    pub slot: u16,
    pub key: &'a [u8],
    pub old: &'a [u8],
    pub new: &'a [u8],
}

impl<'a> HeaderBody<'a> {
    pub fn decode(body: &'a [u8]) -> Option<HeaderBody<'a>> {
        let (root, slot, key, rest) = decode_cell(body)?;
        if rest.len() != 32 {
            return None;
        }
        Some(HeaderBody { root, slot, key, old: &rest[..16], new: &rest[16..] })
    }
}
