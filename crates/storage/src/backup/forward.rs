//! A database that is being restored step by step: a full backup, perhaps a differential one, then log backups, each of which goes on where
//! the one before ended.
//!
//! What was restored so far lies in a directory of its own, `restoring-NNNNN` by the number of the database, as an instance that has
//! not been recovered: pages, rows, and a log that each step makes longer. The last step recovers it and copies its pages. So there is
//! one recovery here too, transactions that are open at a point in time are rolled back by it, and a step that is killed has added
//! nothing: `restored` says up to where the log counts.
//!
//! ```text
//! restored    format u32 (2: the log is of a file that was held), phase u8 (1 rolls forward, 2 interrupted, 3 recovering), database u16,
//!             file u32, pages u32, end LSN u64, end of the shortened block there u64 (0: there is none), covered u64 (ticks, UTC), about
//!             (length u32, bytes: as in the full backup's head), crc32 u32 of all before; written beside and renamed
//! ```

use os::disk::{Disk, Open};
use os::region::Visibility;
use os::wait::WaitType;

use super::blocks::{BlockKind, damaged};
use super::media::Media;
use super::restore::Target;
use super::set::{Progress, Set, SetKind, Words, read_set};
use super::unpack::unpack;
use crate::error::{StorageError, StorageResult};
use crate::hold::{Hold, Since};
use crate::instance::storage::{PRIVATE_LOG_BYTES_MAX, PRIVATE_SEGMENT_BYTES, Storage};
use crate::layout::DatabaseId;
use crate::log::record::{HEAD_BYTES, Kind, Record};
use crate::log::store::{LocalLog, LogStore};
use crate::log::{BLOCK_BYTES, BLOCK_HEAD, shorten_block};
use crate::pages::data_files::file_name;
use crate::pages::files::read_or_zero;
use crate::pages::page::{PAGE_BYTES, u32_at};
use crate::recovery::control::{ControlFile, HeldEntry};
use crate::region::memory::Memory;
use crate::transaction::Transaction;

const FORMAT: u32 = 1;
const FORMAT_HELD: u32 = 2;
const STATE: &str = "restored";
const STATE_NEXT: &str = "restored.next";
/// The log behind its end is made zeros in pieces of this size.
const PIECE_BYTES: u64 = 256 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Log backups can be applied.
    Forward = 1,
    /// A differential backup was being applied: it has to be applied whole.
    Interrupted = 2,
    /// Transactions have been rolled back, or are being: no log fits any more.
    Recovering = 3,
}

/// How far a database has been restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    pub phase: Phase,
    /// Where it was backed up.
    pub database: u16,
    pub file: u32,
    pub pages: u32,
    /// The log goes on here.
    pub end_lsn: u64,
    /// Of the block there a part counts, up to this LSN: a point in time lies within. 0: none.
    pub part_end: u64,
    /// What was committed by then is in it (ticks, UTC).
    pub covered: u64,
    /// As the full backup's head has it.
    pub about: Vec<u8>,
    /// As a log backup's head has it.
    pub held: bool,
}

/// Where to stop in a log backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Before the first commit that is later than this (ticks, UTC).
    At(u64),
    /// Before the record at this LSN.
    Before(u64),
    /// Behind it.
    After(u64),
}

/// What a log backup could not be applied for.
#[derive(Debug, Clone, PartialEq)]
pub enum Gap {
    /// It begins later than what was restored ends (4305): at these LSNs.
    TooRecent {
        begins: u64,
        wanted: u64,
    },
    /// It ends before that (4326).
    TooEarly {
        ends: u64,
        wanted: u64,
    },
    /// More than wanted has been restored already (4338).
    PastStop,
    World(StorageError),
}

impl From<StorageError> for Gap {
    fn from(error: StorageError) -> Gap {
        Gap::World(error)
    }
}

