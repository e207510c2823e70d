//! Old versions go in three steps. When no snapshot is left that sees them they are marked, then taken out of their chains; when no
//! snapshot is left that began before that, nobody can stand on them any more, and their memory is free. A walk along a chain takes
//! out all that are marked: so the cleaner marks whatever it can before it walks, or each of a key's versions would cost a walk past
//! all newer ones, which are the next to go.
//!
//! The work comes in blocks, as transactions leave them behind (`work_list`), in a queue for each scheduler and step. After a
//! transaction its worker does some of its scheduler's, so that whoever makes garbage also takes it away; what is left then
//! the version cleaner does.

use std::sync::atomic::{AtomicU64, Ordering};

use os::engines;
use os::region::Part;
use os::shared_struct;
use os::sync::SpinClass;

use super::Xtp;
use super::hash_index;
use super::memory::{At, RowMemory};
use super::queue::Queue;
use super::row::{NEVER, OWNED, Row};
use super::work_list::{Block, Change};
use crate::error::StorageResult;
use crate::region::memory::Memory;

static QUEUE: SpinClass = SpinClass::new("XTP_GC_QUEUE");

const QUEUES: usize = 16;
/// Queues that a block goes through.
const STEPS: usize = 3;
/// Rows that a worker deals with after a transaction, if there are so many, and the cleaner at a time: a fraction of a millisecond, and
/// some.
const ROWS_EACH: usize = 2048;
const ROWS_CLEANED: usize = 16_384;
const _: () = assert!(ROWS_EACH <= ROWS_CLEANED, "a worker after its transaction does no more than the cleaner");

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

const _: () = assert!(align_of::<Work>() == 128, "schedulers that collect do not meet in a cache line");
impl Work {
    fn push(&self, memory: &RowMemory, blocks: &[At], time: u64) {
        debug_assert!(!blocks.is_empty() && time < NEVER, "blocks with a time: {time}");
        blocks.iter().for_each(|block| Block::new(memory, *block).time().store(time, Ordering::Relaxed));
        let count = blocks.len() as u64;
        let length = self.length.fetch_add(count, Ordering::Relaxed) + count;
        self.longest.fetch_max(length, Ordering::Relaxed);
        self.pushed.fetch_add(count, Ordering::Relaxed);
        self.blocks.push_all(&QUEUE, memory, blocks);
    }

    fn count_collected(&self, by: By, blocks: u64, versions: u64) {
        let (all_blocks, rows) = match by {
            By::Worker => (&self.blocks_helped, &self.rows_helped),
            By::Cleaner => (&self.blocks_cleaned, &self.rows_cleaned),
        };
        all_blocks.fetch_add(blocks, Ordering::Relaxed);
        rows.fetch_add(versions, Ordering::Relaxed);
    }

    fn is_empty(&self) -> bool {
        self.length.load(Ordering::Relaxed) == 0
    }

