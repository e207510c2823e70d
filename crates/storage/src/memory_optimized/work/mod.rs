//! What a transaction has to do with memory-optimized tables, from its first look at one to the end of its commit.
//!
//! ```text
//! normal      reads as of one time; a change owns the version it ends (first writer wins) and adds the new one
//! validation  the commit time is given: what was read must still be so then, what was looked for and not found still absent,
//!             unique keys unique; then the transactions whose changes were seen early must have committed
//! commit      log records; hardened; the commit becomes visible; then the words of its rows are settled
//! ```

pub mod records;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::bounds::KeyBound;
use crate::concurrency::commits::Status;
use crate::concurrency::locks::{LockMode, Member, MemberId, Patience};
use crate::engine::{Engine, Writer};
use crate::error::{StorageError, StorageResult};
use crate::layout::TableId;
use crate::xtp::Xtp;
use crate::xtp::counts::{IndexCounts, Tally};
use crate::xtp::cursor::Cursor;
use crate::xtp::eyes::Eyes;
use crate::xtp::memory::At;
use crate::xtp::pools::STEP_BYTES;
use crate::xtp::row::{NEVER, OWNED, Row};
use crate::xtp::shape::MemoryShape;
use crate::xtp::work_list::{Change, Entry, WorkList, blocks};

/// How a read of a memory-optimized table is protected until the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Snapshot,
    /// What was read must not have changed.
    RepeatableRead,
    /// Nor must there be more.
    Serializable,
}

/// A range that was looked through under SERIALIZABLE.
pub struct Looked {
    pub shape: Arc<MemoryShape>,
    pub index: usize,
    pub lower: KeyBound,
    pub upper: KeyBound,
    /// Equal bounds are one whole key.
    pub whole_keys: bool,
}

/// Versions that a transaction has inserted and not told their object of, and their bytes: less than a pool's step.
#[derive(Default)]
struct Uncounted {
    object: u16,
    rows: i64,
    bytes: i64,
}

#[derive(Default)]
pub struct Work {
    /// The time it reads as of, from the first need to the end.
    pub time: Option<u64>,
    pub list: Option<WorkList>,
    pub reads: Vec<(TableId, At)>,
    pub looks: Vec<Looked>,
    /// Given by validation.
    pub commit_time: Option<u64>,
    pub tally: Tally,
    uncounted: Uncounted,
    /// How many rows had been contested before its first change.
    pub contests: u64,
    /// The object that it changed last.
    pub changing: Option<u32>,
    /// Somebody else was first, or it did not pass validation: if it is rolled back, that is why.
    pub failed: bool,
}

impl Work {
    pub fn has_changes(&self) -> bool {
        self.list.is_some_and(|list| !list.is_empty())
    }

    #[inline]
    pub fn length(&self) -> usize {
        self.list.map_or(0, |list| list.length)
    }

    /// Adds to the list that others find in `head`.
    #[inline]
    pub fn note(&mut self, xtp: &Xtp, head: &AtomicU64, row: At, change: Change) -> StorageResult<()> {
        self.list.get_or_insert(WorkList::EMPTY).push(&xtp.memory, head, Entry { row, change })
    }

    /// Whether no version of `object` is waiting to be told of: those that are were admitted with the first of them.
    #[inline]
    pub fn counts_first(&self, object: u16) -> bool {
        self.uncounted.object != object || self.uncounted.rows == 0
    }

    /// Before a version of `object` is noted and counted: all in one critical section, or nobody would know of what a dead engine has
    /// noted whether it was counted.
    #[inline]
    pub fn expect_version(&mut self, xtp: &Xtp, member: &Member, object: u16) {
        debug_assert!(member.id.load(Ordering::Relaxed) != 0, "who changes rows has an id");
        if self.uncounted.object != object {
            self.tell_counts(xtp, member);
            self.uncounted.object = object;
        }
    }

