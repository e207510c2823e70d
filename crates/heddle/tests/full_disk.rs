//! A disk that is full, of data or of log: a statement that finds no room fails whole, nothing is lost, and DELETE, TRUNCATE, DROP and
//! CHECKPOINT lead out of it. The server has a small file system of its own.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::wire::{Answer, Wire, must, one};
use support::{PASSWORD, Server, binary, scratch};

const DISK_MB: u32 = 288;

/// A server on a file system of this size, which goes with it. Mounted in a namespace: that needs no rights.
fn start(name: &str) -> Server {
    let data = scratch(name);
    let mut command = Command::new("unshare");
    let mount = format!("mount -t tmpfs -o size={DISK_MB}m tmpfs \"$1\" && shift && exec \"$@\"");
    command.args(["-rm", "sh", "-c", &mount, "sh"]).arg(&data).arg(binary().get_program());
    command.args(["serve", "--data"]).arg(data.join("data"));
    command.args(["--listen", "127.0.0.1:0", "--sa-password", PASSWORD, "--admin-listen", "off"]);
    command.stderr(Stdio::inherit());
    Server::start_command(command, "127.0.0.1")
}

fn is_full(answer: &Answer) -> bool {
    assert!(!answer.closed, "the session goes on: {answer:?}");
    assert!(answer.errors.iter().all(|error| matches!(error.0, 1105 | 9002 | 3621)), "{answer:?}");
    !answer.errors.is_empty()
}

fn reuse_wait(wire: &mut Wire) -> String {
    let rows = must(wire, "SELECT log_reuse_wait_desc FROM sys.databases WHERE name = 'tight'");
    types::collation::code_page::utf16_to_string(rows[0][0].as_bytes())
}

/// Adds rows until there is no room. How many there are.
fn fill(wire: &mut Wire, table: &str) -> i64 {
    let more = format!("INSERT {table} (c) SELECT REPLICATE('y', 3000) FROM GENERATE_SERIES(1, 500)");
    for _ in 0..2000 {
        let answer = wire.query(&more);
        if is_full(&answer) {
            return one(wire, &format!("SELECT COUNT(*) FROM {table}"));
        }
    }
    panic!("the disk has no end");
}

/// What was freed comes back in the background.
fn until_there_is_room(wire: &mut Wire, insert: &str) -> Duration {
    let begun = Instant::now();
    while is_full(&wire.query(insert)) {
        assert!(begun.elapsed() < Duration::from_secs(60), "no room after {:?}", begun.elapsed());
        std::thread::sleep(Duration::from_millis(50));
    }
    begun.elapsed()
}

fn prepare(wire: &mut Wire) {
    for batch in [
        "CREATE DATABASE tight",
        "USE tight",
        "CREATE TABLE kept (id int PRIMARY KEY, v int NOT NULL)",
        "INSERT kept SELECT value, value * 3 FROM GENERATE_SERIES(1, 20000)",
        "CREATE TABLE wide (id int IDENTITY PRIMARY KEY, c varchar(4000) NOT NULL)",
        "INSERT wide (c) SELECT REPLICATE('x', 3500) FROM GENERATE_SERIES(1, 15000)",
        "CREATE TABLE other (id int IDENTITY PRIMARY KEY, c varchar(4000) NOT NULL)",
        "INSERT other (c) SELECT REPLICATE('x', 3000) FROM GENERATE_SERIES(1, 2000)",
    ] {
        must(wire, batch);
    }
}

const KEPT: &str = "SELECT COUNT_BIG(*) * 1000000000 + SUM(CAST(v AS bigint)) FROM kept";

/// Pages that work files have.
const SPILLED: &str = "EXEC tempdb.sys.sp_executesql \
    N'SELECT SUM(internal_object_reserved_page_count) FROM sys.dm_db_file_space_usage'";

