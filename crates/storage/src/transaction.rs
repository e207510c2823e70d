//! A unit of work over any databases of the instance. Owned by one session; dropped without a commit it rolls back.
//!
//! ```text
//! begin -> (begin_statement, reads, changes, savepoint / rollback_to)* -> commit | rollback
//! commit: Commit record; Full: wait until it is hardened; then the changes become visible, locks go, waiters wake
//! ```
//! Under full durability a change becomes visible only when it is hardened, so no reader acts on what a crash may take
//! back. After an error of a change the transaction is as it was before the call (the call undid its part), except after
//! `Deadlock` and `UpdateConflict`, which ask for a rollback of the whole.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use os::wait::WaitType;

pub use crate::concurrency::locks::LockMode;
use crate::concurrency::locks::{MemberId, Noted, Patience, Resource, TreeId, Wanted};
use crate::engine::{Engine, Writer};
use crate::error::{StorageError, StorageResult};
use crate::layout::{DatabaseId, PageRef, TableId};
use crate::log::record::{Head, Kind};
use crate::memory_optimized::work::Work;
use crate::region::row_counts::pack;
use crate::trees::rows::{ReadMode, View};

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
    undo_next: u64,
    drops: usize,
    work: usize,
    objects_made: usize,
    objects_dropped: usize,
    /// Of `Transaction::row_changes`.
    row_changes: usize,
}

/// Ends the waits of a transaction from another worker (attention).
#[derive(Clone)]
pub struct Canceller {
    engine: Arc<Engine>,
    member: MemberId,
}

impl Canceller {
    pub fn cancel(&self) {
        self.engine.locks.cancel(self.member);
    }
}

/// Row locks on one table past which the table is locked instead.
const ESCALATION_LOCKS: u32 = 5000;
const HORIZON_EVERY_COMMITS: u32 = 64;
/// Of the lock of a table's shape; no row's key.
const SHAPE_KEY: &[u8] = b"shape";
/// Notes of how many rows a transaction has added or removed. What is beyond is noted without regard to savepoints.
const ROW_CHANGES_MAX: usize = 1 << 16;
const _: () = assert!(ESCALATION_LOCKS > 2 && HORIZON_EVERY_COMMITS.is_power_of_two());

/// Ranges of keys in one tree past which all of the tree is one.
const RANGES_A_TREE: usize = 500;

/// A table this transaction has locked, and how.
struct TableLock {
    resource: Resource,
    mode: LockMode,
    row_locks: u32,
}

/// Buffers used again from row to row.
#[derive(Default)]
pub(crate) struct Scratch {
    pub key: Vec<u8>,
    pub homes: Vec<u64>,
    pub entry: Vec<u8>,
    pub image: Vec<u8>,
}

pub struct Transaction {
    pub(crate) engine: Arc<Engine>,
    pub(crate) writer: Writer,
    isolation: Isolation,
    /// Commit time read at, once there is one.
    snapshot: Option<u64>,
    patience: Patience,
    tables: Vec<TableLock>,
    locks: Vec<Resource>,
    /// Of `locks`, those from here on go at the end of the statement.
    statement_locks: Vec<Resource>,
    /// Ranges of keys that it keeps others from inserting into, to its end.
    ranges: Vec<(TreeId, u32)>,
    /// Tables whose definition the statement holds.
    held_tables: Vec<Resource>,
    /// Trees and files to free after the commit.
    pub(crate) drops: Vec<PageRef>,
    /// Tables whose shape it changed: forgotten by the cache at its end.
    pub(crate) reshaped: Vec<(DatabaseId, TableId)>,
    pub(crate) scratch: Scratch,
    /// What it has to do with memory-optimized tables.
    pub(crate) work: Work,
    pub(crate) objects: ChangedObjects,
    made_garbage: bool,
    finished: bool,
    /// How many rows of a table (`row_counts::pack`) it has added: its rollback takes them from the table's count again. From
    /// `row_changes_open` on they are of no savepoint.
    row_changes: Vec<(u64, i64)>,
    row_changes_open: usize,
}

/// Objects of memory-optimized tables that come or go with the transaction.
#[derive(Default)]
pub(crate) struct ChangedObjects {
    pub made: Vec<u32>,
    pub dropped: Vec<u32>,
    /// Made, and taken back by a savepoint: they go however the transaction ends, once its list of changes says what was in them.
    unmade: Vec<u32>,
}

