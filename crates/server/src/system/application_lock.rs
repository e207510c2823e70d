//! APPLOCK_MODE and APPLOCK_TEST: what a session holds of the locks of sp_getapplock, and whether it could have another.
//! https://learn.microsoft.com/sql/t-sql/functions/applock-mode-transact-sql

use exec::session::Session as State;
use sql::function::FunctionId;
use storage::{Isolation, LockMode};
use types::{SqlResult, sql_error};

use super::answer::{Answer, Arguments};
use crate::session::application_locks::{Owner, lock_mode, lock_owner, resource_number};
use crate::session::host::SessionHost;
use crate::system::principal::acts_as;

/// (principal, resource, owner) or (principal, resource, mode, owner). 1202, 1225, 1226, 1230, 3918
pub fn answer(
    host: &mut SessionHost,
    state: &mut State,
    function: FunctionId,
    arguments: &Arguments<'_>,
) -> SqlResult<Answer> {
    let tests = function == FunctionId::ApplockTest;
    let name = if tests { "applock_test" } else { "applock_mode" };
    let principal = arguments.text(0).ok_or_else(|| sql_error!(1230, state 3, name))?;
    let resource = arguments.text(1).ok_or_else(|| sql_error!(1225, name))?;
    let mode = match arguments.text(2) {
        _ if !tests => None,
        None => return Err(sql_error!(1225, state 2, name)),
        Some(mode) => Some(lock_mode(&mode).ok_or_else(|| sql_error!(1225, state 3, name))?),
    };
    let owner = match arguments.text(if tests { 3 } else { 2 }) {
        None => Owner::Transaction,
        Some(owner) => lock_owner(&owner).ok_or_else(|| sql_error!(1226, name))?,
    };
    if owner == Owner::Transaction && state.transaction.level == 0 {
        return Err(sql_error!(3918, state 2));
    }
    let principal = acts_as(host, state, &principal)?.ok_or_else(|| sql_error!(1202, principal))?;
    let database = host.catalog_session.database.0;
    let held = host.application_locks.mode(owner, database, &principal, &resource);
    let Some(mode) = mode else { return Ok(held.map_or("NoLock", mode_text).into()) };
    // The session does not wait for itself.
    let other = if owner == Owner::Session { Owner::Transaction } else { Owner::Session };
    let covered = host.application_locks.mode(other, database, &principal, &resource);
    if covered.is_some_and(|covered| covered.covers(mode)) {
        return Ok(true.into());
    }
    let number = resource_number(&principal, &resource);
    let may = |transaction: &storage::Transaction| {
        transaction.may_lock_application(
            storage::DatabaseId(database),
            number,
            held.map_or(mode, |held| held.join(mode)),
        )
    };
    let own = match owner {
        Owner::Transaction => state.transaction.current.as_deref(),
        Owner::Session => host.application_locks.session.as_ref(),
    };
    Ok(match own {
        Some(transaction) => may(transaction),
        None => may(&host.server.catalog.storage.begin(Isolation::ReadCommitted)),
    }
    .into())
}

fn mode_text(mode: LockMode) -> &'static str {
    match mode {
        LockMode::Shared => "Shared",
        LockMode::Update => "Update",
        LockMode::Exclusive => "Exclusive",
        LockMode::IntentShared => "IntentShared",
        LockMode::IntentExclusive => "IntentExclusive",
        LockMode::SharedIntentExclusive => "SharedIntentExclusive",
        LockMode::SchemaStability | LockMode::SchemaModification => unreachable!("no application lock has this mode"),
    }
}
