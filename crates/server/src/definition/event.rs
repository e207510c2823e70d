//! Which events a statement is, and the triggers of databases and of the server that they fire.
//!
//! What a statement is about is noted before it runs, since what it drops cannot be asked for afterwards; the triggers fire when it has
//! been done, within its transaction. A trigger does not fire for its own CREATE. Where there are none, nothing is noted.
//! https://learn.microsoft.com/sql/relational-databases/triggers/ddl-events

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use exec::EventTrigger;
use sql::ast::{
    AlterDatabaseAction, AlterRoleAction, AlterTable, AlterTableAction, AlterTableDropKind, CreateSynonym, Definition,
    DropKind, Ident, IndexKind, MasterKey, ModuleVerb, ObjectName, Permission, PermissionVerb, Statement,
    StatementKind, TableDefinition, TriggerScope,
};
use sql::catalog::ObjectId;
use types::SqlResult;

use super::audited;
use super::data_type::find_type;
use super::event_data::{Elements, Extent, command_text, post_time};
use super::site::{Ddl, Site};
use super::xml_schema;
use crate::catalog::base::{LoginRow, ObjectRow, OwnerRow, class};
use crate::catalog::event_type::{self, EventType};
use crate::catalog::load::{self, name as name_datum};
use crate::catalog::scoped_trigger::{self, ScopedTrigger};
use crate::catalog::{Catalog, Database, MASTER};
use crate::settings::config::option;

/// What is about to be done, or has been.
pub struct Occasion {
    event: EventType,
    /// Of an event of a database: which.
    db: Option<Arc<Database>>,
    about: Elements,
    extent: Extent,
    /// Who is made or changed: of these there is more to say afterwards.
    principal: Option<Principal>,
}

enum Principal {
    Login(String),
    User(String),
}

impl Occasion {
    pub(super) fn new(event: &str, db: Option<&Arc<Database>>, extent: Extent) -> Occasion {
        let event = event_type::named(event).expect("an event of the tree");
        Occasion { event, db: db.cloned(), about: Elements::default(), extent, principal: None }
    }

    pub(super) fn text(mut self, name: &str, value: &str) -> Occasion {
        self.about.text(name, value);
        self
    }

    /// `ObjectName` and `ObjectType`.
    pub(super) fn object(self, name: &str, kind: &str) -> Occasion {
        self.text("ObjectName", name).text("ObjectType", kind)
    }

    pub(super) fn target(self, name: &str, kind: &str) -> Occasion {
        self.text("TargetObjectName", name).text("TargetObjectType", kind)
    }

    /// Of a procedure: its arguments, one for each of its parameters.
    pub(super) fn parameters(mut self, given: &[String]) -> Occasion {
        self.about.inside("Parameters", |list| given.iter().for_each(|value| list.text("Param", value)));
        self
    }
}

/// A statement, or a procedure, for whose events there may be triggers.
pub struct Watch {
    /// Those there were before it, with their databases.
    before: Vec<(Arc<Database>, ScopedTrigger)>,
    occasions: Vec<Occasion>,
}

/// What a trigger is to learn of the text that was run.
struct Command<'a> {
    text: &'a str,
    span: sql::ast::Span,
    encrypted: bool,
}

