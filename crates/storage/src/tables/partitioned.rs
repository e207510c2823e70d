//! A partitioned table: each partition is a table of its own with the same layout, and a row lies in the one that its partitioning column says.
//!
//! A locator is the partition's id, then the row's locator there: who holds one finds the row, or that it is gone, also after boundaries
//! have come and gone. Each partition has its part of each index. A unique index without the partitioning column in its key is unique over all of
//! them: who adds a key locks it, then looks into the other parts.

use std::sync::Arc;

use types::key::encode_key;
use types::pause::{Pacer, Pause};
use types::row::{Field, RowBuilder, RowView};

use crate::concurrency::locks::{LockMode, Resource, row_hash};
use crate::error::{ROW_WORK, StorageError, StorageResult, heard};
use crate::layout::{IndexId, Locator, TableId};
use crate::region::row_counts::ChangeCount;
use crate::shapes::shape::{PartitionedShape, Shape};
use crate::tables::disk_table::DiskTable;
use crate::tables::scan::{DiskScan, ScanSpec};
use crate::transaction::Transaction;
use crate::trees::directory::TreeSize;
use crate::trees::physical::{Leaves, PhysicalLevel};
use crate::trees::rows::{ReadMode, Seen};
use crate::trees::sample::Sampled;

/// A row in the wrong partition: places are from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MisplacedRow {
    /// Where it was found.
    pub partition: TableId,
    pub found: usize,
    /// Where it should be.
    pub right: usize,
}

/// Bytes of a partition's id before the locator of its row.
const ID_BYTES: usize = size_of::<i32>();

/// As `Table` of any kind; cheap to clone.
#[derive(Clone)]
pub struct PartitionedTable {
    pub(crate) shape: Arc<PartitionedShape>,
    pub(crate) parts: Arc<[DiskTable]>,
    /// The news of shapes (`Shapes::told`) as of which it was opened.
    pub(crate) opened: u64,
}

/// The partition's id, and the row's locator there.
pub(crate) fn split_locator(locator: &[u8]) -> Option<(TableId, &[u8])> {
    let (id, rest) = locator.split_first_chunk::<ID_BYTES>()?;
    Some((TableId(i32::from_be_bytes(*id)), rest))
}

/// What a locator in a partition begins with.
pub(crate) fn locator_head(part: &Shape) -> [u8; ID_BYTES] {
    part.id.0.to_be_bytes()
}

impl PartitionedTable {
    /// The partitions in the order of their numbers, which begin at 1.
    pub fn partitions(&self) -> &[DiskTable] {
        &self.parts
    }

    /// The partition, from 0, that a row of the table belongs to.
    pub fn partition_of(&self, image: &[u8]) -> StorageResult<usize> {
        Ok(self.shape.of_row(&RowView::new(&self.shape.layout.row, image)?))
    }

    fn locator(&self, at: usize, inner: &[u8]) -> Locator {
        Locator::new(&[&locator_head(&self.shape.parts[at]), inner].concat())
    }

