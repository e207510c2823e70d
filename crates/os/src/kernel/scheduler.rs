//! A scheduler runs one worker at a time. Whoever runs holds its *baton*; everything in `Inner` and the runnable queue
//! belong to the baton's holder. There is no separate dispatcher: a worker that stops picks the next one itself
//! ([`Scheduler::pick_next`]) and hands the baton over, or goes on if it picked itself, and when there is nothing to
//! run it is the last worker that waits in the kernel on everyone's behalf.
//!
//! ```text
//!   park / yield / task done --> pick_next: inbox, timers, sockets, runnable queue; else help others, spin a little; else sleep
//!                                   |-> the same worker: return, no switch
//!                                   \-> another one: fiber: suspend, the root loop resumes it
//!                                                    thread: its `baton` word is set, ours awaited
//! ```
//! A simulation is several schedulers on one thread: `pick_next` then chooses among the workers of all of them.
#![allow(unsafe_code)]

use super::door::Door;
use super::idle::IdleTimes;
use super::machine::{ADMIN_SCHEDULER_ID, OPEN};
pub use super::machine::{MachineState, Pool};
use super::poller::{Armed, Poller, Ready, Token};
use super::workers::Workers;
use crate::calls::SystemCall;
use crate::share::{Owed, Share};
use crate::sys::atomic::Ordering;
use crate::worker::{self, EMPTY, PARKED, SchedulerSlot, TaskId, WorkerId, system};
use crate::{clock, engines, heap, simcore, sys};
use std::cell::{Cell, UnsafeCell};
use std::collections::{BinaryHeap, VecDeque};
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex};

/// What kind of stack carries a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WorkerKind {
    #[default]
    Fiber,
    Thread,
}

/// Who runs next of those who can.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scheduling {
    /// Who used little of its quantum goes on with it before others begin theirs: SQL Server 2016's large deficit first.
    #[default]
    LargeDeficitFirst,
    /// First come, first served, whatever was used before.
    Fifo,
}

/// What a task is for; its name is the `command` of a background request in the DMVs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u32)]
pub enum TaskKind {
    Request = 1,
    Parallel,
    Accept,
    LogWriter,
    Checkpoint,
    LazyWriter,
    LockMonitor,
    XtpPool,
    VersionCleaner,
    Recovery,
    Statistics,
    Startup,
    Client,
    System,
}

impl TaskKind {
    const ALL: [TaskKind; 14] = {
        use TaskKind::*;
        [
            Request,
            Parallel,
            Accept,
            LogWriter,
            Checkpoint,
            LazyWriter,
            LockMonitor,
            XtpPool,
            VersionCleaner,
            Recovery,
            Statistics,
            Startup,
            Client,
            System,
        ]
    };

    const ALL_IN_ORDER: () = {
        let mut at = 0;
        while at < TaskKind::ALL.len() {
            assert!(TaskKind::ALL[at] as usize == at + 1, "`from_raw` finds a kind by its number");
            at += 1;
        }
    };

    /// Whether all others need it to go on: a panic of such a task is the whole process's.
    pub fn serves_all(self) -> bool {
        use TaskKind::*;
        matches!(self, Accept | LogWriter | Checkpoint | LazyWriter | LockMonitor | XtpPool | VersionCleaner | System)
    }

    pub fn name(self) -> &'static str {
        match self {
            TaskKind::Request => "REQUEST",
            TaskKind::Parallel => "PARALLEL",
            TaskKind::Accept => "TASK MANAGER",
            TaskKind::LogWriter => "LOG WRITER",
            TaskKind::Checkpoint => "CHECKPOINT",
            TaskKind::LazyWriter => "LAZY WRITER",
            TaskKind::LockMonitor => "LOCK MONITOR",
            TaskKind::XtpPool => "XTP_THREAD_POOL",
            TaskKind::VersionCleaner => "VERSION CLEANER",
            TaskKind::Recovery => "RECOVERY WRITER",
            TaskKind::Statistics => "STATISTICS",
            TaskKind::Startup => "STARTUP",
            TaskKind::Client => "CLIENT",
            TaskKind::System => "SYSTEM",
        }
    }

    pub fn from_raw(raw: u32) -> Option<TaskKind> {
        let () = TaskKind::ALL_IN_ORDER;
        TaskKind::ALL.get((raw as usize).checked_sub(1)?).copied()
    }

    /// Its waits are interrupted when the machine stops. The other system tasks are told to end by their owners.
    pub fn ends_with_machine(self) -> bool {
        !self.is_system() || self == TaskKind::Accept
    }

    /// System tasks are outside the limit of `max worker threads`: they must run for the others to end.
    pub fn is_system(self) -> bool {
        !matches!(self, TaskKind::Request | TaskKind::Parallel | TaskKind::Client)
    }
}

