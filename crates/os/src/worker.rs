//! The worker and scheduler tables: who there is, who waits for what, and how one wakes another.
//!
//! They are plain atomics in shared memory at one address, and everyone in them is named by index, so a wake-up works
//! from any thread and, once engines are processes, from any process. A thread that is no worker (a test, start-up)
//! gets a slot too and parks on a futex.
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

use crate::readers::ReaderRow;
use crate::sys::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering, fence};
use crate::wait_types::WaitType;
use crate::{clock, simcore, sys};
use std::cell::Cell;

/// Names a slot of the worker table. Reused after the worker is gone; a stale name at worst wakes someone for nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct WorkerId(u32);

impl WorkerId {
    /// No worker: what an empty link or an unset field holds.
    pub const NONE: WorkerId = WorkerId(0);

    pub const fn from_raw(raw: u32) -> WorkerId {
        WorkerId(raw)
    }

    pub const fn raw(self) -> u32 {
        self.0
    }

    pub const fn is_some(self) -> bool {
        self.0 != 0
    }
}

/// Names a task: one per closure run, never reused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct TaskId(pub u64);

pub const WORKERS_MAX: usize = if cfg!(shuttle) { 16 } else { 40_960 };
pub const SCHEDULERS_MAX: usize = if cfg!(shuttle) { 3 } else { 256 };

pub const EMPTY: u32 = 0;
pub const TOKEN: u32 = 1;
pub const PARKED: u32 = 2;
pub const TIMED: u32 = 3;

/// `WorkerSlot::kind`.
pub const KIND_FREE: u32 = 0;
pub const KIND_OUTSIDE: u32 = 1;
pub const KIND_FIBER: u32 = 2;
pub const KIND_THREAD: u32 = 3;

/// Wait types of one request that are booked on its session; waits of more types are in the server's statistics alone.
pub const SESSION_WAITS_MAX: usize = 8;

/// Waits of one type of a session's request. Its worker alone reads and writes it.
#[derive(Default)]
#[repr(C)]
pub struct SessionWait {
    /// 0: free.
    pub waits: AtomicU64,
    pub wait_type: AtomicU64,
    pub total_ns: AtomicU64,
    pub max_ns: AtomicU64,
    pub signal_ns: AtomicU64,
}

/// One worker. All zero is a free slot.
#[derive(Default)]
#[repr(C, align(64))]
pub struct WorkerSlot {
    /// The park word, see the top of the file.
    pub state: AtomicU32,
    /// A thread worker runs only while this is 1: its scheduler's baton.
    pub baton: AtomicU32,
    pub kind: AtomicU32,
    /// Index into the scheduler table; 0 for an outside thread.
    pub sched: AtomicU32,
    /// Link of the runnable queue, the inbox or the free list: a worker is in one of them at most.
    pub run_next: AtomicU32,
    /// Link of the wait list the worker is in, and what it asks there; owned by that list's lock.
    pub wait_next: AtomicU32,
    pub wait_mode: AtomicU32,
    /// 1 once the wait list has granted what was asked: set under the list's lock, before the wake-up.
    pub granted: AtomicU32,
    /// Why it waits or last waited (`WaitType` index) and on what (an address or id, for the DMVs).
    pub wait_type: AtomicU32,
    /// Whom it waits for, if known (a `WorkerId`), for blocking_task_address.
    pub blocked_by: AtomicU32,
    pub wait_resource: AtomicU64,
    /// 0 when it does not wait.
    pub wait_started_ns: AtomicU64,
    pub signalled_ns: AtomicU64,
    pub resumed_ns: AtomicU64,
    /// The task it runs; 0 when idle. An interrupt names the task it is meant for.
    pub task_id: AtomicU64,
    pub interrupt_task: AtomicU64,
    pub task_kind: AtomicU32,
    pub session_id: AtomicU32,
    pub request_id: AtomicU32,
    pub is_preemptive: AtomicU32,
    pub task_bound_ns: AtomicU64,
    pub created_ns: AtomicU64,
    pub quantum_start_ns: AtomicU64,
    pub quantum_used_ns: AtomicU64,
    /// Pages looked at, changed, and read from disk for it. Its worker alone writes them.
    pub page_reads: AtomicU64,
    pub page_writes: AtomicU64,
    pub page_faults: AtomicU64,
    /// Waits since they were last taken: of the session whose request it runs.
    pub session_waits: [SessionWait; SESSION_WAITS_MAX],
    pub context_switches: AtomicU64,
    pub task_context_switches: AtomicU64,
    pub tasks_processed: AtomicU64,
    pub os_thread: AtomicU32,
    /// Index into the private worker list of its scheduler.
    pub local: AtomicU32,
    /// Counts waits with a deadline: an old timer does not match.
    pub park_number: AtomicU64,
    pub pending_io: AtomicU32,
    pub stack_base: AtomicU64,
    pub stack_limit: AtomicU64,
    /// Address of the shared `Waiters` it is in; 0: none.
    pub waiters: AtomicU64,
}

