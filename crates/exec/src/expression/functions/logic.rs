//! Logic and type.

use sql::function::FunctionId;
use types::{Datum, SqlResult, SqlType, TypeKind};

use super::given;
use crate::context::Context;
use crate::expression::general::{Call, Function};
use crate::kernel;
use crate::value::{Row, Value};

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        Choose => choose,
        Coalesce | Isnull => coalesce,
        Iif => iif,
        Nullif => nullif,
        Isnumeric => super::isnumeric::isnumeric,
        SqlVariantProperty => variant_property,
        Parse | TryParse => super::parse::parse,
        _ => return None,
    })
}

fn choose<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let at = given!(call.i64(0, context, row));
    match usize::try_from(at) {
        Ok(at @ 1..) if at < call.arguments.len() => call.value(at, context, row),
        _ => Ok(Value::Null),
    }
}

fn coalesce<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    for argument in &call.arguments {
        let value = argument.value(context, row)?;
        if !value.is_null() {
            return Ok(value);
        }
    }
    Ok(Value::Null)
}

fn iif<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let holds = call.i64(0, context, row)?.is_some_and(|value| value != 0);
    call.value(if holds { 1 } else { 2 }, context, row)
}

fn nullif<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let (left, right) = (call.value(0, context, row)?, call.value(1, context, row)?);
    if left.is_null() || right.is_null() {
        return Ok(left);
    }
    let equal = kernel::compare_values(context, &call.ty, &left, &right)? == std::cmp::Ordering::Equal;
    Ok(if equal { Value::Null } else { left })
}

fn variant_property<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = call.arguments[0].datum(context, row)?;
    let name = given!(call.text(1, context, row));
    let (ty, value) = match value {
        Datum::Null => return Ok(Value::Null),
        Datum::Bytes(bytes) if call.arguments[0].ty.kind == TypeKind::SqlVariant => {
            match types::variant::decode(&bytes) {
                Some(found) => found,
                None => return Ok(Value::Null),
            }
        }
        value => (call.arguments[0].ty, value),
    };
    let whole = |value: i64| Value::from_owned(types::variant::encode(&SqlType::INT, &Datum::I64(value)));
    let text = |text: &str| {
        let ty = SqlType::nvarchar(128);
        Value::from_owned(types::variant::encode(&ty, &Datum::nvarchar(text)))
    };
    Ok(match name.to_ascii_lowercase().as_str() {
        "basetype" => text(ty.kind.name()),
        "precision" => whole(ty.precision as i64),
        "scale" => whole(ty.scale as i64),
        "totalbytes" => whole(2 + variant_extra(&ty) + variant_length(&ty, &value)),
        "collation" if ty.is_string() => text(&ty.collation.name()),
        "maxlength" if ty.is_decimal() => whole(variant_length(&ty, &value)),
        "maxlength" => whole(ty.length as i64),
        _ => Value::Null,
    })
}

/// Of a decimal's value alone: its sign, and as many words as it needs.
pub fn decimal_length(value: i128) -> i64 {
    1 + 4 * types::decimal::words(value.unsigned_abs()) as i64
}

/// Bytes of a variant's value alone.
fn variant_length(ty: &SqlType, value: &Datum) -> i64 {
    match value {
        Datum::Bytes(bytes) => bytes.len() as i64,
        Datum::I128(value) if ty.is_decimal() => decimal_length(*value),
        _ => ty.length as i64,
    }
}

/// Bytes that tell what kind of the type a variant's value is: a length and a collation, a precision and a scale.
fn variant_extra(ty: &SqlType) -> i64 {
    match ty.kind {
        _ if ty.is_string() => 6,
        _ if ty.is_decimal() || ty.is_binary() => 2,
        TypeKind::Time | TypeKind::DateTime2 | TypeKind::DateTimeOffset => 1,
        _ => 0,
    }
}
