//! Who may define and administer: asked once for each statement, before it begins. The permission that a statement needs stands in the
//! "Permissions" section of its page; what is said to who has not got it is what SQL Server says, which mostly does not tell a thing that is
//! not there from one that is not to be seen.

use std::sync::Arc;

use sql::ast::{
    AlterApplicationRole, AlterAuthorization, AlterDatabaseAction, AlterLogin, AlterLoginAction, AlterRole,
    AlterRoleAction, AlterTable, AlterTableAction, AlterUser, Backup, CreateRole, CreateTrigger, Dbcc, Definition,
    Drop, DropKind, Expr, MasterKey, ModuleVerb, ObjectName, Restore, Setting, Statement, StatementKind, TriggerScope,
};
use types::{SqlError, SqlResult, sql_error};

use super::rights::{expect, in_schema, new_object};
use super::site::{Ddl, cannot_find, written};
use crate::catalog::base::{LoginRow, OwnerRow};
use crate::catalog::load::{self, name as name_datum};
use crate::catalog::{Database, MASTER};
use crate::security::actor;
use crate::security::check::{self, Securable};
use crate::security::hierarchy::Class;

fn not_permitted() -> SqlError {
    sql_error!(15247)
}

/// Refuses a statement that the session may not run.
pub fn check(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    refuse_system_schema(ddl, statement)?;
    if ddl.is_sysadmin()? {
        return Ok(());
    }
    match &statement.kind {
        StatementKind::CreateTable(create) => new_object(ddl, &create.name, "CREATE TABLE"),
        StatementKind::AlterTable(change) => alter_table(ddl, change),
        StatementKind::Truncate(truncate) => {
            altered(ddl, &truncate.table, |_| sql_error!(1088, state 7, &*truncate.table.name))
        }
        StatementKind::CreateIndex(create) => altered(ddl, &create.table, |name| sql_error!(1088, state 12, name)),
        StatementKind::AlterIndex(change) => altered(ddl, &change.table, |name| sql_error!(1088, state 9, name)),
        StatementKind::DropIndex(drop) => drop.indexes.iter().try_for_each(|item| {
            let shown = format!("{}.{}", written(&item.table), &*item.index);
            altered(ddl, &item.table, |_| sql_error!(1088, state 9, shown))
        }),
        StatementKind::CreateStatistics(create) => altered(ddl, &create.table, |name| sql_error!(1088, state 12, name)),
        StatementKind::UpdateStatistics(update) => altered(ddl, &update.table, |name| sql_error!(2706, state 6, name)),
        StatementKind::DropStatistics(names) => names.iter().try_for_each(|name| {
            let table = ObjectName {
                name: name.schema.clone().unwrap_or_else(|| name.name.clone()),
                schema: None,
                ..name.clone()
            };
            altered(ddl, &table, |_| super::site::cannot_drop("statistics", &written(name), 6))
        }),
        StatementKind::SwitchTrigger(switch) => trigger_scope(ddl, &switch.on, || {
            let first = switch.triggers.iter().flatten().next();
            sql_error!(1088, state 119, first.map_or("ALL", |name| &*name.name))
        }),
        StatementKind::CreateView(create) => module(ddl, &create.definition, &create.name, "CREATE VIEW", "view"),
        StatementKind::CreateProcedure(create) => {
            module(ddl, &create.definition, &create.name, "CREATE PROCEDURE", "procedure")
        }
        StatementKind::CreateFunction(create) => {
            module(ddl, &create.definition, &create.name, "CREATE FUNCTION", "function")
        }
        StatementKind::CreateTrigger(create) => trigger(ddl, create),
        StatementKind::Drop(drop) => dropped(ddl, drop),
        StatementKind::CreateSchema(create) => {
            let db = ddl.current()?;
            ddl.need_in_database(&db, "CREATE SCHEMA")?;
            match &create.authorization {
                Some(owner) => may_own(ddl, &db, owner),
                None => Ok(()),
            }
        }
        StatementKind::AlterSchema(change) => {
            let db = ddl.current()?;
            alters_schema(ddl, &db, &change.schema)?;
            if change.class.as_deref() == Some("XML SCHEMA COLLECTION") {
                let held = collection(ddl, &change.name, &["CONTROL"])?;
                return expect(held, || cannot_find("transfer", "XML schema collection", &change.name.name));
            }
            if change.class.as_deref() == Some("TYPE") {
                let Some((db, row)) = super::data_type::find_type(ddl, &change.name)? else { return Ok(()) };
                let held = ddl.type_permission(&db, &row, "CONTROL")?;
                return expect(held, || cannot_find("transfer", "type", &change.name.name));
            }
            controlled(ddl, &change.name)
        }
        StatementKind::CreateType(create) => new_object(ddl, &create.name, "CREATE TYPE"),
        StatementKind::XmlSchemaCollection(statement) if statement.alter => {
            let held = collection(ddl, &statement.name, &["ALTER"])?;
            expect(held, || sql_error!(6347, written(&statement.name)))
        }
        StatementKind::XmlSchemaCollection(statement) => {
            // Of all that schemas have this alone is asked for the schema first.
            let db = ddl.database_of(&statement.name)?;
            let schema = match &statement.name.schema {
                Some(schema) => schema.to_string(),
                None => ddl.site.state().0.default_schema.to_string(),
            };
            alters_schema(ddl, &db, &schema)?;
            ddl.need_in_database(&db, "CREATE XML SCHEMA COLLECTION")
        }
        StatementKind::CreateSequence(create) if create.alter => {
            altered(ddl, &create.name, |_| cannot_find("alter", "sequence", &create.name.name))
        }
        StatementKind::CreateSequence(create) => new_sequence(ddl, &create.name),
        StatementKind::SecurityPolicy(policy) => super::security_policy::may_run(ddl, policy),
        StatementKind::CreateSynonym(create) => new_object(ddl, &create.name, "CREATE SYNONYM"),
        StatementKind::CreateDefaultOrRule(create) => {
            new_object(ddl, &create.name, if create.rule { "CREATE RULE" } else { "CREATE DEFAULT" })
        }
        _ => administration(ddl, statement),
    }
}

