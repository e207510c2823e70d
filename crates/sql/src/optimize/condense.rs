//! Semi joins and anti joins with one comparison beside their keys: of all rows with a key the extreme decides, so the others are left out.
//! Where keys are coarse, all pairs of rows with one key would be looked at otherwise.

use super::access;
use super::estimate;
use super::lower::equi;
use super::order::seekable;
use super::rel::{ColumnSet, Columns, Group, Join, Rel};
use crate::plan::{Aggregate, AggregateFunction, CompareOp, Expr, ExprKind, JoinKind};

/// Rows of the right side below which there is nothing to gain.
const ROWS_MIN: f64 = 256.0;
/// Rows that a key has at least.
const KEY_ROWS_MIN: f64 = 4.0;

/// `rel` with such joins condensed wherever they are in it.
pub fn condense(mut rel: Rel, columns: &mut Columns) -> Rel {
    rel.for_each_input_mut(&mut |input| *input = condense(std::mem::replace(input, Rel::one_row()), columns));
    match rel {
        Rel::Join(mut join) => {
            condense_join(&mut join, columns);
            Rel::Join(join)
        }
        other => other,
    }
}

/// `left op right`: a comparison of a value of the left side with one of the right.
struct Test {
    op: CompareOp,
    left: Expr,
    right: Expr,
}

fn condense_join(join: &mut Join, columns: &mut Columns) {
    let is_plain = !join.lateral && !join.guard && !join.keep_order && join.hint.is_none();
    if !is_plain || !matches!(join.kind, JoinKind::Semi | JoinKind::Anti) {
        return;
    }
    let (left, right) = (join.left.defined(), join.right.defined());
    let (keys, tests): (Vec<&Expr>, Vec<&Expr>) = join.on.iter().partition(|p| equi(p, &left, &right).is_some());
    let [test] = tests.as_slice() else { return };
    let Some(test) = test_of(test, &left, &right) else { return };
    let pairs: Vec<(Expr, Expr)> = keys.iter().filter_map(|key| equi(key, &left, &right)).collect();
    let keys_of_right = pairs.iter().all(|(_, value)| ColumnSet::of(value).within(&right));
    if !keys_of_right || !pays(join, pairs.iter().map(|(_, value)| value)) {
        return;
    }
    let mut on = Vec::new();
    let mut group = Vec::new();
    for (key, (own, value)) in keys.iter().zip(pairs) {
        let id = columns.add(value.ty, value.nullable);
        let ExprKind::Compare { op, null_equal, .. } = key.kind else { return };
        on.push(compare(op, own, columns.expr(id), null_equal));
        group.push((id, value));
    }
    let mut aggregates = Vec::new();
    let mut extreme = |function| {
        let id = columns.add(test.right.ty, true);
        let argument = Some(test.right.clone());
        let (extra, order) = (Vec::new(), Vec::new());
        let aggregate = Aggregate { function, argument, extra, order, distinct: false, quiet: true, ty: test.right.ty };
        aggregates.push((id, aggregate));
        compare(test.op, test.left.clone(), columns.expr(id), false)
    };
    on.push(match test.op {
        CompareOp::Less | CompareOp::LessOrEqual => extreme(AggregateFunction::Max),
        CompareOp::Greater | CompareOp::GreaterOrEqual => extreme(AggregateFunction::Min),
        _ => {
            let arms = vec![extreme(AggregateFunction::Min), extreme(AggregateFunction::Max)];
            Expr::predicate(ExprKind::Or(arms))
        }
    });
    let input = std::mem::replace(&mut join.right, Rel::one_row());
    join.right = Rel::Aggregate(Box::new(Group { input, group, aggregates, sets: None }));
    join.on = on;
}

fn compare(op: CompareOp, left: Expr, right: Expr, null_equal: bool) -> Expr {
    Expr::predicate(ExprKind::Compare { op, left: Box::new(left), right: Box::new(right), null_equal })
}

fn test_of(predicate: &Expr, left: &ColumnSet, right: &ColumnSet) -> Option<Test> {
    let ExprKind::Compare { op, left: a, right: b, null_equal: false } = &predicate.kind else { return None };
    if *op == CompareOp::Equal || predicate.is_volatile() || predicate.has_subquery() || a.ty.is_max() {
        return None;
    }
    let (in_a, in_b) = (ColumnSet::of(a), ColumnSet::of(b));
    let is_right = |columns: &ColumnSet| !columns.is_empty() && columns.within(right);
    let (op, own, other) = if in_a.meets(left) && !in_a.meets(right) && is_right(&in_b) {
        (*op, a, b)
    } else if in_b.meets(left) && !in_b.meets(right) && is_right(&in_a) {
        (op.swapped(), b, a)
    } else {
        return None;
    };
    Some(Test { op, left: (**own).clone(), right: (**other).clone() })
}

/// Keys have many rows, and no index finds those of one left row sooner.
fn pays<'e>(join: &Join, keys: impl Iterator<Item = &'e Expr> + Clone) -> bool {
    let rows = estimate::rows(&join.right);
    if rows < ROWS_MIN {
        return false;
    }
    let groups = if keys.clone().next().is_none() { 1.0 } else { estimate::groups(&join.right, rows, keys) };
    if groups * KEY_ROWS_MIN > rows {
        return false;
    }
    let Some((get, own)) = seekable(&join.right) else { return true };
    let read: Vec<u16> = {
        let mut all = ColumnSet::default();
        join.on.iter().chain(&own).for_each(|p| all.insert_expr(p));
        (0..get.table.columns.len() as u16).filter(|&column| all.contains(get.id_of(column))).collect()
    };
    let whole = access::choose(get, &own, &read, &[], None).cost;
    let first = own.len();
    let mut predicates = own;
    predicates.extend(join.on.iter().cloned());
    let access = access::choose(get, &predicates, &read, &[], Some(1.0));
    let answers = (first..predicates.len()).all(|at| access.consumed.contains(&at));
    !(access.is_seek() && answers) && !(access.is_lookup() && estimate::rows(&join.left) * access.cost < whole)
}
