//! Limits that an administrator sets: what a query may cost, how long a request may take, how long a session may ask for nothing.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::time::{Duration, Instant};

use support::Server;
use support::wire::{Wire, must, one};

/// Above a limit of a second: the server looks twice a second, and the machine is busy.
const SOON: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 4 });

fn configure(wire: &mut Wire, option: &str, value: i64) {
    must(wire, "EXEC sp_configure 'show advanced options', 1; RECONFIGURE");
    must(wire, &format!("EXEC sp_configure '{option}', {value}; RECONFIGURE"));
}

/// The text of the error that a batch ends with.
fn refused(wire: &mut Wire, batch: &str, number: i32) -> String {
    let answer = wire.query(batch);
    let error = answer.errors.first().unwrap_or_else(|| panic!("{batch}: no error"));
    assert_eq!(error.0, number, "{batch}: {error:?}");
    error.2.clone()
}

const COSTLY: &str = "SELECT COUNT_BIG(*) FROM a x CROSS JOIN a y CROSS JOIN a z";

/// https://learn.microsoft.com/sql/database-engine/configure-windows/configure-the-query-governor-cost-limit-server-configuration-option
/// and .../t-sql/statements/set-query-governor-cost-limit-transact-sql
#[test]
fn a_query_that_would_cost_too_much_does_not_begin() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    must(&mut wire, "CREATE DATABASE costs; ");
    let mut user = Wire::open(server.port, "costs").expect("logged in");
    must(
        &mut user,
        "CREATE TABLE a (id int NOT NULL PRIMARY KEY); INSERT a SELECT value FROM GENERATE_SERIES(1, 3000)",
    );
    configure(&mut wire, "query governor cost limit", 5);
    let begun = Instant::now();
    let text = refused(&mut user, COSTLY, 8649);
    assert!(begun.elapsed() < SOON);
    let words: Vec<&str> = text.split(['(', ')']).collect();
    assert_eq!(words[0], "The query has been canceled because the estimated cost of this query ");
    assert!(words[1].parse::<i64>().expect("a whole number") > 5, "{text}");
    assert_eq!(words[2], " exceeds the configured threshold of 5. Contact the system administrator.");
    // Whatever the query is in: a cursor, a condition, a change, a function, SELECT INTO.
    for batch in [
        format!("IF ({COSTLY}) > 5 SELECT 1"),
        format!("DECLARE @n bigint = ({COSTLY})"),
        format!("DECLARE c CURSOR STATIC FOR {COSTLY}; OPEN c"),
        "INSERT a SELECT x.id FROM a x CROSS JOIN a y CROSS JOIN a z".into(),
        "DELETE x FROM a x CROSS JOIN a y CROSS JOIN a z".into(),
        "SELECT x.id INTO b FROM a x CROSS JOIN a y CROSS JOIN a z".into(),
    ] {
        refused(&mut user, &batch, 8649);
    }
    assert_eq!(one(&mut user, "SELECT COUNT(*) FROM a"), 3000);
    // What costs little goes on, and so does the batch after a refusal, as after other errors of severity 17.
    assert_eq!(
        one(
            &mut user,
            "BEGIN TRY EXEC ('SELECT COUNT(*) FROM a x CROSS JOIN a y CROSS JOIN a z') END TRY BEGIN CATCH SELECT ERROR_NUMBER() END CATCH"
        ),
        8649
    );
    // A session's own limit, in place of the server's.
    must(&mut user, "SET QUERY_GOVERNOR_COST_LIMIT 7.9");
    assert!(refused(&mut user, COSTLY, 8649).contains("threshold of 7."));
    must(&mut user, "SET QUERY_GOVERNOR_COST_LIMIT -3");
    assert_eq!(one(&mut user, COSTLY), 27_000_000_000);
    configure(&mut wire, "query governor cost limit", 0);
    let mut other = Wire::open(server.port, "costs").expect("logged in");
    assert_eq!(one(&mut other, COSTLY), 27_000_000_000);
}

