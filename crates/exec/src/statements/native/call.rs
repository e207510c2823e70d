//! Calls of natively compiled modules by one another: from machine code to machine code.
//!
//! What is found to be not as usual before the callee begins is the interpreter's, the whole statement. A function, which changes nothing,
//! can be begun again.

use std::sync::Arc;

use native::{FunctionCall, Leave, Passed, Runtime as _};
use sql::plan::Module;

use super::super::callee::{Callee, number_of};
use super::super::code::{Code, CodeKind, ExecuteCode, ExecuteTarget};
use super::super::execute::{self, Call};
use super::super::failure::Unwind;
use super::super::{Instance, nested};
use super::Step;
use super::run::Run;
use crate::sink::Command;

/// A native module that this one calls.
type Called = (Arc<Module>, Callee);

/// Those of a module, by number, once they have been called.
#[derive(Default)]
pub struct Callees {
    procedures: Vec<Option<Called>>,
    functions: Vec<Option<Called>>,
    /// Who may call them.
    actor: u64,
}

fn place(callees: &mut Vec<Option<Called>>, number: usize) -> &mut Option<Called> {
    if callees.len() <= number {
        callees.resize_with(number + 1, || None);
    }
    &mut callees[number]
}

impl Run<'_, '_> {
    /// What is called is what it was when the code was made, and asked for again where another calls.
    fn is_current(&mut self) -> bool {
        let runtime = self.runner.context.runtime.get_mut();
        let callees = &mut self.kept.callees;
        if callees.actor != runtime.session.actor {
            *callees = Callees { actor: runtime.session.actor, ..Callees::default() };
        }
        runtime.host.catalog_version(runtime.session) == self.native.version
    }

    fn procedure_of(&mut self, code: &ExecuteCode) -> Option<Called> {
        let ExecuteTarget::Procedure(name) = &code.target else { return None };
        let Ok(Call::Module(module, Some(info))) = self.runner.resolve(name) else { return None };
        // The name is looked up in the session's database, which need not always be the same.
        let home = self.runner.frame.info.as_ref()?.database;
        let callee = Callee::of_execute(&module, info, code).filter(|callee| callee.info.database == home)?;
        module.atomic.is_some().then_some((module, callee))
    }

    fn function_of(&mut self, function: &FunctionCall) -> Option<Called> {
        let runtime = self.runner.context.runtime.get_mut();
        let (module, database) = runtime.host.module(runtime.session, &function.definition).ok()?;
        let info = execute::function_info(&function.definition, database);
        let callee = Callee::new(&module, info, function.arguments.iter().map(|ty| (None, *ty)))?;
        module.atomic.is_some().then_some((module, callee))
    }

    pub fn procedure(&mut self, number: usize, numbers: &[Passed]) -> Result<bool, Leave> {
        let native = self.native;
        let execution = &native.program.executions()[number];
        let Step::Statement(Code { kind: CodeKind::Execute(code), line, .. }) = &native.steps[execution.step as usize]
        else {
            panic!("an EXEC")
        };
        self.turn()?;
        if !self.is_current() {
            return Ok(false);
        }
        if place(&mut self.kept.callees.procedures, number).is_none() {
            self.kept.callees.procedures[number] = self.procedure_of(code);
        }
        let Run { runner, kept, .. } = self;
        let Some((module, callee)) = &kept.callees.procedures[number] else { return Ok(false) };
        runner.context.statement_time.set(0);
        let ended = match runner.call(module, callee, code, &execution.made, numbers) {
            None => return Ok(false),
            Some(Ok((status, outputs))) => {
                let outputs = outputs.iter().map(|(ty, value)| (ty, value));
                match runner.take_outputs(code, status, None, outputs) {
                    Ok(()) => return Ok(true),
                    Err(error) => runner.fail(error, *line, Command::Execute),
                }
            }
            Some(Err(Unwind::Scope(error))) => runner.fail(error, *line, Command::Execute),
            Some(Err(unwind)) => Err(unwind),
        };
        match ended {
            Ok(_) => Ok(true),
            end => Err(self.leave(end)),
        }
    }

    /// An error is found again by the interpreter.
    pub fn value_of(&mut self, number: usize, numbers: &[Passed]) -> Option<Option<i64>> {
        let native = self.native;
        let function = &native.program.functions()[number];
        self.runner.yield_point().ok()?;
        if !self.is_current() {
            return None;
        }
        if place(&mut self.kept.callees.functions, number).is_none() {
            self.kept.callees.functions[number] = self.function_of(function);
        }
        let Run { runner, kept, .. } = self;
        let (module, callee) = kept.callees.functions[number].as_ref()?;
        let mut instance = Instance::take(module).ok()?;
        let runtime = runner.context.runtime.get_mut();
        let mut given = numbers.iter().enumerate();
        let (variables, session) = (&mut instance.variables, &*runtime.session);
        if given.any(|(at, number)| callee.set_number(module, variables, session, at, number.get()).is_none()) {
            instance.give_back(module);
            return None;
        }
        callee.set_defaults(module, &mut instance);
        let frame = callee.frame(Some(function.returns));
        let value = nested(runtime.again(), callee.info.object.0, |runtime| {
            instance.run(module, runtime, frame, |run, _| std::mem::take(&mut run.return_value))
        });
        number_of(&value.ok()?)
    }
}