/// Counters of one wait type on one scheduler.
#[derive(Default)]
#[repr(C)]
pub struct WaitCounter {
    pub waits: AtomicU64,
    pub total_ns: AtomicU64,
    pub max_ns: AtomicU64,
    pub signal_ns: AtomicU64,
}

/// One scheduler. All zero is a free slot. Slot 0 belongs to the outside threads and only counts their waits.
#[repr(C, align(128))]
pub struct SchedulerSlot {
    /// Workers made runnable by others than this scheduler: a stack linked by `run_next`, emptied at once.
    pub inbox: AtomicU32,
    /// 1 while the scheduler may block in the kernel: whoever adds to the inbox then writes `wake_fd`.
    pub sleeping: AtomicU32,
    pub wake_fd: AtomicI32,
    /// 0 free, 1 online, 2 stopping.
    pub status: AtomicU32,
    pub machine: AtomicU32,
    pub index: AtomicU32,
    pub cpu: AtomicU32,
    pub is_idle: AtomicU32,
    /// The engine process it belongs to; 0: the only one.
    pub engine: AtomicU32,
    /// What its workers hold of shared state: while it is not 0, the engine must not die alone. Changed by the baton's
    /// holder only.
    pub critical: AtomicU32,
    _pad: [u64; 11],
    /// The runnable queue, linked by `run_next`; touched only by the holder of the scheduler's baton.
    pub run_head: AtomicU32,
    pub run_tail: AtomicU32,
    pub run_length: AtomicU32,
    pub active_worker: AtomicU32,
    pub workers: AtomicU32,
    pub workers_idle: AtomicU32,
    pub workers_limit: AtomicU32,
    pub tasks: AtomicU32,
    pub tasks_pending: AtomicU32,
    pub connections: AtomicU32,
    pub pending_io: AtomicU32,
    pub failed_to_create_worker: AtomicU32,
    pub context_switches: AtomicU64,
    pub idle_switches: AtomicU64,
    pub preemptive_switches: AtomicU64,
    pub yields: AtomicU64,
    pub polls: AtomicU64,
    pub kernel_sleeps: AtomicU64,
    pub tasks_finished: AtomicU64,
    pub last_timer_ns: AtomicU64,
    pub idle_ns: AtomicU64,
    pub delay_ns: AtomicU64,
    pub waits: [WaitCounter; WaitType::COUNT],
}

/// Both tables and what hands out their slots.
#[repr(C)]
pub struct System {
    workers_used: AtomicU32,
    schedulers_used: AtomicU32,
    /// Free worker slots: a stack linked by `run_next`, its head tagged against reuse in the upper half.
    free_workers: AtomicU64,
    next_task: AtomicU64,
    /// Numbers given to locks so far, see [`number_a_lock`].
    lock_numbers: AtomicU32,
    /// By scheduler index, like `schedulers`: who reads biased locks.
    readers: [ReaderRow; SCHEDULERS_MAX],
    schedulers: [SchedulerSlot; SCHEDULERS_MAX],
    workers: [WorkerSlot; WORKERS_MAX],
}

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

