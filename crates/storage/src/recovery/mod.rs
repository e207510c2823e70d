//! From files to a running instance: the control file, redo and undo at a start, the burial of a dead engine.
//!
//! Modules lowest first.

pub mod control;
pub mod holding;
pub mod restart;
pub mod burial;
