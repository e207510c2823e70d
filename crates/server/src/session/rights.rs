//! Who a session acts as, and what that one may do.
//!
//! What is found out stays known until the catalog's version moves, as it does with each GRANT, DENY, REVOKE and change of a role; a
//! statement that ran before asks nothing again but whether the session still acts as the same (`exec::session::Session::actor`).

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use sql::catalog::DatabaseId;
use sql::plan::{Action, Need};
use storage::Transaction;
use types::{SqlError, SqlResult, sql_error};

use crate::catalog::base::{ColumnRow, ObjectRow, database_option};
use crate::catalog::load::{int, schema_name, small};
use crate::catalog::session::Gate;
use crate::catalog::{Catalog, Database, TEMPDB};
use crate::security::actor::{self, Actor, LoginToken, Look, UserToken, Who};
use crate::security::check::{self, Decision, Securable};
use crate::security::hierarchy::{self, Class, Permission};

/// Needs known to be permitted; more, and they are found out again.
const APPROVED_MAX: usize = 4096;

/// Who is acted as since an EXECUTE AS.
pub struct Context {
    pub actor: Actor,
    /// The database of EXECUTE AS, which REVERT must be said in.
    pub database: DatabaseId,
    /// WITH COOKIE INTO, or of sp_setapprole.
    pub cookie: Option<Vec<u8>>,
    pub no_revert: bool,
    /// Of a module WITH EXECUTE AS: REVERT does not end it.
    pub of_module: bool,
    /// sp_setapprole: only sp_unsetapprole ends it.
    pub application_role: bool,
    pub default_schema: Box<str>,
}

#[derive(Default)]
struct Known {
    /// `CatalogSession::version` that all of this was read at.
    version: u64,
    login: Option<Option<Arc<LoginToken>>>,
    users: Vec<(DatabaseId, Option<Arc<UserToken>>)>,
    approved: HashSet<Need>,
}

pub struct Rights {
    own: Actor,
    /// What runs is the server's own text: nobody is asked.
    pub trusted: bool,
    pub contexts: Vec<Context>,
    known: RefCell<Known>,
}

impl Rights {
    pub fn new(own: Actor) -> Rights {
        Rights { own, trusted: false, contexts: Vec::new(), known: RefCell::default() }
    }

    pub fn actor(&self) -> Actor {
        match self.trusted {
            true => Actor::Server,
            false => self.contexts.last().map_or(self.own, |context| context.actor),
        }
    }

    /// Another acts from now on, or the catalog has changed.
    pub fn forget(&mut self) {
        *self.known.get_mut() = Known::default();
    }

    pub fn keep_for(&self, version: u64) {
        let mut known = self.known.borrow_mut();
        if known.version != version {
            *known = Known { version, ..Known::default() };
        }
    }

    /// The login that acts. None: the server itself, or a user of a database.
    pub fn login(&self, look: &mut Look<'_>) -> SqlResult<Option<Arc<LoginToken>>> {
        if let Some(known) = &self.known.borrow().login {
            return Ok(known.clone());
        }
        let found = match self.actor() {
            Actor::Login(id) => actor::login_token(look, id)?.map(Arc::new),
            Actor::Server | Actor::User(..) => None,
        };
        self.known.borrow_mut().login = Some(found.clone());
        Ok(found)
    }

    /// Who acts in a database. None: nobody there.
    pub fn user(&self, look: &mut Look<'_>, db: &Database) -> SqlResult<Option<Arc<UserToken>>> {
        if let Some((_, user)) = self.known.borrow().users.iter().find(|(id, _)| *id == db.id) {
            return Ok(user.clone());
        }
        let found = match self.actor() {
            Actor::Server => actor::user_token(look, db, actor::DBO)?,
            Actor::Login(_) => match self.login(look)? {
                Some(login) => self.user_of(look, db, &login)?,
                None => None,
            },
            Actor::User(home, id) if home == db.id => actor::user_token(look, db, id)?,
            Actor::User(home, id) => self.elsewhere(look, home, id, db)?,
        };
        let found = found.map(Arc::new);
        self.known.borrow_mut().users.push((db.id, found.clone()));
        Ok(found)
    }

