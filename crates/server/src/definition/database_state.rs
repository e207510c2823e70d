//! ALTER DATABASE ... SET OFFLINE, ONLINE and EMERGENCY: a database's file is closed, or opened and brought up to the others, or opened for
//! who reads what is left of it.
//! https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options

use std::sync::Arc;

use sql::ast::{Setting, Termination};
use storage::{Hold, Resource, StorageError};
use types::{SqlResult, sql_error};

use super::access::{end_others, failed, until_alone};
use super::database_setting;
use super::site::Ddl;
use crate::catalog::base::{DatabaseRow, database_option};
use crate::catalog::error::storage_error;
use crate::catalog::{Database, is_system};
use crate::instance::error_log::{self, Source};
use crate::instance::plan_cache::Forget;

/// What transactions of sessions that were ended may take to be undone.
const UNDO_MS: u64 = 60_000;

pub fn is_changed(settings: &[Setting]) -> bool {
    settings.iter().any(|setting| matches!(&*setting.name, "OFFLINE" | "ONLINE" | "EMERGENCY"))
}

/// 5058: a system database stays. A state is changed alone.
pub fn change(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    settings: &[Setting],
    termination: Option<&Termination>,
) -> SqlResult<()> {
    let [setting] = settings else {
        return Err(super::unsupported("ALTER DATABASE SET of a state together with other options"));
    };
    if is_system(db.id) && &*setting.name != "ONLINE" {
        return Err(sql_error!(5058, &*setting.name, db.name()));
    }
    match &*setting.name {
        "OFFLINE" => take_offline(ddl, db, termination),
        "EMERGENCY" => enter_emergency(ddl, db, termination),
        _ => bring_online(ddl, db, termination),
    }
}

/// Whether it is in the state EMERGENCY, as master has it.
pub fn say_emergency(ddl: &mut Ddl<'_>, db: &Database, is_so: bool) -> SqlResult<()> {
    if db.is_in_emergency() == is_so {
        return Ok(());
    }
    let mut row = DatabaseRow::clone(&db.row());
    row.options ^= database_option::EMERGENCY;
    database_setting::write(ddl, db, row)
}

/// One that is in use is closed first.
fn enter_emergency(ddl: &mut Ddl<'_>, db: &Arc<Database>, termination: Option<&Termination>) -> SqlResult<()> {
    let (storage, id) = (ddl.catalog.storage.clone(), db.storage_id());
    if storage.hold_of(id) == Some(Hold::Emergency) {
        return Ok(());
    }
    if storage.hold_of(id).is_none() {
        close(ddl, db, termination)?;
    }
    say_emergency(ddl, db, true)?;
    if let Err(error) = storage.open_in_emergency(id) {
        say_emergency(ddl, db, false)?;
        publish(ddl, db);
        let why = ddl.catalog.check_open(db).err().unwrap_or_else(|| storage_error(error));
        return Err(failed(why));
    }
    publish(ddl, db);
    error_log::tell(session(ddl), &format!("Setting database option EMERGENCY to ON for database '{}'.", db.name()));
    Ok(())
}

fn take_offline(ddl: &mut Ddl<'_>, db: &Arc<Database>, termination: Option<&Termination>) -> SqlResult<()> {
    close(ddl, db, termination)?;
    say_emergency(ddl, db, false)?;
    publish(ddl, db);
    error_log::tell(session(ddl), &format!("Setting database option OFFLINE to ON for database '{}'.", db.name()));
    Ok(())
}

/// Until it is opened again nobody gets the database.
pub fn close(ddl: &mut Ddl<'_>, db: &Arc<Database>, termination: Option<&Termination>) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    if catalog.check_open(db).is_ok() {
        until_alone(ddl, db, termination)?;
    }
    if catalog.storage.hold_of(db.storage_id()).is_none() {
        // Numbers that identity columns have reserved go back.
        db.counters.write_back(&catalog.storage, db)?;
        if let Some(Termination::RollbackImmediate | Termination::RollbackAfter(_)) = termination {
            // Sessions that use it from another database.
            end_users(ddl, db);
        }
    }
    let deadline = match termination {
        None => u64::MAX,
        Some(Termination::NoWait) => 0,
        Some(_) => os::clock::after_ms(UNDO_MS),
    };
    let taken = ddl.long_storage(|storage, _, pause| storage.take_offline(db.storage_id(), deadline, pause));
    taken.map_err(|error| match error {
        StorageError::LockTimeout => failed(sql_error!(5061, db.name())),
        error => failed(storage_error(error)),
    })?;
    // Who came meanwhile.
    end_others(ddl, db);
    Ok(())
}

/// Sessions with locks in the database, wherever they are.
fn end_users(ddl: &mut Ddl<'_>, db: &Database) {
    let own = ddl.site.session().spid;
    let is_in = |resource: &Resource| match resource {
        Resource::Table(of, _) | Resource::Row(of, ..) => *of == db.storage_id(),
        Resource::Application(..) => false,
    };
    let locks = ddl.catalog.storage.locks();
    let server = ddl.site.server();
    for entry in locks.iter().filter(|entry| is_in(&entry.resource) && entry.session != own) {
        server.kill(entry.session);
    }
}

fn bring_online(ddl: &mut Ddl<'_>, db: &Arc<Database>, termination: Option<&Termination>) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    if catalog.storage.hold_of(db.storage_id()).is_none() {
        return Ok(());
    }
    if db.is_in_emergency() {
        until_alone(ddl, db, termination)?;
    }
    let opened = catalog.storage.bring_online(db.storage_id());
    say_emergency(ddl, db, false)?;
    if let Err(error) = opened {
        error_log::tell(
            session(ddl),
            &format!("Database '{}' cannot be opened: {error}. Put its file back, or restore it.", db.name()),
        );
        publish(ddl, db);
        let why = catalog.check_open(db).err().unwrap_or_else(|| storage_error(error));
        return Err(failed(why));
    }
    db.counters.forget_all();
    publish(ddl, db);
    error_log::tell(session(ddl), &format!("Starting up database '{}'.", db.name()));
    Ok(())
}

fn session(ddl: &Ddl<'_>) -> Source {
    Source::Session(ddl.site.session().spid)
}

/// All engines look again at what they know of the database: the file may be another.
pub fn publish(ddl: &mut Ddl<'_>, db: &Database) {
    db.invalidate();
    ddl.catalog.raise_databases_version();
    ddl.catalog.raise_version();
    ddl.site.server().forget_plans(Forget::All);
}
