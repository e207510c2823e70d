//! Predicates move down to where their columns come from. A predicate that is volatile or holds a subquery stays where it was
//! written, above whatever computes its columns.

use super::access::SPOOLED_ROWS_MIN;
use super::constant::{column_of, constant_of, equal_sides};
use super::either::{cannot_fail, factored, implied};
use super::rel::{ColumnId, ColumnSet, Join, Rel, substitute};
use crate::plan::{Expr, ExprKind, JoinKind, TableSource};

/// `rel` filtered by `predicates`, each as deep inside as it may go.
pub fn push(rel: Rel, predicates: Vec<Expr>) -> Rel {
    let predicates = factored(predicates);
    match rel {
        // What may fail comes behind what was written inside, which may keep from it the rows of which it cannot be asked.
        Rel::Filter { input, predicates: own } => {
            let (mut all, late): (Vec<Expr>, Vec<Expr>) = predicates.into_iter().partition(cannot_fail);
            all.extend(own);
            all.extend(late);
            push(*input, all)
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
pub fn is_one_row(rel: &Rel) -> bool {
    match rel {
        Rel::Map { input, .. } => is_one_row(input),
        Rel::Values { ids, rows } => ids.is_empty() && rows.len() == 1,
        _ => false,
    }
}

/// The conditions without what the one row of `rel` computes, if `rel` is one row, and nothing that must be computed once is asked of it.
fn of_one_row(rel: &Rel, mut on: Vec<Expr>) -> Option<Vec<Expr>> {
    match rel {
        Rel::Map { input, defs } => {
            for predicate in &mut on {
                let columns = ColumnSet::of(predicate);
                let mut read = defs.iter().filter(|(id, _)| columns.contains(*id));
                if read.any(|(_, def)| fixed_in_place(def)) {
                    return None;
                }
                substitute(predicate, defs);
            }
            of_one_row(input, on)
        }
        rel => is_one_row(rel).then_some(on),
    }
}

fn push_join(mut join: Join, predicates: Vec<Expr>) -> Rel {
    // A test that reads nothing else is a condition on the left side.
    if join.kind == JoinKind::Semi
        && let Some(mut all) = of_one_row(&join.right, join.on.clone())
    {
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
            JoinKind::Semi | JoinKind::Anti if predicate.asks_each_row() => above.push(predicate),
            JoinKind::Inner if in_left && in_right => on.push(predicate),
            JoinKind::Inner if in_right => to_right.push(predicate),
            JoinKind::FullOuter => above.push(predicate),
            JoinKind::LeftOuter if in_right => above.push(predicate),
            _ => to_left.push(predicate),
        }
    }
    let all = factored(std::mem::take(&mut join.on));
    let seeks = reads_left(&join) && all.iter().any(|p| is_sought(p, &join.right, &left));
    for predicate in all {
        let columns = ColumnSet::of(&predicate);
        let (in_left, in_right) = (columns.meets(&left), columns.meets(&right));
        match join.kind {
            _ if predicate.is_volatile() => on.push(predicate),
            JoinKind::Inner if in_left && !in_right => to_left.push(predicate),
            JoinKind::Inner | JoinKind::LeftOuter | JoinKind::Semi | JoinKind::Anti if in_right && !in_left => {
                to_right.push(predicate)
            }
            JoinKind::Semi if in_left && !in_right => to_left.push(predicate),
            _ if seeks && !predicate.has_subquery() && cannot_fail(&predicate) => to_right.push(predicate),
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
    if join.kind != JoinKind::FullOuter {
        imply(join.kind, &on, (&mut to_left, &left), (&mut to_right, &right));
    }
    join.left = push(join.left, to_left);
    join.right = push(join.right, to_right);
    join.on = on;
    Rel::Join(Box::new(join)).filter(above)
}

/// A test whose right side is made anew for each left row: it has other columns of that row inside.
fn reads_left(join: &Join) -> bool {
    join.lateral && !join.guard && matches!(join.kind, JoinKind::Semi | JoinKind::Anti)
}

/// An equality of a column of a table on the right that has an index for it, or is put aside by it.
fn is_sought(predicate: &Expr, right: &Rel, left: &ColumnSet) -> bool {
    let Some((a, b)) = equal_sides(predicate) else { return false };
    [(a, b), (b, a)]
        .iter()
        .any(|(own, other)| column_of(own).is_some_and(|id| finds_by(right, id)) && ColumnSet::of(other).within(left))
}

fn finds_by(rel: &Rel, id: ColumnId) -> bool {
    match rel {
        Rel::Get(get) => get.column_of(id).is_some_and(|column| {
            let is_first = |key: &[(u16, bool)]| key.first().is_some_and(|(first, _)| *first == column);
            let has_index = || {
                get.table.indexes.iter().any(|index| !index.disabled && index.filter.is_empty() && is_first(&index.key))
            };
            let is_put_aside = matches!(get.source, TableSource::Base(_)) && get.rows >= SPOOLED_ROWS_MIN;
            is_put_aside || has_index()
        }),
        Rel::Filter { input, .. } => finds_by(input, id),
        Rel::Join(join) => finds_by(&join.left, id) || join.kind == JoinKind::Inner && finds_by(&join.right, id),
        _ => false,
    }
}

/// Constants that one column is given through equalities with others, at most.
const IMPLIED_MAX: usize = 64;

/// `a.x = b.y`, `b.y = c.z` and `a.x = 5` give `b.y = 5` and `c.z = 5`, and so do bounds and lists: an index on any of them can be used, and
/// fewer rows are joined. Where the left rows stay without a partner, only the right side learns of it.
fn imply(kind: JoinKind, on: &[Expr], left: (&mut Vec<Expr>, &ColumnSet), right: (&mut Vec<Expr>, &ColumnSet)) {
    let ((to_left, in_left), (to_right, in_right)) = (left, right);
    let equalities: Vec<(&Expr, &Expr)> =
        on.iter().chain(&*to_left).chain(&*to_right).filter_map(equal_sides).collect();
    if equalities.is_empty() {
        return;
    }
    let is_inner = kind == JoinKind::Inner;
    let mut known: Vec<(ColumnId, Expr)> = to_left
        .iter()
        .chain(to_right.iter().filter(|_| is_inner))
        .filter_map(|predicate| Some((constant_of(predicate)?, predicate.clone())))
        .collect();
    let given = known.len();
    let mut at = 0;
    while at < known.len() && known.len() < given + IMPLIED_MAX {
        let (column, predicate) = known[at].clone();
        for (one, other) in equalities.iter().flat_map(|&(a, b)| [(a, b), (b, a)]) {
            let (Some(from), Some(to)) = (column_of(one), column_of(other)) else { continue };
            if from != column || matches!(predicate.kind, ExprKind::InList { .. }) && one.ty != other.ty {
                continue;
            }
            let moved = moved(&predicate, from, other);
            if !known.iter().any(|(id, old)| *id == to && old.same(&moved)) {
                known.push((to, moved));
            }
        }
        at += 1;
    }
    let has = |list: &[Expr], predicate: &Expr| list.iter().any(|old| old.same(predicate));
    let implied: Vec<(ColumnId, Expr)> = known.drain(given..).collect();
    for (column, predicate) in implied {
        if in_right.contains(column) && !has(to_right, &predicate) {
            to_right.push(predicate);
        } else if is_inner && in_left.contains(column) && !has(to_left, &predicate) {
            to_left.push(predicate);
        }
    }
}

/// The predicate about the column `to` instead.
fn moved(predicate: &Expr, from: ColumnId, to: &Expr) -> Expr {
    let mut predicate = predicate.clone();
    predicate.nullable |= to.nullable;
    predicate.rewrite(&mut |e| {
        if column_of(e) != Some(from) {
            return false;
        }
        *e = to.clone();
        true
    });
    predicate
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
