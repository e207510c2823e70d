//! The machine. `os` alone owns time, threads, files, sockets and randomness; it does not know what a page, a row or a
//! query is. Everything above is written as plain blocking code: a wait is a call that suspends the worker.
//!
//! | | |
//! |---|---|
//! | [`sched`] | start a machine, spawn tasks, leave the scheduler for blocking calls |
//! | [`wait`] | park, unpark, yield, sleep, interrupt; the wait types |
//! | [`sync`] | Mutex, RwLock, Latch, Event, Semaphore, Condvar, SpinLock |
//! | [`net`], [`disk`] | sockets that rest without a stack; files, real or simulated |
//! | [`region`] | memory shared by engines, and a heap in it |
//! | [`launcher`], [`engines`] | engines as processes: forked and watched; when one must not die alone |
//! | [`clock`], [`random`], [`limits`], [`heap`], [`cpus`], [`cores`], [`threads`], [`env`], [`fs`], [`signal`], [`children`] | the rest of the outside world |
//! | [`panics`], [`planted`] | what a panic costs; panics and failures that a test plants |
//! | [`stats`] | what the DMVs show of all this |
//! | [`sim`] | the simulated machine: one seed, one trace |
//!
//! Modules in dependency order, lowest first.

mod rng;
mod simcore;
mod sys;
pub mod clock;
pub mod random;
pub mod limits;
mod private;
pub mod parallel;
pub mod threads;
pub mod cpus;
pub mod cores;
mod wait_types;
mod calls;
mod readers;
mod share;
mod tables;
mod worker;
pub mod panics;
#[cfg(debug_assertions)]
pub mod planted;
pub mod engines;
pub mod children;
pub mod env;
mod kernel;
pub mod wait;
pub mod sync;
pub mod region;
pub mod sched;
pub mod heap;
#[cfg(not(shuttle))]
pub mod launcher;
pub mod fs;
pub mod journal;
pub mod signal;
pub mod disk;
pub mod net;
pub mod stats;
pub mod sim;

/// A place where a test may make a request panic (`planted`). Nothing in a release.
#[macro_export]
macro_rules! plant {
    () => {
        #[cfg(debug_assertions)]
        $crate::planted::pass();
    };
}

/// Whether a test wants this step of its session to fail (`planted`).
#[cfg(debug_assertions)]
#[macro_export]
macro_rules! fails {
    ($step:ident) => {
        $crate::planted::fails($crate::planted::Step::$step)
    };
}

/// Never in a release.
#[cfg(not(debug_assertions))]
#[macro_export]
macro_rules! fails {
    ($step:ident) => {
        false
    };
}

/// What tests/model.rs and tests/orders.rs need of the inside.
#[cfg(any(shuttle, miri))]
pub mod model {
    #[cfg(shuttle)]
    pub use crate::sys::MODEL_EVENTFD;
    #[cfg(shuttle)]
    pub use crate::sys::atomic;
    pub use crate::worker::enter_new_scheduler;
    #[cfg(shuttle)]
    pub use crate::worker::model::*;
}
