//! A batch of T-SQL from text to tokens.
//!
//! ```text
//! text --statement cache--> Module       on a miss, or when the catalog has changed: sql::parse, sql::bind (both pure), early::check
//! Module --exec::run_batch--> rows and messages --sink--> packets
//!          what of it named an object that was not there is bound and planned at its first run: request::host bind_query
//! ```

use std::sync::Arc;

use exec::host::{Ended, Host as _};
use exec::sink::Sink;
use types::SqlError;

use crate::instance::server::Event;
use crate::instance::sessions::Input;
use crate::request::session::Session;
use crate::session::compile::compile;
use crate::wire::connection::ConnectionError;

/// Errors from this severity on end the connection.
pub const ENDS_CONNECTION: u8 = 20;

pub fn run(session: &mut Session, text: &str) -> Result<(), ConnectionError> {
    session.host.server.events.add(Event::BatchRequest);
    let signal = session.state.signal.clone();
    let mut parts = session.parts(&signal, false);
    #[cfg(debug_assertions)]
    crate::request::planted::hear(text, parts.state.spid);
    let text: Arc<str> = text.into();
    *parts.host.entry.input.lock() = Some(Input::Batch(text.clone()));
    let started = os::clock::now_ms();
    if let Err(refused) = parts.host.audit_request(None) {
        let stopped = parts.sink.message(&refused).err();
        return Session::finish(parts, stopped);
    }
    let stopped = match compile(parts.host, parts.state, &text, "") {
        Ok(module) => match exec::run_batch(&module, parts.state, parts.host, &mut parts.sink) {
            Ended::Stopped(stop) => Some(stop),
            Ended::Completed | Ended::Aborted => None,
            Ended::Failed(error) => parts.sink.message(&error).err(),
        },
        Err(errors) => {
            // A page that the binder needs, say: what a statement meets when it runs, exec tells the log of.
            for grave in errors.iter().filter(|error| error.severity >= ENDS_CONNECTION) {
                parts.host.log(parts.state, grave);
            }
            let error = SqlError::together(errors);
            parts.state.error = error.number;
            parts.sink.message(&error).err()
        }
    };
    let stopped = parts.end_scope(stopped);
    let stopped = parts.audit_end(started, stopped);
    Session::finish(parts, stopped)
}
