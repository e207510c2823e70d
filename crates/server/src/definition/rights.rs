//! What a definition asks of the session's rights.

use sql::ast::ObjectName;
use sql::catalog::{ColumnDef, TableDef};
use sql::plan::MaskedColumn;
use types::{SqlError, SqlResult, sql_error};

use super::site::{Ddl, no_such_schema};
use crate::catalog::base::{ObjectRow, OwnerRow, TypeRow};
use crate::catalog::{Database, load};
use crate::security::actor::Look;
use crate::security::check::{Decision, Securable};
use crate::security::hierarchy::{self, Class};
use crate::security::role::DDLADMIN;
use crate::session::rights::{Rights, SYSTEM_TYPE_MAX};

impl Ddl<'_> {
    /// Asks the session's rights.
    pub fn rights<T>(&mut self, mut ask: impl FnMut(&Rights, &mut Look<'_>) -> SqlResult<T>) -> SqlResult<T> {
        let mut answer = None;
        self.site.rights(&mut |rights, look| {
            answer = Some(ask(rights, look)?);
            Ok(())
        })?;
        Ok(answer.expect("it was asked"))
    }

    /// Of the server.
    pub fn server_permission(&mut self, name: &str) -> SqlResult<bool> {
        self.rights(|rights, look| rights.holds(look, None, &Securable::SERVER, name))
    }

    pub fn database_permission(&mut self, db: &Database, name: &str) -> SqlResult<bool> {
        self.rights(|rights, look| rights.holds(look, Some(db), &Securable::DATABASE, name))
    }

    /// 262.
    pub fn need_in_database(&mut self, db: &Database, name: &str) -> SqlResult<()> {
        match self.database_permission(db, name)? {
            true => Ok(()),
            false => Err(sql_error!(262, name, db.name())),
        }
    }

    pub fn schema_permission(&mut self, db: &Database, schema: i32, name: &str) -> SqlResult<bool> {
        self.rights(|rights, look| {
            let on = Securable::schema(look, db, schema)?;
            rights.holds(look, Some(db), &on, name)
        })
    }

    pub fn object_permission(&mut self, db: &Database, row: &ObjectRow, name: &str) -> SqlResult<bool> {
        self.rights(|rights, look| {
            let on = Securable::object(look, db, row.id)?.expect("its row was found");
            rights.holds(look, Some(db), &on, name)
        })
    }

    pub fn type_permission(&mut self, db: &Database, row: &TypeRow, name: &str) -> SqlResult<bool> {
        self.rights(|rights, look| {
            let on = Securable::data_type(look, db, row)?;
            rights.holds(look, Some(db), &on, name)
        })
    }

    /// Of an XML schema collection.
    pub fn collection_permission(&mut self, db: &Database, row: &ObjectRow, name: &str) -> SqlResult<bool> {
        self.rights(|rights, look| {
            let on = Securable::xml_collection(look, db, row)?;
            rights.holds(look, Some(db), &on, name)
        })
    }

    pub fn principal_permission(&mut self, db: &Database, row: &OwnerRow, name: &str) -> SqlResult<bool> {
        self.rights(|rights, look| rights.holds(look, Some(db), &Securable::principal(row), name))
    }

    /// Of a login or server role.
    pub fn login_permission(&mut self, class: Class, id: i32, name: &str) -> SqlResult<bool> {
        self.rights(|rights, look| rights.holds(look, None, &Securable::plain(class, id), name))
    }

    pub fn is_sysadmin(&mut self) -> SqlResult<bool> {
        self.rights(|rights, look| rights.sysadmin(look))
    }
}

pub fn expect(held: bool, error: impl FnOnce() -> SqlError) -> SqlResult<()> {
    if held { Ok(()) } else { Err(error()) }
}

/// 2760: objects may not be made in the schema. None: the default one.
pub fn in_schema(ddl: &mut Ddl<'_>, db: &Database, name: Option<&str>) -> SqlResult<()> {
    let name = match name {
        Some(name) => name.to_string(),
        None => ddl.site.state().0.default_schema.to_string(),
    };
    let Some(schema) = ddl.rows(db, |rows| load::schema_named(rows, &name))? else { return Ok(()) };
    let held = ddl.schema_permission(db, schema.id, "ALTER")?;
    expect(held, || no_such_schema(&name))
}

