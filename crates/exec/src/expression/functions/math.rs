//! Math. A number's own type decides how it is computed: integers and decimals stay exact.

use sql::function::FunctionId;
use sql::plan::ArithmeticOp;
use types::key::KeyCodec;
use types::{Physical, SqlError, SqlResult, TypeKind, decimal, sql_error};

use super::given;
use crate::context::Context;
use crate::expression::general::{Call, Function};
use crate::expression::integer::IntegerRange;
use crate::kernel;
use crate::random::RandState;
use crate::value::{Row, Value};

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        Abs | Ceiling | Floor | Sign => whole,
        Degrees | Radians => angle,
        Acos | Asin | Atan | Cos | Cot | Exp | Log10 | Sin | Sqrt | Square | Tan => float,
        Atn2 | Log => float_pair,
        Pi => |_, _, _| Ok(Value::F64(std::f64::consts::PI)),
        Power => power,
        Rand => seeded_rand,
        Round => round,
        Greatest | Least => extreme,
        BitCount => bit_count,
        GetBit => get_bit,
        SetBit => set_bit,
        LeftShift | RightShift => shift,
        LongSum | LongDifference => long_sum,
        PartitionNumber => partition_number,
        _ => return None,
    })
}

/// How many of the boundaries, whose keys the first argument has, lie below the value, and one. NULL is the lowest value.
fn partition_number<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let mut key = Vec::new();
    let codec = KeyCodec::new(&call.arguments[1].ty, false);
    codec.encode(&call.value(1, context, row)?.into_datum(), &mut key);
    let Value::Bytes(boundaries) = call.value(0, context, row)? else { return Ok(Value::Null) };
    let (right, mut rest) = boundaries.split_first().map_or((false, &[][..]), |(right, rest)| (*right != 0, rest));
    let mut number = 1;
    while let Some((length, after)) = rest.split_first_chunk() {
        let (boundary, after) = after.split_at(usize::from(u16::from_le_bytes(*length)));
        if boundary > &key[..] || boundary == &key[..] && !right {
            break;
        }
        number += 1;
        rest = after;
    }
    Ok(Value::I64(number))
}

/// The first argument and then, one after the other, all that follow: what a tree of operators would give. All are of the result's
/// type, which is no decimal.
fn long_sum<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let ty = call.ty;
    let op = if call.id == FunctionId::LongSum { ArithmeticOp::Add } else { ArithmeticOp::Subtract };
    let money = matches!(ty.kind, TypeKind::Money | TypeKind::SmallMoney);
    let range = IntegerRange::of(ty.kind);
    let mut sum = call.value(0, context, row)?;
    for argument in &call.arguments[1..] {
        sum = match (sum, argument.value(context, row)?) {
            (Value::I64(sum), Value::I64(term)) if money => Value::I64(kernel::money_arithmetic(op, &ty, sum, term)?),
            (Value::I64(sum), Value::I64(term)) => {
                let next = match op {
                    ArithmeticOp::Add => sum.checked_add(term),
                    _ => sum.checked_sub(term),
                };
                Value::I64(next.filter(|next| range.holds(*next)).ok_or_else(|| range.overflow())?)
            }
            (Value::F64(sum), Value::F64(term)) => {
                Value::F64(kernel::float_arithmetic(op, sum, term, ty.kind == TypeKind::Real)?)
            }
            _ => Value::Null,
        };
    }
    Ok(sum)
}

#[cold]
fn domain_error() -> SqlError {
    sql_error!(3623)
}

fn finite(value: f64) -> SqlResult<Value<'static>> {
    match value {
        value if value.is_nan() => Err(domain_error()),
        value if value.is_infinite() => Err(kernel::arithmetic_overflow(TypeKind::Float)),
        value => Ok(Value::F64(value)),
    }
}

