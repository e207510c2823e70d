//! Calls with parameters: which tokens their answers have, in which order, and what OUTPUT parameters have where the call fails. As SQL Server 2022
//! was seen to answer. `support::words` tells the tokens.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::Server;
use support::raw::{RPC, Raw, tokens};
use support::words::{hold, words};
use tds::TdsVersion;
use tds::request::put_all_headers;
use tds::rpc::{Procedure, RpcCall, RpcParameter};
use tds::token::Token;
use types::{Datum, SqlType};

fn text(name: &str, value: &str) -> RpcParameter {
    let bytes: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
    RpcParameter::input(name, SqlType::nvarchar(4000), Datum::bytes(&bytes))
}

fn int(name: &str, value: i64) -> RpcParameter {
    RpcParameter::input(name, SqlType::INT, Datum::I64(value))
}

fn out(name: &str, sql_type: SqlType, value: Option<i64>) -> RpcParameter {
    RpcParameter::output(name, sql_type, value.map_or(Datum::Null, Datum::I64))
}

/// The procedure's own default.
fn default(name: &str) -> RpcParameter {
    RpcParameter { is_default: true, ..int(name, 0) }
}

fn ask(raw: &mut Raw, call: &RpcCall) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_all_headers(&mut bytes, raw.transaction, TdsVersion::V7_4);
    RpcCall::encode_all(std::slice::from_ref(call), &mut bytes, TdsVersion::V7_4);
    raw.ask(RPC, &bytes)
}

fn call(name: &str, parameters: Vec<RpcParameter>) -> RpcCall {
    RpcCall::new(Procedure::Name(name.into()), parameters)
}

/// `sp_executesql` of a text with these parameters, of which the first is for output.
fn executed(text_of: &str, declared: &str, parameters: Vec<RpcParameter>) -> RpcCall {
    let mut all = vec![text("@stmt", text_of), text("@params", declared)];
    all.extend(parameters);
    call("sp_executesql", all)
}

fn open(server: &Server) -> Raw {
    let mut raw = Raw::open(server.port, true, Vec::new());
    for made in [
        "CREATE TABLE keyed (id int CONSTRAINT pk_keyed PRIMARY KEY)",
        "CREATE PROCEDURE adds @a int, @b int = 5, @c int OUTPUT AS BEGIN SET @c = @a + @b; SELECT @a AS a, @b AS b; RETURN 3 END",
        "CREATE PROCEDURE doubles @io int OUTPUT, @same int = NULL OUTPUT AS SET @io = @io * 2",
        "CREATE PROCEDURE large @o int OUTPUT AS BEGIN SELECT 1 AS a; SET @o = 300 END",
        "CREATE PROCEDURE raises @o int OUTPUT AS BEGIN SET @o = 1; RAISERROR('said', 16, 1); SET @o = 2; SELECT 'after' AS after END",
        "CREATE PROCEDURE throws @o int OUTPUT AS BEGIN SET @o = 1; SELECT 'before' AS b; THROW 50001, 'thrown', 1 END",
        "CREATE PROCEDURE twice @o int OUTPUT AS BEGIN SET @o = 1; DELETE keyed; INSERT keyed VALUES (1); INSERT keyed VALUES (1); SET @o = 2 END",
        "CREATE PROCEDURE silent @o int OUTPUT AS BEGIN SET NOCOUNT ON; SET @o = 5; SELECT 1 AS one END",
        "CREATE PROCEDURE begins AS BEGIN TRANSACTION",
    ] {
        let answer = raw.batch(made);
        assert!(support::raw::errors(&answer).is_empty(), "{made}");
    }
    raw
}

