//! A database with the definitions of another one and none of its rows.

use storage::{Isolation, TableId, Transaction};
use types::SqlResult;

use super::base::{BASE_TABLES, DatabaseRow, USER_OBJECT_MIN};
use super::error::storage_error;
use super::{Catalog, Database};

impl Catalog {
    /// Makes the database of `row` in `tx`, empty, with all that `source` defines. False: that has changed meanwhile, and `tx` is to be rolled
    /// back.
    pub(crate) fn clone_definitions(
        &self,
        tx: &mut Transaction,
        source: &Database,
        row: &DatabaseRow,
    ) -> SqlResult<bool> {
        let before = source.version();
        let target = Database::new(row.clone(), &self.shared);
        let (from, to) = (source.storage_id(), target.storage_id());
        self.storage.create_database(tx, to, &row.name).map_err(storage_error)?;
        let mut reader = self.storage.begin(Isolation::ReadCommitted);
        reader.begin_statement();
        for table in BASE_TABLES.iter().filter(|table| !table.master_only) {
            let layout = target.layouts.table_layout(table);
            self.storage.create_table(tx, to, TableId(table.id), &layout).map_err(storage_error)?;
            target.rows(&self.storage, tx).copy_from(&mut source.rows(&self.storage, &mut reader), table)?;
        }
        self.storage.create_tables_like(tx, from, to, USER_OBJECT_MIN).map_err(storage_error)?;
        Ok(source.version() == before)
    }
}
