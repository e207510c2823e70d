//! What a text would answer, without running it: sp_describe_first_result_set.

use std::sync::Arc;

use exec::session::Session as State;
use exec::sink::Sink;
use sql::plan::{Client, OutputColumn};
use types::{Datum, SqlError, SqlResult, SqlType, sql_error};

use super::describe::{FIRST_RESULT, IS_HIDDEN, IS_PART_OF_UNIQUE_KEY, described, not_compiled};
use super::parameters::Parameters;
use super::result::ResultSet;
use super::undeclared;
use crate::session::early;
use crate::session::first_result::any_first_result;
use crate::session::host::SessionHost;

/// sp_describe_first_result_set @tsql, @params, @browse_information_mode.
pub fn first_result_set(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let tsql = given.text(0).unwrap_or_default();
    let declared = given.text(1).unwrap_or_default();
    let client = match given.number(2)?.unwrap_or(0) {
        0 => Client::Plain,
        1 => Client::Browses,
        2 => Client::Cursor,
        _ => return Err(sql_error!(11552)),
    };
    let mut columns = described_text(host, state, &tsql, &declared, client).map_err(SqlError::together)?;
    if client == Client::Cursor {
        columns.retain(|column| !column.is_hidden());
    }
    let mut result = ResultSet::new(FIRST_RESULT);
    for (at, column) in columns.iter().enumerate() {
        result.push(&described(host, at, column, client != Client::Plain));
    }
    // A cursor's results say of each row whether it is still there.
    if client == Client::Cursor && !columns.is_empty() {
        let mut row = described(host, columns.len(), &OutputColumn::plain("ROWSTAT", SqlType::INT, false), true);
        row[IS_HIDDEN] = Datum::I64(1);
        row[IS_PART_OF_UNIQUE_KEY] = Datum::I64(0);
        result.push(&row);
    }
    result.send(sink)?;
    Ok(0)
}

/// The columns of the first result of a text, whichever way it takes. Errors in the order that the client is told them.
pub fn described_text(
    host: &mut SessionHost,
    state: &mut State,
    tsql: &str,
    declared: &str,
    client: Client,
) -> Result<Vec<OutputColumn>, Vec<SqlError>> {
    let module = match host.bind_text(state, tsql, declared) {
        Err(errors) if errors.iter().all(|error| error.number == 137) => {
            let declared = undeclared::with_undeclared(host, state, tsql, declared).map_err(|error| vec![error])?;
            host.bind_text(state, tsql, &declared)
        }
        bound => bound,
    };
    let module = Arc::new(module.map_err(not_compiled)?);
    early::check(host, state, &module, false).map_err(not_compiled)?;
    host.check_text(state, &module).map_err(|error| vec![error])?;
    any_first_result(host, state, &module, client)
}
