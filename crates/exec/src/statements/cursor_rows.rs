//! The rows of a cursor that shows them as they are now: each is read again by its locators.

use sql::plan::{OutputColumn, Query, TableSource};
use types::{Datum, RowBatch, SqlResult};

use super::code;
use super::modify::Target;
use super::query::visible_columns;
use crate::columns;
use crate::context::Context;
use crate::expression::I64Expr;
use crate::value::Row;

/// How a kept row is read again.
pub struct Again {
    sources: Vec<Source>,
    /// The row, and behind it its locators.
    pub row: RowBatch,
    /// Of the guards, as of a query that runs: its correlated values, and how often they were asked.
    outer: Vec<Datum>,
    execution: u64,
}

/// A table that rows of the cursor come from.
struct Source {
    target: Target,
    /// What a security policy asks of its row.
    guard: Option<I64Expr>,
    /// The column of `Again::row` with the locator of its row; NULL where an outer join found none.
    locator: usize,
    /// Columns of `Again::row`, and those of `now` they come from.
    columns: Vec<(usize, usize)>,
    /// Its row.
    now: RowBatch,
}

impl Again {
    /// `rows`: of the cursor, with their locators.
    pub fn new(query: &Query, rows: &RowBatch) -> SqlResult<Again> {
        let visible = visible_columns(query);
        let mut compiler = code::compiler();
        let mut sources = Vec::new();
        for (at, (source, guard)) in query.row_targets.iter().zip(&query.row_guards).enumerate() {
            let TableSource::Base(table) = source else { continue };
            // Of a table that is read twice nobody knows which column is whose.
            let once = query.row_targets.iter().filter(|other| is_table(other, table.object)).count() == 1;
            let stored_of = |output: &OutputColumn| {
                let own = output.origin.as_ref().filter(|origin| once && origin.table.object == table.object)?;
                table.stored[usize::from(own.column)].map(usize::from)
            };
            let columns = visible.iter().enumerate();
            let columns = columns.filter_map(|(column, output)| Some((column, stored_of(output)?))).collect();
            let target = Target::new(source);
            let guard = compiler.optional_predicate(guard)?;
            sources.push(Source { locator: visible.len() + at, columns, now: target.empty_rows(), target, guard });
        }
        let row = RowBatch::new(rows.columns.iter().map(columns::class_of));
        Ok(Again { sources, row, outer: vec![Datum::Null; query.outer_slots.len()], execution: 0 })
    }

    /// False: a table's row has gone, or is not to be seen.
    pub fn read(&mut self, context: &Context, rows: &RowBatch, row: usize) -> SqlResult<bool> {
        self.execution += 1;
        let outside = context.execution.replace(self.execution);
        std::mem::swap(&mut *context.outer.borrow_mut(), &mut self.outer);
        let found = self.read_sources(context, rows, row);
        std::mem::swap(&mut *context.outer.borrow_mut(), &mut self.outer);
        context.execution.set(outside);
        found
    }

    fn read_sources(&mut self, context: &Context, rows: &RowBatch, row: usize) -> SqlResult<bool> {
        self.row.clear();
        columns::append_batch_range(&mut self.row, rows, row, row + 1);
        for Source { target, guard, locator, columns, now } in &mut self.sources {
            if self.row.columns[*locator].is_null(0) {
                continue;
            }
            target.open(context)?;
            now.clear();
            if !target.fetch(context, self.row.columns[*locator].bytes(0), now)? {
                return Ok(false);
            }
            if let Some(guard) = guard
                && !matches!(guard.eval(context, Row { batch: now, index: 0 })?, Some(value) if value != 0)
            {
                return Ok(false);
            }
            for (column, stored) in columns {
                let column = &mut self.row.columns[*column];
                column.clear();
                columns::append_row(column, &now.columns[*stored], 0);
            }
        }
        Ok(true)
    }
}

fn is_table(source: &TableSource, object: sql::catalog::ObjectId) -> bool {
    matches!(source, TableSource::Base(table) if table.object == object)
}
