//! Reading an index in order, in parts. A scan holds no latch between calls; it continues by key, so splits do not disturb it.
//!
//! Each part: find the leaf of the next key, take the rows this transaction sees under the leaf's shared latch (`reader`),
//! remember the key to go on from. A row that has to be waited for ends the part before it; then the latch is gone while it
//! waits. Rows wanted in a batch are appended column by column (`append`), or only if a first look says that they may be wanted (`pick`).

mod reader;
mod append;
mod pick;

use types::row::RowView;
use types::{RowBatch, RowLayout};

use crate::bounds::{ABOVE_PREFIX, KeyBound};
use crate::buffer::Shared;
use crate::concurrency::locks::{LockMode, Patience, Resource, Wanted, row_hash};
use crate::error::{StorageError, StorageResult};
use crate::layout::{IndexId, Locator};
use crate::pages::page;
use crate::shapes::shape::{IndexShape, Stored};
use crate::shapes::tree::Tree;
use crate::tables::disk_table::DiskTable;
use crate::transaction::{Isolation, Transaction};
use crate::trees::rows::{ReadMode, Seen, View};

use append::Appender;
pub(crate) use append::{append_locator, append_row};
pub use pick::FirstLook;
use pick::Picker;
use reader::{Reader, RowLock, Sink, Stop};

/// Table hints. All false: what the isolation level says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LockHint {
    /// NOLOCK: the newest row, committed or not.
    pub no_lock: bool,
    /// UPDLOCK, and the read side of UPDATE and DELETE: waits for writers and reads the newest committed row.
    /// Without `hold` or `keep` the lock lasts to the end of the statement.
    pub update: bool,
    /// XLOCK.
    pub exclusive: bool,
    /// UPDLOCK: to the end of the transaction.
    pub keep: bool,
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
    /// A foreign key's look: also under SNAPSHOT at what is committed now. `UpdateConflict`: a row came, changed or went after the snapshot.
    pub constraint: bool,
    /// Of a memory-optimized table, whatever the transaction's isolation level: WITH (SNAPSHOT), or the database's
    /// MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT.
    pub snapshot: bool,
    /// REPEATABLEREAD: to the end of the transaction.
    pub repeatable: bool,
    /// A base table of the catalog: its rows are read as under READ COMMITTED, however much the transaction wants to keep.
    pub catalog: bool,
    /// Read as under READ COMMITTED, whatever the transaction's level is.
    pub committed: bool,
    /// The same, and what is committed now instead of a snapshot.
    pub committed_now: bool,
    /// READ_COMMITTED_SNAPSHOT of the table's database, where it is not what the transaction goes by. Counts under READ COMMITTED.
    pub snapshot_reads: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanSpec {
    /// `HEAP` for a heap, else an index of the table.
    pub index: IndexId,
    pub lower: KeyBound,
    pub upper: KeyBound,
    /// Ranges that begin and end with the same bytes are one whole key each: what a hash index needs to know.
    pub whole_keys: bool,
    pub backward: bool,
    /// Columns of the table, in the order `fill` appends them.
    pub columns: Vec<u16>,
    /// Of these, those that nobody looks at: `fill` may append an empty value instead of one that is out of its row.
    pub unread: Vec<u16>,
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
            whole_keys: false,
            backward: false,
            columns,
            unread: Vec::new(),
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
    /// An image of the table's row layout if the index is clustered, a heap or `lookup` is set; otherwise the columns of `Table::index_columns`.
    pub image: &'a [u8],
    pub locator: &'a [u8],
}

/// Rows `next` reads ahead.
const AHEAD_ROWS: usize = 32;

/// Look-ups whose leaves are found first, and then read: so many where some of the last ones were not in memory (one in `MISSED_PART`), so many
/// where all were. Fewer than `EXPECTED_MIN` are not worth it.
const ABSENT_KEYS: usize = 256;
const NEAR_KEYS: usize = 16;
const EXPECTED_MIN: usize = 4;
const MISSED_PART: usize = 8;

/// Beginnings of keys to look up one after the other, each for an owner: whatever number the caller knows it by.
#[derive(Debug, Default)]
pub struct Prefixes {
    bytes: Vec<u8>,
    /// Where each ends in `bytes`, and its owner.
    ends: Vec<(u32, u32)>,
    next: usize,
    /// The leaves of those before it have been asked for.
    expected: usize,
    /// The scan stands among the rows of the next one.
    pub(crate) begun: bool,
}

