//! A session as the site of a definition.

use std::collections::BTreeSet;
use std::sync::Arc;

use exec::host::{Host, NamedValue};
use exec::session::{Ear, Session as State};
use exec::sink::{Command, Done, DoneKind, Outcome, Sink, Stop};
use exec::workspace::Workspace;
use exec::{EventTrigger, Within, ask_to_sort};
use sql::bind::{Nature, References, ViewIndex};
use sql::catalog::{Catalog as _, DatabaseId, ObjectId, TableDef};
use sql::plan::{GrantEstimate, OutputColumn};
use storage::{StorageResult, Transaction};
use types::pause::Pause;
use types::{Datum, RowBatch, SqlError, SqlResult};

use super::site::{AskRights, EachBatch, HeardWork, PacedWork, Site, SiteOptions};
use crate::catalog::{Catalog, CatalogSession};
use crate::instance::sessions::Input;
use crate::session::audit::Occurrence;
use crate::session::first_result::first_result;
use crate::session::host::SessionHost;
use crate::session::modules::workplace;

pub struct HostSite<'a> {
    pub host: &'a mut SessionHost,
    pub state: &'a mut State,
    pub sink: &'a mut dyn Sink,
    /// Of the variables that the statement names.
    pub values: &'a [NamedValue],
}

/// Hands on the rows of a query as they come, however many there are, and hears what the client sends meanwhile.
struct Each<'a, 'b> {
    client: &'a mut dyn Sink,
    each: &'a mut EachBatch<'b>,
    error: Option<SqlError>,
}

impl Sink for Each<'_, '_> {
    fn batch(&mut self, _batch: &RowBatch) -> Result<(), Stop> {
        unreachable!("a query gives its rows within its transaction")
    }

    fn batch_within(&mut self, batch: &RowBatch, transaction: Option<&mut Transaction>) -> Result<(), Stop> {
        let transaction = transaction.expect("a query reads in a transaction");
        (self.each)(transaction, batch).map_err(|error| {
            self.error.get_or_insert(error);
            Stop::Attention
        })
    }

    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        if message.severity > 10 {
            self.error.get_or_insert_with(|| message.clone());
        }
        Ok(())
    }

    fn interrupted(&mut self) -> Result<(), Stop> {
        self.client.interrupted()
    }
}

