//! A session begins anew or ends: its transaction, its locks and its temporary tables go.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use exec::session::{Options, Session as State};
use exec::sink::Discard;
use os::sched::{Place, TaskKind};
use os::wait::WaitType;

use crate::audit::actions;
use crate::definition::{self, HostSite};
use crate::instance::server::{Event, Server};
use crate::session::audit::Occurrence;
use crate::session::host::{INTERNAL_SPID, SessionHost};

/// Pauses between attempts to drop what sessions left behind.
const ORPHANS_EVERY_MS: u64 = 500;

impl SessionHost {
    /// RESETCONNECTION and sp_reset_connection: the session is as new, on the same connection.
    /// Gives the descriptor of the transaction this rolled back: its client counts on hearing that it is gone.
    pub fn reset(&mut self, state: &mut State, keep_transaction: bool) -> Option<u64> {
        self.server.events.add(Event::ConnectionReset);
        state.renew();
        state.options = Options::of_client(self.login_odbc);
        state.options.set_language(self.login_language);
        self.server.catalog.configuration.set_user_options(&mut state.options);
        let mut rolled_back = None;
        if !keep_transaction {
            rolled_back = (state.transaction.level > 0).then_some(state.transaction.descriptor);
            exec::abandon_transaction(state, self);
        }
        self.prepared.clear();
        self.context.clear();
        self.private_queries.clear();
        self.application_locks.clear();
        self.cursors.clear();
        self.trace_flags.clear();
        self.drop_temporaries(state, 0);
        self.revert_all(state);
        self.catalog_session.database = self.login_database;
        self.catalog_session.master_key = None;
        if let Err(error) = self.use_own_schema(state) {
            tracing::error!(spid = state.spid, "the user's default schema could not be read: {error}");
        }
        self.entry.database.store(u32::from(self.login_database.0), Ordering::Relaxed);
        rolled_back
    }

    /// The session is over: what it holds goes.
    pub fn log_out(&mut self, state: &mut State) {
        let _whole = os::panics::Undivided::begin("the end of a session");
        exec::abandon_transaction(state, self);
        self.application_locks.clear();
        self.cursors.clear();
        self.drop_temporaries(state, 0);
        if self.entry.spid != INTERNAL_SPID {
            // Whoever goes cannot be kept.
            let _ = self.audit(&Occurrence::new(actions::LOGOUT, actions::LOGGED_OUT, "LX"));
            let of = |word: &AtomicU64| word.load(Ordering::Relaxed);
            let (requests, cpu_ns) = (of(&self.entry.requests), of(&self.entry.cpu_ns));
            let group = self.entry.group.load(Ordering::Relaxed);
            self.server.catalog.workload_groups().session_has_ended(group, requests, cpu_ns);
            self.server.sessions.remove(self.entry.spid);
            if self.entry.identity.admin {
                self.server.sessions.leave_admin();
            }
            self.server.events.add(Event::Logout);
        }
    }

    /// Temporary tables made at `level` of nesting or deeper; 0 for all. What cannot be dropped now is nobody's to see any more,
    /// and is dropped when that is possible: with the session's other ones, or after it.
    pub fn drop_temporaries(&mut self, state: &mut State, level: u32) {
        self.catalog_session.expire_dropped(level);
        let expired = self.catalog_session.expired_temporaries(level);
        if expired.is_empty() {
            return;
        }
        let own = state.transaction.current.is_none();
        let storage = self.server.catalog.storage.clone();
        let transaction =
            state.transaction.current.get_or_insert_with(|| Box::new(storage.begin(storage::Isolation::ReadCommitted)));
        let before = transaction.savepoint();
        let dropped =
            definition::drop_temporaries(&mut HostSite { host: self, state, sink: &mut Discard, values: &[] }, level);
        let ended = match state.transaction.current.take_if(|_| own) {
            Some(transaction) if dropped.is_ok() => transaction.commit(storage::Durability::Delayed),
            Some(transaction) => transaction.rollback(),
            None if dropped.is_ok() => Ok(()),
            None => state.transaction.current.as_mut().map_or(Ok(()), |transaction| transaction.rollback_to(before)),
        };
        if own {
            self.catalog_session.transaction_ended(&self.server.catalog, dropped.is_ok() && ended.is_ok());
        }
        self.catalog_session.hide_temporaries(&expired);
        if let Err(error) = &ended {
            tracing::error!(spid = state.spid, "the end of temporary tables could not be logged: {error}");
        }
        if let Err(error) = &dropped {
            tracing::warn!(spid = state.spid, "temporary tables could not be dropped yet: {error}");
        }
        if dropped.is_err() || ended.is_err() {
            self.catalog_session.keep_expired(&expired);
            if level == 0 && self.server.orphans.add(self.catalog_session.give_expired()) {
                let server = self.server.clone();
                os::sched::spawn(TaskKind::System, Place::Here, move || drop_orphans(&server));
            }
        }
    }
}

/// Until all are dropped, or the server ends and takes tempdb with it.
fn drop_orphans(server: &Arc<Server>) {
    loop {
        os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, ORPHANS_EVERY_MS);
        if os::sched::stopping() || server.stopping.load(Ordering::Acquire) {
            return;
        }
        let Some(objects) = server.orphans.take() else { return };
        let (mut state, mut heir) = SessionHost::internal(server);
        heir.catalog_session.inherit(objects);
        heir.log_out(&mut state);
    }
}
