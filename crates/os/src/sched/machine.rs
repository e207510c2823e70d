//! A machine: its schedulers and their threads.

use super::spawn::{JoinHandle, Place, spawn_in};
use crate::kernel::machine::{MachineState, MachineTraits, Pool};
use crate::kernel::monitor::{self, Watch};
use crate::kernel::poller::Armed;
use crate::kernel::scheduler::{self, Message, Scheduler, Scheduling, TaskKind, WorkerKind};
use crate::kernel::{stack, workers};
use crate::sync::{Event, RwLockForm, set_rwlock_form};
use crate::sys::atomic::Ordering as Order;
use crate::wait::WaitType;
use crate::worker::{self, SCHEDULERS_MAX, WorkerId, system};
use crate::{clock, limits, sys};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How to start. `Default`: a scheduler per usable CPU, fibers, SQL Server's number of workers.
#[derive(Clone, Debug)]
pub struct MachineConfig {
    /// One scheduler for each of these CPUs; empty: for each CPU of the process's affinity mask.
    pub cpus: Vec<u32>,
    /// Number of the first scheduler, as `sys.dm_os_schedulers` shows it: where engines are processes they count on.
    pub first_scheduler: u32,
    /// Bind each scheduler to its CPU (an affinity mask was given).
    pub pinned: bool,
    /// Bind it also without one: a switch from thread to thread costs a quarter of what it costs where the system has to find a CPU.
    pub pinned_unasked: bool,
    /// The machine's threads wait their turn for a CPU: becoming runnable, they interrupt nobody (SCHED_BATCH).
    pub gives_way: bool,
    pub workers: WorkerKind,
    /// 0: automatic. Divided among the schedulers.
    pub max_worker_threads: u32,
    pub rwlock: RwLockForm,
    /// How long a scheduler without work looks for some before it sleeps, as long as it mostly finds some in that time; ten
    /// times as long while it is busy. Waking it costs up to 30 µs, more on a virtual machine whose host takes the CPU meanwhile.
    pub idle_spin_us: u32,
    pub quantum_us: u32,
    pub scheduling: Scheduling,
    /// A scheduler besides, which serves the administrator when all others are busy.
    pub admin: bool,
    /// Who hears of a scheduler that does not switch; `None`: nobody looks.
    pub watch: Option<Watch>,
    /// CPUs by NUMA node; empty: as the machine says.
    pub nodes: Vec<Vec<u32>>,
}

impl Default for MachineConfig {
    fn default() -> MachineConfig {
        MachineConfig {
            cpus: Vec::new(),
            first_scheduler: 0,
            pinned: false,
            pinned_unasked: false,
            gives_way: false,
            workers: WorkerKind::Fiber,
            max_worker_threads: 0,
            rwlock: RwLockForm::Atomic,
            idle_spin_us: 200,
            quantum_us: 4_000,
            scheduling: Scheduling::LargeDeficitFirst,
            admin: false,
            watch: None,
            nodes: Vec::new(),
        }
    }
}

/// A running machine. Dropping it stops it and waits until its tasks have ended.
pub struct Machine {
    state: Arc<MachineState>,
    threads: Vec<std::thread::JoinHandle<()>>,
    monitor: Option<std::thread::JoinHandle<()>>,
    stopped: Arc<Event>,
}

static MACHINES: AtomicU32 = AtomicU32::new(0);

/// Schedulers that a machine starts with, at most: the first slot of their table names none, and one is the administrator's.
pub const STARTS_WITH_MOST: usize = SCHEDULERS_MAX - 2;

/// Starts a scheduler for each CPU, for the first `STARTS_WITH_MOST` where there are more. More than one machine may run in a process
/// (tests do).
pub fn start(config: MachineConfig) -> Machine {
    set_rwlock_form(config.rwlock);
    let usable = limits::usable_cpus();
    let mut cpus = if config.cpus.is_empty() { usable.clone() } else { config.cpus };
    cpus.truncate(STARTS_WITH_MOST);
    assert!(!cpus.is_empty());
    // Oversubscribed, a spinning scheduler takes the CPU from the one it waits for.
    let spins = cpus.len() <= usable.len() && limits::cpu_quota().is_none_or(|quota| quota >= cpus.len() as f64);
    let state = MachineState::new(MachineTraits {
        id: MACHINES.fetch_add(1, Ordering::Relaxed) + 1,
        first_scheduler: config.first_scheduler,
        worker_kind: config.workers,
        idle_spin_ns: if spins { config.idle_spin_us as u64 * 1_000 } else { 0 },
        quantum_ns: config.quantum_us as u64 * 1_000,
        scheduling: config.scheduling,
        simulated: false,
        pinned: config.pinned,
        pinned_unasked: config.pinned_unasked,
        gives_way: config.gives_way,
        workers_max: config.max_worker_threads,
        nodes: if config.nodes.is_empty() { limits::numa_nodes() } else { config.nodes },
    });
    let admin = config.admin.then_some((cpus[0], Pool::ADMIN));
    state.add(cpus.iter().map(|cpu| (*cpu, Pool::DEFAULT)).chain(admin));
    state.divide_workers();
    let threads = state.schedulers().iter().map(|scheduler| run(scheduler)).collect();
    let monitor = config.watch.map(|watch| {
        let machine = state.clone();
        let run = move || monitor::run(&machine, watch);
        std::thread::Builder::new().name("scheduler monitor".into()).spawn(run).expect("a thread")
    });
    Machine { state, threads, monitor, stopped: Arc::new(Event::manual_reset(WaitType::SOS_EVENT)) }
}

