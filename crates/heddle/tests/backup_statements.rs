//! BACKUP and RESTORE in T-SQL, with real files: under a load, beside the original and in its place, stopped and killed at any moment.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/backup-transact-sql
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-transact-sql
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use lab::client::Connection;
use support::ask::{ask, connect, must, numbers, one, text_of, texts, word};
use support::random::{Random, number};
use support::wire::Wire;
use support::{Server, scratch};

/// A server with its data in a directory of the test's own, and where its backups go.
fn start(name: &str) -> (Server, PathBuf) {
    let directory = scratch(name);
    let data = directory.join("data");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &["--admin-listen", "off"]);
    (server, directory)
}

fn again(directory: &Path) -> Server {
    Server::start_on(directory.join("data").to_str().expect("UTF-8"), &["--admin-listen", "off"])
}

#[test]
fn a_database_comes_back_beside_the_original_and_in_its_place() {
    let (server, directory) = start("backup-thin");
    let mut sa = connect(&server, "master");
    for batch in [
        "CREATE DATABASE shop",
        "ALTER DATABASE shop SET READ_COMMITTED_SNAPSHOT ON; ALTER DATABASE shop SET RECOVERY SIMPLE",
        "CREATE LOGIN clerk WITH PASSWORD = 'Some-1-password'",
        "USE shop; CREATE USER clerk; CREATE TABLE t (id int IDENTITY PRIMARY KEY, v int NOT NULL);
         CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
         GRANT SELECT ON t TO clerk",
        "USE shop; INSERT t (v) SELECT value * 3 FROM GENERATE_SERIES(1, 5000); INSERT m SELECT value, value FROM GENERATE_SERIES(1, 700)",
        "USE shop; EXEC('CREATE PROCEDURE p AS SELECT SUM(v) FROM t')",
        "USE master",
    ] {
        must(&mut sa, batch);
    }
    let path = directory.join("shop.bak");
    let told = must(&mut sa, &format!("BACKUP DATABASE shop TO DISK = '{}' WITH STATS = 50", path.display()));
    let told = texts(&told);
    let numbers_told: Vec<i32> = told.iter().map(|(number, _)| *number).filter(|number| *number != 3211).collect();
    assert_eq!(numbers_told, [4035, 4035, 3014], "{told:?}");
    assert!(told.iter().any(|(_, text)| text == "100 percent processed."), "{told:?}");
    assert!(told.iter().any(|(_, text)| text.contains("for database 'shop', file 'shop' on file 1.")), "{told:?}");
    assert!(told.last().expect("some").1.starts_with("BACKUP DATABASE successfully processed "), "{told:?}");
    must(&mut sa, "INSERT shop..t (v) VALUES (1000000)");
    // Beside.
    let move_to = "WITH MOVE 'shop' TO '/elsewhere/copy.mdf', MOVE 'shop_log' TO '/elsewhere/copy.ldf'";
    let told = must(&mut sa, &format!("RESTORE DATABASE copy FROM DISK = '{}' {move_to}", path.display()));
    assert_eq!(numbers(&told), [4035, 4035, 3014], "{:?}", texts(&told));
    let sum = |sa: &mut Connection, name: &str| {
        one(sa, &format!("SELECT SUM(CAST(v AS bigint)) + (SELECT SUM(v) FROM {name}..m) FROM {name}..t"))
    };
    let model = (1..=5000).map(|value| value * 3).sum::<i64>() + (1..=700).sum::<i64>();
    assert_eq!(sum(&mut sa, "copy"), model);
    assert_eq!(sum(&mut sa, "shop"), model + 1_000_000);
    assert_eq!(
        one(&mut sa, "SELECT CONVERT(int, is_read_committed_snapshot_on) FROM sys.databases WHERE name = 'copy'"),
        1
    );
    assert_eq!(word(&mut sa, "SELECT SUSER_SNAME(owner_sid) FROM sys.databases WHERE name = 'copy'"), "sa");
    assert_eq!(
        word(&mut sa, "SELECT physical_name FROM sys.master_files WHERE database_id = DB_ID('copy') AND file_id = 1"),
        "/elsewhere/copy.mdf"
    );
    assert_eq!(must(&mut sa, "USE copy; EXEC p; USE master").sets[0].rows.len(), 1);
    must(&mut sa, "USE copy; EXECUTE AS USER = 'clerk'; SELECT COUNT(*) FROM t; REVERT; USE master");
    // New rows and new objects do not meet old ones.
    must(
        &mut sa,
        "INSERT copy..t (v) VALUES (1); INSERT copy..m VALUES (701, 1); USE copy; EXEC('CREATE TABLE fresh (a int)'); USE master",
    );
    // In its place: SIMPLE and the same database, so REPLACE is not asked for.
    must(&mut sa, &format!("RESTORE DATABASE shop FROM DISK = '{}'", path.display()));
    assert_eq!(sum(&mut sa, "shop"), model);
    // And after a start.
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!((sum(&mut sa, "shop"), sum(&mut sa, "copy")), (model, model + 2));
    must(&mut sa, "DBCC CHECKDB ('copy')");
}

