//! What a statement calls, found once, with the parameter of each argument.
//!
//! What is not as usual (a value that does not fit its parameter, say) is found before the module begins, and the whole statement is then
//! for the general way of `execute`, which knows every error. A module that has begun a procedure's call ends it, well or not.

use std::sync::{Arc, Weak};

use native::Passed;
use sql::plan::{BodyKind, Module};
use types::{Datum, Physical, SqlType};

use super::code::{ArgumentCode, ArgumentValue, ExecuteCode};
use super::run::Runner;
use super::{Frame, Instance};
use crate::context::Variables;
use crate::expression::Scalar;
use crate::host::{ModuleInfo, Naming};
use crate::kernel;
use crate::session::Session;

/// How a module is called from one place.
pub struct Callee {
    pub info: Arc<ModuleInfo>,
    /// For each argument its parameter, and the type that it comes in.
    places: Vec<(usize, SqlType)>,
    /// Parameters without an argument.
    defaults: Vec<usize>,
}

/// What an EXEC has called before.
pub struct Known {
    pub naming: Naming,
    /// A procedure that is altered, or for which the procedure cache has no room, goes though statements know it.
    pub module: Weak<Module>,
    pub callee: Callee,
}

impl Callee {
    /// None: these arguments are an error, or the general way's. `arguments`: names and types.
    pub fn new<'n>(
        module: &Module,
        info: Arc<ModuleInfo>,
        arguments: impl Iterator<Item = (Option<&'n str>, SqlType)>,
    ) -> Option<Callee> {
        let takes_tables = module.table_variables.iter().any(|table| table.parameter.is_some());
        let is_function = matches!(module.kind, BodyKind::ScalarFunction(_));
        if takes_tables || is_function || !module.messages.is_empty() {
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
        let complete = defaults.iter().all(|place| super::constant_default(&parameters[*place]).is_some());
        complete.then_some(Callee { info, places, defaults })
    }

    /// As EXEC gives the arguments. The variables that it gives with OUTPUT are for parameters of that kind.
    pub fn of_execute(module: &Module, info: Arc<ModuleInfo>, code: &ExecuteCode) -> Option<Callee> {
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
            ArgumentValue::Output(..) => module.variables[*place].output,
            _ => true,
        };
        all.all(accepts).then_some(callee)
    }

    pub fn frame(&self, function: Option<SqlType>) -> Frame {
        Frame { info: Some(self.info.clone()), nested: true, from_client: false, trigger: None, function }
    }

    pub fn set_defaults(&self, module: &Module, instance: &mut Instance) {
        self.defaults.iter().for_each(|place| instance.set_default(module, *place));
    }

    /// Gives a parameter its value. None: it does not take it.
    fn set(
        &self,
        module: &Module,
        variables: &mut Variables,
        session: &Session,
        argument: usize,
        value: Datum,
    ) -> Option<()> {
        let (at, from) = &self.places[argument];
        let parameter = &module.variables[*at];
        let value = match *from == parameter.ty {
            true => value,
            // It is validated where parameters are bound.
            false if parameter.ty.xml_collection().is_some() => return None,
            false => kernel::convert_datum(session, &value, from, &parameter.ty).ok()?,
        };
        if parameter.not_null && value.is_null() {
            return None;
        }
        variables.set_datum(*at as u32, &value);
        Some(())
    }

    /// The same for a number.
    pub fn set_number(
        &self,
        module: &Module,
        variables: &mut Variables,
        session: &Session,
        argument: usize,
        number: Option<i64>,
    ) -> Option<()> {
        let (at, from) = &self.places[argument];
        match number {
            Some(value) if *from == module.variables[*at].ty && from.physical() == Physical::I64 => {
                variables.set_i64(*at as u32, Some(value));
                Some(())
            }
            value => self.set(module, variables, session, argument, datum(value, from)),
        }
    }

    /// Gives EXEC's arguments to the callee's instance. `made`: of each argument, whether it is among `numbers`; none: all are computed here.
    /// None: one of them is an error, or does not fit its parameter.
    pub fn set_arguments(
        &self,
        module: &Module,
        instance: &mut Instance,
        code: &ExecuteCode,
        made: &[bool],
        numbers: &[Passed],
        runner: &mut Runner<'_>,
    ) -> Option<()> {
        let mut numbers = numbers.iter();
        let variables = &mut instance.variables;
        for (at, argument) in code.arguments.iter().enumerate() {
            if made.get(at).copied().unwrap_or(false) {
                let number = numbers.next().expect("machine code has made it");
                let session = &*runner.context.runtime.get_mut().session;
                self.set_number(module, variables, session, at, number.get())?;
                continue;
            }
            let value = match &argument.value {
                ArgumentValue::Value(scalar) => scalar.scalar_datum(&runner.context).ok()?,
                ArgumentValue::Output(slot, _) => runner.context.variables.datum(*slot),
                _ => unreachable!("refused by `of_execute`"),
            };
            let session = &*runner.context.runtime.get_mut().session;
            self.set(module, variables, session, at, value)?;
        }
        self.set_defaults(module, instance);
        Some(())
    }

    /// What the parameters that were given with OUTPUT have come to.
    pub fn outputs(&self, code: &ExecuteCode, run: &Runner<'_>) -> Vec<(SqlType, Datum)> {
        let arguments = code.arguments.iter().zip(&self.places);
        let outputs = arguments.filter(|(argument, _)| matches!(argument.value, ArgumentValue::Output(..)));
        let value = |at: usize| (run.module.variables[at].ty, run.context.variables.datum(at as u32));
        outputs.map(|(_, (at, _))| value(*at)).collect()
    }
}

/// A number as a value of a type that machine code has.
pub fn datum(number: Option<i64>, ty: &SqlType) -> Datum {
    match number {
        None => Datum::Null,
        Some(value) => match ty.physical() {
            Physical::I128 => Datum::I128(value.into()),
            Physical::F64 => Datum::F64(f64::from_bits(value as u64)),
            _ => Datum::I64(value),
        },
    }
}

/// The way back. None: it has more than 64 bits.
pub fn number_of(value: &Datum) -> Option<Option<i64>> {
    match value {
        Datum::Null => Some(None),
        Datum::I64(value) => Some(Some(*value)),
        Datum::F64(value) => Some(Some(value.to_bits() as i64)),
        Datum::I128(value) => i64::try_from(*value).ok().map(Some),
        Datum::Bytes(_) => panic!("no number"),
    }
}
