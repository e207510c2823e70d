//! Files that are missing, damaged or cut, with real files under a running server: one database stops and the others go on, CHECKDB
//! names what is wrong, and what cannot be told apart from a loss of commits is refused at the start.
//!
//! https://learn.microsoft.com/sql/relational-databases/databases/database-states
//! https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-checkdb-transact-sql
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use lab::client::Connection;
use support::ask::{ask, connect, must, numbers, one, word};
use support::files::{PAGE, again, data_file, filled, overwrite, refused_start, rows, start, state};
use support::{scratch, target};

/// The number of the first error of a batch.
fn error_of(sa: &mut Connection, text: &str) -> i32 {
    let answer = ask(sa, text);
    answer.first_error().unwrap_or_else(|| panic!("no error: {text}")).number
}

fn logs(directory: &Path) -> Vec<PathBuf> {
    let names = fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    let mut logs: Vec<PathBuf> =
        names.filter(|path| path.extension().is_some_and(|extension| extension == "log")).collect();
    logs.sort();
    logs
}

/// Two databases, `a` and `b`.
fn two_databases(sa: &mut Connection) {
    ["a", "b"].iter().for_each(|name| filled(sa, name));
}

#[test]
fn a_missing_file_stops_its_database_alone_until_it_is_back() {
    let (server, directory) = start("damage-missing");
    let mut sa = connect(&server, "master");
    two_databases(&mut sa);
    let id = one(&mut sa, "SELECT DB_ID('a')");
    // A file that came after the last checkpoint is made anew from the log.
    must(&mut sa, "CHECKPOINT; DELETE a..h WHERE x = 0; INSERT a..h SELECT 0, 'z' FROM GENERATE_SERIES(1, 48)");
    drop(sa);
    server.kill();
    let file = data_file(&directory, id);
    let away = directory.join("away");
    fs::rename(&file, &away).expect("moved");
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!((state(&mut sa, "a"), state(&mut sa, "b")), ("RECOVERY_PENDING".into(), "ONLINE".into()));
    for text in ["USE a", "SELECT COUNT(*) FROM a..t", "INSERT a..h VALUES (1, 'y')", "DBCC CHECKDB ('a')"] {
        let answer = ask(&mut sa, text);
        let error = answer.first_error().expect(text);
        assert_eq!((error.number, error.severity, error.state), (945, 14, 2), "{text}: {}", error.text);
        assert!(error.text.starts_with("Database 'a' cannot be opened due to inaccessible files"), "{}", error.text);
    }
    assert!(Connection::open(&target(server.port, "a"), None).is_err(), "4060");
    assert_eq!(rows(&mut sa, "b"), 3_800);
    must(&mut sa, "INSERT b..m VALUES (301, 1); CHECKPOINT");
    let log = word(
        &mut sa,
        "CREATE TABLE #l (d datetime, p nvarchar(50), t nvarchar(max)); INSERT #l EXEC xp_readerrorlog 0, 1, N'FCB::Open'; SELECT MAX(t) FROM #l",
    );
    assert!(log.contains("'a'") && log.contains(".hdb"), "{log}");
    assert_eq!(error_of(&mut sa, "ALTER DATABASE a SET ONLINE"), 945, "it is still away");
    assert_eq!(
        one(
            &mut sa,
            "SELECT COUNT(*) FROM sys.master_files WHERE database_id = DB_ID('a') AND state_desc = 'RECOVERY_PENDING'"
        ),
        2
    );
    fs::rename(&away, &file).expect("back");
    must(&mut sa, "ALTER DATABASE a SET ONLINE");
    assert_eq!(rows(&mut sa, "a"), 3_800);
    must(&mut sa, "DBCC CHECKDB ('a') WITH NO_INFOMSGS; INSERT a..m VALUES (301, 1); INSERT a..h VALUES (1, 'y')");
    drop(sa);
    // At a start without a SET, and what cannot come back is dropped.
    server.kill();
    fs::rename(&file, &away).expect("moved");
    // What cannot be opened there counts as no file, also for the pages that the last batch of writes has of it.
    fs::create_dir(&file).expect("made");
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!((state(&mut sa, "a"), state(&mut sa, "b")), ("RECOVERY_PENDING".into(), "ONLINE".into()));
    drop(sa);
    drop(server);
    fs::remove_dir(&file).expect("removed");
    fs::rename(&away, &file).expect("back");
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(rows(&mut sa, "a"), 3_802);
    drop(sa);
    server.kill();
    fs::remove_file(&file).expect("removed");
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    must(&mut sa, "DROP DATABASE a");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM sys.databases WHERE name = 'a'"), 0);
    must(&mut sa, "CREATE DATABASE a");
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(state(&mut sa, "a"), "ONLINE");
}

