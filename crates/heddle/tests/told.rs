//! What the tokens of an answer tell beside its rows: flags of columns, the order, the statement that a DONE ends, what follows the errors of
//! a text that cannot be prepared. MS-TDS 2.2.7; the values of CurCmd and of the flags are those that SQL Server 2025 was seen to send.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::Server;
use support::raw::{RPC, Raw, dones, errors, has, rows, tokens, wide};
use tds::TdsVersion;
use tds::column::flag;
use tds::request::put_all_headers;
use tds::token::{DoneKind, Token, command, done};
use types::Datum;

fn open(server: &Server) -> Raw {
    Raw::open(server.port, true, Vec::new())
}

/// Name, flags and whether the type is one for values that may be NULL, of each column.
fn columns(answer: &[u8]) -> Vec<(String, u16)> {
    let found = tokens(answer).into_iter().find_map(|token| match token {
        Token::Columns(columns) => Some(columns),
        _ => None,
    });
    found.expect("a result").iter().map(|column| (column.name.clone(), column.flags)).collect()
}

/// A call by number with Unicode texts and integers: MS-TDS 2.2.6.6.
struct Call(Vec<u8>);

impl Call {
    fn new(id: u16) -> Call {
        let mut bytes = Vec::new();
        put_all_headers(&mut bytes, 0, TdsVersion::V7_4);
        bytes.extend([0xFF, 0xFF]);
        bytes.extend(id.to_le_bytes());
        bytes.extend([0, 0]);
        Call(bytes)
    }

    fn named(procedure: &str) -> Call {
        let mut bytes = Vec::new();
        put_all_headers(&mut bytes, 0, TdsVersion::V7_4);
        bytes.extend((procedure.len() as u16).to_le_bytes());
        bytes.extend(wide(procedure));
        bytes.extend([0, 0]);
        Call(bytes)
    }

    fn text(mut self, value: &str) -> Call {
        let value = wide(value);
        self.0.extend([0, 0, 0xE7]);
        self.0.extend(8000u16.to_le_bytes());
        self.0.extend([0x09, 0x04, 0xD0, 0x00, 0x34]);
        self.0.extend((value.len() as u16).to_le_bytes());
        self.0.extend(value);
        self
    }

    fn int(mut self, value: i32) -> Call {
        self.0.extend([0, 0, 0x26, 4, 4]);
        self.0.extend(value.to_le_bytes());
        self
    }

