//! Log backups, differential ones, and restores in steps and to a point in time: what a client was told stands against what comes back.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/backup-transact-sql
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-transact-sql
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/restore-a-sql-server-database-to-a-point-in-time-full-recovery-model
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use lab::client::Connection;
use support::ask::{ask, connect, must, numbers, one, text_of, texts, word};
use support::files::{PAGE, data_file, overwrite};
use support::wire::Wire;
use support::{Server, scratch, target};

fn start(name: &str) -> (Server, PathBuf) {
    let directory = scratch(name);
    (again(&directory), directory)
}

fn again(directory: &Path) -> Server {
    Server::start_on(directory.join("data").to_str().expect("UTF-8"), &["--admin-listen", "off"])
}

/// What a statement is refused with, and the text of the first message.
fn refused(sa: &mut Connection, statement: &str, wanted: &[i32]) -> String {
    let answer = ask(sa, statement);
    assert_eq!(numbers(&answer), wanted, "{statement}: {:?}", texts(&answer));
    texts(&answer).into_iter().next().unwrap_or_default().1
}

/// A database `shop` under FULL with a table on pages and one in memory, and row 1.
fn with_shop(sa: &mut Connection) {
    for batch in [
        "CREATE DATABASE shop",
        "USE shop; CREATE TABLE t (id int PRIMARY KEY, v varchar(900) NOT NULL);
         CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
         INSERT t VALUES (1, 'one'); INSERT m VALUES (1, 1); USE master",
    ] {
        must(sa, batch);
    }
}

fn add(sa: &mut Connection, id: i32) {
    add_to(sa, "shop", id);
}

/// The sums of both tables of a database, which are the same.
fn sum(sa: &mut Connection, database: &str) -> i64 {
    let on_pages = one(sa, &format!("SELECT ISNULL(SUM(id), 0) FROM {database}..t"));
    let in_memory = one(sa, &format!("SELECT ISNULL(SUM(id), 0) FROM {database}..m"));
    assert_eq!(on_pages, in_memory, "{database}");
    on_pages
}

fn state(sa: &mut Connection, database: &str) -> (i64, String) {
    let answer = must(sa, &format!("SELECT state, state_desc FROM sys.databases WHERE name = '{database}'"));
    (answer.sets[0].rows[0][0].as_i64(), text_of(&answer.sets[0].rows[0][1]))
}

/// The server's local time, to 100 ns.
fn moment(sa: &mut Connection) -> String {
    word(sa, "SELECT CONVERT(nvarchar(40), SYSDATETIME(), 126)")
}

