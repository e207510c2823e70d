//! The table being changed: rows in and out of storage or of a table variable, and the errors that name its columns.

use std::sync::Arc;

use sql::catalog::{Guarded, IndexDef, TableDef};
use sql::plan::{Check, TableSource, VariableSlotTable};
use storage::{HeapLoad, StorageError, Table};
use types::row::{RowBuilder, RowView};
use types::{Column, Datum, Physical, RowBatch, SqlError, SqlResult, SqlType, TypeKind, sql_error};

use super::constraint::check_parents;
use super::versions::Versions;
use crate::context::Context;
use crate::kernel;
use crate::memory_table::{MemoryTable, unique_keys};
use crate::operators::storage_error;
use crate::session::Ear;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    Insert,
    Update,
    Delete,
}

impl Verb {
    pub fn name(self) -> &'static str {
        match self {
            Verb::Insert => "INSERT",
            Verb::Update => "UPDATE",
            Verb::Delete => "DELETE",
        }
    }
}

pub struct Target {
    pub def: Arc<TableDef>,
    /// Types of the stored columns, by stored ordinal.
    pub types: Vec<SqlType>,
    /// Stored ordinal of the identity column.
    pub identity: Option<usize>,
    /// For each stored ordinal its column in `def`.
    columns: Vec<usize>,
    source: TableSource,
    place: Place,
    /// What its rows were, of a system-versioned table; and the columns of its period.
    versions: Option<Box<Versions>>,
    /// Columns of which long values were not read, and stay.
    pub unread: Vec<u16>,
    /// The running statement leaves out FOREIGN KEY constraints, as a bulk load does.
    pub takes_orphans: bool,
}

enum Place {
    Base(Option<Arc<Table>>),
    Memory(VariableSlotTable),
    /// Its INSTEAD OF triggers take all that is done to it.
    View,
}

/// Rows changed so far, as far as someone asks for them afterwards.
pub struct Changes(Option<Box<Kept>>);

struct Kept {
    /// By action: only MERGE has several.
    parts: Vec<Part>,
    classes: Vec<Physical>,
    /// Old rows are wanted, for references and triggers.
    keeps_deleted: bool,
    /// New rows are: those of a table that references itself are checked at the end.
    keeps_inserted: bool,
}

/// What one action of a statement changed. An update's old and new rows are in step.
pub struct Part {
    pub verb: Verb,
    pub inserted: Arc<MemoryTable>,
    pub deleted: Arc<MemoryTable>,
}

impl Changes {
    /// Nobody asks for them.
    pub fn none() -> Changes {
        Changes(None)
    }

    /// `keep`: old rows are wanted. `all`: new ones, too.
    pub fn new(target: &Target, keep: bool, all: bool) -> Changes {
        let own = target.def.foreign_keys.iter().any(|key| key.referenced_table == target.def.object && !key.disabled);
        let keeps_inserted = all || own || target.is_referenced();
        if !keep && !keeps_inserted {
            return Changes::none();
        }
        let classes = target.types.iter().map(SqlType::physical).collect();
        Changes(Some(Box::new(Kept { parts: Vec::new(), classes, keeps_deleted: keep, keeps_inserted })))
    }

    /// The rows kept, by action.
    pub fn take_parts(&mut self) -> Vec<Part> {
        self.0.as_mut().map_or_else(Vec::new, |kept| std::mem::take(&mut kept.parts))
    }

    /// 701, 1105
    #[inline]
    pub fn note(
        &mut self,
        context: &Context,
        inserted: Option<&RowBatch>,
        deleted: Option<&RowBatch>,
    ) -> SqlResult<()> {
        match &mut self.0 {
            Some(kept) => kept.note(context, inserted, deleted),
            None => Ok(()),
        }
    }
}

