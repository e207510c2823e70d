//! What a run measured, while it runs and at the end.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hdrhistogram::Histogram;
use os::sync::Mutex;
use os::wait::WaitType;
use tds::token::ServerMessage;

/// Latencies are kept in ns, to three digits, up to ten minutes.
const LATENCY_MAX_NS: u64 = 600_000_000_000;
/// Different errors that are told apart.
const ERROR_KINDS_MAX: usize = 64;

pub fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(100, LATENCY_MAX_NS, 3).expect("the bounds are sensible")
}

/// Counters of one scheduler's connections: they share a thread, so nothing is contended.
pub struct Lane {
    pub latencies: Mutex<Histogram<u64>>,
    pub errors: Mutex<BTreeMap<i64, ErrorKind>>,
}

/// Errors with one number: how many, and the first as an example.
#[derive(Debug, Clone)]
pub struct ErrorKind {
    pub count: u64,
    pub example: String,
}

/// What all tasks share.
pub struct Totals {
    pub lanes: Vec<Lane>,
    pub iterations: AtomicU64,
    pub requests: AtomicU64,
    pub rows: AtomicU64,
    pub errors: AtomicU64,
    /// Requests that were sent again after an error that may pass, and those that were cancelled on purpose.
    pub retries: AtomicU64,
    pub cancelled: AtomicU64,
    /// Connections logged in, and those that are done (failed logins included).
    pub connected: AtomicU64,
    pub finished: AtomicU64,
    pub stop: AtomicBool,
    /// Set while latencies count: after the warm-up.
    pub measuring: AtomicBool,
}

impl Totals {
    pub fn new(lanes: u32) -> Totals {
        let lane = || Lane {
            latencies: Mutex::new(WaitType::SOS_EVENT, histogram()),
            errors: Mutex::new(WaitType::SOS_EVENT, BTreeMap::new()),
        };
        let zero = || AtomicU64::new(0);
        Totals {
            lanes: (0..lanes).map(|_| lane()).collect(),
            iterations: zero(),
            requests: zero(),
            rows: zero(),
            errors: zero(),
            retries: zero(),
            cancelled: zero(),
            connected: zero(),
            finished: zero(),
            stop: AtomicBool::new(false),
            measuring: AtomicBool::new(false),
        }
    }

    pub fn server_error(&self, lane: u32, message: &ServerMessage) {
        self.error(lane, message.number.into(), || tds::client::format_message(message));
    }

    /// `number`: the server's, or a negative one for what happened on this side.
    pub fn error(&self, lane: u32, number: i64, example: impl FnOnce() -> String) {
        self.errors.fetch_add(1, Ordering::Relaxed);
        let mut kinds = self.lanes[lane as usize].errors.lock();
        let is_full = kinds.len() >= ERROR_KINDS_MAX;
        match kinds.get_mut(&number) {
            Some(kind) => kind.count += 1,
            None if is_full => {}
            None => {
                kinds.insert(number, ErrorKind { count: 1, example: example() });
            }
        }
    }
}

/// The end of a run.
#[derive(Debug)]
pub struct Summary {
    pub connections: u32,
    pub connected: u64,
    pub seconds: f64,
    pub iterations: u64,
    pub requests: u64,
    pub rows: u64,
    pub retries: u64,
    pub cancelled: u64,
    pub error_count: u64,
    pub errors: BTreeMap<i64, ErrorKind>,
    pub latencies: Histogram<u64>,
    /// Iterations of the connection with the fewest and of that with the most.
    pub fewest: u64,
    pub most: u64,
    /// CPU seconds that this process used.
    pub cpu_s: f64,
}

const PERCENTILES: [(&str, f64); 6] =
    [("p50", 50.0), ("p90", 90.0), ("p95", 95.0), ("p99", 99.0), ("p99.9", 99.9), ("p99.99", 99.99)];

impl Summary {
    pub fn has_errors(&self) -> bool {
        self.error_count > 0
    }

    fn rate(&self, count: u64) -> f64 {
        count as f64 / self.seconds.max(1e-9)
    }

    /// In milliseconds.
    fn percentile_ms(&self, percent: f64) -> f64 {
        self.latencies.value_at_percentile(percent) as f64 / 1e6
    }

    pub fn to_json(&self) -> String {
        let latency: Vec<String> = PERCENTILES
            .iter()
            .map(|(name, percent)| format!("\"{name}\": {:.6}", self.percentile_ms(*percent)))
            .chain([
                format!("\"min\": {:.6}", self.latencies.min() as f64 / 1e6),
                format!("\"mean\": {:.6}", self.latencies.mean() / 1e6),
                format!("\"max\": {:.6}", self.latencies.max() as f64 / 1e6),
            ])
            .collect();
        let errors: Vec<String> = self
            .errors
            .iter()
            .map(|(number, kind)| {
                format!(
                    "{{\"number\": {number}, \"count\": {}, \"example\": {}}}",
                    kind.count,
                    json_text(&kind.example)
                )
            })
            .collect();
        format!(
            "{{\n  \"connections\": {},\n  \"connected\": {},\n  \"seconds\": {:.6},\n  \"iterations\": {},\n  \
             \"iterations_per_second\": {:.3},\n  \"requests\": {},\n  \"requests_per_second\": {:.3},\n  \"rows\": {},\n  \
             \"rows_per_second\": {:.3},\n  \"retries\": {},\n  \"cancelled\": {},\n  \"error_count\": {},\n  \"errors\": [{}],\n  \"latency_ms\": {{{}}},\n  \
             \"iterations_per_connection\": {{\"fewest\": {}, \"most\": {}}},\n  \"client_cpu_seconds\": {:.3}\n}}",
            self.connections,
            self.connected,
            self.seconds,
            self.iterations,
            self.rate(self.iterations),
            self.requests,
            self.rate(self.requests),
            self.rows,
            self.rate(self.rows),
            self.retries,
            self.cancelled,
            self.error_count,
            errors.join(", "),
            latency.join(", "),
            self.fewest,
            self.most,
            self.cpu_s,
        )
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "connections   {} of {} logged in", self.connected, self.connections)?;
        writeln!(f, "elapsed       {:.3} s (client CPU {:.3} s)", self.seconds, self.cpu_s)?;
        let line = |f: &mut fmt::Formatter<'_>, name: &str, count: u64| {
            writeln!(f, "{name:<13} {count} ({:.1} /s)", self.rate(count))
        };
        line(f, "iterations", self.iterations)?;
        line(f, "requests", self.requests)?;
        line(f, "rows", self.rows)?;
        if self.retries > 0 {
            line(f, "retries", self.retries)?;
        }
        if self.cancelled > 0 {
            line(f, "cancelled", self.cancelled)?;
        }
        writeln!(f, "errors        {}", self.error_count)?;
        for (number, kind) in &self.errors {
            let example = kind.example.replace('\n', "\n                ");
            match number {
                0.. => writeln!(f, "  {:>10} x {example}", kind.count)?,
                _ => writeln!(f, "  {:>10} x client: {example}", kind.count)?,
            }
        }
        if !self.latencies.is_empty() {
            write!(f, "latency ms   ")?;
            for (name, percent) in PERCENTILES {
                write!(f, " {name} {:.3}", self.percentile_ms(percent))?;
            }
            writeln!(f, " max {:.3}", self.latencies.max() as f64 / 1e6)?;
        }
        writeln!(f, "fairness      {} to {} iterations a connection", self.fewest, self.most)
    }
}

fn json_text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
