//! The simulated machine: the same code on virtual time, an in-memory disk and network, and a schedule drawn from a seed.
//!
//! Everything runs on fibers on the calling thread. At each step any runnable worker of any scheduler may be next; time
//! moves in small steps while workers run and jumps to the next event when none can. One seed, one trace: the hash of
//! the schedule and of all I/O is the same in every run, if the code above takes nothing from outside `os`.
//!
//! A kill ends the machine at a step: fibers stop where they are, no destructor runs, and the disk keeps of its unsynced
//! sectors what the seed says. The caller boots again on the same [`SimDisk`](crate::disk::SimDisk).

use crate::disk::{KillReport, SimDisk};
use crate::kernel::machine::{MachineState, MachineTraits, Pool};
use crate::kernel::scheduler::{self, Scheduling, TaskKind, WorkerKind};
use crate::kernel::{stack, workers};
use crate::net::{SimNetFaults, reset_network, set_network_faults};
use crate::sched::{Place, automatic_worker_threads, spawn_in};
use crate::simcore::{self, SimCore};
use crate::stats;
use crate::worker::{self, System, WorkerId};
use crate::{region, wait};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// The machine to simulate and what befalls it.
#[derive(Clone, Default)]
pub struct SimConfig {
    /// 0: two.
    pub schedulers: u32,
    /// 0: automatic.
    pub max_worker_threads: u32,
    pub net: SimNetFaults,
    /// The power fails at this scheduling step.
    pub kill_at_step: Option<u64>,
    /// The power fails where this mark is passed for so many times.
    pub kill_at_point: Option<(String, u64)>,
    /// Disks of the machine: they are told of the kill.
    pub disks: Vec<SimDisk>,
    /// One allocation from a region's heap in so many is refused; 0: none.
    pub memory_refusals: u64,
    /// A worker yields at one `sim_point!` in so many; 0: at none.
    pub point_yields: u64,
    /// No rare way is forced (`sim_choice!`).
    pub no_choices: bool,
    /// The run panics after so many steps; 0: never.
    pub steps_max: u64,
    /// Of so many passed marks the outcome says when.
    pub passed_max: usize,
}

