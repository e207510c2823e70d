//! Waiting for something to happen without losing a wake-up: take a ticket, look at the condition, wait with the ticket.
//! A `notify` between the ticket and the wait ends the wait at once.
//! (As `os::sync::EventCount`, but a waiter may give up.)

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use os::engines;
use os::shared_struct;
use os::wait::{self, WaitType, WakeReason, WorkerId};

shared_struct! {
    /// For one waiter at a time, which may give up.
    #[derive(Default)]
    pub struct Waker {
        count: AtomicU64,
        /// A `WorkerId`, 0: nobody waits. SeqCst with `count`: the waiter stores this and then reads `count`, the notifier
        /// the other way round, so one of the two sees the other.
        waiter: AtomicU32,
    }
}

impl Waker {
    pub fn ticket(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    /// Suspends the worker until `notify` is called after `ticket` was taken (`Unparked`), `deadline` of `clock::now`
    /// passes, or the task is interrupted.
    pub fn wait(&self, ticket: u64, wait: WaitType, deadline: u64) -> WakeReason {
        let me = wait::current().raw();
        let before = self.waiter.swap(me, Ordering::SeqCst);
        assert_eq!(before, 0, "one waiter at a time");
        let mut reason = WakeReason::Unparked;
        while self.ticket() == ticket && reason == WakeReason::Unparked {
            reason = wait::park(wait, Some(deadline));
        }
        let after = self.waiter.swap(0, Ordering::SeqCst);
        assert_eq!(after, me, "nobody else ends this wait");
        if self.ticket() == ticket { reason } else { WakeReason::Unparked }
    }

    /// Its last user may have died waiting.
    pub fn forget(&self) {
        self.waiter.store(0, Ordering::SeqCst);
    }

    pub fn notify(&self) {
        // Nobody would make a worker runnable that was marked so and not queued.
        let _section = engines::section(self);
        self.count.fetch_add(1, Ordering::SeqCst);
        let waiter = WorkerId::from_raw(self.waiter.load(Ordering::SeqCst));
        if waiter.is_some() {
            wait::unpark(waiter);
        }
    }
}
