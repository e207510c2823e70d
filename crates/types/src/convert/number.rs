//! Numbers to numbers, and between datetime and numbers.

use super::error;
use crate::datetime::calendar::DAYS_MAX;
use crate::datetime::moment::{DATETIME_PER_DAY, Moment};
use crate::datum::{Datum, DatumRef};
use crate::decimal::{self, POW10};
use crate::error::SqlResult;
use crate::precedence::as_decimal;
use crate::sql_type::{SqlType, TypeKind};

const MONEY_SCALE: u8 = 4;

/// Least and greatest value of an integer type, bit or money (in 1/10,000).
pub const fn integer_range(kind: TypeKind) -> (i64, i64) {
    match kind {
        TypeKind::Bit => (0, 1),
        TypeKind::TinyInt => (0, 255),
        TypeKind::SmallInt => (i16::MIN as i64, i16::MAX as i64),
        TypeKind::Int | TypeKind::SmallMoney => (i32::MIN as i64, i32::MAX as i64),
        _ => (i64::MIN, i64::MAX),
    }
}

fn holds(to: &SqlType, value: i64) -> bool {
    let (low, high) = integer_range(to.kind);
    (low..=high).contains(&value)
}

/// An integer as another integer type: 220 for tinyint and smallint, 8115 for int.
#[inline]
pub fn to_integer(value: i64, to: &SqlType) -> SqlResult<i64> {
    match to.kind {
        TypeKind::Bit => Ok((value != 0) as i64),
        _ if holds(to, value) => Ok(value),
        TypeKind::Int => Err(error::overflow(to)),
        _ => Err(error::overflow_value(to, value)),
    }
}

/// Both types are numbers. `round_abort`: `ConvertContext::round_abort`.
pub fn convert(value: DatumRef<'_>, from: &SqlType, to: &SqlType, round_abort: bool) -> SqlResult<Datum> {
    use TypeKind::*;
    match (to.kind, value) {
        (Real, _) => {
            let single = to_f64(value, from) as f32;
            if single.is_finite() { Ok(Datum::F64(single as f64)) } else { Err(error::overflow(to)) }
        }
        (Float, _) => Ok(Datum::F64(to_f64(value, from))),
        (Decimal | Numeric, DatumRef::F64(value)) => {
            let exact = decimal::from_f64(value, to.scale).filter(|&exact| decimal::fits(exact, to.precision));
            exact.map(Datum::I128).ok_or_else(|| error::overflow_from(from, to))
        }
        (Decimal | Numeric, _) => {
            let (number, scale) = exact(value, from);
            if round_abort && decimal::loses_digits(number, scale, to.scale) {
                return Err(error::rounded(from, to));
            }
            let exact = decimal::rescale(number, scale, to.scale).filter(|&exact| decimal::fits(exact, to.precision));
            exact.map(Datum::I128).ok_or_else(|| error::overflow_from(from, to))
        }
        (SmallMoney | Money, DatumRef::F64(value)) => {
            let exact = decimal::from_f64(value, MONEY_SCALE).and_then(|exact| i64::try_from(exact).ok());
            money(exact, from, to)
        }
        (SmallMoney | Money, _) => {
            let (number, scale) = exact(value, from);
            if round_abort && decimal::loses_digits(number, scale, MONEY_SCALE) {
                return Err(error::rounded(from, to));
            }
            let exact = decimal::rescale(number, scale, MONEY_SCALE).and_then(|exact| i64::try_from(exact).ok());
            money(exact, from, to)
        }
        (Bit, DatumRef::I64(value)) => Ok(Datum::I64((value != 0) as i64)),
        (Bit, DatumRef::I128(value)) => Ok(Datum::I64((value != 0) as i64)),
        (Bit, DatumRef::F64(value)) => Ok(Datum::I64((value != 0.0) as i64)),
        (_, DatumRef::F64(value)) => {
            // 2^63 itself is a double and no bigint.
            let cut = value.trunc();
            let inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&cut);
            if inside && holds(to, cut as i64) {
                Ok(Datum::I64(cut as i64))
            } else {
                Err(error::overflow_float(to, value))
            }
        }
        (_, DatumRef::I128(value)) => {
            // Decimals are cut, not rounded.
            let whole = i64::try_from(value / POW10[from.scale as usize]).ok();
            whole.filter(|&whole| holds(to, whole)).map(Datum::I64).ok_or_else(|| error::overflow(to))
        }
        (_, DatumRef::I64(value)) if matches!(from.kind, SmallMoney | Money) => {
            let whole = decimal::rescale_down(value as i128, MONEY_SCALE).expect("four digits are few") as i64;
            if holds(to, whole) { Ok(Datum::I64(whole)) } else { Err(error::money_overflow(value, from, to)) }
        }
        (_, DatumRef::I64(value)) => to_integer(value, to).map(Datum::I64),
        (_, other) => panic!("{other:?} is no number"),
    }
}

