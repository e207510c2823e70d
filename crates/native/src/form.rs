//! Queries that have machine code, as whoever knows plans and tables describes them.

mod joins;

pub use joins::{Join, Kind, Level, Output, Way};

use crate::runtime::{CELLS_MAX, KEYS_MAX};
use crate::scalar::{
    Field, Maker, calls_function, has_truth, has_value, is_float, is_made, is_number, makes_truth, makes_value,
};
use sql::plan::{Aggregate, AggregateFunction, Expr, QueryId, VariableSlot};

#[derive(Debug, Clone)]
pub enum Form {
    Insert(Insert),
    Find(Find),
    Rows(Rows),
    Join(Join),
    Values(Values),
    Changes(Changes),
}

/// An INSERT of one row into a memory-optimized table.
#[derive(Debug, Clone)]
pub struct Insert {
    pub query: QueryId,
    /// The row's image, with what does not change already in it. Empty: the runtime makes it.
    pub image: Vec<u8>,
    /// As in `Values`.
    pub subqueries: Vec<Join>,
    /// What each run writes into the image. NULL only where the field says that it may be.
    pub values: Vec<(Field, Expr)>,
    pub checks: Checks,
}

/// Of a row that is put together: none of them may be false.
#[derive(Debug, Clone, Default)]
pub struct Checks {
    /// Where the row's image has the columns that they are over.
    pub fields: Vec<Option<Field>>,
    pub tests: Vec<Expr>,
}

/// A statement about the one row of a memory-optimized table that has a key.
#[derive(Debug, Clone)]
pub struct Find {
    pub query: QueryId,
    /// The values of the key's columns: integers, at most `KEYS_MAX`.
    pub key: Vec<Expr>,
    /// A complete image has so many columns.
    pub columns: u16,
    /// Of the columns that expressions are over.
    pub fields: Vec<Option<Field>>,
    pub then: Then,
}

/// What is done with the row.
#[derive(Debug, Clone)]
pub enum Then {
    /// SELECT @v = ...
    Assign(Vec<(VariableSlot, Expr)>),
    /// UPDATE ... SET: fields and their new values.
    Update(Vec<(Field, Expr)>, Checks),
    Delete,
}

/// SELECT @v = ... over the rows of a scan of a memory-optimized table.
#[derive(Debug, Clone)]
pub struct Rows {
    pub query: QueryId,
    pub bounds: Bounds,
    /// As in `Find`.
    pub columns: u16,
    pub fields: Vec<Option<Field>>,
    /// Which of the rows count.
    pub filter: Option<Expr>,
    /// TOP.
    pub rows_max: Option<u32>,
    pub fold: Fold,
}

/// UPDATE or DELETE of the rows of a scan of a memory-optimized table. No new value is in a unique key.
#[derive(Debug, Clone)]
pub struct Changes {
    pub query: QueryId,
    pub bounds: Bounds,
    /// As in `Find`.
    pub columns: u16,
    pub fields: Vec<Option<Field>>,
    /// Which of the rows are changed.
    pub filter: Option<Expr>,
    /// Fields and their new values; None: the rows are deleted.
    pub update: Option<Vec<(Field, Expr)>>,
    /// Of the rows as they become.
    pub checks: Checks,
}

/// The values that the range of a scan begins with and lies between, as its runtime takes them. None of them: the runtime computes them.
#[derive(Debug, Clone, Default)]
pub struct Bounds(Vec<Expr>);

impl Bounds {
    /// Of these values, if there is machine code for all of them.
    pub fn new(values: Vec<Expr>) -> Bounds {
        let native = values.len() <= KEYS_MAX && values.iter().all(|value| of_row(value, &|_| false));
        Bounds(if native { values } else { Vec::new() })
    }

    pub fn values(&self) -> &[Expr] {
        &self.0
    }
}

/// One row without a table: of SELECT @v = ..., or of SET, a condition or a RETURN with functions of the catalog.
#[derive(Debug, Clone)]
pub struct Values {
    pub query: QueryId,
    /// Each is a column of the row that the values are over. They are run where its value is needed.
    pub subqueries: Vec<Join>,
    pub values: Vec<Expr>,
    /// What they are assigned to, if they are.
    pub slots: Vec<VariableSlot>,
}

/// What becomes of the rows.
#[derive(Debug, Clone)]
pub enum Fold {
    /// Each assigns; the last one's values stay.
    Assign(Vec<(VariableSlot, Expr)>),
    /// They become one row of aggregates.
    Aggregate(Vec<Aggregate>, Totals),
    /// They go to the client. Of a join, which may be one of a single table.
    Send(Vec<Output>),
    /// Of a subquery: the value that the only row has, NULL if there is none.
    Only(Expr),
    /// Of EXISTS: 1 or 0.
    Exists,
}

/// What becomes of a row of aggregates.
#[derive(Debug, Clone)]
pub enum Totals {
    Assign(Vec<(VariableSlot, Expr)>),
    /// It goes to the client. Of a join.
    Send(Vec<Expr>),
    /// Of a subquery.
    Value(Expr),
}

