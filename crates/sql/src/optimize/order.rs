//! Join order: of each chain of inner joins, the cheapest tree that `search` finds. Semi and anti joins are put among them where they cost
//! least; one with rows that a unique key tells apart is an inner join. Outer joins stay where they are, as parts of a chain. Relations that read columns of others (APPLY) wait until those are there.

use std::collections::HashMap;

use super::access::{self, Access};
use super::constant::{column_of, equal_columns, equal_sides};
use super::either::implied as implied_of;
use super::estimate;
use super::outer_bounds::kept_between;
use super::rel::{ColumnId, ColumnSet, Get, Join, Rel};
use super::search::{self, BUILD_COST, Class, Edge, HASH_COST, PROBE_COST, Part, Test, Tree};
use crate::plan::{CompareOp, Expr, ExprKind, JoinKind};

/// What a seek between two bounds of another row costs of its estimate, and one with a single bound.
const BETWEEN_WEIGHT: f64 = 0.25;
const BESIDE_WEIGHT: f64 = 1.5;

/// Columns that are equal, of which all pairs are looked at.
const CLASS_MAX: usize = 10;

/// Orders every chain of inner joins within `rel`, of whose columns `needed` are read by others than its predicates.
pub fn order(rel: Rel, needed: &ColumnSet) -> Rel {
    match rel {
        Rel::Join(join) if is_chain(&join) => order_chain(*join, needed),
        mut other => {
            other.for_each_input_mut(&mut |input| *input = order(std::mem::replace(input, Rel::one_row()), needed));
            other
        }
    }
}

/// There is something to choose.
fn is_chain(join: &Join) -> bool {
    match join.kind {
        _ if join.keep_order => false,
        JoinKind::Inner => true,
        JoinKind::Semi | JoinKind::Anti => {
            is_test(join) && (below(&join.left).is_some_and(is_part_of) || is_inner(join))
        }
        _ => false,
    }
}

/// A join whose sides may become pieces of a chain.
fn is_part_of(join: &Join) -> bool {
    !join.keep_order && (join.kind == JoinKind::Inner || is_test(join))
}

/// The join under filters that stay what they are wherever they are asked.
fn below(rel: &Rel) -> Option<&Join> {
    match rel {
        Rel::Join(join) => Some(join),
        Rel::Filter { input, predicates } if !predicates.iter().any(Expr::is_volatile) => below(input),
        _ => None,
    }
}

/// A semi join or an anti join that reads rows of the left by its predicates alone. That of a security policy stays where it is.
fn is_test(join: &Join) -> bool {
    let is_plain = !join.lateral && !join.guard && !join.keep_order && join.hint.is_none();
    let kind = matches!(join.kind, JoinKind::Semi | JoinKind::Anti);
    is_plain && kind && !join.on.iter().any(|p| p.is_volatile() || p.has_subquery()) && {
        let left = join.left.defined();
        join.on.iter().any(|predicate| ColumnSet::of(predicate).meets(&left))
    }
}

/// A semi join whose right side has one row at most for each of the left, and fewer than these: an inner join, in which it may come first.
fn is_inner(join: &Join) -> bool {
    let keys = || {
        let right = join.right.defined();
        let sides = join.on.iter().filter_map(equal_columns);
        sides.flat_map(|(a, b)| [a, b]).filter(|id| right.contains(*id)).collect::<ColumnSet>()
    };
    join.kind == JoinKind::Semi
        && is_test(join)
        && !has_locator(&join.left)
        && estimate::rows(&join.right) < estimate::rows(&join.left)
        && is_unique(&join.right, &keys())
}

/// Rows of it are changed: who changes them wants each where the statement has it.
fn has_locator(rel: &Rel) -> bool {
    let mut found = matches!(rel, Rel::Get(get) if get.locator.is_some());
    rel.for_each_input(&mut |input| found |= has_locator(input));
    found
}

/// No two rows have the same values in the columns.
fn is_unique(rel: &Rel, columns: &ColumnSet) -> bool {
    match rel {
        Rel::Get(get) => get.table.indexes.iter().any(|index| {
            let is_key = index.unique && index.filter.is_empty() && !index.disabled;
            is_key && index.key.iter().all(|(column, _)| columns.contains(get.id_of(*column)))
        }),
        Rel::Filter { input, .. } | Rel::Sort { input, .. } => is_unique(input, columns),
        Rel::Map { input, defs } => {
            let mut below = columns.clone();
            for (id, value) in defs {
                below.remove(*id);
                if let (Some(source), true) = (column_of(value), columns.contains(*id)) {
                    below.insert(source);
                }
            }
            is_unique(input, &below)
        }
        Rel::Aggregate(group) => group.sets.is_none() && group.group.iter().all(|(id, _)| columns.contains(*id)),
        _ => false,
    }
}

