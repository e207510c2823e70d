//! Triggers of a changed table: who is to fire, with which rows.

use std::sync::Arc;

use sql::catalog::{TableDef, TriggerDef};
use types::{RowBatch, SqlResult, sql_error};

use super::target::{Changes, Verb};
use crate::context::{Context, Runtime, TriggerRows};
use crate::host::Callee;
use crate::session::stopped;
use crate::statements::{Frame, NESTING_MAX, Unwind, run_instance};

fn fires(trigger: &TriggerDef, verb: Verb) -> bool {
    !trigger.disabled
        && match verb {
            Verb::Insert => trigger.on_insert,
            Verb::Update => trigger.on_update,
            Verb::Delete => trigger.on_delete,
        }
}

/// An INSTEAD OF trigger takes the statement's place; not within itself.
pub fn instead_of(def: &TableDef, mut verbs: impl Iterator<Item = Verb>, context: &Context) -> bool {
    let Some(trigger) = verbs.find_map(|verb| def.triggers.iter().find(|t| t.instead_of && fires(t, verb))) else {
        return false;
    };
    let running = context.session(|session| session.procedure_id);
    running != trigger.object.0
}

pub fn any_after(def: &TableDef, mut verbs: impl Iterator<Item = Verb>) -> bool {
    verbs.any(|verb| def.triggers.iter().any(|trigger| !trigger.instead_of && fires(trigger, verb)))
}

/// Fires the triggers of each action that the statement has, over the rows that it changed.
pub fn fire(
    def: &Arc<TableDef>,
    verbs: &[Verb],
    instead_of: bool,
    context: &mut Context,
    changes: &mut Changes,
    updated: Vec<bool>,
) -> SqlResult<()> {
    if def.triggers.is_empty() {
        return Ok(());
    }
    let within = context.session(|session| session.trigger_level) > 0;
    if within && !instead_of && !context.runtime.get_mut().host.nested_triggers() {
        return Ok(());
    }
    let inserted = Arc::new(std::mem::take(&mut changes.inserted));
    let deleted = Arc::new(std::mem::take(&mut changes.deleted));
    let updated = Arc::new(updated);
    let names: Arc<[Box<str>]> = def.columns.iter().map(|column| column.name.clone()).collect();
    let empty = |rows: &RowBatch| Arc::new(RowBatch::new(rows.columns.iter().map(crate::columns::class_of)));
    let mut done: Vec<Verb> = Vec::new();
    for verb in verbs {
        if done.contains(verb) {
            continue;
        }
        done.push(*verb);
        for trigger in def.triggers.iter().filter(|t| t.instead_of == instead_of && fires(t, *verb)) {
            // A trigger does not fire itself (RECURSIVE_TRIGGERS is OFF).
            if context.session(|session| session.procedure_id) == trigger.object.0 {
                continue;
            }
            let rows = TriggerRows {
                inserted: if *verb == Verb::Delete { empty(&inserted) } else { inserted.clone() },
                deleted: if *verb == Verb::Insert { empty(&deleted) } else { deleted.clone() },
                updated: updated.clone(),
                columns: names.clone(),
            };
            run(def, trigger, rows, context)?;
        }
    }
    Ok(())
}

fn run(def: &TableDef, trigger: &TriggerDef, rows: TriggerRows, context: &mut Context) -> SqlResult<()> {
    let runtime = context.runtime.get_mut();
    let callee = runtime.host.trigger(runtime.session, def.database, trigger.object)?;
    let Callee::Module(module, info) = callee else {
        return Err(sql_error!(208, trigger.name));
    };
    let session = &mut *runtime.session;
    if session.nest_level >= NESTING_MAX {
        return Err(sql_error!(217, 32));
    }
    // In an autocommit statement the trigger sees a transaction of its own, which it may roll back.
    let autocommit = session.transaction.level == 0;
    if autocommit {
        session.transaction.level = 1;
        session.transaction.descriptor += 1;
    }
    let generation = session.transaction.descriptor;
    let (procedure, scope_identity, xact_abort) =
        (session.procedure_id, session.scope_identity.take(), session.options.xact_abort);
    session.nest_level += 1;
    session.trigger_level += 1;
    session.procedure_id = trigger.object.0;
    session.options.xact_abort = true;
    let frame = Frame { info: Some(info), nested: true, trigger: Some(rows), function: None };
    let nested = Runtime { session: &mut *runtime.session, host: &mut *runtime.host, sink: &mut *runtime.sink };
    let result = run_instance(&module, Vec::new(), Vec::new(), nested, frame, false);
    let session = &mut *runtime.session;
    session.nest_level -= 1;
    session.trigger_level -= 1;
    session.procedure_id = procedure;
    session.scope_identity = scope_identity;
    session.options.xact_abort = xact_abort;
    let state = &mut session.transaction;
    let rolled_back = state.level == 0 || state.descriptor != generation;
    if autocommit && !rolled_back {
        // Committed by `end_statement`, with the statement.
        state.level = 0;
    }
    match result {
        Ok(_) if rolled_back => Err(sql_error!(3609)),
        Ok(_) => Ok(()),
        Err(Unwind::Stop(stop)) => Err(stopped(stop)),
        Err(Unwind::Error(error) | Unwind::Scope(error)) => Err(error),
        Err(Unwind::Aborted) => {
            // The client has been told why; `Runner::fail` hears of it here.
            session.aborted = true;
            Err(sql_error!(3609))
        }
    }
}
