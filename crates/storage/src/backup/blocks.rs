//! A file of backups: sets, one behind the other, each of blocks.
//!
//! ```text
//! block:  0 magic "HBKP" u32   4 kind u8   5 flags u8 (1: deflated, 2: encrypted)   6 0 u16   8 number in its set u32
//!        12 bytes that follow the head u32   16 bytes they are, inflated u32   20 crc32 u32 of the head before it and what follows
//!        24 body; if encrypted, a tag of 16 bytes behind it
//! ```
//! Kinds and bodies: `set`. The first block of a set is its head, the last its tail: without a tail there is no set. Of an encrypted set the
//! head is as ever, and the tail is readable, with a tag (`cipher`).

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::cipher::{Cipher, TAG_BYTES};
use super::media::Media;
use crate::error::{StorageError, StorageResult};
use crate::pages::page::{put_u32, u32_at};

const MAGIC: u32 = u32::from_le_bytes(*b"HBKP");
const HEAD: usize = 24;
const DEFLATED: u8 = 1;
const ENCRYPTED: u8 = 2;
/// More than a tail has, with its head.
const TAIL_BYTES_MAX: usize = 512;
/// Deflating makes nothing smaller than this.
const RATIO_MAX: u64 = 1040;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum BlockKind {
    Head = 1,
    Pages = 2,
    Rows = 3,
    Log = 4,
    Tail = 5,
}

impl BlockKind {
    fn from_byte(byte: u8) -> Option<BlockKind> {
        use BlockKind::*;
        [Head, Pages, Rows, Log, Tail].into_iter().find(|kind| *kind as u8 == byte)
    }
}

pub fn damaged(why: &str) -> StorageError {
    StorageError::Damaged(format!("the backup: {why}"))
}

/// Writes the blocks of one set.
pub struct BlockWriter<'a> {
    file: &'a dyn Media,
    pub at: u64,
    number: u32,
    compressed: bool,
    /// Once the head is written, if the medium has a key.
    cipher: Option<Cipher<'a>>,
    /// Of all checksums so far.
    sum: crc32fast::Hasher,
    block: Vec<u8>,
}

impl<'a> BlockWriter<'a> {
    pub fn new(file: &'a dyn Media, at: u64, compressed: bool) -> BlockWriter<'a> {
        let sum = crc32fast::Hasher::new();
        BlockWriter { file, at, number: 0, compressed, cipher: None, sum, block: Vec::new() }
    }

    pub fn write(&mut self, kind: BlockKind, body: &[u8]) -> StorageResult<()> {
        assert!(body.len() <= u32::MAX as usize, "a block of {} bytes", body.len());
        self.block.clear();
        self.block.resize(HEAD, 0);
        let mut flags = 0;
        // A log backup has zeros where other databases have written.
        if self.compressed || kind == BlockKind::Log {
            let mut deflate = DeflateEncoder::new(&mut self.block, Compression::fast());
            // Into memory: it cannot fail.
            deflate.write_all(body).and_then(|()| deflate.finish().map(drop)).map_err(|_| StorageError::OutOfMemory)?;
            flags = DEFLATED;
        }
        if flags == 0 || self.block.len() - HEAD >= body.len() {
            self.block.truncate(HEAD);
            self.block.extend_from_slice(body);
            flags = 0;
        }
        let tag = if self.cipher.is_some() { TAG_BYTES } else { 0 };
        if tag > 0 {
            flags |= ENCRYPTED;
        }
        let length = (self.block.len() - HEAD + tag) as u32;
        let head = &mut self.block[..HEAD];
        put_u32(head, 0, MAGIC);
        (head[4], head[5]) = (kind as u8, flags);
        put_u32(head, 8, self.number);
        put_u32(head, 12, length);
        put_u32(head, 16, body.len() as u32);
        if let Some(cipher) = &self.cipher {
            let (head, stored) = self.block.split_at_mut(HEAD);
            let tag = match kind {
                BlockKind::Tail => cipher.sign(self.number, head, stored),
                _ => cipher.seal(self.number, head, stored),
            };
            self.block.extend_from_slice(&tag);
        }
        if kind == BlockKind::Head {
            self.cipher = self.file.key().map(|key| Cipher::new(key, body));
        }
        let crc = crc_of(&self.block[..HEAD], &self.block[HEAD..]);
        put_u32(&mut self.block, 20, crc);
        self.sum.update(&crc.to_le_bytes());
        self.file.write_at(&self.block, self.at)?;
        self.at += self.block.len() as u64;
        self.number += 1;
        os::wait::maybe_yield();
        Ok(())
    }

    /// Blocks so far, and the sum of their checksums.
    pub fn sum(&self) -> (u32, u32) {
        (self.number, self.sum.clone().finalize())
    }
}

fn crc_of(head: &[u8], body: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&head[..20]);
    crc.update(body);
    crc.finalize()
}

/// Reads the blocks of one set, and what its tail says of them all.
pub struct BlockReader<'a> {
    file: &'a dyn Media,
    pub at: u64,
    end: u64,
    number: u32,
    /// Of an encrypted set, by who has its key.
    cipher: Option<Cipher<'a>>,
    sum: crc32fast::Hasher,
    stored: Vec<u8>,
}

