//! Waiting: the one place where a worker stops. Everything that blocks above and in `os` ends here.
//!
//! A call of this module may suspend the worker. Before it: no spinlock held, no thread-local borrow alive.
#![allow(unsafe_code)]

use crate::kernel::scheduler::{self, Scheduler};
use crate::sys::atomic::Ordering;
pub use crate::wait_types::WaitType;
use crate::worker::{self, EMPTY, PARKED, TIMED, TOKEN};
pub use crate::worker::{TaskId, WorkerId, current, unpark};
use crate::{clock, sys};

/// Why [`park`] returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WakeReason {
    /// [`unpark`] was called, now or since the last park: look again at what you wait for.
    Unparked,
    /// The deadline passed.
    Timeout,
    /// [`interrupt`] was called for this task (attention, KILL). Stays so until the task ends or [`clear_interrupt`].
    Interrupted,
}

/// Suspends the current worker until someone unparks it, `deadline` (of `clock::now`) passes, or its task is
/// interrupted. May return `Unparked` for nothing: wait in a loop around your condition.
pub fn park(wait: WaitType, deadline: Option<u64>) -> WakeReason {
    if is_interrupted() {
        return WakeReason::Interrupted;
    }
    let reason = park_uninterruptible(wait, deadline);
    if is_interrupted() { WakeReason::Interrupted } else { reason }
}

/// As [`park`], for short physical waits (latches, mutexes) that an attention must not break.
pub fn park_uninterruptible(wait: WaitType, deadline: Option<u64>) -> WakeReason {
    let id = worker::current();
    let slot = worker::slot(id);
    worker::assert_may_wait(slot);
    // A token left by an earlier wake-up is taken without waiting. Acquire: see what the waker wrote.
    if slot.state.compare_exchange(TOKEN, EMPTY, Ordering::Acquire, Ordering::Relaxed).is_ok() {
        return WakeReason::Unparked;
    }
    let started = clock::now();
    assert!(slot.wait_started_ns.load(Ordering::Relaxed) == 0, "{id:?} waits in a wait");
    slot.wait_type.store(wait as u32, Ordering::Relaxed);
    let whole = whole_since(slot, wait);
    slot.wait_started_ns.store(whole.unwrap_or(started), Ordering::Relaxed);
    // Release: whoever sees PARKED sees the fields above. Failure means a token came: take it below.
    if slot.state.compare_exchange(EMPTY, PARKED, Ordering::AcqRel, Ordering::Acquire).is_ok() {
        match scheduler::here() {
            Some(scheduler) => scheduler.block(id, deadline),
            None => park_outside(slot, deadline),
        }
    }
    debug_assert!(worker::current() == id, "another worker goes on with this one's wait");
    let resumed = scheduler::here().map_or_else(clock::now, |scheduler| scheduler.inner().picked_ns);
    slot.wait_started_ns.store(0, Ordering::Relaxed);
    let was = slot.state.swap(EMPTY, Ordering::AcqRel);
    assert!(was == TOKEN || was == TIMED, "woken by no one: {was}");
    assert!(was == TOKEN || deadline.is_some(), "timed out without a deadline");
    slot.resumed_ns.store(resumed, Ordering::Relaxed);
    let signalled = slot.signalled_ns.load(Ordering::Relaxed).max(started);
    let signal_ns = if worker::on_scheduler() { resumed.saturating_sub(signalled) } else { 0 };
    let waited_ns = resumed.saturating_sub(started);
    if whole.is_some() {
        slot.whole_waited_ns.fetch_add(waited_ns, Ordering::Relaxed);
        slot.whole_signal_ns.fetch_add(signal_ns, Ordering::Relaxed);
    } else {
        count(slot, wait, waited_ns, signal_ns);
    }
    if was == TIMED { WakeReason::Timeout } else { WakeReason::Unparked }
}

fn count(slot: &worker::WorkerSlot, wait: WaitType, waited_ns: u64, signal_ns: u64) {
    worker::count_wait(worker::current_scheduler(), wait, waited_ns, signal_ns);
    worker::count_session_wait(slot, wait, waited_ns, signal_ns);
}

/// When the wait began that one of this type is a part of.
fn whole_since(slot: &worker::WorkerSlot, wait: WaitType) -> Option<u64> {
    let since = slot.whole_since_ns.load(Ordering::Relaxed);
    (since != 0 && slot.whole_type.load(Ordering::Relaxed) == wait as u32).then_some(since)
}

/// While there is one, the worker's waits of that type are parts of one, in which it looks around now and then: the DMVs show when that
/// began, and count it once.
pub struct Whole(WaitType);

impl Whole {
    pub fn begin(wait: WaitType) -> Whole {
        let slot = worker::slot(worker::current());
        assert!(slot.whole_since_ns.load(Ordering::Relaxed) == 0, "a wait within a wait");
        for part in [&slot.whole_waited_ns, &slot.whole_signal_ns] {
            part.store(0, Ordering::Relaxed);
        }
        slot.whole_type.store(wait as u32, Ordering::Relaxed);
        slot.whole_since_ns.store(clock::now(), Ordering::Relaxed);
        Whole(wait)
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        let slot = worker::slot(worker::current());
        slot.whole_since_ns.store(0, Ordering::Relaxed);
        let [waited_ns, signal_ns] =
            [&slot.whole_waited_ns, &slot.whole_signal_ns].map(|part| part.load(Ordering::Relaxed));
        if waited_ns > 0 {
            count(slot, self.0, waited_ns, signal_ns);
        }
    }
}

