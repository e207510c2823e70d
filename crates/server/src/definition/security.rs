//! Users, roles and owners.

use sql::ast::{AlterAuthorization, AlterRole, AlterRoleAction, AlterUser, CreateRole, CreateUser, UserSource};
use types::{SqlError, SqlResult, sql_error};

use super::data_type::find_type;
use super::login::{LOGIN_MIN, bytes, change_login, word};
use super::permission::{login as login_id, principal};
use super::site::{Ddl, cannot_find};
use crate::catalog::base::login_status::FIXED;
use crate::catalog::base::{
    ClassRow, DatabaseRow, LoginRow, ObjectRow, OwnerRow, PrivilegeRow, ReferenceRow, TextRow, class,
};
use crate::catalog::load::{self, int, name as name_datum, small};
use crate::catalog::row::{Binary, Code};
use crate::catalog::{Database, MASTER, clock};
use crate::security::actor::{DB_OWNER, DBO, FIXED_ROLES, is_fixed_role};

/// Principals of a database below this id are not users' own; nor are the fixed roles.
const USER_MIN: i32 = 5;

/// The id of the login sa, whatever its name.
const SA: i32 = 1;

/// 15023.
fn user_exists(name: &str) -> SqlError {
    sql_error!(15023, name)
}

pub fn add_principal(ddl: &mut Ddl<'_>, db: &Database, mut row: OwnerRow) -> SqlResult<()> {
    let name = row.name.clone();
    let taken = ddl.rows(db, |rows| {
        let all: Vec<OwnerRow> = rows.all()?;
        if all.iter().any(|old| db.equal_names(&old.name, &name)) {
            return Ok(true);
        }
        let own = all.iter().map(|old| old.id).filter(|id| !is_fixed_role(*id));
        row.id = own.max().unwrap_or(0).max(USER_MIN - 1) + 1;
        if is_fixed_role(row.id) {
            row.id = DB_OWNER + FIXED_ROLES;
        }
        Ok(rows.try_insert(&row)?.is_err())
    })?;
    if taken { Err(user_exists(&name)) } else { Ok(()) }
}

pub fn owner_row(name: &str, kind: &str) -> OwnerRow {
    let now = clock::now();
    OwnerRow {
        id: 0,
        name: name.to_string(),
        kind: Code::new(kind),
        sid: Binary(None),
        created: now,
        modified: now,
        default_schema: None,
        owner: 1,
        status: 0,
    }
}

pub fn create_user(ddl: &mut Ddl<'_>, create: &CreateUser) -> SqlResult<()> {
    let db = ddl.current()?;
    let name = create.name.to_string();
    if ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(&name)]))?.is_some() {
        return Err(user_exists(&name));
    }
    let sid = match &create.source {
        UserSource::SameName | UserSource::Login(_) => {
            let login_name =
                if let UserSource::Login(login) = &create.source { login.to_string() } else { name.clone() };
            let missing = || sql_error!(15007, login_name);
            let login =
                ddl.catalog.login(&login_name)?.filter(|login| login.kind.as_str() != "R").ok_or_else(missing)?;
            let users: Vec<OwnerRow> = ddl.rows(&db, |rows| rows.all())?;
            if users.iter().any(|user| user.sid == login.sid) {
                return Err(sql_error!(15063));
            }
            login.sid
        }
        UserSource::WithoutLogin => {
            let mut sid = vec![1, 5, 0, 0, 0, 0, 0, 9, 3, 0, 0, 0];
            let mut own = [0; 16];
            os::random::fill(&mut own);
            sid.extend(own);
            Binary(Some(bytes(&create.options, "SID").unwrap_or_else(|| sid.into())))
        }
        UserSource::Password(_) => return Err(sql_error!(33233)),
        UserSource::Certificate(name) => return Err(cannot_find("find", "certificate", name)),
        UserSource::AsymmetricKey(name) => return Err(cannot_find("find", "asymmetric key", name)),
        UserSource::External => return Err(super::unsupported("CREATE USER ... FROM EXTERNAL PROVIDER")),
    };
    let default_schema = word(&create.options, "DEFAULT_SCHEMA").unwrap_or_else(|| "dbo".into());
    add_principal(ddl, &db, OwnerRow { sid, default_schema: Some(default_schema), ..owner_row(&name, "S") })?;
    // A new user may connect: SQL Server grants it with the user.
    let id = principal(ddl, &db, &name)?;
    ddl.rows(&db, |rows| {
        rows.insert(&PrivilegeRow {
            class: class::DATABASE,
            id: 0,
            subid: 0,
            grantee: id,
            grantor: 1,
            kind: Code::new("CO"),
            state: Code::new("G"),
            name: "CONNECT".into(),
        })
    })
}