impl Prefixes {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.next = 0;
        self.expected = 0;
        self.begun = false;
    }

    /// Adds what `write` appends, unless it says that there is nothing to look up.
    pub fn push<E>(&mut self, owner: u32, write: impl FnOnce(&mut Vec<u8>) -> Result<bool, E>) -> Result<(), E> {
        let start = self.bytes.len();
        if write(&mut self.bytes)? {
            assert!(self.bytes.len() <= u32::MAX as usize, "{} bytes of prefixes", self.bytes.len());
            self.ends.push((self.bytes.len() as u32, owner));
        } else {
            self.bytes.truncate(start);
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Whether all rows of all of them have been given.
    pub fn is_done(&self) -> bool {
        self.next == self.ends.len()
    }

    #[inline]
    pub(crate) fn first(&self) -> Option<(&[u8], u32)> {
        self.at(self.next)
    }

    #[inline]
    fn at(&self, at: usize) -> Option<(&[u8], u32)> {
        let (end, owner) = *self.ends.get(at)?;
        let start = if at == 0 { 0 } else { self.ends[at - 1].0 };
        Some((&self.bytes[start as usize..end as usize], owner))
    }

    /// The next ones, up to `count`: their leaves are asked for now.
    fn expect(&mut self, count: usize) -> impl Iterator<Item = &[u8]> {
        self.expected = (self.next + count).min(self.ends.len());
        (self.next..self.expected).filter_map(|at| Some(self.at(at)?.0))
    }

    #[inline]
    pub(crate) fn pop(&mut self) {
        debug_assert!(self.next < self.ends.len(), "a prefix that is done was there");
        self.next += 1;
        self.begun = false;
    }
}

/// Owns what it needs of the table, so it may outlive the borrow it was made from (cursors).
pub struct DiskScan {
    source: Source,
    at: Position,
    ahead: Vec<(Vec<u8>, Locator)>,
    ahead_next: usize,
    /// Buffers of images that have been read.
    spare: Vec<Vec<u8>>,
}

/// What is read and how: stays as the scan moves.
struct Source {
    table: DiskTable,
    /// Position in the table's nonclustered indexes; None: the base tree.
    index: Option<usize>,
    spec: ScanSpec,
    /// Where the index row holds each wanted column (or the base row, for a look-up).
    places: Vec<u16>,
    /// All of them are of fixed width.
    fixed: bool,
    /// `next` is in use: its rows come with locators.
    keeps_locators: bool,
}

/// Where the scan stands.
struct Position {
    /// Keys in `[lower, upper)` are still to come. The bound moves as the scan does.
    lower: Vec<u8>,
    upper: Vec<u8>,
    /// False: `upper` means nothing.
    bounded: bool,
    statement: u32,
    /// The leaf that the next key may lie in, 0: unknown.
    leaf: u32,
    /// The leaf read last, and how many each lay behind the one before, in the file as in the order of keys.
    last: u32,
    in_a_row: u32,
    /// Of the leaves that were last looked up, some were not in memory.
    misses: bool,
    /// Most of the keys that were last looked up lay in a leaf of their own.
    scattered: bool,
    done: bool,
}

impl DiskScan {
    pub(crate) fn new(table: DiskTable, tx: &mut Transaction, spec: ScanSpec) -> StorageResult<DiskScan> {
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
        let mut at = Position {
            lower: Vec::new(),
            upper: Vec::new(),
            bounded: false,
            statement: tx.writer.statement,
            leaf: 0,
            last: 0,
            in_a_row: 0,
            misses: false,
            scattered: false,
            done: false,
        };
        at.place(&spec.lower, &spec.upper);
        let layout = match (wanted, spec.lookup) {
            (Some(index), false) => &index.row,
            _ => &shape.layout.row,
        };
        let fixed = places.iter().all(|place| !layout.is_variable(*place as usize));
        debug_assert_eq!(places.len(), spec.columns.len(), "each wanted column has its place");
        let source = Source { table, index, spec, places, fixed, keeps_locators: false };
        source.lock_table(tx)?;
        Ok(DiskScan { source, at, ahead: Vec::new(), ahead_next: 0, spare: Vec::new() })
    }

    /// Goes to another range of keys, whatever was left of the one before: what a join does for each of its outer rows.
    /// Keeps its buffers and the leaf it stands on, where the next key often lies, too.
    pub fn restart<K: AsRef<[u8]>>(
        &mut self,
        tx: &mut Transaction,
        lower: &KeyBound<K>,
        upper: &KeyBound<K>,
    ) -> StorageResult<()> {
        tx.check_running()?;
        self.at.place(lower, upper);
        self.at.statement = tx.writer.statement;
        self.ahead.clear();
        self.ahead_next = 0;
        self.source.lock_table(tx)
    }

    pub fn next(&mut self, tx: &mut Transaction) -> StorageResult<Option<RowRef<'_>>> {
        let DiskScan { source, at, ahead, ahead_next, spare } = self;
        if *ahead_next == ahead.len() {
            spare.extend(ahead.drain(..).map(|(image, _)| image));
            *ahead_next = 0;
            source.keeps_locators = true;
            while ahead.is_empty() && !at.done {
                source.part(at, tx, AHEAD_ROWS, &mut |image: &[u8], locator: &[u8]| {
                    let mut own = spare.pop().unwrap_or_default();
                    own.clear();
                    own.extend_from_slice(image);
                    ahead.push((own, Locator::new(locator)));
                    Ok(())
                })?;
                match source.looks_up() {
                    true => {
                        let locators: Vec<Locator> = ahead.drain(..).map(|(_, locator)| locator).collect();
                        source.look_up(at, tx, &locators, &mut |image, locator| {
                            ahead.push((image.to_vec(), locator.clone()));
                            Ok(())
                        })?;
                    }
                    false => source.join(source.stored(), ahead)?,
                }
            }
        }
        let Some((image, locator)) = ahead.get(*ahead_next) else { return Ok(None) };
        debug_assert!(ahead.len() <= AHEAD_ROWS && *ahead_next < ahead.len());
        *ahead_next += 1;
        Ok(Some(RowRef { image, locator }))
    }

    /// Appends up to `rows_max` rows to `batch`: `ScanSpec::columns` in order, then the locator if asked for.
    /// Returns how many; 0 at the end only.
    pub fn fill(&mut self, tx: &mut Transaction, batch: &mut RowBatch, rows_max: usize) -> StorageResult<usize> {
        let DiskScan { source, at, .. } = self;
        let mut filled = 0;
        while filled == 0 && !at.done && rows_max > 0 {
            filled = if source.looks_up() {
                source.fill_looked_up(at, tx, batch, rows_max)?
            } else {
                source.fill_straight(at, tx, batch, rows_max)?
            };
        }
        debug_assert!(filled <= rows_max && (filled > 0 || at.done || rows_max == 0), "none at the end only");
        batch.rows += filled;
        Ok(filled)
    }

    /// As `Scan::fill_wanted`. Not with locators.
    pub fn fill_wanted(
        &mut self,
        tx: &mut Transaction,
        batch: &mut RowBatch,
        rows_max: usize,
        look: &mut FirstLook<'_>,
    ) -> StorageResult<usize> {
        let DiskScan { source, at, .. } = self;
        if source.looks_up() {
            return self.fill(tx, batch, rows_max);
        }
        source.part(at, tx, rows_max, &mut Picker::new(source, batch, look))
    }

    /// Whether the first rows of many prefixes are best read leaf by leaf, by `fill_each`.
    pub fn fills_each(&self) -> bool {
        !self.source.spec.backward && !self.source.looks_up()
    }

    /// As `Scan::fill_for`, of prefixes of which none has begun.
    pub fn fill_each(
        &mut self,
        tx: &mut Transaction,
        prefixes: &mut Prefixes,
        batch: &mut RowBatch,
        rows_max: usize,
        owners: &mut Vec<u32>,
    ) -> StorageResult<()> {
        batch.rows += self.source.fill_each(&mut self.at, tx, prefixes, batch, rows_max, owners)?;
        os::wait::maybe_yield();
        Ok(())
    }

    /// Whether `fill` is known to have nothing more to give.
    pub fn is_done(&self) -> bool {
        self.at.done
    }

    /// Releases the statement's lock on a row this scan returned and that did not qualify.
    pub fn unlock(&self, tx: &mut Transaction, locator: &[u8]) {
        let shape = &self.source.table.shape;
        tx.unlock_row(shape.db, shape.id, row_hash(locator));
    }
}

