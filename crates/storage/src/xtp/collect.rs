//! Old versions go in two steps. When no snapshot is left that sees them they are taken out of their chains; when no snapshot
//! is left that began before that, nobody can stand on them any more, and their memory is free.
//!
//! The work comes in blocks, as transactions leave them behind (`work_list`), in a queue for each scheduler. After a
//! transaction its worker does some of its scheduler's, so that whoever makes garbage also takes it away; what is left then
//! the version cleaner does.

use std::sync::atomic::{AtomicU64, Ordering};

use os::engines;
use os::region::Part;
use os::shared_struct;
use os::sync::SpinClass;

use super::Xtp;
use super::memory::RowMemory;
use super::queue::Queue;
use super::row::{Row, row_bytes};
use super::work_list::{Block, Change};
use crate::error::StorageResult;
use crate::memory::Memory;

static QUEUE: SpinClass = SpinClass::new("XTP_GC_QUEUE");

const QUEUES: usize = 16;
/// Blocks that a worker does after each transaction.
const BLOCKS_EACH: usize = 2;

shared_struct! {
    #[repr(align(128))]
    struct Work {
        blocks: Queue,
        /// Blocks in it, and how many it ever had.
        length: AtomicU64,
        longest: AtomicU64,
        pushed: AtomicU64,
        /// What was taken out of its chains here: blocks and versions, by workers after their transactions and by the cleaner.
        blocks_helped: AtomicU64,
        rows_helped: AtomicU64,
        blocks_cleaned: AtomicU64,
        rows_cleaned: AtomicU64,
    }
}

impl Work {
    fn push(&self, memory: &RowMemory, block: Block<'_>) {
        let length = self.length.fetch_add(1, Ordering::Relaxed) + 1;
        self.longest.fetch_max(length, Ordering::Relaxed);
        self.pushed.fetch_add(1, Ordering::Relaxed);
        self.blocks.push(&QUEUE, memory, block.at);
    }

    fn count_collected(&self, by: By, versions: u64) {
        let (blocks, rows) = match by {
            By::Worker => (&self.blocks_helped, &self.rows_helped),
            By::Cleaner => (&self.blocks_cleaned, &self.rows_cleaned),
        };
        blocks.fetch_add(1, Ordering::Relaxed);
        rows.fetch_add(versions, Ordering::Relaxed);
    }

    /// The first block, if its time is below.
    fn pop<'a>(&self, memory: &'a RowMemory, below: u64) -> Option<Block<'a>> {
        if self.length.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let is_below = |at| Block::new(memory, at).time().load(Ordering::Relaxed) < below;
        let block = self.blocks.pop_if(&QUEUE, memory, is_below)?;
        self.length.fetch_sub(1, Ordering::Relaxed);
        Some(Block::new(memory, block))
    }
}

/// A scheduler's queue, in blocks of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GarbageQueue {
    pub pushed: u64,
    pub length: u64,
    pub longest: u64,
}

/// Who takes old versions out of their chains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Worker,
    Cleaner,
}

/// What has been taken out of its chains since the start.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    /// Blocks of work and versions in them, by workers after their transactions.
    pub blocks_by_workers: u64,
    pub rows_by_workers: u64,
    pub blocks_by_cleaner: u64,
    pub rows_by_cleaner: u64,
}

pub struct Garbage {
    /// Blocks with versions that somebody may see, by scheduler; behind them those with versions that somebody may stand on.
    queues: Part<Work>,
}

impl Garbage {
    pub fn new(memory: &Memory) -> StorageResult<Garbage> {
        Ok(Garbage { queues: memory.carve("garbage of memory-optimized tables", 2 * QUEUES)? })
    }

    fn here() -> usize {
        os::sched::here().unwrap_or(0) as usize % QUEUES
    }

    /// The block's ended and undone rows are not seen as of `time` and later.
    pub fn add(&self, memory: &RowMemory, block: Block<'_>, time: u64) {
        block.time().store(time, Ordering::Relaxed);
        self.queues[Garbage::here()].push(memory, block);
    }

    pub fn queues(&self) -> Vec<GarbageQueue> {
        let of = |queue: &Work| GarbageQueue {
            pushed: queue.pushed.load(Ordering::Relaxed),
            length: queue.length.load(Ordering::Relaxed),
            longest: queue.longest.load(Ordering::Relaxed),
        };
        self.queues[..QUEUES].iter().map(of).collect()
    }

    pub fn collected(&self) -> Collected {
        let sum = |of: fn(&Work) -> &AtomicU64| self.queues.iter().map(|queue| of(queue).load(Ordering::Relaxed)).sum();
        Collected {
            blocks_by_workers: sum(|queue| &queue.blocks_helped),
            rows_by_workers: sum(|queue| &queue.rows_helped),
            blocks_by_cleaner: sum(|queue| &queue.blocks_cleaned),
            rows_by_cleaner: sum(|queue| &queue.rows_cleaned),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.queues.iter().all(|queue| queue.length.load(Ordering::Relaxed) == 0)
    }

    /// Does some of the scheduler's work. `oldest`: no snapshot in use is older. `now` reads the commit clock.
    pub fn collect_some(&self, xtp: &Xtp, oldest: u64, now: impl Fn() -> u64) {
        let queue = Garbage::here();
        for _ in 0..BLOCKS_EACH {
            if !self.step(queue, xtp, By::Worker, oldest, &now) {
                return;
            }
        }
    }

    /// Does all that can be done.
    pub fn collect_all(&self, xtp: &Xtp, oldest: u64, now: impl Fn() -> u64) {
        for queue in 0..QUEUES {
            while self.step(queue, xtp, By::Cleaner, oldest, &now) {
                os::wait::maybe_yield();
            }
        }
    }

    /// False: there was nothing to do.
    fn step(&self, queue: usize, xtp: &Xtp, by: By, oldest: u64, now: &impl Fn() -> u64) -> bool {
        let memory = &xtp.memory;
        let (seen, stood_on) = (&self.queues[queue], &self.queues[QUEUES + queue]);
        // A block in nobody's queue would be lost with its engine.
        engines::enter(seen);
        let mut found = false;
        // Seen as of a time at which it had ended already: by nobody.
        if let Some(block) = seen.pop(memory, oldest.saturating_add(1)) {
            let mut rows = 0;
            for entry in block.changes().filter(|entry| entry.change != Change::Inserted) {
                let row = Row::new(memory, entry.row);
                xtp.objects.of(row).unlink(memory, &xtp.retired, row);
                rows += 1;
            }
            seen.count_collected(by, rows);
            block.time().store(now(), Ordering::Relaxed);
            stood_on.push(memory, block);
            found = true;
        }
        if let Some(block) = stood_on.pop(memory, oldest) {
            for entry in block.changes().filter(|entry| entry.change != Change::Inserted) {
                let row = Row::new(memory, entry.row);
                let object = xtp.objects.of(row);
                object.count(-1, -(row_bytes(row.links(), row.image_bytes()) as i64));
                object.count_garbage(-1);
                row.free();
            }
            block.free();
            found = true;
        }
        engines::leave(seen);
        found
    }
}
