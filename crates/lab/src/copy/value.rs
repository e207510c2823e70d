//! Values as a file's text has them, and back. What cannot be told from something else, or would be changed, is refused with a reason.

use tds::date_text;
use types::collation::code_page;
use types::convert::{self, ConvertContext, NO_STYLE};
use types::{Datum, SqlType, TypeKind, decimal, text};

/// No style of a conversion asks of the reader's language; a number that would lose digits is refused.
const CONTEXT: ConvertContext = ConvertContext { round_abort: true, ..ConvertContext::ASSIGN };
const UNPAIRED: &str = "half of a surrogate pair, which text in files has no place for (format native has)";

/// Of a value that is not NULL. Err: it has no text that would be read back as the same.
pub fn push_text(sql_type: SqlType, value: &Datum, out: &mut String) -> Result<(), String> {
    use TypeKind::*;
    match (sql_type.kind, value) {
        (SqlVariant, _) => return Err("sql_variant keeps its types in format native alone".into()),
        (Money | SmallMoney, Datum::I64(number)) => decimal::push_text((*number).into(), 4, out),
        (_, Datum::I64(number)) if sql_type.is_temporal() => {
            out.push_str(&date_text::format(sql_type, (*number).into()));
        }
        (_, Datum::I64(number)) => out.push_str(&number.to_string()),
        // The shortest text that is read back as the same number.
        (Real, Datum::F64(number)) => out.push_str(&format!("{:?}", *number as f32)),
        (_, Datum::F64(number)) => out.push_str(&format!("{number:?}")),
        (UniqueIdentifier, Datum::I128(number)) => text::push_uuid(*number, out),
        (DateTimeOffset, Datum::I128(number)) => out.push_str(&date_text::format(sql_type, *number)),
        (_, Datum::I128(number)) => decimal::push_text(*number, sql_type.scale, out),
        (_, Datum::Bytes(bytes)) if is_utf16(sql_type) => push_units(bytes, out)?,
        (_, Datum::Bytes(bytes)) if sql_type.is_ansi_string() => {
            out.push_str(&code_page::decode_str(sql_type.collation.code_page(), bytes));
        }
        (_, Datum::Bytes(bytes)) => text::push_hex(bytes, out),
        (_, Datum::Null) => {}
    }
    Ok(())
}

pub fn is_utf16(sql_type: SqlType) -> bool {
    sql_type.is_unicode_string() || sql_type.kind == TypeKind::Xml
}

fn push_units(bytes: &[u8], out: &mut String) -> Result<(), String> {
    let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    for character in char::decode_utf16(units) {
        out.push(character.map_err(|_| UNPAIRED)?);
    }
    Ok(())
}

/// A file's text as a value of the type.
pub fn of_text(given: &str, to: SqlType) -> Result<Datum, String> {
    if to.kind == TypeKind::SqlVariant {
        return Err("sql_variant keeps its types in format native alone".into());
    }
    if is_utf16(to) {
        return fitted(Datum::nvarchar(given), to);
    }
    if to.is_ansi_string() {
        let page = to.collation.code_page();
        let mut bytes = Vec::new();
        code_page::encode_str(page, given, &mut bytes);
        if code_page::decode_str(page, &bytes) != given {
            return Err(format!("'{}' has a character that is not in code page {}", shown(given), page.0));
        }
        return fitted(Datum::bytes(&bytes), to);
    }
    if to.is_binary() || to.is_udt() {
        let digits = given.strip_prefix("0x").or_else(|| given.strip_prefix("0X")).unwrap_or(given);
        let bytes = text::parse_hex(digits.as_bytes());
        let bytes = bytes.ok_or_else(|| format!("'{}' is no hexadecimal text", shown(given)))?;
        return fitted(Datum::bytes(&bytes), to);
    }
    // T-SQL takes blanks for 0 and for 1900-01-01.
    if given.trim().is_empty() {
        return Err(format!("'{}' is no {to}", shown(given)));
    }
    if to.is_decimal() {
        return exact_decimal(given, to);
    }
    if matches!(to.kind, TypeKind::Money | TypeKind::SmallMoney) {
        exact_decimal(given, SqlType::decimal(38, 4)).map_err(|_| format!("'{}' is no {to}", shown(given)))?;
    }
    convert::convert(&Datum::nvarchar(given), &SqlType::NVARCHAR_MAX, &to, NO_STYLE, &CONTEXT)
        .map_err(|error| format!("'{}' is no {to}: {}", shown(given), error.text))
}

