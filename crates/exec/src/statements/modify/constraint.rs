//! Foreign keys: the parents of new rows, and the children of rows that are gone or changed, with cascades.

use std::collections::HashSet;
use std::sync::Arc;

use sql::catalog::{ForeignKeyDef, IndexKind, ReferentialAction, TableDef};
use sql::plan::TableSource;
use storage::{IndexId, KeyBound, LockHint, Scan, ScanSpec, Table};
use types::key::KeyCodec;
use types::row::RowView;
use types::{Column, Datum, Physical, RowBatch, SqlError, SqlResult, SqlType, sql_error};

use super::barrier::CascadeBarriers;
use super::target::{Changes, Part, Target, Verb};
use super::trigger::Firing;
use crate::columns::{self, BATCH_ROWS};
use crate::context::Context;
use crate::operators::{FastHash, encode_from, storage_error};

/// Cascades within cascades, self-references included.
const CASCADES_MAX: u32 = 32;

/// Every new row's parents are there. Rows of a table that references itself are checked at the end of the statement.
pub fn check_parents(
    target: &Target,
    context: &Context,
    rows: &RowBatch,
    old: Option<&RowBatch>,
    verb: &str,
) -> SqlResult<()> {
    for key in target.def.foreign_keys.iter().filter(|key| !key.disabled) {
        if key.referenced_table != target.def.object {
            check_key(target, key, context, rows, old, verb)?;
        }
    }
    Ok(())
}

fn check_key(
    target: &Target,
    key: &ForeignKeyDef,
    context: &Context,
    rows: &RowBatch,
    old: Option<&RowBatch>,
    verb: &str,
) -> SqlResult<()> {
    let own: Vec<usize> = stored_of(&target.def, &key.columns);
    let mut parent: Option<Lookup> = None;
    let mut known: HashSet<Vec<u8>, FastHash> = HashSet::default();
    let codecs: Vec<KeyCodec> = own.iter().map(|stored| KeyCodec::new(&target.types[*stored], false)).collect();
    for row in 0..rows.rows {
        if own.iter().any(|stored| rows.columns[*stored].is_null(row)) {
            continue;
        }
        let mut encoded = Vec::new();
        for (codec, stored) in codecs.iter().zip(&own) {
            encode_from(codec, &rows.columns[*stored], row, &mut encoded);
        }
        if let Some(old) = old {
            let mut before = Vec::new();
            for (codec, stored) in codecs.iter().zip(&own) {
                encode_from(codec, &old.columns[*stored], row, &mut before);
            }
            if before == encoded {
                continue;
            }
        }
        if known.contains(&encoded) {
            continue;
        }
        let lookup = match &mut parent {
            Some(lookup) => lookup,
            none => {
                let table = table_by_id(context, target, key.referenced_table)?;
                none.insert(Lookup::new(table, &key.referenced_columns, context)?)
            }
        };
        let values: Vec<Datum> = own.iter().map(|stored| rows.columns[*stored].datum(row)).collect();
        if !lookup.exists(context, &values)? {
            return Err(no_parent(target, key, &lookup.def, context, verb));
        }
        known.insert(encoded);
    }
    Ok(())
}

fn stored_of(def: &TableDef, columns: &[u16]) -> Vec<usize> {
    columns.iter().map(|column| def.stored[*column as usize].expect("keys are stored") as usize).collect()
}

fn table_by_id(context: &Context, target: &Target, object: sql::catalog::ObjectId) -> SqlResult<Arc<TableDef>> {
    if object == target.def.object {
        return Ok(target.def.clone());
    }
    let mut runtime = context.runtime();
    let runtime = &mut *runtime;
    runtime.host.table_by_id(runtime.session, target.def.database, object)
}

/// Rows of a table by the values of some columns: through an index that begins with them, else by reading all.
struct Lookup {
    def: Arc<TableDef>,
    table: Arc<Table>,
    index: u32,
    /// Positions in the looked-up columns, in the order of the index key's prefix.
    order: Vec<usize>,
    codecs: Vec<KeyCodec>,
    seek: bool,
    columns: Vec<usize>,
    covers: bool,
    /// The index is a hash index.
    whole_keys: bool,
}

