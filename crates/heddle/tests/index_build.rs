//! Indexes that are built over rows: sorted, in memory and beyond it, each kind beside its table; what they refuse; killed in the middle;
//! and what a rollback leaves.
//!
//! CREATE INDEX, https://learn.microsoft.com/sql/t-sql/statements/create-index-transact-sql; error 1505,
//! https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-1505-database-engine-error
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::time::Duration;

use support::wire::{Wire, must, one};
use support::{Server, scratch};

/// A table of so many rows in no order: long and short text, NULLs, numbers, some that are there twice.
fn fill(wire: &mut Wire, rows: u32) {
    for batch in [
        "CREATE DATABASE built COLLATE Latin1_General_100_CI_AS",
        "USE built",
        "CREATE TABLE t (id int NOT NULL, n bigint NULL, s varchar(40) NOT NULL, w nvarchar(40) COLLATE Latin1_General_100_BIN2 NULL, \
            d decimal(18, 4) NULL, long varchar(max) NULL, wide char(850) NOT NULL, twice AS n * 2)",
    ] {
        must(wire, batch);
    }
    must(
        wire,
        &format!(
            "INSERT t (id, n, s, w, d, long, wide) SELECT (CAST(value AS bigint) * 7919) % 1000003, NULLIF(value % 5000, 7), \
                CONCAT(CHAR(65 + value % 26 + 32 * (value % 2)), value), CONCAT(NCHAR(945 + value % 20), value % 777), \
                value / 7.0, CASE WHEN value % 50 = 0 THEN REPLICATE(CONVERT(varchar(max), 'l'), 9000 + value % 100) END, \
                CONCAT('wide ', value % 1000) FROM GENERATE_SERIES(1, {rows})"
        ),
    );
}

const SUMS: &str = "COUNT_BIG(*) * 1000 + SUM(CAST(CHECKSUM(id, n, s) AS bigint))";

/// The index called `made` has the rows of the table that pass `filter`, and CHECKTABLE finds it in order and whole.
fn agrees(wire: &mut Wire, index: &str, filter: &str) {
    let by_index = one(wire, &format!("SELECT {SUMS} FROM t WITH (INDEX (made)) WHERE {filter}"));
    let by_table = one(wire, &format!("SELECT {SUMS} FROM t WITH (INDEX (0)) WHERE {filter}"));
    assert_eq!(by_index, by_table, "{index}");
    must(wire, "DBCC CHECKTABLE ('t') WITH NO_INFOMSGS");
}

