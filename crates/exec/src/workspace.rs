//! What the operators of a running module hold in memory: sorts, hash tables, spools. Beyond what it may have they spill.
//!
//! ```text
//! Pool        the instance's: what it grants to queries (`storage::Grants`), and who waits for it
//! Workspace   a running module's share; what its statement was granted, and what it has asked for since, in steps
//! Held        one operator's share; gives it back when it is cleared or dropped, so no end of a query can forget it
//! ```
//! Operators count by the batch, and what lies below the first step asks nobody. A statement that is expected to hold much asks before
//! it begins, and waits; what it has beyond that it gets while there is some and nobody waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};

use os::sync::Mutex;
use os::wait::WaitType;
use sql::plan::show_xml::Actual;
use storage::{Grant, GrantRequest, Grants, Refused, Storage};
use types::{SqlError, SqlResult, sql_error};

use crate::profile::Profile;
pub use crate::profile::Spilled;

/// A query has this much without asking the pool: what some batches and their keys need.
pub const BYTES_MIN: usize = 256 << 10;

/// What must be in memory and is less is not counted (`Context::force`).
pub const SMALL_BYTES: usize = 64 << 10;

/// Asked of the pool at a time.
const STEP_BYTES: usize = 64 << 10;

/// Whenever a query has taken so much more it is measured what the process really holds: what it holds is seldom what it counts.
const LOOK_BYTES: usize = 4 << 20;

/// What values take while they are made is looked at from so many bytes on.
pub const LARGE_BYTES: i64 = 16 << 20;

/// Where all such values have no room together, those that have this part of the memory end.
const LARGE_PART: i64 = 8;

/// Of what a query may have, the part in this many that each operator has although the others hold all: or it would spill by the row.
const SHARE_PART: usize = 16;

/// Memory for operators, of all queries.
pub struct Pool {
    grants: Grants,
    /// What has pages that give way. None: nothing but grants is there.
    storage: Option<Storage>,
    /// Of one query; None: its part of what there is.
    query_max: Option<usize>,
}

impl Pool {
    /// That of an instance. `query_max`: what one query may have, None: its part of what there is.
    pub fn new(storage: &Storage, query_max: Option<usize>) -> Arc<Pool> {
        Arc::new(Pool { grants: storage.grants().clone(), storage: Some(storage.clone()), query_max })
    }

    fn query_max(&self, percent: u32) -> usize {
        let part = usize::try_from(self.grants.query_max(percent)).unwrap_or(usize::MAX);
        self.query_max.map_or(part.max(BYTES_MIN), |most| most.min(part))
    }

    /// A query has taken memory, much of it or some.
    fn give_way(&self, much: bool) {
        match &self.storage {
            Some(storage) if much => storage.measure_memory(),
            Some(storage) => storage.give_way(),
            None => {}
        }
    }
}

#[derive(Default)]
struct Counters {
    bytes: AtomicU64,
    read: AtomicU64,
    sort_runs: AtomicU64,
    hash_partitions: AtomicU64,
    depth: AtomicU64,
}

/// What the configuration says of queries that hold much or cost much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrantPolicy {
    /// 'min memory per query (KB)'.
    pub min_kb: u64,
    /// 'query wait (s)', or what the workload group says; None: by cost.
    pub wait_s: Option<u64>,
    /// REQUEST_MAX_MEMORY_GRANT_PERCENT of the workload group: what a query may have of what all may.
    pub query_percent: u32,
    /// The workload group's number.
    pub group: i32,
    /// 'query governor cost limit'; 0: none.
    pub cost_max: u32,
}

/// What a statement was granted, and what it made of that. Bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Granted {
    pub granted: u64,
    pub used: u64,
    pub ideal: u64,
}

/// Of one running module, whose worker alone changes it. Shared with the operators, which outlive a run.
pub struct Workspace {
    pool: Arc<Pool>,
    /// Whose module it is.
    session: u32,
    /// What a query of its workload group may have of what all may.
    query_percent: u32,
    used: AtomicUsize,
    /// Beyond `BYTES_MIN`: what the pool knows of.
    told: AtomicUsize,
    /// What the running statement may have.
    max: AtomicUsize,
    /// The running statement has asked before it began.
    asked: AtomicUsize,
    grant: Mutex<Option<Grant>>,
    /// What large blocks there were when it was last measured what the process holds, in steps.
    looked_at: AtomicI64,
    spilled: Counters,
    /// Of the statement that runs, if its operators are watched.
    profile: Mutex<Option<Profile>>,
}

