//! The n-th block of a work file cannot be written, or read; the n-th request for memory is refused; the n-th look at the client finds an
//! attention: for every n of a script over all that holds many rows. Each time the statement ends with its result or with a clean error, no
//! memory and no space of work files is left with it, and the next one is right.
//!
//! Some n of each kind as a rule; `EVERY=1` for each n, `ONLY=text` for the statements with it, `ROWS=500` for fewer rows and so fewer n.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use support::random::number;
use support::wire::{Wire, must, one};
use support::{PASSWORD, Server, binary, scratch};
use types::Datum;

/// Of each statement and kind of step, so many are tried.
const SAMPLE: u64 = 5;

/// Of the larger table; another has twice as many, and one a quarter.
const ROWS: u64 = 4_000;

/// With no more memory than operators cannot do without.
const SPILLS: &str = "OPTION (MAX_GRANT_PERCENT = 0)";

/// What is run, each with its name.
const SCRIPT: &[(&str, &str)] = &[
    ("sort", "SELECT CHECKSUM_AGG(c) FROM (SELECT CHECKSUM(id, ROW_NUMBER() OVER (ORDER BY v, id)) AS c FROM a) x"),
    (
        "sort with long values",
        "SELECT SUM(LEN(t) * n) FROM (SELECT t, ROW_NUMBER() OVER (ORDER BY t, id) % 7 AS n FROM a) x",
    ),
    ("hash join", "SELECT COUNT_BIG(*), SUM(CAST(a.id AS bigint) * b.id) FROM a JOIN b ON a.v = b.v AND a.t = b.t"),
    (
        "hash join of few keys",
        "SELECT COUNT_BIG(*), SUM(CAST(a.id AS bigint) + b.id) FROM a JOIN b ON a.g = b.g AND a.id % 7 <> b.id % 5",
    ),
    ("outer hash join", "SELECT COUNT_BIG(*), COUNT(a.id), COUNT(b.id) FROM a FULL JOIN b ON a.v = b.v + 1"),
    (
        "aggregate",
        "SELECT SUM(CAST(CHECKSUM(v, n, s) AS bigint)) FROM (SELECT v, COUNT(*) AS n, SUM(id) AS s FROM a GROUP BY v) x",
    ),
    (
        "aggregate of texts",
        "SELECT SUM(CAST(CHECKSUM(t, n) AS bigint)) FROM (SELECT t, COUNT(DISTINCT v) AS n FROM a GROUP BY t) x",
    ),
    ("distinct", "SELECT COUNT(*) FROM (SELECT DISTINCT v, t FROM a) x"),
    ("union", "SELECT COUNT(*) FROM (SELECT v, t FROM a UNION SELECT v, t FROM b) x"),
    ("except", "SELECT COUNT(*) FROM (SELECT v, t FROM a EXCEPT SELECT v, t FROM b) x"),
    (
        "window",
        "SELECT SUM(CAST(s AS bigint)) FROM (SELECT SUM(id) OVER (PARTITION BY g ORDER BY v ROWS BETWEEN 9 PRECEDING AND 9 FOLLOWING) AS s FROM a) x",
    ),
    (
        "window over a partition",
        "SELECT SUM(CAST(s AS bigint)) FROM (SELECT SUM(id) OVER (PARTITION BY g) AS s, t FROM a) x WHERE LEN(t) > 0",
    ),
    (
        "spool",
        "WITH r (n, id) AS (SELECT 1, id FROM a UNION ALL SELECT n + 1, id FROM r WHERE n < 3) SELECT COUNT(*), SUM(n * id) FROM r",
    ),
    (
        "change of what is read",
        "BEGIN TRAN; UPDATE a SET v = v + 1 WHERE v IN (SELECT v FROM b); SELECT SUM(CAST(v AS bigint)) FROM a; ROLLBACK",
    ),
    (
        "index",
        "BEGIN TRAN; CREATE INDEX made ON wide (t, id); SELECT COUNT(*) FROM wide WITH (INDEX (made)) WHERE t > ''; ROLLBACK",
    ),
    (
        "table variable",
        "DECLARE @t TABLE (id int PRIMARY KEY, t varchar(max)); INSERT @t SELECT id, t FROM a; SELECT COUNT(*), SUM(LEN(t)) FROM @t",
    ),
    (
        "temporary table",
        "CREATE TABLE #t (id int, t varchar(max)); INSERT #t SELECT id, t FROM a; SELECT COUNT(*), SUM(LEN(t)) FROM #t; DROP TABLE #t",
    ),
    (
        "static cursor",
        "DECLARE c CURSOR LOCAL STATIC FOR SELECT id, t FROM wide ORDER BY t, id; OPEN c; FETCH LAST FROM c; CLOSE c; DEALLOCATE c",
    ),
    (
        "output",
        "BEGIN TRAN; DECLARE @o TABLE (id int); DELETE a OUTPUT deleted.id INTO @o WHERE g = 3; SELECT COUNT(*) FROM @o; ROLLBACK",
    ),
    (
        "texts of a group",
        "SELECT SUM(LEN(x)) FROM (SELECT STRING_AGG(CAST(t AS varchar(max)), ',') WITHIN GROUP (ORDER BY id) AS x FROM a GROUP BY g) y",
    ),
];

