//! Ranges of keys that SERIALIZABLE and HOLDLOCK keep others from inserting into, by tree.
//!
//! A range is what was read: `[low, high)` of normalized keys, held to the end of its transaction. Nothing of it depends on the
//! rows that are there, so ghosts, splits and roll-backs need not know of ranges; SQL Server, which locks the next key instead, locks
//! the gap up to that key too. Readers note a range before they read it. Inserters look under the leaf's exclusive latch: either the
//! reader then meets their row, or they meet the range.
//!
//! ```text
//! bucket of a tree: how many, first -> Range -> Range ...
//! ```
//! Keys are kept up to `KEY_BYTES`; of a longer one the range takes in all that begin alike: harmless, only stricter.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use os::region::{Part, Pool};
use os::shared_struct;
use os::sync::{SpinClass, SpinLock};

use super::member::MemberId;
use super::mode::LockMode;
use crate::error::StorageResult;
use crate::layout::{DatabaseId, TableId};
use crate::region::memory::Memory;

const BUCKETS: usize = 4096;
/// Ranges in all; one more is 1204.
const RANGES_MAX: usize = 256 * 1024;
const KEY_WORDS: usize = 12;
const KEY_BYTES: usize = KEY_WORDS * 8;
/// Of a range without an end.
const UNBOUNDED: u32 = u32::MAX;
const _: () = assert!(KEY_BYTES < UNBOUNDED as usize && RANGES_MAX < u32::MAX as usize);
const _: () = assert!(BUCKETS == 1 << (u64::BITS - BUCKET_SHIFT), "a hash has as many upper bits as buckets need");
/// What is left of a hash is a bucket.
const BUCKET_SHIFT: u32 = 52;
const RELAXED: Ordering = Ordering::Relaxed;

/// Held while the list of a bucket is looked through.
static RANGES: SpinClass = SpinClass::new("LOCK_RANGES");

shared_struct! {
    struct Range {
        /// File and root of the tree.
        tree: AtomicU64,
        /// Database and table, for lists of locks.
        table: AtomicU64,
        member: AtomicU64,
        mode: AtomicU32,
        next: AtomicU32,
        low_bytes: AtomicU32,
        high_bytes: AtomicU32,
        low: [AtomicU64; KEY_WORDS],
        high: [AtomicU64; KEY_WORDS],
    }
}

shared_struct! {
    #[repr(align(64))]
    struct Bucket {
        lock: SpinLock<()>,
        first: AtomicU32,
        /// Read without the lock: an inserter's latch orders it after the notes of those whose leaf it changes.
        count: AtomicU32,
    }
}

/// A tree, as ranges name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeId {
    pub file: u32,
    pub root: u32,
}

impl TreeId {
    fn raw(self) -> u64 {
        debug_assert!(self.file != 0 && self.root != 0, "no tree begins at page 0: {self:?}");
        u64::from(self.file) << 32 | u64::from(self.root)
    }

    fn bucket(self) -> usize {
        (self.raw().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> BUCKET_SHIFT) as usize % BUCKETS
    }
}

/// A range of keys and how it is held: Shared excludes inserts, Update also other updaters, Exclusive all.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub tree: TreeId,
    pub db: DatabaseId,
    pub table: TableId,
    pub low: &'a [u8],
    /// None: without an end.
    pub high: Option<&'a [u8]>,
    pub mode: LockMode,
}

/// What became of a wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noted {
    /// A new one, by its slot.
    New(u32),
    /// The transaction holds it already, or held the range before it, which now reaches as far.
    Held,
    /// Somebody's range excludes it until his transaction ends.
    Excluded(MemberId),
}

/// As lists of locks show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RangeEntry {
    pub db: DatabaseId,
    pub table: TableId,
    pub member: MemberId,
    pub mode: LockMode,
    /// Of its bounds.
    pub hash: u64,
}

pub struct Ranges {
    buckets: Part<Bucket>,
    ranges: Pool<Range>,
}

/// A bound as a range keeps it.
struct Bound {
    bytes: [u8; KEY_BYTES],
    length: u32,
}

impl Bound {
    /// A lower bound that is cut comes earlier.
    fn low(key: &[u8]) -> Bound {
        let mut bytes = [0; KEY_BYTES];
        let length = key.len().min(KEY_BYTES);
        bytes[..length].copy_from_slice(&key[..length]);
        Bound { bytes, length: length as u32 }
    }

