//! Functions and globals about the session and the error being handled that execution itself knows.

use sql::function::FunctionId;
use sql::plan::Global;
use types::{Datum, SqlResult, SqlType};

use super::given;
use crate::context::Context;
use crate::expression::general::{Call, Function};
use crate::kernel;
use crate::session::{CONTEXT_INFO_BYTES, Options, RunningTrigger, Session};
use crate::value::{Row, Value};

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        ErrorLine | ErrorMessage | ErrorNumber | ErrorProcedure | ErrorSeverity | ErrorState => error,
        RowcountBig => |_, context, _| Ok(Value::I64(context.session(|session| session.row_count as i64))),
        XactState => |call, context, _| {
            let state = context.session(|session| session.transaction.xact_state() as i64);
            // With an argument: within a statement that has a transaction of its own.
            Ok(Value::I64(if state == 0 { call.arguments.len() as i64 } else { state }))
        },
        ScopeIdentity => |_, context, _| {
            Ok(Value::from_owned(context.session(|session| Session::identity_datum(session.scope_identity))))
        },
        ContextInfo => |_, context, _| {
            let mut info = context.session(|session| session.context_info.to_vec());
            if info.is_empty() {
                return Ok(Value::Null);
            }
            // Unlike the views, which show what was given.
            info.resize(CONTEXT_INFO_BYTES, 0);
            Ok(Value::owned(info))
        },
        TriggerNestlevel => trigger_nest_level,
        Eventdata => event_data,
        Formatmessage => formatmessage,
        CursorStatus => cursor_status,
        Update => update,
        ColumnsUpdated => columns_updated,
        CurrentRequestId => |_, _, _| Ok(Value::I64(0)),
        CurrentTransactionId => |_, context, _| {
            let id = context.session(|session| session.transaction.current.as_ref().map(|t| t.told_id()));
            Ok(Value::I64(id.unwrap_or(0) as i64))
        },
        _ => return None,
    })
}

/// Triggers that run; with arguments those of one object, `AFTER` or `IOT` (INSTEAD OF), `DML` or `DDL`.
/// https://learn.microsoft.com/sql/t-sql/functions/trigger-nestlevel-transact-sql
fn trigger_nest_level<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    if call.arguments.is_empty() {
        return Ok(Value::I64(context.session(|session| session.triggers.len() as i64)));
    }
    let object = given!(call.i64(0, context, row));
    let mut words = Vec::new();
    for at in 1..call.arguments.len() {
        words.push(given!(call.text(at, context, row)).to_ascii_uppercase());
    }
    let instead_of = match words.first().map(String::as_str) {
        None => None,
        Some("AFTER") => Some(false),
        Some("IOT") => Some(true),
        Some(_) => return Ok(Value::Null),
    };
    let of_event = match words.get(1).map(String::as_str) {
        None => None,
        Some("DML") => Some(false),
        Some("DDL") => Some(true),
        Some(_) => return Ok(Value::Null),
    };
    let counts = |trigger: &&RunningTrigger| {
        let is_it = object == 0 || i64::from(trigger.object) == object;
        let is_of_event = of_event.is_none_or(|of_event| trigger.event.is_some() == of_event);
        is_it && is_of_event && instead_of.is_none_or(|instead_of| trigger.instead_of == instead_of)
    };
    Ok(Value::I64(context.session(|session| session.triggers.iter().filter(counts).count() as i64)))
}

/// In a trigger for definitions or logons what has fired it; NULL anywhere else, also in what such a trigger calls.
/// https://learn.microsoft.com/sql/t-sql/functions/eventdata-transact-sql
fn event_data<'a>(_call: &'a Call, context: &'a Context, _row: Row<'a>) -> SqlResult<Value<'a>> {
    let data = context.session(|session| {
        let running = session.triggers.last().filter(|running| running.object == session.procedure_id)?;
        running.event.clone()
    });
    Ok(data.map_or(Value::Null, Value::from_owned))
}

/// Of a cursor of the module that runs, or of the session.
fn cursor_status<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    const NO_SUCH_CURSOR: i64 = -3;
    const NOTHING_ALLOCATED: i64 = -2;
    let source = given!(call.text(0, context, row)).to_lowercase();
    let name = given!(call.text(1, context, row)).to_lowercase();
    let own = context.cursors.borrow();
    let session = context.runtime();
    let cursors = &session.session.cursors;
    let found = match &*source {
        "local" => own.local(&name),
        "global" => cursors.find(&name),
        "variable" => match own.variable(&name) {
            Some(None) => return Ok(Value::I64(NOTHING_ALLOCATED)),
            found => found.flatten(),
        },
        _ => None,
    };
    Ok(Value::I64(found.map_or(NO_SUCH_CURSOR, |id| cursors.status(id))))
}

