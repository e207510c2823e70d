//! A field's text as a value of its column.

use sql::plan::BulkColumn;
use types::collation::CodePage;
use types::collation::code_page::{self};
use types::{Datum, SqlResult, SqlType, TypeKind, sql_error};

use super::Asked;
use crate::kernel;

/// Why a row is left out.
pub enum Wrong {
    /// 4864
    Mismatch,
    /// 4863
    TooLong,
}

/// `page`: of the text; None: it is UTF-16. In text a NUL alone stands for an empty string.
pub fn of_text(
    bytes: &[u8],
    page: Option<CodePage>,
    column: &BulkColumn,
    asked: &mut dyn Asked,
) -> Result<Datum, Wrong> {
    let to = &column.ty;
    let empty = if page.is_some() { &b"\0"[..] } else { &b"\0\0"[..] };
    let bytes = if bytes == empty { &[] } else { bytes };
    let wide: Vec<u8> = match page {
        None if bytes.len() % 2 != 0 => return Err(Wrong::Mismatch),
        None => bytes.to_vec(),
        Some(page) if page == CodePage::UTF8 && std::str::from_utf8(bytes).is_err() => return Err(Wrong::Mismatch),
        Some(page) => {
            let mut wide = Vec::with_capacity(2 * bytes.len());
            code_page::decode(page, bytes, &mut wide);
            wide
        }
    };
    if to.is_binary() {
        return fitted(Datum::Bytes(hexadecimal(&wide).ok_or(Wrong::Mismatch)?.into()), to);
    }
    // Values of the types with methods stand in text as what they serialize to; a text of theirs is none of digits alone.
    if to.is_udt()
        && let Some(serialized) = hexadecimal(&wide)
    {
        return converted(Datum::Bytes(serialized.into()), &SqlType::VARBINARY_MAX, to, asked);
    }
    converted(Datum::Bytes(wide.into()), &SqlType::NVARCHAR_MAX.with_collation(to.collation), to, asked)
}

/// A value of another type as the column's.
pub fn converted(value: Datum, from: &SqlType, to: &SqlType, asked: &mut dyn Asked) -> Result<Datum, Wrong> {
    // Blanks are a string, and xml without elements, but no number and no moment.
    let takes_blanks = to.is_string() || to.kind == TypeKind::Xml;
    let blank = from.is_unicode_string() && !takes_blanks && value.as_bytes().chunks(2).all(|unit| unit == [b' ', 0]);
    if blank {
        return Err(Wrong::Mismatch);
    }
    let value = asked.convert(&value, from, to).map_err(|_| Wrong::Mismatch)?;
    fitted(value, to)
}

/// Blanks and zeros at the end may be too much.
pub fn fitted(value: Datum, to: &SqlType) -> Result<Datum, Wrong> {
    use TypeKind::*;
    if let Datum::Bytes(bytes) = &value
        && !to.is_max()
        && matches!(to.kind, Char | VarChar | NChar | NVarChar | Binary | VarBinary)
        && let Some(behind) = bytes.get(usize::from(to.length)..)
        && !kernel::only_blanks(to, behind)
    {
        return Err(Wrong::TooLong);
    }
    Ok(kernel::fit(value, to))
}

/// Of UTF-16 text: two digits a byte, 0x before them or not.
fn hexadecimal(wide: &[u8]) -> Option<Vec<u8>> {
    let mut digits = Vec::with_capacity(wide.len() / 2);
    for unit in wide.chunks_exact(2) {
        digits.push(if unit[1] == 0 { unit[0] } else { return None });
    }
    let digits = digits.strip_prefix(b"0x").or_else(|| digits.strip_prefix(b"0X")).unwrap_or(&digits);
    let value = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let mut chunks = digits.chunks_exact(2);
    let bytes = chunks.by_ref().map(|pair| Some(value(pair[0])? << 4 | value(pair[1])?)).collect::<Option<Vec<u8>>>();
    if chunks.remainder().is_empty() { bytes } else { None }
}

/// SINGLE_BLOB, SINGLE_CLOB, SINGLE_NCLOB. 4806, 4809: the file is Unicode, or is not.
pub fn whole(bytes: &[u8], ty: &SqlType) -> SqlResult<Datum> {
    if ty.is_unicode_string() {
        // "SINGLE_NCLOB": a mark says so.
        let text = bytes.strip_prefix(b"\xff\xfe").ok_or_else(|| sql_error!(4809))?;
        return Ok(Datum::bytes(&text[..text.len() / 2 * 2]));
    }
    if ty.is_string() && bytes.starts_with(b"\xff\xfe") {
        return Err(sql_error!(4806));
    }
    Ok(Datum::bytes(bytes))
}
