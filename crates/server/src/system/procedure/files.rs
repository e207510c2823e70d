//! What administrators' tools look at of the server's files, where a backup's path is chosen: xp_dirtree, xp_fileexist. They know all that the
//! server's process may read, so CONTROL SERVER is asked for.

use std::path::{Path, PathBuf};

use exec::session::Session as State;
use exec::sink::Sink;
use types::{Datum, SqlResult, SqlType, sql_error};

use super::parameters::Parameters;
use super::result::{ResultSet, number, text};

/// Directories within one another that are followed: a path has no more.
const DEPTH_MAX: i64 = 2_048;

/// xp_dirtree path [, depth [, with files]]: what is below a directory, each directory before what it holds; depth 0 is all. A directory
/// that is not there, or may not be read, has nothing. Links are not followed.
pub fn tree(state: &mut State, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let root = given.text(0).unwrap_or_default();
    let depth_max = given.number(1).filter(|depth| *depth > 0).unwrap_or(DEPTH_MAX).min(DEPTH_MAX);
    let with_files = given.number(2).unwrap_or(0) != 0;
    let columns = match with_files {
        true => "subdirectory nvarchar(512); depth int; file int",
        false => "subdirectory nvarchar(512); depth int",
    };
    let mut result = ResultSet::new(columns).begin(sink)?;
    let mut open = vec![(PathBuf::from(root), entries(Path::new(&given.text(0).unwrap_or_default())))];
    while let Some((path, names)) = open.last_mut() {
        let Some((name, is_directory)) = names.next() else {
            open.pop();
            continue;
        };
        let below = path.join(&name);
        let depth = open.len() as i64;
        if is_directory || with_files {
            let row = [text(&name), number(depth), number(!is_directory)];
            result.push(&row[..if with_files { 3 } else { 2 }]);
        }
        if is_directory {
            // Each directory is a wait for the system: here the caller may stop it.
            result.flush(sink)?;
            state.check_signal()?;
            if depth < depth_max {
                let names = entries(&below);
                open.push((below, names));
            }
        }
    }
    result.end(sink)?;
    Ok(0)
}

fn entries(path: &Path) -> std::vec::IntoIter<(String, bool)> {
    os::fs::list(path).unwrap_or_default().into_iter()
}

/// xp_fileexist path [, @exists OUTPUT].
pub fn exists(sink: &mut dyn Sink, given: &mut Parameters<'_>) -> SqlResult<i32> {
    let path = given.text(0).ok_or_else(|| sql_error!(22003))?;
    let path = Path::new(&path);
    let is_directory = os::fs::list(path).is_ok();
    let is_file = !is_directory && os::fs::exists(path);
    if given.is_given(1) {
        given.set(1, SqlType::INT, Datum::I64(is_file.into()));
        return Ok(0);
    }
    let has_parent = path.parent().is_some_and(|parent| os::fs::list(parent).is_ok());
    let mut result = ResultSet::new("File Exists int; File is a Directory int; Parent Directory Exists int");
    result.push(&[number(is_file), number(is_directory), number(has_parent)]);
    result.send(sink)?;
    Ok(0)
}
