//! Which locks a statement takes, and who waits for whom: key ranges, what a waiting writer holds up, whose setting decides.
//! (SQL Server's Transaction Locking and Row Versioning Guide: "Key-range locking", "Lock compatibility".)
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use support::Server;
use support::session::{Session, until_someone_waits};

const TIMEOUT: &str = "Lock request time out period exceeded";

/// A database with `t`: clustered key 10, 20, ... 100, an index on v (as id), and a session that never waits long.
fn prepared(server: &Server) -> (Session, Session) {
    server.query("CREATE DATABASE two");
    let (mut a, mut b) = (Session::open(server, "two"), Session::open(server, "two"));
    a.run(
        "CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int NOT NULL, w int NOT NULL, INDEX by_v (v));
         INSERT t SELECT value * 10, value * 10, 0 FROM GENERATE_SERIES(1, 10)",
    );
    b.run("SET LOCK_TIMEOUT 200");
    (a, b)
}

/// Runs `work` of b against the open transaction of a; whether it had to wait.
fn waits(b: &mut Session, work: &str) -> bool {
    let said = b.run(&format!("BEGIN TRAN; {work}; ROLLBACK"));
    if said.contains(TIMEOUT) {
        b.run("IF @@TRANCOUNT > 0 ROLLBACK");
        return true;
    }
    assert!(!said.contains("Msg "), "{work}: {said}");
    false
}

#[test]
fn serializable_readers_keep_the_range_that_they_read_and_nothing_else() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    // What is read; what then has to wait; what need not.
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "SELECT * FROM t WHERE id = 50",
            &["UPDATE t SET w = 1 WHERE id = 50", "DELETE t WHERE id = 50"],
            &[
                "UPDATE t SET w = 1 WHERE id = 60",
                "INSERT t VALUES (55, 1, 1)",
                "SELECT w FROM t WHERE id = 50",
                "DELETE t WHERE id = 10",
            ],
        ),
        (
            "SELECT * FROM t WHERE id = 55",
            &["INSERT t VALUES (55, 1, 1)", "UPDATE t SET id = 55 WHERE id = 100"],
            &["UPDATE t SET w = 1 WHERE id = 50", "INSERT t VALUES (155, 1, 1)", "UPDATE t SET w = 1 WHERE id = 60"],
        ),
        (
            "SELECT * FROM t WHERE id BETWEEN 30 AND 50",
            &[
                "INSERT t VALUES (31, 1, 1)",
                "UPDATE t SET w = 1 WHERE id = 40",
                "DELETE t WHERE id = 30",
                "INSERT t VALUES (49, 1, 1)",
            ],
            &["INSERT t VALUES (101, 1, 1)", "UPDATE t SET w = 1 WHERE id = 70", "INSERT t VALUES (5, 1, 1)"],
        ),
        (
            "SELECT * FROM t WHERE id BETWEEN 30 AND 50 ORDER BY id DESC",
            &["INSERT t VALUES (31, 1, 1)", "INSERT t VALUES (49, 1, 1)"],
            &["INSERT t VALUES (101, 1, 1)", "INSERT t VALUES (5, 1, 1)"],
        ),
        (
            "SELECT v FROM t WITH (INDEX(by_v)) WHERE v BETWEEN 30 AND 50",
            &[
                "INSERT t VALUES (1001, 35, 1)",
                "UPDATE t SET v = 41 WHERE id = 100",
                "UPDATE t SET v = 1 WHERE id = 30",
            ],
            &["INSERT t VALUES (1001, 350, 1)", "UPDATE t SET v = 2 WHERE id = 80"],
        ),
        ("SELECT COUNT(*) FROM t", &["INSERT t VALUES (1001, 1, 1)", "DELETE t WHERE id = 10"], &["SELECT * FROM t"]),
        (
            "SELECT TOP (2) * FROM t ORDER BY id",
            &["INSERT t VALUES (15, 1, 1)", "UPDATE t SET w = 1 WHERE id = 20"],
            &["INSERT t VALUES (75, 1, 1)", "UPDATE t SET w = 1 WHERE id = 90"],
        ),
        (
            "SELECT TOP (2) * FROM t ORDER BY id DESC",
            &["INSERT t VALUES (95, 1, 1)", "INSERT t VALUES (105, 1, 1)"],
            &["INSERT t VALUES (15, 1, 1)"],
        ),
        (
            "SELECT * FROM (VALUES (25), (50)) AS k(id) JOIN t ON t.id = k.id",
            &["INSERT t VALUES (25, 1, 1)", "UPDATE t SET w = 1 WHERE id = 50"],
            &["INSERT t VALUES (26, 1, 1)", "UPDATE t SET w = 1 WHERE id = 60"],
        ),
    ];
    for (read, waiting, going) in cases {
        a.run(&format!("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRAN; {read}"));
        for work in *waiting {
            assert!(waits(&mut b, work), "after {read}: {work} must wait");
        }
        for work in *going {
            assert!(!waits(&mut b, work), "after {read}: {work} must not wait");
        }
        a.run("COMMIT");
    }
    assert_eq!(
        server.query("SET NOCOUNT ON; SELECT COUNT(*) FROM sys.dm_tran_locks WHERE request_mode LIKE 'Range%'").trim(),
        "0"
    );
}

