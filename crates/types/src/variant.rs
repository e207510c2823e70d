//! sql_variant: a value with its own type, in the form of TDS so that it goes to the wire as it is.
//!
//! ```text
//!  type token u8 | property bytes u8 | properties | value without length
//!  properties: decimal precision, scale; time types scale; binary length u16; text collation 5 bytes, length u16
//!  values are those of `fixed.rs`, but a decimal always has seventeen bytes, money has its halves swapped, datetime is
//!  days i32 and 1/300 s u32, and smalldatetime days u16 and minutes u16
//! ```

use std::cmp::Ordering;

use crate::collation::{Comparer, code_page};
use crate::datetime::Moment;
use crate::datetime::moment::DATETIME_PER_DAY;
use crate::datum::Datum;
use crate::decimal::{POW10, PRECISION_MAX};
use crate::error::SqlResult;
use crate::fixed::{FixedCodec, fixed_codec};
use crate::pause::{Pace, Pacer, STRIDE, Unpaced};
use crate::precedence::as_decimal;
use crate::sql_type::{CollationId, SqlType, TypeKind};

/// Longest value; longer ones do not fit a variant (8152 or 2628 come first).
pub const VALUE_BYTES_MAX: usize = 8000;
const MINUTES_PER_DAY: i64 = 1440;

const TOKENS: [(u8, TypeKind); 24] = [
    (0x24, TypeKind::UniqueIdentifier),
    (0x28, TypeKind::Date),
    (0x29, TypeKind::Time),
    (0x2a, TypeKind::DateTime2),
    (0x2b, TypeKind::DateTimeOffset),
    (0x30, TypeKind::TinyInt),
    (0x32, TypeKind::Bit),
    (0x34, TypeKind::SmallInt),
    (0x38, TypeKind::Int),
    (0x3a, TypeKind::SmallDateTime),
    (0x3b, TypeKind::Real),
    (0x3c, TypeKind::Money),
    (0x3d, TypeKind::DateTime),
    (0x3e, TypeKind::Float),
    (0x6a, TypeKind::Decimal),
    (0x6c, TypeKind::Numeric),
    (0x7a, TypeKind::SmallMoney),
    (0x7f, TypeKind::BigInt),
    (0xa5, TypeKind::VarBinary),
    (0xa7, TypeKind::VarChar),
    (0xad, TypeKind::Binary),
    (0xaf, TypeKind::Char),
    (0xe7, TypeKind::NVarChar),
    (0xef, TypeKind::NChar),
];

/// How the fixed bytes of a type lie in a variant: SqlClient reads seventeen of a decimal, whatever its precision.
fn codec_of(ty: &SqlType) -> Option<FixedCodec> {
    let widest = if ty.is_decimal() { SqlType::decimal(PRECISION_MAX, ty.scale) } else { *ty };
    fixed_codec(&widest)
}

/// Whether a value of the type may be in a variant.
pub fn can_hold(ty: &SqlType) -> bool {
    !ty.is_max() && TOKENS.iter().any(|row| row.1 == ty.kind)
}

/// The variant of a value; NULL stays NULL. Panics on a type that `can_hold` refuses.
pub fn encode(ty: &SqlType, value: &Datum) -> Datum {
    use TypeKind::*;
    if value.is_null() {
        return Datum::Null;
    }
    let token = TOKENS.iter().find(|row| row.1 == ty.kind && !ty.is_max());
    let (token, _) = token.unwrap_or_else(|| panic!("{ty} cannot be in a sql_variant"));
    let mut out = vec![*token, 0];
    match ty.kind {
        Decimal | Numeric => out.extend([ty.precision, ty.scale]),
        Time | DateTime2 | DateTimeOffset => out.push(ty.scale),
        Binary | VarBinary => out.extend(ty.length.to_le_bytes()),
        Char | VarChar | NChar | NVarChar => {
            out.extend(ty.collation.to_tds());
            out.extend(ty.length.to_le_bytes());
        }
        _ => {}
    }
    out[1] = out.len() as u8 - 2;
    match (ty.kind, value) {
        (Money, Datum::I64(value)) => {
            out.extend(((value >> 32) as i32).to_le_bytes());
            out.extend((*value as u32).to_le_bytes());
        }
        (DateTime, Datum::I64(value)) => {
            out.extend((value.div_euclid(DATETIME_PER_DAY) as i32).to_le_bytes());
            out.extend((value.rem_euclid(DATETIME_PER_DAY) as u32).to_le_bytes());
        }
        (SmallDateTime, Datum::I64(value)) => {
            out.extend((value.div_euclid(MINUTES_PER_DAY) as u16).to_le_bytes());
            out.extend((value.rem_euclid(MINUTES_PER_DAY) as u16).to_le_bytes());
        }
        (Char | VarChar | NChar | NVarChar | Binary | VarBinary, Datum::Bytes(bytes)) => out.extend_from_slice(bytes),
        _ => {
            let codec = codec_of(ty).expect("the other kinds are of fixed width");
            let start = out.len();
            out.resize(start + codec.size(), 0);
            codec.put(value, &mut out[start..]);
        }
    }
    Datum::Bytes(out.into())
}