impl Position {
    #[inline]
    fn place<K: AsRef<[u8]>>(&mut self, lower: &KeyBound<K>, upper: &KeyBound<K>) {
        lower.append_lowest(&mut self.lower);
        self.bounded = upper.append_above(&mut self.upper);
        self.done = self.bounded && page::order(&self.upper, &self.lower).is_le();
        debug_assert!(
            self.done || self.upper().is_none_or(|upper| &self.lower[..] < upper),
            "a range that is not empty"
        );
    }

    /// It has come to this leaf, from another one or in it.
    #[inline]
    fn step_to(&mut self, leaf: u32) {
        if leaf != self.last {
            self.in_a_row = if leaf == self.last + 1 { self.in_a_row + 1 } else { 0 };
            self.last = leaf;
        }
        self.leaf = leaf;
    }

    /// How many look-ups have their leaves found together.
    fn expected_keys(&self) -> usize {
        if self.misses { ABSENT_KEYS } else { NEAR_KEYS }
    }

    fn upper(&self) -> Option<&[u8]> {
        self.bounded.then_some(&self.upper[..])
    }

    /// What is left are the keys that begin with `lower`.
    fn is_one_key(&self) -> bool {
        self.bounded && self.upper.strip_prefix(&self.lower[..]).is_some_and(|rest| rest == [ABOVE_PREFIX])
    }
}