#[test]
fn procedures_with_parameters() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    let c = || out("@c", SqlType::INT, None);
    let o = || out("@o", SqlType::INT, None);
    let tiny = SqlType::TINYINT;
    let cases = [
        (call("adds", vec![int("@a", 1), c()]), "I193=1 C R I193=1 I193=1 S3 V P224"),
        (call("[dbo].[ADDS]", vec![c(), int("@b", 2), int("@a", 1)]), "I193=1 C R I193=1 I193=1 S3 V P224"),
        (call("adds", vec![int("", 1), int("", 2), out("", SqlType::INT, None)]), "I193=1 C R I193=1 I193=1 S3 V P224"),
        // Behind one with a name a place counts as if it had none.
        (call("adds", vec![int("@a", 1), int("", 2), c()]), "I193=1 C R I193=1 I193=1 S3 V P224"),
        (call("adds", vec![int("@a", 1), int("@c", 9)]), "I193=1 C R I193=1 I193=1 S3 P224"),
        (call("adds", vec![int("@a", 1), default("@b"), c()]), "I193=1 C R I193=1 I193=1 S3 V P224"),
        (
            call("adds", vec![int("", 1), default(""), out("", SqlType::INT, None)]),
            "I193=1 C R I193=1 I193=1 S3 V P224",
        ),
        (call("adds", vec![default("@a"), c()]), "E201 P224!"),
        (call("adds", vec![text("@a", "42"), c()]), "I193=1 C R I193=1 I193=1 S3 V P224"),
        (
            call("doubles", vec![out("@io", SqlType::INT, Some(21)), out("@same", SqlType::INT, Some(7))]),
            "I193=1 S0 V V P224",
        ),
        (call("silent", vec![o()]), "C R I193 S0 V P224"),
        (call("raises", vec![o()]), "I193=1 E50000 I246! I193=1 C R I193=1 S-6 V P224"),
        (call("throws", vec![o()]), "I193=1 C R I193=1 E50001 P224!"),
        (call("twice", vec![o()]), "I193=1 I196=0 I195=1 E2627 M3621 I195! I193=1 S-4 V P224"),
        (call("begins", vec![]), "B I212 S0 E266 P224!"),
        // A call that cannot be made has no status, and gives nothing back.
        (call("large", vec![out("@o", tiny, None)]), "C R I193=1 I193=1 E8114 P224!"),
        (call("absent", vec![]), "E2812 P224!"),
        (call("adds", vec![int("@a", 1)]), "E201 P224!"),
        (call("adds", vec![int("", 1), int("", 2), out("", SqlType::INT, None), int("", 4)]), "E8144 P224!"),
        (call("adds", vec![int("@a", 1), int("@zz", 2), c()]), "E8145 P224!"),
        (call("adds", vec![int("@a", 1), int("@a", 2), c()]), "E8143 P224!"),
        (call("adds", vec![out("@a", SqlType::INT, Some(1)), c()]), "E8162 P224!"),
        (call("adds", vec![text("@a", "abc"), c()]), "E8114 P224!"),
    ];
    hold(&mut raw, ask, &cases);
}

