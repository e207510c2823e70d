//! `kill -9` at random moments under six inserting sessions: what was acknowledged is there, nothing is half there, and indexes agree
//! with their tables; on pages, and in memory by natively compiled procedures while checkpoint files are made and merged.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lab::client::Connection;
use os::sched::{MachineConfig, Place, TaskKind};
use support::placed::{self, numbers};
use support::session::Session;
use support::{Server, scratch};

const SESSIONS: usize = 6;

/// A request that takes longer has failed.
const REQUEST_MAX_NS: u64 = 20_000_000_000;

/// Rounds of each test; `HEDDLE_CRASH_ROUNDS` for more.
fn rounds() -> u64 {
    std::env::var("HEDDLE_CRASH_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(15)
}

/// What the sessions do, and what must hold afterwards.
struct Load {
    schema: &'static str,
    /// A batch that adds the session's row of this number.
    insert: fn(usize, u64) -> String,
    /// The last row of each session, after the whole has been found sound.
    check: fn(&Server, &str) -> [u64; SESSIONS],
    /// One more session makes checkpoints all the time, so that there are many small files to merge.
    checkpoints: bool,
}

const ON_PAGES: Load = Load { schema: SCHEMA, insert, check, checkpoints: false };

/// Two tables that must agree row by row, one of them with a nonclustered index; a long value goes beyond the page.
const SCHEMA: &str = "CREATE TABLE placed (session int, n int, amount int NOT NULL, note varchar(max),
    CONSTRAINT pk PRIMARY KEY CLUSTERED (session, n));
CREATE INDEX by_amount ON placed (amount);
CREATE INDEX noted ON placed (amount) INCLUDE (note);
CREATE UNIQUE INDEX large ON placed (n, session) INCLUDE (amount) WHERE amount >= 500;
CREATE TABLE lines (session int, n int, line int);
CREATE CLUSTERED INDEX by_order ON lines (session, n);";

/// One row of `placed` and two of `lines`, or none of them.
fn insert(session: usize, n: u64) -> String {
    let note = if n.is_multiple_of(8) { "REPLICATE(CAST('x' AS varchar(max)), 20000)" } else { "'short'" };
    format!(
        "SET XACT_ABORT ON; BEGIN TRAN; INSERT placed VALUES ({session}, {n}, {amount}, {note});
         INSERT lines VALUES ({session}, {n}, 1), ({session}, {n}, 2); COMMIT",
        amount = n * 7919 % 1000
    )
}

/// Inserts until the server is gone, counting what was acknowledged.
fn insert_until_killed(load: &Load, port: u16, database: &str, session: usize, acknowledged: &AtomicU64) {
    let target = support::target(port, database);
    let deadline = || Some(os::clock::now() + REQUEST_MAX_NS);
    let Ok(mut connection) = Connection::open(&target, deadline()) else { return };
    loop {
        let n = acknowledged.load(Ordering::Acquire) + 1;
        let Ok(answer) = connection.query(&(load.insert)(session, n), deadline()) else { return };
        match answer.first_error() {
            None => acknowledged.store(n, Ordering::Release),
            Some(error) if placed::TRY_AGAIN.contains(&error.number) => {}
            Some(error) => panic!("session {session}, row {n}: {error:?}"),
        }
    }
}

fn checkpoint_until_killed(port: u16, database: &str) {
    let target = support::target(port, database);
    let deadline = || Some(os::clock::now() + REQUEST_MAX_NS);
    let Ok(mut connection) = Connection::open(&target, deadline()) else { return };
    while let Ok(answer) = connection.query("CHECKPOINT", deadline()) {
        assert!(answer.first_error().is_none(), "{:?}", answer.messages);
        os::wait::sleep(os::wait::WaitType::SLEEP_TASK, 10);
    }
}

/// Six sessions insert after `from`; the server is killed after `delay`. What each had acknowledged.
fn insert_and_kill(
    load: &'static Load,
    server: Server,
    database: &'static str,
    from: [u64; SESSIONS],
    delay: Duration,
) -> [u64; SESSIONS] {
    let acknowledged: Arc<[AtomicU64; SESSIONS]> = Arc::new(from.map(AtomicU64::new));
    let port = server.port;
    let machine = os::sched::start(MachineConfig::default());
    let counters = acknowledged.clone();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(delay);
        server.kill();
    });
    machine.run(move || {
        let mut tasks: Vec<_> = (0..SESSIONS)
            .map(|session| {
                let counters = counters.clone();
                os::sched::spawn(TaskKind::Client, Place::Here, move || {
                    insert_until_killed(load, port, database, session, &counters[session]);
                })
            })
            .collect();
        if load.checkpoints {
            let task = move || checkpoint_until_killed(port, database);
            tasks.push(os::sched::spawn(TaskKind::Client, Place::Here, task));
        }
        for task in tasks {
            task.join().expect("a session saw no error but the server's death");
        }
    });
    machine.stop();
    killer.join().expect("the server was killed");
    std::array::from_fn(|session| acknowledged[session].load(Ordering::Acquire))
}