/// 2760: nobody makes anything in the schemas of the server's own objects.
fn refuse_system_schema(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    let alters = |definition: &Definition| definition.verb == ModuleVerb::Alter;
    let name = match &statement.kind {
        StatementKind::CreateTable(create) => &create.name,
        StatementKind::CreateView(create) if !alters(&create.definition) => &create.name,
        StatementKind::CreateProcedure(create) if !alters(&create.definition) => &create.name,
        StatementKind::CreateFunction(create) if !alters(&create.definition) => &create.name,
        StatementKind::CreateSequence(create) if !create.alter => &create.name,
        StatementKind::CreateSynonym(create) => &create.name,
        StatementKind::CreateType(create) => &create.name,
        _ => return Ok(()),
    };
    let Some(schema) = name.schema.as_deref().filter(|_| !name.is_temporary()) else { return Ok(()) };
    let db = ddl.database_of(name)?;
    match ["sys", "INFORMATION_SCHEMA"].iter().any(|own| db.equal_names(own, schema)) {
        true => Err(super::site::no_such_schema(schema)),
        false => Ok(()),
    }
}

/// What is no definition of objects.
fn administration(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    match &statement.kind {
        StatementKind::CreateDatabase(create) => {
            may_create_database(ddl)?;
            reaches_out(ddl, &create.options)
        }
        StatementKind::AlterDatabase(change) => {
            let db = match &change.name {
                Some(name) => ddl.catalog.database_named(name),
                None => Some(ddl.current()?),
            };
            let Some(db) = db else { return Ok(()) };
            if is_closed(ddl, &db) {
                // Nobody is a user of it.
                let held = ddl.server_permission("ALTER ANY DATABASE")?;
                return expect(held, || sql_error!(5069).after(vec![sql_error!(5011, state 9, db.name())]));
            }
            if let AlterDatabaseAction::ScopedConfiguration { .. } = change.action {
                let held = ddl.database_permission(&db, "ALTER ANY DATABASE SCOPED CONFIGURATION")?;
                return expect(held, not_permitted);
            }
            let held = ddl.database_permission(&db, "ALTER")? || ddl.server_permission("ALTER ANY DATABASE")?;
            expect(held, || sql_error!(5069).after(vec![sql_error!(5011, state 9, db.name())]))?;
            match &change.action {
                AlterDatabaseAction::Set { settings, .. } => reaches_out(ddl, settings),
                _ => Ok(()),
            }
        }
        StatementKind::Backup(statement) => backup(ddl, statement),
        StatementKind::Restore(statement) => restore(ddl, statement),
        StatementKind::CreateLogin(_) => {
            let held = ddl.server_permission("CREATE LOGIN")?;
            expect(held, not_permitted)
        }
        StatementKind::AlterLogin(change) => alter_login(ddl, change),
        StatementKind::CreateUser(_) => {
            let db = ddl.current()?;
            let held = ddl.database_permission(&db, "CREATE USER")?;
            expect(held, not_permitted)
        }
        StatementKind::AlterUser(change) => alter_user(ddl, change),
        StatementKind::CreateRole(create) => create_role(ddl, create),
        StatementKind::AlterApplicationRole(change) => alter_application_role(ddl, change),
        StatementKind::AlterRole(change) => alter_role(ddl, change),
        StatementKind::AlterAuthorization(change) => alter_authorization(ddl, change),
        // Who grants is asked what it may grant, where that is known.
        StatementKind::Permission(_) => Ok(()),
        StatementKind::Dbcc(command) => dbcc(ddl, command),
        StatementKind::Checkpoint(_) => {
            let db = ddl.current()?;
            ddl.need_in_database(&db, "CHECKPOINT")
        }
        StatementKind::Reconfigure { .. } => {
            let held = ddl.server_permission("ALTER SETTINGS")?;
            expect(held, || sql_error!(5812))
        }
        StatementKind::Kill(_) => {
            let held = ddl.server_permission("ALTER ANY CONNECTION")?;
            expect(held, || sql_error!(6102))
        }
        StatementKind::AlterServerConfiguration(_) | StatementKind::ThreadPool(_) => {
            let held = ddl.server_permission("ALTER SETTINGS")?;
            expect(held, not_permitted)
        }
        StatementKind::ResourceGovernor(_) => {
            let held = ddl.server_permission("CONTROL SERVER")?;
            expect(held, not_permitted)
        }
        StatementKind::Credential(change) => {
            let held = ddl.server_permission("ALTER ANY CREDENTIAL")?;
            let name = &*change.name;
            expect(held, || if change.alter { cannot_find("alter", "credential", name) } else { not_permitted() })
        }
        StatementKind::MasterKey(_) | StatementKind::CreateCertificate(_) | StatementKind::BackupCertificate(_) => {
            keys(ddl, statement)
        }
        StatementKind::ServerAudit(_) => {
            let held = ddl.server_permission("ALTER ANY SERVER AUDIT")?;
            expect(held, not_permitted)
        }
        StatementKind::AuditSpecification(change) => {
            let db = ddl.current()?;
            let held = match change.of_database {
                true => ddl.database_permission(&db, "ALTER ANY DATABASE AUDIT")?,
                false => ddl.server_permission("ALTER ANY SERVER AUDIT")?,
            };
            expect(held, not_permitted)
        }
        StatementKind::CreatePartitionFunction(_) | StatementKind::CreatePartitionScheme(_) => {
            let db = ddl.current()?;
            let held = ddl.database_permission(&db, "ALTER ANY DATASPACE")?;
            expect(held, not_permitted)
        }
        StatementKind::AlterPartitionFunction(change) => data_space(ddl, "alter", "partition function", &change.name),
        StatementKind::AlterPartitionScheme(change) => data_space(ddl, "alter", "partition scheme", &change.name),
        // Refused whoever asks.
        _ => Ok(()),
    }
}

