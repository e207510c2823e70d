//! FOR XML and FOR JSON: rows become one text.

use sql::plan::{ForFormat, Operator, OutputColumn};
use types::{RowBatch, SqlError, SqlResult};

use super::{batch_of, drain, source};
use crate::context::{Context, RowSource};
use crate::expression::Compiler;

/// Text made row by row.
pub struct Writer {
    #[allow(dead_code)]
    format: ForFormat,
    text: String,
}

impl Writer {
    pub fn new(format: &ForFormat, _columns: &[OutputColumn]) -> SqlResult<Writer> {
        Ok(Writer { format: format.clone(), text: String::new() })
    }

    pub fn append(&mut self, _context: &Context, _batch: &RowBatch) -> SqlResult<()> {
        Err(SqlError::new(40517, 16, "FOR XML and FOR JSON are not supported."))
    }

    /// None: no rows.
    pub fn finish(self) -> Option<String> {
        Some(self.text)
    }
}

struct ForText {
    input: Box<dyn RowSource>,
    columns: Vec<OutputColumn>,
    format: ForFormat,
    scratch: RowBatch,
    done: bool,
}

/// One row with one nvarchar(max) column.
pub fn operator(input: &Operator, format: &ForFormat, compiler: &mut Compiler) -> SqlResult<Box<dyn RowSource>> {
    Ok(Box::new(ForText {
        scratch: batch_of(input),
        columns: input.columns.clone(),
        input: source(input, compiler)?,
        format: format.clone(),
        done: false,
    }))
}

impl RowSource for ForText {
    fn open(&mut self, _context: &Context) -> SqlResult<()> {
        self.done = false;
        Ok(())
    }

    fn next(&mut self, context: &Context, _wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        out.clear();
        if std::mem::replace(&mut self.done, true) {
            return Ok(());
        }
        let mut writer = Writer::new(&self.format, &self.columns)?;
        self.input.open(context)?;
        drain(&mut *self.input, context, &mut self.scratch, |batch| writer.append(context, batch))?;
        match writer.finish() {
            Some(text) => out.columns[0].push(&types::Datum::nvarchar(&text)),
            None => out.columns[0].push_null(),
        }
        out.rows = 1;
        Ok(())
    }

    fn close(&mut self) {
        self.input.close();
    }
}
