//! What an error does: unwinds to a CATCH, or goes to the client and ends the statement, the module or the batch.

use types::{SqlError, sql_error};

use super::ends::{Ends, Origin, ends, ends_module};
use super::run::{Flow, Runner};
use super::transaction;
use crate::notices;
use crate::session::{Options, stop_of};
use crate::sink::{Command, Done, DoneKind, Outcome, Stop};

#[derive(Debug)]
pub enum Unwind {
    /// On its way to a CATCH.
    Error(SqlError),
    /// The module could not begin, or a statement of it could not be bound. The CATCH of a caller may have it, not one of this module.
    Scope(SqlError),
    /// The batch is over; the error has been sent.
    Aborted,
    Stop(Stop),
}

/// ARITHABORT on while ANSI_WARNINGS is off.
fn arithmetic_aborts(error: &SqlError, options: &Options) -> bool {
    options.arith_abort && !options.ansi_warnings && notices::message_of(error).is_some()
}

/// Conflicts in memory-optimized tables: the transaction can only be tried again.
fn fails_transaction(error: &SqlError) -> bool {
    matches!(error.number, 41301 | 41302 | 41305 | 41325)
}

/// 3621: the statement has been terminated.
fn message_follows(error: &SqlError, origin: Origin) -> bool {
    match origin {
        // Refused before it began: its database is read-only.
        Origin::Change => (11..17).contains(&error.severity) && error.number != 3906,
        // Rows stood in the way: SQL Server ends these as it ends a failed INSERT.
        Origin::Definition | Origin::Structure => {
            error.earlier.iter().chain([error]).any(|error| matches!(error.number, 515 | 1505))
        }
        Origin::Statement | Origin::Raised | Origin::Thrown => false,
    }
}

/// It makes or changes a module, and is a batch of its own.
fn is_module(command: Command) -> bool {
    let Command::Definition(name) = command else { return false };
    matches!(name.split_once(' '), Some(("CREATE" | "ALTER", "VIEW" | "PROCEDURE" | "FUNCTION" | "TRIGGER")))
}

impl<'a> Runner<'a> {
    /// The statement at `line` failed and has been undone. `command`: what it is to the client.
    pub fn fail(&mut self, error: SqlError, line: u32, command: Command) -> Result<Flow, Unwind> {
        self.fail_as(error, line, Origin::Statement, command)
    }

    pub fn fail_as(&mut self, error: SqlError, line: u32, origin: Origin, command: Command) -> Result<Flow, Unwind> {
        if let Some(stop) = stop_of(&error) {
            return Err(Unwind::Stop(stop));
        }
        // A trigger of the statement has ended the batch, and said so.
        if std::mem::take(&mut self.session().aborted) {
            return Err(Unwind::Aborted);
        }
        // A statement of a trigger could not be bound: it fails as under the trigger's XACT_ABORT.
        let unbound = std::mem::take(&mut self.session().trigger_unbound);
        if std::mem::take(&mut self.session().thrown) {
            return self.caught(error, command);
        }
        let mut error = self.locate(error, line);
        self.complete(&mut error);
        // What ended a call is another's: it does not make a status of this module.
        if command != Command::Execute {
            self.failed_severity = error.severity;
        }
        self.session().error = error.number;
        self.session().row_count = 0;
        let in_try = self.session().try_level > 0;
        let xact_abort = self.session().options.xact_abort || unbound;
        let ends = ends(&error, origin, xact_abort, in_try);
        let aborts = match self.session().atomic {
            Some(_) => super::atomic::dooms(&error),
            None => {
                let computed = origin != Origin::Thrown;
                ends == Ends::Transaction || computed && arithmetic_aborts(&error, &self.session().options)
            }
        };
        // What the table says goes to the error log does so wherever it is caught; RAISERROR has said so itself.
        let is_logged = origin != Origin::Raised && types::messages::find(error.number).is_some_and(|row| row.logged);
        if ends == Ends::Connection || is_logged {
            let runtime = self.context.runtime.get_mut();
            runtime.host.log(runtime.session, &error);
        }
        if ends == Ends::Connection {
            self.message(&error)?;
            return Err(Unwind::Stop(Stop::Disconnected));
        }
        if self.frame.function.is_some() {
            return Err(Unwind::Error(error));
        }
        if in_try {
            if aborts && self.session().transaction.level > 0 {
                self.session().transaction.doomed = true;
                // A victim's locks must not wait for its CATCH block.
                if matches!(error.number, 1205 | 3960) || fails_transaction(&error) {
                    transaction::release_doomed(self.context.runtime.get_mut());
                }
            }
            if origin == Origin::Structure && ends_module(&error) {
                return Err(Unwind::Scope(error));
            }
            return self.caught(error, command);
        }
        self.message(&error)?;
        // What ends a trigger terminates the statement that fired it.
        let in_trigger = self.session().triggers.last().is_some_and(|trigger| trigger.event.is_none());
        let ends_firing = in_trigger || unbound && origin == Origin::Change;
        if aborts && ends_firing && !matches!(error.number, 3609 | 3616)
            || message_follows(&error, origin) && (!aborts || origin == Origin::Structure)
        {
            // It has the place of the error, which may be another than that of a THROW.
            let text = sql_error!(3621).at_line(error.line).in_procedure(&error.procedure);
            self.message(&text)?;
        }
        if aborts {
            let runtime = self.context.runtime.get_mut();
            // A trigger has rolled back already.
            if runtime.session.transaction.level > 0 || matches!(error.number, 3609 | 3616) {
                runtime.session.cursors.batch_failed();
            }
            transaction::abandon_and_tell(runtime.session, runtime.host, runtime.sink).map_err(Unwind::Stop)?;
        }
        let ends_batch = aborts || ends == Ends::Batch || origin == Origin::Thrown;
        let outcome = match is_module(command) {
            // A module's name is found to be taken when it runs; what else is wrong with it, when it is compiled.
            true if error.number == 2714 => Outcome::Failed,
            true => Outcome::EndsBatch,
            false if ends_batch => Outcome::EndsBatch,
            false => Outcome::Failed,
        };
        self.failed_done(command, outcome)?;
        if ends_batch { Err(Unwind::Aborted) } else { Ok(Flow::Next) }
    }

