//! What all engines know of a memory-optimized table: its object, a slot that rows name by its number. It has what taking a
//! row out of its chains needs, so that whoever cleans up needs no layout.
//!
//! ```text
//! an index in the block of indexes, 8 words: 0 u32 kind (1 hash, 2 ordered), u32 id of the index
//!   1 hash: place of the buckets; ordered: place of the tree's root   2 hash: buckets less one   3 .. 7 spare
//! then 8 words of nothing, so that who counts is not in the way of who looks for an index; then for each index what is counted of
//! it (`counts`), in shares of 16 words
//! ```

use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use os::region::{Placed, Pool};
use os::shared_struct;
use os::sync::Mutex;
use os::wait::WaitType;

use super::counts::{IndexCounts, SHARES, TableCounts, share};
use super::hash_index::{self, HashIndex};
use super::memory::{At, RowMemory};
use super::ordered_index::{Growth, OrderedIndex};
use super::pools::{self, Pools};
use super::retired::Retired;
use super::row::Row;
use super::way::Way;
use crate::error::{StorageError, StorageResult};
use crate::layout::{DatabaseId, IndexLayout, TableId, TableLayout};
use crate::region::memory::Memory;

/// Memory-optimized tables of an instance. Rows name theirs in 16 bits.
const OBJECTS_MAX: usize = 1 << 16;
const INDEX_WORDS: usize = 8;
const HASH: u32 = 1;
const ORDERED: u32 = 2;

/// A share is in a cache line or two of its own.
const SHARE_WORDS: usize = 16;
const _: () = assert!(IndexCounts::WORDS <= SHARE_WORDS);
const _: () = assert!(SHARE_WORDS * size_of::<u64>() == 128, "a share is a pair of cache lines");
const _: () = assert!(OBJECTS_MAX - 1 <= u16::MAX as usize, "a row names its object in 16 bits");
const _: () = assert!(DURABLE & DROPPED == 0 && (DURABLE | DROPPED) & VALUES == 0);

const fn block_bytes(indexes: usize) -> usize {
    8 * (counts_at(indexes, indexes))
}

/// Where what is counted of an index begins in the block.
const fn counts_at(indexes: usize, index: usize) -> usize {
    INDEX_WORDS * (indexes + 1) + SHARES * SHARE_WORDS * index
}

shared_struct! {
    /// In cache lines of its own.
    #[repr(align(128))]
    struct Share {
        rows: AtomicI64,
        /// Of rows; of what leads to them.
        bytes: AtomicI64,
        index_bytes: AtomicI64,
        /// Versions in blocks of work for who collects them.
        garbage: AtomicI64,
        counts: [AtomicU64; TableCounts::WORDS],
    }
}

shared_struct! {
    /// What was counted of objects that are gone.
    #[derive(Default)]
    struct Gone {
        tables: [AtomicU64; TableCounts::WORDS],
        indexes: [AtomicU64; IndexCounts::WORDS],
    }
}

shared_struct! {
    #[repr(align(128))]
    pub struct Object {
        /// As the directory and the log call it; 0: the slot is free.
        number: AtomicU32,
        database: AtomicU32,
        table: AtomicU32,
        /// 1: its rows are logged. 2: it was dropped. 4: its rows are values of its table's rows.
        flags: AtomicU32,
        /// The block of its indexes, and how many.
        indexes: AtomicU64,
        index_count: AtomicU32,
        /// When it was dropped, by the commit clock.
        dropped_at: AtomicU64,
        shares: [Share; SHARES],
    }
}

const DURABLE: u32 = 1;
const DROPPED: u32 = 2;
const VALUES: u32 = 4;

/// What an object holds of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Rows,
    /// Those that are out of the rows (`values`).
    Values,
}

impl Object {
    pub fn number(&self) -> u32 {
        self.number.load(Ordering::Acquire)
    }

    pub fn database(&self) -> DatabaseId {
        DatabaseId(self.database.load(Ordering::Relaxed) as u16)
    }

    pub fn table(&self) -> TableId {
        TableId(self.table.load(Ordering::Relaxed) as i32)
    }

    pub fn is_durable(&self) -> bool {
        self.flags.load(Ordering::Relaxed) & DURABLE != 0
    }

    pub fn role(&self) -> Role {
        match self.flags.load(Ordering::Relaxed) & VALUES {
            0 => Role::Rows,
            _ => Role::Values,
        }
    }