/// How a run went.
#[derive(Debug)]
pub struct SimOutcome<T> {
    /// What `main` returned; `None` if the power failed first.
    pub result: Option<T>,
    pub trace_hash: u64,
    pub trace_events: u64,
    pub steps: u64,
    /// Simulated time that passed.
    pub elapsed_ns: u64,
    /// Marks passed (`sim_point!`, taken `sim_choice!`), with how often.
    pub points: BTreeMap<&'static str, u64>,
    /// When the first marks were passed: time since the start, name.
    pub passed: Vec<(u64, &'static str)>,
    /// Tasks that had not ended when `main` had and nothing moved any more.
    pub tasks_left: u64,
    /// What a kill made of each disk's unsynced sectors.
    pub kills: Vec<KillReport>,
}

/// Runs `main` as the first task of a simulated machine until it and all tasks it started have ended. When `main` has
/// returned, `sched::stopping()` is true, and tasks that then wait for ever are abandoned.
///
/// Panics, naming the seed, if a task panics or all wait for ever before `main` has returned.
pub fn run<T: Send + 'static>(
    seed: u64,
    config: SimConfig,
    main: impl FnOnce() -> T + Send + 'static,
) -> SimOutcome<T> {
    let outside = (worker::current_or_none(), worker::current_scheduler());
    let mut core = SimCore::new(seed);
    core.memory_refusals = config.memory_refusals;
    core.point_yields = config.point_yields;
    core.steps_max = if config.steps_max == 0 { u64::MAX } else { config.steps_max };
    core.passed_max = config.passed_max;
    core.no_choices = config.no_choices;
    if let Some(step) = config.kill_at_step {
        core.kill_at_step(step);
    }
    if let Some((point, nth)) = config.kill_at_point {
        core.kill_at_point(point, nth);
    }
    let system = System::map_private();
    simcore::enter(core);
    worker::set_simulated_system(system);
    worker::set_current(WorkerId::NONE, 0);
    reset_network(config.net);
    stack::watch_faults_on_this_thread();

    assert!((config.schedulers as usize) < worker::SCHEDULERS_MAX, "{} schedulers", config.schedulers);
    let count = if config.schedulers == 0 { 2 } else { config.schedulers };
    let limit =
        if config.max_worker_threads == 0 { automatic_worker_threads(count) } else { config.max_worker_threads };
    let state = start_machine(count, limit);
    let root = state.schedulers()[0];
    scheduler::set_here(Some(root));
    worker::set_current(WorkerId::NONE, root.index);

    let result = Arc::new(Mutex::new(None));
    let (slot, machine) = (result.clone(), state.clone());
    let _main = spawn_in(&state, TaskKind::Startup, Place::On(0), move || {
        let value = main();
        *slot.lock().expect("result") = Some(value);
        // What is left to do ends now or is abandoned.
        machine.stopping.store(true, Ordering::SeqCst);
    });
    workers::run_fibers(root);
    assert!(worker::current_or_none() == WorkerId::NONE, "a task goes on after the last one");

    let killed = simcore::with(|sim| sim.kill_due());
    let complaint = if killed { None } else { complaint(&state) };
    let tasks_left = state.tasks.load(Ordering::SeqCst);
    let orderly = !killed && complaint.is_none() && tasks_left == 0;
    for scheduler in state.schedulers() {
        if orderly {
            workers::end_fibers(scheduler);
        }
        workers::abandon_fibers(scheduler);
    }
    // Events hold ends of connections, whose destructors belong to the machine that is gone.
    for event in simcore::with(SimCore::take_events) {
        std::mem::forget(event);
    }
    let mut kills = Vec::new();
    if killed {
        kills.extend(config.disks.iter().map(|disk| disk.kill(|bound| simcore::with(|sim| sim.below(bound)))));
    }
    scheduler::set_here(None);
    let mut core = simcore::leave();
    worker::set_simulated_system(std::ptr::null());
    worker::set_current(outside.0, outside.1);
    reset_network(SimNetFaults::default());
    region::end_simulation();
    system.unmap();
    if let Some(complaint) = complaint {
        panic!("seed {seed}: {complaint}");
    }
    let result = result.lock().expect("result").take().filter(|_| !killed);
    SimOutcome {
        result,
        trace_hash: core.trace_hash(),
        trace_events: core.trace_events(),
        steps: core.steps(),
        elapsed_ns: core.now_ns() - simcore::START_NS,
        points: core.take_points(),
        passed: core.take_passed().into_iter().map(|(at, name)| (at - simcore::START_NS, name)).collect(),
        tasks_left,
        kills,
    }
}

/// The power fails now: the calling task is not resumed any more.
pub fn kill_now() -> ! {
    assert!(worker::on_scheduler(), "a task of the machine is the last to run");
    simcore::with(|sim| sim.kill_at_step(0));
    loop {
        wait::yield_now();
    }
}

/// The power fails after so many scheduling steps from now.
pub fn kill_after(steps: u64) {
    simcore::with(|sim| sim.kill_at_step(steps));
}

/// The power fails where the mark `point` is passed for the `nth` time from now, 1 being the next.
pub fn kill_at_point(point: &str, nth: u64) {
    simcore::with(|sim| sim.kill_at_point(point.to_owned(), nth));
}

/// Scheduling steps so far.
pub fn steps() -> u64 {
    simcore::with(|sim| sim.steps())
}

/// Simulated time since the machine was switched on.
pub fn elapsed_ns() -> u64 {
    simcore::with(|sim| sim.now_ns()) - simcore::START_NS
}

/// From now on the network is this bad.
pub fn set_net_faults(faults: SimNetFaults) {
    set_network_faults(faults);
}

