//! Parts of ordered indexes that were replaced are freed when nobody can be reading them any more. Who reads pins the epoch of
//! that moment; what is retired in an epoch goes when all that are pinned are later ones.
//!
//! ```text
//! block that may be retired:  word 0 the next retired block, word 1 the epoch in which it was, and its size; then its own
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use os::region::{Part, Placed, Pool};
use os::shared_struct;
use os::sync::SpinClass;
use os::{engines, sched};

use super::memory::{At, RowMemory};
use super::queue::Queue;
use crate::error::StorageResult;
use crate::region::memory::Memory;

static QUEUE: SpinClass = SpinClass::new("XTP_RETIRED_NODES");

const QUEUES: usize = 16;
/// Readers at a time, all engines together: each worker is one for as long as it walks a tree.
const PINS_MAX: usize = 64 * 1024;
/// Epochs change after so many blocks of a queue.
const BLOCKS_AN_EPOCH: u64 = 64;
/// A pin that nobody holds.
const FREE: u64 = u64::MAX;

const EPOCH: usize = 1;
/// The size in the word of the epoch, in units.
const SIZE_BITS: u32 = 24;
const UNIT: usize = 16;
const _: () = assert!(UNIT.is_power_of_two(), "sizes are rounded as the heap rounds them");
const _: () = assert!(RETIRED_WORDS > EPOCH, "the head of a block has its epoch");
/// Words before a block's own.
pub const RETIRED_WORDS: usize = 2;

shared_struct! {
    #[repr(align(128))]
    struct Waiting {
        blocks: Queue,
        pushed: AtomicU64,
        freed: AtomicU64,
    }
}

shared_struct! {
    /// The epoch that a reader pins, plus one; 0: never used.
    #[repr(align(64))]
    struct Pin {
        epoch: AtomicU64,
    }
}

pub struct Retired {
    epoch: Placed<AtomicU64>,
    /// Of the schedulers, by number: a worker of theirs has it for as long as none other has.
    own: Part<Pin>,
    /// Of workers that found their scheduler's taken, and of threads that are no workers.
    pins: Pool<Pin>,
    queues: Part<Waiting>,
}

/// While it lives, nothing that its holder can reach from then on is freed. Not to be held across a wait.
pub struct Guard<'a> {
    retired: &'a Retired,
    pin: &'a Pin,
    /// Its number, if it is one of the pool.
    pooled: Option<u32>,
}

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        debug_assert!(!matches!(self.pin.epoch.load(Ordering::Relaxed), 0 | FREE), "a guard holds its pin");
        self.pin.epoch.store(FREE, Ordering::Release);
        if let Some(pin) = self.pooled {
            self.retired.pins.give(pin);
        }
        engines::leave(&*self.retired.epoch);
    }
}

impl Retired {
    pub fn region_bytes() -> usize {
        Pool::<Pin>::region_bytes(PINS_MAX) + sched::SCHEDULERS_MAX * size_of::<Pin>()
    }

    pub fn new(memory: &Memory) -> StorageResult<Retired> {
        Ok(Retired {
            epoch: memory.place("epoch of ordered indexes", AtomicU64::new(1))?,
            own: memory.carve("schedulers that read ordered indexes", sched::SCHEDULERS_MAX)?,
            pins: memory.pool("readers of ordered indexes", PINS_MAX)?,
            queues: memory.carve("retired nodes of ordered indexes", QUEUES)?,
        })
    }

