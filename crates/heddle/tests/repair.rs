//! A database that is damaged is read in an emergency and repaired, with real files under a running server: what is told to be lost is lost, and
//! nothing else.
//!
//! https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options
//! https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-checkdb-transact-sql
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use lab::client::Connection;
use support::ask::{ask, connect, must, numbers, one, texts};
use support::files::{PAGE, again, copy_all, data_file, overwrite, start, state};
use support::random::{Random, number};
use support::{scratch, target};

/// A database with a table `t` of 3,000 rows, an index, long values, a heap and rows in memory, on disk.
fn filled(sa: &mut Connection) {
    must(sa, "CREATE DATABASE a");
    must(
        sa,
        "USE a; CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, s varchar(200), l varchar(max));
         CREATE INDEX v ON t (v); CREATE TABLE h (x int, y varchar(100)); CREATE INDEX x ON h (x);
         CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON)",
    );
    must(
        sa,
        "USE a; INSERT t SELECT value, value % 97, REPLICATE('s', value % 150), CASE WHEN value % 50 = 0 THEN REPLICATE(CAST('l' AS varchar(max)), 20000) END
           FROM GENERATE_SERIES(1, 3000);
         INSERT h SELECT value, REPLICATE('y', value % 90) FROM GENERATE_SERIES(1, 1500);
         INSERT m SELECT value, value FROM GENERATE_SERIES(1, 300); USE master; CHECKPOINT",
    );
}

/// Pages in use of the file by their kind (3: a leaf, 4: above leaves), and which tree they are of.
fn pages(file: &Path) -> Vec<(u64, u8, u32)> {
    let whole = fs::read(file).expect("readable");
    let of = |number: u64| {
        let bytes = &whole[(number * PAGE) as usize..][..PAGE as usize];
        (number, bytes[4], u32::from_le_bytes(bytes[24..28].try_into().expect("4 bytes")))
    };
    (0..whole.len() as u64 / PAGE).map(of).filter(|(_, kind, _)| *kind != 0).collect()
}

const IDS: &str = "SELECT id FROM a..t WITH (INDEX (1)) ORDER BY id";

fn ids(sa: &mut Connection, query: &str) -> BTreeSet<i64> {
    must(sa, query).sets[0].rows.iter().map(|row| row[0].as_i64()).collect()
}

/// Both indexes of each table agree, and nothing is wrong.
fn is_whole(sa: &mut Connection) {
    assert_eq!(texts(&must(sa, "DBCC CHECKDB ('a') WITH NO_INFOMSGS")), Vec::new());
    let by_key = ids(sa, IDS);
    assert_eq!(ids(sa, "SELECT id FROM a..t WITH (INDEX (v)) ORDER BY id"), by_key);
    must(
        sa,
        "SELECT SUM(LEN(l)) FROM a..t; SELECT COUNT(y), COUNT(x) FROM a..h; INSERT a..t (id, v) VALUES (-1, 1); DELETE a..t WHERE id = -1",
    );
}

