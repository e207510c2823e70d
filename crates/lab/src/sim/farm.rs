//! Many seeds, spread over processes of this program. A process takes some seeds and ends: what kills leave behind in memory,
//! where no destructor ran, goes with it, and a seed that takes its process down is one seed that failed.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use os::sched::{MachineConfig, Place, TaskKind, preemptive, spawn};
use os::sync::Mutex;
use os::wait::WaitType;

use super::machine::Boot;
use super::runner::{Runner, tell};
use super::{Args, Kind};

/// Seeds of one process.
const SEEDS_EACH: u64 = 64;
/// Sums over seeds end here.
const RESIDENT_BYTES_MAX: u64 = 1 << 30;

#[derive(Default)]
struct Totals {
    next: u64,
    clean: BTreeMap<Kind, u64>,
    failed: u64,
    lives: u64,
    kills: u64,
    steps: u64,
    simulated_ns: u64,
    points: BTreeMap<String, u64>,
    seen: BTreeMap<String, u64>,
    /// Why the farm itself cannot go on.
    trouble: Option<String>,
}

/// The farm's own process. The number of seeds that failed.
pub fn run(args: &Args, _: Boot) -> Result<u64, String> {
    let range = args.range();
    let jobs = args.jobs.unwrap_or(os::limits::usable_cpus().len() as u32);
    let bar = progress_bar(args, range.end - range.start);
    let totals = Arc::new(Mutex::new(WaitType::SOS_MUTEX, Totals { next: range.start, ..Totals::default() }));
    let started = os::clock::now();
    // It only waits for its children.
    let cpus = os::limits::usable_cpus()[..1].to_vec();
    let machine = os::sched::start(MachineConfig { cpus, idle_spin_us: 0, ..MachineConfig::default() });
    let (farming, args_, bar_) = (totals.clone(), args.clone(), bar.clone());
    machine.run(move || {
        let rows: Vec<_> = (0..jobs)
            .map(|_| {
                let (totals, args, bar) = (farming.clone(), args_.clone(), bar_.clone());
                spawn(TaskKind::Client, Place::Here, move || till(&args, range.end, &totals, &bar))
            })
            .collect();
        for row in rows {
            if row.join().is_err() {
                farming.lock().trouble = Some("a task of the farm panicked".into());
            }
        }
    });
    machine.stop();
    bar.finish_and_clear();
    let totals = totals.lock();
    if let Some(trouble) = &totals.trouble {
        return Err(trouble.clone());
    }
    summarize(&totals, (os::clock::now() - started) as f64 / 1e9);
    Ok(totals.failed)
}

fn summarize(totals: &Totals, seconds: f64) {
    let clean: u64 = totals.clean.values().sum();
    let by_kind: Vec<String> = totals.clean.iter().map(|(kind, count)| format!("{} {count}", name(*kind))).collect();
    println!(
        "{clean} seeds clean ({}), {} failed, in {seconds:.1} s: {:.1} seeds/s; {} lives, {} kills, {} steps, {:.0} s simulated",
        by_kind.join(", "),
        totals.failed,
        (clean + totals.failed) as f64 / seconds.max(1e-9),
        totals.lives,
        totals.kills,
        totals.steps,
        totals.simulated_ns as f64 / 1e9,
    );
    let points: Vec<String> = totals.points.iter().map(|(point, times)| format!("{point} {times}")).collect();
    println!("marks passed: {}", points.join(", "));
    for (what, runs) in &totals.seen {
        println!("seen {what}: {runs}");
    }
}

/// Starts processes for some seeds each until there are no more.
fn till(args: &Args, end: u64, totals: &Mutex<Totals>, bar: &ProgressBar) {
    loop {
        let (mut from, to) = {
            let mut totals = totals.lock();
            if totals.next >= end || totals.trouble.is_some() || args.first && totals.failed > 0 {
                return;
            }
            let from = totals.next;
            totals.next = (from + SEEDS_EACH).min(end);
            (from, totals.next)
        };
        while from < to {
            let arguments = child_arguments(args, from, to);
            let mut done = from;
            let status = preemptive(WaitType::PREEMPTIVE_OTHER, || {
                os::children::run_self(&arguments, |line| {
                    done += u64::from(take_line(args, line, totals, bar));
                })
            });
            match status {
                Ok(Some(0)) if done == from => {
                    return totals.lock().trouble = Some("a process ran no seed".into());
                }
                Ok(Some(0)) => from = done,
                Ok(Some(2)) => {
                    return totals.lock().trouble = Some("a process could not begin".into());
                }
                Ok(code) => {
                    let how = code.map_or("a signal".into(), |code| format!("code {code}"));
                    fail(args, totals, bar, done, &format!("the process died of {how}"));
                    from = done + 1;
                }
                Err(error) => {
                    return totals.lock().trouble = Some(format!("cannot run myself: {error}"));
                }
            }
        }
    }
}