/// Pages that the worker had to wait for.
fn faults() -> u64 {
    os::stats::work_here().page_faults
}

/// Since then one of some look-ups had to wait: the next ones may be expected to.
fn misses(before: u64, look_ups: usize) -> bool {
    (faults() - before) as usize * MISSED_PART > look_ups
}

impl Source {
    /// The isolation level that this table is read at.
    #[inline]
    fn isolation(&self, tx: &Transaction) -> Isolation {
        let hint = &self.spec.lock;
        // The usual case: a user's table of the database that the transaction goes by.
        if hint.snapshot_reads.is_none() && !hint.catalog && !hint.committed_now {
            return tx.isolation();
        }
        let isolation = if hint.committed { Isolation::ReadCommittedLocking } else { tx.isolation() };
        if hint.committed_now {
            return isolation;
        }
        match (isolation, hint.snapshot_reads) {
            (Isolation::RepeatableRead | Isolation::Serializable, _) if hint.catalog => Isolation::ReadCommittedLocking,
            (Isolation::ReadCommitted | Isolation::ReadCommittedLocking, Some(true)) => Isolation::ReadCommitted,
            (Isolation::ReadCommitted | Isolation::ReadCommittedLocking, Some(false)) => {
                Isolation::ReadCommittedLocking
            }
            (isolation, _) => isolation,
        }
    }

    /// What the hints and the isolation level ask of the whole table.
    fn lock_table(&self, tx: &mut Transaction) -> StorageResult<()> {
        let hint = &self.spec.lock;
        // The usual case: no hint makes a table's level SERIALIZABLE where the transaction's is not.
        if !hint.hold && !hint.table && !hint.read_past && tx.isolation() != Isolation::Serializable {
            return Ok(());
        }
        let isolation = self.isolation(tx);
        let serializable = hint.hold || isolation == Isolation::Serializable;
        if !(serializable || hint.table || hint.read_past) || hint.no_lock || isolation == Isolation::ReadUncommitted {
            return Ok(());
        }
        let is_heap = self.index.is_none() && self.table.shape.clustered.is_none();
        let mode = match (hint.update || hint.exclusive, hint.table) {
            (true, true) => LockMode::Exclusive,
            (false, true) if serializable || hint.shared => LockMode::Shared,
            // No index serves: what is read is the table. Updaters keep to ranges, which exclude each other before they have changed
            // anything: with the intent lock that each has, a table lock would be a conversion, and two of them a deadlock.
            (false, false) if serializable && is_heap => LockMode::Shared,
            // Before any latch: locks of ranges are taken under one. Before any row: READPAST passes locked rows, and waits for a table.
            (true, false) if serializable || hint.read_past => LockMode::IntentExclusive,
            (false, false) if serializable || hint.read_past && isolation == Isolation::RepeatableRead => {
                LockMode::IntentShared
            }
            _ => return Ok(()),
        };
        tx.table_lock(self.table.shape.db, self.table.shape.id, mode, self.patience(tx)).map(|_| ())
    }

