//! What the server holds in memory beside `--memory`: pages, plans, table variables, sessions; grants and their queue.
//!
//! Measured of the server's process: VmHWM, its peak, without the file of its program, which is no memory of `--memory`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::time::{Duration, Instant};

use support::session::{Session, until_someone_waits};
use support::{Server, scratch};

const MEMORY_MB: u64 = 256;

/// Of `--memory`, what the server may take at most. Programs that are not optimized compile with deeper stacks and wider frames.
const PEAK_MB: u64 = MEMORY_MB * if cfg!(debug_assertions) { 120 } else { 115 } / 100;

/// A field of /proc/PID/status, in MB.
fn status_mb(server: &Server, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("it runs");
    let line = status.lines().find(|line| line.starts_with(field)).expect("a field of it");
    let kb: u64 = line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).expect("a number");
    kb / 1024
}

fn peak_mb(server: &Server) -> u64 {
    status_mb(server, "VmHWM:") - status_mb(server, "RssFile:")
}

fn number(server: &Server, query: &str) -> i64 {
    let text = server.query(&format!("SET NOCOUNT ON; {query}"));
    text.trim().parse().unwrap_or_else(|_| panic!("{query}: {text}"))
}

fn until(what: &str, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

const CLERKS_KB: &str = "SELECT SUM(pages_kb) FROM sys.dm_os_memory_clerks";
const BUFFER_KB: &str = "SELECT pages_kb FROM sys.dm_os_memory_clerks WHERE type = 'MEMORYCLERK_SQLBUFFERPOOL'";
const GRANTS: &str = "SELECT COUNT(*) FROM sys.dm_exec_query_memory_grants";
const WAITERS: &str = "SELECT waiter_count FROM sys.dm_exec_query_resource_semaphores";
const LEFT_KB: &str = "SELECT granted_memory_kb + used_memory_kb + grantee_count + waiter_count \
                       FROM sys.dm_exec_query_resource_semaphores";

/// A table of so many pages: a row on each.
fn fill(server: &Server, pages: u32) {
    server.query("CREATE DATABASE large");
    server.query("CREATE TABLE large.dbo.t (id int NOT NULL PRIMARY KEY, filler char(7000) NOT NULL)");
    for first in (0..pages).step_by(10_000) {
        let last = (first + 10_000).min(pages) - 1;
        let insert = format!("INSERT large.dbo.t SELECT value, 'x' FROM GENERATE_SERIES({first}, {last})");
        assert_eq!(server.query(&format!("SET NOCOUNT ON; {insert}")).trim(), "");
    }
}

#[test]
fn pages_plans_and_sessions_stay_within_the_memory_that_was_given() {
    let directory = scratch("memory-scans");
    let server = Server::start_on(directory.to_str().expect("UTF-8"), &["--memory", "256MB"]);
    println!("at first: {} MB", peak_mb(&server));
    fill(&server, 50_000);
    println!("400 MB written: {} MB", peak_mb(&server));
    let sum = "SELECT SUM(CAST(id AS bigint)) FROM large.dbo.t WHERE filler <> 'y'";
    for _ in 0..2 {
        assert_eq!(number(&server, sum), 50_000 * 49_999 / 2);
    }
    let (clerks, resident) = (number(&server, CLERKS_KB) as u64 / 1024, status_mb(&server, "RssAnon:"));
    println!("scanned: peak {} MB, clerks {clerks} MB, resident {resident} MB", peak_mb(&server));
    assert!(clerks.abs_diff(resident) <= resident / 10 + 4, "clerks {clerks} MB, resident {resident} MB");
    assert!(peak_mb(&server) <= PEAK_MB, "{} MB", peak_mb(&server));

    // Texts that never come again, each with a plan.
    let mut session = Session::open(&server, "large");
    for first in (0..4_000).step_by(500) {
        let many: String = (first..first + 500)
            .map(|i| format!("EXEC (N'DECLARE @v{i} int; SELECT @v{i} = COUNT(*) FROM t a JOIN t b ON a.id = b.id WHERE a.id = {i}');\n"))
            .collect();
        assert_eq!(session.run(&many), "");
    }
    let plans = "SELECT SUM(pages_kb) FROM sys.dm_os_memory_clerks WHERE type LIKE 'CACHESTORE%'";
    println!("4,000 plans: {} KB, peak {} MB", number(&server, plans), peak_mb(&server));
    assert!(number(&server, plans) as u64 <= 2 * MEMORY_MB * 1024 / 8);

    let sessions: Vec<Session> = (0..60).map(|_| Session::open(&server, "large")).collect();
    assert_eq!(number(&server, sum), 50_000 * 49_999 / 2);
    println!("60 sessions: peak {} MB", peak_mb(&server));
    drop(sessions);
    assert!(peak_mb(&server) <= PEAK_MB, "{} MB", peak_mb(&server));
}

#[test]
fn the_target_is_followed_while_the_server_runs() {
    let directory = scratch("memory-target");
    let server = Server::start_on(directory.to_str().expect("UTF-8"), &["--memory", "320MB"]);
    fill(&server, 35_000);
    let sum = "SELECT SUM(CAST(id AS bigint)) FROM large.dbo.t WHERE filler <> 'y'";
    number(&server, sum);
    let before = number(&server, BUFFER_KB);
    assert!(before > 200 << 10, "{before} KB");
    let set = |megabytes: u32| {
        let words = format!("EXEC sp_configure 'max server memory (MB)', {megabytes}; RECONFIGURE");
        server.query(&format!("EXEC sp_configure 'show advanced options', 1; RECONFIGURE; {words}"));
    };
    set(128);
    assert_eq!(number(&server, "SELECT committed_target_kb FROM sys.dm_os_sys_info"), 128 << 10);
    let after = number(&server, BUFFER_KB);
    assert!(after < 128 << 10, "{after} KB");
    until("memory goes back to the system", || status_mb(&server, "RssAnon:") <= 128 * 115 / 100);
    assert_eq!(number(&server, sum), 35_000 * 34_999 / 2);
    assert!(number(&server, BUFFER_KB) < 128 << 10);
    set(320);
    number(&server, sum);
    assert!(number(&server, BUFFER_KB) > 200 << 10);
}

/// Four sessions with all memory there is for queries, waiting for a lock that `blocker` has.
fn holders(server: &Server) -> (Session, Vec<Session>) {
    server.query("CREATE DATABASE two");
    let mut blocker = Session::open(server, "two");
    blocker.run("CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int); INSERT t VALUES (1, 10), (2, 20)");
    blocker.run("BEGIN TRAN; UPDATE t SET v = 11 WHERE id = 1");
    let mut all = Vec::new();
    for number_of in 1..=4 {
        let mut session = Session::open(server, "two");
        session.send(HELD);
        until("they have memory", || number(server, GRANTS) == number_of);
        all.push(session);
    }
    until_someone_waits(server);
    (blocker, all)
}

const HELD: &str = "SELECT id FROM t ORDER BY v OPTION (MIN_GRANT_PERCENT = 100)";

#[test]
fn who_finds_no_memory_waits_in_turn_and_not_for_ever() {
    let server = Server::start(&["--memory", "256MB"]);
    let patience = |seconds: u32| {
        let set = format!("EXEC sp_configure 'query wait (s)', {seconds}; RECONFIGURE");
        server.query(&format!("EXEC sp_configure 'show advanced options', 1; RECONFIGURE; {set}"));
    };
    patience(600);
    let (mut blocker, mut held) = holders(&server);
    let granted = "SELECT SUM(granted_memory_kb) FROM sys.dm_exec_query_memory_grants WHERE grant_time IS NOT NULL";
    let total = "SELECT total_memory_kb FROM sys.dm_exec_query_resource_semaphores";
    assert!(number(&server, granted) * 10 >= number(&server, total) * 9, "four quarters");
    let mut fifth = Session::open(&server, "two");
    fifth
        .send("SELECT COUNT(*) FROM (SELECT TOP 5 * FROM sys.objects ORDER BY name) x OPTION (MIN_GRANT_PERCENT = 50)");
    until("the fifth waits", || number(&server, WAITERS) == 1);
    let waits = "SELECT COUNT(*) FROM sys.dm_os_waiting_tasks WHERE wait_type = 'RESOURCE_SEMAPHORE'";
    until("it is seen to wait", || number(&server, waits) == 1);
    let mut sixth = Session::open(&server, "two");
    sixth.send("SELECT COUNT(*) FROM (SELECT TOP 5 * FROM sys.objects ORDER BY name) x OPTION (MIN_GRANT_PERCENT = 1)");
    until("the sixth waits", || number(&server, WAITERS) == 2);
    let order = "SELECT STRING_AGG(CONCAT(wait_order, is_next_candidate), ' ') WITHIN GROUP (ORDER BY wait_order) \
                 FROM sys.dm_exec_query_memory_grants WHERE grant_time IS NULL";
    assert_eq!(server.query(&format!("SET NOCOUNT ON; {order}")).trim(), "01 10");

    // Others wait for what this one has locked: it gets the least, and does not wait.
    assert_eq!(blocker.run(&format!("SELECT COUNT(*) FROM ({}) x", "SELECT TOP 2 v FROM t ORDER BY v")), "2");
    assert_eq!(blocker.run(HELD), "1\n2");
    assert_eq!(number(&server, "SELECT forced_grant_count FROM sys.dm_exec_query_resource_semaphores"), 1);

    patience(1);
    let mut late = Session::open(&server, "two");
    let error = late.run("SELECT name FROM sys.objects ORDER BY name OPTION (MIN_GRANT_PERCENT = 100)");
    assert!(error.starts_with("Msg 8645, Level 17, State 1, "), "{error}");
    assert!(
        error.contains(
            "A timeout occurred while waiting for memory resources to execute the query in resource pool 'default' (2). Rerun the query."
        ),
        "{error}"
    );
    assert_eq!(number(&server, "SELECT timeout_error_count FROM sys.dm_exec_query_resource_semaphores"), 1);

    blocker.run("COMMIT");
    for session in &mut held {
        assert_eq!(session.answer(), "1\n2");
    }
    assert_eq!((fifth.answer(), sixth.answer()), ("5".into(), "5".into()));
    assert_eq!(number(&server, LEFT_KB), 0);
    let pending = "SELECT cntr_value FROM sys.dm_os_performance_counters WHERE counter_name = 'Memory Grants Pending'";
    assert_eq!(number(&server, pending), 0);
}

#[test]
fn nothing_is_left_of_a_grant_however_its_query_ends() {
    let server = Server::start(&["--memory", "256MB"]);
    let (mut blocker, mut held) = holders(&server);
    let spid = "SELECT TOP 1 session_id FROM sys.dm_exec_query_memory_grants";
    // KILL, of one that has memory; then of one that waits for some.
    server.query(&format!("KILL {}", number(&server, spid)));
    until("KILL ends it", || number(&server, GRANTS) == 3);
    let mut more = [Session::open(&server, "two"), Session::open(&server, "two")];
    more[0].send(HELD);
    until("it has what the other had", || number(&server, GRANTS) == 4);
    more[1].send(HELD);
    until("it waits", || number(&server, WAITERS) == 1);
    server.query(&format!("KILL {}", number(&server, &format!("{spid} WHERE grant_time IS NULL"))));
    until("KILL ends the wait", || number(&server, WAITERS) == 0);
    // The client goes.
    held.clear();
    drop(more);
    until("a disconnect ends it", || number(&server, GRANTS) == 0);
    // An attention.
    let output = server.sql(&["-d", "two", "-t", "1", "-Q", HELD]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("Timeout expired"), "{output:?}");
    assert_eq!(number(&server, GRANTS), 0);
    blocker.run("ROLLBACK");
    // An error, in the middle of what was granted.
    let wrong =
        "SELECT 1 / (value - 5000) FROM GENERATE_SERIES(1, 9000) ORDER BY value OPTION (MIN_GRANT_PERCENT = 50)";
    assert!(server.query(wrong).contains("8134"));
    assert_eq!(number(&server, LEFT_KB), 0);
}

#[test]
fn percentages_and_statistics_of_grants() {
    let server = Server::start(&["--memory", "256MB"]);
    let mut session = Session::open(&server, "master");
    // "The probe of another implementation": 101 percent conflict with each other.
    assert!(session.run("SELECT 1 OPTION (MAX_GRANT_PERCENT = 101)").starts_with("Msg 1042, "));
    session.run("SELECT name FROM sys.all_objects ORDER BY name OPTION (MIN_GRANT_PERCENT = 50)");
    let of_plan = |column: &str| {
        format!(
            "SELECT TOP 1 {column} FROM sys.dm_exec_query_stats s CROSS APPLY sys.dm_exec_sql_text(s.sql_handle) t \
             WHERE t.text LIKE '%MIN_GRANT_PERCENT = 50%' AND t.text NOT LIKE '%dm_exec_query_stats%'"
        )
    };
    let granted = number(&server, &of_plan("last_grant_kb"));
    let most = number(&server, "SELECT total_memory_kb / 4 FROM sys.dm_exec_query_resource_semaphores");
    assert!((granted - most / 2).abs() * 10 < most, "{granted} KB of {most}");
    assert!(number(&server, &of_plan("last_used_grant_kb")) < granted);
}

/// What a run of a sort took goes before the next, and the allocator is asked for what it keeps.
#[test]
fn many_sorts_and_groups_at_a_time_stay_within_the_memory_that_was_given() {
    const MB: u64 = 128;
    let directory = scratch("memory-many");
    let server = Server::start_on(directory.to_str().expect("UTF-8"), &["--memory", "128MB"]);
    // It is not about time, which other tests take as well.
    server.query("EXEC sp_configure 'show advanced options', 1; RECONFIGURE; EXEC sp_configure 'query wait (s)', 300; RECONFIGURE");
    server.query("CREATE DATABASE many");
    server.query("CREATE TABLE many.dbo.t (id int NOT NULL PRIMARY KEY, s varchar(200) NOT NULL)");
    for first in (0..200_000).step_by(50_000) {
        let rows = format!("GENERATE_SERIES({first}, {})", first + 49_999);
        let insert = format!(
            "INSERT many.dbo.t SELECT value, CONCAT(REPLICATE('x', value % 90 + 10), (CAST(value AS bigint) * 7919) % 200000) FROM {rows}"
        );
        assert_eq!(server.query(&format!("SET NOCOUNT ON; {insert}")).trim(), "");
    }
    println!("at first: {} MB", peak_mb(&server));
    let both = "SELECT SUM(CAST(r AS bigint)), COUNT(DISTINCT s) FROM \
        (SELECT s, ROW_NUMBER() OVER (ORDER BY s DESC, id) AS r FROM (SELECT DISTINCT s, id FROM t) AS d) AS x";
    let mut sessions: Vec<Session> = (0..10).map(|_| Session::open(&server, "many")).collect();
    for _ in 0..2 {
        sessions.iter_mut().for_each(|session| session.send(both));
        for session in &mut sessions {
            assert_eq!(session.answer(), "20000100000 200000");
        }
        let (clerks, resident) = (number(&server, CLERKS_KB) / 1024, status_mb(&server, "RssAnon:"));
        println!("ten at a time: peak {} MB, clerks {clerks} MB, resident {resident} MB", peak_mb(&server));
    }
    assert_eq!(number(&server, LEFT_KB), 0);
    let most = MB * if cfg!(debug_assertions) { 120 } else { 115 } / 100;
    assert!(peak_mb(&server) <= most, "{} MB", peak_mb(&server));
}

/// The buffers of operators wait in the cache for the next run of their plans, and go when memory ends, although there are few pages.
#[test]
fn what_plans_keep_for_their_next_run_is_bounded_too() {
    const MB: u64 = 192;
    let server = Server::start(&["--memory", "192MB"]);
    let mut session = Session::open(&server, "tempdb");
    session.run("CREATE TABLE a (id int PRIMARY KEY, t varchar(900)); INSERT a SELECT value, REPLICATE('x', value % 400) FROM GENERATE_SERIES(1, 4000)");
    for number in 0..300 {
        let sort =
            "SELECT COUNT(n) FROM (SELECT ROW_NUMBER() OVER (ORDER BY t, id) AS n, t FROM a) AS x WHERE LEN(t) >= 0";
        assert_eq!(session.run(&format!("{sort} AND {number} = {number}")), "4000");
    }
    println!("peak {} MB", peak_mb(&server));
    assert!(peak_mb(&server) <= MB * 120 / 100, "{} MB", peak_mb(&server));
}

/// Rows of a table variable, of a function, of INSERT ... EXEC and of a trigger go to work files, OUTPUT goes to the client; keys of a table
/// variable's index stay.
#[test]
fn what_a_statement_keeps_has_the_memory_that_there_is() {
    let server = Server::start(&["--memory", "128MB"]);
    let wide = "REPLICATE(CAST('x' AS varchar(max)), 8000)";
    let rows = "FROM GENERATE_SERIES(1, 40000)";
    let mut session = Session::open(&server, "tempdb");
    session.run("CREATE TABLE t (s varchar(max)); CREATE TABLE u (s varchar(max))");
    session.run(&format!(
        "CREATE FUNCTION f () RETURNS @r TABLE (s varchar(max)) AS BEGIN INSERT @r SELECT {wide} {rows}; RETURN END"
    ));
    session.run(
        "CREATE TABLE p (id int PRIMARY KEY, s varchar(max)); CREATE TABLE c (id int PRIMARY KEY REFERENCES p ON DELETE CASCADE); \
         CREATE TABLE seen (new int, old int, longer bigint, gone int)",
    );
    session.run(
        "CREATE TRIGGER looks ON p AFTER UPDATE, DELETE AS INSERT seen SELECT (SELECT COUNT(*) FROM inserted), (SELECT COUNT(*) FROM deleted), \
         (SELECT SUM(LEN(i.s) - LEN(d.s)) FROM inserted i JOIN deleted d ON i.id = d.id), (SELECT COUNT(*) FROM deleted WHERE id IN (7, 39999))",
    );
    for batch in [
        format!("INSERT p SELECT value, {wide} {rows}; INSERT c SELECT id FROM p WHERE id % 2 = 0; SELECT COUNT(*) FROM p"),
        "UPDATE p SET s = s + 'y'; SELECT new FROM seen WHERE old = 40000 AND longer = 40000 AND gone = 2; TRUNCATE TABLE seen".into(),
        "DELETE p; SELECT old + (SELECT COUNT(*) FROM c) FROM seen WHERE new = 0 AND gone = 2".into(),
        format!("DECLARE @t TABLE (s varchar(max)); INSERT @t SELECT {wide} {rows}; SELECT COUNT(*) FROM @t"),
        "SELECT COUNT(*) FROM f()".to_string(),
        format!("INSERT u EXEC ('SELECT {} {rows}'); SELECT COUNT(*) FROM u", wide.replace('\'', "\'\'")),
    ] {
        assert_eq!(session.run(&batch), "40000", "{batch}");
        assert_eq!(number(&server, LEFT_KB), 0, "{batch}");
    }
    let output = session.run("DELETE TOP (16000) u OUTPUT deleted.s");
    // The client shows 256 characters of each.
    assert_eq!((output.matches("xx").count(), number(&server, LEFT_KB)), (16_000 * 128, 0));
    println!("peak {} MB", peak_mb(&server));
    let error = session.run(&format!(
        "DECLARE @t TABLE (s varchar(1700) UNIQUE NONCLUSTERED); INSERT @t SELECT CONCAT(value, REPLICATE('x', 1600)) {}",
        rows.replace("40000", "400000")
    ));
    println!("peak {} MB", peak_mb(&server));
    assert!(error.starts_with("Msg 701, Level 17, "), "{error}");
    assert_eq!(number(&server, LEFT_KB), 0);
    assert_eq!(session.run("SELECT COUNT(*) FROM u"), "24000");
}

/// A value counts while it is made, whoever makes it: what would take more than there is ends before it is there.
#[test]
fn values_that_are_being_made_have_the_memory_that_there_is() {
    let server = Server::start(&["--memory", "128MB"]);
    let mut session = Session::open(&server, "tempdb");
    let x = |count: u32| format!("REPLICATE(CAST('x' AS varchar(max)), {count})");
    let v = format!("DECLARE @v varchar(max) = {}; SELECT ", x(10_000_000));
    let twenty = ["@v"; 20];
    for batch in [
        format!("SELECT LEN({})", x(1_800_000_000)),
        format!("SELECT LEN(SPACE(100) + {})", x(900_000_000)),
        format!("{v} LEN({})", twenty.join(" + ")),
        format!("{v} LEN(CONCAT({}))", twenty.join(", ")),
        format!("{v} LEN(REPLACE(@v, 'x', REPLICATE('y', 100)))"),
        format!("{v} LEN(REGEXP_REPLACE(@v, 'x', REPLICATE('y', 100)))"),
        format!("{v} LEN(STUFF(@v, 1, 1, {}))", x(800_000_000)),
        format!("{v} LEN(STRING_AGG(@v, ',')) FROM GENERATE_SERIES(1, 80)"),
        format!("{v} LEN((SELECT @v AS a FROM GENERATE_SERIES(1, 80) FOR XML PATH('r')))"),
        format!("{v} LEN((SELECT @v AS a FROM GENERATE_SERIES(1, 80) FOR JSON PATH))"),
        format!("{v} DATALENGTH(CAST('<r>' + REPLACE(@v, 'x', '<a/>') + '</r>' AS xml))"),
        format!(
            "DECLARE @b varbinary(max) = COMPRESS({}); SELECT LEN(DECOMPRESS(@b) + DECOMPRESS(@b))",
            x(100_000_000)
        ),
    ] {
        let error = session.run(&batch);
        assert!(error.starts_with("Msg 701, Level 17, "), "{batch}: {error}");
    }
    // Each has room of its own, and none is left over.
    for batch in [
        format!("{v} COUNT(*) FROM GENERATE_SERIES(1, 20) WHERE @v + 'y' LIKE '%y'"),
        format!("{v} COUNT(*) FROM (SELECT @v AS a FROM GENERATE_SERIES(1, 20)) AS t WHERE a LIKE '%x'"),
    ] {
        assert_eq!(session.run(&batch), "20", "{batch}");
    }
    assert_eq!(number(&server, LEFT_KB), 0);
    let peak = peak_mb(&server);
    println!("peak {peak} MB");
    assert!(peak <= 128 * 5 / 4, "{peak} MB");
}
