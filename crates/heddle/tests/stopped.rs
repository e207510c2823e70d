//! Statements that go over many rows are stopped at any moment, by an attention, a closed connection or KILL: they end soon, and leave
//! nothing behind. ROWS=20000000 for a long run, SEED for other moments, CASE=text for the statements with it, FROM=text for the first one
//! with it and those behind.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::time::{Duration, Instant};

use support::random::{Random, number};
use support::wire::{Wire, must, must_within, one};
use support::{Server, scratch};
use types::Datum;

const ROWS: u64 = 100_000;

/// From the stop to the end, in an unoptimized build on a busy machine. An optimized one has a second.
const ENDS_WITHIN: Duration = Duration::from_secs(if cfg!(debug_assertions) { 15 } else { 1 });

/// Moments within which a statement is stopped: most of them take longer.
const MOMENTS_MS: usize = 400;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Attention,
    Closed,
    Kill,
}

struct Case {
    batch: &'static str,
    /// What `sys.dm_exec_requests` calls it; empty: one of several.
    command: &'static str,
    /// Undoes it, if it came to its end before it was stopped.
    undo: &'static str,
    /// What it needs, made before, and what takes that away.
    about: (&'static str, &'static str),
}

/// ROWS stands for their number.
const FILL: &str = "INSERT big (id, g, v, s) SELECT value, value % 1000, (CAST(value AS bigint) * 7919) % ROWS, CONCAT('row number ', value) \
    FROM GENERATE_SERIES(1, ROWS)";

const PILE: &str =
    "INSERT pile SELECT (CAST(value AS bigint) * 7919) % ROWS, CONCAT('pile ', value) FROM GENERATE_SERIES(1, ROWS)";

/// The statement that says so, and then the rows, which come as a message of their own: so many for each row of the tables. An
/// attention comes behind all that were sent.
const BULK: &str = "INSERT BULK loaded ([a] int)";
const LOADED: u64 = 4;
const LOADED_MAX: u64 = 400_000;

const MAKE_GONE: &str = "SELECT id, g, v, s INTO gone FROM big; CREATE INDEX gone_v ON gone (v)";
const MAKE_DOOMED: &str = "CREATE DATABASE doomed; EXEC ('SELECT id, v, s INTO doomed.dbo.t FROM long.dbo.big')";

