//! Foreign keys: the parents of new rows, and the children of rows that are gone or changed.

use std::collections::HashSet;
use std::sync::Arc;

use sql::catalog::{ForeignKeyDef, IndexKind, TableDef};
use storage::{IndexId, KeyBound, LockHint, Scan, ScanSpec, Table};
use types::key::KeyCodec;
use types::row::RowView;
use types::{Datum, Physical, RowBatch, SqlError, SqlResult, sql_error};

use super::target::Target;
use crate::columns::{self, BATCH_ROWS};
use crate::context::Context;
use crate::operators::{FastHash, encode_from, storage_error};

/// Every new row's parents are there. Rows of a table that references itself are checked at the end of the statement.
pub fn check_parents(
    target: &Target,
    context: &Context,
    rows: &RowBatch,
    old: Option<&RowBatch>,
    verb: &str,
) -> SqlResult<()> {
    if target.takes_orphans {
        return Ok(());
    }
    for key in target.def.foreign_keys.iter().filter(|key| !key.disabled) {
        if key.referenced_table != target.def.object {
            check_key(target, key, context, rows, old, verb)?;
        }
    }
    Ok(())
}

pub fn check_key(
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

pub fn stored_of(def: &TableDef, columns: &[u16]) -> Vec<usize> {
    columns.iter().map(|column| def.stored[*column as usize].expect("keys are stored") as usize).collect()
}

pub fn table_by_id(context: &Context, target: &Target, object: sql::catalog::ObjectId) -> SqlResult<Arc<TableDef>> {
    if object == target.def.object {
        return Ok(target.def.clone());
    }
    let mut runtime = context.runtime();
    let runtime = &mut *runtime;
    runtime.host.table_by_id(runtime.session, target.def.database, object)
}

/// Rows of a table by the values of some columns: through an index that begins with them, else by reading all.
pub struct Lookup {
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
    /// What is read stays as it is to the transaction's end, and what is not there does not come.
    holds: bool,
}

impl Lookup {
    pub fn new(def: Arc<TableDef>, columns: &[u16], context: &Context) -> SqlResult<Lookup> {
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
        Ok(Lookup { table, index, order, codecs, seek, columns: stored, covers, whole_keys, holds: false, def })
    }

    pub fn holding(self) -> Lookup {
        Lookup { holds: true, ..self }
    }

    fn encode(&self, values: &[Datum]) -> Vec<u8> {
        let mut key = Vec::new();
        for (codec, at) in self.codecs.iter().zip(&self.order) {
            codec.encode(&values[*at], &mut key);
        }
        key
    }

    /// Reads matching rows until `each` says stop (false). `wide`: all stored columns and the locator, else only the key columns.
    pub fn read(
        &self,
        context: &Context,
        values: &[Datum],
        wide: bool,
        mut each: impl FnMut(&RowBatch) -> bool,
    ) -> SqlResult<()> {
        let key = self.encode(values);
        if self.seek {
            return self.read_rows(context, KeyBound::Inclusive(key), wide, |batch| each(batch));
        }
        self.read_rows(context, KeyBound::Unbounded, wide, |batch| {
            let found = self.matching(batch, wide, |own| own == key);
            columns::retain(batch, &found);
            batch.rows == 0 || each(batch)
        })
    }

    /// Numbers of the rows whose key `is_asked` for.
    fn matching(&self, batch: &RowBatch, wide: bool, mut is_asked: impl FnMut(&[u8]) -> bool) -> Vec<u32> {
        let mut own = Vec::new();
        let mut found = Vec::new();
        for row in 0..batch.rows {
            own.clear();
            for (at, codec) in self.codecs.iter().enumerate() {
                let column = if wide { self.columns[at] } else { at };
                encode_from(codec, &batch.columns[column], row, &mut own);
            }
            if is_asked(&own) {
                found.push(row as u32);
            }
        }
        found
    }

    /// Reads the rows with a key, or all, until `each` says stop (false).
    fn read_rows(
        &self,
        context: &Context,
        bound: KeyBound,
        wide: bool,
        mut each: impl FnMut(&mut RowBatch) -> bool,
    ) -> SqlResult<()> {
        let width = self.table.layout().row.len();
        let columns: Vec<u16> =
            if wide { (0..width as u16).collect() } else { self.columns.iter().map(|column| *column as u16).collect() };
        // Waits for whoever is changing such a row, and passes no change by that a snapshot misses.
        // In a memory-optimized table it looks again at the commit.
        let hold = self.holds || self.table.is_memory_optimized();
        let lock = LockHint { update: wide, shared: !wide, hold, constraint: true, ..LockHint::default() };
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
                batch.rows = scan
                    .fill(transaction, &mut batch, if wide || !self.seek { BATCH_ROWS } else { 8 })
                    .map_err(error)?;
            }
            if batch.rows == 0 {
                return Ok(());
            }
            if !each(&mut batch) {
                return Ok(());
            }
            context.yield_point()?;
        }
    }

    /// No index begins with the columns.
    pub fn reads_all(&self) -> bool {
        !self.seek
    }

    /// The key that `among` is asked for.
    pub fn key_of(&self, values: &[Datum]) -> Vec<u8> {
        self.encode(values)
    }

    /// As `read` with all columns, of rows that have one of many keys, by one reading of all rows.
    pub fn read_those(
        &self,
        context: &Context,
        keys: &HashSet<Vec<u8>, FastHash>,
        mut each: impl FnMut(&RowBatch),
    ) -> SqlResult<()> {
        self.read_rows(context, KeyBound::Unbounded, true, |batch| {
            let found = self.matching(batch, true, |key| keys.contains(key));
            columns::retain(batch, &found);
            each(batch);
            true
        })
    }

    /// Of many keys those that rows have, by one reading of all rows.
    pub fn among(&self, context: &Context, keys: &HashSet<Vec<u8>, FastHash>) -> SqlResult<HashSet<Vec<u8>, FastHash>> {
        let mut found = HashSet::default();
        self.read_rows(context, KeyBound::Unbounded, false, |batch| {
            self.matching(batch, false, |key| keys.contains(key) && !found.contains(key) && found.insert(key.to_vec()));
            found.len() < keys.len()
        })?;
        Ok(found)
    }

    pub fn exists(&self, context: &Context, values: &[Datum]) -> SqlResult<bool> {
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

pub fn still_referenced(
    target: &Target,
    key: &ForeignKeyDef,
    child: &TableDef,
    context: &Context,
    verb: &str,
) -> SqlError {
    let same = if child.object == target.def.object { "SAME TABLE REFERENCE" } else { "REFERENCE" };
    let column = match key.columns.as_slice() {
        [column] => Some(&*child.columns[*column as usize].name),
        _ => None,
    };
    conflict(verb, same, &key.name, &target.database_name(context), child, column)
}
