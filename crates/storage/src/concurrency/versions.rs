//! The version store: what rows were before a change, for readers whose snapshot is older. Readers never block.
//!
//! ```text
//! entry (8-byte words):  0 payload bytes u32, statement u32   8 old payload: row header and image, padded to 8
//! pointer: block number u32 << 32 | word offset u32; 0 is none
//! ```
//! An entry is needed until every snapshot sees the transaction that made it obsolete. A block goes when that holds for
//! all its entries. Blocks past the memory limit are written to a spill file, oldest first, and read from there.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use os::disk::{Disk, File, Open};
use os::region::{Part, Placed, Pool};
use os::shared_struct;
use os::sync::{Mutex, RwLock};
use os::wait::WaitType;

use crate::error::{StorageError, StorageResult};
use crate::region::broker::{Broker, Clerk};
use crate::region::memory::Memory;

const BLOCK_WORDS: usize = 32 * 1024;
const BLOCK_BYTES: u64 = BLOCK_WORDS as u64 * 8;

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
const _: () = assert!(ROW_HEADER_BYTES == 2 * size_of::<u64>() && (GHOST | FRESH) & TRANSACTION == 0);

impl RowHeader {
    #[inline]
    pub fn decode(payload: &[u8]) -> RowHeader {
        debug_assert!(payload.len() >= ROW_HEADER_BYTES, "a payload of {} bytes has no header", payload.len());
        let word = crate::pages::page::u64_at(payload, 0);
        RowHeader {
            transaction: word & TRANSACTION,
            ghost: word & GHOST != 0,
            fresh: word & FRESH != 0,
            link: crate::pages::page::u64_at(payload, 8),
        }
    }

    /// Every snapshot sees that the row is gone, if it sees all transactions below `horizon`.
    #[inline]
    pub fn is_old_ghost(&self, horizon: u64) -> bool {
        self.ghost && self.transaction < horizon
    }

    #[inline]
    pub fn encode(&self) -> [u8; ROW_HEADER_BYTES] {
        debug_assert!(self.transaction <= TRANSACTION);
        debug_assert!(self.fresh || self.link != 0, "a row that replaces another leads to it");
        debug_assert!(!(self.fresh && self.ghost), "what a transaction deletes was there before");
        let flags = if self.ghost { GHOST } else { 0 } | if self.fresh { FRESH } else { 0 };
        let mut out = [0; ROW_HEADER_BYTES];
        out[..8].copy_from_slice(&(self.transaction | flags).to_le_bytes());
        out[8..].copy_from_slice(&self.link.to_le_bytes());
        out
    }
}

/// Blocks there may be at a time, in memory or spilled: 256 GB of old versions.
const BLOCKS_MAX: usize = 1 << 20;

type Words = [AtomicU64; BLOCK_WORDS];

/// `Entry::place` of a spilled block: its place in the spill file; otherwise its slot in the pool plus one, 0: gone.
const SPILLED: u64 = 1 << 32;
const _: () = assert!(BLOCKS_MAX < SPILLED as usize, "a place in the spill file is told from a slot of the pool");
const _: () = assert!(BLOCK_WORDS * 8 >= 4 * crate::pages::page::PAGE_BYTES, "any payload fits a block");

shared_struct! {
    /// One block in the ring of all blocks, found by its number.
    struct Entry {
        place: AtomicU64,
        /// The highest transaction that wrote into it; `u64::MAX` while it is being filled.
        newest: AtomicU64,
    }
}

shared_struct! {
    /// Which blocks there are: the numbers from `first` to `next`, some of them gone.
    struct Blocks {
        first: u32,
        next: u32,
        in_memory: u32,
        listed: u32,
        /// Blocks that the spill file has room for, and how many of them are free.
        spill_end: u32,
        spill_free: u32,
    }
}

shared_struct! {
    /// The block being filled: its number, its slot in the pool, the words used, the highest transaction that wrote into it.
    struct Current {
        number: u32,
        slot: u32,
        used: u32,
        newest: u64,
    }
}

shared_struct! {
    struct State {
        blocks: RwLock<Blocks>,
        current: Mutex<Current>,
        entries: AtomicU64,
    }
}

pub struct Versions {
    state: Placed<State>,
    ring: Part<Entry>,
    words: Pool<Words>,
    /// Free places of the spill file: a stack of `Blocks::spill_free`.
    spill_free: Part<AtomicU32>,
    in_memory_max: u32,
    broker: Broker,
    spill: File,
}

impl Versions {
    fn blocks_in_memory(memory_bytes: usize) -> usize {
        (memory_bytes / (BLOCK_WORDS * 8)).max(2)
    }

