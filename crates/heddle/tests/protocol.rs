//! The protocol as drivers speak it that the client library here is not: bytes as SqlClient and mssql-jdbc write them, and what they look for
//! in the answers. Where a byte comes from: MS-TDS, or the driver's source that is named.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::Server;
use support::raw::{Raw, dones, errors, has, rows, tokens, wide};
use tds::login7::{Feature, feature};
use tds::token::{DoneKind, Token, command, done};
use types::Datum;

const FINAL_ERROR: u16 = done::FINAL | done::ERROR;

/// COLMETADATA of one nullable int column `c` (MS-TDS 2.2.7.4), with what stands behind the count.
fn int_column(behind_count: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x81, 1, 0];
    bytes.extend(behind_count);
    bytes.extend([0, 0, 0, 0, 9, 0, 0x26, 4, 1]);
    bytes.extend(wide("c"));
    bytes
}

fn int_row(value: u8) -> Vec<u8> {
    vec![0xD1, 4, value, 0, 0, 0]
}

/// A DONE whose row count has four bytes: SqlClient, TdsParser.WriteBulkCopyDone.
const SHORT_DONE: [u8; 9] = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0];
const LONG_DONE: [u8; 13] = [0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn open(server: &Server) -> Raw {
    Raw::open(server.port, true, Vec::new())
}

#[test]
fn a_load_ends_as_each_client_ends_it() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE loaded (c int NULL)");
    for (at, done) in [&SHORT_DONE[..], &LONG_DONE].into_iter().enumerate() {
        let payload = [&int_column(&[])[..], &int_row(7 + at as u8), done].concat();
        let answer = raw.bulk("insert bulk loaded ([c] int)", &payload);
        assert_eq!(dones(&answer).last().map(|done| (done.1 & done::COUNT, done.3)), Some((done::COUNT, 1)), "{at}");
    }
    // Less than either.
    let cut = [&int_column(&[])[..], &int_row(9), &SHORT_DONE[..7]].concat();
    assert_eq!(errors(&raw.bulk("insert bulk loaded ([c] int)", &cut)), [4804]);
    assert_eq!(rows(&raw.batch("SELECT SUM(c) FROM loaded")), [[Datum::I64(15)]]);
}

/// MS-TDS 2.2.3.1.2: the status bit "ignore this event", with the end of the message. SqlClient sends the attention alone, in the middle
/// (TdsParserStateObject.CancelRequest after a time-out of SqlBulkCopy). Either way the rows that came are gone.
#[test]
fn a_load_that_is_taken_back_leaves_nothing() {
    const BULK: u8 = 7;
    const ATTENTION: u8 = 6;
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE loaded (c int NULL)");
    for (begin, level) in [("SELECT 1", 0), ("BEGIN TRAN; INSERT loaded VALUES (1)", 1)] {
        raw.batch(begin);
        let payload = [&int_column(&[])[..], &int_row(7)].concat();
        assert!(errors(&raw.batch("insert bulk loaded ([c] int)")).is_empty());
        raw.packet(BULK, 0, &payload);
        raw.packet(BULK, 3, &[]);
        let answer = raw.answer();
        assert!(errors(&answer).is_empty(), "{answer:02x?}");
        assert_eq!(dones(&answer).last().map(|done| done.1 & FINAL_ERROR), Some(FINAL_ERROR));
        for status in [0, 3] {
            assert!(errors(&raw.batch("insert bulk loaded ([c] int)")).is_empty());
            raw.packet(BULK, 0, &payload);
            if status != 0 {
                raw.packet(BULK, status, &[]);
            }
            raw.packet(ATTENTION, 1, &[]);
            let mut answers = 0;
            while !dones(&raw.answer()).iter().any(|done| done.1 & done::ATTENTION != 0) {
                answers += 1;
                assert!(answers < 3, "the attention is confirmed");
            }
        }
        let left = rows(&raw.batch("SELECT COUNT(*) + @@TRANCOUNT * 10 FROM loaded"));
        assert_eq!(left, [[Datum::I64(11 * level)]], "the client's own transaction goes on");
    }
}

