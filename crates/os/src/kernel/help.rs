//! Schedulers help each other out. A connection rests with the scheduler that watches its socket, but the request that comes on it
//! is anybody's until it begins: what a scheduler has not yet taken from its poller, one with nothing to do takes instead and
//! serves. A busy scheduler therefore takes a few at a time and leaves the rest where others see it; what it takes while others
//! rest, it gives to them. That evens out what connections happen to be where, and what a scheduler misses while its CPU is
//! taken away.

use super::poller::{Armed, IoEntry, Ready};
use super::scheduler::{self, Scheduler, Scheduling, Task, TaskKind};
use crate::clock;
use crate::share::Owed;
use crate::wait::{self, WaitType};
use crate::worker::system;
use std::sync::atomic::Ordering;

/// While workers are runnable, sockets are looked at this often.
const POLL_EVERY_NS: u64 = 100_000;
/// With so many runnable, there is work enough without new requests: sockets are looked at for the sake of attentions.
const ENOUGH_RUNNABLE: u32 = 4;
const POLL_SELDOM_NS: u64 = 1_000_000;
/// News taken at once where others may take the rest.
const TAKEN_AT_ONCE: usize = 8;
/// A scheduler that has not looked at its sockets for so long is busy, or without a CPU.
const HELP_AFTER_NS: u64 = 50_000;

impl Scheduler {
    /// Whether it is time to look at the sockets.
    pub fn is_poll_due(&self, now: u64) -> bool {
        let every = match self.slot().run_length.load(Ordering::Relaxed) {
            0 => return true,
            few if few < ENOUGH_RUNNABLE => POLL_EVERY_NS,
            _ => POLL_SELDOM_NS,
        };
        now.saturating_sub(self.polled_ns.load(Ordering::Relaxed)) >= every
    }

    /// Looks at the sockets: workers wake, armed connections become tasks.
    pub fn poll(&self, now: u64) {
        self.polled_ns.store(now, Ordering::Relaxed);
        self.slot().polls.fetch_add(1, Ordering::Relaxed);
        let news_max = if self.peers().next().is_none() { usize::MAX } else { TAKEN_AT_ONCE };
        let news = self.poller().poll(Some(0), news_max, |run, entry, gone| self.begin_request(run, entry, gone));
        let sleeps = |peer: &&Scheduler| peer.slot().sleeping.load(Ordering::Relaxed) != 0;
        if news == news_max
            && self.machine.arms()
            && let Some(peer) = self.peers().find(sleeps)
        {
            peer.slot().wake();
        }
    }

    /// For a scheduler with nothing to do: takes requests that another one of its pool has not come to. Whether there were any.
    /// Looks at one other scheduler a call.
    pub fn help(&self, now: u64) -> bool {
        if !self.machine.arms() || !self.is_open() {
            return false;
        }
        let count = self.peers().count();
        if count == 0 {
            return false;
        }
        let inner = self.inner();
        inner.next_peer = (inner.next_peer + 1) % count;
        let Some(peer) = self.peers().nth(inner.next_peer) else { return false };
        assert!(peer.index != self.index, "a scheduler helps others");
        // A peer that polled after `now` is not neglected either.
        if now.saturating_sub(peer.polled_ns.load(Ordering::Relaxed)) < HELP_AFTER_NS {
            return false;
        }
        peer.poller().poll_for_owner(TAKEN_AT_ONCE, |run, entry, gone| self.begin_request(run, entry, gone)) > 0
    }

    /// Input has come for an armed connection. `gone`: it is the end; what there is to do is to end a session, which may be what all
    /// the others wait for.
    pub fn begin_request(&self, request: Armed, entry: &IoEntry, gone: bool) {
        if entry.stranger.load(Ordering::Relaxed) {
            return self.start_stranger(request, Ready::Input);
        }
        if gone {
            return self.start(Task::new(TaskKind::System, Box::new(move || request(Ready::Input))));
        }
        let owed = match self.machine.scheduling {
            Scheduling::LargeDeficitFirst => system().shares.owed(&entry.share, clock::now()),
            Scheduling::Fifo => Owed::Nothing,
        };
        let is_here = scheduler::here().is_some_and(|here| here.index == self.index);
        if owed == Owed::Less && is_here && self.slot().run_length.load(Ordering::Relaxed) == 0 {
            self.inner().gives_way = true;
        }
        let rests_until = self.rests_until_ns.load(Ordering::Relaxed);
        let request = match owed == Owed::Less && clock::now() < rests_until {
            false => request,
            true => Box::new(move |ready| {
                wait::park_uninterruptible(WaitType::SOS_SCHEDULER_YIELD, Some(rests_until));
                request(ready);
            }),
        };
        self.place(request, Ready::Input, owed);
    }

    /// Starts a request here, unless there is work here and another scheduler has none: this one's may last. Or it has no worker for
    /// it and another one has; or takes no new tasks; or the connection had too little here.
    pub fn place(&self, request: Armed, ready: Ready, owed: Owed) {
        let mut at = self;
        if !self.is_open() {
            at = self.machine.least_loaded(self.pool(), Scheduler::load);
        } else if self.slot().run_length.load(Ordering::Relaxed) != 0 {
            // This one is marked idle still, when it takes several requests at once.
            if let Some(peer) = self.peers().find(|peer| peer.slot().is_idle.load(Ordering::Relaxed) != 0) {
                // It is not: a second request is not for it.
                peer.slot().is_idle.store(0, Ordering::Relaxed);
                at = peer;
            } else if owed == Owed::Elsewhere {
                at = self.peers().min_by_key(|peer| peer.load()).unwrap_or(self);
            }
        }
        assert!(std::sync::Arc::ptr_eq(&at.machine, &self.machine), "a request leaves its machine");
        if !at.has_worker() {
            at = self.peers().find(|peer| peer.has_worker()).unwrap_or(at);
        }
        at.start_armed(request, ready, owed);
    }
}
