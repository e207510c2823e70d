//! Taking a backup.

use std::sync::Arc;

use os::wait::WaitType;

use super::blank::blank_others;
use super::blocks::{BlockKind, BlockWriter};
use super::media::Media;
use super::set::{PAGES_A_BLOCK, Progress, Set, SetHead, SetKind, SetTail, Wanted};
use crate::engine::Engine;
use crate::error::{StorageError, StorageResult};
use crate::hold::Hold;
use crate::instance::storage::{PinnedCheckpoint, Storage};
use crate::layout::DatabaseId;
use crate::log::blocks;
use crate::memory_optimized::checkpoint::Manifest;
use crate::pages::data_files::DataFile;
use crate::pages::files::read_or_zero;
use crate::pages::page::{self, PAGE_BYTES, PageBytes, PageKind};

/// Rows and log are written in blocks of about this.
const BLOCK_BYTES: usize = 256 * 1024;
/// Looks at a page that is being written: a write takes microseconds.
const LOOKS: u32 = 3;
/// How often it is looked whether one of the other backups has ended.
const LOOK_AGAIN_MS: u64 = 50;
/// How often it is looked whether a medium takes more.
const LOOK_AT_MEDIA_MS: u64 = 10;

/// What is backed up.
struct Source {
    number: u32,
    name: String,
    /// None: nobody can open it, and there is its log alone.
    file: Option<Arc<DataFile>>,
}

struct Taking<'a> {
    engine: &'a Engine,
    source: &'a Source,
    out: BlockWriter<'a>,
    to: &'a dyn Media,
    /// Older pages are in the full backup that this one goes on from.
    base_lsn: u64,
    tail: SetTail,
    progress: Progress,
    step: &'a mut dyn FnMut(Progress) -> StorageResult<()>,
}

impl Storage {
    /// Writes a backup of `db` as it is at the end of the call into `to`, from `at` on. Nobody waits for it. `step` hears how far it is, and
    /// an error from it ends the backup. After an error the file ends at `at` again, if that can still be done. A log backup has the log
    /// that is kept for it, and gives that back, unless it is a copy: of one whose file is missing or damaged as well. `NoBackup`: there is
    /// no full backup before it, and it is not to be whole.
    pub fn backup(
        &self,
        db: DatabaseId,
        to: &dyn Media,
        at: u64,
        wanted: &Wanted<'_>,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<Set> {
        let taken = self.take(db, to, at, wanted, step);
        if taken.is_err() && !to.holds_one() {
            to.set_len(at).ok();
        }
        taken
    }

    /// What keeps the log, and where it begins.
    fn pin(
        &self,
        db: DatabaseId,
        wanted: &Wanted<'_>,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<(PinnedCheckpoint, u64)> {
        loop {
            let pinned = match wanted.kind {
                SetKind::Log if wanted.whole.is_none() => self.pin_log(db)?,
                _ => self.pin_checkpoint()?.map(|pin| {
                    let scan_lsn = pin.covered.scan_lsn;
                    (pin, scan_lsn)
                }),
            };
            if let Some(pinned) = pinned {
                return Ok(pinned);
            }
            os::wait::sleep(WaitType::BACKUPIO, LOOK_AGAIN_MS);
            step(Progress { done: 0, total: 1 })?;
        }
    }

    fn source(&self, db: DatabaseId, wanted: &Wanted<'_>) -> StorageResult<Source> {
        let engine = self.engine();
        let is_copy_of_log = wanted.kind == SetKind::Log && wanted.whole.is_none() && wanted.copy_only;
        match engine.files.held_of(db) {
            Some(held) if is_copy_of_log && matches!(held.hold, Hold::RecoveryPending | Hold::Suspect) => {
                Ok(Source { number: held.number, name: held.name, file: None })
            }
            _ => {
                let file = engine.file_of(db)?;
                if file.temporary {
                    return Err(StorageError::UnknownDatabase);
                }
                Ok(Source { number: file.number, name: file.name(), file: Some(file) })
            }
        }
    }

