//! EXEC and RETURN, of which the numbers are machine code's, and the statements whose functions the catalog knows.

use cranelift_codegen::ir::{Block, InstBuilder, Value as Ssa, types as ir};
use sql::plan::{ArgumentValue, Execute, Expr, QueryId};

use super::{Body, Ends};
use crate::form::{Form, Values};
use crate::runtime::ARGUMENTS_MAX;
use crate::scalar::is_made;

/// An EXEC.
#[derive(Debug)]
pub struct Execution {
    /// Where the interpreter has the statement.
    pub step: u32,
    /// Which of its arguments machine code makes.
    pub made: Box<[bool]>,
}

impl Body<'_, '_, '_> {
    pub fn execute(&mut self, number: u32, execute: &Execute) {
        let ends = self.ends();
        let (mut made, mut numbers) = (Vec::new(), Vec::new());
        self.begin_to_ask(execute.arguments.iter().filter_map(|argument| match &argument.value {
            ArgumentValue::Expr(expr) => Some(expr),
            _ => None,
        }));
        for argument in &execute.arguments {
            let expr = match &argument.value {
                ArgumentValue::Expr(expr) if numbers.len() < ARGUMENTS_MAX && is_made(expr, &|_| false) => expr,
                _ => {
                    made.push(false);
                    continue;
                }
            };
            numbers.push(self.scalars.value_or_null(expr, ends.unusual));
            made.push(true);
        }
        self.scalars.pass(&numbers);
        let this = self.lowered.executions.len() as i64;
        self.ask(self.helpers.execute, &[this, numbers.len() as i64], ends.unusual);
        self.end(number, ends);
        let step = self.lowered.steps.len() as u32 - 1;
        self.lowered.executions.push(Execution { step, made: made.into() });
    }

    /// None: RETURN without a value.
    pub fn returns(&mut self, number: u32, value: Option<&Expr>) {
        let ends = self.ends();
        let value = match value {
            Some(value) => {
                self.begin_to_ask([value]);
                self.scalars.value_or_null(value, ends.unusual)
            }
            None => (self.builder().ins().iconst(ir::I64, 0), None),
        };
        self.end_with(number, value, ends);
    }

    /// The run ends with this.
    fn end_with(&mut self, number: u32, value: (Ssa, Option<Ssa>), ends: Ends) {
        self.scalars.pass(&[value]);
        let answer = self.call(self.helpers.returns, &[]);
        let left = self.left;
        self.builder().ins().brif(answer, left, &[], ends.unusual, &[]);
        let nowhere = self.builder().create_block();
        self.builder().switch_to_block(nowhere);
        self.end(number, ends);
    }

    /// The same with a query's value.
    pub fn return_values(&mut self, number: u32, query: QueryId) {
        let Some(Form::Values(of)) = (self.form)(query) else { return self.step(number) };
        let ends = self.ends();
        let value = self.values(&of, ends.unusual, |body| body.scalars.value_or_null(&of.values[0], ends.unusual));
        self.end_with(number, value, ends);
    }

    pub fn assign_values(&mut self, number: u32, of: Values) {
        let ends = self.ends();
        let assigned: Vec<_> = of.slots.iter().copied().zip(of.values.iter().cloned()).collect();
        let values = self.values(&of, ends.unusual, |body| body.row_values(&assigned, ends.unusual));
        for (slot, value, null) in values {
            self.scalars.set(slot, value, null);
        }
        self.set_rows(1);
        self.end(number, ends);
    }

    /// Goes where the bit of a condition leads, and continues where the interpreter is to ask for it.
    pub fn values_condition(&mut self, query: QueryId, yes: Block, no: Block) {
        let Some(Form::Values(of)) = (self.form)(query) else { return };
        let unusual = self.rare_block();
        let bit = self.values(&of, unusual, |body| body.scalars.value(&of.values[0], unusual));
        self.builder().ins().brif(bit, yes, &[], no, &[]);
        self.builder().switch_to_block(unusual);
    }

    /// Computes them, as an execution of their query.
    fn values<T>(&mut self, of: &Values, unusual: Block, compute: impl FnOnce(&mut Self) -> T) -> T {
        self.lowered.values.push(of.query);
        let this = self.lowered.values.len() as i64 - 1;
        self.call(self.helpers.begin_values, &[this]);
        self.begin_with_subqueries(&of.subqueries, &of.values);
        let values = compute(self);
        self.keep_subqueries(&of.subqueries, unusual);
        let status = self.call(self.helpers.end_values, &[this]);
        self.scalars.unless(status, unusual);
        values
    }
}
