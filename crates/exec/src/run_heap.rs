//! Which of several sorted runs has the next row. Who merges them has the runs, and says which of two comes first.

/// The first bytes of a key, as a number that compares as they do: it decides most comparisons.
pub fn prefix(key: &[u8]) -> u64 {
    let mut word = [0; 8];
    let count = key.len().min(8);
    word[..count].copy_from_slice(&key[..count]);
    u64::from_be_bytes(word)
}

/// Numbers of runs that have rows left; the one with the first row stands at the front, and each before the two that follow from it.
/// `is_before`, of all calls: whether the next row of the one run comes before that of the other; no two are equal.
pub struct RunHeap {
    runs: Vec<u32>,
}

impl RunHeap {
    pub fn new(count: usize, is_before: impl Fn(u32, u32) -> bool) -> RunHeap {
        let mut heap = RunHeap { runs: (0..count as u32).collect() };
        (0..count / 2).rev().for_each(|at| heap.sink(at, &is_before));
        heap
    }

    #[inline]
    pub fn first(&self) -> Option<u32> {
        self.runs.first().copied()
    }

    /// The first run has gone to its next row, or has none any more.
    #[inline]
    pub fn stepped(&mut self, has_more: bool, is_before: impl Fn(u32, u32) -> bool) {
        if !has_more {
            self.runs.swap_remove(0);
        }
        self.sink(0, &is_before);
    }

    /// Moves what stands at `at` down to where it belongs.
    fn sink(&mut self, mut at: usize, is_before: &impl Fn(u32, u32) -> bool) {
        loop {
            let left = 2 * at + 1;
            if left >= self.runs.len() {
                return;
            }
            let right = left + 1;
            let mut first = left;
            if right < self.runs.len() && is_before(self.runs[right], self.runs[left]) {
                first = right;
            }
            if is_before(self.runs[at], self.runs[first]) {
                return;
            }
            self.runs.swap(at, first);
            at = first;
        }
    }
}
