//! A panic costs one request. A script of all kinds of requests panics at a marked place that it passes (`os::planted`), one of many:
//! each time the session is gone from everywhere, with all that it held, the data are those of the units that were acknowledged, and
//! the client has heard a number that the log has, too. Where something shared was half done, the engine ends instead and the next
//! start recovers.
//!
//! `PANICS=300` plants so many in each of the four combinations of kernel and workers, instead of a sample.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::wire::{Answer, Wire};
use support::{PASSWORD, binary, free_port, scratch};
use tds::request::{Begin, Isolation, TransactionAction};
use types::Datum;

/// In CI, in each of the two combinations that it tries.
const SAMPLE: u64 = 20;

/// How long a server that ended may take until it serves again, and a process kernel until it has replaced its engines.
const BACK_MAX: Duration = Duration::from_secs(30);

const ROWS_LOADED: i64 = 3000;

const SETUP: [&str; 9] = [
    "CREATE DATABASE planted",
    "USE planted; CREATE TABLE d (run int, unit int, n int NOT NULL DEFAULT 0, note varchar(200), PRIMARY KEY (run, unit), INDEX by_note (note))",
    "CREATE TABLE m (run int NOT NULL, unit int NOT NULL, n int NOT NULL, PRIMARY KEY NONCLUSTERED HASH (run, unit) WITH (BUCKET_COUNT = 64), \
     INDEX by_n NONCLUSTERED (n)) WITH (MEMORY_OPTIMIZED = ON)",
    "CREATE TABLE audit (run int, unit int, PRIMARY KEY (run, unit))",
    "CREATE TABLE loaded (a int PRIMARY KEY)",
    "CREATE TRIGGER noted ON d AFTER INSERT AS INSERT audit SELECT run, unit FROM inserted",
    "CREATE PROCEDURE work @run int, @unit int AS BEGIN SET NOCOUNT ON; DECLARE @t TABLE (a int PRIMARY KEY, b varchar(20)); \
     CREATE TABLE #own (a int, b int); \
     INSERT @t SELECT value, CONCAT('v', value) FROM GENERATE_SERIES(1, 20); INSERT #own SELECT a, a % 3 FROM @t; \
     BEGIN TRY BEGIN TRAN; INSERT d (run, unit, note) SELECT @run, @unit, MAX(b) FROM @t; \
     INSERT m VALUES (@run, @unit, 1); UPDATE m WITH (SNAPSHOT) SET n = n + 1 WHERE run = @run AND unit = @unit; COMMIT END TRY \
     BEGIN CATCH IF @@TRANCOUNT > 0 ROLLBACK; THROW END CATCH; \
     SELECT o.b, COUNT(*), SUM(o.a) FROM #own o JOIN @t t ON o.a = t.a GROUP BY o.b ORDER BY 3 DESC END",
    "CREATE FUNCTION doubled (@a int) RETURNS int AS BEGIN RETURN @a * 2 END",
    "CREATE VIEW totals AS SELECT run, COUNT(*) AS units, SUM(n) AS n FROM d GROUP BY run",
];

/// What sessions hold, counted. The witness that asks is in it, before and after.
const HELD: &str = "SELECT CONCAT_WS(' ', \
    (SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE is_user_process = 1), \
    (SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id > 50), \
    (SELECT COUNT(*) FROM sys.dm_exec_connections), \
    (SELECT COUNT(*) FROM sys.dm_os_tasks WHERE session_id > 50), \
    (SELECT COUNT(*) FROM sys.dm_os_waiting_tasks WHERE session_id > 50), \
    (SELECT COUNT(*) FROM sys.dm_exec_cursors(0)), \
    (SELECT COUNT(*) FROM sys.dm_exec_query_memory_grants), \
    (SELECT COUNT(*) FROM sys.dm_tran_locks WHERE request_session_id <> @@SPID), \
    (SELECT COUNT(*) FROM sys.dm_tran_active_transactions WHERE transaction_type <> 2), \
    (SELECT COUNT(*) FROM sys.dm_tran_session_transactions), \
    (SELECT COUNT(*) FROM sys.dm_db_xtp_transactions WHERE session_id <> @@SPID), \
    (SELECT COUNT(*) FROM tempdb.sys.tables), \
    (SELECT SUM(pages_kb) FROM sys.dm_os_memory_clerks WHERE type IN ('MEMORYCLERK_SQLQERESERVATIONS', 'OBJECTSTORE_LOCK_MANAGER')))";

