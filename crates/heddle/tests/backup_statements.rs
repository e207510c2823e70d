//! BACKUP and RESTORE in T-SQL, with real files: under a load, beside the original and in its place, stopped and killed at any moment.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/backup-transact-sql
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-transact-sql
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use lab::client::{Answer, Connection};
use support::ask::{ask, must};
use support::wire::Wire;
use support::{Server, scratch, target};
use types::Datum;

/// A server with its data in a directory of the test's own, and where its backups go.
fn start(name: &str) -> (Server, PathBuf) {
    let directory = scratch(name);
    let data = directory.join("data");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &["--admin-listen", "off"]);
    (server, directory)
}

fn again(directory: &Path) -> Server {
    Server::start_on(directory.join("data").to_str().expect("UTF-8"), &["--admin-listen", "off"])
}

fn connect(server: &Server, database: &str) -> Connection {
    Connection::open(&target(server.port, database), None).expect("logged in")
}

fn texts(answer: &Answer) -> Vec<(i32, String)> {
    answer.messages.iter().map(|message| (message.number, message.text.clone())).collect()
}

fn numbers(answer: &Answer) -> Vec<i32> {
    answer.messages.iter().map(|message| message.number).collect()
}

fn text_of(datum: &Datum) -> String {
    types::collation::code_page::utf16_to_string(datum.as_bytes())
}

/// The first value of a query, a number.
fn one(connection: &mut Connection, query: &str) -> i64 {
    must(connection, query).sets[0].rows[0][0].as_i64()
}

/// The first value of a query, a wide text.
fn word(connection: &mut Connection, query: &str) -> String {
    text_of(&must(connection, query).sets[0].rows[0][0])
}

#[test]
fn a_database_comes_back_beside_the_original_and_in_its_place() {
    let (server, directory) = start("backup-thin");
    let mut sa = connect(&server, "master");
    for batch in [
        "CREATE DATABASE shop",
        "ALTER DATABASE shop SET READ_COMMITTED_SNAPSHOT ON; ALTER DATABASE shop SET RECOVERY SIMPLE",
        "CREATE LOGIN clerk WITH PASSWORD = 'Some-1-password'",
        "USE shop; CREATE USER clerk; CREATE TABLE t (id int IDENTITY PRIMARY KEY, v int NOT NULL);
         CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
         GRANT SELECT ON t TO clerk",
        "USE shop; INSERT t (v) SELECT value * 3 FROM GENERATE_SERIES(1, 5000); INSERT m SELECT value, value FROM GENERATE_SERIES(1, 700)",
        "USE shop; EXEC('CREATE PROCEDURE p AS SELECT SUM(v) FROM t')",
        "USE master",
    ] {
        must(&mut sa, batch);
    }
    let path = directory.join("shop.bak");
    let told = must(&mut sa, &format!("BACKUP DATABASE shop TO DISK = '{}' WITH STATS = 50", path.display()));
    let told = texts(&told);
    let numbers_told: Vec<i32> = told.iter().map(|(number, _)| *number).filter(|number| *number != 3211).collect();
    assert_eq!(numbers_told, [4035, 4035, 3014], "{told:?}");
    assert!(told.iter().any(|(_, text)| text == "100 percent processed."), "{told:?}");
    assert!(told.iter().any(|(_, text)| text.contains("for database 'shop', file 'shop' on file 1.")), "{told:?}");
    assert!(told.last().expect("some").1.starts_with("BACKUP DATABASE successfully processed "), "{told:?}");
    must(&mut sa, "INSERT shop..t (v) VALUES (1000000)");
    // Beside.
    let move_to = "WITH MOVE 'shop' TO '/elsewhere/copy.mdf', MOVE 'shop_log' TO '/elsewhere/copy.ldf'";
    let told = must(&mut sa, &format!("RESTORE DATABASE copy FROM DISK = '{}' {move_to}", path.display()));
    assert_eq!(numbers(&told), [4035, 4035, 3014], "{:?}", texts(&told));
    let sum = |sa: &mut Connection, name: &str| {
        one(sa, &format!("SELECT SUM(CAST(v AS bigint)) + (SELECT SUM(v) FROM {name}..m) FROM {name}..t"))
    };
    let model = (1..=5000).map(|value| value * 3).sum::<i64>() + (1..=700).sum::<i64>();
    assert_eq!(sum(&mut sa, "copy"), model);
    assert_eq!(sum(&mut sa, "shop"), model + 1_000_000);
    assert_eq!(
        one(&mut sa, "SELECT CONVERT(int, is_read_committed_snapshot_on) FROM sys.databases WHERE name = 'copy'"),
        1
    );
    assert_eq!(word(&mut sa, "SELECT SUSER_SNAME(owner_sid) FROM sys.databases WHERE name = 'copy'"), "sa");
    assert_eq!(
        word(&mut sa, "SELECT physical_name FROM sys.master_files WHERE database_id = DB_ID('copy') AND file_id = 1"),
        "/elsewhere/copy.mdf"
    );
    assert_eq!(must(&mut sa, "USE copy; EXEC p; USE master").sets[0].rows.len(), 1);
    must(&mut sa, "USE copy; EXECUTE AS USER = 'clerk'; SELECT COUNT(*) FROM t; REVERT; USE master");
    // New rows and new objects do not meet old ones.
    must(
        &mut sa,
        "INSERT copy..t (v) VALUES (1); INSERT copy..m VALUES (701, 1); USE copy; EXEC('CREATE TABLE fresh (a int)'); USE master",
    );
    // In its place: SIMPLE and the same database, so REPLACE is not asked for.
    must(&mut sa, &format!("RESTORE DATABASE shop FROM DISK = '{}'", path.display()));
    assert_eq!(sum(&mut sa, "shop"), model);
    // And after a start.
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!((sum(&mut sa, "shop"), sum(&mut sa, "copy")), (model, model + 2));
    must(&mut sa, "DBCC CHECKDB ('copy')");
}
