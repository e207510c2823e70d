//! HAS_PERMS_BY_NAME, fn_my_permissions, HAS_DBACCESS, PERMISSIONS: what the session may do, as it may ask itself.

use std::sync::Arc;

use exec::session::Session as State;
use sql::catalog::ObjectName;
use types::SqlResult;

use super::cell::{NamedRow, text};
use crate::catalog::base::{ClassRow, ColumnRow, LoginRow, ObjectRow, OwnerRow, TypeRow};
use crate::catalog::load::{self, int, name as name_datum, small};
use crate::catalog::{Database, MASTER, xml_collection};
use crate::security::actor::Look;
use crate::security::check::{Decision, Securable};
use crate::security::hierarchy::{self, Class, PERMISSIONS, Permission};
use crate::session::host::SessionHost;
use crate::session::rights::Rights;

/// Something that permissions are asked for, in its database. None of the latter: the server's.
struct Asked {
    on: Securable,
    db: Option<Arc<Database>>,
}

/// What a name of a class means. None: nothing that the session sees.
fn securable(
    host: &mut SessionHost,
    state: &mut State,
    name: Option<&str>,
    class: Option<&str>,
) -> SqlResult<Option<Asked>> {
    let current = host.server.catalog.expect_database(host.catalog_session.database);
    let class = match class.filter(|class| !class.is_empty()) {
        None | Some("") if name.is_none() => Class::Server,
        None => Class::Database,
        Some(class) => match Class::named(class) {
            Some(class) => class,
            None => return Ok(None),
        },
    };
    let of_server = |on: Securable| Ok(Some(Asked { on, db: None }));
    let Some(name) = name else {
        return match class {
            Class::Server => of_server(Securable::SERVER),
            Class::Database => Ok(Some(Asked { on: Securable::DATABASE, db: Some(current) })),
            _ => Ok(None),
        };
    };
    let Some(parsed) = ObjectName::from_text(name) else { return Ok(None) };
    let plain = &*parsed.name;
    let login = |host: &mut SessionHost, state: &mut State| {
        host.rights(state, |_, look| look.master(|rows| rows.first::<LoginRow>(1, &[name_datum(plain)])))
    };
    match class {
        Class::Server => of_server(Securable::SERVER),
        Class::Login | Class::ServerRole => match login(host, state)? {
            Some(row) => of_server(Securable::plain(class, row.id)),
            None => Ok(None),
        },
        Class::Database => {
            Ok(host.server.catalog.database_named(plain).map(|db| Asked { on: Securable::DATABASE, db: Some(db) }))
        }
        Class::Object => {
            let found = host.with_catalog(state, |catalog| catalog.object_id(&parsed))?;
            let Some((id, object, _)) = found.filter(|(_, object, _)| *object > 0) else { return Ok(None) };
            let db = host.server.catalog.expect_database(id);
            let on = host.rights(state, |_, look| Securable::object(look, &db, object))?;
            Ok(on.map(|on| Asked { on, db: Some(db) }))
        }
        _ => {
            let on = host.rights(state, |_, look| in_database(look, &current, class, &parsed))?;
            Ok(on.map(|on| Asked { on, db: Some(current) }))
        }
    }
}

fn in_database(look: &mut Look<'_>, db: &Database, class: Class, name: &ObjectName) -> SqlResult<Option<Securable>> {
    match class {
        Class::Schema => {
            let row: Option<ClassRow> = look.rows(db, |rows| load::schema_named(rows, &name.name))?;
            row.map(|row| Securable::schema(look, db, row.id)).transpose()
        }
        Class::User | Class::Role | Class::ApplicationRole => {
            let row = look.rows(db, |rows| rows.first::<OwnerRow>(1, &[name_datum(&name.name)]))?;
            Ok(row.map(|row| Securable::principal(&row)).filter(|on| on.class == class))
        }
        Class::Type => {
            let schema = name.schema.as_deref().unwrap_or("dbo");
            let row = look.rows(db, |rows| {
                let Some(schema) = load::schema_named(rows, schema)? else { return Ok(None) };
                rows.first::<TypeRow>(1, &[int(schema.id), name_datum(&name.name)])
            })?;
            row.map(|row| Securable::data_type(look, db, &row)).transpose()
        }
        Class::XmlSchemaCollection => {
            let schema = name.schema.as_deref().unwrap_or("dbo");
            let row = look.rows(db, |rows| xml_collection::named(rows, schema, &name.name))?;
            row.map(|row| Securable::xml_collection(look, db, &row)).transpose()
        }
        _ => Ok(None),
    }
}

