//! What divides a table: partitions come, go, are split, merged, emptied and exchanged for tables.
//!
//! Whoever changes a partition writes its table's descriptor, too: engines keep a partitioned table with the shapes of all its partitions.

use std::collections::BTreeMap;

use types::key::KeyCodec;
use types::pause::{Pacer, Pause};
use types::row::RowView;

use crate::bounds::KeyBound;
use crate::concurrency::locks::LockMode;
use crate::error::{ROW_WORK, StorageError, StorageResult, heard};
use crate::instance::storage::Storage;
use crate::layout::{DatabaseId, IndexId, IndexLayout, Partitioning, TableId, TableLayout};
use crate::shapes::shape::{IndexRoots, Roots};
use crate::tables::disk_table::DiskTable;
use crate::tables::load::{Build, every_row};
use crate::tables::partitioned::complete;
use crate::tables::scan::DiskScan;
use crate::tables::table::Table;
use crate::transaction::Transaction;

/// A table, or one of its partitions by place from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    pub table: TableId,
    pub partition: Option<usize>,
}

impl Storage {
    /// How a table is divided; None: it is not.
    pub fn partitioning(&self, db: DatabaseId, table: TableId) -> StorageResult<Option<Partitioning>> {
        let (_, roots) = self.engine().read_directory(db, table)?.ok_or(StorageError::UnknownTable)?;
        Ok(roots.partitioning.map(|partitioning| *partitioning))
    }

    /// Whether a table or a partition has this id.
    pub fn is_taken(&self, db: DatabaseId, table: TableId) -> StorageResult<bool> {
        Ok(self.engine().read_directory(db, table)?.is_some())
    }

    /// Of each partition of a database's tables the table.
    pub fn partition_owners(&self, db: DatabaseId) -> StorageResult<BTreeMap<TableId, TableId>> {
        let mut owners = BTreeMap::new();
        for table in self.engine().list_directory(db)? {
            // One whose definition cannot be read has no partitions that anybody knows.
            let found = self.engine().read_directory(db, table).ok().flatten();
            if let Some(partitioning) = found.and_then(|(_, roots)| roots.partitioning) {
                owners.extend(partitioning.partitions.iter().map(|part| (*part, table)));
            }
            os::wait::maybe_yield();
        }
        Ok(owners)
    }

    /// Empty tables in database `to`, as `from` has them, of ids from `least` on. Those that somebody defines now are waited for.
    pub fn create_tables_like(
        &self,
        tx: &mut Transaction,
        from: DatabaseId,
        to: DatabaseId,
        least: i32,
    ) -> StorageResult<()> {
        let owners = self.partition_owners(from)?;
        for table in self.engine().list_directory(from)? {
            if table.0 < least || owners.contains_key(&table) {
                continue;
            }
            tx.hold_table(from, table, false)?;
            let Some((layout, roots)) = self.engine().read_directory(from, table)? else { continue };
            match &roots.partitioning {
                Some(partitioning) => self.create_partitioned_table(tx, to, table, &layout, partitioning)?,
                None => self.create_table(tx, to, table, &layout)?,
            }
            os::wait::maybe_yield();
        }
        Ok(())
    }

    /// A table whose partitions have the ids that `partitioning` says, none of which is another table's.
    pub fn create_partitioned_table(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        layout: &TableLayout,
        partitioning: &Partitioning,
    ) -> StorageResult<()> {
        assert!(layout.memory.is_none(), "a memory-optimized table has no partitions");
        tx.check_running()?;
        tx.lock_table(db, table, LockMode::SchemaModification)?;
        if self.engine().read_directory(db, table)?.is_some() {
            return Err(StorageError::AlreadyExists);
        }
        for part in &partitioning.partitions {
            self.create_table(tx, db, *part, layout)?;
        }
        self.write_shape(tx, db, table, Some((layout, &divided(layout, partitioning.clone()))))
    }