fn money(exact: Option<i64>, from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    match exact.filter(|&exact| holds(to, exact)) {
        Some(exact) => Ok(Datum::I64(exact)),
        None if from.is_decimal() => Err(error::overflow_from(from, to)),
        None => Err(error::overflow(to)),
    }
}

/// An exact number unscaled, and its scale.
fn exact(value: DatumRef<'_>, from: &SqlType) -> (i128, u8) {
    let scale = as_decimal(from).expect("an exact number").scale;
    match value {
        DatumRef::I64(value) => (value as i128, scale),
        DatumRef::I128(value) => (value, scale),
        other => panic!("{other:?} is no exact number"),
    }
}

pub fn to_f64(value: DatumRef<'_>, from: &SqlType) -> f64 {
    match value {
        DatumRef::F64(value) => value,
        DatumRef::I64(value) if matches!(from.kind, TypeKind::SmallMoney | TypeKind::Money) => {
            decimal::to_f64(value as i128, MONEY_SCALE)
        }
        DatumRef::I64(value) => value as f64,
        DatumRef::I128(value) => decimal::to_f64(value, from.scale),
        other => panic!("{other:?} is no number"),
    }
}

/// A number of days since 1900-01-01, with the time of day as its fraction.
pub fn to_datetime(value: DatumRef<'_>, from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    let overflow = || error::overflow(to);
    let thirds = match value {
        DatumRef::I64(value) if !matches!(from.kind, TypeKind::SmallMoney | TypeKind::Money) => {
            value.checked_mul(DATETIME_PER_DAY).ok_or_else(overflow)?
        }
        _ => {
            let thirds = to_f64(value, from) * DATETIME_PER_DAY as f64;
            if thirds.abs() > 1e15 {
                return Err(overflow());
            }
            thirds.round() as i64
        }
    };
    let days = thirds.div_euclid(DATETIME_PER_DAY);
    if days.abs() > DAYS_MAX {
        return Err(overflow());
    }
    // Its range is checked through the type itself.
    let moment = Moment::from_i64(TypeKind::DateTime, thirds);
    match moment.to(&SqlType::DATETIME) {
        None => Err(overflow()),
        Some(_) if to.kind == TypeKind::DateTime => Ok(Datum::I64(thirds)),
        Some(_) => moment.to(to).ok_or_else(overflow),
    }
}

/// datetime and smalldatetime as days since 1900-01-01; integers are rounded to the nearest midnight.
pub fn from_datetime(value: DatumRef<'_>, from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    let (value, per_day) = match from.kind {
        TypeKind::SmallDateTime => (value.as_i64(), 1440),
        _ => (value.as_i64(), DATETIME_PER_DAY),
    };
    let days = value as f64 / per_day as f64;
    match to.kind {
        TypeKind::Bit => Ok(Datum::I64((value != 0) as i64)),
        TypeKind::TinyInt | TypeKind::SmallInt | TypeKind::Int | TypeKind::BigInt => {
            let whole = (value + per_day / 2).div_euclid(per_day);
            if holds(to, whole) { Ok(Datum::I64(whole)) } else { Err(error::overflow_from(from, to)) }
        }
        _ => convert(DatumRef::F64(days), &SqlType::FLOAT, to, false).map_err(|_| error::overflow_from(from, to)),
    }
}
