//! Blocks of memory that wait, first in first out: the first word of each is the place of the next, the ends lie under a
//! spinlock.

use std::sync::atomic::Ordering;

use os::shared_struct;
use os::sync::{SpinClass, SpinLock};

use super::memory::{At, RowMemory};

const NEXT: usize = 0;

shared_struct! {
    #[derive(Clone, Copy, Default)]
    struct Ends {
        first: u64,
        last: u64,
    }
}

shared_struct! {
    /// Of zeros: empty.
    pub struct Queue {
        ends: SpinLock<Ends>,
    }
}

impl Queue {
    pub fn push(&self, class: &'static SpinClass, memory: &RowMemory, block: At) {
        self.push_all(class, memory, &[block]);
    }

    pub fn push_all(&self, class: &'static SpinClass, memory: &RowMemory, blocks: &[At]) {
        let (Some(first), Some(last)) = (blocks.first(), blocks.last()) else { return };
        for (at, block) in blocks.iter().enumerate() {
            debug_assert!(!block.is_none(), "a block that lies nowhere");
            memory.word(*block, NEXT).store(blocks.get(at + 1).map_or(0, |next| next.word()), Ordering::Relaxed);
        }
        let mut ends = self.ends.lock_as(class);
        assert_eq!(ends.first == 0, ends.last == 0, "a queue has both ends or none");
        match ends.last {
            0 => ends.first = first.word(),
            before => memory.word(At::of_word(before), NEXT).store(first.word(), Ordering::Relaxed),
        }
        ends.last = last.word();
    }

    /// Takes the first block out if it is `wanted`.
    pub fn pop_if(&self, class: &'static SpinClass, memory: &RowMemory, wanted: impl FnOnce(At) -> bool) -> Option<At> {
        let mut ends = self.ends.lock_as(class);
        assert_eq!(ends.first == 0, ends.last == 0, "a queue has both ends or none");
        let block = Some(At::of_word(ends.first)).filter(|first| !first.is_none() && wanted(*first))?;
        ends.first = memory.word(block, NEXT).load(Ordering::Relaxed);
        if ends.first == 0 {
            debug_assert_eq!(ends.last, block.word(), "what leads to nothing is the last");
            ends.last = 0;
        }
        Some(block)
    }
}
