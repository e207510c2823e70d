//! What scripts of backups and restores ask a server, and how they say what they want: figures of the chain that a log or a differential
//! backup would go on from, headers by INSERT ... EXEC, moments in variables, paths with either separator.
//!
//! https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-database-recovery-status-transact-sql
//! https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-db-log-stats-transact-sql
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-arguments-transact-sql
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use lab::client::Connection;
use support::ask::{ask, connect, must, numbers, one, word};
use support::{Server, scratch};

fn start(name: &str) -> (Server, PathBuf) {
    let directory = scratch(name);
    let server = Server::start_on(directory.join("data").to_str().expect("UTF-8"), &["--admin-listen", "off"]);
    (server, directory)
}

fn with_shop(sa: &mut Connection) {
    must(sa, "CREATE DATABASE shop");
    must(sa, "USE shop; CREATE TABLE t (id int PRIMARY KEY); INSERT t VALUES (1); USE master");
}

/// Whether a script would take a log backup, and a differential one: 1 where there is something to go on from.
fn bases(sa: &mut Connection, name: &str) -> (i64, i64) {
    let log = format!(
        "SELECT COUNT(last_log_backup_lsn) FROM sys.database_recovery_status WHERE database_id = DB_ID('{name}')"
    );
    let differential = format!(
        "SELECT COUNT(differential_base_lsn) FROM sys.master_files WHERE database_id = DB_ID('{name}') AND type = 0"
    );
    (one(sa, &log), one(sa, &differential))
}

#[test]
fn a_database_says_what_its_next_backup_goes_on_from() {
    let (server, _) = start("backup-figures");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    assert_eq!(bases(&mut sa, "shop"), (0, 0));
    let since =
        "SELECT CONVERT(bigint, log_since_last_log_backup_mb * 1048576) FROM sys.dm_db_log_stats(DB_ID('shop'))";
    let taken = "SELECT COUNT(*) FROM sys.dm_db_log_stats(DB_ID('shop')) WHERE log_backup_time > DATEADD(minute, -5, GETDATE())";
    let never = "SELECT COUNT(*) FROM sys.dm_db_log_stats(DB_ID('shop')) \
        WHERE log_backup_time = '1900-01-01' AND log_backup_lsn = '00000000:00000000:0000'";
    assert_eq!((one(&mut sa, since), one(&mut sa, never)), (0, 1));
    must(&mut sa, "BACKUP DATABASE shop TO DISK = 'shop.bak'");
    assert_eq!(bases(&mut sa, "shop"), (1, 1));
    assert_eq!(
        (
            one(&mut sa, taken),
            one(&mut sa, "SELECT COUNT(*) FROM shop.sys.database_files WHERE differential_base_lsn IS NOT NULL")
        ),
        (0, 1)
    );
    // What the figures say is what the backups say.
    let of_full = "SELECT COUNT(*) FROM sys.master_files f JOIN msdb.dbo.backupset b ON b.backup_set_uuid = f.differential_base_guid \
        AND b.checkpoint_lsn = f.differential_base_lsn AND b.backup_start_date = f.differential_base_time WHERE f.database_id = DB_ID('shop')";
    let of_family = "SELECT COUNT(*) FROM sys.database_recovery_status s JOIN msdb.dbo.backupset b ON b.family_guid = s.family_guid \
        AND b.database_guid = s.database_guid AND b.type = 'D' WHERE s.database_id = DB_ID('shop') AND s.recovery_fork_guid = b.last_recovery_fork_guid";
    assert_eq!((one(&mut sa, of_full), one(&mut sa, of_family)), (1, 1));
    must(&mut sa, "INSERT shop..t SELECT value FROM GENERATE_SERIES(2, 20000)");
    assert!(one(&mut sa, since) > 1 << 19, "the log of 20,000 rows");
    must(&mut sa, "BACKUP LOG shop TO DISK = 'shop.trn'");
    let at_end = "SELECT COUNT(*) FROM sys.database_recovery_status s JOIN msdb.dbo.backupset b ON b.type = 'L' \
        AND b.last_lsn = s.last_log_backup_lsn WHERE s.database_id = DB_ID('shop')";
    assert_eq!((one(&mut sa, taken), one(&mut sa, at_end)), (1, 1));
    assert!(one(&mut sa, since) < 1 << 18, "what was backed up");
    // It goes on behind a restore, and ends under SIMPLE.
    must(&mut sa, "RESTORE DATABASE there FROM DISK = 'shop.bak'");
    assert_eq!(bases(&mut sa, "there"), (1, 1));
    assert_eq!(
        numbers(&ask(&mut sa, "RESTORE DATABASE there FROM DISK = 'shop.bak'")),
        [3154, 3013],
        "not by this name"
    );
    must(
        &mut sa,
        "BACKUP LOG there TO DISK = 'there.trn'; BACKUP DATABASE there TO DISK = 'there.dif' WITH DIFFERENTIAL",
    );
    must(&mut sa, "ALTER DATABASE shop SET RECOVERY SIMPLE");
    assert_eq!(bases(&mut sa, "shop"), (0, 1));
    assert_eq!((one(&mut sa, never), one(&mut sa, "SELECT COUNT(*) FROM sys.dm_db_log_stats(NULL)")), (1, 7));
    must(&mut sa, "ALTER DATABASE there SET OFFLINE");
    assert_eq!(bases(&mut sa, "there"), (0, 0));
}