    pub fn is_dropped(&self) -> bool {
        self.flags.load(Ordering::SeqCst) & DROPPED != 0
    }

    /// Versions, of whatever age, and the bytes they take. A transaction tells of those that it inserts in steps. Where an engine does not die alone: what the pools know is the sum over all.
    #[inline]
    pub fn count(&self, pools: &Pools, rows: i64, bytes: i64) {
        let share = &self.shares[share()];
        share.rows.fetch_add(rows, Ordering::Relaxed);
        self.count_bytes(pools, &share.bytes, bytes);
    }

    /// As `count`, for what leads to the rows.
    pub fn count_index(&self, pools: &Pools, bytes: i64) {
        self.count_bytes(pools, &self.shares[share()].index_bytes, bytes);
    }

    #[inline]
    fn count_bytes(&self, pools: &Pools, word: &AtomicI64, bytes: i64) {
        let steps = pools::steps(word.fetch_add(bytes, Ordering::Relaxed), bytes);
        if steps != 0 {
            pools.add(self.database(), steps);
        }
    }

    /// So many more versions wait for who collects them.
    pub fn count_garbage(&self, versions: i64) {
        let share = &self.shares[share()];
        share.garbage.fetch_add(versions, Ordering::Relaxed);
    }

    /// It was dropped, and nobody has a row of it in hand any more who was there before time `oldest`.
    pub fn may_go(&self, oldest: u64) -> bool {
        let garbage = || self.shares.iter().map(|share| share.garbage.load(Ordering::SeqCst)).sum::<i64>();
        self.is_dropped() && self.dropped_at.load(Ordering::SeqCst) < oldest && garbage() == 0
    }

    /// Versions there are, and the bytes they take.
    pub fn counted(&self) -> (i64, i64) {
        let sum =
            |of: fn(&Share) -> &AtomicI64| self.shares.iter().map(|share| of(share).load(Ordering::Relaxed)).sum();
        (sum(|share| &share.rows), sum(|share| &share.bytes))
    }

    pub fn add_counts(&self, counts: &mut TableCounts) {
        let words = &self.shares[share()].counts;
        counts.move_to(|at| &words[at]);
    }

    pub fn counts(&self) -> TableCounts {
        let mut sum = TableCounts::default();
        self.shares.iter().for_each(|share| sum.add(TableCounts::read(|at| &share.counts[at])));
        sum
    }

    pub fn add_index_counts(&self, memory: &RowMemory, index: usize, counts: &mut IndexCounts) {
        debug_assert!(index < self.index_count(), "index {index} of {}", self.index_count());
        let first = counts_at(self.index_count(), index) + SHARE_WORDS * share();
        let block = self.block();
        counts.move_to(|at| memory.word(block, first + at));
    }

    pub fn index_counts(&self, memory: &RowMemory, index: usize) -> IndexCounts {
        let first = counts_at(self.index_count(), index);
        let block = self.block();
        let mut sum = IndexCounts::default();
        for share in 0..SHARES {
            sum.add(IndexCounts::read(|at| memory.word(block, first + SHARE_WORDS * share + at)));
        }
        sum
    }

    fn block(&self) -> At {
        At::of_word(self.indexes.load(Ordering::Relaxed))
    }

    pub fn index_count(&self) -> usize {
        self.index_count.load(Ordering::Relaxed) as usize
    }

    fn index_word(&self, memory: &RowMemory, index: usize, word: usize) -> u64 {
        debug_assert!(index < self.index_count(), "index {index} of {}", self.index_count());
        memory.word(self.block(), INDEX_WORDS * index + word).load(Ordering::Relaxed)
    }

    pub fn index_id(&self, memory: &RowMemory, index: usize) -> u32 {
        (self.index_word(memory, index, 0) >> 32) as u32
    }

    pub fn way(&self, memory: &RowMemory, index: usize) -> Way {
        let word = |word| self.index_word(memory, index, word);
        debug_assert!(matches!(word(0) as u32, HASH | ORDERED), "a kind of index: {}", word(0) as u32);
        debug_assert!(!At::of_word(word(1)).is_none(), "an index lies somewhere");
        match word(0) as u32 {
            HASH => Way::Hash(HashIndex { buckets: At::of_word(word(1)), mask: word(2) }),
            _ => Way::Ordered(OrderedIndex { root: At::of_word(word(1)) }),
        }
    }

