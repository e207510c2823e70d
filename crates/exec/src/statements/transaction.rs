//! Transactions of a session: BEGIN, COMMIT, ROLLBACK, SAVE, and the one each autocommit statement has for itself.

use sql::plan::TransactionName;
use storage::{Durability, Savepoint};
use types::{SqlError, SqlResult, sql_error};

use super::run::Runner;
use crate::context::Runtime;
use crate::host::Host;
use crate::operators::storage_error;
use crate::session::{Mark, Session};
use crate::sink::{Environment, Sink, Stop};

/// What a statement is undone to.
pub enum Scope {
    /// The statement has the transaction for itself.
    Autocommit,
    /// Within the session's transaction; `generation` tells whether that is still the same one at the end.
    Within { savepoint: Savepoint, generation: u64 },
    /// Within another statement: a function or trigger, whose statement it is undone with. Where it writes it may fail by itself.
    Inner { savepoint: Option<Savepoint>, generation: u64 },
}

/// The session's level as storage calls it, in the current database.
fn isolation(runtime: &mut Runtime<'_>) -> storage::Isolation {
    let home = runtime.host.database();
    runtime.session.transaction.home = Some(home);
    runtime.session.isolation(|| runtime.host.snapshot_reads(home))
}

fn start(runtime: &mut Runtime<'_>) {
    let isolation = isolation(runtime);
    let mut transaction = runtime.host.storage().begin(isolation);
    let session = &mut *runtime.session;
    transaction.set_session(session.spid);
    if session.options.lock_timeout_ms >= 0 {
        transaction.set_lock_timeout_ms(session.options.lock_timeout_ms as i64);
    }
    if session.options.deadlock_priority != 0 {
        transaction.set_deadlock_priority(session.options.deadlock_priority);
    }
    session.transaction.current = Some(Box::new(transaction));
    session.transaction.doomed = false;
    session.transaction.began_as_snapshot = None;
    session.transaction.savepoints.clear();
}

/// 3930
pub fn cannot_commit() -> SqlError {
    sql_error!(3930)
}

/// `writes`: refused in a doomed transaction.
pub fn begin_statement(runtime: &mut Runtime<'_>, writes: bool) -> SqlResult<Scope> {
    let state = &runtime.session.transaction;
    if state.doomed && writes {
        return Err(cannot_commit());
    }
    if runtime.session.statement_depth > 0
        && let Some(transaction) = &mut runtime.session.transaction.current
    {
        runtime.session.statement_depth += 1;
        transaction.begin_statement();
        transaction.set_frees_space(runtime.session.signal.running.frees_space());
        let savepoint = writes.then(|| transaction.savepoint());
        return Ok(Scope::Inner { savepoint, generation: runtime.session.transaction.descriptor });
    }
    // A statement without a transaction within another one: a trigger has ended theirs and goes on.
    if runtime.session.transaction.current.is_none() {
        start(runtime);
        if writes && runtime.session.options.implicit_transactions && runtime.session.transaction.level == 0 {
            opened(runtime.session, runtime.sink)?;
        }
    } else if runtime.session.isolation_changed {
        renew_isolation(runtime);
    }
    let session = &mut *runtime.session;
    session.statement_depth += 1;
    let transaction = session.transaction.current.as_mut().expect("started above");
    transaction.begin_statement();
    transaction.set_frees_space(session.signal.running.frees_space());
    if session.transaction.level == 0 {
        return Ok(Scope::Autocommit);
    }
    Ok(Scope::Within { savepoint: transaction.savepoint(), generation: session.transaction.descriptor })
}

/// The statement ended well.
pub fn end_statement(runtime: &mut Runtime<'_>, scope: Scope) -> SqlResult<()> {
    runtime.session.statement_depth -= 1;
    if matches!(scope, Scope::Autocommit)
        && runtime.session.transaction.level == 0
        && let Some(transaction) = runtime.session.transaction.current.take()
    {
        let durability = durability(runtime.host, &transaction, None);
        commit_and_publish(runtime, *transaction, durability)?;
    } else if let Some(transaction) = &mut runtime.session.transaction.current
        && !matches!(scope, Scope::Inner { .. })
    {
        transaction.end_statement();
    }
    Ok(())
}

