//! Ways to read one table other than by one scan: a seek for each arm of an OR, and rows put aside by what outer rows ask for.

use super::access::{self, Access, SPOOLED_ROWS_MIN, Way};
use super::constant::{column_of, equi, nulls_meet};
use super::either::{ARMS_MAX, conjuncts, not_true};
use super::estimate;
use super::lower::{Lowered, Lowering, Output, Want};
use super::order::seekable;
use super::outer_bounds::{is_lower, outer_bound};
use super::rel::{ColumnId, ColumnSet, Columns, Get, Rel};
use crate::plan::{
    Bound, CompareOp, Expr, ExprKind, IndexSpool, Operator, OperatorKind, SortKey, SpoolRange, TableSource,
};

impl Lowering<'_> {
    /// Better than `access`, which is the best way with one scan.
    pub(super) fn way(&self, get: &Get, predicates: &[Expr], access: &Access, needed: &[u16], want: Want) -> Way {
        // Natively compiled code knows scans alone, and a modification's target is found by one.
        let is_lookup = access.is_lookup() && keeps_keys(get, access);
        if is_lookup || self.looks_up || get.locator.is_some_and(|id| want.needed.contains(id)) {
            return Way::OneScan;
        }
        if let Some(arms) = self.arms(get, predicates, access, needed) {
            return Way::Arms(arms);
        }
        // How many rows a variable or a trigger's table will have nobody knows.
        let is_large = match get.source {
            TableSource::Base(_) => get.rows >= SPOOLED_ROWS_MIN,
            TableSource::Variable(..) | TableSource::Inserted(_) | TableSource::Deleted(_) => true,
            TableSource::View(_) => false,
        };
        let keeps = is_large && !get.force_seek;
        let asks = keeps && (self.asks_by_key(get, predicates) || self.asks_by_bounds(get, predicates, access));
        if asks && !self.stops_early(get, predicates, access, want) { Way::OuterRows } else { Way::OneScan }
    }

    /// The first rows in the wanted order are found sooner by an index that has it than among all rows with the keys.
    fn stops_early(&self, get: &Get, predicates: &[Expr], access: &Access, want: Want) -> bool {
        let own = get.defined();
        let keys = predicates.iter().filter(|p| outer_key(p, &own).is_some() || outer_bound(p, &own).is_some());
        let with_keys = estimate::table_rows(get) * estimate::part(get, keys);
        want.goal.is_some() && !want.order.is_empty() && access.ordered && access.cost < with_keys
    }

    /// An OR of which each arm has a way of its own, and all of them are no dearer than one scan.
    fn arms(&self, get: &Get, predicates: &[Expr], access: &Access, needed: &[u16]) -> Option<usize> {
        if get.forced_index.is_some() {
            return None;
        }
        predicates.iter().position(|predicate| {
            let ExprKind::Or(arms) = &predicate.kind else { return false };
            if arms.len() > ARMS_MAX || predicate.is_volatile() || predicate.has_subquery() {
                return false;
            }
            let mut cost = 0.0;
            let all_seek = arms.iter().all(|arm| {
                let arm = conjuncts(arm);
                let own = access::choose(get, &arm, needed, &[], None);
                cost += own.cost;
                own.is_lookup() || self.asks_by_key(get, &arm)
            });
            all_seek && (cost < access.cost || !self.frames.is_empty())
        })
    }

    /// `a = 1 OR b = 2`: the rows of each arm by an index of its own, without those of the arms before.
    pub(super) fn by_arms(
        &mut self,
        columns: &Columns,
        get: Get,
        mut predicates: Vec<Expr>,
        or: usize,
        want: Want,
    ) -> Lowered {
        let ExprKind::Or(arms) = predicates.remove(or).kind else { unreachable!("it was one") };
        let ids: Vec<ColumnId> = (0..get.table.columns.len() as u16)
            .filter(|&column| get.table.stored[usize::from(column)].is_some())
            .map(|column| get.id_of(column))
            .filter(|&id| want.needed.contains(id))
            .collect();
        let mut inputs: Vec<Operator> = Vec::with_capacity(arms.len());
        for (i, arm) in arms.iter().enumerate() {
            let mut own = conjuncts(arm);
            own.extend(predicates.iter().cloned());
            own.extend(arms[..i].iter().cloned().map(not_true));
            let outputs = ids.iter().map(|&id| Output { name: "".into(), expr: columns.expr(id) }).collect();
            inputs.push(self.outputs(columns, Rel::Get(Box::new(get.clone())).filter(own), outputs));
        }
        let rows = inputs.iter().map(|op| op.rows).sum();
        Lowered::new(OperatorKind::Concat(inputs), columns, ids, rows)
    }

    /// A table without an index for what each outer row asks of it is read once and put aside by that.
    pub(super) fn by_outer_rows(&mut self, columns: &Columns, get: Get, predicates: Vec<Expr>, want: Want) -> Lowered {
        let own = get.defined();
        let (asked, local): (Vec<Expr>, Vec<Expr>) =
            predicates.into_iter().partition(|p| !ColumnSet::of(p).within(&own) || p.has_subquery());
        let (mut keys, rest): (Vec<Expr>, Vec<Expr>) = asked.into_iter().partition(|p| outer_key(p, &own).is_some());
        let pairs = keys.iter().map(|p| outer_key(p, &own).expect("it is a key")).collect::<Vec<_>>();
        let (range, rest) = kept_range(columns, &own, rest, want, !keys.is_empty());
        let gives_order = range.as_ref().is_some_and(|range| range.ordered);
        let mut needed = want.needed.clone();
        let order = range.iter().flat_map(|range| range.order.iter().map(|key| &key.expr));
        keys.iter().chain(&rest.asked).chain(&rest.left).chain(order).for_each(|p| {
            let mut read = ColumnSet::of(p);
            read.retain(|id| own.contains(id));
            needed.insert_all(&read);
        });
        keys.extend(rest.asked);
        let rest = rest.left;
        let part = estimate::part(&get, rest.iter());
        let asked = estimate::part(&get, keys.iter());
        let order: &[(ColumnId, bool)] = if gives_order { &[] } else { want.order };
        let input = self.lower_get(columns, get, local, Want { needed: &needed, order, goal: None });
        let keys_bound = pairs
            .into_iter()
            .map(|(key, value)| (self.bound(columns, key, &input.layout), self.bound(columns, value, &[])))
            .collect();
        let range = range.map(|range| SpoolRange {
            order: self.bound_keys(columns, range.order, &input.layout),
            lower: range.lower.map(|(value, kind)| (self.bound(columns, value, &[]), kind)),
            upper: range.upper.map(|(value, kind)| (self.bound(columns, value, &[]), kind)),
            ordered: range.ordered,
        });
        let predicate = Expr::all(keys).expect("there is a key");
        let predicate = self.bound(columns, predicate, &input.layout);
        let rows = (input.op.rows * asked).max(1.0);
        let shape = input.op.columns.clone();
        // Rows that somebody has ordered come so from the spool, unless that has an order of its own.
        let ordered = if range.is_some() { gives_order } else { input.ordered };
        let spool = IndexSpool { input: input.op, keys: keys_bound, range, predicate };
        let op = Operator { kind: OperatorKind::IndexSpool(Box::new(spool)), columns: shape, rows };
        let spooled = Lowered { op, layout: input.layout, ordered };
        self.filtered(columns, spooled, rest, part)
    }

    /// Outer rows ask for values between bounds of theirs, and no index has them.
    fn asks_by_bounds(&self, get: &Get, predicates: &[Expr], access: &Access) -> bool {
        let own = get.defined();
        let asks = |p: &Expr| outer_bound(p, &own).is_some();
        let has_index = access.is_seek() && access.consumed.iter().any(|&at| asks(&predicates[at]));
        !self.frames.is_empty() && !has_index && predicates.iter().any(asks)
    }

    /// Outer rows ask for values of the column between bounds, and the table is put aside in its order.
    pub(super) fn keeps_order_of(&self, input: &Rel, id: ColumnId) -> bool {
        let Some((get, predicates)) = seekable(input).filter(|_| !self.frames.is_empty() && !self.looks_up) else {
            return false;
        };
        let own = get.defined();
        let is_stored = get.column_of(id).is_some_and(|at| get.table.stored[usize::from(at)].is_some());
        let asks = |p: &Expr| outer_bound(p, &own).is_some_and(|(value, ..)| column_of(&value) == Some(id));
        is_stored && predicates.iter().any(asks)
    }

    /// A predicate asks for a value of an enclosing row.
    pub(super) fn asks_by_key(&self, get: &Get, predicates: &[Expr]) -> bool {
        !self.frames.is_empty() && {
            let own = get.defined();
            predicates.iter().any(|p| outer_key(p, &own).is_some())
        }
    }
}

