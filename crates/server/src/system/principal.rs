//! SUSER_NAME, USER_NAME, IS_MEMBER and their like: who is who, and who the session acts as.

use exec::session::Session as State;
use sql::function::FunctionId;
use types::{Datum, SqlResult};

use super::answer::{Answer, Arguments};
use crate::catalog::base::{LoginRow, OwnerRow, ReferenceRow, class};
use crate::catalog::load::{int, name as name_datum, small};
use crate::catalog::store::Rows;
use crate::catalog::{Catalog, Database, MASTER};
use crate::security::actor::{
    Actor, DB_OWNER, DBCREATOR, DBO, FIXED_LOGIN_MAX, GUEST, PUBLIC as PUBLIC_ROLE, PUBLIC_SERVER_ROLE, SYSADMIN,
};
use crate::session::host::SessionHost;

pub fn answer(
    host: &mut SessionHost,
    state: &mut State,
    function: FunctionId,
    arguments: &Arguments<'_>,
) -> SqlResult<Answer> {
    use FunctionId::*;
    let given = arguments.is_given(0);
    let db = host.server.catalog.expect_database(host.catalog_session.database);
    Ok(match function {
        SystemUser => acting_login(host, state)?.into(),
        SuserName | SuserSname if !given => acting_login(host, state)?.into(),
        SuserName => {
            let Some(id) = arguments.id(0) else { return Ok(Answer::Null) };
            login(host, state, 0, int(id))?.map(|row| row.name).into()
        }
        SuserSname => {
            let Some((_, Datum::Bytes(sid))) = arguments.0.first() else { return Ok(Answer::Null) };
            let logins = logins(host, state)?;
            logins.into_iter().find(|row| row.sid.0.as_deref() == Some(&**sid)).map(|row| row.name).into()
        }
        SuserSid => match named_login(host, state, arguments)? {
            Some(row) => row.sid.0.map_or(Answer::Null, |sid| Answer::Bytes(sid.into())),
            None => Answer::Null,
        },
        SuserId => named_login(host, state, arguments)?.map(|row| i64::from(row.id)).into(),
        CurrentUser | SessionUser | User => current_user(host, state, &db)?.name.into(),
        UserName if !given => current_user(host, state, &db)?.name.into(),
        UserName => {
            let Some(id) = arguments.id(0) else { return Ok(Answer::Null) };
            host.catalog_rows(state, &db, |rows| rows.first::<OwnerRow>(0, &[int(id)]))?.map(|row| row.name).into()
        }
        DatabasePrincipalId | UserId if !given => i64::from(current_user(host, state, &db)?.id).into(),
        DatabasePrincipalId | UserId => {
            let Some(name) = arguments.text(0) else { return Ok(Answer::Null) };
            principal(host, state, &db, &name)?.map(|row| i64::from(row.id)).into()
        }
        IsSrvrolemember => is_server_member(host, state, arguments)?,
        IsMember | IsRolemember => is_member(host, state, &db, function, arguments)?,
        _ => Answer::Null,
    })
}

fn login(host: &SessionHost, state: &mut State, key: usize, value: Datum) -> SqlResult<Option<LoginRow>> {
    let master = host.server.catalog.expect_database(MASTER);
    host.catalog_rows(state, &master, |rows| rows.first::<LoginRow>(key, &[value]))
}

fn logins(host: &SessionHost, state: &mut State) -> SqlResult<Vec<LoginRow>> {
    let master = host.server.catalog.expect_database(MASTER);
    host.catalog_rows(state, &master, |rows| rows.all())
}

/// The login that the session acts as; of a user, that user's login, or its name if it has none.
fn acting_login(host: &mut SessionHost, state: &mut State) -> SqlResult<String> {
    let acting = host.rights.actor();
    let own = host.entry.identity.login_name.clone();
    match acting {
        Actor::Server => Ok(own),
        Actor::Login(_) => {
            Ok(host.rights(state, |rights, look| rights.login(look))?.map_or(own, |login| login.name.clone()))
        }
        Actor::User(home, id) => {
            let Some(home) = host.server.catalog.database(home) else { return Ok(own) };
            let row = host.catalog_rows(state, &home, |rows| rows.first::<OwnerRow>(0, &[int(id)]))?;
            let Some(row) = row else { return Ok(own) };
            let sid = if id == DBO { home.row().owner_sid.0.clone() } else { row.sid.0.clone() };
            let login = logins(host, state)?.into_iter().find(|login| login.sid.0.is_some() && login.sid.0 == sid);
            Ok(login.map_or(row.name, |login| login.name))
        }
    }
}