impl Restored {
    fn encode(&self) -> Vec<u8> {
        let mut out = if self.held { FORMAT_HELD } else { FORMAT }.to_le_bytes().to_vec();
        out.push(self.phase as u8);
        out.extend_from_slice(&self.database.to_le_bytes());
        for number in [self.file, self.pages] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.end_lsn, self.part_end, self.covered] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&(self.about.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.about);
        let crc = crc32fast::hash(&out);
        out.extend_from_slice(&crc.to_le_bytes());
        out
    }

    fn decode(bytes: &[u8]) -> Option<Restored> {
        let (body, crc) = bytes.split_last_chunk::<4>()?;
        let mut words = Words(body);
        if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
            return None;
        }
        let format = words.u32().filter(|format| [FORMAT, FORMAT_HELD].contains(format))?;
        let phase = words.u8()?;
        let phase =
            [Phase::Forward, Phase::Interrupted, Phase::Recovering].into_iter().find(|one| *one as u8 == phase)?;
        let mut restored = Restored {
            phase,
            database: words.u16()?,
            file: words.u32()?,
            pages: words.u32()?,
            end_lsn: words.u64()?,
            part_end: words.u64()?,
            covered: words.u64()?,
            about: Vec::new(),
            held: format == FORMAT_HELD,
        };
        let about = words.u32()? as usize;
        restored.about = words.bytes(about)?.to_vec();
        words.0.is_empty().then_some(restored)
    }

    pub(super) fn read(disk: &Disk) -> StorageResult<Option<Restored>> {
        if !disk.exists(STATE) {
            return Ok(None);
        }
        let file = disk.open(STATE, Open::Existing)?;
        let mut bytes = vec![0; file.len()? as usize];
        read_or_zero(&file, WaitType::BACKUPIO, 0, &mut bytes)?;
        Restored::decode(&bytes).map(Some).ok_or_else(|| StorageError::Damaged(format!("{STATE} of a restore")))
    }

    /// For good when it returns.
    fn write(&self, disk: &Disk) -> StorageResult<()> {
        let bytes = self.encode();
        let file = disk.open(STATE_NEXT, Open::ExistingOrNew)?;
        file.set_len(bytes.len() as u64)?;
        file.write_at(&bytes, 0)?;
        file.sync_data_as(WaitType::BACKUPIO)?;
        disk.rename(STATE_NEXT, STATE)?;
        Ok(disk.sync_names()?)
    }
}

fn directory_name(db: DatabaseId) -> String {
    format!("restoring-{:05}", db.0)
}

impl Storage {
    pub(super) fn directory_of(&self, db: DatabaseId) -> StorageResult<Disk> {
        Ok(self.engine().disk.subdirectory(&directory_name(db))?)
    }

    /// How far the database is, None: it is not being restored.
    pub fn restored(&self, db: DatabaseId) -> StorageResult<Option<Restored>> {
        // Asking for a directory makes it.
        if matches!(self.engine().disk, Disk::Real(_)) && !self.engine().disk.exists(&directory_name(db)) {
            return Ok(None);
        }
        Restored::read(&self.directory_of(db)?)
    }

