//! Conversions: values, texts and errors of every pair of types.

use proptest::prelude::*;
use types::convert::{self, ConvertContext, NO_STYLE, convert, is_too_long};
use types::precedence::can_convert;
use types::{Datum, SqlType, TypeKind};

use crate::values;

fn ty(name: &str) -> SqlType {
    SqlType::parse_name(name).unwrap_or_else(|| panic!("no type {name}"))
}

/// A text of a type, made from a plain varchar.
fn value(text: &str, ty: &SqlType) -> Datum {
    let source = SqlType::VARCHAR_MAX;
    let text = values::text_datum(&source, text);
    match ty.kind {
        TypeKind::Binary | TypeKind::VarBinary => convert(&text, &source, ty, 1, &ConvertContext::CAST),
        _ => convert(&text, &source, ty, NO_STYLE, &ConvertContext::CAST),
    }
    .unwrap_or_else(|error| panic!("{error}"))
}

fn shown(value: &Datum, ty: &SqlType) -> String {
    let mut out = String::new();
    match ty.kind {
        TypeKind::Binary | TypeKind::VarBinary => convert::push_display(value.as_ref(), ty, &mut out),
        _ => {
            let text = convert(value, ty, &SqlType::VARCHAR_MAX, NO_STYLE, &ConvertContext::CAST).unwrap();
            return convert::text_of(text.as_bytes(), &SqlType::VARCHAR_MAX);
        }
    }
    out
}

/// CONVERT(to, CAST(text AS from), style): the result as text, or the error's number.
fn run(text: &str, from: &str, to: &str, style: i32) -> Result<String, i32> {
    let (from, to) = (ty(from), ty(to));
    let source = value(text, &from);
    convert(&source, &from, &to, style, &ConvertContext::CAST)
        .map(|result| shown(&result, &to))
        .map_err(|error| error.number)
}

