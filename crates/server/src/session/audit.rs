//! What a session does, told to the audits that want to hear of it.

use exec::host::{ModuleInfo, TableAccess};
use sql::catalog::{DatabaseId, TableDef, USER_OBJECT_MIN};
use sql::plan::{Action as Asked, Need, ObjectRef};
use types::SqlResult;

use crate::audit::actions::{self, Action, Group};
use crate::audit::audits::{self, Access};
use crate::audit::record::Record;
use crate::audit::text::without_passwords;
use crate::catalog::{TEMPDB, load};
use crate::instance::server::Server;
use crate::instance::sessions::{Identity, Input};
use crate::security::actor::{self, Look};
use crate::session::host::{INTERNAL_SPID, SessionHost};

/// Something that happens, or is about to.
#[derive(Debug, Clone)]
pub struct Occurrence<'a> {
    pub group: &'static Group,
    pub action: Action,
    /// Class of what it is done to, as SQL Server abbreviates it.
    pub class: &'static str,
    /// Where it happens. None: in the current database.
    pub database: Option<DatabaseId>,
    /// An object that a specification may name.
    pub access: Option<Access>,
    pub schema: &'a str,
    pub object: &'a str,
    /// The principal that it is about.
    pub target: &'a str,
    /// None: what the client has sent.
    pub statement: Option<&'a str>,
    pub information: &'a str,
    /// It was allowed.
    pub succeeded: bool,
    pub duration_ms: i64,
}

impl Occurrence<'_> {
    pub fn new(group: &'static Group, action: Action, class: &'static str) -> Occurrence<'static> {
        Occurrence {
            group,
            action,
            class,
            database: None,
            access: None,
            schema: "",
            object: "",
            target: "",
            statement: None,
            information: "",
            succeeded: true,
            duration_ms: 0,
        }
    }
}

impl SessionHost {
    /// Writes what happens to each audit that wants it. Err: it must not happen, since one could not be written.
    pub fn audit(&mut self, what: &Occurrence<'_>) -> SqlResult<()> {
        if !self.server.audits.any() || self.entry.spid == INTERNAL_SPID {
            return Ok(());
        }
        let id = what.database.unwrap_or(self.catalog_session.database);
        let Some(db) = self.server.catalog.database(id) else { return Ok(()) };
        let version = self.catalog_session.version(&self.server.catalog);
        self.rights.keep_for(version);
        let mut look = Look { catalog: &self.server.catalog, transaction: None };
        let user = self.rights.user(&mut look, &db)?;
        let is_principal = |principal: i32| {
            principal == actor::PUBLIC || user.as_ref().is_some_and(|user| user.ids.contains(&principal))
        };
        let targets = self.server.audits.concerned(what.group, Some(id.0), what.access, &is_principal);
        if targets.is_empty() {
            return Ok(());
        }
        let login = self.rights.login(&mut look)?;
        let own = &self.entry.identity.login_name;
        let sent = match (&what.statement, &*self.entry.input.lock()) {
            (Some(text), _) => (*text).to_owned(),
            (None, Some(Input::Batch(text))) => text.to_string(),
            (None, Some(Input::Call(procedure, _))) => format!("EXEC {}", procedure.name()),
            (None, None) => String::new(),
        };
        let record = Record {
            action: what.action.code.into(),
            class: what.class.into(),
            succeeded: what.succeeded,
            session: self.entry.spid,
            server_principal: login.as_ref().map_or(0, |login| login.id),
            server_principal_name: login.map_or_else(|| own.clone(), |login| login.name.clone()),
            session_principal_name: own.clone(),
            database_principal: user.as_ref().map_or(0, |user| user.id),
            database_principal_name: user.map_or_else(String::new, |user| user.name.clone()),
            object: what.access.map_or(0, |access| access.object),
            target_principal_name: what.target.into(),
            database: db.name(),
            schema: what.schema.into(),
            object_name: what.object.into(),
            statement: without_passwords(&sent).into_owned(),
            information: what.information.into(),
            duration_ms: what.duration_ms,
            ..of_connection(&self.server, &self.entry.identity)
        };
        match audits::write(&targets, &record) {
            // Somebody must be able to come and mend it.
            Err(_) if self.entry.identity.admin => Ok(()),
            written => written,
        }
    }
}

impl SessionHost {
    /// Of a user's table; temporary ones are nobody else's.
    pub fn audit_access(&mut self, text: &str, table: &TableDef, access: TableAccess) -> SqlResult<()> {
        if table.database == TEMPDB || table.object.0 < USER_OBJECT_MIN {
            return Ok(());
        }
        let action = match access {
            TableAccess::Select => actions::SELECT,
            TableAccess::Insert => actions::INSERT,
            TableAccess::Update => actions::UPDATE,
            TableAccess::Delete => actions::DELETE,
        };
        let name = (&*table.schema, &*table.name);
        let kind = if table.of_view { "V" } else { "U" };
        self.audit_object(Some(text), (table.database, table.object), name, kind, action, true)
    }

