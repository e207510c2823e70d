//! One instance: its files, buffer, log, transactions and tables. Opening it recovers it.

use std::sync::Arc;

use crate::error::StorageResult;
use crate::layout::{DatabaseId, IndexId, IndexLayout, TableId, TableLayout};
use crate::table::Table;
use crate::transaction::{Isolation, Transaction, stopped};

/// Cheap to clone; all clones are one instance.
#[derive(Clone)]
pub struct Storage {}

impl Storage {
    pub fn begin(&self, _isolation: Isolation) -> Transaction {
        unreachable!("no instance can be opened yet")
    }

    /// Writes all changed pages, so that recovery starts from here.
    pub fn checkpoint(&self) -> StorageResult<()> {
        Err(stopped())
    }

    /// Checkpoints and stops; calls after it fail with `Stopped`.
    pub fn shutdown(&self) -> StorageResult<()> {
        Err(stopped())
    }

    /// `sys.sp_flush_log`: hardens every delayed commit so far.
    pub fn flush_log(&self) -> StorageResult<()> {
        Err(stopped())
    }

    pub fn create_database(&self, _tx: &mut Transaction, _db: DatabaseId, _name: &str) -> StorageResult<()> {
        Err(stopped())
    }

    pub fn drop_database(&self, _tx: &mut Transaction, _db: DatabaseId) -> StorageResult<()> {
        Err(stopped())
    }

    pub fn databases(&self) -> Vec<DatabaseId> {
        Vec::new()
    }

    pub fn create_table(
        &self,
        _tx: &mut Transaction,
        _db: DatabaseId,
        _table: TableId,
        _layout: &TableLayout,
    ) -> StorageResult<()> {
        Err(stopped())
    }

    pub fn drop_table(&self, _tx: &mut Transaction, _db: DatabaseId, _table: TableId) -> StorageResult<()> {
        Err(stopped())
    }

    pub fn truncate_table(&self, _tx: &mut Transaction, _db: DatabaseId, _table: TableId) -> StorageResult<()> {
        Err(stopped())
    }

    /// Builds it from the rows there are. A clustered one rebuilds the table.
    pub fn create_index(
        &self,
        _tx: &mut Transaction,
        _db: DatabaseId,
        _table: TableId,
        _index: &IndexLayout,
    ) -> StorageResult<()> {
        Err(stopped())
    }

    pub fn drop_index(
        &self,
        _tx: &mut Transaction,
        _db: DatabaseId,
        _table: TableId,
        _index: IndexId,
    ) -> StorageResult<()> {
        Err(stopped())
    }

    /// Adds columns at the end: existing rows read NULL there. `layout.row` must extend the present one.
    pub fn alter_row_layout(
        &self,
        _tx: &mut Transaction,
        _db: DatabaseId,
        _table: TableId,
        _row: &types::RowLayout,
    ) -> StorageResult<()> {
        Err(stopped())
    }

    /// A hash look-up: open it in each statement.
    pub fn open_table(&self, _db: DatabaseId, _table: TableId) -> StorageResult<Arc<Table>> {
        Err(stopped())
    }
}
