//! JSON in text: reading a value by its path, changing one, and writing strings.

use sql::function::FunctionId;
use types::like::LikePattern;
use types::pause::{Pacer, unpaced};
use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, decimal, sql_error};

use super::given;
use crate::context::Context;
use crate::expression::general::{Call, Function, General};
use crate::expression::json::{Json, JsonScalar, Path};
use crate::expression::wide::BytesExpr;
use crate::expression::{Node, Scalar, shown};
use crate::kernel;
use crate::session::stop_of;
use crate::value::{Row, Value};

/// The characters of a JSON string, without its quotes.
pub fn escape(text: &str, out: &mut String) {
    unpaced(|pacer| escape_paced(text, out, pacer));
}

/// `escape` of a text that may be long.
pub fn escape_paced(text: &str, out: &mut String, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    pacer.pieces(text, |mut rest| {
        while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || matches!(byte, b'"' | b'\\' | b'/')) {
            out.push_str(&rest[..at]);
            match rest.as_bytes()[at] {
                b'"' => out.push_str("\\\""),
                b'\\' => out.push_str("\\\\"),
                b'/' => out.push_str("\\/"),
                0x8 => out.push_str("\\b"),
                0xc => out.push_str("\\f"),
                b'\n' => out.push_str("\\n"),
                b'\r' => out.push_str("\\r"),
                b'\t' => out.push_str("\\t"),
                control => out.push_str(&format!("\\u{control:04x}")),
            }
            rest = &rest[at + 1..];
        }
        out.push_str(rest);
        Ok(())
    })
}

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        Isjson => is_json,
        JsonValue => value,
        JsonQuery => query,
        JsonModify => modify,
        JsonPathExists => path_exists,
        JsonContains => contains,
        JsonReturning => returning,
        JsonText => text,
        JsonObject => object,
        JsonArray => array,
        JsonMember => member,
        JsonWrap => wrap,
        _ => return None,
    })
}

fn is_json<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let text = given!(call.text(0, context, row));
    // VALUE, SCALAR, OBJECT or ARRAY: RFC 8259 has any value as a document, and without a type only the last two are meant.
    let wanted = match call.arguments.len() {
        1 => String::new(),
        _ => given!(call.text(1, context, row)),
    };
    let any = matches!(wanted.as_str(), "VALUE" | "SCALAR");
    let parsed = match any {
        true => Json::parse_value(&text, &mut context.pacer()),
        false => Json::parse(&text, &mut context.pacer()),
    };
    let document = match parsed {
        Err(error) if stop_of(&error).is_some() => return Err(error),
        Err(_) => return Ok(Value::I64(0)),
        Ok(document) => document,
    };
    let number = document.type_number();
    let fits = match wanted.as_str() {
        "OBJECT" => number == 5,
        "ARRAY" => number == 4,
        // A string or a number; true, false and null are none.
        "SCALAR" => matches!(number, 1 | 2),
        _ => true,
    };
    Ok(Value::I64(fits.into()))
}

/// A value as JSON writes it; NULL stays NULL.
pub fn push_value(context: &Context, ty: &SqlType, value: &Datum, raw: bool, out: &mut String) -> SqlResult<()> {
    if let (TypeKind::Bit, Datum::I64(bit)) = (ty.kind, value) {
        out.push_str(if *bit != 0 { "true" } else { "false" });
        return Ok(());
    }
    let mut text = shown(context, ty, value)?;
    if ty.kind == TypeKind::DateTimeOffset && text.ends_with("+00:00") {
        text.replace_range(text.len() - "+00:00".len().., "Z");
    }
    let number = ty.is_integer()
        || ty.is_decimal()
        || matches!(ty.kind, TypeKind::Float | TypeKind::Real | TypeKind::Money | TypeKind::SmallMoney);
    if number || raw {
        context.pacer().push(&text, out)?;
    } else {
        out.push('"');
        match ty.is_binary() {
            true => context.pacer().push(&text, out)?,
            false => escape_paced(&text, out, &mut context.pacer())?,
        }
        out.push('"');
    }
    Ok(())
}