#[test]
fn logs_go_on_from_a_full_backup_up_to_any_point() {
    let (server, directory) = start("logs-thin");
    let mut sa = connect(&server, "master");
    let disk = |name: &str| format!("DISK = '{}'", directory.join(name).display());
    with_shop(&mut sa);
    // https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-4214-database-engine-error
    refused(&mut sa, &format!("BACKUP LOG shop TO {}", disk("no.trn")), &[4214, 3013]);
    refused(&mut sa, &format!("BACKUP DATABASE shop TO {} WITH DIFFERENTIAL", disk("no.bak")), &[3035, 3013]);
    // A copy begins no chain.
    must(&mut sa, &format!("BACKUP DATABASE shop TO {} WITH COPY_ONLY", disk("copy.bak")));
    refused(&mut sa, &format!("BACKUP LOG shop TO {}", disk("no.trn")), &[4214, 3013]);
    must(&mut sa, &format!("BACKUP DATABASE shop TO {}", disk("full.bak")));
    add(&mut sa, 2);
    let told = must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("log.trn")));
    assert_eq!(numbers(&told), [4035, 3014], "{:?}", texts(&told));
    assert!(texts(&told)[0].1.contains("file 'shop_log' on file 1."), "{:?}", texts(&told));
    assert!(texts(&told)[1].1.starts_with("BACKUP LOG successfully processed "), "{:?}", texts(&told));
    add(&mut sa, 4);
    let between = moment(&mut sa);
    add(&mut sa, 8);
    // One that is open at the end of the second log, and committed in the third.
    let mut open = connect(&server, "shop");
    must(&mut open, "BEGIN TRAN; INSERT t VALUES (16, 'open'); INSERT m WITH (SNAPSHOT) VALUES (16, 16)");
    must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("log.trn")));
    must(&mut open, "COMMIT");
    add(&mut sa, 32);
    must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("log.trn")));
    drop(open);
    let restore_full = |sa: &mut Connection, name: &str| {
        must(sa, &format!("RESTORE DATABASE {name} FROM {} WITH NORECOVERY", disk("full.bak")));
    };
    let log = |name: &str, file: i32, with: &str| {
        format!("RESTORE LOG {name} FROM {} WITH FILE = {file}{with}", disk("log.trn"))
    };
    for (name, logs, wanted) in [("a", 0, 1), ("b", 1, 3), ("c", 2, 15), ("d", 3, 63)] {
        restore_full(&mut sa, name);
        assert_eq!(state(&mut sa, name), (1, "RESTORING".into()));
        assert_eq!(
            refused(&mut sa, &format!("USE {name}"), &[927]),
            format!("Database '{name}' cannot be opened. It is in the middle of a restore.")
        );
        refused(&mut sa, &format!("SELECT * FROM {name}..t"), &[927]);
        for file in 1..=logs {
            let told = must(&mut sa, &log(name, file, ", NORECOVERY"));
            assert_eq!(numbers(&told), [4035, 4035, 3014], "{:?}", texts(&told));
        }
        must(&mut sa, &format!("RESTORE DATABASE {name} WITH RECOVERY"));
        assert_eq!((state(&mut sa, name), sum(&mut sa, name)), ((0, "ONLINE".into()), wanted));
        must(&mut sa, &format!("DBCC CHECKDB ('{name}') WITH NO_INFOMSGS"));
    }
    // To a point in time, with STOPAT in each step, which stops in the second.
    restore_full(&mut sa, "e");
    let told = must(&mut sa, &log("e", 1, &format!(", STOPAT = '{between}'")));
    assert_eq!(numbers(&told), [4322, 4035, 4035, 3014], "{:?}", texts(&told));
    assert_eq!(state(&mut sa, "e").0, 1);
    must(&mut sa, &format!("DECLARE @at varchar(40) = '{between}'; {}", log("e", 2, ", STOPAT = @at")));
    assert_eq!(sum(&mut sa, "e"), 7);
    // Nothing comes after that.
    refused(&mut sa, &log("e", 3, ""), &[3117, 3013]);
    restore_full(&mut sa, "f");
    must(&mut sa, &log("f", 1, ", NORECOVERY"));
    must(&mut sa, &log("f", 2, &format!(", NORECOVERY, STOPAT = '{between}'")));
    refused(&mut sa, &log("f", 3, ", NORECOVERY"), &[4305, 3013]);
    // The same log up to its end.
    must(&mut sa, &log("f", 2, ", NORECOVERY"));
    must(&mut sa, &log("f", 3, ""));
    assert_eq!(sum(&mut sa, "f"), 63);
    // Out of order, twice, of another database.
    restore_full(&mut sa, "g");
    let told = refused(&mut sa, &log("g", 2, ", NORECOVERY"), &[4305, 3013]);
    let begins =
        one(&mut sa, "SELECT CONVERT(bigint, first_lsn) FROM msdb.dbo.backupset WHERE type = 'L' AND position = 2");
    let ends =
        one(&mut sa, "SELECT CONVERT(bigint, last_lsn) FROM msdb.dbo.backupset WHERE type = 'D' AND is_copy_only = 0");
    assert_eq!(
        told,
        format!(
            "The log in this backup set begins at LSN {begins}, which is too recent to apply to the database. An earlier log backup that includes LSN {ends} can be restored."
        )
    );
    refused(&mut sa, &log("g", 1, ", NORECOVERY, STOPAT = '2001-01-01'"), &[4338, 3013]);
    refused(&mut sa, &log("g", 1, ", NORECOVERY, STOPAT = 'soon'"), &[3217, 3013]);
    refused(&mut sa, &log("g", 1, ", NORECOVERY, RECOVERY"), &[3031, 3013]);
    must(&mut sa, &log("g", 1, ", NORECOVERY"));
    must(&mut sa, &log("g", 2, ", NORECOVERY"));
    refused(&mut sa, &log("g", 1, ", NORECOVERY"), &[4326, 3013]);
    refused(&mut sa, &log("nowhere", 1, ""), &[3118, 3013]);
    refused(&mut sa, &log("a", 1, ""), &[3117, 3013]);
    refused(&mut sa, "RESTORE DATABASE a WITH RECOVERY", &[3153, 3013]);
    refused(&mut sa, &format!("RESTORE DATABASE x FROM {}", disk("log.trn")), &[3135, 3013]);
    refused(&mut sa, &format!("RESTORE LOG g FROM {}", disk("full.bak")), &[3135, 3013]);
    refused(
        &mut sa,
        &format!("RESTORE DATABASE x FROM {} WITH STOPAT = '2001-01-01'", disk("full.bak")),
        &[4338, 3013],
    );
    refused(&mut sa, &format!("RESTORE DATABASE x FROM {} WITH STOPATMARK = 'lsn:1'", disk("full.bak")), &[4340, 3013]);
    must(&mut sa, "CREATE DATABASE other");
    must(&mut sa, &format!("BACKUP DATABASE other TO {}", disk("other.bak")));
    must(&mut sa, &format!("BACKUP LOG other TO {}", disk("other.trn")));
    refused(&mut sa, &format!("RESTORE LOG g FROM {}", disk("other.trn")), &[3154, 3013]);
    // A restored database is another one: its log is of no use to what comes of the first.
    must(&mut sa, &format!("BACKUP DATABASE d TO {}", disk("d.bak")));
    must(&mut sa, &format!("BACKUP LOG d TO {}", disk("d.trn")));
    refused(&mut sa, &format!("RESTORE LOG g FROM {}", disk("d.trn")), &[4330, 3013]);
    // Nobody does anything else with it.
    refused(&mut sa, "ALTER DATABASE g SET RECOVERY SIMPLE", &[5052, 5069]);
    refused(&mut sa, &format!("BACKUP DATABASE g TO {}", disk("g.bak")), &[927, 3013]);
    refused(&mut sa, "DBCC CHECKDB ('g')", &[927]);
    assert_eq!(one(&mut sa, "SELECT HAS_DBACCESS('g')"), 0);
    assert!(Connection::open(&target(server.port, "g"), None).is_err(), "no login into it");
    // It is there after a kill, and goes on.
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(state(&mut sa, "g").0, 1);
    must(&mut sa, &log("g", 3, ""));
    assert_eq!(sum(&mut sa, "g"), 63);
    must(&mut sa, "INSERT g..t VALUES (64, 'new'); INSERT g..m VALUES (64, 64)");
    // The original's chain too.
    add(&mut sa, 64);
    must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("log.trn")));
    restore_full(&mut sa, "h");
    for file in 1..=4 {
        must(&mut sa, &log("h", file, if file == 4 { "" } else { ", NORECOVERY" }));
    }
    assert_eq!(sum(&mut sa, "h"), 127);
    // One that is given up leaves nothing.
    restore_full(&mut sa, "i");
    must(&mut sa, "DROP DATABASE i");
    let left = std::fs::read_dir(directory.join("data")).expect("read").filter_map(|entry| {
        let path = entry.expect("an entry").path();
        let is_of_restore = path.is_dir() && path.file_name()?.to_str()?.starts_with("restor");
        is_of_restore.then(|| std::fs::read_dir(path).expect("read").count())
    });
    assert_eq!(left.sum::<usize>(), 0, "files of restores");
}

