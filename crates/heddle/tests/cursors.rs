//! Cursors of drivers as remote procedure calls: handles, options, fetches and changes by position, as drivers send them.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use lab::address::ServerAddress;
use lab::client::{Answer, Connection, Target, Trust};
use support::{PASSWORD, Server};
use tds::client::{ClientEncryption, ConnectOptions};
use tds::rpc::{ParameterValue, Procedure, ProcedureId, RpcCall, RpcParameter};
use types::{Datum, SqlType};

const KEYSET: i64 = 1;
const DYNAMIC: i64 = 2;
const FORWARD: i64 = 4;
const STATIC: i64 = 8;
const FAST_FORWARD: i64 = 16;
const READ_ONLY: i64 = 1;
const OPTIMISTIC: i64 = 4;
const ALLOW_DIRECT: i64 = 0x2000;

fn parameter(name: &str, sql_type: SqlType, value: Datum, is_output: bool) -> RpcParameter {
    RpcParameter { name: name.into(), is_output, is_default: false, value: ParameterValue::Scalar { sql_type, value } }
}

fn int(value: i64) -> RpcParameter {
    parameter("", SqlType::INT, Datum::I64(value), false)
}

fn out(value: i64) -> RpcParameter {
    parameter("", SqlType::INT, Datum::I64(value), true)
}

fn text(value: &str) -> RpcParameter {
    parameter("", SqlType::nvarchar(4000), Datum::nvarchar(value), false)
}

struct Session {
    connection: Connection,
    _server: Server,
}

impl Session {
    fn start() -> Session {
        let server = Server::start(&[]);
        let address = ServerAddress::parse(&server.address()).expect("an address");
        let options = ConnectOptions {
            user: "sa".into(),
            password: PASSWORD.into(),
            encryption: ClientEncryption::Plain,
            ..ConnectOptions::default()
        };
        let target = Target::new(address, options, &Trust::Anyone).expect("a target");
        let connection = Connection::open(&target, Some(os::clock::after_ms(20_000))).expect("logged in");
        let mut session = Session { connection, _server: server };
        session.run("CREATE TABLE t (id int NOT NULL PRIMARY KEY, name nvarchar(20) NULL)");
        session.run("INSERT t VALUES (1, N'one'), (2, N'two'), (3, N'three'), (4, N'four'), (5, N'five')");
        session
    }

    fn deadline() -> Option<u64> {
        Some(os::clock::after_ms(20_000))
    }

    fn run(&mut self, query: &str) -> Answer {
        let answer = self.connection.query(query, Session::deadline()).expect("an answer");
        assert!(answer.first_error().is_none(), "{query}: {:?}", answer.messages);
        answer
    }

    fn call(&mut self, id: ProcedureId, parameters: Vec<RpcParameter>) -> Answer {
        self.connection.call(&[RpcCall::new(Procedure::Id(id), parameters)], Session::deadline()).expect("an answer")
    }

    /// Opens a cursor: (handle, scroll option, concurrency option, row count).
    fn open(&mut self, query: &str, scroll: i64, concurrency: i64) -> [i64; 4] {
        let answer =
            self.call(ProcedureId::CursorOpen, vec![out(0), text(query), out(scroll), out(concurrency), out(0)]);
        assert!(answer.first_error().is_none(), "{:?}", answer.messages);
        assert!(answer.sets.iter().all(|set| set.rows.is_empty()), "an open gives columns alone");
        let outputs: Vec<i64> = answer.outputs.iter().map(|output| output.value.as_i64()).collect();
        outputs.try_into().expect("four outputs")
    }

    /// First column of the rows of a fetch, and their ROWSTAT.
    fn fetch(&mut self, handle: i64, kind: i64, row: i64, rows: i64) -> Vec<(Option<i64>, i64)> {
        let answer = self.call(ProcedureId::CursorFetch, vec![int(handle), int(kind), int(row), int(rows)]);
        assert!(answer.first_error().is_none(), "{:?}", answer.messages);
        let number = |value: &Datum| if value.is_null() { None } else { Some(value.as_i64()) };
        answer.sets[0].rows.iter().map(|row| (number(&row[0]), row.last().expect("ROWSTAT").as_i64())).collect()
    }