fn cases() -> Vec<Case> {
    let case = |batch, command, undo| Case { batch, command, undo, about: ("", "") };
    let with = |about, batch, command, undo| Case { batch, command, undo, about };
    vec![
        case("CREATE INDEX made ON big (v, id)", "CREATE INDEX", "DROP INDEX made ON big"),
        case("CREATE UNIQUE INDEX made ON big (v, id)", "CREATE INDEX", "DROP INDEX made ON big"),
        case("CREATE INDEX made ON big (v) INCLUDE (s) WHERE v > 10", "CREATE INDEX", "DROP INDEX made ON big"),
        case("CREATE CLUSTERED INDEX made ON pile (v)", "CREATE INDEX", "DROP INDEX made ON pile"),
        case(
            "ALTER TABLE big ADD more int NOT NULL CONSTRAINT drawn DEFAULT CHECKSUM(NEWID())",
            "ALTER TABLE",
            "ALTER TABLE big DROP CONSTRAINT drawn, COLUMN more",
        ),
        case(
            "ALTER TABLE big ALTER COLUMN s nvarchar(40) NOT NULL",
            "ALTER TABLE",
            "ALTER TABLE big ALTER COLUMN s varchar(40) NOT NULL",
        ),
        case("ALTER TABLE big DROP COLUMN x", "ALTER TABLE", "ALTER TABLE big ADD x int NULL"),
        case(
            "ALTER TABLE big ADD CONSTRAINT checked CHECK (LEN(s + s) * v >= 0)",
            "ALTER TABLE",
            "ALTER TABLE big DROP CONSTRAINT checked",
        ),
        case(
            "ALTER TABLE big ADD CONSTRAINT alone UNIQUE (v, id)",
            "ALTER TABLE",
            "ALTER TABLE big DROP CONSTRAINT alone",
        ),
        case("ALTER INDEX of_g ON big REBUILD", "ALTER INDEX", ""),
        case("SELECT id, v, s INTO copied FROM big", "SELECT INTO", "DROP TABLE copied"),
        case("INSERT pile (v, s) SELECT v, 'new' FROM big", "INSERT", "DELETE pile WHERE s = 'new'"),
        case("UPDATE big SET v = v + 1, g = g + 1", "UPDATE", "UPDATE big SET v = v - 1, g = g - 1"),
        case("DELETE big WHERE id > 0", "DELETE", FILL),
        case("SELECT COUNT(*) FROM big a JOIN big b ON a.v + 1 > b.v", "SELECT", ""),
        case("DBCC CHECKDB WITH NO_INFOMSGS", "DBCC TABLE CHECK", ""),
        case("DBCC CHECKTABLE ('big') WITH NO_INFOMSGS", "DBCC TABLE CHECK", ""),
        case("ALTER TABLE small ADD INDEX made (v)", "ALTER TABLE", "ALTER TABLE small DROP INDEX made"),
        case("EXEC makes", "CREATE INDEX", "DROP INDEX made ON big"),
        case(BULK, "BULK INSERT", "DELETE loaded"),
        case("TRUNCATE TABLE pile", "TRUNCATE TABLE", PILE),
        with((MAKE_GONE, "DROP TABLE gone"), "DROP TABLE gone", "DROP TABLE", MAKE_GONE),
        with((MAKE_DOOMED, "DROP DATABASE doomed"), "DROP DATABASE doomed", "DROP DATABASE", MAKE_DOOMED),
        with(("UPDATE pile SET s = s", ""), "CHECKPOINT", "CHECKPOINT", ""),
        case("UPDATE STATISTICS big WITH FULLSCAN", "UPDATE STATISTICS", ""),
        case("ALTER INDEX of_g ON big REORGANIZE", "ALTER INDEX", ""),
        case("ALTER INDEX ALL ON big REBUILD", "ALTER INDEX", ""),
        with(
            ("CREATE CLUSTERED INDEX made ON pile (v)", "DROP INDEX made ON pile"),
            "DROP INDEX made ON pile",
            "DROP INDEX",
            "CREATE CLUSTERED INDEX made ON pile (v)",
        ),
        case(
            "MERGE pile AS t USING big AS b ON t.v = b.v AND t.s = b.s WHEN NOT MATCHED THEN INSERT (v, s) VALUES (b.v, 'new');",
            "MERGE",
            "DELETE pile WHERE s = 'new'",
        ),
        case(
            "ALTER TABLE big ADD CONSTRAINT points FOREIGN KEY (v) REFERENCES values_of_v (v)",
            "ALTER TABLE",
            "ALTER TABLE big DROP CONSTRAINT points",
        ),
        case(
            "ALTER TABLE big ADD made AS (v * 2 + LEN(s)) PERSISTED",
            "ALTER TABLE",
            "ALTER TABLE big DROP COLUMN made",
        ),
        case("UPDATE small SET v = v + 1", "UPDATE", "UPDATE small SET v = v - 1"),
        // What spills, and leaves its work file as it was.
        case(
            "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (ORDER BY s, v DESC) AS n, s FROM big) x WHERE LEN(s) > 0 OPTION (MAX_GRANT_PERCENT = 0)",
            "SELECT",
            "",
        ),
        case("SELECT COUNT(*) FROM big a JOIN pile b ON a.s = b.s + 'x' OPTION (MAX_GRANT_PERCENT = 0)", "SELECT", ""),
        case("SELECT COUNT(*) FROM (SELECT DISTINCT v, s FROM big) x OPTION (MAX_GRANT_PERCENT = 0)", "SELECT", ""),
        case("DBCC CHECKCONSTRAINTS ('big') WITH NO_INFOMSGS", "DBCC TABLE CHECK", ""),
        case(
            "ALTER TABLE big ALTER COLUMN v bigint NOT NULL",
            "ALTER TABLE",
            "ALTER TABLE big ALTER COLUMN v int NOT NULL",
        ),
        case("INSERT small SELECT id + 100000000, v FROM big", "INSERT", "DELETE small WHERE id > 100000000"),
        case(
            "ALTER TABLE small ADD more int NOT NULL CONSTRAINT five DEFAULT 5",
            "ALTER TABLE",
            "ALTER TABLE small DROP CONSTRAINT five, COLUMN more",
        ),
    ]
}

