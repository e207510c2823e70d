//! Values that the interpreter computes for machine code: parts of expressions that read no row.

use cranelift_codegen::ir::{Block, InstBuilder, Value, types as ir};
use sql::plan::{Expr, ExprKind};

use super::{DIGITS_MAX, Scalars, has_value, is_decimal, is_number, plain};
use crate::runtime::{ASKED_AT, PASSED_AT, PASSED_NULL_AT};

/// Who makes the values of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker {
    Code,
    /// Machine code, and the interpreter those parts that it can without a row. Not where variables lie in registers.
    Both,
}

/// The interpreter can be asked for it, more than once if need be.
pub fn can_be_asked(expr: &Expr) -> bool {
    use ExprKind::{Column, NextValueFor, Outer, Subquery, UserFunction};
    let reads =
        |expr: &Expr| matches!(expr.kind, Column(_) | Outer(_) | Subquery(_) | NextValueFor(_) | UserFunction(..));
    let long = is_decimal(&expr.ty) && expr.ty.precision > DIGITS_MAX;
    is_number(&expr.ty) && !long && !expr.any(&mut |expr| reads(expr))
}

/// A value, or a part of one, is asked for where it could be code's.
pub fn is_asked(expr: &Expr) -> bool {
    can_be_asked(expr) && !has_value(expr, &|_| false)
}

impl Scalars<'_, '_> {
    /// Within a statement that asks: its functions of the time tell that of its beginning.
    pub fn begin_to_ask(&mut self) {
        let (run, none) = (self.calls.run, self.builder.ins().iconst(ir::I64, 0));
        self.builder.ins().store(plain(), none, run, ASKED_AT as i32);
    }

    /// Of an expression that `is_asked`: an error of it is unusual.
    pub fn asked(&mut self, expr: &Expr, unusual: Block) -> (Value, Option<Value>) {
        let (run, helper) = (self.calls.run, self.calls.ask);
        self.calls.asked.push(expr.clone());
        let number = self.builder.ins().iconst(ir::I32, self.calls.asked.len() as i64 - 1);
        let call = self.builder.ins().call(helper, &[run, number]);
        let answer = self.builder.inst_results(call)[0];
        let answered = self.builder.create_block();
        self.builder.ins().brif(answer, answered, &[], unusual, &[]);
        self.builder.switch_to_block(answered);
        let value = self.builder.ins().load(ir::I64, plain(), run, PASSED_AT as i32);
        let null = self.builder.ins().load(ir::I8, plain(), run, (PASSED_AT + PASSED_NULL_AT) as i32);
        (value, Some(null))
    }
}
