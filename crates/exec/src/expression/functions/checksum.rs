//! CHECKSUM and BINARY_CHECKSUM: each value gives a word of 32 bits, and the words are rotated by four bits and mixed, one after the other.
//! https://learn.microsoft.com/sql/t-sql/functions/checksum-transact-sql, .../binary-checksum-transact-sql
//!
//! The words of numbers, moments, identifiers and bytes are SQL Server's, and so are those of ASCII texts under its usual collation
//! and of all texts in BINARY_CHECKSUM and under binary collations. Texts under other collations have words of our own: the same for
//! what compares equal.

use sql::function::FunctionId;
use types::datetime::calendar::{DAY_1900, TICKS_PER_DAY};
use types::key::KeyCodec;
use types::pause::Pacer;
use types::{CollationId, Datum, SqlResult, SqlType, TypeKind};

use crate::context::Context;
use crate::expression::general::Call;
use crate::value::{Row, Value};

/// What NULL counts for.
const OF_NULL: u32 = 0x7fff_ffff;
/// Of texts in UTF-16 no more characters count.
const UNITS_MAX: usize = 255;
/// The most digits that a decimal has.
const DIGITS_MAX: u32 = 38;
/// Thirds of a millisecond, as datetime counts them.
const DATETIME_PER_DAY: i64 = 24 * 60 * 60 * 300;
const MINUTES_PER_DAY: i64 = 24 * 60;

pub fn checksum<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let by_bytes = call.id == FunctionId::BinaryChecksum;
    let mut sum = 0_u32;
    for argument in &call.arguments {
        let ty = &argument.ty;
        if by_bytes && matches!(ty.kind, TypeKind::Text | TypeKind::NText | TypeKind::Image | TypeKind::Xml) {
            continue;
        }
        let value = argument.datum(context, row)?;
        sum = mixed(sum, word(&value, ty, by_bytes, &mut context.pacer())?);
    }
    Ok(Value::I64(i64::from(sum as i32)))
}

fn mixed(sum: u32, word: u32) -> u32 {
    sum.rotate_left(4) ^ word
}

fn word(value: &Datum, ty: &SqlType, by_bytes: bool, pacer: &mut Pacer<'_>) -> SqlResult<u32> {
    use TypeKind::*;
    Ok(match (value, ty.kind) {
        (Datum::Null, _) => OF_NULL,
        (Datum::I64(value), SmallInt) => u32::from(*value as u16),
        (Datum::I64(value), TinyInt | Bit) => u32::from(*value as u8),
        (Datum::I64(value), Int | SmallMoney) => *value as u32,
        (Datum::I64(value), BigInt | Money) => folded(*value),
        (Datum::I64(value), Date) => day(*value),
        (Datum::I64(value), Time) => folded(*value),
        (Datum::I64(value), SmallDateTime) => {
            ((value / MINUTES_PER_DAY) as u32) << 16 | (value % MINUTES_PER_DAY) as u32
        }
        (Datum::I64(value), DateTime) => {
            value.div_euclid(DATETIME_PER_DAY) as u32 ^ value.rem_euclid(DATETIME_PER_DAY) as u32
        }
        (Datum::I64(value), _) => moment(*value),
        (Datum::F64(value), Real) => (*value as f32 + 0.0).to_bits(),
        (Datum::F64(value), _) => folded((value + 0.0).to_bits() as i64),
        (Datum::I128(value), Decimal | Numeric) => of_words(full_digits(*value, ty.scale.into())),
        (Datum::I128(value), DateTimeOffset) => moment((value >> 16) as i64),
        (Datum::I128(value), _) => of_bytes(&value.to_le_bytes(), pacer)?,
        (Datum::Bytes(bytes), _) => text(bytes, ty, by_bytes, pacer)?,
    })
}

/// Both halves of 64 bits.
fn folded(value: i64) -> u32 {
    value as u32 ^ (value >> 32) as u32
}

/// Days since 1900.
fn day(days: i64) -> u32 {
    (days - DAY_1900) as u32
}

/// 100 ns since the year 1, whatever the type's scale.
fn moment(ticks: i64) -> u32 {
    day(ticks.div_euclid(TICKS_PER_DAY)) ^ folded(ticks.rem_euclid(TICKS_PER_DAY))
}

