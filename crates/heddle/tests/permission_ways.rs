//! What a login without rights is refused directly it is refused by every other way that a statement can come, and what was revoked is
//! refused where it was prepared, opened or connected. A way that may not be gone with a statement at all refuses it, too, in its own words.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

#[path = "matrix/attempts.rs"]
mod attempts;
#[path = "ways/native.rs"]
mod native;
#[path = "ways/several.rs"]
mod several;
mod support;
#[path = "ways/vouching.rs"]
mod vouching;

use attempts::{ATTEMPTS, SETUP};
use lab::client::{Answer, Connection};
use support::ask::{REQUEST_MAX_MS, ask, must};
use support::{Server, target};
use tds::column::{ColumnInfo, flag};
use tds::rpc::{ParameterValue, Procedure, ProcedureId, RpcCall, RpcParameter};
use types::{Datum, RowBatch, SqlType};

const FAST_FORWARD: i64 = 16;
const DYNAMIC: i64 = 2;
const READ_ONLY: i64 = 1;

fn call(connection: &mut Connection, procedure: ProcedureId, parameters: Vec<RpcParameter>) -> Answer {
    let calls = [RpcCall::new(Procedure::Id(procedure), parameters)];
    connection.call(&calls, Some(os::clock::after_ms(REQUEST_MAX_MS))).unwrap_or_else(|error| panic!("{error}"))
}

fn number(value: i64, is_output: bool) -> RpcParameter {
    let value = ParameterValue::Scalar { sql_type: SqlType::INT, value: Datum::I64(value) };
    RpcParameter { name: "".into(), is_output, is_default: false, value }
}

fn text(value: &str) -> RpcParameter {
    let value = ParameterValue::Scalar { sql_type: SqlType::nvarchar(4000), value: Datum::nvarchar(value) };
    RpcParameter { name: "".into(), is_output: false, is_default: false, value }
}

fn errors(answer: &Answer) -> Vec<i32> {
    answer.messages.iter().filter(|message| message.is_error()).map(|message| message.number).collect()
}

fn quoted(statement: &str) -> String {
    statement.replace('\'', "''")
}

/// A way and what it says to a statement that it does not carry.
struct Way {
    name: &'static str,
    go: fn(&mut Connection, &str) -> Answer,
    /// Errors of the way itself: of cursors over what gives no rows, of statements that must stand alone in a batch.
    own: &'static [i32],
    /// Of those attempts only.
    carries: fn(&str) -> bool,
}

/// One statement that reads or changes rows of dbo.t.
fn is_of_rows(statement: &str) -> bool {
    let first = statement.split(' ').next().unwrap_or_default();
    matches!(first, "SELECT" | "INSERT" | "UPDATE" | "DELETE")
        && statement.contains("dbo.t")
        && !statement.contains("INTO")
}

fn all(_: &str) -> bool {
    true
}