struct Piece {
    rel: Rel,
    defines: ColumnSet,
    /// Columns of other pieces that it reads.
    needs: ColumnSet,
    /// Of a test: the part of the rows that it leaves.
    rows: f64,
    /// It is the right side of a semi join or an anti join with these predicates.
    test: Option<(JoinKind, Vec<Expr>)>,
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
    let (mut parts, orders): (Vec<Part>, Vec<Option<ColumnId>>) = pieces
        .iter()
        .map(|piece| {
            let test = piece.test.as_ref().map(|(_, on)| test_of(&piece.rel, on, &read));
            let rows = test.as_ref().map_or(piece.rows, |test| test.rows);
            let whole = whole(&piece.rel, &read);
            let cost = whole.as_ref().map_or_else(|| cost_of(&piece.rel, rows, &read), |(_, access)| access.cost);
            let order = whole.and_then(|(get, access)| ordered_by(get, &access));
            (Part { rows: piece.rows, cost, in_order: Vec::new(), needs: touched(&piece.needs), test }, order)
        })
        .unzip();
    let mut edges = edges(&pieces, &predicates, &touched);
    let written = predicates.len();
    let classes = implied(&pieces, &mut predicates, &mut edges, &touched);
    for (part, order) in parts.iter_mut().zip(orders) {
        let Some(id) = order else { continue };
        let asks = |&edge: &usize| {
            let mut own = edges[edge].predicates.iter().filter_map(|&at| equal_columns(&predicates[at]));
            edges[edge].is_equal && own.any(|(a, b)| a == id || b == id)
        };
        part.in_order = (0..edges.len()).filter(asks).collect();
    }
    let seek = |part: usize, with: &[usize]| {
        let (get, mut own) = seekable(&pieces[part].rel)?;
        with.iter().for_each(|&edge| own.extend(edges[edge].predicates.iter().map(|&p| predicates[p].clone())));
        let access = access::choose(get, &own, &columns_of(get, &own, &read), &[], None);
        let is_equal = with.iter().any(|&edge| edges[edge].is_equal);
        if is_equal {
            let times = |&edge: &usize| {
                let edge = &edges[edge];
                let other = edge.parts.iter().find(|&&other| other != part)?;
                let own: Vec<Expr> = edge.predicates.iter().map(|&p| predicates[p].clone()).collect();
                Some(estimate::KnownRows::times(&pieces[*other].rel, &pieces[part].rel, &own))
            };
            let times = with.iter().filter_map(times).product();
            return access.is_lookup().then(|| access.cost_times(times));
        }
        // Bounds that are another row's: of one about half of all rows are on its side, between two are mostly few.
        let weight = |both: bool| if both { BETWEEN_WEIGHT } else { BESIDE_WEIGHT };
        if access.is_seek() {
            return Some(access.cost * weight(access.lower.is_some() && access.upper.is_some()));
        }
        // Without an index the rows are put aside in the order of a value: once for all that ask.
        let both = kept_between(get, &own)?;
        let asking = with.iter().flat_map(|&edge| &edges[edge].parts).filter(|&&other| other != part);
        let times: f64 = asking.map(|&other| pieces[other].rows).product();
        let put_aside = get.rows as f64 * BUILD_COST / times.max(1.0);
        Some(access::SEEK_COST + put_aside + estimate::filtered(get, &own) * weight(both))
    };
    let tree = search::cheapest(&parts, &edges, &classes, &seek);
    let mut equal = Equal::default();
    let mut pieces: Vec<Option<Piece>> = pieces.into_iter().map(Some).collect();
    let mut predicates: Vec<(ColumnSet, Option<Expr>)> = predicates
        .into_iter()
        .map(|predicate| {
            let mut columns = ColumnSet::of(&predicate);
            columns.retain(|id| all.contains(id));
            (columns, Some(predicate))
        })
        .collect();
    let (rel, _) = built(&tree, f64::INFINITY, &mut pieces, &mut predicates, &mut equal);
    rel.filter(predicates.into_iter().take(written).filter_map(|(_, predicate)| predicate).collect())
}

