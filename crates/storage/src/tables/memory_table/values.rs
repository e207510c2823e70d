//! Values out of their rows (`xtp::values`): taken out of an image before it becomes a row, and read back.

use std::sync::atomic::Ordering;

use types::Column;
use types::pause::Pacer;
use types::row::{Field, OverflowRef, RowBuilder, RowView};

use super::scan::MemoryScan;
use super::{MemoryTable, row_at};
use crate::error::{ROW_WORK, StorageError, StorageResult, heard};
use crate::layout::IndexId;
use crate::tables::scan::ScanSpec;
use crate::transaction::Transaction;
use crate::trees::long::push_field;
use crate::xtp::row::Row;
use crate::xtp::shape::{MemoryShape, Values};
use crate::xtp::values::{self, IN_ROW_MAX};

/// Rows between two turns for others while a table is copied.
const COPIED_ROWS: usize = 64;

fn lost(reference: &OverflowRef) -> StorageError {
    StorageError::Damaged(format!("value {} of a memory-optimized table", values::number_of(reference)))
}

impl MemoryTable {
    /// The image to store in place of `image`: its long values become rows of their own. None: it stays as it is. `old`: the image that
    /// it replaces, whose values end here unless they stay, and the columns that stay as they are if they are not in that row.
    #[inline]
    pub(super) fn split(
        &self,
        tx: &mut Transaction,
        image: &[u8],
        old: Option<(&[u8], &[u16])>,
    ) -> StorageResult<Option<Vec<u8>>> {
        match self.shape.values {
            None => Ok(None),
            Some(_) => self.split_long(tx, image, old),
        }
    }

    fn split_long(
        &self,
        tx: &mut Transaction,
        image: &[u8],
        old: Option<(&[u8], &[u16])>,
    ) -> StorageResult<Option<Vec<u8>>> {
        let layout = &self.shape.layout.row;
        let has_references =
            old.map(|(old, _)| RowView::fixed(layout, old)).transpose()?.is_some_and(|old| old.has_overflow());
        if !has_references && image.len() <= IN_ROW_MAX {
            return Ok(None);
        }
        let view = RowView::new(layout, image)?;
        let unread = old.map_or(&[][..], |(_, unread)| unread);
        let old = old.map(|(old, _)| RowView::new(layout, old)).transpose()?;
        let mut references: Vec<Option<OverflowRef>> = vec![None; layout.len()];
        let mut changed = false;
        for column in (0..layout.len()).filter(|column| layout.is_variable(*column)) {
            let (field, before) = (view.field(column), old.and_then(|old| old.overflow(column)));
            references[column] = match before {
                Some(before) if unread.contains(&(column as u16)) => Some(*before),
                before => self.place(tx, column, field, before)?,
            };
            changed |= references[column].is_some() && !matches!(field, Field::Overflow(_));
        }
        if !changed {
            return Ok(None);
        }
        let mut split = Vec::with_capacity(image.len().min(IN_ROW_MAX));
        let mut builder = RowBuilder::new(layout, &mut split);
        for (column, reference) in references.iter().enumerate() {
            match reference {
                Some(reference) => builder.push_overflow(reference),
                None => push_field(&mut builder, &view, column),
            }
        }
        builder.finish();
        Ok(Some(split))
    }

