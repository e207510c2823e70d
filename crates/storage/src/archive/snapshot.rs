//! A snapshot of a whole instance: its files as they lie, while they are written, and its control record. With the log from where a
//! recovery would have begun to an LSN after the last page was read, they are what a crash at that LSN would have left, as a backup is
//! of one database.
//!
//! ```text
//! snapshot/<began>-<part>       16 and 6 hexadecimal digits; in the order of its reading
//!  0 magic "HARCSNP1"   8 instance u128   24 bytes of the body, inflated, u32   28 the body, deflated: length u32 and bytes
//! .. crc32 u32 of all before.   The body: name (length u32, text), offset u64, bytes (length u32, bytes), and so on
//! snapshot/<began>-manifest     put last: without it there is no snapshot
//!  0 magic "HARCMAN1"   8 instance u128   24 term u64   32 began u64   40 ended u64 (ticks, UTC)   48 end LSN u64
//! 56 bytes of a segment of the log u64   64 the control record (length u32, bytes)   .. files u32, then each: name, bytes u64
//! .. parts u32, then the crc32 of each u32   .. crc32 u32 of all before
//! ```
//! A part of a file that no part has is zeros.

use std::io::{Read, Write};
use std::sync::atomic::Ordering;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use os::disk::{DiskError, Open};
use os::wait::WaitType;

use super::owner::Owner;
use super::store::{SNAPSHOTS, Store, StoreError};
use super::words::{Sealing, opened};
use super::{ArchiveError, ArchiveResult};
use crate::backup::take::whole_page;
use crate::error::{StorageError, StorageResult};
use crate::instance::storage::Storage;
use crate::memory_optimized::checkpoint::{Manifest as Rows, data_name, delta_name, manifest_name};
use crate::pages::data_files::file_name;
use crate::pages::files::read_or_zero;
use crate::pages::page::PAGE_BYTES;
use crate::recovery::control::Control;

const PART_MAGIC: &[u8; 8] = b"HARCSNP1";
const MANIFEST_MAGIC: &[u8; 8] = b"HARCMAN1";
pub const DIRECTORY: &str = SNAPSHOTS;
const MANIFEST: &str = "manifest";
/// A part has about so many bytes before it is deflated.
const PART_BYTES: usize = 4 << 20;
/// Bytes that are read at a time.
const PIECE_BYTES: usize = 256 * 1024;
const PIECE_PAGES: u32 = (PIECE_BYTES / PAGE_BYTES) as u32;
/// How often it is looked whether a backup has ended, when there are as many as there may be.
const LOOK_AGAIN_MS: u64 = 50;

/// What there is to say of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub instance: u128,
    pub term: u64,
    /// Ticks, UTC; its name.
    pub began: u64,
    /// What was committed by then is in it.
    pub ended: u64,
    pub end_lsn: u64,
    pub segment_bytes: u64,
    pub control: Control,
    /// Name and bytes.
    pub files: Vec<(String, u64)>,
    /// Checksums.
    pub parts: Vec<u32>,
}

pub fn manifest_path(began: u64) -> String {
    format!("{DIRECTORY}/{began:016x}-{MANIFEST}")
}

pub fn part_path(began: u64, part: usize) -> String {
    format!("{DIRECTORY}/{began:016x}-{part:06x}")
}

/// Of which snapshot an object is, and whether it is its manifest. None: it is something else.
pub fn parse(name: &str) -> Option<(u64, bool)> {
    let (began, rest) = name.split_once('-')?;
    Some((u64::from_str_radix(began, 16).ok()?, rest == MANIFEST))
}

impl Snapshot {
    /// Log from here on is needed to use it.
    pub fn from(&self) -> u64 {
        self.control.scan_lsn
    }

    fn encode(&self) -> Vec<u8> {
        let mut sealing = Sealing::new(MANIFEST_MAGIC).u128(self.instance).u64(self.term).u64(self.began);
        sealing = sealing.u64(self.ended).u64(self.end_lsn).u64(self.segment_bytes).bytes(&self.control.encode());
        sealing = sealing.u32(self.files.len() as u32);
        for (name, bytes) in &self.files {
            sealing = sealing.bytes(name.as_bytes()).u64(*bytes);
        }
        sealing = sealing.u32(self.parts.len() as u32);
        self.parts.iter().fold(sealing, |sealing, crc| sealing.u32(*crc)).seal()
    }

    fn decode(bytes: &[u8]) -> Option<Snapshot> {
        let mut reading = opened(MANIFEST_MAGIC, bytes)?;
        let mut snapshot = Snapshot {
            instance: reading.u128()?,
            term: reading.u64()?,
            began: reading.u64()?,
            ended: reading.u64()?,
            end_lsn: reading.u64()?,
            segment_bytes: reading.u64()?,
            control: Control::decode(reading.bytes()?).ok()??,
            files: Vec::new(),
            parts: Vec::new(),
        };
        for _ in 0..reading.u32()? {
            snapshot.files.push((reading.text()?, reading.u64()?));
        }
        for _ in 0..reading.u32()? {
            snapshot.parts.push(reading.u32()?);
        }
        reading.is_over().then_some(snapshot)
    }

