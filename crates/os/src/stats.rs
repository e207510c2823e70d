//! What the DMVs show of this layer: plain structs with the columns of sys.dm_os_*, read from the shared tables without
//! stopping anyone. Numbers of one snapshot are each right, not taken at one instant. Times are ns unless named.

pub use crate::calls::SystemCall;
use crate::clock;
use crate::kernel::machine::{MachineState, Pool};
use crate::kernel::scheduler::{Scheduler, TaskKind};
use crate::sync::{LatchClass, clear_latch_classes, clear_spin_classes, latch_classes, spin_classes};
use crate::sys::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::wait::{TaskId, WaitType, WorkerId};
use crate::worker::{
    KIND_FIBER, KIND_FREE, KIND_OUTSIDE, KIND_THREAD, PARKED, SchedulerSlot, SessionWait, WorkerSlot, count_alone,
    system,
};

pub use crate::sync::{LatchCounts, SpinCounts};

/// sys.dm_os_schedulers.
#[derive(Clone, Debug)]
pub struct SchedulerRow {
    /// Names the scheduler in the other rows (`scheduler_address`).
    pub address: u64,
    pub scheduler_id: u32,
    pub pool: Pool,
    /// Its NUMA node.
    pub node: u32,
    pub cpu_id: u32,
    /// New tasks come to it.
    pub is_online: bool,
    pub is_idle: bool,
    pub preemptive_switches: u64,
    pub context_switches: u64,
    pub idle_switches: u64,
    pub current_tasks: u32,
    pub runnable_tasks: u32,
    pub current_workers: u32,
    pub active_workers: u32,
    pub work_queue: u32,
    pub pending_disk_io: u32,
    pub load_factor: u32,
    pub yields: u64,
    pub last_timer_activity_ns: u64,
    pub failed_to_create_worker: bool,
    pub active_worker: WorkerId,
    pub quantum_ns: u64,
    /// Of its workers; what the scheduler itself took is not in it.
    pub total_cpu_usage_ns: u64,
    /// From one worker's end to the next one's beginning, where a thread had to be woken for it.
    pub total_scheduler_delay_ns: u64,
    pub ideal_workers_limit: u32,
    pub tasks_finished: u64,
    pub connections: u32,
    /// Looks at the sockets, and how often the scheduler slept in the kernel.
    pub polls: u64,
    pub kernel_sleeps: u64,
    /// By `SystemCall`.
    pub calls: [u64; SystemCall::COUNT],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WorkerState {
    Running,
    Runnable,
    Suspended,
}

impl WorkerState {
    pub fn name(self) -> &'static str {
        match self {
            WorkerState::Running => "RUNNING",
            WorkerState::Runnable => "RUNNABLE",
            WorkerState::Suspended => "SUSPENDED",
        }
    }
}

/// sys.dm_os_workers; with the thread's columns also sys.dm_os_threads.
#[derive(Clone, Debug)]
pub struct WorkerRow {
    pub id: WorkerId,
    pub scheduler: u64,
    pub is_fiber: bool,
    pub is_preemptive: bool,
    pub state: WorkerState,
    pub task: Option<TaskId>,
    pub context_switches: u64,
    pub pending_io: u32,
    /// 0: does not wait.
    pub wait_started_ns: u64,
    pub wait_resumed_ns: u64,
    pub task_bound_ns: u64,
    pub created_ns: u64,
    pub start_quantum_ns: u64,
    pub quantum_used_ns: u64,
    pub quantum_max_ns: u64,
    pub boosts: u32,
    pub last_wait_type: WaitType,
    pub tasks_processed: u64,
    pub os_thread_id: u32,
    pub stack_base: u64,
    pub stack_limit: u64,
}

/// sys.dm_os_tasks, the tasks that have a worker.
#[derive(Clone, Debug)]
pub struct TaskRow {
    pub id: TaskId,
    pub kind: Option<TaskKind>,
    pub state: WorkerState,
    pub context_switches: u64,
    pub pending_io: u32,
    pub scheduler_id: u32,
    /// 0: a system task.
    pub session_id: u32,
    pub request_id: u32,
    pub worker: WorkerId,
}

/// A task that waits for a worker (THREADPOOL).
#[derive(Clone, Debug)]
pub struct PendingTaskRow {
    pub id: TaskId,
    pub kind: TaskKind,
    pub scheduler_id: u32,
    pub since_ns: u64,
}

/// sys.dm_os_waiting_tasks.
#[derive(Clone, Debug)]
pub struct WaitingTaskRow {
    pub task: TaskId,
    pub session_id: u32,
    pub wait_duration_ns: u64,
    pub wait_type: WaitType,
    pub resource: u64,
    pub blocking_worker: WorkerId,
    pub blocking_task: Option<TaskId>,
    pub blocking_session_id: u32,
}