#[test]
fn a_load_has_a_table_of_keys_where_column_encryption_was_agreed() {
    let server = Server::start(&[]);
    // Version 1: mssql-jdbc, TDS.MAX_SUPPORTED_TCE_VERSION before enclaves.
    let encrypts = Feature { id: feature::COLUMN_ENCRYPTION, data: vec![1] };
    let mut raw = Raw::open(server.port, true, vec![encrypts]);
    assert!(has(&raw.greeting, &[0xAE, feature::COLUMN_ENCRYPTION, 1, 0, 0, 0, 1]), "acknowledged");
    raw.batch("CREATE TABLE loaded (c int NULL)");
    // "CekTable": a count of no keys (MS-TDS 2.2.7.4).
    let payload = [&int_column(&[0, 0])[..], &int_row(3), &LONG_DONE].concat();
    assert!(errors(&raw.bulk("insert bulk loaded ([c] int)", &payload)).is_empty());
    let keys = [&int_column(&[1, 0])[..], &int_row(3), &LONG_DONE].concat();
    assert!(!errors(&raw.bulk("insert bulk loaded ([c] int)", &keys)).is_empty(), "nothing here has a key");
    // A second connection without it sees the row, and its loads have no such table.
    let mut plain = open(&server);
    let payload = [&int_column(&[])[..], &int_row(4), &LONG_DONE].concat();
    assert!(errors(&plain.bulk("insert bulk loaded ([c] int)", &payload)).is_empty());
    assert_eq!(rows(&plain.batch("SELECT SUM(c) FROM loaded")), [[Datum::I64(7)]]);
}

#[test]
fn a_load_of_other_types_than_announced_is_refused() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE loaded (c int NULL, d date NULL)");
    let payload = [&int_column(&[])[..], &int_row(7), &LONG_DONE].concat();
    for announced in ["[c] varchar(10)", "[c] date", "[c] uniqueidentifier", "[c] varbinary(10)", "[c] sql_variant"] {
        assert_eq!(errors(&raw.bulk(&format!("insert bulk loaded ({announced})"), &payload)), [4816], "{announced}");
    }
    for announced in ["[c] bigint", "[c] decimal(10,2)", "[c] float", "[c] bit"] {
        assert!(errors(&raw.bulk(&format!("insert bulk loaded ({announced})"), &payload)).is_empty(), "{announced}");
    }
    assert_eq!(rows(&raw.batch("SELECT COUNT(*) FROM loaded")), [[Datum::I64(4)]]);
}

/// https://learn.microsoft.com/sql/t-sql/statements/bulk-insert-transact-sql (CHECK_CONSTRAINTS): what is left out is "marked as not trusted".
#[test]
fn a_load_that_leaves_constraints_out_leaves_them_untrusted() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE kept (c int PRIMARY KEY); INSERT kept VALUES (7); CREATE TABLE loaded (c int NULL CHECK (c > 5) REFERENCES kept)");
    let untrusted = "SELECT (SELECT COUNT(*) FROM sys.check_constraints WHERE is_not_trusted = 1) + (SELECT COUNT(*) FROM sys.foreign_keys WHERE is_not_trusted = 1)";
    let payload = |value| [&int_column(&[])[..], &int_row(value), &LONG_DONE].concat();
    assert!(errors(&raw.bulk("insert bulk loaded ([c] int) with (CHECK_CONSTRAINTS)", &payload(7))).is_empty());
    assert_eq!(rows(&raw.batch(untrusted)), [[Datum::I64(0)]]);
    let said = raw.bulk("insert bulk loaded ([c] int)", &payload(4));
    assert!(errors(&said).is_empty(), "{}", String::from_utf8_lossy(&said).replace(char::from(0), ""));
    assert_eq!(rows(&raw.batch(untrusted)), [[Datum::I64(2)]]);
    assert_eq!(errors(&raw.batch("ALTER TABLE loaded WITH CHECK CHECK CONSTRAINT ALL")), [547]);
    raw.batch("DELETE loaded WHERE c = 4; ALTER TABLE loaded WITH CHECK CHECK CONSTRAINT ALL");
    assert_eq!(rows(&raw.batch(untrusted)), [[Datum::I64(0)]]);
}

