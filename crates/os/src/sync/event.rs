//! A flag that workers wait for. Manual-reset stays set and lets all through; auto-reset lets one through per `set`.

use super::list::{Waiters, grant, wait_granted};
use crate::sys::atomic::{AtomicU32, Ordering};
use crate::wait::WaitType;

pub struct Event {
    /// 1 when set. Changed under the waiters' lock; read without it for the fast way.
    set: AtomicU32,
    waiters: Waiters,
    wait: WaitType,
    auto_reset: bool,
}

impl Event {
    pub const fn manual_reset(wait: WaitType) -> Event {
        Event { set: AtomicU32::new(0), waiters: Waiters::new(), wait, auto_reset: false }
    }

    pub const fn auto_reset(wait: WaitType) -> Event {
        Event { set: AtomicU32::new(0), waiters: Waiters::new(), wait, auto_reset: true }
    }

    /// Lets all waiters through (manual-reset) or one, now or later (auto-reset).
    pub fn set(&self) {
        // A set event has no waiters: nothing to do, and no lock on the way of a busy signaller. Acquire/Release with
        // the stores below, so that what the signaller wrote is seen by the one let through.
        if self.set.load(Ordering::SeqCst) != 0 && !self.auto_reset {
            return;
        }
        self.lock();
        if self.auto_reset {
            match self.waiters.list.pop() {
                Some(id) => grant(id),
                None => self.set.store(1, Ordering::SeqCst),
            }
        } else {
            self.set.store(1, Ordering::SeqCst);
            while let Some(id) = self.waiters.list.pop() {
                grant(id);
            }
        }
        self.unlock();
    }

    pub fn reset(&self) {
        self.lock();
        self.set.store(0, Ordering::SeqCst);
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

    /// Under the waiters' lock: nobody waits for an event that is set.
    fn assert_sound(&self) {
        let set = self.set.load(Ordering::Relaxed);
        assert!(set <= 1, "an event is set or it is not");
        assert!(set == 0 || self.waiters.list.first().is_none(), "an event is set and has a waiter");
    }

    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::SeqCst) != 0
    }

    /// Waits until set; false when `deadline` (of `clock::now`) passes first.
    pub fn wait(&self, deadline: Option<u64>) -> bool {
        if !self.auto_reset && self.is_set() {
            return true;
        }
        self.lock();
        if self.set.load(Ordering::SeqCst) != 0 {
            if self.auto_reset {
                self.set.store(0, Ordering::SeqCst);
            }
            self.unlock();
            return true;
        }
        self.waiters.push_self(0);
        self.unlock();
        wait_granted(self.wait, deadline, |me| self.waiters.remove(me))
    }
}
