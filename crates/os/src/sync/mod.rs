//! Locks that suspend the *worker*, fiber or thread, never the scheduler's OS thread; from a thread that is no worker
//! they block that thread. Each says at construction which wait it books. Guards release on drop.
//!
//! | | for | waits |
//! |---|---|---|
//! | [`SpinLock`] | a few instructions, nothing inside may wait | spins, then yields |
//! | [`Mutex`], [`RwLock`] | private structures, may be held over waits | parks, FIFO |
//! | [`Latch`] | physical consistency of shared structures, five modes | parks, FIFO |
//! | [`Event`], [`EventCount`], [`Semaphore`], [`Condvar`] | telling others | parks, FIFO |
//! | [`ParkingLot`] | words without a list of their own | parks, all woken |
//!
//! Waiters are named by `WorkerId` and linked through their worker slots: a lock has no heap memory and no pointer, so
//! it may lie in the shared region.

mod list;
mod event;
mod event_count;
mod latch;
mod mutex;
mod condvar;
mod parking;
mod semaphore;
mod spin;
mod rwlock;

pub use condvar::Condvar;
pub use event::Event;
pub use event_count::EventCount;
pub use latch::{Latch, LatchClass, LatchCounts, LatchGuard, LatchMode, clear_latch_classes, latch_classes};
pub use list::ListLock as RawSpin;
#[cfg(not(shuttle))]
pub(crate) use list::Waiters;
pub use mutex::{Mutex, MutexGuard};
pub use parking::ParkingLot;
pub use rwlock::{RawRwLock, ReadGuard, ReadHold, RwLock, RwLockForm, WriteGuard, rwlock_form, set_rwlock_form};
pub use semaphore::Semaphore;
pub use spin::{SpinClass, SpinCounts, SpinGuard, SpinLock, clear_spin_classes, count_grabs, spin_classes};
