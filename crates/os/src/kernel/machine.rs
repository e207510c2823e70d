//! What the schedulers of one machine share, and which of them takes a task.
//!
//! A *pool* is a group of schedulers with its own sessions: the default one has a scheduler a CPU, the administrator's has one that
//! no user keeps busy, others are made by name. A scheduler is *open* while new tasks come to it. One that was closed (its CPU left
//! the affinity mask, its pool shrank) runs what it has to its end and hands on what its sockets bring.
#![allow(unsafe_code)]

use super::scheduler::{Message, Scheduler, Scheduling, WorkerKind};
use crate::sys::atomic::Ordering;
use crate::worker::{self, SCHEDULERS_MAX};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64};
use std::sync::{Arc, Mutex};

/// Names a pool of schedulers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Pool(pub u32);

impl Pool {
    pub const DEFAULT: Pool = Pool(0);
    /// The dedicated administrator connection's.
    pub const ADMIN: Pool = Pool(u32::MAX);
    /// Of schedulers whose pool is gone.
    pub const NONE: Pool = Pool(u32::MAX - 1);

    /// Whether the user made it.
    pub fn is_named(self) -> bool {
        !matches!(self, Pool::DEFAULT | Pool::ADMIN | Pool::NONE)
    }
}

/// `scheduler_id` of the administrator's scheduler: those from here on run no ordinary requests.
pub const ADMIN_SCHEDULER_ID: u32 = 1_048_576;
/// Requests of the administrator at once.
const ADMIN_WORKERS: u32 = 3;

/// `SchedulerSlot::status`.
pub const OPEN: u32 = 1;
pub const CLOSED: u32 = 2;

/// What the schedulers of one machine share.
pub struct MachineState {
    pub id: u32,
    /// `scheduler_id` of its first scheduler.
    first_scheduler: u32,
    pub worker_kind: WorkerKind,
    pub idle_spin_ns: u64,
    pub quantum_ns: u64,
    pub scheduling: Scheduling,
    pub simulated: bool,
    /// Each scheduler's threads are bound to its CPU.
    pub pinned: AtomicBool,
    /// So they are where no affinity mask asks for it.
    pub pinned_unasked: bool,
    /// Its threads are SCHED_BATCH.
    pub gives_way: bool,
    /// Connections rest with its schedulers: requests come as new tasks.
    pub arms: AtomicBool,
    /// Tasks that panicked: bugs.
    pub panics: AtomicU64,
    pub stopping: AtomicBool,
    /// Tasks begun or pending on all schedulers.
    pub tasks: AtomicU64,
    /// `max worker threads` as it was set; 0: automatic.
    pub workers_max: AtomicU32,
    /// CPUs by NUMA node.
    pub nodes: Vec<Vec<u32>>,
    /// Its list grows only, each time into a new one; the old ones stay, since somebody may be reading them.
    schedulers: AtomicPtr<Vec<&'static Scheduler>>,
    /// Held while schedulers are made, opened or closed. Those that had to be made later have their threads here.
    pub changes: Mutex<Vec<std::thread::JoinHandle<()>>>,
}

/// What differs from machine to machine.
pub struct MachineTraits {
    pub id: u32,
    pub first_scheduler: u32,
    pub worker_kind: WorkerKind,
    pub idle_spin_ns: u64,
    pub quantum_ns: u64,
    pub scheduling: Scheduling,
    pub simulated: bool,
    pub pinned: bool,
    pub pinned_unasked: bool,
    pub gives_way: bool,
    pub workers_max: u32,
    pub nodes: Vec<Vec<u32>>,
}

impl MachineState {
    pub fn new(traits: MachineTraits) -> Arc<MachineState> {
        assert!(traits.first_scheduler < ADMIN_SCHEDULER_ID, "scheduler {}", traits.first_scheduler);
        Arc::new(MachineState {
            id: traits.id,
            first_scheduler: traits.first_scheduler,
            worker_kind: traits.worker_kind,
            idle_spin_ns: traits.idle_spin_ns,
            quantum_ns: traits.quantum_ns,
            scheduling: traits.scheduling,
            simulated: traits.simulated,
            pinned: AtomicBool::new(traits.pinned || traits.pinned_unasked),
            pinned_unasked: traits.pinned_unasked,
            gives_way: traits.gives_way,
            arms: AtomicBool::new(false),
            panics: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
            tasks: AtomicU64::new(0),
            workers_max: AtomicU32::new(traits.workers_max),
            nodes: traits.nodes,
            schedulers: AtomicPtr::new(Box::leak(Box::default())),
            changes: Mutex::default(),
        })
    }

