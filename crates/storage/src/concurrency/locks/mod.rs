//! Transactions as others see them (`member`), the lock table (`table`), ranges of keys (`ranges`), waits for a lock or for a
//! transaction's end, and deadlocks.
//!
//! An ordinary change takes no row lock here: the row's header names its writer, and who meets it waits for that
//! transaction. This table holds the rest: table intent, schema, shared and update row locks, application locks.
//! A wait that cannot be granted looks for a cycle in the wait-for graph at once and every second again; the cheapest
//! member of a cycle (priority, then log written) is the victim.

mod mode;
mod member;
mod table;
mod ranges;

use std::sync::atomic::{AtomicU64, Ordering};

use os::clock;
use os::region::Placed;
use os::shared_struct;
use os::sync::Mutex;
use os::wait::{self, WaitType, WakeReason};

use crate::error::{StorageError, StorageResult};
use crate::layout::{DatabaseId, TableId};
use crate::region::memory::Memory;

pub use member::{Member, MemberId};
use member::{Members, NO_TRANSACTION, Waiting};
pub use mode::LockMode;
use ranges::Ranges;
pub use ranges::{Noted, TreeId, Wanted};
use table::{Entry, LockTable, Locked};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Resource {
    Table(DatabaseId, TableId),
    /// A row or index entry, by a hash of its tree and key. Two rows of one hash share a lock: harmless, only stricter.
    Row(DatabaseId, TableId, u64),
    Application(DatabaseId, u64),
}

/// What a row lock is taken on: the row's locator or key, hashed.
pub fn row_hash(key: &[u8]) -> u64 {
    key.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ *byte as u64).wrapping_mul(0x0000_0100_0000_01b3))
}

impl Resource {
    pub fn row(db: DatabaseId, table: TableId, key: &[u8]) -> Resource {
        Resource::Row(db, table, row_hash(key))
    }

    pub fn database(self) -> DatabaseId {
        match self {
            Resource::Table(db, _) | Resource::Row(db, ..) | Resource::Application(db, _) => db,
        }
    }

    /// As the shared memory has it: kind, database and table in one number, and a name.
    fn numbers(self) -> (u64, u64) {
        let space = |kind: u64, db: DatabaseId, table: u32| kind << 48 | (db.0 as u64) << 32 | table as u64;
        debug_assert!(
            !matches!(self, Resource::Table(_, table) | Resource::Row(_, table, _) if table.0 == 0),
            "no table has the id 0"
        );
        match self {
            Resource::Table(db, table) => (space(0, db, table.0 as u32), 0),
            Resource::Row(db, table, hash) => (space(1, db, table.0 as u32), hash),
            Resource::Application(db, name) => (space(2, db, 0), name),
        }
    }

