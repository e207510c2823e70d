//! Procedures that run text: sp_executesql, and the prepared statements of drivers.
//!
//! | procedure | arguments | does |
//! |---|---|---|
//! | sp_executesql | @stmt, @params, values | compiles (or finds) and runs |
//! | sp_prepare | @handle OUTPUT, @params, @stmt, @options | compiles, keeps |
//! | sp_execute | @handle, values | runs what is kept |
//! | sp_prepexec | @handle OUTPUT, @params, @stmt, values | both |
//! | sp_prepexecrpc | @handle OUTPUT, procedure, values | calls the procedure, keeps its name |
//! | sp_unprepare | @handle | forgets |

use std::sync::Arc;

use exec::host::{CallArgument, Callee, Ended, Host, ModuleInfo};
use exec::sink::{Command, Done, DoneKind, Outcome, Sink};
use sql::plan::{Client, Module, Statement, StatementKind, Variable};
use types::{Datum, SqlError, SqlResult, SqlType, sql_error};

use crate::session::arguments::{expects_parameter, text_of};
use crate::session::compile;
use crate::session::first_result::first_result;
use crate::session::host::SessionHost;
use crate::session::prepared::Prepared;
use crate::settings::config::option;

/// @options of sp_prepare: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-prepare-transact-sql
const RETURN_METADATA: i64 = 1;

/// What sp_prepare returns for a text without a plan before it runs: several statements, or one that is no query.
const NOT_COMPILED: i32 = 8182;

/// Runs one of the procedures above; None: it is none of them.
pub fn call(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    name: &str,
    arguments: &mut [CallArgument],
) -> Option<SqlResult<i32>> {
    Some(match name {
        "sp_executesql" => execute_sql(host, state, sink, arguments),
        "sp_prepare" => prepare(host, state, sink, arguments),
        "sp_execute" => execute(host, state, sink, arguments).map(|status| status_of(status, state)),
        "sp_prepexec" => prepare_execute(host, state, sink, arguments).map(|status| status_of(status, state)),
        "sp_prepexecrpc" => prepare_call(host, state, sink, arguments),
        "sp_unprepare" => unprepare(host, arguments),
        _ => return None,
    })
}

/// A text without a status of its own has the @@ERROR that it leaves behind.
fn status_of(said: i32, state: &exec::session::Session) -> i32 {
    if said == 0 { state.error } else { said }
}

/// The status of a call that cannot run its text. None: it runs none.
pub fn refused_status(name: &str, error: &SqlError) -> Option<i32> {
    let runs = matches!(name, "sp_executesql" | "sp_prepare" | "sp_execute" | "sp_prepexec" | "sp_unprepare");
    // 8178: a parameter lacks its value.
    runs.then_some(if error.number == 8178 { 1 } else { error.number })
}

/// The same of one that a batch calls: it has no handle, or got none.
pub fn status_within(name: &str, error: &SqlError) -> Option<i32> {
    let prepares = matches!(name, "sp_prepare" | "sp_execute" | "sp_unprepare");
    (prepares && matches!(error.number, 214 | 8179 | 8180)).then_some(error.number)
}

fn execute_sql(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    for (argument, (name, state)) in arguments.iter().zip(TEXTS) {
        check_unicode(argument, name, state).map_err(|error| error.in_procedure("sp_executesql"))?;
    }
    let Some(text) = arguments.first().and_then(text_of) else {
        // NULL of a text's type is a text without statements.
        return match arguments.first() {
            Some(CallArgument { value: Some((ty, Datum::Null)), .. }) if ty.is_string() => Ok(0),
            Some(CallArgument { value: Some(_), .. }) => {
                Err(not_unicode("@statement", 2).in_procedure("sp_executesql"))
            }
            _ => Err(expects_parameter("sp_executesql", "@statement")),
        };
    };
    let declared = arguments.get(1).and_then(text_of).unwrap_or_default();
    let module = compile(host, state, &text, &declared)?;
    let first = arguments.len().min(2);
    let values = &mut arguments[first..];
    run_text(host, state, sink, (&module, Some(&declared)), values)?;
    // Its status is the @@ERROR that the text leaves behind.
    Ok(state.error)
}

