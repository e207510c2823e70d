//! Databases that leave an instance as files and come to another, with real files under running servers; and snapshots of databases.
//!
//! https://learn.microsoft.com/sql/relational-databases/databases/database-detach-and-attach-sql-server
//! https://learn.microsoft.com/sql/relational-databases/databases/database-snapshots-sql-server
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use lab::client::Connection;
use support::ask::{ask, connect, must, one, texts, word};
use support::files::{again, copy_all, overwrite};
use support::{Server, scratch};

fn start(name: &str) -> (Server, PathBuf) {
    let directory = scratch(name);
    (again(&directory.join("data")), directory)
}

fn refused(sa: &mut Connection, text: &str) -> (i32, String) {
    let answer = ask(sa, text);
    let error = answer.first_error().unwrap_or_else(|| panic!("no error: {text}: {:?}", texts(&answer)));
    (error.number, error.text.clone())
}

/// A database `shop` with a table on pages, long values, an identity, one in memory, a user and an option of its own.
fn filled(sa: &mut Connection, on: &str) {
    must(sa, &format!("CREATE DATABASE shop {on}"));
    must(
        sa,
        "USE shop; ALTER DATABASE shop SET READ_COMMITTED_SNAPSHOT ON;
         CREATE TABLE t (id int IDENTITY PRIMARY KEY, v int NOT NULL, l varchar(max)); CREATE INDEX v ON t (v);
         CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON);
         CREATE SEQUENCE q START WITH 5; CREATE USER u WITHOUT LOGIN; EXEC ('CREATE VIEW w AS SELECT COUNT(*) AS n FROM dbo.t')",
    );
    must(
        sa,
        "USE shop; INSERT t (v, l) SELECT value, CASE WHEN value % 100 = 0 THEN REPLICATE(CAST('l' AS varchar(max)), 20000) END FROM GENERATE_SERIES(1, 1000);
         INSERT m SELECT value, value FROM GENERATE_SERIES(1, 300); DELETE t WHERE v % 10 = 3; SELECT NEXT VALUE FOR q; USE master",
    );
}

fn is_filled(sa: &mut Connection, name: &str) {
    assert_eq!(one(sa, &format!("SELECT n FROM {name}..w")), 900);
    assert_eq!(one(sa, &format!("SELECT SUM(v) FROM {name}..t WITH (INDEX (v))")), 450_700);
    assert_eq!(one(sa, &format!("SELECT SUM(LEN(l)) FROM {name}..t")), 200_000);
    assert_eq!(one(sa, &format!("SELECT SUM(v) FROM {name}..m")), 45_150);
    assert_eq!(one(sa, &format!("SELECT COUNT(*) FROM {name}.sys.database_principals WHERE name = 'u'")), 1);
    assert_eq!(texts(&must(sa, &format!("DBCC CHECKDB ('{name}') WITH NO_INFOMSGS"))), Vec::new());
}

/// What is refused leaves nothing, and the files as they are.
fn refusals(there: &mut Connection, attach: &str, file: &dyn Fn(&str) -> String, whole: &[u8]) {
    assert_eq!(refused(there, &attach.replace("shop.mdf", "none.mdf")).0, 5120);
    let (number, text) = refused(there, &attach.replace("shop.mdf", "no/shop.mdf"));
    assert_eq!((number, text.contains("no/shop.mdf")), (5133, true), "{text}");
    assert_eq!(refused(there, "CREATE DATABASE bought FOR ATTACH").0, 1829);
    assert_eq!(refused(there, &attach.replace("bought", "before")).0, 1801);
    assert_eq!(
        refused(there, &format!("CREATE DATABASE bought ON (FILENAME = '{}') FOR ATTACH", file("shop.ldf"))).0,
        5171
    );
    fs::write(file("text.mdf"), "no database").expect("written");
    assert_eq!(refused(there, &attach.replace("shop.mdf", "text.mdf")).0, 5171);
    for at in [17, 20, 5_000, whole.len() as u64 / 2, whole.len() as u64 - 20] {
        overwrite(Path::new(&file("shop.mdf")), at, b"damage");
        let number = refused(there, attach).0;
        assert!(matches!(number, 5172 | 5173 | 948), "{at}: {number}");
        fs::write(file("shop.mdf"), whole).expect("written");
    }
    fs::write(file("shop.mdf"), &whole[..whole.len() / 3]).expect("written");
    assert_eq!(refused(there, attach).0, 5172);
    fs::write(file("shop.mdf"), whole).expect("written");
    // A newer server's: its version is in the head, behind the format.
    let mut newer = whole.to_vec();
    newer[12] = 99;
    let crc = crc32(&newer[..36]);
    newer[36..40].copy_from_slice(&crc.to_le_bytes());
    fs::write(file("newer.mdf"), &newer).expect("written");
    let (number, text) = refused(there, &attach.replace("shop.mdf", "newer.mdf"));
    assert_eq!(number, 948);
    assert!(text.starts_with("The database 'bought' cannot be opened because it is version 99."), "{text}");
}

