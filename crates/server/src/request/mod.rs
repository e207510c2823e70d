//! One request from message to tokens: the session value that rests between requests, what runs batches, calls and loads, and what
//! execution asks meanwhile (`exec::Host`).
//!
//! How bytes are laid out is `crate::wire`'s, what a session knows `crate::session`'s. Lowest first; `batch` is the page to open first.

pub mod admission;
pub mod calls;
pub mod text_procedures;
pub mod table_value;
pub mod host;
pub mod lifetime;
pub mod logon;
pub mod login;
pub mod session;
pub mod workload;
#[cfg(debug_assertions)]
pub mod planted;
pub mod panicked;
pub mod batch;
pub mod rpc;
pub mod transaction;
pub mod bulk;
pub mod bulk_file;
pub mod serve;
pub mod entrance;
