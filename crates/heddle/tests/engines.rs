//! The process kernel: engines see each other's work and sessions, and die without harm to what was acknowledged.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use lab::client::Connection;
use os::sched::{MachineConfig, Place, TaskKind};
use support::{Server, placed, scratch};
use types::Datum;

const ENGINES: usize = 3;
const SESSIONS: usize = 9;

/// Longer than any restart takes.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// What sessions do whose engines are killed.
struct Work {
    engines: usize,
    setup: &'static str,
    /// A batch that adds the session's row of this number; 2627 if it is there already.
    insert: fn(usize, u64) -> String,
}

const ON_PAGES: Work = Work {
    engines: ENGINES,
    setup: "CREATE TABLE a (session int, n int, CONSTRAINT pk_a PRIMARY KEY (session, n));
        CREATE TABLE b (session int, n int, CONSTRAINT pk_b PRIMARY KEY (session, n));
        CREATE TABLE total (id int PRIMARY KEY, n int); INSERT total VALUES (0, 0), (1, 0), (2, 0)",
    insert: |session, n| {
        format!(
            "SET XACT_ABORT ON; BEGIN TRAN; INSERT a VALUES ({session}, {n}); INSERT b VALUES ({session}, {n}); UPDATE total SET n = n + 1 WHERE id = {}; COMMIT",
            n % 3
        )
    },
};

const IN_MEMORY: Work = Work { engines: 4, setup: placed::SCHEMA, insert: placed::insert };

fn start(data: &str, args: &[&str]) -> Server {
    let kernel = ["--kernel", "process", "--engines", "3", "--memory", "256MB"];
    Server::start_on(data, &[&kernel[..], args].concat())
}

