//! Filling tables and indexes that a statement has made itself: rows come sorted, or are sorted first, and their trees are built from the left
//! (`trees::build`). Nothing of it is undone row by row: see `Transaction::filling`.

use types::pause::{Pacer, Pause};
use types::row::RowView;

use crate::bounds::KeyBound;
use crate::error::{ROW_WORK, StorageError, StorageResult, heard};
use crate::layout::IndexId;
use crate::shapes::shape::IndexShape;
use crate::tables::disk_table::{DiskTable, entry_of};
use crate::tables::scan::ScanSpec;
use crate::tables::table::Table;
use crate::transaction::Transaction;
use crate::trees::build::{Fill, TreeBuilder};

/// Sorts byte strings, however many: what it has no memory for it writes to work files. Memory is the caller's to give, so is the sort.
pub trait KeySorter {
    fn add(&mut self, key: &[u8], payload: &[u8], pacer: &mut Pacer<'_>) -> StorageResult<()>;

    /// Hands on everything, in the order of the keys, and is empty then.
    fn drain(
        &mut self,
        pacer: &mut Pacer<'_>,
        each: &mut dyn FnMut(&[u8], &[u8]) -> StorageResult<()>,
    ) -> StorageResult<()>;
}

/// How trees are built.
pub struct Build<'b> {
    pub sorter: &'b mut dyn KeySorter,
    pub pause: &'b dyn Pause,
    /// How full the pages of each index are made; `IndexId::HEAP` is the heap.
    pub fill: &'b dyn Fn(IndexId) -> Fill,
    /// Others change the table meanwhile, if that can be had.
    pub online: bool,
}

/// Every row of the base tree, committed or not, with its locator: for who has locked the table against all use.
pub(crate) fn every_row() -> ScanSpec {
    let mut spec = ScanSpec::all(IndexId::HEAP, Vec::new());
    spec.lock.no_lock = true;
    spec.locator = true;
    spec.ignore_own_statement = false;
    spec
}

/// Copies the rows of a table into another one that is empty, and builds its indexes. `keeps_keys`: the base trees have the same keys, and
/// indexes that are there stay.
pub(crate) fn copy_rows(
    tx: &mut Transaction,
    source: &Table,
    target: &DiskTable,
    keeps_keys: bool,
    build: &mut Build<'_>,
) -> StorageResult<()> {
    let shape = &*target.shape;
    let base = shape.clustered.as_ref().map_or(IndexId::HEAP, |(id, _)| *id);
    let mut builder = TreeBuilder::new(&tx.writer, (build.fill)(base));
    // Numbers of a heap's rows ascend.
    let is_sorted = keeps_keys || shape.clustered.is_none();
    let (mut key, mut moved) = (Vec::new(), Vec::new());
    let mut rows = 0;
    let mut pacer = Pacer::new(build.pause);
    let mut scan = source.scan(tx, every_row())?;
    while let Some(row) = scan.next(tx)? {
        heard(pacer.spend(ROW_WORK + row.image.len()))?;
        let view = RowView::new(&shape.layout.row, row.image)?;
        key.clear();
        match keeps_keys {
            true => key.extend_from_slice(row.locator),
            false => target.base_key(&view, &mut key)?,
        }
        let image = target.fitting_image(tx, &view, &mut moved)?;
        rows += 1;
        if !is_sorted {
            build.sorter.add(&key, image, &mut pacer)?;
        } else if !builder.push(&target.engine, &shape.base, &mut tx.writer, &key, image)? {
            return Err(StorageError::DuplicateKey { table: shape.id, index: base });
        }
    }
    drop(scan);
    if !is_sorted {
        build.sorter.drain(&mut pacer, &mut |key, image| match builder.push(
            &target.engine,
            &shape.base,
            &mut tx.writer,
            key,
            image,
        )? {
            true => Ok(()),
            false => Err(StorageError::DuplicateKey { table: shape.id, index: base }),
        })?;
    }
    builder.finish(&target.engine, &shape.base, &mut tx.writer, build.pause)?;
    drop(pacer);
    shape.rows.counted(rows);
    if !keeps_keys {
        for index in &shape.indexes {
            build_index(tx, None, target, index, build)?;
        }
    }
    Ok(())
}