#[test]
fn a_suspect_database_is_read_and_repaired() {
    let (server, directory) = start("repair-suspect");
    let mut sa = connect(&server, "master");
    filled(&mut sa);
    must(
        &mut sa,
        "CREATE LOGIN low WITH PASSWORD = 'Heddle-1-Zq'; USE a; CREATE USER low; ALTER ROLE db_owner ADD MEMBER low",
    );
    must(&mut sa, "USE master; CHECKPOINT; UPDATE a..t SET v = v + 1 WHERE id > 2000");
    let id = one(&mut sa, "SELECT DB_ID('a')");
    drop(sa);
    server.kill();
    // A leaf that recovery needs: of the rows that have been changed since.
    let file = data_file(&directory, id);
    let bytes = fs::read(&file).expect("readable");
    let leaf = pages(&file)
        .into_iter()
        .filter(|(page, kind, _)| {
            *kind == 3
                && bytes[(page * PAGE) as usize..][..PAGE as usize]
                    .windows(140)
                    .any(|run| run.iter().all(|byte| *byte == b's'))
        })
        .map(|(page, ..)| page)
        .next_back()
        .expect("a leaf");
    overwrite(&file, leaf * PAGE + 300, b"damage");
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(state(&mut sa, "a"), "SUSPECT");
    must(&mut sa, "ALTER DATABASE a SET EMERGENCY");
    assert_eq!(state(&mut sa, "a"), "EMERGENCY");
    assert_eq!(one(&mut sa, "SELECT CONVERT(int, state) FROM sys.databases WHERE name = 'a'"), 5);
    // Members of sysadmin read it, nobody changes it.
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..h"), 1_500);
    assert_eq!(ask(&mut sa, "INSERT a..h VALUES (1, 'y')").first_error().expect("an error").number, 3906);
    assert_eq!(ask(&mut sa, "USE a; CREATE TABLE n (a int)").first_error().expect("an error").number, 3906);
    assert_eq!(ask(&mut sa, "USE a; CREATE USER other WITHOUT LOGIN").first_error().expect("an error").number, 3906);
    let low = target(server.port, "master").with_login("low", "Heddle-1-Zq");
    let mut low = Connection::open(&low, None).expect("logged in");
    assert_eq!(ask(&mut low, "SELECT COUNT(*) FROM a..h").first_error().expect("an error").number, 916);
    assert_eq!(ask(&mut low, "USE a").first_error().expect("an error").number, 916);
    drop(low);
    // It stays so over a restart.
    must(&mut sa, "USE master");
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(state(&mut sa, "a"), "EMERGENCY");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..h"), 1_500);
    // https://learn.microsoft.com/sql/relational-databases/errors-events/mssqlserver-7901-database-engine-error
    assert_eq!(ask(&mut sa, "DBCC CHECKDB (a, REPAIR_ALLOW_DATA_LOSS)").first_error().expect("an error").number, 7919);
    must(&mut sa, "ALTER DATABASE a SET SINGLE_USER WITH ROLLBACK IMMEDIATE");
    assert_eq!(ask(&mut sa, "DBCC CHECKDB (a, REPAIR_REBUILD)").first_error().expect("an error").number, 7901);
    assert_eq!(
        ask(&mut sa, "BEGIN TRAN; DBCC CHECKDB (a, REPAIR_ALLOW_DATA_LOSS)").first_error().expect("an error").number,
        8920
    );
    must(&mut sa, "IF @@TRANCOUNT > 0 ROLLBACK");
    let checked = ask(&mut sa, "DBCC CHECKDB (a) WITH NO_INFOMSGS");
    let level = "repair_allow_data_loss is the minimum repair level for the errors found by DBCC CHECKDB (a).";
    assert!(texts(&checked).contains(&(8958, level.to_owned())), "{:?}", texts(&checked));
    let repaired = ask(&mut sa, "DBCC CHECKDB (a, REPAIR_ALLOW_DATA_LOSS) WITH NO_INFOMSGS");
    let told = texts(&repaired);
    for number in [8928, 8911, 7911, 8945, 8989, 8912] {
        assert!(told.iter().any(|(found, _)| *found == number), "{number}: {told:?}");
    }
    assert!(told.iter().any(|(number, text)| *number == 7911 && text.contains("(1:")), "{told:?}");
    assert_eq!(state(&mut sa, "a"), "ONLINE");
    must(&mut sa, "ALTER DATABASE a SET MULTI_USER");
    is_whole(&mut sa);
    let left = ids(&mut sa, IDS);
    assert!(left.len() > 2_500 && left.len() < 3_000, "{}", left.len());
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..m"), 300);
    // What was committed before the kill is there, but for the rows of that page.
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..t WHERE id > 2000 AND v <> id % 97 + 1"), 0);
    drop(sa);
    server.kill();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(ids(&mut sa, IDS), left);
    is_whole(&mut sa);
}

