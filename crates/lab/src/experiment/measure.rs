//! The figures of a run: those that every run has, and where they come from.

use std::collections::BTreeMap;

use os::cpus::CpuUse;

use super::bench::Counted;
use super::definition::{Definition, Figure, Measure, Per};
use super::results::Skipped;
use super::server::Usage;
use super::statistics::jain;
use crate::stress::deltas::{Deltas, Growth};
use crate::stress::report::{Summary, percentile_ms};

/// A figure that needs no definition.
#[derive(Debug)]
pub struct BuiltIn {
    pub name: &'static str,
    pub unit: &'static str,
    pub says: &'static str,
}

const fn known(name: &'static str, unit: &'static str, says: &'static str) -> BuiltIn {
    BuiltIn { name, unit, says }
}

pub const BUILT_IN: [BuiltIn; 37] = [
    known("requests_per_second", "requests/s", "answers that came while it was measured"),
    known("iterations_per_second", "iterations/s", "iterations of all connections that ended"),
    known("rows_per_second", "rows/s", "rows that the client read"),
    known(
        "retries_per_1000",
        "retries",
        "requests sent again after an error that may pass, as a deadlock's victim's, of 1,000 requests",
    ),
    known("seconds", "s", "from the first iteration to the end of the last"),
    known("mean_ms", "ms", "mean time of an iteration, as the client saw it"),
    known("p50_ms", "ms", "half of the iterations were faster"),
    known("p95_ms", "ms", "95 of 100 iterations were faster"),
    known("p99_ms", "ms", "99 of 100 iterations were faster"),
    known("max_ms", "ms", "the slowest iteration"),
    known("most_by_fewest", "ratio", "iterations of the connection with the most, by those of the one with the fewest"),
    known("jain", "index", "Jain's index of the connections' iterations: 1 where all have the same"),
    known("client_cpu_percent", "%", "how busy the load generator's own threads were"),
    known("client_cpu_us_per_iteration", "µs", "CPU time of the load generator, user and system"),
    known("link_cpus", "CPUs", "CPUs' worth of time of the proxy that makes a link"),
    known("cpus_busy_percent", "%", "how busy the CPUs were that may be used, whoever used them: the mean of all"),
    known("stolen_percent", "%", "of the CPUs, what a virtual machine's host gave to others meanwhile"),
    known(
        "others_cpus",
        "CPUs",
        "CPUs' worth of time that programs used which are neither the server nor the laboratory",
    ),
    known("start_ms", "ms", "from the start of the server's process to the line that says it is ready"),
    known("server_cpu_us_per_request", "µs", "CPU time of the server's processes, user and system"),
    known("server_cpu_us_per_iteration", "µs", "CPU time of the server's processes, user and system"),
    known("server_cpus", "CPUs", "CPUs' worth of time that the server used"),
    known(
        "os_switches_per_request",
        "switches",
        "times that the system took a CPU from a thread of the server, or the thread gave it up",
    ),
    known("memory_start_mb", "MB", "resident memory of the server before the load"),
    known("memory_peak_mb", "MB", "the most resident memory that the server had"),
    known("memory_kb_per_connection", "KB", "resident memory that came with the load, by connection"),
    known(
        "own_switches_per_request",
        "switches",
        "times that a scheduler of the server went from one worker to another (sys.dm_os_schedulers)",
    ),
    known("wait_us_per_request", "µs", "time of waits that are not idleness (sys.dm_os_wait_stats)"),
    known("signal_wait_us_per_request", "µs", "of the waits, the time after their end and before the worker ran"),
    known(
        "spinlock_collisions_per_1000",
        "collisions",
        "spinlocks found taken, of 1,000 requests (sys.dm_os_spinlock_stats)",
    ),
    known("spins_per_request", "spins", "turns of loops that waited for spinlocks"),
    known("backoffs_per_1000", "backoffs", "times a loop gave its CPU up for a taken spinlock, of 1,000 requests"),
    known("wait_ms_per_second", "ms/s", "time of waits that are not idleness, of all tasks together in a second"),
    known("spinlock_collisions_per_second", "collisions/s", "spinlocks found taken"),
    known("million_reads_per_second", "million reads/s", "times that a lock was taken to read, of all workers"),
    known("million_operations_per_second", "million operations/s", "times that a lock was taken, of all workers"),
    known("cpu_ns_per_operation", "ns", "CPU time of the process, user and system, for a lock taken and freed"),
];

