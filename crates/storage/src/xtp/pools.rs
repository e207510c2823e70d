//! How much memory the tables of each database take, and how much they may: databases are in pools, and a pool has a limit.
//!
//! An object counts its own bytes, in shares (`object`), and a share tells of them here whenever it passes a step of 16 KB, of rows
//! or of indexes. So a row costs no more for being counted twice; what is known here is below the truth by less than two steps for each
//! share of a table, and by less than one for each transaction that inserts.
//! Whoever wants more compares a few words that seldom change.
//!
//! What is there already stays, whatever the limit: a start loads all rows, and a limit may be lowered.

use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use os::region::{Part, Placed};
use os::shared_struct;
use os::sync::{Mutex, SpinClass, SpinLock};
use os::wait::WaitType;

use crate::error::{StorageError, StorageResult};
use crate::layout::DatabaseId;
use crate::region::memory::Memory;

static MOVING: SpinClass = SpinClass::new("XTP_POOLS");

/// Pools of an instance: as many as SQL Server has.
pub const POOLS_MAX: usize = 64;
/// Every number of a database.
const DATABASES: usize = 1 << 16;
const STEP_BITS: u32 = 14;
pub const STEP_BYTES: i64 = 1 << STEP_BITS;
/// As SQL Server's longest name.
const NAME_MAX: usize = 128;
const _: () = assert!(POOLS_MAX - 1 <= u8::MAX as usize && DATABASES - 1 == u16::MAX as usize);

/// A pool by its place among them. Databases that nobody has put anywhere are in the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryPool(pub u8);

impl MemoryPool {
    pub const DEFAULT: MemoryPool = MemoryPool(0);
}

/// Of a pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryPoolUsage {
    pub bytes: u64,
    pub limit_bytes: u64,
    /// How often somebody wanted more than there was.
    pub refusals: u64,
}

shared_struct! {
    struct Database {
        bytes: AtomicI64,
        pool: AtomicU32,
    }
}

shared_struct! {
    /// In cache lines of its own.
    #[repr(align(128))]
    struct Pool {
        bytes: AtomicI64,
        limit: AtomicI64,
        /// Of all there is; what `limit` was computed of.
        percent: AtomicU32,
        refusals: AtomicU64,
    }
}

shared_struct! {
    /// What messages call a pool.
    #[derive(Clone, Copy)]
    struct Name {
        length: u16,
        units: [u16; NAME_MAX],
    }
}

pub struct Pools {
    databases: Part<Database>,
    pools: Part<Pool>,
    names: Placed<Mutex<[Name; POOLS_MAX]>>,
    /// Held while bytes, or a database with its own, come to a pool or leave it.
    moving: Placed<SpinLock<()>>,
    /// Of all pools together.
    limit: Placed<AtomicU64>,
    /// Bytes that each database may have, whatever its pool.
    quota: Placed<AtomicI64>,
}

/// What a share that has counted `before` bytes, of rows or of indexes, tells of `more`.
#[inline]
pub fn steps(before: i64, more: i64) -> i64 {
    told(before + more) - told(before)
}

/// What a share of so many bytes has told of them.
#[inline]
pub fn told(bytes: i64) -> i64 {
    let told = bytes >> STEP_BITS << STEP_BITS;
    debug_assert!(told <= bytes && bytes - told < STEP_BYTES, "less than a step is not told");
    told
}

impl Pools {
    pub fn region_bytes() -> usize {
        DATABASES * size_of::<Database>() + POOLS_MAX * (size_of::<Pool>() + size_of::<Name>()) + 4096
    }

    /// `limit`: bytes that all pools have together.
    pub fn new(memory: &Memory, limit: u64) -> StorageResult<Pools> {
        let names = [Name { length: 0, units: [0; NAME_MAX] }; POOLS_MAX];
        let pools = Pools {
            databases: memory.carve("databases with memory-optimized tables", DATABASES)?,
            pools: memory.carve("pools of memory-optimized tables", POOLS_MAX)?,
            names: memory.place("names of pools", Mutex::new(WaitType::SOS_MUTEX, names))?,
            moving: memory.place("pools of memory-optimized tables", SpinLock::new(&MOVING, ()))?,
            limit: memory.place("limit of all pools", AtomicU64::new(limit))?,
            quota: memory.place("quota of a database", AtomicI64::new(i64::MAX))?,
        };
        pools.set(MemoryPool::DEFAULT, "default", 100);
        Ok(pools)
    }

    fn pool_of(&self, db: DatabaseId) -> usize {
        self.databases[usize::from(db.0)].pool.load(Ordering::Relaxed) as usize
    }