    fn int_named(mut self, name: &str, value: i32) -> Call {
        self.0.push(name.len() as u8);
        self.0.extend(wide(name));
        self.0.extend([0, 0x26, 4, 4]);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// OUTPUT, NULL.
    fn out(mut self) -> Call {
        self.0.extend([0, 1, 0x26, 4, 0]);
        self
    }

    fn ask(mut self, raw: &mut Raw) -> Vec<u8> {
        self.0[10..18].copy_from_slice(&raw.transaction.to_le_bytes());
        raw.ask(RPC, &self.0)
    }
}

const SP_CURSOR: u16 = 1;
const SP_CURSOROPEN: u16 = 2;
const SP_CURSORFETCH: u16 = 7;
const SP_CURSORCLOSE: u16 = 9;
const SP_EXECUTESQL: u16 = 10;
const SP_PREPARE: u16 = 11;
const SP_EXECUTE: u16 = 12;
const SP_PREPEXEC: u16 = 13;

#[test]
fn columns_have_the_flags_of_where_they_come_from() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE t (id int IDENTITY, v varchar(9) NOT NULL, cs varchar(9) COLLATE Latin1_General_CS_AS NULL, x xml NULL, \
         c AS id + 1, p AS v + 'x' PERSISTED)");
    const STORED: u16 = flag::UPDATABLE_UNKNOWN;
    const NULL: u16 = flag::NULLABLE;
    for (text, wanted) in [
        ("SELECT v FROM t", vec![STORED]),
        ("SELECT id FROM t", vec![flag::IDENTITY]),
        ("SELECT c, p FROM t", vec![flag::COMPUTED | NULL, flag::COMPUTED]),
        ("SELECT cs, x FROM t", vec![STORED | NULL | flag::CASE_SENSITIVE; 2]),
        ("SELECT 1, 'x', N'x'", vec![flag::COMPUTED; 3]),
        ("SELECT id + 1, -id, CAST(id AS bigint) FROM t", vec![flag::COMPUTED | NULL; 3]),
        ("SELECT COALESCE(v, 'x'), COALESCE(NULLIF(v, 'y'), 'x') FROM t", vec![flag::COMPUTED, flag::COMPUTED | NULL]),
        ("SELECT ISNULL(cs, 'x') FROM t", vec![flag::COMPUTED | flag::CASE_SENSITIVE]),
        ("SELECT @@VERSION", vec![flag::COMPUTED | NULL]),
        ("SELECT COUNT(*), MAX(id) FROM t", vec![NULL; 2]),
        ("SELECT ROW_NUMBER() OVER (ORDER BY id) FROM t", vec![NULL]),
        ("SELECT v FROM t UNION SELECT v FROM t", vec![0]),
        ("SELECT n, v FROM (SELECT id + 1 AS n, v FROM t) AS d", vec![NULL, STORED]),
        ("SELECT SYSDATETIME()", vec![0]),
        ("SELECT CAST(NULL AS sql_variant)", vec![NULL]),
        ("SELECT DATEADD(day, 1, CAST('2024-01-01' AS datetime))", vec![flag::COMPUTED | NULL]),
        ("SELECT v FROM t FOR XML AUTO", vec![NULL]),
        ("SELECT v FROM t FOR XML AUTO, TYPE", vec![NULL | flag::CASE_SENSITIVE]),
    ] {
        let told: Vec<u16> = columns(&raw.batch(text)).into_iter().map(|(_, flags)| flags).collect();
        assert_eq!(told, wanted, "{text}");
    }
    raw.batch("CREATE TABLE w (id int NOT NULL, g int, n int)");
    // Of a view: what is no expression in it is told as a table's column; derived tables and CTEs are not.
    for (view, wanted) in [
        ("SELECT MIN(n) AS m, COUNT(*) AS c, g, g + 1 AS g1, 5 AS lit FROM w GROUP BY g", vec![9, 9, 9, 33, 32]),
        ("SELECT id, n FROM w UNION SELECT id, n FROM w", vec![8, 9]),
        (
            "SELECT d.x, d.y, ROW_NUMBER() OVER (ORDER BY id) AS r FROM (SELECT id, id + 1 AS x, MAX(n) OVER () AS y FROM w) AS d",
            vec![9; 3],
        ),
    ] {
        raw.batch(&format!("CREATE OR ALTER VIEW seen AS {view}"));
        let told: Vec<u16> = columns(&raw.batch("SELECT * FROM seen")).into_iter().map(|(_, flags)| flags).collect();
        assert_eq!(told, wanted, "{view}");
    }
    // What a view computes is told so only where it is read directly.
    raw.batch("CREATE TABLE k (id int NOT NULL PRIMARY KEY, c AS id * 2)");
    raw.batch("CREATE VIEW vv AS SELECT id, id + 1 AS x, c FROM k");
    let constraint = "SELECT CONSTRAINT_TYPE FROM INFORMATION_SCHEMA.TABLE_CONSTRAINTS";
    for (text, wanted) in [
        ("SELECT x, c FROM vv", vec![33, 33]),
        ("SELECT d.x, d.c FROM (SELECT x, c FROM vv) AS d", vec![9, 9]),
        ("WITH w AS (SELECT x FROM vv) SELECT x FROM w", vec![9]),
        ("SELECT d.c FROM (SELECT c FROM k) AS d", vec![33]),
        ("SELECT d.y FROM (SELECT id + 1 AS y FROM k) AS d", vec![1]),
        (&*format!("SELECT d.CONSTRAINT_TYPE FROM ({constraint}) AS d"), vec![9]),
        (&*format!("WITH w AS ({constraint}) SELECT CONSTRAINT_TYPE FROM w"), vec![9]),
        ("SELECT a.x FROM k CROSS APPLY (SELECT x FROM vv WHERE vv.id = k.id) AS a", vec![9]),
        ("SELECT x, id * 2 AS y FROM vv ORDER BY id", vec![9, 1]),
        ("SELECT x, id * 2 AS y, id FROM vv ORDER BY id", vec![33, 33, 8]),
        ("SELECT id + 1 AS y FROM k ORDER BY c", vec![1]),
        ("SELECT id + 1 AS y FROM k ORDER BY y", vec![33]),
        ("SELECT d.x FROM (SELECT TOP 5 x FROM vv ORDER BY id) AS d", vec![9]),
        ("SELECT x FROM vv UNION ALL SELECT x FROM vv", vec![1]),
    ] {
        let told: Vec<u16> = columns(&raw.batch(text)).into_iter().map(|(_, flags)| flags).collect();
        assert_eq!(told, wanted, "{text}");
    }
    // One value of type xml without a name, and not text in pieces.
    let answer = raw.batch("SELECT 1 AS value FOR XML PATH('row'), TYPE");
    assert!(has(&answer, &[0x81, 1, 0, 0, 0, 0, 0, 3, 0, 0xF1, 0, 0]), "{answer:02x?}");
}

