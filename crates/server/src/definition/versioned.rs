//! System-versioned tables as other definitions meet them: their names in messages, and what may not be dropped.

use std::sync::Arc;

use sql::catalog::TableDef;
use types::{SqlResult, sql_error};

use super::site::Ddl;
use crate::catalog::Database;
use crate::catalog::base::{ObjectRow, ReferenceRow, class, object_status as os_};
use crate::catalog::load::{int, small};

/// `database.schema.table`
pub fn full_name(db: &Database, table: &TableDef) -> String {
    format!("{}.{}.{}", db.name(), table.schema, table.name)
}

/// 13552: DROP TABLE of either.
pub fn check_drop(ddl: &mut Ddl<'_>, db: &Arc<Database>, row: &ObjectRow) -> SqlResult<()> {
    if row.status & (os_::VERSIONED | os_::HISTORY) == 0 {
        return Ok(());
    }
    let table = ddl.reload(db, row.id)?;
    Err(sql_error!(13552, full_name(db, &table)))
}

/// 13766: without it nobody finds what has outlived its retention.
pub fn check_index_drop(ddl: &mut Ddl<'_>, db: &Arc<Database>, row: &ObjectRow, index: &str) -> SqlResult<()> {
    let reference =
        ddl.rows(db, |rows| rows.first::<ReferenceRow>(1, &[int(row.id), small(class::TEMPORAL_HISTORY)]))?;
    match reference {
        Some(reference) if reference.indepsubid >= 0 => Err(sql_error!(13766, index)),
        _ => Ok(()),
    }
}
