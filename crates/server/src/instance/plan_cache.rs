//! Compiled texts, shared by the sessions of an engine: the statement cache (batches and what clients prepare, by their text) and the
//! procedure cache (modules of the catalog, by their definition). Each has a limit in bytes, a spinlock, and Sybase ASE's counters.
//!
//! An entry holds the bound module; the queries in it are bound at their first run and kept in the module, for as long as the catalog
//! version that they were bound at stands. Sessions with schema changes of their own (uncommitted, or temporary tables) bind for
//! themselves; see `Host::bind_query`.
//!
//! A hit takes the spinlock for one look into a table and a reference; the words are compared afterwards. Eviction is CLOCK: a hand goes
//! around the entries, takes the mark that a hit has left, and drops what has none. It measures what it passes, since plans grow as they
//! run. The counters are of all engines, in the region; entries and bytes are counted by engine, so that those of a dead one go with it.
//!
//! What must hold: found + not found = searches; cached - dropped = entries, of all engines together.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use os::sync::{Mutex, SpinClass, SpinLock};
use os::wait::WaitType;
use sql::plan::{Client, Module};
use storage::{Memory, StorageResult};

use crate::instance::counts::Counts;
use crate::instance::handle::{self, Handle, PlanKey};
use crate::instance::index_usage::IndexUsages;

/// A batch longer than this is not worth keeping: it will hardly come again.
const ENTRY_BYTES_MAX: usize = 256 << 10;

/// ASE's names of the two spinlocks.
static STATEMENT_SPIN: SpinClass = SpinClass::new("SSQLCACHE_SPIN");
static PROCEDURE_SPIN: SpinClass = SpinClass::new("rproccache_spin");

struct Entry {
    text: Arc<str>,
    parameters: Arc<str>,
    database: u16,
    quoted_identifier: bool,
    ansi_nulls: bool,
    client: Client,
    session: u32,
    module: Arc<Module>,
    /// Of the catalog's module; 0: an ad hoc text.
    object: i32,
    /// Of the text and of the plan.
    handles: (Handle, Handle),
    /// UTC, 100 ns since 0001-01-01.
    created: i64,
    /// Found since the hand last passed.
    used: AtomicBool,
    uses: AtomicU64,
    /// Of the module, when the hand last passed: sessions that remember a procedure do not ask the cache for it.
    executions: AtomicU64,
    /// What it was last measured to hold.
    bytes: AtomicU64,
}

/// What the DMVs show of an entry.
pub struct CachedPlan {
    pub text: Arc<str>,
    pub parameters: Arc<str>,
    pub database: u16,
    pub object: i32,
    pub created: i64,
    pub uses: u64,
    pub bytes: u64,
    pub module: Arc<Module>,
    pub sql_handle: Handle,
    pub plan_handle: Handle,
}

/// Counters as ASE's `sp_sysmon` names them, of all engines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PlanCacheCounts {
    pub cached: u64,
    pub found: u64,
    pub not_found: u64,
    /// For room, by DBCC, with their module, by a newer plan of the same text, or with their engine.
    pub dropped: u64,
    /// Compiled, but too long, or the cache has no room at all.
    pub not_cached: u64,
    /// Of those cached: took the place of a plan of the same text, whose tables have changed since.
    pub recompiled: u64,
    pub entries: u64,
    pub bytes: u64,
    pub bytes_max: u64,
}

/// Which plans are to go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Forget {
    /// DBCC FREEPROCCACHE.
    All,
    /// DBCC PURGESQLCACHE, DBCC FREESYSTEMCACHE ('SQL Plans').
    Statements,
    /// DBCC FREESYSTEMCACHE ('Object Plans').
    Procedures,
    /// DBCC FLUSHPROCINDB.
    Database(u16),
    /// DBCC FREEPROCCACHE with a sql_handle or a plan_handle.
    Handle(Handle),
}

