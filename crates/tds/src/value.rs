//! Values: from the wire to their physical class and back. Received values are checked here, once: what comes out is
//! a value of its type.

use std::borrow::Cow;

use types::{Column, ColumnData, Datum, SqlType, TypeKind};

use crate::date_text;
use crate::error::{ProtocolError, ProtocolResult, ValueFault};
use crate::type_info::{Form, Place, TypeInfo, type_name};
use crate::variant;
use crate::wire::{Input, Put};

/// Longest (max) value: 2 GB - 1.
const LARGE_BYTES_MAX: u64 = i32::MAX as u64;
pub(crate) const CHUNKED_NULL: u64 = u64::MAX;
pub(crate) const CHUNKED_UNKNOWN_LENGTH: u64 = u64::MAX - 1;

const DATETIME_PARTS_PER_DAY: i64 = 25_920_000;
const TICKS_PER_DAY: i64 = 864_000_000_000;
/// 1753-01-01 and 9999-12-31, in days since 1900-01-01.
const DATETIME_DAYS: std::ops::RangeInclusive<i32> = -53_690..=2_958_463;
/// Days from 0001-01-01 to 9999-12-31.
const DATE_DAYS_MAX: i64 = 3_652_058;
const OFFSET_MINUTES_MAX: i16 = 14 * 60;

/// A datum that may borrow from the packet it came in.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value<'a> {
    #[default]
    Null,
    I64(i64),
    F64(f64),
    I128(i128),
    Bytes(Cow<'a, [u8]>),
}

impl<'a> Value<'a> {
    pub fn of(datum: &'a Datum) -> Value<'a> {
        match datum {
            Datum::Null => Value::Null,
            Datum::I64(value) => Value::I64(*value),
            Datum::F64(value) => Value::F64(*value),
            Datum::I128(value) => Value::I128(*value),
            Datum::Bytes(bytes) => Value::Bytes(Cow::Borrowed(bytes)),
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    pub fn into_datum(self) -> Datum {
        match self {
            Value::Null => Datum::Null,
            Value::I64(value) => Datum::I64(value),
            Value::F64(value) => Datum::F64(value),
            Value::I128(value) => Datum::I128(value),
            Value::Bytes(bytes) => Datum::Bytes(bytes.into_owned().into_boxed_slice()),
        }
    }

    /// Panics if the column is of another class.
    pub fn push_to(&self, column: &mut Column) {
        match (&mut column.data, self) {
            (_, Value::Null) => column.push_null(),
            (ColumnData::I64(values), Value::I64(value)) => values.push(*value),
            (ColumnData::F64(values), Value::F64(value)) => values.push(*value),
            (ColumnData::I128(values), Value::I128(value)) => values.push(*value),
            (ColumnData::Bytes { .. }, Value::Bytes(bytes)) => column.push_bytes(bytes),
            (data, value) => panic!("{value:?} pushed to a column of another class: {data:?}"),
        }
    }

    /// Reads one value of the announced type.
    pub fn decode(input: &mut Input<'a>, info: &TypeInfo, place: Place) -> ProtocolResult<Value<'a>> {
        match info.form {
            Form::Null => Ok(Value::Null),
            Form::Fixed(count) => scalar(info, input.take(count.into())?),
            Form::ByteLength => match input.u8()? {
                0 => Ok(Value::Null),
                count => scalar(info, input.take(count.into())?),
            },
            Form::ShortLength => match input.u16()? {
                u16::MAX => Ok(Value::Null),
                count if u32::from(count) > info.size => Err(ValueFault::Length(info.token).into()),
                count => bytes_of(info, Cow::Borrowed(input.take(count.into())?)),
            },
            Form::Text => decode_text(input, info, place),
            Form::Variant => match input.u32()? {
                0 => Ok(Value::Null),
                count if count > 8_016 => Err(ValueFault::VariantLength.into()),
                count => {
                    let wire = input.take(count as usize)?;
                    variant::check(wire)?;
                    Ok(Value::Bytes(variant::whole(wire)))
                }
            },
            Form::Chunked => decode_chunked(input, info),
        }
    }

    /// Writes the value. Panics if it is not of the type's class, or NULL where the type has none.
    pub fn encode(&self, out: &mut impl Put, info: &TypeInfo, place: Place) {
        let codec = Codec::of(info, place);
        match self {
            Value::Null => codec.put_null(out),
            Value::I64(value) => codec.put_i64(out, *value),
            Value::F64(value) => codec.put_f64(out, *value),
            Value::I128(value) => codec.put_i128(out, *value),
            Value::Bytes(bytes) => codec.put_bytes(out, bytes),
        }
    }
}

fn decode_text<'a>(input: &mut Input<'a>, info: &TypeInfo, place: Place) -> ProtocolResult<Value<'a>> {
    if place == Place::Column {
        match input.u8()? {
            0 => return Ok(Value::Null),
            pointer_bytes => {
                input.take(pointer_bytes.into())?;
                input.take(8)?; // A timestamp nobody has used since TDS 4.2.
            }
        }
    }
    match input.u32()? {
        u32::MAX => Ok(Value::Null),
        count if u64::from(count) > LARGE_BYTES_MAX => Err(ValueFault::Length(info.token).into()),
        count => bytes_of(info, Cow::Borrowed(input.take(count as usize)?)),
    }
}

fn decode_chunked<'a>(input: &mut Input<'a>, info: &TypeInfo) -> ProtocolResult<Value<'a>> {
    let total = input.u64()?;
    if total == CHUNKED_NULL {
        return Ok(Value::Null);
    }
    if total != CHUNKED_UNKNOWN_LENGTH && total > LARGE_BYTES_MAX {
        return Err(ValueFault::Length(info.token).into());
    }
    let mut value: Cow<'a, [u8]> = Cow::Borrowed(&[]);
    loop {
        let count = input.u32()? as usize;
        if count == 0 {
            break;
        }
        if (value.len() + count) as u64 > LARGE_BYTES_MAX.min(total) {
            return Err(ValueFault::Chunking(info.token).into());
        }
        let chunk = input.take(count)?;
        if value.is_empty() {
            value = Cow::Borrowed(chunk);
        } else {
            value.to_mut().extend_from_slice(chunk);
        }
    }
    if total != CHUNKED_UNKNOWN_LENGTH && value.len() as u64 != total {
        return Err(ValueFault::Chunking(info.token).into());
    }
    bytes_of(info, value)
}