/// Process ids of the engines.
fn engines(server: &Server) -> Vec<u32> {
    let path = format!("/proc/{0}/task/{0}/children", server.pid());
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

fn kill(pid: u32) {
    let _ = Command::new("kill").args(["-KILL", &pid.to_string()]).output();
}

fn until(what: &str, mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + WAIT_MAX;
    while !done() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn deadline() -> Option<u64> {
    Some(os::clock::now() + WAIT_MAX.as_nanos() as u64)
}

fn open(server: &Server, database: &str) -> Connection {
    Connection::open(&support::target(server.port, database), deadline()).expect("a session")
}

/// The first column of the first row, as a number.
fn number(connection: &mut Connection, query: &str) -> i64 {
    let answer = connection.query(query, deadline()).expect("an answer");
    assert_eq!(answer.first_error().map(|error| error.text.clone()), None, "{query}");
    match answer.sets.first().and_then(|set| set.rows.first()).and_then(|row| row.first()) {
        Some(Datum::I64(value)) => *value,
        other => panic!("{query}: {other:?}"),
    }
}

/// The scheduler, and so the engine, that serves a session.
fn engine_of(connection: &mut Connection) -> i64 {
    number(connection, "SELECT CAST(scheduler_id AS bigint) FROM sys.dm_os_tasks WHERE session_id = @@SPID")
}

#[test]
fn engines_share_what_they_must() {
    let server = start(":memory:", &[]);
    server.query("CREATE DATABASE shared");
    let mut sessions: Vec<Connection> = (0..2 * ENGINES).map(|_| open(&server, "shared")).collect();
    let mut served = [0; ENGINES];
    sessions.iter_mut().for_each(|session| served[engine_of(session) as usize] += 1);
    assert_eq!(served, [2; ENGINES], "connections are divided");
    let run = |session: &mut Connection, batch: &str| {
        let answer = session.query(batch, deadline()).expect("an answer");
        answer.first_error().map(|error| error.number)
    };
    run(&mut sessions[0], "CREATE TABLE t (id int IDENTITY PRIMARY KEY, who int)");
    for (who, session) in sessions.iter_mut().enumerate() {
        assert_eq!(run(session, &format!("INSERT t (who) VALUES ({who})")), None);
        assert_eq!(number(session, "SELECT CAST(MAX(id) AS bigint) FROM t"), who as i64 + 1, "one counter for all");
    }
    // A schema change holds at once where the old definition is cached.
    run(&mut sessions[1], "ALTER TABLE t ADD more int NOT NULL DEFAULT 7");
    run(&mut sessions[2], "CREATE PROCEDURE p AS SELECT CAST(SUM(more) AS bigint) FROM t");
    for session in &mut sessions {
        assert_eq!(number(session, "SELECT CAST(SUM(more) AS bigint) FROM t"), 42);
        assert_eq!(number(session, "EXEC p"), 42);
    }
    run(&mut sessions[3], "ALTER PROCEDURE p AS SELECT CAST(-1 AS bigint)");
    // That waits until the others have left.
    sessions.iter_mut().enumerate().filter(|(at, _)| *at != 4).for_each(|(_, other)| {
        run(other, "USE master");
    });
    assert_eq!(run(&mut sessions[4], "ALTER DATABASE shared SET READ_COMMITTED_SNAPSHOT ON"), None);
    sessions.iter_mut().for_each(|session| {
        run(session, "USE shared");
    });
    run(
        &mut sessions[5],
        "EXEC sp_configure 'show advanced options', 1; RECONFIGURE; EXEC sp_configure 'two digit year cutoff', 2030; RECONFIGURE",
    );
    for session in &mut sessions {
        assert_eq!(number(session, "EXEC p"), -1);
        assert_eq!(number(session, "SELECT CAST(YEAR(CAST('1/1/40' AS date)) AS bigint)"), 1940);
        assert_eq!(number(session, "SELECT CAST(COUNT(*) AS bigint) FROM sys.dm_exec_sessions"), 6);
        assert_eq!(
            number(session, "SELECT CAST(COUNT(*) AS bigint) FROM sys.dm_os_schedulers WHERE scheduler_id < 255"),
            3
        );
    }
    // Engines share out the CPUs of the mask: three engines on one CPU, then on two.
    for (mask, on_the_first) in [(1, 3), (3, 2)] {
        assert_eq!(run(&mut sessions[1], &format!("EXEC sp_configure 'affinity mask', {mask}; RECONFIGURE")), None);
        let there = "SELECT CAST(COUNT(*) AS bigint) FROM sys.dm_os_schedulers WHERE scheduler_id < 255 AND cpu_id = 0";
        assert_eq!(number(&mut sessions[2], there), on_the_first);
        let in_use = "SELECT CAST(value_in_use AS bigint) FROM sys.configurations WHERE name = 'affinity mask'";
        assert_eq!(number(&mut sessions[3], in_use), mask);
    }
    // Readers do not wait for the writer in another engine, as of the option's change.
    run(&mut sessions[0], "BEGIN TRAN; UPDATE t SET who = 100");
    assert_eq!(number(&mut sessions[1], "SELECT CAST(MAX(who) AS bigint) FROM t"), 5);
    assert_eq!(run(&mut sessions[2], "SET LOCK_TIMEOUT 50; UPDATE t SET who = 200"), Some(1222));
    let victim = number(&mut sessions[0], "SELECT CAST(@@SPID AS bigint)");
    assert_eq!(run(&mut sessions[1], &format!("KILL {victim}")), None);
    assert!(sessions[0].query("SELECT 1", deadline()).is_err(), "it was killed");
    assert_eq!(run(&mut sessions[2], "SET LOCK_TIMEOUT -1; UPDATE t SET who = 200"), None);
    assert_eq!(run(&mut sessions[3], &format!("KILL {victim}")), Some(6106));
    assert_eq!(server.stop().0, Some(0));
}

/// An engine dies after its schema change was committed and before it told the others: they learn of it all the same.
#[test]
fn a_dead_engines_last_definition_holds_everywhere() {
    let data = scratch("engines-definition");
    let server = start(data.to_str().expect("UTF-8 path"), &[]);
    server.query("CREATE DATABASE told");
    let pid = |session: &mut Connection| number(session, "SELECT CAST(SERVERPROPERTY('ProcessID') AS bigint)") as u32;
    let mut sessions: Vec<Connection> = (0..ENGINES).map(|_| open(&server, "told")).collect();
    let made = sessions[0].query("CREATE TABLE t (id int PRIMARY KEY); INSERT t VALUES (1), (2)", deadline());
    assert!(made.expect("an answer").first_error().is_none());
    // All have the definition in their caches.
    for session in &mut sessions {
        assert_eq!(number(session, "SELECT CAST(SUM(id) AS bigint) FROM t"), 3);
    }
    std::fs::write(data.join("die-at"), "catalog.publish 1").expect("written");
    let mut victim = sessions.pop().expect("three");
    kill(pid(&mut victim));
    until("an engine that is to die", || !data.join("die-at").exists());
    until("another engine in its place", || engines(&server).len() == ENGINES);
    let others: Vec<u32> = sessions.iter_mut().map(pid).collect();
    // New connections come to the engine that has the fewest, as soon as it accepts any.
    let (mut doomed, mut victim) = (open(&server, "told"), 0);
    until("a session of the new engine", || {
        victim = pid(&mut doomed);
        let served = !others.contains(&victim);
        if !served {
            doomed = open(&server, "told");
        }
        served
    });
    assert!(doomed.query("ALTER TABLE t ADD more int NOT NULL DEFAULT 7", deadline()).is_err(), "its engine died");
    until("another engine in its place", || {
        let now = engines(&server);
        now.len() == ENGINES && !now.contains(&victim)
    });
    for (session, engine) in sessions.iter_mut().zip(others) {
        assert_eq!(pid(session), engine, "the others live");
        assert_eq!(number(session, "SELECT CAST(SUM(more) AS bigint) FROM t"), 14);
    }
    assert_eq!(server.stop().0, Some(0));
}

/// What a session that inserts has told.
#[derive(Default)]
struct Told {
    /// Rows acknowledged.
    rows: AtomicU64,
    disconnected: AtomicU32,
    /// Process of the engine that serves it.
    engine: AtomicU32,
}

/// Inserts its rows 1, 2, ... until the end; whenever its engine dies it logs in again.
fn insert_on(work: &Work, server_port: u16, session: usize, told: &Told, ended: &AtomicBool) {
    while !ended.load(Ordering::Acquire) {
        let target = support::target(server_port, "killed");
        let Ok(mut connection) = Connection::open(&target, deadline()) else {
            os::wait::sleep(os::wait::WaitType::SLEEP_TASK, 5);
            continue;
        };
        // Something of its own in tempdb, too.
        let begin = "CREATE TABLE #own (n int); SELECT CAST(SERVERPROPERTY('ProcessID') AS bigint)";
        let Ok(answer) = connection.query(begin, deadline()) else { continue };
        if let Some(Datum::I64(pid)) = answer.sets.first().and_then(|set| set.rows.first()).map(|row| &row[0]) {
            told.engine.store(*pid as u32, Ordering::Release);
        }
        while !ended.load(Ordering::Acquire) {
            let n = told.rows.load(Ordering::Acquire) + 1;
            let Ok(answer) = connection.query(&(work.insert)(session, n), deadline()) else { break };
            match answer.first_error() {
                None => told.rows.store(n, Ordering::Release),
                // Committed in a life that could not say so any more.
                Some(error) if error.number == 2627 => told.rows.store(n, Ordering::Release),
                Some(error) if placed::TRY_AGAIN.contains(&error.number) => {}
                Some(error) => panic!("session {session}, row {n}: {error:?}"),
            }
        }
        if !ended.load(Ordering::Acquire) {
            told.disconnected.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// Kills an engine and waits until all is well again; whether the other engines lived on.
fn kill_one(work: &Work, server: &Server, told: &[Told], choice: usize) -> bool {
    let before = engines(server);
    assert_eq!(before.len(), work.engines, "all engines run");
    let victim = before[choice % work.engines];
    let disconnected: Vec<u32> = told.iter().map(|told| told.disconnected.load(Ordering::Acquire)).collect();
    let served: Vec<u32> = told.iter().map(|told| told.engine.load(Ordering::Acquire)).collect();
    kill(victim);
    until("another engine in its place", || {
        let now = engines(server);
        now.len() == work.engines && !now.contains(&victim)
    });
    let rows: Vec<u64> = told.iter().map(|told| told.rows.load(Ordering::Acquire)).collect();
    until("all sessions go on", || {
        told.iter().zip(&rows).all(|(told, rows)| told.rows.load(Ordering::Acquire) > rows + 1)
    });
    let now = engines(server);
    let others_lived = before.iter().filter(|pid| **pid != victim).all(|pid| now.contains(pid));
    if others_lived {
        for (session, told) in told.iter().enumerate().filter(|(session, _)| served[*session] != victim) {
            let now = told.disconnected.load(Ordering::Acquire);
            assert_eq!(now, disconnected[session], "session {session} of another engine was disturbed");
        }
    }
    others_lived
}

fn make(server: &Server, setup: &str) {
    let made = server.sql(&["-b", "-Q", &format!("CREATE DATABASE killed; USE killed; {setup}")]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
}

/// Kills engines under load, `look` looks on after each; what each session had been told at the end.
fn kill_under_load(work: &'static Work, server: &Server, mut look: impl FnMut(usize)) -> Arc<[Told; SESSIONS]> {
    let kills: usize = std::env::var("HEDDLE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(10);
    let told: Arc<[Told; SESSIONS]> = Arc::new(std::array::from_fn(|_| Told::default()));
    let ended = Arc::new(AtomicBool::new(false));
    let machine = os::sched::start(MachineConfig::default());
    let sessions: Vec<_> = (0..SESSIONS)
        .map(|session| {
            let (port, told, ended) = (server.port, told.clone(), ended.clone());
            machine.spawn(TaskKind::Client, Place::LeastLoaded, move || {
                insert_on(work, port, session, &told[session], &ended);
            })
        })
        .collect();
    let all_insert = || told.iter().all(|told| told.rows.load(Ordering::Acquire) > 5);
    until("all sessions insert", all_insert);
    let mut soft = 0;
    let started = Instant::now();
    for round in 0..kills {
        let mut choice = [0; 1];
        os::random::fill(&mut choice);
        soft += usize::from(kill_one(work, server, &told[..], choice[0].into()));
        look(round);
    }
    println!(
        "{kills} kills in {:?}: {soft} engines died alone, {} took the others with them",
        started.elapsed(),
        kills - soft
    );
    ended.store(true, Ordering::Release);
    sessions.into_iter().for_each(|session| session.join().expect("a session"));
    machine.stop();
    told
}

/// Of all the dead nothing is left.
fn nothing_is_left(session: &mut Connection) {
    let mut count = |query: &str| number(session, &format!("SELECT CAST(COUNT(*) AS bigint) FROM {query}"));
    until("the last sessions have gone", || count("sys.dm_exec_sessions") == 1);
    assert_eq!(count("sys.dm_tran_locks WHERE request_session_id <> @@SPID"), 0);
    assert_eq!(
        count(
            "sys.dm_tran_active_transactions a WHERE transaction_id <> ISNULL((SELECT MAX(transaction_id) FROM sys.dm_tran_current_transaction), 0)"
        ),
        0
    );
    assert_eq!(count("tempdb.sys.tables WHERE name LIKE '#%'"), 0, "temporary tables of the dead");
}

#[test]
fn acknowledged_rows_outlive_killed_engines() {
    let data = scratch("engines-killed");
    let data = data.to_str().expect("UTF-8 path");
    let server = start(data, &[]);
    make(&server, ON_PAGES.setup);
    let told = kill_under_load(&ON_PAGES, &server, |_| {});

    let mut session = open(&server, "killed");
    let mut count = |query: &str| number(&mut session, &format!("SELECT CAST(COUNT(*) AS bigint) FROM {query}"));
    for (at, told) in told.iter().enumerate() {
        let (rows, acknowledged) =
            (count(&format!("a WHERE session = {at}")), told.rows.load(Ordering::Acquire) as i64);
        assert!((acknowledged..=acknowledged + 1).contains(&rows), "session {at}: {acknowledged} told, {rows} found");
        assert_eq!(count(&format!("a WHERE session = {at} AND n > {rows}")), 0, "none is missing of {rows}");
    }
    assert_eq!(count("a FULL JOIN b ON a.session = b.session AND a.n = b.n WHERE a.n IS NULL OR b.n IS NULL"), 0);
    assert_eq!(count("(SELECT SUM(n) AS n FROM total) t WHERE n <> (SELECT COUNT(*) FROM a)"), 0, "sums");
    nothing_is_left(&mut session);
    assert_eq!(server.stop().0, Some(0));

    let server = Server::start_on(data, &[]);
    let mut session = open(&server, "killed");
    let rows = number(&mut session, "SELECT CAST(COUNT(*) AS bigint) FROM a");
    let told: u64 = told.iter().map(|told| told.rows.load(Ordering::Acquire)).sum();
    assert!((told..=told + SESSIONS as u64).contains(&(rows as u64)), "the other kernel finds them: {told}, {rows}");
}

/// Memory that the tables' rows and indexes take, in kilobytes.
const MEMORY: &str = "SELECT CAST(SUM(memory_used_by_table_kb + memory_used_by_indexes_kb) AS bigint) FROM sys.dm_db_xtp_table_memory_stats";
/// The version cleaner has come by in the meantime, again and again.
const COLLECTED: Duration = Duration::from_millis(500);
/// Ordered indexes that grew row by row have emptier pages than those of a start.
const PAGES_KB: i64 = 16;

#[test]
fn acknowledged_rows_in_memory_outlive_killed_engines() {
    let data = scratch("engines-killed-memory");
    let data = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(data, &["--kernel", "process", "--engines", "4", "--memory", "256MB"]);
    make(&server, IN_MEMORY.setup);
    let mut most = 0;
    let told = kill_under_load(&IN_MEMORY, &server, |round| {
        let mut session = open(&server, "killed");
        most = most.max(number(&mut session, MEMORY));
        if round % 4 == 3 {
            session.query("CHECKPOINT", deadline()).expect("an answer");
        }
    });
    let check = |server: &Server| {
        let found: [u64; SESSIONS] = placed::check(server, "killed");
        for (session, (found, told)) in found.iter().zip(&told[..]).enumerate() {
            let told = told.rows.load(Ordering::Acquire);
            assert!((told..=told + 1).contains(found), "session {session}: {told} told, {found} found");
        }
        found
    };
    let found = check(&server);
    let mut session = open(&server, "killed");
    nothing_is_left(&mut session);
    let mut kept = number(&mut session, MEMORY);
    until("versions have been collected", || {
        std::thread::sleep(COLLECTED);
        let before = std::mem::replace(&mut kept, number(&mut session, MEMORY));
        kept == before
    });
    assert_eq!(server.stop().0, Some(0));
    let server = Server::start_on(data, &[]);
    assert_eq!(check(&server), found, "the other kernel finds them");
    // Which has nothing in its memory but the rows that there are.
    let needed = number(&mut open(&server, "killed"), MEMORY);
    println!("rows of each session {found:?}; at most {most} kB of tables, {kept} at the end, {needed} needed");
    assert!(kept <= needed + PAGES_KB, "versions of the dead: {kept} kB are kept, {needed} needed");
}
