//! sys.sp_xtp_...: which natively compiled modules are measured; that what is no longer needed of memory-optimized tables goes now;
//! which pool a database's tables take their memory from.

use std::sync::Arc;

use exec::session::stopped;
use exec::sink::Sink;
use sql::catalog::{DatabaseId, ObjectId};
use storage::CheckpointFile;
use types::{Datum, SqlResult, SqlType, sql_error};

use super::parameters::Parameters;
use super::result::{ResultSet, number};
use crate::catalog::base::object_status;
use crate::catalog::error::storage_error;
use crate::catalog::{Database, is_system, load, no_such_database};
use crate::session::host::SessionHost;

fn tell(given: &mut Parameters<'_>, position: usize, on: bool) {
    given.set(position, SqlType::BIT, Datum::I64(on.into()));
}

fn asked(given: &Parameters<'_>) -> SqlResult<Option<bool>> {
    given.flag(0)
}

fn is_native_module(host: &SessionHost, database: DatabaseId, object: ObjectId) -> SqlResult<bool> {
    let catalog = &host.server.catalog;
    let Some(db) = catalog.database(database) else { return Ok(false) };
    let row = catalog.read(&db, |rows| load::object_row(rows, object.0))?;
    Ok(row.is_some_and(|row| row.status & object_status::NATIVE != 0))
}

pub fn control_calls(host: &mut SessionHost, given: &mut Parameters<'_>) -> SqlResult<i32> {
    let statistics = &host.server.native_statistics;
    let old = statistics.calls();
    if let Some(on) = asked(given)? {
        statistics.set_calls(on);
    }
    tell(given, 1, old);
    Ok(0)
}

/// Return code 1: there is no such module, or there are too many.
pub fn control_queries(host: &mut SessionHost, given: &mut Parameters<'_>) -> SqlResult<i32> {
    let statistics = &host.server.native_statistics;
    let (old, done) = match (given.number(1)?, given.number(2)?) {
        (None, None) => {
            let old = statistics.queries();
            if let Some(on) = asked(given)? {
                statistics.set_queries(on);
            }
            (old, true)
        }
        (None, Some(_)) => return Err(given.missing(1)),
        (Some(_), None) => return Err(given.missing(2)),
        (Some(database), Some(object)) => {
            let (Ok(database), Ok(object)) = (u16::try_from(database), i32::try_from(object)) else { return Ok(1) };
            let (database, object) = (DatabaseId(database), ObjectId(object));
            if !is_native_module(host, database, object)? {
                return Ok(1);
            }
            let old = statistics.has_chosen(database, object);
            (old, asked(given)?.is_none_or(|on| statistics.choose(database, object, on)))
        }
    };
    tell(given, 3, old);
    Ok(i32::from(!done))
}

fn database_of(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<Arc<Database>> {
    let name = given.text(0).ok_or_else(|| given.missing(0))?;
    host.server.catalog.database_named(&name).ok_or_else(|| no_such_database(&name))
}

/// @dbname, or the session's database.
fn database_or_here(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<DatabaseId> {
    match given.text(0) {
        None => Ok(host.catalog_session.database),
        Some(_) => Ok(database_of(host, given)?.id),
    }
}

/// sp_xtp_force_gc: what nobody sees any more goes, then what nobody stands on.
pub fn collect_rows(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    database_or_here(host, given)?;
    (0..2).for_each(|_| host.server.catalog.storage.collect_versions());
    Ok(0)
}

/// sp_xtp_checkpoint_force_garbage_collection: a checkpoint, which merges pairs and removes at once what it has merged. So no file is
/// only marked.
pub fn collect_files(host: &SessionHost, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let database = database_or_here(host, given)?;
    let storage = &host.server.catalog.storage;
    let files = || storage.last_checkpoint(storage::DatabaseId(database.0)).map_err(storage_error);
    let before = files()?;
    storage.checkpoint().map_err(storage_error)?;
    let after = files()?;
    let is_gone = |file: &&CheckpointFile| after.files.iter().all(|kept| kept.name != file.name);
    let gone = before.files.iter().filter(is_gone).count();
    let mut result = ResultSet::new(
        "num_collected_items bigint; num_marked_for_collection_items bigint; last_collected_xact_seqno bigint",
    );
    result.push(&[number(gone as i64), number(0), number(after.redo_lsn as i64)]);
    result.send(sink)?;
    Ok(0)
}

/// In effect at once: no database goes offline here.
pub fn bind_pool(host: &SessionHost, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let db = database_of(host, given)?;
    let pool = given.text(1).ok_or_else(|| given.missing(1))?;
    if is_system(db.id) {
        return Err(sql_error!(41371, db.name()));
    }
    let name = db.name();
    let pool = host.server.catalog.change_governor().bind(db.id, &name, &pool)?;
    sink.message(&sql_error!(41375, name, pool)).map_err(stopped)?;
    Ok(0)
}

pub fn unbind_pool(host: &SessionHost, given: &Parameters<'_>) -> SqlResult<i32> {
    let db = database_of(host, given)?;
    if !host.server.catalog.change_governor().unbind(db.id)? {
        return Err(sql_error!(41374, db.name()));
    }
    Ok(0)
}
