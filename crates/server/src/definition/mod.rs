//! Runs the statements that define things: CREATE, ALTER, DROP and what administers. All in the session's transaction: catalog rows
//! and storage change together, so ROLLBACK and a crash undo both.
//!
//! ```text
//! site        what the session gives: transaction, queries over the user's rows, messages
//! rights      what it may do
//! host_site   a session as such a site
//! text        expressions as catalog views show them       number      whole numbers as written
//! data_type   a type as written -> a column's type         column      a column as written -> its row
//! layout      a definition as storage knows it             rebuild     rows into a new layout
//! build       what building an index takes: memory, how full pages are
//! added_value  what rows that are there have in a new column
//! table       CREATE TABLE          constraint  keys, checks, defaults, foreign keys
//! cascade_paths  where the actions of foreign keys lead
//! bound       defaults and rules that are objects of their own, bound to columns and types
//! temporal    periods of system time, SYSTEM_VERSIONING, history tables     versioned   how others meet these
//! memory_optimized  what SQL Server asks of memory-optimized tables and table types
//! alter       ALTER TABLE           sequence    CREATE, ALTER SEQUENCE
//! partition   partition functions and schemes, where tables and indexes lie by them      switch      ALTER TABLE ... SWITCH
//! guard       who may run which of these statements    within_trigger  which a trigger may not run
//! index_option  options of indexes, and which statement takes which       index_partition  PARTITION = n of their pages
//! index       indexes            module      views, procedures, functions, triggers (execute_as: as whom)
//! scoped_trigger  triggers of a database or the server     event  which statements fire them, and event_call, which procedures
//! event_data  EVENTDATA()
//! object      schemas, types, synonyms, DROP, sp_rename
//! access      who may be in a database while it changes            database_setting  ALTER DATABASE SET
//! database_state  SET OFFLINE, SET ONLINE, SET EMERGENCY
//! database    CREATE/ALTER/DROP DATABASE        security    users, roles, owners        database_file  files of databases
//! login       CREATE/ALTER/DROP LOGIN           master_key  MASTER KEY           certificate  CREATE, BACKUP, DROP CERTIFICATE
//! dbcc        arguments of DBCC                 check       DBCC CHECKDB and its kin       repair  CHECKDB (..., REPAIR_...)
//! statistics  CREATE, UPDATE, DROP STATISTICS, DBCC SHOW_STATISTICS
//! check_constraints  DBCC CHECKCONSTRAINTS      usage  DBCC UPDATEUSAGE
//! space       DBCC SHRINKFILE, LOGINFO      open_transaction  DBCC OPENTRAN
//! permission  GRANT, DENY, REVOKE               server      DBCC, CHECKPOINT, KILL     trace  DBCC TRACEON     shutdown  SHUTDOWN
//! pool        CREATE, ALTER, DROP THREAD POOL          schema_binding    what natively compiled modules depend on
//! workload    CREATE, ALTER, DROP WORKLOAD GROUP, the classifier
//! governor    CREATE, ALTER, DROP RESOURCE POOL       security_policy   CREATE, ALTER SECURITY POLICY
//! backup_options  the WITH clause of BACKUP and RESTORE     backup_device   their files    dump_device  names for these
//! backup_about    what a set says of its database         backup_history  what msdb says of sets
//! backup_told     what the error log says of them         backup_encryption  by which key a set is read
//! backup      BACKUP DATABASE, LOG  backup_headers  RESTORE HEADERONLY, FILELISTONLY, LABELONLY      restore  RESTORE DATABASE, VERIFYONLY
//! xml_schema  CREATE, ALTER, DROP XML SCHEMA COLLECTION     xml_index   CREATE XML INDEX
//! internal_table  what tools know XML and spatial indexes by
//! attach      sp_detach_db, FOR ATTACH       snapshot    AS SNAPSHOT OF, FROM DATABASE_SNAPSHOT
//! closed      a database whose tail was backed up, or whose files are taken out
//! restore_source  what RESTORE statements have in common    recovery_path  which backups go on from which
//! forward     RESTORE LOG, of a differential backup, WITH RECOVERY
//! backup_pace    how fast backups read            restore_pages  RESTORE DATABASE ... PAGE, and how it goes on
//! clone       DBCC CLONEDATABASE
//! ```

