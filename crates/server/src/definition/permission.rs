//! GRANT, DENY, REVOKE: kept in the catalog as SQL Server keeps them. The names and codes of permissions.

use sql::ast::{ObjectName, Permission, PermissionVerb, Securable};
use types::{SqlResult, sql_error};

use super::data_type::find_type;
use super::site::{Ddl, cannot_find};
use crate::catalog::base::{ColumnRow, LoginRow, OwnerRow, PrivilegeRow, class};
use crate::catalog::load::{self, int, name as name_datum, small};
use crate::catalog::row::Code;
use crate::catalog::{Database, MASTER};

/// What a permission is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Server,
    Database,
    Object,
    Schema,
    Login,
    User,
    Type,
}

impl Scope {
    /// `class_desc` of sys.fn_builtin_permissions.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Server => "SERVER",
            Scope::Database => "DATABASE",
            Scope::Object => "OBJECT",
            Scope::Schema => "SCHEMA",
            Scope::Login => "LOGIN",
            Scope::User => "USER",
            Scope::Type => "TYPE",
        }
    }

    pub fn parent(self) -> &'static str {
        match self {
            Scope::Server => "",
            Scope::Database | Scope::Login => "SERVER",
            Scope::Schema | Scope::User => "DATABASE",
            Scope::Object | Scope::Type => "SCHEMA",
        }
    }

    fn class(self) -> u8 {
        match self {
            Scope::Server => class::SERVER,
            Scope::Database => class::DATABASE,
            Scope::Object => class::OBJECT,
            Scope::Schema => class::SCHEMA,
            Scope::Login => class::LOGIN,
            Scope::User => class::PRINCIPAL,
            Scope::Type => class::TYPE,
        }
    }
}

pub struct KnownPermission {
    pub scope: Scope,
    /// `type` of sys.database_permissions.
    pub code: &'static str,
    pub name: &'static str,
}

macro_rules! permissions {
    ($($scope:ident { $($code:literal $name:literal),* $(,)? })*) => {
        pub const PERMISSIONS: &[KnownPermission] = &[$($(
            KnownPermission { scope: Scope::$scope, code: $code, name: $name },
        )*)*];
    };
}

permissions! {
    Server {
        "ADBO" "ADMINISTER BULK OPERATIONS", "ALCO" "ALTER ANY CONNECTION", "ALCD" "ALTER ANY CREDENTIAL", "ALDB" "ALTER ANY DATABASE",
        "ALES" "ALTER ANY EVENT NOTIFICATION", "ALHE" "ALTER ANY ENDPOINT", "ALLG" "ALTER ANY LOGIN", "ALLS" "ALTER ANY LINKED SERVER",
        "ALRS" "ALTER RESOURCES", "ALSR" "ALTER ANY SERVER ROLE", "ALSS" "ALTER SERVER STATE", "ALST" "ALTER SETTINGS",
        "ALTR" "ALTER TRACE", "AUTH" "AUTHENTICATE SERVER", "CADB" "CONNECT ANY DATABASE", "CL" "CONTROL SERVER",
        "COSQ" "CONNECT SQL", "CRDB" "CREATE ANY DATABASE", "CRSR" "CREATE SERVER ROLE", "IAL" "IMPERSONATE ANY LOGIN",
        "SHDN" "SHUTDOWN", "SUS" "SELECT ALL USER SECURABLES", "VWAD" "VIEW ANY DEFINITION", "VWDB" "VIEW ANY DATABASE",
        "VWSS" "VIEW SERVER STATE",
    }
    Database {
        "AL" "ALTER", "ALDS" "ALTER ANY DATASPACE", "ALRL" "ALTER ANY ROLE", "ALSM" "ALTER ANY SCHEMA",
        "ALTG" "ALTER ANY DATABASE DDL TRIGGER", "ALUS" "ALTER ANY USER", "AUTH" "AUTHENTICATE", "BADB" "BACKUP DATABASE",
        "BALO" "BACKUP LOG", "CL" "CONTROL", "CO" "CONNECT", "CP" "CHECKPOINT", "CRDB" "CREATE DATABASE", "CRDF" "CREATE DEFAULT",
        "CRFN" "CREATE FUNCTION", "CRPR" "CREATE PROCEDURE", "CRRL" "CREATE ROLE", "CRRU" "CREATE RULE", "CRSM" "CREATE SCHEMA",
        "CRSN" "CREATE SYNONYM", "CRTB" "CREATE TABLE", "CRTY" "CREATE TYPE", "CRVW" "CREATE VIEW", "DL" "DELETE", "EX" "EXECUTE",
        "IN" "INSERT", "KIDC" "KILL DATABASE CONNECTION", "RF" "REFERENCES", "SL" "SELECT", "SPLN" "SHOWPLAN",
        "TO" "TAKE OWNERSHIP", "UMSK" "UNMASK", "UP" "UPDATE", "VW" "VIEW DEFINITION", "VWDS" "VIEW DATABASE STATE",
    }
    Object {
        "AL" "ALTER", "CL" "CONTROL", "DL" "DELETE", "EX" "EXECUTE", "IN" "INSERT", "RC" "RECEIVE", "RF" "REFERENCES",
        "SL" "SELECT", "TO" "TAKE OWNERSHIP", "UP" "UPDATE", "VW" "VIEW DEFINITION", "VWCT" "VIEW CHANGE TRACKING",
    }
    Schema {
        "AL" "ALTER", "CL" "CONTROL", "CRSO" "CREATE SEQUENCE", "DL" "DELETE", "EX" "EXECUTE", "IN" "INSERT", "RF" "REFERENCES",
        "SL" "SELECT", "TO" "TAKE OWNERSHIP", "UP" "UPDATE", "VW" "VIEW DEFINITION", "VWCT" "VIEW CHANGE TRACKING",
    }
    Login { "AL" "ALTER", "CL" "CONTROL", "IM" "IMPERSONATE", "VW" "VIEW DEFINITION" }
    User { "AL" "ALTER", "CL" "CONTROL", "IM" "IMPERSONATE", "VW" "VIEW DEFINITION" }
    Type { "CL" "CONTROL", "EX" "EXECUTE", "RF" "REFERENCES", "TO" "TAKE OWNERSHIP", "VW" "VIEW DEFINITION" }
}