const WAYS: &[Way] = &[
    Way {
        name: "sp_executesql",
        go: |low, statement| ask(low, &format!("EXEC sp_executesql N'{}'", quoted(statement))),
        own: &[],
        carries: all,
    },
    Way {
        name: "EXEC of a text",
        go: |low, statement| ask(low, &format!("EXEC (N'{}')", quoted(statement))),
        own: &[],
        carries: all,
    },
    Way {
        name: "a text in a procedure of dbo's",
        go: |low, statement| ask(low, &format!("EXEC dbo.run N'{}'", quoted(statement))),
        own: &[],
        carries: all,
    },
    Way {
        name: "a text in a procedure of somebody else's",
        go: |low, statement| ask(low, &format!("EXEC theirs.run N'{}'", quoted(statement))),
        own: &[],
        carries: all,
    },
    Way {
        name: "a text in a trigger",
        go: |low, statement| ask(low, &format!("INSERT theirs.texts VALUES (N'{}')", quoted(statement))),
        own: &[226, 574, 3621, 3609, 3616, 3930],
        carries: all,
    },
    Way {
        name: "a temporary procedure",
        go: |low, statement| {
            ask(low, "DROP PROCEDURE IF EXISTS #own");
            let made = ask(low, &format!("CREATE PROCEDURE #own AS {statement}"));
            if made.first_error().is_some() { made } else { ask(low, "EXEC #own") }
        },
        own: &[111, 154, 156, 102, 2108],
        carries: all,
    },
    Way {
        name: "sp_executesql as a call",
        go: |low, statement| call(low, ProcedureId::ExecuteSql, vec![text(statement)]),
        own: &[],
        carries: all,
    },
    Way {
        name: "a prepared handle",
        go: |low, statement| {
            let made =
                call(low, ProcedureId::Prepare, vec![number(0, true), text(""), text(statement), number(1, false)]);
            if made.first_error().is_some() {
                return made;
            }
            let handle = made.outputs[0].value.as_i64();
            call(low, ProcedureId::Execute, vec![number(handle, false)])
        },
        own: &[111, 154, 156, 8180],
        carries: all,
    },
    Way {
        name: "prepared and executed at once",
        go: |low, statement| call(low, ProcedureId::PrepExec, vec![number(0, true), text(""), text(statement)]),
        own: &[111, 154, 156, 8180],
        carries: all,
    },
    Way {
        name: "a driver's cursor",
        go: |low, statement| {
            let asked = [number(0, true), text(statement), number(FAST_FORWARD, true), number(READ_ONLY, true)];
            call(low, ProcedureId::CursorOpen, asked.into_iter().chain([number(0, true)]).collect())
        },
        own: &[],
        carries: |statement| statement.starts_with("SELECT") && !statement.contains("INTO"),
    },
    Way {
        name: "a synonym",
        go: |low, statement| ask(low, &statement.replace("dbo.t", "dbo.syn")),
        own: &[],
        carries: is_of_rows,
    },
    Way {
        name: "a name with its database",
        go: |low, statement| {
            ask(low, &format!("EXEC master.sys.sp_executesql N'{}'", quoted(&statement.replace("dbo.t", "k.dbo.t"))))
        },
        own: &[],
        carries: is_of_rows,
    },
    Way {
        name: "a procedure of somebody else's",
        go: |low, statement| {
            let at = ATTEMPTS.iter().position(|(attempt, _)| *attempt == statement).expect("one of them");
            ask(low, &format!("EXEC theirs.p{at}"))
        },
        own: &[],
        carries: is_of_rows,
    },
];

/// Another user's schema with modules that low may use; and dbo's own procedure that runs a text.
fn make_modules(sa: &mut Connection) {
    for statement in SETUP {
        must(sa, statement);
    }
    must(sa, "CREATE USER low FOR LOGIN low");
    must(sa, "CREATE USER them WITHOUT LOGIN");
    must(sa, "CREATE SCHEMA theirs AUTHORIZATION them");
    for schema in ["dbo", "theirs"] {
        must(sa, &format!("CREATE PROCEDURE {schema}.run @text nvarchar(max) AS EXEC (@text)"));
        must(sa, &format!("GRANT EXECUTE ON {schema}.run TO low"));
    }
    must(sa, "CREATE TABLE theirs.texts (text nvarchar(max))");
    must(
        sa,
        "CREATE TRIGGER theirs.runs ON theirs.texts AFTER INSERT AS \
         BEGIN DECLARE @text nvarchar(max) = (SELECT text FROM inserted) EXEC (@text) END",
    );
    must(sa, "GRANT INSERT ON theirs.texts TO low");
    for (at, (statement, _)) in ATTEMPTS.iter().enumerate().filter(|(_, (statement, _))| is_of_rows(statement)) {
        must(sa, &format!("CREATE PROCEDURE theirs.p{at} AS {statement}"));
        must(sa, &format!("GRANT EXECUTE ON theirs.p{at} TO low"));
    }
}

#[test]
fn what_is_refused_is_refused_by_every_way() {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    make_modules(&mut sa);
    let low = target(server.port, "k").with_login("low", "Some-1-password");
    let mut low = Connection::open(&low, None).expect("it has a user");
    let (mut tried, mut differ) = (0, Vec::new());
    for way in WAYS {
        for (statement, refused) in ATTEMPTS.iter().filter(|(statement, _)| (way.carries)(statement)) {
            let answer = (way.go)(&mut low, statement);
            ask(&mut low, "IF @@TRANCOUNT > 0 ROLLBACK");
            let found = errors(&answer);
            tried += 1;
            let known = found.iter().any(|number| refused.contains(number) || way.own.contains(number));
            let gave_rows = answer.sets.iter().any(|set| !set.rows.is_empty());
            if !known || gave_rows {
                differ.push(format!(
                    "{}: {statement}: {found:?}{}",
                    way.name,
                    if gave_rows { ", with rows" } else { "" }
                ));
            }
        }
    }
    println!("{tried} attempts by {} ways", WAYS.len());
    assert!(differ.is_empty(), "{} of {tried}:\n{}", differ.len(), differ.join("\n"));
    // Nothing of it was done.
    let left = must(&mut sa, "SELECT name FROM sys.tables WHERE name IN ('mine', 'copy', 'u')");
    assert!(left.sets[0].rows.is_empty(), "{:?}", left.sets[0].rows);
}

