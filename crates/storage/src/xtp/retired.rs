//! Parts of ordered indexes that were replaced are freed when nobody can be reading them any more. Who reads pins the epoch of
//! that moment; what is retired in an epoch goes when all that are pinned are later ones.
//!
//! ```text
//! block that may be retired:  word 0 the next retired block, word 1 the epoch in which it was, and its size; then its own
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use os::engines;
use os::region::{Part, Placed, Pool};
use os::shared_struct;
use os::sync::SpinClass;

use super::memory::{At, RowMemory};
use super::queue::Queue;
use crate::error::StorageResult;
use crate::memory::Memory;

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
    pins: Pool<Pin>,
    queues: Part<Waiting>,
}

/// While it lives, nothing that its holder can reach from then on is freed. Not to be held across a wait.
pub struct Guard<'a> {
    retired: &'a Retired,
    pin: u32,
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.retired.pins[self.pin].epoch.store(FREE, Ordering::Release);
        self.retired.pins.give(self.pin);
        engines::leave(&*self.retired.epoch);
    }
}

impl Retired {
    pub fn region_bytes() -> usize {
        Pool::<Pin>::region_bytes(PINS_MAX)
    }

    pub fn new(memory: &Memory) -> StorageResult<Retired> {
        Ok(Retired {
            epoch: memory.place("epoch of ordered indexes", AtomicU64::new(1))?,
            pins: memory.pool("readers of ordered indexes", PINS_MAX)?,
            queues: memory.carve("retired nodes of ordered indexes", QUEUES)?,
        })
    }

    pub fn pin(&self) -> Guard<'_> {
        // A pin that its engine never takes back would hold everything.
        engines::enter(&*self.epoch);
        let pin = self.pins.take_needed().expect("workers are fewer than pins");
        let epoch = self.epoch.load(Ordering::SeqCst);
        self.pins[pin].epoch.store(epoch + 1, Ordering::SeqCst);
        Guard { retired: self, pin }
    }

    /// The block, which `memory.allocate(bytes)` gave, cannot be reached any more by who begins to read now.
    pub fn retire(&self, memory: &RowMemory, block: At, bytes: usize) {
        let epoch = self.epoch.load(Ordering::SeqCst);
        memory.word(block, EPOCH).store(epoch << SIZE_BITS | bytes.div_ceil(UNIT) as u64, Ordering::Relaxed);
        let queue = &self.queues[os::sched::here().unwrap_or(0) as usize % QUEUES];
        queue.blocks.push(&QUEUE, memory, block);
        if queue.pushed.fetch_add(1, Ordering::Relaxed) % BLOCKS_AN_EPOCH == BLOCKS_AN_EPOCH - 1 {
            self.epoch.fetch_add(1, Ordering::SeqCst);
            self.free_some(memory, queue);
        }
    }

    fn free_some(&self, memory: &RowMemory, queue: &Waiting) {
        let pinned = (0..self.pins.used()).map(|pin| self.pins[pin].epoch.load(Ordering::SeqCst));
        let oldest = pinned.filter(|epoch| *epoch != 0 && *epoch != FREE).map(|epoch| epoch - 1).min();
        let oldest = oldest.unwrap_or(u64::MAX).min(self.epoch.load(Ordering::SeqCst));
        let retired = |block| memory.word(block, EPOCH).load(Ordering::Relaxed);
        // A block in no queue would be lost with its engine.
        engines::enter(queue);
        while let Some(block) = queue.blocks.pop_if(&QUEUE, memory, |block| retired(block) >> SIZE_BITS < oldest) {
            queue.freed.fetch_add(1, Ordering::Relaxed);
            // Sizes are rounded as the heap rounds them.
            memory.free(block, (retired(block) & ((1 << SIZE_BITS) - 1)) as usize * UNIT);
        }
        engines::leave(queue);
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