    /// The tables of a database have so many more bytes, or less.
    #[cold]
    #[inline(never)]
    pub fn add(&self, db: DatabaseId, bytes: i64) {
        assert!(bytes % STEP_BYTES == 0, "{bytes} bytes: pools are told in steps");
        let _moving = self.moving.lock();
        self.databases[usize::from(db.0)].bytes.fetch_add(bytes, Ordering::Relaxed);
        self.pools[self.pool_of(db)].bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Err: the database or its pool has no room for so many bytes more.
    #[inline]
    pub fn admit(&self, db: DatabaseId, bytes: usize) -> StorageResult<()> {
        debug_assert!(bytes > 0 && bytes <= i64::MAX as usize);
        let (database, pool) = (&self.databases[usize::from(db.0)], &self.pools[self.pool_of(db)]);
        // Relaxed: whoever sees an older number is let in as if it had come earlier.
        let fits = |there: &AtomicI64, limit: &AtomicI64| {
            there.load(Ordering::Relaxed) <= limit.load(Ordering::Relaxed) - bytes as i64
        };
        if !fits(&database.bytes, &self.quota) {
            return Err(StorageError::QuotaReached);
        }
        if fits(&pool.bytes, &pool.limit) { Ok(()) } else { Err(self.refuse(db)) }
    }

    /// None: a database may have what its pool has.
    pub fn set_quota(&self, bytes: Option<u64>) {
        let bytes = bytes.and_then(|bytes| i64::try_from(bytes).ok());
        self.quota.store(bytes.unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// There is no memory for the database.
    #[cold]
    #[inline(never)]
    pub fn refuse(&self, db: DatabaseId) -> StorageError {
        let pool = self.pool_of(db);
        self.pools[pool].refusals.fetch_add(1, Ordering::Relaxed);
        StorageError::MemoryOptimizedFull { pool: self.name(MemoryPool(pool as u8)).into() }
    }

    pub fn name(&self, pool: MemoryPool) -> String {
        let name = self.names.lock()[usize::from(pool.0)];
        String::from_utf16_lossy(&name.units[..usize::from(name.length)])
    }

    /// Names a pool and limits it to a share of all memory there is for such tables. For all engines, and at once.
    pub fn set(&self, pool: MemoryPool, name: &str, percent: u32) {
        assert!(usize::from(pool.0) < POOLS_MAX && percent <= 100, "pool {} of {percent} %", pool.0);
        let mut written = Name { length: 0, units: [0; NAME_MAX] };
        for (to, unit) in written.units.iter_mut().zip(name.encode_utf16()) {
            *to = unit;
            written.length += 1;
        }
        self.names.lock()[usize::from(pool.0)] = written;
        self.pools[usize::from(pool.0)].percent.store(percent, Ordering::Relaxed);
        self.limit(usize::from(pool.0));
    }

    /// All pools together may have so many bytes from now on, and each its share of that. What is there stays.
    pub fn set_limit(&self, bytes: u64) {
        self.limit.store(bytes, Ordering::Relaxed);
        (0..POOLS_MAX).for_each(|pool| self.limit(pool));
    }

    fn limit(&self, pool: usize) {
        let (pool, all) = (&self.pools[pool], self.limit.load(Ordering::Relaxed));
        let limit = u128::from(all) * u128::from(pool.percent.load(Ordering::Relaxed)) / 100;
        pool.limit.store(limit as i64, Ordering::Relaxed);
    }

    /// A pool that is not there, or does not govern: it keeps its name and may take all there is.
    pub fn unlimit(&self, pool: MemoryPool) {
        self.pools[usize::from(pool.0)].percent.store(100, Ordering::Relaxed);
        self.limit(usize::from(pool.0));
    }

    /// From now on the tables of a database count for this pool.
    pub fn bind(&self, db: DatabaseId, pool: MemoryPool) {
        assert!(usize::from(pool.0) < POOLS_MAX, "pool {}", pool.0);
        let database = &self.databases[usize::from(db.0)];
        let _moving = self.moving.lock();
        let bytes = database.bytes.load(Ordering::Relaxed);
        self.pools[self.pool_of(db)].bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.pools[usize::from(pool.0)].bytes.fetch_add(bytes, Ordering::Relaxed);
        database.pool.store(pool.0.into(), Ordering::Relaxed);
    }

    pub fn usage(&self, pool: MemoryPool) -> MemoryPoolUsage {
        let pool = &self.pools[usize::from(pool.0)];
        let bytes = |word: &AtomicI64| word.load(Ordering::Relaxed).max(0) as u64;
        MemoryPoolUsage {
            bytes: bytes(&pool.bytes),
            limit_bytes: bytes(&pool.limit),
            refusals: pool.refusals.load(Ordering::Relaxed),
        }
    }

    /// What the tables of a database take.
    pub fn database_bytes(&self, db: DatabaseId) -> u64 {
        self.databases[usize::from(db.0)].bytes.load(Ordering::Relaxed).max(0) as u64
    }
}
