//! Workers: who runs here, and how one wakes another.
//!
//! A wake-up works from any thread and, once engines are processes, from any process. A thread that is no worker (a test,
//! start-up) gets a slot too and parks on a futex.
//!
//! The park word of a slot:
//! ```text
//!   EMPTY  --park-->  PARKED  --unpark-->  TOKEN (made runnable by the one who saw PARKED)
//!     |                  \---deadline-->  TIMED (made runnable by the timer)
//!     \--unpark--> TOKEN --park--> EMPTY, without waiting
//! ```
//! Exactly one party moves a slot out of PARKED, so a worker is never queued twice. Tokens do not add up.
//! Lost wake-ups: model-checked in tests/model.rs.
#![allow(unsafe_code)]

use crate::calls::SystemCall;
use crate::sys::atomic::{AtomicU64, Ordering};
pub use crate::tables::*;
use crate::wait_types::WaitType;
use crate::{clock, simcore, sys};
use std::cell::Cell;

/// Where the tables are mapped, so that every engine process sees them at one address.
#[cfg(not(shuttle))]
const SYSTEM_ADDRESS: usize = 0x2000_0000_0000;

#[cfg(not(shuttle))]
thread_local! {
    static CURRENT: Cell<u32> = const { Cell::new(0) };
    static CURRENT_SCHEDULER: Cell<u32> = const { Cell::new(0) };
    static SIM_SYSTEM: Cell<*const System> = const { Cell::new(std::ptr::null()) };
    static OUTSIDE: OutsideSlot = const { OutsideSlot(Cell::new(0)) };
}

// The model checker's threads share one OS thread.
#[cfg(shuttle)]
shuttle::thread_local! {
    static CURRENT: Cell<u32> = Cell::new(0);
    static CURRENT_SCHEDULER: Cell<u32> = Cell::new(0);
    static SIM_SYSTEM: Cell<*const System> = Cell::new(std::ptr::null());
    static OUTSIDE: OutsideSlot = OutsideSlot(Cell::new(0));
}

/// `Cell`'s own methods of `LocalKey`, which the model checker's thread-locals lack.
#[cfg(shuttle)]
trait CellKey<T> {
    fn get(&'static self) -> T;
    fn set(&'static self, value: T);
}

#[cfg(shuttle)]
impl<T: Copy> CellKey<T> for shuttle::thread::LocalKey<Cell<T>> {
    fn get(&'static self) -> T {
        self.with(Cell::get)
    }

    fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }
}

/// The tables this thread works with: the process's, or its simulation's.
#[inline]
pub fn system() -> &'static System {
    if simcore::active() {
        // SAFETY: set by `enter_simulation` for as long as the simulation is active on this thread.
        return unsafe { &*SIM_SYSTEM.get() };
    }
    process_system()
}

/// The tables of the process and of those forked from it.
#[inline]
fn process_system() -> &'static System {
    #[cfg(shuttle)]
    return model::system();
    #[cfg(not(shuttle))]
    {
        static PROCESS: std::sync::OnceLock<&'static System> = std::sync::OnceLock::new();
        PROCESS.get_or_init(|| System::map(Some(SYSTEM_ADDRESS)))
    }
}

/// A number that no other lock has, in any of the processes that share the tables, nor in a simulation of one: two locks of
/// one number would wait for each other's readers. `None` when all are given out.
pub fn number_a_lock() -> Option<u32> {
    process_system().next_lock_number()
}

/// Makes `system` this thread's tables while a simulation is active. Null ends it.
pub fn set_simulated_system(system: *const System) {
    assert!(system.is_null() != SIM_SYSTEM.get().is_null(), "a thread has one simulation at a time");
    SIM_SYSTEM.set(system);
}

#[inline]
pub fn slot(id: WorkerId) -> &'static WorkerSlot {
    system().slot(id)
}

/// The worker that is running here; an outside thread gets its slot at the first call.
#[inline]
pub fn current() -> WorkerId {
    let id = CURRENT.get();
    if id != 0 { WorkerId(id) } else { enter_outside() }
}

/// As [`current`], without making an outside thread known.
pub fn current_or_none() -> WorkerId {
    WorkerId(CURRENT.get())
}

/// The table index of the scheduler whose baton this thread holds; 0 on an outside thread.
#[inline]
pub fn current_scheduler() -> u32 {
    CURRENT_SCHEDULER.get()
}

/// Says who runs on this thread from now on. Only schedulers call it.
pub fn set_current(id: WorkerId, scheduler: u32) {
    debug_assert!((scheduler as usize) < SCHEDULERS_MAX, "scheduler {scheduler}");
    CURRENT.set(id.0);
    CURRENT_SCHEDULER.set(scheduler);
}

/// Whether the caller is a worker of a scheduler (and not an outside thread).
pub fn on_scheduler() -> bool {
    CURRENT_SCHEDULER.get() != 0
}

