//! A memory-optimized table: reading and changing its rows.

pub mod look_up;
pub mod scan;
pub mod stats;
mod values;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::concurrency::commits::Status;
use crate::concurrency::locks::LockMode;
use crate::engine::Engine;
use crate::error::{StorageError, StorageResult};
use crate::layout::{IndexId, Locator, TableLayout};
use crate::transaction::Transaction;
use crate::xtp::eyes::Eyes;
use crate::xtp::hash_index;
use crate::xtp::memory::At;
use crate::xtp::row::{NEVER, OWNED, Row, row_bytes};
use crate::xtp::shape::{MemoryIndex, MemoryShape};
use crate::xtp::work_list::Change;
use os::engines;

/// As `crate::Table` of any kind; cheap to clone.
#[derive(Clone)]
pub struct MemoryTable {
    pub(crate) engine: Arc<Engine>,
    pub(crate) shape: Arc<MemoryShape>,
    pub(crate) opened: u64,
}

/// A row is named by its place and the time it was read as of: the version at that place is the one that was read as long as the
/// transaction reads as of that time.
#[inline]
pub(crate) fn locator_of(at: At, time: u64) -> [u8; 16] {
    debug_assert!(!at.is_none() && time != 0, "a row lies somewhere and is read as of a time");
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&at.word().to_le_bytes());
    bytes[8..].copy_from_slice(&time.to_le_bytes());
    bytes
}