/// Words of `PlanCache::counts`.
const CACHED: usize = 0;
const FOUND: usize = 1;
const NOT_FOUND: usize = 2;
const DROPPED: usize = 3;
const NOT_CACHED: usize = 4;
const RECOMPILED: usize = 5;
/// Of each engine: what it holds now.
const ENTRIES: usize = 8;
const BYTES: usize = 9;

/// Slots by the hash of their keys. Of two keys with one hash the later stays: each look compares the whole key.
#[derive(Default)]
struct Shelf {
    slot_of: HashMap<u64, u32, BuildHasherDefault<Hashed>>,
    slots: Vec<Option<(u64, Arc<Entry>)>>,
    free: Vec<u32>,
    hand: usize,
    bytes: u64,
}

/// One of the two caches.
pub struct PlanCache {
    shelf: SpinLock<Shelf>,
    bytes_max: AtomicU64,
    /// What it may hold in all engines, as the options say.
    bytes_max_all: AtomicU64,
    counts: Counts,
    /// What plans that are gone did with indexes.
    past: Mutex<IndexUsages>,
}

pub struct PlanCaches {
    pub statements: PlanCache,
    pub procedures: PlanCache,
}

impl Entry {
    /// Plans are shown in the order in which they were made.
    fn order(&self) -> (i64, Handle) {
        (self.created, self.handles.1)
    }

    fn told(&self) -> CachedPlan {
        CachedPlan {
            text: self.text.clone(),
            parameters: self.parameters.clone(),
            database: self.database,
            object: self.object,
            created: self.created,
            // Who remembers a procedure does not ask for it.
            uses: self.uses.load(Ordering::Relaxed).max(exec::executions(&self.module)),
            bytes: self.measure(),
            module: self.module.clone(),
            sql_handle: self.handles.0,
            plan_handle: self.handles.1,
        }
    }

    fn key(&self) -> PlanKey<'_> {
        PlanKey {
            text: &self.text,
            parameters: &self.parameters,
            database: self.database,
            quoted_identifier: self.quoted_identifier,
            ansi_nulls: self.ansi_nulls,
            client: self.client,
            session: self.session,
        }
    }

    fn is_meant(&self, forget: Forget) -> bool {
        match forget {
            Forget::All | Forget::Statements | Forget::Procedures => true,
            Forget::Database(database) => self.database == database,
            Forget::Handle(handle) => self.handles.0 == handle || self.handles.1 == handle,
        }
    }

    fn measure(&self) -> u64 {
        let texts = if Arc::ptr_eq(&self.text, &self.module.text) { 0 } else { self.text.len() };
        let own = size_of::<Entry>() + SLOT_BYTES + texts + self.parameters.len();
        (own + self.module.held_bytes() + exec::held_bytes(&self.module)) as u64
    }

    /// Whether it was used since this was asked last; takes the mark.
    fn take_used(&self) -> bool {
        let executions = exec::executions(&self.module);
        let ran = self.executions.swap(executions, Ordering::Relaxed) != executions;
        self.used.swap(false, Ordering::Relaxed) || ran
    }
}

/// Of an entry, in the tables of a shelf.
const SLOT_BYTES: usize = 48;

impl PlanKey<'_> {
    fn text_bytes(&self) -> usize {
        self.text.len() + self.parameters.len()
    }

    /// Not seeded: see `Shelf`.
    fn hash64(&self) -> u64 {
        let mut hasher = Folding::default();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// Two products of 64 bits folded into one, 16 bytes a step: a look hashes the whole text, so it has to be quick.
#[derive(Default)]
struct Folding {
    state: u64,
}

const FOLD: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd6e8_feb8_6659_fd93];

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

impl Hasher for Folding {
    fn write_u8(&mut self, value: u8) {
        self.state = self.state.rotate_left(9) ^ u64::from(value);
    }

    fn write_u16(&mut self, value: u16) {
        self.state = self.state.rotate_left(17) ^ u64::from(value);
    }

