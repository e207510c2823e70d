//! Bulk loads of some columns of a table that has columns of every kind: what the server fills in, what it asks and what it leaves out.
//! https://learn.microsoft.com/sql/t-sql/statements/bulk-insert-transact-sql: KEEPIDENTITY, KEEPNULLS, CHECK_CONSTRAINTS, FIRE_TRIGGERS,
//! ORDER; https://learn.microsoft.com/sql/relational-databases/import-export/keep-nulls-or-use-default-values-during-bulk-import-sql-server
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use lab::client::{Answer, Connection};
use support::Server;
use support::ask::{REQUEST_MAX_MS, ask, connect, must};
use tds::column::{ColumnInfo, flag};
use types::{Datum, RowBatch, SqlType};

/// What a load has come to: the errors that its client hears, or how many rows it counts.
type Ended = Result<u64, Vec<i32>>;

/// As the table has them, and the client says.
fn type_of(column: &str) -> SqlType {
    if column == "n" { SqlType::nvarchar(3) } else { SqlType::INT }
}

fn load(connection: &mut Connection, target: &str, columns: &[&str], options: &str, rows: &[&[Datum]]) -> Ended {
    let listed: Vec<String> = columns.iter().map(|column| format!("[{column}] {}", type_of(column))).collect();
    let begun = ask(connection, &format!("INSERT BULK {target} ({}){options}", listed.join(", ")));
    if begun.first_error().is_some() {
        return Err(errors(&begun));
    }
    let mut batch = RowBatch::new(columns.iter().map(|column| type_of(column).physical()));
    rows.iter().for_each(|row| batch.push_row(row));
    let version = connection.protocol().version();
    let infos = columns.iter().map(|column| ColumnInfo::new("", type_of(column), flag::NULLABLE, version));
    connection.protocol().bulk(infos.collect(), &batch);
    let mut answer = Answer::default();
    let mut counted = 0;
    let read = connection.response(Some(os::clock::after_ms(REQUEST_MAX_MS)), |token| match token {
        tds::token::Token::Message(message) => answer.messages.push(message),
        tds::token::Token::Done(done) => counted = done.rows,
        _ => {}
    });
    read.expect("an answer");
    if answer.first_error().is_some() { Err(errors(&answer)) } else { Ok(counted) }
}

fn errors(answer: &Answer) -> Vec<i32> {
    answer.messages.iter().filter(|message| message.is_error()).map(|message| message.number).collect()
}

fn int(value: i64) -> Datum {
    Datum::I64(value)
}

fn text(value: &str) -> Datum {
    Datum::nvarchar(value)
}

const TABLE: &str = "CREATE TABLE b (id int IDENTITY(10, 5) CONSTRAINT pk_b PRIMARY KEY, a int NOT NULL, d int NULL CONSTRAINT df DEFAULT 7, \
    n nvarchar(3) NULL, c AS a * 2, s int SPARSE NULL, k int NULL CONSTRAINT ck CHECK (k > 0), u int NULL, rv rowversion)";

struct Case {
    columns: &'static [&'static str],
    options: &'static str,
    rows: Vec<Vec<Datum>>,
    ended: Ended,
    /// id, a, d, n, c, s, k of the table, a row a line.
    left: &'static str,
}

