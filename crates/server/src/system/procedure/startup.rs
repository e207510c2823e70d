//! sp_procoption: procedures of master that run when the server has started.
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-procoption-transact-sql

use exec::session::Session as State;
use exec::sink::Sink;
use types::{SqlResult, sql_error};

use super::definition::{define, find};
use super::parameters::Parameters;
use crate::catalog::MASTER;
use crate::catalog::base::{ColumnRow, ObjectRow, object_status, schema};
use crate::catalog::load::{int, small};
use crate::session::host::SessionHost;
use crate::settings::config::option;

/// Of `ColumnRow`: parameters.
const PARAMETERS: u8 = 1;

/// sp_procoption @ProcName, 'startup', 'on' or 'off'.
pub fn set(host: &mut SessionHost, state: &mut State, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let (name, option) = (given.text(0).unwrap_or_default(), given.text(1).unwrap_or_default());
    let on = match given.text(2).unwrap_or_default().to_ascii_lowercase().as_str() {
        "on" | "true" => true,
        "off" | "false" => false,
        _ => return Err(sql_error!(15600, "sp_procoption")),
    };
    if !option.eq_ignore_ascii_case("startup") {
        return Err(sql_error!(15600, "sp_procoption"));
    }
    define(host, state, sink, |ddl| {
        let Some((db, row)) = find(ddl, &name)?.filter(|(_, row)| row.kind.as_str().trim() == "P") else {
            return Err(sql_error!(15009, name, "master"));
        };
        if db.id != MASTER || row.nsid != schema::DBO {
            return Err(sql_error!(15398));
        }
        ddl.rows(&db, |rows| {
            if rows.first::<ColumnRow>(0, &[int(row.id), small(PARAMETERS)])?.is_some() {
                return Err(sql_error!(15399));
            }
            rows.update::<ObjectRow>(0, &[int(row.id)], |row| {
                row.status &= !object_status::AT_START;
                if on {
                    row.status |= object_status::AT_START;
                }
            })
        })?;
        ddl.changed(db.id, row.id);
        Ok(())
    })?;
    // At a start they are looked for while this is 1.
    if on {
        host.server.catalog.configure(option::SCAN_FOR_STARTUP_PROCS, 1)?;
    }
    Ok(0)
}
