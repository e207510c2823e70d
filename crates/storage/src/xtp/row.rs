//! A row version: a block of memory with a header, a link for each index, and the row's image. It never moves.
//!
//! ```text
//! word 0  begin: the commit time from which on it is seen; `OWNED | transaction` until its writer has committed; `NEVER`: rolled back
//! word 1  end: the commit time from which on it is not; `NEVER`; `OWNED | transaction` while somebody replaces or deletes it
//! word 2  the row's number: LSN of its bytes in the log, by which its deletion is logged; 0 before, and of SCHEMA_ONLY tables
//! word 3  u32 the statement that inserted it, u32 the one that ended it, as their transactions count statements
//! word 4  u32 bytes of the image, u16 object, u8 links, u8 flags
//! word 5  for each index two words: next row in its chain (bit 0: this row is being unlinked, bit 1: it is out), and where its chain begins:
//!         of a hash index the hash of the key, of an ordered one the place of the key
//! then    the image
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use super::memory::{At, RowMemory};
use crate::error::StorageResult;

/// In `begin` and `end`: a transaction, not a time.
pub const OWNED: u64 = 1 << 63;
/// A time that never comes.
pub const NEVER: u64 = OWNED - 1;
/// In a link: the row that has it is being unlinked.
pub const LEAVING: u64 = 1;
/// In a link, with `LEAVING`: the row is out of the chain.
pub const GONE: u64 = 2;

const BEGIN: usize = 0;
const END: usize = 1;
const NUMBER: usize = 2;
const STATEMENTS: usize = 3;
const SHAPE: usize = 4;
const LINKS: usize = 5;

/// Another row of the same unique key may be there when this one is committed: validation looks.
const CONTESTED: u64 = 1 << 56;
const _: () = assert!(NEVER & OWNED == 0, "a time that never comes is a time");
const _: () = assert!(At::of_word(LEAVING | GONE).is_none(), "marks in a link are no part of a place");
const _: () = assert!(LINKS == SHAPE + 1 && row_bytes(0, 0) == 8 * LINKS);

#[inline]
pub const fn row_bytes(links: usize, image: usize) -> usize {
    8 * (LINKS + 2 * links) + image
}

/// A row version where it lies.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    memory: &'a RowMemory,
    at: At,
    /// Before its links.
    head: &'a [AtomicU64; LINKS],
}

impl<'a> Row<'a> {
    #[inline]
    pub fn new(memory: &'a RowMemory, at: At) -> Row<'a> {
        Row { memory, at, head: memory.first_words(at) }
    }

    /// A version that is in no chain yet. `homes`: where its chains begin, index by index.
    #[inline]
    pub fn create(
        memory: &'a RowMemory,
        object: u16,
        begin: u64,
        statement: u32,
        homes: &[u64],
        image: &[u8],
    ) -> StorageResult<Row<'a>> {
        debug_assert!(begin != NEVER && homes.len() <= usize::from(u8::MAX), "{} links", homes.len());
        debug_assert!(image.len() <= u32::MAX as usize, "an image of {} bytes", image.len());
        let at = memory.allocate(row_bytes(homes.len(), image.len()))?;
        let shape = image.len() as u64 | u64::from(object) << 32 | (homes.len() as u64) << 48;
        memory.put_row::<LINKS>(at, [begin, NEVER, 0, u64::from(statement), shape], homes, image);
        Ok(Row::new(memory, at))
    }

    /// Somebody will soon read the row there, if there is one.
    #[inline]
    pub fn expect_at(memory: &RowMemory, at: At) {
        memory.expect(at, BEGIN);
        // The image begins in the next cache line, where there are few indexes.
        memory.expect(at, LINKS + 3);
    }

    /// Somebody will soon go past the row there, if there is one.
    #[inline]
    pub fn expect_link(memory: &RowMemory, at: At, index: usize) {
        memory.expect(at, LINKS + 2 * index);
    }

    pub fn free(self) {
        self.memory.free(self.at, self.bytes());
    }

    #[inline]
    pub fn at(&self) -> At {
        self.at
    }

    #[inline]
    pub fn begin(&self) -> &'a AtomicU64 {
        &self.head[BEGIN]
    }

    #[inline]
    pub fn end(&self) -> &'a AtomicU64 {
        &self.head[END]
    }

    #[inline]
    pub fn number(&self) -> &'a AtomicU64 {
        &self.head[NUMBER]
    }

    #[inline]
    fn shape(&self) -> u64 {
        self.head[SHAPE].load(Ordering::Relaxed)
    }

    #[inline]
    pub fn inserted_by(&self) -> u32 {
        self.head[STATEMENTS].load(Ordering::Relaxed) as u32
    }

    #[inline]
    pub fn ended_by(&self) -> u32 {
        (self.head[STATEMENTS].load(Ordering::Relaxed) >> 32) as u32
    }

    /// Only whoever owns the row's end says so, and only its own transaction asks.
    pub fn set_ended_by(&self, statement: u32) {
        debug_assert!(self.end().load(Ordering::Relaxed) & OWNED != 0, "who says so owns the end");
        let word = &self.head[STATEMENTS];
        word.store(word.load(Ordering::Relaxed) & 0xffff_ffff | u64::from(statement) << 32, Ordering::Relaxed);
    }

    #[inline]
    pub fn image_bytes(&self) -> usize {
        self.shape() as u32 as usize
    }

    /// All that it takes.
    pub fn bytes(&self) -> usize {
        row_bytes(self.links(), self.image_bytes())
    }

    #[inline]
    pub fn object(&self) -> u16 {
        (self.shape() >> 32) as u16
    }

    #[inline]
    pub fn links(&self) -> usize {
        (self.shape() >> 48) as u8 as usize
    }

    pub fn contest(&self) {
        self.head[SHAPE].fetch_or(CONTESTED, Ordering::SeqCst);
    }

    pub fn is_contested(&self) -> bool {
        self.head[SHAPE].load(Ordering::SeqCst) & CONTESTED != 0
    }

    #[inline]
    pub fn link(&self, index: usize) -> &'a AtomicU64 {
        debug_assert!(index < self.links(), "link {index} of {}", self.links());
        self.memory.word(self.at, LINKS + 2 * index)
    }

    #[inline]
    pub fn home(&self, index: usize) -> u64 {
        debug_assert!(index < self.links(), "link {index} of {}", self.links());
        self.memory.word(self.at, LINKS + 2 * index + 1).load(Ordering::Relaxed)
    }

    /// Before it is in the chain.
    pub fn set_home(&self, index: usize, home: u64) {
        debug_assert!(index < self.links() && home != 0, "link {index} of {} to {home}", self.links());
        self.memory.word(self.at, LINKS + 2 * index + 1).store(home, Ordering::Relaxed);
    }

    #[inline]
    pub fn image(&self) -> &'a [u8] {
        let shape = self.shape();
        let links = (shape >> 48) as u8 as usize;
        self.memory.bytes(self.at, row_bytes(links, 0), shape as u32 as usize)
    }
}