fn cases() -> Vec<Case> {
    let case = |columns, options, rows, ended, left| Case { columns, options, rows, ended, left };
    vec![
        case(&["a"], "", vec![vec![int(1)], vec![int(2)]], Ok(2), "10 1 7 - 2 - -|15 2 7 - 4 - -"),
        case(&["a"], "", vec![], Ok(0), ""),
        // A NULL becomes the column's default, unless it is kept; what is left out has its default either way.
        case(&["a", "d"], "", vec![vec![int(1), Datum::Null]], Ok(1), "10 1 7 - 2 - -"),
        case(&["a", "d"], " WITH (KEEP_NULLS)", vec![vec![int(1), Datum::Null]], Ok(1), "10 1 - - 2 - -"),
        case(&["a"], " WITH (KEEP_NULLS)", vec![vec![int(1)]], Ok(1), "10 1 7 - 2 - -"),
        // Columns in another order than the table's; a sparse one.
        case(&["s", "n", "a"], "", vec![vec![int(3), text("x"), int(1)]], Ok(1), "10 1 7 x 2 3 -"),
        // The client's own identity values.
        case(
            &["id", "a"],
            "",
            vec![vec![int(100), int(1)], vec![int(7), int(2)]],
            Ok(2),
            "7 2 7 - 4 - -|100 1 7 - 2 - -",
        ),
        case(&["id", "a"], "", vec![vec![int(5), int(1)], vec![int(5), int(2)]], Err(vec![2627]), ""),
        case(&["a"], "", vec![vec![int(1)], vec![Datum::Null]], Err(vec![515]), ""),
        case(&["d"], "", vec![vec![int(1)]], Err(vec![515]), ""),
        case(&["a", "k"], "", vec![vec![int(1), int(-1)]], Ok(1), "10 1 7 - 2 - -1"),
        case(&["a", "k"], " WITH (CHECK_CONSTRAINTS)", vec![vec![int(1), int(-1)]], Err(vec![547]), ""),
        case(
            &["id", "a"],
            " WITH (ORDER ([id] ASC))",
            vec![vec![int(1), int(1)], vec![int(2), int(1)]],
            Ok(2),
            "1 1 7 - 2 - -|2 1 7 - 2 - -",
        ),
        case(
            &["id", "a"],
            " WITH (ORDER ([id] ASC))",
            vec![vec![int(2), int(1)], vec![int(1), int(1)]],
            Err(vec![4819]),
            "",
        ),
        case(
            &["a"],
            " WITH (TABLOCK, ROWS_PER_BATCH = 2, KILOBYTES_PER_BATCH = 1)",
            vec![vec![int(1)]],
            Ok(1),
            "10 1 7 - 2 - -",
        ),
        case(&["a"], " WITH (NOTHING)", vec![vec![int(1)]], Err(vec![155]), ""),
    ]
}

fn told(connection: &mut Connection, target: &str) -> String {
    let shown = |column: &str| format!("ISNULL(CAST({column} AS varchar(10)), '-')");
    let line = ["id", "a", "d", "n", "c", "s", "k"].map(shown).join(", ");
    let lines = format!("SELECT STRING_AGG(CONCAT_WS(' ', {line}), '|') WITHIN GROUP (ORDER BY id) FROM {target}");
    match &must(connection, &lines).sets[0].rows[0][0] {
        Datum::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

#[test]
fn columns_of_every_kind() {
    let server = Server::start(&[]);
    let mut connection = connect(&server, "master");
    let mut wrong = Vec::new();
    for (number, case) in cases().into_iter().enumerate() {
        // Of the database, and of the session.
        for (target, made) in
            [("b", TABLE.to_string()), ("#b", TABLE.replace("TABLE b", "TABLE #b").replace("CONSTRAINT pk_b ", ""))]
        {
            must(&mut connection, &made);
            let rows: Vec<&[Datum]> = case.rows.iter().map(Vec::as_slice).collect();
            let ended = load(&mut connection, target, case.columns, case.options, &rows);
            let left = told(&mut connection, target);
            if ended != case.ended || left != case.left {
                wrong.push(format!("{number} {target}: {ended:?} {left}"));
            }
            must(&mut connection, &format!("DROP TABLE {target}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn triggers_and_transactions() {
    let server = Server::start(&[]);
    let mut connection = connect(&server, "master");
    must(&mut connection, TABLE);
    must(&mut connection, "CREATE TABLE fired (n int)");
    must(&mut connection, "CREATE TRIGGER tr ON b AFTER INSERT AS INSERT fired SELECT COUNT(*) FROM inserted");
    let rows: [&[Datum]; 2] = [&[int(1)], &[int(2)]];
    let fired = |connection: &mut Connection| {
        let answer = must(connection, "SELECT n FROM fired");
        answer.sets[0].rows.iter().map(|row| row[0].as_i64()).collect::<Vec<_>>()
    };
    assert_eq!(load(&mut connection, "b", &["a"], "", &rows), Ok(2));
    assert_eq!(fired(&mut connection), [0; 0]);
    assert_eq!(load(&mut connection, "b", &["a"], " WITH (FIRE_TRIGGERS)", &rows), Ok(2));
    assert_eq!(fired(&mut connection), [2]);
    // In the client's transaction: a load that fails takes its own rows back, and a rollback takes all.
    must(&mut connection, "BEGIN TRAN");
    assert_eq!(load(&mut connection, "b", &["a"], "", &rows), Ok(2));
    assert_eq!(load(&mut connection, "b", &["a"], "", &[&[int(1)], &[Datum::Null]]), Err(vec![515]));
    let count = |connection: &mut Connection| must(connection, "SELECT COUNT(*) FROM b").sets[0].rows[0][0].as_i64();
    assert_eq!(count(&mut connection), 6);
    must(&mut connection, "ROLLBACK");
    assert_eq!(count(&mut connection), 4);
}