/// Table hints, https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table: READCOMMITTED, READCOMMITTEDLOCK.
#[test]
fn a_table_is_read_as_committed_where_its_hint_says_so() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    for level in ["REPEATABLE READ", "SERIALIZABLE"] {
        for hint in ["READCOMMITTED", "READCOMMITTEDLOCK"] {
            a.run(&format!(
                "SET TRANSACTION ISOLATION LEVEL {level}; BEGIN TRAN; SELECT * FROM t WITH ({hint}) WHERE id BETWEEN 30 AND 50"
            ));
            for work in ["UPDATE t SET w = 1 WHERE id = 40", "INSERT t VALUES (35, 1, 1)"] {
                assert!(!waits(&mut b, work), "{level}, {hint}: {work}");
            }
            a.run("COMMIT");
        }
    }
    // That waits until nobody else is in the database.
    b.run("USE master");
    a.run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; ALTER DATABASE two SET READ_COMMITTED_SNAPSHOT ON");
    b.run("USE two");
    a.run("BEGIN TRAN; UPDATE t SET w = 7 WHERE id = 50");
    for level in ["READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ"] {
        b.run(&format!("SET TRANSACTION ISOLATION LEVEL {level}"));
        assert_eq!(b.run("SELECT w FROM t WITH (READCOMMITTED) WHERE id = 50"), "0", "{level}: the version before");
        assert!(waits(&mut b, "SELECT w FROM t WITH (READCOMMITTEDLOCK) WHERE id = 50"), "{level}");
    }
    b.run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    assert_eq!(b.run("SELECT w FROM t WHERE id = 50"), "0");
    a.run("ROLLBACK");
}

#[test]
fn what_dm_tran_locks_shows_of_a_serializable_transaction() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    let shown = "SET NOCOUNT ON; SELECT STRING_AGG(CONCAT(resource_type, ' ', request_mode, ' ', request_status), ', ') WITHIN GROUP (ORDER BY resource_type, request_mode) \
                 FROM two.sys.dm_tran_locks WHERE resource_database_id = DB_ID('two') AND resource_type <> 'DATABASE'";
    for (statement, expected) in [
        ("SELECT v FROM t WHERE id = 50", "KEY S GRANT, OBJECT IS GRANT"),
        ("SELECT v FROM t WHERE id = 55", "KEY RangeS-S GRANT, OBJECT IS GRANT"),
        (
            "SELECT v FROM t WHERE id BETWEEN 30 AND 40",
            "KEY RangeS-S GRANT, KEY RangeS-S GRANT, KEY RangeS-S GRANT, OBJECT IS GRANT",
        ),
        ("SELECT v FROM t WITH (UPDLOCK) WHERE id = 50", "KEY U GRANT, OBJECT IX GRANT"),
        ("UPDATE t SET v = 1 WHERE id = 55", "KEY RangeS-U GRANT, OBJECT IX GRANT"),
    ] {
        a.run(&format!("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRAN; {statement}"));
        let text = server.query(shown);
        assert_eq!(text.lines().next().unwrap_or("").trim(), expected, "{statement}");
        a.run("ROLLBACK");
    }
    a.run("BEGIN TRAN; SELECT v FROM t WITH (HOLDLOCK) WHERE id = 55");
    b.run("SET LOCK_TIMEOUT -1");
    b.send("INSERT t VALUES (55, 1, 1)");
    until_someone_waits(&server);
    let wait =
        server.query("SET NOCOUNT ON; SELECT wait_type FROM sys.dm_exec_requests WHERE blocking_session_id <> 0");
    assert_eq!(wait.trim(), "LCK_M_RIn_NL");
    a.run("COMMIT");
    assert_eq!(b.answer(), "");
}