    fn ids(&mut self, handle: i64, kind: i64, row: i64, rows: i64) -> Vec<i64> {
        self.fetch(handle, kind, row, rows).into_iter().filter_map(|(id, _)| id).collect()
    }
}

#[test]
fn fetches_in_every_direction() {
    let mut session = Session::start();
    let [handle, scroll, concurrency, count] = session.open("SELECT id, name FROM t ORDER BY id", STATIC, READ_ONLY);
    assert_eq!((scroll, concurrency, count), (STATIC, READ_ONLY, 5));
    assert_eq!(session.ids(handle, 2, 0, 2), [1, 2], "NEXT");
    assert_eq!(session.ids(handle, 2, 0, 2), [3, 4], "NEXT");
    assert_eq!(session.ids(handle, 2, 0, 2), [5], "NEXT reaches the end");
    assert_eq!(session.ids(handle, 2, 0, 2), [0; 0], "NEXT behind the end");
    assert_eq!(session.ids(handle, 4, 0, 2), [4, 5], "PREVIOUS from behind the end");
    assert_eq!(session.ids(handle, 1, 0, 3), [1, 2, 3], "FIRST");
    assert_eq!(session.ids(handle, 8, 0, 2), [4, 5], "LAST");
    assert_eq!(session.ids(handle, 0x10, 2, 2), [2, 3], "ABSOLUTE");
    assert_eq!(session.ids(handle, 0x10, -1, 2), [5], "ABSOLUTE from the end");
    assert_eq!(session.ids(handle, 0x20, -2, 1), [3], "RELATIVE");
    let info = session.call(ProcedureId::CursorFetch, vec![int(handle), int(0x100), out(0), out(0)]);
    let places: Vec<i64> = info.outputs.iter().map(|output| output.value.as_i64()).collect();
    assert_eq!(places, [3, 5], "INFO: first row of the buffer, rows of the cursor");
    // https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-cursorfetch-transact-sql: nrows of 0.
    assert!(session.ids(handle, 1, 0, 0).is_empty(), "FIRST of no rows");
    assert_eq!(session.ids(handle, 2, 0, 1), [1], "it was in front of the first");
    assert!(session.ids(handle, 8, 0, 0).is_empty(), "LAST of no rows");
    assert_eq!(session.ids(handle, 4, 0, 1), [5], "it was behind the last");
    assert_eq!(session.call(ProcedureId::CursorClose, vec![int(handle)]).status, Some(0));
    let closed = session.call(ProcedureId::CursorFetch, vec![int(handle), int(2), int(0), int(1)]);
    assert_eq!(closed.first_error().map(|error| error.number), Some(16909));
}

