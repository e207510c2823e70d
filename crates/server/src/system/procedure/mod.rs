//! System procedures that are not T-SQL.
//!
//! ```text
//! parameters         arguments by a procedure's own parameters      result    a small result set
//! application_lock   sp_getapplock, sp_releaseapplock
//! definition         sp_rename, extended properties, sp_recompile, sp_refreshview          sequence   sp_sequence_get_range
//! temporal           sp_cleanup_temporal_history              startup    sp_procoption
//! trigger_order      sp_settriggerorder
//! server             configuration, session context, xp_*          messages   the user's messages
//! pools              thread pools and execution classes          error_log  who reads it, and begins a new one          files   xp_dirtree, xp_fileexist
//! format             xp_sprintf, xp_sscanf
//! backup_history  msdb forgets old backups                    dump_device   sp_addumpdevice, sp_dropdevice
//! query_store    sp_query_store_*
//! xtp                which natively compiled modules are measured, databases in resource pools
//! describe           how a column is described      undeclared   types of undeclared parameters, by the text's words
//! described          sp_describe_first_result_set
//! list               all of these by name: parameters, and what runs them
//! recorded           results kept for a cursor      cursor   the cursors of drivers: sp_cursoropen and its kin
//! ```
//!
//! Those that run text (sp_executesql, sp_prepare ...) are `crate::request::text_procedures`.

mod parameters;
mod result;
pub mod application_lock;
mod application_role;
pub mod definition;
mod startup;
mod trigger_order;
mod sequence;
mod temporal;
mod server;
mod messages;
mod pools;
mod error_log;
mod files;
mod format;
mod backup_history;
mod dump_device;
mod query_store;
mod xtp;
mod xml_document;
mod recorded;
pub mod cursor;
pub mod describe;
mod undeclared_words;
mod undeclared;
pub mod described;
mod list;

use std::ops::RangeInclusive;

use exec::host::CallArgument;
use exec::session::{Session as State, stopped};
use exec::sink::{Command, Done, DoneKind, Outcome, Sink};
use sql::catalog::ObjectName;
use types::{SqlError, SqlResult, sql_error};

use crate::catalog::registry;
use crate::security::check::Securable;
use crate::session::host::SessionHost;
use list::{Call, PERMISSIONS, PROCEDURES};
use parameters::Parameters;

/// The native procedure that a name means.
pub fn native_procedure(name: &ObjectName) -> Option<&'static str> {
    registry::native_procedure(name.schema.as_deref(), &name.name)
}

/// Runs one; the answer is its return code.
pub fn run_native(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    name: &str,
    arguments: &mut [CallArgument],
) -> SqlResult<i32> {
    if let Some(result) = cursor::call(host, state, sink, name, arguments) {
        return result;
    }
    let Some(native) = PROCEDURES.iter().find(|native| native.name == name) else {
        return Err(sql_error!(2812, name));
    };
    let held = match PERMISSIONS.iter().find(|(asks, _)| *asks == name) {
        Some((_, permission)) => {
            host.rights(state, |rights, look| rights.holds(look, None, &Securable::SERVER, permission))?
        }
        None => true,
    };
    let mut given = Parameters::bind(native.name, native.parameters, native.required, arguments)?;
    let ended = match held {
        true => (native.run)(&mut Call { host, state, sink }, &mut given),
        false => Err(sql_error!(15247)),
    };
    match ended {
        Err(error) if RAISING.contains(&native.name) && RAISED.contains(&error.number) => {
            raise(state, sink, native.name, error)
        }
        ended => ended,
    }
}

/// Procedures that SQL Server has in T-SQL: what is wrong with their arguments they raise, and return 1 to a caller that goes on ("Return
/// code values" of each one's page).
const RAISING: [&str; 17] = [
    "sp_addmessage",
    "sp_addumpdevice",
    "sp_altermessage",
    "sp_bindefault",
    "sp_bindrule",
    "sp_cycle_errorlog",
    "sp_detach_db",
    "sp_dropdevice",
    "sp_dropmessage",
    "sp_procoption",
    "sp_recompile",
    "sp_refreshsqlmodule",
    "sp_refreshview",
    "sp_rename",
    "sp_settriggerorder",
    "sp_unbindefault",
    "sp_unbindrule",
];

/// Numbers that only such procedures have.
const RAISED: RangeInclusive<i32> = 15_000..=15_999;

/// RAISERROR of each error, and RETURN 1, or of the number; within a TRY its CATCH has the first.
fn raise(state: &mut State, sink: &mut dyn Sink, procedure: &str, error: SqlError) -> SqlResult<i32> {
    let refreshes = matches!(procedure, "sp_refreshview" | "sp_refreshsqlmodule");
    let status = if refreshes || procedure == "sp_procoption" { error.number } else { 1 };
    for error in error.one_by_one() {
        let error = error.at_line(if refreshes { 62 } else { 1 }).in_procedure(procedure);
        if state.try_level > 0 {
            return Err(error);
        }
        let done =
            Done { kind: DoneKind::InProcedure, command: Command::Raise, row_count: None, outcome: Outcome::Failed };
        sink.message(&error).and_then(|()| sink.done(done)).map_err(stopped)?;
    }
    // RETURN has no error.
    state.error = 0;
    Ok(status)
}