/// What a statement is about: where it is kept, and its ids.
struct Subject {
    scope: Scope,
    id: i32,
    /// Columns named with the object.
    columns: Vec<i32>,
    /// Names of the columns of a table, to find those named with a permission.
    table: Option<i32>,
    /// Scalar functions and procedures take EXECUTE, not SELECT, for ALL.
    executable: bool,
}

pub fn permission(ddl: &mut Ddl<'_>, statement: &Permission) -> SqlResult<()> {
    let subject = subject(ddl, statement)?;
    let server = matches!(subject.scope, Scope::Server | Scope::Login);
    let db = if server { ddl.catalog.expect_database(MASTER) } else { ddl.current()? };
    let grantor = match (&statement.grantor, server) {
        (Some(grantor), false) => principal(ddl, &db, grantor)?,
        (Some(grantor), true) => login(ddl, grantor)?,
        (None, _) => 1,
    };
    for name in &statement.principals {
        let grantee = if server { login(ddl, name)? } else { principal(ddl, &db, name)? };
        if matches!(grantee, 1 | 3 | 4) && !server {
            return Err(sql_error!(4624));
        }
        for item in &statement.permissions {
            let mut columns = subject.columns.clone();
            if let Some(table) = subject.table {
                for column in &item.columns {
                    columns.push(column_id(ddl, &db, table, column)?);
                }
            }
            for known in expand(&item.name, &subject)? {
                if columns.is_empty() {
                    write(ddl, &db, statement, &subject, 0, grantee, grantor, known)?;
                }
                for column in &columns {
                    write(ddl, &db, statement, &subject, *column, grantee, grantor, known)?;
                }
            }
        }
    }
    Ok(())
}

/// The permissions a word stands for. 102 is what SQL Server says to a name it does not know.
fn expand(name: &str, subject: &Subject) -> SqlResult<Vec<&'static KnownPermission>> {
    let of_scope = || PERMISSIONS.iter().filter(|known| known.scope == subject.scope);
    if name == "ALL" || name == "ALL PRIVILEGES" {
        let all: &[&str] = match subject.scope {
            Scope::Database => &["BADB", "BALO", "CRDB", "CRDF", "CRFN", "CRPR", "CRRU", "CRTB", "CRVW"],
            Scope::Object if subject.executable => &["EX"],
            Scope::Object => &["DL", "IN", "RF", "SL", "UP"],
            _ => return Err(sql_error!(102, "ALL")),
        };
        return Ok(of_scope().filter(|known| all.contains(&known.code)).collect());
    }
    let name = match name {
        "EXEC" => "EXECUTE",
        "CREATE PROC" => "CREATE PROCEDURE",
        name => name,
    };
    match of_scope().find(|known| known.name == name) {
        Some(known) => Ok(vec![known]),
        None if PERMISSIONS.iter().any(|known| known.name == name) => Err(sql_error!(4606, name)),
        None => Err(sql_error!(102, name)),
    }
}

