//! A session begins: a client is authenticated and registered, or the server makes one of its own.

use std::sync::Arc;

use exec::host::Ended;
use exec::session::Session as State;
use types::datetime::LanguageId;
use types::{SqlError, SqlResult, sql_error};

use crate::audit::actions;
use crate::catalog::{Database, MASTER};
use crate::instance::error_log::{self, CONSOLE, Source};
use crate::instance::server::{Event, LoginRefused, Server};
use crate::instance::sessions::{Identity, SessionEntry};
use crate::security::actor::{Actor, Look, UserToken};
use crate::security::check::Securable;
use crate::session::audit::{self, Occurrence};
use crate::session::host::{INTERNAL_SPID, SessionHost};
use crate::session::rights::Rights;
use crate::settings::config::option;
use crate::system;
use crate::wire::connection::Connection;
use crate::wire::login::{self, Greeting};
use crate::wire::sink::FirstError;

/// Why a client may not log in: the log knows, the client does not.
enum Refusal<'a> {
    Integrated,
    Login(LoginRefused),
    /// The database, and whether the client named it itself.
    Database(&'a str, bool),
    NoConnect,
    NoAdministrator,
    Restricted(&'a SqlError),
}

impl Refusal<'_> {
    /// On the console, and in the log as SQL Server has it: with a state of 18456 for each reason.
    fn tell(&self, server: &Server, greeting: &Greeting, connection: &Connection) {
        let user = &*greeting.login.user;
        let (state, reason) = match self {
            Refusal::Integrated => (1, "Integrated security is not available.".to_owned()),
            Refusal::Login(LoginRefused::Unknown) => {
                (5, "Could not find a login matching the name provided.".to_owned())
            }
            Refusal::Login(LoginRefused::Password) => {
                (8, "Password did not match that for the login provided.".to_owned())
            }
            Refusal::Login(LoginRefused::Disabled) => (1, "The account is disabled.".to_owned()),
            Refusal::Database(name, true) => {
                (38, format!("Failed to open the explicitly specified database '{name}'."))
            }
            Refusal::Database(name, false) => {
                (40, format!("Failed to open the database '{name}' specified in the login properties."))
            }
            Refusal::NoConnect => (12, "The login has no CONNECT SQL permission.".to_owned()),
            Refusal::NoAdministrator => {
                (1, "Only a sysadmin may use the dedicated administrator connection.".to_owned())
            }
            Refusal::Restricted(error) => (38, error.text.clone()),
        };
        let number = if matches!(self, Refusal::Login(LoginRefused::Disabled)) { 18470 } else { 18456 };
        let peer = connection.transport.stream().peer_addr();
        let client = peer.map_or_else(|error| error.to_string(), |client| client.to_string());
        tracing::warn!(target: CONSOLE, user, client, "login failed: {reason}");
        // Without the port, as SQL Server has it.
        let client = peer.ok().map(|peer| match peer.tcp() {
            Some(address) => address.ip().to_string(),
            None => "<local machine>".to_owned(),
        });
        let client = client.unwrap_or_default();
        let text = format!("Login failed for user '{user}'. Reason: {reason} [CLIENT: {client}]");
        error_log::raise_as(Source::Logon, number, 14, state, &text);
        audit::tell_of_failed_login(server, &identity(greeting, connection, user), &reason);
    }
}

impl SessionHost {
    /// A session of the server's own, which no client sees: for scripts at start.
    pub fn internal(server: &Arc<Server>) -> (State, SessionHost) {
        let mut state = State::new(INTERNAL_SPID);
        state.signal = Arc::new(exec::session::Signal::default());
        let entry = SessionEntry::internal(INTERNAL_SPID, state.signal.clone());
        (state, SessionHost::new(server.clone(), entry, MASTER, LanguageId::US_ENGLISH, Actor::Server))
    }

    fn connects(server: &Server, actor: Actor) -> SqlResult<bool> {
        let look = &mut Look { catalog: &server.catalog, transaction: None };
        Rights::new(actor).holds(look, None, &Securable::SERVER, "CONNECT SQL")
    }

    /// Who a login would be in a database. None: it may not enter.
    fn enters(server: &Server, actor: Actor, database: &Database) -> SqlResult<Option<Arc<UserToken>>> {
        Rights::new(actor).user(&mut Look { catalog: &server.catalog, transaction: None }, database)
    }

