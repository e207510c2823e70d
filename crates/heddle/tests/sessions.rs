//! What two sessions see of each other: versions, waits, timeouts, deadlocks, update conflicts, ranges.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::Server;
use support::session::{Session, until_someone_waits};

fn two_sessions(server: &Server) -> (Session, Session) {
    server.query("CREATE DATABASE two; ALTER DATABASE two SET READ_COMMITTED_SNAPSHOT ON; ALTER DATABASE two SET ALLOW_SNAPSHOT_ISOLATION ON");
    let (mut a, b) = (Session::open(server, "two"), Session::open(server, "two"));
    a.run("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int); INSERT t VALUES (1, 10), (2, 20), (3, 30)");
    (a, b)
}

#[test]
fn readers_see_the_last_committed_row_and_writers_wait() {
    let server = Server::start(&[]);
    let (mut a, mut b) = two_sessions(&server);
    a.run("BEGIN TRAN; UPDATE t SET v = 11 WHERE id = 1");
    assert_eq!(b.run("SELECT v FROM t WHERE id = 1"), "10");
    let timeout = b.run("SET LOCK_TIMEOUT 100; UPDATE t SET v = 12 WHERE id = 1");
    assert!(timeout.starts_with("Msg 1222, Level 16, State 51, "), "{timeout}");
    assert!(
        timeout.contains("Lock request time out period exceeded.\nThe statement has been terminated."),
        "{timeout}"
    );
    b.run("SET LOCK_TIMEOUT -1");
    b.send("UPDATE t SET v += 100 WHERE id = 1");
    until_someone_waits(&server);
    a.run("COMMIT");
    assert_eq!(b.answer(), "");
    assert_eq!(a.run("SELECT v FROM t WHERE id = 1"), "111");
}

#[test]
fn a_deadlock_has_one_victim() {
    let server = Server::start(&[]);
    let (mut a, mut b) = two_sessions(&server);
    a.run("SET DEADLOCK_PRIORITY HIGH; BEGIN TRAN; UPDATE t SET v = 1 WHERE id = 1");
    b.run("SET DEADLOCK_PRIORITY LOW; BEGIN TRAN; UPDATE t SET v = 2 WHERE id = 2");
    a.send("UPDATE t SET v = 1 WHERE id = 2");
    until_someone_waits(&server);
    let victim = b.run("UPDATE t SET v = 2 WHERE id = 1");
    assert!(victim.starts_with("Msg 1205, Level 13, State "), "{victim}");
    assert!(victim.contains("Transaction (Process ID "), "{victim}");
    assert!(victim.contains(") was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction."), "{victim}");
    assert_eq!(a.answer(), "");
    assert_eq!(a.run("SELECT @@TRANCOUNT; COMMIT"), "1");
    assert_eq!(b.run("SELECT @@TRANCOUNT"), "0");
    assert_eq!(b.run("SELECT SUM(v) FROM t"), "32");
}

#[test]
fn a_snapshot_does_not_overwrite_what_it_does_not_see() {
    let server = Server::start(&[]);
    let (mut a, mut b) = two_sessions(&server);
    a.run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRAN");
    assert_eq!(a.run("SELECT v FROM t WHERE id = 3"), "30");
    b.run("UPDATE t SET v = 99 WHERE id = 3");
    assert_eq!(a.run("SELECT v FROM t WHERE id = 3"), "30");
    let conflict = a.run("UPDATE t SET v = 100 WHERE id = 3");
    assert!(conflict.starts_with("Msg 3960, Level 16, "), "{conflict}");
    assert!(conflict.contains("table 'dbo.t' directly or indirectly in database 'two' to update"), "{conflict}");
    assert_eq!(a.run("SELECT @@TRANCOUNT"), "0");
    assert_eq!(b.run("SELECT v FROM t WHERE id = 3"), "99");
}

#[test]
fn serializable_keeps_phantoms_out() {
    let server = Server::start(&[]);
    let (mut a, mut b) = two_sessions(&server);
    b.run("SET LOCK_TIMEOUT 100; INSERT t VALUES (100, 0)");
    a.run("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRAN");
    assert_eq!(a.run("SELECT COUNT(*) FROM t WHERE id BETWEEN 1 AND 10"), "3");
    assert!(b.run("INSERT t VALUES (5, 5)").starts_with("Msg 1222, "));
    a.run("COMMIT; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; BEGIN TRAN");
    assert_eq!(a.run("SELECT v FROM t WHERE id = 2"), "20");
    assert!(b.run("UPDATE t SET v = 0 WHERE id = 2").starts_with("Msg 1222, "));
    assert_eq!(b.run("INSERT t VALUES (5, 5)"), "");
    a.run("COMMIT");
}
