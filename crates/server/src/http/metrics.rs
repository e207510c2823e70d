//! `/metrics`: the numbers of the DMVs in the text format of Prometheus, version 0.0.4. Each has one source, the DMV's own rows;
//! here is only how a column is named.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use os::wait::WaitType;
use types::SqlResult;

use crate::instance::server::{Event, Server};
use crate::settings::options::{Kernel, Workers};
use crate::system;
use crate::system::performance::PER_SECOND;
use crate::system::tables::archive_rows::lag_seconds;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Only grows.
    Counter,
    Gauge,
}
use Kind::{Counter, Gauge};

/// What a column counts in; the metric has Prometheus' base units.
#[derive(Clone, Copy)]
enum Unit {
    One,
    Milliseconds,
    Kilobytes,
}
use Unit::{Kilobytes, Milliseconds, One};

impl Unit {
    fn value(self, count: i64) -> f64 {
        match self {
            One => count as f64,
            Milliseconds => count as f64 / 1e3,
            Kilobytes => count as f64 * 1024.0,
        }
    }
}

/// A DMV whose rows are told apart by some columns and count in others.
struct Source {
    table: &'static str,
    /// Column, label.
    labels: &'static [(&'static str, &'static str)],
    /// Column, unit, kind, metric without its prefix, help.
    values: &'static [(&'static str, Unit, Kind, &'static str, &'static str)],
    /// Whether a row is not told, by the first label's value.
    leaves_out: fn(&str) -> bool,
}

fn nothing(_: &str) -> bool {
    false
}

/// What means an idle duty, reports leave out.
fn idle_waits(name: &str) -> bool {
    WaitType::ALL.iter().any(|wait| wait.name() == name && wait.is_idle())
}

const SOURCES: &[Source] = &[
    Source {
        table: "dm_os_schedulers",
        labels: &[("scheduler_id", "scheduler"), ("cpu_id", "cpu")],
        values: &[
            ("total_cpu_usage_ms", Milliseconds, Counter, "scheduler_cpu_seconds_total", "Time that its workers ran"),
            (
                "total_scheduler_delay_ms",
                Milliseconds,
                Counter,
                "scheduler_delay_seconds_total",
                "Time until the next worker ran",
            ),
            (
                "context_switches_count",
                One,
                Counter,
                "scheduler_context_switches_total",
                "Switches from worker to worker",
            ),
            ("yield_count", One, Counter, "scheduler_yields_total", "Turns given away"),
            (
                "runnable_tasks_count",
                One,
                Gauge,
                "scheduler_runnable_tasks",
                "Tasks that could run and wait for their turn",
            ),
            ("current_tasks_count", One, Gauge, "scheduler_tasks", "Tasks that it has"),
            ("work_queue_count", One, Gauge, "scheduler_queued_tasks", "Tasks that wait for a worker"),
            ("current_workers_count", One, Gauge, "scheduler_workers", "Workers that it has"),
            ("pending_disk_io_count", One, Gauge, "scheduler_pending_disk_ios", "Reads and writes under way"),
        ],
        leaves_out: nothing,
    },
    Source {
        table: "dm_os_wait_stats",
        labels: &[("wait_type", "wait_type")],
        values: &[
            ("waiting_tasks_count", One, Counter, "waits_total", "Waits of a type that have ended"),
            (
                "wait_time_ms",
                Milliseconds,
                Counter,
                "wait_seconds_total",
                "Time waited, with the time until the worker ran again",
            ),
            (
                "signal_wait_time_ms",
                Milliseconds,
                Counter,
                "wait_signal_seconds_total",
                "Time from the wait's end until the worker ran",
            ),
        ],
        leaves_out: idle_waits,
    },
    Source {
        table: "dm_os_spinlock_stats",
        labels: &[("name", "spinlock")],
        values: &[
            ("collisions", One, Counter, "spinlock_collisions_total", "Times that a spinlock was taken already"),
            ("spins", One, Counter, "spinlock_spins_total", "Rounds that were spun for it"),
            ("backoffs", One, Counter, "spinlock_backoffs_total", "Times that a spinner gave way"),
            ("sleep_time", Milliseconds, Counter, "spinlock_sleep_seconds_total", "Time that spinners slept"),
        ],
        leaves_out: nothing,
    },
    Source {
        table: "dm_os_latch_stats",
        labels: &[("latch_class", "class")],
        values: &[
            ("waiting_requests_count", One, Counter, "latch_waits_total", "Waits for latches of a class"),
            ("wait_time_ms", Milliseconds, Counter, "latch_wait_seconds_total", "Time waited for them"),
        ],
        leaves_out: nothing,
    },
    Source {
        table: "dm_os_memory_clerks",
        labels: &[("type", "clerk"), ("name", "name")],
        values: &[("pages_kb", Kilobytes, Gauge, "memory_clerk_bytes", "Memory that a clerk has given out")],
        leaves_out: nothing,
    },
];

