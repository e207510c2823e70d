//! Messages by number, for RAISERROR: those of the system's own procedures here, the user's in master.

use types::{Datum, SqlResult};

use crate::catalog::MASTER;
use crate::catalog::base::MessageRow;
use crate::catalog::load::int;
use crate::session::host::SessionHost;

/// (number, severity, text).
pub const SYSTEM_MESSAGES: &[(i32, u8, &str)] = &[
    (14027, 11, "%s does not exist in the current database."),
    (14043, 16, "The parameter %s passed to the procedure %s cannot be NULL or an empty string."),
    (15001, 16, "Object '%ls' does not exist or is not a valid object for this operation."),
    (15002, 16, "The procedure '%s' cannot be executed within a transaction."),
    (15003, 16, "Only members of the %s role can execute this stored procedure."),
    (15004, 16, "Name cannot be NULL."),
    (15006, 16, "'%s' is not a valid name because it contains invalid characters."),
    (15007, 16, "'%s' is not a valid login or you do not have permission."),
    (15008, 16, "User '%s' does not exist in the current database."),
    (15009, 16, "The object '%s' does not exist in database '%s' or is invalid for this operation."),
    (
        15010,
        16,
        "The database '%s' does not exist. Supply a valid database name. To see available databases, use sys.databases.",
    ),
    (15014, 16, "The role '%s' does not exist in the current database."),
    (15015, 16, "The server '%s' does not exist. Use sp_helpserver to show available servers."),
    (15023, 16, "User, group, or role '%s' already exists in the current database."),
    (15025, 16, "The server principal '%s' already exists."),
    (15123, 16, "The configuration option '%s' does not exist, or it may be an advanced option."),
    (15124, 16, "The configuration option '%s' is not unique."),
    (15129, 16, "'%s' is not a valid value for configuration option '%s'."),
    (15135, 16, "Object is invalid. Extended properties are not permitted on '%s', or the object does not exist."),
    (15151, 16, "Cannot %S_MSG the %S_MSG '%.*ls', because it does not exist or you do not have permission."),
    (15165, 16, "Could not find object '%ls' or you do not have permission."),
    (15197, 16, "There is no text for object '%s'."),
    (15198, 16, "The name supplied (%s) is not a user, role, or aliased login."),
    (15218, 16, "Object '%s' is not a table."),
    (15235, 16, "Views do not have space allocated."),
    (15236, 16, "Column '%s' has no default."),
    (15250, 16, "The database name component of the object qualifier must be the name of the current database."),
    (15251, 16, "Invalid '%s' specified. It must be %s."),
    (15252, 16, "The primary or foreign key table name must be given."),
    (15247, 16, "User does not have permission to perform this action."),
    (15387, 11, "If the qualified object name specifies a database, that database must be the current database."),
    (
        15388,
        11,
        "There is no user table matching the input name '%s' in the current database or you do not have permission to access the table.",
    ),
    (15410, 11, "User or role '%s' does not exist in this database."),
    (15412, 11, "'%s' is not a known fixed role."),
    (15470, 0, "No foreign keys reference table '%ls', or you do not have permissions on referencing tables."),
    (15471, 0, "The text for object '%ls' is encrypted."),
    (15472, 0, "The object '%ls' does not have any indexes, or you do not have permissions."),
    (15477, 0, "Caution: Changing any part of an object name could break scripts and stored procedures."),
    (15600, 15, "An invalid parameter or option was specified for procedure '%s'."),
    (15619, 16, "Only members of the sysadmin role or the database owner may set db options."),
    (15647, 0, "No views with schema binding reference table '%ls'."),
    (15651, 0, "%d index(es)/statistic(s) have been updated, %d did not require update."),
    (15652, 0, "%s has been updated..."),
    (15653, 0, "%s, update is not necessary..."),
    (15657, 16, "Vardecimal storage format is not available in system database '%s'."),
    (
        16937,
        16,
        "A server cursor cannot be opened on the given statement or statements. Use a default result set or client cursor.",
    ),
];

/// Severity and text of a message; the user's come first.
pub fn find(host: &mut SessionHost, number: i32) -> SqlResult<Option<(u8, String)>> {
    let language = Datum::I64(1033);
    let catalog = host.server.catalog.clone();
    let master = catalog.expect_database(MASTER);
    if number > 50_000 {
        let row = catalog.read(&master, |rows| rows.first::<MessageRow>(0, &[int(number), language]))?;
        return Ok(row.map(|row| (row.severity, row.text.0.as_deref().unwrap_or_default().to_string())));
    }
    Ok(SYSTEM_MESSAGES
        .iter()
        .find(|(known, ..)| *known == number)
        .map(|(_, severity, text)| (*severity, (*text).to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_message_is_listed_twice() {
        let mut numbers: Vec<i32> = SYSTEM_MESSAGES.iter().map(|(number, ..)| *number).collect();
        numbers.sort_unstable();
        assert!(numbers.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
