//! Makes the runs: a server for each, the load, the figures, a line of results.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use os::sync::Mutex;
use os::wait::WaitType;

use super::RunArgs;
use super::bench::{Bench as Loop, Counted};
use super::check::hold;
use super::definition::Definition;
use super::duration::{of_runs, rounds, run_s, sum_s, text};
use super::library;
use super::link::{Proxy, ceiling};
use super::load::load_of;
use super::machine::Machine;
use super::measure::{Raw, Reading, busy_percent, cpus_since, link_cpu_s, values, values_of_bench};
use super::probe::Probe;
use super::remote::Remote;
use super::results::{Line, Run, append, mend, read};
use super::schedule::{Planned, planned};
use super::server::{DATABASE, Server, ask, first_texts, make, open, set_up};
use super::setting::{Job, Load, Place, Setting, fnv, settings};
use crate::address::Transport;
use crate::client::Target;
use crate::stress;
use crate::stress::plan::Edge;
use crate::stress::report::Summary;

/// Connections whose shares are kept one by one.
const CLIENTS_MAX: usize = 64;
/// What a run without a server may take longer than it was asked to.
const BENCH_SPARE_MS: u64 = 30_000;
/// A part of a second says little of a rate.
const SECOND_LEAST: f64 = 0.5;

/// How it went.
#[derive(Debug, Default, PartialEq)]
pub struct Outcome {
    pub failed: u64,
    /// By Ctrl-C.
    pub is_interrupted: bool,
}

/// What all runs of a call have in common.
struct Bench<'a> {
    args: &'a RunArgs,
    machine: Machine,
    remote: Option<Remote>,
    /// The program or the server that is measured.
    subject: String,
    bar: ProgressBar,
}

/// Makes what is missing of `definitions` in `args.out`. Err: why it could not begin.
pub fn run(args: &RunArgs, definitions: &[Definition]) -> Result<Outcome, String> {
    let remote = args.target.as_deref().map(Remote::parse).transpose().map_err(|why| format!("--target: {why}"))?;
    let subject = match &remote {
        Some(remote) => format!("{} {}", remote.address, version_of(remote)?),
        None => os::fs::read(Path::new("/proc/self/exe")).map(|bytes| format!("{:016x}", fnv(&bytes))).map_err(told)?,
    };
    os::fs::create_dir_all(&args.out).map_err(|error| format!("{}: {error}", args.out.display()))?;
    let bench = Bench { args, machine: Machine::try_out(), remote, subject, bar: progress_bar(args) };
    let mut works = Vec::new();
    for definition in definitions {
        works.push(bench.prepare(definition)?);
    }
    for work in &works {
        eprintln!("{}: {}", work.definition.name, of_runs(&work.runs, &work.lengths_s));
    }
    bench.bar.set_length(works.iter().map(|work| sum_s(&work.runs, &work.lengths_s)).sum());
    let mut outcome = Outcome::default();
    for work in &works {
        bench.experiment(work, &mut outcome)?;
        if outcome.is_interrupted {
            break;
        }
    }
    bench.bar.finish_and_clear();
    Ok(outcome)
}

fn told(error: std::io::Error) -> String {
    error.to_string()
}

fn version_of(remote: &Remote) -> Result<String, String> {
    let mut connection = open(&remote.server()?).map_err(|why| format!("--target: {why}"))?;
    let answer = ask(&mut connection, "SELECT CONVERT(nvarchar(400), @@VERSION)")?;
    first_texts(answer).into_iter().next().ok_or_else(|| "--target: it does not say its version".into())
}

/// An experiment with what is to be done of it.
struct Work<'a> {
    definition: &'a Definition,
    settings: Vec<Setting>,
    /// Of a run of each setting.
    lengths_s: Vec<u64>,
    runs: Vec<Planned>,
    /// Runs that were there before.
    done: u32,
    skipped: Vec<super::results::Skipped>,
}

