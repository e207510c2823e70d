//! A heap in shared memory: size classes, free blocks a scheduler, chunks of 64 KB, a limit.
//!
//! ```text
//!   part:  header | chunk map (1 byte a chunk) | chunks of 64 KB ...
//!   small (up to 16 KB): a chunk is cut into blocks of one class; of a free one word 0 is the next one of its bundle, word 1 names one
//!         some further on
//!   large: a run of whole chunks; freed runs are punched out
//! ```
//! A block is freed by any worker into its own scheduler's bundle, of a fixed number of blocks. Of two full bundles a scheduler passes
//! one on to all others, whole, and takes a whole one from them when it has none: nobody walks a list, whose blocks lie anywhere (Bonwick
//! and Adams' magazines, USENIX 2001). Blocks that were never used are cut from a scheduler's own chunk, one by one. Blocks keep
//! their class for good.
//!
//! The machine gives memory where it is first touched, 2 MB at once where pages are large, which takes longer than some thousand rows and
//! far longer where the host of a virtual machine has to find it. So somebody may see to it before chunks are taken (`back_ahead`): no
//! more than is in use already.
//!
//! Memory is not zeroed when reused. Nothing in a header points outside the part, so it works in every process.
#![allow(unsafe_code)]

use super::{OutOfMemory, Part, Placed, RELAXED, Region, expect};
use crate::sync::Event;
use crate::{simcore, sync, worker};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU64};

const CHUNK: usize = 64 * 1024;
const SMALL_MAX: usize = 16 * 1024;
/// Classes: multiples of 16 up to 128, then four steps a doubling.
const CLASSES: usize = 8 + 4 * 7;
/// Places of free blocks: one a scheduler, those above share.
const LISTS: usize = 64;
/// Bytes of a bundle's blocks.
const BUNDLE_BYTES: usize = 128 * 1024;

/// A free block is asked for so many before it is taken: it lies anywhere, and memory takes as long as some rows do.
const AHEAD: usize = 8;

/// Memory is there ahead of its use for so many chunks at most; it is asked for in steps.
const BACKED_AHEAD_MAX: u64 = (64 << 20) / CHUNK as u64;
const BACKED_STEP: u64 = (2 << 20) / CHUNK as u64;

const _: () = {
    assert!(class_bytes(0) == 16 && class_bytes(CLASSES - 1) == SMALL_MAX, "the classes end where large blocks begin");
    assert!(
        SMALL_MAX <= CHUNK && CHUNK.is_multiple_of(super::PAGE),
        "a chunk holds a block, and is given back in pages"
    );
    assert!(BUNDLE_BYTES >= 2 * SMALL_MAX, "a bundle is more than a block");
    assert!(LINK_BYTES <= class_bytes(0), "a free block has room for its two words");
};
const LINK_BYTES: usize = 2 * size_of::<AtomicU64>();

const FREE: u8 = 0;
const FIRST: u8 = 1;
const REST: u8 = 2;

/// A scheduler's free blocks of a class. First blocks are offsets plus one; 0: none.
#[repr(C)]
struct FreeList {
    lock: sync::RawSpin,
    /// First and number of the blocks of the bundle in hand.
    head: AtomicU64,
    count: AtomicU64,
    /// The blocks that were freed last: where the next one goes, as it is counted, is the one that was freed `AHEAD` before it. As long as
    /// none was taken between, that is; a block that is asked for in vain costs nothing.
    freed: [AtomicU64; AHEAD],
    /// The first block of a full bundle.
    full: AtomicU64,
    /// The offset of the next block of the chunk that is being used up, and how many are left in it.
    uncut: AtomicU64,
    uncut_count: AtomicU64,
}

/// Full bundles of a class that any scheduler may take, linked by word 1 of their first blocks.
#[repr(C)]
struct Bundles {
    lock: sync::RawSpin,
    head: AtomicU64,
    count: AtomicU64,
}