/// With debug assertions: the running worker took (1) or freed (-1) a spinlock. Its worker alone counts them.
#[inline]
pub fn spinlocks_held(change: i32) {
    if cfg!(debug_assertions) {
        let held = &slot(current()).spinlocks;
        let now = held.load(Ordering::Relaxed).checked_add_signed(change);
        assert!(now.is_some(), "a spinlock is freed by a worker that holds none");
        held.store(now.unwrap_or(0), Ordering::Relaxed);
    }
}

/// With debug assertions: who goes to wait holds no spinlock, for whose waiters spin meanwhile.
#[inline]
pub fn assert_may_wait(slot: &WorkerSlot) {
    debug_assert!(slot.spinlocks.load(Ordering::Relaxed) == 0, "a wait under a spinlock");
}

/// Lets `id` go on from its present or next park. May be called by anyone, also twice, also for nothing.
#[inline]
pub fn unpark(id: WorkerId) {
    let system = system();
    let slot = system.slot(id);
    // AcqRel: what the waker wrote before is seen by the woken after its park.
    if slot.state.swap(TOKEN, Ordering::AcqRel) == PARKED {
        signal(system, id, slot);
    }
}

/// The timer's wake-up: true if `id` was still parked.
pub fn time_out(id: WorkerId) -> bool {
    let system = system();
    let slot = system.slot(id);
    let timed = slot.state.compare_exchange(PARKED, TIMED, Ordering::AcqRel, Ordering::Relaxed).is_ok();
    if timed {
        signal(system, id, slot);
    }
    timed
}

fn signal(system: &System, id: WorkerId, slot: &WorkerSlot) {
    let kind = slot.kind.load(Ordering::Relaxed);
    // A thread from outside may have seen its state, gone on and given its slot back by now: then nobody is there to be woken.
    if matches!(kind, KIND_OUTSIDE | KIND_FREE) {
        count_call(SystemCall::Futex);
        sys::futex_wake(&slot.state);
    } else {
        slot.signalled_ns.store(clock::now(), Ordering::Relaxed);
        make_runnable(system, id, slot);
    }
}

/// Makes a worker that was moved out of PARKED runnable on its scheduler. By whom: see the park word.
fn make_runnable(system: &System, id: WorkerId, slot: &WorkerSlot) {
    let index = slot.sched.load(Ordering::Relaxed);
    assert!(index != 0, "{id:?} belongs to no scheduler");
    let scheduler = system.scheduler(index);
    if index == CURRENT_SCHEDULER.get() || simcore::active() {
        scheduler.push_woken(system, id);
    } else {
        scheduler.push_inbox(system, id);
    }
}

/// Books a system call on the scheduler that this thread works for.
#[inline]
pub fn count_call(call: SystemCall) {
    let scheduler = current_scheduler();
    let slot = system().scheduler(scheduler);
    // Outside threads share a slot.
    if call.is_by_holder() && scheduler != 0 {
        count_alone(&slot.calls[call as usize]);
    } else {
        slot.count_call(call);
    }
}

/// One more of what nobody else counts at the same time: no locked instruction.
#[inline]
pub fn count_alone(word: &AtomicU64) {
    add_alone(word, 1);
}