fn whole<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    use FunctionId::*;
    let from = call.arguments[0].ty;
    let money = matches!(from.kind, TypeKind::Money | TypeKind::SmallMoney);
    Ok(match call.value(0, context, row)? {
        Value::Null => Value::Null,
        Value::I64(value) => {
            let result = match call.id {
                Abs => value.checked_abs(),
                Sign if money => Some(value.signum() * 10_000),
                Sign => Some(value.signum()),
                Floor if money => Some(value.div_euclid(10_000) * 10_000),
                Ceiling if money => value.checked_neg().map(|value| -value.div_euclid(10_000) * 10_000),
                _ => Some(value),
            };
            let range = IntegerRange::of(call.ty.kind);
            match result {
                Some(result) if money || range.holds(result) => Value::I64(result),
                _ => return Err(kernel::arithmetic_overflow(call.ty.kind)),
            }
        }
        Value::F64(value) => Value::F64(match call.id {
            Abs => value.abs(),
            Sign if value == 0.0 => 0.0,
            Sign => value.signum(),
            Floor => value.floor(),
            _ => value.ceil(),
        }),
        Value::I128(value) => Value::I128(match call.id {
            Abs => value.abs(),
            Sign => value.signum() * 10_i128.pow(call.ty.scale as u32),
            Floor => decimal::floor(value, from.scale),
            _ => decimal::ceiling(value, from.scale),
        }),
        other => panic!("{:?} of {other:?}", call.id),
    })
}

fn angle<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let from = call.arguments[0].ty;
    let value = match call.value(0, context, row)? {
        Value::Null => return Ok(Value::Null),
        Value::I64(value) if from.kind == TypeKind::Money => value as f64 / 10_000.0,
        Value::I64(value) => value as f64,
        Value::F64(value) => value,
        Value::I128(value) => decimal::to_f64(value, from.scale),
        other => panic!("an angle of {other:?}"),
    };
    let turned = if call.id == FunctionId::Degrees { value.to_degrees() } else { value.to_radians() };
    back(turned, call)
}

/// A float as the call's own numeric type.
fn back(value: f64, call: &Call) -> SqlResult<Value<'static>> {
    let overflow = || kernel::arithmetic_overflow(call.ty.kind);
    match call.ty.physical() {
        Physical::F64 => finite(value),
        Physical::I128 => {
            let number = decimal::from_f64(value, call.ty.scale).filter(|n| decimal::fits(*n, call.ty.precision));
            number.map(Value::I128).ok_or_else(overflow)
        }
        _ => {
            let money = matches!(call.ty.kind, TypeKind::Money | TypeKind::SmallMoney);
            let value = if money { (value * 10_000.0).round() } else { value.trunc() };
            let range = IntegerRange::of(if money { TypeKind::BigInt } else { call.ty.kind });
            // 2^63 itself is out of range but compares equal to i64::MAX as a float.
            if value.is_nan()
                || value < range.min as f64
                || value > range.max as f64
                || value >= 9.223_372_036_854_776e18
            {
                return Err(overflow());
            }
            Ok(Value::I64(value as i64))
        }
    }
}

fn float<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    use FunctionId::*;
    let value = given!(call.f64(0, context, row));
    finite(match call.id {
        Acos => value.acos(),
        Asin => value.asin(),
        Atan => value.atan(),
        Cos => value.cos(),
        Cot => 1.0 / value.tan(),
        Exp => value.exp(),
        Log10 if value <= 0.0 => return Err(domain_error()),
        Log10 => value.log10(),
        Sin => value.sin(),
        Sqrt => value.sqrt(),
        Square => value * value,
        _ => value.tan(),
    })
}

fn float_pair<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.f64(0, context, row));
    if call.id == FunctionId::Atn2 {
        let other = given!(call.f64(1, context, row));
        if value == 0.0 && other == 0.0 {
            return Err(domain_error());
        }
        return finite(value.atan2(other));
    }
    if value <= 0.0 {
        return Err(domain_error());
    }
    if call.arguments.len() == 1 {
        return finite(value.ln());
    }
    let base = given!(call.f64(1, context, row));
    if base <= 0.0 || base == 1.0 {
        return Err(domain_error());
    }
    finite(value.ln() / base.ln())
}