pub fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|known| known.name == name)
}

/// What was seen at one end of what is measured.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// Of the server's processes, if it was started here.
    pub usage: Option<Usage>,
    /// Whoever used them.
    pub cpus: Vec<CpuUse>,
    /// CPU time of the link's proxy, if there is one.
    pub link_cpu_s: Option<f64>,
    /// By the definition's measures.
    pub counters: BTreeMap<String, f64>,
    /// Measures that the server refused to tell.
    pub left_out: Vec<Skipped>,
}

/// All that there is of one run.
pub struct Raw<'r> {
    /// Its CPU time is the load generator's alone: without the link's.
    pub summary: &'r Summary,
    pub before: &'r Reading,
    pub after: &'r Reading,
    pub start_ms: Option<f64>,
    /// Resident memory of the server before its clients came: `before` is read when all of them are there.
    pub idle_bytes: Option<u64>,
    pub factors: &'r BTreeMap<String, (f64, f64)>,
}

/// CPU time of a link's proxy between two readings. None: there is none.
pub fn link_cpu_s(before: &Reading, after: &Reading) -> Option<f64> {
    Some(after.link_cpu_s? - before.link_cpu_s?)
}

/// What the CPUs did between two readings; one that came or went meanwhile is left out.
pub fn cpus_since(before: &[CpuUse], after: &[CpuUse]) -> Vec<CpuUse> {
    let of = |now: &CpuUse| Some(now.since(*before.iter().find(|then| then.cpu == now.cpu)?));
    after.iter().filter_map(of).collect()
}

/// Of 100, how much of their time the CPUs worked. Not finite: no time has passed.
pub fn busy_percent(cpus: &[CpuUse]) -> f64 {
    percent_of(cpus, CpuUse::busy_ms)
}

/// Of 100, how much of their time a virtual machine's host gave to others. Not finite: as above.
pub fn stolen_percent(cpus: &[CpuUse]) -> f64 {
    percent_of(cpus, |cpu| cpu.stolen_ms)
}

/// Seconds that the CPUs worked, all together.
pub fn busy_s(cpus: &[CpuUse]) -> f64 {
    cpus.iter().map(|cpu| cpu.busy_ms()).sum::<u64>() as f64 / 1e3
}

fn percent_of(cpus: &[CpuUse], part_ms: impl Fn(CpuUse) -> u64) -> f64 {
    let sum_ms = |of: &dyn Fn(CpuUse) -> u64| cpus.iter().map(|cpu| of(*cpu)).sum::<u64>() as f64;
    100.0 * sum_ms(&part_ms) / sum_ms(&CpuUse::all_ms)
}

/// The figures by name. What could not be measured is not among them.
pub fn values(definition: &Definition, raw: &Raw<'_>) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    of_client(raw, &mut found);
    of_process(raw, &mut found);
    if let Some(deltas) = raw.summary.deltas() {
        of_views(deltas, raw.summary, &mut found);
    }
    of_definition(definition, raw.factors, &mut found, |own| measured(raw, own));
    finish(found)
}

/// Those of a run without a server.
pub fn values_of_bench(
    definition: &Definition,
    factors: &BTreeMap<String, (f64, f64)>,
    counted: &Counted,
) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    let mut put = |name: &str, value: f64| found.insert(name.into(), value);
    let operations = (counted.reads + counted.writes) as f64;
    put("seconds", counted.seconds);
    put("stolen_percent", counted.stolen_percent);
    put("others_cpus", counted.others_cpus);
    put("million_reads_per_second", counted.reads as f64 / counted.seconds / 1e6);
    put("million_operations_per_second", operations / counted.seconds / 1e6);
    put("cpu_ns_per_operation", counted.cpu_s * 1e9 / operations);
    put("wait_ms_per_second", counted.waits_ms.iter().map(|(_, ms)| ms).sum::<f64>() / counted.seconds);
    let collisions: f64 = counted.spinlocks.iter().map(|(_, collisions, _)| collisions).sum();
    put("spinlock_collisions_per_second", collisions / counted.seconds);
    of_definition(definition, factors, &mut found, |_| None);
    finish(found)
}

