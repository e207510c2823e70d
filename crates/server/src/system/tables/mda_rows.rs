//! Sybase ASE's monitoring tables, in the database ase_mda. An engine is a scheduler: of the one process in the threaded kernel, a
//! process of its own in the process kernel.

use os::sched::Pool;
use os::stats::{self, SchedulerRow, WorkerRow, WorkerState};
use os::threads::{self, ThreadUse};
use types::Datum;

use crate::catalog::clock;
use crate::instance::load::{Highest, STATISTICS};
use crate::session::host::SessionHost;
use crate::system::cell::{Cell, NamedRow, number, text};

const NS_PER_S: u64 = 1_000_000_000;
const MS_PER_S: u64 = 1_000;
/// Of `monThread`: ASE looks at its threads so often.
const TICK_MS: u64 = 100;

/// None: not a table of this family.
pub fn rows(host: &SessionHost, name: &str) -> Option<Vec<NamedRow>> {
    let machine = stats::machine_here().unwrap_or(0);
    Some(match name {
        "monEngine" => engines(host, machine),
        "monThread" => thread_rows(host, machine),
        "monSpinlockActivity" => spinlocks(),
        "monStatementCache" => vec![statement_cache(host)],
        "monSysLoad" => load(host, machine),
        _ => return None,
    })
}

/// The administrator's scheduler is no engine: ASE has none, and its number is too great.
fn schedulers(machine: u32) -> Vec<SchedulerRow> {
    stats::schedulers(machine).into_iter().filter(|row| row.pool != Pool::ADMIN).collect()
}

/// A thread of the operating system that runs workers, which are all fibers of a scheduler, or one.
struct Thread {
    scheduler: u64,
    id: u32,
    tasks: u64,
    is_running: bool,
    used: ThreadUse,
}

fn os_threads(machine: u32) -> Vec<Thread> {
    let mut found: Vec<Thread> = Vec::new();
    let is_running = |worker: &WorkerRow| worker.state == WorkerState::Running;
    for worker in stats::workers(machine).iter().filter(|worker| worker.os_thread_id != 0) {
        match found.iter_mut().find(|thread| thread.id == worker.os_thread_id) {
            Some(thread) => {
                thread.tasks += worker.tasks_processed;
                thread.is_running |= is_running(worker);
            }
            None => found.push(Thread {
                scheduler: worker.scheduler,
                id: worker.os_thread_id,
                tasks: worker.tasks_processed,
                is_running: is_running(worker),
                used: threads::usage(worker.os_thread_id).unwrap_or_default(),
            }),
        }
    }
    found
}

fn engines(host: &SessionHost, machine: u32) -> Vec<NamedRow> {
    let threads = os_threads(machine);
    let up_ns = os::clock::now().saturating_sub(host.server.started_ms * 1_000_000);
    let engine = |row: SchedulerRow| -> NamedRow {
        let own: Vec<&Thread> = threads.iter().filter(|thread| thread.scheduler == row.address).collect();
        let seconds = |of: fn(&ThreadUse) -> u64| own.iter().map(|thread| of(&thread.used)).sum::<u64>() / MS_PER_S;
        vec![
            ("EngineNumber", number(row.scheduler_id)),
            ("InstanceID", number(0)),
            ("CurrentKPID", number(row.active_worker.raw())),
            ("CPUTime", number(row.total_cpu_usage_ns / NS_PER_S)),
            ("SystemCPUTime", number(seconds(|used| used.kernel_ms))),
            ("UserCPUTime", number(seconds(|used| used.user_ms))),
            ("IdleCPUTime", number(up_ns.saturating_sub(row.total_cpu_usage_ns) / NS_PER_S)),
            ("ContextSwitches", number(row.context_switches)),
            ("Connections", number(row.connections)),
            ("Yields", number(row.yields)),
            ("Status", text(if row.is_online { "online" } else { "offline" })),
            ("StartTime", Cell::Datum(Datum::I64(host.server.catalog.started.0))),
            ("AffinitiedToCPU", number(row.cpu_id)),
            ("ThreadID", own.first().map_or(null(), |thread| number(thread.id))),
            ("OSPID", own.first().map_or(null(), |thread| number(thread.used.process))),
        ]
    };
    schedulers(machine).into_iter().map(engine).collect()
}

fn null() -> Cell {
    Cell::Datum(Datum::Null)
}

