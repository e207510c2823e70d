//! Rows behind the catalog views that are not base tables: system objects and the like.

use exec::session::Session as State;
use sql::catalog::DatabaseId;
use types::SqlResult;

use crate::host::SessionHost;
use crate::system::answer::Arguments;
use crate::system::virtual_table::NamedRow;

/// None: not a table of this family.
pub fn rows(
    _host: &mut SessionHost,
    _state: &mut State,
    _database: DatabaseId,
    _name: &str,
    _arguments: &Arguments<'_>,
) -> SqlResult<Option<Vec<NamedRow>>> {
    Ok(None)
}