fn finish(mut found: Found) -> Found {
    found.retain(|_, value| value.is_finite());
    // A sum of nothing is -0, which would be shown so.
    found.values_mut().for_each(|value| *value += 0.0);
    found
}

type Found = BTreeMap<String, f64>;

fn of_client(raw: &Raw<'_>, found: &mut Found) {
    let summary = raw.summary;
    let mut put = |name: &str, value: f64| found.insert(name.into(), value);
    put("requests_per_second", summary.rate(summary.all.counts.requests));
    put("iterations_per_second", summary.rate(summary.all.counts.iterations));
    put("rows_per_second", summary.rate(summary.all.counts.rows));
    put("retries_per_1000", summary.all.counts.retries as f64 * 1e3 / summary.all.counts.requests as f64);
    put("seconds", summary.seconds);
    put("client_cpu_percent", summary.cpu_percent());
    put("client_cpu_us_per_iteration", summary.cpu_s * 1e6 / summary.all.counts.iterations as f64);
    put("link_cpus", link_cpu_s(raw.before, raw.after).unwrap_or(f64::NAN) / summary.seconds);
    let cpus = cpus_since(&raw.before.cpus, &raw.after.cpus);
    put("cpus_busy_percent", busy_percent(&cpus));
    put("stolen_percent", stolen_percent(&cpus));
    if !summary.all.latencies.is_empty() {
        put("mean_ms", summary.all.latencies.mean() / 1e6);
        put("max_ms", summary.all.latencies.max() as f64 / 1e6);
        for (name, percent) in [("p50_ms", 50.0), ("p95_ms", 95.0), ("p99_ms", 99.0)] {
            put(name, percentile_ms(&summary.all.latencies, percent));
        }
    }
    put("most_by_fewest", summary.most as f64 / summary.fewest as f64);
    put("jain", jain(&summary.connection_iterations).unwrap_or(f64::NAN));
    put("start_ms", raw.start_ms.unwrap_or(f64::NAN));
}

fn of_process(raw: &Raw<'_>, found: &mut Found) {
    let (Some(before), Some(after)) = (&raw.before.usage, &raw.after.usage) else { return };
    let summary = raw.summary;
    let cpu_s = after.cpu_s - before.cpu_s;
    let mut put = |name: &str, value: f64| found.insert(name.into(), value);
    put("server_cpu_us_per_request", cpu_s * 1e6 / summary.all.counts.requests as f64);
    put("server_cpu_us_per_iteration", cpu_s * 1e6 / summary.all.counts.iterations as f64);
    put("server_cpus", cpu_s / summary.seconds);
    let cpus = cpus_since(&raw.before.cpus, &raw.after.cpus);
    let own_s = cpu_s + summary.cpu_s + link_cpu_s(raw.before, raw.after).unwrap_or(0.0);
    put("others_cpus", (busy_s(&cpus) - own_s).max(0.0) / summary.seconds);
    let switches = after.switches.saturating_sub(before.switches);
    put("os_switches_per_request", switches as f64 / summary.all.counts.requests as f64);
    put("memory_peak_mb", after.peak_bytes as f64 / (1 << 20) as f64);
    if let Some(idle_bytes) = raw.idle_bytes {
        put("memory_start_mb", idle_bytes as f64 / (1 << 20) as f64);
        let grown = after.peak_bytes.saturating_sub(idle_bytes) as f64 / 1024.0;
        put("memory_kb_per_connection", grown / summary.all.counts.connected as f64);
    }
}

