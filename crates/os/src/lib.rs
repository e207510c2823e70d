//! The machine. `os` alone owns time, threads, files, sockets and randomness; it does not know what a page, a row or a
//! query is. Everything above is written as plain blocking code: a wait is a call that suspends the worker.
//!
//! Modules in dependency order, lowest first.

pub mod clock;
pub mod disk;
pub mod env;
pub mod fs;
mod kernel;
pub mod limits;
pub mod net;
pub mod random;
pub mod region;
mod rng;
pub mod sched;
pub mod signal;
mod simcore;
pub mod stats;
pub mod sync;
mod sys;
pub mod wait;
mod wait_types;
mod worker;