/// The last row of each session, after the whole has been found sound.
fn check(server: &Server, database: &str) -> [u64; SESSIONS] {
    let mut last = [0; SESSIONS];
    let placed = "SELECT session, MIN(n), MAX(n), COUNT(*) FROM placed GROUP BY session";
    for row in numbers(server, database, placed) {
        let [session, first, max, count] = row[..] else { panic!("{row:?}") };
        assert_eq!((first, count), (1, max), "the rows of session {session} are 1 to {max}, each once");
        last[session as usize] = max;
    }
    let halves = "SELECT (SELECT COUNT(*) FROM placed p WHERE 2 <> (SELECT COUNT(*) FROM lines l WHERE l.session = p.session AND l.n = p.n)),
        (SELECT COUNT(*) FROM placed) * 2 - (SELECT COUNT(*) FROM lines),
        (SELECT COUNT(*) FROM placed WHERE LEN(note) <> CASE WHEN n % 8 = 0 THEN 20000 ELSE 5 END)";
    assert_eq!(numbers(server, database, halves), [[0, 0, 0]], "rows without lines, lines without rows, torn values");
    let by_table = numbers(server, database, "SELECT COUNT(*), ISNULL(SUM(amount), 0) FROM placed WITH (INDEX(pk))");
    let by_index =
        numbers(server, database, "SELECT COUNT(*), ISNULL(SUM(amount), 0) FROM placed WITH (INDEX(by_amount))");
    assert_eq!(by_table, by_index, "the index has the table's rows");
    let noted = |index: &str| {
        let sums = "SUM(CAST(LEN(note) AS bigint)), SUM(ABS(CAST(CHECKSUM(note) AS bigint)))";
        format!("SELECT COUNT(*), {sums}, SUM(amount) FROM placed WITH (INDEX({index})) HAVING COUNT(*) > 0")
    };
    let (by_table, by_index) = (numbers(server, database, &noted("pk")), numbers(server, database, &noted("noted")));
    assert_eq!(by_table, by_index, "the index has long values of its own");
    let large = |index: &str| {
        format!("SELECT COUNT(*), ISNULL(SUM(amount), 0) FROM placed WITH (INDEX({index})) WHERE amount >= 500")
    };
    let (by_table, by_index) = (numbers(server, database, &large("pk")), numbers(server, database, &large("large")));
    assert_eq!(by_table, by_index, "the filtered index has its rows of the table");
    let wrong = "SELECT COUNT(*) FROM placed WHERE amount <> CAST(n AS bigint) * 7919 % 1000";
    assert_eq!(numbers(server, database, wrong), [[0]], "values as inserted");
    last
}

const IN_MEMORY: Load =
    Load { schema: placed::SCHEMA, insert: placed::insert, check: check_in_memory, checkpoints: true };

fn check_in_memory(server: &Server, database: &str) -> [u64; SESSIONS] {
    placed::check(server, database)
}

/// A delay that differs from round to round and run to run.
fn random_delay() -> Duration {
    let mut bytes = [0; 2];
    os::random::fill(&mut bytes);
    Duration::from_millis(20 + u64::from(u16::from_le_bytes(bytes)) % 400)
}

fn rounds_on(
    load: &'static Load,
    name: &str,
    setup: &str,
    database: &'static str,
    judge: impl Fn(u64, &[u64; SESSIONS], &[u64; SESSIONS]),
) {
    let data = scratch(name);
    let data = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(data, &[]);
    let made = server.sql(&["-b", "-Q", &format!("{setup}; USE {database}; {}", load.schema)]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stdout));
    let mut server = server;
    let mut from = [0; SESSIONS];
    for round in 0..rounds() {
        let acknowledged = insert_and_kill(load, server, database, from, random_delay());
        server = Server::start_on(data, &[]);
        from = (load.check)(&server, database);
        judge(round, &acknowledged, &from);
    }
    println!("{} kills, rows of each session: {from:?}", rounds());
    assert!(from.iter().all(|last| *last > 0), "every session inserted: {from:?}");
    assert_eq!(server.stop().0, Some(0));
}

fn nothing_is_lost(round: u64, acknowledged: &[u64; SESSIONS], found: &[u64; SESSIONS]) {
    for (acknowledged, found) in acknowledged.iter().zip(found) {
        // The last one may have been committed without the client hearing of it.
        assert!(
            (*acknowledged..=acknowledged + 1).contains(found),
            "round {round}: {acknowledged} acknowledged, {found} found"
        );
    }
}

