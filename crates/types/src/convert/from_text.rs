//! Text to numbers, dates and uniqueidentifiers.

use std::borrow::Cow;

use super::{ConvertContext, error, text_of};
use crate::collation::code_page;
use crate::datetime::parse::{self, Form, ParseError, Rules};
use crate::datum::Datum;
use crate::decimal::{self, ParseError as DecimalError};
use crate::error::{SqlError, SqlResult};
use crate::pause::{Pacer, STRIDE};
use crate::sql_error;
use crate::sql_type::{SqlType, TypeKind};
use crate::text;

/// The text's characters for parsers of ASCII: a character beyond it is no digit, whichever it is.
fn ascii<'t>(bytes: &'t [u8], from: &SqlType) -> Cow<'t, [u8]> {
    if from.is_ansi_string() {
        return Cow::Borrowed(bytes);
    }
    let narrow = bytes.chunks_exact(2).map(|unit| if unit[1] == 0 && unit[0] < 0x80 { unit[0] } else { 0xff });
    Cow::Owned(narrow.collect())
}

/// What is read as one value, of a text that may be long: without the blanks around it if it is. None: nothing so long is a value.
fn piece<'t>(bytes: &'t [u8], from: &SqlType, pacer: &mut Pacer<'_>) -> SqlResult<Option<&'t [u8]>> {
    if bytes.len() <= STRIDE {
        return Ok(Some(bytes));
    }
    let unit = if from.is_ansi_string() { 1 } else { 2 };
    let is_blank = |unit: &&[u8]| unit[0].is_ascii_whitespace() && unit[1..].iter().all(|byte| *byte == 0);
    let mut rest = bytes;
    while rest.chunks_exact(unit).next().as_ref().is_some_and(is_blank) {
        rest = &rest[unit..];
        pacer.spend(unit)?;
    }
    while rest.rchunks_exact(unit).next().as_ref().is_some_and(is_blank) {
        rest = &rest[..rest.len() - unit];
        pacer.spend(unit)?;
    }
    Ok(Some(rest).filter(|rest| rest.len() <= STRIDE))
}

pub fn to_number(bytes: &[u8], from: &SqlType, to: &SqlType, pacer: &mut Pacer<'_>) -> SqlResult<Datum> {
    use TypeKind::*;
    let Some(bytes) = piece(bytes, from, pacer)? else { return Err(no_number(&bytes[..STRIDE], from, to)) };
    let plain = ascii(bytes, from);
    let trimmed = trim(&plain);
    match to.kind {
        TinyInt | SmallInt | Int | BigInt => to_integer(trimmed, bytes, from, to),
        Bit => to_bit(trimmed).ok_or_else(|| error::conversion_failed(&text_of(bytes, from), from, to)),
        // Behind an amount, tabs and line ends do not count either.
        SmallMoney | Money => to_money(trimmed.trim_ascii_end(), to),
        Decimal | Numeric if trimmed.trim_ascii().len() < trimmed.len() => Err(error::data_type(from, to)),
        Decimal | Numeric => match decimal::parse(trimmed) {
            Ok((value, _, scale)) => decimal::rescale(value, scale, to.scale)
                .filter(|&value| decimal::fits(value, to.precision))
                .map(Datum::I128)
                .ok_or_else(|| error::overflow_from(from, to)),
            Err(DecimalError::Overflow) => Err(error::overflow_from(from, to)),
            Err(DecimalError::Syntax) => Err(error::data_type(from, to)),
        },
        _ => {
            // Before a float neither.
            let number = trimmed.trim_ascii_start();
            let value = parse_float(number).filter(|_| number.is_empty() == trimmed.is_empty());
            let value = value.ok_or_else(|| error::data_type(from, to))?;
            let value = if to.kind == Real { (value as f32) as f64 } else { value };
            if value.is_finite() { Ok(Datum::F64(value)) } else { Err(error::overflow(to)) }
        }
    }
}

/// As each type says it of what has no digits.
#[cold]
fn no_number(bytes: &[u8], from: &SqlType, to: &SqlType) -> SqlError {
    use TypeKind::*;
    match to.kind {
        Bit | TinyInt | SmallInt | Int => error::conversion_failed(&text_of(bytes, from), from, to),
        SmallMoney | Money => error::money_syntax(to),
        _ => error::data_type(from, to),
    }
}

/// Blanks around a number do not count; tabs and line ends do.
fn trim(text: &[u8]) -> &[u8] {
    let start = text.iter().take_while(|byte| **byte == b' ').count();
    let end = text.iter().rev().take_while(|byte| **byte == b' ').count();
    &text[start..text.len().max(start + end) - end]
}

fn to_integer(text: &[u8], original: &[u8], from: &SqlType, to: &SqlType) -> SqlResult<Datum> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest.trim_ascii_start()),
        [b'+', rest @ ..] => (false, rest.trim_ascii_start()),
        _ => (false, text),
    };
    // A sign alone is zero.
    if !digits.iter().all(u8::is_ascii_digit) {
        // bigint came later and has the newer message.
        if to.kind == TypeKind::BigInt {
            return Err(error::data_type(from, to));
        }
        return Err(error::conversion_failed(&text_of(original, from), from, to));
    }
    let mut value = 0_i64;
    for digit in digits {
        let digit = (digit - b'0') as i64;
        let next = value.checked_mul(10).and_then(|value| value.checked_add(if negative { -digit } else { digit }));
        value = next.ok_or_else(|| error::text_overflow(&text_of(original, from), from, to))?;
    }
    let (low, high) = super::integer_range(to.kind);
    if (low..=high).contains(&value) {
        Ok(Datum::I64(value))
    } else {
        Err(error::text_overflow(&text_of(original, from), from, to))
    }
}

