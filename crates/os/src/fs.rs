//! Small files outside the database: configuration, certificates, scripts, reports. Data files are `disk`'s.
//!
//! A call may suspend the worker. What is made is for its owner alone.

use crate::private;
use crate::sched::preemptive;
use crate::wait::WaitType;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A configuration or script larger than this is a mistake.
pub const READ_BYTES_MAX: u64 = 1 << 30;

pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    preemptive(WaitType::PREEMPTIVE_OS_READFILE, || {
        if std::fs::metadata(path)?.len() > READ_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "file too large"));
        }
        std::fs::read(path)
    })
}

pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read(path)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8"))
}

/// All that comes on the standard input, to its end.
pub fn read_standard_input() -> io::Result<String> {
    preemptive(WaitType::PREEMPTIVE_OS_READFILE, || io::read_to_string(io::Read::take(io::stdin(), READ_BYTES_MAX)))
}

/// Replaces the file as a whole: a reader, or a crash, sees the old contents or the new.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let beside = PathBuf::from(name);
    preemptive(WaitType::PREEMPTIVE_OS_WRITEFILE, || {
        let mut file = private::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    })
}

/// Adds to the end of the file, made if it is not there: the error log.
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    preemptive(WaitType::PREEMPTIVE_OS_WRITEFILE, || {
        private::open(std::fs::OpenOptions::new().append(true).create(true), path)?.write_all(bytes)
    })
}

/// As `read_text`, of a file that nobody but its owner may read. Err(PermissionDenied): the text says how to close it.
pub fn read_secret(path: &Path) -> io::Result<String> {
    let open = preemptive(WaitType::PREEMPTIVE_OS_FILEOPS, || private::open_to_others(path))?;
    match open {
        None => read_text(path),
        Some(mode) => {
            let told = format!("group or others may use this secret (mode {mode:04o}): chmod 600 {}", path.display());
            Err(io::Error::new(io::ErrorKind::PermissionDenied, told))
        }
    }
}

/// Closes a directory of ours to all others. False: it is not ours, or many write into it.
pub fn close_directory(path: &Path) -> io::Result<bool> {
    preemptive(WaitType::PREEMPTIVE_OS_FILEOPS, || private::close_directory(path))
}

pub fn exists(path: &Path) -> bool {
    path.exists()
}

pub fn create_dir_all(path: &Path) -> io::Result<()> {
    preemptive(WaitType::PREEMPTIVE_OS_FILEOPS, || private::create_directory(path))
}

pub fn remove_dir_all(path: &Path) -> io::Result<()> {
    preemptive(WaitType::PREEMPTIVE_OS_FILEOPS, || std::fs::remove_dir_all(path))
}

pub fn remove(path: &Path) -> io::Result<()> {
    preemptive(WaitType::PREEMPTIVE_OS_FILEOPS, || std::fs::remove_file(path))
}

/// When a file was written last, in 100 ns since 0001-01-01, UTC.
pub fn written(path: &Path) -> io::Result<u64> {
    /// 1970-01-01.
    const UNIX_TICKS: u64 = 621_355_968_000_000_000;
    let written = preemptive(WaitType::PREEMPTIVE_OS_FILEOPS, || std::fs::metadata(path)?.modified())?;
    let since = written.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Ok(UNIX_TICKS + (since.as_nanos() / 100) as u64)
}

/// The first bytes of a file: as many as there are, and no more than asked for.
pub fn head(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    preemptive(WaitType::PREEMPTIVE_OS_READFILE, || {
        let mut head = Vec::new();
        io::Read::read_to_end(&mut io::Read::take(std::fs::File::open(path)?, bytes), &mut head)?;
        Ok(head)
    })
}

/// Names in a directory with whether each is a directory, sorted.
pub fn list(path: &Path) -> io::Result<Vec<(String, bool)>> {
    let mut names = preemptive(WaitType::PREEMPTIVE_OS_FILEOPS, || {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            names.push((entry.file_name().to_string_lossy().into_owned(), entry.file_type()?.is_dir()));
        }
        io::Result::Ok(names)
    })?;
    names.sort();
    Ok(names)
}

/// A directory for temporary files of this process's tests and tools, not yet made.
pub fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("heddle-{}-{name}", crate::env::process_id()))
}
