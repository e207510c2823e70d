//! What all engines of a server share of its catalog beside the rows themselves: the versions by which each knows that what it
//! keeps is old, and the numbers that must not be given out twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering};

use os::region::{Part, Placed, Pool};
use os::shared_struct;
use os::sync::{Mutex, MutexGuard};
use os::wait::WaitType;
use storage::{Memory, POOLS_MAX, StorageResult};
use types::SqlType;

use super::workload::Groups;

/// Ids of databases are below this.
const DATABASE_IDS: usize = 1 << 15;
/// Identity columns, sequences and row versions that were used since the start.
const COUNTERS_MAX: usize = 1 << 20;
/// Locks that the counters divide among themselves: one may wait for a write to the log.
const STRIPES: usize = 256;

/// Temporary objects that are remembered with their engine.
const OWNED_MAX: usize = 1 << 16;
/// Places where one may stand, one after the other.
const OWNED_TRIES: usize = 64;

/// Numbers that a resource pool is made with.
pub const POOL_SETTINGS: usize = 7;

/// What `Shared::new` needs of the instance's memory.
pub const BYTES: usize =
    DATABASE_IDS * size_of::<DatabaseNumbers>() + COUNTERS_MAX * (size_of::<Slot>() + 8) + Groups::BYTES + (1 << 20);

shared_struct! {
    #[derive(Default)]
    pub struct CatalogNumbers {
        /// Grows with each change of the databases, their options and the server's.
        pub databases_version: AtomicU64,
        /// Grows with every committed schema change outside tempdb's local objects. Orders nothing else: a plan bound at an
        /// older number is bound again.
        pub version: AtomicU64,
        /// Numbers local temporary tables, for their names in tempdb.
        pub temporaries: AtomicU64,
        /// Of backups whose rate is limited: what all of them have read so far has its time up to then (`os::clock::now`).
        pub backups_read_until: AtomicU64,
        /// When the first engine started; 0: none has.
        pub started: AtomicI64,
    }
}

shared_struct! {
    pub struct DatabaseNumbers {
        /// Grows with every committed schema change here.
        pub version: AtomicU64,
        /// The object id given last, 0: none since the start.
        pub last_object: AtomicI32,
    }
}

shared_struct! {
    /// A resource pool as it is in effect; its name and its memory are storage's to know.
    #[derive(Clone, Copy, PartialEq)]
    pub struct GovernedPool {
        /// 0: there is none in this place.
        pub id: i32,
        pub settings: [i32; POOL_SETTINGS],
    }
}

shared_struct! {
    /// The resource governor's pools in effect. Held while they or what is kept of them changes.
    #[derive(Clone, Copy, PartialEq)]
    pub struct Governed {
        pub pools: [GovernedPool; POOLS_MAX],
    }
}

impl Governed {
    pub const NONE: Governed = Governed { pools: [GovernedPool { id: 0, settings: [0; POOL_SETTINGS] }; POOLS_MAX] };
}

#[derive(Clone)]
pub struct Shared {
    pub numbers: Placed<CatalogNumbers>,
    pub databases: Part<DatabaseNumbers>,
    pub counters: Counters,
    pub owned: Owned,
    pub governor: Placed<Mutex<Governed>>,
    pub groups: Groups,
    /// Of session numbers: the same for all, since all start with one set of options.
    pub session_number: SqlType,
}

impl Shared {
    pub fn new(memory: &Memory, session_number: SqlType) -> StorageResult<Shared> {
        Ok(Shared {
            numbers: memory.place("catalog", CatalogNumbers::default())?,
            databases: memory.carve("databases", DATABASE_IDS)?,
            counters: Counters::new(memory)?,
            governor: memory.place("resource governor", Mutex::new(WaitType::OBJECT_CATALOG, Governed::NONE))?,
            groups: Groups::new(memory)?,
            owned: Owned { places: memory.carve("temporary objects", OWNED_MAX)? },
            session_number,
        })
    }

