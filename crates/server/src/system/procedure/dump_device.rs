//! sp_addumpdevice and sp_dropdevice.

use exec::session::Session as State;
use exec::sink::Sink;
use types::{SqlResult, sql_error};

use super::definition::define;
use super::parameters::Parameters;
use crate::definition::{backup_device, dump_device};
use crate::session::host::SessionHost;

pub fn add(host: &mut SessionHost, state: &mut State, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let (kind, name, path) = (given.text(0).unwrap_or_default(), given.text(1), given.text(2));
    define(host, state, sink, |ddl| dump_device::add(ddl, &kind, name.as_deref(), path.as_deref()))?;
    Ok(0)
}

/// DELFILE takes the file, too.
pub fn drop(host: &mut SessionHost, state: &mut State, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let name = given.text(0).unwrap_or_default();
    let deletes = match given.text(1) {
        None => false,
        Some(word) if word.eq_ignore_ascii_case("delfile") => true,
        Some(_) => return Err(sql_error!(15600, "sp_dropdevice")),
    };
    define(host, state, sink, |ddl| {
        let path = dump_device::remove(ddl, &name)?;
        if deletes { backup_device::delete(ddl, &path) } else { Ok(()) }
    })?;
    Ok(0)
}