pub fn alter_user(ddl: &mut Ddl<'_>, alter: &AlterUser) -> SqlResult<()> {
    let db = ddl.current()?;
    let name = &*alter.name;
    let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
    let row = row.filter(|row| row.kind.as_str() == "S").ok_or_else(|| cannot_find("alter", "user", name))?;
    if alter.password.is_some() {
        return Err(sql_error!(33233));
    }
    let (schema, renamed) = (word(&alter.options, "DEFAULT_SCHEMA"), word(&alter.options, "NAME"));
    let login = match word(&alter.options, "LOGIN") {
        None => None,
        Some(login) => {
            let missing = || sql_error!(15007, login);
            Some(ddl.catalog.login(&login)?.ok_or_else(missing)?.sid)
        }
    };
    if row.id < USER_MIN && (renamed.is_some() || row.id != 1) {
        return Err(sql_error!(15150, "alter", "user", name));
    }
    if let Some(renamed) = &renamed {
        if ddl
            .rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(renamed)]))?
            .is_some_and(|other| other.id != row.id)
        {
            return Err(user_exists(renamed));
        }
    }
    let now = clock::now();
    ddl.rows(&db, |rows| {
        rows.update::<OwnerRow>(0, &[int(row.id)], |row| {
            row.modified = now;
            if let Some(schema) = &schema {
                row.default_schema = Some(schema.clone());
            }
            if let Some(renamed) = &renamed {
                row.name = renamed.clone();
            }
            if let Some(sid) = &login {
                row.sid = sid.clone();
            }
        })
    })?;
    Ok(())
}

/// Where the hash of an application role's password is kept, in `sysobjvalues`: no object has such a number.
pub fn secret_of(role: i32) -> i32 {
    -role
}

/// DROP USER, DROP ROLE, DROP APPLICATION ROLE.
pub fn drop_principal(ddl: &mut Ddl<'_>, name: &str, kinds: &[&str], if_exists: bool) -> SqlResult<()> {
    let db = ddl.current()?;
    let word = if kinds.contains(&"R") { "role" } else { "user" };
    let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
    let Some(row) = row.filter(|row| kinds.contains(&row.kind.as_str())) else {
        return if if_exists { Ok(()) } else { Err(cannot_find("drop", word, name)) };
    };
    if row.id < USER_MIN || is_fixed_role(row.id) {
        return Err(sql_error!(15150, "drop", word, name));
    }
    let (schemas, members) = ddl.rows(&db, |rows| {
        let schemas = rows.find::<ClassRow>(0, &[small(class::SCHEMA_ENTRY)])?;
        Ok((schemas, rows.find::<ReferenceRow>(0, &[int(row.id), small(class::ROLE_MEMBER)])?))
    })?;
    if schemas.iter().any(|schema| schema.owner == row.id) {
        return Err(sql_error!(15138, "schema"));
    }
    if !members.is_empty() {
        return Err(sql_error!(15144));
    }
    let runs_as = ddl.rows(&db, |rows| rows.find::<ReferenceRow>(1, &[int(row.id), small(class::EXECUTE_AS)]))?;
    if !runs_as.is_empty() {
        return Err(sql_error!(15136));
    }
    let (owns_objects, owns_roles) = ddl.rows(&db, |rows| {
        let objects: Vec<ObjectRow> = rows.all()?;
        let principals: Vec<OwnerRow> = rows.all()?;
        let its_role = |other: &OwnerRow| other.kind.as_str() == "R" && other.owner == row.id && other.id != row.id;
        Ok((objects.iter().any(|object| object.owner == Some(row.id)), principals.iter().any(its_role)))
    })?;
    if owns_objects {
        return Err(sql_error!(15183));
    }
    if owns_roles {
        return Err(sql_error!(15421));
    }
    ddl.rows(&db, |rows| {
        rows.delete_if::<ReferenceRow>(1, &[int(row.id), small(class::ROLE_MEMBER)], |_| true)?;
        let its = |granted: &PrivilegeRow| {
            granted.grantee == row.id || granted.class == class::PRINCIPAL && granted.id == row.id
        };
        rows.delete_if::<PrivilegeRow>(0, &[], |granted| granted.class < class::SERVER && its(granted))?;
        rows.delete::<TextRow>(0, &[int(secret_of(row.id))])?;
        rows.delete::<OwnerRow>(0, &[int(row.id)])
    })?;
    Ok(())
}

