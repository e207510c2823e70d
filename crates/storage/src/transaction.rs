//! A unit of work over any databases of the instance. Owned by one session; dropped without a commit it rolls back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{StorageError, StorageResult};
use crate::layout::{DatabaseId, TableId};

/// `ReadCommitted` reads the rows committed before the statement began and takes no locks (READ_COMMITTED_SNAPSHOT ON);
/// `ReadCommittedLocking` waits for writers (OFF).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Isolation {
    ReadUncommitted,
    #[default]
    ReadCommitted,
    ReadCommittedLocking,
    RepeatableRead,
    Snapshot,
    Serializable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// `commit` returns when the log is on disk.
    #[default]
    Full,
    /// `commit` returns at once; the log writer hardens it soon. A crash may lose it, in commit order.
    Delayed,
}

/// A point `rollback_to` can return to. Belongs to one transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Savepoint {
    pub(crate) undo_next: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMode {
    SchemaStability,
    SchemaModification,
    IntentShared,
    IntentExclusive,
    Shared,
    Update,
    SharedIntentExclusive,
    Exclusive,
}

/// Ends the waits of a transaction from another worker (attention).
#[derive(Debug, Clone, Default)]
pub struct Canceller(Arc<AtomicBool>);

impl Canceller {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }
}

pub struct Transaction {
    pub(crate) isolation: Isolation,
    canceller: Canceller,
}

impl Transaction {
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// Takes effect with the next statement. Changing to `Snapshot` is the caller's to allow only before the first access.
    pub fn set_isolation(&mut self, isolation: Isolation) {
        self.isolation = isolation;
    }

    /// The SPID, shown in lock and transaction lists.
    pub fn set_session(&mut self, _session: u32) {}

    /// Milliseconds; negative waits for ever, 0 not at all.
    pub fn set_lock_timeout_ms(&mut self, _timeout_ms: i64) {}

    /// -10 to 10; the lower one is the victim.
    pub fn set_deadlock_priority(&mut self, _priority: i8) {}

    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Forgets an earlier `cancel`: called when a new request begins.
    pub fn clear_cancel(&mut self) {
        self.canceller.0.store(false, Ordering::Release);
    }

    /// A new statement: a new snapshot under READ COMMITTED, and scans of this statement do not see rows it writes.
    pub fn begin_statement(&mut self) {}

    /// True after the first logged change; a read-only transaction commits without touching the log.
    pub fn has_changes(&self) -> bool {
        false
    }

    /// Some after the first change.
    pub fn id(&self) -> Option<u64> {
        None
    }

    pub fn savepoint(&self) -> Savepoint {
        Savepoint { undo_next: 0 }
    }

    /// Undoes everything done since the savepoint. Locks stay.
    pub fn rollback_to(&mut self, _savepoint: Savepoint) -> StorageResult<()> {
        Err(stopped())
    }

    pub fn commit(self, _durability: Durability) -> StorageResult<()> {
        Err(stopped())
    }

    pub fn rollback(self) -> StorageResult<()> {
        Err(stopped())
    }

    /// Held to the end of the transaction.
    pub fn lock_table(&mut self, _db: DatabaseId, _table: TableId, _mode: LockMode) -> StorageResult<()> {
        Err(stopped())
    }

    /// `sp_getapplock`: any resource name the caller hashes, in a space of its own. Held to the end of the transaction
    /// or `unlock_application`.
    pub fn lock_application(&mut self, _db: DatabaseId, _resource: u64, _mode: LockMode) -> StorageResult<()> {
        Err(stopped())
    }

    pub fn unlock_application(&mut self, _db: DatabaseId, _resource: u64) -> bool {
        false
    }
}

pub(crate) fn stopped() -> StorageError {
    StorageError::Stopped("not open".into())
}
