//! The server: listen, sessions, batches, procedures, catalog, DMVs, configuration.
//!
//! Modules in dependency order, lowest first.

pub mod options;
pub mod password;
pub mod plan_cache;
pub mod tls;

pub mod config;
pub mod catalog;
pub mod system;