impl Workspace {
    pub fn new(pool: Arc<Pool>, session: u32, query_percent: u32) -> Arc<Workspace> {
        Arc::new(Workspace {
            max: AtomicUsize::new(pool.query_max(query_percent)),
            pool,
            session,
            query_percent,
            used: AtomicUsize::new(0),
            told: AtomicUsize::new(0),
            asked: AtomicUsize::new(0),
            grant: Mutex::new(WaitType::SOS_MUTEX, None),
            looked_at: AtomicI64::new(0),
            spilled: Counters::default(),
            profile: Mutex::new(WaitType::SOS_MUTEX, None),
        })
    }

    /// A statement begins, perhaps with MAX_GRANT_PERCENT: of what a query may have. What it cannot do without is forced.
    pub fn begin_statement(&self, percent: Option<f64>) {
        let query_max = self.pool.query_max(self.query_percent);
        let max = percent.map_or(query_max, |percent| (query_max as f64 * percent / 100.0) as usize);
        self.max.store(max, Ordering::Relaxed);
        let Counters { bytes, read, sort_runs, hash_partitions, depth } = &self.spilled;
        [bytes, read, sort_runs, hash_partitions, depth]
            .into_iter()
            .for_each(|counter| counter.store(0, Ordering::Relaxed));
    }

    /// A statement that will hold much is about to begin: it waits until there is memory. `must_pass`: whether others wait for what it
    /// holds.
    pub fn ask(&self, wanted: &GrantRequest, deadline: u64, must_pass: impl Fn() -> bool) -> Result<(), Refused> {
        // A cursor of this module holds some: what comes above that is asked for in steps.
        if self.grant.lock().is_none() {
            let wanted = GrantRequest { session: self.session, query_percent: self.query_percent, ..*wanted };
            if let Some(storage) = &self.pool.storage {
                storage.make_room(wanted.ideal.min(self.limit() as u64));
            }
            let given = self.pool.grants.ask(&wanted, deadline, must_pass)?;
            self.asked.store(given.granted() as usize, Ordering::Relaxed);
            *self.grant.lock() = Some(given);
        }
        Ok(())
    }

    /// The statement that has begun is over: it keeps what is held still.
    pub fn end(&self) -> Granted {
        self.asked.store(0, Ordering::Relaxed);
        let mut grant = self.grant.lock();
        let figures = grant.as_ref().map_or_else(Granted::default, |grant| Granted {
            granted: grant.granted(),
            used: grant.used_max(),
            ideal: grant.ideal(),
        });
        self.settle(&mut grant);
        figures
    }

    /// More memory for an operator: true, and it is counted; false: there is no more.
    #[inline]
    pub fn reserve(&self, bytes: usize) -> bool {
        let used = self.used.load(Ordering::Relaxed).saturating_add(bytes);
        if used > self.max.load(Ordering::Relaxed) || !self.cover(used, false) {
            return false;
        }
        self.used.store(used, Ordering::Relaxed);
        true
    }

    /// What must be in memory whatever there is: one row, a table variable. 701 when there is no memory.
    #[inline]
    pub fn force(&self, bytes: usize) -> SqlResult<()> {
        let used = self.used.load(Ordering::Relaxed).saturating_add(bytes);
        if !self.cover(used, true) {
            return Err(out_of_memory());
        }
        self.used.store(used, Ordering::Relaxed);
        Ok(())
    }

    /// The pool knows of `used` bytes in all.
    #[inline]
    fn cover(&self, used: usize, forced: bool) -> bool {
        let told = self.told.load(Ordering::Relaxed);
        if os::fails!(Memory) {
            return false;
        }
        used <= told + BYTES_MIN || self.tell(used - BYTES_MIN, forced)
    }

