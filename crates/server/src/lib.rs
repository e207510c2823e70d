//! The server: listen, sessions, batches, procedures, catalog, DMVs, configuration.
//!
//! Modules in dependency order, lowest first.

pub mod settings;
pub mod catalog;
pub mod security;
pub mod audit;
pub mod archive;
pub mod instance;
pub mod wire;
pub mod session;
pub mod definition;
pub mod system;
pub mod request;
mod agent;
mod http;
pub mod start;

/// `@@SERVERNAME` in messages before the catalog knows better.
pub const SERVER_NAME: &str = "heddle";
