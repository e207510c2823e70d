//! The worker and scheduler tables: plain atomics in shared memory at one address. Everyone in them is named by index, so that any
//! thread and any engine process can read them and wake who is in them. See `worker` for the park word.
//!
//! A scheduler's runnable queue is a list of *rounds*. A worker gets a quantum of CPU time as its budget when it enters a round at
//! the end of the list; until that is used up, each wake-up puts it ahead of those who wait for their round (large deficit first):
//! who waits early or gives its turn away loses nothing by it. Nobody is passed by for longer than the budgets of those who have
//! begun, and of a few new tasks whose connections are owed something.
#![allow(unsafe_code)]

use crate::calls::SystemCall;
use crate::readers::ReaderRow;
use crate::share::Shares;
use crate::sys::atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering, fence};
use crate::wait_types::WaitType;
use crate::{clock, sys};

/// Names a slot of the worker table. Reused after the worker is gone; a stale name at worst wakes someone for nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct WorkerId(pub(crate) u32);

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

pub const WORKERS_MAX: usize = if cfg!(any(shuttle, miri)) { 16 } else { 40_960 };
pub const SCHEDULERS_MAX: usize = match (cfg!(shuttle), cfg!(miri)) {
    (true, _) => 3,
    (_, true) => 64,
    _ => 256,
};

pub const EMPTY: u32 = 0;
pub const TOKEN: u32 = 1;
pub const PARKED: u32 = 2;
pub const TIMED: u32 = 3;

/// `WorkerSlot::kind`.
pub const KIND_FREE: u32 = 0;
pub const KIND_OUTSIDE: u32 = 1;
pub const KIND_FIBER: u32 = 2;
pub const KIND_THREAD: u32 = 3;

/// `WorkerSlot::queued`.
const QUEUE_NONE: u32 = 0;
const QUEUE_RUNNABLE: u32 = 1;
const QUEUE_INBOX: u32 = 2;

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
    /// When the wait began that its waits of type `whole_type` are parts of, 0: none is that; how long they were, and of that runnable.
    pub whole_since_ns: AtomicU64,
    pub whole_type: AtomicU32,
    pub whole_waited_ns: AtomicU64,
    pub whole_signal_ns: AtomicU64,
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
    /// `quantum_used_ns` when its task began.
    pub task_from_ns: AtomicU64,
    /// The longest time it ran without a switch.
    pub quantum_max_ns: AtomicU64,
    /// What is left of the CPU time that this round of its scheduler gives it; below 0: what it took too much. Its scheduler's
    /// baton holder alone reads and writes it and the next.
    pub budget_ns: AtomicI64,
    /// When it was given.
    pub budget_given_ns: AtomicU64,
    /// Wake-ups that put it ahead of the others.
    pub boosts: AtomicU32,
    /// Kept with debug assertions only: the queue (`QUEUE_*`) that it is in by `run_next`, and whether it is in a list by `wait_next`.
    pub queued: AtomicU32,
    pub listed: AtomicU32,
    /// Pages looked at, changed, and read from disk for it. Its worker alone writes them.
    pub page_reads: AtomicU64,
    pub page_writes: AtomicU64,
    pub page_faults: AtomicU64,
    /// Waits since they were last taken: of the session whose request it runs.
    pub session_waits: [SessionWait; SESSION_WAITS_MAX],
    /// Of the large blocks of its process's heap, bytes that its task has taken and not freed (`heap::large_held`).
    pub large_bytes: AtomicI64,
    pub context_switches: AtomicU64,
    pub task_context_switches: AtomicU64,
    pub tasks_processed: AtomicU64,
    pub os_thread: AtomicU32,
    /// Index into the private worker list of its scheduler.
    pub local: AtomicU32,
    /// Counts waits with a deadline: an old timer does not match.
    pub park_number: AtomicU64,
    pub pending_io: AtomicU32,
    /// Spinlocks that it holds, counted with debug assertions only.
    pub spinlocks: AtomicU32,
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

