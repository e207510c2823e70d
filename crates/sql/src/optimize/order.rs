//! Join order: greedy. Start with the smallest relation, then always join the one that keeps the result smallest, preferring
//! those that a predicate connects. Relations that read columns of others (APPLY) wait until those are there.

use super::estimate;
use super::rel::{ColumnSet, Join, Rel};
use crate::plan::{Expr, JoinKind};

/// Orders every chain of inner joins within `rel`.
pub fn order(rel: Rel) -> Rel {
    match rel {
        Rel::Join(join) if join.kind == JoinKind::Inner && !join.keep_order => order_chain(*join),
        mut other => {
            other.for_each_input_mut(&mut |input| *input = order(std::mem::replace(input, Rel::one_row())));
            other
        }
    }
}

struct Part {
    rel: Rel,
    defines: ColumnSet,
    /// Columns of other parts that it reads.
    needs: ColumnSet,
    rows: f64,
}

fn order_chain(join: Join) -> Rel {
    let (mut parts, mut predicates) = (Vec::new(), Vec::new());
    flatten(Rel::Join(Box::new(join)), false, &mut parts, &mut predicates);
    let mut all = ColumnSet::default();
    parts.iter().for_each(|part| all.insert_all(&part.defines));
    for part in &mut parts {
        part.needs.retain(|id| all.contains(id));
    }
    let mut predicates: Vec<(ColumnSet, Expr)> = predicates
        .into_iter()
        .map(|p| {
            let mut columns = ColumnSet::of(&p);
            columns.retain(|id| all.contains(id));
            (columns, p)
        })
        .collect();

    let start = smallest(&parts, |part| if part.needs.is_empty() { part.rows } else { f64::INFINITY });
    let first = parts.remove(start);
    let (mut rel, mut defines, mut rows) = (first.rel, first.defines, first.rows);
    while !parts.is_empty() {
        let next = smallest(&parts, |part| {
            if !part.needs.within(&defines) {
                return f64::INFINITY;
            }
            let on: Vec<Expr> = usable(&predicates, &defines, &part.defines).map(|(_, p)| p.clone()).collect();
            let joined = estimate::joined(rows, part.rows, &on);
            // A cross join that happens to be small now makes everything after it larger.
            if on.is_empty() && part.needs.is_empty() { joined * 1e6 } else { joined }
        });
        let part = parts.remove(next);
        let mut on = Vec::new();
        predicates.retain(|(columns, predicate)| {
            let mut reach = defines.clone();
            reach.insert_all(&part.defines);
            let now = columns.within(&reach);
            if now {
                on.push(predicate.clone());
            }
            !now
        });
        rows = estimate::joined(rows, part.rows, &on);
        let lateral = !part.needs.is_empty();
        rel = Rel::Join(Box::new(Join {
            kind: JoinKind::Inner,
            left: rel,
            right: part.rel,
            on,
            lateral,
            hint: None,
            keep_order: false,
            guard: false,
        }));
        defines.insert_all(&part.defines);
    }
    rel.filter(predicates.into_iter().map(|(_, p)| p).collect())
}

/// The first of the least.
fn smallest(parts: &[Part], cost: impl Fn(&Part) -> f64) -> usize {
    let mut best = (f64::INFINITY, 0);
    for (i, part) in parts.iter().enumerate() {
        let cost = cost(part);
        if cost < best.0 {
            best = (cost, i);
        }
    }
    best.1
}

fn usable<'a>(
    predicates: &'a [(ColumnSet, Expr)],
    have: &'a ColumnSet,
    new: &'a ColumnSet,
) -> impl Iterator<Item = &'a (ColumnSet, Expr)> {
    predicates.iter().filter(move |(columns, _)| {
        let mut reach = have.clone();
        reach.insert_all(new);
        columns.meets(new) && columns.meets(have) && columns.within(&reach)
    })
}

/// The parts of a chain of inner joins, from left to right; filters between the joins join the predicates.
fn flatten(rel: Rel, lateral: bool, parts: &mut Vec<Part>, predicates: &mut Vec<Expr>) {
    match rel {
        Rel::Join(join) if join.kind == JoinKind::Inner && !join.keep_order && !lateral => {
            let join = *join;
            flatten(join.left, false, parts, predicates);
            flatten(join.right, join.lateral, parts, predicates);
            predicates.extend(join.on);
        }
        Rel::Filter { input, predicates: own }
            if matches!(&*input, Rel::Join(join) if join.kind == JoinKind::Inner && !join.keep_order)
                && !lateral
                && !own.iter().any(Expr::is_volatile) =>
        {
            flatten(*input, false, parts, predicates);
            predicates.extend(own);
        }
        rel => {
            let rel = order(rel);
            let needs = if lateral { rel.free() } else { ColumnSet::default() };
            parts.push(Part { defines: rel.defined(), needs, rows: estimate::rows(&rel), rel });
        }
    }
}