#[test]
fn a_damaged_file_is_suspect_and_mended_by_a_good_copy() {
    let (server, directory) = start("damage-suspect");
    let mut sa = connect(&server, "master");
    two_databases(&mut sa);
    let id = one(&mut sa, "SELECT DB_ID('a')");
    must(&mut sa, "CHECKPOINT");
    drop(sa);
    server.stop();
    let file = data_file(&directory, id);
    let mut whole = vec![0; PAGE as usize];
    fs::File::open(&file).expect("readable").read_exact_at(&mut whole, 2 * PAGE).expect("read");
    overwrite(&file, 2 * PAGE + 100, &[0xa5; 16]);
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!((state(&mut sa, "a"), state(&mut sa, "b")), ("SUSPECT".into(), "ONLINE".into()));
    let answer = ask(&mut sa, "SELECT * FROM a..t");
    let error = answer.first_error().expect("an error");
    assert_eq!((error.number, error.severity, error.state), (926, 14, 1));
    assert_eq!(
        error.text,
        "Database 'a' cannot be opened. It has been marked SUSPECT by recovery. See the SQL Server errorlog for more information."
    );
    assert_eq!(rows(&mut sa, "b"), 3_800);
    overwrite(&file, 2 * PAGE, &whole);
    must(&mut sa, "ALTER DATABASE a SET ONLINE");
    assert_eq!(rows(&mut sa, "a"), 3_800);
}

#[test]
fn offline_closes_the_file_and_online_opens_it() {
    let (server, directory) = start("damage-offline");
    let mut sa = connect(&server, "master");
    two_databases(&mut sa);
    let id = one(&mut sa, "SELECT DB_ID('a')");
    let mut user = Connection::open(&target(server.port, "a"), None).expect("logged in");
    assert_eq!(error_of(&mut sa, "ALTER DATABASE a SET OFFLINE WITH NO_WAIT"), 5070);
    assert_eq!(error_of(&mut sa, "ALTER DATABASE master SET OFFLINE"), 5058);
    must(&mut user, "BEGIN TRAN; UPDATE t SET v = 1; UPDATE m WITH (SNAPSHOT) SET v = 1");
    must(&mut sa, "ALTER DATABASE a SET OFFLINE WITH ROLLBACK IMMEDIATE");
    assert_eq!(state(&mut sa, "a"), "OFFLINE");
    assert_eq!(one(&mut sa, "SELECT CONVERT(int, state) FROM sys.databases WHERE name = 'a'"), 6);
    let answer = ask(&mut sa, "USE a");
    let error = answer.first_error().expect("an error");
    assert_eq!((error.number, error.severity, error.state), (942, 14, 4));
    assert_eq!(error.text, "Database 'a' cannot be opened because it is offline.");
    assert_eq!(error_of(&mut sa, "ALTER DATABASE a SET READ_ONLY"), 942);
    // The file is whole: a copy taken now is the database as it was.
    let file = data_file(&directory, id);
    let copy = directory.join("copy");
    fs::copy(&file, &copy).expect("copied");
    drop((user, sa));
    server.stop();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(state(&mut sa, "a"), "OFFLINE");
    must(&mut sa, "EXEC sp_dboption 'a', 'offline', 'false'");
    assert_eq!(rows(&mut sa, "a"), 3_800);
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..t WHERE v = 1"), 21);
    must(&mut sa, "UPDATE a..t SET v = 1; ALTER DATABASE a SET OFFLINE");
    fs::copy(&copy, &file).expect("copied back");
    must(&mut sa, "ALTER DATABASE a SET ONLINE; DBCC CHECKDB ('a') WITH NO_INFOMSGS");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..t WHERE v = 1"), 21);
    must(&mut sa, "ALTER DATABASE a SET OFFLINE; DROP DATABASE a");
}