#[test]
fn casts() {
    // value, its type, target, result as text or error
    let cases: &[(&str, &str, &str, Result<&str, i32>)] = &[
        // text to numbers
        (" 42 ", "varchar(10)", "int", Ok("42")),
        ("-2147483648", "varchar(20)", "int", Ok("-2147483648")),
        ("2147483648", "varchar(20)", "int", Err(248)),
        ("", "varchar(10)", "int", Ok("0")),
        ("-", "varchar(10)", "int", Ok("0")),
        ("1.5", "varchar(10)", "int", Err(245)),
        ("1e3", "nvarchar(10)", "int", Err(245)),
        ("256", "varchar(10)", "tinyint", Err(244)),
        ("-1", "varchar(10)", "tinyint", Err(244)),
        ("40000", "varchar(10)", "smallint", Err(244)),
        ("x", "varchar(10)", "bigint", Err(8114)),
        ("9223372036854775808", "varchar(30)", "bigint", Err(8115)),
        ("TRUE", "varchar(10)", "bit", Ok("1")),
        ("yes", "varchar(10)", "bit", Err(245)),
        ("5", "varchar(10)", "bit", Ok("1")),
        ("1234.565", "varchar(10)", "decimal(6,2)", Ok("1234.57")),
        ("12345", "varchar(10)", "decimal(6,2)", Err(8115)),
        ("1e2", "varchar(10)", "decimal(6,2)", Err(8114)),
        ("", "varchar(10)", "decimal(6,2)", Err(8114)),
        ("$1,234.5", "varchar(10)", "money", Ok("1234.50")),
        ("-$1", "varchar(10)", "money", Ok("-1.00")),
        ("", "varchar(10)", "money", Ok("0.00")),
        ("abc", "varchar(10)", "money", Err(235)),
        ("abc", "varchar(10)", "smallmoney", Err(293)),
        ("1.5e3", "varchar(10)", "float", Ok("1500")),
        ("inf", "varchar(10)", "float", Err(8114)),
        ("1e400", "varchar(10)", "float", Err(8115)),
        // numbers to numbers
        ("300", "int", "tinyint", Err(220)),
        ("-1", "smallint", "tinyint", Err(220)),
        ("70000", "int", "smallint", Err(220)),
        ("3000000000", "bigint", "int", Err(8115)),
        ("2.99", "float", "int", Ok("2")),
        ("-2.99", "float", "int", Ok("-2")),
        ("1e10", "float", "int", Err(232)),
        ("1e19", "float", "bigint", Err(232)),
        ("2.99", "decimal(5,2)", "int", Ok("2")),
        ("2.5", "money", "int", Ok("3")),
        ("1234567890123", "decimal(20,0)", "int", Err(8115)),
        ("1000", "int", "decimal(3,0)", Err(8115)),
        ("0.1", "float", "decimal(20,18)", Ok("0.100000000000000006")),
        ("12.345678", "decimal(10,6)", "money", Ok("12.35")),
        ("0.5", "float", "bit", Ok("1")),
        ("1e300", "float", "real", Err(8115)),
        ("922337203685478", "decimal(20,0)", "money", Err(8115)),
        // numbers to text
        ("12345", "int", "varchar(3)", Ok("*")),
        ("12345", "int", "nvarchar(3)", Err(8115)),
        ("12345", "bigint", "varchar(3)", Err(8115)),
        ("123.45", "decimal(5,2)", "varchar(4)", Err(8115)),
        ("-0.05", "decimal(5,2)", "varchar(10)", Ok("-0.05")),
        ("1234567", "float", "varchar(20)", Ok("1.23457e+006")),
        ("123456", "float", "varchar(20)", Ok("123456")),
        ("0.0001", "float", "varchar(20)", Ok("0.0001")),
        ("0.00001234", "float", "varchar(20)", Ok("1.234e-005")),
        ("0.1", "real", "varchar(20)", Ok("0.1")),
        ("1234.5678", "money", "varchar(20)", Ok("1234.57")),
        ("1234.5678", "money", "varchar(3)", Err(234)),
        ("1", "bit", "char(3)", Ok("1  ")),
        // text to text and binary
        ("caf\u{e9}", "varchar(10)", "nvarchar(3)", Ok("caf")),
        ("abcdef", "varchar(10)", "char(3)", Ok("abc")),
        ("ab", "varchar(10)", "nchar(4)", Ok("ab  ")),
        ("AB", "varchar(10)", "varbinary(5)", Ok("0x4142")),
        ("AB", "nvarchar(10)", "varbinary(5)", Ok("0x41004200")),
        ("AB", "varchar(10)", "binary(4)", Ok("0x41420000")),
        // binary and numbers
        ("258", "int", "varbinary(8)", Ok("0x00000102")),
        ("258", "int", "binary(2)", Ok("0x0102")),
        ("258", "int", "binary(6)", Ok("0x000000000102")),
        ("1.5", "decimal(2,1)", "varbinary(20)", Ok("0x020100010F000000")),
        ("0x0102", "varbinary(8)", "int", Ok("258")),
        ("0xFFFFFFFFFF", "varbinary(8)", "int", Ok("-1")),
        ("0x020100010F000000", "varbinary(20)", "decimal(5,2)", Ok("1.50")),
        ("0x4142", "varbinary(8)", "varchar(5)", Ok("AB")),
        ("1", "float", "varbinary(8)", Ok("0x3FF0000000000000")),
        ("1900-01-02 00:00:01", "datetime", "varbinary(8)", Ok("0x000000010000012C")),
        ("0x000000010000012C", "varbinary(8)", "datetime", Ok("Jan  2 1900 12:00AM")),
        // uniqueidentifier
        (
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
            "varchar(40)",
            "uniqueidentifier",
            Ok("6F9619FF-8B86-D011-B42D-00C04FC964FF"),
        ),
        (
            "{6f9619ff-8b86-d011-b42d-00c04fc964ff}",
            "nvarchar(40)",
            "uniqueidentifier",
            Ok("6F9619FF-8B86-D011-B42D-00C04FC964FF"),
        ),
        (
            "6F9619FF-8B86-D011-B42D-00C04FC964FF",
            "uniqueidentifier",
            "varbinary(16)",
            Ok("0xFF19966F868B11D0B42D00C04FC964FF"),
        ),
        ("6F9619FF-8B86-D011-B42D-00C04FC964FF", "uniqueidentifier", "varchar(10)", Err(8170)),
        ("6F9619FF", "varchar(40)", "uniqueidentifier", Err(8169)),
        // dates
        ("2024-02-29 13:05:06.123", "datetime", "varchar(30)", Ok("Feb 29 2024  1:05PM")),
        ("2024-02-29 13:05:06.1234567", "datetime2(7)", "varchar(30)", Ok("2024-02-29 13:05:06.1234567")),
        ("2024-02-29 13:05:06.1234567", "datetime2(7)", "datetime2(3)", Ok("2024-02-29 13:05:06.123")),
        ("2024-02-29 23:59:59.9999999", "datetime2(7)", "datetime2(0)", Ok("2024-03-01 00:00:00")),
        ("9999-12-31 23:59:59.9999999", "datetime2(7)", "datetime2(0)", Ok("9999-12-31 23:59:59")),
        ("1000-01-01", "datetime2(7)", "datetime", Err(242)),
        ("2024-02-30", "varchar(20)", "datetime", Err(242)),
        ("2024-02-30", "varchar(20)", "datetime2(7)", Err(241)),
        ("no date", "varchar(20)", "datetime", Err(241)),
        ("2024-02-29 10:00:00 +02:00", "varchar(40)", "datetimeoffset(0)", Ok("2024-02-29 10:00:00 +02:00")),
        ("2024-02-29 10:00:00 +02:00", "datetimeoffset(0)", "datetime2(0)", Ok("2024-02-29 10:00:00")),
        ("2024-02-29 10:00:29.999", "datetime", "smalldatetime", Ok("Feb 29 2024 10:01AM")),
        ("2024-02-29 10:00:29.998", "datetime", "smalldatetime", Ok("Feb 29 2024 10:00AM")),
        ("2080-01-01", "datetime", "smalldatetime", Err(242)),
        ("10:11:12.5", "time(1)", "datetime", Ok("Jan  1 1900 10:11AM")),
        ("1.5", "decimal(5,2)", "datetime", Ok("Jan  2 1900 12:00PM")),
        ("3000000", "int", "datetime", Err(8115)),
        ("1900-01-02 13:00", "datetime", "int", Ok("2")),
        ("1900-01-02 12:00", "datetime", "float", Ok("1.5")),
        ("2024-02-29", "date", "datetime", Ok("Feb 29 2024 12:00AM")),
        ("2024-02-29 10:00", "datetime", "varchar(3)", Ok("Feb")),
        // variant
        ("42", "int", "sql_variant", Ok("42")),
    ];
    for (text, from, to, expected) in cases {
        assert_eq!(
            run(text, from, to, NO_STYLE).as_deref(),
            expected.as_ref().map(|text| *text),
            "{text} {from} -> {to}"
        );
    }
}

