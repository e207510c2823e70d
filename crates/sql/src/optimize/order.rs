//! Join order: of each chain of inner joins, the cheapest tree that `search` finds. Outer, semi and anti joins stay where they are, as
//! parts of a chain. Relations that read columns of others (APPLY) wait until those are there.

use super::access;
use super::estimate;
use super::rel::{ColumnSet, Get, Join, Rel};
use super::search::{self, Edge, Part, Tree};
use crate::plan::{Expr, JoinKind};

/// Orders every chain of inner joins within `rel`, of whose columns `needed` are read by others than its predicates.
pub fn order(rel: Rel, needed: &ColumnSet) -> Rel {
    match rel {
        Rel::Join(join) if join.kind == JoinKind::Inner && !join.keep_order => order_chain(*join, needed),
        mut other => {
            other.for_each_input_mut(&mut |input| *input = order(std::mem::replace(input, Rel::one_row()), needed));
            other
        }
    }
}

struct Piece {
    rel: Rel,
    defines: ColumnSet,
    /// Columns of other pieces that it reads.
    needs: ColumnSet,
    rows: f64,
}

fn order_chain(join: Join, needed: &ColumnSet) -> Rel {
    let (mut pieces, mut predicates) = (Vec::new(), Vec::new());
    flatten(Rel::Join(Box::new(join)), false, needed, &mut pieces, &mut predicates);
    let mut all = ColumnSet::default();
    pieces.iter().for_each(|piece| all.insert_all(&piece.defines));
    for piece in &mut pieces {
        piece.needs.retain(|id| all.contains(id));
    }
    let read: ColumnSet = {
        let mut read = needed.clone();
        predicates.iter().for_each(|p| read.insert_expr(p));
        read
    };
    let touched = |columns: &ColumnSet| -> Vec<usize> {
        (0..pieces.len()).filter(|&at| pieces[at].defines.meets(columns)).collect()
    };
    let parts: Vec<Part> = pieces
        .iter()
        .map(|piece| Part {
            rows: piece.rows,
            cost: cost_of(&piece.rel, piece.rows, &read),
            needs: touched(&piece.needs),
        })
        .collect();
    let edges = edges(&pieces, &predicates, touched);
    let seek = |part: usize, with: &[usize]| {
        let (get, mut own) = seekable(&pieces[part].rel)?;
        with.iter().for_each(|&edge| own.extend(edges[edge].predicates.iter().map(|&p| predicates[p].clone())));
        let access = access::choose(get, &own, &columns_of(get, &read), &[], None);
        access.is_lookup().then_some(access.cost)
    };
    let tree = search::cheapest(&parts, &edges, &seek);
    let mut pieces: Vec<Option<Piece>> = pieces.into_iter().map(Some).collect();
    let mut predicates: Vec<(ColumnSet, Option<Expr>)> = predicates
        .into_iter()
        .map(|predicate| {
            let mut columns = ColumnSet::of(&predicate);
            columns.retain(|id| all.contains(id));
            (columns, Some(predicate))
        })
        .collect();
    let (rel, _) = built(&tree, f64::INFINITY, &mut pieces, &mut predicates);
    rel.filter(predicates.into_iter().filter_map(|(_, predicate)| predicate).collect())
}

/// Predicates by the pieces that they connect: equalities between the same two are one edge.
fn edges(pieces: &[Piece], predicates: &[Expr], touched: impl Fn(&ColumnSet) -> Vec<usize>) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for (at, predicate) in predicates.iter().enumerate() {
        let parts = touched(&ColumnSet::of(predicate));
        let is_equal = match parts.as_slice() {
            [a, b] => estimate::sides(predicate, &pieces[*a].rel, &pieces[*b].rel).is_some(),
            _ => false,
        };
        match edges.iter_mut().find(|edge| edge.is_equal && is_equal && edge.parts == parts) {
            Some(edge) => edge.predicates.push(at),
            None => edges.push(Edge { parts, predicates: vec![at], part: 1.0, is_equal }),
        }
    }
    for edge in &mut edges {
        let own: Vec<&Expr> = edge.predicates.iter().map(|&at| &predicates[at]).collect();
        if own.iter().any(|predicate| predicate.has_subquery()) {
            // A filter above some join.
            continue;
        }
        edge.part = match edge.parts.as_slice() {
            [a, b] if edge.is_equal => {
                let (a, b) = (&pieces[*a], &pieces[*b]);
                estimate::join_part((&a.rel, a.rows), (&b.rel, b.rows), &own)
            }
            [a, b] => estimate::part(&estimate::Both(&pieces[*a].rel, &pieces[*b].rel), own.into_iter()),
            [a] => estimate::part(&pieces[*a].rel, own.into_iter()),
            _ => estimate::part(&estimate::Nothing, own.into_iter()),
        };
    }
    edges
}

