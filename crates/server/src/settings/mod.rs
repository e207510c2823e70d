//! What an administrator sets: the options of sp_configure, the configuration file, the command line of `serve`.
//!
//! Values and their bounds only. Who acts on them looks here; nothing here acts. Modules lowest first.

pub mod config;
pub mod startup;
pub mod strength;
pub mod options;
