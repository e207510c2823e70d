//! Reading an index in order, in parts. A scan holds no latch between calls; it continues by key, so splits do not disturb it.
//!
//! Each part: find the leaf of the next key, take the rows this transaction sees under the leaf's shared latch, remember
//! the key to go on from. A row that has to be waited for ends the part before it; then the latch is gone while it waits.

use types::row::RowView;
use types::{RowBatch, RowLayout};

use crate::error::{StorageError, StorageResult};
use crate::layout::{IndexId, Locator};
use crate::locks::{LockMode, Patience};
use crate::page;
use crate::rows::{ReadMode, Seen, View};
use crate::shape::{IndexShape, Shape};
use crate::table::{Table, row_hash};
use crate::transaction::{Isolation, Transaction};
use crate::tree::{Target, Tree};
use crate::versions::ROW_HEADER_BYTES;

/// Bound on a prefix of the index key, as normalized bytes of whole key columns (`types::key`). `Inclusive` takes
/// every key that begins with the prefix, `Exclusive` none of them, at either end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KeyBound {
    #[default]
    Unbounded,
    Inclusive(Vec<u8>),
    Exclusive(Vec<u8>),
}

/// Table hints. All false: what the isolation level says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LockHint {
    /// NOLOCK: the newest row, committed or not.
    pub no_lock: bool,
    /// UPDLOCK, and the read side of UPDATE and DELETE: waits for writers and reads the newest committed row.
    /// Without `hold` the lock lasts to the end of the statement.
    pub update: bool,
    /// XLOCK.
    pub exclusive: bool,
    /// HOLDLOCK: to the end of the transaction, and no phantoms.
    pub hold: bool,
    /// READPAST: skips rows another transaction has locked.
    pub read_past: bool,
    /// NOWAIT: `LockTimeout` instead of a wait.
    pub no_wait: bool,
    /// TABLOCK.
    pub table: bool,
    /// READCOMMITTEDLOCK: waits for writers.
    pub shared: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanSpec {
    /// `HEAP` for a heap, else an index of the table.
    pub index: IndexId,
    pub lower: KeyBound,
    pub upper: KeyBound,
    pub backward: bool,
    /// Columns of the table, in the order `fill` appends them.
    pub columns: Vec<u16>,
    /// `fill` appends a last column of class Bytes with the row's locator.
    pub locator: bool,
    /// The index does not cover `columns`: fetch the base row by its locator.
    pub lookup: bool,
    pub lock: LockHint,
    /// Do not return rows this very statement has written (Halloween protection).
    pub ignore_own_statement: bool,
}

impl ScanSpec {
    pub fn all(index: IndexId, columns: Vec<u16>) -> ScanSpec {
        ScanSpec {
            index,
            lower: KeyBound::Unbounded,
            upper: KeyBound::Unbounded,
            backward: false,
            columns,
            locator: false,
            lookup: false,
            lock: LockHint::default(),
            ignore_own_statement: true,
        }
    }
}

/// A row where the scan stands: valid until the scan moves.
#[derive(Debug, Clone, Copy)]
pub struct RowRef<'a> {
    /// An image of the table's row layout if the index is clustered, a heap or `lookup` is set; otherwise of `Table::index_row`.
    pub image: &'a [u8],
    pub locator: &'a [u8],
}

/// How the rows found are locked.
#[derive(Debug, Clone, Copy)]
struct RowLock {
    mode: LockMode,
    hold: bool,
}

/// Rows `next` reads ahead.
const AHEAD_ROWS: usize = 32;

/// Owns what it needs of the table, so it may outlive the borrow it was made from (cursors).
pub struct Scan {
    table: Table,
    /// Position in the table's nonclustered indexes; None: the base tree.
    index: Option<usize>,
    spec: ScanSpec,
    /// Where the index row holds each wanted column (or the base row, for a look-up).
    places: Vec<u16>,
    /// Keys in `[lower, upper)` are still to come; None: no bound. The bound moves as the scan does.
    lower: Vec<u8>,
    upper: Option<Vec<u8>>,
    statement: u32,
    done: bool,
    ahead: Vec<(Vec<u8>, Locator)>,
    ahead_next: usize,
    /// `next` is in use: its rows come with locators.
    keeps_locators: bool,
}

