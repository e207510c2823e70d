//! Indexed views are twins of their own queries: whatever several sessions do to the tables, at random from a printed seed, at each isolation
//! level, with rollbacks and statements that fail, what is stored is what the query gives; also after a `kill -9` in the midst of it.
//!
//! `HEDDLE_SEED=7 HEDDLE_ROUNDS=50 cargo test -p heddle --test indexed_views` looks for longer, elsewhere.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::time::Duration;

use lab::client::Connection;
use os::sched::{MachineConfig, Place, TaskKind};
use support::random::{Random, number};
use support::session::Session;
use support::{Server, scratch};

const SESSIONS: usize = 5;
const BATCHES: usize = 60;

/// A request that takes longer has failed.
const REQUEST_MAX_NS: u64 = 60_000_000_000;

/// A statement may fail by these: another session was there first, a key is there, a parent is not.
const EXPECTED: [i32; 9] = [547, 1205, 2601, 2627, 3621, 3960, 3961, 3998, 8115];

const SCHEMA: &[&str] = &[
    "ALTER DATABASE twins SET ALLOW_SNAPSHOT_ISOLATION ON",
    "CREATE TABLE p (id int NOT NULL CONSTRAINT pk_p PRIMARY KEY, kind varchar(4) NULL, w int NOT NULL)",
    "CREATE TABLE c (id int NOT NULL CONSTRAINT pk_c PRIMARY KEY,
        p int NULL CONSTRAINT fk_c REFERENCES p (id) ON DELETE CASCADE ON UPDATE SET NULL,
        a decimal(9, 2) NOT NULL, b int NOT NULL, t AS b * 2 PERSISTED, INDEX by_p (p))",
    "CREATE VIEW dbo.sums WITH SCHEMABINDING AS
        SELECT p, SUM(a) AS a, SUM(b) AS b, COUNT_BIG(t) AS t, COUNT_BIG(*) AS n FROM dbo.c GROUP BY p",
    "CREATE VIEW dbo.kinds WITH SCHEMABINDING AS
        SELECT p.kind, c.b % 3 AS m, SUM(p.w) AS w, COUNT_BIG(*) AS n FROM dbo.p JOIN dbo.c ON c.p = p.id WHERE c.b <> 5 GROUP BY p.kind, c.b % 3",
    "CREATE VIEW dbo.pairs WITH SCHEMABINDING AS SELECT c.id, c.p, p.kind, c.a, p.w FROM dbo.c JOIN dbo.p ON p.id = c.p WHERE p.w > 2",
    "INSERT p SELECT value, CHAR(97 + value % 4), value % 7 FROM GENERATE_SERIES(1, 12)",
    "INSERT c SELECT value, value % 12 + 1, value / 4.0, value % 9 FROM GENERATE_SERIES(1, 60)",
    "CREATE UNIQUE CLUSTERED INDEX cx ON dbo.sums (p)",
    "CREATE UNIQUE CLUSTERED INDEX cx ON dbo.kinds (kind, m)",
    "CREATE UNIQUE CLUSTERED INDEX cx ON dbo.pairs (id)",
    "CREATE INDEX by_a ON dbo.pairs (a, kind) INCLUDE (w)",
];

const VIEWS: [&str; 3] = ["sums", "kinds", "pairs"];

fn change(random: &mut Random) -> String {
    let (id, p, b) = (random.below(90), random.below(14), random.below(9));
    match random.below(14) {
        0..=2 => format!("INSERT c (id, p, a, b) VALUES ({id}, {p}, {b}.25, {b})"),
        3 => format!("INSERT c (id, p, a, b) SELECT id + 100, p, a, b FROM c WHERE id BETWEEN {id} AND {}", id + 3),
        4 => format!("UPDATE c SET a = a + 1, b = {b} WHERE p = {p}"),
        5 => format!("UPDATE c SET p = {p} WHERE id BETWEEN {id} AND {}", id + 5),
        6 => format!("UPDATE c SET p = NULL, b = b + 1 WHERE id = {id}"),
        7 => format!("DELETE c WHERE id BETWEEN {id} AND {}", id + 4),
        8 => format!("UPDATE p SET kind = {} WHERE id = {p}", random.pick(&["'a'", "'B'", "'z'", "NULL"])),
        9 => format!("UPDATE p SET w = {b} WHERE id IN ({p}, {})", p + 1),
        10 => format!("DELETE p WHERE id = {p}"),
        11 => format!("UPDATE p SET id = {} WHERE id = {p}", p + 20),
        12 => format!("IF NOT EXISTS (SELECT 1 FROM p WHERE id = {p}) INSERT p VALUES ({p}, 'n', {b})"),
        _ => format!(
            "MERGE c AS t USING (VALUES ({id}, {p}, {b}), ({}, {p}, 1)) AS s (id, p, b) ON t.id = s.id
             WHEN MATCHED AND s.b > 6 THEN DELETE WHEN MATCHED THEN UPDATE SET p = s.p, b = s.b
             WHEN NOT MATCHED THEN INSERT (id, p, a, b) VALUES (s.id, s.p, 1, s.b);",
            id + 1
        ),
    }
}