/// The database as others see it: definitions, rows, pages in use.
#[derive(Debug, PartialEq, Clone)]
struct Picture {
    definitions: Vec<Vec<Datum>>,
    rows: Vec<Vec<Datum>>,
}

fn picture(wire: &mut Wire) -> Picture {
    // By name: what was undone by making it again has another number.
    let definitions = "SELECT name, CHECKSUM(type, OBJECT_NAME(parent_object_id)) FROM sys.objects WHERE is_ms_shipped = 0 \
        UNION ALL SELECT name, CHECKSUM(OBJECT_NAME(object_id), system_type_id, is_nullable) FROM sys.columns \
            WHERE OBJECTPROPERTY(object_id, 'IsMSShipped') = 0 \
        UNION ALL SELECT name, CHECKSUM(OBJECT_NAME(object_id), index_id, type, is_unique) FROM sys.indexes \
            WHERE OBJECTPROPERTY(object_id, 'IsMSShipped') = 0 \
        UNION ALL SELECT name, 0 FROM sys.databases ORDER BY 1, 2";
    let rows = "SELECT COUNT_BIG(*), SUM(CAST(CHECKSUM(id, g, v, s) AS bigint)), 1 FROM big \
        UNION ALL SELECT COUNT_BIG(*), SUM(CAST(CHECKSUM(v, s) AS bigint)), 2 FROM pile \
        UNION ALL SELECT COUNT_BIG(*), SUM(CAST(CHECKSUM(id, v) AS bigint)), 3 FROM small \
        UNION ALL SELECT COUNT_BIG(*), SUM(CAST(a AS bigint)), 4 FROM loaded";
    Picture { definitions: must(wire, definitions), rows: must(wire, rows) }
}

fn pages(wire: &mut Wire) -> i64 {
    one(wire, "SELECT allocated_extent_page_count FROM sys.dm_db_file_space_usage")
}

