//! Predicates move down to where their columns come from. A predicate that is volatile or holds a subquery stays where it was
//! written, above whatever computes its columns.

use super::either::{factored, implied};
use super::rel::{ColumnId, ColumnSet, Join, Rel, substitute};
use crate::plan::{CompareOp, Expr, ExprKind, JoinKind};

/// `rel` filtered by `predicates`, each as deep inside as it may go.
pub fn push(rel: Rel, predicates: Vec<Expr>) -> Rel {
    let mut predicates = factored(predicates);
    match rel {
        Rel::Filter { input, predicates: own } => {
            predicates.extend(own);
            push(*input, predicates)
        }
        Rel::Map { input, defs } => {
            let mut defined = ColumnSet::default();
            defs.iter().for_each(|(id, _)| defined.insert(*id));
            let frozen: ColumnSet =
                defs.iter().filter(|(_, e)| e.is_volatile() || e.has_subquery()).map(|(id, _)| *id).collect();
            let (mut below, mut above) = (Vec::new(), Vec::new());
            for mut predicate in predicates {
                let columns = ColumnSet::of(&predicate);
                if columns.meets(&frozen) || predicate.is_volatile() {
                    above.push(predicate);
                } else {
                    if columns.meets(&defined) {
                        substitute(&mut predicate, &defs);
                    }
                    below.push(predicate);
                }
            }
            Rel::Map { input: Box::new(push(*input, below)), defs }.filter(above)
        }
        Rel::Sort { input, keys } => Rel::Sort { input: Box::new(push(*input, predicates)), keys },
        Rel::Join(join) => push_join(*join, predicates),
        Rel::Aggregate(mut group) => {
            let (mut below, mut above) = (Vec::new(), Vec::new());
            let own: ColumnSet = group.aggregates.iter().map(|(id, _)| *id).collect();
            for mut predicate in predicates {
                let stays = group.group.is_empty()
                    || group.sets.is_some()
                    || ColumnSet::of(&predicate).meets(&own)
                    || fixed_in_place(&predicate);
                if stays {
                    above.push(predicate);
                } else {
                    substitute(&mut predicate, &group.group);
                    below.push(predicate);
                }
            }
            group.input = push(group.input, below);
            Rel::Aggregate(group).filter(above)
        }
        Rel::Window(mut window) => {
            let keys: ColumnSet = window
                .partition
                .iter()
                .filter_map(|e| match e.kind {
                    ExprKind::Column(column) => Some(ColumnId(column as u32)),
                    _ => None,
                })
                .collect();
            let inner = window.input.defined();
            let (below, above) = predicates.into_iter().partition(|p| {
                let columns = ColumnSet::of(p);
                let mut own = columns.clone();
                own.retain(|id| inner.contains(id) || window.functions.iter().any(|(f, _)| *f == id));
                !columns.is_empty() && own.within(&keys) && !fixed_in_place(p)
            });
            window.input = push(window.input, below);
            Rel::Window(window).filter(above)
        }
        Rel::Concat { ids, mut branches } => {
            let (below, above): (Vec<Expr>, Vec<Expr>) = predicates.into_iter().partition(|p| !fixed_in_place(p));
            for branch in &mut branches {
                let moved = below.iter().map(|p| renamed(p, &ids, &branch.columns)).collect();
                branch.rel = push(std::mem::replace(&mut branch.rel, Rel::one_row()), moved);
            }
            Rel::Concat { ids, branches }.filter(above)
        }
        Rel::SetOperation { ids, mut left, mut right, intersect } => {
            let (below, above): (Vec<Expr>, Vec<Expr>) = predicates.into_iter().partition(|p| !fixed_in_place(p));
            for branch in [&mut left, &mut right] {
                let moved = below.iter().map(|p| renamed(p, &ids, &branch.columns)).collect();
                branch.rel = push(std::mem::replace(&mut branch.rel, Rel::one_row()), moved);
            }
            Rel::SetOperation { ids, left, right, intersect }.filter(above)
        }
        mut other => {
            other.for_each_input_mut(&mut |input| {
                *input = push(std::mem::replace(input, Rel::one_row()), Vec::new());
            });
            other.filter(predicates)
        }
    }
}

fn fixed_in_place(predicate: &Expr) -> bool {
    predicate.is_volatile() || predicate.has_subquery()
}

fn renamed(predicate: &Expr, from: &[ColumnId], to: &[ColumnId]) -> Expr {
    let mut predicate = predicate.clone();
    predicate.rewrite(&mut |e| {
        let ExprKind::Column(column) = &mut e.kind else { return false };
        if let Some(i) = from.iter().position(|id| id.index() == *column) {
            *column = to[i].index();
        }
        true
    });
    predicate
}

/// One row, whatever it computes.
fn is_one_row(rel: &Rel) -> bool {
    match rel {
        Rel::Map { input, .. } => is_one_row(input),
        Rel::Values { ids, rows } => ids.is_empty() && rows.len() == 1,
        _ => false,
    }
}

