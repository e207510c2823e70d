//! A log of texts for people, kept in numbered files: entries are queued and written by a thread of the journal's own, so that
//! whoever has something to say holds up nobody. A process without that thread (a launcher) writes at once.
//!
//! ```text
//! NAME   the current file        NAME.1   the one before ... NAME.6   the oldest
//! ```
//! Several processes may write into one file: each entry is one append, and who finds that the file was put aside opens the new one.
//! Before a directory is named, and where there is none, entries are kept in memory, up to a bound.

use crate::private;
use crate::sched::preemptive;
use crate::wait::WaitType;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// Files that were put aside.
pub const ARCHIVES: u32 = 6;
/// What may wait to be written; more is counted and left out.
const QUEUE_BYTES_MAX: usize = 1 << 20;
/// Of what is kept in memory, for each of the files that there would be.
const MEMORY_BYTES_MAX: usize = 256 << 10;
/// How long a reader waits for what was said before.
const SETTLE_MS: u64 = 5_000;

/// One of the files: 0 is the current one.
#[derive(Debug, Clone, PartialEq)]
pub struct Archive {
    pub number: u32,
    pub bytes: u64,
    /// When it was written last: seconds since 1970.
    pub changed: i64,
}

#[derive(Default)]
struct Queue {
    bytes: Vec<u8>,
    /// Some of it must be on disk soon.
    sync: bool,
    /// Entries taken, and of these written or lost.
    taken: u64,
    written: u64,
    lost: u64,
    has_thread: bool,
}

/// Where entries go.
enum Place {
    Memory(Vec<Vec<u8>>),
    Files { directory: PathBuf, file: Option<File> },
}

pub struct Journal {
    name: &'static str,
    /// A file of this size is put aside.
    bytes_max: Mutex<u64>,
    queue: Mutex<Queue>,
    /// Something is in the queue; something has been written.
    given: Condvar,
    settled: Condvar,
    place: Mutex<Place>,
}

fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Journal {
    /// In memory, until `open`.
    pub const fn new(name: &'static str) -> Journal {
        Journal {
            name,
            bytes_max: Mutex::new(u64::MAX),
            queue: Mutex::new(Queue {
                bytes: Vec::new(),
                sync: false,
                taken: 0,
                written: 0,
                lost: 0,
                has_thread: false,
            }),
            given: Condvar::new(),
            settled: Condvar::new(),
            place: Mutex::new(Place::Memory(Vec::new())),
        }
    }

    /// From now on in files of this directory, which begins with a new one that has what was said so far.
    pub fn open(&self, directory: &Path, bytes_max: u64) -> io::Result<()> {
        assert!(bytes_max > 0, "a file for nothing");
        *locked(&self.bytes_max) = bytes_max;
        preemptive(WaitType::PREEMPTIVE_OS_FILEOPS, || {
            private::create_directory(directory)?;
            self.write_queued();
            let mut place = locked(&self.place);
            let Place::Memory(files) = &mut *place else { return Ok(()) };
            let said = files.first().cloned().unwrap_or_default();
            let mut files = Place::Files { directory: directory.to_owned(), file: None };
            files.put_aside(self.name, |_| true)?;
            files.append(self.name, &said, false, bytes_max)?;
            *place = files;
            Ok(())
        })
    }

    /// Starts the thread that writes; in each process that has threads, once.
    pub fn start(&'static self) -> io::Result<()> {
        if std::mem::replace(&mut locked(&self.queue).has_thread, true) {
            return Ok(());
        }
        let builder = std::thread::Builder::new().name(self.name.into()).stack_size(128 * 1024);
        builder.spawn(move || {
            loop {
                let mut queue = locked(&self.queue);
                while queue.bytes.is_empty() {
                    queue = self.given.wait(queue).unwrap_or_else(std::sync::PoisonError::into_inner);
                }
                drop(queue);
                self.write_queued();
            }
        })?;
        Ok(())
    }

    /// Adds an entry. `sync`: it is to be on disk as soon as may be.
    pub fn write(&self, entry: &[u8], sync: bool) {
        let mut queue = locked(&self.queue);
        queue.taken += 1;
        if queue.bytes.len() + entry.len() > QUEUE_BYTES_MAX {
            queue.lost += 1;
            queue.written += 1;
            return;
        }
        queue.bytes.extend_from_slice(entry);
        queue.sync |= sync;
        let has_thread = queue.has_thread;
        drop(queue);
        if has_thread {
            self.given.notify_one();
        } else {
            self.write_queued();
        }
    }

    fn write_queued(&self) {
        let mut place = locked(&self.place);
        let (bytes, sync, up_to, lost) = {
            let mut queue = locked(&self.queue);
            let taken = (std::mem::take(&mut queue.bytes), queue.sync, queue.taken, queue.lost);
            (queue.sync, queue.lost) = (false, 0);
            taken
        };
        let bytes_max = *locked(&self.bytes_max);
        let mut failed = 0;
        if !bytes.is_empty() && place.append(self.name, &bytes, sync, bytes_max).is_err() {
            failed = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        }
        if lost > 0 {
            let told = format!("({lost} messages are missing here: they came faster than they could be written)\n");
            let _ = place.append(self.name, told.as_bytes(), false, bytes_max);
        }
        let mut queue = locked(&self.queue);
        queue.written = queue.written.max(up_to);
        queue.lost += failed;
        drop(queue);
        self.settled.notify_all();
    }

    /// Waits until what was said before is written.
    pub fn settle(&self) {
        preemptive(WaitType::PREEMPTIVE_OS_WRITEFILE, || {
            let queue = locked(&self.queue);
            let up_to = queue.taken;
            let waits = |queue: &mut Queue| queue.has_thread && queue.written < up_to;
            drop(self.settled.wait_timeout_while(queue, Duration::from_millis(SETTLE_MS), waits));
        });
    }

    /// Begins a new file; those before move on by one, and the oldest goes.
    pub fn cycle(&self) -> io::Result<()> {
        self.settle();
        preemptive(WaitType::PREEMPTIVE_OS_FILEOPS, || locked(&self.place).put_aside(self.name, |_| true))
    }

    /// The files that there are, the current one first.
    pub fn archives(&self) -> Vec<Archive> {
        self.settle();
        preemptive(WaitType::PREEMPTIVE_OS_FILEOPS, || {
            let place = locked(&self.place);
            let of = |number| {
                let (bytes, changed) = match &*place {
                    Place::Memory(files) => (files.get(number as usize)?.len() as u64, 0),
                    Place::Files { directory, .. } => {
                        let there = fs::metadata(path(directory, self.name, number)).ok()?;
                        (there.len(), there.mtime())
                    }
                };
                Some(Archive { number, bytes, changed })
            };
            (0..=ARCHIVES).filter_map(of).collect()
        })
    }

    /// All of a file. Err(NotFound): there is none of this number.
    pub fn read(&self, number: u32) -> io::Result<Vec<u8>> {
        self.settle();
        let none = || io::Error::from(io::ErrorKind::NotFound);
        preemptive(WaitType::PREEMPTIVE_OS_READFILE, || match &*locked(&self.place) {
            Place::Memory(files) if number == 0 => Ok(files.first().cloned().unwrap_or_default()),
            Place::Memory(files) => files.get(number as usize).cloned().ok_or_else(none),
            Place::Files { .. } if number > ARCHIVES => Err(none()),
            Place::Files { directory, .. } => {
                let path = path(directory, self.name, number);
                if fs::metadata(&path)?.len() > crate::fs::READ_BYTES_MAX {
                    return Err(io::Error::from(io::ErrorKind::FileTooLarge));
                }
                fs::read(path)
            }
        })
    }

    /// Where the current file is. None: in memory.
    pub fn path(&self) -> Option<PathBuf> {
        match &*locked(&self.place) {
            Place::Memory(_) => None,
            Place::Files { directory, .. } => Some(path(directory, self.name, 0)),
        }
    }
}

fn path(directory: &Path, name: &str, number: u32) -> PathBuf {
    if number == 0 { directory.join(name) } else { directory.join(format!("{name}.{number}")) }
}

impl Place {
    fn append(&mut self, name: &str, bytes: &[u8], sync: bool, bytes_max: u64) -> io::Result<()> {
        let length = match self {
            Place::Memory(files) => {
                if files.is_empty() {
                    files.push(Vec::new());
                }
                let current = &mut files[0];
                current.extend_from_slice(bytes);
                if current.len() > MEMORY_BYTES_MAX {
                    // Whole entries go.
                    let from = current.len() - MEMORY_BYTES_MAX / 2;
                    let end = current[from..].iter().position(|byte| *byte == b'\n').map_or(from, |at| from + at + 1);
                    current.drain(..end);
                }
                return Ok(());
            }
            Place::Files { directory, file } => {
                let current = path(directory, name, 0);
                if file.as_ref().is_some_and(|file| !is_at(file, &current)) {
                    *file = None;
                }
                if file.is_none() {
                    *file = Some(private::open(OpenOptions::new().append(true).create(true), &current)?);
                }
                let open = file.as_mut().expect("just opened");
                open.write_all(bytes)?;
                if sync {
                    open.sync_data()?;
                }
                open.metadata()?.len()
            }
        };
        if length < bytes_max {
            return Ok(());
        }
        // Unless another process has done so meanwhile.
        self.put_aside(name, |there| there.len() >= bytes_max)
    }