/// What is inside. None: damaged.
pub fn decode(variant: &[u8]) -> Option<(SqlType, Datum)> {
    use TypeKind::*;
    let (&[token, count], rest) = variant.split_first_chunk()?;
    let (properties, bytes) = rest.split_at_checked(count as usize)?;
    let kind = TOKENS.iter().find(|row| row.0 == token)?.1;
    let ty = match (kind, properties) {
        (Decimal | Numeric, &[precision @ 1..=38, scale]) if scale <= precision => {
            SqlType { kind, ..SqlType::decimal(precision, scale) }
        }
        (Time, &[scale @ 0..=7]) => SqlType::time(scale),
        (DateTime2, &[scale @ 0..=7]) => SqlType::datetime2(scale),
        (DateTimeOffset, &[scale @ 0..=7]) => SqlType::datetimeoffset(scale),
        (Binary | VarBinary, &[low, high]) => SqlType { kind, ..SqlType::varbinary(u16::from_le_bytes([low, high])) },
        (Char | VarChar | NChar | NVarChar, &[a, b, c, d, e, low, high]) => {
            let collation = CollationId::from_tds(&[a, b, c, d, e]).unwrap_or_default();
            SqlType { kind, ..SqlType::varchar(u16::from_le_bytes([low, high])) }.with_collation(collation)
        }
        (Char | VarChar | NChar | NVarChar | Binary | VarBinary | Decimal | Numeric, _) => return None,
        (Time | DateTime2 | DateTimeOffset, _) => return None,
        (Bit, []) => SqlType::BIT,
        (TinyInt, []) => SqlType::TINYINT,
        (SmallInt, []) => SqlType::SMALLINT,
        (Int, []) => SqlType::INT,
        (BigInt, []) => SqlType::BIGINT,
        (SmallMoney, []) => SqlType::SMALLMONEY,
        (Money, []) => SqlType::MONEY,
        (Real, []) => SqlType::REAL,
        (Float, []) => SqlType::FLOAT,
        (Date, []) => SqlType::DATE,
        (SmallDateTime, []) => SqlType::SMALLDATETIME,
        (DateTime, []) => SqlType::DATETIME,
        (UniqueIdentifier, []) => SqlType::UNIQUEIDENTIFIER,
        _ => return None,
    };
    let value = match kind {
        Money => {
            let (high, low) = halves(bytes)?;
            Datum::I64((high as i64) << 32 | low as i64)
        }
        DateTime => {
            let (days, thirds) = halves(bytes)?;
            Datum::I64(days as i64 * DATETIME_PER_DAY + thirds as i64)
        }
        SmallDateTime => {
            let &[a, b, c, d] = bytes else { return None };
            Datum::I64(u16::from_le_bytes([a, b]) as i64 * MINUTES_PER_DAY + u16::from_le_bytes([c, d]) as i64)
        }
        Char | VarChar | NChar | NVarChar | Binary | VarBinary if bytes.len() <= VALUE_BYTES_MAX => Datum::bytes(bytes),
        _ => {
            let codec = codec_of(&ty)?;
            // Of before decimals had one length: as long as their precision wants.
            let codec = if bytes.len() == codec.size() { codec } else { fixed_codec(&ty)? };
            if bytes.len() != codec.size() {
                return None;
            }
            codec.read(bytes)
        }
    };
    Some((ty, value))
}

