//! One run of a plan: a server in the simulated machine through several lives, its clients, its faults, the verdict.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use os::disk::{SimDisk, SimDiskFaults};
use os::net::SimNetFaults;
use os::sched::{Place, TaskKind, spawn};
use os::sim::{SimConfig, SimOutcome};
use os::sync::{SpinClass, SpinLock};
use os::wait::{WaitType, sleep};

use super::client::{Client, Excuses, Failure, PASSWORD, Referee, Trouble, target};
use super::plan::{End, Fault, FaultKind, Home, Isolation, Kill, Machine, Mix, Plan, Workload};
use super::trace::{Line, Who, hash_text};
use super::{leftovers, panics};
use crate::client::Target;

/// Ends a server in order.
pub type Stop = Box<dyn FnOnce() -> Result<(), String> + Send>;
/// Starts a server on a disk, with so many bytes of memory and this password of `sa`, and says where it listens.
pub type Boot = fn(SimDisk, u64, &str) -> Result<(SocketAddr, Stop), String>;

/// A life that takes more scheduling steps does not end.
const STEPS_MAX: u64 = 1_500_000;
/// Of the server that makes a disk to begin with.
const IMAGE_MEMORY_BYTES: u64 = 64 << 20;
/// Marks in a trace.
const POINTS_SHOWN: usize = 2_000;

static ACTIVE: SpinClass = SpinClass::new("SIM_FAULTS");

/// What a run showed.
#[derive(Default)]
pub struct Verdict {
    pub failure: Option<Failure>,
    /// Equal in two runs of a plan.
    pub hash: u64,
    pub steps: u64,
    pub lives: u32,
    pub kills: u32,
    pub simulated_ns: u64,
    pub trace: Vec<Line>,
    pub points: BTreeMap<&'static str, u64>,
    /// What the workload saw that was allowed; of a run without failure.
    pub seen: Vec<String>,
}

/// What lasts through all lives.
struct Game<W: Workload> {
    plan: Plan<W::Op>,
    workload: W,
    referee: Arc<Referee>,
    boot: Boot,
    disk: SimDisk,
    /// By client: its next step.
    next: Vec<AtomicUsize>,
    /// The tables are there.
    ready: AtomicBool,
    /// Faults in force.
    active: SpinLock<Vec<Fault>>,
}

impl<W: Workload> Game<W> {
    /// No client has a step left.
    fn all_done(&self) -> bool {
        let next = self.next.iter().map(|next| next.load(Ordering::Relaxed));
        next.zip(&self.plan.clients).all(|(next, steps)| next >= steps.len())
    }
}

/// What is to come after a life that was not killed.
#[derive(PartialEq, Eq, Debug)]
enum Next {
    /// Another life: there is work left, or a look at what the last one left.
    Life,
    Over,
}

/// Runs `plan` on a copy of `image`.
pub fn play<W: Workload>(plan: &Plan<W::Op>, image: &SimDisk, boot: Boot) -> Verdict {
    let kinds: Vec<FaultKind> = plan.faults.iter().map(|fault| fault.kind).collect();
    let has = |kind| kinds.contains(&kind);
    let excuses = Excuses {
        disk_full: has(FaultKind::DiskFull),
        disk_fails: has(FaultKind::WriteError) || has(FaultKind::FlushError),
        memory: has(FaultKind::Memory),
        network: has(FaultKind::Reset) || W::BREAKS_CONNECTIONS,
    };
    let game = Arc::new(Game::<W> {
        workload: W::new(&plan.mix),
        referee: Arc::new(Referee::new(excuses)),
        boot,
        disk: if plan.machine.empty_disk { SimDisk::new(SimDiskFaults::default()) } else { image.copy() },
        next: plan.clients.iter().map(|_| AtomicUsize::new(0)).collect(),
        ready: AtomicBool::new(!plan.machine.empty_disk),
        active: SpinLock::new(&ACTIVE, Vec::new()),
        plan: plan.clone(),
    });
    let mut verdict = Verdict { hash: 0xcbf2_9ce4_8422_2325, ..Verdict::default() };
    // Each end ends one life at most; then one in which the work is done, and one to look at what it left.
    for life in 0..plan.ends.len() as u32 + 2 {
        let next = one_life(&game, life, &mut verdict);
        verdict.lives += 1;
        verdict.failure = game.referee.failure();
        if verdict.failure.is_some() || next == Next::Over {
            break;
        }
    }
    if verdict.failure.is_none() {
        verdict.seen = game.workload.sightings();
    }
    verdict.trace = game.referee.trace.take();
    verdict.trace.sort_by_key(|line| (line.life, line.at_ns));
    for line in &verdict.trace {
        verdict.hash = hash_text(verdict.hash, &line.text);
    }
    verdict
}

