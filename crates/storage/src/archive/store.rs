//! Where an archive lies: objects by name, each written whole or not at all, and never changed.
//!
//! A name is `directory/object`. What an archive relies on: of two that put an object of the same name as a new one, one is told that
//! it is there already. What it needs of any store is in `Store`; here is the store that is a directory of files.

use std::path::{Path, PathBuf};

use os::disk::{Disk, DiskError, Open};
use os::wait::WaitType;

use crate::pages::files::read_or_zero;

/// What a store can answer. Texts name the store and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// An object of this name is there.
    Exists,
    NotFound,
    /// Out of reach, full, or not permitted: whoever wants it tries again later.
    World(String),
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StoreError::Exists => f.write_str("it is there already"),
            StoreError::NotFound => f.write_str("it is not there"),
            StoreError::World(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for StoreError {}

pub type StoreResult<T> = Result<T, StoreError>;

/// A call may suspend the worker.
pub trait Store: Send + Sync {
    /// Err(Exists): nothing has changed. When it returns, the object is durable.
    fn put_new(&self, name: &str, bytes: &[u8]) -> StoreResult<()>;
    /// In place of one that may be there.
    fn put(&self, name: &str, bytes: &[u8]) -> StoreResult<()>;
    fn get(&self, name: &str) -> StoreResult<Vec<u8>>;
    /// The names of a directory's objects without the directory's, sorted.
    fn list(&self, directory: &str) -> StoreResult<Vec<String>>;
    /// One that is not there is no error.
    fn delete(&self, name: &str) -> StoreResult<()>;
    /// As the user has named it.
    fn place(&self) -> &str;
    /// What is asked from now on must be answered by `deadline`, a time on `os::clock`, or has failed.
    fn end_by(&self, _deadline: u64) {}
}

/// Files that are being written, or were when their writer was killed.
const UNFINISHED: &str = ".tmp";
/// An archive's objects are some megabytes; one that is much larger is none of them.
const OBJECT_BYTES_MAX: u64 = 1 << 30;

/// What an archive's objects are, each kind in a directory.
pub const OWNERS: &str = "owner";
pub const LOG: &str = "log";
pub const SNAPSHOTS: &str = "snapshot";

/// A directory of the machine, or one that it has mounted.
pub struct DirectoryStore {
    disk: Disk,
    path: PathBuf,
    place: String,
}

impl DirectoryStore {
    /// Made if it is not there.
    pub fn new(path: &Path) -> StoreResult<DirectoryStore> {
        let store = DirectoryStore::at(path)?;
        for directory in [OWNERS, LOG, SNAPSHOTS] {
            store.disk.subdirectory(directory).map_err(|why| store.world(directory, why))?;
        }
        Ok(store)
    }

    /// It must be there.
    pub fn existing(path: &Path) -> StoreResult<DirectoryStore> {
        if !os::fs::exists(path) {
            return Err(StoreError::World(format!("there is no directory {}", path.display())));
        }
        DirectoryStore::at(path)
    }

    fn at(path: &Path) -> StoreResult<DirectoryStore> {
        let place = path.display().to_string();
        os::fs::create_dir_all(path).map_err(|error| StoreError::World(format!("{place}: {error}")))?;
        let disk = Disk::directory(path).map_err(|error| StoreError::World(format!("{place}: {error}")))?;
        Ok(DirectoryStore { disk, path: path.to_owned(), place })
    }

    fn world(&self, name: &str, why: DiskError) -> StoreError {
        StoreError::World(format!("{}/{name}: {why}", self.place))
    }

    fn error(&self, name: &str, why: DiskError) -> StoreError {
        match why {
            DiskError::NotFound => StoreError::NotFound,
            DiskError::AlreadyExists => StoreError::Exists,
            why => self.world(name, why),
        }
    }

    /// As it was made: where it has gone, with a disk that is not mounted any more, it is not made again, and nothing in it is missing.
    fn directory(&self, name: &str) -> StoreResult<Disk> {
        self.disk.elsewhere(&self.path.join(name)).map_err(|why| self.world(name, why))
    }

    fn directory_of<'a>(&self, name: &'a str) -> StoreResult<(Disk, &'a str)> {
        let (directory, object) = name.split_once('/').expect("a directory and an object");
        Ok((self.directory(directory)?, object))
    }

    /// Whole and durable under another name first.
    fn write(
        &self,
        name: &str,
        bytes: &[u8],
        finish: impl FnOnce(&Disk, &str, &str) -> Result<(), DiskError>,
    ) -> StoreResult<()> {
        let (disk, object) = self.directory_of(name)?;
        let unfinished = format!("{object}.{:016x}{UNFINISHED}", os::random::u64());
        let written = || -> Result<(), DiskError> {
            let file = disk.open(&unfinished, Open::ExistingOrNew)?;
            file.write_away_at(bytes, 0)?;
            file.sync_data_as(WaitType::BACKUPIO)?;
            finish(&disk, &unfinished, object)?;
            disk.sync_names()
        };
        written().map_err(|why| {
            disk.remove(&unfinished).ok();
            self.error(name, why)
        })
    }
}

impl Store for DirectoryStore {
    fn put_new(&self, name: &str, bytes: &[u8]) -> StoreResult<()> {
        self.write(name, bytes, |disk, from, to| disk.rename_new(from, to))
    }

    fn put(&self, name: &str, bytes: &[u8]) -> StoreResult<()> {
        self.write(name, bytes, |disk, from, to| disk.rename(from, to))
    }

    fn get(&self, name: &str) -> StoreResult<Vec<u8>> {
        let (disk, object) = self.directory_of(name)?;
        let read = || -> Result<Vec<u8>, DiskError> {
            let file = disk.open(object, Open::Read)?;
            let length = file.len()?;
            if length > OBJECT_BYTES_MAX {
                return Err(DiskError::Io(0));
            }
            let mut bytes = vec![0; length as usize];
            read_or_zero(&file, WaitType::BACKUPIO, 0, &mut bytes).map_err(|_| DiskError::EndOfFile)?;
            Ok(bytes)
        };
        read().map_err(|why| self.error(name, why))
    }

    fn list(&self, directory: &str) -> StoreResult<Vec<String>> {
        let disk = self.directory(directory)?;
        let mut names = disk.list().map_err(|why| self.world(directory, why))?;
        names.retain(|name| !name.ends_with(UNFINISHED));
        Ok(names)
    }

    fn delete(&self, name: &str) -> StoreResult<()> {
        let (disk, object) = self.directory_of(name)?;
        match disk.remove(object) {
            Ok(()) | Err(DiskError::NotFound) => Ok(()),
            Err(why) => Err(self.error(name, why)),
        }
    }

    fn place(&self) -> &str {
        &self.place
    }
}