fn row_at(locator: &[u8], time: u64) -> StorageResult<At> {
    let word = |at: usize| locator.get(at..at + 8).map(|bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes")));
    match (word(0), word(8)) {
        (Some(at), Some(read_at)) if read_at == time => Ok(At::of_word(at)),
        _ => Err(StorageError::RowGone),
    }
}

impl MemoryTable {
    pub(crate) fn index_at(&self, id: IndexId) -> StorageResult<usize> {
        let known = self.shape.indexes.iter().position(|index| index.layout.id == id);
        match known {
            Some(at) => Ok(at),
            // All rows, by any index.
            None if id == IndexId::HEAP => Ok(0),
            None => Err(StorageError::UnknownIndex),
        }
    }

    #[inline]
    pub(crate) fn eyes(&self, tx: &mut Transaction, before_statement: u32) -> Eyes<'_> {
        let time = tx.memory_time();
        Eyes { commits: &self.engine.commits, time, own: tx.writer.id, before_statement }
    }

    fn row(&self, at: At) -> Row<'_> {
        debug_assert!(!at.is_none(), "a row lies somewhere");
        Row::new(&self.engine.xtp.memory, at)
    }

    /// The number of the object that its rows are in.
    pub fn object(&self) -> u32 {
        self.shape.number
    }

    #[inline]
    pub fn layout(&self) -> &TableLayout {
        &self.shape.layout
    }

    pub fn insert(&self, tx: &mut Transaction, image: &[u8]) -> StorageResult<Locator> {
        let at = self.insert_row(tx, image)?;
        Ok(Locator::new(&locator_of(at, tx.memory_time())))
    }

    /// As `insert`, for who does not need the locator. Returns the row's place.
    #[inline]
    pub fn insert_row(&self, tx: &mut Transaction, image: &[u8]) -> StorageResult<At> {
        tx.work.tally.table(&self.engine.xtp, self.shape.object).inserts += 1;
        self.change(tx, |tx| {
            // Most tables have no values out of their rows.
            if self.shape.values.is_none() {
                return self.add(tx, &self.shape, image);
            }
            let split = self.split(tx, image, None)?;
            self.add(tx, &self.shape, split.as_deref().unwrap_or(image))
        })
    }

    /// A value of `image` may be the reference that the row has there (`look_up`, `MemoryScan::images`): then it stays.
    pub fn update(&self, tx: &mut Transaction, locator: &[u8], image: &[u8]) -> StorageResult<Locator> {
        self.update_but(tx, locator, image, &[])
    }

    /// As `update`, but of columns that are `unread` (`ScanSpec`) the values stay that are out of the row, whatever `image` has there.
    pub fn update_but(
        &self,
        tx: &mut Transaction,
        locator: &[u8],
        image: &[u8],
        unread: &[u16],
    ) -> StorageResult<Locator> {
        tx.work.tally.table(&self.engine.xtp, self.shape.object).updates += 1;
        let at = self.change(tx, |tx| {
            let old = self.row(row_at(locator, tx.memory_time())?);
            self.end(tx, old)?;
            debug_assert_eq!(old.object(), self.shape.object, "a row of this table");
            let split = self.split(tx, image, Some((old.image(), unread)))?;
            self.add(tx, &self.shape, split.as_deref().unwrap_or(image))
        })?;
        Ok(Locator::new(&locator_of(at, tx.memory_time())))
    }

    pub fn delete(&self, tx: &mut Transaction, locator: &[u8]) -> StorageResult<()> {
        tx.work.tally.table(&self.engine.xtp, self.shape.object).deletes += 1;
        self.change(tx, |tx| {
            let row = self.row(row_at(locator, tx.memory_time())?);
            self.end(tx, row)?;
            debug_assert_eq!(row.object(), self.shape.object, "a row of this table");
            self.end_values(tx, row.image())
        })
    }

    /// Who reads as of a time before the table was rebuilt would find none of its rows.
    #[inline]
    pub(crate) fn check_age(&self, tx: &mut Transaction) -> StorageResult<()> {
        let (db, table) = (self.shape.db, self.shape.table);
        match self.engine.shapes.is_younger_than((db, table), tx.memory_time()) {
            true => Err(StorageError::Reshaped { table }),
            false => Ok(()),
        }
    }

    /// Runs a change of its rows: all of it or nothing.
    #[inline]
    fn change<T>(
        &self,
        tx: &mut Transaction,
        change: impl FnOnce(&mut Transaction) -> StorageResult<T>,
    ) -> StorageResult<T> {
        tx.check_running()?;
        if tx.work.changing != Some(self.shape.number) {
            self.begin_changes(tx)?;
        }
        let before = tx.work.length();
        debug_assert!(tx.writer.id != 0, "who changes rows has an id");
        let changed = change(tx);
        debug_assert!(tx.work.length() >= before, "what was done before stays");
        if changed.is_err()
            && let Some(list) = &tx.work.list
        {
            self.engine.undo_work(list, before, tx.writer.id);
        }
        self.engine.locks[tx.writer.member].rows_written.store(tx.work.length() as u32, Ordering::Relaxed);
        changed
    }

    /// What the first of a transaction's changes needs, and the next one after those of another table. It holds to the end: the lock
    /// keeps the table as it is.
    #[cold]
    fn begin_changes(&self, tx: &mut Transaction) -> StorageResult<()> {
        tx.table_lock(self.shape.db, self.shape.table, LockMode::IntentExclusive, tx.patience())?;
        self.check_age(tx)?;
        self.engine.identify(&mut tx.writer)?;
        if tx.work.list.is_none() {
            tx.work.contests = self.engine.xtp.numbers.contests.load(Ordering::SeqCst);
        }
        debug_assert!(tx.work.time.is_some(), "a change is made as of a time");
        tx.work.changing = Some(self.shape.number);
        Ok(())
    }

    /// Adds a version. `shape`: of the table, or of its values.
    fn add(&self, tx: &mut Transaction, shape: &MemoryShape, image: &[u8]) -> StorageResult<At> {
        debug_assert!(
            tx.holds_table(self.shape.db, self.shape.table, LockMode::IntentExclusive),
            "the table stays as it is until the end"
        );
        let (engine, memory) = (&self.engine, &self.engine.xtp.memory);
        shape.find_homes(memory, image, &mut tx.scratch.key, &mut tx.scratch.homes)?;
        let homes = &tx.scratch.homes;
        debug_assert_eq!(homes.len(), shape.indexes.len(), "a home for each index");
        let bytes = row_bytes(homes.len(), image.len());
        if tx.work.counts_first(shape.object) {
            engine.xtp.pools.admit(shape.db, bytes)?;
        }
        let owner = OWNED | tx.writer.id;
        debug_assert_eq!(engine.xtp.objects.at(shape.object).number(), shape.number, "the object is the table's");
        let member = &engine.locks[tx.writer.member];
        // A row that is in no list would be lost with its engine.
        let section = engines::section(member);
        tx.work.expect_version(&engine.xtp, member, shape.object);
        let created = Row::create(memory, shape.object, owner, tx.writer.statement, homes, image).and_then(|row| {
            let noted = tx.work.note(&engine.xtp, &member.work, row.at(), Change::Inserted);
            noted.inspect_err(|_| row.free())?;
            tx.work.count_version(&engine.xtp, member, bytes);
            Ok(row)
        });
        section.end();
        let row = created.map_err(|error| self.memory_full(error))?;
        os::sim_point!("xtp.insert");
        for (position, index) in shape.indexes.iter().enumerate() {
            index.link(&engine.xtp, row, position).map_err(|error| self.memory_full(error))?;
            let rival = hash_index::next(row, position);
            if index.layout.unique && !rival.is_none() {
                self.refuse_rivals(tx, (index, position), row, rival)?;
            }
        }
        Ok(row.at())
    }

    /// Another row of the same unique key: one that is seen is refused now. One that may come is looked at again by validation, by
    /// this transaction and by its own. `at`: the next one of its chain.
    fn refuse_rivals(
        &self,
        tx: &mut Transaction,
        (index, position): (&MemoryIndex, usize),
        row: Row<'_>,
        mut at: At,
    ) -> StorageResult<()> {
        let memory = &self.engine.xtp.memory;
        let home = row.home(position);
        let contest = |row: Row<'_>| {
            self.engine.xtp.numbers.contests.fetch_add(1, Ordering::SeqCst);
            row.contest();
        };
        while !at.is_none() {
            let other = Row::new(memory, at);
            debug_assert!(other.at() != row.at(), "a row comes before those that were there");
            at = hash_index::next(other, position);
            if other.home(position) != home {
                continue;
            }
            let eyes = self.eyes(tx, u32::MAX);
            let mut dependencies = Vec::new();
            let (seen, may_come) = (eyes.see(other, &mut dependencies), eyes.may_come(other));
            if !seen && !may_come && !eyes.has_begun(other) {
                // Rolled back.
                continue;
            }
            if !index.is_same_key(other.image(), row.image())? {
                continue;
            }
            if seen {
                // Whoever added it may have its commit time and fail yet: then nobody may be told that it is there.
                tx.await_commits(&dependencies)?;
                tx.work.tally.table(&self.engine.xtp, self.shape.object).unique_violations += 1;
                return Err(StorageError::DuplicateKey { table: self.shape.table, index: index.layout.id });
            }
            if !may_come {
                // It was there and has ended: whatever had the key before it has, too. But if this transaction had added it, its
                // rivals are now this one's.
                if other.begin().load(Ordering::SeqCst) == OWNED | tx.writer.id && other.is_contested() {
                    contest(row);
                }
                break;
            }
            contest(other);
            contest(row);
        }
        Ok(())
    }

    /// Ends a version: it becomes this transaction's, unless somebody else has changed it.
    fn end(&self, tx: &mut Transaction, row: Row<'_>) -> StorageResult<()> {
        let engine = &self.engine;
        let owner = OWNED | tx.writer.id;
        debug_assert!(tx.writer.id != 0, "who changes rows has an id");
        debug_assert!(row.begin().load(Ordering::SeqCst) != NEVER, "nobody has seen a row that was rolled back");
        let member = &engine.locks[tx.writer.member];
        let noted = tx.work.note(&engine.xtp, &member.work, row.at(), Change::Ended);
        noted.map_err(|error| self.memory_full(error))?;
        let mut now = NEVER;
        loop {
            match row.end().compare_exchange(now, owner, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => break,
                Err(found) if found == owner => {
                    tx.work.take_back(&engine.xtp);
                    return Err(StorageError::RowGone);
                }
                // What rolled back has not undone it yet: it is as good as undone.
                Err(found)
                    if found == NEVER
                        || found & OWNED != 0 && engine.commits.status(found & !OWNED) == Status::RolledBack =>
                {
                    now = found;
                }
                Err(_) => {
                    tx.work.take_back(&engine.xtp);
                    tx.work.tally.table(&engine.xtp, self.shape.object).write_conflicts += 1;
                    tx.work.failed = true;
                    return Err(StorageError::WriteConflict { table: self.shape.table });
                }
            }
        }
        row.set_ended_by(tx.writer.statement);
        os::sim_point!("xtp.end");
        Ok(())
    }

    /// Replaces `image` by the row. False: it is not there any more.
    pub fn fetch(&self, tx: &mut Transaction, locator: &[u8], image: &mut Vec<u8>) -> StorageResult<bool> {
        let Ok(at) = row_at(locator, tx.memory_time()) else { return Ok(false) };
        let row = self.row(at);
        let mut dependencies = Vec::new();
        let seen = self.eyes(tx, u32::MAX).see(row, &mut dependencies);
        tx.await_commits(&dependencies)?;
        if seen {
            self.join_into(row.image(), image)?;
        }
        Ok(seen)
    }

    fn memory_full(&self, error: StorageError) -> StorageError {
        match error {
            StorageError::OutOfMemory => self.engine.xtp.pools.refuse(self.shape.db),
            error => error,
        }
    }

    pub fn row_count_estimate(&self) -> u64 {
        self.engine.xtp.objects.at(self.shape.object).counted().0.max(0) as u64
    }
}

/// Indexes of a table: a row's header counts its links in 8 bits; SQL Server allowed 8 until 2017, then 999.
pub const INDEXES_MAX: usize = 255;
