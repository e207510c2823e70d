//! Where log blocks go: `LogStore`, and the store of local files.
//!
//! ```text
//! hNNNN.log   4 KB header: magic "HLSEG001", segment number u64, segment bytes u64, crc32 of the three
//!             at 32, once the next segment has a file: its number u64, crc32 of both numbers
//!             then the segment's bytes of the log: LSN = number * segment bytes + offset
//! ```
//! A segment that is no longer needed is given a new number and used again, so the log grows rarely. Its old bytes
//! stay: a block carries its own LSN and epoch, so they cannot be taken for new ones. After a peak the files of free segments are cut to
//! nothing; they keep their names, since other engines may have them open, and grow again when they are needed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use os::disk::{Disk, DiskError, File, Open};
use os::region::{Part, Placed};
use os::shared_struct;
use os::sync::{Mutex, RwLock};
use os::wait::WaitType;

use crate::error::{LogHolder, StorageError, StorageResult};
use crate::pages::files::read_or_zero;
use crate::pages::page::{put_u32, put_u64, u32_at, u64_at};
use crate::region::memory::Memory;

/// The log's bytes by LSN. `write` comes in order; what was written before `harden` returned survives anything.
pub trait LogStore: Send + Sync {
    fn write(&self, lsn: u64, bytes: &[u8]) -> StorageResult<()>;
    fn harden(&self) -> StorageResult<()>;
    /// Bytes never written read as anything.
    fn read(&self, lsn: u64, bytes: &mut [u8]) -> StorageResult<()>;
    /// Bytes that were read at a start, and maybe from the system's cache alone, are written again, as is all that `write`
    /// will need behind them. `harden` makes them durable.
    fn rewrite(&self, from: u64, to: u64) -> StorageResult<()>;
    /// Writing will go on at `lsn`. Called once, after recovery has read what it needs.
    fn continue_at(&self, lsn: u64);
    /// Room for the bytes up to `lsn`, or `LogFull`.
    fn prepare(&self, lsn: u64) -> StorageResult<()>;
    fn prepared(&self) -> u64;
    /// What lies before was given back.
    fn first(&self) -> u64;
    fn segment_bytes(&self) -> u64;
    /// Of all files, and how much more there may be.
    fn file_bytes(&self) -> u64;
    fn bytes_left(&self) -> u64;
    /// Nothing before `lsn` will be read again.
    fn truncate(&self, lsn: u64) -> StorageResult<()>;
    /// Gives back what is not in use.
    fn shrink(&self) -> StorageResult<()>;
    /// By first LSN, those that are free last.
    fn all_segments(&self) -> Vec<Segment>;
}

/// A file of the log.
#[derive(Debug, Clone)]
pub struct Segment {
    pub file: String,
    /// None: it is free.
    pub first_lsn: Option<u64>,
    /// It has no bytes now.
    pub is_cut: bool,
}

const HEADER: u64 = 4096;
/// A new segment is filled with zeros, and the end of an old one written again, in pieces of this size.
const PIECE_BYTES: usize = 256 * 1024;
const MAGIC: &[u8; 8] = b"HLSEG001";

/// Files are numbered with four digits.
const FILES_MAX: usize = 10_000;

/// In the table of files: it was written since it was last hardened.
const DIRTY: u64 = 1 << 63;
const _: () = assert!(HEADER == super::BLOCK_BYTES, "blocks keep their alignment in the file");
const _: () = assert!((PIECE_BYTES as u64).is_multiple_of(HEADER), "pieces of whole blocks");
const _: () = assert!(FILES_MAX <= 10_000, "four digits");

shared_struct! {
    #[derive(Clone, Copy)]
    struct Segments {
        /// Files there are.
        files: u64,
        /// Segments in use.
        used: u64,
        /// Files that were cut to nothing.
        cut: u64,
    }
}

/// Free files that keep their bytes, besides as many as were in use.
const SPARE_SEGMENTS: u64 = 2;
const NEXT_AT: u64 = 32;