/// Fills an empty index from the rows of its table. `reader`: another transaction that sees those that are wanted.
pub(crate) fn build_index(
    tx: &mut Transaction,
    reader: Option<&mut Transaction>,
    table: &DiskTable,
    index: &IndexShape,
    build: &mut Build<'_>,
) -> StorageResult<()> {
    let layout = &table.shape.layout.row;
    let (mut key, mut entry) = (Vec::new(), Vec::new());
    let mut pacer = Pacer::new(build.pause);
    let mut spec = every_row();
    spec.lock.no_lock = reader.is_none();
    (spec.lower, spec.upper) = range_of_filter(table, index);
    let mut reader = reader;
    let mut moved = Vec::new();
    let mut scan = Table::Disk(table.clone()).scan(reader.as_deref_mut().unwrap_or(tx), spec)?;
    while let Some(row) = scan.next(reader.as_deref_mut().unwrap_or(tx))? {
        heard(pacer.spend(ROW_WORK + row.image.len()))?;
        let view = RowView::new(layout, row.image)?;
        if index.holds(&view) {
            entry_of(index, &view, row.locator, &mut key, &mut entry)?;
            let fitting = table.fitting_entry(tx, index, &entry, &mut moved)?;
            build.sorter.add(&key, fitting, &mut pacer)?;
        }
    }
    drop(scan);
    let mut builder = TreeBuilder::new(&tx.writer, (build.fill)(index.layout.id));
    build.sorter.drain(&mut pacer, &mut |key, entry| match builder.push(
        &table.engine,
        &index.tree,
        &mut tx.writer,
        key,
        entry,
    )? {
        true => Ok(()),
        false => Err(StorageError::DuplicateKey { table: table.shape.id, index: index.layout.id }),
    })?;
    builder.finish(&table.engine, &index.tree, &mut tx.writer, build.pause)
}

/// Where in the table the rows of a filtered index are.
fn range_of_filter(table: &DiskTable, index: &IndexShape) -> (KeyBound, KeyBound) {
    let clustered = table.shape.clustered.as_ref();
    let first = clustered.and_then(|(_, key)| key.columns().first()).filter(|column| !column.descending);
    let term = first.and_then(|first| index.layout.filter.iter().find(|term| term.column == first.ordinal));
    match term.and_then(|term| term.keys.hull()) {
        Some((lower, upper)) => (KeyBound::Inclusive(lower.to_vec()), KeyBound::Exclusive(upper.to_vec())),
        None => (KeyBound::Unbounded, KeyBound::Unbounded),
    }
}

/// Rows that come one after the other into a heap without indexes that the statement has made itself. Nobody reads it before `finish`; what was
/// not finished is not there.
pub struct HeapLoad {
    table: DiskTable,
    builder: TreeBuilder,
    key: Vec<u8>,
    moved: Vec<u8>,
}

impl HeapLoad {
    /// None: such a table has to be filled row by row.
    pub fn new(table: &Table, tx: &Transaction) -> Option<HeapLoad> {
        let Table::Disk(table) = table else { return None };
        let shape = &*table.shape;
        let is_plain = shape.clustered.is_none() && shape.indexes.is_empty() && tx.id().is_some();
        is_plain.then(|| HeapLoad {
            table: table.clone(),
            builder: TreeBuilder::new(&tx.writer, Fill::default()),
            key: Vec::new(),
            moved: Vec::new(),
        })
    }

    /// `row` as `Table::insert` takes it.
    pub fn push(&mut self, tx: &mut Transaction, row: &[u8]) -> StorageResult<()> {
        let HeapLoad { table, builder, key, moved } = self;
        let shape = &*table.shape;
        let view = RowView::new(&shape.layout.row, row)?;
        key.clear();
        table.base_key(&view, key)?;
        tx.filling(|tx| -> StorageResult<()> {
            let image = table.fitting_image(tx, &view, moved)?;
            let added = builder.push(&table.engine, &shape.base, &mut tx.writer, key, image)?;
            assert!(added, "numbers of rows are new");
            Ok(())
        })?;
        shape.rows.gained();
        tx.row_added(shape.db, shape.id, 1);
        Ok(())
    }

    pub fn finish(self, tx: &mut Transaction, pause: &dyn Pause) -> StorageResult<()> {
        self.builder.finish(&self.table.engine, &self.table.shape.base, &mut tx.writer, pause)
    }
}
