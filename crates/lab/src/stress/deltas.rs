//! What the server counted while the load ran: its wait, latch, spinlock and performance counters, before and after.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use types::Datum;

use crate::client::{Connection, Target};

const LOGIN_MS: u64 = 30_000;
const QUESTION_MS: u64 = 30_000;
/// Of each kind, in the text; JSON has all.
const SHOWN: usize = 8;

/// Each row: its name, then numbers that only grow.
const WAITS: &str =
    "SELECT wait_type, waiting_tasks_count, wait_time_ms, signal_wait_time_ms FROM sys.dm_os_wait_stats";
const LATCHES: &str = "SELECT latch_class, waiting_requests_count, wait_time_ms FROM sys.dm_os_latch_stats";
const SPINLOCKS: &str = "SELECT name, collisions, spins, backoffs FROM sys.dm_os_spinlock_stats";
/// Those that count events: PERF_COUNTER_BULK_COUNT.
const COUNTERS: &str = "SELECT RTRIM(object_name) + ':' + RTRIM(counter_name) + CASE WHEN instance_name = '' THEN '' ELSE '(' + RTRIM(instance_name) + ')' END, cntr_value
    FROM sys.dm_os_performance_counters WHERE cntr_type = 272696576";
const SCHEDULERS: &str = "SELECT N'context switches', SUM(CONVERT(bigint, context_switches_count)) FROM sys.dm_os_schedulers WHERE status = 'VISIBLE ONLINE'
    UNION ALL SELECT N'yields', SUM(CONVERT(bigint, yield_count)) FROM sys.dm_os_schedulers WHERE status = 'VISIBLE ONLINE'";

/// What waits for work and not for anybody: it says nothing of a load.
const IDLE: [&str; 27] = [
    "BROKER_EVENTHANDLER",
    "BROKER_TASK_STOP",
    "BROKER_TO_FLUSH",
    "CHECKPOINT_QUEUE",
    "CLR_AUTO_EVENT",
    "DIRTY_PAGE_POLL",
    "DISPATCHER_QUEUE_SEMAPHORE",
    "FT_IFTS_SCHEDULER_IDLE_WAIT",
    "HADR_FILESTREAM_IOMGR_IOCOMPLETION",
    "LAZYWRITER_SLEEP",
    "LOGMGR_QUEUE",
    "NETWORK_ACCEPT",
    "NETWORK_READ",
    "ONDEMAND_TASK_QUEUE",
    "QDS_ASYNC_QUEUE",
    "QDS_PERSIST_TASK_MAIN_LOOP_SLEEP",
    "REQUEST_FOR_DEADLOCK_SEARCH",
    "SLEEP_TASK",
    "SOS_WORK_DISPATCHER",
    "SP_SERVER_DIAGNOSTICS_SLEEP",
    "SQLTRACE_INCREMENTAL_FLUSH_SLEEP",
    "VERSION_STORE_CLEANER",
    "WAIT_XTP_HOST_WAIT",
    "WAIT_XTP_OFFLINE_CKPT_NEW_LOG",
    "XE_DISPATCHER_WAIT",
    "XE_LIVE_TARGET_TVF",
    "XE_TIMER_EVENT",
];

type Rows = BTreeMap<String, Vec<f64>>;

/// The counters at one moment.
#[derive(Default)]
pub struct Snapshot {
    at: u64,
    waits: Rows,
    latches: Rows,
    spinlocks: Rows,
    counters: Rows,
    schedulers: Rows,
}

/// One counter's growth. `numbers`: as the columns of its view, in their order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Growth {
    pub name: String,
    pub numbers: Vec<f64>,
}

/// What grew between two moments, most first.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Deltas {
    pub seconds: f64,
    /// Tasks that waited, ms, and of these ms in the runnable queue.
    pub waits: Vec<Growth>,
    /// Requests that waited, ms.
    pub latches: Vec<Growth>,
    /// Collisions, spins, backoffs.
    pub spinlocks: Vec<Growth>,
    /// Events.
    pub counters: Vec<Growth>,
    pub schedulers: Vec<Growth>,
}

impl Snapshot {
    /// Asks by a connection of its own. Err: why the server does not say.
    pub fn take(target: &Target) -> Result<Snapshot, String> {
        let opened = Connection::open(target, Some(os::clock::after_ms(LOGIN_MS)));
        let mut connection = opened.map_err(|error| error.to_string())?;
        let mut ask = |question| rows(&mut connection, question);
        Ok(Snapshot {
            waits: ask(WAITS)?,
            latches: ask(LATCHES)?,
            spinlocks: ask(SPINLOCKS)?,
            counters: ask(COUNTERS)?,
            schedulers: ask(SCHEDULERS)?,
            at: os::clock::now(),
        })
    }