#[test]
fn what_was_restored_is_not_replaced_before_its_log_is_saved() {
    let (server, _) = start("backup-tail");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    must(&mut sa, "BACKUP DATABASE shop TO DISK = 'shop.bak'; BACKUP LOG shop TO DISK = 'shop.trn' WITH NORECOVERY");
    must(&mut sa, "RESTORE DATABASE shop FROM DISK = 'shop.bak'");
    must(&mut sa, "INSERT shop..t VALUES (2)");
    assert_eq!(numbers(&ask(&mut sa, "RESTORE DATABASE shop FROM DISK = 'shop.bak'")), [3159, 3013]);
    // As Management Studio takes the tail.
    must(
        &mut sa,
        "BACKUP LOG shop TO DISK = 'tail.trn' WITH NO_TRUNCATE, NOFORMAT, INIT, NAME = N'tail', SKIP, NOREWIND, NOUNLOAD, NORECOVERY",
    );
    must(
        &mut sa,
        "RESTORE DATABASE shop FROM DISK = 'shop.bak' WITH NORECOVERY; RESTORE LOG shop FROM DISK = 'tail.trn'",
    );
    assert_eq!(one(&mut sa, "SELECT SUM(id) FROM shop..t"), 3);
    // Of a database that goes on, the log stays for the next one.
    must(&mut sa, "BACKUP DATABASE shop TO DISK = 'again.bak'; INSERT shop..t VALUES (4)");
    must(&mut sa, "BACKUP LOG shop TO DISK = 'first.trn' WITH NO_TRUNCATE; BACKUP LOG shop TO DISK = 'second.trn'");
    for log in ["first.trn", "second.trn"] {
        must(
            &mut sa,
            &format!("RESTORE DATABASE x FROM DISK = 'again.bak' WITH NORECOVERY; RESTORE LOG x FROM DISK = '{log}'"),
        );
        assert_eq!(one(&mut sa, "SELECT SUM(id) FROM x..t; DROP DATABASE x"), 7, "{log}");
    }
    assert_eq!(numbers(&ask(&mut sa, "BACKUP LOG shop WITH TRUNCATE_ONLY")), [155]);
}

#[test]
fn the_error_log_tells_of_backups() {
    let (server, _) = start("backup-told");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    must(&mut sa, "CREATE TABLE told (at datetime, who nvarchar(50), what nvarchar(max))");
    let count = |sa: &mut Connection, what: &str| {
        must(sa, "TRUNCATE TABLE told; INSERT told EXEC xp_readerrorlog 0, 1");
        one(sa, &format!("SELECT COUNT(*) FROM told WHERE who = 'Backup' AND what LIKE '{what}'"))
    };
    must(&mut sa, "BACKUP DATABASE shop TO DISK = 'shop.bak' WITH MEDIANAME = 'shelf'");
    let full = "Database backed up. Database: shop, creation date(time): 20__/__/__(__:__:__), pages dumped: %, first LSN: %:%:1, last LSN: %:%:1, \
        number of dump devices: 1, device information: (FILE=1, TYPE=DISK, MEDIANAME=''shelf'': {''/%/shop.bak''}). This is an informational message only. \
        No user action is required.";
    assert_eq!(count(&mut sa, full), 1);
    assert_eq!(count(&mut sa, "BACKUP DATABASE successfully processed % pages in % seconds (% MB/sec)."), 1);
    must(
        &mut sa,
        "BACKUP DATABASE shop TO DISK = 'shop.dif' WITH DIFFERENTIAL; BACKUP LOG shop TO DISK = 'a.trn', DISK = 'b.trn'",
    );
    assert_eq!(count(&mut sa, "Database differential changes were backed up. Database: shop,%full backup LSN:%"), 1);
    assert_eq!(count(&mut sa, "Log was backed up. Database: shop,%dump devices: 2,%{''/%/a.trn'', ''/%/b.trn''}%"), 1);
    must(
        &mut sa,
        "RESTORE DATABASE x FROM DISK = 'shop.bak' WITH NORECOVERY; RESTORE LOG x FROM DISK = 'a.trn', DISK = 'b.trn'",
    );
    assert_eq!(count(&mut sa, "Database was restored: Database: x,%"), 1);
    assert_eq!(count(&mut sa, "Log was restored. Database: x,%"), 1);
    let failed = ask(&mut sa, "BACKUP DATABASE shop TO DISK = 'C:\\shop.bak'");
    assert_eq!(numbers(&failed), [3201, 3013]);
    assert_eq!(
        count(
            &mut sa,
            "BACKUP failed to complete the command BACKUP DATABASE shop. Check the backup application log for detailed messages."
        ),
        1
    );
    assert_eq!(count(&mut sa, "Error: 3041, Severity: 16, State: 1."), 1);
    // Who has too many of them wants those alone that failed.
    must(&mut sa, "DBCC TRACEON (3226, -1); BACKUP DATABASE shop TO DISK = 'shop.bak' WITH INIT");
    assert_eq!(count(&mut sa, "Database backed up.%"), 1);
    ask(&mut sa, "BACKUP DATABASE shop TO DISK = 'C:\\shop.bak'");
    assert_eq!(count(&mut sa, "BACKUP failed to complete%"), 2);
}

