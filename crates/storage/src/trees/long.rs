//! Long values: what makes a row too long for its page is kept in chunks in a tree of its own. So is what makes an index's entry too long: a
//! copy, in a tree of the index's, so that whoever reads the index alone needs nothing of the table.
//!
//! ```text
//! key of a chunk:  value number u64 big-endian, chunk number u32 big-endian
//! reference (24 bytes, in the row image): value number u64, bytes u64, 0 u64
//! ```
//! Chunks are versioned rows like any other: rollback, recovery and ghost cleanup need nothing special. A reference is
//! only reached through a row version some snapshot sees, and as long as that is so its chunks, ghosts or not, stay.

use types::row::{Field, OVERFLOW_REF_BYTES, OverflowRef, RowBuilder, RowView};

use crate::concurrency::locks::Patience;
use crate::concurrency::versions::ROW_HEADER_BYTES;
use crate::engine::{Engine, Writer};
use crate::error::{StorageError, StorageResult};
use crate::layout::TableId;
use crate::pages::page::{self, u64_at};
use crate::shapes::shape::{Stored, payload_max};
use crate::shapes::tree::{Target, Tree};
use crate::trees::rows::Inserted;

const CHUNK_KEY_BYTES: usize = 12;
const _: () =
    assert!(CHUNK_KEY_BYTES == size_of::<u64>() + size_of::<u32>() && OVERFLOW_REF_BYTES == 3 * size_of::<u64>());

fn chunk_bytes() -> usize {
    payload_max(CHUNK_KEY_BYTES) - ROW_HEADER_BYTES
}

fn chunk_key(value: u64, chunk: u32) -> [u8; CHUNK_KEY_BYTES] {
    debug_assert!(value != 0, "values are numbered from 1");
    let mut key = [0; CHUNK_KEY_BYTES];
    key[..8].copy_from_slice(&value.to_be_bytes());
    key[8..].copy_from_slice(&chunk.to_be_bytes());
    key
}

/// Which columns have to leave the row, longest first; None: it stays too long without all of them.
fn columns_to_move(rows: Stored<'_>, stays: &dyn Fn(usize) -> bool, view: &RowView<'_>) -> Option<Vec<usize>> {
    let Stored { layout, image_max, .. } = rows;
    let mut long: Vec<(usize, usize)> = (0..layout.len())
        .filter(|column| layout.is_variable(*column) && !stays(*column))
        .filter_map(|column| match view.field(column) {
            Field::Bytes(bytes) if bytes.len() > OVERFLOW_REF_BYTES => Some((bytes.len(), column)),
            _ => None,
        })
        .collect();
    long.sort_by_key(|(bytes, column)| (std::cmp::Reverse(*bytes), *column));
    let mut bytes = view.image().len();
    let mut moved = Vec::new();
    for (length, column) in long {
        if bytes <= image_max {
            break;
        }
        bytes = bytes - length + OVERFLOW_REF_BYTES;
        moved.push(column);
    }
    (bytes <= image_max).then_some(moved)
}

pub(crate) fn push_field(builder: &mut RowBuilder<'_>, view: &RowView<'_>, column: usize) {
    match view.field(column) {
        Field::Null => builder.push_null(),
        Field::Bytes(bytes) => builder.push_stored(bytes),
        Field::Overflow(reference) => builder.push_overflow(reference),
    }
}

impl Engine {
    /// Writes the row's longest values, but those of columns that stay, as chunks, and appends to `out` the image with references in their
    /// place.
    pub fn move_long_values(
        &self,
        writer: &mut Writer,
        rows: Stored<'_>,
        stays: &dyn Fn(usize) -> bool,
        view: &RowView<'_>,
        patience: Patience,
        out: &mut Vec<u8>,
    ) -> StorageResult<()> {
        let Stored { layout, image_max, .. } = rows;
        let too_large = || StorageError::RowTooLarge { bytes: view.image().len(), bytes_max: image_max.min(8060) };
        let tree = rows.long_values.ok_or_else(too_large)?;
        let moved = columns_to_move(rows, stays, view).ok_or_else(too_large)?;
        let before = out.len();
        let mut references = Vec::with_capacity(moved.len());
        for column in &moved {
            references.push((*column, self.write_long(writer, tree, rows.table, view.bytes(*column), patience)?));
        }
        let mut builder = RowBuilder::new(layout, out);
        debug_assert_eq!(references.len(), moved.len(), "each value that leaves has its reference");
        for column in 0..layout.len() {
            match references.iter().find(|(moved, _)| *moved == column) {
                Some((_, reference)) => builder.push_overflow(reference),
                None => push_field(&mut builder, view, column),
            }
        }
        builder.finish();
        if out.len() - before > image_max { Err(too_large()) } else { Ok(()) }
    }

