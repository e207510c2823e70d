//! Files of one directory: a real one, or a simulated disk that loses, keeps or tears unsynced sectors at a kill.
//!
//! A call may suspend the worker. Reads of cached pages and writes into the page cache are done at once; reads that
//! miss and everything that flushes run off the scheduler.
//!
//! What must hold: data counts as on disk only after `sync_data` returned Ok; a name (create, rename, remove) only after
//! `Disk::sync_names` did. A failed sync is final: what it should have flushed may be lost, so the owner stops and
//! recovers; it never syncs again as if nothing had happened.

mod real;
mod memory;
mod sim;

pub use sim::{KillReport, SimDisk, SimDiskFaults};

use crate::sched::{Started, start_preemptive};
use crate::wait::WaitType;
use memory::MemoryDisk;
use real::{RealDisk, RealFile};
use sim::SimFile;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the world can do to a file operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DiskError {
    /// No space, or a quota.
    Full,
    NotFound,
    AlreadyExists,
    /// Another process (or an earlier open) holds the lock file.
    Locked,
    Denied,
    /// A read went past the end of the file.
    EndOfFile,
    /// Anything else, with the system's number: the medium or the file system failed.
    Io(i32),
}

impl std::fmt::Display for DiskError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DiskError::Full => to.write_str("no space left on device"),
            DiskError::NotFound => to.write_str("file not found"),
            DiskError::AlreadyExists => to.write_str("file exists already"),
            DiskError::Locked => to.write_str("in use by another process"),
            DiskError::Denied => to.write_str("access denied"),
            DiskError::EndOfFile => to.write_str("read past the end of the file"),
            DiskError::Io(errno) => write!(to, "{}", std::io::Error::from_raw_os_error(*errno)),
        }
    }
}

impl std::error::Error for DiskError {}

pub type DiskResult<T> = Result<T, DiskError>;

/// A device with a file system, as it is mounted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Volume {
    pub mount_point: PathBuf,
    pub total_bytes: u64,
    /// For this process: what is kept for root alone is not among them.
    pub free_bytes: u64,
    pub is_read_only: bool,
}

/// How to open a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Open {
    /// It must be there.
    Existing,
    /// It must be there, and may be anybody's, as a path that a client names: who may read it is left as it is.
    Foreign,
    /// It must not be there.
    New,
    /// Either; contents kept.
    ExistingOrNew,
    /// It must be there, and is not written: whoever may read it is enough.
    Read,
}

/// A directory. Names are relative to it and may contain `/` for directories that exist.
#[derive(Clone)]
pub enum Disk {
    Real(RealDisk),
    Memory(MemoryDisk),
    Sim(SimDisk),
}

impl Disk {
    /// The directory at `path`, made if it is not there.
    pub fn directory(path: &Path) -> DiskResult<Disk> {
        RealDisk::open(path).map(Disk::Real)
    }

    /// An empty directory in memory, which goes with the last of its clones.
    pub fn memory() -> Disk {
        Disk::Memory(MemoryDisk::new())
    }

    /// As `memory`, and engines that are forked later see it as well.
    pub fn shared_memory() -> DiskResult<Disk> {
        MemoryDisk::shared().map(Disk::Memory)
    }

    /// The directory of a file that a user has named by an absolute path: it must be there, and is not made. On a simulated disk all
    /// paths lead into that.
    pub fn elsewhere(&self, path: &Path) -> DiskResult<Disk> {
        match self {
            Disk::Real(_) | Disk::Memory(_) => RealDisk::existing(path).map(Disk::Real),
            Disk::Sim(disk) => {
                let name = path.to_string_lossy();
                let name = name.trim_matches('/');
                Ok(Disk::Sim(if name.is_empty() { disk.clone() } else { disk.subdirectory(name) }))
            }
        }
    }

    /// Whether `other` is this directory or lies below it, by whatever path.
    pub fn holds(&self, other: &Disk) -> bool {
        match (self, other) {
            (Disk::Real(disk), Disk::Real(other)) => disk.holds(other),
            _ => false,
        }
    }

    /// Whether it is a file such as `open` makes, and no link, device or pipe.
    pub fn is_plain(&self, name: &str) -> bool {
        assert_name(name);
        match self {
            Disk::Real(disk) => disk.is_plain(name),
            disk => disk.exists(name),
        }
    }

    pub fn open(&self, name: &str, how: Open) -> DiskResult<File> {
        assert_name(name);
        match self {
            Disk::Real(disk) => disk.open_file(name, how).map(File::Real),
            Disk::Memory(disk) => disk.open_file(name, how).map(File::Memory),
            Disk::Sim(disk) => disk.open_file(name, how).map(File::Sim),
        }
    }

    pub fn exists(&self, name: &str) -> bool {
        match self {
            Disk::Real(disk) => disk.exists(name),
            Disk::Memory(disk) => disk.exists(name),
            Disk::Sim(disk) => disk.exists(name),
        }
    }

