//! A database as this engine holds it: its name, options, the cache of its definitions, its counters.
//!
//! The cache holds committed definitions only. A definition that was loaded while a schema change ended is not kept: its loader
//! noted `version` before it read. All engines see the version: definitions that one cached at an older one are as if they were
//! not there.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use os::sync::RwLock;
use os::wait::WaitType;
use sql::catalog::{ColumnDef, IndexDef, IndexKind, Object, ObjectId, TableDef};
use storage::{Storage, TableId, Transaction};
use types::{CollationId, SqlResult, SqlType, collation, sql_error};

use super::base::{BASE_TABLES, DatabaseRow, USER_OBJECT_MIN, database_option};
use super::error::storage_error;
use super::load;
use super::row::BaseTable;
use super::scoped_trigger::ScopedTrigger;
use super::shared::{DatabaseNumbers, Shared};
use super::store::{Layouts, Rows};

/// Definitions one database keeps at most; then all are dropped and loaded again as needed.
const DEFINITIONS_MAX: usize = 20_000;

pub struct Database {
    pub id: sql::catalog::DatabaseId,
    pub collation: CollationId,
    pub layouts: Layouts,
    row: RwLock<Arc<DatabaseRow>>,
    cache: RwLock<Cache>,
    shared: Shared,
    pub counters: super::counter::Counters,
    pub statistics: super::statistics::Store,
    /// Its triggers for definitions and logons, as of a version.
    triggers: RwLock<Option<(u64, Arc<[ScopedTrigger]>)>>,
    pub schemas: super::xml_collection::Schemas,
}

#[derive(Default)]
struct Cache {
    /// The version of the database as of which users' objects are right. What the system has is right for ever.
    seen: u64,
    by_id: HashMap<i32, Object>,
    /// Schema and name as some statement wrote them.
    by_name: HashMap<(Box<str>, Box<str>), i32>,
}

/// Object ids of SQL Server start here in a new database and go on in such steps.
const FIRST_OBJECT: i32 = 245_575_913;
const OBJECT_STEP: i32 = 16_000_057;

impl Database {
    /// Of session numbers.
    pub fn session_number(&self) -> SqlType {
        self.shared.session_number
    }

    pub fn new(row: DatabaseRow, shared: &Shared) -> Database {
        let collation = collation::lookup(&row.collation).unwrap_or(CollationId(0));
        let row_id = row.id as u16;
        let database = Database {
            id: sql::catalog::DatabaseId(row.id as u16),
            collation,
            layouts: Layouts::new(collation),
            row: RwLock::new(WaitType::METADATA_CACHE, Arc::new(row)),
            cache: RwLock::new(WaitType::METADATA_CACHE, Cache::default()),
            counters: super::counter::Counters::new(shared.counters.clone(), row_id),
            statistics: super::statistics::Store::default(),
            triggers: RwLock::new(WaitType::METADATA_CACHE, None),
            schemas: super::xml_collection::Schemas::default(),
            shared: shared.clone(),
        };
        database.keep_base_tables();
        database
    }

    fn keep_base_tables(&self) {
        let mut cache = self.cache.write();
        for table in BASE_TABLES.iter().filter(|table| !table.master_only || self.id.0 == 1) {
            cache.by_id.insert(table.id, Object::Table(Arc::new(self.base_table(table))));
            cache.by_name.insert(("sys".into(), table.name.into()), table.id);
        }
    }

    fn base_table(&self, table: &BaseTable) -> TableDef {
        let columns: Vec<ColumnDef> = (table.columns)()
            .iter()
            .enumerate()
            .map(|(i, column)| ColumnDef {
                name: column.name.into(),
                ty: if column.ty.is_string() { column.ty.with_collation(self.collation) } else { column.ty },
                nullable: column.nullable,
                identity: None,
                default: None,
                computed: None,
                column_id: i as u32 + 1,
                rowguid: false,
                mask: None,
                generated: None,
                hidden: false,
            })
            .collect();
        let indexes = table.keys.iter().enumerate().map(|(i, key)| IndexDef {
            id: i as u32 + 1,
            name: format!(
                "{}{}",
                if i == 0 { "clst" } else { "nc" },
                if i == 0 { String::new() } else { i.to_string() }
            )
            .into(),
            unique: key.unique,
            kind: if i == 0 { IndexKind::Clustered } else { IndexKind::Nonclustered },
            primary_key: false,
            unique_constraint: false,
            key: key.columns.iter().map(|&column| (column, false)).collect(),
            included: Vec::new(),
            filter: Vec::new(),
            disabled: false,
            statistics_kept: false,
            ignores_duplicates: false,
            bucket_count: None,
        });
        TableDef {
            database: self.id,
            object: ObjectId(table.id),
            schema: "sys".into(),
            name: table.name.into(),
            stored: load::stored_ordinals(&columns),
            columns,
            indexes: indexes.collect(),
            checks: Vec::new(),
            foreign_keys: Vec::new(),
            referenced_by: Vec::new(),
            triggers: Vec::new(),
            predicates: Vec::new(),
            row_count: 1_000,
            memory: None,
            versioning: None,
            partitioning: None,
            statistics: Vec::new(),
            views: Vec::new(),
            of_view: false,
        }
    }

