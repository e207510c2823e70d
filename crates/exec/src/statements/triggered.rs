//! Runs a trigger within the statement that fires it. It sees a transaction, the statement's own in autocommit, and may end that.

use sql::catalog::{DatabaseId, ObjectId};
use types::{Datum, SqlResult, sql_error};

use super::{Frame, Unwind, nested, replace, run_instance};
use crate::context::{Runtime, TriggerRows};
use crate::host::{Callee, Host};
use crate::session::{RunningTrigger, Session, stopped};
use crate::sink::Sink;

/// A trigger of a database or the server that an event fires.
#[derive(Debug, Clone)]
pub struct EventTrigger {
    pub database: DatabaseId,
    pub object: ObjectId,
    pub name: Box<str>,
    /// Whether it is to fire for what it does itself: RECURSIVE_TRIGGERS.
    pub recursive: bool,
}

/// Fires the triggers of an event, in this order. `data`: EVENTDATA(), an xml value.
///
/// Where one ends the transaction, or fails, the error is the statement's, and the rest do not run.
pub fn fire_event(
    triggers: &[EventTrigger],
    data: &Datum,
    session: &mut Session,
    host: &mut dyn Host,
    sink: &mut dyn Sink,
) -> SqlResult<()> {
    // What a trigger does after it has ended the transaction fires none.
    if !session.triggers.is_empty() && session.transaction.level == 0 {
        return Ok(());
    }
    let mut runtime = Runtime { session, host, sink };
    for trigger in triggers {
        let object = trigger.object.0;
        let within = runtime.session.triggers.last().is_some_and(|running| running.object == object);
        if within && !trigger.recursive {
            continue;
        }
        let running = RunningTrigger { object, on: None, instead_of: false, event: Some(data.clone()) };
        runtime.session.row_count = 0;
        run(&mut runtime, (trigger.database, &trigger.name), running, None)?;
    }
    Ok(())
}

/// Runs one. `rows`: of a table's.
pub(super) fn run(
    runtime: &mut Runtime<'_>,
    (database, name): (DatabaseId, &str),
    running: RunningTrigger,
    rows: Option<TriggerRows>,
) -> SqlResult<()> {
    let object = running.object;
    let callee = runtime.host.trigger(runtime.session, database, ObjectId(object))?;
    let Callee::Module(module, info) = callee else {
        return Err(sql_error!(208, name));
    };
    let session = &mut *runtime.session;
    // In an autocommit statement the trigger sees a transaction of its own, which it may roll back.
    let autocommit = session.transaction.level == 0;
    if autocommit {
        session.transaction.level = 1;
        session.transaction.descriptor += 1;
    }
    let generation = session.transaction.descriptor;
    let xact_abort = std::mem::replace(&mut session.options.xact_abort, true);
    session.triggers.push(running);
    session.error = 0;
    let frame = Frame { info: Some(info), nested: true, from_client: false, trigger: rows, function: None };
    let result =
        nested(runtime.again(), object, |runtime| run_instance(&module, Vec::new(), Vec::new(), runtime, frame, false));
    let session = &mut *runtime.session;
    session.triggers.pop();
    session.options.xact_abort = xact_abort;
    let state = &mut session.transaction;
    let (ended, doomed, replaced) = (state.level == 0, state.doomed, state.descriptor != generation);
    if autocommit && !ended {
        // Ended by `end_statement` or `undo_statement`, with the statement. Of a transaction of the trigger's own one level ends.
        state.level -= 1;
        state.doomed = false;
        if !replaced {
            state.level = 0;
        }
    }
    let left = state.level;
    match result {
        Ok(_) if ended => Err(sql_error!(3609)),
        Ok(_) if doomed => Err(sql_error!(3616)),
        Ok(_) if autocommit && replaced && left == 0 => replace(runtime),
        Ok(_) => Ok(()),
        Err(Unwind::Stop(stop)) => Err(stopped(stop)),
        Err(Unwind::Error(error)) => {
            session.thrown = true;
            Err(error)
        }
        Err(Unwind::Scope(error)) => {
            session.trigger_unbound = true;
            Err(error)
        }
        Err(Unwind::Aborted) => {
            // The client has been told why; `Runner::fail` hears of it here.
            session.aborted = true;
            Err(sql_error!(3609))
        }
    }
}
