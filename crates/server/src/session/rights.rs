//! Who a session acts as, and what that one may do.
//!
//! What is found out stays known until the catalog's version moves, as it does with each GRANT, DENY, REVOKE and change of a role; a
//! statement that ran before asks nothing again but whether the session still acts as the same (`exec::session::Session::actor`).

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sql::catalog::DatabaseId;
use sql::plan::{Action, MaskedColumn, Need, ObjectRef};
use storage::Transaction;
use types::{SqlError, SqlResult, sql_error};

use crate::catalog::base::{
    CertificateRow, ColumnRow, DatabaseRow, LoginRow, ObjectRow, OwnerRow, TypeRow, database_option,
};
use crate::catalog::load::{int, schema_name, small};
use crate::catalog::row::BaseRow as _;
use crate::catalog::session::Gate;
use crate::catalog::{Catalog, Database, TEMPDB, registry};
use crate::security::actor::{self, Actor, LoginToken, Look, UserToken, Who};
use crate::security::check::{self, Decision, Securable};
use crate::security::hierarchy::{self, Class, Permission};

/// Needs known to be permitted; more, and they are found out again.
const APPROVED_MAX: usize = 4096;
/// For HAS_ACCESS, beside the numbers of the catalog's tables: the definition of an object.
const DEFINITIONS: i32 = 1060;
/// `user_type_id` of users' types is above: all others are everybody's.
pub const SYSTEM_TYPE_MAX: i32 = 256;
/// The same of what is known to be seen or not.
const SEEN_MAX: usize = 1 << 16;

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
    /// (database, base table, id): whether the thing is to be seen.
    seen: HashMap<(DatabaseId, i32, i32), bool>,
    unmasked: HashMap<MaskedColumn, bool>,
}

impl Known {
    fn approve(&mut self, need: Need) {
        if self.approved.len() >= APPROVED_MAX {
            self.approved.clear();
        }
        self.approved.insert(need);
    }
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

    /// The login that acts. None: the server itself, or a user of a database whose owner may not vouch for it on the server.
    pub fn login(&self, look: &mut Look<'_>) -> SqlResult<Option<Arc<LoginToken>>> {
        if let Some(known) = &self.known.borrow().login {
            return Ok(known.clone());
        }
        let found = match self.actor() {
            Actor::Login(id) => actor::login_token(look, id)?,
            Actor::User(home, id) => match voucher(look, home)? {
                Some(owner) => match vouches_on_server(look, owner)? {
                    true => login_of_user(look, home, id)?,
                    false => None,
                },
                None => None,
            },
            Actor::Server => None,
        };
        let found = found.map(Arc::new);
        self.known.borrow_mut().login = Some(found.clone());
        Ok(found)
    }