pub struct LocalLog {
    disk: Disk,
    segment_bytes: u64,
    bytes_max: u64,
    segments: Placed<Mutex<Segments>>,
    /// There is room up to this LSN. Changed under `segments`; each transaction looks at it, so it is not in there.
    prepared: Placed<AtomicU64>,
    /// Of each file the number of its segment plus one, 0: it is free. Changed under `segments`.
    table: Part<AtomicU64>,
    /// Files this engine has opened, by number.
    opened: RwLock<Vec<Option<Arc<File>>>>,
}

fn file_name(number: u64) -> String {
    assert!(number < FILES_MAX as u64, "log file {number}");
    format!("h{number:04}.log")
}

impl LocalLog {
    pub fn open(memory: &Memory, disk: Disk, segment_bytes: u64, bytes_max: u64) -> StorageResult<LocalLog> {
        assert!(segment_bytes.is_multiple_of(HEADER), "segments of whole blocks");
        assert!(
            segment_bytes > 0 && bytes_max >= segment_bytes,
            "a log of {bytes_max} bytes in segments of {segment_bytes}"
        );
        let none = Segments { files: 0, used: 0, cut: 0 };
        let log = LocalLog {
            disk,
            segment_bytes,
            bytes_max,
            segments: memory.place("log segments", Mutex::new(WaitType::LOGMGR, none))?,
            prepared: memory.place("end of the log's room", AtomicU64::new(0))?,
            table: memory.carve("log files", FILES_MAX)?,
            opened: RwLock::new(WaitType::LOGMGR, Vec::new()),
        };
        let mut segments = log.segments.lock();
        for name in log.disk.list()?.into_iter().filter(|name| is_log_name(name)) {
            let number: u64 = name[1..5].parse().expect("four digits");
            segments.files = segments.files.max(number + 1);
            let file = log.file(number)?;
            segments.cut += u64::from(file.is_empty()?);
            if let Some(segment) = read_header(&file, segment_bytes)? {
                log.table[number as usize].store(segment + 1, Ordering::Relaxed);
                segments.used += 1;
            }
        }
        drop(segments);
        Ok(log)
    }

    fn file(&self, number: u64) -> StorageResult<Arc<File>> {
        if let Some(Some(file)) = self.opened.read().get(number as usize) {
            return Ok(file.clone());
        }
        let name = file_name(number);
        let file = self.disk.open(&name, Open::ExistingOrNew).map_err(|error| StorageError::of_file(&name, error))?;
        let file = Arc::new(file);
        let mut opened = self.opened.write();
        if opened.len() <= number as usize {
            opened.resize(number as usize + 1, None);
        }
        Ok(opened[number as usize].get_or_insert(file).clone())
    }

    /// Segments in use and their files.
    fn used(&self, segments: &Segments) -> impl Iterator<Item = (u64, u64)> {
        debug_assert!(segments.used <= segments.files && segments.files <= FILES_MAX as u64);
        self.table[..segments.files as usize].iter().enumerate().filter_map(|(file, segment)| {
            let segment = (segment.load(Ordering::Relaxed) & !DIRTY).checked_sub(1)?;
            Some((segment, file as u64))
        })
    }

    /// Lowest and highest LSN there are bytes for.
    pub fn range(&self) -> Option<(u64, u64)> {
        let segments = self.segments.lock();
        let first = self.used(&segments).map(|(segment, _)| segment).min()?;
        let last = self.used(&segments).map(|(segment, _)| segment).max()?;
        Some((first * self.segment_bytes, (last + 1) * self.segment_bytes))
    }

    /// The number of the file that holds a segment.
    fn file_of(&self, segment: u64) -> StorageResult<u64> {
        let segments = *self.segments.lock();
        let found = self.used(&segments).find(|(used, _)| *used == segment);
        let missing = || StorageError::Damaged(format!("log segment {segment} is missing; restore it or a backup"));
        Ok(found.ok_or_else(missing)?.1)
    }

