//! The lock table itself: which transaction holds what, and who waits in which order. Knows nothing of waiting.
//!
//! ```text
//! bucket -> Lock -> Lock ...      a resource that is locked or asked for
//!            |-> granted: Request <-> Request ...     one for each holder; counted by mode
//!            \-> queue:   Request -> Request ...      in the order in which they will be granted
//! ```
//! Links are slots of the two pools plus one, 0 for none. Everything of a resource is read and changed under the lock of
//! its shard; the fields are atomics only because the memory is shared.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use os::region::{Part, Placed, Pool};
use os::shared_struct;
use os::sync::{SpinClass, SpinGuard, SpinLock};

use super::Resource;
use super::member::MemberId;
use super::mode::LockMode;
use crate::error::StorageResult;
use crate::region::memory::Memory;

const SHARDS: usize = 64;
const BUCKETS: usize = 1 << 18;
/// Locks in all; one more is 1204.
pub const LOCKS_MAX: usize = 4_000_000;

const MODES: usize = LockMode::ALL.len();
const _: () = assert!(BUCKETS.is_multiple_of(SHARDS), "a bucket has one shard");
const _: () = assert!(BUCKETS == 1 << (u64::BITS - BUCKET_SHIFT), "a hash has as many upper bits as buckets need");
const _: () = assert!(LOCKS_MAX < u32::MAX as usize, "a slot plus one fits a link");
/// What is left of a hash is a bucket.
const BUCKET_SHIFT: u32 = 46;
const RELAXED: Ordering = Ordering::Relaxed;

/// Held for a few instructions, nothing waits under it.
static LOCK_HASH: SpinClass = SpinClass::new("LOCK_HASH");

shared_struct! {
    struct Lock {
        space: AtomicU64,
        name: AtomicU64,
        /// The next of the bucket.
        next: AtomicU32,
        granted: AtomicU32,
        queue: AtomicU32,
        /// Holders in each mode.
        holders: [AtomicU32; MODES],
    }
}

shared_struct! {
    struct Request {
        member: AtomicU64,
        mode: AtomicU32,
        /// In the queue: the member holds a weaker mode already.
        converts: AtomicU32,
        next: AtomicU32,
        /// Among the granted: the one before.
        before: AtomicU32,
    }
}

shared_struct! {
    #[repr(align(64))]
    struct Shard {
        lock: SpinLock<()>,
    }
}

/// A place in the queue, or a hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub member: MemberId,
    pub mode: LockMode,
    pub converts: bool,
}

pub struct LockTable {
    shards: Placed<[Shard; SHARDS]>,
    /// First lock of each bucket.
    buckets: Part<AtomicU32>,
    locks: Pool<Lock>,
    requests: Pool<Request>,
}

/// A resource whose shard is locked.
pub struct Locked<'a> {
    table: &'a LockTable,
    resource: Resource,
    bucket: usize,
    /// Its slot plus one, 0: it is not in the table.
    found: Cell<u32>,
    _shard: SpinGuard<'a, ()>,
}

fn mode_of(raw: &AtomicU32) -> LockMode {
    LockMode::ALL[raw.load(RELAXED) as usize]
}

impl Request {
    fn entry(&self) -> Entry {
        Entry {
            member: MemberId::from_raw(self.member.load(RELAXED)),
            mode: mode_of(&self.mode),
            converts: self.converts.load(RELAXED) != 0,
        }
    }
}

