//! Serves a logged-in client: its requests one after another, from socket to socket.

use std::sync::Arc;

use exec::session::Session as State;
use os::net::{Place, Ready, Stream};
use os::sched::Pool;
use tds::request::{Limits, Request};
use tds::token::{Done, DoneKind, EnvChange, command, done};
use tds::{Message, PacketType, Reset, WireCollation};
use types::SqlError;

use types::sql_error;

use crate::instance::error_log::{self, CONSOLE, Source};
use crate::instance::server::Server;
use crate::instance::spare::Buffers;
use crate::request::login::{self, NotIn};
use crate::request::session::Session;
use crate::request::{batch, bulk, panicked, rpc, transaction};
use crate::security::guessing::Turn;
use crate::session::host::SessionHost;
use crate::wire::connection::{Connection, ConnectionError, Origin};
use crate::wire::login::{Greeting, LOGIN_TIME_MAX_MS};
use crate::wire::sink::Told;

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

    fn rest(mut self: Box<Session>) {
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
    fn pool(&mut self) -> Pool {
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
                command: command::NONE,
                rows: 0,
            });
        }
        self.state.signal.clear_attention();
        self.host.request_started(&self.state);
        let stream_watched = message.kind != PacketType::BulkLoad;
        self.connection.transport.stream().interrupt_on_input(stream_watched);
        let outcome = self.dispatch(message);
        self.connection.transport.stream().interrupt_on_input(false);
        os::wait::clear_interrupt();
        self.host.request_ended(&self.connection, &self.state);
        outcome
    }

    fn dispatch(&mut self, message: Message) -> Result<(), ConnectionError> {
        if message.reset != Reset::No {
            let old = self.host.database_collation();
            let rolled_back = self.host.reset(&mut self.state, message.reset == Reset::KeepTransaction);
            self.writer.env_change(&EnvChange::ResetAcknowledged);
            if let Some(descriptor) = rolled_back {
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
        }
        if message.ignore {
            return self.answer(Done { kind: DoneKind::Batch, status: done::ERROR, command: command::NONE, rows: 0 });
        }
        if message.kind == PacketType::BulkLoad {
            return bulk::run(self, message);
        }
        let payload = std::mem::take(&mut self.connection.payload);
        let mut limits = Limits::default();
        if message.kind == PacketType::Rpc {
            limits.collation = self.host.database_collation();
        }
        let request = Request::decode(message.kind, &payload, self.writer.version(), limits);
        self.connection.payload = payload;
        // What came before the stream was watched interrupts nothing.
        if self.connection.has_news() && self.connection.take_attention()? {
            self.answer(Done { kind: DoneKind::Batch, status: done::FINAL, command: command::NONE, rows: 0 })?;
            return self.answer(Done {
                kind: DoneKind::Batch,
                status: done::ATTENTION,
                command: command::NONE,
                rows: 0,
            });
        }
        match request {
            Ok(Request::Batch(batch)) => batch::run(self, &batch.text),
            Ok(Request::Rpc(calls)) => rpc::run(self, calls),
            Ok(Request::Transaction(request)) => transaction::run(self, &request.action),
            Ok(Request::Attention) => unreachable!("an attention was answered above"),
            Err(error) => {
                // The client hears what is wrong with its message; only a whole one leaves the stream in its place.
                self.writer.error(&error.to_sql_error());
                self.answer(Done { kind: DoneKind::Batch, status: done::ERROR, command: command::NONE, rows: 0 })?;
                if error.is_recoverable() { Ok(()) } else { Err(error.into()) }
            }
        }
    }

    /// The client is gone, or must go: its work is rolled back.
    fn end(mut self: Box<Session>, error: &ConnectionError) {
        if !matches!(error, ConnectionError::Closed) {
            tracing::info!(spid = self.state.spid, "connection ended: {error}");
        }
        self.host.log_out(&mut self.state);
    }
}

/// Greets a new connection, logs its client in and serves it.
pub fn accept(server: &Arc<Server>, stream: Stream, origin: Origin) {
    let mut connection = Connection::new(stream, origin);
    let greeting = match crate::wire::login::greet(&mut connection, server) {
        Ok(greeting) => greeting,
        Err(ConnectionError::NotEncrypted) => {
            let client = connection.transport.stream().peer_addr();
            let client = client.map_or_else(|error| error.to_string(), |client| client.to_string());
            let why = sql_error!(17835, "");
            tracing::warn!(target: CONSOLE, error = why.number, client, "{}", why.text);
            let told = format!("{} [CLIENT: {client}]", why.text);
            return error_log::raise_as(Source::Logon, why.number, why.severity, why.state, &told);
        }
        Err(error) => {
            tracing::debug!("no login: {error}");
            return;
        }
    };
    let entrant = Entrant { connection, greeting, until: os::clock::after_ms(LOGIN_TIME_MAX_MS) };
    entrant.await_turn(server);
}