    /// Begins to restore a database, which has no pages in this instance, with the full backup at `at`, or with a log backup that is whole.
    /// `about`: what is known of the database from here on, None: what the set says.
    pub fn begin_restore(
        &self,
        db: DatabaseId,
        (from, at): (&dyn Media, u64),
        about: Option<Vec<u8>>,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<Set> {
        let _one_at_a_time = self.turn(step)?;
        self.forget_restore(db)?;
        let disk = self.directory_of(db)?;
        let begun = unpack(from, at, (&disk, None), step).and_then(|set| {
            os::sim_point!("restore.unpacked");
            harden(&disk)?;
            self.engine().disk.sync_names()?;
            restored_by(&set, about.unwrap_or_else(|| set.head.about.clone())).write(&disk)?;
            Ok(set)
        });
        if begun.is_err() {
            self.forget_restore(db).ok();
        }
        begun
    }

    /// Goes on with the differential backup at `at`, which is one of the full backup that was restored, or with a whole log backup.
    /// `about`: what is known of the database from here on, None: as before. `NoBackup`: recovery has begun.
    pub fn restore_pages(
        &self,
        db: DatabaseId,
        (from, at): (&dyn Media, u64),
        about: Option<Vec<u8>>,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<Set> {
        let _one_at_a_time = self.turn(step)?;
        let disk = self.directory_of(db)?;
        let before = Restored::read(&disk)?.ok_or(StorageError::UnknownDatabase)?;
        if before.phase == Phase::Recovering {
            return Err(StorageError::NoBackup);
        }
        // Whole before anything is changed.
        let read =
            super::set::verify(from, at, &mut |progress| step(Progress { total: progress.total * 2, ..progress }))?;
        Restored { phase: Phase::Interrupted, ..before.clone() }.write(&disk)?;
        os::sim_point!("restore.differential");
        // Of a whole one the file may have another number, and no page of before counts.
        let data = (!read.is_whole()).then(|| file_name(before.file));
        for name in disk.list()?.into_iter().filter(|name| data.as_ref() != Some(name) && name != STATE) {
            disk.remove(&name)?;
        }
        let over = match &data {
            Some(data) => Some(disk.open(data, Open::Existing)?),
            None => None,
        };
        let set = unpack(from, at, (&disk, over), &mut |progress| {
            step(Progress { done: progress.total + progress.done, total: progress.total * 2 })
        })?;
        let file = disk.open(&file_name(set.head.file), Open::Existing)?;
        file.set_len(u64::from(set.head.pages) * PAGE_BYTES as u64)?;
        drop(file);
        harden(&disk)?;
        restored_by(&set, about.unwrap_or(before.about)).write(&disk)?;
        Ok(set)
    }

    /// Goes on with the log backup at `at`. False: the point to stop at lies behind its end. `NoBackup`: no log fits any more.
    pub fn restore_log(
        &self,
        db: DatabaseId,
        (from, at): (&dyn Media, u64),
        stop: Option<Stop>,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> Result<(Set, bool), Gap> {
        let _one_at_a_time = self.turn(step)?;
        let disk = self.directory_of(db)?;
        let before = Restored::read(&disk)?.ok_or(StorageError::UnknownDatabase)?;
        if before.phase != Phase::Forward {
            return Err(Gap::World(StorageError::NoBackup));
        }
        let set =
            super::set::verify(from, at, &mut |progress| step(Progress { total: progress.total * 2, ..progress }))?;
        let (begins, ends, wanted) = (set.head.scan_lsn, set.tail.end_lsn, before.end_lsn);
        if begins > wanted {
            return Err(Gap::TooRecent { begins, wanted });
        }
        if ends < wanted {
            return Err(Gap::TooEarly { ends, wanted });
        }
        match stop {
            Some(Stop::At(time)) if time < before.covered => return Err(Gap::PastStop),
            Some(Stop::Before(lsn) | Stop::After(lsn)) if lsn < wanted => return Err(Gap::PastStop),
            _ => {}
        }
        let memory = Memory::reserve(0, Visibility::ThisProcess)?;
        let log = LocalLog::open(&memory, disk.clone(), PRIVATE_SEGMENT_BYTES, PRIVATE_LOG_BYTES_MAX)?;
        log.continue_at(wanted);
        let mut lengthening = Lengthening::new(&log, wanted, stop);
        read_set(from, at, &mut |_, kind, body, progress| {
            if kind == BlockKind::Log && lengthening.part_end.is_none() {
                lengthening.take(body)?;
            }
            step(Progress { done: progress.total + progress.done, total: progress.total * 2 })
        })?;
        log.harden()?;
        os::sim_point!("restore.log");
        let stopped = lengthening.part_end.is_some();
        if !stopped && lengthening.end != ends {
            return Err(Gap::World(damaged("it has less than its tail says")));
        }
        // Nothing of it was later, and it goes on to a moment after.
        let is_reached = stopped || matches!(stop, Some(Stop::At(time)) if time <= set.tail.covered);
        let covered = match stop {
            Some(Stop::At(time)) if is_reached => time,
            _ if stopped => before.covered,
            _ => set.tail.covered.max(before.covered),
        };
        let (end_lsn, part_end) = (lengthening.end, lengthening.part_end.unwrap_or(0));
        let held = before.held || set.head.held;
        Restored { end_lsn, part_end, covered, held, ..before }.write(&disk)?;
        Ok((set, is_reached))
    }

    /// Recovers what was restored: the database comes to be as `target`, whose number it has been restored under, when the transaction
    /// commits.
    pub fn finish_restore(
        &self,
        tx: &mut Transaction,
        target: Target<'_>,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<()> {
        tx.check_running()?;
        let _one_at_a_time = self.turn(step)?;
        if self.engine().file_of(target.database).is_ok() {
            return Err(StorageError::AlreadyExists);
        }
        let disk = self.directory_of(target.database)?;
        let restored = Restored::read(&disk)?.ok_or(StorageError::UnknownDatabase)?;
        if restored.phase == Phase::Forward {
            cut_log(&disk, restored.end_lsn.max(restored.part_end), step)?;
            if restored.held {
                open_as_held(&disk, restored.file)?;
            }
            // What recovery writes from now on no log backup goes on from.
            Restored { phase: Phase::Recovering, ..restored.clone() }.write(&disk)?;
        }
        os::sim_point!("restore.recovering");
        self.take_over(tx, target, (disk, DatabaseId(restored.database)), step)
    }

    /// The database is there, or nobody wants it any more.
    pub fn forget_restore(&self, db: DatabaseId) -> StorageResult<()> {
        self.forget_standing(db)?;
        if matches!(self.engine().disk, Disk::Real(_)) && !self.engine().disk.exists(&directory_name(db)) {
            return Ok(());
        }
        let disk = self.directory_of(db)?;
        // Without this one the others are nothing.
        if disk.exists(STATE) {
            disk.remove(STATE)?;
            disk.sync_names()?;
        }
        for name in disk.list()? {
            disk.remove(&name)?;
        }
        Ok(())
    }
}

fn restored_by(set: &Set, about: Vec<u8>) -> Restored {
    debug_assert!(set.head.kind != SetKind::Log || set.is_whole(), "it has pages");
    Restored {
        phase: Phase::Forward,
        database: set.head.database,
        file: set.head.file,
        pages: set.head.pages,
        end_lsn: set.tail.end_lsn,
        part_end: 0,
        covered: set.tail.covered,
        about,
        held: false,
    }
}

/// All its files are on disk for sure.
fn harden(disk: &Disk) -> StorageResult<()> {
    for name in disk.list()? {
        disk.open(&name, Open::Existing)?.sync_data_as(WaitType::BACKUPIO)?;
    }
    Ok(disk.sync_names()?)
}

/// The data file will be recovered as one that was held: whose changes remain in it is read off its own records.
pub(super) fn open_as_held(disk: &Disk, number: u32) -> StorageResult<()> {
    let (file, control) = ControlFile::open(disk)?;
    let mut control = control.ok_or_else(|| damaged("there is no instance in it"))?;
    if control.held.is_empty() {
        let since = Since { scan_lsn: control.scan_lsn, redo_lsn: control.redo_lsn };
        control.held = vec![HeldEntry { number, hold: Hold::RecoveryPending, since, why: String::new() }];
        control.sequence += 1;
        file.write(&control)?;
    }
    Ok(())
}

/// The log ends at `end`: what lies behind is of a step that was killed, or later than wanted.
pub(super) fn cut_log(disk: &Disk, end: u64, step: &mut dyn FnMut(Progress) -> StorageResult<()>) -> StorageResult<()> {
    let memory = Memory::reserve(0, Visibility::ThisProcess)?;
    let log = LocalLog::open(&memory, disk.clone(), PRIVATE_SEGMENT_BYTES, PRIVATE_LOG_BYTES_MAX)?;
    let last = log.range().map_or(end, |(_, last)| last);
    let zeros = vec![0; PIECE_BYTES as usize];
    for at in (end..last).step_by(PIECE_BYTES as usize) {
        log.write(at, &zeros[..PIECE_BYTES.min(last - at) as usize])?;
        os::wait::maybe_yield();
        step(Progress { done: 0, total: 1 })?;
    }
    log.harden()
}

/// The log of a database that is being restored, and the point where it is to stop.
pub(crate) struct Lengthening<'a> {
    log: &'a LocalLog,
    end: u64,
    /// It stops in the block at `end`, of which the part up to this LSN is there.
    part_end: Option<u64>,
    stop: Option<Stop>,
}

impl<'a> Lengthening<'a> {
    /// Goes on at `end`, up to the point to stop at.
    pub(crate) fn new(log: &'a LocalLog, end: u64, stop: Option<Stop>) -> Lengthening<'a> {
        Lengthening { log, end, part_end: None, stop }
    }

    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Where the log ends, once the point to stop at has come.
    pub(crate) fn part_end(&self) -> Option<u64> {
        self.part_end
    }

    /// `body`: blocks, each its LSN, its length and its bytes. What lies before the end is there already.
    pub(crate) fn take(&mut self, body: &[u8]) -> StorageResult<()> {
        let bad = || damaged("a block of its log");
        let mut words = Words(body);
        while !words.0.is_empty() {
            let (lsn, length) = (words.u64().ok_or_else(bad)?, words.u32().ok_or_else(bad)? as usize);
            let block = words.bytes(length).filter(|block| block.len() as u64 > BLOCK_HEAD).ok_or_else(bad)?;
            let next = (lsn + length as u64).next_multiple_of(BLOCK_BYTES);
            if next <= self.end {
                continue;
            }
            if lsn != self.end {
                return Err(bad());
            }
            let cut = match self.stop {
                Some(stop) => cut_in(lsn, block, stop)?,
                None => None,
            };
            let Some(at) = cut else {
                self.put(lsn, block)?;
                self.end = next;
                continue;
            };
            let mut part_end = lsn;
            if at as u64 > BLOCK_HEAD {
                let mut part = block[..at].to_vec();
                shorten_block(&mut part);
                self.put(lsn, &part)?;
                part_end = (lsn + part.len() as u64).next_multiple_of(BLOCK_BYTES);
            }
            self.part_end = Some(part_end);
            break;
        }
        Ok(())
    }

    fn put(&mut self, lsn: u64, block: &[u8]) -> StorageResult<()> {
        let mut whole = block.to_vec();
        whole.resize(block.len().next_multiple_of(BLOCK_BYTES as usize), 0);
        self.log.prepare(lsn + whole.len() as u64)?;
        self.log.write(lsn, &whole)
    }
}

/// Where in a block the first record lies that is not wanted any more.
fn cut_in(lsn: u64, block: &[u8], stop: Stop) -> StorageResult<Option<usize>> {
    let mut at = BLOCK_HEAD as usize;
    while at < block.len() {
        let length = block.get(at..at + 4).map_or(0, |bytes| u32_at(bytes, 0) as usize);
        let bytes = block.get(at..at.saturating_add(length)).filter(|bytes| bytes.len() >= HEAD_BYTES);
        let record = bytes.and_then(|bytes| Record::decode(lsn + at as u64, bytes));
        let record = record.ok_or_else(|| damaged("a record of its log"))?;
        let is_over = match stop {
            Stop::At(time) => record.head.kind == Kind::Commit && record.head.time() > time,
            Stop::Before(lsn) => record.lsn >= lsn,
            Stop::After(lsn) => record.lsn > lsn,
        };
        if is_over {
            return Ok(Some(at));
        }
        at += length;
    }
    Ok(None)
}
