//! WHERE: conditions, and the EXISTS and IN over queries that become semi joins.

use types::SqlResult;

use super::binder::Binder;
use super::convert;
use super::expr::not;
use super::query::one_column;
use super::scope::Scope;
use crate::ast;
use crate::optimize::{ColumnSet, Join, Output, Rel};
use crate::plan::{CompareOp, Expr, ExprKind, JoinKind};

enum InJoin {
    Join { right: Rel, on: Expr },
    Predicate(Expr),
}

impl Binder<'_> {
    /// `rel` with the WHERE clause: EXISTS and IN over queries become semi joins where they stand alone.
    pub fn filter(&mut self, rel: Rel, condition: &ast::Expr, scope: &Scope) -> SqlResult<Rel> {
        let mut rel = rel;
        let mut predicates = Vec::new();
        let parts: &[ast::Expr] = match condition {
            ast::Expr::And(parts) => parts,
            one => std::slice::from_ref(one),
        };
        for part in parts {
            let (inner, negated) = match part {
                ast::Expr::Not(inner) => (&**inner, true),
                other => (other, false),
            };
            match inner {
                ast::Expr::Exists(query) => {
                    let bound = self.existing(query, scope)?;
                    rel = semi_join(rel, bound.rel, Vec::new(), negated);
                }
                ast::Expr::InQuery(q) => {
                    let negated = negated != q.not;
                    match self.in_join(q, negated, scope)? {
                        InJoin::Join { right, on } => rel = semi_join(rel, right, vec![on], negated),
                        InJoin::Predicate(test) => predicates.push(test),
                    }
                }
                _ => self.expr(part, scope)?.split_and(&mut predicates),
            }
        }
        // Plain predicates first: they make what the joins see smaller.
        Ok(match rel {
            Rel::Join(mut join) if !predicates.is_empty() && matches!(join.kind, JoinKind::Semi | JoinKind::Anti) => {
                let left = std::mem::replace(&mut join.left, Rel::one_row());
                join.left = below_semi(left, predicates);
                Rel::Join(join)
            }
            rel => rel.filter(predicates),
        })
    }

    fn in_join(&mut self, q: &ast::InQuery, negated: bool, scope: &Scope) -> SqlResult<InJoin> {
        let value = self.expr(&q.operand, scope)?;
        let mut bound = self.subquery(&q.query, scope)?;
        one_column(&bound)?;
        let column = bound.outputs.remove(0).expr;
        // NOT IN is UNKNOWN when a NULL is about: only without NULLs is it an anti join.
        let joinable =
            !value.has_subquery() && !value.is_volatile() && !(negated && (value.nullable || column.nullable));
        if joinable {
            let mut defs = Vec::new();
            let (value, column) = convert::comparable(value, column, "equal to").map_err(|e| e.at_line(q.line))?;
            let id = self.as_column(column, &mut defs);
            let right = bound.rel.map(defs);
            let column = self.columns.expr(id);
            let on = Expr::predicate(ExprKind::Compare {
                op: CompareOp::Equal,
                left: Box::new(value),
                right: Box::new(column),
                null_equal: false,
            });
            return Ok(InJoin::Join { right, on });
        }
        let (value, column) = convert::comparable(value, column, "equal to").map_err(|e| e.at_line(q.line))?;
        let outputs = vec![Output { name: "".into(), expr: column }];
        let (plan, bindings) = self.lowering.subquery(&self.columns, bound.rel, outputs);
        let kind = crate::plan::SubqueryKind::Any { value, op: CompareOp::Equal };
        let test =
            Expr::predicate(ExprKind::Subquery(Box::new(crate::plan::Subquery { plan, kind, mask: None, bindings })));
        Ok(InJoin::Predicate(if negated { not(test) } else { test }))
    }
}

/// Under any semi joins that the same WHERE has made.
fn below_semi(rel: Rel, predicates: Vec<Expr>) -> Rel {
    match rel {
        Rel::Join(mut join) if matches!(join.kind, JoinKind::Semi | JoinKind::Anti) => {
            let left = std::mem::replace(&mut join.left, Rel::one_row());
            join.left = below_semi(left, predicates);
            Rel::Join(join)
        }
        rel => rel.filter(predicates),
    }
}

/// The correlated predicates directly inside become the join's; if nothing else inside reads the left side, the right is
/// independent and may be hashed.
pub fn semi_join(left: Rel, right: Rel, on: Vec<Expr>, negated: bool) -> Rel {
    let outer = left.defined();
    let mut on = on;
    let right = lift(right, &outer, &mut on);
    let lateral = right.free().meets(&outer);
    let kind = if negated { JoinKind::Anti } else { JoinKind::Semi };
    Rel::Join(Box::new(Join { kind, left, right, on, lateral, hint: None, keep_order: false, guard: false }))
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
