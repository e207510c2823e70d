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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub row: At,
    pub change: Change,
}

impl Entry {
    fn encode(self) -> u64 {
        self.row.word()
            | match self.change {
                Change::Inserted => 0,
                Change::Ended => 1,
                Change::Undone => 2,
            }
    }

    fn decode(word: u64) -> Option<Entry> {
        let row = At::of_word(word);
        let change = match word & 3 {
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
}

impl WorkList {
    pub const EMPTY: WorkList = WorkList { newest: At::NONE, length: 0 };

    /// The list of a transaction that nobody runs any more, as others find it.
    pub fn left_behind(memory: &RowMemory, head: u64) -> WorkList {
        let newest = At::of_word(head);
        WorkList { newest, length: blocks(memory, newest).map(|block| block.entries().count()).sum() }
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// `head`: where others find the list.
    pub fn push(&mut self, memory: &RowMemory, head: &AtomicU64, entry: Entry) -> StorageResult<()> {
        let mut count = 0;
        let mut room = false;
        if !self.newest.is_none() {
            count = memory.word(self.newest, COUNT).load(Ordering::Relaxed);
            room = count + (ENTRIES as u64) < memory.word(self.newest, WORDS).load(Ordering::Relaxed);
        }
        if !room {
            let words = if self.newest.is_none() { FIRST_WORDS } else { MORE_WORDS };
            let block = memory.allocate(8 * words)?;
            for (word, value) in [(BEFORE, self.newest.word()), (COUNT, 0), (TIME, 0), (WORDS, words as u64)] {
                memory.word(block, word).store(value, Ordering::Relaxed);
            }
            self.newest = block;
            count = 0;
            head.store(block.word(), Ordering::Release);
        }
        memory.word(self.newest, ENTRIES + count as usize).store(entry.encode(), Ordering::Relaxed);
        memory.word(self.newest, COUNT).store(count + 1, Ordering::Release);
        self.length += 1;
        Ok(())
    }

    /// Takes the entry back that `push` has just added.
    pub fn pop(&mut self, memory: &RowMemory) {
        let count = memory.word(self.newest, COUNT);
        count.store(count.load(Ordering::Relaxed) - 1, Ordering::Release);
        self.length -= 1;
    }

    /// Calls `visit` for the newest `last` entries, newest first; what it returns takes an entry's place.
    pub fn revise(&self, memory: &RowMemory, mut last: usize, mut visit: impl FnMut(Entry) -> Option<Entry>) {
        for block in blocks(memory, self.newest) {
            for word in block.entries().rev() {
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

    fn entries(&self) -> impl DoubleEndedIterator<Item = &'a AtomicU64> + use<'a> {
        let (memory, at, count) = (self.memory, self.at, self.length());
        (0..count).map(move |entry| memory.word(at, ENTRIES + entry))
    }

    /// Its entries, newest first.
    pub fn changes(&self) -> impl Iterator<Item = Entry> + use<'a> {
        self.entries().rev().filter_map(|word| Entry::decode(word.load(Ordering::Relaxed)))
    }

    /// As `changes`, of which each row will be looked at: it is asked for some entries before.
    pub fn changes_ahead(&self) -> impl Iterator<Item = Entry> + use<'a> {
        let memory = self.memory;
        let mut ahead = self.changes().skip(AHEAD);
        self.changes().inspect(move |_| {
            if let Some(later) = ahead.next() {
                Row::new(memory, later.row).expect();
            }
        })
    }

    pub fn free(self) {
        let words = self.memory.word(self.at, WORDS).load(Ordering::Relaxed) as usize;
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
