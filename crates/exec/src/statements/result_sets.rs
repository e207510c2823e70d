//! EXECUTE ... WITH RESULT SETS: what a call gives, under the names and in the types that its caller wants.

use sql::plan::{ExecutorSlot, OutputColumn, ResultSet};
use types::precedence::check_conversion;
use types::{ConvertContext, Datum, RowBatch, SqlError, SqlResult, SqlType, convert, sql_error};

use crate::columns;
use crate::sink::{Command, Done, Environment, Sink, Stop};

/// Hands on result sets as they were declared. The first that is otherwise fails the EXECUTE: nothing of it or behind it is sent, and
/// the error is told when the call has ended.
pub struct Declared<'a> {
    inner: &'a mut dyn Sink,
    sets: &'a [ResultSet],
    settings: ConvertContext,
    /// Result sets that have begun.
    seen: usize,
    /// The types of the one that is on.
    from: Vec<SqlType>,
    failed: Option<SqlError>,
}

impl<'a> Declared<'a> {
    pub fn new(inner: &'a mut dyn Sink, sets: &'a [ResultSet], settings: ConvertContext) -> Declared<'a> {
        Declared { inner, sets, settings, seen: 0, from: Vec::new(), failed: None }
    }

    /// What was otherwise: 11535 to 11538, 11553, or a conversion's error.
    pub fn finish(self) -> Option<SqlError> {
        let few = self.seen < self.sets.len();
        self.failed.or_else(|| few.then(|| sql_error!(11536, self.sets.len(), self.seen)))
    }

    /// The columns of the next result set.
    fn declare(&mut self, columns: &[OutputColumn]) -> SqlResult<Vec<OutputColumn>> {
        self.seen += 1;
        let Some(set) = self.sets.get(self.seen - 1) else { return Err(sql_error!(11535, self.sets.len())) };
        if set.len() != columns.len() {
            return Err(sql_error!(11537, set.len(), self.seen, columns.len()));
        }
        for (at, (column, wanted)) in columns.iter().zip(set).enumerate() {
            if check_conversion(&column.ty, &wanted.ty, false).is_err() {
                return Err(sql_error!(11538, wanted.ty.name(), at + 1, self.seen, column.ty.name()));
            }
        }
        self.from = columns.iter().map(|column| column.ty).collect();
        let declared = set.iter().map(|wanted| OutputColumn::plain(&wanted.name, wanted.ty, wanted.nullable));
        Ok(declared.collect())
    }

    fn rows(&self, batch: &RowBatch) -> SqlResult<RowBatch> {
        let set = &self.sets[self.seen - 1];
        let types: Vec<SqlType> = set.iter().map(|column| column.ty).collect();
        let mut rows = columns::batch_for(&types);
        for (at, (from, wanted)) in self.from.iter().zip(set).enumerate() {
            for row in 0..batch.rows {
                let value = batch.columns[at].datum(row);
                if value == Datum::Null && !wanted.nullable {
                    return Err(sql_error!(11553, at + 1, self.seen));
                }
                let value = crate::udt::converted(&value, from, &wanted.ty, &self.settings)?;
                rows.columns[at].push(&convert::fit(value, &wanted.ty));
            }
        }
        rows.rows = batch.rows;
        Ok(rows)
    }
}

impl Sink for Declared<'_> {
    fn columns(&mut self, columns: &[OutputColumn]) -> Result<(), Stop> {
        if self.failed.is_some() {
            return Ok(());
        }
        match self.declare(columns) {
            Ok(declared) => self.inner.columns(&declared),
            Err(error) => {
                self.failed = Some(error);
                Ok(())
            }
        }
    }

    fn query_columns(&mut self, columns: &[OutputColumn], _description: &ExecutorSlot) -> Result<(), Stop> {
        // What a query keeps describes its own columns.
        self.columns(columns)
    }

    fn batch(&mut self, batch: &RowBatch) -> Result<(), Stop> {
        if self.failed.is_some() {
            return Ok(());
        }
        match self.rows(batch) {
            Ok(rows) => self.inner.batch(&rows),
            Err(error) => {
                self.failed = Some(error);
                Ok(())
            }
        }
    }

    fn return_status(&mut self, status: i32) -> Result<(), Stop> {
        self.inner.return_status(status)
    }

    fn done(&mut self, done: Done) -> Result<(), Stop> {
        // Of a result set that was not sent, or not to its end.
        if self.failed.is_some() && done.command == Command::Select {
            return Ok(());
        }
        self.inner.done(done)
    }

    fn done_uncounted(&mut self, done: Done) -> Result<(), Stop> {
        if self.failed.is_some() && done.command == Command::Select {
            return Ok(());
        }
        self.inner.done_uncounted(done)
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