/// What the transaction has defined is everybody's before its locks are gone: who waited for them must not find the old definition.
fn commit_and_publish(
    runtime: &mut Runtime<'_>,
    transaction: storage::Transaction,
    durability: Durability,
) -> SqlResult<()> {
    let mut published = false;
    let committed = transaction.commit_then(durability, || {
        published = true;
        runtime.host.transaction_ended(runtime.session, true);
    });
    if !published {
        runtime.host.transaction_ended(runtime.session, false);
    }
    committed.map_err(|error| storage_error(error, None))
}

fn durability(host: &dyn Host, transaction: &storage::Transaction, asked: Option<bool>) -> Durability {
    let nothing_to_keep = !transaction.has_changes();
    if nothing_to_keep || host.delayed_durability(asked) { Durability::Delayed } else { Durability::Full }
}

/// A statement that is its own transaction commits what it has done so far, and goes on in another one.
pub fn renew(runtime: &mut Runtime<'_>) -> SqlResult<()> {
    if runtime.session.transaction.level > 0 {
        return Ok(());
    }
    if let Some(mut transaction) = runtime.session.transaction.current.take() {
        transaction.end_statement();
        let durability = durability(runtime.host, &transaction, None);
        commit_and_publish(runtime, *transaction, durability)?;
    }
    start(runtime);
    let transaction = runtime.session.transaction.current.as_mut().expect("just started");
    transaction.begin_statement();
    Ok(())
}

/// The statement failed.
pub fn undo_statement(runtime: &mut Runtime<'_>, scope: Scope, _stopped: bool) -> SqlResult<()> {
    runtime.session.statement_depth -= 1;
    let state = &mut runtime.session.transaction;
    match scope {
        Scope::Inner { savepoint, generation } => {
            if state.descriptor == generation
                && let (Some(savepoint), Some(transaction)) = (savepoint, &mut state.current)
            {
                transaction.rollback_to(savepoint).map_err(|error| storage_error(error, None))?;
                runtime.host.rolled_back_to_savepoint(runtime.session);
            }
            Ok(())
        }
        Scope::Autocommit => {
            // What doomed the statement's own transaction is over with it, as where an INSERT ... EXEC failed in a TRY.
            state.doomed &= state.level > 0;
            if state.level == 0
                && let Some(transaction) = state.current.take()
            {
                let result = transaction.rollback();
                runtime.host.transaction_ended(runtime.session, false);
                result.map_err(|error| storage_error(error, None))?;
            }
            Ok(())
        }
        Scope::Within { savepoint, generation } => {
            if state.descriptor == generation
                && state.level > 0
                && let Some(transaction) = &mut state.current
            {
                let undone = transaction.rollback_to(savepoint);
                transaction.end_statement();
                undone.map_err(|error| storage_error(error, None))?;
                runtime.host.rolled_back_to_savepoint(runtime.session);
            }
            Ok(())
        }
    }
}

/// A transaction of level 1 begins.
fn opened(session: &mut Session, sink: &mut dyn Sink) -> SqlResult<()> {
    let state = &mut session.transaction;
    // The last one's.
    if state.name.take().is_some() {
        session.signal.running.name_transaction(None);
    }
    state.level = 1;
    state.descriptor += 1;
    let change = Environment::BeginTransaction(state.descriptor);
    sink.environment(&change).map_err(crate::session::stopped)
}

/// 266, if what was called has left another @@TRANCOUNT than `before`. A transaction that IMPLICIT_TRANSACTIONS began in it is no
/// oversight: drivers call that way whenever they do not commit by themselves.
pub fn level_error(session: &Session, before: u32) -> Option<SqlError> {
    let after = session.transaction.level;
    let is_implicit = session.options.implicit_transactions && (before, after) == (0, 1);
    (after != before && !is_implicit).then(|| sql_error!(266, before, after))
}