/// Before a statement is carried out. None: no trigger could fire.
pub fn begin(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<Option<Watch>> {
    if is_none(&statement.kind) {
        return Ok(None);
    }
    // None: it was dropped under the session.
    let mut databases: Vec<Arc<Database>> = ddl.current().into_iter().collect();
    for name in audited::names(&statement.kind) {
        let other = name.database.as_ref().and_then(|name| ddl.catalog.database_named(name));
        databases.extend(other.filter(|other| !other.is_restoring()));
    }
    let before = armed(ddl, databases)?;
    if before.is_empty() {
        return Ok(None);
    }
    let mut occasions = Vec::new();
    of_statement(ddl, &statement.kind, &mut occasions)?;
    Ok(Some(Watch { before, occasions }))
}

/// Whether a statement is no event.
fn is_none(kind: &StatementKind) -> bool {
    use StatementKind as S;
    matches!(
        kind,
        S::Truncate(_)
            | S::SwitchTrigger(_)
            | S::Backup(_)
            | S::Restore(_)
            | S::BackupCertificate(_)
            | S::Dbcc(_)
            | S::Checkpoint(_)
            | S::Reconfigure { .. }
            | S::Kill(_)
            | S::ThreadPool(_)
            | S::Other(_)
    )
}

/// As `begin`, for a procedure that works on the current database; `note` says what it is about to do.
pub fn begin_procedure(
    ddl: &mut Ddl<'_>,
    note: impl FnOnce(&mut Ddl<'_>) -> SqlResult<Vec<Occasion>>,
) -> SqlResult<Option<Watch>> {
    let databases = vec![ddl.current()?];
    let before = armed(ddl, databases)?;
    if before.is_empty() {
        return Ok(None);
    }
    Ok(Some(Watch { before, occasions: note(ddl)? }))
}

/// SELECT INTO has made a table: its triggers fire.
pub fn table_made(site: &mut dyn Site, name: &sql::catalog::ObjectName) -> SqlResult<()> {
    let name: ObjectName = name.clone().into();
    if name.is_temporary() {
        return Ok(());
    }
    let mut ddl = Ddl::new(site, "");
    let other = name.database.as_ref().and_then(|name| ddl.catalog.database_named(name));
    let databases = ddl.current().into_iter().chain(other).collect();
    let before = armed(&mut ddl, databases)?;
    if before.is_empty() {
        return Ok(());
    }
    let Some(made) = find(&mut ddl, &name)? else { return Ok(()) };
    let watch = Watch { before, occasions: vec![in_schema("CREATE_TABLE", &made, "TABLE", Extent::Tokens)] };
    let text = ddl.site.running_text();
    watch.fire_procedure(&mut ddl, &text)
}

/// Triggers of the databases and of the server.
fn armed(ddl: &mut Ddl<'_>, mut databases: Vec<Arc<Database>>) -> SqlResult<Vec<(Arc<Database>, ScopedTrigger)>> {
    databases.push(ddl.catalog.expect_database(MASTER));
    databases.sort_by_key(|db| db.id);
    databases.dedup_by_key(|db| db.id);
    let own = ddl.site.state().0.has_uncommitted_changes();
    let mut found = Vec::new();
    for db in databases {
        let known: Arc<[ScopedTrigger]> = match own {
            true => ddl.rows(&db, scoped_trigger::load)?.into(),
            false => ddl.catalog.scoped_triggers(&db)?,
        };
        found.extend(known.iter().map(|trigger| (db.clone(), trigger.clone())));
    }
    Ok(found)
}

impl Watch {
    /// The statement has been carried out.
    pub fn fire(self, ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
        let encrypted = match &statement.kind {
            StatementKind::CreateView(create) => create.options.encryption,
            StatementKind::CreateProcedure(create) => create.options.encryption,
            StatementKind::CreateFunction(create) => create.options.encryption,
            StatementKind::CreateTrigger(create) => create.options.encryption,
            _ => false,
        };
        let text = ddl.text;
        self.fire_for(ddl, &Command { text, span: statement.span, encrypted })
    }

    /// The procedure that `call` names has done its work.
    pub fn fire_procedure(self, ddl: &mut Ddl<'_>, call: &str) -> SqlResult<()> {
        let span = sql::ast::Span { start: 0, end: call.len() as u32 };
        self.fire_for(ddl, &Command { text: call, span, encrypted: false })
    }

    fn fire_for(self, ddl: &mut Ddl<'_>, command: &Command<'_>) -> SqlResult<()> {
        let Watch { before, occasions } = self;
        for occasion in &occasions {
            let concerns = |db: &Database, trigger: &ScopedTrigger| {
                trigger.of_server || occasion.db.as_ref().is_some_and(|own| own.id == db.id)
            };
            let mut databases: Vec<Arc<Database>> = Vec::new();
            for (db, trigger) in &before {
                if concerns(db, trigger) && databases.iter().all(|known| known.id != db.id) {
                    databases.push(db.clone());
                }
            }
            let mut chosen = Vec::new();
            for db in databases {
                // As they are now: the statement, or another trigger, may have changed them.
                for trigger in ddl.rows(&db, scoped_trigger::load)? {
                    let was =
                        before.iter().any(|(_, known)| known.id == trigger.id && known.of_server == trigger.of_server);
                    if let Some(place) = trigger.place(occasion.event.number)
                        && was
                        && concerns(&db, &trigger)
                    {
                        chosen.push((!trigger.of_server, place, db.clone(), trigger));
                    }
                }
            }
            if chosen.is_empty() {
                continue;
            }
            chosen.sort_by_key(|(of_database, place, ..)| (*of_database, *place));
            let triggers: Vec<EventTrigger> =
                chosen.iter().map(|(_, _, db, trigger)| of_event(&ddl.catalog, db, trigger)).collect();
            let data = occasion.data(ddl, command)?;
            ddl.site.fire(&triggers, &data)?;
        }
        Ok(())
    }
}

/// As execution knows it.
pub fn of_event(catalog: &Catalog, db: &Database, trigger: &ScopedTrigger) -> EventTrigger {
    EventTrigger {
        database: db.id,
        object: ObjectId(trigger.id),
        name: trigger.name.as_str().into(),
        recursive: match trigger.of_server {
            true => catalog.configuration.running(option::SERVER_TRIGGER_RECURSION) != 0,
            false => db.recursive_triggers(),
        },
    }
}

impl Occasion {
    fn data(&self, ddl: &mut Ddl<'_>, command: &Command<'_>) -> SqlResult<types::Datum> {
        let mut all = Elements::default();
        all.text("EventType", self.event.name);
        all.text("PostTime", &post_time());
        all.text("SPID", &ddl.site.session().spid.to_string());
        all.text("ServerName", &ddl.catalog.server_name);
        let own = ddl.site.login();
        let login = ddl.rights(|rights, look| Ok(rights.login(look)?.map(|login| login.name.clone())))?;
        all.text("LoginName", &login.unwrap_or(own));
        if let Some(db) = &self.db {
            let user = ddl.rights(|rights, look| Ok(rights.user(look, db)?.map(|user| user.name.clone())))?;
            all.text("UserName", &user.unwrap_or_default());
            all.text("DatabaseName", &db.name());
        }
        all.append(&self.about);
        match &self.principal {
            Some(Principal::Login(name)) => add_login(ddl, name, &mut all)?,
            Some(Principal::User(name)) => add_user(ddl, self.db.as_ref(), name, &mut all)?,
            None => {}
        }
        let options = &ddl.site.session().options;
        let set = [options.ansi_nulls, options.ansi_null_dflt_on, options.ansi_padding, options.quoted_identifier];
        all.command(set, command.encrypted, &command_text(command.text, command.span, self.extent));
        Ok(all.document())
    }
}

fn add_login(ddl: &mut Ddl<'_>, name: &str, to: &mut Elements) -> SqlResult<()> {
    let master = ddl.catalog.expect_database(MASTER);
    let row = ddl.rows(&master, |rows| rows.first::<LoginRow>(1, &[name_datum(name)]))?;
    let Some(row) = row else { return Ok(()) };
    to.text("DefaultLanguage", row.default_language.as_deref().unwrap_or("us_english"));
    to.text("DefaultDatabase", row.default_database.as_deref().unwrap_or("master"));
    to.text("LoginType", "SQL Login");
    to.text("SID", &STANDARD.encode(row.sid.0.as_deref().unwrap_or_default()));
    Ok(())
}

fn add_user(ddl: &mut Ddl<'_>, db: Option<&Arc<Database>>, name: &str, to: &mut Elements) -> SqlResult<()> {
    let Some(db) = db else { return Ok(()) };
    let row = ddl.rows(db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
    let Some(row) = row else { return Ok(()) };
    to.text("DefaultSchema", row.default_schema.as_deref().unwrap_or_default());
    to.text("SID", &STANDARD.encode(row.sid.0.as_deref().unwrap_or_default()));
    Ok(())
}

/// An object of `sys.objects.type` as events call it.
fn kind_word(kind: &str) -> &'static str {
    match kind {
        "U" => "TABLE",
        "V" => "VIEW",
        "P" | "X" => "PROCEDURE",
        "FN" | "IF" | "TF" => "FUNCTION",
        "TR" => "TRIGGER",
        "SO" => "SEQUENCE",
        "SN" => "SYNONYM",
        "D" => "DEFAULT",
        "R" => "RULE",
        "C" => "CHECK",
        "F" => "FOREIGN KEY",
        "PK" => "PRIMARY KEY",
        "UQ" => "UNIQUE CONSTRAINT",
        "SP" => "SECURITY POLICY",
        _ => "OBJECT",
    }
}

/// What a name stands for.
pub(super) struct Found {
    pub db: Arc<Database>,
    pub schema: String,
    /// As it is written, of what is not there yet.
    pub name: String,
    row: Option<ObjectRow>,
}

impl Found {
    pub fn kind(&self) -> &'static str {
        self.row.as_ref().map_or("OBJECT", |row| kind_word(row.kind.as_str()))
    }
}

/// None: it is a temporary object, which fires nothing, or the statement fails for it.
pub(super) fn find(ddl: &mut Ddl<'_>, name: &ObjectName) -> SqlResult<Option<Found>> {
    if name.is_temporary() || name.server.is_some() {
        return Ok(None);
    }
    let Ok(Some((db, row))) = ddl.find(name) else { return Ok(None) };
    found(ddl, db, row).map(Some)
}

fn found(ddl: &mut Ddl<'_>, db: Arc<Database>, row: ObjectRow) -> SqlResult<Found> {
    let schema = ddl.rows(&db, |rows| load::schema_name(rows, row.nsid))?;
    Ok(Found { db, schema, name: row.name.clone(), row: Some(row) })
}

/// What is to be made. None, as of `find`.
fn new(ddl: &mut Ddl<'_>, name: &ObjectName) -> Option<Found> {
    if name.is_temporary() || name.server.is_some() {
        return None;
    }
    let db = ddl.database_of(name).ok()?;
    let written = name.schema.as_ref().map(|schema| schema.text.to_string());
    let schema = written.unwrap_or_else(|| ddl.site.state().0.default_schema.to_string());
    Some(Found { db, schema, name: name.name.to_string(), row: None })
}

fn in_schema(event: &str, found: &Found, kind: &str, extent: Extent) -> Occasion {
    Occasion::new(event, Some(&found.db), extent).text("SchemaName", &found.schema).object(&found.name, kind)
}

fn of_statement(ddl: &mut Ddl<'_>, kind: &StatementKind, to: &mut Vec<Occasion>) -> SqlResult<()> {
    use StatementKind as S;
    match kind {
        S::CreateTable(create) => {
            to.extend(new(ddl, &create.name).map(|new| in_schema("CREATE_TABLE", &new, "TABLE", Extent::Tokens)));
        }
        S::AlterTable(change) => to.extend(of_alter_table(ddl, change)?),
        S::CreateIndex(create) => {
            let event = match create.kind {
                IndexKind::Xml { .. } => "CREATE_XML_INDEX",
                IndexKind::Spatial { .. } => "CREATE_SPATIAL_INDEX",
                IndexKind::FullText => "CREATE_FULLTEXT_INDEX",
                IndexKind::Rows | IndexKind::Columnstore => "CREATE_INDEX",
            };
            to.extend(of_table(ddl, event, &create.table, Some(&create.name), "INDEX")?);
        }
        S::AlterIndex(change) => {
            to.extend(of_table(ddl, "ALTER_INDEX", &change.table, change.index.as_ref(), "INDEX")?);
        }
        S::DropIndex(drop) => {
            for item in &drop.indexes {
                to.extend(of_table(ddl, "DROP_INDEX", &item.table, Some(&item.index), "INDEX")?);
            }
        }
        S::CreateStatistics(create) => {
            to.extend(of_table(ddl, "CREATE_STATISTICS", &create.table, Some(&create.name), "STATISTICS")?);
        }
        S::UpdateStatistics(update) => {
            to.extend(of_table(ddl, "UPDATE_STATISTICS", &update.table, None, "STATISTICS")?);
        }
        S::DropStatistics(names) => {
            for name in names {
                let table = name.schema.clone().unwrap_or_else(|| name.name.clone());
                let table = ObjectName {
                    name: table,
                    schema: name.database.clone(),
                    database: name.server.clone(),
                    server: None,
                    ..*name
                };
                to.extend(of_table(ddl, "DROP_STATISTICS", &table, Some(&name.name), "STATISTICS")?);
            }
        }
        S::CreateView(create) => to.extend(of_module(ddl, &create.definition, &create.name, "VIEW")?),
        S::CreateProcedure(create) => to.extend(of_module(ddl, &create.definition, &create.name, "PROCEDURE")?),
        S::CreateFunction(create) => to.extend(of_module(ddl, &create.definition, &create.name, "FUNCTION")?),
        S::CreateTrigger(create) => {
            let event = verb_event(ddl, &create.definition, &create.name, &create.on, "TRIGGER")?;
            to.extend(of_trigger(ddl, &event, &create.name, &create.on, Extent::Batch)?);
        }
        S::Drop(drop) => {
            for name in &drop.names {
                to.extend(dropped(ddl, drop.kind, name, drop.scope.as_ref())?);
            }
        }
        S::CreateSchema(create) => of_schema(ddl, create, to)?,
        S::AlterSchema(change) => {
            let db = ddl.current()?;
            let (name, kind) = match change.class.as_deref() {
                Some("TYPE") => (change.name.name.to_string(), "TYPE"),
                _ => match find(ddl, &change.name)? {
                    Some(found) => (found.name.clone(), found.kind()),
                    None => return Ok(()),
                },
            };
            let occasion = Occasion::new("ALTER_SCHEMA", Some(&db), Extent::ToNext);
            to.push(occasion.text("SchemaName", &change.schema).object(&name, kind));
        }
        S::CreateType(create) => {
            to.extend(new(ddl, &create.name).map(|new| in_schema("CREATE_TYPE", &new, "TYPE", Extent::ToNext)));
        }
        S::CreateSequence(create) if create.alter => {
            let found = find(ddl, &create.name)?;
            to.extend(found.map(|found| in_schema("ALTER_SEQUENCE", &found, "SEQUENCE", Extent::ToNext)));
        }
        S::CreateSequence(create) => {
            to.extend(new(ddl, &create.name).map(|new| in_schema("CREATE_SEQUENCE", &new, "SEQUENCE", Extent::ToNext)));
        }
        S::CreateSynonym(create) => to.extend(of_synonym(ddl, create)),
        S::CreateDefaultOrRule(create) => {
            let (event, kind) = if create.rule { ("CREATE_RULE", "RULE") } else { ("CREATE_DEFAULT", "DEFAULT") };
            to.extend(new(ddl, &create.name).map(|new| in_schema(event, &new, kind, Extent::Batch)));
        }
        S::SecurityPolicy(policy) => {
            let event = if policy.alter { "ALTER_SECURITY_POLICY" } else { "CREATE_SECURITY_POLICY" };
            let found = if policy.alter { find(ddl, &policy.name)? } else { new(ddl, &policy.name) };
            to.extend(found.map(|found| in_schema(event, &found, "SECURITY POLICY", Extent::ToNext)));
        }
        S::XmlSchemaCollection(made) if made.alter => {
            to.extend(of_collection(ddl, "ALTER_XML_SCHEMA_COLLECTION", &made.name)?);
        }
        S::XmlSchemaCollection(made) => to.extend(
            new(ddl, &made.name).map(|new| in_schema("CREATE_XML_SCHEMA_COLLECTION", &new, COLLECTION, Extent::ToNext)),
        ),
        kind => of_partitions(ddl, kind, to)?,
    }
    Ok(())
}

const COLLECTION: &str = "XML SCHEMA COLLECTION";

/// Of one that is there: its names are apart from those of objects.
fn of_collection(ddl: &mut Ddl<'_>, event: &str, name: &ObjectName) -> SqlResult<Option<Occasion>> {
    let db = ddl.database_of(name)?;
    let Some(row) = xml_schema::find(ddl, &db, None, name)? else { return Ok(None) };
    let schema = ddl.rows(&db, |rows| load::schema_name(rows, -row.nsid))?;
    let occasion = Occasion::new(event, Some(&db), Extent::ToNext).text("SchemaName", &schema);
    Ok(Some(occasion.object(&row.name, COLLECTION)))
}

fn of_synonym(ddl: &mut Ddl<'_>, create: &CreateSynonym) -> Option<Occasion> {
    let part = |part: &Option<Ident>| part.as_ref().map(|part| part.text.to_string()).unwrap_or_default();
    let (new, target) = (new(ddl, &create.name)?, &create.target);
    let occasion = in_schema("CREATE_SYNONYM", &new, "SYNONYM", Extent::ToNext)
        .text("TargetServerName", &part(&target.server))
        .text("TargetDatabaseName", &part(&target.database))
        .text("TargetSchemaName", &part(&target.schema))
        .text("TargetObjectName", &target.name);
    Some(occasion)
}

fn of_partitions(ddl: &mut Ddl<'_>, kind: &StatementKind, to: &mut Vec<Occasion>) -> SqlResult<()> {
    use StatementKind as S;
    match kind {
        S::CreatePartitionFunction(create) => {
            to.push(plain(ddl, "CREATE_PARTITION_FUNCTION", &create.name, "PARTITION FUNCTION", Extent::ToNext)?);
        }
        S::AlterPartitionFunction(change) => {
            to.push(plain(ddl, "ALTER_PARTITION_FUNCTION", &change.name, "PARTITION FUNCTION", Extent::ToNext)?);
        }
        S::CreatePartitionScheme(create) => {
            to.push(plain(ddl, "CREATE_PARTITION_SCHEME", &create.name, "PARTITION SCHEME", Extent::ToNext)?);
        }
        S::AlterPartitionScheme(change) => {
            to.push(plain(ddl, "ALTER_PARTITION_SCHEME", &change.name, "PARTITION SCHEME", Extent::ToNext)?);
        }
        kind => of_security(ddl, kind, to)?,
    }
    Ok(())
}

/// Of the current database, in no schema.
fn plain(ddl: &mut Ddl<'_>, event: &str, name: &str, kind: &str, extent: Extent) -> SqlResult<Occasion> {
    let db = ddl.current()?;
    Ok(Occasion::new(event, Some(&db), extent).object(name, kind))
}

/// An index or statistics of a table or view.
fn of_table(
    ddl: &mut Ddl<'_>,
    event: &str,
    table: &ObjectName,
    name: Option<&Ident>,
    kind: &str,
) -> SqlResult<Option<Occasion>> {
    let Some(table) = find(ddl, table)? else { return Ok(None) };
    let occasion = Occasion::new(event, Some(&table.db), Extent::Tokens).text("SchemaName", &table.schema);
    let occasion = match name {
        Some(name) => occasion.text("ObjectName", name),
        None => occasion,
    };
    Ok(Some(occasion.text("ObjectType", kind).target(&table.name, table.kind())))
}

fn of_alter_table(ddl: &mut Ddl<'_>, change: &AlterTable) -> SqlResult<Option<Occasion>> {
    let Some(table) = find(ddl, &change.name)? else { return Ok(None) };
    let mut occasion = in_schema("ALTER_TABLE", &table, table.kind(), Extent::Tokens);
    let actions = |verb: &str, columns: Vec<&str>, constraints: Vec<&str>, to: &mut Elements| {
        to.inside("AlterTableActionList", |list| {
            list.inside(verb, |verb| {
                for (kind, names) in [("Columns", columns), ("Constraints", constraints)] {
                    if !names.is_empty() {
                        verb.inside(kind, |list| names.iter().for_each(|name| list.text("Name", name)));
                    }
                }
            });
        });
    };
    match &change.action {
        AlterTableAction::Add { definition, .. } => {
            let (columns, constraints) = added(definition);
            actions("Create", columns, constraints, &mut occasion.about);
        }
        AlterTableAction::AlterColumn(column) => {
            actions("Alter", vec![&*column.name], Vec::new(), &mut occasion.about);
        }
        AlterTableAction::Drop(items) => {
            let (mut columns, mut constraints) = (Vec::new(), Vec::new());
            for item in items {
                match &item.kind {
                    AlterTableDropKind::Column(name) => columns.push(&**name),
                    AlterTableDropKind::Constraint { name, .. } => constraints.push(&**name),
                    AlterTableDropKind::Index(_) | AlterTableDropKind::Period => {}
                }
            }
            actions("Drop", columns, constraints, &mut occasion.about);
        }
        _ => {}
    }
    Ok(Some(occasion))
}

/// Columns, and constraints that were given names.
fn added(definition: &TableDefinition) -> (Vec<&str>, Vec<&str>) {
    let columns = definition.columns.iter().map(|column| &*column.name.text).collect();
    let own = definition.columns.iter().flat_map(|column| &column.constraints);
    let constraints = own.chain(&definition.constraints).filter_map(|constraint| constraint.name.as_deref()).collect();
    (columns, constraints)
}

/// `CREATE_` or `ALTER_`, of what CREATE OR ALTER finds or does not.
fn verb_event(
    ddl: &mut Ddl<'_>,
    definition: &Definition,
    name: &ObjectName,
    scope: &TriggerScope,
    kind: &str,
) -> SqlResult<String> {
    let alters = match definition.verb {
        ModuleVerb::Create => false,
        ModuleVerb::Alter => true,
        ModuleVerb::CreateOrAlter => match scope {
            TriggerScope::Table(_) => find(ddl, name)?.is_some(),
            TriggerScope::Database => super::scoped_trigger::Scope::of_database(ddl)?.find(ddl, &name.name)?.is_some(),
            TriggerScope::AllServer => super::scoped_trigger::Scope::of_server(ddl).find(ddl, &name.name)?.is_some(),
        },
    };
    Ok(format!("{}_{kind}", if alters { "ALTER" } else { "CREATE" }))
}

fn of_module(ddl: &mut Ddl<'_>, definition: &Definition, name: &ObjectName, kind: &str) -> SqlResult<Option<Occasion>> {
    let anywhere = TriggerScope::Table(name.clone());
    let event = verb_event(ddl, definition, name, &anywhere, kind)?;
    let found = if event.starts_with("ALTER") { find(ddl, name)? } else { new(ddl, name) };
    Ok(found.map(|found| in_schema(&event, &found, kind, Extent::Batch)))
}

fn of_trigger(
    ddl: &mut Ddl<'_>,
    event: &str,
    name: &ObjectName,
    on: &TriggerScope,
    extent: Extent,
) -> SqlResult<Option<Occasion>> {
    let (db, target) = match on {
        TriggerScope::Table(table) => {
            let Some(table) = find(ddl, table)? else { return Ok(None) };
            let occasion = Occasion::new(event, Some(&table.db), extent).text("SchemaName", &table.schema);
            return Ok(Some(occasion.object(&name.name, "TRIGGER").target(&table.name, table.kind())));
        }
        TriggerScope::Database => (Some(ddl.current()?), "Database"),
        TriggerScope::AllServer => (None, "Server"),
    };
    let occasion = Occasion::new(event, db.as_ref(), extent).text("SchemaName", "");
    Ok(Some(occasion.object(&name.name, "TRIGGER").target("", target)))
}

/// "EVENTDATA recognizes the schema_element definition as a separate event": EVENTDATA's page.
fn of_schema(ddl: &mut Ddl<'_>, create: &sql::ast::CreateSchema, to: &mut Vec<Occasion>) -> SqlResult<()> {
    let db = ddl.current()?;
    let Some(name) = create.name.as_ref().or(create.authorization.as_ref()) else { return Ok(()) };
    let occasion = Occasion::new("CREATE_SCHEMA", Some(&db), Extent::Batch).text("SchemaName", name);
    to.push(occasion.object(name, "SCHEMA"));
    let from = to.len();
    let kept = std::mem::replace(&mut ddl.site.state().0.default_schema, name.text.clone());
    let noted = create.elements.iter().try_for_each(|element| of_statement(ddl, &element.kind, to));
    ddl.site.state().0.default_schema = kept;
    to[from..].iter_mut().for_each(|occasion| occasion.extent = Extent::Batch);
    noted
}

fn dropped(
    ddl: &mut Ddl<'_>,
    kind: DropKind,
    name: &ObjectName,
    scope: Option<&TriggerScope>,
) -> SqlResult<Option<Occasion>> {
    let event = match kind {
        DropKind::Table => "DROP_TABLE",
        DropKind::View => "DROP_VIEW",
        DropKind::Procedure => "DROP_PROCEDURE",
        DropKind::Function | DropKind::Aggregate => "DROP_FUNCTION",
        DropKind::Sequence => "DROP_SEQUENCE",
        DropKind::Synonym => "DROP_SYNONYM",
        DropKind::Default => "DROP_DEFAULT",
        DropKind::Rule => "DROP_RULE",
        DropKind::SecurityPolicy => "DROP_SECURITY_POLICY",
        DropKind::Trigger => return dropped_trigger(ddl, name, scope),
        DropKind::XmlSchemaCollection => return of_collection(ddl, "DROP_XML_SCHEMA_COLLECTION", name),
        DropKind::Type => {
            let Ok(Some((db, row))) = find_type(ddl, name) else { return Ok(None) };
            let schema = ddl.rows(&db, |rows| load::schema_name(rows, row.schid))?;
            let occasion = Occasion::new("DROP_TYPE", Some(&db), Extent::ToNext).text("SchemaName", &schema);
            return Ok(Some(occasion.object(&row.name, "TYPE")));
        }
        other => return dropped_unschemed(ddl, other, &name.name),
    };
    let found = find(ddl, name)?;
    Ok(found.map(|found| {
        let occasion = in_schema(event, &found, found.kind(), Extent::Tokens);
        if kind == DropKind::Synonym { occasion.text("TargetObjectName", "") } else { occasion }
    }))
}

fn dropped_trigger(ddl: &mut Ddl<'_>, name: &ObjectName, scope: Option<&TriggerScope>) -> SqlResult<Option<Occasion>> {
    use super::scoped_trigger::Scope;
    let of_scope = match scope {
        Some(TriggerScope::Database) => Some((Scope::of_database(ddl)?, TriggerScope::Database)),
        Some(TriggerScope::AllServer) => Some((Scope::of_server(ddl), TriggerScope::AllServer)),
        None | Some(TriggerScope::Table(_)) => None,
    };
    if let Some((place, on)) = of_scope {
        return match place.find(ddl, &name.name)? {
            Some(_) => of_trigger(ddl, "DROP_TRIGGER", name, &on, Extent::Tokens),
            None => Ok(None),
        };
    }
    let Some(trigger) = find(ddl, name)? else { return Ok(None) };
    let parent = trigger.row.as_ref().map_or(0, |row| row.pid);
    let Some(row) = ddl.rows(&trigger.db, |rows| load::object_row(rows, parent))? else { return Ok(None) };
    let occasion = in_schema("DROP_TRIGGER", &trigger, "TRIGGER", Extent::Tokens);
    Ok(Some(occasion.target(&row.name, kind_word(row.kind.as_str()))))
}

/// What is in no schema.
fn dropped_unschemed(ddl: &mut Ddl<'_>, kind: DropKind, name: &str) -> SqlResult<Option<Occasion>> {
    let db = ddl.current()?;
    let of_class =
        |ddl: &mut Ddl<'_>, class: u8| Ok::<_, types::SqlError>(ddl.class_named(&db, class, name)?.is_some());
    let (event, word, extent, there) = match kind {
        DropKind::Schema => ("DROP_SCHEMA", "SCHEMA", Extent::ToNext, of_class(ddl, class::SCHEMA_ENTRY)?),
        DropKind::PartitionFunction => {
            ("DROP_PARTITION_FUNCTION", "PARTITION FUNCTION", Extent::Tokens, of_class(ddl, class::PARTITION_FUNCTION)?)
        }
        DropKind::PartitionScheme => {
            ("DROP_PARTITION_SCHEME", "PARTITION SCHEME", Extent::ToNext, of_class(ddl, class::PARTITION_SCHEME)?)
        }
        DropKind::User | DropKind::Role | DropKind::ApplicationRole => {
            let there = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?.is_some();
            match kind {
                DropKind::User => ("DROP_USER", "SQL USER", Extent::Tokens, there),
                DropKind::Role => ("DROP_ROLE", "ROLE", Extent::ToNext, there),
                _ => ("DROP_APPLICATION_ROLE", "APPLICATION ROLE", Extent::ToNext, there),
            }
        }
        DropKind::Database => {
            let there = ddl.catalog.database_named(name).is_some();
            let occasion = Occasion::new("DROP_DATABASE", None, Extent::Tokens).text("DatabaseName", name);
            return Ok(there.then_some(occasion));
        }
        DropKind::Login | DropKind::ServerRole => {
            let master = ddl.catalog.expect_database(MASTER);
            let row = ddl.rows(&master, |rows| rows.first::<LoginRow>(1, &[name_datum(name)]))?;
            let Some(row) = row else { return Ok(None) };
            let mut occasion = match kind {
                DropKind::Login => Occasion::new("DROP_LOGIN", None, Extent::ToNext).object(&row.name, "LOGIN"),
                _ => Occasion::new("DROP_SERVER_ROLE", None, Extent::ToNext).object(&row.name, "SERVER ROLE"),
            };
            if kind == DropKind::Login {
                add_login(ddl, name, &mut occasion.about)?;
            }
            return Ok(Some(occasion));
        }
        DropKind::Certificate => {
            return Ok(Some(Occasion::new("DROP_CERTIFICATE", Some(&db), Extent::ToNext).object(name, "CERTIFICATE")));
        }
        DropKind::Credential => {
            return Ok(Some(Occasion::new("DROP_CREDENTIAL", None, Extent::ToNext).object(name, "CREDENTIAL")));
        }
        _ => return Ok(None),
    };
    let mut occasion = Occasion::new(event, Some(&db), extent);
    if kind == DropKind::Schema {
        occasion = occasion.text("SchemaName", name);
    }
    Ok(there.then(|| occasion.object(name, word)))
}

/// Databases, principals, permissions.
fn of_security(ddl: &mut Ddl<'_>, kind: &StatementKind, to: &mut Vec<Occasion>) -> SqlResult<()> {
    use StatementKind as S;
    let server = |event: &str, name: &str, word: &str| Occasion::new(event, None, Extent::ToNext).object(name, word);
    let db = ddl.current()?;
    let here = |event: &str| Occasion::new(event, Some(&db), Extent::ToNext);
    let occasion = match kind {
        S::CreateDatabase(create) => {
            Occasion::new("CREATE_DATABASE", None, Extent::Tokens).text("DatabaseName", &create.name)
        }
        S::AlterDatabase(change) => match &change.action {
            AlterDatabaseAction::ScopedConfiguration { .. } => {
                here("ALTER_DATABASE_SCOPED_CONFIGURATION").object(&db.name(), "DATABASE")
            }
            _ => {
                let name = change.name.as_ref().map_or_else(|| db.name(), |name| name.text.to_string());
                Occasion::new("ALTER_DATABASE", None, Extent::Tokens).text("DatabaseName", &name)
            }
        },
        S::CreateLogin(create) => {
            let principal = Some(Principal::Login(create.name.to_string()));
            Occasion { principal, ..server("CREATE_LOGIN", &create.name, "LOGIN") }
        }
        S::AlterLogin(change) => {
            let principal = Some(Principal::Login(change.name.to_string()));
            Occasion { principal, ..server("ALTER_LOGIN", &change.name, "LOGIN") }
        }
        S::CreateUser(create) => {
            let principal = Some(Principal::User(create.name.to_string()));
            Occasion { principal, ..here("CREATE_USER").object(&create.name, "SQL USER") }
        }
        S::AlterUser(change) => {
            let principal = Some(Principal::User(change.name.to_string()));
            Occasion { principal, ..here("ALTER_USER").object(&change.name, "SQL USER") }
        }
        S::CreateRole(create) => match (&create.application, create.server) {
            (Some(_), _) => here("CREATE_APPLICATION_ROLE").object(&create.name, "APPLICATION ROLE"),
            (None, true) => server("CREATE_SERVER_ROLE", &create.name, "SERVER ROLE"),
            (None, false) => here("CREATE_ROLE").object(&create.name, "ROLE"),
        },
        S::AlterApplicationRole(change) => here("ALTER_APPLICATION_ROLE").object(&change.name, "APPLICATION ROLE"),
        S::AlterRole(change) => {
            let (member, verb) = match &change.action {
                AlterRoleAction::AddMember(member) => (member, "ADD"),
                AlterRoleAction::DropMember(member) => (member, "DROP"),
                AlterRoleAction::Rename(_) if change.server => {
                    to.push(server("ALTER_SERVER_ROLE", &change.name, "SERVER ROLE"));
                    return Ok(());
                }
                AlterRoleAction::Rename(_) => {
                    to.push(here("ALTER_ROLE").object(&change.name, "ROLE"));
                    return Ok(());
                }
            };
            if change.server {
                let event = format!("{verb}_SERVER_ROLE_MEMBER");
                server(&event, member, "LOGIN").text("RoleName", &change.name)
            } else {
                let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(member)]))?;
                let is_role = row.is_some_and(|row| row.kind.as_str() == "R");
                let word = if is_role { "ROLE" } else { "SQL USER" };
                here(&format!("{verb}_ROLE_MEMBER")).object(member, word).text("RoleName", &change.name)
            }
        }
        S::AlterAuthorization(change) => {
            let class = change.on.class.as_deref().unwrap_or("OBJECT");
            let name = &change.on.name;
            let occasion = match class {
                "LOGIN" | "SERVER ROLE" | "ENDPOINT" => server("ALTER_AUTHORIZATION_SERVER", &name.name, class),
                "OBJECT" => match find(ddl, name)? {
                    Some(found) => in_schema("ALTER_AUTHORIZATION_DATABASE", &found, found.kind(), Extent::ToNext),
                    None => return Ok(()),
                },
                class => here("ALTER_AUTHORIZATION_DATABASE").text("SchemaName", "").object(&name.name, class),
            };
            occasion.text("OwnerName", change.to.as_ref().map_or("", |to| &*to.text))
        }
        S::Permission(statement) => match of_permission(ddl, &db, statement)? {
            Some(occasion) => occasion,
            None => return Ok(()),
        },
        kind => {
            to.extend(of_administration(&db, kind));
            return Ok(());
        }
    };
    to.push(occasion);
    Ok(())
}