fn hash_of(resource: &Resource) -> u64 {
    let (space, name) = resource.numbers();
    // The upper bits of the product depend on all of the key.
    (space.rotate_left(32) ^ name).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn bucket_of(resource: &Resource) -> usize {
    (hash_of(resource) >> BUCKET_SHIFT) as usize
}

impl LockTable {
    pub fn region_bytes() -> usize {
        Pool::<Lock>::region_bytes(LOCKS_MAX)
            + Pool::<Request>::region_bytes(LOCKS_MAX)
            + BUCKETS * size_of::<AtomicU32>()
    }

    pub fn new(memory: &Memory) -> StorageResult<LockTable> {
        let shards = std::array::from_fn(|_| Shard { lock: SpinLock::new(&LOCK_HASH, ()) });
        Ok(LockTable {
            shards: memory.place("lock table shards", shards)?,
            buckets: memory.carve("lock table", BUCKETS)?,
            locks: memory.pool("locks", LOCKS_MAX)?,
            requests: memory.pool("lock requests", LOCKS_MAX)?,
        })
    }

    pub fn lock(&self, resource: Resource) -> Locked<'_> {
        let bucket = bucket_of(&resource);
        let _shard = self.shards[bucket % SHARDS].lock.lock();
        let found = Cell::new(self.find(bucket, &resource));
        Locked { table: self, resource, bucket, found, _shard }
    }

    /// The slot plus one of a resource, 0: nobody holds or wants it. Under the shard's lock.
    fn find(&self, bucket: usize, resource: &Resource) -> u32 {
        let (space, name) = resource.numbers();
        let mut at = self.buckets[bucket].load(RELAXED);
        while let Some(slot) = at.checked_sub(1) {
            let lock = &self.locks[slot];
            if lock.name.load(RELAXED) == name && lock.space.load(RELAXED) == space {
                break;
            }
            at = lock.next.load(RELAXED);
        }
        at
    }

    /// Everything in the table: the resource, who, and whether it is granted.
    pub fn entries(&self) -> Vec<(Resource, Entry, bool)> {
        let mut all = Vec::new();
        for (number, shard) in self.shards.iter().enumerate() {
            let _shard = shard.lock.lock();
            for bucket in (number..BUCKETS).step_by(SHARDS) {
                let mut at = self.buckets[bucket].load(RELAXED);
                while let Some(slot) = at.checked_sub(1) {
                    let lock = &self.locks[slot];
                    let resource = Resource::from_numbers(lock.space.load(RELAXED), lock.name.load(RELAXED));
                    all.extend(self.list(&lock.granted).map(|(_, entry)| (resource, entry, true)));
                    all.extend(self.list(&lock.queue).map(|(_, entry)| (resource, entry, false)));
                    at = lock.next.load(RELAXED);
                }
            }
        }
        all
    }

    /// The requests of a list, with their slots.
    fn list(&self, first: &AtomicU32) -> impl Iterator<Item = (u32, Entry)> {
        let mut at = first.load(RELAXED);
        std::iter::from_fn(move || {
            let slot = at.checked_sub(1)?;
            let request = &self.requests[slot];
            at = request.next.load(RELAXED);
            Some((slot, request.entry()))
        })
    }

    fn new_request(&self, entry: Entry) -> StorageResult<u32> {
        debug_assert!(entry.member.raw() != 0, "0 is no member");
        let slot = self.requests.take()?;
        let request = &self.requests[slot];
        request.member.store(entry.member.raw(), RELAXED);
        request.mode.store(entry.mode as u32, RELAXED);
        request.converts.store(entry.converts as u32, RELAXED);
        Ok(slot)
    }
}

