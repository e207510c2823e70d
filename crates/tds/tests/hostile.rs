//! Damaged and random bytes to every decoder: an error or a value, never a panic, never more memory than was sent
//! accounts for. The fuzz targets do the same for hours; this runs in every test run.

use tds::bulk::BulkReader;
use tds::column::flag;
use tds::request::{Limits, Request, put_all_headers};
use tds::rpc::{ParameterValue, Procedure, ProcedureId, RpcCall, RpcParameter};
use tds::table_value::{OrderUnique, TableColumn, TableValue};
use tds::tls_wrap::Unwrapper;
use tds::token::{Done, DoneKind, EnvChange, LoginAck, ServerMessage, Token, TokenReader, encode_feature_ack};
use tds::wire::{Input, Put};
use tds::{
    ColumnInfo, Login7, MessageReader, PacketType, Prelogin, ProtocolError, RowLayout, TdsVersion, WireCollation,
};
use types::{Datum, RowBatch, SqlType};

fn sample_rpc() -> Vec<RpcCall> {
    let mut rows = RowBatch::new([SqlType::INT.physical(), SqlType::NVARCHAR_MAX.physical()]);
    rows.push_row(&[Datum::I64(1), Datum::nvarchar("one")]);
    rows.push_row(&[Datum::Null, Datum::Null]);
    let table = TableValue {
        schema: "dbo".into(),
        type_name: "ids".into(),
        columns: vec![
            TableColumn { name: String::new(), sql_type: SqlType::INT, is_default: false },
            TableColumn { name: "n".into(), sql_type: SqlType::NVARCHAR_MAX, is_default: false },
        ],
        rows,
        order: vec![OrderUnique { column: 1, descending: true, unique: false }],
        is_null: false,
    };
    vec![
        RpcCall::new(
            Procedure::Id(ProcedureId::ExecuteSql),
            vec![
                RpcParameter::input("", SqlType::NVARCHAR_MAX, Datum::nvarchar("select @a, @b")),
                RpcParameter::input("@a", SqlType::decimal(20, 3), Datum::I128(-77)),
                RpcParameter::output("@b", SqlType::datetimeoffset(7), Datum::I128(5 << 16)),
                RpcParameter {
                    value: ParameterValue::UntypedNull,
                    ..RpcParameter::input("", SqlType::INT, Datum::Null)
                },
            ],
        ),
        RpcCall::new(
            Procedure::Name("dbo.take".into()),
            vec![RpcParameter {
                name: "@t".into(),
                is_output: false,
                is_default: false,
                value: ParameterValue::Table(Box::new(table)),
            }],
        ),
    ]
}

fn rpc_bytes() -> Vec<u8> {
    let mut payload = Vec::new();
    put_all_headers(&mut payload, 9, TdsVersion::V7_4);
    RpcCall::encode_all(&sample_rpc(), &mut payload, TdsVersion::V7_4);
    payload
}

fn columns() -> Vec<ColumnInfo> {
    [
        SqlType::INT,
        SqlType::varchar(20),
        SqlType::TEXT,
        SqlType::VARBINARY_MAX,
        SqlType::decimal(10, 2),
        SqlType::time(3),
    ]
    .map(|sql_type| ColumnInfo::new("c", sql_type, flag::NULLABLE, TdsVersion::V7_4))
    .to_vec()
}

fn rows() -> RowBatch {
    let mut batch = RowBatch::new(columns().iter().map(|column| column.info.sql_type.physical()));
    let bytes = Datum::bytes(b"0123456789");
    for i in 0..5 {
        batch.push_row(&[
            Datum::I64(i),
            bytes.clone(),
            bytes.clone(),
            bytes.clone(),
            Datum::I128(1),
            Datum::I64(10_000),
        ]);
        batch.push_row(&[Datum::Null, Datum::Null, Datum::Null, bytes.clone(), Datum::Null, Datum::Null]);
    }
    batch
}

fn bulk_bytes() -> Vec<u8> {
    let layout = RowLayout::new(columns(), TdsVersion::V7_4);
    let mut payload = Vec::new();
    layout.encode_metadata(&mut payload, false);
    payload.extend(tds::row::rows_to_bytes(&layout, &rows()));
    Done { kind: DoneKind::Batch, status: 0, command: 0, rows: 0 }.encode(&mut payload, TdsVersion::V7_4);
    payload
}

fn response_bytes() -> Vec<u8> {
    let mut bytes = bulk_bytes();
    let version = TdsVersion::V7_4;
    ServerMessage { number: 50_000, severity: 16, text: "text".into(), ..Default::default() }
        .encode(&mut bytes, version);
    EnvChange::Database { new: "a".into(), old: "b".into() }.encode(&mut bytes);
    EnvChange::Routing { port: 1, server: "s".into() }.encode(&mut bytes);
    EnvChange::Collation { new: WireCollation::SQL_LATIN1, old: None }.encode(&mut bytes);
    LoginAck { version, program: "p".into(), program_version: [1, 2, 3, 4] }.encode(&mut bytes);
    encode_feature_ack(&[(10, &[1]), (1, &[0; 20])], &mut bytes);
    bytes.put(&[0x79, 1, 0, 0, 0, 0xA9, 2, 0, 1, 0]);
    bytes
}

