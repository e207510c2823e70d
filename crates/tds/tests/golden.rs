//! Golden packets: what a server sends, byte by byte, in `tests/wire/`. `UPDATE=1` rewrites them; a change there is a
//! change of what every client sees.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::fmt::Write;
use std::path::Path;

use tds::column::{encode_columns, flag};
use tds::token::{
    ColumnSource, Done, DoneKind, EnvChange, LoginAck, ServerMessage, command, done, encode_column_sources,
    encode_feature_ack, encode_order, encode_table_names,
};
use tds::wire::Put;
use tds::{ColumnInfo, Encryption, Place, Prelogin, RowLayout, TdsVersion, TypeInfo, Value, WireCollation};
use types::{Datum, RowBatch, SqlType};

/// Sections of a golden file: a title and its bytes.
#[derive(Default)]
struct Golden {
    text: String,
}

impl Golden {
    fn section(&mut self, title: &str, bytes: &[u8]) {
        writeln!(self.text, "== {title}").expect("writing to a String");
        for line in bytes.chunks(16) {
            let hex: Vec<String> = line.iter().map(|byte| format!("{byte:02X}")).collect();
            let shown: String =
                line.iter().map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' }).collect();
            writeln!(self.text, "{:<47}  {shown}", hex.join(" ")).expect("writing to a String");
        }
    }

    fn put(&mut self, title: &str, put: impl FnOnce(&mut Vec<u8>)) {
        let mut bytes = Vec::new();
        put(&mut bytes);
        self.section(title, &bytes);
    }

    fn check(self, file: &str) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/wire").join(file);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &self.text).expect("the golden directory is writable");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        for (number, (now, then)) in self.text.lines().zip(expected.lines()).enumerate() {
            assert_eq!(now, then, "{file}:{}", number + 1);
        }
        assert_eq!(self.text.len(), expected.len(), "{file} has another length");
    }
}

fn done_of(kind: DoneKind, status: u16, command: u16, rows: u64) -> Done {
    Done { kind, status, command, rows }
}

#[test]
fn login_answer() {
    let mut golden = Golden::default();
    golden.put("prelogin: encryption off, no MARS", |out| {
        let answer = Prelogin {
            version: [16, 0, 0x0F, 0xA3, 0, 0],
            encryption: Some(Encryption::Off),
            mars: Some(false),
            ..Prelogin::default()
        };
        answer.encode(out);
    });
    golden.put("database master", |out| {
        EnvChange::Database { new: "master".into(), old: "master".into() }.encode(out);
    });
    golden.put("collation", |out| EnvChange::Collation { new: WireCollation::SQL_LATIN1, old: None }.encode(out));
    golden.put("language", |out| {
        EnvChange::Language { new: "us_english".into(), old: String::new() }.encode(out);
    });
    for version in [TdsVersion::V7_1, TdsVersion::V7_4, TdsVersion::V8_0] {
        golden.put(&format!("login ack {:08X}", version.raw()), |out| {
            let program_version = [16, 0, 0x0F, 0xA3];
            LoginAck { version, program: "Microsoft SQL Server".into(), program_version }.encode(out);
        });
    }
    golden.put("packet size", |out| EnvChange::PacketBytes { new: 8000, old: 4096 }.encode(out));
    golden.put("feature ack: UTF-8", |out| encode_feature_ack(&[(10, &[1])], out));
    golden.put("done", |out| done_of(DoneKind::Batch, done::FINAL, 0, 0).encode(out, TdsVersion::V7_4));
    golden.check("login.txt");
}