#[test]
fn every_kind_of_index_has_the_rows_of_its_table() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    fill(&mut wire, 6_000);
    for base in ["", "CREATE CLUSTERED INDEX base ON t (s DESC, id)", "CREATE UNIQUE CLUSTERED INDEX base ON t (id)"] {
        if !base.is_empty() {
            must(&mut wire, base);
        }
        for (index, filter) in [
            ("CREATE INDEX made ON t (n)", "1 = 1"),
            ("CREATE UNIQUE INDEX made ON t (id DESC)", "1 = 1"),
            ("CREATE UNIQUE INDEX made ON t (w, s DESC, id)", "1 = 1"),
            ("CREATE INDEX made ON t (d) INCLUDE (s, n) WHERE n > 2500", "n > 2500"),
            ("CREATE INDEX made ON t (s) WHERE n IS NULL", "n IS NULL"),
            ("CREATE INDEX made ON t (n) WHERE id >= 500000 AND id < 700000", "id >= 500000 AND id < 700000"),
            (
                "CREATE INDEX made ON t (n) WHERE id IN (7919, 15838, 999999) AND n > 1",
                "id IN (7919, 15838, 999999) AND n > 1",
            ),
            ("CREATE INDEX made ON t (n, s) WHERE s >= 'M'", "s >= 'M'"),
            (
                "CREATE INDEX made ON t (n) INCLUDE (w) WITH (SORT_IN_TEMPDB = ON, FILLFACTOR = 30, PAD_INDEX = ON)",
                "1 = 1",
            ),
            ("CREATE INDEX made ON t (wide, s, w)", "1 = 1"),
        ] {
            must(&mut wire, index);
            agrees(&mut wire, index, filter);
            must(&mut wire, "ALTER INDEX made ON t REBUILD");
            agrees(&mut wire, index, filter);
            must(&mut wire, "DROP INDEX made ON t");
        }
        if !base.is_empty() {
            must(&mut wire, "CREATE INDEX made ON t (n)");
            must(&mut wire, "ALTER INDEX base ON t REBUILD");
            agrees(&mut wire, base, "1 = 1");
            must(&mut wire, "DROP INDEX base ON t");
            agrees(&mut wire, base, "1 = 1");
            must(&mut wire, "ALTER TABLE t REBUILD");
            agrees(&mut wire, base, "1 = 1");
            must(&mut wire, "DROP INDEX made ON t");
        }
    }
    must(&mut wire, "SET QUOTED_IDENTIFIER ON; CREATE INDEX made ON t (twice)");
    agrees(&mut wire, "a computed column", "1 = 1");
    assert_eq!(one(&mut wire, "SELECT SUM(twice) - 2 * SUM(n) FROM t WITH (INDEX (made))"), 0);
    must(&mut wire, "ALTER TABLE t ADD CONSTRAINT key_of_t PRIMARY KEY (id), CONSTRAINT alone UNIQUE (s, id)");
    agrees(&mut wire, "a key", "1 = 1");
    must(&mut wire, "ALTER TABLE t ALTER COLUMN d decimal(20, 4) NULL");
    agrees(&mut wire, "another type", "1 = 1");
    // None, and one.
    for rows in [0, 1] {
        must(&mut wire, &format!("SELECT TOP {rows} id, n, s INTO few FROM t"));
        must(&mut wire, "CREATE UNIQUE CLUSTERED INDEX one ON few (id); CREATE INDEX two ON few (s) INCLUDE (n)");
        assert_eq!(one(&mut wire, "SELECT COUNT(*) FROM few WITH (INDEX (two))"), i64::from(rows));
        must(&mut wire, "DROP TABLE few");
    }
    must(&mut wire, "DBCC CHECKDB WITH NO_INFOMSGS");
}

#[test]
fn a_key_that_is_there_twice_is_named() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    must(&mut wire, "CREATE TABLE twice (a int NULL, b varchar(20) NULL, c int NOT NULL)");
    must(
        &mut wire,
        "INSERT twice VALUES (1, 'x', 1), (2, 'y', 2), (2, 'Y', 3), (NULL, 'z', 4), (NULL, 'q', 5), (7, 'p', 6), (7, 'p', 7)",
    );
    for (index, name, key) in [
        ("CREATE UNIQUE INDEX u ON twice (a)", "u", "(<NULL>)"),
        ("CREATE UNIQUE INDEX u ON twice (a DESC)", "u", "(7)"),
        ("CREATE UNIQUE INDEX u ON twice (b)", "u", "(p)"),
        ("CREATE UNIQUE INDEX u ON twice (b DESC)", "u", "(y)"),
        ("CREATE UNIQUE INDEX u ON twice (a, b)", "u", "(2, y)"),
        ("CREATE UNIQUE INDEX u ON twice (a, b) WHERE a > 5", "u", "(7, p)"),
        ("CREATE UNIQUE CLUSTERED INDEX u ON twice (b)", "u", "(p)"),
        ("ALTER TABLE twice ADD CONSTRAINT k UNIQUE (a)", "k", "(<NULL>)"),
    ] {
        let answer = wire.query(index);
        let told = answer.errors.first().expect(index);
        let expected = format!(
            "The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name 'dbo.twice' and the index name \
            '{name}'. The duplicate key value is {key}."
        );
        assert_eq!((told.0, &told.2), (1505, &expected), "{index}");
        assert_eq!(
            one(&mut wire, "SELECT COUNT(*) FROM sys.indexes WHERE object_id = OBJECT_ID('twice')"),
            1,
            "{index}"
        );
    }
    must(&mut wire, "CREATE UNIQUE INDEX u ON twice (c); CREATE UNIQUE INDEX v ON twice (a, c) WHERE a > 0");
    assert_eq!(one(&mut wire, "SELECT COUNT(*) FROM twice WITH (INDEX (u))"), 7);
    must(&mut wire, "DBCC CHECKTABLE ('twice') WITH NO_INFOMSGS");
}

