//! What two sessions see of each other: versions, waits, timeouts, deadlocks, update conflicts, ranges.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use support::{PASSWORD, Server, binary};

/// One session, kept open by a `heddle sql` that reads batches from its standard input.
struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    batches: u32,
}

impl Session {
    fn open(server: &Server) -> Session {
        let mut command = binary();
        command.args(["sql", "-S", &server.address(), "-U", "sa", "-P", PASSWORD, "-d", "two", "-h", "-1", "-W"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("heddle sql runs");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let mut session = Session { child, input, output, batches: 0 };
        session.run("SET NOCOUNT ON");
        session
    }

    /// Sends a batch without waiting for its answer.
    fn send(&mut self, batch: &str) {
        self.batches += 1;
        writeln!(self.input, "{batch}\nGO\nPRINT 'end of {}'\nGO", self.batches).expect("the client reads");
        self.input.flush().expect("the client reads");
    }

    /// What the last batch printed.
    fn answer(&mut self) -> String {
        let end = format!("end of {}\n", self.batches);
        let mut text = String::new();
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("UTF-8") > 0, "the client ended after {text:?}");
            if line == end {
                return text.trim().to_owned();
            }
            text.push_str(&line);
        }
    }

    fn run(&mut self, batch: &str) -> String {
        self.send(batch);
        self.answer()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn two_sessions(server: &Server) -> (Session, Session) {
    server.query("CREATE DATABASE two; ALTER DATABASE two SET READ_COMMITTED_SNAPSHOT ON; ALTER DATABASE two SET ALLOW_SNAPSHOT_ISOLATION ON");
    let (mut a, b) = (Session::open(server), Session::open(server));
    a.run("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int); INSERT t VALUES (1, 10), (2, 20), (3, 30)");
    (a, b)
}

/// Until a session waits for a lock; gives up after some seconds.
fn until_someone_waits(server: &Server) {
    let waiting = "SET NOCOUNT ON; SELECT COUNT(*) FROM sys.dm_exec_requests WHERE blocking_session_id <> 0";
    for _ in 0..100 {
        if server.query(waiting).trim() != "0" {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
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