    /// Who acts in a database. None: nobody there.
    pub fn user(&self, look: &mut Look<'_>, db: &Database) -> SqlResult<Option<Arc<UserToken>>> {
        db.check_restored()?;
        if db.is_in_emergency() && !self.sysadmin(look)? {
            return Ok(None);
        }
        if let Some((_, user)) = self.known.borrow().users.iter().find(|(id, _)| *id == db.id) {
            return Ok(user.clone());
        }
        let found = match self.actor() {
            Actor::Server => actor::user_token(look, db, actor::DBO)?,
            Actor::Login(_) => match self.login(look)? {
                Some(login) => user_of(look, db, &login)?,
                None => None,
            },
            Actor::User(home, id) if home == db.id => actor::user_token(look, db, id)?,
            Actor::User(home, id) => elsewhere(look, home, id, db)?,
        };
        let found = found.map(Arc::new);
        self.known.borrow_mut().users.push((db.id, found.clone()));
        Ok(found)
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

    /// Whether the text of a module is to be seen, as "OBJECT_DEFINITION" says to whom it is.
    pub fn sees_definition(&self, look: &mut Look<'_>, db: &Database, on: &Securable) -> SqlResult<bool> {
        for name in ["VIEW DEFINITION", "ALTER", "TAKE OWNERSHIP"] {
            if self.holds(look, Some(db), on, name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// HAS_ACCESS: whether a row of one of the catalog's tables (`catalog::base`) is to be seen, by the id of what it is about.
    pub fn sees(&self, look: &mut Look<'_>, db: &Database, table: i32, id: i32) -> SqlResult<bool> {
        if self.sysadmin(look)? {
            return Ok(true);
        }
        let key = (db.id, table, id);
        if let Some(seen) = self.known.borrow().seen.get(&key) {
            return Ok(*seen);
        }
        let seen = self.find_seen(look, db, table, id)?;
        let mut known = self.known.borrow_mut();
        if known.seen.len() >= SEEN_MAX {
            known.seen.clear();
        }
        known.seen.insert(key, seen);
        Ok(seen)
    }

    fn find_seen(&self, look: &mut Look<'_>, db: &Database, table: i32, id: i32) -> SqlResult<bool> {
        let who = self.who(look, Some(db))?;
        match table {
            _ if table == DatabaseRow::TABLE.id => {
                // A user of a database without a login is in it.
                let home = matches!(self.actor(), Actor::User(home, _) if i32::from(home.0) == id);
                if id == 1 || id == 2 || i32::from(db.id.0) == id || home {
                    return Ok(true);
                }
                let other = u16::try_from(id).ok().and_then(|id| look.catalog.database(DatabaseId(id)));
                let owner = other.and_then(|other| other.row().owner_sid.0.clone());
                let owns = owner.is_some() && self.login(look)?.is_some_and(|login| login.sid == owner);
                Ok(owns || self.holds(look, None, &Securable::SERVER, "VIEW ANY DATABASE")?)
            }
            _ if table == LoginRow::TABLE.id => {
                let fixed = id <= actor::FIXED_LOGIN_MAX;
                let row = look.master(|rows| rows.first::<LoginRow>(0, &[int(id)]))?;
                let role = row.is_some_and(|row| row.kind.as_str() == "R");
                let on = Securable::plain(if role { Class::ServerRole } else { Class::Login }, id);
                let own = who.login.as_ref().is_some_and(|login| login.ids.contains(&id));
                let all = fixed || own || self.holds(look, None, &Securable::SERVER, "VIEW ANY SECURITY DEFINITION")?;
                Ok(all || check::is_seen(look, None, &who, &on)?)
            }
            _ if table == OwnerRow::TABLE.id => {
                let own = who.user.as_ref().is_some_and(|user| user.ids.contains(&id));
                if own || id <= 4 || actor::is_fixed_role(id) {
                    return Ok(true);
                }
                if self.holds(look, Some(db), &Securable::DATABASE, "VIEW SECURITY DEFINITION")? {
                    return Ok(true);
                }
                let row = look.rows(db, |rows| rows.first::<OwnerRow>(0, &[int(id)]))?;
                let Some(row) = row else { return Ok(false) };
                check::is_seen(look, Some(db), &who, &Securable::principal(&row))
            }
            _ if table == TypeRow::TABLE.id => {
                if id <= SYSTEM_TYPE_MAX {
                    return Ok(true);
                }
                match look.rows(db, |rows| rows.first::<TypeRow>(0, &[int(id)]))? {
                    Some(row) => sees_type(look, db, &who, &row),
                    None => Ok(false),
                }
            }
            _ if table == CertificateRow::TABLE.id => check::is_seen(look, Some(db), &who, &Securable::certificate(id)),
            // Temporary objects have names that nobody else finds, and the catalog's own are no secret.
            _ if table != DEFINITIONS && (db.id == TEMPDB || id < sql::catalog::USER_OBJECT_MIN) => Ok(true),
            _ => match look.rows(db, |rows| rows.first::<ObjectRow>(0, &[int(id)]))? {
                Some(row) => self.sees_object(look, db, &who, &row, table == DEFINITIONS),
                None => Ok(true),
            },
        }
    }

    /// `text`: of the module that it is.
    fn sees_object(
        &self,
        look: &mut Look<'_>,
        db: &Database,
        who: &Who,
        row: &ObjectRow,
        text: bool,
    ) -> SqlResult<bool> {
        if !text && let Some(row) = table_type(look, db, row)? {
            return sees_type(look, db, who, &row);
        }
        let Some(on) = Securable::of_row(look, db, row)? else { return Ok(true) };
        let seen = match text {
            true => self.sees_definition(look, db, &on)?,
            false => check::is_seen(look, Some(db), who, &on)?,
        };
        Ok(seen || self.manages_policy(look, db, row)?)
    }

    /// It is a security policy, and those are all to be seen.
    fn manages_policy(&self, look: &mut Look<'_>, db: &Database, row: &ObjectRow) -> SqlResult<bool> {
        Ok(row.kind.as_str() == "SP"
            && self.holds(look, Some(db), &Securable::DATABASE, "ALTER ANY SECURITY POLICY")?)
    }

    /// `table`: the type's. Who owns the module that declares a variable of it, and the type, lets everybody pass.
    pub fn check_table_type(
        &self,
        look: &mut Look<'_>,
        table: ObjectRef,
        named_by: Option<ObjectRef>,
    ) -> SqlResult<()> {
        let need = Need { action: Action::Execute, object: table, columns: Box::default(), named_by };
        if self.known.borrow().approved.contains(&need) {
            return Ok(());
        }
        let Some(db) = look.catalog.database(table.0) else { return Ok(()) };
        let object = look.rows(&db, |rows| rows.first::<ObjectRow>(0, &[int(table.1.0)]))?;
        let Some(object) = object else { return Ok(()) };
        let Some(row) = table_type(look, &db, &object)? else { return Ok(()) };
        let on = Securable::data_type(look, &db, &row)?;
        let by = match named_by {
            Some((database, module)) if database == table.0 => Securable::object(look, &db, module.0)?,
            _ => None,
        };
        let chained = by.is_some_and(|by| by.owner.is_some() && by.owner == on.owner);
        if !chained && !self.holds(look, Some(&db), &on, "EXECUTE")? {
            let schema = look.rows(&db, |rows| schema_name(rows, row.schid))?;
            return Err(sql_error!(229, state 5, "EXECUTE", row.name, db.name(), schema));
        }
        self.known.borrow_mut().approve(need);
        Ok(())
    }

    /// Whether who acts sees what the columns hold. `here`: the current database, which a table variable is of.
    pub fn unmasked(&self, look: &mut Look<'_>, here: &Database, columns: &[MaskedColumn]) -> SqlResult<bool> {
        for column in columns {
            if !self.is_unmasked(look, here, *column)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is_unmasked(&self, look: &mut Look<'_>, here: &Database, column: MaskedColumn) -> SqlResult<bool> {
        if self.sysadmin(look)? {
            return Ok(true);
        }
        if let Some(known) = self.known.borrow().unmasked.get(&column) {
            return Ok(*known);
        }
        let (database, object) = column.table;
        let known = if object.0 < 0 {
            self.holds(look, Some(here), &Securable::DATABASE, "UNMASK")?
        } else {
            let permission = hierarchy::find(Class::Object, "UNMASK").expect("it is in the table");
            let db = look.catalog.database(database);
            let on = db.as_ref().map(|db| Securable::object(look, db, object.0)).transpose()?.flatten();
            match (db, on) {
                (Some(db), Some(on)) => {
                    self.decide(look, Some(&db), &on, permission, &[column.column_id])? == Decision::Granted
                }
                _ => false,
            }
        };
        let mut kept = self.known.borrow_mut();
        if kept.unmasked.len() >= APPROVED_MAX {
            kept.unmasked.clear();
        }
        kept.unmasked.insert(column, known);
        Ok(known)
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
        if need.object.1.0 < 0 {
            return self.check_state(look, &db, need);
        }
        let permission = hierarchy::find(Class::Object, action_name(need.action)).expect("it is in the table");
        let Some(on) = Securable::object(look, &db, need.object.1.0)? else { return Ok(()) };
        let decision = self.decide(look, Some(&db), &on, permission, &need.columns)?;
        if decision != Decision::Granted {
            // Bound under another actor, perhaps, who may enter that database.
            return Err(match self.user(look, &db)? {
                Some(_) => refusal(look, &db, need, permission, decision)?,
                None => not_able(look, self, &db)?,
            });
        }
        self.known.borrow_mut().approve(need.clone());
        Ok(())
    }
}

impl Rights {
    /// sp_setapprole is in force.
    pub fn is_application_role(&self) -> bool {
        self.contexts.iter().any(|context| context.application_role)
    }

    /// 300 or 262, and 297: the state of the server or of the database is not to be seen.
    fn check_state(&self, look: &mut Look<'_>, db: &Database, need: &Need) -> SqlResult<()> {
        let name = registry::by_id(need.object.1.0).map_or("", |entry| entry.name);
        let refused = match state_of(name) {
            State::Open => return Ok(()),
            State::Database(permission) if self.holds(look, Some(db), &Securable::DATABASE, permission)? => {
                return Ok(());
            }
            State::Server(permission) if self.holds(look, None, &Securable::SERVER, permission)? => return Ok(()),
            State::Database(permission) => sql_error!(262, permission, db.name()),
            State::Server(permission) => sql_error!(300, permission, "server", "master"),
        };
        Err(sql_error!(297).after(vec![refused]))
    }
}

/// Who a login is in a database that it may enter.
fn user_of(look: &mut Look<'_>, db: &Database, login: &Arc<LoginToken>) -> SqlResult<Option<UserToken>> {
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

/// A user of one database in another: whoever its login is there, if the owner of the first may vouch for it; else a guest.
/// https://learn.microsoft.com/previous-versions/sql/sql-server-2008-r2/ms188304(v=sql.105)
fn elsewhere(look: &mut Look<'_>, home: DatabaseId, id: i32, db: &Database) -> SqlResult<Option<UserToken>> {
    if let Some(owner) = voucher(look, home)?
        && vouches_in(look, db, owner)?
        && let Some(login) = login_of_user(look, home, id)?
    {
        return user_of(look, db, &Arc::new(login));
    }
    let nobody = LoginToken { id: 0, name: String::new(), sid: None, ids: Vec::new(), sysadmin: false };
    actor::user_of_login(look, db, &nobody)
}

/// The owner of a database that the server trusts to say who acts: it vouches for the users of its database, where it has AUTHENTICATE.
fn voucher(look: &mut Look<'_>, home: DatabaseId) -> SqlResult<Option<LoginToken>> {
    match look.catalog.database(home).filter(|home| home.option(database_option::TRUSTWORTHY)) {
        Some(home) => login_with(look, home.row().owner_sid.0.as_deref()),
        None => Ok(None),
    }
}

fn vouches_on_server(look: &mut Look<'_>, owner: LoginToken) -> SqlResult<bool> {
    let permission = hierarchy::find(Class::Server, "AUTHENTICATE SERVER").expect("it is in the table");
    let who = Who { login: Some(Arc::new(owner)), user: None };
    Ok(check::decide(look, None, &who, &Securable::SERVER, permission, &[])? == Decision::Granted)
}

fn vouches_in(look: &mut Look<'_>, db: &Database, owner: LoginToken) -> SqlResult<bool> {
    let permission = hierarchy::find(Class::Database, "AUTHENTICATE").expect("it is in the table");
    let owner = Arc::new(owner);
    let who = Who { user: user_of(look, db, &owner)?.map(Arc::new), login: Some(owner) };
    Ok(check::decide(look, Some(db), &who, &Securable::DATABASE, permission, &[])? == Decision::Granted)
}

/// Of a user that has one.
fn login_of_user(look: &mut Look<'_>, home: DatabaseId, id: i32) -> SqlResult<Option<LoginToken>> {
    let Some(home) = look.catalog.database(home) else { return Ok(None) };
    let sid = match id {
        actor::DBO => home.row().owner_sid.0.clone(),
        _ => look.rows(&home, |rows| rows.first::<OwnerRow>(0, &[int(id)]))?.and_then(|user| user.sid.0),
    };
    login_with(look, sid.as_deref())
}

/// The type whose columns are those of this object.
fn table_type(look: &mut Look<'_>, db: &Database, object: &ObjectRow) -> SqlResult<Option<TypeRow>> {
    if object.kind.as_str() != "TT" {
        return Ok(None);
    }
    let types: Vec<TypeRow> = look.rows(db, |rows| rows.all())?;
    Ok(types.into_iter().find(|row| row.status & 2 != 0 && row.tableid == object.id))
}

fn sees_type(look: &mut Look<'_>, db: &Database, who: &Who, row: &TypeRow) -> SqlResult<bool> {
    let on = Securable::data_type(look, db, row)?;
    check::is_seen(look, Some(db), who, &on)
}

/// Whose state a dynamic management view shows.
enum State {
    /// With this permission.
    Server(&'static str),
    Database(&'static str),
    /// To those who may not see it, it shows their own, or what the catalog shows too.
    Open,
}

/// The "Permissions" section of the view's page, as it is since SQL Server 2022.
fn state_of(name: &str) -> State {
    match name {
        "dm_exec_sessions"
        | "dm_exec_requests"
        | "dm_exec_describe_first_result_set"
        | "dm_exec_describe_first_result_set_for_object"
        | "dm_exec_input_buffer"
        | "dm_sql_referenced_entities"
        | "dm_sql_referencing_entities"
        | "dm_db_stats_properties"
        | "dm_db_stats_histogram" => State::Open,
        "dm_db_index_usage_stats"
        | "dm_db_missing_index_details"
        | "dm_db_missing_index_groups"
        | "dm_db_missing_index_group_stats" => State::Server("VIEW SERVER PERFORMANCE STATE"),
        name if name.starts_with("dm_db_") => State::Database("VIEW DATABASE PERFORMANCE STATE"),
        "dm_exec_connections" | "dm_server_audit_status" | "dm_server_registry" | "dm_server_services" => {
            State::Server("VIEW SERVER SECURITY STATE")
        }
        _ => State::Server("VIEW SERVER PERFORMANCE STATE"),
    }
}

fn login_with(look: &mut Look<'_>, sid: Option<&[u8]>) -> SqlResult<Option<LoginToken>> {
    let Some(sid) = sid else { return Ok(None) };
    let logins: Vec<LoginRow> = look.master(|rows| rows.all())?;
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

    fn check_bulk(&self, catalog: &Catalog, transaction: Option<&mut Transaction>) -> SqlResult<()> {
        let mut look = Look { catalog, transaction };
        match self.holds(&mut look, None, &Securable::SERVER, "ADMINISTER BULK OPERATIONS")? {
            true => Ok(()),
            false => Err(sql_error!(4834)),
        }
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
