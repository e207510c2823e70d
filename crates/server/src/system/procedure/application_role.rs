//! sp_setapprole and sp_unsetapprole.

use exec::session::Session as State;
use types::{Datum, SqlResult, SqlType, sql_error};

use super::parameters::Parameters;
use crate::definition::application_role;
use crate::session::host::SessionHost;

const COOKIE_BYTES: usize = 50;

/// sp_setapprole @rolename, @password, @encrypt, @fCreateCookie, @cookie OUTPUT. 15431, 2762: a role is set already. 15161: no such role, or another password.
/// https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-setapprole-transact-sql
pub fn set(host: &mut SessionHost, state: &mut State, given: &mut Parameters<'_>) -> SqlResult<i32> {
    // Called by a batch alone: within a module it would outlast its caller's rights.
    if state.nest_level > 1 {
        return Err(sql_error!(15422));
    }
    let name = given.text(0).ok_or_else(|| sql_error!(15431))?;
    if host.rights.is_application_role() {
        return Err(sql_error!(2762));
    }
    let refused = || sql_error!(15161, name);
    let given_password = given.text(1).unwrap_or_default();
    let db = host.server.catalog.expect_database(host.catalog_session.database);
    let found = host.rights(state, |_, look| look.rows(&db, |rows| application_role::find(rows, &name)))?;
    let (role, hash) = found.ok_or_else(refused)?;
    if host.server.verify_password(&hash, &given_password) != Some(true) {
        return Err(refused());
    }
    let cookie = given.flag(3)?.unwrap_or(false).then(|| {
        let mut cookie = vec![0; COOKIE_BYTES];
        os::random::fill(&mut cookie);
        cookie
    });
    if let Some(cookie) = &cookie {
        given.set(4, SqlType::varbinary(8000), Datum::bytes(cookie));
    }
    host.set_application_role(state, role, cookie)?;
    Ok(0)
}

/// sp_unsetapprole @cookie.
pub fn unset(host: &mut SessionHost, state: &mut State, given: &Parameters<'_>) -> SqlResult<i32> {
    let cookie = match given.value(0) {
        Some((_, Datum::Bytes(bytes))) => bytes.to_vec(),
        _ => Vec::new(),
    };
    host.unset_application_role(state, &cookie)?;
    Ok(0)
}
