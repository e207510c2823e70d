//! The application locks that a session holds: names of the user's own. The procedures that take and release them are
//! `crate::system::procedure::application_lock`.

use std::hash::{Hash, Hasher};

use storage::{LockMode, Transaction};

/// Names a session may hold locked at once.
pub const HELD_MAX: usize = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    Transaction,
    Session,
}

/// A lock the session holds; locked `count` times.
#[derive(Debug)]
pub struct Held {
    pub owner: Owner,
    pub database: u16,
    pub principal: String,
    pub resource: String,
    pub mode: LockMode,
    pub count: u32,
}

#[derive(Default)]
pub struct ApplicationLocks {
    pub held: Vec<Held>,
    /// Holds those that belong to the session.
    pub session: Option<Transaction>,
}

impl ApplicationLocks {
    /// The storage transaction that held them is gone.
    pub fn transaction_ended(&mut self) {
        self.held.retain(|held| held.owner == Owner::Session);
    }

    /// The session ends, or begins anew.
    pub fn clear(&mut self) {
        self.held.clear();
        if let Some(transaction) = self.session.take()
            && let Err(error) = transaction.rollback()
        {
            tracing::error!("application locks could not be released: {error}");
        }
    }

    pub fn find(&self, owner: Owner, database: u16, principal: &str, resource: &str) -> Option<usize> {
        self.held.iter().position(|held| {
            held.owner == owner && held.database == database && held.principal == principal && held.resource == resource
        })
    }

    /// APPLOCK_MODE: what the owner holds.
    pub fn mode(&self, owner: Owner, database: u16, principal: &str, resource: &str) -> Option<LockMode> {
        self.find(owner, database, principal, resource).map(|at| self.held[at].mode)
    }
}

/// What storage locks for a name.
pub fn resource_number(principal: &str, resource: &str) -> u64 {
    // The same in every session of this process; locks are not kept beyond it.
    let mut hasher = std::hash::DefaultHasher::new();
    (principal, resource).hash(&mut hasher);
    hasher.finish()
}

pub fn lock_mode(name: &str) -> Option<LockMode> {
    Some(match name.trim_end_matches(' ').to_ascii_lowercase().as_str() {
        "shared" => LockMode::Shared,
        "update" => LockMode::Update,
        "exclusive" => LockMode::Exclusive,
        "intentshared" => LockMode::IntentShared,
        "intentexclusive" => LockMode::IntentExclusive,
        _ => return None,
    })
}

pub fn lock_owner(name: &str) -> Option<Owner> {
    match name.trim_end_matches(' ').to_ascii_lowercase().as_str() {
        "transaction" => Some(Owner::Transaction),
        "session" => Some(Owner::Session),
        _ => None,
    }
}
