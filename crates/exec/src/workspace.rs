//! What the operators of a running module hold in memory: sorts, hash tables, spools. Beyond what it may have they spill.
//!
//! ```text
//! Pool        the instance's: all that operators may hold together, and what one query may
//! Workspace   a running module's share; asks the pool in steps
//! Held        one operator's share; gives it back when it is cleared or dropped, so no end of a query can forget it
//! ```
//! Operators count by the batch, and what lies below the first step asks nobody.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use types::{SqlError, SqlResult, sql_error};

/// A query has this much without asking the pool: what some batches and their keys need.
pub const BYTES_MIN: usize = 256 << 10;

/// Asked of the pool at a time.
const STEP_BYTES: usize = 64 << 10;

/// Of what operators may hold in all, a query has at most one part in this many: SQL Server's default of 25 percent.
const QUERY_PART: usize = 4;

/// Of the server's memory, the part in this many that operators may hold.
const SERVER_PART: u64 = 2;

/// Of what a query may have, the part in this many that each operator has although the others hold all: or it would spill by the row.
const SHARE_PART: usize = 16;

/// Memory for operators, of all queries.
pub struct Pool {
    bytes_max: usize,
    query_max: usize,
    used: AtomicUsize,
}

impl Pool {
    pub fn new(bytes_max: usize) -> Arc<Pool> {
        Pool::with_query_max(bytes_max, (bytes_max / QUERY_PART).max(BYTES_MIN))
    }

    fn with_query_max(bytes_max: usize, query_max: usize) -> Arc<Pool> {
        Arc::new(Pool { bytes_max, query_max, used: AtomicUsize::new(0) })
    }

    /// That of a server which may use `memory_bytes` in all. `query_max`: None is a part of it.
    pub fn of_server(memory_bytes: u64, query_max: Option<usize>) -> Arc<Pool> {
        let bytes_max = usize::try_from(memory_bytes / SERVER_PART).unwrap_or(usize::MAX);
        match query_max {
            Some(query_max) => Pool::with_query_max(bytes_max, query_max.min(bytes_max)),
            None => Pool::new(bytes_max),
        }
    }

    fn take(&self, bytes: usize) -> bool {
        let fits = |used: usize| used.checked_add(bytes).filter(|used| *used <= self.bytes_max);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    fn give(&self, bytes: usize) {
        let before = self.used.fetch_sub(bytes, Ordering::Relaxed);
        assert!(before >= bytes, "{bytes} bytes are given back, of {before}");
    }

    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    pub fn bytes_max(&self) -> usize {
        self.bytes_max
    }
}

/// Of what did not fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spilled {
    /// Written to work files.
    pub bytes: u64,
    pub sort_runs: u64,
    pub hash_partitions: u64,
    /// How many times what was spilled spilled again.
    pub depth: u64,
}

#[derive(Default)]
struct Counters {
    bytes: AtomicU64,
    sort_runs: AtomicU64,
    hash_partitions: AtomicU64,
    depth: AtomicU64,
}

/// Of one running module, whose worker alone changes it. Shared with the operators, which outlive a run.
pub struct Workspace {
    pool: Arc<Pool>,
    used: AtomicUsize,
    /// Beyond `BYTES_MIN`: what the pool has given.
    granted: AtomicUsize,
    /// What the running statement may have.
    max: AtomicUsize,
    spilled: Counters,
}

impl Workspace {
    pub fn new(pool: Arc<Pool>) -> Arc<Workspace> {
        let workspace = Workspace {
            pool,
            used: AtomicUsize::new(0),
            granted: AtomicUsize::new(0),
            max: AtomicUsize::new(0),
            spilled: Counters::default(),
        };
        workspace.begin_statement(None);
        Arc::new(workspace)
    }

    /// A statement begins, perhaps with MAX_GRANT_PERCENT: of what a query may have. What it cannot do without is forced.
    pub fn begin_statement(&self, percent: Option<f64>) {
        let query_max = self.pool.query_max;
        let max = percent.map_or(query_max, |percent| (query_max as f64 * percent / 100.0) as usize);
        self.max.store(max, Ordering::Relaxed);
        let Counters { bytes, sort_runs, hash_partitions, depth } = &self.spilled;
        [bytes, sort_runs, hash_partitions, depth].into_iter().for_each(|counter| counter.store(0, Ordering::Relaxed));
    }

    /// More memory for an operator: true, and it is counted; false: there is no more.
    #[inline]
    pub fn reserve(&self, bytes: usize) -> bool {
        let used = self.used.load(Ordering::Relaxed).saturating_add(bytes);
        if used > self.max.load(Ordering::Relaxed) || !self.cover(used) {
            return false;
        }
        self.used.store(used, Ordering::Relaxed);
        true
    }

    /// What must be in memory whatever there is: one row, a table variable. 701 when the pool has no more.
    #[inline]
    pub fn force(&self, bytes: usize) -> SqlResult<()> {
        let used = self.used.load(Ordering::Relaxed).saturating_add(bytes);
        if !self.cover(used) {
            return Err(out_of_memory());
        }
        self.used.store(used, Ordering::Relaxed);
        Ok(())
    }

    /// The pool has given enough for `used` bytes in all.
    #[inline]
    fn cover(&self, used: usize) -> bool {
        let granted = self.granted.load(Ordering::Relaxed);
        used <= granted + BYTES_MIN || self.ask(used - BYTES_MIN - granted)
    }

