//! A heap in shared memory: size classes, a free list a scheduler, chunks of 64 KB, a limit.
//!
//! ```text
//!   part:  header | chunk map (1 byte a chunk) | chunks of 64 KB ...
//!   small (up to 16 KB): a chunk is cut into blocks of one class; freed blocks are linked through their first 8 bytes
//!   large: a run of whole chunks; freed runs are punched out
//! ```
//! A block is freed by any worker into its own scheduler's list; a list that grows long passes half of itself on to the
//! common list of its class, from which empty ones refill. Blocks keep their class for good.
//!
//! Memory is not zeroed when reused. Nothing in a header points outside the part, so it works in every process.
#![allow(unsafe_code)]

use super::{OutOfMemory, Part, RELAXED, Region};
use crate::{simcore, sync, worker};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU64};

const CHUNK: usize = 64 * 1024;
const SMALL_MAX: usize = 16 * 1024;
/// Classes: multiples of 16 up to 128, then four steps a doubling.
const CLASSES: usize = 8 + 4 * 7;
/// Free lists: one a scheduler, one for everyone else.
const LISTS: usize = 64;
const COMMON: usize = LISTS;
/// Bytes a scheduler's list keeps of a class before it passes half on.
const KEEP_BYTES: u64 = 256 * 1024;

const FREE: u8 = 0;
const FIRST: u8 = 1;
const REST: u8 = 2;

#[repr(C)]
struct FreeList {
    lock: sync::RawSpin,
    /// Offset of the first block plus one; 0: none.
    head: AtomicU64,
    count: AtomicU64,
}

#[repr(C)]
struct Header {
    lists: [[FreeList; CLASSES]; LISTS + 1],
    /// Blocks of each class that there are, in use or in a list.
    cut: [AtomicU64; CLASSES],
    chunk_lock: sync::RawSpin,
    /// Where the search for free chunks begins.
    next_chunk: AtomicU64,
    chunks_used: AtomicU64,
    /// Of these, those in large blocks.
    chunks_large: AtomicU64,
    refusals: AtomicU64,
}

// SAFETY: locks and counters, valid when zero.
unsafe impl super::Shared for Header {}

/// How much is in use, for DMVs and the limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeapStats {
    /// What the blocks given out amount to, by their class.
    pub allocated_bytes: u64,
    /// Chunks taken, free blocks in them included.
    pub reserved_bytes: u64,
    pub limit_bytes: u64,
    pub refusals: u64,
}

#[derive(Clone)]
pub struct RegionHeap {
    header: Part<Header>,
    map: Part<AtomicU8>,
    chunks: Part<u8>,
}

impl RegionHeap {
    /// Carves a heap of `bytes` from the region.
    pub fn carve(region: &Region, name: &'static str, bytes: usize) -> Result<RegionHeap, OutOfMemory> {
        let count = bytes / CHUNK;
        Ok(RegionHeap {
            header: region.carve("heap header", 1)?,
            map: region.carve("heap chunk map", count)?,
            chunks: region.carve(name, count * CHUNK)?,
        })
    }

    /// See [`Part::prefer_large_pages`]. Up to 2 MB more are in use than blocks were given out.
    pub fn prefer_large_pages(&self) {
        self.chunks.prefer_large_pages();
    }

    /// A block of at least `bytes`, aligned to 16, contents unspecified.
    pub fn allocate(&self, bytes: usize) -> Result<NonNull<u8>, OutOfMemory> {
        let refused = simcore::active() && simcore::with(|sim| sim.memory_refused());
        let block = match bytes {
            _ if refused => None,
            0..=SMALL_MAX => self.take_small(bytes),
            _ => self.take_large(bytes.div_ceil(CHUNK)),
        };
        match block {
            Some(offset) => Ok(self.at(offset)),
            None => {
                self.header().refusals.fetch_add(1, RELAXED);
                Err(OutOfMemory)
            }
        }
    }

    /// Gives a block back.
    ///
    /// # Safety
    /// `block` came from `allocate(bytes)` of this heap (in any process), and nobody uses it any more.
    pub unsafe fn free(&self, block: NonNull<u8>, bytes: usize) {
        let offset = block.as_ptr() as u64 - self.chunks.as_ptr().as_ptr() as u64;
        assert!((offset as usize) < self.chunks.len(), "block of another heap");
        if bytes > SMALL_MAX {
            return self.free_large(offset as usize / CHUNK, bytes.div_ceil(CHUNK));
        }
        let class = class_of(bytes);
        let list = &self.header().lists[list_here()][class];
        list.lock.lock();
        self.push(list, offset);
        let keep = KEEP_BYTES / class_bytes(class) as u64 + 16;
        let passed_on = if list.count.load(RELAXED) > keep { self.split(list, keep / 2) } else { None };
        list.lock.unlock();
        if let Some((first, last, count)) = passed_on {
            let common = &self.header().lists[COMMON][class];
            common.lock.lock();
            self.link(last).store(common.head.load(RELAXED), RELAXED);
            common.head.store(first + 1, RELAXED);
            common.count.store(common.count.load(RELAXED) + count, RELAXED);
            common.lock.unlock();
        }
    }