    fn from_numbers(space: u64, name: u64) -> Resource {
        assert!(space >> 48 <= 2, "a kind of resource: {space:#x}");
        let (db, table) = (DatabaseId((space >> 32) as u16), TableId(space as u32 as i32));
        match space >> 48 {
            0 => Resource::Table(db, table),
            1 => Resource::Row(db, table, name),
            _ => Resource::Application(db, name),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockEntry {
    pub resource: Resource,
    pub mode: LockMode,
    /// Of a row: with the keys around it, as SERIALIZABLE reads it.
    pub is_range: bool,
    pub granted: bool,
    pub session: u32,
    /// As the DMVs show it.
    pub transaction: u64,
}

impl LockEntry {
    /// `sys.dm_tran_locks.request_mode`.
    pub fn mode_name(&self) -> &'static str {
        match (self.is_range, self.mode) {
            (true, LockMode::Shared) => "RangeS-S",
            (true, LockMode::Update) => "RangeS-U",
            (true, LockMode::Exclusive) => "RangeX-X",
            (_, mode) => mode.name(),
        }
    }
}

/// Whose records are in the log, from the first to the newest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterEntry {
    pub transaction: u64,
    pub session: u32,
    pub first_lsn: u64,
    pub last_lsn: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionEntry {
    /// As the DMVs show it.
    pub id: u64,
    pub has_changed: bool,
    pub session: u32,
    pub begun_ms: u64,
    pub log_bytes: u64,
    pub snapshot: Option<u64>,
    /// The session it waits for, 0: none (of several, one).
    pub blocked_by: u32,
    /// It is being rolled back, to its begin or a savepoint: hundredths of a percent that are done.
    pub undone: Option<u32>,
    pub undo_begun_ms: u64,
}

/// A running transaction that uses memory-optimized tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryTransaction {
    /// Nobody else's before or after it.
    pub number: u64,
    /// 0 before its first change.
    pub id: u64,
    pub session: u32,
    /// The commit time it reads at.
    pub begun_at: u64,
    /// Rows inserted and ended.
    pub rows_written: u32,
    /// Rows and ranges of keys that its commit looks at again.
    pub rows_read: u32,
    pub ranges_read: u32,
}

shared_struct! {
    #[derive(Debug, Default)]
    pub struct LockCounters {
        pub waits: AtomicU64,
        pub wait_ms: AtomicU64,
        pub deadlocks: AtomicU64,
        pub timeouts: AtomicU64,
    }
}

const DETECT_EVERY_MS: u64 = 1000;
const _: () = assert!(DETECT_EVERY_MS > 0);

pub struct Locks {
    table: LockTable,
    pub ranges: Ranges,
    members: Members,
    detecting: Placed<Mutex<()>>,
    counters: Placed<LockCounters>,
}

/// How long a lock request waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    Forever,
    Ms(u64),
}

impl Locks {
    pub fn region_bytes() -> usize {
        LockTable::region_bytes() + Ranges::region_bytes() + Members::region_bytes()
    }

    pub fn new(memory: &Memory) -> StorageResult<Locks> {
        Ok(Locks {
            table: LockTable::new(memory)?,
            ranges: Ranges::new(memory)?,
            members: Members::new(memory)?,
            detecting: memory.place("deadlock search", Mutex::new(WaitType::DEADLOCK_ENUM_MUTEX, ()))?,
            counters: memory.place("lock counters", LockCounters::default())?,
        })
    }

    /// Locks asked for since the start.
    pub fn requests(&self) -> u64 {
        self.members.requests()
    }

    pub fn counters(&self) -> &LockCounters {
        &self.counters
    }

    pub fn enter(&self) -> MemberId {
        self.members.enter()
    }

    /// As `enter`, of the version cleaner, which is no transaction but must be known to have rows in hand.
    pub fn enter_cleaner(&self) -> MemberId {
        let member = self.members.enter();
        self[member].begun_ns.store(NO_TRANSACTION, Ordering::Relaxed);
        member
    }

    /// The transaction is over: whoever waited for it goes on. Its locks have been released before.
    pub fn leave(&self, member: MemberId) {
        self.members.leave(member);
    }

    /// Some of its changes are undone: whoever waited for it looks again.
    pub fn undone_in_part(&self, member: MemberId) {
        self.members.undone_in_part(member);
    }

    /// Ends its waits from another worker (attention).
    pub fn cancel(&self, member: MemberId) {
        self.members.cancel(member);
    }

    pub fn clear_cancel(&self, member: MemberId) {
        self.members.clear_cancel(member);
    }

    /// Transactions that ran in an engine.
    pub fn of_engine(&self, engine: u32) -> Vec<MemberId> {
        let of = |member: &Member| member.engine.load(Ordering::Relaxed) == engine;
        self.members.running().filter(|(_, member)| of(member)).map(|(number, _)| number).collect()
    }

    /// Takes a transaction whose engine has died out of what it waited for.
    pub fn stop_waiting(&self, member: MemberId) {
        match self[member].waiting() {
            Waiting::Nothing => {}
            Waiting::End(target, _) => self.members.stop_waiting_for(target, member),
            Waiting::Lock(resource, _) => {
                let locked = self.table.lock(resource);
                locked.leave_queue(member);
                self.grant_waiters(&locked);
            }
        }
        self[member].set_waiting(Waiting::Nothing);
    }