impl Locked<'_> {
    fn find(&self) -> Option<&Lock> {
        Some(&self.table.locks[self.found.get().checked_sub(1)?])
    }

    fn find_or_add(&self) -> StorageResult<&Lock> {
        if let Some(lock) = self.find() {
            return Ok(lock);
        }
        let slot = self.table.locks.take()?;
        debug_assert_eq!(self.table.find(self.bucket, &self.resource), 0, "a resource is in the table once");
        let lock = &self.table.locks[slot];
        let (space, name) = self.resource.numbers();
        let bucket = &self.table.buckets[self.bucket];
        lock.space.store(space, RELAXED);
        lock.name.store(name, RELAXED);
        lock.granted.store(0, RELAXED);
        lock.queue.store(0, RELAXED);
        lock.holders.iter().for_each(|count| count.store(0, RELAXED));
        lock.next.store(bucket.load(RELAXED), RELAXED);
        bucket.store(slot + 1, RELAXED);
        self.found.set(slot + 1);
        Ok(lock)
    }

    /// Takes the resource out of the table if nobody holds or wants it.
    fn remove_if_unused(&self) {
        let Some(lock) = self.find() else { return };
        if lock.granted.load(RELAXED) != 0 || lock.queue.load(RELAXED) != 0 {
            return;
        }
        let gone = self.found.replace(0);
        debug_assert!(
            lock.holders.iter().all(|count| count.load(RELAXED) == 0),
            "counts at zero when the last holder goes"
        );
        let mut link = &self.table.buckets[self.bucket];
        while link.load(RELAXED) != gone {
            assert!(link.load(RELAXED) != 0, "a lock is in the list of its bucket");
            link = &self.table.locks[link.load(RELAXED) - 1].next;
        }
        link.store(lock.next.load(RELAXED), RELAXED);
        self.table.locks.give(gone - 1);
    }

    /// The mode in which `member` holds the resource.
    pub fn held_by(&self, member: MemberId) -> Option<LockMode> {
        let lock = self.find()?;
        self.table.list(&lock.granted).find(|(_, entry)| entry.member == member).map(|(_, entry)| entry.mode)
    }

    /// Whether `mode` goes with all that wait: then nobody waits longer for its being granted.
    pub fn fits_queue(&self, mode: LockMode) -> bool {
        self.find().is_none_or(|lock| self.table.list(&lock.queue).all(|(_, entry)| mode.is_compatible(entry.mode)))
    }

    /// Whether no other transaction's hold excludes `mode`. `own`: the mode in which the asking one holds it.
    pub fn fits(&self, mode: LockMode, own: Option<LockMode>) -> bool {
        self.find().is_none_or(|lock| {
            LockMode::ALL.into_iter().all(|held| {
                debug_assert!(
                    own != Some(held) || lock.holders[held as usize].load(RELAXED) > 0,
                    "own is one of the holders"
                );
                let others = lock.holders[held as usize].load(RELAXED) - (own == Some(held)) as u32;
                others == 0 || mode.is_compatible(held)
            })
        })
    }

    /// The first hold of a member.
    pub fn add_holder(&self, member: MemberId, mode: LockMode) -> StorageResult<()> {
        debug_assert_eq!(self.held_by(member), None, "a member holds a resource once");
        debug_assert!(self.fits(mode, None), "nobody's hold excludes it");
        let request = self.table.new_request(Entry { member, mode, converts: false })?;
        match self.find_or_add() {
            Ok(lock) => {
                self.link(lock, request, mode);
                Ok(())
            }
            Err(error) => {
                self.table.requests.give(request);
                Err(error)
            }
        }
    }

    fn link(&self, lock: &Lock, slot: u32, mode: LockMode) {
        let first = lock.granted.load(RELAXED);
        debug_assert!(first != slot + 1, "a request is in one list");
        let request = &self.table.requests[slot];
        request.before.store(0, RELAXED);
        request.next.store(first, RELAXED);
        if let Some(next) = first.checked_sub(1) {
            self.table.requests[next].before.store(slot + 1, RELAXED);
        }
        lock.granted.store(slot + 1, RELAXED);
        lock.holders[mode as usize].fetch_add(1, RELAXED);
    }

    /// The member, which holds the resource, holds it in a stronger mode from now on.
    pub fn convert_holder(&self, member: MemberId, mode: LockMode) {
        debug_assert!(self.held_by(member).is_some_and(|held| mode.covers(held)), "a hold becomes no weaker");
        self.set_mode(member, mode);
    }

    pub fn set_mode(&self, member: MemberId, mode: LockMode) {
        let lock = self.find().expect("a resource that is held is in the table");
        let held = self.table.list(&lock.granted).find(|(_, entry)| entry.member == member);
        let (slot, entry) = held.expect("a holder");
        self.table.requests[slot].mode.store(mode as u32, RELAXED);
        let before = lock.holders[entry.mode as usize].fetch_sub(1, RELAXED);
        assert!(before > 0, "a holder is counted in its mode");
        lock.holders[mode as usize].fetch_add(1, RELAXED);
    }

    /// Ends a hold. False: there was none.
    pub fn remove_holder(&self, member: MemberId) -> bool {
        let Some(lock) = self.find() else { return false };
        let Some((slot, entry)) = self.table.list(&lock.granted).find(|(_, entry)| entry.member == member) else {
            return false;
        };
        let request = &self.table.requests[slot];
        let (before, next) = (request.before.load(RELAXED), request.next.load(RELAXED));
        debug_assert_eq!(before == 0, lock.granted.load(RELAXED) == slot + 1, "the first has nobody before it");
        match before.checked_sub(1) {
            Some(before) => self.table.requests[before].next.store(next, RELAXED),
            None => lock.granted.store(next, RELAXED),
        }
        if let Some(next) = next.checked_sub(1) {
            self.table.requests[next].before.store(before, RELAXED);
        }
        let counted = lock.holders[entry.mode as usize].fetch_sub(1, RELAXED);
        assert!(counted > 0, "a holder is counted in its mode");
        self.table.requests.give(slot);
        self.remove_if_unused();
        true
    }

    /// A conversion goes before first requests: they would wait for it anyway.
    pub fn enqueue(&self, entry: Entry) -> StorageResult<()> {
        let slot = self.table.new_request(entry)?;
        let lock = self.find().expect("somebody holds what one waits for");
        assert!(lock.granted.load(RELAXED) != 0, "without a holder there is nothing to wait for");
        debug_assert!(
            self.table.list(&lock.queue).all(|(_, waiting)| waiting.member != entry.member),
            "a member waits once"
        );
        debug_assert_eq!(entry.converts, self.held_by(entry.member).is_some(), "who holds it converts");
        let mut link = &lock.queue;
        while let Some(at) = link.load(RELAXED).checked_sub(1) {
            let request = &self.table.requests[at];
            if entry.converts && request.converts.load(RELAXED) == 0 {
                break;
            }
            link = &request.next;
        }
        self.table.requests[slot].next.store(link.load(RELAXED), RELAXED);
        link.store(slot + 1, RELAXED);
        Ok(())
    }

    /// Takes a member's request out of the queue; it may have been granted before.
    pub fn leave_queue(&self, member: MemberId) {
        let Some(lock) = self.find() else { return };
        let mut link = &lock.queue;
        while let Some(slot) = link.load(RELAXED).checked_sub(1) {
            let request = &self.table.requests[slot];
            if request.member.load(RELAXED) == member.raw() {
                link.store(request.next.load(RELAXED), RELAXED);
                self.table.requests.give(slot);
                break;
            }
            link = &request.next;
        }
        debug_assert!(self.table.list(&lock.queue).all(|(_, waiting)| waiting.member != member), "a member waits once");
        self.remove_if_unused();
    }

    /// Grants the first of the queue that nothing excludes any more: no holder, and nobody who waits before it.
    pub fn grant_first(&self) -> Option<Entry> {
        let lock = self.find()?;
        let mut link = &lock.queue;
        // Modes of those who stay before it.
        let mut before = 0u8;
        while let Some(slot) = link.load(RELAXED).checked_sub(1) {
            let request = &self.table.requests[slot];
            let entry = request.entry();
            let own = if entry.converts { self.held_by(entry.member) } else { None };
            assert_eq!(own.is_some(), entry.converts, "who converts holds the resource while it waits");
            if entry.mode.excludes() & before == 0 && self.fits(entry.mode, own) {
                link.store(request.next.load(RELAXED), RELAXED);
                if entry.converts {
                    self.convert_holder(entry.member, entry.mode);
                    self.table.requests.give(slot);
                } else {
                    self.link(lock, slot, entry.mode);
                }
                return Some(entry);
            }
            before |= 1 << entry.mode as u8;
            link = &request.next;
        }
        None
    }

    /// Whom a member's request in the queue waits for: holders and requests before it that exclude it. None: it is not there.
    pub fn blockers(&self, member: MemberId, mode: LockMode) -> Option<Vec<MemberId>> {
        let lock = self.find()?;
        let queue: Vec<Entry> = self.table.list(&lock.queue).map(|(_, entry)| entry).collect();
        let place = queue.iter().position(|entry| entry.member == member)?;
        let excludes = |entry: &Entry| entry.member != member && !mode.is_compatible(entry.mode);
        let holders = self.table.list(&lock.granted).map(|(_, entry)| entry).filter(excludes);
        let earlier = queue[..place].iter().copied().filter(excludes);
        Some(holders.chain(earlier).map(|entry| entry.member).collect())
    }
}
