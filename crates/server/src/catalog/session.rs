//! What one session sees: committed definitions from the cache, its own uncommitted ones from the rows, its temporary objects,
//! and the system's objects in every database.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sql::catalog::{
    ColumnTest, DatabaseId, ModuleDef, Object, ObjectId, ObjectName, PartitionFunctionDef, TableDef, UserType,
};
use sql::statistics::{Met, TableStatistics, Wanted};
use storage::Transaction;
use types::{CollationId, SqlError, SqlResult, SqlType, sql_error};

use super::base::{TypeRow, database_option, schema};
use super::counter::Rule;
use super::load::{self, int, name as name_datum};
use super::partition;
use super::registry;
use super::shared::Owned;
use super::store::Rows;
use super::{Catalog, Database, MASTER, TEMPDB, statistics, xml_collection};

/// Scalar functions are inlined from this level of compatibility on.
const INLINING_LEVEL_MIN: u32 = 150;

/// Bits of a version that all sessions share; the bits above are the session's own.
pub const SHARED_VERSION_BITS: u32 = 32;

/// The next number above the shared bits. No two sessions ever have the same: what one bound against its own definitions must not
/// look current to another. It orders no other memory.
static OWN_VERSIONS: AtomicU64 = AtomicU64::new(1);

fn own_version() -> u64 {
    OWN_VERSIONS.fetch_add(1, Ordering::Relaxed)
}

/// The catalog state of one session.
pub struct CatalogSession {
    pub database: DatabaseId,
    /// Where unqualified names are looked for first.
    pub default_schema: Box<str>,
    temporaries: Vec<Temporary>,
    /// Temporaries that the open transaction dropped, or that a rollback to a savepoint undid: a rollback may bring them back.
    dropped: Vec<Temporary>,
    /// The last look at which temporaries there are has failed: some of `temporaries` may not be there.
    unsure: bool,
    /// Global temporary tables it created, and what of its own expired and could not be dropped: they go with it.
    global_temporaries: Vec<i32>,
    /// Objects with changes of the open transaction, outside its own temporaries.
    changed: Vec<(DatabaseId, i32)>,
    /// Counters that the open transaction has set back, or on.
    resets: Vec<Reset>,
    /// Own definitions while there are uncommitted changes, and of its temporaries.
    private: HashMap<(DatabaseId, i32), Object>,
    /// Of the last change to what only this session sees.
    own_version: u64,
    /// Where its temporaries stand for the case that its engine dies.
    owned: Owned,
    /// The master key of master, from OPEN MASTER KEY to CLOSE.
    pub master_key: Option<[u8; 32]>,
}

/// What a counter had given before TRUNCATE TABLE, DBCC CHECKIDENT or ALTER SEQUENCE: a rollback brings it back.
struct Reset {
    database: DatabaseId,
    id: i32,
    rule: Rule,
    last: Option<i128>,
    /// Savepoints that there were.
    savepoints: usize,
}

#[derive(Debug, Clone)]
pub struct Temporary {
    /// With its #; empty if it only goes with the session, as a global one.
    pub name: Box<str>,
    pub object: i32,
    /// @@NESTLEVEL at its creation: it goes when that level returns.
    pub level: u32,
}

/// The last reset first. A counter whose database is gone is gone, too.
fn restore(catalog: &Catalog, resets: Vec<Reset>) {
    for reset in resets.into_iter().rev() {
        if let Some(db) = catalog.database(reset.database) {
            // Storage that cannot write has stopped: every later call says so.
            let _ = db.counters.take_back(reset.id, &reset.rule, reset.last);
        }
    }
}

/// They have committed. What cannot be written now leaves out values after a crash.
fn settle(catalog: &Catalog, resets: Vec<Reset>) {
    for reset in resets {
        if let Some(db) = catalog.database(reset.database) {
            let _ = db.counters.settle(&catalog.storage, &db, reset.id);
        }
    }
}

impl CatalogSession {
    pub fn new(catalog: &Catalog, database: DatabaseId, default_schema: &str) -> CatalogSession {
        CatalogSession {
            database,
            default_schema: default_schema.into(),
            temporaries: Vec::new(),
            dropped: Vec::new(),
            unsure: false,
            global_temporaries: Vec::new(),
            changed: Vec::new(),
            resets: Vec::new(),
            private: HashMap::new(),
            own_version: 0,
            owned: catalog.owned().clone(),
            master_key: None,
        }
    }

