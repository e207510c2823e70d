//! INSERT of one row: its image is machine code's, or is put together here. What refuses the row (a CHECK, a parent that is not there, a
//! duplicate key) is left to the interpreter, which says so: nothing has changed by then.

use std::sync::Arc;

use sql::catalog::TableDef;
use sql::plan::{Modify, QueryKind};
use storage::{MemoryTable, Table};
use types::fixed::FixedCodec;
use types::row::{RowLayout, RowView, encode};
use types::{Datum, Physical, RowBatch, SqlResult, SqlType};

use super::super::code;
use super::super::modify::{Parents, Target};
use super::super::run::Runner;
use super::form::{checks_of, fits, inserted, made_by_code, native_target, zero};
use super::run::Run;
use crate::context::Context;
use crate::expression::{I64Expr, Scalar};
use crate::value::Row;

/// Where an INSERT puts its rows.
pub struct Destination {
    def: Arc<TableDef>,
    table: MemoryTable,
    pub checked: Checked,
    parents: Parents,
    identity: Option<Identity>,
}

/// What an INSERT does for each row that machine code does not, compiled.
pub struct Checked {
    /// None: machine code makes the rows.
    row: Option<Composed>,
    checks: Option<Checks>,
}

/// A row of values that machine code does not know, put together without a plan.
struct Composed {
    /// None: the identity column.
    scalars: Vec<Option<Scalar>>,
    types: Vec<SqlType>,
    values: Vec<Datum>,
    image: Vec<u8>,
}

/// CHECK constraints that machine code does not know.
struct Checks {
    predicates: Vec<I64Expr>,
    /// The row; only the columns that they are over.
    batch: RowBatch,
    columns: Vec<usize>,
}

/// The column that gets the next number of its table.
struct Identity {
    at: usize,
    codec: FixedCodec,
    ty: SqlType,
}

impl Composed {
    fn new(modify: &Modify) -> Option<Composed> {
        let mut compiler = code::compiler();
        let values = inserted(modify)?;
        let scalars = values.iter().map(|value| value.as_ref().map(|value| compiler.scalar(value)).transpose());
        let scalars = scalars.collect::<SqlResult<Vec<_>>>().ok()?;
        let types = Target::new(&modify.target).types;
        Some(Composed { scalars, types, values: Vec::new(), image: Vec::new() })
    }

    /// None: a value is an error, or does not fit, which the interpreter says.
    fn compose(&mut self, context: &Context, layout: &RowLayout) -> Option<&mut [u8]> {
        self.values.clear();
        for (scalar, (ty, column)) in self.scalars.iter().zip(self.types.iter().zip(layout.columns())) {
            let value = match scalar {
                None => zero(ty),
                Some(scalar) => scalar.scalar_datum(context).ok().filter(|value| fits(value, ty, column.nullable))?,
            };
            self.values.push(value);
        }
        self.image.clear();
        encode(layout, &self.values, &mut self.image);
        Some(&mut self.image)
    }
}

impl Checks {
    /// None: one of them cannot be compiled. Some(None): machine code knows them all.
    fn new(modify: &Modify, layout: &RowLayout, by_code: bool) -> Option<Option<Checks>> {
        let known = checks_of(modify, layout);
        let left = modify.checks.iter().map(|check| &check.predicate).filter(|test| !by_code || !known.knows(test));
        let mut compiler = code::compiler();
        let mut columns = Vec::new();
        let mut predicates = Vec::new();
        for test in left {
            test.clone().for_each_column(&mut |column| columns.push(column));
            predicates.push(compiler.predicate(test).ok()?);
        }
        columns.sort_unstable();
        columns.dedup();
        let batch = RowBatch::new(layout.classes());
        Some((!predicates.is_empty()).then_some(Checks { predicates, batch, columns }))
    }

