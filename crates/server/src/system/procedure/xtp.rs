//! sys.sp_xtp_control_proc_exec_stats and sys.sp_xtp_control_query_exec_stats: which natively compiled modules are measured.

use sql::catalog::{DatabaseId, ObjectId};
use types::{Datum, SqlResult, SqlType};

use super::parameters::Parameters;
use crate::catalog::base::object_status;
use crate::catalog::load;
use crate::host::SessionHost;

fn tell(given: &mut Parameters<'_>, position: usize, on: bool) {
    given.set(position, SqlType::BIT, Datum::I64(on.into()));
}

fn asked(given: &Parameters<'_>) -> Option<bool> {
    given.number(0).map(|value| value != 0)
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
    if let Some(on) = asked(given) {
        statistics.set_calls(on);
    }
    tell(given, 1, old);
    Ok(0)
}

/// Return code 1: there is no such module, or there are too many.
pub fn control_queries(host: &mut SessionHost, given: &mut Parameters<'_>) -> SqlResult<i32> {
    let statistics = &host.server.native_statistics;
    let (old, done) = match (given.number(1), given.number(2)) {
        (None, None) => {
            let old = statistics.queries();
            if let Some(on) = asked(given) {
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
            (old, asked(given).is_none_or(|on| statistics.choose(database, object, on)))
        }
    };
    tell(given, 3, old);
    Ok(i32::from(!done))
}