    fn write(&mut self, bytes: &[u8]) {
        let (pairs, rest) = bytes.as_chunks::<16>();
        for pair in pairs {
            let word = |at: usize| u64::from_le_bytes(pair[at..at + 8].try_into().expect("8 bytes"));
            self.state = fold(self.state ^ word(0) ^ FOLD[0], word(8) ^ FOLD[1]).rotate_left(23);
        }
        if !rest.is_empty() {
            let mut last = [0; 16];
            last[..rest.len()].copy_from_slice(rest);
            let last = u128::from_le_bytes(last);
            self.state = fold(self.state ^ last as u64 ^ FOLD[1], (last >> 64) as u64 ^ FOLD[0]).rotate_left(23);
        }
        self.state ^= (bytes.len() as u64).wrapping_mul(FOLD[0]);
    }

    fn finish(&self) -> u64 {
        fold(self.state ^ FOLD[0], FOLD[1])
    }
}

/// The key is a hash already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are u64");
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl Shelf {
    fn get(&self, hash: u64) -> Option<&Arc<Entry>> {
        let slot = *self.slot_of.get(&hash)?;
        self.slots[slot as usize].as_ref().map(|(_, entry)| entry)
    }

    fn put(&mut self, hash: u64, entry: Arc<Entry>) {
        assert!(!self.slot_of.contains_key(&hash), "an entry takes a free slot");
        self.bytes += entry.bytes.load(Ordering::Relaxed);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.slots[slot as usize] = Some((hash, entry));
        self.slot_of.insert(hash, slot);
    }

    fn take(&mut self, slot: usize) -> Option<Arc<Entry>> {
        let (hash, entry) = self.slots[slot].take()?;
        self.slot_of.remove(&hash);
        self.free.push(slot as u32);
        self.bytes -= entry.bytes.load(Ordering::Relaxed);
        Some(entry)
    }

    fn take_hash(&mut self, hash: u64) -> Option<Arc<Entry>> {
        let slot = *self.slot_of.get(&hash)? as usize;
        self.take(slot)
    }

    /// The entry under the hand, which goes on.
    fn advance(&mut self) -> Option<(usize, Arc<Entry>)> {
        for _ in 0..self.slots.len() {
            self.hand = (self.hand + 1) % self.slots.len();
            if let Some((_, entry)) = &self.slots[self.hand] {
                return Some((self.hand, entry.clone()));
            }
        }
        None
    }

    fn is_at(&self, slot: usize, entry: &Arc<Entry>) -> bool {
        matches!(self.slots.get(slot), Some(Some((_, there))) if Arc::ptr_eq(there, entry))
    }
}

impl PlanCache {
    fn new(memory: &Memory, name: &'static str, class: &'static SpinClass) -> StorageResult<PlanCache> {
        Ok(PlanCache {
            shelf: SpinLock::new(class, Shelf::default()),
            bytes_max: AtomicU64::new(0),
            bytes_max_all: AtomicU64::new(0),
            counts: Counts::new(memory, name)?,
            past: Mutex::new(WaitType::SOS_MUTEX, IndexUsages::default()),
        })
    }

    /// Under the shelf's lock: what the other engines see of it.
    fn tell(&self, shelf: &Shelf) {
        let own = |word| self.counts.of_engine(os::engines::number(), word);
        own(ENTRIES).store(shelf.slot_of.len() as u64, Ordering::Relaxed);
        own(BYTES).store(shelf.bytes, Ordering::Relaxed);
    }

    /// What this engine may keep of `all` bytes, of which each of `engines` has its part. Entries go at once if that is too little.
    pub fn set_bytes_max(&self, all: u64, engines: u32) {
        self.bytes_max_all.store(all, Ordering::Relaxed);
        self.bytes_max.store(all / u64::from(engines.max(1)), Ordering::Relaxed);
        self.make_room();
    }

    pub fn find(&self, key: PlanKey) -> Option<Arc<Module>> {
        if self.bytes_max.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let hash = key.hash64();
        let entry = self.shelf.lock().get(hash).cloned();
        let found = entry.filter(|entry| entry.key() == key).map(|entry| {
            if !entry.used.load(Ordering::Relaxed) {
                entry.used.store(true, Ordering::Relaxed);
            }
            entry.uses.fetch_add(1, Ordering::Relaxed);
            entry.module.clone()
        });
        self.counts.add(if found.is_some() { FOUND } else { NOT_FOUND }, 1);
        found
    }

