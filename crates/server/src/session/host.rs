//! What a session knows, and what it sees of the catalog: all that compiling and running for it need.
//!
//! It runs nothing itself. What execution asks of it (`exec::Host`) stands above definitions and system procedures, in
//! `crate::request::host`.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};

use exec::host::{ModuleInfo, Naming};
use exec::session::{Options, Session as State};
use sql::bind::BindOptions;
use sql::catalog::{Catalog as _, DatabaseId, Object, ObjectName};
use sql::plan::{Client, Module, ObjectRef};
use types::datetime::LanguageId;
use types::{CollationId, Datum, SqlError, SqlResult};

use crate::catalog::base::database_option;
use crate::catalog::store::Rows;
use crate::catalog::{CatalogSession, Database, SessionCatalog};
use crate::instance::server::Server;
use crate::instance::sessions::{Picture, SessionEntry};
use crate::security::actor::Actor;
use crate::session::api_cursors::ApiCursors;
use crate::session::application_locks::ApplicationLocks;
use crate::session::bulk_target::BulkTarget;
use crate::session::prepared::PreparedStatements;
use crate::session::private_queries::PrivateQueries;
use crate::session::rights::Rights;
use crate::wire::connection::Connection;

/// `@@SPID` of the server's own sessions.
pub const INTERNAL_SPID: u32 = 1;

/// Synonyms may name synonyms.
const SYNONYM_DEPTH_MAX: usize = 8;

/// A key of SESSION_CONTEXT.
pub struct ContextEntry {
    pub key: String,
    /// A sql_variant.
    pub value: Datum,
    pub read_only: bool,
}

pub struct SessionHost {
    pub server: Arc<Server>,
    pub catalog_session: CatalogSession,
    pub prepared: PreparedStatements,
    pub entry: Arc<SessionEntry>,
    pub login_database: DatabaseId,
    /// What a reset goes back to.
    pub login_language: LanguageId,
    /// Its client said that it is a driver: see `Options::of_client`.
    pub login_odbc: bool,
    pub private_queries: PrivateQueries,
    /// Messages of bindings that the client has not had.
    pub notices: Vec<SqlError>,
    pub application_locks: ApplicationLocks,
    pub cursors: ApiCursors,
    pub context: Vec<ContextEntry>,
    /// The current database as the request found it, and `Catalog::databases_version` then.
    known_database: Option<(u64, Arc<Database>)>,
    /// As its entry has it.
    picture: Picture,
    /// The procedure that a client named last: most name few, again and again.
    pub called: Option<Called>,
    /// INSERT BULK was run: the rows come with the next message.
    pub bulk_target: Option<BulkTarget>,
    /// An error has ended the text that a procedure of the server ran.
    pub text_aborted: bool,
    /// Who it acts as.
    pub rights: Rights,
    /// DBCC TRACEON without -1.
    pub trace_flags: BTreeSet<i32>,
    /// A text of the server's own is run, which sees all rows.
    pub unfiltered: bool,
}

/// What a name meant. The plan cache keeps the module.
pub struct Called {
    pub name: String,
    pub naming: Naming,
    pub module: Weak<Module>,
    pub info: Arc<ModuleInfo>,
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

impl SessionHost {
    pub fn new(
        server: Arc<Server>,
        entry: Arc<SessionEntry>,
        login_database: DatabaseId,
        login_language: LanguageId,
        actor: Actor,
    ) -> SessionHost {
        SessionHost {
            catalog_session: CatalogSession::new(&server.catalog, login_database, "dbo"),
            server,
            prepared: PreparedStatements::default(),
            entry,
            login_database,
            login_language,
            login_odbc: true,
            private_queries: PrivateQueries::default(),
            notices: Vec::new(),
            application_locks: ApplicationLocks::default(),
            cursors: ApiCursors::default(),
            context: Vec::new(),
            known_database: None,
            picture: Picture::default(),
            called: None,
            bulk_target: None,
            text_aborted: false,
            rights: Rights::new(actor),
            trace_flags: BTreeSet::new(),
            unfiltered: false,
        }
    }

    pub fn database_name(&self) -> String {
        self.server.catalog.database(self.catalog_session.database).map_or_else(String::new, |db| db.row().name.clone())
    }

    /// Whether a column that says neither NULL nor NOT NULL takes NULL: the session's settings before the database's.
    /// https://learn.microsoft.com/sql/t-sql/statements/set-ansi-null-dflt-on-transact-sql
    pub fn is_null_by_default(options: &Options, database: &Database) -> bool {
        let by_database = database.row().options & database_option::ANSI_NULL_DEFAULT != 0;
        options.ansi_null_dflt_on || !options.ansi_null_dflt_off && by_database
    }

