//! Files by the system's calls.
#![allow(unsafe_code)]

use super::{DiskError, DiskResult, Open, Volume};
use crate::calls::SystemCall;
use crate::sched::preemptive;
use crate::wait::WaitType;
use crate::{private, sys, worker};
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes up to this size go into the page cache on the spot: a memory copy; a wake-up of another thread costs more.
const INLINE_WRITE_BYTES_MAX: usize = 256 * 1024;

#[derive(Clone)]
pub struct RealDisk {
    directory: Arc<PathBuf>,
}

pub struct RealFile {
    file: fs::File,
    /// No device stands behind it: a call is a memory copy, and sending it to another thread costs more.
    in_memory: bool,
}

impl RealDisk {
    pub fn open(path: &Path) -> DiskResult<RealDisk> {
        off_scheduler(WaitType::PREEMPTIVE_OS_FILEOPS, || private::create_directory(path))?;
        Ok(RealDisk { directory: Arc::new(path.to_owned()) })
    }

    pub fn existing(path: &Path) -> DiskResult<RealDisk> {
        let directory = off_scheduler(WaitType::PREEMPTIVE_OS_FILEOPS, || {
            let directory = path.canonicalize()?;
            if directory.is_dir() { Ok(directory) } else { Err(std::io::Error::from_raw_os_error(libc::ENOTDIR)) }
        })?;
        Ok(RealDisk { directory: Arc::new(directory) })
    }

    pub fn holds(&self, other: &RealDisk) -> bool {
        let whole = |disk: &RealDisk| disk.directory.canonicalize().unwrap_or_else(|_| PathBuf::clone(&disk.directory));
        whole(other).starts_with(whole(self))
    }

    pub fn is_plain(&self, name: &str) -> bool {
        self.directory.join(name).symlink_metadata().is_ok_and(|found| found.is_file())
    }

    pub fn open_file(&self, name: &str, how: Open) -> DiskResult<RealFile> {
        let path = self.directory.join(name);
        let mut options = fs::OpenOptions::new();
        options.read(true).write(how != Open::Read);
        match how {
            Open::Existing | Open::Foreign | Open::Read => {}
            Open::New => {
                options.create_new(true);
            }
            Open::ExistingOrNew => {
                options.create(true).truncate(false);
            }
        }
        // Of what is only read, or may be no file of ours, the mode is somebody else's affair.
        let is_ours = !matches!(how, Open::Foreign | Open::Read);
        let open = || if is_ours { private::open(&mut options, &path) } else { options.open(&path) };
        off_scheduler(WaitType::PREEMPTIVE_OS_FILEOPS, || with_descriptor(open))
            .map(|file| RealFile { file, in_memory: false })
    }

    pub fn exists(&self, name: &str) -> bool {
        self.directory.join(name).exists()
    }

    pub fn remove(&self, name: &str) -> DiskResult<()> {
        let path = self.directory.join(name);
        off_scheduler(WaitType::PREEMPTIVE_OS_FILEOPS, || fs::remove_file(&path))
    }

    pub fn rename(&self, from: &str, to: &str) -> DiskResult<()> {
        let (from, to) = (self.directory.join(from), self.directory.join(to));
        off_scheduler(WaitType::PREEMPTIVE_OS_FILEOPS, || fs::rename(&from, &to))
    }

    /// A second name, which the system gives to one only, and then the first goes: a kill between them leaves both.
    pub fn rename_new(&self, from: &str, to: &str) -> DiskResult<()> {
        let (from, to) = (self.directory.join(from), self.directory.join(to));
        off_scheduler(WaitType::PREEMPTIVE_OS_FILEOPS, || {
            fs::hard_link(&from, &to)?;
            fs::remove_file(&from)
        })
    }

    pub fn list(&self) -> DiskResult<Vec<String>> {
        let mut names = off_scheduler(WaitType::PREEMPTIVE_OS_FILEOPS, || {
            let mut names = Vec::new();
            for entry in fs::read_dir(&*self.directory)? {
                let entry = entry?;
                if entry.file_type()?.is_file() {
                    names.push(entry.file_name().to_string_lossy().into_owned());
                }
            }
            Ok(names)
        })?;
        names.sort();
        Ok(names)
    }

    pub fn sync_names(&self) -> DiskResult<()> {
        off_scheduler(WaitType::PREEMPTIVE_OS_FLUSHFILEBUFFERS, || {
            with_descriptor(|| fs::File::open(&*self.directory))?.sync_all()
        })
    }

