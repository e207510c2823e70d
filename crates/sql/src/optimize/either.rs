//! Predicates joined by OR: what all arms have in common stands beside them, and what each arm asks of one table alone can be asked of
//! it before it is joined.

use std::collections::HashSet;

use types::SqlType;

use super::access::is_lossless;
use super::bands::merged;
use super::rel::ColumnSet;
use crate::plan::{CompareOp, Expr, ExprKind};

/// More arms are not read by a seek each: each is asked whether the ones before it have had the row.
pub const ARMS_MAX: usize = 16;

/// The same predicates: (a AND b) OR (a AND c) is a AND (b OR c).
pub fn factored(predicates: Vec<Expr>) -> Vec<Expr> {
    if !predicates.iter().any(|p| matches!(p.kind, ExprKind::Or(_))) {
        return predicates;
    }
    let mut out = Vec::with_capacity(predicates.len());
    predicates.into_iter().for_each(|predicate| factor(predicate, &mut out));
    let bounds: Vec<Expr> = out.iter().flat_map(|p| [common_bound(p), common_list(p)]).flatten().collect();
    for bound in bounds {
        if !out.iter().any(|old| old.same(&bound)) {
            out.push(bound);
        }
    }
    out
}

/// `a > x OR a = x AND b > y` has `a >= x` in it, by which an index can be read from there on.
fn common_bound(predicate: &Expr) -> Option<Expr> {
    let ExprKind::Or(arms) = &predicate.kind else { return None };
    let arms: Vec<Vec<Expr>> = arms.iter().map(conjuncts).collect();
    let lower = |op| matches!(op, CompareOp::Greater | CompareOp::GreaterOrEqual | CompareOp::Equal);
    let upper = |op| matches!(op, CompareOp::Less | CompareOp::LessOrEqual | CompareOp::Equal);
    let is_bound = |p: &&Expr| match &p.kind {
        ExprKind::Compare { op, left, right, null_equal: false } => {
            let is_open = !matches!(op, CompareOp::Equal | CompareOp::NotEqual);
            is_open && matches!(left.kind, ExprKind::Column(_)) && is_plain(right) && ColumnSet::of(right).is_empty()
        }
        _ => false,
    };
    arms.iter().flatten().filter(is_bound).find_map(|first| {
        let ExprKind::Compare { op, left, right, .. } = &first.kind else { return None };
        let is_lower = lower(*op);
        let holds = |p: &Expr| match &p.kind {
            ExprKind::Compare { op, left: a, right: b, null_equal: false } => {
                (if is_lower { lower(*op) } else { upper(*op) }) && a.same(left) && b.same(right)
            }
            _ => false,
        };
        let op = if is_lower { CompareOp::GreaterOrEqual } else { CompareOp::LessOrEqual };
        let kind = ExprKind::Compare { op, left: left.clone(), right: right.clone(), null_equal: false };
        arms.iter().all(|arm| arm.iter().any(holds)).then(|| Expr::predicate(kind))
    })
}

/// Many arms that each name a value of one column: `(a = 1 AND b = 2) OR (a = 3 AND b = 4) ...` has `b IN (2, 4 ...)` in it, by which an index
/// can be read, or most rows told from those that the arms are for. Of several columns the one with the most values.
fn common_list(predicate: &Expr) -> Option<Expr> {
    let ExprKind::Or(arms) = &predicate.kind else { return None };
    if arms.len() <= ARMS_MAX {
        return None;
    }
    let arms: Vec<Vec<Expr>> = arms.iter().map(conjuncts).collect();
    let lists = arms[0].iter().filter_map(named).filter_map(|(column, _)| {
        let value_in = |arm: &Vec<Expr>| {
            let values = arm.iter().filter_map(named).find(|(other, _)| other.same(column));
            values.map(|(_, value)| value.clone()).filter(|value| compares_as_is(value.ty, column.ty))
        };
        let list = arms.iter().map(value_in).collect::<Option<Vec<Expr>>>()?;
        let distinct: HashSet<String> = list.iter().map(|value| format!("{:?}", value.kind)).collect();
        Some((distinct.len(), column, list))
    });
    let (_, column, list) = lists.max_by_key(|(distinct, ..)| *distinct)?;
    Some(Expr::predicate(ExprKind::InList { value: Box::new(column.clone()), list }))
}

