//! The run itself: a task a connection, spread over schedulers, and one task that watches.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use os::sched::{MachineConfig, Panicked, Place, TaskKind};
use os::sync::Event as Signal;
use os::wait::{WaitType, sleep};
use tds::client::Event;
use tds::token::{Done, Token, done};

use super::Args;
use super::report::{Summary, Totals, histogram};
use super::work::Work;
use crate::client::{ClientError, ClientResult, Connection, Target};
use crate::text::push_value;

/// How often progress is looked at.
const TICK_MS: u64 = 100;
/// How long connections may take to notice that it is over, before their requests are cancelled.
const STOP_WAIT_MS: u64 = 2_000;
/// Enough to catch the reply to a short request without a sleep, and little of the CPU that the server may need.
const IDLE_SPIN_US: u32 = 40;
/// Open files that are not connections.
const FILES_SPARE: u64 = 64;
/// A connection's results on disk, at most.
const OUTPUT_BYTES_MAX: usize = 64 << 20;

/// Client-side errors, numbered below zero to keep apart from the server's.
const ERROR_CONNECT: i64 = -1;
const ERROR_TIMEOUT: i64 = -2;
const ERROR_CONNECTION: i64 = -3;

struct Plan {
    args: Args,
    work: Work,
    target: Target,
    totals: Totals,
    /// When a connection may begin its iterations: all are in, or the run is over.
    begin: Signal,
    output: Option<PathBuf>,
}

pub fn run(args: &Args, work: Work, target: Target) -> Result<Summary, String> {
    let output = args.output.as_deref().map(PathBuf::from);
    if let Some(directory) = &output {
        os::fs::create_dir_all(directory).map_err(|error| format!("{}: {error}", directory.display()))?;
    }
    let files = os::limits::raise_open_files();
    if files < u64::from(args.connections) + FILES_SPARE {
        return Err(format!(
            "{} connections need more open files than the limit of {files} (ulimit -n)",
            args.connections
        ));
    }
    let usable = os::limits::usable_cpus();
    let cpus = match args.schedulers {
        Some(count) => usable.iter().cycle().take(count.max(1) as usize).copied().collect(),
        None => usable,
    };
    let config = MachineConfig {
        max_worker_threads: (args.connections + 16) * 2,
        cpus,
        // A server on the same machine is what is measured: it is not interrupted for every reply that it sends.
        gives_way: true,
        idle_spin_us: IDLE_SPIN_US,
        ..MachineConfig::default()
    };
    let machine = os::sched::start(config);
    let plan = Arc::new(Plan {
        args: args.clone(),
        work,
        target,
        totals: Totals::new(machine.scheduler_count()),
        begin: Signal::manual_reset(WaitType::SOS_EVENT),
        output: output.filter(|_| !args.quiet),
    });
    let summary = machine.run(move || supervise(&plan));
    machine.stop();
    Ok(summary)
}

fn supervise(plan: &Arc<Plan>) -> Summary {
    let args = &plan.args;
    let schedulers = os::sched::scheduler_count();
    let started = os::clock::now();
    let tasks: Vec<_> = (0..args.connections)
        .map(|index| {
            let plan = plan.clone();
            let lane = index % schedulers;
            os::sched::spawn(TaskKind::Client, Place::On(lane), move || drive(&plan, index, lane))
        })
        .collect();
    let measured_from = watch(plan, started);
    let ended = os::clock::now();
    let per_connection: Vec<Result<u64, Panicked>> = tasks.into_iter().map(|task| task.join()).collect();
    let totals = &plan.totals;
    let mut latencies = histogram();
    let mut errors = std::collections::BTreeMap::new();
    for lane in &totals.lanes {
        latencies.add(&*lane.latencies.lock()).expect("the same bounds");
        for (number, kind) in lane.errors.lock().iter() {
            errors
                .entry(*number)
                .and_modify(|all: &mut super::report::ErrorKind| all.count += kind.count)
                .or_insert(kind.clone());
        }
    }
    let iterations: Vec<u64> = per_connection.into_iter().map(|count| count.unwrap_or(0)).collect();
    let (user, system) = os::clock::process_cpu();
    Summary {
        connections: args.connections,
        connected: totals.connected.load(Ordering::Relaxed),
        seconds: (ended - measured_from.at) as f64 / 1e9,
        iterations: totals.iterations.load(Ordering::Relaxed) - measured_from.iterations,
        requests: totals.requests.load(Ordering::Relaxed) - measured_from.requests,
        rows: totals.rows.load(Ordering::Relaxed) - measured_from.rows,
        error_count: totals.errors.load(Ordering::Relaxed),
        errors,
        latencies,
        fewest: iterations.iter().copied().min().unwrap_or(0),
        most: iterations.iter().copied().max().unwrap_or(0),
        cpu_s: (user + system) as f64 / 1e9,
    }
}