    /// Releases all locks of a transaction, looking through the whole table: who holds them has no list of them any more.
    pub fn release_all(&self, member: MemberId) {
        let held = self.table.entries().into_iter().filter(|(_, entry, granted)| *granted && entry.member == member);
        for (resource, _, _) in held.collect::<Vec<_>>() {
            self.release(member, resource);
        }
        self.ranges.release_all(member);
    }

    /// The oldest snapshot in use, `now` if none is.
    pub fn oldest_snapshot(&self, now: u64) -> u64 {
        self.members.running().map(|(_, member)| member.snapshot.load(Ordering::SeqCst)).fold(now, u64::min)
    }

    /// Where the log must be kept from for undo.
    pub fn oldest_lsn(&self) -> u64 {
        self.members.running().map(|(_, member)| member.first_lsn.load(Ordering::SeqCst)).fold(u64::MAX, u64::min)
    }

    /// The same of all but one.
    pub fn oldest_lsn_but(&self, own: MemberId) -> u64 {
        let others = self.members.running().filter(|(member, _)| *member != own);
        others.map(|(_, member)| member.first_lsn.load(Ordering::SeqCst)).fold(u64::MAX, u64::min)
    }

    /// Of all transactions that may still be rolled back.
    pub fn unfinished_log_bytes(&self) -> u64 {
        self.members.running().map(|(_, member)| member.log_bytes.load(Ordering::Relaxed)).sum()
    }

    pub fn transactions(&self) -> Vec<TransactionEntry> {
        let entry = |(number, member): (MemberId, &Member)| TransactionEntry {
            id: number.told_id(member.id.load(Ordering::Relaxed)),
            has_changed: member.id.load(Ordering::Relaxed) != 0,
            session: member.session.load(Ordering::Relaxed),
            begun_ms: member.begun_ns.load(Ordering::Relaxed) / 1_000_000,
            log_bytes: member.log_bytes.load(Ordering::Relaxed),
            snapshot: Some(member.snapshot.load(Ordering::Relaxed)).filter(|time| *time != u64::MAX),
            blocked_by: self.blockers(number).first().map_or(0, |by| self[*by].session.load(Ordering::Relaxed)),
            undone: member.undone.load(Ordering::Relaxed).checked_sub(1),
            undo_begun_ms: member.undo_begun_ms.load(Ordering::Relaxed),
        };
        let mut all: Vec<_> = self
            .members
            .running()
            .filter(|(_, member)| member.begun_ns.load(Ordering::Relaxed) != NO_TRANSACTION)
            .map(entry)
            .collect();
        all.sort_by_key(|entry| (entry.begun_ms, entry.id));
        all
    }

    /// Those that have written to the log and not committed.
    pub fn writers(&self) -> Vec<WriterEntry> {
        let entry = |(_, member): (MemberId, &Member)| WriterEntry {
            transaction: member.id.load(Ordering::SeqCst),
            session: member.session.load(Ordering::Relaxed),
            first_lsn: member.first_lsn.load(Ordering::SeqCst),
            last_lsn: member.last_lsn.load(Ordering::Relaxed),
        };
        let open = self.members.running().filter(|(_, member)| member.committed.load(Ordering::SeqCst) == 0);
        open.map(entry).filter(|entry| entry.transaction != 0 && entry.last_lsn != 0).collect()
    }

    /// Those that use memory-optimized tables.
    pub fn memory_transactions(&self) -> Vec<MemoryTransaction> {
        let entry = |(number, member): (MemberId, &Member)| MemoryTransaction {
            number: number.raw(),
            id: member.id.load(Ordering::Relaxed),
            session: member.session.load(Ordering::Relaxed),
            begun_at: member.memory_time.load(Ordering::Relaxed),
            rows_written: member.rows_written.load(Ordering::Relaxed),
            rows_read: member.rows_read.load(Ordering::Relaxed),
            ranges_read: member.ranges_read.load(Ordering::Relaxed),
        };
        self.members.running().map(entry).filter(|entry| entry.begun_at != 0).collect()
    }