    #[inline]
    pub fn count_version(&mut self, xtp: &Xtp, member: &Member, bytes: usize) {
        debug_assert!(bytes > 0 && self.length() > 0, "a version is noted before it is counted");
        self.uncounted.rows += 1;
        self.uncounted.bytes += bytes as i64;
        if self.uncounted.bytes >= STEP_BYTES {
            self.tell_counts(xtp, member);
        }
    }

    /// Tells the object of the versions that were counted. Within a critical section.
    #[cold]
    pub fn tell_counts(&mut self, xtp: &Xtp, member: &Member) {
        let Uncounted { object, rows, bytes } = std::mem::take(&mut self.uncounted);
        debug_assert!(rows >= 0 && bytes >= 0 && (rows == 0) == (bytes == 0), "{rows} versions of {bytes} bytes");
        if rows > 0 {
            xtp.objects.at(object).count(&xtp.pools, rows, bytes);
        }
        member.work_counted.store(self.length() as u64, Ordering::Relaxed);
    }

    pub fn take_back(&mut self, xtp: &Xtp) {
        self.list.as_mut().expect("noted before").pop(&xtp.memory);
    }
}

impl Engine {
    /// Undoes all changes after the first `kept`. `id`: the transaction.
    pub fn undo_work(&self, list: &WorkList, kept: usize, id: u64) {
        assert!(kept <= list.length, "a savepoint of {kept} changes among {}", list.length);
        debug_assert!(id != 0 || list.is_empty(), "who changes rows has an id");
        list.revise(&self.xtp.memory, list.length - kept, |entry| {
            let row = Row::new(&self.xtp.memory, entry.row);
            match entry.change {
                Change::Inserted => {
                    // Undone already: by an engine that died before it said so.
                    let begin = row.begin().load(Ordering::SeqCst);
                    debug_assert!(begin == OWNED | id || begin == NEVER, "a row that is its transaction's: {begin:#x}");
                    row.begin().store(NEVER, Ordering::SeqCst);
                    os::sim_point!("xtp.undo");
                    Some(Entry { change: Change::Undone, ..entry })
                }
                Change::Ended => {
                    // Unless it never came to own it.
                    let _ = row.end().compare_exchange(OWNED | id, NEVER, Ordering::SeqCst, Ordering::Relaxed);
                    None
                }
                Change::Undone => Some(entry),
            }
        });
    }

    /// Gives the transaction its commit time and decides whether it may commit. If not, it has to be rolled back.
    pub fn validate(&self, writer: &Writer, work: &mut Work, patience: Patience) -> StorageResult<()> {
        assert_eq!(work.commit_time, None, "a transaction is validated once");
        let time = match work.has_changes() {
            true => {
                let time = self.commits.prepare(writer.id);
                work.commit_time = Some(time);
                time
            }
            false => self.commits.now(),
        };
        os::sim_point!("xtp.validate");
        assert!(work.time.is_none_or(|begun| begun <= time), "begun at {:?}, to commit at {time}", work.time);
        debug_assert!(work.commit_time.is_none_or(|end| work.time.is_some_and(|begun| begun < end)), "begin < end");
        let eyes = Eyes { commits: &self.commits, time, own: writer.id, before_statement: u32::MAX };
        let memory = &self.xtp.memory;
        let mut dependencies = Vec::new();
        // Most often nobody has contested any row since it began, and none has to be looked at.
        let contests = self.xtp.numbers.contests.load(Ordering::SeqCst);
        if let Some(list) = work.list.as_ref().filter(|_| contests != work.contests) {
            let mut contested = Vec::new();
            for block in blocks(memory, list.newest) {
                for entry in block.changes_ahead() {
                    if entry.change == Change::Inserted && Row::new(memory, entry.row).is_contested() {
                        contested.push(entry.row);
                    }
                }
            }
            for at in contested {
                let row = Row::new(memory, at);
                let object = self.xtp.objects.of(row);
                let shape = self.memory_shape(object.database(), object.table())?;
                self.check_unique(&eyes, &shape, row)?;
            }
        }
        for (table, at) in &work.reads {
            let row = Row::new(memory, *at);
            let own_end = row.end().load(Ordering::SeqCst) == OWNED | writer.id;
            if !own_end && !eyes.see(row, &mut dependencies) {
                return Err(StorageError::NotRepeatable { table: *table });
            }
        }
        let since = work.time;
        for look in &work.looks {
            let counts = work.tally.index(&self.xtp, look.shape.object, look.index);
            self.look_again(&eyes, since.expect("it has looked"), look, &mut dependencies, counts)?;
        }
        self.await_commits(writer, &mut work.tally, &dependencies, patience)
    }

