//! Text. Strings are bytes of a code page or UTF-16LE; a position counts bytes of the first, code units of the second.

use std::borrow::Cow;

use sql::function::FunctionId;
use types::collation::CodePage;
use types::like::LikePattern;
use types::pause::{CHARACTER, Pacer, STRIDE};
use types::search;
use types::{SqlError, SqlResult, SqlType, TypeKind, sql_error};
use types::{collation, convert};

use super::given;
use super::logic::decimal_length;
use crate::context::{Context, out_of_memory};
use crate::expression::general::{Call, Function};
use crate::kernel;
use crate::value::{Row, Value};

pub fn find(id: FunctionId) -> Option<Function> {
    use FunctionId::*;
    Some(match id {
        Ascii => ascii,
        Char | Nchar => char,
        Charindex => charindex,
        Concat => concat,
        ConcatWs => concat_ws,
        Difference => difference,
        Format => super::format::format,
        Left | Right => side,
        Len => len,
        Lower | Upper => case,
        Ltrim | Rtrim | Trim => trim,
        Patindex => patindex,
        Quotename => quotename,
        Replace => replace,
        Replicate => replicate,
        Reverse => reverse,
        Soundex => soundex,
        Space => space,
        Str => str,
        StringEscape => string_escape,
        Stuff => stuff,
        Substring => substring,
        Translate => translate,
        Unicode => unicode,
        Unistr => unistr,
        Datalength => datalength,
        _ => return None,
    })
}

/// Bytes of one position.
fn unit(ty: &SqlType) -> usize {
    if ty.is_unicode_string() { 2 } else { 1 }
}

fn blank(ty: &SqlType) -> &'static [u8] {
    if ty.is_unicode_string() { b" \0" } else { b" " }
}

/// `length` units from position `start` (from 1, may lie before the string).
fn slice(context: &Context, value: &[u8], unit: usize, start: i64, length: i64) -> SqlResult<Vec<u8>> {
    let count = (value.len() / unit) as i64;
    let end = start.saturating_add(length).clamp(1, count + 1);
    let start = start.clamp(1, end);
    copy(context, &value[(start as usize - 1) * unit..(end as usize - 1) * unit])
}

fn copy(context: &Context, bytes: &[u8]) -> SqlResult<Vec<u8>> {
    let mut out = Vec::new();
    context.pacer().copy(bytes, &mut out)?;
    Ok(out)
}

fn ascii<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let ty = call.arguments[0].ty;
    let value = given!(call.bytes(0, context, row));
    let byte = if ty.is_unicode_string() {
        // As the character is in the code page.
        let text = kernel::text(&ty, &value[..value.len().min(4)]);
        let narrow = SqlType::varchar(10).with_collation(ty.collation);
        text.chars().next().and_then(|c| match kernel::text_datum(&c.to_string(), &narrow) {
            types::Datum::Bytes(bytes) => bytes.first().copied(),
            _ => None,
        })
    } else {
        value.first().copied()
    };
    Ok(byte.map_or(Value::Null, |byte| Value::I64(byte as i64)))
}

fn unicode<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let ty = call.arguments[0].ty;
    let value = given!(call.bytes(0, context, row));
    let text = kernel::text(&ty, &value[..value.len().min(8)]);
    // Without supplementary characters a position is a UTF-16 unit.
    Ok(text.encode_utf16().next().map_or(Value::Null, |unit| Value::I64(unit as i64)))
}