/// CAST would round it.
fn exact_decimal(given: &str, to: SqlType) -> Result<Datum, String> {
    let told = |why: &str| format!("'{}' is no {to}: {why}", shown(given));
    let (number, _, scale) =
        decimal::parse(given.trim().as_bytes()).map_err(|_| told("it is no number, or one of too many digits"))?;
    if decimal::loses_digits(number, scale, to.scale) {
        return Err(told("it has more digits behind the point"));
    }
    let number = decimal::rescale(number, scale, to.scale).filter(|number| decimal::fits(*number, to.precision));
    number.map(Datum::I128).ok_or_else(|| told("it is too large"))
}

/// A value of one type, as a file has it, as one of another, without loss: no number becomes a date, and no bytes become a number.
pub fn converted(value: Datum, from: SqlType, to: SqlType) -> Result<Datum, String> {
    use TypeKind::*;
    if to.kind == SqlVariant {
        return Err("sql_variant keeps its types in format native alone".into());
    }
    let mut given = String::new();
    if is_utf16(from) || to.is_string() {
        push_text(from, &value, &mut given)?;
        return of_text(&given, to);
    }
    if from.is_binary() && (to.is_binary() || to.is_udt()) {
        return fitted(value, to);
    }
    if from.kind == to.kind && from.scale == to.scale && from.precision == to.precision {
        return Ok(value);
    }
    let loses = from.is_binary()
        || match (&value, to.kind) {
            (Datum::I64(0 | 1), Bit) => false,
            (_, Bit | Binary | VarBinary | Image | RowVersion) => true,
            (_, Time) => from.kind != Time,
            (Datum::F64(number), TinyInt | SmallInt | Int | BigInt) => number.fract() != 0.0,
            (Datum::I64(ticks), Date) => from.kind == DateTime2 && ticks % TICKS_PER_DAY != 0,
            (Datum::I128(number), TinyInt | SmallInt | Int | BigInt) => decimal::loses_digits(*number, from.scale, 0),
            _ => to.is_temporal() && !from.is_temporal(),
        };
    let told = |why: &str| {
        let mut given = String::new();
        let _ = push_text(from, &value, &mut given);
        format!("{} is no {to}{why}", shown(&given))
    };
    if loses || !convert::implicit_allowed(&from, &to) {
        return Err(told(""));
    }
    convert::convert(&value, &from, &to, NO_STYLE, &CONTEXT).map_err(|error| told(&format!(": {}", error.text)))
}

const TICKS_PER_DAY: i64 = 864_000_000_000;

/// Cut by nothing but blanks and zeros, and padded.
pub fn fitted(value: Datum, to: SqlType) -> Result<Datum, String> {
    if convert::is_too_long(&value, &to) {
        return Err(format!("too long for {to}: {} bytes", value.as_bytes().len()));
    }
    Ok(convert::fit(value, &to))
}

