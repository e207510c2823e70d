//! The memory that row versions, buckets and work lists of memory-optimized tables lie in: one heap in the region, so that
//! every engine reaches them at the same places.
//!
//! A block is written by whoever allocated it until its place is stored where others find it; from then on its bytes stay as
//! they are and only its words (`word`) change, atomically. It is freed when no snapshot is left that could have found it
//! (`collect`): that is why reading bytes here is sound.
#![allow(unsafe_code)]

use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;

use os::region::{HeapStats, Placed, RegionHeap};
use os::sync::Event;
use os::wait::WaitType;

use crate::error::StorageResult;
use crate::region::memory::Memory;

/// The place of a block, a multiple of 16; 0: none. So a word that holds one has four bits left for marks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct At(u64);

const MARKS: u64 = 15;
/// What a place is above the distance from the heap's start, so that none is 0.
const ABOVE: u64 = 16;
const _: () = assert!(ABOVE.is_multiple_of(MARKS + 1), "a place is a multiple of 16");

impl At {
    pub const NONE: At = At(0);

    /// The place in a word, whatever its marks.
    #[inline]
    pub const fn of_word(word: u64) -> At {
        At(word & !MARKS)
    }

    #[inline]
    pub const fn word(self) -> u64 {
        self.0
    }

    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

pub struct RowMemory {
    heap: RegionHeap,
    start: NonNull<u8>,
    bytes: usize,
    /// Where the last word may begin.
    last_word: usize,
    /// Rings when somebody is to see to it that there is memory ahead of its use.
    pub short: Placed<Event>,
}

// SAFETY: `start` is where the heap lies, which is shared memory that belongs to no thread.
unsafe impl Send for RowMemory {}
// SAFETY: as above; what is behind it is read and changed as the head of this file says.
unsafe impl Sync for RowMemory {}

impl RowMemory {
    pub fn carve(memory: &Memory, bytes: usize) -> StorageResult<RowMemory> {
        let mut heap = memory.heap("memory-optimized tables", bytes)?;
        heap.prefer_large_pages();
        let short =
            memory.place("memory-optimized tables are short", Event::auto_reset(WaitType::WAIT_XTP_HOST_WAIT))?;
        heap.ring_when_short(short.clone());
        memory.broker().attach_rows(heap.clone());
        let bytes = heap.limit_bytes();
        let last_word = bytes.checked_sub(8).expect("room for a word");
        Ok(RowMemory { start: heap.start(), bytes, last_word, heap, short })
    }

    /// Has the machine give memory before it is used, so that no row waits for it.
    pub fn back_ahead(&self) {
        if self.heap.is_short() {
            os::sched::preemptive(WaitType::XTP_PREEMPTIVE_TASK, || self.heap.back_ahead());
        }
    }

    /// A block of at least `bytes`, its contents unspecified; of more than 16 KB: zeros.
    #[inline]
    pub fn allocate(&self, bytes: usize) -> StorageResult<At> {
        let block = self.heap.allocate(bytes)?;
        let at = block.as_ptr() as u64 - self.start.as_ptr() as u64 + ABOVE;
        debug_assert!(
            at & MARKS == 0 && at as usize - ABOVE as usize + bytes <= self.bytes,
            "a block of {bytes} bytes at {at}"
        );
        Ok(At(at))
    }

    /// Gives back what `allocate(bytes)` gave. Nobody can reach it any more.
    pub fn free(&self, at: At, bytes: usize) {
        assert!(at.0 & MARKS == 0 && bytes > 0, "{bytes} bytes at {}: no place of a block", at.0);
        // SAFETY: within the heap (`place` checks); the callers free each block once, with its size.
        unsafe { self.heap.free(self.place(at, 0, 1), bytes) };
    }

    /// So many bytes it may have from now on; what it has stays.
    pub fn limit_to(&self, bytes: u64) {
        self.heap.limit_to(bytes);
    }

    pub fn stats(&self) -> HeapStats {
        self.heap.stats()
    }

