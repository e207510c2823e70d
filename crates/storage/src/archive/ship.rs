//! Shipping: what was hardened since the last time goes into segments.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::catalogue::{Catalogue, put_seen};
use super::owner::{self, Owner};
use super::segment::{Segment, SegmentName};
use super::snapshot::{Snapshot, off_the_scheduler};
use super::store::{Store, StoreError};
use super::{ArchiveError, ArchiveResult};
use crate::backup::blank::each_record;
use crate::error::{StorageError, StorageResult};
use crate::instance::storage::Storage;
use crate::log::record::{FLAG_TEMPORARY, HEAD_BYTES, Kind, Record};
use crate::log::structure::{self, Action};
use crate::log::{BLOCK_BYTES, blocks, seal_block};
use crate::pages::page::{PageKind, u32_at};
use crate::recovery::restart::PAGES_FROM_ELSEWHERE;

/// A segment ends with the block that brings it to this.
const SEGMENT_BYTES: usize = 4 << 20;
/// Log that is shipped before its second is over.
pub const SHIPPED_AT_ONCE: u64 = 1 << 20;
/// How often the owner looks whether it still is.
const LOOK_MS: u64 = 3_000;
/// How often an idle server says that it had nothing to ship.
const SEEN_EVERY_MS: u64 = 10_000;
/// What was committed so shortly before the end of the log was read is not promised to lie before it, in ticks: a commit takes its time
/// just before its record gets its place.
const SETTLED_TICKS: u64 = 100_000;

pub struct Archiver {
    storage: Storage,
    store: Arc<dyn Store>,
    owner: Owner,
    begun: bool,
    looked_ms: u64,
    seen_ms: u64,
}

impl Archiver {
    /// `owner`: what `claim` made of this start.
    pub fn new(storage: &Storage, store: Arc<dyn Store>, owner: Owner) -> Archiver {
        storage.archived().term.store(owner.term, Ordering::Relaxed);
        Archiver { storage: storage.clone(), store, owner, begun: false, looked_ms: 0, seen_ms: 0 }
    }

    pub fn owner(&self) -> &Owner {
        &self.owner
    }

    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Bytes of log that the archive has not got.
    pub fn behind(&self) -> u64 {
        let log = &self.storage.engine().log;
        log.hardened().saturating_sub(self.storage.archived().lsn.load(Ordering::SeqCst))
    }

    /// Err(Owned): another server has taken the archive.
    pub fn check_owner(&self) -> ArchiveResult<()> {
        match Owner::read(&*self.store, self.owner.term) {
            Ok(owner) if owner.nonce == self.owner.nonce => {}
            Ok(owner) => return Err(ArchiveError::Owned(owner)),
            Err(StoreError::NotFound) => {
                let (place, name) = (self.store.place(), owner::path(self.owner.term));
                return Err(StoreError::World(format!("{place} has no {name} any more: is it the same store?")).into());
            }
            Err(error) => return Err(error.into()),
        }
        match Owner::read(&*self.store, self.owner.term + 1) {
            Err(StoreError::NotFound) => Ok(()),
            Ok(owner) => Err(ArchiveError::Owned(owner)),
            Err(error) => Err(error.into()),
        }
    }

    /// Ships what is hardened by now. After an error some of it may have been.
    pub fn ship(&mut self) -> ArchiveResult<()> {
        let now = os::clock::now_ms();
        if self.looked_ms == 0 || now >= self.looked_ms + LOOK_MS {
            self.check_owner()?;
            self.looked_ms = now.max(1);
        }
        if !self.begun {
            self.begin()?;
        }
        let covered = os::clock::utc_ticks().saturating_sub(SETTLED_TICKS);
        let log = &self.storage.engine().log;
        log.harden_all()?;
        let (from, end) = (self.storage.archived().lsn.load(Ordering::SeqCst), log.hardened());
        if from < end {
            if let Err(error) = self.ship_range(from, end, covered) {
                return match error {
                    ArchiveError::Storage(_) if self.is_lost() => self.go_on_behind_gap(),
                    error => Err(error),
                };
            }
            self.seen_ms = now;
        } else if now >= self.seen_ms + SEEN_EVERY_MS {
            put_seen(&*self.store, &self.owner, covered, end)?;
            self.seen_ms = now;
        }
        self.storage.archived().covered.store(covered, Ordering::SeqCst);
        Ok(())
    }

    /// The last word of a server that stops.
    pub fn end(&mut self) -> ArchiveResult<()> {
        self.ship()?;
        let archived = self.storage.archived();
        let (covered, lsn) = (archived.covered.load(Ordering::SeqCst), archived.lsn.load(Ordering::SeqCst));
        put_seen(&*self.store, &self.owner, covered, lsn)
    }

    /// Log that was wanted has been given back: it was more than may be kept.
    fn is_lost(&self) -> bool {
        self.storage.engine().log.store().first() > self.storage.archived().lsn.load(Ordering::SeqCst)
    }

