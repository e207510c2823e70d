//! A table of any kind behind one interface: rows on pages (`disk_table`), in several partitions (`partitioned`), or memory-optimized (`xtp`).

use types::RowBatch;

use crate::bounds::KeyBound;
use crate::error::StorageResult;
use crate::layout::{DatabaseId, IndexId, Locator, TableId, TableLayout};
use crate::region::row_counts::ChangeCount;
use crate::tables::disk_table::DiskTable;
use crate::tables::memory_table::MemoryTable;
use crate::tables::memory_table::scan::MemoryScan;
use crate::tables::partitioned::PartitionedTable;
use crate::tables::partitioned_scan::PartitionedScan;
use crate::tables::scan::{DiskScan, FirstLook, Prefixes, RowRef, ScanSpec};
use crate::transaction::Transaction;

/// Shared by all sessions; cheap to clone. After `create_index`, `drop_index` or a rollback of one, open the table again.
#[derive(Clone)]
pub enum Table {
    Disk(DiskTable),
    Memory(MemoryTable),
    Partitioned(PartitionedTable),
}

impl Table {
    pub fn id(&self) -> TableId {
        match self {
            Table::Disk(table) => table.shape.id,
            Table::Memory(table) => table.shape.table,
            Table::Partitioned(table) => table.shape.id,
        }
    }

    pub fn database(&self) -> DatabaseId {
        match self {
            Table::Disk(table) => table.shape.db,
            Table::Memory(table) => table.shape.db,
            Table::Partitioned(table) => table.shape.db,
        }
    }

    pub fn layout(&self) -> &TableLayout {
        match self {
            Table::Disk(table) => &table.shape.layout,
            Table::Memory(table) => &table.shape.layout,
            Table::Partitioned(table) => &table.shape.layout,
        }
    }

    /// No table has changed its shape since this one was opened: opening it again would give the same.
    #[inline]
    pub fn is_current(&self) -> bool {
        match self {
            Table::Disk(table) => table.opened == table.engine.shapes.told(),
            Table::Memory(table) => table.opened == table.engine.shapes.told(),
            Table::Partitioned(table) => table.opened == table.parts[0].engine.shapes.told(),
        }
    }

    pub fn is_memory_optimized(&self) -> bool {
        matches!(self, Table::Memory(_))
    }

    /// Columns of the table that a row of this index holds, in the order of its image: of the heap, the clustered index and
    /// every index of a memory-optimized table all; otherwise key, included and clustered key columns, each once.
    pub fn index_columns(&self, index: IndexId) -> StorageResult<Vec<u16>> {
        match self {
            Table::Disk(table) => table.index_columns(index),
            Table::Memory(_) => Ok((0..self.layout().row.len() as u16).collect()),
            Table::Partitioned(table) => table.index_columns(index),
        }
    }

    /// `image`, a row of the table, has an entry in this index.
    pub fn index_holds(&self, index: IndexId, image: &[u8]) -> StorageResult<bool> {
        match self {
            Table::Disk(table) => table.index_holds(index, image),
            Table::Memory(_) => Ok(true),
            Table::Partitioned(table) => table.index_holds(index, image),
        }
    }

