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

use std::collections::HashMap;
use std::sync::Arc;

use exec::host::{CallArgument, Callee, Ended, Host, ModuleInfo};
use exec::sink::Sink;
use sql::plan::Module;
use types::{Datum, Physical, SqlError, SqlResult, SqlType};

use crate::request::batch;
use crate::request::host::SessionHost;
use crate::settings::config::option;

/// Statements one session may keep prepared.
const PREPARED_MAX: usize = 32_768;

enum Prepared {
    Text(Arc<Module>),
    /// A procedure, by its name: looked up at each call.
    Procedure(Box<str>),
}

/// A session's prepared statements by handle.
#[derive(Default)]
pub struct PreparedStatements {
    by_handle: HashMap<i32, Prepared>,
    last: i32,
}

impl PreparedStatements {
    pub fn keep(&mut self, module: Arc<Module>) -> SqlResult<i32> {
        self.keep_any(Prepared::Text(module))
    }

    fn keep_any(&mut self, prepared: Prepared) -> SqlResult<i32> {
        if self.by_handle.len() >= PREPARED_MAX {
            return Err(SqlError::new(
                701,
                17,
                "There is insufficient system memory in resource pool 'default' to run this query.",
            ));
        }
        self.last = self.last.checked_add(1).unwrap_or(1);
        self.by_handle.insert(self.last, prepared);
        Ok(self.last)
    }

    /// Of a statement's text. Error 8179.
    pub fn find(&self, handle: i32) -> SqlResult<Arc<Module>> {
        match self.by_handle.get(&handle) {
            Some(Prepared::Text(module)) => Ok(module.clone()),
            _ => Err(no_such_handle(handle)),
        }
    }

    pub fn forget(&mut self, handle: i32) -> SqlResult<()> {
        self.by_handle.remove(&handle).map(|_| ()).ok_or_else(|| no_such_handle(handle))
    }

    pub fn clear(&mut self) {
        self.by_handle.clear();
    }
}

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
        "sp_prepare" => prepare(host, state, arguments),
        "sp_execute" => execute(host, state, sink, arguments),
        "sp_prepexec" => prepare_execute(host, state, sink, arguments),
        "sp_prepexecrpc" => prepare_call(host, state, sink, arguments),
        "sp_unprepare" => unprepare(host, arguments),
        _ => return None,
    })
}

fn execute_sql(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let Some(text) = arguments.first().and_then(text_of) else {
        return Err(expects_parameter("sp_executesql", "@statement"));
    };
    let declared = arguments.get(1).and_then(text_of).unwrap_or_default();
    let module = compile(host, state, &text, &declared)?;
    let values = arguments.len().min(2);
    // Its status is the @@ERROR that the text leaves behind.
    run_module(host, state, sink, &module, None, &mut arguments[values..])?;
    Ok(state.error)
}

fn prepare(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let (declared, text) = declared_and_text("sp_prepare", arguments)?;
    let module = compile_prepared(host, state, &text, &declared)?;
    let handle = host.prepared.keep(module)?;
    give_handle(arguments, handle);
    Ok(0)
}

fn execute(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    sink: &mut dyn Sink,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    let handle = handle_of("sp_execute", arguments)?;
    if let Some(Prepared::Procedure(name)) = host.prepared.by_handle.get(&handle) {
        let name = name.clone();
        return call_procedure(host, state, sink, &name, &mut arguments[1..]);
    }
    let module = host.prepared.find(handle)?;
    run_module(host, state, sink, &module, None, &mut arguments[1..])
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
    run_module(host, state, sink, &module, None, &mut arguments[3..])
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
    batch::compile(host, state, text, declared).map_err(first)
}

/// Without 'streamlined dynamic SQL' a prepared statement has a plan of its own, that goes with its handle.
fn compile_prepared(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    text: &str,
    declared: &str,
) -> SqlResult<Arc<Module>> {
    match host.server.catalog.configuration.running(option::STREAMLINED_DYNAMIC_SQL) {
        0 => batch::compile_alone(host, state, text, declared).map_err(first),
        _ => compile(host, state, text, declared),
    }
}

/// Of several syntax errors a procedure raises the first.
pub fn first(errors: Vec<SqlError>) -> SqlError {
    errors.into_iter().next().expect("a failure has an error")
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
    match ended {
        Ended::Completed => Ok(result.status),
        // The client has been told; the status says that it failed.
        Ended::Aborted => Ok(state.error),
        Ended::Stopped(stop) => Err(exec::session::stopped(stop)),
        Ended::Failed(error) => Err(error),
    }
}

fn declared_and_text(procedure: &str, arguments: &[CallArgument]) -> SqlResult<(String, String)> {
    let text = arguments.get(2).and_then(text_of).ok_or_else(|| expects_parameter(procedure, "@stmt"))?;
    Ok((arguments.get(1).and_then(text_of).unwrap_or_default(), text))
}

fn no_such_handle(handle: i32) -> SqlError {
    SqlError::with_state(8179, 16, 2, format!("Could not find prepared statement with handle {handle}."))
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

/// A string argument of any character type.
pub fn text_of(argument: &CallArgument) -> Option<String> {
    let (ty, value) = argument.value.as_ref()?;
    match value {
        Datum::Bytes(bytes) if ty.physical() == Physical::Bytes => Some(string_of(ty, bytes)),
        _ => None,
    }
}

/// Characters of a value of any character type.
pub fn string_of(ty: &SqlType, bytes: &[u8]) -> String {
    if ty.is_ansi_string() {
        types::collation::code_page::decode_str(ty.collation.code_page(), bytes)
    } else {
        types::collation::code_page::utf16_to_string(bytes)
    }
}

fn expects_parameter(procedure: &str, parameter: &str) -> SqlError {
    SqlError::with_state(
        201,
        16,
        10,
        format!("Procedure or function '{procedure}' expects parameter '{parameter}', which was not supplied."),
    )
}
