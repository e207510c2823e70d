//! What may change while a machine runs: its CPUs, its pools, its number of workers. By a worker of the machine.

use super::machine::run;
use crate::kernel::machine::{CLOSED, MachineState, OPEN, Pool};
use crate::kernel::scheduler::{self, BY_EXPERIENCE, FOR_EVER, Message, Scheduler};
use crate::kernel::workers;
use crate::sys::atomic::Ordering;
use crate::{engines, limits};
use std::sync::Arc;
use std::thread::JoinHandle;

/// How long the schedulers of a pool look for work before they sleep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdleTimeout {
    /// As the machine was started: for longer where work mostly came soon.
    ByExperience,
    Microseconds(u32),
    /// They never sleep.
    Never,
}

/// Why a change was not made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeError {
    /// The process may not use this CPU.
    NoSuchCpu(u32),
    /// The table of schedulers is full.
    TooMany,
    /// This engine has others beside it, whose tables are of one size.
    ManyEngines,
}

/// Schedulers that a machine may have: enough for all CPUs, and a bound for who makes pools.
const SCHEDULERS_MOST: usize = worker_table_share();

const fn worker_table_share() -> usize {
    crate::worker::SCHEDULERS_MAX / 2
}

fn machine() -> Arc<MachineState> {
    scheduler::here().expect("by a worker").machine.clone()
}

/// Requests that may run at once; 0: as many as SQL Server allows for so many CPUs.
pub fn set_workers_max(workers: u32) {
    let machine = machine();
    let _changes = machine.changes.lock().expect("changes");
    machine.workers_max.store(workers, std::sync::atomic::Ordering::Relaxed);
    machine.divide_workers();
}

/// Requests that may run at once now.
pub fn workers_max() -> u32 {
    scheduler::here().map_or(0, |here| here.machine.workers_allowed())
}

/// The CPUs of each NUMA node, as the machine was told or found them.
pub fn numa_nodes() -> Vec<Vec<u32>> {
    scheduler::here().map_or_else(limits::numa_nodes, |here| here.machine.nodes.clone())
}

/// The default pool runs on these CPUs from now on, a scheduler bound to each; `None`: on all that the process may use, bound as at
/// a start without a mask.
/// Requests that run on others end there; those who wait for a worker there, and all that come, go to the schedulers that are left.
/// Engines keep their schedulers and divide the CPUs: each asks for itself.
pub fn set_affinity(cpus: Option<&[u32]>) -> Result<(), ChangeError> {
    let machine = machine();
    let usable = limits::usable_cpus();
    let wanted = cpus.unwrap_or(&usable);
    assert!(!wanted.is_empty());
    if let Some(missing) = wanted.iter().find(|cpu| !usable.contains(cpu)) {
        return Err(ChangeError::NoSuchCpu(*missing));
    }
    let mut threads = machine.changes.lock().expect("changes");
    if engines::number() != 0 {
        let own = engines::cpu_of(engines::number(), wanted);
        machine.schedulers().iter().for_each(|scheduler| scheduler.slot().cpu.store(own, Ordering::Relaxed));
        bind(&machine, cpus.is_some());
        return Ok(());
    }
    let (mut closing, mut covered) = (Vec::new(), Vec::new());
    for scheduler in of_pool(&machine, Pool::DEFAULT) {
        let cpu = scheduler.slot().cpu.load(Ordering::Relaxed);
        match wanted.contains(&cpu) && !covered.contains(&cpu) {
            true => {
                covered.push(cpu);
                set_open(scheduler, true);
            }
            false => closing.push(scheduler),
        }
    }
    let missing = wanted.iter().filter(|cpu| !covered.contains(cpu)).map(|cpu| (*cpu, Pool::DEFAULT));
    grow(&machine, &mut threads, missing.collect())?;
    closing.into_iter().for_each(|scheduler| set_open(scheduler, false));
    let named = machine.schedulers().iter().filter(|scheduler| scheduler.pool().is_named());
    for (nth, scheduler) in named.enumerate() {
        scheduler.slot().cpu.store(wanted[nth % wanted.len()], Ordering::Relaxed);
    }
    assert!(machine.open(Pool::DEFAULT).next().is_some(), "the default pool keeps a scheduler");
    bind(&machine, cpus.is_some());
    machine.divide_workers();
    Ok(())
}

