//! Ways to read one table other than by one scan: a seek for each arm of an OR, and rows put aside by what outer rows ask for.

use super::access::{self, Access, SPOOLED_ROWS_MIN, Way};
use super::constant::{equi, nulls_meet};
use super::either::{ARMS_MAX, conjuncts, not_true};
use super::estimate;
use super::lower::{Lowered, Lowering, Output, Want};
use super::rel::{ColumnId, ColumnSet, Columns, Get, Rel};
use crate::plan::{Expr, ExprKind, IndexSpool, Operator, OperatorKind, TableSource};

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
        if keeps && self.asks_by_key(get, predicates) && !self.stops_early(get, predicates, access, want) {
            Way::OuterRows
        } else {
            Way::OneScan
        }
    }

    /// The first rows in the wanted order are found sooner by an index that has it than among all rows with the keys.
    fn stops_early(&self, get: &Get, predicates: &[Expr], access: &Access, want: Want) -> bool {
        let own = get.defined();
        let keys = predicates.iter().filter(|p| outer_key(p, &own).is_some());
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
        let (keys, rest): (Vec<Expr>, Vec<Expr>) = asked.into_iter().partition(|p| outer_key(p, &own).is_some());
        let mut needed = want.needed.clone();
        keys.iter().chain(&rest).for_each(|p| {
            let mut read = ColumnSet::of(p);
            read.retain(|id| own.contains(id));
            needed.insert_all(&read);
        });
        let part = estimate::part(&get, rest.iter());
        let asked = estimate::part(&get, keys.iter());
        let input = self.lower_get(columns, get, local, Want { needed: &needed, order: want.order, goal: None });
        let pairs = keys.iter().map(|p| outer_key(p, &own).expect("it is a key")).collect::<Vec<_>>();
        let keys_bound = pairs
            .into_iter()
            .map(|(key, value)| (self.bound(columns, key, &input.layout), self.bound(columns, value, &[])))
            .collect();
        let predicate = Expr::all(keys).expect("there is a key");
        let predicate = self.bound(columns, predicate, &input.layout);
        let rows = (input.op.rows * asked).max(1.0);
        let shape = input.op.columns.clone();
        let spool = IndexSpool { input: input.op, keys: keys_bound, predicate };
        let op = Operator { kind: OperatorKind::IndexSpool(Box::new(spool)), columns: shape, rows };
        let spooled = Lowered { op, layout: input.layout, ordered: input.ordered };
        self.filtered(columns, spooled, rest, part)
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

/// `own value = outer value`, in this order.
fn outer_key(predicate: &Expr, own: &ColumnSet) -> Option<(Expr, Expr)> {
    let mut outer = ColumnSet::of(predicate);
    outer.retain(|id| !own.contains(id));
    equi(predicate, own, &outer).filter(|_| !nulls_meet(predicate))
}
