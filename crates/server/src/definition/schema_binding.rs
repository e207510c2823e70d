//! What natively compiled modules depend on: kept with the module, and refused to whoever would take it away.

use sql::bind::References;
use types::{SqlError, SqlResult, sql_error};

use super::site::Ddl;
use crate::catalog::Database;
use crate::catalog::base::{ReferenceRow, class};
use crate::catalog::error::storage_error;
use crate::catalog::load::{self, int, small};

/// 12331: definitions of memory-optimized tables and natively compiled modules do not change in a user's transaction.
pub fn refuse_in_transaction(ddl: &Ddl<'_>, what: &str) -> SqlResult<()> {
    match ddl.site.in_user_transaction() {
        false => Ok(()),
        true => Err(sql_error!(12331, what)),
    }
}

pub const MODULES: &str = "natively compiled modules";
pub const TABLES: &str = "memory optimized tables";

/// 3729. `action`: what would be done to `name`.
pub fn referenced(action: &str, name: &str, user: &str) -> SqlError {
    sql_error!(3729, action, name, user)
}

/// Refuses to do `action` to an object that a module depends on.
pub fn check_unused(ddl: &mut Ddl<'_>, db: &Database, object: i32, action: &str, name: &str) -> SqlResult<()> {
    match user_of(ddl, db, object)? {
        Some(user) => Err(referenced(action, name, &user)),
        None => Ok(()),
    }
}

/// Keeps what module `id` depends on. The definitions are held first, so that none goes between the look at it and the row that binds it.
pub fn keep(ddl: &mut Ddl<'_>, db: &Database, id: i32, references: &References) -> SqlResult<()> {
    for (object, _) in references.iter().filter(|(_, column)| *column == 0) {
        let table = storage::TableId(object.0);
        let named = ddl.rows(db, |rows| load::object_row(rows, object.0))?;
        ddl.storage(|_, tx| tx.hold_table(db.storage_id(), table)).map_err(storage_error)?;
        ddl.site.state().1.renew_snapshot();
        if ddl.rows(db, |rows| load::object_row(rows, object.0))?.is_none() {
            let name = named.map_or_else(|| object.0.to_string(), |row| row.name);
            return Err(sql_error!(208, name));
        }
    }
    for (object, column) in references {
        let row = ReferenceRow {
            class: class::OBJECT,
            depid: id,
            depsubid: *column as i32,
            indepid: object.0,
            indepsubid: *column as i32,
            status: 0,
        };
        ddl.rows(db, |rows| rows.insert(&row))?;
    }
    Ok(())
}

/// The name of a module that depends on the object.
pub fn user_of(ddl: &mut Ddl<'_>, db: &Database, object: i32) -> SqlResult<Option<String>> {
    Ok(users_of_column(ddl, db, object, 0)?.into_iter().next())
}

/// Names of the modules that depend on the column (0: on the object).
pub fn users_of_column(ddl: &mut Ddl<'_>, db: &Database, object: i32, column: i32) -> SqlResult<Vec<String>> {
    ddl.rows(db, |rows| {
        let mut users = Vec::new();
        for reference in rows.find::<ReferenceRow>(1, &[int(object), small(class::OBJECT)])? {
            if reference.indepsubid == column
                && let Some(module) = load::object_row(rows, reference.depid)?
                // Itself, or a trigger of the table, goes with it.
                && (column != 0 || module.id != object && module.pid != object)
            {
                users.push(module.name);
            }
        }
        Ok(users)
    })
}
