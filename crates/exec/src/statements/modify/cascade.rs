//! Cascades: the child rows of keys that are gone or changed become what a DELETE or UPDATE of their own table would make of them.

use std::sync::Arc;

use sql::catalog::{ForeignKeyDef, ObjectId, ReferentialAction, TableDef};
use sql::plan::{self, TableSource};
use types::key::KeyCodec;
use types::{Column, Datum, Physical, RowBatch, SqlResult, sql_error};

use super::barrier::Barriers;
use super::constraint::{Lookup, check_key, still_referenced, stored_of, table_by_id};
use super::target::{Changes, Part, Target, Verb};
use super::trigger::Firing;
use super::views::Views;
use super::{check_rows, compute, required_options, trigger};
use crate::columns;
use crate::context::{Context, GRANT_BYTES_MAX, out_of_memory};
use crate::expression::{Compiler, I64Expr, Scalar};
use crate::memory_table::Batches;
use crate::operators::encode_from;
use crate::workspace::Held;

/// Cascades within cascades, self-references included.
const CASCADES_MAX: u32 = 32;

/// Of rows that are changed together, where they need not all be.
const PIECE_BYTES: usize = 16 << 20;

/// What a table below asks of its rows that a foreign key changes.
pub struct Cascade {
    key: ObjectId,
    updated: bool,
    barriers: Barriers,
    computed: Vec<(u16, Scalar)>,
    checks: Vec<(plan::Check, I64Expr)>,
}

impl Cascade {
    pub fn list(cascades: &[plan::Cascade], compiler: &mut Compiler) -> SqlResult<Vec<Cascade>> {
        let one = |cascade: &plan::Cascade| {
            let barriers = Barriers::new(&cascade.barriers, compiler)?;
            let computed = super::computed_scalars(&cascade.computed, compiler)?;
            let checks = cascade.checks.iter().map(|check| Ok((check.clone(), compiler.predicate(&check.predicate)?)));
            let checks = checks.collect::<SqlResult<Vec<_>>>()?;
            Ok(Cascade { key: cascade.key, updated: cascade.updated, barriers, computed, checks })
        };
        cascades.iter().map(one).collect()
    }
}

/// The table that a key's action reaches.
#[derive(Clone, Copy)]
struct Reached<'a> {
    def: &'a Arc<TableDef>,
    key: &'a ForeignKeyDef,
    action: ReferentialAction,
    /// The action is that of ON UPDATE.
    updated: bool,
    /// The statement, for messages.
    verb: &'a str,
}

/// The triggers of a table that a cascade changed. They fire when all cascades of the statement are done: what was changed first last,
/// and a table behind those that its own rows cascade to.
pub struct Cascaded {
    def: Arc<TableDef>,
    verb: Verb,
    parts: Vec<Part>,
    firing: Firing,
}

impl Cascaded {
    pub fn fire(self, context: &mut Context) -> SqlResult<()> {
        trigger::fire(&self.def, &[self.verb], context, self.parts, self.firing)
    }
}

/// At the end of the statement: self-references of new rows, and the references to rows that are gone.
pub fn check_references(
    target: &Target,
    context: &mut Context,
    parts: &[Part],
    verb: &str,
    (asked, views): (&[Cascade], &Views),
) -> SqlResult<Vec<Cascaded>> {
    let mut later = Vec::new();
    for part in parts {
        references(target, context, part, verb, Depth { cascades: 0, asked, views }, &mut later)?;
    }
    Ok(later)
}

/// How deep in cascades it is, and what the tables below ask of their rows.
#[derive(Clone, Copy)]
struct Depth<'a> {
    cascades: u32,
    asked: &'a [Cascade],
    views: &'a Views,
}

impl Depth<'_> {
    fn next(self) -> Self {
        Depth { cascades: self.cascades + 1, ..self }
    }
}

/// What follows from the rows of `target` that changed.
fn references(
    target: &Target,
    context: &mut Context,
    part: &Part,
    verb: &str,
    depth: Depth<'_>,
    later: &mut Vec<Cascaded>,
) -> SqlResult<()> {
    if depth.cascades > CASCADES_MAX {
        return Err(sql_error!(217, 32));
    }
    let stays = |key: &&ForeignKeyDef| {
        let action = if part.verb == Verb::Update { key.on_update } else { key.on_delete };
        action == ReferentialAction::NoAction
    };
    let keys = || target.def.referenced_by.iter().filter(|key| !key.disabled);
    // What takes no action looks at what the others leave.
    for key in keys().rev().filter(|key| !stays(key)).chain(keys().filter(stays)) {
        gone_parents(target, key, context, part, verb, depth, later)?;
    }
    for key in target.def.foreign_keys.iter().filter(|key| !key.disabled) {
        if key.referenced_table == target.def.object {
            let mut batches = Batches::new(&part.inserted);
            while let Some(rows) = batches.next(context)? {
                check_key(target, key, context, rows, None, verb)?;
            }
        }
    }
    Ok(())
}