    /// Of the current database.
    pub fn database_collation(&self) -> CollationId {
        self.server.catalog.database(self.catalog_session.database).map_or_else(CollationId::default, |db| db.collation)
    }

    pub fn killed(&self) -> bool {
        self.entry.killed.load(Ordering::Acquire)
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
        entry.signal.running.begin_request(None);
        entry.last_request_start.store(os::clock::utc_ticks() as i64, Ordering::Relaxed);
        *entry.running.lock() = os::sched::current_task().map(|task| (os::wait::current(), task));
    }

    pub fn request_ended(&mut self, connection: &Connection, state: &State) {
        self.request_over(state);
        let entry = &self.entry;
        entry.packets_received.store(connection.transport.packets_received, Ordering::Relaxed);
        entry.packets_sent.store(connection.transport.packets_sent, Ordering::Relaxed);
    }

    /// As `request_ended`, of a session without a client.
    pub fn request_over(&mut self, state: &State) {
        let entry = &self.entry;
        *entry.running.lock() = None;
        let started = entry.request_started_ns.swap(0, Ordering::Relaxed);
        let now = os::clock::now();
        entry.elapsed_ns.fetch_add(now.saturating_sub(started), Ordering::Relaxed);
        entry.work_ended(now);
        entry.last_request_end.store(os::clock::utc_ticks() as i64, Ordering::Relaxed);
        entry.signal.running.note(state.settings());
        entry.row_count.store(state.row_count, Ordering::Relaxed);
        entry.database.store(u32::from(self.catalog_session.database.0), Ordering::Relaxed);
        if !self.picture.is_of(state) {
            self.picture = Picture::of(state);
            *entry.picture.lock() = self.picture.clone();
        }
    }

    /// Asks the current database, None if it is gone.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn ask_database<T>(&self, ask: impl FnOnce(Option<&Database>) -> T) -> T {
        os::plant!();
        let (id, version) = (self.catalog_session.database, self.server.catalog.databases_version());
        match &self.known_database {
            Some((at, database)) if *at == version && database.id == id => ask(Some(database)),
            _ => ask(self.server.catalog.database(id).as_deref()),
        }
    }

    /// The catalog as this session sees it now.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn with_catalog<T>(&mut self, state: &mut State, work: impl FnOnce(&SessionCatalog<'_>) -> T) -> T {
        os::plant!();
        self.rights.keep_for(self.catalog_session.version(&self.server.catalog));
        let catalog = SessionCatalog::new(
            &self.server.catalog,
            &mut self.catalog_session,
            state.transaction.current.as_deref_mut(),
        );
        work(&catalog.guarded(&self.rights))
    }

    /// The catalog of a database as the session's transaction sees it: with what it has defined.
    pub fn catalog_rows<T>(
        &self,
        state: &mut State,
        db: &Database,
        work: impl FnOnce(&mut Rows<'_>) -> SqlResult<T>,
    ) -> SqlResult<T> {
        match state.transaction.current.as_mut() {
            Some(tx) => work(&mut db.rows_of_user(&self.server.catalog.storage, tx)),
            None => self.server.catalog.read(db, work),
        }
    }

    pub fn bind_options(state: &State) -> BindOptions {
        let identity_insert = state.options.identity_insert;
        BindOptions {
            quoted_identifier: state.options.quoted_identifier,
            ansi_nulls: state.options.ansi_nulls,
            identity_insert: identity_insert
                .map(|(database, object)| (sql::catalog::DatabaseId(database), sql::catalog::ObjectId(object))),
            unfiltered: false,
            client: match state.options.no_browse_table {
                _ if state.opens_cursor => Client::Cursor,
                true => Client::Browses,
                false => Client::Plain,
            },
        }
    }

    /// `work`, while another database is the current one.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn within<T>(&mut self, database: DatabaseId, work: impl FnOnce(&mut SessionHost) -> T) -> T {
        os::plant!();
        let own = std::mem::replace(&mut self.catalog_session.database, database);
        let result = work(self);
        self.catalog_session.database = own;
        result
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn resolve(&mut self, state: &mut State, name: &ObjectName) -> SqlResult<Option<Object>> {
        os::plant!();
        Ok(self.resolve_through(state, name)?.0)
    }

    /// And the synonym that it was named by.
    pub fn resolve_through(
        &mut self,
        state: &mut State,
        name: &ObjectName,
    ) -> SqlResult<(Option<Object>, Option<ObjectRef>)> {
        let (mut name, mut through) = (name.clone(), None);
        for _ in 0..SYNONYM_DEPTH_MAX {
            match self.with_catalog(state, |catalog| catalog.resolve(&name))? {
                Some(Object::Synonym(synonym)) => {
                    name = synonym.target.clone();
                    through = Some((synonym.database, synonym.object));
                }
                found => return Ok((found, through)),
            }
        }
        Ok((None, None))
    }
}