#[test]
fn a_detached_database_is_attached_by_another_instance() {
    let (server, directory) = start("detached");
    let mut sa = connect(&server, "master");
    let file = |name: &str| directory.join(name).display().to_string();
    filled(
        &mut sa,
        &format!(
            "ON (NAME = shop_data, FILENAME = '{}') LOG ON (NAME = shop_log, FILENAME = '{}')",
            file("shop.mdf"),
            file("shop.ldf")
        ),
    );
    // https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-detach-db-transact-sql
    assert_eq!(refused(&mut sa, "EXEC sp_detach_db 'nothing'").0, 15010);
    assert_eq!(refused(&mut sa, "EXEC sp_detach_db 'msdb'").0, 7940);
    assert_eq!(refused(&mut sa, "BEGIN TRAN; EXEC sp_detach_db 'shop'").0, 15002);
    must(&mut sa, "IF @@TRANCOUNT > 0 ROLLBACK");
    let user = connect(&server, "shop");
    assert_eq!(
        refused(&mut sa, "EXEC sp_detach_db 'shop'"),
        (3703, "Cannot detach the database 'shop' because it is currently in use.".into())
    );
    drop(user);
    must(&mut sa, "ALTER DATABASE shop SET SINGLE_USER WITH ROLLBACK IMMEDIATE; ALTER DATABASE shop SET MULTI_USER");
    fs::write(file("shop.mdf"), "another's").expect("written");
    assert_eq!(refused(&mut sa, "EXEC sp_detach_db 'shop'").0, 5170);
    fs::remove_file(file("shop.mdf")).expect("removed");
    is_filled(&mut sa, "shop");
    must(&mut sa, "EXEC sp_detach_db @dbname = N'shop', @skipchecks = 'true'");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM sys.databases WHERE name = 'shop'"), 0);
    assert_eq!(refused(&mut sa, "USE shop").0, 911);
    let whole = fs::read(file("shop.mdf")).expect("it is there");
    assert!(fs::metadata(file("shop.ldf")).expect("it is there").len() >= 40);

    // Another instance, with other databases and numbers.
    let other = again(&directory.join("other"));
    let mut there = connect(&other, "master");
    must(&mut there, "CREATE DATABASE before; CREATE DATABASE gone; DROP DATABASE gone");
    let attach = format!(
        "CREATE DATABASE bought ON (FILENAME = '{}'), (FILENAME = '{}') FOR ATTACH",
        file("shop.mdf"),
        file("shop.ldf")
    );
    refusals(&mut there, &attach, &file, &whole);
    // 948 is of severity 20 and ends the session.
    let mut there = connect(&other, "master");
    assert_eq!(one(&mut there, "SELECT COUNT(*) FROM sys.databases WHERE name = 'bought'"), 0);
    must(&mut there, &attach);
    is_filled(&mut there, "bought");
    assert_eq!(
        one(&mut there, "SELECT CONVERT(int, is_read_committed_snapshot_on) FROM sys.databases WHERE name = 'bought'"),
        1
    );
    assert_eq!(
        word(&mut there, "SELECT physical_name FROM bought.sys.database_files WHERE file_id = 1"),
        file("shop.mdf")
    );
    assert!(
        !Path::new(&file("shop.mdf")).exists() && !Path::new(&file("shop.ldf")).exists(),
        "they are the instance's"
    );
    assert_eq!(refused(&mut there, &attach.replace("bought", "twice")).0, 5120);
    // Numbers go on.
    must(
        &mut there,
        "USE bought; INSERT t (v) VALUES (7); INSERT m VALUES (301, 1); SELECT NEXT VALUE FOR q; USE master",
    );
    assert!(one(&mut there, "SELECT MAX(id) FROM bought..t") > 1_000);
    drop(there);
    other.kill();
    let other = again(&directory.join("other"));
    let mut there = connect(&other, "master");
    assert_eq!(one(&mut there, "SELECT COUNT(*) FROM bought..t"), 901);
    // And back, by the procedures, without the log's file.
    must(&mut there, "EXEC sp_detach_db 'bought'");
    fs::remove_file(file("shop.ldf")).expect("removed");
    must(&mut sa, &format!("EXEC sp_attach_single_file_db @dbname = 'shop', @physname = N'{}'", file("shop.mdf")));
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM shop..t"), 901);
    must(&mut sa, "EXEC sp_detach_db 'shop'");
    must(&mut sa, &format!("EXEC sp_attach_db 'shop', N'{}', N'{}'", file("shop.mdf"), file("shop.ldf")));
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM shop..t"), 901);
    // A log of another database.
    must(
        &mut sa,
        &format!(
            "CREATE DATABASE b ON (NAME = b, FILENAME = '{}') LOG ON (NAME = bl, FILENAME = '{}')",
            file("b.mdf"),
            file("b.ldf")
        ),
    );
    must(&mut sa, "EXEC sp_detach_db 'b'; EXEC sp_detach_db 'shop'");
    assert_eq!(
        refused(&mut sa, &format!("EXEC sp_attach_db 'shop', N'{}', N'{}'", file("shop.mdf"), file("b.ldf"))).0,
        5173
    );
    must(&mut sa, &format!("CREATE DATABASE shop ON (FILENAME = '{}') FOR ATTACH_REBUILD_LOG", file("shop.mdf")));
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM shop..t"), 901);
}