impl Transaction {
    pub(crate) fn new(engine: Arc<Engine>, isolation: Isolation) -> Transaction {
        let member = engine.locks.enter();
        Transaction {
            writer: Writer::new(member, 0, 0),
            engine,
            isolation,
            snapshot: None,
            patience: Patience::Forever,
            tables: Vec::new(),
            locks: Vec::new(),
            statement_locks: Vec::new(),
            ranges: Vec::new(),
            held_tables: Vec::new(),
            drops: Vec::new(),
            reshaped: Vec::new(),
            scratch: Scratch::default(),
            work: Work::default(),
            objects: ChangedObjects::default(),
            made_garbage: false,
            finished: false,
            row_changes: Vec::new(),
            row_changes_open: 0,
        }
    }

    #[inline]
    pub fn isolation(&self) -> Isolation {
        self.isolation
    }

    /// Takes effect with the next statement. Changing to `Snapshot` is the caller's to allow only before the first access.
    pub fn set_isolation(&mut self, isolation: Isolation) {
        self.isolation = isolation;
    }

    /// The SPID, shown in lock and transaction lists.
    pub fn set_session(&mut self, session: u32) {
        self.engine.locks[self.writer.member].session.store(session, Ordering::Relaxed);
    }

    /// When it began, by `os::clock::now`.
    pub fn begun_ns(&self) -> u64 {
        self.engine.locks[self.writer.member].begun_ns.load(Ordering::Relaxed)
    }

    /// Milliseconds; negative waits for ever, 0 not at all.
    pub fn set_lock_timeout_ms(&mut self, timeout_ms: i64) {
        self.patience = u64::try_from(timeout_ms).map_or(Patience::Forever, Patience::Ms);
    }

    /// Whether somebody waits for what it has locked or changed.
    pub fn holds_up_others(&self) -> bool {
        self.engine.locks.holds_up(self.writer.member)
    }

    /// -10 to 10; the lower one is the victim.
    pub fn set_deadlock_priority(&mut self, priority: i8) {
        self.engine.locks[self.writer.member].priority.store(priority as i32, Ordering::Relaxed);
    }

    pub fn canceller(&self) -> Canceller {
        Canceller { engine: self.engine.clone(), member: self.writer.member }
    }

    /// Forgets an earlier `cancel`: called when a new request begins.
    pub fn clear_cancel(&mut self) {
        self.engine.locks.clear_cancel(self.writer.member);
    }