impl System {
    /// A fresh pair of tables, all zero.
    pub fn map(at: Option<usize>) -> &'static System {
        let bytes = size_of::<System>();
        let memory =
            at.and_then(|at| sys::map_memory(Some(at), bytes, true)).or_else(|| sys::map_memory(None, bytes, true));
        let memory = memory.expect("address space for the worker tables");
        // SAFETY: zeroed, aligned to a page, never unmapped while used; every field is an atomic for which zero is valid.
        unsafe { &*memory.cast::<System>() }
    }

    /// Tables of a simulation, which no other process sees.
    pub fn map_private() -> &'static System {
        let memory = sys::map_memory(None, size_of::<System>(), false).expect("address space for the worker tables");
        // SAFETY: as in `map`.
        unsafe { &*memory.cast::<System>() }
    }

    pub fn unmap(&'static self) {
        sys::unmap_memory((self as *const System).cast_mut().cast(), size_of::<System>());
    }

    pub fn slot(&self, id: WorkerId) -> &WorkerSlot {
        assert!(id.is_some() && (id.0 as usize) < WORKERS_MAX);
        &self.workers[id.0 as usize]
    }

    pub fn scheduler(&self, index: u32) -> &SchedulerSlot {
        &self.schedulers[index as usize]
    }

    #[inline]
    pub fn reader_row(&self, scheduler: u32) -> &ReaderRow {
        &self.readers[scheduler as usize]
    }

    /// Whether any scheduler has published a reader of `lock`.
    pub fn has_reader(&self, lock: u32) -> bool {
        // SeqCst, as in allocate_scheduler: a scheduler whose reader came before our mark in the lock is counted here.
        let used = self.schedulers_used.load(Ordering::SeqCst) as usize;
        self.readers[..=used].iter().any(|row| row.has_reader(lock))
    }

    pub fn schedulers_used(&self) -> u32 {
        self.schedulers_used.load(Ordering::Acquire)
    }

    pub fn next_task(&self) -> TaskId {
        TaskId(self.next_task.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Every slot ever used, free ones included.
    pub fn all_workers(&self) -> impl Iterator<Item = (WorkerId, &WorkerSlot)> {
        let used = self.workers_used.load(Ordering::Acquire) as usize;
        self.workers[..=used.min(WORKERS_MAX - 1)]
            .iter()
            .enumerate()
            .skip(1)
            .map(|(index, slot)| (WorkerId(index as u32), slot))
    }

    /// Takes a free slot; `None` when the table is full.
    pub fn allocate(&self, kind: u32, scheduler: u32) -> Option<WorkerId> {
        let id = self.take_free()?;
        let slot = self.slot(id);
        slot.state.store(EMPTY, Ordering::Relaxed);
        slot.baton.store(0, Ordering::Relaxed);
        slot.sched.store(scheduler, Ordering::Relaxed);
        slot.wait_started_ns.store(0, Ordering::Relaxed);
        slot.task_id.store(0, Ordering::Relaxed);
        slot.session_id.store(0, Ordering::Relaxed);
        slot.is_preemptive.store(0, Ordering::Relaxed);
        slot.wait_type.store(0, Ordering::Relaxed);
        slot.waiters.store(0, Ordering::Relaxed);
        for counter in
            [&slot.context_switches, &slot.task_context_switches, &slot.tasks_processed, &slot.quantum_used_ns]
        {
            counter.store(0, Ordering::Relaxed);
        }
        slot.created_ns.store(clock::now(), Ordering::Relaxed);
        // Release: whoever reads the kind (a DMV) sees the fields above.
        slot.kind.store(kind, Ordering::Release);
        Some(id)
    }

    fn take_free(&self) -> Option<WorkerId> {
        let mut head = self.free_workers.load(Ordering::Acquire);
        while head as u32 != 0 {
            let id = WorkerId(head as u32);
            let next = self.slot(id).run_next.load(Ordering::Relaxed) as u64;
            let tagged = ((head >> 32).wrapping_add(1) << 32) | next;
            match self.free_workers.compare_exchange_weak(head, tagged, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(id),
                Err(now) => head = now,
            }
        }
        let fresh = self.workers_used.fetch_add(1, Ordering::AcqRel) + 1;
        if fresh as usize >= WORKERS_MAX {
            self.workers_used.fetch_sub(1, Ordering::AcqRel);
            return None;
        }
        Some(WorkerId(fresh))
    }

    /// Gives a slot back. The worker is gone and in no list.
    pub fn release(&self, id: WorkerId) {
        let slot = self.slot(id);
        slot.kind.store(KIND_FREE, Ordering::Release);
        slot.task_id.store(0, Ordering::Relaxed);
        let mut head = self.free_workers.load(Ordering::Relaxed);
        loop {
            slot.run_next.store(head as u32, Ordering::Relaxed);
            let tagged = ((head >> 32).wrapping_add(1) << 32) | id.0 as u64;
            match self.free_workers.compare_exchange_weak(head, tagged, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }

    /// Takes a scheduler slot: its index in the table (never 0). `None` when there are too many.
    pub fn allocate_scheduler(&self) -> Option<u32> {
        for index in 1..SCHEDULERS_MAX as u32 {
            let slot = self.scheduler(index);
            if slot.status.compare_exchange(0, 1, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                self.reader_row(index).clear();
                self.schedulers_used.fetch_max(index, Ordering::SeqCst);
                return Some(index);
            }
        }
        None
    }

    /// Makes a worker that was moved out of PARKED runnable on its scheduler. By whom: see the park word.
    fn make_runnable(&self, id: WorkerId, slot: &WorkerSlot) {
        let index = slot.sched.load(Ordering::Relaxed);
        let scheduler = self.scheduler(index);
        if index == CURRENT_SCHEDULER.get() || simcore::active() {
            scheduler.push_runnable(self, id);
        } else {
            scheduler.push_inbox(self, id);
        }
    }
}

impl SchedulerSlot {
    /// Zeroes what a former scheduler of this slot left.
    pub fn reset(&self) {
        for word in [
            &self.inbox,
            &self.sleeping,
            &self.is_idle,
            &self.critical,
            &self.run_head,
            &self.run_tail,
            &self.run_length,
            &self.active_worker,
            &self.workers,
            &self.workers_idle,
            &self.tasks,
            &self.tasks_pending,
            &self.connections,
            &self.pending_io,
            &self.failed_to_create_worker,
        ] {
            word.store(0, Ordering::Relaxed);
        }
        for counter in [
            &self.context_switches,
            &self.idle_switches,
            &self.preemptive_switches,
            &self.yields,
            &self.polls,
            &self.kernel_sleeps,
            &self.tasks_finished,
            &self.last_timer_ns,
            &self.idle_ns,
            &self.delay_ns,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
        self.clear_waits();
    }

    /// `DBCC SQLPERF ('sys.dm_os_wait_stats', CLEAR)`.
    pub fn clear_waits(&self) {
        for counter in &self.waits {
            for word in [&counter.waits, &counter.total_ns, &counter.max_ns, &counter.signal_ns] {
                word.store(0, Ordering::Relaxed);
            }
        }
    }

    /// Appends to the runnable queue. Only by the holder of this scheduler's baton.
    pub fn push_runnable(&self, system: &System, id: WorkerId) {
        system.slot(id).run_next.store(0, Ordering::Relaxed);
        let tail = self.run_tail.swap(id.0, Ordering::Relaxed);
        if tail == 0 {
            self.run_head.store(id.0, Ordering::Relaxed);
        } else {
            system.slot(WorkerId(tail)).run_next.store(id.0, Ordering::Relaxed);
        }
        self.run_length.store(self.run_length.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Takes the first of the runnable queue. Only by the holder of this scheduler's baton.
    pub fn pop_runnable(&self, system: &System) -> Option<WorkerId> {
        self.remove_runnable(system, 0)
    }

    /// Takes the `nth` of the runnable queue: the simulation picks any. Only by the holder of the baton.
    pub fn remove_runnable(&self, system: &System, nth: u32) -> Option<WorkerId> {
        let mut before = WorkerId::NONE;
        let mut at = WorkerId(self.run_head.load(Ordering::Relaxed));
        for _ in 0..nth {
            before = at;
            at = WorkerId(system.slot(at).run_next.load(Ordering::Relaxed));
        }
        if !at.is_some() {
            return None;
        }
        let after = system.slot(at).run_next.load(Ordering::Relaxed);
        if before.is_some() {
            system.slot(before).run_next.store(after, Ordering::Relaxed);
        } else {
            self.run_head.store(after, Ordering::Relaxed);
        }
        if after == 0 {
            self.run_tail.store(before.0, Ordering::Relaxed);
        }
        self.run_length.store(self.run_length.load(Ordering::Relaxed) - 1, Ordering::Relaxed);
        Some(at)
    }

    /// From any thread: the worker becomes runnable when the scheduler next looks, at once if it sleeps.
    fn push_inbox(&self, system: &System, id: WorkerId) {
        let slot = system.slot(id);
        let mut head = self.inbox.load(Ordering::Relaxed);
        loop {
            slot.run_next.store(head, Ordering::Relaxed);
            match self.inbox.compare_exchange_weak(head, id.0, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => head = now,
            }
        }
        self.wake();
    }

    /// Wakes the scheduler if it sleeps. What it is to see was published before.
    pub fn wake(&self) {
        // Pairs with the fence in `prepare_to_sleep`: either we see `sleeping` or the scheduler sees our entry.
        fence(Ordering::SeqCst);
        if self.sleeping.load(Ordering::Relaxed) != 0 && self.sleeping.swap(0, Ordering::AcqRel) != 0 {
            sys::eventfd_signal(self.wake_fd.load(Ordering::Relaxed));
        }
    }

    /// Announces sleep; after it the caller looks once more at everything that `wake` may have published.
    pub fn prepare_to_sleep(&self) {
        self.sleeping.store(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    pub fn awake(&self) {
        self.sleeping.store(0, Ordering::Relaxed);
    }

    /// Moves the inbox to the runnable queue, first come first. Only by the holder of the baton.
    pub fn drain_inbox(&self, system: &System) {
        if self.inbox.load(Ordering::Relaxed) == 0 {
            return;
        }
        // Acquire: pairs with the Release of push_inbox, for the links.
        let mut newest = WorkerId(self.inbox.swap(0, Ordering::Acquire));
        let mut oldest = WorkerId::NONE;
        while newest.is_some() {
            let slot = system.slot(newest);
            let next = WorkerId(slot.run_next.load(Ordering::Relaxed));
            slot.run_next.store(oldest.0, Ordering::Relaxed);
            oldest = newest;
            newest = next;
        }
        while oldest.is_some() {
            let next = WorkerId(system.slot(oldest).run_next.load(Ordering::Relaxed));
            self.push_runnable(system, oldest);
            oldest = next;
        }
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
    let numbers = &process_system().lock_numbers;
    numbers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| last.checked_add(1)).ok().map(|last| last + 1)
}

/// Makes `system` this thread's tables while a simulation is active. Null ends it.
pub fn set_simulated_system(system: *const System) {
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
    CURRENT.set(id.0);
    CURRENT_SCHEDULER.set(scheduler);
}

/// Whether the caller is a worker of a scheduler (and not an outside thread).
pub fn on_scheduler() -> bool {
    CURRENT_SCHEDULER.get() != 0
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
    if slot.kind.load(Ordering::Relaxed) == KIND_OUTSIDE {
        sys::futex_wake(&slot.state);
    } else {
        slot.signalled_ns.store(clock::now(), Ordering::Relaxed);
        system.make_runnable(id, slot);
    }
}

/// Books a finished wait of `wait` on a scheduler's counters.
pub fn count_wait(scheduler: u32, wait: WaitType, total_ns: u64, signal_ns: u64) {
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
    let add = |word: &AtomicU64, by: u64| word.store(word.load(Ordering::Relaxed) + by, Ordering::Relaxed);
    entry.wait_type.store(wait as u64, Ordering::Relaxed);
    add(&entry.waits, 1);
    add(&entry.total_ns, total_ns);
    add(&entry.signal_ns, signal_ns);
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
    let id = system().allocate(KIND_OUTSIDE, 0).expect("a free worker slot");
    CURRENT.set(id.0);
    // After the thread-local's destructor the slot is not given back: a late user at thread end costs one slot.
    let _ = OUTSIDE.try_with(|outside| outside.0.set(id.0));
    id
}

/// For tests/model.rs: fresh tables for every schedule the model checker tries, and the inbox of a scheduler.
#[cfg(shuttle)]
pub mod model {
    use super::*;
    // Of the OS thread: all threads of a schedule run on one, and each test has its own.
    std::thread_local! {
        static SYSTEM: Cell<Option<&'static System>> = const { Cell::new(None) };
    }

    pub fn system() -> &'static System {
        SYSTEM.with(|system| system.get().expect("begun"))
    }

    /// Begins a schedule.
    pub fn begin() {
        let system = System {
            workers_used: AtomicU32::new(0),
            schedulers_used: AtomicU32::new(0),
            free_workers: AtomicU64::new(0),
            next_task: AtomicU64::new(0),
            lock_numbers: AtomicU32::new(0),
            readers: std::array::from_fn(|_| ReaderRow::default()),
            schedulers: std::array::from_fn(|_| SchedulerSlot::new()),
            workers: std::array::from_fn(|_| WorkerSlot::default()),
        };
        let last = SYSTEM.with(|current| current.replace(Some(Box::leak(Box::new(system)))));
        if let Some(last) = last {
            // SAFETY: leaked by the last `begin`, whose schedule is over with all its threads.
            drop(unsafe { Box::from_raw((last as *const System).cast_mut()) });
        }
    }

    impl SchedulerSlot {
        fn new() -> SchedulerSlot {
            SchedulerSlot {
                inbox: AtomicU32::default(),
                sleeping: AtomicU32::default(),
                wake_fd: AtomicI32::new(-1),
                status: AtomicU32::default(),
                machine: AtomicU32::default(),
                index: AtomicU32::default(),
                cpu: AtomicU32::default(),
                is_idle: AtomicU32::default(),
                engine: AtomicU32::default(),
                critical: AtomicU32::default(),
                _pad: [0; 11],
                run_head: AtomicU32::default(),
                run_tail: AtomicU32::default(),
                run_length: AtomicU32::default(),
                active_worker: AtomicU32::default(),
                workers: AtomicU32::default(),
                workers_idle: AtomicU32::default(),
                workers_limit: AtomicU32::default(),
                tasks: AtomicU32::default(),
                tasks_pending: AtomicU32::default(),
                connections: AtomicU32::default(),
                pending_io: AtomicU32::default(),
                failed_to_create_worker: AtomicU32::default(),
                context_switches: AtomicU64::default(),
                idle_switches: AtomicU64::default(),
                preemptive_switches: AtomicU64::default(),
                yields: AtomicU64::default(),
                polls: AtomicU64::default(),
                kernel_sleeps: AtomicU64::default(),
                tasks_finished: AtomicU64::default(),
                last_timer_ns: AtomicU64::default(),
                idle_ns: AtomicU64::default(),
                delay_ns: AtomicU64::default(),
                waits: std::array::from_fn(|_| WaitCounter::default()),
            }
        }
    }

    /// Makes this thread one of a scheduler of its own, as far as `current_scheduler` tells.
    pub fn enter_new_scheduler() {
        CURRENT_SCHEDULER.set(system().allocate_scheduler().expect("a slot"));
    }

    /// A parked fiber worker of scheduler 1, as `unpark` finds it.
    pub fn parked_fiber() -> WorkerId {
        let id = system().allocate(KIND_FIBER, 1).expect("a slot");
        system().slot(id).state.store(PARKED, Ordering::SeqCst);
        id
    }

    /// The worker is gone: its slot may be taken again.
    pub fn release(id: WorkerId) {
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