/// Where nothing else is said, the files lie in the directory of the data; nothing of the instance itself can be named there.
#[test]
fn files_in_the_data_directory_are_databases_alone() {
    let (server, directory) = start("detached-default");
    let mut sa = connect(&server, "master");
    filled(&mut sa, "");
    let path = word(&mut sa, "SELECT physical_name FROM shop.sys.database_files WHERE file_id = 1");
    must(&mut sa, "EXEC sp_detach_db 'shop'");
    assert!(Path::new(&path).exists(), "{path}");
    drop(sa);
    server.kill();
    let server = again(&directory.join("data"));
    let mut sa = connect(&server, "master");
    must(&mut sa, &format!("CREATE DATABASE shop ON (FILENAME = '{path}') FOR ATTACH"));
    is_filled(&mut sa, "shop");
    for name in ["heddle.hct", "service-master-key", "d00001.hdb", "lock"] {
        let own = directory.join("data").join(name).display().to_string();
        assert_eq!(
            refused(&mut sa, &format!("CREATE DATABASE x ON (FILENAME = '{own}') FOR ATTACH")).0,
            5120,
            "{name}"
        );
        must(&mut sa, &format!("CREATE DATABASE y ON (NAME = y, FILENAME = '{own}')"));
        assert_eq!(refused(&mut sa, "EXEC sp_detach_db 'y'").0, 5120, "{name}");
        must(&mut sa, "DROP DATABASE y");
    }
    must(&mut sa, "CREATE DATABASE y ON (NAME = y, FILENAME = 'C:\\data\\y.mdf')");
    assert_eq!(refused(&mut sa, "EXEC sp_detach_db 'y'").0, 5133);
    must(&mut sa, "SELECT * FROM y.sys.objects; CREATE LOGIN low WITH PASSWORD = 'Heddle-1-Zq'");
    let low = support::target(server.port, "master").with_login("low", "Heddle-1-Zq");
    let mut low = Connection::open(&low, None).expect("logged in");
    assert_eq!(refused(&mut low, "EXEC sp_detach_db 'shop'").0, 15247);
    assert_eq!(refused(&mut low, "CREATE DATABASE x ON (FILENAME = '/tmp/x.mdf') FOR ATTACH").0, 262);
}