/// Counters when measuring began.
struct Baseline {
    at: u64,
    iterations: u64,
    requests: u64,
    rows: u64,
}

impl Baseline {
    fn now(totals: &Totals) -> Baseline {
        Baseline {
            at: os::clock::now(),
            iterations: totals.iterations.load(Ordering::Relaxed),
            requests: totals.requests.load(Ordering::Relaxed),
            rows: totals.rows.load(Ordering::Relaxed),
        }
    }
}

/// Shows progress and says when to measure and when to stop. Returns when all is done or has been told to stop.
fn watch(plan: &Plan, started: u64) -> Baseline {
    let (args, totals) = (&plan.args, &plan.totals);
    let all = u64::from(args.connections);
    let ready = || totals.connected.load(Ordering::Relaxed) + totals.finished.load(Ordering::Relaxed) >= all;
    let is_over = || totals.finished.load(Ordering::Relaxed) >= all;
    if args.barrier {
        while !ready() {
            sleep(WaitType::SLEEP_TASK, 1);
        }
    }
    plan.begin.set();
    let begun = if args.barrier { os::clock::now() } else { started };
    let measure_at = begun + args.warmup_s * 1_000_000_000;
    let end_at = args.duration_s.map(|seconds| measure_at + seconds * 1_000_000_000);
    let bar = progress_bar(args);
    let stop_requests = os::signal::stop_requests();
    let mut baseline = None;
    while !is_over() {
        let now = os::clock::now();
        if baseline.is_none() && now >= measure_at {
            totals.measuring.store(true, Ordering::Relaxed);
            baseline = Some(if args.warmup_s == 0 {
                Baseline { at: begun, iterations: 0, requests: 0, rows: 0 }
            } else {
                Baseline::now(totals)
            });
        }
        let failed = args.stop_on_error && totals.errors.load(Ordering::Relaxed) > 0;
        if failed || stop_requests.is_set() || end_at.is_some_and(|end| now >= end) {
            totals.stop.store(true, Ordering::Relaxed);
            break;
        }
        show(&bar, args, totals, now - started);
        let next = [Some(TICK_MS), end_at.map(|end| (end - now) / 1_000_000 + 1)].into_iter().flatten().min();
        sleep(WaitType::SLEEP_TASK, next.unwrap_or(TICK_MS).min(tick_for(args, now - started)));
    }
    bar.finish_and_clear();
    baseline.unwrap_or(Baseline { at: begun, iterations: 0, requests: 0, rows: 0 })
}

/// Short runs are watched closely, so that their end is seen at once.
fn tick_for(args: &Args, elapsed_ns: u64) -> u64 {
    if args.duration_s.is_none() && elapsed_ns < 1_000_000_000 { 1 } else { TICK_MS }
}