/// A text in a message.
pub fn shown(text: &str) -> String {
    const CHARACTERS_MAX: usize = 60;
    let mut shown: String = text.chars().take(CHARACTERS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(CHARACTERS_MAX).is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_as_the_value_it_was() {
        let cases = [
            (SqlType::BIT, Datum::I64(1), "1"),
            (SqlType::BIGINT, Datum::I64(i64::MIN), "-9223372036854775808"),
            (SqlType::MONEY, Datum::I64(-5), "-0.0005"),
            (SqlType::MONEY, Datum::I64(i64::MAX), "922337203685477.5807"),
            (SqlType::decimal(38, 10), Datum::I128(-12_345), "-0.0000012345"),
            (SqlType::FLOAT, Datum::F64(0.1 + 0.2), "0.30000000000000004"),
            (SqlType::FLOAT, Datum::F64(-1e-300), "-1e-300"),
            (SqlType::FLOAT, Datum::F64(f64::MAX), "1.7976931348623157e308"),
            (SqlType::REAL, Datum::F64(f64::from(0.1_f32)), "0.1"),
            (SqlType::DATE, Datum::I64(0), "0001-01-01"),
            (SqlType::DATETIME, Datum::I64(25_919_999), "1900-01-01 23:59:59.997"),
            (SqlType::DATETIME, Datum::I64(-53_690 * 25_920_000 + 1), "1753-01-01 00:00:00.003"),
            (SqlType::SMALLDATETIME, Datum::I64(61), "1900-01-01 01:01:00"),
            (SqlType::time(7), Datum::I64(1), "00:00:00.0000001"),
            (SqlType::datetime2(7), Datum::I64(3_652_059 * TICKS_PER_DAY - 1), "9999-12-31 23:59:59.9999999"),
            (SqlType::varbinary(4), Datum::bytes(&[0, 0xab]), "00AB"),
            (SqlType::varbinary(4), Datum::bytes(&[]), ""),
            (SqlType::nvarchar(9), Datum::nvarchar(" a\u{1f600}\n"), " a\u{1f600}\n"),
            (SqlType::varchar(9), Datum::bytes(b"caf\xE9 "), "caf\u{e9} "),
            (SqlType::char(3), Datum::bytes(b"a  "), "a  "),
        ];
        for (sql_type, value, expected) in cases {
            let mut text = String::new();
            push_text(sql_type, &value, &mut text).expect("it has a text");
            assert_eq!(text, expected, "{sql_type}");
            assert_eq!(of_text(&text, sql_type).expect("read back"), value, "{sql_type}");
        }
    }

    #[test]
    fn what_would_be_changed_is_refused() {
        for (text, to) in [
            ("", SqlType::INT),
            (" ", SqlType::DATE),
            ("1.5", SqlType::INT),
            ("2147483648", SqlType::INT),
            ("1.239", SqlType::decimal(5, 2)),
            ("1.00001", SqlType::MONEY),
            ("1e2", SqlType::MONEY),
            ("1000", SqlType::decimal(5, 2)),
            ("x", SqlType::decimal(5, 2)),
            ("2024-02-30", SqlType::DATE),
            ("abcd", SqlType::varchar(3)),
            ("\u{3a9}", SqlType::varchar(3)),
            ("0a0", SqlType::varbinary(3)),
            ("0x01020304", SqlType::varbinary(3)),
            ("1", SqlType::SQL_VARIANT),
        ] {
            of_text(text, to).expect_err(text);
        }
        assert_eq!(of_text("ab ", SqlType::varchar(2)), Ok(Datum::bytes(b"ab")), "a blank may be cut");
        assert!(converted(Datum::F64(1.5), SqlType::FLOAT, SqlType::INT).is_err());
        assert_eq!(converted(Datum::F64(2.0), SqlType::FLOAT, SqlType::INT), Ok(Datum::I64(2)));
        assert!(converted(Datum::I64(2), SqlType::INT, SqlType::BIT).is_err());
        assert!(converted(Datum::I64(300), SqlType::INT, SqlType::TINYINT).is_err());
        assert!(converted(Datum::I64(1), SqlType::datetime2(7), SqlType::DATE).is_err());
        assert!(converted(Datum::I128(15), SqlType::decimal(3, 1), SqlType::INT).is_err());
        assert!(converted(Datum::bytes(&[1]), SqlType::VARBINARY_MAX, SqlType::INT).is_err());
        let mut half = String::new();
        assert!(push_text(SqlType::nvarchar(1), &Datum::bytes(&[0, 0xd8]), &mut half).is_err());
    }
}