/// Workers linked by `run_next`.
#[derive(Default)]
#[repr(C)]
struct RunList {
    head: AtomicU32,
    tail: AtomicU32,
}

impl RunList {
    fn push(&self, system: &System, id: WorkerId) {
        system.slot(id).enters(QUEUE_NONE, QUEUE_RUNNABLE);
        system.slot(id).run_next.store(0, Ordering::Relaxed);
        let tail = self.tail.swap(id.0, Ordering::Relaxed);
        debug_assert!(tail != id.0, "{id:?} is runnable twice");
        debug_assert!((tail == 0) == self.is_empty(), "a queue with an end and no beginning");
        if tail == 0 {
            self.head.store(id.0, Ordering::Relaxed);
        } else {
            system.slot(WorkerId(tail)).run_next.store(id.0, Ordering::Relaxed);
        }
    }

    /// Takes the `nth`; Err: how many there are.
    fn remove(&self, system: &System, nth: u32) -> Result<WorkerId, u32> {
        let mut before = WorkerId::NONE;
        let mut at = WorkerId(self.head.load(Ordering::Relaxed));
        for count in 0..=nth {
            if !at.is_some() {
                return Err(count);
            }
            if count < nth {
                before = at;
                at = WorkerId(system.slot(at).run_next.load(Ordering::Relaxed));
            }
        }
        let after = system.slot(at).run_next.load(Ordering::Relaxed);
        debug_assert!(after != at.0, "{at:?} follows itself");
        debug_assert!((after == 0) == (self.tail.load(Ordering::Relaxed) == at.0), "only the last has no successor");
        if before.is_some() {
            system.slot(before).run_next.store(after, Ordering::Relaxed);
        } else {
            self.head.store(after, Ordering::Relaxed);
        }
        if after == 0 {
            self.tail.store(before.0, Ordering::Relaxed);
        }
        system.slot(at).enters(QUEUE_RUNNABLE, QUEUE_NONE);
        Ok(at)
    }

    fn is_empty(&self) -> bool {
        self.head.load(Ordering::Relaxed) == 0
    }
}

/// One scheduler. All zero is a free slot. Slot 0 belongs to the outside threads and only counts their waits.
#[repr(C, align(128))]
pub struct SchedulerSlot {
    /// Workers made runnable by others than this scheduler: a stack linked by `run_next`, emptied at once.
    pub inbox: AtomicU32,
    /// 1 while the scheduler may block in the kernel: whoever adds to the inbox then writes `wake_fd`.
    pub sleeping: AtomicU32,
    pub wake_fd: AtomicI32,
    /// 0 free, 1 open, 2 closed: no new tasks come.
    pub status: AtomicU32,
    pub machine: AtomicU32,
    pub index: AtomicU32,
    pub cpu: AtomicU32,
    pub is_idle: AtomicU32,
    /// The group of schedulers it belongs to (`Pool`), and the NUMA node of its CPU.
    pub pool: AtomicU32,
    pub node: AtomicU32,
    /// Its own thread, which runs all its fibers.
    pub os_thread: AtomicU32,
    /// Tasks with a worker that count for `workers_limit`; the baton's holder writes it.
    pub user_tasks: AtomicU32,
    /// The engine process it belongs to; 0: the only one.
    pub engine: AtomicU32,
    /// What its workers hold of shared state: while it is not 0, the engine must not die alone. Changed by the baton's
    /// holder only.
    pub critical: AtomicU32,
    _pad: [u64; 9],
    /// The runnable queue, in two parts: who goes on with its budget, and who begins a round. Touched only by the holder of the
    /// scheduler's baton.
    ahead: RunList,
    behind: RunList,
    /// Tasks that went ahead since somebody began a round.
    owed_in_a_row: AtomicU32,
    /// Of both lists.
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
    /// Its workers ran.
    pub cpu_ns: AtomicU64,
    /// From one worker's end to the next one's beginning, where an operating system thread had to be woken for it.
    pub delay_ns: AtomicU64,
    /// By `SystemCall`.
    pub calls: [AtomicU64; SystemCall::COUNT],
    pub quantum_ns: AtomicU64,
    /// 1: who has budget left goes ahead (large deficit first); 0: first come, first served.
    pub by_deficit: AtomicU32,
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
    /// What the connections of all engines have of the server's work.
    pub shares: Shares,
    /// By scheduler index, like `schedulers`: who reads biased locks.
    readers: [ReaderRow; SCHEDULERS_MAX],
    schedulers: [SchedulerSlot; SCHEDULERS_MAX],
    workers: [WorkerSlot; WORKERS_MAX],
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

