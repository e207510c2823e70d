//! The scheduler itself. Public face: `sched`, `wait`, `net`.

pub mod poller;
pub mod idle;
pub mod stack;
mod backtrace;
pub mod machine;
pub mod scheduler;
pub mod help;
pub mod door;
pub mod workers;
pub mod monitor;
