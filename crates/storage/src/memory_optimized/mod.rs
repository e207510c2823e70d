//! Memory-optimized tables beyond one row: a transaction's work on them, their checkpoint files, loading them at a start.
//!
//! Rows, indexes and collection in memory are `crate::xtp`; what a statement calls is `crate::tables::memory_table`. Lowest first.

pub mod work;
pub mod checkpoint;
pub mod load;