/// Characters by their numbers: `\\xxxx` is a UTF-16 unit, `\\+xxxxxx` a code point; the escape sign twice is itself.
///
/// https://learn.microsoft.com/sql/t-sql/functions/unistr-transact-sql
fn unistr<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let text = given!(call.text(0, context, row));
    let sign = match call.arguments.len() {
        1 => '\\',
        _ => {
            let given = given!(call.text(1, context, row));
            let mut characters = given.chars();
            match (characters.next(), characters.next()) {
                (Some(sign), None) if !sign.is_ascii_hexdigit() && !matches!(sign, '+' | '\'' | '"' | ' ') => sign,
                _ => return Err(sql_error!(9803, "nvarchar")),
            }
        }
    };
    let pacer = &mut context.pacer();
    let mut out = Vec::with_capacity(2 * text.len());
    let mut push = |units: &[u16]| units.iter().for_each(|unit| out.extend_from_slice(&unit.to_le_bytes()));
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        pacer.spend(CHARACTER)?;
        rest = &rest[c.len_utf8()..];
        if c != sign {
            push(c.encode_utf16(&mut [0; 2]));
            continue;
        }
        if let Some(behind) = rest.strip_prefix(sign) {
            push(sign.encode_utf16(&mut [0; 2]));
            rest = behind;
            continue;
        }
        let (digits, count) = rest.strip_prefix('+').map_or((rest, 4), |digits| (digits, 6));
        let number = digits.get(..count).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let number = number.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match number {
            Some(unit) if count == 4 => push(&[unit as u16]),
            Some(point) if std::char::from_u32(point).is_some() => {
                let point = std::char::from_u32(point).expect("just seen");
                push(point.encode_utf16(&mut [0; 2]));
            }
            _ => return Err(sql_error!(9803, "nvarchar")),
        }
        rest = &digits[count..];
    }
    if call.ty.is_unicode_string() {
        return Ok(call.result_bytes(out));
    }
    call.long_text(&types::convert::text_of_paced(&out, &SqlType::NVARCHAR_MAX, pacer)?, context)
}

fn char<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let code = given!(call.i64(0, context, row));
    Ok(match call.id {
        FunctionId::Char if (0..=255).contains(&code) => Value::owned(vec![code as u8]),
        FunctionId::Nchar if (0..=0xffff).contains(&code) => Value::owned((code as u16).to_le_bytes().to_vec()),
        _ => Value::Null,
    })
}

fn charindex<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let pattern = given!(call.bytes(0, context, row));
    let value = given!(call.bytes(1, context, row));
    let start = match call.arguments.len() {
        3 => given!(call.i64(2, context, row)).max(1),
        _ => 1,
    };
    let ty = call.arguments[1].ty;
    let unit = unit(&ty);
    let from = (start - 1).saturating_mul(unit as i64).min(value.len() as i64) as usize;
    let found = search::find(&collation::comparer(&ty), &value, &pattern, from, &mut context.pacer())?;
    Ok(Value::I64(found.map_or(0, |found| (found.start / unit) as i64 + 1)))
}

fn patindex<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let pattern = given!(call.bytes(0, context, row));
    let value = given!(call.bytes(1, context, row));
    let ty = call.arguments[1].ty;
    let unit = unit(&ty);
    let pacer = &mut context.pacer();
    let found = LikePattern::new(&ty, &pattern, None, pacer)?.find(&value, pacer)?;
    Ok(Value::I64(found.map_or(0, |at| (at / unit) as i64 + 1)))
}

fn concat<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let mut joined = Vec::new();
    for argument in &call.arguments {
        if let Some(part) = argument.value(context, row)?.bytes() {
            context.pacer().copy(&part, &mut joined)?;
        }
        bounded(joined.len())?;
    }
    Ok(call.result_bytes(joined))
}

fn bounded(bytes: usize) -> SqlResult<()> {
    if bytes > kernel::VALUE_BYTES_MAX { Err(out_of_memory()) } else { Ok(()) }
}

fn concat_ws<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let separator = call.bytes(0, context, row)?.unwrap_or_default();
    let mut joined = Vec::new();
    let mut first = true;
    for argument in &call.arguments[1..] {
        if let Some(part) = argument.value(context, row)?.bytes() {
            if !std::mem::take(&mut first) {
                context.pacer().copy(&separator, &mut joined)?;
            }
            context.pacer().copy(&part, &mut joined)?;
        }
        bounded(joined.len())?;
    }
    Ok(call.result_bytes(joined))
}

