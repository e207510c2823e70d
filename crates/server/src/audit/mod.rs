//! Audits: who did what, written to files before it is answered.
//!
//! ```text
//! actions   what can be audited, by name and by code         record   an entry and its bytes, chained to the one before
//! setup     audits and specifications, kept in audits.toml   trail    the files of one audit
//! text      statements without their passwords
//! audits    which of them concern an event, and the writing
//! ```
//! What happens is told from above: logins by `request`, statements by `request::host`, definitions by `definition`. Nothing here decides
//! who may do what; an event says whether it was allowed. Modules lowest first.

pub mod actions;
pub mod record;
pub mod text;
pub mod setup;
pub mod trail;
pub mod audits;
