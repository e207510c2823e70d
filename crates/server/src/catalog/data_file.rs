//! Files of BULK INSERT and OPENROWSET(BULK ...), by the paths that users give. A relative one lies in the directory `bulk` of the data.
//!
//! What must hold: nothing is read or made outside of that directory and those of `--bulk-directory`.

use std::path::Path;

use exec::bulk_file::cannot_open;
use os::disk::{Disk, DiskError, File, Open};
use types::{SqlResult, sql_error};

use super::Catalog;
use super::path::with_slashes;

/// Of the data directory.
const DIRECTORY: &str = "bulk";

/// A format file is no longer.
const FORMAT_BYTES_MAX: u64 = 4 << 20;

/// The directory, and the name there. 4861: it is none of those that are allowed.
fn place(catalog: &Catalog, path: &str) -> SqlResult<(Disk, String)> {
    let data = catalog.storage.disk();
    let denied = || cannot_open(path, DiskError::Denied);
    let missing = || sql_error!(4860, path);
    let path = &*with_slashes(path);
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    if name.is_empty() || name == "." || name == ".." || path.contains(['\\', '\0']) {
        return Err(missing());
    }
    let own = data.subdirectory(DIRECTORY).map_err(|error| cannot_open(path, error))?;
    if !path.starts_with('/') {
        if above.split('/').any(|part| part == ".." || part == ".") || above.contains("//") {
            return Err(missing());
        }
        let disk = match above {
            "" => own,
            above if matches!(own, Disk::Real(_)) && !own.exists(above) => return Err(missing()),
            above => own.subdirectory(above).map_err(|error| cannot_open(path, error))?,
        };
        return Ok((disk, name.to_owned()));
    }
    let wanted = data.elsewhere(Path::new(if above.is_empty() { "/" } else { above }));
    let wanted = wanted.map_err(|error| match error {
        DiskError::NotFound => missing(),
        error => cannot_open(path, error),
    })?;
    let allowed = |directory: &Path| data.elsewhere(directory).is_ok_and(|allowed| allowed.holds(&wanted));
    let within = own.holds(&wanted) || catalog.bulk_directories.iter().any(|directory| allowed(directory));
    // Not even where a directory that is allowed has the data in it.
    if !within || data.holds(&wanted) && !own.holds(&wanted) {
        return Err(denied());
    }
    Ok((wanted, name.to_owned()))
}

/// 4860, 4861
pub fn open(catalog: &Catalog, path: &str) -> SqlResult<File> {
    let (disk, name) = place(catalog, path)?;
    if !disk.exists(&name) {
        return Err(sql_error!(4860, path));
    }
    if !disk.is_plain(&name) {
        return Err(cannot_open(path, DiskError::Denied));
    }
    disk.open(&name, Open::Read).map_err(|error| cannot_open(path, error))
}

/// One that is not there yet. 4861
pub fn make(catalog: &Catalog, path: &str) -> SqlResult<File> {
    let (disk, name) = place(catalog, path)?;
    if disk.exists(&name) {
        return Err(cannot_open(path, DiskError::AlreadyExists));
    }
    disk.open(&name, Open::ExistingOrNew).map_err(|error| cannot_open(path, error))
}

/// All of a format file. 4862
pub fn format_file(catalog: &Catalog, path: &str) -> SqlResult<Vec<u8>> {
    let file = open(catalog, path)?;
    let failed = |error: DiskError| cannot_open(path, error);
    let length = file.len().map_err(failed)?;
    if length > FORMAT_BYTES_MAX {
        return Err(sql_error!(4862, path, "223(The file size exceeds the limit allowed and cannot be saved.)"));
    }
    let mut bytes = vec![0; length as usize];
    file.read_at(&mut bytes, 0).map_err(failed)?;
    Ok(bytes)
}