    /// At a start: what was made up to the end is there, and whole. A log that begins at `scan` and lacks its last file, or a part of it,
    /// would look like one that ends earlier.
    pub fn check_files(&self, scan: u64) -> StorageResult<()> {
        let segments = *self.segments.lock();
        let used: BTreeMap<u64, u64> = self.used(&segments).collect();
        let missing = |segment: u64| {
            StorageError::Damaged(format!(
                "the log's file of segment {segment}, from LSN {} on, is missing: put it back, or restore from a backup",
                segment * self.segment_bytes
            ))
        };
        let first = scan / self.segment_bytes;
        // The log may end where a segment does, and a full disk have no room for the next.
        let ends_before = scan.is_multiple_of(self.segment_bytes) && first > 0 && used.contains_key(&(first - 1));
        if !used.contains_key(&first) && !ends_before {
            return Err(missing(first));
        }
        for (segment, number) in used.range(first.saturating_sub(u64::from(ends_before))..) {
            let file = self.file(*number)?;
            let (length, whole) = (file.len()?, HEADER + self.segment_bytes);
            if length < whole {
                return Err(StorageError::Damaged(format!(
                    "{} has been cut to {length} of {whole} bytes: put it back, or restore from a backup",
                    file_name(*number)
                )));
            }
            if let Some(next) = read_next(&file, *segment)?
                && !used.contains_key(&next)
            {
                return Err(missing(next));
            }
        }
        Ok(())
    }

    /// The segment before says that this one was made.
    fn note_next(&self, segments: &Segments, segment: u64) -> StorageResult<()> {
        let Some((before, file)) = self.used(segments).find(|(before, _)| before + 1 == segment) else { return Ok(()) };
        let mut bytes = [0; 20];
        put_u64(&mut bytes, 0, before);
        put_u64(&mut bytes, 8, segment);
        let crc = crc32fast::hash(&bytes[..16]);
        put_u32(&mut bytes, 16, crc);
        // Hardened with what is written there next: until then the end of the log is not known to lie beyond.
        self.file(file)?.write_at(&bytes[8..], NEXT_AT)?;
        self.table[file as usize].fetch_or(DIRTY, Ordering::Relaxed);
        Ok(())
    }

    /// Cuts free files to nothing, all but so many.
    fn cut_free(&self, segments: &mut Segments, kept: u64) -> StorageResult<()> {
        let mut whole = segments.files - segments.used - segments.cut;
        for at in 0..segments.files {
            if whole <= kept {
                break;
            }
            if self.table[at as usize].load(Ordering::Relaxed) != 0 {
                continue;
            }
            let file = self.file(at)?;
            if !file.is_empty()? {
                file.set_len(0)?;
                segments.cut += 1;
                whole -= 1;
            }
        }
        Ok(())
    }

    /// The files of these segments may be used again.
    fn free(&self, segments: &mut Segments, gone: impl Fn(u64) -> bool) {
        let old: Vec<_> = self.used(segments).filter(|(segment, _)| gone(*segment)).collect();
        for (_, file) in old {
            self.table[file as usize].store(0, Ordering::Relaxed);
            assert!(segments.used > 0, "a segment that goes was counted");
            segments.used -= 1;
        }
    }

    /// A flush into blocks that were never written also changes the file system's own metadata: a fifth to a half slower.
    fn fill_with_zeros(&self, file: &File) -> StorageResult<()> {
        let zeros = vec![0; PIECE_BYTES];
        for at in (0..self.segment_bytes).step_by(PIECE_BYTES) {
            let part = PIECE_BYTES.min((self.segment_bytes - at) as usize);
            file.write_at(&zeros[..part], HEADER + at)?;
        }
        Ok(())
    }

    fn write_header(&self, file: &File, segment: u64) -> StorageResult<()> {
        debug_assert!(segment <= u64::MAX / self.segment_bytes, "segment {segment} has LSNs");
        let mut header = [0; HEADER as usize];
        header[..8].copy_from_slice(MAGIC);
        put_u64(&mut header, 8, segment);
        put_u64(&mut header, 16, self.segment_bytes);
        let crc = crc32fast::hash(&header[..24]);
        put_u32(&mut header, 24, crc);
        Ok(file.write_at(&header, 0)?)
    }