    /// Takes a row, which is marked, out of all its chains.
    pub fn unlink(&self, (memory, retired, pools): (&RowMemory, &Retired, &Pools), row: Row<'_>) {
        debug_assert_eq!(row.links(), self.index_count(), "a row has a link for each index");
        for index in 0..row.links() {
            match self.way(memory, index) {
                Way::Hash(hash) => hash.unlink(memory, row, index),
                Way::Ordered(tree) => {
                    let growth = Growth::new(retired);
                    tree.unlink(memory, &growth, row, index);
                    self.count_index(pools, growth.bytes());
                }
            }
        }
    }
}

pub struct Objects {
    slots: Pool<Object>,
    /// Held while one comes or goes.
    changing: Placed<Mutex<()>>,
    /// Changed and read while `changing` is held.
    gone: Placed<Gone>,
}

impl Objects {
    pub fn region_bytes() -> usize {
        Pool::<Object>::region_bytes(OBJECTS_MAX)
    }

    pub fn new(memory: &Memory) -> StorageResult<Objects> {
        Ok(Objects {
            slots: memory.pool("memory-optimized tables", OBJECTS_MAX)?,
            changing: memory.place("memory-optimized tables", Mutex::new(WaitType::SOS_MUTEX, ()))?,
            gone: memory.place("counts of dropped memory-optimized tables", Gone::default())?,
        })
    }

    #[inline]
    pub fn of(&self, row: Row<'_>) -> &Object {
        &self.slots[u32::from(row.object())]
    }

    pub fn at(&self, slot: u16) -> &Object {
        &self.slots[u32::from(slot)]
    }

    pub fn all(&self) -> impl Iterator<Item = (u16, &Object)> {
        let slots = (0..self.slots.used()).map(|slot| (slot as u16, &self.slots[slot]));
        slots.filter(|(_, object)| object.number() != 0)
    }

    pub fn find(&self, number: u32) -> Option<u16> {
        self.all().find(|(_, object)| object.number() == number && !object.is_dropped()).map(|(slot, _)| slot)
    }

    /// The slot of the object `number`, made if this is its first use since the start.
    pub fn open(
        &self,
        (memory, pools): (&RowMemory, &Pools),
        (number, role): (u32, Role),
        (db, table): (DatabaseId, TableId),
        layout: &TableLayout,
    ) -> StorageResult<u16> {
        let _changing = self.changing.lock();
        assert!(number != 0, "0 is a free slot");
        if let Some(slot) = self.find(number) {
            return Ok(slot);
        }
        let indexes = &layout.indexes;
        let bytes = empty_bytes(indexes);
        pools.admit(db, bytes)?;
        let slot = self.slots.take_needed().map_err(|_| StorageError::OutOfMemory)?;
        let block = create_indexes(memory, indexes).map_err(|_| {
            self.slots.give(slot);
            pools.refuse(db)
        })?;
        let object = &self.slots[slot];
        assert_eq!(object.number(), 0, "a slot that was taken is nobody's");
        object.database.store(u32::from(db.0), Ordering::Relaxed);
        object.table.store(table.0 as u32, Ordering::Relaxed);
        let durable = layout.memory.is_some_and(|memory| memory.durable);
        let flags = if durable { DURABLE } else { 0 } | if role == Role::Values { VALUES } else { 0 };
        object.flags.store(flags, Ordering::Relaxed);
        object.indexes.store(block.word(), Ordering::Relaxed);
        object.index_count.store(indexes.len() as u32, Ordering::Relaxed);
        for share in &object.shares {
            share.rows.store(0, Ordering::Relaxed);
            share.bytes.store(0, Ordering::Relaxed);
            share.index_bytes.store(0, Ordering::Relaxed);
            share.garbage.store(0, Ordering::Relaxed);
            share.counts.iter().for_each(|count| count.store(0, Ordering::Relaxed));
        }
        object.count_index(pools, bytes as i64);
        // Release: whoever finds it by its number sees the rest.
        object.number.store(number, Ordering::Release);
        Ok(slot as u16)
    }

    /// The table is gone for everybody: its memory goes as soon as no snapshot needs it.
    pub fn drop_soon(&self, number: u32, now: u64) {
        debug_assert!(now > 0 && number != 0, "a time, and an object");
        if let Some(slot) = self.find(number) {
            self.slots[u32::from(slot)].dropped_at.store(now, Ordering::SeqCst);
            self.slots[u32::from(slot)].flags.fetch_or(DROPPED, Ordering::SeqCst);
        }
    }