/// A statement opens a table: the first one that does begins an implicit transaction. `SELECT 1` begins none.
#[inline]
pub fn reads_table(session: &mut Session, sink: &mut dyn Sink) -> SqlResult<()> {
    if session.options.implicit_transactions && session.transaction.level == 0 { opened(session, sink) } else { Ok(()) }
}

/// Under IMPLICIT_TRANSACTIONS an atomic block, or a cursor's OPEN or FETCH, begins the session's transaction, as a statement does that opens a table.
pub fn begin_implicit(runtime: &mut Runtime<'_>) -> SqlResult<()> {
    let state = &runtime.session.transaction;
    if !runtime.session.options.implicit_transactions || state.level > 0 || state.current.is_some() {
        return Ok(());
    }
    start(runtime);
    opened(runtime.session, runtime.sink)
}

/// A trigger in an autocommit statement has put a transaction of its own in place of the statement's: it ends with the trigger, and what is
/// left of the statement has a new one.
pub fn replace(runtime: &mut Runtime<'_>) -> SqlResult<()> {
    runtime.session.transaction.level = 1;
    commit(runtime, None)?;
    start(runtime);
    Ok(())
}

/// A transaction that is over before its client could use it: no driver hears of it.
pub fn begin_untold(runtime: &mut Runtime<'_>) {
    start(runtime);
    let state = &mut runtime.session.transaction;
    state.level = 1;
    state.descriptor += 1;
}

pub fn commit_untold(runtime: &mut Runtime<'_>, delayed: bool) -> SqlResult<()> {
    let state = &mut runtime.session.transaction;
    state.level = 0;
    let transaction = state.current.take().expect("begun untold");
    let durability = durability(runtime.host, &transaction, Some(delayed));
    commit_and_publish(runtime, *transaction, durability)
}

/// The level that the session has now is the open transaction's from its next statement on.
pub fn renew_isolation(runtime: &mut Runtime<'_>) {
    runtime.session.isolation_changed = false;
    if runtime.session.transaction.current.is_none() {
        return;
    }
    let isolation = isolation(runtime);
    if let Some(transaction) = &mut runtime.session.transaction.current {
        transaction.set_isolation(isolation);
    }
}

/// Rolls back whatever is open, without a word.
pub fn abandon(session: &mut Session, host: &mut dyn Host) {
    session.transaction.level = 0;
    session.transaction.doomed = false;
    session.transaction.mark = None;
    session.transaction.savepoints.clear();
    if let Some(transaction) = session.transaction.current.take() {
        // Before its locks are gone: who waits for them must not be given a value that the rows have.
        host.restore_counters(session);
        // A rollback that fails has stopped the storage: every later call says so.
        let _ = transaction.rollback();
        host.transaction_ended(session, false);
    }
}

/// The same where a transaction of the client's ends under it: drivers keep its descriptor and must hear that it is no more.
pub fn abandon_and_tell(session: &mut Session, host: &mut dyn Host, sink: &mut dyn Sink) -> Result<(), Stop> {
    let open = (session.transaction.level > 0).then_some(session.transaction.descriptor);
    abandon(session, host);
    let Some(descriptor) = open else { return Ok(()) };
    session.transaction.descriptor += 1;
    close_cursors(session);
    sink.environment(&Environment::RollbackTransaction(descriptor))
}

/// "SET CURSOR_CLOSE_ON_COMMIT": commit and rollback close them, whoever asked for it.
fn close_cursors(session: &mut Session) {
    if session.options.cursor_close_on_commit {
        session.cursor_rows = 0;
        session.cursors.close_all();
    }
}

/// A deadlock victim in a TRY: its work is undone at once, XACT_STATE() stays -1 until its ROLLBACK.
pub fn release_doomed(runtime: &mut Runtime<'_>) {
    if let Some(transaction) = runtime.session.transaction.current.take() {
        runtime.session.transaction.savepoints.clear();
        runtime.host.restore_counters(runtime.session);
        let _ = transaction.rollback();
        runtime.host.transaction_ended(runtime.session, false);
    }
    start(runtime);
    runtime.session.transaction.doomed = true;
}

