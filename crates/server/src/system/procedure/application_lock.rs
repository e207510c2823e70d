//! sp_getapplock and sp_releaseapplock: locks on names of the user's own.
//!
//! A lock of the transaction is held by the session's storage transaction and goes with it. A lock of the session is held by a
//! storage transaction of its own that changes nothing and lives until the session ends.

use exec::session::{Session as State, stopped};
use exec::sink::{Command, Done, DoneKind, Outcome, Sink};
use storage::{Isolation, LockMode, StorageError, Transaction};
use types::{SqlError, SqlResult, sql_error};

use super::parameters::Parameters;
use crate::catalog::error::storage_error;
use crate::session::application_locks::{HELD_MAX, Held, Owner, lock_mode, lock_owner, resource_number};
use crate::session::host::SessionHost;
use crate::system::principal::acts_as;

const GRANTED: i32 = 0;
const GRANTED_AFTER_WAIT: i32 = 1;
const TIMED_OUT: i32 = -1;
const CANCELLED: i32 = -2;
const DEADLOCK_VICTIM: i32 = -3;
const REFUSED: i32 = -999;

const RESOURCE_CHARACTERS_MAX: usize = 255;

/// What both call in SQL Server, whose errors these are.
const LOCKS: &str = "xp_userlock";
const OF_LOCKS: &str = "sys.xp_userlock";

/// SQL Server has these procedures in T-SQL, and clients hear of the statements of its text.
struct Text<'a> {
    sink: &'a mut dyn Sink,
    silent: bool,
}

impl Text<'_> {
    fn done(&mut self, command: Command, row_count: Option<u64>, outcome: Outcome) -> SqlResult<()> {
        if self.silent && outcome == Outcome::Well {
            return Ok(());
        }
        self.sink.done(Done { kind: DoneKind::InProcedure, command, row_count, outcome }).map_err(stopped)
    }

    /// SELECT @x = ..., RETURN.
    fn assigns(&mut self) -> SqlResult<()> {
        self.done(Command::Select, Some(1), Outcome::Well)
    }

    /// IF.
    fn asks(&mut self) -> SqlResult<()> {
        self.done(Command::Condition, None, Outcome::Well)
    }

    /// Of many wrong arguments the status tells, and the message is none of an error's severity. Lines are those of the text.
    fn refuses(&mut self, message: SqlError, procedure: &str, line: u32) -> SqlResult<i32> {
        self.sink.message(&message.at_line(line).in_procedure(procedure)).map_err(stopped)?;
        self.done(Command::Raise, None, Outcome::Well)?;
        self.returns(REFUSED)
    }

    /// Its caller goes on with the status.
    fn calls(&mut self, answered: SqlResult<i32>, state: &State) -> SqlResult<i32> {
        match answered {
            Ok(status) => {
                self.done(Command::Execute, None, Outcome::Well)?;
                self.returns(status)
            }
            Err(error) if error.procedure != OF_LOCKS || state.try_level > 0 || state.options.xact_abort => Err(error),
            Err(error) => {
                self.sink.message(&error).map_err(stopped)?;
                self.done(Command::Execute, None, Outcome::Failed)?;
                self.returns(REFUSED)
            }
        }
    }

    fn returns(&mut self, status: i32) -> SqlResult<i32> {
        self.assigns().map(|()| status)
    }
}

/// 15625
fn is_unknown(option: Option<String>, of: &str) -> SqlError {
    sql_error!(15625, option.unwrap_or_else(|| "(null)".to_string()), of)
}

fn wrong(error: SqlError) -> SqlError {
    error.at_line(1).in_procedure(OF_LOCKS)
}

/// The database, whose lock it is, and its name.
type Named = (u16, String, String);

/// 1202, 1224, 1230
fn named(host: &mut SessionHost, state: &mut State, given: &Parameters<'_>, principal_at: usize) -> SqlResult<Named> {
    let resource = given.text(0).ok_or_else(|| wrong(sql_error!(1224, state 5, LOCKS)))?;
    let resource = resource.chars().take(RESOURCE_CHARACTERS_MAX).collect();
    let principal = match given.text(principal_at) {
        None if given.is_given(principal_at) => return Err(wrong(sql_error!(1230, LOCKS))),
        None => "public".to_string(),
        Some(name) => acts_as(host, state, &name)?.ok_or_else(|| wrong(sql_error!(1202, name)))?,
    };
    Ok((host.catalog_session.database.0, principal, resource))
}

