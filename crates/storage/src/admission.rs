//! Room in the log. A change is admitted if there is room for it, for undoing all that is not committed, and for a part that is kept for
//! statements that free space: so a rollback always fits, and a full log leaves a way out.
//!
//! Room is what the log's files have; as long as the disk has much to spare, that counts as well, so that no file is made for a rollback
//! that never comes. Who finds none asks for a checkpoint, if that gives back any of the log, and waits for its end.

use std::sync::atomic::Ordering;

use os::clock;
use os::wait::{self, WaitType, WakeReason};

use crate::engine::{Engine, Writer};
use crate::error::{LogHolder, StorageError, StorageResult};
use crate::layout::DatabaseId;
use crate::log::RECORD_BYTES_MAX;

/// Free space of the disk that goes on counting as the log's: more than data files take of it in one step.
const DISK_SPARE_BYTES: u64 = 4 << 30;

/// A refused growth is not tried again so soon.
const REFUSED_FOR_MS: u64 = 100;

/// How often who waits for a checkpoint looks, and how long at most.
const LOOK_EVERY_MS: u64 = 5;
const WAIT_MS_MAX: u64 = 60_000;

/// Of what is left, this part is given away until the next look: a byte of a change takes itself and what undoes it.
const GIVEN_PART: u64 = 3;

/// Less is none: records that are being written were admitted before.
const LEAST_BYTES: u64 = GIVEN_PART * RECORD_BYTES_MAX as u64;

impl Engine {
    /// Before the latches of a change are taken: room in the ring, and in the log for it and for undoing it.
    #[inline]
    pub fn admit(&self, writer: &Writer) -> StorageResult<()> {
        self.log.admit()?;
        match self.log.tail() < self.room.until.load(Ordering::Relaxed) {
            true => Ok(()),
            false => self.find_room(writer.frees_space),
        }
    }

    /// Of what cleans up and frees pages, for nobody in particular. Asks for a checkpoint if there is none.
    pub fn has_room_to_clean(&self) -> StorageResult<bool> {
        let has_room = self.log.tail() < self.room.until.load(Ordering::Relaxed) || self.has_room(true)?;
        if !has_room {
            self.ask_for_checkpoint();
        }
        Ok(has_room)
    }

    #[cold]
    fn find_room(&self, frees_space: bool) -> StorageResult<()> {
        let deadline = clock::now_ms() + WAIT_MS_MAX;
        let mut asked = None;
        loop {
            // In this order: what a checkpoint gives back is seen before its answer is.
            let answered = asked.is_some_and(|ticket| self.room.answered.load(Ordering::SeqCst) >= ticket);
            if self.has_room(frees_space)? {
                return Ok(());
            }
            if let Some(stopped) = self.log.is_stopped() {
                return Err(stopped);
            }
            if answered || clock::now_ms() >= deadline {
                return Err(StorageError::LogFull(self.log_holder()));
            }
            if asked.is_none() {
                asked = self.ask_for_checkpoint();
                // One may have ended just now, and left nothing to ask for.
                if asked.is_none() {
                    let has_room = self.has_room(frees_space)?;
                    return if has_room { Ok(()) } else { Err(StorageError::LogFull(self.log_holder())) };
                }
            }
            if wait::sleep(WaitType::LOGMGR_RESERVE_APPEND, LOOK_EVERY_MS) == WakeReason::Interrupted {
                return Err(StorageError::Cancelled);
            }
        }
    }

    /// None: nobody would hear, or it would give nothing back.
    fn ask_for_checkpoint(&self) -> Option<u64> {
        if !self.room.is_served.load(Ordering::SeqCst) || self.log_holder() != LogHolder::Checkpoint {
            return None;
        }
        let ticket = self.room.asked.fetch_add(1, Ordering::SeqCst) + 1;
        self.checkpointer.set();
        Some(ticket)
    }

    fn has_room(&self, frees_space: bool) -> StorageResult<bool> {
        let tail = self.log.tail();
        let unfinished = self.locks.unfinished_log_bytes();
        let ring = self.log.ring_bytes();
        // The ring: what a flush writes is rounded up, and commits need no admission.
        let kept = if frees_space { ring } else { ring + ring / 2 };
        let need = tail + kept + unfinished + unfinished / 4;
        let wanted = need + LEAST_BYTES + ring / 2;
        let mut end = self.log.store().prepared();
        if end < wanted && clock::now_ms() >= self.room.refused_until_ms.load(Ordering::Relaxed) {
            end = self.grow(tail + 2 * ring, wanted)?;
        }
        let left = end.saturating_sub(need);
        if left >= LEAST_BYTES && !frees_space {
            self.room.until.fetch_max(tail + left / GIVEN_PART, Ordering::Relaxed);
        }
        Ok(left >= LEAST_BYTES)
    }

    /// Where the log's room ends, once it has files up to `least`, and up to `wanted` unless the disk has that to spare.
    fn grow(&self, least: u64, wanted: u64) -> StorageResult<u64> {
        let store = self.log.store();
        let grown = self.log.prepare(least.min(wanted)).and_then(|()| {
            if store.prepared() < wanted {
                let spare = self.disk.free_bytes()?.saturating_sub(DISK_SPARE_BYTES).min(store.bytes_left());
                if store.prepared() + spare >= wanted {
                    return Ok(wanted);
                }
                self.log.prepare(wanted)?;
            }
            Ok(store.prepared())
        });
        match grown {
            Err(StorageError::LogFull(_)) => {
                self.room.refused_until_ms.store(clock::now_ms() + REFUSED_FOR_MS, Ordering::Relaxed);
                Ok(store.prepared())
            }
            grown => grown,
        }
    }

    /// Why the log's oldest segment is still wanted.
    pub fn log_holder(&self) -> LogHolder {
        self.log_holder_as(self.files.log_kept_from())
    }

    /// The same as one database sees it: what only another one's log backup would give back is no matter of its own.
    pub fn log_holder_of(&self, db: DatabaseId) -> LogHolder {
        let kept = self.files.chain_of(db).log_from();
        match self.log_holder_as(kept) {
            LogHolder::Checkpoint if self.log_holder() == LogHolder::LogBackup => LogHolder::Nothing,
            holder => holder,
        }
    }

    fn log_holder_as(&self, kept: Option<u64>) -> LogHolder {
        let store = self.log.store();
        let segment = |lsn: u64| lsn / store.segment_bytes();
        let first = segment(store.first());
        let pinned = self.room.pinned.load(Ordering::SeqCst);
        match self.locks.oldest_lsn() {
            _ if first >= segment(self.log.hardened()) => LogHolder::Nothing,
            _ if pinned != 0 && segment(pinned - 1) <= first => LogHolder::Backup,
            _ if kept.is_some_and(|lsn| segment(lsn) <= first) => LogHolder::LogBackup,
            _ if self.archived.kept_from(self.log.hardened()).is_some_and(|lsn| segment(lsn) <= first) => {
                LogHolder::Archive
            }
            lsn if lsn != u64::MAX && segment(lsn) <= first => LogHolder::Transaction,
            _ if self.files.wanted_from().is_some_and(|lsn| segment(lsn) <= first) => LogHolder::HeldDatabase,
            _ => LogHolder::Checkpoint,
        }
    }
}
