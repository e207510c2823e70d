//! The few things of `os` the engine stands on, under the names it uses: files, memory, waits, time.

use std::sync::Arc;

use os::clock;
use os::sync::{Condvar, MutexGuard};
pub use os::sync::{Mutex, RwLock};
pub use os::wait::WaitType;

use crate::error::{StorageError, StorageResult};

#[inline]
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

pub fn mutex<T>(value: T) -> Mutex<T> {
    Mutex::new(WaitType::SOS_MUTEX, value)
}

pub fn now_ms() -> u64 {
    clock::now_ms()
}

pub fn yield_now() {
    os::wait::yield_now();
}

/// Waiters for "something changed": read `ticket`, look, then `wait`; a `notify` in between is not lost.
pub struct EventCount {
    count: Mutex<u64>,
    changed: Condvar,
}

impl EventCount {
    pub fn new(wait: WaitType) -> EventCount {
        EventCount { count: Mutex::new(wait, 0), changed: Condvar::new(wait) }
    }

    pub fn ticket(&self) -> u64 {
        *self.count.lock()
    }

    /// False: the time passed.
    pub fn wait(&self, ticket: u64, timeout_ms: u64) -> bool {
        let deadline = clock::after_ms(timeout_ms);
        let mut guard = self.count.lock();
        while *guard == ticket {
            let (again, in_time) = self.changed.wait_until(guard, Some(deadline));
            guard = again;
            if !in_time {
                break;
            }
        }
        *guard != ticket
    }

    pub fn notify(&self) {
        *self.count.lock() += 1;
        self.changed.notify_all();
    }
}

/// Runs until it returns false, every `every_ms`.
pub fn spawn_background(name: &str, every_ms: u64, mut step: impl FnMut() -> bool + Send + 'static) {
    std::thread::Builder::new()
        .name(name.into())
        .spawn(move || {
            while step() {
                std::thread::sleep(std::time::Duration::from_millis(every_ms));
            }
        })
        .expect("a thread for a background duty");
}

pub trait DiskFile: Send + Sync {
    /// Bytes past the end read as zero.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> StorageResult<()>;
    fn write_at(&self, offset: u64, bytes: &[u8]) -> StorageResult<()>;
    fn sync(&self) -> StorageResult<()>;
    fn length(&self) -> StorageResult<u64>;
    /// Makes the file longer, its space reserved. `DiskFull` if there is none.
    fn grow(&self, length: u64) -> StorageResult<()>;
}

pub trait Disk: Send + Sync {
    fn open(&self, name: &str, create: bool) -> StorageResult<Arc<dyn DiskFile>>;
    fn exists(&self, name: &str) -> bool;
    fn remove(&self, name: &str) -> StorageResult<()>;
    fn list(&self) -> StorageResult<Vec<String>>;
    /// Creations and removals are on disk for sure.
    fn sync_names(&self) -> StorageResult<()>;
}

/// A directory of the file system.
pub struct Directory(pub std::path::PathBuf);

struct RealFile(std::fs::File);

fn io(error: std::io::Error) -> StorageError {
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => StorageError::DiskFull,
        _ => StorageError::Io(error.to_string()),
    }
}

impl DiskFile for RealFile {
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> StorageResult<()> {
        use std::os::unix::fs::FileExt;
        let mut done = 0;
        while done < bytes.len() {
            match self.0.read_at(&mut bytes[done..], offset + done as u64).map_err(io)? {
                0 => {
                    bytes[done..].fill(0);
                    return Ok(());
                }
                n => done += n,
            }
        }
        Ok(())
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> StorageResult<()> {
        use std::os::unix::fs::FileExt;
        self.0.write_all_at(bytes, offset).map_err(io)
    }

    fn sync(&self) -> StorageResult<()> {
        self.0.sync_data().map_err(io)
    }

    fn length(&self) -> StorageResult<u64> {
        Ok(self.0.metadata().map_err(io)?.len())
    }

    fn grow(&self, length: u64) -> StorageResult<()> {
        self.0.set_len(length).map_err(io)
    }
}

impl Disk for Directory {
    fn open(&self, name: &str, create: bool) -> StorageResult<Arc<dyn DiskFile>> {
        let file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(create)
            .truncate(false)
            .open(self.0.join(name))
            .map_err(io)?;
        Ok(Arc::new(RealFile(file)))
    }

    fn exists(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    fn remove(&self, name: &str) -> StorageResult<()> {
        std::fs::remove_file(self.0.join(name)).map_err(io)
    }

    fn list(&self) -> StorageResult<Vec<String>> {
        let entries = std::fs::read_dir(&self.0).map_err(io)?;
        Ok(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect())
    }

    fn sync_names(&self) -> StorageResult<()> {
        std::fs::File::open(&self.0).and_then(|dir| dir.sync_all()).map_err(io)
    }
}

/// Files in memory that lose what was not synced when `crash` says so; the n-th write can be made to fail.
#[derive(Clone)]
pub struct MemoryDisk(Arc<Mutex<MemoryDiskState>>);

#[derive(Default)]
struct MemoryDiskState {
    files: std::collections::BTreeMap<String, Arc<Mutex<MemoryFileState>>>,
    /// Counts down at each write; at 0 the write and everything after it fails.
    writes_left: Option<u64>,
    bytes_max: Option<u64>,
}

#[derive(Default)]
struct MemoryFileState {
    now: Vec<u8>,
    /// Writes since the last sync.
    unsynced: Vec<(u64, Vec<u8>)>,
    synced: Vec<u8>,
}

struct MemoryFile(MemoryDisk, Arc<Mutex<MemoryFileState>>);

const SECTOR: usize = 512;

impl Default for MemoryDisk {
    fn default() -> MemoryDisk {
        MemoryDisk::new()
    }
}

impl MemoryDisk {
    pub fn new() -> MemoryDisk {
        MemoryDisk(Arc::new(mutex(MemoryDiskState::default())))
    }

