//! EXEC: procedures, dynamic text, INSERT ... EXEC, and the calls of users' functions from expressions.

use std::collections::VecDeque;
use std::sync::Arc;

use native::Passed;
use sql::catalog::{ColumnDef, DatabaseId, ModuleDef, ObjectName, TableDef, USER_OBJECT_MIN};
use sql::plan::{BodyKind, Module, ResultSet};
use types::{Datum, RowBatch, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::callee::{Callee, Known};
use super::code::{ArgumentValue, ExecuteCode, ExecuteTarget};
use super::collected::Collector;
use super::ends::Origin;
use super::failure::Unwind;
use super::modify::{self, ModifyPlan};
use super::result_sets::Declared;
use super::run::{Flow, Runner};
use super::{Frame, Instance, nested, run_instance, transaction};
use crate::context::{Context, Runtime};
use crate::expression::Scalar;
use crate::host::{self, CallArgument, CallResult, ModuleInfo, TableArgument};
use crate::kernel;
use crate::memory_table::MemoryTable;
use crate::session::{stop_of, stopped};
use crate::sink::{Command, Outcome};
use crate::typed_xml::admitted;
use crate::value::Value;
use crate::workspace::Held;

/// Arguments in the order of the parameters.
struct Bound {
    values: Vec<Option<Datum>>,
    tables: Vec<(usize, RowBatch)>,
    /// For each argument its parameter.
    places: Vec<usize>,
}

fn bind(module: &Module, name: &str, arguments: &mut [CallArgument], runtime: &mut Runtime<'_>) -> SqlResult<Bound> {
    let count = module.parameter_count;
    let table_of = |position: usize| module.table_variables.iter().position(|table| table.parameter == Some(position));
    // A parameter that is a table or a cursor keeps its place among the variables; its name is that variable's.
    let cursor_of = |position: usize| module.cursor_parameters.iter().position(|place| *place == position);
    let names: Vec<&str> = module.variables[..count]
        .iter()
        .enumerate()
        .map(|(position, variable)| match (table_of(position), cursor_of(position)) {
            (Some(at), _) => &*module.table_variables[at].name,
            (_, Some(at)) => &*module.cursor_variables[at],
            _ => &*variable.name,
        })
        .collect();
    let in_procedure = |error: SqlError| error.in_procedure(name);
    if count == 0 && !arguments.is_empty() {
        return Err(in_procedure(sql_error!(8146, short(name))));
    }
    // A text of sp_executesql counts first, and then looks at names.
    if name.is_empty() && arguments.len() > count {
        return Err(in_procedure(sql_error!(8144, state 2, short(name))));
    }
    let mut values: Vec<Option<Datum>> = vec![None; count];
    let mut given = vec![false; names.len()];
    let mut rows = Vec::new();
    let mut places = Vec::new();
    for at in 0..arguments.len() {
        let position = match &arguments[at].name {
            Some(wanted) => {
                let found = names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
                found.ok_or_else(|| in_procedure(unknown_argument(module, &names, arguments, (wanted, name))))?
            }
            // Behind one with a name, too: that nothing may follow one is EXEC's rule (119), which its parser knows, and not the protocol's.
            None if at >= names.len() => {
                return Err(in_procedure(sql_error!(8144, state 2, short(name))));
            }
            None => at,
        };
        let argument = &mut arguments[at];
        if std::mem::replace(&mut given[position], true) {
            return Err(in_procedure(sql_error!(8143, names[position])));
        }
        places.push(position);
        if let Some(slot) = table_of(position) {
            match argument.table.take() {
                Some(given) => {
                    let table = &module.table_variables[slot].table;
                    let from_client = given.from_client;
                    if from_client && table.object.0 > 0 {
                        runtime.host.check_table_type(runtime.session, table, None)?;
                    }
                    let found = table_rows(runtime, given, table, names[position]);
                    let found = found.map_err(|error| match from_client {
                        true => not_of_type(names[position], error),
                        false => error,
                    });
                    rows.push((slot, found.map_err(in_procedure)?));
                }
                None if argument.value.is_none() => {}
                None => {
                    return Err(in_procedure(sql_error!(206, state 2, "int", module.table_variables[slot].table.name)));
                }
            }
            continue;
        }
        let variable = &module.variables[position];
        if argument.output && !variable.output {
            return Err(in_procedure(sql_error!(8162, state 2, variable.name)));
        }
        if let Some((ty, value)) = &argument.value {
            if variable.not_null && value.is_null() {
                return Err(in_procedure(null_assigned(&variable.name)));
            }
            values[position] = Some(parameter_value(runtime, value, ty, &variable.ty).map_err(in_procedure)?);
        } else {
            given[position] = false;
        }
    }
    for (position, given) in given.iter().enumerate() {
        if table_of(position).is_some() {
            continue;
        }
        let variable = &module.variables[position];
        if *given {
            continue;
        }
        let Some(default) = &variable.default else {
            return Err(in_procedure(sql_error!(201, state 4, short(name), names[position])));
        };
        if super::constant_default(variable).is_none() {
            let value = types::precedence::check_conversion(&default.ty, &variable.ty, false)
                .and_then(|()| super::default_value(default, runtime))
                .and_then(|value| parameter_value(runtime, &value, &default.ty, &variable.ty));
            values[position] = Some(value.map_err(in_procedure)?);
        }
    }
    Ok(Bound { values, tables: rows, places })
}

/// What is wrong with an argument of a name that no parameter has: 8145. A system procedure first misses what must be given: 201.
#[cold]
fn unknown_argument(module: &Module, names: &[&str], arguments: &[CallArgument], wrong: (&str, &str)) -> SqlError {
    let (wanted, procedure) = wrong;
    let given = |at: usize, name: &str| {
        arguments.iter().enumerate().any(|(position, argument)| match &argument.name {
            Some(own) => own.eq_ignore_ascii_case(name),
            None => position == at,
        })
    };
    if !procedure.starts_with("sys.") {
        return sql_error!(8145, wanted, short(procedure));
    }
    let optional = |at: usize| {
        let of_rows = module.table_variables.iter().any(|table| table.parameter == Some(at));
        of_rows || module.variables[at].default.is_some()
    };
    match names.iter().enumerate().find(|(at, name)| !optional(*at) && !given(*at, name)) {
        Some((_, missing)) => sql_error!(201, state 4, short(procedure), missing),
        None => sql_error!(8145, wanted, short(procedure)),
    }
}

/// 11554
#[cold]
pub fn null_assigned(name: &str) -> SqlError {
    sql_error!(11554, name)
}

/// What identity values are counted in.
const IDENTITY_NUMBER: SqlType = SqlType::decimal(38, 0);

/// Whether a row may be refused by others of the rows, or has values that are computed from it: an INSERT does that.
fn is_constrained(table: &TableDef) -> bool {
    table.indexes.iter().any(|index| index.unique)
        || !table.checks.is_empty()
        || table.columns.iter().any(|column| column.computed.is_some() || column.ty.kind == TypeKind::RowVersion)
}

/// 8061, behind what was wrong.
fn not_of_type(name: &str, error: SqlError) -> SqlError {
    if stop_of(&error).is_some() {
        return error;
    }
    let mut errors = error.one_by_one();
    let (number, state) = errors.first().map_or((0, 0), |first| (first.number, first.state));
    errors.push(sql_error!(8061, name, number, state));
    SqlError::together(errors)
}

/// A value as the column of a table type takes it: one that is too long is an error, but for blanks and zeros at its end.
fn column_value(runtime: &mut Runtime<'_>, value: &Datum, from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    use TypeKind::*;
    let value = kernel::convert_whole(runtime.session, value, from, to)?;
    if let Datum::Bytes(bytes) = &value
        && !to.is_max()
        && matches!(to.kind, Char | VarChar | NChar | NVarChar | Binary | VarBinary)
        && runtime.session.options.ansi_warnings
        && let Some(behind) = bytes.get(usize::from(to.length)..)
        && !kernel::only_blanks(to, behind)
    {
        return Err(sql_error!(8152, state 10));
    }
    admitted(runtime, kernel::fit(value, to), from, to)
}

/// Rows a caller gave as rows of the parameter's table type. `name`: the parameter's. Errors: 500, 515, 1077 and those of conversions.
fn table_rows(runtime: &mut Runtime<'_>, given: TableArgument, table: &TableDef, name: &str) -> SqlResult<RowBatch> {
    let (has, wants) = (given.types.len(), table.columns.len());
    if has != wants {
        return Err(sql_error!(500, has, wants));
    }
    let has_value = |at: usize| given.from_client && given.defaults.get(at) != Some(&true);
    if table.columns.iter().enumerate().any(|(at, column)| column.identity.is_some() && has_value(at)) {
        return Err(sql_error!(1077));
    }
    // A variable's of the same type: its rows have gone through an INSERT.
    let same = |(column, given): (&ColumnDef, &SqlType)| column.ty == *given;
    if !given.from_client && table.columns.iter().zip(&given.types).all(same) {
        return Ok(given.rows);
    }
    if given.from_client && is_constrained(table) {
        return runtime.host.rows_of_type(runtime.session, table, name, given);
    }
    let mut rows = RowBatch::new(table.columns.iter().map(|column| column.ty.physical()));
    for row in 0..given.rows.rows {
        let mut values = Vec::with_capacity(wants);
        for (at, column) in table.columns.iter().enumerate() {
            let value = match (given.defaults.get(at), column.identity) {
                (Some(true), Some((seed, step))) => {
                    let number = i128::from(seed) + i128::from(step) * row as i128;
                    kernel::convert_datum(runtime.session, &Datum::I128(number), &IDENTITY_NUMBER, &column.ty)?
                }
                (Some(true), None) => runtime.host.column_default(runtime.session, table, at as u16)?,
                _ => {
                    let given = (given.rows.columns[at].datum(row), &given.types[at]);
                    column_value(runtime, &given.0, given.1, &column.ty)?
                }
            };
            if value == Datum::Null && !column.nullable {
                return Err(sql_error!(515, column.name, name, "INSERT"));
            }
            values.push(value);
        }
        rows.push_row(&values);
    }
    Ok(rows)
}

/// A failed conversion of an argument is 8114, whatever went wrong.
fn parameter_value(runtime: &mut Runtime<'_>, value: &Datum, from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    let value = kernel::convert_datum(runtime.session, value, from, to).map_err(|error| match error.number {
        245 | 241 | 8114 | 8169 | 295 | 293 | 235 => {
            sql_error!(8114, kernel::type_name(from.kind), kernel::type_name(to.kind))
        }
        _ => error,
    })?;
    admitted(runtime, value, from, to)
}