fn side<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.bytes(0, context, row));
    let count = given!(call.i64(1, context, row));
    let left = call.id == FunctionId::Left;
    if count < 0 {
        let name = if left { "left" } else { "right" };
        return Err(invalid_length(name));
    }
    let unit = unit(&call.arguments[0].ty);
    let length = (value.len() / unit) as i64;
    let start = if left { 1 } else { (length - count).max(0) + 1 };
    Ok(call.result_bytes(slice(context, &value, unit, start, count)?))
}

#[cold]
fn invalid_length(function: &str) -> SqlError {
    if function.eq_ignore_ascii_case("right") {
        return sql_error!(536, state 4, "right");
    }
    sql_error!(537, state 2)
}

fn substring<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.bytes(0, context, row));
    let start = given!(call.i64(1, context, row));
    let length = match call.arguments.len() {
        2 => i64::MAX,
        _ => given!(call.i64(2, context, row)),
    };
    if length < 0 {
        return Err(sql_error!(537, state 2));
    }
    Ok(call.result_bytes(slice(context, &value, unit(&call.arguments[0].ty), start, length)?))
}

fn len<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.bytes(0, context, row));
    let ty = call.arguments[0].ty;
    let (unit, blank) = (unit(&ty), blank(&ty));
    let mut length = value.len();
    let pacer = &mut context.pacer();
    if !ty.is_binary() {
        while length >= unit && value[length - unit..length] == *blank {
            length -= unit;
            pacer.spend(unit)?;
        }
    }
    Ok(Value::I64((length / unit) as i64))
}

fn datalength<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let ty = call.arguments[0].ty;
    Ok(match call.value(0, context, row)? {
        Value::Null => Value::Null,
        Value::Bytes(bytes) if ty.kind == TypeKind::SqlVariant => {
            let inner = types::variant::decode(&bytes);
            inner.map_or(Value::Null, |(ty, value)| match value {
                types::Datum::Bytes(bytes) => Value::I64(bytes.len() as i64),
                types::Datum::I128(value) if ty.is_decimal() => Value::I64(decimal_length(value)),
                _ => Value::I64(ty.length as i64),
            })
        }
        Value::Bytes(bytes) => Value::I64(bytes.len() as i64),
        // As the value is stored alone: its sign, and as many words as it needs.
        Value::I128(value) if ty.is_decimal() => Value::I64(decimal_length(value)),
        _ => Value::I64(ty.length as i64),
    })
}

fn case<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.bytes(0, context, row));
    let ty = call.arguments[0].ty;
    let upper = call.id == FunctionId::Upper;
    let pacer = &mut context.pacer();
    if !ty.is_unicode_string() && value.is_ascii() {
        let mut mapped = match value {
            Cow::Owned(own) => own,
            Cow::Borrowed(bytes) => copy(context, bytes)?,
        };
        for chunk in mapped.chunks_mut(STRIDE) {
            if upper {
                chunk.make_ascii_uppercase()
            } else {
                chunk.make_ascii_lowercase()
            }
            pacer.spend(chunk.len())?;
        }
        return Ok(Value::owned(mapped));
    }
    let map = if upper { collation::letters::to_upper } else { collation::letters::to_lower };
    if ty.is_unicode_string() {
        let mut mapped = Vec::with_capacity(value.len());
        for pair in value.chunks_exact(2) {
            pacer.spend(CHARACTER)?;
            mapped.extend(map(u16::from_le_bytes([pair[0], pair[1]])).to_le_bytes());
        }
        return Ok(Value::owned(mapped));
    }
    let mut text = Vec::with_capacity(value.len());
    for unit in convert::text_of_paced(&value, &ty, pacer)?.encode_utf16() {
        pacer.spend(CHARACTER)?;
        text.extend(map(unit).to_le_bytes());
    }
    let text = convert::text_of_paced(&text, &SqlType::NVARCHAR_MAX, pacer)?;
    call.long_text(&text, context)
}