    /// Changes each partition, then writes the table's descriptor: all of it or nothing.
    pub(super) fn alter_each(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        (layout, roots): (&TableLayout, &Roots),
        mut change: impl FnMut(&mut Transaction, TableId) -> StorageResult<()>,
    ) -> StorageResult<()> {
        let before = tx.savepoint();
        let partitioning = roots.partitioning.as_ref().expect("it has partitions");
        let mut each = partitioning.partitions.iter();
        let changed = each
            .try_for_each(|part| change(tx, *part))
            .and_then(|()| self.write_shape(tx, db, table, Some((layout, roots))));
        self.undo_if_failed(tx, before, changed)
    }

    fn divided_to_alter(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
    ) -> StorageResult<(TableLayout, Partitioning)> {
        let (layout, roots) = self.to_alter(tx, db, table)?;
        let partitioning = roots.partitioning.ok_or(StorageError::UnknownTable)?;
        Ok((layout, *partitioning))
    }

    fn write_partitioning(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        (layout, partitioning): (&TableLayout, Partitioning),
    ) -> StorageResult<()> {
        self.write_shape(tx, db, table, Some((layout, &divided(layout, partitioning))))
    }

    /// New empty trees in place of those of some partitions.
    pub fn truncate_partitions(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        which: &[usize],
    ) -> StorageResult<()> {
        let (layout, partitioning) = self.divided_to_alter(tx, db, table)?;
        for at in which {
            self.truncate_table(tx, db, partitioning.partitions[*at])?;
        }
        self.write_partitioning(tx, db, table, (&layout, partitioning))
    }

    /// As `rebuild_index`, of one partition.
    pub fn rebuild_partition(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        Part { table, partition }: Part,
        index: IndexId,
        build: &mut Build<'_>,
    ) -> StorageResult<()> {
        let Some(at) = partition else { return self.rebuild_index(tx, db, table, index, build) };
        let (layout, partitioning) = self.divided_to_alter(tx, db, table)?;
        self.rebuild_index(tx, db, partitioning.partitions[at], index, build)?;
        self.write_partitioning(tx, db, table, (&layout, partitioning))
    }

    /// A new boundary, and a partition `new` for the rows on the side to which it belongs itself. Those rows move.
    pub fn split_partition(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        (boundary, new): (&[u8], TableId),
        pause: &dyn Pause,
    ) -> StorageResult<()> {
        let (layout, mut partitioning) = self.divided_to_alter(tx, db, table)?;
        let old = partitioning.of_key(boundary);
        let place = partitioning.boundaries.partition_point(|known| **known < *boundary);
        let from = partitioning.partitions[old];
        partitioning.boundaries.insert(place, boundary.into());
        partitioning.partitions.insert(old + usize::from(partitioning.right), new);
        let before = tx.savepoint();
        let mut split = || {
            // With what rows of before lack there, as they may have come by a switch.
            let (like, _) = self.to_alter(tx, db, from)?;
            self.create_table(tx, db, new, &like)?;
            let (source, target) = (self.disk_table(db, from)?, self.disk_table(db, new)?);
            let (at, column) = (old + usize::from(partitioning.right), partitioning.column);
            let codec = KeyCodec::new(&layout.row.column_type(usize::from(column)), false);
            let mut key = Vec::new();
            let bounds = match partitioning.right {
                true => (KeyBound::Inclusive(boundary.to_vec()), KeyBound::Unbounded),
                false => (KeyBound::Unbounded, KeyBound::Inclusive(boundary.to_vec())),
            };
            move_rows(tx, (&source, &target), (column, bounds), true, pause, &mut |row| {
                key.clear();
                codec.encode_field(row, usize::from(column), &mut key);
                partitioning.of_key(&key) == at
            })?;
            self.write_partitioning(tx, db, table, (&layout, partitioning.clone()))
        };
        let done = split();
        self.undo_if_failed(tx, before, done)
    }