/// 15247: by TRUSTWORTHY and DB_CHAINING modules of a database act outside of it, which is not its owner's to say.
/// https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options: "requires CONTROL SERVER permission"
fn reaches_out(ddl: &mut Ddl<'_>, settings: &[Setting]) -> SqlResult<()> {
    let outside = |setting: &Setting| matches!(&*setting.name, "TRUSTWORTHY" | "DB_CHAINING");
    let held = !settings.iter().any(outside) || ddl.server_permission("CONTROL SERVER")?;
    expect(held, not_permitted)
}

/// What divides tables, or says where they lie.
fn data_space(ddl: &mut Ddl<'_>, action: &str, kind: &str, name: &str) -> SqlResult<()> {
    let db = ddl.current()?;
    let held = ddl.database_permission(&db, "ALTER ANY DATASPACE")?;
    expect(held, || cannot_find(action, kind, name))
}

/// https://learn.microsoft.com/sql/t-sql/statements/backup-transact-sql
fn backup(ddl: &mut Ddl<'_>, statement: &Backup) -> SqlResult<()> {
    let name = super::backup::database_name(ddl, &statement.database);
    let Some(db) = ddl.catalog.database_named(&name) else { return Ok(()) };
    let permission = if statement.log { "BACKUP LOG" } else { "BACKUP DATABASE" };
    if is_closed(ddl, &db) && (ddl.is_sysadmin()? || owns(ddl, &db)?) {
        return Ok(());
    }
    ddl.need_in_database(&db, permission).map_err(|error| super::backup::terminated(permission, error))
}

/// A database that is there is restored by its owner and by who may alter any, a new one by who may create it; so is what a file of backups
/// says.
/// https://learn.microsoft.com/sql/t-sql/statements/restore-statements-transact-sql
fn restore(ddl: &mut Ddl<'_>, statement: &Restore) -> SqlResult<()> {
    let name = statement.database.as_ref().map(|database| super::backup::database_name(ddl, database));
    let there = name.and_then(|name| ddl.catalog.database_named(&name));
    let checked = match there {
        Some(db) => {
            let owns = match is_closed(ddl, &db) {
                true => owns(ddl, &db)?,
                false => ddl.rights(|rights, look| Ok(rights.user(look, &db)?.is_some_and(|user| user.dbo)))?,
            };
            let held = owns || ddl.server_permission("ALTER ANY DATABASE")?;
            expect(held, || sql_error!(3110, db.name()))
        }
        None => may_create_database(ddl),
    };
    checked.map_err(|error| super::backup::terminated(super::restore_source::verb(statement.kind), error))
}

/// It is being restored, or offline: its users are not to be asked.
fn is_closed(ddl: &Ddl<'_>, db: &Database) -> bool {
    db.is_restoring() || ddl.catalog.check_open(db).is_err()
}

