//! The instance as a whole: opening and closing, databases, checkpoints, figures for the DMVs.
//!
//! Modules lowest first.

pub mod metrics;
pub mod storage;
pub mod holding;