/// Where the text that names a table is its owner's, who may run it needs no right to the table; elsewhere he does.
#[test]
fn chains_hold_as_long_as_one_owns_all() {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    make_modules(&mut sa);
    must(&mut sa, "CREATE TABLE dbo.log (a int)");
    must(&mut sa, "CREATE TRIGGER dbo.logs ON dbo.t AFTER INSERT AS INSERT dbo.log SELECT a FROM inserted");
    must(&mut sa, "CREATE VIEW theirs.v AS SELECT id, a FROM dbo.t");
    must(&mut sa, "CREATE FUNCTION theirs.f (@x int) RETURNS int AS BEGIN RETURN (SELECT MAX(a) FROM dbo.t) END");
    must(&mut sa, "CREATE PROCEDURE dbo.outer_p AS EXEC theirs.inner_p");
    must(&mut sa, "CREATE PROCEDURE theirs.inner_p AS SELECT a FROM dbo.t");
    for granted in [
        "SELECT ON dbo.v",
        "SELECT ON theirs.v",
        "EXECUTE ON dbo.p",
        "EXECUTE ON dbo.f",
        "EXECUTE ON theirs.f",
        "EXECUTE ON dbo.outer_p",
        "INSERT ON dbo.t",
    ] {
        must(&mut sa, &format!("GRANT {granted} TO low"));
    }
    let low = target(server.port, "k").with_login("low", "Some-1-password");
    let mut low = Connection::open(&low, None).expect("it has a user");
    for statement in
        ["SELECT id FROM dbo.v", "EXEC dbo.p", "SELECT dbo.f(1)", "INSERT dbo.t (a) VALUES (1)", "SELECT id FROM dbo.v"]
    {
        must(&mut low, statement);
    }
    for statement in ["SELECT id FROM theirs.v", "SELECT theirs.f(1)", "EXEC dbo.outer_p", "EXEC theirs.inner_p"] {
        assert_eq!(errors(&ask(&mut low, statement)).first(), Some(&229), "{statement}");
    }
    // A trigger of another owner than what it writes.
    must(&mut sa, "ALTER AUTHORIZATION ON dbo.log TO them");
    assert_eq!(errors(&ask(&mut low, "INSERT dbo.t (a) VALUES (1)")).first(), Some(&229));
    let rows = must(&mut sa, "SELECT COUNT(*) FROM dbo.t");
    assert_eq!(rows.sets[0].rows[0][0], Datum::I64(1), "what its trigger may not do takes the insert with it");
}

/// A load of one column `a`.
fn load(connection: &mut Connection, options: &str) -> Answer {
    let answer = ask(connection, &format!("INSERT BULK dbo.t ([a] int){options}"));
    if answer.first_error().is_some() {
        return answer;
    }
    let mut rows = RowBatch::new([SqlType::INT.physical()]);
    rows.push_row(&[Datum::I64(5)]);
    let version = connection.protocol().version();
    connection.protocol().bulk(vec![ColumnInfo::new("a", SqlType::INT, flag::NULLABLE, version)], &rows);
    let mut answer = Answer::default();
    let deadline = Some(os::clock::after_ms(REQUEST_MAX_MS));
    let read = connection.response(deadline, |token| {
        if let tds::token::Token::Message(message) = token {
            answer.messages.push(message);
        }
    });
    read.expect("an answer");
    answer
}