#[test]
fn the_order_of_a_result_is_told() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE t (a int, b int, c int)");
    for (text, wanted) in [
        ("SELECT a, b FROM t ORDER BY a", vec![1u8]),
        ("SELECT a, b FROM t ORDER BY b DESC, a", vec![2, 1]),
        ("SELECT TOP (3) a, b AS x FROM t ORDER BY 2", vec![2]),
        ("SELECT a FROM t ORDER BY c, a", vec![0, 1]),
        ("SELECT a FROM t UNION ALL SELECT b FROM t ORDER BY 1", vec![1]),
        ("SELECT a, COUNT(*) AS n FROM t GROUP BY a ORDER BY n", vec![2]),
        ("SELECT DISTINCT a, b FROM t ORDER BY b OFFSET 1 ROWS", vec![2]),
    ] {
        let mut token = vec![0xA9, 2 * wanted.len() as u8, 0];
        wanted.iter().for_each(|column| token.extend([*column, 0]));
        assert!(has(&raw.batch(text), &token), "{text}");
    }
    let answer = raw.batch("SELECT a FROM t");
    assert!(!tokens(&answer).iter().any(|token| matches!(token, Token::Order(_))));
    // Rows in order below others are in none.
    let answer = raw.batch("SELECT a FROM (SELECT TOP (3) a FROM t ORDER BY a) AS d");
    assert!(!tokens(&answer).iter().any(|token| matches!(token, Token::Order(_))));
    // Of what is prepared, too.
    let answer = Call::new(SP_PREPARE).out().text("").text("SELECT a, b FROM t ORDER BY b").int(1).ask(&mut raw);
    assert!(has(&answer, &[0xA9, 2, 0, 2, 0]));
}