#[repr(C)]
struct Header {
    lists: [[FreeList; CLASSES]; LISTS],
    bundles: [Bundles; CLASSES],
    /// Blocks of each class that there are, in use or free.
    cut: [AtomicU64; CLASSES],
    chunk_lock: sync::RawSpin,
    /// Where the search for free chunks begins.
    next_chunk: AtomicU64,
    chunks_used: AtomicU64,
    /// Of these, those in large blocks.
    chunks_large: AtomicU64,
    /// All chunks from here on were never used.
    used_to: AtomicU64,
    /// Chunks before this one, and behind `used_to`, have memory. `u64::MAX`: the machine gives none ahead.
    backed_to: AtomicU64,
    refusals: AtomicU64,
    /// Chunks that may be in use; 0: all there are.
    chunks_max: AtomicU64,
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
    /// Rings when there is something to do for `back_ahead`.
    short: Option<Placed<Event>>,
}

impl RegionHeap {
    /// Carves a heap of `bytes` from the region.
    pub fn carve(region: &Region, name: &'static str, bytes: usize) -> Result<RegionHeap, OutOfMemory> {
        let count = bytes / CHUNK;
        Ok(RegionHeap {
            header: region.carve("heap header", 1)?,
            map: region.carve("heap chunk map", count)?,
            chunks: region.carve(name, count * CHUNK)?,
            short: None,
        })
    }

    /// From now on `bell` rings when memory is to be there ahead of its use, for who calls `back_ahead`. Not in a simulation.
    pub fn ring_when_short(&mut self, bell: Placed<Event>) {
        self.short = Some(bell).filter(|_| !self.chunks.region().is_simulated());
    }

    /// Chunks that have memory, and are to have it.
    fn backing(&self) -> (u64, u64) {
        let used_to = self.header().used_to.load(RELAXED);
        assert!(used_to as usize <= self.map.len(), "{used_to} chunks of {} were used", self.map.len());
        let wanted = used_to + used_to.min(BACKED_AHEAD_MAX);
        let most = self.chunks_max().max(used_to);
        (self.header().backed_to.load(RELAXED).max(used_to), wanted.min(most))
    }

    /// Whether so little is left of it that more is to be asked for.
    pub fn is_short(&self) -> bool {
        let (backed, wanted) = self.backing();
        let ahead = wanted - self.header().used_to.load(RELAXED).min(wanted);
        backed.saturating_add(ahead / 2) < wanted
    }

