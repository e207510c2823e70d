//! What a transaction has done to rows: a list in shared memory, so that another engine can end what a dead one began, and so
//! that the list itself can become the work of who collects the old versions in it.
//!
//! ```text
//! block:  word 0 the block before it, 0: none   word 1 entries in it   word 2 a time   word 3 words of the block   then entries
//! entry:  the place of a row, its lowest bits: 0 inserted, 1 ended, 2 inserted and undone; a whole 0: nothing
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use super::memory::{At, RowMemory};
use super::row::Row;
use crate::error::StorageResult;

const BEFORE: usize = 0;
const COUNT: usize = 1;
const TIME: usize = 2;
const WORDS: usize = 3;
const ENTRIES: usize = 4;

/// A transaction of few rows needs no more.
const FIRST_WORDS: usize = 32;
const MORE_WORDS: usize = 512;
const _: () = assert!(FIRST_WORDS > ENTRIES && MORE_WORDS > FIRST_WORDS);
const _: () = assert!(At::of_word(CHANGES).is_none(), "what a change is lies beside the place of its row");

/// More misses of the cache at a time than this a CPU does not have under way.
const AHEAD: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Inserted,
    /// Deleted, or replaced by a newer version.
    Ended,
    /// Inserted by what was rolled back since.
    Undone,
}

/// The bits of an entry that say which.
const CHANGES: u64 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub row: At,
    pub change: Change,
}

impl Entry {
    fn encode(self) -> u64 {
        debug_assert!(!self.row.is_none(), "a whole 0 is no entry");
        self.row.word()
            | match self.change {
                Change::Inserted => 0,
                Change::Ended => 1,
                Change::Undone => 2,
            }
    }

    fn decode(word: u64) -> Option<Entry> {
        debug_assert!(word & CHANGES != CHANGES, "an entry is inserted, ended or undone");
        let row = At::of_word(word);
        let change = match word & CHANGES {
            0 => Change::Inserted,
            1 => Change::Ended,
            _ => Change::Undone,
        };
        (!row.is_none()).then_some(Entry { row, change })
    }
}

/// The newest block of a list leads to all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkList {
    pub newest: At,
    /// Entries there were ever, in all blocks.
    pub length: usize,
    /// In the newest block: the entries, and how many more there may be.
    count: u32,
    room: u32,
}

impl WorkList {
    pub const EMPTY: WorkList = WorkList { newest: At::NONE, length: 0, count: 0, room: 0 };

