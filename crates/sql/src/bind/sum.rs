//! Chains of `+` and `-`. A tree of operators is as deep as its chain is long, and depth is bounded; generated statements have sums
//! of thousands of terms. So of a long chain neighbours are joined in pairs where that gives the same, and what has to be added
//! from the left, term by term, becomes one call of a function of any number of arguments.

use types::precedence;
use types::{MAX_LENGTH, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::binder::Binder;
use super::convert::{converted, implicit};
use super::errors;
use super::expr::{arithmetic, type_op};
use super::scope::Scope;
use super::typing::{beside_decimal, is_null_literal};
use crate::ast;
use crate::function::FunctionId;
use crate::plan::{ArithmeticOp, Expr, ExprKind};

/// Chains of more operators are no longer made a tree.
const LONG: usize = 64;

/// Levels of the tree that a long chain may become, where types or operators change within it.
const LEVELS_MAX: usize = 100;

/// Terms that are added, or subtracted, one after the other.
struct Run {
    /// Of the sum at every step; a decimal's grows.
    ty: SqlType,
    op: ArithmeticOp,
    terms: Vec<Expr>,
}

impl Binder<'_> {
    pub fn arithmetic_chain(&mut self, chain: &ast::Arithmetic, scope: &Scope) -> SqlResult<Expr> {
        let sums = |(op, _): &(ast::BinaryOp, ast::Expr)| {
            matches!(op, ast::BinaryOp::Add | ast::BinaryOp::Concat | ast::BinaryOp::Subtract)
        };
        if chain.rest.len() > LONG && chain.rest.iter().all(sums) {
            return self.long_chain(chain, scope).map_err(|e| e.at_line(chain.line));
        }
        // Each operator is a level of the tree that comes of it, and its left operand stands below.
        self.descend(chain.rest.len() as u32, |binder| {
            let mut left = binder.expr(&chain.first, scope)?;
            for (op, operand) in &chain.rest {
                let right = binder.expr(operand, scope)?;
                let sides = [&left, &right].map(|side| (column_of(side), side.ty));
                let made = binder.binary(*op, left, right);
                left = made.map_err(|e| of_column(e, sides, scope).at_line(chain.line))?;
            }
            Ok(left)
        })
    }

    fn long_chain(&mut self, chain: &ast::Arithmetic, scope: &Scope) -> SqlResult<Expr> {
        let mut terms = Vec::with_capacity(chain.rest.len() + 1);
        terms.push((ArithmeticOp::Add, self.expr(&chain.first, scope)?));
        for (op, operand) in &chain.rest {
            let op = if *op == ast::BinaryOp::Subtract { ArithmeticOp::Subtract } else { ArithmeticOp::Add };
            terms.push((op, self.expr(operand, scope)?));
        }
        let added = terms.iter().all(|(op, _)| *op == ArithmeticOp::Add);
        let all = |is: fn(&SqlType) -> bool| terms.iter().all(|(_, e)| is(&e.ty) || is_null_literal(e));
        let none = terms.iter().all(|(_, e)| is_null_literal(e));
        if added && !none && (all(SqlType::is_string) || all(SqlType::is_binary)) {
            return self.long_text(terms.into_iter().map(|(_, e)| e).collect());
        }
        self.long_sum(terms)
    }

    /// A concatenation is made from the left: from the first nvarchar on it is nvarchar, from the first (max) type on of such a type,
    /// and what stands before that is cut at 8,000 bytes. Between these places it does not matter who is joined first.
    fn long_text(&mut self, terms: Vec<Expr>) -> SqlResult<Expr> {
        let first = terms.iter().find(|e| !is_null_literal(e)).map_or(SqlType::INT, |e| e.ty);
        let mut joined: Vec<Expr> = Vec::with_capacity(terms.len());
        let (mut wide, mut long) = (false, false);
        for term in terms {
            let term = if is_null_literal(&term) { Expr::null(SqlType { length: 2, ..first }) } else { term };
            let now = (wide || term.ty.is_unicode_string(), long || term.ty.is_max());
            if now != (wide, long) && !joined.is_empty() {
                let before = self.balanced(std::mem::take(&mut joined))?;
                joined.push(widened(before, now.0, now.1));
            }
            (wide, long) = now;
            joined.push(widened(term, wide, long));
        }
        self.balanced(joined)
    }

    /// Adds neighbours until one is left.
    fn balanced(&mut self, mut terms: Vec<Expr>) -> SqlResult<Expr> {
        while terms.len() > 1 {
            let mut sums = Vec::with_capacity(terms.len().div_ceil(2));
            let mut rest = terms.into_iter();
            while let Some(left) = rest.next() {
                sums.push(match rest.next() {
                    Some(right) => self.binary(ast::BinaryOp::Add, left, right)?,
                    None => left,
                });
            }
            terms = sums;
        }
        Ok(terms.pop().expect("a sum has terms"))
    }

    fn long_sum(&mut self, terms: Vec<(ArithmeticOp, Expr)>) -> SqlResult<Expr> {
        let mut terms = terms.into_iter();
        let (_, mut left) = terms.next().expect("a sum has terms");
        let mut run: Option<Run> = None;
        let mut levels = 0;
        for (op, right) in terms {
            let of_left = run.as_ref().map_or(left.ty, |run| run.ty);
            let right = if is_null_literal(&right) { Expr::null(of_left) } else { right };
            let (mut a, mut b) = (of_left, right.ty);
            if a.is_decimal() != b.is_decimal() {
                (a, b) = (if run.is_some() { a } else { beside_decimal(&left) }, beside_decimal(&right));
            }
            let types = precedence::arithmetic(type_op(op), &a, &b)?;
            let result = types.result;
            // Exact whoever is added first, unless digits are lost on the way.
            let exact = result.is_decimal() && result.scale == types.left.scale.max(types.right.scale);
            let stepwise = types.left == result && types.right == result && is_stepwise(&result);
            if !exact && !stepwise || is_null_literal(&left) {
                levels += 1;
                left = self.closed(left, run.take())?;
                left = arithmetic(op, left, right, &self.columns)?;
                continue;
            }
            let goes_on = run.as_ref().is_some_and(|run| match exact {
                true => run.ty.is_decimal(),
                false => run.ty == result && run.op == op,
            });
            if !goes_on {
                levels += 1;
                left = self.closed(left, run.take())?;
                left = implicit(left, &types.left)?;
                run = Some(Run { ty: result, op, terms: Vec::new() });
            }
            let Some(run) = &mut run else { unreachable!("a run has just been begun") };
            let term = if exact && right.ty.is_decimal() { right } else { implicit(right, &types.right)? };
            run.ty = result;
            run.terms.push(match exact && op == ArithmeticOp::Subtract {
                true => Expr::new(term.ty, term.nullable, ExprKind::Negate(Box::new(term))),
                false => term,
            });
            if levels > LEVELS_MAX {
                return Err(errors::too_deep());
            }
        }
        self.closed(left, run)
    }

    /// `left` with all that the run adds to it.
    fn closed(&mut self, left: Expr, run: Option<Run>) -> SqlResult<Expr> {
        let Some(Run { ty, op, terms }) = run else { return Ok(left) };
        let mut all = Vec::with_capacity(terms.len() + 1);
        all.push(left);
        all.extend(terms);
        if ty.is_decimal() {
            return Ok(converted(self.balanced(all)?, &ty, false));
        }
        let nullable = all.iter().any(|e| e.nullable);
        let function = if op == ArithmeticOp::Add { FunctionId::LongSum } else { FunctionId::LongDifference };
        Ok(Expr::new(ty, nullable, ExprKind::Function(function, all)))
    }
}

