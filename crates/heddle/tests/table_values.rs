//! Table-valued parameters: rows of a client are inserted into the type, and refused as an INSERT refuses them.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::Server;
use support::wire::{Answer, Wire, must};
use tds::rpc::{ParameterValue, Procedure, RpcCall, RpcParameter};
use tds::table_value::{TableColumn, TableValue};
use types::{Datum, RowBatch, SqlType};

fn column(sql_type: SqlType, is_default: bool) -> TableColumn {
    TableColumn { name: String::new(), sql_type, is_default }
}

fn table(type_name: &str, columns: Vec<TableColumn>, rows: &[Vec<Datum>]) -> RpcParameter {
    let mut batch = RowBatch::new(columns.iter().map(|column| column.sql_type.physical()));
    rows.iter().for_each(|row| batch.push_row(row));
    let value = TableValue {
        schema: "dbo".into(),
        type_name: type_name.into(),
        columns,
        rows: batch,
        order: Vec::new(),
        is_null: false,
    };
    let value = ParameterValue::Table(Box::new(value));
    RpcParameter { name: "@l".into(), is_output: false, is_default: false, value }
}

fn call(wire: &mut Wire, text: &str, declared: &str, rows: RpcParameter) -> Answer {
    let given = |text: &str| RpcParameter::input("", SqlType::nvarchar(4000), Datum::nvarchar(text));
    let parameters = vec![given(text), given(declared), rows];
    wire.client.rpc(&[RpcCall::new(Procedure::Name("sp_executesql".into()), parameters)]);
    wire.send();
    wire.answer()
}

fn numbers(answer: &Answer) -> Vec<i32> {
    answer.errors.iter().map(|error| error.0).collect()
}

fn int(value: i64) -> Datum {
    Datum::I64(value)
}

#[test]
fn rows_are_refused_as_an_insert_refuses_them() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "tempdb").expect("logged in");
    must(&mut wire, "CREATE TYPE keyed AS TABLE (i int PRIMARY KEY)");
    must(&mut wire, "CREATE TYPE alone AS TABLE (i int UNIQUE, s varchar(5) CHECK (s <> 'no'))");
    must(&mut wire, "CREATE TYPE narrow AS TABLE (b binary(5), n nvarchar(10))");
    let keyed = |rows: &[Vec<Datum>]| table("keyed", vec![column(SqlType::INT, false)], rows);
    let count = "SELECT COUNT(*) FROM @l";
    let twice = call(&mut wire, count, "@l keyed READONLY", keyed(&[vec![int(1)], vec![int(1)]]));
    // 8061 follows what was wrong.
    assert_eq!(numbers(&twice), [2627, 8061], "{:?}", twice.errors);
    assert!(twice.errors[1].2.contains("\"@l\"") && twice.errors[1].2.contains("2627"), "{:?}", twice.errors);
    let once =
        call(&mut wire, "SELECT i FROM @l ORDER BY i", "@l keyed READONLY", keyed(&[vec![int(2)], vec![int(1)]]));
    assert_eq!(once.rows, [[int(1)], [int(2)]], "{:?}", once.errors);

    let alone = |rows: &[Vec<Datum>]| {
        table("alone", vec![column(SqlType::INT, false), column(SqlType::varchar(20), false)], rows)
    };
    let text = |text: &str| Datum::bytes(text.as_bytes());
    let declared = "@l alone READONLY";
    let same = call(&mut wire, count, declared, alone(&[vec![int(1), text("a")], vec![int(1), text("b")]]));
    assert_eq!(numbers(&same), [2627, 8061]);
    let checked = call(&mut wire, count, declared, alone(&[vec![int(1), text("no")]]));
    assert_eq!(numbers(&checked), [547, 8061]);
    let long = call(&mut wire, count, declared, alone(&[vec![int(1), text("too long")]]));
    assert_eq!(numbers(&long), [2628, 8061]);
    let well = call(&mut wire, count, declared, alone(&[vec![int(1), text("a")], vec![int(2), text("b   ")]]));
    assert_eq!(well.rows, [[int(2)]], "{:?}", well.errors);

    let narrow = |bytes: &[u8], characters: &str| {
        let columns = vec![column(SqlType::varbinary(20), false), column(SqlType::nvarchar(20), false)];
        table("narrow", columns, &[vec![Datum::bytes(bytes), Datum::nvarchar(characters)]])
    };
    let declared = "@l narrow READONLY";
    assert_eq!(numbers(&call(&mut wire, count, declared, narrow(&[1; 9], "fits"))), [8152, 8061]);
    assert_eq!(numbers(&call(&mut wire, count, declared, narrow(&[1; 5], "12345678901234"))), [8152, 8061]);
    let fits = call(&mut wire, "SELECT b, n FROM @l", declared, narrow(&[1; 3], "1234567890   "));
    assert_eq!(fits.rows, [[Datum::bytes(&[1, 1, 1, 0, 0]), Datum::nvarchar("1234567890")]], "{:?}", fits.errors);
}

