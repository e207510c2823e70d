//! What a definition needs of the session that runs it, and the look-ups all definitions share.

use std::collections::BTreeSet;
use std::sync::Arc;

use exec::EventTrigger;
use exec::key_sort::KeySort;
use exec::session::Ear;
use exec::workspace::Workspace;
use sql::ast::{ObjectName, Span};
use sql::bind::{Nature, References, ViewIndex};
use sql::catalog::{DatabaseId, TableDef};
use sql::plan::{GrantEstimate, OutputColumn};
use storage::{Build, Fill, HeapLoad, IndexId, StorageResult, Transaction};
use types::pause::Pause;
use types::{Datum, RowBatch, SqlError, SqlResult, sql_error};

use super::text;
use crate::catalog::base::{ClassRow, ObjectRow, TextRow, USER_OBJECT_MIN, object_status};
use crate::catalog::counter::Rule;
use crate::catalog::load::{self, int, name as name_datum};
use crate::catalog::row::{BaseTable, Code, Text};
use crate::catalog::store::Rows;
use crate::catalog::{Catalog, CatalogSession, Database, TEMPDB, clock, no_such_database};
use crate::instance::server::Server;
use crate::security::actor::Look;
use crate::session::audit::Occurrence;
use crate::session::rights::Rights;

/// What is done with each batch of a query's rows; it may write in the same transaction.
pub type EachBatch<'a> = dyn FnMut(&mut Transaction, &RowBatch) -> SqlResult<()> + 'a;

/// Work that may be long: it pauses, and ends when the client wants no answer any more.
pub type PacedWork<'a> = dyn FnMut(&mut Transaction, &dyn Pause) -> StorageResult<()> + 'a;

/// Work that is long, and tells the client how far it is.
pub type HeardWork<'a> = dyn FnMut(&Ear<'_>) -> StorageResult<()> + 'a;

/// A question to the session's rights.
pub type AskRights<'a> = dyn FnMut(&Rights, &mut Look<'_>) -> SqlResult<()> + 'a;

/// The session that runs a definition.
pub trait Site {
    fn catalog(&self) -> Arc<Catalog>;

    /// What the sessions share.
    fn server(&self) -> Arc<Server>;

    /// Its options and counters.
    fn session(&self) -> &exec::session::Session;

    /// Trace flags that are on for it alone.
    fn trace_flags(&mut self) -> &mut BTreeSet<i32>;

    /// Its catalog state and its open transaction.
    fn state(&mut self) -> (&mut CatalogSession, &mut Transaction);