    /// When the first of the engines started: for all of them the same moment. 100 ns since 0001-01-01, UTC.
    pub fn start(&self) -> i64 {
        let now = os::clock::utc_ticks() as i64;
        let start = &self.numbers.started;
        start.compare_exchange(0, now, Ordering::AcqRel, Ordering::Acquire).map_or_else(|first| first, |_| now)
    }
}

/// Temporary objects of engines that are processes: somebody must drop those of one that died.
#[derive(Clone)]
pub struct Owned {
    /// The engine, and in the lower half the object; 0: free.
    places: Part<AtomicU64>,
}

impl Owned {
    fn word(object: i32) -> u64 {
        u64::from(os::engines::number()) << 32 | u64::from(object as u32)
    }

    fn places_of(&self, object: i32) -> impl Iterator<Item = &AtomicU64> {
        let first = (u64::from(object as u32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        (0..OWNED_TRIES).map(move |step| &self.places[(first + step) % OWNED_MAX])
    }

    fn exchange(&self, object: i32, now: u64, new: u64) -> bool {
        let exchanged =
            |place: &AtomicU64| place.compare_exchange(now, new, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        self.places_of(object).any(exchanged)
    }

    /// This engine has made a temporary object. One that finds no place stays after its engine's death until the next start.
    pub fn add(&self, object: i32) {
        if os::engines::number() != 0 && !self.exchange(object, 0, Owned::word(object)) {
            tracing::warn!("there are too many temporary objects to remember {object}");
        }
    }

    pub fn remove(&self, object: i32) {
        if os::engines::number() != 0 {
            self.exchange(object, Owned::word(object), 0);
        }
    }

    /// Takes the objects of an engine: from now on they are this one's.
    pub fn take(&self, engine: u32) -> Vec<i32> {
        let of_engine = |place: &&AtomicU64| (place.load(Ordering::Relaxed) >> 32) as u32 == engine;
        let take = |place: &AtomicU64| {
            let object = place.load(Ordering::Relaxed) as u32 as i32;
            place.store(Owned::word(object), Ordering::Relaxed);
            object
        };
        self.places.iter().filter(of_engine).map(take).collect()
    }
}

shared_struct! {
    /// What a counter has given and may give.
    #[derive(Clone, Copy)]
    pub struct Counter {
        /// The value given last, if `used`.
        pub last: i128,
        /// On disk: values up to here may be given.
        pub reserved: i128,
        /// 0: no value was given yet.
        pub used: u8,
        /// 0: nothing is on disk yet, or what is there does not count.
        pub kept: u8,
        /// Transactions not over yet that have set it: what is on disk must hold if they do not commit.
        pub unsettled: u32,
    }
}

shared_struct! {
    struct Slot {
        /// The counter's database and object, as `name` says.
        name: AtomicU64,
        /// The next of its stripe plus one, 0: none.
        next: AtomicU32,
        counter: Mutex<Counter>,
    }
}

fn name(database: u16, object: i32) -> u64 {
    u64::from(database) << 32 | u64::from(object as u32)
}

/// Counters of all databases, each known from its first use on.
#[derive(Clone)]
pub struct Counters {
    /// The first of each stripe plus one, 0: none.
    stripes: Placed<[Mutex<u32>; STRIPES]>,
    slots: Arc<Pool<Slot>>,
}

/// Counters that nobody else can use meanwhile.
pub struct Stripe<'a> {
    first: MutexGuard<'a, u32>,
    slots: &'a Pool<Slot>,
}

impl Counters {
    fn new(memory: &Memory) -> StorageResult<Counters> {
        let stripes = [const { Mutex::new(WaitType::OBJECT_CATALOG, 0) }; STRIPES];
        Ok(Counters {
            stripes: memory.place("stripes of counters", stripes)?,
            slots: Arc::new(memory.pool("counters", COUNTERS_MAX)?),
        })
    }

    /// The stripe of a counter.
    pub fn lock(&self, database: u16, object: i32) -> Stripe<'_> {
        let hash = name(database, object).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        self.stripe(hash as usize % STRIPES)
    }

    fn stripe(&self, at: usize) -> Stripe<'_> {
        Stripe { first: self.stripes[at].lock(), slots: &self.slots }
    }

