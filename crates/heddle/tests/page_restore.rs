//! RESTORE DATABASE ... PAGE under a running server, with real files: the rest of the database is used meanwhile, nothing is read of a page
//! before it is whole, kills change nothing, and what was restored is what was committed.
//!
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/restore-pages-sql-server
//! https://learn.microsoft.com/sql/relational-databases/system-tables/suspect-pages-transact-sql
//! https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-4000-to-4999
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lab::client::Connection;
use support::ask::{ask, connect, must, numbers, one, word};
use support::files::{PAGE, again, data_file, overwrite, start, state};
use support::target;

/// A database of two tables, of which one has a known text in each row, and its full backup.
fn shop(sa: &mut Connection) {
    must(sa, "CREATE DATABASE shop");
    must(
        sa,
        "CREATE TABLE shop..o (id int IDENTITY PRIMARY KEY, v int); CREATE TABLE shop..p (id int PRIMARY KEY, s varchar(300) NOT NULL)",
    );
    must(
        sa,
        "INSERT shop..p SELECT value * 10, CONCAT('needle', REPLICATE('x', 150), value) FROM GENERATE_SERIES(1, 1500)",
    );
    must(sa, "BACKUP DATABASE shop TO DISK = 'full.bak' WITH FORMAT");
}

/// Leaves that have rows of the known text.
fn leaves(directory: &Path, database: i64) -> Vec<u64> {
    const LEAF: u8 = 3;
    let bytes = fs::read(data_file(directory, database)).expect("readable");
    let has_text = |page: &[u8]| page[4] == LEAF && page.windows(6).any(|text| text == b"needle");
    let pages = bytes.chunks(PAGE as usize).enumerate().filter(|(_, page)| has_text(page));
    pages.map(|(number, _)| number as u64).collect()
}

/// What table `p` has: how many rows, and a sum over all of them.
fn content(sa: &mut Connection, database: &str) -> (i64, i64) {
    let query = |what: &str| format!("SELECT CAST({what} AS bigint) FROM {database}..p");
    (one(sa, &query("COUNT(*)")), one(sa, &query("CHECKSUM_AGG(BINARY_CHECKSUM(id, s))")))
}

/// The first error of a batch on a connection of its own: severities above 19 end it.
fn error_of(port: u16, text: &str) -> Option<i32> {
    let mut connection = Connection::open(&target(port, "master"), None).expect("logged in");
    ask(&mut connection, text).first_error().map(|error| error.number)
}

fn list(pages: &[u64]) -> String {
    pages.iter().map(|page| format!("1:{page}")).collect::<Vec<_>>().join(", ")
}