pub fn create_role(ddl: &mut Ddl<'_>, create: &CreateRole) -> SqlResult<()> {
    let name = create.name.to_string();
    if create.server {
        // The only owner that a server role has here.
        if let Some(owner) = &create.authorization
            && login_id(ddl, owner)? != SA
        {
            return Err(super::unsupported("CREATE SERVER ROLE ... AUTHORIZATION with another owner than sa"));
        }
        return create_server_role(ddl, &name);
    }
    let db = ddl.current()?;
    // "If no user is specified, the role will be owned by the user that executes CREATE ROLE":
    // https://learn.microsoft.com/sql/t-sql/statements/create-role-transact-sql
    let owner = match &create.authorization {
        Some(owner) => principal(ddl, &db, owner)?,
        None => ddl.rights(|rights, look| Ok(rights.user(look, &db)?.map_or(DBO, |user| user.id)))?,
    };
    add_principal(ddl, &db, OwnerRow { owner, ..owner_row(&name, "R") })
}

fn create_server_role(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<()> {
    let master = ddl.catalog.expect_database(MASTER);
    let now = clock::now();
    let taken = ddl.rows(&master, |rows| {
        let all: Vec<LoginRow> = rows.all()?;
        if all.iter().any(|row| master.equal_names(&row.name, name)) {
            return Ok(true);
        }
        let id = all.iter().map(|row| row.id).max().unwrap_or(0).max(LOGIN_MIN - 1) + 1;
        let row = LoginRow {
            id,
            name: name.to_string(),
            sid: Binary(Some(id.to_be_bytes().into())),
            kind: Code::new("R"),
            created: now,
            modified: now,
            status: 0,
            default_database: None,
            default_language: None,
            password: Binary(None),
        };
        Ok(rows.try_insert(&row)?.is_err())
    })?;
    if taken { Err(sql_error!(15025, name)) } else { Ok(()) }
}

/// Ids of a role and, for a member, of that; `class` is where memberships are.
fn role_of(ddl: &mut Ddl<'_>, db: &Database, name: &str, server: bool) -> SqlResult<(i32, bool)> {
    let missing = || cannot_find("alter", if server { "server role" } else { "role" }, name);
    if server {
        let row = ddl.rows(db, |rows| rows.first::<LoginRow>(1, &[name_datum(name)]))?;
        let row = row.filter(|row| row.kind.as_str() == "R").ok_or_else(missing)?;
        return Ok((row.id, row.status & FIXED != 0 || row.id < LOGIN_MIN));
    }
    let row = ddl.rows(db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
    let row = row.filter(|row| row.kind.as_str() == "R").ok_or_else(missing)?;
    Ok((row.id, row.id == 0 || is_fixed_role(row.id)))
}

pub fn alter_role(ddl: &mut Ddl<'_>, alter: &AlterRole) -> SqlResult<()> {
    let db = if alter.server { ddl.catalog.expect_database(MASTER) } else { ddl.current()? };
    let name = &*alter.name;
    let (role, fixed) = role_of(ddl, &db, name, alter.server)?;
    let kind = if alter.server { class::SERVER_ROLE_MEMBER } else { class::ROLE_MEMBER };
    let member_id = |ddl: &mut Ddl<'_>, member: &str| {
        let found = if alter.server { login_id(ddl, member) } else { principal(ddl, &db, member) };
        found.map_err(|_| {
            cannot_find(
                if matches!(alter.action, AlterRoleAction::AddMember(_)) { "add" } else { "drop" },
                "principal",
                member,
            )
        })
    };
    match &alter.action {
        AlterRoleAction::AddMember(member) => {
            if role == 0 || role == 2 && alter.server {
                return Err(sql_error!(15081));
            }
            let member = member_id(ddl, member)?;
            if !alter.server && matches!(member, 1 | 3 | 4) {
                return Err(sql_error!(15405, "dbo"));
            }
            if is_within(ddl, &db, kind, role, member)? {
                return Err(sql_error!(15413));
            }
            let row = ReferenceRow { class: kind, depid: role, depsubid: 0, indepid: member, indepsubid: 0, status: 0 };
            // A member already is no error.
            ddl.rows(&db, |rows| rows.try_insert(&row))?.ok();
        }
        AlterRoleAction::DropMember(member) => {
            let member = member_id(ddl, member)?;
            ddl.rows(&db, |rows| {
                rows.delete_if::<ReferenceRow>(0, &[int(role), small(kind)], |row| row.indepid == member)
            })?;
        }
        AlterRoleAction::Rename(renamed) => {
            if fixed {
                return Err(sql_error!(15150, "alter", "role", name));
            }
            if alter.server {
                let renamed = renamed.to_string();
                return change_login(ddl, name, |row| row.name = renamed.clone());
            }
            if ddl
                .rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(renamed)]))?
                .is_some_and(|other| other.id != role)
            {
                return Err(user_exists(renamed));
            }
            ddl.rows(&db, |rows| rows.update::<OwnerRow>(0, &[int(role)], |row| row.name = renamed.to_string()))?;
        }
    }
    Ok(())
}

