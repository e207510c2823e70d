//! What a run has measured, at its end.

use std::collections::BTreeMap;
use std::fmt;

use hdrhistogram::Histogram;
use serde_json::json;

use super::deltas::Deltas;
use super::series::Second;
use super::totals::ErrorKind;

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
    /// Of each connection, warm-up included.
    pub connection_iterations: Vec<u64>,
    /// CPU seconds that this process used, on so many threads.
    pub cpu_s: f64,
    pub schedulers: u32,
    pub series: Vec<Second>,
    /// Of the server's counters.
    pub deltas: Option<Deltas>,
    /// Of a mix, by name.
    pub statements: Vec<(String, Histogram<u64>)>,
}

/// Above this the threads have little left to give; short runs are mostly logins.
const CLIENT_BOUND_PERCENT: f64 = 90.0;
const CLIENT_BOUND_AFTER_S: f64 = 1.0;

const PERCENTILES: [(&str, f64); 6] =
    [("p50", 50.0), ("p90", 90.0), ("p95", 95.0), ("p99", 99.0), ("p99.9", 99.9), ("p99.99", 99.99)];

impl Summary {
    pub fn has_errors(&self) -> bool {
        self.error_count > 0
    }

    /// A second of what was measured.
    pub fn rate(&self, count: u64) -> f64 {
        count as f64 / self.seconds.max(1e-9)
    }

    /// How busy the threads that drove the connections were, of 100.
    pub fn cpu_percent(&self) -> f64 {
        100.0 * self.cpu_s / (self.seconds * f64::from(self.schedulers)).max(1e-9)
    }

    /// Whether the figures may be the client's limit and not the server's.
    pub fn is_client_bound(&self) -> bool {
        self.seconds >= CLIENT_BOUND_AFTER_S && self.cpu_percent() > CLIENT_BOUND_PERCENT
    }

    pub fn to_json(&self) -> String {
        let errors = self.errors.iter();
        let errors =
            errors.map(|(number, kind)| json!({ "number": number, "count": kind.count, "example": kind.example }));
        let statements = self.statements.iter().map(|(name, latencies)| {
            json!({ "name": name, "count": latencies.len(), "latency_ms": latencies_of(latencies) })
        });
        let summary = json!({
            "connections": self.connections,
            "connected": self.connected,
            "seconds": self.seconds,
            "iterations": self.iterations,
            "iterations_per_second": self.rate(self.iterations),
            "requests": self.requests,
            "requests_per_second": self.rate(self.requests),
            "rows": self.rows,
            "rows_per_second": self.rate(self.rows),
            "retries": self.retries,
            "cancelled": self.cancelled,
            "error_count": self.error_count,
            "errors": errors.collect::<Vec<_>>(),
            "latency_ms": latencies_of(&self.latencies),
            "iterations_per_connection": { "fewest": self.fewest, "most": self.most },
            "client_cpu_seconds": self.cpu_s,
            "client_cpu_percent": self.cpu_percent(),
            "client_bound": self.is_client_bound(),
            "statements": statements.collect::<Vec<_>>(),
            "server": self.deltas,
            "series": self.series,
        });
        serde_json::to_string_pretty(&summary).expect("numbers and texts")
    }

    /// The run second by second.
    pub fn to_csv(&self) -> String {
        std::iter::once(Second::CSV_HEAD.to_string()).chain(self.series.iter().map(Second::to_csv)).collect()
    }
}

pub fn percentile_ms(latencies: &Histogram<u64>, percent: f64) -> f64 {
    latencies.value_at_percentile(percent) as f64 / 1e6
}

fn latencies_of(latencies: &Histogram<u64>) -> serde_json::Value {
    let percentiles = PERCENTILES.iter().map(|(name, percent)| (*name, percentile_ms(latencies, *percent)));
    let ends = [("min", latencies.min() as f64), ("mean", latencies.mean()), ("max", latencies.max() as f64)];
    percentiles.chain(ends.map(|(name, ns)| (name, ns / 1e6))).map(|(name, ms)| (name.to_string(), json!(ms))).collect()
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
                write!(f, " {name} {:.3}", percentile_ms(&self.latencies, percent))?;
            }
            writeln!(f, " max {:.3}", self.latencies.max() as f64 / 1e6)?;
        }
        for (name, latencies) in &self.statements {
            let [p50, p99] = [50.0, 99.0].map(|percent| percentile_ms(latencies, percent));
            let rate = self.rate(latencies.len());
            let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(40).collect();
            writeln!(f, "  {:>10} x {name} ({rate:.1} /s), p50 {p50:.3} p99 {p99:.3}", latencies.len())?;
        }
        writeln!(f, "fairness      {} to {} iterations a connection", self.fewest, self.most)?;
        if self.is_client_bound() {
            let percent = self.cpu_percent();
            writeln!(
                f,
                "WARNING       this client's own {} threads were {percent:.0} % busy: the figures may be its limit",
                self.schedulers
            )?;
        }
        match &self.deltas {
            Some(deltas) => write!(f, "{deltas}"),
            None => Ok(()),
        }
    }
}
