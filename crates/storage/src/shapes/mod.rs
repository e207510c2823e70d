//! What a table is made of: handles of its trees, how rows become keys and entries, and the shapes that an engine has open.
//!
//! No walk over a tree lives here (`crate::trees`). Modules lowest first.

pub mod tree;
pub mod shape;
pub mod known;