/// What the server's transaction manager requests and the statements share.
pub fn begin(runtime: &mut Runtime<'_>, name: Option<Box<str>>) -> SqlResult<()> {
    if runtime.session.transaction.doomed {
        return Err(cannot_commit());
    }
    if runtime.session.transaction.level > 0 {
        runtime.session.transaction.level += 1;
        return Ok(());
    }
    start(runtime);
    opened(runtime.session, runtime.sink)?;
    if name.is_some() {
        runtime.session.signal.running.name_transaction(name.as_deref());
        runtime.session.transaction.name = name;
    }
    Ok(())
}

/// BEGIN TRANSACTION ... WITH MARK. Of several in one transaction the first counts.
/// https://learn.microsoft.com/sql/t-sql/language-elements/begin-transaction-transact-sql
fn set_mark(runtime: &mut Runtime<'_>, mark: Mark) -> SqlResult<()> {
    if runtime.session.transaction.mark.is_none() {
        runtime.session.transaction.mark = Some(Box::new(mark));
        return Ok(());
    }
    runtime.sink.message(&sql_error!(3920)).map_err(crate::session::stopped)
}

/// Where it cannot be put, nothing is committed: whoever restores to it would miss this transaction.
fn put_mark(runtime: &mut Runtime<'_>, mark: &Mark) -> SqlResult<()> {
    let mut transaction = runtime.session.transaction.current.take().expect("a transaction of level 1 is open");
    let put = runtime.host.put_mark(runtime.session, &mut transaction, mark);
    let state = &mut runtime.session.transaction;
    state.current = Some(transaction);
    // What it has put already goes with the transaction alone.
    state.doomed |= put.is_err();
    put
}

/// What a statement calls sees a transaction, also in autocommit: the statement's own. What `end_share` wants to know.
pub fn share(session: &mut Session) -> Option<u64> {
    let state = &mut session.transaction;
    if state.level > 0 {
        return None;
    }
    state.level = 1;
    state.descriptor += 1;
    Some(state.descriptor)
}

/// The statement goes on in what is left: its own transaction if that is still the one it shared.
pub fn end_share(session: &mut Session, own: Option<u64>) {
    let state = &mut session.transaction;
    if own == Some(state.descriptor) {
        // One that was begun within and left open is the session's.
        state.level = state.level.saturating_sub(1);
    }
}

pub fn commit(runtime: &mut Runtime<'_>, delayed: Option<bool>) -> SqlResult<()> {
    let state = &mut runtime.session.transaction;
    if runtime.session.insert_execute.is_some_and(|shared| state.level <= shared) {
        return Err(sql_error!(3916));
    }
    match state.level {
        0 => Err(sql_error!(3902)),
        _ if state.doomed => Err(cannot_commit()),
        1 if state.shared => Err(sql_error!(3981)),
        1 => {
            if let Some(mark) = state.mark.take() {
                put_mark(runtime, &mark)?;
            }
            let state = &mut runtime.session.transaction;
            let transaction = state.current.take().expect("a transaction of level 1 is open");
            state.level = 0;
            state.name = None;
            state.savepoints.clear();
            let descriptor = state.descriptor;
            let durability = durability(runtime.host, &transaction, delayed);
            if let Err(error) = commit_and_publish(runtime, *transaction, durability) {
                // It has been rolled back, and its client must hear so.
                runtime.session.transaction.descriptor += 1;
                let change = Environment::RollbackTransaction(descriptor);
                runtime.sink.environment(&change).map_err(crate::session::stopped)?;
                return Err(error);
            }
            close_cursors(runtime.session);
            runtime.sink.environment(&Environment::CommitTransaction(descriptor)).map_err(crate::session::stopped)
        }
        _ => {
            state.level -= 1;
            Ok(())
        }
    }
}

