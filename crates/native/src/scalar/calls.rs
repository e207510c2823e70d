//! Calls of natively compiled functions: arguments and values are numbers.

use std::sync::Arc;

use cranelift_codegen::ir::{Block, FuncRef, InstBuilder, Value, types as ir};
use sql::catalog::ModuleDef;
use sql::plan::{Expr, ExprKind};
use types::SqlType;

use super::{Maker, Scalars, has_value, is_number, makes_value, plain};
use crate::runtime::{PASSED_AT, PASSED_BYTES, PASSED_NULL_AT};

/// How machine code calls.
pub struct Calls {
    /// The run: `runtime::Call`.
    pub run: Value,
    /// What calls a function.
    pub helper: FuncRef,
    /// Those that are called, by number.
    pub functions: Vec<FunctionCall>,
    /// What asks the interpreter for a value, and what it is asked for, by number.
    pub ask: FuncRef,
    pub asked: Vec<Expr>,
}

/// A function that is called somewhere.
#[derive(Debug)]
pub struct FunctionCall {
    pub definition: Arc<ModuleDef>,
    /// Types of the arguments as they are given, and of the value.
    pub arguments: Box<[SqlType]>,
    pub returns: SqlType,
}

/// Machine code makes this argument.
pub fn is_argument(expr: &Expr, known: &dyn Fn(usize) -> bool) -> bool {
    is_number(&expr.ty) && has_value(expr, known)
}

/// The same, or the interpreter where it is asked.
pub fn is_made(expr: &Expr, known: &dyn Fn(usize) -> bool) -> bool {
    is_number(&expr.ty) && makes_value(expr, known, Maker::Both)
}

/// Somewhere within it a module is run.
pub fn calls_function(expr: &Expr) -> bool {
    expr.any(&mut |expr| matches!(expr.kind, ExprKind::UserFunction(..)))
}

impl Scalars<'_, '_> {
    /// Puts numbers where whoever is called finds them.
    pub fn pass(&mut self, numbers: &[(Value, Option<Value>)]) {
        let run = self.calls.run;
        for (position, (value, null)) in numbers.iter().enumerate() {
            let at = (PASSED_AT + position * PASSED_BYTES) as i32;
            let null = self.null_bit(*null);
            self.builder.ins().store(plain(), *value, run, at);
            self.builder.ins().store(plain(), null, run, at + PASSED_NULL_AT as i32);
        }
    }

    /// All arguments first: the calls of other functions may be among them.
    pub fn function(
        &mut self,
        definition: &Arc<ModuleDef>,
        arguments: &[Expr],
        returns: SqlType,
        unusual: Block,
    ) -> (Value, Option<Value>) {
        let numbers: Vec<_> = arguments.iter().map(|argument| self.value_or_null(argument, unusual)).collect();
        self.pass(&numbers);
        let (run, helper) = (self.calls.run, self.calls.helper);
        let types = arguments.iter().map(|argument| argument.ty).collect();
        self.calls.functions.push(FunctionCall { definition: definition.clone(), arguments: types, returns });
        let number = self.builder.ins().iconst(ir::I32, self.calls.functions.len() as i64 - 1);
        let count = self.builder.ins().iconst(ir::I32, numbers.len() as i64);
        let call = self.builder.ins().call(helper, &[run, number, count]);
        let answer = self.builder.inst_results(call)[0];
        let answered = self.builder.create_block();
        self.builder.ins().brif(answer, answered, &[], unusual, &[]);
        self.builder.switch_to_block(answered);
        let value = self.builder.ins().load(ir::I64, plain(), run, PASSED_AT as i32);
        let null = self.builder.ins().load(ir::I8, plain(), run, (PASSED_AT + PASSED_NULL_AT) as i32);
        (value, Some(null))
    }
}