/// What administers the server.
fn of_administration(db: &Arc<Database>, kind: &StatementKind) -> Option<Occasion> {
    use StatementKind as S;
    use sql::ast::ResourceGovernor as R;
    let server = |event: &str, name: &str, word: &str| Occasion::new(event, None, Extent::ToNext).object(name, word);
    let here = |event: &str| Occasion::new(event, Some(db), Extent::ToNext);
    Some(match kind {
        S::Credential(change) => {
            let event = if change.alter { "ALTER_CREDENTIAL" } else { "CREATE_CREDENTIAL" };
            server(event, &change.name, "CREDENTIAL")
        }
        S::CreateCertificate(create) => here("CREATE_CERTIFICATE").object(&create.name.text, "CERTIFICATE"),
        S::MasterKey(statement) => match **statement {
            MasterKey::Create(_) => here("CREATE_MASTER_KEY").object("", "MASTER KEY"),
            MasterKey::Drop => here("DROP_MASTER_KEY").object("", "MASTER KEY"),
            MasterKey::AddService => here("ALTER_MASTER_KEY").object("", "MASTER KEY"),
            MasterKey::Open(_) | MasterKey::Close => return None,
        },
        S::ServerAudit(audit) => {
            let verb = audit_verb(audit.verb);
            server(&format!("{verb}_SERVER_AUDIT"), &audit.name, "SERVER AUDIT")
        }
        S::AuditSpecification(change) => {
            let verb = audit_verb(change.verb);
            match change.of_database {
                true => here(&format!("{verb}_DATABASE_AUDIT_SPECIFICATION"))
                    .object(&change.name, "DATABASE AUDIT SPECIFICATION"),
                false => {
                    server(&format!("{verb}_SERVER_AUDIT_SPECIFICATION"), &change.name, "SERVER AUDIT SPECIFICATION")
                }
            }
        }
        S::ResourceGovernor(statement) => match &**statement {
            R::CreatePool(name, _) => server("CREATE_RESOURCE_POOL", name, "RESOURCE POOL"),
            R::AlterPool(name, _) => server("ALTER_RESOURCE_POOL", name, "RESOURCE POOL"),
            R::DropPool(name) => server("DROP_RESOURCE_POOL", name, "RESOURCE POOL"),
            R::CreateGroup(name, ..) => server("CREATE_WORKLOAD_GROUP", name, "WORKLOAD GROUP"),
            R::AlterGroup(name, ..) => server("ALTER_WORKLOAD_GROUP", name, "WORKLOAD GROUP"),
            R::DropGroup(name) => server("DROP_WORKLOAD_GROUP", name, "WORKLOAD GROUP"),
            R::Classifier(_) | R::Setting(_) | R::Reconfigure | R::Disable => {
                Occasion::new("ALTER_RESOURCE_GOVERNOR_CONFIG", None, Extent::ToNext)
            }
        },
        S::AlterServerConfiguration(_) => Occasion::new("ALTER_SERVER_CONFIGURATION", None, Extent::ToNext),
        _ => return None,
    })
}