/// Of a database that nobody is a user of.
fn owns(ddl: &mut Ddl<'_>, db: &Database) -> SqlResult<bool> {
    let sid = ddl.rights(|rights, look| rights.login(look))?.and_then(|login| login.sid.clone());
    Ok(sid.is_some() && db.row().owner_sid.0 == sid)
}

fn may_create_database(ddl: &mut Ddl<'_>) -> SqlResult<()> {
    let master = ddl.catalog.expect_database(MASTER);
    let held = ddl.server_permission("CREATE ANY DATABASE")? || ddl.database_permission(&master, "CREATE DATABASE")?;
    expect(held, || sql_error!(262, "CREATE DATABASE", "master"))
}

fn new_sequence(ddl: &mut Ddl<'_>, name: &ObjectName) -> SqlResult<()> {
    let db = ddl.database_of(name)?;
    let schema =
        name.schema.as_deref().map(str::to_string).unwrap_or_else(|| ddl.site.state().0.default_schema.to_string());
    let Some(schema) = ddl.rows(&db, |rows| load::schema_named(rows, &schema))? else { return Ok(()) };
    let held = ddl.schema_permission(&db, schema.id, "CREATE SEQUENCE")?;
    expect(held, || super::site::no_such_schema(&schema.name))
}

/// What changes a table or view needs ALTER of it.
fn altered(ddl: &mut Ddl<'_>, name: &ObjectName, error: impl FnOnce(&str) -> SqlError) -> SqlResult<()> {
    if name.is_temporary() {
        return Ok(());
    }
    let Some((db, row)) = ddl.find(name)? else { return Ok(()) };
    let held = ddl.object_permission(&db, &row, "ALTER")?;
    expect(held, || error(&written(name)))
}

fn alter_table(ddl: &mut Ddl<'_>, change: &AlterTable) -> SqlResult<()> {
    altered(ddl, &change.name, |name| sql_error!(1088, state 13, name))?;
    if let AlterTableAction::SwitchPartition { to, .. } = &change.action {
        altered(ddl, to, |name| sql_error!(1088, state 13, name))?;
    }
    Ok(())
}

fn module(
    ddl: &mut Ddl<'_>,
    definition: &Definition,
    name: &ObjectName,
    permission: &str,
    word: &str,
) -> SqlResult<()> {
    if name.is_temporary() {
        return Ok(());
    }
    let found = match definition.verb {
        ModuleVerb::Create => None,
        _ => ddl.find(name)?,
    };
    match found {
        Some((db, row)) => {
            let held = ddl.object_permission(&db, &row, "ALTER")?;
            expect(held, || refused("alter", word, &name.name).in_procedure(&name.name))
        }
        None if definition.verb == ModuleVerb::Alter => Ok(()),
        None => {
            let db = ddl.database_of(name)?;
            let held = ddl.database_permission(&db, permission)?;
            expect(held, || sql_error!(262, state 18, permission, db.name()).in_procedure(&name.name))?;
            in_schema(ddl, &db, name.schema.as_deref())
        }
    }
}

/// 3701: what is there, and may not be changed or dropped.
fn refused(action: &str, word: &str, name: &str) -> SqlError {
    sql_error!(3701, severity 14, state 20, action, word, name)
}

/// 15151: nothing may be put into the schema.
fn alters_schema(ddl: &mut Ddl<'_>, db: &Database, name: &str) -> SqlResult<()> {
    let Some(schema) = ddl.rows(db, |rows| load::schema_named(rows, name))? else { return Ok(()) };
    let held = ddl.schema_permission(db, schema.id, "ALTER")?;
    expect(held, || cannot_find("alter", "schema", name))
}

/// A trigger that is there is altered as any module is.
fn trigger(ddl: &mut Ddl<'_>, create: &CreateTrigger) -> SqlResult<()> {
    let there = match create.definition.verb {
        ModuleVerb::Create => false,
        ModuleVerb::Alter => true,
        ModuleVerb::CreateOrAlter => ddl.find(&create.name)?.is_some(),
    };
    let error = || match there {
        true => refused("alter", "trigger", &create.name.name).in_procedure(&create.name.name),
        false => sql_error!(2104, "create", "trigger", written(&create.name)),
    };
    match &create.on {
        TriggerScope::Table(table) => altered(ddl, table, |_| error()),
        scope => trigger_scope(ddl, scope, error),
    }
}

/// `refused`: what is said of triggers of a database or the server.
fn trigger_scope(ddl: &mut Ddl<'_>, on: &TriggerScope, refused: impl FnOnce() -> SqlError) -> SqlResult<()> {
    match on {
        TriggerScope::Table(table) => altered(ddl, table, |name| sql_error!(8197, name)),
        TriggerScope::Database => {
            let db = ddl.current()?;
            let held = ddl.database_permission(&db, "ALTER ANY DATABASE DDL TRIGGER")?;
            expect(held, refused)
        }
        TriggerScope::AllServer => {
            let held = ddl.server_permission("CONTROL SERVER")?;
            expect(held, refused)
        }
    }
}