#[test]
fn a_done_names_its_statement() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    let ends = |answer: &[u8]| dones(answer).iter().map(|done| (done.1 & !done::MORE, done.2)).collect::<Vec<_>>();
    assert_eq!(ends(&raw.batch("PRINT 'a' PRINT 'b'")), [(0, command::PRINT); 2]);
    assert_eq!(ends(&raw.batch("RAISERROR ('a', 10, 1)")), [(0, command::RAISE)]);
    assert_eq!(ends(&raw.batch("SET NOCOUNT ON")), [(0, command::SET_ON)]);
    assert_eq!(ends(&raw.batch("SET NOCOUNT OFF")), [(0, command::SET_OFF)]);
    assert_eq!(ends(&raw.batch("SET STATISTICS TIME OFF")), [(0, command::SET_STATISTICS)]);
    assert_eq!(
        ends(&raw.batch("SET ROWCOUNT 0 SET TEXTSIZE 5")),
        [(0, command::SET_ROWCOUNT), (0, command::SET_TEXTSIZE)]
    );
    assert_eq!(ends(&raw.batch("SET DATEFIRST 7 SET LOCK_TIMEOUT -1")), [(0, command::SET_VALUE); 2]);
    assert_eq!(ends(&raw.batch("SET TRANSACTION ISOLATION LEVEL READ COMMITTED")), [(0, command::SET_VALUE)]);
    let both = [(0, command::BEGIN_TRANSACTION), (0, command::ROLLBACK)];
    assert_eq!(ends(&raw.batch("BEGIN TRAN ROLLBACK")), both);
    assert_eq!(ends(&raw.batch("WAITFOR DELAY '00:00'")), [(0, command::WAITFOR)]);
    let cursor = [command::SELECT, command::OPEN_CURSOR, command::CLOSE_CURSOR, command::DEALLOCATE_CURSOR];
    let told = ends(&raw.batch("DECLARE c CURSOR FOR SELECT 1 AS a OPEN c CLOSE c DEALLOCATE c"));
    assert_eq!(told.iter().map(|done| done.1).collect::<Vec<_>>(), cursor);
    raw.batch("CREATE TABLE k (a int PRIMARY KEY)");
    assert_eq!(ends(&raw.batch("TRUNCATE TABLE k")), [(0, 0xEA)]);
    assert_eq!(ends(&raw.batch("INSERT k VALUES (NULL)")), [(done::ERROR, command::INSERT)]);
    raw.batch("SET NOCOUNT ON");
    assert_eq!(ends(&raw.batch("SELECT FROM")), [(done::ERROR, command::NOTHING)]);
    assert_eq!(ends(&raw.batch("SELECT 1 / 0 AS a")), [(done::ERROR, command::SELECT)]);
    // An attention while nothing runs.
    raw.packet(6, 1, &[]);
    assert_eq!(dones(&raw.answer()), [(DoneKind::Batch, done::ATTENTION, command::NOTHING, 0)]);
    // A message that is taken back: no ERROR token, and no statement.
    let mut bytes = Vec::new();
    put_all_headers(&mut bytes, 0, TdsVersion::V7_4);
    raw.packet(1, 0, &bytes);
    raw.packet(1, 3, &[]);
    let answer = raw.answer();
    assert_eq!(dones(&answer), [(DoneKind::Batch, done::ERROR, command::NONE, 0)]);
    assert!(errors(&answer).is_empty());
    // One that an attention cuts off: SqlClient cancels so what it has not sent to its end.
    raw.packet(1, 0, &bytes);
    raw.packet(6, 1, &[]);
    assert_eq!(dones(&raw.answer()), [(DoneKind::Batch, done::ERROR, command::NONE, 0)]);
    assert_eq!(dones(&raw.answer()), [(DoneKind::Batch, done::ATTENTION, command::NOTHING, 0)]);
    assert_eq!(ends(&raw.batch("SELECT 1 AS a")), [(0, command::SELECT)]);
}

/// As SQL Server 2025 was seen to answer.
#[test]
fn a_procedure_tells_of_an_error_that_no_statement_of_it_has_told() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE PROCEDURE goes_on AS RAISERROR ('x', 16, 1)");
    raw.batch("CREATE PROCEDURE is_ended AS SELECT CAST('x' AS int) AS c SELECT 1 AS b");
    raw.batch("CREATE PROCEDURE cannot AS SELECT 1 AS a SELECT * FROM no_such_table");
    let ends = |answer: &[u8]| dones(answer).iter().map(|done| (done.0, done.1, done.2)).collect::<Vec<_>>();
    let (inside, whole) = (DoneKind::InProcedure, DoneKind::Procedure);
    let failed = done::ERROR | done::MORE;
    let answer = ends(&Call::named("goes_on").ask(&mut raw));
    assert_eq!(answer, [(inside, failed, command::RAISE), (whole, 0, command::EXECUTE)]);
    // What ends the procedure has no DONE but the procedure's.
    assert_eq!(ends(&Call::named("is_ended").ask(&mut raw)), [(whole, done::ERROR, command::EXECUTE)]);
    let one = (inside, done::COUNT | done::MORE, command::SELECT);
    assert_eq!(ends(&Call::named("cannot").ask(&mut raw)), [one, (whole, done::ERROR, command::EXECUTE)]);
    assert_eq!(ends(&raw.batch("EXEC is_ended")), [(DoneKind::Batch, done::ERROR, command::SELECT)]);
    let answer = ends(&Call::new(SP_EXECUTESQL).text("SELECT 1 / 0 AS a SELECT 2 AS b").ask(&mut raw));
    assert_eq!(answer, [(inside, failed, command::SELECT), one, (whole, 0, command::EXECUTE)]);
    // What the text has left open is no statement's error, and its status.
    let answer = Call::new(SP_EXECUTESQL).text("BEGIN TRAN").ask(&mut raw);
    assert_eq!(errors(&answer), [266]);
    assert!(has(&answer, &[0x79, 0x0A, 0x01, 0, 0]), "the status is 266");
    let (_, status, _, _) = *dones(&answer).last().expect("a DONE");
    assert!(status & done::ERROR != 0);
}

