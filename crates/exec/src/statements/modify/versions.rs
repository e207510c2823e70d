//! Periods of system time: what INSERT and UPDATE give their columns, and the rows that were, which go to the history table.
//!
//! All that a transaction changes bears the time of its begin. A row that it changes twice leaves a version whose period is empty.
//!
//! https://learn.microsoft.com/sql/relational-databases/tables/temporal/temporal-tables

use std::sync::Arc;

use sql::catalog::{ObjectId, TableDef, Versioning};
use storage::Table;
use types::{Column, Datum, RowBatch, SqlResult, SqlType};

use crate::context::Context;

/// The end of the period of a row that is: 9999-12-31 23:59:59.9999999, in ticks as `datetime2` has them.
const FOREVER: i64 = 3_652_059 * 864_000_000_000 - 1;

/// Of a table with a period.
pub struct Versions {
    /// By stored ordinal.
    start: usize,
    end: usize,
    /// Of both.
    ty: SqlType,
    /// None: SYSTEM_VERSIONING is off, nobody keeps the rows.
    history: Option<ObjectId>,
    opened: Option<(Arc<TableDef>, Arc<Table>)>,
}

impl Versions {
    pub fn of(def: &TableDef) -> Option<Versions> {
        let (start, end) = def.period()?;
        let stored = |column: u16| usize::from(def.stored[usize::from(column)].expect("a period's columns are stored"));
        let history = match def.versioning {
            Some(Versioning::Current { history, .. }) => Some(history),
            _ => None,
        };
        let ty = def.columns[usize::from(start)].ty;
        Some(Versions { start: stored(start), end: stored(end), ty, history, opened: None })
    }

    pub fn open(&mut self, context: &Context, def: &TableDef) -> SqlResult<()> {
        let Some(history) = self.history else { return Ok(()) };
        if self.opened.as_ref().is_some_and(|(_, table)| table.is_current()) {
            return Ok(());
        }
        let mut runtime = context.runtime();
        let runtime = &mut *runtime;
        let history = runtime.host.table_by_id(runtime.session, def.database, history)?;
        let table = runtime.host.open_table(runtime.session, &history)?;
        self.opened = Some((history, table));
        Ok(())
    }

    /// Where the rows that were go.
    pub fn history(&self) -> Option<&(Arc<TableDef>, Arc<Table>)> {
        self.opened.as_ref()
    }

    /// The rows as the history has them. None: another transaction, which began later, has changed one already.
    pub fn ended(&self, context: &Context, old: &RowBatch) -> Option<RowBatch> {
        let now = self.moment(begun(context));
        if (0..old.rows).any(|row| old.columns[self.start].datum(row).as_i64() > now) {
            return None;
        }
        let mut rows = old.clone();
        set(&mut rows.columns[self.end], old.rows, now);
        Some(rows)
    }

    /// The values of a column of the period in new rows. False: it is none.
    pub fn fill(&self, stored: usize, context: &Context, rows: usize, column: &mut Column) -> bool {
        let ticks = match stored {
            _ if stored == self.start => begun(context),
            _ if stored == self.end => FOREVER,
            _ => return false,
        };
        set(column, rows, self.moment(ticks));
        true
    }

    /// The same of rows that an UPDATE has made.
    pub fn renew(&self, context: &Context, rows: &mut RowBatch) {
        let count = rows.rows;
        for stored in [self.start, self.end] {
            self.fill(stored, context, count, &mut rows.columns[stored]);
        }
    }

    /// With as many digits as the columns have: cut, so that no period begins after it was made.
    fn moment(&self, ticks: i64) -> i64 {
        ticks - ticks % 10_i64.pow(7 - u32::from(self.ty.scale))
    }
}

/// UTC of the transaction's begin, in ticks: asked of the clocks once a transaction.
fn begun(context: &Context) -> i64 {
    let mut runtime = context.runtime();
    let state = &mut runtime.session.transaction;
    let begun_ns = state.current.as_ref().expect("in a statement").begun_ns();
    if state.begun.0 != begun_ns || state.begun.1 == 0 {
        state.begun = (begun_ns, os::clock::utc_ticks_at(begun_ns) as i64);
    }
    state.begun.1
}

fn set(column: &mut Column, rows: usize, moment: i64) {
    column.clear();
    (0..rows).for_each(|_| column.push(&Datum::I64(moment)));
}