/// What stopped a part.
enum Stop {
    /// The wanted rows are there, or the leaf is at its end.
    Part,
    End,
    Wait(u64),
    Lock(Locator),
}

/// Takes a row: its image and its locator.
type Sink<'a> = dyn FnMut(&[u8], &[u8]) -> StorageResult<()> + 'a;

impl Table {
    pub fn scan(&self, tx: &mut Transaction, spec: ScanSpec) -> StorageResult<Scan> {
        Scan::new(self.clone(), tx, spec)
    }
}

impl Scan {
    pub(crate) fn new(table: Table, tx: &mut Transaction, spec: ScanSpec) -> StorageResult<Scan> {
        tx.check_running()?;
        let shape = table.shape.clone();
        let wanted = table.index(spec.index)?;
        let position = |wanted: &IndexShape| shape.indexes.iter().position(|index| index.layout.id == wanted.layout.id);
        let index = wanted.and_then(position);
        let places = match (wanted, spec.lookup) {
            (Some(index), false) => spec
                .columns
                .iter()
                .map(|column| index.columns.iter().position(|held| held == column).map(|at| at as u16))
                .collect::<Option<Vec<u16>>>()
                .ok_or(StorageError::UnknownIndex)?,
            _ => spec.columns.clone(),
        };
        let lower = match &spec.lower {
            KeyBound::Unbounded => Vec::new(),
            KeyBound::Inclusive(prefix) => prefix.clone(),
            KeyBound::Exclusive(prefix) => after_prefix(prefix),
        };
        let upper = match &spec.upper {
            KeyBound::Unbounded => None,
            KeyBound::Inclusive(prefix) => Some(after_prefix(prefix)),
            KeyBound::Exclusive(prefix) => Some(prefix.clone()),
        };
        let done = upper.as_ref().is_some_and(|upper| *upper <= lower);
        let statement = tx.writer.statement;
        let scan = Scan {
            table,
            index,
            spec,
            places,
            lower,
            upper,
            statement,
            done,
            ahead: Vec::new(),
            ahead_next: 0,
            keeps_locators: false,
        };
        scan.lock_table(tx)?;
        Ok(scan)
    }

    /// What the hints and the isolation level ask of the whole table. Key ranges are held by a table lock.
    fn lock_table(&self, tx: &mut Transaction) -> StorageResult<()> {
        let (db, id, hint) = (self.table.shape.db, self.table.shape.id, self.spec.lock);
        if hint.no_lock || tx.isolation() == Isolation::ReadUncommitted {
            return Ok(());
        }
        let serializable = hint.hold || tx.isolation() == Isolation::Serializable;
        let mode = match (hint.update, hint.exclusive, hint.table, serializable) {
            (_, true, true, _) => LockMode::Exclusive,
            (true, _, true, _) => LockMode::Exclusive,
            (true, _, _, true) | (_, true, _, true) => LockMode::Update,
            (_, _, true, _) if hint.hold || hint.shared => LockMode::Shared,
            (_, _, _, true) => LockMode::Shared,
            _ => return Ok(()),
        };
        tx.table_lock(db, id, mode, self.patience(tx)).map(|_| ())
    }

    fn patience(&self, tx: &Transaction) -> Patience {
        if self.spec.lock.no_wait { Patience::Ms(0) } else { tx.patience() }
    }

    /// What a row is wanted for, as the wait for it is called.
    fn wanted(&self) -> LockMode {
        if self.spec.lock.update { LockMode::Update } else { LockMode::Shared }
    }