fn text<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = call.arguments[0].datum(context, row)?;
    if value.is_null() {
        return Ok(Value::Null);
    }
    let mut out = String::new();
    push_value(context, &call.arguments[0].ty, &value, false, &mut out)?;
    call.long_text(&out, context)
}

/// The values behind the first argument are JSON already. That is 1 where NULL is left out.
fn object<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let absent = call.i64(0, context, row)? == Some(1);
    let mut out = String::from("{");
    for pair in 0..call.arguments.len() / 2 {
        let key = call.text(1 + 2 * pair, context, row)?;
        let value = call.text(2 + 2 * pair, context, row)?;
        if value.is_none() && absent {
            continue;
        }
        if out.len() > 1 {
            out.push(',');
        }
        out.push('"');
        escape_paced(&key.ok_or_else(null_key)?, &mut out, &mut context.pacer())?;
        out.push_str("\":");
        context.pacer().push(value.as_deref().unwrap_or("null"), &mut out)?;
    }
    out.push('}');
    call.long_text(&out, context)
}

/// A member without a name.
#[cold]
fn null_key() -> types::SqlError {
    sql_error!(13638, "json_object")
}

/// `"name":value`; NULL where the value is.
fn member<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let key = call.text(0, context, row)?;
    let value = given!(call.text(1, context, row));
    let mut out = String::from("\"");
    escape_paced(&key.ok_or_else(null_key)?, &mut out, &mut context.pacer())?;
    out.push_str("\":");
    context.pacer().push(&value, &mut out)?;
    call.long_text(&out, context)
}

fn array<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let absent = call.i64(0, context, row)? == Some(1);
    let mut out = String::from("[");
    for at in 1..call.arguments.len() {
        let value = call.text(at, context, row)?;
        if value.is_none() && absent {
            continue;
        }
        if out.len() > 1 {
            out.push(',');
        }
        context.pacer().push(value.as_deref().unwrap_or("null"), &mut out)?;
    }
    out.push(']');
    call.long_text(&out, context)
}

/// What an aggregate has put together, between the brackets of the first argument. NULL: the third argument says that there are no rows.
fn wrap<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    if call.i64(2, context, row)? == Some(0) {
        return Ok(Value::Null);
    }
    let brackets = given!(call.text(0, context, row));
    let inner = call.text(1, context, row)?;
    let (open, close) = brackets.split_at(1);
    let mut out = String::from(open);
    context.pacer().push(inner.as_deref().unwrap_or_default(), &mut out)?;
    out.push_str(close);
    call.long_text(&out, context)
}

/// The path of the second argument. 8116: it is none if it is NULL, whatever the text is.
fn path_of(call: &Call, context: &Context, row: Row<'_>, function: &str) -> SqlResult<Path> {
    match call.text(1, context, row)? {
        Some(path) => Path::parse(&path),
        None => Err(sql_error!(8116, state 8, "NULL", 2, function)),
    }
}

/// JSON_VALUE's and JSON_QUERY's errors of a text and of a path that leads nowhere.
fn of_reader(error: SqlError) -> SqlError {
    if matches!(error.number, 13608 | 13609) { error.in_state(1) } else { error }
}

fn value<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let path = path_of(call, context, row, "json_value")?;
    let text = given!(call.text(0, context, row));
    let sought = Json::seek(&text, &path, &mut context.pacer()).map_err(of_reader)?;
    let Some(sought) = sought else { return Ok(Value::Null) };
    let found = given!(path.scalar(&sought, &text).map_err(|error| error.in_state(2)));
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