#[test]
fn sets_of_a_chain_say_what_they_are() {
    let (server, directory) = start("logs-history");
    let mut sa = connect(&server, "master");
    let disk = format!("DISK = '{}'", directory.join("all.bak").display());
    with_shop(&mut sa);
    must(&mut sa, &format!("BACKUP DATABASE shop TO {disk}"));
    add(&mut sa, 2);
    must(&mut sa, &format!("BACKUP LOG shop TO {disk}"));
    add(&mut sa, 4);
    must(&mut sa, &format!("BACKUP LOG shop TO {disk} WITH COPY_ONLY, COMPRESSION"));
    must(&mut sa, &format!("BACKUP DATABASE shop TO {disk} WITH DIFFERENTIAL"));
    must(&mut sa, &format!("BACKUP LOG shop TO {disk}"));
    must(&mut sa, &format!("BACKUP DATABASE shop TO {disk}"));
    let rows = must(
        &mut sa,
        "SELECT type, CONVERT(bigint, first_lsn), CONVERT(bigint, last_lsn), CONVERT(bigint, checkpoint_lsn),
         CONVERT(bigint, database_backup_lsn), ISNULL(CONVERT(bigint, differential_base_lsn), 0) FROM msdb.dbo.backupset ORDER BY backup_set_id",
    );
    let rows: Vec<(String, Vec<i64>)> = rows.sets[0]
        .rows
        .iter()
        .map(|row| {
            (String::from_utf8_lossy(row[0].as_bytes()).into(), row[1..].iter().map(|value| value.as_i64()).collect())
        })
        .collect();
    let kinds: String = rows.iter().map(|(kind, _)| kind.as_str()).collect();
    assert_eq!(kinds, "DLLILD");
    const FIRST: usize = 0;
    const LAST: usize = 1;
    const CHECKPOINT: usize = 2;
    const BASE: usize = 3;
    const DIFFERENTIAL_BASE: usize = 4;
    let of = |row: usize, column: usize| rows[row].1[column];
    assert_eq!(of(1, FIRST), of(0, LAST), "the first log begins where the full backup ends");
    assert_eq!(of(2, FIRST), of(1, LAST));
    assert_eq!(of(4, FIRST), of(1, LAST), "a copy takes nothing away");
    for row in 1..6 {
        assert_eq!(of(row, BASE), of(0, CHECKPOINT), "set {row} goes on from the first full backup");
        assert!(of(row, FIRST) <= of(row, CHECKPOINT) && of(row, CHECKPOINT) <= of(row, LAST), "{rows:?}");
    }
    assert_eq!((of(0, BASE), of(3, DIFFERENTIAL_BASE), of(4, DIFFERENTIAL_BASE)), (0, of(0, CHECKPOINT), 0));
    // https://learn.microsoft.com/sql/t-sql/statements/restore-statements-headeronly-transact-sql
    let headers = must(&mut sa, &format!("RESTORE HEADERONLY FROM {disk}"));
    let set = &headers.sets[0];
    let column = |name: &str| set.columns.iter().position(|column| &*column.name == name).expect("a column");
    let values = |name: &str| set.rows.iter().map(|row| row[column(name)].as_i64()).collect::<Vec<_>>();
    assert_eq!(values("BackupType"), [1, 2, 2, 5, 2, 1]);
    let described: Vec<String> = set.rows.iter().map(|row| text_of(&row[column("BackupTypeDescription")])).collect();
    assert_eq!(
        described,
        ["Database", "Transaction Log", "Transaction Log", "Database Differential", "Transaction Log", "Database"]
    );
    let guid = set.rows[3][column("DifferentialBaseGUID")].clone();
    assert_eq!(guid, set.rows[0][column("BackupSetGUID")]);
    // https://learn.microsoft.com/sql/relational-databases/system-tables/restorehistory-transact-sql
    must(&mut sa, &format!("RESTORE DATABASE copy FROM {disk} WITH NORECOVERY"));
    let at = moment(&mut sa);
    let told = must(&mut sa, &format!("RESTORE LOG copy FROM {disk} WITH FILE = 2, STOPAT = '{at}'"));
    assert_eq!(numbers(&told)[0], 4322, "{:?}", texts(&told));
    must(&mut sa, "RESTORE DATABASE copy WITH RECOVERY");
    let rows = must(
        &mut sa,
        "SELECT restore_type, recovery, CASE WHEN stop_at IS NULL THEN 0 ELSE 1 END FROM msdb.dbo.restorehistory ORDER BY restore_history_id",
    );
    let rows: Vec<(String, i64, i64)> = rows.sets[0]
        .rows
        .iter()
        .map(|row| (String::from_utf8_lossy(row[0].as_bytes()).into(), row[1].as_i64(), row[2].as_i64()))
        .collect();
    assert_eq!(rows, [("D".into(), 0, 0), ("L".into(), 0, 1)]);
}

#[test]
fn differential_backups_go_on_from_their_full_one() {
    let (server, directory) = start("logs-differential");
    let mut sa = connect(&server, "master");
    let disk = |name: &str| format!("DISK = '{}'", directory.join(name).display());
    with_shop(&mut sa);
    must(&mut sa, "ALTER DATABASE shop SET RECOVERY SIMPLE");
    must(
        &mut sa,
        "INSERT shop..t SELECT value, REPLICATE('x', 800) FROM GENERATE_SERIES(1000, 20000); DELETE shop..t WHERE id > 999",
    );
    must(&mut sa, "INSERT shop..t SELECT value, REPLICATE('x', 800) FROM GENERATE_SERIES(1000, 20000)");
    must(&mut sa, "INSERT shop..m SELECT value, 1 FROM GENERATE_SERIES(1000, 20000)");
    refused(&mut sa, &format!("BACKUP LOG shop TO {}", disk("no.trn")), &[4208, 3013]);
    must(&mut sa, &format!("BACKUP DATABASE shop TO {}", disk("full.bak")));
    add(&mut sa, 2);
    must(&mut sa, "DELETE shop..t WHERE id BETWEEN 5000 AND 5999; DELETE shop..m WHERE id BETWEEN 5000 AND 5999");
    must(&mut sa, "USE shop; EXEC('CREATE TABLE made (a int); INSERT made VALUES (7)'); USE master");
    must(&mut sa, &format!("BACKUP DATABASE shop TO {} WITH DIFFERENTIAL", disk("diff.bak")));
    let first = sum(&mut sa, "shop");
    must(&mut sa, "UPDATE shop..t SET v = 'changed' WHERE id % 3 = 0; DROP TABLE shop..made");
    must(&mut sa, &format!("BACKUP DATABASE shop TO {} WITH DIFFERENTIAL, COMPRESSION", disk("diff.bak")));
    let size = |name: &str| std::fs::metadata(directory.join(name)).expect("the file").len();
    let sets =
        must(&mut sa, "SELECT CONVERT(bigint, compressed_backup_size) FROM msdb.dbo.backupset ORDER BY backup_set_id");
    let sizes: Vec<i64> = sets.sets[0].rows.iter().map(|row| row[0].as_i64()).collect();
    assert!(sizes[1] * 2 < sizes[0], "what has not changed is not in it: {sizes:?}");
    assert_eq!(size("full.bak") as i64, sizes[0]);
    for (name, file, made) in [("a", 1, 1), ("b", 2, 0)] {
        must(&mut sa, &format!("RESTORE DATABASE {name} FROM {} WITH NORECOVERY", disk("full.bak")));
        must(&mut sa, &format!("RESTORE DATABASE {name} FROM {} WITH FILE = {file}", disk("diff.bak")));
        assert_eq!(sum(&mut sa, name), first);
        assert_eq!(one(&mut sa, &format!("SELECT COUNT(*) FROM {name}.sys.tables WHERE name = 'made'")), made);
        assert_eq!(one(&mut sa, &format!("SELECT COUNT(*) FROM {name}..t WHERE v = 'changed'")) > 0, file == 2);
        must(&mut sa, &format!("DBCC CHECKDB ('{name}') WITH NO_INFOMSGS"));
    }
    // Of another full backup, and of none.
    refused(&mut sa, &format!("RESTORE DATABASE x FROM {}", disk("diff.bak")), &[3118, 3013]);
    refused(&mut sa, &format!("RESTORE DATABASE a FROM {}", disk("diff.bak")), &[3117, 3013]);
    must(&mut sa, &format!("BACKUP DATABASE shop TO {}", disk("later.bak")));
    must(&mut sa, &format!("RESTORE DATABASE c FROM {} WITH NORECOVERY", disk("later.bak")));
    refused(&mut sa, &format!("RESTORE DATABASE c FROM {}", disk("diff.bak")), &[3136, 3013]);
    // Logs go on from a differential one, whose chain it begins.
    must(&mut sa, "ALTER DATABASE shop SET RECOVERY FULL");
    refused(&mut sa, &format!("BACKUP LOG shop TO {}", disk("no.trn")), &[4214, 3013]);
    must(&mut sa, &format!("BACKUP DATABASE shop TO {} WITH DIFFERENTIAL", disk("later_diff.bak")));
    add(&mut sa, 4);
    must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("log.trn")));
    refused(&mut sa, &format!("RESTORE LOG c FROM {} WITH NORECOVERY", disk("log.trn")), &[4305, 3013]);
    must(&mut sa, &format!("RESTORE DATABASE c FROM {} WITH NORECOVERY", disk("later_diff.bak")));
    must(&mut sa, &format!("RESTORE LOG c FROM {}", disk("log.trn")));
    assert_eq!(sum(&mut sa, "c"), first + 4);
    refused(&mut sa, &format!("BACKUP DATABASE master TO {} WITH DIFFERENTIAL", disk("no.bak")), &[3024, 3013]);
    refused(&mut sa, &format!("BACKUP LOG master TO {}", disk("no.trn")), &[4212, 3013]);
}

