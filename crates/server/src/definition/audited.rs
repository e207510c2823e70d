//! Which group of audited actions a definition belongs to, and what a record says of it. It is told before it is carried out, so that
//! nothing is done of which there is no record.

use sql::ast::{
    AlterLoginAction, AlterRoleAction, DatabaseRef, DropKind, Ident, MasterKey, ModuleVerb, ObjectName, Permission,
    PermissionVerb, Statement, StatementKind, TriggerScope,
};
use types::SqlResult;

use super::site::Ddl;
use crate::audit::actions::{self as of, Action, Group};
use crate::security::hierarchy::{self, Class};
use crate::session::audit::Occurrence;

/// One thing that a statement does.
struct Deed<'a> {
    group: &'static Group,
    action: Action,
    class: &'static str,
    object: Option<&'a ObjectName>,
    name: Option<&'a Ident>,
    target: Option<&'a Ident>,
}

impl<'a> Deed<'a> {
    fn new(group: &'static Group, action: Action, class: &'static str) -> Deed<'a> {
        Deed { group, action, class, object: None, name: None, target: None }
    }

    fn object(group: &'static Group, action: Action, class: &'static str, object: &'a ObjectName) -> Deed<'a> {
        Deed { object: Some(object), ..Deed::new(group, action, class) }
    }

    fn name(group: &'static Group, action: Action, class: &'static str, name: &'a Ident) -> Deed<'a> {
        Deed { name: Some(name), ..Deed::new(group, action, class) }
    }
}

/// A database by its name, not by a variable.
fn named(database: &DatabaseRef) -> Option<&Ident> {
    match database {
        DatabaseRef::Name(name) => Some(name),
        DatabaseRef::Variable(_) => None,
    }
}

/// Tells who audits what the statement is about to do, or what it may not do. Err: it must not.
pub fn tell(ddl: &mut Ddl<'_>, statement: &Statement, allowed: bool) -> SqlResult<()> {
    if !ddl.site.server().audits.any() {
        return Ok(());
    }
    for deed in deeds(&statement.kind) {
        let (mut database, mut schema) = (None, "");
        if let Some(name) = deed.object {
            // A temporary object is nobody else's.
            if name.is_temporary() {
                continue;
            }
            database = name.database.as_ref().and_then(|name| ddl.catalog.database_named(name)).map(|db| db.id);
            schema = name.schema.as_ref().map_or("", |schema| &**schema);
        }
        if schema.is_empty() && [of::SCHEMA_OBJECT_CHANGE, of::SCHEMA_OBJECT_PERMISSION_CHANGE].contains(&deed.group) {
            schema = "dbo";
        }
        let object = deed.object.map(|name| &*name.name.text).or(deed.name.map(|name| &*name.text)).unwrap_or("");
        // What becomes of a database is told of it, wherever that is said.
        if [of::DATABASE_CHANGE, of::BACKUP_RESTORE].contains(&deed.group) && !object.is_empty() {
            database = ddl.catalog.database_named(object).map(|db| db.id);
        }
        let text = ddl.span(statement.span);
        ddl.site.audit(&Occurrence {
            database,
            schema,
            object,
            target: deed.target.map_or("", |target| &*target.text),
            statement: (!text.is_empty()).then_some(text),
            succeeded: allowed,
            ..Occurrence::new(deed.group, deed.action, deed.class)
        })?;
    }
    Ok(())
}

/// SELECT INTO is about to make a table.
pub fn tell_of_table(ddl: &mut Ddl<'_>, name: &ObjectName) -> SqlResult<()> {
    if name.is_temporary() || !ddl.site.server().audits.any() {
        return Ok(());
    }
    let database = name.database.as_ref().and_then(|name| ddl.catalog.database_named(name)).map(|db| db.id);
    let schema = name.schema.as_ref().map_or("dbo", |schema| &**schema);
    let object = &*name.name.text;
    let what = Occurrence::new(of::SCHEMA_OBJECT_CHANGE, of::CREATE, "U");
    ddl.site.audit(&Occurrence { database, schema, object, ..what })
}

/// Objects that a definition names as what it is about.
pub fn names(kind: &StatementKind) -> Vec<&ObjectName> {
    deeds(kind).into_iter().filter_map(|deed| deed.object).collect()
}

/// Whether a permission is one of the server, a login or a server role.
pub fn is_of_server(statement: &Permission) -> bool {
    permission(statement).first().is_some_and(|deed| deed.group == of::SERVER_PERMISSION_CHANGE)
}

fn deeds(kind: &StatementKind) -> Vec<Deed<'_>> {
    use StatementKind as S;
    let object = |action, class, name| vec![Deed::object(of::SCHEMA_OBJECT_CHANGE, action, class, name)];
    let made = |alter: bool| if alter { of::ALTER } else { of::CREATE };
    match kind {
        S::CreateTable(create) => object(of::CREATE, "U", &create.name),
        S::AlterTable(change) => object(of::ALTER, "U", &change.name),
        S::Truncate(truncate) => object(of::ALTER, "U", &truncate.table),
        S::CreateIndex(create) => object(of::ALTER, "U", &create.table),
        S::AlterIndex(change) => object(of::ALTER, "U", &change.table),
        S::DropIndex(drop) => {
            let one = |item| Deed::object(of::SCHEMA_OBJECT_CHANGE, of::ALTER, "U", item);
            drop.indexes.iter().map(|item| one(&item.table)).collect()
        }
        S::CreateStatistics(create) => object(of::ALTER, "U", &create.table),
        S::UpdateStatistics(update) => object(of::ALTER, "U", &update.table),
        S::DropStatistics(names) => {
            let one = |name| Deed::object(of::SCHEMA_OBJECT_CHANGE, of::ALTER, "U", name);
            names.iter().map(one).collect()
        }
        S::SwitchTrigger(switch) => match &switch.on {
            TriggerScope::Table(table) => object(of::ALTER, "U", table),
            _ => vec![Deed::new(of::DATABASE_OBJECT_CHANGE, of::ALTER, "DB")],
        },
        S::CreateView(create) => object(made(create.definition.verb != ModuleVerb::Create), "V", &create.name),
        S::CreateProcedure(create) => object(made(create.definition.verb != ModuleVerb::Create), "P", &create.name),
        S::CreateFunction(create) => object(made(create.definition.verb != ModuleVerb::Create), "FN", &create.name),
        S::CreateTrigger(create) => object(made(create.definition.verb != ModuleVerb::Create), "TR", &create.name),
        S::CreateSequence(create) => object(made(create.alter), "SO", &create.name),
        S::SecurityPolicy(policy) => object(made(policy.alter), "SP", &policy.name),
        S::CreateSynonym(create) => object(of::CREATE, "SN", &create.name),
        S::CreateDefaultOrRule(create) => object(of::CREATE, "D", &create.name),
        S::XmlSchemaCollection(own) => object(made(own.alter), "SX", &own.name),
        S::CreateType(create) => vec![Deed::object(of::DATABASE_OBJECT_CHANGE, of::CREATE, "TY", &create.name)],
        S::CreatePartitionFunction(create) => {
            vec![Deed::name(of::DATABASE_OBJECT_CHANGE, of::CREATE, "OB", &create.name)]
        }
        S::CreatePartitionScheme(create) => {
            vec![Deed::name(of::DATABASE_OBJECT_CHANGE, of::CREATE, "OB", &create.name)]
        }
        S::AlterPartitionFunction(change) => {
            vec![Deed::name(of::DATABASE_OBJECT_CHANGE, of::ALTER, "OB", &change.name)]
        }
        S::AlterPartitionScheme(change) => vec![Deed::name(of::DATABASE_OBJECT_CHANGE, of::ALTER, "OB", &change.name)],
        S::CreateSchema(create) => {
            let name = create.name.as_ref();
            vec![Deed { name, ..Deed::new(of::DATABASE_OBJECT_CHANGE, of::CREATE, "SC") }]
        }
        S::AlterSchema(change) => vec![Deed::name(of::DATABASE_OBJECT_CHANGE, of::ALTER, "SC", &change.schema)],
        S::CreateDatabase(create) => vec![Deed::name(of::DATABASE_CHANGE, of::CREATE, "DB", &create.name)],
        S::AlterDatabase(change) => {
            vec![Deed { name: change.name.as_ref(), ..Deed::new(of::DATABASE_CHANGE, of::ALTER, "DB") }]
        }
        S::Backup(backup) => {
            let action = if backup.log { of::BACKUP_LOG } else { of::BACKUP };
            vec![Deed { name: named(&backup.database), ..Deed::new(of::BACKUP_RESTORE, action, "DB") }]
        }
        S::Restore(restore) => restore
            .database
            .iter()
            .map(|database| Deed { name: named(database), ..Deed::new(of::BACKUP_RESTORE, of::RESTORE, "DB") })
            .collect(),
        S::Drop(drop) => drop.names.iter().map(|name| dropped(drop.kind, name)).collect(),
        S::ServerAudit(audit) => vec![Deed::name(of::AUDIT_CHANGE, of::AUDIT_SESSION_CHANGED, "A", &audit.name)],
        S::AuditSpecification(change) => {
            let class = if change.of_database { "DA" } else { "SA" };
            vec![Deed::name(of::AUDIT_CHANGE, of::AUDIT_SESSION_CHANGED, class, &change.name)]
        }
        S::Permission(statement) => permission(statement),
        kind => of_principals(kind),
    }
}