#[test]
fn options_become_what_the_query_allows() {
    let mut session = Session::start();
    let [_, scroll, concurrency, _] = session.open("SELECT id, name FROM t", KEYSET, OPTIMISTIC | ALLOW_DIRECT);
    assert_eq!((scroll, concurrency), (KEYSET, OPTIMISTIC));
    let [_, scroll, concurrency, count] = session.open("SELECT COUNT(*) FROM t", KEYSET, OPTIMISTIC);
    assert_eq!((scroll, concurrency, count), (STATIC, READ_ONLY, 1), "no key leads back to a table");
    let [handle, scroll, _, count] = session.open("SELECT id FROM t ORDER BY id", FAST_FORWARD, READ_ONLY);
    assert_eq!((scroll, count), (FAST_FORWARD, -1));
    let back = session.call(ProcedureId::CursorFetch, vec![int(handle), int(4), int(0), int(1)]);
    assert_eq!(back.first_error().map(|error| error.number), Some(16911));
    let refused = session
        .call(ProcedureId::CursorOpen, vec![out(0), text("PRINT 'no rows'"), out(KEYSET), out(OPTIMISTIC), out(0)]);
    assert_eq!(refused.first_error().map(|error| error.number), Some(16937));
    let direct = session.call(
        ProcedureId::CursorOpen,
        vec![out(0), text("UPDATE t SET name = name"), out(KEYSET), out(OPTIMISTIC | ALLOW_DIRECT), out(0)],
    );
    assert!(direct.first_error().is_none(), "{:?}", direct.messages);
    assert_eq!(direct.outputs[0].value.as_i64(), 0, "run at once, without a cursor");
    // "Using Implicit Cursor Conversions": a row of these is of no one row, or their order is of no index.
    session.run("CREATE TABLE plain (a int)");
    for (query, scroll, becomes) in [
        ("SELECT DISTINCT id, name FROM t", KEYSET, STATIC),
        ("SELECT DISTINCT id FROM t", DYNAMIC, STATIC),
        ("SELECT id FROM t UNION SELECT id FROM t", DYNAMIC, STATIC),
        ("SELECT id, COUNT(*) AS n FROM t GROUP BY id", KEYSET, STATIC),
        ("SELECT 1 AS a", FORWARD, STATIC),
        ("SELECT MAX(id) AS a FROM t", FORWARD, STATIC),
        ("SELECT id, name FROM t ORDER BY name", DYNAMIC, KEYSET),
        ("SELECT id, name FROM t ORDER BY name", FORWARD, KEYSET),
        ("SELECT id, name FROM t ORDER BY id", DYNAMIC, DYNAMIC),
        ("SELECT id, name FROM t ORDER BY id", FORWARD, FORWARD),
        ("SELECT DISTINCT id FROM t", FAST_FORWARD, FAST_FORWARD),
        // FreeTDS's cursor1.c and cursor4.c change rows of such a table through one.
        ("SELECT a FROM plain", KEYSET, KEYSET),
    ] {
        let [handle, kind, ..] = session.open(query, scroll, OPTIMISTIC);
        assert_eq!(kind, becomes, "{query} asked as {scroll}");
        session.call(ProcedureId::CursorClose, vec![int(handle)]);
    }
}

#[test]
fn changes_rows_by_position() {
    let mut session = Session::start();
    let [handle, ..] = session.open("SELECT id, name FROM t ORDER BY id", KEYSET, OPTIMISTIC);
    assert_eq!(session.ids(handle, 2, 0, 3), [1, 2, 3]);
    let name = parameter("@name", SqlType::nvarchar(20), Datum::nvarchar("zwei"), false);
    let updated = session.call(ProcedureId::Cursor, vec![int(handle), int(0x21), int(2), text("t"), name]);
    assert!(updated.first_error().is_none(), "{:?}", updated.messages);
    let deleted = session.call(ProcedureId::Cursor, vec![int(handle), int(0x22), int(3), text("t")]);
    assert!(deleted.first_error().is_none(), "{:?}", deleted.messages);
    let rows = session.run("SELECT name FROM t WHERE id IN (2, 3)").sets[0].rows.clone();
    assert_eq!(rows, [vec![Datum::nvarchar("zwei")]]);
    assert_eq!(session.fetch(handle, 1, 0, 3), [(Some(1), 1), (Some(2), 1), (None, 2)], "the deleted row is missing");
    session.run("DELETE t WHERE id = 1");
    assert_eq!(session.fetch(handle, 1, 0, 1), [(None, 2)], "a keyset sees what others delete");
}

