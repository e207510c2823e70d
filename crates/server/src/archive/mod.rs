//! The archive of the instance, as `--archive` names it: where it lies, which start of a server has it, and the commands that restore it
//! and show what it has; and the objects of stores that backups TO URL are. What an archive is, `storage::archive` knows; the duty that keeps it is `start::keeper`.
//!
//! Modules lowest first.

pub mod moment;
pub mod sign;
pub mod aws;
pub mod s3;
pub mod object;
pub mod place;
pub mod seat;
pub mod command;