/// The code page of bulk loaded text is the one of the COLLATE that INSERT BULK says, without one that of COLMETADATA; the column has its own.
#[test]
fn loaded_text_is_read_in_the_code_page_that_was_stated() {
    const PAGES: [(&str, &[u8]); 4] = [
        ("SQL_Latin1_General_CP1_CI_AS", &[0xE9]),
        ("SQL_Latin1_General_CP850_CI_AS", &[0x82]),
        ("Latin1_General_100_CI_AS_SC_UTF8", &[0xC3, 0xA9]),
        ("Polish_CI_AS", &[0xE9]),
    ];
    let server = Server::start(&[]);
    let mut raw = open(&server);
    let stored = PAGES.map(|(collation, _)| format!("varchar(9) COLLATE {collation}"));
    for stored in stored.iter().map(String::as_str).chain(["nvarchar(9)", "char(9)", "text", "varchar(max)"]) {
        raw.batch(&format!("DROP TABLE IF EXISTS loaded; CREATE TABLE loaded (c {stored} NULL)"));
        for (announced, own) in PAGES {
            for (said, stated) in PAGES.into_iter().chain([("", own)]) {
                let said = if said.is_empty() { String::new() } else { format!(" COLLATE {said}") };
                for kind in ["char(9)", "varchar(9)", "varchar(max)", "text"] {
                    let payload = text_load(kind, announced, stated);
                    let insert = format!("insert bulk loaded ([c] {kind}{said})");
                    assert!(errors(&raw.bulk(&insert, &payload)).is_empty(), "{stored} {insert}");
                }
            }
        }
        let found = raw.batch(
            "SELECT COUNT(*), COUNT(CASE WHEN RTRIM(CAST(c AS nvarchar(9))) = NCHAR(233) THEN 1 END) FROM loaded",
        );
        let all = PAGES.len() * (PAGES.len() + 1) * 4;
        assert_eq!(rows(&found), [[Datum::I64(all as i64), Datum::I64(all as i64)]], "{stored}");
    }
    assert_eq!(errors(&raw.batch("insert bulk loaded ([c] varchar(9) COLLATE Nowhere)")), [448]);
    let by_database = "insert bulk loaded ([c] varchar(9) COLLATE DATABASE_DEFAULT)";
    assert!(errors(&raw.bulk(by_database, &text_load("varchar(9)", PAGES[1].0, &[0xE9]))).is_empty());
    let unicode = text_load("nchar(1)", PAGES[1].0, &[0xE9, 0]);
    assert!(errors(&raw.bulk("insert bulk loaded ([c] nchar(1) COLLATE Polish_CI_AS)", &unicode)).is_empty());
    let found = raw.batch("SELECT COUNT(*) FROM loaded WHERE c = NCHAR(233)");
    assert_eq!(rows(&found), [[Datum::I64(82)]]);
}

/// One row of one column `c` of text.
fn text_load(kind: &str, collation: &str, value: &[u8]) -> Vec<u8> {
    let collation = types::collation::lookup(collation).expect("a collation").to_tds();
    let length = value.len() as u8;
    let (head, row) = match kind {
        "char(9)" => (vec![0xAF, 9, 0], vec![length, 0]),
        "nchar(1)" => (vec![0xEF, 2, 0], vec![length, 0]),
        "varchar(9)" => (vec![0xA7, 9, 0], vec![length, 0]),
        "varchar(max)" => (vec![0xA7, 0xFF, 0xFF], [&[length, 0, 0, 0, 0, 0, 0, 0][..], &[length, 0, 0, 0]].concat()),
        // A pointer and a moment stand before the value (MS-TDS 2.2.5.5.1).
        _ => (vec![0x23, 0xFF, 0xFF, 0xFF, 0x7F], [&[16][..], &[0; 24], &[length, 0, 0, 0]].concat()),
    };
    let mut bytes = vec![0x81, 1, 0, 0, 0, 0, 0, 9, 0];
    bytes.extend(head);
    bytes.extend(collation);
    if kind == "text" {
        bytes.extend([1, 6, 0]);
        bytes.extend(wide("loaded"));
    }
    bytes.push(1);
    bytes.extend(wide("c"));
    bytes.push(0xD1);
    bytes.extend(row);
    bytes.extend(value);
    if kind == "varchar(max)" {
        bytes.extend([0; 4]);
    }
    bytes.extend(LONG_DONE);
    bytes
}