impl Lookup {
    fn new(def: Arc<TableDef>, columns: &[u16], context: &Context) -> SqlResult<Lookup> {
        let table = {
            let mut runtime = context.runtime();
            let runtime = &mut *runtime;
            runtime.host.open_table(runtime.session, &def)?
        };
        let found = def.indexes.iter().filter(|index| !index.disabled && index.filter.is_empty()).find(|index| {
            (index.key.len() == columns.len() || index.key.len() > columns.len() && index.bucket_count.is_none())
                && index.key[..columns.len()].iter().all(|(column, _)| columns.contains(column))
        });
        let stored = stored_of(&def, columns);
        let clustered = def.indexes.iter().any(|index| index.kind == IndexKind::Clustered);
        let (index, order, codecs, seek, covers) = match found {
            Some(index) => {
                let prefix = &index.key[..columns.len()];
                let order = prefix
                    .iter()
                    .map(|(column, _)| columns.iter().position(|c| c == column).expect("found above"))
                    .collect();
                let codecs = prefix
                    .iter()
                    .map(|(column, descending)| KeyCodec::new(&def.columns[*column as usize].ty, *descending))
                    .collect();
                let covers = index.kind == IndexKind::Clustered || def.memory.is_some();
                (index.id, order, codecs, true, covers)
            }
            None => {
                let codecs =
                    columns.iter().map(|column| KeyCodec::new(&def.columns[*column as usize].ty, false)).collect();
                (clustered as u32, (0..columns.len()).collect(), codecs, false, true)
            }
        };
        let whole_keys = found.is_some_and(|index| index.bucket_count.is_some());
        Ok(Lookup { table, index, order, codecs, seek, columns: stored, covers, whole_keys, def })
    }

    fn encode(&self, values: &[Datum]) -> Vec<u8> {
        let mut key = Vec::new();
        for (codec, at) in self.codecs.iter().zip(&self.order) {
            codec.encode(&values[*at], &mut key);
        }
        key
    }

    /// Reads matching rows until `each` says stop (false). `wide`: all stored columns and the locator, else only the key columns.
    fn read(
        &self,
        context: &Context,
        values: &[Datum],
        wide: bool,
        mut each: impl FnMut(&RowBatch) -> bool,
    ) -> SqlResult<()> {
        let key = self.encode(values);
        let width = self.table.layout().row.len();
        let columns: Vec<u16> =
            if wide { (0..width as u16).collect() } else { self.columns.iter().map(|column| *column as u16).collect() };
        let bound = if self.seek { KeyBound::Inclusive(key.clone()) } else { KeyBound::Unbounded };
        // Waits for whoever is changing such a row: a snapshot might miss a parent being deleted.
        // In a memory-optimized table it looks again at the commit.
        let hold = self.table.is_memory_optimized();
        let lock = LockHint { update: wide, shared: !wide, hold, ..LockHint::default() };
        let spec = ScanSpec {
            whole_keys: self.whole_keys,
            lower: bound.clone(),
            upper: bound,
            columns: columns.clone(),
            locator: wide,
            lookup: wide && !self.covers,
            lock,
            ignore_own_statement: false,
            ..ScanSpec::all(IndexId(self.index), Vec::new())
        };
        let row = &self.table.layout().row;
        let mut classes: Vec<Physical> =
            columns.iter().map(|column| row.column_type(*column as usize).physical()).collect();
        if wide {
            classes.push(Physical::Bytes);
        }
        let mut batch = RowBatch::new(classes);
        let error = |error| storage_error(error, Some(&self.def));
        let mut scan = {
            let mut runtime = context.runtime();
            let transaction = runtime.session.transaction.current.as_mut().expect("in a statement");
            self.table.scan(transaction, spec).map_err(error)?
        };
        loop {
            batch.clear();
            {
                let mut runtime = context.runtime();
                let transaction = runtime.session.transaction.current.as_mut().expect("in a statement");
                batch.rows = scan.fill(transaction, &mut batch, if wide { BATCH_ROWS } else { 8 }).map_err(error)?;
            }
            if batch.rows == 0 {
                return Ok(());
            }
            if !self.seek {
                let mut found = Vec::new();
                let mut own = Vec::new();
                for row in 0..batch.rows {
                    own.clear();
                    for (at, codec) in self.codecs.iter().enumerate() {
                        let column = if wide { self.columns[at] } else { at };
                        encode_from(codec, &batch.columns[column], row, &mut own);
                    }
                    if own == key {
                        found.push(row as u32);
                    }
                }
                columns::retain(&mut batch, &found);
            }
            if batch.rows > 0 && !each(&batch) {
                return Ok(());
            }
            context.yield_point()?;
        }
    }

    fn exists(&self, context: &Context, values: &[Datum]) -> SqlResult<bool> {
        let mut found = false;
        self.read(context, values, false, |_| {
            found = true;
            false
        })?;
        Ok(found)
    }
}

/// The parents of one row after the other: what `check_parents` looks for, in memory-optimized tables.
pub struct Parents(Vec<Parent>);

struct Parent {
    own: Vec<usize>,
    lookup: Lookup,
    /// Goes from key to key.
    scan: Scan,
}