impl Kept {
    fn note(&mut self, context: &Context, inserted: Option<&RowBatch>, deleted: Option<&RowBatch>) -> SqlResult<()> {
        let verb = match (inserted, deleted) {
            (Some(_), Some(_)) => Verb::Update,
            (Some(_), None) => Verb::Insert,
            (None, _) => Verb::Delete,
        };
        let at = self.parts.iter().position(|part| part.verb == verb).unwrap_or_else(|| {
            let [inserted, deleted] = [(); 2].map(|()| Arc::new(MemoryTable::new(self.classes.clone(), 0)));
            self.parts.push(Part { verb, inserted, deleted });
            self.parts.len() - 1
        });
        let part = &mut self.parts[at];
        if let Some(rows) = inserted.filter(|_| self.keeps_inserted) {
            filled(&mut part.inserted).append(context, rows)?;
        }
        if let Some(rows) = deleted.filter(|_| self.keeps_deleted) {
            filled(&mut part.deleted).append(context, rows)?;
        }
        Ok(())
    }
}

/// Nobody reads them before all are there.
fn filled(rows: &mut Arc<MemoryTable>) -> &mut MemoryTable {
    Arc::get_mut(rows).expect("rows that are being noted are nobody else's")
}

impl Target {
    pub fn new(source: &TableSource) -> Target {
        let (def, place) = match source {
            TableSource::Base(def) => (def.clone(), Place::Base(None)),
            TableSource::Variable(slot, def) => (def.clone(), Place::Memory(*slot)),
            TableSource::View(def) => (def.clone(), Place::View),
            TableSource::Inserted(_) | TableSource::Deleted(_) => {
                panic!("the binder refuses to change inserted and deleted")
            }
        };
        let mut columns: Vec<(u16, usize)> = def
            .stored
            .iter()
            .enumerate()
            .filter_map(|(column, stored)| stored.map(|stored| (stored, column)))
            .collect();
        columns.sort_unstable();
        let columns: Vec<usize> = columns.into_iter().map(|(_, column)| column).collect();
        Target {
            types: columns.iter().map(|column| def.columns[*column].ty).collect(),
            identity: columns.iter().position(|column| def.columns[*column].identity.is_some()),
            columns,
            versions: Versions::of(&def).map(Box::new),
            def,
            source: source.clone(),
            place,
            unread: Vec::new(),
            takes_orphans: false,
        }
    }

    /// Count of stored columns.
    pub fn width(&self) -> usize {
        self.types.len()
    }

    pub fn column_of(&self, stored: usize) -> usize {
        self.columns[stored]
    }

    pub fn is_referenced(&self) -> bool {
        self.def.referenced_by.iter().any(|key| !key.disabled)
    }

    pub fn needs_old_rows(&self) -> bool {
        self.is_referenced()
    }

    pub fn open(&mut self, context: &Context) -> SqlResult<()> {
        if let Place::Base(table) = &mut self.place
            && !table.as_ref().is_some_and(|table| table.is_current())
        {
            let mut runtime = context.runtime();
            let runtime = &mut *runtime;
            runtime.host.check_writable(self.def.database)?;
            *table = Some(runtime.host.open_table(runtime.session, &self.def)?);
        }
        match &mut self.versions {
            Some(versions) => versions.open(context, &self.def),
            None => Ok(()),
        }
    }

    /// The values of a column of its period in new rows. False: it is none.
    pub fn fill_period(&self, stored: usize, context: &Context, rows: usize, column: &mut Column) -> bool {
        self.versions.as_ref().is_some_and(|versions| versions.fill(stored, context, rows, column))
    }

    /// The same of rows that an UPDATE has made.
    pub fn renew_period(&self, context: &Context, rows: &mut RowBatch) {
        if let Some(versions) = &self.versions {
            versions.renew(context, rows);
        }
    }

    /// Writes what the rows were until now into the table's history, if it has one. 13535
    fn keep_versions(&self, context: &Context, old: &RowBatch) -> SqlResult<()> {
        let Some(versions) = &self.versions else { return Ok(()) };
        let Some((history, table)) = versions.history().filter(|_| old.rows > 0) else { return Ok(()) };
        let Some(rows) = versions.ended(context, old) else {
            return Err(sql_error!(13535, self.full_name(context)));
        };
        let mut image = Vec::new();
        let mut runtime = context.runtime();
        let transaction = runtime.session.transaction.current.as_mut().expect("in a statement");
        for row in 0..rows.rows {
            image.clear();
            build(table, &rows, row, &mut image);
            table.insert(transaction, &image).map_err(|error| storage_error(error, Some(history)))?;
        }
        Ok(())
    }

