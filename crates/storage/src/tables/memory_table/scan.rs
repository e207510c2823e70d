//! Reading a memory-optimized table by one of its indexes, in parts.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use types::RowBatch;
use types::row::RowView;

use super::{MemoryTable, locator_of, row_at};
use crate::bounds::KeyBound;
use crate::error::StorageResult;
use crate::memory_optimized::work::{Level, Looked};
use crate::tables::scan::{RowRef, ScanSpec, append_locator, append_row};
use crate::transaction::{Isolation, Transaction};
use crate::xtp::cursor::Cursor;
use crate::xtp::eyes::Eyes;
use crate::xtp::memory::{At, RowMemory};
use crate::xtp::row::Row;

pub struct MemoryScan {
    source: Source,
    progress: Progress,
    locator: [u8; 16],
    /// The row that `next` gave, if it has values that were out of it.
    joined: Vec<u8>,
}

/// What is read, and how.
struct Source {
    table: MemoryTable,
    /// Position of the index in the table's.
    index: usize,
    spec: ScanSpec,
    fixed: bool,
    statement: u32,
}

/// How far a scan has come in its range.
#[derive(Default)]
struct Progress {
    at: Cursor,
    /// It has looked for a row: until then it may still be given another range, and has seen nothing.
    begun: bool,
    /// The range, for validation.
    look: Option<Looked>,
}

impl MemoryScan {
    pub(crate) fn new(table: MemoryTable, tx: &mut Transaction, spec: ScanSpec) -> StorageResult<MemoryScan> {
        tx.check_running()?;
        let index = table.index_at(spec.index)?;
        let fixed = spec.columns.iter().all(|column| !table.shape.layout.row.is_variable(usize::from(*column)));
        let (lower, upper) = (spec.lower.clone(), spec.upper.clone());
        let source = Source { table, index, spec, fixed, statement: tx.writer.statement };
        let mut scan = MemoryScan { source, progress: Progress::default(), locator: [0; 16], joined: Vec::new() };
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
        let Source { table, index, spec, statement, .. } = &mut self.source;
        table.check_age(tx)?;
        *statement = tx.writer.statement;
        let (shape, whole_keys) = (&table.shape, spec.whole_keys);
        let Progress { at, begun, look } = &mut self.progress;
        at.begin(&table.engine.xtp, &shape.indexes[*index], (lower, upper), whole_keys, spec.backward);
        *begun = false;
        *look = None;
        if spec.level(tx) == Level::Serializable {
            let (shape, lower, upper) = (Arc::clone(shape), lower.to_owned_key(), upper.to_owned_key());
            *look = Some(Looked { shape, index: *index, lower, upper, whole_keys });
        }
        Ok(())
    }

    pub fn next(&mut self, tx: &mut Transaction) -> StorageResult<Option<RowRef<'_>>> {
        let (mut dependencies, mut found) = (Vec::new(), None);
        self.source.advance(&mut self.progress, tx, &mut dependencies, 1, &mut |row| {
            found = Some(row.at());
            Ok(())
        })?;
        let Some(at) = found else { return Ok(None) };
        tx.await_commits(&dependencies)?;
        self.locator = locator_of(at, tx.memory_time());
        debug_assert_eq!(row_at(&self.locator, tx.memory_time()), Ok(at), "a locator leads to its row");
        let table = &self.source.table;
        let image = Row::new(&table.engine.xtp.memory, at).image();
        let image = match table.is_split(image)? {
            true => {
                table.join_into(image, &mut self.joined)?;
                &self.joined
            }
            false => image,
        };
        Ok(Some(RowRef { image, locator: &self.locator }))
    }

    /// Gives out the images of the next rows, and their locators, at most `rows_max`, and says how many. They stay where they are until the transaction
    /// ends. Values may be out of them (`MemoryTable::push_value`).
    #[inline]
    pub fn images(
        &mut self,
        tx: &mut Transaction,
        rows_max: usize,
        give: &mut impl FnMut(&[u8], [u8; 16]),
    ) -> StorageResult<usize> {
        let mut dependencies = Vec::new();
        let time = tx.memory_time();
        let given = self.source.advance(&mut self.progress, tx, &mut dependencies, rows_max, &mut |row| {
            give(row.image(), locator_of(row.at(), time));
            Ok(())
        })?;
        tx.await_commits(&dependencies)?;
        os::wait::maybe_yield();
        Ok(given)
    }

    pub fn fill(&mut self, tx: &mut Transaction, batch: &mut RowBatch, rows_max: usize) -> StorageResult<usize> {
        let mut dependencies = Vec::new();
        let time = tx.memory_time();
        let source = &self.source;
        let filled = source.advance(&mut self.progress, tx, &mut dependencies, rows_max, &mut |row| {
            source.append(row.image(), batch)?;
            append_locator(source.spec.locator, &locator_of(row.at(), time), batch);
            Ok(())
        })?;
        batch.rows += filled;
        tx.await_commits(&dependencies)?;
        os::wait::maybe_yield();
        Ok(filled)
    }

    #[inline]
    pub fn is_done(&self) -> bool {
        self.progress.at.is_done()
    }
}