/// Files below a directory, by their paths there.
fn files_below(directory: &Path) -> Vec<String> {
    let (mut open, mut found) = (vec![directory.to_path_buf()], Vec::new());
    while let Some(path) = open.pop() {
        for entry in fs::read_dir(&path).expect("a directory") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => open.push(path),
                false => found.push(path.strip_prefix(directory).expect("below").to_str().expect("UTF-8").to_owned()),
            }
        }
    }
    found.sort();
    found
}

/// A wrong call deletes nothing: files go that are what their kind says, end as is said, and were written before the moment.
/// https://www.codykonior.com/2015/06/02/experiments-with-master-sys-xp-delete-file/
#[test]
fn a_clean_up_takes_old_backups_alone() {
    let (server, directory) = start("backup-clean-up");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    let shelf = directory.join("shelf");
    let path = shelf.to_str().expect("UTF-8").to_owned();
    must(&mut sa, &format!("EXEC xp_create_subdir N'{path}/a/b'; EXEC xp_create_subdir N'{path}/a/b'"));
    for name in ["old.bak", "young.bak", "a/old.bak", "a/b/old.bak"] {
        must(&mut sa, &format!("BACKUP DATABASE shop TO DISK = N'{path}/{name}'"));
    }
    must(&mut sa, &format!("BACKUP LOG shop TO DISK = N'{path}/old.trn'"));
    fs::write(shelf.join("words.bak"), "no backup at all").expect("written");
    fs::write(shelf.join("report.txt"), "a report").expect("written");
    let week = Duration::from_secs(7 * 24 * 3_600);
    for name in files_below(&shelf).iter().filter(|name| *name != "young.bak") {
        let file = fs::OpenOptions::new().write(true).open(shelf.join(name)).expect("there");
        file.set_modified(SystemTime::now() - week).expect("dated");
    }
    let all = ["a/b/old.bak", "a/old.bak", "old.bak", "old.trn", "report.txt", "words.bak", "young.bak"];
    assert_eq!(files_below(&shelf), all);
    let then = word(&mut sa, "SELECT CONVERT(nvarchar(30), DATEADD(day, -3, GETDATE()), 126)");
    let before = word(&mut sa, "SELECT CONVERT(nvarchar(30), DATEADD(day, -9, GETDATE()), 126)");
    let mut left = all.to_vec();
    for (call, gone) in [
        (format!("0, N'{path}', N'bak', N'{before}', 1"), None),
        (format!("0, N'{path}', N'dif', N'{then}', 1"), None),
        (format!("1, N'{path}', N'bak', N'{then}', 1"), None),
        (format!("0, N'{path}/nothing', N'bak', N'{then}', 1"), None),
        (format!("0, N'{path}', N'bak', N'{then}', 0"), Some("old.bak")),
        (format!("0, N'{path}', N'.BAK', N'{then}', 1"), Some("a/old.bak")),
        (format!("0, N'{path}', N'trn', N'{then}'"), Some("old.trn")),
        (format!("1, N'{path}', N'txt', N'{then}'"), Some("report.txt")),
        (format!("0, N'{path}/words.bak'"), None),
        (format!("0, N'{path}/young.bak'"), Some("young.bak")),
    ] {
        must(&mut sa, &format!("EXEC master.dbo.xp_delete_file {call}"));
        left.retain(|name| Some(*name) != gone);
        assert_eq!(files_below(&shelf), left, "{call}");
    }
    assert_eq!(left, ["a/b/old.bak", "words.bak"], "not below the first level, and nothing else");
    assert_eq!(numbers(&ask(&mut sa, &format!("EXEC xp_delete_file 2, N'{path}', N'bak'"))), [22003]);
    must(&mut sa, "CREATE LOGIN low WITH PASSWORD = 'Some-1-password'");
    for call in [
        format!("xp_delete_file 0, N'{path}', N'bak'"),
        format!("xp_create_subdir N'{path}/c'"),
        format!("xp_dirtree N'{path}'"),
        format!("xp_fileexist N'{path}'"),
        "msdb.dbo.sp_delete_backuphistory '2099-01-01'".to_string(),
        "msdb.dbo.sp_delete_database_backuphistory 'shop'".to_string(),
    ] {
        let told = ask(&mut sa, &format!("EXECUTE AS LOGIN = 'low'; EXEC {call}; REVERT"));
        assert!(matches!(numbers(&told)[..], [15247] | [229]), "{call}: {:?}", numbers(&told));
        ask(&mut sa, "WHILE SUSER_SNAME() <> 'sa' REVERT");
    }
    assert_eq!(files_below(&shelf), left);
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM msdb.dbo.backupset"), 5);
}

