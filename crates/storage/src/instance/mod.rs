//! The instance as a whole: opening and closing, databases, tables and their indexes, checkpoints, figures for the DMVs.
//!
//! Modules lowest first.

pub mod metrics;
pub mod storage;
pub mod changed;
pub mod added_index;
pub mod indexes;
pub mod partitions;
pub mod holding;
pub mod repair;