#[test]
fn nocount_leaves_out_what_a_module_did_without_a_result() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE t (a int)");
    raw.batch("CREATE TRIGGER tr ON t AFTER INSERT AS SET NOCOUNT ON; UPDATE t SET a += 1");
    raw.batch(
        "CREATE PROCEDURE p AS SET NOCOUNT ON; DECLARE @i int = 1; INSERT t VALUES (1); IF @i = 1 SELECT 7 AS a; \
         CREATE TABLE #t (i int); UPDATE t SET a = 1 OUTPUT inserted.a; SELECT @i = a FROM t; DELETE t",
    );
    let ends = |answer: &[u8]| dones(answer).iter().map(|done| (done.0, done.2)).collect::<Vec<_>>();
    let (inside, whole) = (DoneKind::InProcedure, DoneKind::Procedure);
    let wanted = [(inside, command::SELECT), (inside, command::UPDATE), (whole, command::EXECUTE)];
    assert_eq!(ends(&raw.batch("EXEC p")), wanted);
    // What fails is told.
    raw.batch("CREATE PROCEDURE f AS SET NOCOUNT ON; INSERT t VALUES (1 / 0); DELETE t");
    assert_eq!(ends(&raw.batch("EXEC f")), [(inside, command::INSERT), (whole, command::EXECUTE)]);
    // A statement of a batch is always told, and its trigger is not.
    assert_eq!(ends(&raw.batch("INSERT t VALUES (1)")), [(DoneKind::Batch, command::INSERT)]);
    raw.batch("SET NOCOUNT ON");
    assert_eq!(ends(&raw.batch("DELETE t")), [(DoneKind::Batch, command::DELETE)]);
}

#[test]
fn the_status_of_a_description_is_the_kind_of_its_error() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    for (procedure, text, error, kind) in [
        ("sp_describe_first_result_set", "SELECT FROM", 156, 2),
        ("sys.sp_describe_first_result_set", "SELECT * FROM missing", 208, 2),
        ("sp_describe_first_result_set", "DECLARE @s varchar(9) = 'x' EXEC (@s)", 11513, 4),
        ("sp_describe_first_result_set", "CREATE TABLE #t (a int) SELECT * FROM #t", 11525, 10),
        ("sp_describe_undeclared_parameters", "SELECT @p", 11502, 1),
    ] {
        let answer = Call::named(procedure).text(text).ask(&mut raw);
        assert_eq!(errors(&answer)[0], error, "{text}");
        let status = tokens(&answer).iter().find_map(|token| match token {
            Token::ReturnStatus(status) => Some(*status),
            _ => None,
        });
        assert_eq!(status, Some(kind), "{text}");
    }
}

