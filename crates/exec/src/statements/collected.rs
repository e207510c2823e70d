//! The result sets of a call that an INSERT ... EXEC makes: kept until it has ended, in memory or in a work file, and converted as they are read.

use std::sync::Arc;

use sql::plan::OutputColumn;
use storage::spill::Spill;
use types::{RowBatch, SqlError, SqlResult, SqlType, sql_error};

use crate::columns::{self, BATCH_ROWS};
use crate::context::Context;
use crate::kernel;
use crate::operators::row_file::{RowFile, RowReader};
use crate::sink::{Environment, Sink, Stop};
use crate::typed_xml::admitted;
use crate::workspace::{Held, SMALL_BYTES, Workspace};

/// Keeps the result sets of a call; messages go on.
pub struct Collector<'a> {
    inner: &'a mut dyn Sink,
    width: usize,
    sets: Vec<Collected>,
    workspace: &'a Arc<Workspace>,
    spill: Arc<Spill>,
    failed: Option<SqlError>,
}

/// One of them.
pub struct Collected {
    types: Vec<SqlType>,
    /// All rows, as long as there is no file.
    rows: RowBatch,
    held: Held,
    file: Option<RowFile>,
}

impl<'a> Collector<'a> {
    /// `width`: columns that the insert wants.
    pub fn new(
        width: usize,
        inner: &'a mut dyn Sink,
        workspace: &'a Arc<Workspace>,
        spill: Arc<Spill>,
    ) -> Collector<'a> {
        Collector { inner, width, sets: Vec::new(), workspace, spill, failed: None }
    }

    /// What came, and why the insert fails, if it does: 213, 701, 1105.
    pub fn finish(mut self) -> (Vec<Collected>, Option<SqlError>) {
        for set in &mut self.sets {
            if let Some(Err(error)) = set.file.as_mut().map(RowFile::finish) {
                self.failed.get_or_insert(error);
            }
        }
        (self.sets, self.failed)
    }
}

impl Collected {
    fn append(&mut self, batch: &RowBatch, workspace: &Arc<Workspace>, spill: &Arc<Spill>) -> SqlResult<()> {
        if let Some(file) = &mut self.file {
            return file.append(workspace, batch);
        }
        columns::append_large(&mut self.rows, batch);
        let bytes = columns::batch_room(&self.rows);
        if bytes < SMALL_BYTES && self.held.bytes() == 0 || self.held.hold(workspace, bytes) {
            return Ok(());
        }
        let file = self.file.insert(RowFile::on(spill.stream()).going_on());
        file.append(workspace, &self.rows)?;
        self.rows = RowBatch::new(self.rows.columns.iter().map(columns::class_of));
        self.held.clear();
        Ok(())
    }

    /// Its rows, as `own` has them. A text or binary value comes whole (`types`), since one that is too long is an error there.
    pub fn read(self, types: &[SqlType], own: &[SqlType]) -> Reading {
        let alike = |from: &SqlType, whole: &SqlType| {
            from.is_string() && whole.is_string() || from.is_binary() && whole.is_binary()
        };
        let pairs = self.types.iter().zip(types).zip(own);
        let to = pairs.map(|((from, whole), own)| if alike(from, whole) { *whole } else { *own }).collect();
        let piece = RowBatch::new(self.rows.columns.iter().map(columns::class_of));
        Reading { set: self, to, reader: RowReader::default(), piece, at: 0 }
    }
}

/// A result set that is read.
pub struct Reading {
    set: Collected,
    to: Vec<SqlType>,
    reader: RowReader,
    /// Of the file.
    piece: RowBatch,
    /// The row to read next, of the piece or of all rows in memory.
    at: usize,
}

impl Reading {
    /// Appends the next rows to `out`. False: there are none.
    pub fn next(&mut self, context: &Context, out: &mut RowBatch) -> SqlResult<bool> {
        context.yield_point()?;
        let rows = match &self.set.file {
            None => &self.set.rows,
            Some(file) => {
                if self.at == self.piece.rows {
                    self.at = 0;
                    if !self.reader.next(context, file, &mut self.piece)? {
                        return Ok(false);
                    }
                }
                &self.piece
            }
        };
        let end = rows.rows.min(self.at + BATCH_ROWS);
        let mut runtime = context.runtime();
        for (at, (from, to)) in self.set.types.iter().zip(&self.to).enumerate() {
            for row in self.at..end {
                let value = kernel::convert_datum(runtime.session, &rows.columns[at].datum(row), from, to)?;
                out.columns[at].push(&admitted(&mut runtime, value, from, to)?);
            }
        }
        drop(runtime);
        out.rows += end - self.at;
        let more = end > self.at;
        self.at = end;
        Ok(more)
    }
}

impl Sink for Collector<'_> {
    fn columns(&mut self, columns: &[OutputColumn]) -> Result<(), Stop> {
        if columns.len() != self.width && self.failed.is_none() {
            self.failed = Some(sql_error!(213, state 7));
        }
        let types: Vec<SqlType> = columns.iter().map(|column| column.ty).collect();
        let rows = columns::batch_for(&types);
        self.sets.push(Collected { types, rows, held: Held::default(), file: None });
        Ok(())
    }

    fn batch(&mut self, batch: &RowBatch) -> Result<(), Stop> {
        if let (Some(set), None) = (self.sets.last_mut(), &self.failed) {
            self.failed = set.append(batch, self.workspace, &self.spill).err();
        }
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        self.inner.message(message)
    }

    fn flush(&mut self) -> Result<(), Stop> {
        self.inner.flush()
    }

    fn interrupted(&mut self) -> Result<(), Stop> {
        self.inner.interrupted()
    }

    fn environment(&mut self, change: &Environment) -> Result<(), Stop> {
        self.inner.environment(change)
    }
}
