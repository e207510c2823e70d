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
use crate::catalog::{Database, MASTER, MODEL, TEMPDB, clock, scalar_type};
use crate::security::actor::{DB_OWNER, DBO, FIXED_ROLES, GUEST, is_fixed_role};

/// Principals of a database below this id are not users' own; nor are the fixed roles.
const USER_MIN: i32 = 5;

/// dbo, guest, INFORMATION_SCHEMA and sys are schemas up to this id.
const SYSTEM_SCHEMA_MAX: i32 = 4;

/// Of the security ids that users without a login are given.
const NO_LOGIN_SID_BYTES: usize = 28;

/// The id of the login sa, whatever its name.
const SA: i32 = 1;

/// 15023, whose state says which statement asked.
fn user_exists(name: &str, state: u8) -> SqlError {
    sql_error!(15023, state state, name)
}

/// 15063: a login is one user of a database.
fn check_free(ddl: &mut Ddl<'_>, db: &Database, login: &LoginRow, but: Option<i32>) -> SqlResult<()> {
    let users: Vec<OwnerRow> = ddl.rows(db, |rows| rows.all())?;
    match users.iter().any(|user| user.sid == login.sid && Some(user.id) != but) {
        true => Err(sql_error!(15063)),
        false => Ok(()),
    }
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
    if taken { Err(user_exists(&name, 1)) } else { Ok(()) }
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

/// S-1-9-KIND and four random numbers: of a user without a login (3), of a role (4).
fn own_sid(kind: u8) -> Box<[u8]> {
    let mut sid = vec![1, 5, 0, 0, 0, 0, 0, 9, kind, 0, 0, 0];
    let mut own = [0; 16];
    os::random::fill(&mut own);
    sid.extend(own);
    sid.into()
}

pub fn create_user(ddl: &mut Ddl<'_>, create: &CreateUser) -> SqlResult<()> {
    let db = ddl.current()?;
    let name = create.name.to_string();
    if db.equal_names(&name, "guest") {
        return Err(sql_error!(15062));
    }
    let taken = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(&name)]))?.is_some();
    let sid = match &create.source {
        UserSource::SameName | UserSource::Login(_) => {
            let login_name =
                if let UserSource::Login(login) = &create.source { login.to_string() } else { name.clone() };
            let missing = || sql_error!(15007, login_name);
            let login =
                ddl.catalog.login(&login_name)?.filter(|login| login.kind.as_str() != "R").ok_or_else(missing)?;
            if taken {
                return Err(user_exists(&name, 6));
            }
            if login.id == SA {
                return Err(sql_error!(15405, "sa"));
            }
            check_free(ddl, &db, &login, None)?;
            login.sid
        }
        _ if taken => return Err(user_exists(&name, 6)),
        UserSource::WithoutLogin => Binary(Some(bytes(&create.options, "SID").unwrap_or_else(|| own_sid(3)))),
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
            Some(ddl.catalog.login(&login)?.ok_or_else(missing)?)
        }
    };
    if row.id < USER_MIN {
        return Err(sql_error!(15150, "alter", "user", name));
    }
    if let Some(login) = &login {
        if login.id == SA {
            return Err(sql_error!(15405, "sa"));
        }
        // Made WITHOUT LOGIN.
        if row.sid.0.as_ref().is_some_and(|sid| sid.len() == NO_LOGIN_SID_BYTES) {
            return Err(sql_error!(33016));
        }
        check_free(ddl, &db, login, Some(row.id))?;
    }
    if let Some(renamed) = &renamed {
        if ddl
            .rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(renamed)]))?
            .is_some_and(|other| other.id != row.id)
        {
            return Err(user_exists(renamed, 7));
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
            if let Some(login) = &login {
                row.sid = login.sid.clone();
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
    let word = match kinds {
        ["R"] => "role",
        ["A"] => "application role",
        _ => "user",
    };
    let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
    let Some(row) = row.filter(|row| kinds.contains(&row.kind.as_str())) else {
        return if if_exists { Ok(()) } else { Err(cannot_find("drop", word, name)) };
    };
    if row.id == GUEST {
        return disable_guest(ddl, &db, name);
    }
    if row.id < USER_MIN || is_fixed_role(row.id) {
        return Err(sql_error!(15150, "drop", word, name));
    }
    check_unused(ddl, &db, row.id)?;
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

/// guest stays: what is taken from it is that it may connect. 15182, 15539
fn disable_guest(ddl: &mut Ddl<'_>, db: &Database, name: &str) -> SqlResult<()> {
    let connects = |row: &PrivilegeRow| row.grantee == GUEST && row.kind.as_str() == "CO" && row.state.as_str() != "D";
    let key = [small(class::DATABASE), int(0)];
    let granted = ddl.rows(db, |rows| rows.find::<PrivilegeRow>(0, &key))?.iter().any(connects);
    if !granted {
        return Err(sql_error!(15539, name));
    }
    if matches!(db.id, MASTER | TEMPDB) {
        return Err(sql_error!(15182));
    }
    ddl.rows(db, |rows| rows.delete_if::<PrivilegeRow>(0, &key, connects))?;
    Ok(())
}

/// Whether nothing hangs on a principal that is to be dropped: 15144, 15183, 15138, 15421, 15136, 15284.
fn check_unused(ddl: &mut Ddl<'_>, db: &Database, id: i32) -> SqlResult<()> {
    ddl.rows(db, |rows| {
        if !rows.find::<ReferenceRow>(0, &[int(id), small(class::ROLE_MEMBER)])?.is_empty() {
            return Err(sql_error!(15144));
        }
        // A collection's row is in the space of its schema's collections.
        let owned: Vec<ObjectRow> = rows.all::<ObjectRow>()?.into_iter().filter(|row| row.owner == Some(id)).collect();
        if owned.iter().any(|object| object.nsid >= 0) {
            return Err(sql_error!(15183));
        }
        let schemas = rows.find::<ClassRow>(0, &[small(class::SCHEMA_ENTRY)])?;
        if schemas.iter().any(|schema| schema.owner == id) {
            return Err(sql_error!(15138, "schema"));
        }
        if !owned.is_empty() {
            return Err(sql_error!(15138, "XML namespace"));
        }
        let principals: Vec<OwnerRow> = rows.all()?;
        if principals.iter().any(|other| other.kind.as_str() == "R" && other.owner == id && other.id != id) {
            return Err(sql_error!(15421));
        }
        if !rows.find::<ReferenceRow>(1, &[int(id), small(class::EXECUTE_AS)])?.is_empty() {
            return Err(sql_error!(15136));
        }
        let granted: Vec<PrivilegeRow> = rows.all()?;
        match granted.iter().any(|row| row.class < class::SERVER && row.grantor == id && row.grantee != id) {
            true => Err(sql_error!(15284)),
            false => Ok(()),
        }
    })
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
    add_principal(ddl, &db, OwnerRow { owner, sid: Binary(Some(own_sid(4))), ..owner_row(&name, "R") })
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
                if alter.server { "server principal" } else { "principal" },
                member,
            )
        })
    };
    match &alter.action {
        AlterRoleAction::AddMember(member) => {
            if role == 0 || role == 2 && alter.server {
                return Err(sql_error!(15081));
            }
            let member = special(member, alter.server, member_id(ddl, member)?)?;
            if is_within(ddl, &db, kind, role, member)? {
                return Err(sql_error!(15413));
            }
            let row = ReferenceRow { class: kind, depid: role, depsubid: 0, indepid: member, indepsubid: 0, status: 0 };
            // A member already is no error.
            ddl.rows(&db, |rows| rows.try_insert(&row))?.ok();
        }
        AlterRoleAction::DropMember(member) => {
            if role == 0 || role == 2 && alter.server {
                return Err(sql_error!(15081));
            }
            let member = special(member, alter.server, member_id(ddl, member)?)?;
            ddl.rows(&db, |rows| {
                rows.delete_if::<ReferenceRow>(0, &[int(role), small(kind)], |row| row.indepid == member)
            })?;
        }
        AlterRoleAction::Rename(renamed) => {
            if fixed {
                return Err(sql_error!(15150, "alter", if alter.server { "server role" } else { "role" }, name));
            }
            if alter.server {
                let renamed = renamed.to_string();
                let other = ddl.rows(&db, |rows| rows.first::<LoginRow>(1, &[name_datum(&renamed)]))?;
                if other.is_some_and(|other| other.id != role) {
                    return Err(sql_error!(15025, renamed));
                }
                return change_login(ddl, name, |row| row.name = renamed.clone());
            }
            if ddl
                .rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(renamed)]))?
                .is_some_and(|other| other.id != role)
            {
                return Err(user_exists(renamed, 1));
            }
            ddl.rows(&db, |rows| rows.update::<OwnerRow>(0, &[int(role)], |row| row.name = renamed.to_string()))?;
        }
    }
    Ok(())
}

