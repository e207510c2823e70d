//! Every type as text.

use super::{ConvertContext, NO_STYLE, error, from_text};
use crate::collation::code_page::{self, CodePage};
use crate::datetime::{LanguageId, format};
use crate::datum::{Datum, DatumRef};
use crate::decimal;
use crate::error::SqlResult;
use crate::pause::Pacer;
use crate::sql_error;
use crate::sql_type::{SqlType, TypeKind};
use crate::text;
use crate::variant;
use crate::xml;

/// To a character type.
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
    match (from.kind, value) {
        (Char | VarChar | Text | NChar | NVarChar | NText, DatumRef::Bytes(source)) => {
            from_text::recode(source, from, to, &mut bytes, pacer)?;
        }
        (Xml, DatumRef::Bytes(source)) => of_xml(source, to, style, &mut bytes, pacer)?,
        (Json, DatumRef::Bytes(source)) => of_json(source, to, &mut bytes, pacer)?,
        (Binary | VarBinary | Image | RowVersion, DatumRef::Bytes(source)) => match style {
            1 | 2 => {
                let mut digits = String::new();
                digits.push_str(if style == 1 { "0x" } else { "" });
                // Whole bytes alone are shown.
                let room = to.capacity().map_or(usize::MAX, |capacity| capacity.saturating_sub(digits.len()) / 2);
                let source = &source[..source.len().min(room)];
                pacer.chunks(source, |chunk| text::push_hex(chunk, &mut digits))?;
                push_encoded(&digits, to, &mut bytes, pacer)?;
            }
            NO_STYLE | 0 => {
                // The bytes are the characters.
                pacer.copy(source, &mut bytes)?;
                if to.is_unicode_string() && bytes.len() % 2 == 1 {
                    bytes.push(0);
                }
            }
            _ => return Err(error::style_not_supported(style, from, to)),
        },
        _ => {
            let mut digits = String::new();
            push_text_in(value, from, style, context.language, &mut digits).map_err(|error| match from.kind {
                // A style of what the type has not.
                Date | Time if format::is_style(style) && !matches!((from.kind, style), (Date, 14 | 114)) => {
                    error::data_type(from, to)
                }
                _ => error,
            })?;
            if let Some(capacity) = to.capacity()
                && digits.len() > capacity
            {
                digits = cut(digits, capacity, from, to)?;
            }
            push_encoded(&digits, to, &mut bytes, pacer)?;
        }
    }
    fit_bytes(&mut bytes, to, context.explicit);
    Ok(Datum::Bytes(bytes.into()))
}

/// An xml value as text that reads as the same value. 6354: there is no room for it; 6355: the code page lacks one of its characters.
fn of_xml(source: &[u8], to: &SqlType, style: i32, out: &mut Vec<u8>, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    let text = super::text_of_paced(source, &SqlType::NVARCHAR_MAX, pacer)?;
    let text = xml::kept_space(&text, style, pacer)?;
    push_encoded(&text, to, out, pacer)?;
    if !to.is_max() && out.len() > to.length as usize {
        return Err(sql_error!(6354));
    }
    if to.is_ansi_string() {
        let unknown = |text: &str| text.bytes().filter(|byte| *byte == b'?').count();
        if unknown(&super::text_of_paced(out, to, pacer)?) > unknown(&text) {
            return Err(sql_error!(6355));
        }
    }
    Ok(())
}

/// 13639: there is no room for it.
fn of_json(source: &[u8], to: &SqlType, out: &mut Vec<u8>, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    let text = super::text_of_paced(source, &SqlType::JSON, pacer)?;
    push_encoded(&text, to, out, pacer)?;
    if to.is_max() || out.len() <= usize::from(to.length) { Ok(()) } else { Err(sql_error!(13639)) }
}

/// What becomes of a value whose text is longer than its target.
fn cut(mut text: String, capacity: usize, from: &SqlType, to: &SqlType) -> SqlResult<String> {
    use TypeKind::*;
    match from.kind {
        // The oldest types show a star where the number has no room.
        TinyInt | SmallInt | Int | Bit if to.is_ansi_string() => Ok("*".to_owned()),
        SmallMoney | Money if to.is_ansi_string() => Err(error::money_space(to)),
        UniqueIdentifier => Err(error::uuid_space()),
        Bit | TinyInt | SmallInt | Int | BigInt => Err(error::overflow(to)),
        Date | Time | SmallDateTime | DateTime | DateTime2 | DateTimeOffset => {
            let end = text.char_indices().nth(capacity).map_or(text.len(), |(at, _)| at);
            text.truncate(end);
            Ok(text)
        }
        _ => Err(error::overflow_from(from, to)),
    }
}

/// Appends the text of a value that is neither text nor binary. `style`: money 0 to 2, float 0 to 3, dates as
/// `format` lists them; others have one form.
pub fn push_text(value: DatumRef<'_>, from: &SqlType, style: i32, out: &mut String) -> SqlResult<()> {
    push_text_in(value, from, style, LanguageId::US_ENGLISH, out)
}

