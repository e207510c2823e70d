//! RESTORE WITH STANDBY: a database is read between the steps of its restore, and the next step goes on as if nobody had.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-arguments-transact-sql
//! https://learn.microsoft.com/sql/database-engine/log-shipping/about-log-shipping-sql-server
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::path::Path;
use std::time::Duration;

use lab::client::Connection;
use support::ask::{ask, connect, must, numbers, one, texts};
use support::files::{again, start};
use support::random::{Random, number};
use support::target;

fn refused(sa: &mut Connection, statement: &str, wanted: &[i32]) {
    let answer = ask(sa, statement);
    assert_eq!(numbers(&answer), wanted, "{statement}: {:?}", texts(&answer));
}

/// `shop`, with a full backup.
fn with_shop(sa: &mut Connection) {
    must(sa, "CREATE DATABASE shop; ALTER DATABASE shop SET RECOVERY FULL");
    must(
        sa,
        "USE shop; CREATE TABLE t (id int PRIMARY KEY, v varchar(900) NOT NULL);
         CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON); USE master",
    );
    add(sa, 1);
    must(sa, "BACKUP DATABASE shop TO DISK = 'shop.bak' WITH FORMAT");
}

fn add(sa: &mut Connection, id: i64) {
    must(
        sa,
        &format!(
            "INSERT shop..t VALUES ({id}, REPLICATE('v', 900)); INSERT shop..m WITH (SNAPSHOT) VALUES ({id}, {id})"
        ),
    );
}

fn back_up_log(sa: &mut Connection) {
    must(sa, "BACKUP LOG shop TO DISK = 'shop.trn'");
}

/// Rows of both tables, which are as many.
fn rows(sa: &mut Connection, database: &str) -> i64 {
    let rows = one(sa, &format!("SELECT COUNT(*) FROM {database}..t"));
    assert_eq!(rows, one(sa, &format!("SELECT COUNT(*) FROM {database}..m")));
    rows
}

/// is_in_standby, is_read_only, state, and the properties that say so.
fn shown(sa: &mut Connection) -> [i64; 4] {
    let answer = must(
        sa,
        "SELECT CONVERT(int, is_in_standby), CONVERT(int, is_read_only), CONVERT(int, state),
         CONVERT(int, DATABASEPROPERTYEX('there', 'IsInStandBy')) FROM sys.databases WHERE name = 'there'",
    );
    [0, 1, 2, 3].map(|column| answer.sets[0].rows[0][column].as_i64())
}

