//! Reading a partitioned table: the partitions that may have what is wanted, one after the other, each by a scan of its own.
//!
//! An index that begins with the partitioning column gives its order over all partitions; any other gives it within each alone.

use types::{ColumnData, RowBatch};

use crate::bounds::KeyBound;
use crate::concurrency::locks::LockMode;
use crate::error::StorageResult;
use crate::layout::IndexId;
use crate::tables::disk_table::DiskTable;
use crate::tables::partitioned::{PartitionedTable, complete, locator_head, split_locator};
use crate::tables::scan::{DiskScan, FirstLook, RowRef, ScanSpec};
use crate::transaction::{Isolation, Transaction};

/// Owns what it needs of the table.
pub struct PartitionedScan {
    table: PartitionedTable,
    /// Its bounds are the present range.
    spec: ScanSpec,
    /// The index begins with the partitioning column: whether downwards.
    leads: Option<bool>,
    /// Partitions that may be read, by place; None: all.
    allowed: Option<Vec<bool>>,
    /// By place, once there was something to read.
    scans: Vec<Option<Box<DiskScan>>>,
    /// Partitions still to read, the next one last.
    left: Vec<usize>,
    /// The partition that is being read.
    at: Option<usize>,
    image: Vec<u8>,
    locator: Vec<u8>,
}

impl PartitionedScan {
    pub(crate) fn new(table: PartitionedTable, tx: &mut Transaction, spec: ScanSpec) -> StorageResult<PartitionedScan> {
        tx.check_running()?;
        let shape = &table.shape;
        let is_base = spec.index == IndexId::HEAP;
        let index = shape.layout.indexes.iter().find(|index| index.id == spec.index || is_base && index.clustered);
        let first = index.and_then(|index| index.key.first());
        let leads = first.filter(|part| part.ordinal == shape.partitioning.column).map(|part| part.descending);
        let scans = (0..table.parts.len()).map(|_| None).collect();
        let mut scan = PartitionedScan {
            leads,
            scans,
            spec,
            table,
            allowed: None,
            left: Vec::new(),
            at: None,
            image: Vec::new(),
            locator: Vec::new(),
        };
        scan.lock_table(tx)?;
        scan.choose();
        Ok(scan)
    }

    /// TABLOCK is of the table, not of the partitions that are read.
    fn lock_table(&self, tx: &mut Transaction) -> StorageResult<()> {
        let hint = &self.spec.lock;
        if !hint.table || hint.no_lock {
            return Ok(());
        }
        let serializable = hint.hold || tx.isolation() == Isolation::Serializable;
        let mode = match (hint.update || hint.exclusive, serializable || hint.shared) {
            (true, _) => LockMode::Exclusive,
            (false, true) => LockMode::Shared,
            (false, false) => return Ok(()),
        };
        tx.lock_table(self.table.shape.db, self.table.shape.id, mode)
    }

    /// From the next range on only partitions that may have rows with the partitioning column in one of `ranges`, keys of its
    /// ascending codec.
    pub fn limit_to(&mut self, ranges: &[(KeyBound, KeyBound)]) {
        let partitioning = &self.table.shape.partitioning;
        let mut allowed = vec![false; self.table.parts.len()];
        for (lower, upper) in ranges {
            for at in partitioning.of_range(lower, upper) {
                allowed[at] = true;
            }
        }
        self.allowed = Some(allowed);
        self.choose();
    }

    /// Which partitions the present range asks for, in the order of the scan.
    fn choose(&mut self) {
        let partitioning = &self.table.shape.partitioning;
        let asked = match self.leads {
            None => 0..self.table.parts.len(),
            Some(false) => partitioning.of_range(&self.spec.lower, &self.spec.upper),
            Some(true) => partitioning.of_range(&turned(&self.spec.upper), &turned(&self.spec.lower)),
        };
        self.left.clear();
        self.at = None;
        let allowed = &self.allowed;
        self.left.extend(asked.filter(|at| allowed.as_ref().is_none_or(|allowed| allowed[*at])));
        if (self.leads == Some(true)) == self.spec.backward {
            self.left.reverse();
        }
    }

    /// Goes to another range of keys, whatever was left of the one before.
    pub fn restart<K: AsRef<[u8]>>(
        &mut self,
        tx: &mut Transaction,
        lower: &KeyBound<K>,
        upper: &KeyBound<K>,
    ) -> StorageResult<()> {
        tx.check_running()?;
        self.spec.lower = lower.to_owned_key();
        self.spec.upper = upper.to_owned_key();
        self.choose();
        Ok(())
    }

