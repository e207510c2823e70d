//! Compiled batches by their text, shared by the sessions of an engine: the statement cache.
//!
//! An entry holds the bound module; the queries in it are bound at their first run and kept in the module, for as long as the catalog
//! version that they were bound at stands. Sessions with schema changes of their own (uncommitted, or temporary tables) bind for
//! themselves; see `Host::bind_query`.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use os::region::Placed;
use os::sync::Mutex;
use os::wait::WaitType;
use sql::plan::Module;
use storage::{Memory, StorageResult};

use crate::handle::{self, Handle, PlanKey};

/// Text that is kept; the modules made of it are some ten times that.
const TEXT_BYTES_MAX: usize = 16 << 20;

/// A batch longer than this is not worth keeping: it will hardly come again.
const ENTRY_BYTES_MAX: usize = 256 << 10;

struct Entry {
    text: Arc<str>,
    parameters: Arc<str>,
    database: u16,
    quoted_identifier: bool,
    ansi_nulls: bool,
    module: Arc<Module>,
    /// Of the catalog's module; 0: an ad hoc text.
    object: i32,
    /// Of the text and of the plan.
    handles: (Handle, Handle),
    /// UTC, 100 ns since 0001-01-01.
    created: i64,
    /// Tick of the last use.
    used: AtomicU64,
    uses: AtomicU64,
}

/// What the DMVs show of an entry.
pub struct CachedPlan {
    pub text: Arc<str>,
    pub parameters: Arc<str>,
    pub database: u16,
    pub object: i32,
    pub created: i64,
    pub uses: u64,
    pub module: Arc<Module>,
    pub sql_handle: Handle,
    pub plan_handle: Handle,
}

/// Counters as ASE's `sp_sysmon` names them.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlanCacheCounts {
    pub cached: u64,
    pub found: u64,
    pub not_found: u64,
    pub dropped: u64,
    pub not_cached: u64,
    pub entries: u64,
    pub text_bytes: u64,
}

struct Cached {
    /// By the hash of the key. Of two keys with one hash the later stays: each look compares the whole key.
    entries: HashMap<u64, Entry>,
    text_bytes: usize,
}

pub struct PlanCache {
    /// Not seeded: of two texts with one hash the later stays, and each look compares the whole key.
    hasher: BuildHasherDefault<DefaultHasher>,
    cached: Mutex<Cached>,
    tick: AtomicU64,
    /// Of all engines.
    counts: Placed<[AtomicU64; 5]>,
}

/// Positions in `counts`.
const CACHED: usize = 0;
const FOUND: usize = 1;
const NOT_FOUND: usize = 2;
const DROPPED: usize = 3;
const NOT_CACHED: usize = 4;

impl Entry {
    fn key(&self) -> PlanKey<'_> {
        PlanKey {
            text: &self.text,
            parameters: &self.parameters,
            database: self.database,
            quoted_identifier: self.quoted_identifier,
            ansi_nulls: self.ansi_nulls,
        }
    }
}

impl PlanKey<'_> {
    fn bytes(&self) -> usize {
        self.text.len() + self.parameters.len()
    }
}

impl PlanCache {
    pub fn new(memory: &Memory) -> StorageResult<PlanCache> {
        Ok(PlanCache {
            hasher: BuildHasherDefault::default(),
            cached: Mutex::new(WaitType::SQL_PLAN_CACHE, Cached { entries: HashMap::new(), text_bytes: 0 }),
            tick: AtomicU64::new(0),
            counts: memory.place("statement cache", Default::default())?,
        })
    }

    fn count(&self, which: usize, by: u64) {
        self.counts[which].fetch_add(by, Ordering::Relaxed);
    }

    pub fn find(&self, key: PlanKey) -> Option<Arc<Module>> {
        let tick = self.tick.fetch_add(1, Ordering::Relaxed);
        let hash = self.hasher.hash_one(key);
        let cached = self.cached.lock();
        let found = cached.entries.get(&hash).filter(|entry| entry.key() == key).map(|entry| {
            entry.used.store(tick, Ordering::Relaxed);
            entry.uses.fetch_add(1, Ordering::Relaxed);
            entry.module.clone()
        });
        drop(cached);
        self.count(if found.is_some() { FOUND } else { NOT_FOUND }, 1);
        found
    }

    /// Keeps a module; old ones go when there is no room. `object`: of a module of the catalog, else 0.
    pub fn insert(&self, key: PlanKey, module: Arc<Module>, object: i32) {
        let bytes = key.bytes();
        if bytes > ENTRY_BYTES_MAX {
            return self.count(NOT_CACHED, 1);
        }
        let entry = Entry {
            text: key.text.into(),
            parameters: key.parameters.into(),
            database: key.database,
            quoted_identifier: key.quoted_identifier,
            ansi_nulls: key.ansi_nulls,
            module,
            object,
            handles: handle::handles(&key),
            created: os::clock::utc_ticks() as i64,
            used: AtomicU64::new(self.tick.load(Ordering::Relaxed)),
            uses: AtomicU64::new(1),
        };
        let hash = self.hasher.hash_one(key);
        let mut cached = self.cached.lock();
        if cached.text_bytes + bytes > TEXT_BYTES_MAX {
            let dropped = make_room(&mut cached);
            self.count(DROPPED, dropped);
        }
        if object != 0 {
            // A text that the module had before.
            let dropped = drop_module(&mut cached, key.database, object);
            self.count(DROPPED, dropped);
        }
        let replaced = cached.entries.insert(hash, entry);
        cached.text_bytes += bytes;
        cached.text_bytes -= replaced.as_ref().map_or(0, |entry| entry.key().bytes());
        drop(cached);
        self.count(CACHED, 1);
    }

