//! A table on pages: its base tree (clustered index, or heap by row number) and its nonclustered indexes, kept together.
//!
//! A heap is a tree by row number: appending is its fast path, a row never moves, there are no forwarding pointers. A
//! change goes to the base row first, which decides who may change it, then to the entries of the indexes. A call that
//! fails part of the way undoes its part.

use std::sync::Arc;

use types::key::{KeyLayout, encode_key};
use types::row::{Field, RowBuilder, RowView};

use crate::concurrency::locks::{LockMode, Patience, Resource};
use crate::engine::Engine;
use crate::error::{StorageError, StorageResult};
use crate::layout::{IndexId, Locator, TableId};
use crate::pages::page::{KEY_BYTES_MAX, u16_at};
use crate::region::row_counts::ChangeCount;
use crate::shapes::shape::{IndexShape, Shape, Stored};
use crate::shapes::tree::Tree;
use crate::transaction::Transaction;
use crate::trees::directory::TreeSize;
use crate::trees::physical::{Leaves, PhysicalLevel};
use crate::trees::rows::{Inserted, Seen};
use crate::trees::sample::Sampled;

/// Where an index, or the base tree, lies in its file: pages of roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreePlace {
    pub index: IndexId,
    pub root: u32,
    /// Of the tree of what is too long for its rows.
    pub long_values: Option<u32>,
}

/// As `Table` of any kind; cheap to clone.
#[derive(Clone)]
pub struct DiskTable {
    pub(crate) engine: Arc<Engine>,
    pub(crate) shape: Arc<Shape>,
    /// The news of shapes (`Shapes::told`) as of which it was opened.
    pub(crate) opened: u64,
}

impl DiskTable {
    pub fn is_heap(&self) -> bool {
        self.shape.clustered.is_none()
    }

    pub fn id(&self) -> TableId {
        self.shape.id
    }

    pub(crate) fn index(&self, id: IndexId) -> StorageResult<Option<&IndexShape>> {
        let base = self.shape.clustered.as_ref().map_or(IndexId::HEAP, |(id, _)| *id);
        if id == base || id == IndexId::HEAP {
            return Ok(None);
        }
        self.shape.indexes.iter().find(|index| index.layout.id == id).map(Some).ok_or(StorageError::UnknownIndex)
    }

    /// Columns of the table that a row of this index holds, in the order of its image: for the heap and the clustered
    /// index all; otherwise key, included and clustered key columns, each once.
    pub fn index_columns(&self, index: IndexId) -> StorageResult<Vec<u16>> {
        Ok(match self.index(index)? {
            Some(index) => index.columns.clone(),
            None => (0..self.shape.layout.row.len() as u16).collect(),
        })
    }

    /// `image`, a row of the table, has an entry in this index.
    pub fn index_holds(&self, index: IndexId, image: &[u8]) -> StorageResult<bool> {
        let Some(index) = self.index(index)? else { return Ok(true) };
        Ok(index.holds(&RowView::new(&self.shape.layout.row, image)?))
    }

    /// `row` is an image of `layout().row` with every value in the row; long (max) values are moved out of it here.
    pub fn insert(&self, tx: &mut Transaction, row: &[u8]) -> StorageResult<Locator> {
        tx.change(self.shape.db, self.shape.id, |tx| self.insert_unguarded(tx, row))
    }

    /// Returns the row's new locator (another one if the clustered key changed).
    pub fn update(&self, tx: &mut Transaction, locator: &[u8], row: &[u8]) -> StorageResult<Locator> {
        tx.change(self.shape.db, self.shape.id, |tx| self.update_unguarded(tx, locator, row))
    }

    pub fn delete(&self, tx: &mut Transaction, locator: &[u8]) -> StorageResult<()> {
        tx.change(self.shape.db, self.shape.id, |tx| self.delete_unguarded(tx, locator))
    }

    /// Appends the base key of a row to `key`. A row number comes from the counter.
    pub(crate) fn base_key(&self, view: &RowView<'_>, key: &mut Vec<u8>) -> StorageResult<()> {
        debug_assert!(key.is_empty(), "a key from its beginning");
        debug_assert!(self.shape.clustered.is_some() || self.shape.numbered, "rows of a heap have numbers");
        if let Some((_, layout)) = &self.shape.clustered {
            encode_key(layout, view, key);
        }
        if self.shape.numbered {
            key.extend_from_slice(&self.engine.next_row_number().to_be_bytes());
        }
        check_key(key)
    }