/// The text's own failure is its status; where the call cannot be made, an OUTPUT parameter comes back as it was.
#[test]
fn texts_with_parameters() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("INSERT keyed VALUES (1)");
    let x = |value: Option<i64>| out("@x", SqlType::INT, value);
    let of_x = "@x int OUTPUT";
    let two = "@x int OUTPUT, @y int";
    let cases = [
        (executed("SET @x = @y + 1", two, vec![x(None), int("@y", 4)]), "I193=1 S0 V P224"),
        (
            executed("SET @x = 1; RAISERROR('r', 16, 1); SET @x = 2", of_x, vec![x(None)]),
            "I193=1 E50000 I246! I193=1 S0 V P224",
        ),
        (
            executed("SET @x = 1; SELECT 1/0 AS z; SET @x = 2", of_x, vec![x(None)]),
            "I193=1 C E8134 I193! I193=1 S0 V P224",
        ),
        (
            executed("SET @x = 1; INSERT keyed VALUES (1); SET @x = 2", of_x, vec![x(None)]),
            "I193=1 E2627 M3621 I195! I193=1 S0 V P224",
        ),
        (executed("SET @x = 1; THROW 50002, 't', 1", of_x, vec![x(None)]), "I193=1 E50002 P224!"),
        (executed("SET @x = 1; SELECT * FROM absent; SET @x = 2", of_x, vec![x(Some(5))]), "I193=1 E208 S208 V P224!"),
        (executed("SET @x = 1; SELECT CAST('a' AS int) AS c", of_x, vec![x(Some(5))]), "I193=1 C E245 P224!"),
        (executed("SET @x = 1; RETURN; SET @x = 2", of_x, vec![x(None)]), "I193=1 I219 S0 V P224"),
        (executed("SET NOCOUNT ON; SET @x = 3; SELECT 1 AS one", of_x, vec![x(None)]), "C R I193 S0 V P224"),
        (executed("EXEC adds @a = 2, @c = @x OUTPUT", of_x, vec![x(None)]), "I193=1 C R I193=1 I193=1 I224 S0 V P224"),
        (executed("SET @x = ", of_x, vec![x(None)]), "E102 S102 V P224!"),
        (executed("SET @x = @y + 1", two, vec![x(Some(3))]), "E8178 S1 V P224!"),
        (executed("SET @x = 1", of_x, vec![x(Some(3)), int("@y", 1)]), "E8144 S8144 V P224!"),
        (executed("SET @x = 1", "@x int OUTPUT,", vec![x(Some(3))]), "E102 S102 V P224!"),
        (executed("SET @x = 1", two, vec![x(Some(3)), text("@y", "abc")]), "E8114 S8114 V P224!"),
        (executed("SET @x = N'abc'", "@x nvarchar(5) OUTPUT", vec![x(Some(3))]), "I193=1 E8114 P224!"),
        (executed("SET @x = 1", "@x int", vec![x(Some(3))]), "E8162 S8162 V P224!"),
    ];
    hold(&mut raw, ask, &cases);
}

/// The status of a prepared statement is the number of the error of the last one in it.
#[test]
fn prepared_statements() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("INSERT keyed VALUES (1)");
    let handle = || out("@handle", SqlType::INT, None);
    let none = || RpcParameter::input("@params", SqlType::nvarchar(4000), Datum::Null);
    let once = |text_of: &str| call("sp_prepexec", vec![handle(), none(), text("@stmt", text_of)]);
    let x = |value: Option<i64>| out("@x", SqlType::INT, value);
    let with_x = |text_of: &str| {
        call("sp_prepexec", vec![handle(), text("@params", "@x int OUTPUT"), text("@stmt", text_of), x(None)])
    };
    let cases = [
        (once("INSERT INTO keyed VALUES (1)"), "E2627 M3621 I195! S2627 V P224"),
        (
            once("INSERT INTO keyed VALUES (1); SELECT COUNT(*) AS n FROM keyed"),
            "E2627 M3621 I195! C R I193=1 S0 V P224",
        ),
        (with_x("SET @x = 11"), "I193=1 S0 V V P224"),
        (with_x("SET @x = 1; THROW 50003, 'p', 1"), "I193=1 E50003 P224!"),
        (once("THROW 50004, 'q', 1"), "E50004 P224!"),
        (call("sp_execute", vec![int("@handle", 99), x(Some(5))]), "E8179 S8179 V P224!"),
        (call("sp_unprepare", vec![int("@handle", 99)]), "E8179 S8179 P224!"),
    ];
    hold(&mut raw, ask, &cases);
}

