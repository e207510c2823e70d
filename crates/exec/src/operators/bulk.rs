//! OPENROWSET(BULK ...): the rows of a file, read as they are asked for.

use std::sync::Arc;

use sql::plan::BulkFile;
use types::{Datum, RowBatch, SqlError, SqlResult, SqlType};

use crate::bulk_file::{Asked, Reader, Rejects};
use crate::columns::{self, BATCH_ROWS};
use crate::context::{Context, RowSource};
use crate::kernel;
use crate::typed_xml::admitted;

/// Of one batch of rows.
const BYTES_AT_ONCE: usize = 1 << 20;

struct Bulk {
    file: Arc<BulkFile>,
    reader: Option<Reader>,
    rows: RowBatch,
}

pub fn make(file: &Arc<BulkFile>) -> Box<dyn RowSource> {
    let types = file.columns.iter().map(|column| column.ty.physical());
    Box::new(Bulk { file: file.clone(), reader: None, rows: RowBatch::new(types) })
}

/// The files that an error file's name stands for. 4861
pub fn rejects(
    path: Option<&str>,
    mut make: impl FnMut(&str) -> SqlResult<os::disk::File>,
) -> SqlResult<Option<Rejects>> {
    let Some(path) = path else { return Ok(None) };
    let rows = make(path)?;
    Ok(Some(Rejects::new(rows, make(&format!("{path}.Error.Txt"))?)))
}

impl Asked for &Context<'_> {
    fn pause(&mut self) -> SqlResult<()> {
        os::wait::look_at_clock();
        self.yield_point()
    }

    fn convert(&mut self, value: &Datum, from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
        let value = self.session(|session| kernel::convert_whole(session, value, from, to))?;
        admitted(&mut self.runtime(), value, from, to)
    }

    fn tell(&mut self, error: SqlError) -> SqlResult<()> {
        self.runtime().sink.message(&error).map_err(crate::session::stopped)
    }
}

impl RowSource for Bulk {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        let mut runtime = context.runtime();
        let runtime = &mut *runtime;
        let file = runtime.host.open_data_file(runtime.session, &self.file.path)?;
        let made = rejects(self.file.error_file.as_deref(), |path| runtime.host.make_data_file(runtime.session, path))?;
        self.reader = Some(Reader::new(self.file.clone(), file, made));
        Ok(())
    }

    fn next(&mut self, mut context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        context.yield_point()?;
        let Some(reader) = &mut self.reader else { return Ok(()) };
        self.rows.clear();
        reader.fill(&mut context, &mut self.rows, wanted.min(BATCH_ROWS), BYTES_AT_ONCE)?;
        for (to, from) in out.columns.iter_mut().zip(&self.rows.columns) {
            columns::append_range(to, from, 0, self.rows.rows);
        }
        out.rows = self.rows.rows;
        Ok(())
    }

    fn close(&mut self) {
        self.reader = None;
        self.rows.clear();
    }
}