fn error<'a>(call: &'a Call, context: &'a Context, _row: Row<'a>) -> SqlResult<Value<'a>> {
    use FunctionId::*;
    let Some(error) = context.session(|session| session.handling.last().cloned()) else {
        return Ok(Value::Null);
    };
    Ok(match call.id {
        ErrorLine => Value::I64(error.line as i64),
        ErrorNumber => Value::I64(error.number as i64),
        ErrorSeverity => Value::I64(error.severity as i64),
        ErrorState => Value::I64(error.state as i64),
        ErrorMessage => call.result_text(&error.text),
        _ if error.procedure.is_empty() => Value::Null,
        _ => call.result_text(&error.procedure),
    })
}

fn formatmessage<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let arguments = call.arguments[1..]
        .iter()
        .map(|argument| Ok((argument.ty, argument.datum(context, row)?)))
        .collect::<SqlResult<Vec<_>>>()?;
    let text = match call.value(0, context, row)? {
        Value::Bytes(bytes) => {
            crate::message::format_message(&kernel::text(&call.arguments[0].ty, &bytes), &arguments)?
        }
        // Messages up to this number are not for users.
        Value::I64(number) if number > 13_000 => {
            match crate::message::numbered(&mut context.runtime(), number as i32)? {
                Some(message) => message.text(&arguments)?,
                None => return Ok(Value::Null),
            }
        }
        _ => return Ok(Value::Null),
    };
    Ok(call.result_text(&text))
}

/// UPDATE(column): its name comes as text. The trigger's rows know which columns the statement named.
fn update<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let name = call.text(0, context, row)?.unwrap_or_default();
    let updated = context.trigger.as_ref().is_some_and(|trigger| {
        let columns = trigger.columns.iter().zip(trigger.updated.iter());
        columns.into_iter().any(|(column, updated)| *updated && column.eq_ignore_ascii_case(&name))
    });
    Ok(Value::I64(updated as i64))
}

/// Bit i % 8 of byte i / 8: column i of the table.
fn columns_updated<'a>(_call: &'a Call, context: &'a Context, _row: Row<'a>) -> SqlResult<Value<'a>> {
    let Some(trigger) = &context.trigger else { return Ok(Value::Null) };
    let mut bytes = vec![0_u8; trigger.updated.len().div_ceil(8)];
    for (at, updated) in trigger.updated.iter().enumerate() {
        bytes[at / 8] |= (*updated as u8) << (at % 8);
    }
    Ok(Value::owned(bytes))
}

/// @@OPTIONS, by the bits of `user options`.
fn options_bits(options: &Options) -> i64 {
    let bits = [
        (options.implicit_transactions, 2),
        (options.cursor_close_on_commit, 4),
        (options.ansi_warnings, 8),
        (options.ansi_padding, 16),
        (options.ansi_nulls, 32),
        (options.arith_abort, 64),
        (options.arith_ignore, 128),
        (options.quoted_identifier, 256),
        (options.no_count, 512),
        (options.ansi_null_dflt_on, 1024),
        (options.ansi_null_dflt_off, 2048),
        (options.concat_null_yields_null, 4096),
        (options.numeric_round_abort, 8192),
        (options.xact_abort, 16384),
    ];
    bits.iter().filter(|(on, _)| *on).map(|(_, bit)| bit).sum()
}

/// How to read `@@name` if it is a whole number that the session knows.
pub fn session_number(global: Global) -> Option<fn(&Session) -> i64> {
    Some(match global {
        Global::RowCount => |session| session.row_count.min(i32::MAX as u64) as i64,
        Global::Error => |session| session.error.into(),
        Global::TranCount => |session| session.transaction.level.into(),
        Global::TranCountOfChange => |session| i64::from(session.transaction.level).max(1) + 1,
        Global::FetchStatus => |session| session.fetch_status.into(),
        Global::NestLevel => |session| session.nest_level.into(),
        Global::ProcId => |session| session.procedure_id.into(),
        Global::Spid => |session| session.spid.into(),
        Global::CursorRows => Session::cursor_rows,
        Global::TextSize => |session| session.options.text_size.max(-1).into(),
        Global::LockTimeout => |session| session.options.lock_timeout_ms.into(),
        Global::DateFirst => |session| session.options.date_first.into(),
        Global::Options => |session| options_bits(&session.options),
        Global::MaxPrecision => |_| 38,
        Global::LangId => |session| session.options.language.number().into(),
        _ => return None,
    })
}

/// `@@name` of the other kinds, of the type the binder gave.
pub fn global(context: &Context, global: Global, ty: &SqlType) -> SqlResult<Datum> {
    let mut runtime = context.runtime();
    let runtime = &mut *runtime;
    let session = &mut *runtime.session;
    match global {
        Global::Identity => Ok(Session::identity_datum(session.identity)),
        Global::Language => Ok(kernel::text_datum(session.options.language.get().name, ty)),
        other => runtime.host.global(session, other),
    }
}
