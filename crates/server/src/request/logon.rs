//! Logon triggers: they run when a client has been authenticated, or when its pool gives the connection to another, and may refuse it.
//! https://learn.microsoft.com/sql/relational-databases/triggers/logon-triggers

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use exec::EventTrigger;
use exec::session::Session as State;
use exec::sink::{Sink, Stop};
use os::net::Endpoint;
use sql::plan::OutputColumn;
use storage::{Durability, Isolation};
use types::{Datum, SqlError, SqlResult, sql_error};

use crate::catalog::MASTER;
use crate::catalog::base::LoginRow;
use crate::catalog::error::storage_error;
use crate::catalog::event_type::LOGON;
use crate::catalog::load::int;
use crate::definition::event::of_event;
use crate::definition::event_data::{Elements, post_time};
use crate::session::host::SessionHost;

/// "Messages that originate inside the trigger, such as error messages and messages from the PRINT statement", do not reach the
/// client, and a result set fails the trigger.
#[derive(Default)]
struct Unseen {
    has_result: bool,
}

impl Sink for Unseen {
    fn columns(&mut self, _columns: &[OutputColumn]) -> Result<(), Stop> {
        self.has_result = true;
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        tracing::info!("logon trigger: {message}");
        Ok(())
    }
}

impl SessionHost {
    /// Runs the logon triggers, if there are any. `pooled`: the connection is not new. 17892: one of them has refused the login.
    pub fn fire_logon(&mut self, state: &mut State, pooled: bool) -> SqlResult<()> {
        let master = self.server.catalog.expect_database(MASTER);
        let all = self.server.catalog.scoped_triggers(&master)?;
        let mut chosen: Vec<_> = all
            .iter()
            .filter(|trigger| trigger.of_server)
            .filter_map(|trigger| Some((trigger.place(LOGON.number)?, trigger)))
            .collect();
        // A pool's connection may keep its transaction, which is no trigger's to end.
        if chosen.is_empty() || self.entry.identity.admin || state.transaction.current.is_some() {
            return Ok(());
        }
        chosen.sort_by_key(|(place, _)| *place);
        let triggers: Vec<EventTrigger> =
            chosen.iter().map(|(_, trigger)| of_event(&self.server.catalog, &master, trigger)).collect();
        let refused = || sql_error!(17892, self.entry.identity.login_name, "");
        let (refused, data) = (refused(), self.logon_data(state, pooled)?);
        let mut transaction = self.server.catalog.storage.begin(Isolation::ReadCommitted);
        transaction.set_session(state.spid);
        state.transaction.current = Some(Box::new(transaction));
        let options = state.options.clone();
        state.options.no_count = true;
        let mut sink = Unseen::default();
        let fired = exec::fire_event(&triggers, &data, state, self, &mut sink);
        state.restore_options(options);
        let stands = fired.is_ok() && !sink.has_result && state.transaction.level == 0;
        let Some(transaction) = state.transaction.current.take().filter(|_| stands) else {
            exec::abandon_transaction(state, self);
            self.catalog_session.transaction_ended(&self.server.catalog, false);
            return Err(refused);
        };
        let mut published = false;
        let ended = transaction.commit_then(Durability::Full, || {
            published = true;
            self.catalog_session.transaction_ended(&self.server.catalog, true);
        });
        if !published {
            self.catalog_session.transaction_ended(&self.server.catalog, false);
        }
        ended.map_err(storage_error)
    }

    fn logon_data(&mut self, state: &mut State, pooled: bool) -> SqlResult<Datum> {
        let id = self.rights(state, |rights, look| Ok::<_, SqlError>(rights.login(look)?.map(|login| login.id)))?;
        let master = self.server.catalog.expect_database(MASTER);
        let row = match id {
            Some(id) => self.server.catalog.read(&master, |rows| rows.first::<LoginRow>(0, &[int(id)]))?,
            None => None,
        };
        let sid = row.and_then(|row| row.sid.0).unwrap_or_default();
        let identity = &self.entry.identity;
        let client = match &identity.client {
            Some(Endpoint::Tcp(address)) => address.ip().to_string(),
            _ => "<local machine>".to_string(),
        };
        let mut all = Elements::default();
        all.text("EventType", LOGON.name);
        all.text("PostTime", &post_time());
        all.text("SPID", &state.spid.to_string());
        all.text("ServerName", &self.server.catalog.server_name);
        all.text("LoginName", &identity.login_name);
        all.text("LoginType", "SQL Login");
        all.text("SID", &STANDARD.encode(&sid));
        all.text("ClientHost", &client);
        all.text("IsPooled", if pooled { "1" } else { "0" });
        Ok(all.document())
    }
}
