//! What the sessions of an engine share.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use os::sync::Mutex;

use crate::catalog::Catalog;
use crate::options::Settings;
use crate::password::{self, VerifiedLogins};
use crate::plan_cache::PlanCache;
use crate::pools::Pools;
use crate::sessions::Sessions;
use crate::spare::Spare;
use crate::startup::StartupFile;
use crate::tls::Tls;

/// A number that only grows, for the performance counters.
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    pub fn add(&self, by: u64) {
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counters of `sys.dm_os_performance_counters` that belong to no other part.
#[derive(Debug, Default)]
pub struct Counters {
    /// `SQL Statistics: Batch Requests/sec`: batches and procedure calls from clients.
    pub batch_requests: Count,
    /// `General Statistics: Connection Reset/sec`.
    pub connection_resets: Count,
    pub logins: Count,
    pub logouts: Count,
    pub compilations: Count,
}

pub struct Server {
    pub settings: Settings,
    pub catalog: Arc<Catalog>,
    pub tls: Tls,
    pub plans: PlanCache,
    pub sessions: Sessions,
    pub spare: Spare,
    pub startup: StartupFile,
    pub(crate) pools: Pools,
    pub counters: Counters,
    pub verified: Mutex<VerifiedLogins>,
    /// DBCC TRACEON: known to DBCC TRACESTATUS, without effect.
    pub trace_flags: Mutex<BTreeSet<i32>>,
    pub stopping: AtomicBool,
    /// Memory of the buffer pool and what else `--memory` bounds.
    pub memory_bytes: u64,
    /// `os::clock` milliseconds at start.
    pub started_ms: u64,
}

impl Server {
    /// Whether `password` is the one behind `stored`. Costs milliseconds the first time, off the scheduler.
    pub fn verify_password(&self, stored: &[u8], password: &str) -> bool {
        if self.verified.lock().knows(stored, password) {
            return true;
        }
        let fits =
            os::sched::preemptive(os::wait::WaitType::PREEMPTIVE_OS_CRYPTOPS, || password::verify(stored, password));
        if fits {
            self.verified.lock().remember(stored, password);
        }
        fits
    }
}
