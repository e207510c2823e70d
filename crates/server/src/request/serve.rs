//! Serves a logged-in client: its requests one after another, from socket to socket.

use exec::sink::Sink;
use os::net::{Place, Stream};
use os::sched::Pool;
use tds::request::{Headers, Limits, Request};
use tds::token::{Done, DoneKind, EnvChange, command, done};
use tds::{Message, PacketType, ProtocolError, Reset, WireCollation};
use types::{SqlError, sql_error};

use crate::instance::spare::Buffers;
use crate::request::session::Session;
use crate::request::workload::Admitted;
use crate::request::{batch, bulk, panicked, rpc, transaction};
use crate::wire::connection::ConnectionError;

impl Session {
    /// Serves requests until none waits, then rests.
    pub fn serve(mut self: Box<Session>) {
        os::sched::set_session(self.state.spid);
        match os::panics::catch(|| self.serve_all()) {
            Ok(Ok(())) => self.rest(),
            Ok(Err(error)) => self.end(&error),
            Err(panic) => panicked::end(self, &panic),
        }
    }

    /// The requests that are here. Err: the connection ends.
    fn serve_all(&mut self) -> Result<(), ConnectionError> {
        while let Some(message) = self.connection.poll()? {
            self.run(message)?;
        }
        Ok(())
    }

    pub fn rest(mut self: Box<Session>) {
        if self.host.killed() {
            return self.end(&ConnectionError::Closed);
        }
        let mut buffers = Buffers { outgoing: self.writer.packets.release(), ..Buffers::default() };
        let stream: Stream = self.connection.rest(&mut buffers);
        self.host.server.spare.put(buffers);
        let pool = self.pool();
        stream.arm(Place::In(pool), None, move |stream, _| {
            let buffers = self.host.server.spare.take();
            self.writer.packets.reuse(buffers.outgoing);
            self.connection.wake(stream, buffers.received, buffers.payload);
            self.serve();
        });
    }

    /// Where its next request runs: its login's pool may have changed.
    pub fn pool(&mut self) -> Pool {
        let pools = &self.host.server.pools;
        let changes = pools.changes();
        if self.pool != Pool::ADMIN && self.pools_seen != changes {
            self.pool = pools.of_login(&self.host.entry.identity.login_name);
            self.pools_seen = changes;
        }
        self.pool
    }

    /// One request, to the last byte of its answer. Err: the connection ends.
    fn run(&mut self, message: Message) -> Result<(), ConnectionError> {
        if message.kind == PacketType::Attention {
            // Nothing runs: the request it meant has ended meanwhile.
            return self.answer(Done {
                kind: DoneKind::Batch,
                status: done::ATTENTION,
                command: command::NOTHING,
                rows: 0,
            });
        }
        self.state.signal.clear_attention();
        self.host.request_started(&self.state);
        self.connection.transport.stream().interrupt_on_input(true);
        let outcome = self.dispatch(message);
        self.connection.transport.stream().interrupt_on_input(false);
        os::wait::clear_interrupt();
        self.host.request_ended(&self.connection, &self.state);
        outcome
    }

