//! Bringing a whole instance back into an empty directory: the files of a snapshot, and the log from there up to a moment or an LSN.
//! Nothing is recovered here: the next start does, as after a crash.

use os::disk::{Disk, File, Open};
use os::region::Visibility;

use super::catalogue::{Catalogue, Life};
use super::snapshot::{Snapshot, part_path, read_part};
use super::store::{Store, StoreError};
use super::{ArchiveError, ArchiveResult};
use crate::backup::forward::{Lengthening, Stop};
use crate::backup::set::Progress;
use crate::error::{StorageError, StorageResult};
use crate::instance::storage::PRIVATE_LOG_BYTES_MAX;
use crate::log::store::{LocalLog, LogStore};
use crate::recovery::control::{CONTROL_FILE, Control, ControlFile};
use crate::region::memory::Memory;

/// Up to where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// All there is.
    End,
    /// What was committed by then (ticks, UTC).
    Time(u64),
    /// What lies before this LSN.
    Lsn(u64),
}

/// What was brought back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    /// When the snapshot ended (ticks, UTC).
    pub snapshot: u64,
    /// Where the log ends.
    pub end_lsn: u64,
    /// What was committed by then is there, as far as the archive knows (ticks, UTC).
    pub covered: u64,
    pub bytes: u64,
}

/// As the user gives and reads moments: times to text.
pub type Told<'a> = &'a dyn Fn(u64) -> String;

/// Fills the empty directory `to`. `step` hears how far it is, and an error from it ends the work; `told` writes a moment in messages.
/// Err(Refused): what the archive lacks or has damaged, by name; Err(Dropped): it was read while its time was over.
pub fn restore(
    store: &dyn Store,
    to: &Disk,
    until: Until,
    told: Told<'_>,
    step: &mut dyn FnMut(Progress) -> StorageResult<()>,
) -> ArchiveResult<Brought> {
    let life = match until {
        Until::Time(time) => Life::At(time),
        Until::End | Until::Lsn(_) => Life::Last,
    };
    let catalogue = Catalogue::of_life(store, life)?;
    let snapshot = choose(store, &catalogue, until, told)?;
    let end = match until {
        Until::Lsn(lsn) => lsn,
        _ => catalogue.reaches(snapshot.from()).unwrap_or(snapshot.end_lsn),
    };
    let log = snapshot.end_lsn.max(end) - snapshot.from();
    let total = snapshot.files.iter().map(|(_, bytes)| bytes).sum::<u64>() + log;
    let mut restoring =
        Restoring { store, to, catalogue: &catalogue, snapshot, progress: Progress { done: 0, total }, step };
    // There, and of no instance until it is whole.
    drop(to.open(CONTROL_FILE, Open::New).map_err(StorageError::from)?);
    let brought = restoring.files().and_then(|()| restoring.log(until, told));
    let (end_lsn, covered) = brought.map_err(|error| match Snapshot::read(store, snapshot.began) {
        Err(ArchiveError::Store(StoreError::NotFound)) => ArchiveError::Dropped(error.to_string()),
        _ => error,
    })?;
    restoring.control(end_lsn)?;
    Ok(Brought { snapshot: snapshot.ended, end_lsn, covered, bytes: total })
}

/// The last snapshot that ended before what is wanted.
fn choose<'a>(
    store: &dyn Store,
    catalogue: &'a Catalogue,
    until: Until,
    told: Told<'_>,
) -> ArchiveResult<&'a Snapshot> {
    let refused = |why: String| Err(ArchiveError::Refused(why));
    if let Until::Time(time) = until
        && let Some(covered) = catalogue.covered(store)?
        && time > covered
    {
        return refused(format!("the archive ends at {}: it does not reach {}", told(covered), told(time)));
    }
    if let (Until::Lsn(lsn), Some(end)) = (until, catalogue.end())
        && lsn > end
    {
        return refused(format!("the archive ends at LSN {end}: it does not reach LSN {lsn}"));
    }
    let fits = |snapshot: &&Snapshot| match until {
        Until::End => true,
        Until::Time(time) => snapshot.ended <= time,
        Until::Lsn(lsn) => snapshot.end_lsn <= lsn,
    };
    if let Some(snapshot) = catalogue.usable().rev().find(fits) {
        return Ok(snapshot);
    }
    if let Some(unusable) = catalogue.snapshots.iter().rev().find(fits) {
        let wanted = unusable.from();
        let reached = catalogue.reaches(wanted).unwrap_or(wanted);
        return refused(format!(
            "the snapshot of {} needs the log from LSN {wanted} to LSN {}, and the archive has a gap at LSN {reached}",
            told(unusable.ended),
            unusable.end_lsn
        ));
    }
    if let Some(why) = catalogue.damaged.last() {
        return refused(why.clone());
    }
    match catalogue.usable().next() {
        Some(first) => refused(format!(
            "the first snapshot is of {}, LSN {}: nothing before it can be restored",
            told(first.ended),
            first.end_lsn
        )),
        None => refused(format!("{} has no snapshot", store.place())),
    }
}

struct Restoring<'a> {
    store: &'a dyn Store,
    to: &'a Disk,
    catalogue: &'a Catalogue,
    snapshot: &'a Snapshot,
    progress: Progress,
    step: &'a mut dyn FnMut(Progress) -> StorageResult<()>,
}

