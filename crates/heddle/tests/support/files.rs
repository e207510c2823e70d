//! Servers on files, and these files, for tests that damage or move them.
#![allow(dead_code, clippy::disallowed_methods, clippy::disallowed_types)]

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use lab::client::Connection;

use super::ask::word;
use super::{Server, scratch};

/// A server on the data there is, or on none.
pub fn again(directory: &Path) -> Server {
    Server::start_on(directory.to_str().expect("UTF-8"), &["--admin-listen", "off"])
}

/// One on new data, and where these are.
pub fn start(name: &str) -> (Server, PathBuf) {
    let directory = scratch(name).join("data");
    (again(&directory), directory)
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
