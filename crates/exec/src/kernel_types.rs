//! Stand-in for the kernels of `types` that are not landed.
use super::*;
pub fn decimal_arithmetic(
    op: ArithmeticOp,
    left: (i128, &SqlType),
    right: (i128, &SqlType),
    ty: &SqlType,
) -> SqlResult<i128> {
    let up = |v: i128, from: u8| v * 10_i128.pow((ty.scale.saturating_sub(from)) as u32);
    Ok(match op {
        ArithmeticOp::Add => up(left.0, left.1.scale) + up(right.0, right.1.scale),
        ArithmeticOp::Subtract => up(left.0, left.1.scale) - up(right.0, right.1.scale),
        ArithmeticOp::Multiply => left.0 * right.0,
        _ => return Err(divide_by_zero()),
    })
}
pub fn compare_i128(ty: &SqlType, left: i128, right: i128) -> Ordering {
    if ty.kind == TypeKind::DateTimeOffset { (left >> 16).cmp(&(right >> 16)) } else { left.cmp(&right) }
}
pub fn compare_bytes(_ty: &SqlType, left: &[u8], right: &[u8]) -> Ordering {
    left.cmp(right)
}
pub fn compare_values(ty: &SqlType, left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::I64(l), Value::I64(r)) => l.cmp(r),
        (Value::F64(l), Value::F64(r)) => l.partial_cmp(r).unwrap_or(Ordering::Equal),
        (Value::I128(l), Value::I128(r)) => compare_i128(ty, *l, *r),
        (Value::Bytes(l), Value::Bytes(r)) => compare_bytes(ty, l, r),
        _ => panic!("values of two classes, or NULL, compared"),
    }
}
pub fn like(_ty: &SqlType, value: &[u8], pattern: &[u8], _escape: Option<&[u8]>) -> SqlResult<bool> {
    Ok(value == pattern)
}
pub fn convert<'a>(
    _context: &Context,
    value: Value<'a>,
    from: &SqlType,
    to: &SqlType,
    _style: i32,
    _explicit: bool,
) -> SqlResult<Value<'a>> {
    if from.physical() == to.physical() {
        return Ok(value);
    }
    match value {
        Value::I64(v) if to.is_ansi_string() => Ok(Value::owned(v.to_string().into_bytes())),
        Value::I64(v) if to.is_unicode_string() => {
            Ok(Value::owned(v.to_string().encode_utf16().flat_map(u16::to_le_bytes).collect()))
        }
        _ => Err(SqlError::new(529, 16, "Explicit conversion is not allowed.")),
    }
}

/// A string value as text.
pub fn text(ty: &SqlType, bytes: &[u8]) -> String {
    if ty.is_unicode_string() || ty.kind == TypeKind::Xml {
        let units: Vec<u16> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        return String::from_utf16_lossy(&units);
    }
    bytes.iter().map(|byte| *byte as char).collect()
}

pub fn only_blanks(ty: &SqlType, bytes: &[u8]) -> bool {
    if ty.is_unicode_string() {
        return bytes.chunks(2).all(|unit| unit == [b' ', 0]);
    }
    if ty.is_string() { bytes.iter().all(|byte| *byte == b' ') } else { bytes.iter().all(|byte| *byte == 0) }
}

/// A value as error messages show it.
pub fn display(_context: &Context, ty: &SqlType, value: &types::Datum) -> String {
    match value {
        types::Datum::Null => "<NULL>".to_owned(),
        types::Datum::I64(value) => value.to_string(),
        types::Datum::F64(value) => value.to_string(),
        types::Datum::I128(value) => value.to_string(),
        types::Datum::Bytes(bytes) => text(ty, bytes),
    }
}

pub fn convert_datum(
    _session: &crate::session::Session,
    value: &types::Datum,
    from: &SqlType,
    to: &SqlType,
) -> SqlResult<types::Datum> {
    if from.physical() == to.physical() || value.is_null() {
        return Ok(value.clone());
    }
    Err(SqlError::new(8114, 16, "conversion"))
}