    /// Where a value of a row is that is not in it. `before`: what the row referred to there.
    fn place(
        &self,
        tx: &mut Transaction,
        column: usize,
        field: Field<'_>,
        before: Option<&OverflowRef>,
    ) -> StorageResult<Option<OverflowRef>> {
        let may_leave = |values: &&Values| values.columns.contains(&(column as u16));
        let values = self.shape.values.as_ref().filter(may_leave);
        match (field, before) {
            (Field::Overflow(reference), before) => {
                assert_eq!(Some(reference), before, "a reference stays in its column");
                return Ok(Some(*reference));
            }
            (Field::Bytes(bytes), Some(before)) if values.is_some() && self.value(before)? == bytes => {
                return Ok(Some(*before));
            }
            (_, Some(before)) => self.end(tx, self.row_of_value(before)?)?,
            (_, None) => {}
        }
        match (field, values) {
            (Field::Bytes(bytes), Some(values)) if bytes.len() > IN_ROW_MAX => {
                self.add_value(tx, &values.shape, bytes).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn add_value(&self, tx: &mut Transaction, shape: &MemoryShape, bytes: &[u8]) -> StorageResult<OverflowRef> {
        let number = self.engine.xtp.numbers.next_value.fetch_add(1, Ordering::Relaxed);
        debug_assert!(number != 0 && bytes.len() > IN_ROW_MAX, "a value of {} bytes out of its row", bytes.len());
        self.add(tx, shape, &values::image(&shape.layout.row, number, bytes))?;
        Ok(values::reference(number, bytes.len()))
    }

    /// Ends the values that a row refers to: the row is being deleted.
    pub(super) fn end_values(&self, tx: &mut Transaction, image: &[u8]) -> StorageResult<()> {
        if self.shape.values.is_none() {
            return Ok(());
        }
        let view = RowView::new(&self.shape.layout.row, image)?;
        for reference in (0..self.shape.layout.row.len()).filter_map(|column| view.overflow(column)) {
            self.end(tx, self.row_of_value(reference)?)?;
        }
        Ok(())
    }

    /// Of whoever sees a row with the reference.
    fn row_of_value(&self, reference: &OverflowRef) -> StorageResult<Row<'_>> {
        let Some(Values { shape, .. }) = &self.shape.values else { return Err(lost(reference)) };
        let (xtp, index) = (&self.engine.xtp, &shape.indexes[0]);
        let number = values::number_of(reference) as i64;
        let (mut chain, _) = index.chain_with_numbers(xtp, &[number]);
        let row = chain.next(&xtp.memory, 0);
        row.filter(|row| index.has_numbers(row.image(), &[number])).ok_or_else(|| lost(reference))
    }

    /// The value, which stays where it is as long as the caller's snapshot is in use.
    pub(super) fn value(&self, reference: &OverflowRef) -> StorageResult<&[u8]> {
        let row = self.row_of_value(reference)?;
        let Some(Values { shape, .. }) = &self.shape.values else { return Err(lost(reference)) };
        let bytes = RowView::new(&shape.layout.row, row.image())?.bytes(values::BYTES);
        if bytes.len() == values::bytes_of(reference) { Ok(bytes) } else { Err(lost(reference)) }
    }

    /// The number of the object that its values are in, and the columns whose values may be there.
    pub fn values(&self) -> Option<(u32, &[u16])> {
        self.shape.values.as_ref().map(|values| (values.shape.number, &values.columns[..]))
    }

    /// Appends the value that a row which the transaction has read refers to.
    pub fn push_value(&self, reference: &OverflowRef, column: &mut Column) -> StorageResult<()> {
        column.push_bytes(self.value(reference)?);
        Ok(())
    }

    /// Whether a value of the row is out of it.
    pub(super) fn is_split(&self, image: &[u8]) -> StorageResult<bool> {
        Ok(self.shape.values.is_some() && RowView::new(&self.shape.layout.row, image)?.has_overflow())
    }

    /// Replaces `out` by the image with all values in the row.
    pub(super) fn join_into(&self, image: &[u8], out: &mut Vec<u8>) -> StorageResult<()> {
        out.clear();
        if !self.is_split(image)? {
            out.extend_from_slice(image);
            return Ok(());
        }
        let layout = &self.shape.layout.row;
        let view = RowView::new(layout, image)?;
        let mut builder = RowBuilder::new(layout, out);
        for column in 0..layout.len() {
            match view.overflow(column) {
                Some(reference) => builder.push_bytes(self.value(reference)?),
                None => push_field(&mut builder, &view, column),
            }
        }
        builder.finish();
        Ok(())
    }

    /// Inserts all rows into `target`, the same table of another layout. Values that are out of their rows have the same place there, so they
    /// are neither copied nor logged again, unless an index is to have them.
    pub(crate) fn copy_to(
        &self,
        tx: &mut Transaction,
        target: &MemoryTable,
        pacer: &mut Pacer<'_>,
    ) -> StorageResult<()> {
        debug_assert!(
            target.shape.number != self.shape.number && target.shape.table == self.shape.table,
            "the same table, made anew"
        );
        let every_row = ScanSpec { ignore_own_statement: false, ..ScanSpec::all(IndexId::HEAP, Vec::new()) };
        let mut scan = MemoryScan::new(self.clone(), tx, every_row)?;
        let mut rows = Vec::new();
        while scan.images(tx, COPIED_ROWS, &mut |_, locator| rows.push(locator))? > 0 {
            for locator in rows.drain(..) {
                let image = self.row(row_at(&locator, tx.memory_time())?).image();
                heard(pacer.spend(ROW_WORK + image.len()))?;
                if self.is_split(image)? {
                    target.change(tx, |tx| {
                        let whole = target.bring_keys_in(tx, image)?;
                        target.add(tx, &target.shape, whole.as_deref().unwrap_or(image))
                    })?;
                } else {
                    target.insert(tx, image)?;
                }
            }
        }
        Ok(())
    }

    /// The image with the values in the row that an index has, and which so far were not. None: there are none.
    fn bring_keys_in(&self, tx: &mut Transaction, image: &[u8]) -> StorageResult<Option<Vec<u8>>> {
        let layout = &self.shape.layout.row;
        let view = RowView::new(layout, image)?;
        let is_key = |column: usize| {
            self.shape.layout.indexes.iter().any(|i| i.key.iter().any(|k| usize::from(k.ordinal) == column))
        };
        let keys: Vec<usize> =
            (0..layout.len()).filter(|column| is_key(*column) && view.overflow(*column).is_some()).collect();
        if keys.is_empty() {
            return Ok(None);
        }
        let mut whole = Vec::new();
        let mut builder = RowBuilder::new(layout, &mut whole);
        for column in 0..layout.len() {
            match view.overflow(column) {
                Some(reference) if keys.contains(&column) => builder.push_bytes(self.value(reference)?),
                _ => push_field(&mut builder, &view, column),
            }
        }
        builder.finish();
        for reference in keys.iter().filter_map(|column| view.overflow(*column)) {
            self.end(tx, self.row_of_value(reference)?)?;
        }
        Ok(Some(whole))
    }
}
