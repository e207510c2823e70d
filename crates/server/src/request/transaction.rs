//! Transaction manager requests: what drivers send instead of BEGIN, COMMIT, ROLLBACK and SAVE as text.

use exec::sink::{Sink, Stop};
use sql::plan::IsolationLevel;
use tds::request::{Begin, Isolation, TransactionAction};
use types::{SqlError, SqlResult, sql_error};

use crate::request::session::{Parts, Session};
use crate::wire::connection::ConnectionError;

/// `others`: requests of other sessions of the connection (MARS) are at work, which no transaction may begin beside.
pub fn run(session: &mut Session, action: &TransactionAction, others: bool) -> Result<(), ConnectionError> {
    let signal = session.state.signal.clone();
    let mut parts = session.parts(&signal, false);
    let stopped = match act(&mut parts, action, others) {
        Ok(()) => None,
        Err(error) => match exec::session::stop_of(&error) {
            Some(stop) => Some(stop),
            None => refuse(&mut parts, error).err(),
        },
    };
    Session::finish(parts, stopped)
}

/// 3981 ends the transaction.
fn refuse(parts: &mut Parts<'_>, error: SqlError) -> Result<(), Stop> {
    let ends = error.number == 3981;
    parts.sink.message(&error.at_line(1))?;
    if ends { exec::abandon_and_tell(parts.state, parts.host, &mut parts.sink) } else { Ok(()) }
}

fn act(parts: &mut Parts<'_>, action: &TransactionAction, others: bool) -> SqlResult<()> {
    match action {
        TransactionAction::Begin(_) if others => Err(sql_error!(3988)),
        TransactionAction::Begin(begin) => begin_transaction(parts, begin),
        TransactionAction::Commit { begin_again, .. } => {
            exec::commit_transaction(parts.state, parts.host, &mut parts.sink)?;
            begin_again.as_ref().map_or(Ok(()), |begin| begin_transaction(parts, begin))
        }
        TransactionAction::Rollback { name, begin_again } => {
            let name = (!name.is_empty()).then_some(name.as_str());
            exec::rollback_transaction(parts.state, parts.host, &mut parts.sink, name)?;
            begin_again.as_ref().map_or(Ok(()), |begin| begin_transaction(parts, begin))
        }
        TransactionAction::Save { name } => exec::save_transaction(parts.state, parts.host, &mut parts.sink, name),
        TransactionAction::DtcAddress | TransactionAction::Propagate | TransactionAction::Promote => {
            // Distributed transactions need it, and there is none.
            Err(sql_error!(8501, crate::SERVER_NAME))
        }
    }
}

fn begin_transaction(parts: &mut Parts<'_>, begin: &Begin) -> SqlResult<()> {
    let isolation = match begin.isolation {
        Isolation::Unchanged => None,
        Isolation::ReadUncommitted => Some(IsolationLevel::ReadUncommitted),
        Isolation::ReadCommitted => Some(IsolationLevel::ReadCommitted),
        Isolation::RepeatableRead => Some(IsolationLevel::RepeatableRead),
        Isolation::Serializable => Some(IsolationLevel::Serializable),
        Isolation::Snapshot => Some(IsolationLevel::Snapshot),
    };
    if let Some(isolation) = isolation {
        parts.state.options.isolation = isolation;
    }
    let name = (!begin.name.is_empty()).then_some(begin.name.as_str());
    exec::begin_transaction(parts.state, parts.host, &mut parts.sink, name)
}