/// A thread that is no worker waits on its park word itself.
fn park_outside(slot: &worker::WorkerSlot, deadline: Option<u64>) {
    // The model's threads have schedulers without workers.
    assert!(cfg!(any(shuttle, miri)) || !worker::on_scheduler(), "a worker's wait would hold up its scheduler");
    while slot.state.load(Ordering::Acquire) == PARKED {
        let left = match deadline {
            None => None,
            Some(deadline) => match deadline.saturating_sub(clock::now()) {
                0 => {
                    let _ = slot.state.compare_exchange(PARKED, TIMED, Ordering::AcqRel, Ordering::Acquire);
                    return;
                }
                left => Some(left),
            },
        };
        sys::futex_wait(&slot.state, PARKED, left);
    }
}

/// Interrupts `task` if `worker` still runs it: its present or next [`park`] returns `Interrupted`.
pub fn interrupt(worker: WorkerId, task: TaskId) {
    assert!(task.0 != 0, "an idle worker has no task to interrupt");
    let slot = worker::slot(worker);
    slot.interrupt_task.store(task.0, Ordering::Release);
    if slot.task_id.load(Ordering::Acquire) == task.0 {
        unpark(worker);
    }
}

/// Whether someone interrupted the current task.
#[inline]
pub fn is_interrupted() -> bool {
    let slot = worker::slot(worker::current());
    let marked = slot.interrupt_task.load(Ordering::Relaxed);
    marked != 0 && marked == slot.task_id.load(Ordering::Relaxed)
}

/// Forgets an interrupt that has been dealt with: the task goes on.
pub fn clear_interrupt() {
    worker::slot(worker::current()).interrupt_task.store(0, Ordering::Relaxed);
}

/// An interrupt put aside by a wait that it must not end; dropping this gives it back.
#[derive(Debug, Default)]
pub struct Held {
    interrupted: bool,
}

impl Held {
    pub fn hold(&mut self) {
        self.interrupted = true;
        clear_interrupt();
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.interrupted {
            let slot = worker::slot(worker::current());
            slot.interrupt_task.store(slot.task_id.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

/// Says for the DMVs what the coming waits of this worker are for, and who holds it (`WorkerId::NONE` if unknown).
pub fn describe(resource: u64, blocked_by: WorkerId) {
    let slot = worker::slot(worker::current());
    slot.wait_resource.store(resource, Ordering::Relaxed);
    slot.blocked_by.store(blocked_by.raw(), Ordering::Relaxed);
}

/// Lets the other runnable workers of this scheduler go first: one of them may have what the caller waits for.
pub fn yield_now() {
    yield_by(Scheduler::yield_from);
}

/// Lets those of this scheduler go first who are owed more CPU time than the caller: for work that stops early of its own accord
/// and should not lose by it. Once the caller has used its share, as [`yield_now`].
pub fn yield_if_owed() {
    yield_by(Scheduler::yield_to_owed);
}

fn yield_by(give: fn(&Scheduler, WorkerId) -> bool) {
    let Some(scheduler) = scheduler::here() else {
        return sys::yield_thread();
    };
    let me = worker::current();
    let slot = worker::slot(me);
    debug_assert!(matches!(slot.state.load(Ordering::Relaxed), EMPTY | TOKEN), "who yields is not parked");
    let started = clock::now();
    slot.wait_type.store(WaitType::SOS_SCHEDULER_YIELD as u32, Ordering::Relaxed);
    if give(scheduler, me) {
        // All of it is signal time: the worker was runnable throughout.
        let waited = scheduler.inner().picked_ns.saturating_sub(started);
        worker::count_wait(scheduler.index, WaitType::SOS_SCHEDULER_YIELD, waited, waited);
        worker::count_session_wait(worker::slot(worker::current()), WaitType::SOS_SCHEDULER_YIELD, waited, waited);
    }
}

/// A yield point for long loops: yields only when the quantum (4 ms) is used up. About a nanosecond otherwise.
#[inline]
pub fn maybe_yield() {
    if scheduler::quantum_over() {
        yield_if_owed();
    }
}

/// The next [`maybe_yield`] looks at the clock: for one that comes some tenths of a millisecond after the last.
pub fn look_at_clock() {
    scheduler::look_at_clock();
}

/// Suspends the worker for `ms` milliseconds, or until its task is interrupted.
pub fn sleep(wait: WaitType, ms: u64) -> WakeReason {
    sleep_until(wait, clock::after_ms(ms))
}

/// As [`sleep`], to a time on `clock`.
pub fn sleep_until(wait: WaitType, deadline: u64) -> WakeReason {
    loop {
        match park(wait, Some(deadline)) {
            WakeReason::Unparked => continue,
            reason => return reason,
        }
    }
}