    fn patience(&self, tx: &Transaction) -> Patience {
        if self.spec.lock.no_wait { Patience::Ms(0) } else { tx.patience() }
    }

    /// What a row is wanted for, as the wait for it is called.
    fn wanted(&self) -> LockMode {
        if self.spec.lock.update { LockMode::Update } else { LockMode::Shared }
    }

    fn how_to_read(&self, tx: &mut Transaction, statement: u32) -> (View, Option<RowLock>) {
        let hint = &self.spec.lock;
        let isolation = self.isolation(tx);
        let mut view = tx.view_at(isolation);
        if self.table.shape.long_values.is_some() || self.stored().long_values.is_some() {
            // They are read after their row's latch is gone, and deleted ones stay as long as a snapshot may see them: also
            // what is read without one needs it.
            tx.snapshot();
        }
        let mut row_lock = None;
        if hint.constraint && isolation == Isolation::Snapshot {
            view = tx.view_as(ReadMode::Newest);
            view.conflict = tx.conflict_time().map(|time| (time, self.table.shape.id));
        } else if hint.no_lock {
            view = tx.view_as(ReadMode::Dirty);
        } else if isolation != Isolation::Snapshot || hint.update || hint.exclusive {
            let serializable = hint.hold || isolation == Isolation::Serializable;
            let repeatable = serializable || hint.repeatable || isolation == Isolation::RepeatableRead;
            if hint.update || hint.exclusive {
                let mode = if hint.exclusive { LockMode::Exclusive } else { LockMode::Update };
                row_lock = Some(RowLock { mode, hold: repeatable || hint.exclusive || hint.keep, range: serializable });
                if isolation != Isolation::Snapshot {
                    view = tx.view_as(ReadMode::Newest);
                }
            } else if hint.shared || repeatable {
                view = tx.view_as(ReadMode::Newest);
                let lock = RowLock { mode: LockMode::Shared, hold: true, range: serializable };
                row_lock = repeatable.then_some(lock);
            }
        }
        if self.spec.ignore_own_statement {
            view.before_statement = statement;
        }
        (view, row_lock)
    }

    /// The base rows of index rows, one after the other; those that are gone meanwhile are left out.
    fn look_up(
        &self,
        at: &mut Position,
        tx: &mut Transaction,
        locators: &[Locator],
        give: &mut dyn FnMut(&[u8], &Locator) -> StorageResult<()>,
    ) -> StorageResult<()> {
        let engine = &*self.table.engine;
        let stored = self.table.shape.stored();
        let (mut image, mut joined) = (Vec::new(), Vec::new());
        let (mut leaves, mut rest) = (Vec::new(), locators);
        while !rest.is_empty() {
            let (locators, later) = rest.split_at(at.expected_keys().min(rest.len()));
            rest = later;
            leaves.clear();
            if locators.len() >= EXPECTED_MIN {
                let keys = locators.iter().map(|locator| &**locator);
                engine.expect_leaves(&self.table.shape.base, keys, at.misses, &mut leaves);
            }
            let before = faults();
            for (number, locator) in locators.iter().enumerate() {
                let near = leaves.get(number).copied().unwrap_or(0);
                if !self.fetch_base(at, tx, locator, near, &mut image)? {
                    continue;
                }
                let is_split = stored.long_values.is_some() && RowView::new(stored.layout, &image)?.has_overflow();
                if is_split {
                    joined.clear();
                    engine.join_long_values(stored, &image, &mut joined)?;
                }
                give(if is_split { &joined } else { &image }, locator)?;
            }
            at.misses = misses(before, locators.len());
        }
        Ok(())
    }

    fn join(&self, stored: Stored<'_>, rows: &mut [(Vec<u8>, Locator)]) -> StorageResult<()> {
        if stored.long_values.is_none() {
            return Ok(());
        }
        for (image, _) in rows {
            if RowView::new(stored.layout, image)?.has_overflow() {
                let split = std::mem::take(image);
                self.table.engine.join_long_values(stored, &split, image)?;
            }
        }
        Ok(())
    }