#[test]
fn the_tail_of_the_log_closes_a_database_for_its_restore() {
    let (server, directory) = start("logs-tail");
    let mut sa = connect(&server, "master");
    let disk = |name: &str| format!("DISK = '{}'", directory.join(name).display());
    with_shop(&mut sa);
    must(&mut sa, &format!("BACKUP DATABASE shop TO {}", disk("full.bak")));
    add(&mut sa, 2);
    refused(&mut sa, &format!("RESTORE DATABASE shop FROM {} WITH NORECOVERY", disk("full.bak")), &[3159, 3013]);
    let inside = connect(&server, "shop");
    refused(&mut sa, &format!("BACKUP LOG shop TO {} WITH NORECOVERY", disk("tail.trn")), &[3101, 3013]);
    drop(inside);
    while one(&mut sa, "SELECT COUNT(*) FROM sys.dm_exec_sessions WHERE database_id = DB_ID('shop')") > 0 {
        std::thread::sleep(Duration::from_millis(10));
    }
    add(&mut sa, 4);
    must(&mut sa, &format!("BACKUP LOG shop TO {} WITH NORECOVERY", disk("tail.trn")));
    assert_eq!(state(&mut sa, "shop"), (1, "RESTORING".into()));
    refused(&mut sa, "SELECT * FROM shop..t", &[927]);
    // Of that it has all.
    must(&mut sa, &format!("RESTORE LOG shop FROM {} WITH NORECOVERY", disk("tail.trn")));
    assert_eq!(state(&mut sa, "shop"), (1, "RESTORING".into()));
    // Its pages are as they were, a start included.
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(state(&mut sa, "shop").0, 1);
    must(&mut sa, "RESTORE DATABASE shop WITH RECOVERY");
    assert_eq!(sum(&mut sa, "shop"), 7);
    // Or the backups come in its place, up to where it was closed.
    must(&mut sa, &format!("BACKUP LOG shop TO {} WITH NORECOVERY", disk("tail.trn")));
    must(&mut sa, &format!("RESTORE DATABASE shop FROM {} WITH NORECOVERY", disk("full.bak")));
    must(&mut sa, &format!("RESTORE LOG shop FROM {} WITH FILE = 1, NORECOVERY", disk("tail.trn")));
    must(&mut sa, &format!("RESTORE LOG shop FROM {} WITH FILE = 2", disk("tail.trn")));
    assert_eq!(sum(&mut sa, "shop"), 7);
    // What could not be written leaves the database open.
    must(&mut sa, &format!("BACKUP DATABASE shop TO {}", disk("full.bak")));
    refused(&mut sa, "BACKUP LOG shop TO DISK = '/dev/null/such/place.trn' WITH NORECOVERY", &[3201, 3013]);
    assert_eq!((state(&mut sa, "shop").0, sum(&mut sa, "shop")), (0, 7));
}