    #[inline]
    fn place(&self, at: At, offset: usize, bytes: usize) -> NonNull<u8> {
        debug_assert!(at.0 & MARKS == 0 && !at.is_none(), "{}: no place of a block", at.0);
        let offset = (at.0.wrapping_sub(ABOVE) as usize).wrapping_add(offset);
        assert!(offset < self.bytes && bytes <= self.bytes - offset, "a place in the memory of rows");
        // SAFETY: within the heap, as was just checked.
        unsafe { self.start.add(offset) }
    }

    /// The n-th word of a block.
    #[inline]
    pub fn word(&self, at: At, index: usize) -> &AtomicU64 {
        debug_assert!(at.0 & MARKS == 0 && !at.is_none(), "{}: no place of a block", at.0);
        let offset = (at.0.wrapping_sub(ABOVE) as usize).wrapping_add(8 * index);
        assert!(offset <= self.last_word, "a word in the memory of rows");
        // SAFETY: within the heap, aligned as blocks are; every pattern of bits is a word.
        unsafe { self.start.add(offset).cast::<AtomicU64>().as_ref() }
    }

    /// The first words of a block.
    #[inline]
    pub fn first_words<const N: usize>(&self, at: At) -> &[AtomicU64; N] {
        let from = self.place(at, 0, 8 * N);
        // SAFETY: as for `word`.
        unsafe { from.cast::<[AtomicU64; N]>().as_ref() }
    }

    /// So many words of a block, from the n-th on.
    #[inline]
    pub fn atomic_words(&self, at: At, index: usize, count: usize) -> &[AtomicU64] {
        let from = self.place(at, 8 * index, 8 * count);
        // SAFETY: as for `word`.
        unsafe { std::slice::from_raw_parts(from.as_ptr().cast(), count) }
    }

    /// Asks for the n-th word of a block to be brought near, and does not wait for it.
    #[inline]
    pub fn expect(&self, at: At, index: usize) {
        let offset = (at.0.wrapping_sub(ABOVE) as usize).wrapping_add(8 * index);
        os::region::expect(self.start.as_ptr().wrapping_add(offset));
    }

    /// Words of a block that were written before others could find it.
    #[inline]
    pub fn words(&self, at: At, index: usize, count: usize) -> &[u64] {
        let from = self.place(at, 8 * index, 8 * count);
        // SAFETY: as for `bytes`, and aligned as blocks are.
        unsafe { std::slice::from_raw_parts(from.as_ptr().cast(), count) }
    }

    /// Writes into a block that nobody else has found yet, one behind the other: words, each of `more` after a zero, and bytes.
    #[inline]
    pub fn put_row<const N: usize>(&self, at: At, words: [u64; N], more: &[u64], bytes: &[u8]) {
        let before = 8 * N + 16 * more.len();
        debug_assert!(before.is_multiple_of(8), "words lie at multiples of 8");
        let to = self.place(at, 0, before + bytes.len());
        // SAFETY: within the heap, as was just checked, aligned as blocks are; the block is the caller's alone.
        unsafe {
            to.cast::<[u64; N]>().write(words);
            let pairs = to.add(8 * N).cast::<[u64; 2]>();
            for (index, word) in more.iter().enumerate() {
                pairs.add(index).write([0, *word]);
            }
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.add(before).as_ptr(), bytes.len());
        }
    }

    /// Writes into a block that nobody else has found yet.
    #[inline]
    pub fn put(&self, at: At, offset: usize, bytes: &[u8]) {
        let to = self.place(at, offset, bytes.len());
        // SAFETY: within the heap; the block is the caller's alone.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.as_ptr(), bytes.len()) };
    }

    /// Bytes of a block that were written before others could find it.
    #[inline]
    pub fn bytes(&self, at: At, offset: usize, length: usize) -> &[u8] {
        let from = self.place(at, offset, length);
        // SAFETY: within the heap; nobody writes them any more, nor frees them while a snapshot like the caller's is in use.
        unsafe { std::slice::from_raw_parts(from.as_ptr(), length) }
    }
}
