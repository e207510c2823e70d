//! Where log blocks go: `LogStore`, and the store of local files.
//!
//! ```text
//! hNNNN.log   4 KB header: magic "HLSEG001", segment number u64, segment bytes u64, crc32 of the three
//!             then the segment's bytes of the log: LSN = number * segment bytes + offset
//! ```
//! A segment that is no longer needed is given a new number and used again, so the log grows rarely. Its old bytes
//! stay: a block carries its own LSN and epoch, so they cannot be taken for new ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use os::disk::{Disk, DiskError, File, Open};
use os::sync::Mutex;
use os::wait::WaitType;

use crate::error::{StorageError, StorageResult};
use crate::files::read_or_zero;
use crate::page::{put_u32, put_u64, u32_at, u64_at};

/// The log's bytes by LSN. `write` comes in order; what was written before `harden` returned survives anything.
pub trait LogStore: Send + Sync {
    fn write(&self, lsn: u64, bytes: &[u8]) -> StorageResult<()>;
    fn harden(&self) -> StorageResult<()>;
    /// Bytes never written read as anything.
    fn read(&self, lsn: u64, bytes: &mut [u8]) -> StorageResult<()>;
    /// Writing will go on at `lsn`. Called once, after recovery has read what it needs.
    fn continue_at(&self, lsn: u64);
    /// Room for the bytes up to `lsn`, or `LogFull`.
    fn prepare(&self, lsn: u64) -> StorageResult<()>;
    fn prepared(&self) -> u64;
    /// Nothing before `lsn` will be read again.
    fn truncate(&self, lsn: u64) -> StorageResult<()>;
}

const HEADER: u64 = 4096;
/// A new segment is filled with zeros in pieces of this size.
const ZEROS_BYTES: usize = 256 * 1024;
const MAGIC: &[u8; 8] = b"HLSEG001";

pub struct LocalLog {
    disk: Disk,
    segment_bytes: u64,
    bytes_max: u64,
    state: Mutex<Segments>,
}

struct Segments {
    /// By segment number.
    used: BTreeMap<u64, Arc<File>>,
    free: Vec<Arc<File>>,
    files: u64,
    dirty: Vec<Arc<File>>,
    prepared: u64,
}

impl LocalLog {
    pub fn open(disk: Disk, segment_bytes: u64, bytes_max: u64) -> StorageResult<LocalLog> {
        assert!(segment_bytes.is_multiple_of(HEADER), "segments of whole blocks");
        let mut state = Segments { used: BTreeMap::new(), free: Vec::new(), files: 0, dirty: Vec::new(), prepared: 0 };
        let mut names: Vec<_> = disk.list()?.into_iter().filter(|name| is_log_name(name)).collect();
        names.sort();
        for name in names {
            let number: u64 = name[1..5].parse().expect("four digits");
            state.files = state.files.max(number + 1);
            let file = Arc::new(disk.open(&name, Open::Existing)?);
            match read_header(&file, segment_bytes)? {
                Some(segment) => {
                    state.used.insert(segment, file);
                }
                None => state.free.push(file),
            }
        }
        Ok(LocalLog { disk, segment_bytes, bytes_max, state: Mutex::new(WaitType::LOGMGR, state) })
    }

    /// Lowest and highest LSN there are bytes for.
    pub fn range(&self) -> Option<(u64, u64)> {
        let state = self.state.lock();
        let first = *state.used.keys().next()?;
        let last = *state.used.keys().next_back()?;
        Some((first * self.segment_bytes, (last + 1) * self.segment_bytes))
    }

    fn segment(&self, number: u64) -> StorageResult<Arc<File>> {
        let state = self.state.lock();
        state
            .used
            .get(&number)
            .cloned()
            .ok_or_else(|| StorageError::Damaged(format!("log segment {number} is missing; restore it or a backup")))
    }

    /// A flush into blocks that were never written also changes the file system's own metadata: a fifth to a half slower.
    fn fill_with_zeros(&self, file: &File) -> StorageResult<()> {
        let zeros = vec![0; ZEROS_BYTES];
        for at in (0..self.segment_bytes).step_by(ZEROS_BYTES) {
            let part = ZEROS_BYTES.min((self.segment_bytes - at) as usize);
            file.write_at(&zeros[..part], HEADER + at)?;
        }
        Ok(())
    }