    /// Where the blocks lie: their places as distances from here are the same in every process.
    pub fn start(&self) -> NonNull<u8> {
        self.chunks.as_ptr()
    }

    /// Bytes from `start` that blocks may lie in.
    pub fn limit_bytes(&self) -> usize {
        self.chunks.len()
    }

    pub fn stats(&self) -> HeapStats {
        let header = self.header();
        let used = |class: usize| {
            let cut = header.cut[class].load(RELAXED);
            let free: u64 = header.lists.iter().map(|lists| lists[class].count.load(RELAXED)).sum();
            // One that went from list to list meanwhile may have been counted twice.
            cut.saturating_sub(free) * class_bytes(class) as u64
        };
        let large = header.chunks_large.load(RELAXED) * CHUNK as u64;
        HeapStats {
            allocated_bytes: large + (0..CLASSES).map(used).sum::<u64>(),
            reserved_bytes: header.chunks_used.load(RELAXED) * CHUNK as u64,
            limit_bytes: self.chunks.len() as u64,
            refusals: header.refusals.load(RELAXED),
        }
    }

    fn header(&self) -> &Header {
        &self.header[0]
    }

    fn at(&self, offset: u64) -> NonNull<u8> {
        assert!((offset as usize) < self.chunks.len());
        // SAFETY: within the part, just checked.
        unsafe { self.chunks.as_ptr().add(offset as usize) }
    }

    /// The link in a free block.
    fn link(&self, offset: u64) -> &AtomicU64 {
        // SAFETY: a free block of 16 bytes or more, aligned to 16, is the heap's own to write.
        unsafe { self.at(offset).cast::<AtomicU64>().as_ref() }
    }

    fn push(&self, list: &FreeList, offset: u64) {
        self.link(offset).store(list.head.load(RELAXED), RELAXED);
        list.head.store(offset + 1, RELAXED);
        list.count.store(list.count.load(RELAXED) + 1, RELAXED);
    }

    fn pop(&self, list: &FreeList) -> Option<u64> {
        let offset = list.head.load(RELAXED).checked_sub(1)?;
        list.head.store(self.link(offset).load(RELAXED), RELAXED);
        list.count.store(list.count.load(RELAXED) - 1, RELAXED);
        Some(offset)
    }

    /// Takes the first `count` blocks of a longer list: (first, last, count).
    fn split(&self, list: &FreeList, count: u64) -> Option<(u64, u64, u64)> {
        let first = list.head.load(RELAXED).checked_sub(1)?;
        let mut last = first;
        for _ in 1..count {
            last = self.link(last).load(RELAXED).checked_sub(1)?;
        }
        list.head.store(self.link(last).load(RELAXED), RELAXED);
        list.count.store(list.count.load(RELAXED) - count, RELAXED);
        Some((first, last, count))
    }

    fn take_small(&self, bytes: usize) -> Option<u64> {
        let class = class_of(bytes);
        let list = &self.header().lists[list_here()][class];
        list.lock.lock();
        let mut block = self.pop(list);
        if block.is_none() {
            self.refill(list, class);
            block = self.pop(list);
        }
        list.lock.unlock();
        block
    }

    /// Fills an empty, locked list from the common one or a fresh chunk. Order of locks: own list, common list, chunks.
    #[cold]
    fn refill(&self, list: &FreeList, class: usize) {
        let size = class_bytes(class);
        let common = &self.header().lists[COMMON][class];
        common.lock.lock();
        for _ in 0..(KEEP_BYTES as usize / 4 / size).max(1) {
            let Some(offset) = self.pop(common) else { break };
            self.push(list, offset);
        }
        common.lock.unlock();
        if list.head.load(RELAXED) != 0 {
            return;
        }
        if let Some(chunk) = self.take_run(1) {
            self.header().cut[class].fetch_add((CHUNK / size) as u64, RELAXED);
            for n in (0..CHUNK / size).rev() {
                self.push(list, chunk + (n * size) as u64);
            }
        }
    }

    fn take_large(&self, chunks: usize) -> Option<u64> {
        let run = self.take_run(chunks)?;
        self.header().chunks_large.fetch_add(chunks as u64, RELAXED);
        Some(run)
    }

    /// Takes `count` chunks in a row; their offset.
    fn take_run(&self, count: usize) -> Option<u64> {
        let header = self.header();
        header.chunk_lock.lock();
        let start = header.next_chunk.load(RELAXED) as usize;
        let found = self.find_run(start, self.map.len(), count).or_else(|| self.find_run(0, self.map.len(), count));
        if let Some(first) = found {
            self.map[first].store(FIRST, RELAXED);
            for chunk in first + 1..first + count {
                self.map[chunk].store(REST, RELAXED);
            }
            header.next_chunk.store((first + count) as u64, RELAXED);
            header.chunks_used.fetch_add(count as u64, RELAXED);
        }
        header.chunk_lock.unlock();
        found.map(|first| (first * CHUNK) as u64)
    }