    fn how_to_read(&self, tx: &mut Transaction) -> (View, Option<RowLock>) {
        let hint = self.spec.lock;
        let isolation = tx.isolation();
        let mut view = tx.view();
        let mut row_lock = None;
        if hint.no_lock {
            view = tx.view_as(ReadMode::Dirty);
        } else if isolation != Isolation::Snapshot || hint.update || hint.exclusive {
            let serializable = hint.hold || isolation == Isolation::Serializable;
            let repeatable = serializable || isolation == Isolation::RepeatableRead;
            if hint.update || hint.exclusive {
                let mode = if hint.exclusive { LockMode::Exclusive } else { LockMode::Update };
                row_lock = Some(RowLock { mode, hold: repeatable || hint.exclusive });
                if isolation != Isolation::Snapshot {
                    view = tx.view_as(ReadMode::Newest);
                }
            } else if hint.shared || repeatable {
                view = tx.view_as(ReadMode::Newest);
                // The table lock of `lock_table` covers the rows under SERIALIZABLE.
                row_lock = (repeatable && !serializable).then_some(RowLock { mode: LockMode::Shared, hold: true });
            }
        }
        if self.spec.ignore_own_statement {
            view.before_statement = self.statement;
        }
        (view, row_lock)
    }

    pub fn next(&mut self, tx: &mut Transaction) -> StorageResult<Option<RowRef<'_>>> {
        if self.ahead_next == self.ahead.len() {
            let mut ahead = std::mem::take(&mut self.ahead);
            ahead.clear();
            self.ahead_next = 0;
            self.keeps_locators = true;
            while ahead.is_empty() && !self.done {
                let shape = self.table.shape.clone();
                self.part(tx, AHEAD_ROWS, &mut |image, locator| {
                    ahead.push((image.to_vec(), Locator::new(locator)));
                    Ok(())
                })?;
                if self.index.is_some() && self.spec.lookup {
                    self.look_up(tx, &mut ahead)?;
                } else if self.index.is_none() {
                    self.join(&shape, &mut ahead)?;
                }
            }
            self.ahead = ahead;
        }
        let Some((image, locator)) = self.ahead.get(self.ahead_next) else { return Ok(None) };
        self.ahead_next += 1;
        Ok(Some(RowRef { image, locator }))
    }

    /// Replaces index rows by base rows; rows that are gone meanwhile are left out.
    fn look_up(&self, tx: &mut Transaction, rows: &mut Vec<(Vec<u8>, Locator)>) -> StorageResult<()> {
        let mut kept = Vec::with_capacity(rows.len());
        for (mut image, locator) in rows.drain(..) {
            if self.fetch_base(tx, &locator, &mut image)? {
                kept.push((image, locator));
            }
        }
        *rows = kept;
        self.join(&self.table.shape, rows)
    }

    fn join(&self, shape: &Shape, rows: &mut [(Vec<u8>, Locator)]) -> StorageResult<()> {
        if shape.long_values.is_none() {
            return Ok(());
        }
        for (image, _) in rows {
            if RowView::new(&shape.layout.row, image)?.has_overflow() {
                let split = std::mem::take(image);
                self.table.engine.join_long_values(shape, &split, image)?;
            }
        }
        Ok(())
    }

    fn fetch_base(&self, tx: &mut Transaction, locator: &[u8], image: &mut Vec<u8>) -> StorageResult<bool> {
        loop {
            let (view, _) = self.how_to_read(tx);
            match self.table.engine.read_row(&view, &self.table.shape.base, locator, image)? {
                Seen::Here | Seen::Old => return Ok(true),
                Seen::Nothing => return Ok(false),
                Seen::Wait(_) if self.spec.lock.read_past => return Ok(false),
                Seen::Wait(other) => tx.wait_for_end(other, self.wanted(), self.patience(tx))?,
            }
        }
    }

    /// Appends up to `rows_max` rows to `batch`: `ScanSpec::columns` in order, then the locator if asked for.
    /// Returns how many; 0 at the end only.
    pub fn fill(&mut self, tx: &mut Transaction, batch: &mut RowBatch, rows_max: usize) -> StorageResult<usize> {
        let mut filled = 0;
        while filled == 0 && !self.done && rows_max > 0 {
            filled = if self.index.is_some() && self.spec.lookup {
                let mut rows = Vec::new();
                self.part(tx, rows_max, &mut |_, locator| {
                    rows.push((Vec::new(), Locator::new(locator)));
                    Ok(())
                })?;
                self.look_up(tx, &mut rows)?;
                let layout = &self.table.shape.layout.row;
                for (image, locator) in &rows {
                    append_row(layout, &self.places, image, batch, &mut |_, _| unreachable!("joined"))?;
                    append_locator(self.spec.locator, locator, batch);
                }
                rows.len()
            } else {
                let shape = self.table.shape.clone();
                let engine = self.table.engine.clone();
                let places = std::mem::take(&mut self.places);
                let locator_wanted = self.spec.locator;
                let layout = self.index.map_or(&shape.layout.row, |at| &shape.indexes[at].row);
                let mut rows = 0;
                let result = self.part(tx, rows_max, &mut |image, locator| {
                    append_row(layout, &places, image, batch, &mut |reference, column| {
                        let tree = shape.long_values.as_ref().expect("a table with long values");
                        let mut value = Vec::new();
                        engine.read_long(tree, reference, &mut value)?;
                        column.push_bytes(&value);
                        Ok(())
                    })?;
                    append_locator(locator_wanted, locator, batch);
                    rows += 1;
                    Ok(())
                });
                self.places = places;
                result?;
                rows
            };
        }
        batch.rows += filled;
        Ok(filled)
    }

    /// Gives up to `rows_max` rows to `sink` (image, locator), at least one unless the scan ends.
    fn part(&mut self, tx: &mut Transaction, rows_max: usize, sink: &mut Sink<'_>) -> StorageResult<()> {
        let mut given = 0;
        while given < rows_max && !self.done {
            let (view, row_lock) = self.how_to_read(tx);
            let stop = if self.spec.backward {
                self.leaf_backward(tx, &view, row_lock, rows_max, &mut given, sink)?
            } else {
                self.leaf_forward(tx, &view, row_lock, rows_max, &mut given, sink)?
            };
            match stop {
                Stop::Part => os::wait::maybe_yield(),
                Stop::End => self.done = true,
                // What has been found goes to the consumer first: the wait may be long, or end in an error.
                Stop::Wait(_) | Stop::Lock(_) if given > 0 => return Ok(()),
                Stop::Wait(other) => tx.wait_for_end(other, self.wanted(), self.patience(tx))?,
                Stop::Lock(locator) => {
                    let (db, id) = (self.table.shape.db, self.table.shape.id);
                    let lock = row_lock.expect("only a locking scan stops for a lock");
                    tx.lock_row(db, id, row_hash(&locator), lock.mode, lock.hold, self.patience(tx))?;
                }
            }
        }
        Ok(())
    }

    fn tree(&self) -> &Tree {
        self.index.map_or(&self.table.shape.base, |at| &self.table.shape.indexes[at].tree)
    }

    fn leaf_forward(
        &mut self,
        tx: &mut Transaction,
        view: &View,
        row_lock: Option<RowLock>,
        rows_max: usize,
        given: &mut usize,
        sink: &mut Sink<'_>,
    ) -> StorageResult<Stop> {
        let engine = self.table.engine.clone();
        let leaf = engine.leaf_shared(self.tree(), Target::Key(&self.lower))?;
        let first = page::lower_bound(&leaf, &self.lower).0;
        let count = page::slot_count(&leaf);
        let end = self.upper.as_ref().map_or(count, |upper| page::lower_bound(&leaf, upper).0);
        let mut old = Vec::new();
        for slot in first..end {
            if *given == rows_max {
                self.lower = page::key(&leaf, slot);
                return Ok(Stop::Part);
            }
            let stop = self.row(tx, &leaf, slot, view, row_lock, &mut old, given, sink)?;
            if let Some(stop) = stop {
                self.lower = page::key(&leaf, slot);
                return Ok(stop);
            }
        }
        if end < count {
            return Ok(Stop::End);
        }
        match page::upper_fence(&leaf) {
            Some(fence) if self.upper.as_ref().is_none_or(|upper| fence < &upper[..]) => {
                self.lower.clear();
                self.lower.extend_from_slice(fence);
                Ok(Stop::Part)
            }
            _ => Ok(Stop::End),
        }
    }

    fn leaf_backward(
        &mut self,
        tx: &mut Transaction,
        view: &View,
        row_lock: Option<RowLock>,
        rows_max: usize,
        given: &mut usize,
        sink: &mut Sink<'_>,
    ) -> StorageResult<Stop> {
        let engine = self.table.engine.clone();
        let target = self.upper.as_ref().map_or(Target::Last, |upper| Target::Before(upper));
        let leaf = engine.leaf_shared(self.tree(), target)?;
        let end = self.upper.as_ref().map_or(page::slot_count(&leaf), |upper| page::lower_bound(&leaf, upper).0);
        let first = page::lower_bound(&leaf, &self.lower).0;
        let mut old = Vec::new();
        for slot in (first..end).rev() {
            // The row at `slot` is still to come: the upper bound is just above its key.
            let stop = if *given == rows_max {
                Some(Stop::Part)
            } else {
                self.row(tx, &leaf, slot, view, row_lock, &mut old, given, sink)?
            };
            if let Some(stop) = stop {
                let mut above = page::key(&leaf, slot);
                above.push(0);
                self.upper = Some(above);
                return Ok(stop);
            }
        }
        let fence = page::lower_fence(&leaf);
        if first > 0 || fence.is_empty() || fence <= &self.lower[..] {
            return Ok(Stop::End);
        }
        self.upper = Some(fence.to_vec());
        Ok(Stop::Part)
    }

    /// Looks at one row of a latched leaf; Some: come back to it.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    fn row(
        &self,
        tx: &mut Transaction,
        leaf: &page::PageBytes,
        slot: usize,
        view: &View,
        row_lock: Option<RowLock>,
        old: &mut Vec<u8>,
        given: &mut usize,
        sink: &mut Sink<'_>,
    ) -> StorageResult<Option<Stop>> {
        let payload = page::payload(leaf, slot);
        let seen = self.table.engine.see(view, payload, old)?;
        let payload = match seen {
            Seen::Here => payload,
            Seen::Old => &old[..],
            Seen::Nothing => return Ok(None),
            Seen::Wait(_) if self.spec.lock.read_past => return Ok(None),
            Seen::Wait(other) => return Ok(Some(Stop::Wait(other))),
        };
        let body = &payload[ROW_HEADER_BYTES..];
        let key;
        let (locator, image) = if self.index.is_some() {
            let length = page::u16_at(body, 0) as usize;
            body[2..].split_at(length)
        } else if row_lock.is_some() || self.spec.locator || self.keeps_locators {
            key = page::key(leaf, slot);
            (&key[..], body)
        } else {
            (&[][..], body)
        };
        if let Some(lock) = row_lock {
            let (db, id) = (self.table.shape.db, self.table.shape.id);
            match tx.lock_row(db, id, row_hash(locator), lock.mode, lock.hold, Patience::Ms(0)) {
                Ok(()) => {}
                Err(StorageError::LockTimeout) if self.spec.lock.read_past => return Ok(None),
                Err(StorageError::LockTimeout) => return Ok(Some(Stop::Lock(Locator::new(locator)))),
                Err(error) => return Err(error),
            }
        }
        sink(image, locator)?;
        *given += 1;
        Ok(None)
    }

    /// Releases the statement's lock on a row this scan returned and that did not qualify.
    pub fn unlock(&self, tx: &mut Transaction, locator: &[u8]) {
        tx.unlock_row(self.table.shape.db, self.table.shape.id, row_hash(locator));
    }
}

/// The least key above all that begin with `prefix`: no part of a key and no row number begins with FF.
fn after_prefix(prefix: &[u8]) -> Vec<u8> {
    let mut key = prefix.to_vec();
    key.push(0xff);
    key
}

fn append_locator(wanted: bool, locator: &[u8], batch: &mut RowBatch) {
    if wanted {
        batch.columns.last_mut().expect("a column for the locator").push_bytes(locator);
    }
}

#[inline]
fn append_row(
    layout: &RowLayout,
    places: &[u16],
    image: &[u8],
    batch: &mut RowBatch,
    long: &mut dyn FnMut(&types::row::OverflowRef, &mut types::Column) -> StorageResult<()>,
) -> StorageResult<()> {
    if places.is_empty() {
        return Ok(());
    }
    let view = RowView::new(layout, image)?;
    for (place, column) in places.iter().zip(&mut batch.columns) {
        if let Some(reference) = view.append_to(*place as usize, column) {
            long(reference, column)?;
        }
    }
    Ok(())
}