    fn user_of(&self, look: &mut Look<'_>, db: &Database, login: &Arc<LoginToken>) -> SqlResult<Option<UserToken>> {
        let user = actor::user_of_login(look, db, login)?;
        let enters = |look: &mut Look<'_>, user: Option<Arc<UserToken>>| {
            let connect = hierarchy::find(Class::Database, "CONNECT").expect("it is in the table");
            let who = Who { login: Some(login.clone()), user };
            check::decide(look, Some(db), &who, &Securable::DATABASE, connect, &[])
        };
        match user {
            Some(user) if user.dbo => Ok(Some(user)),
            Some(user) => {
                let user = Arc::new(user);
                let enters = enters(look, Some(user.clone()))? == Decision::Granted;
                Ok(enters.then(|| Arc::try_unwrap(user).expect("nobody else has kept it")))
            }
            // CONNECT ANY DATABASE lets a login in that is nobody there: it is a guest.
            None => match actor::user_token(look, db, actor::GUEST)? {
                Some(guest) => {
                    let guest = Arc::new(guest);
                    let enters = enters(look, Some(guest.clone()))? == Decision::Granted;
                    Ok(enters.then(|| Arc::try_unwrap(guest).expect("nobody else has kept it")))
                }
                None => Ok(None),
            },
        }
    }

    /// A user of one database in another: whoever its login is there, if the first is TRUSTWORTHY and a sysadmin's; else a guest.
    /// https://learn.microsoft.com/sql/relational-databases/security/trustworthy-database-property
    fn elsewhere(&self, look: &mut Look<'_>, home: DatabaseId, id: i32, db: &Database) -> SqlResult<Option<UserToken>> {
        if let Some(home) = look.catalog.database(home).filter(|home| home.option(database_option::TRUSTWORTHY)) {
            let owner = home.row().owner_sid.0.clone();
            let trusted = match login_with(look, owner.as_deref())? {
                Some(owner) => owner.sysadmin,
                None => false,
            };
            let sid = look.rows(&home, |rows| rows.first::<crate::catalog::base::OwnerRow>(0, &[int(id)]))?;
            let sid = if id == actor::DBO { owner } else { sid.and_then(|user| user.sid.0) };
            if let (true, Some(login)) = (trusted, login_with(look, sid.as_deref())?) {
                return self.user_of(look, db, &Arc::new(login));
            }
        }
        let nobody = LoginToken { id: 0, name: String::new(), sid: None, ids: Vec::new(), sysadmin: false };
        actor::user_of_login(look, db, &nobody)
    }

    pub fn who(&self, look: &mut Look<'_>, db: Option<&Database>) -> SqlResult<Who> {
        let user = match db {
            Some(db) => self.user(look, db)?,
            None => None,
        };
        Ok(Who { login: self.login(look)?, user })
    }

    pub fn decide(
        &self,
        look: &mut Look<'_>,
        db: Option<&Database>,
        on: &Securable,
        permission: &'static Permission,
        columns: &[u32],
    ) -> SqlResult<Decision> {
        if self.actor() == Actor::Server {
            return Ok(Decision::Granted);
        }
        let who = self.who(look, db)?;
        check::decide(look, db, &who, on, permission, columns)
    }

    /// Whether the permission of that class and name is held.
    pub fn holds(&self, look: &mut Look<'_>, db: Option<&Database>, on: &Securable, name: &str) -> SqlResult<bool> {
        let permission = hierarchy::find(on.class, name).expect("the permission is in the table");
        Ok(self.decide(look, db, on, permission, &[])? == Decision::Granted)
    }

    pub fn sysadmin(&self, look: &mut Look<'_>) -> SqlResult<bool> {
        Ok(self.actor() == Actor::Server || self.login(look)?.is_some_and(|login| login.sysadmin))
    }

    /// 229, 230: what a text needs of an object is not permitted.
    pub fn check_need(&self, look: &mut Look<'_>, need: &Need) -> SqlResult<()> {
        if self.known.borrow().approved.contains(need) {
            return Ok(());
        }
        let Some(db) = look.catalog.database(need.object.0) else { return Ok(()) };
        let permission = hierarchy::find(Class::Object, action_name(need.action)).expect("it is in the table");
        let Some(on) = Securable::object(look, &db, need.object.1.0)? else { return Ok(()) };
        let decision = self.decide(look, Some(&db), &on, permission, &need.columns)?;
        if decision != Decision::Granted {
            return Err(refusal(look, &db, need, permission, decision)?);
        }
        let mut known = self.known.borrow_mut();
        if known.approved.len() >= APPROVED_MAX {
            known.approved.clear();
        }
        known.approved.insert(need.clone());
        Ok(())
    }
}

fn login_with(look: &mut Look<'_>, sid: Option<&[u8]>) -> SqlResult<Option<LoginToken>> {
    let Some(sid) = sid else { return Ok(None) };
    let logins: Vec<crate::catalog::base::LoginRow> = look.master(|rows| rows.all())?;
    match logins.into_iter().find(|login| login.sid.0.as_deref() == Some(sid)) {
        Some(login) => actor::login_token(look, login.id),
        None => Ok(None),
    }
}

fn action_name(action: Action) -> &'static str {
    match action {
        Action::Select => "SELECT",
        Action::Insert => "INSERT",
        Action::Update => "UPDATE",
        Action::Delete => "DELETE",
        Action::Execute => "EXECUTE",
    }
}

fn refusal(
    look: &mut Look<'_>,
    db: &Database,
    need: &Need,
    permission: &Permission,
    decision: Decision,
) -> SqlResult<SqlError> {
    let id = need.object.1.0;
    let (row, schema) = look.rows(db, |rows| {
        let row = rows.first::<ObjectRow>(0, &[int(id)])?;
        let schema = row.as_ref().map_or(Ok(String::new()), |row| schema_name(rows, row.nsid))?;
        Ok((row, schema))
    })?;
    let name = row.map_or_else(String::new, |row| row.name);
    let Decision::RefusedColumn(column) = decision else {
        return Ok(sql_error!(229, state 5, permission.name, name, db.name(), schema));
    };
    let columns: Vec<ColumnRow> = look.rows(db, |rows| rows.find(0, &[int(id), small(0)]))?;
    let column = columns.into_iter().find(|row| row.colid as u32 == column).map_or_else(String::new, |row| row.name);
    Ok(sql_error!(230, permission.name, column, name, db.name(), schema))
}

impl Gate for Rights {
    fn check(&self, catalog: &Catalog, transaction: Option<&mut Transaction>, db: &Database) -> SqlResult<()> {
        let mut look = Look { catalog, transaction };
        if self.actor() == Actor::Server || db.id == TEMPDB || self.user(&mut look, db)?.is_some() {
            return Ok(());
        }
        Err(not_able(&mut look, self, db)?)
    }
}

/// 916.
pub fn not_able(look: &mut Look<'_>, rights: &Rights, db: &Database) -> SqlResult<SqlError> {
    let name = match rights.actor() {
        Actor::User(home, id) => match look.catalog.database(home) {
            Some(home) => actor::user_token(look, &home, id)?.map_or_else(String::new, |user| user.name.clone()),
            None => String::new(),
        },
        _ => rights.login(look)?.map_or_else(String::new, |login| login.name.clone()),
    };
    Ok(sql_error!(916, name, db.name()))
}