fn trim<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.bytes(0, context, row));
    let ty = call.arguments[0].ty;
    let unit = unit(&ty);
    let set: Cow<'_, [u8]> = match call.arguments.len() {
        2 => given!(call.bytes(1, context, row)),
        _ => blank(&ty).into(),
    };
    let pacer = &mut context.pacer();
    let mut in_set = |piece: &[u8]| {
        for member in set.chunks_exact(unit) {
            pacer.spend(unit)?;
            if member == piece {
                return Ok(true);
            }
        }
        SqlResult::Ok(false)
    };
    let (mut start, mut end) = (0, value.len() / unit * unit);
    if call.id != FunctionId::Rtrim {
        while start < end && in_set(&value[start..start + unit])? {
            start += unit;
        }
    }
    if call.id != FunctionId::Ltrim {
        while end > start && in_set(&value[end - unit..end])? {
            end -= unit;
        }
    }
    Ok(Value::owned(copy(context, &value[start..end])?))
}

fn quotename<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let name = given!(call.text(0, context, row));
    let quote = match call.arguments.len() {
        2 => given!(call.text(1, context, row)),
        _ => "[".to_owned(),
    };
    let (open, close) = match quote.chars().next() {
        Some('[' | ']') | None => ('[', ']'),
        Some('(' | ')') => ('(', ')'),
        Some('<' | '>') => ('<', '>'),
        Some('{' | '}') => ('{', '}'),
        Some(c @ ('\'' | '"' | '`')) => (c, c),
        Some(_) => return Ok(Value::Null),
    };
    if name.chars().nth(128).is_some() {
        return Ok(Value::Null);
    }
    let doubled: String = name.chars().flat_map(|c| std::iter::repeat_n(c, 1 + (c == close) as usize)).collect();
    Ok(call.result_text(&format!("{open}{doubled}{close}")))
}

fn replace<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.bytes(0, context, row));
    let pattern = given!(call.bytes(1, context, row));
    let with = given!(call.bytes(2, context, row));
    let ty = call.arguments[0].ty;
    let comparer = collation::comparer(&ty);
    let pacer = &mut context.pacer();
    let mut next = search::find(&comparer, &value, &pattern, 0, pacer)?;
    if next.is_none() {
        return Ok(Value::Bytes(value));
    }
    let mut out = Vec::with_capacity(value.len() + (4 * with.len()).min(STRIDE));
    let mut at = 0;
    while let Some(found) = next {
        pacer.copy(&value[at..found.start], &mut out)?;
        pacer.copy(&with, &mut out)?;
        at = found.end;
        bounded(out.len())?;
        next = search::find(&comparer, &value, &pattern, at, pacer)?;
    }
    pacer.copy(&value[at..], &mut out)?;
    Ok(call.result_bytes(out))
}

fn replicate<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.bytes(0, context, row));
    let count = given!(call.i64(1, context, row));
    if count < 0 {
        return Ok(Value::Null);
    }
    let limit = if call.ty.is_max() { kernel::VALUE_BYTES_MAX } else { 8000 };
    let fits = if value.is_empty() { 0 } else { (limit / value.len()) as i64 };
    // Of a string that is not (max) what fits 8,000 bytes is kept; a (max) one is refused.
    if count > fits && call.ty.is_max() && !value.is_empty() {
        return Err(out_of_memory());
    }
    let length = value.len() * count.min(fits) as usize;
    let mut out = Vec::with_capacity(length);
    let pacer = &mut context.pacer();
    // What is there already is appended again: a blank at a time would take its time.
    pacer.copy(&value[..value.len().min(length)], &mut out)?;
    while out.len() < length {
        if value.len() > STRIDE {
            pacer.copy(&value[..value.len().min(length - out.len())], &mut out)?;
            continue;
        }
        let more = (length - out.len()).min(out.len()).min(STRIDE / value.len() * value.len());
        out.extend_from_within(..more);
        pacer.spend(more)?;
    }
    if count > fits && !value.is_empty() {
        let unit = unit(&call.ty);
        out.extend_from_slice(&value[..(limit - out.len()) / unit * unit]);
    }
    Ok(call.result_bytes(out))
}