fn power<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let from = call.arguments[0].ty;
    let value = call.value(0, context, row)?;
    let exponent = given!(call.f64(1, context, row));
    let base = match value {
        Value::Null => return Ok(Value::Null),
        Value::I64(base) if !matches!(from.kind, TypeKind::Money | TypeKind::SmallMoney) => {
            // Exact while it fits: a float would lose the last digits of large integers.
            if exponent >= 0.0 && exponent.fract() == 0.0 && exponent <= 64.0 {
                let range = IntegerRange::of(call.ty.kind);
                return match base.checked_pow(exponent as u32) {
                    Some(result) if range.holds(result) => Ok(Value::I64(result)),
                    _ if call.ty.kind == TypeKind::Int => {
                        let result = (base as f64).powf(exponent);
                        Err(sql_error!(232, state 3, "int", format_args!("{result:.6}")))
                    }
                    _ => Err(kernel::arithmetic_overflow(call.ty.kind)),
                };
            }
            base as f64
        }
        Value::I64(base) => base as f64 / 10_000.0,
        Value::F64(base) => base,
        Value::I128(base) => decimal::to_f64(base, from.scale),
        other => panic!("a power of {other:?}"),
    };
    if base == 0.0 && exponent < 0.0 {
        return Err(sql_error!(8134));
    }
    let result = base.powf(exponent);
    if result.is_nan() {
        return Err(domain_error());
    }
    back(result, call)
}

/// A seed starts the session's generator anew.
fn seeded_rand<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let seed = call.i64(0, context, row)?.unwrap_or(0);
    context.session(|session| session.rand_state = Some(RandState::seeded(seed)));
    Ok(Value::F64(next_random(context)))
}

/// RAND(): the session's generator has a seed of its own until one is given.
pub fn next_random(context: &Context) -> f64 {
    context.session(|session| {
        let state = session.rand_state.unwrap_or_else(|| RandState::seeded(os::random::u64() as i32 as i64));
        let (value, after) = state.next();
        session.rand_state = Some(after);
        value
    })
}

fn round<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = call.value(0, context, row)?;
    let digits = given!(call.i64(1, context, row)).clamp(-400, 400) as i32;
    let truncate = match call.arguments.len() {
        3 => call.i64(2, context, row)?.unwrap_or(0) != 0,
        _ => false,
    };
    let overflow = || kernel::arithmetic_overflow(call.ty.kind);
    Ok(match value {
        Value::Null => Value::Null,
        Value::I64(value) => {
            let scale = if matches!(call.ty.kind, TypeKind::Money | TypeKind::SmallMoney) { 4 } else { 0 };
            let rounded = decimal::round(value as i128, scale, digits, truncate).ok_or_else(overflow)?;
            let range = IntegerRange::of(call.ty.kind);
            let rounded = i64::try_from(rounded).ok().filter(|value| range.holds(*value));
            Value::I64(rounded.ok_or_else(overflow)?)
        }
        Value::I128(value) => {
            let rounded = decimal::round(value, call.ty.scale, digits, truncate).ok_or_else(overflow)?;
            if !decimal::fits(rounded, call.ty.precision) {
                return Err(overflow());
            }
            Value::I128(rounded)
        }
        Value::F64(value) => {
            let power = 10_f64.powi(digits.clamp(-308, 308));
            let scaled = value * power;
            if !scaled.is_finite() {
                return Ok(Value::F64(value));
            }
            let rounded = if truncate { scaled.trunc() } else { scaled.round() };
            Value::F64(rounded / power)
        }
        other => panic!("a rounding of {other:?}"),
    })
}

/// NULLs are passed over.
fn extreme<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let mut best = Value::Null;
    for argument in &call.arguments {
        let value = argument.value(context, row)?;
        if value.is_null() {
            continue;
        }
        if best.is_null() {
            best = value;
            continue;
        }
        let ordering = kernel::compare_values(context, &call.ty, &value, &best)?;
        if ordering
            == if call.id == FunctionId::Greatest { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less }
        {
            best = value;
        }
    }
    Ok(best)
}

/// Bits of the value's storage: negative numbers have those of their type's width.
fn width(kind: TypeKind) -> u32 {
    match kind {
        TypeKind::Bit => 1,
        TypeKind::TinyInt => 8,
        TypeKind::SmallInt => 16,
        TypeKind::Int => 32,
        _ => 64,
    }
}