    fn insert_unguarded(&self, tx: &mut Transaction, row: &[u8]) -> StorageResult<Locator> {
        let shape = &*self.shape;
        let view = RowView::new(&shape.layout.row, row)?;
        let mut key = std::mem::take(&mut tx.scratch.key);
        key.clear();
        self.base_key(&view, &mut key)?;
        self.insert_base(tx, &view, &key)?;
        for index in shape.indexes.iter().filter(|index| index.holds(&view)) {
            self.insert_entry(tx, index, &view, &key)?;
        }
        shape.rows.gained();
        tx.row_added(shape.db, shape.id, 1);
        let locator = Locator::new(&key);
        debug_assert_eq!(&*locator, &key[..]);
        tx.scratch.key = key;
        Ok(locator)
    }

    fn insert_base(&self, tx: &mut Transaction, view: &RowView<'_>, key: &[u8]) -> StorageResult<()> {
        let shape = &*self.shape;
        let patience = tx.patience();
        let mut moved = Vec::new();
        let image = self.fitting_image(tx, view, &mut moved)?;
        let inserted = self.engine.insert_row(&mut tx.writer, &shape.base, shape.id, key, image, patience)?;
        match inserted {
            Inserted::Done => Ok(()),
            Inserted::Duplicate => {
                let index = shape.clustered.as_ref().map_or(IndexId::HEAP, |(id, _)| *id);
                Err(StorageError::DuplicateKey { table: shape.id, index })
            }
        }
    }

