//! JSON in text: reading a value by its path, changing one, and writing strings.

use sql::function::FunctionId;
use types::{Datum, SqlResult, SqlType, TypeKind, sql_error};

use super::given;
use crate::context::Context;
use crate::expression::general::{Call, Function, General};
use crate::expression::json::{Json, Path};
use crate::expression::wide::BytesExpr;
use crate::expression::{Node, Scalar};
use crate::kernel;
use crate::value::{Row, Value};

/// The characters of a JSON string, without its quotes.
pub fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
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
}

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        Isjson => is_json,
        JsonValue => value,
        JsonQuery => query,
        JsonModify => modify,
        _ => return None,
    })
}

fn is_json<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let text = given!(call.text(0, context, row));
    Ok(Value::I64(Json::parse(&text).is_ok() as i64))
}

fn value<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let text = given!(call.text(0, context, row));
    let path = Path::parse(&given!(call.text(1, context, row)))?;
    let found = given!(path.value(&Json::parse(&text)?, &text));
    if found.encode_utf16().count() > 4000 {
        if path.strict {
            return Err(sql_error!(13625));
        }
        return Ok(Value::Null);
    }
    Ok(call.result_text(&found))
}

fn query<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let text = given!(call.text(0, context, row));
    let path = match call.arguments.len() {
        1 => Path::root(),
        _ => Path::parse(&given!(call.text(1, context, row)))?,
    };
    let found = given!(path.query(&Json::parse(&text)?, &text));
    Ok(call.result_text(&found))
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
            let shown = context.session(|session| kernel::convert_datum(session, &value, ty, &wide))?;
            let shown = Value::from_owned(shown).bytes().map_or(String::new(), |bytes| kernel::text(&wide, &bytes));
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
                escape(&shown, &mut quoted);
                quoted.push('"');
                quoted
            })
        }
    };
    Ok(call.result_text(&path.modify(&text, new.as_deref())?))
}

fn is_json_text(argument: &Scalar) -> bool {
    let Node::Bytes(BytesExpr::General(general)) = &argument.node else { return false };
    matches!(&**general, General::Call(call) if matches!(call.id, FunctionId::JsonQuery | FunctionId::JsonModify))
}