    /// `row` is an image of `layout().row` with every value in the row.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn insert(&self, tx: &mut Transaction, row: &[u8]) -> StorageResult<Locator> {
        os::plant!();
        match self {
            Table::Disk(table) => table.insert(tx, row),
            Table::Memory(table) => table.insert(tx, row),
            Table::Partitioned(table) => table.insert(tx, row),
        }
    }

    /// Returns the row's new locator.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn update(&self, tx: &mut Transaction, locator: &[u8], row: &[u8]) -> StorageResult<Locator> {
        os::plant!();
        match self {
            Table::Disk(table) => table.update(tx, locator, row),
            Table::Memory(table) => table.update(tx, locator, row),
            Table::Partitioned(table) => table.update(tx, locator, row),
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn delete(&self, tx: &mut Transaction, locator: &[u8]) -> StorageResult<()> {
        os::plant!();
        match self {
            Table::Disk(table) => table.delete(tx, locator),
            Table::Memory(table) => table.delete(tx, locator),
            Table::Partitioned(table) => table.delete(tx, locator),
        }
    }

    /// Replaces `image` by the row as this transaction sees it, long values in place. False: there is none.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn fetch(&self, tx: &mut Transaction, locator: &[u8], image: &mut Vec<u8>) -> StorageResult<bool> {
        os::plant!();
        match self {
            Table::Disk(table) => table.fetch(tx, locator, image),
            Table::Memory(table) => table.fetch(tx, locator, image),
            Table::Partitioned(table) => table.fetch(tx, locator, image),
        }
    }

    pub fn row_count_estimate(&self) -> u64 {
        match self {
            Table::Disk(table) => table.row_count_estimate(),
            Table::Memory(table) => table.row_count_estimate(),
            Table::Partitioned(table) => table.row_count_estimate(),
        }
    }

    /// None: of a memory-optimized table nobody counts them.
    pub fn changes(&self) -> Option<ChangeCount> {
        match self {
            Table::Disk(table) => Some(table.changes()),
            Table::Memory(_) => None,
            Table::Partitioned(table) => Some(table.changes()),
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn scan(&self, tx: &mut Transaction, spec: ScanSpec) -> StorageResult<Scan> {
        os::plant!();
        Ok(match self {
            Table::Disk(table) => Scan::Disk(DiskScan::new(table.clone(), tx, spec)?),
            Table::Memory(table) => Scan::Memory(MemoryScan::new(table.clone(), tx, spec)?),
            Table::Partitioned(table) => Scan::Partitioned(Box::new(PartitionedScan::new(table.clone(), tx, spec)?)),
        })
    }
}

/// Owns what it needs of the table, so it may outlive the borrow it was made from (cursors).
pub enum Scan {
    Disk(DiskScan),
    Memory(MemoryScan),
    Partitioned(Box<PartitionedScan>),
}

impl Scan {
    /// From the next range on, of a partitioned table, only partitions that may have rows with the partitioning column in one of `ranges`:
    /// keys of its ascending codec.
    pub fn limit_to(&mut self, ranges: &[(KeyBound, KeyBound)]) {
        if let Scan::Partitioned(scan) = self {
            scan.limit_to(ranges);
        }
    }

    /// Goes to another range of keys, whatever was left of the one before: what a join does for each of its outer rows.
    pub fn restart<K: AsRef<[u8]>>(
        &mut self,
        tx: &mut Transaction,
        lower: &KeyBound<K>,
        upper: &KeyBound<K>,
    ) -> StorageResult<()> {
        match self {
            Scan::Disk(scan) => scan.restart(tx, lower, upper),
            Scan::Memory(scan) => scan.restart(tx, lower, upper),
            Scan::Partitioned(scan) => scan.restart(tx, lower, upper),
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn next(&mut self, tx: &mut Transaction) -> StorageResult<Option<RowRef<'_>>> {
        os::plant!();
        match self {
            Scan::Disk(scan) => scan.next(tx),
            Scan::Memory(scan) => scan.next(tx),
            Scan::Partitioned(scan) => scan.next(tx),
        }
    }

    /// Appends up to `rows_max` rows to `batch`: `ScanSpec::columns` in order, then the locator if asked for.
    /// Returns how many; 0 at the end only.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn fill(&mut self, tx: &mut Transaction, batch: &mut RowBatch, rows_max: usize) -> StorageResult<usize> {
        os::plant!();
        match self {
            Scan::Disk(scan) => scan.fill(tx, batch, rows_max),
            Scan::Memory(scan) => scan.fill(tx, batch, rows_max),
            Scan::Partitioned(scan) => scan.fill(tx, batch, rows_max),
        }
    }

    /// As `fill`, but may leave out rows that `look` says nobody wants. Returns how many were looked at; 0 at the end only.
    pub fn fill_wanted(
        &mut self,
        tx: &mut Transaction,
        batch: &mut RowBatch,
        rows_max: usize,
        look: &mut FirstLook<'_>,
    ) -> StorageResult<usize> {
        match self {
            Scan::Disk(scan) => scan.fill_wanted(tx, batch, rows_max, look),
            Scan::Memory(scan) => scan.fill(tx, batch, rows_max),
            Scan::Partitioned(scan) => scan.fill_wanted(tx, batch, rows_max, look),
        }
    }

    /// As `fill` for many ranges: the rows whose keys begin with the first of `prefixes`, then those of the one after it, until
    /// `rows_max` rows are there or all prefixes are done. `owners` gets the owner of each row.
    pub fn fill_for(
        &mut self,
        tx: &mut Transaction,
        prefixes: &mut Prefixes,
        batch: &mut RowBatch,
        rows_max: usize,
        owners: &mut Vec<u32>,
    ) -> StorageResult<()> {
        let end = batch.rows + rows_max;
        while batch.rows < end && !prefixes.is_done() {
            if let Scan::Disk(scan) = self
                && !prefixes.begun
                && scan.fills_each()
            {
                scan.fill_each(tx, prefixes, batch, end - batch.rows, owners)?;
                continue;
            }
            let (prefix, owner) = prefixes.first().expect("not done");
            if !prefixes.begun {
                let bound = KeyBound::Inclusive(prefix);
                self.restart(tx, &bound, &bound)?;
                prefixes.begun = true;
            }
            let filled = self.fill(tx, batch, end - batch.rows)?;
            owners.resize(owners.len() + filled, owner);
            debug_assert!(batch.rows <= end, "no more rows than were asked for");
            if self.is_done() {
                prefixes.pop();
            }
        }
        Ok(())
    }

    /// Whether `fill` is known to have nothing more to give.
    #[inline]
    pub fn is_done(&self) -> bool {
        match self {
            Scan::Disk(scan) => scan.is_done(),
            Scan::Memory(scan) => scan.is_done(),
            Scan::Partitioned(scan) => scan.is_done(),
        }
    }

    /// Releases the statement's lock on a row this scan returned and that did not qualify.
    pub fn unlock(&self, tx: &mut Transaction, locator: &[u8]) {
        match self {
            Scan::Disk(scan) => scan.unlock(tx, locator),
            Scan::Partitioned(scan) => scan.unlock(tx, locator),
            Scan::Memory(_) => {}
        }
    }
}