    /// The list of a transaction that nobody runs any more, as others find it. It gets no more entries.
    pub fn left_behind(memory: &RowMemory, head: u64) -> WorkList {
        let newest = At::of_word(head);
        let length = blocks(memory, newest).map(|block| block.length()).sum();
        debug_assert_eq!(newest.is_none(), head == 0);
        WorkList { newest, length, ..WorkList::EMPTY }
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// `head`: where others find the list.
    #[inline]
    pub fn push(&mut self, memory: &RowMemory, head: &AtomicU64, entry: Entry) -> StorageResult<()> {
        debug_assert_eq!(self.newest.is_none(), self.count == 0 && self.room == 0, "entries lie in a block");
        if self.room == 0 {
            self.add_block(memory, head)?;
        }
        memory.word(self.newest, ENTRIES + self.count as usize).store(entry.encode(), Ordering::Relaxed);
        self.room -= 1;
        self.set_count(memory, self.count + 1);
        self.length += 1;
        Ok(())
    }

    #[cold]
    fn add_block(&mut self, memory: &RowMemory, head: &AtomicU64) -> StorageResult<()> {
        debug_assert_eq!(self.room, 0, "the block before it is full");
        let words = if self.newest.is_none() { FIRST_WORDS } else { MORE_WORDS };
        let block = memory.allocate(8 * words)?;
        for (word, value) in [(BEFORE, self.newest.word()), (COUNT, 0), (TIME, 0), (WORDS, words as u64)] {
            memory.word(block, word).store(value, Ordering::Relaxed);
        }
        head.store(block.word(), Ordering::Release);
        (self.newest, self.count, self.room) = (block, 0, (words - ENTRIES) as u32);
        Ok(())
    }

    fn set_count(&mut self, memory: &RowMemory, count: u32) {
        debug_assert!(self.count.abs_diff(count) == 1, "one entry at a time");
        self.count = count;
        memory.word(self.newest, COUNT).store(u64::from(count), Ordering::Release);
    }

    /// Takes the entry back that `push` has just added.
    pub fn pop(&mut self, memory: &RowMemory) {
        assert!(self.count > 0 && self.length > 0, "what is taken back was added");
        self.set_count(memory, self.count - 1);
        self.room += 1;
        self.length -= 1;
    }

    /// The newest `last` entries, newest first.
    pub fn last_changes(&self, memory: &RowMemory, last: usize) -> impl Iterator<Item = Entry> {
        debug_assert!(last <= self.length, "{last} of {} changes", self.length);
        let words = blocks(memory, self.newest).flat_map(|block| block.entries().iter().rev()).take(last);
        words.filter_map(|word| Entry::decode(word.load(Ordering::Relaxed)))
    }

    /// Calls `visit` for the newest `last` entries, newest first; what it returns takes an entry's place.
    pub fn revise(&self, memory: &RowMemory, mut last: usize, mut visit: impl FnMut(Entry) -> Option<Entry>) {
        debug_assert!(last <= self.length, "{last} of {} changes", self.length);
        for block in blocks(memory, self.newest) {
            for word in block.entries().iter().rev() {
                if last == 0 {
                    return;
                }
                last -= 1;
                if let Some(entry) = Entry::decode(word.load(Ordering::Relaxed)) {
                    let new = visit(entry);
                    if new != Some(entry) {
                        word.store(new.map_or(0, Entry::encode), Ordering::Relaxed);
                    }
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
pub struct Block<'a> {
    memory: &'a RowMemory,
    pub at: At,
}

impl<'a> Block<'a> {
    pub fn new(memory: &'a RowMemory, at: At) -> Block<'a> {
        Block { memory, at }
    }

    pub fn before(&self) -> &'a AtomicU64 {
        self.memory.word(self.at, BEFORE)
    }

    pub fn time(&self) -> &'a AtomicU64 {
        self.memory.word(self.at, TIME)
    }

    /// Entries in it.
    pub fn length(&self) -> usize {
        self.memory.word(self.at, COUNT).load(Ordering::Acquire) as usize
    }

    #[inline]
    fn entries(&self) -> &'a [AtomicU64] {
        debug_assert!(
            ENTRIES + self.length() <= self.memory.word(self.at, WORDS).load(Ordering::Relaxed) as usize,
            "a block has room for its entries"
        );
        self.memory.atomic_words(self.at, ENTRIES, self.length())
    }

    /// Whether it has entries of rows that were ended or undone.
    pub fn has_garbage(&self) -> bool {
        self.entries().iter().any(|word| word.load(Ordering::Relaxed) & CHANGES != 0)
    }

    /// Its entries, newest first.
    pub fn changes(&self) -> impl Iterator<Item = Entry> + use<'a> {
        self.entries().iter().rev().filter_map(|word| Entry::decode(word.load(Ordering::Relaxed)))
    }

    /// As `changes`, of which each row will be looked at: it is asked for some entries before.
    #[inline]
    pub fn changes_ahead(&self) -> impl Iterator<Item = Entry> + use<'a> {
        let (memory, entries) = (self.memory, self.entries());
        let changes = entries.iter().enumerate().rev();
        changes.filter_map(move |(at, word)| {
            if let Some(later) = at.checked_sub(AHEAD) {
                Row::expect_at(memory, At::of_word(entries[later].load(Ordering::Relaxed)));
            }
            Entry::decode(word.load(Ordering::Relaxed))
        })
    }

    pub fn free(self) {
        let words = self.memory.word(self.at, WORDS).load(Ordering::Relaxed) as usize;
        assert!(words == FIRST_WORDS || words == MORE_WORDS, "a block of {words} words");
        self.memory.free(self.at, 8 * words);
    }
}

/// The blocks of a list, newest first. Each may be freed or moved once it has been given.
pub fn blocks(memory: &RowMemory, newest: At) -> impl Iterator<Item = Block<'_>> {
    let mut next = newest;
    std::iter::from_fn(move || {
        let block = (!next.is_none()).then(|| Block::new(memory, next))?;
        next = At::of_word(block.before().load(Ordering::Relaxed));
        Some(block)
    })
}
