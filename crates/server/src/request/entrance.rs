//! From a new connection to its session. Whoever waits here waits without a worker: for the client's next bytes, for a turn of somebody who
//! guessed before, for others whose passwords are verified.

use std::sync::Arc;

use exec::session::Session as State;
use os::net::{Place, Ready, Stream};
use os::sched::{Pool, TaskKind};
use tds::ProtocolError;
use tds::login7::feature;
use types::{SqlError, sql_error};

use crate::instance::doors::Door;
use crate::instance::error_log::{self, CONSOLE, Source};
use crate::instance::server::Server;
use crate::instance::spare::Buffers;
use crate::request::batch::ENDS_CONNECTION;
use crate::request::login::{self, NotIn};
use crate::request::session::Session;
use crate::security::guessing::Turn;
use crate::session::host::SessionHost;
use crate::session::recovery::ToldState;
use crate::wire;
use crate::wire::connection::{Connection, ConnectionError, Origin};
use crate::wire::handshake::Handshake;
use crate::wire::login::{Greeting, LOGIN_TIME_MAX_MS};
use crate::wire::sink::{FirstError, Told};

/// Takes a new connection: when its first bytes come, its login begins on the scheduler with the fewest connections.
pub fn arrive(server: &Arc<Server>, stream: Stream, origin: Origin) {
    let door = server.doors.enter(&stream, size_of::<Arrival>());
    stream.set_stranger(true);
    let connection = Connection::new(stream, origin);
    let until = os::clock::after_ms(LOGIN_TIME_MAX_MS);
    Arrival { connection, handshake: Handshake::default(), door, until }.rest(server);
}

/// The connection rests until something comes from its client, or until `moment`; then goes on with `then`.
fn rest(mut connection: Connection, moment: u64, then: impl FnOnce(Connection, Ready) + Send + 'static) {
    let place = if connection.is_admin() { Place::In(Pool::ADMIN) } else { Place::LeastLoaded };
    let mut buffers = Buffers::default();
    let stream = connection.rest(&mut buffers);
    stream.arm(place, Some(moment), move |stream, ready| {
        connection.wake(stream, buffers.received, buffers.payload);
        then(connection, ready);
    });
}

/// A client that has not said who it is.
struct Arrival {
    connection: Connection,
    handshake: Handshake,
    door: Door,
    /// When it is given up.
    until: u64,
}

impl Arrival {
    fn rest(self, server: &Arc<Server>) {
        let Arrival { connection, handshake, door, until } = self;
        let server = server.clone();
        rest(connection, until, move |connection, ready| {
            if ready == Ready::Input {
                Arrival { connection, handshake, door, until }.go_on(&server);
            }
        });
    }

    fn go_on(mut self, server: &Arc<Server>) {
        match self.handshake.go_on(&mut self.connection, server) {
            Ok(None) => {
                self.door.holds(self.connection.held_bytes(self.handshake.is_in_tls()));
                self.rest(server);
            }
            Ok(Some(greeting)) => {
                let Arrival { connection, door, .. } = self;
                connection.transport.stream().set_stranger(false);
                let until = os::clock::after_ms(LOGIN_TIME_MAX_MS);
                let server = server.clone();
                // What follows may wait, and is a session at the end: not at the door, where others would wait for it.
                let rest = move || Entrant { connection, greeting, door, until }.await_turn(&server);
                os::sched::spawn(TaskKind::Request, Place::Here, rest);
            }
            Err(error) => match why_ended(&error) {
                Some(why) => tell(&self.connection, &why),
                None => tracing::debug!("no login: {error}"),
            },
        }
    }
}

/// What the error log says of a client that was no client. None: it went away.
fn why_ended(error: &ConnectionError) -> Option<SqlError> {
    match error {
        ConnectionError::NotEncrypted => Some(sql_error!(17835, "")),
        ConnectionError::Protocol(ProtocolError::Prelogin(_)) => Some(sql_error!(17828, "")),
        ConnectionError::Protocol(ProtocolError::PacketLength(_) | ProtocolError::PacketType(_)) => {
            Some(sql_error!(17836, ""))
        }
        ConnectionError::Protocol(_) => Some(sql_error!(17832, "")),
        ConnectionError::Closed | ConnectionError::Timeout | ConnectionError::Tls(_) => None,
    }
}