fn reverse<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.bytes(0, context, row));
    let unit = unit(&call.arguments[0].ty);
    let mut out = Vec::with_capacity(value.len());
    let pacer = &mut context.pacer();
    for piece in value[..value.len() / unit * unit].rchunks_exact(unit) {
        pacer.spend(unit)?;
        out.extend_from_slice(piece);
    }
    Ok(Value::owned(out))
}

/// SQL Server's: a letter and three digits; equal neighbours once, H and W do not part them.
/// The first letter and three digits of what sounds in a text of the code page. What is no letter ends it; vowels and letters beyond ASCII part
/// digits that are the same, and so do `h` and `w`, but not `H` and `W`. DIFFERENCE has codes of its own (`old`): nothing is passed over, and the
/// first letter's digit counts like any other.
fn soundex_of(bytes: &[u8], code_page: CodePage, old: bool, pacer: &mut Pacer<'_>) -> SqlResult<[u8; 4]> {
    let code = |c: u8| match c.to_ascii_uppercase() {
        b'B' | b'F' | b'P' | b'V' => b'1',
        b'C' | b'G' | b'J' | b'K' | b'Q' | b'S' | b'X' | b'Z' => b'2',
        b'D' | b'T' => b'3',
        b'L' => b'4',
        b'M' | b'N' => b'5',
        b'R' => b'6',
        _ => b'0',
    };
    let is_letter = |c: &u8| {
        c.is_ascii_alphabetic() || code_page == CodePage::LATIN1 && matches!(c, 0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0xff)
    };
    let mut out = *b"0000";
    let mut letters = bytes.iter().copied().take_while(is_letter);
    let Some(first) = letters.next() else { return Ok(out) };
    out[0] = match first {
        // Latin-1's small letters, of which one has its capital elsewhere.
        0xff => 0x9f,
        0xe0..=0xfe => first - 0x20,
        _ => first.to_ascii_uppercase(),
    };
    let mut last = if old { b'0' } else { code(first) };
    let mut at = 1;
    for c in letters {
        pacer.spend(1)?;
        let digit = code(c);
        if digit != b'0' && digit != last {
            out[at] = digit;
            at += 1;
            if at == 4 {
                break;
            }
        }
        if old || !matches!(c, b'H' | b'W') {
            last = digit;
        }
    }
    Ok(out)
}

/// The argument at `at` as bytes in its collation's code page.
fn narrow(call: &Call, at: usize, context: &Context, row: Row<'_>) -> SqlResult<Option<(Vec<u8>, CodePage)>> {
    let Some(text) = call.text(at, context, row)? else { return Ok(None) };
    let code_page = call.arguments[at].ty.collation.code_page();
    let mut bytes = Vec::new();
    types::collation::code_page::encode_str(code_page, &text, &mut bytes);
    Ok(Some((bytes, code_page)))
}

/// https://learn.microsoft.com/sql/t-sql/functions/soundex-transact-sql
fn soundex<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let (bytes, code_page) = given!(narrow(call, 0, context, row));
    Ok(Value::owned(soundex_of(&bytes, code_page, false, &mut context.pacer())?.to_vec()))
}

fn difference<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let (left, code_page) = given!(narrow(call, 0, context, row));
    let left = soundex_of(&left, code_page, true, &mut context.pacer())?;
    let (right, code_page) = given!(narrow(call, 1, context, row));
    let right = soundex_of(&right, code_page, true, &mut context.pacer())?;
    Ok(Value::I64(left.iter().zip(&right).filter(|(a, b)| a == b).count() as i64))
}

