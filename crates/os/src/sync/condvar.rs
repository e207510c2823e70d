//! Waiting for a condition on what a [`Mutex`] guards.

use super::list::{Waiters, grant, wait_granted};
use super::mutex::MutexGuard;
use crate::wait::WaitType;

pub struct Condvar {
    waiters: Waiters,
    wait: WaitType,
}

impl Condvar {
    pub const fn new(wait: WaitType) -> Condvar {
        Condvar { waiters: Waiters::new(), wait }
    }

    /// Frees the mutex, waits to be notified, takes the mutex again. No wake-ups for nothing, but the condition may
    /// have changed again in between: call it in a loop.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.wait_until(guard, None).0
    }

    /// As `wait`; false with the guard when `deadline` (of `clock::now`) passed first.
    pub fn wait_until<'a, T>(&self, guard: MutexGuard<'a, T>, deadline: Option<u64>) -> (MutexGuard<'a, T>, bool) {
        let mutex = guard.mutex();
        assert!(mutex.is_held(), "who waits for a change holds the mutex that guards it");
        self.waiters.lock();
        self.waiters.push_self(0);
        self.waiters.unlock();
        // Whoever changes the condition from now on finds us in the list.
        drop_unlisted(guard);
        let notified = wait_granted(self.wait, deadline, |me| self.waiters.remove(me));
        (mutex.lock(), notified)
    }

    pub fn notify_one(&self) {
        self.waiters.lock();
        if let Some(id) = self.waiters.list.pop() {
            grant(id);
        }
        self.waiters.unlock();
    }

    pub fn notify_all(&self) {
        self.waiters.lock();
        while let Some(id) = self.waiters.list.pop() {
            grant(id);
        }
        self.waiters.unlock();
    }
}

/// Releasing a mutex never waits, so it is safe while this worker is in the condvar's list.
fn drop_unlisted<T>(guard: MutexGuard<'_, T>) {
    drop(guard);
}