    fn take(
        &self,
        db: DatabaseId,
        to: &dyn Media,
        at: u64,
        wanted: &Wanted<'_>,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<Set> {
        let engine = self.engine();
        let source = self.source(db, wanted)?;
        // What may follow is of a backup that was never ended, or no longer wanted.
        to.set_len(at)?;
        let began = os::clock::utc_ticks();
        let (pin, scan_lsn) = self.pin(db, wanted, step)?;
        let chain = self.chain_of(db);
        let has_pages = wanted.kind != SetKind::Log || wanted.whole.is_some();
        if wanted.kind == SetKind::Differential && chain.base_lsn == 0 && wanted.whole.is_none() {
            return Err(StorageError::NoBackup);
        }
        os::sim_point!("backup.pinned");
        let pending = engine.pending().into_iter().filter(|at| at.file == source.number && at.page != 0);
        let head = SetHead {
            database: db.0,
            file: source.number,
            scan_lsn,
            redo_lsn: pin.covered.redo_lsn.max(scan_lsn),
            epoch: self.epoch(),
            pages: source.file.as_ref().map_or(0, |file| file.pages()),
            began,
            pending: pending.map(|at| at.page).collect(),
            name: source.name.clone(),
            about: wanted.about.to_vec(),
            kind: wanted.kind,
            base_lsn: if wanted.whole.is_some() { 0 } else { chain.base_lsn },
            base: wanted.whole.unwrap_or(chain.base),
            encrypted: to.key().is_some(),
            held: source.file.is_none(),
        };
        let mut taking = Taking {
            engine,
            source: &source,
            out: BlockWriter::new(to, at, wanted.compressed),
            to,
            base_lsn: if wanted.kind == SetKind::Differential { head.base_lsn } else { 0 },
            tail: SetTail::default(),
            progress: Progress { done: 0, total: u64::from(head.pages) * PAGE_BYTES as u64 },
            step,
        };
        taking.out.write(BlockKind::Head, &head.encode())?;
        if has_pages {
            taking.rows(db, pin.covered.manifest)?;
            taking.pages(source.file.as_ref().expect("a file that is open"), head.pages)?;
        }
        taking.log(head.scan_lsn)?;
        let Taking { mut out, mut tail, step, progress, .. } = taking;
        if source.file.is_some() && engine.file(source.number)?.is_none() {
            return Err(StorageError::UnknownDatabase);
        }
        tail.ended = os::clock::utc_ticks();
        // First what the tail vouches for.
        to.sync()?;
        os::sim_point!("backup.tail");
        let said = out.sum();
        out.write(BlockKind::Tail, &tail.encode(said))?;
        while !to.end()? {
            os::wait::sleep(WaitType::BACKUPIO, LOOK_AT_MEDIA_MS);
            step(progress)?;
        }
        let set = Set { from: at, to: out.at, head, tail };
        // The log that the next one needs stays until it is noted from where; what a log backup has goes with that.
        let pin = has_pages.then_some(pin);
        if let Some(file) = &source.file {
            self.note_backup(file, &set, wanted)?;
        }
        drop(pin);
        Ok(set)
    }

    fn note_backup(&self, file: &DataFile, set: &Set, wanted: &Wanted<'_>) -> StorageResult<()> {
        let (from, end) = (set.head.scan_lsn, set.tail.end_lsn);
        self.change_chain(file, |chain| match wanted.kind {
            SetKind::Log if wanted.copy_only || chain.log_from == 0 && wanted.whole.is_none() => {}
            // Another one may have ended meanwhile.
            SetKind::Log => chain.log_from = chain.log_from.max(end),
            SetKind::Full | SetKind::Differential => {
                if let (SetKind::Full, Some(number)) = (wanted.kind, wanted.number) {
                    (chain.base_lsn, chain.base) = (set.head.redo_lsn, number);
                }
                if wanted.keeps_log && chain.log_from == 0 {
                    debug_assert!(from <= end);
                    chain.log_from = end;
                }
            }
        })
    }
}