    fn dispatch(&mut self, message: Message) -> Result<(), ConnectionError> {
        if message.reset != Reset::No {
            let old = self.host.database_collation();
            if let Some(told) = &mut self.told_state {
                told.reset();
            }
            let rolled_back = self.host.reset(&mut self.state, message.reset == Reset::KeepTransaction);
            self.writer.env_change(&EnvChange::ResetAcknowledged);
            if let Some(descriptor) = rolled_back {
                self.told.transaction = 0;
                self.writer.env_change(&EnvChange::RollbackTransaction { descriptor });
            }
            let database = self.host.database_name();
            if self.told.database != database {
                let old = std::mem::replace(&mut self.told.database, database.clone());
                self.writer.env_change(&EnvChange::Database { new: database, old });
            }
            let language = self.state.options.language.get().name;
            if self.told.language != language {
                let old = std::mem::replace(&mut self.told.language, language.into());
                self.writer.env_change(&EnvChange::Language { new: language.into(), old });
            }
            let new = self.host.database_collation();
            if new != old {
                self.writer.env_change(&EnvChange::Collation {
                    new: WireCollation::of(new),
                    old: Some(WireCollation::of(old)),
                });
            }
            // For a pool's next user it is a login.
            if let Err(error) = self.host.fire_logon(&mut self.state, true) {
                self.writer.error(&error);
                self.writer.error(&sql_error!(596));
                self.answer(Done { kind: DoneKind::Batch, status: done::ERROR, command: command::NONE, rows: 0 })?;
                return Err(ConnectionError::Closed);
            }
        }
        if message.ignore {
            return self.answer(Done { kind: DoneKind::Batch, status: done::ERROR, command: command::NONE, rows: 0 });
        }
        if message.kind == PacketType::BulkLoad {
            self.state.transaction.shared = false;
            return bulk::run(self, message);
        }
        let _turn = match self.await_turn()? {
            Admitted::Runs(turn) => turn,
            Admitted::Cancelled => return self.answer_cancelled(),
        };
        let payload = std::mem::take(&mut self.connection.payload);
        let mut limits = Limits::default();
        if message.kind == PacketType::Rpc {
            limits.collation = self.host.database_collation();
        }
        let request = Request::decode(message.kind, &payload, self.writer.version(), limits);
        self.connection.payload = payload;
        // What came before the stream was watched interrupts nothing.
        if self.connection.has_news() && self.connection.take_attention()? {
            return self.answer_cancelled();
        }
        if message.reset == Reset::No
            && let Some(error) = request.as_ref().ok().and_then(|request| self.wrong_transaction(request))
        {
            self.writer.error(&error);
            return self.answer(Done { kind: DoneKind::Batch, status: done::ERROR, command: command::NONE, rows: 0 });
        }
        let headers = request.as_ref().ok().and_then(headers).filter(|_| self.connection.has_sessions());
        let others = headers.is_some_and(|headers| headers.outstanding > 1);
        self.state.transaction.shared = others && headers.is_some_and(|headers| headers.transaction != 0);
        match request {
            Ok(Request::Batch(batch)) => batch::run(self, &batch.text),
            Ok(Request::Rpc(calls)) => rpc::run(self, calls),
            Ok(Request::Transaction(request)) => transaction::run(self, &request.action, others),
            Ok(Request::Attention) => unreachable!("an attention was answered above"),
            Err(error) => {
                self.refuse(message.kind, &error)?;
                // Only a whole message leaves the stream in its place.
                if error.is_recoverable() { Ok(()) } else { Err(error.into()) }
            }
        }
    }

    /// The client hears what is wrong with its message. A call that cannot be read rolls its transaction back.
    fn refuse(&mut self, kind: PacketType, error: &ProtocolError) -> Result<(), ConnectionError> {
        let signal = self.state.signal.clone();
        let mut parts = self.parts(&signal, false);
        let mut told = parts.sink.message(&error.to_sql_error().at_line(1));
        if kind == PacketType::Rpc {
            told = told.and_then(|()| exec::abandon_and_tell(parts.state, parts.host, &mut parts.sink));
        }
        Session::finish(parts, told.err())
    }

    /// A request belongs to the transaction that its client has been told of (MS-TDS 2.2.5.3.2): not to one that is over, nor to none
    /// while one is open. 3971, 3989
    fn wrong_transaction(&self, request: &Request) -> Option<SqlError> {
        if matches!(request, Request::Transaction(_)) {
            return None;
        }
        let named = headers(request)?.transaction;
        if named == self.told.transaction || !self.writer.version().is_7_2() {
            return None;
        }
        Some(if named == 0 { sql_error!(3989) } else { sql_error!(3971, format_args!("{named:x}")) })
    }

    /// To a request that an attention ended before it began.
    fn answer_cancelled(&mut self) -> Result<(), ConnectionError> {
        self.answer(Done { kind: DoneKind::Batch, status: done::FINAL, command: command::NONE, rows: 0 })?;
        self.answer(Done { kind: DoneKind::Batch, status: done::ATTENTION, command: command::NOTHING, rows: 0 })
    }

    /// The client is gone, or must go: its work is rolled back.
    fn end(mut self: Box<Session>, error: &ConnectionError) {
        if !matches!(error, ConnectionError::Closed) {
            tracing::info!(spid = self.state.spid, "connection ended: {error}");
        }
        self.host.log_out(&mut self.state);
    }
}

fn headers(request: &Request) -> Option<Headers> {
    match request {
        Request::Batch(batch) => Some(batch.headers),
        Request::Rpc(calls) => Some(calls.headers),
        Request::Transaction(request) => Some(request.headers),
        Request::Attention => None,
    }
}
