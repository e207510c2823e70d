//! System procedures that are not T-SQL.

use exec::host::CallArgument;
use exec::session::Session as State;
use exec::sink::Sink;
use sql::catalog::ObjectName;
use types::{SqlError, SqlResult};

use crate::catalog::registry;
use crate::host::SessionHost;

/// The native procedure that a name means.
pub fn native_procedure(name: &ObjectName) -> Option<&'static str> {
    registry::native_procedure(name.schema.as_deref(), &name.name)
}

pub fn run_native(
    _host: &mut SessionHost,
    _state: &mut State,
    _sink: &mut dyn Sink,
    name: &str,
    _arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    Err(SqlError::with_state(2812, 16, 62, format!("Could not find stored procedure '{name}'.")))
}