#[test]
fn a_transaction_that_built_dropped_and_rebuilt_leaves_what_was() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    fill(&mut wire, 2_000);
    must(&mut wire, "CREATE CLUSTERED INDEX base ON t (id); CREATE INDEX made ON t (n)");
    let indexes =
        "SELECT SUM(index_id * 100000 + type * 1000 + fill_factor) FROM sys.indexes WHERE object_id = OBJECT_ID('t')";
    let (before, rows) = (one(&mut wire, indexes), one(&mut wire, &format!("SELECT {SUMS} FROM t")));
    for commits in [false, true] {
        must(&mut wire, "BEGIN TRAN");
        for batch in [
            "ALTER INDEX ALL ON t REBUILD WITH (FILLFACTOR = 40)",
            "CREATE UNIQUE INDEX more ON t (id, s)",
            "SAVE TRAN here",
            "DROP INDEX base ON t",
            "INSERT t (id, s, wide) VALUES (-1, 'new', '')",
            "ALTER TABLE t REBUILD",
            "CREATE CLUSTERED INDEX other ON t (s)",
            "DROP INDEX made ON t",
            "ROLLBACK TRAN here",
            "ALTER INDEX made ON t REBUILD",
            "DROP INDEX more ON t",
            "ALTER INDEX ALL ON t REBUILD WITH (FILLFACTOR = 100)",
            "SELECT id, s INTO copied FROM t",
        ] {
            must(&mut wire, batch);
        }
        agrees(&mut wire, "within", "1 = 1");
        must(&mut wire, if commits { "COMMIT" } else { "ROLLBACK" });
        agrees(&mut wire, "after", "1 = 1");
        assert_eq!(one(&mut wire, &format!("SELECT {SUMS} FROM t")), rows);
        assert_eq!(one(&mut wire, "SELECT ISNULL(OBJECT_ID('copied'), 0)") != 0, commits);
        assert_eq!(one(&mut wire, indexes) == before, !commits, "the fill factor is kept by the commit alone");
    }
    must(&mut wire, "DBCC CHECKDB WITH NO_INFOMSGS");
}