    #[cold]
    fn ask(&self, bytes: usize) -> bool {
        let Some(step) = bytes.checked_next_multiple_of(STEP_BYTES) else { return false };
        if !self.pool.take(step) {
            return false;
        }
        self.granted.store(self.granted.load(Ordering::Relaxed) + step, Ordering::Relaxed);
        true
    }

    pub fn release(&self, bytes: usize) {
        let used = self.used.load(Ordering::Relaxed);
        assert!(used >= bytes, "{bytes} bytes are given back, of {used}");
        let used = used - bytes;
        self.used.store(used, Ordering::Relaxed);
        let granted = self.granted.load(Ordering::Relaxed);
        if granted > 0 {
            let needed = used.saturating_sub(BYTES_MIN).next_multiple_of(STEP_BYTES).min(granted);
            self.pool.give(granted - needed);
            self.granted.store(needed, Ordering::Relaxed);
        }
    }

    /// Bytes that the query may have, for choosing fan-outs.
    pub fn limit(&self) -> usize {
        self.max.load(Ordering::Relaxed)
    }

    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    pub fn count_bytes(&self, bytes: usize) {
        self.spilled.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub fn count_run(&self) {
        self.spilled.sort_runs.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_partitions(&self, partitions: usize, depth: u32) {
        self.spilled.hash_partitions.fetch_add(partitions as u64, Ordering::Relaxed);
        self.spilled.depth.fetch_max(depth.into(), Ordering::Relaxed);
    }

    /// Since the statement began.
    pub fn spilled(&self) -> Spilled {
        Spilled {
            bytes: self.spilled.bytes.load(Ordering::Relaxed),
            sort_runs: self.spilled.sort_runs.load(Ordering::Relaxed),
            hash_partitions: self.spilled.hash_partitions.load(Ordering::Relaxed),
            depth: self.spilled.depth.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        debug_assert_eq!(*self.used.get_mut(), 0, "whoever holds memory holds its workspace");
        self.pool.give(*self.granted.get_mut());
    }
}

/// What one operator holds.
#[derive(Default)]
pub struct Held {
    workspace: Option<Arc<Workspace>>,
    bytes: usize,
}

impl Held {
    /// Holds `bytes` in all from now on. False: that is more than there is, and it holds what it held.
    #[inline]
    pub fn hold(&mut self, workspace: &Arc<Workspace>, bytes: usize) -> bool {
        match bytes.checked_sub(self.bytes) {
            Some(0) => true,
            Some(more) => {
                let workspace = self.of(workspace);
                let least = bytes <= workspace.limit() / SHARE_PART;
                let reserved = !os::sim_choice!("workspace.spill", 64)
                    && (workspace.reserve(more) || least && workspace.force(more).is_ok());
                self.bytes += if reserved { more } else { 0 };
                reserved
            }
            None => {
                self.shrink(bytes);
                true
            }
        }
    }

    /// As `hold`, of what must be in memory. 701.
    pub fn force(&mut self, workspace: &Arc<Workspace>, bytes: usize) -> SqlResult<()> {
        match bytes.checked_sub(self.bytes) {
            Some(more) => {
                self.of(workspace).force(more)?;
                self.bytes = bytes;
            }
            None => self.shrink(bytes),
        }
        Ok(())
    }

    /// Whose memory it is: a cursor goes on in another module than it was opened in.
    fn of(&mut self, workspace: &Arc<Workspace>) -> &Workspace {
        self.workspace.get_or_insert_with(|| workspace.clone())
    }

    fn shrink(&mut self, bytes: usize) {
        if let Some(workspace) = &self.workspace {
            workspace.release(self.bytes - bytes);
        }
        self.bytes = bytes;
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Gives all back.
    pub fn clear(&mut self) {
        if let Some(workspace) = self.workspace.take() {
            workspace.release(std::mem::take(&mut self.bytes));
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.clear();
    }
}

pub fn out_of_memory() -> SqlError {
    sql_error!(701, "default")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_has_a_quarter_of_the_pool_and_gives_it_back() {
        let pool = Pool::new(16 << 20);
        let workspace = Workspace::new(pool.clone());
        let (mut one, mut two, mut small) = (Held::default(), Held::default(), Held::default());
        assert!(one.hold(&workspace, 3 << 20));
        assert!(!two.hold(&workspace, 2 << 20));
        assert!(two.hold(&workspace, 1 << 20));
        assert_eq!(pool.used(), (4 << 20) - BYTES_MIN);
        assert!(small.hold(&workspace, 256 << 10), "each operator has something");
        assert!(!small.hold(&workspace, 512 << 10));
        small.clear();
        one.force(&workspace, 8 << 20).unwrap();
        assert_eq!(one.force(&workspace, 20 << 20).unwrap_err().number, 701);
        assert_eq!(one.bytes(), 8 << 20);
        one.clear();
        assert!(two.hold(&workspace, 4 << 20));
        drop(two);
        assert_eq!((pool.used(), workspace.used()), (0, 0));
    }

    #[test]
    fn a_small_query_asks_nobody() {
        let pool = Pool::new(1 << 20);
        let workspace = Workspace::new(pool.clone());
        let mut held = Held::default();
        assert!(held.hold(&workspace, BYTES_MIN));
        assert_eq!(pool.used(), 0);
        assert!(!held.hold(&workspace, BYTES_MIN + 1));
        workspace.begin_statement(Some(0.0));
        assert!(!Held::default().hold(&workspace, 1));
    }
}