    #[cold]
    fn tell(&self, bytes: usize, forced: bool) -> bool {
        let Some(bytes) = bytes.checked_next_multiple_of(STEP_BYTES) else { return false };
        let told = self.told.load(Ordering::Relaxed);
        let mut grant = self.grant.lock();
        let granted = grant.as_ref().map_or(0, |grant| grant.granted() as usize);
        let missing = bytes.saturating_sub(granted) as u64;
        let fits = match &*grant {
            _ if missing == 0 => true,
            Some(grant) => grant.grow(missing) || forced && grant.force(missing),
            None => {
                *grant = self.pool.grants.ask_late(self.session, self.query_percent, missing, forced);
                grant.is_some()
            }
        };
        if let (true, Some(grant)) = (fits, &*grant) {
            grant.tell_used(bytes as u64);
            self.told.store(bytes, Ordering::Relaxed);
        }
        drop(grant);
        if fits {
            self.pool.give_way(bytes / LOOK_BYTES != told / LOOK_BYTES);
        }
        fits
    }

    pub fn release(&self, bytes: usize) {
        let used = self.used.load(Ordering::Relaxed);
        assert!(used >= bytes, "{bytes} bytes are given back, of {used}");
        self.used.store(used - bytes, Ordering::Relaxed);
        if self.told.load(Ordering::Relaxed) > 0 {
            self.settle(&mut self.grant.lock());
        }
    }

    /// What is neither used any more nor was asked for in advance goes back.
    fn settle(&self, grant: &mut Option<Grant>) {
        let used = self.used.load(Ordering::Relaxed);
        let told = self.told.load(Ordering::Relaxed);
        let needed = used.saturating_sub(BYTES_MIN).next_multiple_of(STEP_BYTES).min(told);
        let keeps = needed.max(self.asked.load(Ordering::Relaxed));
        self.told.store(needed, Ordering::Relaxed);
        if let Some(held) = grant {
            held.tell_used(needed as u64);
            if keeps > 0 {
                held.shrink(keeps as u64);
            } else {
                *grant = None;
            }
        }
    }

    /// Somebody waits for memory.
    pub fn is_awaited(&self) -> bool {
        self.pool.grants.is_awaited()
    }

    /// What may be held in large blocks (`check_large`).
    pub fn large_max(&self) -> i64 {
        i64::try_from(self.pool.grants.target()).unwrap_or(i64::MAX)
    }

    /// What the running task holds in large blocks of the heap, values that are being made: pages give way to them. 701
    pub fn check_large(&self, own: i64) -> SqlResult<()> {
        if self.looked_at.swap(own / LARGE_BYTES, Ordering::Relaxed) != own / LARGE_BYTES {
            self.pool.give_way(true);
        }
        check_large(self.large_max())
    }

    /// Bytes that the query may have at most.
    pub fn limit(&self) -> usize {
        self.max.load(Ordering::Relaxed)
    }

    /// Bytes that the query could have now, for choosing fan-outs: what others hold it will not get.
    pub fn limit_now(&self) -> usize {
        let granted = self.grant.lock().as_ref().map_or(0, |grant| grant.granted());
        let most = granted.saturating_add(self.pool.grants.room());
        self.limit().min(usize::try_from(most).unwrap_or(usize::MAX).saturating_add(BYTES_MIN))
    }