    /// A session runs a plan again that it remembers from its last search.
    pub fn count_found(&self) {
        self.counts.add(FOUND, 1);
    }

    /// A plan is for one handle alone, and was never meant to be kept here.
    pub fn count_not_cached(&self) {
        self.counts.add(NOT_CACHED, 1);
    }

    /// Keeps a module; others go when there is no room. `object`: of a module of the catalog, else 0.
    pub fn insert(&self, key: PlanKey, module: Arc<Module>, object: i32) {
        let bytes_max = self.bytes_max.load(Ordering::Relaxed);
        if bytes_max == 0 || key.text_bytes() > ENTRY_BYTES_MAX {
            return self.counts.add(NOT_CACHED, 1);
        }
        let text = if *module.text == *key.text { module.text.clone() } else { key.text.into() };
        let entry = Entry {
            text,
            parameters: key.parameters.into(),
            database: key.database,
            quoted_identifier: key.quoted_identifier,
            ansi_nulls: key.ansi_nulls,
            client: key.client,
            session: key.session,
            module,
            object,
            handles: handle::handles(&key),
            created: os::clock::utc_ticks() as i64,
            // It has until the hand comes around to be used again: texts that come once drive out none that are used.
            used: AtomicBool::new(false),
            uses: AtomicU64::new(1),
            executions: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        };
        let bytes = entry.measure();
        if bytes > bytes_max {
            return self.counts.add(NOT_CACHED, 1);
        }
        entry.bytes.store(bytes, Ordering::Relaxed);
        let hash = key.hash64();
        if object != 0 {
            // A text that the module had before.
            self.drop_where(|entry| entry.object == object && entry.database == key.database && entry.key() != key);
        }
        let mut shelf = self.shelf.lock();
        let replaced = shelf.take_hash(hash);
        shelf.put(hash, Arc::new(entry));
        let full = shelf.bytes > bytes_max;
        self.tell(&shelf);
        drop(shelf);
        self.counts.add(CACHED, 1);
        if let Some(replaced) = replaced {
            self.past.lock().add_module(&replaced.module);
            self.counts.add(DROPPED, 1);
            self.counts.add(RECOMPILED, u64::from(replaced.key() == key));
        }
        if full {
            self.make_room();
        }
    }

    /// The hand goes on until what is left fits. Each entry is passed at most twice: once for its mark, then it goes.
    fn make_room(&self) {
        let bytes_max = self.bytes_max.load(Ordering::Relaxed);
        let most = 2 * self.shelf.lock().slots.len() + 1;
        let mut dropped = 0;
        for _ in 0..most {
            let mut shelf = self.shelf.lock();
            let next = if shelf.bytes > bytes_max { shelf.advance() } else { None };
            drop(shelf);
            let Some((slot, entry)) = next else { break };
            let goes = bytes_max == 0 || !entry.take_used();
            let bytes = entry.measure();
            let mut shelf = self.shelf.lock();
            // Another worker may have taken it since.
            if !shelf.is_at(slot, &entry) {
                continue;
            }
            shelf.bytes = shelf.bytes - entry.bytes.swap(bytes, Ordering::Relaxed) + bytes;
            let gone = if goes { shelf.take(slot) } else { None };
            self.tell(&shelf);
            drop(shelf);
            dropped += u64::from(gone.is_some());
            if let Some(gone) = gone {
                self.past.lock().add_module(&gone.module);
            }
        }
        self.counts.add(DROPPED, dropped);
    }