#[test]
fn rows_that_a_transaction_has_changed_are_its_locks() {
    let server = Server::start(&[]);
    let (mut a, _) = prepared(&server);
    let shown = "SET NOCOUNT ON; SELECT STRING_AGG(CONCAT(resource_type, ' ', request_mode), ', ') WITHIN GROUP (ORDER BY resource_type, request_mode) \
                 FROM two.sys.dm_tran_locks WHERE resource_database_id = DB_ID('two') AND resource_type <> 'DATABASE'";
    for (statements, expected) in [
        ("UPDATE t SET w = 1 WHERE id = 50", "KEY X, OBJECT IX"),
        ("UPDATE t SET w = 1 WHERE id = 50; UPDATE t SET v = 2 WHERE id = 50", "KEY X, OBJECT IX"),
        ("INSERT t VALUES (55, 1, 1); DELETE t WHERE id IN (55, 10)", "KEY X, KEY X, OBJECT IX"),
        (
            "SAVE TRAN p; UPDATE t SET w = 1 WHERE id IN (50, 60); ROLLBACK TRAN p; UPDATE t SET w = 1 WHERE id = 10",
            "KEY X, OBJECT IX",
        ),
        ("SELECT w FROM t WITH (UPDLOCK) WHERE id = 50; UPDATE t SET w = 1 WHERE id = 50", "KEY X, OBJECT IX"),
        ("UPDATE t SET w = 1 WHERE id = 1", "OBJECT IX"),
    ] {
        a.run(&format!("BEGIN TRAN; {statements}"));
        let text = server.query(shown);
        assert_eq!(text.lines().next().unwrap_or("").trim(), expected, "{statements}");
        a.run("ROLLBACK");
    }
}

#[test]
fn transactions_that_read_and_then_change_different_keys_do_not_meet() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    for session in [&mut a, &mut b] {
        session.run("SET LOCK_TIMEOUT 2000; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; BEGIN TRAN");
    }
    assert_eq!(a.run("SELECT v FROM t WHERE id = 10"), "10");
    assert_eq!(b.run("SELECT v FROM t WHERE id = 20"), "20");
    assert_eq!(a.run("UPDATE t SET v = 1 WHERE id = 10"), "");
    assert_eq!(b.run("UPDATE t SET v = 2 WHERE id = 20"), "");
    assert_eq!(a.run("COMMIT"), "");
    assert_eq!(b.run("COMMIT"), "");
}

#[test]
fn a_reader_waits_for_nobody_who_only_waits_himself() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    let mut c = Session::open(&server, "two");
    // A table lock, so that the writer waits at the table.
    a.run("BEGIN TRAN; SELECT COUNT(*) FROM t WITH (TABLOCK, HOLDLOCK)");
    b.run("SET LOCK_TIMEOUT -1");
    b.send("UPDATE t SET w = 1 WHERE id = 20");
    until_someone_waits(&server);
    c.run("SET LOCK_TIMEOUT 2000");
    assert_eq!(c.run("SELECT w FROM t WITH (NOLOCK) WHERE id = 20"), "0");
    assert_eq!(
        c.run("SELECT w FROM t WITH (REPEATABLEREAD) WHERE id = 30"),
        "0",
        "IS goes with the S that is held and the IX that waits"
    );
    assert!(c.run("SELECT w FROM t WITH (TABLOCKX)").contains(TIMEOUT));
    a.run("COMMIT");
    assert_eq!(b.answer(), "");
}