impl Site for HostSite<'_> {
    fn catalog(&self) -> Arc<Catalog> {
        self.host.server.catalog.clone()
    }

    fn server(&self) -> Arc<crate::instance::server::Server> {
        self.host.server.clone()
    }

    fn session(&self) -> &State {
        self.state
    }

    fn trace_flags(&mut self) -> &mut BTreeSet<i32> {
        &mut self.host.trace_flags
    }

    fn state(&mut self) -> (&mut CatalogSession, &mut Transaction) {
        let transaction = self.state.transaction.current.as_mut().expect("a definition runs in a transaction");
        (&mut self.host.catalog_session, transaction)
    }

    fn paced(&mut self, work: &mut PacedWork<'_>) -> StorageResult<()> {
        let state = &mut *self.state;
        let transaction = state.transaction.current.as_mut().expect("a definition runs in a transaction");
        work(transaction, &Ear::new(&mut *self.sink, &state.signal))
    }

    fn workspace(&mut self) -> Arc<Workspace> {
        let policy = self.host.grant_policy();
        Workspace::new(self.host.workspace_pool(), self.state.spid, policy.query_percent)
    }

    fn ask_to_sort(&mut self, workspace: &Arc<Workspace>, estimate: &GrantEstimate) -> SqlResult<()> {
        let state = &*self.state;
        let transaction = state.transaction.current.as_ref();
        let must_pass = || transaction.is_some_and(|transaction| transaction.holds_up_others());
        let ear = Ear::new(&mut *self.sink, &state.signal);
        ask_to_sort(&*self.host, workspace, estimate, must_pass, &|| ear.pause())
    }

    fn heard(&mut self, work: &mut HeardWork<'_>) -> StorageResult<()> {
        work(&Ear::new(&mut *self.sink, &self.state.signal))
    }

    fn variable(&self, name: &str) -> Option<&str> {
        let found = self.values.iter().find(|(known, _)| sql::bind::names::same_name(known, name));
        found.and_then(|(_, value)| value.as_deref())
    }

    fn query(&mut self, text: &str, each: &mut EachBatch<'_>) -> SqlResult<()> {
        let module = Arc::new(self.host.bind_text(self.state, text, "").map_err(SqlError::together)?);
        let mut rows = Each { client: &mut *self.sink, each, error: None };
        let outer = std::mem::replace(&mut self.host.unfiltered, true);
        let ended = self.host.trusted(self.state, |host, state| exec::run_within(&module, state, host, &mut rows));
        self.host.unfiltered = outer;
        match ended {
            Ok(()) => Ok(()),
            Err(Within::Error(error)) => Err(error),
            Err(Within::Stopped(stop)) => Err(rows.error.unwrap_or_else(|| exec::session::stopped(stop))),
        }
    }

    fn nature(&mut self, database: DatabaseId, table: i32, definition: &str) -> SqlResult<Nature> {
        let options = SessionHost::bind_options(self.state);
        self.host.with_catalog(self.state, |catalog| match catalog.table_by_id(database, ObjectId(table))? {
            Some(table) => sql::bind::nature_of(definition, &table, &options, catalog),
            // Of a table type.
            None => Ok(Nature::CONSTANT),
        })
    }

    fn indexable(&mut self, database: DatabaseId, view: i32, of: &ViewIndex<'_>) -> SqlResult<Vec<Arc<TableDef>>> {
        let options = SessionHost::bind_options(self.state);
        let found = self.host.with_catalog(self.state, |catalog| catalog.module_by_id(database, ObjectId(view)))?;
        let module = found.ok_or_else(|| types::sql_error!(208, view))?;
        self.host.within(database, |host| {
            host.with_catalog(self.state, |catalog| sql::bind::indexable(&module, of, catalog, &options))
        })
    }

    fn describe(&mut self, text: &str) -> SqlResult<Vec<OutputColumn>> {
        let module = self.host.bind_text(self.state, text, "").map_err(SqlError::together)?;
        let client = SessionHost::bind_options(self.state).client;
        Ok(first_result(self.host, self.state, &module, client)?.unwrap_or_default())
    }

    fn check_module(&mut self, database: DatabaseId, id: i32) -> Result<References, Vec<SqlError>> {
        let found = self.host.with_catalog(self.state, |catalog| catalog.module_by_id(database, ObjectId(id)));
        match found.map_err(|error| vec![error])? {
            Some(definition) => {
                let home = workplace(&definition, self.host.catalog_session.database);
                self.host.within(home, |host| host.check_module(self.state, &definition))
            }
            None => Ok(References::new()),
        }
    }

    fn result(&mut self, columns: &[OutputColumn], rows: &RowBatch) -> SqlResult<()> {
        let stopped = exec::session::stopped;
        self.sink.columns(columns).map_err(stopped)?;
        self.sink.batch(rows).map_err(stopped)?;
        let count = rows.rows as u64;
        let done = Done {
            kind: DoneKind::InProcedure,
            command: Command::Select,
            row_count: Some(count),
            outcome: Outcome::Well,
        };
        self.sink.done(done).map_err(stopped)
    }

    fn message(&mut self, message: SqlError) {
        // A client that has gone is noticed at the statement's end.
        let _ = self.sink.message(&message);
    }

    fn options(&self) -> SiteOptions {
        SiteOptions {
            null_by_default: self.host.ask_database(|database| {
                database.is_none_or(|database| SessionHost::is_null_by_default(&self.state.options, database))
            }),
            ansi_nulls: self.state.options.ansi_nulls,
            quoted_identifier: self.state.options.quoted_identifier,
            nest_level: self.state.nest_level,
        }
    }

    fn rights(&mut self, ask: &mut AskRights<'_>) -> SqlResult<()> {
        self.host.rights(self.state, |rights, look| ask(rights, look))
    }

    fn login(&self) -> String {
        self.host.entry.identity.login_name.clone()
    }

    fn audit(&mut self, what: &Occurrence<'_>) -> SqlResult<()> {
        self.host.audit(what)
    }

    fn fire(&mut self, triggers: &[EventTrigger], data: &Datum) -> SqlResult<()> {
        exec::fire_event(triggers, data, self.state, self.host, self.sink)
    }

    fn running_text(&self) -> String {
        let seen = self.state.signal.running.seen();
        let range = seen.start as usize..seen.end as usize;
        if let Some(called) = &seen.called {
            return called.text.get(range).unwrap_or_default().to_string();
        }
        match &*self.host.entry.input.lock() {
            Some(Input::Batch(text)) => text.get(range).unwrap_or_default().to_string(),
            Some(Input::Call(procedure, _)) => procedure.name().to_string(),
            None => String::new(),
        }
    }

    fn in_user_transaction(&self) -> bool {
        self.state.transaction.level > 0
    }
}