    /// Bytes of the region that a store takes.
    pub fn region_bytes(memory_bytes: usize) -> usize {
        Pool::<Words>::region_bytes(Versions::blocks_in_memory(memory_bytes) + 1)
            + BLOCKS_MAX * (size_of::<Entry>() + size_of::<u32>())
    }

    pub fn new(memory: &Memory, disk: &Disk, memory_bytes: usize) -> StorageResult<Versions> {
        if disk.exists("versions.spill") {
            disk.remove("versions.spill")?;
        }
        let spill = disk.open("versions.spill", Open::ExistingOrNew)?;
        let in_memory_max = Versions::blocks_in_memory(memory_bytes);
        assert!(in_memory_max >= 2, "one block is filled while another is spilled");
        // One more: a new block is taken before the oldest is spilled.
        let words = memory.pool::<Words>("row versions", in_memory_max + 1)?;
        let ring = memory.carve::<Entry>("version blocks", BLOCKS_MAX)?;
        let slot = words.take()?;
        ring[1].place.store(slot as u64 + 1, Ordering::Relaxed);
        ring[1].newest.store(u64::MAX, Ordering::Relaxed);
        memory.broker().add(Clerk::Versions, BLOCK_BYTES as usize);
        let blocks = Blocks { first: 1, next: 2, in_memory: 1, listed: 1, spill_end: 0, spill_free: 0 };
        let state = State {
            blocks: RwLock::new(WaitType::SOS_RW, blocks),
            current: Mutex::new(WaitType::SOS_MUTEX, Current { number: 1, slot, used: 0, newest: 0 }),
            entries: AtomicU64::new(0),
        };
        Ok(Versions {
            state: memory.place("version store", state)?,
            ring,
            words,
            spill_free: memory.carve("free spill places", BLOCKS_MAX)?,
            in_memory_max: in_memory_max as u32,
            broker: memory.broker().clone(),
            spill,
        })
    }

    fn entry(&self, number: u32) -> &Entry {
        debug_assert!(number != 0, "blocks are numbered from 1");
        &self.ring[number as usize % BLOCKS_MAX]
    }

    pub fn bytes(&self) -> u64 {
        self.state.blocks.read().listed as u64 * BLOCK_BYTES
    }

    pub fn entries(&self) -> u64 {
        self.state.entries.load(Ordering::Relaxed)
    }