#[test]
fn checkdb_names_what_is_wrong() {
    let (server, directory) = start("damage-checkdb");
    let mut sa = connect(&server, "master");
    two_databases(&mut sa);
    assert_eq!(numbers(&must(&mut sa, "DBCC CHECKDB ('a') WITH NO_INFOMSGS")), Vec::<i32>::new());
    let clean = must(&mut sa, "DBCC CHECKDB ('a')");
    let summary = "CHECKDB found 0 allocation errors and 0 consistency errors in database 'a'.";
    assert!(clean.messages.iter().any(|message| message.text == summary), "{:?}", clean.messages);
    must(&mut sa, "CHECKPOINT");
    let id = one(&mut sa, "SELECT DB_ID('a')");
    let file = data_file(&directory, id);
    let mut whole = vec![0; fs::metadata(&file).expect("a file").len() as usize];
    fs::File::open(&file).expect("readable").read_exact_at(&mut whole, 0).expect("read");
    let in_use = (0..whole.len() as u64 / PAGE)
        .filter(|page| {
            let bytes = &whole[(page * PAGE) as usize..][..PAGE as usize];
            matches!(bytes[4], 1..=4) && u32::from_le_bytes(bytes[16..20].try_into().expect("4 bytes")) == *page as u32
        })
        .collect::<Vec<_>>();
    assert!(in_use.len() > 60, "{in_use:?}");
    // While the page is in memory, whole.
    for page in in_use.into_iter().enumerate().filter(|(at, _)| *at < 6 || at % 9 == 0).map(|(_, page)| page) {
        overwrite(&file, page * PAGE + 200, b"damage");
        let answer = ask(&mut sa, "DBCC CHECKDB ('a') WITH NO_INFOMSGS");
        let told: Vec<i32> = numbers(&answer);
        assert!(told.iter().any(|number| matches!(number, 8928 | 8939 | 8946)), "page {page}: {told:?}");
        assert!(told.contains(&8989), "page {page}: {told:?}");
        let named = format!("(1:{page})");
        assert!(
            answer.messages.iter().any(|message| message.text.contains(&named)),
            "page {page}: {:?}",
            answer.messages
        );
        overwrite(&file, page * PAGE, &whole[(page * PAGE) as usize..][..PAGE as usize]);
    }
    assert_eq!(numbers(&must(&mut sa, "DBCC CHECKDB ('a') WITH NO_INFOMSGS")), Vec::<i32>::new());
    // Read from disk: 824 to the statement that needs it, and to no other.
    drop(sa);
    server.stop();
    let leaf =
        (20..whole.len() as u64 / PAGE).rev().find(|page| whole[(page * PAGE) as usize + 4] == 3).expect("a leaf");
    overwrite(&file, leaf * PAGE + 200, b"damage");
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    let answer = ask(&mut sa, "DBCC CHECKDB ('a') WITH NO_INFOMSGS, ALL_ERRORMSGS");
    let told = numbers(&answer);
    assert!(told.contains(&8928) && told.contains(&8989), "{told:?}");
    let as_rows = must(&mut sa, "DBCC CHECKDB ('a') WITH TABLERESULTS, NO_INFOMSGS");
    assert_eq!(as_rows.sets[0].rows[0][0].as_i64(), 8928);
    assert_eq!(as_rows.sets[0].rows[0][15].as_i64(), leaf as i64);
    let reads = ["SELECT SUM(LEN(l)) FROM a..t", "SELECT COUNT(s) FROM a..t", "SELECT COUNT(y) FROM a..h"];
    // Of severity 24, so the connection goes with it.
    let failed: Vec<i32> = reads
        .iter()
        .filter_map(|text| ask(&mut connect(&server, "master"), text).first_error().map(|error| error.number))
        .collect();
    assert!(failed.iter().all(|number| *number == 824), "{failed:?}");
    assert!(failed.len() < reads.len(), "{failed:?}");
    assert_eq!(rows(&mut sa, "b"), 3_800);
    assert_eq!(error_of(&mut sa, "DBCC CHECKDB ('a', REPAIR_REBUILD)"), 7919);
}