    fn make_whole(&self, file: &File) -> StorageResult<()> {
        match file.allocate(HEADER + self.segment_bytes) {
            Err(DiskError::Full) => return Err(StorageError::LogFull(LogHolder::Nothing)),
            other => other?,
        }
        if matches!(self.disk, Disk::Real(_)) {
            self.fill_with_zeros(file)?;
        }
        // Before a header says that it is a segment's: one that is shorter then was cut, and a start refuses it.
        Ok(file.sync_data()?)
    }

    fn add_segment(&self, segments: &mut Segments, number: u64) -> StorageResult<()> {
        let is_free = |file: &u64| self.table[*file as usize].load(Ordering::Relaxed) == 0;
        debug_assert!(self.used(segments).all(|(segment, _)| segment != number), "segment {number} is in one file");
        let (at, file) = match (0..segments.files).rev().find(is_free) {
            Some(at) => {
                let file = self.file(at)?;
                if file.len()? < HEADER + self.segment_bytes {
                    let was_cut = file.is_empty()?;
                    self.make_whole(&file)?;
                    segments.cut -= u64::from(was_cut && segments.cut > 0);
                }
                (at, file)
            }
            None => {
                let full = (segments.used + 1) * self.segment_bytes > self.bytes_max;
                if full || segments.files as usize == FILES_MAX {
                    return Err(StorageError::LogFull(LogHolder::Nothing));
                }
                let at = segments.files;
                let file = self.file(at)?;
                // If there is no room, its header is empty: the next start finds it free.
                self.make_whole(&file)?;
                segments.files += 1;
                self.disk.sync_names()?;
                (at, file)
            }
        };
        self.write_header(&file, number)?;
        file.sync_data()?;
        self.note_next(segments, number)?;
        self.table[at as usize].store(number + 1, Ordering::Relaxed);
        segments.used += 1;
        assert!(segments.used <= segments.files, "a file has one segment");
        debug_assert!(self.prepared() <= number * self.segment_bytes, "room is made in order");
        self.prepared.store((number + 1) * self.segment_bytes, Ordering::Release);
        Ok(())
    }