#[test]
fn a_database_in_standby_is_read_and_goes_on() {
    let (server, directory) = start("standby");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    add(&mut sa, 2);
    // Open at the end of the first log backup, committed in the second.
    let mut writer = connect(&server, "shop");
    must(&mut writer, "BEGIN TRANSACTION; INSERT t VALUES (3, 'open')");
    back_up_log(&mut sa);
    must(&mut writer, "INSERT m WITH (SNAPSHOT) VALUES (3, 3); COMMIT");
    drop(writer);
    back_up_log(&mut sa);
    add(&mut sa, 4);
    back_up_log(&mut sa);
    must(&mut sa, "RESTORE DATABASE there FROM DISK = 'shop.bak' WITH STANDBY = 'there.undo', STATS = 50");
    assert_eq!((rows(&mut sa, "there"), shown(&mut sa)), (1, [1, 1, 0, 1]));
    refused(&mut sa, "INSERT there..t VALUES (9, '')", &[3906]);
    refused(&mut sa, "BACKUP DATABASE there TO DISK = 'no.bak'", &[3036, 3013]);
    refused(&mut sa, "BACKUP LOG there TO DISK = 'no.bak'", &[3036, 3013]);
    refused(&mut sa, "ALTER DATABASE there SET READ_WRITE", &[5063, 5069]);
    refused(&mut sa, "EXEC sp_detach_db 'there'", &[40510]);
    must(&mut sa, "DBCC CHECKDB ('there') WITH NO_INFOMSGS");
    // Who reads has to leave, or is made to.
    let mut reader = lab::client::Connection::open(&target(server.port, "there"), None).expect("logged in");
    must(&mut reader, "SELECT COUNT(*) FROM t");
    refused(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = 1, STANDBY = 'there.undo'", &[3101, 3013]);
    assert_eq!(shown(&mut sa), [1, 1, 0, 1]);
    must(&mut sa, "ALTER DATABASE there SET SINGLE_USER WITH ROLLBACK IMMEDIATE");
    must(&mut sa, "ALTER DATABASE there SET MULTI_USER");
    drop(reader);
    must(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = 1, STANDBY = 'there.undo'");
    assert_eq!(rows(&mut sa, "there"), 2, "what was open is not there");
    refused(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = 3, STANDBY = 'there.undo'", &[4305, 3013]);
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!((rows(&mut sa, "there"), shown(&mut sa)), (2, [1, 1, 0, 1]));
    must(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = 2, NORECOVERY");
    refused(&mut sa, "SELECT * FROM there..t", &[927]);
    must(&mut sa, "RESTORE DATABASE there WITH STANDBY = 'there.undo'");
    assert_eq!((rows(&mut sa, "there"), shown(&mut sa)), (3, [1, 1, 0, 1]));
    must(&mut sa, "RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = 3, STANDBY = 'there.undo'");
    assert_eq!(rows(&mut sa, "there"), 4);
    drop(sa);
    server.stop();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!((rows(&mut sa, "there"), shown(&mut sa)), (4, [1, 1, 0, 1]));
    must(&mut sa, "RESTORE DATABASE there WITH RECOVERY");
    assert_eq!((rows(&mut sa, "there"), shown(&mut sa)), (4, [0, 0, 0, 0]));
    must(&mut sa, "INSERT there..t VALUES (9, ''); DBCC CHECKDB ('there') WITH NO_INFOMSGS");
    refused(&mut sa, "RESTORE DATABASE there WITH STANDBY = 'there.undo'", &[3153, 3013]);
    refused(&mut sa, "RESTORE DATABASE x FROM DISK = 'shop.bak' WITH STANDBY = 'u', NORECOVERY", &[3031, 3013]);
    // One that nobody goes on with is dropped, or replaced, and leaves nothing.
    must(&mut sa, "RESTORE DATABASE other FROM DISK = 'shop.bak' WITH STANDBY = 'other.undo'; DROP DATABASE other");
    must(&mut sa, "RESTORE DATABASE other FROM DISK = 'shop.bak' WITH STANDBY = 'other.undo'");
    must(&mut sa, "RESTORE DATABASE other FROM DISK = 'shop.bak' WITH REPLACE; INSERT other..t VALUES (9, '')");
    assert_eq!(left(&directory), Vec::<String>::new());
}

/// Files of restores that go on.
fn left(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    let files = entries.filter(|path| path.is_dir()).filter(|path| {
        let name = path.file_name().expect("a name").to_string_lossy();
        name.starts_with("restoring-") || name.starts_with("standing-")
    });
    files
        .flat_map(|path| std::fs::read_dir(path).expect("a directory"))
        .map(|entry| entry.expect("an entry").path().display().to_string())
        .collect()
}

/// KILLS: so many.
#[test]
fn a_kill_leaves_it_in_standby_or_restoring() {
    let kills = number("KILLS").unwrap_or(4) as i64;
    let seed = number("SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let mut random = Random(seed);
    let (mut server, directory) = start("standby-kills");
    let mut sa = connect(&server, "master");
    with_shop(&mut sa);
    must(&mut sa, "RESTORE DATABASE there FROM DISK = 'shop.bak' WITH STANDBY = 'there.undo'");
    let mut seen = [0, 0];
    for file in 1..=kills {
        add(&mut sa, file + 1);
        back_up_log(&mut sa);
        let port = server.port;
        let step = format!("RESTORE LOG there FROM DISK = 'shop.trn' WITH FILE = {file}, STANDBY = 'there.undo'");
        let text = step.clone();
        let stepping = std::thread::spawn(move || {
            if let Ok(mut sa) = Connection::open(&target(port, "master"), None) {
                let _ = sa.query(&text, None);
            }
        });
        std::thread::sleep(Duration::from_millis(random.below(400) as u64));
        drop(sa);
        server.kill();
        stepping.join().expect("it ended");
        server = again(&directory);
        sa = connect(&server, "master");
        let state = shown(&mut sa);
        let shown = format!("kill {file}, seed {seed}: {state:?}");
        if state == [1, 1, 0, 1] {
            seen[0] += 1;
            let read = rows(&mut sa, "there");
            assert!(read == file || read == file + 1, "{shown}: {read}");
        } else {
            seen[1] += 1;
            assert_eq!(state[2], 1, "{shown}");
        }
        // A log that was applied already is applied again, and changes nothing.
        must(&mut sa, &step);
        assert_eq!(rows(&mut sa, "there"), file + 1, "{shown}");
        must(&mut sa, "DBCC CHECKDB ('there') WITH NO_INFOMSGS");
    }
    println!("{kills} kills: {} in standby, {} restoring", seen[0], seen[1]);
    must(&mut sa, "RESTORE DATABASE there WITH RECOVERY");
    assert_eq!(rows(&mut sa, "there"), kills + 1);
    assert_eq!(left(&directory), Vec::<String>::new());
}