/// All threads to where their schedulers' CPUs are now.
fn bind(machine: &MachineState, asked: bool) {
    machine.pinned.store(asked || machine.pinned_unasked, std::sync::atomic::Ordering::SeqCst);
    machine.schedulers().iter().for_each(|scheduler| workers::place_threads_again(scheduler));
}

/// The pool has so many schedulers from now on: made, opened again or closed. 0: the pool is gone, its sessions are the default
/// pool's. The default pool keeps one at least.
pub fn set_pool(pool: Pool, schedulers: u32, idle: IdleTimeout) -> Result<(), ChangeError> {
    let machine = machine();
    if engines::number() != 0 {
        return Err(ChangeError::ManyEngines);
    }
    assert!(pool != Pool::ADMIN && pool != Pool::NONE && (schedulers > 0 || pool != Pool::DEFAULT));
    let mut threads = machine.changes.lock().expect("changes");
    // Those of the pool first, open ones before closed ones; then those that belong to no pool any more.
    let mut candidates: Vec<_> = of_pool(&machine, pool).collect();
    candidates.sort_by_key(|scheduler| !scheduler.is_open());
    candidates.extend(of_pool(&machine, Pool::NONE));
    let kept = candidates.len().min(schedulers as usize);
    let cpus: Vec<u32> = machine.open(Pool::DEFAULT).map(|s| s.slot().cpu.load(Ordering::Relaxed)).collect();
    let new = (kept..schedulers as usize).map(|nth| (cpus[nth % cpus.len()], pool));
    grow(&machine, &mut threads, new.collect())?;
    for scheduler in &candidates[..kept] {
        scheduler.slot().pool.store(pool.0, Ordering::Relaxed);
        set_open(scheduler, true);
    }
    for scheduler in candidates[kept..].iter().filter(|scheduler| scheduler.is_open()) {
        set_open(scheduler, false);
        if pool != Pool::DEFAULT {
            scheduler.slot().pool.store(Pool::NONE.0, Ordering::Relaxed);
        }
    }
    assert!(machine.open(pool).count() == schedulers as usize, "the pool has as many schedulers as it was to have");
    let looks = match idle {
        IdleTimeout::ByExperience => BY_EXPERIENCE,
        IdleTimeout::Microseconds(us) => u64::from(us) * 1_000,
        IdleTimeout::Never => FOR_EVER,
    };
    for scheduler in machine.open(pool) {
        scheduler.looks_ns.store(looks, std::sync::atomic::Ordering::Relaxed);
        scheduler.slot().wake();
    }
    machine.schedulers().iter().for_each(|scheduler| workers::place_threads_again(scheduler));
    machine.divide_workers();
    Ok(())
}

fn of_pool(machine: &MachineState, pool: Pool) -> impl Iterator<Item = &'static Scheduler> {
    machine.schedulers().iter().copied().filter(move |scheduler| scheduler.pool() == pool)
}

fn grow(
    machine: &Arc<MachineState>,
    threads: &mut Vec<JoinHandle<()>>,
    wanted: Vec<(u32, Pool)>,
) -> Result<(), ChangeError> {
    if machine.schedulers().len() + wanted.len() > SCHEDULERS_MOST {
        return Err(ChangeError::TooMany);
    }
    if !wanted.is_empty() {
        threads.extend(machine.add(wanted.into_iter()).into_iter().map(run));
    }
    Ok(())
}

/// A closed scheduler hands on who waits for a worker there.
fn set_open(scheduler: &Scheduler, open: bool) {
    scheduler.slot().status.store(if open { OPEN } else { CLOSED }, Ordering::Release);
    if !open {
        scheduler.send(Message::Look);
    }
}