/// All of them.
pub fn text(server: &Arc<Server>) -> SqlResult<String> {
    let mut families = Families::default();
    families.add("info", Gauge, "What runs, in its labels", &about(server), 1.0);
    let uptime_ms = os::clock::now_ms().saturating_sub(server.started_ms);
    families.add("uptime_seconds", Gauge, "Time since the server started", &[], uptime_ms as f64 / 1e3);
    for cpu in os::cpus::usage() {
        let modes =
            [("user", cpu.user_ms), ("system", cpu.kernel_ms), ("idle", cpu.idle_ms), ("stolen", cpu.stolen_ms)];
        for (mode, ms) in modes {
            let labels = [("cpu", &*cpu.cpu.to_string()), ("mode", mode)];
            let help = "Time of a logical CPU, whoever used it";
            families.add("cpu_seconds_total", Counter, help, &labels, ms as f64 / 1e3);
        }
    }
    let failed = server.events.total(Event::FailedLogin) as f64;
    families.add("failed_logins_total", Counter, "Logins that were refused", &[], failed);
    add_space(server, &mut families);
    add_performance_counters(server, &mut families)?;
    for source in SOURCES {
        add_rows(server, source, &mut families)?;
    }
    Ok(families.text())
}

fn about(server: &Server) -> [(&'static str, &str); 4] {
    let kernel = if server.settings.kernel == Kernel::Process { "process" } else { "threaded" };
    let workers = if server.settings.workers == Workers::Fiber { "fiber" } else { "thread" };
    let name = &server.catalog.server_name;
    [("version", env!("CARGO_PKG_VERSION")), ("server", name), ("kernel", kernel), ("workers", workers)]
}

/// Bytes of files, and what is left for them; states of databases by the numbers of sys.databases.
fn add_space(server: &Arc<Server>, families: &mut Families) {
    let storage = &server.catalog.storage;
    let log = storage.log_space();
    families.add("log_bytes", Gauge, "Size of the log's files", &[], log.total as f64);
    families.add("log_used_bytes", Gauge, "Log from the oldest record that is wanted on", &[], log.used as f64);
    if let Ok(free) = storage.disk().free_bytes() {
        families.add("disk_free_bytes", Gauge, "Free space where the data are", &[], free as f64);
    }
    add_archive(server, families);
    let ago = storage.checkpoint_ago_ms().unwrap_or(0);
    families.add("checkpoint_age_seconds", Gauge, "Time since the last checkpoint began", &[], ago as f64 / 1e3);
    for db in server.catalog.databases() {
        let name = db.name();
        let labels = [("database", name.as_str())];
        let held = storage.hold_of(db.storage_id());
        let help = "Whether the database can be used";
        let is_online = held.is_none() && !db.is_restoring();
        families.add("database_online", Gauge, help, &labels, f64::from(u8::from(is_online)));
        // Nothing of one that cannot be read.
        if let Ok(space) = storage.space(db.storage_id()) {
            let pages = |pages: u64| (pages * 8_192) as f64;
            families.add("database_bytes", Gauge, "Size of a database's file", &labels, pages(space.pages));
            families.add("database_used_bytes", Gauge, "Of that, pages in use", &labels, pages(space.used));
        }
    }
}

/// How far the archive is behind, where there is one.
fn add_archive(server: &Server, families: &mut Families) {
    if server.archive.is_none() {
        return;
    }
    let storage = &server.catalog.storage;
    let archived = storage.archived();
    let behind = storage.hardened().saturating_sub(archived.lsn.load(Ordering::SeqCst));
    families.add("archive_lag_bytes", Gauge, "Log that the archive has not got", &[], behind as f64);
    if let Some(seconds) = lag_seconds(archived) {
        let help = "Time since the archive had all that was committed";
        families.add("archive_lag_seconds", Gauge, help, &[], seconds as f64);
    }
    let ships = f64::from(u8::from(archived.state() == storage::ArchiveState::Ships));
    families.add("archive_ships", Gauge, "Whether the archive takes the log", &[], ships);
    let failures = archived.failures.load(Ordering::Relaxed) as f64;
    families.add("archive_failures_total", Counter, "Tries that the archive did not take", &[], failures);
    let gaps = archived.gaps.load(Ordering::Relaxed) as f64;
    families.add("archive_gaps_total", Counter, "Times that log was given back before it was archived", &[], gaps);
}

fn add_rows(server: &Arc<Server>, source: &Source, families: &mut Families) -> SqlResult<()> {
    let columns: Vec<&str> =
        source.labels.iter().map(|label| label.0).chain(source.values.iter().map(|value| value.0)).collect();
    for row in system::read(server, source.table, &columns)? {
        let (names, counts) = row.split_at(source.labels.len());
        let texts: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        if (source.leaves_out)(&texts[0]) {
            continue;
        }
        let labels: Vec<(&str, &str)> =
            source.labels.iter().zip(&texts).map(|((_, label), text)| (*label, text.as_str())).collect();
        for ((_, unit, kind, name, help), count) in source.values.iter().zip(counts) {
            families.add(name, *kind, help, &labels, unit.value(count.number()));
        }
    }
    Ok(())
}

/// Instances that are all there is, and so no label.
const WHOLE: [&str; 2] = ["", "_Total"];

/// `sys.dm_os_performance_counters`, each under its own name.
fn add_performance_counters(server: &Arc<Server>, families: &mut Families) -> SqlResult<()> {
    const COLUMNS: [&str; 5] = ["object_name", "counter_name", "instance_name", "cntr_value", "cntr_type"];
    for row in system::read(server, "dm_os_performance_counters", &COLUMNS)? {
        let [object, counter, instance, value, kind] = &row[..] else { unreachable!("as many as were asked for") };
        let (object, counter, instance) = (object.to_string(), counter.to_string(), instance.to_string());
        let kind = if kind.number() == PER_SECOND { Counter } else { Gauge };
        let (name, unit) = metric_name(&object, &counter, kind);
        let labels = [("instance", instance.as_str())];
        let whole = WHOLE.contains(&instance.as_str()) || instance == server.settings.instance;
        let labels = if whole { &[][..] } else { &labels };
        let help = format!("Performance counter {object}: {counter}");
        families.add(&name, kind, &help, labels, unit.value(value.number()));
    }
    Ok(())
}

/// `SQLServer:Locks`, `Lock Wait Time (ms)` -> `locks_lock_wait_time_seconds_total`.
fn metric_name(object: &str, counter: &str, kind: Kind) -> (String, Unit) {
    let object = object.split_once(':').map_or(object, |(_, object)| object);
    let object = object.strip_prefix("SQL Server 2022 ").unwrap_or(object);
    let counter = counter.replacen("/sec", "", 1);
    let (counter, unit, suffix) = match (counter.strip_suffix(" (ms)"), counter.strip_suffix(" (KB)")) {
        (Some(counter), _) => (counter, Milliseconds, " seconds"),
        (_, Some(counter)) => (counter, Kilobytes, " bytes"),
        _ => (counter.as_str(), One, ""),
    };
    let total = if kind == Counter { " total" } else { "" };
    let words = format!("{object} {counter}{suffix}{total}").to_ascii_lowercase();
    let words: Vec<&str> = words.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    (words.join("_"), unit)
}

/// What is to be told, by metric: lines of one must not lie apart.
#[derive(Default)]
struct Families(BTreeMap<String, String>);

impl Families {
    /// `name` without its prefix.
    fn add(&mut self, name: &str, kind: Kind, help: &str, labels: &[(&str, &str)], value: f64) {
        let name = format!("heddle_{name}");
        let kind = if kind == Counter { "counter" } else { "gauge" };
        let lines = self.0.entry(name.clone()).or_insert_with_key(|name| {
            let help = help.replace('\\', "\\\\").replace('\n', "\\n");
            format!("# HELP {name} {help}\n# TYPE {name} {kind}\n")
        });
        let labels: Vec<String> = labels.iter().map(|(label, text)| format!("{label}=\"{}\"", escaped(text))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        writeln!(lines, "{name}{labels} {value}").expect("a String takes all");
    }

    fn text(self) -> String {
        self.0.into_values().collect()
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn performance_counters_keep_their_names() {
        let name = |object, counter, kind| metric_name(object, counter, kind).0;
        assert_eq!(
            name("SQLServer:SQL Statistics", "Batch Requests/sec", Counter),
            "sql_statistics_batch_requests_total"
        );
        assert_eq!(name("SQLServer:Locks", "Lock Wait Time (ms)", Counter), "locks_lock_wait_time_seconds_total");
        assert_eq!(
            name("SQL Server 2022 XTP Garbage Collection", "Rows processed/sec (no sweep needed)", Counter),
            "xtp_garbage_collection_rows_processed_no_sweep_needed_total"
        );
        let (name, unit) = metric_name("SQLServer:Transactions", "Version Store Size (KB)", Gauge);
        assert_eq!((name.as_str(), unit.value(3)), ("transactions_version_store_size_bytes", 3072.0));
    }

    #[test]
    fn what_a_label_says_cannot_end_it() {
        let mut families = Families::default();
        families.add("b", Gauge, "a \\ and\nmore", &[("a", "x"), ("b", "\"\\\n")], 0.5);
        families.add("a_total", Counter, "one", &[], 1e6);
        families.add("b", Gauge, "again", &[], 2.0);
        let expected = "# HELP heddle_a_total one\n# TYPE heddle_a_total counter\nheddle_a_total 1000000\n\
            # HELP heddle_b a \\\\ and\\nmore\n# TYPE heddle_b gauge\nheddle_b{a=\"x\",b=\"\\\"\\\\\\n\"} 0.5\nheddle_b 2\n";
        assert_eq!(families.text(), expected);
    }
}