#[test]
fn what_cannot_be_prepared_says_so() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    for (text, number) in [
        ("SELECT FROM", 156),
        ("SELECT * FROM missing", 208),
        ("SELECT nothing FROM sys.objects", 207),
        ("SELECT @other", 137),
    ] {
        let prepared = Call::new(SP_PREPARE).out().text("").text(text).int(1).ask(&mut raw);
        let run = Call::new(SP_PREPEXEC).out().text("@p int").text(text).int(1).ask(&mut raw);
        for answer in [prepared, run] {
            assert_eq!(errors(&answer), [number, 8180], "{text}");
            let found = tokens(&answer);
            assert!(found.iter().any(|token| matches!(token, Token::ReturnStatus(_))), "{text}: {found:?}");
            let handle = found.iter().find_map(|token| match token {
                Token::ReturnValue(value) => Some(value.value.clone()),
                _ => None,
            });
            assert_eq!(handle, Some(Datum::Null), "{text}");
            assert_eq!(dones(&answer).last().map(|done| done.0), Some(DoneKind::Procedure));
        }
    }
    // What only its run can tell is the run's error; a text that makes what it reads is prepared.
    let answer = Call::new(SP_PREPEXEC).out().text("@p int").text("SELECT 1 / @p").int(0).ask(&mut raw);
    assert_eq!(errors(&answer), [8134]);
    let making = "CREATE TABLE #t (a int) SELECT a FROM #t";
    assert!(errors(&Call::new(SP_PREPEXEC).out().text("").text(making).ask(&mut raw)).is_empty());
    // 8178 is told with the whole text.
    let missing = "(@p int, @q int)SELECT @p + @q";
    for answer in [
        Call::new(SP_EXECUTESQL).text("SELECT @p + @q").text("@p int, @q int").int(1).ask(&mut raw),
        Call::new(SP_PREPEXEC).out().text("@p int, @q int").text("SELECT @p + @q").int(1).ask(&mut raw),
    ] {
        assert_eq!(errors(&answer), [8178]);
        assert!(has(&answer, &wide(missing)));
    }
    // A value that is DEFAULT is none: SqlClient sends it for a parameter that was never set.
    let mut unset = Call::new(SP_EXECUTESQL).text("SELECT @p + @q").text("@p int, @q int").int(1);
    unset.0.extend([0, 2, 0x26, 4, 0]);
    assert_eq!(errors(&unset.ask(&mut raw)), [8178]);
    // Of a handle that there is not the status is the error.
    let answer = Call::new(SP_EXECUTE).int(77).ask(&mut raw);
    assert_eq!(errors(&answer), [8179]);
    assert!(tokens(&answer).iter().any(|token| matches!(token, Token::ReturnStatus(8179))));
}

fn returned(tokens: &[Token]) -> Vec<Datum> {
    let value = |token: &Token| match token {
        Token::ReturnValue(value) => Some(value.value.clone()),
        _ => None,
    };
    tokens.iter().filter_map(value).collect()
}

/// READ_ONLY | ALLOW_DIRECT, and a static cursor.
const DIRECT: i32 = 0x2001;
const STATIC: i32 = 8;