fn of_views(deltas: &Deltas, summary: &Summary, found: &mut Found) {
    let sum = |of: &[Growth], at: usize| of.iter().map(|growth| growth.numbers[at]).sum::<f64>();
    let requests = summary.all.counts.requests as f64;
    let switches = deltas.schedulers.iter().filter(|growth| growth.name == "context switches");
    let switches: f64 = switches.map(|growth| growth.numbers[0]).sum();
    let mut put = |name: &str, value: f64| found.insert(name.into(), value);
    put("own_switches_per_request", switches / requests);
    put("wait_us_per_request", sum(&deltas.waits, 1) * 1e3 / requests);
    put("signal_wait_us_per_request", sum(&deltas.waits, 2) * 1e3 / requests);
    put("spinlock_collisions_per_1000", sum(&deltas.spinlocks, 0) * 1e3 / requests);
    put("spins_per_request", sum(&deltas.spinlocks, 1) / requests);
    put("backoffs_per_1000", sum(&deltas.spinlocks, 2) * 1e3 / requests);
    put("wait_ms_per_second", sum(&deltas.waits, 1) / summary.seconds);
    put("spinlock_collisions_per_second", sum(&deltas.spinlocks, 0) / summary.seconds);
}

/// `measured`: what a measure is that is not made of another.
fn of_definition(
    definition: &Definition,
    factors: &BTreeMap<String, (f64, f64)>,
    found: &mut Found,
    measured: impl Fn(&Measure) -> Option<f64>,
) {
    for own in &definition.measure {
        let value = match &own.of {
            Some(of) => {
                let (times, over) = factors.get(&own.name).copied().unwrap_or((1.0, 1.0));
                found.get(of).map(|value| value * times / over)
            }
            None => measured(own),
        };
        if let Some(value) = value {
            found.insert(own.name.clone(), value);
        }
    }
}

/// What a measure is that is not made of another.
fn measured(raw: &Raw<'_>, own: &Measure) -> Option<f64> {
    match (own.figure, own.per) {
        (Some(figure), _) => of_statement(raw.summary, own.statement.as_deref(), figure),
        (None, per) => counter(raw, own, per?),
    }
}

/// None: it was not sent once.
fn of_statement(summary: &Summary, name: Option<&str>, figure: Figure) -> Option<f64> {
    let (_, latencies) = summary.statements.iter().find(|(known, _)| Some(known.as_str()) == name)?;
    match figure {
        Figure::Rate => Some(summary.rate(latencies.len())),
        _ if latencies.is_empty() => None,
        Figure::P50Ms => Some(percentile_ms(latencies, 50.0)),
        Figure::P99Ms => Some(percentile_ms(latencies, 99.0)),
    }
}

fn counter(raw: &Raw<'_>, own: &Measure, per: Per) -> Option<f64> {
    let (before, after) = (raw.before.counters.get(&own.name)?, raw.after.counters.get(&own.name)?);
    Some(match per {
        Per::Level => *after,
        Per::Run => after - before,
        Per::Second => (after - before) / raw.summary.seconds,
        Per::Request => (after - before) / raw.summary.all.counts.requests as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_between_two_readings() {
        let cpu = |cpu, user_ms, idle_ms, stolen_ms| CpuUse { cpu, user_ms, kernel_ms: 0, idle_ms, stolen_ms };
        // CPU 2 came meanwhile, and CPU 5 went.
        let before = [cpu(0, 100, 700, 50), cpu(1, 0, 0, 0), cpu(5, 1, 1, 1)];
        let after = [cpu(0, 200, 750, 100), cpu(1, 0, 200, 0), cpu(2, 9, 9, 9)];
        let grown = cpus_since(&before, &after);
        assert_eq!(grown, [cpu(0, 100, 50, 50), cpu(1, 0, 200, 0)]);
        assert_eq!((busy_percent(&grown), busy_percent(&grown[..1])), (25.0, 50.0));
        assert_eq!(stolen_percent(&grown), 12.5);
        assert!(busy_percent(&cpus_since(&after, &after)).is_nan());
    }
}