#[test]
fn a_log_that_lost_what_was_committed_is_refused() {
    for (name, damage) in [
        ("all", (|log| log.iter().for_each(|path| fs::remove_file(path).expect("removed"))) as fn(&[PathBuf])),
        ("newest", |log| fs::remove_file(log.last().expect("some")).expect("removed")),
        ("cut", |log| {
            let file = OpenOptions::new().write(true).open(&log[0]).expect("writable");
            file.set_len(file.metadata().expect("a length").len() / 2).expect("cut");
        }),
    ] {
        let (server, directory) = start(&format!("damage-log-{name}"));
        let mut sa = connect(&server, "master");
        must(&mut sa, "CREATE TABLE t (a int)");
        for at in 0..50 {
            must(&mut sa, &format!("INSERT t VALUES ({at})"));
        }
        drop(sa);
        server.kill();
        let whole = scratch(&format!("damage-log-{name}-whole"));
        logs(&directory).iter().for_each(|path| {
            fs::copy(path, whole.join(path.file_name().expect("a name"))).expect("copied");
        });
        damage(&logs(&directory));
        let said = refused_start(&directory);
        assert!(said.contains("log") && said.contains("restore"), "{name}: {said}");
        // Nothing was done to it: with its files it starts.
        for entry in fs::read_dir(&whole).expect("a directory") {
            let path = entry.expect("an entry").path();
            fs::copy(&path, directory.join(path.file_name().expect("a name"))).expect("copied");
        }
        let server = again(&directory);
        assert_eq!(one(&mut connect(&server, "master"), "SELECT COUNT(*) FROM t"), 50, "{name}");
    }
}

/// Without its control file a directory with data is no new one.
#[test]
fn a_missing_control_file_is_refused_and_costs_nothing() {
    let (server, directory) = start("damage-control");
    let mut sa = connect(&server, "master");
    two_databases(&mut sa);
    must(&mut sa, "CHECKPOINT");
    drop(sa);
    server.stop();
    let (file, away) = (directory.join("heddle.hct"), directory.join("away"));
    fs::rename(&file, &away).expect("moved");
    let words = refused_start(&directory);
    assert!(words.contains("heddle.hct is missing"), "{words}");
    fs::rename(&away, &file).expect("back");
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!((rows(&mut sa, "a"), rows(&mut sa, "b")), (3_800, 3_800));
}

#[test]
fn no_start_after_a_kill_or_a_stop_takes_its_log_for_short() {
    let (mut server, directory) = start("damage-no-alarm");
    for round in 0..8 {
        let mut sa = connect(&server, "master");
        must(&mut sa, &format!("CREATE TABLE t{round} (a int, s char(4000))"));
        must(&mut sa, &format!("INSERT t{round} SELECT value, 's' FROM GENERATE_SERIES(1, {})", 100 + round * 600));
        if round == 4 {
            must(&mut sa, "CHECKPOINT");
        }
        drop(sa);
        if round % 2 == 0 {
            server.kill()
        } else {
            server.stop();
        }
        server = again(&directory);
    }
    assert_eq!(one(&mut connect(&server, "master"), "SELECT COUNT(*) FROM t7"), 4_300);
}