/// sys.dm_os_wait_stats.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitRow {
    pub wait_type: WaitType,
    pub waiting_tasks: u64,
    pub wait_ns: u64,
    pub max_wait_ns: u64,
    pub signal_ns: u64,
}

/// The machine the caller is a worker of; `None` on other threads.
pub fn machine_here() -> Option<u32> {
    crate::kernel::scheduler::here().map(|s| machine_id(&s.machine))
}

fn machine_id(machine: &MachineState) -> u32 {
    machine.id
}

/// The schedulers of a machine, by scheduler_id.
pub fn schedulers(machine: u32) -> Vec<SchedulerRow> {
    let mut rows: Vec<_> = slots(machine).map(|(index, slot)| scheduler_row(index, slot)).collect();
    rows.sort_by_key(|row| row.scheduler_id);
    rows
}

fn slots(machine: u32) -> impl Iterator<Item = (u32, &'static SchedulerSlot)> {
    let all = (1..=system().schedulers_used()).map(|index| (index, system().scheduler(index)));
    all.filter(move |(_, slot)| slot.status.load(Ordering::Acquire) != 0 && get(&slot.machine) == machine)
}

fn scheduler_row(index: u32, slot: &SchedulerSlot) -> SchedulerRow {
    let preemptive: u32 = workers_of(index).map(|(_, worker)| get(&worker.is_preemptive)).sum();
    SchedulerRow {
        address: index as u64,
        scheduler_id: get(&slot.index),
        pool: Pool(get(&slot.pool)),
        node: get(&slot.node),
        cpu_id: get(&slot.cpu),
        is_online: get(&slot.status) == 1,
        is_idle: get(&slot.is_idle) != 0,
        preemptive_switches: long(&slot.preemptive_switches),
        context_switches: long(&slot.context_switches),
        idle_switches: long(&slot.idle_switches),
        current_tasks: get(&slot.tasks),
        runnable_tasks: get(&slot.run_length),
        current_workers: get(&slot.workers),
        active_workers: get(&slot.tasks).saturating_sub(get(&slot.tasks_pending) + preemptive),
        work_queue: get(&slot.tasks_pending),
        pending_disk_io: get(&slot.pending_io),
        load_factor: get(&slot.tasks),
        yields: long(&slot.yields),
        last_timer_activity_ns: long(&slot.last_timer_ns),
        failed_to_create_worker: get(&slot.failed_to_create_worker) != 0,
        active_worker: WorkerId::from_raw(get(&slot.active_worker)),
        quantum_ns: long(&slot.quantum_ns),
        total_cpu_usage_ns: long(&slot.cpu_ns),
        total_scheduler_delay_ns: long(&slot.delay_ns),
        ideal_workers_limit: get(&slot.workers_limit),
        tasks_finished: long(&slot.tasks_finished),
        connections: get(&slot.connections),
        polls: long(&slot.polls),
        kernel_sleeps: long(&slot.kernel_sleeps),
        calls: slot.calls.each_ref().map(long),
    }
}

fn workers_of(scheduler: u32) -> impl Iterator<Item = (WorkerId, &'static WorkerSlot)> {
    system().all_workers().filter(move |(_, slot)| {
        matches!(slot.kind.load(Ordering::Acquire), KIND_FIBER | KIND_THREAD) && get(&slot.sched) == scheduler
    })
}

fn all_workers(machine: u32) -> impl Iterator<Item = (WorkerId, &'static WorkerSlot)> {
    slots(machine).flat_map(|(index, _)| workers_of(index))
}

fn state_of(id: WorkerId, slot: &WorkerSlot) -> WorkerState {
    if slot.state.load(Ordering::Relaxed) == PARKED || long(&slot.task_id) == 0 {
        WorkerState::Suspended
    } else if get(&system().scheduler(get(&slot.sched)).active_worker) == id.raw() {
        WorkerState::Running
    } else {
        WorkerState::Runnable
    }
}

pub fn workers(machine: u32) -> Vec<WorkerRow> {
    let row = |(id, slot): (WorkerId, &WorkerSlot)| WorkerRow {
        id,
        scheduler: get(&slot.sched) as u64,
        is_fiber: get(&slot.kind) == KIND_FIBER,
        is_preemptive: get(&slot.is_preemptive) != 0,
        state: state_of(id, slot),
        task: task_of(slot),
        context_switches: long(&slot.context_switches),
        pending_io: get(&slot.pending_io),
        wait_started_ns: long(&slot.wait_started_ns),
        wait_resumed_ns: long(&slot.resumed_ns),
        task_bound_ns: long(&slot.task_bound_ns),
        created_ns: long(&slot.created_ns),
        start_quantum_ns: long(&slot.quantum_start_ns),
        quantum_used_ns: long(&slot.quantum_used_ns),
        quantum_max_ns: long(&slot.quantum_max_ns),
        boosts: get(&slot.boosts),
        last_wait_type: WaitType::from_index(get(&slot.wait_type) as u16),
        tasks_processed: long(&slot.tasks_processed),
        os_thread_id: os_thread_of(slot),
        stack_base: long(&slot.stack_base),
        stack_limit: long(&slot.stack_limit),
    };
    all_workers(machine).map(row).collect()
}