impl Bench<'_> {
    /// Everything that can be wrong with an experiment is found here, before the first server starts.
    fn prepare<'a>(&self, definition: &'a Definition) -> Result<Work<'a>, String> {
        let args = self.args;
        let place = Place { machine: &self.machine, quick: args.quick, is_target: self.remote.is_some() };
        let (settings, skipped) = settings(definition, place)?;
        let lengths_s = settings.iter().map(run_s).collect::<Result<_, _>>();
        let lengths_s = lengths_s.map_err(|why| format!("{}: {why}", definition.name))?;
        let before = read(&args.out, &definition.name)?;
        if !args.resume && !before.runs.is_empty() {
            let path = super::results::path(&args.out, &definition.name);
            return Err(format!(
                "{} has results: --resume goes on with them, another --out leaves them",
                path.display()
            ));
        }
        let hashes: Vec<String> = settings.iter().map(|setting| setting.hash(&self.subject)).collect();
        let counted = before.runs.iter().filter(|run| run.failed.is_none());
        let place_of = |run: &Run| Some((hashes.iter().position(|hash| *hash == run.hash)?, run.repeat));
        let done: BTreeSet<(usize, u32)> = counted.filter_map(place_of).collect();
        let runs = planned(settings.len(), rounds(definition, args.quick, args.repeat), &done);
        Ok(Work { definition, settings, lengths_s, runs, done: before.runs.len() as u32, skipped })
    }

    fn experiment(&self, work: &Work<'_>, outcome: &mut Outcome) -> Result<(), String> {
        let (definition, out) = (work.definition, &self.args.out);
        mend(out, &definition.name)?;
        library::keep(definition, out)?;
        append(out, &definition.name, &Line::Machine(self.machine.clone()))?;
        let mut links = Vec::new();
        for link in work.settings.iter().filter_map(|setting| setting.job.link()) {
            if !links.contains(&link) {
                links.push(link);
            }
        }
        if !links.is_empty() && !work.runs.is_empty() {
            append(out, &definition.name, &Line::Ceiling(ceiling(links)?))?;
        }
        for skipped in &work.skipped {
            append(out, &definition.name, &Line::Skipped(skipped.clone()))?;
        }
        for (at, planned) in work.runs.iter().enumerate() {
            let setting = &work.settings[planned.setting];
            let place = format!("run {} of {}", at + 1, work.runs.len());
            self.bar.set_message(format!("{}, {place}: {}", definition.name, setting.title()));
            let begun = os::clock::now();
            let mut run = Run {
                hash: setting.hash(&self.subject),
                repeat: planned.repeat,
                order: work.done + at as u32,
                setting: setting.values.clone(),
                quick: self.args.quick,
                target: self.remote.as_ref().map(|remote| remote.address.clone()),
                began_unix_s: unix_seconds(),
                ..Run::default()
            };
            let measured = self.measure(definition, setting, &mut run);
            if os::signal::stop_requests().is_set() {
                outcome.is_interrupted = true;
                return Ok(());
            }
            if let Err(why) = measured {
                self.bar.suspend(|| eprintln!("{} ({}): {why}", definition.name, setting.title()));
                outcome.failed += 1;
                run.failed = Some(why);
            }
            run.took_s = (os::clock::now() - begun) as f64 / 1e9;
            for left_out in run.left_out.drain(..) {
                append(out, &definition.name, &Line::Skipped(left_out))?;
            }
            append(out, &definition.name, &Line::Run(Box::new(run)))?;
            self.bar.inc(work.lengths_s[planned.setting]);
        }
        Ok(())
    }

    /// One run. What it leaves on a server that was not started here is taken away, also after a failure.
    fn measure(&self, definition: &Definition, setting: &Setting, run: &mut Run) -> Result<(), String> {
        let load = match &setting.job {
            Job::Load(load) => load,
            Job::Bench(arguments) => return bench(definition, setting, arguments, run),
        };
        if let Some(remote) = &self.remote {
            remote.make()?;
            let measured = self.load(definition, setting, load, remote.database()?, None, run);
            return measured.and(remote.clear());
        }
        os::region::touch((setting.touch_mb as usize).saturating_mul(1 << 20));
        let server = Server::start(setting, definition.server.on_disk, os::fs::temporary("lab"))?;
        make(&server.target("master", Transport::Tcp)?)?;
        self.load(definition, setting, load, server.target(DATABASE, load.transport)?, Some(&server), run)?;
        server.stop()
    }

    fn load(
        &self,
        definition: &Definition,
        setting: &Setting,
        load: &Load,
        target: Target,
        server: Option<&Server>,
        run: &mut Run,
    ) -> Result<(), String> {
        set_up(&target, &setting.setup)?;
        let idle = server.and_then(|server| Server::usage(server.process_id()));
        let started = server.and_then(|server| Some((server, load.link?)));
        let link = started.map(|(server, link)| Proxy::start(link, server.endpoint())).transpose()?.map(Arc::new);
        let files = Files::write(load)?;
        let load = load_of(load, files.mix.as_deref(), files.control.as_deref())?;
        let ends = Arc::new(Mutex::new(WaitType::SOS_MUTEX, Ends::default()));
        let (told, probe) = (ends.clone(), Probe::new(definition, &target, server, link.clone()));
        let loaded = match (server, &link) {
            (Some(server), Some(link)) => server.target_by(link, DATABASE)?,
            _ => target.clone(),
        };
        let mut summary = stress::measure(&load, loaded, move |edge| {
            let reading = probe.read(edge);
            let mut ends = told.lock();
            match edge {
                Edge::Begin => ends.before = reading,
                Edge::End => ends.after = reading,
            }
        })?;
        failure_of(&summary)?;
        hold(&target, &setting.checks)?;
        let ends = ends.lock();
        let (before, after) = (ends.before.clone()?, ends.after.clone()?);
        summary.cpu_s -= link_cpu_s(&before, &after).unwrap_or(0.0);
        let raw = Raw {
            summary: &summary,
            before: &before,
            after: &after,
            start_ms: server.map(|server| server.start_ms),
            idle_bytes: idle.map(|usage| usage.resident_bytes),
            factors: &setting.factors,
        };
        run.left_out = before.left_out.clone();
        run.values = values(definition, &raw);
        let cpus = cpus_since(&before.cpus, &after.cpus);
        let busy = cpus.iter().map(|cpu| (cpu.cpu, busy_percent(&[*cpu])));
        // A run may be shorter than the steps in which the system counts.
        run.cpus = busy.filter(|(_, percent)| percent.is_finite()).collect();
        keep(&summary, run);
        Ok(())
    }
}

