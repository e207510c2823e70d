//! B-trees on pages: splits and walks, building from sorted keys, versioned rows in their leaves, long values, the directory of a data file, undo, clean-up.
//!
//! All of it is physical and latched; locks that last belong to transactions. Modules lowest first.

pub mod btree;
pub mod build;
pub mod cleanup;
pub mod undo;
pub mod rows;
pub mod directory;
pub mod sample;
pub mod physical;
pub mod long;
pub mod check;
pub mod integrity;
pub mod shrink;
pub mod heal;
