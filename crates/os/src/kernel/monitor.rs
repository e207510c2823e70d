//! The scheduler monitor: a thread that looks from outside whether schedulers still switch. A worker that passes no yield point holds
//! up everybody on its scheduler, and nobody there could say so.

use super::backtrace;
use super::machine::{MachineState, Pool};
use super::scheduler::{Scheduler, WorkerKind};
use crate::clock;
use crate::cpus;
use crate::sys::atomic::Ordering;
use crate::threads;
use crate::worker::{self, WorkerId};
use std::sync::Arc;

/// A scheduler is looked at so many times before it counts as stuck: a process that was stopped for long and goes on is not.
const LOOKS: u32 = 6;

/// What the monitor reports, and after how long. SQL Server: 60 seconds, in looks of 10.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    pub after_ms: u64,
    pub report: fn(&Trouble),
}

#[derive(Clone, Debug)]
pub enum Trouble {
    /// Error 17883.
    Nonyielding(Nonyielding),
    /// Error 17884: every scheduler has tasks without a worker, and none has ended for so long.
    NoneTaken { seconds: u64, process_percent: u64, idle_percent: u64 },
}

/// A worker that does not yield, while others may be waiting.
#[derive(Clone, Debug)]
pub struct Nonyielding {
    pub scheduler_id: u32,
    pub worker: WorkerId,
    pub session_id: u32,
    pub os_thread: u32,
    /// Of `clock::now`.
    pub worker_created_ns: u64,
    pub thread_kernel_ms: u64,
    pub thread_user_ms: u64,
    /// Of all CPUs: the process's time, and time that nobody used, since it last switched.
    pub process_percent: u64,
    pub idle_percent: u64,
    pub interval_ms: u64,
    /// Innermost first.
    pub stack: Vec<String>,
}

/// What a scheduler looked like, and how often since.
struct Seen {
    switches: u64,
    finished: u64,
    looks: u32,
    since: Load,
    refused_looks: u32,
}

/// CPU time used until a moment, ns.
#[derive(Clone, Copy)]
struct Load {
    at: u64,
    process: u64,
    idle: u64,
}

impl Load {
    fn now() -> Load {
        let (user, kernel) = clock::process_cpu();
        Load { at: clock::now(), process: user + kernel, idle: idle_ns() }
    }

    /// (process, idle) in percent of all CPUs.
    fn percent_since(self, before: Load) -> (u64, u64) {
        let cpus = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
        let all = (self.at - before.at).max(1) * cpus;
        let part = |now: u64, before: u64| (now.saturating_sub(before) * 100 / all).min(100);
        (part(self.process, before.process), part(self.idle, before.idle))
    }
}

/// Looks until the machine stops.
pub fn run(machine: &Arc<MachineState>, watch: Watch) {
    assert!(watch.after_ms > 0, "a scheduler that just switched is not stuck");
    let pause = std::time::Duration::from_millis((watch.after_ms / u64::from(LOOKS)).max(1));
    let mut seen: Vec<Seen> = Vec::new();
    while !machine.stopping.load(Ordering::Relaxed) {
        std::thread::park_timeout(pause);
        let all = machine.schedulers();
        for (index, scheduler) in all.iter().enumerate() {
            if index == seen.len() {
                seen.push(Seen { switches: 0, finished: 0, looks: 0, since: Load::now(), refused_looks: 0 });
            }
            if let Some(trouble) = look(scheduler, &mut seen[index]) {
                (watch.report)(&trouble);
            }
        }
        assert!(seen.len() >= all.len(), "{} of {} schedulers were looked at", seen.len(), all.len());
        let users: Vec<usize> =
            (0..all.len()).filter(|index| all[*index].is_open() && all[*index].pool() != Pool::ADMIN).collect();
        if !users.is_empty() && users.iter().all(|index| seen[*index].refused_looks >= LOOKS) {
            let since = users.iter().map(|index| seen[*index].since.at).min().unwrap_or(0);
            let now = Load::now();
            let seconds = (now.at - since) / 1_000_000_000;
            let (process_percent, idle_percent) = now.percent_since(seen[users[0]].since);
            (watch.report)(&Trouble::NoneTaken { seconds, process_percent, idle_percent });
            users.iter().for_each(|index| seen[*index].refused_looks = 0);
        }
    }
}

fn look(scheduler: &Scheduler, seen: &mut Seen) -> Option<Trouble> {
    let slot = scheduler.slot();
    let counts = [&slot.context_switches, &slot.yields, &slot.idle_switches];
    let switches = counts.iter().map(|count| count.load(Ordering::Relaxed)).sum();
    let finished = slot.tasks_finished.load(Ordering::Relaxed);
    assert!(switches >= seen.switches && finished >= seen.finished, "a scheduler's counts go back");
    let moves = seen.switches != switches || slot.is_idle.load(Ordering::Relaxed) != 0;
    let refused = finished == seen.finished && slot.tasks_pending.load(Ordering::Relaxed) > 0;
    seen.refused_looks = if refused { seen.refused_looks + 1 } else { 0 };
    seen.looks = if moves { 0 } else { seen.looks + 1 };
    if moves && !refused {
        seen.since = Load::now();
    }
    (seen.switches, seen.finished) = (switches, finished);
    if seen.looks < LOOKS {
        return None;
    }
    // Again when it goes on for as long.
    seen.looks = 0;
    Some(Trouble::Nonyielding(nonyielding(scheduler, seen)))
}

fn nonyielding(scheduler: &Scheduler, seen: &Seen) -> Nonyielding {
    let id = WorkerId::from_raw(scheduler.slot().active_worker.load(Ordering::Relaxed));
    let own = id.is_some().then(|| worker::system().slot(id));
    let os_thread = match scheduler.machine.worker_kind {
        WorkerKind::Fiber => scheduler.slot().os_thread.load(Ordering::Relaxed),
        WorkerKind::Thread => own.map_or(0, |own| own.os_thread.load(Ordering::Relaxed)),
    };
    let used = threads::usage(os_thread).unwrap_or_default();
    let now = Load::now();
    let (process_percent, idle_percent) = now.percent_since(seen.since);
    Nonyielding {
        scheduler_id: scheduler.id,
        worker: id,
        session_id: own.map_or(0, |own| own.session_id.load(Ordering::Relaxed)),
        os_thread,
        worker_created_ns: own.map_or(0, |own| own.created_ns.load(Ordering::Relaxed)),
        thread_kernel_ms: used.kernel_ms,
        thread_user_ms: used.user_ms,
        process_percent,
        idle_percent,
        interval_ms: (now.at - seen.since.at) / 1_000_000,
        stack: backtrace::names(&backtrace::of_thread(os_thread)),
    }
}

fn idle_ns() -> u64 {
    cpus::usage().iter().map(|cpu| cpu.idle_ms * 1_000_000).sum()
}