/// Without its schema, as these messages show it.
pub fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Calls a module with arguments from anywhere.
pub fn call(
    module: &Arc<Module>,
    info: Option<&Arc<ModuleInfo>>,
    mut arguments: Vec<CallArgument>,
    mut runtime: Runtime<'_>,
    from_client: bool,
) -> Result<CallResult, Unwind> {
    let name = info.map_or("", |info| &info.name);
    let bound = bind(module, name, &mut arguments, &mut runtime).map_err(Unwind::Scope)?;
    let object = info.map_or(0, |info| info.object.0);
    let function = match module.kind {
        BodyKind::ScalarFunction(ty) => Some(ty),
        _ => None,
    };
    let frame = Frame { info: info.cloned(), nested: true, from_client, trigger: None, function };
    audit(info, &mut runtime)?;
    for message in module.messages.iter().chain(&runtime.host.take_notices()) {
        runtime.sink.message(message).map_err(Unwind::Stop)?;
    }
    let finished =
        nested(runtime, object, |runtime| run_instance(module, bound.values, bound.tables, runtime, frame, false));
    let finished = match finished {
        // Of a function it is its caller's error.
        Err(Unwind::Error(error)) if function.is_some() => return Err(Unwind::Scope(error)),
        finished => finished?,
    };
    let outputs = arguments.iter().zip(&bound.places).filter(|(argument, _)| argument.output);
    let outputs = outputs.map(|(_, place)| {
        let variable = &module.variables[*place];
        (variable.name.clone(), variable.ty, finished.variables[*place].clone())
    });
    let outputs = outputs.collect();
    let value = function.map(|ty| (ty, finished.value));
    Ok(CallResult { status: finished.status, value, outputs, unbalanced: None })
}

