//! The version store: what rows were before a change, for readers whose snapshot is older. Readers never block.
//!
//! ```text
//! entry (8-byte words):  0 payload bytes u32, statement u32   8 old payload: row header and image, padded to 8
//! pointer: block number u32 << 32 | word offset u32; 0 is none
//! ```
//! An entry is needed until every snapshot sees the transaction that made it obsolete. A block goes when that holds for
//! all its entries. Blocks past the memory limit are written to a spill file, oldest first, and read from there.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use os::disk::{Disk, File, Open};
use os::sync::{Mutex, RwLock};
use os::wait::WaitType;

use crate::error::{StorageError, StorageResult};

const BLOCK_WORDS: usize = 32 * 1024;

/// Who wrote a row, and what was before. The first 16 bytes of every payload in a leaf.
///
/// ```text
/// 0  transaction (48 bits) | flags << 48      8  pointer to the version before; of a fresh row: the statement's number
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowHeader {
    pub transaction: u64,
    pub ghost: bool,
    /// Nothing was before: `link` is the inserting statement's number.
    pub fresh: bool,
    pub link: u64,
}

pub const ROW_HEADER_BYTES: usize = 16;
const GHOST: u64 = 1 << 48;
const FRESH: u64 = 1 << 49;
const TRANSACTION: u64 = GHOST - 1;

impl RowHeader {
    #[inline]
    pub fn decode(payload: &[u8]) -> RowHeader {
        let word = crate::page::u64_at(payload, 0);
        RowHeader {
            transaction: word & TRANSACTION,
            ghost: word & GHOST != 0,
            fresh: word & FRESH != 0,
            link: crate::page::u64_at(payload, 8),
        }
    }

    #[inline]
    pub fn encode(&self) -> [u8; ROW_HEADER_BYTES] {
        let flags = if self.ghost { GHOST } else { 0 } | if self.fresh { FRESH } else { 0 };
        let mut out = [0; ROW_HEADER_BYTES];
        out[..8].copy_from_slice(&(self.transaction | flags).to_le_bytes());
        out[8..].copy_from_slice(&self.link.to_le_bytes());
        out
    }
}

struct Block {
    words: Box<[AtomicU64]>,
    used: AtomicU64,
}

enum Place {
    Memory(Arc<Block>),
    Spilled(u64),
}

struct Blocks {
    by_number: BTreeMap<u32, (Place, u64)>,
    next: u32,
    memory: usize,
    spill_free: VecDeque<u64>,
    spill_end: u64,
}

pub struct Versions {
    blocks: RwLock<Blocks>,
    /// The block being filled, its number, and the highest transaction that wrote into it.
    current: Mutex<(u32, Arc<Block>, u64)>,
    blocks_max: usize,
    spill: File,
    pub entries: AtomicU64,
}

fn new_block() -> Arc<Block> {
    Arc::new(Block { words: (0..BLOCK_WORDS).map(|_| AtomicU64::new(0)).collect(), used: AtomicU64::new(0) })
}

impl Versions {
    pub fn new(disk: &Disk, memory_bytes: usize) -> StorageResult<Versions> {
        if disk.exists("versions.spill") {
            disk.remove("versions.spill")?;
        }
        let spill = disk.open("versions.spill", Open::ExistingOrNew)?;
        let block = new_block();
        let mut by_number = BTreeMap::new();
        by_number.insert(1, (Place::Memory(block.clone()), u64::MAX));
        let blocks = Blocks { by_number, next: 2, memory: 1, spill_free: VecDeque::new(), spill_end: 0 };
        Ok(Versions {
            blocks: RwLock::new(WaitType::SOS_RW, blocks),
            current: Mutex::new(WaitType::SOS_MUTEX, (1, block, 0)),
            blocks_max: (memory_bytes / (BLOCK_WORDS * 8)).max(2),
            spill,
            entries: AtomicU64::new(0),
        })
    }

    pub fn bytes(&self) -> u64 {
        self.blocks.read().by_number.len() as u64 * BLOCK_WORDS as u64 * 8
    }