    /// Keeps `payload`, which `transaction` is about to replace in statement `statement`. Returns the pointer to it.
    pub fn push(&self, transaction: u64, statement: u32, payload: &[u8]) -> StorageResult<u64> {
        let words = 1 + payload.len().div_ceil(8);
        assert!(words <= BLOCK_WORDS, "a payload of {} bytes", payload.len());
        assert!(
            transaction != 0 && payload.len() >= ROW_HEADER_BYTES,
            "a version has a header, what replaces it a writer"
        );
        let mut current = self.state.current.lock();
        if current.used as usize + words > BLOCK_WORDS || current.used > 0 && os::sim_choice!("versions.block", 32) {
            self.next_block(&mut current)?;
        }
        let at = current.used as usize;
        assert!(at + words <= BLOCK_WORDS, "the entry lies in the block");
        debug_assert_eq!(
            self.entry(current.number).place.load(Ordering::Relaxed),
            current.slot as u64 + 1,
            "the block being filled stays in memory"
        );
        let block = &self.words[current.slot];
        block[at].store(payload.len() as u64 | (statement as u64) << 32, Ordering::Relaxed);
        for (word, bytes) in block[at + 1..].iter().zip(payload.chunks(8)) {
            let mut padded = [0; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            word.store(u64::from_le_bytes(padded), Ordering::Relaxed);
        }
        current.newest = transaction.max(current.newest);
        current.used = (at + words) as u32;
        self.state.entries.fetch_add(1, Ordering::Relaxed);
        debug_assert!(current.used as usize <= BLOCK_WORDS && current.newest >= transaction);
        Ok((current.number as u64) << 32 | at as u64)
    }

    fn next_block(&self, current: &mut Current) -> StorageResult<()> {
        let mut blocks = self.state.blocks.write();
        let number = blocks.next;
        assert_eq!(current.number, number - 1, "the newest block is the one being filled");
        if number == u32::MAX || number - blocks.first >= BLOCKS_MAX as u32 {
            return Err(StorageError::OutOfMemory);
        }
        if blocks.in_memory >= self.in_memory_max || os::sim_choice!("versions.spill", 2) {
            self.spill_oldest(&mut blocks, current.number)?;
        }
        let slot = self.words.take()?;
        assert_eq!(
            self.entry(number).place.load(Ordering::Relaxed),
            0,
            "block {number} has its place in the ring for itself"
        );
        blocks.next += 1;
        blocks.in_memory += 1;
        self.broker.add(Clerk::Versions, BLOCK_BYTES as usize);
        blocks.listed += 1;
        assert!(blocks.in_memory <= self.in_memory_max && blocks.in_memory <= blocks.listed);
        assert!(blocks.listed <= blocks.next - blocks.first, "blocks that are there are listed once");
        self.entry(current.number).newest.store(current.newest, Ordering::Relaxed);
        self.entry(number).place.store(slot as u64 + 1, Ordering::Relaxed);
        self.entry(number).newest.store(u64::MAX, Ordering::Relaxed);
        *current = Current { number, slot, used: 0, newest: 0 };
        Ok(())
    }

    fn spill_oldest(&self, blocks: &mut Blocks, current: u32) -> StorageResult<()> {
        let in_memory = |number: &u32| (1..SPILLED).contains(&self.entry(*number).place.load(Ordering::Relaxed));
        let Some(number) = (blocks.first..blocks.next).filter(|number| *number != current).find(in_memory) else {
            return Ok(());
        };
        assert!(blocks.spill_free <= blocks.spill_end, "free places of the spill file are some of its places");
        let slot = (self.entry(number).place.load(Ordering::Relaxed) - 1) as u32;
        let bytes: Vec<u8> = self.words[slot].iter().flat_map(|w| w.load(Ordering::Relaxed).to_le_bytes()).collect();
        let place = match blocks.spill_free {
            0 => blocks.spill_end,
            free => self.spill_free[free as usize - 1].load(Ordering::Relaxed),
        };
        self.spill.write_at(&bytes, place as u64 * BLOCK_BYTES)?;
        debug_assert_eq!(bytes.len() as u64, BLOCK_BYTES);
        match blocks.spill_free {
            0 => blocks.spill_end += 1,
            _ => blocks.spill_free -= 1,
        }
        self.entry(number).place.store(SPILLED | place as u64, Ordering::Relaxed);
        self.words.give_empty(slot);
        blocks.in_memory -= 1;
        self.broker.sub(Clerk::Versions, BLOCK_BYTES as usize);
        assert!(blocks.in_memory >= 1, "the block being filled is in memory");
        Ok(())
    }

    /// Puts the payload at `pointer` into `out` and returns the number of the statement that replaced it.
    pub fn read(&self, pointer: u64, out: &mut Vec<u8>) -> StorageResult<u32> {
        let (number, at) = ((pointer >> 32) as u32, pointer as u32 as usize);
        out.clear();
        assert!(at < BLOCK_WORDS, "word {at} of a block");
        // Held while the words are copied: a block goes only under the writers' side.
        let blocks = self.state.blocks.read();
        let place = self.entry(number).place.load(Ordering::Relaxed);
        assert!((blocks.first..blocks.next).contains(&number) && place != 0, "a version that a snapshot needs is kept");
        if place & SPILLED != 0 {
            drop(blocks);
            return self.read_spilled(place as u32 as u64 * BLOCK_BYTES + at as u64 * 8, out);
        }
        let block = &self.words[place as u32 - 1];
        let head = block[at].load(Ordering::Relaxed);
        let bytes = head as u32 as usize;
        assert!(
            bytes >= ROW_HEADER_BYTES && at + 1 + bytes.div_ceil(8) <= BLOCK_WORDS,
            "a pointer leads to the beginning of an entry: {bytes} bytes at {at}"
        );
        for word in &block[at + 1..at + 1 + bytes.div_ceil(8)] {
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
        let is_old = |number: u32| {
            let entry = self.entry(number);
            entry.place.load(Ordering::Relaxed) != 0 && entry.newest.load(Ordering::Relaxed) < horizon
        };
        {
            let blocks = self.state.blocks.read();
            if !(blocks.first..blocks.next).any(is_old) {
                return;
            }
        }
        let mut blocks = self.state.blocks.write();
        for number in (blocks.first..blocks.next).filter(|number| is_old(*number)) {
            let place = self.entry(number).place.swap(0, Ordering::Relaxed);
            assert!(blocks.listed > 1, "the block being filled stays");
            if place & SPILLED != 0 {
                assert!(blocks.spill_free < blocks.spill_end, "a place of the spill file becomes free once");
                self.spill_free[blocks.spill_free as usize].store(place as u32, Ordering::Relaxed);
                blocks.spill_free += 1;
            } else {
                self.words.give_empty(place as u32 - 1);
                assert!(blocks.in_memory > 1, "the block being filled is in memory");
                blocks.in_memory -= 1;
                self.broker.sub(Clerk::Versions, BLOCK_BYTES as usize);
            }
            blocks.listed -= 1;
        }
        while blocks.first + 1 < blocks.next && self.entry(blocks.first).place.load(Ordering::Relaxed) == 0 {
            blocks.first += 1;
            assert!(blocks.first < blocks.next && blocks.in_memory <= blocks.listed);
        }
    }
}