    /// What was counted since the start, of tables that are gone, too.
    pub fn all_counts(&self, memory: &RowMemory) -> (TableCounts, IndexCounts) {
        let _changing = self.changing.lock();
        let mut tables = TableCounts::read(|at| &self.gone.tables[at]);
        let mut indexes = IndexCounts::read(|at| &self.gone.indexes[at]);
        for (_, object) in self.all() {
            tables.add(object.counts());
            (0..object.index_count()).for_each(|index| indexes.add(object.index_counts(memory, index)));
        }
        (tables, indexes)
    }

    /// Frees a dropped object of which nobody has a row in hand any more: all rows that are still in its chains, then the chains.
    pub fn remove(&self, memory: &RowMemory, pools: &Pools, slot: u16) {
        let _changing = self.changing.lock();
        let object = &self.slots[u32::from(slot)];
        if !object.is_dropped() || object.number() == 0 {
            // Somebody else was here before.
            return;
        }
        let count = object.index_count();
        debug_assert_eq!(
            object.shares.iter().map(|share| share.garbage.load(Ordering::SeqCst)).sum::<i64>(),
            0,
            "who collects rows comes before who frees them"
        );
        let mut freed = (0, 0);
        object.counts().move_to(|at| &self.gone.tables[at]);
        (0..count).for_each(|index| object.index_counts(memory, index).move_to(|at| &self.gone.indexes[at]));
        if count > 0 {
            object.way(memory, 0).for_each_chain(memory, &mut |mut at| {
                while !at.is_none() {
                    let row = Row::new(memory, at);
                    at = hash_index::next(row, 0);
                    freed = (freed.0 + 1, freed.1 + row.bytes() as i64);
                    row.free();
                }
            });
        }
        (0..count).for_each(|index| object.way(memory, index).free(memory));
        debug_assert!(
            count == 0 || freed == object.counted(),
            "versions counted: {:?}, found: {freed:?}",
            object.counted()
        );
        memory.free(object.block(), block_bytes(count));
        let words = object.shares.iter().flat_map(|share| [&share.bytes, &share.index_bytes]);
        let told: i64 = words.map(|word| pools::told(word.load(Ordering::Relaxed))).sum();
        pools.add(object.database(), -told);
        object.number.store(0, Ordering::Release);
        self.slots.give(u32::from(slot));
    }
}

/// What a table takes that has no rows.
fn empty_bytes(indexes: &[IndexLayout]) -> usize {
    let of_index = |index: &IndexLayout| match index.bucket_count {
        Some(count) => 8 * hash_index::bucket_count(count) as usize,
        None => OrderedIndex::EMPTY_BYTES,
    };
    block_bytes(indexes.len()) + indexes.iter().map(of_index).sum::<usize>()
}

/// The block of a table's indexes, with empty chains and nothing counted.
fn create_indexes(memory: &RowMemory, indexes: &[IndexLayout]) -> StorageResult<At> {
    debug_assert!(indexes.len() <= usize::from(u8::MAX), "a row counts its links in 8 bits");
    let block = memory.allocate(block_bytes(indexes.len()))?;
    for word in counts_at(indexes.len(), 0)..block_bytes(indexes.len()) / 8 {
        memory.word(block, word).store(0, Ordering::Relaxed);
    }
    let mut made: Vec<Way> = Vec::new();
    for (position, index) in indexes.iter().enumerate() {
        let way = match index.bucket_count {
            Some(count) => HashIndex::create(memory, count).map(Way::Hash),
            None => OrderedIndex::create(memory).map(Way::Ordered),
        };
        let way = way.inspect_err(|_| {
            made.iter().for_each(|way| way.free(memory));
            memory.free(block, block_bytes(indexes.len()));
        })?;
        let (kind, place, mask) = match way {
            Way::Hash(hash) => (HASH, hash.buckets, hash.mask),
            Way::Ordered(tree) => (ORDERED, tree.root, 0),
        };
        let words = [u64::from(kind) | u64::from(index.id.0) << 32, place.word(), mask];
        for (word, value) in words.into_iter().enumerate() {
            memory.word(block, INDEX_WORDS * position + word).store(value, Ordering::Relaxed);
        }
        made.push(way);
    }
    Ok(block)
}