    /// The LSN and length of the part of `[lsn, lsn + length)` in its first segment.
    fn first_part(&self, lsn: u64, length: usize) -> (u64, u64, usize) {
        let number = lsn / self.segment_bytes;
        let offset = lsn % self.segment_bytes;
        let part = length.min((self.segment_bytes - offset) as usize);
        debug_assert!(part > 0 || length == 0);
        debug_assert!(offset + part as u64 <= self.segment_bytes, "a part lies in one segment");
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

/// The segment behind this one, if it has been made.
fn read_next(file: &File, segment: u64) -> StorageResult<Option<u64>> {
    let mut bytes = [0; 20];
    put_u64(&mut bytes, 0, segment);
    read_or_zero(file, WaitType::IO_COMPLETION, NEXT_AT, &mut bytes[8..])?;
    let is_whole = crc32fast::hash(&bytes[..16]) == u32_at(&bytes, 16) && u64_at(&bytes, 8) == segment + 1;
    Ok(is_whole.then_some(segment + 1))
}

impl LogStore for LocalLog {
    fn write(&self, mut lsn: u64, mut bytes: &[u8]) -> StorageResult<()> {
        debug_assert!(
            lsn.is_multiple_of(HEADER) && (bytes.len() as u64).is_multiple_of(HEADER),
            "whole blocks are written: {} bytes at {lsn}",
            bytes.len()
        );
        while !bytes.is_empty() {
            let (segment, offset, part) = self.first_part(lsn, bytes.len());
            let number = self.file_of(segment)?;
            self.file(number)?.write_at(&bytes[..part], offset)?;
            self.table[number as usize].fetch_or(DIRTY, Ordering::Relaxed);
            lsn += part as u64;
            bytes = &bytes[part..];
        }
        Ok(())
    }

    fn harden(&self) -> StorageResult<()> {
        let files = self.segments.lock().files;
        for number in 0..files {
            let entry = &self.table[number as usize];
            if entry.load(Ordering::Relaxed) & DIRTY != 0 {
                entry.fetch_and(!DIRTY, Ordering::Relaxed);
                self.file(number)?.sync_data_as(WaitType::WRITELOG)?;
            }
        }
        Ok(())
    }

    fn read(&self, mut lsn: u64, mut bytes: &mut [u8]) -> StorageResult<()> {
        while !bytes.is_empty() {
            let (segment, offset, part) = self.first_part(lsn, bytes.len());
            let (now, rest) = bytes.split_at_mut(part);
            let file = self.file(self.file_of(segment)?)?;
            read_or_zero(&file, WaitType::IO_COMPLETION, offset, now)?;
            lsn += part as u64;
            bytes = rest;
        }
        Ok(())
    }

    fn rewrite(&self, from: u64, to: u64) -> StorageResult<()> {
        assert!(from <= to, "what was not surely hardened lies before the end: {from} to {to}");
        let segments = *self.segments.lock();
        for (segment, file) in self.used(&segments).filter(|(segment, _)| *segment >= from / self.segment_bytes) {
            self.write_header(&*self.file(file)?, segment)?;
            self.table[file as usize].fetch_or(DIRTY, Ordering::Relaxed);
        }
        for (segment, _) in self.used(&segments).filter(|(segment, _)| *segment > from / self.segment_bytes) {
            self.note_next(&segments, segment)?;
        }
        let mut piece = vec![0; PIECE_BYTES];
        for at in (from..to).step_by(PIECE_BYTES) {
            piece.truncate((to - at) as usize);
            self.read(at, &mut piece)?;
            self.write(at, &piece)?;
        }
        Ok(())
    }

    fn continue_at(&self, lsn: u64) {
        assert!(lsn.is_multiple_of(HEADER), "a block starts at a multiple of its size: {lsn}");
        let mut segments = self.segments.lock();
        let mut number = lsn / self.segment_bytes;
        while self.used(&segments).any(|(segment, _)| segment == number) {
            number += 1;
        }
        self.prepared.store(number * self.segment_bytes, Ordering::Release);
        // Segments behind a gap are left over from before.
        self.free(&mut segments, |segment| segment > number);
        debug_assert!(self.used(&segments).all(|(segment, _)| segment < number), "what is kept lies before what comes");
    }

    fn prepare(&self, lsn: u64) -> StorageResult<()> {
        let mut segments = self.segments.lock();
        while self.prepared() < lsn {
            let number = self.prepared() / self.segment_bytes;
            self.add_segment(&mut segments, number)?;
        }
        Ok(())
    }

    fn prepared(&self) -> u64 {
        self.prepared.load(Ordering::Acquire)
    }

    fn first(&self) -> u64 {
        self.range().map_or(0, |(first, _)| first)
    }

    fn segment_bytes(&self) -> u64 {
        self.segment_bytes
    }

    fn file_bytes(&self) -> u64 {
        let segments = *self.segments.lock();
        (segments.files - segments.cut) * (HEADER + self.segment_bytes)
    }

    fn bytes_left(&self) -> u64 {
        self.bytes_max.saturating_sub(self.segments.lock().used * self.segment_bytes)
    }

    fn truncate(&self, lsn: u64) -> StorageResult<()> {
        let keep = lsn / self.segment_bytes;
        let mut segments = self.segments.lock();
        let before = segments.used;
        self.free(&mut segments, |segment| segment < keep);
        self.cut_free(&mut segments, before + SPARE_SEGMENTS)
    }

    fn shrink(&self) -> StorageResult<()> {
        self.cut_free(&mut self.segments.lock(), 0)
    }

    fn all_segments(&self) -> Vec<Segment> {
        let segments = *self.segments.lock();
        let mut all: Vec<Segment> = self.table[..segments.files as usize]
            .iter()
            .enumerate()
            .map(|(file, segment)| {
                let segment = (segment.load(Ordering::Relaxed) & !DIRTY).checked_sub(1);
                let is_cut =
                    segment.is_none() && self.file(file as u64).is_ok_and(|file| file.is_empty().unwrap_or(false));
                Segment {
                    file: file_name(file as u64),
                    first_lsn: segment.map(|segment| segment * self.segment_bytes),
                    is_cut,
                }
            })
            .collect();
        all.sort_by_key(|segment| segment.first_lsn.unwrap_or(u64::MAX));
        all
    }
}
