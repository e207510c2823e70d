//! What a query asks for twice is done once: groups of a view or a common table expression that it names in several places. The first who
//! wants them puts them aside, the others read what is there. Only groups are shared: they are made whole before the first is given, and they
//! are few beside what they are made of.

use crate::plan::{
    Aggregate, Expr, ExprKind, GroupStrategy, Operator, OperatorKind, OuterSlot, SeekRange, Shared, TableSource,
};

/// Of an aggregate's input, expected: fewer are grouped twice as fast as they are put aside.
const INPUT_ROWS_MIN: f64 = 1_000.0;

pub fn share(plan: &mut Operator) {
    if count(plan) < 2 {
        return;
    }
    let mut all: Vec<(Operator, usize)> = Vec::new();
    walk(plan, &mut |operator| {
        if is_wanted(operator) {
            let mut own = operator.clone();
            let end = all.len() + count(&mut own);
            all.push((own, end));
        }
        true
    });
    let numbers = numbered(&all);
    let shared = numbers.iter().flatten().max().map_or(0, |last| last + 1);
    if shared == 0 {
        return;
    }
    let mut at = 0;
    walk(plan, &mut |operator| {
        if !is_wanted(operator) {
            return true;
        }
        let own = at;
        match numbers[own] {
            Some(number) => {
                at = all[own].1;
                replaced(operator, |input| OperatorKind::Shared(Box::new(Shared { input, number })));
            }
            None => at += 1,
        }
        numbers[own].is_none()
    });
    replaced(plan, |input| OperatorKind::Sharing { input: Box::new(input), count: shared });
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
    walk(operator, &mut |operator| {
        count += usize::from(is_wanted(operator));
        true
    });
    count
}

/// Of each aggregate, in the order of `walk` and with the index behind those inside of it: which of the shared ones it is.
fn numbered(all: &[(Operator, usize)]) -> Vec<Option<u32>> {
    let mut numbers = vec![None; all.len()];
    let mut taken = vec![false; all.len()];
    let mut next = 0;
    for (at, (operator, end)) in all.iter().enumerate() {
        let alike = |&other: &usize| !taken[other] && same(operator, &all[other].0, &mut Vec::new());
        if taken[at] {
            continue;
        }
        let others: Vec<usize> = (*end..all.len()).filter(alike).collect();
        if others.is_empty() {
            continue;
        }
        for own in std::iter::once(at).chain(others) {
            numbers[own] = Some(next);
            taken[own..all[own].1].fill(true);
        }
        next += 1;
    }
    numbers
}

/// Each operator before those below it; false: not those. Of subqueries within expressions only such as read nothing of the row outside.
fn walk(operator: &mut Operator, see: &mut dyn FnMut(&mut Operator) -> bool) {
    use OperatorKind::*;
    if !see(operator) {
        return;
    }
    match &mut operator.kind {
        Filter { input, predicate } => {
            walk(input, see);
            within(predicate, see);
        }
        Project { input, exprs } => {
            walk(input, see);
            exprs.iter_mut().for_each(|expr| within(expr, see));
        }
        NestedLoops(join) => {
            walk(&mut join.outer, see);
            walk(&mut join.inner, see);
            join.predicate.iter_mut().for_each(|expr| within(expr, see));
        }
        HashJoin(join) => {
            walk(&mut join.left, see);
            walk(&mut join.right, see);
            join.residual.iter_mut().for_each(|expr| within(expr, see));
        }
        Scan(scan) => scan.residual.iter_mut().for_each(|expr| within(expr, see)),
        OperatorKind::Aggregate { input, .. }
        | GroupingSets { input, .. }
        | Sort { input, .. }
        | Window { input, .. }
        | Spool(input)
        | ForText { input, .. }
        | Sharing { input, .. } => walk(input, see),
        Top(top) => walk(&mut top.input, see),
        Concat(inputs) => inputs.iter_mut().for_each(|input| walk(input, see)),
        SetOperation { left, right, .. } => {
            walk(left, see);
            walk(right, see);
        }
        IndexSpool(spool) => walk(&mut spool.input, see),
        Shared(shared) => walk(&mut shared.input, see),
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

fn within(expr: &mut Expr, see: &mut dyn FnMut(&mut Operator) -> bool) {
    if let ExprKind::Subquery(subquery) = &mut expr.kind
        && subquery.bindings.is_empty()
    {
        walk(&mut subquery.plan, see);
    }
    expr.for_each_child_mut(&mut |child| within(child, see));
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