pub mod text;
pub mod site;
pub mod rights;
pub mod host_site;
pub mod number;
pub mod xml_schema;
pub mod data_type;
pub mod schema_binding;
pub mod layout;
pub mod column;
pub mod column_use;
pub mod build;
pub mod view_index;
pub mod rebuild;
pub mod versioned;
pub mod added_value;
pub mod workload;
pub mod governor;
pub mod execute_as;
pub mod module;
pub mod permission;
pub mod audited;
pub mod audit;
pub mod pool;
pub mod database_setting;
pub mod access;
pub mod dbcc;
pub mod check;
pub mod check_constraints;
pub mod usage;
pub mod space;
pub mod open_transaction;
pub mod trace;
pub mod server;
pub mod shutdown;
pub mod database_state;
pub mod repair;
pub mod database_file;
pub mod database;
pub mod partition;
pub mod login;
pub mod credential;
pub mod master_key;
pub mod dump_device;
pub mod closed;
pub mod backup_options;
pub mod backup_url;
pub mod backup_device;
pub mod certificate;
pub mod backup_about;
pub mod backup_encryption;
pub mod backup_history;
pub mod backup_told;
pub mod backup_headers;
pub mod backup_pace;
pub mod backup;
pub mod snapshot;
pub mod clone;
pub mod restore_source;
pub mod recovery_path;
pub mod restore_pages;
pub mod forward;
pub mod restore;
pub mod attach;
pub mod security;
pub mod application_role;
pub mod internal_table;
pub mod spatial_index;
pub mod xml_index;
pub mod index_option;
pub mod index_partition;
pub mod new_index;
pub mod index;
pub mod statistics;
pub mod bound;
pub mod cascade_paths;
pub mod constraint;
pub mod memory_optimized;
pub mod temporal;
pub mod table;
pub mod switch;
pub mod security_policy;
pub mod scoped_trigger;
pub mod object;
pub mod sequence;
pub mod alter;
pub mod event_data;
pub mod event;
pub mod event_call;
pub mod guard;
mod within_snapshot;
mod within_trigger;

use exec::host::Defined;
use sql::ast::{Drop, DropKind, Statement, StatementKind, TriggerScope};
use types::{SqlError, SqlResult};

use crate::catalog::MASTER;

pub use host_site::HostSite;
pub use site::{Ddl, Site};
pub use sql::bind::errors::unsupported;
pub use table::{create_for, drop_temporaries};

/// Runs one statement. `text`: the batch or module it was parsed from (its spans are into it).
pub fn run(site: &mut dyn Site, statement: &Statement, text: &str) -> SqlResult<Defined> {
    let mut ddl = Ddl::new(site, text);
    ddl.line = statement.line;
    match &statement.kind {
        StatementKind::Drop(drop) if drop.names.len() > 1 => drop_each(&mut ddl, statement, drop),
        StatementKind::Dbcc(dbcc) if dbcc.variables().next().is_some() => {
            let dbcc = dbcc::with_values(&ddl, dbcc);
            let own = Statement { kind: StatementKind::Dbcc(Box::new(dbcc)), ..*statement };
            run_one(&mut ddl, &own).map(|()| Defined::Whole)
        }
        _ => run_one(&mut ddl, statement).map(|()| Defined::Whole),
    }
}

fn run_one(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    let goes = databases_of(ddl, statement);
    let checked = guard::check(ddl, statement);
    let told = audited::tell(ddl, statement, checked.is_ok());
    let refused = within_trigger::check(ddl, statement).and_then(|()| within_snapshot::check(ddl, statement));
    let done = checked.and(told).and(refused).and_then(|()| carry_out(ddl, statement));
    if done.is_ok() && !goes.is_empty() {
        audit::forget(ddl, &goes);
    }
    done.map_err(|error| error.at_line(statement.line))
}

/// Each name goes for itself, as by a statement of its own: those that can be dropped are, and the errors tell of the others.
fn drop_each(ddl: &mut Ddl<'_>, statement: &Statement, drop: &Drop) -> SqlResult<Defined> {
    let mut failed: Option<SqlError> = None;
    let mut dropped = false;
    for name in &drop.names {
        let own = Drop { names: vec![name.clone()], scope: drop.scope.clone(), ..*drop };
        let own = Statement { kind: StatementKind::Drop(Box::new(own)), ..*statement };
        match run_one(ddl, &own) {
            Ok(()) => dropped = true,
            // Refused before anything of it was done. What ends the transaction, or was a trigger's, is of the whole statement.
            Err(error) if error.number == 3701 || (3705..=3729).contains(&error.number) => {
                failed = Some(match failed {
                    None => error,
                    Some(earlier) => error.after(earlier.one_by_one()),
                });
            }
            Err(error) => return Err(error),
        }
    }
    match failed {
        None => Ok(Defined::Whole),
        Some(error) if dropped => Ok(Defined::Part(error)),
        Some(error) => Err(error),
    }
}