    /// Goes on where the archive ends, or begins it.
    fn begin(&mut self) -> ArchiveResult<()> {
        let catalogue = Catalogue::read(&*self.store)?;
        if let Some(snapshot) = catalogue.usable().next_back() {
            let log = (snapshot.from(), snapshot.end_lsn);
            self.storage.archived().note_snapshot(snapshot.ended, snapshot.control.redo_lsn, log);
        }
        // Of a start that took a snapshot and shipped nothing, the snapshot's log is still to come.
        let end = catalogue.end().or_else(|| catalogue.snapshots.last().map(Snapshot::from));
        let is_whole = self.storage.keep_for_archive(end)?;
        self.begun = true;
        match (end, is_whole) {
            (Some(_), false) => {
                self.note_gap();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn note_gap(&self) {
        let archived = self.storage.archived();
        archived.gaps.fetch_add(1, Ordering::Relaxed);
        // What is usable before the gap does not reach the log behind it.
        archived.unlogged.fetch_max(archived.lsn.load(Ordering::SeqCst), Ordering::SeqCst);
    }

    fn go_on_behind_gap(&mut self) -> ArchiveResult<()> {
        self.storage.keep_for_archive(None)?;
        self.note_gap();
        Ok(())
    }

    fn ship_range(&self, from: u64, end: u64, covered: u64) -> ArchiveResult<()> {
        // What lies in the middle of the log is covered by what came before it only.
        let before = self.storage.archived().covered.load(Ordering::SeqCst);
        let (mut first, mut body) = (from, Vec::new());
        let mut failed = None;
        let store = self.storage.engine().log.store();
        let read = blocks(store, from, end, &mut |lsn, block| {
            self.look_at(lsn, block)?;
            body.extend_from_slice(&lsn.to_le_bytes());
            body.extend_from_slice(&(block.len() as u32).to_le_bytes());
            body.extend_from_slice(block);
            let next = (lsn + block.len() as u64).next_multiple_of(BLOCK_BYTES);
            if body.len() >= SEGMENT_BYTES || next == end {
                let covered = if next == end { covered } else { before };
                if let Err(error) = self.put(first, next, covered, &body) {
                    failed = Some(error);
                    return Err(StorageError::Cancelled);
                }
                first = next;
                body.clear();
            }
            os::wait::maybe_yield();
            Ok(())
        });
        match (read, failed) {
            (_, Some(error)) => Err(error),
            (read, None) => Ok(read?),
        }
    }

    fn put(&self, first: u64, end: u64, covered: u64, body: &[u8]) -> ArchiveResult<()> {
        let name = SegmentName { first, end, term: self.owner.term };
        let instance = self.owner.instance;
        let bytes = off_the_scheduler(|| Segment::encode(&name, instance, covered, body))?;
        match self.store.put_new(&name.path(), &bytes) {
            // Of this term and these LSNs: the answer to an earlier try was lost.
            Ok(()) | Err(StoreError::Exists) => {}
            Err(error) => return Err(error.into()),
        }
        os::sim_point!("archive.shipped");
        let archived = self.storage.archived();
        archived.segments.fetch_add(1, Ordering::Relaxed);
        archived.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        archived.lsn.store(end, Ordering::SeqCst);
        Ok(())
    }

    /// What tempdb wrote is left out: nobody redoes it. Files whose pages did not come from the log are noted.
    fn look_at(&self, lsn: u64, block: &mut [u8]) -> StorageResult<()> {
        let mut changed = false;
        each_record(lsn, block, |lsn, record| match Kind::from_byte(record[4]) {
            Some(Kind::Insert | Kind::Update | Kind::Header | Kind::Remove | Kind::Structure)
                if record[5] & FLAG_TEMPORARY != 0 =>
            {
                record[HEAD_BYTES..].fill(0);
                changed = true;
            }
            Some(Kind::FileCreate) if u32_at(record, 28) == PAGES_FROM_ELSEWHERE => {
                self.storage.archived().unlogged.fetch_max(lsn, Ordering::SeqCst);
            }
            // Of before there was an archive.
            Some(Kind::Structure) if leaves_rows_out(lsn, record) => {
                self.storage.archived().unlogged.fetch_max(lsn, Ordering::SeqCst);
            }
            _ => {}
        })?;
        if changed {
            seal_block(block);
        }
        Ok(())
    }
}

/// Whether rows of a leaf are not in the log (`PageKind::Unlogged`).
fn leaves_rows_out(lsn: u64, record: &[u8]) -> bool {
    let record = Record::decode(lsn, record);
    let actions = record.and_then(|record| structure::decode(record.body)).unwrap_or_default();
    actions
        .iter()
        .any(|(_, action)| matches!(action, Action::Image { head, .. } if head[4] == PageKind::Unlogged as u8))
}

/// Whether an owner of a later term is there, by the names alone.
pub fn is_last(store: &dyn Store, owner: &Owner) -> ArchiveResult<bool> {
    Ok(owner::terms(store)?.last().is_none_or(|last| *last == owner.term))
}
