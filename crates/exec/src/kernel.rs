//! Between the session and the kernels of `types`: which settings a conversion works under, and the errors of arithmetic.

use std::cmp::Ordering;

use sql::plan::{ArithmeticOp, CompareOp};
use types::compare::ValueComparer;
use types::convert::{self, ConvertContext, NO_STYLE};
use types::decimal::{self, Operation};
use types::pause::{Pacer, SHORT};
use types::{Datum, SqlError, SqlResult, SqlType, TypeKind, arith, sql_error};

use crate::context::Context;
use crate::session::Session;
use crate::typed_xml;
use crate::udt;
use crate::value::Value;

/// Longest (max) value: 2 GB - 1.
pub const VALUE_BYTES_MAX: usize = i32::MAX as usize;

/// As error messages name a type.
pub fn type_name(kind: TypeKind) -> &'static str {
    kind.name()
}

#[cold]
pub fn arithmetic_overflow(kind: TypeKind) -> SqlError {
    arith::overflow(kind)
}

/// A value that does not fit a narrower integer type: 220 names the value, int and bigint say 8115.
#[cold]
pub fn integer_too_large(kind: TypeKind, value: i64) -> SqlError {
    match kind {
        TypeKind::TinyInt | TypeKind::SmallInt => {
            let state = if kind == TypeKind::TinyInt { 2 } else { 1 };
            let name = type_name(kind);
            sql_error!(220, state state, name, value)
        }
        _ => arithmetic_overflow(kind),
    }
}

#[cold]
pub fn divide_by_zero() -> SqlError {
    decimal::divide_by_zero()
}

/// What TRY_CAST and TRY_CONVERT turn into NULL.
pub fn is_conversion_error(error: &SqlError) -> bool {
    matches!(
        error.number,
        220 | 232 | 234..=237 | 241 | 242 | 244 | 245 | 248 | 281 | 293 | 295 | 296 | 517 | 8114 | 8115 | 8152 | 8169 | 9400..=9499 | 9807 | 9809 | 9814 | 6335 | 6359 | 6901..=6939 | 6965
    )
}

pub fn money_arithmetic(op: ArithmeticOp, ty: &SqlType, left: i64, right: i64) -> SqlResult<i64> {
    arith::apply_i64(arithmetic_op(op), ty.kind, left, right)
}

fn arithmetic_op(op: ArithmeticOp) -> types::precedence::ArithmeticOp {
    use types::precedence::ArithmeticOp as Op;
    match op {
        ArithmeticOp::Add => Op::Add,
        ArithmeticOp::Subtract => Op::Subtract,
        ArithmeticOp::Multiply => Op::Multiply,
        ArithmeticOp::Divide => Op::Divide,
        ArithmeticOp::Modulo => Op::Modulo,
        ArithmeticOp::BitAnd => Op::BitAnd,
        ArithmeticOp::BitOr => Op::BitOr,
        ArithmeticOp::BitXor => Op::BitXor,
    }
}

#[inline]
pub fn float_arithmetic(op: ArithmeticOp, left: f64, right: f64, real: bool) -> SqlResult<f64> {
    let kind = if real { TypeKind::Real } else { TypeKind::Float };
    match op {
        ArithmeticOp::Add => arith::add_f64(kind, left, right),
        ArithmeticOp::Subtract => arith::sub_f64(kind, left, right),
        ArithmeticOp::Multiply => arith::mul_f64(kind, left, right),
        op => arith::apply_f64(arithmetic_op(op), kind, left, right),
    }
}

/// Operands' scales and the result's, resolved once.
pub fn decimal_kernel(op: ArithmeticOp, left: &SqlType, right: &SqlType, ty: &SqlType) -> decimal::Kernel {
    let operation = match op {
        ArithmeticOp::Add => Operation::Add,
        ArithmeticOp::Subtract => Operation::Subtract,
        ArithmeticOp::Multiply => Operation::Multiply,
        ArithmeticOp::Divide => Operation::Divide,
        ArithmeticOp::Modulo => Operation::Modulo,
        other => panic!("{other:?} of decimals"),
    };
    decimal::Kernel::new(operation, left.scale, right.scale, ty)
}

/// Panics on NULL and on values of two classes.
pub fn compare_values(context: &Context, ty: &SqlType, left: &Value, right: &Value) -> SqlResult<Ordering> {
    match (left, right) {
        (Value::I64(left), Value::I64(right)) => Ok(left.cmp(right)),
        _ => compare_with(context, &ValueComparer::new(ty), left, right),
    }
}