/// The two little-endian words of money and datetime.
fn halves(bytes: &[u8]) -> Option<(i32, u32)> {
    let &[a, b, c, d, e, f, g, h] = bytes else { return None };
    Some((i32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])))
}

/// Order between values of any types: the family of types decides, then the value.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    key(a, &mut x);
    key(b, &mut y);
    x.cmp(&y)
}

/// Appends bytes in the order of variants: the family (uniqueidentifier, binary, text, exact, approximate, time), then
/// the value in a form that all types of the family share. A damaged variant sorts by its bytes before all others.
pub fn key(variant: &[u8], out: &mut Vec<u8>) {
    use TypeKind::*;
    let Some((ty, value)) = decode(variant) else {
        out.push(0);
        return push_binary(variant, out);
    };
    match (ty.kind, &value) {
        (UniqueIdentifier, Datum::I128(value)) => {
            out.push(1);
            out.extend_from_slice(&crate::fixed::uuid_order(*value));
        }
        (Binary | VarBinary, Datum::Bytes(bytes)) => {
            out.push(2);
            push_binary(bytes, out);
        }
        (Char | VarChar | NChar | NVarChar, Datum::Bytes(bytes)) => {
            out.push(3);
            out.extend_from_slice(&ty.collation.to_tds());
            let comparer = Comparer::unicode(ty.collation.get().rules);
            if ty.is_ansi_string() {
                let mut wide = Vec::new();
                code_page::decode(ty.collation.code_page(), bytes, &mut wide);
                comparer.key(&wide, out);
            } else {
                comparer.key(bytes, out);
            }
        }
        (Real | Float, Datum::F64(value)) => {
            out.push(5);
            let bits = if *value == 0.0 { 0 } else { value.to_bits() };
            let turned = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
            out.extend_from_slice(&turned.to_be_bytes());
        }
        (Date | Time | SmallDateTime | DateTime | DateTime2 | DateTimeOffset, value) => {
            out.push(6);
            out.extend_from_slice(&(Moment::of(&ty, value.as_ref()).utc_ticks() as u64 ^ 1 << 63).to_be_bytes());
        }
        (_, value) => {
            out.push(4);
            let number = match value {
                Datum::I64(value) => *value as i128,
                Datum::I128(value) => *value,
                other => panic!("{other:?} is no exact number"),
            };
            let scale = as_decimal(&ty).expect("the exact numbers are left").scale as usize;
            let whole = number.div_euclid(POW10[scale]);
            let fraction = number.rem_euclid(POW10[scale]) * POW10[38 - scale];
            out.extend_from_slice(&(whole as u128 ^ 1 << 127).to_be_bytes());
            out.extend_from_slice(&fraction.to_be_bytes());
        }
    }
}

/// Zeros at the end do not count; 00 is 00 FF, the end 00 00.
pub(crate) fn push_binary(value: &[u8], out: &mut Vec<u8>) {
    let Ok(()) = push_binary_at(value, out, &mut Unpaced);
}

/// `push_binary` of a value that may be long.
pub(crate) fn push_binary_paced(value: &[u8], out: &mut Vec<u8>, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    push_binary_at(value, out, pacer)
}

#[inline(always)]
fn push_binary_at<P: Pace>(value: &[u8], out: &mut Vec<u8>, pace: &mut P) -> Result<(), P::Stop> {
    let mut end = value.len();
    while end > 0 {
        let start = end.saturating_sub(STRIDE);
        pace.spend(end - start)?;
        match value[start..end].iter().rposition(|&byte| byte != 0) {
            Some(last) => {
                end = start + last + 1;
                break;
            }
            None => end = start,
        }
    }
    pace.chunks(&value[..end], |chunk| {
        for &byte in chunk {
            out.push(byte);
            if byte == 0 {
                out.push(0xff);
            }
        }
    })?;
    out.extend_from_slice(&[0, 0]);
    Ok(())
}