/// What a semi join's right side costs to be asked.
fn test_of(rel: &Rel, on: &[Expr], read: &ColumnSet) -> Test {
    let own = rel.defined();
    let is_equal = on.iter().any(|predicate| match &predicate.kind {
        ExprKind::Compare { op: CompareOp::Equal, left, right, .. } => {
            let (a, b) = (ColumnSet::of(left), ColumnSet::of(right));
            a.meets(&own) != b.meets(&own) && !a.is_empty() && !b.is_empty()
        }
        _ => false,
    });
    let seek = seekable(rel).filter(|_| is_equal).and_then(|(get, mut all)| {
        let first = all.len();
        all.extend(on.iter().cloned());
        let access = access::choose(get, &all, &columns_of(get, &all, read), &[], Some(1.0));
        (access.is_lookup() && access.consumed.iter().any(|&at| at >= first)).then_some(access.cost)
    });
    Test { rows: estimate::rows(rel), is_equal, seek }
}

/// Columns that equalities make equal, as the tree is built: which need no further predicate.
#[derive(Default)]
struct Equal {
    groups: Vec<ColumnSet>,
}

impl Equal {
    /// The predicate is asked: false if others that are asked already say the same.
    fn asks(&mut self, predicate: &Expr) -> bool {
        let Some((a, b)) = equal_columns(predicate) else { return true };
        if self.groups.iter().any(|group| group.contains(a) && group.contains(b)) {
            return false;
        }
        let mut joined: ColumnSet = [a, b].into_iter().collect();
        self.groups.retain(|group| {
            let meets = group.meets(&joined);
            if meets {
                joined.insert_all(group);
            }
            !meets
        });
        self.groups.push(joined);
        true
    }
}

/// `a = b` and `b = c` give `a = c`, for three columns or more: adds the predicates that follow, and their edges.
fn implied(
    pieces: &[Piece],
    predicates: &mut Vec<Expr>,
    edges: &mut Vec<Edge>,
    touched: &dyn Fn(&ColumnSet) -> Vec<usize>,
) -> Vec<Class> {
    let mut groups: Vec<Vec<Expr>> = Vec::new();
    for (a, b) in predicates.iter().filter_map(equal_sides) {
        let with =
            |value: &Expr| groups.iter().position(|group| group.iter().any(|own| column_of(own) == column_of(value)));
        match (with(a), with(b)) {
            (None, None) => groups.push(vec![a.clone(), b.clone()]),
            (Some(at), None) => groups[at].push(b.clone()),
            (None, Some(at)) => groups[at].push(a.clone()),
            (Some(one), Some(other)) if one != other => {
                let moved = std::mem::take(&mut groups[other]);
                groups[one].extend(moved);
                groups.remove(other);
            }
            _ => {}
        }
    }
    let mut edge_of = HashMap::new();
    for (number, edge) in edges.iter().enumerate() {
        let pairs = edge.predicates.iter().filter_map(|&own| equal_columns(&predicates[own]));
        edge_of.extend(pairs.map(|(a, b)| ((Some(a.min(b)), Some(a.max(b))), number)));
    }
    let mut classes = Vec::new();
    for group in groups.into_iter().filter(|group| group.len() > 2) {
        let follows = group.len() <= CLASS_MAX;
        let at: Vec<Vec<usize>> =
            group.iter().map(|value| touched(&column_of(value).into_iter().collect::<ColumnSet>())).collect();
        let mut class = Class { edges: Vec::new(), kept: Vec::new() };
        for (one, other) in (0..group.len()).flat_map(|one| (one + 1..group.len()).map(move |other| (one, other))) {
            let (&[a], &[b]) = (at[one].as_slice(), at[other].as_slice()) else { continue };
            if a == b {
                continue;
            }
            let parts = vec![a.min(b), a.max(b)];
            let ids = (column_of(&group[one]), column_of(&group[other]));
            let written = edge_of.get(&(ids.0.min(ids.1), ids.0.max(ids.1)));
            match written.copied() {
                Some(edge) if edges[edge].predicates.len() == 1 => class.edges.push(edge),
                Some(_) => class.kept.push((a, b)),
                None if follows => {
                    let (left, right) = (Box::new(group[one].clone()), Box::new(group[other].clone()));
                    let kind = ExprKind::Compare { op: CompareOp::Equal, left, right, null_equal: false };
                    let predicate = Expr::predicate(kind);
                    let (first, second) = (&pieces[parts[0]], &pieces[parts[1]]);
                    let sides = ((&first.rel, first.rows), (&second.rel, second.rows));
                    let part = estimate::join_part(sides.0, sides.1, &[&predicate]);
                    class.edges.push(edges.len());
                    edges.push(Edge { parts, predicates: vec![predicates.len()], part, is_equal: true });
                    predicates.push(predicate);
                }
                None => {}
            }
        }
        class.edges.sort_by(|&a, &b| edges[b].part.total_cmp(&edges[a].part));
        class.edges.dedup();
        classes.push(class);
    }
    classes
}