    /// The partition to read from, its scan within the present range. None: there is no more.
    fn place(&mut self, tx: &mut Transaction) -> StorageResult<Option<usize>> {
        if self.at.is_none() {
            let Some(at) = self.left.pop() else { return Ok(None) };
            match &mut self.scans[at] {
                Some(scan) => scan.restart(tx, &self.spec.lower, &self.spec.upper)?,
                none => {
                    let part: DiskTable = self.table.parts[at].clone();
                    *none = Some(Box::new(DiskScan::new(part, tx, self.spec.clone())?));
                }
            }
            self.at = Some(at);
        }
        Ok(self.at)
    }

    pub fn next(&mut self, tx: &mut Transaction) -> StorageResult<Option<RowRef<'_>>> {
        while let Some(at) = self.place(tx)? {
            let scan = self.scans[at].as_mut().expect("it was placed");
            let Some(row) = scan.next(tx)? else {
                self.at = None;
                continue;
            };
            let part = &self.table.shape.parts[at];
            self.locator.clear();
            self.locator.extend_from_slice(&locator_head(part));
            self.locator.extend_from_slice(row.locator);
            let is_entry = !self.spec.lookup && part.indexes.iter().any(|index| index.layout.id == self.spec.index);
            if is_entry || self.table.shape.alike[at] {
                self.image.clear();
                self.image.extend_from_slice(row.image);
            } else {
                complete(part, row.image, &mut self.image)?;
            }
            return Ok(Some(RowRef { image: &self.image, locator: &self.locator }));
        }
        Ok(None)
    }

    /// As `DiskScan::fill`.
    pub fn fill(&mut self, tx: &mut Transaction, batch: &mut RowBatch, rows_max: usize) -> StorageResult<usize> {
        if rows_max == 0 {
            return Ok(0);
        }
        let (filled, at) = self.fill_by(tx, |scan, tx| scan.fill(tx, batch, rows_max))?;
        if filled > 0 && self.spec.locator {
            name_partition(batch, filled, &locator_head(&self.table.shape.parts[at]));
        }
        Ok(filled)
    }

    /// As `DiskScan::fill_wanted`.
    pub fn fill_wanted(
        &mut self,
        tx: &mut Transaction,
        batch: &mut RowBatch,
        rows_max: usize,
        look: &mut FirstLook<'_>,
    ) -> StorageResult<usize> {
        self.fill_by(tx, |scan, tx| scan.fill_wanted(tx, batch, rows_max, look)).map(|(looked, _)| looked)
    }

    /// What `fill` finds in the first partition that has something, and its place.
    fn fill_by(
        &mut self,
        tx: &mut Transaction,
        mut fill: impl FnMut(&mut DiskScan, &mut Transaction) -> StorageResult<usize>,
    ) -> StorageResult<(usize, usize)> {
        while let Some(at) = self.place(tx)? {
            let scan = self.scans[at].as_mut().expect("it was placed");
            let filled = fill(scan, tx)?;
            if scan.is_done() {
                self.at = None;
            }
            if filled > 0 {
                return Ok((filled, at));
            }
            os::wait::maybe_yield();
        }
        Ok((0, 0))
    }

    /// Whether `fill` is known to have nothing more to give.
    pub fn is_done(&self) -> bool {
        self.at.is_none() && self.left.is_empty()
    }

    /// Releases the statement's lock on a row this scan returned and that did not qualify.
    pub fn unlock(&self, tx: &mut Transaction, locator: &[u8]) {
        let found = split_locator(locator).and_then(|(id, inner)| Some((self.table.shape.place_of(id)?, inner)));
        if let Some((at, inner)) = found
            && let Some(scan) = &self.scans[at]
        {
            scan.unlock(tx, inner);
        }
    }
}

/// A bound of keys that go down, as one of keys that go up.
fn turned(bound: &KeyBound) -> KeyBound {
    let turn = |key: &[u8]| key.iter().map(|byte| !byte).collect();
    match bound {
        KeyBound::Unbounded => KeyBound::Unbounded,
        KeyBound::Inclusive(key) => KeyBound::Inclusive(turn(key)),
        KeyBound::Exclusive(key) => KeyBound::Exclusive(turn(key)),
    }
}

/// The last `rows` locators of a batch are of this partition.
fn name_partition(batch: &mut RowBatch, rows: usize, head: &[u8]) {
    let column = batch.columns.last_mut().expect("a column for the locator");
    let ColumnData::Bytes { ends, bytes } = &mut column.data else { panic!("locators are bytes") };
    let first = ends.len() - rows;
    let mut start = if first == 0 { 0 } else { ends[first - 1] as usize };
    let own = bytes.split_off(start);
    let base = start;
    for end in &mut ends[first..] {
        bytes.extend_from_slice(head);
        bytes.extend_from_slice(&own[start - base..*end as usize - base]);
        start = *end as usize;
        *end = bytes.len() as u32;
    }
}
