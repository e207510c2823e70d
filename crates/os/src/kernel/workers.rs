//! Workers: the stacks of a scheduler, fibers or threads, and how the baton passes between them.
//!
//! A worker runs tasks one after the other. Without one it is idle: in the `idle` list, in no queue, its park word
//! EMPTY. A task is put into an idle worker's mailbox and the worker into the runnable queue.
#![allow(unsafe_code)]

use super::machine::MachineState;
use super::scheduler::{self, Scheduler, Task, WorkerKind};
use super::stack::{self, FiberStack};
use crate::calls::SystemCall;
use crate::sys::atomic::{Ordering, fence};
use crate::worker::{self, KIND_FIBER, KIND_THREAD, WorkerId, system};
use crate::{clock, heap, panics, simcore, sys};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::sync::Mutex;

type Fiber = Coroutine<(), (), (), FiberStack>;

/// Idle fibers kept with their stacks, and idle threads; above it a worker without a task ends.
const IDLE_FIBERS_MAX: usize = 128;
const IDLE_THREADS_MAX: usize = 512;
/// A thread worker's stack: as a fiber's, and room for what the C library puts there.
const THREAD_STACK_BYTES: usize = stack::STACK_BYTES + 64 * 1024;

/// Values of a thread worker's baton word.
const WAIT: u32 = 0;
const RUN: u32 = 1;
const EXIT: u32 = 2;

#[derive(Default)]
pub struct Workers {
    locals: Vec<Local>,
    free: Vec<u32>,
    idle: Vec<WorkerId>,
    count: u32,
}

/// What is private to the process of a worker; `WorkerSlot::local` is its index.
struct Local {
    id: WorkerId,
    task: Option<Task>,
    fiber: Option<Box<Fiber>>,
    yielder: *const Yielder<(), ()>,
}

/// Handles of worker threads, to be joined at shutdown.
pub static THREADS: Mutex<Vec<(u32, std::thread::JoinHandle<()>)>> = Mutex::new(Vec::new());

impl Workers {
    pub fn take_idle(&mut self) -> Option<WorkerId> {
        self.idle.pop()
    }

    /// Puts `task` into the mailbox of an idle or new worker.
    pub fn assign(&mut self, id: WorkerId, task: Task) {
        let local = self.local(id);
        assert!(local.task.is_none(), "worker has a task already");
        local.task = Some(task);
        debug_assert!(!self.idle.contains(&id), "{id:?} has a task and is idle");
    }

    fn local(&mut self, id: WorkerId) -> &mut Local {
        let index = worker::slot(id).local.load(Ordering::Relaxed);
        let local = &mut self.locals[index as usize];
        assert!(local.id == id);
        local
    }

    fn add(&mut self, id: WorkerId) {
        let index = self.free.pop().unwrap_or(self.locals.len() as u32);
        let local = Local { id, task: None, fiber: None, yielder: std::ptr::null() };
        if index as usize == self.locals.len() {
            self.locals.push(local);
        } else {
            assert!(!self.locals[index as usize].id.is_some(), "a worker's place is taken");
            self.locals[index as usize] = local;
        }
        worker::slot(id).local.store(index, Ordering::Relaxed);
        self.count += 1;
        self.assert_counted();
    }

    fn remove(&mut self, id: WorkerId) {
        let local = self.local(id);
        assert!(local.task.is_none(), "{id:?} goes and has a task");
        assert!(local.fiber.is_none(), "{id:?} goes and leaves its stack");
        local.id = WorkerId::NONE;
        debug_assert!(worker::slot(id).queued.load(Ordering::Relaxed) == 0, "{id:?} goes and is to run");
        debug_assert!(worker::slot(id).listed.load(Ordering::Relaxed) == 0, "{id:?} goes and is in a list");
        self.free.push(worker::slot(id).local.load(Ordering::Relaxed));
        self.count -= 1;
        self.assert_counted();
    }

    fn assert_counted(&self) {
        assert!(self.count as usize + self.free.len() == self.locals.len(), "a place without a worker is free");
        assert!(self.idle.len() <= self.count as usize, "more are idle than there are");
    }

