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

pub mod error;
pub mod layout;
pub mod scan;
pub mod storage;
pub mod table;
pub mod transaction;

pub use error::{StorageError, StorageResult};
pub use layout::{DatabaseId, IndexId, IndexLayout, KeyColumn, Locator, PageRef, TableId, TableLayout};
pub use scan::{KeyBound, LockHint, RowRef, Scan, ScanSpec};
pub use storage::Storage;
pub use table::Table;
pub use transaction::{Canceller, Durability, Isolation, LockMode, Savepoint, Transaction};