    /// An upper bound that is cut comes later: above all that begin with what is left.
    fn high(key: Option<&[u8]>) -> Bound {
        let Some(key) = key else { return Bound { bytes: [0; KEY_BYTES], length: UNBOUNDED } };
        let mut bound = Bound::low(key);
        if key.len() > KEY_BYTES {
            let last = bound.bytes.iter().rposition(|byte| *byte != u8::MAX);
            bound.length = last.map_or(UNBOUNDED, |at| at as u32 + 1);
            if let Some(at) = last {
                bound.bytes[at] += 1;
            }
        }
        bound
    }

    fn load(length: &AtomicU32, words: &[AtomicU64; KEY_WORDS]) -> Bound {
        let mut bytes = [0; KEY_BYTES];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
            chunk.copy_from_slice(&word.load(RELAXED).to_ne_bytes());
        }
        debug_assert!(length.load(RELAXED) == UNBOUNDED || length.load(RELAXED) as usize <= KEY_BYTES);
        Bound { bytes, length: length.load(RELAXED) }
    }

    fn store(&self, length: &AtomicU32, words: &[AtomicU64; KEY_WORDS]) {
        for (chunk, word) in self.bytes.chunks_exact(8).zip(words) {
            word.store(u64::from_ne_bytes(chunk.try_into().expect("eight bytes")), RELAXED);
        }
        length.store(self.length, RELAXED);
    }

    /// None: without an end.
    fn key(&self) -> Option<&[u8]> {
        (self.length != UNBOUNDED).then(|| &self.bytes[..self.length as usize])
    }

    fn low_key(&self) -> &[u8] {
        self.key().expect("a range has a beginning")
    }

    /// As upper bounds: `self` reaches at least as far as `other`.
    fn reaches(&self, other: &Bound) -> bool {
        match (self.key(), other.key()) {
            (None, _) => true,
            (_, None) => false,
            (Some(own), Some(other)) => own >= other,
        }
    }

    /// As an upper bound: keys below it include `key`.
    fn is_above(&self, key: &[u8]) -> bool {
        self.key().is_none_or(|own| key < own)
    }
}

impl Range {
    fn member(&self) -> MemberId {
        MemberId::from_raw(self.member.load(RELAXED))
    }

    fn mode(&self) -> LockMode {
        LockMode::ALL[self.mode.load(RELAXED) as usize]
    }

    fn bounds(&self) -> (Bound, Bound) {
        (Bound::load(&self.low_bytes, &self.low), Bound::load(&self.high_bytes, &self.high))
    }
}

impl Ranges {
    pub fn region_bytes() -> usize {
        Pool::<Range>::region_bytes(RANGES_MAX) + BUCKETS * size_of::<Bucket>()
    }

    pub fn new(memory: &Memory) -> StorageResult<Ranges> {
        Ok(Ranges {
            buckets: memory.carve("lock ranges by tree", BUCKETS)?,
            ranges: memory.pool("lock ranges", RANGES_MAX)?,
        })
    }

