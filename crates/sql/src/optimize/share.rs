//! What a query asks for twice is done once: groups of a view or a common table expression that it names in several places, and groups within a
//! subquery that is run for each of some rows, in which these have no part. The first who wants them puts them aside, the others read what is
//! there. Only groups are shared: they are made whole before the first is given, and they are few beside what they are made of.

use crate::plan::{
    Aggregate, Expr, ExprKind, GroupStrategy, Operator, OperatorKind, OuterSlot, SeekRange, Shared, TableSource,
};

/// Of an aggregate's input, expected: fewer are grouped twice as fast as they are put aside.
const INPUT_ROWS_MIN: f64 = 1_000.0;

pub fn share(plan: &mut Operator) {
    let (mut wanted, mut is_again) = (0, false);
    walk(plan, false, &mut |operator, again| {
        wanted += usize::from(is_wanted(operator));
        is_again |= again && is_wanted(operator);
        true
    });
    // Most plans have nothing that could be shared, and need no copies to compare.
    if wanted < 2 && !is_again {
        return;
    }
    let mut all: Vec<Found> = Vec::new();
    walk(plan, false, &mut |operator, again| {
        if is_wanted(operator) {
            all.push(Found { operator: operator.clone(), end: all.len() + count(operator), again });
        }
        true
    });
    let numbers = numbered(&all);
    let shared = numbers.iter().flatten().max().map_or(0, |last| last + 1);
    if shared == 0 {
        return;
    }
    let mut at = 0;
    walk(plan, false, &mut |operator, _| {
        if !is_wanted(operator) {
            return true;
        }
        let own = at;
        match numbers[own] {
            Some(number) => {
                at = all[own].end;
                replaced(operator, |input| OperatorKind::Shared(Box::new(Shared { input, number })));
            }
            None => at += 1,
        }
        numbers[own].is_none()
    });
    replaced(plan, |input| OperatorKind::Sharing { input: Box::new(input), count: shared });
}

/// One of the aggregates, in the order of `walk`.
struct Found {
    operator: Operator,
    /// Of those that are not below it the first one's index.
    end: usize,
    /// It lies in what is run for each of some rows.
    again: bool,
}

fn replaced(operator: &mut Operator, with: impl FnOnce(Operator) -> OperatorKind) {
    let (columns, rows) = (operator.columns.clone(), operator.rows);
    let input = std::mem::replace(operator, Operator { kind: OperatorKind::Values(Vec::new()), columns, rows });
    operator.kind = with(input);
}

fn is_wanted(operator: &Operator) -> bool {
    matches!(&operator.kind, OperatorKind::Aggregate { input, group, strategy, .. }
        if input.rows >= INPUT_ROWS_MIN && (*strategy == GroupStrategy::Hash || group.is_empty()))
}

fn count(operator: &mut Operator) -> usize {
    let mut count = 0;
    walk(operator, false, &mut |operator, _| {
        count += usize::from(is_wanted(operator));
        true
    });
    count
}

/// Of each aggregate: which of the shared ones it is.
fn numbered(all: &[Found]) -> Vec<Option<u32>> {
    let mut numbers = vec![None; all.len()];
    let mut taken = vec![false; all.len()];
    let mut next = 0;
    for (at, own) in all.iter().enumerate() {
        if taken[at] {
            continue;
        }
        let is_same = |other: &Found| same(&own.operator, &other.operator, &mut Vec::new());
        let others: Vec<usize> = (own.end..all.len()).filter(|&other| !taken[other] && is_same(&all[other])).collect();
        // It is the same as itself if no outer row has a part in it.
        if others.is_empty() && !(own.again && is_same(own)) {
            continue;
        }
        for own in std::iter::once(at).chain(others) {
            numbers[own] = Some(next);
            taken[own..all[own].end].fill(true);
        }
        next += 1;
    }
    numbers
}

/// Each operator before those below it, and whether it is run for each of some rows; false: not those below.
fn walk(operator: &mut Operator, again: bool, see: &mut dyn FnMut(&mut Operator, bool) -> bool) {
    use OperatorKind::*;
    if !see(operator, again) {
        return;
    }
    match &mut operator.kind {
        Filter { input, predicate } => {
            walk(input, again, see);
            within(predicate, again, see);
        }
        Project { input, exprs } => {
            walk(input, again, see);
            exprs.iter_mut().for_each(|expr| within(expr, again, see));
        }
        NestedLoops(join) => {
            walk(&mut join.outer, again, see);
            walk(&mut join.inner, again || !join.bindings.is_empty(), see);
            join.predicate.iter_mut().for_each(|expr| within(expr, again, see));
        }
        HashJoin(join) => {
            walk(&mut join.left, again, see);
            walk(&mut join.right, again, see);
            join.residual.iter_mut().for_each(|expr| within(expr, again, see));
        }
        Scan(scan) => scan.residual.iter_mut().for_each(|expr| within(expr, again, see)),
        OperatorKind::Aggregate { input, .. }
        | GroupingSets { input, .. }
        | Sort { input, .. }
        | Window { input, .. }
        | Spool(input)
        | ForText { input, .. }
        | Sharing { input, .. } => walk(input, again, see),
        Top(top) => walk(&mut top.input, again, see),
        Concat(inputs) => inputs.iter_mut().for_each(|input| walk(input, again, see)),
        SetOperation { left, right, .. } => {
            walk(left, again, see);
            walk(right, again, see);
        }
        IndexSpool(spool) => walk(&mut spool.input, false, see),
        Shared(shared) => walk(&mut shared.input, false, see),
        // What a recursion does once a round is no part of it.
        Recursive { .. }
        | Virtual { .. }
        | TableFunction { .. }
        | UserTableFunction { .. }
        | Values(_)
        | WorkTable(_)
        | Modify(_) => {}
    }
}