fn one_life<W: Workload>(game: &Arc<Game<W>>, life: u32, verdict: &mut Verdict) -> Next {
    let referee = &game.referee;
    referee.life.store(life, Ordering::Relaxed);
    referee.ending.store(false, Ordering::Relaxed);
    game.active.lock().clear();
    game.disk.set_faults(disk_faults(&game.plan.machine, &[]));
    let end = game.plan.ends.get(life as usize).map(|(_, end)| end.clone());
    let machine = &game.plan.machine;
    let kill = end.as_ref().and_then(End::kill);
    let config = SimConfig {
        schedulers: machine.schedulers,
        net: net_faults(machine, &[]),
        kill_at_step: match kill {
            Some(Kill::InStart { steps }) => Some(*steps),
            _ => None,
        },
        kill_at_point: match kill {
            Some(Kill::At { point, nth, in_start: true }) => Some(((*point).into(), *nth)),
            _ => None,
        },
        disks: match end {
            Some(End::ProcessKill(_)) => Vec::new(),
            _ => vec![game.disk.clone()],
        },
        point_yields: machine.point_yields,
        no_choices: !machine.choices,
        steps_max: STEPS_MAX,
        passed_max: POINTS_SHOWN,
        ..SimConfig::default()
    };
    let playing = game.clone();
    let seed = hash_text(game.plan.schedule, "schedule").wrapping_add(u64::from(life));
    let ran = catch_unwind(AssertUnwindSafe(|| os::sim::run(seed, config, move || live(&playing, life, end))));
    let outcome = match ran {
        Ok(outcome) => outcome,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            let panicked = panics::take();
            match panicked.is_empty() {
                true if text.contains("for ever") => referee.note_failure("everyone waits", text),
                true => referee.note_failure("no end", text),
                false => referee.note_panic(panicked.join("; ")),
            }
            return Next::Over;
        }
    };
    tell_end(game, life, &outcome);
    verdict.hash = hash_text(verdict.hash ^ outcome.trace_hash, "life");
    verdict.steps += outcome.steps;
    verdict.simulated_ns += outcome.elapsed_ns;
    verdict.kills += u32::from(outcome.result.is_none());
    for (point, times) in outcome.points {
        *verdict.points.entry(point).or_default() += times;
    }
    let panicked = panics::take();
    if !panicked.is_empty() {
        referee.note_panic(panicked.join("; "));
    }
    outcome.result.unwrap_or(Next::Life)
}

fn tell_end<W: Workload>(game: &Game<W>, life: u32, outcome: &SimOutcome<Next>) {
    let say = |at_ns, text| game.referee.trace.add(Line { life, at_ns, who: Who::Machine, text });
    for (at_ns, point) in &outcome.passed {
        say(*at_ns, format!("* {point}"));
    }
    if let Some(kill) = outcome.kills.first() {
        let text = format!(
            "the power fails at step {}: unsynced sectors lost {}, kept {}, torn {}; names lost {}",
            outcome.steps, kill.sectors_lost, kill.sectors_kept, kill.sectors_torn, kill.names_lost
        );
        say(outcome.elapsed_ns, text);
    } else if outcome.result.is_none() {
        say(outcome.elapsed_ns, format!("the server is killed at step {}", outcome.steps));
    }
}

/// A life from the start of the server to its orderly end, if nothing kills it.
fn live<W: Workload>(game: &Arc<Game<W>>, life: u32, end: Option<End>) -> Next {
    let referee = &game.referee;
    let (address, stop) = match (game.boot)(game.disk.clone(), game.plan.machine.memory_mb << 20, PASSWORD) {
        Ok(started) => started,
        Err(why) => referee.fail("no start", why),
    };
    referee.say(Who::Machine, format!("the server accepts connections, after {} steps", os::sim::steps()));
    if !game.ready.load(Ordering::Relaxed) {
        make_tables::<W>(address, referee, &game.plan.mix);
        game.ready.store(true, Ordering::Relaxed);
    } else if life == 0 {
        settle(address, referee, &game.plan.mix);
    }
    let target = target(address, "sim", PASSWORD);
    let mut checker = Client::new(Who::Referee, &target, referee);
    if life > 0 {
        check(game, &mut checker, true);
    }
    let looks_only = life > 0 && game.all_done();
    let end = end.filter(|_| !looks_only);
    match end.as_ref().and_then(End::kill) {
        Some(Kill::InWork { steps }) => os::sim::kill_after(*steps),
        Some(Kill::At { point, nth, in_start: false }) => os::sim::kill_at_point(point, *nth),
        _ => {}
    }
    let stop = match end {
        Some(End::Restart { after_ms }) => {
            work_until_stopped(game, &target, life, after_ms, stop);
            return Next::Life;
        }
        _ => stop,
    };
    if !looks_only {
        work(game, &target, life);
        calm(game);
        check(game, &mut checker, false);
        leftovers::check(&mut checker);
    }
    checker.disconnect();
    stop_in_order(referee, stop);
    if looks_only { Next::Over } else { Next::Life }
}

