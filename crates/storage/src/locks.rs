//! Transactions as others see them (`Member`), the lock table, waits for a transaction's end, and deadlocks.
//!
//! An ordinary change takes no row lock here: the row's header names its writer, and who meets it waits for that
//! transaction. This table holds the rest: table intent, schema, shared and update row locks, application locks.
//! A wait that cannot be granted looks for a cycle in the wait-for graph at once and every second again; the cheapest
//! member of a cycle (priority, then log written) is the victim.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};

use os::clock;
use os::sync::{Mutex, SpinClass, SpinLock};
use os::wait::{self, WaitType, WakeReason};

use crate::error::{StorageError, StorageResult};
use crate::hash::NumberMap;
use crate::layout::{DatabaseId, TableId};
use crate::wake::Waker;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LockMode {
    SchemaStability,
    IntentShared,
    IntentExclusive,
    Shared,
    Update,
    SharedIntentExclusive,
    Exclusive,
    SchemaModification,
}

impl LockMode {
    const ALL: [LockMode; 8] = [
        LockMode::SchemaStability,
        LockMode::IntentShared,
        LockMode::IntentExclusive,
        LockMode::Shared,
        LockMode::Update,
        LockMode::SharedIntentExclusive,
        LockMode::Exclusive,
        LockMode::SchemaModification,
    ];

    /// One bit for each mode this one excludes, in the order of `ALL`.
    const fn excludes(self) -> u8 {
        match self {
            LockMode::SchemaStability => 0b1000_0000,
            LockMode::IntentShared => 0b1100_0000,
            LockMode::IntentExclusive => 0b1111_1000,
            LockMode::Shared => 0b1110_0100,
            LockMode::Update => 0b1111_0100,
            LockMode::SharedIntentExclusive => 0b1111_1100,
            LockMode::Exclusive => 0b1111_1110,
            LockMode::SchemaModification => 0b1111_1111,
        }
    }

