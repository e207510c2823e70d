//! What scripts of backups and restores ask a server, and how they say what they want: figures of the chain that a log or a differential
//! backup would go on from, headers by INSERT ... EXEC, moments in variables, paths with either separator.
//!
//! https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-database-recovery-status-transact-sql
//! https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-db-log-stats-transact-sql
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-arguments-transact-sql
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::path::PathBuf;

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
