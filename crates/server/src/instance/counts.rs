//! Numbers that many schedulers count at once: each adds to a line of its own, and who reads adds the lines up. So counting a request
//! costs no cache line that another CPU has just written. Of all engines.

use std::sync::atomic::{AtomicU64, Ordering};

use os::engines::ENGINES_MAX;
use os::region::Placed;
use storage::{Memory, StorageResult};

/// Words of a line, which is two cache lines long, as pairs of them are fetched together.
const WORDS: usize = 16;
const LINES: usize = ENGINES_MAX + 1;

pub struct Counts(Placed<[[AtomicU64; WORDS]; LINES]>);

impl Counts {
    pub fn new(memory: &Memory, name: &'static str) -> StorageResult<Counts> {
        let lines = std::array::from_fn(|_| [const { AtomicU64::new(0) }; WORDS]);
        memory.place(name, lines).map(Counts)
    }

    /// `word`: below 16.
    #[inline]
    pub fn add(&self, word: usize, by: u64) {
        // Schedulers with the same line only wait for it.
        let line = os::sched::number_here() as usize % LINES;
        self.0[line][word].fetch_add(by, Ordering::Relaxed);
    }

    pub fn total(&self, word: usize) -> u64 {
        self.0.iter().fold(0, |sum, line| sum.wrapping_add(line[word].load(Ordering::Relaxed)))
    }

    /// A word that only one engine writes.
    pub fn of_engine(&self, engine: u32, word: usize) -> &AtomicU64 {
        &self.0[engine as usize][word]
    }
}