    /// The n-th write from now on fails, and all after it.
    pub fn fail_after(&self, writes: u64) {
        lock(&self.0).writes_left = Some(writes);
    }

    pub fn bytes_max(&self, bytes: Option<u64>) {
        lock(&self.0).bytes_max = bytes;
    }

    /// A copy of the disk as a power failure leaves it: each unsynced sector kept or lost as `keep` says.
    pub fn crash(&self, keep: &mut dyn FnMut() -> bool) -> MemoryDisk {
        let state = lock(&self.0);
        let after = MemoryDisk::new();
        for (name, file) in &state.files {
            let file = lock(file);
            let mut bytes = file.synced.clone();
            for (offset, write) in &file.unsynced {
                let mut at = 0;
                while at < write.len() {
                    let end = (at + SECTOR - (*offset as usize + at) % SECTOR).min(write.len());
                    if keep() {
                        let from = *offset as usize + at;
                        let to = *offset as usize + end;
                        if bytes.len() < to {
                            bytes.resize(to, 0);
                        }
                        bytes[from..to].copy_from_slice(&write[at..end]);
                    }
                    at = end;
                }
            }
            let state = MemoryFileState { now: bytes.clone(), unsynced: Vec::new(), synced: bytes };
            lock(&after.0).files.insert(name.clone(), Arc::new(mutex(state)));
        }
        after
    }

    /// Damages a byte in place, as a failing disk does.
    pub fn flip(&self, name: &str, offset: usize) {
        let file = lock(&self.0).files[name].clone();
        let mut file = lock(&file);
        file.now[offset] ^= 0x40;
        file.synced = file.now.clone();
        file.unsynced.clear();
    }

    fn count_write(&self, grow_to: u64) -> StorageResult<()> {
        let mut state = lock(&self.0);
        if let Some(left) = &mut state.writes_left {
            if *left == 0 {
                return Err(StorageError::Io("injected".into()));
            }
            *left -= 1;
        }
        if state.bytes_max.is_some_and(|max| grow_to > max) {
            return Err(StorageError::DiskFull);
        }
        Ok(())
    }
}

impl DiskFile for MemoryFile {
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> StorageResult<()> {
        let file = lock(&self.1);
        let from = (offset as usize).min(file.now.len());
        let to = (offset as usize + bytes.len()).min(file.now.len());
        bytes[..to - from].copy_from_slice(&file.now[from..to]);
        bytes[to - from..].fill(0);
        Ok(())
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> StorageResult<()> {
        self.0.count_write(0)?;
        let mut file = lock(&self.1);
        let end = offset as usize + bytes.len();
        if file.now.len() < end {
            file.now.resize(end, 0);
        }
        file.now[offset as usize..end].copy_from_slice(bytes);
        file.unsynced.push((offset, bytes.to_vec()));
        Ok(())
    }

    fn sync(&self) -> StorageResult<()> {
        self.0.count_write(0)?;
        let file = &mut *lock(&self.1);
        for (offset, write) in file.unsynced.drain(..) {
            let end = offset as usize + write.len();
            if file.synced.len() < end {
                file.synced.resize(end, 0);
            }
            file.synced[offset as usize..end].copy_from_slice(&write);
        }
        if file.synced.len() < file.now.len() {
            file.synced.resize(file.now.len(), 0);
        }
        Ok(())
    }

    fn length(&self) -> StorageResult<u64> {
        Ok(lock(&self.1).now.len() as u64)
    }

    fn grow(&self, length: u64) -> StorageResult<()> {
        self.0.count_write(length)?;
        let mut file = lock(&self.1);
        if file.now.len() < length as usize {
            file.now.resize(length as usize, 0);
        }
        Ok(())
    }
}

impl Disk for MemoryDisk {
    fn open(&self, name: &str, create: bool) -> StorageResult<Arc<dyn DiskFile>> {
        let mut state = lock(&self.0);
        if !create && !state.files.contains_key(name) {
            return Err(StorageError::Io(format!("no file {name}")));
        }
        let file =
            state.files.entry(name.into()).or_insert_with(|| Arc::new(mutex(MemoryFileState::default()))).clone();
        Ok(Arc::new(MemoryFile(self.clone(), file)))
    }

    fn exists(&self, name: &str) -> bool {
        lock(&self.0).files.contains_key(name)
    }

    fn remove(&self, name: &str) -> StorageResult<()> {
        lock(&self.0).files.remove(name);
        Ok(())
    }

    fn list(&self) -> StorageResult<Vec<String>> {
        Ok(lock(&self.0).files.keys().cloned().collect())
    }

    fn sync_names(&self) -> StorageResult<()> {
        Ok(())
    }
}