#[test]
fn a_statement_that_finds_no_room_fails_whole_and_there_are_ways_out() {
    let server = start("full-disk");
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    prepare(&mut wire);
    let kept = one(&mut wire, KEPT);
    for statement in [
        "INSERT wide (c) SELECT REPLICATE('z', 3500) FROM GENERATE_SERIES(1, 200000)",
        "SELECT a.id, a.c INTO copied FROM wide a CROSS JOIN GENERATE_SERIES(1, 20) b",
        "BEGIN TRAN; CREATE INDEX made ON wide (id) INCLUDE (c); \
            INSERT wide (c) SELECT a.c FROM wide a CROSS JOIN GENERATE_SERIES(1, 20) b",
        "ALTER TABLE wide ADD d char(3500) NOT NULL DEFAULT CONVERT(varchar(40), NEWID())",
        "UPDATE wide SET c = REPLICATE('u', 3900); \
            INSERT wide (c) SELECT a.c FROM wide a CROSS JOIN GENERATE_SERIES(1, 20) b",
        "BEGIN TRAN; UPDATE kept SET v = 0; \
            INSERT wide (c) SELECT a.c FROM wide a CROSS JOIN GENERATE_SERIES(1, 20) b",
        "MERGE wide AS t USING (SELECT a.id * 100 + b.value AS id, a.c FROM wide a CROSS JOIN GENERATE_SERIES(1, 20) b) AS s \
            ON t.id = -s.id WHEN NOT MATCHED THEN INSERT (c) VALUES (s.c);",
        "BEGIN TRAN; ALTER TABLE wide ALTER COLUMN c nvarchar(4000) NOT NULL; \
            INSERT wide (c) SELECT a.c FROM wide a CROSS JOIN GENERATE_SERIES(1, 20) b",
        "BEGIN TRAN; ALTER INDEX ALL ON wide REBUILD; \
            INSERT wide (c) SELECT a.c FROM wide a CROSS JOIN GENERATE_SERIES(1, 20) b",
        // Its work file is on that disk as well.
        "SELECT COUNT(*) FROM (SELECT ROW_NUMBER() OVER (ORDER BY a.c, b.value, a.id DESC) AS n, a.c \
            FROM wide a CROSS JOIN GENERATE_SERIES(1, 20) b) x WHERE LEN(c) > 0 OPTION (MAX_GRANT_PERCENT = 0)",
        "CREATE TABLE #own (id int, c varchar(4000)); \
            INSERT #own SELECT a.id, a.c FROM wide a CROSS JOIN GENERATE_SERIES(1, 20) b",
    ] {
        let begun = Instant::now();
        let answer = wire.query(statement);
        println!("{:>8.1?}  {:?}  {statement}", begun.elapsed(), answer.errors.first());
        assert!(is_full(&answer), "{statement}: {answer:?}");
        let in_tempdb = answer.errors.iter().any(|error| error.2.contains("in database 'tempdb'"));
        assert_eq!(in_tempdb, statement.contains('#') || statement.starts_with("SELECT COUNT"), "{answer:?}");
        must(&mut wire, "IF @@TRANCOUNT > 0 ROLLBACK; DROP TABLE IF EXISTS #own");
        assert_eq!(one(&mut wire, SPILLED), 0, "{statement}");
        assert_eq!(one(&mut wire, KEPT), kept, "{statement}");
        assert_eq!(one(&mut wire, "SELECT COUNT(*) FROM wide"), 15000, "{statement}");
        assert_eq!(
            one(&mut wire, "SELECT COUNT(*) FROM sys.columns WHERE name = 'd' OR object_id = OBJECT_ID('copied')"),
            0
        );
        must(&mut wire, "CHECKPOINT");
    }
    must(&mut wire, "DBCC CHECKDB WITH NO_INFOMSGS");

    for (round, way_out) in
        ["DELETE TOP (3000) other WHERE id > 2000", "TRUNCATE TABLE other", "DROP TABLE wide"].iter().enumerate()
    {
        fill(&mut wire, "other");
        if round == 0 {
            an_index_that_finds_no_room_is_named(&mut wire);
        }
        must(&mut wire, way_out);
        must(&mut wire, "CHECKPOINT");
        let waited =
            until_there_is_room(&mut wire, "INSERT other (c) SELECT REPLICATE('w', 3000) FROM GENERATE_SERIES(1, 300)");
        println!("room after {waited:?}: {way_out}");
        assert_eq!(one(&mut wire, KEPT), kept, "round {round}");
    }
    must(&mut wire, "DBCC CHECKDB WITH NO_INFOMSGS");
    fill(&mut wire, "other");
    // A backup that finds no room is refused (3202, 3013).
    let backup = wire.query("BACKUP DATABASE tight TO DISK = 'tight.bak'");
    assert!(backup.errors.iter().any(|error| error.0 == 3013), "{backup:?}");
    assert_eq!(one(&mut wire, KEPT), kept);
    drop(wire);
    let (code, took) = server.stop();
    assert_eq!(code, Some(0), "it ends cleanly on a full disk");
    println!("ended within {took:?}");
}

/// Small indexes take what is left, and go again.
fn an_index_that_finds_no_room_is_named(wire: &mut Wire) {
    let create = |number: i32| format!("CREATE INDEX brim_{number} ON kept (v)");
    let (number, full) = (0..200)
        .map(|number| (number, wire.query(&create(number))))
        .find(|(_, answer)| is_full(answer))
        .expect("the disk has an end");
    println!("index {number}: {:?}", full.errors);
    let named = format!("for object 'dbo.kept'.'brim_{number}' in database 'tight'");
    assert!(full.errors.iter().any(|error| error.0 == 9002 || error.2.contains(&named)), "{full:?}");
    assert_eq!(one(wire, "SELECT COUNT(*) FROM sys.indexes WHERE name LIKE 'brim%'"), i64::from(number));
    (0..number).for_each(|number| drop(must(wire, &format!("DROP INDEX brim_{number} ON kept"))));
}