fn space<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let count = given!(call.i64(0, context, row));
    if count < 0 {
        return Ok(Value::Null);
    }
    Ok(Value::owned(vec![b' '; count.min(8000) as usize]))
}

fn str<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.f64(0, context, row));
    let length = if call.arguments.len() > 1 { given!(call.i64(1, context, row)) } else { 10 };
    let decimals = if call.arguments.len() > 2 { given!(call.i64(2, context, row)) } else { 0 };
    if !(1..=8000).contains(&length) || decimals < 0 {
        return Ok(Value::Null);
    }
    let length = length as usize;
    let whole = format!("{:.0}", value.trunc().abs()).len() + (value < 0.0) as usize;
    // Decimals give way before the number does.
    let room = length.saturating_sub(whole + 1);
    let decimals = (decimals as usize).min(16).min(room);
    let text = round_half_away(value, decimals);
    Ok(if text.len() > length {
        Value::owned(vec![b'*'; length])
    } else {
        Value::owned(format!("{text:>length$}").into_bytes())
    })
}

/// `format!` rounds the exact binary value half to even; STR rounds away from zero what prints as a half.
fn round_half_away(value: f64, decimals: usize) -> String {
    let power = 10_f64.powi(decimals as i32);
    let scaled = value * power;
    if scaled.abs() < 9e15 { format!("{:.decimals$}", scaled.round() / power) } else { format!("{value:.decimals$}") }
}

fn string_escape<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let kind = call.text(1, context, row)?.ok_or_else(|| sql_error!(8116, state 8, "NULL", 2, "string_escape"))?;
    let text = given!(call.text(0, context, row));
    if !kind.trim_end_matches(' ').eq_ignore_ascii_case("json") {
        return Err(sql_error!(13629, 2));
    }
    let mut out = String::new();
    super::json::escape_paced(&text, &mut out, &mut context.pacer())?;
    call.long_text(&out, context)
}

fn stuff<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.bytes(0, context, row));
    let start = given!(call.i64(1, context, row));
    let length = given!(call.i64(2, context, row));
    let with = call.bytes(3, context, row)?.unwrap_or_default();
    let unit = unit(&call.arguments[0].ty);
    let count = (value.len() / unit) as i64;
    if start < 1 || start > count || length < 0 {
        return Ok(Value::Null);
    }
    let from = (start as usize - 1) * unit;
    let to = (start - 1).saturating_add(length).min(count) as usize * unit;
    let mut out = copy(context, &value[..from])?;
    context.pacer().copy(&with, &mut out)?;
    context.pacer().copy(&value[to..], &mut out)?;
    bounded(out.len())?;
    Ok(call.result_bytes(out))
}

fn translate<'a>(call: &'a Call, context: &'a Context, row: Row<'a>) -> SqlResult<Value<'a>> {
    let value = given!(call.bytes(0, context, row));
    let from = given!(call.bytes(1, context, row));
    let to = given!(call.bytes(2, context, row));
    if from.len() != to.len() {
        return Err(sql_error!(9828));
    }
    let ty = call.arguments[0].ty;
    let (unit, comparer) = (unit(&ty), collation::comparer(&ty));
    let mut out = Vec::with_capacity(value.len());
    let pacer = &mut context.pacer();
    for piece in value.chunks_exact(unit) {
        let mut place = None;
        for (at, other) in from.chunks_exact(unit).enumerate() {
            pacer.spend(CHARACTER)?;
            if other == piece || comparer.equal(other, piece) {
                place = Some(at);
                break;
            }
        }
        out.extend_from_slice(place.map_or(piece, |at| &to[at * unit..(at + 1) * unit]));
    }
    Ok(Value::owned(out))
}