#[test]
fn a_snapshot_stays_as_it_was_and_its_source_can_go_back() {
    let (server, directory) = start("snapshots");
    let mut sa = connect(&server, "master");
    filled(&mut sa, "");
    let of = |name: &str| {
        format!(
            "CREATE DATABASE {name} ON (NAME = shop, FILENAME = '{}') AS SNAPSHOT OF shop",
            directory.join(name).display()
        )
    };
    // https://learn.microsoft.com/sql/t-sql/statements/create-database-transact-sql
    assert_eq!(
        refused(&mut sa, "CREATE DATABASE s ON (NAME = other, FILENAME = '/x/s.ss') AS SNAPSHOT OF shop").0,
        5127
    );
    assert_eq!(refused(&mut sa, &of("s").replace("OF shop", "OF nothing")).0, 911);
    assert_eq!(refused(&mut sa, &of("s").replace(" AS SNAPSHOT", " COLLATE Latin1_General_BIN2 AS SNAPSHOT")).0, 1825);
    let mut other = connect(&server, "shop");
    must(&mut other, "BEGIN TRAN; UPDATE t SET v = -1; INSERT m VALUES (1000, 1)");
    must(&mut sa, &of("s"));
    must(&mut other, "COMMIT; USE master");
    assert_eq!(one(&mut sa, "SELECT SUM(v) FROM shop..t"), -900);
    // What was not committed is not in it.
    is_filled(&mut sa, "s");
    assert_eq!(
        one(
            &mut sa,
            "SELECT COUNT(*) FROM sys.databases WHERE name = 's' AND source_database_id = DB_ID('shop') AND is_read_only = 1 AND snapshot_isolation_state = 1"
        ),
        1
    );
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM sys.databases WHERE source_database_id IS NOT NULL"), 1);
    for text in [
        "INSERT s..t (v) VALUES (1)",
        "UPDATE s..m SET v = 1",
        "USE s; CREATE TABLE n (a int)",
        "USE s; CREATE USER z WITHOUT LOGIN",
        "USE s; SELECT NEXT VALUE FOR q",
        "USE s; GRANT SELECT ON t TO u",
        "USE s; DROP VIEW w",
        "USE s; EXEC ('CREATE SCHEMA z')",
        "USE s; EXEC sp_addextendedproperty 'a', 'b'",
        "USE s; ALTER ROLE db_owner ADD MEMBER u",
        "USE s; TRUNCATE TABLE t",
    ] {
        assert_eq!(
            refused(&mut sa, text),
            (3906, "Failed to update database \"s\" because the database is read-only.".into()),
            "{text}"
        );
    }
    must(&mut sa, "USE master");
    assert_eq!(refused(&mut sa, "ALTER DATABASE s SET READ_WRITE").0, 5093);
    assert_eq!(refused(&mut sa, "BACKUP DATABASE s TO DISK = 's.bak'").0, 3002);
    assert_eq!(refused(&mut sa, "EXEC sp_detach_db 's'").0, 3706);
    assert_eq!(refused(&mut sa, &of("s2").replace("OF shop", "OF s")).0, 1821);
    assert_eq!(
        refused(&mut sa, "DROP DATABASE shop"),
        (
            3709,
            "Cannot drop the database while the database snapshot \"s\" refers to it. Drop that database first.".into()
        )
    );
    assert_eq!(refused(&mut sa, "EXEC sp_detach_db 'shop'").0, 3709);
    drop((sa, other));
    server.kill();
    let server = again(&directory.join("data"));
    let mut sa = connect(&server, "master");
    is_filled(&mut sa, "s");
    assert_eq!(refused(&mut sa, "INSERT s..t (v) VALUES (1)").0, 3906);
    assert_eq!(refused(&mut sa, "DROP DATABASE shop").0, 3709);
    // https://learn.microsoft.com/sql/relational-databases/databases/revert-a-database-to-a-database-snapshot
    must(&mut sa, &of("second"));
    assert_eq!(refused(&mut sa, "RESTORE DATABASE shop FROM DATABASE_SNAPSHOT = 's'").0, 3137);
    must(&mut sa, "DROP DATABASE second");
    assert_eq!(refused(&mut sa, "RESTORE DATABASE shop FROM DATABASE_SNAPSHOT = 'nothing'").0, 3137);
    must(&mut sa, "RESTORE DATABASE shop FROM DATABASE_SNAPSHOT = 's'");
    is_filled(&mut sa, "shop");
    must(&mut sa, "INSERT shop..t (v) VALUES (1); DELETE shop..m WHERE id = 1");
    is_filled(&mut sa, "s");
    assert_eq!(
        one(&mut sa, "SELECT COUNT(*) FROM sys.databases WHERE name = 's' AND source_database_id = DB_ID('shop')"),
        1
    );
    assert_eq!(
        one(
            &mut sa,
            "SELECT COUNT(*) FROM sys.databases WHERE name = 'shop' AND is_read_only = 0 AND source_database_id IS NULL"
        ),
        1
    );
    must(&mut sa, "DROP DATABASE s; DROP DATABASE shop");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM master.sys.databases WHERE source_database_id IS NOT NULL"), 0);
}

