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

/// https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-exec-sessions-transact-sql and the pages of
/// sys.dm_exec_requests, sys.dm_tran_session_transactions, sys.dm_tran_database_transactions, sys.sysprocesses.
#[test]
fn a_session_is_shown_as_it_is() {
    let server = Server::start(&[]);
    let (mut a, mut b) = two_sessions(&server);
    server.query("CREATE LOGIN carla WITH PASSWORD = 'Pa55-of-hers'; EXEC sp_addsrvrolemember 'carla', 'sysadmin'");
    let spid = a.run("SELECT @@SPID");
    a.run(
        "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SET CONTEXT_INFO 0x414243; SET DATEFIRST 3; SET LANGUAGE French",
    );
    a.run("BEGIN TRAN; BEGIN TRAN; UPDATE t SET v = 0 WHERE id = 1");
    let shown = "SELECT CONVERT(varchar(20), context_info, 1), transaction_isolation_level, open_transaction_count, language, date_first";
    let expected = "0x414243 4 2 Français 3";
    assert_eq!(b.run(&format!("{shown} FROM sys.dm_exec_sessions WHERE session_id = {spid}")), expected);
    let waiting = b.run("SELECT @@SPID");
    b.send("SET DEADLOCK_PRIORITY 7; SET LOCK_TIMEOUT 60000; BEGIN TRAN; UPDATE t SET v = 5 WHERE id = 1; ROLLBACK");
    until_someone_waits(&server);
    std::thread::sleep(std::time::Duration::from_millis(1200));
    let ask = |query: &str| server.query(&format!("SET NOCOUNT ON; {query}")).trim().to_owned();
    assert_eq!(
        ask(&format!(
            "SELECT CONCAT_WS(' ', open_transaction_count, deadlock_priority, lock_timeout, IIF(wait_time > 1000, 'long', 'short'), status)
             FROM sys.dm_exec_requests WHERE session_id = {waiting}"
        )),
        "1 7 60000 long suspended"
    );
    assert_eq!(
        ask("SELECT COUNT(*) FROM sys.dm_os_waiting_tasks WHERE blocking_session_id <> 0 AND wait_duration_ms > 1000"),
        "1"
    );
    // One transaction is one number in all of them, also before it has changed anything.
    assert_eq!(
        ask(&format!(
            "SELECT CONCAT_WS(' ', COUNT(*), COUNT(DISTINCT s.transaction_id), SUM(s.open_transaction_count), SUM(IIF(a.name = 'user_transaction', 1, 0)),
               SUM(d.database_transaction_state), MIN(DB_NAME(d.database_id)))
             FROM sys.dm_tran_session_transactions s JOIN sys.dm_tran_active_transactions a ON a.transaction_id = s.transaction_id
             JOIN sys.dm_tran_database_transactions d ON d.transaction_id = s.transaction_id
             WHERE s.session_id IN ({spid}, {waiting}) AND s.transaction_id IN (SELECT request_owner_id FROM sys.dm_tran_locks)"
        )),
        "2 2 3 2 7 two"
    );
    assert_eq!(
        ask(&format!(
            "SELECT STRING_AGG(CONCAT(RTRIM(status), ' ', open_tran, ' ', blocked), ', ') WITHIN GROUP (ORDER BY IIF(spid = @@SPID, 2, 1), blocked)
             FROM sys.sysprocesses WHERE spid IN ({spid}, {waiting}, @@SPID)"
        )),
        format!("sleeping 2 0, suspended 1 {spid}, runnable 0 0")
    );
    a.run("ROLLBACK");
    assert_eq!(b.answer(), "");
    // However often it looked around, it was one wait.
    assert_eq!(
        ask(&format!(
            "SELECT CONCAT_WS(' ', waiting_tasks_count, IIF(max_wait_time_ms > 1000, 'long', 'short'))
             FROM sys.dm_exec_session_wait_stats WHERE session_id = {waiting} AND wait_type = 'LCK_M_U'"
        )),
        "1 long"
    );
    b.run("EXECUTE AS LOGIN = 'carla'");
    assert_eq!(
        ask(&format!(
            "SELECT CONCAT_WS(' ', s.login_name, SUSER_SNAME(s.security_id), s.original_login_name, RTRIM(p.loginame))
             FROM sys.dm_exec_sessions s JOIN sys.sysprocesses p ON p.spid = s.session_id WHERE s.session_id = {waiting}"
        )),
        "carla carla sa carla"
    );
    let who = "SET NOCOUNT ON; SELECT SUSER_SNAME(security_id) FROM sys.dm_exec_sessions WHERE session_id = @@SPID";
    let address = server.address();
    let args = ["sql", "-S", &address, "-U", "carla", "-P", "Pa55-of-hers", "-h", "-1", "-W", "-Q", who];
    let answer = support::binary().args(args).output().expect("heddle sql runs").stdout;
    assert_eq!(String::from_utf8_lossy(&answer).trim(), "carla");
}

/// "When setting the READ_COMMITTED_SNAPSHOT option, only the connection executing the ALTER DATABASE command is allowed in the database."
/// https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options
#[test]
fn row_versions_and_read_only_are_switched_with_nobody_else_in_the_database() {
    let server = Server::start(&[]);
    server.query("CREATE DATABASE two; CREATE TABLE two.dbo.t (a int)");
    let mut a = Session::open(&server, "master");
    let shown = "SELECT CONVERT(int, is_read_committed_snapshot_on) + 2 * CONVERT(int, is_read_only) FROM sys.databases WHERE name = 'two'";
    for (change, state) in [
        ("READ_COMMITTED_SNAPSHOT ON", "1"),
        ("READ_ONLY", "3"),
        ("READ_WRITE", "1"),
        ("READ_COMMITTED_SNAPSHOT OFF", "0"),
    ] {
        let (mut b, before) = (Session::open(&server, "two"), a.run(shown));
        let refused = a.run(&format!("ALTER DATABASE two SET {change} WITH NO_WAIT"));
        assert!(refused.contains("Msg 5070, ") && refused.contains("Msg 5069, "), "{refused}");
        // What is so already, and what nobody minds, is set at once.
        let at_once = if before == "1" { "READ_COMMITTED_SNAPSHOT ON" } else { "MULTI_USER" };
        assert_eq!(a.run(&format!("ALTER DATABASE two SET {at_once}")), "", "{change}");
        a.send(&format!("ALTER DATABASE two SET {change}"));
        std::thread::sleep(std::time::Duration::from_millis(200));
        assert_eq!(b.run(shown), before, "{change}: it waits");
        b.run("USE master");
        assert_eq!(a.answer(), "", "{change}");
        assert_eq!(a.run(shown), state, "{change}");
    }
    let mut b = Session::open(&server, "two");
    b.run("BEGIN TRAN; INSERT t VALUES (1)");
    assert_eq!(a.run("ALTER DATABASE two SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE"), "");
    assert_eq!(a.run("SELECT COUNT(*) FROM two.dbo.t"), "0");
}
