//! Compiled batches by their text, shared by the sessions of an engine: the statement cache.
//!
//! An entry holds the bound module; the queries in it are bound at their first run and kept in the module, for as long as the catalog
//! version that they were bound at stands. Sessions with schema changes of their own (uncommitted, or temporary tables) bind for
//! themselves; see `Host::bind_query`.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use os::sync::Mutex;
use os::wait::WaitType;
use sql::plan::Module;

/// Text that is kept; the modules made of it are some ten times that.
const TEXT_BYTES_MAX: usize = 16 << 20;

/// A batch longer than this is not worth keeping: it will hardly come again.
const ENTRY_BYTES_MAX: usize = 256 << 10;

/// What a batch's meaning depends on, besides the catalog. Borrowed: a look into the cache copies nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PlanKey<'a> {
    pub text: &'a str,
    /// Parameter declarations of sp_executesql and sp_prepare; empty for a batch.
    pub parameters: &'a str,
    pub database: u16,
    pub quoted_identifier: bool,
    pub ansi_nulls: bool,
}

struct Entry {
    text: Arc<str>,
    parameters: Arc<str>,
    database: u16,
    quoted_identifier: bool,
    ansi_nulls: bool,
    module: Arc<Module>,
    /// Tick of the last use.
    used: AtomicU64,
    uses: AtomicU64,
}

/// What `sys.dm_exec_cached_plans` shows of an entry.
pub struct CachedText {
    pub text: Arc<str>,
    pub parameters: Arc<str>,
    pub uses: u64,
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
    counts: [AtomicU64; 5],
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

impl Default for PlanCache {
    fn default() -> PlanCache {
        PlanCache::new()
    }
}

impl PlanCache {
    pub fn new() -> PlanCache {
        PlanCache {
            hasher: BuildHasherDefault::default(),
            cached: Mutex::new(WaitType::SQL_PLAN_CACHE, Cached { entries: HashMap::new(), text_bytes: 0 }),
            tick: AtomicU64::new(0),
            counts: Default::default(),
        }
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

    /// Keeps a module; old ones go when there is no room.
    pub fn insert(&self, key: PlanKey, module: Arc<Module>) {
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
            used: AtomicU64::new(self.tick.load(Ordering::Relaxed)),
            uses: AtomicU64::new(1),
        };
        let hash = self.hasher.hash_one(key);
        let mut cached = self.cached.lock();
        if cached.text_bytes + bytes > TEXT_BYTES_MAX {
            let dropped = make_room(&mut cached);
            self.count(DROPPED, dropped);
        }
        let replaced = cached.entries.insert(hash, entry);
        cached.text_bytes += bytes;
        cached.text_bytes -= replaced.as_ref().map_or(0, |entry| entry.key().bytes());
        drop(cached);
        self.count(CACHED, 1);
    }

    pub fn texts(&self) -> Vec<CachedText> {
        let cached = self.cached.lock();
        let texts = cached.entries.values().map(|entry| CachedText {
            text: entry.text.clone(),
            parameters: entry.parameters.clone(),
            uses: entry.uses.load(Ordering::Relaxed),
        });
        texts.collect()
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
    let before = cached.entries.len();
    cached.entries.retain(|_, entry| entry.used.load(Ordering::Relaxed) > median);
    cached.text_bytes = cached.entries.values().map(|entry| entry.key().bytes()).sum();
    (before - cached.entries.len()) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let cache = PlanCache::new();
        cache.insert(key("select 1"), module());
        assert!(cache.find(key("select 1")).is_some());
        assert!(cache.find(PlanKey { quoted_identifier: false, ..key("select 1") }).is_none());
        assert!(cache.find(PlanKey { database: 2, ..key("select 1") }).is_none());
        let counts = cache.counts();
        assert_eq!((counts.cached, counts.found, counts.not_found), (1, 1, 2));
    }

    #[test]
    fn a_flood_of_texts_stays_within_bounds_and_keeps_what_is_used() {
        let cache = PlanCache::new();
        let padding = "x".repeat(200 << 10);
        cache.insert(key("kept"), module());
        for i in 0..200 {
            cache.insert(key(&format!("{i}{padding}")), module());
            assert!(cache.find(key("kept")).is_some(), "what is used stays");
        }
        let counts = cache.counts();
        assert!(counts.text_bytes as usize <= TEXT_BYTES_MAX, "{counts:?}");
        assert!(counts.dropped > 0);
        cache.insert(key(&"y".repeat(ENTRY_BYTES_MAX + 1)), module());
        assert_eq!(cache.counts().not_cached, 1);
    }
}