    /// Keeps `payload`, which `transaction` is about to replace in statement `statement`. Returns the pointer to it.
    pub fn push(&self, transaction: u64, statement: u32, payload: &[u8]) -> StorageResult<u64> {
        let words = 1 + payload.len().div_ceil(8);
        assert!(words <= BLOCK_WORDS, "a payload of {} bytes", payload.len());
        let mut current = self.current.lock();
        let mut at = current.1.used.load(Ordering::Relaxed) as usize;
        if at + words > BLOCK_WORDS {
            self.next_block(&mut current)?;
            at = 0;
        }
        let (number, block, newest) = &mut *current;
        *newest = transaction.max(*newest);
        block.words[at].store(payload.len() as u64 | (statement as u64) << 32, Ordering::Relaxed);
        for (word, bytes) in block.words[at + 1..].iter().zip(payload.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_le_bytes(padded), Ordering::Relaxed);
        }
        block.used.store((at + words) as u64, Ordering::Release);
        self.entries.fetch_add(1, Ordering::Relaxed);
        Ok((*number as u64) << 32 | at as u64)
    }

    fn next_block(&self, current: &mut (u32, Arc<Block>, u64)) -> StorageResult<()> {
        let block = new_block();
        let mut blocks = self.blocks.write();
        if blocks.memory >= self.blocks_max {
            self.spill_oldest(&mut blocks, current.0)?;
        }
        let number = blocks.next;
        blocks.next = number.checked_add(1).ok_or(StorageError::OutOfMemory)?;
        blocks.memory += 1;
        blocks.by_number.get_mut(&current.0).expect("the current block is listed").1 = current.2;
        blocks.by_number.insert(number, (Place::Memory(block.clone()), u64::MAX));
        *current = (number, block, 0);
        Ok(())
    }

    fn spill_oldest(&self, blocks: &mut Blocks, current: u32) -> StorageResult<()> {
        let found = blocks.by_number.iter().find(|(n, (p, _))| **n != current && matches!(p, Place::Memory(_)));
        let Some((&number, (Place::Memory(block), _))) = found else { return Ok(()) };
        let bytes: Vec<u8> = block.words.iter().flat_map(|w| w.load(Ordering::Relaxed).to_le_bytes()).collect();
        let offset = blocks.spill_free.front().copied().unwrap_or(blocks.spill_end);
        self.spill.write_at(&bytes, offset)?;
        if blocks.spill_free.pop_front().is_none() {
            blocks.spill_end += bytes.len() as u64;
        }
        blocks.by_number.get_mut(&number).expect("just found").0 = Place::Spilled(offset);
        blocks.memory -= 1;
        Ok(())
    }

    /// Puts the payload at `pointer` into `out` and returns the number of the statement that replaced it.
    pub fn read(&self, pointer: u64, out: &mut Vec<u8>) -> StorageResult<u32> {
        let (number, at) = ((pointer >> 32) as u32, pointer as u32 as usize);
        let block = {
            let blocks = self.blocks.read();
            match &blocks.by_number.get(&number).expect("a version that a snapshot needs is kept").0 {
                Place::Memory(block) => block.clone(),
                Place::Spilled(offset) => return self.read_spilled(offset + at as u64 * 8, out),
            }
        };
        let head = block.words[at].load(Ordering::Acquire);
        let bytes = head as u32 as usize;
        out.clear();
        for word in &block.words[at + 1..at + 1 + bytes.div_ceil(8)] {
            out.extend_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
        }
        out.truncate(bytes);
        Ok((head >> 32) as u32)
    }

    fn read_spilled(&self, offset: u64, out: &mut Vec<u8>) -> StorageResult<u32> {
        let mut head = [0; 8];
        self.spill.read_at(&mut head, offset)?;
        let head = u64::from_le_bytes(head);
        out.clear();
        out.resize(head as u32 as usize, 0);
        self.spill.read_at(out, offset + 8)?;
        Ok((head >> 32) as u32)
    }

    /// Drops blocks that only transactions below `horizon` wrote into.
    pub fn collect(&self, horizon: u64) {
        {
            let blocks = self.blocks.read();
            if !blocks.by_number.values().any(|(_, newest)| *newest < horizon) {
                return;
            }
        }
        let blocks = &mut *self.blocks.write();
        let (memory, free) = (&mut blocks.memory, &mut blocks.spill_free);
        blocks.by_number.retain(|_, (place, newest)| {
            if *newest >= horizon {
                return true;
            }
            match place {
                Place::Memory(_) => *memory -= 1,
                Place::Spilled(offset) => free.push_back(*offset),
            }
            false
        });
    }
}
