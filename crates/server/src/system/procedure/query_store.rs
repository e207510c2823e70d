//! sp_query_store_*: no database here has a Query Store that is on, so each answers as SQL Server does of one that is off and empty.
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/query-store-stored-procedures-transact-sql

use types::{SqlResult, sql_error};

use super::parameters::Parameters;
use crate::session::host::SessionHost;

/// SQL Server's states where these procedures' arguments are wrong.
const ARGUMENTS: u8 = 51;

/// An argument that must be there, and not NULL; ids as numbers.
fn id(given: &Parameters<'_>, position: usize, name: &str) -> SqlResult<i64> {
    expect(given, position, name, "bigint")?;
    given.number(position)?.ok_or_else(|| sql_error!(214, state ARGUMENTS, name, "bigint"))
}

fn expect(given: &Parameters<'_>, position: usize, name: &str, ty: &str) -> SqlResult<()> {
    match given.value(position) {
        None => Err(sql_error!(313, state ARGUMENTS, given.procedure())),
        Some((_, value)) if value.is_null() => Err(sql_error!(214, state ARGUMENTS, name, ty)),
        Some(_) => Ok(()),
    }
}

/// sp_query_store_force_plan, sp_query_store_unforce_plan @query_id, @plan_id.
pub fn plan_of_query(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    id(given, 0, "@query_id")?;
    id(given, 1, "@plan_id")?;
    Err(sql_error!(12405, state 4, host.catalog_session.database.0))
}

/// sp_query_store_set_hints @query_id, @query_hints.
pub fn set_hints(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    id(given, 0, "@query_id")?;
    expect(given, 1, "@query_hints", "nvarchar(max)")?;
    Err(sql_error!(12405, state 6, host.catalog_session.database.0))
}

/// sp_query_store_clear_hints @query_id.
pub fn clear_hints(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    id(given, 0, "@query_id")?;
    Err(sql_error!(12405, state 7, host.catalog_session.database.0))
}

/// sp_query_store_remove_query @query_id.
pub fn remove_query(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    let query = id(given, 0, "@query_id")?;
    Err(sql_error!(12402, query, host.catalog_session.database.0))
}

/// sp_query_store_remove_plan @plan_id.
pub fn remove_plan(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    let plan = id(given, 0, "@plan_id")?;
    Err(sql_error!(12403, plan, host.catalog_session.database.0))
}

/// sp_query_store_reset_exec_stats @plan_id.
pub fn reset_statistics(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    let plan = id(given, 0, "@plan_id")?;
    Err(sql_error!(12403, state 2, plan, host.catalog_session.database.0))
}