    pub fn is_base(&self) -> bool {
        matches!(self.place, Place::Base(_))
    }

    pub fn is_view(&self) -> bool {
        matches!(self.place, Place::View)
    }

    /// Room for rows of the stored columns.
    pub fn rows(&self) -> RowBatch {
        RowBatch::new(self.types.iter().map(SqlType::physical))
    }

    /// Room for rows as `fetch` gives them.
    pub fn empty_rows(&self) -> RowBatch {
        RowBatch::new(self.types.iter().map(SqlType::physical).chain([types::Physical::Bytes]))
    }

    pub fn source(&self) -> &TableSource {
        &self.source
    }

    /// Appends the row at `locator`, its stored columns and then the locator, to `out`. False: it is gone.
    pub fn fetch(&self, context: &Context, locator: &[u8], out: &mut RowBatch) -> SqlResult<bool> {
        let table = self.storage();
        let mut image = Vec::new();
        let mut runtime = context.runtime();
        let transaction = runtime.session.transaction.current.as_mut().expect("a statement runs in a transaction");
        let found = table.fetch(transaction, locator, &mut image);
        drop(runtime);
        if !found.map_err(|error| crate::operators::storage_error(error, Some(&self.def)))? {
            return Ok(false);
        }
        let view = RowView::new(&table.layout().row, &image).expect("storage has checked its row");
        for (column, values) in out.columns[..self.width()].iter_mut().enumerate() {
            let elsewhere = view.append_to(column, values);
            assert!(elsewhere.is_none(), "storage has put long values in place");
        }
        out.columns[self.width()].push_bytes(locator);
        out.rows += 1;
        Ok(true)
    }

    pub fn storage(&self) -> &Arc<Table> {
        match &self.place {
            Place::Base(Some(table)) => table,
            _ => panic!("an opened base table"),
        }
    }

    /// Rows are written before their parents are looked for: whoever deletes a parent meanwhile meets them, or they miss it.
    pub fn insert(&self, context: &Context, rows: &RowBatch, changes: &mut Changes) -> SqlResult<()> {
        match &self.place {
            Place::View => unreachable!("its INSTEAD OF triggers take the change"),
            Place::Base(_) => {
                let table = self.storage();
                let mut image = Vec::new();
                let mut runtime = context.runtime();
                let transaction = runtime.session.transaction.current.as_mut().expect("in a statement");
                for row in 0..rows.rows {
                    image.clear();
                    build(table, rows, row, &mut image);
                    if let Err(error) = table.insert(transaction, &image) {
                        drop(runtime);
                        self.check_first(&error, context, (rows, None), row, "INSERT")?;
                        return Err(self.refused(error, context, rows, row));
                    }
                }
            }
            Place::Memory(slot) => {
                let mut table = context.tables[slot.0 as usize].borrow_mut();
                for row in 0..rows.rows {
                    self.claim(&mut table, rows, row)?;
                    append(&mut table, context, rows, row)?;
                }
                table.count(context)?;
            }
        }
        check_parents(self, context, rows, None, "INSERT")?;
        changes.note(context, Some(rows), None)
    }

    /// Begins to fill a table that the statement has just made.
    pub fn begin_load(&self, context: &Context) -> HeapLoad {
        let runtime = context.runtime();
        let transaction = runtime.session.transaction.current.as_ref().expect("in a statement");
        HeapLoad::new(self.storage(), transaction).expect("SELECT INTO makes heaps")
    }