/// A few changes, in a transaction or without one.
fn batch(random: &mut Random) -> String {
    let level = random.pick(&["READ COMMITTED", "READ UNCOMMITTED", "REPEATABLE READ", "SERIALIZABLE", "SNAPSHOT"]);
    let mut text = format!("SET TRANSACTION ISOLATION LEVEL {level};\n");
    let explicit = random.below(3) > 0;
    text += if explicit { "BEGIN TRANSACTION;\n" } else { "" };
    for at in 0..1 + random.below(4) {
        text += &change(random);
        text += ";\n";
        if explicit && at == 1 && random.below(4) == 0 {
            text += "IF XACT_STATE() = 1 BEGIN SAVE TRANSACTION s; DELETE c WHERE b > 4; ROLLBACK TRANSACTION s END;\n";
        }
    }
    if explicit {
        text += if random.below(4) == 0 { "IF @@TRANCOUNT > 0 ROLLBACK" } else { "IF @@TRANCOUNT > 0 COMMIT" };
    }
    text
}

/// Runs batches until they are done or the server is gone.
fn work(port: u16, seed: u64) {
    let deadline = || Some(os::clock::now() + REQUEST_MAX_NS);
    let Ok(mut connection) = Connection::open(&support::target(port, "twins"), deadline()) else { return };
    let mut random = Random(seed);
    for _ in 0..BATCHES {
        let text = batch(&mut random);
        let Ok(answer) = connection.query(&text, deadline()) else { return };
        if let Some(error) = answer.first_error() {
            assert!(EXPECTED.contains(&error.number), "{error:?} of {text}");
        }
        let Ok(_) = connection.query("IF @@TRANCOUNT > 0 ROLLBACK", deadline()) else { return };
    }
}

fn run_sessions(port: u16, seed: u64) {
    let machine = os::sched::start(MachineConfig::default());
    machine.run(move || {
        let one = |session: usize| {
            let seed = seed.wrapping_mul(31).wrapping_add(session as u64);
            os::sched::spawn(TaskKind::Client, Place::Here, move || work(port, seed))
        };
        for task in (0..SESSIONS).map(one).collect::<Vec<_>>() {
            task.join().expect("a session saw no error that it did not expect");
        }
    });
    machine.stop();
}

/// What is stored, beside what the query gives; and each index of a view beside its rows.
fn compare(server: &Server, when: &str) {
    let mut session = Session::open(server, "twins");
    for view in VIEWS {
        for (left, right) in [(" WITH (NOEXPAND)", ""), ("", " WITH (NOEXPAND)")] {
            let query =
                format!("SELECT * FROM dbo.{view}{left} EXCEPT SELECT * FROM dbo.{view}{right} OPTION (EXPAND VIEWS)");
            assert_eq!(session.run(&query), "", "{when}: {query}");
        }
    }
    let count =
        |session: &mut Session, hint: &str| session.run(&format!("SELECT COUNT(*), SUM(a) FROM dbo.pairs {hint}"));
    let rows = count(&mut session, "WITH (NOEXPAND, INDEX (cx))");
    assert_eq!(count(&mut session, "WITH (NOEXPAND, INDEX (by_a))"), rows, "{when}");
    assert_eq!(session.run("DBCC CHECKDB WITH NO_INFOMSGS"), "", "{when}");
}

#[test]
fn what_is_stored_of_a_view_is_what_its_query_gives() {
    let seed = number("HEDDLE_SEED").unwrap_or(20_261_128);
    println!("HEDDLE_SEED={seed}");
    let directory = scratch("indexed_views");
    let data = directory.to_str().expect("UTF-8");
    let mut server = Server::start_on(data, &[]);
    server.query("CREATE DATABASE twins");
    let mut session = Session::open(&server, "twins");
    for statement in SCHEMA {
        let said = session.run(statement);
        assert!(!said.contains("Msg "), "{statement}: {said}");
    }
    drop(session);
    compare(&server, "at first");
    for round in 0..number("HEDDLE_ROUNDS").unwrap_or(4) {
        run_sessions(server.port, seed.wrapping_add(round));
        compare(&server, &format!("round {round}"));
        // The next ones meet the end of the server.
        let port = server.port;
        let delay = Duration::from_millis(150 + 100 * (round % 5));
        let killer = std::thread::spawn(move || {
            std::thread::sleep(delay);
            server.kill();
        });
        run_sessions(port, seed.wrapping_mul(7).wrapping_add(round));
        killer.join().expect("the server was killed");
        server = Server::start_on(data, &[]);
        compare(&server, &format!("after the kill of round {round}"));
    }
}