/// The name of a user or role of the current database, if it is the one who acts, a role that he is in, or anybody's where he owns the
/// database.
pub fn acts_as(host: &mut SessionHost, state: &mut State, name: &str) -> SqlResult<Option<String>> {
    let db = host.server.catalog.expect_database(host.catalog_session.database);
    let Some(named) = principal(host, state, &db, name)? else { return Ok(None) };
    let user = current_user(host, state, &db)?.id;
    let acts = named.id == PUBLIC_ROLE
        || named.id == user
        || user == DBO
        || reaches_here(host, state, &db, class::ROLE_MEMBER, DB_OWNER, user)?
        || reaches_here(host, state, &db, class::ROLE_MEMBER, named.id, user)?;
    Ok(acts.then_some(named.name))
}

/// The login an argument names, or the session's own without one.
fn named_login(host: &mut SessionHost, state: &mut State, arguments: &Arguments<'_>) -> SqlResult<Option<LoginRow>> {
    let name = match arguments.is_given(0) {
        true => arguments.text(0),
        false => Some(acting_login(host, state)?),
    };
    name.map_or(Ok(None), |name| login(host, state, 1, name_datum(&name)))
}

fn principal(host: &SessionHost, state: &mut State, db: &Database, name: &str) -> SqlResult<Option<OwnerRow>> {
    host.catalog_rows(state, db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))
}

/// Name and SID of the login that somebody acts as. None: no login is that.
pub fn login_of(catalog: &Catalog, actor: Actor) -> SqlResult<Option<LoginRow>> {
    let master = catalog.expect_database(MASTER);
    let sid = match actor {
        Actor::Server => return Ok(None),
        Actor::Login(id) => return catalog.read(&master, |rows| rows.first(0, &[int(id)])),
        Actor::User(home, id) => {
            let Some(home) = catalog.database(home) else { return Ok(None) };
            match catalog.read(&home, |rows| rows.first::<OwnerRow>(0, &[int(id)]))? {
                Some(row) if row.id == DBO => home.row().owner_sid.clone(),
                Some(row) => row.sid,
                None => return Ok(None),
            }
        }
    };
    let logins: Vec<LoginRow> = catalog.read(&master, |rows| rows.all())?;
    Ok(logins.into_iter().find(|login| login.sid.0.is_some() && login.sid == sid))
}

/// Who the session acts as in a database; a guest where it is nobody.
fn current_user(host: &mut SessionHost, state: &mut State, db: &Database) -> SqlResult<OwnerRow> {
    let user = host.rights(state, |rights, look| rights.user(look, db))?;
    let id = user.map_or(GUEST, |user| user.id);
    let row = host.catalog_rows(state, db, |rows| rows.first::<OwnerRow>(0, &[int(id)]))?;
    Ok(row.expect("every database has dbo and guest"))
}

/// Whether there is such a login.
pub fn is_login(catalog: &Catalog, name: &str) -> SqlResult<bool> {
    let master = catalog.expect_database(MASTER);
    let found: Option<LoginRow> = catalog.read(&master, |rows| rows.first(1, &[name_datum(name)]))?;
    Ok(found.is_some_and(|row| row.kind.as_str() != "R"))
}

/// Whether a login is a member of sysadmin.
pub fn is_sysadmin(catalog: &Catalog, login: &str) -> SqlResult<bool> {
    let master = catalog.expect_database(MASTER);
    let own: Option<LoginRow> = catalog.read(&master, |rows| rows.first(1, &[name_datum(login)]))?;
    own.map_or(Ok(false), |own| reaches(catalog, &master, class::SERVER_ROLE_MEMBER, SYSADMIN, own.id))
}