    /// Rows whose writer is waited for: the row, who waits and what for, and the writer.
    fn awaited_rows(&self) -> Vec<(Resource, MemberId, LockMode, MemberId)> {
        let awaited = |(number, member): (MemberId, &Member)| match member.waiting() {
            Waiting::End(writer, Some((row, mode))) if self.members.is_running(writer) => {
                Some((row, number, mode, writer))
            }
            _ => None,
        };
        self.members.running().filter_map(awaited).collect()
    }

    /// What a session waits for, with the mode. Of several transactions that wait, one.
    pub fn awaited_by(&self, session: u32) -> Option<(Resource, LockMode)> {
        let of_session = |member: &Member| member.session.load(Ordering::Relaxed) == session;
        self.members.running().filter(|(_, member)| of_session(member)).find_map(|(_, member)| match member.waiting() {
            Waiting::Lock(resource, mode) | Waiting::End(_, Some((resource, mode))) => Some((resource, mode)),
            Waiting::Nothing | Waiting::End(_, None) => None,
        })
    }

    /// Locks and ranges; a row's lock is a range's where its transaction keeps ranges of the table. Who has changed a row holds it
    /// exclusively as far as somebody waits for it.
    pub fn entries(&self) -> Vec<LockEntry> {
        let ranges = self.ranges.entries();
        let has_ranges = |member: MemberId, resource: Resource| match resource {
            Resource::Row(db, table, _) => {
                ranges.iter().any(|range| (range.member, range.db, range.table) == (member, db, table))
            }
            _ => false,
        };
        let entry = |resource: Resource, member: MemberId, mode: LockMode, granted: bool, is_range: bool| LockEntry {
            resource,
            mode,
            is_range,
            granted,
            session: self[member].session.load(Ordering::Relaxed),
            transaction: member.told_id(self[member].id.load(Ordering::Relaxed)),
        };
        let locks = self.table.entries().into_iter().map(|(resource, held, granted)| {
            entry(resource, held.member, held.mode, granted, has_ranges(held.member, resource))
        });
        let kept = ranges
            .iter()
            .map(|range| entry(Resource::Row(range.db, range.table, range.hash), range.member, range.mode, true, true));
        let mut all: Vec<LockEntry> = locks.chain(kept).collect();
        for (row, member, mode, writer) in self.awaited_rows() {
            let own = entry(row, writer, LockMode::Exclusive, true, false);
            let of = |known: &LockEntry| (known.granted, known.resource, known.session, known.transaction);
            match all.iter_mut().find(|known| of(known) == of(&own)) {
                Some(known) => known.mode = LockMode::Exclusive,
                None => all.push(own),
            }
            all.push(entry(row, member, mode, false, false));
        }
        all
    }