    /// Err(Refused): it is damaged, by its name.
    pub fn read(store: &dyn Store, began: u64) -> ArchiveResult<Snapshot> {
        let name = manifest_path(began);
        let bytes = store.get(&name)?;
        let damaged = || ArchiveError::Damaged(format!("{}/{name} is damaged: its checksum is another", store.place()));
        Snapshot::decode(&bytes).filter(|snapshot| snapshot.began == began).ok_or_else(damaged)
    }
}

/// Files beside those of the instance that belong to it, as `startup.toml`; those that are not there are left out.
pub type Beside<'a> = &'a [&'a str];

/// Takes one; nobody waits for it. `step` hears of bytes that were read, and an error from it ends the work: what was put so far goes.
pub fn take(
    storage: &Storage,
    store: &dyn Store,
    owner: &Owner,
    beside: Beside<'_>,
    step: &mut dyn FnMut(u64) -> StorageResult<()>,
) -> ArchiveResult<Snapshot> {
    let began = os::clock::utc_ticks();
    let mut taking = Taking { store, owner, began, body: Vec::new(), files: Vec::new(), parts: Vec::new(), step };
    let taken = taking.take(storage, beside);
    if taken.is_err() {
        for part in 0..taking.parts.len() {
            store.delete(&part_path(began, part)).ok();
        }
    }
    taken
}

struct Taking<'a> {
    store: &'a dyn Store,
    owner: &'a Owner,
    began: u64,
    /// Of the part that is being filled.
    body: Vec<u8>,
    files: Vec<(String, u64)>,
    parts: Vec<u32>,
    step: &'a mut dyn FnMut(u64) -> StorageResult<()>,
}

