//! DBCC UPDATEUSAGE WITH COUNT_ROWS: rows are counted as they change, but for what a crash leaves uncounted. Pages are asked, so that
//! without the option there is nothing to correct.
//! https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-updateusage-transact-sql

use sql::ast::{Dbcc, find_setting};
use storage::{DiskTable, Table, TableId};
use types::{Datum, SqlResult};

use super::dbcc::{database_argument, no_such_object, number_argument, text_argument};
use super::site::Ddl;
use super::text::bracket;
use crate::catalog::Database;
use crate::catalog::error::storage_error;

/// A table of a user's, and what its rows are divided by.
struct Counted {
    id: i32,
    name: String,
    /// The number of a row's partition.
    partition: String,
}

pub fn update(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let db = database_argument(ddl, dbcc)?;
    let counts = find_setting(&dbcc.options, "COUNT_ROWS").is_some();
    let tables = tables(ddl, &db, dbcc)?;
    for table in tables.iter().filter(|_| counts) {
        count(ddl, &db, table)?;
    }
    Ok(())
}

/// Those of the database, or the one that is named. 2501
fn tables(ddl: &mut Ddl<'_>, db: &Database, dbcc: &Dbcc) -> SqlResult<Vec<Counted>> {
    let place = bracket(&db.name());
    // Within a text.
    let shown = place.replace('\'', "''");
    let wanted = match (text_argument(dbcc, 1), number_argument(dbcc, 1)) {
        (Some(name), _) => {
            let quoted = name.replace('\'', "''");
            let schema = format!("ISNULL(QUOTENAME(PARSENAME(N'{quoted}', 2)), N'')");
            let which = format!(
                "t.object_id = OBJECT_ID(N'{shown}.' + {schema} + N'.' + QUOTENAME(PARSENAME(N'{quoted}', 1)))"
            );
            Some((name, which))
        }
        (None, Some(id)) => Some((id.to_string(), format!("t.object_id = {id}"))),
        (None, None) => None,
    };
    let which = wanted.as_ref().map_or("1 = 1", |(_, which)| which);
    let query = format!(
        "SELECT t.object_id, QUOTENAME(s.name) + N'.' + QUOTENAME(t.name), \
           ISNULL(N'{shown}.$PARTITION.' + QUOTENAME(f.name) + N'(' + QUOTENAME(c.name) + N')', N'1') \
         FROM {place}.sys.tables t JOIN {place}.sys.schemas s ON s.schema_id = t.schema_id \
         LEFT JOIN {place}.sys.indexes i ON i.object_id = t.object_id AND i.index_id < 2 \
         LEFT JOIN {place}.sys.partition_schemes p ON p.data_space_id = i.data_space_id \
         LEFT JOIN {place}.sys.partition_functions f ON f.function_id = p.function_id \
         LEFT JOIN {place}.sys.index_columns k ON k.object_id = t.object_id AND k.index_id = i.index_id AND k.partition_ordinal = 1 \
         LEFT JOIN {place}.sys.columns c ON c.object_id = t.object_id AND c.column_id = k.column_id \
         WHERE t.is_memory_optimized = 0 AND {which}"
    );
    let mut found = Vec::new();
    ddl.site.query(&query, &mut |_, batch| {
        for row in 0..batch.rows {
            let text = |column: usize| match batch.columns[column].datum(row) {
                Datum::Bytes(bytes) => types::collation::code_page::utf16_to_string(&bytes),
                _ => String::new(),
            };
            let id = batch.columns[0].datum(row).as_i64() as i32;
            found.push(Counted { id, name: format!("{place}.{}", text(1)), partition: text(2) });
        }
        Ok(())
    })?;
    match wanted {
        Some((name, _)) if found.is_empty() => Err(no_such_object(&name)),
        _ => Ok(found),
    }
}

/// Its rows, under a lock that lets nobody change them until the statement is over.
fn count(ddl: &mut Ddl<'_>, db: &Database, table: &Counted) -> SqlResult<()> {
    let query =
        format!("SELECT {0}, COUNT_BIG(*) FROM {1} WITH (TABLOCK, HOLDLOCK) GROUP BY {0}", table.partition, table.name);
    let query = if table.partition == "1" { query.replace(" GROUP BY 1", "") } else { query };
    let mut counts: Vec<(i64, i64)> = Vec::new();
    ddl.site.query(&query, &mut |_, batch| {
        counts.extend((0..batch.rows).map(|row| {
            let number = |column: usize| batch.columns[column].datum(row).as_i64();
            (number(0), number(1))
        }));
        Ok(())
    })?;
    let opened = ddl.catalog.storage.open_table(db.storage_id(), TableId(table.id)).map_err(storage_error)?;
    let parts: &[DiskTable] = match &*opened {
        Table::Disk(table) => std::slice::from_ref(table),
        Table::Partitioned(table) => table.partitions(),
        Table::Memory(_) => &[],
    };
    for (number, part) in (1..).zip(parts) {
        part.counted(counts.iter().find(|(at, _)| *at == number).map_or(0, |(_, rows)| *rows));
    }
    Ok(())
}
