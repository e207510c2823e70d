//! Random types with values that they can hold.

use proptest::prelude::*;
use types::collation::{self, code_page};
use types::{CollationId, ColumnType, Datum, MAX_LENGTH, SqlType};

const TICKS_PER_DAY: i64 = 864_000_000_000;
const DAYS: i64 = 3_652_059;

fn power(digits: u32) -> i128 {
    10_i128.pow(digits)
}

pub fn collation() -> impl Strategy<Value = CollationId> {
    prop::sample::select(vec![
        "SQL_Latin1_General_CP1_CI_AS",
        "SQL_Latin1_General_CP1_CS_AS",
        "SQL_Latin1_General_CP1_CI_AI",
        "Latin1_General_CI_AS",
        "Latin1_General_CS_AS_KS_WS",
        "Latin1_General_BIN",
        "Latin1_General_BIN2",
        "Latin1_General_100_CI_AS_SC_UTF8",
        "Turkish_CI_AS",
        "Polish_CS_AI",
        "Finnish_Swedish_CI_AS",
        "Vietnamese_CI_AS",
        "Japanese_CS_AS_KS_WS",
        "Cyrillic_General_CI_AS",
    ])
    .prop_map(|name| collation::lookup(name).expect(name))
}

/// Text whose letters often are equal or nearly so.
pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[abAB \\-'1é]{0,8}",
        2 => "[aAäÄæßñŁıIioøOＡカかｶ\u{301}\u{308}\u{30a}\u{2060}😀 ]{0,6}",
        1 => "[ \t\u{1}a~]{0,5}",
        1 => "\\PC{0,10}",
    ]
}

fn nullable(ty: SqlType, value: impl Strategy<Value = Datum> + 'static) -> BoxedStrategy<(SqlType, Datum)> {
    prop_oneof![9 => value, 1 => Just(Datum::Null)].prop_map(move |datum| (ty, datum)).boxed()
}

fn integers(ty: SqlType, range: std::ops::RangeInclusive<i64>) -> BoxedStrategy<(SqlType, Datum)> {
    let (low, high) = (*range.start(), *range.end());
    let near = prop_oneof![range, Just(low), Just(high), low.max(-3)..=3_i64.min(high)];
    nullable(ty, near.prop_map(Datum::I64))
}

/// Pads and cuts `text` as a value of the type would be.
pub fn text_datum(ty: &SqlType, text: &str) -> Datum {
    let mut bytes = Vec::new();
    let blank: &[u8] = if ty.is_ansi_string() {
        code_page::encode_str(ty.collation.code_page(), text, &mut bytes);
        b" "
    } else {
        code_page::push_utf16(text, &mut bytes);
        b" \0"
    };
    if matches!(ty.kind, types::TypeKind::Char | types::TypeKind::NChar) {
        bytes.truncate(ty.length as usize);
        while bytes.len() < ty.length as usize {
            bytes.extend_from_slice(blank);
        }
    }
    Datum::Bytes(bytes.into())
}

/// A type and a value of it, possibly NULL.
pub fn typed() -> impl Strategy<Value = (SqlType, Datum)> {
    let strings = (
        prop::sample::select(vec![
            SqlType::varchar(40),
            SqlType::char(40),
            SqlType::nvarchar(40),
            SqlType::nchar(40),
            SqlType::NVARCHAR_MAX,
        ]),
        collation(),
        text(),
    )
        .prop_map(|(ty, collation, text)| {
            let ty = ty.with_collation(collation);
            (ty, text_datum(&ty, &text))
        });
    let decimals = (1_u8..=38, 0_u8..=38, any::<i128>()).prop_map(|(precision, scale, value)| {
        let limit = power(precision as u32);
        (SqlType::decimal(precision, scale.min(precision)), Datum::I128(value % limit))
    });
    let times =
        (0_u8..=7, 0..DAYS, 0..TICKS_PER_DAY, -840_i64..=840, 0..3).prop_map(|(scale, day, time, offset, kind)| {
            let unit = 10_i64.pow(7 - scale as u32);
            let time = time / unit * unit;
            match kind {
                0 => (SqlType::time(scale), Datum::I64(time)),
                1 => (SqlType::datetime2(scale), Datum::I64(day * TICKS_PER_DAY + time)),
                _ => {
                    let utc = (day * TICKS_PER_DAY + time) as i128;
                    (SqlType::datetimeoffset(scale), Datum::I128(utc << 16 | offset as i16 as u16 as i128))
                }
            }
        });
    let bytes = prop::collection::vec(prop_oneof![Just(0), Just(1), any::<u8>()], 0..20);
    let binary = (prop::sample::select(vec![SqlType::varbinary(40), SqlType::varbinary(MAX_LENGTH)]), bytes)
        .prop_map(|(ty, bytes)| (ty, Datum::bytes(&bytes)));
    prop_oneof![
        integers(SqlType::BIT, 0..=1),
        integers(SqlType::TINYINT, 0..=255),
        integers(SqlType::SMALLINT, i16::MIN as i64..=i16::MAX as i64),
        integers(SqlType::INT, i32::MIN as i64..=i32::MAX as i64),
        integers(SqlType::BIGINT, i64::MIN..=i64::MAX),
        integers(SqlType::SMALLMONEY, i32::MIN as i64..=i32::MAX as i64),
        integers(SqlType::MONEY, i64::MIN..=i64::MAX),
        integers(SqlType::DATE, 0..=DAYS - 1),
        integers(SqlType::SMALLDATETIME, 0..=65_536 * 1440 - 1),
        integers(SqlType::DATETIME, -53_690 * 25_920_000..=2_958_464 * 25_920_000 - 1),
        nullable(SqlType::FLOAT, any::<f64>().prop_filter("NaN is no value", |v| !v.is_nan()).prop_map(Datum::F64)),
        nullable(SqlType::REAL, any::<f32>().prop_filter("NaN", |v| !v.is_nan()).prop_map(|v| Datum::F64(v as f64))),
        nullable(SqlType::UNIQUEIDENTIFIER, any::<i128>().prop_map(Datum::I128)),
        decimals,
        times,
        binary,
        strings.boxed(),
        prop::array::uniform8(any::<u8>()).prop_map(|b| (SqlType::ROWVERSION, Datum::bytes(&b))),
        prop::array::uniform5(any::<u8>()).prop_map(|b| (SqlType::binary(5), Datum::bytes(&b))),
    ]
}

pub fn column(ty: SqlType) -> ColumnType {
    ColumnType::nullable(ty)
}