    pub fn remove(&self, name: &str) -> DiskResult<()> {
        assert_name(name);
        match self {
            Disk::Real(disk) => disk.remove(name),
            Disk::Memory(disk) => disk.remove(name),
            Disk::Sim(disk) => disk.remove(name),
        }
    }

    /// Atomic; an existing `to` is replaced.
    pub fn rename(&self, from: &str, to: &str) -> DiskResult<()> {
        assert_name(from);
        assert_name(to);
        assert!(from != to, "a file takes another name");
        match self {
            Disk::Real(disk) => disk.rename(from, to),
            Disk::Memory(disk) => disk.rename(from, to),
            Disk::Sim(disk) => disk.rename(from, to),
        }
    }

    /// Gives a file another name that no file has: `AlreadyExists` if one does, and then nothing has changed. Of several that try the same
    /// name, in other processes and on other machines too, one succeeds.
    pub fn rename_new(&self, from: &str, to: &str) -> DiskResult<()> {
        assert_name(from);
        assert_name(to);
        assert!(from != to, "a file takes another name");
        match self {
            Disk::Real(disk) => disk.rename_new(from, to),
            // Of one process's own.
            Disk::Memory(_) | Disk::Sim(_) if self.exists(to) => Err(DiskError::AlreadyExists),
            Disk::Memory(_) | Disk::Sim(_) => self.rename(from, to),
        }
    }

    /// Files of the directory (not of directories in it), sorted.
    pub fn list(&self) -> DiskResult<Vec<String>> {
        match self {
            Disk::Real(disk) => disk.list(),
            Disk::Memory(disk) => Ok(disk.list()),
            Disk::Sim(disk) => disk.list(),
        }
    }

    /// Makes the directory's names durable: what was created, renamed and removed before.
    pub fn sync_names(&self) -> DiskResult<()> {
        match self {
            Disk::Real(disk) => disk.sync_names(),
            Disk::Memory(_) => Ok(()),
            Disk::Sim(disk) => disk.sync_names(),
        }
    }

    /// A subdirectory, made if it is not there.
    pub fn subdirectory(&self, name: &str) -> DiskResult<Disk> {
        assert_name(name);
        match self {
            Disk::Real(disk) => disk.subdirectory(name).map(Disk::Real),
            Disk::Memory(disk) => Ok(Disk::Memory(disk.subdirectory(name))),
            Disk::Sim(disk) => Ok(Disk::Sim(disk.subdirectory(name))),
        }
    }

    /// Takes the directory for this process until the lock is dropped or the process ends, kill included.
    pub fn lock(&self, name: &str) -> DiskResult<DiskLock> {
        assert_name(name);
        match self {
            Disk::Real(disk) => disk.lock(name).map(|file| DiskLock { _file: File::Real(file) }),
            Disk::Memory(disk) => {
                disk.open_file(name, Open::ExistingOrNew).map(|file| DiskLock { _file: File::Memory(file) })
            }
            Disk::Sim(disk) => {
                disk.open_file(name, Open::ExistingOrNew).map(|file| DiskLock { _file: File::Sim(file) })
            }
        }
    }

    /// The device that the directory is on; None: there is none behind it.
    pub fn volume(&self) -> DiskResult<Option<Volume>> {
        match self {
            Disk::Real(disk) => disk.volume().map(Some),
            Disk::Memory(_) | Disk::Sim(_) => Ok(None),
        }
    }

    /// Bytes free on the device.
    pub fn free_bytes(&self) -> DiskResult<u64> {
        match self {
            Disk::Real(disk) => disk.free_bytes(),
            Disk::Memory(_) => Ok(crate::limits::spare_memory()),
            Disk::Sim(disk) => Ok(disk.free_bytes()),
        }
    }
}

/// Of a file below the directory: an absolute one, or one with `..`, would lead out of it.
fn assert_name(name: &str) {
    assert!(!name.is_empty() && !name.starts_with('/') && !name.ends_with('/'), "no name of a file: {name:?}");
    assert!(name.split('/').all(|part| part != ".." && !part.contains('\0')), "no name of a file: {name:?}");
}

/// A file's places and lengths are numbers that the system's signed ones can hold.
fn assert_place(offset: u64, bytes: usize) {
    let end = offset.checked_add(bytes as u64);
    assert!(end.is_some_and(|end| end <= i64::MAX as u64), "{bytes} bytes at {offset}");
}

/// Held as long as the process owns the directory.
pub struct DiskLock {
    _file: File,
}

/// An open file. Reads and writes name their place; there is no position. May be used by many workers at once.
pub enum File {
    Real(RealFile),
    Memory(Arc<RealFile>),
    Sim(SimFile),
}

impl File {
    /// Fills `bytes` from `offset`. `EndOfFile` if the file ends before.
    pub fn read_at(&self, bytes: &mut [u8], offset: u64) -> DiskResult<()> {
        let got = self.read_some_at(bytes, offset)?;
        if got == bytes.len() { Ok(()) } else { Err(DiskError::EndOfFile) }
    }