    pub fn name(&self) -> String {
        self.row.read().name.clone()
    }

    pub fn row(&self) -> Arc<DatabaseRow> {
        self.row.read().clone()
    }

    pub fn set_row(&self, row: DatabaseRow) {
        *self.row.write() = Arc::new(row);
    }

    pub fn option(&self, bit: i64) -> bool {
        self.row.read().options & bit != 0
    }

    /// Its restore goes on: it has no pages, or nobody may see them.
    pub fn is_restoring(&self) -> bool {
        self.option(database_option::RESTORING)
    }

    /// Its restore goes on, and it is read meanwhile.
    pub fn is_in_standby(&self) -> bool {
        self.option(database_option::STANDBY)
    }

    /// Another step of its restore may come.
    pub fn awaits_restore(&self) -> bool {
        self.option(database_option::RESTORING | database_option::STANDBY)
    }

    /// 927: it is being restored.
    pub fn check_restored(&self) -> SqlResult<()> {
        match self.is_restoring() {
            true => Err(sql_error!(927, self.name())),
            false => Ok(()),
        }
    }

    /// EMERGENCY.
    pub fn is_in_emergency(&self) -> bool {
        self.option(database_option::EMERGENCY)
    }

    /// 3906: it is read-only.
    pub fn check_writable(&self) -> SqlResult<()> {
        if !self.option(database_option::READ_ONLY | database_option::EMERGENCY) {
            return Ok(());
        }
        Err(sql_error!(3906, self.name()))
    }

    /// READ_COMMITTED_SNAPSHOT.
    pub fn snapshot_reads(&self) -> bool {
        self.option(database_option::READ_COMMITTED_SNAPSHOT)
    }

    /// ALLOW_SNAPSHOT_ISOLATION.
    pub fn allows_snapshot(&self) -> bool {
        self.row.read().snapshot_isolation != 0
    }

    /// AUTO_CREATE_STATISTICS and AUTO_UPDATE_STATISTICS.
    pub fn automatic_statistics(&self) -> super::statistics::Automatic {
        let options = self.row.read().options;
        super::statistics::Automatic {
            create: options & database_option::AUTO_CREATE_STATISTICS != 0,
            update: options & database_option::AUTO_UPDATE_STATISTICS != 0,
        }
    }

    /// RECURSIVE_TRIGGERS.
    pub fn recursive_triggers(&self) -> bool {
        self.option(database_option::RECURSIVE_TRIGGERS)
    }

    /// MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT.
    pub fn elevates_to_snapshot(&self) -> bool {
        self.option(database_option::MEMORY_OPTIMIZED_ELEVATE_TO_SNAPSHOT)
    }

    /// Whether a commit need not wait for the log: the database's DELAYED_DURABILITY, and what the COMMIT asked for.
    pub fn delayed_durability(&self, asked: Option<bool>) -> bool {
        const ALLOWED: u8 = 1;
        const FORCED: u8 = 2;
        match self.row.read().delayed_durability {
            FORCED => true,
            ALLOWED => asked.unwrap_or(false),
            _ => false,
        }
    }

    pub fn storage_id(&self) -> storage::DatabaseId {
        storage::DatabaseId(self.id.0)
    }