#[test]
fn the_table_s_database_says_whether_readers_wait() {
    let server = Server::start(&[]);
    for (name, on) in [("two", "OFF"), ("versions", "ON")] {
        server.query(&format!("CREATE DATABASE {name}; ALTER DATABASE {name} SET READ_COMMITTED_SNAPSHOT {on}"));
        server.query(&format!(
            "CREATE TABLE {name}.dbo.t (id int PRIMARY KEY, v int); INSERT {name}.dbo.t VALUES (1, 10)"
        ));
    }
    let (mut a, mut b) = (Session::open(&server, "two"), Session::open(&server, "two"));
    b.run("SET LOCK_TIMEOUT 200");
    a.run("BEGIN TRAN; UPDATE two.dbo.t SET v = 11; UPDATE versions.dbo.t SET v = 11");
    for database in ["two", "versions", "master", "tempdb"] {
        b.run(&format!("USE {database}"));
        assert!(b.run("SELECT v FROM two.dbo.t").contains(TIMEOUT), "from {database}");
        assert_eq!(b.run("SELECT v FROM versions.dbo.t"), "10", "from {database}");
        let both = b.run("SELECT x.v FROM versions.dbo.t AS x JOIN two.dbo.t AS y ON x.id = y.id");
        assert!(both.contains(TIMEOUT), "from {database}: {both}");
    }
    b.run("USE two; BEGIN TRAN; SELECT 1; USE versions");
    assert_eq!(b.run("SELECT v FROM t"), "10", "also where the transaction began elsewhere");
    b.run("ROLLBACK");
    b.run("CREATE PROCEDURE p AS SELECT v FROM t");
    b.run("USE two");
    assert_eq!(b.run("EXEC versions.dbo.p"), "10", "and in a procedure of that database");
}

#[test]
fn new_databases_begin_as_model_says() {
    let server = Server::start(&[]);
    let on = |name: &str| {
        let query = "SET NOCOUNT ON; SELECT is_read_committed_snapshot_on FROM sys.databases WHERE name = ";
        server.query(&format!("{query}'{name}'")).trim().to_owned()
    };
    server.query("CREATE DATABASE usual");
    assert_eq!([on("master"), on("model"), on("tempdb"), on("usual")], ["0"; 4]);
    server.query("ALTER DATABASE model SET READ_COMMITTED_SNAPSHOT ON; CREATE DATABASE versions");
    assert_eq!([on("usual"), on("versions")], ["0", "1"]);
}

#[test]
fn the_catalog_keeps_nothing_for_a_serializable_transaction() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    b.run("SET LOCK_TIMEOUT 2000");
    for work in [
        "CREATE TABLE #q (i int)",
        "DROP TABLE IF EXISTS ##none",
        "SELECT COUNT(*) FROM tempdb.sys.objects",
        "SELECT COUNT(*) FROM sys.tables AS t JOIN sys.columns AS c ON c.object_id = t.object_id",
        "IF OBJECT_ID('dbo.none') IS NULL CREATE TABLE dbo.made (i int)",
    ] {
        for level in ["SERIALIZABLE", "REPEATABLE READ"] {
            a.run(&format!("SET TRANSACTION ISOLATION LEVEL {level}; BEGIN TRAN; {work}"));
            for other in
                ["CREATE TABLE #a (i int); DROP TABLE #a", "CREATE TABLE dbo.other (i int); DROP TABLE dbo.other"]
            {
                assert_eq!(b.run(other), "", "after {work}");
            }
            assert!(
                !b.run("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; CREATE TABLE #s (i int); DROP TABLE #s")
                    .contains("Msg"),
                "after {work}"
            );
            b.run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            a.run("ROLLBACK");
        }
    }
}

/// Runs a text of `n` in several sessions at once, each `times` times; the errors that came.
fn storm(server: &Server, sessions: usize, times: usize, text: &str) -> Vec<String> {
    let batch = format!(
        "DECLARE @i int = 0, @id int; WHILE @i < {times} BEGIN BEGIN TRY {text} END TRY
         BEGIN CATCH PRINT CONCAT('error ', ERROR_NUMBER()); IF @@TRANCOUNT > 0 ROLLBACK END CATCH; SET @i += 1 END"
    );
    let mut all: Vec<Session> = (0..sessions).map(|_| Session::open(server, "two")).collect();
    all.iter_mut().for_each(|session| session.send(&batch.replace('\n', " ")));
    let said: Vec<String> = all.iter_mut().map(Session::answer).collect();
    said.iter().flat_map(|text| text.lines().map(str::to_owned)).filter(|line| !line.is_empty()).collect()
}