    /// A new statement: a new snapshot under READ COMMITTED, and scans of this statement do not see rows it writes.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn begin_statement(&mut self) {
        os::plant!();
        debug_assert!(!self.finished, "a transaction that is over has no statements");
        self.writer.statement = self.writer.statement.saturating_add(1);
        if !self.statement_locks.is_empty() {
            self.release_statement_locks();
        }
        if self.isolation != Isolation::Snapshot {
            self.snapshot = None;
        }
    }

    fn release_statement_locks(&mut self) {
        for resource in self.statement_locks.drain(..) {
            self.engine.locks.release(self.writer.member, resource);
        }
    }

    /// True after the first change; a read-only transaction commits without touching the log.
    pub fn has_changes(&self) -> bool {
        self.writer.last_lsn != 0 || self.work.has_changes()
    }

    /// Some after the first change.
    pub fn id(&self) -> Option<u64> {
        (self.writer.id != 0).then_some(self.writer.id)
    }

    /// As the DMVs show it.
    pub fn told_id(&self) -> u64 {
        self.writer.member.told_id(self.writer.id)
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn savepoint(&mut self) -> Savepoint {
        os::plant!();
        self.work.tally.transaction.savepoints += 1;
        self.row_changes_open = self.row_changes.len();
        self.here()
    }

    /// A savepoint that is no more than a change's own.
    fn here(&self) -> Savepoint {
        Savepoint {
            undo_next: self.writer.last_lsn,
            drops: self.drops.len(),
            work: self.work.length(),
            objects_made: self.objects.made.len(),
            objects_dropped: self.objects.dropped.len(),
            row_changes: self.row_changes.len(),
        }
    }

    /// Undoes everything done since the savepoint. Locks stay.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn rollback_to(&mut self, savepoint: Savepoint) -> StorageResult<()> {
        os::plant!();
        self.work.tally.transaction.savepoint_rollbacks += 1;
        self.undo_to(savepoint)
    }

    fn undo_to(&mut self, savepoint: Savepoint) -> StorageResult<()> {
        assert!(savepoint.undo_next <= self.writer.last_lsn, "a savepoint lies before: {savepoint:?}");
        assert!(savepoint.work <= self.work.length(), "the list of changes only grows: {savepoint:?}");
        self.engine.undo(&mut self.writer, savepoint.undo_next)?;
        if let Some(list) = &self.work.list {
            self.engine.undo_work(list, savepoint.work, self.writer.id);
        }
        self.objects.dropped.truncate(savepoint.objects_dropped);
        self.objects.unmade.extend(self.objects.made.drain(savepoint.objects_made..));
        self.drops.truncate(savepoint.drops);
        self.take_back_rows(savepoint.row_changes);
        self.forget_shapes(false);
        self.engine.locks.undone_in_part(self.writer.member);
        Ok(())
    }

    /// A row more of a table, or one less.
    #[inline]
    pub(crate) fn row_added(&mut self, db: DatabaseId, table: TableId, rows: i64) {
        let table = pack(db, table);
        match self.row_changes[self.row_changes_open..].last_mut() {
            Some(last) if last.0 == table => last.1 += rows,
            _ => self.note_rows(table, rows),
        }
    }

    #[cold]
    fn note_rows(&mut self, table: u64, rows: i64) {
        let from = if self.row_changes.len() < ROW_CHANGES_MAX { self.row_changes_open } else { 0 };
        match self.row_changes[from..].iter_mut().find(|(known, _)| *known == table) {
            Some((_, known)) => *known += rows,
            None => self.row_changes.push((table, rows)),
        }
    }

    /// What was noted from `first` on is undone.
    fn take_back_rows(&mut self, first: usize) {
        for (table, rows) in self.row_changes.drain(first..) {
            self.engine.shapes.row_counts.take_back(table, rows);
        }
        self.row_changes_open = self.row_changes_open.min(self.row_changes.len());
    }

    /// Runs a change of a table's rows: under the table's lock, all of it or nothing.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn change<T>(
        &mut self,
        db: DatabaseId,
        table: TableId,
        change: impl FnOnce(&mut Transaction) -> StorageResult<T>,
    ) -> StorageResult<T> {
        os::plant!();
        self.check_running()?;
        self.table_lock(db, table, LockMode::IntentExclusive, self.patience)?;
        let before = self.here();
        match change(self) {
            Err(error) if !matches!(error, StorageError::Stopped(_)) => {
                self.undo_to(before)?;
                Err(error)
            }
            result => result,
        }
    }

    /// What the statement does from now on gives space back, or does not: that may use a part of the log which is kept for it.
    pub fn set_frees_space(&mut self, frees_space: bool) {
        self.writer.frees_space = frees_space;
    }

    /// Runs what inserts into tables that this very statement has made, nothing else, and whose failure is the statement's: then the
    /// tables go whole, and no row is undone by itself.
    pub fn filling<T>(&mut self, fill: impl FnOnce(&mut Transaction) -> T) -> T {
        let outer = std::mem::replace(&mut self.writer.fills_own_trees, true);
        let filled = fill(self);
        self.writer.fills_own_trees = outer;
        filled
    }

    /// Runs what fills trees that the transaction has made since `before`: if it fails they go whole, however much is in them.
    pub(crate) fn fill_own_trees(
        &mut self,
        before: Savepoint,
        fill: impl FnOnce(&mut Transaction) -> StorageResult<()>,
    ) -> StorageResult<()> {
        debug_assert!(before.undo_next < self.writer.last_lsn, "the trees' creation comes after the savepoint");
        let filled = self.filling(fill);
        if filled.is_err() {
            self.rollback_to(before)?;
        }
        filled
    }

    pub fn commit(self, durability: Durability) -> StorageResult<()> {
        self.commit_then(durability, || {})
    }

    /// `publish` runs when the commit holds and its locks are not released yet: who has waited for one of them finds done what it
    /// does. Not called if the commit fails. It must not wait for long.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn commit_then(mut self, durability: Durability, publish: impl FnOnce()) -> StorageResult<()> {
        os::plant!();
        assert!(!self.finished, "a transaction ends once");
        if self.work.time.is_some()
            && let Err(error) = self.validate()
        {
            self.work.failed = true;
            self.roll_back()?;
            return Err(error);
        }
        self.work.tally.transaction.read_only = u64::from(!self.work.has_changes());
        debug_assert!(self.writer.id != 0 || !self.has_changes(), "who has changed something has an id");
        if self.writer.last_lsn == 0 {
            publish();
            self.end_work();
            self.finish(true);
            return Ok(());
        }
        let engine = &*self.engine;
        let drops: Vec<u8> =
            self.drops.iter().flat_map(|at| [at.file.to_le_bytes(), at.page.to_le_bytes()].concat()).collect();
        let head = Head::commit(self.writer.id, self.writer.last_lsn, os::clock::utc_ticks());
        let member = &engine.locks[self.writer.member];
        // From here on it is committed, or the server ends: what is half done can no more be rolled back.
        let _whole = os::panics::Undivided::begin("a commit");
        let section = os::engines::section(member);
        let appended = engine.log.append(head, &[&drops]);
        if let Ok((_, end)) = appended {
            member.committed.store(end, Ordering::SeqCst);
            debug_assert!(end > self.writer.last_lsn, "the commit record is the last");
        }
        section.end();
        let (_, end) = appended?;
        os::sim_point!("commit.logged");
        match durability {
            // S2. A failure here stops the instance: whether the commit holds is decided by recovery.
            Durability::Full if self.writer.durable => {
                if let Err(error) = engine.log.harden(end) {
                    self.finished = true;
                    return Err(error);
                }
            }
            Durability::Delayed if self.writer.durable => engine.log.delay(),
            // Of tempdb only: nothing to keep.
            _ => {}
        }
        os::sim_point!("commit.hardened");
        debug_assert!(
            durability == Durability::Delayed || !self.writer.durable || engine.log.hardened() >= end,
            "S2: hardened, then visible"
        );
        self.end_work();
        os::sim_point!("commit.visible");
        let engine = &*self.engine;
        let now = engine.commits.now();
        for number in self.objects.dropped.iter().chain(&self.objects.unmade) {
            engine.xtp.objects.drop_soon(*number, now);
        }
        if !self.reshaped.is_empty() {
            engine.note_reshaped(&self.reshaped);
        }
        publish();
        let drops = std::mem::take(&mut self.drops);
        self.finish(true);
        if !drops.is_empty() {
            self.engine.pending_frees.add(drops);
            self.engine.free_soon()?;
        }
        Ok(())
    }

    /// The rules of memory-optimized tables: whether what was read still holds. Then their rows go into the log.
    fn validate(&mut self) -> StorageResult<()> {
        debug_assert!(self.work.time.is_some() && !self.finished);
        let patience = self.patience;
        self.engine.validate(&self.writer, &mut self.work, patience).inspect_err(|error| {
            let failed = matches!(error, StorageError::NotRepeatable { .. } | StorageError::Phantom { .. });
            self.work.tally.transaction.validation_failures += u64::from(failed);
        })?;
        self.engine.log_work(&mut self.writer, &mut self.work)
    }

    /// The commit holds: it becomes visible, and the rows of memory-optimized tables say so.
    fn end_work(&mut self) {
        let engine = &*self.engine;
        assert_eq!(self.work.commit_time.is_some(), self.work.has_changes(), "rows that were validated are settled");
        match (self.work.commit_time, self.work.list) {
            (Some(time), Some(list)) => {
                engine.commits.confirm(self.writer.id, time);
                engine.settle(&list, time);
                self.leave_garbage(time);
            }
            _ if self.writer.id != 0 => {
                engine.commits.commit(self.writer.id);
            }
            _ => {}
        }
    }

    fn leave_garbage(&mut self, time: u64) {
        let member = &self.engine.locks[self.writer.member];
        if let Some(list) = self.work.list {
            debug_assert_eq!(member.work.load(Ordering::SeqCst), list.newest.word(), "others find the whole list");
            // What is in nobody's list and in no queue yet would be lost with the engine.
            let section = os::engines::section(member);
            // Without a list nothing of it is left to count: who dies after this has told all.
            self.work.list = None;
            self.work.tell_counts(&self.engine.xtp, member);
            member.work.store(0, Ordering::SeqCst);
            self.engine.leave_garbage(&list, time);
            section.end();
            self.made_garbage = true;
        }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn rollback(mut self) -> StorageResult<()> {
        os::plant!();
        self.roll_back()
    }

    fn roll_back(&mut self) -> StorageResult<()> {
        if self.finished {
            return Ok(());
        }
        let _whole = os::panics::Undivided::begin("a rollback");
        let counts = &mut self.work.tally.transaction;
        (counts.aborted, counts.aborted_by_system) = (1, u64::from(self.work.failed));
        if let Some(list) = &self.work.list {
            self.engine.undo_work(list, 0, self.writer.id);
        }
        if self.writer.last_lsn == 0 {
            if self.writer.id != 0 {
                self.engine.commits.rolled_back(self.writer.id);
            }
            self.leave_garbage(self.engine.commits.now());
            self.finish(false);
            return Ok(());
        }
        self.drops.clear();
        if let Err(error) = self.engine.undo(&mut self.writer, 0) {
            // Half undone: nobody may see it. Recovery finishes the job.
            self.engine.log.stop(error.clone());
            self.finished = true;
            return Err(error);
        }
        self.take_back_rows(0);
        let head = Head {
            kind: Kind::End,
            flags: 0,
            transaction: self.writer.id,
            previous: self.writer.last_lsn,
            file: 0,
            page: 0,
        };
        assert!(self.writer.id != 0, "who has records has an id");
        let ended = self.engine.log.append(head, &[]);
        self.engine.commits.rolled_back(self.writer.id);
        let now = self.engine.commits.now();
        for number in self.objects.made.iter().chain(&self.objects.unmade) {
            self.engine.xtp.objects.drop_soon(*number, now);
        }
        self.leave_garbage(now);
        self.finish(false);
        ended?;
        self.engine.free_soon()
    }

    /// What the cache holds of tables this transaction reshaped may be wrong by now: it is read again. `counted`: what it counted of
    /// their rows holds.
    fn forget_shapes(&mut self, counted: bool) {
        if !self.reshaped.is_empty() {
            self.engine.shapes.forget(&self.reshaped, counted);
        }
    }

    fn finish(&mut self, committed: bool) {
        let _whole = os::panics::Undivided::begin("the end of a transaction");
        debug_assert!(!self.work.has_changes(), "what was changed in memory is settled and left to the collector");
        self.finished = true;
        if self.work.time.is_some() {
            self.work.tally.settle(&self.engine.xtp);
        }
        self.engine.locks[self.writer.member].snapshot.store(u64::MAX, Ordering::SeqCst);
        self.forget_shapes(committed);
        let member = self.writer.member;
        for resource in self.held_tables.drain(..).chain(self.statement_locks.drain(..)).chain(self.locks.drain(..)) {
            self.engine.locks.release(member, resource);
        }
        for (tree, slot) in self.ranges.drain(..) {
            self.engine.locks.ranges.release(tree, slot);
        }
        if self.writer.id != 0
            && self.engine.numbers.commits_since_advance.fetch_add(1, Ordering::Relaxed) % HORIZON_EVERY_COMMITS
                == HORIZON_EVERY_COMMITS - 1
        {
            self.engine.advance_horizon();
            if self.engine.ghosts.are_old(self.engine.commits.horizon()) {
                self.engine.cleaner.set();
            }
        }
        if self.made_garbage {
            self.engine.collect_some_rows(member);
        }
        self.engine.locks.leave(member);
        if self.work.failed {
            // Who was first may be waiting for its turn on this scheduler: trying again before would fail again.
            os::wait::yield_now();
        }
        if os::sim::active() {
            self.engine.force_rare_ways();
        }
    }

    /// The time this statement reads at (under SNAPSHOT: this transaction), taken at the first need.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn snapshot(&mut self) -> u64 {
        os::plant!();
        if let Some(time) = self.snapshot {
            return time;
        }
        // Announced before it is read: the horizon must not pass the time we are about to get.
        self.engine.locks[self.writer.member].snapshot.store(1, Ordering::SeqCst);
        let time = self.engine.commits.now();
        // What memory-optimized tables are read as of stays the same in the whole transaction.
        let oldest = self.work.time.map_or(time, |first| first.min(time));
        debug_assert!(
            self.work.time.is_none_or(|first| first <= time),
            "the clock goes forward: {:?}, {time}",
            self.work.time
        );
        self.engine.locks[self.writer.member].snapshot.store(oldest, Ordering::SeqCst);
        self.snapshot = Some(time);
        time
    }

    /// The time this transaction reads memory-optimized tables as of, taken at the first need.
    #[inline]
    pub(crate) fn memory_time(&mut self) -> u64 {
        if let Some(time) = self.work.time {
            return time;
        }
        self.begin_memory_time()
    }

    #[cold]
    fn begin_memory_time(&mut self) -> u64 {
        let time = self.snapshot();
        debug_assert!(self.work.list.is_none() && self.work.reads.is_empty(), "the time comes first");
        self.work.time = Some(time);
        self.engine.locks[self.writer.member].memory_time.store(time, Ordering::Relaxed);
        time
    }

    /// Returns when the transactions whose changes were seen early have committed.
    #[inline]
    pub(crate) fn await_commits(&mut self, ids: &[u64]) -> StorageResult<()> {
        if ids.is_empty() { Ok(()) } else { self.await_each(ids) }
    }

    #[cold]
    fn await_each(&mut self, ids: &[u64]) -> StorageResult<()> {
        let waited = self.engine.await_commits(&self.writer, &mut self.work.tally, ids, self.patience);
        self.work.failed |= waited.as_ref().is_err_and(|error| *error == StorageError::DependencyFailed);
        waited
    }

    /// How this transaction reads now when no hint says otherwise.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn view(&mut self) -> View {
        os::plant!();
        self.view_at(self.isolation)
    }

    /// As `view`, at another isolation level.
    pub(crate) fn view_at(&mut self, isolation: Isolation) -> View {
        let mode = match isolation {
            Isolation::ReadUncommitted => ReadMode::Dirty,
            Isolation::ReadCommitted | Isolation::Snapshot => ReadMode::Snapshot(self.snapshot()),
            Isolation::ReadCommittedLocking | Isolation::RepeatableRead | Isolation::Serializable => ReadMode::Newest,
        };
        self.view_as(mode)
    }

    pub(crate) fn view_as(&self, mode: ReadMode) -> View {
        debug_assert!(
            !matches!(mode, ReadMode::Snapshot(time) if Some(time) != self.snapshot),
            "a snapshot that is announced"
        );
        View { mode, own: self.writer.id, before_statement: u32::MAX, conflict: None }
    }

    /// The time a change must not find the row newer than.
    pub(crate) fn conflict_time(&mut self) -> Option<u64> {
        (self.isolation == Isolation::Snapshot).then(|| self.snapshot())
    }

    pub(crate) fn patience(&self) -> Patience {
        self.patience
    }

    pub(crate) fn wait_for_range(&self, other: MemberId, mode: LockMode, patience: Patience) -> StorageResult<()> {
        let wait = match mode {
            LockMode::Shared => WaitType::LCK_M_RS_S,
            LockMode::Update => WaitType::LCK_M_RS_U,
            _ => WaitType::LCK_M_RX_X,
        };
        self.engine.locks.wait_for_member(self.writer.member, other, wait, patience, None)
    }

    /// Returns when the transaction `id` is over, which has written `row`.
    pub(crate) fn wait_for_end(&self, id: u64, mode: LockMode, patience: Patience, row: Resource) -> StorageResult<()> {
        self.engine.locks.wait_for_end(self.writer.member, id, mode, patience, Some(row))
    }

    /// Held to the end of the transaction.
    pub fn lock_table(&mut self, db: DatabaseId, table: TableId, mode: LockMode) -> StorageResult<()> {
        self.table_lock(db, table, mode, self.patience).map(|_| ())
    }

    /// Keeps others from changing the table's definition or dropping it until the statement ends: what a statement that reads it
    /// needs, at every isolation level. Otherwise it would go on in trees whose pages belong to others by now. `shares`: it reads what
    /// is committed, not versions or what is not, so it waits for who has locked the whole table (TABLOCKX).
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn hold_table(&mut self, db: DatabaseId, table: TableId, shares: bool) -> StorageResult<()> {
        os::plant!();
        let resource = Resource::Table(db, table);
        let mode = if shares { LockMode::IntentShared } else { LockMode::SchemaStability };
        let held =
            self.tables.iter().any(|held| held.resource == resource) || !shares && self.held_tables.contains(&resource);
        if !held && self.engine.locks.acquire(self.writer.member, resource, mode, self.patience)? {
            self.held_tables.push(resource);
        }
        debug_assert!(
            self.held_tables.contains(&resource) || self.holds_table(db, table, LockMode::SchemaStability),
            "the definition is held"
        );
        self.check_age(db, table)
    }

    /// The same for a statement that changes its rows: to the end of the transaction. A SNAPSHOT transaction begins with the first
    /// statement that accesses data, also an INSERT, and before that waits: what others commit meanwhile is newer.
    pub fn hold_table_to_change(&mut self, db: DatabaseId, table: TableId) -> StorageResult<()> {
        if self.isolation == Isolation::Snapshot {
            self.snapshot();
        }
        self.lock_table(db, table, LockMode::IntentExclusive)?;
        self.check_age(db, table)
    }

    /// Definitions have no versions: a snapshot from before a change of the table does not fit it.
    fn check_age(&self, db: DatabaseId, table: TableId) -> StorageResult<()> {
        match self.snapshot {
            Some(time)
                if self.isolation == Isolation::Snapshot && self.engine.shapes.is_younger_than((db, table), time) =>
            {
                Err(StorageError::Reshaped { table })
            }
            _ => Ok(()),
        }
    }

    /// What is read from here on is what is committed now, also in a transaction that has read before.
    pub fn renew_snapshot(&mut self) {
        self.snapshot = None;
    }

    /// The statement that held tables is over, with the functions and triggers it ran.
    pub fn end_statement(&mut self) {
        for resource in self.held_tables.drain(..) {
            debug_assert!(!self.locks.contains(&resource), "a lock is in one list");
            self.engine.locks.release(self.writer.member, resource);
        }
    }

    pub(crate) fn member(&self) -> MemberId {
        self.writer.member
    }

    /// In which it holds the table to the end.
    pub(crate) fn table_mode(&self, db: DatabaseId, table: TableId) -> Option<LockMode> {
        let resource = Resource::Table(db, table);
        self.tables.iter().find(|held| held.resource == resource).map(|held| held.mode)
    }

    /// It has locked the table and needs less from now on.
    pub(crate) fn weaken_table(&mut self, db: DatabaseId, table: TableId, mode: LockMode) {
        let resource = Resource::Table(db, table);
        let held = self.tables.iter_mut().find(|held| held.resource == resource).expect("a table that is locked");
        held.mode = mode;
        self.engine.locks.weaken(self.writer.member, resource, mode);
    }

    /// In this mode or a stronger one, to the end.
    pub(crate) fn holds_table(&self, db: DatabaseId, table: TableId, mode: LockMode) -> bool {
        self.table_mode(db, table).is_some_and(|held| held.covers(mode))
    }
    /// Index into `tables`. The usual case, locked already, is a look at a short list.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn table_lock(
        &mut self,
        db: DatabaseId,
        table: TableId,
        mode: LockMode,
        patience: Patience,
    ) -> StorageResult<usize> {
        os::plant!();
        let resource = Resource::Table(db, table);
        let known = self.tables.iter().position(|held| held.resource == resource);
        if let Some(at) = known
            && self.tables[at].mode.covers(mode)
        {
            return Ok(at);
        }
        if self.engine.locks.acquire(self.writer.member, resource, mode, patience)? {
            self.locks.push(resource);
        } else if let Some(at) = self.held_tables.iter().position(|held| *held == resource) {
            // The statement held it for itself.
            self.held_tables.swap_remove(at);
            self.locks.push(resource);
        }
        match known {
            Some(at) => {
                self.tables[at].mode = self.tables[at].mode.join(mode);
                debug_assert!(self.tables[at].mode.covers(mode));
                Ok(at)
            }
            None => {
                self.tables.push(TableLock { resource, mode, row_locks: 0 });
                debug_assert!(self.locks.contains(&resource), "a table's lock lasts to the end");
                Ok(self.tables.len() - 1)
            }
        }
    }

    /// A row lock, with the table's intent lock before it. `hold`: to the end of the transaction.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn lock_row(
        &mut self,
        db: DatabaseId,
        table: TableId,
        row: u64,
        mode: LockMode,
        hold: bool,
        patience: Patience,
    ) -> StorageResult<()> {
        os::plant!();
        let intent = if mode == LockMode::Shared { LockMode::IntentShared } else { LockMode::IntentExclusive };
        let at = self.table_lock(db, table, intent, patience)?;
        debug_assert!(self.tables[at].mode.covers(intent), "the table's intent lock comes first");
        if self.tables[at].mode.covers(mode) {
            return Ok(());
        }
        if self.tables[at].row_locks >= ESCALATION_LOCKS
            || self.tables[at].row_locks >= 2 && os::sim_choice!("locks.escalate", 16)
        {
            let whole = if mode == LockMode::Shared { LockMode::Shared } else { LockMode::Exclusive };
            if self.table_lock(db, table, whole, Patience::Ms(0)).is_ok() {
                return Ok(());
            }
            self.tables[at].row_locks /= 2;
        }
        let resource = Resource::Row(db, table, row);
        if self.engine.locks.acquire(self.writer.member, resource, mode, patience)? {
            self.tables[at].row_locks += 1;
            if hold { self.locks.push(resource) } else { self.statement_locks.push(resource) }
        } else if hold && let Some(at) = self.statement_locks.iter().position(|held| *held == resource) {
            self.statement_locks.swap_remove(at);
            self.locks.push(resource);
        }
        Ok(())
    }

    /// Keeps others from inserting into a range of keys, to the end of the transaction. Never waits: a leaf is latched. The
    /// transaction has the table's intent lock. Some: who has to end before that can be.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn lock_range(&mut self, wanted: &Wanted<'_>) -> StorageResult<Option<MemberId>> {
        os::plant!();
        if wanted.high.is_some_and(|high| high <= wanted.low) {
            return Ok(None);
        }
        let resource = Resource::Table(wanted.db, wanted.table);
        let table = self.tables.iter().find(|held| held.resource == resource);
        if table.expect("the scan has locked its table").mode.covers(wanted.mode) {
            return Ok(None);
        }
        let (locks, member) = (&self.engine.locks, self.writer.member);
        if self.ranges.iter().filter(|(tree, _)| *tree == wanted.tree).count() >= RANGES_A_TREE
            || self.ranges.len() >= 2 && os::sim_choice!("locks.widen", 16)
        {
            match locks.ranges.note(member, &Wanted { low: &[], high: None, ..*wanted })? {
                Noted::New(slot) => {
                    self.ranges.push((wanted.tree, slot));
                    return Ok(None);
                }
                Noted::Held => return Ok(None),
                Noted::Excluded(_) => {}
            }
        }
        Ok(match locks.ranges.note(member, wanted)? {
            Noted::New(slot) => {
                self.ranges.push((wanted.tree, slot));
                None
            }
            Noted::Held => None,
            Noted::Excluded(other) => Some(other),
        })
    }

    /// Gives a statement's row lock back early: the row did not qualify, or was only read.
    pub(crate) fn unlock_row(&mut self, db: DatabaseId, table: TableId, row: u64) {
        let resource = Resource::Row(db, table, row);
        if let Some(at) = self.statement_locks.iter().rposition(|held| *held == resource) {
            self.statement_locks.swap_remove(at);
            self.engine.locks.release(self.writer.member, resource);
        }
    }

    /// Waits until no other transaction's row lock excludes a change of the row. The change itself then holds others off.
    pub(crate) fn await_row(&mut self, row: Resource, patience: Patience) -> StorageResult<()> {
        // Kept to the end: a reader that holds it out for its own end must not be overtaken in between.
        if self.engine.locks.acquire(self.writer.member, row, LockMode::Exclusive, patience)? {
            self.locks.push(row);
            debug_assert!(!self.statement_locks.contains(&row), "a lock is in one list");
        }
        Ok(())
    }

    /// `sp_getapplock`: any resource name the caller hashes, in a space of its own. Held to the end of the transaction
    /// or `unlock_application`.
    pub fn lock_application(&mut self, db: DatabaseId, resource: u64, mode: LockMode) -> StorageResult<()> {
        let resource = Resource::Application(db, resource);
        if self.engine.locks.acquire(self.writer.member, resource, mode, self.patience)? {
            self.locks.push(resource);
        }
        Ok(())
    }

    /// Whether nobody else holds a lock that would make it wait.
    pub fn may_lock_application(&self, db: DatabaseId, resource: u64, mode: LockMode) -> bool {
        !self.engine.locks.is_excluded(self.writer.member, Resource::Application(db, resource), mode)
    }

    /// False: it was not held.
    pub fn unlock_application(&mut self, db: DatabaseId, resource: u64) -> bool {
        let resource = Resource::Application(db, resource);
        let held = self.locks.iter().position(|held| *held == resource);
        if let Some(at) = held {
            self.locks.swap_remove(at);
            self.engine.locks.release(self.writer.member, resource);
        }
        held.is_some()
    }

    /// Locks a key that no row need have, to the end of the transaction: who makes something that others do not see yet. `waits`: for who has
    /// the key. False: it is another's.
    pub fn lock_key(&mut self, db: DatabaseId, table: TableId, key: &[u8], waits: bool) -> StorageResult<bool> {
        let resource = Resource::row(db, table, key);
        let patience = if waits { self.patience } else { Patience::Ms(0) };
        match self.engine.locks.acquire(self.writer.member, resource, LockMode::Exclusive, patience) {
            Ok(true) => self.locks.push(resource),
            Ok(false) => {}
            Err(StorageError::LockTimeout) if !waits => return Ok(false),
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// Keeps others from changing what the table is made of, where they may use it meanwhile.
    pub(crate) fn lock_shape(&mut self, db: DatabaseId, table: TableId) -> StorageResult<()> {
        self.lock_key(db, table, SHAPE_KEY, true).map(|_| ())
    }

    /// It changes what the table is made of, alone.
    pub(crate) fn may_reshape(&self, db: DatabaseId, table: TableId) -> bool {
        self.holds_table(db, table, LockMode::SchemaModification)
            || self.locks.contains(&Resource::row(db, table, SHAPE_KEY))
    }

    /// Fails if a rollback or the caller stopped the instance.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub(crate) fn check_running(&self) -> StorageResult<()> {
        os::plant!();
        if self.finished {
            return Err(StorageError::Stopped("the transaction is over".into()));
        }
        self.engine.log.is_stopped().map_or(Ok(()), Err)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if !self.finished && self.roll_back().is_err() {
            // The instance has stopped; recovery will undo it.
            self.finished = true;
        }
        if !self.finished {
            self.finish(false);
        }
    }
}
