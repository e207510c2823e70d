//! Predicates joined by OR: what all arms have in common stands beside them, and what each arm asks of one table alone can be asked of
//! it before it is joined.

use super::access::is_lossless;
use super::rel::ColumnSet;
use crate::plan::{CompareOp, Expr, ExprKind};

/// The same predicates: (a AND b) OR (a AND c) is a AND (b OR c).
pub fn factored(predicates: Vec<Expr>) -> Vec<Expr> {
    if !predicates.iter().any(|p| matches!(p.kind, ExprKind::Or(_))) {
        return predicates;
    }
    let mut out = Vec::with_capacity(predicates.len());
    predicates.into_iter().for_each(|predicate| factor(predicate, &mut out));
    out
}

fn factor(predicate: Expr, out: &mut Vec<Expr>) {
    let ExprKind::Or(arms) = &predicate.kind else { return out.push(predicate) };
    let mut arms: Vec<Vec<Expr>> = arms.iter().map(conjuncts).collect();
    let common: Vec<Expr> = arms[0]
        .iter()
        .filter(|p| !p.is_volatile() && !p.has_subquery())
        .filter(|p| arms[1..].iter().all(|arm| arm.iter().any(|other| alike(p, other))))
        .cloned()
        .collect();
    if common.is_empty() {
        return out.push(predicate);
    }
    arms.iter_mut().for_each(|arm| arm.retain(|p| !common.iter().any(|c| alike(c, p))));
    out.extend(common);
    // An arm that asks nothing more makes all others idle.
    if let Some(arms) = arms.into_iter().map(Expr::all).collect::<Option<Vec<_>>>() {
        factor(Expr::predicate(ExprKind::Or(arms)), out);
    }
}

/// The predicates of one arm.
pub fn conjuncts(arm: &Expr) -> Vec<Expr> {
    let mut parts = Vec::new();
    arm.clone().split_and(&mut parts);
    parts
}

/// The same comparison, whichever side is written first.
fn alike(a: &Expr, b: &Expr) -> bool {
    let turned = || match (&a.kind, &b.kind) {
        (
            ExprKind::Compare { op: x, left: a, right: b, null_equal: m },
            ExprKind::Compare { op: y, left: c, right: d, null_equal: n },
        ) => *x == y.swapped() && m == n && a.same(d) && b.same(c),
        _ => false,
    };
    a.same(b) || turned()
}

/// What holds of the columns `side` wherever `predicate`, one of several tables, holds: each arm's part about them. None: an arm says
/// nothing about them.
pub fn implied(predicate: &Expr, side: &ColumnSet) -> Option<Expr> {
    let ExprKind::Or(arms) = &predicate.kind else { return None };
    let arms = arms.iter().map(|arm| {
        let mut own = conjuncts(arm);
        own.retain(|p| {
            let columns = ColumnSet::of(p);
            columns.meets(side) && columns.within(side) && cannot_fail(p)
        });
        Expr::all(own)
    });
    Some(Expr::predicate(ExprKind::Or(arms.collect::<Option<Vec<_>>>()?)))
}

/// It may be asked of rows of which it was not to be asked.
fn cannot_fail(predicate: &Expr) -> bool {
    match &predicate.kind {
        ExprKind::Compare { left, right, .. } => is_plain(left) && is_plain(right),
        ExprKind::InList { value, list } => is_plain(value) && list.iter().all(is_plain),
        ExprKind::IsNull(value) => is_plain(value),
        ExprKind::Not(inner) => cannot_fail(inner),
        ExprKind::And(parts) | ExprKind::Or(parts) => parts.iter().all(cannot_fail),
        _ => false,
    }
}

fn is_plain(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Column(_) | ExprKind::Literal(_) | ExprKind::Variable(_) => true,
        ExprKind::Convert { value: inner, explicit: false, .. } => is_plain(inner) && is_lossless(&inner.ty, &value.ty),
        _ => false,
    }
}

/// `predicate` is not true: it is false or UNKNOWN.
pub fn not_true(predicate: Expr) -> Expr {
    let branches = vec![(predicate, Expr::bigint(0))];
    let ty = Expr::bigint(1).ty;
    let case = Expr::new(ty, false, ExprKind::Case { branches, otherwise: Some(Box::new(Expr::bigint(1))) });
    Expr::predicate(ExprKind::Compare {
        op: CompareOp::Equal,
        left: Box::new(case),
        right: Box::new(Expr::bigint(1)),
        null_equal: false,
    })
}