/// Tells who audits of a call. Err: it must not be.
fn audit(info: Option<&Arc<ModuleInfo>>, runtime: &mut Runtime<'_>) -> Result<(), Unwind> {
    match info {
        Some(info) if runtime.host.audits() => runtime.host.audit_call(runtime.session, info).map_err(Unwind::Scope),
        _ => Ok(()),
    }
}

/// What an EXEC statement's call has come to.
struct Returned {
    /// None: it was no procedure of a user's.
    info: Option<Arc<ModuleInfo>>,
    is_system: bool,
    status: i32,
    /// Of a function.
    value: Option<(SqlType, Datum)>,
    /// For each argument with OUTPUT.
    outputs: Vec<(SqlType, Datum)>,
}

/// 557: within a function nothing is called but functions and extended procedures.
fn check_within_function(call: &Call) -> SqlResult<()> {
    let permitted = match call {
        Call::Module(module, _) => matches!(module.kind, BodyKind::ScalarFunction(_)),
        Call::System(name) => short(name).get(..3).is_some_and(|start| start.eq_ignore_ascii_case("xp_")),
    };
    if permitted { Ok(()) } else { Err(sql_error!(557)) }
}

/// What an EXEC statement is about to do.
pub enum Call {
    Module(Arc<Module>, Option<Arc<ModuleInfo>>),
    System(Box<str>),
}

