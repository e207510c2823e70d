//! What natively compiled and schema-bound modules depend on: kept with the module, and refused to whoever would take it away.

use sql::bind::References;
use types::{SqlError, SqlResult, sql_error};

use super::rights;
use super::site::Ddl;
use crate::catalog::Database;
use crate::catalog::base::{ColumnRow, ObjectRow, ReferenceRow, class, column_status};
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
    sql_error!(3729, state if action == "ALTER" { 3 } else { 1 }, action, name, user)
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
        ddl.storage(|_, tx| tx.hold_table(db.storage_id(), table, false)).map_err(storage_error)?;
        ddl.site.state().1.renew_snapshot();
        let Some(row) = ddl.rows(db, |rows| load::object_row(rows, object.0))? else {
            let name = named.map_or_else(|| object.0.to_string(), |row| row.name);
            return Err(sql_error!(208, name));
        };
        rights::references(ddl, db, &row)?;
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

/// The name of what depends on the object: a module, or of a function or a sequence a constraint, or a table with a computed column.
pub fn user_of(ddl: &mut Ddl<'_>, db: &Database, object: i32) -> SqlResult<Option<String>> {
    if let Some(module) = users_of_column(ddl, db, object, 0)?.into_iter().next() {
        return Ok(Some(module));
    }
    match ddl.rows(db, |rows| load::object_row(rows, object))? {
        Some(called) if matches!(called.kind.as_str(), "FN" | "SO") => caller_of(ddl, db, &called),
        _ => Ok(None),
    }
}

fn caller_of(ddl: &mut Ddl<'_>, db: &Database, called: &ObjectRow) -> SqlResult<Option<String>> {
    ddl.rows(db, |rows| {
        let schema = load::schema_name(rows, called.nsid)?;
        let calls = |text: &str, condition: bool| {
            sql::bind::called_by(text, condition).iter().any(|name| {
                let same_schema = name.schema.as_deref().is_some_and(|own| db.equal_names(own, &schema));
                same_schema && db.equal_names(&name.name, &called.name)
            })
        };
        for constraint in rows.all::<ObjectRow>()? {
            let condition = match constraint.kind.as_str() {
                "C" => true,
                "D" => false,
                _ => continue,
            };
            if load::text_of(rows, constraint.id)?.is_some_and(|text| calls(&text, condition)) {
                return Ok(Some(constraint.name));
            }
        }
        for column in rows.all::<ColumnRow>()? {
            let is_computed = column.status & column_status::COMPUTED != 0;
            if is_computed && column.definition.0.as_deref().is_some_and(|text| calls(text, false)) {
                return Ok(load::object_row(rows, column.id)?.map(|table| table.name));
            }
        }
        Ok(None)
    })
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