    /// A database is gone, or new under the number of one that is.
    pub fn forget_database(&self, database: u16) {
        for at in 0..STRIPES {
            self.stripe(at).remove_if(|name| (name >> 32) as u16 == database);
        }
    }

    /// Calls `each` with the objects of a database and their counters.
    pub fn of_database<E>(&self, database: u16, mut each: impl FnMut(i32, Counter) -> Result<(), E>) -> Result<(), E> {
        for at in 0..STRIPES {
            let stripe = self.stripe(at);
            let mut next = *stripe.first;
            while let Some(slot) = stripe.slot(next) {
                let name = slot.name.load(Ordering::Relaxed);
                if (name >> 32) as u16 == database {
                    each(name as u32 as i32, *slot.counter.lock())?;
                }
                next = slot.next.load(Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

impl Stripe<'_> {
    fn slot(&self, plus_one: u32) -> Option<&Slot> {
        plus_one.checked_sub(1).map(|at| &self.slots[at])
    }

    fn find(&self, wanted: u64) -> Option<&Slot> {
        let mut slot = self.slot(*self.first);
        while let Some(found) = slot.filter(|slot| slot.name.load(Ordering::Relaxed) != wanted) {
            slot = self.slot(found.next.load(Ordering::Relaxed));
        }
        slot
    }

    pub fn get(&self, database: u16, object: i32) -> Option<Counter> {
        self.find(name(database, object)).map(|slot| *slot.counter.lock())
    }

    /// Err: there is no room for one more.
    pub fn set(&mut self, database: u16, object: i32, counter: Counter) -> StorageResult<()> {
        let name = name(database, object);
        if let Some(slot) = self.find(name) {
            *slot.counter.lock() = counter;
            return Ok(());
        }
        let at = self.slots.take().map_err(|_| storage::StorageError::OutOfMemory)?;
        let slot = &self.slots[at];
        *slot.counter.lock() = counter;
        slot.name.store(name, Ordering::Relaxed);
        slot.next.store(*self.first, Ordering::Relaxed);
        *self.first = at + 1;
        Ok(())
    }

    pub fn remove(&mut self, database: u16, object: i32) {
        let gone = name(database, object);
        self.remove_if(|name| name == gone);
    }

    fn remove_if(&mut self, goes: impl Fn(u64) -> bool) {
        let mut before = 0;
        let mut next = *self.first;
        while let Some(at) = next.checked_sub(1) {
            let slot = &self.slots[at];
            next = slot.next.load(Ordering::Relaxed);
            if !goes(slot.name.load(Ordering::Relaxed)) {
                before = at + 1;
                continue;
            }
            match self.slot(before) {
                Some(before) => before.next.store(next, Ordering::Relaxed),
                None => *self.first = next,
            }
            self.slots.give(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_come_and_go_with_their_databases() {
        let memory = Memory::reserve(BYTES, os::region::Visibility::ThisProcess).expect("memory");
        let counters = Shared::new(&memory, SqlType::SMALLINT).expect("shared").counters;
        let counter = |last| Counter { last, reserved: last, used: 1, kept: 1, unsettled: 0 };
        for object in 0..2_000 {
            for database in [5, 6] {
                let value = counter(i128::from(object) * i128::from(database));
                counters.lock(database, object).set(database, object, value).expect("room");
            }
        }
        let last = |database, object| counters.lock(database, object).get(database, object).map(|counter| counter.last);
        assert_eq!((last(5, 7), last(6, 7), last(5, 2_000)), (Some(35), Some(42), None));
        counters.lock(5, 7).remove(5, 7);
        assert_eq!((last(5, 7), last(6, 7)), (None, Some(42)));
        counters.forget_database(6);
        let mut count = [0, 0];
        for (at, database) in [5, 6].into_iter().enumerate() {
            let _ = counters.of_database(database, |_, _| {
                count[at] += 1;
                Ok::<(), ()>(())
            });
        }
        assert_eq!(count, [1_999, 0]);
        assert_eq!(last(5, 1_999), Some(9_995));
    }
}