/// The relation that the tree describes; each predicate at the first join that has all its columns, and one with a subquery above the
/// join of these that leaves the fewest rows to ask it of. `fewest`: of the joins above.
fn built(
    tree: &Tree,
    fewest: f64,
    pieces: &mut [Option<Piece>],
    predicates: &mut [(ColumnSet, Option<Expr>)],
) -> (Rel, ColumnSet) {
    let (left, right, rows) = match tree {
        Tree::Part(at) => {
            let piece = pieces[*at].take().expect("a part is in the tree once");
            return (piece.rel, piece.defines);
        }
        Tree::Join { left, right, rows } => (left, right, *rows),
    };
    let lateral = match &**right {
        Tree::Part(at) => pieces[*at].as_ref().is_some_and(|piece| !piece.needs.is_empty()),
        Tree::Join { .. } => false,
    };
    let (left, mut defines) = built(left, fewest.min(rows), pieces, predicates);
    let (right, own) = built(right, fewest.min(rows), pieces, predicates);
    defines.insert_all(&own);
    let (mut on, mut above) = (Vec::new(), Vec::new());
    for (_, predicate) in predicates.iter_mut().filter(|(columns, _)| columns.within(&defines)) {
        match predicate.as_ref().map(Expr::has_subquery) {
            Some(false) => on.extend(predicate.take()),
            Some(true) if rows <= fewest => above.extend(predicate.take()),
            _ => {}
        }
    }
    let join = Join { lateral, rows: Some(rows.max(1.0)), ..Join::new(JoinKind::Inner, left, right, on) };
    (Rel::Join(Box::new(join)).filter(above), defines)
}

/// What it costs to read the relation once.
fn cost_of(rel: &Rel, rows: f64, needed: &ColumnSet) -> f64 {
    if let Some((get, predicates)) = seekable(rel) {
        return access::choose(get, &predicates, &columns_of(get, needed), &[], None).cost;
    }
    let mut cost = rows;
    rel.for_each_input(&mut |input| cost += cost_of(input, estimate::rows(input), needed));
    cost
}

fn columns_of(get: &Get, needed: &ColumnSet) -> Vec<u16> {
    (0..get.table.columns.len() as u16).filter(|&column| needed.contains(get.id_of(column))).collect()
}

/// A table under filters and computed columns.
pub fn seekable(rel: &Rel) -> Option<(&Get, Vec<Expr>)> {
    match rel {
        Rel::Get(get) => Some((get, Vec::new())),
        Rel::Filter { input, predicates } => {
            let (get, mut own) = seekable(input)?;
            own.extend(predicates.iter().cloned());
            Some((get, own))
        }
        Rel::Map { input, .. } => seekable(input),
        _ => None,
    }
}

/// The pieces of a chain of inner joins, from left to right; filters between the joins join the predicates.
fn flatten(rel: Rel, lateral: bool, needed: &ColumnSet, pieces: &mut Vec<Piece>, predicates: &mut Vec<Expr>) {
    match rel {
        Rel::Join(join) if join.kind == JoinKind::Inner && !join.keep_order && !lateral => {
            let join = *join;
            flatten(join.left, false, needed, pieces, predicates);
            flatten(join.right, join.lateral, needed, pieces, predicates);
            predicates.extend(join.on);
        }
        Rel::Filter { input, predicates: own }
            if matches!(&*input, Rel::Join(join) if join.kind == JoinKind::Inner && !join.keep_order)
                && !lateral
                && !own.iter().any(Expr::is_volatile) =>
        {
            flatten(*input, false, needed, pieces, predicates);
            predicates.extend(own);
        }
        rel => {
            let rel = order(rel, needed);
            let needs = if lateral { rel.free() } else { ColumnSet::default() };
            pieces.push(Piece { defines: rel.defined(), needs, rows: estimate::rows(&rel), rel });
        }
    }
}