/// Starts the first thread of a scheduler: the one of all fibers, or the first of many.
pub(super) fn run(scheduler: &'static Scheduler) -> std::thread::JoinHandle<()> {
    let name = format!("scheduler {}", scheduler.id);
    let thread = std::thread::Builder::new().name(name).spawn(move || {
        scheduler::set_here(Some(scheduler));
        worker::set_current(WorkerId::NONE, scheduler.index);
        if scheduler.machine.worker_kind == WorkerKind::Fiber {
            scheduler.slot().os_thread.store(sys::thread_id(), Order::Relaxed);
        }
        workers::place_thread(scheduler);
        stack::watch_faults_on_this_thread();
        match scheduler.machine.worker_kind {
            WorkerKind::Fiber => {
                workers::run_fibers(scheduler);
                workers::end_fibers(scheduler);
            }
            WorkerKind::Thread => workers::run_threads(scheduler),
        }
        scheduler::set_here(None);
        worker::set_current(WorkerId::NONE, 0);
    });
    thread.expect("a thread for a scheduler")
}

impl Machine {
    /// Starts a task from a thread that is no worker.
    pub fn spawn<T: Send + 'static>(
        &self,
        kind: TaskKind,
        place: Place,
        run: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        let place = if place == Place::Here { Place::LeastLoaded } else { place };
        spawn_in(&self.state, kind, place, run)
    }

    /// Runs `main` as a task and waits for it, from a thread that is no worker.
    pub fn run<T: Send + 'static>(&self, main: impl FnOnce() -> T + Send + 'static) -> T {
        self.spawn(TaskKind::Startup, Place::On(0), main).join().expect("main task panicked")
    }

    pub fn id(&self) -> u32 {
        self.state.id
    }

    /// Of the default pool.
    pub fn scheduler_count(&self) -> u32 {
        self.state.open(Pool::DEFAULT).count() as u32
    }

    /// Tasks that panicked since start.
    pub fn panics(&self) -> u64 {
        self.state.panics.load(Ordering::Relaxed)
    }

    /// Set when the machine has been asked to stop.
    pub fn stop_event(&self) -> Arc<Event> {
        self.stopped.clone()
    }

    /// Stops: idle connections are closed, waits of requests and of `accept` are interrupted, running tasks end by
    /// themselves ([`super::stopping`] tells them), then the schedulers end.
    pub fn stop(mut self) {
        self.begin_stop();
        self.join();
    }

    /// As `stop`, unless tasks are left after so many milliseconds: these go on until the process ends. False: there are some.
    pub fn stop_within(mut self, ms: u64) -> bool {
        self.begin_stop();
        let deadline = clock::after_ms(ms);
        while self.state.tasks.load(Ordering::SeqCst) > 0 {
            if clock::now() > deadline {
                std::mem::forget(self);
                return false;
            }
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        self.join();
        true
    }

    fn begin_stop(&self) {
        self.state.stopping.store(true, Ordering::SeqCst);
        self.stopped.set();
        let closed: Vec<Armed> = self.state.schedulers().iter().flat_map(|s| s.poller().disarm_all()).collect();
        drop(closed);
        for scheduler in self.state.schedulers() {
            scheduler.send(Message::Stop);
        }
    }

    fn join(&mut self) {
        if let Some(monitor) = self.monitor.take() {
            monitor.thread().unpark();
            monitor.join().expect("monitor thread");
        }
        let later = std::mem::take(&mut *self.state.changes.lock().expect("changes"));
        for thread in self.threads.drain(..).chain(later) {
            thread.join().expect("scheduler thread");
        }
        let mut threads = workers::THREADS.lock().expect("threads");
        let (ours, others) = std::mem::take(&mut *threads).into_iter().partition::<Vec<_>, _>(|t| t.0 == self.state.id);
        *threads = others;
        drop(threads);
        for (_, thread) in ours {
            thread.join().expect("worker thread");
        }
        assert!(self.state.tasks.load(Ordering::SeqCst) == 0, "a machine ended before its tasks");
        for scheduler in self.state.schedulers() {
            let slot = system().scheduler(scheduler.index);
            assert!(slot.tasks.load(Order::Relaxed) == 0, "a task is left on scheduler {}", scheduler.id);
            assert!(slot.run_length.load(Order::Relaxed) == 0, "a worker of scheduler {} could run", scheduler.id);
            assert!(slot.critical.load(Order::Relaxed) == 0, "scheduler {} ended in a critical section", scheduler.id);
            slot.status.store(0, Ordering::Release);
        }
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if !self.threads.is_empty() {
            self.begin_stop();
            self.join();
        }
    }
}