    /// True if the lock is new to the member: it is then to be released later.
    pub fn acquire(
        &self,
        member: MemberId,
        resource: Resource,
        mode: LockMode,
        patience: Patience,
    ) -> StorageResult<bool> {
        let me = &self[member];
        debug_assert!(self.members.is_running(member), "who asks for a lock runs");
        me.count_request();
        let fresh = {
            let locked = self.table.lock(resource);
            // Its first lock of all is most often a table's, which many hold: no need to look through them.
            let own = if me.held.load(Ordering::Relaxed) == 0 { None } else { locked.held_by(member) };
            debug_assert_eq!(own, locked.held_by(member), "who holds nothing holds no lock on this");
            let wanted = own.map_or(mode, |own| own.join(mode));
            if own == Some(wanted) {
                return Ok(false);
            }
            if locked.fits(wanted, own) && (own.is_some() || locked.fits_queue(wanted)) {
                if own.is_some() {
                    locked.convert_holder(member, wanted);
                    debug_assert!(me.held.load(Ordering::Relaxed) > 0);
                    return Ok(false);
                }
                locked.add_holder(member, wanted)?;
                me.held.fetch_add(1, Ordering::Relaxed);
                return Ok(true);
            }
            if patience == Patience::Ms(0) {
                self.counters.timeouts.fetch_add(1, Ordering::Relaxed);
                return Err(StorageError::LockTimeout);
            }
            me.granted.store(false, Ordering::SeqCst);
            locked.enqueue(Entry { member, mode: wanted, converts: own.is_some() })?;
            me.set_waiting(Waiting::Lock(resource, wanted));
            own.is_none()
        };
        let result = self.wait(member, mode.wait_type(), patience, || me.granted.load(Ordering::SeqCst));
        me.set_waiting(Waiting::Nothing);
        if let Err(error) = result {
            let locked = self.table.lock(resource);
            locked.leave_queue(member);
            // Granted at the last moment: a first grant is given back, a conversion stays until the end.
            if fresh && me.granted.load(Ordering::SeqCst) && locked.remove_holder(member) {
                me.held.fetch_sub(1, Ordering::Relaxed);
            }
            self.grant_waiters(&locked);
            return Err(error);
        }
        debug_assert!(
            self.table.lock(resource).held_by(member).is_some_and(|held| held.covers(mode)),
            "what was granted is held"
        );
        Ok(fresh)
    }

    pub fn release(&self, member: MemberId, resource: Resource) -> bool {
        let locked = self.table.lock(resource);
        let released = locked.remove_holder(member);
        if released {
            let before = self[member].held.fetch_sub(1, Ordering::Relaxed);
            assert!(before > 0, "a lock that is released was counted");
        }
        self.grant_waiters(&locked);
        released
    }

    /// A hold becomes weaker; who waited for that goes on.
    pub fn weaken(&self, member: MemberId, resource: Resource, mode: LockMode) {
        let locked = self.table.lock(resource);
        locked.set_mode(member, mode);
        self.grant_waiters(&locked);
    }

    fn grant_waiters(&self, locked: &Locked<'_>) {
        while let Some(granted) = locked.grant_first() {
            let member = &self[granted.member];
            debug_assert!(self.members.is_running(granted.member), "who waits runs");
            debug_assert!(!granted.converts || member.held.load(Ordering::Relaxed) > 0, "who converts holds a lock");
            if !granted.converts {
                member.held.fetch_add(1, Ordering::Relaxed);
            }
            member.granted.store(true, Ordering::SeqCst);
            member.wake.notify();
        }
    }

    /// Whether somebody else than `member` holds a lock that excludes `mode`.
    pub fn is_excluded(&self, member: MemberId, resource: Resource, mode: LockMode) -> bool {
        let locked = self.table.lock(resource);
        !locked.fits(mode, locked.held_by(member))
    }

    /// Returns when the transaction that wrote a row is over or has undone some of its changes: the caller looks again. `mode`: what
    /// the row is wanted for. `row`: None where no row is.
    pub fn wait_for_end(
        &self,
        member: MemberId,
        id: u64,
        mode: LockMode,
        patience: Patience,
        row: Option<Resource>,
    ) -> StorageResult<()> {
        debug_assert!(id != 0, "nobody waits for the system");
        let target = self.members.running().find(|(_, other)| other.id.load(Ordering::SeqCst) == id);
        let Some((target, _)) = target else {
            wait::yield_now();
            return Ok(());
        };
        self.wait_for_member(member, target, mode.wait_type(), patience, row.map(|row| (row, mode)))
    }

