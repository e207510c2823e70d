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
    /// The outermost first, at most `LEVELS_MAX`. Expressions are over the columns of all levels up to their own, in this order.
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
    /// LEFT JOIN: the image of the row that stands for those that there are not, all NULL. Each field may be NULL then.
    pub blank: Option<Vec<u8>>,
    /// Which of the rows count, that one among them.
    pub filter: Option<Expr>,
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
            let around = fields.clone();
            fields.extend_from_slice(&level.fields);
            let way = match &level.way {
                Way::Find(key) => key.len() <= KEYS_MAX && key.iter().all(|part| of_row(part, &is_placed(&around))),
                Way::Scan(bound) => bound.len() <= KEYS_MAX && bound.iter().all(|column| is_placed(&around)(*column)),
            };
            way && level.predicates().all(|test| has_truth(test, &is_placed(&fields)) && !calls_function(test))
        });
        let tests = || self.levels.iter().flat_map(Level::predicates);
        let keys = self.levels.iter().skip(1).flat_map(|level| match &level.way {
            Way::Find(key) => &key[..],
            Way::Scan(_) => &[][..],
        });
        // The interpreter tests rows in batches: it meets the errors of rows behind the last one that TOP wants.
        let early = self.rows_max.is_some() && tests().chain(keys.clone()).any(|expr| expr.any(&mut can_fail));
        (1..=LEVELS_MAX).contains(&self.levels.len())
            && levels
            && !early
            && !tests().chain(keys).any(|expr| self.fold.assigns_within(expr))
            && self.fold.is_native(&is_placed(&fields))
    }
}

impl Level {
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