/// Runs a text with values for its parameters. 8178: one of them has none. `declared`: the parameters as they were written, if that is known.
fn run_text(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    (module, declared): (&Arc<Module>, Option<&str>),
    values: &mut [CallArgument],
) -> SqlResult<i32> {
    let lacks = |value: &CallArgument| value.value.is_none() && value.table.is_none();
    if (values.len() < module.parameter_count || values.iter().any(lacks))
        && let Some(name) = missing(module, values)
    {
        let parameter = |variable: &Variable| format!("{} {}", variable.name, variable.ty);
        let parameters = || module.variables[..module.parameter_count].iter().map(parameter).collect::<Vec<_>>();
        let declared = declared.map_or_else(|| parameters().join(","), str::to_string);
        return Err(sql_error!(8178, format_args!("({declared}){}", module.text), name));
    }
    run_module(host, state, sink, module, None, values)
}

/// The first parameter of the text that has no value.
fn missing<'a>(module: &'a Module, arguments: &[CallArgument]) -> Option<&'a str> {
    let is_table = |at: usize| module.table_variables.iter().any(|table| table.parameter == Some(at));
    let parameters = module.variables[..module.parameter_count].iter().enumerate();
    let mut asked = parameters.filter(|(at, variable)| variable.default.is_none() && !is_table(*at));
    let is_given = |at: usize, name: &str| {
        let given = arguments.iter().enumerate().filter(|(_, argument)| argument.value.is_some());
        let mut given = given.map(|(position, argument)| (position, &argument.name));
        given.any(|(position, own)| own.as_ref().map_or(position == at, |own| own.eq_ignore_ascii_case(name)))
    };
    asked.find(|(at, variable)| !is_given(*at, &variable.name)).map(|(_, variable)| &*variable.name)
}

/// The texts that sp_executesql takes, and what its error's state is for each.
const TEXTS: [(&str, u8); 2] = [("@statement", 2), ("@params", 3)];

/// 214: texts are Unicode. NULL alone has no type of its own.
fn check_unicode(argument: &CallArgument, name: &str, state: u8) -> SqlResult<()> {
    match &argument.value {
        Some((ty, value)) if !ty.is_unicode_string() && !value.is_null() => Err(not_unicode(name, state)),
        _ => Ok(()),
    }
}

fn not_unicode(name: &str, state: u8) -> SqlError {
    sql_error!(214, state state, name, "ntext/nchar/nvarchar")
}

fn prepare(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let (declared, text) = declared_and_text("sp_prepare", arguments)?;
    match arguments.get(3).and_then(|argument| argument.value.as_ref()) {
        None => {}
        Some((_, Datum::I64(options))) if options & RETURN_METADATA != 0 => {}
        Some(_) => return Err(sql_error!(214, state 3, "@options", "int")),
    }
    let module = compile_prepared(host, state, &text, &declared)?;
    let status = describe(host, state, sink, &module)?;
    let handle = host.prepared.keep(module)?;
    give_handle(arguments, handle);
    Ok(status)
}

/// The columns that a text of one statement will return, as a result without rows; of what returns none, its end. The status: whether
/// the text is one that has a plan before it runs.
fn describe(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    module: &Module,
) -> SqlResult<i32> {
    let [only] = &*module.body else { return Ok(NOT_COMPILED) };
    let (command, status) = match only.kind {
        StatementKind::Query(id) => (exec::command_of(&module.queries[id.0 as usize].statement.kind), 0),
        StatementKind::Assign { .. } => (Command::Select, 0),
        StatementKind::Execute(_) => (Command::Select, NOT_COMPILED),
        _ => return Ok(NOT_COMPILED),
    };
    // What cannot be said before it runs (a table that the text makes, dynamic SQL) is said when it does.
    let Ok(columns) = first_result(host, state, module, Client::Plain) else { return Ok(status) };
    if columns.is_none() && status == NOT_COMPILED {
        return Ok(status);
    }
    let done = Done { kind: DoneKind::InProcedure, command, row_count: Some(0), outcome: Outcome::Well };
    columns
        .map_or(Ok(()), |columns| sink.columns(&columns))
        .and_then(|()| sink.done(done))
        .map_err(exec::session::stopped)?;
    Ok(status)
}

fn execute(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let handle = handle_of("sp_execute", arguments)?;
    if let Some(Prepared::Procedure(name)) = host.prepared.get(handle) {
        return call_procedure(host, state, sink, &name, &mut arguments[1..]);
    }
    let module = host.prepared.find(handle)?;
    run_text(host, state, sink, (&module, None), &mut arguments[1..])?;
    // Its status is the @@ERROR that the text leaves behind.
    Ok(state.error)
}