    /// Runs long work of storage.
    fn paced(&mut self, work: &mut PacedWork<'_>) -> StorageResult<()>;

    /// Memory for a sort, of which nothing is granted yet.
    fn workspace(&mut self) -> Arc<Workspace>;

    /// Waits until a sort has its memory. 8645, 8651, 8657.
    fn ask_to_sort(&mut self, workspace: &Arc<Workspace>, estimate: &GrantEstimate) -> SqlResult<()>;

    /// Runs long work outside of the transaction.
    fn heard(&mut self, work: &mut HeardWork<'_>) -> StorageResult<()>;

    /// The value of a variable that the statement names; None: it is NULL.
    fn variable(&self, name: &str) -> Option<&str>;

    /// Runs a query in the transaction and hands on its rows, in batches.
    fn query(&mut self, text: &str, each: &mut EachBatch<'_>) -> SqlResult<()>;

    /// What the definition of a computed column of a table is.
    fn nature(&mut self, database: DatabaseId, table: i32, definition: &str) -> SqlResult<Nature>;

    /// The tables of a view that is to have a clustered index; an error says why it cannot.
    fn indexable(&mut self, database: DatabaseId, view: i32, of: &ViewIndex<'_>) -> SqlResult<Vec<Arc<TableDef>>>;

    /// Columns of the first result of a text, without running it.
    fn describe(&mut self, text: &str) -> SqlResult<Vec<OutputColumn>>;

    /// What is wrong with the body of a module just kept, as far as that can be said before it runs: all errors. And what it depends
    /// on, if it is natively compiled.
    fn check_module(&mut self, database: DatabaseId, id: i32) -> Result<References, Vec<SqlError>>;

    /// Rows for the client: column names and types, then rows.
    fn result(&mut self, columns: &[OutputColumn], rows: &RowBatch) -> SqlResult<()>;

    /// An information message, or an error that is not the last one of its statement.
    fn message(&mut self, message: SqlError);

    fn options(&self) -> SiteOptions;

    /// Asks what the session may do.
    fn rights(&mut self, ask: &mut AskRights<'_>) -> SqlResult<()>;

    /// Name of the login.
    fn login(&self) -> String;

    /// Tells who audits of something that is about to be done. Err: it must not.
    fn audit(&mut self, what: &Occurrence<'_>) -> SqlResult<()>;

    /// Runs the triggers of an event, in their order. `data`: EVENTDATA().
    fn fire(&mut self, triggers: &[EventTrigger], data: &Datum) -> SqlResult<()>;

    /// The statement that is running, as it is written; a call that is no statement by the procedure's name.
    fn running_text(&self) -> String;

    /// BEGIN TRANSACTION was said: what cannot run in a user's transaction is refused (226).
    fn in_user_transaction(&self) -> bool;
}

#[derive(Debug, Clone, Copy)]
pub struct SiteOptions {
    /// Of a column that says neither NULL nor NOT NULL.
    pub null_by_default: bool,
    pub ansi_nulls: bool,
    pub quoted_identifier: bool,
    /// @@NESTLEVEL.
    pub nest_level: u32,
}

/// One definition being run.
pub struct Ddl<'a> {
    pub site: &'a mut dyn Site,
    pub catalog: Arc<Catalog>,
    pub text: &'a str,
    /// Of the statement; 0 outside one.
    pub line: u32,
    /// What sorts of the statement hold.
    workspace: Option<Arc<Workspace>>,
}

/// Where an object is, or is to be.
#[derive(Clone)]
pub struct Place {
    pub db: Arc<Database>,
    pub schema: i32,
    pub schema_name: String,
    pub name: String,
}

impl Place {
    /// `database.schema.table`, as messages name it. `shown`: the name as it was written.
    pub fn full_name(&self, shown: &str) -> String {
        format!("{}.{}.{shown}", self.db.name(), self.schema_name)
    }
}

impl<'a> Ddl<'a> {
    pub fn new(site: &'a mut dyn Site, text: &'a str) -> Ddl<'a> {
        let catalog = site.catalog();
        Ddl { site, catalog, text, line: 0, workspace: None }
    }

    /// An information message, or an error that is not the last one of the statement.
    pub fn message(&mut self, message: SqlError) {
        self.site.message(message.at_line(self.line));
    }

    pub fn span(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    pub fn current(&mut self) -> SqlResult<Arc<Database>> {
        let id = self.site.state().0.database;
        self.catalog.database(id).ok_or_else(|| no_such_database("(current)"))
    }

    pub fn rows<T>(&mut self, db: &Database, work: impl FnOnce(&mut Rows<'_>) -> SqlResult<T>) -> SqlResult<T> {
        let catalog = self.catalog.clone();
        let (_, tx) = self.site.state();
        work(&mut db.rows_of_user(&catalog.storage, tx))
    }

    /// Storage and the transaction, for changes of tables.
    pub fn storage<T>(
        &mut self,
        work: impl FnOnce(&storage::Storage, &mut Transaction) -> storage::StorageResult<T>,
    ) -> storage::StorageResult<T> {
        let catalog = self.catalog.clone();
        let (_, tx) = self.site.state();
        work(&catalog.storage, tx)
    }

    /// The same for changes that go over a table's rows.
    pub fn long_storage(
        &mut self,
        mut work: impl FnMut(&storage::Storage, &mut Transaction, &dyn Pause) -> StorageResult<()>,
    ) -> StorageResult<()> {
        let catalog = self.catalog.clone();
        self.site.paced(&mut |tx, pause| work(&catalog.storage, tx, pause))
    }

    /// What was loaded is the table's.
    pub fn end_load(&mut self, load: HeapLoad) -> StorageResult<()> {
        let mut load = Some(load);
        self.long_storage(|_, tx, pause| load.take().expect("it ends once").finish(tx, pause))
    }

    /// Asks for the memory of a sort, before anything that it sorts is locked.
    pub fn ask_to_sort(&mut self, estimate: &GrantEstimate) -> SqlResult<()> {
        let workspace = self.workspace();
        self.site.ask_to_sort(&workspace, estimate)
    }

    fn workspace(&mut self) -> Arc<Workspace> {
        self.workspace.get_or_insert_with(|| self.site.workspace()).clone()
    }

    /// As `build`, in a transaction of its own, which is committed if `work` is done.
    pub fn build_apart(
        &mut self,
        fill: &dyn Fn(IndexId) -> Fill,
        mut work: impl FnMut(&storage::Storage, &mut Transaction, &mut Build<'_>) -> StorageResult<()>,
    ) -> StorageResult<()> {
        let catalog = self.catalog.clone();
        let workspace = self.workspace();
        self.site.heard(&mut |pause| {
            let mut sorter = KeySort::new(workspace.clone(), catalog.storage.spill().clone());
            let mut tx = catalog.storage.begin(storage::Isolation::ReadCommitted);
            tx.begin_statement();
            match work(&catalog.storage, &mut tx, &mut Build { sorter: &mut sorter, pause, fill, online: false }) {
                Ok(()) => tx.commit(storage::Durability::Full),
                Err(error) => tx.rollback().and(Err(error)),
            }
        })
    }

    /// As `long_storage`, for what builds trees, with pages so full.
    pub fn build(
        &mut self,
        fill: &dyn Fn(IndexId) -> Fill,
        mut work: impl FnMut(&storage::Storage, &mut Transaction, &mut Build<'_>) -> StorageResult<()>,
    ) -> StorageResult<()> {
        let catalog = self.catalog.clone();
        let workspace = self.workspace();
        self.site.paced(&mut |tx, pause| {
            let mut sorter = KeySort::new(workspace.clone(), catalog.storage.spill().clone());
            work(&catalog.storage, tx, &mut Build { sorter: &mut sorter, pause, fill, online: false })
        })
    }

    pub fn changed(&mut self, db: DatabaseId, object: i32) {
        self.site.state().0.note_change(db, object);
    }

    /// A constraint of a temporary table is part of it.
    pub fn changed_with(&mut self, db: DatabaseId, object: i32, parent: i32) {
        let (session, _) = self.site.state();
        let object = if session.is_temporary(db, parent) { parent } else { object };
        session.note_change(db, object);
    }

    pub fn new_id(&mut self, db: &Database) -> SqlResult<i32> {
        let catalog = self.catalog.clone();
        let (_, tx) = self.site.state();
        db.new_object_id(&catalog.storage, tx)
    }

    pub fn database_of(&mut self, name: &ObjectName) -> SqlResult<Arc<Database>> {
        if let Some(server) = &name.server {
            return Err(sql_error!(117, "object", format_args!("{}.{}", &**server, &*name.name), 2));
        }
        if name.is_temporary() {
            return Ok(self.catalog.expect_database(TEMPDB));
        }
        match &name.database {
            None => self.current(),
            Some(database) => {
                let db = self.catalog.database_named(database).ok_or_else(|| no_such_database(database))?;
                db.check_restored()?;
                Ok(db)
            }
        }
    }

    /// Where a new object goes. 2760: no such schema.
    pub fn place(&mut self, name: &ObjectName) -> SqlResult<Place> {
        let db = self.database_of(name)?;
        let written = match &name.schema {
            Some(schema) if !name.is_temporary() => schema.to_string(),
            _ if name.is_temporary() => "dbo".to_string(),
            _ => self.site.state().0.default_schema.to_string(),
        };
        let found = self.rows(&db, |rows| load::schema_named(rows, &written))?;
        let schema = found.ok_or_else(|| no_such_schema(&written))?;
        Ok(Place { db, schema: schema.id, schema_name: schema.name, name: name.name.to_string() })
    }

    /// An object by name, of any kind.
    pub fn find(&mut self, name: &ObjectName) -> SqlResult<Option<(Arc<Database>, ObjectRow)>> {
        // The catalog's own tables are nobody's to define.
        Ok(self.find_any(name)?.filter(|(_, row)| !(1..USER_OBJECT_MIN).contains(&row.id)))
    }

    /// The catalog's tables as well.
    pub fn find_any(&mut self, name: &ObjectName) -> SqlResult<Option<(Arc<Database>, ObjectRow)>> {
        let db = self.database_of(name)?;
        if name.is_temporary() && !name.name.starts_with("##") {
            let (session, _) = self.site.state();
            let found =
                session.temporaries().iter().rev().find(|t| db.equal_names(&t.name, &name.name)).map(|t| t.object);
            let Some(id) = found else { return Ok(None) };
            let row = self.rows(&db, |rows| load::object_row(rows, id))?;
            return Ok(row.map(|row| (db, row)));
        }
        let schemas: Vec<String> = match &name.schema {
            Some(schema) => vec![schema.to_string()],
            None => vec![self.site.state().0.default_schema.to_string(), "dbo".to_string()],
        };
        for schema in schemas {
            let found = self.rows(&db, |rows| match load::schema_named(rows, &schema)? {
                Some(schema) => load::object_row_named(rows, schema.id, &name.name),
                None => Ok(None),
            })?;
            if let Some(row) = found {
                return Ok(Some((db, row)));
            }
        }
        Ok(None)
    }

    /// A user table and its definition, locked against all use until the transaction ends.
    pub fn table_for_change(&mut self, name: &ObjectName) -> SqlResult<Option<(Arc<Database>, ObjectRow, TableDef)>> {
        let Some((db, row)) = self.find(name)? else { return Ok(None) };
        if row.kind.as_str() != "U" {
            return Ok(None);
        }
        self.lock(&db, row.id)?;
        let table = self.rows(&db, |rows| load::table(rows, &row))?;
        Ok(table.map(|table| (db, row, table)))
    }

    /// The same, or a view and what is stored of it.
    pub fn rows_for_change(&mut self, name: &ObjectName) -> SqlResult<Option<(Arc<Database>, ObjectRow, TableDef)>> {
        self.table_or_view(name, true)
    }

    /// The same, as they are: not locked.
    pub fn rows_as_they_are(&mut self, name: &ObjectName) -> SqlResult<Option<(Arc<Database>, ObjectRow, TableDef)>> {
        self.table_or_view(name, false)
    }

    fn table_or_view(
        &mut self,
        name: &ObjectName,
        locks: bool,
    ) -> SqlResult<Option<(Arc<Database>, ObjectRow, TableDef)>> {
        let Some((db, row)) = self.find(name)?.filter(|(_, row)| matches!(row.kind.as_str(), "U" | "V")) else {
            return Ok(None);
        };
        if locks {
            self.lock(&db, row.id)?;
        }
        let table = self.rows(&db, |rows| load::table(rows, &row))?;
        Ok(table.map(|table| (db, row, table)))
    }

    /// What an identity column or a sequence has given last, until a rollback brings back what it was.
    pub fn reset_counter(&mut self, (db, id): (&Database, i32), rule: &Rule, last: Option<i128>) -> SqlResult<()> {
        let savepoints = self.site.session().transaction.savepoint_count();
        let catalog = self.catalog.clone();
        self.site.state().0.reset_counter(&catalog, (db, id), rule, last, savepoints)
    }

    /// For a change of an object's definition. 3906: the database is read-only.
    pub fn lock(&mut self, db: &Database, object: i32) -> SqlResult<()> {
        self.lock_in(db, object, storage::LockMode::SchemaModification)
    }

    pub fn lock_in(&mut self, db: &Database, object: i32, mode: storage::LockMode) -> SqlResult<()> {
        db.check_writable()?;
        let (id, object) = (db.storage_id(), storage::TableId(object));
        self.storage(|_, tx| tx.lock_table(id, object, mode)).map_err(crate::catalog::error::storage_error)?;
        self.renew();
        Ok(())
    }

    /// Keeps a key of a table of the catalog for this transaction, while its row is not there or nobody sees it. `waits`: for who keeps it;
    /// false: it is another's.
    pub fn keep_key(&mut self, db: &Database, table: &BaseTable, key: &[u8], waits: bool) -> SqlResult<bool> {
        let (id, table) = (db.storage_id(), storage::TableId(table.id));
        let kept = self.storage(|_, tx| tx.lock_key(id, table, key, waits));
        let kept = kept.map_err(crate::catalog::error::storage_error)?;
        self.renew();
        Ok(kept)
    }

    /// Whoever had a lock before may have changed what was read until now.
    fn renew(&mut self) {
        let (_, tx) = self.site.state();
        tx.begin_statement();
        tx.renew_snapshot();
    }

    pub fn reload(&mut self, db: &Database, id: i32) -> SqlResult<TableDef> {
        let table = self.rows(db, |rows| match load::object_row(rows, id)? {
            Some(row) => load::table(rows, &row),
            None => Ok(None),
        })?;
        table.ok_or_else(|| crate::catalog::error::storage_error(storage::StorageError::UnknownTable))
    }

    /// Makes an object's row. 2714: the name is taken; 3906: the database is read-only.
    pub fn add_object(&mut self, place: &Place, kind: &str, pid: i32, status: i32, intprop: i32) -> SqlResult<i32> {
        let id = self.new_id(&place.db)?;
        self.add_object_as(id, place, kind, pid, status, intprop)?;
        Ok(id)
    }

    pub fn add_object_as(
        &mut self,
        id: i32,
        place: &Place,
        kind: &str,
        pid: i32,
        status: i32,
        intprop: i32,
    ) -> SqlResult<()> {
        place.db.check_writable()?;
        let now = clock::now();
        let row = ObjectRow {
            id,
            name: place.name.clone(),
            nsid: place.schema,
            kind: Code::new(kind),
            pid,
            created: now,
            modified: now,
            status,
            intprop,
            owner: None,
        };
        let taken = self.rows(&place.db, |rows| {
            if load::object_row_named(rows, row.nsid, &row.name)?.is_some() {
                return Ok(true);
            }
            // Another session may be making the same name: the unique index decides.
            Ok(rows.try_insert(&row)?.is_err())
        })?;
        if taken {
            let state = match kind {
                "U" => 6,
                "P" | "V" | "FN" | "IF" | "TF" => 3,
                "TR" => 2,
                _ => 5,
            };
            return Err(sql_error!(2714, state state, place.name));
        }
        self.changed_with(place.db.id, id, pid);
        Ok(())
    }

    pub fn add_text(&mut self, db: &Database, id: i32, text: &str) -> SqlResult<()> {
        let row = TextRow { objid: id, value: Text::from(text) };
        self.rows(db, |rows| rows.insert(&row))
    }

    pub fn touch(&mut self, db: &Database, id: i32) -> SqlResult<()> {
        let now = clock::now();
        self.rows(db, |rows| rows.update::<ObjectRow>(0, &[int(id)], |row| row.modified = now))?;
        self.changed(db.id, id);
        Ok(())
    }

    /// The first row's first column of a query, if it has a row.
    pub fn any_row(&mut self, text: &str) -> SqlResult<bool> {
        let mut found = false;
        self.site.query(text, &mut |_, batch| {
            found |= batch.rows > 0;
            Ok(())
        })?;
        Ok(found)
    }

    pub fn refuse_in_transaction(&mut self, statement: &str) -> SqlResult<()> {
        if self.site.in_user_transaction() {
            return Err(sql_error!(226, state 6, statement));
        }
        Ok(())
    }

    pub fn class_named(&mut self, db: &Database, class: u8, name: &str) -> SqlResult<Option<ClassRow>> {
        self.rows(db, |rows| rows.first::<ClassRow>(1, &[load::small(class), name_datum(name)]))
    }
}

pub fn has(status: i32, bit: i32) -> bool {
    status & bit != 0
}

/// A module that is marked as shipped is a user's still.
pub fn is_system(row: &ObjectRow) -> bool {
    has(row.status, object_status::SHIPPED) && !is_module(row)
}

pub fn is_module(row: &ObjectRow) -> bool {
    matches!(row.kind.as_str().trim(), "P" | "FN" | "IF" | "TF" | "V" | "TR")
}

pub fn no_such_schema(name: &str) -> SqlError {
    sql_error!(2760, name)
}

/// The name as messages show it: as written, parts joined by dots.
pub fn written(name: &ObjectName) -> String {
    let mut text = String::new();
    for part in [&name.server, &name.database, &name.schema].into_iter().flatten() {
        text.push_str(part);
        text.push('.');
    }
    text + &name.name
}

/// 3701
pub fn cannot_drop(kind: &str, name: &str, state: u8) -> SqlError {
    sql_error!(3701, state state, "drop", kind, name)
}

/// 4902
pub fn cannot_find_object(name: &str) -> SqlError {
    sql_error!(4902, name)
}

/// 15151
pub fn cannot_find(action: &str, kind: &str, name: &str) -> SqlError {
    sql_error!(15151, action, kind, name)
}

/// A table in the text of a query run by the server itself.
pub fn source(place: &Place, shown: &str) -> String {
    if shown.starts_with('#') {
        return text::bracket(shown);
    }
    format!("{}.{}.{}", text::bracket(&place.db.name()), text::bracket(&place.schema_name), text::bracket(&place.name))
}

pub fn place_of(ddl: &mut Ddl<'_>, db: &Arc<Database>, row: &ObjectRow) -> SqlResult<Place> {
    let schema_name = ddl.rows(db, |rows| load::schema_name(rows, row.nsid))?;
    Ok(Place { db: db.clone(), schema: row.nsid, schema_name, name: row.name.clone() })
}

/// 1750 behind `first`, as SQL Server reports a failed constraint, but for one of another number of columns.
pub fn constraint_failed(first: SqlError) -> SqlError {
    if first.number == 8139 {
        return first;
    }
    let state = if matches!(first.number, 1753 | 1761 | 1767 | 1776 | 1778 | 1785) { 1 } else { 0 };
    sql_error!(1750, state state).after(vec![first])
}

/// Characters of a local temporary table's name before its number.
pub const TEMPORARY_NAME: usize = 116;

/// What a local temporary object is called in tempdb: each session may have one of the name.
pub fn temporary_name(ddl: &Ddl<'_>, name: &str) -> SqlResult<String> {
    if name.chars().count() > TEMPORARY_NAME {
        return Err(sql_error!(193, name, 116));
    }
    Ok(format!("{name:_<width$}{:012X}", ddl.catalog.next_temporary(), width = TEMPORARY_NAME))
}