/// Without its sign, and with as many digits behind the point as there can be: the same for 1.5 and 1.50.
fn full_digits(value: i128, scale: u32) -> u128 {
    let mut digits = value.unsigned_abs();
    let limit = 10_u128.pow(DIGITS_MAX - 1);
    for _ in scale..DIGITS_MAX {
        if digits >= limit {
            break;
        }
        digits *= 10;
    }
    digits
}

fn of_words(value: u128) -> u32 {
    (0..4).fold(0, |sum, at| mixed(sum, (value >> (32 * at)) as u32))
}

fn of_bytes(bytes: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<u32> {
    let mut sum = 0;
    pacer.chunks(bytes, |chunk| sum = chunk.iter().fold(sum, |sum, byte| mixed(sum, u32::from(*byte))))?;
    Ok(sum)
}

fn text(bytes: &[u8], ty: &SqlType, by_bytes: bool, pacer: &mut Pacer<'_>) -> SqlResult<u32> {
    if ty.is_binary() {
        let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        return of_bytes(&bytes[..end], pacer);
    }
    if !ty.is_string() {
        return by_key(bytes, ty, pacer);
    }
    let comparer = types::collation::comparer(ty);
    let text = comparer.trim(bytes);
    let exact = by_bytes || comparer.rules().binary;
    if exact && ty.is_unicode_string() {
        let units = text.chunks_exact(2).take(UNITS_MAX);
        return Ok(units.fold(0, |sum, unit| mixed(sum, u32::from(u16::from_le_bytes([unit[0], unit[1]])))));
    }
    if exact {
        return of_bytes(text, pacer);
    }
    let is_usual = ty.collation == CollationId::SQL_LATIN1_GENERAL_CP1_CI_AS && !ty.is_unicode_string();
    if !is_usual || !text.is_ascii() {
        return by_key(bytes, ty, pacer);
    }
    let mut sum = 0;
    pacer.chunks(text, |chunk| sum = chunk.iter().fold(sum, |sum, byte| mixed(sum, usual_weight(*byte))))?;
    Ok(sum)
}

/// The word of a text's key: texts that compare equal have the same.
fn by_key(bytes: &[u8], ty: &SqlType, pacer: &mut Pacer<'_>) -> SqlResult<u32> {
    let mut key = Vec::new();
    KeyCodec::new(ty, false).encode_bytes_paced(bytes, &mut key, pacer)?;
    of_bytes(&key, pacer)
}

/// What an ASCII character weighs in SQL Server's sort order 52: punctuation closes up, then come digits and letters without case.
fn usual_weight(byte: u8) -> u32 {
    u32::from(match byte {
        b'0'..=b'9' => byte - b'0' + 132,
        b'A'..=b'Z' => byte - b'A' + 142,
        b'a'..=b'z' => byte - b'a' + 142,
        b':'..=b'@' => byte - b':' + 48,
        b'['..=b'`' => byte - b'[' + 55,
        b'{'..=0x7f => byte - b'{' + 61,
        _ => byte,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: Datum, ty: SqlType) -> i32 {
        word(&value, &ty, false, &mut Pacer::none()).expect("nothing stops it") as i32
    }

    /// Values that SQL Server 2025 gave.
    #[test]
    fn words_are_sql_servers() {
        assert_eq!(of(Datum::I128(15), SqlType::decimal(10, 1)), 1_768_927_692);
        assert_eq!(of(Datum::I128(150), SqlType::decimal(10, 2)), 1_768_927_692);
        assert_eq!(of(Datum::I64(4_294_967_296), SqlType::BIGINT), 1);
        assert_eq!(of(Datum::F64(1.5), SqlType::FLOAT), 1_073_217_536);
        assert_eq!(of(Datum::F64(-0.0), SqlType::FLOAT), 0);
        assert_eq!(of(Datum::F64(1.5), SqlType::REAL), 1_069_547_520);
        assert_eq!(of(Datum::I64(110_451_234_567), SqlType::time(7)), -1_217_915_106);
    }

    #[test]
    fn digits_fill_the_decimal() {
        assert_eq!(full_digits(15, 1), 15 * 10_u128.pow(36));
        assert_eq!(full_digits(-1, 2), 10_u128.pow(36));
        assert_eq!(full_digits(0, 0), 0);
    }
}