    /// Adds rows to such a table.
    pub fn load(&self, context: &Context, rows: &RowBatch, load: &mut HeapLoad) -> SqlResult<()> {
        let mut image = Vec::new();
        let mut runtime = context.runtime();
        let transaction = runtime.session.transaction.current.as_mut().expect("in a statement");
        for row in 0..rows.rows {
            image.clear();
            build(self.storage(), rows, row, &mut image);
            load.push(transaction, &image).map_err(|error| storage_error(error, Some(&self.def)))?;
        }
        Ok(())
    }

    pub fn end_load(&self, context: &Context, load: HeapLoad) -> SqlResult<()> {
        let runtime = &mut *context.runtime();
        let session = &mut *runtime.session;
        let transaction = session.transaction.current.as_mut().expect("in a statement");
        load.finish(transaction, &Ear::new(&mut *runtime.sink, &session.signal))
            .map_err(|error| storage_error(error, Some(&self.def)))
    }

    /// An index leaves out rows whose key is there (IGNORE_DUP_KEY).
    pub fn ignores_duplicates(&self) -> bool {
        self.def.indexes.iter().any(|index| index.ignores_duplicates)
    }

    /// As `insert`, without the rows that such an index leaves out: which ones went in.
    pub fn insert_new(&self, context: &Context, rows: &RowBatch) -> SqlResult<Vec<u32>> {
        let mut kept = Vec::with_capacity(rows.rows);
        match &self.place {
            Place::View => unreachable!("its INSTEAD OF triggers take the change"),
            Place::Base(_) => {
                let table = self.storage();
                let mut image = Vec::new();
                let mut runtime = context.runtime();
                let transaction = runtime.session.transaction.current.as_mut().expect("in a statement");
                for row in 0..rows.rows {
                    image.clear();
                    build(table, rows, row, &mut image);
                    let before = transaction.savepoint();
                    let error = match table.insert(transaction, &image) {
                        Ok(_) => {
                            kept.push(row as u32);
                            continue;
                        }
                        Err(error) => error,
                    };
                    let ignored = match &error {
                        StorageError::DuplicateKey { index, .. } => {
                            self.def.indexes.iter().any(|def| def.id == index.0 && def.ignores_duplicates)
                        }
                        _ => false,
                    };
                    // Another index may have the row already.
                    let undone = if ignored { transaction.rollback_to(before) } else { Err(error) };
                    if let Err(error) = undone {
                        drop(runtime);
                        self.check_first(
                            &error,
                            context,
                            (&super::chosen_rows(rows, &kept), None),
                            kept.len(),
                            "INSERT",
                        )?;
                        return Err(self.refused(error, context, rows, row));
                    }
                }
            }
            Place::Memory(slot) => {
                let mut table = context.tables[slot.0 as usize].borrow_mut();
                for row in 0..rows.rows {
                    let taken = unique_keys(&self.def, rows, row).find(|(at, _, key)| table.has_key(*at, key));
                    match taken {
                        Some((_, index, _)) if index.ignores_duplicates => continue,
                        _ => self.claim(&mut table, rows, row)?,
                    }
                    append(&mut table, context, rows, row)?;
                    kept.push(row as u32);
                }
                table.count(context)?;
            }
        }
        if kept.len() == rows.rows {
            check_parents(self, context, rows, None, "INSERT")?;
        } else {
            check_parents(self, context, &super::chosen_rows(rows, &kept), None, "INSERT")?;
            context.notice(crate::notices::DUPLICATE_IGNORED);
        }
        Ok(kept)
    }

