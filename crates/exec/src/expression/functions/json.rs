//! JSON in text: reading a value by its path, changing one, and writing strings.

use sql::function::FunctionId;
use types::pause::{Pacer, unpaced};
use types::{Datum, SqlResult, SqlType, TypeKind, convert, sql_error};

use super::given;
use crate::context::Context;
use crate::expression::general::{Call, Function, General};
use crate::expression::json::{Json, Path};
use crate::expression::wide::BytesExpr;
use crate::expression::{Node, Scalar};
use crate::kernel;
use crate::session::stop_of;
use crate::value::{Row, Value};

/// The characters of a JSON string, without its quotes.
pub fn escape(text: &str, out: &mut String) {
    unpaced(|pacer| escape_paced(text, out, pacer));
}

/// `escape` of a text that may be long.
pub fn escape_paced(text: &str, out: &mut String, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    for c in text.chars() {
        pacer.spend(1)?;
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '/' => out.push_str("\\/"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    Ok(())
}

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        Isjson => is_json,
        JsonValue => value,
        JsonQuery => query,
        JsonModify => modify,
        JsonPathExists => path_exists,
        _ => return None,
    })
}

fn is_json<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let text = given!(call.text(0, context, row));
    match Json::parse(&text, &mut context.pacer()) {
        Err(error) if stop_of(&error).is_some() => Err(error),
        document => Ok(Value::I64(document.is_ok() as i64)),
    }
}

fn value<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let text = given!(call.text(0, context, row));
    let path = Path::parse(&given!(call.text(1, context, row)))?;
    let found = given!(path.value(&Json::parse(&text, &mut context.pacer())?, &text));
    if found.encode_utf16().nth(4000).is_some() {
        if path.strict {
            return Err(sql_error!(13625));
        }
        return Ok(Value::Null);
    }
    Ok(call.result_text(&found))
}

/// What is no JSON has no paths, and what is no path leads nowhere: neither is an error.
fn path_exists<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let text = given!(call.text(0, context, row));
    let path = given!(call.text(1, context, row));
    let exists = match (Json::parse(&text, &mut context.pacer()), Path::parse_wildcards(&path)) {
        (Err(error), _) if stop_of(&error).is_some() => return Err(error),
        (Ok(document), Ok(path)) => path.exists(&document),
        _ => false,
    };
    Ok(Value::I64(exists.into()))
}

fn query<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let text = given!(call.text(0, context, row));
    let path = match call.arguments.len() {
        1 => Path::root(),
        _ => Path::parse(&given!(call.text(1, context, row)))?,
    };
    let found = given!(path.query(&Json::parse(&text, &mut context.pacer())?, &text));
    call.long_text(&found, context)
}

/// What JSON functions give goes in as JSON, numbers and bits as themselves, everything else as a string.
fn modify<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let text = given!(call.text(0, context, row));
    let path = Path::parse(&given!(call.text(1, context, row)))?;
    let argument = &call.arguments[2];
    let new = match argument.datum(context, row)? {
        Datum::Null => None,
        value => {
            let ty = &argument.ty;
            let wide = SqlType::NVARCHAR_MAX;
            let pacer = &mut context.pacer();
            let shown = kernel::convert(context, Value::from_owned(value), ty, &wide, None, false)?.bytes();
            let shown = shown.map_or(Ok(String::new()), |bytes| convert::text_of_paced(&bytes, &wide, pacer))?;
            Some(if ty.kind == TypeKind::Bit {
                if shown == "1" { "true".to_string() } else { "false".to_string() }
            } else if ty.is_integer()
                || ty.is_decimal()
                || matches!(ty.kind, TypeKind::Float | TypeKind::Real)
                || is_json_text(argument)
            {
                shown
            } else {
                let mut quoted = String::from("\"");
                escape_paced(&shown, &mut quoted, pacer)?;
                quoted.push('"');
                quoted
            })
        }
    };
    call.long_text(&path.modify(&text, new.as_deref(), &mut context.pacer())?, context)
}

fn is_json_text(argument: &Scalar) -> bool {
    let Node::Bytes(BytesExpr::General(general)) = &argument.node else { return false };
    matches!(&**general, General::Call(call) if matches!(call.id, FunctionId::JsonQuery | FunctionId::JsonModify))
}