impl From<host::Callee> for Call {
    fn from(callee: host::Callee) -> Call {
        match callee {
            host::Callee::Module(module, info) => Call::Module(module, Some(info)),
            host::Callee::System(name) => Call::System(name),
        }
    }
}

impl<'a> Runner<'a> {
    pub fn execute(&mut self, code: &ExecuteCode, line: u32) -> Result<Flow, Unwind> {
        let level = self.session().transaction.level;
        let returned = match self.call_known(code) {
            Some(returned) => returned,
            None if self.frame.function.is_some() => self.call_found(code),
            None => match self.text_as(code) {
                Ok(began) => {
                    let returned = self.call_found(code);
                    self.end_text_as(began);
                    returned
                }
                Err(error) => Err(Unwind::Scope(error)),
            },
        };
        let Returned { info, is_system, status, value, outputs } = match returned {
            Ok(returned) => returned,
            // The module could not begin or go on; its caller can, once the error is known.
            Err(Unwind::Scope(error)) => {
                let (at, procedure) = (error.line, error.procedure.clone());
                let flow = self.fail(error, line, Command::Execute)?;
                if let Some(error) = transaction::level_error(self.session(), level) {
                    let error = error.at_line(at).in_procedure(&procedure);
                    self.fail_as(error, line, Origin::Raised, Command::Execute)?;
                }
                return Ok(flow);
            }
            // An error on its way to a CATCH has done where it arose what it does to the transaction.
            Err(Unwind::Error(error)) => {
                if self.session().atomic.is_none() {
                    self.call_ended(Outcome::Well)?;
                }
                return Err(Unwind::Error(error));
            }
            Err(unwind) => return Err(unwind),
        };
        let unbalanced = transaction::level_error(self.session(), level);
        if !self.frame.nested {
            match &unbalanced {
                // The text of a system procedure has left it open: that is its status.
                Some(error) if is_system => self.untold_status = Some(error.number),
                _ => self.context.runtime.get_mut().sink.return_status(status).map_err(Unwind::Stop)?,
            }
        }
        if let Err(error) = self.take_outputs(code, status, value, outputs.iter().map(|(ty, value)| (ty, value))) {
            return self.fail(error, line, Command::Execute);
        }
        if let Some(error) = unbalanced {
            let procedure = info.as_ref().map_or("", |info| &*info.name);
            let end = self.fail_as(error.in_procedure(procedure), line, Origin::Raised, Command::Execute);
            self.untold_status = None;
            return end;
        }
        let refused = is_system && std::mem::take(&mut self.session().refused);
        if self.session().atomic.is_none() {
            self.call_ended(if refused { Outcome::Failed } else { Outcome::Well })?;
        }
        Ok(Flow::Next)
    }

    /// What the statement has called before, if its name stands for that now. None: nothing is done.
    fn call_known(&mut self, code: &ExecuteCode) -> Option<Result<Returned, Unwind>> {
        let known = code.known.take()?;
        let runtime = self.context.runtime.get_mut();
        if runtime.host.naming(runtime.session) != known.naming {
            return None;
        }
        let module = known.module.upgrade()?;
        runtime.host.called_again();
        let ended = self.call(&module, &known.callee, code, &[], &[]);
        let info = Some(known.callee.info.clone());
        code.known.set(Some(known));
        Some(ended?.map(|(status, outputs)| Returned { info, is_system: false, status, value: None, outputs }))
    }

    /// Calls `module` with EXEC's arguments; see `Callee::set_arguments`. What it returned, and its outputs. None: nothing is done.
    pub fn call(
        &mut self,
        module: &Arc<Module>,
        callee: &Callee,
        code: &ExecuteCode,
        made: &[bool],
        numbers: &[Passed],
    ) -> Option<Result<(i32, Vec<(SqlType, Datum)>), Unwind>> {
        let mut instance = Instance::take(module).ok()?;
        if callee.set_arguments(module, &mut instance, code, made, numbers, self).is_none() {
            instance.give_back(module);
            return None;
        }
        if let Err(refused) = audit(Some(&callee.info), self.context.runtime.get_mut()) {
            instance.give_back(module);
            return Some(Err(refused));
        }
        let frame = callee.frame(None);
        Some(nested(self.context.runtime.get_mut().again(), callee.info.object.0, |runtime| {
            instance
                .run(module, runtime, frame, |run, flow| (flow.status(run.unsaid_status()), callee.outputs(code, run)))
        }))
    }

