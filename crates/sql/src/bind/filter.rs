//! WHERE: conditions, and the EXISTS and IN over queries that become semi joins.

use types::{Datum, SqlResult, SqlType};

use super::binder::Binder;
use super::convert;
use super::expr::{compare_op, not};
use super::query::one_column;
use super::scope::Scope;
use crate::ast;
use crate::optimize::{Branch, ColumnId, ColumnSet, Join, Rel, TopRows, equi, is_one_row, substitute};
use crate::plan::{CompareOp, Expr, ExprKind, JoinKind, SubqueryKind};

/// Semi joins of one WHERE, each above the others: what more there is is asked for each row.
const SEMI_JOINS_MAX: u32 = 32;

enum InJoin {
    Join { right: Rel, on: Vec<Expr> },
    Predicate(Expr),
}

impl Binder<'_> {
    /// `rel` with the WHERE clause: EXISTS and IN over queries become semi joins where they stand alone.
    pub fn filter(&mut self, rel: Rel, condition: &ast::Expr, scope: &Scope) -> SqlResult<Rel> {
        let mut rel = rel;
        let mut predicates = Vec::new();
        let mut joins = 0;
        let parts: &[ast::Expr] = match condition {
            ast::Expr::And(parts) => parts,
            one => std::slice::from_ref(one),
        };
        for part in parts {
            let (inner, negated) = match part {
                ast::Expr::Not(inner) => (&**inner, true),
                other => (other, false),
            };
            if joins == SEMI_JOINS_MAX {
                self.expr(part, scope)?.split_and(&mut predicates);
                continue;
            }
            if let ast::Expr::Exists(query) = inner {
                let bound = self.existing(query, scope)?;
                if let Some(test) = self.compared_rows(&bound.rel) {
                    predicates.push(if negated { not(test) } else { test });
                    continue;
                }
                rel = semi_join(rel, bound.rel, Vec::new(), negated);
                joins += 1;
                continue;
            }
            let Some(mut test) = Membership::of(inner) else {
                self.expr(part, scope)?.split_and(&mut predicates);
                continue;
            };
            test.negated ^= negated;
            match self.in_join(&test, &rel.defined(), scope)? {
                InJoin::Join { right, on } => {
                    rel = semi_join(rel, right, on, test.negated);
                    joins += 1;
                }
                InJoin::Predicate(test) => predicates.push(test),
            }
        }
        Ok(rel.filter(predicates))
    }

    /// EXISTS over INTERSECT or EXCEPT of two rows that are given without FROM: they are compared, NULL as equal to NULL.
    pub fn compared_rows(&self, rel: &Rel) -> Option<Expr> {
        let Rel::SetOperation { left, right, intersect, .. } = rel else { return None };
        let (left, right) = (self.given(left)?, self.given(right)?);
        let equal = left.into_iter().zip(right).map(|(left, right)| {
            let (left, right) = (Box::new(left), Box::new(right));
            Expr::predicate(ExprKind::Compare { op: CompareOp::Equal, left, right, null_equal: true })
        });
        let equal = Expr::all(equal.collect())?;
        Some(if *intersect { equal } else { not(equal) })
    }

    /// The values of a branch that is one row.
    fn given(&self, branch: &Branch) -> Option<Vec<Expr>> {
        let (mut defs, mut rel) = (Vec::new(), &branch.rel);
        while let Rel::Map { input, defs: own } = rel {
            defs.extend(own);
            rel = input;
        }
        let is_plain = |e: &Expr| !e.is_volatile() && !e.has_subquery();
        if !is_one_row(rel) || !defs.iter().all(|(_, value)| is_plain(value)) {
            return None;
        }
        let value = |id: &ColumnId| {
            let def = defs.iter().find(|(own, _)| own == id);
            def.map_or_else(|| self.columns.expr(*id), |(_, value)| value.clone())
        };
        let mut values: Vec<Expr> = branch.columns.iter().map(value).collect();
        // What is made of what is made below.
        let below: Vec<(ColumnId, Expr)> = defs.iter().map(|def| (*def).clone()).collect();
        values.iter_mut().for_each(|value| (0..defs.len()).for_each(|_| substitute(value, &below)));
        Some(values)
    }

    fn in_join(&mut self, test: &Membership, outer: &ColumnSet, scope: &Scope) -> SqlResult<InJoin> {
        let value = self.expr(test.value, scope)?;
        let mut bound = self.subquery(test.query, scope)?;
        one_column(&bound)?;
        let column = bound.outputs.remove(0).expr;
        let may_be_unknown = test.negated && (value.nullable || column.nullable);
        let joinable = !value.has_subquery() && !value.is_volatile();
        let (value, column) =
            convert::comparable(value, column, test.name, &self.columns).map_err(|e| e.at_line(test.line))?;
        if joinable && (!may_be_unknown || is_keyed(&bound.rel, outer)) {
            let mut defs = Vec::new();
            // An outer join inside may leave NULLs where the table has none.
            let nullable = column.nullable;
            let id = self.as_column(column, &mut defs);
            let right = bound.rel.map(defs);
            let column = Expr { nullable, ..self.columns.expr(id) };
            let is_null = |e: &Expr| Expr::predicate(ExprKind::IsNull(Box::new(e.clone())));
            // A row for which it is UNKNOWN keeps the other out as well.
            let unknown = [&value, &column].into_iter().filter(|e| may_be_unknown && e.nullable).map(is_null);
            let mut arms: Vec<Expr> = unknown.collect();
            arms.push(Expr::predicate(ExprKind::Compare {
                op: CompareOp::Equal,
                left: Box::new(value),
                right: Box::new(column),
                null_equal: false,
            }));
            let on = if arms.len() == 1 { arms } else { vec![Expr::predicate(ExprKind::Or(arms))] };
            return Ok(InJoin::Join { right, on });
        }
        let any = self.compared(bound.rel, column, SubqueryKind::Any { value, op: CompareOp::Equal });
        Ok(InJoin::Predicate(if test.negated { not(any) } else { any }))
    }
}