    fn find_run(&self, from: usize, to: usize, count: usize) -> Option<usize> {
        let mut length = 0;
        for at in from..to {
            length = if self.map[at].load(RELAXED) == FREE { length + 1 } else { 0 };
            if length == count {
                return Some(at + 1 - count);
            }
        }
        None
    }

    fn free_large(&self, first: usize, count: usize) {
        assert!(self.map[first].load(RELAXED) == FIRST, "freed twice, or not the start of a run");
        // SAFETY: the run is ours from here on: its user gave it back, and its chunks are still marked as taken.
        unsafe { self.chunks.region().punch_out(self.at((first * CHUNK) as u64), count * CHUNK) };
        let header = self.header();
        header.chunk_lock.lock();
        for chunk in first..first + count {
            self.map[chunk].store(FREE, RELAXED);
        }
        header.chunks_used.fetch_sub(count as u64, RELAXED);
        header.chunks_large.fetch_sub(count as u64, RELAXED);
        header.next_chunk.store(first as u64, RELAXED);
        header.chunk_lock.unlock();
    }
}

fn list_here() -> usize {
    worker::current_scheduler() as usize % LISTS
}

/// 0..8: 16, 32 .. 128; then 160, 192, 224, 256, 320 ...
fn class_of(bytes: usize) -> usize {
    assert!(bytes <= SMALL_MAX);
    if bytes <= 128 {
        return bytes.max(1).div_ceil(16) - 1;
    }
    let doubling = (bytes - 1).ilog2() as usize;
    8 + (doubling - 7) * 4 + ((bytes - 1) >> (doubling - 2)) - 4
}

fn class_bytes(class: usize) -> usize {
    if class < 8 {
        return (class + 1) * 16;
    }
    let (doubling, quarter) = ((class - 8) / 4 + 7, (class - 8) % 4);
    (1 << doubling) + ((quarter + 1) << (doubling - 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::Visibility;
    use crate::rng::Rng;

    #[test]
    fn classes_hold_what_they_are_for() {
        for bytes in 1..=SMALL_MAX {
            let class = class_of(bytes);
            assert!(class < CLASSES && class_bytes(class) >= bytes, "{bytes}");
            assert!(class == 0 || class_bytes(class - 1) < bytes, "{bytes}");
            assert!(class_bytes(class).is_multiple_of(16));
        }
    }

    #[test]
    fn blocks_do_not_overlap_and_all_come_back() {
        for visibility in [Visibility::ThisProcess, Visibility::ForkedProcesses] {
            let region = Region::reserve(64 << 20, visibility).unwrap();
            let heap = RegionHeap::carve(&region, "test", 16 << 20).unwrap();
            let mut rng = Rng::from_seed(7);
            let mut live: Vec<(NonNull<u8>, usize, u8)> = Vec::new();
            for round in 0..60_000u64 {
                if live.len() < 600 && rng.below(2) == 0 {
                    let bytes = if rng.below(50) == 0 { rng.below(200_000) } else { rng.below(4_000) } as usize + 1;
                    if let Ok(block) = heap.allocate(bytes) {
                        assert!((block.as_ptr() as usize).is_multiple_of(16));
                        // SAFETY: the block has at least `bytes` bytes.
                        unsafe { block.as_ptr().write_bytes(round as u8, bytes) };
                        live.push((block, bytes, round as u8));
                    }
                } else if !live.is_empty() {
                    let (block, bytes, mark) = live.swap_remove(rng.below(live.len() as u64) as usize);
                    // SAFETY: allocated above with this size, freed once.
                    unsafe {
                        assert!(std::slice::from_raw_parts(block.as_ptr(), bytes).iter().all(|byte| *byte == mark));
                        heap.free(block, bytes);
                    }
                }
            }
            let taken = |bytes: usize| match bytes {
                0..=SMALL_MAX => class_bytes(class_of(bytes)),
                _ => bytes.next_multiple_of(CHUNK),
            };
            let in_use: usize = live.iter().map(|(_, bytes, _)| taken(*bytes)).sum();
            assert_eq!(heap.stats().allocated_bytes, in_use as u64);
            for (block, bytes, _) in live {
                // SAFETY: as above.
                unsafe { heap.free(block, bytes) };
            }
            assert_eq!(heap.stats().allocated_bytes, 0);
        }
    }

    #[test]
    fn a_full_heap_refuses_and_recovers() {
        let region = Region::reserve(64 << 20, Visibility::ThisProcess).unwrap();
        let heap = RegionHeap::carve(&region, "test", 1 << 20).unwrap();
        let mut blocks = Vec::new();
        while let Ok(block) = heap.allocate(1000) {
            blocks.push(block);
        }
        assert!(blocks.len() >= 1000 && heap.allocate(100_000).is_err());
        assert_eq!(heap.stats().refusals, 2);
        for block in blocks {
            // SAFETY: allocated above, freed once.
            unsafe { heap.free(block, 1000) };
        }
        assert!(heap.allocate(1000).is_ok());
        assert!(Region::reserve(0, Visibility::ThisProcess).is_err());
        assert!(region.carve::<u64>("too large", usize::MAX / 2).is_err());
    }
}