/// JSON_CONTAINS: a scalar that the path leads to is the value. NULL: it leads nowhere. A number equals a number, a flag a flag, and a string
/// is compared, or with mode 1 is like the value, under the value's collation; each has gone through the database's code page.
/// https://learn.microsoft.com/sql/t-sql/functions/json-contains-transact-sql
fn contains<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let path = match call.arguments.len() {
        2 => Path::elements(),
        _ => match call.text(2, context, row)? {
            Some(path) => Path::parse_wildcards(&path)?,
            None => return Err(sql_error!(8116, state 8, "NULL", 2, "json_contains")),
        },
    };
    let text = given!(call.text(0, context, row));
    let is_like = match call.arguments.len() {
        4 => match call.i64(3, context, row)? {
            None | Some(0) => false,
            Some(1) => true,
            Some(_) => return Err(sql_error!(13692)),
        },
        _ => false,
    };
    let argument = &call.arguments[1];
    let wanted = argument.datum(context, row)?;
    let wanted = Wanted::of(&wanted, &argument.ty, is_like, &mut context.pacer())?;
    let document = Json::parse(&text, &mut context.pacer())?;
    let (mut is_there, mut is_it) = (false, false);
    path.each(&document, &mut |found| {
        is_there = true;
        is_it = is_it || wanted.is(found, &text, &call.arguments[0].ty, &mut context.pacer())?;
        Ok(())
    })?;
    Ok(if is_there { Value::I64(is_it.into()) } else { Value::Null })
}

/// What JSON_CONTAINS looks for.
enum Wanted<'v> {
    /// NULL: no value is that.
    Nothing,
    Flag(bool),
    /// Unscaled, and its scale.
    Number(i128, u8),
    Text(&'v [u8], &'v SqlType),
    Like(LikePattern, &'v SqlType),
}

impl<'v> Wanted<'v> {
    fn of(value: &'v Datum, ty: &'v SqlType, is_like: bool, pacer: &mut Pacer<'_>) -> SqlResult<Wanted<'v>> {
        Ok(match value {
            Datum::I64(flag) if ty.kind == TypeKind::Bit => Wanted::Flag(*flag != 0),
            Datum::I64(number) => Wanted::Number(i128::from(*number), 0),
            Datum::I128(number) => Wanted::Number(*number, ty.scale),
            Datum::Bytes(pattern) if is_like => Wanted::Like(LikePattern::new(ty, pattern, None, pacer)?, ty),
            Datum::Bytes(text) => Wanted::Text(text, ty),
            _ => Wanted::Nothing,
        })
    }

    /// `document`: the type of its text, which has the database's collation.
    fn is(&self, found: &Json, text: &str, document: &SqlType, pacer: &mut Pacer<'_>) -> SqlResult<bool> {
        let Some(shown) = found.shown(text) else { return Ok(false) };
        Ok(match (found.scalar(), self) {
            (Some(JsonScalar::Flag), Wanted::Flag(flag)) => (shown == "true") == *flag,
            (Some(JsonScalar::Number), Wanted::Number(number, scale)) => {
                let Ok((value, _, found_scale)) = decimal::parse(shown.as_bytes()) else { return Ok(false) };
                let scales = (*scale).max(found_scale);
                let (a, b) = (decimal::rescale(value, found_scale, scales), decimal::rescale(*number, *scale, scales));
                a.is_some() && a == b
            }
            (Some(JsonScalar::String), Wanted::Text(wanted, ty)) => {
                let found = through_code_page(&shown, document, ty, pacer)?;
                types::collation::comparer(ty).compare_paced(&found, wanted, pacer)?.is_eq()
            }
            (Some(JsonScalar::String), Wanted::Like(pattern, ty)) => {
                let found = through_code_page(&shown, document, ty, pacer)?;
                pattern.matches(&found, pacer)?
            }
            _ => false,
        })
    }
}

/// A string as varchar of the document's collation, and then as a value of the type. What the code page lacks is lost.
fn through_code_page(text: &str, document: &SqlType, ty: &SqlType, pacer: &mut Pacer<'_>) -> SqlResult<Vec<u8>> {
    let narrow = SqlType::VARCHAR_MAX.with_collation(document.collation);
    let long = match ty.is_unicode_string() {
        true => SqlType::NVARCHAR_MAX.with_collation(ty.collation),
        false => SqlType::VARCHAR_MAX.with_collation(ty.collation),
    };
    let narrowed = types::convert::text_datum_paced(text, &narrow, pacer)?;
    let cast = types::ConvertContext::CAST;
    let value =
        types::convert::convert_paced(narrowed.as_ref(), &narrow, &long, types::convert::NO_STYLE, &cast, pacer)?;
    match value {
        Datum::Bytes(bytes) => Ok(bytes.into_vec()),
        _ => Ok(Vec::new()),
    }
}

/// JSON_VALUE ... RETURNING: a scalar as what it is - a string as varchar, a number, a flag - converted to the call's type. A lax path gives NULL
/// for what cannot be converted, but 529 for what never can.
fn returning<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let path = path_of(call, context, row, "json_value")?;
    let text = given!(call.text(0, context, row));
    let sought = Json::seek(&text, &path, &mut context.pacer());
    let sought = sought.map_err(|error| if error.number == 13608 { error.in_state(5) } else { error })?;
    let Some(found) = sought else { return Ok(Value::Null) };
    let shown = given!(path.scalar(&found, &text).map_err(|error| error.in_state(2)));
    let to = &call.ty;
    let (value, from) = match found.scalar() {
        Some(JsonScalar::Flag) if !to.is_string() => (Datum::I64(i64::from(shown == "true")), SqlType::BIT),
        Some(JsonScalar::Number) => number_of(&shown)?,
        _ => {
            let narrow = SqlType::VARCHAR_MAX.with_collation(call.arguments[0].ty.collation);
            (types::convert::text_datum_paced(&shown, &narrow, &mut context.pacer())?, narrow)
        }
    };
    types::precedence::check_conversion(&from, to, true)?;
    let is_too_long = to.is_string() && to.capacity().is_some_and(|room| shown.encode_utf16().nth(room).is_some());
    if is_too_long {
        return if path.strict { Err(sql_error!(8152, state 34)) } else { Ok(Value::Null) };
    }
    match kernel::convert(context, Value::from_owned(value), &from, to, None, true) {
        Err(error) if !path.strict && kernel::is_conversion_error(&error) => Ok(Value::Null),
        converted => converted,
    }
}