fn thread_rows(host: &SessionHost, machine: u32) -> Vec<NamedRow> {
    let schedulers = stats::schedulers(machine);
    let row = |thread: Thread| -> NamedRow {
        let scheduler = schedulers.iter().find(|row| row.address == thread.scheduler);
        let pool = scheduler.map_or(Pool::DEFAULT, |row| row.pool);
        let busy = (thread.used.user_ms + thread.used.kernel_ms) / TICK_MS;
        let ticks = thread.used.age_ms / TICK_MS;
        vec![
            ("InstanceID", number(0)),
            ("ThreadPoolID", number(pool.0)),
            ("ThreadPoolName", text(&host.server.pools.name_of(pool))),
            ("State", text(if thread.is_running { "Running" } else { "Sleeping" })),
            ("ThreadID", number(thread.id)),
            ("TaskRuns", number(thread.tasks)),
            ("TotalTicks", number(ticks)),
            ("SleepTicks", number(ticks.saturating_sub(busy))),
            ("BusyTicks", number(busy.min(ticks))),
            ("UserTime", number(thread.used.user_ms)),
            ("SystemTime", number(thread.used.kernel_ms)),
            ("KTID", number(thread.scheduler)),
            ("OSThreadID", number(thread.id)),
            ("ThreadAffinity", scheduler.map_or(null(), |row| number(row.cpu_id))),
            ("MinorFaults", number(thread.used.minor_faults)),
            ("MajorFaults", number(thread.used.major_faults)),
            ("VoluntaryCtxtSwitches", number(thread.used.voluntary_switches)),
            ("NonVoluntaryCtxtSwitches", number(thread.used.involuntary_switches)),
        ]
    };
    os_threads(machine).into_iter().map(row).collect()
}

/// Of a hundred grabs, how many had to wait.
pub fn contention(waits: u64, grabs: u64) -> f64 {
    if grabs == 0 { 0.0 } else { waits as f64 * 100.0 / grabs as f64 }
}

fn spinlocks() -> Vec<NamedRow> {
    let rows = stats::spinlocks().into_iter().map(|row| -> NamedRow {
        vec![
            ("InstanceID", number(0)),
            ("SpinlockName", text(row.name)),
            ("Grabs", number(row.grabs)),
            ("Spins", number(row.spins)),
            ("Waits", number(row.collisions)),
            ("Contention", Cell::Datum(Datum::F64(contention(row.collisions, row.grabs)))),
        ]
    });
    rows.collect()
}

fn statement_cache(host: &SessionHost) -> NamedRow {
    let counts = host.server.plans.statements.counts();
    vec![
        ("InstanceID", number(0)),
        ("TotalSizeKB", number(counts.bytes_max / 1_024)),
        ("UsedSizeKB", number(counts.bytes.div_ceil(1_024))),
        ("NumStatements", number(counts.entries)),
        ("NumSearches", number(counts.found + counts.not_found)),
        ("HitCount", number(counts.found)),
        ("NumInserts", number(counts.cached)),
        ("NumRemovals", number(counts.dropped)),
        ("NumRecompilesSchemaChanges", number(counts.recompiled)),
    ]
}

fn load(host: &SessionHost, machine: u32) -> Vec<NamedRow> {
    let real = |value: f64| Cell::Datum(Datum::F64(f64::from(value as f32)));
    let time = |highest: Highest| highest.at.map_or(null(), |at| Cell::Datum(Datum::I64(clock::local(at).0)));
    let mut rows = Vec::new();
    for scheduler in schedulers(machine) {
        let Some(loads) = host.server.load.of(scheduler.address) else { continue };
        for ((id, name), load) in STATISTICS.into_iter().zip(loads) {
            let [one, five, fifteen] = load.averages;
            let [max_one, max_five, max_fifteen] = load.highest;
            rows.push(vec![
                ("InstanceID", number(0)),
                ("StatisticID", number(id)),
                ("Statistic", text(name)),
                ("EngineNumber", number(scheduler.scheduler_id)),
                ("Sample", real(load.sample)),
                ("SteadyState", real(load.steady)),
                ("Avg_1min", real(one)),
                ("Avg_5min", real(five)),
                ("Avg_15min", real(fifteen)),
                ("Peak", real(load.peak.value)),
                ("Max_1min", real(max_one.value)),
                ("Max_5min", real(max_five.value)),
                ("Max_15min", real(max_fifteen.value)),
                ("Peak_Time", time(load.peak)),
                ("Max_1min_Time", time(max_one)),
                ("Max_5min_Time", time(max_five)),
                ("Max_15min_Time", time(max_fifteen)),
            ]);
        }
    }
    rows
}