/// Added term by term in a loop.
fn is_stepwise(ty: &SqlType) -> bool {
    let money = matches!(ty.kind, TypeKind::Money | TypeKind::SmallMoney | TypeKind::Float | TypeKind::Real);
    ty.is_integer() || money
}

/// A string or binary as one of wide characters, or of a (max) type.
fn widened(term: Expr, wide: bool, long: bool) -> Expr {
    let mut ty = term.ty;
    if wide && !ty.is_unicode_string() {
        let kind = if ty.kind == TypeKind::Char { TypeKind::NChar } else { TypeKind::NVarChar };
        let length = if ty.is_max() { MAX_LENGTH } else { ty.length.min(4000) * 2 };
        ty = SqlType { kind, length, ..ty };
    }
    if long && !ty.is_max() {
        let kind = match ty.kind {
            TypeKind::Char => TypeKind::VarChar,
            TypeKind::NChar => TypeKind::NVarChar,
            TypeKind::Binary => TypeKind::VarBinary,
            kind => kind,
        };
        ty = SqlType { kind, length: MAX_LENGTH, ..ty };
    }
    converted(term, &ty, false)
}

fn column_of(side: &Expr) -> Option<usize> {
    if let ExprKind::Column(column) = side.kind { Some(column) } else { None }
}

/// 260 for 257, where the operand that would have to be converted is a column.
#[cold]
fn of_column(error: SqlError, sides: [(Option<usize>, SqlType); 2], scope: &Scope) -> SqlError {
    let [left, right] = sides;
    for ((column, from), (_, to)) in [(left, right), (right, left)] {
        let Some(column) = column else { continue };
        if error.number != 257 || error != sql_error!(257, from.shown(), to.shown()) {
            continue;
        }
        let mut columns =
            scope.sources.iter().flat_map(|source| (0..source.len()).map(move |at| (source, source.column(at))));
        if let Some((source, own)) = columns.find(|(_, own)| own.id.index() == column) {
            return sql_error!(260, from.shown(), to.shown(), source.label(), own.name);
        }
    }
    error
}