/// Of the first parameter for output.
fn value_of(raw: &mut Raw, call: &RpcCall) -> (String, SqlType, Datum) {
    let answer = ask(raw, call);
    let found = tokens(&answer).into_iter().find_map(|token| match token {
        Token::ReturnValue(value) => Some((value.name.to_string(), value.sql_type, value.value)),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("a RETURNVALUE: {}", words(&answer)))
}

/// What a text gives a parameter comes back in its type, and is the same when it goes again.
#[test]
fn a_value_of_each_type_comes_back_and_goes_again() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    for (declared, ty, value) in [
        ("bit", SqlType::BIT, "1"),
        ("tinyint", SqlType::TINYINT, "255"),
        ("smallint", SqlType::SMALLINT, "-32768"),
        ("int", SqlType::INT, "-2147483648"),
        ("bigint", SqlType::BIGINT, "9223372036854775807"),
        ("real", SqlType::REAL, "1.5e-3"),
        ("float", SqlType::FLOAT, "-1.7976931348623157e308"),
        ("smallmoney", SqlType::SMALLMONEY, "-214748.3648"),
        ("money", SqlType::MONEY, "922337203685477.5807"),
        ("decimal(38,0)", SqlType::decimal(38, 0), "-99999999999999999999999999999999999999"),
        ("decimal(9,9)", SqlType::decimal(9, 9), "0.123456789"),
        ("date", SqlType::DATE, "'9999-12-31'"),
        ("time(0)", SqlType::time(0), "'23:59:59'"),
        ("time(7)", SqlType::time(7), "'23:59:59.9999999'"),
        ("smalldatetime", SqlType::SMALLDATETIME, "'2079-06-06T23:59:00'"),
        ("datetime", SqlType::DATETIME, "'1753-01-01T00:00:00.003'"),
        ("datetime2(3)", SqlType::datetime2(3), "'0001-01-01T00:00:00.001'"),
        ("datetime2(7)", SqlType::datetime2(7), "'9999-12-31T23:59:59.9999999'"),
        ("datetimeoffset(7)", SqlType::datetimeoffset(7), "'2024-02-29T12:00:00.1234567-14:00'"),
        ("uniqueidentifier", SqlType::UNIQUEIDENTIFIER, "'6F9619FF-8B86-D011-B42D-00C04FC964FF'"),
        ("char(5)", SqlType::char(5), "'ab'"),
        ("varchar(8000)", SqlType::varchar(8000), "REPLICATE('x', 8000)"),
        ("varchar(max)", SqlType::VARCHAR_MAX, "REPLICATE(CAST('x' AS varchar(max)), 9000)"),
        ("nchar(3)", SqlType::nchar(3), "NCHAR(8364)"),
        ("nvarchar(4000)", SqlType::nvarchar(4000), "REPLICATE(NCHAR(8364), 4000)"),
        ("nvarchar(max)", SqlType::NVARCHAR_MAX, "REPLICATE(CAST(N'x' AS nvarchar(max)), 9000)"),
        ("binary(4)", SqlType::binary(4), "0x01"),
        ("varbinary(8000)", SqlType::varbinary(8000), "0x00FF00"),
        (
            "varbinary(max)",
            SqlType::VARBINARY_MAX,
            "CAST(REPLICATE(CAST('x' AS varchar(max)), 9000) AS varbinary(max))",
        ),
        ("xml", SqlType::XML, "N'<a b=\"1\"/>'"),
        ("sql_variant", SqlType::SQL_VARIANT, "CAST(1.50 AS decimal(9,2))"),
    ] {
        let given = executed(&format!("SET @o = {value}"), &format!("@o {declared} OUTPUT"), vec![out("@o", ty, None)]);
        let (_, told, returned) = value_of(&mut raw, &given);
        let shape = |ty: &SqlType| (ty.kind, ty.length, ty.precision, ty.scale);
        assert_eq!(shape(&told), shape(&ty), "{declared}");
        // xml has no comparison.
        let shown = if declared == "xml" { "CAST(@v AS nvarchar(max))" } else { "@v" };
        let again = executed(
            &format!("DECLARE @w {declared} = {value} SET @n = IIF({shown} = {}, 1, 0)", shown.replace("@v", "@w")),
            &format!("@n int OUTPUT, @v {declared}"),
            vec![out("@n", SqlType::INT, None), RpcParameter::input("@v", ty, returned)],
        );
        assert_eq!(value_of(&mut raw, &again).2, Datum::I64(1), "{declared}");
        let none = executed("SET @n = NULL", &format!("@n {declared} OUTPUT"), vec![out("@n", ty, None)]);
        assert_eq!(value_of(&mut raw, &none).2, Datum::Null, "{declared}");
    }
}