#[test]
fn an_emergency_ends_with_the_good_file_or_offline_or_a_drop() {
    let (server, directory) = start("repair-ends");
    let mut sa = connect(&server, "master");
    filled(&mut sa);
    let id = one(&mut sa, "SELECT DB_ID('a')");
    assert_eq!(ask(&mut sa, "ALTER DATABASE master SET EMERGENCY").first_error().expect("an error").number, 5058);
    // Of one that is whole nothing is lost.
    must(&mut sa, "INSERT a..m VALUES (301, 1); ALTER DATABASE a SET EMERGENCY WITH ROLLBACK IMMEDIATE");
    assert_eq!(state(&mut sa, "a"), "EMERGENCY");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..t"), 3_000);
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..m"), 301);
    // "If the database is in the OFFLINE or EMERGENCY state, BACKUP isn't allowed even with NO_TRUNCATE."
    // https://learn.microsoft.com/sql/t-sql/statements/backup-transact-sql
    for backup in ["DATABASE a TO DISK = 'a.bak'", "LOG a TO DISK = 'a.trn' WITH NO_TRUNCATE"] {
        assert_eq!(ask(&mut sa, &format!("BACKUP {backup}")).first_error().expect("an error").number, 5052);
    }
    must(&mut sa, "ALTER DATABASE a SET OFFLINE");
    assert_eq!(
        ask(&mut sa, "BACKUP LOG a TO DISK = 'a.trn' WITH NO_TRUNCATE").first_error().expect("an error").number,
        942
    );
    must(&mut sa, "ALTER DATABASE a SET ONLINE; INSERT a..m VALUES (302, 1); INSERT a..h VALUES (1, 'y')");
    must(
        &mut sa,
        "ALTER DATABASE a SET EMERGENCY; ALTER DATABASE a SET OFFLINE; ALTER DATABASE a SET EMERGENCY; ALTER DATABASE a SET ONLINE",
    );
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..m"), 302);
    is_whole(&mut sa);
    must(&mut sa, "ALTER DATABASE a SET EMERGENCY");
    drop(sa);
    server.stop();
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(state(&mut sa, "a"), "EMERGENCY");
    // Its rows in memory were not loaded.
    assert_eq!(ask(&mut sa, "SELECT COUNT(*) FROM a..m").first_error().expect("an error").number, 945);
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..t"), 3_000);
    must(&mut sa, "ALTER DATABASE a SET ONLINE");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..m"), 302);
    // Changes that were not committed when it was damaged.
    let mut other = connect(&server, "a");
    must(&mut other, "BEGIN TRAN; DELETE t WHERE id > 1500; UPDATE h SET y = 'none'; CREATE TABLE n (a int)");
    must(&mut sa, "CHECKPOINT");
    drop((sa, other));
    server.kill();
    let file = data_file(&directory, id);
    let mut whole = fs::read(&file).expect("readable");
    overwrite(&file, 2 * PAGE + 100, &[0xa5; 16]);
    // It has a copy of the last pages that were written.
    fs::remove_file(directory.join("doublewrite.hdw")).expect("removed");
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    assert_eq!(state(&mut sa, "a"), "SUSPECT");
    must(&mut sa, "ALTER DATABASE a SET EMERGENCY; ALTER DATABASE a SET SINGLE_USER");
    // Without the directory of its tables nothing can be repaired.
    let told = numbers(&ask(&mut sa, "DBCC CHECKDB (a, REPAIR_ALLOW_DATA_LOSS)"));
    assert!(told.contains(&7909) && !told.contains(&8911), "{told:?}");
    // Of severity 20: the session has ended.
    let mut sa = connect(&server, "master");
    assert_eq!(state(&mut sa, "a"), "EMERGENCY");
    let page: Vec<u8> = whole.drain((2 * PAGE) as usize..(3 * PAGE) as usize).collect();
    overwrite(&file, 2 * PAGE, &page);
    must(&mut sa, "ALTER DATABASE a SET ONLINE; ALTER DATABASE a SET MULTI_USER");
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..t"), 3_000);
    assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..h WHERE y = 'none'"), 0);
    is_whole(&mut sa);
    must(&mut sa, "ALTER DATABASE a SET EMERGENCY; DROP DATABASE a; CREATE DATABASE a");
    assert_eq!(state(&mut sa, "a"), "ONLINE");
}

/// https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-checkdb-transact-sql: "Performs repairs that have no possibility of
/// data loss."
#[test]
fn an_index_and_pages_above_leaves_come_back_without_loss() {
    let (server, directory) = start("repair-rebuild");
    let mut sa = connect(&server, "master");
    filled(&mut sa);
    let id = one(&mut sa, "SELECT DB_ID('a')");
    let file = data_file(&directory, id);
    must(&mut sa, "ALTER DATABASE a SET SINGLE_USER");
    drop(sa);
    server.stop();
    let kept = scratch("repair-rebuild-kept");
    copy_all(&directory, &kept);
    let above = pages(&file).into_iter().filter(|(page, kind, _)| *kind == 4 && *page > 2).map(|(page, ..)| page);
    let above: Vec<u64> = above.collect();
    assert!(above.len() >= 3, "{above:?}");
    let mut repaired_pages = 0;
    for page in above.into_iter().chain([1]) {
        overwrite(&file, page * PAGE + 200, b"damage");
        let server = again(&directory);
        let mut sa = connect(&server, "master");
        // Some are of the definitions.
        if state(&mut sa, "a") == "ONLINE" {
            assert!(!numbers(&ask(&mut sa, "DBCC CHECKDB ('a') WITH NO_INFOMSGS")).is_empty(), "page {page}");
            let repaired = ask(&mut sa, "DBCC CHECKDB (a, REPAIR_REBUILD) WITH NO_INFOMSGS");
            let told = numbers(&repaired);
            if !told.contains(&8930) {
                repaired_pages += 1;
                assert!(told.contains(&8912) && !told.contains(&7911), "page {page}: {:?}", texts(&repaired));
                assert_eq!(one(&mut sa, "SELECT COUNT(*) FROM a..t"), 3_000, "page {page}");
                assert_eq!(one(&mut sa, "SELECT SUM(LEN(l)) FROM a..t"), 60 * 20_000, "page {page}");
                is_whole(&mut sa);
            }
        }
        drop(sa);
        server.kill();
        copy_all(&kept, &directory);
    }
    assert!(repaired_pages >= 3, "{repaired_pages}");
    // A leaf of a table costs its rows, and is left.
    let bytes = fs::read(&file).expect("readable");
    let of_rows = |page: &u64| {
        bytes[(page * PAGE) as usize..][..PAGE as usize].windows(88).any(|run| run.iter().all(|byte| *byte == b'y'))
    };
    let leaf = pages(&file).into_iter().filter(|(_, kind, _)| *kind == 3).map(|(page, ..)| page).rfind(of_rows);
    overwrite(&file, leaf.expect("a leaf") * PAGE + 300, b"damage");
    let server = again(&directory);
    let mut sa = connect(&server, "master");
    let repaired = ask(&mut sa, "DBCC CHECKDB (a, REPAIR_REBUILD) WITH NO_INFOMSGS");
    assert!(numbers(&repaired).contains(&8923), "{:?}", texts(&repaired));
    assert!(!numbers(&ask(&mut sa, "DBCC CHECKDB (a) WITH NO_INFOMSGS")).is_empty());
    let repaired = ask(&mut sa, "DBCC CHECKDB (a, REPAIR_ALLOW_DATA_LOSS) WITH NO_INFOMSGS");
    assert!(numbers(&repaired).contains(&7911), "{:?}", texts(&repaired));
    is_whole(&mut sa);
    let left = one(&mut sa, "SELECT COUNT(*) FROM a..h");
    assert!(left > 1_200 && left < 1_500, "{left}");
}

