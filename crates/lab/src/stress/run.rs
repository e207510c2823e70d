//! The run itself: a task a connection, spread over schedulers, and one task that watches.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use hdrhistogram::Histogram;
use os::sched::{MachineConfig, Panicked, Place, TaskKind};
use os::sync::Event as Signal;
use os::wait::{WaitType, sleep};

use super::connection::Session;
use super::console::{Console, clock};
use super::control::Control;
use super::deltas::{Deltas, Snapshot};
use super::live::Live;
use super::output::Form;
use super::plan::{Edge, Plan};
use super::report::{Figures, OfServer, Summary};
use super::series::Series;
use super::totals::{Counts, Totals, counts, errors, histogram};
use super::work::Work;
use super::{Args, CONNECTIONS_MAX};
use crate::client::Target;

/// How often progress is looked at.
const TICK_MS: u64 = 100;
/// Enough to catch the reply to a short request without a sleep, and little of the CPU that the server may need.
const IDLE_SPIN_US: u32 = 40;
/// Open files that are not connections.
const FILES_SPARE: u64 = 64;

pub fn run(
    args: &Args,
    control: Control,
    work: Work,
    targets: Vec<Target>,
    console: &Arc<Console>,
    edge: Option<Box<dyn Fn(Edge) + Send + Sync>>,
) -> Result<Summary, String> {
    let output = args.output.as_deref().map(PathBuf::from);
    let connections = u64::from(args.connections) * work.groups.len() as u64;
    if connections > u64::from(CONNECTIONS_MAX) {
        return Err(format!("{connections} connections are more than the {CONNECTIONS_MAX} that one process can have"));
    }
    let files = os::limits::raise_open_files();
    if files < connections + FILES_SPARE {
        return Err(format!("{connections} connections need more open files than the limit of {files} (ulimit -n)"));
    }
    let usable = os::limits::usable_cpus();
    let cpus = match args.schedulers {
        Some(count) => usable.iter().cycle().take(count as usize).copied().collect(),
        None => usable,
    };
    let config = MachineConfig {
        max_worker_threads: (connections as u32 + 16) * 2,
        cpus,
        // A server on the same machine is what is measured: it is not interrupted for every reply that it sends.
        gives_way: true,
        idle_spin_us: IDLE_SPIN_US,
        ..MachineConfig::default()
    };
    let machine = os::sched::start(config);
    let is_quiet = args.is_quiet() || control.no_results;
    let statements = work.groups.iter().map(|group| group.mix.len()).max().unwrap_or(0);
    let plan = Arc::new(Plan {
        args: args.clone(),
        control,
        work,
        totals: Totals::new(targets.len(), machine.scheduler_count(), statements),
        targets,
        begin: Signal::manual_reset(WaitType::SOS_EVENT),
        output: output.filter(|_| !is_quiet),
        form: if args.results_as.as_deref() == Some("x") { Form::Xml } else { Form::Text },
        edge,
    });
    let told = console.clone();
    let summary = machine.run(move || supervise(&plan, &told));
    machine.stop();
    Ok(summary)
}

