//! String functions: those that look into a string, and those that make another of it.

use types::{MAX_LENGTH, SqlResult, SqlType, TypeKind, sql_error};

use super::{BuiltinCall, is_bytes, is_measure, is_old_text, is_position, is_text, is_whole, literal_count, varying};
use crate::bind::errors;
use crate::bind::typing::is_null_literal;
use crate::function::FunctionId;

/// What is found out about a string.
pub fn measure(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    Ok(Some(match call.function {
        Ascii | Unicode => {
            call.short_strings(&[0])?;
            SqlType::INT
        }
        Charindex | Patindex => {
            call.null_from_arguments();
            let result = if call.args[1].ty.is_max() { SqlType::BIGINT } else { SqlType::INT };
            call.only(0, |kind| is_text(kind) || is_bytes(kind))?;
            if call.function == Patindex {
                call.only(1, |kind| is_text(kind) || matches!(kind, TypeKind::Text | TypeKind::NText))?;
            } else {
                call.assignable(1, &SqlType::varchar(1))?;
                let (needle, hay) = (call.args[0].ty, call.args[1].ty);
                if is_bytes(needle.kind) && hay.is_string() {
                    return Err(sql_error!(257, hay.shown(), needle.shown()));
                }
            }
            call.whole_strings(&[0, 1])?;
            call.only(2, is_measure)?;
            call.count(2)?;
            result
        }
        Difference => {
            call.strings(&[0, 1])?;
            SqlType::INT
        }
        Len => {
            call.null_from_arguments();
            call.only(0, |kind| !is_old_text(kind))?;
            if !call.args[0].ty.is_binary() {
                call.strings(&[0])?;
            }
            if call.args[0].ty.is_max() { SqlType::BIGINT } else { SqlType::INT }
        }
        // https://learn.microsoft.com/sql/t-sql/functions/datalength-transact-sql, "Return types"
        Datalength => {
            use types::TypeKind::{NVarChar, VarBinary, VarChar};
            call.null_from_arguments();
            let ty = call.args[0].ty;
            if ty.is_json() {
                // SQL Server tells the length of its own binary form.
                return Err(errors::unsupported("DATALENGTH of json"));
            }
            if ty.is_max() && matches!(ty.kind, VarChar | NVarChar | VarBinary) {
                SqlType::BIGINT
            } else {
                SqlType::INT
            }
        }
        _ => return Ok(None),
    }))
}

/// Strings made of others, or of numbers.
pub fn text(call: &mut BuiltinCall) -> SqlResult<Option<SqlType>> {
    use FunctionId::*;
    Ok(Some(match call.function {
        Char => {
            call.take(0, SqlType::INT)?;
            SqlType::char(1).with_collation(call.collation)
        }
        Nchar => {
            call.take(0, SqlType::INT)?;
            SqlType::nchar(1).with_collation(call.collation)
        }
        Soundex => {
            call.short_strings(&[0])?;
            call.varchar(5)
        }
        Format => {
            check_formatted(call)?;
            call.take(1, call.wide(4000))?;
            call.take(2, call.sysname())?;
            call.wide(4000)
        }
        Left | Right => {
            call.null_from_arguments();
            call.short_strings(&[0])?;
            call.count(1)?;
            refuse_negative(call, 1, 6)?;
            cut(&call.args[0].ty, literal_count(&call.args[1]))
        }
        Substring => substring(call)?,
        Unistr => unistr(call)?,
        Lower | Upper | Reverse => {
            call.null_from_arguments();
            call.short_strings(&[0])?;
            varying(&call.args[0].ty)
        }
        Ltrim | Rtrim | Trim => {
            call.null_from_arguments();
            if call.function == Trim {
                call.args.iter().enumerate().try_for_each(|(i, _)| call.only(i, is_text))?;
            }
            call.short_strings(&[0, 1])?;
            varying(&call.args[0].ty)
        }
        Quotename => {
            // Longer than a name it is NULL, so it keeps its length.
            call.take(0, call.wide(4000))?;
            call.take(1, call.wide(1))?;
            call.wide(258)
        }
        Replace | Translate => {
            call.null_from_arguments();
            call.short_strings(&[0, 1, 2])?;
            if call.function == Translate {
                varying(&call.args[0].ty)
            } else {
                longest(&call.args[0].ty, call.args.iter().any(|e| e.ty.is_max()))
            }
        }
        Replicate => {
            call.strings(&[0])?;
            call.count(1)?;
            longest(&call.args[0].ty, call.args[0].ty.is_max())
        }
        Stuff => {
            call.only(0, |kind| !is_old_text(kind))?;
            if !call.args[0].ty.is_binary() {
                call.strings(&[0, 3])?;
            }
            call.place(1, is_position)?;
            call.place(2, is_position)?;
            longest(&call.args[0].ty, call.args[0].ty.is_max() || call.args[3].ty.is_max())
        }
        Space => {
            call.count(0)?;
            call.varchar(literal_count(&call.args[0]).map_or(8000, |n| n.clamp(1, 8000) as u16))
        }
        Str => {
            call.number(0, SqlType::FLOAT)?;
            for i in [1, 2] {
                call.only(i, is_whole)?;
                call.take(i, SqlType::INT)?;
            }
            call.varchar(call.args.get(1).map_or(10, |e| literal_count(e).map_or(8000, |n| n.clamp(1, 8000) as u16)))
        }
        StringEscape => {
            call.only(0, is_text)?;
            call.given(1)?;
            call.strings(&[0, 1])?;
            SqlType::NVARCHAR_MAX.with_collation(call.collation)
        }
        Concat | ConcatWs => concat(call)?,
        _ => return Ok(None),
    }))
}