/// And fires the triggers of what it was.
fn carry_out(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    let watch = event::begin(ddl, statement)?;
    dispatch(ddl, statement)?;
    security_changed(ddl, statement)?;
    watch.map_or(Ok(()), |watch| watch.fire(ddl, statement))
}

/// Numbers of the databases that the statement drops, or replaces.
fn databases_of(ddl: &Ddl<'_>, statement: &Statement) -> Vec<u16> {
    match &statement.kind {
        StatementKind::Drop(drop) if drop.kind == DropKind::Database => {
            drop.names.iter().filter_map(|name| Some(ddl.catalog.database_named(&name.name)?.id.0)).collect()
        }
        StatementKind::Restore(restore) => {
            let name = restore.database.as_ref().map(|database| backup::database_name(ddl, database));
            name.and_then(|name| ddl.catalog.database_named(&name)).map(|db| db.id.0).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// What sessions know of rights is old when this commits.
fn security_changed(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    let changes = match &statement.kind {
        StatementKind::CreateLogin(_)
        | StatementKind::AlterLogin(_)
        | StatementKind::CreateUser(_)
        | StatementKind::AlterUser(_)
        | StatementKind::CreateRole(_)
        | StatementKind::AlterRole(_)
        | StatementKind::AlterApplicationRole(_)
        | StatementKind::AlterAuthorization(_)
        | StatementKind::CreateSchema(_)
        | StatementKind::AlterSchema(_)
        | StatementKind::Permission(_) => true,
        StatementKind::Drop(drop) => matches!(
            drop.kind,
            DropKind::Login
                | DropKind::User
                | DropKind::Role
                | DropKind::ServerRole
                | DropKind::ApplicationRole
                | DropKind::Schema
        ),
        _ => false,
    };
    if changes {
        ddl.changed(MASTER, 0);
        let current = ddl.site.state().0.database;
        ddl.changed(current, 0);
    }
    Ok(())
}

fn dispatch(ddl: &mut Ddl<'_>, statement: &Statement) -> SqlResult<()> {
    match &statement.kind {
        StatementKind::CreateTable(create) => table::create(ddl, create),
        StatementKind::AlterTable(change) => alter::alter_table(ddl, change),
        StatementKind::Truncate(truncate) => table::truncate(ddl, truncate),
        StatementKind::CreateIndex(create) => statistics::create_index(ddl, create),
        StatementKind::AlterIndex(change) => index::alter(ddl, change),
        StatementKind::DropIndex(drop) => index::drop(ddl, drop),
        StatementKind::CreateStatistics(create) => statistics::create(ddl, create),
        StatementKind::UpdateStatistics(update) => statistics::update(ddl, update),
        StatementKind::DropStatistics(names) => statistics::drop(ddl, names),
        StatementKind::SwitchTrigger(switch) => match &switch.on {
            TriggerScope::Table(on) => module::switch_trigger(ddl, switch, on),
            _ => scoped_trigger::switch(ddl, switch),
        },
        StatementKind::CreateView(create) => module::create_view(ddl, create),
        StatementKind::CreateProcedure(create) => module::create_procedure(ddl, create),
        StatementKind::CreateFunction(create) => module::create_function(ddl, create),
        StatementKind::CreateTrigger(create) => match &create.on {
            TriggerScope::Table(on) => module::create_trigger(ddl, create, on),
            _ => scoped_trigger::create(ddl, create),
        },
        StatementKind::Drop(drop) if matches!(drop.scope, Some(TriggerScope::Database | TriggerScope::AllServer)) => {
            scoped_trigger::drop(ddl, drop)
        }
        StatementKind::Drop(drop) => object::drop(ddl, drop),
        StatementKind::CreateSchema(create) => object::create_schema(ddl, create),
        StatementKind::AlterSchema(change) => object::alter_schema(ddl, change),
        StatementKind::CreateType(create) => object::create_type(ddl, create),
        StatementKind::XmlSchemaCollection(statement) => xml_schema::run(ddl, statement),
        StatementKind::CreateSequence(create) => sequence::create_sequence(ddl, create),
        StatementKind::CreateSynonym(create) => object::create_synonym(ddl, create),
        StatementKind::CreateDefaultOrRule(create) => bound::create(ddl, create),
        StatementKind::CreateDatabase(create) => match (&create.snapshot_of, &create.attach) {
            (Some(source), _) => snapshot::create(ddl, create, source),
            (None, Some(_)) => attach::attach(ddl, create),
            (None, None) => database::create(ddl, create),
        },
        StatementKind::AlterDatabase(change) => database::alter(ddl, change),
        StatementKind::Backup(statement) => backup::run(ddl, statement),
        StatementKind::Restore(statement) => restore::run(ddl, statement),
        StatementKind::Credential(change) => credential::run(ddl, change),
        StatementKind::MasterKey(statement) => master_key::run(ddl, statement),
        StatementKind::CreateCertificate(create) => certificate::create(ddl, create),
        StatementKind::BackupCertificate(statement) => certificate::backup(ddl, statement),
        StatementKind::CreateLogin(create) => login::create_login(ddl, create),
        StatementKind::AlterLogin(change) => login::alter_login(ddl, change),
        StatementKind::CreateUser(create) => security::create_user(ddl, create),
        StatementKind::AlterUser(change) => security::alter_user(ddl, change),
        StatementKind::CreateRole(create) => match &create.application {
            Some(options) => application_role::create(ddl, &create.name, options),
            None => security::create_role(ddl, create),
        },
        StatementKind::AlterApplicationRole(change) => application_role::alter(ddl, change),
        StatementKind::AlterRole(change) => security::alter_role(ddl, change),
        StatementKind::AlterAuthorization(change) => security::alter_authorization(ddl, change),
        StatementKind::SecurityPolicy(statement) => security_policy::run(ddl, statement),
        StatementKind::Permission(statement) => permission::permission(ddl, statement),
        StatementKind::Dbcc(dbcc) if &*dbcc.command == "SHOW_STATISTICS" => statistics::show(ddl, dbcc),
        StatementKind::Dbcc(dbcc) if &*dbcc.command == "DBREINDEX" => index::reindex(ddl, dbcc),
        StatementKind::Dbcc(dbcc) if &*dbcc.command == "CLONEDATABASE" => clone::run(ddl, dbcc),
        StatementKind::Dbcc(dbcc) if repair::is_asked(dbcc) => repair::run(ddl, dbcc),
        StatementKind::Dbcc(dbcc) => server::dbcc(ddl, dbcc),
        StatementKind::Checkpoint(_) => server::checkpoint(ddl),
        StatementKind::Reconfigure { with_override } => server::reconfigure(ddl, *with_override),
        StatementKind::Kill(kill) => server::kill(ddl, kill),
        StatementKind::Shutdown { no_wait } => shutdown::run(ddl, *no_wait),
        StatementKind::AlterServerConfiguration(change) => server::alter_configuration(ddl, change),
        StatementKind::ThreadPool(statement) => pool::thread_pool(ddl, statement),
        StatementKind::ResourceGovernor(statement) => governor::run(ddl, statement),
        StatementKind::ServerAudit(statement) => audit::server_audit(ddl, statement),
        StatementKind::AuditSpecification(statement) => audit::specification(ddl, statement),
        StatementKind::CreatePartitionFunction(create) => partition::create_function(ddl, create),
        StatementKind::AlterPartitionFunction(alter) => partition::alter_function(ddl, alter),
        StatementKind::CreatePartitionScheme(create) => partition::create_scheme(ddl, create),
        StatementKind::AlterPartitionScheme(alter) => partition::alter_scheme(ddl, alter),
        StatementKind::Other(other) => Err(match &other.session {
            // There is none.
            Some(name) if other.verb.starts_with("DROP") => {
                site::cannot_find("drop", "event session", name).in_state(19)
            }
            Some(name) => site::cannot_find("alter", "event session", name).in_state(19),
            None => unsupported(&other.verb),
        }),
        other => panic!("no definition, and no other part of the server refuses it: {other:?}"),
    }
}