fn progress_bar(args: &Args) -> ProgressBar {
    if args.no_progress || args.json.as_deref() == Some("-") {
        return ProgressBar::hidden();
    }
    let length = match args.duration_s {
        Some(seconds) => (args.warmup_s + seconds) * 1_000,
        None => args.iterations().saturating_mul(args.connections.into()),
    };
    let style = ProgressStyle::with_template("{elapsed_precise} [{wide_bar}] {msg}").expect("a good template");
    ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr()).with_style(style.progress_chars("=> "))
}

fn show(bar: &ProgressBar, args: &Args, totals: &Totals, elapsed_ns: u64) {
    let iterations = totals.iterations.load(Ordering::Relaxed);
    bar.set_position(if args.duration_s.is_some() { elapsed_ns / 1_000_000 } else { iterations });
    let rate = iterations as f64 / (elapsed_ns as f64 / 1e9).max(1e-9);
    let (errors, connected) = (totals.errors.load(Ordering::Relaxed), totals.connected.load(Ordering::Relaxed));
    bar.set_message(format!("{rate:.0}/s, {connected} connections, {errors} errors"));
}

/// One connection from login to end; how many iterations it made.
fn drive(plan: &Plan, index: u32, lane: u32) -> u64 {
    let args = &plan.args;
    if args.ramp_s > 0 {
        sleep(WaitType::SLEEP_TASK, args.ramp_s * 1_000 * u64::from(index) / u64::from(args.connections));
    }
    let login_until = os::clock::after_ms(args.login_timeout_s.max(1) * 1_000);
    let mut iterations = 0;
    match Connection::open(&plan.target, Some(login_until)) {
        Ok(mut connection) => {
            plan.totals.connected.fetch_add(1, Ordering::Relaxed);
            if args.barrier {
                plan.begin.wait(None);
            }
            iterations = iterate(plan, &mut connection, index, lane);
        }
        Err(ClientError::Login(messages)) => {
            messages.iter().filter(|message| message.is_error()).for_each(|m| plan.totals.server_error(lane, m));
        }
        Err(error) => plan.totals.error(lane, ERROR_CONNECT, || format!("connecting: {error}")),
    }
    plan.totals.finished.fetch_add(1, Ordering::Relaxed);
    iterations
}

fn iterate(plan: &Plan, connection: &mut Connection, index: u32, lane: u32) -> u64 {
    let (args, totals) = (&plan.args, &plan.totals);
    let mut output = plan.output.as_ref().map(|_| String::new());
    connection.protocol().skip_rows(output.is_none());
    // An open loop begins iterations on a schedule of its own, each connection an equal share, evenly staggered.
    let interval_ns = args.rate.map(|rate| (f64::from(args.connections) / rate.max(1e-9) * 1e9) as u64);
    let first = os::clock::now();
    let stagger = interval_ns.unwrap_or(0) / u64::from(args.connections) * u64::from(index);
    let mut rng = os::random::Rng::from_seed(index.into());
    let mut done = 0;
    while done < args.iterations() && !totals.stop.load(Ordering::Relaxed) {
        let mut began = os::clock::now();
        if let Some(interval_ns) = interval_ns {
            let due = first.saturating_add(stagger).saturating_add(interval_ns.saturating_mul(done));
            if due > began {
                pause_until(due, totals);
            }
            began = due;
        }
        match iteration(plan, connection, lane, output.as_mut()) {
            Ok(()) => {}
            Err(ClientError::Timeout) if totals.stop.load(Ordering::Relaxed) => break,
            Err(ClientError::Timeout) => totals.error(lane, ERROR_TIMEOUT, || "timeout expired".into()),
            Err(error) => {
                totals.error(lane, ERROR_CONNECTION, || error.to_string());
                break;
            }
        }
        done += 1;
        totals.iterations.fetch_add(1, Ordering::Relaxed);
        if totals.measuring.load(Ordering::Relaxed) {
            totals.lanes[lane as usize].latencies.lock().saturating_record(os::clock::now().saturating_sub(began));
        }
        if args.think_ms > 0 && done < args.iterations() {
            pause_until(os::clock::now() + think_ns(args, &mut rng), totals);
        }
    }
    if let (Some(directory), Some(text)) = (&plan.output, output) {
        save_output(directory, index, &text, totals, lane);
    }
    done
}