fn child_arguments(args: &Args, from: u64, to: u64) -> Vec<String> {
    let mut arguments = vec!["lab".into(), "sim".into(), "--child".into(), format!("--seeds={from}..{to}")];
    if let Some(kind) = args.workload {
        arguments.push(format!("--workload={}", name(kind)));
    }
    if args.no_faults {
        arguments.push("--no-faults".into());
    }
    for fault in &args.fault {
        arguments.push(format!("--fault={}", fault.to_possible_value().expect("a name").get_name()));
    }
    if args.twice {
        arguments.push("--twice".into());
    }
    if args.minimize {
        arguments.push("--minimize".into());
    }
    arguments
}

/// A line of a child. True: one more seed is done. Lines that are not of the protocol are the child's to show.
fn take_line(args: &Args, line: &str, totals: &Mutex<Totals>, bar: &ProgressBar) -> bool {
    let Some(report) = line.strip_prefix("\u{1}") else {
        bar.suspend(|| println!("{line}"));
        return false;
    };
    let mut words = report.splitn(3, ' ');
    let (what, seed, rest) = (words.next().unwrap_or(""), words.next().unwrap_or(""), words.next().unwrap_or(""));
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    if what == "point" {
        *totals.lock().points.entry(seed.into()).or_default() += number(rest);
        return false;
    }
    let seed = number(seed);
    if what == "seen" {
        *totals.lock().seen.entry(rest.into()).or_default() += seed;
        return false;
    }
    match what {
        "clean" => {
            let figures: Vec<u64> = rest.split(' ').map(number).collect();
            let mut totals = totals.lock();
            *totals.clean.entry(args.kind(seed)).or_default() += 1;
            if let [lives, kills, steps, simulated_ns] = figures[..] {
                totals.lives += lives;
                totals.kills += kills;
                totals.steps += steps;
                totals.simulated_ns += simulated_ns;
            }
            show(bar, &totals);
        }
        _ => fail(args, totals, bar, seed, rest),
    }
    true
}

fn fail(args: &Args, totals: &Mutex<Totals>, bar: &ProgressBar, seed: u64, why: &str) {
    let kind = name(args.kind(seed));
    bar.suspend(|| {
        println!("seed {seed} FAILS, {why} (heddle lab sim --seed {seed} --workload {kind} --minimize)");
        let _ = std::io::stdout().flush();
    });
    let mut totals = totals.lock();
    totals.failed += 1;
    show(bar, &totals);
}

fn show(bar: &ProgressBar, totals: &Totals) {
    let done = totals.clean.values().sum::<u64>() + totals.failed;
    bar.set_position(done);
    let rate = done as f64 / bar.elapsed().as_secs_f64().max(1e-9);
    bar.set_message(format!("{done} seeds, {} failed, {rate:.1}/s, {} kills", totals.failed, totals.kills));
}

/// A process of the farm: some seeds, a line each. It may stop before the last, to give its memory back.
pub fn serve(args: &Args, boot: Boot) -> Result<u64, String> {
    let mut runner = Runner::new(boot);
    let wish = args.wish();
    let mut points = BTreeMap::<&'static str, u64>::new();
    let mut seen = BTreeMap::<String, u64>::new();
    for seed in args.range() {
        let kind = args.kind(seed);
        let verdict = runner.run(kind, seed, &wish)?;
        if args.twice && runner.run(kind, seed, &wish)?.hash != verdict.hash {
            println!("\u{1}fail {seed} two traces: {}", tell(&verdict));
            continue;
        }
        for (point, times) in &verdict.points {
            *points.entry(point).or_default() += times;
        }
        for what in &verdict.seen {
            *seen.entry(what.clone()).or_default() += 1;
        }
        match &verdict.failure {
            None => println!(
                "\u{1}clean {seed} {} {} {} {}",
                verdict.lives, verdict.kills, verdict.steps, verdict.simulated_ns
            ),
            Some(failure) => {
                println!("\u{1}fail {seed} {}: {}", failure.kind, super::trace::short(&failure.text));
                if args.minimize {
                    super::runner::one(&Args { seed: Some(seed), no_progress: true, ..args.clone() }, seed, boot)?;
                }
            }
        }
        if os::limits::resident_memory() > RESIDENT_BYTES_MAX {
            break;
        }
    }
    for (point, times) in points {
        println!("\u{1}point {point} {times}");
    }
    for (what, runs) in seen {
        println!("\u{1}seen {runs} {what}");
    }
    Ok(0)
}

fn name(kind: Kind) -> String {
    kind.to_possible_value().expect("a name").get_name().to_owned()
}

fn progress_bar(args: &Args, length: u64) -> ProgressBar {
    if args.no_progress {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{elapsed_precise} [{wide_bar}] {msg}").expect("a good template");
    ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr()).with_style(style.progress_chars("=> "))
}

/// For work of unknown length.
pub fn spinner(hidden: bool) -> ProgressBar {
    if hidden {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
