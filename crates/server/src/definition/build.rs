//! What building indexes takes: memory for their sort, how full their pages are made, and what their failures are called.

use sql::ast::ObjectName;
use sql::catalog::{ColumnDef, IndexKind, TableDef};
use sql::plan::GrantEstimate;
use storage::{Fill, IndexId, StorageError};
use types::{SqlError, SqlResult, TypeKind, sql_error};

use super::site::{Ddl, has};
use crate::catalog::Database;
use crate::catalog::base::{IndexRow, index_status as ix};
use crate::catalog::error::storage_error;
use crate::catalog::load::int;
use crate::settings::config::option;

/// Bytes beside a row's values: its key again, where it lies, its place in the sort.
const ROW_BYTES: u64 = 48;
/// A long value stays out of the row.
const REFERENCE_BYTES: u64 = 24;
/// What a sort cannot do without.
const REQUIRED_BYTES: u64 = 512 << 10;
/// As the optimizer reckons: rows read and sorted, per second.
const ROWS_A_SECOND: f64 = 1_000_000.0;

/// How full the pages of each index are made, by its number.
pub struct Fills {
    known: Vec<(i32, Fill)>,
    other: Fill,
}

impl Fills {
    pub fn of(&self, index: IndexId) -> Fill {
        let found = self.known.iter().find(|(indid, _)| *indid == index.0 as i32);
        found.map_or(self.other, |(_, fill)| *fill)
    }
}

/// FILLFACTOR and PAD_INDEX of a table's indexes; where nothing is said, `fill factor (%)` of sp_configure.
/// https://learn.microsoft.com/sql/relational-databases/indexes/specify-fill-factor-for-an-index
pub fn fills(ddl: &mut Ddl<'_>, db: &Database, table: i32) -> SqlResult<Fills> {
    let usual = ddl.catalog.configuration.running(option::FILL_FACTOR);
    let full = |percent: i64| if (1..=100).contains(&percent) { percent as u8 } else { 100 };
    let rows = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(table)]))?;
    let fill = |row: &IndexRow| {
        let leaf = full(if row.fillfact == 0 { usual } else { i64::from(row.fillfact) });
        // "PAD_INDEX ... uses the percentage specified by FILLFACTOR": the page of CREATE INDEX.
        Fill { leaf, inner: if has(row.status, ix::PADDED) { leaf } else { 100 } }
    };
    Ok(Fills {
        known: rows.iter().filter(|row| row.indid > 0).map(|row| (row.indid, fill(row))).collect(),
        other: Fill::default(),
    })
}

fn value_bytes(column: &ColumnDef) -> u64 {
    match column.ty.length {
        _ if column.ty.is_max() => REFERENCE_BYTES,
        // As the optimizer guesses: half of what may be.
        length if matches!(column.ty.kind, TypeKind::VarChar | TypeKind::NVarChar | TypeKind::VarBinary) => {
            u64::from(length) / 2 + 2
        }
        length => u64::from(length),
    }
}

/// Asks for memory to sort the rows of a table, before it is locked: who waits for that holds up nobody. `columns`: by name those that are
/// sorted with their keys, None: whole rows. A table that is not there sorts nothing.
pub fn ask_to_sort(ddl: &mut Ddl<'_>, name: &ObjectName, columns: Option<&[&str]>) -> SqlResult<()> {
    let Some((db, row)) = ddl.find(name)? else { return Ok(()) };
    if row.kind.as_str() != "U" {
        return Ok(());
    }
    let table = ddl.reload(&db, row.id)?;
    let key_of_table = |at: usize| {
        let clustered = table.indexes.iter().find(|index| index.kind == IndexKind::Clustered);
        clustered.is_some_and(|index| index.key.iter().any(|(column, _)| usize::from(*column) == at))
    };
    let is_sorted = |at: usize, column: &ColumnDef| match columns {
        None => true,
        Some(names) => key_of_table(at) || names.iter().any(|name| db.equal_names(name, &column.name)),
    };
    let sorted = table.columns.iter().enumerate().filter(|(at, column)| is_sorted(*at, column));
    // Keys lie beside the values that they are made of.
    let row_bytes = sorted.map(|(_, column)| 2 * value_bytes(column)).sum::<u64>() + ROW_BYTES;
    ask(ddl, &table, row_bytes)
}

fn ask(ddl: &mut Ddl<'_>, table: &TableDef, row_bytes: u64) -> SqlResult<()> {
    if table.memory.is_some() {
        return Ok(());
    }
    let mut estimate = GrantEstimate::default();
    estimate.required = REQUIRED_BYTES;
    estimate.ideal = table.row_count.saturating_mul(row_bytes);
    // 0: by the estimate. https://learn.microsoft.com/sql/database-engine/configure-windows/configure-the-index-create-memory-server-configuration-option
    let configured = ddl.catalog.configuration.running(option::INDEX_CREATE_MEMORY);
    if let (Ok(kb @ 1..), true) = (u64::try_from(configured), estimate.ideal > REQUIRED_BYTES) {
        estimate.ideal = kb << 10;
    }
    estimate.cost = table.row_count as f64 / ROWS_A_SECOND;
    ddl.ask_to_sort(&estimate)
}

/// A failure to build, of a table called `schema.table`: 1105 names it with the index, or the sort's work files.
pub fn build_error(error: StorageError, table: &str, index: Option<&str>) -> SqlError {
    match error {
        StorageError::DiskFull => {
            let index = index.map_or(String::new(), |index| format!(".'{index}'"));
            sql_error!(1105, state 2, table, index, "", "PRIMARY")
        }
        error => storage_error(error),
    }
}