    fn drop_where(&self, goes: impl Fn(&Entry) -> bool) {
        let mut gone = Vec::new();
        let mut shelf = self.shelf.lock();
        for slot in 0..shelf.slots.len() {
            if shelf.slots[slot].as_ref().is_some_and(|(_, entry)| goes(entry)) {
                gone.extend(shelf.take(slot));
            }
        }
        self.tell(&shelf);
        drop(shelf);
        self.counts.add(DROPPED, gone.len() as u64);
        gone.iter().for_each(|entry| self.past.lock().add_module(&entry.module));
    }

    fn modules(&self) -> Vec<Arc<Module>> {
        self.shelf.lock().slots.iter().flatten().map(|(_, entry)| entry.module.clone()).collect()
    }

    /// In the order they were made.
    fn plans(&self) -> Vec<CachedPlan> {
        let shelf = self.shelf.lock();
        let entries: Vec<Arc<Entry>> = shelf.slots.iter().flatten().map(|(_, entry)| entry.clone()).collect();
        drop(shelf);
        entries.iter().map(|entry| entry.told()).collect()
    }

    /// The oldest with a handle, of its text or its plan.
    fn with_handle(&self, wanted: &Handle) -> Option<Arc<Entry>> {
        let shelf = self.shelf.lock();
        let entries = shelf.slots.iter().flatten().map(|(_, entry)| entry);
        let found = entries.filter(|entry| entry.handles.0 == *wanted || entry.handles.1 == *wanted);
        found.min_by_key(|entry| entry.order()).cloned()
    }

    pub fn counts(&self) -> PlanCacheCounts {
        PlanCacheCounts {
            cached: self.counts.total(CACHED),
            found: self.counts.total(FOUND),
            not_found: self.counts.total(NOT_FOUND),
            dropped: self.counts.total(DROPPED),
            not_cached: self.counts.total(NOT_CACHED),
            recompiled: self.counts.total(RECOMPILED),
            entries: self.counts.total(ENTRIES),
            bytes: self.counts.total(BYTES),
            bytes_max: self.bytes_max_all.load(Ordering::Relaxed),
        }
    }

    /// The entries of an engine that is no more are gone.
    fn engine_has_ended(&self, engine: u32) {
        let its = |word| self.counts.of_engine(engine, word);
        its(BYTES).store(0, Ordering::Relaxed);
        self.counts.add(DROPPED, its(ENTRIES).swap(0, Ordering::Relaxed));
    }
}

impl PlanCaches {
    pub fn new(memory: &Memory) -> StorageResult<PlanCaches> {
        Ok(PlanCaches {
            statements: PlanCache::new(memory, "statement cache", &STATEMENT_SPIN)?,
            procedures: PlanCache::new(memory, "procedure cache", &PROCEDURE_SPIN)?,
        })
    }

    /// The module is altered or gone: no text of it is called any more.
    pub fn forget_module(&self, database: u16, object: i32) {
        self.procedures.drop_where(|entry| entry.object == object && entry.database == database);
    }

    /// What DBCC asks for, in this engine.
    pub fn forget(&self, forget: Forget) {
        let (statements, procedures) = match forget {
            Forget::Statements => (true, false),
            Forget::Procedures => (false, true),
            Forget::All | Forget::Database(_) | Forget::Handle(_) => (true, true),
        };
        for (cache, asked) in [(&self.statements, statements), (&self.procedures, procedures)] {
            if asked {
                cache.drop_where(|entry| entry.is_meant(forget));
            }
        }
    }

    /// Memory is short: what waits for a run keeps its plan and nothing else.
    pub fn let_go(&self) {
        for cache in [&self.statements, &self.procedures] {
            let shelf = cache.shelf.lock();
            let entries: Vec<Arc<Entry>> = shelf.slots.iter().flatten().map(|(_, entry)| entry.clone()).collect();
            drop(shelf);
            for entry in entries {
                exec::let_go(&entry.module);
                os::wait::maybe_yield();
            }
        }
    }

    /// Of both, in the order they were made.
    pub fn plans(&self) -> Vec<CachedPlan> {
        let mut plans = self.statements.plans();
        plans.append(&mut self.procedures.plans());
        plans.sort_by_key(|plan| (plan.created, plan.plan_handle));
        plans
    }