    pub fn rows<'a>(&'a self, storage: &'a Storage, tx: &'a mut Transaction) -> Rows<'a> {
        Rows { storage, database: self.storage_id(), layouts: &self.layouts, tx, of_user: None }
    }

    /// The same for what a user's statement defines. 3906 of a change: the database is read-only.
    pub fn rows_of_user<'a>(&'a self, storage: &'a Storage, tx: &'a mut Transaction) -> Rows<'a> {
        Rows { of_user: Some(self), ..self.rows(storage, tx) }
    }

    fn numbers(&self) -> &DatabaseNumbers {
        &self.shared.databases[usize::from(self.id.0)]
    }

    pub fn version(&self) -> u64 {
        self.numbers().version.load(Ordering::Acquire)
    }

    /// A change was committed. All definitions of the database are old: they hold their references' definitions too.
    pub fn invalidate(&self) {
        self.numbers().version.fetch_add(1, Ordering::AcqRel);
        self.renew(&mut self.cache.write());
    }

    /// Drops what is older than the version.
    fn renew(&self, cache: &mut Cache) {
        let version = self.version();
        if cache.seen != version {
            cache.by_id.retain(|id, _| *id < USER_OBJECT_MIN);
            cache.by_name.retain(|_, id| *id < USER_OBJECT_MIN && *id > 0);
            cache.seen = version;
        }
    }

    fn current(&self, cache: &Cache, id: i32) -> Option<Object> {
        let current = id < USER_OBJECT_MIN || cache.seen == self.version() && !os::sim_choice!("catalog.cached", 32);
        if current { cache.by_id.get(&id).cloned() } else { None }
    }

    pub fn cached(&self, id: i32) -> Option<Object> {
        self.current(&self.cache.read(), id)
    }

    pub fn cached_named(&self, schema: &str, name: &str) -> Option<Object> {
        let cache = self.cache.read();
        let id = cache.by_name.get(&(Box::from(schema), Box::from(name)))?;
        self.current(&cache, *id)
    }

    /// `seen`: `version()` before the definition was read.
    pub fn keep(&self, seen: u64, schema: Option<&str>, name: &str, id: i32, object: &Object) {
        let mut cache = self.cache.write();
        self.renew(&mut cache);
        if cache.seen != seen {
            return;
        }
        if cache.by_id.len() + cache.by_name.len() > DEFINITIONS_MAX {
            cache.by_id.retain(|id, _| *id < USER_OBJECT_MIN && *id > 0);
            cache.by_name.retain(|_, id| *id < USER_OBJECT_MIN && *id > 0);
        }
        cache.by_id.insert(id, object.clone());
        if let Some(schema) = schema {
            cache.by_name.insert((schema.into(), name.into()), id);
        }
    }

    /// None: something has changed since they were read.
    pub fn known_triggers(&self) -> Option<Arc<[ScopedTrigger]>> {
        let triggers = self.triggers.read();
        triggers.as_ref().filter(|(seen, _)| *seen == self.version()).map(|(_, known)| known.clone())
    }

    /// `seen`: `version()` before they were read.
    pub fn keep_triggers(&self, seen: u64, triggers: Arc<[ScopedTrigger]>) {
        *self.triggers.write() = Some((seen, triggers));
    }

    /// An object id nobody has used since the server started, nor has now: no object, and no partition of a table.
    pub fn new_object_id(&self, storage: &Storage, tx: &mut Transaction) -> SqlResult<i32> {
        let last = &self.numbers().last_object;
        loop {
            let next = |last| Some(if last == 0 { FIRST_OBJECT } else { step(last) });
            // Relaxed: only the number itself matters.
            let before = last.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).expect("there is always a next");
            let id = next(before).expect("as above");
            if id >= USER_OBJECT_MIN
                && load::object_row(&mut self.rows(storage, tx), id)?.is_none()
                && !storage.is_taken(self.storage_id(), TableId(id)).map_err(storage_error)?
            {
                return Ok(id);
            }
        }
    }

    pub fn equal_names(&self, a: &str, b: &str) -> bool {
        names_equal(self.collation, a, b)
    }
}

fn step(id: i32) -> i32 {
    // Both are below 2^31, so the sum fits i64; ids stay positive and below 2^31 - 1.
    ((i64::from(id) + i64::from(OBJECT_STEP)) % i64::from(i32::MAX)) as i32
}

pub fn names_equal(collation: CollationId, a: &str, b: &str) -> bool {
    if a == b {
        return true;
    }
    let ty = types::SqlType::SYSNAME.with_collation(collation);
    let (mut left, mut right) = (Vec::new(), Vec::new());
    collation::code_page::push_utf16(a, &mut left);
    collation::code_page::push_utf16(b, &mut right);
    collation::compare(&ty, &left, &right).is_eq()
}
