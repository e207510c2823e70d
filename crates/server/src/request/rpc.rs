//! Remote procedure calls: one or more in a message, by name or by number.
//!
//! ```text
//! for each call:   rows, messages, DONEINPROC ...   RETURNSTATUS   (266)   RETURNVALUE (each OUTPUT)   DONEPROC
//! ```

use exec::host::{CallArgument, CallResult, Callee, Ended, Host, TableArgument};
use exec::sink::{Sink, Stop};
use sql::catalog::{Catalog as _, ObjectName, UserType};
use sql::plan::TableVariable;
use tds::request::RpcBatch;
use tds::rpc::{ParameterValue, Procedure, RpcCall, RpcParameter};
use tds::token::ReturnValue;
use types::{Datum, SqlError, SqlType, sql_error};

use crate::instance::server::Event;
use crate::instance::sessions::Input;
use crate::request::session::{Parts, Session};
use crate::request::text_procedures;
use crate::system::tables::text_rows;
use crate::wire::connection::ConnectionError;

pub fn run(session: &mut Session, batch: RpcBatch) -> Result<(), ConnectionError> {
    let signal = session.state.signal.clone();
    let mut parts = session.parts(&signal, true);
    let mut stopped = None;
    for call in batch.calls {
        parts.host.server.events.add(Event::BatchRequest);
        *parts.host.entry.input.lock() = Some(Input::Call(call.procedure.clone(), call.parameters.len()));
        let started = os::clock::now_ms();
        if let Err(refused) = parts.host.audit_request(None) {
            stopped = parts.sink.message(&refused).err();
            break;
        }
        stopped = run_call(&mut parts, call).err();
        stopped = parts.audit_end(started, stopped);
        if stopped.is_some() {
            break;
        }
        if parts.sink.fatal {
            break;
        }
    }
    let stopped = parts.end_scope(stopped);
    Session::finish(parts, stopped)
}

/// Of an OUTPUT parameter: its place, its name and its type as the client gave them.
type Wanted = (u16, String, Option<SqlType>);

fn run_call(parts: &mut Parts<'_>, call: RpcCall) -> Result<(), Stop> {
    let mut outputs: Vec<Wanted> = (0..)
        .zip(&call.parameters)
        .filter(|(_, parameter)| parameter.is_output)
        .map(|(ordinal, parameter)| (ordinal, parameter.name.clone(), scalar_type(&parameter.value)))
        .collect();
    let tables = (0..).zip(&call.parameters).filter_map(table_of).collect();
    let arguments = call.parameters.into_iter().map(argument).collect();
    let called = call_procedure(parts, &call.procedure, (arguments, tables), &mut outputs);
    let completed = match called {
        Ok(Some(result)) => tell_result(parts, result, outputs)?,
        Ok(None) => false,
        Err(error) => match exec::session::stop_of(&error) {
            Some(stop) => return Err(stop),
            None => {
                parts.state.error = error.number;
                parts.sink.message(&error.at_line(1))?;
                false
            }
        },
    };
    parts.sink.procedure_done(completed);
    Ok(())
}

/// The status and the values that go back. False: a value does not become what the client asked for, and has ended the call.
fn tell_result(parts: &mut Parts<'_>, result: CallResult, outputs: Vec<Wanted>) -> Result<bool, Stop> {
    let given = outputs.into_iter().zip(result.outputs);
    let values = given.map(|((ordinal, given, wanted), (name, sql_type, value))| {
        let (sql_type, value) = as_declared(sql_type, value, wanted)?;
        // A client that named its parameter finds the value under that name.
        let name = if given.is_empty() { name.to_string() } else { given };
        Ok(ReturnValue { ordinal, name, is_function_result: false, sql_type, value })
    });
    let values: Vec<ReturnValue> = match values.collect::<Result<_, SqlError>>() {
        Ok(values) => values,
        Err(error) => {
            parts.state.error = error.number;
            parts.sink.message(&error.at_line(1))?;
            return Ok(false);
        }
    };
    parts.sink.return_status(result.status)?;
    if let Some(error) = &result.unbalanced {
        parts.sink.message(error)?;
    }
    if let Some((sql_type, value)) = result.value {
        // MS-TDS 2.2.7.19: what a function returns comes without a name. (The status comes with every call: 2.2.7.18.)
        let (ordinal, name) = (0, String::new());
        parts.sink.return_value(&ReturnValue { ordinal, name, is_function_result: true, sql_type, value })?;
    }
    for value in &values {
        parts.sink.return_value(value)?;
    }
    Ok(true)
}