fn substring(call: &mut BuiltinCall) -> SqlResult<SqlType> {
    call.null_from_arguments();
    let ty = call.args[0].ty;
    if !ty.is_binary() {
        if !ty.is_string() && !is_null_literal(&call.args[0]) {
            return Err(errors::invalid_argument(&ty, 1, call.name));
        }
        call.strings(&[0])?;
    }
    call.place(1, is_position)?;
    call.place(2, is_position)?;
    refuse_negative(call, 2, 8)?;
    Ok(cut(&call.args[0].ty, call.args.get(2).and_then(literal_count)))
}

/// 536: a constant length that is none.
fn refuse_negative(call: &BuiltinCall<'_, '_>, at: usize, state: u8) -> SqlResult<()> {
    match call.args.get(at).and_then(literal_count).is_some_and(|count| count < 0) {
        true => Err(sql_error!(536, state state, errors::shown_function(call.name))),
        false => Ok(()),
    }
}

fn unistr(call: &mut BuiltinCall) -> SqlResult<SqlType> {
    call.null_from_arguments();
    match is_null_literal(&call.args[0]) {
        true => call.args[0] = crate::plan::Expr::null(call.wide(1)),
        false => call.strings(&[0])?,
    }
    let ty = call.args[0].ty;
    // What a code page lacks would be lost.
    if ty.is_ansi_string() && ty.collation.code_page() != types::collation::CodePage::UTF8 {
        return Err(errors::invalid_argument(&ty, 1, call.name));
    }
    call.take(1, call.wide(2))?;
    Ok(varying(&ty))
}

/// CONCAT, CONCAT_WS: as long as all arguments together.
fn concat(call: &mut BuiltinCall) -> SqlResult<SqlType> {
    use FunctionId::*;
    call.nullable = false;
    let wide = call.args.iter().any(|argument| argument.ty.is_unicode_string());
    let text = if wide { SqlType::nvarchar(1) } else { SqlType::varchar(1) };
    let all: Vec<usize> = (0..call.args.len()).collect();
    for &i in &all {
        if !matches!(call.args[i].ty.kind, TypeKind::Text | TypeKind::NText) {
            call.assignable(i, &text)?;
        }
    }
    call.strings(&all)?;
    let wide = call.args[0].ty.is_unicode_string();
    let max = call.args.iter().any(|e| e.ty.is_max());
    let mut length: u32 = call.args.iter().map(|e| e.ty.length as u32).sum();
    if call.function == ConcatWs {
        length += call.args[0].ty.length as u32 * (call.args.len() as u32).saturating_sub(3);
    }
    let length = if max { MAX_LENGTH } else { length.clamp(1, 8000) as u16 };
    let kind = if wide { TypeKind::NVarChar } else { TypeKind::VarChar };
    Ok(SqlType { kind, length, ..call.args[0].ty })
}

/// At most `count` characters of `ty`.
fn cut(ty: &SqlType, count: Option<i64>) -> SqlType {
    let ty = varying(ty);
    let Some(count) = count else { return ty };
    let unit = if ty.is_unicode_string() { 2 } else { 1 };
    if ty.is_max() && count > 8000 / unit {
        return ty;
    }
    let length = (count.clamp(1, 8000 / unit) * unit) as u16;
    SqlType { length: length.min(ty.length), ..ty }
}

/// 8,000 bytes, or (max).
fn longest(ty: &SqlType, max: bool) -> SqlType {
    SqlType { length: if max { MAX_LENGTH } else { 8000 }, ..varying(ty) }
}

/// FORMAT is of numbers and moments: 8116.
fn check_formatted(call: &BuiltinCall<'_, '_>) -> SqlResult<()> {
    let ty = call.args[0].ty;
    let number = ty.is_integer() || ty.is_decimal();
    let number = number || matches!(ty.kind, TypeKind::Money | TypeKind::SmallMoney | TypeKind::Float | TypeKind::Real);
    if number || ty.is_temporal() { Ok(()) } else { Err(errors::invalid_argument(&ty, 1, call.name)) }
}