/// A run without a server: a process of this program that does nothing else.
fn bench(definition: &Definition, setting: &Setting, arguments: &[String], run: &mut Run) -> Result<(), String> {
    let end = os::clock::after_ms(Loop::parse(arguments)?.takes_ms() + BENCH_SPARE_MS);
    let command: Vec<String> =
        ["lab", "bench"].map(str::to_owned).into_iter().chain(arguments.iter().cloned()).collect();
    let is_over = || os::signal::stop_requests().is_set() || os::clock::now() >= end;
    let said = os::children::ask_self(&command, is_over).map_err(told)?;
    let said = said.ok_or_else(|| format!("heddle {} did not come to its end", command.join(" ")))?;
    let counted: Counted = serde_json::from_str(&said).map_err(|error| format!("{error}: {said}"))?;
    run.values = values_of_bench(definition, &setting.factors, &counted);
    run.waits_ms = counted.waits_ms;
    run.spinlocks = counted.spinlocks;
    Ok(())
}

/// Figures of a run that failed in part would be of another load.
fn failure_of(summary: &Summary) -> Result<(), String> {
    if summary.has_errors() {
        let example = summary.all.errors.values().next().map(|kind| kind.example.clone()).unwrap_or_default();
        return Err(format!("{} errors: {example}", summary.all.counts.errors));
    }
    match summary.all.counts.iterations {
        0 => Err("no iteration came to its end".into()),
        _ => Ok(()),
    }
}

/// What a report shows of a run besides its figures.
fn keep(summary: &Summary, run: &mut Run) {
    let whole = summary.series.iter().filter(|second| second.seconds >= SECOND_LEAST);
    run.seconds = whole.map(|second| (second.at_s, second.requests as f64 / second.seconds)).collect();
    if summary.connection_iterations.len() <= CLIENTS_MAX {
        run.clients.clone_from(&summary.connection_iterations);
    }
    if let Some(deltas) = summary.deltas() {
        let waits = deltas.waits.iter().filter(|growth| growth.numbers[1] > 0.0);
        run.waits_ms = waits.map(|growth| (growth.name.clone(), growth.numbers[1])).collect();
        let locks = deltas.spinlocks.iter();
        run.spinlocks = locks.map(|growth| (growth.name.clone(), growth.numbers[0], growth.numbers[1])).collect();
    }
}

/// The readings of a run.
struct Ends {
    before: Result<Reading, String>,
    after: Result<Reading, String>,
}

impl Default for Ends {
    fn default() -> Ends {
        let none = || Err("it was over before it was measured".to_string());
        Ends { before: none(), after: none() }
    }
}

/// What the load reads from files, for as long as this lives.
#[derive(Default)]
struct Files {
    directory: Option<PathBuf>,
    mix: Option<PathBuf>,
    control: Option<PathBuf>,
}

impl Files {
    fn write(load: &Load) -> Result<Files, String> {
        let mut files = Files::default();
        if load.mix.is_none() && load.control.is_none() {
            return Ok(files);
        }
        let directory = os::fs::temporary("lab-load");
        os::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        files.directory = Some(directory.clone());
        let write = |name: &str, text: &Option<String>| {
            let Some(text) = text else { return Ok::<_, String>(None) };
            let path = directory.join(name);
            os::fs::write(&path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok(Some(path))
        };
        files.mix = write("mix.toml", &load.mix)?;
        files.control = write("control.ini", &load.control)?;
        Ok(files)
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        if let Some(directory) = &self.directory {
            // Two small files: the system clears its temporary ones.
            let _ = os::fs::remove_dir_all(directory);
        }
    }
}

fn unix_seconds() -> u64 {
    const TICKS_A_SECOND: u64 = 10_000_000;
    const UNIX_EPOCH_S: u64 = 62_135_596_800;
    (os::clock::utc_ticks() / TICKS_A_SECOND).saturating_sub(UNIX_EPOCH_S)
}

/// Its steps are the seconds that the runs are expected to take.
fn progress_bar(args: &RunArgs) -> ProgressBar {
    if args.no_progress {
        return ProgressBar::hidden();
    }
    let left = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        // Where a progress bar cannot be written there is nobody to tell.
        let _ = out.write_str(&text(state.len().unwrap_or(0).saturating_sub(state.pos())));
    };
    let style =
        ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {left} left; {msg}").expect("a good template");
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let bar = bar.with_style(style.with_key("left", left).progress_chars("=> "));
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}