impl Restoring<'_> {
    fn advance(&mut self, bytes: u64) -> StorageResult<()> {
        self.progress.done = (self.progress.done + bytes).min(self.progress.total);
        (self.step)(self.progress)
    }

    fn files(&mut self) -> ArchiveResult<()> {
        let mut files: Vec<(&str, File)> = Vec::new();
        for (name, bytes) in &self.snapshot.files {
            let is_plain = !name.is_empty() && !name.contains('/') && name != CONTROL_FILE && !name.starts_with('.');
            if !is_plain {
                return Err(ArchiveError::Refused(format!("the snapshot names a file '{name}'")));
            }
            let file = self.to.open(name, Open::New).map_err(StorageError::from)?;
            file.set_len(*bytes).map_err(StorageError::from)?;
            files.push((name, file));
        }
        let mut written = 0;
        for part in 0..self.snapshot.parts.len() {
            let name = part_path(self.snapshot.began, part);
            let bytes = self.store.get(&name).map_err(|error| {
                ArchiveError::Refused(format!("{}/{name}, a part of the snapshot: {error}", self.store.place()))
            })?;
            let mut piece_bytes = 0;
            read_part(self.snapshot, part, &bytes, &mut |name, at, piece| {
                let file = files.iter().find(|(of, _)| *of == name);
                let unnamed =
                    || ArchiveError::Refused(format!("the snapshot has a piece of '{name}', which it does not name"));
                file.ok_or_else(unnamed)?.1.write_at(piece, at).map_err(StorageError::from)?;
                piece_bytes += piece.len() as u64;
                Ok(())
            })?;
            written += piece_bytes;
            self.advance(piece_bytes)?;
        }
        for (_, file) in &files {
            file.sync_data().map_err(StorageError::from)?;
        }
        // What was zeros was not written.
        let all: u64 = self.snapshot.files.iter().map(|(_, bytes)| bytes).sum();
        Ok(self.advance(all.saturating_sub(written))?)
    }

    /// Where the log ends then, and what it covers.
    fn log(&mut self, until: Until, told: Told<'_>) -> ArchiveResult<(u64, u64)> {
        let memory = Memory::reserve(0, Visibility::ThisProcess)?;
        let from = self.snapshot.from();
        let log = LocalLog::open(&memory, self.to.clone(), self.snapshot.segment_bytes, PRIVATE_LOG_BYTES_MAX)?;
        log.continue_at(from);
        log.prepare(from + crate::log::BLOCK_BYTES)?;
        let stop = match until {
            Until::End => None,
            Until::Time(time) => Some(Stop::At(time)),
            Until::Lsn(lsn) => Some(Stop::Before(lsn)),
        };
        let mut catalogue = self.catalogue.clone();
        let mut lengthening = Lengthening::new(&log, from, stop);
        let mut covered = self.snapshot.ended;
        while lengthening.part_end().is_none() {
            let at = lengthening.end();
            let Some((segment, counted_end)) = catalogue.segment_with(self.store, at)? else {
                self.refuse_gap(at, covered, until, told)?;
                break;
            };
            let name = segment.name;
            lengthening.take(&segment.body).map_err(|_| {
                ArchiveError::Refused(format!("{}/{} is damaged: a block of it", self.store.place(), name.path()))
            })?;
            if lengthening.part_end().is_none() && lengthening.end() != counted_end {
                return Err(ArchiveError::Refused(format!(
                    "{}/{} has less than its name says",
                    self.store.place(),
                    name.path()
                )));
            }
            covered = covered.max(segment.covered);
            self.advance(counted_end - at)?;
        }
        log.harden()?;
        let end = lengthening.part_end().unwrap_or(lengthening.end());
        let covered = match until {
            Until::Time(time) => time,
            _ if lengthening.part_end().is_some() => covered.min(self.snapshot.ended),
            _ => covered,
        };
        if end < self.snapshot.end_lsn {
            return Err(ArchiveError::Refused(format!(
                "the snapshot needs the log up to LSN {}, and it would end at LSN {end}",
                self.snapshot.end_lsn
            )));
        }
        Ok((end, covered))
    }

    /// The archive has nothing at `at`: it ends there, or has a gap before what is wanted.
    fn refuse_gap(&self, at: u64, covered: u64, until: Until, told: Told<'_>) -> ArchiveResult<()> {
        let next = self.catalogue.ranges().into_iter().map(|range| range.from).find(|from| *from > at);
        let wanted = match (until, next) {
            // Whether what lies behind is wanted, only what lies there could tell.
            (Until::Time(time), Some(next)) if time > covered => {
                format!("{}, which may lie behind LSN {next}", told(time))
            }
            (Until::End, Some(next)) => format!("its end, behind LSN {next}"),
            (Until::Lsn(lsn), _) if lsn > at => format!("LSN {lsn}"),
            _ => return Ok(()),
        };
        Err(ArchiveError::Refused(format!(
            "the archive has a gap: its log from LSN {at} on is missing, and cannot be restored up to {wanted}"
        )))
    }

    /// Last of all: from now on it is an instance.
    fn control(&self, end: u64) -> ArchiveResult<()> {
        let mut control: Control = self.snapshot.control.clone();
        for (_, chain) in &mut control.chains {
            // What log backups have not got lies before what there is: a chain begins with a full backup.
            if chain.log_from().is_some_and(|from| from < control.scan_lsn) {
                chain.log_from = 0;
            }
        }
        self.to.sync_names().map_err(StorageError::from)?;
        let file = ControlFile::new(self.to)?;
        file.note_hardened(end)?;
        file.write(&control)?;
        Ok(self.to.sync_names().map_err(StorageError::from)?)
    }
}