/// From now on one allocation from a region's heap in so many is refused; 0: none.
pub fn set_memory_refusals(one_in: u64) {
    simcore::with(|sim| sim.memory_refusals = one_in);
}

/// Whether the caller runs in a simulation.
pub fn active() -> bool {
    simcore::active()
}

/// A random choice of a simulated environment, in `0..bound`; part of the trace's determinism.
pub fn below(bound: u64) -> u64 {
    simcore::with(|sim| sim.below(bound))
}

/// This process, which is no simulation, kills itself where the mark is passed for the `nth` time from now, 1 being the next: as if
/// somebody had killed it just there.
pub fn die_at(mark: &str, nth: u32) {
    simcore::die_at(mark, nth);
}

/// Whether marks mean anything here.
#[inline]
pub fn has_marks() -> bool {
    simcore::has_marks()
}

/// See [`sim_point!`](crate::sim_point).
#[cold]
pub fn point(name: &'static str) {
    if !simcore::active() {
        return simcore::pass_real(name);
    }
    if simcore::with(|sim| sim.pass_point(name)) && worker::on_scheduler() && worker::current_or_none().is_some() {
        worker::assert_may_wait(worker::slot(worker::current()));
        wait::yield_now();
    }
}

/// See [`sim_choice!`](crate::sim_choice).
#[cold]
pub fn choice(name: &'static str, one_in: u64) -> bool {
    assert!(one_in > 0, "a way that is never taken");
    simcore::with(|sim| sim.choose(name, one_in))
}

/// Marks a place worth reaching, and worth dying at: counted in a simulation, where the worker may also yield here, so no spinlock
/// may be held. On the real machine one predictable branch.
#[macro_export]
macro_rules! sim_point {
    ($name:literal) => {{
        $crate::plant!();
        if $crate::sim::has_marks() {
            $crate::sim::point($name);
        }
    }};
}

/// True where a simulation forces a rare way (a tiny block, a full buffer): in some seeds, once in eight times or as often as is
/// said. False on the real machine.
#[macro_export]
macro_rules! sim_choice {
    ($name:literal) => {
        $crate::sim_choice!($name, 8)
    };
    ($name:literal, $one_in:expr) => {
        $crate::sim::active() && $crate::sim::choice($name, $one_in)
    };
}

fn start_machine(count: u32, workers_max: u32) -> Arc<MachineState> {
    let cpus: Vec<u32> = (0..count).collect();
    let state = MachineState::new(MachineTraits {
        first_scheduler: 0,
        id: 1,
        worker_kind: WorkerKind::Fiber,
        idle_spin_ns: 0,
        quantum_ns: 4_000_000,
        scheduling: Scheduling::LargeDeficitFirst,
        simulated: true,
        pinned: false,
        pinned_unasked: false,
        gives_way: false,
        workers_max,
        nodes: vec![cpus.clone()],
    });
    state.add(cpus.iter().map(|cpu| (*cpu, Pool::DEFAULT)));
    state.divide_workers();
    state
}

/// Why the run is a failure, if it is.
fn complaint(state: &MachineState) -> Option<String> {
    let (stuck, steps, too_long) = simcore::with(|sim| (sim.is_stuck(), sim.steps(), sim.is_too_long()));
    let panics = state.panics.load(Ordering::Relaxed);
    if panics > 0 {
        return Some(format!("{panics} tasks panicked"));
    }
    if too_long {
        return Some(format!("not done after {steps} steps; {}", waits(state.id)));
    }
    if stuck && !state.stopping.load(Ordering::SeqCst) {
        return Some(format!("everyone waits for ever after {steps} steps; {}", waits(state.id)));
    }
    None
}

fn waits(machine: u32) -> String {
    let mut text = String::from("waiting:");
    for task in stats::waiting_tasks(machine) {
        text += &format!(" task {} session {} {},", task.task.0, task.session_id, task.wait_type.name());
    }
    text
}
