//! Files that live in memory and go with the server (`--data :memory:`): anonymous files of the kernel, known only here
//! by name. Nothing of them is ever synced, since nothing outlives them.
//!
//! Engines that are processes inherit anonymous files, but cannot open another's: for them all files are made before the fork,
//! and only the names are given later, in a table that all engines see.
#![allow(unsafe_code)]

use super::real::RealFile;
use super::{DiskError, DiskResult, Open};
use crate::region::{Part, Placed, Region, Visibility};
use crate::shared_struct;
use crate::sync::Mutex;
use crate::wait::WaitType;
use std::collections::BTreeMap;
use std::os::fd::FromRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// Files of a memory that engines share: data files, and log segments until a checkpoint lets them go.
const SHARED_FILES: usize = 640;
const NAME_BYTES: usize = 60;

/// A directory of such files. Names of subdirectories are prefixes.
#[derive(Clone)]
pub struct MemoryDisk {
    files: Arc<Files>,
    prefix: String,
}

/// By whole path.
enum Files {
    Own(Mutex<BTreeMap<String, Arc<RealFile>>>),
    Shared(SharedFiles),
}

shared_struct! {
    /// The name of the file in this place; empty: the place is free.
    struct Name {
        length: AtomicU32,
        bytes: [AtomicU8; NAME_BYTES],
    }
}

struct SharedFiles {
    /// Held while names change.
    changing: Placed<Mutex<()>>,
    names: Part<Name>,
    files: Vec<Arc<RealFile>>,
}

impl Name {
    fn get(&self) -> Option<String> {
        let length = self.length.load(Ordering::Acquire) as usize;
        assert!(length <= NAME_BYTES, "a name of {length} bytes");
        let bytes: Vec<u8> = self.bytes[..length].iter().map(|byte| byte.load(Ordering::Relaxed)).collect();
        String::from_utf8(bytes).ok().filter(|name| !name.is_empty())
    }

    fn set(&self, name: &str) {
        assert!(name.len() <= NAME_BYTES, "{name}");
        for (to, byte) in self.bytes.iter().zip(name.bytes()) {
            to.store(byte, Ordering::Relaxed);
        }
        self.length.store(name.len() as u32, Ordering::Release);
    }
}

impl SharedFiles {
    fn new() -> DiskResult<SharedFiles> {
        let region = Region::reserve(SHARED_FILES * size_of::<Name>() + (64 << 10), Visibility::ForkedProcesses);
        let region = region.map_err(|_| DiskError::Full)?;
        let refused = |_| DiskError::Full;
        const { assert!(SHARED_FILES * size_of::<Name>() < 1 << 20, "the names are small beside the files") };
        Ok(SharedFiles {
            changing: region.place("names of files", Mutex::new(WaitType::SOS_MUTEX, ())).map_err(refused)?,
            names: region.carve("names of files", SHARED_FILES).map_err(refused)?,
            files: (0..SHARED_FILES).map(|_| anonymous_file().map(Arc::new)).collect::<DiskResult<_>>()?,
        })
    }

    fn find(&self, path: &str) -> Option<usize> {
        self.names.iter().position(|name| name.get().as_deref() == Some(path))
    }

    fn free(&self) -> DiskResult<usize> {
        self.names.iter().position(|name| name.get().is_none()).ok_or(DiskError::Full)
    }
}

impl Files {
    fn get(&self, path: &str) -> Option<Arc<RealFile>> {
        match self {
            Files::Own(files) => files.lock().get(path).cloned(),
            Files::Shared(shared) => shared.find(path).map(|at| shared.files[at].clone()),
        }
    }

    /// The file of that name, and whether it is new.
    fn get_or_make(&self, path: String) -> DiskResult<(Arc<RealFile>, bool)> {
        match self {
            Files::Own(files) => {
                let mut files = files.lock();
                if let Some(file) = files.get(&path) {
                    return Ok((file.clone(), false));
                }
                let file = Arc::new(anonymous_file()?);
                files.insert(path, file.clone());
                Ok((file, true))
            }
            Files::Shared(shared) => {
                let _changing = shared.changing.lock();
                if let Some(at) = shared.find(&path) {
                    return Ok((shared.files[at].clone(), false));
                }
                let at = shared.free()?;
                assert!(shared.files[at].len() == Ok(0), "a file without a name has bytes of another");
                shared.names[at].set(&path);
                Ok((shared.files[at].clone(), true))
            }
        }
    }

    fn remove(&self, path: &str) -> DiskResult<()> {
        match self {
            Files::Own(files) => files.lock().remove(path).map(drop).ok_or(DiskError::NotFound),
            Files::Shared(shared) => {
                let _changing = shared.changing.lock();
                let at = shared.find(path).ok_or(DiskError::NotFound)?;
                shared.files[at].set_len(0)?;
                shared.names[at].set("");
                Ok(())
            }
        }
    }