fn login_bytes() -> Vec<u8> {
    let login = Login7 {
        tds_version: TdsVersion::V7_4.raw(),
        user: "sa".into(),
        password: "pw".into(),
        database: "master".into(),
        features: vec![tds::login7::Feature { id: 10, data: vec![1] }],
        ..Login7::default()
    };
    let mut bytes = Vec::new();
    login.encode(&mut bytes);
    bytes
}

fn read_tokens(bytes: &[u8], skip_rows: bool) -> Result<usize, ProtocolError> {
    let mut reader = TokenReader::new(TdsVersion::V7_4);
    reader.skip_rows = skip_rows;
    let mut input = Input::new(bytes);
    let mut count = 0;
    while !input.is_empty() {
        count += match reader.next(&mut input)? {
            Token::Rows(rows) => rows as usize,
            _ => 1,
        };
    }
    Ok(count)
}

fn read_bulk(bytes: &[u8], piece: usize) -> Result<usize, ProtocolError> {
    let mut reader = BulkReader::new(TdsVersion::V7_4, 1 << 16);
    let mut rows = 0;
    let mut left = bytes.len();
    for payload in bytes.chunks(piece) {
        left -= payload.len();
        reader.feed(payload);
        while reader.columns().is_none() && reader.read(&mut RowBatch::default(), 1, left == 0)? {}
        let Some(columns) = reader.columns() else { continue };
        let mut batch = RowBatch::new(columns.iter().map(|column| column.info.sql_type.physical()));
        while reader.read(&mut batch, 3, left == 0)? {
            rows += batch.rows;
            batch.clear();
        }
        rows += batch.rows;
    }
    Ok(rows)
}

fn decode(kind: usize, bytes: &[u8]) {
    let version = [TdsVersion::V7_1, TdsVersion::V7_2, TdsVersion::V7_4][bytes.len() % 3];
    let limits = Limits { rpc_parameters_max: 100, rpc_calls_max: 10, ..Limits::default() };
    match kind {
        0 => drop(Request::decode(PacketType::Rpc, bytes, TdsVersion::V7_4, limits)),
        1 => drop(Request::decode(PacketType::Rpc, bytes, version, limits)),
        2 => drop(Request::decode(PacketType::SqlBatch, bytes, version, limits)),
        3 => drop(Request::decode(PacketType::Transaction, bytes, version, limits)),
        4 => drop(Login7::decode(bytes)),
        5 => drop(Prelogin::decode(bytes)),
        6 => drop((read_tokens(bytes, false), read_tokens(bytes, true))),
        7 => drop(read_bulk(bytes, 50)),
        8 => {
            let mut reader = MessageReader::new(PacketType::BulkLoad, 1 << 12);
            let mut payload = Vec::new();
            reader.feed(bytes);
            while let Ok(Some(_)) = reader.next(&mut payload) {
                assert!(payload.len() <= 1 << 16);
            }
        }
        _ => {
            let (mut unwrapper, mut rest) = (Unwrapper::default(), bytes);
            while !rest.is_empty() {
                let Ok((used, _)) = unwrapper.unwrap(rest) else { break };
                assert!(used > 0, "each step gets on");
                rest = &rest[used..];
            }
        }
    }
}

const KINDS: usize = 10;

#[test]
fn the_samples_themselves_are_good() {
    match Request::decode(PacketType::Rpc, &rpc_bytes(), TdsVersion::V7_4, Limits::default()) {
        Ok(Request::Rpc(rpc)) => {
            assert_eq!(rpc.headers.transaction, 9);
            assert_eq!(rpc.calls, sample_rpc());
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(read_tokens(&response_bytes(), false), Ok(20));
    assert_eq!(read_tokens(&response_bytes(), true), Ok(20));
    for piece in [1, 7, 100_000] {
        assert_eq!(read_bulk(&bulk_bytes(), piece), Ok(10));
    }
}

#[test]
fn cut_anywhere() {
    for end in 0..rpc_bytes().len() {
        let outcome = Request::decode(PacketType::Rpc, &rpc_bytes()[..end], TdsVersion::V7_4, Limits::default());
        assert!(!matches!(&outcome, Ok(Request::Rpc(rpc)) if rpc.calls == sample_rpc()), "cut at {end}");
    }
    let bulk = bulk_bytes();
    for end in 0..bulk.len() {
        if let Ok(rows) = read_bulk(&bulk[..end], 30) {
            assert!(rows <= 10);
        }
        let _ = read_tokens(&response_bytes()[..end], false);
    }
}

#[test]
fn damaged_anywhere() {
    let samples = [rpc_bytes(), login_bytes(), response_bytes(), bulk_bytes()];
    let mut state = 0x1234_5678_9ABC_DEF0u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for round in 0..30_000 {
        let mut bytes = samples[round % samples.len()].clone();
        for _ in 0..random() % 4 + 1 {
            let at = random() as usize % bytes.len();
            match random() % 4 {
                0 => bytes[at] = random() as u8,
                1 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF][random() as usize % 6],
                2 => bytes.truncate(at.max(1)),
                _ => {
                    let end = (at + random() as usize % 9).min(bytes.len());
                    let piece = bytes[at..end].to_vec();
                    bytes.extend(piece);
                }
            }
        }
        (0..KINDS).for_each(|kind| decode(kind, &bytes));
    }
    for _ in 0..10_000 {
        let count = random() as usize % 200;
        let bytes: Vec<u8> = (0..count).map(|_| random() as u8).collect();
        (0..KINDS).for_each(|kind| decode(kind, &bytes));
    }
}
