//! What administrators' tools look at of the server's files, where a backup's path is chosen: xp_dirtree, xp_fileexist; and what
//! scripts of backups do there: xp_create_subdir, xp_delete_file. They may do all that the server's process may, so CONTROL SERVER is asked
//! for.

use std::path::{Path, PathBuf};

use exec::session::Session as State;
use exec::sink::Sink;
use types::convert::{ConvertContext, NO_STYLE, convert};
use types::{Datum, SqlResult, SqlType, sql_error};

use super::parameters::Parameters;
use super::result::{ResultSet, number, text};
use crate::catalog::clock;
use crate::catalog::path::{is_foreign, with_slashes};

/// Directories within one another that are followed: a path has no more.
const DEPTH_MAX: i64 = 2_048;

/// A file of backups begins so: `docs/file-formats.md`.
const BACKUP_MAGIC: &[u8] = b"HBKP";

/// xp_dirtree path [, depth [, with files]]: what is below a directory, each directory before what it holds; depth 0 is all. A directory
/// that is not there, or may not be read, has nothing. Links are not followed.
pub fn tree(state: &mut State, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let root = place(given, 0).unwrap_or_default();
    let depth_max = given.number(1)?.filter(|depth| *depth > 0).unwrap_or(DEPTH_MAX).min(DEPTH_MAX);
    let with_files = given.number(2)?.unwrap_or(0) != 0;
    let columns = match with_files {
        true => "subdirectory nvarchar(512); depth int; file int",
        false => "subdirectory nvarchar(512); depth int",
    };
    let mut result = ResultSet::new(columns).begin(sink)?;
    let names = entries(Path::new(&root));
    let mut open = vec![(PathBuf::from(root), names)];
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

/// An argument that is a path.
fn place(given: &Parameters<'_>, at: usize) -> Option<String> {
    given.text(at).map(|path| with_slashes(&path).into_owned())
}

fn entries(path: &Path) -> std::vec::IntoIter<(String, bool)> {
    os::fs::list(path).unwrap_or_default().into_iter()
}

/// xp_fileexist path [, @exists OUTPUT].
pub fn exists(sink: &mut dyn Sink, given: &mut Parameters<'_>) -> SqlResult<i32> {
    let path = place(given, 0).ok_or_else(|| sql_error!(22003))?;
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

/// xp_create_subdir path: the directory and those above it, as far as they are not there. Nothing is made for a path of another system.
pub fn create_directory(given: &Parameters<'_>) -> SqlResult<i32> {
    const NO_SUCH_PATH: i32 = 3;
    let path = place(given, 0).ok_or_else(|| sql_error!(22003))?;
    if is_foreign(&path) {
        return Err(sql_error!(22048, "xp_create_subdir", NO_SUCH_PATH, "The system cannot find the path specified."));
    }
    os::fs::create_dir_all(Path::new(&path))
        .map_err(|error| sql_error!(22048, "xp_create_subdir", error.raw_os_error().unwrap_or(0), error))?;
    Ok(0)
}

/// xp_delete_file kind, folder or file, extension, date, with the folders right within: backups (kind 0) or reports (1) that were written
/// before. Folders within these are left alone, as the maintenance plans say that call it.
/// https://www.codykonior.com/2015/06/02/experiments-with-master-sys-xp-delete-file/
pub fn delete_old(state: &mut State, given: &Parameters<'_>) -> SqlResult<i32> {
    let kind = given.number(0)?.unwrap_or(0);
    let (Some(path), 0 | 1) = (place(given, 1), kind) else { return Err(sql_error!(22003)) };
    let extension = given.text(2).unwrap_or_default();
    let before = match given.value(3) {
        Some((ty, value)) if !value.is_null() => {
            Some(convert(&value, &ty, &SqlType::DATETIME, NO_STYLE, &ConvertContext::CAST)?.as_i64())
        }
        _ => None,
    };
    let old = Old { kind, extension: extension.trim_start_matches('.'), before };
    let root = Path::new(&path);
    if os::fs::list(root).is_err() {
        // One file, whatever its name ends with.
        if os::fs::exists(root) && (Old { extension: "", ..old }).takes(root) {
            delete(root)?;
        }
        return Ok(0);
    }
    let depth_max = if given.number(4)?.unwrap_or(0) == 1 { 2 } else { 1 };
    let mut open = vec![(root.to_path_buf(), entries(root))];
    while let Some((path, names)) = open.last_mut() {
        let Some((name, is_directory)) = names.next() else {
            open.pop();
            continue;
        };
        let below = path.join(&name);
        state.check_signal()?;
        if is_directory && open.len() < depth_max {
            let names = entries(&below);
            open.push((below, names));
        } else if !is_directory && old.takes(&below) {
            delete(&below)?;
        }
    }
    Ok(0)
}

fn delete(path: &Path) -> SqlResult<()> {
    os::fs::remove(path).map_err(|error| sql_error!(22049, error.raw_os_error().unwrap_or(0), error))
}

/// Which files go.
struct Old<'a> {
    kind: i64,
    extension: &'a str,
    /// `datetime`, local.
    before: Option<i64>,
}

impl Old<'_> {
    /// No other file than one that is what its kind says: a wrong name deletes nothing.
    fn takes(&self, path: &Path) -> bool {
        let extension = path.extension().map(|extension| extension.to_string_lossy().into_owned()).unwrap_or_default();
        let named = self.extension.is_empty() || extension.eq_ignore_ascii_case(self.extension);
        let aged = |before| os::fs::written(path).is_ok_and(|written| clock::local(written as i64).0 < before);
        named
            && self.before.is_none_or(aged)
            && (self.kind == 1 && extension.eq_ignore_ascii_case("txt") || self.is_backup(path))
    }

    fn is_backup(&self, path: &Path) -> bool {
        self.kind == 0 && os::fs::head(path, BACKUP_MAGIC.len() as u64).is_ok_and(|head| head == BACKUP_MAGIC)
    }
}
