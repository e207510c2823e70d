//! Semi joins and anti joins with one comparison beside their keys: of all rows with a key the extreme decides, so the others are left out.
//! Where keys are coarse, all pairs of rows with one key would be looked at otherwise.

use super::access;
use super::constant::equi;
use super::estimate;
use super::order::seekable;
use super::rel::{ColumnId, ColumnSet, Columns, Group, Join, Rel};
use crate::plan::{Aggregate, AggregateFunction, CompareOp, Expr, ExprKind, JoinKind};

/// Rows of the right side below which there is nothing to gain.
const ROWS_MIN: f64 = 256.0;
/// Rows that a key has at least.
const KEY_ROWS_MIN: f64 = 4.0;

/// `rel` with such joins condensed wherever they are in it.
pub fn condense(mut rel: Rel, columns: &mut Columns) -> Rel {
    rel.for_each_input_mut(&mut |input| *input = condense(std::mem::replace(input, Rel::one_row()), columns));
    match rel {
        Rel::Join(mut join) if is_plain(&join) => match parted(&join, columns) {
            Some(parts) => parts,
            None => {
                condense_join(&mut join, columns);
                Rel::Join(join)
            }
        },
        other => other,
    }
}

/// `left op right`: a comparison of a value of the left side with one of the right.
struct Test {
    op: CompareOp,
    left: Expr,
    right: Expr,
}

fn is_plain(join: &Join) -> bool {
    let is_test = matches!(join.kind, JoinKind::Semi | JoinKind::Anti);
    is_test && !join.lateral && !join.guard && !join.keep_order && join.hint.is_none()
}

/// NOT IN beside keys: a row stays out for one that is equal, for a NULL among those with its keys, and, if its own value is NULL, for any of
/// these. Each is asked by itself, since an OR of them would be asked of all.
fn parted(join: &Join, columns: &mut Columns) -> Option<Rel> {
    let (left, right) = (join.left.defined(), join.right.defined());
    let (keys, tests): (Vec<&Expr>, Vec<&Expr>) = join.on.iter().partition(|p| equi(p, &left, &right).is_some());
    let ([Expr { kind: ExprKind::Or(arms), .. }], false) = (tests.as_slice(), keys.is_empty()) else { return None };
    let (equal, nulls): (Vec<&Expr>, Vec<&Expr>) = arms.iter().partition(|arm| equi(arm, &left, &right).is_some());
    let ([equal], JoinKind::Anti) = (equal.as_slice(), join.kind) else { return None };
    let side_of = |arm: &Expr| match &arm.kind {
        ExprKind::IsNull(value) if !arm.is_volatile() && !arm.has_subquery() => Some(ColumnSet::of(value)),
        _ => None,
    };
    let sides = nulls.iter().map(|arm| side_of(arm)).collect::<Option<Vec<_>>>()?;
    let pairs: Vec<(Expr, Expr)> = keys.iter().filter_map(|key| equi(key, &left, &right)).collect();
    if !pairs.iter().all(|(_, value)| ColumnSet::of(value).within(&right)) || !pays(join, pairs.iter().map(|p| &p.1)) {
        return None;
    }
    let own = |keys: &[&Expr]| keys.iter().map(|key| (*key).clone()).collect::<Vec<Expr>>();
    let mut on = own(&keys);
    on.push((**equal).clone());
    let mut rel = Rel::join(JoinKind::Anti, join.left.clone(), join.right.clone(), on);
    for (arm, side) in nulls.into_iter().zip(sides) {
        if !side.meets(&left) && side.within(&right) {
            let right = join.right.clone().filter(vec![arm.clone()]);
            rel = Rel::join(JoinKind::Anti, rel, right, own(&keys));
        } else if side.meets(&left) && !side.meets(&right) {
            let (group, mut on) = grouped(&keys, pairs.clone(), columns)?;
            on.push(arm.clone());
            let input = join.right.clone();
            let groups = Rel::Aggregate(Box::new(Group { input, group, aggregates: Vec::new(), sets: None }));
            rel = Rel::join(JoinKind::Anti, rel, groups, on);
        } else {
            return None;
        }
    }
    Some(rel)
}

/// The keys of the right side as columns of its groups, and the predicates that ask for them.
#[allow(clippy::type_complexity)]
fn grouped(
    keys: &[&Expr],
    pairs: Vec<(Expr, Expr)>,
    columns: &mut Columns,
) -> Option<(Vec<(ColumnId, Expr)>, Vec<Expr>)> {
    let (mut group, mut on) = (Vec::new(), Vec::new());
    for (key, (own, value)) in keys.iter().zip(pairs) {
        let id = columns.add(value.ty, value.nullable);
        let ExprKind::Compare { op, null_equal, .. } = key.kind else { return None };
        on.push(compare(op, own, columns.expr(id), null_equal));
        group.push((id, value));
    }
    Some((group, on))
}

fn condense_join(join: &mut Join, columns: &mut Columns) {
    let (left, right) = (join.left.defined(), join.right.defined());
    let (keys, tests): (Vec<&Expr>, Vec<&Expr>) = join.on.iter().partition(|p| equi(p, &left, &right).is_some());
    let [test] = tests.as_slice() else { return };
    let Some(test) = test_of(test, &left, &right) else { return };
    let pairs: Vec<(Expr, Expr)> = keys.iter().filter_map(|key| equi(key, &left, &right)).collect();
    let keys_of_right = pairs.iter().all(|(_, value)| ColumnSet::of(value).within(&right));
    if !keys_of_right || !pays(join, pairs.iter().map(|(_, value)| value)) {
        return;
    }
    let Some((group, mut on)) = grouped(&keys, pairs, columns) else { return };
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
    let seeks_pay = access.is_lookup() && estimate::rows(&join.left) * access.cost < whole;
    !(access.is_seek() && answers || seeks_pay)
}