#[test]
fn decimals_are_announced_in_one_length() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    for (ty, head) in [
        ("decimal(5,2)", [0x6A, 17, 5, 2]),
        ("numeric(19,0)", [0x6C, 17, 19, 0]),
        ("decimal(28,4)", [0x6A, 17, 28, 4]),
        ("numeric(38,10)", [0x6C, 17, 38, 10]),
    ] {
        let answer = raw.batch(&format!("SELECT CAST(1 AS {ty}) AS c"));
        assert!(has(&answer, &head), "{ty}: {answer:02x?}");
        // SqlClient reads a variant's decimal as seventeen bytes: TdsParser.TryReadSqlVariant.
        let answer = raw.batch(&format!("SELECT CAST(CAST(-1 AS {ty}) AS sql_variant) AS c"));
        let variant = [21, 0, 0, 0, head[0], 2, head[2], head[3], 0];
        assert!(has(&answer, &variant), "{ty}: {answer:02x?}");
        let back = raw.batch(&format!("DECLARE @v sql_variant = CAST(-1 AS {ty}); SELECT CAST(@v AS int)"));
        assert_eq!(rows(&back), [[Datum::I64(-1)]], "{ty}");
    }
}

/// FreeTDS's src/odbc/unittests/describecol.in, after SET TEXTSIZE 4096.
#[test]
fn old_text_is_announced_in_the_length_that_it_is_cut_to() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    for (ty, token, size, announced) in [
        ("text", 0x23, "4096", 4096_u32),
        ("ntext", 0x63, "4096", 4096),
        ("image", 0x22, "4096", 4096),
        ("ntext", 0x63, "5", 4),
        ("text", 0x23, "-1", 0x7FFF_FFFF),
        ("ntext", 0x63, "2147483647", 0x7FFF_FFFE),
    ] {
        raw.batch(&format!("SET TEXTSIZE {size}"));
        let answer = raw.batch(&format!("SELECT CONVERT({ty}, 'hi!') AS c"));
        let head = [&[token][..], &announced.to_le_bytes()].concat();
        assert!(has(&answer, &head), "{ty} of {size}: {answer:02x?}");
    }
}

#[test]
fn a_decimal_of_any_length_is_loaded() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE loaded (c decimal(20,5) NULL)");
    // As SqlClient writes it: the length that was announced to it, then always seventeen bytes.
    // mssql-python's bulk copy writes the token once more in place of a length.
    for announced in [17, 13, 0x6A] {
        let mut payload = vec![0x81, 1, 0, 0, 0, 0, 0, 9, 0, 0x6A, announced, 20, 5, 1];
        payload.extend(wide("c"));
        payload.extend([0xD1, 17, 1, 0x40, 0x0D, 3, 0]);
        payload.extend([0; 12]);
        payload.extend(SHORT_DONE);
        assert!(errors(&raw.bulk("insert bulk loaded ([c] decimal(20,5))", &payload)).is_empty(), "{announced}");
    }
    assert_eq!(rows(&raw.batch("SELECT COUNT(*) FROM loaded WHERE c = 2.0")), [[Datum::I64(3)]]);
}

#[test]
fn what_sql_client_asks_before_a_load_is_answered() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE #t (a int NULL, b varchar(5) COLLATE Japanese_CI_AS NULL)");
    // SqlBulkCopy.CreateInitialQuery, in the form before there were aliases of columns.
    let answer = raw.batch(
        "select @@trancount; set fmtonly on select * from #t set fmtonly off exec tempdb..sp_tablecollations_100 N'.[#t]'",
    );
    assert!(errors(&answer).is_empty(), "{:?}", tokens(&answer));
    let found = rows(&answer);
    assert_eq!(found[0], [Datum::I64(0)]);
    assert_eq!(found[1][..3], [Datum::I64(1), Datum::nvarchar("a"), Datum::Null]);
    assert_eq!(found[2][..2], [Datum::I64(2), Datum::nvarchar("b")]);
    // LCID 0x411, case insensitive, width and kana insensitive, no SQL sort order (MS-TDS 2.2.5.1.2).
    assert_eq!(found[2][2], Datum::bytes(&[0x11, 0x04, 0xD0, 0x00, 0x00]));
    assert_eq!(found[2][3], Datum::nvarchar("Japanese_CI_AS"));
}