#[test]
fn upserts_lose_nothing_and_do_not_deadlock() {
    let server = Server::start(&[]);
    let mut a = prepared(&server).0;
    // Clustered, heap, and found by another index.
    for (table, made) in [
        ("by_key", "(id int PRIMARY KEY, n int)"),
        ("heap", "(id int, n int)"),
        ("indexed", "(id int, n int, INDEX by_id UNIQUE (id))"),
    ] {
        for (form, text) in [
            (
                "update first",
                "BEGIN TRAN; UPDATE _T WITH (UPDLOCK, HOLDLOCK) SET n += 1 WHERE id = @id; IF @@ROWCOUNT = 0 INSERT _T VALUES (@id, 1); COMMIT;",
            ),
            (
                "look first",
                "BEGIN TRAN; IF EXISTS (SELECT * FROM _T WITH (UPDLOCK, HOLDLOCK) WHERE id = @id) UPDATE _T SET n += 1 WHERE id = @id ELSE INSERT _T VALUES (@id, 1); COMMIT;",
            ),
            (
                "merge",
                "MERGE _T WITH (HOLDLOCK) AS t USING (VALUES (@id)) AS s(id) ON t.id = s.id WHEN MATCHED THEN UPDATE SET n += 1 WHEN NOT MATCHED THEN INSERT VALUES (s.id, 1);",
            ),
        ] {
            a.run(&format!("DROP TABLE IF EXISTS dbo.{table}; CREATE TABLE dbo.{table} {made}"));
            let text = format!("SET @id = @i % 25; {}", text.replace("_T", &format!("dbo.{table}")));
            let errors = storm(&server, 6, 100, &text);
            assert_eq!(errors, Vec::<String>::new(), "{table}, {form}");
            let sum = a.run(&format!("SELECT CONCAT(COUNT(*), ' ', COUNT(DISTINCT id), ' ', SUM(n)) FROM dbo.{table}"));
            assert_eq!(sum, "25 25 600", "{table}, {form}");
        }
    }
}

/// "Table hints", UPDLOCK: update locks are taken and held until the transaction completes.
#[test]
fn update_locks_of_a_hint_outlast_their_statement() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    for read in [
        "DECLARE @s int; SELECT @s = SUM(w) FROM t WITH (UPDLOCK) WHERE id BETWEEN 30 AND 40",
        "DECLARE @s int; SELECT @s = w FROM t WITH (UPDLOCK) WHERE id = 30",
        "DECLARE @s int; SELECT TOP (1) @s = id FROM t WITH (UPDLOCK, READPAST) WHERE id > 20 AND w % 2 = 0",
    ] {
        a.run(&format!("BEGIN TRAN; {read}; SELECT COUNT(*) FROM t WHERE id = 90"));
        assert!(waits(&mut b, "UPDATE t SET w = 1 WHERE id = 30"), "{read}");
        assert!(!waits(&mut b, "SELECT w FROM t WHERE id = 30"), "{read}");
        assert!(!waits(&mut b, "UPDATE t SET w = 1 WHERE id = 50"), "{read}");
        a.run("ROLLBACK");
        assert!(!waits(&mut b, "UPDATE t SET w = 1 WHERE id = 30"), "{read}");
    }
}

