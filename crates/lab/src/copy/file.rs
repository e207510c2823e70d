//! The files that tables are copied to and from: the user's own, beside the server's files and their rules.
#![allow(clippy::disallowed_types, clippy::disallowed_methods)]

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Written at once.
const PIECE: usize = 1 << 20;

/// A file that is written under another name, and there under its own when it is whole.
pub struct Making {
    path: PathBuf,
    beside: PathBuf,
    out: BufWriter<File>,
}

impl Making {
    pub fn begin(path: &Path) -> io::Result<Making> {
        let mut beside = path.as_os_str().to_owned();
        beside.push(".part");
        let beside = PathBuf::from(beside);
        let file = File::create(&beside)?;
        Ok(Making { path: path.to_owned(), beside, out: BufWriter::with_capacity(PIECE, file) })
    }

    /// Takes the place of what was there.
    pub fn end(mut self) -> io::Result<()> {
        let whole = self.out.flush().and_then(|()| self.out.get_ref().sync_all());
        let ended = whole.and_then(|()| std::fs::rename(&self.beside, &self.path));
        if ended.is_err() {
            self.give_up();
        }
        ended
    }

    /// Nothing is left of it.
    pub fn give_up(self) {
        let _ = std::fs::remove_file(&self.beside);
    }
}

impl Write for Making {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

pub fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    match file.metadata()?.is_dir() {
        true => Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a directory")),
        false => Ok(file),
    }
}

/// A file that is read anywhere.
pub struct Whole {
    file: File,
    bytes: u64,
}

impl Whole {
    pub fn open(path: &Path) -> io::Result<Whole> {
        let file = open(path)?;
        let bytes = file.metadata()?.len();
        Ok(Whole { file, bytes })
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Err(UnexpectedEof): there are not so many bytes.
    pub fn read(&self, offset: u64, count: usize) -> io::Result<Vec<u8>> {
        if offset.checked_add(count as u64).is_none_or(|end| end > self.bytes) {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file was cut"));
        }
        let mut bytes = vec![0; count];
        self.file.read_exact_at(&mut bytes, offset)?;
        Ok(bytes)
    }
}