    pub fn update(
        &self,
        context: &Context,
        old: &RowBatch,
        new: &RowBatch,
        locators: &Column,
        moves_keys: bool,
        changes: &mut Changes,
    ) -> SqlResult<()> {
        self.keep_versions(context, old)?;
        match &self.place {
            Place::View => unreachable!("its INSTEAD OF triggers take the change"),
            Place::Base(_) => {
                let table = self.storage();
                let mut image = Vec::new();
                let mut runtime = context.runtime();
                let transaction = runtime.session.transaction.current.as_mut().expect("in a statement");
                // All old keys go before the new ones come, so that keys may be exchanged.
                let keys = |rows: &RowBatch, row: usize| {
                    unique_keys(&self.def, rows, row).map(|(at, _, key)| (at, key)).collect::<Vec<_>>()
                };
                let moved: Vec<bool> = match new.rows {
                    rows if rows == 1 || !moves_keys => vec![false; rows],
                    rows => (0..rows).map(|row| keys(old, row) != keys(new, row)).collect(),
                };
                for row in (0..new.rows).filter(|row| moved[*row]) {
                    if let Err(error) = table.delete(transaction, locators.bytes(row)) {
                        drop(runtime);
                        return Err(self.refused(error, context, old, row));
                    }
                }
                for (row, moved) in moved.into_iter().enumerate() {
                    image.clear();
                    build(table, new, row, &mut image);
                    if moved {
                        if let Err(error) = table.insert(transaction, &image) {
                            drop(runtime);
                            return Err(self.refused(error, context, new, row));
                        }
                        continue;
                    }
                    match self.update_row(transaction, locators.bytes(row), &image) {
                        Ok(_) => {}
                        Err(error) => {
                            drop(runtime);
                            self.check_first(&error, context, (new, Some(old)), row, "UPDATE")?;
                            return Err(self.refused(error, context, new, row));
                        }
                    }
                }
            }
            Place::Memory(slot) => {
                let mut table = context.tables[slot.0 as usize].borrow_mut();
                // All old keys go before the new ones come, so that keys may be exchanged.
                for row in 0..old.rows {
                    self.release(&mut table, old, row);
                    table.delete(row_number(locators, row));
                }
                for row in 0..new.rows {
                    self.claim(&mut table, new, row)?;
                    let number = table.next_row();
                    append(&mut table, context, new, row)?;
                    table.replace(row_number(locators, row), number);
                }
                table.count(context)?;
            }
        }
        check_parents(self, context, new, Some(old), "UPDATE")?;
        changes.note(context, Some(new), Some(old))
    }

    /// Before a key that is there is told of a row, what is wrong with those before it, which are written: their parents are not there.
    fn check_first(
        &self,
        error: &StorageError,
        context: &Context,
        (rows, old): (&RowBatch, Option<&RowBatch>),
        count: usize,
        verb: &str,
    ) -> SqlResult<()> {
        if !matches!(error, StorageError::DuplicateKey { .. }) {
            return Ok(());
        }
        let first: Vec<u32> = (0..count as u32).collect();
        let old = old.map(|old| super::chosen_rows(old, &first));
        check_parents(self, context, &super::chosen_rows(rows, &first), old.as_ref(), verb)
    }

    fn update_row(
        &self,
        transaction: &mut storage::Transaction,
        locator: &[u8],
        image: &[u8],
    ) -> Result<storage::Locator, StorageError> {
        match &**self.storage() {
            Table::Memory(table) => table.update_but(transaction, locator, image, &self.unread),
            table => table.update(transaction, locator, image),
        }
    }

    pub fn delete(&self, context: &Context, old: &RowBatch, locators: &Column, changes: &mut Changes) -> SqlResult<()> {
        self.keep_versions(context, old)?;
        match &self.place {
            Place::View => unreachable!("its INSTEAD OF triggers take the change"),
            Place::Base(_) => {
                let table = self.storage();
                let mut runtime = context.runtime();
                let transaction = runtime.session.transaction.current.as_mut().expect("in a statement");
                for row in 0..locators.len() {
                    match table.delete(transaction, locators.bytes(row)) {
                        Ok(()) => {}
                        Err(error) => {
                            drop(runtime);
                            return Err(self.refused(error, context, old, row));
                        }
                    }
                }
            }
            Place::Memory(slot) => {
                let mut table = context.tables[slot.0 as usize].borrow_mut();
                for row in 0..locators.len() {
                    self.release(&mut table, old, row);
                    table.delete(row_number(locators, row));
                }
            }
        }
        changes.note(context, None, Some(old))
    }

    fn claim(&self, table: &mut MemoryTable, rows: &RowBatch, row: usize) -> SqlResult<()> {
        for (at, index, key) in unique_keys(&self.def, rows, row) {
            if !table.claim(at, key) {
                return Err(self.duplicate_key(Some(index), rows, row));
            }
        }
        Ok(())
    }