fn task_of(slot: &WorkerSlot) -> Option<TaskId> {
    let id = long(&slot.task_id);
    (id != 0).then_some(TaskId(id))
}

pub fn tasks(machine: u32) -> Vec<TaskRow> {
    let row = |(id, slot): (WorkerId, &WorkerSlot)| {
        Some(TaskRow {
            id: task_of(slot)?,
            kind: TaskKind::from_raw(get(&slot.task_kind)),
            state: state_of(id, slot),
            context_switches: long(&slot.task_context_switches),
            pending_io: get(&slot.pending_io),
            scheduler_id: get(&system().scheduler(get(&slot.sched)).index),
            session_id: get(&slot.session_id),
            request_id: get(&slot.request_id),
            worker: id,
        })
    };
    all_workers(machine).filter_map(row).collect()
}

/// Of the caller's machine; none on a thread that is no worker.
pub fn pending_tasks() -> Vec<PendingTaskRow> {
    let all = crate::kernel::scheduler::here().map_or(&[][..], |here| here.machine.schedulers());
    let rows = |scheduler: &&Scheduler| {
        let scheduler_id = scheduler.id;
        let row = move |(id, kind, since_ns)| PendingTaskRow { id, kind, scheduler_id, since_ns };
        scheduler.waiting_for_worker().into_iter().map(row)
    };
    all.iter().flat_map(rows).collect()
}

pub fn waiting_tasks(machine: u32) -> Vec<WaitingTaskRow> {
    let now = clock::now();
    let row = |(_, slot): (WorkerId, &WorkerSlot)| {
        let (task, started) = (task_of(slot)?, long(&slot.wait_started_ns));
        if started == 0 {
            return None;
        }
        let blocker = WorkerId::from_raw(get(&slot.blocked_by));
        let blocker_slot = blocker.is_some().then(|| system().slot(blocker));
        Some(WaitingTaskRow {
            task,
            session_id: get(&slot.session_id),
            wait_duration_ns: now.saturating_sub(started),
            wait_type: WaitType::from_index(get(&slot.wait_type) as u16),
            resource: long(&slot.wait_resource),
            blocking_worker: blocker,
            blocking_task: blocker_slot.and_then(task_of),
            blocking_session_id: blocker_slot.map_or(0, |slot| get(&slot.session_id)),
        })
    };
    all_workers(machine).filter_map(row).collect()
}

/// One row a wait type, those never waited for included, waits of threads that are no workers left out.
pub fn waits(machine: u32) -> Vec<WaitRow> {
    let mut rows: Vec<WaitRow> = WaitType::ALL
        .iter()
        .map(|&wait_type| WaitRow { wait_type, waiting_tasks: 0, wait_ns: 0, max_wait_ns: 0, signal_ns: 0 })
        .collect();
    for (_, slot) in slots(machine) {
        for (row, counter) in rows.iter_mut().zip(&slot.waits) {
            row.waiting_tasks += long(&counter.waits);
            row.wait_ns += long(&counter.total_ns);
            row.max_wait_ns = row.max_wait_ns.max(long(&counter.max_ns));
            row.signal_ns += long(&counter.signal_ns);
        }
    }
    rows
}

/// `DBCC SQLPERF ('sys.dm_os_wait_stats', CLEAR)`.
pub fn clear_waits(machine: u32) {
    for (_, slot) in slots(machine) {
        slot.clear_waits();
    }
}

/// `DBCC SQLPERF ('sys.dm_os_latch_stats', CLEAR)`.
pub fn clear_latches() {
    clear_latch_classes();
}

/// `DBCC SQLPERF ('sys.dm_os_spinlock_stats', CLEAR)`.
pub fn clear_spinlocks() {
    clear_spin_classes();
}

/// Fibers run on their scheduler's thread.
fn os_thread_of(slot: &WorkerSlot) -> u32 {
    match (get(&slot.os_thread), get(&slot.sched)) {
        (0, scheduler) if scheduler != 0 => get(&system().scheduler(scheduler).os_thread),
        (own, _) => own,
    }
}

/// Whether `SpinCounts::grabs` is counted from now on: process-wide.
pub use crate::sync::count_grabs;

