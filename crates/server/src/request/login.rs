//! A session begins: a client is authenticated and registered, or the server makes one of its own.

use std::sync::Arc;

use exec::host::Ended;
use exec::session::{Options, Session as State};
use os::net::Endpoint;
use types::datetime::LanguageId;
use types::{SqlError, SqlResult, sql_error};

use crate::audit::actions;
use crate::catalog::base::LoginRow;
use crate::catalog::{Database, MASTER};
use crate::instance::logins::{Attempt, Outcome, login_failed};
use crate::instance::server::{Event, Server};
use crate::instance::sessions::{Identity, SessionEntry};
use crate::security::actor::{Actor, Look, UserToken};
use crate::security::check::Securable;
use crate::security::hierarchy::Class;
use crate::session::audit::{self, Occurrence};
use crate::session::host::{INTERNAL_SPID, SessionHost};
use crate::session::rights::Rights;
use crate::settings::config::option;
use crate::system;
use crate::wire::connection::Connection;
use crate::wire::login::{self, Greeting};
use crate::wire::sink::FirstError;

/// Why a client is not logged in.
pub enum NotIn {
    /// What it is told.
    Refused(Vec<SqlError>),
    /// Others are at it: it is tried again in a moment.
    Later,
    /// It went away.
    Gone,
}

fn refused(error: SqlError) -> NotIn {
    NotIn::Refused(vec![error])
}

/// 18456 for the client, and why for the log.
fn failed(server: &Server, attempt: &Attempt<'_>, state: u8, why: &str) -> NotIn {
    let error = login_failed(attempt.name);
    server.audit_failed(attempt, &error, state, why);
    refused(error)
}

/// Of a client whose password is not looked at, since its address has failed too often: what it is told. Log and audits learn of it.
pub fn refused_unseen(server: &Server, greeting: &Greeting, connection: &Connection) -> SqlError {
    let address = address_of(connection);
    let error = login_failed(&greeting.login.user);
    server.audit_failed(&attempt(&greeting.login, &address), &error, 1, "Too many attempts from this address failed.");
    audit::tell_of_failed_login(server, &identity(greeting, connection, &greeting.login.user), &error.text);
    error
}

/// Where a client comes from, without its port.
pub fn address_of(connection: &Connection) -> String {
    match connection.transport.stream().peer_addr() {
        Ok(Endpoint::Tcp(address)) => address.ip().to_string(),
        Ok(local) => local.to_string(),
        Err(error) => error.to_string(),
    }
}

pub fn attempt<'a>(login: &'a tds::Login7, address: &'a str) -> Attempt<'a> {
    Attempt { name: &login.user, password: &login.password, address, changes_password: !login.new_password.is_empty() }
}

impl SessionHost {
    /// A session of the server's own, which no client sees: for scripts at start.
    pub fn internal(server: &Arc<Server>) -> (State, SessionHost) {
        let mut state = State::new(INTERNAL_SPID);
        state.signal = Arc::new(exec::session::Signal::default());
        let entry = SessionEntry::internal(INTERNAL_SPID, state.signal.clone());
        (state, SessionHost::new(server.clone(), entry, MASTER, LanguageId::US_ENGLISH, Actor::Server))
    }

    /// A session for a step of a job, which no client has: it does what the job's owner may do.
    pub fn of_agent(server: &Arc<Server>, owner: &LoginRow, program: String) -> SqlResult<(State, SessionHost)> {
        let mut id = [0; 16];
        os::random::fill(&mut id);
        let identity = Identity {
            login_name: owner.name.clone(),
            security_id: security_id(owner),
            host_name: server.catalog.server_name.clone(),
            program_name: program,
            client_interface: "SQLAgent".into(),
            connection_id: u128::from_le_bytes(id),
            login_time: os::clock::utc_ticks() as i64,
            ..Identity::default()
        };
        let signal = Arc::new(exec::session::Signal::default());
        let entry = server.sessions.add(identity, signal.clone(), None, MASTER.0);
        let entry = entry.ok_or_else(|| sql_error!(17809, server.sessions.count_everywhere(), ""))?;
        let mut state = State::new(entry.spid);
        state.signal = signal;
        state.cursor_book = entry.cursors.clone();
        let language = owner.default_language.as_deref().and_then(LanguageId::named).unwrap_or_default();
        state.options = Options::of_client(true);
        state.options.set_language(language);
        // As Agent's own connection has it.
        state.options.quoted_identifier = false;
        let actor = Actor::Login(owner.id);
        state.actor = actor.number();
        let mut host = SessionHost::new(server.clone(), entry, MASTER, language, actor);
        server.events.add(Event::Login);
        host.classify(&mut state);
        Ok((state, host))
    }