    /// Sets a counter, for the case that the transaction is rolled back with what it was.
    pub fn reset_counter(
        &mut self,
        catalog: &Catalog,
        (db, id): (&Database, i32),
        rule: &Rule,
        last: Option<i128>,
        savepoints: usize,
    ) -> SqlResult<()> {
        let before = db.counters.set(&catalog.storage, db, id, rule, last)?;
        self.resets.push(Reset { database: db.id, id, rule: *rule, last: before, savepoints });
        Ok(())
    }

    /// True while this session has schema changes that no other may see: its plans are its own then.
    pub fn has_uncommitted_changes(&self) -> bool {
        !self.changed.is_empty()
    }

    /// `sql::catalog::Catalog::version` of this session.
    pub fn version(&self, catalog: &Catalog) -> u64 {
        let own = if self.changed.is_empty() && self.temporaries.is_empty() { 0 } else { self.own_version };
        (catalog.version() & ((1 << SHARED_VERSION_BITS) - 1)) | (own << SHARED_VERSION_BITS)
    }

    /// What a batch is checked against before it runs: temporary tables come and go, and are no part of it.
    pub fn checked_version(&self, catalog: &Catalog) -> u64 {
        if self.changed.is_empty() {
            catalog.version() & ((1 << SHARED_VERSION_BITS) - 1)
        } else {
            self.version(catalog)
        }
    }

    /// Whether a plan bound at `version` serves every session.
    pub fn is_shared_version(version: u64) -> bool {
        version >> SHARED_VERSION_BITS == 0
    }

    pub fn temporaries(&self) -> &[Temporary] {
        &self.temporaries
    }

    pub fn is_temporary(&self, database: DatabaseId, object: i32) -> bool {
        database == TEMPDB && self.temporaries.iter().any(|t| t.object == object)
    }