fn of_principals(kind: &StatementKind) -> Vec<Deed<'_>> {
    use StatementKind as S;
    match kind {
        S::CreateCertificate(create) => vec![Deed::name(of::DATABASE_OBJECT_CHANGE, of::CREATE, "CR", &create.name)],
        S::MasterKey(statement) => match **statement {
            MasterKey::Create(_) => vec![Deed::new(of::DATABASE_OBJECT_CHANGE, of::CREATE, "MK")],
            MasterKey::Drop => vec![Deed::new(of::DATABASE_OBJECT_CHANGE, of::DROP, "MK")],
            MasterKey::AddService => vec![Deed::new(of::DATABASE_OBJECT_CHANGE, of::ALTER, "MK")],
            MasterKey::Open(_) | MasterKey::Close => Vec::new(),
        },
        S::Credential(change) => {
            let action = if change.alter { of::ALTER } else { of::CREATE };
            vec![Deed::name(of::SERVER_PRINCIPAL_CHANGE, action, "CD", &change.name)]
        }
        S::CreateLogin(create) => vec![Deed::name(of::SERVER_PRINCIPAL_CHANGE, of::CREATE, "SL", &create.name)],
        S::AlterLogin(change) => {
            let mut deeds = vec![Deed::name(of::SERVER_PRINCIPAL_CHANGE, of::ALTER, "SL", &change.name)];
            if let AlterLoginAction::Set { password: Some(_), .. } = &change.action {
                deeds.push(Deed::name(of::LOGIN_CHANGE_PASSWORD, of::CHANGED_PASSWORD, "SL", &change.name));
            }
            deeds
        }
        S::CreateUser(create) => vec![Deed::name(of::DATABASE_PRINCIPAL_CHANGE, of::CREATE, "SU", &create.name)],
        S::AlterUser(change) => vec![Deed::name(of::DATABASE_PRINCIPAL_CHANGE, of::ALTER, "SU", &change.name)],
        S::CreateRole(create) => {
            let (group, class) = match &create.application {
                Some(_) => (of::DATABASE_PRINCIPAL_CHANGE, "AR"),
                None => role(create.server),
            };
            vec![Deed::name(group, of::CREATE, class, &create.name)]
        }
        S::AlterApplicationRole(change) => {
            vec![Deed::name(of::DATABASE_PRINCIPAL_CHANGE, of::ALTER, "AR", &change.name)]
        }
        S::AlterRole(change) => {
            let (group, class) = role(change.server);
            let members = match change.server {
                true => of::SERVER_ROLE_MEMBER_CHANGE,
                false => of::DATABASE_ROLE_MEMBER_CHANGE,
            };
            let (group, action, target) = match &change.action {
                AlterRoleAction::AddMember(member) => (members, of::ADD_MEMBER, Some(member)),
                AlterRoleAction::DropMember(member) => (members, of::DROP_MEMBER, Some(member)),
                AlterRoleAction::Rename(_) => (group, of::ALTER, None),
            };
            vec![Deed { target, ..Deed::name(group, action, class, &change.name) }]
        }
        S::AlterAuthorization(change) => {
            let group = match change.on.class.as_deref() {
                None | Some("OBJECT") => of::SCHEMA_OBJECT_CHANGE,
                Some("LOGIN" | "SERVER ROLE") => of::SERVER_PRINCIPAL_CHANGE,
                Some("DATABASE") => of::DATABASE_CHANGE,
                Some("USER" | "ROLE" | "APPLICATION ROLE") => of::DATABASE_PRINCIPAL_CHANGE,
                Some(_) => of::DATABASE_OBJECT_CHANGE,
            };
            vec![Deed { target: change.to.as_ref(), ..Deed::object(group, of::ALTER, "OB", &change.on.name) }]
        }
        _ => Vec::new(),
    }
}

