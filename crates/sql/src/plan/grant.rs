//! How much memory a query would hold if it spilled nothing, from the planner's guesses of rows and the width of their types.
//!
//! A guess, as rows are: it decides who asks for memory before he begins, and for how much. What a query has beyond it is asked for as
//! it runs, so a guess that is wrong costs a wait or a spill and nothing else.

use types::{Datum, Physical, SqlType, TypeKind};

use super::expr::{Expr, ExprKind};
use super::operator::{GroupStrategy, Operator, OperatorKind, SortKey};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct GrantEstimate {
    /// Bytes without which it is not worth to begin; 0: it sorts and hashes nothing.
    pub required: u64,
    /// Bytes that it would hold at most.
    pub ideal: u64,
    /// In seconds of a machine that nobody has any more, as SQL Server's costs are.
    pub cost: f64,
    /// MIN_GRANT_PERCENT and MAX_GRANT_PERCENT.
    pub percent_min: Option<f64>,
    pub percent_max: Option<f64>,
    /// Of `cost`, what is paid once however often the operator is opened: an index spool reads its input for all.
    pub(crate) once: f64,
}

/// What an operator that keeps rows cannot do without.
const REQUIRED_BYTES: u64 = 512 << 10;

/// Of a row of values longer than this nothing better is known.
const LONG_BYTES: u64 = 4000;

/// Of a row, besides its values: where it lies, where its key lies, its place in an order or a table of hashes.
const ROW_BYTES: u64 = 40;

/// Of an aggregate in a group.
const AGGREGATE_BYTES: u64 = 24;

/// Of what a window, partitioned, passes, it holds one partition in so many at a time.
const PARTITIONS: f64 = 10.0;

const ROW_COST: f64 = 1.2e-6;
const COMPARE_COST: f64 = 4.0e-7;
const OPERATOR_COST: f64 = 0.000_1;

impl GrantEstimate {
    pub fn of(plan: Option<&Operator>) -> GrantEstimate {
        let mut estimate = GrantEstimate::default();
        plan.into_iter().for_each(|plan| estimate.add(plan));
        estimate
    }

    fn add(&mut self, operator: &Operator) {
        use OperatorKind::*;
        self.cost += OPERATOR_COST + operator.rows.max(0.0) * ROW_COST;
        match &operator.kind {
            Scan(_) | Virtual { .. } | TableFunction { .. } | UserTableFunction { .. } | Values(_) | WorkTable(_) => {}
            Filter { input, predicate } => {
                self.add(input);
                self.add_subqueries(predicate, input.rows);
            }
            Project { input, exprs } => {
                self.add(input);
                exprs.iter().for_each(|expr| self.add_subqueries(expr, operator.rows));
            }
            Top(top) => self.add(&top.input),
            ForText { input, .. } => {
                self.add(input);
                self.hold(input.rows, 2 * width(input));
            }
            Concat(inputs) => inputs.iter().for_each(|input| self.add(input)),
            NestedLoops(join) => {
                self.add(&join.outer);
                let (before, once) = (self.cost, self.once);
                self.add(&join.inner);
                // Once for each row of the outer side.
                self.cost += (self.cost - before - (self.once - once)) * (join.outer.rows - 1.0).max(0.0);
            }
            HashJoin(join) => {
                self.add(&join.left);
                self.add(&join.right);
                let build = if join.build_left { &join.left } else { &join.right };
                let keys = join.keys.iter().map(|(left, _)| bytes(&left.ty)).sum::<u64>();
                self.hold(build.rows, width(build) + keys);
            }
            Aggregate { input, group, aggregates, strategy } => {
                self.add(input);
                if *strategy == GroupStrategy::Hash && !group.is_empty() {
                    self.hold(operator.rows, widths(group) + AGGREGATE_BYTES * aggregates.len() as u64);
                }
            }
            GroupingSets { input, group, sets, aggregates } => {
                self.add(input);
                let each = widths(group) + AGGREGATE_BYTES * aggregates.len() as u64;
                self.hold(operator.rows * sets.len() as f64, each);
            }
            Sort { input, keys, limit } => {
                self.add(input);
                let rows = match limit {
                    Some(Expr { kind: ExprKind::Literal(Datum::I64(rows)), .. }) => input.rows.min(*rows as f64),
                    _ => input.rows,
                };
                self.hold(rows, width(input) + keys.iter().map(key).sum::<u64>());
                self.cost += sort_cost(rows);
            }
            SetOperation { left, right, .. } => {
                self.add(left);
                self.add(right);
                self.hold(left.rows + right.rows, width(left));
            }
            Window { input, partition, .. } => {
                self.add(input);
                let rows = if partition.is_empty() { input.rows } else { input.rows / PARTITIONS };
                self.hold(rows, width(operator));
            }
            Recursive { anchor, recursive, .. } => {
                self.add(anchor);
                self.add(recursive);
                self.hold(operator.rows, width(operator));
            }
            Spool(input) => {
                self.add(input);
                self.hold(input.rows, width(input));
            }
            Shared(shared) => {
                self.add(&shared.input);
                self.hold(shared.input.rows, width(&shared.input));
            }
            Sharing { input, .. } => self.add(input),
            IndexSpool(spool) => {
                let before = self.cost;
                self.add(&spool.input);
                self.once += self.cost - before;
                let keys = spool.keys.iter().map(|(key, _)| bytes(&key.ty)).sum::<u64>();
                let order = spool.range.iter().flat_map(|range| &range.order).map(key).sum::<u64>();
                if order > 0 {
                    self.once += sort_cost(spool.input.rows);
                    self.cost += sort_cost(spool.input.rows);
                }
                self.hold(spool.input.rows, width(&spool.input) + keys + order);
            }
            Modify(modify) => self.add(&modify.source),
        }
    }