    /// Takes a boundary away, and the partition to which it belonged itself; its rows move to the one on the other side.
    pub fn merge_partitions(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        boundary: usize,
        pause: &dyn Pause,
    ) -> StorageResult<()> {
        let (layout, mut partitioning) = self.divided_to_alter(tx, db, table)?;
        partitioning.boundaries.remove(boundary);
        let (from, to) = match partitioning.right {
            true => (boundary + 1, boundary),
            false => (boundary, boundary + 1),
        };
        let (from_id, to_id) = (partitioning.partitions[from], partitioning.partitions[to]);
        partitioning.partitions.remove(from);
        let before = tx.savepoint();
        let mut merge = || {
            self.to_alter(tx, db, from_id)?;
            self.to_alter(tx, db, to_id)?;
            let (source, target) = (self.disk_table(db, from_id)?, self.disk_table(db, to_id)?);
            let all = (partitioning.column, (KeyBound::Unbounded, KeyBound::Unbounded));
            move_rows(tx, (&source, &target), all, false, pause, &mut |_| true)?;
            self.drop_table(tx, db, from_id)?;
            self.write_partitioning(tx, db, table, (&layout, partitioning.clone()))
        };
        let done = merge();
        self.undo_if_failed(tx, before, done)
    }

    /// Exchanges the trees of two tables or partitions that are made alike; `indexes` says which index is which. No row is touched.
    pub fn switch(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        (from, to): (Part, Part),
        indexes: &[(IndexId, IndexId)],
    ) -> StorageResult<()> {
        let before = tx.savepoint();
        let mut switch = || {
            let (from_id, to_id) = (self.id_of(tx, db, from)?, self.id_of(tx, db, to)?);
            let (from_layout, from_roots) = self.to_alter(tx, db, from_id)?;
            let (to_layout, to_roots) = self.to_alter(tx, db, to_id)?;
            let rows = [from_id, to_id].map(|id| Ok(self.disk_table(db, id)?.shape.rows.get()));
            let [from_rows, to_rows]: [StorageResult<i64>; 2] = rows;
            let back: Vec<(IndexId, IndexId)> = indexes.iter().map(|(from, to)| (*to, *from)).collect();
            let new_to =
                exchanged((&to_layout, &from_layout, &from_roots), &back, &mut |_| Err(StorageError::UnknownIndex))?;
            // What only the source has an index on is gone from it.
            let new_from = exchanged((&from_layout, &to_layout, &to_roots), indexes, &mut |index| {
                self.create_index_trees(tx, db, (&from_layout, index), to_roots.base)
            })?;
            for (index, own) in from_layout.indexes.iter().zip(&from_roots.indexes) {
                if !indexes.iter().any(|(from, _)| *from == index.id) {
                    self.drop_index_trees(tx, db, *own)?;
                }
            }
            self.write_shape(tx, db, to_id, Some((&new_to.0, &new_to.1)))?;
            self.write_shape(tx, db, from_id, Some((&new_from.0, &new_from.1)))?;
            for table in [from, to] {
                if table.partition.is_some() {
                    let (layout, partitioning) = self.divided_to_alter(tx, db, table.table)?;
                    self.write_partitioning(tx, db, table.table, (&layout, partitioning))?;
                }
            }
            self.disk_table(db, to_id)?.shape.rows.counted(from_rows?);
            self.disk_table(db, from_id)?.shape.rows.counted(to_rows?);
            Ok(())
        };
        let done = switch();
        self.undo_if_failed(tx, before, done)
    }

    /// The table has no row, whatever it had. For who has locked it against all use.
    pub fn is_empty(&self, tx: &mut Transaction, db: DatabaseId, part: Part) -> StorageResult<bool> {
        let id = self.id_of(tx, db, part)?;
        let mut scan = self.open_table(db, id)?.scan(tx, every_row())?;
        Ok(scan.next(tx)?.is_none())
    }

    /// Divides a table, or makes it one again (`None`), of the layout that is given: the rows are copied. `layout` may have another clustered index.
    pub fn divide_table(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        (layout, partitioning): (&TableLayout, Option<&Partitioning>),
        pause: &dyn Pause,
    ) -> StorageResult<()> {
        let before = tx.savepoint();
        let mut divide = || {
            self.to_alter(tx, db, table)?;
            let source = self.open_table(db, table)?;
            self.drop_table(tx, db, table)?;
            match partitioning {
                Some(partitioning) => self.create_partitioned_table(tx, db, table, layout, partitioning)?,
                None => self.create_table(tx, db, table, layout)?,
            }
            let target = self.open_table(db, table)?;
            let mut pacer = Pacer::new(pause);
            let mut scan = source.scan(tx, every_row())?;
            let mut image = Vec::new();
            while let Some(row) = scan.next(tx)? {
                heard(pacer.spend(ROW_WORK + row.image.len()))?;
                match &*source {
                    Table::Disk(source) => complete(&source.shape, row.image, &mut image)?,
                    // Its scan has done that.
                    Table::Partitioned(_) | Table::Memory(_) => image = row.image.to_vec(),
                }
                target.insert(tx, &image)?;
            }
            Ok(())
        };
        let done = divide();
        self.undo_if_failed(tx, before, done)
    }

