//! A table: its base tree (clustered index, or heap by row number) and its nonclustered indexes, kept together.

use std::sync::Arc;

use types::RowLayout;

use crate::error::StorageResult;
use crate::layout::{DatabaseId, IndexId, Locator, TableId, TableLayout};
use crate::scan::{Scan, ScanSpec};
use crate::transaction::{Transaction, stopped};

/// Shared by all sessions; cheap to clone. After `create_index`, `drop_index` or a rollback of one, open the table again.
#[derive(Clone)]
pub struct Table {
    pub(crate) shape: Arc<TableLayout>,
    pub(crate) db: DatabaseId,
    pub(crate) id: TableId,
}

impl Table {
    pub fn id(&self) -> TableId {
        self.id
    }

    pub fn database(&self) -> DatabaseId {
        self.db
    }

    pub fn layout(&self) -> &TableLayout {
        &self.shape
    }

    /// Columns of the table that a row of this index holds, in the order of its image: for the heap and the clustered
    /// index all; otherwise key, included and clustered key columns, each once.
    pub fn index_columns(&self, _index: IndexId) -> StorageResult<Vec<u16>> {
        Err(stopped())
    }

    /// The layout of the index's own rows.
    pub fn index_row(&self, _index: IndexId) -> StorageResult<RowLayout> {
        Err(stopped())
    }

    /// `row` is an image of `layout().row` with every value in the row; long (max) values are moved out of it here.
    pub fn insert(&self, _tx: &mut Transaction, _row: &[u8]) -> StorageResult<Locator> {
        Err(stopped())
    }

    /// Returns the row's new locator (another one if the clustered key changed).
    pub fn update(&self, _tx: &mut Transaction, _locator: &[u8], _row: &[u8]) -> StorageResult<Locator> {
        Err(stopped())
    }

    pub fn delete(&self, _tx: &mut Transaction, _locator: &[u8]) -> StorageResult<()> {
        Err(stopped())
    }

    /// Replaces `image` by the row as this transaction sees it, long values in place. False: there is none.
    pub fn fetch(&self, _tx: &mut Transaction, _locator: &[u8], _image: &mut Vec<u8>) -> StorageResult<bool> {
        Err(stopped())
    }

    pub fn scan(&self, _tx: &mut Transaction, _spec: ScanSpec) -> StorageResult<Scan> {
        Err(stopped())
    }

    pub fn row_count_estimate(&self) -> u64 {
        0
    }
}