/// One constraint of a child table against the keys that rows of `target` no longer have.
fn gone_parents(
    target: &Target,
    key: &ForeignKeyDef,
    context: &mut Context,
    part: &Part,
    verb: &str,
    depth: Depth<'_>,
    later: &mut Vec<Cascaded>,
) -> SqlResult<()> {
    if part.deleted.is_empty() {
        return Ok(());
    }
    let own = stored_of(&target.def, &key.referenced_columns);
    let updated = part.verb == Verb::Update;
    let codecs: Vec<KeyCodec> = own.iter().map(|stored| KeyCodec::new(&target.types[*stored], false)).collect();
    let encode = |rows: &RowBatch, row: usize| {
        let mut encoded = Vec::new();
        for (codec, stored) in codecs.iter().zip(&own) {
            encode_from(codec, &rows.columns[*stored], row, &mut encoded);
        }
        encoded
    };
    let child_def = table_by_id(context, target, key.table)?;
    let action = if updated { key.on_update } else { key.on_delete };
    let reached = |def| Reached { def, key, action, updated, verb };
    let mut child: Option<Lookup> = None;
    let mut again: Option<Lookup> = None;
    // All of them are found before the first is changed: one may get a key that another one had.
    let mut found = Children::default();
    let (mut old, mut new) = (Batches::new(&part.deleted), Batches::new(&part.inserted));
    while let Some(deleted) = old.next(context)? {
        let inserted = if updated { new.next(context)? } else { None };
        let is_gone = |row: usize| {
            !own.iter().any(|stored| deleted.columns[*stored].is_null(row))
                && inserted.is_none_or(|inserted| encode(inserted, row) != encode(deleted, row))
        };
        let gone: Vec<usize> = (0..deleted.rows).filter(|row| is_gone(*row)).collect();
        let values_of = |row: usize| own.iter().map(|stored| deleted.columns[*stored].datum(row)).collect::<Vec<_>>();
        // Without an index the child's rows are read once for all of these.
        let mut referenced = None;
        if gone.len() > 1 {
            let lookup = opened(&mut child, &child_def, &key.columns, context)?;
            if lookup.reads_all() {
                let keys = gone.iter().map(|row| lookup.key_of(&values_of(*row))).collect();
                if action == ReferentialAction::NoAction || updated && action == ReferentialAction::Cascade {
                    referenced = Some(lookup.among(context, &keys)?);
                } else {
                    lookup.read_those(context, &keys, |batch| found.append(batch))?;
                    if found.count(context)? > PIECE_BYTES {
                        carry_on(reached(&child_def), std::mem::take(&mut found), context, depth, later)?;
                    }
                    continue;
                }
            }
        }
        for row in gone {
            let values = values_of(row);
            let lookup = opened(&mut child, &child_def, &key.columns, context)?;
            if referenced.as_ref().is_some_and(|keys| !keys.contains(&lookup.key_of(&values))) {
                continue;
            }
            if action == ReferentialAction::NoAction {
                if !lookup.exists(context, &values)? {
                    continue;
                }
                // Another row may have the key now.
                let others = opened(&mut again, &target.def, &key.referenced_columns, context)?;
                if others.exists(context, &values)? {
                    continue;
                }
                return Err(still_referenced(target, key, &child_def, context, verb));
            }
            let before = found.rows.rows;
            lookup.read(context, &values, true, |batch| {
                found.append(batch);
                true
            })?;
            if let Some(inserted) = inserted.filter(|_| action == ReferentialAction::Cascade) {
                found.become_those_of(inserted, row, &own, before);
            }
            let bytes = found.count(context)?;
            // What loses its key gets none that is looked for later.
            if bytes > PIECE_BYTES && !(updated && action == ReferentialAction::Cascade) {
                carry_on(reached(&child_def), std::mem::take(&mut found), context, depth, later)?;
            }
        }
    }
    if found.rows.rows == 0 {
        return Ok(());
    }
    carry_on(reached(&child_def), found, context, depth, later)
}

/// Made when it is first asked.
fn opened<'l>(
    lookup: &'l mut Option<Lookup>,
    def: &Arc<TableDef>,
    columns: &[u16],
    context: &Context,
) -> SqlResult<&'l Lookup> {
    Ok(match lookup {
        Some(lookup) => lookup,
        none => none.insert(Lookup::new(def.clone(), columns, context)?),
    })
}

/// Rows that refer to keys that are gone.
#[derive(Default)]
struct Children {
    /// All stored columns and the locator.
    rows: RowBatch,
    /// For each row what it refers to after ON UPDATE CASCADE.
    keys: RowBatch,
    held: Held,
}