#[test]
fn a_statement_without_a_cursor_answers_directly() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE t (a int)");
    for text in ["INSERT t VALUES (1)", "SELECT 1 AS a SELECT 2 AS b", "EXEC ('SELECT 1 AS a SELECT 2 AS b')"] {
        let answer = Call::new(SP_CURSOROPEN).out().text(text).int(STATIC).int(DIRECT).out().ask(&mut raw);
        let found = tokens(&answer);
        // By 16954 mssql-jdbc knows; it reads the values that tell of a cursor all the same.
        assert!(matches!(&found[0], Token::Message(message) if message.number == 16954), "{text}: {found:?}");
        assert_eq!(returned(&found), [Datum::I64(0), Datum::I64(0)], "{text}: {found:?}");
        assert!(errors(&answer).is_empty(), "{text}");
    }
    // Values of OUTPUT parameters come back with the cursor on the procedure's rows.
    raw.batch("CREATE PROCEDURE twice @a int, @o int OUTPUT AS SET @o = @a * 2 SELECT 1 AS a");
    let declared = "@p int, @q int OUTPUT";
    let call = Call::new(SP_CURSOROPEN).out().text("EXEC twice @p, @q OUTPUT").int(STATIC).int(DIRECT).out();
    let found = tokens(&call.text(declared).int(21).out().ask(&mut raw));
    let last = found.iter().rev().find_map(|token| match token {
        Token::ReturnValue(value) => Some(value.value.clone()),
        _ => None,
    });
    assert_eq!(last, Some(Datum::I64(42)), "{found:?}");
    // And behind the values of a cursor that there is not.
    raw.batch("CREATE PROCEDURE silent @a int, @o int OUTPUT AS SET @o = @a * 2");
    let call = Call::new(SP_CURSOROPEN).out().text("EXEC silent @p, @q OUTPUT").int(STATIC).int(DIRECT).out();
    let found = tokens(&call.text(declared).int(21).out().ask(&mut raw));
    assert_eq!(returned(&found), [Datum::I64(0), Datum::I64(0), Datum::I64(42)], "{found:?}");
    for (text, number) in [("SELECT FROM", 156), ("SELECT * FROM missing", 208), ("SELECT nothing FROM t", 207)] {
        let answer = Call::new(SP_CURSOROPEN).out().text(text).int(STATIC).int(1).out().ask(&mut raw);
        assert_eq!(errors(&answer), [number, 16945], "{text}");
    }
    // Codes that mean nothing, another table than the cursor's, a handle that is negative.
    raw.batch("CREATE TABLE k (a int PRIMARY KEY, b int) INSERT k VALUES (1, 1)");
    let answer = Call::new(SP_CURSOROPEN).out().text("SELECT * FROM k").int(1).int(4).out().ask(&mut raw);
    let handle = tokens(&answer).iter().find_map(|token| match token {
        Token::ReturnValue(value) => Some(value.value.as_i64() as i32),
        _ => None,
    });
    let handle = handle.expect("a cursor");
    for kind in [0, 0x40, 0x800, 3] {
        assert_eq!(errors(&Call::new(SP_CURSORFETCH).int(handle).int(kind).ask(&mut raw)), [16902], "{kind}");
    }
    assert!(errors(&Call::new(SP_CURSORFETCH).int(handle).int(2).ask(&mut raw)).is_empty());
    // REFRESH gives the rows of the buffer again, whatever numbers come with it: mssql-jdbc sends 0 and 0.
    let again = Call::new(SP_CURSORFETCH).int(handle).int(0x80).int(0).int(0).ask(&mut raw);
    assert_eq!(dones(&again)[0].3, 1);
    let operate = |kind: i32, table: &str| Call::new(SP_CURSOR).int(handle).int(kind).int(1).text(table);
    assert_eq!(errors(&operate(0x80, "").ask(&mut raw)), [16902]);
    assert_eq!(errors(&operate(2, "other").ask(&mut raw)), [16933]);
    assert!(errors(&operate(2, "dbo.k").ask(&mut raw)).is_empty());
    let answer = Call::new(SP_CURSORCLOSE).int(-1).ask(&mut raw);
    assert!(has(&answer, &wide("(ffffffff)")));
}

/// "table: the name of the table that the operation applies to when the cursor definition involves a join": sp_cursor.
#[test]
fn a_cursor_on_a_join_changes_the_table_that_is_named() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE a (id int PRIMARY KEY, x int) CREATE TABLE b (id int PRIMARY KEY, y int) INSERT a VALUES (1, 10), (2, 20), (3, 30) \
         INSERT b VALUES (1, 100), (2, 200)");
    let text = "SELECT a.x, b.y FROM a LEFT JOIN b ON b.id = a.id ORDER BY a.id";
    let answer = Call::new(SP_CURSOROPEN).out().text(text).int(1).int(4).out().ask(&mut raw);
    let Some(Datum::I64(handle)) = returned(&tokens(&answer)).first().cloned() else { panic!("{answer:?}") };
    let fetch = |raw: &mut Raw| Call::new(SP_CURSORFETCH).int(handle as i32).int(2).int(0).int(1).ask(raw);
    let operate = |kind: i32, table: &str, column: &str, value: i32, raw: &mut Raw| {
        let mut call = Call::new(SP_CURSOR).int(handle as i32).int(kind).int(1).text(table);
        if !column.is_empty() {
            call = call.int_named(column, value);
        }
        errors(&call.ask(raw))
    };
    assert_eq!(rows(&fetch(&mut raw)).len(), 1);
    assert!(operate(1, "b", "@y", 101, &mut raw).is_empty());
    // Without a name it is the table that has the column.
    assert!(operate(1, "", "@x", 11, &mut raw).is_empty());
    assert_eq!(operate(1, "c", "@y", 1, &mut raw), [16933]);
    assert_eq!(rows(&fetch(&mut raw)).len(), 1);
    assert!(operate(2, "b", "", 0, &mut raw).is_empty());
    assert!(has(&raw.batch("SELECT CONCAT(a.x, ':', b.y) FROM a JOIN b ON b.id = a.id"), b"11:101"));
    assert!(has(&raw.batch("SELECT CONVERT(varchar(9), COUNT(*)) + ' left' FROM b"), b"1 left"));
}