/// https://learn.microsoft.com/sql/relational-databases/cursors ("Keyset": inserts made through the cursor are visible at its end).
#[test]
fn a_row_that_is_inserted_through_a_cursor_is_its_last() {
    let mut session = Session::start();
    let name = |value: &str| parameter("@name", SqlType::nvarchar(20), Datum::nvarchar(value), false);
    let [handle, ..] = session.open("SELECT id, name FROM t WHERE id < 5 ORDER BY id", KEYSET, OPTIMISTIC);
    assert_eq!(session.ids(handle, 2, 0, 1), [1]);
    let id = parameter("@id", SqlType::INT, Datum::I64(0), false);
    let inserted = session.call(ProcedureId::Cursor, vec![int(handle), int(4), int(0), text("t"), id, name("zero")]);
    assert!(inserted.first_error().is_none(), "{:?}", inserted.messages);
    session.run("INSERT t VALUES (-1, N'of another')");
    assert_eq!(session.ids(handle, 8, 0, 2), [4, 0], "LAST");
    let deleted = session.call(ProcedureId::Cursor, vec![int(handle), int(2), int(2), text("t")]);
    assert!(deleted.first_error().is_none(), "{:?}", deleted.messages);
    assert_eq!(session.run("SELECT id FROM t WHERE id <= 0").sets[0].rows, [vec![Datum::I64(-1)]]);
    session.run("CREATE TABLE numbered (id int IDENTITY(7, 7) PRIMARY KEY, name nvarchar(20))");
    let [handle, .., count] = session.open("SELECT name, id FROM numbered", KEYSET, OPTIMISTIC);
    assert_eq!(count, 0);
    session.call(ProcedureId::Cursor, vec![int(handle), int(4), int(0), text(""), name("seven")]);
    let last = session.call(ProcedureId::CursorFetch, vec![int(handle), int(8), int(0), int(1)]);
    assert_eq!(last.sets[0].rows[0][..2], [Datum::nvarchar("seven"), Datum::I64(7)]);
}

#[test]
fn a_table_that_is_joined_with_itself_is_two() {
    let mut session = Session::start();
    let query = "SELECT a.id, a.name, b.name AS other FROM t a JOIN t b ON b.id = a.id + 1 ORDER BY a.id";
    let [handle, ..] = session.open(query, KEYSET, OPTIMISTIC);
    assert_eq!(session.ids(handle, 2, 0, 2), [1, 2]);
    let name = parameter("@name", SqlType::nvarchar(20), Datum::nvarchar("uno"), false);
    let updated = session.call(ProcedureId::Cursor, vec![int(handle), int(0x21), int(1), text("t"), name]);
    assert!(updated.first_error().is_none(), "{:?}", updated.messages);
    let fetched = session.call(ProcedureId::CursorFetch, vec![int(handle), int(1), int(0), int(2)]);
    let row = |at: usize| fetched.sets[0].rows[at][..3].to_vec();
    assert_eq!(row(0), [Datum::I64(1), Datum::nvarchar("uno"), Datum::nvarchar("two")]);
    assert_eq!(row(1), [Datum::I64(2), Datum::nvarchar("two"), Datum::nvarchar("three")]);
    session.run("UPDATE t SET name = N'dos' WHERE id = 2");
    let fetched = session.call(ProcedureId::CursorFetch, vec![int(handle), int(1), int(0), int(2)]);
    let row = |at: usize| fetched.sets[0].rows[at][..3].to_vec();
    assert_eq!(row(0), [Datum::I64(1), Datum::nvarchar("uno"), Datum::nvarchar("dos")]);
    assert_eq!(row(1), [Datum::I64(2), Datum::nvarchar("dos"), Datum::nvarchar("three")]);
}

#[test]
fn prepared_cursors_take_parameters() {
    let mut session = Session::start();
    let first = session.call(
        ProcedureId::CursorPrepExec,
        vec![
            out(0),
            out(0),
            text("@from int"),
            text("SELECT id FROM t WHERE id >= @from ORDER BY id"),
            int(STATIC | 0x1000),
            int(READ_ONLY),
            out(0),
            int(4),
        ],
    );
    assert!(first.first_error().is_none(), "{:?}", first.messages);
    let [prepared, handle, count] = [0, 1, 2].map(|at| first.outputs[at].value.as_i64());
    assert_eq!(count, 2);
    assert_eq!(session.ids(handle, 2, 0, 10), [4, 5]);
    let again = session
        .call(ProcedureId::CursorExecute, vec![int(prepared), out(0), int(STATIC), int(READ_ONLY), out(0), int(2)]);
    assert_eq!(again.outputs[1].value.as_i64(), 4);
    assert_eq!(session.call(ProcedureId::CursorUnprepare, vec![int(prepared)]).status, Some(0));
}

