//! Waiting for something to happen without losing a wake-up: take a ticket, look at the condition, wait with the ticket.
//! A `notify` between the ticket and the wait ends the wait at once.

use super::list::{ListLock, WaitList, grant_all, wait_granted};
use crate::sys::atomic::{AtomicU64, Ordering};
use crate::wait::WaitType;

/// For any number of waiters, all woken by each `notify`. Zero is a valid one.
#[derive(Default)]
pub struct EventCount {
    /// Changed under `lock`: whoever finds its ticket still valid there is in the list before the next change.
    count: AtomicU64,
    lock: ListLock,
    list: WaitList,
}

impl EventCount {
    pub fn ticket(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    /// Suspends the worker until `notify` is called after `ticket` was taken. An attention does not end it.
    pub fn wait(&self, ticket: u64, wait: WaitType) {
        self.lock.lock();
        if self.ticket() != ticket {
            return self.lock.unlock();
        }
        self.list.push_self(0);
        self.lock.unlock();
        let woken = wait_granted(wait, None, |_| unreachable!("no deadline"));
        assert!(woken, "no deadline, no timeout");
    }

    pub fn notify(&self) {
        self.lock.lock();
        self.count.fetch_add(1, Ordering::SeqCst);
        let waiters = self.list.take();
        self.lock.unlock();
        grant_all(waiters);
    }
}
