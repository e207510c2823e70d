//! A table's definition as storage knows it: rows, indexes, keys, all by ordinals of stored columns.

use sql::catalog::{IndexKind, TableDef};
use storage::{FilterTerm, IndexId, IndexLayout, KeyColumn, Partitioning, TableId, TableLayout};
use types::{ColumnType, RowLayout, SqlResult};

use super::site::Ddl;
use crate::catalog::Database;
use crate::catalog::error::storage_error;

/// Disabled indexes have no storage.
pub fn layout(table: &TableDef) -> TableLayout {
    let indexes =
        table.indexes.iter().filter(|index| !index.disabled).filter_map(|index| index_layout(table, index)).collect();
    let memory = table.memory.map(|memory| storage::MemoryOptimized { durable: memory.durable });
    TableLayout { row: row_layout(table), indexes, memory }
}

pub fn row_layout(table: &TableDef) -> RowLayout {
    let stored = table.columns.iter().zip(&table.stored).filter(|(_, place)| place.is_some());
    RowLayout::new(
        &stored.map(|(column, _)| ColumnType { ty: column.ty, nullable: column.nullable }).collect::<Vec<_>>(),
    )
}

pub fn index_layout(table: &TableDef, index: &sql::catalog::IndexDef) -> Option<IndexLayout> {
    let mut key = Vec::new();
    for &(column, descending) in &index.key {
        key.push(KeyColumn { ordinal: table.stored[usize::from(column)]?, descending });
    }
    Some(IndexLayout {
        id: IndexId(index.id),
        unique: index.unique,
        clustered: index.kind == IndexKind::Clustered,
        key,
        included: index.included.iter().filter_map(|&column| table.stored[usize::from(column)]).collect(),
        filter: index
            .filter
            .iter()
            .map(|term| FilterTerm {
                column: table.stored[usize::from(term.column)].expect("no filter is over a computed column"),
                keys: term.keys.clone(),
            })
            .collect(),
        bucket_count: index.bucket_count,
    })
}

/// How storage is to divide a table, into partitions that there are not yet.
pub fn new_partitioning(ddl: &mut Ddl<'_>, db: &Database, table: &TableDef) -> SqlResult<Option<Partitioning>> {
    let Some(own) = &table.partitioning else { return Ok(None) };
    let column = table.stored[usize::from(own.column)].expect("a partitioning column is stored");
    let boundaries = own.function.keys();
    let partitions =
        (0..=boundaries.len()).map(|_| ddl.new_id(db).map(TableId)).collect::<SqlResult<Vec<TableId>>>()?;
    Ok(Some(Partitioning { column, boundaries, right: own.function.right, partitions }))
}

/// Storage divides a table otherwise than its definition says.
pub fn differs(stored: Option<&Partitioning>, table: &TableDef) -> bool {
    match (stored, &table.partitioning) {
        (None, None) => false,
        (Some(stored), Some(own)) => {
            Some(stored.column) != table.stored[usize::from(own.column)]
                || stored.right != own.function.right
                || stored.boundaries != own.function.keys()
        }
        _ => true,
    }
}

/// The storage of a table as its definition says.
pub fn create_storage(ddl: &mut Ddl<'_>, db: &Database, table: &TableDef) -> SqlResult<()> {
    let layout = layout(table);
    let divided = new_partitioning(ddl, db, table)?;
    let (db, id) = (db.storage_id(), TableId(table.object.0));
    ddl.storage(|storage, tx| match &divided {
        Some(divided) => storage.create_partitioned_table(tx, db, id, &layout, divided),
        None => storage.create_table(tx, db, id, &layout),
    })
    .map_err(storage_error)
}