    /// A new worker of `scheduler`, by its baton's holder; it begins when it is picked. `None`: refused by the system.
    pub fn create(scheduler: &Scheduler) -> Option<WorkerId> {
        let kind = scheduler.machine.worker_kind;
        let number = if kind == WorkerKind::Fiber { KIND_FIBER } else { KIND_THREAD };
        let id = system().allocate(number, scheduler.index)?;
        scheduler.inner().workers.add(id);
        let created = match kind {
            WorkerKind::Fiber => create_fiber(scheduler, id),
            WorkerKind::Thread => create_thread(scheduler, id),
        };
        if !created {
            scheduler.slot().failed_to_create_worker.store(1, Ordering::Relaxed);
            scheduler.inner().workers.remove(id);
            system().release(id);
            return None;
        }
        scheduler.slot().workers.store(scheduler.inner().workers.count, Ordering::Relaxed);
        Some(id)
    }
}

fn create_fiber(scheduler: &Scheduler, id: WorkerId) -> bool {
    let Some(stack) = FiberStack::take() else { return false };
    let (base, limit) = stack.bounds();
    let slot = worker::slot(id);
    slot.stack_base.store(base as u64, Ordering::Relaxed);
    slot.stack_limit.store(limit as u64, Ordering::Relaxed);
    let index = scheduler.index;
    let fiber = Fiber::with_stack(stack, move |yielder, ()| {
        let scheduler = scheduler::here().expect("resumed by its scheduler");
        assert!(scheduler.index == index);
        scheduler.inner().workers.local(id).yielder = yielder;
        work(scheduler, id);
        if !scheduler.inner().exiting {
            // Whom the root loop resumes after this fiber is gone.
            let next = scheduler.pick_next();
            root_of(scheduler).inner().next = next;
        }
    });
    scheduler.inner().workers.local(id).fiber = Some(Box::new(fiber));
    true
}

fn create_thread(scheduler: &Scheduler, id: WorkerId) -> bool {
    let mut all = scheduler.machine.schedulers().iter();
    let scheduler: &'static Scheduler = all.find(|s| s.index == scheduler.index).expect("one of its machine");
    let name = format!("worker {}", id.raw());
    let spawned = std::thread::Builder::new().name(name).stack_size(THREAD_STACK_BYTES).spawn(move || {
        let slot = worker::slot(id);
        slot.os_thread.store(sys::thread_id(), Ordering::Relaxed);
        stack::watch_faults_on_this_thread();
        place_thread(scheduler);
        if await_baton(id) == RUN {
            worker::set_current(id, scheduler.index);
            scheduler::set_here(Some(scheduler));
            scheduler.begin(id);
            if work(scheduler, id) == Ending::Retired {
                scheduler.inner().workers.remove(id);
                let next = scheduler.pick_next();
                pass_baton_or_stop(scheduler, next);
            }
        }
        scheduler::set_here(None);
        worker::set_current(WorkerId::NONE, 0);
        system().release(id);
    });
    match spawned {
        Ok(handle) => {
            let mut threads = THREADS.lock().expect("threads");
            // Ended ones need no join; dropping the handle detaches nothing that still runs.
            threads.retain(|(_, handle)| !handle.is_finished());
            threads.push((scheduler.machine.id, handle));
            true
        }
        Err(_) => false,
    }
}

/// Tells the kernel where and how this thread of a scheduler runs. Its number was published before, so that a change of affinity
/// that comes now either is seen here or finds the thread.
pub fn place_thread(scheduler: &Scheduler) {
    if scheduler.machine.gives_way {
        sys::give_way();
    }
    fence(Ordering::SeqCst);
    if scheduler.machine.pinned.load(Ordering::Relaxed) {
        sys::run_on(0, &scheduler.cpus());
    }
}

/// Binds all threads of `scheduler` to the CPUs where it runs now.
pub fn place_threads_again(scheduler: &Scheduler) {
    fence(Ordering::SeqCst);
    let cpus = scheduler.cpus();
    let own = scheduler.slot().os_thread.load(Ordering::Relaxed);
    let workers = system().all_workers().filter(|(_, slot)| {
        slot.kind.load(Ordering::Acquire) == KIND_THREAD && slot.sched.load(Ordering::Relaxed) == scheduler.index
    });
    let threads = workers.map(|(_, slot)| slot.os_thread.load(Ordering::Relaxed)).chain([own]);
    for thread in threads.filter(|thread| *thread != 0) {
        sys::run_on(thread, &cpus);
    }
}

