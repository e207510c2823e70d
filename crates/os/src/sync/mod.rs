//! Locks that suspend the *worker*, fiber or thread, never the scheduler's OS thread; from a thread that is no worker
//! they block that thread. Each says at construction which wait it books. Guards release on drop.
//!
//! | | for | waits |
//! |---|---|---|
//! | [`SpinLock`] | a few instructions, nothing inside may wait | spins, then yields |
//! | [`Mutex`], [`RwLock`] | private structures, may be held over waits | parks, FIFO |
//! | [`Latch`] | physical consistency of shared structures, five modes | parks, FIFO |
//! | [`Event`], [`Semaphore`], [`Condvar`] | telling others | parks, FIFO |
//!
//! Waiters are named by `WorkerId` and linked through their worker slots: a lock has no heap memory and no pointer, so
//! it may lie in the shared region.

mod condvar;
mod event;
mod latch;
mod list;
mod mutex;
mod rwlock;
mod semaphore;
mod spin;

pub use condvar::Condvar;
pub use event::Event;
pub use latch::{Latch, LatchClass, LatchCounts, LatchGuard, LatchMode, latch_classes};
pub use list::ListLock as RawSpin;
pub use mutex::{Mutex, MutexGuard};
pub use rwlock::{RawRwLock, ReadGuard, ReadHold, RwLock, RwLockForm, WriteGuard, rwlock_form, set_rwlock_form};
pub use semaphore::Semaphore;
pub use spin::{SpinClass, SpinCounts, SpinGuard, SpinLock, spin_classes};
