//! Binary values to and from the others: numbers big-endian, dates as SQL Server lays them out.

use super::{ConvertContext, error, to_text};
use crate::datetime::Moment;
use crate::datetime::calendar::{DAYS_MAX, TICKS_PER_DAY};
use crate::datetime::moment::DATETIME_PER_DAY;
use crate::datum::{Datum, DatumRef};
use crate::decimal;
use crate::error::SqlResult;
use crate::fixed::fixed_codec;
use crate::pause::Pacer;
use crate::sql_error;
use crate::sql_type::{SqlType, TypeKind};
use crate::text;
use crate::xml;

/// To binary, varbinary, image or rowversion.
pub fn convert(
    value: DatumRef<'_>,
    from: &SqlType,
    to: &SqlType,
    style: i32,
    context: &ConvertContext,
    pacer: &mut Pacer<'_>,
) -> SqlResult<Datum> {
    use TypeKind::*;
    let mut bytes = Vec::new();
    let (mut cut_in_front, mut filled_in_front) = (false, false);
    match (from.kind, value) {
        (Char | VarChar | Text | NChar | NVarChar | NText, DatumRef::Bytes(source)) => match style {
            1 | 2 => bytes = from_hex(source, from, style, pacer)?.ok_or_else(|| error::data_type(from, to))?,
            _ => pacer.copy(source, &mut bytes)?,
        },
        // Its text in UTF-16, behind the mark that says so.
        (Xml, DatumRef::Bytes(source)) => {
            let text = super::text_of_paced(source, &SqlType::NVARCHAR_MAX, pacer)?;
            bytes.extend([0xff, 0xfe]);
            let text = xml::kept_space(&text, style, pacer)?;
            to_text::push_encoded(&text, &SqlType::NVARCHAR_MAX, &mut bytes, pacer)?;
            if !to.is_max() && bytes.len() > to.length as usize {
                return Err(sql_error!(6354));
            }
        }
        (_, DatumRef::Bytes(source)) => pacer.copy(source, &mut bytes)?,
        _ => {
            push_value(value, from, &mut bytes);
            // Numbers keep their low bytes, exact ones with a point and all else their first.
            cut_in_front =
                matches!(from.kind, Bit | TinyInt | SmallInt | Int | BigInt | SmallMoney | Money | Real | Float);
            filled_in_front = cut_in_front || from.is_decimal();
        }
    }
    if !to.is_max() {
        let length = to.length as usize;
        if bytes.len() > length && cut_in_front {
            bytes.drain(..bytes.len() - length);
        } else if bytes.len() < length && filled_in_front && to.kind != VarBinary {
            let missing = length - bytes.len();
            bytes.splice(0..0, std::iter::repeat_n(0, missing));
        }
    }
    to_text::fit_bytes(&mut bytes, to, context.explicit);
    Ok(Datum::Bytes(bytes.into()))
}

fn from_hex(source: &[u8], from: &SqlType, style: i32, pacer: &mut Pacer<'_>) -> SqlResult<Option<Vec<u8>>> {
    let text = super::text_of_paced(source, from, pacer)?;
    let text = text.trim_end_matches(' ').as_bytes();
    let digits = match (style, text) {
        (1, [b'0', b'x' | b'X', digits @ ..]) => digits,
        (1, _) => return Ok(None),
        _ => text,
    };
    let mut bytes = Some(Vec::with_capacity(digits.len() / 2));
    // A stride has an even number of digits.
    pacer.chunks(digits, |chunk| {
        bytes = bytes.take().zip(text::parse_hex(chunk)).map(|(mut bytes, more)| {
            bytes.extend(more);
            bytes
        });
    })?;
    Ok(bytes)
}

fn push_value(value: DatumRef<'_>, from: &SqlType, out: &mut Vec<u8>) {
    use TypeKind::*;
    match (from.kind, value) {
        (Bit | TinyInt, DatumRef::I64(value)) => out.push(value as u8),
        (SmallInt, DatumRef::I64(value)) => out.extend((value as i16).to_be_bytes()),
        (Int | SmallMoney, DatumRef::I64(value)) => out.extend((value as i32).to_be_bytes()),
        (BigInt | Money, DatumRef::I64(value)) => out.extend(value.to_be_bytes()),
        (Real, DatumRef::F64(value)) => out.extend((value as f32).to_be_bytes()),
        (Float, DatumRef::F64(value)) => out.extend(value.to_be_bytes()),
        (DateTime, DatumRef::I64(value)) => {
            out.extend((value.div_euclid(DATETIME_PER_DAY) as i32).to_be_bytes());
            out.extend((value.rem_euclid(DATETIME_PER_DAY) as u32).to_be_bytes());
        }
        (SmallDateTime, DatumRef::I64(value)) => {
            out.extend((value.div_euclid(1440) as u16).to_be_bytes());
            out.extend((value.rem_euclid(1440) as u16).to_be_bytes());
        }
        // Precision, scale, 0, sign, then the magnitude from its low end in as few words as it needs.
        (Decimal | Numeric, DatumRef::I128(value)) => {
            out.extend([from.precision, from.scale, 0, (value >= 0) as u8]);
            let magnitude = value.unsigned_abs();
            out.extend_from_slice(&magnitude.to_le_bytes()[..decimal::words(magnitude) * 4]);
        }
        // Scale first where there is one, then the row image's bytes.
        (Date | Time | DateTime2 | DateTimeOffset | UniqueIdentifier, _) => {
            if matches!(from.kind, Time | DateTime2 | DateTimeOffset) {
                out.push(from.scale);
            }
            let codec = fixed_codec(from).expect("these are of fixed width");
            let start = out.len();
            out.resize(start + codec.size(), 0);
            codec.put(&value.to_datum(), &mut out[start..]);
        }
        (_, other) => panic!("{other:?} of type {from} has no binary form"),
    }
}

