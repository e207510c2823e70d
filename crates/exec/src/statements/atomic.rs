//! BEGIN ATOMIC: the whole body of a natively compiled module.
//!
//! ```text
//! no transaction open   one of the block's own: committed where the block ends, rolled back by what leaves it otherwise
//! in a transaction      a savepoint: what leaves the block otherwise takes back the block, and nothing before it
//! ```
//! An error inside that no CATCH of the block handles leaves the block. Few doom a transaction (`dooms`), the caller's too; XACT_ABORT is
//! off. Once it has left, the error is an ordinary one of the caller's TRY; without any, the batch ends and its transaction stays.

use sql::plan::{AtomicBlock, AtomicIsolation, IsolationLevel};
use storage::Savepoint;
use types::{SqlError, SqlResult};

use super::code::Code;
use super::failure::Unwind;
use super::run::{Flow, Runner};
use super::transaction;
use crate::context::Runtime;
use crate::operators::{needs_snapshot, session_at_snapshot, storage_error};
use crate::session::{Options, Session, stop_of};
use crate::sink::{Command, Outcome};

/// What an open block is undone to.
struct Entered {
    undo: Undo,
    /// Of the block around this one.
    outer: Option<AtomicIsolation>,
    was_doomed: bool,
}

enum Undo {
    /// The transaction is the block's own.
    Own,
    To(Savepoint),
}

/// Options that every block has alike. LANGUAGE and what hangs on it are the block's own.
fn fix_options(options: &mut Options, block: &AtomicBlock) {
    options.ansi_nulls = true;
    options.ansi_padding = true;
    options.ansi_warnings = true;
    options.arith_abort = true;
    options.arith_ignore = false;
    options.concat_null_yields_null = true;
    options.identity_insert = None;
    options.no_count = true;
    options.numeric_round_abort = false;
    options.quoted_identifier = true;
    options.row_count = 0;
    options.text_size = -1;
    options.xact_abort = false;
    options.language = block.language;
    options.date_first = block.date_first;
    options.date_format = block.date_format;
}

/// Which levels go together: an open transaction has read, or will, at the session's.
fn check_levels(session: &Session, block: &AtomicBlock) -> SqlResult<()> {
    match (session.options.isolation, block.isolation) {
        _ if session.atomic.is_some() || session.transaction.current.is_none() => Ok(()),
        (IsolationLevel::Snapshot, _) => Err(session_at_snapshot()),
        (_, AtomicIsolation::Snapshot) => Ok(()),
        (IsolationLevel::RepeatableRead | IsolationLevel::Serializable, _) => Err(needs_snapshot()),
        _ => Ok(()),
    }
}

fn enter(runtime: &mut Runtime<'_>, block: &AtomicBlock) -> SqlResult<Entered> {
    check_levels(runtime.session, block)?;
    transaction::begin_implicit(runtime)?;
    let outer = runtime.session.atomic.replace(block.isolation);
    let undo = match &mut runtime.session.transaction.current {
        Some(transaction) => Undo::To(transaction.savepoint()),
        None => {
            transaction::begin_untold(runtime);
            Undo::Own
        }
    };
    transaction::renew_isolation(runtime);
    fix_options(&mut runtime.session.options, block);
    runtime.session.row_count = 0;
    Ok(Entered { undo, outer, was_doomed: runtime.session.transaction.doomed })
}

/// The block has come to its end.
fn complete(runtime: &mut Runtime<'_>, entered: &Entered, block: &AtomicBlock) -> SqlResult<()> {
    if runtime.session.transaction.doomed && !entered.was_doomed {
        let error = transaction::cannot_commit();
        take_back(runtime, entered)?;
        return Err(error);
    }
    match entered.undo {
        Undo::Own => transaction::commit_untold(runtime, block.delayed_durability),
        Undo::To(_) => Ok(()),
    }
}

/// Something else has left it.
fn take_back(runtime: &mut Runtime<'_>, entered: &Entered) -> SqlResult<()> {
    match entered.undo {
        Undo::Own => transaction::abandon(runtime.session, runtime.host),
        // A doomed transaction has lost everything already, or its ROLLBACK is all that it waits for.
        Undo::To(_) if runtime.session.transaction.doomed => {}
        Undo::To(savepoint) => {
            if let Some(transaction) = &mut runtime.session.transaction.current {
                transaction.rollback_to(savepoint).map_err(|error| storage_error(error, None))?;
                runtime.host.rolled_back_to_savepoint(runtime.session);
            }
        }
    }
    Ok(())
}

/// The rest of the caller's settings come back with its options.
fn leave(runtime: &mut Runtime<'_>, entered: &Entered) {
    runtime.session.atomic = entered.outer;
    runtime.session.row_count = 0;
    transaction::renew_isolation(runtime);
}

impl Runner<'_> {
    pub fn atomic(&mut self, block: &AtomicBlock, code: &[Code]) -> Result<Flow, Unwind> {
        let options = &self.session().options;
        if options.fmt_only || options.shows_plans() {
            return self.list(code);
        }
        let entered = match enter(self.context.runtime.get_mut(), block) {
            Ok(entered) => entered,
            Err(error) => return self.fail(error, block.line, Command::Other),
        };
        // An error leaves the block also where it would not leave the batch.
        self.session().try_level += 1;
        self.quiet = true;
        let result = self.native(code);
        self.session().try_level -= 1;
        let runtime = self.context.runtime.get_mut();
        let result = match result {
            Ok(flow) => complete(runtime, &entered, block).map(|()| flow).map_err(Unwind::Error),
            Err(unwind) => match take_back(runtime, &entered) {
                Ok(()) => Err(unwind),
                Err(error) => Err(Unwind::Error(error)),
            },
        };
        leave(runtime, &entered);
        match result {
            Err(Unwind::Error(error) | Unwind::Scope(error)) => Err(self.left_by(error, block.line)),
            result => result,
        }
    }

    /// What its caller sees of an error that has left the block.
    fn left_by(&mut self, error: SqlError, line: u32) -> Unwind {
        if let Some(stop) = stop_of(&error) {
            return Unwind::Stop(stop);
        }
        let error = self.locate(error, line);
        self.session().error = error.number;
        if self.session().try_level > 0 || self.frame.function.is_some() {
            return Unwind::Error(error);
        }
        match self.message(&error).and_then(|()| self.failed_done(Command::Other, Outcome::EndsBatch)) {
            Ok(()) => Unwind::Aborted,
            Err(unwind) => unwind,
        }
    }
}

/// Within a block: errors after which a transaction cannot be committed.
pub fn dooms(error: &SqlError) -> bool {
    matches!(error.number, 1205 | 3960 | 10772 | 41301 | 41302 | 41305 | 41325 | 41332 | 41333 | 41839)
        || error.severity >= 19
}
