//! Tables as statements use them: reads, scans and changes, on pages or in memory, within a transaction.
//!
//! What rows mean, and which index serves a query, is decided above this crate. Modules lowest first.

pub mod disk_table;
pub mod scan;
pub mod partitioned;
pub mod partitioned_scan;
pub mod memory_table;
pub mod table;
pub mod load;