    /// Has memory given to chunks that will be used next. It takes milliseconds, which the caller's thread spends in the kernel.
    pub fn back_ahead(&self) {
        loop {
            let (backed, wanted) = self.backing();
            if backed >= wanted {
                return;
            }
            let count = (wanted - backed).min(BACKED_STEP);
            let given = self.chunks.region().back(self.at(backed * CHUNK as u64), count as usize * CHUNK);
            self.header().backed_to.store(if given { backed + count } else { u64::MAX }, RELAXED);
        }
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
            Some(offset) => {
                debug_assert!(self.is_taken(offset, bytes), "a block of {bytes} at {offset} that is not one");
                Ok(self.at(offset))
            }
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
        debug_assert!(self.is_taken(offset, bytes), "{bytes} at {offset} are no block that was given out");
        if bytes > SMALL_MAX {
            assert!((offset as usize).is_multiple_of(CHUNK), "a large block begins with a chunk");
            return self.free_large(offset as usize / CHUNK, bytes.div_ceil(CHUNK));
        }
        assert!(offset.is_multiple_of(16), "a block of {bytes} does not begin at {offset}");
        let class = class_of(bytes);
        let list = &self.header().lists[list_here()][class];
        list.lock.lock();
        // Another block may be between the two; but who frees twice mostly does so at once.
        assert!(list.head.load(RELAXED) != offset + 1, "the block at {offset} is freed twice");
        let mut passed_on = 0;
        if list.count.load(RELAXED) == bundle_count(class) {
            passed_on = list.full.load(RELAXED);
            list.full.store(list.head.load(RELAXED), RELAXED);
            list.head.store(0, RELAXED);
            list.count.store(0, RELAXED);
        }
        let count = list.count.load(RELAXED);
        debug_assert!(count < bundle_count(class), "a bundle of {count} blocks");
        debug_assert!((count == 0) == (list.head.load(RELAXED) == 0), "free blocks that are not counted");
        let freed = &list.freed[count as usize % AHEAD];
        self.word(offset, 0).store(list.head.load(RELAXED), RELAXED);
        self.word(offset, 1).store(freed.load(RELAXED), RELAXED);
        freed.store(offset, RELAXED);
        list.head.store(offset + 1, RELAXED);
        list.count.store(count + 1, RELAXED);
        list.lock.unlock();
        if passed_on != 0 {
            let bundles = &self.header().bundles[class];
            bundles.lock.lock();
            assert!(bundles.head.load(RELAXED) != passed_on, "a bundle is passed on twice");
            self.word(passed_on - 1, 1).store(bundles.head.load(RELAXED), RELAXED);
            bundles.head.store(passed_on, RELAXED);
            bundles.count.store(bundles.count.load(RELAXED) + 1, RELAXED);
            bundles.lock.unlock();
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

    /// So many bytes may be in use from now on, if the part has them. What is in use stays.
    pub fn limit_to(&self, bytes: u64) {
        self.header().chunks_max.store((bytes / CHUNK as u64).max(1), RELAXED);
    }

    fn chunks_max(&self) -> u64 {
        match self.header().chunks_max.load(RELAXED) {
            0 => self.map.len() as u64,
            max => max.min(self.map.len() as u64),
        }
    }

    /// Chunks that have memory, used or ahead of their use.
    pub fn resident_bytes(&self) -> u64 {
        let header = self.header();
        let (used, used_to) = (header.chunks_used.load(RELAXED), header.used_to.load(RELAXED));
        let ahead = match header.backed_to.load(RELAXED) {
            u64::MAX => 0,
            backed_to => backed_to.saturating_sub(used_to),
        };
        (used + ahead) * CHUNK as u64
    }

    pub fn stats(&self) -> HeapStats {
        let header = self.header();
        let used = |class: usize| {
            let cut = header.cut[class].load(RELAXED);
            let free_in = |list: &FreeList| {
                let full = if list.full.load(RELAXED) != 0 { bundle_count(class) } else { 0 };
                list.count.load(RELAXED) + full + list.uncut_count.load(RELAXED)
            };
            let free: u64 = header.lists.iter().map(|lists| free_in(&lists[class])).sum();
            let passed_on = header.bundles[class].count.load(RELAXED) * bundle_count(class);
            // A bundle that went from place to place meanwhile may have been counted twice.
            cut.saturating_sub(free + passed_on) * class_bytes(class) as u64
        };
        let large = header.chunks_large.load(RELAXED) * CHUNK as u64;
        HeapStats {
            allocated_bytes: large + (0..CLASSES).map(used).sum::<u64>(),
            reserved_bytes: header.chunks_used.load(RELAXED) * CHUNK as u64,
            limit_bytes: self.chunks_max() * CHUNK as u64,
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

    /// Whether a small block of the class may lie there.
    fn is_place(&self, offset: u64, class: usize) -> bool {
        let (at, bytes) = (offset as usize % CHUNK, class_bytes(class));
        (offset as usize) < self.chunks.len() && at.is_multiple_of(bytes) && at + bytes <= CHUNK
    }

    /// Whether a block of so many bytes may lie there, in chunks that were taken for it.
    fn is_taken(&self, offset: u64, bytes: usize) -> bool {
        let is_first = self.map[offset as usize / CHUNK].load(RELAXED) == FIRST;
        let fits = match bytes {
            0..=SMALL_MAX => self.is_place(offset, class_of(bytes)),
            _ => (offset as usize).is_multiple_of(CHUNK) && offset as usize + bytes <= self.chunks.len(),
        };
        is_first && fits
    }

    /// A word of a free block.
    #[inline]
    fn word(&self, offset: u64, index: usize) -> &AtomicU64 {
        // SAFETY: a free block of 16 bytes or more, aligned to 16, is the heap's own to write.
        unsafe { self.at(offset).cast::<AtomicU64>().add(index).as_ref() }
    }

    #[inline]
    fn take_small(&self, bytes: usize) -> Option<u64> {
        let class = class_of(bytes);
        let list = &self.header().lists[list_here()][class];
        list.lock.lock();
        let block = self.pop(list, class).or_else(|| cut_block(list, class)).or_else(|| self.refill(list, class));
        list.lock.unlock();
        block
    }

    #[inline]
    fn pop(&self, list: &FreeList, class: usize) -> Option<u64> {
        let offset = list.head.load(RELAXED).checked_sub(1)?;
        let (next, count) = (self.word(offset, 0).load(RELAXED), list.count.load(RELAXED));
        // Who wrote to a block after it was freed wrote over this.
        debug_assert!(next == 0 || self.is_place(next - 1, class), "the free block at {offset} is followed by {next}");
        debug_assert!((next == 0) == (count == 1), "{count} free blocks, and {next} is the next");
        list.head.store(next, RELAXED);
        list.count.store(count - 1, RELAXED);
        let ahead = self.chunks.as_ptr().as_ptr().wrapping_add(self.word(offset, 1).load(RELAXED) as usize);
        expect(ahead);
        if class_bytes(class) > 64 {
            expect(ahead.wrapping_add(64));
        }
        Some(offset)
    }

    /// A block for a list that has none: of its full bundle, of one that others passed on, of a fresh chunk. Order of locks: the list's,
    /// the bundles', the chunks'.
    #[cold]
    fn refill(&self, list: &FreeList, class: usize) -> Option<u64> {
        list.lock.assert_held();
        assert!(list.head.load(RELAXED) == 0 && list.count.load(RELAXED) == 0, "a list is refilled that has blocks");
        assert!(list.uncut_count.load(RELAXED) == 0, "a chunk is left before it is used up");
        let mut bundle = list.full.swap(0, RELAXED);
        if bundle == 0 {
            let bundles = &self.header().bundles[class];
            bundles.lock.lock();
            bundle = bundles.head.load(RELAXED);
            let count = bundles.count.load(RELAXED);
            assert!((bundle == 0) == (count == 0), "{count} full bundles, and {bundle} is the first");
            if bundle != 0 {
                let next = self.word(bundle - 1, 1).load(RELAXED);
                assert!((next == 0) == (count == 1), "{count} full bundles, and {next} is the next");
                bundles.head.store(next, RELAXED);
                bundles.count.store(count - 1, RELAXED);
            }
            bundles.lock.unlock();
        }
        if bundle != 0 {
            assert!(self.is_place(bundle - 1, class), "a bundle of another class");
            list.head.store(bundle, RELAXED);
            list.count.store(bundle_count(class), RELAXED);
            return self.pop(list, class);
        }
        let chunk = self.take_run(1)?;
        let count = (CHUNK / class_bytes(class)) as u64;
        self.header().cut[class].fetch_add(count, RELAXED);
        list.uncut.store(chunk, RELAXED);
        list.uncut_count.store(count, RELAXED);
        cut_block(list, class)
    }

    fn take_large(&self, chunks: usize) -> Option<u64> {
        let run = self.take_run(chunks)?;
        self.header().chunks_large.fetch_add(chunks as u64, RELAXED);
        Some(run)
    }

    /// Takes `count` chunks in a row; their offset.
    fn take_run(&self, count: usize) -> Option<u64> {
        let header = self.header();
        assert!(count > 0, "a run of no chunks");
        header.chunk_lock.lock();
        let start = header.next_chunk.load(RELAXED) as usize;
        let is_room = header.chunks_used.load(RELAXED) + count as u64 <= self.chunks_max();
        let find = |from| self.find_run(from, self.map.len(), count).filter(|_| is_room);
        let found = find(start).or_else(|| find(0));
        if let Some(first) = found {
            self.map[first].store(FIRST, RELAXED);
            for chunk in first + 1..first + count {
                self.map[chunk].store(REST, RELAXED);
            }
            header.next_chunk.store((first + count) as u64, RELAXED);
            header.used_to.fetch_max((first + count) as u64, RELAXED);
            let used = header.chunks_used.fetch_add(count as u64, RELAXED);
            assert!(used as usize + count <= self.map.len(), "{used} chunks were in use, and {count} more were free");
        }
        header.chunk_lock.unlock();
        if let Some(bell) = self.short.as_ref().filter(|_| self.is_short()) {
            bell.set();
        }
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
        let is_rest = |chunk: usize| self.map.get(chunk).is_some_and(|mark| mark.load(RELAXED) == REST);
        assert!((first + 1..first + count).all(is_rest), "a run is shorter than what is freed");
        assert!(!is_rest(first + count), "a run is longer than what is freed");
        // SAFETY: the run is ours from here on: its user gave it back, and its chunks are still marked as taken.
        unsafe { self.chunks.region().punch_out(self.at((first * CHUNK) as u64), count * CHUNK) };
        let header = self.header();
        header.chunk_lock.lock();
        for chunk in first..first + count {
            self.map[chunk].store(FREE, RELAXED);
        }
        let used = header.chunks_used.fetch_sub(count as u64, RELAXED);
        let large = header.chunks_large.fetch_sub(count as u64, RELAXED);
        assert!(
            used >= count as u64 && large >= count as u64,
            "{count} chunks of {used} in use, {large} in large blocks"
        );
        header.next_chunk.store(first as u64, RELAXED);
        header.chunk_lock.unlock();
    }
}

/// A block that was never used, of the list's own chunk.
#[inline]
fn cut_block(list: &FreeList, class: usize) -> Option<u64> {
    let left = list.uncut_count.load(RELAXED).checked_sub(1)?;
    let offset = list.uncut.load(RELAXED);
    debug_assert!(offset as usize % CHUNK + class_bytes(class) <= CHUNK, "a block beyond the end of its chunk");
    list.uncut_count.store(left, RELAXED);
    list.uncut.store(offset + class_bytes(class) as u64, RELAXED);
    Some(offset)
}

/// Blocks of a bundle.
#[inline]
fn bundle_count(class: usize) -> u64 {
    const COUNTS: [u64; CLASSES] = {
        let mut counts = [0; CLASSES];
        let mut class = 0;
        while class < CLASSES {
            counts[class] = (BUNDLE_BYTES / class_bytes(class)) as u64;
            class += 1;
        }
        counts
    };
    COUNTS[class]
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

const fn class_bytes(class: usize) -> usize {
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

    /// Pages that have memory, of those that so many bytes from an offset on are in.
    fn pages_there(heap: &RegionHeap, offset: usize, bytes: usize) -> usize {
        let mut there = vec![0; bytes / 4096];
        let failed = unsafe { libc::mincore(heap.at(offset as u64).as_ptr().cast(), bytes, there.as_mut_ptr()) };
        assert_eq!(failed, 0);
        there.iter().filter(|page| **page & 1 != 0).count()
    }

    #[test]
    #[cfg_attr(miri, ignore = "miri has no pages")]
    fn memory_is_there_ahead_of_its_use() {
        for visibility in [Visibility::ThisProcess, Visibility::ForkedProcesses] {
            let region = Region::reserve(64 << 20, visibility).unwrap();
            let mut heap = RegionHeap::carve(&region, "test", 16 << 20).unwrap();
            let bell = region.place("bell", Event::manual_reset(crate::wait::WaitType::WAIT_XTP_HOST_WAIT)).unwrap();
            heap.ring_when_short(bell.clone());
            assert!(!heap.is_short() && !bell.is_set());
            // Four chunks, of which four more are wanted.
            let blocks: Vec<_> = (0..4 * CHUNK / 1024).map(|_| heap.allocate(1024).unwrap()).collect();
            assert!(heap.is_short() && bell.is_set());
            assert_eq!(pages_there(&heap, 4 * CHUNK, 4 * CHUNK), 0);
            heap.back_ahead();
            assert_eq!(pages_there(&heap, 4 * CHUNK, 12 * CHUNK), 4 * CHUNK / 4096);
            assert!(!heap.is_short());
            // A large block is used as it is touched; there is memory behind it, up to the end.
            let large = heap.allocate(200 * CHUNK).unwrap();
            assert!(heap.is_short());
            heap.back_ahead();
            assert_eq!(pages_there(&heap, 8 * CHUNK, 196 * CHUNK), 0);
            assert_eq!(pages_there(&heap, 204 * CHUNK, 52 * CHUNK), 52 * CHUNK / 4096);
            assert!(!heap.is_short());
            // SAFETY: allocated above, freed once.
            unsafe {
                blocks.into_iter().for_each(|block| heap.free(block, 1024));
                heap.free(large, 200 * CHUNK);
            }
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