impl<'a> BlockReader<'a> {
    pub fn new(file: &'a dyn Media, at: u64) -> StorageResult<BlockReader<'a>> {
        let end = file.len()?;
        Ok(BlockReader { file, at, end, number: 0, cipher: None, sum: crc32fast::Hasher::new(), stored: Vec::new() })
    }

    /// From here on every block is encrypted, or damaged. `head`: of the set, as it was read. `Damaged`: the medium has no key.
    pub fn unlock(&mut self, head: &[u8]) -> StorageResult<()> {
        let key = self.file.key().ok_or_else(|| damaged("it is encrypted"))?;
        self.cipher = Some(Cipher::new(key, head));
        Ok(())
    }

    /// Takes its tag off the block that was read, and decrypts it. A tail may be read without the key.
    fn decrypt(&mut self, kind: BlockKind, head: &[u8; HEAD]) -> StorageResult<()> {
        if head[5] & ENCRYPTED == 0 {
            return match self.cipher {
                Some(_) => Err(damaged("a block is not encrypted")),
                None => Ok(()),
            };
        }
        let end = self.stored.len().checked_sub(TAG_BYTES).ok_or_else(|| damaged("a block has no tag"))?;
        let (stored, tag) = self.stored.split_at_mut(end);
        let is_its_own = match (&self.cipher, kind) {
            (Some(cipher), BlockKind::Tail) => cipher.is_signed(self.number, head, stored, tag),
            (Some(cipher), _) => cipher.open(self.number, head, stored, tag),
            (None, BlockKind::Tail) => true,
            (None, _) => return Err(damaged("it is encrypted")),
        };
        self.stored.truncate(end);
        match is_its_own {
            true => Ok(()),
            false => Err(damaged(&format!("block {} is not what was encrypted", self.number))),
        }
    }

    /// The kind of the block that comes and the bytes behind its head, None: it is no block of this set, or cut short.
    fn head(&self, head: &mut [u8; HEAD]) -> StorageResult<Option<(BlockKind, usize)>> {
        if self.at.saturating_add(HEAD as u64) > self.end {
            return Ok(None);
        }
        self.file.read_at(head, self.at)?;
        let length = u32_at(head, 12) as usize;
        let fits = length as u64 <= self.end - self.at - HEAD as u64;
        let is_next = u32_at(head, 0) == MAGIC && u32_at(head, 8) == self.number && fits;
        Ok(BlockKind::from_byte(head[4]).filter(|_| is_next).map(|kind| (kind, length)))
    }

    /// The next block, inflated. `Damaged` if there is none that is whole.
    pub fn next(&mut self, body: &mut Vec<u8>) -> StorageResult<BlockKind> {
        let mut head = [0; HEAD];
        let (kind, length) = self.head(&mut head)?.ok_or_else(|| damaged("it is cut short, or none"))?;
        self.stored.resize(length, 0);
        self.file.read_at(&mut self.stored, self.at + HEAD as u64)?;
        let crc = u32_at(&head, 20);
        let whole = u32_at(&head, 16) as u64;
        if crc_of(&head, &self.stored) != crc || whole > (length as u64 + 1) * RATIO_MAX {
            return Err(damaged(&format!("block {} has another checksum", self.number)));
        }
        self.decrypt(kind, &head)?;
        body.clear();
        match head[5] & !ENCRYPTED {
            0 => body.extend_from_slice(&self.stored),
            DEFLATED => {
                let inflated = DeflateDecoder::new(&self.stored[..]).take(whole + 1).read_to_end(body);
                inflated.map_err(|_| damaged("a block cannot be inflated"))?;
            }
            _ => return Err(damaged("it is of a newer version")),
        }
        if body.len() as u64 != whole {
            return Err(damaged("a block has another length"));
        }
        if kind != BlockKind::Tail {
            self.sum.update(&crc.to_le_bytes());
            self.number += 1;
        }
        self.at += (HEAD + length) as u64;
        os::wait::maybe_yield();
        Ok(kind)
    }

    /// Passes a block without a look at its body. None: the set is cut short.
    pub fn skip(&mut self) -> StorageResult<Option<BlockKind>> {
        let mut head = [0; HEAD];
        let Some((kind, length)) = self.head(&mut head)? else { return Ok(None) };
        self.number += 1;
        self.at += (HEAD + length) as u64;
        Ok(Some(kind))
    }

    /// The block that comes is the tail.
    pub fn is_at_tail(&self) -> StorageResult<bool> {
        Ok(self.head(&mut [0; HEAD])?.is_some_and(|(kind, _)| kind == BlockKind::Tail))
    }

    /// Goes to the block that ends where the medium ends, which is a tail. False: there is none.
    pub fn go_to_last_tail(&mut self) -> StorageResult<bool> {
        let from = self.at.max(self.end.saturating_sub(TAIL_BYTES_MAX as u64));
        let mut bytes = vec![0; (self.end - from) as usize];
        self.file.read_at(&mut bytes, from)?;
        let is_tail = |head: &[u8]| {
            let length = u32_at(head, 12) as usize;
            u32_at(head, 0) == MAGIC && head[4] == BlockKind::Tail as u8 && head.len() == HEAD + length
        };
        let found = (0..bytes.len().saturating_sub(HEAD - 1)).find(|at| is_tail(&bytes[*at..]));
        if let Some(at) = found {
            self.at = from + at as u64;
            self.number = u32_at(&bytes[at..], 8);
        }
        Ok(found.is_some())
    }

    /// Blocks before the tail, and the sum of their checksums.
    pub fn sum(&self) -> (u32, u32) {
        (self.number, self.sum.clone().finalize())
    }
}
