//! Every type's values, random and extreme, there and back in every version and place.
#![allow(clippy::disallowed_methods)]

use tds::wire::Input;
use tds::{Place, TdsVersion, TypeInfo, Value};
use types::{CollationId, Datum, SqlType, TypeKind};

const VERSIONS: [TdsVersion; 6] =
    [TdsVersion::V7_1, TdsVersion::V7_2, TdsVersion::V7_3A, TdsVersion::V7_3B, TdsVersion::V7_4, TdsVersion::V8_0];

/// SplitMix64: enough for picking test values, and printed as its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// Between the two, both included; the ends one time in four.
    fn between(&mut self, low: i128, high: i128) -> i128 {
        match self.next() % 8 {
            0 => low,
            1 => high,
            _ => {
                let wide = u128::from(self.next()) << 64 | u128::from(self.next());
                low.wrapping_add((wide % (high.wrapping_sub(low) as u128 + 1)) as i128)
            }
        }
    }

    fn bytes(&mut self, count_max: usize) -> Vec<u8> {
        let count = self.between(0, count_max as i128) as usize;
        (0..count).map(|_| self.next() as u8).collect()
    }
}

fn every_type() -> Vec<SqlType> {
    let mut types = vec![
        SqlType::BIT,
        SqlType::TINYINT,
        SqlType::SMALLINT,
        SqlType::INT,
        SqlType::BIGINT,
        SqlType::SMALLMONEY,
        SqlType::MONEY,
        SqlType::REAL,
        SqlType::FLOAT,
        SqlType::DATE,
        SqlType::SMALLDATETIME,
        SqlType::DATETIME,
        SqlType::UNIQUEIDENTIFIER,
        SqlType::ROWVERSION,
        SqlType::XML,
        SqlType::TEXT,
        SqlType::NTEXT,
        SqlType::IMAGE,
        SqlType::HIERARCHYID,
        SqlType::GEOMETRY,
        SqlType::GEOGRAPHY,
        SqlType::NVARCHAR_MAX,
        SqlType::VARCHAR_MAX,
        SqlType::VARBINARY_MAX,
        SqlType::char(7),
        SqlType::char(8000),
        SqlType::varchar(1),
        SqlType::varchar(8000),
        SqlType::nchar(5),
        SqlType::nvarchar(4000),
        SqlType::binary(16),
        SqlType::varbinary(8000),
    ];
    types.extend(
        (0..=7).flat_map(|scale| [SqlType::time(scale), SqlType::datetime2(scale), SqlType::datetimeoffset(scale)]),
    );
    types.extend(
        [(1, 0), (9, 9), (10, 0), (19, 4), (20, 1), (28, 28), (29, 0), (38, 38)].map(|(p, s)| SqlType::decimal(p, s)),
    );
    types.push(SqlType { kind: TypeKind::Numeric, ..SqlType::decimal(18, 2) });
    types
}

fn value_of(sql_type: SqlType, random: &mut Random) -> Datum {
    use TypeKind::*;
    const DAY: i128 = 864_000_000_000;
    let unit = 10i128.pow(7 - u32::from(sql_type.scale.min(7)));
    let number = |random: &mut Random, low: i128, high: i128| Datum::I64(random.between(low, high) as i64);
    match sql_type.kind {
        Bit => number(random, 0, 1),
        TinyInt => number(random, 0, 255),
        SmallInt => number(random, i16::MIN.into(), i16::MAX.into()),
        Int | SmallMoney => number(random, i32::MIN.into(), i32::MAX.into()),
        BigInt | Money => number(random, i64::MIN.into(), i64::MAX.into()),
        Real => Datum::F64(f64::from(random.between(-1_000_000, 1_000_000) as f32 / 7.0)),
        Float => Datum::F64(random.between(-1_000_000, 1_000_000) as f64 / 7.0),
        Decimal | Numeric => {
            let limit = 10i128.pow(sql_type.precision.into()) - 1;
            Datum::I128(random.between(-limit, limit))
        }
        Date => number(random, 0, 3_652_058),
        Time => Datum::I64((random.between(0, DAY / unit - 1) * unit) as i64),
        DateTime2 => Datum::I64((random.between(0, 3_652_059 * DAY / unit - 1) * unit) as i64),
        DateTimeOffset => {
            let utc = random.between(0, 3_652_059 * DAY / unit - 1) * unit;
            let offset = random.between(-840, 840) as i16;
            Datum::I128(utc << 16 | i128::from(offset as u16))
        }
        SmallDateTime => number(random, 0, 65_535 * 1_440 + 1_439),
        DateTime => number(random, -53_690 * 25_920_000, 2_958_463 * 25_920_000 + 25_919_999),
        UniqueIdentifier => Datum::I128((u128::from(random.next()) << 64 | u128::from(random.next())) as i128),
        Char | Binary => Datum::bytes(&vec![random.next() as u8; sql_type.length.into()]),
        RowVersion => Datum::bytes(&random.next().to_be_bytes()),
        NChar => Datum::bytes(&b"x\0".repeat(usize::from(sql_type.length) / 2)),
        VarChar | VarBinary | Text | Image | HierarchyId | Geometry | Geography | Json => {
            Datum::bytes(&random.bytes(usize::from(sql_type.length).min(20_000)))
        }
        NVarChar | NText | Xml => {
            let mut bytes = random.bytes(usize::from(sql_type.length).min(20_000));
            bytes.truncate(bytes.len() / 2 * 2);
            Datum::bytes(&bytes)
        }
        SqlVariant => unreachable!("tested by its own module"),
    }
}

