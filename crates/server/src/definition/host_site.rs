//! A session as the site of a definition.

use std::sync::Arc;

use exec::Within;
use exec::session::Session as State;
use exec::sink::{Command, Done, DoneKind, Sink, Stop};
use sql::bind::References;
use sql::catalog::{DatabaseId, ObjectId};
use sql::plan::OutputColumn;
use storage::Transaction;
use types::{RowBatch, SqlError, SqlResult};

use super::site::{AskRights, EachBatch, Site, SiteOptions};
use crate::catalog::{Catalog, CatalogSession};
use crate::session::audit::Occurrence;
use crate::session::host::SessionHost;

pub struct HostSite<'a> {
    pub host: &'a mut SessionHost,
    pub state: &'a mut State,
    pub sink: &'a mut dyn Sink,
}

/// Keeps the rows of a query: what is done with them may need the transaction that the query is reading in.
#[derive(Default)]
struct Kept {
    batches: Vec<RowBatch>,
    error: Option<SqlError>,
}

impl Sink for Kept {
    fn batch(&mut self, batch: &RowBatch) -> Result<(), Stop> {
        self.batches.push(batch.clone());
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        if message.severity > 10 {
            self.error.get_or_insert_with(|| message.clone());
        }
        Ok(())
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

    fn state(&mut self) -> (&mut CatalogSession, &mut Transaction) {
        let transaction = self.state.transaction.current.as_mut().expect("a definition runs in a transaction");
        (&mut self.host.catalog_session, transaction)
    }

    fn query(&mut self, text: &str, each: &mut EachBatch<'_>) -> SqlResult<()> {
        let module = Arc::new(self.host.bind_text(self.state, text, "").map_err(SqlError::together)?);
        let mut kept = Kept::default();
        let outer = std::mem::replace(&mut self.host.unfiltered, true);
        let ended = self.host.trusted(self.state, |host, state| exec::run_within(&module, state, host, &mut kept));
        self.host.unfiltered = outer;
        match ended {
            Ok(()) => {}
            Err(Within::Error(error)) => return Err(error),
            Err(Within::Stopped(stop)) => return Err(kept.error.unwrap_or_else(|| exec::session::stopped(stop))),
        }
        let transaction = self.state.transaction.current.as_mut().expect("the query left it open");
        kept.batches.iter().try_for_each(|batch| each(transaction, batch))
    }

    fn describe(&mut self, text: &str) -> SqlResult<Vec<OutputColumn>> {
        let module = self.host.bind_text(self.state, text, "").map_err(SqlError::together)?;
        let options = SessionHost::bind_options(self.state);
        let columns = self.host.with_catalog(self.state, |catalog| sql::bind::describe(&module, catalog, &options))?;
        Ok(columns.unwrap_or_default())
    }

    fn check_module(&mut self, database: DatabaseId, id: i32) -> Result<References, Vec<SqlError>> {
        let found = self.host.with_catalog(self.state, |catalog| catalog.module_by_id(database, ObjectId(id)));
        match found.map_err(|error| vec![error])? {
            Some(definition) => self.host.check_module(self.state, &definition),
            None => Ok(References::new()),
        }
    }

    fn result(&mut self, columns: &[OutputColumn], rows: &RowBatch) -> SqlResult<()> {
        let stopped = exec::session::stopped;
        self.sink.columns(columns).map_err(stopped)?;
        self.sink.batch(rows).map_err(stopped)?;
        let count = rows.rows as u64;
        let done = Done { kind: DoneKind::InProcedure, command: Command::Select, row_count: Some(count), error: false };
        self.sink.done(done).map_err(stopped)
    }

    fn message(&mut self, message: SqlError) {
        // A client that has gone is noticed at the statement's end.
        let _ = self.sink.message(&message);
    }

    fn options(&self) -> SiteOptions {
        SiteOptions {
            ansi_null_dflt_on: self.state.options.ansi_null_dflt_on,
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

    fn in_user_transaction(&self) -> bool {
        self.state.transaction.level > 0
    }
}