impl Parents {
    /// None: they are not found by a key of such a table. The transaction holds the tables' definitions.
    pub fn of(def: &TableDef, context: &Context) -> SqlResult<Option<Parents>> {
        let mut parents = Vec::new();
        for key in def.foreign_keys.iter().filter(|key| !key.disabled) {
            let parent = {
                let mut runtime = context.runtime();
                let runtime = &mut *runtime;
                runtime.host.table_by_id(runtime.session, def.database, key.referenced_table)?
            };
            let lookup = Lookup::new(parent, &key.referenced_columns, context)?;
            if !lookup.seek || !lookup.table.is_memory_optimized() {
                return Ok(None);
            }
            // It is looked for again at the commit.
            let spec = ScanSpec {
                whole_keys: lookup.whole_keys,
                lock: LockHint { shared: true, hold: true, ..LockHint::default() },
                ignore_own_statement: false,
                ..ScanSpec::all(IndexId(lookup.index), Vec::new())
            };
            let mut runtime = context.runtime();
            let transaction = runtime.session.transaction.current.as_mut().expect("in a statement");
            let scan = lookup.table.scan(transaction, spec).map_err(|error| storage_error(error, Some(&lookup.def)))?;
            parents.push(Parent { own: stored_of(def, &key.columns), lookup, scan });
        }
        Ok(Some(Parents(parents)))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All that a row refers to are there.
    pub fn have(&mut self, context: &Context, row: &RowView<'_>) -> SqlResult<bool> {
        for Parent { own, lookup, scan } in &mut self.0 {
            if own.iter().any(|stored| row.is_null(*stored)) {
                continue;
            }
            let mut key = Vec::new();
            for (codec, at) in lookup.codecs.iter().zip(&lookup.order) {
                codec.encode(&row.datum(own[*at]), &mut key);
            }
            let bound = KeyBound::Inclusive(key);
            let mut runtime = context.runtime();
            let transaction = runtime.session.transaction.current.as_mut().expect("in a statement");
            let found = match scan.restart(transaction, &bound, &bound) {
                Ok(()) => scan.next(transaction).map(|row| row.is_some()),
                Err(error) => Err(error),
            };
            if !found.map_err(|error| storage_error(error, Some(&lookup.def)))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// 547. `table`: where the conflict is; `column` if there is only one.
pub fn conflict(
    verb: &str,
    kind: &str,
    constraint: &str,
    database: &str,
    table: &TableDef,
    column: Option<&str>,
) -> SqlError {
    let (open, column, close) = column.map_or(("", "", ""), |column| (", column '", column, "'"));
    let table = format_args!("{}.{}", table.schema, table.name);
    sql_error!(547, verb, kind, constraint, database, table, open, column, close)
}

fn no_parent(target: &Target, key: &ForeignKeyDef, parent: &TableDef, context: &Context, verb: &str) -> SqlError {
    let kind = if parent.object == target.def.object { "FOREIGN KEY SAME TABLE" } else { "FOREIGN KEY" };
    let column = match key.referenced_columns.as_slice() {
        [column] => Some(&*parent.columns[*column as usize].name),
        _ => None,
    };
    conflict(verb, kind, &key.name, &target.database_name(context), parent, column)
}

/// At the end of the statement: self-references of new rows, and the references to rows that are gone.
pub fn check_references(
    target: &Target,
    context: &mut Context,
    parts: &[Part],
    verb: &str,
    barriers: &[CascadeBarriers],
) -> SqlResult<()> {
    parts.iter().try_for_each(|part| references(target, context, part, verb, Depth { cascades: 0, barriers }))
}

/// How deep in cascades it is, and what the tables below ask of their rows.
#[derive(Clone, Copy)]
struct Depth<'a> {
    cascades: u32,
    barriers: &'a [CascadeBarriers],
}

impl Depth<'_> {
    fn next(self) -> Self {
        Depth { cascades: self.cascades + 1, ..self }
    }
}

fn references(target: &Target, context: &mut Context, part: &Part, verb: &str, depth: Depth<'_>) -> SqlResult<()> {
    if depth.cascades > CASCADES_MAX {
        return Err(sql_error!(217, 32));
    }
    for key in target.def.referenced_by.iter().filter(|key| !key.disabled) {
        gone_parents(target, key, context, part, verb, depth)?;
    }
    for key in target.def.foreign_keys.iter().filter(|key| !key.disabled) {
        if key.referenced_table == target.def.object {
            check_key(target, key, context, &part.inserted, None, verb)?;
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
) -> SqlResult<()> {
    let Part { inserted, deleted, .. } = part;
    if deleted.rows == 0 {
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
    let mut child: Option<Lookup> = None;
    let mut again: Option<Lookup> = None;
    for row in 0..deleted.rows {
        if own.iter().any(|stored| deleted.columns[*stored].is_null(row)) {
            continue;
        }
        if updated && encode(inserted, row) == encode(deleted, row) {
            continue;
        }
        let values: Vec<Datum> = own.iter().map(|stored| deleted.columns[*stored].datum(row)).collect();
        let lookup = match &mut child {
            Some(lookup) => lookup,
            none => none.insert(Lookup::new(child_def.clone(), &key.columns, context)?),
        };
        let action = if updated { key.on_update } else { key.on_delete };
        if action == ReferentialAction::NoAction {
            if !lookup.exists(context, &values)? {
                continue;
            }
            // Another row may have the key now.
            let parents = match &mut again {
                Some(lookup) => lookup,
                none => none.insert(Lookup::new(target.def.clone(), &key.referenced_columns, context)?),
            };
            if parents.exists(context, &values)? {
                continue;
            }
            return Err(still_referenced(target, key, &child_def, context, verb));
        }
        let mut rows = RowBatch::default();
        lookup.read(context, &values, true, |batch| {
            if rows.columns.is_empty() {
                rows = RowBatch::new(batch.columns.iter().map(columns::class_of));
            }
            columns::append_batch(&mut rows, batch);
            true
        })?;
        if rows.rows > 0 {
            let new_key: Vec<Datum> = match action {
                ReferentialAction::Cascade if updated => {
                    own.iter().map(|stored| inserted.columns[*stored].datum(row)).collect()
                }
                _ => Vec::new(),
            };
            cascade(&child_def, key, action, updated, rows, &new_key, context, depth)?;
        }
    }
    Ok(())
}

#[allow(clippy::too_many_arguments)]
fn cascade(
    def: &Arc<TableDef>,
    key: &ForeignKeyDef,
    action: ReferentialAction,
    updated: bool,
    mut rows: RowBatch,
    new_key: &[Datum],
    context: &mut Context,
    depth: Depth<'_>,
) -> SqlResult<()> {
    let mut target = Target::new(&TableSource::Base(def.clone()));
    target.open(context)?;
    let locators = rows.columns.pop().expect("read with its locator");
    let keep = target.is_referenced() || !def.triggers.is_empty();
    let mut changes = Changes::new(&target, keep, !def.triggers.is_empty());
    let barriers = CascadeBarriers::of(depth.barriers, key.object, updated);
    if action == ReferentialAction::Cascade && !updated {
        target.delete(context, &rows, &locators, &mut changes)?;
        barriers.map_or(Ok(()), |barriers| barriers.check(&target, context, None, Some(&rows)))?;
        let parts = changes.take_parts();
        parts.iter().try_for_each(|part| references(&target, context, part, "DELETE", depth.next()))?;
        let firing = Firing { instead_of: false, affected: rows.rows as u64, updated: Vec::new() };
        return super::trigger::fire(def, &[Verb::Delete], context, parts, firing);
    }
    let mut new = rows.clone();
    let stored = stored_of(def, &key.columns);
    let mut touched = vec![false; def.columns.len()];
    for (at, stored) in stored.iter().enumerate() {
        let ty: SqlType = target.types[*stored];
        let value = match action {
            ReferentialAction::Cascade => new_key[at].clone(),
            ReferentialAction::SetDefault => {
                let mut runtime = context.runtime();
                let runtime = &mut *runtime;
                runtime.host.column_default(runtime.session, def, key.columns[at])?
            }
            _ => Datum::Null,
        };
        let mut column = Column::new(ty.physical());
        (0..rows.rows).for_each(|_| column.push(&value));
        new.columns[*stored] = column;
        touched[key.columns[at] as usize] = true;
    }
    target.renew_period(context, &mut new);
    target.refuse_nulls(context, &new, "UPDATE")?;
    target.update(context, &rows, &new, &locators, true, &mut changes)?;
    barriers.map_or(Ok(()), |barriers| barriers.check(&target, context, Some(&new), Some(&rows)))?;
    let parts = changes.take_parts();
    parts.iter().try_for_each(|part| references(&target, context, part, "UPDATE", depth.next()))?;
    let firing = Firing { instead_of: false, affected: rows.rows as u64, updated: touched };
    super::trigger::fire(def, &[Verb::Update], context, parts, firing)
}

fn still_referenced(target: &Target, key: &ForeignKeyDef, child: &TableDef, context: &Context, verb: &str) -> SqlError {
    let same = if child.object == target.def.object { "SAME TABLE REFERENCE" } else { "REFERENCE" };
    let column = match key.columns.as_slice() {
        [column] => Some(&*child.columns[*column as usize].name),
        _ => None,
    };
    conflict(verb, same, &key.name, &target.database_name(context), child, column)
}