/// 15151: CONTROL of the object is not held.
fn controlled(ddl: &mut Ddl<'_>, name: &ObjectName) -> SqlResult<()> {
    let Some((db, row)) = ddl.find(name)? else { return Ok(()) };
    let held = ddl.object_permission(&db, &row, "CONTROL")?;
    expect(held, || cannot_find("transfer", "object", &name.name))
}

/// Whether one of these is held of an XML schema collection, or ALTER of its schema; what is not there is told by who looks for it.
fn collection(ddl: &mut Ddl<'_>, name: &ObjectName, permissions: &[&str]) -> SqlResult<bool> {
    let db = ddl.database_of(name)?;
    let Some(row) = super::xml_schema::find(ddl, &db, None, name)? else { return Ok(true) };
    for permission in permissions {
        if ddl.collection_permission(&db, &row, permission)? {
            return Ok(true);
        }
    }
    ddl.schema_permission(&db, -row.nsid, "ALTER")
}

fn dropped(ddl: &mut Ddl<'_>, drop: &Drop) -> SqlResult<()> {
    for name in &drop.names {
        let shown = written(name);
        match drop.kind {
            DropKind::Database => {
                let Some(db) = ddl.catalog.database_named(&name.name) else { continue };
                let owns = if is_closed(ddl, &db) { owns(ddl, &db)? } else { ddl.database_permission(&db, "CONTROL")? };
                let held = owns || ddl.server_permission("ALTER ANY DATABASE")?;
                expect(held, || super::site::cannot_drop("database", &name.name, 2))?;
            }
            DropKind::Login => {
                let held = ddl.server_permission("ALTER ANY LOGIN")?;
                let held = held && below_own_power(ddl, &name.name)?;
                expect(held, || cannot_find("drop", "login", &name.name))?;
            }
            DropKind::PartitionFunction => data_space(ddl, "drop", "partition function", &name.name)?,
            DropKind::PartitionScheme => data_space(ddl, "drop", "partition scheme", &name.name)?,
            DropKind::Certificate => certificate(ddl, "drop", &name.name, "CONTROL")?,
            DropKind::Credential => {
                let held = ddl.server_permission("ALTER ANY CREDENTIAL")?;
                expect(held, || cannot_find("drop", "credential", &name.name))?;
            }
            DropKind::ServerRole => {
                let held = ddl.server_permission("ALTER ANY SERVER ROLE")?
                    || login_held(ddl, Class::ServerRole, &name.name, "CONTROL")?;
                expect(held, || cannot_find("drop", "server role", &name.name))?;
            }
            DropKind::User | DropKind::Role | DropKind::ApplicationRole => {
                let db = ddl.current()?;
                let word = match drop.kind {
                    DropKind::User => "user",
                    DropKind::Role => "role",
                    _ => "application role",
                };
                let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(&name.name)]))?;
                let Some(row) = row else { continue };
                let held = match drop.kind {
                    DropKind::User => ddl.database_permission(&db, "ALTER ANY USER")?,
                    DropKind::ApplicationRole => ddl.database_permission(&db, "ALTER ANY APPLICATION ROLE")?,
                    _ => {
                        ddl.database_permission(&db, "ALTER ANY ROLE")?
                            || ddl.principal_permission(&db, &row, "CONTROL")?
                    }
                };
                expect(held, || cannot_find("drop", word, &name.name))?;
            }
            DropKind::Schema => {
                let db = ddl.database_of(name)?;
                let Some(schema) = ddl.rows(&db, |rows| load::schema_named(rows, &name.name))? else { continue };
                let held = ddl.schema_permission(&db, schema.id, "CONTROL")?
                    || ddl.database_permission(&db, "ALTER ANY SCHEMA")?;
                expect(held, || cannot_find("drop", "schema", &name.name))?;
            }
            DropKind::Type => {
                let Some((db, row)) = super::data_type::find_type(ddl, name)? else { continue };
                let held =
                    ddl.type_permission(&db, &row, "CONTROL")? || ddl.schema_permission(&db, row.schid, "ALTER")?;
                expect(held, || sql_error!(218, shown))?;
            }
            DropKind::XmlSchemaCollection => {
                let held = collection(ddl, name, &["ALTER", "CONTROL"])?;
                expect(held, || cannot_find("drop", "xml schema collection", &name.name))?;
            }
            DropKind::Trigger if !matches!(drop.scope, None | Some(TriggerScope::Table(_))) => {
                let scope = drop.scope.as_ref().expect("as matched");
                trigger_scope(ddl, scope, || super::object::cannot_drop_kind(drop.kind, &shown))?;
            }
            _ if name.is_temporary() => {}
            kind => {
                let Some((db, row)) = ddl.find(name)? else { continue };
                let held = match kind {
                    DropKind::SecurityPolicy => {
                        ddl.database_permission(&db, "ALTER ANY SECURITY POLICY")?
                            && ddl.schema_permission(&db, row.nsid, "ALTER")?
                    }
                    DropKind::Trigger => ddl.object_permission(&db, &row, "ALTER")?,
                    _ => {
                        ddl.object_permission(&db, &row, "CONTROL")? || ddl.schema_permission(&db, row.nsid, "ALTER")?
                    }
                };
                let word = if kind == DropKind::Sequence { "sequence" } else { super::object::word_of(kind) };
                expect(held, || refused("drop", word, &name.name))?;
            }
        }
    }
    Ok(())
}