    /// DDL calls it for every object it creates, changes or drops.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn note_change(&mut self, database: DatabaseId, object: i32) {
        os::plant!();
        self.own_version = own_version();
        self.private.remove(&(database, object));
        if self.is_temporary(database, object) {
            return;
        }
        // Definitions also hold what refers to them (foreign keys, triggers, defaults): all private ones are read again.
        self.private.clear();
        if !self.changed.contains(&(database, object)) {
            self.changed.push((database, object));
        }
    }

    pub fn add_temporary(&mut self, name: &str, object: i32, level: u32) {
        self.own_version = own_version();
        // Nobody else sees it: others' plans stand.
        self.changed.retain(|changed| *changed != (TEMPDB, object));
        self.temporaries.push(Temporary { name: name.into(), object, level });
        self.owned.add(object);
    }

    pub fn add_global_temporary(&mut self, object: i32) {
        self.global_temporaries.push(object);
        self.owned.add(object);
    }

    pub fn forget_temporary(&mut self, object: i32) {
        self.own_version = own_version();
        self.private.remove(&(TEMPDB, object));
        if let Some(at) = self.temporaries.iter().position(|t| t.object == object) {
            self.dropped.push(self.temporaries.remove(at));
        } else if let Some(at) = self.global_temporaries.iter().position(|&id| id == object) {
            self.global_temporaries.remove(at);
            self.dropped.push(Temporary { name: "".into(), object, level: 0 });
        }
    }

    /// Temporary objects of a dead engine's sessions are this session's, and go with it.
    pub fn adopt(&mut self, engine: u32) {
        self.inherit(self.owned.take(engine));
    }

    /// Objects in tempdb that a session left are this one's, and go with it.
    pub fn inherit(&mut self, objects: Vec<i32>) {
        self.global_temporaries.extend(objects);
    }

    /// They have expired, and are dropped or not: they have no name here any more, but go with the session if they are there.
    pub fn hide_temporaries(&mut self, objects: &[i32]) {
        for object in objects {
            self.forget_temporary(*object);
        }
        for dropped in self.dropped.iter_mut().filter(|dropped| objects.contains(&dropped.object)) {
            dropped.name = "".into();
        }
    }

    /// They have expired and could not be dropped.
    pub fn keep_expired(&mut self, objects: &[i32]) {
        self.hide_temporaries(objects);
        self.dropped.retain(|dropped| !objects.contains(&dropped.object));
        self.global_temporaries.extend(objects);
    }

    /// At the session's end: what could not be dropped, and is somebody else's now.
    pub fn give_expired(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.global_temporaries)
    }

    /// The module at `level` has returned: what it made and dropped itself nobody sees again, if a rollback brings it back.
    pub fn expire_dropped(&mut self, level: u32) {
        for dropped in self.dropped.iter_mut().filter(|dropped| dropped.level >= level) {
            dropped.name = "".into();
        }
    }

    /// Objects in tempdb to drop when the module at `level` has returned; 0 for all that the session owns.
    pub fn expired_temporaries(&self, level: u32) -> Vec<i32> {
        let mut expired: Vec<i32> = self.temporaries.iter().filter(|t| t.level >= level).map(|t| t.object).collect();
        if level == 0 {
            expired.extend(&self.global_temporaries);
        }
        expired
    }

    /// The session's transaction is over.
    pub fn transaction_ended(&mut self, catalog: &Catalog, committed: bool) {
        let resets = std::mem::take(&mut self.resets);
        if committed {
            settle(catalog, resets)
        } else {
            restore(catalog, resets)
        }
        let changed = std::mem::take(&mut self.changed);
        let own = !self.temporaries.is_empty() || !self.dropped.is_empty();
        if !changed.is_empty() || !committed && own {
            self.private.clear();
            self.own_version = own_version();
        }
        if committed {
            publish(catalog, &changed);
        } else if own {
            self.check_temporaries(catalog);
        }
        if !self.dropped.is_empty() {
            let tempdb = catalog.expect_database(TEMPDB);
            for gone in self.dropped.drain(..) {
                tempdb.statistics.forget_table(gone.object);
                self.owned.remove(gone.object);
            }
        }
    }

    /// Counters that were set since a savepoint are as they were. `savepoints`: those left, with this one.
    pub fn restore_counters(&mut self, catalog: &Catalog, savepoints: usize) {
        let since = self.resets.partition_point(|reset| reset.savepoints < savepoints);
        restore(catalog, self.resets.split_off(since));
    }

    /// ROLLBACK TRANSACTION savepoint: what was created since is gone, what was dropped is there again.
    pub fn rolled_back_to_savepoint(&mut self, catalog: &Catalog, tx: &mut Transaction) {
        self.private.clear();
        self.own_version = own_version();
        let tempdb = catalog.expect_database(TEMPDB);
        let mut rows = tempdb.rows(&catalog.storage, tx);
        let there = self.look(&mut rows);
        self.sort_temporaries(there);
    }

    /// A request begins, outside of any transaction.
    pub fn settle(&mut self, catalog: &Catalog) {
        if self.unsure {
            self.own_version = own_version();
            self.check_temporaries(catalog);
            self.dropped.clear();
        }
    }

    /// After a rollback a temporary table may be gone, or there again.
    fn check_temporaries(&mut self, catalog: &Catalog) {
        let tempdb = catalog.expect_database(TEMPDB);
        let there = catalog.read(&tempdb, |rows| self.look(rows));
        self.sort_temporaries(there);
    }

    /// Which of the temporaries, and of those dropped, are there.
    fn look(&self, rows: &mut Rows<'_>) -> SqlResult<Vec<i32>> {
        let mut there = Vec::new();
        for temporary in self.temporaries.iter().chain(&self.dropped) {
            if load::object_row(rows, temporary.object)?.is_some() {
                there.push(temporary.object);
            }
        }
        Ok(there)
    }

    /// If it is not known which are there, all are taken to be: none may be left behind.
    fn sort_temporaries(&mut self, there: SqlResult<Vec<i32>>) {
        self.unsure = there.is_err();
        let mut all = std::mem::take(&mut self.temporaries);
        all.append(&mut self.dropped);
        for temporary in all {
            if !there.as_ref().is_ok_and(|there| !there.contains(&temporary.object)) {
                match temporary.name.is_empty() {
                    true => self.global_temporaries.push(temporary.object),
                    false => self.temporaries.push(temporary),
                }
            } else {
                self.dropped.push(temporary);
            }
        }
        // The last of a name is the one that is meant.
        self.temporaries.sort_by_key(|temporary| temporary.level);
    }
}

