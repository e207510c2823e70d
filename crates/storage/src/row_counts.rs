//! How many rows each table has, counted where all engines see it.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use os::region::{Part, Placed};
use os::shared_struct;
use os::sync::Mutex;
use os::wait::WaitType;

use crate::error::StorageResult;
use crate::layout::{DatabaseId, TableId};
use crate::memory::Memory;

/// Tables whose rows are counted for all engines; further ones are counted by each engine for itself.
const PLACES: usize = 1 << 16;
/// Places where the count of a table may lie, one after the other.
const TRIES: usize = 16;

shared_struct! {
    struct RowCount {
        /// Its table, 0: free.
        table: AtomicU64,
        rows: AtomicI64,
    }
}

/// A table in one word; not 0, since no table has the id 0.
pub fn pack(db: DatabaseId, table: TableId) -> u64 {
    u64::from(db.0) << 32 | u64::from(table.0 as u32)
}

/// About how many rows a table has: no rollback corrects it.
pub struct Rows {
    counts: Part<RowCount>,
    /// None: there was no place left.
    at: Option<usize>,
    own: AtomicI64,
}

impl Rows {
    fn count(&self) -> &AtomicI64 {
        self.at.map_or(&self.own, |at| &self.counts[at].rows)
    }

    pub fn add(&self, change: i64) {
        self.count().fetch_add(change, Ordering::Relaxed);
    }

    pub fn get(&self) -> i64 {
        self.count().load(Ordering::Relaxed)
    }
}

pub struct RowCounts {
    /// Held while a table gets a place.
    placing: Placed<Mutex<()>>,
    counts: Part<RowCount>,
}

impl RowCounts {
    pub fn new(memory: &Memory) -> StorageResult<RowCounts> {
        Ok(RowCounts {
            placing: memory.place("placing of row counts", Mutex::new(WaitType::SOS_MUTEX, ()))?,
            counts: memory.carve("row counts", PLACES)?,
        })
    }

    fn places(table: u64) -> impl Iterator<Item = usize> {
        let first = (table.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        (0..TRIES).map(move |step| (first + step) % PLACES)
    }

    fn find(&self, table: u64) -> Option<usize> {
        Self::places(table).find(|place| self.counts[*place].table.load(Ordering::Acquire) == table)
    }

    fn find_free(&self, table: u64) -> Option<usize> {
        Self::places(table).find(|place| self.counts[*place].table.load(Ordering::Relaxed) == 0)
    }

    /// The row count of a table; `estimate` says where it begins if nobody counts it yet.
    pub fn of(&self, table: u64, estimate: impl FnOnce() -> StorageResult<i64>) -> StorageResult<Rows> {
        let mut at = self.find(table);
        let mut own = 0;
        if at.is_none() {
            own = estimate()?;
            let _placing = self.placing.lock();
            at = self.find(table);
            if at.is_none() {
                at = self.find_free(table);
                if let Some(at) = at {
                    self.counts[at].rows.store(own, Ordering::Relaxed);
                    self.counts[at].table.store(table, Ordering::Release);
                }
            }
        }
        Ok(Rows { counts: self.counts.clone(), at, own: AtomicI64::new(own) })
    }

    /// The next who asks for the table's count estimates it anew.
    pub fn forget(&self, table: u64) {
        if let Some(at) = self.find(table) {
            let _ = self.counts[at].table.compare_exchange(table, 0, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use os::region::Visibility;

    use super::*;

    fn counts() -> RowCounts {
        RowCounts::new(&Memory::reserve(PLACES * 16, Visibility::ThisProcess).expect("memory")).expect("row counts")
    }

    #[test]
    fn rows_are_counted_together_until_they_are_forgotten() {
        let counts = counts();
        let (a, b) = (counts.of(1, || Ok(10)).expect("a"), counts.of(1, || Ok(99)).expect("b"));
        a.add(5);
        b.add(-1);
        assert_eq!((a.get(), b.get()), (14, 14));
        counts.forget(1);
        assert_eq!(counts.of(1, || Ok(3)).expect("anew").get(), 3);
    }

    #[test]
    fn tables_without_a_place_are_counted_apart() {
        let counts = counts();
        let first = RowCounts::places(1).next();
        let alike = (1..).filter(|table| RowCounts::places(*table).next() == first).take(TRIES + 1);
        let rows: Vec<Rows> = alike.map(|table| counts.of(table, || Ok(7)).expect("rows")).collect();
        rows.iter().for_each(|rows| rows.add(1));
        assert!(rows.iter().all(|rows| rows.get() == 8));
        assert_eq!(rows.iter().filter(|rows| rows.at.is_none()).count(), 1);
    }
}