    /// The ranges of a bucket, with their slots. Under its lock.
    fn list<'a>(&'a self, bucket: &Bucket) -> impl Iterator<Item = (u32, &'a Range)> {
        let mut at = bucket.first.load(RELAXED);
        std::iter::from_fn(move || {
            let slot = at.checked_sub(1)?;
            let range = &self.ranges[slot];
            at = range.next.load(RELAXED);
            Some((slot, range))
        })
    }

    /// Notes that `member` reads a range and keeps it.
    pub fn note(&self, member: MemberId, wanted: &Wanted<'_>) -> StorageResult<Noted> {
        let (low, high) = (Bound::low(wanted.low), Bound::high(wanted.high));
        debug_assert!(high.is_above(low.low_key()), "a range that is not empty: {wanted:02x?}");
        debug_assert!(
            matches!(wanted.mode, LockMode::Shared | LockMode::Update | LockMode::Exclusive),
            "a mode that ranges have: {:?}",
            wanted.mode
        );
        let tree = wanted.tree.raw();
        let bucket = &self.buckets[wanted.tree.bucket()];
        let _lock = bucket.lock.lock_as(&RANGES);
        let mut grows = None;
        for (_, range) in self.list(bucket).filter(|(_, range)| range.tree.load(RELAXED) == tree) {
            let (other_low, other_high) = range.bounds();
            let begins_within = other_low.low_key() <= low.low_key() && other_high.reaches(&low);
            if range.member() == member {
                if begins_within && range.mode().covers(wanted.mode) {
                    if other_high.reaches(&high) {
                        return Ok(Noted::Held);
                    }
                    if range.mode() == wanted.mode {
                        grows = Some(range);
                    }
                }
                continue;
            }
            let overlaps = other_high.is_above(low.low_key()) && high.is_above(other_low.low_key());
            if overlaps && !wanted.mode.is_compatible(range.mode()) {
                return Ok(Noted::Excluded(range.member()));
            }
        }
        if let Some(range) = grows {
            debug_assert!(range.member() == member, "a transaction's own range grows");
            high.store(&range.high_bytes, &range.high);
            return Ok(Noted::Held);
        }
        let slot = self.ranges.take()?;
        let range = &self.ranges[slot];
        range.tree.store(tree, RELAXED);
        range.table.store(u64::from(wanted.db.0) << 32 | u64::from(wanted.table.0 as u32), RELAXED);
        range.member.store(member.raw(), RELAXED);
        range.mode.store(wanted.mode as u32, RELAXED);
        low.store(&range.low_bytes, &range.low);
        high.store(&range.high_bytes, &range.high);
        range.next.store(bucket.first.load(RELAXED), RELAXED);
        bucket.first.store(slot + 1, RELAXED);
        bucket.count.fetch_add(1, RELAXED);
        Ok(Noted::New(slot))
    }

    /// Somebody else whose range keeps `member` from inserting `key`. Under the exclusive latch of the key's leaf.
    #[inline]
    pub fn in_the_way(&self, member: MemberId, tree: TreeId, key: &[u8]) -> Option<MemberId> {
        let bucket = &self.buckets[tree.bucket()];
        if bucket.count.load(RELAXED) == 0 { None } else { self.find(bucket, member, tree, key) }
    }

    #[cold]
    fn find(&self, bucket: &Bucket, member: MemberId, tree: TreeId, key: &[u8]) -> Option<MemberId> {
        let _lock = bucket.lock.lock_as(&RANGES);
        let others = self.list(bucket).map(|(_, range)| range);
        let mut others = others.filter(|range| range.tree.load(RELAXED) == tree.raw() && range.member() != member);
        others.find_map(|range| {
            let (low, high) = range.bounds();
            (low.low_key() <= key && high.is_above(key)).then(|| range.member())
        })
    }

    /// Ends a range.
    pub fn release(&self, tree: TreeId, slot: u32) {
        let bucket = &self.buckets[tree.bucket()];
        let _lock = bucket.lock.lock_as(&RANGES);
        debug_assert_eq!(self.ranges[slot].tree.load(RELAXED), tree.raw(), "a range of the tree");
        self.unlink(bucket, slot);
    }

    fn unlink(&self, bucket: &Bucket, slot: u32) {
        let mut link = &bucket.first;
        while link.load(RELAXED) != slot + 1 {
            let next = link.load(RELAXED).checked_sub(1).expect("a range is in the list of its tree's bucket");
            link = &self.ranges[next].next;
        }
        link.store(self.ranges[slot].next.load(RELAXED), RELAXED);
        let before = bucket.count.fetch_sub(1, RELAXED);
        assert!(before > 0, "a range that ends was counted");
        self.ranges.give(slot);
    }

    /// Ends all ranges of a transaction, looking through the whole table: whose engine has died has no list of them any more.
    pub fn release_all(&self, member: MemberId) {
        for bucket in self.buckets.iter() {
            let _lock = bucket.lock.lock_as(&RANGES);
            let own: Vec<u32> =
                self.list(bucket).filter(|(_, range)| range.member() == member).map(|(at, _)| at).collect();
            own.into_iter().for_each(|slot| self.unlink(bucket, slot));
        }
    }

    pub fn entries(&self) -> Vec<RangeEntry> {
        let mut all = Vec::new();
        for bucket in self.buckets.iter().filter(|bucket| bucket.count.load(RELAXED) != 0) {
            let _lock = bucket.lock.lock_as(&RANGES);
            all.extend(self.list(bucket).map(|(_, range)| {
                let table = range.table.load(RELAXED);
                let words = range.low.iter().chain(&range.high).map(|word| word.load(RELAXED));
                RangeEntry {
                    db: DatabaseId((table >> 32) as u16),
                    table: TableId(table as u32 as i32),
                    member: range.member(),
                    mode: range.mode(),
                    hash: words.fold(range.tree.load(RELAXED), |hash, word| {
                        (hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
                    }),
                }
            }));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: TreeId = TreeId { file: 3, root: 17 };

    fn wanted<'a>(low: &'a [u8], high: Option<&'a [u8]>, mode: LockMode) -> Wanted<'a> {
        Wanted { tree: TREE, db: DatabaseId(5), table: TableId(1), low, high, mode }
    }

    fn ranges() -> Ranges {
        let memory = Memory::reserve(Ranges::region_bytes(), os::region::Visibility::ThisProcess).expect("memory");
        Ranges::new(&memory).expect("no ranges yet")
    }

    #[test]
    fn inserts_wait_for_the_ranges_of_others() {
        let ranges = ranges();
        let (a, b) = (MemberId::from_raw(1), MemberId::from_raw(2));
        assert!(matches!(ranges.note(a, &wanted(b"b", Some(b"d"), LockMode::Shared)), Ok(Noted::New(_))));
        for (key, expected) in [(&b"a"[..], None), (b"b", Some(a)), (b"czz", Some(a)), (b"d", None)] {
            assert_eq!(ranges.in_the_way(b, TREE, key), expected, "{key:?}");
            assert_eq!(ranges.in_the_way(a, TREE, key), None, "one's own range is in nobody's way");
        }
        assert_eq!(ranges.in_the_way(b, TreeId { root: 18, ..TREE }, b"c"), None);
        ranges.release_all(a);
        assert_eq!(ranges.in_the_way(b, TREE, b"c"), None);
        assert_eq!(ranges.entries(), []);
    }

    #[test]
    fn a_range_grows_with_its_scan_and_is_noted_once() {
        let ranges = ranges();
        let (a, b) = (MemberId::from_raw(1), MemberId::from_raw(2));
        let Ok(Noted::New(slot)) = ranges.note(a, &wanted(b"b", Some(b"d"), LockMode::Shared)) else { panic!("new") };
        assert_eq!(ranges.note(a, &wanted(b"c", Some(b"d"), LockMode::Shared)), Ok(Noted::Held));
        assert_eq!(ranges.note(a, &wanted(b"d", None, LockMode::Shared)), Ok(Noted::Held), "goes on where it ended");
        assert_eq!(ranges.in_the_way(b, TREE, b"zz"), Some(a));
        assert_eq!(ranges.entries().len(), 1);
        ranges.release(TREE, slot);
        assert_eq!(ranges.entries(), []);
    }

    #[test]
    fn updaters_exclude_each_other_and_readers_do_not() {
        let ranges = ranges();
        let (a, b, c) = (MemberId::from_raw(1), MemberId::from_raw(2), MemberId::from_raw(3));
        assert!(matches!(ranges.note(a, &wanted(b"b", Some(b"d"), LockMode::Update)), Ok(Noted::New(_))));
        assert_eq!(ranges.note(b, &wanted(b"c", Some(b"e"), LockMode::Update)), Ok(Noted::Excluded(a)));
        assert!(
            matches!(ranges.note(b, &wanted(b"d", Some(b"e"), LockMode::Update)), Ok(Noted::New(_))),
            "side by side"
        );
        assert!(matches!(ranges.note(c, &wanted(b"a", None, LockMode::Shared)), Ok(Noted::New(_))));
        assert!(matches!(ranges.note(c, &wanted(b"x", None, LockMode::Exclusive)), Ok(Noted::New(_))));
        assert_eq!(ranges.note(a, &wanted(b"y", None, LockMode::Shared)), Ok(Noted::Excluded(c)));
    }

    #[test]
    fn of_long_keys_all_that_begin_alike_are_kept() {
        let ranges = ranges();
        let (a, b) = (MemberId::from_raw(1), MemberId::from_raw(2));
        let long = |last: u8| [&[7; KEY_BYTES][..], &[last]].concat();
        ranges.note(a, &wanted(&long(1), Some(&long(2)), LockMode::Shared)).unwrap();
        assert_eq!(ranges.in_the_way(b, TREE, &long(1)), Some(a));
        assert_eq!(ranges.in_the_way(b, TREE, &long(200)), Some(a), "stricter than asked for");
        assert_eq!(ranges.in_the_way(b, TREE, &[7; KEY_BYTES - 1]), None);
        assert_eq!(ranges.in_the_way(b, TREE, &[8]), None);
    }
}
