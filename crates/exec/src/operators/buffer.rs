//! Rows kept in order, to be read from the start, once or often: in memory, or all of them in a work file.

use types::{RowBatch, SqlResult};

use super::row_file::{RowFile, RowReader};
use super::simple::{Pending, Rows};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};

#[derive(Default)]
pub struct Buffer {
    rows: Rows,
    file: Option<RowFile>,
}

impl Buffer {
    pub fn new(batch: RowBatch) -> Buffer {
        Buffer { rows: Rows::new(batch), file: None }
    }

    pub fn clear(&mut self) {
        self.rows.clear();
        self.file = None;
    }

    pub fn rows(&self) -> u64 {
        self.rows.batch.rows as u64 + self.file.as_ref().map_or(0, RowFile::rows)
    }

    pub fn append(&mut self, context: &Context, batch: &RowBatch) -> SqlResult<()> {
        if let Some(file) = &mut self.file {
            return file.append(context, batch);
        }
        if self.rows.append_within(context, batch, 0)? {
            return Ok(());
        }
        let mut file = RowFile::new(context).going_on();
        file.append(context, &self.rows.batch)?;
        self.rows.clear();
        self.file = Some(file);
        Ok(())
    }

    /// Nothing is appended any more, and it can be read.
    pub fn finish(&mut self) -> SqlResult<()> {
        self.file.as_mut().map_or(Ok(()), RowFile::finish)
    }

    /// All rows of an opened source.
    pub fn fill(&mut self, input: &mut dyn RowSource, context: &Context, scratch: &mut RowBatch) -> SqlResult<()> {
        self.clear();
        super::drain(input, context, scratch, |batch| self.append(context, batch))?;
        self.finish()
    }
}

/// A place in a buffer.
#[derive(Default)]
pub struct Place {
    at: usize,
    reader: RowReader,
    pending: Pending,
}

impl Place {
    pub fn rewind(&mut self) {
        self.at = 0;
        self.reader.rewind();
        self.pending.clear();
    }

    /// Replaces `out` by the next rows, `wanted` at most; none at the end.
    pub fn next(&mut self, context: &Context, buffer: &Buffer, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        let Some(file) = &buffer.file else {
            let end = (self.at + wanted.min(BATCH_ROWS)).min(buffer.rows.batch.rows);
            columns::append_batch_range(out, &buffer.rows.batch, self.at, end);
            self.at = end;
            return Ok(());
        };
        if self.pending.is_empty() {
            if self.pending.batch.columns.len() != out.columns.len() {
                self.pending = Pending::new(RowBatch::new(out.columns.iter().map(columns::class_of)));
            }
            if !self.reader.next(context, file, self.pending.clear())? {
                return Ok(());
            }
        }
        self.pending.give(wanted, out);
        Ok(())
    }
}