#[test]
fn a_kill_in_the_middle_leaves_the_old_state_or_the_new() {
    let data = scratch("index-build-killed");
    let data = data.to_str().expect("a path");
    let server = Server::start_on(data, &[]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    fill(&mut wire, 8_000);
    must(&mut wire, "CHECKPOINT");
    let rows = one(&mut wire, &format!("SELECT {SUMS} FROM t"));
    drop(wire);
    let mut server = server;
    for round in 0_u64..8 {
        let statement = [
            "CREATE INDEX made ON t (s, n) INCLUDE (w)",
            "CREATE CLUSTERED INDEX made ON t (s)",
            "CREATE UNIQUE INDEX made ON t (id)",
            "BEGIN TRAN; CREATE INDEX made ON t (wide, n); ALTER TABLE t REBUILD; ALTER INDEX made ON t REBUILD; WAITFOR DELAY '0:0:5'",
        ][round as usize % 4];
        let port = server.port;
        let asks = std::thread::spawn(move || {
            if let Some(mut wire) = Wire::open(port, "built") {
                wire.query(statement);
            }
        });
        std::thread::sleep(Duration::from_millis(200 + round * 397 % 900));
        server.kill();
        asks.join().expect("the client has seen its server go");
        server = Server::start_on(data, &[]);
        let mut wire = Wire::open(server.port, "built").expect("logged in");
        must(&mut wire, "DBCC CHECKDB WITH NO_INFOMSGS");
        assert_eq!(one(&mut wire, &format!("SELECT {SUMS} FROM t")), rows, "round {round}");
        let made = one(&mut wire, "SELECT COUNT(*) FROM sys.indexes WHERE name = 'made'");
        println!("round {round}: made {made}");
        assert!(made == 0 || round % 4 != 3, "what was not committed is gone");
        if made == 1 {
            agrees(&mut wire, statement, "1 = 1");
            must(&mut wire, "DROP INDEX made ON t");
        }
    }
}

/// Runs a batch that may not wait long; whether it had to wait.
fn waits(wire: &mut Wire, batch: &str) -> bool {
    let answer = wire.query(&format!("SET LOCK_TIMEOUT 100; {batch}"));
    let waited = answer.errors.iter().any(|told| told.0 == 1222);
    assert!(waited || answer.errors.is_empty(), "{batch}: {:?}", answer.errors);
    waited
}

/// "An offline index operation that creates a nonclustered index acquires a Shared (S) lock on the table. This prevents updates to the
/// underlying table but allows read operations": https://learn.microsoft.com/sql/t-sql/statements/create-index-transact-sql
#[test]
fn who_builds_an_index_lets_others_read_and_build_theirs() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    fill(&mut wire, 3_000);
    must(&mut wire, "CREATE CLUSTERED INDEX base ON t (id)");
    let mut other = Wire::open(server.port, "built").expect("logged in");
    for ends in ["ROLLBACK", "COMMIT"] {
        must(&mut wire, "BEGIN TRAN; CREATE INDEX made ON t (n) INCLUDE (s)");
        assert!(!waits(&mut other, "SELECT COUNT_BIG(*), SUM(n) FROM t"));
        assert!(!waits(&mut other, "SELECT COUNT_BIG(*) FROM t WITH (HOLDLOCK, TABLOCK)"));
        assert!(waits(&mut other, "UPDATE t SET n = n + 1 WHERE id < 100"));
        assert!(waits(&mut other, "ALTER TABLE t ADD more int NULL"));
        assert!(waits(&mut other, "CREATE INDEX MADE ON t (s)"), "the name is being given");
        assert!(waits(&mut other, "CREATE INDEX other ON t (s)"), "what the table is made of is being changed");
        must(&mut wire, ends);
    }
    agrees(&mut wire, "alone", "1 = 1");
    let answer = other.query("CREATE INDEX MADE ON t (s)");
    assert_eq!(answer.errors.first().map(|told| told.0), Some(1913));
    must(&mut other, "DROP INDEX made ON t");

    // Rebuilt beside readers, who are waited for at the end.
    must(&mut wire, "CREATE INDEX made ON t (n); BEGIN TRAN; SELECT TOP 1 id FROM t WITH (REPEATABLEREAD)");
    assert!(waits(&mut other, "ALTER INDEX made ON t REBUILD"));
    assert!(waits(&mut other, "ALTER INDEX made ON t REBUILD WITH (ONLINE = ON)"));
    must(&mut wire, "ROLLBACK");
    assert!(!waits(&mut other, "ALTER INDEX made ON t REBUILD WITH (ONLINE = ON)"));
    agrees(&mut wire, "rebuilt", "1 = 1");
    must(&mut wire, "DROP INDEX made ON t");
    // "Index reorganize is always performed online":
    // https://learn.microsoft.com/sql/relational-databases/indexes/reorganize-and-rebuild-indexes
    must(&mut wire, "BEGIN TRAN; UPDATE t SET n = n WHERE id < 1000");
    assert!(!waits(&mut other, "ALTER INDEX ALL ON t REORGANIZE"));
    must(&mut wire, "ROLLBACK");

    // Several at once, some of one name, with writers between them.
    must(&mut other, "SET LOCK_TIMEOUT -1");
    let port = server.port;
    let builders: Vec<_> = (0..6)
        .map(|number| {
            std::thread::spawn(move || {
                let mut wire = Wire::open(port, "built").expect("logged in");
                let name = if number < 4 { format!("made{number}") } else { "twin".to_owned() };
                let key = ["n", "s", "w, id", "d", "n, s", "s, n"][number];
                let answer = wire.query(&format!("CREATE INDEX {name} ON t ({key})"));
                answer.errors.first().map(|told| told.0)
            })
        })
        .collect();
    for round in 0..20 {
        must(
            &mut other,
            &format!(
                "UPDATE t SET n = {round} WHERE id % 20 = {round}; INSERT t (id, n, s, wide) VALUES (-{round} - 1, 5, 'x', '')"
            ),
        );
    }
    let told: Vec<_> = builders.into_iter().map(|builder| builder.join().expect("no panic")).collect();
    assert_eq!(told[..4], [None; 4]);
    assert_eq!(told[4..].iter().filter(|error| **error == Some(1913)).count(), 1, "one of two has the name: {told:?}");
    assert_eq!(one(&mut wire, "SELECT COUNT(DISTINCT index_id) FROM sys.indexes WHERE object_id = OBJECT_ID('t')"), 6);
    for index in ["made0", "made1", "made2", "made3", "twin"] {
        let by_index = one(&mut wire, &format!("SELECT {SUMS} FROM t WITH (INDEX ({index}))"));
        assert_eq!(by_index, one(&mut wire, &format!("SELECT {SUMS} FROM t WITH (INDEX (0))")), "{index}");
    }
    must(&mut wire, "DBCC CHECKDB WITH NO_INFOMSGS");
}