/// A parameter for output has the type that the client gave it, not the procedure's.
#[test]
fn what_comes_back_has_the_clients_type() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    let given = |ty: SqlType| call("adds", vec![int("@a", 1), out("@c", ty, None)]);
    let (name, ty, value) = value_of(&mut raw, &given(SqlType::BIGINT));
    assert_eq!((name.as_str(), ty.kind, value), ("@c", types::TypeKind::BigInt, Datum::I64(6)));
    let (_, ty, value) = value_of(&mut raw, &given(SqlType::nvarchar(4000)));
    assert_eq!((ty.kind, ty.length, value), (types::TypeKind::NVarChar, 8000, Datum::bytes(b"6\0")));
    raw.batch("CREATE PROCEDURE shortens @o nvarchar(5) OUTPUT AS SET @o = N'abcdefgh'");
    for (length, expected) in [(20, "abcde"), (2, "ab")] {
        let bytes: Vec<u8> = expected.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let asked = call("shortens", vec![out("@o", SqlType::nvarchar(length), None)]);
        let (_, ty, value) = value_of(&mut raw, &asked);
        assert_eq!((ty.length, value), (2 * length, Datum::bytes(&bytes)));
    }
}

/// A text with one parameter, `@b`, whose type and value are these bytes. As SQL Server 2025 was seen to answer: the call ends as a batch does, its
/// transaction is over, and the connection goes on.
#[test]
fn calls_that_cannot_be_read() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    let collation = [9, 4, 0xD0, 0, 0x34];
    let of_text = |token: u8| [&[token, 0, 0][..], &collation, &[0, 0]].concat();
    let cases = [
        (
            "no last chunk",
            [&[0xA5, 0xFF, 0xFF][..], &[2, 0, 0, 0, 0, 0, 0, 0], &[2, 0, 0, 0, 0xAB, 0xCD]].concat(),
            4002,
            2,
        ),
        ("half a chunk", [&[0xA5, 0xFF, 0xFF][..], &[0xFE], &[0xFF; 7], &[9, 0, 0, 0, 0xAB, 0xCD]].concat(), 4002, 4),
        ("varbinary(0)", vec![0xA5, 0, 0, 0, 0], 8016, 38),
        ("binary(0)", vec![0xAD, 0, 0, 0, 0], 8016, 39),
        ("varchar(0)", of_text(0xA7), 8016, 40),
        ("nvarchar(0)", of_text(0xE7), 8016, 42),
    ];
    for (case, bytes, number, state) in cases {
        for (before, wanted) in
            [("SELECT 1 AS a", format!("E{number} D253!")), ("BEGIN TRANSACTION", format!("E{number} X D253!"))]
        {
            raw.batch(before);
            let mut payload = Vec::new();
            put_all_headers(&mut payload, raw.transaction, TdsVersion::V7_4);
            let asked = executed("SELECT @b AS b", "@b varbinary(max)", Vec::new());
            RpcCall::encode_all(std::slice::from_ref(&asked), &mut payload, TdsVersion::V7_4);
            payload.extend([2, b'@', 0, b'b', 0, 0]);
            payload.extend(&bytes);
            let answer = raw.ask(RPC, &payload);
            assert_eq!(words(&answer), wanted, "{case}");
            let told = tokens(&answer).into_iter().find_map(|token| match token {
                Token::Message(message) => Some((message.number, message.state, message.line)),
                _ => None,
            });
            assert_eq!(told, Some((number, state, 1)), "{case}");
            assert_eq!(words(&raw.batch("SELECT 1 / IIF(@@TRANCOUNT = 0, 1, 0) AS one")), "C R D193=1", "{case}");
        }
    }
}
