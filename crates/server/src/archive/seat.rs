//! Which start of a server has the archive.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use os::sync::Mutex;
use os::wait::WaitType;
use storage::archive::{self, ArchiveError, Owner, Store};
use storage::{ArchiveState, Storage};

use super::{moment, place};
use crate::settings::options::{ArchiveSettings, DataLocation, Settings};

/// What the server value knows of its archive.
pub struct Seat {
    pub store: Arc<dyn Store>,
    pub settings: ArchiveSettings,
    /// As others are told.
    who: String,
    /// Of this start; None: the store has not answered yet.
    pub owner: Mutex<Option<Owner>>,
    /// Held by who ships.
    pub turn: Mutex<()>,
    /// When the next snapshot may be tried after one that failed, in `os::clock` milliseconds.
    pub next_try_ms: AtomicU64,
    /// A snapshot is being taken.
    pub is_taking: AtomicBool,
}

/// At a start: takes the archive that the settings name. Err: it is another server's, or of other data. A store that does not answer is
/// asked again later.
pub fn take_seat(settings: &Settings, storage: &Storage, directory: &str) -> Result<Option<Seat>, String> {
    let Some(wanted) = &settings.archive else {
        // One that was written before is not waited for.
        storage.archived().let_go();
        return Ok(None);
    };
    if settings.data == DataLocation::Memory {
        return Err("--archive: a server with --data :memory: keeps nothing, and has nothing to archive".into());
    }
    let store = place::to_write(&wanted.place).map_err(|error| format!("--archive: {error}"))?;
    if let Some(directory) = place::directory(&wanted.place)
        && let Ok(disk) = os::disk::Disk::directory(directory)
        && storage.disk().holds(&disk)
    {
        return Err(format!("--archive {}: an archive within the data directory would go with it", wanted.place));
    }
    let who = who(directory);
    let seat = Seat {
        store,
        settings: wanted.clone(),
        who,
        owner: Mutex::new(WaitType::BACKUPIO, None),
        turn: Mutex::new(WaitType::BACKUPIO, ()),
        next_try_ms: AtomicU64::new(0),
        is_taking: AtomicBool::new(false),
    };
    match seat.claim(storage) {
        Ok(()) => {}
        Err(ArchiveError::Store(error)) => {
            storage.archived().set_state(ArchiveState::Fails);
            tracing::error!("the archive {} cannot be reached, and is tried again: {error}", wanted.place);
        }
        // Whose it is cannot be told before that is mended; the data are sound, and served.
        Err(error @ ArchiveError::Damaged(_)) => {
            storage.archived().set_state(ArchiveState::Fails);
            storage.archived().say(&error.to_string());
            tracing::error!("the archive {} takes no log, and is tried again until it does: {error}", wanted.place);
        }
        Err(error) => return Err(format!("--archive {}: {}", wanted.place, refusal(&error))),
    }
    Ok(Some(seat))
}

/// As others are told of the server with this data directory.
pub fn who(directory: &str) -> String {
    format!("{}, data directory {directory}", os::env::host_name())
}

/// Why an archive is not this server's.
pub fn refusal(error: &ArchiveError) -> String {
    match error {
        ArchiveError::Owned(owner) => format!(
            "it is written by another server: {}, since {}. Each server needs an archive of its own; a restored data directory too",
            owner.who,
            moment::text(owner.since)
        ),
        error => error.to_string(),
    }
}

impl Seat {
    /// Takes the archive for this start.
    pub fn claim(&self, storage: &Storage) -> Result<(), ArchiveError> {
        let owner = archive::claim(storage, &*self.store, &self.who)?;
        tracing::info!("the log is archived in {}, term {}", self.settings.place, owner.term);
        storage.archived().set_state(ArchiveState::Ships);
        *self.owner.lock() = Some(owner);
        // Snapshots that cannot be used hold nothing up: what they were for is told.
        let damaged = archive::Catalogue::read(&*self.store).map(|catalogue| catalogue.damaged).unwrap_or_default();
        for why in damaged {
            tracing::error!("a snapshot of the archive cannot be restored: {why}");
        }
        Ok(())
    }
}