    /// A TRY has the error. The client learns only that the statement is over, and a query's or a change's that there are no rows of it.
    fn caught(&mut self, error: SqlError, command: Command) -> Result<Flow, Unwind> {
        use Command::{Delete, Execute, Insert, Merge, Other, Select, Update};
        // Within an atomic block only results have an end.
        if self.session().atomic.is_none() {
            match command {
                Other => {}
                Execute => self.call_ended(Outcome::Well)?,
                Select | Insert | Update | Delete | Merge => self.done(command, Some(0))?,
                _ => self.done(command, None)?,
            }
        }
        Err(Unwind::Error(error))
    }

    /// Storage knows neither whose process its victim's is nor what a database is called.
    fn complete(&mut self, error: &mut SqlError) {
        match error.number {
            1205 => {
                let spid = self.session().spid;
                error.text = error.text.replacen("(Process ID 0)", &format!("(Process ID {spid})"), 1);
            }
            1105 | 3960 | 3961 | 9001 | 9002 => {
                let runtime = self.context.runtime.get_mut();
                let database = runtime.host.database();
                // Temporary tables lie in tempdb, whichever database is the current one.
                let name = match error.text.contains("for object '#") {
                    true => "tempdb".into(),
                    false => runtime.host.database_name(runtime.session, database),
                };
                error.text = error.text.replacen("database ''", &format!("database '{name}'"), 1);
            }
            _ => {}
        }
    }

    /// With its line and procedure, unless an inner statement has set them.
    pub fn locate(&self, error: SqlError, line: u32) -> SqlError {
        // What a call's arguments got wrong has the procedure called, and line 0.
        if error.line != 0 || !error.procedure.is_empty() {
            return error;
        }
        let error = error.at_line(line);
        match &self.frame.info {
            Some(info) => error.in_procedure(&info.name),
            None => error,
        }
    }

    /// An aggregate of the statement has passed over a NULL.
    #[inline]
    pub fn tell_null_eliminated(&mut self, line: u32) -> Result<(), Unwind> {
        if !self.context.null_eliminated.replace(false) || !self.session().options.ansi_warnings {
            return Ok(());
        }
        let warning = self.locate(sql_error!(8153), line);
        self.message(&warning)
    }

    /// What the statement passed over.
    #[inline]
    pub fn tell_notices(&mut self, line: u32) -> Result<(), Unwind> {
        // They stand at the front.
        if self.context.notices.get()[0] == 0 { Ok(()) } else { self.tell_each_notice(line) }
    }

    #[cold]
    fn tell_each_notice(&mut self, line: u32) -> Result<(), Unwind> {
        let numbers = self.context.notices.replace([0; notices::NUMBERS]);
        for number in numbers.into_iter().filter(|number| *number != 0) {
            let message = self.locate(notices::message(number), line);
            self.message(&message)?;
        }
        Ok(())
    }

    pub fn failed_done(&mut self, command: Command, outcome: Outcome) -> Result<(), Unwind> {
        match (command, outcome) {
            (Command::Execute, Outcome::Failed) => self.call_ended(outcome),
            _ => {
                let kind = if self.frame.nested { DoneKind::InProcedure } else { DoneKind::Statement };
                self.send_done(Done { kind, command, row_count: None, outcome })
            }
        }
    }

    /// What an EXEC called is over. Only a batch's own says so in a way of its own.
    pub fn call_ended(&mut self, outcome: Outcome) -> Result<(), Unwind> {
        if let Some(status) = self.untold_status.take() {
            self.context.runtime.get_mut().sink.return_status(status).map_err(Unwind::Stop)?;
        }
        let kind = if self.frame.nested { DoneKind::InProcedure } else { DoneKind::Procedure };
        self.send_done(Done { kind, command: Command::Execute, row_count: None, outcome })
    }

    /// The module cannot go on, but its caller can.
    pub fn fail_scope(&mut self, error: SqlError, line: u32) -> Result<Flow, Unwind> {
        if let Some(stop) = stop_of(&error) {
            return Err(Unwind::Stop(stop));
        }
        Err(self.unbound(error, line))
    }

    /// A query of the statement at `line` cannot be bound: the module ends, whatever kind of statement that is.
    pub fn unbound(&mut self, error: SqlError, line: u32) -> Unwind {
        let error = self.locate(error, line);
        self.session().error = error.number;
        Unwind::Scope(error)
    }
}
