//! Who holds how much of the memory that the instance may have, and what is left of it for the buffer pool.
//!
//! One target (`max server memory`), and clerks that count what is really held, in steps and never by the row. The buffer pool is the one
//! that gives way: its bound is what all others leave, computed when a page is wanted, down to a floor. Whatever of a process no clerk
//! counts (sessions, stacks, what the allocator keeps) is measured now and then, as what the system says is resident.
//!
//! Numbers of several engines, each changed by one atomic operation: they order no other memory, and what is computed of several of
//! them is as right as such numbers are.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use os::engines::ENGINES_MAX;
use os::region::{Part, Placed, Region, RegionHeap};
use os::shared_struct;

use crate::error::StorageResult;

/// Who counts bytes. The buffer pool, whose pages are counted there, and memory-optimized tables, whose heap counts, are none of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clerk {
    /// Records of the log that are not on disk yet.
    Log,
    /// Old versions of rows.
    Versions,
    /// Sorts, hash tables, spools, table variables and the like of running queries.
    Queries,
    StatementPlans,
    ProcedurePlans,
}

impl Clerk {
    pub const COUNT: usize = Clerk::ProcedurePlans as usize + 1;
}

/// Of what is left after all others, the buffer pool has at least this part of the target, so that pages can be read at all.
const FLOOR_PART: u64 = 16;
/// And at least so many bytes.
const FLOOR_BYTES: u64 = 64 * 8192;

/// What is measured and not counted keeps others from what they must have up to this part of the target. Beyond it, much of it is what was
/// freed and the allocator keeps.
const UNCOUNTED_PART: u64 = 8;

/// What queries have together is at most this part of the target.
const QUERIES_PART: u64 = 2;

shared_struct! {
    /// In cache lines of its own.
    #[derive(Default)]
    #[repr(align(128))]
    struct Line {
        bytes: AtomicI64,
    }
}

shared_struct! {
    #[derive(Default)]
    struct Words {
        target: AtomicU64,
        /// What the processes hold that no clerk counts.
        uncounted: AtomicU64,
        /// How often somebody was told that there is no memory.
        refusals: AtomicU64,
    }
}

#[derive(Clone)]
pub struct Broker {
    words: Placed<Words>,
    clerks: Part<Line>,
    /// Of each engine: what its process holds for itself.
    private: Part<AtomicU64>,
    rows: Arc<OnceLock<RegionHeap>>,
}

impl Broker {
    pub fn region_bytes() -> usize {
        size_of::<Words>() + Clerk::COUNT * size_of::<Line>() + ENGINES_MAX * size_of::<AtomicU64>() + 3 * 4096
    }

    /// `target`: bytes that the instance may have.
    pub fn new(region: &Region, target: u64) -> StorageResult<Broker> {
        let broker = Broker {
            words: region.place("memory broker", Words::default())?,
            clerks: region.carve("memory clerks", Clerk::COUNT)?,
            private: region.carve("memory of engines", ENGINES_MAX + 1)?,
            rows: Arc::default(),
        };
        broker.set_target(target);
        Ok(broker)
    }

    /// Memory-optimized tables count for themselves.
    pub fn attach_rows(&self, heap: RegionHeap) {
        assert!(self.rows.set(heap).is_ok(), "one heap");
    }

    pub fn set_target(&self, bytes: u64) {
        self.words.target.store(bytes, Ordering::Relaxed);
    }

    pub fn target(&self) -> u64 {
        self.words.target.load(Ordering::Relaxed)
    }

    pub fn refusals(&self) -> u64 {
        self.words.refusals.load(Ordering::Relaxed)
    }

    pub fn held(&self, clerk: Clerk) -> u64 {
        self.clerks[clerk as usize].bytes.load(Ordering::Relaxed).max(0) as u64
    }

    /// Of memory-optimized tables, with what their heap has ahead of its use.
    pub fn rows_held(&self) -> u64 {
        self.rows.get().map_or(0, RegionHeap::resident_bytes)
    }

    pub fn uncounted(&self) -> u64 {
        self.words.uncounted.load(Ordering::Relaxed)
    }

    /// So large a part of the target is held by nobody that counts that it is worth asking the allocator for what it keeps.
    pub fn has_slack(&self) -> bool {
        self.uncounted() > self.target() / UNCOUNTED_PART
    }

    /// The clerk holds so many bytes more; whoever may be refused asks first.
    pub fn add(&self, clerk: Clerk, bytes: usize) {
        self.clerks[clerk as usize].bytes.fetch_add(bytes as i64, Ordering::Relaxed);
    }

    pub fn sub(&self, clerk: Clerk, bytes: usize) {
        self.clerks[clerk as usize].bytes.fetch_sub(bytes as i64, Ordering::Relaxed);
    }

    /// For who knows how much it is in all.
    pub fn set(&self, clerk: Clerk, bytes: u64) {
        self.clerks[clerk as usize].bytes.store(bytes as i64, Ordering::Relaxed);
    }