#[test]
fn a_transaction_that_holds_the_log_is_named_and_leaves_a_way_out() {
    let server = start("full-log");
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    prepare(&mut wire);
    must(&mut wire, "DROP TABLE wide");
    let kept = one(&mut wire, KEPT);
    let mut idle = Wire::open(server.port, "tight").expect("logged in");
    must(&mut idle, "BEGIN TRAN; INSERT kept VALUES (-1, 5)");
    // As long as before, again and again: it is the log that grows.
    let change = "UPDATE other SET c = REPLICATE(CHAR(65 + ABS(CHECKSUM(NEWID())) % 26), LEN(c))";
    let full = (0..500).map(|_| wire.query(change)).find(is_full).expect("the log has an end");
    assert_eq!(full.errors[0].0, 9002, "{full:?}");
    assert!(full.errors[0].2.contains("'tight' is full due to 'ACTIVE_TRANSACTION'"), "{full:?}");
    assert_eq!(reuse_wait(&mut wire), "ACTIVE_TRANSACTION");
    let used = "SELECT CAST(used_log_space_in_bytes / 1048576 AS int) FROM sys.dm_db_log_space_usage";
    assert!(one(&mut wire, used) > 64, "{} MB", one(&mut wire, used));
    let rows = one(&mut wire, "SELECT COUNT(*) FROM other");
    must(&mut wire, "DELETE other WHERE id % 7 = 0");
    assert!(one(&mut wire, "SELECT COUNT(*) FROM other") < rows);
    must(&mut wire, "CHECKPOINT");
    assert!(is_full(&wire.query(change)), "a checkpoint is no way out of that");
    must(&mut idle, "COMMIT");
    let waited = until_there_is_room(&mut wire, change);
    println!("room {waited:?} after the transaction");
    must(&mut wire, "CHECKPOINT");
    assert_eq!(reuse_wait(&mut wire), "NOTHING");
    assert!(one(&mut wire, used) < 64, "{} MB", one(&mut wire, used));
    assert_eq!(one(&mut wire, KEPT), kept + 1_000_000_005);
    must(&mut wire, "DBCC CHECKDB WITH NO_INFOMSGS");
}

/// Under FULL the log is kept for its backup, to the end of the disk; the error says so, and the backup is the way out.
/// https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-9002-database-engine-error
#[test]
fn log_that_waits_for_its_backup_fills_the_disk_and_the_backup_makes_room() {
    let server = start("full-log-backup");
    let backups = scratch("full-log-backups");
    let mut wire = Wire::open(server.port, "master").expect("logged in");
    for batch in [
        "CREATE DATABASE tight",
        "USE tight",
        "CREATE TABLE t (id int IDENTITY PRIMARY KEY, c varchar(4000) NOT NULL)",
        "INSERT t (c) SELECT REPLICATE('x', 3000) FROM GENERATE_SERIES(1, 1500)",
        &format!("BACKUP DATABASE tight TO DISK = '{}'", backups.join("full.bak").display()),
    ] {
        must(&mut wire, batch);
    }
    let update = "UPDATE t SET c = REPLICATE(CHAR(97 + ASCII(c) % 26), 3000)";
    let full = (0..200).map(|_| wire.query(update)).find(is_full).expect("the disk has an end");
    let wanted = "The transaction log for database 'tight' is full due to 'LOG_BACKUP'.";
    assert!(full.errors.iter().any(|error| error.0 == 9002 && error.2 == wanted), "{full:?}");
    assert_eq!(reuse_wait(&mut wire), "LOG_BACKUP");
    let backed_up = wire.query(&format!("BACKUP LOG tight TO DISK = '{}'", backups.join("log.trn").display()));
    assert!(backed_up.errors.is_empty(), "{backed_up:?}");
    assert_ne!(reuse_wait(&mut wire), "LOG_BACKUP");
    until_there_is_room(&mut wire, update);
    // It is in the history, and its chain goes on.
    assert_eq!(one(&mut wire, "SELECT COUNT(*) FROM msdb.dbo.backupset WHERE type = 'L'"), 1);
    let backed_up = wire.query(&format!("BACKUP LOG tight TO DISK = '{}'", backups.join("log.trn").display()));
    assert!(backed_up.errors.is_empty(), "{backed_up:?}");
}