    /// In the order they were made.
    pub fn plans(&self) -> Vec<CachedPlan> {
        let cached = self.cached.lock();
        let plan = |entry: &Entry| CachedPlan {
            text: entry.text.clone(),
            parameters: entry.parameters.clone(),
            database: entry.database,
            object: entry.object,
            created: entry.created,
            uses: entry.uses.load(Ordering::Relaxed),
            module: entry.module.clone(),
            sql_handle: entry.handles.0,
            plan_handle: entry.handles.1,
        };
        let mut plans: Vec<CachedPlan> = cached.entries.values().map(plan).collect();
        drop(cached);
        plans.sort_by_key(|plan| (plan.created, plan.plan_handle));
        plans
    }

    /// The module is altered or gone: no text of it is called any more.
    pub fn forget(&self, database: u16, object: i32) {
        let mut cached = self.cached.lock();
        let dropped = drop_module(&mut cached, database, object);
        drop(cached);
        self.count(DROPPED, dropped);
    }

    /// DBCC FREEPROCCACHE.
    pub fn clear(&self) {
        let mut cached = self.cached.lock();
        let dropped = cached.entries.len() as u64;
        cached.entries.clear();
        cached.text_bytes = 0;
        drop(cached);
        self.count(DROPPED, dropped);
    }

    pub fn counts(&self) -> PlanCacheCounts {
        let cached = self.cached.lock();
        let (entries, text_bytes) = (cached.entries.len() as u64, cached.text_bytes as u64);
        drop(cached);
        let count = |which: usize| self.counts[which].load(Ordering::Relaxed);
        PlanCacheCounts {
            cached: count(CACHED),
            found: count(FOUND),
            not_found: count(NOT_FOUND),
            dropped: count(DROPPED),
            not_cached: count(NOT_CACHED),
            entries,
            text_bytes,
        }
    }
}

/// Drops the older half: seldom, and then enough that it stays seldom.
fn make_room(cached: &mut Cached) -> u64 {
    let mut ticks: Vec<u64> = cached.entries.values().map(|entry| entry.used.load(Ordering::Relaxed)).collect();
    ticks.sort_unstable();
    let median = ticks.get(ticks.len() / 2).copied().unwrap_or(0);
    retain(cached, |entry| entry.used.load(Ordering::Relaxed) > median)
}

fn drop_module(cached: &mut Cached, database: u16, object: i32) -> u64 {
    retain(cached, |entry| entry.object != object || entry.database != database)
}

/// Answers how many went.
fn retain(cached: &mut Cached, stays: impl Fn(&Entry) -> bool) -> u64 {
    let before = cached.entries.len();
    let mut bytes_gone = 0;
    cached.entries.retain(|_, entry| {
        let stays = stays(entry);
        bytes_gone += if stays { 0 } else { entry.key().bytes() };
        stays
    });
    cached.text_bytes -= bytes_gone;
    (before - cached.entries.len()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> PlanCache {
        let memory = Memory::reserve(4096, os::region::Visibility::ThisProcess).expect("memory");
        PlanCache::new(&memory).expect("room")
    }

    fn key(text: &str) -> PlanKey<'_> {
        PlanKey { text, parameters: "", database: 1, quoted_identifier: true, ansi_nulls: true }
    }

    fn module() -> Arc<Module> {
        Arc::new(Module {
            variables: Vec::new(),
            parameter_count: 0,
            table_variables: Vec::new(),
            cursor_variables: Vec::new(),
            body: Vec::new(),
            queries: Vec::new(),
            messages: Vec::new(),
            text: "".into(),
            executor: Default::default(),
            checked: AtomicU64::new(sql::plan::NEVER_CHECKED),
            kind: Default::default(),
            trigger_table: None,
        })
    }

    #[test]
    fn settings_are_part_of_the_key() {
        let cache = cache();
        cache.insert(key("select 1"), module(), 0);
        assert!(cache.find(key("select 1")).is_some());
        assert!(cache.find(PlanKey { quoted_identifier: false, ..key("select 1") }).is_none());
        assert!(cache.find(PlanKey { database: 2, ..key("select 1") }).is_none());
        let counts = cache.counts();
        assert_eq!((counts.cached, counts.found, counts.not_found), (1, 1, 2));
    }

    #[test]
    fn a_flood_of_texts_stays_within_bounds_and_keeps_what_is_used() {
        let cache = cache();
        let padding = "x".repeat(200 << 10);
        cache.insert(key("kept"), module(), 0);
        for i in 0..200 {
            cache.insert(key(&format!("{i}{padding}")), module(), 0);
            assert!(cache.find(key("kept")).is_some(), "what is used stays");
        }
        let counts = cache.counts();
        assert!(counts.text_bytes as usize <= TEXT_BYTES_MAX, "{counts:?}");
        assert!(counts.dropped > 0);
        cache.insert(key(&"y".repeat(ENTRY_BYTES_MAX + 1)), module(), 0);
        assert_eq!(cache.counts().not_cached, 1);
    }
}