/// Pauses between attempts of a client for whom it is too full.
const LATER_MS: u64 = 20;

/// A client that has said who it is and is not logged in yet.
struct Entrant {
    connection: Connection,
    greeting: Greeting,
    /// When it is given up.
    until: u64,
}

impl Entrant {
    /// Who guessed before waits for its turn.
    fn await_turn(self, server: &Arc<Server>) {
        let address = login::address_of(&self.connection);
        let attempt = login::attempt(&self.greeting.login, &address);
        match server.turn_of(&attempt) {
            Ok(Turn::Now) => self.enter(server),
            Ok(Turn::At(moment)) => self.rest_until(moment, server, Entrant::enter),
            Ok(Turn::Never(moment)) => {
                let error = login::refused_unseen(server, &self.greeting, &self.connection);
                self.rest_until(moment, server, move |entrant, _| entrant.refuse(&[error]));
            }
            Err(error) => self.refuse(&[error]),
        }
    }

    /// Waits without a worker, since who makes thousands of guesses must not have one for each; then goes on with `then`.
    fn rest_until(
        mut self,
        moment: u64,
        server: &Arc<Server>,
        then: impl FnOnce(Entrant, &Arc<Server>) + Send + 'static,
    ) {
        // A client that has not been answered yet has nothing to say: it went away.
        if !self.connection.is_quiet() {
            return;
        }
        let place = if self.connection.is_admin() { Place::In(Pool::ADMIN) } else { Place::LeastLoaded };
        let mut buffers = Buffers::default();
        let stream = self.connection.rest(&mut buffers);
        let server = server.clone();
        stream.arm(place, Some(moment), move |stream, ready| {
            if ready == Ready::Timeout {
                self.connection.wake(stream, buffers.received, buffers.payload);
                then(self, &server);
            }
        });
    }

    fn refuse(mut self, errors: &[SqlError]) {
        // The client may have gone already; nothing is left to do for it then.
        let _ = crate::wire::login::refuse(&mut self.connection, self.greeting.version, errors);
    }

    fn enter(self, server: &Arc<Server>) {
        let (state, host) = match SessionHost::log_in(server, &self.greeting, &self.connection) {
            Ok(session) => session,
            Err(NotIn::Refused(errors)) => return self.refuse(&errors),
            Err(NotIn::Later) if os::clock::now() < self.until => {
                return self.rest_until(os::clock::after_ms(LATER_MS), server, Entrant::enter);
            }
            Err(NotIn::Later) => return tracing::warn!("a login is given up: too many others are verified"),
            Err(NotIn::Gone) => return tracing::debug!("no login: the client went away"),
        };
        begin(server, self.connection, &self.greeting, state, host);
    }
}

/// Welcomes a client that is logged in, and serves it.
fn begin(server: &Arc<Server>, mut connection: Connection, greeting: &Greeting, mut state: State, host: SessionHost) {
    if server.stopping.load(std::sync::atomic::Ordering::Acquire) {
        // It logged in while the others were told to end.
        let mut host = host;
        return host.log_out(&mut state);
    }
    let told = Told { database: host.database_name(), language: state.options.language.get().name.to_string() };
    let welcomed = os::panics::catch(|| {
        crate::wire::login::welcome(
            &mut connection,
            greeting,
            &told.database,
            &told.language,
            host.database_collation(),
            state.spid,
        )
    });
    match welcomed {
        Ok(Ok(writer)) => {
            if greeting.sessions {
                connection.start_sessions();
            }
            let pool = if host.entry.identity.admin { Pool::ADMIN } else { Pool::DEFAULT };
            let mut session = Box::new(Session { connection, writer, told, state, host, pool, pools_seen: 0 });
            // The first request may be here already, but it is its login's pool that serves it.
            if session.pool() == pool { session.serve() } else { session.rest() }
        }
        // The panic's hook has said what it was.
        Ok(Err(_)) | Err(_) => {
            let mut host = host;
            host.log_out(&mut state);
        }
    }
}
