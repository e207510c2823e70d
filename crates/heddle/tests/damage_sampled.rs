//! Damage at places that a seed says: bytes of all files flipped, overwritten, zeroed or cut. Whatever was done, it is found at the start, at a
//! read or by CHECKDB, or is in bytes that mean nothing; and it stays in its database, or the start is refused with words.
//!
//! `DAMAGE_CASES` says how many cases, `DAMAGE_DATABASES` how many databases are damaged, each on its own, for one start.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use lab::client::Connection;
use support::Server;
use support::ask::{ask, connect, must, numbers, one};
use support::files::{
    PAGE, again, copy_all, copy_changed, data_file, filled, overwrite, refused_start, rows, start, state,
};
use support::random::{Random, number};
use support::scratch;

const CASES: u64 = 24;
const DATABASES: u64 = 6;
/// Rows of a filled database.
const ROWS: i64 = 3_800;

/// How often each way of damage, in each kind of file, was found where.
type Table = BTreeMap<(String, &'static str, &'static str), u32>;

fn show(seed: u64, table: &Table) {
    println!("seed {seed}");
    for ((file, way, outcome), count) in table {
        println!("{file:>20}  {way:<10} {outcome:<14} {count:>6}");
    }
}

/// Of all rows of a filled database.
fn sum_of(name: &str) -> String {
    format!(
        "SELECT CHECKSUM_AGG(CHECKSUM(id, v, s)) + SUM(LEN(l)) + (SELECT CHECKSUM_AGG(CHECKSUM(x, y)) FROM {name}..h) + (SELECT SUM(v) FROM {name}..m) FROM {name}..t"
    )
}

/// Damages the file at a place below `most`, in a way that is told.
fn damage(random: &mut Random, file: &Path, most: u64) -> (&'static str, u64) {
    let bytes = fs::read(file).expect("readable");
    let length = bytes.len() as u64;
    let at = random.below(most.clamp(1, length.max(1)) as usize) as u64;
    if length == 0 {
        overwrite(file, 0, &[1]);
        return ("grown", 0);
    }
    match random.below(16) {
        0 | 1 => {
            OpenOptions::new().write(true).open(file).expect("writable").set_len(at).expect("cut");
            ("cut", at)
        }
        2 | 3 => {
            let page = at / PAGE * PAGE;
            overwrite(file, page, &vec![0; PAGE.min(length - page) as usize]);
            ("zeroed", page)
        }
        4..=6 => {
            let size = (1 + random.below(64)).min((length - at) as usize);
            let noise: Vec<u8> = (0..size).map(|_| random.below(256) as u8).collect();
            overwrite(file, at, &noise);
            ("noise", at)
        }
        _ => {
            overwrite(file, at, &[bytes[at as usize] ^ 1 << random.below(8)]);
            ("bit", at)
        }
    }
}

/// Where the damage of a database that is there was found. What is read must be right, or fail by an error of damage.
fn judged(server: &Server, sa: &mut Connection, (name, right): (&str, i64), shown: &str) -> &'static str {
    if state(sa, name) != "ONLINE" {
        return "at the start";
    }
    let checked = numbers(&ask(sa, &format!("DBCC CHECKDB ('{name}') WITH NO_INFOMSGS")));
    // An error of that severity ends the connection.
    if checked.iter().any(|number| matches!(number, 823 | 824)) {
        *sa = connect(server, "master");
    }
    let read = ask(sa, &sum_of(name));
    match read.first_error() {
        Some(error) => {
            assert!(matches!(error.number, 823 | 824), "{shown}: {} {}", error.number, error.text);
            assert!(!checked.is_empty(), "{shown}: CHECKDB is silent");
            *sa = connect(server, "master");
            "at a read"
        }
        None if checked.is_empty() => {
            assert_eq!(read.sets[0].rows[0][0].as_i64(), right, "{shown}");
            "harmless"
        }
        None => "by CHECKDB",
    }
}