    pub fn growth_to(&self, after: &Snapshot) -> Deltas {
        let is_of_load = |growth: &Growth| !IDLE.contains(&growth.name.as_str());
        Deltas {
            seconds: (after.at - self.at) as f64 / 1e9,
            waits: grown(&self.waits, &after.waits, 1).into_iter().filter(is_of_load).collect(),
            latches: grown(&self.latches, &after.latches, 1),
            spinlocks: grown(&self.spinlocks, &after.spinlocks, 1),
            counters: grown(&self.counters, &after.counters, 0),
            schedulers: grown(&self.schedulers, &after.schedulers, 0),
        }
    }
}

fn rows(connection: &mut Connection, question: &str) -> Result<Rows, String> {
    let answer =
        connection.query(question, Some(os::clock::after_ms(QUESTION_MS))).map_err(|error| error.to_string())?;
    if let Some(error) = answer.first_error() {
        return Err(error.text.clone());
    }
    let mut found = Rows::new();
    for row in answer.sets.into_iter().flat_map(|set| set.rows) {
        let mut values = row.into_iter();
        let Some(Datum::Bytes(name)) = values.next() else { continue };
        let numbers: Vec<f64> = values
            .map(|value| match value {
                Datum::I64(number) => number as f64,
                Datum::F64(number) => number,
                _ => 0.0,
            })
            .collect();
        let name = tds::wire::utf16_to_string(&name);
        // Names may come more than once: latch classes, instances of counters.
        let sums = found.entry(name).or_insert_with(|| vec![0.0; numbers.len()]);
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
    Ok(found)
}

/// By the number at `most`, the largest first.
fn grown(before: &Rows, after: &Rows, most: usize) -> Vec<Growth> {
    let since = |name: &String, at: usize| before.get(name).and_then(|numbers| numbers.get(at)).copied().unwrap_or(0.0);
    let mut grown: Vec<Growth> = after
        .iter()
        .map(|(name, numbers)| {
            let numbers = numbers.iter().enumerate().map(|(at, number)| number - since(name, at)).collect();
            Growth { name: name.clone(), numbers }
        })
        .filter(|growth| growth.numbers.iter().any(|number| *number > 0.0))
        .collect();
    grown.sort_by(|one, other| other.numbers[most].total_cmp(&one.numbers[most]));
    grown
}

impl Deltas {
    /// `server`: whose they are.
    pub fn show(&self, f: &mut fmt::Formatter<'_>, server: &str) -> fmt::Result {
        let per_second = |count: f64| count / self.seconds.max(1e-9);
        writeln!(f, "\n{server} meanwhile ({:.1} s)", self.seconds)?;
        for Growth { name, numbers } in &self.schedulers {
            writeln!(f, "  {name:<44} {:>12.0} /s", per_second(numbers[0]))?;
        }
        for Growth { name, numbers } in self.counters.iter().take(SHOWN) {
            writeln!(f, "  {name:<44} {:>12.0} /s", per_second(numbers[0]))?;
        }
        if !self.waits.is_empty() {
            writeln!(f, "  {:<44} {:>12} {:>12} {:>12}", "waits", "tasks", "ms", "signal ms")?;
        }
        for Growth { name, numbers } in self.waits.iter().take(SHOWN) {
            writeln!(f, "  {name:<44} {:>12.0} {:>12.0} {:>12.0}", numbers[0], numbers[1], numbers[2])?;
        }
        if !self.latches.is_empty() {
            writeln!(f, "  {:<44} {:>12} {:>12}", "latches", "requests", "ms")?;
        }
        for Growth { name, numbers } in self.latches.iter().take(SHOWN) {
            writeln!(f, "  {name:<44} {:>12.0} {:>12.0}", numbers[0], numbers[1])?;
        }
        if !self.spinlocks.is_empty() {
            writeln!(f, "  {:<44} {:>12} {:>12} {:>12}", "spinlocks", "collisions", "spins", "backoffs")?;
        }
        for Growth { name, numbers } in self.spinlocks.iter().take(SHOWN) {
            writeln!(f, "  {name:<44} {:>12.0} {:>12.0} {:>12.0}", numbers[0], numbers[1], numbers[2])?;
        }
        Ok(())
    }
}