    /// The first blocks, as far as their times are below.
    fn pop_some(&self, memory: &RowMemory, by: By, below: u64) -> Vec<At> {
        let (mut blocks, mut rows) = (Vec::new(), 0);
        let is_below = |at| Block::new(memory, at).time().load(Ordering::Relaxed) < below;
        while rows < by.rows_max()
            && !self.is_empty()
            && let Some(block) = self.blocks.pop_if(&QUEUE, memory, is_below)
        {
            let before = self.length.fetch_sub(1, Ordering::Relaxed);
            assert!(before > 0, "a block in a queue is counted");
            rows += Block::new(memory, block).length();
            blocks.push(block);
        }
        blocks
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

impl By {
    fn rows_max(self) -> usize {
        match self {
            By::Worker => ROWS_EACH,
            By::Cleaner => ROWS_CLEANED,
        }
    }
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
    /// Blocks with versions that somebody may see, by scheduler; behind them those with marked versions, and those with versions that
    /// somebody may stand on.
    queues: Part<Work>,
}

impl Garbage {
    pub fn new(memory: &Memory) -> StorageResult<Garbage> {
        Ok(Garbage { queues: memory.carve("garbage of memory-optimized tables", STEPS * QUEUES)? })
    }

    fn here() -> usize {
        os::sched::here().unwrap_or(0) as usize % QUEUES
    }

    /// The block's ended and undone rows are not seen as of `time` and later.
    pub fn add(&self, memory: &RowMemory, block: Block<'_>, time: u64) {
        debug_assert!(block.has_garbage(), "a block with nothing to collect");
        self.queues[Garbage::here()].push(memory, &[block.at], time);
    }

    pub fn queues(&self) -> Vec<GarbageQueue> {
        let of = |queue: usize| {
            let [seen, marked, _] = self.steps(queue);
            GarbageQueue {
                pushed: seen.pushed.load(Ordering::Relaxed),
                length: seen.length.load(Ordering::Relaxed) + marked.length.load(Ordering::Relaxed),
                longest: seen.longest.load(Ordering::Relaxed),
            }
        };
        (0..QUEUES).map(of).collect()
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
        self.queues.iter().all(Work::is_empty)
    }

    /// A scheduler's: those that may be seen, the marked ones, those that may be stood on.
    fn steps(&self, queue: usize) -> [&Work; STEPS] {
        std::array::from_fn(|step| &self.queues[QUEUES * step + queue])
    }

    /// Does some of the scheduler's work. `oldest`: no snapshot in use is older. `now` reads the commit clock. The caller stands on rows
    /// meanwhile: it has a snapshot.
    pub fn collect_some(&self, xtp: &Xtp, oldest: u64, now: impl Fn() -> u64) {
        let [seen, marked, stood_on] = self.steps(Garbage::here());
        debug_assert!(oldest <= now(), "no snapshot in use is of a time to come");
        mark_some(xtp, By::Worker, [seen, marked], oldest);
        unlink_some(xtp, By::Worker, [marked, stood_on], now);
        free_some(xtp, By::Worker, stood_on, oldest);
    }

    /// Does all that can be done.
    pub fn collect_all(&self, xtp: &Xtp, oldest: u64, now: impl Fn() -> u64) {
        for queue in 0..QUEUES {
            let [seen, marked, stood_on] = self.steps(queue);
            while mark_some(xtp, By::Cleaner, [seen, marked], oldest) {
                os::wait::maybe_yield();
            }
            while unlink_some(xtp, By::Cleaner, [marked, stood_on], &now) {
                os::wait::maybe_yield();
            }
            while free_some(xtp, By::Cleaner, stood_on, oldest) {
                os::wait::maybe_yield();
            }
        }
    }
}

/// Takes blocks out of a queue, as far as their times are below, and deals with them. False: there was none. A block in nobody's queue
/// would be lost with its engine.
fn with_some(xtp: &Xtp, by: By, from: &Work, below: u64, deal_with: impl FnOnce(&[At])) -> bool {
    if from.is_empty() {
        return false;
    }
    let section = engines::section(from);
    let blocks = from.pop_some(&xtp.memory, by, below);
    if !blocks.is_empty() {
        debug_assert!(
            blocks.iter().all(|block| Block::new(&xtp.memory, *block).time().load(Ordering::Relaxed) < below),
            "somebody may see or stand on what is in a block"
        );
        deal_with(&blocks);
    }
    section.end();
    !blocks.is_empty()
}

/// Marks versions that ended before anybody's snapshot: nobody sees them.
fn mark_some(xtp: &Xtp, by: By, [seen, marked]: [&Work; 2], oldest: u64) -> bool {
    with_some(xtp, by, seen, oldest.saturating_add(1), |blocks| {
        debug_assert!(
            dead_rows(xtp, blocks).all(|row| is_dead(row, oldest)),
            "a version that somebody sees is not garbage"
        );
        dead_rows(xtp, blocks).for_each(hash_index::mark_leaving);
        marked.push(&xtp.memory, blocks, 0);
    })
}

/// Takes marked versions out of their chains.
fn unlink_some(xtp: &Xtp, by: By, [marked, stood_on]: [&Work; 2], now: impl Fn() -> u64) -> bool {
    with_some(xtp, by, marked, u64::MAX, |blocks| {
        marked.count_collected(by, blocks.len() as u64, unlink_all(xtp, blocks));
        stood_on.push(&xtp.memory, blocks, now());
    })
}

fn free_some(xtp: &Xtp, by: By, stood_on: &Work, oldest: u64) -> bool {
    with_some(xtp, by, stood_on, oldest, |blocks| {
        blocks.iter().for_each(|block| free_block(xtp, Block::new(&xtp.memory, *block)));
    })
}

/// The rows of blocks that nobody sees any more.
fn dead_rows<'a>(xtp: &'a Xtp, blocks: &'a [At]) -> impl Iterator<Item = Row<'a>> {
    let changes = blocks.iter().flat_map(|block| Block::new(&xtp.memory, *block).changes_ahead());
    changes.filter(|entry| entry.change != Change::Inserted).map(|entry| Row::new(&xtp.memory, entry.row))
}

/// Takes them out of their chains, and says how many there are.
fn unlink_all(xtp: &Xtp, blocks: &[At]) -> u64 {
    // Somebody else's walk may take the last marked row out of a key, and the key with it, while it is asked for here.
    let _pinned = xtp.retired.pin();
    let mut rows = 0;
    for row in dead_rows(xtp, blocks) {
        debug_assert!(
            (0..row.links()).all(|index| hash_index::is_marked(row, index)),
            "marked before it is looked for"
        );
        xtp.objects.of(row).unlink((&xtp.memory, &xtp.retired, &xtp.pools), row);
        rows += 1;
    }
    rows
}

/// Nobody whose snapshot is `oldest` or younger sees the version: it was rolled back, or had ended by then.
fn is_dead(row: Row<'_>, oldest: u64) -> bool {
    let end = row.end().load(Ordering::Acquire);
    row.begin().load(Ordering::Acquire) == NEVER || end & OWNED == 0 && end <= oldest
}
fn free_block(xtp: &Xtp, block: Block<'_>) {
    for row in dead_rows(xtp, &[block.at]) {
        let object = xtp.objects.of(row);
        debug_assert!(
            (0..row.links()).all(|index| hash_index::is_marked(row, index)),
            "taken out of its chains before it is freed"
        );
        debug_assert!(object.number() != 0, "an object goes after its rows");
        object.count(&xtp.pools, -1, -(row.bytes() as i64));
        object.count_garbage(-1);
        row.free();
    }
    block.free();
}