fn push_join(mut join: Join, predicates: Vec<Expr>) -> Rel {
    // A test that reads nothing else is a condition on the left side.
    if join.kind == JoinKind::Semi && is_one_row(&join.right) {
        let mut all = join.on;
        all.extend(predicates);
        return push(join.left, all);
    }
    let left = join.left.defined();
    let right = join.right.defined();
    if join.kind == JoinKind::LeftOuter && predicates.iter().any(|p| refuses_null(p, &right)) {
        join.kind = JoinKind::Inner;
    }
    let (mut to_left, mut to_right, mut on, mut above) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for predicate in predicates {
        let columns = ColumnSet::of(&predicate);
        let (in_left, in_right) = (columns.meets(&left), columns.meets(&right));
        match join.kind {
            _ if predicate.is_volatile() => above.push(predicate),
            // Fewer rows may be left to ask it of.
            JoinKind::Semi | JoinKind::Anti if predicate.has_subquery() => above.push(predicate),
            JoinKind::Inner if in_left && in_right => on.push(predicate),
            JoinKind::Inner if in_right => to_right.push(predicate),
            JoinKind::FullOuter => above.push(predicate),
            JoinKind::LeftOuter if in_right => above.push(predicate),
            _ => to_left.push(predicate),
        }
    }
    for predicate in factored(std::mem::take(&mut join.on)) {
        let columns = ColumnSet::of(&predicate);
        let (in_left, in_right) = (columns.meets(&left), columns.meets(&right));
        match join.kind {
            _ if predicate.is_volatile() => on.push(predicate),
            JoinKind::Inner if in_left && !in_right => to_left.push(predicate),
            JoinKind::Inner | JoinKind::LeftOuter | JoinKind::Semi | JoinKind::Anti if in_right && !in_left => {
                to_right.push(predicate)
            }
            JoinKind::Semi if in_left && !in_right => to_left.push(predicate),
            _ => on.push(predicate),
        }
    }
    for predicate in &on {
        if join.kind == JoinKind::Inner {
            to_left.extend(implied(predicate, &left));
        }
        if join.kind != JoinKind::FullOuter {
            to_right.extend(implied(predicate, &right));
        }
    }
    if join.kind == JoinKind::Inner {
        imply(&on, &mut to_left, &mut to_right, &left, &right);
    }
    join.left = push(join.left, to_left);
    join.right = push(join.right, to_right);
    join.on = on;
    Rel::Join(Box::new(join)).filter(above)
}

/// `a.x = b.y` and `a.x = 5` give `b.y = 5`: so an index on either side can be used.
fn imply(on: &[Expr], to_left: &mut Vec<Expr>, to_right: &mut Vec<Expr>, left: &ColumnSet, right: &ColumnSet) {
    for predicate in on {
        let Some((a, b)) = equal_columns(predicate) else { continue };
        let (a, b) = if left.contains(a) && right.contains(b) {
            (a, b)
        } else if left.contains(b) && right.contains(a) {
            (b, a)
        } else {
            continue;
        };
        let from_left: Vec<Expr> = to_left.iter().filter_map(|p| moved_constant(p, a, b)).collect();
        let from_right: Vec<Expr> = to_right.iter().filter_map(|p| moved_constant(p, b, a)).collect();
        to_right.extend(from_left);
        to_left.extend(from_right);
    }
}

pub fn equal_columns(predicate: &Expr) -> Option<(ColumnId, ColumnId)> {
    match &predicate.kind {
        ExprKind::Compare { op: CompareOp::Equal, left, right, null_equal: false } => match (&left.kind, &right.kind) {
            (ExprKind::Column(a), ExprKind::Column(b)) => Some((ColumnId(*a as u32), ColumnId(*b as u32))),
            _ => None,
        },
        _ => None,
    }
}

/// `from = constant` about `to` instead.
fn moved_constant(predicate: &Expr, from: ColumnId, to: ColumnId) -> Option<Expr> {
    let ExprKind::Compare { op: CompareOp::Equal, left, right, null_equal: false } = &predicate.kind else {
        return None;
    };
    let is = |e: &Expr| matches!(e.kind, ExprKind::Column(c) if c == from.index());
    let fixed = |e: &Expr| matches!(e.kind, ExprKind::Literal(_) | ExprKind::Variable(_));
    if !(is(left) && fixed(right) || is(right) && fixed(left)) {
        return None;
    }
    Some(renamed(predicate, &[from], &[to]))
}

/// The predicate cannot be TRUE when every column of `side` is NULL.
fn refuses_null(predicate: &Expr, side: &ColumnSet) -> bool {
    match &predicate.kind {
        ExprKind::Compare { left, right, null_equal: false, .. } => null_with(left, side) || null_with(right, side),
        ExprKind::Like { value, .. } | ExprKind::InList { value, .. } => null_with(value, side),
        ExprKind::Not(inner) => match &inner.kind {
            ExprKind::IsNull(value) => null_with(value, side),
            ExprKind::Like { value, .. } | ExprKind::InList { value, .. } => null_with(value, side),
            _ => false,
        },
        ExprKind::And(list) => list.iter().any(|p| refuses_null(p, side)),
        ExprKind::Or(list) => list.iter().all(|p| refuses_null(p, side)),
        _ => false,
    }
}

/// The value is NULL when the columns of `side` are.
fn null_with(value: &Expr, side: &ColumnSet) -> bool {
    match &value.kind {
        ExprKind::Column(column) => side.contains(ColumnId(*column as u32)),
        ExprKind::Convert { value, .. } | ExprKind::Negate(value) | ExprKind::BitNot(value) => null_with(value, side),
        // Not a string, which keeps its other part where CONCAT_NULL_YIELDS_NULL is off.
        ExprKind::Arithmetic(_, a, b) => !value.ty.is_string() && (null_with(a, side) || null_with(b, side)),
        _ => false,
    }
}