    /// Looks up what is to be called, and calls it.
    fn call_found(&mut self, code: &ExecuteCode) -> Result<Returned, Unwind> {
        let (call, arguments) = self.prepare_call(code).map_err(Unwind::Scope)?;
        let info = match &call {
            Call::Module(_, info) => info.clone(),
            Call::System(_) => None,
        };
        let module = match &call {
            Call::Module(module, _) => Some(module.clone()),
            Call::System(_) => None,
        };
        let is_system = module.is_none();
        if self.frame.function.is_some() {
            check_within_function(&call).map_err(Unwind::Scope)?;
        }
        match &module {
            Some(module) => self.check_cursor_arguments(code, module).map_err(Unwind::Scope)?,
            None => self.refuse_cursor_arguments(code).map_err(Unwind::Scope)?,
        }
        if module.as_ref().is_some_and(|module| !module.cursor_parameters.is_empty()) {
            let own = self.context.cursors.get_mut();
            let variables = own.variables.iter().filter_map(|(name, id)| Some((name.clone(), (*id)?)));
            let names = own.names.iter().filter_map(|name| Some((name.name.clone(), name.local?)));
            let callers = variables.chain(names).collect();
            self.session().cursors.want(callers);
        }
        let runtime = self.context.runtime.get_mut().again();
        let ended = match &code.result_sets {
            Some(sets) => dispatch_as(sets, call, arguments, runtime),
            None => dispatch(call, arguments, runtime),
        };
        if let Some(module) = module.filter(|module| !module.cursor_parameters.is_empty()) {
            self.take_cursors(code, &module);
        }
        let CallResult { status, value, outputs, .. } = ended?;
        let outputs = outputs.into_iter().map(|(_, ty, value)| (ty, value)).collect();
        Ok(Returned { info, is_system, status, value, outputs })
    }

    /// The procedure of this name, which the statement knows from now on.
    fn look_up(&mut self, name: &ObjectName, code: &ExecuteCode) -> SqlResult<Call> {
        let runtime = self.context.runtime.get_mut();
        let naming = runtime.host.naming(runtime.session);
        let call = self.resolve(name)?;
        if let Call::Module(module, Some(info)) = &call
            && code.result_sets.is_none()
            // With a database in its name, that database's name counts too.
            && name.database.is_none()
            && info.database == naming.database
            && let Some(callee) = Callee::of_execute(module, info.clone(), code)
        {
            code.known.set(Some(Box::new(Known { naming, module: Arc::downgrade(module), callee })));
        }
        Ok(call)
    }

    fn prepare_call(&mut self, code: &ExecuteCode) -> SqlResult<(Call, Vec<CallArgument>)> {
        let mut arguments = Vec::with_capacity(code.arguments.len());
        for argument in &code.arguments {
            let mut call = CallArgument { name: argument.name.clone(), value: None, table: None, output: false };
            match &argument.value {
                ArgumentValue::Default => {}
                ArgumentValue::Value(scalar) => {
                    call.value = Some((scalar.ty, scalar.scalar_datum(&self.context)?));
                }
                ArgumentValue::Output(slot, ty) => {
                    call.value = Some((*ty, self.context.variables.datum(*slot)));
                    call.output = true;
                }
                ArgumentValue::Table(slot) => {
                    let at = slot.0 as usize;
                    let types = self.module.table_variables[at].table.columns.iter().map(|column| column.ty).collect();
                    call.table = Some(TableArgument {
                        types,
                        rows: self.context.tables[at].borrow().live_rows(&self.context, &mut Held::default())?,
                        defaults: Vec::new(),
                        from_client: false,
                    });
                }
                // Its parameter has a place among the others, and gets its cursor by `take_cursors`.
                ArgumentValue::Cursor(_) => call.value = Some((SqlType::INT, Datum::Null)),
            }
            arguments.push(call);
        }
        let call = match &code.target {
            ExecuteTarget::Text(text) => {
                let text = self.text_of(text)?;
                let runtime = self.context.runtime.get_mut();
                Call::Module(runtime.host.compile(runtime.session, &text)?, None)
            }
            ExecuteTarget::Procedure(name) => self.look_up(name, code)?,
            ExecuteTarget::Named(name) => {
                let name = ObjectName::from_text(&self.text_of(name)?).unwrap_or_default();
                self.resolve(&name)?
            }
        };
        Ok((call, arguments))
    }