    /// What nobody gives back because others want it.
    fn fixed(&self) -> u64 {
        use Clerk::*;
        let counted: u64 = [Log, Versions, StatementPlans, ProcedurePlans].map(|clerk| self.held(clerk)).iter().sum();
        counted + self.rows_held() + self.uncounted()
    }

    /// All but the buffer pool.
    pub fn others(&self) -> u64 {
        self.fixed() + self.held(Clerk::Queries)
    }

    fn floor(&self) -> u64 {
        (self.target() / FLOOR_PART).max(FLOOR_BYTES)
    }

    /// What the buffer pool may have now.
    pub fn buffer_bytes(&self) -> u64 {
        self.target().saturating_sub(self.others()).max(self.floor())
    }

    /// What all queries may have together if nothing else is held.
    pub fn queries_bytes_max(&self) -> u64 {
        self.target() / QUERIES_PART
    }

    /// What all queries may have together now.
    pub fn queries_bytes(&self) -> u64 {
        let target = self.target();
        let left = target.saturating_sub(self.fixed() + self.floor());
        left.clamp(target / FLOOR_PART, target / QUERIES_PART)
    }

    pub fn has_room_for(&self, bytes: u64) -> bool {
        self.others() + self.floor() + bytes <= self.target()
    }

    /// Whether so much more can be held at all, by somebody who can do nothing without it: the buffer pool has it to give. Who hears no is
    /// counted.
    pub fn has_room(&self, bytes: u64) -> bool {
        let fits = self.could_hold(bytes);
        if !fits {
            self.words.refusals.fetch_add(1, Ordering::Relaxed);
        }
        fits
    }

    /// What nobody counts comes and goes, and soon gives way itself: of it no more than a part speaks against more.
    pub fn could_hold(&self, bytes: u64) -> bool {
        let (target, uncounted) = (self.target(), self.uncounted());
        let forgiven = uncounted.saturating_sub(target / UNCOUNTED_PART);
        self.others().saturating_sub(forgiven) + self.floor() + bytes <= target
    }

    /// The process of an engine holds so many bytes of its own, `shared` of them what is counted elsewhere.
    pub fn measured(&self, engine: u32, private: u64, shared: u64) {
        self.private[engine as usize].store(private.saturating_sub(shared), Ordering::Relaxed);
        self.tell_uncounted();
    }

    /// An engine is no more, and holds nothing.
    pub fn engine_has_ended(&self, engine: u32) {
        self.private[engine as usize].store(0, Ordering::Relaxed);
        self.tell_uncounted();
    }

    fn tell_uncounted(&self) {
        let private: u64 = self.private.iter().map(|bytes| bytes.load(Ordering::Relaxed)).sum();
        use Clerk::*;
        let counted: u64 = [Queries, StatementPlans, ProcedurePlans].map(|clerk| self.held(clerk)).iter().sum();
        self.words.uncounted.store(private.saturating_sub(counted), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use os::region::Visibility;

    const MB: u64 = 1 << 20;

    fn broker(target: u64) -> Broker {
        let region = Region::reserve(Broker::region_bytes(), Visibility::ThisProcess).expect("a region");
        Broker::new(&region, target).expect("room")
    }

    #[test]
    fn the_buffer_pool_has_what_others_leave() {
        let broker = broker(256 * MB);
        assert_eq!(broker.buffer_bytes(), 256 * MB);
        broker.add(Clerk::Log, 8 << 20);
        broker.add(Clerk::Queries, 100 << 20);
        assert_eq!((broker.buffer_bytes(), broker.queries_bytes()), (148 * MB, 128 * MB));
        broker.set_target(128 * MB);
        assert_eq!((broker.buffer_bytes(), broker.queries_bytes()), (20 * MB, 64 * MB));
        broker.sub(Clerk::Queries, 100 << 20);
        assert_eq!(broker.buffer_bytes(), 120 * MB);
    }

    #[test]
    fn there_is_no_room_below_the_floor() {
        let broker = broker(160 * MB);
        assert!(broker.has_room(150 * MB) && !broker.has_room(151 * MB));
        broker.add(Clerk::Versions, 150 << 20);
        assert_eq!((broker.buffer_bytes(), broker.queries_bytes()), (10 * MB, 10 * MB));
        assert!(!broker.has_room(1));
        assert_eq!(broker.refusals(), 2);
    }

    #[test]
    fn what_no_clerk_counts_is_measured() {
        let broker = broker(256 * MB);
        broker.add(Clerk::Queries, 10 << 20);
        broker.measured(0, 90 * MB, 40 * MB);
        assert_eq!(broker.uncounted(), 40 * MB);
        broker.measured(1, 30 * MB, 0);
        assert_eq!(broker.buffer_bytes(), (256 - 10 - 70) * MB);
        broker.engine_has_ended(1);
        assert_eq!(broker.uncounted(), 40 * MB);
    }
}