/// https://learn.microsoft.com/sql/relational-databases/indexes/how-online-index-operations-work
#[test]
fn an_index_that_is_built_online_has_what_is_written_meanwhile() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    fill(&mut wire, 20_000);
    // A statement reads all of one moment.
    must(&mut wire, "ALTER DATABASE built SET READ_COMMITTED_SNAPSHOT ON");
    for (round, base) in [(1, "CREATE UNIQUE CLUSTERED INDEX base ON t (id)"), (2, "DROP INDEX base ON t")] {
        must(&mut wire, base);
        let over = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let port = server.port;
        let writers: Vec<_> = (0..3_u64)
            .map(|number| {
                let over = over.clone();
                std::thread::spawn(move || {
                    let mut wire = Wire::open(port, "built").expect("logged in");
                    let mut done = 0;
                    while !over.load(std::sync::atomic::Ordering::SeqCst) || done < 20 {
                        let (id, end) = (number * 300_000 + done * 7919 % 300_000, if done % 5 == 0 { "ROLLBACK" } else { "COMMIT" });
                        let answer = wire.query(
                            &format!(
                                "BEGIN TRAN; UPDATE t SET n = {done}, s = CONCAT('new ', id) WHERE id BETWEEN {id} AND {id} + 300; \
                                DELETE t WHERE id BETWEEN {id} + 350 AND {id} + 400; \
                                INSERT t (id, n, s, w, wide) VALUES ({} - {number}, {done}, 'more', N'm', ''); {end}",
                                round * -1_000_000 - 10 * done as i64
                            ),
                        );
                        // Without an index an UPDATE looks at the rows of others.
                        let told = answer.errors.first().map(|told| told.0);
                        assert!(told.is_none() || told == Some(1205) && round == 2, "{:?}", answer.errors);
                        done += 1;
                    }
                    done
                })
            })
            .collect();
        for (index, filter) in [
            ("CREATE INDEX made ON t (n) INCLUDE (w) WITH (ONLINE = ON)", "1 = 1"),
            (
                "CREATE UNIQUE INDEX made ON t (id, s, n) WITH (ONLINE = ON (WAIT_AT_LOW_PRIORITY (MAX_DURATION = 1, ABORT_AFTER_WAIT = SELF)))",
                "1 = 1",
            ),
            ("CREATE INDEX made ON t (s) WHERE n > 10 WITH (ONLINE = ON)", "n > 10"),
        ] {
            must(&mut wire, index);
            must(&mut wire, "ALTER INDEX made ON t REBUILD WITH (ONLINE = ON)");
            let differ = format!(
                "SELECT COUNT(*) FROM (SELECT {SUMS} AS a FROM t WITH (INDEX (made)) WHERE {filter}) x \
                JOIN (SELECT {SUMS} AS b FROM t WITH (INDEX (0)) WHERE {filter}) y ON x.a <> y.b"
            );
            assert_eq!(one(&mut wire, &differ), 0, "{index}");
            must(&mut wire, "DBCC CHECKTABLE ('t') WITH NO_INFOMSGS");
            must(&mut wire, "DROP INDEX made ON t");
        }
        over.store(true, std::sync::atomic::Ordering::SeqCst);
        let written: u64 = writers.into_iter().map(|writer| writer.join().expect("no panic")).sum();
        println!("{written} transactions beside three indexes");
        must(&mut wire, "DBCC CHECKDB WITH NO_INFOMSGS");
    }
    // Who has changed the table itself, and who finds a key twice.
    must(&mut wire, "BEGIN TRAN; INSERT t (id, n, s, wide) VALUES (-1, 1, 'own', '')");
    must(&mut wire, "CREATE INDEX made ON t (s) WITH (ONLINE = ON)");
    agrees(&mut wire, "one's own row", "1 = 1");
    must(&mut wire, "ROLLBACK");
    let answer = wire.query("CREATE UNIQUE INDEX made ON t (s) WITH (ONLINE = ON)");
    assert_eq!(answer.errors.first().map(|told| told.0), Some(1505));
    must(&mut wire, "DBCC CHECKDB WITH NO_INFOMSGS");
}