impl Taking<'_> {
    /// Something was written. Where more would have to wait, it is heard meanwhile whether anybody wants it.
    fn advance(&mut self, bytes: usize) -> StorageResult<()> {
        self.progress.done += bytes as u64;
        (self.step)(self.progress)?;
        while self.to.is_busy() {
            os::wait::sleep(WaitType::BACKUPIO, LOOK_AT_MEDIA_MS);
            (self.step)(self.progress)?;
        }
        Ok(())
    }

    /// The data file as it lies on disk. Pages that are newer than the checkpoint are as welcome: redo looks at their LSNs.
    fn pages(&mut self, file: &DataFile, pages: u32) -> StorageResult<()> {
        let mut piece = vec![0; PAGES_A_BLOCK as usize * PAGE_BYTES];
        let mut body = Vec::new();
        for first in (0..pages).step_by(PAGES_A_BLOCK as usize) {
            let count = PAGES_A_BLOCK.min(pages - first);
            let piece = &mut piece[..count as usize * PAGE_BYTES];
            read_or_zero(&file.file, WaitType::BACKUPIO, u64::from(first) * PAGE_BYTES as u64, piece)?;
            let mut mask = 0_u32;
            body.clear();
            body.extend_from_slice(&first.to_le_bytes());
            body.extend_from_slice(&mask.to_le_bytes());
            for (number, bytes) in piece.as_chunks_mut::<PAGE_BYTES>().0.iter_mut().enumerate() {
                whole_page(self.engine, file, first + number as u32, bytes)?;
                // An LSN of 0: all of them.
                if page::lsn(bytes) > self.base_lsn || (self.base_lsn == 0 && bytes.iter().any(|byte| *byte != 0)) {
                    mask |= 1 << number;
                    body.extend_from_slice(bytes);
                }
            }
            if mask != 0 {
                body[4..8].copy_from_slice(&mask.to_le_bytes());
                self.tail.pages += u64::from(mask.count_ones());
                self.out.write(BlockKind::Pages, &body)?;
            }
            os::sim_point!("backup.pages");
            self.advance(count as usize * PAGE_BYTES)?;
        }
        Ok(())
    }

    /// Rows of memory-optimized tables as the checkpoint has them. What has happened since is in the log.
    fn rows(&mut self, db: DatabaseId, manifest: u64) -> StorageResult<()> {
        let engine = self.engine;
        let objects = engine.xtp.objects.all().filter(|(_, object)| object.database() == db);
        let ours: Vec<u32> = objects.map(|(_, object)| object.number()).collect();
        let manifest = Manifest::read(&engine.disk, manifest)?;
        let mut body = Vec::new();
        for pair in manifest.pairs.iter().filter(|pair| ours.iter().any(|object| pair.objects.contains_key(object))) {
            let deleted = pair.read_deleted(&engine.disk)?;
            pair.read_rows(&engine.disk, &mut |object, number, image| {
                if !ours.contains(&object) || deleted.contains(&number) {
                    return Ok(());
                }
                body.extend_from_slice(&number.to_le_bytes());
                body.extend_from_slice(&object.to_le_bytes());
                body.extend_from_slice(&(image.len() as u32).to_le_bytes());
                body.extend_from_slice(image);
                self.tail.rows += 1;
                if body.len() >= BLOCK_BYTES {
                    self.progress.total += body.len() as u64;
                    self.out.write(BlockKind::Rows, &body)?;
                    self.advance(body.len())?;
                    body.clear();
                }
                Ok(())
            })?;
        }
        if !body.is_empty() {
            self.out.write(BlockKind::Rows, &body)?;
        }
        Ok(())
    }

    /// The log from `scan_lsn` to where it is hardened by now, and what holds then.
    fn log(&mut self, scan_lsn: u64) -> StorageResult<()> {
        let engine = self.engine;
        let log = &engine.log;
        self.tail.covered = os::clock::utc_ticks();
        log.harden_all()?;
        let end = log.hardened();
        // After the end: above all that it names.
        self.tail.end_lsn = end;
        self.tail.log_bytes = end - scan_lsn;
        self.tail.next_transaction = engine.commits.next_id();
        self.tail.next_row = engine.numbers.next_row.load(std::sync::atomic::Ordering::SeqCst);
        self.tail.next_object = engine.xtp.next_object();
        self.progress.total += self.tail.log_bytes;
        let mut body = Vec::new();
        let number = self.source.number;
        blocks(log.store(), scan_lsn, end, &mut |lsn, block| {
            blank_others(lsn, block, number)?;
            body.extend_from_slice(&lsn.to_le_bytes());
            body.extend_from_slice(&(block.len() as u32).to_le_bytes());
            body.extend_from_slice(block);
            if body.len() >= BLOCK_BYTES {
                self.out.write(BlockKind::Log, &body)?;
                self.advance(body.len())?;
                body.clear();
            }
            Ok(())
        })?;
        if !body.is_empty() {
            self.out.write(BlockKind::Log, &body)?;
        }
        (self.step)(Progress { done: self.progress.total, ..self.progress })
    }
}

/// A page that was being written while it was read is read again, at last from the buffer.
pub(crate) fn whole_page(engine: &Engine, file: &DataFile, number: u32, bytes: &mut PageBytes) -> StorageResult<()> {
    for _ in 0..LOOKS {
        if page::is_intact(bytes, file.number, number) && page::kind(bytes) != Some(PageKind::Awaiting) {
            return Ok(());
        }
        let at = u64::from(number) * PAGE_BYTES as u64;
        read_or_zero(&file.file, WaitType::BACKUPIO, at, bytes)?;
    }
    bytes.copy_from_slice(&engine.buffer.shared(file, number)?[..]);
    page::seal(bytes);
    Ok(())
}