/// Whether a principal may be given things: it is oneself, a role that one is in, or one that one may act as or alter.
fn may_own(ddl: &mut Ddl<'_>, db: &Arc<Database>, name: &str) -> SqlResult<()> {
    let row = ddl.rows(db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
    let Some(row) = row else { return Ok(()) };
    let is_in = ddl.rights(|rights, look| Ok(rights.user(look, db)?.is_some_and(|user| user.ids.contains(&row.id))))?;
    let permission = if row.kind.as_str() == "S" { "IMPERSONATE" } else { "ALTER" };
    let held = is_in || ddl.principal_permission(db, &row, permission)?;
    expect(held, || cannot_find("find", "principal", name))
}

/// A login with more power than ALTER ANY LOGIN gives is for those who have it: https://learn.microsoft.com/sql/t-sql/statements/alter-login-transact-sql
fn below_own_power(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<bool> {
    let master = ddl.catalog.expect_database(MASTER);
    let Some(row) = ddl.rows(&master, |rows| rows.first::<LoginRow>(1, &[name_datum(name)]))? else { return Ok(true) };
    let controls = ddl.server_permission("CONTROL SERVER")?;
    ddl.rights(|_, look| {
        let Some(login) = actor::login_token(look, row.id)? else { return Ok(true) };
        if login.sysadmin {
            return Ok(false);
        }
        let permission = crate::security::hierarchy::find(Class::Server, "CONTROL SERVER").expect("it is in the table");
        let who = actor::Who { login: Some(Arc::new(login)), user: None };
        let controls_too =
            check::decide(look, None, &who, &Securable::SERVER, permission, &[])? == check::Decision::Granted;
        Ok(controls || !controls_too)
    })
}

fn alter_login(ddl: &mut Ddl<'_>, change: &AlterLogin) -> SqlResult<()> {
    let name = &*change.name;
    let master = ddl.catalog.expect_database(MASTER);
    let login = ddl.rights(|rights, look| rights.login(look))?;
    let own = login.is_some_and(|login| master.equal_names(&login.name, name));
    if let AlterLoginAction::Set { password, options } = &change.action {
        // One's own password, by who knows the old one, and one's own defaults.
        let plain = |option: &sql::ast::Setting| {
            ["DEFAULT_DATABASE", "DEFAULT_LANGUAGE"].iter().any(|known| option.name.eq_ignore_ascii_case(known))
        };
        let known = password.as_ref().is_none_or(|password| password.old.is_some());
        if own && known && options.iter().all(plain) {
            return Ok(());
        }
    }
    let held = ddl.server_permission("ALTER ANY LOGIN")? || login_held(ddl, Class::Login, name, "ALTER")?;
    let held = held && below_own_power(ddl, name)?;
    expect(held, || cannot_find("alter", "login", name))
}

/// Of certificates, and of the key that keeps them.
fn keys(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    let db = ddl.current()?;
    match &statement.kind {
        StatementKind::MasterKey(statement) => {
            let held = ddl.database_permission(&db, "CONTROL")?;
            expect(held, || match **statement {
                MasterKey::Create(_) => not_permitted(),
                _ => super::master_key::missing("find"),
            })
        }
        StatementKind::BackupCertificate(statement) => {
            // The certificate itself is no secret.
            let permission = if statement.key.is_some() { "CONTROL" } else { "VIEW DEFINITION" };
            certificate(ddl, "find", &statement.name.text, permission)
        }
        _ => {
            let held = ddl.database_permission(&db, "CREATE CERTIFICATE")?;
            expect(held, not_permitted)
        }
    }
}

/// Who controls a certificate takes it away, in a file or for good. Of one that is not there the statement tells.
/// https://learn.microsoft.com/sql/t-sql/statements/backup-certificate-transact-sql, drop-certificate-transact-sql
fn certificate(ddl: &mut Ddl<'_>, action: &str, name: &str, permission: &str) -> SqlResult<()> {
    match super::certificate::named(ddl, name)? {
        Some(row) => {
            let held = super::certificate::holds(ddl, &row, permission)?;
            expect(held, || cannot_find(action, "certificate", name))
        }
        None => Ok(()),
    }
}

/// Of a login or server role by its name.
fn login_held(ddl: &mut Ddl<'_>, class: Class, name: &str, permission: &str) -> SqlResult<bool> {
    let master = ddl.catalog.expect_database(MASTER);
    match ddl.rows(&master, |rows| rows.first::<LoginRow>(1, &[name_datum(name)]))? {
        Some(row) => ddl.login_permission(class, row.id, permission),
        None => Ok(false),
    }
}

/// The default schema is changed by ALTER of the user, another login by CONTROL of the database, the rest by ALTER ANY USER:
/// https://learn.microsoft.com/sql/t-sql/statements/alter-user-transact-sql
fn alter_user(ddl: &mut Ddl<'_>, change: &AlterUser) -> SqlResult<()> {
    let db = ddl.current()?;
    let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(&change.name)]))?;
    let Some(row) = row else { return Ok(()) };
    let own_of_user = |option: &sql::ast::Setting| {
        ["DEFAULT_SCHEMA", "DEFAULT_LANGUAGE"].iter().any(|known| option.name.eq_ignore_ascii_case(known))
    };
    let held = if change.options.iter().any(|option| option.name.eq_ignore_ascii_case("LOGIN")) {
        ddl.database_permission(&db, "CONTROL")?
    } else if change.password.is_none() && change.options.iter().all(own_of_user) {
        ddl.principal_permission(&db, &row, "ALTER")?
    } else {
        ddl.database_permission(&db, "ALTER ANY USER")?
    };
    expect(held, || cannot_find("alter", "user", &change.name))
}