/// A connection that ends without a login, in the error log.
fn tell(connection: &Connection, why: &SqlError) {
    let client = connection.transport.stream().peer_addr();
    let client = client.map_or_else(|error| error.to_string(), |client| client.to_string());
    tracing::warn!(target: CONSOLE, error = why.number, client, "{}", why.text);
    let told = format!("{} [CLIENT: {client}]", why.text);
    error_log::raise_as(Source::Logon, why.number, why.severity, why.state, &told);
}

/// Pauses between attempts of a client for whom it is too full.
const LATER_MS: u64 = 20;

/// A client that has said who it is and is not logged in yet.
struct Entrant {
    connection: Connection,
    greeting: Greeting,
    /// Until it is logged in.
    door: Door,
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
    fn rest_until(self, moment: u64, server: &Arc<Server>, then: impl FnOnce(Entrant, &Arc<Server>) + Send + 'static) {
        // A client that has not been answered yet has nothing to say: it went away.
        if !self.connection.is_quiet() {
            return;
        }
        let Entrant { connection, greeting, door, until } = self;
        let server = server.clone();
        rest(connection, moment, move |connection, ready| {
            if ready == Ready::Timeout {
                then(Entrant { connection, greeting, door, until }, &server);
            }
        });
    }

    fn refuse(mut self, errors: &[SqlError]) {
        // Of names and passwords the log tells by itself; of a server that is full, or whose files are damaged, here.
        if let Some(grave) = errors.iter().find(|error| error.severity >= ENDS_CONNECTION) {
            tell(&self.connection, grave);
        }
        // The client may have gone already; nothing is left to do for it then.
        let _ = wire::login::refuse(&mut self.connection, self.greeting.version, errors);
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
        drop(self.door);
        begin(server, self.connection, &self.greeting, state, host);
    }
}

/// The session that the client has lost, or a new one. Of a client that could bring it back: what it is to be told.
/// Whatever comes of it, the client is not in before it knows.
fn bring_back(
    greeting: &Greeting,
    state: &mut State,
    host: &mut SessionHost,
) -> Result<Option<Box<ToldState>>, Vec<SqlError>> {
    if !greeting.version.has_feature_ack() || greeting.login.feature(feature::SESSION_RECOVERY).is_none() {
        return Ok(None);
    }
    let malformed = |error: ProtocolError| {
        tracing::debug!("no login: {error}");
        vec![sql_error!(17832, "")]
    };
    let Some(lost) = greeting.login.lost_session().map_err(malformed)? else {
        return Ok(Some(Box::new(ToldState::begin(state))));
    };
    let told = ToldState::bring_back(state, &lost).map_err(malformed)?;
    let database = lost.database();
    if !database.is_empty() && database != host.database_name() {
        let entered = exec::host::Host::use_database(host, state, &mut FirstError::default(), database);
        entered.map_err(|_| wire::login::cannot_open(database, &greeting.login.user).to_vec())?;
    }
    Ok(Some(Box::new(told)))
}

/// Welcomes a client that is logged in, and serves it.
fn begin(
    server: &Arc<Server>,
    mut connection: Connection,
    greeting: &Greeting,
    mut state: State,
    mut host: SessionHost,
) {
    if server.stopping.load(std::sync::atomic::Ordering::Acquire) {
        // It logged in while the others were told to end.
        return host.log_out(&mut state);
    }
    let told_state = match bring_back(greeting, &mut state, &mut host) {
        Ok(told_state) => told_state,
        Err(errors) => {
            host.log_out(&mut state);
            // The client may have gone already.
            let _ = wire::login::refuse(&mut connection, greeting.version, &errors);
            return;
        }
    };
    let states = told_state.as_ref().map(|told| told.states());
    let told = Told {
        catalog: host.server.catalog.clone(),
        database: host.database_name(),
        language: state.options.language.get().name.to_string(),
        transaction: 0,
    };
    let welcomed = os::panics::catch(|| {
        wire::login::welcome(
            &mut connection,
            greeting,
            &told.database,
            &told.language,
            host.database_collation(),
            state.spid,
            states.as_deref(),
        )
    });
    match welcomed {
        Ok(Ok(writer)) => {
            if greeting.sessions {
                connection.start_sessions();
            }
            let pool = if host.entry.identity.admin { Pool::ADMIN } else { Pool::DEFAULT };
            let mut session =
                Box::new(Session { connection, writer, told, told_state, state, host, pool, pools_seen: 0 });
            // The first request may be here already, but it is its login's pool that serves it.
            if session.pool() == pool { session.serve() } else { session.rest() }
        }
        // The panic's hook has said what it was.
        Ok(Err(_)) | Err(_) => host.log_out(&mut state),
    }
}