    /// Moves every file on by one, if the current one is to be.
    fn put_aside(&mut self, name: &str, is_due: impl Fn(&fs::Metadata) -> bool) -> io::Result<()> {
        match self {
            Place::Memory(files) => {
                files.insert(0, Vec::new());
                files.truncate(ARCHIVES as usize + 1);
            }
            Place::Files { directory, file } => {
                let lock = private::open(
                    OpenOptions::new().write(true).create(true).truncate(false),
                    &directory.join(format!("{name}.lock")),
                )?;
                hold(&lock)?;
                let current = path(directory, name, 0);
                if fs::metadata(&current).is_ok_and(|there| is_due(&there)) {
                    for number in (0..ARCHIVES).rev() {
                        let (from, to) = (path(directory, name, number), path(directory, name, number + 1));
                        match fs::rename(from, to) {
                            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                            _ => {}
                        }
                    }
                }
                *file = Some(private::open(OpenOptions::new().append(true).create(true), &current)?);
            }
        }
        Ok(())
    }
}

/// Whether this is the file that has the name now.
fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(own), Ok(there)) => (own.dev(), own.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Until `lock` is closed no other process has it.
#[allow(unsafe_code)]
fn hold(lock: &File) -> io::Result<()> {
    // SAFETY: the descriptor is open for the call.
    match unsafe { libc::flock(lock.as_raw_fd(), libc::LOCK_EX) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(journal: &Journal, number: u32) -> String {
        String::from_utf8(journal.read(number).unwrap()).unwrap()
    }

    #[test]
    fn files_move_on_and_the_oldest_goes() {
        let directory = crate::fs::temporary("journal");
        let journal = Journal::new("log");
        journal.write(b"early\n", false);
        assert_eq!(text(&journal, 0), "early\n");
        for round in 0..9 {
            if round == 0 {
                journal.open(&directory, 1 << 20).unwrap()
            } else {
                journal.cycle().unwrap()
            }
            journal.write(format!("{round}\n").as_bytes(), true);
        }
        assert_eq!(
            (text(&journal, 0), text(&journal, 1), text(&journal, 6)),
            ("8\n".into(), "7\n".into(), "2\n".into())
        );
        assert!(journal.read(7).is_err());
        let numbers: Vec<u32> = journal.archives().iter().map(|archive| archive.number).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6]);
        // The next start.
        let next = Journal::new("log");
        next.open(&directory, 8).unwrap();
        assert_eq!((text(&next, 0), text(&next, 1)), (String::new(), "8\n".into()));
        // Another process finds the new file by itself.
        journal.write(b"other\n", false);
        assert_eq!(text(&next, 0), "other\n");
        next.write(b"more\n", false);
        assert_eq!((text(&next, 0), text(&next, 1)), (String::new(), "other\nmore\n".into()));
        fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn memory_has_a_bound() {
        let journal = Journal::new("log");
        for _ in 0..2 * MEMORY_BYTES_MAX / 100 {
            journal.write(&[&[b'x'; 99][..], b"\n"].concat(), false);
        }
        let kept = text(&journal, 0);
        assert!(kept.len() <= MEMORY_BYTES_MAX && kept.lines().all(|line| line.len() == 99));
    }

    #[test]
    fn a_thread_writes_what_was_queued() {
        static JOURNAL: Journal = Journal::new("queued");
        let directory = crate::fs::temporary("queued");
        JOURNAL.open(&directory, 1 << 20).unwrap();
        JOURNAL.start().unwrap();
        for number in 0..1_000 {
            JOURNAL.write(format!("{number}\n").as_bytes(), number % 100 == 0);
        }
        assert_eq!(text(&JOURNAL, 0).lines().count(), 1_000);
        fs::remove_dir_all(&directory).unwrap();
    }
}
