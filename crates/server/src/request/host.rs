//! What execution asks of the server for one session: `exec::Host`.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use exec::host::{CallArgument, Callee, Ended, Host, ModuleInfo, Naming, Wanted};
use exec::session::Session as State;
use exec::sink::{Command, Discard, Done, DoneKind, Environment, Sink, Stop};
use os::sched::{Place, TaskKind};
use os::wait::WaitType;
use sql::ast::{InsertBulk, StatementKind};
use sql::bind::{BindOptions, References};
use sql::catalog::{
    Catalog as _, DatabaseId, ModuleDef, ModuleKind, Object, ObjectId, ObjectName, SequenceDef, TableDef,
    VirtualTableDef,
};
use sql::function::FunctionId;
use sql::plan::{Global, Module, OutputColumn, Query, QueryId};
use storage::{Storage, Table, TableId};
use types::datetime::LanguageId;
use types::{CollationId, Datum, SqlError, SqlResult, SqlType};

use crate::catalog::{CatalogSession, Database, MASTER, SessionCatalog, no_such_database};
use crate::definition;
use crate::definition::HostSite;
use crate::instance::handle::{self, PlanKey};
use crate::instance::server::{Event, Server};
use crate::instance::sessions::{Identity, SessionEntry};
use crate::request::bulk_target::BulkTarget;
use crate::request::prepared::{self, PreparedStatements};
use crate::settings::config::option;
use crate::system;
use crate::system::procedure::application_lock::ApplicationLocks;
use crate::system::procedure::cursor::ApiCursors;
use crate::wire::connection::Connection;
use crate::wire::login::{self, Greeting};
use crate::wire::sink::FirstError;

/// Pauses between attempts to drop what sessions left behind.
const ORPHANS_EVERY_MS: u64 = 500;

/// `@@SPID` of the server's own sessions.
const INTERNAL_SPID: u32 = 1;

/// Synonyms may name synonyms.
const SYNONYM_DEPTH_MAX: usize = 8;

/// Bound queries a session keeps for itself, because it sees definitions that others do not.
pub const PRIVATE_QUERIES_MAX: usize = 256;

/// A key of SESSION_CONTEXT.
pub struct ContextEntry {
    pub key: String,
    /// A sql_variant.
    pub value: Datum,
    pub read_only: bool,
}

struct PrivateQuery {
    module: Arc<Module>,
    id: QueryId,
    /// Of the session when it was bound: whether an INSERT's identity values are given depends on it.
    identity_insert: Option<(u16, i32)>,
    bound: Arc<Query>,
}

pub struct SessionHost {
    pub server: Arc<Server>,
    pub catalog_session: CatalogSession,
    pub prepared: PreparedStatements,
    pub entry: Arc<SessionEntry>,
    pub login_database: DatabaseId,
    /// What a reset goes back to.
    login_language: LanguageId,
    /// Queries bound with this session's own view of the catalog, the newest last.
    private_queries: Vec<PrivateQuery>,
    pub application_locks: ApplicationLocks,
    pub cursors: ApiCursors,
    pub context: Vec<ContextEntry>,
    /// The current database as the request found it, and `Catalog::databases_version` then.
    known_database: Option<(u64, Arc<Database>)>,
    /// The procedure that a client named last: most name few, again and again.
    called: Option<Called>,
    /// INSERT BULK was run: the rows come with the next message.
    pub bulk_target: Option<BulkTarget>,
}

/// What a name meant. The plan cache keeps the module.
struct Called {
    name: String,
    naming: Naming,
    module: Weak<Module>,
    info: Arc<ModuleInfo>,
}

pub fn object_name(name: &sql::ast::ObjectName) -> ObjectName {
    let part = |part: &Option<sql::ast::Ident>| part.as_ref().map(|ident| ident.text.clone());
    ObjectName {
        server: part(&name.server),
        database: part(&name.database),
        schema: part(&name.schema),
        name: name.name.text.clone(),
    }
}

/// One to four parts; `name;number` calls the procedure `name`.
fn procedure_name(text: &str) -> Result<ObjectName, SqlError> {
    let plain =
        text.rsplit_once(';').filter(|(_, number)| number.bytes().all(|b| b.is_ascii_digit())).map_or(text, |p| p.0);
    let name = sql::parse::parse_multipart_name(plain).map_err(|errors| {
        errors
            .into_iter()
            .next()
            .unwrap_or_else(|| SqlError::new(2812, 16, format!("Could not find stored procedure '{text}'.")))
    })?;
    Ok(object_name(&name))
}

