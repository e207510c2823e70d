//! EXECUTE AS, REVERT, modules WITH EXECUTE AS, application roles: the session acts as another until that ends.
//! https://learn.microsoft.com/sql/t-sql/statements/execute-as-transact-sql

use std::sync::atomic::Ordering;

use exec::host::{Impersonation, ModuleInfo};
use exec::session::Session as State;
use sql::catalog::RunsAs;
use sql::plan::PrincipalKind;
use types::{SqlResult, sql_error};

use crate::catalog::base::{LoginRow, OwnerRow};
use crate::catalog::load::name as name_datum;
use crate::security::actor::Actor;
use crate::security::check::Securable;
use crate::security::hierarchy::Class;
use crate::session::host::SessionHost;
use crate::session::rights::Context;

/// EXECUTE AS within EXECUTE AS.
const CONTEXTS_MAX: usize = 32;
const COOKIE_BYTES: usize = 32;

impl SessionHost {
    fn act_as(&mut self, state: &mut State, actor: Actor, change: impl FnOnce(&mut Context)) -> SqlResult<()> {
        if self.rights.contexts.len() >= CONTEXTS_MAX {
            return Err(sql_error!(217, CONTEXTS_MAX));
        }
        let mut context = Context {
            actor,
            database: self.catalog_session.database,
            cookie: None,
            no_revert: false,
            of_module: false,
            application_role: false,
            default_schema: self.catalog_session.default_schema.clone(),
        };
        change(&mut context);
        self.rights.contexts.push(context);
        self.now_acts(state);
        let known = self.use_own_schema(state);
        if known.is_err() {
            self.end_context(state);
        }
        known
    }

    /// The stack of contexts has changed.
    fn now_acts(&mut self, state: &mut State) {
        self.rights.forget();
        state.actor = self.rights.actor().number();
        state.contexts = self.rights.contexts.len() as u32;
        let acts_as = if self.rights.contexts.is_empty() { 0 } else { state.actor };
        self.entry.acts_as.store(acts_as, Ordering::Relaxed);
    }

    fn end_context(&mut self, state: &mut State) {
        if let Some(ended) = self.rights.contexts.pop() {
            self.catalog_session.default_schema = ended.default_schema;
            self.now_acts(state);
        }
    }

    /// EXECUTE AS as a statement; gives the cookie, if one is asked for.
    pub fn begin_impersonation(&mut self, state: &mut State, asked: &Impersonation<'_>) -> SqlResult<Option<Vec<u8>>> {
        let actor = match asked.kind {
            PrincipalKind::User => self.user_to_act_as(state, asked.name)?.ok_or_else(|| sql_error!(15517, asked.name)),
            PrincipalKind::Login => {
                self.login_to_act_as(state, asked.name)?.ok_or_else(|| sql_error!(15406, asked.name))
            }
        }?;
        if asked.kind == PrincipalKind::Login && actor != self.rights.actor() {
            // The login must be able to be where the session is.
            let db = self.server.catalog.expect_database(self.catalog_session.database);
            let enters = self.rights(state, |_, look| crate::session::rights::Rights::new(actor).user(look, &db))?;
            if enters.is_none() {
                return Err(sql_error!(916, asked.name, db.name()));
            }
        }
        let cookie = asked.cookie.then(|| {
            let mut cookie = vec![0; COOKIE_BYTES];
            os::random::fill(&mut cookie);
            cookie
        });
        let (kept, no_revert) = (cookie.clone(), asked.no_revert);
        self.act_as(state, actor, |context| {
            context.cookie = kept;
            context.no_revert = no_revert;
        })?;
        Ok(cookie)
    }

    /// None: there is no such user, or one may not act as it. dbo may be acted as by who owns the database; roles, `guest` aside, by nobody.
    fn user_to_act_as(&mut self, state: &mut State, name: &str) -> SqlResult<Option<Actor>> {
        self.rights_here(state, |rights, look, db| {
            let row = look.rows(db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
            let Some(row) = row.filter(|row| row.kind.as_str() == "S" && !matches!(row.id, 3 | 4)) else {
                return Ok(None);
            };
            let own = rights.user(look, db)?.is_some_and(|user| user.id == row.id);
            let may = own || rights.holds(look, Some(db), &Securable::principal(&row), "IMPERSONATE")?;
            Ok(may.then_some(Actor::User(db.id, row.id)))
        })
    }

    fn login_to_act_as(&mut self, state: &mut State, name: &str) -> SqlResult<Option<Actor>> {
        self.rights(state, |rights, look| {
            let row = look.master(|rows| rows.first::<LoginRow>(1, &[name_datum(name)]))?;
            let Some(row) = row.filter(|row| row.kind.as_str() != "R") else { return Ok(None) };
            let own = rights.login(look)?.is_some_and(|login| login.id == row.id);
            let may = own || rights.holds(look, None, &Securable::plain(Class::Login, row.id), "IMPERSONATE")?;
            Ok(may.then_some(Actor::Login(row.id)))
        })
    }

    /// REVERT: of the last EXECUTE AS, if there is one.
    pub fn end_impersonation(&mut self, state: &mut State, cookie: Option<&[u8]>) -> SqlResult<()> {
        let Some(context) = self.rights.contexts.last() else { return Ok(()) };
        if context.of_module {
            return Ok(());
        }
        if context.application_role {
            return Err(sql_error!(15357, "sp_setapprole", "Revert"));
        }
        if context.no_revert {
            return Err(sql_error!(15196));
        }
        if context.cookie.as_deref() != cookie {
            return Err(sql_error!(15591));
        }
        if context.database != self.catalog_session.database {
            return Err(sql_error!(15199, "Execute As"));
        }
        self.end_context(state);
        Ok(())
    }

    /// A module WITH EXECUTE AS begins.
    pub fn enter_module(&mut self, state: &mut State, module: &ModuleInfo) -> SqlResult<()> {
        let actor = match module.execute_as.expect("asked only of such modules") {
            RunsAs::User(user) => Actor::User(module.database, user),
            RunsAs::Login(login) => Actor::Login(login),
        };
        self.act_as(state, actor, |context| context.of_module = true)
    }

    /// A module or a text has ended: so has what EXECUTE AS began in it.
    pub fn leave_contexts(&mut self, state: &mut State, kept: u32) {
        while self.rights.contexts.len() > kept as usize {
            self.end_context(state);
        }
    }

    /// The session is as new.
    pub fn revert_all(&mut self, state: &mut State) {
        self.leave_contexts(state, 0);
        self.now_acts(state);
    }

    /// sp_setapprole: the session is the role, in this database, and no more what its user may do.
    pub fn set_application_role(&mut self, state: &mut State, role: i32, cookie: Option<Vec<u8>>) -> SqlResult<()> {
        let database = self.catalog_session.database;
        self.act_as(state, Actor::User(database, role), |context| {
            context.application_role = true;
            context.no_revert = cookie.is_none();
            context.cookie = cookie;
        })?;
        state.keeps_context = true;
        Ok(())
    }

    /// sp_unsetapprole. 15592.
    pub fn unset_application_role(&mut self, state: &mut State, cookie: &[u8]) -> SqlResult<()> {
        match self.rights.contexts.last() {
            Some(context) if context.application_role && context.cookie.as_deref() == Some(cookie) => {
                self.end_context(state);
                state.keeps_context = true;
                Ok(())
            }
            _ => Err(sql_error!(15592)),
        }
    }
}