#[test]
fn pages_are_restored_while_the_others_are_used() {
    let (server, directory) = start("page-restore");
    let mut sa = connect(&server, "master");
    shop(&mut sa);
    must(
        &mut sa,
        "UPDATE shop..p SET s = CONCAT(s, 'first') WHERE id % 3 = 0; BACKUP LOG shop TO DISK = 'log1.trn' WITH FORMAT",
    );
    // Splits pages, so that some come to be behind the backup.
    must(
        &mut sa,
        "INSERT shop..p SELECT value * 10 + 5, CONCAT('needle', REPLICATE('y', 150), value) FROM GENERATE_SERIES(1, 700)",
    );
    must(&mut sa, "DELETE shop..p WHERE id % 70 = 0");
    let (expected, id) = (content(&mut sa, "shop"), one(&mut sa, "SELECT DB_ID('shop')"));
    drop(sa);
    server.stop();
    let leaves = leaves(&directory, id);
    let damaged = [leaves[1], leaves[leaves.len() / 2], leaves[leaves.len() - 1]];
    for page in damaged {
        overwrite(&data_file(&directory, id), page * PAGE + 300, b"damage");
    }
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    let all = "SELECT COUNT(s) FROM shop..p";
    assert_eq!(error_of(server.port, all), Some(824));
    assert_eq!(
        one(&mut sa, "SELECT COUNT(*) FROM msdb..suspect_pages WHERE database_id = DB_ID('shop') AND event_type = 2"),
        1
    );

    let done = AtomicBool::new(false);
    let port = server.port;
    std::thread::scope(|scope| {
        let others = scope.spawn(|| {
            let mut connection = Connection::open(&target(port, "shop"), None).expect("logged in");
            let mut inserted = 0;
            while !done.load(Ordering::Acquire) {
                must(&mut connection, "INSERT o VALUES (1)");
                inserted += 1;
            }
            inserted
        });
        let first = must(
            &mut sa,
            &format!("RESTORE DATABASE shop PAGE = '{}' FROM DISK = 'full.bak' WITH NORECOVERY", list(&damaged)),
        );
        assert_eq!(numbers(&first), [4035, 3014], "{:?}", first.messages);
        assert_eq!(first.messages[0].text, "Processed 3 pages for database 'shop', file 'shop' on file 1.");
        assert!(
            first.messages[1].text.starts_with("RESTORE DATABASE ... FILE=<name> successfully processed 3 pages in")
        );
        assert_eq!(state(&mut sa, "shop"), "ONLINE");
        assert_eq!(error_of(port, all), Some(829));
        // Not a backup of what is half there, but the log's.
        assert_eq!(error_of(port, "BACKUP DATABASE shop TO DISK = 'half.bak' WITH FORMAT"), Some(3043));
        let early = must(&mut sa, "RESTORE LOG shop FROM DISK = 'log1.trn'");
        assert_eq!(numbers(&early)[0], 4303, "{:?}", early.messages);
        assert_eq!(error_of(port, all), Some(829));
        must(&mut sa, "BACKUP LOG shop TO DISK = 'log2.trn' WITH FORMAT");
        let late = must(&mut sa, "RESTORE LOG shop FROM DISK = 'log2.trn' WITH NORECOVERY");
        assert_eq!(numbers(&late), [4308, 4035, 3014], "{:?}", late.messages);
        assert_eq!(error_of(port, all), Some(829));
        must(&mut sa, "RESTORE DATABASE shop WITH RECOVERY");
        done.store(true, Ordering::Release);
        assert!(others.join().expect("no error") > 0);
    });
    assert_eq!(content(&mut sa, "shop"), expected);
    assert_eq!(numbers(&must(&mut sa, "DBCC CHECKDB ('shop') WITH NO_INFOMSGS")), Vec::<i32>::new());
    assert_eq!(
        one(&mut sa, "SELECT COUNT(*) FROM msdb..suspect_pages WHERE database_id = DB_ID('shop') AND event_type = 4"),
        1
    );
    assert_eq!(
        one(
            &mut sa,
            "SELECT COUNT(*) FROM msdb..restorehistory WHERE destination_database_name = 'shop' AND restore_type IN ('F', 'L')"
        ),
        3
    );
    assert_eq!(error_of(server.port, "RESTORE DATABASE shop WITH RECOVERY"), Some(3153));
    assert_eq!(error_of(server.port, "RESTORE LOG shop FROM DISK = 'log2.trn'"), Some(3117));
    let log = word(
        &mut sa,
        "CREATE TABLE #l (d datetime, p nvarchar(50), t nvarchar(max)); INSERT #l EXEC xp_readerrorlog 0, 1, N'Database file was restored'; SELECT MAX(t) FROM #l",
    );
    assert!(log.contains("Database: shop,") && log.contains("file list: (shop)"), "{log}");
    // They can be changed, survive a kill, and the log has them.
    must(&mut sa, "UPDATE shop..p SET s = CONCAT(s, '.')");
    let changed = content(&mut sa, "shop");
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(content(&mut sa, "shop"), changed);
    must(&mut sa, "BACKUP LOG shop TO DISK = 'log3.trn' WITH FORMAT");
    must(
        &mut sa,
        "RESTORE DATABASE beside FROM DISK = 'full.bak' WITH NORECOVERY; RESTORE LOG beside FROM DISK = 'log1.trn' WITH NORECOVERY",
    );
    must(
        &mut sa,
        "RESTORE LOG beside FROM DISK = 'log2.trn' WITH NORECOVERY; RESTORE LOG beside FROM DISK = 'log3.trn'",
    );
    assert_eq!(content(&mut sa, "beside"), changed);
    assert_eq!(numbers(&must(&mut sa, "DBCC CHECKDB ('beside') WITH NO_INFOMSGS")), Vec::<i32>::new());
    assert_eq!(numbers(&must(&mut sa, "DBCC CHECKDB ('shop') WITH NO_INFOMSGS")), Vec::<i32>::new());
}

