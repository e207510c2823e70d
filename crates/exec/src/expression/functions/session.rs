//! Functions and globals about the session and the error being handled that execution itself knows.

use sql::function::FunctionId;
use sql::plan::Global;
use types::{Datum, SqlResult, SqlType, TypeKind};

use crate::context::Context;
use crate::expression::general::{Call, Function};
use crate::kernel;
use crate::session::{Options, Session};
use crate::value::{Row, Value};

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        ErrorLine | ErrorMessage | ErrorNumber | ErrorProcedure | ErrorSeverity | ErrorState => error,
        RowcountBig => |_, context, _| Ok(Value::I64(context.session(|session| session.row_count as i64))),
        XactState => |_, context, _| Ok(Value::I64(context.session(|session| session.transaction.xact_state() as i64))),
        ScopeIdentity => |_, context, _| {
            Ok(Value::from_owned(context.session(|session| Session::identity_datum(session.scope_identity))))
        },
        TriggerNestlevel => |_, context, _| Ok(Value::I64(context.session(|session| session.trigger_level as i64))),
        Formatmessage => formatmessage,
        Update => update,
        ColumnsUpdated => columns_updated,
        CurrentRequestId => |_, _, _| Ok(Value::I64(0)),
        CurrentTransactionId => |_, context, _| {
            let id = context.session(|session| session.transaction.current.as_ref().and_then(|t| t.id()));
            Ok(Value::I64(id.unwrap_or(0) as i64))
        },
        _ => return None,
    })
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
    let ty = call.arguments[0].ty;
    let template = match call.value(0, context, row)? {
        Value::Bytes(bytes) => kernel::text(&ty, &bytes),
        _ => return Ok(Value::Null),
    };
    let arguments = call.arguments[1..]
        .iter()
        .map(|argument| Ok((argument.ty, argument.datum(context, row)?)))
        .collect::<SqlResult<Vec<_>>>()?;
    Ok(call.result_text(&crate::message::format_message(&template, &arguments)?))
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

/// `@@name`, of the type the binder gave.
pub fn global(context: &Context, global: Global, ty: &SqlType) -> SqlResult<Datum> {
    let mut runtime = context.runtime();
    let runtime = &mut *runtime;
    let session = &mut *runtime.session;
    let options = &session.options;
    let whole = match global {
        Global::RowCount => session.row_count.min(i32::MAX as u64) as i64,
        Global::Error => session.error as i64,
        Global::TranCount => session.transaction.level as i64,
        Global::FetchStatus => session.fetch_status as i64,
        Global::NestLevel => session.nest_level as i64,
        Global::ProcId => session.procedure_id as i64,
        Global::Spid => session.spid as i64,
        Global::CursorRows => session.cursor_rows,
        Global::TextSize if options.text_size < 0 => -1,
        Global::TextSize => options.text_size as i64,
        Global::LockTimeout => options.lock_timeout_ms as i64,
        Global::DateFirst => options.date_first as i64,
        Global::Options => options_bits(options),
        Global::MaxPrecision => 38,
        Global::LangId => options.language.number().into(),
        Global::Identity => return Ok(Session::identity_datum(session.identity)),
        Global::Language => return Ok(kernel::text_datum(options.language.get().name, ty)),
        other => return runtime.host.global(session, other),
    };
    assert!(ty.physical() == types::Physical::I64 && ty.kind != TypeKind::Money, "{global:?} is a number");
    Ok(Datum::I64(whole))
}
