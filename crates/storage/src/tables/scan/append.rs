//! Appending rows to a batch: those that lie whole in the leaf wait until the reader leaves it, and are then appended column by
//! column, which takes less than half of the time; all others go one by one.

use std::ops::Range;

use types::row::{Completeness, OverflowRef, RowView};
use types::{Column, RowBatch, RowLayout};

use super::Source;
use super::reader::Sink;
use crate::error::StorageResult;
use crate::pages::page::PageBytes;

/// Rows that wait at most.
pub const WAITING_MAX: usize = 128;
const _: () = assert!(crate::pages::page::PAGE_BYTES <= u16::MAX as usize, "a place in a leaf fits 16 bits");

/// The sink of `fill`.
pub struct Appender<'a> {
    source: &'a Source,
    layout: &'a RowLayout,
    batch: &'a mut RowBatch,
    /// Rows may wait if they are complete: only columns of fixed width are wanted.
    waits: bool,
    complete: Completeness,
    /// Where the images begin in the leaf.
    waiting: [u16; WAITING_MAX],
    count: usize,
}

impl<'a> Appender<'a> {
    pub fn new(source: &'a Source, batch: &'a mut RowBatch) -> Appender<'a> {
        let layout = source.layout();
        let waits = source.fixed && !source.spec.locator;
        Appender { source, layout, batch, waits, complete: layout.completeness(), waiting: [0; WAITING_MAX], count: 0 }
    }
}

impl Sink for Appender<'_> {
    fn take(&mut self, image: &[u8], locator: &[u8]) -> StorageResult<()> {
        append_stored(self.source, self.layout, image, self.batch)?;
        append_locator(self.source.spec.locator, locator, self.batch);
        Ok(())
    }

    #[inline(always)]
    fn take_in_place(&mut self, leaf: &PageBytes, image: Range<usize>, locator: &[u8]) -> StorageResult<()> {
        let start = image.start;
        debug_assert!(image.end <= leaf.len() && self.count <= WAITING_MAX);
        let image = &leaf[image];
        if !self.waits || !self.complete.is_met_by(image) {
            self.leave(leaf)?;
            return self.take(image, locator);
        }
        if self.count == WAITING_MAX {
            self.leave(leaf)?;
        }
        self.waiting[self.count] = start as u16;
        self.count += 1;
        Ok(())
    }

    fn leave(&mut self, leaf: &PageBytes) -> StorageResult<()> {
        let starts = &self.waiting[..std::mem::take(&mut self.count)];
        if !starts.is_empty() {
            for (place, column) in self.source.places.iter().zip(&mut self.batch.columns) {
                self.layout.append_fixed(leaf, starts, *place as usize, column);
            }
        }
        Ok(())
    }
}

/// A row as it is stored, of `layout`: what is out of the row is read.
pub fn append_stored(source: &Source, layout: &RowLayout, image: &[u8], batch: &mut RowBatch) -> StorageResult<()> {
    append_row(layout, &source.places, source.fixed, image, batch, &mut |reference, column| {
        let tree = source.stored().long_values.expect("rows with long values");
        let mut value = Vec::new();
        source.table.engine.read_long(tree, reference, &mut value)?;
        column.push_bytes(&value);
        Ok(())
    })
}

pub fn append_locator(wanted: bool, locator: &[u8], batch: &mut RowBatch) {
    if wanted {
        batch.columns.last_mut().expect("a column for the locator").push_bytes(locator);
    }
}

/// `fixed`: all places are of fixed width. `long` reads a value that is out of the row and pushes it.
#[inline]
pub fn append_row(
    layout: &RowLayout,
    places: &[u16],
    fixed: bool,
    image: &[u8],
    batch: &mut RowBatch,
    long: &mut dyn FnMut(&OverflowRef, &mut Column) -> StorageResult<()>,
) -> StorageResult<()> {
    if places.is_empty() {
        return Ok(());
    }
    let view = if fixed { RowView::fixed(layout, image) } else { RowView::new(layout, image) }?;
    debug_assert!(batch.columns.len() >= places.len(), "a column for each place");
    for (place, column) in places.iter().zip(&mut batch.columns) {
        if let Some(reference) = view.append_to(*place as usize, column) {
            long(reference, column)?;
        }
    }
    Ok(())
}