/// How long a user thinks before the next iteration: evenly spread around what was asked for.
fn think_ns(args: &Args, rng: &mut os::random::Rng) -> u64 {
    let mean = args.think_ms.saturating_mul(1_000_000);
    let spread = (u128::from(mean) * u128::from(args.think_spread) / 100) as u64;
    mean - spread + rng.below(spread.saturating_mul(2).saturating_add(1))
}

/// Sleeps, in pieces short enough to notice the end of the run.
fn pause_until(deadline: u64, totals: &Totals) {
    const PIECE_NS: u64 = 200_000_000;
    loop {
        let now = os::clock::now();
        if now >= deadline || totals.stop.load(Ordering::Relaxed) {
            return;
        }
        let until = deadline.min(now + PIECE_NS);
        os::wait::park(WaitType::SLEEP_TASK, Some(until));
    }
}

/// All steps once.
fn iteration(plan: &Plan, connection: &mut Connection, lane: u32, mut output: Option<&mut String>) -> ClientResult<()> {
    for step in &plan.work.steps {
        step.send(connection.protocol());
        read_response(plan, connection, lane, output.as_deref_mut())?;
        plan.totals.requests.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

fn read_response(
    plan: &Plan,
    connection: &mut Connection,
    lane: u32,
    mut output: Option<&mut String>,
) -> ClientResult<()> {
    let limit = match plan.args.query_timeout_s {
        0 => None,
        seconds => Some(os::clock::after_ms(seconds * 1_000)),
    };
    let (mut rows, mut types) = (0, Vec::new());
    let outcome = loop {
        // Wake up now and then: a request that never ends must not outlive the run.
        let look_again = os::clock::after_ms(STOP_WAIT_MS);
        match connection.next_event(Some(limit.map_or(look_again, |limit| limit.min(look_again)))) {
            Ok(Event::Token(token)) => match token {
                Token::Row(row) => {
                    rows += 1;
                    if let Some(output) = output.as_deref_mut().filter(|output| output.len() < OUTPUT_BYTES_MAX) {
                        for (sql_type, value) in std::iter::zip(&types, &row) {
                            push_value(*sql_type, value, output);
                            output.push(' ');
                        }
                        output.push('\n');
                    }
                }
                Token::Rows(count) => rows += count,
                Token::Columns(columns) if output.is_some() => {
                    types = columns.iter().map(|column| column.info.sql_type).collect();
                }
                Token::Message(message) if message.is_error() => plan.totals.server_error(lane, &message),
                Token::Message(message) => {
                    if let Some(output) = output.as_deref_mut() {
                        output.push_str(&message.text);
                        output.push('\n');
                    }
                }
                Token::Done(Done { status, rows, .. }) if status & done::COUNT != 0 => {
                    if let Some(output) = output.as_deref_mut() {
                        output.push_str(&format!("({rows} rows affected)\n"));
                    }
                }
                _ => {}
            },
            Ok(Event::End) => break Ok(()),
            Ok(other) => panic!("{other:?} after login"),
            Err(ClientError::Timeout) => {
                let is_late = limit.is_some_and(|limit| os::clock::now() >= limit);
                if is_late || plan.totals.stop.load(Ordering::Relaxed) {
                    break connection.cancel().and(Err(ClientError::Timeout));
                }
            }
            Err(error) => break Err(error),
        }
    };
    plan.totals.rows.fetch_add(rows, Ordering::Relaxed);
    outcome
}

fn save_output(directory: &Path, index: u32, text: &str, totals: &Totals, lane: u32) {
    let path = directory.join(format!("query_{index}.out"));
    if let Err(error) = os::fs::write(&path, text.as_bytes()) {
        totals.error(lane, ERROR_CONNECTION, || format!("{}: {error}", path.display()));
    }
}
