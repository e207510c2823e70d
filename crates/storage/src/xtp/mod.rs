//! Memory-optimized tables: rows that lie in memory and are reached by indexes in memory, changed without latches, locks or
//! pages, as SQL Server's In-Memory OLTP does it (Diaconu et al., SIGMOD 2013). "XTP" is its name in DMVs and messages.
//!
//! ```text
//!  index -> chain of versions:  { begin, end, links } image      a version is never changed, but for its begin, end and links
//!  insert   a version whose begin is the transaction             update   ends the version there is, inserts another
//!  commit   one step of the commit clock (`commits`), the same as for rows on pages: one transaction changes both kinds
//! ```
//!
//! This module knows rows, chains and times; what a transaction does with them is in `xtp_work`, a start in `xtp_load`, the
//! table itself is `memory_table`. None of them knows buffers and pages. Of the lock table they use only locks of whole tables,
//! against DDL. Modules in dependency order, lowest first.

pub mod memory;
pub mod row;
pub mod hash_index;
pub mod queue;
pub mod retired;
pub mod ordered_index;
pub mod way;
pub mod counts;
pub mod pools;
pub mod eyes;
pub mod work_list;
pub mod collect;
pub mod values;
pub mod object;
pub mod shape;
pub mod cursor;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use os::region::Placed;
use os::shared_struct;

use crate::error::StorageResult;
use crate::region::memory::Memory;
use collect::Garbage;
use counts::Ended;
use memory::RowMemory;
use object::Objects;
use pools::Pools;
use retired::Retired;

shared_struct! {
    /// Counts of what checkpoints of the rows have done since the start.
    #[derive(Debug, Default)]
    pub struct CheckpointNumbers {
        pub closed: AtomicU64,
        /// Looks at the pairs for some that can be merged, merges, and the files that went into them.
        pub looks: AtomicU64,
        pub merges: AtomicU64,
        pub merges_installed: AtomicU64,
        pub files_merged: AtomicU64,
    }
}

shared_struct! {
    /// The loose numbers of all memory-optimized tables.
    #[derive(Debug, Default)]
    pub struct Numbers {
        /// Of the next object.
        pub next_object: AtomicU32,
        /// Of the next value out of its row: no value that there is has it or a higher one.
        pub next_value: AtomicU64,
        /// LSN of the last record of rows.
        pub logged: AtomicU64,
        /// Rows that were contested (`Row::is_contested`), each counted before it is marked.
        pub contests: AtomicU64,
        /// No snapshot in use is older.
        pub oldest: AtomicU64,
        pub checkpoints: CheckpointNumbers,
    }
}

/// What an instance has of them.
pub struct Xtp {
    pub memory: RowMemory,
    pub objects: Objects,
    pub pools: Pools,
    pub garbage: Garbage,
    pub retired: Retired,
    pub ended: Ended,
    pub numbers: Placed<Numbers>,
}

impl Xtp {
    pub fn region_bytes(memory_bytes: usize) -> usize {
        // With the heap's own tables.
        memory_bytes
            + memory_bytes / 1024
            + (4 << 20)
            + Objects::region_bytes()
            + Pools::region_bytes()
            + Retired::region_bytes()
    }

    pub fn new(memory: &Memory, memory_bytes: usize) -> StorageResult<Xtp> {
        let rows = RowMemory::carve(memory, memory_bytes)?;
        Ok(Xtp {
            pools: Pools::new(memory, rows.stats().limit_bytes)?,
            memory: rows,
            objects: Objects::new(memory)?,
            garbage: Garbage::new(memory)?,
            retired: Retired::new(memory)?,
            ended: Ended::new(memory)?,
            // 0 is no object.
            numbers: memory.place(
                "numbers of memory-optimized tables",
                Numbers { next_object: AtomicU32::new(1), next_value: AtomicU64::new(1), ..Numbers::default() },
            )?,
        })
    }

    /// Objects from this number on do not exist yet.
    pub fn next_object(&self) -> u32 {
        self.numbers.next_object.load(Ordering::SeqCst)
    }

    pub fn knows_objects_below(&self, number: u32) {
        self.numbers.next_object.fetch_max(number, Ordering::SeqCst);
    }

    /// LSN of the last record of rows, 0: there was none.
    pub fn last_logged(&self) -> u64 {
        self.numbers.logged.load(Ordering::SeqCst)
    }

    pub fn note_logged(&self, lsn: u64) {
        debug_assert!(lsn > 0, "LSN 0 is no record's");
        self.numbers.logged.fetch_max(lsn, Ordering::SeqCst);
    }
}
