//! Files of a stopped server, for tests that damage them.
#![allow(dead_code, clippy::disallowed_methods, clippy::disallowed_types)]

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

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
