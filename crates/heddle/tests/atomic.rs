//! Atomic blocks as their clients see them: what they send, what conflicts and interruptions leave, how many transactions they are.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::time::Duration;

use lab::client::{ClientError, Connection};
use support::Server;
use tds::rpc::{ParameterValue, Procedure, RpcCall, RpcParameter};
use tds::token::Token;
use types::{Datum, SqlType};

const DEFINITIONS: [&str; 4] = [
    "CREATE TABLE dbo.m (id int NOT NULL PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON)",
    "CREATE PROCEDURE dbo.fill @rows int WITH NATIVE_COMPILATION, SCHEMABINDING AS
     BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'Deutsch')
       DECLARE @i int = 0;
       WHILE @i < @rows BEGIN INSERT dbo.m (id, v) VALUES (@i + 100, 0); SET @i += 1; END
     END",
    "CREATE PROCEDURE dbo.bump @id int WITH NATIVE_COMPILATION, SCHEMABINDING AS
     BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
       UPDATE dbo.m SET v += 1 WHERE id = @id;
     END",
    "CREATE PROCEDURE dbo.bump_quietly @id int WITH NATIVE_COMPILATION, SCHEMABINDING AS
     BEGIN ATOMIC WITH (TRANSACTION ISOLATION LEVEL = SNAPSHOT, LANGUAGE = N'us_english')
       BEGIN TRY UPDATE dbo.m SET v += 1 WHERE id = @id; END TRY
       BEGIN CATCH SELECT ERROR_NUMBER() AS number; END CATCH
     END",
];

/// So many rows that their block runs until it is stopped.
const FOR_EVER: i64 = 100_000_000;

fn deadline() -> Option<u64> {
    Some(os::clock::after_ms(30_000))
}

fn open(server: &Server) -> Connection {
    Connection::open(&support::target(server.port, "blocks"), deadline()).expect("logged in")
}

fn start() -> (Server, Connection) {
    let server = Server::start(&[]);
    server.query("CREATE DATABASE blocks");
    let mut connection = open(&server);
    for definition in DEFINITIONS {
        run(&mut connection, definition);
    }
    run(&mut connection, "INSERT dbo.m VALUES (1, 0), (2, 0)");
    (server, connection)
}

/// Numbers of the messages, then those of the first column of each result.
fn run(connection: &mut Connection, batch: &str) -> Vec<i64> {
    let answer = connection.query(batch, deadline()).expect("an answer");
    let messages = answer.messages.iter().map(|message| i64::from(message.number));
    let values = answer.sets.iter().flat_map(|set| &set.rows).map(|row| match row[0] {
        Datum::I64(value) => value,
        ref other => panic!("a number, not {other:?}"),
    });
    messages.chain(values).collect()
}

fn fill(rows: i64) -> RpcCall {
    let value = ParameterValue::Scalar { sql_type: SqlType::INT, value: Datum::I64(rows) };
    let rows = RpcParameter { name: "@rows".into(), is_output: false, is_default: false, value };
    RpcCall::new(Procedure::Name("dbo.fill".into()), vec![rows])
}

const BEGUN: &str =
    "SELECT CAST(cntr_value AS int) FROM sys.dm_os_performance_counters WHERE counter_name = 'Transactions/sec'";

#[test]
fn a_loop_is_one_transaction_and_says_nothing() {
    let (_server, mut connection) = start();
    connection.call(&[fill(0)], deadline()).expect("bound");
    let before = run(&mut connection, BEGUN)[0];
    connection.protocol().rpc(&[fill(5000)]);
    let mut tokens = Vec::new();
    connection.response(deadline(), |token| tokens.push(token)).expect("an answer");
    assert!(matches!(&tokens[..], [Token::ReturnStatus(0), Token::Done(_)]), "{tokens:?}");
    let begun = run(&mut connection, BEGUN)[0] - before;
    assert!(begun < 20, "{begun} transactions for one block");
    assert_eq!(run(&mut connection, "SELECT COUNT(*) FROM dbo.m"), [5002]);
}

