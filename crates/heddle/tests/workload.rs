//! Workload groups of the resource governor: who is in which, and what that means for its requests.
//! https://learn.microsoft.com/sql/t-sql/statements/create-workload-group-transact-sql
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::time::{Duration, Instant};

use support::raw::{Raw, rows};
use support::wire::{Wire, must, one};
use support::{Server, binary};
use types::Datum;

/// Which of two programs it is decides; sessions of this test's other client are in the default group.
const CLASSIFIER: &str = "CREATE FUNCTION dbo.which () RETURNS sysname WITH SCHEMABINDING AS \
    BEGIN RETURN CASE WHEN SUSER_SNAME() = 'small' THEN N'Bounded' WHEN SUSER_SNAME() = 'wrong' THEN N'nowhere' END END";

fn refused(wire: &mut Wire, batch: &str, number: i32) -> String {
    let answer = wire.query(batch);
    let error = answer.errors.first().unwrap_or_else(|| panic!("{batch}: no error"));
    assert_eq!(error.0, number, "{batch}: {error:?}");
    error.2.clone()
}

fn start(args: &[&str]) -> (Server, Wire) {
    let server = Server::start(&[&["--no-password-policy"], args].concat());
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    for batch in [
        CLASSIFIER,
        "CREATE LOGIN small WITH PASSWORD = 'x', CHECK_POLICY = OFF; CREATE LOGIN wrong WITH PASSWORD = 'x', CHECK_POLICY = OFF",
        "ALTER SERVER ROLE sysadmin ADD MEMBER small",
        "CREATE WORKLOAD GROUP bounded",
        "ALTER RESOURCE GOVERNOR WITH (CLASSIFIER_FUNCTION = dbo.which)",
        "ALTER RESOURCE GOVERNOR RECONFIGURE",
    ] {
        must(&mut wire, batch);
    }
    (server, wire)
}

fn set(wire: &mut Wire, setting: &str) {
    must(wire, &format!("ALTER WORKLOAD GROUP bounded WITH ({setting}); ALTER RESOURCE GOVERNOR RECONFIGURE"));
}

/// Runs a batch as a login, from a client of its own.
fn run_as(server: &Server, login: &str, batch: &str) -> std::process::Child {
    binary()
        .args(["sql", "-S", &server.address(), "-U", login, "-P", "x", "-b", "-h", "-1", "-Q", batch])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("heddle sql runs")
}

