//! Servers on files, and these files, for tests that damage or move them.
#![allow(dead_code, clippy::disallowed_methods, clippy::disallowed_types)]

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use lab::client::Connection;

use super::ask::{must, one, word};
use super::{PASSWORD, Server, binary, scratch};

/// A server on the data there is, or on none.
pub fn again(directory: &Path) -> Server {
    Server::start_on(directory.to_str().expect("UTF-8"), &["--admin-listen", "off"])
}

/// One on new data, and where these are.
pub fn start(name: &str) -> (Server, PathBuf) {
    let directory = scratch(name).join("data");
    (again(&directory), directory)
}

/// What a start that is refused says.
pub fn refused_start(directory: &Path) -> String {
    let mut command = binary();
    command.args(["serve", "--listen", "127.0.0.1:0", "--admin-listen", "off", "--sa-password", PASSWORD, "--data"]);
    let output = command.arg(directory).stdin(Stdio::null()).output().expect("it runs");
    assert!(!output.status.success(), "it started: {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A database with a table, indexes, long values, a heap, and rows in memory.
pub fn filled(sa: &mut Connection, name: &str) {
    for batch in [
        format!("CREATE DATABASE {name}"),
        format!(
            "USE {name}; CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, s varchar(200), l varchar(max));
             CREATE INDEX v ON t (v); CREATE UNIQUE INDEX s ON t (s, id) INCLUDE (v) WHERE v > 10;
             CREATE TABLE h (x int, y varchar(100)); CREATE INDEX x ON h (x);
             CREATE TABLE m (id int PRIMARY KEY NONCLUSTERED, v int NOT NULL) WITH (MEMORY_OPTIMIZED = ON)"
        ),
        format!(
            "USE {name}; INSERT t SELECT value, value % 97, REPLICATE('s', value % 150), CASE WHEN value % 50 = 0 THEN REPLICATE(CAST('l' AS varchar(max)), 20000) END
               FROM GENERATE_SERIES(1, 2000);
             INSERT h SELECT value % 31, REPLICATE('y', value % 90) FROM GENERATE_SERIES(1, 1500);
             INSERT m SELECT value, value FROM GENERATE_SERIES(1, 300); USE master"
        ),
    ] {
        must(sa, &batch);
    }
}

/// How many rows `filled` gave it.
pub fn rows(sa: &mut Connection, name: &str) -> i64 {
    one(
        sa,
        &format!(
            "SELECT COUNT(*) + (SELECT COUNT(*) FROM {name}..m) + (SELECT COUNT(*) FROM {name}..h) FROM {name}..t"
        ),
    )
}

/// The state of a database, which its property tells as well.
pub fn state(sa: &mut Connection, name: &str) -> String {
    let shown = word(sa, &format!("SELECT state_desc FROM sys.databases WHERE name = '{name}'"));
    let property = word(sa, &format!("SELECT CONVERT(nvarchar(60), DATABASEPROPERTYEX('{name}', 'Status'))"));
    assert_eq!(shown, property);
    shown
}

/// Bytes of a page.
pub const PAGE: u64 = 8_192;

/// The data file of a database: pages have its number.
pub fn data_file(directory: &Path, database: i64) -> PathBuf {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "hdb") {
            let mut head = [0; 6];
            let file = fs::File::open(&path).expect("readable");
            if file.read_exact_at(&mut head, 64).is_ok()
                && i64::from(u16::from_le_bytes([head[4], head[5]])) == database
            {
                found.push(path);
            }
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    found.swap_remove(0)
}

pub fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    let file = OpenOptions::new().write(true).open(path).expect("writable");
    file.write_all_at(bytes, at).expect("written");
}

/// `to` is then what `from` is.
pub fn copy_all(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().expect("cp runs").success());
}

/// `to` is then what `from` is, and what is equal was not written.
fn copy_pages(from: &Path, to: &Path) {
    let (whole, there) = (fs::read(from).expect("readable"), fs::read(to).unwrap_or_default());
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(to).expect("writable");
    file.set_len(whole.len() as u64).expect("as long");
    for (at, page) in whole.chunks(PAGE as usize).enumerate() {
        let start = at * PAGE as usize;
        if there.get(start..start + page.len()) != Some(page) {
            file.write_all_at(page, start as u64).expect("written");
        }
    }
}

/// As `copy_all`, of files alone, and only those that were written since they were copied.
pub fn copy_changed(from: &Path, to: &Path) {
    let known = |path: &Path| fs::metadata(path).ok().map(|about| (about.len(), about.modified().expect("a time")));
    let files = |directory: &Path| {
        let paths = fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
        paths.filter(|path| path.is_file()).collect::<Vec<_>>()
    };
    for path in files(to) {
        if !from.join(path.file_name().expect("a name")).exists() {
            fs::remove_file(&path).expect("removed");
        }
    }
    for path in files(from) {
        let other = to.join(path.file_name().expect("a name"));
        if known(&path) != known(&other) {
            copy_pages(&path, &other);
            let time = fs::metadata(&path).and_then(|about| about.modified()).expect("a time");
            OpenOptions::new().write(true).open(&other).and_then(|file| file.set_modified(time)).expect("dated");
        }
    }
}