    /// What a login lacks to come in by an endpoint.
    fn connects(server: &Server, actor: Actor, endpoint: i32) -> SqlResult<Option<&'static str>> {
        let look = &mut Look { catalog: &server.catalog, transaction: None };
        let rights = Rights::new(actor);
        if !rights.holds(look, None, &Securable::SERVER, "CONNECT SQL")? {
            return Ok(Some("It has no CONNECT SQL permission."));
        }
        let endpoint = Securable::plain(Class::Endpoint, endpoint);
        let held = rights.holds(look, None, &endpoint, "CONNECT")?;
        Ok((!held).then_some("It has no CONNECT permission on the endpoint."))
    }

    /// Who a login would be in a database. None: it may not enter.
    fn enters(server: &Server, actor: Actor, database: &Database) -> SqlResult<Option<Arc<UserToken>>> {
        Rights::new(actor).user(&mut Look { catalog: &server.catalog, transaction: None }, database)
    }

    fn authenticated(
        server: &Server,
        attempt: &Attempt<'_>,
        greeting: &Greeting,
        connection: &Connection,
    ) -> Result<LoginRow, NotIn> {
        if greeting.login.wants_integrated_security() {
            return Err(failed(server, attempt, 1, "Integrated security is not available."));
        }
        // Whoever goes away meanwhile is not waited for.
        let stream = connection.transport.stream();
        stream.interrupt_on_input(true);
        let outcome = server.authenticate(attempt);
        stream.interrupt_on_input(false);
        os::wait::clear_interrupt();
        match outcome.map_err(refused)? {
            Outcome::In(row) => Ok(*row),
            Outcome::Refused(error) => Err(refused(error)),
            Outcome::Later => Err(NotIn::Later),
            Outcome::Gone => Err(NotIn::Gone),
        }
    }

    /// The database that the login asks for or has as its default, and who it is there.
    fn first_database(
        server: &Server,
        attempt: &Attempt<'_>,
        greeting: &Greeting,
        row: &LoginRow,
        endpoint: i32,
    ) -> Result<(Arc<Database>, Arc<UserToken>), NotIn> {
        let asked = match greeting.login.database.as_str() {
            "" => row.default_database.as_deref().unwrap_or("master"),
            asked => asked,
        };
        let cannot_open = |why: &str| {
            let errors = login::cannot_open(asked, attempt.name);
            let state = if greeting.login.database.is_empty() { 40 } else { 38 };
            server.audit_failed(attempt, &errors[1], state, &format!("{why} '{asked}'."));
            NotIn::Refused(errors.to_vec())
        };
        let Some(database) = server.catalog.database_named(asked) else {
            return Err(cannot_open("Failed to open the database"));
        };
        if database.is_restoring() {
            return Err(cannot_open("Failed to open the database"));
        }
        let actor = Actor::Login(row.id);
        if let Some(why) = Self::connects(server, actor, endpoint).map_err(refused)? {
            return Err(failed(server, attempt, 12, why));
        }
        if server.catalog.check_open(&database).is_err() {
            return Err(cannot_open("Failed to open the database"));
        }
        let user = Self::enters(server, actor, &database).map_err(refused)?;
        let user = user.ok_or_else(|| cannot_open("It has no user in the database"))?;
        Ok((database, user))
    }

    /// Authenticates and registers the session. Who audits learns of a client that is refused.
    pub fn log_in(
        server: &Arc<Server>,
        greeting: &Greeting,
        connection: &Connection,
    ) -> Result<(State, SessionHost), NotIn> {
        let outcome = Self::log_in_unseen(server, greeting, connection);
        if let Err(NotIn::Refused(errors)) = &outcome {
            let who = identity(greeting, connection, &greeting.login.user);
            audit::tell_of_failed_login(server, &who, errors.last().map_or("", |error| &error.text));
        }
        outcome
    }

    fn log_in_unseen(
        server: &Arc<Server>,
        greeting: &Greeting,
        connection: &Connection,
    ) -> Result<(State, SessionHost), NotIn> {
        let login = &greeting.login;
        let address = address_of(connection);
        let attempt = attempt(login, &address);
        let row = Self::authenticated(server, &attempt, greeting, connection)?;
        let identity = Identity { security_id: security_id(&row), ..identity(greeting, connection, &row.name) };
        let (database, user) = Self::first_database(server, &attempt, greeting, &row, identity.endpoint_id())?;
        let actor = Actor::Login(row.id);
        if connection.is_admin() {
            if !system::principal::is_sysadmin(&server.catalog, &row.name).map_err(refused)? {
                return Err(failed(
                    server,
                    &attempt,
                    1,
                    "Only a sysadmin may use the dedicated administrator connection.",
                ));
            }
            if !server.sessions.take_admin() {
                return Err(refused(login::admin_connection_taken()));
            }
        }
        let signal = Arc::new(exec::session::Signal::default());
        let handle = connection.transport.stream().handle();
        let configuration = &server.catalog.configuration;
        let connections_max = configuration.running(option::USER_CONNECTIONS);
        if connections_max > 0 && !connection.is_admin() && server.sessions.count_everywhere() as i64 >= connections_max
        {
            return Err(refused(sql_error!(17809, connections_max, "")));
        }
        let entry = server.sessions.add(identity, signal.clone(), Some(handle), database.id.0).ok_or_else(|| {
            if connection.is_admin() {
                server.sessions.leave_admin();
            }
            refused(sql_error!(17809, server.sessions.count_everywhere(), ""))
        })?;
        if database.row().user_access != 0 {
            if let Err(refused_because) = super::admission::admit(server, &entry, &database) {
                server.sessions.remove(entry.spid);
                if connection.is_admin() {
                    server.sessions.leave_admin();
                }
                tracing::warn!(user = login.user, "login failed: {refused_because}");
                return Err(NotIn::Refused(login::cannot_open(&database.name(), &login.user).to_vec()));
            }
        }
        server.events.add(Event::Login);
        let mut state = State::new(entry.spid);
        state.signal = signal;
        state.cursor_book = entry.cursors.clone();
        let own_language = || row.default_language.as_deref().and_then(LanguageId::named);
        let login_language = LanguageId::named(&login.language).or_else(own_language).unwrap_or_default();
        let odbc = login.option_flags_2 & tds::login7::OPTION2_ODBC != 0;
        state.options = Options::of_client(odbc);
        state.options.set_language(login_language);
        configuration.set_user_options(&mut state.options);
        state.actor = actor.number();
        let mut host = SessionHost::new(server.clone(), entry, database.id, login_language, actor);
        host.login_odbc = odbc;
        host.use_schema_of(&user);
        let logged_in = Occurrence::new(actions::SUCCESSFUL_LOGIN, actions::LOGIN_SUCCEEDED, "LX");
        if let Err(error) = host.audit(&Occurrence { information: "Login succeeded.", ..logged_in }) {
            host.log_out(&mut state);
            return Err(refused(error));
        }
        if !login.new_password.is_empty() {
            if let Err(errors) = host.change_password(&mut state, login) {
                host.log_out(&mut state);
                return Err(NotIn::Refused(errors));
            }
        }
        if let Err(error) = host.fire_logon(&mut state, false) {
            server.audit_failed(&attempt, &error, 1, "");
            host.log_out(&mut state);
            return Err(refused(error));
        }
        host.classify(&mut state);
        server.audit_succeeded(&attempt);
        Ok((state, host))
    }

    /// A login that brings a new password: it is the login's from now on.
    fn change_password(&mut self, state: &mut State, login: &tds::Login7) -> Result<(), Vec<SqlError>> {
        let quoted = |text: &str| text.replace('\'', "''");
        let text = format!(
            "ALTER LOGIN [{}] WITH PASSWORD = N'{}' OLD_PASSWORD = N'{}'",
            login.user.replace(']', "]]"),
            quoted(&login.new_password),
            quoted(&login.password)
        );
        // Bound outside the statement cache, which shows its texts.
        let module = self.bind_text(state, &text, "")?;
        let mut failure = FirstError::default();
        let error = match exec::run_batch(&Arc::new(module), state, self, &mut failure) {
            Ended::Failed(error) => Some(error),
            _ => failure.0,
        };
        error.map_or(Ok(()), |error| Err(vec![of_login(error, &login.user)]))
    }
}