impl Children {
    fn append(&mut self, batch: &RowBatch) {
        if self.rows.columns.is_empty() {
            self.rows = RowBatch::new(batch.columns.iter().map(columns::class_of));
        }
        columns::append_batch(&mut self.rows, batch);
    }

    /// Rows from `first` on refer to a row of `parents`, whose key is in `columns`.
    fn become_those_of(&mut self, parents: &RowBatch, row: usize, columns: &[usize], first: usize) {
        if self.keys.columns.is_empty() {
            self.keys = RowBatch::new(columns.iter().map(|stored| columns::class_of(&parents.columns[*stored])));
        }
        for (key, stored) in self.keys.columns.iter_mut().zip(columns) {
            let value = parents.columns[*stored].datum(row);
            (first..self.rows.rows).for_each(|_| key.push(&value));
        }
        self.keys.rows = self.rows.rows;
    }

    /// Bytes of all. 701
    fn count(&mut self, context: &Context) -> SqlResult<usize> {
        let bytes = columns::batch_bytes(&self.rows) + columns::batch_bytes(&self.keys);
        if bytes > GRANT_BYTES_MAX {
            return Err(out_of_memory());
        }
        context.force(&mut self.held, bytes)?;
        Ok(bytes)
    }
}

fn carry_on(
    reached: Reached<'_>,
    found: Children,
    context: &mut Context,
    depth: Depth<'_>,
    later: &mut Vec<Cascaded>,
) -> SqlResult<()> {
    let Reached { def, key, action, updated, verb } = reached;
    if required_options::has_them(def) {
        required_options::check(context, verb)?;
    }
    let mut target = Target::new(&TableSource::Base(def.clone()));
    target.open(context)?;
    let Children { mut rows, mut keys, held: _held } = found;
    let locators = rows.columns.pop().expect("read with its locator");
    let all = !def.triggers.is_empty() || !def.views.is_empty();
    let mut changes = Changes::new(&target, all || target.is_referenced(), all);
    let asked = depth.asked.iter().find(|one| one.key == key.object && one.updated == updated);
    let barriers = asked.map(|asked| &asked.barriers);
    if action == ReferentialAction::Cascade && !updated {
        target.delete(context, &rows, &locators, &mut changes)?;
        barriers.map_or(Ok(()), |barriers| barriers.check(&target, context, None, Some(&rows)))?;
        let parts = changes.take_parts();
        depth.views.follow(&target, context, &parts, false)?;
        for part in &parts {
            references(&target, context, part, "DELETE", depth.next(), later)?;
        }
        fires(def, Verb::Delete, parts, rows.rows, Vec::new(), later);
        return Ok(());
    }
    let mut new = rows.clone();
    let stored = stored_of(def, &key.columns);
    let mut touched = vec![false; def.columns.len()];
    for (at, stored) in stored.iter().enumerate() {
        let mut column = Column::new(target.types[*stored].physical());
        let value = match action {
            ReferentialAction::Cascade => {
                column = std::mem::replace(&mut keys.columns[at], Column::new(Physical::I64));
                None
            }
            ReferentialAction::SetDefault => {
                let mut runtime = context.runtime();
                let runtime = &mut *runtime;
                Some(runtime.host.column_default(runtime.session, def, key.columns[at])?)
            }
            _ => Some(Datum::Null),
        };
        if let Some(value) = value {
            (0..rows.rows).for_each(|_| column.push(&value));
        }
        new.columns[*stored] = column;
        touched[usize::from(key.columns[at])] = true;
    }
    let (computed, checks) = asked.map_or((&[][..], &[][..]), |asked| (&asked.computed, &asked.checks));
    compute(&target, computed, false, context, &mut new)?;
    target.refuse_nulls(context, &new, "UPDATE")?;
    check_rows(&target, checks, context, &new, verb)?;
    target.update(context, &rows, &new, &locators, true, &mut changes)?;
    barriers.map_or(Ok(()), |barriers| barriers.check(&target, context, Some(&new), Some(&rows)))?;
    let parts = changes.take_parts();
    depth.views.follow(&target, context, &parts, false)?;
    for part in &parts {
        references(&target, context, part, "UPDATE", depth.next(), later)?;
    }
    fires(def, Verb::Update, parts, rows.rows, touched, later);
    Ok(())
}

fn fires(
    def: &Arc<TableDef>,
    verb: Verb,
    parts: Vec<Part>,
    rows: usize,
    updated: Vec<bool>,
    later: &mut Vec<Cascaded>,
) {
    if !def.triggers.is_empty() {
        let firing = Firing { instead_of: false, affected: rows as u64, updated };
        later.push(Cascaded { def: def.clone(), verb, parts, firing });
    }
}
