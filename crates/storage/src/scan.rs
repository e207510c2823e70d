//! Reading an index in order, in parts. A scan holds no latch between calls; it continues by key, so splits do not disturb it.

use types::RowBatch;

use crate::error::StorageResult;
use crate::layout::IndexId;
use crate::transaction::{Transaction, stopped};

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

/// Owns what it needs of the table, so it may outlive the borrow it was made from (cursors).
pub struct Scan {}

impl Scan {
    pub fn next(&mut self, _tx: &mut Transaction) -> StorageResult<Option<RowRef<'_>>> {
        Err(stopped())
    }

    /// Appends up to `rows_max` rows to `batch`: `ScanSpec::columns` in order, then the locator if asked for.
    /// Returns how many; 0 at the end only.
    pub fn fill(&mut self, _tx: &mut Transaction, _batch: &mut RowBatch, _rows_max: usize) -> StorageResult<usize> {
        Err(stopped())
    }
}