    /// Reads what there is from `offset`, `bytes.len()` at most; fewer only at the end of the file.
    pub fn read_some_at(&self, bytes: &mut [u8], offset: u64) -> DiskResult<usize> {
        self.read_some_at_as(WaitType::IO_COMPLETION, bytes, offset)
    }

    /// As [`File::read_some_at`], its wait booked as `wait`: the reader knows what the bytes are (a page, a backup).
    pub fn read_some_at_as(&self, wait: WaitType, bytes: &mut [u8], offset: u64) -> DiskResult<usize> {
        assert_place(offset, bytes.len());
        let got = match self {
            File::Real(file) => file.read_at(wait, bytes, offset),
            File::Memory(file) => file.read_at(wait, bytes, offset),
            File::Sim(file) => file.read_at(wait, bytes, offset),
        }?;
        assert!(got <= bytes.len(), "{got} bytes were read into {}", bytes.len());
        Ok(got)
    }

    /// These bytes are read soon: the system may fetch them meanwhile.
    pub fn expect_read(&self, bytes: usize, offset: u64) {
        assert_place(offset, bytes);
        if let File::Real(file) = self {
            file.expect_read(bytes, offset);
        }
    }

    /// Writes all of `bytes` at `offset`, growing the file if need be. Not durable before [`File::sync_data`].
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> DiskResult<()> {
        assert_place(offset, bytes.len());
        match self {
            File::Real(file) => file.write_at(bytes, offset),
            File::Memory(file) => file.write_at(bytes, offset),
            File::Sim(file) => file.write_at(bytes, offset),
        }
    }

    /// As [`File::write_at`], never on the spot: of much that is written one after the other the system lets the writer wait for the device.
    pub fn write_away_at(&self, bytes: &[u8], offset: u64) -> DiskResult<()> {
        assert_place(offset, bytes.len());
        match self {
            File::Real(file) => file.write_away_at(bytes, offset),
            File::Memory(file) => file.write_at(bytes, offset),
            File::Sim(file) => file.write_at(bytes, offset),
        }
    }

    /// As [`File::write_away_at`], while the caller goes on: `wait` gives the result, and the bytes back.
    pub fn start_write_at(self: &Arc<File>, bytes: Vec<u8>, offset: u64) -> Started<(Vec<u8>, DiskResult<()>)> {
        assert_place(offset, bytes.len());
        match &**self {
            File::Real(_) => {
                let file = self.clone();
                start_preemptive(move || {
                    let File::Real(real) = &*file else { unreachable!("it was one") };
                    let result = real.write_all_at(&bytes, offset);
                    (bytes, result)
                })
            }
            File::Memory(_) | File::Sim(_) => {
                let result = self.write_at(&bytes, offset);
                Started::Done((bytes, result))
            }
        }
    }

    /// Makes contents and length durable (fdatasync). An error is final, see the top of the module.
    pub fn sync_data(&self) -> DiskResult<()> {
        self.sync_data_as(WaitType::PREEMPTIVE_OS_FLUSHFILEBUFFERS)
    }

    /// As [`File::sync_data`], its wait booked as `wait` (WRITELOG).
    pub fn sync_data_as(&self, wait: WaitType) -> DiskResult<()> {
        match self {
            File::Real(file) => file.sync_data(wait),
            File::Memory(_) => Ok(()),
            File::Sim(file) => file.sync_data(wait),
        }
    }

    /// Takes the file until it is closed: alone, or together with others that do not ask to be alone. `Locked`: somebody else has it.
    pub fn claim(&self, alone: bool) -> DiskResult<()> {
        match self {
            File::Real(file) => file.claim(alone),
            // Of one process's own.
            File::Memory(_) | File::Sim(_) => Ok(()),
        }
    }

    /// Cuts the file or extends it with zeros.
    pub fn set_len(&self, length: u64) -> DiskResult<()> {
        assert_place(length, 0);
        match self {
            File::Real(file) => file.set_len(length),
            File::Memory(file) => file.set_len(length),
            File::Sim(file) => file.set_len(length),
        }
    }

    /// Reserves space up to `length` and extends the file with zeros, so that a later write does not find the disk full.
    pub fn allocate(&self, length: u64) -> DiskResult<()> {
        assert_place(length, 0);
        assert!(length > 0, "room for nothing");
        match self {
            File::Real(file) => file.allocate(length),
            File::Memory(file) => memory::allocate(file, length),
            File::Sim(file) => file.allocate(length),
        }
    }

    pub fn len(&self) -> DiskResult<u64> {
        match self {
            File::Real(file) => file.len(),
            File::Memory(file) => file.len(),
            File::Sim(file) => file.len(),
        }
    }

    pub fn is_empty(&self) -> DiskResult<bool> {
        self.len().map(|length| length == 0)
    }
}