struct Server {
    child: Child,
    port: u16,
    data: PathBuf,
    log: PathBuf,
    args: Vec<String>,
}

impl Server {
    fn start(name: &str, args: &[&str]) -> Server {
        let data = scratch(name);
        let log = data.with_extension("log");
        let _ = std::fs::remove_file(&log);
        let port = free_port();
        let args: Vec<String> = args.iter().map(|arg| arg.to_string()).collect();
        let child = Server::run(&data, &log, port, &args);
        Server { child, port, data, log, args }
    }

    fn run(data: &Path, log: &Path, port: u16, args: &[String]) -> Child {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(log).expect("a log");
        let mut child: Child = binary()
            .args(["serve", "--data", data.to_str().expect("UTF-8"), "--listen", &format!("127.0.0.1:{port}")])
            .args(["--sa-password", PASSWORD])
            .args(args)
            .env("HEDDLE_PLANTED", "1")
            .env("RUST_BACKTRACE", "0")
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
        assert!(line.trim().ends_with(&port.to_string()), "ready: {line:?}");
        child
    }

    /// Starts it again where it has ended. False: it runs.
    fn started_again(&mut self) -> bool {
        // A process that aborts takes a moment.
        let ended = (0..20).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            self.child.try_wait().expect("waited for").is_some()
        });
        if ended {
            self.child = Server::run(&self.data, &self.log, self.port, &self.args);
        }
        ended
    }

    fn log_text(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).expect("a log")).into_owned()
    }

    fn witness(&mut self) -> Wire {
        let until = Instant::now() + BACK_MAX;
        loop {
            if let Some(wire) = Wire::open(self.port, "master") {
                return wire;
            }
            assert!(Instant::now() < until, "nobody serves any more");
            self.started_again();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let until = Instant::now() + BACK_MAX;
        while self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            if Instant::now() > until {
                let _ = self.child.kill();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

enum Step {
    Batch(String),
    /// Its text is a unit: all of it is there once it is acknowledged.
    Unit(String),
    Call(String, i64),
    Transact(TransactionAction),
    /// This commits what is a unit.
    Commit,
    Load(i64),
}

fn script(run: u64) -> Vec<Step> {
    use Step::*;
    let begin = TransactionAction::Begin(Begin { isolation: Isolation::Unchanged, name: String::new() });
    let unit = |unit: u32| {
        format!(
            "BEGIN TRAN; INSERT d (run, unit, note) VALUES ({run}, {unit}, REPLICATE('n', 100)); INSERT m VALUES ({run}, {unit}, 1); \
             UPDATE d SET n += 1 WHERE run = {run} AND unit = {unit}; COMMIT"
        )
    };
    vec![
        Batch("CREATE TABLE #t (a int PRIMARY KEY, b varchar(100)); INSERT #t SELECT value, REPLICATE('x', 50) FROM GENERATE_SERIES(1, 60)".into()),
        Unit(unit(1)),
        Batch("DECLARE c CURSOR GLOBAL KEYSET FOR SELECT a, b FROM #t ORDER BY a; OPEN c; FETCH NEXT FROM c; FETCH NEXT FROM c".into()),
        Batch(format!("EXEC sp_getapplock 'lock {run}', 'Exclusive', 'Session'; FETCH LAST FROM c")),
        Transact(begin),
        Call(format!("INSERT d (run, unit, note) VALUES ({run}, @a, 'called')"), 2),
        Call(format!("INSERT m VALUES ({run}, @a, dbo.doubled(@a))"), 2),
        Transact(TransactionAction::Save { name: "s".into() }),
        Batch(format!("DELETE d WHERE run = {run}; DELETE m WITH (SNAPSHOT) WHERE run = {run}; ROLLBACK TRAN s")),
        Commit,
        Unit(format!("EXEC work {run}, 3")),
        Batch("BEGIN TRAN; CREATE TABLE made (a int PRIMARY KEY, b int); CREATE INDEX by_b ON made (b); INSERT made SELECT a, a % 7 FROM #t; \
            ALTER TABLE made ADD c int NOT NULL DEFAULT 5; UPDATE made SET b = c; SELECT SUM(b) FROM made; DROP TABLE made; COMMIT".into()),
        Batch("INSERT BULK loaded (a int)".into()),
        Load(run as i64 * ROWS_LOADED),
        Batch(format!(
            "BEGIN TRY BEGIN TRAN; INSERT d (run, unit) VALUES ({run}, 9), ({run}, 9); COMMIT END TRY BEGIN CATCH ROLLBACK; SELECT ERROR_NUMBER() END CATCH"
        )),
        Unit(unit(4)),
        Batch("BEGIN TRAN; UPDATE d SET note = REVERSE(note), n += 1; DELETE audit; MERGE d USING (SELECT 0 AS run, value AS unit FROM GENERATE_SERIES(1, 30)) s \
            ON d.run = s.run AND d.unit = s.unit WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (run, unit) VALUES (s.run, s.unit); ROLLBACK".into()),
        Batch("SELECT TOP 5 d.run, t.b, SUM(x.a) OVER (PARTITION BY d.unit ORDER BY x.a) FROM d JOIN totals s ON s.run = d.run CROSS JOIN #t x \
            LEFT JOIN m ON m.run = d.run AND m.unit = d.unit JOIN #t t ON t.a = x.a + 1 WHERE x.b LIKE 'x%' AND d.run IN (SELECT run FROM audit) \
            ORDER BY 3 DESC, 1; SELECT a, b FROM #t FOR JSON PATH; SELECT STRING_AGG(CAST(a AS varchar(9)), ',') FROM #t".into()),
        Batch("WAITFOR DELAY '0:00:00.001'; CLOSE c; DEALLOCATE c; EXEC sp_help 'd'; DROP TABLE #t".into()),
        Unit(unit(5)),
    ]
}

/// How far a run came.
struct Ran {
    acknowledged: Vec<i64>,
    /// The unit on the way when it ended: it may be there.
    uncertain: Option<i64>,
    loaded: Option<bool>,
    last: Answer,
}

fn run(wire: &mut Wire, run: u64, place: &str) -> Ran {
    let mut ran = Ran { acknowledged: Vec::new(), uncertain: None, loaded: Some(false), last: Answer::default() };
    wire.query("SET NOCOUNT ON");
    ran.last = wire.query(&format!("/*plant {place}*/ SET XACT_ABORT OFF"));
    let mut units = 0;
    for step in script(run) {
        if ran.last.closed || ran.last.errors.iter().any(|error| error.1 >= 20) {
            return ran;
        }
        let unit = matches!(step, Step::Unit(_) | Step::Commit);
        units += i64::from(unit);
        ran.uncertain = unit.then_some(units);
        ran.loaded = if matches!(step, Step::Load(_)) { None } else { ran.loaded };
        let loads = matches!(step, Step::Load(_));
        ran.last = match step {
            Step::Batch(text) | Step::Unit(text) => wire.query(&text),
            Step::Call(text, a) => wire.call(&text, a),
            Step::Transact(action) => wire.transact(&action),
            Step::Commit => wire.transact(&TransactionAction::Commit { name: String::new(), begin_again: None }),
            Step::Load(from) => {
                wire.start_bulk(from..from + ROWS_LOADED);
                wire.answer()
            }
        };
        if !ran.last.closed && ran.last.errors.is_empty() {
            ran.acknowledged.extend(ran.uncertain.take());
            ran.loaded = if loads { Some(true) } else { ran.loaded };
        }
    }
    ran
}

fn number(answer: &Answer) -> i64 {
    match answer.rows.as_slice() {
        [row] => match row.as_slice() {
            [Datum::I64(number)] => *number,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}, {:?}", answer.errors),
    }
}

fn units_in(wire: &mut Wire, table: &str, run: u64) -> Vec<i64> {
    let answer = wire.query(&format!("SELECT unit FROM planted.dbo.{table} WHERE run = {run} ORDER BY unit"));
    assert!(answer.errors.is_empty() && !answer.closed, "{answer:?}");
    let unit = |row: &Vec<Datum>| match row[0] {
        Datum::I64(unit) => unit,
        ref other => panic!("{other:?}"),
    };
    answer.rows.iter().map(unit).collect()
}

fn check_data(wire: &mut Wire, number_of_run: u64, ran: &Ran) {
    let d = units_in(wire, "d", number_of_run);
    for table in ["m", "audit"] {
        assert_eq!(units_in(wire, table, number_of_run), d, "{table} has what d has");
    }
    let mut with = ran.acknowledged.clone();
    with.extend(ran.uncertain);
    assert!(d == ran.acknowledged || d == with, "{d:?} after {:?}, perhaps {:?}", ran.acknowledged, ran.uncertain);
    let from = number_of_run as i64 * ROWS_LOADED;
    let loaded = number(&wire.query(&format!(
        "SELECT COUNT(*) FROM planted.dbo.loaded WHERE a BETWEEN {from} AND {}",
        from + ROWS_LOADED - 1
    )));
    match ran.loaded {
        Some(loaded_whole) => assert_eq!(loaded, if loaded_whole { ROWS_LOADED } else { 0 }),
        None => assert!(loaded == 0 || loaded == ROWS_LOADED, "{loaded} rows of a load"),
    }
    assert_eq!(number(&wire.query("SELECT COUNT(*) FROM planted.sys.tables WHERE name = 'made'")), 0);
}

/// Where to panic, by what the log tells of a run that was counted: the first passing of as many places, then passings spread over all.
fn chosen(log: &str, count: u64) -> Vec<String> {
    let places: Vec<&str> = log
        .lines()
        .filter_map(|line| line.split_once("marked place ")?.1.split_once(" is "))
        .map(|(_, place)| place)
        .collect();
    let passed =
        log.lines().rev().find_map(|line| line.split_once("marked places passed: ")?.1.trim().parse::<u64>().ok());
    let passed = passed.expect("counted");
    let of_places = count.min(places.len() as u64);
    let named = (0..of_places).map(|at| places[(at * places.len() as u64 / of_places) as usize].to_owned());
    let more = count - of_places;
    println!("{} places, {passed} passings", places.len());
    named.chain((0..more).map(|at| (1 + passed * at / more).to_string())).collect()
}

/// What the log tells of the places where panics were planted, and how many.
fn places(log: &str) -> BTreeSet<String> {
    let planted = log.lines().filter_map(|line| line.split_once("planted at ").map(|(_, place)| place));
    planted.map(|place| place.split_whitespace().next().unwrap_or("").trim_end_matches('"').to_owned()).collect()
}

fn held(wire: &mut Wire) -> String {
    match wire.query(HELD).rows.as_slice() {
        [row] => match &row[0] {
            Datum::Bytes(text) => String::from_utf8_lossy(text).into_owned(),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// What the witness holds, once the sessions before it, which nobody has seen to their ends, are gone.
fn held_alone(witness: &mut Wire) -> String {
    let until = Instant::now() + BACK_MAX;
    loop {
        let held = held(witness);
        if held.starts_with("1 1 1 1 ") {
            return held;
        }
        assert!(Instant::now() < until, "somebody stays: {held}");
    }
}

#[derive(Debug, Default)]
struct Figures {
    planted: u64,
    places: usize,
    /// Ended the request alone, ended the engine, was not reached.
    requests: u64,
    engines: u64,
    unreached: u64,
    mars: u64,
}

fn panics(name: &str, args: &[&str], count: u64) -> Figures {
    let mut server = Server::start(name, args);
    let mut witness = server.witness();
    for text in SETUP {
        let answer = witness.query(text);
        assert!(answer.errors.is_empty(), "{text}: {answer:?}");
    }
    drop(witness);
    let mut wire = Wire::open(server.port, "planted").expect("logged in");
    // Once to fill the caches, once to count.
    for of_run in [1, 2] {
        let ran = run(&mut wire, of_run, "0");
        assert!(ran.last.errors.is_empty() && ran.acknowledged == [1, 2, 3, 4, 5], "{:?}", ran.last);
    }
    wire.query("/*planted*/");
    drop(wire);
    let chosen = chosen(&server.log_text(), count);
    let mut figures = Figures::default();
    let mut witness = server.witness();
    let mut before = held_alone(&mut witness);
    let mut kept = Vec::new();
    for (at, place) in (0..).zip(chosen) {
        let of_run = 3 + at;
        let mars = at % 5 == 4;
        let opened = if mars { Wire::open_mars(server.port, "planted") } else { Wire::open(server.port, "planted") };
        let mut wire = opened.expect("logged in");
        let ran = run(&mut wire, of_run, &place);
        figures.planted += 1;
        figures.mars += u64::from(mars);
        let severe = ran.last.errors.iter().find(|error| error.1 >= 20);
        if let Some((number, severity, text)) = severe {
            assert_eq!((*number, *severity), (3624, 20), "{text}");
            let name = text.split("panic ").nth(1).and_then(|rest| rest.split('.').next()).expect("its number");
            let log = server.log_text();
            let line = log.lines().find(|line| line.contains(&format!("panic={name} "))).expect("in the log");
            assert!(line.contains("planted at") && line.contains("statement="), "{line}");
            assert!(wire.is_closed());
            let after = held(&mut witness);
            if after != before {
                kept.push(format!("{before} became {after}: {line}"));
                before = after;
            }
            figures.requests += 1;
        } else if ran.last.closed {
            figures.engines += 1;
            server.started_again();
            witness = server.witness();
            before = held_alone(&mut witness);
        } else {
            figures.unreached += 1;
            drop(wire);
            before = held_alone(&mut witness);
        }
        check_data(&mut witness, of_run, &ran);
    }
    let dropped = witness.query("USE master; DROP DATABASE planted");
    assert!(dropped.errors.is_empty() && !dropped.closed, "{dropped:?}");
    figures.places = places(&server.log_text()).len();
    assert!(figures.requests > figures.planted / 2 && figures.unreached * 10 <= figures.planted, "{figures:?}");
    println!("{name}: {figures:?}");
    assert!(kept.is_empty(), "{} panics left something:\n{}", kept.len(), kept.join("\n"));
    figures
}

fn count() -> u64 {
    std::env::var("PANICS").ok().and_then(|count| count.parse().ok()).unwrap_or(SAMPLE)
}

#[test]
fn a_panic_costs_one_request_threaded_fiber() {
    panics("panics-threaded-fiber", &["--kernel", "threaded", "--workers", "fiber"], count());
}

#[test]
fn a_panic_costs_one_request_process_fiber() {
    panics("panics-process-fiber", &["--kernel", "process", "--workers", "fiber"], count());
}

// A worker that is a thread waits for its CPU at each switch: on a busy machine these take minutes.
#[test]
#[ignore = "by hand, on a machine with a CPU to spare"]
fn a_panic_costs_one_request_threaded_thread() {
    panics("panics-threaded-thread", &["--kernel", "threaded", "--workers", "thread"], count());
}

#[test]
#[ignore = "by hand, on a machine with a CPU to spare"]
fn a_panic_costs_one_request_process_thread() {
    panics("panics-process-thread", &["--kernel", "process", "--workers", "thread"], count());
}