    fn id_of(&self, tx: &mut Transaction, db: DatabaseId, part: Part) -> StorageResult<TableId> {
        match part.partition {
            None => Ok(part.table),
            Some(at) => Ok(self.divided_to_alter(tx, db, part.table)?.1.partitions[at]),
        }
    }

    fn disk_table(&self, db: DatabaseId, table: TableId) -> StorageResult<DiskTable> {
        match &*self.open_table(db, table)? {
            Table::Disk(table) => Ok(table.clone()),
            Table::Memory(_) | Table::Partitioned(_) => Err(StorageError::UnknownTable),
        }
    }
}

/// Of a table whose trees are its partitions'.
fn divided(layout: &TableLayout, partitioning: Partitioning) -> Roots {
    let indexes = vec![IndexRoots::default(); layout.indexes.len()];
    Roots { indexes, partitioning: Some(Box::new(partitioning)), ..Roots::default() }
}

/// What a table is made of that gets the trees of another: its own indexes, the other's rows and roots. `indexes`: of its own index, the
/// other's. Of one that the other has not, `new_trees` makes the trees.
fn exchanged(
    (own, other, roots): (&TableLayout, &TableLayout, &Roots),
    indexes: &[(IndexId, IndexId)],
    new_trees: &mut dyn FnMut(&IndexLayout) -> StorageResult<IndexRoots>,
) -> StorageResult<(TableLayout, Roots)> {
    let mut new = Roots { base: roots.base, long_values: roots.long_values, ..Roots::default() };
    for index in &own.indexes {
        let theirs = indexes.iter().find(|(mine, _)| *mine == index.id).map(|(_, theirs)| *theirs);
        let at = other.indexes.iter().position(|known| Some(known.id) == theirs);
        new.indexes.push(match at {
            Some(at) => roots.indexes[at],
            None => new_trees(index)?,
        });
    }
    let layout = TableLayout { row: other.row.clone(), ..own.clone() };
    Ok((layout, new))
}

/// Copies rows of a partition for which `moves` is true into another one, in the range of its partitioning column if its rows are in that
/// order. `leaves`: they go from where they were.
fn move_rows(
    tx: &mut Transaction,
    (source, target): (&DiskTable, &DiskTable),
    (column, (lower, upper)): (u16, (KeyBound, KeyBound)),
    leaves: bool,
    pause: &dyn Pause,
    moves: &mut dyn FnMut(&RowView<'_>) -> bool,
) -> StorageResult<()> {
    let mut spec = every_row();
    let first = source.shape.clustered.as_ref().and_then(|(_, key)| key.columns().first().copied());
    if first.is_some_and(|first| first.ordinal == column && !first.descending) {
        (spec.lower, spec.upper) = (lower, upper);
    }
    let is_alike = source.shape.layout.row == target.shape.layout.row;
    let mut pacer = Pacer::new(pause);
    let mut scan = DiskScan::new(source.clone(), tx, spec)?;
    let mut image = Vec::new();
    while let Some(row) = scan.next(tx)? {
        heard(pacer.spend(ROW_WORK + row.image.len()))?;
        if !moves(&RowView::new(&source.shape.layout.row, row.image)?) {
            continue;
        }
        if is_alike {
            target.insert(tx, row.image)?;
        } else {
            complete(&source.shape, row.image, &mut image)?;
            target.insert(tx, &image)?;
        }
        if leaves {
            source.delete(tx, row.locator)?;
        }
    }
    Ok(())
}