/// A number of a document of the type json: int or bigint if it is whole, else a decimal.
fn number_of(text: &str) -> SqlResult<(Datum, SqlType)> {
    if let Ok(whole) = text.parse::<i64>() {
        let ty = if i32::try_from(whole).is_ok() { SqlType::INT } else { SqlType::BIGINT };
        return Ok((Datum::I64(whole), ty));
    }
    let parsed = decimal::parse(text.as_bytes());
    let (value, precision, scale) = parsed.map_err(|_| sql_error!(1007, severity 16, "number", text))?;
    Ok((Datum::I128(value), SqlType::decimal(precision.max(1).max(scale), scale)))
}

fn query<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let path = match call.arguments.len() {
        1 => Path::root(),
        _ => path_of(call, context, row, "json_query")?,
    };
    let text = given!(call.text(0, context, row));
    let sought = Json::seek(&text, &path, &mut context.pacer()).map_err(of_reader)?;
    let Some(sought) = sought else { return Ok(Value::Null) };
    let found = given!(path.shown(&sought, &text).map_err(|error| error.in_state(2)));
    call.long_text(&found, context)
}

/// What JSON functions give goes in as JSON, numbers and bits as themselves, everything else as a string.
fn modify<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let path = path_of(call, context, row, "json_modify")?;
    let text = match call.text(0, context, row)? {
        Some(text) => text,
        // The method is told what its value is called: it changes none that is not there.
        None if call.arguments.len() > 3 => {
            return Err(sql_error!(5302, "modify()", call.text(3, context, row)?.unwrap_or_default()));
        }
        None => return Ok(Value::Null),
    };
    let argument = &call.arguments[2];
    let new = match argument.datum(context, row)? {
        Datum::Null => None,
        value => {
            let mut written = String::new();
            push_value(context, &argument.ty, &value, is_json_text(argument), &mut written)?;
            Some(written)
        }
    };
    let modified = path.modify(&text, new.as_deref(), &mut context.pacer());
    let modified = modified.map_err(|error| if error.number == 13609 { error.in_state(7) } else { error });
    call.long_text(&modified?, context)
}

fn is_json_text(argument: &Scalar) -> bool {
    let Node::Bytes(BytesExpr::General(general)) = &argument.node else { return false };
    matches!(&**general, General::Call(call) if matches!(call.id, FunctionId::JsonQuery
            | FunctionId::JsonModify
            | FunctionId::JsonObject
            | FunctionId::JsonArray
            | FunctionId::JsonWrap))
}
