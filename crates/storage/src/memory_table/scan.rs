//! Reading a memory-optimized table by one of its indexes, in parts.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use types::RowBatch;

use super::{MemoryTable, locator_of};
use crate::bounds::KeyBound;
use crate::error::{StorageError, StorageResult};
use crate::scan::{RowRef, ScanSpec, append_locator, append_row};
use crate::transaction::{Isolation, Transaction};
use crate::xtp::cursor::Cursor;
use crate::xtp::memory::At;
use crate::xtp::row::Row;
use crate::xtp_work::{Level, Looked};

pub struct MemoryScan {
    table: MemoryTable,
    /// Position of the index in the table's.
    index: usize,
    spec: ScanSpec,
    fixed: bool,
    at: Cursor,
    /// It has looked for a row of its range: until then it may still be given another one, and has seen nothing.
    begun: bool,
    /// The range, for validation.
    look: Option<Looked>,
    statement: u32,
    locator: [u8; 16],
}

impl MemoryScan {
    pub(crate) fn new(table: MemoryTable, tx: &mut Transaction, spec: ScanSpec) -> StorageResult<MemoryScan> {
        tx.check_running()?;
        let index = table.index_at(spec.index)?;
        let fixed = spec.columns.iter().all(|column| !table.shape.layout.row.is_variable(usize::from(*column)));
        let (lower, upper) = (spec.lower.clone(), spec.upper.clone());
        let mut scan = MemoryScan {
            table,
            index,
            spec,
            fixed,
            at: Cursor::Done,
            begun: false,
            look: None,
            statement: tx.writer.statement,
            locator: [0; 16],
        };
        scan.restart(tx, &lower, &upper)?;
        Ok(scan)
    }

    pub fn restart<K: AsRef<[u8]>>(
        &mut self,
        tx: &mut Transaction,
        lower: &KeyBound<K>,
        upper: &KeyBound<K>,
    ) -> StorageResult<()> {
        tx.check_running()?;
        self.table.check_age(tx)?;
        self.statement = tx.writer.statement;
        let index = &self.table.shape.indexes[self.index];
        let whole_keys = self.spec.whole_keys;
        self.at = Cursor::new(&self.table.engine.xtp, index, (lower, upper), whole_keys, self.spec.backward);
        self.begun = false;
        self.look = (self.level(tx) == Level::Serializable).then(|| Looked {
            shape: Arc::clone(&self.table.shape),
            index: self.index,
            lower: lower.to_owned_key(),
            upper: upper.to_owned_key(),
            whole_keys,
        });
        Ok(())
    }

    fn level(&self, tx: &Transaction) -> Level {
        let lock = &self.spec.lock;
        match tx.isolation() {
            _ if lock.hold => Level::Serializable,
            _ if lock.repeatable => Level::RepeatableRead,
            _ if lock.snapshot => Level::Snapshot,
            Isolation::Serializable => Level::Serializable,
            Isolation::RepeatableRead => Level::RepeatableRead,
            _ => Level::Snapshot,
        }
    }

    /// The next row that the transaction sees.
    fn advance(&mut self, tx: &mut Transaction, dependencies: &mut Vec<u64>) -> StorageResult<Option<At>> {
        let before = if self.spec.ignore_own_statement { self.statement } else { u32::MAX };
        let eyes = self.table.eyes(tx, before);
        let level = self.level(tx);
        let member = &self.table.engine.locks[tx.writer.member];
        let (xtp, index) = (&self.table.engine.xtp, &self.table.shape.indexes[self.index]);
        let counts = tx.work.tally.index(xtp, self.table.shape.object, self.index);
        if !self.begun {
            self.begun = true;
            counts.scans += 1;
            if let Some(look) = self.look.take() {
                tx.work.looks.push(look);
                member.ranges_read.store(tx.work.looks.len() as u32, Ordering::Relaxed);
            }
        }
        while let Some(row) = self.at.step(xtp, index, self.index)? {
            if counts.meet(row, eyes.see(row, dependencies)) {
                if level != Level::Snapshot {
                    tx.work.reads.push((self.table.shape.table, row.at()));
                    member.rows_read.store(tx.work.reads.len() as u32, Ordering::Relaxed);
                }
                if index.layout.unique {
                    self.at.leave_key();
                }
                return Ok(Some(row.at()));
            }
        }
        Ok(None)
    }

    pub fn next(&mut self, tx: &mut Transaction) -> StorageResult<Option<RowRef<'_>>> {
        let mut dependencies = Vec::new();
        let Some(at) = self.advance(tx, &mut dependencies)? else { return Ok(None) };
        tx.await_commits(&dependencies)?;
        self.locator = locator_of(at, tx.memory_time());
        let row = Row::new(&self.table.engine.xtp.memory, at);
        Ok(Some(RowRef { image: row.image(), locator: &self.locator }))
    }

    /// Gives out the images of the next rows, and their locators, at most `rows_max`, and says how many. They stay where they are until the transaction ends.
    pub fn images(
        &mut self,
        tx: &mut Transaction,
        rows_max: usize,
        give: &mut dyn FnMut(&[u8], [u8; 16]),
    ) -> StorageResult<usize> {
        let mut dependencies = Vec::new();
        let time = tx.memory_time();
        let mut given = 0;
        while given < rows_max
            && let Some(at) = self.advance(tx, &mut dependencies)?
        {
            give(Row::new(&self.table.engine.xtp.memory, at).image(), locator_of(at, time));
            given += 1;
        }
        tx.await_commits(&dependencies)?;
        os::wait::maybe_yield();
        Ok(given)
    }

    pub fn fill(&mut self, tx: &mut Transaction, batch: &mut RowBatch, rows_max: usize) -> StorageResult<usize> {
        let mut dependencies = Vec::new();
        let mut filled = 0;
        let time = tx.memory_time();
        while filled < rows_max
            && let Some(at) = self.advance(tx, &mut dependencies)?
        {
            let image = Row::new(&self.table.engine.xtp.memory, at).image();
            let layout = &self.table.shape.layout.row;
            append_row(layout, &self.spec.columns, self.fixed, image, batch, &mut |_, _| {
                Err(StorageError::Damaged("a value out of its row".into()))
            })?;
            append_locator(self.spec.locator, &locator_of(at, time), batch);
            filled += 1;
        }
        batch.rows += filled;
        tx.await_commits(&dependencies)?;
        os::wait::maybe_yield();
        Ok(filled)
    }

    pub fn is_done(&self) -> bool {
        matches!(self.at, Cursor::Done)
    }
}