#[derive(PartialEq, Eq)]
enum Ending {
    /// Too many are idle: this one goes, others run on.
    Retired,
    /// The machine stops.
    Stopped,
}

/// A worker's life: task after task.
fn work(scheduler: &Scheduler, id: WorkerId) -> Ending {
    loop {
        if let Some(task) = scheduler.inner().workers.local(id).task.take() {
            run_task(scheduler, id, task);
        }
        // With another task it stands behind those already runnable, as if it had been idle.
        if !scheduler.assign_pending(id) {
            let kept =
                if scheduler.machine.worker_kind == WorkerKind::Fiber { IDLE_FIBERS_MAX } else { IDLE_THREADS_MAX };
            let kept = kept.min(scheduler.slot().workers_limit.load(Ordering::Relaxed) as usize);
            let workers = &mut scheduler.inner().workers;
            debug_assert!(!workers.idle.contains(&id), "{id:?} becomes idle twice");
            if workers.idle.len() >= kept {
                scheduler.end_quantum(id);
                return Ending::Retired;
            }
            workers.idle.push(id);
            scheduler.slot().workers_idle.store(workers.idle.len() as u32, Ordering::Relaxed);
            if scheduler.inner().shortages != stack::shortages() {
                let_idle_stacks_go(scheduler);
            }
        }
        scheduler.switch_from(id);
        if exit_asked(scheduler, id) {
            return Ending::Stopped;
        }
    }
}

/// By the baton's holder, who is idle himself.
#[cold]
fn let_idle_stacks_go(scheduler: &Scheduler) {
    scheduler.inner().shortages = stack::shortages();
    if scheduler.machine.worker_kind == WorkerKind::Fiber {
        assert!(stack::is_in_top(), "a fiber without a task is where it began");
        for id in &scheduler.inner().workers.idle {
            let lowest = worker::slot(*id).stack_limit.load(Ordering::Relaxed) as usize;
            // SAFETY: an idle fiber of this scheduler stands in `work`, as this one does, and cannot go on before the baton is passed.
            unsafe { stack::let_go(lowest) };
        }
    }
}

fn exit_asked(scheduler: &Scheduler, id: WorkerId) -> bool {
    match scheduler.machine.worker_kind {
        WorkerKind::Fiber => scheduler.inner().exiting,
        // Not `inner`: at the end there is no baton, all leave at once.
        WorkerKind::Thread => worker::slot(id).baton.load(Ordering::Relaxed) == EXIT,
    }
}

fn run_task(scheduler: &Scheduler, id: WorkerId, task: Task) {
    let slot = worker::slot(id);
    assert!(slot.task_id.load(Ordering::Relaxed) == 0, "{id:?} runs a task in a task");
    assert!(task.id.0 != 0, "a task without a number");
    // A token left over from the last task means nothing to this one.
    slot.state.store(worker::EMPTY, Ordering::Relaxed);
    slot.task_kind.store(task.kind as u32, Ordering::Relaxed);
    slot.session_id.store(0, Ordering::Relaxed);
    slot.request_id.store(0, Ordering::Relaxed);
    slot.task_context_switches.store(0, Ordering::Relaxed);
    slot.task_bound_ns.store(clock::now(), Ordering::Relaxed);
    let stops = task.kind.ends_with_machine() && scheduler.machine.stopping.load(Ordering::Relaxed);
    slot.interrupt_task.store(if stops { task.id.0 } else { 0 }, Ordering::Relaxed);
    slot.task_id.store(task.id.0, Ordering::Release);
    let (kind, run) = (task.kind, task.run);
    // A panic is a bug of the task: it was reported by the panic hook; the worker and the others go on, unless they need this task.
    if panics::catch(run).is_err() {
        scheduler.machine.panics.fetch_add(1, Ordering::Relaxed);
        if kind.serves_all() {
            panics::ends_all(kind.name());
        }
    }
    // What a task leaves behind, however it ended, the next one of this worker would find.
    assert!(worker::current() == id, "a task ends on a worker that did not begin it");
    assert!(worker::current_scheduler() == scheduler.index, "a task ends on a scheduler that did not begin it");
    assert!(slot.waiters.load(Ordering::Relaxed) == 0, "a task leaves its worker in a list of waiters");
    assert!(slot.wait_started_ns.load(Ordering::Relaxed) == 0, "a task ends in a wait");
    worker::assert_may_wait(slot);
    heap::forget_task(slot);
    slot.task_id.store(0, Ordering::Release);
    slot.tasks_processed.fetch_add(1, Ordering::Relaxed);
    scheduler.task_done(kind);
}