/// "Table hints", TABLOCKX, and "Lock compatibility": an exclusive lock of the table excludes the intent of a reader.
#[test]
fn a_table_locked_exclusively_is_not_read_with_locks() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    b.run("ALTER DATABASE two SET ALLOW_SNAPSHOT_ISOLATION ON");
    for held in ["SELECT TOP (1) id FROM t WITH (TABLOCKX)", "UPDATE t WITH (TABLOCKX) SET w = 1 WHERE id = 10"] {
        a.run(&format!("BEGIN TRAN; {held}"));
        for read in ["SELECT w FROM t WHERE id = 50", "SELECT COUNT(*) FROM t WITH (READPAST)"] {
            assert!(waits(&mut b, read), "{held}; {read}");
        }
        assert!(!waits(&mut b, "SELECT w FROM t WITH (NOLOCK) WHERE id = 50"), "{held}");
        for level in ["READ UNCOMMITTED", "SNAPSHOT"] {
            b.run(&format!("SET TRANSACTION ISOLATION LEVEL {level}"));
            assert!(!waits(&mut b, "SELECT w FROM t WHERE id = 50"), "{held}; {level}");
        }
        b.run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
        a.run("ROLLBACK");
    }
    // With row versions a reader takes no lock, unless it asks for one.
    b.run("CREATE DATABASE versions");
    b.run("ALTER DATABASE versions SET READ_COMMITTED_SNAPSHOT ON");
    b.run("CREATE TABLE versions.dbo.t (id int PRIMARY KEY, w int); INSERT versions.dbo.t VALUES (50, 1)");
    a.run("BEGIN TRAN; SELECT w FROM versions.dbo.t WITH (TABLOCKX)");
    assert!(!waits(&mut b, "SELECT w FROM versions.dbo.t"));
    b.run("USE versions");
    assert!(!waits(&mut b, "SELECT w FROM t"));
    assert!(waits(&mut b, "SELECT w FROM t WITH (READCOMMITTEDLOCK)"));
}

/// "Transaction locking and row versioning guide": a SNAPSHOT transaction's sequence number is given at its first read or write after
/// BEGIN TRANSACTION; that write may be an INSERT, or one that waits.
#[test]
fn a_snapshot_begins_with_the_first_statement_whatever_it_is() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    a.run("ALTER DATABASE two SET ALLOW_SNAPSHOT_ISOLATION ON");
    a.run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT");
    for first in ["INSERT t VALUES (1001, 1, 1)", "INSERT t VALUES (10, 1, 1)"] {
        a.run(&format!("BEGIN TRAN; {first}"));
        b.run("UPDATE t SET w += 1 WHERE id = 50");
        let said = a.run("UPDATE t SET w = 0 WHERE id = 50");
        assert!(said.contains("Msg 3960"), "{first}: {said}");
    }
    // The wait for the table is part of it.
    b.run("BEGIN TRAN; UPDATE t WITH (TABLOCKX) SET w += 1 WHERE id = 50");
    a.send("UPDATE t SET w = 0 WHERE id = 50");
    until_someone_waits(&server);
    b.run("COMMIT");
    assert!(a.answer().contains("Msg 3960"));
}

/// https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-tran-locks-transact-sql and
/// https://learn.microsoft.com/troubleshoot/sql/database-engine/performance/understand-resolve-blocking: who waits for a row or a table
/// has a request with the status WAIT, and the texts say for what.
#[test]
fn who_waits_is_shown_with_what_he_waits_for() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    b.run("SET LOCK_TIMEOUT -1");
    let wait = "SET NOCOUNT ON; USE two; SELECT CONCAT(r.wait_type, '|', CASE WHEN r.wait_resource = CONCAT('KEY: ', DB_ID(), ':', p.hobt_id, ' ', l.resource_description) THEN 'key' \
                WHEN r.wait_resource = CONCAT('OBJECT: ', DB_ID(), ':', OBJECT_ID('t'), ':0') THEN 'table' ELSE r.wait_resource END, '|', \
                l.resource_type, ' ', l.request_mode, ' ', l.request_status, '|', (SELECT COUNT(*) FROM sys.dm_tran_locks o WHERE o.request_status = 'GRANT' \
                AND o.request_session_id = r.blocking_session_id AND o.resource_type = l.resource_type AND o.resource_description = l.resource_description \
                AND o.resource_associated_entity_id = l.resource_associated_entity_id), '|', LEFT(w.resource_description, CHARINDEX(' ', w.resource_description))) \
                FROM sys.dm_exec_requests r JOIN sys.dm_tran_locks l ON l.request_session_id = r.session_id AND l.request_status = 'WAIT' \
                JOIN sys.dm_os_waiting_tasks w ON w.session_id = r.session_id \
                LEFT JOIN sys.partitions p ON p.object_id = OBJECT_ID('t') AND p.index_id = 1 WHERE r.blocking_session_id <> 0";
    for (held, wanted, shown) in [
        ("UPDATE t SET w = 1 WHERE id = 50", "SELECT w FROM t WHERE id = 50", "LCK_M_S|key|KEY S WAIT|1|keylock"),
        ("UPDATE t SET w = 1 WHERE id = 50", "UPDATE t SET w = 2 WHERE id = 50", "LCK_M_U|key|KEY U WAIT|1|keylock"),
        ("INSERT t VALUES (55, 1, 1)", "INSERT t VALUES (55, 2, 2)", "LCK_M_X|key|KEY X WAIT|1|keylock"),
        (
            "SELECT w FROM t WITH (TABLOCKX)",
            "SELECT w FROM t WHERE id = 50",
            "LCK_M_IS|table|OBJECT IS WAIT|1|objectlock",
        ),
    ] {
        a.run(&format!("BEGIN TRAN; {held}"));
        b.send(&format!("BEGIN TRAN; {wanted}; ROLLBACK"));
        until_someone_waits(&server);
        let seen = server.query(wait);
        let seen = seen.lines().find(|line| line.contains('|')).unwrap_or_default().trim().to_owned();
        a.run("ROLLBACK");
        b.answer();
        assert_eq!(seen, shown, "{held}; {wanted}");
    }
}