    fn add_segment(&self, state: &mut Segments, number: u64) -> StorageResult<()> {
        let file = match state.free.pop() {
            Some(file) => file,
            None => {
                if (state.used.len() as u64 + 1) * self.segment_bytes > self.bytes_max {
                    return Err(StorageError::LogFull);
                }
                let file = Arc::new(self.disk.open(&format!("h{:04}.log", state.files), Open::ExistingOrNew)?);
                if let Err(error) = file.allocate(HEADER + self.segment_bytes) {
                    // Its header is empty: the next start finds it free.
                    return Err(if error == DiskError::Full { StorageError::LogFull } else { error.into() });
                }
                if matches!(self.disk, Disk::Real(_)) {
                    self.fill_with_zeros(&file)?;
                }
                state.files += 1;
                self.disk.sync_names()?;
                file
            }
        };
        let mut header = [0; HEADER as usize];
        header[..8].copy_from_slice(MAGIC);
        put_u64(&mut header, 8, number);
        put_u64(&mut header, 16, self.segment_bytes);
        let crc = crc32fast::hash(&header[..24]);
        put_u32(&mut header, 24, crc);
        file.write_at(&header, 0)?;
        file.sync_data()?;
        state.used.insert(number, file);
        state.prepared = (number + 1) * self.segment_bytes;
        Ok(())
    }

    /// The LSN and length of the part of `[lsn, lsn + length)` in its first segment.
    fn first_part(&self, lsn: u64, length: usize) -> (u64, u64, usize) {
        let number = lsn / self.segment_bytes;
        let offset = lsn % self.segment_bytes;
        let part = length.min((self.segment_bytes - offset) as usize);
        (number, HEADER + offset, part)
    }
}

fn is_log_name(name: &str) -> bool {
    name.len() == 9 && name.starts_with('h') && name.ends_with(".log") && name[1..5].bytes().all(|b| b.is_ascii_digit())
}

fn read_header(file: &File, segment_bytes: u64) -> StorageResult<Option<u64>> {
    let mut header = [0; 28];
    read_or_zero(file, WaitType::IO_COMPLETION, 0, &mut header)?;
    if &header[..8] != MAGIC || u32_at(&header, 24) != crc32fast::hash(&header[..24]) {
        return Ok(None);
    }
    if u64_at(&header, 16) != segment_bytes {
        return Err(StorageError::Damaged("log segments of another size than configured".into()));
    }
    Ok(Some(u64_at(&header, 8)))
}

impl LogStore for LocalLog {
    fn write(&self, mut lsn: u64, mut bytes: &[u8]) -> StorageResult<()> {
        while !bytes.is_empty() {
            let (number, offset, part) = self.first_part(lsn, bytes.len());
            let file = self.segment(number)?;
            file.write_at(&bytes[..part], offset)?;
            let mut state = self.state.lock();
            if !state.dirty.iter().any(|dirty| Arc::ptr_eq(dirty, &file)) {
                state.dirty.push(file);
            }
            lsn += part as u64;
            bytes = &bytes[part..];
        }
        Ok(())
    }

    fn harden(&self) -> StorageResult<()> {
        let dirty = std::mem::take(&mut self.state.lock().dirty);
        dirty.iter().try_for_each(|file| Ok(file.sync_data_as(WaitType::WRITELOG)?))
    }

    fn read(&self, mut lsn: u64, mut bytes: &mut [u8]) -> StorageResult<()> {
        while !bytes.is_empty() {
            let (number, offset, part) = self.first_part(lsn, bytes.len());
            let (now, rest) = bytes.split_at_mut(part);
            let file = self.segment(number)?;
            read_or_zero(&file, WaitType::IO_COMPLETION, offset, now)?;
            lsn += part as u64;
            bytes = rest;
        }
        Ok(())
    }

    fn continue_at(&self, lsn: u64) {
        let mut state = self.state.lock();
        let mut number = lsn / self.segment_bytes;
        while state.used.contains_key(&number) {
            number += 1;
        }
        state.prepared = number * self.segment_bytes;
        // Segments behind a gap are left over from before.
        let stale: Vec<u64> = state.used.range(number..).map(|(number, _)| *number).collect();
        for number in stale {
            let file = state.used.remove(&number).expect("just listed");
            state.free.push(file);
        }
    }

    fn prepare(&self, lsn: u64) -> StorageResult<()> {
        let mut state = self.state.lock();
        while state.prepared < lsn {
            let number = state.prepared / self.segment_bytes;
            self.add_segment(&mut state, number)?;
        }
        Ok(())
    }

    fn prepared(&self) -> u64 {
        self.state.lock().prepared
    }

    fn truncate(&self, lsn: u64) -> StorageResult<()> {
        let mut state = self.state.lock();
        let keep = lsn / self.segment_bytes;
        let old: Vec<u64> = state.used.range(..keep).map(|(number, _)| *number).collect();
        for number in old {
            let file = state.used.remove(&number).expect("just listed");
            state.free.push(file);
        }
        Ok(())
    }
}
