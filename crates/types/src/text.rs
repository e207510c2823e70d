//! Text of values: what strings hold, and the small forms: uniqueidentifier, hexadecimal, numbers as CAST writes them.

use std::fmt::Write;

use crate::collation::code_page::{self, CodePage};
use crate::error::SqlResult;
use crate::pause::{Pacer, STRIDE};
use crate::sql_type::SqlType;

/// `\t` and its like, as the ends of fields and rows in files are written.
pub fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let meant = match (c, chars.peek()) {
            ('\\', Some('t')) => '\t',
            ('\\', Some('n')) => '\n',
            ('\\', Some('r')) => '\r',
            ('\\', Some('0')) => '\0',
            ('\\', Some('\\')) => '\\',
            _ => {
                out.push(c);
                continue;
            }
        };
        chars.next();
        out.push(meant);
    }
    out
}

/// A text value's characters as a `String`; lone surrogates become U+FFFD.
pub fn text_of(value: &[u8], ty: &SqlType) -> String {
    match code_page_of(ty) {
        Some(code_page) => code_page::decode_str(code_page, value),
        None => code_page::utf16_to_string(value),
    }
}

/// What its values' bytes are in. None: UTF-16LE.
pub fn code_page_of(ty: &SqlType) -> Option<CodePage> {
    match ty.is_json() {
        true => Some(CodePage::UTF8),
        false => ty.is_ansi_string().then(|| ty.collation.code_page()),
    }
}

/// `text_of` a value that may be long.
pub fn text_of_paced(value: &[u8], ty: &SqlType, pacer: &mut Pacer<'_>) -> SqlResult<String> {
    if value.len() <= STRIDE {
        return Ok(text_of(value, ty));
    }
    let code_page = code_page_of(ty);
    let mut text = String::with_capacity(value.len());
    let mut rest = value;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(code_page::piece_end(code_page, rest));
        text.push_str(&text_of(piece, ty));
        pacer.spend(piece.len())?;
        rest = behind;
    }
    Ok(text)
}

/// Appends 8-4-4-4-12 capital digits of a value that is the wire's 16 bytes, little-endian.
pub fn push_uuid(value: i128, out: &mut String) {
    let wire = value.to_le_bytes();
    // The first three groups are little-endian numbers on the wire.
    const ORDER: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    for (position, &index) in ORDER.iter().enumerate() {
        if matches!(position, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        push_hex(&wire[index..=index], out);
    }
}

/// A uniqueidentifier in a text of at least 36 characters, or 38 with braces; what follows is ignored, as SQL Server does.
pub fn parse_uuid(text: &[u8]) -> Option<i128> {
    let body = match text {
        [b'{', inner @ ..] if inner.get(36) == Some(&b'}') => &inner[..36],
        _ => text.get(..36)?,
    };
    let mut printed = [0; 16];
    let mut at = 0;
    for (position, byte) in printed.iter_mut().enumerate() {
        if matches!(position, 4 | 6 | 8 | 10) {
            if body[at] != b'-' {
                return None;
            }
            at += 1;
        }
        *byte = hex_digit(body[at])? << 4 | hex_digit(body[at + 1])?;
        at += 2;
    }
    printed[0..4].reverse();
    printed[4..6].reverse();
    printed[6..8].reverse();
    Some(i128::from_le_bytes(printed))
}

const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

/// Appends two capital digits a byte.
pub fn push_hex(bytes: &[u8], out: &mut String) {
    out.reserve(2 * bytes.len());
    for byte in bytes {
        out.push(DIGITS[(byte >> 4) as usize] as char);
        out.push(DIGITS[(byte & 15) as usize] as char);
    }
}

/// None: another character than a digit, or an odd count of them.
pub fn parse_hex(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) {
        return None;
    }
    text.chunks_exact(2).map(|pair| Some(hex_digit(pair[0])? << 4 | hex_digit(pair[1])?)).collect()
}

fn hex_digit(c: u8) -> Option<u8> {
    (c as char).to_digit(16).map(|digit| digit as u8)
}

/// Appends a money value: two digits after the point (`digits` 2) or four, thousands apart by commas or not.
pub fn push_money(value: i64, digits: u32, commas: bool, out: &mut String) {
    let cut = 10_u64.pow(4 - digits);
    let magnitude = (value.unsigned_abs() + cut / 2) / cut;
    let unit = 10_u64.pow(digits);
    if value < 0 && magnitude != 0 {
        out.push('-');
    }
    let whole = (magnitude / unit).to_string();
    for (index, digit) in whole.chars().enumerate() {
        if commas && index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    write!(out, ".{:0width$}", magnitude % unit, width = digits as usize).expect("a String takes any text");
}

/// Appends a float as C's `%g` with so many significant digits, with SQL Server's exponent of three digits.
pub fn push_float_short(value: f64, significant: usize, out: &mut String) {
    if value == 0.0 {
        out.push('0');
        return;
    }
    let scientific = format!("{:.*e}", significant - 1, value);
    let (mantissa, exponent) = scientific.split_once('e').expect("`{:e}` writes an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    if (-4..significant as i32).contains(&exponent) {
        let decimals = (significant as i32 - 1 - exponent).max(0) as usize;
        let text = format!("{value:.decimals$}");
        out.push_str(without_zeros(&text));
    } else {
        out.push_str(without_zeros(mantissa));
        push_exponent(exponent, out);
    }
}

/// Appends a float as `d.ddd...e+ddd` with so many digits after the point.
pub fn push_float_scientific(value: f64, decimals: usize, out: &mut String) {
    let scientific = format!("{value:.decimals$e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("`{:e}` writes an exponent");
    out.push_str(mantissa);
    push_exponent(exponent.parse().expect("an exponent is a number"), out);
}

fn push_exponent(exponent: i32, out: &mut String) {
    let sign = if exponent < 0 { '-' } else { '+' };
    write!(out, "e{sign}{:03}", exponent.abs()).expect("a String takes any text");
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}