/// https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table: READPAST skips locks of rows and pages; it waits for who has
/// locked the table.
#[test]
fn readpast_waits_for_a_table() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    a.run("BEGIN TRAN; SELECT COUNT(*) FROM t WITH (TABLOCK, HOLDLOCK)");
    for read in ["SELECT w FROM t WITH (UPDLOCK, READPAST) WHERE id = 50", "DELETE TOP (1) t WITH (READPAST)"] {
        assert!(waits(&mut b, read), "{read}");
    }
    assert!(!waits(&mut b, "SELECT w FROM t WITH (REPEATABLEREAD, READPAST)"), "IS goes with S");
    a.run("COMMIT; BEGIN TRAN; SELECT w FROM t WITH (UPDLOCK) WHERE id = 50");
    assert_eq!(b.run("SELECT COUNT(*) FROM t WITH (UPDLOCK, READPAST)"), "9");
}

/// "ROLLBACK TRANSACTION": what a savepoint undoes holds nobody up any more, also who waits for it already.
#[test]
fn who_waits_for_a_row_goes_on_when_a_savepoint_takes_it_back() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    b.run("SET LOCK_TIMEOUT 20000");
    for (change, wanted, answer) in [
        ("INSERT t VALUES (55, 1, 1)", "SELECT COUNT(*) FROM t WITH (REPEATABLEREAD) WHERE id = 55", "0"),
        (
            "INSERT t VALUES (55, 1, 1)",
            "INSERT t VALUES (55, 2, 2); SELECT v FROM t WHERE id = 55; DELETE t WHERE id = 55",
            "2",
        ),
    ] {
        a.run(&format!("BEGIN TRAN; UPDATE t SET w = 3 WHERE id = 10; SAVE TRAN s; {change}"));
        b.send(wanted);
        until_someone_waits(&server);
        a.run("ROLLBACK TRAN s");
        assert_eq!(b.answer(), answer, "{change}; {wanted}");
        a.run("ROLLBACK");
    }
}

/// "Lock modes", update locks: what an update has waited for and then not found is not its own to keep.
#[test]
fn the_lock_of_a_row_that_moved_away_while_it_was_awaited_is_given_back() {
    let server = Server::start(&[]);
    let (mut a, mut b) = prepared(&server);
    let mut c = Session::open(&server, "two");
    a.run("BEGIN TRAN; SELECT w FROM t WITH (UPDLOCK) WHERE id = 50");
    b.run("SET LOCK_TIMEOUT -1");
    b.run("BEGIN TRAN");
    b.send("UPDATE t SET w = 1 FROM t WITH (INDEX(by_v)) WHERE v BETWEEN 50 AND 60");
    until_someone_waits(&server);
    a.run("UPDATE t SET v = 500 WHERE id = 50; COMMIT");
    assert_eq!(b.answer(), "");
    assert!(!waits(&mut c, "UPDATE t WITH (NOWAIT) SET w = 2 WHERE id = 50"));
    assert!(c.run("UPDATE t WITH (NOWAIT) SET w = 2 WHERE id = 60").contains(TIMEOUT));
}
