//! Who somebody is: a login with its server roles, and in each database a user with its roles.

use std::sync::Arc;

use sql::catalog::DatabaseId;
use storage::Transaction;
use types::SqlResult;

use crate::catalog::base::{LoginRow, OwnerRow, PrivilegeRow, ReferenceRow, class};
use crate::catalog::load::{int, name as name_datum, small};
use crate::catalog::store::Rows;
use crate::catalog::{Catalog, Database, MASTER, boot};

pub const SYSADMIN: i32 = boot::SYSADMIN_ROLE;
pub const PUBLIC_SERVER_ROLE: i32 = 2;
pub const DBCREATOR: i32 = 9;
pub const PUBLIC: i32 = 0;
pub const DBO: i32 = 1;
pub const GUEST: i32 = 2;
pub const DB_OWNER: i32 = 16_384;

/// sa and the fixed server roles, which everybody knows of.
pub const FIXED_LOGIN_MAX: i32 = 20;

/// Numbers kept for db_owner and its kin, from `DB_OWNER` on.
pub const FIXED_ROLES: i32 = 16;

pub fn is_fixed_role(id: i32) -> bool {
    (DB_OWNER..DB_OWNER + FIXED_ROLES).contains(&id)
}

/// Who a session acts as: its login, or after EXECUTE AS another login or one user of one database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Actor {
    /// The server itself.
    Server,
    Login(i32),
    User(DatabaseId, i32),
}

impl Actor {
    /// `exec::session::Session::actor`: no two have the same.
    pub fn number(self) -> u64 {
        match self {
            Actor::Server => 0,
            Actor::Login(id) => 1 << 62 | u64::from(id as u32),
            Actor::User(database, id) => 2 << 62 | u64::from(database.0) << 32 | u64::from(id as u32),
        }
    }

    pub fn from_number(number: u64) -> Actor {
        match number >> 62 {
            1 => Actor::Login(number as u32 as i32),
            2 => Actor::User(DatabaseId((number >> 32) as u16), number as u32 as i32),
            _ => Actor::Server,
        }
    }
}

/// Reads the catalog as one session sees it: with its own uncommitted changes if it has any.
pub struct Look<'a> {
    pub catalog: &'a Catalog,
    pub transaction: Option<&'a mut Transaction>,
}

impl Look<'_> {
    pub fn rows<T>(&mut self, db: &Database, work: impl FnOnce(&mut Rows<'_>) -> SqlResult<T>) -> SqlResult<T> {
        match self.transaction.as_deref_mut() {
            Some(transaction) => work(&mut db.rows(&self.catalog.storage, transaction)),
            None => self.catalog.read(db, work),
        }
    }

    pub fn master<T>(&mut self, work: impl FnOnce(&mut Rows<'_>) -> SqlResult<T>) -> SqlResult<T> {
        let master = self.catalog.expect_database(MASTER);
        self.rows(&master, work)
    }
}

/// A login and all that it is a member of.
#[derive(Debug)]
pub struct LoginToken {
    pub id: i32,
    pub name: String,
    pub sid: Option<Box<[u8]>>,
    /// Its own id, those of its roles, and public.
    pub ids: Vec<i32>,
    pub sysadmin: bool,
}

/// A user of a database and all that it is a member of.
#[derive(Debug)]
pub struct UserToken {
    pub id: i32,
    pub name: String,
    pub default_schema: Option<String>,
    /// Its own id, those of its roles, and public.
    pub ids: Vec<i32>,
    /// Nobody asks it for permissions.
    pub dbo: bool,
}

/// `member`, then the roles it is in, itself or through other roles.
fn memberships(rows: &mut Rows<'_>, kind: u8, member: i32) -> SqlResult<Vec<i32>> {
    let mut ids = vec![member];
    let mut at = 0;
    while let Some(&id) = ids.get(at) {
        for row in rows.find::<ReferenceRow>(1, &[int(id), small(kind)])? {
            if !ids.contains(&row.depid) {
                ids.push(row.depid);
            }
        }
        at += 1;
    }
    Ok(ids)
}

pub fn login_named(look: &mut Look<'_>, name: &str) -> SqlResult<Option<LoginRow>> {
    look.master(|rows| rows.first::<LoginRow>(1, &[name_datum(name)]))
}

/// None: there is no such login any more.
pub fn login_token(look: &mut Look<'_>, id: i32) -> SqlResult<Option<LoginToken>> {
    look.master(|rows| {
        let Some(row) = rows.first::<LoginRow>(0, &[int(id)])? else { return Ok(None) };
        let mut ids = memberships(rows, class::SERVER_ROLE_MEMBER, id)?;
        let sysadmin = ids.contains(&SYSADMIN);
        ids.push(PUBLIC_SERVER_ROLE);
        Ok(Some(LoginToken { id, name: row.name, sid: row.sid.0, ids, sysadmin }))
    })
}

fn token(rows: &mut Rows<'_>, row: OwnerRow) -> SqlResult<UserToken> {
    let mut ids = memberships(rows, class::ROLE_MEMBER, row.id)?;
    ids.push(PUBLIC);
    let OwnerRow { id, name, default_schema, .. } = row;
    Ok(UserToken { dbo: id == DBO, id, name, default_schema, ids })
}

/// A user, or an application role, by its id.
pub fn user_token(look: &mut Look<'_>, db: &Database, id: i32) -> SqlResult<Option<UserToken>> {
    look.rows(db, |rows| match rows.first::<OwnerRow>(0, &[int(id)])? {
        Some(row) => token(rows, row).map(Some),
        None => Ok(None),
    })
}

/// Who a login is in a database. None: it has no user there, and guests are not let in.
pub fn user_of_login(look: &mut Look<'_>, db: &Database, login: &LoginToken) -> SqlResult<Option<UserToken>> {
    let owner = db.row().owner_sid.0.clone();
    let owns = login.sid.is_some() && owner.as_deref() == login.sid.as_deref();
    let found = look.rows(db, |rows| {
        let by_id = |rows: &mut Rows<'_>, id: i32| rows.first::<OwnerRow>(0, &[int(id)]);
        if login.sysadmin || owns {
            return by_id(rows, DBO);
        }
        let users: Vec<OwnerRow> = rows.all()?;
        let mapped = users.into_iter().find(|user| {
            user.kind.as_str() == "S" && user.sid.0.is_some() && user.sid.0.as_deref() == login.sid.as_deref()
        });
        match mapped {
            Some(user) => Ok(Some(user)),
            None if guests_may_connect(rows)? => by_id(rows, GUEST),
            None => Ok(None),
        }
    })?;
    match found {
        Some(row) => look.rows(db, |rows| token(rows, row)).map(Some),
        None => Ok(None),
    }
}

/// GRANT CONNECT TO guest: so it is in master, tempdb and msdb.
fn guests_may_connect(rows: &mut Rows<'_>) -> SqlResult<bool> {
    let key = [small(class::DATABASE), int(0), int(0), int(GUEST)];
    let granted: Vec<PrivilegeRow> = rows.find(0, &key)?;
    Ok(granted.iter().any(|row| row.kind.as_str() == "CO" && row.state.as_str() != "D"))
}

/// Whom a permission is asked of: both as far as the actor is somebody there.
#[derive(Debug, Clone, Default)]
pub struct Who {
    pub login: Option<Arc<LoginToken>>,
    /// In the database of what it is asked for.
    pub user: Option<Arc<UserToken>>,
}