#[test]
fn a_differential_backup_brings_pages_further_and_a_dropped_table_needs_none() {
    let (server, directory) = start("page-restore-differential");
    let mut sa = connect(&server, "master");
    shop(&mut sa);
    must(
        &mut sa,
        "UPDATE shop..p SET s = CONCAT(s, 'first') WHERE id % 3 = 0; BACKUP LOG shop TO DISK = 'lost.trn' WITH FORMAT",
    );
    must(
        &mut sa,
        "UPDATE shop..p SET s = CONCAT(s, 'second') WHERE id % 7 = 0; BACKUP DATABASE shop TO DISK = 'diff.bak' WITH FORMAT, DIFFERENTIAL",
    );
    must(&mut sa, "UPDATE shop..p SET s = CONCAT(s, 'third') WHERE id % 11 = 0; CHECKPOINT");
    let (expected, id) = (content(&mut sa, "shop"), one(&mut sa, "SELECT DB_ID('shop')"));
    let leaves = leaves(&directory, id);
    // Whole ones may be restored, too: what of them is in memory alone is in the log.
    must(&mut sa, "UPDATE shop..p SET s = s + '' WHERE id < 500");
    let pages = list(&leaves[..4]);
    must(&mut sa, &format!("RESTORE DATABASE shop PAGE = '{pages}' FROM DISK = 'full.bak' WITH NORECOVERY"));
    must(
        &mut sa,
        "RESTORE DATABASE shop FROM DISK = 'diff.bak' WITH NORECOVERY; BACKUP LOG shop TO DISK = 'tail.trn' WITH FORMAT",
    );
    assert_eq!(
        error_of(server.port, "RESTORE DATABASE shop FROM DISK = 'full.bak'"),
        Some(3159),
        "a whole restore is another matter"
    );
    // A list of pages may say which they are, and that is all of them.
    let of_pages = |list: &str| format!("RESTORE LOG shop PAGE = '{list}' FROM DISK = 'tail.trn'");
    assert_eq!(error_of(server.port, &of_pages(&list(&leaves[..3]))), Some(40510));
    assert_eq!(error_of(server.port, &of_pages("1:57 1:61")), Some(4350));
    must(&mut sa, &of_pages(&pages));
    assert_eq!(error_of(server.port, &of_pages(&pages)), Some(3117));
    assert_eq!(content(&mut sa, "shop"), expected);
    assert_eq!(numbers(&must(&mut sa, "DBCC CHECKDB ('shop') WITH NO_INFOMSGS")), Vec::<i32>::new());

    // The table goes while its pages wait, and others get these.
    must(&mut sa, "CHECKPOINT; BACKUP DATABASE shop TO DISK = 'full.bak' WITH FORMAT");
    must(
        &mut sa,
        &format!("RESTORE DATABASE shop PAGE = '{}' FROM DISK = 'full.bak' WITH NORECOVERY", list(&leaves[2..5])),
    );
    must(&mut sa, "DROP TABLE shop..p; CREATE TABLE shop..p (id int PRIMARY KEY, s varchar(300) NOT NULL)");
    must(
        &mut sa,
        "INSERT shop..p SELECT value, REPLICATE('z', 200) FROM GENERATE_SERIES(1, 3000); BACKUP LOG shop TO DISK = 'tail.trn' WITH FORMAT",
    );
    let expected = content(&mut sa, "shop");
    must(&mut sa, "RESTORE LOG shop FROM DISK = 'tail.trn'");
    assert_eq!(content(&mut sa, "shop"), expected);
    must(&mut sa, "INSERT shop..p SELECT value, REPLICATE('z', 200) FROM GENERATE_SERIES(3001, 6000)");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM shop..p"), 6_000);
}