/// "bcp utility", Permissions: INSERT, and ALTER where constraints or triggers are left out.
#[test]
fn a_bulk_load_needs_what_it_does() {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    make_modules(&mut sa);
    let low = target(server.port, "k").with_login("low", "Some-1-password");
    let mut low = Connection::open(&low, None).expect("it has a user");
    assert_eq!(errors(&load(&mut low, "")).first(), Some(&229));
    must(&mut sa, "GRANT INSERT ON dbo.t TO low");
    assert_eq!(errors(&load(&mut low, "")), [0; 0]);
    must(&mut sa, "ALTER TABLE dbo.t ADD CONSTRAINT positive CHECK (a > 0)");
    assert_eq!(errors(&load(&mut low, "")).first(), Some(&1088), "constraints are left out");
    assert_eq!(errors(&load(&mut low, " WITH (CHECK_CONSTRAINTS)")), [0; 0]);
    must(&mut sa, "CREATE TRIGGER dbo.tr ON dbo.t AFTER INSERT AS SET NOCOUNT ON");
    assert_eq!(errors(&load(&mut low, " WITH (CHECK_CONSTRAINTS)")).first(), Some(&1088), "triggers are left out");
    assert_eq!(errors(&load(&mut low, " WITH (CHECK_CONSTRAINTS, FIRE_TRIGGERS)")), [0; 0]);
    must(&mut sa, "GRANT ALTER ON dbo.t TO low");
    assert_eq!(errors(&load(&mut low, "")), [0; 0]);
    must(&mut sa, "DENY INSERT ON dbo.t TO low");
    assert_eq!(errors(&load(&mut low, "")).first(), Some(&229));
    let rows = must(&mut sa, "SELECT COUNT(*) FROM dbo.t");
    assert_eq!(rows.sets[0].rows[0][0], Datum::I64(4));
}

/// After REVOKE, what was held: a handle, a driver's cursor, a connection in the database, and what acts as another.
#[test]
fn what_is_revoked_is_refused_where_it_was_held() {
    let server = Server::start(&[]);
    let mut sa = Connection::open(&target(server.port, "master"), None).expect("the server is there");
    make_modules(&mut sa);
    must(&mut sa, "INSERT dbo.t (a) VALUES (1), (2), (3)");
    must(&mut sa, "GRANT SELECT ON dbo.t TO low");
    let low = target(server.port, "k").with_login("low", "Some-1-password");
    let mut low = Connection::open(&low, None).expect("it has a user");
    let select = "SELECT id FROM dbo.t";
    let made = call(&mut low, ProcedureId::Prepare, vec![number(0, true), text(""), text(select), number(1, false)]);
    let handle = made.outputs[0].value.as_i64();
    let run = |low: &mut Connection| errors(&call(low, ProcedureId::Execute, vec![number(handle, false)]));
    assert_eq!(run(&mut low), [0; 0]);
    let asked = vec![number(0, true), text(select), number(DYNAMIC, true), number(READ_ONLY, true), number(0, true)];
    let cursor = call(&mut low, ProcedureId::CursorOpen, asked).outputs[0].value.as_i64();
    let fetch = |low: &mut Connection| {
        let asked = [cursor, 2, 0, 1].map(|value| number(value, false)).to_vec();
        errors(&call(low, ProcedureId::CursorFetch, asked))
    };
    assert_eq!(fetch(&mut low), [0; 0]);
    must(&mut sa, "REVOKE SELECT ON dbo.t FROM low");
    assert_eq!(run(&mut low).first(), Some(&229), "a handle");
    assert_eq!(fetch(&mut low).first(), Some(&229), "a driver's cursor");
    must(&mut sa, "GRANT SELECT ON dbo.t TO low");
    assert_eq!((run(&mut low), fetch(&mut low)), (vec![0; 0], vec![0; 0]), "granted again");
    // A user who is no more, or may no longer connect, is nobody in the database that he is in.
    must(&mut sa, "DENY CONNECT TO low");
    assert!(!errors(&ask(&mut low, select)).is_empty() && !run(&mut low).is_empty() && !fetch(&mut low).is_empty());
    must(&mut sa, "GRANT CONNECT TO low");
    must(&mut sa, "ALTER ROLE db_denydatareader ADD MEMBER low");
    assert_eq!((run(&mut low).first(), fetch(&mut low).first()), (Some(&229), Some(&229)), "a role that denies");
    must(&mut sa, "ALTER ROLE db_denydatareader DROP MEMBER low");
    must(&mut sa, "DROP USER low");
    assert!(!errors(&ask(&mut low, select)).is_empty() && !run(&mut low).is_empty() && !fetch(&mut low).is_empty());
}