    /// Of the plans that there are and that there were, in this engine.
    pub fn index_usages(&self) -> IndexUsages {
        let mut usages = IndexUsages::default();
        for cache in [&self.statements, &self.procedures] {
            usages.add(&cache.past.lock());
            cache.modules().iter().for_each(|module| usages.add_module(module));
        }
        usages
    }

    /// The oldest with a handle, of its text or its plan: only this one is looked at.
    pub fn plan(&self, wanted: &Handle) -> Option<CachedPlan> {
        let found = [self.statements.with_handle(wanted), self.procedures.with_handle(wanted)];
        found.into_iter().flatten().min_by_key(|entry| entry.order()).map(|entry| entry.told())
    }

    pub fn engine_has_ended(&self, engine: u32) {
        self.statements.engine_has_ended(engine);
        self.procedures.engine_has_ended(engine);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: u64 = 64 << 10;

    fn caches() -> PlanCaches {
        let memory = Memory::reserve(1 << 20, os::region::Visibility::ThisProcess).expect("memory");
        let caches = PlanCaches::new(&memory).expect("room");
        caches.statements.set_bytes_max(ROOM, 0);
        caches.procedures.set_bytes_max(ROOM, 0);
        caches
    }

    fn key(text: &str) -> PlanKey<'_> {
        PlanKey {
            text,
            parameters: "",
            database: 1,
            quoted_identifier: true,
            ansi_nulls: true,
            client: Client::Plain,
            session: 0,
        }
    }

    fn module() -> Arc<Module> {
        Arc::new(Module {
            object: None,
            cursor_parameters: Vec::new(),
            variables: Default::default(),
            parameter_count: 0,
            table_variables: Default::default(),
            cursor_variables: Default::default(),
            body: Vec::new(),
            queries: Vec::new(),
            messages: Vec::new(),
            parse_only: None,
            text: "".into(),
            executor: Default::default(),
            checked: AtomicU64::new(sql::plan::NEVER_CHECKED),
            kind: Default::default(),
            trigger_table: None,
            trigger: None,
            atomic: None,
            schema: None,
        })
    }

    /// What must hold at any time; `searches` as the caller counted them.
    fn check(cache: &PlanCache, searches: u64) {
        let counts = cache.counts();
        assert_eq!(counts.found + counts.not_found, searches, "{counts:?}");
        assert_eq!(counts.cached - counts.dropped, counts.entries, "{counts:?}");
        assert!(counts.recompiled <= counts.cached.min(counts.dropped), "{counts:?}");
        let plans = cache.plans();
        assert_eq!(plans.len() as u64, counts.entries);
        assert_eq!(plans.iter().map(|plan| plan.bytes).sum::<u64>(), counts.bytes, "{counts:?}");
        assert!(counts.bytes <= counts.bytes_max, "{counts:?}");
    }

    #[test]
    fn settings_are_part_of_the_key() {
        let cache = caches().statements;
        cache.insert(key("select 1"), module(), 0);
        assert!(cache.find(key("select 1")).is_some());
        assert!(cache.find(PlanKey { quoted_identifier: false, ..key("select 1") }).is_none());
        assert!(cache.find(PlanKey { database: 2, ..key("select 1") }).is_none());
        assert!(cache.find(PlanKey { parameters: "select 1", ..key("") }).is_none());
        check(&cache, 4);
        assert_eq!(cache.counts().found, 1);
    }

    #[test]
    fn a_flood_of_texts_stays_within_bounds_and_keeps_what_is_used() {
        let cache = caches().statements;
        cache.insert(key("kept"), module(), 0);
        let mut searches = 0;
        for i in 0..2_000 {
            let text = format!("{i}{}", "x".repeat(i % 700));
            cache.insert(key(&text), module(), 0);
            assert!(cache.find(key("kept")).is_some(), "what is used stays");
            searches += 1;
            if i % 100 == 0 {
                check(&cache, searches);
            }
        }
        assert!(cache.counts().dropped > 1_900, "{:?}", cache.counts());
        cache.insert(key(&"y".repeat(ENTRY_BYTES_MAX + 1)), module(), 0);
        cache.insert(key(&"z".repeat(ROOM as usize)), module(), 0);
        assert_eq!(cache.counts().not_cached, 2);
        check(&cache, searches);
    }