/// What ALTER LOGIN says of a new password, as a login is told it.
fn of_login(error: SqlError, user: &str) -> SqlError {
    match error.number {
        15114 => sql_error!(18462, user, ""),
        15115 => sql_error!(18463, user, ""),
        15116 => sql_error!(18464, user, ""),
        15118 => sql_error!(18466, user, ""),
        _ => error,
    }
}

fn security_id(login: &LoginRow) -> Box<[u8]> {
    login.sid.0.clone().unwrap_or_default()
}

fn identity(greeting: &Greeting, connection: &Connection, login_name: &str) -> Identity {
    let stream = connection.transport.stream();
    let mut id = [0; 16];
    os::random::fill(&mut id);
    let login = &greeting.login;
    Identity {
        login_name: login_name.into(),
        security_id: Box::default(),
        host_name: login.host.clone(),
        program_name: login.application.clone(),
        client_interface: login.library.clone(),
        client_pid: login.client_pid,
        client_version: login.client_version,
        client: stream.peer_addr().ok(),
        local: stream.local_addr().ok(),
        encrypted: greeting.encrypted,
        admin: connection.is_admin(),
        packet_bytes: greeting.packet_bytes,
        tds_version: greeting.version.raw(),
        connection_id: u128::from_le_bytes(id),
        login_time: os::clock::utc_ticks() as i64,
    }
}