const SESSIONS: usize = 3;

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
    let query = |table: &str| {
        format!(
            "SELECT session, COUNT_BIG(*), MAX(CAST(n AS bigint)), SUM(CAST(n AS bigint)) FROM {database}..{table} GROUP BY session"
        )
    };
    let mut of = |table: &str| -> BTreeMap<i64, i64> {
        let answer = must(sa, &query(table));
        answer.sets[0]
            .rows
            .iter()
            .map(|row| {
                let (count, last, sum) = (row[1].as_i64(), row[2].as_i64(), row[3].as_i64());
                assert_eq!((count, sum), (last, last * (last + 1) / 2), "none is missing in {table}");
                (row[0].as_i64(), last)
            })
            .collect()
    };
    let (on_pages, in_memory) = (of("t"), of("m"));
    assert_eq!(on_pages, in_memory, "a transaction is whole or not there");
    on_pages
}

#[test]
fn a_backup_under_load_is_of_one_moment_in_all_tables() {
    let (server, directory) = start("backup-load");
    let mut sa = connect(&server, "master");
    for batch in [
        "CREATE DATABASE load",
        "USE load; CREATE TABLE t (session int, n int, note varchar(3000), PRIMARY KEY (session, n));
         CREATE TABLE m (session int NOT NULL, n int NOT NULL, PRIMARY KEY NONCLUSTERED (session, n)) WITH (MEMORY_OPTIMIZED = ON)",
        "USE master",
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
    let path = directory.join("load.bak");
    let mut moments = Vec::new();
    for round in 0..4 {
        std::thread::sleep(Duration::from_millis(300));
        let compressed = if round % 2 == 0 { "COMPRESSION" } else { "NO_COMPRESSION" };
        let before = now();
        must(&mut sa, &format!("BACKUP DATABASE load TO DISK = '{}' WITH {compressed}", path.display()));
        moments.push((before, now()));
    }
    for (at, (before, after)) in moments.iter().enumerate() {
        let from = format!("FROM DISK = '{}' WITH FILE = {}", path.display(), at + 1);
        must(&mut sa, &format!("RESTORE VERIFYONLY {from}"));
        must(&mut sa, &format!("RESTORE DATABASE then_{at} {from}"));
        let found = last_rows(&mut sa, &format!("then_{at}"));
        for session in 0..SESSIONS {
            let last = found.get(&(session as i64)).copied().unwrap_or(0);
            // One more may have been committed and not yet acknowledged.
            let range = before[session]..=after[session] + 1;
            assert!(range.contains(&last), "session {session} of backup {at}: {last} is not in {range:?}");
        }
        must(&mut sa, &format!("DBCC CHECKDB ('then_{at}') WITH NO_INFOMSGS"));
    }
    stop.store(true, Ordering::SeqCst);
    workers.into_iter().for_each(|worker| worker.join().expect("the load ran"));
    let found = last_rows(&mut sa, "load");
    assert_eq!(found.into_values().collect::<Vec<_>>(), now());
}

/// A database with some megabytes, and a backup of it at `path`.
fn with_backup(sa: &mut Connection, name: &str, path: &Path) {
    must(sa, &format!("CREATE DATABASE {name}"));
    must(
        sa,
        &format!(
            "USE {name}; CREATE TABLE t (id int PRIMARY KEY, v varchar(900)); \
             INSERT t SELECT value, REPLICATE('y', 400 + value % 400) FROM GENERATE_SERIES(1, 8000); USE master"
        ),
    );
    must(sa, &format!("BACKUP DATABASE {name} TO DISK = '{}'", path.display()));
}

#[test]
fn what_cannot_be_restored_is_refused_and_names_why() {
    let (server, directory) = start("backup-refused");
    let mut sa = connect(&server, "master");
    let path = directory.join("kept.bak");
    let at = |name: &str| directory.join(name).display().to_string();
    with_backup(&mut sa, "kept", &path);
    let whole = std::fs::read(&path).expect("the backup");
    let mut refused = |statement: &str, wanted: &[i32]| {
        let answer = ask(&mut sa, statement);
        assert_eq!(numbers(&answer), wanted, "{statement}: {:?}", texts(&answer));
        texts(&answer).into_iter().next().unwrap_or_default().1
    };
    // https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-3201-database-engine-error
    let told = refused(&format!("RESTORE DATABASE x FROM DISK = '{}'", at("missing.bak")), &[3201, 3013]);
    assert!(told.ends_with("Operating system error 2(The system cannot find the file specified.)."), "{told}");
    let told = refused("BACKUP DATABASE kept TO DISK = '/dev/null/no/x.bak'", &[3201, 3013]);
    assert!(told.ends_with("Operating system error 3(The system cannot find the path specified.)."), "{told}");
    // The instance's own files are nobody's device.
    refused(&format!("BACKUP DATABASE kept TO DISK = '{}/control' WITH FORMAT", at("data")), &[3201, 3013]);
    refused("BACKUP DATABASE kept TO DISK = '../control' WITH FORMAT", &[3201, 3013]);
    std::fs::write(at("text.bak"), "no backup at all").expect("written");
    std::fs::write(at("empty.bak"), "").expect("written");
    std::fs::write(at("cut.bak"), &whole[..whole.len() / 2]).expect("written");
    for place in [whole.len() / 3, whole.len() - 200] {
        let mut damaged = whole.clone();
        damaged[place] ^= 1;
        std::fs::write(at(&format!("damaged_{place}.bak")), damaged).expect("written");
        let from = format!("FROM DISK = '{}'", at(&format!("damaged_{place}.bak")));
        refused(&format!("RESTORE VERIFYONLY {from}"), &[3189, 3013]);
        refused(&format!("RESTORE DATABASE x {from}"), &[3189, 3013]);
    }
    for (name, number) in [("text.bak", 3241), ("empty.bak", 3254), ("cut.bak", 3256)] {
        for what in ["DATABASE x", "HEADERONLY", "FILELISTONLY", "LABELONLY", "VERIFYONLY"] {
            refused(&format!("RESTORE {what} FROM DISK = '{}'", at(name)), &[number, 3013]);
        }
    }
    refused(&format!("BACKUP DATABASE kept TO DISK = '{}' WITH INIT", at("text.bak")), &[3241, 3013]);
    assert_eq!(std::fs::read(at("text.bak")).expect("there"), b"no backup at all");
    refused(&format!("RESTORE DATABASE x FROM DISK = '{}' WITH FILE = 2", path.display()), &[4038, 3013]);
    refused(&format!("RESTORE DATABASE x FROM DISK = '{}' WITH MOVE 'other' TO '/x'", path.display()), &[3234, 3013]);
    // The database that is there: of the same family under FULL, of another, in use.
    refused(&format!("RESTORE DATABASE kept FROM DISK = '{}'", path.display()), &[3159, 3013]);
    refused("CREATE DATABASE other", &[]);
    refused(&format!("RESTORE DATABASE other FROM DISK = '{}'", path.display()), &[3154, 3013]);
    refused(
        &format!("USE kept; RESTORE DATABASE kept FROM DISK = '{}' WITH REPLACE", path.display()),
        &[5701, 3102, 3013],
    );
    refused("USE master", &[5701]);
    let mut inside = connect(&server, "kept");
    refused(&format!("RESTORE DATABASE kept FROM DISK = '{}' WITH REPLACE", path.display()), &[3101, 3013]);
    assert_eq!(one(&mut inside, "SELECT COUNT(*) FROM t"), 8000);
    drop(inside);
    refused(&format!("BEGIN TRAN; RESTORE DATABASE x FROM DISK = '{}'; ROLLBACK", path.display()), &[3021, 3013]);
    refused("BEGIN TRAN; BACKUP DATABASE kept TO DISK = 'x'; ROLLBACK", &[3021, 3013]);
    refused(&format!("RESTORE DATABASE master FROM DISK = '{}' WITH REPLACE", path.display()), &[3108, 3013]);
    // None of them left anything.
    let answer =
        ask(&mut sa, "SELECT name FROM sys.databases WHERE database_id > 4 AND database_id < 32766 ORDER BY name");
    let names: Vec<String> = answer.sets[0].rows.iter().map(|row| text_of(&row[0])).collect();
    assert_eq!(names, ["kept", "other"]);
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM kept..t"), 8000);
}

#[test]
fn sets_are_appended_replaced_and_described() {
    let (server, directory) = start("backup-sets");
    let mut sa = connect(&server, "master");
    let path = directory.join("sets.bak");
    let disk = format!("DISK = '{}'", path.display());
    must(&mut sa, "CREATE DATABASE sets; ALTER DATABASE sets SET RECOVERY SIMPLE");
    must(
        &mut sa,
        &format!(
            "BACKUP DATABASE sets TO {disk} WITH NAME = 'first', MEDIANAME = 'shelf', EXPIREDATE = '2099-12-31', STATS"
        ),
    );
    must(&mut sa, "USE sets; CREATE TABLE t (a int); INSERT t VALUES (7); USE master");
    must(
        &mut sa,
        &format!(
            "BACKUP DATABASE sets TO {disk} WITH NAME = 'second', DESCRIPTION = N'mit Umlauten: äöü', COPY_ONLY, COMPRESSION"
        ),
    );
    let headers = must(&mut sa, &format!("RESTORE HEADERONLY FROM {disk}"));
    let set = &headers.sets[0];
    let column =
        |name: &str| set.columns.iter().position(|column| &*column.name == name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!((set.rows.len(), set.columns.len()), (2, 59));
    assert_eq!((column("BackupName"), column("EncryptorType"), column("CompressionAlgorithm")), (0, 55, 58));
    let words = |name: &str| set.rows.iter().map(|row| text_of(&row[column(name)])).collect::<Vec<_>>();
    let values = |name: &str| set.rows.iter().map(|row| row[column(name)].as_i64()).collect::<Vec<_>>();
    assert_eq!(words("BackupName"), ["first", "second"]);
    assert_eq!(words("DatabaseName"), ["sets", "sets"]);
    assert_eq!(words("RecoveryModel"), ["SIMPLE", "SIMPLE"]);
    assert_eq!((values("Position"), values("BackupType")), (vec![1, 2], vec![1, 1]));
    assert_eq!((values("IsCopyOnly"), values("Compressed")), (vec![0, 1], vec![0, 1]));
    assert_eq!(text_of(&set.rows[1][column("BackupDescription")]), "mit Umlauten: äöü");
    assert!(set.rows[0][column("BackupFinishDate")].as_i64() >= set.rows[0][column("BackupStartDate")].as_i64());
    let one_of_them = must(&mut sa, &format!("RESTORE HEADERONLY FROM {disk} WITH FILE = 2"));
    assert_eq!(one_of_them.sets[0].rows.len(), 1);
    let files = must(&mut sa, &format!("RESTORE FILELISTONLY FROM {disk} WITH FILE = 2"));
    let names: Vec<String> = files.sets[0].rows.iter().map(|row| text_of(&row[0])).collect();
    assert_eq!((files.sets[0].columns.len(), names), (22, vec!["sets".into(), "sets_log".into()]));
    assert_eq!(files.sets[0].rows.iter().map(|row| row[2].as_bytes()[0]).collect::<Vec<_>>(), b"DL");
    let label = must(&mut sa, &format!("RESTORE LABELONLY FROM {disk}"));
    assert_eq!((label.sets[0].columns.len(), text_of(&label.sets[0].rows[0][0])), (13, "shelf".into()));
    // The first has not expired: INIT does not overwrite it, SKIP and FORMAT do.
    assert_eq!(numbers(&ask(&mut sa, &format!("BACKUP DATABASE sets TO {disk} WITH INIT"))), [4030, 3013]);
    assert_eq!(
        numbers(&ask(&mut sa, &format!("BACKUP DATABASE sets TO {disk} WITH MEDIANAME = 'drawer'"))),
        [4037, 3013]
    );
    for (file, there) in [(1, 0), (2, 1)] {
        must(&mut sa, &format!("RESTORE DATABASE sets FROM {disk} WITH FILE = {file}"));
        assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM sets.sys.tables"), there);
    }
    must(&mut sa, &format!("BACKUP DATABASE sets TO {disk} WITH INIT, SKIP, NAME = 'third'"));
    let label = must(&mut sa, &format!("RESTORE LABELONLY FROM {disk}"));
    assert_eq!(text_of(&label.sets[0].rows[0][0]), "shelf", "INIT keeps the media's header");
    must(&mut sa, &format!("BACKUP DATABASE sets TO {disk} WITH FORMAT"));
    assert!(must(&mut sa, &format!("RESTORE LABELONLY FROM {disk}")).sets[0].rows[0][0].is_null());
    // What msdb knows of all that.
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM msdb.dbo.backupset WHERE database_name = 'sets'"), 4);
    assert_eq!(
        one(
            &mut sa,
            "SELECT COUNT(*) FROM msdb.dbo.backupset s JOIN msdb.dbo.backupmediafamily f ON f.media_set_id = s.media_set_id JOIN msdb.dbo.backupmediaset m ON m.media_set_id = s.media_set_id WHERE m.name = 'shelf'"
        ),
        3
    );
    assert_eq!(
        one(
            &mut sa,
            "SELECT COUNT(*) FROM msdb.dbo.restorehistory h JOIN msdb.dbo.backupset s ON s.backup_set_id = h.backup_set_id WHERE h.destination_database_name = 'sets' AND s.name IN ('first', 'second')"
        ),
        2
    );
    assert_eq!(
        one(
            &mut sa,
            "SELECT COUNT(*) FROM msdb..backupfile WHERE backup_set_id = (SELECT MAX(backup_set_id) FROM msdb..backupset)"
        ),
        2
    );
    assert_eq!(one(&mut sa, "SELECT COUNT(DISTINCT family_guid) FROM msdb..backupset"), 1);
    assert_eq!(
        one(&mut sa, "SELECT COUNT(DISTINCT database_guid) FROM msdb..backupset"),
        2,
        "each restore is one of its own"
    );
    // History is kept.
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM msdb.dbo.backupset"), 4);
    must(&mut sa, &format!("BACKUP DATABASE sets TO {disk}"));
    assert_eq!(one(&mut sa, "SELECT COUNT(DISTINCT backup_set_id) FROM msdb.dbo.backupset"), 5);
}

/// A second, on a machine that does much else.
const STOPPED_MAX: Duration = Duration::from_secs(4);

/// A file that came of a backup that was ended: none, or one without a set in it, or a whole one.
fn is_sound_or_refused(sa: &mut Connection, path: &Path) -> bool {
    let answer = ask(sa, &format!("RESTORE VERIFYONLY FROM DISK = '{}'", path.display()));
    let told = numbers(&answer);
    assert!(told == [3262] || [3201, 3241, 3254, 3256, 3189].iter().any(|number| told == [*number, 3013]), "{told:?}");
    told == [3262]
}

#[test]
fn who_takes_a_backup_or_restore_back_gets_it_back_in_a_second() {
    let (server, directory) = start("backup-stopped");
    let mut sa = connect(&server, "master");
    with_backup(&mut sa, "big", &directory.join("big.bak"));
    must(
        &mut sa,
        "USE big; INSERT t SELECT value, REPLICATE(CONVERT(varchar(40), NEWID()), 20) FROM GENERATE_SERIES(10001, 70000); USE master",
    );
    let kept = directory.join("kept.bak");
    must(&mut sa, &format!("BACKUP DATABASE big TO DISK = '{}'", kept.display()));
    let path = directory.join("stopped.bak");
    let backup = format!("BACKUP DATABASE big TO DISK = '{}' WITH COMPRESSION, FORMAT", path.display());
    let restore = format!("RESTORE DATABASE big2 FROM DISK = '{}'", kept.display());
    let (mut seen, mut stopped) = (0, 0);
    for round in 0..12_u64 {
        let statement = if round % 2 == 0 { &backup } else { &restore };
        let history = format!("SELECT COUNT(*) FROM msdb.dbo.{}", ["backupset", "restorehistory"][round as usize % 2]);
        let before = one(&mut sa, &history);
        let mut wire = Wire::open(server.port, "master").expect("logged in");
        let spid = must_number(&mut wire, "SELECT CONVERT(int, @@SPID)");
        wire.client.batch(statement);
        wire.send();
        std::thread::sleep(Duration::from_millis(4 + 2 * round * round));
        let running = must(
            &mut sa,
            &format!(
                "SELECT command, CONVERT(int, percent_complete) FROM sys.dm_exec_requests WHERE session_id = {spid}"
            ),
        );
        if let Some(row) = running.sets[0].rows.first() {
            let wanted = if round % 2 == 0 { "BACKUP DATABASE" } else { "RESTORE DATABASE" };
            assert_eq!(text_of(&row[0]), wanted);
            seen += i32::from(row[1].as_i64() > 0);
        }
        let begun = Instant::now();
        let answer = if round % 4 < 2 {
            wire.client.attention();
            wire.send();
            wire.answer()
        } else {
            ask(&mut sa, &format!("KILL {spid}"));
            wire.answer()
        };
        assert!(begun.elapsed() < STOPPED_MAX, "{statement} went on for {:?}", begun.elapsed());
        // Who was killed hears it when his statement has ended, or is cut off before.
        let killed = answer.closed || answer.errors.iter().any(|(number, ..)| *number == 596);
        let running = format!("SELECT COUNT(*) FROM sys.dm_exec_requests WHERE session_id = {spid}");
        while round % 4 >= 2 && one(&mut sa, &running) > 0 {
            assert!(begun.elapsed() < STOPPED_MAX, "{statement} went on for {:?}", begun.elapsed());
            std::thread::sleep(Duration::from_millis(5));
        }
        // An attention is acknowledged after the end, too: what had come to its end is in the history.
        if (answer.cancelled || killed) && one(&mut sa, &history) == before {
            stopped += 1;
            if round % 2 == 0 {
                assert!(!is_sound_or_refused(&mut sa, &path), "a backup that was stopped verifies");
            } else {
                assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM sys.databases WHERE name = 'big2'"), 0);
            }
        }
        drop(wire);
        ask(&mut sa, "DROP DATABASE IF EXISTS big2");
    }
    assert!(stopped >= 4, "{stopped} of 12 were stopped");
    assert!(seen >= 1, "nobody was seen on the way");
    must(&mut sa, &backup);
    must(&mut sa, &restore);
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM big2..t"), 68_000);
}

fn must_number(wire: &mut Wire, query: &str) -> i64 {
    support::wire::one(wire, query)
}

/// Rounds of kills.
const LAST: u64 = 8;

#[test]
fn a_kill_leaves_the_old_database_or_the_new_one() {
    let directory = scratch("backup-killed");
    let data = directory.join("data");
    let path = directory.join("kept.bak");
    let torn = directory.join("torn.bak");
    let mut changed = false;
    for round in 0..=LAST {
        let server = Server::start_on(data.to_str().expect("UTF-8"), &["--admin-listen", "off"]);
        let mut sa = connect(&server, "master");
        if round == 0 {
            with_backup(&mut sa, "kept", &path);
            must(&mut sa, "INSERT kept..t SELECT value, 'later' FROM GENERATE_SERIES(20001, 20100)");
        } else {
            let rows = one(&mut sa, "SELECT COUNT(*) FROM kept..t");
            assert!(rows == 8000 || rows == 8100, "round {round}: {rows} rows");
            changed |= rows == 8000;
            must(&mut sa, "DBCC CHECKDB ('kept') WITH NO_INFOMSGS");
            assert!(is_sound_or_refused(&mut sa, &path), "the backup is whole");
            is_sound_or_refused(&mut sa, &torn);
            assert!(
                !data.join("restore").exists()
                    || std::fs::read_dir(data.join("restore")).expect("read").next().is_none()
            );
            must(
                &mut sa,
                "DELETE kept..t WHERE id > 20000; INSERT kept..t SELECT value, 'later' FROM GENERATE_SERIES(20001, 20100)",
            );
        }
        drop(sa);
        let port = server.port;
        let statements = [
            format!("BACKUP DATABASE kept TO DISK = '{}' WITH FORMAT, COMPRESSION", torn.display()),
            format!("RESTORE DATABASE kept FROM DISK = '{}' WITH REPLACE", path.display()),
        ];
        let worker = std::thread::spawn(move || {
            let Some(mut wire) = Wire::open(port, "master") else { return };
            for statement in statements {
                if wire.query(&statement).closed {
                    return;
                }
            }
        });
        // In one round both come to their end.
        if round == LAST - 1 {
            worker.join().expect("it ran");
            server.kill();
            continue;
        }
        std::thread::sleep(Duration::from_millis(40 + round * 60));
        server.kill();
        worker.join().expect("it ran");
    }
    assert!(changed, "no restore got to its end in any round");
}

/// Sums of the rows on pages and in memory.
fn sums(sa: &mut Connection, name: &str) -> (i64, i64) {
    let sum = |table: &str| format!("SELECT ISNULL(SUM(CONVERT(bigint, id)), 0) FROM {name}..{table}");
    (one(sa, &sum("t")), one(sa, &sum("m")))
}

/// KILLS: so many, in turns within a shrink, the making of a snapshot, and the way back to one.
#[test]
fn a_kill_within_a_shrink_or_a_snapshot_leaves_all_rows() {
    let kills = number("KILLS").unwrap_or(6);
    let seed = number("SEED").unwrap_or(1);
    let mut random = Random(seed);
    let (mut server, directory) = start("killed-within");
    let mut sa = connect(&server, "master");
    must(&mut sa, "CREATE DATABASE shop; CREATE TABLE shop..t (id int PRIMARY KEY, v char(900) NOT NULL)");
    must(
        &mut sa,
        "USE shop; CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED) WITH (MEMORY_OPTIMIZED = ON); USE master",
    );
    must(&mut sa, "INSERT shop..t SELECT value, 'kept' FROM GENERATE_SERIES(1, 3000); INSERT shop..m VALUES (1)");
    let mut ended = [0; 3];
    for round in 0..kills {
        let shown = format!("round {round}, seed {seed}");
        let which = (round % 3) as usize;
        // Pages before the end of the file become free.
        let added = "SELECT value, 'added' FROM GENERATE_SERIES(10001, 14000)";
        must(&mut sa, &format!("INSERT shop..t {added}; DELETE shop..t WHERE id BETWEEN 10001 AND 13900"));
        let make = "CREATE DATABASE shop_then ON (NAME = shop, FILENAME = 'shop_then.ss') AS SNAPSHOT OF shop";
        let then = sums(&mut sa, "shop");
        let statement = match which {
            0 => "DBCC SHRINKDATABASE ('shop') WITH NO_INFOMSGS",
            1 => make,
            _ => {
                must(&mut sa, make);
                must(&mut sa, "DELETE shop..t WHERE id % 7 = 0; INSERT shop..m VALUES (2)");
                "RESTORE DATABASE shop FROM DATABASE_SNAPSHOT = 'shop_then'"
            }
        };
        let before = sums(&mut sa, "shop");
        drop(sa);
        let port = server.port;
        let running = std::thread::spawn(move || {
            if let Some(mut wire) = Wire::open(port, "master") {
                wire.query(statement);
            }
        });
        std::thread::sleep(Duration::from_millis(random.below(if which == 0 { 150 } else { 500 }) as u64));
        server.kill();
        running.join().expect("it ran");
        server = again(&directory);
        sa = connect(&server, "master");
        let found = sums(&mut sa, "shop");
        let has_snapshot = one(&mut sa, "SELECT COUNT(*) FROM sys.databases WHERE name = 'shop_then'") == 1;
        let is_back = which == 2 && found == then;
        assert!(found == before || is_back, "{shown}: {found:?} of {before:?} and {then:?}");
        must(&mut sa, "DBCC CHECKDB ('shop') WITH NO_INFOMSGS");
        if has_snapshot {
            assert_eq!(sums(&mut sa, "shop_then"), then, "{shown}");
            must(&mut sa, "DBCC CHECKDB ('shop_then') WITH NO_INFOMSGS; DROP DATABASE shop_then");
        }
        assert!(which != 2 || has_snapshot, "{shown}: the way back takes the snapshot away");
        ended[which] += u32::from(is_back || which == 1 && has_snapshot);
        must(&mut sa, "DELETE shop..t WHERE id > 10000 OR v <> 'kept'; DELETE shop..m WHERE id > 1");
        must(
            &mut sa,
            "INSERT shop..t SELECT value, 'kept' FROM GENERATE_SERIES(1, 3000) WHERE value NOT IN (SELECT id FROM shop..t)",
        );
    }
    println!("{kills} kills, seed {seed}: {} snapshots and {} ways back were there", ended[1], ended[2]);
}

/// Bytes of a database and of its log that the newest backup of it has read.
fn bytes_read(sa: &mut Connection, database: &str) -> i64 {
    one(
        sa,
        &format!(
            "SELECT CAST(SUM(f.file_size) AS bigint) FROM msdb..backupfile f
               WHERE f.backup_set_id = (SELECT MAX(backup_set_id) FROM msdb..backupset WHERE database_name = '{database}')"
        ),
    )
}

/// docs/operations.md: `--backup-rate`. One backup alone, and two side by side, read within 10 % of what was said.
#[test]
fn backups_read_no_faster_than_they_may() {
    const RATE: f64 = (8 << 20) as f64;
    let directory = scratch("backup-rate");
    let data = directory.join("data");
    let server = Server::start_on(data.to_str().expect("UTF-8"), &["--admin-listen", "off", "--backup-rate", "8MB"]);
    let mut sa = connect(&server, "master");
    for name in ["a", "b"] {
        must(&mut sa, &format!("CREATE DATABASE {name}; ALTER DATABASE {name} SET RECOVERY SIMPLE"));
        must(
            &mut sa,
            &format!("SELECT value AS id, REPLICATE('x', 6000) AS s INTO {name}..t FROM GENERATE_SERIES(1, 4000)"),
        );
        must(&mut sa, "CHECKPOINT");
    }
    let port = server.port;
    let login = || Connection::open(&support::target(port, "master"), None).expect("logged in");
    let backup = |mut connection: Connection, name: &str| {
        must(&mut connection, &format!("BACKUP DATABASE {name} TO DISK = 'NUL' WITH COPY_ONLY"));
    };
    let held = |bytes: i64, took: Duration| {
        let rate = bytes as f64 / took.as_secs_f64();
        assert!((rate / RATE - 1.0).abs() < 0.1, "{bytes} bytes at {rate:.0} a second");
    };
    let (first, second, third) = (login(), login(), login());
    let began = Instant::now();
    backup(first, "a");
    let took = began.elapsed();
    let bytes = bytes_read(&mut sa, "a");
    assert!(bytes > 24 << 20, "{bytes}");
    held(bytes, took);
    let began = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| backup(second, "a"));
        scope.spawn(|| backup(third, "b"));
    });
    let took = began.elapsed();
    let bytes = bytes_read(&mut sa, "a") + bytes_read(&mut sa, "b");
    held(bytes, took);
    // Who waits for its turn hears that it is not wanted any more.
    let mut waiting = connect(&server, "master");
    let spid = one(&mut waiting, "SELECT CAST(@@SPID AS bigint)");
    let began = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(move || waiting.query("BACKUP DATABASE a TO DISK = 'NUL' WITH COPY_ONLY", None).err());
        std::thread::sleep(Duration::from_millis(300));
        must(&mut sa, &format!("KILL {spid}"));
    });
    assert!(began.elapsed() < Duration::from_millis(1_500), "{:?}", began.elapsed());
}