/// Neither is converted to be compared.
fn compares_as_is(a: SqlType, b: SqlType) -> bool {
    (a.kind, a.scale, a.collation) == (b.kind, b.scale, b.collation)
}

/// `column = literal`.
fn named(predicate: &Expr) -> Option<(&Expr, &Expr)> {
    let ExprKind::Compare { op: CompareOp::Equal, left, right, null_equal: false } = &predicate.kind else {
        return None;
    };
    match (&left.kind, &right.kind) {
        (ExprKind::Column(_), ExprKind::Literal(_)) => Some((left, right)),
        (ExprKind::Literal(_), ExprKind::Column(_)) => Some((right, left)),
        _ => None,
    }
}

fn factor(predicate: Expr, out: &mut Vec<Expr>) {
    let ExprKind::Or(all) = &predicate.kind else { return out.push(predicate) };
    if let Some(equal) = equal_or_null(all) {
        return out.push(equal);
    }
    let mut arms: Vec<Vec<Expr>> = all.iter().map(conjuncts).collect();
    let common: Vec<Expr> = arms[0]
        .iter()
        .filter(|p| !p.is_volatile() && !p.has_subquery())
        .filter(|p| arms[1..].iter().all(|arm| arm.iter().any(|other| alike(p, other))))
        .cloned()
        .collect();
    if common.is_empty() {
        return match merged(all) {
            Some(arms) if arms.len() == 1 => arms.into_iter().for_each(|arm| arm.split_and(out)),
            Some(arms) => out.push(Expr::predicate(ExprKind::Or(arms))),
            None => out.push(predicate),
        };
    }
    arms.iter_mut().for_each(|arm| arm.retain(|p| !common.iter().any(|c| alike(c, p))));
    out.extend(common);
    // An arm that asks nothing more makes all others idle.
    if let Some(arms) = arms.into_iter().map(Expr::all).collect::<Option<Vec<_>>>() {
        factor(Expr::predicate(ExprKind::Or(arms)), out);
    }
}

/// `a = b OR a IS NULL AND b IS NULL` is `a IS NOT DISTINCT FROM b`, by which rows can be joined; where it is UNKNOWN, that is false, and
/// neither lets a row pass.
fn equal_or_null(arms: &[Expr]) -> Option<Expr> {
    let [first, second] = arms else { return None };
    let (equal, nulls) = if matches!(first.kind, ExprKind::And(_)) { (second, first) } else { (first, second) };
    let ExprKind::Compare { op: CompareOp::Equal, left, right, null_equal: false } = &equal.kind else { return None };
    let ExprKind::And(nulls) = &nulls.kind else { return None };
    let [ExprKind::IsNull(a), ExprKind::IsNull(b)] = [&nulls.first()?.kind, &nulls.get(1)?.kind] else { return None };
    let is = |value: &Expr, side: &Expr| unconverted(value).same(unconverted(side));
    let is_both = nulls.len() == 2 && (is(a, left) && is(b, right) || is(a, right) && is(b, left));
    if !is_both || equal.is_volatile() || equal.has_subquery() {
        return None;
    }
    let (left, right) = (left.clone(), right.clone());
    Some(Expr::predicate(ExprKind::Compare { op: CompareOp::Equal, left, right, null_equal: true }))
}

/// The value in conversions that nobody wrote, which leave NULL what it is.
fn unconverted(value: &Expr) -> &Expr {
    match &value.kind {
        ExprKind::Convert { value, explicit: false, .. } => unconverted(value),
        _ => value,
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
pub fn cannot_fail(predicate: &Expr) -> bool {
    match &predicate.kind {
        ExprKind::Compare { left, right, .. } => is_plain(left) && is_plain(right),
        ExprKind::InList { value, list } => is_plain(value) && list.iter().all(is_plain),
        ExprKind::Like { value, pattern, escape: None } => is_plain(value) && is_plain(pattern),
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