/// `value IN (query)`, which is `= ANY`, or NOT IN, which is `<> ALL`.
struct Membership<'a> {
    value: &'a ast::Expr,
    query: &'a ast::Query,
    negated: bool,
    /// Of the comparison, in messages.
    name: &'static str,
    line: u32,
}

impl<'a> Membership<'a> {
    fn of(expr: &'a ast::Expr) -> Option<Membership<'a>> {
        match expr {
            ast::Expr::InQuery(q) => {
                Some(Membership { value: &q.operand, query: &q.query, negated: q.not, name: "equal to", line: q.line })
            }
            ast::Expr::Quantified(q) => {
                let op = compare_op(q.op);
                let alike = if q.all { CompareOp::NotEqual } else { CompareOp::Equal };
                let (name, line) = (convert::compare_name(op), q.line);
                (op == alike).then_some(Membership { value: &q.left, query: &q.query, negated: q.all, name, line })
            }
            _ => None,
        }
    }
}

/// The query has a predicate by which its rows can be found for a row of the outer columns, and nothing else asks for these.
fn is_keyed(query: &Rel, outer: &ColumnSet) -> bool {
    let mut on = Vec::new();
    let right = lift(query.clone(), outer, &mut on);
    let own = right.defined();
    !right.free().meets(outer) && on.iter().any(|p| equi(p, outer, &own).is_some())
}

/// The correlated predicates directly inside become the join's; if nothing else inside reads the left side, the right is
/// independent and may be hashed.
pub fn semi_join(left: Rel, right: Rel, on: Vec<Expr>, negated: bool) -> Rel {
    let outer = left.defined();
    let mut on = on;
    let mut right = lift(right, &outer, &mut on);
    let lateral = right.free().meets(&outer);
    if on.is_empty() && !lateral && !is_one_row_at_most(&right) {
        // Any row will do, and one more would be tried for each row of the left.
        right = first_row(right);
    }
    let kind = if negated { JoinKind::Anti } else { JoinKind::Semi };
    Rel::Join(Box::new(Join { lateral, ..Join::new(kind, left, right, on) }))
}

fn is_one_row_at_most(rel: &Rel) -> bool {
    match rel {
        Rel::Top(top) => {
            top.count.as_ref().is_some_and(|count| matches!(count.kind, ExprKind::Literal(Datum::I64(0 | 1))))
        }
        rel => is_one_row(rel),
    }
}

fn first_row(input: Rel) -> Rel {
    let count = Some(Expr::new(SqlType::BIGINT, false, ExprKind::Literal(Datum::I64(1))));
    Rel::Top(Box::new(TopRows { input, keys: Vec::new(), count, percent: false, with_ties: false, offset: None }))
}

fn lift(rel: Rel, outer: &ColumnSet, on: &mut Vec<Expr>) -> Rel {
    match rel {
        Rel::Filter { input, predicates } => {
            let input = lift(*input, outer, on);
            let (lifted, kept): (Vec<Expr>, Vec<Expr>) =
                predicates.into_iter().partition(|p| ColumnSet::of(p).meets(outer) && !p.is_volatile());
            on.extend(lifted);
            input.filter(kept)
        }
        Rel::Map { input, defs } => {
            let mut lifted = Vec::new();
            let input = lift(*input, outer, &mut lifted);
            on.extend(lifted);
            Rel::Map { input: Box::new(input), defs }
        }
        // Rows are only looked for, so their order is not wanted.
        Rel::Sort { input, .. } => lift(*input, outer, on),
        rel => rel,
    }
}