#[test]
fn only_a_sysadmin_lifts_the_limit_of_costs() {
    let server = Server::start(&["--no-password-policy"]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    must(&mut wire, "CREATE LOGIN low WITH PASSWORD = 'x', CHECK_POLICY = OFF");
    let answer = wire.query("EXECUTE AS LOGIN = 'low'; SET QUERY_GOVERNOR_COST_LIMIT 0");
    assert_eq!(answer.errors[0].0, 15247, "{answer:?}");
}

/// Ways in which a request takes long.
const LONG: [&str; 5] = [
    "SELECT COUNT_BIG(*) FROM t x CROSS JOIN t y CROSS JOIN t z WHERE x.v + y.v + z.v < 0",
    "WAITFOR DELAY '00:05:00'",
    "WHILE 1 = 1 BEGIN UPDATE t SET v = v + 1 WHERE id = 1; UPDATE t SET v = v - 1 WHERE id = 1 END",
    "UPDATE locked SET v = 1",
    "BEGIN TRY WAITFOR DELAY '00:05:00' END TRY BEGIN CATCH SELECT 1 / 0 END CATCH",
];

#[test]
fn a_request_that_takes_too_long_is_stopped() {
    for workers in ["fiber", "thread"] {
        let server = Server::start(&["--workers", workers]);
        let mut wire = Wire::open(server.port, "master").expect("logged in");
        must(&mut wire, "CREATE DATABASE slow");
        let mut user = Wire::open(server.port, "slow").expect("logged in");
        must(&mut user, "CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int NOT NULL); CREATE TABLE locked (v int)");
        must(&mut user, "INSERT t SELECT value, 0 FROM GENERATE_SERIES(1, 2000); INSERT locked VALUES (0)");
        let mut holder = Wire::open(server.port, "slow").expect("logged in");
        must(&mut holder, "BEGIN TRAN; UPDATE locked SET v = 5");
        configure(&mut wire, "request time limit (s)", 1);
        for batch in LONG {
            must(&mut user, "BEGIN TRAN; INSERT locked VALUES (7)");
            let begun = Instant::now();
            let answer = user.query(batch);
            let took = begun.elapsed();
            println!("{took:>8.1?}  {batch} ({workers})");
            assert!(took > Duration::from_millis(900) && took < SOON, "{batch}: {took:?}");
            assert_eq!(answer.errors.len(), 1, "{batch}: {answer:?}");
            let (number, severity, text) = &answer.errors[0];
            assert_eq!((*number, *severity), (10961, 16), "{batch}: {text}");
            assert!(text.contains("exceeded the limit of its elapsed time, 1 seconds"), "{text}");
            assert!(!answer.cancelled && !answer.closed, "{batch}");
            // As after an attention: the transaction goes on.
            assert_eq!(one(&mut user, "SELECT @@TRANCOUNT"), 1, "{batch}");
            must(&mut user, "ROLLBACK");
            assert_eq!(one(&mut user, "SELECT MAX(v) FROM t"), 0, "{batch}");
        }
        must(&mut user, "SET XACT_ABORT ON; BEGIN TRAN; INSERT locked VALUES (7)");
        refused(&mut user, LONG[1], 10961);
        assert_eq!(one(&mut user, "SELECT @@TRANCOUNT"), 0);
        // What takes less does not notice.
        assert_eq!(one(&mut user, "WAITFOR DELAY '00:00:00.3'; SELECT 5"), 5);
        configure(&mut wire, "request time limit (s)", 0);
        assert_eq!(one(&mut user, "WAITFOR DELAY '00:00:02'; SELECT 6"), 6);
    }
}

#[test]
fn a_session_that_asks_for_nothing_ends() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    must(&mut wire, "CREATE DATABASE idle");
    let mut user = Wire::open(server.port, "idle").expect("logged in");
    must(&mut user, "CREATE TABLE t (v int); INSERT t VALUES (1); BEGIN TRAN; UPDATE t SET v = 2");
    let session = one(&mut user, "SELECT CONVERT(int, @@SPID)");
    configure(&mut wire, "idle session limit (s)", 2);
    let begun = Instant::now();
    let there = format!("SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE session_id = {session}");
    while one(&mut wire, &there) > 0 {
        assert!(begun.elapsed() < SOON, "it is still there");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(begun.elapsed() > Duration::from_secs(1));
    assert!(user.is_closed());
    // Its transaction is gone, and with it its locks; who asks, if only now and then, stays.
    assert_eq!(one(&mut wire, "SELECT v FROM idle.dbo.t"), 1);
    // A request that takes long is no idle session.
    assert_eq!(one(&mut wire, "WAITFOR DELAY '00:00:04'; SELECT 7"), 7);
    configure(&mut wire, "idle session limit (s)", 0);
    let mut rests = Wire::open(server.port, "idle").expect("logged in");
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(one(&mut rests, "SELECT 8"), 8);
}

/// Memory is divided among pools, CPU time and I/O are not: a setting that would do nothing is refused by its name.
/// https://learn.microsoft.com/sql/t-sql/statements/create-resource-pool-transact-sql
#[test]
fn settings_of_pools_take_effect_or_are_refused() {
    let server = Server::start(&["--memory", "256MB"]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    for (setting, usual) in [
        ("MAX_CPU_PERCENT = 50", "MAX_CPU_PERCENT = 100"),
        ("CAP_CPU_PERCENT = 50", "CAP_CPU_PERCENT = 100"),
        ("MIN_CPU_PERCENT = 10", "MIN_CPU_PERCENT = 0"),
        ("MIN_IOPS_PER_VOLUME = 5", "MIN_IOPS_PER_VOLUME = 0"),
        ("MAX_IOPS_PER_VOLUME = 50", "MAX_IOPS_PER_VOLUME = 0"),
    ] {
        let name = setting.split(' ').next().expect("a name");
        let text = refused(&mut wire, &format!("CREATE RESOURCE POOL wrong WITH ({setting})"), 40510);
        assert!(text.contains(name), "{text}");
        refused(&mut wire, &format!("ALTER RESOURCE POOL [default] WITH ({setting})"), 40510);
        must(&mut wire, &format!("CREATE RESOURCE POOL usual WITH ({usual}); DROP RESOURCE POOL usual"));
    }
    assert_eq!(one(&mut wire, "SELECT COUNT(*) FROM sys.resource_governor_resource_pools"), 2);
    // What others have at least, a pool cannot have: 60 % of 100 % are left of what there is.
    must(&mut wire, "CREATE RESOURCE POOL kept WITH (MIN_MEMORY_PERCENT = 40)");
    must(&mut wire, "CREATE RESOURCE POOL other WITH (MAX_MEMORY_PERCENT = 90)");
    let limit = |wire: &mut Wire, name: &str| {
        one(wire, &format!("SELECT max_memory_kb FROM sys.dm_resource_governor_resource_pools WHERE name = '{name}'"))
    };
    let all = limit(&mut wire, "default");
    must(&mut wire, "ALTER RESOURCE GOVERNOR RECONFIGURE");
    for (name, percent) in [("kept", 100), ("other", 60), ("default", 60)] {
        let seen = limit(&mut wire, name);
        assert!((seen - all * percent / 100).abs() < all / 50, "{name}: {seen} KB of {all}");
    }
    must(&mut wire, "ALTER RESOURCE POOL kept WITH (MIN_MEMORY_PERCENT = 0); ALTER RESOURCE GOVERNOR RECONFIGURE");
    assert!(limit(&mut wire, "other") > all * 85 / 100);
    // Groups are in the default pool.
    let text = refused(&mut wire, "CREATE WORKLOAD GROUP g USING kept", 40510);
    assert!(text.contains("WORKLOAD GROUP USING [kept]"), "{text}");
    refused(&mut wire, "CREATE WORKLOAD GROUP g USING nowhere", 10911);
}

/// Whatever a statement waits for, SET LOCK_TIMEOUT bounds the wait: 1222, and the statement is undone.
/// https://learn.microsoft.com/sql/t-sql/statements/set-lock-timeout-transact-sql
#[test]
fn lock_timeout_bounds_every_wait_for_a_lock() {
    let server = Server::start(&[]);
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    must(&mut wire, "CREATE DATABASE waits");
    let mut holder = Wire::open(server.port, "waits").expect("logged in");
    must(&mut holder, "CREATE TABLE t (id int NOT NULL PRIMARY KEY, v int NOT NULL); INSERT t VALUES (1, 1), (2, 2)");
    must(&mut holder, "CREATE TABLE shape (v int NOT NULL); INSERT shape VALUES (1)");
    must(&mut holder, "CREATE TABLE child (id int NOT NULL REFERENCES t (id))");
    must(
        &mut holder,
        "BEGIN TRAN; UPDATE t SET v = 5 WHERE id = 1; ALTER TABLE shape ADD more int NULL; \
        DECLARE @r int; EXEC @r = sp_getapplock 'mine', 'Exclusive'",
    );
    let mut user = Wire::open(server.port, "waits").expect("logged in");
    for timeout in [0, 300] {
        must(&mut user, &format!("SET LOCK_TIMEOUT {timeout}"));
        assert_eq!(one(&mut user, "SELECT @@LOCK_TIMEOUT"), timeout);
        for batch in [
            "SELECT v FROM t WHERE id = 1",
            "SELECT COUNT(*) FROM t WITH (HOLDLOCK)",
            "UPDATE t SET v = 7",
            "DELETE t WHERE id = 1",
            "INSERT child VALUES (1)",
            "MERGE t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE;",
            "TRUNCATE TABLE child; TRUNCATE TABLE shape",
            "DROP TABLE shape",
            "CREATE INDEX i ON t (v)",
            "ALTER TABLE t ADD more int NULL",
            "SELECT * INTO copied FROM t",
            "SELECT COUNT(*) FROM shape",
            "INSERT shape VALUES (2)",
            "DECLARE c CURSOR STATIC FOR SELECT v FROM t; OPEN c",
            "EXEC ('UPDATE t SET v = 8 WHERE id = 1')",
        ] {
            let begun = Instant::now();
            refused(&mut user, batch, 1222);
            let took = begun.elapsed();
            assert!(took >= Duration::from_millis(timeout as u64) && took < SOON, "{batch}: {took:?}");
            must(&mut user, "IF CURSOR_STATUS('global', 'c') > -3 DEALLOCATE c");
        }
        // "sp_getapplock": the default of @LockTimeout is what @@LOCK_TIMEOUT says; -1 is a time-out.
        let lock = "DECLARE @r int; EXEC @r = sp_getapplock 'mine', 'Exclusive', 'Session'; SELECT @r";
        assert_eq!(one(&mut user, lock), -1);
        assert_eq!(one(&mut user, "SELECT v FROM t WITH (READPAST)"), 2);
        assert_eq!(one(&mut user, "SELECT v FROM t WITH (NOLOCK) WHERE id = 1"), 5);
    }
    // A hint is for its table, whatever the session waits; a module gives the caller's time-out back.
    must(&mut user, "SET LOCK_TIMEOUT -1");
    refused(&mut user, "SELECT v FROM t WITH (NOWAIT) WHERE id = 1", 1222);
    must(&mut user, "EXEC ('SET LOCK_TIMEOUT 50')");
    assert_eq!(one(&mut user, "SELECT @@LOCK_TIMEOUT"), -1);
    // In a transaction it is the statement that ends, and a CATCH hears of it.
    must(&mut user, "SET LOCK_TIMEOUT 100; BEGIN TRAN; UPDATE t SET v = 9 WHERE id = 2");
    assert_eq!(
        one(&mut user, "BEGIN TRY UPDATE t SET v = 9 END TRY BEGIN CATCH SELECT ERROR_NUMBER() END CATCH"),
        1222
    );
    assert_eq!(one(&mut user, "SELECT XACT_STATE()"), 1);
    must(&mut user, "COMMIT");
    must(&mut holder, "ROLLBACK");
    assert_eq!(one(&mut user, "SELECT SUM(v) FROM t"), 10);
    assert_eq!(one(&mut user, "SELECT COUNT(*) FROM sys.tables WHERE name IN ('copied', 'shape')"), 1);
}
