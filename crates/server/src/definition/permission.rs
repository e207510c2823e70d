//! GRANT, DENY, REVOKE: kept in the catalog as SQL Server keeps them.
//! https://learn.microsoft.com/sql/t-sql/statements/grant-transact-sql, and revoke, deny

use std::sync::Arc;

use sql::ast::{ObjectName, Permission as Statement, PermissionVerb};
use types::{SqlResult, sql_error};

use super::data_type::find_type;
use super::site::{Ddl, cannot_find};
use crate::catalog::base::{ColumnRow, LoginRow, OwnerRow, PrivilegeRow};
use crate::catalog::load::{self, int, name as name_datum, small};
use crate::catalog::row::Code;
use crate::catalog::{Database, MASTER};
use crate::security::actor;
use crate::security::check::Securable;
use crate::security::hierarchy::{self, Class, PERMISSIONS, Permission};

/// What a statement is about: what it is, and what is named with it.
struct Subject {
    on: Securable,
    /// As messages call it: its class and its name.
    word: &'static str,
    shown: String,
    /// Columns named with the object.
    columns: Vec<i32>,
    /// Names of the columns of a table, to find those named with a permission.
    table: Option<i32>,
    /// It has columns that may be masked.
    maskable: bool,
    /// Scalar functions and procedures take EXECUTE, not SELECT, for ALL.
    executable: bool,
}

impl Subject {
    fn is_of_server(&self) -> bool {
        matches!(self.on.class, Class::Server | Class::Login | Class::ServerRole | Class::Endpoint)
    }
}

pub fn permission(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    let subject = subject(ddl, statement)?;
    let server = subject.is_of_server();
    let db = if server { ddl.catalog.expect_database(MASTER) } else { ddl.current()? };
    let as_grantor = match (&statement.grantor, server) {
        (Some(grantor), false) => Some(principal(ddl, &db, grantor)?),
        (Some(grantor), true) => Some(login(ddl, grantor)?),
        (None, _) => None,
    };
    let mut changes = Vec::new();
    for item in &statement.permissions {
        let mut columns = subject.columns.clone();
        if let Some(table) = subject.table {
            for column in &item.columns {
                columns.push(column_id(ddl, &db, table, column)?);
            }
        }
        for known in expand(&item.name, &subject)? {
            if !columns.is_empty() && !matches!(known.code, "RF" | "SL" | "UMSK" | "UP") {
                return Err(sql_error!(1020));
            }
            let grantor = grantor(ddl, &db, &subject, known, as_grantor)?;
            changes.push((known, grantor, columns.clone()));
        }
    }
    for name in &statement.principals {
        let grantee = if server { login(ddl, name)? } else { principal(ddl, &db, name)? };
        check_grantee(ddl, &db, &subject, grantee)?;
        for (known, grantor, columns) in &changes {
            let entry = Entry { on: &subject.on, known, grantee, grantor: *grantor };
            if columns.is_empty() {
                write(ddl, &db, statement, &entry, 0)?;
            }
            for column in columns {
                write(ddl, &db, statement, &entry, *column)?;
            }
        }
    }
    Ok(())
}

/// 4624: nobody is granted or denied what is his anyway. 4617: fixed roles have what they have.
fn check_grantee(ddl: &mut Ddl<'_>, db: &Arc<Database>, subject: &Subject, grantee: i32) -> SqlResult<()> {
    let server = subject.is_of_server();
    let fixed = if server { (3..=10).contains(&grantee) } else { actor::is_fixed_role(grantee) };
    if fixed {
        return Err(sql_error!(4617));
    }
    let own = ddl.rights(|rights, look| {
        Ok(match server {
            true => rights.login(look)?.is_some_and(|login| login.id == grantee),
            false => rights.user(look, db)?.is_some_and(|user| user.id == grantee),
        })
    })?;
    let nobody = if server { grantee == 1 } else { matches!(grantee, 1 | 3 | 4) };
    if own || nobody || subject.on.owner == Some(grantee) {
        return Err(sql_error!(4624));
    }
    Ok(())
}

