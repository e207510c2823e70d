//! Text to a module: from the statement cache, or parsed, bound and checked now.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use exec::session::Session as State;
use sql::bind::BindOptions;
use sql::plan::{Module, Query, QueryId};
use types::{SqlError, SqlResult};

use crate::catalog::CatalogSession;
use crate::instance::handle::PlanKey;
use crate::instance::plan_cache::Forget;
use crate::instance::server::Event;
use crate::security::written;
use crate::session::early;
use crate::session::host::SessionHost;
use crate::settings::config::option;

/// The module of a text: from the cache, or parsed and bound now. `parameters`: the declarations of sp_executesql and its kin.
pub fn compile(
    host: &mut SessionHost,
    state: &mut State,
    text: &str,
    parameters: &str,
) -> Result<Arc<Module>, Vec<SqlError>> {
    // Names mean something else to who has another default schema.
    let is_shared = host.server.catalog.configuration.running(option::PLAN_SHARING) != 0
        && &*host.catalog_session.default_schema == "dbo";
    let key = PlanKey {
        text,
        parameters,
        database: host.catalog_session.database.0,
        quoted_identifier: state.options.quoted_identifier,
        ansi_nulls: state.options.ansi_nulls,
        client: SessionHost::bind_options(state).client,
        session: if is_shared { 0 } else { host.entry.spid },
    };
    let version = host.catalog_session.checked_version(&host.server.catalog);
    if os::sim_choice!("plans.drop", 32) {
        host.server.plans.forget(Forget::All);
    }
    if let Some(module) = host.server.plans.statements.find(key)
        && !os::sim_choice!("plans.miss", 16)
        && module.checked.load(Ordering::Relaxed) == version
    {
        return Ok(module);
    }
    // The cache shows its texts.
    if written::holds_password(text) {
        return compile_alone(host, state, text, parameters);
    }
    let module = bound(host, state, text, parameters)?;
    host.server.plans.statements.insert(key, module.clone(), 0);
    Ok(module)
}

/// As `compile`, for one handle of the session: no plan is looked for, and nobody finds this one.
pub fn compile_alone(
    host: &mut SessionHost,
    state: &mut State,
    text: &str,
    parameters: &str,
) -> Result<Arc<Module>, Vec<SqlError>> {
    host.server.plans.statements.count_not_cached();
    bound(host, state, text, parameters)
}

fn bound(
    host: &mut SessionHost,
    state: &mut State,
    text: &str,
    parameters: &str,
) -> Result<Arc<Module>, Vec<SqlError>> {
    let version = host.catalog_session.checked_version(&host.server.catalog);
    let module = Arc::new(host.bind_text(state, text, parameters)?);
    // What is only read is not looked up.
    if !module.parse_only.unwrap_or(state.options.parse_only) {
        early::check(host, state, &module, true)?;
        module.checked.store(version, Ordering::Relaxed);
    }
    Ok(module)
}

/// Of several syntax errors a procedure raises the first.
pub fn first(errors: Vec<SqlError>) -> SqlError {
    errors.into_iter().next().expect("a failure has an error")
}

impl SessionHost {
    /// Parses and binds a text that is not in the statement cache.
    pub fn bind_text(&mut self, state: &mut State, text: &str, parameters: &str) -> Result<Module, Vec<SqlError>> {
        self.server.events.add(Event::Compilation);
        let options = Self::bind_options(state);
        self.with_catalog(state, |catalog| sql::bind::bind_text(text, parameters, &options, catalog))
    }

    /// 229: a text is described to who may run it. What of it cannot be bound needs nothing.
    pub fn check_text(&mut self, state: &mut State, module: &Module) -> SqlResult<()> {
        let options = Self::bind_options(state);
        for text in module.queries.iter().filter(|text| sql::bind::is_query(&text.statement)) {
            let bound =
                self.with_catalog(state, |catalog| sql::bind::bind_query(&text.statement, module, catalog, &options));
            let Ok(mut query) = bound else { continue };
            self.drop_chained(state, &mut query.needs)?;
            self.check_query(state, &query).map_err(|error| error.at_line(text.line))?;
        }
        Ok(())
    }

    /// Keeps what a query of the module was bound to at `version`, for all sessions if it is the same for all.
    pub fn keep_bound(&mut self, state: &State, module: &Arc<Module>, id: QueryId, version: u64, bound: Arc<Query>) {
        self.notices.extend(bound.notices.iter().cloned());
        let identity_insert = state.options.identity_insert;
        let shared = !bound.session_private && identity_insert.is_none() && CatalogSession::is_shared_version(version);
        if shared && module.queries[id.0 as usize].bound.set(bound.clone()).is_ok() {
            return;
        }
        self.private_queries.keep(module, id, identity_insert, bound);
    }

    /// A query of the module, bound to what the session sees now: kept from before, or bound now.
    pub fn bound_query(&mut self, state: &mut State, module: &Arc<Module>, query: QueryId) -> SqlResult<Arc<Query>> {
        let text = &module.queries[query.0 as usize];
        let version = self.catalog_session.version(&self.server.catalog);
        let identity_insert = state.options.identity_insert;
        if let Some(bound) = text.bound.get().filter(|bound| bound.is_current(version))
            && identity_insert.is_none()
        {
            return Ok(bound.clone());
        }
        if let Some(bound) = self.private_queries.find(module, query, version, identity_insert) {
            return Ok(bound);
        }
        // What it calls is bound for everybody.
        let unfiltered = self.unfiltered && module.object.is_none();
        let options =
            BindOptions { ansi_nulls: text.ansi_nulls, client: text.client, unfiltered, ..Self::bind_options(state) };
        // A module's names are not looked for where its caller's are.
        let dbo =
            module.object.is_some().then(|| std::mem::replace(&mut self.catalog_session.default_schema, "dbo".into()));
        let bound =
            self.with_catalog(state, |catalog| sql::bind::bind_query(&text.statement, module, catalog, &options));
        if let Some(own) = dbo {
            self.catalog_session.default_schema = own;
        }
        let mut bound = bound.map_err(|error| error.at_line(text.line))?;
        self.drop_chained(state, &mut bound.needs)?;
        let bound = Arc::new(bound);
        self.keep_bound(state, module, query, version, bound.clone());
        Ok(bound)
    }
}