    fn release(&self, table: &mut MemoryTable, rows: &RowBatch, row: usize) {
        for (at, _, key) in unique_keys(&self.def, rows, row) {
            table.release(at, key);
        }
    }

    fn refused(&self, error: StorageError, context: &Context, rows: &RowBatch, row: usize) -> SqlError {
        match error {
            StorageError::DuplicateKey { index, .. } => {
                let index = self.def.indexes.iter().find(|def| def.id == index.0);
                self.duplicate_key(index, rows, row)
            }
            StorageError::UpdateConflict { .. } => {
                sql_error!(3960, state 2, format_args!("{}.{}", self.def.schema, self.def.name), self.database_name(context))
            }
            error => storage_error(error, Some(&self.def)),
        }
    }

    fn duplicate_key(&self, index: Option<&IndexDef>, rows: &RowBatch, row: usize) -> SqlError {
        let object = match &self.place {
            Place::Base(_) | Place::View => format!("{}.{}", self.def.schema, self.def.name),
            Place::Memory(_) => format!("dbo.{}", self.def.name),
        };
        let Some(index) = index else {
            return sql_error!(2601, object, "", "");
        };
        let values: Vec<String> = index
            .key
            .iter()
            .map(|(column, _)| {
                let stored = self.def.stored[*column as usize].expect("keys are stored") as usize;
                kernel::display(&self.types[stored], &rows.columns[stored].datum(row))
            })
            .collect();
        let values = values.join(", ");
        if index.primary_key || index.unique_constraint {
            let kind = if index.primary_key { "PRIMARY KEY" } else { "UNIQUE KEY" };
            return sql_error!(2627, kind, index.name, object, format_args!("({values})"));
        }
        sql_error!(2601, object, index.name, format_args!("({values})"))
    }

    /// `database.schema.table`, as messages name it.
    pub fn full_name(&self, context: &Context) -> String {
        if let Place::Memory(_) = self.place {
            return self.def.name.to_string();
        }
        let database = self.database_name(context);
        format!("{database}.{}.{}", self.def.schema, self.def.name)
    }

    /// A security policy says which of its rows are seen.
    pub fn is_filtered(&self) -> bool {
        self.def.predicates.iter().any(|predicate| predicate.of == Guarded::Reads)
    }

    pub fn database_name(&self, context: &Context) -> String {
        let mut runtime = context.runtime();
        let runtime = &mut *runtime;
        runtime.host.database_name(runtime.session, self.def.database)
    }

    pub fn refuse_nulls(&self, context: &Context, rows: &RowBatch, verb: &str) -> SqlResult<()> {
        for (stored, column) in rows.columns.iter().enumerate() {
            let def = &self.def.columns[self.columns[stored]];
            if !def.nullable && column.nulls.iter().any(|word| *word != 0) {
                return Err(sql_error!(515, def.name, self.full_name(context), verb));
            }
        }
        Ok(())
    }

    /// 2628: `cut` is what would have fit.
    pub fn truncated(&self, context: &Context, stored: usize, cut: &[u8]) -> SqlError {
        let def = &self.def.columns[self.columns[stored]];
        let shown = if def.ty.is_string() { kernel::text(&def.ty, cut) } else { String::new() };
        sql_error!(2628, self.full_name(context), def.name, shown)
    }

    pub fn check_failed(&self, context: &Context, check: &Check, verb: &str) -> SqlError {
        if check.view {
            return sql_error!(550);
        }
        let column = check.column.map(|column| &*self.def.columns[column as usize].name);
        if check.rule {
            let table = format!("{}.{}", self.def.schema, self.def.name);
            return sql_error!(513, self.database_name(context), table, column.unwrap_or_default());
        }
        super::constraint::conflict(verb, "CHECK", &check.name, &self.database_name(context), &self.def, column)
    }