#[test]
fn small_tokens() {
    let mut golden = Golden::default();
    let select = done_of(DoneKind::Batch, done::MORE | done::COUNT, command::SELECT, 5_000_000_000);
    golden.put("done select, 7.4", |out| select.encode(out, TdsVersion::V7_4));
    golden.put("done select, 7.1: the count saturates", |out| select.encode(out, TdsVersion::V7_1));
    golden.put("done in procedure", |out| {
        done_of(DoneKind::InProcedure, done::MORE | done::COUNT, command::INSERT, 1).encode(out, TdsVersion::V7_4);
    });
    golden
        .put("done procedure", |out| done_of(DoneKind::Procedure, done::FINAL, 0xE0, 0).encode(out, TdsVersion::V7_4));
    golden.put("done attention", |out| done_of(DoneKind::Batch, done::ATTENTION, 0, 0).encode(out, TdsVersion::V7_4));
    let error = ServerMessage {
        number: 2627,
        state: 1,
        severity: 14,
        text: "Violation".into(),
        server: "SRV".into(),
        procedure: "p".into(),
        line: 70_000,
    };
    golden.put("error, 7.4", |out| error.encode(out, TdsVersion::V7_4));
    golden.put("error, 7.1", |out| ServerMessage { line: 7, ..error.clone() }.encode(out, TdsVersion::V7_1));
    golden.put("info", |out| {
        ServerMessage { number: 5701, state: 2, text: "Changed".into(), line: 1, ..Default::default() }
            .encode(out, TdsVersion::V7_4);
    });
    golden.put("begin transaction", |out| EnvChange::BeginTransaction { descriptor: 0x0102_0304 }.encode(out));
    golden.put("commit", |out| EnvChange::CommitTransaction { descriptor: 0x0102_0304 }.encode(out));
    golden.put("rollback", |out| EnvChange::RollbackTransaction { descriptor: 0x0102_0304 }.encode(out));
    golden.put("reset acknowledged", |out| EnvChange::ResetAcknowledged.encode(out));
    golden.put("order by 2, 1", |out| encode_order(&[2, 1], out));
    golden.put("table names", |out| encode_table_names(&[vec!["dbo".into(), "t".into()]], out, TdsVersion::V7_4));
    golden.put("column sources", |out| {
        let source = ColumnSource { column: 1, table: 1, status: 0x28, name: "id".into() };
        encode_column_sources(&[source], out);
    });
    golden.check("tokens.txt");
}

/// Every type with a value that shows its layout.
fn samples() -> Vec<(&'static str, SqlType, Datum)> {
    let day = 738_885; // 2024-01-01
    let moment = day * 864_000_000_000 + 12 * 36_000_000_000 + 1_234_567;
    vec![
        ("bit", SqlType::BIT, Datum::I64(1)),
        ("tinyint", SqlType::TINYINT, Datum::I64(255)),
        ("smallint", SqlType::SMALLINT, Datum::I64(-2)),
        ("int", SqlType::INT, Datum::I64(0x0102_0304)),
        ("bigint", SqlType::BIGINT, Datum::I64(-2)),
        ("smallmoney -1.0000", SqlType::SMALLMONEY, Datum::I64(-10_000)),
        ("money 1.0001", SqlType::MONEY, Datum::I64(10_001)),
        ("real 1.5", SqlType::REAL, Datum::F64(1.5)),
        ("float 1.5", SqlType::FLOAT, Datum::F64(1.5)),
        ("decimal(5,2) -1.23", SqlType::decimal(5, 2), Datum::I128(-123)),
        ("decimal(38,0)", SqlType::decimal(38, 0), Datum::I128(10i128.pow(38) - 1)),
        ("date 2024-01-01", SqlType::DATE, Datum::I64(day)),
        ("time(0) 12:00", SqlType::time(0), Datum::I64(12 * 36_000_000_000)),
        ("time(7)", SqlType::time(7), Datum::I64(1_234_567)),
        ("smalldatetime", SqlType::SMALLDATETIME, Datum::I64(45_290 * 1_440 + 720)),
        ("datetime 1899-12-31 23:59:59.997", SqlType::DATETIME, Datum::I64(-1)),
        ("datetime2(7)", SqlType::datetime2(7), Datum::I64(moment)),
        ("datetime2(3)", SqlType::datetime2(3), Datum::I64(moment)),
        ("datetimeoffset(7) -01:30", SqlType::datetimeoffset(7), Datum::I128(i128::from(moment) << 16 | 0xFFA6)),
        ("uniqueidentifier", SqlType::UNIQUEIDENTIFIER, Datum::I128(0x0F0E_0D0C_0B0A_0908_0706_0504_0302_0100)),
        ("char(3)", SqlType::char(3), Datum::bytes(b"ab ")),
        ("varchar(10)", SqlType::varchar(10), Datum::bytes(b"ab")),
        ("varchar(max)", SqlType::VARCHAR_MAX, Datum::bytes(b"ab")),
        ("varchar(max) empty", SqlType::VARCHAR_MAX, Datum::bytes(b"")),
        ("nchar(2)", SqlType::nchar(2), Datum::nvarchar("ab")),
        ("nvarchar(10)", SqlType::nvarchar(10), Datum::nvarchar("ab")),
        ("nvarchar(max)", SqlType::NVARCHAR_MAX, Datum::nvarchar("ab")),
        ("binary(2)", SqlType::binary(2), Datum::bytes(&[1, 2])),
        ("varbinary(10)", SqlType::varbinary(10), Datum::bytes(&[1, 2])),
        ("varbinary(max)", SqlType::VARBINARY_MAX, Datum::bytes(&[1, 2])),
        ("text", SqlType::TEXT, Datum::bytes(b"ab")),
        ("ntext", SqlType::NTEXT, Datum::nvarchar("ab")),
        ("image", SqlType::IMAGE, Datum::bytes(&[1, 2])),
        ("xml", SqlType::XML, Datum::nvarchar("<a/>")),
        ("rowversion", SqlType::ROWVERSION, Datum::bytes(&[0, 0, 0, 0, 0, 0, 7, 0xD1])),
        (
            "sql_variant of int",
            SqlType::SQL_VARIANT,
            Datum::bytes(&tds::variant::encode(SqlType::INT, &Datum::I64(5)).expect("an int fits")),
        ),
    ]
}