fn create_role(ddl: &mut Ddl<'_>, create: &CreateRole) -> SqlResult<()> {
    if create.server {
        let held = ddl.server_permission("CREATE SERVER ROLE")?;
        return expect(held, not_permitted);
    }
    let db = ddl.current()?;
    let permission = if create.application.is_some() { "ALTER ANY APPLICATION ROLE" } else { "CREATE ROLE" };
    let held = ddl.database_permission(&db, permission)?;
    expect(held, not_permitted)?;
    match &create.authorization {
        Some(owner) => may_own(ddl, &db, owner),
        None => Ok(()),
    }
}

/// The role itself may change its schema, and nothing else.
/// https://learn.microsoft.com/sql/t-sql/statements/alter-application-role-transact-sql
fn alter_application_role(ddl: &mut Ddl<'_>, change: &AlterApplicationRole) -> SqlResult<()> {
    let db = ddl.current()?;
    let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(&change.name)]))?;
    let Some(row) = row.filter(|row| row.kind.as_str() == "A") else { return Ok(()) };
    let of_schema = change.options.iter().all(|option| option.name.eq_ignore_ascii_case("DEFAULT_SCHEMA"));
    let held = match of_schema {
        true => {
            let own = ddl.rights(|rights, look| Ok(rights.user(look, &db)?.is_some_and(|user| user.id == row.id)))?;
            own || ddl.principal_permission(&db, &row, "ALTER")?
        }
        false => ddl.database_permission(&db, "ALTER ANY APPLICATION ROLE")?,
    };
    expect(held, || cannot_find("alter", "application role", &change.name))
}

fn alter_role(ddl: &mut Ddl<'_>, change: &AlterRole) -> SqlResult<()> {
    let name = &*change.name;
    let word = if change.server { "server role" } else { "role" };
    let missing = || cannot_find("alter", word, name);
    if change.server {
        let master = ddl.catalog.expect_database(MASTER);
        let row = ddl.rows(&master, |rows| rows.first::<LoginRow>(1, &[name_datum(name)]))?;
        let Some(row) = row else { return Ok(()) };
        // Members of a fixed role let others in; sysadmin alone is above them.
        let fixed = row.id < super::login::LOGIN_MIN;
        let held = ddl.rights(|rights, look| match fixed {
            true => Ok(rights.login(look)?.is_some_and(|login| login.ids.contains(&row.id)) && row.id != 2),
            false => rights.holds(look, None, &Securable::plain(Class::ServerRole, row.id), "ALTER"),
        })?;
        return expect(held, missing);
    }
    let db = ddl.current()?;
    let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
    let Some(row) = row.filter(|row| row.kind.as_str() == "R") else { return Ok(()) };
    let fixed = actor::is_fixed_role(row.id);
    let held = match (fixed, &change.action) {
        (true, AlterRoleAction::AddMember(_) | AlterRoleAction::DropMember(_)) => {
            ddl.database_permission(&db, "CONTROL")?
        }
        _ => ddl.principal_permission(&db, &row, "ALTER")?,
    };
    expect(held, || sql_error!(15151, state 2, "alter", "role", name))
}