/// No column's: asked for as one, it needs the permission of all.
const WHOLE: [u32; 1] = [0];

fn decide(rights: &Rights, look: &mut Look<'_>, asked: &Asked, permission: &'static Permission) -> SqlResult<bool> {
    Ok(rights.decide(look, asked.db.as_deref(), &asked.on, permission, &WHOLE)? == Decision::Granted)
}

fn column_number(look: &mut Look<'_>, db: &Database, table: i32, name: &str) -> SqlResult<Option<u32>> {
    let columns: Vec<ColumnRow> = look.rows(db, |rows| rows.find(0, &[int(table), small(0)]))?;
    Ok(columns.iter().find(|row| db.equal_names(&row.name, name)).map(|row| row.colid as u32))
}

/// Of a system object: public may read what has rows and run the others, and who controls the database may all. None: it is none.
fn of_system_object(
    host: &mut SessionHost,
    state: &mut State,
    name: Option<&str>,
    class: Option<&str>,
    wanted: &str,
) -> SqlResult<Option<bool>> {
    let is_object = class.and_then(Class::named) == Some(Class::Object);
    let Some(parsed) = name.filter(|_| is_object).and_then(ObjectName::from_text) else { return Ok(None) };
    let found = host.with_catalog(state, |catalog| catalog.object_id(&parsed))?;
    let Some((database, _, kind)) = found.filter(|(_, object, _)| *object < 0) else { return Ok(None) };
    let wanted = wanted.to_ascii_uppercase();
    if wanted != "ANY" && hierarchy::find(Class::Object, &wanted).is_none() {
        return Ok(None);
    }
    let of_public = if matches!(kind.trim(), "P" | "X" | "FN") { "EXECUTE" } else { "SELECT" };
    if wanted == "ANY" || wanted == of_public {
        return Ok(Some(true));
    }
    let db = host.server.catalog.expect_database(database);
    host.rights(state, |rights, look| rights.holds(look, Some(&db), &Securable::DATABASE, "CONTROL")).map(Some)
}

/// HAS_PERMS_BY_NAME. None: there is no such securable or permission.
/// https://learn.microsoft.com/sql/t-sql/functions/has-perms-by-name-transact-sql
pub fn has_permission(
    host: &mut SessionHost,
    state: &mut State,
    name: Option<&str>,
    class: Option<&str>,
    wanted: &str,
    column: Option<&str>,
) -> SqlResult<Option<bool>> {
    let Some(asked) = securable(host, state, name, class)? else {
        return of_system_object(host, state, name, class, wanted);
    };
    let class = asked.on.class;
    host.rights(state, |rights, look| {
        if wanted.eq_ignore_ascii_case("ANY") {
            for permission in PERMISSIONS.iter().filter(|permission| permission.class == class) {
                if decide(rights, look, &asked, permission)? {
                    return Ok(Some(true));
                }
            }
            return Ok(Some(false));
        }
        let Some(permission) = hierarchy::find(class, &wanted.to_ascii_uppercase()) else { return Ok(None) };
        let columns = match (column, &asked.db) {
            (Some(column), Some(db)) => match column_number(look, db, asked.on.id, column)? {
                Some(number) => vec![number],
                None => return Ok(None),
            },
            _ => WHOLE.to_vec(),
        };
        let decision = rights.decide(look, asked.db.as_deref(), &asked.on, permission, &columns)?;
        Ok(Some(decision == Decision::Granted))
    })
}