/// The tail of a database whose file is missing, or damaged, has all that was committed, and nothing else: also not what transactions had changed
/// that the start has rolled back without it.
/// https://learn.microsoft.com/sql/relational-databases/backup-restore/back-up-the-transaction-log-when-the-database-is-damaged-sql-server
/// https://learn.microsoft.com/sql/relational-databases/backup-restore/tail-log-backups-sql-server has the metadata.
fn tail_of_a_lost_file(name: &str, state_then: &str, harm: impl Fn(&Path)) {
    let (server, directory) = start(name);
    let mut sa = connect(&server, "master");
    let disk = |name: &str| format!("DISK = '{}'", directory.join(name).display());
    with_shop(&mut sa);
    must(&mut sa, "CREATE DATABASE beside; CREATE TABLE beside..b (id int PRIMARY KEY)");
    must(&mut sa, &format!("BACKUP DATABASE shop TO {}", disk("full.bak")));
    add(&mut sa, 2);
    must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("log.trn")));
    add(&mut sa, 4);
    let mut open = connect(&server, "shop");
    must(
        &mut open,
        "BEGIN TRANSACTION; INSERT t SELECT value, 'open' FROM GENERATE_SERIES(100, 400); UPDATE t SET v = 'lost' WHERE id < 5;
         DELETE t WHERE id = 2; INSERT m WITH (SNAPSHOT) VALUES (100, 100); INSERT beside..b VALUES (1)",
    );
    let mut gone = connect(&server, "shop");
    must(&mut gone, "BEGIN TRANSACTION; INSERT t VALUES (500, 'rolled back'); ROLLBACK");
    // Its pages are on disk with what is open, and the log behind.
    must(&mut sa, "CHECKPOINT");
    add(&mut sa, 8);
    let id = one(&mut sa, "SELECT DB_ID('shop')");
    server.kill();
    let file = data_file(&directory.join("data"), id);
    let kept = directory.join("kept.hdb");
    std::fs::copy(&file, &kept).expect("kept");
    harm(&file);
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(state(&mut sa, "shop").1, state_then);
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM beside..b"), 0);
    let closed = if state_then == "SUSPECT" { 926 } else { 945 };
    refused(&mut sa, &format!("BACKUP DATABASE shop TO {}", disk("no.bak")), &[closed, 3013]);
    refused(&mut sa, &format!("BACKUP LOG shop TO {}", disk("no.trn")), &[closed, 3013]);
    refused(
        &mut sa,
        &format!("BACKUP LOG shop TO {} WITH NO_TRUNCATE, STANDBY = 'u'", disk("no.trn")),
        &[closed, 3013],
    );
    let told = must(&mut sa, &format!("BACKUP LOG shop TO {} WITH NO_TRUNCATE", disk("tail.trn")));
    assert_eq!(numbers(&told), [4035, 3014], "{:?}", texts(&told));
    assert_eq!(
        one(
            &mut sa,
            "SELECT CONVERT(int, has_incomplete_metadata) + 10 * is_copy_only FROM msdb.dbo.backupset WHERE backup_set_id = (SELECT MAX(backup_set_id) FROM msdb.dbo.backupset)"
        ),
        11
    );
    let restored = |sa: &mut Connection, name: &str, tail: &str, with: &str| {
        must(sa, &format!("RESTORE DATABASE {name} FROM {} WITH NORECOVERY", disk("full.bak")));
        must(sa, &format!("RESTORE LOG {name} FROM {} WITH NORECOVERY", disk("log.trn")));
        must(sa, &format!("RESTORE LOG {name} FROM {} WITH {with}", disk(tail)));
        let wrong = format!("SELECT COUNT(*) FROM {name}..t WHERE v <> CASE id WHEN 1 THEN 'one' ELSE 'row' END");
        assert_eq!((sum(sa, name), one(sa, &wrong)), (15, 0), "{name}");
        must(sa, &format!("DBCC CHECKDB ('{name}') WITH NO_INFOMSGS"));
    };
    restored(&mut sa, "seen", "tail.trn", "STANDBY = 'u'");
    must(&mut sa, "RESTORE DATABASE seen WITH RECOVERY");
    assert_eq!(sum(&mut sa, "seen"), 15);
    // A start between the steps changes nothing.
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    restored(&mut sa, "beside_it", "tail.trn", "RECOVERY");
    // The file comes back, and the chain goes on as if no tail had been backed up.
    std::fs::copy(&kept, &file).expect("put back");
    must(&mut sa, "ALTER DATABASE shop SET ONLINE");
    assert_eq!(sum(&mut sa, "shop"), 15);
    must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("next.trn")));
    restored(&mut sa, "later", "next.trn", "RECOVERY");
    // Or it does not, and the backups take its place.
    drop(sa);
    server.kill();
    harm(&file);
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    refused(&mut sa, &format!("RESTORE DATABASE shop FROM {} WITH NORECOVERY", disk("full.bak")), &[3159, 3013]);
    must(&mut sa, &format!("BACKUP LOG shop TO {} WITH FORMAT, NO_TRUNCATE, NORECOVERY", disk("last.trn")));
    assert_eq!(state(&mut sa, "shop").1, "RESTORING");
    must(&mut sa, "RESTORE DATABASE shop WITH RECOVERY");
    assert_eq!(state(&mut sa, "shop").1, state_then);
    must(&mut sa, &format!("BACKUP LOG shop TO {} WITH FORMAT, NO_TRUNCATE, NORECOVERY", disk("last.trn")));
    must(&mut sa, &format!("RESTORE DATABASE shop FROM {} WITH NORECOVERY", disk("full.bak")));
    for log in ["log.trn", "next.trn", "last.trn"] {
        must(&mut sa, &format!("RESTORE LOG shop FROM {} WITH NORECOVERY", disk(log)));
    }
    must(&mut sa, "RESTORE DATABASE shop WITH RECOVERY");
    assert_eq!(sum(&mut sa, "shop"), 15);
    add(&mut sa, 16);
    must(&mut sa, "DBCC CHECKDB ('shop') WITH NO_INFOMSGS");
}

#[test]
fn the_log_of_a_database_whose_file_is_missing_is_backed_up() {
    tail_of_a_lost_file("logs-missing", "RECOVERY_PENDING", |file| std::fs::remove_file(file).expect("removed"));
}

#[test]
fn the_log_of_a_database_whose_file_is_damaged_is_backed_up() {
    tail_of_a_lost_file("logs-damaged", "SUSPECT", |file| overwrite(file, 2 * PAGE + 100, &[0x5a; 64]));
}

/// Adds rows 1, 2, 3 ... of a session, to a table on pages and one in memory in one transaction, until it is told to stop. What was
/// acknowledged is counted.
fn insert_on(port: u16, session: usize, acknowledged: &AtomicI64, stop: &AtomicBool) {
    let mut wire = Wire::open(port, "load").expect("logged in");
    while !stop.load(Ordering::SeqCst) {
        let n = acknowledged.load(Ordering::SeqCst) + 1;
        let batch = format!(
            "SET XACT_ABORT ON; BEGIN TRAN; INSERT t VALUES ({session}, {n}, REPLICATE('x', {}));
             INSERT m WITH (SNAPSHOT) VALUES ({session}, {n}); COMMIT",
            n % 3000
        );
        let answer = wire.query(&batch);
        assert!(answer.errors.is_empty() && !answer.closed, "{answer:?}");
        acknowledged.store(n, Ordering::SeqCst);
    }
}

/// The last row of each session, after all before it were found in both tables.
fn last_rows(sa: &mut Connection, database: &str) -> BTreeMap<i64, i64> {
    let mut of = |table: &str| -> BTreeMap<i64, i64> {
        let query = format!(
            "SELECT session, COUNT_BIG(*), MAX(CAST(n AS bigint)), SUM(CAST(n AS bigint)) FROM {database}..{table} GROUP BY session"
        );
        let answer = must(sa, &query);
        let mut last = BTreeMap::new();
        for row in &answer.sets[0].rows {
            let (session, count, most, sum) = (row[0].as_i64(), row[1].as_i64(), row[2].as_i64(), row[3].as_i64());
            assert_eq!((count, sum), (most, most * (most + 1) / 2), "none is missing in {table}");
            last.insert(session, most);
        }
        last
    };
    let (on_pages, in_memory) = (of("t"), of("m"));
    assert_eq!(on_pages, in_memory, "a transaction is whole or not there");
    on_pages
}

const SESSIONS: usize = 3;
const LOGS: usize = 5;