impl SessionHost {
    fn new(
        server: Arc<Server>,
        entry: Arc<SessionEntry>,
        login_database: DatabaseId,
        login_language: LanguageId,
    ) -> SessionHost {
        SessionHost {
            catalog_session: CatalogSession::new(&server.catalog, login_database, "dbo"),
            server,
            prepared: PreparedStatements::default(),
            entry,
            login_database,
            login_language,
            private_queries: Vec::new(),
            application_locks: ApplicationLocks::default(),
            cursors: ApiCursors::default(),
            context: Vec::new(),
            known_database: None,
            called: None,
            bulk_target: None,
        }
    }

    /// A session of the server's own, which no client sees: for scripts at start.
    pub fn internal(server: &Arc<Server>) -> (State, SessionHost) {
        let mut state = State::new(INTERNAL_SPID);
        state.signal = Arc::new(exec::session::Signal::default());
        let entry = SessionEntry::internal(INTERNAL_SPID, state.signal.clone());
        (state, SessionHost::new(server.clone(), entry, MASTER, LanguageId::US_ENGLISH))
    }

    /// Authenticates and registers the session. Err: what the client is told.
    pub fn log_in(
        server: &Arc<Server>,
        greeting: &Greeting,
        connection: &Connection,
    ) -> Result<(State, SessionHost), Vec<SqlError>> {
        let login = &greeting.login;
        let failed = |reason: &str| {
            let client = connection.transport.stream().peer_addr();
            let client = client.map_or_else(|error| error.to_string(), |client| client.to_string());
            tracing::warn!(user = login.user, client, "login failed: {reason}");
            vec![login::login_failed(&login.user)]
        };
        if login.wants_integrated_security() {
            return Err(failed("integrated security is not available"));
        }
        let row = server.authenticate(&login.user, &login.password).map_err(|error| vec![error])?.map_err(failed)?;
        let own = row.default_database.as_deref().unwrap_or("master");
        let asked = if login.database.is_empty() { own } else { login.database.as_str() };
        let Some(database) = server.catalog.database_named(asked) else {
            return Err(login::cannot_open(asked, &login.user).to_vec());
        };
        let identity = identity(greeting, connection, &row.name);
        if connection.is_admin() {
            if !system::principal::is_sysadmin(&server.catalog, &row.name).map_err(|error| vec![error])? {
                return Err(failed("only a sysadmin may use the dedicated administrator connection"));
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
            let text = format!(
                "Could not connect because the maximum number of '{connections_max}' user connections has already been reached. The system administrator can use sp_configure to increase the maximum value. The connection has been closed."
            );
            return Err(vec![SqlError::new(17809, 20, text)]);
        }
        let entry = server.sessions.add(identity, signal.clone(), handle, database.id.0).ok_or_else(|| {
            if connection.is_admin() {
                server.sessions.leave_admin();
            }
            vec![SqlError::new(
                17809,
                20,
                "Could not connect because the maximum number of user connections has been reached.",
            )]
        })?;
        server.events.add(Event::Login);
        let mut state = State::new(entry.spid);
        state.signal = signal;
        state.cursor_book = entry.cursors.clone();
        let own_language = || row.default_language.as_deref().and_then(LanguageId::named);
        let login_language = LanguageId::named(&login.language).or_else(own_language).unwrap_or_default();
        state.options.set_language(login_language);
        configuration.set_user_options(&mut state.options);
        let mut host = SessionHost::new(server.clone(), entry, database.id, login_language);
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

    pub fn database_name(&self) -> String {
        self.server.catalog.database(self.catalog_session.database).map_or_else(String::new, |db| db.row().name.clone())
    }

    /// Of the current database.
    pub fn database_collation(&self) -> CollationId {
        self.server.catalog.database(self.catalog_session.database).map_or_else(CollationId::default, |db| db.collation)
    }

    pub fn killed(&self) -> bool {
        self.entry.killed.load(Ordering::Acquire)
    }

    /// RESETCONNECTION and sp_reset_connection: the session is as new, on the same connection.
    /// Gives the descriptor of the transaction this rolled back: its client counts on hearing that it is gone.
    pub fn reset(&mut self, state: &mut State, keep_transaction: bool) -> Option<u64> {
        self.server.events.add(Event::ConnectionReset);
        state.renew();
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
        self.drop_temporaries(state, 0);
        self.catalog_session.database = self.login_database;
        self.entry.database.store(u32::from(self.login_database.0), Ordering::Relaxed);
        rolled_back
    }

    /// The session is over: what it holds goes.
    pub fn log_out(&mut self, state: &mut State) {
        exec::abandon_transaction(state, self);
        self.application_locks.clear();
        self.cursors.clear();
        self.drop_temporaries(state, 0);
        if self.entry.spid != INTERNAL_SPID {
            self.server.sessions.remove(self.entry.spid);
            if self.entry.identity.admin {
                self.server.sessions.leave_admin();
            }
            self.server.events.add(Event::Logout);
        }
    }

    /// Temporary tables made at `level` of nesting or deeper; 0 for all. What cannot be dropped now is nobody's to see any more,
    /// and is dropped when that is possible: with the session's other ones, or after it.
    fn drop_temporaries(&mut self, state: &mut State, level: u32) {
        let expired = self.catalog_session.expired_temporaries(level);
        if expired.is_empty() {
            return;
        }
        let own = state.transaction.current.is_none();
        let storage = self.server.catalog.storage.clone();
        let transaction =
            state.transaction.current.get_or_insert_with(|| Box::new(storage.begin(storage::Isolation::ReadCommitted)));
        let before = transaction.savepoint();
        let dropped = definition::drop_temporaries(&mut HostSite { host: self, state, sink: &mut Discard }, level);
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

    pub fn request_started(&mut self, state: &State) {
        if state.transaction.current.is_none() {
            self.catalog_session.settle(&self.server.catalog);
        }
        let (id, version) = (self.catalog_session.database, self.server.catalog.databases_version());
        if !self.known_database.as_ref().is_some_and(|(at, database)| *at == version && database.id == id) {
            if let Err(error) = self.server.catalog.catch_up() {
                tracing::error!(spid = self.entry.spid, "changes of the databases could not be read: {error}");
            }
            self.known_database = self.server.catalog.database(id).map(|database| (version, database));
        }
        let entry = &self.entry;
        entry.requests.fetch_add(1, Ordering::Relaxed);
        let now = os::clock::now();
        entry.request_started_ns.store(now, Ordering::Relaxed);
        entry.work_begins(now);
        entry.last_request_start.store(os::clock::utc_ticks() as i64, Ordering::Relaxed);
        *entry.running.lock() = os::sched::current_task().map(|task| (os::wait::current(), task));
    }

    pub fn request_ended(&mut self, connection: &Connection, state: &State) {
        let entry = &self.entry;
        *entry.running.lock() = None;
        let started = entry.request_started_ns.swap(0, Ordering::Relaxed);
        let now = os::clock::now();
        entry.elapsed_ns.fetch_add(now.saturating_sub(started), Ordering::Relaxed);
        entry.work_ended(now);
        entry.last_request_end.store(os::clock::utc_ticks() as i64, Ordering::Relaxed);
        entry.transaction_level.store(state.transaction.level, Ordering::Relaxed);
        entry.row_count.store(state.row_count, Ordering::Relaxed);
        entry.database.store(u32::from(self.catalog_session.database.0), Ordering::Relaxed);
        entry.isolation.store(state.options.isolation as u32 + 1, Ordering::Relaxed);
        entry.lock_timeout_ms.store(i64::from(state.options.lock_timeout_ms), Ordering::Relaxed);
        entry.packets_received.store(connection.transport.packets_received, Ordering::Relaxed);
        entry.packets_sent.store(connection.transport.packets_sent, Ordering::Relaxed);
    }

    /// Asks the current database, None if it is gone.
    fn ask_database<T>(&self, ask: impl FnOnce(Option<&Database>) -> T) -> T {
        let (id, version) = (self.catalog_session.database, self.server.catalog.databases_version());
        match &self.known_database {
            Some((at, database)) if *at == version && database.id == id => ask(Some(database)),
            _ => ask(self.server.catalog.database(id).as_deref()),
        }
    }

    /// The procedure that a client calls by the name `text`.
    pub fn procedure_named(&mut self, state: &mut State, text: &str) -> SqlResult<Callee> {
        let naming = self.naming(state);
        if let Some(called) = &self.called
            && called.name == text
            && called.naming == naming
            && let Some(module) = called.module.upgrade()
        {
            let info = called.info.clone();
            self.called_again();
            return Ok(Callee::Module(module, info));
        }
        let callee = self.procedure(state, &procedure_name(text)?)?;
        self.called = match &callee {
            // With a database in its name, that database's name counts too.
            Callee::Module(module, info) if info.database == naming.database && text.matches('.').count() <= 1 => {
                Some(Called { name: text.into(), naming, module: Arc::downgrade(module), info: info.clone() })
            }
            _ => None,
        };
        Ok(callee)
    }

    /// The catalog as this session sees it now.
    pub fn with_catalog<T>(&mut self, state: &mut State, work: impl FnOnce(&SessionCatalog<'_>) -> T) -> T {
        let catalog = SessionCatalog::new(
            &self.server.catalog,
            &mut self.catalog_session,
            state.transaction.current.as_deref_mut(),
        );
        work(&catalog)
    }

    pub fn bind_options(state: &State) -> BindOptions {
        let identity_insert = state.options.identity_insert;
        BindOptions {
            quoted_identifier: state.options.quoted_identifier,
            ansi_nulls: state.options.ansi_nulls,
            identity_insert: identity_insert
                .map(|(database, object)| (sql::catalog::DatabaseId(database), sql::catalog::ObjectId(object))),
        }
    }

    /// Keeps what a query of the module was bound to at `version`, for all sessions if it is the same for all.
    pub fn keep_bound(&mut self, state: &State, module: &Arc<Module>, id: QueryId, version: u64, bound: Arc<Query>) {
        let identity_insert = state.options.identity_insert;
        let shared = !bound.session_private && identity_insert.is_none() && CatalogSession::is_shared_version(version);
        if shared && module.queries[id.0 as usize].bound.set(bound.clone()).is_ok() {
            return;
        }
        if self.private_queries.len() >= PRIVATE_QUERIES_MAX {
            self.private_queries.drain(..PRIVATE_QUERIES_MAX / 2);
        }
        self.private_queries.push(PrivateQuery { module: module.clone(), id, identity_insert, bound });
    }

    /// Parses and binds a text that is not in the statement cache.
    pub fn bind_text(&mut self, state: &mut State, text: &str, parameters: &str) -> Result<Module, Vec<SqlError>> {
        self.server.events.add(Event::Compilation);
        let options = Self::bind_options(state);
        self.with_catalog(state, |catalog| sql::bind::bind_text(text, parameters, &options, catalog))
    }

    /// `work`, while another database is the current one.
    fn within<T>(&mut self, database: DatabaseId, work: impl FnOnce(&mut SessionHost) -> T) -> T {
        let own = std::mem::replace(&mut self.catalog_session.database, database);
        let result = work(self);
        self.catalog_session.database = own;
        result
    }

    /// A module, bound in the database that it works in, which this gives too.
    fn bind_module(&mut self, state: &mut State, definition: &Arc<ModuleDef>) -> SqlResult<(Arc<Module>, DatabaseId)> {
        let home = workplace(definition, self.catalog_session.database);
        let module = self.within(home, |host| host.bind_here(state, definition))?;
        Ok((module, home))
    }

    /// The body of a module of the catalog: from the cache, or bound now.
    fn bind_here(&mut self, state: &mut State, definition: &Arc<ModuleDef>) -> SqlResult<Arc<Module>> {
        let is_system = definition.object.0 < 0;
        let key = PlanKey {
            text: &definition.text,
            parameters: handle::MODULE,
            database: if is_system { definition.database } else { self.catalog_session.database }.0,
            quoted_identifier: definition.quoted_identifier,
            ansi_nulls: definition.ansi_nulls,
            session: 0,
        };
        let version = self.catalog_session.checked_version(&self.server.catalog);
        if let Some(module) = self.server.plans.procedures.find(key)
            && (is_system || module.checked.load(Ordering::Relaxed) == version)
        {
            return Ok(module);
        }
        let module = self.bind_body(state, definition).map_err(prepared::first)?;
        if !is_system {
            let name = shown_name(definition);
            let wrong = |errors| prepared::first(errors).in_procedure(&name);
            crate::request::early::check(self, state, &module, true).map_err(wrong)?;
            module.checked.store(version, Ordering::Relaxed);
        }
        self.server.plans.procedures.insert(key, module.clone(), definition.object.0);
        Ok(module)
    }

    fn bind_body(&mut self, state: &mut State, definition: &ModuleDef) -> Result<Arc<Module>, Vec<SqlError>> {
        self.server.events.add(Event::Compilation);
        let options = BindOptions {
            quoted_identifier: definition.quoted_identifier,
            ansi_nulls: definition.ansi_nulls,
            ..BindOptions::default()
        };
        let bound = self.with_catalog(state, |catalog| sql::bind::bind_definition(definition, &options, catalog));
        bound.map(Arc::new)
    }

    /// What is wrong with a module that is about to be kept: every error that its execution could not change. And what a natively
    /// compiled one depends on.
    pub fn check_module(&mut self, state: &mut State, definition: &ModuleDef) -> Result<References, Vec<SqlError>> {
        let references = self.with_catalog(state, |catalog| sql::bind::check_native(definition, catalog))?;
        if definition.kind == ModuleKind::InlineFunction {
            // Bound when its columns were described, and with each caller.
            return Ok(references);
        }
        let module = self.bind_body(state, definition)?;
        match crate::request::early::check(self, state, &module, false) {
            Ok(()) => Ok(references),
            Err(errors) => Err(errors.into_iter().map(|error| error.in_procedure(&definition.name)).collect()),
        }
    }

    fn resolve(&mut self, state: &mut State, name: &ObjectName) -> SqlResult<Option<Object>> {
        let mut name = name.clone();
        for _ in 0..SYNONYM_DEPTH_MAX {
            match self.with_catalog(state, |catalog| catalog.resolve(&name))? {
                Some(Object::Synonym(target)) => name = target,
                found => return Ok(found),
            }
        }
        Ok(None)
    }

    /// A system procedure, native or not, in what is the current database now.
    fn call_system(
        &mut self,
        state: &mut State,
        sink: &mut dyn Sink,
        name: &str,
        arguments: &mut [CallArgument],
    ) -> SqlResult<i32> {
        let full_name = ObjectName { server: None, database: None, schema: Some("sys".into()), name: name.into() };
        match self.procedure(state, &full_name)? {
            Callee::System(native) => self.system_procedure(state, sink, &native, arguments),
            Callee::Module(module, info) => prepared::run_module(self, state, sink, &module, Some(&info), arguments),
        }
    }

    /// INSERT BULK: the rows come with the next message.
    fn expect_bulk(&mut self, state: &mut State, sink: &mut dyn Sink, bulk: &InsertBulk) -> SqlResult<()> {
        let name = object_name(&bulk.table);
        let table = match self.resolve(state, &name)? {
            Some(Object::Table(table)) => Some(table),
            Some(Object::Module(_)) => None,
            _ => {
                let text = format!("Invalid object name '{}'.", definition::site::written(&bulk.table));
                return Err(SqlError::new(208, 16, text));
            }
        };
        let written = definition::text::object_name(&bulk.table);
        self.bulk_target = BulkTarget::new(bulk, written, table.as_deref());
        if self.bulk_target.is_none() {
            // SQL Server says no more than that it failed: clients know this answer and explain it themselves.
            let done = Done { kind: DoneKind::Statement, command: Command::Other, row_count: None, error: true };
            sink.done(done).map_err(exec::session::stopped)?;
        }
        Ok(())
    }

    /// It becomes the current one, and the client is told.
    fn enter_database(&mut self, sink: &mut dyn Sink, database: &Database) -> Result<(), Stop> {
        let old = self.database_collation();
        self.catalog_session.database = database.id;
        sink.environment(&Environment::Database(database.row().name.as_str().into()))?;
        match database.collation {
            new if new != old => sink.environment(&Environment::Collation { new, old }),
            _ => Ok(()),
        }
    }

    fn callee(&mut self, state: &mut State, definition: &Arc<ModuleDef>) -> SqlResult<Callee> {
        let (module, database) = self.bind_module(state, definition)?;
        let info = ModuleInfo {
            database,
            object: definition.object,
            name: shown_name(definition),
            quoted_identifier: definition.quoted_identifier,
            ansi_nulls: definition.ansi_nulls,
        };
        Ok(Callee::Module(module, Arc::new(info)))
    }
}

/// The database that a module works in: its own, but for those that work for whoever calls them.
fn workplace(definition: &ModuleDef, caller: DatabaseId) -> DatabaseId {
    let name = &definition.name;
    let for_all = definition.database == MASTER && name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("sp_"));
    // Tempdb only keeps a temporary procedure.
    match for_all || name.starts_with('#') || definition.object.0 < 0 {
        true => caller,
        false => definition.database,
    }
}

/// Between the database and the name of a system procedure that runs in another database than the session's.
const IN_DATABASE: char = '\0';

fn in_database(id: DatabaseId, name: &str) -> Box<str> {
    format!("{}{IN_DATABASE}{name}", id.0).into()
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

/// 2812.
fn no_such_procedure(name: &ObjectName) -> SqlError {
    let parts = [&name.database, &name.schema].into_iter().flatten().map(|part| &**part).chain([&*name.name]);
    let text = parts.collect::<Vec<_>>().join(".");
    SqlError::with_state(2812, 16, 62, format!("Could not find stored procedure '{text}'."))
}

/// As messages name a module: with its schema, a temporary one without.
fn shown_name(definition: &ModuleDef) -> Box<str> {
    match definition.name.starts_with('#') {
        true => definition.name.clone(),
        false => format!("{}.{}", definition.schema, definition.name).into(),
    }
}

impl Host for SessionHost {
    fn catalog_version(&mut self, _state: &State) -> u64 {
        self.catalog_session.version(&self.server.catalog)
    }

    fn bind_query(&mut self, state: &mut State, module: &Arc<Module>, query: QueryId) -> SqlResult<Arc<Query>> {
        let text = &module.queries[query.0 as usize];
        let version = self.catalog_version(state);
        let identity_insert = state.options.identity_insert;
        if let Some(bound) = text.bound.get().filter(|bound| bound.catalog_version == version)
            && identity_insert.is_none()
        {
            return Ok(bound.clone());
        }
        let own = |private: &&PrivateQuery| {
            Arc::ptr_eq(&private.module, module)
                && private.id == query
                && private.bound.catalog_version == version
                && private.identity_insert == identity_insert
        };
        if let Some(private) = self.private_queries.iter().rev().find(own) {
            return Ok(private.bound.clone());
        }
        let options = Self::bind_options(state);
        let bound =
            self.with_catalog(state, |catalog| sql::bind::bind_query(&text.statement, module, catalog, &options));
        let bound = Arc::new(bound.map_err(|error| error.at_line(text.line))?);
        self.keep_bound(state, module, query, version, bound.clone());
        Ok(bound)
    }

    fn nested_triggers(&self) -> bool {
        self.server.catalog.configuration.running(option::NESTED_TRIGGERS) != 0
    }

    fn runs_native(&self) -> bool {
        self.server.catalog.configuration.running(option::NATIVE_CODE) != 0
    }

    fn measures_native(&self, module: &ModuleInfo) -> Wanted {
        self.server.native_statistics.wanted(module)
    }

    fn storage(&self) -> &Storage {
        &self.server.catalog.storage
    }

    fn snapshot_reads(&self) -> bool {
        self.ask_database(|database| database.is_none_or(Database::snapshot_reads))
    }

    fn elevates_to_snapshot(&self) -> bool {
        self.ask_database(|database| database.is_some_and(Database::elevates_to_snapshot))
    }

    fn delayed_durability(&self, asked: Option<bool>) -> bool {
        self.ask_database(|database| database.is_some_and(|database| database.delayed_durability(asked)))
    }

    fn open_table(&mut self, _state: &mut State, table: &TableDef) -> SqlResult<Arc<Table>> {
        self.server
            .catalog
            .storage
            .open_table(storage::DatabaseId(table.database.0), TableId(table.object.0))
            .map_err(crate::catalog::error::storage_error)
    }

    fn check_writable(&mut self, database: DatabaseId) -> SqlResult<()> {
        self.server.catalog.database(database).map_or(Ok(()), |database| database.check_writable())
    }

    fn table_by_id(&mut self, state: &mut State, database: DatabaseId, object: ObjectId) -> SqlResult<Arc<TableDef>> {
        let found = self.with_catalog(state, |catalog| catalog.table_by_id(database, object))?;
        found.ok_or_else(|| SqlError::new(208, 16, format!("Invalid object name '{}'.", object.0)))
    }

    fn database_name(&mut self, _state: &State, database: DatabaseId) -> String {
        self.server.catalog.database(database).map_or_else(String::new, |db| db.row().name.clone())
    }

    fn column_default(&mut self, state: &mut State, table: &TableDef, column: u16) -> SqlResult<Datum> {
        let column = &table.columns[usize::from(column)];
        let Some(default) = &column.default else { return Ok(Datum::Null) };
        let text = format!("SELECT @value = {default}");
        let declared = format!("@value {} OUTPUT", column.ty);
        let module = crate::request::batch::compile(self, state, &text, &declared).map_err(prepared::first)?;
        let argument = CallArgument { name: None, value: Some((column.ty, Datum::Null)), table: None, output: true };
        let (_, result) = exec::call_module(&module, None, vec![argument], state, self, &mut exec::sink::Discard);
        Ok(result.outputs.into_iter().next().map_or(Datum::Null, |(_, _, value)| value))
    }

    fn table_by_name(&mut self, state: &mut State, name: &ObjectName) -> SqlResult<Arc<TableDef>> {
        match self.resolve(state, name)? {
            Some(Object::Table(table)) => Ok(table),
            _ => Err(SqlError::new(
                1088,
                16,
                format!(
                    "Cannot find the object \"{}\" because it does not exist or you do not have permissions.",
                    name.name
                ),
            )),
        }
    }

    fn identity_next(&mut self, _state: &mut State, table: &TableDef, count: u64) -> SqlResult<i64> {
        self.server.catalog.identity_next(table, count)
    }

    fn identity_used(&mut self, _state: &mut State, table: &TableDef, value: i64) -> SqlResult<()> {
        self.server.catalog.identity_used(table, value)
    }

    fn rowversion_next(&mut self, _state: &mut State, database: DatabaseId) -> SqlResult<u64> {
        self.server.catalog.rowversion_next(database)
    }

    fn sequence_next(&mut self, _state: &mut State, sequence: &SequenceDef) -> SqlResult<Datum> {
        self.server.catalog.sequence_next(sequence)
    }

    fn naming(&mut self, state: &State) -> Naming {
        Naming { database: self.catalog_session.database, version: self.catalog_version(state) }
    }

    fn called_again(&mut self) {
        self.server.plans.procedures.count_found();
    }

    fn procedure(&mut self, state: &mut State, name: &ObjectName) -> SqlResult<Callee> {
        let asked = name.database.as_deref().and_then(|database| self.server.catalog.database_named(database));
        let elsewhere = asked.map(|database| database.id).filter(|id| *id != self.catalog_session.database);
        if let Some(native) = system::native_procedure(name) {
            return Ok(Callee::System(match elsewhere {
                Some(id) => in_database(id, native),
                None => native.into(),
            }));
        }
        match self.resolve(state, name)? {
            Some(Object::Module(definition)) if definition.kind == ModuleKind::Procedure => match elsewhere {
                // A system procedure works on the database it is called in.
                Some(id) if definition.object.0 < 0 => Ok(Callee::System(in_database(id, &name.name))),
                _ => self.callee(state, &definition),
            },
            _ => Err(no_such_procedure(name)),
        }
    }

    fn module(&mut self, state: &mut State, definition: &Arc<ModuleDef>) -> SqlResult<(Arc<Module>, DatabaseId)> {
        self.bind_module(state, definition)
    }

    fn trigger(&mut self, state: &mut State, database: DatabaseId, trigger: ObjectId) -> SqlResult<Callee> {
        let found = self.with_catalog(state, |catalog| catalog.module_by_id(database, trigger))?;
        let definition =
            found.ok_or_else(|| SqlError::new(208, 16, format!("Invalid object name '{}'.", trigger.0)))?;
        self.callee(state, &definition)
    }

    fn system_procedure(
        &mut self,
        state: &mut State,
        sink: &mut dyn Sink,
        name: &str,
        arguments: &mut [CallArgument],
    ) -> SqlResult<i32> {
        if let Some((database, plain)) = name.split_once(IN_DATABASE) {
            let id = database.parse().expect("written by `in_database`");
            return self.within(DatabaseId(id), |host| host.call_system(state, sink, plain, arguments));
        }
        if let Some(result) = prepared::call(self, state, sink, name, arguments) {
            return result;
        }
        if name == "sp_reset_connection" {
            let (database, old) = (self.catalog_session.database, self.database_collation());
            if let Some(descriptor) = self.reset(state, false) {
                sink.environment(&Environment::RollbackTransaction(descriptor)).map_err(exec::session::stopped)?;
            }
            if self.catalog_session.database != database {
                sink.environment(&Environment::Database(SessionHost::database_name(self).into()))
                    .map_err(exec::session::stopped)?;
            }
            let new = self.database_collation();
            if new != old {
                sink.environment(&Environment::Collation { new, old }).map_err(exec::session::stopped)?;
            }
            return Ok(0);
        }
        system::run_native(self, state, sink, name, arguments)
    }

    fn compile(&mut self, state: &mut State, text: &str) -> SqlResult<Arc<Module>> {
        crate::request::batch::compile(self, state, text, "").map_err(prepared::first)
    }

    fn define(
        &mut self,
        state: &mut State,
        sink: &mut dyn Sink,
        module: &Arc<Module>,
        query: QueryId,
    ) -> SqlResult<()> {
        let statement = module.queries[query.0 as usize].statement.clone();
        if let StatementKind::InsertBulk(bulk) = &statement.kind {
            return self.expect_bulk(state, sink, bulk).map_err(|error| error.at_line(statement.line));
        }
        definition::run(&mut HostSite { host: self, state, sink }, &statement, &module.text)
    }

    fn create_table_for(
        &mut self,
        state: &mut State,
        target: &ObjectName,
        columns: &[OutputColumn],
    ) -> SqlResult<Arc<TableDef>> {
        definition::create_for(&mut HostSite { host: self, state, sink: &mut Discard }, target, columns)
    }

    fn virtual_rows(
        &mut self,
        state: &mut State,
        table: &VirtualTableDef,
        columns: &[u16],
        arguments: &[Datum],
        row: &mut dyn FnMut(&[Datum]) -> SqlResult<()>,
    ) -> SqlResult<()> {
        system::virtual_rows(self, state, table, columns, arguments, row)
    }

    fn session_function(
        &mut self,
        state: &mut State,
        function: FunctionId,
        arguments: &[(SqlType, Datum)],
        ty: &SqlType,
    ) -> SqlResult<Datum> {
        system::session_function(self, state, function, arguments, ty)
    }

    fn global(&mut self, state: &mut State, global: Global) -> SqlResult<Datum> {
        system::global(self, state, global)
    }

    fn database(&self) -> DatabaseId {
        self.catalog_session.database
    }

    fn set_database(&mut self, database: DatabaseId) {
        self.catalog_session.database = database;
    }

    fn return_to_database(&mut self, sink: &mut dyn Sink, database: DatabaseId) -> Result<(), Stop> {
        match self.server.catalog.database(database) {
            Some(database) => self.enter_database(sink, &database),
            // Dropped meanwhile: the session is left where it is.
            None => Ok(()),
        }
    }

    fn use_database(&mut self, _state: &mut State, sink: &mut dyn Sink, name: &str) -> SqlResult<()> {
        let database = self.server.catalog.database_named(name).ok_or_else(|| no_such_database(name))?;
        self.enter_database(sink, &database).map_err(exec::session::stopped)?;
        let text = format!("Changed database context to '{}'.", database.row().name);
        // State 1 for USE, 2 at login.
        sink.message(&SqlError::with_state(5701, 0, 1, text).at_line(1)).map_err(exec::session::stopped)
    }

    fn set_option(&mut self, _state: &mut State, _name: &str, _value: &Datum) -> SqlResult<()> {
        Ok(())
    }

    fn message_text(&mut self, _state: &mut State, number: i32) -> SqlResult<Option<(u8, String)>> {
        system::messages::find(self, number)
    }

    fn log(&mut self, state: &State, message: &SqlError) {
        tracing::error!(spid = state.spid, "{message}");
    }

    fn transaction_ended(&mut self, _state: &mut State, committed: bool) {
        self.catalog_session.transaction_ended(&self.server.catalog, committed);
        self.application_locks.transaction_ended();
    }

    fn module_returned(&mut self, state: &mut State, level: u32) {
        self.drop_temporaries(state, level);
    }

    fn rolled_back_to_savepoint(&mut self, state: &mut State) {
        if let Some(transaction) = state.transaction.current.as_mut() {
            self.catalog_session.rolled_back_to_savepoint(&self.server.catalog, transaction);
        }
    }
}