/// sys.dm_os_spinlock_stats: process-wide.
pub fn spinlocks() -> Vec<SpinCounts> {
    let mut rows = spin_classes();
    rows.sort_by_key(|row| row.name);
    rows
}

/// sys.dm_os_latch_stats: process-wide.
pub fn latches() -> Vec<LatchCounts> {
    let mut rows = latch_classes();
    rows.sort_by_key(|row| row.name);
    rows
}

/// A latch class's own name and wait family, for owners of latches outside `sync`.
pub fn latch_wait(class: &'static LatchClass, mode: crate::sync::LatchMode) -> WaitType {
    class.wait_type(mode)
}

/// Slots of the worker table in use, outside threads included.
pub fn slots_in_use() -> (usize, usize) {
    let (mut workers, mut outside) = (0, 0);
    for (_, slot) in system().all_workers() {
        match slot.kind.load(Ordering::Relaxed) {
            KIND_FREE => {}
            KIND_OUTSIDE => outside += 1,
            _ => workers += 1,
        }
    }
    (workers, outside)
}

/// Context switches of the process as the OS counts them: (voluntary, involuntary), all its threads.
pub fn os_switches() -> (u64, u64) {
    let (mut voluntary, mut involuntary) = (0, 0);
    for entry in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let text = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        for line in text.lines() {
            let value = || line.split_whitespace().nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
            if line.starts_with("voluntary_ctxt_switches") {
                voluntary += value();
            } else if line.starts_with("nonvoluntary_ctxt_switches") {
                involuntary += value();
            }
        }
    }
    (voluntary, involuntary)
}

/// What a worker has done since it was made: what a piece of work cost is the difference of two of these.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// Of `clock::now`: since when it has its scheduler's CPU this time.
    pub quantum_start_ns: u64,
    /// It had the CPU before that.
    pub quantum_used_ns: u64,
    pub page_reads: u64,
    pub page_writes: u64,
    pub page_faults: u64,
}

impl Work {
    /// How long it had the CPU, of the running worker itself and at `now`.
    pub fn running_ns(&self, now: u64) -> u64 {
        self.quantum_used_ns + now.saturating_sub(self.quantum_start_ns)
    }
}

/// Of the running worker. Reads no clock.
#[inline]
pub fn work_here() -> Work {
    work_of(crate::worker::current())
}

/// Of any worker, at about this moment.
#[inline]
pub fn work_of(worker: WorkerId) -> Work {
    let slot = crate::worker::slot(worker);
    Work {
        quantum_start_ns: long(&slot.quantum_start_ns),
        quantum_used_ns: long(&slot.quantum_used_ns),
        page_reads: long(&slot.page_reads),
        page_writes: long(&slot.page_writes),
        page_faults: long(&slot.page_faults),
    }
}

/// None: nothing was booked there yet, nor behind it.
fn session_wait(entry: &SessionWait) -> Option<WaitRow> {
    let waiting_tasks = long(&entry.waits);
    (waiting_tasks != 0).then(|| WaitRow {
        wait_type: WaitType::from_index(long(&entry.wait_type) as u16),
        waiting_tasks,
        wait_ns: long(&entry.total_ns),
        max_wait_ns: long(&entry.max_ns),
        signal_ns: long(&entry.signal_ns),
    })
}

/// The waits of a worker since they were last taken, as another sees them.
pub fn waits_of(worker: WorkerId) -> Vec<WaitRow> {
    crate::worker::slot(worker).session_waits.iter().map_while(session_wait).collect()
}

/// The waits of the running worker since they were last taken; a request takes them at its beginning and its end.
#[inline]
pub fn take_waits(mut each: impl FnMut(WaitRow)) {
    let slot = crate::worker::slot(crate::worker::current());
    for entry in &slot.session_waits {
        let Some(row) = session_wait(entry) else { break };
        each(row);
        for word in [&entry.waits, &entry.total_ns, &entry.max_ns, &entry.signal_ns] {
            word.store(0, Ordering::Relaxed);
        }
    }
}

/// The running worker looks at a page.
#[inline]
pub fn count_page_read() {
    count_alone(&crate::worker::slot(crate::worker::current()).page_reads);
}

/// The running worker takes a page to change it.
#[inline]
pub fn count_page_write() {
    count_alone(&crate::worker::slot(crate::worker::current()).page_writes);
}

/// The running worker reads a page from disk.
pub fn count_page_fault() {
    count_alone(&crate::worker::slot(crate::worker::current()).page_faults);
}

fn get(word: &AtomicU32) -> u32 {
    word.load(Ordering::Relaxed)
}

fn long(word: &AtomicU64) -> u64 {
    word.load(Ordering::Relaxed)
}