impl Source {
    /// Gives the next rows that the transaction sees, at most `rows_max`, and says how many. Nothing of them may be told before the
    /// `dependencies` have committed.
    #[inline]
    fn advance(
        &self,
        Progress { at, begun, look }: &mut Progress,
        tx: &mut Transaction,
        dependencies: &mut Vec<u64>,
        rows_max: usize,
        give: &mut impl FnMut(Row<'_>) -> StorageResult<()>,
    ) -> StorageResult<usize> {
        let before = if self.spec.ignore_own_statement { self.statement } else { u32::MAX };
        let eyes = self.table.eyes(tx, before);
        let notes_reads = self.spec.level(tx) != Level::Snapshot;
        let member = &self.table.engine.locks[tx.writer.member];
        let (xtp, index) = (&self.table.engine.xtp, &self.table.shape.indexes[self.index]);
        let counts = tx.work.tally.index(xtp, self.table.shape.object, self.index);
        if !*begun {
            *begun = true;
            counts.scans += 1;
            if let Some(look) = look.take() {
                tx.work.looks.push(look);
                member.ranges_read.store(tx.work.looks.len() as u32, Ordering::Relaxed);
            }
        }
        let mut note = |row: Row<'_>| {
            if notes_reads {
                tx.work.reads.push((self.table.shape.table, row.at()));
                member.rows_read.store(tx.work.reads.len() as u32, Ordering::Relaxed);
            }
        };
        let mut given = 0;
        while given < rows_max && !at.is_done() {
            if at.is_before_leaf() {
                at.note_leaf(xtp, index);
            }
            let noted = if notes_reads { &[] } else { at.noted() };
            let wanted = &noted[..noted.len().min(rows_max - given)];
            let all = wanted.len();
            let passed = give_usual(&xtp.memory, wanted, &eyes, give)?;
            at.pass(passed);
            given += passed;
            counts.meet_seen(passed);
            if passed > 0 && passed == all {
                continue;
            }
            if let Some(row) = at.step(xtp, index, self.index)?
                && counts.meet(row, eyes.see(row, dependencies))
            {
                note(row);
                give(row)?;
                if index.layout.unique {
                    at.leave_key();
                }
                given += 1;
            }
        }
        debug_assert!(given <= rows_max && (given > 0 || at.is_done() || rows_max == 0), "none at the end only");
        Ok(given)
    }

    fn append(&self, image: &[u8], batch: &mut RowBatch) -> StorageResult<()> {
        let (layout, ScanSpec { columns, unread, .. }) = (&self.table.shape.layout.row, &self.spec);
        if unread.is_empty() {
            return append_row(layout, columns, self.fixed, image, batch, &mut |reference, column| {
                self.table.push_value(reference, column)
            });
        }
        let view = RowView::new(layout, image)?;
        for (from, to) in columns.iter().zip(&mut batch.columns) {
            match view.append_to(usize::from(*from), to) {
                Some(_) if unread.contains(from) => to.push_bytes(&[]),
                Some(reference) => self.table.push_value(reference, to)?,
                None => {}
            }
        }
        Ok(())
    }
}

/// Gives the first rows of these chains, up to one where a look at it is not enough, and says how many. Most often they are all that is to be
/// seen there. A function of its own, so that it has the registers for itself.
#[inline(never)]
fn give_usual(
    memory: &RowMemory,
    heads: &[At],
    eyes: &Eyes<'_>,
    give: &mut impl FnMut(Row<'_>) -> StorageResult<()>,
) -> StorageResult<usize> {
    for (at, head) in heads.iter().enumerate() {
        if head.is_none() {
            return Ok(at);
        }
        let row = Row::new(memory, *head);
        if !eyes.see_at_once(row) {
            return Ok(at);
        }
        give(row)?;
    }
    Ok(heads.len())
}

impl ScanSpec {
    /// The level at which the transaction reads memory-optimized tables by such a scan.
    #[inline]
    fn level(&self, tx: &Transaction) -> Level {
        match tx.isolation() {
            _ if self.lock.hold => Level::Serializable,
            _ if self.lock.repeatable => Level::RepeatableRead,
            _ if self.lock.snapshot => Level::Snapshot,
            Isolation::Serializable => Level::Serializable,
            Isolation::RepeatableRead => Level::RepeatableRead,
            _ => Level::Snapshot,
        }
    }
}
