//! Bounds that a table's rows are asked for by rows of others: what it can be put aside by, where no index has it.

use super::access::SPOOLED_ROWS_MIN;
use super::rel::{ColumnSet, Get};
use crate::plan::{CompareOp, Expr, ExprKind};

/// Whether two bounds of other rows are those of one value of the table's row, which is put aside in that order. None: there is no bound.
pub fn kept_between(get: &Get, predicates: &[Expr]) -> Option<bool> {
    let own = get.defined();
    let bounds: Vec<(Expr, CompareOp, Expr)> = predicates.iter().filter_map(|p| outer_bound(p, &own)).collect();
    if bounds.is_empty() || get.rows < SPOOLED_ROWS_MIN || get.force_seek {
        return None;
    }
    Some(bounds.iter().any(|(value, op, _)| {
        bounds.iter().any(|(other, other_op, _)| is_lower(*op) && !is_lower(*other_op) && other.same(value))
    }))
}

/// `own value <= outer value` and its like, in this order.
pub fn outer_bound(predicate: &Expr, own: &ColumnSet) -> Option<(Expr, CompareOp, Expr)> {
    let ExprKind::Compare { op, left, right, null_equal: false } = &predicate.kind else { return None };
    let turned = match op {
        CompareOp::Equal | CompareOp::NotEqual => return None,
        CompareOp::Less => CompareOp::Greater,
        CompareOp::LessOrEqual => CompareOp::GreaterOrEqual,
        CompareOp::Greater => CompareOp::Less,
        CompareOp::GreaterOrEqual => CompareOp::LessOrEqual,
    };
    if predicate.is_volatile() || predicate.has_subquery() || left.ty.is_max() || right.ty.is_max() {
        return None;
    }
    let (a, b) = (ColumnSet::of(left), ColumnSet::of(right));
    let is_own = |value: &ColumnSet, other: &ColumnSet| {
        !value.is_empty() && value.within(own) && !other.is_empty() && !other.meets(own)
    };
    match (is_own(&a, &b), is_own(&b, &a)) {
        (true, _) => Some(((**left).clone(), *op, (**right).clone())),
        (_, true) => Some(((**right).clone(), turned, (**left).clone())),
        _ => None,
    }
}

/// Of the bounds that `outer_bound` gives.
pub fn is_lower(op: CompareOp) -> bool {
    matches!(op, CompareOp::Greater | CompareOp::GreaterOrEqual)
}