fn scalar_type(value: &ParameterValue) -> Option<SqlType> {
    match value {
        ParameterValue::Scalar { sql_type, .. } => Some(*sql_type),
        _ => None,
    }
}

/// A value goes back in the type that the client gave its parameter, as SQL Server returns it: cut where that is shorter. 8114
fn as_declared(from: SqlType, value: Datum, wanted: Option<SqlType>) -> Result<(SqlType, Datum), SqlError> {
    let Some(to) = wanted.filter(|to| *to != from && types::convert::can_convert(&from, to)) else {
        return Ok((from, value));
    };
    match types::convert(&value, &from, &to, types::convert::NO_STYLE, &types::ConvertContext::CAST) {
        Ok(value) => Ok((to, value)),
        Err(_) => Err(sql_error!(8114, from.name(), to.name())),
    }
}

/// None: an error ended the call; the client has been told.
fn call_procedure(
    parts: &mut Parts<'_>,
    procedure: &Procedure,
    (mut arguments, tables): (Vec<CallArgument>, Vec<GivenTable>),
    outputs: &mut Vec<Wanted>,
) -> Result<Option<CallResult>, SqlError> {
    let callee = match procedure {
        Procedure::Id(id) => Callee::System(id.name().into()),
        Procedure::Name(name) => parts.host.procedure_named(parts.state, name)?,
    };
    for table in &tables {
        check_table_type(parts, &callee, table)?;
    }
    match callee {
        Callee::Module(module, info) => {
            let (ended, result) =
                exec::call_module(&module, Some(&info), arguments, parts.state, parts.host, &mut parts.sink);
            match ended {
                Ended::Completed => Ok(Some(result)),
                Ended::Aborted => Ok(None),
                Ended::Stopped(stop) => Err(exec::session::stopped(stop)),
                Ended::Failed(error) => Err(error),
            }
        }
        Callee::System(name) => {
            parts.host.text_aborted = false;
            let called = parts.host.system_procedure(parts.state, &mut parts.sink, &name, &mut arguments);
            if called.is_ok() && parts.host.text_aborted {
                return Ok(None);
            }
            let status = match called {
                Err(error) if exec::session::stop_of(&error).is_none() && text_rows::describes(&name) => {
                    parts.state.error = error.number;
                    let kind = text_rows::kind_of(error.earlier.first().unwrap_or(&error)).0;
                    parts.sink.message(&error.at_line(1)).map_err(exec::session::stopped)?;
                    kind
                }
                Err(error)
                    if exec::session::stop_of(&error).is_none()
                        && let Some(status) = text_procedures::refused_status(&name, &error) =>
                {
                    parts.state.error = error.number;
                    parts.sink.message(&error.at_line(1)).map_err(exec::session::stopped)?;
                    status
                }
                called => called?,
            };
            // Some of them give no value after all.
            outputs.retain(|(ordinal, ..)| arguments.get(usize::from(*ordinal)).is_some_and(|given| given.output));
            let outputs = arguments.into_iter().filter(|argument| argument.output).map(|argument| {
                let (ty, value) = argument.value.unwrap_or((SqlType::INT, Datum::Null));
                (argument.name.unwrap_or_default(), ty, value)
            });
            Ok(Some(CallResult { status, value: None, outputs: outputs.collect(), unbalanced: None }))
        }
    }
}

/// A table-valued parameter: its place, its name, and the name of its type, which a client may leave out where a module says it.
struct GivenTable {
    place: usize,
    name: String,
    ty: Option<ObjectName>,
}

