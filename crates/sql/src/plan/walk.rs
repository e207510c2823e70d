//! Walking and comparing expressions. Recursion is as deep as the expression; the binder bounds that.

use types::{Datum, SqlType};

use super::expr::{Expr, ExprKind, OuterSlot, SubqueryKind};
use crate::function::FunctionId;

impl Expr {
    pub fn new(ty: SqlType, nullable: bool, kind: ExprKind) -> Expr {
        Expr { ty, nullable, kind }
    }

    pub fn column(column: usize, ty: SqlType, nullable: bool) -> Expr {
        Expr::new(ty, nullable, ExprKind::Column(column))
    }

    /// What a mask hides.
    pub fn unmasked(&self) -> &Expr {
        match &self.kind {
            ExprKind::Mask(masked) => &masked.value,
            _ => self,
        }
    }

    pub fn literal(ty: SqlType, value: Datum) -> Expr {
        Expr::new(ty, value.is_null(), ExprKind::Literal(value))
    }

    pub fn null(ty: SqlType) -> Expr {
        Expr::literal(ty, Datum::Null)
    }

    pub fn int(value: i32) -> Expr {
        Expr::literal(SqlType::INT, Datum::I64(value as i64))
    }

    pub fn bigint(value: i64) -> Expr {
        Expr::literal(SqlType::BIGINT, Datum::I64(value))
    }

    /// A predicate that is always TRUE or FALSE.
    pub fn bit(value: bool) -> Expr {
        Expr::literal(SqlType::BIT, Datum::I64(value as i64))
    }

    /// A predicate: type bit, may be UNKNOWN.
    pub fn predicate(kind: ExprKind) -> Expr {
        Expr::new(SqlType::BIT, true, kind)
    }

    /// All of `predicates`; none is TRUE.
    pub fn all(mut predicates: Vec<Expr>) -> Option<Expr> {
        match predicates.len() {
            0 => None,
            1 => predicates.pop(),
            _ => Some(Expr::predicate(ExprKind::And(predicates))),
        }
    }

    /// Splits the top-level conjunction.
    pub fn split_and(self, out: &mut Vec<Expr>) {
        match self.kind {
            ExprKind::And(parts) => parts.into_iter().for_each(|part| part.split_and(out)),
            _ => out.push(self),
        }
    }