/// Character and binary values: even length for UTF-16, fixed kinds padded to their length.
fn bytes_of<'a>(info: &TypeInfo, mut bytes: Cow<'a, [u8]>) -> ProtocolResult<Value<'a>> {
    let sql_type = info.sql_type;
    if (sql_type.is_unicode_string() || sql_type.kind == TypeKind::Xml) && !bytes.len().is_multiple_of(2) {
        return Err(ValueFault::InstanceLength(type_name(sql_type.kind)).into());
    }
    let length = usize::from(sql_type.length);
    if bytes.len() < length {
        match sql_type.kind {
            TypeKind::Char => bytes.to_mut().resize(length, b' '),
            TypeKind::Binary => bytes.to_mut().resize(length, 0),
            TypeKind::NChar => {
                let padded = bytes.to_mut();
                padded.extend([b' ', 0].into_iter().cycle().take(length - padded.len()));
            }
            _ => {}
        }
    }
    Ok(Value::Bytes(bytes))
}

pub(crate) fn scalar<'a>(info: &TypeInfo, bytes: &'a [u8]) -> ProtocolResult<Value<'a>> {
    use TypeKind::*;
    let sql_type = info.sql_type;
    let kind = sql_type.kind;
    match kind {
        Char | VarChar | Binary | VarBinary => {
            if bytes.len() as u32 > info.size {
                return Err(ValueFault::Length(info.token).into());
            }
            return bytes_of(info, Cow::Borrowed(bytes));
        }
        Decimal | Numeric => return decimal(info, bytes),
        _ if bytes.len() != usize::from(sql_type.length) => return Err(ValueFault::Length(info.token).into()),
        _ => {}
    }
    let bad = || ProtocolError::Value(ValueFault::NotAnInstance(type_name(kind)));
    let mut input = Input::new(bytes);
    Ok(match kind {
        Bit => Value::I64((bytes[0] != 0).into()),
        TinyInt => Value::I64(bytes[0].into()),
        SmallInt => Value::I64((input.u16()? as i16).into()),
        Int | SmallMoney => Value::I64(input.i32()?.into()),
        BigInt => Value::I64(input.u64()? as i64),
        Money => {
            let (high, low) = (input.i32()?, input.u32()?);
            Value::I64(i64::from(high) << 32 | i64::from(low))
        }
        Real => Value::F64(finite(f32::from_le_bytes(input.array()?).into()).ok_or_else(bad)?),
        Float => Value::F64(finite(f64::from_le_bytes(input.array()?)).ok_or_else(bad)?),
        SmallDateTime => {
            let (days, minutes) = (input.u16()?, input.u16()?);
            if minutes >= 1_440 {
                return Err(bad());
            }
            Value::I64(i64::from(days) * 1_440 + i64::from(minutes))
        }
        DateTime => {
            let (days, parts) = (input.i32()?, i64::from(input.u32()?));
            if !DATETIME_DAYS.contains(&days) || parts >= DATETIME_PARTS_PER_DAY {
                return Err(bad());
            }
            Value::I64(i64::from(days) * DATETIME_PARTS_PER_DAY + parts)
        }
        Date => Value::I64(date_days(&mut input).ok_or_else(bad)?),
        Time => Value::I64(time_ticks(&mut input, sql_type).ok_or_else(bad)?),
        DateTime2 => Value::I64(date_and_time(&mut input, sql_type).ok_or_else(bad)?),
        DateTimeOffset => {
            let utc = date_and_time(&mut input, sql_type).ok_or_else(bad)?;
            let offset_min = input.u16()? as i16;
            if !(-OFFSET_MINUTES_MAX..=OFFSET_MINUTES_MAX).contains(&offset_min) {
                return Err(bad());
            }
            Value::I128(i128::from(utc) << 16 | i128::from(offset_min as u16))
        }
        UniqueIdentifier => Value::I128(i128::from_le_bytes(input.array()?)),
        other => unreachable!("{other:?} has no scalar form"),
    })
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn decimal<'a>(info: &TypeInfo, bytes: &[u8]) -> ProtocolResult<Value<'a>> {
    let [sign, magnitude @ ..] = bytes else { return Err(ValueFault::Length(info.token).into()) };
    // Of any length, whatever was announced: drivers write what is shortest or what is longest.
    if magnitude.len() > 16 {
        return Err(ValueFault::Length(info.token).into());
    }
    let mut wide = [0; 16];
    wide[..magnitude.len()].copy_from_slice(magnitude);
    let unscaled = u128::from_le_bytes(wide);
    if unscaled >= 10u128.pow(info.sql_type.precision.into()) {
        return Err(ValueFault::NotAnInstance(type_name(info.sql_type.kind)).into());
    }
    let unscaled = unscaled as i128; // Below 10^38, so below 2^127.
    Ok(Value::I128(if *sign == 0 { -unscaled } else { unscaled }))
}