/// In whose name the permission is given: the owner's, by who controls the securable; else one's own, if it was given WITH GRANT OPTION.
/// 15151, 4613: one may not.
fn grantor(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    subject: &Subject,
    known: &'static Permission,
    named: Option<i32>,
) -> SqlResult<i32> {
    let (on, server) = (subject.on, subject.is_of_server());
    let (controls, sees, ids) = ddl.rights(|rights, look| {
        let control = hierarchy::find(on.class, if on.class == Class::Server { "CONTROL SERVER" } else { "CONTROL" });
        let control = control.expect("every class has it");
        let granted = crate::security::check::Decision::Granted;
        let controls = rights.decide(look, Some(db), &on, control, &[])? == granted;
        let sees = rights.decide(look, Some(db), &on, known, &[])? == granted;
        let ids = match server {
            true => rights.login(look)?.map(|login| login.ids.clone()),
            false => rights.user(look, db)?.map(|user| user.ids.clone()),
        };
        Ok((controls, sees, ids.unwrap_or_default()))
    })?;
    if controls {
        return Ok(named.unwrap_or_else(|| if server { 1 } else { on.owner.unwrap_or(actor::DBO) }));
    }
    let key = [small(on.class.number()), int(on.id), int(0)];
    let rows: Vec<PrivilegeRow> = ddl.rows(db, |rows| rows.find(0, &key))?;
    // A role's option is used in the role's name.
    let usable = |id: i32| named.map_or_else(|| ids.first() == Some(&id), |named| named == id && ids.contains(&id));
    let option =
        rows.iter().find(|row| row.state.as_str() == "W" && row.kind.as_str() == known.code && usable(row.grantee));
    match option {
        Some(row) => Ok(row.grantee),
        None if sees || matches!(on.class, Class::Server | Class::Database) => Err(sql_error!(4613)),
        None => Err(cannot_find("find", subject.word, &subject.shown)),
    }
}

/// The permissions a word stands for. 102 is what SQL Server says to a name it does not know.
fn expand(name: &str, subject: &Subject) -> SqlResult<Vec<&'static Permission>> {
    let of_class = || PERMISSIONS.iter().filter(|known| known.class == subject.on.class);
    if name == "ALL" || name == "ALL PRIVILEGES" {
        let all: &[&str] = match subject.on.class {
            Class::Database => &["BADB", "BALO", "CRDB", "CRDF", "CRFN", "CRPR", "CRRU", "CRTB", "CRVW"],
            Class::Object if subject.executable => &["EX"],
            Class::Object => &["DL", "IN", "RF", "SL", "UP"],
            _ => return Err(sql_error!(102, "ALL")),
        };
        return Ok(of_class().filter(|known| all.contains(&known.code)).collect());
    }
    let name = match name {
        "EXEC" => "EXECUTE",
        "CREATE PROC" => "CREATE PROCEDURE",
        name => name,
    };
    match of_class().find(|known| known.name == name) {
        Some(known) if known.code == "UMSK" && known.class == Class::Object && !subject.maskable => {
            Err(sql_error!(4606, name))
        }
        Some(known) => Ok(vec![known]),
        None if PERMISSIONS.iter().any(|known| known.name == name) => Err(sql_error!(4606, name)),
        None => Err(sql_error!(102, name)),
    }
}

/// One permission on one securable for one principal.
struct Entry<'a> {
    on: &'a Securable,
    known: &'static Permission,
    grantee: i32,
    grantor: i32,
}

