//! One request from message to tokens: the session value that rests between requests, and what runs batches, calls and loads.
//!
//! Modules lowest first; `batch` is the page to open first.

pub mod bulk_target;
pub mod early;
pub mod rpc;
pub mod transaction;
pub mod host;
pub mod prepared;
pub mod batch;
pub mod bulk;
pub mod session;
