//! The duty that keeps the archive: ships the log every second, takes snapshots when they are due, and drops what is old. What the
//! store refuses is tried again, later and later up to a minute; nobody else waits for it. It is told in the log when it begins and ends.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use os::sched::{Place, TaskKind};
use os::wait::WaitType;
use storage::archive::ship::SHIPPED_AT_ONCE;
use storage::archive::{self, ArchiveError, Archiver, Owner};
use storage::{ArchiveState, Storage, StorageError};

use crate::archive::seat::{Seat, refusal};
use crate::catalog::{Catalog, TEMPDB};
use crate::instance::server::Server;

/// How often it is looked whether there is something to ship, and whether a second is over.
const LOOK_MS: u64 = 100;
const SHIP_EVERY_MS: u64 = 1_000;
/// Between two tries of a store that fails: the first, and at most.
const RETRY_MS: u64 = 1_000;
const RETRY_MS_MAX: u64 = 60_000;
/// What a stop may take to ship the end of the log.
const STOP_MS: u64 = 5_000;
/// Files of the data directory that are no instance's and belong to it.
const BESIDE: &[&str] = &["startup.toml", "pools.toml", "audits.toml"];
/// Segments that are shipped between two looks for those that can be merged.
const MERGED_EVERY: u64 = archive::merge::RUN as u64;
/// Where no database is under FULL or BULK_LOGGED, the log waits for the archive no further than this.
const LAG_OF_SIMPLE: u64 = 256 << 20;
/// `DatabaseRow::recovery_model`.
const SIMPLE: u8 = 3;

/// Starts the duty, in the engine that has it.
pub fn start(server: &Arc<Server>) {
    if server.archive.is_none() {
        return;
    }
    let server = server.clone();
    os::sched::spawn(TaskKind::System, Place::Here, move || Keeper::new(&server).keep());
}

/// What is left to ship of a server that stops: its sessions have ended. A store that is slow, or silent, is not waited for long.
pub fn ship_the_rest(server: &Server) {
    let Some(seat) = &server.archive else { return };
    let storage = &server.catalog.storage;
    if storage.archived().state() != ArchiveState::Ships {
        return;
    }
    let place = &seat.settings.place;
    tracing::info!("the end of the log goes into the archive {place}, which may take {} seconds", STOP_MS / 1_000);
    let deadline = os::clock::after_ms(STOP_MS);
    seat.store.end_by(deadline);
    let later = |why: &str| {
        tracing::error!("the end of the log is not in the archive {place}, and is shipped after the next start: {why}");
    };
    let Some(_turn) = seat.turn.lock_until(deadline) else { return later("the last request is not answered yet") };
    let Some(owner) = seat.owner.lock().clone() else { return };
    if let Err(error) = Archiver::new(storage, seat.store.clone(), owner).end() {
        later(&error.to_string());
    }
}

struct Keeper<'a> {
    server: &'a Arc<Server>,
    seat: &'a Seat,
    archiver: Option<Archiver>,
    shipped_ms: u64,
    /// None: the last try succeeded.
    retry_ms: Option<u64>,
    /// Segments that were shipped by the last look; 0: there was none.
    merged_at: u64,
}

impl<'a> Keeper<'a> {
    fn new(server: &'a Arc<Server>) -> Keeper<'a> {
        let seat = server.archive.as_ref().expect("an archive is named");
        Keeper { server, seat, archiver: None, shipped_ms: 0, retry_ms: None, merged_at: 0 }
    }

    fn storage(&self) -> &'a Storage {
        &self.server.catalog.storage
    }

    fn is_over(&self) -> bool {
        os::sched::stopping() || self.server.stopping.load(Ordering::Acquire)
    }