    fn fetch_base(
        &self,
        at: &Position,
        tx: &mut Transaction,
        locator: &[u8],
        near: u32,
        image: &mut Vec<u8>,
    ) -> StorageResult<bool> {
        loop {
            let (view, _) = self.how_to_read(tx, at.statement);
            match self.table.engine.read_row_near(&view, &self.table.shape.base, locator, near, image)? {
                Seen::Here | Seen::Old => return Ok(true),
                Seen::Nothing => return Ok(false),
                Seen::Wait(_) if self.spec.lock.read_past => return Ok(false),
                Seen::Wait(other) => {
                    let row = Resource::row(self.table.shape.db, self.table.shape.id, locator);
                    tx.wait_for_end(other, self.wanted(), self.patience(tx), row)?;
                }
            }
        }
    }

    fn fill_looked_up(
        &self,
        at: &mut Position,
        tx: &mut Transaction,
        batch: &mut RowBatch,
        rows_max: usize,
    ) -> StorageResult<usize> {
        let mut locators = Vec::new();
        self.part(at, tx, rows_max, &mut |_: &[u8], locator: &[u8]| {
            locators.push(Locator::new(locator));
            Ok(())
        })?;
        debug_assert!(locators.len() <= rows_max, "a row for an entry, or none");
        let layout = &self.table.shape.layout.row;
        let mut filled = 0;
        self.look_up(at, tx, &locators, &mut |image, locator| {
            append_row(layout, &self.places, self.fixed, image, batch, &mut |_, _| unreachable!("joined"))?;
            append_locator(self.spec.locator, locator, batch);
            filled += 1;
            Ok(())
        })?;
        Ok(filled)
    }

    fn fill_straight(
        &self,
        at: &mut Position,
        tx: &mut Transaction,
        batch: &mut RowBatch,
        rows_max: usize,
    ) -> StorageResult<usize> {
        self.part(at, tx, rows_max, &mut Appender::new(self, batch))
    }

    /// The rows of as many of `prefixes` as possible, with one look at the tree for all that lie in one leaf. It leaves the
    /// rest of a prefix to `fill`, begun where it stopped: what goes on in another leaf, has to be waited for, or is too much.
    fn fill_each(
        &self,
        at: &mut Position,
        tx: &mut Transaction,
        prefixes: &mut Prefixes,
        batch: &mut RowBatch,
        rows_max: usize,
        owners: &mut Vec<u32>,
    ) -> StorageResult<usize> {
        tx.check_running()?;
        self.lock_table(tx)?;
        at.statement = tx.writer.statement;
        let mut reader = Reader::new(self, self.how_to_read(tx, at.statement), rows_max, 0);
        let mut sink = Appender::new(self, batch);
        let mut held: Option<Shared<'_>> = None;
        let (before, first) = (faults(), prefixes.next);
        // Where the next ones lie, from the one of this number on; and how many were not in the leaf before.
        let (mut leaves, mut leaves_from, mut descents) = (Vec::new(), 0, 0);
        while reader.given < rows_max {
            let is_expected = prefixes.next < prefixes.expected;
            if !is_expected && (at.misses || at.scattered) && prefixes.len() - prefixes.next >= EXPECTED_MIN {
                // Descending with a leaf in hand could meet who splits it.
                if let Some(leaf) = held.take() {
                    sink.leave(&leaf)?;
                    at.leaf = 0;
                }
                leaves.clear();
                leaves_from = prefixes.next;
                let keys = prefixes.expect(at.expected_keys());
                self.table.engine.expect_leaves(self.tree(), keys, at.misses, &mut leaves);
            }
            let Some((prefix, owner)) = prefixes.first() else { break };
            let within = held.as_deref().and_then(|leaf| page::lower_bound_within(leaf, prefix));
            let (leaf, place) = match (held.take(), within) {
                (Some(leaf), Some(place)) => (leaf, place),
                (left, _) => {
                    if let Some(leaf) = left {
                        sink.leave(&leaf)?;
                        at.leaf = 0;
                    }
                    let near = leaves.get(prefixes.next - leaves_from).copied().unwrap_or(at.leaf);
                    let (leaf, place) = self.table.engine.place_near(self.tree(), prefix, near)?;
                    at.leaf = leaf.number();
                    descents += 1;
                    (leaf, place)
                }
            };
            let leaf = &*held.insert(leaf);
            let before = reader.given;
            debug_assert!(page::is_within_fences(leaf, prefix), "the prefix lies in the leaf");
            let unfinished = match reader.keeps(prefix, place, tx, leaf)? {
                true => reader.rows_of(prefix, place, tx, leaf, &mut sink)?,
                false => Some(prefix.to_vec()),
            };
            debug_assert!(reader.given <= rows_max);
            owners.resize(owners.len() + reader.given - before, owner);
            if let Some(lower) = unfinished {
                let bound = KeyBound::Inclusive(prefix);
                at.place(&bound, &bound);
                at.lower = lower;
                prefixes.begun = true;
                break;
            }
            prefixes.pop();
        }
        if let Some(leaf) = held {
            sink.leave(&leaf)?;
        }
        let looked_up = prefixes.next - first;
        at.misses = misses(before, looked_up);
        at.scattered = descents * 2 > looked_up;
        Ok(reader.given)
    }