fn write(ddl: &mut Ddl<'_>, db: &Database, statement: &Statement, entry: &Entry<'_>, column: i32) -> SqlResult<()> {
    let class = entry.on.class.number();
    let code = Code::<4>::new(entry.known.code);
    let key = [small(class), int(entry.on.id)];
    ddl.rows(db, |rows| {
        let all: Vec<PrivilegeRow> = rows.find(0, &key)?;
        let mine = |row: &&PrivilegeRow| row.kind == code && row.grantee == entry.grantee;
        // What is said of an object is said of each of its columns.
        let here = |row: &PrivilegeRow| row.kind == code && (row.subid == column || column == 0);
        let with_option = all.iter().filter(mine).any(|row| here(row) && row.state.as_str() == "W");
        let takes_away = statement.verb != PermissionVerb::Grant;
        if takes_away && with_option && !statement.cascade {
            return Err(sql_error!(4611));
        }
        let mut remove = |row: &PrivilegeRow| {
            let key = [small(class), int(row.id), int(row.subid), int(row.grantee), int(row.grantor)];
            rows.delete_if::<PrivilegeRow>(0, &key, |other| other.kind == code)
        };
        if takes_away && with_option {
            // Who had it WITH GRANT OPTION gave it on.
            let mut givers = vec![entry.grantee];
            let mut at = 0;
            while let Some(&giver) = givers.get(at) {
                for row in all.iter().filter(|row| here(row) && row.grantor == giver && row.grantee != entry.grantee) {
                    remove(row)?;
                    if !givers.contains(&row.grantee) {
                        givers.push(row.grantee);
                    }
                }
                at += 1;
            }
        }
        if statement.verb == PermissionVerb::Revoke && statement.grant_option {
            // REVOKE GRANT OPTION FOR leaves the permission itself.
            let mut kept = Vec::new();
            for row in all.iter().filter(mine).filter(|row| here(row) && row.state.as_str() == "W") {
                remove(row)?;
                kept.push(PrivilegeRow { state: Code::new("G"), ..row.clone() });
            }
            return kept.iter().try_for_each(|row| rows.insert(row));
        }
        for row in all.iter().filter(mine).filter(|row| here(row)) {
            remove(row)?;
        }
        let state = match (statement.verb, statement.grant_option || with_option) {
            (PermissionVerb::Grant, true) => "W",
            (PermissionVerb::Grant, false) => "G",
            (PermissionVerb::Deny, _) => "D",
            (PermissionVerb::Revoke, _) => return Ok(()),
        };
        rows.insert(&PrivilegeRow {
            class,
            id: entry.on.id,
            subid: column,
            grantee: entry.grantee,
            grantor: entry.grantor,
            kind: code,
            state: Code::new(state),
            name: entry.known.name.to_string(),
        })
    })
}