    /// Bytes that no query has, nor waits for.
    pub fn spare(&self) -> usize {
        usize::try_from(self.pool.grants.room()).unwrap_or(usize::MAX)
    }

    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    pub fn count_bytes(&self, bytes: usize) {
        self.spilled.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub fn count_read(&self, bytes: usize) {
        self.spilled.read.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub fn count_run(&self) {
        self.spilled.sort_runs.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_partitions(&self, partitions: usize, depth: u32) {
        self.spilled.hash_partitions.fetch_add(partitions as u64, Ordering::Relaxed);
        self.spilled.depth.fetch_max(depth.into(), Ordering::Relaxed);
    }

    /// A statement begins whose operators, so many, are watched.
    pub fn watch(&self, nodes: usize) {
        *self.profile.lock() = Some(Profile::new(nodes));
    }

    /// What they did.
    pub fn take_profile(&self) -> Option<Profile> {
        self.profile.lock().take()
    }

    /// A watched operator is called. One of a cursor that outlives its statement is not watched any more.
    pub fn enter(&self, node: u32) {
        if let Some(profile) = &mut *self.profile.lock() {
            profile.enter(node, self.spilled());
        }
    }

    /// It returns.
    pub fn leave(&self, did: impl FnOnce(&mut Actual)) {
        if let Some(profile) = &mut *self.profile.lock() {
            profile.leave(self.spilled(), did);
        }
    }

    /// Since the statement began.
    pub fn spilled(&self) -> Spilled {
        Spilled {
            bytes: self.spilled.bytes.load(Ordering::Relaxed),
            read: self.spilled.read.load(Ordering::Relaxed),
            sort_runs: self.spilled.sort_runs.load(Ordering::Relaxed),
            hash_partitions: self.spilled.hash_partitions.load(Ordering::Relaxed),
            depth: self.spilled.depth.load(Ordering::Relaxed),
        }
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        debug_assert_eq!(*self.used.get_mut(), 0, "whoever holds memory holds its workspace");
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

/// Whether the running task may go on with what it holds in large blocks, of `max` that all may have. Who holds little of it may.
pub fn check_large(max: i64) -> SqlResult<()> {
    let (own, all) = os::heap::large_held();
    let fits = own < LARGE_BYTES || own <= max && (all <= max || own <= max / LARGE_PART);
    if fits { Ok(()) } else { Err(out_of_memory()) }
}

pub fn out_of_memory() -> SqlError {
    sql_error!(701, "default")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use os::region::Visibility;
    use storage::{Memory, QUERY_PERCENT};

    const MB: usize = 1 << 20;

    /// Queries have so many bytes, one of them a quarter.
    pub(crate) fn pool(bytes: usize) -> Arc<Pool> {
        let memory = Memory::reserve(Grants::region_bytes(), Visibility::ThisProcess).expect("memory");
        memory.broker().set_target(2 * bytes as u64);
        Arc::new(Pool { grants: Grants::new(&memory).expect("room"), storage: None, query_max: None })
    }

    #[test]
    fn a_query_has_a_quarter_of_the_pool_and_gives_it_back() {
        let pool = pool(16 * MB);
        let workspace = Workspace::new(pool.clone(), 51, QUERY_PERCENT);
        let (mut one, mut two, mut small) = (Held::default(), Held::default(), Held::default());
        assert!(one.hold(&workspace, 3 * MB));
        assert!(!two.hold(&workspace, 2 * MB));
        assert!(two.hold(&workspace, MB));
        assert_eq!(pool.grants.totals().used as usize, 4 * MB - BYTES_MIN);
        assert!(small.hold(&workspace, 256 << 10), "each operator has something");
        assert!(!small.hold(&workspace, 512 << 10));
        small.clear();
        one.force(&workspace, 8 * MB).unwrap();
        assert_eq!(one.force(&workspace, 40 * MB).unwrap_err().number, 701);
        assert_eq!(one.bytes(), 8 * MB);
        one.clear();
        assert!(two.hold(&workspace, 4 * MB));
        drop(two);
        assert_eq!((pool.grants.totals().used, pool.grants.totals().granted, workspace.used()), (0, 0, 0));
    }

    #[test]
    fn a_small_query_asks_nobody() {
        let pool = pool(MB);
        let workspace = Workspace::new(pool.clone(), 51, QUERY_PERCENT);
        let mut held = Held::default();
        assert!(held.hold(&workspace, BYTES_MIN));
        assert_eq!(pool.grants.totals().holders, 0);
        assert!(!held.hold(&workspace, BYTES_MIN + 1));
        workspace.begin_statement(Some(0.0));
        assert!(!Held::default().hold(&workspace, 1));
    }

    #[test]
    fn what_was_asked_for_stays_until_the_statement_is_over() {
        let pool = pool(16 * MB);
        let workspace = Workspace::new(pool.clone(), 51, QUERY_PERCENT);
        let wanted = GrantRequest { required: MB as u64, ideal: 3 * MB as u64, ..GrantRequest::default() };
        workspace.ask(&wanted, 0, || false).unwrap();
        let mut held = Held::default();
        assert!(held.hold(&workspace, 2 * MB));
        held.clear();
        let totals = pool.grants.totals();
        assert_eq!((totals.granted as usize, totals.used, pool.grants.entries()[0].session), (3 * MB, 0, 51));
        // Of a cursor, which is not over.
        assert!(held.hold(&workspace, MB));
        let figures = workspace.end();
        assert_eq!((figures.granted as usize, figures.used as usize), (3 * MB, 2 * MB - BYTES_MIN));
        assert_eq!(pool.grants.totals().granted as usize, MB - BYTES_MIN);
        drop(held);
        assert_eq!(pool.grants.totals().holders, 0);
    }
}
