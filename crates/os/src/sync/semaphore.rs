//! A counted resource, handed out in the order asked: a large request is not passed by small ones.

use super::list::{Waiters, grant, mode_of, wait_granted};
use crate::sys::atomic::{AtomicU32, Ordering};
use crate::wait::WaitType;

pub struct Semaphore {
    /// Units free. Changed under the waiters' lock only.
    free: AtomicU32,
    waiters: Waiters,
    wait: WaitType,
}

impl Semaphore {
    pub const fn new(wait: WaitType, units: u32) -> Semaphore {
        Semaphore { free: AtomicU32::new(units), waiters: Waiters::new(), wait }
    }

    pub fn try_acquire(&self, units: u32) -> bool {
        self.lock();
        let free = self.free.load(Ordering::Relaxed);
        let got = free >= units && self.waiters.list.first().is_none();
        if got {
            self.free.store(free - units, Ordering::Relaxed);
        }
        self.unlock();
        got
    }

    /// Waits for `units`; false when `deadline` (of `clock::now`) passes first.
    pub fn acquire(&self, units: u32, deadline: Option<u64>) -> bool {
        self.lock();
        let free = self.free.load(Ordering::Relaxed);
        if free >= units && self.waiters.list.first().is_none() {
            self.free.store(free - units, Ordering::Relaxed);
            self.unlock();
            return true;
        }
        self.waiters.push_self(units);
        self.unlock();
        wait_granted(self.wait, deadline, |me| {
            self.lock();
            let was_there = self.waiters.list.remove(me);
            // The one who gave up may have been the only reason why those behind it wait.
            self.grant_waiters();
            self.unlock();
            was_there
        })
    }

    pub fn release(&self, units: u32) {
        self.lock();
        let free = self.free.load(Ordering::Relaxed).checked_add(units).expect("semaphore units overflow");
        self.free.store(free, Ordering::Relaxed);
        self.grant_waiters();
        self.unlock();
    }

    fn lock(&self) {
        self.waiters.lock();
        self.assert_sound();
    }

    fn unlock(&self) {
        self.assert_sound();
        self.waiters.unlock();
    }

    /// Under the waiters' lock: the first waiter, which nobody passes, waits for more than there is.
    fn assert_sound(&self) {
        let free = self.free.load(Ordering::Relaxed);
        let first = self.waiters.list.first().map(mode_of);
        assert!(first.is_none_or(|units| units > free), "{first:?} units are waited for, and {free} are free");
    }

    pub fn free(&self) -> u32 {
        self.free.load(Ordering::Relaxed)
    }

    fn grant_waiters(&self) {
        while let Some(id) = self.waiters.list.first() {
            let (units, free) = (mode_of(id), self.free.load(Ordering::Relaxed));
            if units > free {
                return;
            }
            self.waiters.list.pop();
            self.free.store(free - units, Ordering::Relaxed);
            grant(id);
        }
    }
}
