//! The server: listen, sessions, batches, procedures, catalog, DMVs, configuration.
//!
//! Modules in dependency order, lowest first.

pub mod config;
pub mod startup;
mod pools;
pub mod options;
pub mod password;
pub mod tls;
pub mod catalog;
pub mod counts;
pub mod handle;
pub mod plan_cache;
pub mod load;
pub mod native_statistics;
pub mod sessions;
pub mod question;
pub mod engines;
pub mod spare;
mod orphans;
pub mod server;
mod machine;
pub mod mars;
pub mod connection;
pub mod login;
pub mod sink;
pub mod bulk_target;
pub mod system;
pub mod definition;
pub mod host;
pub mod early;
pub mod prepared;
pub mod batch;
pub mod rpc;
pub mod transaction;
pub mod bulk;
pub mod session;
pub mod listen;
mod http;
pub mod init;
pub mod serve;
pub mod simulated;
pub mod launch;
pub mod run;

/// `@@SERVERNAME` in messages before the catalog knows better.
pub const SERVER_NAME: &str = "heddle";