    /// No other row of the same unique key is there at the eyes' time.
    fn check_unique(&self, eyes: &Eyes<'_>, shape: &MemoryShape, row: Row<'_>) -> StorageResult<()> {
        debug_assert!(row.is_contested(), "only where somebody said that there may be another");
        if row.end().load(Ordering::SeqCst) != NEVER || row.begin().load(Ordering::SeqCst) == NEVER {
            // Its own transaction has taken it away again.
            return Ok(());
        }
        for (position, index) in shape.indexes.iter().enumerate().filter(|(_, index)| index.layout.unique) {
            let mut others = index.chain_of(&self.xtp.memory, row.home(position));
            while let Some(other) = others.next(&self.xtp.memory, position) {
                let is_rival = other.at() != row.at()
                    && other.home(position) == row.home(position)
                    && eyes.see(other, &mut Vec::new())
                    && index.is_same_key(other.image(), row.image())?;
                if is_rival {
                    return Err(StorageError::Phantom { table: shape.table });
                }
            }
        }
        Ok(())
    }

    /// Nobody has added a row to what the transaction looked through as of `since`.
    fn look_again(
        &self,
        eyes: &Eyes<'_>,
        since: u64,
        look: &Looked,
        dependencies: &mut Vec<u64>,
        counts: &mut IndexCounts,
    ) -> StorageResult<()> {
        let before = Eyes { time: since, ..*eyes };
        debug_assert!(since <= eyes.time, "looked as of {since}, again as of {}", eyes.time);
        let index = &look.shape.indexes[look.index];
        let mut rows = Cursor::default();
        rows.begin(&self.xtp, index, (&look.lower, &look.upper), look.whole_keys, false);
        let mut seen = 0_u32;
        counts.phantom_scans += 1;
        while let Some(row) = rows.step(&self.xtp, index, look.index)? {
            let is_there = eyes.see(row, dependencies);
            counts.meet_again(row, is_there);
            let is_new =
                row.begin().load(Ordering::SeqCst) != OWNED | eyes.own && is_there && !before.see(row, &mut Vec::new());
            if is_new {
                return Err(StorageError::Phantom { table: look.shape.table });
            }
            seen += 1;
            if seen.is_multiple_of(256) {
                os::wait::maybe_yield();
            }
        }
        Ok(())
    }