    fn rename(&self, from: &str, to: String) -> DiskResult<()> {
        match self {
            Files::Own(files) => {
                let mut files = files.lock();
                let file = files.remove(from).ok_or(DiskError::NotFound)?;
                files.insert(to, file);
            }
            Files::Shared(shared) => {
                let _changing = shared.changing.lock();
                let at = shared.find(from).ok_or(DiskError::NotFound)?;
                if let Some(replaced) = shared.find(&to) {
                    shared.files[replaced].set_len(0)?;
                    shared.names[replaced].set("");
                }
                shared.names[at].set(&to);
            }
        }
        Ok(())
    }

    fn paths(&self) -> Vec<String> {
        match self {
            Files::Own(files) => files.lock().keys().cloned().collect(),
            Files::Shared(shared) => {
                let mut paths: Vec<String> = shared.names.iter().filter_map(Name::get).collect();
                paths.sort();
                paths
            }
        }
    }
}

impl MemoryDisk {
    pub fn new() -> MemoryDisk {
        let files = Files::Own(Mutex::new(WaitType::SOS_MUTEX, BTreeMap::new()));
        MemoryDisk { files: Arc::new(files), prefix: String::new() }
    }

    /// One that processes forked later see as well.
    pub fn shared() -> DiskResult<MemoryDisk> {
        Ok(MemoryDisk { files: Arc::new(Files::Shared(SharedFiles::new()?)), prefix: String::new() })
    }

    fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub fn open_file(&self, name: &str, how: Open) -> DiskResult<Arc<RealFile>> {
        let path = self.path(name);
        if matches!(how, Open::Existing | Open::Foreign | Open::Read) {
            return self.files.get(&path).ok_or(DiskError::NotFound);
        }
        match self.files.get_or_make(path)? {
            (_, false) if how == Open::New => Err(DiskError::AlreadyExists),
            (file, _) => Ok(file),
        }
    }

    pub fn exists(&self, name: &str) -> bool {
        self.files.get(&self.path(name)).is_some()
    }

    pub fn remove(&self, name: &str) -> DiskResult<()> {
        self.files.remove(&self.path(name))
    }

    pub fn rename(&self, from: &str, to: &str) -> DiskResult<()> {
        self.files.rename(&self.path(from), self.path(to))
    }

    pub fn list(&self) -> Vec<String> {
        let own = self.files.paths().into_iter().filter_map(|path| path.strip_prefix(&self.prefix).map(String::from));
        own.filter(|name| !name.contains('/')).collect()
    }

    pub fn subdirectory(&self, name: &str) -> MemoryDisk {
        MemoryDisk { files: self.files.clone(), prefix: self.path(name) + "/" }
    }
}

/// The device is the machine's memory: it is full before the machine is.
pub fn allocate(file: &RealFile, length: u64) -> DiskResult<()> {
    let more = length.saturating_sub(file.len()?);
    if more > 0 && crate::limits::spare_memory() < more { Err(DiskError::Full) } else { file.allocate(length) }
}

fn anonymous_file() -> DiskResult<RealFile> {
    // SAFETY: the name is a C string; a non-negative answer is a descriptor that nobody else owns.
    let fd = unsafe { libc::memfd_create(c"heddle".as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(DiskError::Io(crate::sys::errno()));
    }
    // SAFETY: as above.
    Ok(RealFile::in_memory(unsafe { std::fs::File::from_raw_fd(fd) }))
}

#[cfg(test)]
mod tests {
    use super::super::{Disk, DiskError, Open};

    #[test]
    fn the_disk_is_full_before_the_machine_is() {
        let file = Disk::memory().open("a", Open::New).unwrap();
        file.allocate(1 << 20).unwrap();
        assert_eq!(file.allocate(2 * crate::limits::physical_memory()), Err(DiskError::Full));
        assert_eq!(file.len(), Ok(1 << 20));
        crate::limits::expect_use(u64::MAX);
        assert!(crate::limits::spare_memory() <= crate::limits::available_memory());
        crate::limits::expect_use(0);
    }

    #[test]
    fn files_keep_their_contents_under_their_names() {
        keep_their_contents(&Disk::memory());
        keep_their_contents(&Disk::shared_memory().unwrap());
    }

    fn keep_their_contents(disk: &Disk) {
        disk.open("a", Open::New).unwrap().write_at(b"older and longer", 0).unwrap();
        disk.remove("a").unwrap();
        let file = disk.open("a", Open::New).unwrap();
        file.write_at(b"hello", 3).unwrap();
        assert_eq!(file.len(), Ok(8));
        assert_eq!(disk.open("a", Open::New).err(), Some(DiskError::AlreadyExists));
        disk.rename("a", "b").unwrap();
        assert_eq!(disk.open("a", Open::Existing).err(), Some(DiskError::NotFound));
        let mut bytes = [9; 8];
        disk.open("b", Open::Existing).unwrap().read_at(&mut bytes, 0).unwrap();
        assert_eq!(&bytes, b"\0\0\0hello");
        let inner = disk.subdirectory("inner").unwrap();
        inner.open("b", Open::New).unwrap();
        assert_eq!(disk.list().unwrap(), ["b"]);
        assert_eq!(inner.list().unwrap(), ["b"]);
        disk.remove("b").unwrap();
        assert!(!disk.exists("b") && inner.exists("b"));
    }
}