    /// Returns when that transaction is over, or has undone some of its changes.
    pub fn wait_for_member(
        &self,
        member: MemberId,
        target: MemberId,
        wait: WaitType,
        patience: Patience,
        row: Option<(Resource, LockMode)>,
    ) -> StorageResult<()> {
        assert!(target != member, "nobody waits for itself");
        if patience == Patience::Ms(0) {
            self.counters.timeouts.fetch_add(1, Ordering::Relaxed);
            return Err(StorageError::LockTimeout);
        }
        let Some(parts) = self.members.wait_for(target, member) else {
            return Ok(());
        };
        self[member].set_waiting(Waiting::End(target, row));
        let looks_again = || !self.members.is_running(target) || self.members.undone_parts(target) != parts;
        let result = self.wait(member, wait, patience, looks_again);
        self[member].set_waiting(Waiting::Nothing);
        self.members.stop_waiting_for(target, member);
        result
    }

    fn wait(&self, member: MemberId, wait: WaitType, patience: Patience, done: impl Fn() -> bool) -> StorageResult<()> {
        let me = &self[member];
        self.counters.waits.fetch_add(1, Ordering::Relaxed);
        let _whole = wait::Whole::begin(wait);
        let started = clock::now_ms();
        // Now and then too late for a cycle that is closed already: another of its members finds it.
        let mut next_search = if os::sim_choice!("locks.search") { started + DETECT_EVERY_MS } else { started };
        let result = loop {
            let ticket = me.wake.ticket();
            if done() {
                break Ok(());
            }
            if me.is_victim() {
                self.counters.deadlocks.fetch_add(1, Ordering::Relaxed);
                break Err(StorageError::Deadlock);
            }
            if self.members.is_cancelled(member) {
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
                self.break_deadlocks(member);
                if me.is_victim() {
                    continue;
                }
            }
            if me.wake.wait(ticket, wait, clock::after_ms(left)) == WakeReason::Interrupted {
                break if done() { Ok(()) } else { Err(StorageError::Cancelled) };
            }
        };
        os::sim_point!("lock.waited");
        self.counters.wait_ms.fetch_add(clock::now_ms().saturating_sub(started), Ordering::Relaxed);
        result
    }

    fn blockers(&self, member: MemberId) -> Vec<MemberId> {
        if !self.members.is_running(member) {
            return Vec::new();
        }
        match self[member].waiting() {
            Waiting::Nothing => Vec::new(),
            Waiting::End(target, _) if self.members.is_running(target) => vec![target],
            Waiting::End(..) => Vec::new(),
            Waiting::Lock(resource, mode) => self.table.lock(resource).blockers(member, mode).unwrap_or_default(),
        }
    }

    /// Whether somebody waits for what the member holds.
    pub fn holds_up(&self, member: MemberId) -> bool {
        let others = self.members.running().filter(|(other, _)| *other != member);
        others.into_iter().any(|(other, _)| self.blockers(other).contains(&member))
    }

    /// Looks for cycles through `start` and marks a victim in each, until there is none but through victims: a cycle may
    /// lead by way of somebody who only stands before another in a queue, and go on without him.
    fn break_deadlocks(&self, start: MemberId) {
        let _one_at_a_time = self.detecting.lock();
        while let Some(cycle) = self.find_cycle(start) {
            let cost = |(member, _): &&(MemberId, u64)| {
                let slot = &self[*member];
                let (priority, log) = (slot.priority.load(Ordering::Relaxed), slot.log_bytes.load(Ordering::Relaxed));
                // Of equals the youngest.
                (priority, log, u64::MAX - slot.begun_ns.load(Ordering::Relaxed), member.raw())
            };
            let (victim, wait_number) = cycle.iter().min_by_key(cost).expect("a cycle has members");
            self[*victim].make_victim(*wait_number);
        }
    }