/// Committed changes become visible to all.
pub(super) fn publish(catalog: &Catalog, changed: &[(DatabaseId, i32)]) {
    if changed.is_empty() {
        return;
    }
    os::sim_point!("catalog.publish");
    let mut databases: Vec<DatabaseId> = changed.iter().map(|(db, _)| *db).collect();
    databases.sort();
    databases.dedup();
    for id in databases {
        if let Some(db) = catalog.database(id) {
            db.invalidate();
        }
    }
    catalog.raise_version();
}

/// Who lets a session into a database that a name leads to.
pub trait Gate {
    /// 916.
    fn check(&self, catalog: &Catalog, transaction: Option<&mut Transaction>, db: &Database) -> SqlResult<()>;

    /// 4834: who may not load from files.
    fn check_bulk(&self, catalog: &Catalog, transaction: Option<&mut Transaction>) -> SqlResult<()>;
}

/// `sql::catalog::Catalog` for one session at one moment: made when a statement is bound, while nothing else uses its transaction.
pub struct SessionCatalog<'a> {
    catalog: &'a Catalog,
    session: RefCell<&'a mut CatalogSession>,
    transaction: RefCell<Option<&'a mut Transaction>>,
    current: Arc<Database>,
    gate: Option<&'a dyn Gate>,
}