fn little_endian(bytes: &[u8]) -> i64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | i64::from(*byte))
}

fn date_days(input: &mut Input<'_>) -> Option<i64> {
    let days = little_endian(input.take(3).ok()?);
    (days <= DATE_DAYS_MAX).then_some(days)
}

fn time_ticks(input: &mut Input<'_>, sql_type: SqlType) -> Option<i64> {
    let units = little_endian(input.take(types::sql_type::time_bytes(sql_type.scale).into()).ok()?);
    let ticks = units.checked_mul(ticks_per_unit(sql_type.scale))?;
    (ticks < TICKS_PER_DAY).then_some(ticks)
}

fn date_and_time(input: &mut Input<'_>, sql_type: SqlType) -> Option<i64> {
    let ticks = time_ticks(input, sql_type)?;
    Some(date_days(input)? * TICKS_PER_DAY + ticks)
}

const fn ticks_per_unit(scale: u8) -> i64 {
    10i64.pow(7 - scale as u32)
}

/// How values of one announced type are written: looked up once, used for every row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Codec {
    UntypedNull,
    Int1 {
        sized: bool,
    },
    Int2 {
        sized: bool,
    },
    Int4 {
        sized: bool,
    },
    Int8 {
        sized: bool,
    },
    Money {
        sized: bool,
    },
    Real {
        sized: bool,
    },
    Float {
        sized: bool,
    },
    SmallDateTime {
        sized: bool,
    },
    DateTime {
        sized: bool,
    },
    Date,
    Time {
        scale: u8,
    },
    DateTime2 {
        scale: u8,
    },
    DateTimeOffset {
        scale: u8,
    },
    DateAsText {
        sql_type: SqlType,
    },
    Decimal {
        bytes: u8,
    },
    Guid,
    /// One length byte.
    Tiny,
    Short,
    TextParameter,
    TextColumn,
    Variant,
    Chunked,
}

/// What a server has to say where a text pointer stands: sixteen bytes that nobody may use, and a timestamp.
const TEXT_POINTER: [u8; 25] = *b"\x10dummy textptr\0\0\0dummyTS\0";