#[test]
fn a_restore_to_any_moment_of_a_load_is_what_its_clients_knew() {
    let (server, directory) = start("logs-load");
    let mut sa = connect(&server, "master");
    for batch in [
        "CREATE DATABASE load",
        "USE load; CREATE TABLE t (session int, n int, note varchar(3000), PRIMARY KEY (session, n));
         CREATE TABLE m (session int NOT NULL, n int NOT NULL, PRIMARY KEY NONCLUSTERED (session, n)) WITH (MEMORY_OPTIMIZED = ON)",
        "USE master; CREATE DATABASE beside; CREATE TABLE beside..b (a int IDENTITY, c char(500))",
    ] {
        must(&mut sa, batch);
    }
    let acknowledged: Arc<Vec<AtomicI64>> = Arc::new((0..SESSIONS).map(|_| AtomicI64::new(0)).collect());
    let stop = Arc::new(AtomicBool::new(false));
    let workers: Vec<_> = (0..SESSIONS)
        .map(|session| {
            let (acknowledged, stop, port) = (acknowledged.clone(), stop.clone(), server.port);
            std::thread::spawn(move || insert_on(port, session, &acknowledged[session], &stop))
        })
        .collect();
    let now = || acknowledged.iter().map(|last| last.load(Ordering::SeqCst)).collect::<Vec<i64>>();
    let full = directory.join("load.bak");
    let logs = directory.join("load.trn");
    std::thread::sleep(Duration::from_millis(200));
    must(&mut sa, &format!("BACKUP DATABASE load TO DISK = '{}'", full.display()));
    let mut moments = Vec::new();
    for round in 0..LOGS {
        for pause in [37, 90, 61] {
            std::thread::sleep(Duration::from_millis(pause + 11 * round as u64));
            must(&mut sa, "INSERT beside..b (c) SELECT 'other' FROM GENERATE_SERIES(1, 50)");
            let before = now();
            let at = moment(&mut sa);
            moments.push((round, at, before, now()));
        }
        must(&mut sa, &format!("BACKUP LOG load TO DISK = '{}'", logs.display()));
    }
    stop.store(true, Ordering::SeqCst);
    workers.into_iter().for_each(|worker| worker.join().expect("the load ran"));
    for (number, (round, at, before, after)) in moments.iter().enumerate().step_by(2) {
        must(&mut sa, &format!("RESTORE DATABASE then_{number} FROM DISK = '{}' WITH NORECOVERY", full.display()));
        for file in 1..=*round + 1 {
            let answer = must(
                &mut sa,
                &format!(
                    "RESTORE LOG then_{number} FROM DISK = '{}' WITH FILE = {file}, STOPAT = '{at}'",
                    logs.display()
                ),
            );
            assert_eq!(
                numbers(&answer).contains(&4322),
                file <= *round,
                "moment {number}, log {file}: {:?}",
                texts(&answer)
            );
        }
        let found = last_rows(&mut sa, &format!("then_{number}"));
        for session in 0..SESSIONS {
            let last = found.get(&(session as i64)).copied().unwrap_or(0);
            // One more may have been committed and not yet acknowledged.
            let range = before[session]..=after[session] + 1;
            assert!(range.contains(&last), "session {session} at moment {number}: {last} is not in {range:?}");
        }
        must(&mut sa, &format!("DBCC CHECKDB ('then_{number}') WITH NO_INFOMSGS; DROP DATABASE then_{number}"));
    }
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM beside..b"), 50 * 3 * LOGS as i64);
}

/// Backups that a database takes after its restore go on from those that it was restored from: a new recovery path.
/// https://learn.microsoft.com/previous-versions/sql/sql-server-2008/ms175078(v=sql.100)
#[test]
fn backups_after_a_restore_go_on_from_those_before() {
    let (server, directory) = start("logs-forked");
    let mut sa = connect(&server, "master");
    let disk = |name: &str| format!("DISK = '{}'", directory.join(name).display());
    with_shop(&mut sa);
    must(&mut sa, &format!("BACKUP DATABASE shop TO {}", disk("full.bak")));
    add(&mut sa, 2);
    must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("old.trn")));
    add(&mut sa, 4);
    must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("old.trn")));
    // Back to the first log backup: the third row is on the path that is left.
    must(&mut sa, &format!("RESTORE DATABASE shop FROM {} WITH NORECOVERY, REPLACE", disk("full.bak")));
    must(&mut sa, &format!("RESTORE LOG shop FROM {} WITH FILE = 1, RECOVERY", disk("old.trn")));
    assert_eq!(sum(&mut sa, "shop"), 3);
    add(&mut sa, 8);
    let within = moment(&mut sa);
    add(&mut sa, 16);
    let told = must(&mut sa, &format!("BACKUP LOG shop TO {} WITH FORMAT", disk("new.trn")));
    assert_eq!(numbers(&told), [4035, 4035, 3014], "{:?}", texts(&told));
    add(&mut sa, 32);
    let later = moment(&mut sa);
    add(&mut sa, 64);
    drop(sa);
    // The chain outlives a kill.
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    let told = must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("new.trn")));
    assert_eq!(numbers(&told), [4035, 3014], "{:?}", texts(&told));
    let heads = must(&mut sa, &format!("RESTORE HEADERONLY FROM {}", disk("new.trn")));
    let of = |name: &str, row: usize| {
        let column = heads.sets[0].columns.iter().position(|column| column.name == name).expect("a column");
        heads.sets[0].rows[row][column].clone()
    };
    assert_eq!((of("HasBulkLoggedData", 0).as_i64(), of("HasBulkLoggedData", 1).as_i64()), (1, 0));
    assert_eq!(of("FirstLSN", 1), of("LastLSN", 0));
    assert_eq!((of("BeginsLogChain", 0).as_i64(), of("BeginsLogChain", 1).as_i64()), (0, 0));
    assert_eq!(
        one(
            &mut sa,
            "SELECT COUNT(*) FROM msdb.dbo.backupset WHERE database_name = 'shop' AND has_bulk_logged_data = 1"
        ),
        1
    );
    let full = |sa: &mut Connection, name: &str| {
        must(sa, &format!("RESTORE DATABASE {name} FROM {} WITH NORECOVERY", disk("full.bak")));
    };
    let log = |name: &str, from: &str, file: i32, with: &str| {
        format!("RESTORE LOG {name} FROM {} WITH FILE = {file}{with}", disk(from))
    };
    // Along the new path, to its ends and to moments of it.
    for (name, logs, with, wanted) in
        [("a", 1, String::new(), 27), ("b", 2, String::new(), 123), ("c", 2, format!(", STOPAT = '{later}'"), 59)]
    {
        full(&mut sa, name);
        must(&mut sa, &log(name, "old.trn", 1, ", NORECOVERY"));
        for file in 1..=logs {
            must(&mut sa, &log(name, "new.trn", file, &format!("{with}, NORECOVERY")));
        }
        must(&mut sa, &format!("RESTORE DATABASE {name} WITH RECOVERY"));
        assert_eq!(sum(&mut sa, name), wanted, "{name}");
        must(&mut sa, &format!("DBCC CHECKDB ('{name}') WITH NO_INFOMSGS"));
    }
    // Within a log backup that has pages there is no point to stop at, before it there is.
    full(&mut sa, "d");
    must(&mut sa, &log("d", "old.trn", 1, ", NORECOVERY"));
    assert_eq!(
        refused(&mut sa, &log("d", "new.trn", 1, &format!(", STOPAT = '{within}'")), &[4341, 3013]),
        "This log backup contains bulk-logged changes. It cannot be used to stop at an arbitrary point in time."
    );
    // The path that was left, and the new one, do not meet.
    must(&mut sa, &log("d", "old.trn", 2, ", NORECOVERY"));
    refused(&mut sa, &log("d", "new.trn", 1, ""), &[4330, 3013]);
    must(&mut sa, "RESTORE DATABASE d WITH RECOVERY");
    assert_eq!(sum(&mut sa, "d"), 7);
    full(&mut sa, "e");
    must(&mut sa, &log("e", "new.trn", 1, ", NORECOVERY"));
    refused(&mut sa, &log("e", "old.trn", 2, ""), &[4330, 3013]);
    // A restored one that is restored again: paths fork as often as that happens.
    must(&mut sa, "RESTORE DATABASE e WITH RECOVERY");
    add_to(&mut sa, "e", 128);
    must(&mut sa, &format!("BACKUP LOG e TO {}", disk("again.trn")));
    full(&mut sa, "f");
    must(&mut sa, &log("f", "new.trn", 1, ", NORECOVERY"));
    must(&mut sa, &log("f", "again.trn", 1, ""));
    assert_eq!(sum(&mut sa, "f"), 155);
    // A differential backup goes on from the full one before the restore.
    add_to(&mut sa, "e", 256);
    must(&mut sa, &format!("BACKUP DATABASE e TO {} WITH DIFFERENTIAL", disk("e.dif")));
    full(&mut sa, "g");
    must(&mut sa, &format!("RESTORE DATABASE g FROM {}", disk("e.dif")));
    assert_eq!(sum(&mut sa, "g"), 411);
    must(&mut sa, "DBCC CHECKDB ('g') WITH NO_INFOMSGS");
    // Under SIMPLE there is no chain, and it begins anew with a full backup.
    must(&mut sa, "ALTER DATABASE g SET RECOVERY SIMPLE; ALTER DATABASE g SET RECOVERY FULL");
    refused(&mut sa, &format!("BACKUP LOG g TO {}", disk("g.trn")), &[4214, 3013]);
    must(&mut sa, &format!("BACKUP DATABASE g TO {}; BACKUP LOG g TO {0}", disk("g.bak")));
    // A snapshot that is reverted to breaks the chain.
    must(&mut sa, "CREATE DATABASE g_then ON (NAME = shop, FILENAME = 'g_then.ss') AS SNAPSHOT OF g");
    must(&mut sa, "RESTORE DATABASE g FROM DATABASE_SNAPSHOT = 'g_then'");
    refused(&mut sa, &format!("BACKUP LOG g TO {}", disk("g.trn")), &[4214, 3013]);
}

