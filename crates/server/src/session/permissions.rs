//! What a session asks of its rights: who it is in a database, whether it may enter one, whether a query or a call is permitted.

use std::sync::Arc;

use exec::session::Session as State;
use sql::catalog::TableDef;
use sql::plan::{Action, MaskedColumn, Need, ObjectRef, Query};
use types::{SqlError, SqlResult, sql_error};

use crate::catalog::{Database, TEMPDB};
use crate::security::actor::{Actor, Look, UserToken};
use crate::security::check::{self, Securable};
use crate::session::host::SessionHost;
use crate::session::rights::{Rights, not_able};

impl SessionHost {
    /// The rights, brought up to date, and the catalog as the session sees it.
    pub fn rights<T>(&mut self, state: &mut State, ask: impl FnOnce(&Rights, &mut Look<'_>) -> T) -> T {
        let version = self.catalog_session.version(&self.server.catalog);
        self.rights.keep_for(version);
        let own = self.catalog_session.has_uncommitted_changes();
        let transaction = state.transaction.current.as_deref_mut().filter(|_| own);
        ask(&self.rights, &mut Look { catalog: &self.server.catalog, transaction })
    }

    /// Names without a schema are looked for where this user has its objects.
    pub fn use_schema_of(&mut self, user: &UserToken) {
        self.catalog_session.default_schema = user.default_schema.as_deref().unwrap_or("dbo").into();
    }

    /// The current database has changed, or who is in it.
    pub fn use_own_schema(&mut self, state: &mut State) -> SqlResult<()> {
        match self.rights_here(state, |rights, look, db| rights.user(look, db))? {
            Some(user) => self.use_schema_of(&user),
            None => self.catalog_session.default_schema = "dbo".into(),
        }
        Ok(())
    }

    /// 916: it may not enter a database.
    pub fn check_enters(&mut self, state: &mut State, db: &Database) -> SqlResult<()> {
        self.rights(state, |rights, look| {
            if rights.actor() == Actor::Server || rights.user(look, db)?.is_some() {
                return Ok(());
            }
            Err(not_able(look, rights, db)?)
        })
    }

    /// Runs a text of the server's own, which is asked for no permission.
    pub fn trusted<T>(&mut self, state: &mut State, work: impl FnOnce(&mut SessionHost, &mut State) -> T) -> T {
        let before = (std::mem::replace(&mut self.rights.trusted, true), state.actor);
        self.rights.forget();
        state.actor = self.rights.actor().number();
        let result = work(self, state);
        (self.rights.trusted, state.actor) = before;
        self.rights.forget();
        result
    }

    /// As `rights`, with the current database.
    pub fn rights_here<T>(
        &mut self,
        state: &mut State,
        ask: impl FnOnce(&Rights, &mut Look<'_>, &Arc<Database>) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let id = self.catalog_session.database;
        let db = self.server.catalog.database(id).ok_or_else(|| crate::catalog::no_such_database("(current)"))?;
        self.rights(state, |rights, look| ask(rights, look, &db))
    }

    pub fn may_alter(&mut self, state: &mut State, table: &TableDef) -> SqlResult<bool> {
        if table.name.starts_with('#') {
            return Ok(true);
        }
        let Some(db) = self.server.catalog.database(table.database) else { return Ok(false) };
        self.rights(state, |rights, look| match Securable::object(look, &db, table.object.0)? {
            Some(on) => rights.holds(look, Some(&db), &on, "ALTER"),
            None => Ok(false),
        })
    }

    /// 229, 230: what a query needs is not permitted.
    pub fn check_query(&mut self, state: &mut State, query: &Query) -> SqlResult<()> {
        if query.needs.is_empty() || self.rights.actor() == Actor::Server {
            return Ok(());
        }
        let refused = self.rights(state, |rights, look| {
            if rights.sysadmin(look)? {
                return Ok(None);
            }
            Ok::<_, SqlError>(query.needs.iter().find_map(|need| Some((need, rights.check_need(look, need).err()?))))
        })?;
        self.tell_refusal(refused)
    }

    /// What a query needs, and SHOWPLAN here and in each database that it names something of:
    /// https://learn.microsoft.com/sql/t-sql/statements/set-showplan-all-transact-sql
    pub fn check_plan_shown(&mut self, state: &mut State, query: &Query) -> SqlResult<()> {
        self.check_query(state, query)?;
        self.rights_here(state, |rights, look, here| {
            if rights.sysadmin(look)? {
                return Ok(());
            }
            let named = query.needs.iter().filter_map(|need| look.catalog.database(need.object.0));
            for db in named.chain([here.clone()]).collect::<Vec<_>>() {
                if !rights.holds(look, Some(&db), &Securable::DATABASE, "SHOWPLAN")? {
                    return Err(sql_error!(262, "SHOWPLAN", db.name()));
                }
            }
            Ok(())
        })
    }

    /// Whether who acts sees what these columns hold.
    pub fn is_unmasked_here(&mut self, state: &mut State, columns: &[MaskedColumn]) -> SqlResult<bool> {
        if self.rights.actor() == Actor::Server {
            return Ok(true);
        }
        self.rights_here(state, |rights, look, db| rights.unmasked(look, db, columns))
    }

    /// Who audits hears what was not permitted.
    fn tell_refusal(&mut self, refused: Option<(&Need, SqlError)>) -> SqlResult<()> {
        let Some((need, error)) = refused else { return Ok(()) };
        self.audit_refusal(need)?;
        Err(error)
    }

    /// 229: the procedure may not be called. `named_by`: the module that names it.
    pub fn check_call(&mut self, state: &mut State, object: ObjectRef, named_by: Option<ObjectRef>) -> SqlResult<()> {
        // Temporary procedures have names that nobody else finds.
        if object.1.0 < 0 || object.0 == TEMPDB || self.rights.actor() == Actor::Server {
            return Ok(());
        }
        let need = Need { action: Action::Execute, object, columns: Box::default(), named_by };
        let refused = self.rights(state, |rights, look| {
            if rights.sysadmin(look)? || is_passed(look, &need)? {
                return Ok(None);
            }
            Ok::<_, SqlError>(rights.check_need(look, &need).err())
        })?;
        self.tell_refusal(refused.map(|error| (&need, error)))
    }

    /// 229: EXECUTE of a table type is not held by who declares a variable of it, or sends one.
    /// https://learn.microsoft.com/sql/relational-databases/tables/use-table-valued-parameters-database-engine
    pub fn check_type(&mut self, state: &mut State, table: &TableDef, named_by: Option<ObjectRef>) -> SqlResult<()> {
        if self.rights.actor() == Actor::Server {
            return Ok(());
        }
        self.rights(state, |rights, look| match rights.sysadmin(look)? {
            true => Ok(()),
            false => rights.check_table_type(look, (table.database, table.object), named_by),
        })
    }

    /// Without the needs that are granted to all who come there: ownership chains.
    pub fn drop_chained(&mut self, state: &mut State, needs: &mut Box<[Need]>) -> SqlResult<()> {
        if needs.iter().all(|need| need.named_by.is_none()) {
            return Ok(());
        }
        let all = std::mem::take(needs).into_vec();
        *needs = self.rights(state, |_, look| {
            let mut kept = Vec::new();
            for need in all {
                if !is_passed(look, &need)? {
                    kept.push(need);
                }
            }
            Ok::<_, SqlError>(kept.into())
        })?;
        Ok(())
    }
}

fn is_passed(look: &mut Look<'_>, need: &Need) -> SqlResult<bool> {
    let Some((from, module)) = need.named_by else { return Ok(false) };
    let (Some(from), Some(to)) = (look.catalog.database(from), look.catalog.database(need.object.0)) else {
        return Ok(false);
    };
    // A system procedure asks for its caller.
    if module.0 < 0 {
        return Ok(false);
    }
    check::is_chained(look, (&from, module.0), (&to, need.object.1.0))
}