/// Predicates by the pieces that they connect: equalities between the same two are one edge, and so are other comparisons, which may be
/// the bounds of a range.
fn edges(pieces: &[Piece], predicates: &[Expr], touched: &dyn Fn(&ColumnSet) -> Vec<usize>) -> Vec<Edge> {
    let mut edges: Vec<Edge> = Vec::new();
    for (at, predicate) in predicates.iter().enumerate() {
        let parts = touched(&ColumnSet::of(predicate));
        let is_equal = match parts.as_slice() {
            [a, b] => estimate::sides(predicate, &pieces[*a].rel, &pieces[*b].rel).is_some(),
            _ => false,
        };
        let is_bound = |predicate: &Expr| {
            matches!(&predicate.kind, ExprKind::Compare { op, .. } if !matches!(op, CompareOp::Equal | CompareOp::NotEqual))
                && !predicate.has_subquery()
        };
        let joins = |edge: &Edge| match is_equal {
            true => edge.is_equal,
            false => {
                !edge.is_equal && is_bound(predicate) && edge.predicates.iter().all(|&at| is_bound(&predicates[at]))
            }
        };
        match edges.iter_mut().find(|edge| edge.parts == parts && parts.len() == 2 && joins(edge)) {
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
            [a, b] => {
                let (a, b) = (&pieces[*a], &pieces[*b]);
                // What it says of each side alone has been asked there, and counts there.
                let asked = own.iter().flat_map(|predicate| {
                    [a, b].map(|piece| Some(estimate::selectivity(&piece.rel, &implied_of(predicate, &piece.defines)?)))
                });
                let asked: f64 = asked.flatten().product();
                let part = estimate::part(&estimate::Both(&a.rel, &b.rel), own.iter().copied());
                (part / asked.max(1e-9)).min(1.0)
            }
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
    equal: &mut Equal,
) -> (Rel, ColumnSet) {
    let (left, right, rows) = match tree {
        Tree::Part(at) => {
            let piece = pieces[*at].take().expect("a part is in the tree once");
            return (piece.rel, piece.defines);
        }
        Tree::Join { left, right, rows } => (left, right, *rows),
    };
    let (lateral, test) = match &**right {
        Tree::Part(at) => match &mut pieces[*at] {
            Some(piece) => (!piece.needs.is_empty() && piece.test.is_none(), piece.test.take()),
            None => (false, None),
        },
        Tree::Join { .. } => (false, None),
    };
    let (left, mut defines) = built(left, fewest.min(rows), pieces, predicates, equal);
    let (right, own) = built(right, fewest.min(rows), pieces, predicates, equal);
    defines.insert_all(&own);
    let (mut on, mut above) = (Vec::new(), Vec::new());
    for (_, predicate) in predicates.iter_mut().filter(|(columns, _)| columns.within(&defines)) {
        match predicate.as_ref().map(Expr::has_subquery) {
            Some(false) => on.extend(predicate.take().filter(|predicate| equal.asks(predicate))),
            Some(true) if rows <= fewest => above.extend(predicate.take()),
            _ => {}
        }
    }
    let rows = Some(rows.max(1.0));
    let join = match test {
        // Below it a single relation may have been waiting for the first join.
        Some((kind, test)) => Join { rows, ..Join::new(kind, left.filter(on), right, test) },
        None => Join { lateral, rows, ..Join::new(JoinKind::Inner, left, right, on) },
    };
    (Rel::Join(Box::new(join)).filter(above), defines)
}

/// What an ordered relation costs, joins and groups too.
pub fn cost(rel: &Rel, needed: &ColumnSet) -> f64 {
    match rel {
        Rel::Join(join) => {
            let (left, right) = (estimate::rows(&join.left), estimate::rows(&join.right));
            let rows = HASH_COST + left.min(right) * BUILD_COST + left.max(right) * PROBE_COST;
            let hashed = cost(&join.right, needed) + rows;
            let sought = seekable(&join.right).and_then(|(get, mut all)| {
                all.extend(join.on.iter().cloned());
                let access = access::choose(get, &all, &columns_of(get, &all, needed), &[], None);
                access.is_lookup().then_some(left * access.cost)
            });
            cost(&join.left, needed) + sought.map_or(hashed, |sought| sought.min(hashed))
        }
        Rel::Aggregate(group) => cost(&group.input, needed) + estimate::rows(&group.input) * PROBE_COST,
        rel if seekable(rel).is_some() => cost_of(rel, 0.0, needed),
        rel => {
            let mut all = 0.0;
            rel.for_each_input(&mut |input| all += cost(input, needed));
            all
        }
    }
}

/// What it costs to read the relation once.
fn cost_of(rel: &Rel, rows: f64, needed: &ColumnSet) -> f64 {
    if let Some((_, access)) = whole(rel, needed) {
        return access.cost;
    }
    let mut cost = rows;
    rel.for_each_input(&mut |input| cost += cost_of(input, estimate::rows(input), needed));
    cost
}

/// How a table is read once, if `rel` is one.
fn whole<'r>(rel: &'r Rel, needed: &ColumnSet) -> Option<(&'r Get, Access)> {
    let (get, predicates) = seekable(rel)?;
    Some((get, access::choose(get, &predicates, &columns_of(get, &predicates, needed), &[], None)))
}

/// The column by which rows of a table come as they are read.
fn ordered_by(get: &Get, access: &Access) -> Option<ColumnId> {
    let index = get.table.indexes.iter().find(|index| index.id == access.index && access.index != 0)?;
    index.key.get(access.equal.len()).map(|(column, _)| get.id_of(*column))
}

/// Columns of the table that somebody needs, or its predicates read.
pub fn columns_of(get: &Get, predicates: &[Expr], needed: &ColumnSet) -> Vec<u16> {
    let mut read = ColumnSet::default();
    predicates.iter().for_each(|predicate| read.insert_expr(predicate));
    let is_read = |id| needed.contains(id) || read.contains(id);
    (0..get.table.columns.len() as u16).filter(|&column| is_read(get.id_of(column))).collect()
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

/// The pieces of a chain of joins, from left to right; filters between the joins join the predicates.
fn flatten(rel: Rel, lateral: bool, needed: &ColumnSet, pieces: &mut Vec<Piece>, predicates: &mut Vec<Expr>) {
    match rel {
        Rel::Join(join) if is_part_of(&join) && !lateral => {
            if join.kind != JoinKind::Inner && !is_inner(&join) {
                return flatten_test(*join, needed, pieces, predicates);
            }
            let join = *join;
            flatten(join.left, false, needed, pieces, predicates);
            flatten(join.right, join.lateral, needed, pieces, predicates);
            predicates.extend(join.on);
        }
        Rel::Filter { input, predicates: own }
            if matches!(&*input, Rel::Join(join) if is_part_of(join))
                && !lateral
                && !own.iter().any(Expr::is_volatile) =>
        {
            flatten(*input, false, needed, pieces, predicates);
            predicates.extend(own);
        }
        rel => {
            let rel = order(rel, needed);
            let needs = if lateral { rel.free() } else { ColumnSet::default() };
            pieces.push(Piece { defines: rel.defined(), needs, rows: estimate::rows(&rel), rel, test: None });
        }
    }
}

/// A semi join or an anti join: its left side's pieces, and the right one, of which nobody else reads a column.
fn flatten_test(join: Join, needed: &ColumnSet, pieces: &mut Vec<Piece>, predicates: &mut Vec<Expr>) {
    let left_rows = estimate::rows(&join.left);
    let right_rows = estimate::rows(&join.right);
    let rows = estimate::joined(join.kind, (&join.left, left_rows), (&join.right, right_rows), &join.on);
    let part = (rows / left_rows.max(1.0)).min(1.0);
    flatten(join.left, false, needed, pieces, predicates);
    let right = order(join.right, needed);
    let mut needs = ColumnSet::default();
    join.on.iter().for_each(|predicate| needs.insert_expr(predicate));
    let own = right.defined();
    needs.retain(|id| !own.contains(id));
    let test = Some((join.kind, join.on));
    pieces.push(Piece { defines: ColumnSet::default(), needs, rows: part, rel: right, test });
}