/// Pages at random, several at a time: after the repair each row that is there is what it was, and each row that is not was told.
#[test]
fn sampled_damage_is_repaired_to_a_part_of_what_was_there() {
    let cases = number("REPAIR_CASES").unwrap_or(6);
    let seed = number("SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let mut random = Random(seed);
    let (server, directory) = start("repair-sampled");
    let mut sa = connect(&server, "master");
    filled(&mut sa);
    let id = one(&mut sa, "SELECT DB_ID('a')");
    let sums = "SELECT id, CHECKSUM(v, s), LEN(l) FROM a..t";
    let right = rows(&mut sa, sums);
    let heap = rows(&mut sa, "SELECT x, CHECKSUM(y), 1 FROM a..h");
    drop(sa);
    server.stop();
    let kept = scratch("repair-sampled-kept");
    copy_all(&directory, &kept);
    for case in 0..cases {
        let file = data_file(&directory, id);
        let used: Vec<u64> = pages(&file).into_iter().map(|(page, ..)| page).filter(|page| *page > 2).collect();
        for _ in 0..1 + random.below(5) {
            let page = used[random.below(used.len())];
            match random.below(4) {
                0 => overwrite(&file, page * PAGE, &[0; PAGE as usize]),
                _ => overwrite(&file, page * PAGE + random.below(8_000) as u64, b"damage"),
            }
        }
        let at = format!("case {case}, seed {seed}");
        let server = again(&directory);
        let mut sa = connect(&server, "master");
        if state(&mut sa, "a") != "ONLINE" {
            must(&mut sa, "ALTER DATABASE a SET EMERGENCY");
        }
        must(&mut sa, "ALTER DATABASE a SET SINGLE_USER");
        let repaired = ask(&mut sa, "DBCC CHECKDB (a, REPAIR_ALLOW_DATA_LOSS) WITH NO_INFOMSGS, ALL_ERRORMSGS");
        let told = numbers(&repaired);
        if told.contains(&8930) || told.contains(&7909) {
            assert!(told.len() > 1, "{at}: what is damaged is told: {:?}", texts(&repaired));
            println!("{at}: definitions are damaged");
        } else {
            assert_eq!(state(&mut sa, "a"), "ONLINE", "{at}: {:?}", texts(&repaired));
            is_whole(&mut sa);
            let left = rows(&mut sa, sums);
            assert!(left.is_subset(&right), "{at}");
            let left_of_heap = rows(&mut sa, "SELECT x, CHECKSUM(y), 1 FROM a..h");
            assert!(left_of_heap.is_subset(&heap), "{at}");
            let lost = left.len() < right.len() || left_of_heap.len() < heap.len();
            assert!(!lost || told.contains(&7911) || told.contains(&7916), "{at}: {:?}", texts(&repaired));
            println!("{at}: {} of {} rows, {} of {}", left.len(), right.len(), left_of_heap.len(), heap.len());
        }
        drop(sa);
        server.kill();
        copy_all(&kept, &directory);
    }
}

fn rows(sa: &mut Connection, query: &str) -> BTreeSet<(i64, i64, i64)> {
    let whole = |value: &types::Datum| if value.is_null() { -1 } else { value.as_i64() };
    let answer = must(sa, query);
    answer.sets[0].rows.iter().map(|row| (whole(&row[0]), whole(&row[1]), whole(&row[2]))).collect()
}
