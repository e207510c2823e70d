//! Values as sqlcmd prints them, and how wide their columns are.

use tds::date_text;
use types::collation::code_page;
use types::{Datum, SqlType, TypeKind, decimal};

/// Appends the text of a value. NULL is `NULL`.
pub fn push_value(sql_type: SqlType, value: &Datum, out: &mut String) {
    match value {
        Datum::Null => out.push_str("NULL"),
        Datum::I64(number) => push_i64(sql_type, *number, out),
        Datum::F64(number) => push_float(*number, if sql_type.kind == TypeKind::Real { 8 } else { 17 }, out),
        Datum::I128(number) => match sql_type.kind {
            TypeKind::UniqueIdentifier => push_guid(*number, out),
            TypeKind::DateTimeOffset => out.push_str(&date_text::format(sql_type, *number)),
            _ => push_decimal(*number, sql_type.scale, out),
        },
        Datum::Bytes(bytes) => push_bytes(sql_type, bytes, out),
    }
}

fn push_i64(sql_type: SqlType, number: i64, out: &mut String) {
    match sql_type.kind {
        TypeKind::Money | TypeKind::SmallMoney => push_decimal(number.into(), 4, out),
        _ if sql_type.is_temporal() => out.push_str(&date_text::format(sql_type, number.into())),
        _ => out.push_str(&number.to_string()),
    }
}

/// As ODBC does: no zero before the point.
fn push_decimal(number: i128, scale: u8, out: &mut String) {
    let start = out.len();
    decimal::push_text(number, scale, out);
    let first = start + usize::from(out.as_bytes()[start] == b'-');
    if scale > 0 && out[first..].starts_with("0.") {
        out.remove(first);
    }
}

/// `digits` significant digits, as C's `%g` picks between the two forms.
fn push_float(number: f64, digits: usize, out: &mut String) {
    if number == 0.0 {
        return out.push_str("0.0");
    }
    let scientific = format!("{number:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').expect("formatted with an exponent");
    let exponent: i32 = exponent.parse().expect("our own number");
    let trim = |text: &str| {
        let text = text.trim_end_matches('0');
        if text.ends_with('.') { format!("{text}0") } else { text.to_owned() }
    };
    if (-5..digits as i32).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(1) as usize;
        out.push_str(&trim(&format!("{number:.decimals$}")));
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        out.push_str(&format!("{}E{sign}{:02}", trim(mantissa), exponent.abs()));
    }
}

/// The first three groups are little-endian numbers, the rest bytes in order.
fn push_guid(number: i128, out: &mut String) {
    let bytes = number.to_le_bytes();
    for (i, at) in [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].into_iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        push_hex(bytes[at], out);
    }
}

fn push_hex(byte: u8, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push(DIGITS[usize::from(byte >> 4)].into());
    out.push(DIGITS[usize::from(byte & 15)].into());
}

fn push_bytes(sql_type: SqlType, bytes: &[u8], out: &mut String) {
    match sql_type.kind {
        TypeKind::SqlVariant => match tds::variant::decode(bytes) {
            Ok((inner, value)) => push_value(inner, &value, out),
            Err(_) => out.push('?'),
        },
        TypeKind::Xml => out.push_str(&tds::wire::utf16_to_string(bytes)),
        _ if sql_type.is_unicode_string() => out.push_str(&tds::wire::utf16_to_string(bytes)),
        _ if sql_type.is_ansi_string() => {
            out.push_str(&code_page::decode_str(sql_type.collation.code_page(), bytes));
        }
        _ => {
            out.push_str("0x");
            bytes.iter().for_each(|byte| push_hex(*byte, out));
        }
    }
}

/// Characters that a column of the type takes. `fixed_max` bounds char(n) and the like (0: no bound), `large_max`
/// those without a length of their own (0: no bound, and then no padding: width 0).
pub fn display_width(sql_type: SqlType, fixed_max: usize, large_max: usize) -> usize {
    use TypeKind::*;
    let bounded = |width: usize| if fixed_max == 0 { width } else { width.min(fixed_max) };
    let length = usize::from(sql_type.length);
    match sql_type.kind {
        Bit | TinyInt => 3,
        SmallInt => 6,
        Int => 11,
        BigInt => 20,
        SmallMoney => 12,
        Money => 21,
        Real => 14,
        Float => 24,
        Decimal | Numeric => usize::from(sql_type.precision) + 2,
        Date => 16,
        SmallDateTime => 19,
        DateTime => 23,
        Time => 22,
        DateTime2 => 38,
        DateTimeOffset => 45,
        UniqueIdentifier => 36,
        SqlVariant | Xml | Text | NText | Image | Json => large_max,
        HierarchyId => bounded(2 + 2 * length),
        Geometry | Geography => large_max,
        _ if sql_type.is_max() => large_max,
        Char | VarChar => bounded(length),
        NChar | NVarChar => bounded(length / 2),
        Binary | VarBinary | RowVersion => bounded(2 + 2 * length),
    }
}

pub fn is_right_aligned(sql_type: SqlType) -> bool {
    use TypeKind::*;
    sql_type.is_integer() || sql_type.is_decimal() || matches!(sql_type.kind, Bit | Money | SmallMoney | Real | Float)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(sql_type: SqlType, value: Datum) -> String {
        let mut out = String::new();
        push_value(sql_type, &value, &mut out);
        out
    }

    #[test]
    fn values_as_sqlcmd_prints_them() {
        let cases = [
            (SqlType::INT, Datum::I64(-5), "-5"),
            (SqlType::INT, Datum::Null, "NULL"),
            (SqlType::MONEY, Datum::I64(12_345), "1.2345"),
            (SqlType::MONEY, Datum::I64(-5), "-.0005"),
            (SqlType::decimal(5, 2), Datum::I128(50), ".50"),
            (SqlType::decimal(5, 0), Datum::I128(0), "0"),
            (SqlType::FLOAT, Datum::F64(0.1), "0.10000000000000001"),
            (SqlType::FLOAT, Datum::F64(1.5), "1.5"),
            (SqlType::FLOAT, Datum::F64(-3.0), "-3.0"),
            (SqlType::FLOAT, Datum::F64(1e20), "1.0E+20"),
            (SqlType::FLOAT, Datum::F64(1.25e-7), "1.2499999999999999E-07"),
            (SqlType::FLOAT, Datum::F64(0.0), "0.0"),
            (SqlType::REAL, Datum::F64(f64::from(0.1f32)), "0.1"),
            (SqlType::DATE, Datum::I64(738_885), "2024-01-01"),
            (SqlType::varchar(5), Datum::bytes(b"caf\xE9"), "café"),
            (SqlType::nvarchar(5), Datum::nvarchar("naïve"), "naïve"),
            (SqlType::varbinary(5), Datum::bytes(&[0, 0xAB]), "0x00AB"),
            (
                SqlType::UNIQUEIDENTIFIER,
                Datum::I128(0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100),
                "03020100-0504-0706-0809-0A0B0C0D0E0F",
            ),
        ];
        for (sql_type, value, expected) in cases {
            assert_eq!(text(sql_type, value), expected);
        }
        let variant = tds::variant::encode(SqlType::INT, &Datum::I64(7)).expect("an int fits");
        assert_eq!(text(SqlType::SQL_VARIANT, Datum::bytes(&variant)), "7");
    }
}