/// The last bytes as a big-endian number, filled with zeros in front.
fn low_bytes(bytes: &[u8], size: usize) -> u64 {
    let start = bytes.len().saturating_sub(size);
    bytes[start..].iter().fold(0, |value, &byte| value << 8 | byte as u64)
}

pub fn to_number(bytes: &[u8], from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    use TypeKind::*;
    Ok(Datum::I64(match to.kind {
        Bit => bytes.iter().any(|&byte| byte != 0) as i64,
        TinyInt => low_bytes(bytes, 1) as i64,
        SmallInt => low_bytes(bytes, 2) as i16 as i64,
        Int | SmallMoney => low_bytes(bytes, 4) as i32 as i64,
        BigInt | Money => low_bytes(bytes, 8) as i64,
        Decimal | Numeric => return to_decimal(bytes, from, to),
        _ => return Err(error::data_type(from, to)),
    }))
}

fn to_decimal(bytes: &[u8], from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    let wrong = || error::data_type(from, to);
    let (&[precision, scale, _, sign], digits) = bytes.split_first_chunk().ok_or_else(wrong)?;
    let mut magnitude = [0; 16];
    let size = digits.len().min(16);
    magnitude[..size].copy_from_slice(&digits[..size]);
    let valid = (1..=38).contains(&precision) && scale <= precision && sign <= 1;
    let value = i128::try_from(u128::from_le_bytes(magnitude)).ok().filter(|&value| value < decimal::LIMIT && valid);
    let value = value.ok_or_else(wrong)?;
    let value = decimal::rescale(if sign == 0 { -value } else { value }, scale, to.scale);
    let value = value.filter(|&value| decimal::fits(value, to.precision));
    value.map(Datum::I128).ok_or_else(|| error::overflow_from(from, to))
}

pub fn to_moment(bytes: &[u8], to: &SqlType) -> SqlResult<Datum> {
    use TypeKind::*;
    let wrong = || match to.kind {
        DateTime | SmallDateTime => error::overflow(to),
        _ => error::date_syntax(),
    };
    match to.kind {
        DateTime => {
            let word = low_bytes(bytes, 8);
            let (days, thirds) = ((word >> 32) as i32 as i64, word as u32 as i64);
            let valid = days.abs() < DAYS_MAX && thirds < DATETIME_PER_DAY;
            let value = days.wrapping_mul(DATETIME_PER_DAY) + thirds;
            let moment = Moment::from_i64(DateTime, value);
            if valid && moment.to(to).is_some() { Ok(Datum::I64(value)) } else { Err(wrong()) }
        }
        SmallDateTime => {
            let word = low_bytes(bytes, 4) as i64;
            let (days, minutes) = (word >> 16, word & 0xffff);
            if minutes < 1440 { Ok(Datum::I64(days * 1440 + minutes)) } else { Err(wrong()) }
        }
        _ => {
            let inner = match (to.kind, bytes) {
                (Date, _) => SqlType::DATE,
                (Time, [scale @ 0..=7, ..]) => SqlType::time(*scale),
                (DateTime2, [scale @ 0..=7, ..]) => SqlType::datetime2(*scale),
                (_, [scale @ 0..=7, ..]) => SqlType::datetimeoffset(*scale),
                _ => return Err(wrong()),
            };
            let body = if to.kind == Date { bytes } else { &bytes[1..] };
            let codec = fixed_codec(&inner).expect("these are of fixed width");
            if body.len() != codec.size() {
                return Err(wrong());
            }
            let value = codec.read(body);
            let moment = Moment::of(&inner, value.as_ref());
            let in_day = inner.kind != Time || moment.ticks < TICKS_PER_DAY;
            moment.to(to).filter(|_| in_day && moment.offset.unsigned_abs() <= 840).ok_or_else(wrong)
        }
    }
}

/// The first 16 bytes, filled with zeros.
pub fn to_uuid(bytes: &[u8]) -> Datum {
    let mut wire = [0; 16];
    let size = bytes.len().min(16);
    wire[..size].copy_from_slice(&bytes[..size]);
    Datum::I128(i128::from_le_bytes(wire))
}