#[test]
fn columns_and_values_of_every_type() {
    for (file, version) in [("types_7_1.txt", TdsVersion::V7_1), ("types_7_4.txt", TdsVersion::V7_4)] {
        let mut golden = Golden::default();
        for (title, sql_type, datum) in samples() {
            for (nullable, name) in [(0, "not null"), (flag::NULLABLE, "null")] {
                let column = ColumnInfo::new("c", sql_type, nullable, version);
                golden.put(&format!("{title}, {name}: metadata"), |out| {
                    encode_columns(std::slice::from_ref(&column), out, version);
                });
                golden.put(&format!("{title}, {name}: value"), |out| {
                    Value::of(&datum).encode(out, &column.info, Place::Column);
                });
            }
            golden.put(&format!("{title}: NULL"), |out| {
                Value::Null.encode(out, &TypeInfo::for_type(sql_type, true, version), Place::Column);
            });
        }
        golden.check(file);
    }
}

#[test]
fn rows_with_and_without_a_bitmap() {
    let mut golden = Golden::default();
    for version in [TdsVersion::V7_3A, TdsVersion::V7_3B] {
        let columns: Vec<ColumnInfo> = [SqlType::INT, SqlType::varchar(5), SqlType::NVARCHAR_MAX, SqlType::DATE]
            .map(|sql_type| ColumnInfo::new("c", sql_type, flag::NULLABLE | flag::UPDATABLE_UNKNOWN, version))
            .to_vec();
        let mut batch = RowBatch::new(columns.iter().map(|column| column.info.sql_type.physical()));
        let (x, y) = (Datum::bytes(b"x"), Datum::nvarchar("y"));
        batch.push_row(&[Datum::I64(1), x.clone(), y.clone(), Datum::I64(0)]);
        batch.push_row(&[Datum::Null, x, y, Datum::I64(0)]);
        batch.push_row(&[Datum::I64(2), Datum::Null, Datum::Null, Datum::Null]);
        let layout = RowLayout::new(columns, version);
        let title = format!("{:08X}", version.raw());
        golden.put(&format!("{title}: columns"), |out| layout.encode_metadata(out, false));
        golden.put(&format!("{title}: no NULL, one NULL, three NULLs"), |out| {
            out.put(&tds::row::rows_to_bytes(&layout, &batch));
        });
    }
    let names = ["identity", "computed", "key"];
    let flags = [flag::IDENTITY, flag::COMPUTED | flag::NULLABLE, flag::KEY | flag::HIDDEN];
    let columns: Vec<ColumnInfo> = names
        .iter()
        .zip(flags)
        .map(|(name, flags)| ColumnInfo::new(name, SqlType::INT, flags, TdsVersion::V7_4))
        .collect();
    golden.put("flags of columns", |out| encode_columns(&columns, out, TdsVersion::V7_4));
    golden.check("rows.txt");
}