    /// `None` when all are given out.
    pub fn next_lock_number(&self) -> Option<u32> {
        let numbers = &self.lock_numbers;
        numbers.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| last.checked_add(1)).ok().map(|last| last + 1)
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
        assert!((KIND_OUTSIDE..=KIND_THREAD).contains(&kind), "a worker of kind {kind}");
        assert!((kind == KIND_OUTSIDE) == (scheduler == 0), "a worker has a scheduler, and an outside thread none");
        let id = self.take_free()?;
        let slot = self.slot(id);
        assert!(slot.kind.load(Ordering::Relaxed) == KIND_FREE, "{id:?} is given to two");
        slot.state.store(EMPTY, Ordering::Relaxed);
        slot.baton.store(0, Ordering::Relaxed);
        slot.sched.store(scheduler, Ordering::Relaxed);
        slot.wait_started_ns.store(0, Ordering::Relaxed);
        slot.whole_since_ns.store(0, Ordering::Relaxed);
        slot.task_id.store(0, Ordering::Relaxed);
        slot.session_id.store(0, Ordering::Relaxed);
        slot.is_preemptive.store(0, Ordering::Relaxed);
        slot.wait_type.store(0, Ordering::Relaxed);
        slot.waiters.store(0, Ordering::Relaxed);
        // What a worker of a dead engine was in and held is gone with it.
        for kept in [&slot.spinlocks, &slot.queued, &slot.listed] {
            kept.store(0, Ordering::Relaxed);
        }
        for counter in [
            &slot.context_switches,
            &slot.task_context_switches,
            &slot.tasks_processed,
            &slot.quantum_used_ns,
            &slot.quantum_max_ns,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
        slot.boosts.store(0, Ordering::Relaxed);
        slot.os_thread.store(0, Ordering::Relaxed);
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
            assert!((next as usize) < WORKERS_MAX, "a free worker {next}");
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
        assert!(slot.kind.load(Ordering::Relaxed) != KIND_FREE, "{id:?} is given back twice");
        assert!(slot.state.load(Ordering::Relaxed) != PARKED, "{id:?} is given back while it waits");
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
}

/// Tasks that go before those who begin a round, because they are owed something, until one of those has its turn.
pub const OWED_IN_A_ROW_MAX: u32 = 16;
/// What a worker may owe at most, in budgets: one that did not pass a yield point for long.
const DEBT_MAX: i64 = 8;

const _: () = {
    assert!(align_of::<System>() <= 4096, "the tables begin with a page");
    assert!(WORKERS_MAX < u32::MAX as usize, "workers are numbered in 32 bits");
    assert!(size_of::<WorkerSlot>().is_multiple_of(64), "workers share no cache line");
};

impl WorkerSlot {
    /// With debug assertions: it goes from one queue to another, by who owns the link.
    fn enters(&self, from: u32, to: u32) {
        if cfg!(debug_assertions) {
            let before = self.queued.swap(to, Ordering::Relaxed);
            assert!(before == from, "a worker of queue {before} goes from {from} to {to}");
        }
    }

    /// With debug assertions: it enters a list of waiters, or leaves it, by the holder of the list's lock.
    pub fn is_listed(&self, now: bool) {
        if cfg!(debug_assertions) {
            let before = self.listed.swap(now.into(), Ordering::Relaxed);
            assert!(before != u32::from(now), "a worker waits in one list, and leaves it once");
        }
    }

