//! Waiting for something to happen without losing a wake-up: take a ticket, look at the condition, wait with the ticket.
//! A notification between the ticket and the wait ends the wait at once.
//!
//! What happens may be that a number grows, and the waiters themselves may make it grow, each for all of them, as a flush of the log
//! does. So a waiter says how far it must come, and a notification how far it came: who has to wait for more is left alone, but for
//! one that sees to it. Woken all, most would wait again: a wake-up and a switch each, for nothing.

use super::list::{WaitList, Waiters, grant, grant_all, resource_of, wait_granted};
use crate::sys::atomic::{AtomicU64, Ordering};
use crate::wait::{self, WaitType, WorkerId};

/// For any number of waiters. Zero is a valid one.
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

    /// Suspends the worker until a notification after `ticket` was taken is for it: of all, up to `goal` or beyond, or, as the first
    /// of the others, to see to the rest. An attention does not end it. The DMVs show `goal` as the resource of the wait.
    pub fn wait(&self, ticket: u64, goal: u64, wait: WaitType) {
        self.waiters.lock();
        let count = self.ticket();
        assert!(ticket <= count, "ticket {ticket} of another count, which is at {count}");
        if count != ticket {
            return self.waiters.unlock();
        }
        wait::describe(goal, WorkerId::NONE);
        self.waiters.push_self(0);
        self.waiters.unlock();
        let woken = wait_granted(wait, None, |_| unreachable!("no deadline"));
        assert!(woken, "no deadline, no timeout");
        wait::describe(0, WorkerId::NONE);
    }

    /// Wakes all.
    pub fn notify(&self) {
        self.notify_up_to(u64::MAX);
    }

    /// Wakes those whose goal is `reached`, and the first of the others: before it waits again it must have done what ends in another
    /// notification, or found somebody who is at it.
    pub fn notify_up_to(&self, reached: u64) {
        let woken = WaitList::new();
        let mut next = None;
        self.waiters.lock();
        self.count.fetch_add(1, Ordering::SeqCst);
        let all = self.waiters.list.take();
        while let Some(waiter) = all.pop() {
            if resource_of(waiter) <= reached {
                woken.push(waiter);
            } else if next.is_none() {
                next = Some(waiter);
            } else {
                self.waiters.list.push(waiter);
            }
        }
        self.waiters.unlock_then(|| {
            // Before those who are done: they all wait for it, or will at their next request.
            if let Some(next) = next {
                grant(next);
            }
            grant_all(woken);
        });
    }
}