fn audit_verb(verb: sql::ast::AuditVerb) -> &'static str {
    match verb {
        sql::ast::AuditVerb::Create => "CREATE",
        sql::ast::AuditVerb::Alter => "ALTER",
        sql::ast::AuditVerb::Drop => "DROP",
    }
}

/// One event for the whole statement: what it is about, who gives, what, to whom, in whose name, how.
fn of_permission(ddl: &mut Ddl<'_>, db: &Arc<Database>, statement: &Permission) -> SqlResult<Option<Occasion>> {
    let verb = match statement.verb {
        PermissionVerb::Grant => "GRANT",
        PermissionVerb::Deny => "DENY",
        PermissionVerb::Revoke => "REVOKE",
    };
    let of_server = audited::is_of_server(statement);
    let (event, db) = match of_server {
        true => (format!("{verb}_SERVER"), None),
        false => (format!("{verb}_DATABASE"), Some(db)),
    };
    let occasion = Occasion::new(&event, db, Extent::ToNext);
    let occasion = match &statement.on {
        None if of_server => occasion.object(&ddl.catalog.server_name.clone(), "SERVER"),
        None => occasion.text("SchemaName", "").object(&ddl.current()?.name(), "DATABASE"),
        Some(on) => match on.class.as_deref() {
            None | Some("OBJECT") => match find(ddl, &on.name)? {
                Some(found) => occasion.text("SchemaName", &found.schema).object(&found.name, found.kind()),
                None => return Ok(None),
            },
            Some("TYPE") => {
                let schema = on.name.schema.as_ref().map_or("dbo", |schema| &*schema.text);
                occasion.text("SchemaName", schema).object(&on.name.name, "TYPE")
            }
            Some(class) if of_server => occasion.object(&on.name.name, class),
            Some(class) => occasion.text("SchemaName", "").object(&on.name.name, class),
        },
    };
    let mut occasion = occasion.text("Grantor", &grantor(ddl, statement)?);
    let about = &mut occasion.about;
    about.inside("Permissions", |list| {
        statement.permissions.iter().for_each(|item| list.text("Permission", &item.name.to_lowercase()));
    });
    about.inside("Grantees", |list| statement.principals.iter().for_each(|name| list.text("Grantee", name)));
    about.text("AsGrantor", statement.grantor.as_ref().map_or("", |grantor| &*grantor.text));
    about.text("GrantOption", if statement.grant_option { "1" } else { "0" });
    about.text("CascadeOption", if statement.cascade { "1" } else { "0" });
    Ok(Some(occasion))
}

/// The session's user; a user or application role is its own grantor.
fn grantor(ddl: &mut Ddl<'_>, statement: &Permission) -> SqlResult<String> {
    if let Some(on) = &statement.on
        && matches!(on.class.as_deref(), Some("USER" | "APPLICATION ROLE"))
    {
        return Ok(on.name.name.to_string());
    }
    let db = ddl.current()?;
    let user = ddl.rights(|rights, look| Ok(rights.user(look, &db)?.map(|user| user.name.clone())))?;
    Ok(user.unwrap_or_default())
}