/// Gives the baton to `next` and comes back when it returns to `me`.
pub fn hand_over(scheduler: &Scheduler, me: WorkerId, next: Option<WorkerId>) {
    debug_assert!(next != Some(me), "who goes on needs no switch");
    match scheduler.machine.worker_kind {
        WorkerKind::Fiber => {
            root_of(scheduler).inner().next = next;
            let yielder = scheduler.inner().workers.local(me).yielder;
            assert!(!yielder.is_null());
            // SAFETY: we run on this fiber, so its yielder is alive; nothing of `inner` is borrowed here.
            unsafe { (*yielder).suspend(()) };
        }
        WorkerKind::Thread => {
            pass_baton_or_stop(scheduler, next);
            if await_baton(me) == RUN {
                scheduler.begin(me);
            } else {
                worker::slot(me).baton.store(EXIT, Ordering::Relaxed);
            }
        }
    }
}

/// Passes the baton to `next`, or, at the machine's end, sends all idle workers (all there are) home.
fn pass_baton_or_stop(scheduler: &Scheduler, next: Option<WorkerId>) {
    match next {
        Some(next) => give_baton(next, RUN),
        None => {
            let workers = &mut Scheduler::inner(scheduler).workers;
            assert!(workers.idle.len() == workers.count as usize, "a machine stops that has work");
            let idle = std::mem::take(&mut workers.idle);
            for id in idle {
                give_baton(id, EXIT);
            }
        }
    }
}

fn give_baton(id: WorkerId, value: u32) {
    let slot = worker::slot(id);
    debug_assert!(slot.baton.load(Ordering::Relaxed) == WAIT, "{id:?} has the baton already");
    // Release: the next holder sees all that was done under the baton.
    slot.baton.store(value, Ordering::Release);
    worker::count_call(SystemCall::Futex);
    sys::futex_wake(&slot.baton);
}

fn await_baton(id: WorkerId) -> u32 {
    let slot = worker::slot(id);
    loop {
        match slot.baton.swap(WAIT, Ordering::Acquire) {
            WAIT => {
                worker::count_call(SystemCall::Futex);
                sys::futex_wait(&slot.baton, WAIT, None);
            }
            value => {
                assert!(value == RUN || value == EXIT, "a baton of {value}");
                return value;
            }
        }
    }
}

/// Where the root loop of a fiber machine finds whom to resume: its own scheduler, or in a simulation the first.
fn root_of(scheduler: &Scheduler) -> &Scheduler {
    if scheduler.machine.simulated { scheduler.machine.schedulers()[0] } else { scheduler }
}

/// The root loop of a fiber scheduler (of all of them in a simulation): resumes one fiber after the other.
pub fn run_fibers(root: &'static Scheduler) {
    assert!(root.machine.worker_kind == WorkerKind::Fiber, "a root loop is for fibers");
    let mut next = root.pick_next();
    while let Some(id) = next {
        let scheduler = scheduler_of(root, id);
        resume(scheduler, id);
        scheduler::set_here(Some(root));
        worker::set_current(WorkerId::NONE, root.index);
        next = root.inner().next.take();
    }
}

/// Ends the idle fibers, which are all there are when a machine stops.
pub fn end_fibers(scheduler: &'static Scheduler) {
    scheduler::set_here(Some(scheduler));
    worker::set_current(WorkerId::NONE, scheduler.index);
    let workers = &scheduler.inner().workers;
    assert!(workers.idle.len() == workers.count as usize, "a scheduler ends while a task is left");
    scheduler.inner().exiting = true;
    while let Some(id) = scheduler.inner().workers.idle.pop() {
        resume(scheduler, id);
    }
    assert!(scheduler.inner().workers.count == 0, "a fiber did not end");
}

/// Forgets all fibers as if the power had failed: no destructor runs, what they own on the heap is lost. Only for a
/// simulated kill.
pub fn abandon_fibers(scheduler: &'static Scheduler) {
    assert!(scheduler.machine.simulated, "a real machine's fibers hold locks and memory");
    let workers = std::mem::take(&mut scheduler.inner().workers);
    for mut local in workers.locals {
        // What a task that had not begun owns is lost, too: its destructors would go on with what the power has ended.
        std::mem::forget(local.task.take());
        if let Some(mut fiber) = local.fiber.take() {
            if !fiber.done() {
                // SAFETY: nothing refers into the abandoned stack any more: the whole simulated machine is dropped.
                unsafe { fiber.force_reset() };
            }
            fiber.into_stack().give_back();
        }
    }
}