/// A unit of work, not yet begun.
pub struct Task {
    pub id: TaskId,
    pub kind: TaskKind,
    pub enqueued_ns: u64,
    /// It goes before those whose round begins.
    pub ahead: bool,
    /// It is done at the door, after others that came before.
    pub stranger: bool,
    pub run: Box<dyn FnOnce() + Send>,
}

impl Task {
    pub fn new(kind: TaskKind, run: Box<dyn FnOnce() + Send>) -> Task {
        Task { id: system().next_task(), kind, enqueued_ns: clock::now(), ahead: false, stranger: false, run }
    }
}

/// What others ask of a scheduler; it looks when it picks.
pub enum Message {
    Start(Task),
    /// An armed connection has a deadline.
    ArmTimer(u64, Token),
    /// The machine stops: waits that can be interrupted end.
    Stop,
    /// There may be workers for those who wait for one, or other schedulers.
    Look,
}

/// One per CPU; never freed, since a late wake-up may name it at any time.
pub struct Scheduler {
    pub machine: Arc<MachineState>,
    /// Index into the scheduler table.
    pub index: u32,
    /// Place among the machine's schedulers: `scheduler_id`.
    pub id: u32,
    /// None in a simulation.
    poller: Option<Poller>,
    messages: Mutex<VecDeque<Message>>,
    message_count: AtomicU32,
    /// When its sockets were looked at last.
    pub polled_ns: AtomicU64,
    /// How long it looks for work before it sleeps, whatever it found lately; [`BY_EXPERIENCE`]: as its idle times suggest.
    pub looks_ns: AtomicU64,
    /// Until then requests of connections that had more than their share wait.
    pub rests_until_ns: AtomicU64,
    /// Tasks that found no worker (THREADPOOL): the first came first. The baton's holder puts in and takes out, others read.
    pending: Mutex<VecDeque<Task>>,
    inner: UnsafeCell<Inner>,
}

// SAFETY: `inner` is touched only by the baton's holder (see the top of the file); the rest is Sync by itself.
unsafe impl Sync for Scheduler {}
// SAFETY: as above.
unsafe impl Send for Scheduler {}