/// What ends in an error changes nothing.
#[test]
fn what_cannot_be_restored_alone_is_refused() {
    let (server, directory) = start("page-restore-refused");
    let mut sa = connect(&server, "master");
    shop(&mut sa);
    must(
        &mut sa,
        "BACKUP LOG shop TO DISK = 'log.trn' WITH FORMAT; CREATE DATABASE other; BACKUP DATABASE other TO DISK = 'other.bak' WITH FORMAT",
    );
    must(&mut sa, "RESTORE DATABASE copied FROM DISK = 'full.bak'");
    must(
        &mut sa,
        "CREATE DATABASE plain; ALTER DATABASE plain SET RECOVERY SIMPLE; CREATE DATABASE fixed; ALTER DATABASE fixed SET READ_ONLY",
    );
    must(&mut sa, "CREATE DATABASE away; ALTER DATABASE away SET OFFLINE");
    let id = one(&mut sa, "SELECT DB_ID('shop')");
    must(&mut sa, "CHECKPOINT");
    let page = leaves(&directory, id)[0];
    let restore = |database: &str, pages: &str, from: &str| {
        format!("RESTORE DATABASE {database} PAGE = '{pages}' FROM DISK = '{from}' WITH NORECOVERY")
    };
    let good = format!("1:{page}");
    for (text, number) in [
        (restore("shop", "1:0", "full.bak"), 3111),
        (restore("shop", "1:1", "full.bak"), 3111),
        (restore("shop", "1:2", "full.bak"), 3111),
        (restore("shop", "1:99999999", "full.bak"), 3217),
        (restore("shop", "2:8", "full.bak"), 3217),
        (restore("shop", "", "full.bak"), 4350),
        (
            "DECLARE @none varchar(9); RESTORE DATABASE shop PAGE = @none FROM DISK = 'full.bak' WITH NORECOVERY"
                .into(),
            4350,
        ),
        (restore("shop", "1:8;1:9", "full.bak"), 4350),
        (restore("shop", "1:8,", "full.bak"), 4350),
        (restore("shop", "x", "full.bak"), 4350),
        (restore("nowhere", &good, "full.bak"), 3118),
        (restore("plain", &good, "full.bak"), 4346),
        (restore("fixed", &good, "full.bak"), 4344),
        (restore("away", &good, "full.bak"), 4310),
        (restore("shop", &good, "other.bak"), 3154),
        (restore("copied", &good, "full.bak"), 3116),
        (restore("shop", &good, "log.trn"), 3135),
        (restore("shop", &good, "missing.bak"), 3201),
        (restore("shop", &good, "full.bak") + ", STOPAT = '2099-01-01'", 4302),
        (restore("shop", &good, "full.bak") + ", REPLACE", 4302),
        ("RESTORE LOG shop FROM DISK = 'log.trn' WITH NORECOVERY".into(), 3117),
    ] {
        assert_eq!(error_of(server.port, &text), Some(number), "{text}");
    }
    let answer = ask(&mut sa, &restore("shop", "1:8, 1:9; 1:10", "full.bak"));
    let error = answer.first_error().expect("an error");
    assert!(
        error.text.contains(
            "Prior to the problem 2 pages were correctly identified. The problem was hit at character offset 8."
        ),
        "{}",
        error.text
    );
    assert_eq!(content(&mut sa, "shop").0, 1_500);

    // 1,000 pages of a file at most, and a login that may not alter the database.
    must(&mut sa, "INSERT shop..p SELECT 20000 + value, REPLICATE('n', 290) FROM GENERATE_SERIES(1, 40000)");
    let pages: Vec<u64> = (20..1_021).collect();
    assert_eq!(error_of(server.port, &restore("shop", &list(&pages), "full.bak")), Some(3105));
    must(
        &mut sa,
        "CREATE LOGIN low WITH PASSWORD = 'Long-enough-1'; USE shop; CREATE USER low; ALTER ROLE db_backupoperator ADD MEMBER low; USE master",
    );
    assert_eq!(
        error_of(server.port, &format!("EXECUTE AS LOGIN = 'low'; {}", restore("shop", &good, "full.bak"))),
        Some(3110)
    );

    // Two pages, one after the other; a log that is not the next one is not read.
    let leaves = leaves(&directory, id);
    must(&mut sa, &restore("shop", &good, "full.bak"));
    must(&mut sa, &restore("shop", &format!("1:{}", leaves[1]), "full.bak"));
    must(
        &mut sa,
        "UPDATE shop..o SET v = 2; BACKUP LOG shop TO DISK = 'next.trn' WITH FORMAT; BACKUP LOG shop TO DISK = 'last.trn' WITH FORMAT",
    );
    assert_eq!(error_of(server.port, "RESTORE LOG shop FROM DISK = 'last.trn'"), Some(4305));
    assert_eq!(error_of(server.port, "RESTORE LOG shop FROM DISK = 'log.trn' WITH STOPAT = '2099-01-01'"), Some(4302));
    must(&mut sa, "RESTORE LOG shop FROM DISK = 'log.trn' WITH NORECOVERY; RESTORE LOG shop FROM DISK = 'next.trn'");
    assert_eq!(content(&mut sa, "shop").0, 41_500);
}