/// CREATE of something in a schema.
pub fn new_object(ddl: &mut Ddl<'_>, name: &ObjectName, permission: &str) -> SqlResult<()> {
    if name.is_temporary() {
        return Ok(());
    }
    let db = ddl.database_of(name)?;
    ddl.need_in_database(&db, permission)?;
    in_schema(ddl, &db, name.schema.as_deref())
}

/// 229: a foreign key needs REFERENCES of the table that it refers to, a schema-bound module of all that it names.
/// https://learn.microsoft.com/sql/t-sql/statements/grant-object-permissions-transact-sql
pub fn references(ddl: &mut Ddl<'_>, db: &Database, row: &ObjectRow) -> SqlResult<()> {
    let held = ddl.object_permission(db, row, "REFERENCES")?;
    let schema = ddl.rows(db, |rows| load::schema_name(rows, row.nsid))?;
    expect(held, || sql_error!(229, state 5, "REFERENCES", row.name, db.name(), schema))
}

/// 229: a column of a user's type needs REFERENCES of the type.
/// https://learn.microsoft.com/sql/t-sql/statements/create-table-transact-sql
pub fn references_type(ddl: &mut Ddl<'_>, db: &Database, id: i32) -> SqlResult<()> {
    if id <= SYSTEM_TYPE_MAX {
        return Ok(());
    }
    let Some(row) = ddl.rows(db, |rows| rows.first::<TypeRow>(0, &[load::int(id)]))? else { return Ok(()) };
    let held = ddl.type_permission(db, &row, "REFERENCES")?;
    let schema = ddl.rows(db, |rows| load::schema_name(rows, row.schid))?;
    expect(held, || sql_error!(229, state 5, "REFERENCES", row.name, db.name(), schema))
}

/// 229: typed xml needs REFERENCES of its schema collection.
/// https://learn.microsoft.com/sql/t-sql/statements/grant-xml-schema-collection-permissions-transact-sql
pub fn references_collection(ddl: &mut Ddl<'_>, db: &Database, row: &ObjectRow) -> SqlResult<()> {
    let held = ddl.collection_permission(db, row, "REFERENCES")?;
    let schema = ddl.rows(db, |rows| load::schema_name(rows, -row.nsid))?;
    expect(held, || sql_error!(229, state 5, "REFERENCES", row.name, db.name(), schema))
}

impl Ddl<'_> {
    /// Whether one may see what columns hold, which statistics of them tell: with SELECT of each, UNMASK where it has a mask, and of a table
    /// without a security policy. Who owns the table, and members of db_owner and db_ddladmin, see all.
    /// https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-show-statistics-transact-sql: "Permissions"
    pub fn sees_values(&mut self, db: &Database, table: &TableDef, columns: &[&ColumnDef]) -> SqlResult<bool> {
        let mut ids: Vec<u32> = columns.iter().map(|column| column.column_id).collect();
        ids.sort_unstable();
        let masked: Vec<MaskedColumn> = columns
            .iter()
            .filter(|column| column.mask.is_some())
            .map(|column| MaskedColumn { table: (table.database, table.object), column_id: column.column_id })
            .collect();
        self.rights(|rights, look| {
            let Some(on) = Securable::object(look, db, table.object.0)? else { return Ok(false) };
            let defines = rights.user(look, db)?.is_some_and(|user| user.ids.contains(&DDLADMIN));
            if defines || rights.sysadmin(look)? || rights.holds(look, Some(db), &on, "CONTROL")? {
                return Ok(true);
            }
            let select = hierarchy::find(Class::Object, "SELECT").expect("it is in the table");
            Ok(table.predicates.is_empty()
                && rights.decide(look, Some(db), &on, select, &ids)? == Decision::Granted
                && rights.unmasked(look, db, &masked)?)
        })
    }
}