/// What a failed or full disk kept the server from writing is recovered in the next life.
fn stop_in_order(referee: &Referee, stop: Stop) {
    match stop() {
        Ok(()) => referee.say(Who::Machine, "stopped in order"),
        Err(why) if referee.excuses.disk_fails || referee.excuses.disk_full => referee.say(Who::Machine, why),
        Err(why) => referee.fail("no stop", why),
    }
}

fn check<W: Workload>(game: &Game<W>, checker: &mut Client, fresh: bool) {
    // Nothing goes wrong now, so it succeeds; unless what went wrong before has a late effect on the connection.
    for _ in 0..10 {
        match game.workload.check(checker, fresh) {
            Ok(()) => return,
            Err(Trouble::Error(number)) => game.referee.say(Who::Referee, format!("once more, after error {number}")),
            Err(Trouble::Lost | Trouble::Cancelled) => {}
        }
        checker.roll_back();
        sleep(WaitType::WAITFOR, 1_000);
    }
    game.referee.fail("no check", "the rows cannot be read");
}

/// All faults are over.
fn calm<W: Workload>(game: &Game<W>) {
    let mut active = game.active.lock();
    active.clear();
    apply(game, &active);
}

/// The clients do what is left of their steps.
fn work<W: Workload>(game: &Arc<Game<W>>, target: &Target, life: u32) {
    for fault in game.plan.faults.iter().filter(|fault| fault.life == life) {
        let (game, fault) = (game.clone(), fault.clone());
        spawn(TaskKind::Client, Place::LeastLoaded, move || bring(&game, &fault));
    }
    let clients: Vec<_> = (0..game.plan.clients.len())
        .map(|number| {
            let game = game.clone();
            let client = Client::new(Who::Client(number as u32), target, &game.referee);
            spawn(TaskKind::Client, Place::LeastLoaded, move || do_steps(&game, client, number))
        })
        .collect();
    for client in clients {
        if client.join().is_err() {
            game.referee.fail("panic", "a client panicked");
        }
    }
}

fn do_steps<W: Workload>(game: &Game<W>, mut client: Client, number: usize) {
    let steps = &game.plan.clients[number];
    while let Some(step) = steps.get(game.next[number].load(Ordering::Relaxed)) {
        if game.referee.ending.load(Ordering::Relaxed) {
            return;
        }
        // A step that a kill interrupts is not begun again: what it left is what the check is about.
        game.next[number].fetch_add(1, Ordering::Relaxed);
        if step.wait_us > 0 {
            os::wait::sleep_until(WaitType::WAITFOR, os::clock::now() + step.wait_us * 1_000);
        }
        client.say(format!("{} {:?}", step.id, step.op));
        client.begin_step(step.cancel);
        if let Err(trouble) = game.workload.perform(&mut client, &step.op) {
            client.say(format!("given up: {trouble:?}"));
            client.roll_back();
        }
    }
}

fn work_until_stopped<W: Workload>(game: &Arc<Game<W>>, target: &Target, life: u32, after_ms: u64, stop: Stop) {
    let stopping = game.clone();
    let stopped = spawn(TaskKind::Client, Place::LeastLoaded, move || {
        sleep(WaitType::WAITFOR, after_ms);
        stopping.referee.say(Who::Machine, "the server is asked to stop");
        stopping.referee.ending.store(true, Ordering::Relaxed);
        stop_in_order(&stopping.referee, stop);
    });
    work(game, target, life);
    if stopped.join().is_err() {
        game.referee.fail("panic", "the stop panicked");
    }
}