fn role(server: bool) -> (&'static Group, &'static str) {
    if server { (of::SERVER_PRINCIPAL_CHANGE, "SG") } else { (of::DATABASE_PRINCIPAL_CHANGE, "RL") }
}

fn dropped(kind: DropKind, name: &ObjectName) -> Deed<'_> {
    let (group, class) = match kind {
        DropKind::Table => (of::SCHEMA_OBJECT_CHANGE, "U"),
        DropKind::View => (of::SCHEMA_OBJECT_CHANGE, "V"),
        DropKind::Procedure => (of::SCHEMA_OBJECT_CHANGE, "P"),
        DropKind::Function | DropKind::Aggregate => (of::SCHEMA_OBJECT_CHANGE, "FN"),
        DropKind::Trigger => (of::SCHEMA_OBJECT_CHANGE, "TR"),
        DropKind::Sequence => (of::SCHEMA_OBJECT_CHANGE, "SO"),
        DropKind::Synonym => (of::SCHEMA_OBJECT_CHANGE, "SN"),
        DropKind::SecurityPolicy => (of::SCHEMA_OBJECT_CHANGE, "SP"),
        DropKind::Default | DropKind::Rule => (of::SCHEMA_OBJECT_CHANGE, "D"),
        DropKind::Schema => (of::DATABASE_OBJECT_CHANGE, "SC"),
        DropKind::Type => (of::DATABASE_OBJECT_CHANGE, "TY"),
        DropKind::XmlSchemaCollection => (of::SCHEMA_OBJECT_CHANGE, "SX"),
        DropKind::Assembly | DropKind::PartitionFunction | DropKind::PartitionScheme => {
            (of::DATABASE_OBJECT_CHANGE, "OB")
        }
        DropKind::Database => (of::DATABASE_CHANGE, "DB"),
        DropKind::Login => (of::SERVER_PRINCIPAL_CHANGE, "SL"),
        DropKind::Certificate => (of::DATABASE_OBJECT_CHANGE, "CR"),
        DropKind::Credential => (of::SERVER_PRINCIPAL_CHANGE, "CD"),
        DropKind::ServerRole => (of::SERVER_PRINCIPAL_CHANGE, "SG"),
        DropKind::User => (of::DATABASE_PRINCIPAL_CHANGE, "SU"),
        DropKind::Role => (of::DATABASE_PRINCIPAL_CHANGE, "RL"),
        DropKind::ApplicationRole => (of::DATABASE_PRINCIPAL_CHANGE, "AR"),
    };
    Deed::object(group, of::DROP, class, name)
}