#[test]
fn defaults_identities_and_computed_columns_are_those_of_an_insert() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "tempdb").expect("logged in");
    must(
        &mut wire,
        "CREATE TYPE filled AS TABLE (id int IDENTITY(10, 5) PRIMARY KEY, a int, twice AS a * 2, d int DEFAULT 7)",
    );
    let columns = vec![
        column(SqlType::INT, true),
        column(SqlType::INT, false),
        column(SqlType::INT, true),
        column(SqlType::INT, true),
    ];
    let rows: Vec<Vec<Datum>> = (1..=2).map(|a| vec![Datum::Null, int(a), Datum::Null, Datum::Null]).collect();
    // What a client says of its own results is not for these rows.
    must(&mut wire, "SET ROWCOUNT 1 SET TEXTSIZE 1");
    let text = "SET ROWCOUNT 0 SELECT id, a, twice, d FROM @l ORDER BY id";
    let answer = call(&mut wire, text, "@l filled READONLY", table("filled", columns, &rows));
    let expected: [[i64; 4]; 2] = [[10, 1, 2, 7], [15, 2, 4, 7]];
    let expected: Vec<Vec<Datum>> = expected.iter().map(|row| row.iter().map(|value| int(*value)).collect()).collect();
    assert_eq!(answer.rows, expected, "{:?}", answer.errors);
    // A value for the identity column, if it is NULL, is none that a variable takes.
    let named = [false, false, true, true].map(|of_default| column(SqlType::INT, of_default)).to_vec();
    let refused = call(&mut wire, text, "@l filled READONLY", table("filled", named, &rows));
    assert_eq!(numbers(&refused)[0], 1077, "{:?}", refused.errors);
}

#[test]
fn rows_of_defaults_alone_come_or_are_refused_together() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "tempdb").expect("logged in");
    must(&mut wire, "CREATE TYPE numbered AS TABLE (id int IDENTITY PRIMARY KEY, d int DEFAULT 7)");
    must(&mut wire, "CREATE TYPE same AS TABLE (id int DEFAULT 1 PRIMARY KEY, d int DEFAULT 7)");
    let columns = || vec![column(SqlType::INT, true), column(SqlType::INT, true)];
    let rows = vec![vec![Datum::Null, Datum::Null]; 3];
    let count = "SELECT COUNT(*), MAX(id), SUM(d) FROM @l";
    let answer = call(&mut wire, count, "@l numbered READONLY", table("numbered", columns(), &rows));
    assert_eq!(answer.rows, [[int(3), int(3), int(21)]], "{:?}", answer.errors);
    // The second has the first one's key.
    let answer = call(&mut wire, count, "@l same READONLY", table("same", columns(), &rows));
    assert_eq!(numbers(&answer), [2627, 8061]);
    let answer = call(&mut wire, count, "@l same READONLY", table("same", columns(), &rows[..1]));
    assert_eq!(answer.rows, [[int(1), int(1), int(7)]], "{:?}", answer.errors);
}