    /// The row as it is in the base tree: what is too long for that is moved out of it, into `moved`.
    pub(crate) fn fitting_image<'i>(
        &self,
        tx: &mut Transaction,
        view: &RowView<'i>,
        moved: &'i mut Vec<u8>,
    ) -> StorageResult<&'i [u8]> {
        let shape = &*self.shape;
        if view.image().len() <= shape.image_max {
            return Ok(view.image());
        }
        let patience = tx.patience();
        moved.clear();
        self.engine.move_long_values(
            &mut tx.writer,
            self.shape.stored(),
            &|column| stays(shape, column),
            view,
            patience,
            moved,
        )?;
        debug_assert!(moved.len() <= shape.image_max, "what stays fits the row");
        Ok(moved)
    }

    /// The entry as it is in the index's tree, alike.
    pub(crate) fn fitting_entry<'e>(
        &self,
        tx: &mut Transaction,
        index: &IndexShape,
        entry: &'e [u8],
        moved: &'e mut Vec<u8>,
    ) -> StorageResult<&'e [u8]> {
        if entry.len() <= index.entry_max {
            return Ok(entry);
        }
        let (locator, image) = entry.split_at(image_at(entry));
        let rows = Stored { image_max: index.entry_max - locator.len(), ..index.stored(self.shape.id) };
        moved.clear();
        moved.extend_from_slice(locator);
        let view = RowView::new(&index.row, image)?;
        let is_key = |column: usize| index.layout.key.iter().any(|part| part.ordinal == index.columns[column]);
        let patience = tx.patience();
        self.engine.move_long_values(&mut tx.writer, rows, &is_key, &view, patience, moved)?;
        Ok(moved)
    }

    /// A row's image as it was stored, with the values in place that are `wanted` of an index; in `joined` if there are any.
    pub(crate) fn known_to_indexes<'i>(
        &'i self,
        image: &'i [u8],
        joined: &'i mut Vec<u8>,
        wanted: fn(&IndexShape, usize) -> bool,
    ) -> StorageResult<RowView<'i>> {
        let shape = &*self.shape;
        let layout = &shape.layout.row;
        let view = RowView::new(layout, image)?;
        let is_wanted = |column| shape.indexes.iter().any(|index| wanted(index, column));
        if !view.has_overflow() || !(0..layout.len()).any(|at| view.overflow(at).is_some() && is_wanted(at)) {
            return Ok(view);
        }
        self.engine.join_long_values(self.shape.stored(), image, joined)?;
        Ok(RowView::new(layout, joined)?)
    }

    fn insert_entry(
        &self,
        tx: &mut Transaction,
        index: &IndexShape,
        view: &RowView<'_>,
        locator: &[u8],
    ) -> StorageResult<()> {
        let (mut key, mut entry, mut moved) = (Vec::new(), std::mem::take(&mut tx.scratch.entry), Vec::new());
        entry_of(index, view, locator, &mut key, &mut entry)?;
        let fitting = self.fitting_entry(tx, index, &entry, &mut moved)?;
        self.add_entry(tx, index, &key, fitting)?;
        tx.scratch.entry = entry;
        Ok(())
    }

    fn add_entry(&self, tx: &mut Transaction, index: &IndexShape, key: &[u8], entry: &[u8]) -> StorageResult<()> {
        let (table, patience) = (self.shape.id, tx.patience());
        match self.engine.insert_row(&mut tx.writer, &index.tree, table, key, entry, patience)? {
            Inserted::Done => Ok(()),
            Inserted::Duplicate => Err(StorageError::DuplicateKey { table, index: index.layout.id }),
        }
    }

    fn delete_entry(
        &self,
        tx: &mut Transaction,
        index: &IndexShape,
        view: &RowView<'_>,
        locator: &[u8],
    ) -> StorageResult<()> {
        let mut key = Vec::new();
        entry_key(index, view, locator, &mut key)?;
        self.remove_entry(tx, index, &key)
    }

    /// The entry at `key`, with its long values.
    fn remove_entry(&self, tx: &mut Transaction, index: &IndexShape, key: &[u8]) -> StorageResult<()> {
        let (table, patience) = (self.shape.id, tx.patience());
        let mut old = std::mem::take(&mut tx.scratch.entry);
        old.clear();
        if self.engine.delete_row(&mut tx.writer, &index.tree, table, key, None, None, patience, &mut old)? {
            self.delete_entry_values(tx, index, &old)?;
        }
        tx.scratch.entry = old;
        Ok(())
    }

    fn delete_entry_values(&self, tx: &mut Transaction, index: &IndexShape, entry: &[u8]) -> StorageResult<()> {
        if index.long_values.is_none() {
            return Ok(());
        }
        let patience = tx.patience();
        self.engine.delete_long_values(&mut tx.writer, index.stored(self.shape.id), &entry[image_at(entry)..], patience)
    }

    fn update_unguarded(&self, tx: &mut Transaction, locator: &[u8], row: &[u8]) -> StorageResult<Locator> {
        let shape = &*self.shape;
        let view = RowView::new(&shape.layout.row, row)?;
        let mut key = Vec::new();
        if let Some((_, layout)) = &shape.clustered {
            encode_key(layout, &view, &mut key);
        }
        if shape.numbered {
            let number_at = locator.len().checked_sub(8).ok_or(StorageError::RowGone)?;
            key.extend_from_slice(&locator[number_at..]);
        }
        check_key(&key)?;
        let (patience, conflict) = (tx.patience(), tx.conflict_time());
        let lock = Resource::row(shape.db, shape.id, locator);
        let mut old = std::mem::take(&mut tx.scratch.image);
        if key == locator {
            let mut moved = Vec::new();
            let image = self.fitting_image(tx, &view, &mut moved)?;
            let (engine, base) = (&self.engine, &shape.base);
            while !engine.update_row(
                &mut tx.writer,
                base,
                shape.id,
                &key,
                image,
                Some(lock),
                conflict,
                patience,
                &mut old,
            )? {
                tx.await_row(lock, patience)?;
            }
        } else {
            self.delete_base_row(tx, locator, conflict, patience, &mut old)?;
            self.insert_base(tx, &view, &key)?;
        }
        self.engine.delete_long_values(&mut tx.writer, self.shape.stored(), &old, patience)?;
        if !shape.indexes.is_empty() {
            let mut joined = Vec::new();
            let wanted = |index: &IndexShape, column| index.has(column) || index.finds_by(column);
            let before = self.known_to_indexes(&old, &mut joined, wanted)?;
            for index in &shape.indexes {
                self.update_entry(tx, index, (&before, locator), (&view, &key))?;
            }
        }
        shape.rows.changed();
        tx.scratch.image = old;
        Ok(Locator::new(&key))
    }

    fn update_entry(
        &self,
        tx: &mut Transaction,
        index: &IndexShape,
        before: (&RowView<'_>, &[u8]),
        after: (&RowView<'_>, &[u8]),
    ) -> StorageResult<()> {
        match (index.holds(before.0), index.holds(after.0)) {
            (true, true) => {}
            (false, false) => return Ok(()),
            (false, true) => return self.insert_entry(tx, index, after.0, after.1),
            (true, false) => return self.delete_entry(tx, index, before.0, before.1),
        }
        let (mut old_key, mut old_entry, mut new_key, mut new_entry) = (vec![], vec![], vec![], vec![]);
        entry_of(index, before.0, before.1, &mut old_key, &mut old_entry)?;
        entry_of(index, after.0, after.1, &mut new_key, &mut new_entry)?;
        if old_key == new_key && old_entry == new_entry {
            return Ok(());
        }
        let mut moved = Vec::new();
        if old_key != new_key {
            self.remove_entry(tx, index, &old_key)?;
            let new = self.fitting_entry(tx, index, &new_entry, &mut moved)?;
            return self.add_entry(tx, index, &new_key, new);
        }
        let new = self.fitting_entry(tx, index, &new_entry, &mut moved)?;
        let (table, patience, old) = (self.shape.id, tx.patience(), &mut old_entry);
        if self.engine.update_row(&mut tx.writer, &index.tree, table, &new_key, new, None, None, patience, old)? {
            self.delete_entry_values(tx, index, old)?;
        }
        Ok(())
    }

    /// Makes a ghost of the row at `locator`, when nobody else's lock on it stands against that.
    fn delete_base_row(
        &self,
        tx: &mut Transaction,
        locator: &[u8],
        conflict: Option<u64>,
        patience: Patience,
        old: &mut Vec<u8>,
    ) -> StorageResult<()> {
        let shape = &*self.shape;
        let lock = Resource::row(shape.db, shape.id, locator);
        let (engine, base) = (&self.engine, &shape.base);
        while !engine.delete_row(&mut tx.writer, base, shape.id, locator, Some(lock), conflict, patience, old)? {
            tx.await_row(lock, patience)?;
        }
        Ok(())
    }

    fn delete_unguarded(&self, tx: &mut Transaction, locator: &[u8]) -> StorageResult<()> {
        let shape = &*self.shape;
        let (patience, conflict) = (tx.patience(), tx.conflict_time());
        let mut old = std::mem::take(&mut tx.scratch.image);
        self.delete_base_row(tx, locator, conflict, patience, &mut old)?;
        self.engine.delete_long_values(&mut tx.writer, self.shape.stored(), &old, patience)?;
        if !shape.indexes.is_empty() {
            let mut joined = Vec::new();
            let view = self.known_to_indexes(&old, &mut joined, IndexShape::finds_by)?;
            for index in shape.indexes.iter().filter(|index| index.holds(&view)) {
                self.delete_entry(tx, index, &view, locator)?;
            }
        }
        shape.rows.lost();
        tx.row_added(shape.db, shape.id, -1);
        tx.scratch.image = old;
        Ok(())
    }

    /// Replaces `image` by the row as this transaction sees it, long values in place. False: there is none.
    pub fn fetch(&self, tx: &mut Transaction, locator: &[u8], image: &mut Vec<u8>) -> StorageResult<bool> {
        let shape = &*self.shape;
        if shape.long_values.is_some() {
            // As a scan: read after the row's latch is gone.
            tx.snapshot();
        }
        loop {
            let view = tx.view();
            match self.engine.read_row(&view, &shape.base, locator, image)? {
                Seen::Here | Seen::Old => break,
                Seen::Nothing => return Ok(false),
                Seen::Wait(other) => {
                    let row = Resource::row(shape.db, shape.id, locator);
                    tx.wait_for_end(other, LockMode::Shared, tx.patience(), row)?;
                }
            }
        }
        if shape.long_values.is_some() && RowView::new(&shape.layout.row, image)?.has_overflow() {
            let split = std::mem::take(image);
            self.engine.join_long_values(self.shape.stored(), &split, image)?;
        }
        Ok(true)
    }

    /// Of an index, or of the base tree, which is that of the clustered index or the heap.
    pub fn tree_size(&self, index: IndexId) -> StorageResult<TreeSize> {
        let tree = self.index(index)?.map_or(&self.shape.base, |index| &index.tree);
        self.engine.tree_size(tree)
    }

    /// Of the same trees; see `Engine::physical_levels`.
    pub fn physical_levels(
        &self,
        index: IndexId,
        leaves: Leaves,
        pause: &mut dyn FnMut() -> bool,
    ) -> StorageResult<Vec<PhysicalLevel>> {
        let tree = self.index(index)?.map_or(&self.shape.base, |index| &index.tree);
        self.engine.physical_levels(tree, leaves, pause)
    }

    /// Pages of the values that are too long for the rows of the table, or the entries of an index.
    pub fn long_value_pages(&self, index: IndexId) -> StorageResult<u64> {
        let tree = self.index(index)?.map_or(&self.shape.long_values, |index| &index.long_values);
        tree.as_ref().map_or(Ok(0), |tree| Ok(self.engine.tree_size(tree)?.pages))
    }

    /// The base tree, and then the other indexes.
    pub fn tree_places(&self) -> Vec<TreePlace> {
        let index = self.shape.clustered.as_ref().map_or(IndexId::HEAP, |(id, _)| *id);
        let place = |index: IndexId, tree: &Tree, long_values: &Option<Tree>| TreePlace {
            index,
            root: tree.root,
            long_values: long_values.as_ref().map(|tree| tree.root),
        };
        let base = place(index, &self.shape.base, &self.shape.long_values);
        let others = self.shape.indexes.iter().map(|own| place(own.layout.id, &own.tree, &own.long_values));
        std::iter::once(base).chain(others).collect()
    }

    pub fn row_count_estimate(&self) -> u64 {
        self.shape.rows.get().max(0) as u64
    }

    /// The table has so many rows: who says so has locked it against changes.
    pub fn counted(&self, rows: i64) {
        self.shape.rows.counted(rows);
    }

    pub fn changes(&self) -> ChangeCount {
        self.shape.rows.changes()
    }

    /// Rows of leaves that are spread evenly over the table, as they are now, committed or not; see `Engine::sample`. The caller holds
    /// the table's definition.
    pub fn sample(
        &self,
        leaves_max: u64,
        pause: &mut dyn FnMut() -> bool,
        visit: &mut dyn FnMut(u64, &RowView<'_>),
    ) -> StorageResult<Sampled> {
        let layout = &self.shape.layout.row;
        self.engine.sample(&self.shape.base, leaves_max, pause, &mut |leaf, image| {
            visit(leaf, &RowView::new(layout, image)?);
            Ok(())
        })
    }
}

fn check_key(key: &[u8]) -> StorageResult<()> {
    if key.len() <= KEY_BYTES_MAX {
        return Ok(());
    }
    Err(StorageError::KeyTooLong { bytes: key.len(), bytes_max: KEY_BYTES_MAX })
}

/// Whether a value of the table's column has to be in its row, however long: an index finds by it, or holds it and has no place for long ones.
fn stays(shape: &Shape, column: usize) -> bool {
    let is_key = |(_, key): &(IndexId, KeyLayout)| key.columns().iter().any(|part| usize::from(part.ordinal) == column);
    let keeps = |index: &IndexShape| index.finds_by(column) || index.has(column) && index.long_values.is_none();
    shape.clustered.as_ref().is_some_and(is_key) || shape.indexes.iter().any(keeps)
}

fn entry_key(index: &IndexShape, view: &RowView<'_>, locator: &[u8], key: &mut Vec<u8>) -> StorageResult<()> {
    assert!(locator.len() <= KEY_BYTES_MAX, "a locator of {} bytes", locator.len());
    key.clear();
    encode_key(&index.key, view, key);
    if !index.layout.unique {
        key.extend_from_slice(locator);
    }
    check_key(key)
}

/// Where the image begins in an entry.
pub(crate) fn image_at(entry: &[u8]) -> usize {
    2 + usize::from(u16_at(entry, 0))
}

/// Key and payload of a row's entry in an index, with all values in place.
pub(crate) fn entry_of(
    index: &IndexShape,
    view: &RowView<'_>,
    locator: &[u8],
    key: &mut Vec<u8>,
    entry: &mut Vec<u8>,
) -> StorageResult<()> {
    entry_key(index, view, locator, key)?;
    entry.clear();
    entry.extend_from_slice(&(locator.len() as u16).to_le_bytes());
    entry.extend_from_slice(locator);
    let mut builder = RowBuilder::new(&index.row, entry);
    for column in index.columns.iter() {
        match view.field(*column as usize) {
            Field::Null => builder.push_null(),
            Field::Bytes(bytes) => builder.push_stored(bytes),
            Field::Overflow(_) => unreachable!("what an index holds is in place"),
        }
    }
    debug_assert_eq!(index.columns.len(), index.row.len(), "each column of the entry is given");
    builder.finish();
    Ok(())
}