    /// Authenticates and registers the session. Err: what the client is told.
    pub fn log_in(
        server: &Arc<Server>,
        greeting: &Greeting,
        connection: &Connection,
    ) -> Result<(State, SessionHost), Vec<SqlError>> {
        let login = &greeting.login;
        let failed = |refusal: Refusal<'_>| {
            refusal.tell(server, greeting, connection);
            vec![login::login_failed(&login.user)]
        };
        if login.wants_integrated_security() {
            return Err(failed(Refusal::Integrated));
        }
        let row = server.authenticate(&login.user, &login.password).map_err(|error| vec![error])?;
        let row = row.map_err(|why| failed(Refusal::Login(why)))?;
        let own = row.default_database.as_deref().unwrap_or("master");
        let asked = if login.database.is_empty() { own } else { login.database.as_str() };
        let Some(database) = server.catalog.database_named(asked) else {
            failed(Refusal::Database(asked, !login.database.is_empty()));
            return Err(login::cannot_open(asked, &login.user).to_vec());
        };
        let actor = Actor::Login(row.id);
        if !Self::connects(server, actor).map_err(|error| vec![error])? {
            return Err(failed(Refusal::NoConnect));
        }
        let Some(user) = Self::enters(server, actor, &database).map_err(|error| vec![error])? else {
            failed(Refusal::Database(asked, !login.database.is_empty()));
            return Err(login::cannot_open(asked, &login.user).to_vec());
        };
        let identity = identity(greeting, connection, &row.name);
        if connection.is_admin() {
            if !system::principal::is_sysadmin(&server.catalog, &row.name).map_err(|error| vec![error])? {
                return Err(failed(Refusal::NoAdministrator));
            }
            if !server.sessions.take_admin() {
                return Err(vec![login::admin_connection_taken()]);
            }
        }
        let signal = Arc::new(exec::session::Signal::default());
        let handle = connection.transport.stream().handle();
        let configuration = &server.catalog.configuration;
        let connections_max = configuration.running(option::USER_CONNECTIONS);
        if connections_max > 0 && !connection.is_admin() && server.sessions.count_everywhere() as i64 >= connections_max
        {
            return Err(vec![sql_error!(17809, connections_max, "")]);
        }
        let entry = server.sessions.add(identity, signal.clone(), handle, database.id.0).ok_or_else(|| {
            if connection.is_admin() {
                server.sessions.leave_admin();
            }
            vec![sql_error!(17809, server.sessions.count_everywhere(), "")]
        })?;
        if database.row().user_access != 0 {
            if let Err(refused) = super::admission::admit(server, &entry, &database) {
                server.sessions.remove(entry.spid);
                if connection.is_admin() {
                    server.sessions.leave_admin();
                }
                failed(Refusal::Restricted(&refused));
                return Err(login::cannot_open(asked, &login.user).to_vec());
            }
        }
        server.events.add(Event::Login);
        let mut state = State::new(entry.spid);
        state.signal = signal;
        state.cursor_book = entry.cursors.clone();
        let own_language = || row.default_language.as_deref().and_then(LanguageId::named);
        let login_language = LanguageId::named(&login.language).or_else(own_language).unwrap_or_default();
        state.options.set_language(login_language);
        configuration.set_user_options(&mut state.options);
        state.actor = actor.number();
        let mut host = SessionHost::new(server.clone(), entry, database.id, login_language, actor);
        host.use_schema_of(&user);
        let logged_in = Occurrence::new(actions::SUCCESSFUL_LOGIN, actions::LOGIN_SUCCEEDED, "LX");
        if let Err(error) = host.audit(&Occurrence { information: "Login succeeded.", ..logged_in }) {
            host.log_out(&mut state);
            return Err(vec![error]);
        }
        if !login.new_password.is_empty() {
            if let Err(errors) = host.change_password(&mut state, login) {
                host.log_out(&mut state);
                return Err(errors);
            }
        }
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
        match exec::run_batch(&Arc::new(module), state, self, &mut failure) {
            Ended::Failed(error) => Err(vec![error]),
            _ => failure.0.map_or(Ok(()), |error| Err(vec![error])),
        }
    }
}

fn identity(greeting: &Greeting, connection: &Connection, login_name: &str) -> Identity {
    let stream = connection.transport.stream();
    let mut id = [0; 16];
    os::random::fill(&mut id);
    let login = &greeting.login;
    Identity {
        login_name: login_name.into(),
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