/// Old versions and freed pages go in the background.
fn await_pages(wire: &mut Wire, before: i64, what: &str) {
    let begun = Instant::now();
    // The catalog's own rows may take a page more.
    let more = before / 20 + 64;
    while pages(wire) > before + more {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}: {} pages in use, before: {before}", pages(wire));
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn prepare(watcher: &mut Wire, rows: u64) {
    for batch in [
        "CREATE DATABASE long".to_string(),
        "USE long".to_string(),
        "CREATE TABLE big (id int NOT NULL PRIMARY KEY, g int NOT NULL, v int NOT NULL, s varchar(40) NOT NULL, \
            x int NULL, INDEX of_g (g))"
            .to_string(),
        "CREATE TABLE pile (v int NOT NULL, s varchar(40) NOT NULL)".to_string(),
        "CREATE TABLE small (id int NOT NULL PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON)"
            .to_string(),
        FILL.replace("ROWS", &rows.to_string()),
        PILE.replace("ROWS", &rows.to_string()),
        "CREATE TABLE loaded (a int NULL, INDEX of_a (a))".to_string(),
        "CREATE TABLE values_of_v (v int NOT NULL PRIMARY KEY)".to_string(),
        "INSERT values_of_v SELECT DISTINCT v FROM big".to_string(),
        format!("INSERT small SELECT value, (CAST(value AS bigint) * 7919) % {rows} FROM GENERATE_SERIES(1, {rows})"),
        "CREATE PROCEDURE makes AS /* é */ SELECT 1 AS a; CREATE INDEX made ON big (v, id); SELECT 2 AS b;".to_string(),
    ] {
        must_within(watcher, Duration::from_secs(30 + rows / 50_000), &batch);
    }
}

/// What the request is called while it runs, and the text of the statement that runs. None: it is not seen any more.
fn seen(watcher: &mut Wire, session: i64) -> Option<(String, String)> {
    let query = format!(
        "SELECT r.command, SUBSTRING(t.text, r.statement_start_offset / 2 + 1, \
            (CASE r.statement_end_offset WHEN -1 THEN DATALENGTH(t.text) ELSE r.statement_end_offset END \
             - r.statement_start_offset) / 2 + 1) \
         FROM sys.dm_exec_requests r OUTER APPLY sys.dm_exec_sql_text(r.sql_handle) t WHERE r.session_id = {session}"
    );
    let rows = must(watcher, &query);
    let text = |datum: &Datum| match datum {
        Datum::Bytes(bytes) => types::collation::code_page::utf16_to_string(bytes),
        _ => String::new(),
    };
    rows.first().map(|row| (text(&row[0]), text(&row[1])))
}

fn stopped(workers: &str) {
    let rows = number("ROWS").unwrap_or(ROWS);
    let mut random = Random(number("SEED").unwrap_or(1));
    // The log of many rows that one statement changes has no room in memory.
    let data = if rows > ROWS { scratch(&format!("stopped-{workers}")) } else { ":memory:".into() };
    let server = Server::start_on(data.to_str().expect("a path"), &["--workers", workers]);
    let mut watcher = Wire::open(server.port, "master").expect("logged in");
    prepare(&mut watcher, rows);
    let (mut longest, mut ended_before) = (Duration::ZERO, 0);
    let asked = |name: &str| std::env::var(name).unwrap_or_default();
    let (wanted, first) = (asked("CASE"), asked("FROM"));
    let all = cases().into_iter().skip_while(|case| !case.batch.contains(&first));
    for case in all.filter(|case| case.batch.contains(&wanted)) {
        for way in [Way::Attention, Way::Closed, Way::Kill] {
            let what = format!("{} ({way:?}, {workers})", case.batch);
            must(&mut watcher, case.about.0);
            let before = picture(&mut watcher);
            let pages_before = pages(&mut watcher);
            let mut wire = Wire::open(server.port, "long").expect("logged in");
            let session = one(&mut wire, "SELECT CONVERT(int, @@SPID)");
            if case.batch == BULK {
                must(&mut wire, BULK);
                wire.start_bulk(0..(rows * LOADED).min(LOADED_MAX) as i64);
            } else {
                wire.client.batch(case.batch);
                wire.send();
            }
            std::thread::sleep(Duration::from_millis(20 + random.below(MOMENTS_MS) as u64));
            if let Some((command, text)) = seen(&mut watcher, session) {
                assert_eq!(command, case.command, "{what}");
                let statement =
                    if case.batch == "EXEC makes" { "CREATE INDEX made ON big (v, id)" } else { case.batch };
                let same = text.trim_end_matches(';') == statement.trim_end_matches(';');
                assert!(same || case.batch == BULK && text.is_empty(), "{what}: {text}");
            }
            let begun = Instant::now();
            let mut done = false;
            match way {
                Way::Attention => {
                    wire.client.attention();
                    wire.send();
                    let answer = wire.answer();
                    assert!(!answer.closed && answer.errors.is_empty(), "{what}: {answer:?}");
                    done = !answer.cancelled;
                }
                Way::Closed => drop(wire),
                Way::Kill => {
                    must(
                        &mut watcher,
                        &format!(
                            "IF EXISTS (SELECT * FROM sys.dm_exec_sessions \
                        WHERE session_id = {session}) KILL {session}"
                        ),
                    );
                }
            }
            if way != Way::Attention {
                let there = format!("SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE session_id = {session}");
                while one(&mut watcher, &there) > 0 {
                    assert!(begun.elapsed() < ENDS_WITHIN, "{what}: still there after {:?}", begun.elapsed());
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            let took = begun.elapsed();
            longest = longest.max(took);
            println!("{took:>8.1?}  {what}");
            assert!(took < ENDS_WITHIN, "{what}: ended after {took:?}");
            let locks = format!(
                "SELECT COUNT(*) FROM sys.dm_tran_locks WHERE request_session_id = {session} AND resource_type <> 'DATABASE'"
            );
            assert_eq!(one(&mut watcher, &locks), 0, "{what}: locks are left");
            let after = picture(&mut watcher);
            if after != before && !case.undo.is_empty() {
                must(&mut watcher, &case.undo.replace("ROWS", &rows.to_string()));
                done = true;
            }
            ended_before += u32::from(done);
            assert_eq!(picture(&mut watcher), before, "{what}: something is left");
            // Pages of trees that were there have been split, and stay so.
            if !matches!(case.command, "INSERT" | "UPDATE" | "DELETE" | "MERGE" | "BULK INSERT") {
                await_pages(&mut watcher, pages_before, &what);
            }
            must(&mut watcher, case.about.1);
        }
    }
    let wrong = watcher.query("DBCC CHECKDB WITH NO_INFOMSGS");
    assert!(wrong.errors.is_empty(), "{:?}", wrong.errors);
    println!("{workers}: the longest took {longest:?}; {ended_before} had ended before");
}

/// On the one scheduler that there is, with somebody in the database who stays.
fn stopped_while_it_waits(workers: &str) {
    let server = Server::start_on(":memory:", &["--workers", workers, "--cpus", "0"]);
    let mut watcher = Wire::open(server.port, "master").expect("logged in");
    must(&mut watcher, "CREATE DATABASE kept");
    let mut stays = Wire::open(server.port, "kept").expect("logged in");
    must(&mut stays, "CREATE TABLE t (a int); BEGIN TRANSACTION; INSERT t VALUES (1)");
    for batch in [
        "ALTER DATABASE kept SET SINGLE_USER",
        "ALTER DATABASE kept SET RESTRICTED_USER WITH ROLLBACK AFTER 600",
        "ALTER DATABASE kept SET OFFLINE",
        "ALTER DATABASE kept SET EMERGENCY",
        "ALTER DATABASE kept SET READ_ONLY WITH ROLLBACK AFTER 600",
        "ALTER DATABASE kept SET READ_ONLY",
        "ALTER DATABASE kept SET READ_COMMITTED_SNAPSHOT ON",
    ] {
        for way in [Way::Attention, Way::Closed, Way::Kill] {
            let what = format!("{batch} ({way:?}, {workers})");
            let mut wire = Wire::open(server.port, "master").expect("logged in");
            let session = one(&mut wire, "SELECT CONVERT(int, @@SPID)");
            wire.client.batch(batch);
            wire.send();
            std::thread::sleep(Duration::from_millis(100));
            let begun = Instant::now();
            match way {
                Way::Attention => {
                    wire.client.attention();
                    wire.send();
                    let answer = wire.answer();
                    assert!(answer.cancelled && !answer.closed && answer.errors.is_empty(), "{what}: {answer:?}");
                }
                Way::Closed => drop(wire),
                Way::Kill => drop(must(&mut watcher, &format!("KILL {session}"))),
            }
            let running = format!("SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id = {session}");
            while one(&mut watcher, &running) > 0 {
                assert!(begun.elapsed() < ENDS_WITHIN, "{what}: still there after {:?}", begun.elapsed());
                std::thread::sleep(Duration::from_millis(5));
            }
            let as_it_was =
                "SELECT COUNT(*) FROM sys.databases WHERE name = 'kept' AND state + user_access + is_read_only = 0";
            assert_eq!(one(&mut watcher, as_it_was), 1, "{what}");
        }
    }
    must(&mut stays, "INSERT t VALUES (2); COMMIT");
    assert_eq!(one(&mut stays, "SELECT COUNT(*) FROM t"), 2);
}

#[test]
fn who_waits_for_others_to_leave_is_stopped_on_fibers() {
    stopped_while_it_waits("fiber");
}

#[test]
fn who_waits_for_others_to_leave_is_stopped_on_threads() {
    stopped_while_it_waits("thread");
}

#[test]
fn long_statements_are_stopped_on_fibers() {
    stopped("fiber");
}

#[test]
fn long_statements_are_stopped_on_threads() {
    stopped("thread");
}
