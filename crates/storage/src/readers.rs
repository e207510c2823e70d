//! Readers of pages that are read often and written seldom announce themselves in a cache line of their scheduler instead of
//! counting in the page's state word, where every CPU that reads the page would wait for the others' cache lines. After BRAVO
//! (Dice and Kogan, USENIX ATC 2019); the bias is a bit of the state word (`buffer`).
//!
//! ```text
//! reader: announce the page (SeqCst), then look at the word: biased -> it reads; else withdraws and counts as ever
//! writer: take the bit away with the exclusive latch (SeqCst), then wait until nobody announces the page
//! ```
//! One of the two sees the other. Only a scheduler's running worker changes its places, so they need no arbitration.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use os::sched::SCHEDULERS_MAX;

/// Pages a scheduler's workers can read this way at one time; a reader that finds no place counts in the state word.
const PLACES: usize = 8;

/// 0: free, else a page's index and one.
#[repr(align(128))]
#[derive(Default)]
struct Line([AtomicU64; PLACES]);

pub struct Readers {
    lines: Box<[Line]>,
    /// Lines from here on were never used.
    used: AtomicUsize,
}

impl Readers {
    pub fn new() -> Readers {
        Readers { lines: (0..SCHEDULERS_MAX).map(|_| Line::default()).collect(), used: AtomicUsize::new(0) }
    }

    /// None: no place is free, or the thread is no worker. The place says 0 again when the reader is done (Release).
    #[inline]
    pub fn announce(&self, index: usize) -> Option<&AtomicU64> {
        let scheduler = os::sched::current_index()?;
        if self.used.load(Ordering::Relaxed) <= scheduler {
            self.used.fetch_max(scheduler + 1, Ordering::SeqCst);
        }
        let place = self.lines[scheduler].0.iter().find(|place| place.load(Ordering::Relaxed) == 0)?;
        place.store(index as u64 + 1, Ordering::SeqCst);
        Some(place)
    }

    /// Whether anybody announces the page. Of those who come later the caller must know that they withdraw.
    pub fn any(&self, index: usize) -> bool {
        let used = self.used.load(Ordering::SeqCst);
        let mut places = self.lines[..used].iter().flat_map(|line| &line.0);
        places.any(|place| place.load(Ordering::SeqCst) == index as u64 + 1)
    }
}

impl Default for Readers {
    fn default() -> Readers {
        Readers::new()
    }
}
