//! Files that live in memory and go with the process (`--data :memory:`): anonymous files of the kernel, known only here
//! by name. Nothing of them is ever synced, since nothing outlives them.
#![allow(unsafe_code)]

use super::real::RealFile;
use super::{DiskError, DiskResult, Open};
use crate::sync::Mutex;
use crate::wait::WaitType;
use std::collections::BTreeMap;
use std::os::fd::FromRawFd;
use std::sync::Arc;

/// A directory of such files. Names of subdirectories are prefixes.
#[derive(Clone)]
pub struct MemoryDisk {
    files: Arc<Mutex<BTreeMap<String, Arc<RealFile>>>>,
    prefix: String,
}

impl MemoryDisk {
    pub fn new() -> MemoryDisk {
        MemoryDisk { files: Arc::new(Mutex::new(WaitType::SOS_MUTEX, BTreeMap::new())), prefix: String::new() }
    }

    fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    pub fn open_file(&self, name: &str, how: Open) -> DiskResult<Arc<RealFile>> {
        let path = self.path(name);
        let mut files = self.files.lock();
        match (files.get(&path), how) {
            (Some(_), Open::New) => Err(DiskError::AlreadyExists),
            (Some(file), _) => Ok(file.clone()),
            (None, Open::Existing) => Err(DiskError::NotFound),
            (None, _) => {
                let file = Arc::new(anonymous_file()?);
                files.insert(path, file.clone());
                Ok(file)
            }
        }
    }

    pub fn exists(&self, name: &str) -> bool {
        self.files.lock().contains_key(&self.path(name))
    }

    pub fn remove(&self, name: &str) -> DiskResult<()> {
        self.files.lock().remove(&self.path(name)).map(drop).ok_or(DiskError::NotFound)
    }

    pub fn rename(&self, from: &str, to: &str) -> DiskResult<()> {
        let mut files = self.files.lock();
        let file = files.remove(&self.path(from)).ok_or(DiskError::NotFound)?;
        files.insert(self.path(to), file);
        Ok(())
    }

    pub fn list(&self) -> Vec<String> {
        let files = self.files.lock();
        let own = files.keys().filter_map(|path| path.strip_prefix(&self.prefix));
        own.filter(|name| !name.contains('/')).map(String::from).collect()
    }

    pub fn subdirectory(&self, name: &str) -> MemoryDisk {
        MemoryDisk { files: self.files.clone(), prefix: self.path(name) + "/" }
    }
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
    fn files_keep_their_contents_under_their_names() {
        let disk = Disk::memory();
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