fn add_to(sa: &mut Connection, database: &str, id: i32) {
    must(sa, &format!("INSERT {database}..t VALUES ({id}, 'row'); INSERT {database}..m VALUES ({id}, {id})"));
}

/// Rounds of kills.
const LAST: u64 = 7;

#[test]
fn kills_leave_the_chain_whole() {
    let directory = scratch("logs-killed");
    let disk = |name: &str| format!("DISK = '{}'", directory.join(name).display());
    let mut whole = 0;
    for round in 0..=LAST {
        let server = again(&directory);
        let mut sa = connect(&server, "master");
        if round == 0 {
            with_shop(&mut sa);
            must(&mut sa, &format!("BACKUP DATABASE shop TO {}", disk("full.bak")));
        }
        must(
            &mut sa,
            &format!(
                "INSERT shop..t SELECT value, REPLICATE('k', 700) FROM GENERATE_SERIES({0} * 10000, {0} * 10000 + 5000)",
                round + 1
            ),
        );
        must(
            &mut sa,
            &format!("INSERT shop..m SELECT value, 1 FROM GENERATE_SERIES({0} * 10000, {0} * 10000 + 5000)", round + 1),
        );
        let wanted = sum(&mut sa, "shop");
        drop(sa);
        let port = server.port;
        let mut statements = vec![format!("BACKUP LOG shop TO {}", disk("chain.trn"))];
        statements.push(format!("RESTORE DATABASE copy FROM {} WITH NORECOVERY, REPLACE", disk("full.bak")));
        for file in 1..=round + 1 {
            statements.push(format!("RESTORE LOG copy FROM {} WITH FILE = {file}, NORECOVERY", disk("chain.trn")));
        }
        statements.push("RESTORE DATABASE copy WITH RECOVERY".into());
        let worker = std::thread::spawn(move || {
            let Some(mut wire) = Wire::open(port, "master") else { return };
            for statement in statements {
                if wire.query(&statement).closed {
                    return;
                }
            }
        });
        std::thread::sleep(Duration::from_millis(60 + round * 90));
        server.kill();
        worker.join().expect("it ran");
        // What was killed is refused by its name or whole, and what is there goes on to all that was committed.
        let server = again(&directory);
        let mut sa = connect(&server, "master");
        must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("chain.trn")));
        let sets = must(&mut sa, &format!("RESTORE HEADERONLY FROM {}", disk("chain.trn"))).sets[0].rows.len();
        must(&mut sa, &format!("RESTORE DATABASE proof FROM {} WITH NORECOVERY, REPLACE", disk("full.bak")));
        for file in 1..=sets {
            must(&mut sa, &format!("RESTORE LOG proof FROM {} WITH FILE = {file}, NORECOVERY", disk("chain.trn")));
        }
        must(&mut sa, "RESTORE DATABASE proof WITH RECOVERY");
        assert_eq!(sum(&mut sa, "proof"), wanted, "round {round}");
        must(&mut sa, "DBCC CHECKDB ('proof') WITH NO_INFOMSGS; DROP DATABASE proof");
        // The restore that was killed goes on, or begins again.
        let there = one(&mut sa, "SELECT COUNT(*) FROM sys.databases WHERE name = 'copy'");
        if there == 1 && state(&mut sa, "copy").0 == 1 {
            for file in 1..=sets {
                let answer = ask(
                    &mut sa,
                    &format!("RESTORE LOG copy FROM {} WITH FILE = {file}, NORECOVERY", disk("chain.trn")),
                );
                let told = numbers(&answer);
                assert!(
                    told == [4035, 4035, 3014] || told == [4326, 3013] || told == [4347, 3013],
                    "{:?}",
                    texts(&answer)
                );
            }
            must(&mut sa, "RESTORE DATABASE copy WITH RECOVERY");
            let found = sum(&mut sa, "copy");
            assert!(found == wanted || found > 0, "round {round}: {found}");
            must(&mut sa, "DBCC CHECKDB ('copy') WITH NO_INFOMSGS");
            whole += i32::from(found == wanted);
        }
        ask(&mut sa, "DROP DATABASE IF EXISTS copy");
        drop(sa);
        server.kill();
    }
    println!("{whole} restores went on after a kill");
}