fn table_of((place, parameter): (usize, &RpcParameter)) -> Option<GivenTable> {
    let ParameterValue::Table(rows) = &parameter.value else { return None };
    let schema = (!rows.schema.is_empty()).then(|| rows.schema.as_str().into());
    let ty = ObjectName { server: None, database: None, schema, name: rows.type_name.as_str().into() };
    let is_named = !rows.type_name.is_empty();
    (is_named || !parameter.is_default).then(|| GivenTable {
        place,
        name: parameter.name.clone(),
        ty: is_named.then_some(ty),
    })
}

/// 2715: the type that a client names is not there. 206: it is not the parameter's. A module of another database has types of its own.
/// 8058, 8059: a text's parameter has no type but what the client names.
fn check_table_type(parts: &mut Parts<'_>, callee: &Callee, given: &GivenTable) -> Result<(), SqlError> {
    let module = match callee {
        Callee::Module(_, info) if info.database != parts.host.catalog_session.database => return Ok(()),
        Callee::Module(module, _) => Some(module),
        Callee::System(_) => None,
    };
    let Some(ty) = &given.ty else {
        return match (module, given.name.is_empty()) {
            (Some(_), _) => Ok(()),
            (None, true) => Err(sql_error!(8058, given.place + 1)),
            (None, false) => Err(sql_error!(8059, given.name)),
        };
    };
    let found = parts.host.with_catalog(parts.state, |catalog| catalog.user_type(ty))?;
    let Some(UserType::Table(table)) = found else {
        let shown = ty.schema.as_ref().map_or(String::new(), |schema| format!("{schema}."));
        return Err(sql_error!(2715, given.place + 1, format_args!("{shown}{}", ty.name)));
    };
    let Some(module) = module else { return Ok(()) };
    let is_meant = |name: &str, place: usize| match given.name.is_empty() {
        true => place == given.place,
        false => given.name.eq_ignore_ascii_case(name),
    };
    let of_tables = |variable: &&TableVariable| variable.parameter.is_some_and(|at| is_meant(&variable.name, at));
    if let Some(wanted) = module.table_variables.iter().find(of_tables) {
        let is_same = wanted.table.object == table.object;
        return if is_same { Ok(()) } else { Err(sql_error!(206, state 2, table.name, wanted.table.name)) };
    }
    let mut others = module.variables[..module.parameter_count].iter().enumerate();
    // A name that is no parameter's is told where the call is bound.
    match others.find(|(at, variable)| is_meant(&variable.name, *at)) {
        Some((_, variable)) => Err(sql_error!(206, state 2, table.name, variable.ty.name())),
        None => Ok(()),
    }
}

/// Xml that a client sends is text until it is converted, which tells whether it is well formed; and a UDT is bytes.
pub fn as_sent(ty: SqlType) -> SqlType {
    match ty.kind {
        types::TypeKind::Xml => SqlType::NVARCHAR_MAX,
        _ if ty.is_udt() => SqlType::VARBINARY_MAX,
        _ => ty,
    }
}

fn argument(parameter: RpcParameter) -> CallArgument {
    let mut table = None;
    let value = match parameter.value {
        _ if parameter.is_default => None,
        ParameterValue::Scalar { sql_type, value } => Some((as_sent(sql_type), value)),
        ParameterValue::UntypedNull => Some((SqlType::INT, Datum::Null)),
        ParameterValue::Udt { value, .. } => Some((SqlType::VARBINARY_MAX, value)),
        ParameterValue::Table(rows) => {
            let types = rows.columns.iter().map(|column| as_sent(column.sql_type)).collect();
            let defaults = rows.columns.iter().map(|column| column.is_default).collect();
            table = Some(TableArgument { types, rows: rows.rows, defaults, from_client: true });
            None
        }
    };
    CallArgument {
        name: (!parameter.name.is_empty()).then(|| parameter.name.into()),
        value,
        table,
        output: parameter.is_output,
    }
}