    /// Of those that were not turned into joins: what they cost, once, or for each of so many rows. Of memory they hold little.
    fn add_subqueries(&mut self, expr: &Expr, rows: f64) {
        if let ExprKind::Subquery(subquery) = &expr.kind {
            let times = if subquery.bindings.is_empty() { 1.0 } else { rows.max(1.0) };
            let each = GrantEstimate::of(Some(&subquery.plan));
            self.cost += (each.cost - each.once) * times + each.once;
            self.once += each.once;
        }
        expr.for_each_child(&mut |child| self.add_subqueries(child, rows));
    }

    fn hold(&mut self, rows: f64, each: u64) {
        // A float as large as no memory stays at the largest number.
        let bytes = (rows.max(1.0) * (each + ROW_BYTES) as f64) as u64;
        self.ideal = self.ideal.saturating_add(bytes);
        self.required += REQUIRED_BYTES;
    }
}

fn sort_cost(rows: f64) -> f64 {
    rows * rows.max(2.0).log2() * COMPARE_COST
}

fn width(operator: &Operator) -> u64 {
    operator.columns.iter().map(|column| bytes(&column.ty)).sum()
}

fn widths(exprs: &[Expr]) -> u64 {
    exprs.iter().map(|expr| bytes(&expr.ty)).sum()
}

fn key(key: &SortKey) -> u64 {
    1 + bytes(&key.expr.ty)
}

/// Of a value in memory. What may be shorter than its type is taken for half as long.
fn bytes(ty: &SqlType) -> u64 {
    match ty.physical() {
        Physical::I64 | Physical::F64 => 8,
        Physical::I128 => 16,
        Physical::Bytes if ty.is_max() => LONG_BYTES,
        Physical::Bytes => match ty.kind {
            TypeKind::Char | TypeKind::NChar | TypeKind::Binary | TypeKind::RowVersion => u64::from(ty.length),
            _ => (u64::from(ty.length) / 2).min(LONG_BYTES),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::operator::OutputColumn;
    use super::*;

    fn operator(kind: OperatorKind, rows: f64, types: &[SqlType]) -> Operator {
        let column = |ty: &SqlType| OutputColumn::plain("", *ty, true);
        Operator { kind, columns: types.iter().map(column).collect(), rows }
    }

    fn sort(input: Operator, limit: Option<Expr>) -> GrantEstimate {
        let keys = vec![SortKey { expr: Expr::column(0, SqlType::INT, true), descending: false }];
        let (rows, types) = (input.rows, [SqlType::INT]);
        let sort = OperatorKind::Sort { input: Box::new(input), keys, limit };
        GrantEstimate::of(Some(&operator(sort, rows, &types)))
    }

    #[test]
    fn a_sort_holds_its_rows_and_their_keys() {
        let rows = |rows| operator(OperatorKind::Values(Vec::new()), rows, &[SqlType::INT, SqlType::char(100)]);
        let none = GrantEstimate::of(Some(&rows(1e6)));
        assert_eq!((none.required, none.ideal), (0, 0));
        let all = sort(rows(1e6), None);
        assert_eq!((all.required, all.ideal), (REQUIRED_BYTES, 1_000_000 * (8 + 100 + 9 + ROW_BYTES)));
        assert!(all.cost > none.cost && all.cost < 60.0);
        let first = sort(rows(1e6), Some(Expr::bigint(10)));
        assert_eq!(first.ideal, 10 * (8 + 100 + 9 + ROW_BYTES));
        assert_eq!(sort(rows(1e300), None).ideal, u64::MAX);
    }
}
