//! Expressions of the classes F64 (float, real), I128 (decimal, datetimeoffset, uniqueidentifier) and Bytes (strings, binary).

use std::borrow::Cow;

use sql::plan::ArithmeticOp;
use types::{Datum, SqlResult, SqlType};

use super::general::General;
use super::integer::I64Expr;
use crate::context::Context;
use crate::kernel;
use crate::value::Row;

pub enum F64Expr {
    Const(Option<f64>),
    Column(usize),
    Variable(u32),
    Outer(u32),
    /// `real`: results are rounded to f32.
    Arithmetic(Box<(ArithmeticOp, F64Expr, F64Expr)>, bool),
    Negate(Box<F64Expr>),
    /// From an integer type.
    FromI64(Box<I64Expr>, bool),
    General(Box<General>),
}

impl F64Expr {
    #[inline(always)]
    pub fn eval(&self, context: &Context, row: Row<'_>) -> SqlResult<Option<f64>> {
        match self {
            F64Expr::Column(column) => Ok(row.f64(*column)),
            F64Expr::Variable(slot) => Ok(context.variables.f64(*slot)),
            F64Expr::Const(value) => Ok(*value),
            node => node.eval_node(context, row),
        }
    }

    fn eval_node(&self, context: &Context, row: Row<'_>) -> SqlResult<Option<f64>> {
        match self {
            F64Expr::Const(value) => Ok(*value),
            F64Expr::Column(column) => Ok(row.f64(*column)),
            F64Expr::Variable(slot) => Ok(context.variables.f64(*slot)),
            F64Expr::Outer(slot) => match &context.outer.borrow()[*slot as usize] {
                Datum::F64(value) => Ok(Some(*value)),
                _ => Ok(None),
            },
            F64Expr::Arithmetic(node, real) => {
                let (op, left, right) = &**node;
                match (left.eval(context, row)?, right.eval(context, row)?) {
                    (Some(left), Some(right)) => {
                        kernel::float_arithmetic(*op, left, right, *real).map(Some).or_else(|e| context.uncomputed(e))
                    }
                    _ => Ok(None),
                }
            }
            F64Expr::Negate(operand) => Ok(operand.eval(context, row)?.map(|value| -value)),
            F64Expr::FromI64(operand, real) => {
                let value = operand.eval(context, row)?;
                Ok(value.map(|value| if *real { value as f32 as f64 } else { value as f64 }))
            }
            F64Expr::General(node) => Ok(node.eval(context, row)?.f64()),
        }
    }
}

pub enum I128Expr {
    Const(Option<i128>),
    Column(usize),
    Variable(u32),
    Outer(u32),
    Decimal(Box<DecimalArithmetic>),
    Negate(Box<I128Expr>),
    General(Box<General>),
}

pub struct DecimalArithmetic {
    pub kernel: types::decimal::Kernel,
    /// `Kernel::may_round`: then SET NUMERIC_ROUNDABORT is asked.
    pub may_round: bool,
    pub left: I128Expr,
    pub right: I128Expr,
}

impl I128Expr {
    #[inline]
    pub fn eval(&self, context: &Context, row: Row<'_>) -> SqlResult<Option<i128>> {
        match self {
            I128Expr::Const(value) => Ok(*value),
            I128Expr::Column(column) => Ok(row.i128(*column)),
            I128Expr::Variable(slot) => Ok(context.variables.i128(*slot)),
            I128Expr::Outer(slot) => match &context.outer.borrow()[*slot as usize] {
                Datum::I128(value) => Ok(Some(*value)),
                _ => Ok(None),
            },
            I128Expr::Decimal(node) => match (node.left.eval(context, row)?, node.right.eval(context, row)?) {
                (Some(left), Some(right)) => {
                    let result = match node.may_round && context.round_aborts() && node.kernel.rounds(left, right) {
                        true => Err(node.kernel.rounded()),
                        false => node.kernel.apply(left, right),
                    };
                    result.map(Some).or_else(|e| context.uncomputed(e))
                }
                _ => Ok(None),
            },
            I128Expr::Negate(operand) => Ok(operand.eval(context, row)?.map(|value| -value)),
            I128Expr::General(node) => Ok(node.eval(context, row)?.i128()),
        }
    }
}

pub enum BytesExpr {
    Const(Option<Box<[u8]>>),
    Column(usize),
    Variable(u32),
    Outer(u32),
    /// Strings or binaries of one kind; NULL if one is NULL. `limit`: what the type holds.
    Concat(Box<[BytesExpr]>, SqlType),
    General(Box<General>),
}

impl BytesExpr {
    #[inline]
    pub fn eval<'a>(&'a self, context: &'a Context, row: Row<'a>) -> SqlResult<Option<Cow<'a, [u8]>>> {
        match self {
            BytesExpr::Const(value) => Ok(value.as_deref().map(Cow::Borrowed)),
            BytesExpr::Column(column) => Ok(row.bytes(*column).map(Cow::Borrowed)),
            BytesExpr::Variable(slot) => Ok(context.variables.bytes(*slot).map(Cow::Borrowed)),
            node => node.eval_node(context, row),
        }
    }

    fn eval_node<'a>(&'a self, context: &'a Context, row: Row<'a>) -> SqlResult<Option<Cow<'a, [u8]>>> {
        match self {
            BytesExpr::Const(_) | BytesExpr::Column(_) | BytesExpr::Variable(_) => self.eval(context, row),
            BytesExpr::Outer(slot) => match &context.outer.borrow()[*slot as usize] {
                Datum::Bytes(value) => Ok(Some(Cow::Owned(context.own(Cow::Borrowed(value))?))),
                _ => Ok(None),
            },
            BytesExpr::Concat(parts, ty) => concat(context, row, parts, ty),
            BytesExpr::General(node) => Ok(node.eval(context, row)?.bytes()),
        }
    }
}

/// One string of all parts; None: NULL.
pub fn concat<'a>(
    context: &'a Context,
    row: Row<'a>,
    parts: &'a [BytesExpr],
    ty: &SqlType,
) -> SqlResult<Option<Cow<'a, [u8]>>> {
    let mut joined = Vec::new();
    let pacer = &mut context.pacer();
    for part in parts {
        match part.eval(context, row)? {
            None if ty.is_string() && context.null_is_empty() => {}
            None => return Ok(None),
            Some(Cow::Owned(own)) if joined.is_empty() => joined = own,
            Some(part) => pacer.copy(&part, &mut joined)?,
        }
        if joined.len() > kernel::VALUE_BYTES_MAX {
            return Err(crate::context::out_of_memory());
        }
    }
    // 8,000 bytes is the end of a string that is not (max), without an error.
    if !ty.is_max() {
        joined.truncate(ty.length as usize);
    }
    Ok(Some(Cow::Owned(joined)))
}
