//! sp_getapplock and sp_releaseapplock: locks on names of the user's own.
//!
//! A lock of the transaction is held by the session's storage transaction and goes with it. A lock of the session is held by a
//! storage transaction of its own that changes nothing and lives until the session ends.

use exec::session::{Session as State, stopped};
use exec::sink::Sink;
use storage::{Isolation, StorageError, Transaction};
use types::{SqlError, SqlResult, sql_error};

use super::parameters::Parameters;
use crate::catalog::error::storage_error;
use crate::session::application_locks::{HELD_MAX, Held, Owner, lock_mode, lock_owner, resource_number};
use crate::session::host::SessionHost;

const GRANTED: i32 = 0;
const GRANTED_AFTER_WAIT: i32 = 1;
const TIMED_OUT: i32 = -1;
const CANCELLED: i32 = -2;
const DEADLOCK_VICTIM: i32 = -3;
const REFUSED: i32 = -999;

const RESOURCE_CHARACTERS_MAX: usize = 255;

/// 15600
fn invalid_parameter(procedure: &str) -> SqlError {
    sql_error!(15600, format_args!("sys.{procedure}"))
}

/// Of many wrong arguments the status tells, and the message is none of an error's severity.
fn refuse(sink: &mut dyn Sink, message: SqlError) -> SqlResult<i32> {
    sink.message(&message).map_err(stopped)?;
    Ok(REFUSED)
}

fn is_unknown(option: Option<String>, of: &str) -> SqlError {
    sql_error!(15625, option.unwrap_or_default(), of)
}

fn lacks_transaction(state: &State, owner: Owner) -> bool {
    owner == Owner::Transaction && state.transaction.level == 0
}

/// sp_getapplock @Resource, @LockMode, @LockOwner, @LockTimeout, @DbPrincipal: its return code.
pub fn acquire(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let invalid = || invalid_parameter("sp_getapplock");
    // Lines are those of SQL Server's own text.
    let refuse_at = |sink: &mut dyn Sink, message: SqlError, line: u32| {
        refuse(sink, message.at_line(line).in_procedure("sys.sp_getapplock"))
    };
    let resource: String = given.text(0).ok_or_else(invalid)?.chars().take(RESOURCE_CHARACTERS_MAX).collect();
    let Some(mode) = given.text(1).as_deref().and_then(lock_mode) else {
        return refuse_at(sink, is_unknown(given.text(1), "@LockMode"), 26);
    };
    let Some(owner) = lock_owner(given.text(2).as_deref()) else {
        return refuse_at(sink, is_unknown(given.text(2), "@LockOwner"), 26);
    };
    let timeout_ms = given.number(3)?.unwrap_or_else(|| i64::from(state.options.lock_timeout_ms));
    let principal = given.text(4).unwrap_or_else(|| "public".to_string());
    if timeout_ms < -1 {
        return Err(invalid());
    }
    if lacks_transaction(state, owner) {
        return refuse_at(sink, sql_error!(15626), 52);
    }
    let database = host.catalog_session.database;
    let own = host.application_locks.find(owner, database.0, &principal, &resource);
    let other = if owner == Owner::Session { Owner::Transaction } else { Owner::Session };
    let covered = host.application_locks.mode(other, database.0, &principal, &resource);
    if own.is_none() && host.application_locks.held.len() >= HELD_MAX {
        return Err(storage_error(StorageError::OutOfMemory));
    }
    let status = match covered {
        // The session does not wait for itself.
        Some(held) if held.covers(mode) => GRANTED,
        _ => {
            let number = resource_number(&principal, &resource);
            let storage_id = storage::DatabaseId(database.0);
            let usual_timeout_ms = i64::from(state.options.lock_timeout_ms);
            let transaction = holder(host, state, owner);
            let mut ask = |patience_ms: i64| {
                transaction.set_lock_timeout_ms(patience_ms);
                transaction.lock_application(storage_id, number, mode)
            };
            let mut status = GRANTED;
            let mut outcome = ask(0);
            if outcome == Err(StorageError::LockTimeout) && timeout_ms != 0 {
                status = GRANTED_AFTER_WAIT;
                outcome = ask(timeout_ms);
            }
            transaction.set_lock_timeout_ms(usual_timeout_ms);
            match outcome {
                Ok(()) => status,
                Err(StorageError::LockTimeout) => return Ok(TIMED_OUT),
                Err(StorageError::Deadlock) => return Ok(DEADLOCK_VICTIM),
                Err(StorageError::Cancelled) => match state.check_signal() {
                    Ok(()) => return Ok(CANCELLED),
                    Err(stop) => return Err(stop),
                },
                Err(error) => return Err(storage_error(error)),
            }
        }
    };
    let held = &mut host.application_locks.held;
    match own {
        Some(at) => {
            held[at].mode = held[at].mode.join(mode);
            held[at].count = held[at].count.saturating_add(1);
        }
        None => held.push(Held { owner, database: database.0, principal, resource, mode, count: 1 }),
    }
    Ok(status)
}

fn holder<'a>(host: &'a mut SessionHost, state: &'a mut State, owner: Owner) -> &'a mut Transaction {
    if owner == Owner::Transaction {
        return state.transaction.current.as_mut().expect("a transaction of the user is open");
    }
    let storage = &host.server.catalog.storage;
    host.application_locks.session.get_or_insert_with(|| {
        let mut transaction = storage.begin(Isolation::ReadCommitted);
        transaction.set_session(state.spid);
        transaction
    })
}

/// sp_releaseapplock @Resource, @LockOwner, @DbPrincipal.
pub fn release(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let invalid = || invalid_parameter("sp_releaseapplock");
    let resource: String = given.text(0).ok_or_else(invalid)?.chars().take(RESOURCE_CHARACTERS_MAX).collect();
    let Some(owner) = lock_owner(given.text(1).as_deref()) else {
        return refuse(sink, is_unknown(given.text(1), "@LockOwner").in_procedure("sys.sp_releaseapplock"));
    };
    let principal = given.text(2).unwrap_or_else(|| "public".to_string());
    if lacks_transaction(state, owner) {
        return refuse(sink, sql_error!(15626).in_procedure("sys.sp_releaseapplock"));
    }
    let database = host.catalog_session.database;
    let Some(at) = host.application_locks.find(owner, database.0, &principal, &resource) else {
        let error = sql_error!(1223, principal, resource);
        // Its caller goes on with the status.
        return if state.try_level > 0 { Err(error) } else { refuse(sink, error.at_line(1)) };
    };
    let held = &mut host.application_locks.held[at];
    held.count -= 1;
    if held.count == 0 {
        host.application_locks.held.swap_remove(at);
        let number = resource_number(&principal, &resource);
        // Not held by storage: another owner's lock of this session had covered it.
        holder(host, state, owner).unlock_application(storage::DatabaseId(database.0), number);
    }
    Ok(GRANTED)
}
