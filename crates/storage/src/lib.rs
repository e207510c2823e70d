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

pub mod buffer;
pub mod commits;
pub mod control;
pub mod engine;
pub mod error;
pub mod instance;
pub mod layout;
pub mod locks;
pub mod log;
pub mod long;
pub mod metrics;
pub mod page;
pub mod platform;
pub mod recovery;
pub mod rows;
pub mod scan;
pub mod shape;
pub mod table;
pub mod transaction;
pub mod tree;
pub mod undo;
pub mod versions;

pub use error::{StorageError, StorageResult};
pub use instance::{Storage, StorageConfig};
pub use layout::{DatabaseId, IndexId, IndexLayout, KeyColumn, Locator, PageRef, TableId, TableLayout};
pub use locks::{LockEntry, Resource, TransactionEntry};
pub use metrics::Metrics;
pub use scan::{KeyBound, LockHint, RowRef, Scan, ScanSpec};
pub use table::Table;
pub use transaction::{Canceller, Durability, Isolation, LockMode, Savepoint, Transaction};
