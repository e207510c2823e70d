//! A comparison between a column and a subquery of the other side of a join: the subquery is computed on its side, once a row, so that rows can
//! be sought or hashed by what it gives. As a predicate it would be asked of every pair, or in a semi join of those that its equalities leave.

use super::estimate;
use super::rel::{ColumnId, ColumnSet, Columns, Join, Rel};
use crate::plan::{CompareOp, Expr, ExprKind, JoinKind};

/// `rel` with the subqueries of such predicates as columns.
pub fn computed(mut rel: Rel, columns: &mut Columns) -> Rel {
    rel.for_each_input_mut(&mut |input| *input = computed(std::mem::replace(input, Rel::one_row()), columns));
    if let Rel::Join(join) = &mut rel
        && !join.lateral
        && !join.guard
        && join.kind != JoinKind::FullOuter
    {
        compute(join, columns);
    }
    rel
}

fn compute(join: &mut Join, columns: &mut Columns) {
    let (left, right) = (join.left.defined(), join.right.defined());
    // An inner join may leave fewer rows to ask it of.
    let is_test = matches!(join.kind, JoinKind::Semi | JoinKind::Anti);
    let has_key = is_test && join.on.iter().any(|p| estimate::sides(p, &join.left, &join.right).is_some());
    let (mut on_left, mut on_right) = (Vec::new(), Vec::new());
    for predicate in &mut join.on {
        let ExprKind::Compare { op, left: a, right: b, null_equal: false } = &mut predicate.kind else { continue };
        if *op != CompareOp::Equal && !has_key {
            continue;
        }
        let (subquery, other) = if a.has_subquery() { (a, b) } else { (b, a) };
        if !subquery.has_subquery() || other.has_subquery() || subquery.is_volatile() || other.is_volatile() {
            continue;
        }
        let (own, asked) = (ColumnSet::of(subquery), ColumnSet::of(other));
        let is_of = |columns: &ColumnSet, side: &ColumnSet| !columns.is_empty() && columns.within(side);
        if is_of(&own, &left) && is_of(&asked, &right) {
            on_left.push(as_column(subquery, columns));
        } else if is_of(&own, &right) && is_of(&asked, &left) {
            on_right.push(as_column(subquery, columns));
        }
    }
    for (side, defs) in [(&mut join.left, on_left), (&mut join.right, on_right)] {
        defs.into_iter().for_each(|def| put(side, def));
    }
}

/// Where it is computed least often: of joined tables on the one whose columns it reads, unless the join leaves fewer rows.
fn put(rel: &mut Rel, def: (ColumnId, Expr)) {
    let rows = estimate::rows(rel);
    if let Rel::Join(join) = rel
        && !join.lateral
        && !join.guard
        && join.kind != JoinKind::FullOuter
    {
        let own = ColumnSet::of(&def.1);
        let takes = |side: &Rel| own.within(&side.defined()) && estimate::rows(side) <= rows;
        if takes(&join.left) {
            return put(&mut join.left, def);
        }
        if join.kind == JoinKind::Inner && takes(&join.right) {
            return put(&mut join.right, def);
        }
    }
    *rel = std::mem::replace(rel, Rel::one_row()).map(vec![def]);
}

/// A column stands for the value.
fn as_column(value: &mut Expr, columns: &mut Columns) -> (ColumnId, Expr) {
    let id = columns.add(value.ty, value.nullable);
    (id, std::mem::replace(value, columns.expr(id)))
}