#[test]
fn files_give_back_what_is_free() {
    let (server, directory) = start("damage-shrink");
    let mut sa = connect(&server, "master");
    must(&mut sa, "CREATE DATABASE a");
    must(
        &mut sa,
        "USE a; CREATE TABLE k (a int); INSERT k VALUES (1); CREATE TABLE t (a int, s char(4000)); INSERT t SELECT value, 's' FROM GENERATE_SERIES(1, 3000)",
    );
    must(&mut sa, "CHECKPOINT");
    let id = one(&mut sa, "SELECT DB_ID('a')");
    let file = data_file(&directory, id);
    let full = fs::metadata(&file).expect("a file").len();
    must(&mut sa, "DROP TABLE t");
    let answer = must(&mut sa, "DBCC SHRINKFILE (1)");
    let row = &answer.sets[0].rows[0];
    let now = fs::metadata(&file).expect("a file").len();
    assert!(now < full / 4, "{full} to {now}");
    assert_eq!(row[2].as_i64() as u64 * PAGE, now, "CurrentSize is the file's");
    assert_eq!(
        one(&mut sa, "SELECT CONVERT(int, size) FROM sys.database_files WHERE file_id = 1") as u64 * PAGE,
        now.max(8 << 20)
    );
    must(&mut sa, "DBCC SHRINKFILE ('a_log') WITH NO_INFOMSGS; DBCC SHRINKDATABASE ('a', 10) WITH NO_INFOMSGS");
    assert_eq!(error_of(&mut sa, "DBCC SHRINKFILE ('nothing')"), 8985);
    must(
        &mut sa,
        "CREATE TABLE t (a int, s char(4000)); INSERT t SELECT value, 's' FROM GENERATE_SERIES(1, 3000); DBCC CHECKDB WITH NO_INFOMSGS",
    );
    let segments = must(&mut sa, "DBCC LOGINFO");
    let bytes: i64 = segments.sets[0].rows.iter().map(|row| row[2].as_i64()).sum();
    let on_disk: u64 = logs(&directory).iter().map(|path| fs::metadata(path).expect("a file").len()).sum();
    assert!((bytes as u64).abs_diff(on_disk) <= 4_096 * segments.sets[0].rows.len() as u64, "{bytes}, {on_disk}");
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..t"), 3_000);
    must(&mut sa, "DBCC CHECKDB ('a') WITH NO_INFOMSGS");
}