    fn find<'l>(&self, locator: &'l [u8]) -> Option<(usize, &'l [u8])> {
        let (id, inner) = split_locator(locator)?;
        Some((self.shape.place_of(id)?, inner))
    }

    /// What a partition says of itself is said of the table.
    fn own(&self, error: StorageError) -> StorageError {
        let table = self.shape.id;
        match error {
            StorageError::DuplicateKey { index, .. } => StorageError::DuplicateKey { table, index },
            StorageError::UpdateConflict { .. } => StorageError::UpdateConflict { table },
            StorageError::Reshaped { .. } => StorageError::Reshaped { table },
            other => other,
        }
    }

    /// Nobody else has a key of the row, which goes to the partition `at`, in an index that is unique over all partitions; nor will before
    /// the transaction ends.
    fn keep_unique(&self, tx: &mut Transaction, at: usize, row: &[u8]) -> StorageResult<()> {
        let (db, table) = (self.shape.db, self.shape.id);
        let own = &self.shape.parts[at];
        let view = RowView::new(&own.layout.row, row)?;
        for index in
            own.indexes.iter().filter(|index| self.shape.is_unique_over_all(&index.layout) && index.holds(&view))
        {
            let mut key = Vec::new();
            encode_key(&index.key, &view, &mut key);
            if self.part_has(tx, at, index.layout.id, &key)? {
                // The partition itself knows whose key it is.
                continue;
            }
            let named = [&index.layout.id.0.to_be_bytes()[..], &key].concat();
            let patience = tx.patience();
            tx.lock_row(db, table, row_hash(&named), LockMode::Exclusive, true, patience)?;
            for other in (0..self.parts.len()).filter(|other| *other != at) {
                if self.part_has(tx, other, index.layout.id, &key)? {
                    return Err(StorageError::DuplicateKey { table, index: index.layout.id });
                }
            }
        }
        Ok(())
    }

    /// A partition's part of a unique index has the key now; one that somebody adds or takes away is waited for.
    fn part_has(&self, tx: &mut Transaction, at: usize, index: IndexId, key: &[u8]) -> StorageResult<bool> {
        let part = &self.parts[at];
        let index = part.index(index)?.ok_or(StorageError::UnknownIndex)?;
        let mut entry = Vec::new();
        loop {
            let view = tx.view_as(ReadMode::Newest);
            match part.engine.read_row(&view, &index.tree, key, &mut entry)? {
                Seen::Here | Seen::Old => return Ok(true),
                Seen::Nothing => return Ok(false),
                Seen::Wait(other) => {
                    let row = Resource::row(self.shape.db, part.shape.id, key);
                    tx.wait_for_end(other, LockMode::Shared, tx.patience(), row)?;
                }
            }
        }
    }

    pub fn insert(&self, tx: &mut Transaction, row: &[u8]) -> StorageResult<Locator> {
        let at = self.partition_of(row)?;
        self.keep_unique(tx, at, row)?;
        let inner = self.parts[at].insert(tx, row).map_err(|error| self.own(error))?;
        Ok(self.locator(at, &inner))
    }

    /// A row whose partitioning column changes may move to another partition.
    pub fn update(&self, tx: &mut Transaction, locator: &[u8], row: &[u8]) -> StorageResult<Locator> {
        let (from, inner) = self.find(locator).ok_or(StorageError::RowGone)?;
        let to = self.partition_of(row)?;
        if from == to {
            self.keep_unique(tx, to, row)?;
        }
        let moved = if from == to {
            self.parts[from].update(tx, inner, row)
        } else {
            tx.change(self.shape.db, self.shape.id, |tx| {
                self.parts[from].delete(tx, inner)?;
                self.keep_unique(tx, to, row)?;
                self.parts[to].insert(tx, row)
            })
        };
        let inner = moved.map_err(|error| self.own(error))?;
        Ok(self.locator(to, &inner))
    }

    pub fn delete(&self, tx: &mut Transaction, locator: &[u8]) -> StorageResult<()> {
        let (at, inner) = self.find(locator).ok_or(StorageError::RowGone)?;
        self.parts[at].delete(tx, inner).map_err(|error| self.own(error))
    }

    /// Replaces `image` by the row as this transaction sees it, long values in place. False: there is none.
    pub fn fetch(&self, tx: &mut Transaction, locator: &[u8], image: &mut Vec<u8>) -> StorageResult<bool> {
        let Some((at, inner)) = self.find(locator) else { return Ok(false) };
        if !self.parts[at].fetch(tx, inner, image)? {
            return Ok(false);
        }
        if !self.shape.alike[at] {
            let partial = std::mem::take(image);
            complete(&self.shape.parts[at], &partial, image)?;
        }
        Ok(true)
    }

    pub fn index_columns(&self, index: IndexId) -> StorageResult<Vec<u16>> {
        self.parts[0].index_columns(index)
    }

    pub fn index_holds(&self, index: IndexId, image: &[u8]) -> StorageResult<bool> {
        self.parts[0].index_holds(index, image)
    }

    pub fn row_count_estimate(&self) -> u64 {
        self.parts.iter().map(DiskTable::row_count_estimate).sum()
    }

    pub fn changes(&self) -> ChangeCount {
        let mut all = self.parts.iter().map(DiskTable::changes);
        let first = all.next().expect("a table has a partition");
        all.fold(first, ChangeCount::with)
    }

    pub fn is_clustered(&self) -> bool {
        self.shape.layout.indexes.iter().any(|index| index.clustered)
    }

    /// Rows that lie in another partition than their column says, so many at most. For who keeps others from changing the table.
    pub fn misplaced(
        &self,
        tx: &mut Transaction,
        rows_max: usize,
        pause: &dyn Pause,
    ) -> StorageResult<Vec<MisplacedRow>> {
        let mut pacer = Pacer::new(pause);
        let mut misplaced = Vec::new();
        for (found, part) in self.parts.iter().enumerate() {
            let mut scan = DiskScan::new(part.clone(), tx, ScanSpec::all(IndexId::HEAP, Vec::new()))?;
            while let Some(row) = scan.next(tx)? {
                heard(pacer.spend(ROW_WORK + row.image.len()))?;
                let right = self.shape.of_row(&RowView::new(&part.shape.layout.row, row.image)?);
                if right != found && misplaced.len() < rows_max {
                    misplaced.push(MisplacedRow { partition: part.shape.id, found, right });
                }
            }
        }
        Ok(misplaced)
    }

    /// Of all parts of an index together; levels as of the highest.
    pub fn tree_size(&self, index: IndexId) -> StorageResult<TreeSize> {
        self.parts.iter().try_fold(TreeSize { pages: 0, leaves: 0, levels: 0 }, |all, part| {
            let own = part.tree_size(index)?;
            Ok(TreeSize {
                pages: all.pages + own.pages,
                leaves: all.leaves + own.leaves,
                levels: all.levels.max(own.levels),
            })
        })
    }

    /// As `DiskTable::long_value_pages`, of all parts together.
    pub fn long_value_pages(&self, index: IndexId) -> StorageResult<u64> {
        self.parts.iter().map(|part| part.long_value_pages(index)).sum()
    }

    /// As `DiskTable::physical_levels`, of all parts together.
    pub fn physical_levels(
        &self,
        index: IndexId,
        leaves: Leaves,
        pause: &mut dyn FnMut() -> bool,
    ) -> StorageResult<Vec<PhysicalLevel>> {
        let mut all: Vec<PhysicalLevel> = Vec::new();
        for part in self.parts.iter() {
            for own in part.physical_levels(index, leaves, pause)? {
                match all.iter_mut().find(|known| known.level == own.level) {
                    Some(known) => known.add(&own),
                    None => all.push(own),
                }
            }
        }
        all.sort_by_key(|level| level.level);
        Ok(all)
    }

    /// As `DiskTable::sample`, each partition by its share of all leaves.
    pub fn sample(
        &self,
        leaves_max: u64,
        pause: &mut dyn FnMut() -> bool,
        visit: &mut dyn FnMut(u64, &RowView<'_>),
    ) -> StorageResult<Sampled> {
        let leaves = self.parts.iter().map(|part| Ok(part.tree_size(IndexId::HEAP)?.leaves));
        let leaves = leaves.collect::<StorageResult<Vec<u64>>>()?;
        let share = (leaves_max as f64 / leaves.iter().sum::<u64>().max(1) as f64).min(1.0);
        let mut all = Sampled { leaves: 0.0, leaves_read: 0, rows: 0 };
        let mut goes_on = true;
        for (part, leaves) in self.parts.iter().zip(leaves) {
            if !goes_on {
                all.leaves += leaves as f64;
                continue;
            }
            let read = all.leaves_read;
            let own = part.sample(
                ((leaves as f64 * share).ceil() as u64).max(1),
                &mut || {
                    goes_on = pause();
                    goes_on
                },
                &mut |leaf, row| visit(read + leaf, row),
            )?;
            all = Sampled {
                leaves: all.leaves + own.leaves,
                leaves_read: all.leaves_read + own.leaves_read,
                rows: all.rows + own.rows,
            };
        }
        Ok(all)
    }
}

/// The image of a partition's row with all that it lacks, as any layout of the table reads it.
pub(crate) fn complete(part: &Shape, partial: &[u8], image: &mut Vec<u8>) -> StorageResult<()> {
    let layout = &part.layout.row;
    let view = RowView::new(layout, partial)?;
    image.clear();
    let mut builder = RowBuilder::new(layout, image);
    for column in 0..layout.len() {
        match view.field(column) {
            Field::Null => builder.push_null(),
            Field::Bytes(bytes) => builder.push_stored(bytes),
            Field::Overflow(_) => unreachable!("long values are in place"),
        }
    }
    builder.finish();
    Ok(())
}