    #[test]
    fn a_smaller_limit_holds_at_once_and_none_keeps_nothing() {
        let cache = caches().statements;
        for i in 0..20 {
            cache.insert(key(&format!("select {i}")), module(), 0);
        }
        let before = cache.counts();
        cache.set_bytes_max(before.bytes / 2, 0);
        check(&cache, 0);
        let half = cache.counts().entries;
        assert!((8..=10).contains(&half), "{half}");
        // Each of two engines has half of it.
        cache.set_bytes_max(before.bytes / 2, 2);
        assert!(cache.counts().entries <= 5);
        cache.set_bytes_max(0, 2);
        check(&cache, 0);
        cache.insert(key("select 1"), module(), 0);
        assert!(cache.find(key("select 1")).is_none());
        let counts = cache.counts();
        assert_eq!((counts.entries, counts.not_cached, counts.not_found), (0, 1, 0));
    }

    #[test]
    fn a_newer_plan_takes_the_place_of_an_old_one() {
        let cache = caches().statements;
        cache.insert(key("select 1"), module(), 0);
        cache.insert(key("select 1"), module(), 0);
        check(&cache, 0);
        let counts = cache.counts();
        assert_eq!((counts.cached, counts.dropped, counts.recompiled, counts.entries), (2, 1, 1, 1));
    }

    #[test]
    fn a_module_has_the_plans_of_its_present_text_only() {
        let caches = caches();
        let text = |text| PlanKey { parameters: handle::MODULE, ..key(text) };
        caches.procedures.insert(text("create procedure p as select 1"), module(), 7);
        caches.procedures.insert(text("create procedure q as select 1"), module(), 8);
        caches.procedures.insert(text("create procedure p as select 2"), module(), 7);
        assert_eq!(caches.procedures.counts().entries, 2);
        caches.forget_module(2, 7);
        assert_eq!(caches.procedures.counts().entries, 2, "another database's");
        caches.forget_module(1, 7);
        assert_eq!(caches.plans().len(), 1);
        check(&caches.procedures, 0);
    }

    #[test]
    fn what_is_to_be_forgotten_goes_and_no_more() {
        let caches = caches();
        let fill = || {
            caches.statements.insert(key("select 1"), module(), 0);
            caches.statements.insert(PlanKey { database: 2, ..key("select 1") }, module(), 0);
            caches.procedures.insert(PlanKey { parameters: handle::MODULE, ..key("p") }, module(), 9);
        };
        fill();
        let handle = caches.plans()[0].plan_handle;
        let cases =
            [(Forget::Handle(handle), 2), (Forget::Database(1), 1), (Forget::Statements, 1), (Forget::Procedures, 2)];
        for (forget, left) in cases {
            fill();
            caches.forget(forget);
            assert_eq!(caches.plans().len(), left, "{forget:?}");
            check(&caches.statements, 0);
            check(&caches.procedures, 0);
        }
        caches.forget(Forget::All);
        assert!(caches.plans().is_empty());
    }

    #[test]
    fn a_dead_engines_entries_count_as_dropped() {
        let cache = caches().statements;
        cache.insert(key("select 1"), module(), 0);
        cache.engine_has_ended(os::engines::number());
        let counts = cache.counts();
        assert_eq!((counts.cached, counts.dropped, counts.entries, counts.bytes), (1, 1, 0, 0));
    }

    #[test]
    fn texts_that_differ_a_little_have_other_hashes() {
        let mut hashes: Vec<u64> =
            (0..20_000).map(|i| key(&format!("SELECT a FROM t WHERE b = {i}")).hash64()).collect();
        hashes.extend((0..200).map(|i| key(&" ".repeat(i)).hash64()));
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 20_200);
    }
}