/// As `crc32fast` does: of the reflected polynomial 0xedb88320.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1)))
    })
}

/// A detachment or an attachment that is killed leaves a database in the instance, or its files, or both.
#[test]
fn a_kill_in_between_loses_nothing() {
    let (server, directory) = start("detached-killed");
    let mut sa = connect(&server, "master");
    let path = directory.join("shop.mdf").display().to_string();
    filled(
        &mut sa,
        &format!(
            "ON (NAME = shop, FILENAME = '{path}') LOG ON (NAME = shop_log, FILENAME = '{}')",
            directory.join("shop.ldf").display()
        ),
    );
    drop(sa);
    server.stop();
    let kept = scratch("detached-killed-kept");
    copy_all(&directory, &kept);
    for round in 0..6_u64 {
        let server = again(&directory.join("data"));
        let mut sa = connect(&server, "master");
        let text = match round % 2 {
            0 => "EXEC sp_detach_db 'shop'".to_owned(),
            _ => format!("EXEC sp_detach_db 'shop'; CREATE DATABASE shop ON (FILENAME = '{path}') FOR ATTACH"),
        };
        let worker = std::thread::spawn(move || sa.query(&text, Some(os::clock::after_ms(30_000))).is_ok());
        std::thread::sleep(std::time::Duration::from_millis(20 + 60 * round));
        server.kill();
        let ended = worker.join().expect("joined");
        let server = again(&directory.join("data"));
        let mut sa = connect(&server, "master");
        let is_there = one(&mut sa, "SELECT COUNT(*) FROM sys.databases WHERE name = 'shop'") == 1;
        let file = Path::new(&path).exists();
        assert!(is_there || file, "round {round}, ended {ended}");
        if is_there && word(&mut sa, "SELECT state_desc FROM sys.databases WHERE name = 'shop'") == "RESTORING" {
            must(&mut sa, "RESTORE DATABASE shop WITH RECOVERY");
        }
        if !is_there {
            must(&mut sa, &format!("CREATE DATABASE shop ON (FILENAME = '{path}') FOR ATTACH"));
        }
        is_filled(&mut sa, "shop");
        drop(sa);
        server.kill();
        copy_all(&kept, &directory);
    }
}
