//! How many rows each table has, counted where all engines see it.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use os::region::{Part, Placed};
use os::shared_struct;
use os::sync::Mutex;
use os::wait::WaitType;

use crate::error::StorageResult;
use crate::layout::{DatabaseId, TableId};
use crate::region::memory::Memory;

/// Tables whose rows are counted for all engines; further ones are counted by each engine for itself.
const PLACES: usize = 1 << 16;
/// Places where the count of a table may lie, one after the other.
const TRIES: usize = 16;
/// Schedulers count apart, as many as this: each insertion adds here, and they would wait for each other's cache line.
const SHARES: usize = 4;
const _: () = assert!(TRIES < PLACES);

shared_struct! {
    /// Of one table, in a cache line of its own.
    #[repr(align(64))]
    struct RowShare {
        gained: AtomicI64,
        lost: AtomicI64,
        /// Changed in place or moved.
        changed: AtomicI64,
    }
}

const _: () = assert!(size_of::<RowShare>() == 64, "schedulers that count do not meet in a cache line");
/// A table in one word; not 0, since no table has the id 0.
pub fn pack(db: DatabaseId, table: TableId) -> u64 {
    debug_assert!(table.0 != 0, "a word of 0 is a free place");
    u64::from(db.0) << 32 | u64::from(table.0 as u32)
}

/// About how many rows a table has, and how often rows have changed. A rollback corrects it (`RowCounts::take_back`), unless a crash has
/// come before; of a table without a place it does not.
pub struct Rows {
    counts: Part<RowShare>,
    /// None: there was no place left.
    at: Option<usize>,
    own: RowShare,
}

/// How often rows of a table have changed, for whoever looks again later. Numbers from before the table got another shape may be higher.
#[derive(Clone)]
pub struct ChangeCount {
    counts: Part<RowShare>,
    at: Option<usize>,
    /// Of a partitioned table, those of its other partitions.
    others: Vec<ChangeCount>,
}

impl Rows {
    fn share(&self) -> &RowShare {
        let share = os::sched::here().unwrap_or(0) as usize % SHARES;
        self.at.map_or(&self.own, |at| &self.counts[at * SHARES + share])
    }

    fn shares(&self) -> &[RowShare] {
        self.at.map_or(std::slice::from_ref(&self.own), |at| &self.counts[at * SHARES..][..SHARES])
    }

    pub fn gained(&self) {
        self.share().gained.fetch_add(1, Ordering::Relaxed);
    }

    /// There are just so many: somebody has counted them while nobody could change the table.
    pub fn counted(&self, rows: i64) {
        self.share().gained.fetch_add(rows - self.get(), Ordering::Relaxed);
    }

    pub fn lost(&self) {
        self.share().lost.fetch_add(1, Ordering::Relaxed);
    }

    pub fn changed(&self) {
        self.share().changed.fetch_add(1, Ordering::Relaxed);
    }

    pub fn get(&self) -> i64 {
        let all = self.shares().iter();
        all.map(|share| share.gained.load(Ordering::Relaxed) - share.lost.load(Ordering::Relaxed)).sum()
    }

    pub fn changes(&self) -> ChangeCount {
        ChangeCount { counts: self.counts.clone(), at: self.at, others: Vec::new() }
    }
}

impl ChangeCount {
    /// Of both together.
    pub fn with(mut self, other: ChangeCount) -> ChangeCount {
        self.others.push(other);
        self
    }

    /// Always 0 for a table that has no place.
    pub fn get(&self) -> i64 {
        self.others.iter().map(ChangeCount::own).sum::<i64>() + self.own()
    }

    fn own(&self) -> i64 {
        let Some(at) = self.at else { return 0 };
        let of = |share: &RowShare| {
            let words = [&share.gained, &share.lost, &share.changed];
            words.iter().map(|word| word.load(Ordering::Relaxed)).sum::<i64>()
        };
        self.counts[at * SHARES..][..SHARES].iter().map(of).sum()
    }
}

impl std::fmt::Debug for ChangeCount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} changes", self.get())
    }
}

pub struct RowCounts {
    /// Held while a table gets a place.
    placing: Placed<Mutex<()>>,
    /// Of each place its table, 0: free.
    tables: Part<AtomicU64>,
    /// The shares of each place.
    counts: Part<RowShare>,
}