    /// All there ever were, closed ones and the administrator's included.
    pub fn schedulers(&self) -> &'static [&'static Scheduler] {
        // Acquire: pairs with the Release of `add`. Lists are never freed.
        let list = self.schedulers.load(Ordering::Acquire);
        // SAFETY: only `new` and `add` store it, and they store leaked lists.
        unsafe { &*list }
    }

    /// Makes schedulers, one for each `(CPU, pool)`, which begin to take tasks when their threads run. The caller holds `changes`,
    /// or is the only one that knows the machine.
    pub fn add(self: &Arc<MachineState>, wanted: impl Iterator<Item = (u32, Pool)>) -> Vec<&'static Scheduler> {
        let mut all = self.schedulers().to_vec();
        let ordinary = all.iter().filter(|s| s.id < ADMIN_SCHEDULER_ID).count() as u32;
        let mut next_id = self.first_scheduler + ordinary;
        let mut made = Vec::new();
        for (cpu, pool) in wanted {
            assert!(pool != Pool::NONE, "a scheduler is made for a pool");
            let id = if pool == Pool::ADMIN { ADMIN_SCHEDULER_ID } else { next_id };
            next_id += u32::from(pool != Pool::ADMIN);
            made.push(Scheduler::create(self.clone(), id, cpu, pool));
        }
        all.extend(&made);
        assert!(all.len() < SCHEDULERS_MAX);
        assert!(next_id <= ADMIN_SCHEDULER_ID, "an ordinary scheduler has the administrator's number");
        assert!(all.iter().filter(|s| s.id == ADMIN_SCHEDULER_ID).count() <= 1, "two administrator's schedulers");
        self.schedulers.store(Box::leak(Box::new(all)), Ordering::Release);
        made
    }

    pub fn arms(&self) -> bool {
        self.arms.load(Ordering::Relaxed)
    }

    /// The schedulers of a pool that take tasks.
    pub fn open(&self, pool: Pool) -> impl Iterator<Item = &'static Scheduler> + Clone {
        self.schedulers().iter().copied().filter(move |scheduler| scheduler.is_open() && scheduler.pool() == pool)
    }

    /// Where a new task of a pool has to wait least. A pool that is gone leaves its sessions to the default one.
    pub fn least_loaded(&self, pool: Pool, load: impl Fn(&Scheduler) -> u64) -> &'static Scheduler {
        // Begin at the caller's own, so that a tie stays at home.
        let own = worker::current_scheduler();
        let home = self.open(pool).find(|scheduler| scheduler.index == own);
        let others = self.open(pool).chain(self.open(Pool::DEFAULT).filter(|_| self.open(pool).next().is_none()));
        home.into_iter()
            .chain(others)
            .reduce(|best, other| if load(other) < load(best) { other } else { best })
            .expect("the default pool has an open scheduler")
    }

    /// The `nth` of the default pool's schedulers, as often around as needed.
    pub fn nth(&self, nth: u32) -> &'static Scheduler {
        let open = self.open(Pool::DEFAULT);
        let count = open.clone().count();
        open.clone().nth(nth as usize % count.max(1)).expect("the default pool has an open scheduler")
    }

    /// The NUMA node of a CPU; one that no node names belongs to the first.
    pub fn node_of(&self, cpu: u32) -> u32 {
        self.nodes.iter().position(|cpus| cpus.contains(&cpu)).unwrap_or(0) as u32
    }

    /// Requests that may run at once, by the setting or as SQL Server computes it.
    pub fn workers_allowed(&self) -> u32 {
        match self.workers_max.load(Ordering::Relaxed) {
            0 => automatic_worker_threads(self.open(Pool::DEFAULT).count() as u32),
            given => given,
        }
    }

    /// Divides the workers anew: after a change of their number or of who is open. Tasks that wait for a worker may get one.
    pub fn divide_workers(&self) {
        let users = |scheduler: &&&Scheduler| scheduler.is_open() && scheduler.pool() != Pool::ADMIN;
        let sharing = self.schedulers().iter().filter(users).count() as u32;
        let each = (self.workers_allowed() / sharing.max(1)).max(1);
        for scheduler in self.schedulers() {
            assert!(scheduler.machine.id == self.id, "a scheduler of another machine");
            let limit = if scheduler.pool() == Pool::ADMIN { ADMIN_WORKERS } else { each };
            scheduler.slot().workers_limit.store(limit, Ordering::Relaxed);
            if scheduler.slot().tasks_pending.load(Ordering::Relaxed) > 0 {
                scheduler.send(Message::Look);
            }
        }
    }
}

/// What `max worker threads` = 0 means (64-bit, 2017 and later).
pub fn automatic_worker_threads(cpus: u32) -> u32 {
    match cpus {
        0..=4 => 512,
        5..=64 => 512 + (cpus - 4) * 16,
        _ => 512 + (cpus - 4) * 32,
    }
}