impl Codec {
    pub(crate) fn of(info: &TypeInfo, place: Place) -> Codec {
        let sized = info.form == Form::ByteLength;
        match info.form {
            Form::Null => return Codec::UntypedNull,
            Form::ShortLength if info.is_date_as_text() => return Codec::DateAsText { sql_type: info.sql_type },
            Form::ShortLength => return Codec::Short,
            Form::Text if place == Place::Parameter => return Codec::TextParameter,
            Form::Text => return Codec::TextColumn,
            Form::Variant => return Codec::Variant,
            Form::Chunked => return Codec::Chunked,
            Form::Fixed(_) | Form::ByteLength => {}
        }
        use TypeKind::*;
        let scale = info.sql_type.scale;
        match info.sql_type.kind {
            Bit | TinyInt => Codec::Int1 { sized },
            SmallInt => Codec::Int2 { sized },
            Int | SmallMoney => Codec::Int4 { sized },
            BigInt => Codec::Int8 { sized },
            Money => Codec::Money { sized },
            Real => Codec::Real { sized },
            Float => Codec::Float { sized },
            SmallDateTime => Codec::SmallDateTime { sized },
            DateTime => Codec::DateTime { sized },
            Date => Codec::Date,
            Time => Codec::Time { scale },
            DateTime2 => Codec::DateTime2 { scale },
            DateTimeOffset => Codec::DateTimeOffset { scale },
            Decimal | Numeric => Codec::Decimal { bytes: info.sql_type.length as u8 },
            UniqueIdentifier => Codec::Guid,
            _ => Codec::Tiny,
        }
    }

    /// Bytes of the longest value with its length, `None` if there is no small bound.
    pub(crate) fn bytes_max(self, info: &TypeInfo) -> Option<usize> {
        match self {
            Codec::UntypedNull => Some(0),
            Codec::TextParameter | Codec::TextColumn | Codec::Variant | Codec::Chunked => None,
            Codec::DateAsText { .. } => Some(2 + info.size as usize),
            Codec::Date | Codec::Time { .. } | Codec::DateTime2 { .. } | Codec::DateTimeOffset { .. } => Some(11),
            Codec::Short => Some(2 + info.size as usize),
            _ => Some(1 + info.size as usize),
        }
    }

    /// Bytes that a NULL takes in a ROW; 0: the type has no NULL.
    pub(crate) fn null_bytes(self) -> usize {
        use Codec::*;
        match self {
            UntypedNull => 0,
            Int1 { sized }
            | Int2 { sized }
            | Int4 { sized }
            | Int8 { sized }
            | Money { sized }
            | Real { sized }
            | Float { sized }
            | SmallDateTime { sized }
            | DateTime { sized } => sized.into(),
            Short | DateAsText { .. } => 2,
            TextParameter | Variant => 4,
            Chunked => 8,
            _ => 1,
        }
    }

    pub(crate) fn put_null(self, out: &mut impl Put) {
        match self {
            Codec::UntypedNull => {}
            Codec::Short | Codec::DateAsText { .. } => out.put_u16(u16::MAX),
            Codec::TextParameter => out.put_u32(u32::MAX),
            Codec::Variant => out.put_u32(0),
            Codec::Chunked => out.put_u64(CHUNKED_NULL),
            other => {
                assert!(other.null_bytes() == 1, "NULL in a type that has none: {other:?}");
                out.put_u8(0);
            }
        }
    }

    #[inline]
    pub(crate) fn put_i64(self, out: &mut impl Put, value: i64) {
        match self {
            Codec::Int1 { sized: false } => out.put_u8(value as u8),
            Codec::Int1 { sized: true } => out.put_array([1, value as u8]),
            Codec::Int2 { sized: false } => out.put_array((value as i16).to_le_bytes()),
            Codec::Int2 { sized: true } => {
                let [a, b] = (value as i16).to_le_bytes();
                out.put_array([2, a, b]);
            }
            Codec::Int4 { sized: false } => out.put_array((value as i32).to_le_bytes()),
            Codec::Int4 { sized: true } => {
                let [a, b, c, d] = (value as i32).to_le_bytes();
                out.put_array([4, a, b, c, d]);
            }
            Codec::Int8 { sized: false } => out.put_array(value.to_le_bytes()),
            Codec::Int8 { sized: true } => {
                let [a, b, c, d, e, f, g, h] = value.to_le_bytes();
                out.put_array([8, a, b, c, d, e, f, g, h]);
            }
            Codec::DateTime { sized } => {
                let days = value.div_euclid(DATETIME_PARTS_PER_DAY) as i32 as u32;
                let parts = value.rem_euclid(DATETIME_PARTS_PER_DAY) as u32;
                if sized {
                    out.put_u8(8);
                }
                out.put_u64(u64::from(parts) << 32 | u64::from(days));
            }
            other => other.put_i64_composed(out, value),
        }
    }