#[test]
fn styles() {
    let moment = "2024-03-05 14:07:09.123";
    let cases: &[(&str, &str, i32, Result<&str, i32>)] = &[
        (moment, "datetime", 0, Ok("Mar  5 2024  2:07PM")),
        (moment, "datetime", 1, Ok("03/05/24")),
        (moment, "datetime", 101, Ok("03/05/2024")),
        (moment, "datetime", 2, Ok("24.03.05")),
        (moment, "datetime", 102, Ok("2024.03.05")),
        (moment, "datetime", 103, Ok("05/03/2024")),
        (moment, "datetime", 104, Ok("05.03.2024")),
        (moment, "datetime", 105, Ok("05-03-2024")),
        (moment, "datetime", 106, Ok("05 Mar 2024")),
        (moment, "datetime", 107, Ok("Mar 05, 2024")),
        (moment, "datetime", 108, Ok("14:07:09")),
        (moment, "datetime", 109, Ok("Mar  5 2024  2:07:09:123PM")),
        (moment, "datetime", 110, Ok("03-05-2024")),
        (moment, "datetime", 111, Ok("2024/03/05")),
        (moment, "datetime", 112, Ok("20240305")),
        (moment, "datetime", 12, Ok("240305")),
        (moment, "datetime", 113, Ok("05 Mar 2024 14:07:09:123")),
        (moment, "datetime", 114, Ok("14:07:09:123")),
        (moment, "datetime", 120, Ok("2024-03-05 14:07:09")),
        (moment, "datetime", 121, Ok("2024-03-05 14:07:09.123")),
        (moment, "datetime", 22, Ok("03/05/24  2:07:09 PM")),
        (moment, "datetime", 23, Ok("2024-03-05")),
        (moment, "datetime", 126, Ok("2024-03-05T14:07:09.123")),
        ("2024-03-05", "datetime", 126, Ok("2024-03-05T00:00:00")),
        ("2024-03-05 14:07:09.1234567 +02:00", "datetimeoffset(7)", 127, Ok("2024-03-05T12:07:09.1234567Z")),
        ("2024-03-05 14:07:09.1234567 +02:00", "datetimeoffset(7)", 126, Ok("2024-03-05T14:07:09.1234567+02:00")),
        ("2024-03-05 14:07:09 -08:30", "datetimeoffset(0)", 120, Ok("2024-03-05 14:07:09 -08:30")),
        ("2024-03-05 14:07:09.1234567", "datetime2(7)", 109, Ok("Mar  5 2024  2:07:09.1234567PM")),
        (moment, "datetime", 131, Ok("25/08/1445  2:07:09:123PM")),
        (moment, "datetime", 99, Err(281)),
        ("2024-03-05", "date", 108, Err(8114)),
        ("14:07", "time(0)", 101, Err(8114)),
        ("14:07", "time(0)", 100, Ok("2:07PM")),
        ("2024-03-05", "date", 100, Ok("Mar  5 2024")),
        ("1234567.891", "money", 1, Ok("1,234,567.89")),
        ("1234567.8912", "money", 2, Ok("1234567.8912")),
        ("-1234.5", "money", 1, Ok("-1,234.50")),
        ("1234567.891", "float", 1, Ok("1.2345679e+006")),
        ("1234567.891", "float", 2, Ok("1.234567891000000e+006")),
        ("0.1", "float", 3, Ok("1.0000000000000001e-001")),
        ("0x01AB", "varbinary(4)", 1, Ok("0x01AB")),
        ("0x01AB", "varbinary(4)", 2, Ok("01AB")),
    ];
    for (text, from, style, expected) in cases {
        assert_eq!(
            run(text, from, "varchar(40)", *style).as_deref(),
            expected.as_ref().map(|text| *text),
            "{text} {from} {style}"
        );
    }
    assert_eq!(run("13/01/2020", "varchar(20)", "date", 103).as_deref(), Ok("2020-01-13"));
    assert_eq!(run("13/01/2020", "varchar(20)", "date", 101), Err(241));
    assert_eq!(run("01AB", "varchar(20)", "varbinary(4)", 2).as_deref(), Ok("0x01AB"));
    assert_eq!(run("01AB", "varchar(20)", "varbinary(4)", 1), Err(8114));
    assert_eq!(run("0x1", "varchar(20)", "varbinary(4)", 1), Err(8114));
}