/// Whether a login may be in a database that is restricted: a sysadmin, a dbcreator or an owner of the database.
pub fn administers(catalog: &Catalog, db: &Database, login: &str) -> SqlResult<bool> {
    let master = catalog.expect_database(MASTER);
    let own: Option<LoginRow> = catalog.read(&master, |rows| rows.first(1, &[name_datum(login)]))?;
    let Some(own) = own else { return Ok(false) };
    for role in [SYSADMIN, DBCREATOR] {
        if reaches(catalog, &master, class::SERVER_ROLE_MEMBER, role, own.id)? {
            return Ok(true);
        }
    }
    let users: Vec<OwnerRow> = catalog.read(db, |rows| rows.all())?;
    match users.iter().find(|user| user.sid == own.sid && user.sid.0.is_some()) {
        Some(user) => Ok(user.id == DBO || reaches(catalog, db, class::ROLE_MEMBER, DB_OWNER, user.id)?),
        None => Ok(false),
    }
}

/// As the session's transaction sees it.
fn reaches_here(
    host: &SessionHost,
    state: &mut State,
    db: &Database,
    kind: u8,
    role: i32,
    member: i32,
) -> SqlResult<bool> {
    host.catalog_rows(state, db, |rows| is_within(rows, kind, role, member))
}

fn reaches(catalog: &Catalog, db: &Database, kind: u8, role: i32, member: i32) -> SqlResult<bool> {
    catalog.read(db, |rows| is_within(rows, kind, role, member))
}

/// Whether `member` is in `role`, itself or through roles within it.
fn is_within(rows: &mut Rows<'_>, kind: u8, role: i32, member: i32) -> SqlResult<bool> {
    let mut seen = vec![role];
    let mut at = 0;
    while let Some(&id) = seen.get(at) {
        if id == member {
            return Ok(true);
        }
        for row in rows.find::<ReferenceRow>(0, &[int(id), small(kind)])? {
            if !seen.contains(&row.indepid) {
                seen.push(row.indepid);
            }
        }
        at += 1;
    }
    Ok(false)
}

fn is_server_member(host: &mut SessionHost, state: &mut State, arguments: &Arguments<'_>) -> SqlResult<Answer> {
    let Some(role) = arguments.text(0) else { return Ok(Answer::Null) };
    let Some(role) = login(host, state, 1, name_datum(&role))?.filter(|row| row.kind.as_str() == "R") else {
        return Ok(Answer::Null);
    };
    let member = match arguments.text(1) {
        Some(name) => login(host, state, 1, name_datum(&name))?,
        None => {
            let own = acting_login(host, state)?;
            login(host, state, 1, name_datum(&own))?
        }
    };
    let Some(member) = member else { return Ok(Answer::Null) };
    let master = host.server.catalog.expect_database(MASTER);
    let mut within = role.id == PUBLIC_SERVER_ROLE;
    // A sysadmin is in every fixed role.
    let roles: &[i32] = if role.id <= FIXED_LOGIN_MAX { &[role.id, SYSADMIN] } else { &[role.id] };
    for role in roles {
        within = within || reaches_here(host, state, &master, class::SERVER_ROLE_MEMBER, *role, member.id)?;
    }
    Ok(within.into())
}

fn is_member(
    host: &mut SessionHost,
    state: &mut State,
    db: &Database,
    function: FunctionId,
    arguments: &Arguments<'_>,
) -> SqlResult<Answer> {
    let Some(role) = arguments.text(0) else { return Ok(Answer::Null) };
    let Some(role) = principal(host, state, db, &role)? else { return Ok(Answer::Null) };
    if role.kind.as_str() != "R" {
        // IS_MEMBER of a user: whether he acts. IS_ROLEMEMBER takes roles alone.
        let own = function == FunctionId::IsMember && role.kind.as_str() == "S";
        return Ok(if own { (current_user(host, state, db)?.id == role.id).into() } else { Answer::Null });
    }
    let member = match arguments.text(1) {
        Some(name) => principal(host, state, db, &name)?,
        None => Some(current_user(host, state, db)?),
    };
    let Some(member) = member else { return Ok(Answer::Null) };
    Ok((role.id == PUBLIC_ROLE || reaches_here(host, state, db, class::ROLE_MEMBER, role.id, member.id)?).into())
}