    #[inline]
    pub fn pin(&self) -> Guard<'_> {
        // A pin that its engine never takes back would hold everything.
        engines::enter(&*self.epoch);
        let number = sched::number_here();
        let own = &self.own[number as usize];
        // Between this look and the store nobody else runs on the scheduler.
        let (pin, pooled) = match own.epoch.load(Ordering::Acquire) {
            0 | FREE if number != 0 => (own, None),
            _ => self.take_pin(),
        };
        let epoch = self.epoch.load(Ordering::SeqCst);
        debug_assert!(epoch != 0 && epoch < FREE - 1);
        pin.epoch.store(epoch + 1, Ordering::SeqCst);
        Guard { retired: self, pin, pooled }
    }

    #[cold]
    fn take_pin(&self) -> (&Pin, Option<u32>) {
        let pin = self.pins.take_needed().expect("workers are fewer than pins");
        debug_assert!(matches!(self.pins[pin].epoch.load(Ordering::Relaxed), 0 | FREE), "a pin is one reader's");
        (&self.pins[pin], Some(pin))
    }

    /// The block, which `memory.allocate(bytes)` gave, cannot be reached any more by who begins to read now.
    pub fn retire(&self, memory: &RowMemory, block: At, bytes: usize) {
        assert!(bytes > 0 && bytes.div_ceil(UNIT) < 1 << SIZE_BITS, "a part of {bytes} bytes");
        let epoch = self.epoch.load(Ordering::SeqCst);
        debug_assert!(epoch >> (u64::BITS - SIZE_BITS) == 0, "an epoch has {} bits", u64::BITS - SIZE_BITS);
        memory.word(block, EPOCH).store(epoch << SIZE_BITS | bytes.div_ceil(UNIT) as u64, Ordering::Relaxed);
        let queue = &self.queues[sched::here().unwrap_or(0) as usize % QUEUES];
        queue.blocks.push(&QUEUE, memory, block);
        if queue.pushed.fetch_add(1, Ordering::Relaxed) % BLOCKS_AN_EPOCH == BLOCKS_AN_EPOCH - 1 {
            self.epoch.fetch_add(1, Ordering::SeqCst);
            self.free_some(memory, queue);
        }
    }

    fn free_some(&self, memory: &RowMemory, queue: &Waiting) {
        let pooled = (0..self.pins.used()).map(|pin| &self.pins[pin]);
        let pinned = self.own.iter().chain(pooled).map(|pin| pin.epoch.load(Ordering::SeqCst));
        let oldest = pinned.filter(|epoch| *epoch != 0 && *epoch != FREE).map(|epoch| epoch - 1).min();
        let oldest = oldest.unwrap_or(u64::MAX).min(self.epoch.load(Ordering::SeqCst));
        let retired = |block| memory.word(block, EPOCH).load(Ordering::Relaxed);
        // A block in no queue would be lost with its engine.
        let section = engines::section(queue);
        while let Some(block) = queue.blocks.pop_if(&QUEUE, memory, |block| retired(block) >> SIZE_BITS < oldest) {
            debug_assert!(retired(block) & ((1 << SIZE_BITS) - 1) != 0, "what is retired has a size");
            queue.freed.fetch_add(1, Ordering::Relaxed);
            // Sizes are rounded as the heap rounds them.
            memory.free(block, (retired(block) & ((1 << SIZE_BITS) - 1)) as usize * UNIT);
        }
        section.end();
    }

    /// Frees all that can be freed.
    pub fn collect(&self, memory: &RowMemory) {
        self.epoch.fetch_add(1, Ordering::SeqCst);
        self.queues.iter().for_each(|queue| self.free_some(memory, queue));
    }

    /// Blocks that wait to be freed.
    pub fn waiting(&self) -> u64 {
        let count =
            |queue: &Waiting| queue.pushed.load(Ordering::Relaxed).saturating_sub(queue.freed.load(Ordering::Relaxed));
        self.queues.iter().map(count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use os::region::Visibility;
    use os::sched::{MachineConfig, start};

    /// A block is retired while two pins are held, and goes with the last of them.
    fn outlast(first_goes_first: bool, first_is_own: bool) {
        let memory = Memory::reserve(Retired::region_bytes() + (64 << 20), Visibility::ThisProcess).expect("memory");
        let (rows, retired) = (RowMemory::carve(&memory, 64 << 20), Retired::new(&memory));
        let (rows, retired) = (rows.expect("a heap"), retired.expect("queues"));
        let (first, second) = (retired.pin(), retired.pin());
        assert_eq!((first.pooled.is_none(), second.pooled.is_none()), (first_is_own, false));
        retired.retire(&rows, rows.allocate(64).expect("a block"), 64);
        let (goes, stays) = if first_goes_first { (first, second) } else { (second, first) };
        drop(goes);
        retired.collect(&rows);
        assert_eq!(retired.waiting(), 1, "somebody may be reading it");
        drop(stays);
        retired.collect(&rows);
        assert_eq!(retired.waiting(), 0);
        assert_eq!(retired.pin().pooled.is_none(), first_is_own, "it was given back");
    }

    #[test]
    fn a_block_goes_after_all_pins_of_a_scheduler() {
        for first_goes_first in [true, false] {
            start(MachineConfig::default()).run(move || outlast(first_goes_first, true));
            outlast(first_goes_first, false);
        }
    }
}