/// 15405: a principal whose memberships are what they are.
fn special(name: &str, server: bool, id: i32) -> SqlResult<i32> {
    let fixed = if server { id < LOGIN_MIN } else { id < USER_MIN && id != GUEST || is_fixed_role(id) };
    if fixed { Err(sql_error!(15405, name)) } else { Ok(id) }
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
        Some("DATABASE") => database_owner(ddl, name, &new_owner(alter)),
        Some("SCHEMA") => {
            let schema = ddl.rows(&db, |rows| load::schema_named(rows, name))?;
            let schema = schema.ok_or_else(|| cannot_find("find", "schema", name))?;
            if schema.id <= SYSTEM_SCHEMA_MAX {
                return Err(sql_error!(15150, "alter", "schema", name));
            }
            let owner = owner_named(ddl, &db, &new_owner(alter))?;
            ddl.rows(&db, |rows| {
                // "ALTER AUTHORIZATION": permissions on what it contains without an owner of its own are dropped.
                for object in rows.find::<ObjectRow>(load::BY_NAME, &[int(schema.id)])? {
                    if object.owner.is_none() {
                        rows.delete::<PrivilegeRow>(0, &[small(class::OBJECT), int(object.id)])?;
                    }
                }
                rows.update::<ClassRow>(0, &[small(class::SCHEMA_ENTRY), int(schema.id)], |row| row.owner = owner)
            })?;
            Ok(())
        }
        Some("ROLE") => {
            let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
            let role = row.filter(|row| row.kind.as_str() == "R").ok_or_else(|| cannot_find("find", "role", name))?.id;
            if role == 0 || is_fixed_role(role) {
                return Err(sql_error!(15150, "alter", "role", name));
            }
            let owner = owner_named(ddl, &db, &new_owner(alter))?;
            ddl.rows(&db, |rows| rows.update::<OwnerRow>(0, &[int(role)], |row| row.owner = owner))?;
            Ok(())
        }
        Some("TYPE") => {
            if find_type(ddl, &alter.on.name)?.is_none() {
                let system = scalar_type::by_name(name).is_some();
                return Err(if system { sql_error!(15247) } else { cannot_find("find", "type", name) });
            }
            // A type is always its schema's owner's.
            let stays = alter.to.is_none();
            super::rights::expect(stays, || super::unsupported("ALTER AUTHORIZATION ON TYPE with an owner of its own"))
        }
        Some("XML SCHEMA COLLECTION") => {
            let found = super::xml_schema::find(ddl, &db, None, &alter.on.name)?;
            let row = found.ok_or_else(|| cannot_find("find", "XML schema collection", name))?;
            let owner = alter.to.as_deref().map(|to| owner_named(ddl, &db, to)).transpose()?;
            ddl.rows(&db, |rows| {
                rows.delete::<PrivilegeRow>(0, &[small(class::XML_COLLECTION), int(row.id)])?;
                rows.update::<ObjectRow>(0, &[int(row.id)], |row| row.owner = owner)
            })?;
            Ok(())
        }
        None | Some("OBJECT") => object_owner(ddl, alter),
        Some(class @ ("USER" | "APPLICATION ROLE")) => Err(sql_error!(15344, class.to_lowercase())),
        Some(class) => Err(super::unsupported(&format!("ALTER AUTHORIZATION ON {class}"))),
    }
}