/// The client of a request that is killed hears 596 and that what it has may be worth nothing; then the connection ends.
#[test]
fn who_is_killed_while_a_request_runs_hears_of_it() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    let spid = rows(&raw.batch("SELECT CONVERT(int, @@SPID)"))[0][0].as_i64();
    let port = server.port;
    let killer = std::thread::spawn(move || {
        let mut other = Raw::open(port, true, Vec::new());
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert!(errors(&other.batch(&format!("KILL {spid}"))).is_empty());
    });
    let answer = raw.batch("SELECT 1 AS a WAITFOR DELAY '00:01:00'");
    assert_eq!(errors(&answer), [596]);
    assert_eq!(rows(&answer).len(), 1);
    let last = *dones(&answer).last().expect("an end");
    assert!(last.1 & done::SERVER_ERROR != 0, "{last:?}");
    killer.join().expect("killed");
}

/// MS-TDS 2.2.5.3.2: a request names the transaction that it belongs to.
#[test]
fn a_request_belongs_to_the_transaction_that_its_client_was_told_of() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    assert!(errors(&raw.batch("BEGIN TRAN; CREATE TABLE t (a int)")).is_empty());
    let own = raw.transaction;
    assert_ne!(own, 0);
    for (named, number) in [(0, 3989), (own + 1, 3971)] {
        raw.transaction = named;
        assert_eq!(errors(&raw.batch("INSERT t VALUES (1)")), [number]);
        raw.transaction = own;
    }
    let answer = raw.batch("INSERT t VALUES (2); COMMIT");
    assert!(errors(&answer).is_empty());
    // The one that is over, after a rollback that the client was told of and did not look at.
    raw.transaction = own;
    assert_eq!(errors(&raw.batch("SELECT XACT_STATE()")), [3971]);
    raw.transaction = 0;
    assert_eq!(rows(&raw.batch("SELECT a FROM t")), [[Datum::I64(2)]]);
    // A transaction of a trigger, of a procedure, of an atomic text: whoever opens it, its client is told.
    raw.batch("CREATE TRIGGER tr ON t AFTER INSERT AS IF EXISTS (SELECT * FROM inserted WHERE a = 9) ROLLBACK");
    assert!(errors(&raw.batch("BEGIN TRAN; INSERT t VALUES (3)")).is_empty());
    assert_eq!(errors(&raw.batch("INSERT t VALUES (9)")), [3609]);
    assert!(errors(&raw.batch("SELECT 1")).is_empty());
    raw.batch("SET IMPLICIT_TRANSACTIONS ON; SET XACT_ABORT ON");
    assert!(errors(&raw.batch("INSERT t VALUES (4)")).is_empty() && raw.transaction != 0);
    assert_eq!(errors(&raw.batch("SELECT 1 / 0 FROM t")), [8134]);
    assert_eq!(raw.transaction, 0);
    assert_eq!(rows(&raw.batch("SELECT COUNT(*) FROM t")), [[Datum::I64(1)]]);
    // A reset ends it, whatever the request says.
    raw.reset();
    assert!(errors(&raw.batch("SELECT 1")).is_empty());
    assert!(errors(&raw.batch("SELECT 2")).is_empty());
}
