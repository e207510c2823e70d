//! What the sessions of an instance share: the server value, sessions by number, caches, pools, mail between engines.
//!
//! Nothing here knows a request's text or a socket's bytes. Modules lowest first.

pub mod error_log;
pub mod counts;
pub mod handle;
pub mod index_usage;
pub mod plan_cache;
pub mod health;
pub mod load;
pub mod native_statistics;
pub mod sessions;
pub mod question;
pub mod engines;
pub mod spare;
pub mod doors;
pub mod orphans;
pub mod pools;
pub mod server;
pub mod logins;
pub mod memory;
pub mod machine;
pub mod limits;