    /// A cycle of the wait-for graph through `start`, without those that are victims already; each with the number of its wait.
    fn find_cycle(&self, start: MemberId) -> Option<Vec<(MemberId, u64)>> {
        let lives = |member: MemberId| !self[member].is_victim();
        if !lives(start) {
            return None;
        }
        let mut visited = std::collections::HashSet::new();
        // Depth first, without recursion: the stack holds each member on the path and the blockers still to be tried.
        let mut path = vec![(start, self.blockers(start))];
        while let Some((_, left)) = path.last_mut() {
            let Some(next) = left.pop() else {
                path.pop();
                continue;
            };
            if next == start {
                // Edges may have gone while we looked: the cycle must still be there.
                let members: Vec<_> = path.iter().map(|(member, _)| (*member, self[*member].wait_number())).collect();
                assert!(members.len() > 1, "nobody waits for itself");
                let holds = (0..members.len())
                    .all(|at| self.blockers(members[at].0).contains(&members[(at + 1) % members.len()].0));
                return holds.then_some(members);
            }
            if lives(next) && visited.insert(next) {
                let blockers = self.blockers(next);
                path.push((next, blockers));
            }
        }
        None
    }
}

/// The slot of a transaction, which may be another's by now unless it is the caller's own.
impl std::ops::Index<MemberId> for Locks {
    type Output = Member;
    #[inline]
    fn index(&self, member: MemberId) -> &Member {
        &self.members[member]
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use os::region::Visibility;
    use os::sched::{Place, TaskKind, spawn};

    use super::*;

    fn locks() -> Locks {
        let memory = Memory::reserve(Locks::region_bytes(), Visibility::ThisProcess).expect("memory");
        Locks::new(&memory).expect("a lock table")
    }

    #[test]
    fn a_cycle_of_lock_and_transaction_waits_has_one_victim() {
        let locks = Arc::new(locks());
        let (a, b) = (locks.enter(), locks.enter());
        locks[a].id.store(7, Ordering::SeqCst);
        locks[a].log_bytes.store(100, Ordering::SeqCst);
        let table = Resource::Table(DatabaseId(5), TableId(1));
        assert_eq!(locks.acquire(b, table, LockMode::Exclusive, Patience::Forever), Ok(true));
        os::sched::start(os::sched::MachineConfig::default()).run(move || {
            let other = {
                let locks = locks.clone();
                spawn(TaskKind::System, Place::LeastLoaded, move || {
                    locks.acquire(a, table, LockMode::Shared, Patience::Forever)
                })
            };
            let ended = locks.wait_for_end(b, 7, LockMode::Exclusive, Patience::Forever, None);
            assert_eq!(ended, Err(StorageError::Deadlock), "b wrote less log");
            locks.release(b, table);
            assert_eq!(other.join(), Ok(Ok(true)));
            assert_eq!(locks.counters.deadlocks.load(Ordering::Relaxed), 1);
        });
    }

    #[test]
    fn the_victim_of_a_wait_that_is_over_is_not_the_next_wait_s() {
        let locks = locks();
        let (a, b) = (locks.enter(), locks.enter());
        locks[a].set_waiting(Waiting::End(b, None));
        let number = locks[a].wait_number();
        locks[a].set_waiting(Waiting::Nothing);
        locks[a].set_waiting(Waiting::End(b, None));
        locks[a].make_victim(number);
        assert!(!locks[a].is_victim());
        locks[a].make_victim(locks[a].wait_number());
        assert!(locks[a].is_victim());
    }

    #[test]
    fn a_request_times_out_and_leaves_nothing_behind() {
        let locks = locks();
        let (a, b, c) = (locks.enter(), locks.enter(), locks.enter());
        let row = Resource::Row(DatabaseId(5), TableId(1), 99);
        assert_eq!(locks.acquire(a, row, LockMode::Update, Patience::Forever), Ok(true));
        assert_eq!(locks.acquire(b, row, LockMode::Exclusive, Patience::Ms(20)), Err(StorageError::LockTimeout));
        assert_eq!(locks.acquire(c, row, LockMode::Shared, Patience::Ms(0)), Ok(true), "U and S go together");
        assert_eq!(locks.acquire(a, row, LockMode::Exclusive, Patience::Ms(0)), Err(StorageError::LockTimeout));
        locks.release(c, row);
        assert_eq!(locks.acquire(a, row, LockMode::Exclusive, Patience::Ms(0)), Ok(false));
        locks.release(a, row);
        assert_eq!(locks.entries(), []);
    }
}