impl RowCounts {
    pub fn new(memory: &Memory) -> StorageResult<RowCounts> {
        Ok(RowCounts {
            placing: memory.place("placing of row counts", Mutex::new(WaitType::SOS_MUTEX, ()))?,
            tables: memory.carve("counted tables", PLACES)?,
            counts: memory.carve("row counts", PLACES * SHARES)?,
        })
    }

    fn places(table: u64) -> impl Iterator<Item = usize> {
        let first = (table.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        (0..TRIES).map(move |step| (first + step) % PLACES)
    }

    fn find(&self, table: u64) -> Option<usize> {
        Self::places(table).find(|place| self.tables[*place].load(Ordering::Acquire) == table)
    }

    fn find_free(&self, table: u64) -> Option<usize> {
        Self::places(table).find(|place| self.tables[*place].load(Ordering::Relaxed) == 0)
    }

    /// The row count of a table; `estimate` says where it begins if nobody counts it yet.
    pub fn of(&self, table: u64, estimate: impl FnOnce() -> StorageResult<i64>) -> StorageResult<Rows> {
        assert!(table != 0, "a word of 0 is a free place");
        let mut at = self.find(table);
        let mut own = 0;
        if at.is_none() {
            own = estimate()?;
            let _placing = self.placing.lock();
            at = self.find(table);
            if at.is_none() {
                at = self.find_free(table);
                if let Some(at) = at {
                    // Only who holds `placing` fills a place.
                    debug_assert_eq!(self.tables[at].load(Ordering::Relaxed), 0, "a place is one table's");
                    for (number, share) in self.counts[at * SHARES..][..SHARES].iter().enumerate() {
                        share.gained.store(if number == 0 { own } else { 0 }, Ordering::Relaxed);
                        share.lost.store(0, Ordering::Relaxed);
                        share.changed.store(0, Ordering::Relaxed);
                    }
                    self.tables[at].store(table, Ordering::Release);
                }
            }
        }
        let own = RowShare { gained: AtomicI64::new(own), lost: AtomicI64::new(0), changed: AtomicI64::new(0) };
        Ok(Rows { counts: self.counts.clone(), at, own })
    }

    /// `rows` that were added to a table are gone again; negative: those that were removed are back.
    pub fn take_back(&self, table: u64, rows: i64) {
        if let Some(at) = self.find(table) {
            let share = &self.counts[at * SHARES];
            match rows > 0 {
                true => share.lost.fetch_add(rows, Ordering::Relaxed),
                false => share.gained.fetch_add(-rows, Ordering::Relaxed),
            };
        }
    }

    /// The next who asks for the table's count estimates it anew.
    pub fn forget(&self, table: u64) {
        if let Some(at) = self.find(table) {
            let _ = self.tables[at].compare_exchange(table, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use os::region::Visibility;

    use super::*;

    fn counts() -> RowCounts {
        RowCounts::new(
            &Memory::reserve(PLACES * (8 + SHARES * size_of::<RowShare>()), Visibility::ThisProcess).expect("memory"),
        )
        .expect("row counts")
    }

    #[test]
    fn rows_are_counted_together_until_they_are_forgotten() {
        let counts = counts();
        let (a, b) = (counts.of(1, || Ok(10)).expect("a"), counts.of(1, || Ok(99)).expect("b"));
        let before = a.changes().get();
        (0..5).for_each(|_| a.gained());
        b.lost();
        b.changed();
        assert_eq!((a.get(), b.get()), (14, 14));
        assert_eq!(a.changes().get() - before, 7);
        counts.forget(1);
        assert_eq!(counts.of(1, || Ok(3)).expect("anew").get(), 3);
    }

    #[test]
    fn tables_without_a_place_are_counted_apart() {
        let counts = counts();
        let first = RowCounts::places(1).next();
        let alike = (1..).filter(|table| RowCounts::places(*table).next() == first).take(TRIES + 1);
        let rows: Vec<Rows> = alike.map(|table| counts.of(table, || Ok(7)).expect("rows")).collect();
        rows.iter().for_each(Rows::gained);
        assert!(rows.iter().all(|rows| rows.get() == 8));
        assert_eq!(rows.iter().filter(|rows| rows.at.is_none()).count(), 1);
    }
}