fn push_text_in(
    value: DatumRef<'_>,
    from: &SqlType,
    style: i32,
    language: LanguageId,
    out: &mut String,
) -> SqlResult<()> {
    use TypeKind::*;
    match (from.kind, value) {
        (Bit | TinyInt | SmallInt | Int | BigInt, DatumRef::I64(value)) => push_integer(value, out),
        (SmallMoney | Money, DatumRef::I64(value)) => {
            let digits = if matches!(style, 2 | 126) { 4 } else { 2 };
            text::push_money(value, digits, style == 1, out);
        }
        (Decimal | Numeric, DatumRef::I128(value)) => decimal::push_text(value, from.scale, out),
        (Real | Float, DatumRef::F64(value)) => push_float(value, from.kind == Real, style, out),
        (Date | Time | SmallDateTime | DateTime | DateTime2 | DateTimeOffset, _) => {
            if matches!(style, 130 | 131) && from.kind != Time && !format::is_hijri(from, value) {
                return Err(sql_error!(9814));
            }
            format::push_text(from, value, style, language, out).ok_or_else(|| error::bad_style(style, from))?;
        }
        (UniqueIdentifier, DatumRef::I128(value)) => text::push_uuid(value, out),
        (_, other) => panic!("{other:?} of type {from} has no plain text"),
    }
    Ok(())
}

fn push_integer(value: i64, out: &mut String) {
    use std::fmt::Write;
    write!(out, "{value}").expect("a String takes any text");
}

fn push_float(value: f64, single: bool, style: i32, out: &mut String) {
    match style {
        1 => text::push_float_scientific(value, 7, out),
        2 => text::push_float_scientific(value, 15, out),
        // Enough digits that the same number is read back.
        3 => text::push_float_scientific(value, if single { 8 } else { 16 }, out),
        126 | 128 | 129 if single => text::push_float_scientific(value, 7, out),
        126 | 128 | 129 => text::push_float_scientific(value, 15, out),
        _ => text::push_float_short(value, 6, out),
    }
}

/// Appends any value as a client tool shows it: texts as they are, binary as 0x and digits, dates with their fraction.
pub fn push_display(value: DatumRef<'_>, ty: &SqlType, out: &mut String) {
    use TypeKind::*;
    match (ty.kind, value) {
        (_, DatumRef::Null) => out.push_str("NULL"),
        (Char | VarChar | Text | NChar | NVarChar | NText | Xml | Json, DatumRef::Bytes(bytes)) => {
            out.push_str(&super::text_of(bytes, ty));
        }
        (SqlVariant, DatumRef::Bytes(bytes)) => match variant::decode(bytes) {
            Some((inner, value)) => push_display(value.as_ref(), &inner, out),
            None => out.push('?'),
        },
        (_, DatumRef::Bytes(bytes)) => {
            out.push_str("0x");
            text::push_hex(bytes, out);
        }
        (DateTime, _) => {
            format::push_text(ty, value, 121, LanguageId::US_ENGLISH, out).expect("every date has style 121")
        }
        (SmallDateTime, _) => {
            format::push_text(ty, value, 120, LanguageId::US_ENGLISH, out).expect("every date has style 120")
        }
        (Money | SmallMoney, DatumRef::I64(value)) => text::push_money(value, 4, false, out),
        (Real, DatumRef::F64(value)) => out.push_str(&(value as f32).to_string()),
        (Float, DatumRef::F64(value)) => out.push_str(&value.to_string()),
        _ => push_text(value, ty, NO_STYLE, out).expect("the default style is every type's"),
    }
}

/// Appends a text in the encoding of a character type.
pub fn push_encoded(text: &str, to: &SqlType, out: &mut Vec<u8>, pacer: &mut Pacer<'_>) -> SqlResult<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(code_page::piece_end(Some(CodePage::UTF8), rest.as_bytes()));
        match text::code_page_of(to) {
            Some(code_page) => code_page::encode_str(code_page, piece, out),
            None => code_page::push_utf16(piece, out),
        }
        pacer.spend(piece.len())?;
        rest = behind;
    }
    Ok(())
}

/// Pads what is shorter than a fixed type; cuts what is longer than the type if `shorten`. Never between the bytes of
/// one character.
pub fn fit_bytes(bytes: &mut Vec<u8>, ty: &SqlType, shorten: bool) {
    use TypeKind::*;
    if ty.is_max() {
        return;
    }
    let length = ty.length as usize;
    if bytes.len() > length && shorten {
        let end = match ty.kind {
            Char | VarChar => code_page::floor_boundary(ty.collation.code_page(), bytes, length),
            _ => length,
        };
        bytes.truncate(end);
    }
    match ty.kind {
        Char if bytes.len() < length => bytes.resize(length, b' '),
        Binary | RowVersion if bytes.len() < length => bytes.resize(length, 0),
        NChar => {
            while bytes.len() < length {
                bytes.extend_from_slice(b" \0");
            }
        }
        _ => {}
    }
}