    /// Returns when all of these transactions have committed.
    pub fn await_commits(
        &self,
        writer: &Writer,
        tally: &mut Tally,
        ids: &[u64],
        patience: Patience,
    ) -> StorageResult<()> {
        for id in ids {
            debug_assert!(*id != writer.id && *id != 0, "nobody waits for its own commit");
            tally.transaction.dependencies += 1;
            loop {
                match self.commits.status(*id) {
                    Status::Committed(_) => break,
                    Status::RolledBack => {
                        tally.transaction.dependencies_failed += 1;
                        return Err(StorageError::DependencyFailed);
                    }
                    Status::Active | Status::Preparing(_) => {
                        self.locks.wait_for_end(writer.member, *id, LockMode::Shared, patience, None)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The transaction has committed at `time`: its rows say so from here on.
    pub fn settle(&self, list: &WorkList, time: u64) {
        debug_assert!(time < OWNED, "a time, not a transaction");
        for block in blocks(&self.xtp.memory, list.newest) {
            for entry in block.changes_ahead() {
                let row = Row::new(&self.xtp.memory, entry.row);
                debug_assert!(
                    entry.change != Change::Inserted
                        || matches!(row.begin().load(Ordering::Relaxed), begin if begin & OWNED != 0 || begin == time),
                    "a row begins when its transaction commits"
                );
                debug_assert!(
                    entry.change != Change::Ended
                        || matches!(row.end().load(Ordering::Relaxed), end if end & OWNED != 0 || end == time),
                    "a row ends when its transaction commits"
                );
                // Release: who finds the transaction long over, as the horizon says after its end, finds the time.
                match entry.change {
                    Change::Inserted => row.begin().store(time, Ordering::Release),
                    Change::Ended => row.end().store(time, Ordering::Release),
                    Change::Undone => {}
                }
            }
            os::sim_point!("xtp.settle");
        }
    }

    /// Lets all versions go that nobody needs any more, of both kinds of table.
    pub fn collect_versions(&self) {
        let xtp = &self.xtp;
        let dropped = || xtp.objects.all().filter(|(_, object)| object.is_dropped());
        let has_work = !xtp.garbage.is_empty() || dropped().next().is_some();
        if has_work {
            // Without commits the clock would stand still, and nobody be younger than what was taken out of its chains.
            self.commits.tick();
        }
        self.advance_horizon();
        if xtp.retired.waiting() > 0 {
            xtp.retired.collect(&xtp.memory);
        }
        if has_work {
            let oldest = xtp.numbers.oldest.load(Ordering::SeqCst);
            debug_assert!(oldest <= self.commits.now(), "no snapshot is of a time to come");
            let cleaner = self.locks.enter_cleaner();
            self.stand_on_rows(cleaner);
            xtp.garbage.collect_all(xtp, oldest, || self.commits.now());
            self.locks.leave(cleaner);
            let gone: Vec<u16> = dropped().filter(|(_, object)| object.may_go(oldest)).map(|(slot, _)| slot).collect();
            gone.into_iter().for_each(|slot| xtp.objects.remove(&xtp.memory, &xtp.pools, slot));
        }
    }

    /// Does a little of it, after a transaction that made some.
    pub fn collect_some_rows(&self, member: MemberId) {
        let xtp = &self.xtp;
        let oldest = xtp.numbers.oldest.load(Ordering::SeqCst);
        self.stand_on_rows(member);
        xtp.garbage.collect_some(xtp, oldest, || self.commits.now());
    }

    /// From now on until `member` leaves nobody frees what is in a chain: whoever walks one to take versions out of it stands on others
    /// that somebody else takes out.
    fn stand_on_rows(&self, member: MemberId) {
        let snapshot = &self.locks[member].snapshot;
        // Announced before it is read, as `Transaction::snapshot` does it.
        snapshot.store(1, Ordering::SeqCst);
        snapshot.store(self.commits.now(), Ordering::SeqCst);
    }

    /// Counts the versions that a dead engine's transaction has inserted and not told of: among the changes after the first `counted`.
    pub fn count_versions(&self, list: &WorkList, counted: usize) {
        assert!(counted <= list.length, "{counted} of {} changes are counted", list.length);
        let changes = list.last_changes(&self.xtp.memory, list.length - counted);
        for entry in changes.filter(|entry| entry.change != Change::Ended) {
            let row = Row::new(&self.xtp.memory, entry.row);
            self.xtp.objects.of(row).count(&self.xtp.pools, 1, row.bytes() as i64);
        }
    }

    /// The transaction is over and settled: what it ended or undid is garbage as of `time`; blocks without any are free.
    pub fn leave_garbage(&self, list: &WorkList, time: u64) {
        debug_assert!(time < OWNED, "a time, not a transaction");
        let memory = &self.xtp.memory;
        for block in blocks(memory, list.newest) {
            if !block.has_garbage() {
                block.free();
                continue;
            }
            for entry in block.changes().filter(|entry| entry.change != Change::Inserted) {
                self.xtp.objects.of(Row::new(memory, entry.row)).count_garbage(1);
            }
            self.xtp.garbage.add(memory, block, time);
        }
    }
}
