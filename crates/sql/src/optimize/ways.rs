//! Ways to read one table other than by one scan: a seek for each arm of an OR, and rows put aside by what outer rows ask for.

use super::access::{self, Access};
use super::either::{conjuncts, not_true};
use super::lower::{Lowered, Lowering, Output, Want, equi};
use super::rel::{ColumnId, ColumnSet, Columns, Get, Rel};
use crate::plan::{Expr, ExprKind, IndexSpool, Operator, OperatorKind, TableSource};

/// More arms are read by one scan: each is asked whether the ones before it have had the row.
const ARMS_MAX: usize = 16;
/// A table with fewer rows is scanned as fast.
const SPOOLED_ROWS_MIN: u64 = 32;

/// The table and its predicates, as they were.
pub(super) type AsItWas = (Get, Vec<Expr>);

impl Lowering {
    /// Instead of `access`, the best way with one scan. Err: there is none better.
    pub(super) fn several_ways(
        &mut self,
        columns: &Columns,
        get: Get,
        predicates: Vec<Expr>,
        access: &Access,
        needed: &[u16],
        want: Want,
    ) -> Result<Lowered, AsItWas> {
        // Natively compiled code knows scans alone, and a modification's target is found by one.
        if access.is_lookup() || self.looks_up || get.locator.is_some_and(|id| want.needed.contains(id)) {
            return Err((get, predicates));
        }
        let (get, predicates) = match self.by_arms(columns, get, predicates, access, needed, want) {
            Ok(lowered) => return Ok(lowered),
            Err(as_it_was) => as_it_was,
        };
        self.by_outer_rows(columns, get, predicates, want)
    }

    /// `a = 1 OR b = 2`: the rows of each arm by an index of its own, without those of the arms before.
    fn by_arms(
        &mut self,
        columns: &Columns,
        get: Get,
        mut predicates: Vec<Expr>,
        access: &Access,
        needed: &[u16],
        want: Want,
    ) -> Result<Lowered, AsItWas> {
        if get.forced_index.is_some() {
            return Err((get, predicates));
        }
        let found = predicates.iter().position(|predicate| {
            let ExprKind::Or(arms) = &predicate.kind else { return false };
            if arms.len() > ARMS_MAX || predicate.is_volatile() || predicate.has_subquery() {
                return false;
            }
            let mut cost = 0.0;
            let all_seek = arms.iter().all(|arm| {
                let arm = conjuncts(arm);
                let own = access::choose(&get, &arm, needed, &[], None);
                cost += own.cost;
                own.is_lookup() || self.spool_keys(&get, &arm).next().is_some()
            });
            all_seek && (cost < access.cost || !self.frames.is_empty())
        });
        let Some(found) = found else { return Err((get, predicates)) };
        let ExprKind::Or(arms) = predicates.remove(found).kind else { unreachable!("it was one") };
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
        Ok(Lowered::new(OperatorKind::Concat(inputs), columns, ids, rows))
    }

    /// A table without an index for what each outer row asks of it is read once and put aside by that.
    fn by_outer_rows(
        &mut self,
        columns: &Columns,
        get: Get,
        predicates: Vec<Expr>,
        want: Want,
    ) -> Result<Lowered, AsItWas> {
        if get.rows < SPOOLED_ROWS_MIN
            || get.force_seek
            || !matches!(get.source, TableSource::Base(_))
            || self.spool_keys(&get, &predicates).next().is_none()
        {
            return Err((get, predicates));
        }
        let own = Rel::Get(Box::new(get.clone())).defined();
        let (asked, local): (Vec<Expr>, Vec<Expr>) =
            predicates.into_iter().partition(|p| !ColumnSet::of(p).within(&own) || p.has_subquery());
        let (keys, rest): (Vec<Expr>, Vec<Expr>) = asked.into_iter().partition(|p| outer_key(p, &own).is_some());
        let mut needed = want.needed.clone();
        keys.iter().chain(&rest).for_each(|p| {
            let mut read = ColumnSet::of(p);
            read.retain(|id| own.contains(id));
            needed.insert_all(&read);
        });
        let input = self.lower_get(columns, get, local, Want { needed: &needed, order: want.order, goal: None });
        let pairs = keys.iter().map(|p| outer_key(p, &own).expect("it is a key")).collect::<Vec<_>>();
        let keys_bound = pairs
            .into_iter()
            .map(|(key, value)| (self.bound(columns, key, &input.layout), self.bound(columns, value, &[])))
            .collect();
        let predicate = Expr::all(keys).expect("there is a key");
        let predicate = self.bound(columns, predicate, &input.layout);
        let rows = input.op.rows.sqrt().max(1.0);
        let shape = input.op.columns.clone();
        let spool = IndexSpool { input: input.op, keys: keys_bound, predicate };
        let op = Operator { kind: OperatorKind::IndexSpool(Box::new(spool)), columns: shape, rows };
        let spooled = Lowered { op, layout: input.layout, ordered: input.ordered };
        Ok(self.filtered(columns, spooled, rest))
    }

    /// Those of the predicates that ask for a value of an enclosing row.
    fn spool_keys<'p>(&self, get: &Get, predicates: &'p [Expr]) -> impl Iterator<Item = &'p Expr> {
        let own = Rel::Get(Box::new(get.clone())).defined();
        let enclosed = !self.frames.is_empty();
        predicates.iter().filter(move |p| enclosed && outer_key(p, &own).is_some())
    }
}

/// `own value = outer value`, in this order.
fn outer_key(predicate: &Expr, own: &ColumnSet) -> Option<(Expr, Expr)> {
    let mut outer = ColumnSet::of(predicate);
    outer.retain(|id| !own.contains(id));
    equi(predicate, own, &outer)
}