/// 701 no memory, 802 none for pages, 1105 no space, 823 an I/O error, 8645 and 8657 no grant.
const CLEAN: [i32; 6] = [701, 802, 823, 1105, 8645, 8657];

const STEPS: [&str; 4] = ["SpillWrite", "SpillRead", "Memory", "Yield"];

struct Failing {
    server: Server,
    log: PathBuf,
    watcher: Wire,
}

fn start() -> Failing {
    let data = scratch("failing");
    let log = data.with_extension("log");
    let mut command = binary();
    command
        .args([
            "serve",
            "--data",
            ":memory:",
            "--listen",
            "127.0.0.1:0",
            "--sa-password",
            PASSWORD,
            "--memory",
            "256MB",
        ])
        .env("HEDDLE_PLANTED", "1")
        .stderr(Stdio::from(std::fs::File::options().create(true).append(true).open(&log).expect("a log")));
    let server = Server::start_command(command, "127.0.0.1");
    let mut watcher = Wire::open(server.port, "master").expect("logged in");
    let rows = number("ROWS").unwrap_or(ROWS);
    for batch in [
        "CREATE DATABASE failing".to_string(),
        "USE failing".to_string(),
        "CREATE TABLE a (id int NOT NULL PRIMARY KEY, g int NOT NULL, v int NOT NULL, t varchar(900) NOT NULL)"
            .to_string(),
        "CREATE TABLE b (id int NOT NULL PRIMARY KEY, g int NOT NULL, v int NOT NULL, t varchar(900) NOT NULL)"
            .to_string(),
        format!(
            "INSERT a SELECT value, value % 5, value * 7919 % 3001, REPLICATE(CHAR(97 + value % 20), value % 400) FROM GENERATE_SERIES(1, {rows})"
        ),
        "CREATE TABLE wide (id int NOT NULL PRIMARY KEY, t varchar(900) NOT NULL)".to_string(),
        format!(
            "INSERT wide SELECT value, REPLICATE(CHAR(97 + value % 20), 300 + value % 500) FROM GENERATE_SERIES(1, {})",
            rows * 2
        ),
        // What has no hint spills, too.
        "ALTER WORKLOAD GROUP [default] WITH (REQUEST_MAX_MEMORY_GRANT_PERCENT = 1)".to_string(),
        "ALTER RESOURCE GOVERNOR RECONFIGURE".to_string(),
        format!(
            "INSERT b SELECT value, value % 5, value * 17 % 3001, REPLICATE(CHAR(97 + value % 20), value % 300) FROM GENERATE_SERIES(1, {})",
            rows / 4
        ),
    ] {
        must(&mut watcher, &batch);
    }
    Failing { server, log, watcher }
}

fn open(failing: &Failing) -> Wire {
    Wire::open(failing.server.port, "failing").expect("logged in")
}

/// With the hint, where the statement can have it.
fn text_of(statement: &str) -> String {
    let changes = ["BEGIN", "DECLARE", "CREATE"].iter().any(|word| statement.starts_with(word));
    if changes { statement.into() } else { format!("{statement} {SPILLS}") }
}