/// A kill at a random moment of the sequence, again and again, with others at work: then it is done from the beginning.
#[test]
fn a_kill_in_between_changes_nothing() {
    let (server, directory) = start("page-restore-killed");
    let mut sa = connect(&server, "master");
    shop(&mut sa);
    must(
        &mut sa,
        "UPDATE shop..p SET s = CONCAT(s, 'first'); BACKUP LOG shop TO DISK = 'logs.trn' WITH FORMAT; UPDATE shop..p SET s = CONCAT(s, 'second') WHERE id % 3 = 0",
    );
    let (expected, id) = (content(&mut sa, "shop"), one(&mut sa, "SELECT DB_ID('shop')"));
    drop(sa);
    let mut logs = 1;
    let mut running = server;
    for round in 0..8_u64 {
        running.stop();
        let leaves = leaves(&directory, id);
        let damaged = [leaves[round as usize + 1], leaves[leaves.len() - 1 - round as usize]];
        for page in damaged {
            overwrite(&data_file(&directory, id), page * PAGE + 300, b"damage");
        }
        let server = again(&directory);
        let port = server.port;
        let pages = list(&damaged);
        let sequence = |logs: &mut i32| {
            let restored = |logs: i32| {
                (1..=logs)
                    .map(|file| format!("RESTORE LOG shop FROM DISK = 'logs.trn' WITH FILE = {file}, NORECOVERY;"))
                    .collect::<String>()
            };
            let step = |text: &str| {
                let mut connection = Connection::open(&target(port, "master"), None).ok()?;
                let answer = connection.query(text, Some(os::clock::after_ms(30_000))).ok()?;
                assert!(answer.first_error().is_none(), "{text}: {:?}", answer.first_error());
                Some(())
            };
            step(&format!(
                "INSERT shop..o VALUES (1); RESTORE DATABASE shop PAGE = '{pages}' FROM DISK = 'full.bak' WITH NORECOVERY"
            ))?;
            step("INSERT shop..o VALUES (2); BACKUP LOG shop TO DISK = 'logs.trn'")?;
            *logs += 1;
            step(&restored(*logs))?;
            step("INSERT shop..o VALUES (3); RESTORE DATABASE shop WITH RECOVERY")
        };
        // From the sequence's begin to about its end.
        let delay = Duration::from_millis(20 + round * 60);
        let killed = std::thread::scope(|scope| {
            let steps = scope.spawn(|| {
                let mut after = logs;
                while sequence(&mut after).is_some() {}
            });
            std::thread::sleep(delay);
            server.kill();
            steps.join()
        });
        assert!(killed.is_ok(), "round {round}: a step failed");
        let server = again(&directory);
        let mut sa = Connection::open(&target(server.port, "master"), None).expect("logged in");
        assert_eq!(state(&mut sa, "shop"), "ONLINE", "round {round}");
        // How many log backups there are by now; one that was being written may lack in msdb, and is seen in the file.
        let sets = must(&mut sa, "RESTORE HEADERONLY FROM DISK = 'logs.trn'").sets[0].rows.len();
        logs = sets as i32;
        must(
            &mut sa,
            &format!(
                "RESTORE DATABASE shop PAGE = '{pages}' FROM DISK = 'full.bak' WITH NORECOVERY; BACKUP LOG shop TO DISK = 'logs.trn'"
            ),
        );
        logs += 1;
        for file in 1..=logs {
            must(&mut sa, &format!("RESTORE LOG shop FROM DISK = 'logs.trn' WITH FILE = {file}, NORECOVERY"));
        }
        must(&mut sa, "RESTORE DATABASE shop WITH RECOVERY");
        assert_eq!(content(&mut sa, "shop"), expected, "round {round}");
        assert_eq!(
            numbers(&must(&mut sa, "DBCC CHECKDB ('shop') WITH NO_INFOMSGS")),
            Vec::<i32>::new(),
            "round {round}"
        );
        drop(sa);
        running = server;
    }
    running.stop();
}