/// https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-delete-backuphistory-transact-sql
#[test]
fn the_history_of_backups_is_shortened() {
    let (server, directory) = start("backup-forgotten");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    // The first two share their media, which goes with the last of them.
    must(&mut sa, "BACKUP DATABASE shop TO DISK = 'both.bak'; RESTORE DATABASE copy FROM DISK = 'both.bak'");
    must(&mut sa, "WAITFOR DELAY '00:00:01.1'; BACKUP DATABASE shop TO DISK = 'both.bak'");
    must(&mut sa, "WAITFOR DELAY '00:00:01.1'; BACKUP DATABASE copy TO DISK = 'a.bak', DISK = 'b.bak'");
    let shown = |sa: &mut Connection| {
        let count = |sa: &mut Connection, table: &str| one(sa, &format!("SELECT COUNT(*) FROM msdb.dbo.{table}"));
        ["backupset", "backupfile", "backupmediaset", "backupmediafamily", "restorehistory"]
            .map(|table| count(sa, table))
    };
    assert_eq!(shown(&mut sa), [3, 6, 2, 3, 1]);
    let finished = "SELECT backup_finish_date FROM msdb.dbo.backupset ORDER BY backup_set_id OFFSET";
    let forget = |which: i32| {
        format!(
            "DECLARE @oldest datetime = ({finished} {which} ROWS FETCH NEXT 1 ROW ONLY); EXEC msdb.dbo.sp_delete_backuphistory @oldest_date = @oldest"
        )
    };
    // The oldest date is retained.
    must(&mut sa, &forget(0));
    assert_eq!(shown(&mut sa), [3, 6, 2, 3, 1]);
    must(&mut sa, &forget(1));
    assert_eq!(shown(&mut sa), [2, 4, 2, 3, 0]);
    must(&mut sa, "EXEC msdb.dbo.sp_delete_database_backuphistory @database_name = N'COPY'");
    assert_eq!(shown(&mut sa), [1, 2, 1, 1, 0]);
    must(&mut sa, "EXEC msdb.dbo.sp_delete_backuphistory '2099-01-01'");
    assert_eq!(shown(&mut sa), [0; 5]);
    assert_eq!(numbers(&ask(&mut sa, "EXEC msdb.dbo.sp_delete_backuphistory")), [201]);
    // The files stay, and are restored from as before.
    assert!(directory.join("data/backup/both.bak").exists());
    must(&mut sa, "RESTORE DATABASE again FROM DISK = 'both.bak' WITH FILE = 2");
    assert_eq!(shown(&mut sa), [1, 2, 1, 1, 1]);
}

