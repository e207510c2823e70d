//! Rows of several tables, joined in nested loops.

use sql::plan::{Expr, ExprKind, QueryId, VariableSlot};

use super::{Fold, is_number_of_row, is_placed, of_row};
use crate::runtime::{KEYS_MAX, LEVELS_MAX};
use crate::scalar::{Field, calls_function, can_fail, has_truth};

/// SELECT over the rows that nested loops make: a level has its rows for each row of the levels around it.
#[derive(Debug, Clone)]
pub struct Join {
    pub query: QueryId,
    /// It is this subquery of the query. None: the query itself.
    pub subquery: Option<usize>,
    /// As in `Values`, of a join without levels.
    pub subqueries: Vec<Join>,
    /// What has to hold before there is a row at all.
    pub filter: Option<Expr>,
    /// The outermost first, at most `LEVELS_MAX`. Expressions are over the columns of all levels up to their own that have some, in this
    /// order. None: there is one row.
    pub levels: Vec<Level>,
    /// TOP.
    pub rows_max: Option<u32>,
    pub fold: Fold,
}

/// A memory-optimized table in a join.
#[derive(Debug, Clone)]
pub struct Level {
    /// As in `Find`.
    pub columns: u16,
    pub fields: Vec<Option<Field>>,
    pub way: Way,
    /// Which of its rows match.
    pub on: Option<Expr>,
    pub kind: Kind,
    /// Which of the joined rows count.
    pub filter: Option<Expr>,
}

/// What is joined to the row around.
#[derive(Debug, Clone)]
pub enum Kind {
    /// Each row that matches.
    Inner,
    /// LEFT JOIN: and where there is none this image of a row, all NULL. Each field may be NULL then.
    Left(Vec<u8>),
    /// EXISTS and IN: nothing, so it has no columns. The row around counts if there is a row that matches.
    Semi,
    /// NOT EXISTS: the same if there is none.
    Anti,
}

/// How the rows of a level are found.
#[derive(Debug, Clone)]
pub enum Way {
    /// By a whole unique key of integers. NULL finds nothing.
    Find(Vec<Expr>),
    /// By a scan, whose range depends on these columns.
    Scan(Vec<usize>),
}

/// A column of a result.
#[derive(Debug, Clone)]
pub enum Output {
    Number(Expr),
    /// One of a level's image as it is stored: the runtime knows which.
    Stored {
        level: usize,
    },
}

impl Output {
    pub(super) fn is_native(&self, known: &dyn Fn(usize) -> bool) -> bool {
        match self {
            Output::Number(value) => is_number_of_row(value, known),
            Output::Stored { .. } => true,
        }
    }
}

impl Join {
    /// There is machine code for it.
    pub fn is_native(&self) -> bool {
        let mut fields = Vec::new();
        let levels = self.levels.iter().all(|level| {
            let around: Vec<Option<Field>> = fields.clone();
            fields.extend_from_slice(&level.fields);
            let way = match &level.way {
                Way::Find(key) => key.len() <= KEYS_MAX && key.iter().all(|part| of_row(part, &is_placed(&around))),
                Way::Scan(bound) => bound.len() <= KEYS_MAX && bound.iter().all(|column| is_placed(&around)(*column)),
            };
            let on = level.on.iter().all(|test| is_test(test, &is_placed(&fields)));
            if level.is_tested() {
                fields = around;
            }
            way && on && level.filter.iter().all(|test| is_test(test, &is_placed(&fields)))
        });
        let tests = || self.levels.iter().flat_map(Level::predicates);
        let keys = self.levels.iter().skip(1).flat_map(|level| match &level.way {
            Way::Find(key) => &key[..],
            Way::Scan(_) => &[][..],
        });
        // The interpreter tests rows in batches: it meets the errors of rows behind the last one that TOP wants, or EXISTS needs.
        let fails = |expr: &Expr| expr.any(&mut can_fail);
        let early = self.rows_max.is_some() && tests().chain(keys.clone()).any(fails)
            || self.levels.iter().any(|level| level.is_tested() && level.on.as_ref().is_some_and(fails));
        let known = |column| match self.levels.is_empty() {
            true => column < self.subqueries.len(),
            false => is_placed(&fields)(column),
        };
        self.levels.len() <= LEVELS_MAX
            && levels
            && !early
            && !tests().chain(keys).any(|expr| self.fold.assigns_within(expr))
            && self.subqueries.iter().all(Join::is_native)
            && self.filter.iter().all(|test| is_test(test, &|_| false))
            && self.fold.is_native(&known)
    }
}

fn is_test(test: &Expr, known: &dyn Fn(usize) -> bool) -> bool {
    has_truth(test, known) && !calls_function(test)
}

impl Level {
    /// Only whether it has rows counts.
    pub fn is_tested(&self) -> bool {
        matches!(self.kind, Kind::Semi | Kind::Anti)
    }

    pub fn predicates(&self) -> impl Iterator<Item = &Expr> {
        self.on.iter().chain(&self.filter)
    }
}

impl Fold {
    /// Whether it assigns to a variable of `expr`, which would have another value for the next row then.
    pub fn assigns_within(&self, expr: &Expr) -> bool {
        let Fold::Assign(values) = self else { return false };
        let assigned = |variable: &VariableSlot| values.iter().any(|(slot, _)| slot == variable);
        expr.any(&mut |expr| matches!(&expr.kind, ExprKind::Variable(variable) if assigned(variable)))
    }
}