    fn keep(mut self) {
        loop {
            os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, LOOK_MS);
            if self.is_over() || self.storage().archived().state() == ArchiveState::TakenOver {
                return;
            }
            let now = os::clock::now_ms();
            let pause = self.retry_ms.unwrap_or(SHIP_EVERY_MS);
            let is_much = self.retry_ms.is_none()
                && self.archiver.as_ref().is_some_and(|archiver| archiver.behind() >= SHIPPED_AT_ONCE);
            if now < self.shipped_ms + pause && !is_much {
                continue;
            }
            self.shipped_ms = now;
            let seat = self.seat;
            let turn = seat.turn.lock();
            // The end of the log is shipped by who stops the server.
            if self.is_over() {
                return;
            }
            let shipped = self.turn();
            drop(turn);
            self.tell(shipped);
            if self.retry_ms.is_none() {
                self.take_snapshot_if_due();
                self.merge_if_due();
            }
        }
    }

    fn turn(&mut self) -> Result<(), ArchiveError> {
        let archived = self.storage().archived();
        archived.lag_max.store(lag_max(&self.server.catalog, self.seat.settings.lag_bytes), Ordering::SeqCst);
        if self.archiver.is_none() {
            if self.seat.owner.lock().is_none() {
                self.seat.claim(self.storage())?;
            }
            let owner = self.seat.owner.lock().clone().expect("claimed");
            self.archiver = Some(Archiver::new(self.storage(), self.seat.store.clone(), owner));
        }
        let gaps = archived.gaps.load(Ordering::Relaxed);
        self.archiver.as_mut().expect("made just now").ship()?;
        if archived.gaps.load(Ordering::Relaxed) > gaps {
            tracing::error!(
                "the archive {} has a gap: the log was given back before it was shipped, since it lagged by more than {} MB. It goes on \
                 with a new snapshot",
                self.seat.settings.place,
                archived.lag_max.load(Ordering::SeqCst) >> 20
            );
        }
        Ok(())
    }

    /// When it begins to fail, when it goes on, and when it is over.
    fn tell(&mut self, shipped: Result<(), ArchiveError>) {
        let archived = self.storage().archived();
        let place = &self.seat.settings.place;
        let Err(error) = shipped else {
            if self.retry_ms.take().is_some() || archived.state() == ArchiveState::Fails {
                let behind = self.archiver.as_ref().map_or(0, Archiver::behind);
                tracing::info!("the archive {place} takes the log again, and has all but {} KB", behind >> 10);
                archived.failing_since.store(0, Ordering::SeqCst);
                archived.set_state(ArchiveState::Ships);
                archived.say("");
            }
            return;
        };
        archived.failures.fetch_add(1, Ordering::Relaxed);
        archived.say(&error.to_string());
        match &error {
            ArchiveError::Owned(_) | ArchiveError::Refused(_) => {
                archived.set_state(ArchiveState::TakenOver);
                archived.let_go();
                tracing::error!("the log is archived in {place} no longer: {}", refusal(&error));
            }
            // The log has stopped, and the server ends.
            ArchiveError::Storage(StorageError::Stopped(_)) => {}
            error => {
                if self.retry_ms.is_none() {
                    tracing::error!("the archive {place} takes no log, and is tried again until it does: {error}");
                    archived.failing_since.store(os::clock::utc_ticks(), Ordering::SeqCst);
                }
                archived.set_state(ArchiveState::Fails);
                self.retry_ms = Some(self.retry_ms.map_or(RETRY_MS, |ms| (ms * 2).min(RETRY_MS_MAX)));
            }
        }
    }

    fn take_snapshot_if_due(&self) {
        let (seat, archived) = (self.seat, self.storage().archived());
        let age = os::clock::utc_ticks().saturating_sub(archived.snapshot_at.load(Ordering::SeqCst));
        let is_due = archived.wants_snapshot() || age >= seat.settings.snapshot_ticks;
        let Some(owner) = seat.owner.lock().clone() else { return };
        if !is_due
            || os::clock::now_ms() < seat.next_try_ms.load(Ordering::SeqCst)
            || seat.is_taking.swap(true, Ordering::SeqCst)
        {
            return;
        }
        let server = self.server.clone();
        // The log goes on being shipped.
        os::sched::spawn(TaskKind::System, Place::LeastLoaded, move || {
            let seat = server.archive.as_ref().expect("an archive is named");
            take_snapshot(&server, seat, &owner);
            seat.is_taking.store(false, Ordering::SeqCst);
        });
    }

    /// Small segments become larger ones, while no snapshot is taken.
    fn merge_if_due(&mut self) {
        let seat = self.seat;
        let shipped = self.storage().archived().segments.load(Ordering::Relaxed) + 1;
        let Some(owner) = seat.owner.lock().clone() else { return };
        if self.merged_at != 0 && shipped < self.merged_at + MERGED_EVERY || seat.is_taking.swap(true, Ordering::SeqCst)
        {
            return;
        }
        self.merged_at = shipped;
        let server = self.server.clone();
        os::sched::spawn(TaskKind::System, Place::LeastLoaded, move || {
            let seat = server.archive.as_ref().expect("an archive is named");
            let merged = archive::merge(&*seat.store, &owner, &mut || go_on(&server));
            match merged {
                Ok(_) | Err(ArchiveError::Storage(StorageError::Cancelled)) => {}
                Err(error) => tracing::warn!("small objects of the archive {} stay: {error}", seat.settings.place),
            }
            seat.is_taking.store(false, Ordering::SeqCst);
        });
    }
}

/// Err: the server stops.
fn go_on(server: &Server) -> Result<(), StorageError> {
    match os::sched::stopping() || server.stopping.load(Ordering::Acquire) {
        true => Err(StorageError::Cancelled),
        false => Ok(()),
    }
}

fn take_snapshot(server: &Server, seat: &Seat, owner: &Owner) {
    let storage = &server.catalog.storage;
    let mut step = |_| go_on(server);
    let begun = os::clock::now_ms();
    match archive::take_snapshot(storage, &*seat.store, owner, BESIDE, &mut step) {
        Ok(snapshot) => {
            let megabytes = snapshot.files.iter().map(|(_, bytes)| bytes).sum::<u64>() >> 20;
            let ms = os::clock::now_ms() - begun;
            tracing::info!(megabytes, ms, "a snapshot of all databases is in the archive");
        }
        Err(ArchiveError::Storage(StorageError::Cancelled)) => return,
        Err(error) => {
            seat.next_try_ms.store(os::clock::now_ms() + RETRY_MS_MAX, Ordering::SeqCst);
            tracing::error!("no snapshot is in the archive {}, it is tried again: {error}", seat.settings.place);
            return;
        }
    }
    let since = os::clock::utc_ticks().saturating_sub(seat.settings.retention_ticks);
    match archive::drop_old(&*seat.store, owner, since) {
        Ok(0) => {}
        Ok(dropped) => tracing::info!(dropped, "old snapshots of the archive are dropped"),
        Err(error) => tracing::warn!("what is old in the archive {} stays: {error}", seat.settings.place),
    }
}

/// Log that waits for the archive at most.
fn lag_max(catalog: &Catalog, wanted: u64) -> u64 {
    let waits = catalog.databases().iter().any(|db| db.id != TEMPDB && db.row().recovery_model != SIMPLE);
    if waits { wanted } else { wanted.min(LAG_OF_SIMPLE) }
}