/// A start without a file of rows in memory holds their database; once the file is back, all rows are.
#[test]
fn rows_in_memory_come_back_whole_with_their_file() {
    let (server, directory) = start("damage-rows");
    let mut sa = connect(&server, "master");
    two_databases(&mut sa);
    must(&mut sa, "CHECKPOINT; INSERT a..m VALUES (301, 1); INSERT b..m VALUES (301, 1)");
    drop(sa);
    server.stop();
    let names = fs::read_dir(&directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    let rows_files: Vec<PathBuf> = names.filter(|path| path.extension().is_some_and(|end| end == "hxd")).collect();
    assert!(!rows_files.is_empty());
    let kept: Vec<Vec<u8>> = rows_files.iter().map(|path| fs::read(path).expect("readable")).collect();
    // The last bytes of the first pair: rows before them are read.
    let end = kept[0].iter().rposition(|byte| *byte != 0).expect("rows") as u64;
    overwrite(&rows_files[0], end - 8, b"damage");
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    let held: Vec<&str> = ["a", "b"].into_iter().filter(|name| state(&mut sa, name) == "SUSPECT").collect();
    assert!(!held.is_empty());
    assert_eq!(error_of(&mut sa, &format!("ALTER DATABASE {} SET ONLINE", held[0])), 926);
    for (path, bytes) in rows_files.iter().zip(&kept) {
        fs::write(path, bytes).expect("written");
    }
    for name in held {
        must(&mut sa, &format!("ALTER DATABASE {name} SET ONLINE"));
        assert_eq!(one(&mut sa, &format!("SELECT COUNT(*) FROM {name}..m")), 301);
    }
}

/// https://learn.microsoft.com/sql/relational-databases/backup-restore/manage-the-suspect-pages-table-sql-server
#[test]
fn pages_that_were_met_damaged_are_listed_until_they_are_restored() {
    let (server, directory) = start("damage-listed");
    let mut sa = connect(&server, "master");
    two_databases(&mut sa);
    let pages = |sa: &mut Connection| {
        let found = must(
            sa,
            "SELECT DB_NAME(database_id), CONVERT(bigint, file_id), page_id, CONVERT(bigint, event_type), CONVERT(bigint, error_count)
             FROM msdb.dbo.suspect_pages WHERE last_update_date > '2020-01-01'",
        );
        let shown = found.sets[0].rows.iter().map(|row| {
            let numbers: Vec<i64> = row[1..].iter().map(types::Datum::as_i64).collect();
            (support::ask::text_of(&row[0]), numbers)
        });
        shown.collect::<Vec<_>>()
    };
    assert!(pages(&mut sa).is_empty());
    must(&mut sa, "BACKUP DATABASE a TO DISK = 'a.bak'; CHECKPOINT");
    let id = one(&mut sa, "SELECT CONVERT(bigint, DB_ID('a'))");
    drop(sa);
    server.stop();
    let file = data_file(&directory, id);
    let whole = fs::read(&file).expect("readable");
    // A row of h: its text is nowhere else.
    let at = whole.windows(60).rposition(|bytes| bytes.iter().all(|byte| *byte == b'y')).expect("a row") as u64;
    let leaf = at / PAGE;
    overwrite(&file, leaf * PAGE + 300, b"damage");
    let server = again(&directory);
    let mut met = 0;
    for _ in 1..=2 {
        assert_eq!(error_of(&mut connect(&server, "master"), "SELECT COUNT(y) FROM a..h"), 824);
        let mut sa = connect(&server, "master");
        // Its neighbours are read, though an estimate of the table's rows has met it.
        must(&mut sa, "SELECT TOP (1) y FROM a..h");
        let listed = pages(&mut sa);
        // Who counts the rows of a table has met it, too.
        let (before, count) = (std::mem::replace(&mut met, listed[0].1[3]), listed[0].1[3]);
        assert_eq!(listed, [("a".to_owned(), vec![1, leaf as i64, 2, count])]);
        assert!(count > before, "{count} times, {before} before");
    }
    let mut sa = connect(&server, "master");
    let failed = ask(&mut sa, "BACKUP DATABASE a TO DISK = 'damaged.bak'");
    assert_eq!(numbers(&failed), [3043, 3013]);
    must(&mut sa, "RESTORE DATABASE a FROM DISK = 'a.bak' WITH REPLACE");
    let listed = pages(&mut sa);
    assert_eq!((listed.len(), &*listed[0].0, &listed[0].1[..3]), (1, "a", &[1, leaf as i64, 4][..]));
    assert_eq!(rows(&mut sa, "a"), 3_800);
    // Another page where it should lie has its own checksum.
    drop(sa);
    server.stop();
    let id = {
        let server = again(&directory);
        let mut sa = connect(&server, "master");
        let id = one(&mut sa, "SELECT CONVERT(bigint, DB_ID('a'))");
        drop(sa);
        server.stop();
        id
    };
    let file = data_file(&directory, id);
    let whole = fs::read(&file).expect("readable");
    let leaves: Vec<u64> = (0..whole.len() as u64 / PAGE)
        .filter(|page| {
            let bytes = &whole[(page * PAGE) as usize..][..PAGE as usize];
            bytes[4] == whole[(leaf * PAGE) as usize + 4]
                && bytes.windows(60).any(|run| run.iter().all(|byte| *byte == b'y'))
        })
        .collect();
    assert!(leaves.len() > 1, "{leaves:?}");
    overwrite(&file, leaves[0] * PAGE, &whole[(leaves[1] * PAGE) as usize..][..PAGE as usize]);
    let server = again(&directory);
    assert_eq!(error_of(&mut connect(&server, "master"), "SELECT COUNT(y) FROM a..h"), 824);
    let mut sa = connect(&server, "master");
    let of_kind = "SELECT COUNT(*) FROM msdb.dbo.suspect_pages WHERE event_type = 1 AND page_id =";
    assert_eq!(one(&mut sa, &format!("{of_kind} {}", leaves[0])), 1);
}
