//! `heddle lab bench`: loops that measure one thing without a server. Each run has a process of its own: it can be killed, and what the process
//! used is what the loop used.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use os::net::Place;
use os::sched::{MachineConfig, TaskKind, WorkerKind, spawn};
use os::sync::{RwLock, RwLockForm};
use os::wait::{self, WaitType};
use serde::{Deserialize, Serialize};

use super::measure::{busy_s, cpus_since, stolen_percent};

/// Operations between two looks at the end.
const OPERATIONS: u64 = 100;
/// So short that each of many workers has several turns in a run.
const QUANTUM_US: u32 = 500;

/// Measure one thing without a server, and print its figures as JSON: what experiments with [bench] run
#[derive(Debug, Clone, Subcommand)]
pub enum Bench {
    Rwlock(Rwlock),
}

/// The reader-writer lock alone: workers do nothing but take it
#[derive(Debug, Clone, ClapArgs)]
pub struct Rwlock {
    #[arg(long, value_enum)]
    lock: Form,
    /// Of 100 operations, those that read.
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u64).range(0..=100))]
    reads: u64,
    /// Workers, fibers on one scheduler for each CPU.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    workers: u32,
    #[arg(long = "duration", value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    duration_ms: u64,
    /// Left out of the figures, before.
    #[arg(long = "warmup", value_name = "MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=3_600_000))]
    warmup_ms: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    Classic,
    Atomic,
    Biased,
}

impl Bench {
    /// From the words after `heddle lab bench`. Err: it is none of the loops, or has no such switch.
    pub fn parse(words: &[String]) -> Result<Bench, String> {
        #[derive(Parser)]
        #[command(name = "heddle lab bench", no_binary_name = true, disable_help_flag = true)]
        struct Line {
            #[command(subcommand)]
            bench: Bench,
        }
        Line::try_parse_from(words).map(|line| line.bench).map_err(|error| format!("bench: {error}"))
    }

    /// Warm-up included.
    pub fn takes_ms(&self) -> u64 {
        let Bench::Rwlock(args) = self;
        args.warmup_ms + args.duration_ms
    }
}

/// The process's exit code.
pub fn run(bench: &Bench) -> i32 {
    let Bench::Rwlock(args) = bench;
    let form = match args.lock {
        Form::Classic => RwLockForm::Classic,
        Form::Atomic => RwLockForm::Atomic,
        Form::Biased => RwLockForm::Biased,
    };
    let config = MachineConfig {
        workers: WorkerKind::Fiber,
        quantum_us: QUANTUM_US,
        rwlock: form,
        max_worker_threads: (args.workers + 16) * 2,
        ..MachineConfig::default()
    };
    let machine = os::sched::start(config);
    let Rwlock { reads, workers, duration_ms, warmup_ms, .. } = *args;
    let counted = machine.run(move || {
        let lock = Arc::new(RwLock::new(WaitType::SOS_RW, Guarded::default()));
        measure(lock, &LockLoad { workers, reads_percent: reads, warmup_ms, duration_ms })
    });
    machine.stop();
    println!("{}", serde_json::to_string(&counted).expect("numbers and texts"));
    0
}

/// What one run has counted, its warm-up left out.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    pub seconds: f64,
    pub reads: u64,
    pub writes: u64,
    /// CPU time of the process, user and system.
    pub cpu_s: f64,
    /// CPUs' worth of time that other programs used, and how much of the CPUs a virtual machine's host took.
    pub others_cpus: f64,
    pub stolen_percent: f64,
    /// ms by wait type, without what waits for nobody.
    pub waits_ms: Vec<(String, f64)>,
    /// Collisions and spins by name.
    pub spinlocks: Vec<(String, f64, f64)>,
}

/// What the lock guards: a few words, written all or none.
pub type Guarded = [u64; 4];

/// A lock to measure.
pub trait Lock: Send + Sync + 'static {
    /// Takes it to read, and reads.
    fn read(&self) -> u64;
    /// Takes it to write, and writes.
    fn write(&self);
}

impl Lock for RwLock<Guarded> {
    fn read(&self) -> u64 {
        RwLock::read(self).iter().sum()
    }
    fn write(&self) {
        RwLock::write(self).iter_mut().for_each(|word| *word += 1);
    }
}

/// How a lock is used.
#[derive(Debug, Clone, Copy)]
pub struct LockLoad {
    pub workers: u32,
    /// Of 100 operations; the others write.
    pub reads_percent: u64,
    pub warmup_ms: u64,
    pub duration_ms: u64,
}

/// What one worker has done, in a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Lane(AtomicU64);