    /// None of them is false.
    fn hold(&mut self, context: &Context, view: &RowView<'_>) -> SqlResult<bool> {
        self.batch.clear();
        for column in &self.columns {
            view.append_to(*column, &mut self.batch.columns[*column]);
        }
        self.batch.rows = 1;
        for predicate in &self.predicates {
            if predicate.eval(context, Row { batch: &self.batch, index: 0 })? == Some(0) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Identity {
    /// None: the table has no such column.
    fn of(def: &TableDef, layout: &RowLayout) -> Option<Identity> {
        let column = def.columns.iter().position(|column| column.identity.is_some())?;
        let stored = usize::from(def.stored[column].expect("no computed column is one"));
        let (at, codec) = layout.fixed_at(stored).expect("a number");
        Some(Identity { at, codec, ty: def.columns[column].ty })
    }

    /// Puts the next value into a row. None: there is no further one.
    fn give(&self, runner: &mut Runner<'_>, def: &TableDef, image: &mut [u8]) -> Option<i64> {
        let runtime = runner.context.runtime.get_mut();
        let next = runtime.host.identity_next(runtime.session, def, 1).ok()?;
        let value = match self.ty.physical() {
            Physical::I64 => Datum::I64(next),
            _ => Datum::I128(next.into()),
        };
        self.codec.put(&value, &mut image[self.at..self.at + self.codec.size()]);
        Some(next)
    }
}

impl Checked {
    fn new(modify: &Modify, layout: &RowLayout) -> Option<Checked> {
        let values = inserted(modify)?;
        let by_code = made_by_code(&values, &Target::new(&modify.target).types, layout).is_some();
        let row = if by_code { None } else { Some(Composed::new(modify)?) };
        Some(Checked { row, checks: Checks::new(modify, layout, by_code)? })
    }
}

impl Destination {
    /// Adds a row, `made` by machine code or not (empty). None: the interpreter is to do it.
    #[inline]
    pub fn insert(&mut self, runner: &mut Runner<'_>, made: &mut [u8]) -> Option<()> {
        let Destination { def, table, checked: Checked { row, checks }, parents, identity } = self;
        let layout = &table.layout().row;
        if row.is_some() || checks.is_some() {
            runner.context.statement_time.set(0);
        }
        let image = match row {
            None => made,
            Some(row) => row.compose(&runner.context, layout)?,
        };
        if checks.is_some() || !parents.is_empty() {
            let view = RowView::new(layout, image).expect("put together here");
            if let Some(checks) = checks
                && !checks.hold(&runner.context, &view).ok()?
            {
                return None;
            }
            begin_statement(runner)?;
            if !parents.have(&runner.context, &view).ok()? {
                return None;
            }
        } else {
            begin_statement(runner)?;
        }
        let number = match identity {
            None => None,
            Some(identity) => Some((identity.ty, identity.give(runner, def, image)?)),
        };
        let session = runner.session();
        let transaction = session.transaction.current.as_mut().expect("looked at above");
        if table.insert_row(transaction, image).is_err() {
            session.identity_given = number.map(|(_, number)| (def.object, number));
            return None;
        }
        if let Some((ty, number)) = number {
            session.identity = Some((ty, number.into()));
            session.scope_identity = session.identity;
        }
        Some(())
    }
}

fn begin_statement(runner: &mut Runner<'_>) -> Option<()> {
    let state = &mut runner.session().transaction;
    state.current.as_mut().filter(|_| !state.doomed)?.begin_statement();
    Some(())
}

impl Run<'_, '_> {
    pub fn open_target(&mut self, insert: u32) -> Option<Destination> {
        let query = self.query(self.native.program.inserts()[insert as usize])?;
        let QueryKind::Modify(modify) = &query.kind else { return None };
        let def = native_target(modify)?;
        let opened = self.open(def, true)?;
        let Table::Memory(table) = &*opened else { return None };
        let layout = &table.layout().row;
        let checked = match self.kept.inserts.remove(&(insert as usize)) {
            Some(kept) => kept,
            None => Checked::new(modify, layout)?,
        };
        for key in def.foreign_keys.iter().filter(|key| !key.disabled) {
            let runtime = self.runner.context.runtime.get_mut();
            let parent = runtime.host.table_by_id(runtime.session, def.database, key.referenced_table).ok()?;
            self.open(&parent, false)?;
        }
        let parents = Parents::of(def, &self.runner.context).ok()??;
        let identity = Identity::of(def, layout);
        Some(Destination { def: def.clone(), table: table.clone(), checked, parents, identity })
    }
}