/// How many steps were counted last, as the log says.
fn count_steps(wire: &mut Wire, log: &Path) -> u64 {
    std::fs::write(log, "").expect("emptied");
    must(wire, "/*steps*/ SELECT 1");
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        let text = std::fs::read_to_string(log).expect("a log");
        let last =
            text.lines().rev().find_map(|line| line.split_once("steps made: ")).map(|(_, count)| count.to_owned());
        if let Some(count) = last.and_then(|count| count.trim().parse().ok()) {
            return count;
        }
        assert!(Instant::now() < until, "the log tells of steps");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn check_nothing_is_left(watcher: &mut Wire, session: i64, what: &str) {
    let until = Instant::now() + Duration::from_secs(10);
    let held = format!(
        "SELECT (SELECT COUNT(*) FROM sys.dm_exec_query_memory_grants WHERE session_id = {session}) \
            + (SELECT COUNT(*) FROM sys.dm_tran_locks WHERE request_session_id = {session} AND resource_type <> 'DATABASE') \
            + (SELECT COUNT(*) FROM sys.dm_tran_session_transactions WHERE session_id = {session}) \
            + (SELECT SUM(used_memory_kb + granted_memory_kb) FROM sys.dm_exec_query_resource_semaphores)"
    );
    let spilled = "EXEC tempdb.sys.sp_executesql \
        N'SELECT SUM(internal_object_reserved_page_count) FROM sys.dm_db_file_space_usage'";
    loop {
        let left = (one(watcher, &held), one(watcher, spilled));
        if left == (0, 0) {
            return;
        }
        assert!(Instant::now() < until, "{what}: left are {left:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn what_fails_at_any_step_leaves_nothing() {
    let mut failing = start();
    let wanted = std::env::var("ONLY").unwrap_or_default();
    let (mut tried, mut failed) = (0, 0);
    for (name, statement) in
        SCRIPT.iter().filter(|(name, statement)| name.contains(&wanted) || statement.contains(&wanted))
    {
        let hinted = text_of(statement);
        let mut wire = open(&failing);
        let mut session = one(&mut wire, "SELECT CONVERT(int, @@SPID)");
        let right = must(&mut wire, &hinted);
        // With some memory what is refused is found in work files.
        let tries = STEPS.iter().map(|step| (*step, hinted.as_str())).chain([("Memory", *statement)]);
        for (step, text) in tries {
            must(&mut wire, &format!("/*step {step} 0*/ {text}"));
            let count = count_steps(&mut wire, &failing.log);
            let stride = if number("EVERY").is_some() { 1 } else { (count / SAMPLE).max(1) };
            let mut bad = 0;
            for nth in (1..=count).step_by(stride as usize) {
                let what = format!("{name}: {step} {nth} of {count}");
                let mut answer = wire.query(&format!("/*step {step} {nth}*/ {text}"));
                // How many steps there are may differ from run to run. What there was is one message, the confirmation of an attention another.
                if step != "Memory" && answer.errors.is_empty() && answer.rows == right {
                    let is_past = step != "Yield" || !wire.something_comes(Duration::from_secs(2));
                    if is_past {
                        let made = count_steps(&mut wire, &failing.log);
                        assert!(made < nth, "{what}: nothing failed");
                        println!("{what}: this time there were {made}");
                        continue;
                    }
                }
                if step == "Yield" {
                    assert!(answer.errors.is_empty(), "{what}: {answer:?}");
                    answer = wire.answer();
                }
                assert!(!answer.closed, "{what}: the connection has ended");
                tried += 1;
                if step == "Yield" {
                    assert!(answer.errors.is_empty() && answer.cancelled, "{what}: {answer:?}");
                } else if answer.errors.is_empty() {
                    assert_eq!(answer.rows, right, "{what}: another answer");
                    assert!(step == "Memory", "{what}: nothing failed");
                } else {
                    let numbers: Vec<i32> = answer.errors.iter().map(|error| error.0).collect();
                    assert!(CLEAN.contains(&numbers[0]), "{what}: {:?}", answer.errors);
                }
                bad += u64::from(answer.cancelled || !answer.errors.is_empty());
                // An I/O error has a severity that ends the connection.
                if answer.errors.iter().any(|error| error.1 >= 20) {
                    assert!(wire.is_closed());
                    wire = open(&failing);
                    check_nothing_is_left(&mut failing.watcher, session, &what);
                    session = one(&mut wire, "SELECT CONVERT(int, @@SPID)");
                }
                // What was not reached is not waited for any more.
                must(&mut wire, "/*steps*/ IF @@TRANCOUNT > 0 ROLLBACK; DROP TABLE IF EXISTS #t");
                check_nothing_is_left(&mut failing.watcher, session, &what);
                let again: Vec<Vec<Datum>> = must(&mut wire, text);
                assert_eq!(again, right, "{what}: the next answer");
            }
            failed += bad;
            println!("{name}: {step}: {count} steps, every {stride}. of them failed, {bad} times with an error");
        }
        drop(wire);
        check_nothing_is_left(&mut failing.watcher, session, name);
    }
    println!("{tried} steps failed, {failed} statements with them");
    let wrong = failing.watcher.query("DBCC CHECKDB ('failing') WITH NO_INFOMSGS");
    assert!(wrong.errors.is_empty(), "{:?}", wrong.errors);
}