#[test]
fn a_done_names_the_statement_that_defines() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    // mssql-jdbc gives an update count, 0, for these numbers: StreamDone.java. Schemas have no DONE of their own.
    for (text, number) in [
        ("CREATE TABLE t (a int)", 0xC6),
        ("CREATE INDEX i ON t (a)", 0xC8),
        ("ALTER TABLE t ADD b int", 0xD8),
        ("DROP INDEX i ON t", 0xC9),
        ("CREATE VIEW v AS SELECT 1 AS a", 0xCF),
        ("DROP VIEW v", 0xD0),
        ("CREATE PROCEDURE p AS SELECT 1", 0xDE),
        ("DROP PROCEDURE p", 0xDF),
        ("GRANT SELECT ON t TO public", 0xCD),
        ("DROP TABLE t", 0xC7),
        ("CREATE SCHEMA s", command::NOTHING),
        ("DROP SCHEMA s", command::NOTHING),
    ] {
        assert_eq!(dones(&raw.batch(text)), [(DoneKind::Batch, done::FINAL, number, 0)], "{text}");
    }
    let both = dones(&raw.batch("CREATE TABLE t (a int) INSERT t VALUES (1)"));
    assert_eq!(both.iter().map(|done| done.2).collect::<Vec<_>>(), [0xC6, command::INSERT]);
}

#[test]
fn the_last_token_ends_the_batch_wherever_an_error_ended_it() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE PROCEDURE p AS SELECT CONVERT(int, 'x')");
    raw.batch("CREATE PROCEDURE pp AS EXEC p");
    for text in ["EXEC p", "EXEC pp", "EXEC ('SELECT CONVERT(int, ''x'')')", "EXEC p SELECT 2"] {
        let answer = raw.batch(text);
        assert_eq!(errors(&answer), [245], "{text}");
        let ends = dones(&answer);
        let (last, before) = ends.split_last().expect("a DONE");
        assert_eq!((last.0, last.1), (DoneKind::Batch, FINAL_ERROR), "{text}");
        assert!(before.iter().all(|done| done.1 & done::MORE != 0), "{text}: {ends:?}");
    }
}

#[test]
fn columns_come_before_the_error_of_their_rows() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE t (i int IDENTITY, d varchar(10) UNIQUE)");
    let answer = raw.batch("INSERT t (d) OUTPUT inserted.i VALUES ('a'), ('a')");
    let found = tokens(&answer);
    assert!(matches!(&found[0], Token::Columns(columns) if columns.len() == 1), "{found:?}");
    assert_eq!(errors(&answer), [2627]);
    assert!(rows(&answer).is_empty());
    let answer = raw.batch("SELECT d FROM t ORDER BY 1 / (SELECT COUNT(*) FROM t)");
    assert!(matches!(&tokens(&answer)[0], Token::Columns(_)), "{:?}", tokens(&answer));
}

#[test]
fn who_is_no_driver_begins_with_what_db_library_has() {
    let server = Server::start(&[]);
    let asked = "SELECT SESSIONPROPERTY('QUOTED_IDENTIFIER'), SESSIONPROPERTY('ANSI_NULLS'), SESSIONPROPERTY('ANSI_WARNINGS'), \
        SESSIONPROPERTY('ANSI_PADDING'), SESSIONPROPERTY('CONCAT_NULL_YIELDS_NULL'), @@TEXTSIZE";
    let on = |raw: &mut Raw| -> Vec<i64> {
        let asked = asked.replace("SESSIONPROPERTY(", "CONVERT(int, SESSIONPROPERTY(").replace("'),", "')),");
        rows(&raw.batch(&asked))[0].iter().map(Datum::as_i64).collect()
    };
    let mut driver = Raw::open(server.port, true, Vec::new());
    assert_eq!(on(&mut driver)[..5], [1, 1, 1, 1, 1]);
    let mut plain = Raw::open(server.port, false, Vec::new());
    assert_eq!(on(&mut plain), [0, 0, 0, 0, 0, 4096]);
    plain.batch("CREATE TABLE #t (a int, b varchar(10))");
    assert!(errors(&plain.batch("INSERT #t VALUES (1, \"row\")")).is_empty(), "a string in double quotes");
    // The session as new: still no driver's.
    plain.batch("SET QUOTED_IDENTIFIER ON");
    plain.batch("EXEC sp_reset_connection");
    assert_eq!(on(&mut plain)[0], 0);
}