/// SCHEMA OWNER is nobody where there is no schema.
fn new_owner(alter: &AlterAuthorization) -> String {
    alter.to.as_deref().unwrap_or("SCHEMA OWNER").to_string()
}

/// Who may own something in a database. 15151
fn owner_named(ddl: &mut Ddl<'_>, db: &Database, name: &str) -> SqlResult<i32> {
    match principal(ddl, db, name)? {
        3 | 4 => Err(cannot_find("find", "principal", name)),
        id => Ok(id),
    }
}

fn database_owner(ddl: &mut Ddl<'_>, name: &str, owner: &str) -> SqlResult<()> {
    let database = ddl.catalog.database_named(name).ok_or_else(|| cannot_find("find", "database", name))?;
    if matches!(database.id, MASTER | TEMPDB | MODEL) {
        return Err(sql_error!(15109));
    }
    let login = ddl.catalog.login(owner)?.ok_or_else(|| cannot_find("find", "principal", owner))?;
    if login.kind.as_str() == "R" {
        return Err(sql_error!(15353, "database"));
    }
    let users: Vec<OwnerRow> = ddl.rows(&database, |rows| rows.all())?;
    if users.iter().any(|user| user.id != DBO && user.sid.0.is_some() && user.sid == login.sid) {
        return Err(sql_error!(15110));
    }
    let row = DatabaseRow { owner_sid: login.sid.clone(), ..DatabaseRow::clone(&database.row()) };
    super::database_setting::write(ddl, &database, row)?;
    ddl.rows(&database, |rows| rows.update::<OwnerRow>(0, &[int(DBO)], |dbo| dbo.sid = login.sid.clone()))?;
    Ok(())
}

fn object_owner(ddl: &mut Ddl<'_>, alter: &AlterAuthorization) -> SqlResult<()> {
    let name = &*alter.on.name.name;
    if alter.on.name.is_temporary() {
        return Err(sql_error!(15344, "object"));
    }
    let found = if alter.on.name.database.is_some() { None } else { ddl.find(&alter.on.name)? };
    let (db, object) = found.ok_or_else(|| cannot_find("find", "object", name))?;
    if object.pid != 0 {
        return Err(sql_error!(15346));
    }
    let owner = alter.to.as_deref().map(|to| owner_named(ddl, &db, to)).transpose()?;
    ddl.rows(&db, |rows| {
        // "ALTER AUTHORIZATION": what was granted by the owner before goes with him.
        rows.delete::<PrivilegeRow>(0, &[small(class::OBJECT), int(object.id)])?;
        rows.update::<ObjectRow>(0, &[int(object.id)], |row| row.owner = owner)
    })?;
    ddl.changed(db.id, object.id);
    Ok(())
}