    /// Empty for NULL.
    fn text_of(&self, text: &Scalar) -> SqlResult<String> {
        Ok(match text.scalar_datum(&self.context)? {
            Datum::Bytes(bytes) => kernel::text(&text.ty, &bytes),
            _ => String::new(),
        })
    }

    /// The name as one of the module's schema, where it is looked for first. None: it says itself where, or that is dbo.
    pub fn own_name(&self, name: &ObjectName) -> Option<ObjectName> {
        sql::bind::names::within(name, self.module.schema.as_deref())
    }

    pub fn resolve(&mut self, name: &ObjectName) -> SqlResult<Call> {
        let own = self.own_name(name);
        let named_by = self.module.object;
        let runtime = self.context.runtime.get_mut();
        if let Some(own) = own {
            match runtime.host.procedure(runtime.session, &own, named_by) {
                Ok(found) => return Ok(found.into()),
                // The module's schema has none of that name.
                Err(error) if error.number == 2812 => {}
                Err(error) => return Err(error),
            }
        }
        Ok(match runtime.host.procedure(runtime.session, name, named_by)? {
            host::Callee::Module(module, info) => Call::Module(module, Some(self.speaking(info))),
            found => found.into(),
        })
    }

    /// A module without a name of its own says what it says in its caller's.
    fn speaking(&self, info: Arc<ModuleInfo>) -> Arc<ModuleInfo> {
        match &self.frame.info {
            Some(caller) if info.name.is_empty() => {
                Arc::new(ModuleInfo { name: caller.name.clone(), ..(*info).clone() })
            }
            _ => info,
        }
    }

    /// `value`: what a function returned, in place of a status. `outputs`: for each argument with OUTPUT.
    pub fn take_outputs<'v>(
        &mut self,
        code: &ExecuteCode,
        status: i32,
        value: Option<(SqlType, Datum)>,
        outputs: impl Iterator<Item = (&'v SqlType, &'v Datum)>,
    ) -> SqlResult<()> {
        let slots = code.arguments.iter().filter_map(|argument| match &argument.value {
            ArgumentValue::Output(slot, ty) => Some((*slot, *ty)),
            _ => None,
        });
        for ((slot, ty), (from, value)) in slots.zip(outputs) {
            let value = {
                let runtime = self.context.runtime.get_mut();
                let value = kernel::convert_datum(runtime.session, value, from, &ty)?;
                admitted(runtime, value, from, &ty)?
            };
            self.context.set_variable(slot, Value::from_datum(&value))?;
            self.check_assigned(slot)?;
        }
        if let Some(slot) = code.return_value {
            let ty = self.module.variables[slot as usize].ty;
            let (from, value) = value.unwrap_or((SqlType::INT, Datum::I64(status.into())));
            let runtime = self.context.runtime.get_mut();
            let value = kernel::convert_datum(runtime.session, &value, &from, &ty)?;
            self.context.variables.set_datum(slot, &value);
        }
        Ok(())
    }

    /// The rows of every result set of the call feed the insert. `aborted`: how the call ended, if not well.
    pub fn insert_execute(
        &mut self,
        insert: &mut ModifyPlan,
        own: &[SqlType],
        code: &ExecuteCode,
        aborted: &mut Option<Unwind>,
    ) -> SqlResult<u64> {
        let began = self.text_as(code)?;
        let inserted = self.insert_called((insert, own), code, aborted, began);
        // A call that did not come to its end.
        self.end_text_as(began);
        inserted
    }

    /// `began`: see `text_as`; the rows are inserted as whom the statement itself runs.
    fn insert_called(
        &mut self,
        (insert, own): (&mut ModifyPlan, &[SqlType]),
        code: &ExecuteCode,
        aborted: &mut Option<Unwind>,
        began: Option<u32>,
    ) -> SqlResult<u64> {
        let (call, arguments) = self.prepare_call(code)?;
        let types = insert.source_types();
        let workspace = self.context.workspace().clone();
        let result = {
            let runtime = self.context.runtime.get_mut();
            if runtime.session.insert_execute.is_some() {
                return Err(sql_error!(8164));
            }
            let own = transaction::share(runtime.session);
            runtime.session.insert_execute = Some(runtime.session.transaction.level);
            let version = runtime.host.catalog_version(runtime.session);
            let spill = runtime.host.storage().spill().clone();
            let mut collector = Collector::new(types.len(), &mut *runtime.sink, &workspace, spill);
            let nested_runtime =
                Runtime { session: &mut *runtime.session, host: &mut *runtime.host, sink: &mut collector };
            let result = dispatch(call, arguments, nested_runtime);
            let (rows, failed) = collector.finish();
            runtime.session.insert_execute = None;
            transaction::end_share(runtime.session, own);
            match failed {
                // How the call ended by itself comes first: it has been told already, or goes to a CATCH.
                Some(error) if result.is_ok() => return Err(error),
                _ if runtime.host.catalog_version(runtime.session) != version => {
                    check_unaltered(runtime, insert.table())?;
                }
                _ => {}
            }
            result.map(|result| (result, rows))
        };
        self.end_text_as(began);
        let (result, rows) = match result {
            Ok(result) => result,
            Err(Unwind::Error(error)) => {
                self.session().thrown = true;
                return Err(error);
            }
            Err(Unwind::Scope(error)) => return Err(error),
            Err(Unwind::Stop(stop)) => return Err(stopped(stop)),
            Err(Unwind::Aborted) => {
                *aborted = Some(Unwind::Aborted);
                // The client has been told why; this one undoes the statement.
                return Err(sql_error!(3609));
            }
        };
        let outputs = result.outputs.iter().map(|(_, ty, value)| (ty, value));
        self.take_outputs(code, result.status, result.value.clone(), outputs)?;
        // What was called has made its transaction uncommittable and gone on.
        if self.session().transaction.doomed {
            return Err(transaction::cannot_commit());
        }
        let mut rows = rows.into_iter().map(|set| set.read(&types, own)).collect::<VecDeque<_>>();
        modify::run_rows(insert, &mut self.context, &types, |context, out| {
            while let Some(set) = rows.front_mut() {
                if set.next(context, out)? {
                    return Ok(true);
                }
                rows.pop_front();
            }
            Ok(false)
        })
    }
}