/// Whether `role` is `member` or one of the roles below it: then `member` cannot become a member of `role`.
fn is_within(ddl: &mut Ddl<'_>, db: &Database, kind: u8, role: i32, member: i32) -> SqlResult<bool> {
    let mut seen = vec![member];
    let mut at = 0;
    while let Some(&id) = seen.get(at) {
        if id == role {
            return Ok(true);
        }
        let below = ddl.rows(db, |rows| rows.find::<ReferenceRow>(0, &[int(id), small(kind)]))?;
        for row in below {
            if !seen.contains(&row.indepid) {
                seen.push(row.indepid);
            }
        }
        at += 1;
    }
    Ok(false)
}

pub fn alter_authorization(ddl: &mut Ddl<'_>, alter: &AlterAuthorization) -> SqlResult<()> {
    let name = &*alter.on.name.name;
    let db = ddl.current()?;
    match alter.on.class.as_deref() {
        Some("DATABASE") => {
            let owner = alter.to.as_deref().unwrap_or("sa");
            let login = ddl.catalog.login(owner)?.ok_or_else(|| cannot_find("find", "principal", owner))?;
            let database = ddl.catalog.database_named(name).ok_or_else(|| cannot_find("find", "database", name))?;
            let users: Vec<OwnerRow> = ddl.rows(&database, |rows| rows.all())?;
            if users.iter().any(|user| user.id != DBO && user.sid.0.is_some() && user.sid == login.sid) {
                return Err(sql_error!(15110));
            }
            let row = DatabaseRow { owner_sid: login.sid.clone(), ..DatabaseRow::clone(&database.row()) };
            super::database_setting::write(ddl, &database, row)?;
            ddl.rows(&database, |rows| rows.update::<OwnerRow>(0, &[int(1)], |dbo| dbo.sid = login.sid.clone()))?;
        }
        Some("SCHEMA") => {
            let owner = principal(ddl, &db, alter.to.as_deref().unwrap_or("dbo"))?;
            let schema = ddl
                .rows(&db, |rows| load::schema_named(rows, name))?
                .ok_or_else(|| cannot_find("find", "schema", name))?;
            ddl.rows(&db, |rows| {
                // "ALTER AUTHORIZATION": permissions on what it contains without an owner of its own are dropped.
                for object in rows.find::<ObjectRow>(load::BY_NAME, &[int(schema.id)])? {
                    if object.owner.is_none() {
                        rows.delete::<PrivilegeRow>(0, &[small(class::OBJECT), int(object.id)])?;
                    }
                }
                rows.update::<ClassRow>(0, &[small(class::SCHEMA_ENTRY), int(schema.id)], |row| row.owner = owner)
            })?;
        }
        Some("ROLE") => {
            let owner = principal(ddl, &db, alter.to.as_deref().unwrap_or("dbo"))?;
            let (role, _) = role_of(ddl, &db, name, false)?;
            ddl.rows(&db, |rows| rows.update::<OwnerRow>(0, &[int(role)], |row| row.owner = owner))?;
        }
        // A type is always its schema's owner's.
        Some("TYPE") if alter.to.is_none() => {
            find_type(ddl, &alter.on.name)?.ok_or_else(|| cannot_find("find", "type", name))?;
        }
        None | Some("OBJECT") => {
            let (db, object) = ddl.find(&alter.on.name)?.ok_or_else(|| cannot_find("find", "object", name))?;
            let owner = match &alter.to {
                Some(owner) => Some(principal(ddl, &db, owner)?),
                None => None,
            };
            ddl.rows(&db, |rows| {
                // "ALTER AUTHORIZATION": what was granted by the owner before goes with him.
                rows.delete::<PrivilegeRow>(0, &[small(class::OBJECT), int(object.id)])?;
                rows.update::<ObjectRow>(0, &[int(object.id)], |row| row.owner = owner)
            })?;
            ddl.changed(db.id, object.id);
        }
        Some(class) => return Err(super::unsupported(&format!("ALTER AUTHORIZATION ON {class}"))),
    }
    Ok(())
}
