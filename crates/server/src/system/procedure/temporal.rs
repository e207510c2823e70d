//! sp_cleanup_temporal_history: rows of a history table that have outlived their retention. sp_xtp_flush_temporal_history: the history of
//! a memory-optimized table.
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-cleanup-temporal-history-transact-sql

use std::sync::Arc;

use exec::session::Session as State;
use exec::sink::Sink;
use sql::catalog::{ObjectName, Retention, TableDef, Versioning};
use types::collation::code_page::utf16_to_string;
use types::{Datum, SqlResult, SqlType, sql_error};

use super::definition::define;
use super::parameters::Parameters;
use crate::catalog::{Database, load};
use crate::definition::Ddl;
use crate::definition::text::bracket;
use crate::definition::versioned::full_name;
use crate::session::host::SessionHost;

/// Deleted in one transaction.
const ROWS_AT_ONCE: u64 = 10_000;

/// 13776: no such table, or he has not the right on it.
fn table_of(ddl: &mut Ddl<'_>, schema: &str, table: &str, right: &str) -> SqlResult<(Arc<Database>, TableDef)> {
    let name = ObjectName { schema: Some(schema.into()), name: table.into(), ..Default::default() };
    let missing = || sql_error!(13776, format_args!("{schema}.{table}"));
    let (db, row) = ddl.find(&name.into())?.filter(|(_, row)| row.kind.as_str() == "U").ok_or_else(missing)?;
    if !ddl.object_permission(&db, &row, right)? {
        return Err(missing());
    }
    let table = ddl.reload(&db, row.id)?;
    Ok((db, table))
}

/// 13776 as above. 13746, 13747: nothing of it grows old.
pub fn clean_up(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &mut Parameters<'_>,
) -> SqlResult<i32> {
    let (schema, table) = (given.text(0).unwrap_or_default(), given.text(1).unwrap_or_default());
    let mut removed = 0;
    loop {
        // Its statements are within its transaction, if there is no other: none of them ends it.
        let own = state.transaction.current.is_none();
        state.transaction.level += u32::from(own);
        let piece = define(host, state, sink, |ddl| {
            let (db, table) = table_of(ddl, &schema, &table, "ALTER")?;
            let Some(Versioning::Current { history, retention }) = table.versioning else {
                return Err(sql_error!(13746, full_name(&db, &table)));
            };
            let Some(Retention { count, unit }) = retention else {
                return Err(sql_error!(13747, full_name(&db, &table)));
            };
            let (_, end) = table.period().expect("a system-versioned table has a period");
            let end = bracket(&table.columns[usize::from(end)].name);
            let row =
                ddl.rows(&db, |rows| load::object_row(rows, history.0))?.expect("a current table has its history");
            let schema = ddl.rows(&db, |rows| load::schema_name(rows, row.nsid))?;
            let from = format!("{}.{}.{}", bracket(&db.name()), bracket(&schema), bracket(&row.name));
            let mut moment = String::new();
            // One moment for both statements below, so that what is counted is what goes.
            let query =
                format!("SELECT CONVERT(nvarchar(40), DATEADD({}, -{count}, SYSUTCDATETIME()), 126) AS a", unit.name());
            ddl.site.query(&query, &mut |_, batch| {
                if batch.rows > 0 {
                    moment = utf16_to_string(batch.columns[0].bytes(0));
                }
                Ok(())
            })?;
            let aged = format!("{end} < CONVERT(datetime2, '{moment}', 126)");
            let mut rows = 0;
            let query = format!(
                "SELECT COUNT_BIG(*) AS a FROM (SELECT TOP ({ROWS_AT_ONCE}) 1 AS a FROM {from} WHERE {aged}) AS aged"
            );
            ddl.site.query(&query, &mut |_, batch| {
                if batch.rows > 0 {
                    rows = batch.columns[0].datum(0).as_i64() as u64;
                }
                Ok(())
            })?;
            if rows > 0 {
                ddl.site.query(&format!("DELETE TOP ({ROWS_AT_ONCE}) FROM {from} WHERE {aged}"), &mut |_, _| Ok(()))?;
            }
            Ok(rows)
        });
        if own {
            state.transaction.level = 0;
        }
        let piece = piece?;
        removed += piece;
        if piece < ROWS_AT_ONCE {
            break;
        }
    }
    given.set(2, SqlType::BIGINT, Datum::I64(removed as i64));
    Ok(0)
}

/// A transaction writes the history itself, so all that is committed is there. 13776, 13746 as above.
/// https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/temporal-table-sp-xtp-flush-temporal-history
pub fn flush(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &mut Parameters<'_>,
) -> SqlResult<i32> {
    let (schema, table) = (given.text(0).unwrap_or_default(), given.text(1).unwrap_or_default());
    define(host, state, sink, |ddl| {
        let (db, table) = table_of(ddl, &schema, &table, "CONTROL")?;
        match (table.versioning, table.memory) {
            (Some(Versioning::Current { .. }), Some(_)) => Ok(0),
            _ => Err(sql_error!(13746, full_name(&db, &table))),
        }
    })
}