    /// A new round: a quantum, less what was taken too much before.
    pub fn give_budget(&self, now: u64, quantum: u64) {
        assert!(quantum <= i64::MAX as u64 / DEBT_MAX as u64, "a quantum of {quantum} ns");
        let quantum = quantum as i64;
        let owed = self.budget_ns.load(Ordering::Relaxed).clamp(-quantum * DEBT_MAX, 0);
        self.budget_ns.store(owed + quantum, Ordering::Relaxed);
        self.budget_given_ns.store(now, Ordering::Relaxed);
    }
}

impl SchedulerSlot {
    /// Zeroes what a former scheduler of this slot left.
    pub fn reset(&self) {
        assert!(self.status.load(Ordering::Relaxed) != 0, "a slot is made ready by who has it");
        for word in [
            &self.inbox,
            &self.sleeping,
            &self.is_idle,
            &self.critical,
            &self.ahead.head,
            &self.ahead.tail,
            &self.behind.head,
            &self.behind.tail,
            &self.owed_in_a_row,
            &self.run_length,
            &self.active_worker,
            &self.workers,
            &self.workers_idle,
            &self.pool,
            &self.node,
            &self.os_thread,
            &self.user_tasks,
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
            &self.cpu_ns,
            &self.delay_ns,
        ] {
            counter.store(0, Ordering::Relaxed);
        }
        self.calls.iter().for_each(|count| count.store(0, Ordering::Relaxed));
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
        self.assert_counted();
        self.behind.push(system, id);
        self.run_length.store(self.run_length.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// As `push_runnable`, for one that is owed more than those who begin a round, and so goes before them: not many in a row, or they
    /// would wait for ever where most are owed something.
    pub fn push_owed(&self, system: &System, id: WorkerId) {
        let in_a_row = self.owed_in_a_row.load(Ordering::Relaxed);
        assert!(in_a_row <= OWED_IN_A_ROW_MAX, "{in_a_row} in a row passed those who begin a round");
        if in_a_row == OWED_IN_A_ROW_MAX {
            return self.push_runnable(system, id);
        }
        self.owed_in_a_row.store(in_a_row + 1, Ordering::Relaxed);
        self.push_ahead(system, id);
    }

    /// As `push_runnable`, before all who begin a round.
    pub fn push_ahead(&self, system: &System, id: WorkerId) {
        self.assert_counted();
        self.ahead.push(system, id);
        self.run_length.store(self.run_length.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// A worker woken from a wait: ahead while it has budget. One that waited for longer than a round has missed its turns and is
    /// given a new budget.
    pub fn push_woken(&self, system: &System, id: WorkerId) {
        let state = system.slot(id).state.load(Ordering::Relaxed);
        debug_assert!(state == TOKEN || state == TIMED, "{id:?} is made runnable by no wake-up: {state}");
        if self.by_deficit.load(Ordering::Relaxed) == 0 {
            return self.push_runnable(system, id);
        }
        let slot = system.slot(id);
        let (now, quantum) = (slot.signalled_ns.load(Ordering::Relaxed), self.quantum_ns.load(Ordering::Relaxed));
        let round = quantum * (u64::from(self.run_length.load(Ordering::Relaxed)) + 1);
        if now.saturating_sub(slot.budget_given_ns.load(Ordering::Relaxed)) >= round {
            slot.give_budget(now, quantum);
        }
        if slot.budget_ns.load(Ordering::Relaxed) > 0 {
            slot.boosts.store(slot.boosts.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
            self.push_ahead(system, id);
        } else {
            slot.give_budget(now, quantum);
            self.push_runnable(system, id);
        }
    }

    /// Takes the first of the runnable queue. Only by the holder of this scheduler's baton.
    pub fn pop_runnable(&self, system: &System) -> Option<WorkerId> {
        self.remove_runnable(system, 0)
    }

    /// Takes the `nth` of the runnable queue: the simulation picks any. Only by the holder of the baton.
    pub fn remove_runnable(&self, system: &System, nth: u32) -> Option<WorkerId> {
        let removed = self.ahead.remove(system, nth).or_else(|ahead| {
            self.owed_in_a_row.store(0, Ordering::Relaxed);
            self.behind.remove(system, nth - ahead)
        });
        let Ok(removed) = removed else {
            debug_assert!(nth >= self.run_length.load(Ordering::Relaxed), "a queue has fewer workers than it counts");
            return None;
        };
        let length = self.run_length.load(Ordering::Relaxed);
        assert!(length > nth, "the {nth}th of {length} runnable workers");
        self.run_length.store(length - 1, Ordering::Relaxed);
        self.assert_counted();
        Some(removed)
    }

    /// With debug assertions, and only by the holder of the baton: some are counted if and only if some are there.
    fn assert_counted(&self) {
        let none = self.ahead.is_empty() && self.behind.is_empty();
        debug_assert!(none == (self.run_length.load(Ordering::Relaxed) == 0), "runnable workers that are not counted");
    }

    /// From any thread: the worker becomes runnable when the scheduler next looks, at once if it sleeps.
    pub fn push_inbox(&self, system: &System, id: WorkerId) {
        let slot = system.slot(id);
        slot.enters(QUEUE_NONE, QUEUE_INBOX);
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
            self.count_call(SystemCall::WakeUp);
            let wake_fd = self.wake_fd.load(Ordering::Relaxed);
            assert!(wake_fd >= 0 || cfg!(shuttle), "a scheduler sleeps that nothing can wake");
            sys::eventfd_signal(wake_fd);
        }
    }

    pub fn count_call(&self, call: SystemCall) {
        self.calls[call as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Announces sleep; after it the caller looks once more at everything that `wake` may have published.
    pub fn prepare_to_sleep(&self) {
        assert!(self.sleeping.load(Ordering::Relaxed) == 0, "a scheduler sleeps once at a time");
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
            debug_assert!(next != newest, "{next:?} is in the inbox twice");
            slot.run_next.store(oldest.0, Ordering::Relaxed);
            oldest = newest;
            newest = next;
        }
        while oldest.is_some() {
            let next = WorkerId(system.slot(oldest).run_next.load(Ordering::Relaxed));
            system.slot(oldest).enters(QUEUE_INBOX, QUEUE_NONE);
            self.push_woken(system, oldest);
            oldest = next;
        }
    }
}

/// Tables on the heap, for the model checker.
#[cfg(shuttle)]
impl System {
    pub fn new() -> System {
        System {
            workers_used: AtomicU32::new(0),
            schedulers_used: AtomicU32::new(0),
            free_workers: AtomicU64::new(0),
            next_task: AtomicU64::new(0),
            shares: Shares::default(),
            lock_numbers: AtomicU32::new(0),
            readers: std::array::from_fn(|_| ReaderRow::default()),
            schedulers: std::array::from_fn(|_| SchedulerSlot::new()),
            workers: std::array::from_fn(|_| WorkerSlot::default()),
        }
    }
}

#[cfg(shuttle)]
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
            pool: AtomicU32::default(),
            node: AtomicU32::default(),
            os_thread: AtomicU32::default(),
            user_tasks: AtomicU32::default(),
            engine: AtomicU32::default(),
            critical: AtomicU32::default(),
            _pad: [0; 9],
            ahead: RunList::default(),
            behind: RunList::default(),
            owed_in_a_row: AtomicU32::default(),
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
            cpu_ns: AtomicU64::default(),
            delay_ns: AtomicU64::default(),
            calls: std::array::from_fn(|_| AtomicU64::default()),
            quantum_ns: AtomicU64::default(),
            by_deficit: AtomicU32::default(),
            waits: std::array::from_fn(|_| WaitCounter::default()),
        }
    }
}
