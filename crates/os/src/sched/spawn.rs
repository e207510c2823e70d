//! Tasks and waiting for them.

use crate::kernel::scheduler::{self, MachineState, Pool, Scheduler, Task, TaskKind};
use crate::sync::{Event, Mutex};
use crate::sys::atomic::Ordering;
use crate::wait::{TaskId, WaitType};
use crate::worker;
use std::sync::Arc;

/// On which scheduler a task runs, from begin to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// That of the caller.
    Here,
    /// That of the caller's pool with the fewest tasks; the caller's on a tie.
    LeastLoaded,
    /// The nth of the default pool's, as often around as needed.
    On(u32),
    /// That of a pool with the fewest tasks; of the default one if there is no such pool any more.
    In(Pool),
}

/// The task panicked; its message has been printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Panicked;

/// Waits for a task. Dropping it lets the task run on.
pub struct JoinHandle<T> {
    shared: Arc<Shared<T>>,
    task: TaskId,
}

struct Shared<T> {
    result: Mutex<Option<Result<T, Panicked>>>,
    done: Event,
}

impl<T> JoinHandle<T> {
    pub fn task(&self) -> TaskId {
        self.task
    }

    pub fn is_done(&self) -> bool {
        self.shared.done.is_set()
    }

    pub fn join(self) -> Result<T, Panicked> {
        assert!(current_task() != Some(self.task), "a task that waits for itself waits for ever");
        self.shared.done.wait(None);
        self.shared.result.lock().take().expect("set before done")
    }

    /// The handle again if `deadline` (of `clock::now`) passes first.
    pub fn join_until(self, deadline: u64) -> Result<Result<T, Panicked>, JoinHandle<T>> {
        if self.shared.done.wait(Some(deadline)) { Ok(self.join()) } else { Err(self) }
    }
}

/// Starts a task on the caller's machine. Panics on a thread that is no worker: use `Machine::spawn` there.
pub fn spawn<T: Send + 'static>(
    kind: TaskKind,
    place: Place,
    run: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    let here = scheduler::here().expect("spawn is called by a worker; outside use Machine::spawn");
    spawn_in(&here.machine, kind, place, run)
}

pub(crate) fn spawn_in<T: Send + 'static>(
    machine: &Arc<MachineState>,
    kind: TaskKind,
    place: Place,
    run: impl FnOnce() -> T + Send + 'static,
) -> JoinHandle<T> {
    let shared = Arc::new(Shared {
        result: Mutex::new(WaitType::SOS_WORKER_JOIN, None),
        done: Event::manual_reset(WaitType::SOS_WORKER_JOIN),
    });
    let teller = Teller { shared: shared.clone() };
    let task = Task::new(kind, Box::new(move || teller.tell(run())));
    let id = task.id;
    scheduler_at(machine, place).start(task);
    JoinHandle { shared, task: id }
}

pub(crate) fn scheduler_at(machine: &MachineState, place: Place) -> &'static Scheduler {
    place_by(machine, place, Scheduler::load)
}

/// As `scheduler_at`, with another measure of who has least to do.
pub(crate) fn place_by(machine: &MachineState, place: Place, load: fn(&Scheduler) -> u64) -> &'static Scheduler {
    let pool_here = || scheduler::here().map_or(Pool::DEFAULT, Scheduler::pool);
    match place {
        Place::Here => {
            let here = scheduler::here().expect("Place::Here is for workers");
            assert!(here.machine.id == machine.id, "a task for another machine than the caller's is not for here");
            here
        }
        Place::LeastLoaded => machine.least_loaded(pool_here(), load),
        Place::On(nth) => machine.nth(nth),
        Place::In(pool) => machine.least_loaded(pool, load),
    }
}

/// Tells the joiner how it ended, a panic included: then it is dropped without `tell`.
struct Teller<T> {
    shared: Arc<Shared<T>>,
}

impl<T> Teller<T> {
    fn tell(self, result: T) {
        let before = self.shared.result.lock().replace(Ok(result));
        assert!(before.is_none(), "a task ends once");
    }
}

impl<T> Drop for Teller<T> {
    fn drop(&mut self) {
        assert!(!self.shared.done.is_set(), "a task is done once");
        self.shared.result.lock().get_or_insert(Err(Panicked));
        self.shared.done.set();
    }
}

/// The task the caller runs; `None` on a thread that is no worker.
pub fn current_task() -> Option<TaskId> {
    let id = worker::slot(worker::current()).task_id.load(Ordering::Relaxed);
    assert!(id == 0 || worker::on_scheduler(), "a thread that is no worker has a task");
    (id != 0).then_some(TaskId(id))
}

/// The caller's scheduler: its place in the machine (`scheduler_id`).
#[inline]
pub fn here() -> Option<u32> {
    scheduler::here().map(|s| s.id)
}

/// The number of the caller's scheduler among those of all engines, below `SCHEDULERS_MAX`; 0 on a thread that is no worker. One worker at a time
/// runs with it.
#[inline]
pub fn number_here() -> u32 {
    worker::current_scheduler()
}

/// Schedulers of the default pool of the caller's machine; 1 on a thread that is no worker.
pub fn scheduler_count() -> u32 {
    scheduler::here().map_or(1, |s| s.machine.open(Pool::DEFAULT).count() as u32)
}

/// Says for the DMVs for which session the current task works; 0 for none.
pub fn set_session(session_id: u32) {
    worker::slot(worker::current()).session_id.store(session_id, Ordering::Relaxed);
}

pub fn set_request(request_id: u32) {
    worker::slot(worker::current()).request_id.store(request_id, Ordering::Relaxed);
}

/// Whether the machine has been asked to stop: background tasks then end.
pub fn stopping() -> bool {
    scheduler::here().is_some_and(|s| s.machine.stopping.load(std::sync::atomic::Ordering::Relaxed))
}