pub struct Inner {
    pub workers: Workers,
    pub door: Door,
    timers: BinaryHeap<std::cmp::Reverse<Timer>>,
    timers_compact_at: usize,
    timers_made: u64,
    /// The scheduler to help next.
    pub next_peer: usize,
    idle_times: IdleTimes,
    /// The only request here is of a connection that had more than its share.
    pub gives_way: bool,
    /// What it gave to connections that had more than their share, and has not rested for.
    overgiven_ns: u64,
    /// When the running worker was picked: saves a look at the clock at every switch.
    pub picked_ns: u64,
    /// Fiber machine: whom the root loop resumes next; `None` ends it.
    pub next: Option<WorkerId>,
    pub exiting: bool,
    /// Of memory: so many were heard of (`stack::shortages`).
    pub shortages: u32,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Timer {
    deadline: u64,
    order: u64,
    whom: Whom,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Whom {
    /// The worker's park number tells an old timer from that of a later wait.
    Worker(u32, u64),
    Armed(u64),
    /// Those who wait for a worker: the system refused to make one.
    Pending,
}

thread_local! {
    static HERE: Cell<Option<&'static Scheduler>> = const { Cell::new(None) };
    static QUANTUM_LEFT: Cell<u32> = const { Cell::new(QUANTUM_STRIDE) };
    static QUANTUM_END: Cell<u64> = const { Cell::new(0) };
    /// CPU time of this thread at the last look, and how long its workers have had the scheduler since, as the clock says. ns.
    static CPU_SEEN: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// A turn that takes so long may have been interrupted by others' threads: the system is asked how much of it was on the CPU.
const LONG_TURN_NS: u64 = 1_000_000;

/// The shortest turn is this part of a quantum.
const SHORTEST_PART: u64 = 8;
/// `maybe_yield` looks at the clock once in so many calls.
const QUANTUM_STRIDE: u32 = 16;
/// An engine that gave so much to connections that had more than their share rests for as long.
const OVERGIVEN_NS: u64 = 1_000_000;
/// `looks_ns` of a scheduler that learns how long to look.
pub const BY_EXPERIENCE: u64 = u64::MAX - 1;
/// `looks_ns` of a scheduler that never sleeps.
pub const FOR_EVER: u64 = u64::MAX;
/// When a worker could not be made, the next try is so much later.
const WORKER_RETRY_NS: u64 = 50_000_000;
/// Messages taken before looking at anything else: a flood of new tasks must not starve running ones.
const MESSAGES_AT_ONCE: usize = 256;

/// The scheduler whose baton this thread holds.
#[inline]
pub fn here() -> Option<&'static Scheduler> {
    HERE.get()
}

pub fn set_here(scheduler: Option<&'static Scheduler>) {
    HERE.set(scheduler);
}

impl Scheduler {
    pub fn create(machine: Arc<MachineState>, id: u32, cpu: u32, pool: Pool) -> &'static Scheduler {
        let index = system().allocate_scheduler().expect("a free scheduler slot");
        assert!(machine.quantum_ns > 0, "without a quantum every look at it ends a turn");
        assert!((pool == Pool::ADMIN) == (id == ADMIN_SCHEDULER_ID), "scheduler {id} of {pool:?}");
        let scheduler: &'static Scheduler = Box::leak(Box::new(Scheduler {
            index,
            id,
            poller: (!machine.simulated).then(|| Poller::new(engines::wake_fd(index).unwrap_or_else(sys::eventfd))),
            machine,
            messages: Mutex::default(),
            message_count: AtomicU32::new(0),
            polled_ns: AtomicU64::new(0),
            looks_ns: AtomicU64::new(if pool == Pool::ADMIN { 0 } else { BY_EXPERIENCE }),
            rests_until_ns: AtomicU64::new(0),
            pending: Mutex::default(),
            inner: UnsafeCell::new(Inner {
                workers: Workers::default(),
                door: Door::default(),
                timers: BinaryHeap::new(),
                timers_compact_at: 1024,
                timers_made: 0,
                next_peer: 0,
                idle_times: IdleTimes::default(),
                gives_way: false,
                overgiven_ns: 0,
                picked_ns: 0,
                next: None,
                exiting: false,
                shortages: 0,
            }),
        }));
        let slot = scheduler.slot();
        slot.reset();
        slot.wake_fd.store(scheduler.poller.as_ref().map_or(-1, Poller::wake_fd), Ordering::Relaxed);
        slot.machine.store(scheduler.machine.id, Ordering::Relaxed);
        slot.index.store(id, Ordering::Relaxed);
        slot.engine.store(engines::number(), Ordering::Relaxed);
        slot.cpu.store(cpu, Ordering::Relaxed);
        slot.pool.store(pool.0, Ordering::Relaxed);
        slot.node.store(scheduler.machine.node_of(cpu), Ordering::Relaxed);
        slot.workers_limit.store(1, Ordering::Relaxed);
        slot.quantum_ns.store(scheduler.machine.quantum_ns, Ordering::Relaxed);
        let by_deficit = scheduler.machine.scheduling == Scheduling::LargeDeficitFirst;
        slot.by_deficit.store(by_deficit.into(), Ordering::Relaxed);
        scheduler
    }

    pub fn poller(&self) -> &Poller {
        self.poller.as_ref().expect("a real machine")
    }

    pub fn slot(&self) -> &'static SchedulerSlot {
        system().scheduler(self.index)
    }

    /// The baton holder's state. Keep the borrow short: anything that may pick or park must not be called with it.
    #[allow(clippy::mut_from_ref)]
    pub fn inner(&self) -> &mut Inner {
        self.assert_holder();
        // SAFETY: only the baton's holder comes here and no caller keeps the borrow over a switch.
        unsafe { &mut *self.inner.get() }
    }

    #[inline]
    fn assert_holder(&self) {
        assert!(worker::current_scheduler() == self.index || self.machine.simulated, "not the baton's holder");
    }

    pub fn pool(&self) -> Pool {
        Pool(self.slot().pool.load(Ordering::Relaxed))
    }

    /// Whether new tasks come here.
    pub fn is_open(&self) -> bool {
        self.slot().status.load(Ordering::Relaxed) == OPEN
    }

    /// The CPUs that its threads run on where they are bound: its own, or, when it takes no more tasks, those of the others. All
    /// that the process may use where threads are not bound.
    pub fn cpus(&self) -> Vec<u32> {
        let cpu_of = |scheduler: &Scheduler| scheduler.slot().cpu.load(Ordering::Relaxed);
        if !self.machine.pinned.load(Ordering::Relaxed) {
            crate::limits::usable_cpus()
        } else if self.is_open() && self.pool() != Pool::ADMIN {
            vec![cpu_of(self)]
        } else {
            self.machine.open(Pool::DEFAULT).map(cpu_of).collect()
        }
    }

    /// Others that take tasks of the same pool.
    pub fn peers(&self) -> impl Iterator<Item = &'static Scheduler> + Clone {
        let own = self.index;
        self.machine.open(self.pool()).filter(move |peer| peer.index != own)
    }

    /// Whether a request that comes now gets a worker.
    pub fn has_worker(&self) -> bool {
        let slot = self.slot();
        slot.user_tasks.load(Ordering::Relaxed) < slot.workers_limit.load(Ordering::Relaxed)
    }

    /// Tasks here, running, waiting or pending.
    pub fn load(&self) -> u64 {
        let slot = self.slot();
        slot.tasks.load(Ordering::Relaxed) as u64
    }

    /// Starts `task` on this scheduler. Any thread.
    pub fn start(&self, task: Task) {
        assert!(self.slot().status.load(Ordering::Relaxed) != 0, "a task for a machine that has ended");
        self.machine.tasks.fetch_add(1, Ordering::Relaxed);
        self.slot().tasks.fetch_add(1, Ordering::Relaxed);
        if worker::current_scheduler() == self.index || self.machine.simulated {
            self.admit(task);
        } else {
            self.send(Message::Start(task));
        }
    }

    pub fn send(&self, message: Message) {
        {
            let mut messages = self.messages.lock().expect("messages");
            self.assert_messages_counted(&messages);
            messages.push_back(message);
            self.message_count.store(messages.len() as u32, Ordering::Release);
        }
        self.slot().wake();
    }

    /// Under the messages' lock: who looks at the count alone overlooks none.
    fn assert_messages_counted(&self, messages: &VecDeque<Message>) {
        let count = self.message_count.load(Ordering::Relaxed);
        assert!(count as usize == messages.len(), "{} messages are counted as {count}", messages.len());
    }

    /// Runs `run` as a new task when a deadline of an armed connection passes, unless its input came first.
    pub fn arm_timer(&self, deadline: u64, token: Token) {
        if worker::current_scheduler() == self.index {
            self.add_timer(deadline, Whom::Armed(token.raw()));
        } else {
            self.send(Message::ArmTimer(deadline, token));
        }
    }

    /// Starts the closure of an armed connection.
    pub fn start_armed(&self, run: Armed, ready: Ready, owed: Owed) {
        let task = Task::new(TaskKind::Request, Box::new(move || run(ready)));
        self.start(Task { ahead: matches!(owed, Owed::Ahead | Owed::Elsewhere), ..task });
    }

    /// The same of one that a stranger has.
    pub fn start_stranger(&self, run: Armed, ready: Ready) {
        let task = Task::new(TaskKind::Request, Box::new(move || run(ready)));
        self.start(Task { stranger: true, ..task });
    }

    /// Gives the task a worker, which then stands in the runnable queue, or lets it wait for one. Baton's holder only.
    fn admit(&self, task: Task) {
        self.assert_holder();
        if !self.is_open() && !task.kind.is_system() {
            // It was on its way when the scheduler was closed.
            return self.hand_on(task);
        }
        if task.stranger {
            let Some(keeper) = self.at_door(task) else { return };
            return self.admit(keeper);
        }
        if self.slot().tasks_pending.load(Ordering::Relaxed) > 0 && !task.kind.is_system() {
            // Behind those who came before.
            return self.wait_for_worker(task);
        }
        if let Some(task) = self.try_admit(task) {
            self.wait_for_worker(task);
        }
    }

    /// The task again if there is no worker for it.
    fn try_admit(&self, task: Task) -> Option<Task> {
        if !task.kind.is_system() && !self.has_worker() {
            return Some(task);
        }
        let worker = self.inner().workers.take_idle().or_else(|| Workers::create(self));
        let Some(id) = worker else {
            self.add_timer(clock::now() + WORKER_RETRY_NS, Whom::Pending);
            return Some(task);
        };
        self.assign(id, task);
        None
    }

    fn wait_for_worker(&self, task: Task) {
        let mut pending = self.pending.lock().expect("pending");
        self.assert_pending_counted(&pending);
        pending.push_back(task);
        self.slot().tasks_pending.store(pending.len() as u32, Ordering::Relaxed);
    }

    /// Under the lock of those who wait for a worker.
    fn assert_pending_counted(&self, pending: &VecDeque<Task>) {
        let count = self.slot().tasks_pending.load(Ordering::Relaxed) as usize;
        assert!(count == pending.len(), "{} tasks that wait for a worker are counted as {count}", pending.len());
    }

    /// Gives workers to those who wait for one, as far as there are some; a closed scheduler hands them on.
    pub fn admit_pending(&self) {
        self.assert_holder();
        while self.slot().tasks_pending.load(Ordering::Relaxed) > 0 {
            let Some(task) = self.pop_pending() else { return };
            if !self.is_open() && !task.kind.is_system() {
                self.hand_on(task);
            } else if let Some(task) = self.try_admit(task) {
                let mut pending = self.pending.lock().expect("pending");
                pending.push_front(task);
                self.slot().tasks_pending.store(pending.len() as u32, Ordering::Relaxed);
                return;
            }
        }
    }

    /// Gives a task that has not begun to another scheduler.
    fn hand_on(&self, task: Task) {
        let other = self.machine.least_loaded(self.pool(), Scheduler::load);
        assert!(other.machine.id == self.machine.id, "a task leaves its machine");
        let before = self.slot().tasks.fetch_sub(1, Ordering::Relaxed);
        assert!(before > 0, "a task is handed on that was not counted");
        other.slot().tasks.fetch_add(1, Ordering::Relaxed);
        other.send(Message::Start(task));
    }

    fn pop_pending(&self) -> Option<Task> {
        let mut pending = self.pending.lock().expect("pending");
        self.assert_pending_counted(&pending);
        let task = pending.pop_front();
        self.slot().tasks_pending.store(pending.len() as u32, Ordering::Relaxed);
        task
    }

    /// The tasks that wait for a worker: (id, kind, since when).
    pub fn waiting_for_worker(&self) -> Vec<(TaskId, TaskKind, u64)> {
        let pending = self.pending.lock().expect("pending");
        pending.iter().map(|task| (task.id, task.kind, task.enqueued_ns)).collect()
    }

    /// Gives an idle worker a task, whose round begins behind those who can run already unless it is owed more.
    fn assign(&self, id: WorkerId, task: Task) {
        if !task.kind.is_system() {
            let users = &self.slot().user_tasks;
            users.store(users.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        let ahead = task.ahead;
        self.inner().workers.assign(id, task);
        let slot = worker::slot(id);
        assert!(slot.sched.load(Ordering::Relaxed) == self.index, "{id:?} works for another scheduler");
        assert!(slot.task_id.load(Ordering::Relaxed) == 0, "{id:?} runs a task already");
        assert!(slot.state.load(Ordering::Relaxed) != PARKED, "an idle worker is in no wait");
        slot.task_from_ns.store(slot.quantum_used_ns.load(Ordering::Relaxed), Ordering::Relaxed);
        heap::forget_task(slot);
        slot.budget_ns.store(0, Ordering::Relaxed);
        slot.give_budget(self.inner().picked_ns, self.machine.quantum_ns);
        if ahead {
            self.slot().push_owed(system(), id);
        } else {
            self.slot().push_runnable(system(), id);
        }
    }

    /// A worker that became free takes over the first task that waits for one; false: there is none.
    pub fn assign_pending(&self, id: WorkerId) -> bool {
        if self.slot().tasks_pending.load(Ordering::Relaxed) == 0 || !self.has_worker() {
            return false;
        }
        let Some(task) = self.pop_pending() else { return false };
        let waited = clock::now().saturating_sub(task.enqueued_ns);
        worker::count_wait(self.index, crate::wait_types::WaitType::THREADPOOL, waited, 0);
        self.assign(id, task);
        true
    }

    /// Suspends the current worker, which has left RUNNING in its park word, until it is picked again.
    pub fn block(&self, me: WorkerId, deadline: Option<u64>) {
        debug_assert!(worker::slot(me).state.load(Ordering::Relaxed) != EMPTY, "{me:?} blocks without having parked");
        if let Some(deadline) = deadline {
            let slot = worker::slot(me);
            let number = slot.park_number.load(Ordering::Relaxed) + 1;
            slot.park_number.store(number, Ordering::Relaxed);
            self.add_timer(deadline, Whom::Worker(me.raw(), number));
        }
        self.switch_from(me);
        if deadline.is_some() {
            let slot = worker::slot(me);
            slot.park_number.store(slot.park_number.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
    }

    /// Lets the others go first. True if another worker ran meanwhile.
    pub fn yield_from(&self, me: WorkerId) -> bool {
        worker::count_alone(&self.slot().yields);
        let now = self.end_quantum(me);
        let own = worker::slot(me);
        if own.budget_ns.load(Ordering::Relaxed) <= 0 {
            own.give_budget(now, self.machine.quantum_ns);
        }
        self.slot().push_runnable(system(), me);
        self.switch_after_quantum(me)
    }

    /// Lets those go first who are owed more than `me`. True if another worker ran meanwhile.
    pub fn yield_to_owed(&self, me: WorkerId) -> bool {
        let slot = self.slot();
        if slot.by_deficit.load(Ordering::Relaxed) == 0 {
            return self.yield_from(me);
        }
        worker::count_alone(&slot.yields);
        let now = self.end_quantum(me);
        let own = worker::slot(me);
        if own.budget_ns.load(Ordering::Relaxed) > 0 {
            slot.push_ahead(system(), me);
        } else {
            own.give_budget(now, self.machine.quantum_ns);
            slot.push_runnable(system(), me);
        }
        self.switch_after_quantum(me)
    }

    /// Hands the baton to whoever is next and returns when it comes back. True if it was away.
    pub fn switch_from(&self, me: WorkerId) -> bool {
        self.end_quantum(me);
        self.switch_after_quantum(me)
    }

    fn switch_after_quantum(&self, me: WorkerId) -> bool {
        debug_assert!(worker::current_or_none() == me, "{me:?} does not run here");
        debug_assert!(self.slot().active_worker.load(Ordering::Relaxed) == me.raw(), "another worker runs");
        let next = self.pick_next();
        if next == Some(me) {
            self.begin_quantum(me);
            return false;
        }
        super::workers::hand_over(self, me, next);
        true
    }

    /// Books what `me` ran; the time now.
    pub fn end_quantum(&self, me: WorkerId) -> u64 {
        let now = clock::now();
        let own = worker::slot(me);
        let used = now.saturating_sub(own.quantum_start_ns.load(Ordering::Relaxed));
        // The baton's holder alone writes these.
        let on_cpu = if self.machine.simulated { used } else { cpu_of_turn(used) };
        own.quantum_used_ns.store(own.quantum_used_ns.load(Ordering::Relaxed) + on_cpu, Ordering::Relaxed);
        own.quantum_max_ns.store(own.quantum_max_ns.load(Ordering::Relaxed).max(used), Ordering::Relaxed);
        own.budget_ns.store(own.budget_ns.load(Ordering::Relaxed) - used as i64, Ordering::Relaxed);
        own.quantum_start_ns.store(now, Ordering::Relaxed);
        let cpu = &self.slot().cpu_ns;
        cpu.store(cpu.load(Ordering::Relaxed) + on_cpu, Ordering::Relaxed);
        now
    }

    /// `me` runs from now on: the scheduler's and the worker's books, and the quantum.
    pub fn begin(&self, me: WorkerId) {
        worker::set_current(me, self.index);
        let (slot, own) = (self.slot(), worker::slot(me));
        debug_assert!(own.sched.load(Ordering::Relaxed) == self.index, "{me:?} works for another scheduler");
        worker::count_alone(&slot.context_switches);
        slot.active_worker.store(me.raw(), Ordering::Relaxed);
        worker::count_alone(&own.context_switches);
        worker::count_alone(&own.task_context_switches);
        if self.machine.worker_kind == WorkerKind::Thread {
            // It had to be woken: until now the scheduler's CPU did nothing for it.
            let now = clock::now();
            slot.delay_ns.fetch_add(now.saturating_sub(self.inner().picked_ns), Ordering::Relaxed);
            self.inner().picked_ns = now;
        }
        self.begin_quantum(me);
    }

    fn begin_quantum(&self, me: WorkerId) {
        let (now, own) = (self.inner().picked_ns, worker::slot(me));
        own.quantum_start_ns.store(now, Ordering::Relaxed);
        let quantum = self.machine.quantum_ns;
        let length = match self.machine.scheduling {
            // Who owes some runs a little nevertheless: a turn without any work would only cost.
            Scheduling::LargeDeficitFirst => {
                (own.budget_ns.load(Ordering::Relaxed).max(0) as u64).clamp(quantum / SHORTEST_PART, quantum)
            }
            Scheduling::Fifo => quantum,
        };
        QUANTUM_LEFT.set(QUANTUM_STRIDE);
        QUANTUM_END.set(now + length);
    }

    /// The worker to run next; waits until there is one. `None`: the machine stops and nothing is left to run.
    pub fn pick_next(&self) -> Option<WorkerId> {
        if self.machine.simulated {
            return super::workers::pick_simulated(&self.machine);
        }
        let slot = self.slot();
        let mut idle_since = None;
        loop {
            self.take_messages();
            slot.drain_inbox(system());
            let now = clock::now();
            self.fire_timers(now);
            if self.is_poll_due(now) {
                self.poll(now);
                if std::mem::take(&mut self.inner().gives_way) {
                    worker::count_call(SystemCall::Yield);
                    sys::yield_thread();
                    self.poll(now);
                }
            }
            if let Some(next) = slot.pop_runnable(system()) {
                let picked = worker::slot(next);
                debug_assert!(picked.sched.load(Ordering::Relaxed) == self.index, "{next:?} of another scheduler");
                debug_assert!(picked.state.load(Ordering::Relaxed) != PARKED, "{next:?} is runnable and waits");
                self.inner().picked_ns = now;
                if let Some(since) = idle_since {
                    slot.is_idle.store(0, Ordering::Relaxed);
                    slot.idle_ns.fetch_add(now.saturating_sub(since), Ordering::Relaxed);
                    self.inner().idle_times.ended(since, now, self.machine.idle_spin_ns);
                }
                return Some(next);
            }
            if self.machine.stopping.load(Ordering::Relaxed) && self.machine.tasks.load(Ordering::Acquire) == 0 {
                return None;
            }
            let since = *idle_since.get_or_insert_with(|| {
                worker::count_alone(&slot.idle_switches);
                slot.is_idle.store(1, Ordering::Relaxed);
                now
            });
            if self.help(now) {
                continue;
            }
            let looks_for = match self.looks_ns.load(Ordering::Relaxed) {
                BY_EXPERIENCE => self.inner().idle_times.look_ns(now, self.machine.idle_spin_ns),
                fixed if self.is_open() => fixed,
                _ => 0,
            };
            if now.saturating_sub(since) < looks_for {
                // Someone else may need this CPU: the spin saves a wake-up, it must not cost anyone's turn.
                worker::count_call(SystemCall::Yield);
                sys::yield_thread();
                self.inner().idle_times.yielded(now, clock::now());
                continue;
            }
            self.sleep(now);
        }
    }

    /// Waits in the kernel for a socket, a timer, or a wake-up from another thread.
    fn sleep(&self, now: u64) {
        let slot = self.slot();
        assert!(slot.run_length.load(Ordering::Relaxed) == 0, "a scheduler sleeps while workers could run");
        slot.prepare_to_sleep();
        let nothing_came = slot.inbox.load(Ordering::Relaxed) == 0
            && self.message_count.load(Ordering::Acquire) == 0
            && !(self.machine.stopping.load(Ordering::Relaxed) && self.machine.tasks.load(Ordering::Relaxed) == 0);
        if nothing_came {
            worker::count_alone(&slot.kernel_sleeps);
            let timeout = self.next_deadline().map(|deadline| deadline.saturating_sub(now));
            self.poller().poll(timeout, usize::MAX, |run, entry, gone| self.begin_request(run, entry, gone));
        }
        slot.awake();
    }

    pub fn take_messages(&self) {
        if self.message_count.load(Ordering::Acquire) == 0 {
            return;
        }
        for _ in 0..MESSAGES_AT_ONCE {
            let message = {
                let mut messages = self.messages.lock().expect("messages");
                self.assert_messages_counted(&messages);
                let message = messages.pop_front();
                self.message_count.store(messages.len() as u32, Ordering::Release);
                message
            };
            match message {
                Some(Message::Start(task)) => self.admit(task),
                Some(Message::ArmTimer(deadline, token)) => self.add_timer(deadline, Whom::Armed(token.raw())),
                Some(Message::Stop) => self.interrupt_requests(),
                Some(Message::Look) => self.admit_pending(),
                None => return,
            }
        }
    }

    /// Ends the waits of all tasks here but the system's own; those that begin from now on see `stopping` themselves.
    fn interrupt_requests(&self) {
        for (id, slot) in system().all_workers() {
            if slot.sched.load(Ordering::Relaxed) != self.index {
                continue;
            }
            let kind = TaskKind::from_raw(slot.task_kind.load(Ordering::Relaxed));
            let task = slot.task_id.load(Ordering::Acquire);
            if task != 0 && kind.is_some_and(TaskKind::ends_with_machine) {
                crate::wait::interrupt(id, TaskId(task));
            }
        }
    }

    fn add_timer(&self, deadline: u64, whom: Whom) {
        let inner = self.inner();
        if inner.timers.len() >= inner.timers_compact_at {
            // Most waits end before their deadline and leave a dead timer behind.
            inner.timers.retain(|timer| self.is_live(&timer.0.whom));
            inner.timers_compact_at = (inner.timers.len() * 2).max(1024);
        }
        inner.timers_made += 1;
        let order = inner.timers_made;
        inner.timers.push(std::cmp::Reverse(Timer { deadline, order, whom }));
    }

    fn is_live(&self, whom: &Whom) -> bool {
        match whom {
            Whom::Worker(id, number) => {
                worker::slot(WorkerId::from_raw(*id)).park_number.load(Ordering::Relaxed) == *number
            }
            Whom::Armed(token) => self.poller().entry(Token::from_raw(*token)).is_some(),
            Whom::Pending => self.slot().tasks_pending.load(Ordering::Relaxed) > 0,
        }
    }

    pub fn fire_timers(&self, now: u64) {
        while let Some(first) = self.inner().timers.peek() {
            if first.0.deadline > now {
                return;
            }
            self.slot().last_timer_ns.store(now, Ordering::Relaxed);
            let Some(std::cmp::Reverse(timer)) = self.inner().timers.pop() else { return };
            match timer.whom {
                Whom::Worker(id, number) => {
                    let id = WorkerId::from_raw(id);
                    if worker::slot(id).park_number.load(Ordering::Relaxed) == number {
                        worker::time_out(id);
                    }
                }
                Whom::Armed(token) => {
                    let entry = self.poller().entry(Token::from_raw(token));
                    if let Some(entry) = entry
                        && let Some(run) = entry.disarm_at(timer.deadline)
                    {
                        match entry.stranger.load(Ordering::Relaxed) {
                            true => self.start_stranger(run, Ready::Timeout),
                            false => self.place(run, Ready::Timeout, Owed::Nothing),
                        }
                    }
                }
                Whom::Pending => self.admit_pending(),
            }
        }
    }

    /// The deadline of the first timer that still means something.
    pub fn next_deadline(&self) -> Option<u64> {
        loop {
            let inner = self.inner();
            let first = inner.timers.peek()?;
            if self.is_live(&first.0.whom) {
                return Some(first.0.deadline);
            }
            inner.timers.pop();
        }
    }

    /// Books the running task's work for its connection, which rests from now on.
    pub fn book_request(&self, share: &Share) {
        let (now, own) = (clock::now(), worker::slot(worker::current()));
        assert!(own.task_id.load(Ordering::Relaxed) != 0, "a request is booked by its task");
        let used = own.quantum_used_ns.load(Ordering::Relaxed) - own.task_from_ns.load(Ordering::Relaxed);
        let used = used + now.saturating_sub(own.quantum_start_ns.load(Ordering::Relaxed));
        let quantum = self.machine.quantum_ns;
        if system().shares.book(share, used, quantum, now) {
            let inner = self.inner();
            inner.overgiven_ns += used.min(quantum);
            if inner.overgiven_ns > OVERGIVEN_NS {
                self.rests_until_ns.store(now + std::mem::take(&mut inner.overgiven_ns), Ordering::Relaxed);
            }
        }
    }

    /// Books the end of a task of `kind` and, when it was the last of a stopping machine, wakes those who wait for that.
    pub fn task_done(&self, kind: TaskKind) {
        let slot = self.slot();
        self.assert_holder();
        if !kind.is_system() {
            let users = slot.user_tasks.load(Ordering::Relaxed);
            assert!(users > 0, "a user's task ends that was not counted");
            slot.user_tasks.store(users - 1, Ordering::Relaxed);
        }
        let here = slot.tasks.fetch_sub(1, Ordering::Relaxed);
        slot.tasks_finished.fetch_add(1, Ordering::Relaxed);
        let everywhere = self.machine.tasks.fetch_sub(1, Ordering::AcqRel);
        assert!(here > 0 && everywhere > 0, "a task ends that was not counted");
        let left = everywhere - 1;
        if left == 0 && self.machine.stopping.load(Ordering::Relaxed) {
            for other in self.machine.schedulers() {
                other.slot().wake();
            }
        }
    }
}

/// How long the thread had the CPU in a turn that took `used` ns by the clock. A short turn counts as it is: a call of the system would
/// cost more than it tells.
#[inline]
fn cpu_of_turn(used: u64) -> u64 {
    let (seen, since) = CPU_SEEN.get();
    if used < LONG_TURN_NS {
        CPU_SEEN.set((seen, since + used));
        return used;
    }
    let cpu = clock::thread_cpu();
    CPU_SEEN.set((cpu, 0));
    cpu.saturating_sub(seen + since).min(used)
}

/// The next [`quantum_over`] looks at the clock.
pub fn look_at_clock() {
    QUANTUM_LEFT.set(1);
}

/// Whether the running worker's quantum is over. Looks at the clock once in [`QUANTUM_STRIDE`] calls.
#[inline]
pub fn quantum_over() -> bool {
    let left = QUANTUM_LEFT.get();
    if left > 1 {
        QUANTUM_LEFT.set(left - 1);
        return false;
    }
    QUANTUM_LEFT.set(QUANTUM_STRIDE);
    (simcore::active() && simcore::with(|sim| sim.quantum_ends())) || clock::now() >= QUANTUM_END.get()
}
