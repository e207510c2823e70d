//! A batch of T-SQL from text to tokens.
//!
//! ```text
//! text --statement cache--> Module       on a miss, or when the catalog has changed: sql::parse, sql::bind (both pure), early::check
//! Module --exec::run_batch--> rows and messages --sink--> packets
//!          what of it named an object that was not there is bound and planned at its first run: SessionHost::bind_query
//! ```

use std::sync::Arc;
use std::sync::atomic::Ordering;

use exec::host::Ended;
use exec::sink::Sink;
use sql::plan::Module;
use types::SqlError;

use crate::instance::handle::PlanKey;
use crate::instance::plan_cache::Forget;
use crate::instance::server::Event;
use crate::instance::sessions::Input;
use crate::request::early;
use crate::request::host::SessionHost;
use crate::request::session::Session;
use crate::settings::config::option;
use crate::wire::connection::ConnectionError;

pub fn run(session: &mut Session, text: &str) -> Result<(), ConnectionError> {
    session.host.server.events.add(Event::BatchRequest);
    let signal = session.state.signal.clone();
    let mut parts = session.parts(&signal, false);
    let text: Arc<str> = text.into();
    *parts.host.entry.input.lock() = Some(Input::Batch(text.clone()));
    let stopped = match compile(parts.host, parts.state, &text, "") {
        Ok(module) => match exec::run_batch(&module, parts.state, parts.host, &mut parts.sink) {
            Ended::Stopped(stop) => Some(stop),
            Ended::Completed | Ended::Aborted => None,
            Ended::Failed(error) => parts.sink.message(&error).err(),
        },
        Err(errors) => errors.iter().find_map(|error| parts.sink.message(error).err()),
    };
    Session::finish(parts, stopped)
}

/// The module of a text: from the cache, or parsed and bound now. `parameters`: the declarations of sp_executesql and its kin.
pub fn compile(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    text: &str,
    parameters: &str,
) -> Result<Arc<Module>, Vec<SqlError>> {
    let is_shared = host.server.catalog.configuration.running(option::PLAN_SHARING) != 0;
    let key = PlanKey {
        text,
        parameters,
        database: host.catalog_session.database.0,
        quoted_identifier: state.options.quoted_identifier,
        ansi_nulls: state.options.ansi_nulls,
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
    let module = bound(host, state, text, parameters)?;
    host.server.plans.statements.insert(key, module.clone(), 0);
    Ok(module)
}

/// As `compile`, for one handle of the session: no plan is looked for, and nobody finds this one.
pub fn compile_alone(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    text: &str,
    parameters: &str,
) -> Result<Arc<Module>, Vec<SqlError>> {
    host.server.plans.statements.count_not_cached();
    bound(host, state, text, parameters)
}

fn bound(
    host: &mut SessionHost,
    state: &mut exec::session::Session,
    text: &str,
    parameters: &str,
) -> Result<Arc<Module>, Vec<SqlError>> {
    let version = host.catalog_session.checked_version(&host.server.catalog);
    let module = Arc::new(host.bind_text(state, text, parameters)?);
    early::check(host, state, &module, true)?;
    module.checked.store(version, Ordering::Relaxed);
    Ok(module)
}