#[test]
fn every_value_of_every_type_comes_back() {
    let seed = std::env::var("SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(7);
    println!("SEED={seed}");
    let mut random = Random(seed);
    for version in VERSIONS {
        for sql_type in every_type() {
            if sql_type.is_temporal()
                && !matches!(sql_type.kind, TypeKind::DateTime | TypeKind::SmallDateTime)
                && !version.has_date_types()
            {
                continue; // Sent as text: nothing to come back to.
            }
            for nullable in [false, true] {
                for place in [Place::Column, Place::Parameter] {
                    let info = TypeInfo::for_type(sql_type, nullable, version);
                    let mut announced = Vec::new();
                    info.encode(&mut announced, place);
                    let heard = TypeInfo::decode(&mut Input::new(&announced), place).expect("our own type");
                    assert_eq!(heard.token, info.token);
                    for round in 0..40 {
                        let datum = if nullable && round == 0 { Datum::Null } else { value_of(sql_type, &mut random) };
                        let mut wire = Vec::new();
                        Value::of(&datum).encode(&mut wire, &info, place);
                        let mut input = Input::new(&wire);
                        let back = Value::decode(&mut input, &heard, place).expect("our own value").into_datum();
                        assert_eq!(back, datum, "{sql_type:?} {version:?} {place:?}");
                        assert!(input.is_empty());
                        if let Some(cut) = wire.len().checked_sub(1) {
                            assert!(Value::decode(&mut Input::new(&wire[..cut]), &heard, place).is_err());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn collations_travel_with_their_types() {
    for id in [CollationId(0), CollationId::LATIN1_GENERAL_BIN2, CollationId::LATIN1_GENERAL_CI_AS] {
        for sql_type in [SqlType::varchar(10), SqlType::nvarchar(10), SqlType::VARCHAR_MAX, SqlType::TEXT] {
            let info = TypeInfo::for_type(sql_type.with_collation(id), true, TdsVersion::V7_4);
            let mut bytes = Vec::new();
            info.encode(&mut bytes, Place::Column);
            let heard = TypeInfo::decode(&mut Input::new(&bytes), Place::Column).expect("our own type");
            assert_eq!(heard.sql_type.collation, id);
        }
    }
}

#[test]
fn what_older_clients_get_instead() {
    let text = |sql_type, datum: Datum| {
        let info = TypeInfo::for_type(sql_type, true, TdsVersion::V7_2);
        let mut wire = Vec::new();
        Value::of(&datum).encode(&mut wire, &info, Place::Column);
        let mut announced = Vec::new();
        info.encode(&mut announced, Place::Column);
        let heard = TypeInfo::decode(&mut Input::new(&announced), Place::Column).expect("a type");
        assert_eq!(heard.sql_type.kind, TypeKind::NVarChar);
        match Value::decode(&mut Input::new(&wire), &heard, Place::Column).expect("a value").into_datum() {
            Datum::Bytes(bytes) => tds::wire::utf16_to_string(&bytes),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(text(SqlType::DATE, Datum::I64(738_885)), "2024-01-01");
    assert_eq!(text(SqlType::time(3), Datum::I64(1_230_000)), "00:00:00.123");
    assert_eq!(text(SqlType::datetime2(0), Datum::I64(0)), "0001-01-01 00:00:00");
    assert_eq!(text(SqlType::datetimeoffset(7), Datum::I128(330)), "0001-01-01 05:30:00.0000000 +05:30");
    let tokens = [SqlType::VARCHAR_MAX, SqlType::NVARCHAR_MAX, SqlType::VARBINARY_MAX, SqlType::XML]
        .map(|sql_type| TypeInfo::for_type(sql_type, true, TdsVersion::V7_1).token);
    assert_eq!(tokens, [0x23, 0x63, 0x22, 0x63]);
}

#[test]
fn values_that_are_none_of_their_type_are_refused() {
    let cases: [(&[u8], &[u8], i32); 14] = [
        (&[0x26, 3], &[], 8016),                                            // INTN of three bytes
        (&[0x26, 4], &[2, 0, 0], 8016),                                     // four announced, two came
        (&[0x6A, 17, 39, 0], &[], 8017),                                    // decimal(39)
        (&[0x6A, 17, 5, 6], &[], 8017),                                     // scale above precision
        (&[0x6A, 17, 2, 0], &[5, 1, 100, 0, 0, 0], 8023),                   // 100 in decimal(2)
        (&[0x3D], &[0, 0, 0, 0x80, 0, 0, 0, 0], 8023),                      // datetime before 1753
        (&[0x3A], &[0, 0, 0xA0, 5], 8023),                                  // minute 1,440
        (&[0x28], &[3, 0xFF, 0xFF, 0xFF], 8023),                            // day past 9999-12-31
        (&[0x29, 8], &[], 8017),                                            // time(8)
        (&[0x3E], &[0, 0, 0, 0, 0, 0, 0xF8, 0x7F], 8023),                   // NaN
        (&[0xE7, 3, 0, 9, 4, 0xD0, 0, 0x34], &[], 8016),                    // odd nvarchar length
        (&[0xE7, 4, 0, 9, 4, 0xD0, 0, 0x34], &[3, 0, 1, 2, 3], 8028),       // odd value
        (&[0xA5, 0xFF, 0xFF], &[5, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0], 8007), // chunk longer than the value
        (&[0x10], &[], 8009),
    ];
    for (announced, wire, number) in cases {
        let outcome = TypeInfo::decode(&mut Input::new(announced), Place::Parameter)
            .and_then(|info| Value::decode(&mut Input::new(wire), &info, Place::Parameter).map(|_| ()));
        let error = outcome.expect_err("not a value").in_parameter(3, "@p").to_sql_error();
        assert_eq!(error.number, number, "{announced:02x?} {wire:02x?}: {error}");
        assert!(error.text.contains("arameter 3 (\"@p\")"), "{error}");
    }
}