/// log_reuse_wait_desc of both databases.
fn waits(sa: &mut Connection) -> [String; 2] {
    ["shop", "other"]
        .map(|name| word(sa, &format!("SELECT log_reuse_wait_desc FROM sys.databases WHERE name = '{name}'")))
}

/// Some segments of the log.
fn fill(sa: &mut Connection) {
    for _ in 0..4 {
        must(sa, "INSERT other..b (c) SELECT 'z' FROM GENERATE_SERIES(1, 6000)");
    }
    must(sa, "CHECKPOINT");
}

fn used(sa: &mut Connection) -> i64 {
    one(sa, "SELECT CONVERT(bigint, used_log_space_in_bytes) FROM sys.dm_db_log_space_usage")
}

/// "ACTIVE_BACKUP_OR_RESTORE: a data backup or a restore is in progress": a database that its log's tail has closed waits for the next step of its
/// restore, and no log backup of it can be taken.
/// https://learn.microsoft.com/sql/relational-databases/logs/the-transaction-log-sql-server
#[test]
fn a_closed_database_says_why_it_keeps_the_log() {
    let (server, directory) = start("logs-closed");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    must(&mut sa, "CREATE DATABASE other; CREATE TABLE other..b (a int IDENTITY, c char(4000))");
    let disk = |name: &str| format!("DISK = '{}'", directory.join(name).display());
    must(&mut sa, &format!("BACKUP DATABASE shop TO {}", disk("full.bak")));
    must(&mut sa, &format!("BACKUP LOG shop TO {} WITH NORECOVERY", disk("tail.trn")));
    let before = used(&mut sa);
    fill(&mut sa);
    assert_eq!(waits(&mut sa), ["ACTIVE_BACKUP_OR_RESTORE", "NOTHING"]);
    assert_eq!(one(&mut sa, "SELECT CONVERT(int, log_reuse_wait) FROM sys.databases WHERE name = 'shop'"), 3);
    assert!(used(&mut sa) > before + (64 << 20));
    assert_eq!(numbers(&ask(&mut sa, &format!("BACKUP LOG shop TO {}", disk("no.trn")))), [927, 3013]);
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    must(&mut sa, "CHECKPOINT");
    assert_eq!(waits(&mut sa)[0], "ACTIVE_BACKUP_OR_RESTORE", "a start keeps it");
    // Open again, it wants a log backup.
    must(&mut sa, "RESTORE DATABASE shop WITH RECOVERY; CHECKPOINT");
    assert_eq!(waits(&mut sa)[0], "LOG_BACKUP");
    must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("next.trn")));
    assert_eq!(waits(&mut sa), ["NOTHING", "NOTHING"]);
    let back = used(&mut sa);
    assert!(back < before + (32 << 20), "{before} and then {back}");
    // One that is offline wants its log backup, too, and has to be online for it.
    must(&mut sa, "ALTER DATABASE shop SET OFFLINE");
    fill(&mut sa);
    assert_eq!(waits(&mut sa), ["OTHER_TRANSIENT", "NOTHING"]);
    assert_eq!(numbers(&ask(&mut sa, &format!("BACKUP LOG shop TO {}", disk("no.trn")))), [942, 3013]);
    must(&mut sa, "ALTER DATABASE shop SET ONLINE; CHECKPOINT");
    assert_eq!(waits(&mut sa)[0], "LOG_BACKUP");
    must(&mut sa, &format!("BACKUP LOG shop TO {}", disk("online.trn")));
    assert_eq!(waits(&mut sa), ["NOTHING", "NOTHING"]);
    // Who reads it meanwhile sees the same; DROP DATABASE gives the log back, too.
    must(&mut sa, &format!("BACKUP LOG shop TO {} WITH STANDBY = 'shop.undo'", disk("stands.trn")));
    fill(&mut sa);
    assert_eq!(waits(&mut sa), ["ACTIVE_BACKUP_OR_RESTORE", "NOTHING"]);
    must(&mut sa, "DROP DATABASE shop; CHECKPOINT");
    let back = used(&mut sa);
    assert!(back < before + (32 << 20), "{before} and then {back}");
}

#[test]
fn log_is_kept_for_who_backs_it_up_and_for_nobody_else() {
    let (server, directory) = start("logs-kept");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    must(&mut sa, "CREATE DATABASE other; CREATE TABLE other..b (a int IDENTITY, c char(4000))");
    fill(&mut sa);
    assert_eq!(waits(&mut sa), ["NOTHING", "NOTHING"], "FULL without a full backup is as SIMPLE");
    let before = used(&mut sa);
    must(&mut sa, &format!("BACKUP DATABASE shop TO DISK = '{}'", directory.join("full.bak").display()));
    fill(&mut sa);
    assert_eq!(waits(&mut sa), ["LOG_BACKUP", "NOTHING"]);
    assert_eq!(one(&mut sa, "SELECT CONVERT(int, log_reuse_wait) FROM sys.databases WHERE name = 'shop'"), 2);
    let kept = used(&mut sa);
    assert!(kept > before + (64 << 20), "{before} and then {kept}");
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    must(&mut sa, "CHECKPOINT");
    assert_eq!(waits(&mut sa)[0], "LOG_BACKUP", "a start keeps it");
    must(&mut sa, &format!("BACKUP LOG shop TO DISK = '{}'", directory.join("log.trn").display()));
    assert_eq!(waits(&mut sa), ["NOTHING", "NOTHING"]);
    assert!(used(&mut sa) < kept / 2);
    // Zeros of other databases take no room.
    let size = std::fs::metadata(directory.join("log.trn")).expect("the file").len();
    assert!(size < 4 << 20, "{size} bytes of a database in which nothing happened");
    fill(&mut sa);
    assert_eq!(waits(&mut sa)[0], "LOG_BACKUP");
    must(&mut sa, "ALTER DATABASE shop SET RECOVERY SIMPLE");
    assert_eq!(waits(&mut sa)[0], "NOTHING");
}
