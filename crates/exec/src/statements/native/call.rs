//! Calls of natively compiled modules by one another: from machine code to machine code.
//!
//! What is not as usual (a value that does not fit its parameter, a module that has changed) is found before the module begins, and is
//! the interpreter's then: the whole statement. A module that has begun a procedure's call ends it, well or not; a function, which
//! changes nothing, can be begun again.

use std::sync::Arc;

use native::{FunctionCall, Leave, Passed, Runtime as _};
use sql::plan::Module;
use types::{Datum, Physical, SqlType};

use super::super::code::{ArgumentCode, ArgumentValue, Code, CodeKind, ExecuteCode, ExecuteTarget};
use super::super::execute::{self, Call};
use super::super::failure::Unwind;
use super::super::run::Runner;
use super::super::{Frame, Instance};
use super::Step;
use super::run::Run;
use crate::context::Variables;
use crate::expression::Scalar;
use crate::host::ModuleInfo;
use crate::kernel;
use crate::session::Session;

/// A module that this one calls.
pub struct Callee {
    module: Arc<Module>,
    info: Arc<ModuleInfo>,
    /// For each argument its parameter, and the type that it comes in.
    places: Vec<(usize, SqlType)>,
    /// Parameters without an argument.
    defaults: Vec<usize>,
}

/// Those of a module, by number, once they have been called.
#[derive(Default)]
pub struct Callees {
    procedures: Vec<Option<Callee>>,
    functions: Vec<Option<Callee>>,
}

fn place(callees: &mut Vec<Option<Callee>>, number: usize) -> &mut Option<Callee> {
    if callees.len() <= number {
        callees.resize_with(number + 1, || None);
    }
    &mut callees[number]
}

impl Callee {
    /// None: not one that machine code calls. `arguments`: names and types.
    fn new<'n>(
        module: Arc<Module>,
        info: Arc<ModuleInfo>,
        arguments: impl Iterator<Item = (Option<&'n str>, SqlType)>,
    ) -> Option<Callee> {
        let takes_tables = module.table_variables.iter().any(|table| table.parameter.is_some());
        if module.atomic.is_none() || takes_tables || !module.messages.is_empty() {
            return None;
        }
        let parameters = &module.variables[..module.parameter_count];
        let mut places: Vec<(usize, SqlType)> = Vec::new();
        let mut named = false;
        for (position, (name, ty)) in arguments.enumerate() {
            named |= name.is_some();
            let place = match name {
                None => Some(position).filter(|place| *place < parameters.len() && !named),
                Some(name) => parameters.iter().position(|parameter| parameter.name.eq_ignore_ascii_case(name)),
            };
            let place = place.filter(|place| places.iter().all(|(taken, _)| taken != place))?;
            places.push((place, ty));
        }
        let left_out = |place: &usize| places.iter().all(|(taken, _)| taken != place);
        let defaults: Vec<usize> = (0..parameters.len()).filter(left_out).collect();
        let complete = defaults.iter().all(|place| parameters[*place].default.is_some());
        complete.then_some(Callee { module, info, places, defaults })
    }

    /// As EXEC gives the arguments. The variables that it gives with OUTPUT are for parameters of that kind.
    fn of_execute(module: Arc<Module>, info: Arc<ModuleInfo>, code: &ExecuteCode) -> Option<Callee> {
        let mut arguments = Vec::new();
        for argument in &code.arguments {
            let (ArgumentValue::Value(Scalar { ty, .. }) | ArgumentValue::Output(_, ty)) = &argument.value else {
                return None;
            };
            arguments.push((argument.name.as_deref(), *ty));
        }
        let callee = Callee::new(module, info, arguments.into_iter())?;
        let mut all = code.arguments.iter().zip(&callee.places);
        let accepts = |(argument, (place, _)): (&ArgumentCode, &(usize, SqlType))| match argument.value {
            ArgumentValue::Output(..) => callee.module.variables[*place].output,
            _ => true,
        };
        all.all(accepts).then_some(callee)
    }

    fn frame(&self, function: Option<SqlType>) -> Frame {
        Frame { info: Some(self.info.clone()), nested: true, trigger: None, function }
    }

    fn set_defaults(&self, instance: &mut Instance) {
        self.defaults.iter().for_each(|place| instance.set_default(&self.module, *place));
    }

    /// Gives a parameter its value. None: it does not take it.
    fn set(&self, variables: &mut Variables, session: &Session, argument: usize, value: Datum) -> Option<()> {
        let (at, from) = &self.places[argument];
        let parameter = &self.module.variables[*at];
        let value = match *from == parameter.ty {
            true => value,
            false => kernel::convert_datum(session, &value, from, &parameter.ty).ok()?,
        };
        if parameter.not_null && value.is_null() {
            return None;
        }
        variables.set_datum(*at as u32, &value);
        Some(())
    }

    /// The same for a number.
    fn set_number(&self, variables: &mut Variables, session: &Session, argument: usize, number: Passed) -> Option<()> {
        let (at, from) = &self.places[argument];
        match number.get() {
            Some(value) if *from == self.module.variables[*at].ty && from.physical() == Physical::I64 => {
                variables.set_i64(*at as u32, Some(value));
                Some(())
            }
            value => self.set(variables, session, argument, datum(value, from)),
        }
    }
}