fn to_bit(text: &[u8]) -> Option<Datum> {
    if text.eq_ignore_ascii_case(b"true") {
        return Some(Datum::I64(1));
    }
    if text.eq_ignore_ascii_case(b"false") {
        return Some(Datum::I64(0));
    }
    let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    if !digits.iter().all(u8::is_ascii_digit) || digits.is_empty() && !text.is_empty() {
        return None;
    }
    Some(Datum::I64(digits.iter().any(|&digit| digit != b'0') as i64))
}

/// `$1,234.50`: a currency sign and commas anywhere between digits; an empty text is zero.
fn to_money(text: &[u8], to: &SqlType) -> SqlResult<Datum> {
    let syntax = || error::money_syntax(to);
    let mut rest = text;
    let mut negative = false;
    let mut currency = false;
    loop {
        match rest {
            [b'-', tail @ ..] if !negative => (negative, rest) = (true, tail),
            [b'+' | b' ', tail @ ..] => rest = tail,
            // Any sign beyond ASCII stands for a currency here: the pound and euro signs of every code page.
            [b'$' | 0x80.., tail @ ..] if !currency => (currency, rest) = (true, tail),
            _ => break,
        }
    }
    let mut digits = Vec::with_capacity(rest.len());
    let mut point = false;
    for &c in rest {
        match c {
            b',' if !point => {}
            b'0'..=b'9' => digits.push(c),
            b'.' if !point => {
                point = true;
                digits.push(c);
            }
            _ => return Err(syntax()),
        }
    }
    if digits.is_empty() || digits == b"." {
        return Ok(Datum::I64(0));
    }
    let overflow = || error::overflow(to);
    let (value, _, scale) = decimal::parse(&digits).map_err(|error| match error {
        DecimalError::Overflow => overflow(),
        DecimalError::Syntax => syntax(),
    })?;
    let value = decimal::rescale(value, scale, 4).ok_or_else(overflow)?;
    let value = i64::try_from(if negative { -value } else { value }).map_err(|_| overflow())?;
    let (low, high) = super::integer_range(to.kind);
    if (low..=high).contains(&value) { Ok(Datum::I64(value)) } else { Err(overflow()) }
}

/// Digits with an optional point and exponent; an empty text is zero.
fn parse_float(text: &[u8]) -> Option<f64> {
    if text.is_empty() {
        return Some(0.0);
    }
    // An exponent may be told by a D, too.
    let own = text.to_ascii_lowercase().into_iter().map(|c| if c == b'd' { b'e' } else { c }).collect::<Vec<u8>>();
    let allowed = |c: &u8| c.is_ascii_digit() || matches!(c, b'.' | b'e' | b'+' | b'-');
    // `parse` would also take `inf` and `nan`.
    if !own.iter().all(allowed) {
        return None;
    }
    std::str::from_utf8(&own).ok()?.parse().ok()
}

/// The value that a text says, in the order that the style or SET DATEFORMAT asks for.
pub fn to_moment(
    bytes: &[u8],
    from: &SqlType,
    to: &SqlType,
    style: i32,
    context: &ConvertContext,
    pacer: &mut Pacer<'_>,
) -> SqlResult<Datum> {
    let Some(bytes) = piece(bytes, from, pacer)? else { return Err(error::date_syntax()) };
    let old = matches!(to.kind, TypeKind::DateTime | TypeKind::SmallDateTime);
    let rules = if old { Rules::Old } else { Rules::New };
    let form = Form::of_style(style, context.date_format, rules);
    let form = form.ok_or_else(|| error::style_not_supported(style, from, to))?;
    let text = text_of(bytes, from);
    let moment = parse::parse(&text, &form, context.language, rules).map_err(|error| match error {
        ParseError::Style => sql_error!(9807, state 0, style),
        ParseError::Range if old => error::moment_out_of_range(from, to),
        _ if to.kind == TypeKind::SmallDateTime => sql_error!(295, state 3),
        _ => error::date_syntax(),
    })?;
    moment.to(to).ok_or_else(|| match to.kind {
        TypeKind::DateTimeOffset => sql_error!(8114, state 31, from.name(), to.name()),
        _ if old => error::moment_out_of_range(from, to),
        _ => error::date_syntax(),
    })
}

pub fn to_uuid(bytes: &[u8], from: &SqlType, pacer: &mut Pacer<'_>) -> SqlResult<Datum> {
    // What stands behind it does not count.
    let bytes = piece(bytes, from, pacer)?.unwrap_or_else(|| &bytes[..STRIDE]);
    let plain = ascii(bytes, from);
    text::parse_uuid(trim(&plain)).map(Datum::I128).ok_or_else(error::uuid_syntax)
}

/// Text of one encoding as bytes of another.
pub fn recode(bytes: &[u8], from: &SqlType, to: &SqlType, out: &mut Vec<u8>, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    let code_page = from.is_ansi_string().then(|| from.collation.code_page());
    let mut rest = bytes;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(code_page::piece_end(code_page, rest));
        recode_piece(piece, from, to, out);
        pacer.spend(piece.len())?;
        rest = behind;
    }
    Ok(())
}

fn recode_piece(bytes: &[u8], from: &SqlType, to: &SqlType, out: &mut Vec<u8>) {
    match (from.is_ansi_string(), to.is_ansi_string()) {
        (true, false) => code_page::decode(from.collation.code_page(), bytes, out),
        (false, true) => code_page::encode(to.collation.code_page(), bytes, out),
        (true, true) if from.collation.code_page() != to.collation.code_page() && !bytes.is_ascii() => {
            let mut wide = Vec::new();
            code_page::decode(from.collation.code_page(), bytes, &mut wide);
            code_page::encode(to.collation.code_page(), &wide, out);
        }
        _ => out.extend_from_slice(bytes),
    }
}
