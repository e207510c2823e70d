//! PARTITION = n of ALTER INDEX and ALTER TABLE ... REBUILD.
//! https://learn.microsoft.com/sql/t-sql/statements/alter-index-transact-sql

use sql::ast::{AlterIndexAction, Expr, PartitionChoice};
use sql::catalog::{TableDef, TablePartitioning};
use types::{SqlError, SqlResult, sql_error};

use super::index_option::known_options;
use super::partition;
use super::site::{Ddl, has};
use crate::catalog::Database;
use crate::catalog::base::{IndexRow, index_status as ix};
use crate::catalog::partition::{self as kept, PARTITIONS_MAX, SCHEME_MIN};

/// Whether PARTITION = n can be asked of the indexes. 7729, 7733, 7735: not of one that is not partitioned; 1973: nor of one that is disabled; 7732.
pub fn refuse(
    action: &AlterIndexAction,
    all: bool,
    chosen: &[IndexRow],
    (shown, table): (&str, &TableDef),
) -> SqlResult<()> {
    let (AlterIndexAction::Rebuild { partition, options } | AlterIndexAction::Reorganize { partition, options }) =
        action
    else {
        return Ok(());
    };
    if let AlterIndexAction::Rebuild { .. } = action {
        known_options(options)?;
    }
    let Some(PartitionChoice::One(_)) = partition else { return Ok(()) };
    let first = chosen.first().and_then(|index| index.name.as_deref()).unwrap_or_default();
    if all {
        return match (kept::divided(chosen), kept::undivided(chosen)) {
            (Some(index), Some(other)) => Err(sql_error!(7733, state 2, "ALTER INDEX", "index", index, "index", other)),
            (Some(_), None) => Ok(()),
            (None, None) if table.partitioning.is_some() => Err(sql_error!(7732, shown)),
            (None, _) if chosen.is_empty() => Err(sql_error!(7735, "alter", "index", "table", shown, "table")),
            (None, _) => Err(sql_error!(7735, "alter", "index", "index", first, "index")),
        };
    }
    // Indexes of xml and spatial values lie with the table's rows.
    let is_divided = |index: &IndexRow| index.dataspace >= SCHEME_MIN || index.kind > 2 && table.partitioning.is_some();
    match chosen.first() {
        Some(index) if !is_divided(index) => Err(sql_error!(7729, "alter", "index", "index", first)),
        Some(index) if has(index.status, ix::DISABLED) => Err(sql_error!(1973, first, "table", shown)),
        _ => Ok(()),
    }
}

/// The partition, from 0, that REBUILD or REORGANIZE names; None: all. 7722, 7730, 2586: an index has none of the number.
pub fn chosen(
    ddl: &mut Ddl<'_>,
    db: &Database,
    action: &AlterIndexAction,
    chosen: &[IndexRow],
    (shown, table): (&str, &TableDef),
) -> SqlResult<Option<usize>> {
    let (expr, rebuilds) = match action {
        AlterIndexAction::Rebuild { partition: Some(PartitionChoice::One(expr)), .. } => (expr, true),
        AlterIndexAction::Reorganize { partition: Some(PartitionChoice::One(expr)), .. } => (expr, false),
        _ => return Ok(None),
    };
    let first = chosen.first().and_then(|index| index.name.as_deref()).unwrap_or_default();
    let number = partition::number(ddl, expr, "ALTER INDEX", "index", first)?;
    let mut at = None;
    for index in chosen {
        let name = index.name.as_deref().unwrap_or_default();
        let missing = |number: i64| match rebuilds {
            true => sql_error!(7730, "index", number, "index", name),
            false => sql_error!(2586, number, name, shown),
        };
        let own = ddl.rows(db, |rows| kept::of_index(rows, table, index))?;
        if let Some(of) = own.as_ref().or(table.partitioning.as_ref()) {
            at = Some(partition_of(of, number, ("index", name), missing)?);
        }
    }
    Ok(at)
}

/// The partition of an index's trees, where `at` is chosen of the index. None: all, for they are not divided as the index is said to be.
pub fn in_trees(
    ddl: &mut Ddl<'_>,
    db: &Database,
    table: &TableDef,
    index: &IndexRow,
    at: Option<usize>,
) -> SqlResult<Option<usize>> {
    let (Some(at), Some(of_table)) = (at, &table.partitioning) else { return Ok(None) };
    let own = ddl.rows(db, |rows| kept::of_index(rows, table, index))?;
    Ok(kept::otherwise(of_table, own.as_ref()).is_none().then_some(at))
}

/// The partition of a table that ALTER TABLE ... REBUILD names. 7729, 7735: it has none; 7722, 7730: none of the number.
pub fn of_table(
    ddl: &mut Ddl<'_>,
    table: &TableDef,
    index: Option<&str>,
    (shown, expr): (&str, &Expr),
) -> SqlResult<usize> {
    let Some(of) = &table.partitioning else {
        return Err(match index {
            Some(index) => sql_error!(7729, "alter", "index", "index", index),
            None => sql_error!(7735, "alter", "table", "table", shown, "table"),
        });
    };
    let number = partition::number(ddl, expr, "ALTER TABLE", "table", shown)?;
    let missing = |number: i64| match index {
        Some(index) => sql_error!(7730, "index", number, "index", index),
        None => sql_error!(7730, "table", number, "table", shown),
    };
    partition_of(of, number, ("table", shown), missing)
}

/// The partition of this number, from 0.
fn partition_of(
    of: &TablePartitioning,
    number: i64,
    (kind, name): (&str, &str),
    missing: impl FnOnce(i64) -> SqlError,
) -> SqlResult<usize> {
    if !(1..=PARTITIONS_MAX as i64).contains(&number) {
        return Err(sql_error!(7722, number, kind, name, PARTITIONS_MAX));
    }
    if number as usize > of.function.partitions() { Err(missing(number)) } else { Ok(number as usize - 1) }
}