/// A number as a value of a type that machine code has.
pub fn datum(number: Option<i64>, ty: &SqlType) -> Datum {
    match number {
        None => Datum::Null,
        Some(value) if ty.physical() == Physical::I128 => Datum::I128(value.into()),
        Some(value) => Datum::I64(value),
    }
}

impl Run<'_, '_> {
    /// What is called is what it was when the code was made.
    fn is_current(&mut self) -> bool {
        let runtime = self.runner.context.runtime.get_mut();
        runtime.host.catalog_version(runtime.session) == self.native.version
    }

    fn procedure_of(&mut self, code: &ExecuteCode) -> Option<Callee> {
        let ExecuteTarget::Procedure(name) = &code.target else { return None };
        let Ok(Call::Module(module, Some(info))) = self.runner.resolve(name) else { return None };
        // The name is looked up in the session's database, which need not always be the same.
        let home = self.runner.frame.info.as_ref()?.database;
        Callee::of_execute(module, info, code).filter(|callee| callee.info.database == home)
    }

    fn function_of(&mut self, function: &FunctionCall) -> Option<Callee> {
        let runtime = self.runner.context.runtime.get_mut();
        let module = runtime.host.module(runtime.session, &function.definition).ok()?;
        let info = execute::function_info(&function.definition);
        Callee::new(module, info, function.arguments.iter().map(|ty| (None, *ty)))
    }

    pub fn procedure(&mut self, number: usize, numbers: &[Passed]) -> Result<bool, Leave> {
        let native = self.native;
        let execution = &native.program.executions()[number];
        let Step::Statement(Code { kind: CodeKind::Execute(code), line }) = &native.steps[execution.step as usize]
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
        let Some(callee) = &kept.callees.procedures[number] else { return Ok(false) };
        let Ok(mut instance) = Instance::take(&callee.module) else { return Ok(false) };
        if callee.set_arguments(&mut instance, code, &execution.made, numbers, runner).is_none() {
            instance.give_back(&callee.module);
            return Ok(false);
        }
        let (module, frame) = (&callee.module, callee.frame(None));
        let result = execute::nested(runner.context.runtime.get_mut().again(), callee.info.object.0, |runtime| {
            instance.run(module, runtime, frame, |run, flow| (flow.status(), callee.outputs(code, run)))
        });
        let ended = match result {
            Ok((status, outputs)) => {
                let outputs = outputs.iter().map(|(ty, value)| (ty, value));
                match runner.take_outputs(code, status, outputs) {
                    Ok(()) => return Ok(true),
                    Err(error) => runner.fail(error, *line),
                }
            }
            Err(Unwind::Scope(error)) => runner.fail(error, *line),
            Err(unwind) => Err(unwind),
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
        let callee = kept.callees.functions[number].as_ref()?;
        let mut instance = Instance::take(&callee.module).ok()?;
        let runtime = runner.context.runtime.get_mut();
        let mut given = numbers.iter().enumerate();
        if given.any(|(at, number)| callee.set_number(&mut instance.variables, runtime.session, at, *number).is_none())
        {
            instance.give_back(&callee.module);
            return None;
        }
        callee.set_defaults(&mut instance);
        let (module, frame) = (&callee.module, callee.frame(Some(function.returns)));
        let value = execute::nested(runtime.again(), callee.info.object.0, |runtime| {
            instance.run(module, runtime, frame, |run, _| std::mem::take(&mut run.return_value))
        });
        match value.ok()? {
            Datum::Null => Some(None),
            Datum::I64(value) => Some(Some(value)),
            Datum::I128(value) => i64::try_from(value).ok().map(Some),
            other => panic!("a number, not {other:?}"),
        }
    }
}

impl Callee {
    /// None: one of them is an error, or does not fit its parameter.
    fn set_arguments(
        &self,
        instance: &mut Instance,
        code: &ExecuteCode,
        made: &[bool],
        numbers: &[Passed],
        runner: &mut Runner<'_>,
    ) -> Option<()> {
        let mut numbers = numbers.iter();
        runner.context.statement_time.set(0);
        for (at, (argument, made)) in code.arguments.iter().zip(made).enumerate() {
            if *made {
                let number = numbers.next().expect("machine code has made it");
                let session = &*runner.context.runtime.get_mut().session;
                self.set_number(&mut instance.variables, session, at, *number)?;
                continue;
            }
            let value = match &argument.value {
                ArgumentValue::Value(scalar) => scalar.scalar_datum(&runner.context).ok()?,
                ArgumentValue::Output(slot, _) => runner.context.variables.datum(*slot),
                _ => unreachable!("refused by `of_execute`"),
            };
            let session = &*runner.context.runtime.get_mut().session;
            self.set(&mut instance.variables, session, at, value)?;
        }
        self.set_defaults(instance);
        Some(())
    }

    /// What the parameters that were given with OUTPUT have come to.
    fn outputs(&self, code: &ExecuteCode, run: &Runner<'_>) -> Vec<(SqlType, Datum)> {
        let arguments = code.arguments.iter().zip(&self.places);
        let outputs = arguments.filter(|(argument, _)| matches!(argument.value, ArgumentValue::Output(..)));
        let value = |at: usize| (self.module.variables[at].ty, run.context.variables.datum(at as u32));
        outputs.map(|(_, (at, _))| value(*at)).collect()
    }
}