    fn put_i64_composed(self, out: &mut impl Put, value: i64) {
        let length = |out: &mut _, sized: bool, bytes: u8| {
            if sized {
                Put::put_u8(out, bytes);
            }
        };
        match self {
            Codec::Money { sized } => {
                length(out, sized, 8);
                out.put_u32((value >> 32) as u32);
                out.put_u32(value as u32);
            }
            Codec::SmallDateTime { sized } => {
                length(out, sized, 4);
                out.put_u16((value / 1_440) as u16);
                out.put_u16((value % 1_440) as u16);
            }
            Codec::Date => {
                out.put_u8(3);
                put_low_bytes(out, value, 3);
            }
            Codec::Time { scale } => {
                out.put_u8(types::sql_type::time_bytes(scale) as u8);
                put_time(out, value, scale);
            }
            Codec::DateTime2 { scale } => {
                out.put_u8(types::sql_type::time_bytes(scale) as u8 + 3);
                put_time(out, value % TICKS_PER_DAY, scale);
                put_low_bytes(out, value / TICKS_PER_DAY, 3);
            }
            Codec::DateAsText { sql_type } => put_date_text(out, sql_type, value.into()),
            other => panic!("an I64 value for {other:?}"),
        }
    }

    pub(crate) fn put_f64(self, out: &mut impl Put, value: f64) {
        match self {
            Codec::Real { sized } => {
                if sized {
                    out.put_u8(4);
                }
                out.put_array((value as f32).to_le_bytes());
            }
            Codec::Float { sized } => {
                if sized {
                    out.put_u8(8);
                }
                out.put_array(value.to_le_bytes());
            }
            other => panic!("an F64 value for {other:?}"),
        }
    }

    pub(crate) fn put_i128(self, out: &mut impl Put, value: i128) {
        match self {
            Codec::Decimal { bytes } => {
                let magnitude = value.unsigned_abs();
                assert!(u32::from(bytes - 1) * 8 >= 128 - magnitude.leading_zeros(), "a decimal wider than its type");
                out.put_array([bytes, (value >= 0).into()]);
                match bytes {
                    5 => out.put_u32(magnitude as u32),
                    9 => out.put_u64(magnitude as u64),
                    17 => out.put_array(magnitude.to_le_bytes()),
                    _ => out.put(&magnitude.to_le_bytes()[..usize::from(bytes) - 1]),
                }
            }
            Codec::Guid => {
                out.put_u8(16);
                out.put_array(value.to_le_bytes());
            }
            Codec::DateTimeOffset { scale } => {
                let utc = (value >> 16) as i64;
                out.put_u8(types::sql_type::time_bytes(scale) as u8 + 5);
                put_time(out, utc % TICKS_PER_DAY, scale);
                put_low_bytes(out, utc / TICKS_PER_DAY, 3);
                out.put_u16(value as u16);
            }
            Codec::DateAsText { sql_type } => put_date_text(out, sql_type, value),
            other => panic!("an I128 value for {other:?}"),
        }
    }

    #[inline]
    pub(crate) fn put_bytes(self, out: &mut impl Put, bytes: &[u8]) {
        self.put_bytes_prefix(out, bytes.len());
        out.put(bytes);
        if self == Codec::Chunked && !bytes.is_empty() {
            out.put_u32(0);
        }
    }

    /// What stands before `count` bytes. After the bytes of a chunked value (not an empty one) a zero u32 must follow.
    pub(crate) fn put_bytes_prefix(self, out: &mut impl Put, count: usize) {
        match self {
            Codec::Short => {
                assert!(count < usize::from(u16::MAX), "a value longer than its type");
                out.put_u16(count as u16);
            }
            Codec::Tiny => out.put_u8(u8::try_from(count).expect("a value longer than its type")),
            Codec::Chunked => {
                out.put_u64(count as u64);
                out.put_u32(count as u32); // Of an empty value this is already the terminator.
            }
            Codec::TextColumn => {
                out.put_array(TEXT_POINTER);
                out.put_u32(count as u32);
            }
            Codec::TextParameter | Codec::Variant => out.put_u32(count as u32),
            other => panic!("bytes for {other:?}"),
        }
    }
}

fn put_low_bytes(out: &mut impl Put, value: i64, count: usize) {
    out.put(&value.to_le_bytes()[..count]);
}

fn put_time(out: &mut impl Put, ticks: i64, scale: u8) {
    put_low_bytes(out, ticks / ticks_per_unit(scale), types::sql_type::time_bytes(scale).into());
}

fn put_date_text(out: &mut impl Put, sql_type: SqlType, value: i128) {
    let text = date_text::format(sql_type, value);
    out.put_u16(text.len() as u16 * 2);
    out.put_utf16(&text);
}