/// https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-clonedatabase-transact-sql
#[test]
fn a_clone_has_tables_in_memory_a_backup_and_survives_a_kill() {
    let (server, directory) = start("backup-clone");
    let mut sa = connect(&server, "master");
    must(&mut sa, "CREATE DATABASE shop");
    must(
        &mut sa,
        "USE shop; CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED, s varchar(max)) WITH (MEMORY_OPTIMIZED = ON);
         CREATE TABLE t (id int IDENTITY PRIMARY KEY, v int NOT NULL); USE master",
    );
    must(
        &mut sa,
        "INSERT shop..m SELECT value, 's' FROM GENERATE_SERIES(1, 500); INSERT shop..t SELECT value FROM GENERATE_SERIES(1, 500)",
    );
    // Others go on with the source.
    let mut other = connect(&server, "shop");
    must(&mut other, "BEGIN TRANSACTION; UPDATE t SET v = 0 WHERE id < 10");
    let told = must(&mut sa, "DBCC CLONEDATABASE (shop, shape) WITH VERIFY_CLONEDB, BACKUP_CLONEDB");
    assert_eq!(numbers(&told), [12620, 12628, 12622, 12626, 12623, 12629, 2528], "{:?}", texts(&told));
    must(&mut other, "ROLLBACK");
    let kept = &texts(&told)[4].1;
    let path = kept.strip_prefix("Clone backup succeeded and is stored in ").and_then(|rest| rest.strip_suffix('.'));
    let path = path.unwrap_or_else(|| panic!("{kept}"));
    assert!(path.starts_with(directory.join("data/backup/shape_").to_str().expect("UTF-8")), "{path}");
    let log = word(
        &mut sa,
        "CREATE TABLE #l (d datetime, p nvarchar(50), t nvarchar(max)); INSERT #l EXEC xp_readerrorlog 0, 1, N'is a cloned database'; SELECT MAX(t) FROM #l",
    );
    assert!(log.contains("Database 'shape' is a cloned database."), "{log}");
    must(&mut sa, &format!("RESTORE DATABASE shape_again FROM DISK = '{path}'"));
    drop((sa, other));
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    for name in ["shape", "shape_again"] {
        let rows = format!("SELECT COUNT(*) + (SELECT COUNT(*) FROM {name}..m) FROM {name}..t");
        assert_eq!(one(&mut sa, &rows), 0, "{name}");
        let clone = format!("SELECT CONVERT(bigint, DATABASEPROPERTYEX('{name}', 'IsVerifiedClone'))");
        assert_eq!(one(&mut sa, &clone), 1, "{name}");
        assert_eq!(numbers(&ask(&mut sa, &format!("INSERT {name}..m VALUES (1, 's')"))), [3906], "{name}");
        must(&mut sa, &format!("ALTER DATABASE {name} SET READ_WRITE"));
        must(&mut sa, &format!("INSERT {name}..m VALUES (1, 's'); INSERT {name}..t VALUES (1)"));
        assert_eq!(one(&mut sa, &rows), 2, "{name}");
        assert_eq!(numbers(&must(&mut sa, &format!("DBCC CHECKDB ('{name}') WITH NO_INFOMSGS"))), Vec::<i32>::new());
    }
    assert_eq!(one(&mut sa, "SELECT COUNT(*) + (SELECT COUNT(*) FROM shop..m) FROM shop..t"), 1_000);
}