#[test]
fn a_procedure_of_one_result_gives_a_cursor() {
    let mut session = Session::start();
    session.run("CREATE PROCEDURE one AS SET NOCOUNT ON SELECT id FROM t ORDER BY id");
    session.run("CREATE PROCEDURE two AS SELECT 1 AS a SELECT 2 AS b");
    let [handle, scroll, concurrency, count] = session.open("EXEC one", STATIC, READ_ONLY | ALLOW_DIRECT);
    assert_eq!((scroll, concurrency, count), (STATIC, READ_ONLY, 5));
    assert_eq!(session.ids(handle, 8, 0, 2), [4, 5], "LAST");
    assert_eq!(session.ids(handle, 1, 0, 1), [1], "FIRST");
    // Of several results none is the cursor's: they come as they are.
    let direct = vec![out(0), text("EXEC two"), out(STATIC), out(READ_ONLY | ALLOW_DIRECT), out(0)];
    let answer = session.call(ProcedureId::CursorOpen, direct);
    assert_eq!(answer.sets.iter().map(|set| set.rows[0][0].as_i64()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(answer.outputs[0].value.as_i64(), 0);
    let refused =
        session.call(ProcedureId::CursorOpen, vec![out(0), text("EXEC two"), out(STATIC), out(READ_ONLY), out(0)]);
    assert_eq!(refused.first_error().map(|error| error.number), Some(16937));
    // An error within it is told, and no cursor is open.
    session.run("CREATE PROCEDURE wrong AS SELECT id / 0 AS a FROM t");
    let wrong = vec![out(0), text("EXEC wrong"), out(STATIC), out(READ_ONLY | ALLOW_DIRECT), out(0)];
    let answer = session.call(ProcedureId::CursorOpen, wrong);
    assert_eq!(answer.first_error().map(|error| error.number), Some(8134));
}

#[test]
fn a_cursor_finds_rows_by_a_key_that_it_does_not_show() {
    let mut session = Session::start();
    for query in ["SELECT name FROM t WHERE id > 2 FOR UPDATE", "SELECT name FROM t WHERE id > 2 FOR UPDATE OF name"] {
        let [handle, scroll, concurrency, _] = session.open(query, KEYSET, OPTIMISTIC);
        assert_eq!((scroll, concurrency), (KEYSET, OPTIMISTIC), "{query}");
        let fetched = session.call(ProcedureId::CursorFetch, vec![int(handle), int(2), int(0), int(1)]);
        assert_eq!(fetched.sets[0].rows[0].len(), 2, "name and ROWSTAT");
        let value = parameter("@name", SqlType::nvarchar(20), Datum::nvarchar("changed"), false);
        let changed = session.call(ProcedureId::Cursor, vec![int(handle), int(1), int(1), text(""), value]);
        assert!(changed.first_error().is_none(), "{:?}", changed.messages);
        assert_eq!(session.call(ProcedureId::CursorClose, vec![int(handle)]).status, Some(0));
    }
    let row = session.run("SELECT id FROM t WHERE name = N'changed'");
    assert_eq!(row.sets[0].rows, [[Datum::I64(3)]]);
    let [_, _, concurrency, count] = session.open("SELECT name FROM t FOR READ ONLY", STATIC, READ_ONLY);
    assert_eq!((concurrency, count), (READ_ONLY, 5));
}

#[test]
fn a_cursor_gives_its_options_and_takes_a_name() {
    let mut session = Session::start();
    let [handle, ..] = session.open("SELECT id FROM t", KEYSET, OPTIMISTIC);
    let ask = |session: &mut Session, code: i64| {
        let answer = session.call(ProcedureId::CursorOption, vec![int(handle), int(code), out(0)]);
        assert!(answer.first_error().is_none(), "{:?}", answer.messages);
        answer.outputs[0].value.as_i64()
    };
    // SCROLLOPT, CCOPT, ROWCOUNT: https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-cursoroption-transact-sql
    assert_eq!((ask(&mut session, 4), ask(&mut session, 5), ask(&mut session, 6)), (KEYSET, OPTIMISTIC, 5));
    assert_eq!(session.call(ProcedureId::CursorOption, vec![int(handle), int(2), text("mine")]).status, Some(0));
    let refused = session.call(ProcedureId::CursorOption, vec![int(handle), int(9), int(0)]);
    assert_eq!(refused.first_error().map(|error| error.number), Some(16902));
}

/// @code 2 of https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-cursoroption-transact-sql, which is how
/// SQLSetCursorName tells it, and @optype 0x20 (SETPOSITION) of sp_cursor.
#[test]
fn statements_find_the_row_of_a_cursor_by_the_name_that_its_driver_gave() {
    let mut session = Session::start();
    session.run("CREATE TABLE other (a int PRIMARY KEY)");
    let [handle, ..] = session.open("SELECT name, id FROM t ORDER BY id", KEYSET, OPTIMISTIC);
    let name = |session: &mut Session, handle: i64, name: &str| {
        let answer = session.call(ProcedureId::CursorOption, vec![int(handle), int(2), text(name)]);
        answer.first_error().map(|error| error.number)
    };
    let fails = |session: &mut Session, query: &str| {
        let answer = session.connection.query(query, Session::deadline()).expect("an answer");
        answer.first_error().map(|error| error.number)
    };
    assert_eq!(fails(&mut session, "DELETE t WHERE CURRENT OF mine"), Some(16916));
    assert_eq!(name(&mut session, handle, "Mine"), None);
    assert_eq!(fails(&mut session, "DELETE t WHERE CURRENT OF mine"), Some(16931), "before the first fetch");
    session.call(ProcedureId::CursorFetch, vec![int(handle), int(2), int(0), int(3)]);
    session.run("UPDATE t SET name = N'eins' WHERE CURRENT OF mine");
    session.call(ProcedureId::Cursor, vec![int(handle), int(0x20), int(3), text("")]);
    session.run("DELETE t WHERE CURRENT OF [MINE]");
    assert_eq!(fails(&mut session, "DELETE t WHERE CURRENT OF mine"), Some(16947), "it is gone");
    let seen = session.run("SELECT STRING_AGG(CONCAT(id, name), N' ') WITHIN GROUP (ORDER BY id) FROM t");
    assert_eq!(seen.sets[0].rows[0][0], Datum::nvarchar("1eins 2two 4four 5five"));
    assert_eq!(fails(&mut session, "DELETE other WHERE CURRENT OF mine"), Some(16933));
    let [fixed, ..] = session.open("SELECT id FROM t", STATIC, READ_ONLY);
    assert_eq!(name(&mut session, fixed, "mine"), Some(16915));
    assert_eq!(name(&mut session, fixed, "fixed"), None);
    session.call(ProcedureId::CursorFetch, vec![int(fixed), int(2), int(0), int(1)]);
    assert_eq!(fails(&mut session, "DELETE t WHERE CURRENT OF fixed"), Some(16929));
    let listed = session.run("SELECT COUNT(*) FROM sys.dm_exec_cursors(@@SPID) WHERE name IN ('Mine', 'fixed')");
    assert_eq!(listed.sets[0].rows[0][0].as_i64(), 2);
}

/// Equal rows are one like the other. (In T-SQL, where KEYSET of such a table is STATIC:
/// https://learn.microsoft.com/sql/t-sql/language-elements/declare-cursor-transact-sql.)
#[test]
fn rows_of_a_table_without_a_unique_key_change_through_a_cursor() {
    const DYNAMIC: i64 = 2;
    let mut session = Session::start();
    session.run("CREATE TABLE h (a int, b varchar(10) NULL)");
    session.run("INSERT h VALUES (1, 'x'), (1, 'x'), (2, 'X '), (2, 'x'), (3, NULL)");
    let [_, scroll, concurrency, _] = session.open("SELECT a, b FROM h", KEYSET, OPTIMISTIC);
    assert_eq!((scroll, concurrency), (KEYSET, OPTIMISTIC));
    // The columns that are not shown are there to find the row by.
    let [handle, scroll, concurrency, _] = session.open("SELECT a FROM h ORDER BY a", DYNAMIC, OPTIMISTIC);
    assert_eq!((scroll, concurrency), (DYNAMIC, OPTIMISTIC));
    let fetched = session.call(ProcedureId::CursorFetch, vec![int(handle), int(2), int(0), int(1)]);
    assert_eq!(fetched.sets[0].columns.len(), 2, "the column and ROWSTAT");
    session.run("CREATE TABLE long (a int, b varchar(max))");
    let [_, scroll, concurrency, _] = session.open("SELECT a FROM long", DYNAMIC, OPTIMISTIC);
    assert_eq!((scroll, concurrency), (STATIC, READ_ONLY), "nobody knows which row it is");
    let [handle, scroll, concurrency, _] = session.open("SELECT a, b FROM h ORDER BY a, b DESC", DYNAMIC, OPTIMISTIC);
    assert_eq!((scroll, concurrency), (DYNAMIC, OPTIMISTIC));
    assert_eq!(session.ids(handle, 2, 0, 5), [1, 1, 2, 2, 3]);
    let set = |name: &str, value: &str| parameter(name, SqlType::varchar(10), Datum::bytes(value.as_bytes()), false);
    let change = |session: &mut Session, kind: i64, row: i64, value: Option<&str>| {
        let mut parameters = vec![int(handle), int(kind), int(row), text("")];
        parameters.extend(value.map(|value| set("@b", value)));
        let answer = session.call(ProcedureId::Cursor, parameters);
        assert!(answer.first_error().is_none(), "{:?}", answer.messages);
    };
    change(&mut session, 1, 1, Some("one"));
    change(&mut session, 1, 5, Some("three"));
    change(&mut session, 2, 3, None);
    let seen = session.run("SELECT STRING_AGG(CONCAT(a, b), ',') WITHIN GROUP (ORDER BY a, b) FROM h");
    let Datum::Bytes(seen) = &seen.sets[0].rows[0][0] else { panic!("a text") };
    let seen = String::from_utf8_lossy(seen).into_owned();
    assert!(["1one,1x,2x,3three", "1one,1x,2X ,3three"].contains(&&*seen), "{seen}");
}

/// API cursors stay what they are over tables without a unique index ("Using Implicit Cursor Conversions", step 5).
#[test]
fn a_join_of_tables_without_unique_keys_stays_dynamic() {
    const DYNAMIC: i64 = 2;
    let mut session = Session::start();
    session.run("CREATE TABLE h (a int, b varchar(10)) CREATE TABLE other (x int)");
    session.run("INSERT h VALUES (1, 'one'), (2, 'two') INSERT other VALUES (7)");
    for asked in [KEYSET, DYNAMIC] {
        let [_, scroll, concurrency, _] = session.open("SELECT x, b FROM h, other", asked, OPTIMISTIC);
        assert_eq!((scroll, concurrency), (asked, OPTIMISTIC));
    }
    let [handle, ..] = session.open("SELECT x, b FROM h, other ORDER BY h.a", DYNAMIC, OPTIMISTIC);
    assert_eq!(session.ids(handle, 2, 0, 2), [7, 7]);
    let deleted = session.call(ProcedureId::Cursor, vec![int(handle), int(2), int(2), text("h")]);
    assert!(deleted.first_error().is_none(), "{:?}", deleted.messages);
    let left = session.run("SELECT (SELECT MAX(a) FROM h), (SELECT COUNT(*) FROM h), (SELECT COUNT(*) FROM other)");
    assert_eq!(left.sets[0].rows[0].iter().map(Datum::as_i64).collect::<Vec<_>>(), [1, 1, 1]);
}

/// What a cursor adds to a row, its status, goes beyond the columns that a query may have.
#[test]
fn a_cursor_over_as_many_columns_as_may_be_is_opened() {
    let server = Server::start(&[]);
    let opened = server.query(
        "SET NOCOUNT ON; CREATE TABLE #t (a int); INSERT #t VALUES (1);
         DECLARE @h int, @s nvarchar(max) = N'SELECT ' + REPLICATE(CAST(N'a,' AS nvarchar(max)), 4095) + N'a FROM #t';
         EXEC sp_cursoropen @h OUTPUT, @s, 1, 1; EXEC sp_cursorfetch @h, 2, 0, 1; EXEC sp_cursorclose @h; SELECT 'closed'",
    );
    assert!(!opened.contains("Msg") && opened.contains("closed"), "{}", &opened[opened.len().saturating_sub(300)..]);
}