#[test]
fn a_parameter_without_a_name_has_its_place_behind_one_with_a_name() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "tempdb").expect("logged in");
    must(&mut wire, "CREATE PROCEDURE p @a int, @b int, @c int = 3 AS SELECT @a, @b, @c");
    let named = |name: &str, value: i64| RpcParameter::input(name, SqlType::INT, int(value));
    wire.client.rpc(&[RpcCall::new(Procedure::Name("p".into()), vec![named("@a", 1), named("", 2)])]);
    wire.send();
    assert_eq!(wire.answer().rows, [[int(1), int(2), int(3)]]);
    // EXEC has another rule.
    assert_eq!(wire.query("EXEC p @a = 1, 2").errors[0].0, 119);
}

#[test]
fn the_type_that_a_client_names_is_the_parameters() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "tempdb").expect("logged in");
    must(&mut wire, "CREATE TYPE one AS TABLE (i int)");
    must(&mut wire, "CREATE TYPE other AS TABLE (i int)");
    must(&mut wire, "CREATE PROCEDURE counts @n int = 0, @l one READONLY AS SELECT COUNT(*) FROM @l");
    let mut call_with = |type_name: &str, place: &str| {
        let mut rows = table(type_name, vec![column(SqlType::INT, false)], &[vec![int(1)]]);
        rows.name = place.into();
        wire.client.rpc(&[RpcCall::new(Procedure::Name("dbo.counts".into()), vec![rows])]);
        wire.send();
        wire.answer()
    };
    for well in ["one", "ONE", ""] {
        let answer = call_with(well, "@l");
        assert_eq!(answer.rows, [[int(1)]], "{well}: {:?}", answer.errors);
    }
    assert_eq!(numbers(&call_with("other", "@l")), [206]);
    assert_eq!(numbers(&call_with("one", "@n")), [206]);
    let missing = call_with("none", "@l");
    assert_eq!(numbers(&missing), [2715]);
    assert!(missing.errors[0].2.contains("#1") && missing.errors[0].2.contains("dbo.none"), "{:?}", missing.errors);
}

/// MS-TDS 2.2.5.5.5.1: NULL is a table of no columns, and only a default one; the parameter of a text has the type that the client names.
#[test]
fn null_is_sent_as_a_default_and_a_texts_parameter_has_a_type() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "tempdb").expect("logged in");
    must(&mut wire, "CREATE TYPE one AS TABLE (i int)");
    must(&mut wire, "CREATE PROCEDURE p @l one READONLY AS SELECT COUNT(*) FROM @l");
    let given = |type_name: &str, is_null: bool, is_default: bool| {
        let columns = if is_null { Vec::new() } else { vec![column(SqlType::INT, false)] };
        let mut parameter = table(type_name, columns, &[]);
        if let ParameterValue::Table(value) = &mut parameter.value {
            value.is_null = is_null;
        }
        RpcParameter { is_default, ..parameter }
    };
    let count = "SELECT COUNT(*) FROM @l";
    let declared = "@l one READONLY";
    assert_eq!(numbers(&call(&mut wire, count, declared, given("one", true, false))), [8060]);
    // MS-TDS 2.2.5.5.5: a table is for input alone. The flag is one that the parameter cannot have.
    let output = RpcParameter { is_output: true, ..given("one", false, false) };
    assert_eq!(numbers(&call(&mut wire, count, declared, output)), [8006]);
    let empty = call(&mut wire, count, declared, given("one", true, true));
    assert_eq!(empty.rows, [[int(0)]], "{:?}", empty.errors);
    assert_eq!(numbers(&call(&mut wire, count, declared, given("", false, false))), [8059]);
    let nameless = RpcParameter { name: String::new(), ..given("", false, false) };
    assert_eq!(numbers(&call(&mut wire, count, declared, nameless)), [8058]);
    // A module says the type of its parameter itself.
    wire.client.rpc(&[RpcCall::new(Procedure::Name("p".into()), vec![given("", false, false)])]);
    wire.send();
    let answer = wire.answer();
    assert_eq!(answer.rows, [[int(0)]], "{:?}", answer.errors);
}