    pub fn for_each_child<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        use ExprKind::*;
        match &self.kind {
            Literal(_) | Column(_) | Outer(_) | Variable(_) | Global(_) | NextValueFor(_) => {}
            Negate(a) | BitNot(a) | Not(a) | IsNull(a) => f(a),
            Arithmetic(_, a, b) => {
                f(a);
                f(b);
            }
            Compare { left, right, .. } => {
                f(left);
                f(right);
            }
            And(list) | Or(list) | Function(_, list) | UserFunction(_, list) => list.iter().for_each(f),
            Mask(masked) => f(&masked.value),
            Like { value, pattern, escape } => {
                f(value);
                f(pattern);
                escape.iter().for_each(|e| f(e));
            }
            InList { value, list } => {
                f(value);
                list.iter().for_each(f);
            }
            Case { branches, otherwise } => {
                for (when, then) in branches {
                    f(when);
                    f(then);
                }
                otherwise.iter().for_each(|e| f(e));
            }
            Convert { value, style, .. } => {
                f(value);
                style.iter().for_each(|e| f(e));
            }
            Subquery(subquery) => {
                match &subquery.kind {
                    SubqueryKind::Any { value, .. } | SubqueryKind::All { value, .. } => f(value),
                    SubqueryKind::Scalar | SubqueryKind::Last | SubqueryKind::Exists => {}
                }
                subquery.bindings.iter().for_each(|(_, e)| f(e));
            }
        }
    }

    pub fn for_each_child_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        use ExprKind::*;
        match &mut self.kind {
            Literal(_) | Column(_) | Outer(_) | Variable(_) | Global(_) | NextValueFor(_) => {}
            Negate(a) | BitNot(a) | Not(a) | IsNull(a) => f(a),
            Arithmetic(_, a, b) => {
                f(a);
                f(b);
            }
            Compare { left, right, .. } => {
                f(left);
                f(right);
            }
            And(list) | Or(list) | Function(_, list) | UserFunction(_, list) => list.iter_mut().for_each(f),
            Mask(masked) => f(&mut masked.value),
            Like { value, pattern, escape } => {
                f(value);
                f(pattern);
                escape.iter_mut().for_each(|e| f(e));
            }
            InList { value, list } => {
                f(value);
                list.iter_mut().for_each(f);
            }
            Case { branches, otherwise } => {
                for (when, then) in branches {
                    f(when);
                    f(then);
                }
                otherwise.iter_mut().for_each(|e| f(e));
            }
            Convert { value, style, .. } => {
                f(value);
                style.iter_mut().for_each(|e| f(e));
            }
            Subquery(subquery) => {
                match &mut subquery.kind {
                    SubqueryKind::Any { value, .. } | SubqueryKind::All { value, .. } => f(value),
                    SubqueryKind::Scalar | SubqueryKind::Last | SubqueryKind::Exists => {}
                }
                subquery.bindings.iter_mut().for_each(|(_, e)| f(e));
            }
        }
    }

    pub fn for_each_column(&self, f: &mut dyn FnMut(usize)) {
        match &self.kind {
            ExprKind::Column(column) => f(*column),
            _ => self.for_each_child(&mut |child| child.for_each_column(f)),
        }
    }

    /// `f` may replace a node; what it returns true for is not entered.
    pub fn rewrite(&mut self, f: &mut dyn FnMut(&mut Expr) -> bool) {
        if !f(self) {
            self.for_each_child_mut(&mut |child| child.rewrite(f));
        }
    }

    pub fn any(&self, f: &mut dyn FnMut(&Expr) -> bool) -> bool {
        if f(self) {
            return true;
        }
        let mut found = false;
        self.for_each_child(&mut |child| found = found || child.any(f));
        found
    }

    /// Two evaluations for one row may differ, so it may not be copied, moved below a join or above a filter.
    pub fn is_volatile(&self) -> bool {
        self.any(&mut |e| e.varies())
    }

    /// This node makes what it is in volatile.
    pub fn varies(&self) -> bool {
        match &self.kind {
            ExprKind::NextValueFor(_) | ExprKind::UserFunction(..) => true,
            ExprKind::Function(function, _) => {
                use FunctionId::*;
                matches!(function, Newid | Newsequentialid | CryptGenRandom | Rand)
            }
            _ => false,
        }
    }

    pub fn has_subquery(&self) -> bool {
        self.any(&mut |e| matches!(e.kind, ExprKind::Subquery(_)))
    }

    /// A subquery in it runs or is gone through once a row: it is no value that is the same for all of them.
    pub fn asks_each_row(&self) -> bool {
        self.any(&mut |e| match &e.kind {
            ExprKind::Subquery(own) => {
                !own.bindings.is_empty() || matches!(own.kind, SubqueryKind::Any { .. } | SubqueryKind::All { .. })
            }
            _ => false,
        })
    }

    /// Neither a row, a variable, an outer value, the session nor the clock can change it.
    pub fn is_constant(&self) -> bool {
        !self.any(&mut |e| {
            matches!(
                e.kind,
                ExprKind::Column(_)
                    | ExprKind::Outer(_)
                    | ExprKind::Variable(_)
                    | ExprKind::Global(_)
                    | ExprKind::Function(..)
                    | ExprKind::UserFunction(..)
                    | ExprKind::Subquery(_)
                    | ExprKind::NextValueFor(_)
                    | ExprKind::Mask(_)
            )
        })
    }

    /// Constant, or a variable, or `(SELECT NULL)`: rows are not sorted by it.
    pub fn is_same_for_all(&self) -> bool {
        match &self.kind {
            ExprKind::Variable(_) => true,
            ExprKind::Subquery(subquery) => {
                let is_scalar = matches!(subquery.kind, SubqueryKind::Scalar) && subquery.mask.is_none();
                is_scalar && subquery.plan.only_row().is_some_and(|row| row.iter().all(Expr::is_same_for_all))
            }
            _ => self.is_constant(),
        }
    }

    /// The same computation, so that one may stand for the other (GROUP BY, ORDER BY). A subquery is the same as a copy of itself: no other
    /// has its slots. One that reads nothing outside is not told from others.
    pub fn same(&self, other: &Expr) -> bool {
        use ExprKind::*;
        if self.ty != other.ty {
            return false;
        }
        let both = |a: &Option<Box<Expr>>, b: &Option<Box<Expr>>| match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => a.same(b),
            _ => false,
        };
        match (&self.kind, &other.kind) {
            (Literal(a), Literal(b)) => a == b,
            (Column(a), Column(b)) => a == b,
            (Outer(a), Outer(b)) => a == b,
            (Variable(a), Variable(b)) => a == b,
            (Global(a), Global(b)) => a == b,
            (Negate(a), Negate(b)) | (BitNot(a), BitNot(b)) | (Not(a), Not(b)) | (IsNull(a), IsNull(b)) => a.same(b),
            (Arithmetic(op, a, b), Arithmetic(op2, a2, b2)) => op == op2 && a.same(a2) && b.same(b2),
            (
                Compare { op, left, right, null_equal },
                Compare { op: op2, left: left2, right: right2, null_equal: null_equal2 },
            ) => op == op2 && null_equal == null_equal2 && left.same(left2) && right.same(right2),
            (And(a), And(b)) | (Or(a), Or(b)) => same_list(a, b),
            (Like { value, pattern, escape }, Like { value: value2, pattern: pattern2, escape: escape2 }) => {
                value.same(value2) && pattern.same(pattern2) && both(escape, escape2)
            }
            (InList { value, list }, InList { value: value2, list: list2 }) => {
                value.same(value2) && same_list(list, list2)
            }
            (Case { branches, otherwise }, Case { branches: branches2, otherwise: otherwise2 }) => {
                branches.len() == branches2.len()
                    && branches.iter().zip(branches2).all(|(a, b)| a.0.same(&b.0) && a.1.same(&b.1))
                    && both(otherwise, otherwise2)
            }
            (
                Convert { value, style, attempt, .. },
                Convert { value: value2, style: style2, attempt: attempt2, .. },
            ) => attempt == attempt2 && value.same(value2) && both(style, style2),
            (Function(f, a), Function(f2, b)) => f == f2 && same_list(a, b),
            (Mask(a), Mask(b)) => a.mask == b.mask && a.value.same(&b.value),
            (UserFunction(f, a), UserFunction(f2, b)) => {
                f.database == f2.database && f.object == f2.object && same_list(a, b)
            }
            (Subquery(a), Subquery(b)) => {
                let is_answer =
                    |kind: &SubqueryKind| !matches!(kind, SubqueryKind::Any { .. } | SubqueryKind::All { .. });
                let same = |(a, b): (&(OuterSlot, Expr), &(OuterSlot, Expr))| a.0 == b.0 && a.1.same(&b.1);
                let (own, other) = (&a.bindings, &b.bindings);
                let slots = !own.is_empty() && own.len() == other.len() && own.iter().zip(other).all(same);
                slots && is_answer(&a.kind) && is_answer(&b.kind)
            }
            _ => false,
        }
    }
}

fn same_list(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
}