/// For who compares often.
pub fn compare_with(context: &Context, comparer: &ValueComparer, left: &Value, right: &Value) -> SqlResult<Ordering> {
    Ok(match (left, right) {
        (Value::I64(left), Value::I64(right)) => left.cmp(right),
        (Value::F64(left), Value::F64(right)) => types::compare::compare_f64(*left, *right),
        (Value::I128(left), Value::I128(right)) => comparer.compare_i128(*left, *right),
        (Value::Bytes(left), Value::Bytes(right)) => return compare_bytes(context, comparer, left, right),
        _ => panic!("values of two classes, or NULL, compared"),
    })
}

#[inline]
pub fn ordering_holds(op: CompareOp, ordering: Ordering) -> bool {
    match op {
        CompareOp::Equal => ordering == Ordering::Equal,
        CompareOp::NotEqual => ordering != Ordering::Equal,
        CompareOp::Less => ordering == Ordering::Less,
        CompareOp::LessOrEqual => ordering != Ordering::Greater,
        CompareOp::Greater => ordering == Ordering::Greater,
        CompareOp::GreaterOrEqual => ordering != Ordering::Less,
    }
}

#[inline]
pub fn compare_bytes(context: &Context, comparer: &ValueComparer, left: &[u8], right: &[u8]) -> SqlResult<Ordering> {
    if left.len().max(right.len()) < SHORT {
        return Ok(comparer.compare_bytes(left, right));
    }
    comparer.compare_bytes_paced(left, right, &mut context.pacer())
}

pub fn settings(session: &Session, explicit: bool) -> ConvertContext {
    let options = &session.options;
    ConvertContext {
        date_format: options.date_format,
        language: options.language,
        explicit,
        round_abort: options.numeric_round_abort,
    }
}

/// `style`: None when CONVERT gave none. What an implicit conversion leaves too long is cut here: whoever must refuse it
/// (INSERT, UPDATE) converts to the (max) kind first.
pub fn convert(
    context: &Context,
    value: Value<'_>,
    from: &SqlType,
    to: &SqlType,
    style: Option<i32>,
    explicit: bool,
) -> SqlResult<Value<'static>> {
    let settings = context.session(|session| settings(session, explicit));
    if from.kind != to.kind && (from.is_udt() || to.is_udt()) {
        return udt::convert_away(context, value, from, to, settings).map(Value::from_owned);
    }
    let pacer = &mut context.pacer();
    let value = convert::convert_paced(value.as_datum(), from, to, style.unwrap_or(NO_STYLE), &settings, pacer)?;
    if !to.admits_xml(from)
        && let Datum::Bytes(bytes) = &value
    {
        let collection = to.xml_collection().ok_or_else(|| typed_xml::foreign(to))?;
        let schema = typed_xml::schema(context, collection)?;
        let valid = typed_xml::metered(context, |meter| typed_xml::typed(&schema, bytes, to, meter))?;
        return Ok(Value::from_owned(valid));
    }
    Ok(Value::from_owned(if explicit { value } else { convert::fit(value, to) }))
}

/// An implicit conversion to a parameter or variable.
pub fn convert_datum(session: &Session, value: &Datum, from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    Ok(fit(convert_whole(session, value, from, to)?, to))
}

/// The same, before it is cut to the type's length.
pub fn convert_whole(session: &Session, value: &Datum, from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    let settings = settings(session, false);
    if from.kind != to.kind && (from.is_udt() || to.is_udt()) {
        return udt::convert(value.as_ref(), from, to, &settings, &mut Pacer::none());
    }
    convert::convert(value, from, to, NO_STYLE, &settings)
}

/// Cut to the type's length.
pub fn fit(value: Datum, to: &SqlType) -> Datum {
    convert::fit(value, to)
}

/// A string value as text.
pub fn text(ty: &SqlType, bytes: &[u8]) -> String {
    convert::text_of(bytes, ty)
}

pub fn text_datum(text: &str, ty: &SqlType) -> Datum {
    convert::text_datum(text, ty)
}

pub fn only_blanks(ty: &SqlType, bytes: &[u8]) -> bool {
    if ty.is_unicode_string() {
        return bytes.chunks(2).all(|unit| unit == [b' ', 0]);
    }
    if ty.is_string() { bytes.iter().all(|byte| *byte == b' ') } else { bytes.iter().all(|byte| *byte == 0) }
}

/// A value as error messages show it.
pub fn display(ty: &SqlType, value: &Datum) -> String {
    if value.is_null() {
        return "<NULL>".to_owned();
    }
    let mut text = String::new();
    convert::push_display(value.as_ref(), ty, &mut text);
    text
}