#[inline]
fn add_alone(word: &AtomicU64, by: u64) {
    word.store(word.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
}

/// Books a finished wait of `wait` on a scheduler's counters.
pub fn count_wait(scheduler: u32, wait: WaitType, total_ns: u64, signal_ns: u64) {
    debug_assert!(signal_ns <= total_ns, "{signal_ns} ns runnable of a wait of {total_ns} ns");
    let counter = &system().scheduler(scheduler).waits[wait as usize];
    counter.waits.fetch_add(1, Ordering::Relaxed);
    counter.total_ns.fetch_add(total_ns, Ordering::Relaxed);
    counter.signal_ns.fetch_add(signal_ns, Ordering::Relaxed);
    if counter.max_ns.load(Ordering::Relaxed) < total_ns {
        counter.max_ns.store(total_ns, Ordering::Relaxed);
    }
}

/// Books a finished wait of the running worker also on the session that it works for.
pub fn count_session_wait(slot: &WorkerSlot, wait: WaitType, total_ns: u64, signal_ns: u64) {
    let fits = |entry: &&SessionWait| {
        entry.waits.load(Ordering::Relaxed) == 0 || entry.wait_type.load(Ordering::Relaxed) == wait as u64
    };
    let Some(entry) = slot.session_waits.iter().find(fits) else { return };
    entry.wait_type.store(wait as u64, Ordering::Relaxed);
    count_alone(&entry.waits);
    add_alone(&entry.total_ns, total_ns);
    add_alone(&entry.signal_ns, signal_ns);
    entry.max_ns.store(entry.max_ns.load(Ordering::Relaxed).max(total_ns), Ordering::Relaxed);
}

/// The slot of an outside thread, given back when the thread ends.
struct OutsideSlot(Cell<u32>);

impl Drop for OutsideSlot {
    fn drop(&mut self) {
        if self.0.get() != 0 && !simcore::active() {
            system().release(WorkerId(self.0.get()));
            #[cfg(not(shuttle))]
            CURRENT.set(0);
        }
    }
}

/// After a fork: the slot of the thread that forked is the parent's.
#[cfg(not(shuttle))]
pub fn leave_parent() {
    CURRENT.set(0);
    let _ = OUTSIDE.try_with(|outside| outside.0.set(0));
}

#[cold]
fn enter_outside() -> WorkerId {
    assert!(!simcore::active(), "code of a simulation runs on its workers");
    // The model's threads have schedulers without workers, see `enter_new_scheduler`.
    debug_assert!(cfg!(any(shuttle, miri)) || !on_scheduler(), "what a scheduler does between its workers needs none");
    let id = system().allocate(KIND_OUTSIDE, 0).expect("a free worker slot");
    CURRENT.set(id.0);
    // After the thread-local's destructor the slot is not given back: a late user at thread end costs one slot.
    let _ = OUTSIDE.try_with(|outside| outside.0.set(id.0));
    id
}

/// Makes this thread one of a scheduler of its own, as far as `current_scheduler` tells.
#[cfg(any(shuttle, miri))]
pub fn enter_new_scheduler() {
    CURRENT_SCHEDULER.set(system().allocate_scheduler().expect("a slot"));
}

/// For tests/model.rs: fresh tables for every schedule the model checker tries, and the inbox of a scheduler.
#[cfg(shuttle)]
pub mod model {
    use super::*;
    use crate::sys::atomic::AtomicU32;
    // Of the OS thread: all threads of a schedule run on one, and each test has its own.
    std::thread_local! {
        static SYSTEM: Cell<Option<&'static System>> = const { Cell::new(None) };
    }

    pub fn system() -> &'static System {
        SYSTEM.with(|system| system.get().expect("begun"))
    }

    /// Begins a schedule.
    pub fn begin() {
        let system = System::new();
        let last = SYSTEM.with(|current| current.replace(Some(Box::leak(Box::new(system)))));
        if let Some(last) = last {
            // SAFETY: leaked by the last `begin`, whose schedule is over with all its threads.
            drop(unsafe { Box::from_raw((last as *const System).cast_mut()) });
        }
    }

    /// A parked fiber worker of scheduler 1, as `unpark` finds it.
    pub fn parked_fiber() -> WorkerId {
        let id = system().allocate(KIND_FIBER, 1).expect("a slot");
        system().slot(id).state.store(PARKED, Ordering::SeqCst);
        id
    }

    /// The worker is gone: its slot may be taken again.
    pub fn release(id: WorkerId) {
        system().slot(id).state.store(EMPTY, Ordering::SeqCst);
        system().release(id);
    }

    /// Scheduler 1 picks: takes its inbox, else goes to sleep as `Scheduler::sleep` does, until woken. The worker picked.
    pub fn pick_on_scheduler_1(wake_fd: &AtomicU32) -> WorkerId {
        CURRENT_SCHEDULER.set(1);
        let slot = system().scheduler(1);
        loop {
            slot.drain_inbox(system());
            if let Some(id) = slot.pop_runnable(system()) {
                return id;
            }
            slot.prepare_to_sleep();
            if slot.inbox.load(Ordering::Relaxed) == 0 {
                // epoll_wait: until somebody signals the eventfd.
                while wake_fd.swap(0, Ordering::SeqCst) == 0 {
                    sys::spin_hint();
                }
            }
            slot.awake();
        }
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;
    use crate::tables::OWED_IN_A_ROW_MAX;

    #[test]
    fn who_begins_a_round_is_not_passed_by_for_ever() {
        let system = system();
        let index = system.allocate_scheduler().expect("a scheduler");
        let slot = system.scheduler(index);
        slot.reset();
        let [waits, owed] = [(); 2].map(|()| system.allocate(KIND_FIBER, index).expect("a worker"));
        slot.push_runnable(system, waits);
        let turns = (0..100).take_while(|_| {
            slot.push_owed(system, owed);
            slot.pop_runnable(system) == Some(owed)
        });
        assert_eq!(turns.count(), OWED_IN_A_ROW_MAX as usize);
        // The others have their turn next, and the rule begins anew.
        assert_eq!(slot.pop_runnable(system), Some(owed));
        slot.push_runnable(system, waits);
        slot.push_owed(system, owed);
        assert_eq!([slot.pop_runnable(system), slot.pop_runnable(system)], [Some(owed), Some(waits)]);
        system.release(waits);
        system.release(owed);
        slot.status.store(0, Ordering::Release);
    }
}
