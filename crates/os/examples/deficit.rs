//! How the CPU of one scheduler is shared out between workers of different habits, first come, first served and large deficit
//! first: `cargo run --profile bench-dev -p os --example deficit`. Ten seconds.
use os::sched::{MachineConfig, Place, Scheduling, TaskKind, WorkerKind, spawn, start};
use os::stats::work_here;
use os::sync::Event;
use os::wait::{self, WaitType};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const SECONDS: u64 = 1;
const QUANTUM_US: u64 = 4_000;

#[derive(Clone, Copy)]
enum Habit {
    /// Stops at the end of its quantum.
    WholeQuanta,
    /// Stops after the twentieth part of one.
    Early,
    /// As `Early`, and then waits for a moment, as the log writer does for its disk.
    EarlyAndWaits,
}

fn main() {
    println!("CPU time of who uses whole quanta, for each of who stops at 1/20 of one (1.0: both the same)\n");
    println!("{:50}{:>10}{:>10}", "", "fifo", "ldf");
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        for (what, others, habit) in [
            ("stops early, beside one of whole quanta", 1, Habit::Early),
            ("stops early, beside four", 4, Habit::Early),
            ("stops early and waits, beside four", 4, Habit::EarlyAndWaits),
        ] {
            let ratio = |scheduling| shares(workers, scheduling, others, habit);
            let (fifo, ldf) = (ratio(Scheduling::Fifo), ratio(Scheduling::LargeDeficitFirst));
            println!("{:50}{fifo:>10.2}{ldf:>10.2}", format!("{workers:?}: {what}"));
        }
    }
}

/// The mean CPU time of `others` workers of whole quanta, as a multiple of that of one with `habit`.
fn shares(workers: WorkerKind, scheduling: Scheduling, others: u32, habit: Habit) -> f64 {
    let cpus = os::limits::usable_cpus();
    let config = MachineConfig { cpus: vec![cpus[0], cpus[cpus.len() - 1]], workers, scheduling, ..Default::default() };
    let machine = start(config);
    machine.run(move || {
        let stop = Arc::new(AtomicBool::new(false));
        let run = |habit| {
            let stop = stop.clone();
            spawn(TaskKind::Request, Place::On(1), move || work(habit, &stop))
        };
        let busy: Vec<_> = (0..others).map(|_| run(Habit::WholeQuanta)).collect();
        let modest = run(habit);
        wait::sleep(WaitType::SLEEP_TASK, SECONDS * 1_000);
        stop.store(true, Ordering::Relaxed);
        let busy: u64 = busy.into_iter().map(|task| task.join().unwrap()).sum();
        busy as f64 / f64::from(others) / modest.join().unwrap() as f64
    })
}

/// Computes until `stop`. Returns its CPU time in ns.
fn work(habit: Habit, stop: &AtomicBool) -> u64 {
    let moment = Event::auto_reset(WaitType::SOS_EVENT);
    let begun = work_here().running_ns(os::clock::now());
    while !stop.load(Ordering::Relaxed) {
        let turn = os::clock::now();
        while os::clock::now() - turn < QUANTUM_US * 1_000 / 20 {
            if matches!(habit, Habit::WholeQuanta) {
                wait::maybe_yield();
            }
        }
        match habit {
            Habit::WholeQuanta => {}
            Habit::Early => wait::yield_if_owed(),
            Habit::EarlyAndWaits => drop(moment.wait(Some(os::clock::now() + 20_000))),
        }
    }
    work_here().running_ns(os::clock::now()) - begun
}