    pub fn audit_procedure(&mut self, procedure: &ModuleInfo) -> SqlResult<()> {
        // A text that is run has no object.
        if procedure.database == TEMPDB || procedure.object.0 < USER_OBJECT_MIN {
            return Ok(());
        }
        let (schema, name) = procedure.name.split_once('.').unwrap_or(("dbo", &procedure.name));
        let object = (procedure.database, procedure.object);
        self.audit_object(None, object, (schema, name), "P", actions::EXECUTE, true)
    }

    /// What is not permitted is told, too.
    pub fn audit_refusal(&mut self, need: &Need) -> SqlResult<()> {
        if !self.server.audits.any() {
            return Ok(());
        }
        let (database, object) = need.object;
        let Some(db) = self.server.catalog.database(database) else { return Ok(()) };
        let found = self.server.catalog.read(&db, |rows| match load::object_row(rows, object.0)? {
            Some(row) => Ok(Some((load::schema_name(rows, row.nsid)?, row))),
            None => Ok(None),
        })?;
        let Some((schema, row)) = found else { return Ok(()) };
        let action = match need.action {
            Asked::Select => actions::SELECT,
            Asked::Insert => actions::INSERT,
            Asked::Update => actions::UPDATE,
            Asked::Delete => actions::DELETE,
            Asked::Execute => actions::EXECUTE,
        };
        let class = match row.kind.as_str() {
            "V" => "V",
            "P" => "P",
            "FN" | "IF" | "TF" => "FN",
            _ => "U",
        };
        self.audit_object(None, need.object, (&schema, &row.name), class, action, false)
    }

    fn audit_object(
        &mut self,
        statement: Option<&str>,
        (database, object): ObjectRef,
        (schema, name): (&str, &str),
        class: &'static str,
        action: Action,
        succeeded: bool,
    ) -> SqlResult<()> {
        let Some(db) = self.server.catalog.database(database) else { return Ok(()) };
        let row = self.server.catalog.read(&db, |rows| load::object_row(rows, object.0))?;
        let access = Access { action, object: object.0, schema: row.map_or(0, |row| row.nsid) };
        self.audit(&Occurrence {
            database: Some(database),
            access: Some(access),
            schema,
            object: name,
            statement,
            succeeded,
            ..Occurrence::new(actions::SCHEMA_OBJECT_ACCESS, action, class)
        })
    }

    /// A batch or a call begins, or has ended after so many milliseconds. Err: it could not be written.
    pub fn audit_request(&mut self, ended: Option<(i64, bool)>) -> SqlResult<()> {
        if !self.server.audits.any() {
            return Ok(());
        }
        let what = match ended {
            None => Occurrence::new(actions::BATCH_STARTED, actions::BATCH_STARTS, "DB"),
            Some((duration_ms, succeeded)) => Occurrence {
                duration_ms,
                succeeded,
                ..Occurrence::new(actions::BATCH_COMPLETED, actions::BATCH_COMPLETES, "DB")
            },
        };
        self.audit(&what)
    }
}

/// Tells who audits of a login that failed: there is no session. What cannot be written changes nothing: nobody gets in.
pub fn tell_of_failed_login(server: &Server, identity: &Identity, reason: &str) {
    if !server.audits.any() {
        return;
    }
    let targets = server.audits.concerned(actions::FAILED_LOGIN, None, None, &|_| false);
    let record = Record {
        action: actions::LOGIN_FAILED.code.into(),
        class: "LX".into(),
        server_principal_name: identity.login_name.clone(),
        session_principal_name: identity.login_name.clone(),
        information: reason.into(),
        statement: format!("Login failed for user '{}'.", identity.login_name),
        ..of_connection(server, identity)
    };
    let _ = audits::write(&targets, &record);
}

/// What a record says of where somebody comes from.
pub fn of_connection(server: &Server, identity: &Identity) -> Record {
    let client = match identity.client.map(|client| client.tcp()) {
        Some(Some(address)) => address.ip().to_string(),
        Some(None) => "local machine".to_owned(),
        None => String::new(),
    };
    Record {
        ticks: os::clock::utc_ticks() as i64,
        server: server.catalog.server_name.clone(),
        client,
        application: identity.program_name.clone(),
        host: identity.host_name.clone(),
        connection: identity.connection_id.to_be_bytes(),
        ..Record::default()
    }
}