/// The commands of docs/operations.md, in their order.
#[test]
fn the_page_about_backups_is_true() {
    let (server, directory) = start("backup-page");
    let mut sa = connect(&server, "master");
    must(&mut sa, "CREATE DATABASE shop");
    must(&mut sa, "USE shop; CREATE TABLE t (a int); INSERT t VALUES (1), (2); USE master");
    let page = std::fs::read_to_string(support::root().join("docs/operations.md")).expect("the page");
    let blocks: Vec<&str> =
        page.split("```sql\n").skip(1).filter_map(|rest| rest.split_once("```")).map(|(block, _)| block).collect();
    assert!(blocks.len() >= 5, "{blocks:?}");
    for block in blocks {
        let answer = must(&mut sa, block);
        if block.contains("msdb.dbo.restorehistory") {
            assert_eq!((answer.sets[0].rows.len(), answer.sets[1].rows.len()), (11, 10));
            let path =
                word(&mut sa, "SELECT physical_device_name FROM msdb.dbo.backupmediafamily ORDER BY media_set_id");
            assert!(Path::new(&path).is_absolute() && path.ends_with("/data/backup/shop.bak"), "{path}");
        }
    }
    assert_eq!(one(&mut sa, "SELECT SUM(a) FROM shop..t"), 3);
    assert!(directory.join("data/backup/shop.bak").exists(), "where the page says");
    let told = word(&mut sa, "SELECT CONVERT(nvarchar(400), SERVERPROPERTY('InstanceDefaultBackupPath'))");
    assert_eq!(Path::new(&told), directory.join("data/backup"));
}