/// `name`: of a savepoint or of the outermost transaction.
pub fn rollback(runtime: &mut Runtime<'_>, name: Option<&str>) -> SqlResult<()> {
    let state = &mut runtime.session.transaction;
    if state.level == 0 {
        return Err(sql_error!(3903));
    }
    // Names are "always case sensitive"; a savepoint's comes first.
    let saved = |name: &str| state.savepoints.iter().rposition(|(saved, _)| **saved == *name);
    if let Some(name) = name
        && (saved(name).is_some() || state.name.as_deref() != Some(name))
    {
        let Some(found) = saved(name) else {
            return Err(sql_error!(6401, name));
        };
        if state.doomed {
            return Err(sql_error!(3931));
        }
        state.savepoints.truncate(found + 1);
        let savepoint = state.savepoints[found].1;
        let transaction = state.current.as_mut().expect("a transaction is open");
        transaction.rollback_to(savepoint).map_err(|error| storage_error(error, None))?;
        runtime.host.rolled_back_to_savepoint(runtime.session);
        runtime.host.restore_counters(runtime.session);
        return Ok(());
    }
    if runtime.session.insert_execute.is_some() {
        return Err(sql_error!(3915));
    }
    abandon_and_tell(runtime.session, runtime.host, runtime.sink).map_err(crate::session::stopped)
}

pub fn save(runtime: &mut Runtime<'_>, name: Box<str>) -> SqlResult<()> {
    let state = &mut runtime.session.transaction;
    if state.level == 0 {
        return Err(sql_error!(628));
    }
    if state.doomed {
        return Err(cannot_commit());
    }
    if state.shared {
        return Err(sql_error!(3981, state 2));
    }
    let savepoint = state.current.as_mut().expect("a transaction is open").savepoint();
    state.savepoints.push((name, savepoint));
    Ok(())
}

impl Runner<'_> {
    fn whole_text(&self, name: &TransactionName) -> Box<str> {
        match name {
            TransactionName::Literal(name) => name.clone(),
            TransactionName::Variable(slot) => {
                let ty = self.module.variables[slot.0 as usize].ty;
                let text = self.context.variables.bytes(slot.0).map(|bytes| crate::kernel::text(&ty, bytes));
                text.unwrap_or_default().into()
            }
        }
    }

    fn transaction_name(&self, name: &TransactionName) -> Box<str> {
        match name {
            TransactionName::Literal(name) => name.clone(),
            // Only 32 characters count.
            variable => self.whole_text(variable).chars().take(32).collect::<String>().into(),
        }
    }

    /// `mark`: WITH MARK, and its description.
    pub fn begin_transaction(
        &mut self,
        name: Option<&TransactionName>,
        mark: Option<&Option<TransactionName>>,
    ) -> SqlResult<()> {
        let name = name.map(|name| self.transaction_name(name));
        if mark.is_some() && name.is_none() {
            return Err(sql_error!(3901));
        }
        let mark = mark.map(|description| Mark {
            name: name.clone().unwrap_or_default(),
            description: description.as_ref().map(|text| self.whole_text(text)),
        });
        let runtime = self.context.runtime.get_mut();
        let is_first = runtime.session.transaction.level == 0;
        begin(runtime, name)?;
        if let Some(mark) = mark {
            set_mark(runtime, mark)?;
        }
        // "SET IMPLICIT_TRANSACTIONS": as if an unseen BEGIN TRANSACTION came first.
        if is_first && runtime.session.options.implicit_transactions {
            runtime.session.transaction.level += 1;
        }
        Ok(())
    }

    pub fn commit(&mut self, delayed: Option<bool>) -> SqlResult<()> {
        commit(self.context.runtime.get_mut(), delayed)
    }

    pub fn rollback(&mut self, name: Option<&TransactionName>) -> SqlResult<()> {
        let name = name.map(|name| self.transaction_name(name));
        rollback(self.context.runtime.get_mut(), name.as_deref())
    }

    pub fn save(&mut self, name: &TransactionName) -> SqlResult<()> {
        let name = self.transaction_name(name);
        save(self.context.runtime.get_mut(), name)
    }
}
