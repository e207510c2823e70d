//! The archive of a whole instance: its log, shipped every second, and snapshots of its files, in a directory or another store.
//!
//! ```text
//! owner/     who may write it, a term each start              owner.rs
//! log/       segments of hardened log, by their LSNs          segment.rs
//! snapshot/  the instance's files, in parts, and manifests    snapshot.rs
//! ```
//! Objects are written whole, under names that nothing has yet, and never changed. So a server that was killed leaves an object or none;
//! what it shipped was hardened, so its next start has all of it and goes on there. A restore takes the last snapshot that ended before
//! the moment that is wanted, and the log up to there: what a crash at that moment would have left. The next start recovers it.
//!
//! Modules in dependency order, lowest first.

pub mod store;
pub mod words;
pub mod segment;
pub mod owner;
pub mod snapshot;
pub mod catalogue;
pub mod claim;
pub mod ship;
pub mod merge;
pub mod retention;
pub mod restore;

pub use catalogue::{Catalogue, Life};
pub use claim::{claim, owned_by_another, take_over};
pub use merge::merge;
pub use owner::Owner;
pub use restore::{Until, restore};
pub use retention::drop_old;
pub use ship::Archiver;
pub use snapshot::{Snapshot, take as take_snapshot};
pub use store::{DirectoryStore, Store, StoreError, StoreResult};

use crate::error::StorageError;

/// Why the archive was not written, or not read.
#[derive(Debug, Clone, PartialEq)]
pub enum ArchiveError {
    /// The store: it is tried again.
    Store(StoreError),
    /// The instance's own files.
    Storage(StorageError),
    /// Another server has it.
    Owned(Owner),
    /// It cannot be used as it is; the text names what is wrong.
    Refused(String),
    /// An object of it is damaged; the text names it.
    Damaged(String),
    /// The snapshot that was being read is there no more: who begins again takes the next. The text says what was missing.
    Dropped(String),
}

impl std::fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ArchiveError::Store(error) => error.fmt(f),
            ArchiveError::Storage(error) => error.fmt(f),
            ArchiveError::Owned(owner) => write!(f, "it is written by another server, {}", owner.who),
            ArchiveError::Refused(why) | ArchiveError::Damaged(why) | ArchiveError::Dropped(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ArchiveError {}

impl From<StoreError> for ArchiveError {
    fn from(error: StoreError) -> ArchiveError {
        ArchiveError::Store(error)
    }
}

impl From<StorageError> for ArchiveError {
    fn from(error: StorageError) -> ArchiveError {
        ArchiveError::Storage(error)
    }
}

pub type ArchiveResult<T> = Result<T, ArchiveError>;