/// There is machine code for the value of an expression without columns.
pub fn is_native(expr: &Expr) -> bool {
    makes_value(expr, &|_| false, Maker::Both)
}

/// There is for one whose columns are values of subqueries.
pub fn is_native_over_subqueries(expr: &Expr) -> bool {
    makes_value(expr, &|_| true, Maker::Both)
}

/// There is for a number over a row.
fn is_number_of_row(value: &Expr, known: &dyn Fn(usize) -> bool) -> bool {
    is_number(&value.ty) && of_row(value, known)
}

/// There is for all of them.
fn have_values(values: &[(VariableSlot, Expr)], known: &dyn Fn(usize) -> bool) -> bool {
    values.iter().all(|(_, value)| is_number_of_row(value, known))
}

/// The same, where the interpreter may be asked.
fn made_of_row(expr: &Expr, known: &dyn Fn(usize) -> bool) -> bool {
    makes_value(expr, known, Maker::Both) && !calls_function(expr)
}

/// There is for an expression over a row, while which no other module runs.
fn of_row(expr: &Expr, known: &dyn Fn(usize) -> bool) -> bool {
    has_value(expr, known) && !calls_function(expr)
}

fn is_placed(fields: &[Option<Field>]) -> impl Fn(usize) -> bool + '_ {
    |column| fields.get(column).is_some_and(Option::is_some)
}

impl Checks {
    /// There is machine code for it.
    pub fn knows(&self, test: &Expr) -> bool {
        has_truth(test, &is_placed(&self.fields)) && !calls_function(test)
    }

    fn is_native(&self) -> bool {
        self.tests.iter().all(|test| self.knows(test))
    }
}

impl Find {
    /// There is machine code for it.
    pub fn is_native(&self) -> bool {
        let known = is_placed(&self.fields);
        self.key.len() <= KEYS_MAX
            && self.key.iter().all(is_native)
            && match &self.then {
                Then::Assign(values) => {
                    values.iter().all(|(_, value)| is_number(&value.ty) && made_of_row(value, &known))
                }
                Then::Update(values, checks) => {
                    values.iter().all(|(_, value)| made_of_row(value, &known)) && checks.is_native()
                }
                Then::Delete => true,
            }
    }
}

impl Changes {
    /// There is machine code for it.
    pub fn is_native(&self) -> bool {
        let known = is_placed(&self.fields);
        let filtered = |filter: &Expr| makes_truth(filter, &known, Maker::Both) && !calls_function(filter);
        self.filter.as_ref().is_none_or(filtered)
            && self.update.iter().flatten().all(|(_, value)| made_of_row(value, &known))
            && self.checks.is_native()
    }
}

impl Values {
    /// There is machine code for it.
    pub fn is_native(&self) -> bool {
        let known = |column| column < self.subqueries.len();
        self.subqueries.iter().all(Join::is_native) && self.values.iter().all(|value| is_made(value, &known))
    }
}

impl Rows {
    /// There is machine code for it.
    pub fn is_native(&self) -> bool {
        let known = is_placed(&self.fields);
        let tests =
            |filter: &Expr| has_truth(filter, &known) && !calls_function(filter) && !self.fold.assigns_within(filter);
        self.filter.as_ref().is_none_or(tests) && self.fold.is_native(&known)
    }
}

impl Fold {
    /// There is machine code for it, over rows whose `known` columns have a place.
    fn is_native(&self, known: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Fold::Assign(values) => have_values(values, known),
            Fold::Aggregate(aggregates, totals) => {
                aggregates.iter().all(|aggregate| is_native_aggregate(aggregate, known))
                    && totals.is_native(&|column| column < aggregates.len())
            }
            Fold::Send(outputs) => outputs.len() <= CELLS_MAX && outputs.iter().all(|output| output.is_native(known)),
            Fold::Only(value) => is_number_of_row(value, known),
            Fold::Exists => true,
        }
    }
}

impl Totals {
    fn is_native(&self, known: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Totals::Assign(values) => have_values(values, known),
            Totals::Send(values) => {
                values.len() <= CELLS_MAX && values.iter().all(|value| is_number_of_row(value, known))
            }
            Totals::Value(value) => is_number_of_row(value, known),
        }
    }
}

fn is_native_aggregate(aggregate: &Aggregate, known: &dyn Fn(usize) -> bool) -> bool {
    let argument = aggregate.argument.as_ref();
    let plain = !aggregate.distinct && aggregate.extra.is_empty() && aggregate.order.is_empty();
    plain
        && argument.is_none_or(|argument| of_row(argument, known))
        && match aggregate.function {
            AggregateFunction::Count | AggregateFunction::CountBig => true,
            AggregateFunction::Sum | AggregateFunction::Avg => {
                argument.is_some_and(|argument| argument.ty.is_integer()) && aggregate.ty.is_integer()
            }
            AggregateFunction::Min | AggregateFunction::Max => argument.is_some_and(|argument| !is_float(&argument.ty)),
            _ => false,
        }
}