#[test]
fn errors_have_their_words() {
    let cases = [
        ("abc", "varchar(10)", "int", "Conversion failed when converting the varchar value 'abc' to data type int."),
        ("abc", "nvarchar(10)", "decimal(5,2)", "Error converting data type nvarchar to numeric."),
        (
            "99999999999",
            "varchar(20)",
            "int",
            "The conversion of the varchar value '99999999999' overflowed an int column.",
        ),
        (
            "300",
            "varchar(20)",
            "tinyint",
            "The conversion of the varchar value '300' overflowed an INT1 column. Use a larger integer column.",
        ),
        ("300", "int", "tinyint", "Arithmetic overflow error for data type tinyint, value = 300."),
        ("1e10", "float", "int", "Arithmetic overflow error for type int, value = 10000000000.000000."),
        ("1000", "int", "decimal(2,0)", "Arithmetic overflow error converting int to data type numeric."),
        ("x", "varchar(9)", "datetime", "Conversion failed when converting date and/or time from character string."),
        (
            "20201301",
            "nvarchar(9)",
            "datetime",
            "The conversion of a nvarchar data type to a datetime data type resulted in an out-of-range value.",
        ),
    ];
    for (text, from, to, expected) in cases {
        let (from, to) = (ty(from), ty(to));
        let error = convert(&value(text, &from), &from, &to, NO_STYLE, &ConvertContext::CAST).unwrap_err();
        assert_eq!(error.text, expected);
    }
}