impl<'a> SessionCatalog<'a> {
    pub fn new(
        catalog: &'a Catalog,
        session: &'a mut CatalogSession,
        transaction: Option<&'a mut Transaction>,
    ) -> SessionCatalog<'a> {
        // A database dropped under the session leaves it in master, as a closed one does.
        let current = catalog.database(session.database).unwrap_or_else(|| catalog.expect_database(MASTER));
        SessionCatalog {
            catalog,
            session: RefCell::new(session),
            transaction: RefCell::new(transaction),
            current,
            gate: None,
        }
    }

    /// The same, which lets nobody into a database but those whom `gate` does.
    pub fn guarded(self, gate: &'a dyn Gate) -> SessionCatalog<'a> {
        SessionCatalog { gate: Some(gate), ..self }
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub fn database_of(&self, name: &ObjectName) -> SqlResult<Option<Arc<Database>>> {
        os::plant!();
        if let Some(server) = &name.server {
            if !server.eq_ignore_ascii_case(&self.catalog.server_name) {
                return Err(unknown_server(server));
            }
        }
        Ok(match &name.database {
            None => Some(self.current.clone()),
            Some(database) => {
                let found = self.catalog.database_named(database);
                if let Some(db) = &found {
                    self.catalog.check_open(db)?;
                }
                if let (Some(db), Some(gate)) = (&found, self.gate)
                    && db.id != self.current.id
                {
                    let own = self.session.borrow().has_uncommitted_changes();
                    let mut transaction = self.transaction.borrow_mut();
                    gate.check(self.catalog, transaction.as_deref_mut().filter(|_| own), db)?;
                }
                found
            }
        })
    }

    /// Runs `work` on the rows this session sees.
    fn read<T>(&self, db: &Database, private: bool, work: impl FnOnce(&mut Rows<'_>) -> SqlResult<T>) -> SqlResult<T> {
        if private {
            if let Some(tx) = self.transaction.borrow_mut().as_deref_mut() {
                return work(&mut db.rows(&self.catalog.storage, tx));
            }
        }
        self.catalog.read(db, work)
    }

    /// An object of `db` by id, through the right cache.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn object_by_id(&self, db: &Database, id: i32) -> SqlResult<Option<Object>> {
        os::plant!();
        if id < 0 {
            return Ok(registry::object_by_id(db, id));
        }
        let temporary = db.id == TEMPDB && self.session.borrow().temporaries.iter().any(|t| t.object == id);
        let private = temporary || self.session.borrow().has_uncommitted_changes();
        if private {
            if let Some(object) = self.session.borrow().private.get(&(db.id, id)) {
                return Ok(Some(object.clone()));
            }
        }
        if !private || id < super::base::USER_OBJECT_MIN {
            if let Some(object) = db.cached(id) {
                return Ok(Some(object));
            }
        }
        let seen = db.version();
        let found = self.read(db, private, |rows| match load::object_row(rows, id)? {
            Some(row) => load::object(rows, &row),
            None => Ok(None),
        })?;
        let Some(mut object) = found else { return Ok(None) };
        if private {
            if let (true, Object::Table(table)) = (temporary, &object) {
                let written = self.session.borrow().temporaries.iter().find(|t| t.object == id).map(|t| t.name.clone());
                let mut table = TableDef::clone(table);
                table.name = written.expect("found above");
                object = Object::Table(Arc::new(table));
            }
            self.session.borrow_mut().private.insert((db.id, id), object.clone());
        } else {
            db.keep(seen, None, "", id, &object);
        }
        Ok(Some(object))
    }

    /// Schema collections are their database's: typed xml of another one's table is xml here.
    fn as_found_here(&self, db: &Database, object: Object) -> Object {
        match &object {
            Object::Table(table)
                if db.id != self.current.id && table.columns.iter().any(|own| own.ty.xml_collection().is_some()) =>
            {
                let mut table = TableDef::clone(table);
                table.columns.iter_mut().for_each(|column| column.ty = column.ty.foreign_xml());
                Object::Table(Arc::new(table))
            }
            _ => object,
        }
    }

    pub fn module_by_id(&self, database: DatabaseId, object: ObjectId) -> SqlResult<Option<Arc<ModuleDef>>> {
        let Some(db) = self.catalog.database(database) else { return Ok(None) };
        Ok(match self.object_by_id(&db, object.0)? {
            Some(Object::Module(module)) => Some(module),
            _ => None,
        })
    }

    fn object_in_schema(&self, db: &Database, schema: &str, name: &str) -> SqlResult<Option<Object>> {
        let private = self.session.borrow().has_uncommitted_changes();
        if !private {
            if let Some(object) = db.cached_named(schema, name) {
                return Ok(Some(object));
            }
        }
        let seen = db.version();
        let found = self.read(db, private, |rows| {
            let schema_id = match schema {
                "dbo" => schema::DBO,
                other => match load::schema_named(rows, other)? {
                    Some(row) => row.id,
                    None => return Ok(None),
                },
            };
            Ok(load::object_row_named(rows, schema_id, name)?.map(|row| row.id))
        })?;
        let Some(id) = found else { return Ok(None) };
        let object = self.object_by_id(db, id)?;
        if let (false, Some(object)) = (private, &object) {
            db.keep(seen, Some(schema), name, id, object);
        }
        Ok(object)
    }

    fn temporary(&self, name: &str) -> SqlResult<Option<Object>> {
        let tempdb = self.catalog.expect_database(TEMPDB);
        let id = {
            let session = self.session.borrow();
            let found = session.temporaries.iter().rev().find(|t| tempdb.equal_names(&t.name, name));
            found.map(|t| t.object)
        };
        match id {
            Some(id) => self.object_by_id(&tempdb, id),
            None => Ok(None),
        }
    }

    /// The id of what `resolve` would find, of any kind (constraints too): OBJECT_ID.
    pub fn object_id(&self, name: &ObjectName) -> SqlResult<Option<(DatabaseId, i32, String)>> {
        let db = match self.database_of(name) {
            // Who may not enter it does not learn what is there, nor anybody of one that is not open.
            Err(error) if matches!(error.number, 916 | 926 | 942 | 945 | 952) => return Ok(None),
            found => found?,
        };
        let Some(db) = db else { return Ok(None) };
        if name.name.starts_with('#') && !name.name.starts_with("##") {
            let tempdb = self.catalog.expect_database(TEMPDB);
            let session = self.session.borrow();
            if name.database.is_none() || db.id == TEMPDB {
                let found = session.temporaries.iter().rev().find(|t| tempdb.equal_names(&t.name, &name.name));
                return Ok(found.map(|t| (TEMPDB, t.object, "U".to_string())));
            }
            return Ok(None);
        }
        let db = if name.name.starts_with("##") { self.catalog.expect_database(TEMPDB) } else { db };
        let default_schema = self.session.borrow().default_schema.clone();
        let schemas: Vec<&str> = match &name.schema {
            Some(schema) => vec![schema],
            None if &*default_schema == "dbo" => vec!["dbo"],
            None => vec![&default_schema, "dbo"],
        };
        let private = self.session.borrow().has_uncommitted_changes() || db.id == TEMPDB;
        for schema in schemas {
            let found = self.read(&db, private, |rows| {
                let Some(schema) = load::schema_named(rows, schema)? else { return Ok(None) };
                load::object_row_named(rows, schema.id, &name.name)
            })?;
            if let Some(row) = found {
                return Ok(Some((db.id, row.id, row.kind.as_str().to_string())));
            }
        }
        let schema = name.schema.as_deref();
        Ok(registry::find(schema, &name.name)
            .or_else(|| registry::find_in(db.id, schema, &name.name))
            .map(|entry| (db.id, entry.id, entry.type_code().to_string())))
    }
}

impl sql::catalog::Catalog for SessionCatalog<'_> {
    /// The low `SHARED_VERSION_BITS` are the same for all sessions. The rest is 0 unless the session has temporary objects or
    /// uncommitted changes.
    fn version(&self) -> u64 {
        self.session.borrow().version(self.catalog)
    }

    fn database(&self) -> DatabaseId {
        self.current.id
    }

    fn session_number_type(&self) -> SqlType {
        self.current.session_number()
    }

    fn inlines_functions(&self, level: Option<u32>) -> bool {
        let row = self.current.row();
        let level = level.unwrap_or(row.compatibility_level.into());
        level >= INLINING_LEVEL_MIN && row.options & database_option::NO_FUNCTION_INLINING == 0
    }

    fn resolve(&self, name: &ObjectName) -> SqlResult<Option<Object>> {
        let Some(db) = self.database_of(name)? else { return Ok(None) };
        if name.name.starts_with('#') {
            if !name.name.starts_with("##") {
                return self.temporary(&name.name);
            }
            return self.object_in_schema(&self.catalog.expect_database(TEMPDB), "dbo", &name.name);
        }
        let schema = name.schema.as_deref();
        if let Some(entry) =
            registry::find_first(schema, &name.name).or_else(|| registry::find_in(db.id, schema, &name.name))
        {
            return Ok(registry::object(&db, entry));
        }
        let found = match &name.schema {
            Some(schema) => self.object_in_schema(&db, schema, &name.name)?,
            None => {
                let own = self.session.borrow().default_schema.clone();
                let found = self.object_in_schema(&db, &own, &name.name)?;
                if found.is_none() && !own.eq_ignore_ascii_case("dbo") {
                    self.object_in_schema(&db, "dbo", &name.name)?
                } else {
                    found
                }
            }
        };
        if let Some(found) = found {
            return Ok(Some(self.as_found_here(&db, found)));
        }
        if let Some(entry) = registry::find(name.schema.as_deref(), &name.name) {
            return Ok(registry::object(&db, entry));
        }
        // A procedure of master with the prefix sp_ can be called from every database.
        if db.id != MASTER && name.name.get(..3).is_some_and(|prefix| prefix.eq_ignore_ascii_case("sp_")) {
            let master = self.catalog.expect_database(MASTER);
            return self.object_in_schema(&master, name.schema.as_deref().unwrap_or("dbo"), &name.name);
        }
        Ok(None)
    }

    fn partition_function(&self, database: Option<&str>, name: &str) -> SqlResult<Option<Arc<PartitionFunctionDef>>> {
        let named = database.map(|database| self.catalog.database_named(database));
        let Some(db) = named.unwrap_or_else(|| Some(self.current.clone())) else { return Ok(None) };
        let private = self.session.borrow().has_uncommitted_changes();
        let found = self.read(&db, private, |rows| partition::function_named(rows, name))?;
        Ok(found.map(Arc::new))
    }

    fn xml_collection(&self, name: &ObjectName) -> SqlResult<Option<u16>> {
        // A collection is of the database in which it is named.
        let Some(db) = self.database_of(name)?.filter(|db| db.id == self.current.id) else { return Ok(None) };
        let own = self.session.borrow().default_schema.clone();
        let schemas: Vec<&str> = match &name.schema {
            Some(schema) => vec![schema],
            None => vec![&own, "dbo"],
        };
        let private = self.session.borrow().has_uncommitted_changes();
        self.read(&db, private, |rows| {
            for schema in schemas {
                if let Some(row) = xml_collection::named(rows, schema, &name.name)? {
                    return Ok(xml_collection::number_of(&row));
                }
            }
            Ok(None)
        })
    }

    fn xml_schema(&self, collection: u16) -> SqlResult<Arc<xml::schema::Schema>> {
        let db = &self.current;
        let private = self.session.borrow().has_uncommitted_changes();
        let seen = db.version();
        if !private && let Some(known) = db.schemas.current(collection, seen) {
            return Ok(known);
        }
        let text = self.read(db, private, |rows| xml_collection::text(rows, collection))?;
        db.schemas.of_text(collection, text, (!private).then_some(seen))
    }

    fn format_file(&self, path: &str) -> SqlResult<Vec<u8>> {
        if let Some(gate) = self.gate {
            gate.check_bulk(self.catalog, self.transaction.borrow_mut().as_deref_mut())?;
        }
        super::data_file::format_file(self.catalog, path)
    }

    fn table_by_id(&self, database: DatabaseId, object: ObjectId) -> SqlResult<Option<Arc<TableDef>>> {
        let Some(db) = self.catalog.database(database) else { return Ok(None) };
        Ok(match self.object_by_id(&db, object.0)? {
            Some(Object::Table(table)) => Some(table),
            _ => None,
        })
    }

    fn database_name(&self, database: DatabaseId) -> Option<Box<str>> {
        self.catalog.database(database).map(|db| db.name().into())
    }

    fn view_target(&self, database: DatabaseId, object: ObjectId) -> SqlResult<Option<Arc<TableDef>>> {
        let Some(db) = self.catalog.database(database) else { return Ok(None) };
        // Only a view with a trigger is asked for its columns, seldom: there is no cache.
        let private = self.session.borrow().has_uncommitted_changes();
        let found = self.read(&db, private, |rows| match load::object_row(rows, object.0)? {
            Some(row) if row.kind.as_str() == "V" => load::table(rows, &row),
            _ => Ok(None),
        })?;
        Ok(found.map(|mut table| {
            table.columns.iter_mut().for_each(|column| column.nullable = true);
            Arc::new(table)
        }))
    }

    fn user_type(&self, name: &ObjectName) -> SqlResult<Option<UserType>> {
        let Some(db) = self.database_of(name)? else { return Ok(None) };
        let default_schema = self.session.borrow().default_schema.clone();
        let private = self.session.borrow().has_uncommitted_changes();
        let schemas: Vec<&str> = match &name.schema {
            Some(schema) => vec![schema],
            None => vec![&default_schema, "dbo"],
        };
        self.read(&db, private, |rows| {
            for schema in schemas {
                let Some(schema) = load::schema_named(rows, schema)? else { continue };
                if let Some(row) = rows.first::<TypeRow>(1, &[int(schema.id), name_datum(&name.name)])? {
                    return load::user_type(rows, &row);
                }
            }
            Ok(None)
        })
    }

    fn stack_left(&self) -> usize {
        os::sched::stack_remaining()
    }

    fn row_count(&self, table: &TableDef) -> u64 {
        let opened =
            self.catalog.storage.open_table(storage::DatabaseId(table.database.0), storage::TableId(table.object.0));
        opened.map_or(table.row_count, |opened| opened.row_count_estimate())
    }

    fn statistics(&self, table: &Arc<TableDef>, wanted: &[Wanted]) -> TableStatistics {
        let Some(db) = self.catalog.database(table.database) else { return TableStatistics::default() };
        statistics::ask(&self.catalog.storage, &db.statistics, db.automatic_statistics(), table, wanted)
    }

    fn keys_where(&self, table: &Arc<TableDef>, tests: &mut [ColumnTest<'_>], given: u16) -> Option<Vec<Box<[u8]>>> {
        statistics::keys_where(&self.catalog.storage, table, tests, given)
    }

    fn met(&self, table: &Arc<TableDef>, tests: &mut [ColumnTest<'_>], joined: u16, keys: &[Box<[u8]>]) -> Option<Met> {
        statistics::met(&self.catalog.storage, table, tests, joined, keys)
    }

    fn collation(&self) -> CollationId {
        self.current.collation
    }
}

fn unknown_server(server: &str) -> SqlError {
    sql_error!(7202, state 2, server)
}