/// 556: the call of an INSERT ... EXEC has altered the table that its rows are for, so the statement's plan fits it no more.
fn check_unaltered(runtime: &mut Runtime<'_>, table: &TableDef) -> SqlResult<()> {
    if table.object.0 < USER_OBJECT_MIN {
        return Ok(());
    }
    let shape = |table: &TableDef| format!("{:?}", TableDef { row_count: 0, ..table.clone() });
    let now = runtime.host.table_by_id(runtime.session, table.database, table.object);
    match now.is_ok_and(|now| shape(&now) == shape(table)) {
        true => Ok(()),
        false => Err(sql_error!(556)),
    }
}

/// `dispatch`, with the result sets as WITH RESULT SETS has them.
fn dispatch_as(
    sets: &[ResultSet],
    call: Call,
    arguments: Vec<CallArgument>,
    runtime: Runtime<'_>,
) -> Result<CallResult, Unwind> {
    let settings = kernel::settings(runtime.session, false);
    let mut sink = Declared::new(runtime.sink, sets, settings);
    let Runtime { session, host, .. } = runtime;
    let ended = dispatch(call, arguments, Runtime { session, host, sink: &mut sink });
    match (ended, sink.finish()) {
        (Ok(_), Some(error)) => Err(Unwind::Scope(error)),
        (ended, _) => ended,
    }
}

fn dispatch(call: Call, mut arguments: Vec<CallArgument>, runtime: Runtime<'_>) -> Result<CallResult, Unwind> {
    match call {
        Call::Module(module, info) => self::call(&module, info.as_ref(), arguments, runtime, false),
        Call::System(name) => {
            let status = nested(
                Runtime { session: &mut *runtime.session, host: &mut *runtime.host, sink: &mut *runtime.sink },
                0,
                |runtime| {
                    runtime.session.thrown = false;
                    let result = runtime.host.system_procedure(runtime.session, runtime.sink, &name, &mut arguments);
                    let thrown = std::mem::take(&mut runtime.session.thrown);
                    result.map_err(|error| match crate::session::stop_of(&error) {
                        Some(stop) => Unwind::Stop(stop),
                        None if thrown => Unwind::Error(error),
                        None => Unwind::Scope(error),
                    })
                },
            );
            if std::mem::take(&mut runtime.session.aborted) {
                return Err(Unwind::Aborted);
            }
            let status = match status {
                Err(Unwind::Scope(error)) if runtime.session.try_level == 0 => {
                    match runtime.host.refused_status(&name, &error) {
                        Some(status) => refuse(runtime, error, status),
                        None => Err(Unwind::Scope(error)),
                    }
                }
                other => other,
            };
            let outputs = arguments.into_iter().filter(|argument| argument.output);
            let outputs = outputs.map(|argument| {
                let (ty, value) = argument.value.unwrap_or((SqlType::INT, Datum::Null));
                (argument.name.unwrap_or_default(), ty, value)
            });
            Ok(CallResult { status: status?, value: None, outputs: outputs.collect(), unbalanced: None })
        }
    }
}

