//! The one place where files and directories are made: for their owner alone, whatever the umask says. They hold rows, password
//! hashes and private keys.
//!
//! What an earlier program or a copy left open to others is closed when it is opened here, if it is ours.
#![allow(unsafe_code)]

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Read and written by the owner.
const FILE_MODE: u32 = 0o600;
/// And entered.
const DIRECTORY_MODE: u32 = 0o700;
/// What of a mode concerns group and others.
const OTHERS: u32 = 0o077;
/// A directory that many write into, such as /tmp.
const STICKY: u32 = 0o1000;

/// Opens as `options` say; a file that is made, or was open to others, is its owner's alone afterwards.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    // The mode counts for a new file only, and the umask takes from it: so it is looked at, too.
    let file = options.mode(FILE_MODE).open(path)?;
    let there = file.metadata()?;
    if there.is_file() && there.mode() & 0o777 != FILE_MODE && there.uid() == own_user() {
        file.set_permissions(fs::Permissions::from_mode(FILE_MODE))?;
    }
    Ok(file)
}

/// An empty file, or an empty one in place of what was there.
pub fn create(path: &Path) -> io::Result<File> {
    open(OpenOptions::new().write(true).create(true).truncate(true), path)
}

/// The directory and those above it, as far as they are not there.
pub fn create_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty()) {
        create_directory(above)?;
    }
    match DirBuilder::new().mode(DIRECTORY_MODE).create(path) {
        // The umask may have taken from it what the owner needs.
        Ok(()) => fs::set_permissions(path, fs::Permissions::from_mode(DIRECTORY_MODE)),
        // Somebody was faster.
        Err(_) if path.is_dir() => Ok(()),
        // A file is there.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(io::Error::from_raw_os_error(libc::ENOTDIR)),
        Err(error) => Err(error),
    }
}

/// Closes a directory of ours to group and others. One that many write into, or that is not ours, stays as it is. Whether it is closed.
pub fn close_directory(path: &Path) -> io::Result<bool> {
    let there = fs::metadata(path)?;
    if there.mode() & OTHERS == 0 {
        return Ok(true);
    }
    if there.mode() & STICKY != 0 || there.uid() != own_user() {
        return Ok(false);
    }
    fs::set_permissions(path, fs::Permissions::from_mode(DIRECTORY_MODE))?;
    Ok(true)
}

/// The permissions of a file that group or others may read, write or run. None: nobody but its owner.
pub fn open_to_others(path: &Path) -> io::Result<Option<u32>> {
    let mode = fs::metadata(path)?.mode() & 0o777;
    Ok((mode & OTHERS != 0).then_some(mode))
}

fn own_user() -> u32 {
    // SAFETY: geteuid has no preconditions.
    unsafe { libc::geteuid() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn what_is_made_is_its_owners_alone() {
        let directory = crate::fs::temporary("private");
        create_directory(&directory.join("a/b")).unwrap();
        assert_eq!((mode(&directory), mode(&directory.join("a/b"))), (0o700, 0o700));
        let file = directory.join("a/file");
        drop(create(&file).unwrap());
        assert_eq!((mode(&file), open_to_others(&file).unwrap()), (0o600, None));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(open_to_others(&file).unwrap(), Some(0o644));
        drop(open(OpenOptions::new().read(true), &file).unwrap());
        assert_eq!(mode(&file), 0o600);
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(close_directory(&directory).unwrap());
        assert_eq!(mode(&directory), 0o700);
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(!close_directory(&directory).unwrap());
        fs::remove_dir_all(&directory).unwrap();
    }
}
