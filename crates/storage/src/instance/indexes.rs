//! What changes a table's indexes, or the layout of its rows: trees made anew, filled from the rows there are, and put in the place of the old
//! ones.

use types::key::encode_key;
use types::pause::{Pacer, Pause};
use types::row::RowView;

use crate::concurrency::locks::LockMode;
use crate::error::{ROW_WORK, StorageError, StorageResult, heard};
use crate::instance::storage::Storage;
use crate::layout::{DatabaseId, IndexId, IndexLayout, TableId, TableLayout};
use crate::shapes::shape::{self, IndexRoots, Roots};
use crate::tables::load::{self, Build};
use crate::tables::table::Table;
use crate::transaction::Transaction;

impl Storage {
    /// Builds it from the rows there are. A clustered one rebuilds the table.
    pub fn create_index(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        index: &IndexLayout,
        build: &mut Build<'_>,
    ) -> StorageResult<()> {
        if !index.clustered && self.may_add_index(tx, db, table)? {
            return self.add_index(tx, (db, table), index, build);
        }
        let (mut layout, mut roots) = self.to_alter(tx, db, table)?;
        if layout.indexes.iter().any(|known| known.id == index.id || known.clustered && index.clustered) {
            return Err(StorageError::AlreadyExists);
        }
        if layout.memory.is_some() {
            layout.indexes.push(index.clone());
            return self.rebuild_memory_table(tx, db, table, &layout, &roots, build.pause);
        }
        if roots.partitioning.is_some() {
            let at = if index.clustered { 0 } else { layout.indexes.len() };
            layout.indexes.insert(at, index.clone());
            roots.indexes.push(IndexRoots::default());
            let before = tx.savepoint();
            let made = self
                .alter_each(tx, db, table, (&layout, &roots), |tx, part| self.create_index(tx, db, part, index, build))
                .and_then(|()| self.check_over_all(tx, db, table, index, build));
            return self.undo_if_failed(tx, before, made);
        }
        layout.indexes.insert(0, index.clone());
        self.rebuild(tx, db, table, layout, &roots, false, build)
    }

    /// The keys of an index that is unique over all partitions, each once.
    fn check_over_all(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        index: &IndexLayout,
        build: &mut Build<'_>,
    ) -> StorageResult<()> {
        let opened = self.open_table(db, table)?;
        let Table::Partitioned(divided) = &*opened else { return Ok(()) };
        if !divided.shape.is_unique_over_all(index) {
            return Ok(());
        }
        let mut pacer = Pacer::new(build.pause);
        let mut key = Vec::new();
        for part in divided.partitions() {
            let own = part.index(index.id)?.ok_or(StorageError::UnknownIndex)?;
            let mut scan = Table::Disk(part.clone()).scan(tx, load::every_row())?;
            while let Some(row) = scan.next(tx)? {
                let view = RowView::new(&part.shape.layout.row, row.image)?;
                if own.holds(&view) {
                    key.clear();
                    encode_key(&own.key, &view, &mut key);
                    build.sorter.add(&key, &[], &mut pacer)?;
                }
                heard(pacer.spend(ROW_WORK + row.image.len()))?;
            }
        }
        let mut last: Option<Vec<u8>> = None;
        build.sorter.drain(&mut pacer, &mut |key, _| {
            if last.as_deref() == Some(key) {
                return Err(StorageError::DuplicateKey { table, index: index.id });
            }
            last = Some(key.to_vec());
            Ok(())
        })
    }

    /// Makes the trees of an index anew: its pages are in order and full, or as full as `build` says. Of the clustered index, or `HEAP`, that
    /// is the table; the other indexes stay.
    pub fn rebuild_index(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        index: IndexId,
        build: &mut Build<'_>,
    ) -> StorageResult<()> {
        if self.may_add_index(tx, db, table)? {
            tx.lock_table(db, table, LockMode::IntentShared)?;
            let (layout, _) = self.engine().read_directory(db, table)?.ok_or(StorageError::UnknownTable)?;
            if let Some(own) = layout.indexes.iter().find(|known| known.id == index && !known.clustered) {
                return self.replace_index(tx, (db, table), own, build);
            }
        }
        let (layout, roots) = self.to_alter(tx, db, table)?;
        assert!(layout.memory.is_none(), "a memory-optimized table has no pages");
        if roots.partitioning.is_some() {
            return self.alter_each(tx, db, table, (&layout, &roots), |tx, part| {
                self.rebuild_index(tx, db, part, index, build)
            });
        }
        match index == IndexId::HEAP || layout.indexes.iter().any(|known| known.id == index) {
            true => self.rebuild(tx, db, table, layout, &roots, true, build),
            false => Err(StorageError::UnknownIndex),
        }
    }

