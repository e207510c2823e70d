//! A logged-in client.
//!
//! Between requests a session is a value that rests with its connection: no worker, no stack. The scheduler that sees its next
//! bytes starts a task with it; the task serves requests for as long as they are there, then lets the session rest again.

use exec::sink::{Sink, Stop};
use os::sched::Pool;
use tds::ResponseWriter;
use tds::token::Done;
use types::sql_error;

use crate::instance::server::Event;
use crate::session::host::SessionHost;
use crate::session::recovery::ToldState;
use crate::wire::connection::{Connection, ConnectionError};
use crate::wire::sink::{TdsSink, Told};

pub struct Session {
    pub connection: Connection,
    pub writer: ResponseWriter,
    pub told: Told,
    /// Of a client that can bring back its session when its connection breaks.
    pub told_state: Option<Box<ToldState>>,
    pub state: exec::session::Session,
    pub host: SessionHost,
    /// The schedulers that serve it, as of so many changes of the pools.
    pub pool: Pool,
    pub pools_seen: u32,
}

/// What a request runs with: the session's parts side by side.
pub struct Parts<'a> {
    told_state: Option<&'a mut ToldState>,
    /// A transaction that is begun meanwhile is the request's, and ends with it.
    is_scope: bool,
    pub state: &'a mut exec::session::Session,
    pub host: &'a mut SessionHost,
    pub sink: TdsSink<'a>,
}

impl Parts<'_> {
    /// Tells who audits that a request has ended. Where that cannot be written the client hears it before the end of its answer.
    pub fn audit_end(&mut self, started_ms: u64, stopped: Option<Stop>) -> Option<Stop> {
        let took = os::clock::now_ms().saturating_sub(started_ms) as i64;
        match self.host.audit_request(Some((took, self.state.error == 0 && stopped.is_none()))) {
            Err(error) if stopped.is_none() => self.sink.message(&error).err(),
            _ => stopped,
        }
    }

    /// 3997: where a connection has several sessions (MARS), a transaction that a batch begins is the batch's.
    /// https://learn.microsoft.com/sql/t-sql/language-elements/transactions-transact-sql
    pub fn end_scope(&mut self, stopped: Option<Stop>) -> Option<Stop> {
        if !self.is_scope || self.state.transaction.level == 0 {
            return stopped;
        }
        let told = exec::abandon_and_tell(self.state, self.host, &mut self.sink);
        if stopped.is_some() {
            return stopped;
        }
        let error = sql_error!(3997).at_line(1);
        self.state.error = error.number;
        told.and_then(|()| self.sink.message(&error)).err()
    }
}

impl Session {
    pub fn answer(&mut self, done: Done) -> Result<(), ConnectionError> {
        self.writer.done(done);
        let transport = &mut self.connection.transport;
        self.writer.finish(&mut |bytes: &[u8]| transport.send(bytes))
    }

    /// The parts a run needs, borrowed apart. `in_rpc`: statements end with DONEINPROC.
    pub fn parts<'a>(&'a mut self, signal: &'a exec::session::Signal, in_rpc: bool) -> Parts<'a> {
        let is_scope = self.connection.has_sessions() && self.state.transaction.level == 0;
        let sink = TdsSink::new(&mut self.connection, &mut self.writer, &mut self.told, signal, in_rpc);
        Parts {
            told_state: self.told_state.as_deref_mut(),
            is_scope,
            state: &mut self.state,
            host: &mut self.host,
            sink,
        }
    }

    /// Ends the response of a run: its last DONE, or the acknowledgment of the attention that stopped it.
    pub fn finish(parts: Parts<'_>, stopped: Option<Stop>) -> Result<(), ConnectionError> {
        let Parts { told_state, is_scope: _, state, host, mut sink } = parts;
        let fatal = sink.fatal;
        for (event, times) in [Event::Informed, Event::UserError, Event::FatalError].into_iter().zip(sink.messages) {
            if times > 0 {
                host.server.events.add_many(event, times);
            }
        }
        sink.session_state = told_state.and_then(|told| told.news(state, host));
        // An attention that was read has to be answered, also where the run got to its end. A kill ends waits as an attention does,
        // and must not be told as one: the client would take what it has for the whole answer.
        let stopped = match state.signal.pending() {
            Some(Stop::Disconnected) => Some(Stop::Disconnected),
            // It ended waits, too; who got to the end before he heard of it has done so.
            Some(Stop::Expired) => stopped.map(|_| Stop::Expired),
            pending => stopped.or(pending),
        };
        match stopped {
            // It hears why, if there is a reason.
            Some(Stop::Disconnected) if fatal => sink.finish()?,
            Some(Stop::Disconnected) if host.killed() => {
                // It is written all the same; the stop that comes back is the kill's own.
                sink.message(&sql_error!(596).at_line(1)).ok();
                sink.finish()?;
                return Err(ConnectionError::Closed);
            }
            Some(Stop::Disconnected) => return Err(ConnectionError::Closed),
            Some(Stop::Attention) => sink.finish_cancelled()?,
            Some(Stop::Expired) => {
                os::wait::clear_interrupt();
                state.signal.clear_attention();
                let error = state.signal.expired().at_line(1);
                state.error = error.number;
                sink.message(&error).map_err(|_| ConnectionError::Closed)?;
                sink.finish()?;
            }
            None => sink.finish()?,
        }
        if fatal { Err(ConnectionError::Closed) } else { Ok(()) }
    }
}
