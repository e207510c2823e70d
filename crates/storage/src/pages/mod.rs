//! Pages as bytes, and the files they lie in. No cache, no latch and no log: who changes a page brings its bytes.
//!
//! Modules lowest first.

pub mod files;
pub mod page;
pub mod data_files;
pub mod suspects;
