//! Appending rows of which a look at columns of fixed width may say that nobody wants them: these are left in the leaf, whatever else they
//! hold. A row that is not whole in the leaf, or is an older version, is appended without the look.

use std::ops::Range;

use types::row::Completeness;
use types::{RowBatch, RowLayout};

use super::Source;
use super::append::{WAITING_MAX, append_stored};
use super::reader::Sink;
use crate::error::StorageResult;
use crate::pages::page::PageBytes;

/// What `Scan::fill_wanted` looks at first.
pub struct FirstLook<'a> {
    /// Places in `ScanSpec::columns`, of columns of fixed width.
    pub columns: &'a [u16],
    /// Scratch with a column for each of `ScanSpec::columns`; those of `columns` are filled.
    pub rows: &'a mut RowBatch,
    /// Scratch for what `select` says.
    pub selection: &'a mut Vec<u32>,
    /// Fills the selection with the rows that may be wanted, in their order. Runs under the leaf's latch: it neither waits nor yields.
    pub select: &'a mut dyn FnMut(&RowBatch, &mut Vec<u32>),
}

/// The sink of `fill_wanted`.
pub struct Picker<'a, 'b> {
    source: &'a Source,
    layout: &'a RowLayout,
    batch: &'a mut RowBatch,
    look: &'a mut FirstLook<'b>,
    complete: Completeness,
    /// Where the images that wait begin and end in the leaf.
    starts: [u16; WAITING_MAX],
    ends: [u16; WAITING_MAX],
    count: usize,
}

impl<'a, 'b> Picker<'a, 'b> {
    pub fn new(source: &'a Source, batch: &'a mut RowBatch, look: &'a mut FirstLook<'b>) -> Picker<'a, 'b> {
        let layout = source.layout();
        debug_assert!(look.columns.iter().all(|at| !layout.is_variable(source.places[*at as usize] as usize)));
        debug_assert!(!source.spec.locator, "who wants locators wants every row");
        let (starts, ends) = ([0; WAITING_MAX], [0; WAITING_MAX]);
        Picker { source, layout, batch, look, complete: layout.completeness(), starts, ends, count: 0 }
    }
}

impl Sink for Picker<'_, '_> {
    fn take(&mut self, image: &[u8], _locator: &[u8]) -> StorageResult<()> {
        self.batch.rows += 1;
        append_stored(self.source, self.layout, image, self.batch)
    }

    #[inline]
    fn take_in_place(&mut self, leaf: &PageBytes, image: Range<usize>, locator: &[u8]) -> StorageResult<()> {
        if !self.complete.is_met_by(&leaf[image.clone()]) {
            self.leave(leaf)?;
            return self.take(&leaf[image], locator);
        }
        if self.count == WAITING_MAX {
            self.leave(leaf)?;
        }
        self.starts[self.count] = image.start as u16;
        self.ends[self.count] = image.end as u16;
        self.count += 1;
        Ok(())
    }

    fn leave(&mut self, leaf: &PageBytes) -> StorageResult<()> {
        let count = std::mem::take(&mut self.count);
        if count == 0 {
            return Ok(());
        }
        let FirstLook { columns, rows, selection, select } = &mut *self.look;
        rows.clear();
        for at in *columns {
            let place = self.source.places[*at as usize] as usize;
            self.layout.append_fixed(leaf, &self.starts[..count], place, &mut rows.columns[*at as usize]);
        }
        rows.rows = count;
        selection.clear();
        select(rows, selection);
        self.batch.rows += selection.len();
        for at in &**selection {
            let image = self.starts[*at as usize] as usize..self.ends[*at as usize] as usize;
            append_stored(self.source, self.layout, &leaf[image], self.batch)?;
        }
        Ok(())
    }
}
