//! From the command line to a server that serves, and to its end: listeners, engines as threads or processes, scripts at start.
//!
//! Modules lowest first.

pub mod listen;
pub mod init;
pub mod renewal;
pub mod keeper;
pub mod retention;
pub mod browser;
pub mod serve;
pub mod simulated;
pub mod launch;
pub mod run;
