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

pub mod bounds;
pub mod layout;
pub mod hold;
pub mod error;
pub mod region;
pub mod pages;
pub mod spill;
pub mod concurrency;
pub mod log;
pub mod xtp;
pub mod buffer;
pub mod shapes;
pub mod engine;
pub mod admission;
pub mod trees;
pub mod memory_optimized;
pub mod recovery;
pub mod transaction;
pub mod tables;
pub mod instance;
pub mod backup;
pub mod archive;

pub use bounds::{KeyBound, in_bounds};
pub use buffer::{PageContent, ResidentPage};
pub use concurrency::locks::{LockEntry, MemoryTransaction, Resource, TransactionEntry, WriterEntry};
pub use error::{LogHolder, StorageError, StorageResult};
pub use hold::{HeldFile, Hold};
pub use instance::metrics::{LogSpace, Metrics};
pub use instance::partitions::Part;
pub use instance::storage::{Storage, StorageConfig};
pub use layout::{
    DatabaseId, FilterTerm, IndexId, IndexLayout, KeyColumn, Locator, MemoryOptimized, PageRef, Partitioning, TableId,
    TableLayout,
};
pub use log::store::Segment;
pub use pages::data_files::{Chain, FileWork, file_name as data_file_name};
pub use pages::page::PageKind;
pub use pages::suspects::SuspectKind;
pub use recovery::control::CONTROL_FILE;
pub use recovery::restart::Recovered;
pub use region::archived::{ArchiveState, Archived};
pub use region::broker::{Broker, Clerk};
pub use region::grants::{Grant, GrantEntry, GrantRequest, GrantTotals, Grants, QUERY_PERCENT, Refused};
pub use region::memory::Memory;
pub use region::row_counts::ChangeCount;
pub use tables::disk_table::{DiskTable, TreePlace};
pub use tables::load::{Build, HeapLoad, KeySorter};
pub use tables::memory_table::MemoryTable;
pub use tables::memory_table::look_up::LookUp;
pub use tables::memory_table::stats::{
    ChainStats, CheckpointFile, CheckpointFileKind, LastCheckpoint, MemoryHeap, MemoryIndexKind, MemoryIndexStats,
    MemoryTableStats, MemoryTotals,
};
pub use tables::partitioned::{MisplacedRow, PartitionedTable};
pub use tables::scan::{FirstLook, LockHint, Prefixes, RowRef, ScanSpec};
pub use tables::table::{Scan, Table};
pub use transaction::{Canceller, Durability, Isolation, LockMode, Savepoint, Transaction};
pub use trees::build::Fill;
pub use trees::check::{FileSpace, PageTotals};
pub use trees::directory::TreeSize;
pub use trees::heal::{Cure, CureKind, Repaired};
pub use trees::integrity::{Flaw, FlawKind};
pub use trees::physical::{Leaves, PhysicalLevel};
pub use trees::sample::Sampled;
pub use xtp::collect::GarbageQueue;
pub use xtp::counts::{IndexCounts, TableCounts, TransactionCounts};
pub use xtp::hash_index::{BUCKETS_MAX, bucket_count};
pub use xtp::object::Role;
pub use xtp::pools::{MemoryPool, MemoryPoolUsage, POOLS_MAX};