/// The client hears of the error, and the caller goes on with the status.
fn refuse(runtime: Runtime<'_>, error: SqlError, status: i32) -> Result<i32, Unwind> {
    runtime.session.error = error.number;
    runtime.session.refused = true;
    for error in error.one_by_one() {
        runtime.sink.message(&error.at_line(1)).map_err(Unwind::Stop)?;
    }
    Ok(status)
}

pub fn function_info(definition: &ModuleDef, database: DatabaseId) -> Arc<ModuleInfo> {
    Arc::new(ModuleInfo {
        database,
        object: definition.object,
        name: definition.name.clone(),
        quoted_identifier: definition.quoted_identifier,
        ansi_nulls: definition.ansi_nulls,
        execute_as: definition.execute_as,
    })
}

/// Rows for a function's table-valued parameters, each of which was given the number of the caller's table variable.
fn table_arguments(
    context: &Context,
    module: &Module,
    arguments: &[(SqlType, Datum)],
) -> SqlResult<Vec<(usize, RowBatch)>> {
    let mut rows = Vec::new();
    for (slot, table) in module.table_variables.iter().enumerate() {
        if let Some(at) = table.parameter
            && let Some((_, Datum::I64(given))) = arguments.get(at)
        {
            rows.push((slot, context.tables[*given as usize].borrow().live_rows(context, &mut Held::default())?));
        }
    }
    Ok(rows)
}

fn function_call<T>(
    context: &Context,
    definition: &Arc<ModuleDef>,
    arguments: Vec<(SqlType, Datum)>,
    returns: SqlType,
    keep_table: bool,
    take: impl FnOnce(super::Finished) -> T,
) -> SqlResult<T> {
    let (module, database) = {
        let mut runtime = context.runtime();
        let runtime = &mut *runtime;
        runtime.host.module(runtime.session, definition)?
    };
    let tables = table_arguments(context, &module, &arguments)?;
    let mut runtime = context.runtime();
    let runtime = &mut *runtime;
    let info = function_info(definition, database);
    let mut runtime = Runtime { session: &mut *runtime.session, host: &mut *runtime.host, sink: &mut *runtime.sink };
    let mut values = Vec::with_capacity(arguments.len());
    for (at, (ty, value)) in arguments.iter().enumerate() {
        let to = module.variables[at].ty;
        values.push(Some(parameter_value(&mut runtime, value, ty, &to)?));
    }
    values.resize(module.parameter_count, None);
    let frame = Frame { info: Some(info), nested: true, from_client: false, trigger: None, function: Some(returns) };
    let result = nested(runtime, definition.object.0, |runtime| {
        run_instance(&module, values, tables, runtime, frame, keep_table)
    });
    match result {
        Ok(finished) => Ok(take(finished)),
        Err(Unwind::Error(error) | Unwind::Scope(error)) => Err(error),
        Err(Unwind::Stop(stop)) => Err(stopped(stop)),
        Err(Unwind::Aborted) => panic!("a function's errors unwind to its caller"),
    }
}

pub fn scalar_function(
    context: &Context,
    definition: &Arc<ModuleDef>,
    arguments: Vec<(SqlType, Datum)>,
    ty: &SqlType,
) -> SqlResult<Datum> {
    function_call(context, definition, arguments, *ty, false, |finished| finished.value)
}

/// The function's own table variable, which is its module's first.
pub fn table_function(
    context: &Context,
    definition: &Arc<ModuleDef>,
    arguments: Vec<(SqlType, Datum)>,
) -> SqlResult<MemoryTable> {
    let table = function_call(context, definition, arguments, SqlType::INT, true, |finished| finished.table)?;
    Ok(table.expect("it has a table"))
}