fn alter_authorization(ddl: &mut Ddl<'_>, change: &AlterAuthorization) -> SqlResult<()> {
    let name = &*change.on.name.name;
    let missing = |word: &str| cannot_find("find", word, name);
    match change.on.class.as_deref() {
        Some("DATABASE") => {
            let Some(db) = ddl.catalog.database_named(name) else { return Ok(()) };
            let held = ddl.database_permission(&db, "TAKE OWNERSHIP")?;
            expect(held, || missing("database"))?;
            // The new owner: oneself, or one that one may act as.
            let Some(to) = &change.to else { return Ok(()) };
            let held = ddl.rights(|rights, look| {
                let Some(row) = actor::login_named(look, to)? else { return Ok(true) };
                let own = rights.login(look)?.is_some_and(|login| login.id == row.id);
                Ok(own || rights.holds(look, None, &Securable::plain(Class::Login, row.id), "IMPERSONATE")?)
            })?;
            return expect(held, || cannot_find("find", "principal", to));
        }
        Some("SCHEMA") => {
            let db = ddl.current()?;
            let Some(schema) = ddl.rows(&db, |rows| load::schema_named(rows, name))? else { return Ok(()) };
            let held = ddl.schema_permission(&db, schema.id, "TAKE OWNERSHIP")?;
            expect(held, || missing("schema"))?;
        }
        Some("ROLE") => {
            let db = ddl.current()?;
            let row = ddl.rows(&db, |rows| rows.first::<OwnerRow>(1, &[name_datum(name)]))?;
            let Some(row) = row else { return Ok(()) };
            let held = ddl.principal_permission(&db, &row, "TAKE OWNERSHIP")?;
            expect(held, || missing("role"))?;
        }
        Some("XML SCHEMA COLLECTION") => {
            let db = ddl.current()?;
            let Some(row) = super::xml_schema::find(ddl, &db, None, &change.on.name)? else { return Ok(()) };
            let held = ddl.collection_permission(&db, &row, "TAKE OWNERSHIP")?;
            expect(held, || missing("XML schema collection"))?;
        }
        Some("TYPE") => {
            let Some((db, row)) = super::data_type::find_type(ddl, &change.on.name)? else { return Ok(()) };
            let held = ddl.type_permission(&db, &row, "TAKE OWNERSHIP")?;
            expect(held, || missing("type"))?;
        }
        _ => {
            let Some((db, row)) = ddl.find(&change.on.name)? else { return Ok(()) };
            let held = ddl.object_permission(&db, &row, "TAKE OWNERSHIP")?;
            expect(held, || missing("object"))?;
        }
    }
    let db = ddl.current()?;
    match &change.to {
        Some(owner) => may_own(ddl, &db, owner),
        None => Ok(()),
    }
}

/// What a command of DBCC is about, which says how it is refused.
enum About {
    Database(Arc<Database>),
    Table(String),
    Server,
}

/// The "Permissions" section of each command's page. 7983, 2557, 2571
fn dbcc(ddl: &mut Ddl<'_>, command: &Dbcc) -> SqlResult<()> {
    let verb = &*command.command;
    let db = ddl.current()?;
    let mut about = About::Server;
    let held = match verb {
        "USEROPTIONS" | "TRACESTATUS" => true,
        "CHECKDB" | "CHECKALLOC" | "CHECKCATALOG" | "CHECKFILEGROUP" | "OPENTRAN" | "UPDATEUSAGE" | "DBINFO"
        | "LOGINFO" | "SHRINKDATABASE" | "SHRINKFILE" | "CHECKCONSTRAINTS" => {
            let meant = super::dbcc::database_argument(ddl, command).unwrap_or_else(|_| db.clone());
            about = About::Database(meant.clone());
            ddl.database_permission(&meant, "CONTROL")?
        }
        "CHECKTABLE" | "CHECKIDENT" | "CLEANTABLE" | "DBREINDEX" | "INDEXDEFRAG" | "SHOW_STATISTICS" => {
            match super::dbcc::table_argument(ddl, command)? {
                Some((db, row)) => {
                    about = About::Table(row.name.clone());
                    ddl.object_permission(&db, &row, if verb == "SHOW_STATISTICS" { "SELECT" } else { "ALTER" })?
                }
                None => verb == "SHOW_STATISTICS" || ddl.database_permission(&db, "ALTER")?,
            }
        }
        "PROCCACHE" => ddl.server_permission("VIEW SERVER STATE")?,
        "FREEPROCCACHE" | "FREESYSTEMCACHE" | "FREESESSIONCACHE" | "DROPCLEANBUFFERS" => {
            ddl.server_permission("ALTER SERVER STATE")?
        }
        "SQLPERF" => {
            let clears = command.args.len() > 1 || command.args.iter().any(|arg| matches!(arg, Expr::Literal(_)));
            ddl.server_permission(if clears { "ALTER SERVER STATE" } else { "VIEW SERVER STATE" })?
        }
        "INPUTBUFFER" => {
            let own = i128::from(ddl.site.session().spid);
            let of_own = command.args.first().and_then(super::number::whole_number) == Some(own);
            of_own || ddl.server_permission("VIEW SERVER STATE")?
        }
        _ => false,
    };
    if held {
        return Ok(());
    }
    let user =
        ddl.rights(|rights, look| Ok(rights.user(look, &db)?.map_or_else(String::new, |user| user.name.clone())))?;
    Err(match about {
        About::Database(meant) => sql_error!(7983, state 36, user, verb, meant.name()),
        About::Table(table) => sql_error!(2557, state 5, user, verb, table),
        About::Server => sql_error!(2571, user, verb),
    })
}