/// Two sessions that add to one group: the second waits for the first, at each level, and neither is lost.
#[test]
fn who_adds_to_a_group_waits_for_whoever_has_changed_it() {
    let server = Server::start(&[]);
    server.query("CREATE DATABASE two");
    server.query("ALTER DATABASE two SET READ_COMMITTED_SNAPSHOT ON");
    let (mut a, mut b) = (Session::open(&server, "two"), Session::open(&server, "two"));
    a.run("CREATE TABLE t (id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, g int NOT NULL, v int NOT NULL)");
    a.run("CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT g, SUM(v) AS v, COUNT_BIG(*) AS n FROM dbo.t GROUP BY g");
    a.run("CREATE UNIQUE CLUSTERED INDEX cx ON dbo.v (g)");
    for (group, end, sum) in [(1, "COMMIT", "30 2"), (2, "ROLLBACK", "20 1")] {
        a.run(&format!("BEGIN TRANSACTION; INSERT t VALUES ({group}1, {group}, 10)"));
        b.send(&format!("INSERT t VALUES ({group}2, {group}, 20)"));
        support::session::until_someone_waits(&server);
        a.run(end);
        assert_eq!(b.answer(), "");
        assert_eq!(a.run(&format!("SELECT v, n FROM dbo.v WITH (NOEXPAND) WHERE g = {group}")), sum);
        assert_eq!(a.run(&format!("SELECT v, n FROM dbo.v WHERE g = {group} OPTION (EXPAND VIEWS)")), sum);
    }
    // A snapshot may not add to a group that has changed since it was taken: 3960.
    a.run("ALTER DATABASE two SET ALLOW_SNAPSHOT_ISOLATION ON");
    a.run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRANSACTION; SELECT COUNT(*) FROM t");
    b.run("INSERT t VALUES (13, 1, 5)");
    let said = a.run("INSERT t VALUES (14, 1, 5)");
    assert!(said.contains("Msg 3960"), "{said}");
    a.run("IF @@TRANCOUNT > 0 ROLLBACK");
    assert_eq!(b.run("SELECT v, n FROM dbo.v WITH (NOEXPAND) WHERE g = 1"), "35 3");
}

/// Who may read a view reads its rows without a right to its tables, and who may not does not.
#[test]
fn what_is_stored_of_a_view_is_read_by_whoever_may_read_the_view() {
    let server = Server::start(&[]);
    server.query("CREATE DATABASE rights");
    let mut session = Session::open(&server, "rights");
    for statement in [
        "CREATE TABLE t (id int NOT NULL CONSTRAINT pk_t PRIMARY KEY, v int NOT NULL, m int MASKED WITH (FUNCTION = 'default()') NOT NULL)",
        "CREATE VIEW dbo.v WITH SCHEMABINDING AS SELECT id, v, m FROM dbo.t",
        "INSERT t VALUES (1, 10, 100)",
        "CREATE UNIQUE CLUSTERED INDEX cx ON dbo.v (id)",
        "CREATE USER reader WITHOUT LOGIN; CREATE USER writer WITHOUT LOGIN; CREATE USER nobody WITHOUT LOGIN",
        "GRANT SELECT ON dbo.v TO reader; GRANT INSERT ON dbo.t TO writer",
    ] {
        let said = session.run(statement);
        assert!(!said.contains("Msg "), "{statement}: {said}");
    }
    let mut acts = |user: &str, text: &str| {
        let said = session.run(&format!("EXECUTE AS USER = '{user}'; {text}"));
        // A batch that is refused ends before it could say so itself.
        session.run("REVERT");
        said
    };
    assert_eq!(acts("reader", "SELECT id, v, m FROM dbo.v WITH (NOEXPAND)"), "1 10 0");
    assert_eq!(acts("reader", "SELECT id, v, m FROM dbo.v"), "1 10 0");
    assert!(acts("reader", "SELECT id FROM dbo.t").contains("Msg 229"));
    assert!(acts("nobody", "SELECT id FROM dbo.v WITH (NOEXPAND)").contains("Msg 229"));
    assert_eq!(acts("writer", "INSERT dbo.t VALUES (2, 20, 200)"), "");
    assert!(acts("writer", "SELECT id FROM dbo.v WITH (NOEXPAND)").contains("Msg 229"));
    assert!(acts("writer", "CREATE INDEX nx ON dbo.v (v)").contains("Msg 1088"));
    assert_eq!(session.run("SELECT id, v, m FROM dbo.v WITH (NOEXPAND) ORDER BY id"), "1 10 100\n2 20 200");
    // From another database, where the view's names mean nothing.
    let mut other = Session::open(&server, "master");
    assert_eq!(other.run("INSERT rights.dbo.t VALUES (3, 30, 300)"), "");
    assert_eq!(other.run("SELECT id, v, m FROM rights.dbo.v WITH (NOEXPAND) WHERE id = 3"), "3 30 300");
}