/// sp_getapplock @Resource, @LockMode, @LockOwner, @LockTimeout, @DbPrincipal: its return code.
pub fn acquire(
    host: &mut SessionHost,
    state: &mut State,
    sink: &mut dyn Sink,
    given: &Parameters<'_>,
) -> SqlResult<i32> {
    let procedure = "sys.sp_getapplock";
    if !given.is_given(1) {
        return Err(given.missing(1));
    }
    let timeout_ms = given.number(3)?;
    let mut text = Text { sink, silent: state.options.no_count };
    text.assigns()?;
    text.asks()?;
    let Some(mode) = given.text(1).as_deref().and_then(lock_mode) else {
        return text.refuses(is_unknown(given.text(1), "@LockMode"), procedure, 26);
    };
    text.assigns()?;
    text.asks()?;
    let Some(owner) = owner(given, 2) else {
        return text.refuses(is_unknown(given.text(2), "@LockOwner"), procedure, 39);
    };
    text.asks()?;
    if timeout_ms.is_none() {
        text.assigns()?;
    }
    let timeout_ms = timeout_ms.unwrap_or_else(|| i64::from(state.options.lock_timeout_ms));
    text.assigns()?;
    text.asks()?;
    if owner == Owner::Transaction && state.transaction.level == 0 {
        return text.refuses(sql_error!(15626), procedure, 52);
    }
    let answered = match timeout_ms {
        ..-1 => Err(wrong(sql_error!(1227, LOCKS))),
        _ => named(host, state, given, 4).and_then(|name| lock(host, state, name, (owner, mode), timeout_ms)),
    };
    text.calls(answered, state)
}

/// The owner that is named; not given: the transaction.
fn owner(given: &Parameters<'_>, at: usize) -> Option<Owner> {
    if given.is_given(at) { given.text(at).as_deref().and_then(lock_owner) } else { Some(Owner::Transaction) }
}

fn lock(
    host: &mut SessionHost,
    state: &mut State,
    (database, principal, resource): Named,
    (owner, mode): (Owner, LockMode),
    timeout_ms: i64,
) -> SqlResult<i32> {
    let own = host.application_locks.find(owner, database, &principal, &resource);
    let other = if owner == Owner::Session { Owner::Transaction } else { Owner::Session };
    let covered = host.application_locks.mode(other, database, &principal, &resource);
    if own.is_none() && host.application_locks.held.len() >= HELD_MAX {
        return Err(storage_error(StorageError::OutOfMemory));
    }
    let status = match covered {
        // The session does not wait for itself.
        Some(held) if held.covers(mode) => GRANTED,
        _ => {
            let number = resource_number(&principal, &resource);
            let storage_id = storage::DatabaseId(database);
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
        None => held.push(Held { owner, database, principal, resource, mode, count: 1 }),
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
    let mut text = Text { sink, silent: state.options.no_count };
    text.assigns()?;
    text.asks()?;
    let Some(owner) = owner(given, 1) else {
        return text.refuses(is_unknown(given.text(1), "@LockOwner"), "sys.sp_releaseapplock", 20);
    };
    text.assigns()?;
    let answered = named(host, state, given, 2).and_then(|name| unlock(host, state, name, owner));
    text.calls(answered, state)
}

/// 1223, 3918
fn unlock(
    host: &mut SessionHost,
    state: &mut State,
    (database, principal, resource): Named,
    owner: Owner,
) -> SqlResult<i32> {
    if owner == Owner::Transaction && state.transaction.level == 0 {
        return Err(wrong(sql_error!(3918)));
    }
    let Some(at) = host.application_locks.find(owner, database, &principal, &resource) else {
        return Err(wrong(sql_error!(1223, principal, resource)));
    };
    let held = &mut host.application_locks.held[at];
    held.count -= 1;
    if held.count == 0 {
        host.application_locks.held.swap_remove(at);
        let number = resource_number(&principal, &resource);
        // Not held by storage: another owner's lock of this session had covered it.
        holder(host, state, owner).unlock_application(storage::DatabaseId(database), number);
    }
    Ok(GRANTED)
}