#[test]
fn assignments_keep_what_is_too_long() {
    let (from, to) = (SqlType::varchar(10), SqlType::varchar(3));
    let long = values::text_datum(&from, "abcdef");
    let kept = convert(&long, &from, &to, NO_STYLE, &ConvertContext::ASSIGN).unwrap();
    assert!(is_too_long(&kept, &to));
    assert_eq!(convert::fit(kept, &to), Datum::bytes(b"abc"));
    assert!(!is_too_long(&Datum::bytes(b"abc   "), &to));
    assert!(is_too_long(&Datum::nvarchar("abcd"), &SqlType::nvarchar(3)));
    // A character of several bytes is never cut in two.
    let utf8 =
        SqlType::varchar(4).with_collation(types::collation::lookup("Latin1_General_100_CI_AS_SC_UTF8").unwrap());
    assert_eq!(convert::text_datum("ab\u{20ac}", &utf8), Datum::bytes(b"ab"));
    let japanese = SqlType::varchar(4).with_collation(types::collation::lookup("Japanese_CI_AS").unwrap());
    assert_eq!(convert::text_datum("a\u{65e5}\u{672c}", &japanese), Datum::bytes(b"a\x93\xfa"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn any_value_converts_or_is_refused((from, datum) in values::typed(), (to, _) in values::typed(), style in -1..135) {
        if can_convert(&from, &to)
            && let Ok(result) = convert(&datum, &from, &to, style, &ConvertContext::CAST)
        {
            prop_assert!(!is_too_long(&result, &to));
            prop_assert_eq!(result.is_null(), datum.is_null());
        }
    }

    #[test]
    fn any_text_parses_or_is_refused(text in "[0-9a-zA-Z:+./, \\-$eTZ]{0,25}", (to, _) in values::typed(), style in -1..135) {
        let from = SqlType::varchar(100);
        let _ = convert(&values::text_datum(&from, &text), &from, &to, style, &ConvertContext::CAST);
    }

    #[test]
    fn text_forms_are_read_back((from, datum) in values::typed()) {
        use TypeKind::*;
        let style = match from.kind {
            DateTime => 121,
            SmallDateTime => 120,
            Money | SmallMoney => 2,
            Float | Real => 3,
            Binary | VarBinary | RowVersion => 1,
            _ => NO_STYLE,
        };
        let wide = SqlType::NVARCHAR_MAX;
        let context = ConvertContext { date_format: types::datetime::DateFormat::Ymd, ..ConvertContext::CAST };
        let text = convert(&datum, &from, &wide, style, &context).unwrap();
        let back_style = if style == 1 { 1 } else { NO_STYLE };
        let back = convert(&text, &wide, &from, back_style, &context).unwrap();
        prop_assert_eq!(types::compare::compare(&back, &datum, &from), std::cmp::Ordering::Equal, "{:?}", text);
    }

    #[test]
    fn binary_forms_are_read_back((from, datum) in values::typed()) {
        use TypeKind::*;
        if matches!(from.kind, Float | Real) {
            return Ok(());
        }
        let wide = SqlType::VARBINARY_MAX;
        let bytes = convert(&datum, &from, &wide, NO_STYLE, &ConvertContext::CAST).unwrap();
        let back = convert(&bytes, &wide, &from, NO_STYLE, &ConvertContext::CAST).unwrap();
        prop_assert_eq!(back, datum);
    }
}