fn scheduler_of(root: &'static Scheduler, id: WorkerId) -> &'static Scheduler {
    if !root.machine.simulated {
        return root;
    }
    let index = worker::slot(id).sched.load(Ordering::Relaxed);
    assert!(index != 0, "{id:?} has no scheduler");
    root.machine.schedulers().iter().find(|s| s.index == index).expect("a worker's scheduler")
}

fn resume(scheduler: &'static Scheduler, id: WorkerId) {
    scheduler::set_here(Some(scheduler));
    scheduler.begin(id);
    debug_assert!(worker::slot(id).kind.load(Ordering::Relaxed) == KIND_FIBER, "{id:?} is no fiber");
    stack::set_limit(worker::slot(id).stack_limit.load(Ordering::Relaxed) as usize);
    let fiber: *mut Fiber = &mut **scheduler.inner().workers.local(id).fiber.as_mut().expect("a fiber");
    // SAFETY: the box keeps the fiber in place while the worker table changes; only this loop resumes or removes it.
    let result = unsafe { (*fiber).resume(()) };
    stack::set_limit(0);
    if let CoroutineResult::Return(()) = result {
        let fiber = scheduler.inner().workers.local(id).fiber.take().expect("a fiber");
        scheduler.inner().workers.remove(id);
        scheduler.slot().workers.store(scheduler.inner().workers.count, Ordering::Relaxed);
        fiber.into_stack().give_back();
        system().release(id);
    }
}

/// The simulation's choice: any runnable worker of any scheduler; with none, time moves on to the next event.
pub fn pick_simulated(machine: &MachineState) -> Option<WorkerId> {
    assert!(machine.simulated, "a real machine's schedulers pick for themselves");
    loop {
        if simcore::with(|sim| sim.step()) {
            return None;
        }
        let now = clock::now();
        for scheduler in machine.schedulers() {
            scheduler.fire_timers(now);
        }
        while let Some(event) = simcore::with(|sim| sim.due_event()) {
            event();
        }
        let length = |s: &Scheduler| s.slot().run_length.load(Ordering::Relaxed) as u64;
        let total: u64 = machine.schedulers().iter().map(|s| length(s)).sum();
        assert!(total < worker::WORKERS_MAX as u64, "{total} runnable workers");
        if total > 0 {
            let mut nth = simcore::with(|sim| {
                // A step takes time, so that everything that polls the clock ends.
                let step = 100 + sim.below(2_000);
                sim.advance(step);
                sim.below(total)
            });
            for scheduler in machine.schedulers() {
                if nth < length(scheduler) {
                    let id = scheduler.slot().remove_runnable(system(), nth as u32).expect("counted");
                    simcore::with(|sim| sim.trace(simcore::TRACE_RUN, id.raw() as u64));
                    scheduler.inner().picked_ns = clock::now();
                    return Some(id);
                }
                nth -= length(scheduler);
            }
            unreachable!("one of them is the one that was drawn");
        }
        if machine.tasks.load(Ordering::Relaxed) == 0 && machine.stopping.load(Ordering::Relaxed) {
            return None;
        }
        let timer = machine.schedulers().iter().filter_map(|s| s.next_deadline()).min();
        let event = simcore::with(|sim| sim.next_event_ns());
        match timer.into_iter().chain(event).min() {
            Some(at) => simcore::with(|sim| sim.advance_to(at.max(sim.now_ns()))),
            None => {
                simcore::with(|sim| sim.stuck());
                return None;
            }
        }
    }
}

/// The first thread of a scheduler of threads: starts its first worker, gives it the baton and goes. From then on the
/// baton is always with a worker.
pub fn run_threads(scheduler: &'static Scheduler) {
    assert!(scheduler.machine.worker_kind == WorkerKind::Thread, "fibers have a root loop");
    let next = scheduler.pick_next();
    worker::set_current(WorkerId::NONE, scheduler.index);
    pass_baton_or_stop(scheduler, next);
}