/// Measures a lock. Call it on a worker: it starts the load's workers, spread over the schedulers.
pub fn measure(lock: Arc<dyn Lock>, load: &LockLoad) -> Counted {
    let (stop, reads_percent) = (Arc::new(AtomicBool::new(false)), load.reads_percent);
    let lanes: Arc<Vec<Lane>> = Arc::new((0..load.workers).map(|_| Lane::default()).collect());
    let schedulers = os::sched::scheduler_count();
    let work = |n: u32| {
        let (lock, stop, lanes) = (lock.clone(), stop.clone(), lanes.clone());
        // Not all at the same place of the cycle of reads and writes.
        let mut turn = u64::from(n) * 37 % 100;
        spawn(TaskKind::Request, Place::On(n % schedulers), move || {
            while !stop.load(Ordering::Relaxed) {
                for _ in 0..OPERATIONS {
                    turn = (turn + 1) % 100;
                    // Writes spread evenly: every hundredth, every tenth, every second.
                    if turn * (100 - reads_percent) % 100 < 100 - reads_percent {
                        lock.write();
                    } else {
                        std::hint::black_box(lock.read());
                    }
                    wait::maybe_yield();
                }
                lanes[n as usize].0.fetch_add(OPERATIONS, Ordering::Relaxed);
            }
        })
    };
    let handles: Vec<_> = (0..load.workers).map(work).collect();
    if load.warmup_ms > 0 {
        wait::sleep(WaitType::SLEEP_TASK, load.warmup_ms);
    }
    // Outside of what is measured: reading files is a wait of its own.
    let cpus = os::cpus::usage();
    let before = Moment::now(&lanes);
    wait::sleep(WaitType::SLEEP_TASK, load.duration_ms);
    let after = Moment::now(&lanes);
    let cpus = cpus_since(&cpus, &os::cpus::usage());
    stop.store(true, Ordering::Relaxed);
    handles.into_iter().for_each(|handle| handle.join().expect("a worker that only takes a lock does not panic"));
    let counted = before.until(&after, reads_percent);
    let others_cpus = (busy_s(&cpus) - counted.cpu_s).max(0.0) / counted.seconds;
    Counted { others_cpus, stolen_percent: stolen_percent(&cpus), ..counted }
}

/// All counters at one moment.
struct Moment {
    at_ns: u64,
    operations: u64,
    cpu_ns: u64,
    waits_ns: Vec<(WaitType, u64)>,
    spinlocks: Vec<os::stats::SpinCounts>,
}

impl Moment {
    fn now(lanes: &[Lane]) -> Moment {
        let machine = os::stats::machine_here().expect("called on a worker");
        let (user_ns, system_ns) = os::clock::process_cpu();
        let waits = os::stats::waits(machine).into_iter().filter(|row| !row.wait_type.is_idle());
        Moment {
            waits_ns: waits.map(|row| (row.wait_type, row.wait_ns)).collect(),
            spinlocks: os::stats::spinlocks(),
            cpu_ns: user_ns + system_ns,
            operations: lanes.iter().map(|lane| lane.0.load(Ordering::Relaxed)).sum(),
            at_ns: os::clock::now(),
        }
    }

    fn until(&self, after: &Moment, reads_percent: u64) -> Counted {
        let seconds = (after.at_ns - self.at_ns) as f64 / 1e9;
        let operations = after.operations - self.operations;
        // Whole cycles of 100 are counted, and each has so many.
        let reads = operations / 100 * reads_percent;
        let cpu_s = (after.cpu_ns - self.cpu_ns) as f64 / 1e9;
        let waited = |(wait_type, ns): &(WaitType, u64)| {
            let before = self.waits_ns.iter().find(|(known, _)| known == wait_type).map_or(0, |(_, ns)| *ns);
            (wait_type.name().to_string(), (ns - before) as f64 / 1e6)
        };
        let spun = |now: &os::stats::SpinCounts| {
            let before = self.spinlocks.iter().find(|known| known.name == now.name);
            let before = before.map_or((0, 0), |known| (known.collisions, known.spins));
            (now.name.to_string(), (now.collisions - before.0) as f64, (now.spins - before.1) as f64)
        };
        Counted {
            seconds,
            reads,
            writes: operations - reads,
            cpu_s,
            waits_ms: after.waits_ns.iter().map(waited).filter(|(_, ms)| *ms > 0.0).collect(),
            spinlocks: after.spinlocks.iter().map(spun).filter(|(_, collisions, _)| *collisions > 0.0).collect(),
            ..Counted::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn a_lock_is_read_and_written_as_often_as_was_asked_for() {
        let machine = os::sched::start(MachineConfig { quantum_us: QUANTUM_US, ..MachineConfig::default() });
        for reads_percent in [100, 90, 0] {
            let counted = machine.run(move || {
                let lock = Arc::new(RwLock::new(WaitType::SOS_RW, Guarded::default()));
                let load = LockLoad { workers: 3, reads_percent, warmup_ms: 5, duration_ms: 30 };
                (measure(lock.clone(), &load), *RwLock::read(&lock))
            });
            let (counted, guarded) = counted;
            let operations = counted.reads + counted.writes;
            assert!(operations > 0 && counted.reads * 100 == operations * reads_percent, "{counted:?}");
            assert!(counted.seconds > 0.02 && counted.seconds < 5.0 && counted.cpu_s > 0.0, "{counted:?}");
            // Every write was done whole; those of the warm-up and after the end are not among the counted ones.
            assert!(guarded.iter().all(|word| *word == guarded[0]) && guarded[0] >= counted.writes, "{guarded:?}");
            let waited_for = |what: &str| counted.waits_ms.iter().any(|(name, _)| name == what);
            // Readers alone wait for nobody.
            assert!(reads_percent < 100 || !waited_for("SOS_RW"), "{counted:?}");
            assert!(!waited_for("SLEEP_TASK"), "{counted:?}");
        }
        machine.stop();
    }

    #[test]
    fn loops_as_they_are_written() {
        let line = "rwlock --lock biased --reads 90 --workers 8 --duration 400 --warmup 100";
        assert_eq!(Bench::parse(&words(line)).expect("a loop").takes_ms(), 500);
        for (from, to) in [("rwlock", "rwlok"), ("biased", "fair"), ("90", "101"), ("--workers 8", "--workers 0")] {
            assert!(Bench::parse(&words(&line.replace(from, to))).is_err(), "{to}");
        }
    }
}
