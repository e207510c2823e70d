//! sp_settriggerorder.

use exec::session::Session as State;
use exec::sink::Sink;
use types::{SqlResult, sql_error};

use super::definition::{define, fire};
use super::parameters::Parameters;
use crate::catalog::load::{FIRST, LAST};
use crate::definition::scoped_trigger::{self, Scope};
use crate::definition::{Ddl, event, event_call};
use crate::session::host::SessionHost;

/// @triggername, @order, @stmttype, @namespace: NULL, DATABASE or SERVER.
pub fn set(host: &mut SessionHost, state: &mut State, sink: &mut dyn Sink, given: &Parameters<'_>) -> SqlResult<i32> {
    let invalid = || sql_error!(15600, given.procedure());
    let name = given.text(0).ok_or_else(invalid)?;
    let order = match given.text(1).unwrap_or_default().to_ascii_lowercase().as_str() {
        "first" => FIRST,
        "last" => LAST,
        "none" => 0,
        _ => return Err(invalid()),
    };
    let event = given.text(2).ok_or_else(invalid)?;
    let namespace = given.text(3).map(|namespace| namespace.to_ascii_uppercase());
    let parameters = given.all_shown();
    define(host, state, sink, |ddl| {
        let scope = match namespace.as_deref() {
            None => None,
            Some("DATABASE") => Some(Scope::of_database(ddl)?),
            Some("SERVER") => Some(Scope::of_server(ddl)),
            Some(_) => return Err(invalid()),
        };
        let note = |ddl: &mut Ddl<'_>| event_call::ordered(ddl, scope.as_ref(), &name, &parameters);
        let watch = event::begin_procedure(ddl, note)?;
        scoped_trigger::set_order(ddl, scope.as_ref(), &name, order, event.trim())?;
        fire(ddl, watch)
    })?;
    Ok(0)
}