    /// Copies the rows of one table into another that this transaction has made and that is empty. Both have the same row layout.
    pub fn copy_table(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        (source, target): (TableId, TableId),
        build: &mut Build<'_>,
    ) -> StorageResult<()> {
        let source = self.open_table(db, source)?;
        match &*self.open_table(db, target)? {
            Table::Disk(target) => tx.filling(|tx| load::copy_rows(tx, &source, target, false, build)),
            target @ (Table::Memory(_) | Table::Partitioned(_)) => {
                let mut pacer = Pacer::new(build.pause);
                let mut scan = source.scan(tx, load::every_row())?;
                while let Some(row) = scan.next(tx)? {
                    heard(pacer.spend(ROW_WORK + row.image.len()))?;
                    target.insert(tx, row.image)?;
                }
                Ok(())
            }
        }
    }

    /// Copies the table into trees of another layout. `keeps_keys`: of the same one, and indexes beside the base tree stay as they are.
    #[allow(clippy::too_many_arguments)]
    fn rebuild(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        layout: TableLayout,
        old: &Roots,
        keeps_keys: bool,
        build: &mut Build<'_>,
    ) -> StorageResult<()> {
        debug_assert!(layout.memory.is_none() && old.base != 0);
        let before = tx.savepoint();
        let source = self.open_table(db, table)?;
        let base = self.create_tree(tx, db)?;
        let mut roots = Roots { base, ..Roots::default() };
        if shape::may_be_long(&layout, shape::image_max(&layout)) {
            roots.long_values = self.create_tree(tx, db)?;
        }
        for (at, index) in layout.indexes.iter().enumerate() {
            roots.indexes.push(match !index.clustered && keeps_keys {
                true => old.indexes[at],
                false => self.create_index_trees(tx, db, (&layout, index), base)?,
            });
        }
        match keeps_keys {
            true => self.drop_roots(tx, db, &Roots { indexes: Vec::new(), ..old.clone() })?,
            false => self.drop_roots(tx, db, old)?,
        }
        self.write_shape(tx, db, table, Some((&layout, &roots)))?;
        tx.fill_own_trees(before, |tx| match &*self.open_table(db, table)? {
            Table::Disk(target) => load::copy_rows(tx, &source, target, keeps_keys, build),
            Table::Memory(_) | Table::Partitioned(_) => unreachable!("it has pages of its own"),
        })
    }

    /// Dropping the clustered index leaves a heap.
    pub fn drop_index(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        index: IndexId,
        build: &mut Build<'_>,
    ) -> StorageResult<()> {
        let (mut layout, mut roots) = self.to_alter(tx, db, table)?;
        let at = layout.indexes.iter().position(|known| known.id == index).ok_or(StorageError::UnknownIndex)?;
        let removed = layout.indexes.remove(at);
        if layout.memory.is_some() {
            return self.rebuild_memory_table(tx, db, table, &layout, &roots, build.pause);
        }
        if roots.partitioning.is_some() {
            roots.indexes.remove(at);
            return self
                .alter_each(tx, db, table, (&layout, &roots), |tx, part| self.drop_index(tx, db, part, index, build));
        }
        if removed.clustered {
            return self.rebuild(tx, db, table, layout, &roots, false, build);
        }
        let own = roots.indexes.remove(at);
        self.drop_index_trees(tx, db, own)?;
        self.write_shape(tx, db, table, Some((&layout, &roots)))
    }

    /// Rebuilds a memory-optimized table whose hash index gets another number of buckets.
    pub fn set_bucket_count(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        index: IndexId,
        count: u64,
        pause: &dyn Pause,
    ) -> StorageResult<()> {
        let (mut layout, roots) = self.to_alter(tx, db, table)?;
        let found = layout.indexes.iter_mut().find(|known| known.id == index && known.bucket_count.is_some());
        found.ok_or(StorageError::UnknownIndex)?.bucket_count = Some(count);
        self.rebuild_memory_table(tx, db, table, &layout, &roots, pause)
    }

    /// Adds columns at the end: existing rows read NULL there, or what `row` says. It must extend the present layout.
    pub fn alter_row_layout(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        row: &types::RowLayout,
        pause: &dyn Pause,
    ) -> StorageResult<()> {
        let (mut layout, mut roots) = self.to_alter(tx, db, table)?;
        let extends = row.columns().starts_with(layout.row.columns());
        assert!(extends, "columns are only added at the end; other changes copy the table");
        let before = std::mem::replace(&mut layout.row, row.clone());
        before.missing().for_each(|(column, bytes)| layout.row.set_missing(column, bytes));
        if layout.memory.is_some() {
            assert!(layout.row.missing().next().is_none(), "rows in memory are made anew");
            return self.rebuild_memory_table(tx, db, table, &layout, &roots, pause);
        }
        if roots.partitioning.is_some() {
            return self.alter_each(tx, db, table, (&layout, &roots), |tx, part| {
                self.alter_row_layout(tx, db, part, row, pause)
            });
        }
        if roots.long_values == 0 && shape::may_be_long(&layout, shape::image_max(&layout)) {
            roots.long_values = self.create_tree(tx, db)?;
        }
        self.write_shape(tx, db, table, Some((&layout, &roots)))
    }
}
