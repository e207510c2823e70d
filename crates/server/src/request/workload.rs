//! The workload group of a session: the classifier says it at its login, and its requests wait while as many run as may.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use exec::host::Ended;
use exec::session::Session as State;
use exec::sink::{Sink, Stop};
use os::wait::{self, WaitType};
use types::collation::code_page::utf16_to_string;
use types::{RowBatch, SqlError};

use crate::catalog::database::names_equal;
use crate::catalog::workload::{INTERNAL_GROUP, Turn};
use crate::request::session::Session;
use crate::session::host::SessionHost;
use crate::wire::connection::ConnectionError;

/// How often a request that waits looks whether it may run.
const LOOK_MS: u64 = 5;

/// What became of a request that was to begin.
pub enum Admitted {
    /// It runs, and others may wait until this is dropped.
    Runs(Option<Turn>),
    /// An attention came first.
    Cancelled,
}

impl Session {
    /// Waits while the session's group has as many requests as may run at once. One within a transaction does not wait: others may
    /// wait for its locks. Nor does the administrator's.
    pub fn await_turn(&mut self) -> Result<Admitted, ConnectionError> {
        let groups = self.host.server.catalog.workload_groups();
        if !groups.bounds_requests() || self.host.entry.identity.admin {
            return Ok(Admitted::Runs(None));
        }
        let groups = groups.clone();
        let group = self.host.entry.group.load(Ordering::Relaxed);
        let passes = self.state.transaction.level > 0;
        if let Some(turn) = groups.enter(group, passes) {
            return Ok(Admitted::Runs(Some(turn)));
        }
        let _waiting = groups.waits(group);
        loop {
            if let Some(turn) = groups.enter(group, passes) {
                return Ok(Admitted::Runs(Some(turn)));
            }
            if wait::sleep(WaitType::RESMGR_THROTTLED, LOOK_MS) != wait::WakeReason::Interrupted {
                continue;
            }
            match self.state.signal.pending() {
                _ if os::sched::stopping() => return Err(ConnectionError::Closed),
                Some(Stop::Disconnected) => return Err(ConnectionError::Closed),
                // It has waited as long as a request may take: its first step tells so.
                Some(Stop::Expired) => return Ok(Admitted::Runs(groups.enter(group, true))),
                _ => wait::clear_interrupt(),
            }
            if self.connection.take_attention()? {
                return Ok(Admitted::Cancelled);
            }
        }
    }
}

/// The name that a classifier gave.
#[derive(Default)]
struct Name {
    name: Option<String>,
    failed: bool,
}

impl Sink for Name {
    fn batch(&mut self, batch: &RowBatch) -> Result<(), Stop> {
        if batch.rows > 0 {
            let name = batch.columns[0].datum(0);
            self.name = (!name.is_null()).then(|| utf16_to_string(name.as_bytes()));
        }
        Ok(())
    }

    fn message(&mut self, message: &SqlError) -> Result<(), Stop> {
        self.failed |= message.severity > 10;
        Ok(())
    }
}

impl SessionHost {
    /// At a login. A classifier that fails, or names no group in effect, leaves the session in the default one.
    /// https://learn.microsoft.com/sql/relational-databases/resource-governor/resource-governor-classifier-function
    pub fn classify(&mut self, state: &mut State) {
        let groups = self.server.catalog.workload_groups().clone();
        let Some(function) = groups.classifier_name().filter(|_| !self.entry.identity.admin) else { return };
        let text = format!("SELECT CONVERT(sysname, master.{function}())");
        let mut answer = Name::default();
        match self.bind_text(state, &text, "") {
            Ok(module) => {
                let module = Arc::new(module);
                let ended = self.trusted(state, |host, state| exec::run_batch(&module, state, host, &mut answer));
                answer.failed |= matches!(ended, Ended::Failed(_));
            }
            Err(_) => answer.failed = true,
        }
        if answer.failed {
            tracing::warn!(spid = self.entry.spid, "the resource governor's classifier {function} has failed");
            return;
        }
        let collation = self.server.catalog.collation;
        let Some(name) = answer.name else { return };
        let found = groups.all().into_iter().find(|group| names_equal(collation, &group.name, &name));
        if let Some(group) = found.filter(|group| group.id != INTERNAL_GROUP) {
            self.entry.group.store(group.id, Ordering::Relaxed);
        }
    }
}
