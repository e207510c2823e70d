//! How many rows? Guesses from row counts and the form of predicates; no histograms.

use types::Datum;

use super::rel::{ColumnId, Get, Rel};
use crate::plan::{CompareOp, Expr, ExprKind, JoinKind};

/// A table just created is empty while its plan is made and may not stay so.
const TABLE_ROWS_MIN: f64 = 100.0;

pub fn table_rows(get: &Get) -> f64 {
    (get.rows as f64).max(TABLE_ROWS_MIN)
}

/// Part of the rows that pass a predicate of which nothing better is known.
pub fn selectivity(predicate: &Expr) -> f64 {
    match &predicate.kind {
        ExprKind::Compare { op, .. } => match op {
            CompareOp::Equal => 0.05,
            CompareOp::NotEqual => 0.9,
            _ => 0.3,
        },
        ExprKind::InList { list, .. } => (0.05 * list.len() as f64).min(0.5),
        ExprKind::Like { .. } => 0.1,
        ExprKind::IsNull(_) => 0.1,
        ExprKind::Not(inner) => 1.0 - selectivity(inner),
        ExprKind::And(list) => list.iter().map(selectivity).product(),
        ExprKind::Or(list) => list.iter().map(selectivity).sum::<f64>().min(0.8),
        ExprKind::Literal(Datum::I64(1)) => 1.0,
        ExprKind::Literal(_) => 0.0,
        _ => 0.5,
    }
}

pub fn rows(rel: &Rel) -> f64 {
    match rel {
        Rel::Get(get) => table_rows(get),
        Rel::Leaf(_) => 100.0,
        Rel::Values { rows, .. } => rows.len() as f64,
        Rel::Filter { input, predicates } => match &**input {
            Rel::Get(get) => filtered(get, predicates),
            other => (rows(other) * predicates.iter().map(selectivity).product::<f64>()).max(1.0),
        },
        Rel::Map { input, .. } | Rel::Sort { input, .. } | Rel::Spool(input) => rows(input),
        Rel::Window(window) => rows(&window.input),
        Rel::Join(join) => {
            let (left, right) = (rows(&join.left), rows(&join.right));
            match join.kind {
                JoinKind::Inner => joined(left, right, &join.on),
                JoinKind::LeftOuter => joined(left, right, &join.on).max(left),
                JoinKind::FullOuter => joined(left, right, &join.on).max(left + right),
                JoinKind::Semi | JoinKind::Anti => (left * 0.5).max(1.0),
            }
        }
        Rel::Aggregate(group) => {
            let input = rows(&group.input);
            if group.group.is_empty() { 1.0 } else { input.powf(0.7).max(1.0).min(input) }
        }
        Rel::Top(top) => {
            let input = rows(&top.input);
            match &top.count {
                Some(Expr { kind: ExprKind::Literal(Datum::I64(count)), .. }) => input.min((*count).max(0) as f64),
                Some(_) if !top.percent => input.min(100.0),
                _ => input,
            }
        }
        Rel::Concat { branches, .. } => branches.iter().map(|branch| rows(&branch.rel)).sum(),
        Rel::SetOperation { left, .. } => rows(&left.rel),
        Rel::Text(_) => 1.0,
        Rel::Recursive { anchor, .. } => rows(&anchor.rel) * 10.0,
    }
}

/// Of a join: each equality divides by the larger side, as if the smaller were its key.
pub fn joined(left: f64, right: f64, on: &[Expr]) -> f64 {
    let mut rows = left * right;
    let mut keyed = false;
    for predicate in on {
        match &predicate.kind {
            ExprKind::Compare { op: CompareOp::Equal, .. } if !keyed => {
                rows /= left.max(right).max(1.0);
                keyed = true;
            }
            ExprKind::Compare { op: CompareOp::Equal, .. } => rows *= 0.5,
            _ => rows *= selectivity(predicate),
        }
    }
    rows.max(1.0)
}

/// The column a comparison fixes to one value: `column = anything that is not of this table`.
pub fn equal_column(get: &Get, predicate: &Expr) -> Option<u16> {
    let ExprKind::Compare { op: CompareOp::Equal, left, right, .. } = &predicate.kind else { return None };
    let own = |e: &Expr| {
        let mut own = false;
        e.for_each_column(&mut |c| own |= get.column_of(ColumnId(c as u32)).is_some());
        own
    };
    let bare = |e: &Expr| match &e.kind {
        ExprKind::Column(c) => get.column_of(ColumnId(*c as u32)),
        ExprKind::Convert { value, .. } => match value.kind {
            ExprKind::Column(c) => get.column_of(ColumnId(c as u32)),
            _ => None,
        },
        _ => None,
    };
    match (bare(left), bare(right)) {
        (Some(column), _) if !own(right) => Some(column),
        (_, Some(column)) if !own(left) => Some(column),
        _ => None,
    }
}

/// Rows of `get` that pass: one at most when a unique key is fixed.
pub fn filtered(get: &Get, predicates: &[Expr]) -> f64 {
    let fixed: Vec<u16> = predicates.iter().filter_map(|p| equal_column(get, p)).collect();
    let unique = |key: &[(u16, bool)]| key.iter().all(|(column, _)| fixed.contains(column));
    if get.table.indexes.iter().any(|index| index.unique && index.filter.is_empty() && unique(&index.key)) {
        return 1.0;
    }
    let rows = table_rows(get) * predicates.iter().map(selectivity).product::<f64>();
    rows.max(1.0)
}
