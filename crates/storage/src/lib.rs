//! Pages to transactions: buffer, log, B-trees, locks, versions, recovery. Knows rows and keys as layouts, never SQL.
//!
//! ```text
//! let tx = storage.begin(Isolation::ReadCommitted);   tx.begin_statement();
//! let table = storage.open_table(db, TableId(..))?;   table.insert(&mut tx, &row_image)?;
//! let scan = table.scan(&mut tx, ScanSpec { .. })?;    scan.fill(&mut tx, &mut batch, 1024)?;
//! tx.commit(Durability::Full)?;
//! ```
//!
//! Modules in dependency order, lowest first.

pub mod layout;
pub mod bounds;
pub mod error;
pub mod files;
pub mod hash;
pub mod memory;
pub mod page_list;
pub mod ghosts;
pub mod wake;
pub mod page;
pub mod locks;
pub mod commits;
pub mod versions;
pub mod log;
pub mod data_files;
pub mod buffer;
pub mod control;
pub mod tree;
pub mod row_counts;
pub mod shape;
pub mod xtp;
pub mod shapes;
pub mod engine;
pub mod btree;
pub mod cleanup;
pub mod undo;
pub mod rows;
pub mod directory;
pub mod check;
pub mod long;
pub mod xtp_work;
pub mod xtp_checkpoint;
pub mod xtp_load;
pub mod recovery;
pub mod burial;
pub mod metrics;
pub mod transaction;
pub mod disk_table;
pub mod scan;
pub mod memory_table;
pub mod table;
pub mod instance;

pub use bounds::{KeyBound, in_bounds};
pub use check::PageTotals;
pub use control::CONTROL_FILE;
pub use error::{StorageError, StorageResult};
pub use instance::{Storage, StorageConfig};
pub use layout::{
    DatabaseId, FilterTerm, IndexId, IndexLayout, KeyColumn, Locator, MemoryOptimized, PageRef, TableId, TableLayout,
};
pub use locks::{LockEntry, MemoryTransaction, Resource, TransactionEntry};
pub use memory::Memory;
pub use memory_table::MemoryTable;
pub use memory_table::look_up::LookUp;
pub use memory_table::stats::{
    ChainStats, CheckpointFile, CheckpointFileKind, LastCheckpoint, MemoryHeap, MemoryIndexKind, MemoryIndexStats,
    MemoryTableStats, MemoryTotals,
};
pub use metrics::Metrics;
pub use recovery::Recovered;
pub use scan::{LockHint, Prefixes, RowRef, ScanSpec};
pub use table::{Scan, Table};
pub use transaction::{Canceller, Durability, Isolation, LockMode, Savepoint, Transaction};
pub use xtp::collect::GarbageQueue;
pub use xtp::counts::{IndexCounts, TableCounts, TransactionCounts};
pub use xtp::hash_index::{BUCKETS_MAX, bucket_count};
pub use xtp::object::Role;
pub use xtp::pools::{MemoryPool, MemoryPoolUsage, POOLS_MAX};
