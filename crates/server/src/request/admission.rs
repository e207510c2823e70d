//! Whether a session may have a database as its current one: SINGLE_USER lets one in, RESTRICTED_USER who administers.

use std::sync::atomic::Ordering;

use types::{SqlResult, sql_error};

use crate::catalog::Database;
use crate::definition::access::{RESTRICTED_USER, SINGLE_USER};
use crate::instance::server::Server;
use crate::instance::sessions::SessionEntry;
use crate::system;

/// Makes it the session's current database as others see it. 923, 924: the session stays where it is.
pub fn admit(server: &Server, entry: &SessionEntry, database: &Database) -> SqlResult<()> {
    let id = database.id.0;
    let access = database.row().user_access;
    if access == RESTRICTED_USER
        && !system::principal::administers(&server.catalog, database, &entry.identity.login_name)?
    {
        return Err(sql_error!(923, database.name()));
    }
    // First in, then a look around: of two that come together neither can miss the other.
    let before = entry.database.swap(id.into(), Ordering::AcqRel);
    if access == SINGLE_USER && server.users_of(id).iter().any(|spid| *spid != entry.spid) {
        entry.database.store(before, Ordering::Release);
        return Err(sql_error!(924, database.name()));
    }
    Ok(())
}