#[test]
fn a_write_conflict_dooms_the_transaction_around_the_block() {
    let (server, mut a) = start();
    let mut b = open(&server);
    run(&mut a, "BEGIN TRANSACTION; UPDATE dbo.m WITH (SNAPSHOT) SET v = 10 WHERE id = 1");
    assert_eq!(run(&mut b, "EXEC dbo.bump 1"), [41302]);
    assert_eq!(run(&mut b, "SELECT @@TRANCOUNT"), [0]);
    let caught =
        "BEGIN TRY EXEC dbo.bump 1 END TRY BEGIN CATCH SELECT XACT_STATE(); IF @@TRANCOUNT > 0 ROLLBACK END CATCH";
    assert_eq!(run(&mut b, caught), [0]);
    let around = format!("BEGIN TRANSACTION; INSERT dbo.m VALUES (3, 0); {caught}");
    assert_eq!(run(&mut b, &around), [-1]);
    assert_eq!(run(&mut b, "BEGIN TRANSACTION; INSERT dbo.m VALUES (3, 0); EXEC dbo.bump 1"), [41302, 3998]);
    assert_eq!(run(&mut b, "SELECT @@TRANCOUNT"), [0]);
    // Caught within the block: it runs to its end, but cannot commit.
    assert_eq!(run(&mut b, "EXEC dbo.bump_quietly 1"), [3930, 41302]);
    run(&mut a, "ROLLBACK");
    assert_eq!(run(&mut b, "EXEC dbo.bump 1; SELECT v FROM dbo.m ORDER BY id"), [1, 0]);
}

#[test]
fn an_attention_takes_the_block_back_and_the_callers_settings_return() {
    let (_server, mut connection) = start();
    let settings =
        "SELECT DATEPART(weekday, DATEFROMPARTS(2024, 3, 3)); SELECT @@TRANCOUNT; SELECT COUNT(*) FROM dbo.m";
    connection.protocol().rpc(&[fill(FOR_EVER)]);
    let soon = Some(os::clock::after_ms(200));
    assert!(matches!(connection.response(soon, |_| {}), Err(ClientError::Timeout)));
    assert_eq!(run(&mut connection, settings), [1, 0, 2]);
    run(&mut connection, "BEGIN TRANSACTION; INSERT dbo.m VALUES (3, 0)");
    connection.protocol().rpc(&[fill(FOR_EVER)]);
    let soon = Some(os::clock::after_ms(200));
    assert!(matches!(connection.response(soon, |_| {}), Err(ClientError::Timeout)));
    assert_eq!(run(&mut connection, "SELECT COUNT(*) FROM dbo.m WITH (SNAPSHOT); SELECT @@TRANCOUNT; COMMIT"), [3, 1]);
    // The isolation level is the session's again, too: READ COMMITTED is none for rows in memory.
    assert_eq!(run(&mut connection, "BEGIN TRANSACTION; SELECT COUNT(*) FROM dbo.m"), [41368]);
}

#[test]
fn a_kill_takes_the_block_back() {
    let (server, mut connection) = start();
    let spid = run(&mut connection, "SELECT CAST(@@SPID AS int)")[0];
    connection.protocol().rpc(&[fill(FOR_EVER)]);
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        server.query(&format!("KILL {spid}"));
        server
    });
    // 596 and the end, or the end alone where that came first.
    let mut told = Vec::new();
    let answer = connection.response(deadline(), |token| {
        if let Token::Message(message) = token {
            told.push(message.number);
        }
    });
    assert!(answer.is_err() || told == [596], "{told:?}");
    assert!(connection.query("SELECT 1", deadline()).is_err(), "the session is gone");
    let server = killer.join().expect("killed");
    assert_eq!(run(&mut open(&server), "SELECT COUNT(*) FROM dbo.m"), [2]);
}