    /// The rows as they lie in the tree.
    fn stored(&self) -> Stored<'_> {
        self.index
            .map_or_else(|| self.table.shape.stored(), |at| self.table.shape.indexes[at].stored(self.table.shape.id))
    }

    fn layout(&self) -> &RowLayout {
        self.stored().layout
    }

    /// The index does not cover the columns: each row is fetched from the base.
    fn looks_up(&self) -> bool {
        self.index.is_some() && self.spec.lookup
    }

    /// Gives up to `rows_max` rows to `sink`, at least one unless the scan ends; how many.
    fn part(
        &self,
        at: &mut Position,
        tx: &mut Transaction,
        rows_max: usize,
        sink: &mut impl Sink,
    ) -> StorageResult<usize> {
        let (db, id) = (self.table.shape.db, self.table.shape.id);
        let (mut given, mut awaited) = (0, None);
        while given < rows_max && !at.done {
            let (view, row_lock) = self.how_to_read(tx, at.statement);
            let mut reader = Reader::new(self, (view, row_lock), rows_max, given);
            reader.awaited = awaited.take();
            let stop = if self.spec.backward {
                reader.leaf_backward(at, tx, sink)?
            } else {
                reader.leaf_forward(at, tx, sink)?
            };
            given = reader.given;
            if let Some(row) = reader.awaited {
                // While it was waited for the row went where the scan does not look.
                tx.unlock_row(db, id, row);
            }
            match stop {
                Stop::Part => os::wait::maybe_yield(),
                Stop::End => at.done = true,
                // What has been found goes to the consumer first: the wait may be long, or end in an error.
                Stop::Wait(..) | Stop::Lock(_) | Stop::Range(_) if given > 0 => return Ok(given),
                Stop::Wait(other, row) => {
                    tx.wait_for_end(other, self.wanted(), self.patience(tx), Resource::Row(db, id, row))?;
                }
                Stop::Range(other) => {
                    let lock = row_lock.expect("only a locking scan stops for a range");
                    tx.wait_for_range(other, lock.mode, self.patience(tx))?;
                }
                Stop::Lock(locator) => {
                    let lock = row_lock.expect("only a locking scan stops for a lock");
                    // Held for the transaction only when the row is met again.
                    let row = row_hash(&locator);
                    tx.lock_row(db, id, row, lock.mode, false, self.patience(tx))?;
                    awaited = Some(row);
                }
            }
        }
        debug_assert!(given <= rows_max, "{given} of {rows_max} rows");
        Ok(given)
    }

    /// The keys from `low` on, below `high`, as a lock wants them.
    fn range<'a>(&self, low: &'a [u8], high: Option<&'a [u8]>, mode: LockMode) -> Wanted<'a> {
        Wanted { tree: self.tree().id(), db: self.table.shape.db, table: self.table.shape.id, low, high, mode }
    }

    fn tree(&self) -> &Tree {
        self.index.map_or(&self.table.shape.base, |at| &self.table.shape.indexes[at].tree)
    }
}