fn within(expr: &mut Expr, again: bool, see: &mut dyn FnMut(&mut Operator, bool) -> bool) {
    if let ExprKind::Subquery(subquery) = &mut expr.kind {
        walk(&mut subquery.plan, again || !subquery.bindings.is_empty(), see);
    }
    expr.for_each_child_mut(&mut |child| within(child, again, see));
}

/// They give the same rows. `slots`: what joins of both put aside for their inner sides, which no row outside has a part in.
fn same(a: &Operator, b: &Operator, slots: &mut Vec<(OuterSlot, OuterSlot)>) -> bool {
    use OperatorKind::*;
    match (&a.kind, &b.kind) {
        (Scan(a), Scan(b)) => {
            let is_base = matches!(a.table, TableSource::Base(_));
            let reads = (a.index, &a.columns, a.backward, a.lookup, a.lock)
                == (b.index, &b.columns, b.backward, b.lookup, b.lock);
            is_base
                && reads
                && !(a.locator || b.locator)
                && a.table.is_same(&b.table)
                && same_range(a.range.as_ref(), b.range.as_ref(), slots)
                && same_range(a.partitions.as_deref(), b.partitions.as_deref(), slots)
                && same_all(&a.residual, &b.residual, slots)
        }
        (Filter { input: a, predicate: p }, Filter { input: b, predicate: q }) => {
            same(a, b, slots) && same_expr(p, q, slots)
        }
        (Project { input: a, exprs: p }, Project { input: b, exprs: q }) => same(a, b, slots) && same_all(p, q, slots),
        (NestedLoops(a), NestedLoops(b)) => {
            let bound =
                a.bindings.len() == b.bindings.len() && a.bindings.iter().zip(&b.bindings).all(|(a, b)| a.1 == b.1);
            if a.kind != b.kind || !bound || !same(&a.outer, &b.outer, slots) {
                return false;
            }
            slots.extend(a.bindings.iter().zip(&b.bindings).map(|(a, b)| (a.0, b.0)));
            same(&a.inner, &b.inner, slots) && same_all(&a.predicate, &b.predicate, slots)
        }
        (HashJoin(a), HashJoin(b)) => {
            a.kind == b.kind
                && (a.build_left, &a.nulls_meet) == (b.build_left, &b.nulls_meet)
                && same(&a.left, &b.left, slots)
                && same(&a.right, &b.right, slots)
                && same_all(a.keys.iter().map(|key| &key.0), b.keys.iter().map(|key| &key.0), slots)
                && same_all(a.keys.iter().map(|key| &key.1), b.keys.iter().map(|key| &key.1), slots)
                && same_all(&a.residual, &b.residual, slots)
        }
        (
            OperatorKind::Aggregate { input: a, group: p, aggregates: all, strategy },
            OperatorKind::Aggregate { input: b, group: q, aggregates: others, strategy: other },
        ) => {
            strategy == other
                && same(a, b, slots)
                && same_all(p, q, slots)
                && all.len() == others.len()
                && all.iter().zip(others).all(|(a, b)| a.is_same(b) && !reads_outside(a))
        }
        (Concat(a), Concat(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, slots)),
        _ => false,
    }
}

fn reads_outside(aggregate: &Aggregate) -> bool {
    aggregate
        .argument
        .iter()
        .chain(&aggregate.extra)
        .any(|expr| expr.any(&mut |e| matches!(e.kind, ExprKind::Outer(_))))
}

type Slots = [(OuterSlot, OuterSlot)];

fn same_range(a: Option<&SeekRange>, b: Option<&SeekRange>, slots: &Slots) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return a.is_none() && b.is_none() };
    let kind = |bound: &Option<(Expr, crate::plan::Bound)>| bound.as_ref().map(|(_, kind)| *kind);
    (kind(&a.lower), kind(&a.upper)) == (kind(&b.lower), kind(&b.upper))
        && a.equal.len() == b.equal.len()
        && same_all(a.values(), b.values(), slots)
        && same_all(&a.any_of, &b.any_of, slots)
}

fn same_all<'e>(a: impl IntoIterator<Item = &'e Expr>, b: impl IntoIterator<Item = &'e Expr>, slots: &Slots) -> bool {
    let (mut a, mut b) = (a.into_iter(), b.into_iter());
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if same_expr(a, b, slots) => {}
            _ => return false,
        }
    }
}

/// Each time with the same value for the same row.
fn same_expr(a: &Expr, b: &Expr, slots: &Slots) -> bool {
    if a.is_volatile() {
        return false;
    }
    let is_outer = |expr: &Expr| expr.any(&mut |e| matches!(e.kind, ExprKind::Outer(_)));
    if !is_outer(a) && !is_outer(b) {
        return a.same(b);
    }
    let (mut own, mut known) = (b.clone(), true);
    own.rewrite(&mut |e| {
        if let ExprKind::Outer(slot) = &mut e.kind {
            match slots.iter().rfind(|(_, other)| other == slot) {
                Some((one, _)) => *slot = *one,
                None => known = false,
            };
        }
        false
    });
    known && a.same(&own)
}