    pub fn subdirectory(&self, name: &str) -> DiskResult<RealDisk> {
        RealDisk::open(&self.directory.join(name))
    }

    pub fn lock(&self, name: &str) -> DiskResult<RealFile> {
        let file = self.open_file(name, Open::ExistingOrNew)?;
        file.claim(true).map(|()| file)
    }

    pub fn free_bytes(&self) -> DiskResult<u64> {
        self.space().map(|space| space.f_bavail * space.f_frsize)
    }

    pub fn volume(&self) -> DiskResult<Volume> {
        let space = self.space()?;
        let mount_point = off_scheduler(WaitType::PREEMPTIVE_OS_FILEOPS, || mount_point_of(&self.directory))?;
        Ok(Volume {
            mount_point,
            total_bytes: space.f_blocks * space.f_frsize,
            free_bytes: space.f_bavail * space.f_frsize,
            is_read_only: space.f_flag & libc::ST_RDONLY != 0,
        })
    }

    fn space(&self) -> DiskResult<libc::statvfs> {
        use std::os::unix::ffi::OsStrExt;
        let path = std::ffi::CString::new(self.directory.as_os_str().as_bytes()).map_err(|_| DiskError::NotFound)?;
        // SAFETY: `path` is a C string and `space` is filled by the call.
        unsafe {
            let mut space: libc::statvfs = std::mem::zeroed();
            match libc::statvfs(path.as_ptr(), &mut space) {
                0 => Ok(space),
                _ => Err(error_of(sys::errno())),
            }
        }
    }
}

/// The highest directory above `directory` that is on the same device.
fn mount_point_of(directory: &Path) -> std::io::Result<PathBuf> {
    use std::os::unix::fs::MetadataExt;
    let mut found = directory.canonicalize()?;
    let device = fs::metadata(&found)?.dev();
    while let Some(above) = found.parent() {
        if fs::metadata(above)?.dev() != device {
            break;
        }
        found = above.to_owned();
    }
    Ok(found)
}

impl RealFile {
    /// `file` lies in memory, not on a device.
    pub fn in_memory(file: fs::File) -> RealFile {
        RealFile { file, in_memory: true }
    }

    pub fn claim(&self, alone: bool) -> DiskResult<()> {
        let how = if alone { libc::LOCK_EX } else { libc::LOCK_SH };
        // SAFETY: the descriptor is open for the call.
        let failed = unsafe { libc::flock(self.file.as_raw_fd(), how | libc::LOCK_NB) };
        match failed {
            0 => Ok(()),
            _ if sys::errno() == libc::EWOULDBLOCK => Err(DiskError::Locked),
            _ => Err(error_of(sys::errno())),
        }
    }

    fn run<R: Send>(&self, wait: WaitType, call: impl FnOnce() -> std::io::Result<R> + Send) -> DiskResult<R> {
        worker::count_call(SystemCall::File);
        if self.in_memory { call().map_err(io_error) } else { off_scheduler(wait, call) }
    }

