//! Values as XML and JSON write them.

use types::pause::Pacer;
use types::{Datum, SqlResult, SqlType, TypeKind, convert};

use crate::context::Context;
use crate::kernel;
use crate::value::Value;

/// The value in ISO form, or whatever CONVERT gives it; binary values in base 64.
pub fn shown(context: &Context, ty: &SqlType, value: &Datum) -> SqlResult<String> {
    if ty.is_binary()
        && let Datum::Bytes(bytes) = value
    {
        return base64(bytes, &mut context.pacer());
    }
    match value {
        Datum::Bytes(bytes) if ty.is_string() => return convert::text_of_paced(bytes, ty, &mut context.pacer()),
        Datum::I64(number) if ty.is_integer() => return Ok(number.to_string()),
        _ => {}
    }
    let style = match ty.kind {
        _ if ty.is_temporal() => Some(126),
        TypeKind::Float | TypeKind::Real | TypeKind::Money | TypeKind::SmallMoney => Some(2),
        _ => None,
    };
    let wide = SqlType::NVARCHAR_MAX;
    let text = kernel::convert(context, Value::from_datum(value), ty, &wide, style, true)?;
    text.bytes().map_or(Ok(String::new()), |bytes| convert::text_of_paced(&bytes, &wide, &mut context.pacer()))
}

pub fn base64(bytes: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<String> {
    base64_by(&BASE64, bytes, pacer)
}

/// The digits of RFC 4648, and those that are safe in URLs.
pub const BASE64: [u8; 64] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
pub const BASE64_SAFE: [u8; 64] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

pub fn base64_by(digits: &[u8; 64], bytes: &[u8], pacer: &mut Pacer<'_>) -> SqlResult<String> {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        pacer.spend(chunk.len())?;
        let word = (0..3).fold(0_u32, |word, i| word << 8 | chunk.get(i).copied().unwrap_or(0) as u32);
        for i in 0..4 {
            let digit = digits[(word >> (18 - 6 * i) & 63) as usize] as char;
            out.push(if i <= chunk.len() { digit } else { '=' });
        }
    }
    Ok(out)
}

/// None: it is no base 64. White space is passed over.
pub fn from_base64(text: &str, pacer: &mut Pacer<'_>) -> SqlResult<Option<Vec<u8>>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let (mut word, mut digits) = (0_u32, 0);
    let mut padding = 0;
    for byte in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        pacer.spend(1)?;
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padding += 1;
                continue;
            }
            _ => return Ok(None),
        };
        if padding > 0 {
            return Ok(None);
        }
        (word, digits) = (word << 6 | u32::from(digit), digits + 1);
        if digits == 4 {
            out.extend_from_slice(&word.to_be_bytes()[1..]);
            (word, digits) = (0, 0);
        }
    }
    if (digits + padding) % 4 != 0 || digits == 1 {
        return Ok(None);
    }
    if digits > 0 {
        let whole = word << (6 * (4 - digits));
        out.extend_from_slice(&whole.to_be_bytes()[1..digits]);
    }
    Ok(Some(out))
}