#[test]
fn no_acknowledged_row_is_lost() {
    rounds_on(&ON_PAGES, "crash-full", "CREATE DATABASE crash", "crash", nothing_is_lost);
}

#[test]
fn no_acknowledged_row_in_memory_is_lost() {
    rounds_on(&IN_MEMORY, "crash-memory", "CREATE DATABASE crash", "crash", nothing_is_lost);
}

#[test]
fn delayed_durability_loses_only_the_newest_rows() {
    let setup = "CREATE DATABASE crash; ALTER DATABASE crash SET DELAYED_DURABILITY = FORCED";
    rounds_on(&ON_PAGES, "crash-delayed", setup, "crash", |round, acknowledged, found| {
        for (acknowledged, found) in acknowledged.iter().zip(found) {
            assert!(*found <= acknowledged + 1, "round {round}: {acknowledged} acknowledged, {found} found");
        }
    });
}

/// What a crash takes back of TRUNCATE and DBCC CHECKIDENT it takes back of the identity column, too: no value is given a second time.
#[test]
fn identity_values_go_on_behind_a_truncation_that_a_crash_undoes() {
    let data = scratch("crash-identity");
    let data = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(data, &[]);
    let made = server.query(
        "CREATE DATABASE crash; USE crash; CREATE TABLE open_one (id int IDENTITY CONSTRAINT pk_o PRIMARY KEY, a int);
         CREATE TABLE whole (id int IDENTITY CONSTRAINT pk_w PRIMARY KEY, a int); INSERT open_one VALUES (1), (2), (3);
         INSERT whole VALUES (1), (2), (3); TRUNCATE TABLE whole; INSERT whole VALUES (4)",
    );
    assert!(!made.contains("Msg"), "{made}");
    let mut session = Session::open(&server, "crash");
    session.run("BEGIN TRAN; TRUNCATE TABLE open_one; INSERT open_one VALUES (4)");
    // Another commit has the log hardened up to here.
    server.query("USE crash; CREATE TABLE other (a int)");
    server.kill();
    let server = Server::start_on(data, &[]);
    server.query("USE crash; INSERT open_one VALUES (5); INSERT whole VALUES (5)");
    let found = "SELECT COUNT(*), COUNT(DISTINCT id), SUM(CASE WHEN id > 3 THEN 1 ELSE 0 END), MIN(id) FROM";
    assert_eq!(numbers(&server, "crash", &format!("{found} open_one")), [[4, 4, 1, 1]]);
    assert_eq!(numbers(&server, "crash", &format!("{found} whole"))[0][..2], [2, 2]);
    assert_eq!(numbers(&server, "crash", "SELECT MIN(id) FROM whole"), [[1]]);
    assert_eq!(server.stop().0, Some(0));
}

/// A crash leaves out values that were reserved: of a sequence no more than its CACHE, and never all that a small type has left.
/// https://learn.microsoft.com/sql/t-sql/statements/create-sequence-transact-sql: "Cache management"
#[test]
fn numbers_go_on_behind_a_crash() {
    let data = scratch("crash-numbers");
    let data = data.to_str().expect("UTF-8 path");
    let server = Server::start_on(data, &[]);
    let made = server.query(
        "CREATE DATABASE crash; USE crash; CREATE SEQUENCE exact AS int START WITH 1 NO CACHE; CREATE SEQUENCE ten AS int START WITH 1 CACHE 10;
         CREATE SEQUENCE small AS tinyint START WITH 1; CREATE TABLE drawn (id tinyint IDENTITY PRIMARY KEY, a int, b int, c int);
         INSERT drawn VALUES (NEXT VALUE FOR exact, NEXT VALUE FOR ten, NEXT VALUE FOR small),
                             (NEXT VALUE FOR exact, NEXT VALUE FOR ten, NEXT VALUE FOR small)",
    );
    assert!(!made.contains("Msg"), "{made}");
    server.kill();
    let server = Server::start_on(data, &[]);
    let again =
        server.query("USE crash; INSERT drawn VALUES (NEXT VALUE FOR exact, NEXT VALUE FOR ten, NEXT VALUE FOR small)");
    assert!(!again.contains("Msg"), "{again}");
    let last = &numbers(&server, "crash", "SELECT MAX(id), MAX(a), MAX(b), MAX(c) FROM drawn")[0];
    assert!(
        (3..=22).contains(&last[0]) && last[1] == 3 && (3..=12).contains(&last[2]) && (3..=22).contains(&last[3]),
        "{last:?}"
    );
    assert_eq!(server.stop().0, Some(0));
}