#[test]
fn a_prepared_statement_is_described() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    let answer = raw.batch("DECLARE @h int; EXEC sp_prepare @h OUTPUT, N'@p int', N'SELECT @p AS a, ''x'' AS b', 1");
    let found = tokens(&answer);
    assert!(
        matches!(&found[0], Token::Columns(columns)
            if columns.iter().map(|column| &*column.name).eq(["a", "b"])),
        "{found:?}"
    );
    assert!(rows(&answer).is_empty() && errors(&answer).is_empty());
    let refused = raw.batch("DECLARE @h int; EXEC sp_prepare @h OUTPUT, N'', N'SELECT 1 AS a', 0");
    assert_eq!(errors(&refused), [214], "without metadata there is no preparing");
    assert!(!tokens(&refused).iter().any(|token| matches!(token, Token::Columns(_))));
}

#[test]
fn a_result_tells_where_its_columns_come_from_to_who_asks() {
    let server = Server::start(&[]);
    let mut raw = open(&server);
    raw.batch("CREATE TABLE dbo.t (id int NOT NULL PRIMARY KEY, s varchar(20) NULL)");
    raw.batch("INSERT t VALUES (1, 'a')");
    // TABNAME and COLINFO: MS-TDS 2.2.7.23 and 2.2.7.3.
    let tables = [&[2u8, 3, 0][..], &wide("dbo"), &[1, 0], &wide("t")].concat();
    let tables = [&[0xA4, tables.len() as u8, 0][..], &tables].concat();
    const EXPRESSION: u8 = 0x04;
    const KEY: u8 = 0x08;
    const HIDDEN: u8 = 0x10;
    const DIFFERENT_NAME: u8 = 0x20;
    let renamed =
        [&[0xA5, 12, 0, 1, 1, DIFFERENT_NAME, 1][..], &wide("s"), &[2, 0, EXPRESSION, 3, 1, KEY | HIDDEN]].concat();
    let text = "SELECT s AS x, 1 AS one FROM t";
    for asked in [format!("{text} FOR BROWSE"), format!("SET NO_BROWSETABLE ON; {text}; SET NO_BROWSETABLE OFF")] {
        let answer = raw.batch(&asked);
        assert!(has(&answer, &[&tables[..], &renamed].concat()), "{asked}: {answer:02x?}");
        let columns = tokens(&answer).into_iter().find_map(|token| match token {
            Token::Columns(columns) => Some(columns),
            _ => None,
        });
        let columns = columns.expect("a result");
        let hidden: Vec<bool> = columns.iter().map(|column| column.flags & tds::column::flag::HIDDEN != 0).collect();
        assert_eq!(hidden, [false, false, true]);
        assert_eq!(rows(&answer)[0][2], Datum::I64(1), "the key of the row");
    }
    // All that is asked for is there already.
    let whole = [0xA5, 6, 0, 1, 1, KEY, 2, 1, 0];
    assert!(has(&raw.batch("SELECT * FROM t FOR BROWSE"), &whole));
    // Groups and distinct rows have no key.
    let answer = raw.batch("SELECT DISTINCT s FROM t FOR BROWSE");
    assert_eq!(rows(&answer), [[Datum::bytes(b"a")]]);
    // Nobody else is told.
    assert!(!has(&raw.batch(text), &tables));
    assert_eq!(rows(&raw.batch(text))[0].len(), 2);
    // 1003: the clause belongs to cursors.
    assert_eq!(errors(&raw.batch("SELECT * FROM t FOR UPDATE")), [1003]);
}
