//! The scheduler itself. Public face: `sched`, `wait`, `net`.

pub mod poller;
pub mod idle;
pub mod machine;
pub mod scheduler;
pub mod help;
pub mod stack;
pub mod workers;
mod backtrace;
pub mod monitor;