fn mask(kind: TypeKind) -> u64 {
    u64::MAX >> (64 - width(kind))
}

/// Bits back to a number of the kind.
fn signed(bits: u64, kind: TypeKind) -> i64 {
    match kind {
        TypeKind::SmallInt => bits as u16 as i16 as i64,
        TypeKind::Int => bits as u32 as i32 as i64,
        TypeKind::TinyInt | TypeKind::Bit => (bits & mask(kind)) as i64,
        _ => bits as i64,
    }
}

fn bit_count<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    Ok(match call.value(0, context, row)? {
        Value::Null => Value::Null,
        Value::I64(value) => Value::I64((value as u64 & mask(call.arguments[0].ty.kind)).count_ones() as i64),
        Value::Bytes(bytes) => Value::I64(bytes.iter().map(|byte| byte.count_ones() as i64).sum()),
        other => panic!("bits of {other:?}"),
    })
}

/// Bytes have bit 0 at the end.
fn byte_of(bytes: &[u8], bit: i64) -> Option<(usize, u32)> {
    let at = usize::try_from(bit / 8).ok()?;
    (bit >= 0 && at < bytes.len()).then(|| (bytes.len() - 1 - at, (bit % 8) as u32))
}

#[cold]
fn bad_bit(function: &str) -> SqlError {
    sql_error!(9838, function)
}

fn get_bit<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = call.value(0, context, row)?;
    let bit = given!(call.i64(1, context, row));
    Ok(match value {
        Value::Null => Value::Null,
        Value::I64(value) => {
            if !(0..width(call.arguments[0].ty.kind) as i64).contains(&bit) {
                return Err(bad_bit("get_bit"));
            }
            Value::I64(value >> bit & 1)
        }
        Value::Bytes(bytes) => {
            let (at, bit) = byte_of(&bytes, bit).ok_or_else(|| bad_bit("get_bit"))?;
            Value::I64((bytes[at] >> bit & 1) as i64)
        }
        other => panic!("a bit of {other:?}"),
    })
}

fn set_bit<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = call.value(0, context, row)?;
    let bit = given!(call.i64(1, context, row));
    let on = match call.arguments.len() {
        3 => given!(call.i64(2, context, row)) != 0,
        _ => true,
    };
    let kind = call.arguments[0].ty.kind;
    Ok(match value {
        Value::Null => Value::Null,
        Value::I64(value) => {
            if !(0..width(kind) as i64).contains(&bit) {
                return Err(bad_bit("set_bit"));
            }
            let bits = if on { value as u64 | 1 << bit } else { value as u64 & !(1 << bit) };
            Value::I64(signed(bits, kind))
        }
        Value::Bytes(bytes) => {
            let (at, bit) = byte_of(&bytes, bit).ok_or_else(|| bad_bit("set_bit"))?;
            let mut bytes = bytes.into_owned();
            bytes[at] = if on { bytes[at] | 1 << bit } else { bytes[at] & !(1 << bit) };
            Value::owned(bytes)
        }
        other => panic!("a bit of {other:?}"),
    })
}

fn shift<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = call.value(0, context, row)?;
    let mut by = given!(call.i64(1, context, row));
    if call.id == FunctionId::RightShift {
        by = -by;
    }
    let kind = call.arguments[0].ty.kind;
    Ok(match value {
        Value::Null => Value::Null,
        Value::I64(value) => {
            let bits = value as u64 & mask(kind);
            let shifted = match by {
                0..64 => bits << by,
                -63..0 => bits >> -by,
                _ => 0,
            };
            Value::I64(signed(shifted & mask(kind), kind))
        }
        Value::Bytes(bytes) => {
            let count = bytes.len() as i64 * 8;
            let mut shifted = vec![0; bytes.len()];
            for bit in 0..count {
                let from = bit - by;
                if let (Some((to, to_bit)), Some((at, at_bit))) = (byte_of(&bytes, bit), byte_of(&bytes, from)) {
                    shifted[to] |= (bytes[at] >> at_bit & 1) << to_bit;
                }
            }
            Value::owned(shifted)
        }
        other => panic!("a shift of {other:?}"),
    })
}