    /// Appends new identity values.
    pub fn identity_values(&self, context: &Context, rows: usize, column: &mut Column) -> SqlResult<()> {
        let stored = self.identity.expect("asked for the identity column");
        let ty = self.types[stored];
        let (seed, increment) = self.def.columns[self.columns[stored]].identity.expect("an identity column");
        let first = match &self.place {
            Place::View => unreachable!("an INSTEAD OF trigger finds no identity value"),
            Place::Base(_) => {
                let mut runtime = context.runtime();
                let runtime = &mut *runtime;
                let given = runtime.session.identity_given.take();
                match given.filter(|(object, _)| *object == self.def.object && rows == 1) {
                    Some((_, value)) => value,
                    None => runtime.host.identity_next(runtime.session, &self.def, rows as u64)?,
                }
            }
            Place::Memory(slot) => {
                let mut table = context.tables[slot.0 as usize].borrow_mut();
                let given = table.identity;
                table.identity += rows as i64;
                increment
                    .checked_mul(given)
                    .and_then(|step| seed.checked_add(step))
                    .ok_or_else(|| identity_overflow(&ty))?
            }
        };
        for row in 0..rows as i64 {
            let value = increment.checked_mul(row).and_then(|step| first.checked_add(step));
            let value = value.filter(|value| fits(*value, &ty)).ok_or_else(|| identity_overflow(&ty))?;
            match ty.physical() {
                types::Physical::I64 => column.push(&Datum::I64(value)),
                _ => column.push(&Datum::I128(value as i128)),
            }
        }
        Ok(())
    }

    /// SET IDENTITY_INSERT: values came from the statement.
    pub fn identity_given(&self, context: &Context, column: &Column) -> SqlResult<()> {
        if let Place::Memory(_) = self.place {
            return Ok(());
        }
        let mut runtime = context.runtime();
        let runtime = &mut *runtime;
        for row in 0..column.len() {
            let value = match column.datum(row) {
                Datum::I64(value) => value,
                Datum::I128(value) => i64::try_from(value).unwrap_or(i64::MAX),
                _ => continue,
            };
            runtime.host.identity_used(runtime.session, &self.def, value)?;
        }
        Ok(())
    }

    pub fn rowversion_values(&self, context: &Context, rows: usize, column: &mut Column) -> SqlResult<()> {
        let mut runtime = context.runtime();
        let runtime = &mut *runtime;
        for _ in 0..rows {
            let value = runtime.host.rowversion_next(runtime.session, self.def.database)?;
            column.push_bytes(&value.to_be_bytes());
        }
        Ok(())
    }
}

fn build(table: &Table, rows: &RowBatch, row: usize, image: &mut Vec<u8>) {
    let mut builder = RowBuilder::new(&table.layout().row, image);
    for column in &rows.columns {
        builder.push_from(column, row);
    }
    builder.finish();
}

/// Appends a row to a table variable, which is counted whenever it has grown much.
fn append(table: &mut MemoryTable, context: &Context, rows: &RowBatch, row: usize) -> SqlResult<()> {
    let datums: Vec<Datum> = rows.columns.iter().map(|column| column.datum(row)).collect();
    table.insert(&datums)?;
    if table.grew() { table.count(context) } else { Ok(()) }
}

fn row_number(locators: &Column, row: usize) -> u32 {
    u32::from_le_bytes(locators.bytes(row).try_into().expect("a table variable's locator is a row number"))
}

fn fits(value: i64, ty: &SqlType) -> bool {
    match ty.kind {
        TypeKind::TinyInt => u8::try_from(value).is_ok(),
        TypeKind::SmallInt => i16::try_from(value).is_ok(),
        TypeKind::Int => i32::try_from(value).is_ok(),
        TypeKind::Decimal | TypeKind::Numeric => {
            ty.precision >= 19 || value.unsigned_abs() < 10_u64.pow(ty.precision as u32)
        }
        _ => true,
    }
}

#[cold]
fn identity_overflow(ty: &SqlType) -> SqlError {
    let name = kernel::type_name(ty.kind);
    sql_error!(8115, "IDENTITY", name)
}