#[allow(clippy::too_many_arguments)]
fn write(
    ddl: &mut Ddl<'_>,
    db: &Database,
    statement: &Permission,
    subject: &Subject,
    column: i32,
    grantee: i32,
    grantor: i32,
    known: &KnownPermission,
) -> SqlResult<()> {
    let state = match (statement.verb, statement.grant_option) {
        (PermissionVerb::Grant, true) => "W",
        (PermissionVerb::Grant, false) => "G",
        (PermissionVerb::Deny, _) => "D",
        (PermissionVerb::Revoke, _) => "",
    };
    let class = subject.scope.class();
    let code = Code::<4>::new(known.code);
    ddl.rows(db, |rows| {
        let key = [small(class), int(subject.id), int(column), int(grantee)];
        let same = |row: &PrivilegeRow| row.kind == code;
        if statement.verb == PermissionVerb::Revoke && statement.grant_option {
            // REVOKE GRANT OPTION FOR leaves the permission itself.
            let old: Vec<PrivilegeRow> = rows.find(0, &key)?;
            rows.delete_if::<PrivilegeRow>(0, &key, same)?;
            for row in old.into_iter().filter(same) {
                rows.insert(&PrivilegeRow { state: Code::new("G"), ..row })?;
            }
            return Ok(());
        }
        rows.delete_if::<PrivilegeRow>(0, &key, same)?;
        if state.is_empty() {
            return Ok(());
        }
        rows.insert(&PrivilegeRow {
            class,
            id: subject.id,
            subid: column,
            grantee,
            grantor,
            kind: code,
            state: Code::new(state),
            name: known.name.to_string(),
        })
    })
}

fn subject(ddl: &mut Ddl<'_>, statement: &Permission) -> SqlResult<Subject> {
    let plain = |scope: Scope, id: i32| Subject { scope, id, columns: Vec::new(), table: None, executable: false };
    let Some(on) = &statement.on else {
        // What only a server has is the server's; SQL Server asks that master is current.
        let of_server = |name: &str| {
            let known = |scope: Scope| PERMISSIONS.iter().any(|known| known.scope == scope && known.name == name);
            known(Scope::Server) && !known(Scope::Database)
        };
        if statement.permissions.iter().any(|item| of_server(&item.name)) {
            if ddl.current()?.id != MASTER {
                return Err(sql_error!(4621, state 10));
            }
            return Ok(plain(Scope::Server, 0));
        }
        return Ok(plain(Scope::Database, 0));
    };
    let name = &*on.name.name;
    match on.class.as_deref() {
        None | Some("OBJECT") => of_object(ddl, on),
        Some("SCHEMA") => {
            let db = ddl.current()?;
            let row = ddl.rows(&db, |rows| load::schema_named(rows, name))?;
            Ok(plain(Scope::Schema, row.ok_or_else(|| cannot_find("find", "schema", name))?.id))
        }
        Some("DATABASE") => match ddl.current()?.equal_names(&ddl.current()?.name(), name) {
            true => Ok(plain(Scope::Database, 0)),
            false => Err(cannot_find("find", "database", name)),
        },
        Some("LOGIN" | "SERVER ROLE") => Ok(plain(Scope::Login, login(ddl, name)?)),
        Some("USER" | "ROLE" | "APPLICATION ROLE") => {
            let db = ddl.current()?;
            Ok(plain(Scope::User, principal(ddl, &db, name)?))
        }
        Some("TYPE") => {
            let row = find_type(ddl, &on.name)?;
            Ok(plain(Scope::Type, row.ok_or_else(|| cannot_find("find", "type", name))?.1.id))
        }
        Some(class) => Err(super::unsupported(&format!("GRANT ON {class}::"))),
    }
}

fn of_object(ddl: &mut Ddl<'_>, on: &Securable) -> SqlResult<Subject> {
    let found = ddl.find(&on.name)?;
    let (db, row) = found.ok_or_else(|| cannot_find("find", "object", &shown(&on.name)))?;
    let mut columns = Vec::new();
    for column in &on.columns {
        columns.push(column_id(ddl, &db, row.id, column)?);
    }
    let executable = matches!(row.kind.as_str(), "P" | "FN");
    Ok(Subject { scope: Scope::Object, id: row.id, columns, table: Some(row.id), executable })
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