#[test]
fn damage_of_data_files_is_found_or_harmless_and_stays_in_its_database() {
    let cases = number("DAMAGE_CASES").unwrap_or(CASES);
    let seed = number("SEED").unwrap_or(1);
    let mut random = Random(seed);
    let (server, directory) = start("damage-sampled");
    let mut sa = connect(&server, "master");
    let names: Vec<String> = (0..number("DAMAGE_DATABASES").unwrap_or(DATABASES)).map(|at| format!("a{at}")).collect();
    filled(&mut sa, "b");
    names.iter().for_each(|name| filled(&mut sa, name));
    let right = one(&mut sa, &sum_of("b"));
    must(&mut sa, "CHECKPOINT");
    let ids: Vec<i64> = names.iter().map(|name| one(&mut sa, &format!("SELECT DB_ID('{name}')"))).collect();
    drop(sa);
    server.stop();
    let files: Vec<PathBuf> = ids.iter().map(|id| data_file(&directory, *id)).collect();
    let whole = scratch("damage-sampled-whole");
    copy_all(&directory, &whole);
    let mut table = Table::new();
    for round in 0..cases.div_ceil(names.len() as u64) {
        let done: Vec<(&str, u64)> =
            files.iter().map(|file| damage(&mut random, file, fs::metadata(file).expect("a file").len())).collect();
        let server = again(&directory);
        let mut sa = connect(&server, "master");
        assert_eq!(rows(&mut sa, "b"), ROWS, "round {round}, seed {seed}: {done:?}");
        for (name, (way, at)) in names.iter().zip(&done) {
            let shown = format!("round {round}, seed {seed}: {name}, {way} at {at}");
            let outcome = judged(&server, &mut sa, (name, right), &shown);
            *table.entry(("data".into(), *way, outcome)).or_default() += 1;
        }
        drop(sa);
        server.kill();
        copy_changed(&whole, &directory);
    }
    show(seed, &table);
    assert!(table.len() > 1);
}

/// Of a server that was killed.
#[test]
fn damage_of_shared_files_is_found_or_harmless() {
    let cases = number("DAMAGE_CASES").unwrap_or(CASES / 2);
    let seed = number("SEED").unwrap_or(1);
    let mut random = Random(seed);
    let (server, directory) = start("damage-shared");
    let mut sa = connect(&server, "master");
    ["a", "b"].iter().for_each(|name| filled(&mut sa, name));
    must(
        &mut sa,
        "CHECKPOINT; INSERT a..h SELECT value, 'late' FROM GENERATE_SERIES(1, 400); INSERT b..m VALUES (301, 1)",
    );
    let right = ["a", "b"].map(|name| one(&mut sa, &sum_of(name)));
    // By then the control file knows how far the log is hardened.
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    drop(sa);
    server.kill();
    let whole = scratch("damage-shared-whole");
    copy_all(&directory, &whole);
    let is_shared = |path: &PathBuf| {
        path.extension()
            .is_some_and(|end| ["log", "hct", "hdw", "hxd", "hxl", "hxm"].iter().any(|shared| *shared == end))
    };
    let names = fs::read_dir(&directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = names.filter(is_shared).collect();
    files.sort();
    let mut table = Table::new();
    for case in 0..cases {
        let file = &files[random.below(files.len())];
        let bytes = fs::read(file).expect("readable");
        // What was ever written of it, most of the time.
        let used = bytes.iter().rposition(|byte| *byte != 0).map_or(1, |at| at + 1);
        let most = if random.below(4) == 0 { bytes.len().max(1) } else { used };
        let (way, at) = match random.below(8) {
            0 => {
                fs::remove_file(file).expect("removed");
                ("removed", 0)
            }
            _ => damage(&mut random, file, most as u64),
        };
        let name = file.file_name().expect("a name").to_string_lossy().into_owned();
        let shown = format!("case {case}, seed {seed}: {name}, {way} at {at}");
        let outcome = match std::panic::catch_unwind(|| again(&directory)) {
            Err(_) => {
                let words = refused_start(&directory);
                assert!(!words.contains("panicked") && words.len() > 20, "{shown}: {words}");
                "refused"
            }
            Ok(server) => {
                let mut sa = connect(&server, "master");
                let mut outcome = "harmless";
                for (name, right) in ["a", "b"].into_iter().zip(right) {
                    let found = judged(&server, &mut sa, (name, right), &shown);
                    assert!(matches!(found, "harmless" | "at the start"), "{shown}, {name}: {found}");
                    outcome = if found == "harmless" { outcome } else { found };
                }
                drop(sa);
                server.kill();
                outcome
            }
        };
        let kind = name.rsplit('.').next().unwrap_or("").to_owned();
        *table.entry((kind, way, outcome)).or_default() += 1;
        copy_changed(&whole, &directory);
    }
    show(seed, &table);
}