fn supervise(plan: &Arc<Plan>, console: &Console) -> Summary {
    let (started, cpu_before_ns) = (os::clock::now(), process_cpu_ns());
    console.say(format_args!("Creating {} thread(s) to process queries", plan.connections()));
    let tasks: Vec<_> = (0..plan.connections())
        .map(|index| {
            let plan = plan.clone();
            let place = Place::On(plan.scheduler_of(index));
            os::sched::spawn(TaskKind::Client, place, move || Session::new(&plan, index).run())
        })
        .collect();
    console.say(format_args!("Worker threads created, beginning execution..."));
    if let Some(directory) = &plan.output {
        let form = super::output::Output::extension(plan.form).to_uppercase();
        console
            .say(format_args!("NOTE: Session-specific output is now redirected to {}\\*.{form}", directory.display()));
    }
    let mut series = Series::new(started, plan.targets.len());
    let (measured_from, end) = watch(plan, started, cpu_before_ns, &mut series);
    let ended = os::clock::now();
    plan.tell(Edge::End);
    let cpu_ns = process_cpu_ns() - measured_from.cpu_ns;
    let deltas = deltas_since(plan, &measured_from, console);
    let per_connection: Vec<Result<u64, Panicked>> = tasks.into_iter().map(|task| task.join()).collect();
    series.end_second(&plan.totals, ended, true);
    let iterations: Vec<u64> = per_connection.into_iter().map(|count| count.unwrap_or(0)).collect();
    if !plan.args.no_exit_message {
        let elapsed = clock((os::clock::now() - started) / 1_000_000);
        console.say(format_args!("OSTRESS exiting {end}, elapsed time: {elapsed}"));
    }
    let of_server = |(server, latencies): (usize, Histogram<u64>)| Figures {
        connections: (0..plan.connections()).filter(|index| plan.server_of(*index) == server).count() as u32,
        counts: counts(plan.totals.lanes_of(server)).measured_since(measured_from.counts[server]),
        errors: errors(plan.totals.lanes_of(server)),
        latencies,
    };
    let figures: Vec<Figures> = series.latencies.into_iter().enumerate().map(of_server).collect();
    let all = Figures::all(&figures);
    let servers = plan.targets.iter().zip(figures).zip(deltas);
    let servers =
        servers.map(|((target, figures), deltas)| OfServer { name: target.address().text.clone(), figures, deltas });
    Summary {
        all,
        servers: servers.collect(),
        seconds: (ended - measured_from.at) as f64 / 1e9,
        is_interrupted: end == End::Interrupted,
        series: series.seconds,
        statements: statements_of(plan),
        fewest: iterations.iter().copied().min().unwrap_or(0),
        most: iterations.iter().copied().max().unwrap_or(0),
        connection_iterations: iterations,
        cpu_s: cpu_ns as f64 / 1e9,
        schedulers: plan.totals.schedulers,
    }
}

/// What each server has counted meanwhile. None: it does not say, and the console says why.
fn deltas_since(plan: &Plan, baseline: &Baseline, console: &Console) -> Vec<Option<Deltas>> {
    let of = |(at, target): (usize, &Target)| {
        let before = baseline.servers.get(at)?.as_ref().map_err(String::clone);
        let grown = before.and_then(|before| Ok(before.growth_to(&Snapshot::take(target)?)));
        let name = &target.address().text;
        grown.map_err(|why| console.say(format_args!("--deltas: the counters of {name} cannot be read: {why}"))).ok()
    };
    plan.targets.iter().enumerate().map(of).collect()
}

/// Of a mix, with their latencies.
fn statements_of(plan: &Plan) -> Vec<(String, Histogram<u64>)> {
    let mix = plan.work.groups.iter().flat_map(|group| &group.mix).enumerate();
    let of = |at: usize| {
        let mut all = histogram();
        plan.totals.lanes().iter().for_each(|lane| all.add(&*lane.statements[at].lock()).expect("the same bounds"));
        all
    };
    mix.map(|(at, share)| (share.name.clone(), of(at))).collect()
}

fn process_cpu_ns() -> u64 {
    let (user, system) = os::clock::process_cpu();
    user + system
}

/// Counters when measuring began.
struct Baseline {
    at: u64,
    /// By server.
    counts: Vec<Counts>,
    cpu_ns: u64,
    /// With --deltas, by server.
    servers: Vec<Result<Snapshot, String>>,
}

impl Baseline {
    /// Of a run that counts from its beginning.
    fn beginning(plan: &Plan, at: u64, cpu_ns: u64) -> Baseline {
        Baseline { at, counts: vec![Counts::default(); plan.targets.len()], cpu_ns, servers: Vec::new() }
    }

    fn now(plan: &Plan, at: u64) -> Baseline {
        Baseline {
            at,
            counts: (0..plan.targets.len()).map(|server| counts(plan.totals.lanes_of(server))).collect(),
            cpu_ns: process_cpu_ns(),
            servers: Vec::new(),
        }
    }

    fn requests(&self) -> u64 {
        self.counts.iter().map(|counts| counts.requests).sum()
    }
}