    pub fn read_at(&self, wait: WaitType, bytes: &mut [u8], offset: u64) -> DiskResult<usize> {
        let mut done = if self.in_memory { 0 } else { self.read_cached(bytes, offset)? };
        if done == bytes.len() {
            return Ok(done);
        }
        self.run(wait, || {
            while done < bytes.len() {
                match self.file.read_at(&mut bytes[done..], offset + done as u64) {
                    Ok(0) => break,
                    Ok(got) => done += got,
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(done)
        })
    }

    /// Reads what the page cache holds, without waiting for the device. 0 also when the system cannot tell.
    fn read_cached(&self, bytes: &mut [u8], offset: u64) -> DiskResult<usize> {
        worker::count_call(SystemCall::File);
        let part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        // SAFETY: `part` describes `bytes`, live and writable for the call.
        let got = unsafe { libc::preadv2(self.file.as_raw_fd(), &part, 1, offset as libc::off_t, libc::RWF_NOWAIT) };
        if got >= 0 {
            assert!(got as usize <= bytes.len(), "the system read {got} bytes into {}", bytes.len());
            return Ok(got as usize);
        }
        match sys::errno() {
            libc::EAGAIN | libc::EOPNOTSUPP | libc::EINTR | libc::ENOSYS => Ok(0),
            errno => Err(error_of(errno)),
        }
    }

    /// A hint: what becomes of it is of no interest.
    pub fn expect_read(&self, bytes: usize, offset: u64) {
        worker::count_call(SystemCall::File);
        let (offset, bytes) = (offset as libc::off_t, bytes as libc::off_t);
        // SAFETY: the descriptor is open for the call.
        unsafe { libc::posix_fadvise(self.file.as_raw_fd(), offset, bytes, libc::POSIX_FADV_WILLNEED) };
    }

    pub fn write_at(&self, bytes: &[u8], offset: u64) -> DiskResult<()> {
        if bytes.len() <= INLINE_WRITE_BYTES_MAX {
            worker::count_call(SystemCall::File);
            return self.file.write_all_at(bytes, offset).map_err(io_error);
        }
        self.write_away_at(bytes, offset)
    }

    /// By the calling thread, which waits for the device if the system makes it.
    pub fn write_all_at(&self, bytes: &[u8], offset: u64) -> DiskResult<()> {
        worker::count_call(SystemCall::File);
        self.file.write_all_at(bytes, offset).map_err(io_error)
    }

    pub fn write_away_at(&self, bytes: &[u8], offset: u64) -> DiskResult<()> {
        self.run(WaitType::IO_COMPLETION, || self.file.write_all_at(bytes, offset))
    }

    pub fn sync_data(&self, wait: WaitType) -> DiskResult<()> {
        self.run(wait, || self.file.sync_data())
    }

    pub fn set_len(&self, length: u64) -> DiskResult<()> {
        self.run(WaitType::PREEMPTIVE_OS_FILEOPS, || self.file.set_len(length))
    }

    pub fn allocate(&self, length: u64) -> DiskResult<()> {
        let fd = self.file.as_raw_fd();
        self.run(WaitType::PREEMPTIVE_OS_FILEOPS, move || {
            // SAFETY: the descriptor is open for the call.
            match unsafe { libc::posix_fallocate(fd, 0, length as libc::off_t) } {
                0 => Ok(()),
                errno => Err(std::io::Error::from_raw_os_error(errno)),
            }
        })
    }

    pub fn len(&self) -> DiskResult<u64> {
        self.file.metadata().map(|meta| meta.len()).map_err(io_error)
    }
}

/// So often who finds no file descriptor tries again, and after so many milliseconds each time.
const DESCRIPTOR_TRIES: u32 = 500;
const DESCRIPTOR_WAIT_MS: u64 = 10;

/// Runs what takes a descriptor. Where all are in use, those of connections come back: a statement need not fail for want of one, and
/// the log and the data must not.
fn with_descriptor<R>(mut open: impl FnMut() -> std::io::Result<R>) -> std::io::Result<R> {
    for _ in 0..DESCRIPTOR_TRIES {
        match open() {
            Err(error) if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => {
                std::thread::sleep(std::time::Duration::from_millis(DESCRIPTOR_WAIT_MS));
            }
            opened => return opened,
        }
    }
    open()
}

fn off_scheduler<R: Send>(wait: WaitType, call: impl FnOnce() -> std::io::Result<R> + Send) -> DiskResult<R> {
    preemptive(wait, call).map_err(io_error)
}

fn io_error(error: std::io::Error) -> DiskError {
    match error.raw_os_error() {
        Some(errno) => error_of(errno),
        None if error.kind() == std::io::ErrorKind::WriteZero => DiskError::Full,
        None => DiskError::Io(libc::EIO),
    }
}

fn error_of(errno: i32) -> DiskError {
    match errno {
        libc::ENOSPC | libc::EDQUOT | libc::EFBIG => DiskError::Full,
        libc::ENOENT | libc::ENOTDIR => DiskError::NotFound,
        libc::EEXIST => DiskError::AlreadyExists,
        libc::EACCES | libc::EPERM | libc::EROFS => DiskError::Denied,
        errno => DiskError::Io(errno),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_finds_no_descriptor_waits_for_one() {
        let mut tries = 0;
        let opened = with_descriptor(|| {
            tries += 1;
            if tries <= 3 { Err(std::io::Error::from_raw_os_error(libc::EMFILE)) } else { Ok(tries) }
        });
        assert_eq!(opened.ok(), Some(4));
        let refused: std::io::Result<()> = with_descriptor(|| Err(std::io::Error::from_raw_os_error(libc::EACCES)));
        assert_eq!(refused.err().and_then(|error| error.raw_os_error()), Some(libc::EACCES), "only that is waited for");
    }
}
