//! What a text would answer, without running it: sp_describe_first_result_set.

use std::sync::Arc;

use exec::session::Session as State;
use exec::sink::Sink;
use sql::plan::{Client, OutputColumn};
use types::{SqlError, SqlResult, sql_error};

use super::describe::{FIRST_RESULT, described, not_compiled};
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
    let mode = given.number(2)?.unwrap_or(0);
    if !(0..=2).contains(&mode) {
        return Err(sql_error!(11552));
    }
    let browse = mode != 0;
    let client = if browse { Client::Browses } else { Client::Plain };
    let columns = described_text(host, state, &tsql, &declared, client).map_err(SqlError::together)?;
    let mut result = ResultSet::new(FIRST_RESULT);
    for (at, column) in columns.iter().enumerate() {
        result.push(&described(host, at, column, browse));
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