/// Why a run ended, in ostress's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Normal,
    Failed,
    Interrupted,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            End::Normal => "normally",
            End::Failed => "due to severe error",
            End::Interrupted => "due to Ctrl-C or Ctrl-Break",
        })
    }
}

/// Shows progress and says when to measure and when to stop. Returns when all is done or has been told to stop.
fn watch(plan: &Plan, started: u64, cpu_before_ns: u64, series: &mut Series) -> (Baseline, End) {
    let (args, totals) = (&plan.args, &plan.totals);
    let mut end = End::Normal;
    let all = u64::from(plan.connections());
    let is_over = || totals.counts().finished >= all;
    let stop_requests = os::signal::stop_requests();
    if args.barrier {
        let is_ready = || {
            let counts = totals.counts();
            counts.connected + counts.finished >= all
        };
        while !is_ready() && !stop_requests.is_set() {
            sleep(WaitType::SLEEP_TASK, 1);
        }
    }
    if args.warmup_s == 0 {
        plan.tell(Edge::Begin);
    }
    plan.begin.set();
    let begun = if args.barrier { os::clock::now() } else { started };
    let measure_at = begun + args.warmup_s * 1_000_000_000;
    let duration_ns = args.duration_s.map(|seconds| seconds * 1_000_000_000);
    let mut live = Live::new(plan, process_cpu_ns());
    let mut baseline: Option<Baseline> = None;
    while !is_over() {
        let mut now = os::clock::now();
        if baseline.is_none() && now >= measure_at {
            let snapshots = plan.targets.iter().filter(|_| args.deltas).map(Snapshot::take).collect();
            if args.warmup_s > 0 {
                plan.tell(Edge::Begin);
            }
            totals.measuring.store(true, Ordering::Relaxed);
            baseline = Some(if args.warmup_s == 0 {
                Baseline::beginning(plan, begun, cpu_before_ns)
            } else {
                // What was measured until now does not count, nor does the time that a busy server took to tell its counters.
                now = os::clock::now();
                series.end_second(totals, now, false);
                Baseline::now(plan, now)
            });
            baseline.as_mut().expect("set above").servers = snapshots;
        }
        if series.is_due(now) {
            series.end_second(totals, now, baseline.is_some());
            let (since, before) = baseline.as_ref().map_or((started, 0), |begun| (begun.at, begun.requests()));
            let requests = totals.counts().requests - before;
            let average = requests as f64 / ((now - since) as f64 / 1e9).max(1e-9);
            live.second(plan, &series.seconds, average, process_cpu_ns());
        }
        let measured_from = baseline.as_ref().map_or(measure_at, |begun| begun.at);
        let end_at = duration_ns.map(|duration| measured_from + duration);
        let failed = args.stop_on_error && totals.counts().errors > 0;
        if failed || stop_requests.is_set() || end_at.is_some_and(|end| now >= end) {
            if failed {
                end = End::Failed;
            } else if stop_requests.is_set() {
                end = End::Interrupted;
            }
            match end {
                End::Normal => totals.end_at(now),
                End::Failed | End::Interrupted => totals.stop.store(true, Ordering::Relaxed),
            }
            break;
        }
        live.tick(plan, now - started);
        let next = [Some(TICK_MS), end_at.map(|end| (end - now) / 1_000_000 + 1)].into_iter().flatten().min();
        sleep(WaitType::SLEEP_TASK, next.unwrap_or(TICK_MS).min(tick_for(args, now - started)));
    }
    // An open loop ends when those are served who stood in line; a rate without their time would be a rate that nobody had.
    while args.rate.is_some() && end == End::Normal && !is_over() {
        sleep(WaitType::SLEEP_TASK, 1);
    }
    live.clear();
    (baseline.unwrap_or_else(|| Baseline::beginning(plan, begun, cpu_before_ns)), end)
}

/// Short runs are watched closely, so that their end is seen at once.
fn tick_for(args: &Args, elapsed_ns: u64) -> u64 {
    if args.duration_s.is_none() && elapsed_ns < 1_000_000_000 { 1 } else { TICK_MS }
}
