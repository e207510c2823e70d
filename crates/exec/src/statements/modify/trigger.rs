//! Triggers of a changed table: who is to fire, with which rows.

use std::sync::Arc;

use sql::catalog::{TableDef, TriggerDef};
use types::{SqlError, SqlResult, sql_error};

use super::target::{Part, Verb};
use crate::context::{Context, TriggerRows};
use crate::memory_table::MemoryTable;
use crate::session::RunningTrigger;
use crate::statements::triggered;

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
    !is_within(trigger, context)
}

/// Whether it is what the innermost trigger runs for: it would call itself.
fn is_within(trigger: &TriggerDef, context: &Context) -> bool {
    context.session(|session| session.triggers.last().is_some_and(|running| running.object == trigger.object.0))
}

pub fn any_after(def: &TableDef, mut verbs: impl Iterator<Item = Verb>) -> bool {
    verbs.any(|verb| def.triggers.iter().any(|trigger| !trigger.instead_of && fires(trigger, verb)))
}

/// A statement whose triggers fire.
pub struct Firing {
    pub instead_of: bool,
    /// Its rows: @@ROWCOUNT where a trigger begins.
    pub affected: u64,
    /// Columns of the table that an UPDATE sets.
    pub updated: Vec<bool>,
}

/// Fires the triggers of each action that the statement has, over the rows that this action changed.
pub fn fire(
    def: &Arc<TableDef>,
    verbs: &[Verb],
    context: &mut Context,
    mut parts: Vec<Part>,
    firing: Firing,
) -> SqlResult<()> {
    if def.triggers.is_empty() {
        return Ok(());
    }
    let runtime = context.runtime.get_mut();
    if !firing.instead_of {
        let session = &*runtime.session;
        // What a trigger does after it has ended the transaction fires none.
        let over = !session.triggers.is_empty() && session.transaction.level == 0;
        let is_after = |running: &RunningTrigger| !running.instead_of && running.event.is_none();
        if over || session.triggers.iter().any(is_after) && !runtime.host.nested_triggers() {
            return Ok(());
        }
    }
    // Whether an AFTER trigger fires itself. An INSTEAD OF trigger never does.
    let recursive = !firing.instead_of && runtime.host.recursive_triggers(def.database);
    let names: Arc<[Box<str>]> = def.columns.iter().map(|column| column.name.clone()).collect();
    let stored = def.stored.iter().zip(&def.columns).filter_map(|(at, column)| Some(((*at)?, column.ty.physical())));
    let mut classes: Vec<_> = stored.collect();
    classes.sort_unstable_by_key(|(at, _)| *at);
    let empty = || Arc::new(MemoryTable::new(classes.iter().map(|(_, class)| *class).collect(), 0));
    // Whatever the order of the actions is.
    for verb in [Verb::Insert, Verb::Update, Verb::Delete].into_iter().filter(|verb| verbs.contains(verb)) {
        let own = parts.iter().position(|part| part.verb == verb).map(|at| parts.swap_remove(at));
        let (inserted, deleted) = own.map_or_else(|| (empty(), empty()), |part| (part.inserted, part.deleted));
        let rows = TriggerRows {
            inserted,
            deleted,
            updated: match verb {
                Verb::Insert => vec![true; def.columns.len()],
                Verb::Update => firing.updated.clone(),
                Verb::Delete => Vec::new(),
            }
            .into(),
            columns: names.clone(),
            last_first: !firing.instead_of,
        };
        let mut chosen: Vec<&TriggerDef> =
            def.triggers.iter().filter(|t| t.instead_of == firing.instead_of && fires(t, verb)).collect();
        chosen.sort_by_key(|trigger| trigger.places[verb as usize]);
        for trigger in chosen {
            if recursive || !is_within(trigger, context) {
                run(def, trigger, rows.clone(), firing.affected, context)?;
            } else if firing.instead_of {
                return Err(own_view(def));
            }
        }
    }
    Ok(())
}

fn run(def: &TableDef, trigger: &TriggerDef, rows: TriggerRows, affected: u64, context: &mut Context) -> SqlResult<()> {
    let on = Some((def.database, def.object));
    let running = RunningTrigger { object: trigger.object.0, on, instead_of: trigger.instead_of, event: None };
    let runtime = context.runtime.get_mut();
    runtime.session.row_count = affected;
    triggered::run(runtime, (def.database, &trigger.name), running, Some(rows))
}

/// Within a view's own trigger the binder takes a change of the view for one of its table. It cannot know that where the change is in text
/// or a procedure that the trigger executes.
fn own_view(def: &TableDef) -> SqlError {
    sql_error!(40517, format!("change of the view {} in what its own INSTEAD OF trigger executes", def.name))
}