    fn write_long(
        &self,
        writer: &mut Writer,
        tree: &Tree,
        table: TableId,
        value: &[u8],
        patience: Patience,
    ) -> StorageResult<OverflowRef> {
        assert!(value.len() > OVERFLOW_REF_BYTES, "a value of {} bytes is no longer than its reference", value.len());
        let number = self.next_row_number();
        for (chunk, bytes) in value.chunks(chunk_bytes()).enumerate() {
            let chunk = u32::try_from(chunk).expect("a value of at most 2 GB");
            let inserted = self.insert_row(writer, tree, table, &chunk_key(number, chunk), bytes, patience)?;
            assert_eq!(inserted, Inserted::Done, "value numbers are new");
        }
        let mut reference = [0; OVERFLOW_REF_BYTES];
        reference[..8].copy_from_slice(&number.to_le_bytes());
        reference[8..16].copy_from_slice(&(value.len() as u64).to_le_bytes());
        Ok(reference)
    }

    /// Appends the value to `out`.
    pub fn read_long(&self, tree: &Tree, reference: &OverflowRef, out: &mut Vec<u8>) -> StorageResult<()> {
        let (number, bytes) = (u64_at(reference, 0), u64_at(reference, 8) as usize);
        let end = out.len() + bytes;
        let lost = || StorageError::Damaged(format!("long value {number} of tree {}", tree.root));
        let mut chunk = 0;
        while out.len() < end {
            let leaf = self.leaf_shared(tree, Target::Key(&chunk_key(number, chunk)))?;
            let (mut slot, found) = page::lower_bound(&leaf, &chunk_key(number, chunk));
            if !found {
                return Err(lost());
            }
            while out.len() < end && slot < page::slot_count(&leaf) {
                if page::lower_bound(&leaf, &chunk_key(number, chunk)) != (slot, true) {
                    return Err(lost());
                }
                out.extend_from_slice(&page::payload(&leaf, slot)[ROW_HEADER_BYTES..]);
                chunk += 1;
                slot += 1;
            }
        }
        if out.len() == end { Ok(()) } else { Err(lost()) }
    }

    /// `image` with all long values in place, into `out`.
    pub fn join_long_values(&self, rows: Stored<'_>, image: &[u8], out: &mut Vec<u8>) -> StorageResult<()> {
        let layout = rows.layout;
        let view = RowView::new(layout, image)?;
        let mut value = Vec::new();
        out.clear();
        let mut builder = RowBuilder::new(layout, out);
        for column in 0..layout.len() {
            match view.overflow(column) {
                Some(reference) => {
                    let tree = rows.long_values.expect("only rows with long values have references");
                    value.clear();
                    self.read_long(tree, reference, &mut value)?;
                    builder.push_bytes(&value);
                }
                None => push_field(&mut builder, &view, column),
            }
        }
        builder.finish();
        debug_assert!(RowView::new(layout, out).is_ok_and(|row| !row.has_overflow()), "all values are in the row");
        Ok(())
    }

    /// Deletes the chunks an image refers to: the row is being deleted or replaced.
    pub fn delete_long_values(
        &self,
        writer: &mut Writer,
        rows: Stored<'_>,
        image: &[u8],
        patience: Patience,
    ) -> StorageResult<()> {
        let mut old = Vec::new();
        each_chunk(rows, image, &mut |tree, key| {
            self.delete_row(writer, tree, rows.table, key, None, None, patience, &mut old).map(drop)
        })
    }

    /// As `remove_row` of the row with the image.
    pub fn remove_long_values(&self, writer: &Writer, rows: Stored<'_>, image: &[u8]) -> StorageResult<()> {
        each_chunk(rows, image, &mut |tree, key| {
            let gone = self.remove_row(writer, tree, key)?;
            assert!(gone.is_some(), "a reference leads to all of its value");
            Ok(())
        })
    }
}

/// The chunks an image refers to, by their keys.
fn each_chunk(
    rows: Stored<'_>,
    image: &[u8],
    each: &mut dyn FnMut(&Tree, &[u8]) -> StorageResult<()>,
) -> StorageResult<()> {
    let Some(tree) = rows.long_values else { return Ok(()) };
    let view = RowView::new(rows.layout, image)?;
    if !view.has_overflow() {
        return Ok(());
    }
    for reference in (0..rows.layout.len()).filter_map(|column| view.overflow(column)) {
        let (number, bytes) = (u64_at(reference, 0), u64_at(reference, 8) as usize);
        for chunk in 0..bytes.div_ceil(chunk_bytes()) as u32 {
            each(tree, &chunk_key(number, chunk))?;
        }
    }
    Ok(())
}