/// For each principal.
fn permission(statement: &Permission) -> Vec<Deed<'_>> {
    let action = match statement.verb {
        PermissionVerb::Grant => of::GRANT,
        PermissionVerb::Deny => of::DENY,
        PermissionVerb::Revoke => of::REVOKE,
    };
    let is_of = |class: Class, name: &str| hierarchy::find(class, name).is_some();
    let only_server = |name: &str| is_of(Class::Server, name) && !is_of(Class::Database, name);
    let (group, class) = match &statement.on {
        None if statement.permissions.iter().any(|item| only_server(&item.name)) => {
            (of::SERVER_PERMISSION_CHANGE, "SR")
        }
        None => (of::DATABASE_PERMISSION_CHANGE, "DB"),
        Some(on) => match on.class.as_deref() {
            None | Some("OBJECT") => (of::SCHEMA_OBJECT_PERMISSION_CHANGE, "OB"),
            Some("LOGIN" | "SERVER ROLE") => (of::SERVER_PERMISSION_CHANGE, "LX"),
            Some(_) => (of::DATABASE_PERMISSION_CHANGE, "SC"),
        },
    };
    let object = statement.on.as_ref().map(|on| &on.name);
    statement
        .principals
        .iter()
        .map(|target| Deed { object, target: Some(target), ..Deed::new(group, action, class) })
        .collect()
}