    /// `sys.dm_tran_locks.request_mode`.
    pub fn name(self) -> &'static str {
        match self {
            LockMode::SchemaStability => "Sch-S",
            LockMode::IntentShared => "IS",
            LockMode::IntentExclusive => "IX",
            LockMode::Shared => "S",
            LockMode::Update => "U",
            LockMode::SharedIntentExclusive => "SIX",
            LockMode::Exclusive => "X",
            LockMode::SchemaModification => "Sch-M",
        }
    }

    pub fn is_compatible(self, other: LockMode) -> bool {
        self.excludes() >> (other as u8) & 1 == 0
    }

    /// The weakest mode at least as strong as both.
    pub fn join(self, other: LockMode) -> LockMode {
        let need = self.excludes() | other.excludes();
        LockMode::ALL.into_iter().find(|mode| mode.excludes() & need == need).unwrap_or(LockMode::SchemaModification)
    }

    pub fn wait_type(self) -> WaitType {
        match self {
            LockMode::SchemaStability => WaitType::LCK_M_SCH_S,
            LockMode::IntentShared => WaitType::LCK_M_IS,
            LockMode::IntentExclusive => WaitType::LCK_M_IX,
            LockMode::Shared => WaitType::LCK_M_S,
            LockMode::Update => WaitType::LCK_M_U,
            LockMode::SharedIntentExclusive => WaitType::LCK_M_SIX,
            LockMode::Exclusive => WaitType::LCK_M_X,
            LockMode::SchemaModification => WaitType::LCK_M_SCH_M,
        }
    }

    pub fn covers(self, other: LockMode) -> bool {
        self.join(other) == self
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resource {
    Table(DatabaseId, TableId),
    /// A row or index entry, by a hash of its tree and key. Two rows of one hash share a lock: harmless, only stricter.
    Row(DatabaseId, TableId, u64),
    Application(DatabaseId, u64),
}

/// What a transaction can be waited for and stopped by.
#[derive(Default)]
pub struct Signal {
    cancelled: AtomicBool,
    wake: Waker,
}

impl Signal {
    pub fn new() -> Signal {
        Signal::default()
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
        self.wake.notify();
    }

    pub fn clear(&self) {
        self.cancelled.store(false, Ordering::SeqCst);
    }

    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

enum Waiting {
    Nothing,
    Lock(Resource, LockMode),
    End(Arc<Member>),
}

/// A running transaction.
pub struct Member {
    pub number: u64,
    /// 0 before the first change.
    pub id: AtomicU64,
    /// Commit time it reads at; `u64::MAX`: it reads nothing old.
    pub snapshot: AtomicU64,
    /// Its first log record is at or after this; `u64::MAX`: none.
    pub first_lsn: AtomicU64,
    pub log_bytes: AtomicU64,
    pub session: AtomicU32,
    pub priority: AtomicI32,
    pub begun_ms: u64,
    pub signal: Arc<Signal>,
    finished: AtomicBool,
    granted: AtomicBool,
    victim: AtomicBool,
    waiting: SpinLock<Waiting>,
    waiters: SpinLock<Vec<Arc<Member>>>,
}

struct Request {
    member: Arc<Member>,
    mode: LockMode,
    converts: bool,
}

#[derive(Default)]
struct Lock {
    granted: Vec<(Arc<Member>, LockMode)>,
    queue: VecDeque<Request>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockEntry {
    pub resource: Resource,
    pub mode: LockMode,
    pub granted: bool,
    pub session: u32,
    pub transaction: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionEntry {
    pub id: u64,
    pub session: u32,
    pub begun_ms: u64,
    pub log_bytes: u64,
    pub snapshot: Option<u64>,
    /// The session it waits for, 0: none (of several, one).
    pub blocked_by: u32,
}

#[derive(Debug, Default)]
pub struct LockCounters {
    pub requests: AtomicU64,
    pub waits: AtomicU64,
    pub wait_ms: AtomicU64,
    pub deadlocks: AtomicU64,
    pub timeouts: AtomicU64,
}

/// Held for a few instructions each, nothing waits under them. Order: shard of the lock table < member.
static LOCK_HASH: SpinClass = SpinClass::new("LOCK_HASH");
static XACT_LIST: SpinClass = SpinClass::new("XDES_MGR");
static MEMBER: SpinClass = SpinClass::new("XDES");

const SHARDS: usize = 64;
const MEMBER_SHARDS: usize = 16;
/// Locks in all; one more is 1204.
const LOCKS_MAX: u64 = 4_000_000;
const DETECT_EVERY_MS: u64 = 1000;

/// Running transactions by number.
#[derive(Default)]
struct Members {
    running: BTreeMap<u64, Arc<Member>>,
    begun: u64,
}

pub struct Locks {
    shards: Box<[SpinLock<NumberMap<Resource, Lock>>]>,
    count: AtomicU64,
    /// By the scheduler on which they began.
    members: Box<[SpinLock<Members>]>,
    detecting: Mutex<()>,
    pub counters: LockCounters,
}

/// How long a lock request waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    Forever,
    Ms(u64),
}

impl Default for Locks {
    fn default() -> Locks {
        Locks {
            shards: (0..SHARDS).map(|_| SpinLock::new(&LOCK_HASH, NumberMap::default())).collect(),
            count: AtomicU64::new(0),
            members: (0..MEMBER_SHARDS).map(|_| SpinLock::new(&XACT_LIST, Members::default())).collect(),
            detecting: Mutex::new(WaitType::DEADLOCK_ENUM_MUTEX, ()),
            counters: LockCounters::default(),
        }
    }
}

fn shard_of(resource: &Resource) -> usize {
    let (a, b) = match *resource {
        Resource::Table(db, table) => (db.0 as u64, table.0 as u64),
        Resource::Row(_, table, hash) => (table.0 as u64, hash),
        Resource::Application(db, name) => (db.0 as u64, name),
    };
    ((a ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize
}

impl Locks {
    pub fn enter(&self, signal: Arc<Signal>) -> Arc<Member> {
        let shard = os::sched::here().unwrap_or(0) as usize % MEMBER_SHARDS;
        let mut members = self.members[shard].lock();
        members.begun += 1;
        let number = members.begun * MEMBER_SHARDS as u64 + shard as u64;
        let member = Arc::new(Member {
            number,
            id: AtomicU64::new(0),
            snapshot: AtomicU64::new(u64::MAX),
            first_lsn: AtomicU64::new(u64::MAX),
            log_bytes: AtomicU64::new(0),
            session: AtomicU32::new(0),
            priority: AtomicI32::new(0),
            begun_ms: clock::now_ms(),
            signal,
            finished: AtomicBool::new(false),
            granted: AtomicBool::new(false),
            victim: AtomicBool::new(false),
            waiting: SpinLock::new(&MEMBER, Waiting::Nothing),
            waiters: SpinLock::new(&MEMBER, Vec::new()),
        });
        members.running.insert(number, member.clone());
        member
    }

    /// The transaction is over: whoever waited for it goes on. Its locks have been released before.
    pub fn leave(&self, member: &Arc<Member>) {
        self.members[member.number as usize % MEMBER_SHARDS].lock().running.remove(&member.number);
        member.finished.store(true, Ordering::SeqCst);
        let waiters = std::mem::take(&mut *member.waiters.lock());
        for waiter in waiters {
            waiter.signal.wake.notify();
        }
    }

    fn fold<T>(&self, start: T, mut next: impl FnMut(T, &Arc<Member>) -> T) -> T {
        self.members.iter().fold(start, |value, members| members.lock().running.values().fold(value, &mut next))
    }

    /// The oldest snapshot in use, `now` if none is.
    pub fn oldest_snapshot(&self, now: u64) -> u64 {
        self.fold(now, |oldest, member| oldest.min(member.snapshot.load(Ordering::SeqCst)))
    }

    /// Where the log must be kept from for undo.
    pub fn oldest_lsn(&self) -> u64 {
        self.fold(u64::MAX, |oldest, member| oldest.min(member.first_lsn.load(Ordering::SeqCst)))
    }

    pub fn members(&self) -> Vec<Arc<Member>> {
        let mut all = self.fold(Vec::new(), |mut all, member| {
            all.push(member.clone());
            all
        });
        all.sort_by_key(|member| member.number);
        all
    }

    pub fn transactions(&self) -> Vec<TransactionEntry> {
        let entry = |member: Arc<Member>| TransactionEntry {
            id: member.id.load(Ordering::Relaxed),
            session: member.session.load(Ordering::Relaxed),
            begun_ms: member.begun_ms,
            log_bytes: member.log_bytes.load(Ordering::Relaxed),
            snapshot: Some(member.snapshot.load(Ordering::Relaxed)).filter(|time| *time != u64::MAX),
            blocked_by: self.blockers(&member).first().map_or(0, |by| by.session.load(Ordering::Relaxed)),
        };
        self.members().into_iter().map(entry).collect()
    }

    pub fn entries(&self) -> Vec<LockEntry> {
        let mut all = Vec::new();
        for shard in &self.shards {
            for (resource, held) in shard.lock().iter() {
                let entry = |member: &Member, mode, granted| LockEntry {
                    resource: *resource,
                    mode,
                    granted,
                    session: member.session.load(Ordering::Relaxed),
                    transaction: member.id.load(Ordering::Relaxed),
                };
                all.extend(held.granted.iter().map(|(member, mode)| entry(member, *mode, true)));
                all.extend(held.queue.iter().map(|request| entry(&request.member, request.mode, false)));
            }
        }
        all
    }

    /// True if the lock is new to the member: it is then to be released later.
    pub fn acquire(
        &self,
        member: &Arc<Member>,
        resource: Resource,
        mode: LockMode,
        patience: Patience,
    ) -> StorageResult<bool> {
        self.counters.requests.fetch_add(1, Ordering::Relaxed);
        let shard = &self.shards[shard_of(&resource)];
        let fresh = {
            let mut table = shard.lock();
            let held = table.entry(resource).or_default();
            let own = held.granted.iter().position(|(holder, _)| Arc::ptr_eq(holder, member));
            let wanted = own.map_or(mode, |own| held.granted[own].1.join(mode));
            if own.is_some_and(|own| held.granted[own].1 == wanted) {
                return Ok(false);
            }
            if own.is_none() && self.count.load(Ordering::Relaxed) >= LOCKS_MAX {
                return Err(StorageError::OutOfMemory);
            }
            let fits = held.fits(member, wanted) && (own.is_some() || held.queue.is_empty());
            match (fits, own) {
                (true, Some(own)) => {
                    held.granted[own].1 = wanted;
                    return Ok(false);
                }
                (true, None) => {
                    held.granted.push((member.clone(), wanted));
                    self.count.fetch_add(1, Ordering::Relaxed);
                    return Ok(true);
                }
                (false, _) if patience == Patience::Ms(0) => {
                    self.counters.timeouts.fetch_add(1, Ordering::Relaxed);
                    return Err(StorageError::LockTimeout);
                }
                (false, own) => {
                    member.granted.store(false, Ordering::SeqCst);
                    *member.waiting.lock() = Waiting::Lock(resource, wanted);
                    let request = Request { member: member.clone(), mode: wanted, converts: own.is_some() };
                    // A conversion goes before first requests: they would wait for it anyway.
                    let at = if own.is_some() {
                        held.queue.iter().take_while(|request| request.converts).count()
                    } else {
                        held.queue.len()
                    };
                    held.queue.insert(at, request);
                    own.is_none()
                }
            }
        };
        let result = self.wait(member, mode.wait_type(), patience, || member.granted.load(Ordering::SeqCst));
        *member.waiting.lock() = Waiting::Nothing;
        match result {
            Ok(()) => Ok(fresh),
            Err(error) => {
                let mut table = shard.lock();
                if let Some(held) = table.get_mut(&resource) {
                    held.queue.retain(|request| !Arc::ptr_eq(&request.member, member));
                    // Granted at the last moment: a first grant is given back, a conversion stays until the end.
                    if fresh && member.granted.load(Ordering::SeqCst) {
                        held.granted.retain(|(holder, _)| !Arc::ptr_eq(holder, member));
                        self.count.fetch_sub(1, Ordering::Relaxed);
                    }
                    let woken = self.grant_waiters(held);
                    if held.granted.is_empty() && held.queue.is_empty() {
                        table.remove(&resource);
                    }
                    drop(table);
                    woken.iter().for_each(|member| member.signal.wake.notify());
                }
                Err(error)
            }
        }
    }

    pub fn release(&self, member: &Arc<Member>, resource: Resource) -> bool {
        let mut table = self.shards[shard_of(&resource)].lock();
        let Some(held) = table.get_mut(&resource) else { return false };
        let before = held.granted.len();
        held.granted.retain(|(holder, _)| !Arc::ptr_eq(holder, member));
        let released = held.granted.len() < before;
        if released {
            self.count.fetch_sub(1, Ordering::Relaxed);
        }
        if held.queue.is_empty() {
            if held.granted.is_empty() {
                table.remove(&resource);
            }
            return released;
        }
        let woken = self.grant_waiters(held);
        drop(table);
        woken.iter().for_each(|member| member.signal.wake.notify());
        released
    }

    fn grant_waiters(&self, held: &mut Lock) -> Vec<Arc<Member>> {
        let mut woken = Vec::new();
        while let Some(first) = held.queue.front() {
            if !held.fits(&first.member, first.mode) {
                break;
            }
            let request = held.queue.pop_front().expect("there is a first");
            match held.granted.iter_mut().find(|(holder, _)| Arc::ptr_eq(holder, &request.member)) {
                Some(grant) => grant.1 = request.mode,
                None => {
                    held.granted.push((request.member.clone(), request.mode));
                    self.count.fetch_add(1, Ordering::Relaxed);
                }
            }
            request.member.granted.store(true, Ordering::SeqCst);
            woken.push(request.member);
        }
        woken
    }

    /// Whether somebody else than `member` holds a lock that excludes `mode`.
    pub fn is_excluded(&self, member: &Arc<Member>, resource: Resource, mode: LockMode) -> bool {
        self.shards[shard_of(&resource)].lock().get(&resource).is_some_and(|held| !held.fits(member, mode))
    }

    /// Returns when the transaction that wrote a row is over. `mode`: what the row is wanted for.
    pub fn wait_for_end(&self, member: &Arc<Member>, id: u64, mode: LockMode, patience: Patience) -> StorageResult<()> {
        let target = self.fold(None, |found: Option<Arc<Member>>, other| {
            found.or_else(|| (other.id.load(Ordering::SeqCst) == id).then(|| other.clone()))
        });
        let Some(target) = target else {
            wait::yield_now();
            return Ok(());
        };
        assert!(!Arc::ptr_eq(&target, member), "nobody waits for itself");
        if patience == Patience::Ms(0) {
            self.counters.timeouts.fetch_add(1, Ordering::Relaxed);
            return Err(StorageError::LockTimeout);
        }
        target.waiters.lock().push(member.clone());
        *member.waiting.lock() = Waiting::End(target.clone());
        let result = self.wait(member, mode.wait_type(), patience, || target.finished.load(Ordering::SeqCst));
        *member.waiting.lock() = Waiting::Nothing;
        target.waiters.lock().retain(|waiter| !Arc::ptr_eq(waiter, member));
        result
    }

    fn wait(
        &self,
        member: &Arc<Member>,
        wait: WaitType,
        patience: Patience,
        done: impl Fn() -> bool,
    ) -> StorageResult<()> {
        self.counters.waits.fetch_add(1, Ordering::Relaxed);
        let started = clock::now_ms();
        let mut next_search = started;
        let result = loop {
            let ticket = member.signal.wake.ticket();
            if done() {
                break Ok(());
            }
            if member.victim.swap(false, Ordering::SeqCst) {
                self.counters.deadlocks.fetch_add(1, Ordering::Relaxed);
                break Err(StorageError::Deadlock);
            }
            if member.signal.is_cancelled() {
                break Err(StorageError::Cancelled);
            }
            let now = clock::now_ms();
            let left = match patience {
                Patience::Forever => DETECT_EVERY_MS,
                Patience::Ms(limit) => match (started + limit).saturating_sub(now) {
                    0 => {
                        self.counters.timeouts.fetch_add(1, Ordering::Relaxed);
                        break Err(StorageError::LockTimeout);
                    }
                    left => left.min(DETECT_EVERY_MS),
                },
            };
            if now >= next_search {
                next_search = now + DETECT_EVERY_MS;
                self.break_deadlock(member);
                if member.victim.load(Ordering::SeqCst) {
                    continue;
                }
            }
            if member.signal.wake.wait(ticket, wait, clock::after_ms(left)) == WakeReason::Interrupted {
                break if done() { Ok(()) } else { Err(StorageError::Cancelled) };
            }
        };
        self.counters.wait_ms.fetch_add(clock::now_ms().saturating_sub(started), Ordering::Relaxed);
        result
    }

    fn blockers(&self, member: &Arc<Member>) -> Vec<Arc<Member>> {
        let (resource, mode) = match &*member.waiting.lock() {
            Waiting::Nothing => return Vec::new(),
            Waiting::End(target) if target.finished.load(Ordering::SeqCst) => return Vec::new(),
            Waiting::End(target) => return vec![target.clone()],
            Waiting::Lock(resource, mode) => (*resource, *mode),
        };
        let table = self.shards[shard_of(&resource)].lock();
        let Some(held) = table.get(&resource) else { return Vec::new() };
        if !held.queue.iter().any(|request| Arc::ptr_eq(&request.member, member)) {
            return Vec::new();
        }
        let holders =
            held.granted.iter().filter(|(other, held)| !Arc::ptr_eq(other, member) && !mode.is_compatible(*held));
        let ahead = held.queue.iter().take_while(|request| !Arc::ptr_eq(&request.member, member));
        holders.map(|(other, _)| other.clone()).chain(ahead.map(|request| request.member.clone())).collect()
    }

    /// Looks for a cycle through `start` and marks one of its members as the victim.
    fn break_deadlock(&self, start: &Arc<Member>) {
        let _one_at_a_time = self.detecting.lock();
        let mut visited = std::collections::HashSet::new();
        // Depth first, without recursion: the stack holds each member on the path and the blockers still to be tried.
        let mut path = vec![(start.clone(), self.blockers(start))];
        while let Some((_, left)) = path.last_mut() {
            let Some(next) = left.pop() else {
                path.pop();
                continue;
            };
            if Arc::ptr_eq(&next, start) {
                // Edges may have gone while we looked: the cycle must still be there.
                let members: Vec<_> = path.iter().map(|(member, _)| member.clone()).collect();
                let holds = (0..members.len()).all(|at| {
                    let to = &members[(at + 1) % members.len()];
                    self.blockers(&members[at]).iter().any(|blocker| Arc::ptr_eq(blocker, to))
                });
                if holds && !members.iter().any(|member| member.victim.load(Ordering::SeqCst)) {
                    let victim = members
                        .iter()
                        .min_by_key(|m| {
                            let priority = m.priority.load(Ordering::Relaxed);
                            (priority, m.log_bytes.load(Ordering::Relaxed), u64::MAX - m.number)
                        })
                        .expect("a cycle has members");
                    victim.victim.store(true, Ordering::SeqCst);
                    victim.signal.wake.notify();
                }
                return;
            }
            if visited.insert(next.number) {
                let blockers = self.blockers(&next);
                path.push((next, blockers));
            }
        }
    }
}

impl Lock {
    fn fits(&self, member: &Arc<Member>, mode: LockMode) -> bool {
        self.granted.iter().all(|(holder, held)| Arc::ptr_eq(holder, member) || mode.is_compatible(*held))
    }
}

#[cfg(test)]
mod tests {
    use os::sched::{Place, TaskKind, spawn};

    use super::*;

    #[test]
    fn modes_exclude_each_other_both_ways_and_joins_are_upper_bounds() {
        for a in LockMode::ALL {
            for b in LockMode::ALL {
                assert_eq!(a.is_compatible(b), b.is_compatible(a), "{a:?} {b:?}");
                assert!(a.join(b).covers(a) && a.join(b).covers(b), "{a:?} {b:?}");
                assert_eq!(a.join(b), b.join(a));
            }
        }
        assert_eq!(LockMode::Shared.join(LockMode::IntentExclusive), LockMode::SharedIntentExclusive);
    }

    fn member(locks: &Locks) -> Arc<Member> {
        locks.enter(Arc::new(Signal::new()))
    }

    #[test]
    fn a_cycle_of_lock_and_transaction_waits_has_one_victim() {
        let locks = Arc::new(Locks::default());
        let (a, b) = (member(&locks), member(&locks));
        a.id.store(7, Ordering::SeqCst);
        a.log_bytes.store(100, Ordering::SeqCst);
        let table = Resource::Table(DatabaseId(5), TableId(1));
        assert_eq!(locks.acquire(&b, table, LockMode::Exclusive, Patience::Forever), Ok(true));
        os::sched::start(os::sched::MachineConfig::default()).run(move || {
            let other = {
                let (locks, a) = (locks.clone(), a.clone());
                spawn(TaskKind::System, Place::LeastLoaded, move || {
                    locks.acquire(&a, table, LockMode::Shared, Patience::Forever)
                })
            };
            let ended = locks.wait_for_end(&b, 7, LockMode::Exclusive, Patience::Forever);
            assert_eq!(ended, Err(StorageError::Deadlock), "b wrote less log");
            locks.release(&b, table);
            assert_eq!(other.join(), Ok(Ok(true)));
            assert_eq!(locks.counters.deadlocks.load(Ordering::Relaxed), 1);
        });
    }

    #[test]
    fn a_request_times_out_and_leaves_nothing_behind() {
        let locks = Locks::default();
        let (a, b, c) = (member(&locks), member(&locks), member(&locks));
        let row = Resource::Row(DatabaseId(5), TableId(1), 99);
        assert_eq!(locks.acquire(&a, row, LockMode::Update, Patience::Forever), Ok(true));
        assert_eq!(locks.acquire(&b, row, LockMode::Exclusive, Patience::Ms(20)), Err(StorageError::LockTimeout));
        assert_eq!(locks.acquire(&c, row, LockMode::Shared, Patience::Ms(0)), Ok(true), "U and S go together");
        assert_eq!(locks.acquire(&a, row, LockMode::Exclusive, Patience::Ms(0)), Err(StorageError::LockTimeout));
        locks.release(&c, row);
        assert_eq!(locks.acquire(&a, row, LockMode::Exclusive, Patience::Ms(0)), Ok(false));
        locks.release(&a, row);
        assert_eq!(locks.entries(), []);
    }
}