/// Rows of fn_my_permissions: what is held of a securable, and of each column of a table.
/// https://learn.microsoft.com/sql/relational-databases/system-functions/sys-fn-my-permissions-transact-sql
pub fn my_permissions(
    host: &mut SessionHost,
    state: &mut State,
    name: Option<&str>,
    class: Option<&str>,
) -> SqlResult<Vec<NamedRow>> {
    let class = class.filter(|class| !class.is_empty()).unwrap_or("SERVER");
    let Some(asked) = securable(host, state, name, Some(class))? else { return Ok(Vec::new()) };
    let shown = name.map_or_else(|| asked.on.class.name().to_ascii_lowercase(), str::to_string);
    host.rights(state, |rights, look| {
        let mut rows = Vec::new();
        let row = |column: &str, permission: &Permission| {
            vec![
                ("entity_name", text(&shown)),
                ("subentity_name", text(column)),
                ("permission_name", text(permission.name)),
            ]
        };
        let columns: Vec<ColumnRow> = match (&asked.db, asked.on.class) {
            (Some(db), Class::Object) => look.rows(db, |rows| rows.find(0, &[int(asked.on.id), small(0)]))?,
            _ => Vec::new(),
        };
        let kind = match (&asked.db, asked.on.class) {
            (Some(db), Class::Object) => look.rows(db, |rows| rows.first::<ObjectRow>(0, &[int(asked.on.id)]))?,
            _ => None,
        };
        let kind = kind.map(|row| row.kind.as_str().to_string()).unwrap_or_default();
        for permission in PERMISSIONS.iter().filter(|permission| permission.class == asked.on.class) {
            if !applies(&kind, permission.name) {
                continue;
            }
            if decide(rights, look, &asked, permission)? {
                rows.push(row("", permission));
            }
            if !matches!(permission.name, "SELECT" | "UPDATE" | "REFERENCES" | "UNMASK") {
                continue;
            }
            for column in &columns {
                let number = [column.colid as u32];
                let decision = rights.decide(look, asked.db.as_deref(), &asked.on, permission, &number)?;
                if decision == Decision::Granted {
                    rows.push(row(&column.name, permission));
                }
            }
        }
        Ok(rows)
    })
}

/// Whether a permission of OBJECT means something for an object of that kind (`sys.objects.type`; empty: no object).
fn applies(kind: &str, permission: &str) -> bool {
    match kind {
        "V" | "IF" | "TF" if permission == "UNMASK" => false,
        "U" | "V" | "IF" | "TF" => !matches!(permission, "EXECUTE" | "RECEIVE"),
        "P" | "FN" => {
            matches!(permission, "EXECUTE" | "ALTER" | "CONTROL" | "TAKE OWNERSHIP" | "VIEW DEFINITION" | "REFERENCES")
        }
        "SO" => {
            matches!(permission, "ALTER" | "CONTROL" | "REFERENCES" | "TAKE OWNERSHIP" | "UPDATE" | "VIEW DEFINITION")
        }
        _ => true,
    }
}

/// HAS_DBACCESS. None: there is no such database.
pub fn has_database_access(host: &mut SessionHost, state: &mut State, name: &str) -> SqlResult<Option<bool>> {
    let Some(db) = host.server.catalog.database_named(name) else { return Ok(None) };
    if host.server.catalog.check_open(&db).is_err() {
        return Ok(Some(false));
    }
    host.rights(state, |rights, look| Ok(Some(rights.user(look, &db)?.is_some())))
}

/// PERMISSIONS(): bits of the statements that one may run, or of what one may do with an object and one of its columns.
/// https://learn.microsoft.com/sql/t-sql/functions/permissions-transact-sql
pub fn bits(
    host: &mut SessionHost,
    state: &mut State,
    object: Option<i32>,
    column: Option<&str>,
) -> SqlResult<Option<i64>> {
    const STATEMENTS: [(&str, i64); 8] = [
        ("CREATE DATABASE", 1),
        ("CREATE TABLE", 2),
        ("CREATE PROCEDURE", 4),
        ("CREATE VIEW", 8),
        ("CREATE RULE", 16),
        ("CREATE DEFAULT", 32),
        ("BACKUP DATABASE", 64),
        ("BACKUP LOG", 128),
    ];
    const OBJECT: [(&str, i64); 6] =
        [("SELECT", 1), ("UPDATE", 2), ("REFERENCES", 4), ("INSERT", 8), ("DELETE", 16), ("EXECUTE", 32)];
    let db = host.server.catalog.expect_database(host.catalog_session.database);
    host.rights(state, |rights, look| {
        let mut found = 0;
        let Some(object) = object else {
            for (name, bit) in STATEMENTS {
                let held = match name {
                    "CREATE DATABASE" if db.id != MASTER => false,
                    name => rights.holds(look, Some(&db), &Securable::DATABASE, name)?,
                };
                found |= if held { bit } else { 0 };
            }
            return Ok(Some(found));
        };
        let Some(on) = Securable::object(look, &db, object)? else { return Ok(None) };
        let column = match column {
            Some(name) => match column_number(look, &db, object, name)? {
                Some(number) => vec![number],
                None => return Ok(None),
            },
            None => Vec::new(),
        };
        for (name, bit) in OBJECT {
            let permission = hierarchy::find(Class::Object, name).expect("it is in the table");
            let held = rights.decide(look, Some(&db), &on, permission, &column)? == Decision::Granted;
            found |= if held { bit } else { 0 };
        }
        Ok(Some(found))
    })
}