fn subject(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<Subject> {
    let plain = |on: Securable, word: &'static str, name: &str| Subject {
        on,
        word,
        shown: name.to_string(),
        columns: Vec::new(),
        table: None,
        maskable: false,
        executable: false,
    };
    let Some(on) = &statement.on else {
        // What only a server has is the server's; SQL Server asks that master is current.
        let of_server = |name: &str| {
            hierarchy::find(Class::Server, name).is_some() && hierarchy::find(Class::Database, name).is_none()
        };
        if statement.permissions.iter().any(|item| of_server(&item.name)) {
            if ddl.current()?.id != MASTER {
                return Err(sql_error!(4621, state 10));
            }
            return Ok(plain(Securable::SERVER, "server", ""));
        }
        return Ok(plain(Securable::DATABASE, "database", ""));
    };
    let name = &*on.name.name;
    match on.class.as_deref() {
        None | Some("OBJECT") => of_object(ddl, on),
        Some("SCHEMA") => {
            let db = ddl.current()?;
            let row = ddl.rows(&db, |rows| load::schema_named(rows, name))?;
            let id = row.ok_or_else(|| cannot_find("find", "schema", name))?.id;
            let on = ddl.rights(|_, look| Securable::schema(look, &db, id))?;
            Ok(plain(on, "schema", name))
        }
        Some("DATABASE") => match ddl.current()?.equal_names(&ddl.current()?.name(), name) {
            true => Ok(plain(Securable::DATABASE, "database", name)),
            false => Err(cannot_find("find", "database", name)),
        },
        Some("LOGIN") => Ok(plain(Securable::plain(Class::Login, login(ddl, name)?), "login", name)),
        Some("SERVER ROLE") => Ok(plain(Securable::plain(Class::ServerRole, login(ddl, name)?), "server role", name)),
        Some("USER" | "ROLE" | "APPLICATION ROLE") => {
            let db = ddl.current()?;
            let id = principal(ddl, &db, name)?;
            let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(0, &[int(id)]))?.expect("found by its name");
            Ok(plain(Securable::principal(&row), "user", name))
        }
        Some("TYPE") => {
            let found = find_type(ddl, &on.name)?.ok_or_else(|| cannot_find("find", "type", name))?;
            let on = ddl.rights(|_, look| Securable::data_type(look, &found.0, &found.1))?;
            Ok(plain(on, "type", name))
        }
        Some("XML SCHEMA COLLECTION") => {
            let db = ddl.current()?;
            let found = super::xml_schema::find(ddl, &db, None, &on.name)?;
            let row = found.ok_or_else(|| cannot_find("find", "XML schema collection", name))?;
            let on = ddl.rights(|_, look| Securable::xml_collection(look, &db, &row))?;
            Ok(plain(on, "XML schema collection", name))
        }
        Some("ENDPOINT") => {
            const ENDPOINTS: [(&str, i32); 3] =
                [("TSQL Local Machine", 2), ("TSQL Named Pipes", 3), ("TSQL Default TCP", 4)];
            let known = ENDPOINTS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            let (_, id) = known.ok_or_else(|| cannot_find("find", "endpoint", name))?;
            Ok(plain(Securable::plain(Class::Endpoint, *id), "endpoint", name))
        }
        Some(class) => Err(super::unsupported(&format!("GRANT ON {class}::"))),
    }
}

fn of_object(ddl: &mut Ddl<'_>, on: &sql::ast::Securable) -> SqlResult<Subject> {
    let found = ddl.find(&on.name)?;
    let (db, row) = found.ok_or_else(|| cannot_find("find", "object", &shown(&on.name)))?;
    let mut columns = Vec::new();
    for column in &on.columns {
        columns.push(column_id(ddl, &db, row.id, column)?);
    }
    let maskable = row.kind.as_str() == "U";
    let executable = matches!(row.kind.as_str(), "P" | "FN");
    let securable = ddl.rights(|_, look| Securable::of_object(look, &db, &row))?;
    Ok(Subject {
        on: securable,
        word: "object",
        shown: shown(&on.name),
        columns,
        table: Some(row.id),
        maskable,
        executable,
    })
}

fn shown(name: &ObjectName) -> String {
    name.name.to_string()
}

fn column_id(ddl: &mut Ddl<'_>, db: &Database, table: i32, column: &str) -> SqlResult<i32> {
    let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(table), small(0)]))?;
    let found = columns.iter().find(|row| db.equal_names(&row.name, column));
    found.map(|row| row.colid).ok_or_else(|| sql_error!(1911, column))
}

/// The id of a user or role. 15151.
pub fn principal(ddl: &mut Ddl<'_>, db: &Database, name: &str) -> SqlResult<i32> {
    let row = ddl.rows(db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
    Ok(row.ok_or_else(|| cannot_find("find", "user", name))?.id)
}

/// The id of a login or server role. 15151.
pub fn login(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<i32> {
    let master = ddl.catalog.expect_database(MASTER);
    let row = ddl.rows(&master, |rows| rows.first::<LoginRow>(1, &[name_datum(name)]))?;
    Ok(row.ok_or_else(|| cannot_find("find", "login", name))?.id)
}