fn said(child: std::process::Child) -> String {
    let output = child.wait_with_output().expect("it ends");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn definitions_are_checked() {
    let (_server, mut wire) = start(&[]);
    for (batch, number) in [
        ("CREATE WORKLOAD GROUP Bounded", 10918),
        ("CREATE WORKLOAD GROUP #g", 10914),
        ("CREATE WORKLOAD GROUP g WITH (IMPORTANCE = HIGH)", 40510),
        ("CREATE WORKLOAD GROUP g WITH (IMPORTANCE = SOMETIMES)", 102),
        ("CREATE WORKLOAD GROUP g WITH (GROUP_MAX_TEMPDB_DATA_MB = 5)", 40510),
        ("CREATE WORKLOAD GROUP g WITH (MAX_DOP = 65)", 102),
        ("CREATE WORKLOAD GROUP g WITH (REQUEST_MAX_MEMORY_GRANT_PERCENT = 101)", 102),
        ("CREATE WORKLOAD GROUP g WITH (MAX_DOP = 1, MAX_DOP = 2)", 102),
        ("ALTER WORKLOAD GROUP [default]", 10917),
        ("ALTER WORKLOAD GROUP internal WITH (MAX_DOP = 1)", 10915),
        ("ALTER WORKLOAD GROUP nowhere WITH (MAX_DOP = 1)", 15151),
        ("DROP WORKLOAD GROUP nowhere", 15151),
        ("DROP WORKLOAD GROUP [default]", 10912),
        ("ALTER RESOURCE GOVERNOR WITH (CLASSIFIER_FUNCTION = dbo.nowhere)", 10902),
        ("ALTER RESOURCE GOVERNOR WITH (MAX_OUTSTANDING_IO_PER_VOLUME = 20)", 40510),
        ("DROP FUNCTION dbo.which", 10920),
        ("ALTER FUNCTION dbo.which () RETURNS sysname WITH SCHEMABINDING AS BEGIN RETURN N'x' END", 10920),
        ("BEGIN TRAN; CREATE WORKLOAD GROUP g", 226),
    ] {
        refused(&mut wire, batch, number);
        must(&mut wire, "IF @@TRANCOUNT > 0 ROLLBACK");
    }
    for function in [
        "(@a int) RETURNS sysname WITH SCHEMABINDING AS BEGIN RETURN N'x' END",
        "() RETURNS sysname AS BEGIN RETURN N'x' END",
        "() RETURNS int WITH SCHEMABINDING AS BEGIN RETURN 1 END",
    ] {
        must(&mut wire, &format!("CREATE OR ALTER FUNCTION dbo.unfit {function}"));
        refused(&mut wire, "ALTER RESOURCE GOVERNOR WITH (CLASSIFIER_FUNCTION = dbo.unfit)", 10906);
        must(&mut wire, "DROP FUNCTION dbo.unfit");
    }
    // Asked for is one thing, in effect another.
    must(
        &mut wire,
        "CREATE WORKLOAD GROUP more WITH (GROUP_MAX_REQUESTS = 7, MAX_DOP = 4, IMPORTANCE = MEDIUM) USING [default]",
    );
    let asked = "SELECT group_max_requests FROM sys.resource_governor_workload_groups WHERE name = 'more'";
    let in_effect = "SELECT COUNT(*) FROM sys.dm_resource_governor_workload_groups WHERE name = 'more'";
    let pending = "SELECT CONVERT(int, is_reconfiguration_pending) FROM sys.dm_resource_governor_configuration";
    assert_eq!((one(&mut wire, asked), one(&mut wire, in_effect), one(&mut wire, pending)), (7, 0, 1));
    must(&mut wire, "ALTER RESOURCE GOVERNOR RECONFIGURE");
    assert_eq!((one(&mut wire, in_effect), one(&mut wire, pending)), (1, 0));
    must(&mut wire, "DROP WORKLOAD GROUP more; ALTER RESOURCE GOVERNOR RECONFIGURE");
    assert_eq!(one(&mut wire, in_effect), 0);
    must(
        &mut wire,
        "ALTER RESOURCE GOVERNOR WITH (CLASSIFIER_FUNCTION = NULL); ALTER RESOURCE GOVERNOR RECONFIGURE; DROP FUNCTION dbo.which",
    );
}

#[test]
fn a_session_is_where_the_classifier_says_as_long_as_it_lives() {
    let (server, mut wire) = start(&[]);
    let group = "SET NOCOUNT ON; SELECT g.name FROM sys.dm_exec_sessions s \
        JOIN sys.dm_resource_governor_workload_groups g ON g.group_id = s.group_id WHERE s.session_id = @@SPID";
    assert_eq!(said(run_as(&server, "small", group)).trim(), "bounded");
    // NULL, or no group.
    assert_eq!(one(&mut wire, "SELECT group_id FROM sys.dm_exec_sessions WHERE session_id = @@SPID"), 2);
    must(&mut wire, "GRANT VIEW SERVER STATE TO wrong");
    assert_eq!(said(run_as(&server, "wrong", group)).trim(), "default");
    let waits = run_as(&server, "small", "WAITFOR DELAY '0:0:3'");
    let begun = Instant::now();
    let there = "SELECT COUNT(*) FROM sys.dm_exec_requests WHERE group_id > 2";
    while one(&mut wire, there) == 0 {
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
    must(&mut wire, "DROP WORKLOAD GROUP bounded");
    refused(&mut wire, "ALTER RESOURCE GOVERNOR RECONFIGURE", 10904);
    said(waits);
    while one(&mut wire, "SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE group_id > 2") > 0 {
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
    must(&mut wire, "ALTER RESOURCE GOVERNOR RECONFIGURE");
    assert_eq!(said(run_as(&server, "small", group)).trim(), "default");
}

#[test]
fn requests_above_the_limit_wait() {
    for (workers, kernel) in [("fiber", "threaded"), ("thread", "threaded"), ("fiber", "process")] {
        let (server, mut wire) = start(&["--workers", workers, "--kernel", kernel]);
        set(&mut wire, "GROUP_MAX_REQUESTS = 2");
        let begun = Instant::now();
        let waits: Vec<_> = (0..6).map(|_| run_as(&server, "small", "WAITFOR DELAY '0:0:1'")).collect();
        let group = "SELECT active_request_count * 100 + queued_request_count FROM sys.dm_resource_governor_workload_groups \
            WHERE name = 'bounded'";
        let mut seen_waiting = 0;
        while seen_waiting == 0 && begun.elapsed() < Duration::from_secs(10) {
            let now = one(&mut wire, group);
            assert!(now / 100 <= 2, "{now}: more than two run");
            seen_waiting = seen_waiting.max(now % 100);
        }
        waits.into_iter().for_each(|child| drop(said(child)));
        let requests =
            "SELECT total_request_count FROM sys.dm_resource_governor_workload_groups WHERE name = 'bounded'";
        assert!(one(&mut wire, requests) >= 6, "those of sessions that have ended count ({workers}, {kernel})");
        let took = begun.elapsed();
        assert!(
            took >= Duration::from_millis(2_900),
            "six seconds of waiting by two at a time: {took:?} ({workers}, {kernel})"
        );
        assert!(seen_waiting > 0, "nobody was seen waiting ({workers}, {kernel})");
        let waited =
            "SELECT total_queued_request_count FROM sys.dm_resource_governor_workload_groups WHERE name = 'bounded'";
        assert!(one(&mut wire, waited) > 0);
        // Others do not notice, and without the limit nobody waits.
        set(&mut wire, "GROUP_MAX_REQUESTS = 0");
        let begun = Instant::now();
        let waits: Vec<_> = (0..4).map(|_| run_as(&server, "small", "WAITFOR DELAY '0:0:4'")).collect();
        waits.into_iter().for_each(|child| drop(said(child)));
        assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    }
}

#[test]
fn who_waits_for_a_turn_is_cancelled_and_killed() {
    let (server, mut wire) = start(&[]);
    must(&mut wire, "ALTER WORKLOAD GROUP [default] WITH (GROUP_MAX_REQUESTS = 1)");
    let mut held = Wire::open(server.port, "master").expect("logged in");
    let mut first = Wire::open(server.port, "master").expect("logged in");
    let mut second = Wire::open(server.port, "master").expect("logged in");
    let second_is = one(&mut second, "SELECT CONVERT(int, @@SPID)");
    must(&mut held, "CREATE TABLE kept (a int); INSERT kept VALUES (1)");
    must(&mut held, "BEGIN TRAN; UPDATE kept SET a = 2");
    must(&mut wire, "ALTER RESOURCE GOVERNOR RECONFIGURE");
    first.client.batch("WAITFOR DELAY '0:0:20'");
    first.send();
    std::thread::sleep(Duration::from_millis(300));
    for cancel in [true, false] {
        second.client.batch("SELECT 1");
        second.send();
        assert!(!second.something_comes(Duration::from_millis(500)), "it waits");
        // Who is within a transaction does not.
        assert_eq!(one(&mut held, "SELECT a FROM kept"), 2);
        let begun = Instant::now();
        if cancel {
            second.client.attention();
            second.send();
            assert!(second.answer().cancelled);
        } else {
            // By who is in another group, and not within a transaction.
            assert_eq!(said(run_as(&server, "small", &format!("KILL {second_is}"))), "");
            assert!(second.is_closed());
        }
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    }
    first.client.attention();
    first.send();
    assert!(first.answer().cancelled);
    must(&mut held, "ROLLBACK");
    assert_eq!(one(&mut first, "SELECT 5"), 5);
}

/// "Specifies the maximum amount of CPU time"; an event by default, an error with trace flag 2422.
#[test]
fn cpu_time_is_told_and_with_a_trace_flag_stops() {
    let (server, mut wire) = start(&[]);
    set(&mut wire, "REQUEST_MAX_CPU_TIME_SEC = 1");
    let violations = "SELECT CONVERT(int, total_cpu_limit_violation_count) FROM sys.dm_resource_governor_workload_groups WHERE name = 'bounded'";
    let works = "DECLARE @until datetime2 = DATEADD(ms, 4000, SYSDATETIME()); WHILE SYSDATETIME() < @until SET NOCOUNT ON; SELECT 7";
    assert!(said(run_as(&server, "small", works)).contains('7'));
    assert_eq!(one(&mut wire, violations), 1);
    // Time without the CPU is none.
    assert!(said(run_as(&server, "small", "WAITFOR DELAY '0:0:3'; SELECT 8")).contains('8'));
    assert_eq!(one(&mut wire, violations), 1);
    must(&mut wire, "DBCC TRACEON (2422, -1) WITH NO_INFOMSGS");
    let told = said(run_as(&server, "small", "WHILE 1 = 1 SET NOCOUNT ON"));
    assert!(told.contains("10961") && told.contains("its CPU time, 1 seconds"), "{told}");
    assert_eq!(one(&mut wire, violations), 2);
    must(&mut wire, "DBCC TRACEOFF (2422, -1) WITH NO_INFOMSGS");
}

/// What a query is granted is at most the group's percentage, and how long it waits the group says.
#[test]
fn grants_are_bounded_by_the_group() {
    let (server, mut wire) = start(&["--memory", "256MB"]);
    must(&mut wire, "CREATE DATABASE grants");
    must(
        &mut wire,
        "CREATE TABLE grants.dbo.t (v int NOT NULL, s char(200) NOT NULL); INSERT grants.dbo.t SELECT value, 'x' FROM GENERATE_SERIES(1, 200000)",
    );
    let holds = "SET NOCOUNT ON; DECLARE c CURSOR STATIC FOR SELECT TOP 1 v FROM grants.dbo.t; DECLARE @m bigint; \
        SELECT TOP (1) @m = v FROM (SELECT TOP 200000 v, s FROM grants.dbo.t ORDER BY s, v DESC) x ORDER BY s DESC, v; \
        SELECT MAX(max_grant_kb) FROM sys.dm_exec_query_stats q CROSS APPLY sys.dm_exec_sql_text(q.sql_handle) t WHERE t.text LIKE '%FROM grants.dbo.t ORDER BY s, v DESC%'";
    let total = one(&mut wire, "SELECT max_target_memory_kb FROM sys.dm_exec_query_resource_semaphores");
    let mut granted = Vec::new();
    for percent in [2, 10, 25] {
        set(&mut wire, &format!("REQUEST_MAX_MEMORY_GRANT_PERCENT = {percent}"));
        must(&mut wire, "DBCC FREEPROCCACHE WITH NO_INFOMSGS");
        let kb: i64 = said(run_as(&server, "small", holds)).trim().parse().expect("a number");
        assert!(kb > 0 && kb <= total * percent / 100, "{percent} % of {total} KB: {kb} KB");
        granted.push(kb);
    }
    assert!(granted[0] < granted[1] && granted[1] < granted[2], "{granted:?}");
    let asked =
        "SELECT request_memory_grant_timeout_sec FROM sys.dm_resource_governor_workload_groups WHERE name = 'bounded'";
    set(&mut wire, "REQUEST_MEMORY_GRANT_TIMEOUT_SEC = 7");
    assert_eq!(one(&mut wire, asked), 7);
}

#[test]
fn groups_outlast_a_restart() {
    let data = support::scratch("workload");
    let data = data.to_str().expect("UTF-8");
    let server = Server::start_on(data, &["--no-password-policy"]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    for batch in [
        CLASSIFIER,
        "CREATE LOGIN small WITH PASSWORD = 'x', CHECK_POLICY = OFF; GRANT VIEW SERVER STATE TO small",
        "CREATE WORKLOAD GROUP bounded WITH (GROUP_MAX_REQUESTS = 3)",
        "ALTER RESOURCE GOVERNOR WITH (CLASSIFIER_FUNCTION = dbo.which)",
        "ALTER RESOURCE GOVERNOR RECONFIGURE",
    ] {
        must(&mut wire, batch);
    }
    drop(wire);
    server.stop();
    let server = Server::start_on(data, &["--no-password-policy"]);
    let group = "SET NOCOUNT ON; SELECT CONCAT(g.name, ' ', g.group_max_requests) FROM sys.dm_exec_sessions s \
        JOIN sys.dm_resource_governor_workload_groups g ON g.group_id = s.group_id WHERE s.session_id = @@SPID";
    assert_eq!(said(run_as(&server, "small", group)).trim(), "bounded 3");
    let mut raw = Raw::open(server.port, true, Vec::new());
    assert_eq!(rows(&raw.batch("SELECT COUNT(*) FROM sys.dm_resource_governor_workload_groups")), [[Datum::I64(3)]]);
}