fn bring<W: Workload>(game: &Game<W>, fault: &Fault) {
    sleep(WaitType::WAITFOR, fault.from_ms);
    let begins = |on: bool| {
        let mut active = game.active.lock();
        active.retain(|other| other.id != fault.id);
        if on {
            active.push(fault.clone());
        }
        apply(game, &active);
    };
    game.referee.say(Who::Machine, format!("{} begins: {:?}, {}", fault.id, fault.kind, fault.amount));
    begins(true);
    sleep(WaitType::WAITFOR, fault.for_ms);
    begins(false);
    game.referee.say(Who::Machine, format!("{} is over", fault.id));
}

fn apply<W: Workload>(game: &Game<W>, active: &[Fault]) {
    let mut disk = disk_faults(&game.plan.machine, active);
    if let Some(full) = active.iter().find(|fault| fault.kind == FaultKind::DiskFull) {
        // As much as is in use when it begins, and a little.
        disk.capacity_bytes = game.disk.used_bytes() + full.amount;
    }
    game.disk.set_faults(disk);
    os::sim::set_net_faults(net_faults(&game.plan.machine, active));
    let memory = active.iter().find(|fault| fault.kind == FaultKind::Memory);
    os::sim::set_memory_refusals(memory.map_or(0, |fault| fault.amount));
}

fn once_in(active: &[Fault], kind: FaultKind) -> u64 {
    active.iter().find(|fault| fault.kind == kind).map_or(0, |fault| fault.amount)
}

fn disk_faults(machine: &Machine, active: &[Fault]) -> SimDiskFaults {
    SimDiskFaults {
        operation_ns: machine.disk_operation_ns,
        sync_ns: machine.disk_sync_ns,
        slow: once_in(active, FaultKind::SlowDisk),
        write_error: once_in(active, FaultKind::WriteError),
        sync_error: once_in(active, FaultKind::FlushError),
        ..SimDiskFaults::default()
    }
}

fn net_faults(machine: &Machine, active: &[Fault]) -> SimNetFaults {
    SimNetFaults { reset: once_in(active, FaultKind::Reset), slow: once_in(active, FaultKind::SlowNet), ..machine.net }
}

fn run_all(address: SocketAddr, referee: &Arc<Referee>, database: &str, batches: &[String]) {
    let mut client = Client::new(Who::Referee, &target(address, database, PASSWORD), referee);
    for batch in batches {
        if let Err(trouble) = client.run(batch) {
            referee.fail("no tables", format!("{trouble:?} in {batch}"));
        }
    }
}

fn make_tables<W: Workload>(address: SocketAddr, referee: &Arc<Referee>, mix: &Mix) {
    run_all(
        address,
        referee,
        "",
        &[
            "IF DB_ID('sim') IS NULL CREATE DATABASE sim".into(),
            "ALTER DATABASE sim SET ALLOW_SNAPSHOT_ISOLATION ON".into(),
        ],
    );
    run_all(address, referee, "sim", &W::tables());
    settle(address, referee, mix);
}

/// What the run's transactions have in common and is said once.
fn settle(address: SocketAddr, referee: &Arc<Referee>, mix: &Mix) {
    let versions = if mix.locking_reads { "OFF" } else { "ON" };
    run_all(address, referee, "", &[format!("ALTER DATABASE sim SET READ_COMMITTED_SNAPSHOT {versions}")]);
}

/// A disk with the server's databases and the workload's tables on it, from which runs begin: making them takes longer than most runs.
pub fn image<W: Workload>(boot: Boot) -> Result<SimDisk, String> {
    let disk = SimDisk::new(SimDiskFaults::default());
    let referee = Arc::new(Referee::new(Excuses::default()));
    let mix = Mix {
        clients: 0,
        isolation: Isolation::ReadCommitted,
        locking_reads: false,
        home: Home::Pages,
        memory_isolation: Isolation::Snapshot,
    };
    let config = SimConfig { disks: vec![disk.clone()], steps_max: STEPS_MAX, ..SimConfig::default() };
    let (making, on) = (referee.clone(), disk.clone());
    let outcome = os::sim::run(0, config, move || {
        let (address, stop) = boot(on, IMAGE_MEMORY_BYTES, PASSWORD)?;
        make_tables::<W>(address, &making, &mix);
        stop()
    });
    match (referee.failure(), outcome.result) {
        (Some(failure), _) => Err(format!("{}: {}", failure.kind, failure.text)),
        (None, Some(stopped)) => stopped.map(|()| disk),
        (None, None) => Err("the server did not start".into()),
    }
}