impl Taking<'_> {
    fn take(&mut self, storage: &Storage, beside: Beside<'_>) -> ArchiveResult<Snapshot> {
        let (pin, control) = loop {
            if let Some(pinned) = storage.pin_instance()? {
                break pinned;
            }
            os::wait::sleep(WaitType::BACKUPIO, LOOK_AGAIN_MS);
            (self.step)(0)?;
        };
        let engine = storage.engine();
        self.rows(storage, control.manifest)?;
        for entry in control.files.iter().filter(|entry| !entry.temporary) {
            match engine.file(entry.number)? {
                Some(_) => self.pages(storage, entry.number)?,
                // One that nobody uses lies there as it is.
                None => self.plain(storage, &file_name(entry.number))?,
            }
        }
        for name in beside {
            self.plain(storage, name)?;
        }
        self.put_part()?;
        let ended = os::clock::utc_ticks();
        engine.log.harden_all()?;
        let end_lsn = engine.log.hardened();
        let snapshot = Snapshot {
            instance: self.owner.instance,
            term: self.owner.term,
            began: self.began,
            ended,
            end_lsn,
            segment_bytes: storage.log_segment_bytes(),
            control,
            files: std::mem::take(&mut self.files),
            parts: self.parts.clone(),
        };
        self.store.put_new(&manifest_path(self.began), &snapshot.encode())?;
        drop(pin);
        let archived = storage.archived();
        archived.snapshots.fetch_add(1, Ordering::Relaxed);
        archived.note_snapshot(ended, snapshot.control.redo_lsn, (snapshot.from(), end_lsn));
        Ok(snapshot)
    }

    /// Checkpoint files of memory-optimized tables: what the manifest counts of them stays as it is.
    fn rows(&mut self, storage: &Storage, number: u64) -> ArchiveResult<()> {
        if number == 0 {
            return Ok(());
        }
        let manifest = Rows::read(storage.disk(), number)?;
        self.plain(storage, &manifest_name(number))?;
        for pair in &manifest.pairs {
            self.part_of(storage, &data_name(pair.file), Some(pair.data_bytes))?;
            self.part_of(storage, &delta_name(pair.file), Some(pair.delta_bytes))?;
        }
        Ok(())
    }

    fn plain(&mut self, storage: &Storage, name: &str) -> ArchiveResult<()> {
        self.part_of(storage, name, None)
    }

    /// The first bytes of a file, or all of it. One that is not there is left out.
    fn part_of(&mut self, storage: &Storage, name: &str, bytes: Option<u64>) -> ArchiveResult<()> {
        let file = match storage.disk().open(name, Open::Read) {
            Ok(file) => file,
            Err(DiskError::NotFound) => return Ok(()),
            Err(error) => return Err(StorageError::from(error).into()),
        };
        let bytes = bytes.map_or_else(|| file.len(), Ok).map_err(StorageError::from)?;
        let mut piece = vec![0; PIECE_BYTES];
        for at in (0..bytes).step_by(PIECE_BYTES) {
            let piece = &mut piece[..PIECE_BYTES.min((bytes - at) as usize)];
            read_or_zero(&file, WaitType::BACKUPIO, at, piece)?;
            self.push(name, at, piece)?;
        }
        self.files.push((name.to_owned(), bytes));
        Ok(())
    }

    /// A data file in use. Pages that are newer than the checkpoint are as welcome: redo looks at their LSNs.
    fn pages(&mut self, storage: &Storage, number: u32) -> ArchiveResult<()> {
        let engine = storage.engine();
        let Some(file) = engine.file(number)? else { return Ok(()) };
        let (name, pages) = (file_name(number), file.pages());
        let mut piece = vec![0; PIECE_BYTES];
        for first in (0..pages).step_by(PIECE_PAGES as usize) {
            let count = PIECE_PAGES.min(pages - first) as usize;
            let piece = &mut piece[..count * PAGE_BYTES];
            let at = u64::from(first) * PAGE_BYTES as u64;
            read_or_zero(&file.file, WaitType::BACKUPIO, at, piece)?;
            for (nth, bytes) in piece.as_chunks_mut::<PAGE_BYTES>().0.iter_mut().enumerate() {
                whole_page(engine, &file, first + nth as u32, bytes)?;
            }
            self.push(&name, at, piece)?;
            os::sim_point!("archive.pages");
        }
        self.files.push((name, u64::from(pages) * PAGE_BYTES as u64));
        Ok(())
    }

    fn push(&mut self, name: &str, at: u64, bytes: &[u8]) -> ArchiveResult<()> {
        (self.step)(bytes.len() as u64)?;
        os::wait::maybe_yield();
        if bytes.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        for part in [&(name.len() as u32).to_le_bytes(), name.as_bytes(), &at.to_le_bytes()] {
            self.body.extend_from_slice(part);
        }
        self.body.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.body.extend_from_slice(bytes);
        if self.body.len() >= PART_BYTES { self.put_part() } else { Ok(()) }
    }

    fn put_part(&mut self) -> ArchiveResult<()> {
        if self.body.is_empty() {
            return Ok(());
        }
        let body = std::mem::take(&mut self.body);
        let sealed = off_the_scheduler(|| {
            let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
            // Into memory: it cannot fail.
            let deflated = deflate.write_all(&body).and_then(|()| deflate.finish());
            let deflated = deflated.map_err(|_| StorageError::OutOfMemory)?;
            let sealing = Sealing::new(PART_MAGIC).u128(self.owner.instance).u32(body.len() as u32);
            StorageResult::Ok(sealing.bytes(&deflated).seal())
        })?;
        let name = part_path(self.began, self.parts.len());
        match self.store.put_new(&name, &sealed) {
            // Of the same moment, and so its own: an answer that was lost.
            Ok(()) | Err(StoreError::Exists) => {}
            Err(error) => return Err(error.into()),
        }
        self.parts.push(crc32fast::hash(&sealed));
        Ok(())
    }
}

/// Megabytes are deflated while the scheduler serves others.
pub(super) fn off_the_scheduler<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    os::sched::preemptive(WaitType::PREEMPTIVE_OTHER, work)
}

/// A part that has been read: `visit` gets its pieces by file and offset. Err: why it cannot be used.
pub fn read_part(
    snapshot: &Snapshot,
    part: usize,
    bytes: &[u8],
    visit: &mut dyn FnMut(&str, u64, &[u8]) -> ArchiveResult<()>,
) -> ArchiveResult<()> {
    let bad = |why: &str| ArchiveError::Refused(format!("{} is damaged: {why}", part_path(snapshot.began, part)));
    if crc32fast::hash(bytes) != snapshot.parts[part] {
        return Err(bad("it is cut short, or its checksum is another"));
    }
    let read = || {
        let mut reading = opened(PART_MAGIC, bytes)?;
        let of = reading.u128()?;
        Some((of, reading.u32()?, reading.bytes()?))
    };
    let (of, length, deflated) = read().ok_or_else(|| bad("it is cut short"))?;
    if of != snapshot.instance {
        return Err(bad("it is of another instance"));
    }
    let mut body = Vec::new();
    let inflated = DeflateDecoder::new(deflated).take(u64::from(length) + 1).read_to_end(&mut body);
    if inflated.is_err() || body.len() != length as usize {
        return Err(bad("it cannot be inflated"));
    }
    let mut words = crate::backup::set::Words(&body);
    while !words.0.is_empty() {
        let mut piece = || {
            let name = words.u32()?;
            let name = std::str::from_utf8(words.bytes(name as usize)?).ok()?;
            let at = words.u64()?;
            let length = words.u32()?;
            Some((name, at, words.bytes(length as usize)?))
        };
        let (name, at, bytes) = piece().ok_or_else(|| bad("it is not what it should be"))?;
        visit(name, at, bytes)?;
    }
    Ok(())
}