#[test]
fn a_moment_in_a_variable_is_that_moment() {
    let (server, _) = start("backup-moment");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    must(
        &mut sa,
        "BACKUP DATABASE shop TO DISK = 'shop.bak'; INSERT shop..t VALUES (2); CREATE TABLE moment (at datetime)",
    );
    must(&mut sa, "WAITFOR DELAY '00:00:00.2'; INSERT moment VALUES (GETDATE()); WAITFOR DELAY '00:00:00.2'");
    must(&mut sa, "INSERT shop..t VALUES (4); BACKUP LOG shop TO DISK = 'shop.trn'");
    for (ty, style) in [("datetime", 121), ("datetime2(3)", 121), ("varchar(30)", 121), ("nvarchar(40)", 126)] {
        let declared = match ty.starts_with("date") {
            true => format!("DECLARE @at {ty} = (SELECT at FROM moment)"),
            false => format!("DECLARE @at {ty} = (SELECT CONVERT({ty}, at, {style}) FROM moment)"),
        };
        must(&mut sa, "RESTORE DATABASE x FROM DISK = 'shop.bak' WITH NORECOVERY");
        must(&mut sa, &format!("{declared}; RESTORE LOG x FROM DISK = 'shop.trn' WITH STOPAT = @at, RECOVERY"));
        assert_eq!(one(&mut sa, "SELECT SUM(id) FROM x..t; DROP DATABASE x"), 3, "{ty}");
    }
    // Dates are read as the session reads them.
    let day = word(&mut sa, "SELECT CONVERT(nvarchar(30), DATEADD(year, 1, GETDATE()), 103)");
    let restored = format!(
        "SET DATEFORMAT dmy; RESTORE DATABASE x FROM DISK = 'shop.bak' WITH NORECOVERY;
         RESTORE LOG x FROM DISK = 'shop.trn' WITH STOPAT = '{day}', NORECOVERY; RESTORE DATABASE x WITH RECOVERY"
    );
    must(&mut sa, &restored);
    assert_eq!(one(&mut sa, "SELECT SUM(id) FROM x..t"), 7);
}

#[test]
fn a_file_is_looked_at_within_insert_and_with_either_separator() {
    let (server, directory) = start("backup-looked-at");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    let shelf = directory.join("shelf");
    std::fs::create_dir_all(directory.join("data/backup/below")).expect("made");
    let shelf = shelf.to_str().expect("UTF-8");
    must(
        &mut sa,
        &format!("EXEC xp_create_subdir '{shelf}\\full'; BACKUP DATABASE shop TO DISK = '{shelf}\\full\\shop.bak'"),
    );
    assert!(directory.join("shelf/full/shop.bak").exists());
    must(
        &mut sa,
        &format!(
            "BACKUP DATABASE shop TO DISK = '{shelf}/\\shop.bak'; BACKUP DATABASE shop TO DISK = 'below\\shop.bak'"
        ),
    );
    assert!(directory.join("data/backup/below/shop.bak").exists() && directory.join("shelf/shop.bak").exists());
    must(
        &mut sa,
        &format!(
            "CREATE TABLE #d (name nvarchar(300), depth int, is_file int); INSERT #d EXEC xp_dirtree '{shelf}\\', 1, 1"
        ),
    );
    assert_eq!(one(&mut sa, "SELECT COUNT(*) + 10 * SUM(is_file) FROM #d"), 12);
    assert_eq!(
        one(&mut sa, &format!("SELECT CONVERT(int, file_exists) FROM sys.dm_os_file_exists('{shelf}\\shop.bak')")),
        1
    );
    // Nothing is made for another system's paths.
    assert_eq!(numbers(&ask(&mut sa, "EXEC xp_create_subdir 'C:\\backup'")), [22048]);
    assert_eq!(numbers(&ask(&mut sa, "BACKUP DATABASE shop TO DISK = 'C:\\backup\\shop.bak'")), [3201, 3013]);
    let files = "CREATE TABLE #f (a nvarchar(128), b nvarchar(260), c char(1), d nvarchar(128), e numeric(20), f numeric(20), g bigint, \
        h numeric(25), i numeric(25), j uniqueidentifier, k numeric(25), l numeric(25), m bigint, n int, o int, p uniqueidentifier, \
        q numeric(25), r uniqueidentifier, s bit, t bit, u varbinary(32), v nvarchar(360));
        INSERT #f EXEC ('RESTORE FILELISTONLY FROM DISK = ''below/shop.bak''')";
    must(&mut sa, files);
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM #f"), 2);
    must(
        &mut sa,
        "BEGIN TRANSACTION; RESTORE HEADERONLY FROM DISK = 'below/shop.bak'; RESTORE LABELONLY FROM DISK = 'below/shop.bak'; COMMIT",
    );
    let within = "BEGIN TRANSACTION; RESTORE DATABASE x FROM DISK = 'below/shop.bak'; ROLLBACK";
    assert_eq!(numbers(&ask(&mut sa, within)), [3021, 3013]);
}