fn prepare_call(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let name = arguments.get(1).and_then(text_of).ok_or_else(|| expects_parameter("sp_prepexecrpc", "@stmt"))?;
    let handle = host.prepared.keep_any(Prepared::Procedure(name.as_str().into()))?;
    give_handle(arguments, handle);
    call_procedure(host, state, sink, &name, &mut arguments[2..])
}

fn call_procedure(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    name: &str,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    match host.procedure_named(state, name)? {
        Callee::Module(module, info) => run_module(host, state, sink, &module, Some(&info), arguments),
        Callee::System(name) => host.system_procedure(state, sink, &name, arguments),
    }
}

fn prepare_execute(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let (declared, text) = declared_and_text("sp_prepexec", arguments)?;
    let module = compile_prepared(host, state, &text, &declared)?;
    let handle = host.prepared.keep(module.clone())?;
    give_handle(arguments, handle);
    run_text(host, state, sink, (&module, Some(&declared)), &mut arguments[3..])
}

fn unprepare(host: &mut SessionHost, arguments: &[CallArgument]) -> SqlResult<i32> {
    let handle = handle_of("sp_unprepare", arguments)?;
    host.prepared.forget(handle)?;
    Ok(0)
}

fn compile(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    text: &str,
    declared: &str,
) -> SqlResult<Arc<Module>> {
    compile::compile(host, state, text, declared).map_err(SqlError::together)
}

/// Without 'streamlined dynamic SQL' a prepared statement has a plan of its own, that goes with its handle. 8180, behind what is wrong:
/// there is none.
fn compile_prepared(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    text: &str,
    declared: &str,
) -> SqlResult<Arc<Module>> {
    let compiled = match host.server.catalog.configuration.running(option::STREAMLINED_DYNAMIC_SQL) {
        0 => compile::compile_alone(host, state, text, declared),
        _ => compile::compile(host, state, text, declared),
    };
    let compiled = compiled.and_then(|module| {
        // A text of one query has all that it needs before it runs.
        if let [Statement { kind: StatementKind::Query(only), .. }] = &*module.body {
            let query = host.bound_query(state, &module, *only).map_err(|error| vec![error])?;
            host.check_query(state, &query).map_err(|error| vec![error.at_line(1)])?;
        }
        Ok(module)
    });
    compiled.map_err(|mut errors| {
        errors.push(sql_error!(8180));
        SqlError::together(errors)
    })
}

/// Calls the module and puts OUTPUT values back into `arguments`.
pub fn run_module(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    module: &Arc<Module>,
    info: Option<&Arc<ModuleInfo>>,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let (ended, result) = exec::call_module(module, info, arguments.to_vec(), state, host as &mut dyn Host, sink);
    for (argument, (_, ty, value)) in arguments.iter_mut().filter(|argument| argument.output).zip(result.outputs) {
        argument.value = Some((ty, value));
    }
    if let Some(error) = &result.unbalanced {
        sink.message(error).map_err(exec::session::stopped)?;
    }
    match ended {
        Ended::Completed => Ok(result.status),
        // The client has been told; the status says that it failed.
        Ended::Aborted => {
            host.text_aborted = result.status == 0;
            Ok(state.error)
        }
        Ended::Stopped(stop) => Err(exec::session::stopped(stop)),
        Ended::Failed(error) => Err(error),
    }
}

fn declared_and_text(procedure: &str, arguments: &[CallArgument]) -> SqlResult<(String, String)> {
    let text = arguments.get(2).and_then(text_of).ok_or_else(|| expects_parameter(procedure, "@stmt"))?;
    Ok((arguments.get(1).and_then(text_of).unwrap_or_default(), text))
}

fn give_handle(arguments: &mut [CallArgument], handle: i32) {
    arguments[0].value = Some((SqlType::INT, Datum::I64(i64::from(handle))));
}

fn handle_of(procedure: &str, arguments: &[CallArgument]) -> SqlResult<i32> {
    match arguments.first().and_then(|argument| argument.value.as_ref()) {
        Some((_, Datum::I64(handle))) => Ok(i32::try_from(*handle).unwrap_or(0)),
        _ => Err(expects_parameter(procedure, "@handle")),
    }
}