/// The index is one: those of a trigger's rows are not made, and variables have those that are unique. Such a seek reads all rows.
fn keeps_keys(get: &Get, access: &Access) -> bool {
    let is_unique =
        || get.table.indexes.iter().any(|own| own.id == access.index && own.unique && own.filter.is_empty());
    match get.source {
        TableSource::Base(_) | TableSource::View(_) => true,
        TableSource::Variable(..) => is_unique(),
        TableSource::Inserted(_) | TableSource::Deleted(_) => false,
    }
}

/// Of what outer rows ask beside equalities: what the bounds make certain, and what is left to be tested.
struct Rest {
    asked: Vec<Expr>,
    left: Vec<Expr>,
}

/// The order in which rows with the same keys are kept: that of a value which outer rows give bounds for, best of one with two of them. Where the
/// first rows in an order are wanted, that order, if the bounds are of its first column or there are none.
fn kept_range(
    columns: &Columns,
    own: &ColumnSet,
    rest: Vec<Expr>,
    want: Want,
    has_keys: bool,
) -> (Option<SpoolRange>, Rest) {
    let bounds: Vec<Option<(Expr, CompareOp, Expr)>> = rest.iter().map(|p| outer_bound(p, own)).collect();
    let wanted = want.goal.and(want.order.first()).filter(|_| want.order.iter().all(|(id, _)| own.contains(*id)));
    let is_wanted = |value: &Expr| wanted.is_some_and(|(id, _)| column_of(value) == Some(*id));
    let of = |value: &Expr, op: fn(CompareOp) -> bool| {
        bounds.iter().position(|bound| bound.as_ref().is_some_and(|(own, own_op, _)| op(*own_op) && own.same(value)))
    };
    let ends = |value: &Expr| (of(value, is_lower), of(value, |op| !is_lower(op)));
    let worth = |value: &Expr| {
        let (lower, upper) = ends(value);
        (lower.is_some() && upper.is_some(), is_wanted(value))
    };
    let mut best: Option<&Expr> = None;
    for (value, ..) in bounds.iter().flatten() {
        if best.is_none_or(|best| worth(best) < worth(value)) {
            best = Some(value);
        }
    }
    let value = match (best, wanted) {
        (Some(value), _) => value.clone(),
        (None, Some((id, _))) if has_keys => columns.expr(*id),
        (None, _) => return (None, Rest { asked: Vec::new(), left: rest }),
    };
    let (lower, upper) = ends(&value);
    let ordered = is_wanted(&value);
    // Of one bound the nearest come first: who looks for one row finds it there as a rule.
    let nearest = lower.is_none() && upper.is_some();
    let order = match ordered {
        true => want.order.iter().map(|&(id, descending)| SortKey { expr: columns.expr(id), descending }).collect(),
        false => vec![SortKey { expr: value, descending: nearest }],
    };
    let bound = |at: Option<usize>| {
        let (_, op, outer) = bounds[at?].as_ref()?;
        let exclusive = matches!(op, CompareOp::Less | CompareOp::Greater);
        Some((outer.clone(), if exclusive { Bound::Exclusive } else { Bound::Inclusive }))
    };
    let range = SpoolRange { order, lower: bound(lower), upper: bound(upper), ordered };
    let (asked, left): (Vec<_>, Vec<_>) =
        rest.into_iter().enumerate().partition(|(at, _)| Some(*at) == lower || Some(*at) == upper);
    let plain = |list: Vec<(usize, Expr)>| list.into_iter().map(|(_, predicate)| predicate).collect();
    (Some(range), Rest { asked: plain(asked), left: plain(left) })
}

/// `own value = outer value`, in this order.
fn outer_key(predicate: &Expr, own: &ColumnSet) -> Option<(Expr, Expr)> {
    let mut outer = ColumnSet::of(predicate);
    outer.retain(|id| !own.contains(id));
    equi(predicate, own, &outer).filter(|_| !nulls_meet(predicate))
}
