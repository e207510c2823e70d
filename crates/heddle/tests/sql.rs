//! Golden T-SQL: every `tests/sql/name.sql` runs through `heddle sql` in a database of its own; what it prints is `name.out`.
//!
//! `UPDATE=1` rewrites the expected texts, `UPDATE=name` one of them; the diff is reviewed as behaviour. The same files run in
//! both kernels, on fibers and on threads.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

mod support;

use std::path::{Path, PathBuf};

use support::{Server, root};

/// The scripts in the order of their names; with `UPDATE=name` only that one.
fn scripts(folder: &Path, update: Option<&str>) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a readable folder").flatten().map(|entry| entry.path());
    let is_script = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "sql");
    let is_wanted =
        |path: &PathBuf| update.is_none_or(|name| name == "1" || path.file_stem().is_some_and(|stem| stem == name));
    let mut found: Vec<_> = entries.filter(is_script).filter(is_wanted).collect();
    found.sort();
    found
}

/// What differs, by the first line that does.
fn first_difference(expected: &str, seen: &str) -> String {
    for (number, (wanted, got)) in expected.lines().zip(seen.lines()).enumerate() {
        if wanted != got {
            return format!("line {}:\n  expected {wanted}\n  saw      {got}", number + 1);
        }
    }
    format!("expected {} lines, saw {}", expected.lines().count(), seen.lines().count())
}

/// Each in a database of its own.
const FILES_OF_A_SERVER: usize = 100;

fn run_all(kernel: &str, workers: &str) {
    let folder = root().join("tests/sql");
    let update = std::env::var("UPDATE").ok();
    let files = scripts(&folder, update.as_deref());
    assert!(!files.is_empty(), "no golden files were found");
    let mut complaints = Vec::new();
    let mut server = None;
    for (at, file) in files.iter().enumerate() {
        // There are more files than a server takes databases.
        if at % FILES_OF_A_SERVER == 0 {
            server = Some(Server::start(&["--kernel", kernel, "--workers", workers]));
        }
        let server = server.as_ref().expect("started for the first file");
        // Messages name the database: its name must not depend on what other files there are.
        let database = format!("golden_{}", file.file_stem().and_then(|stem| stem.to_str()).expect("UTF-8 name"));
        server.query(&format!("CREATE DATABASE {database}"));
        let output = server.sql(&["-d", &database, "-W", "-y", "0", "-i", file.to_str().expect("UTF-8 path")]);
        let mut seen = String::from_utf8_lossy(&output.stdout).into_owned();
        seen.push_str(&String::from_utf8_lossy(&output.stderr));
        let golden = file.with_extension("out");
        if update.is_some() {
            std::fs::write(&golden, &seen).expect("written");
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if expected != seen {
            let name = file.strip_prefix(&folder).expect("below it").display().to_string();
            complaints.push(format!("{name}: {}", first_difference(&expected, &seen)));
        }
    }
    assert!(complaints.is_empty(), "{} of {} differ\n{}", complaints.len(), files.len(), complaints.join("\n"));
}

#[test]
fn golden_files_hold_on_fibers() {
    run_all("threaded", "fiber");
}

#[test]
fn golden_files_hold_on_threads() {
    run_all("threaded", "thread");
}

#[test]
fn golden_files_hold_on_fibers_of_processes() {
    run_all("process", "fiber");
}

#[test]
fn golden_files_hold_on_threads_of_processes() {
    run_all("process", "thread");
}
