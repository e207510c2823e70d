//! Waiting for something to happen without losing a wake-up: take a ticket, look at the condition, wait with the ticket.
//! A `notify` between the ticket and the wait ends the wait at once.

use super::list::{Waiters, grant_all, wait_granted};
use crate::sys::atomic::{AtomicU64, Ordering};
use crate::wait::WaitType;

/// For any number of waiters, all woken by each `notify`. Zero is a valid one.
#[derive(Default)]
pub struct EventCount {
    /// Changed under the waiters' lock: whoever finds its ticket still valid there is in the list before the next change.
    count: AtomicU64,
    waiters: Waiters,
}

impl EventCount {
    pub fn ticket(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    /// Suspends the worker until `notify` is called after `ticket` was taken. An attention does not end it.
    pub fn wait(&self, ticket: u64, wait: WaitType) {
        self.waiters.lock();
        if self.ticket() != ticket {
            return self.waiters.unlock();
        }
        self.waiters.push_self(0);
        self.waiters.unlock();
        let woken = wait_granted(wait, None, |_| unreachable!("no deadline"));
        assert!(woken, "no deadline, no timeout");
    }

    pub fn notify(&self) {
        self.waiters.lock();
        self.count.fetch_add(1, Ordering::SeqCst);
        let waiters = self.waiters.list.take();
        self.waiters.unlock();
        grant_all(waiters);
    }
}
