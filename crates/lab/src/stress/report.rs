//! What a run has measured, at its end.

use std::fmt;

use hdrhistogram::Histogram;
use serde_json::{Value, json};

use super::deltas::Deltas;
use super::series::Second;
use super::totals::{Counts, Errors, histogram, merge_errors};

/// The end of a run.
#[derive(Debug)]
pub struct Summary {
    pub all: Figures,
    /// Never empty.
    pub servers: Vec<OfServer>,
    /// Of what was measured.
    pub seconds: f64,
    /// It was told to stop before its end: by Ctrl-C or SIGTERM.
    pub is_interrupted: bool,
    /// Iterations of the connection with the fewest and of that with the most.
    pub fewest: u64,
    pub most: u64,
    /// Of each connection, warm-up included.
    pub connection_iterations: Vec<u64>,
    /// CPU seconds that this process used, on so many threads.
    pub cpu_s: f64,
    pub schedulers: u32,
    pub series: Vec<Second>,
    /// Of a mix, by name.
    pub statements: Vec<(String, Histogram<u64>)>,
}

/// What all connections have done, or those to one server.
#[derive(Debug)]
pub struct Figures {
    pub connections: u32,
    pub counts: Counts,
    pub errors: Errors,
    pub latencies: Histogram<u64>,
}

/// The part of a run that was one server's.
#[derive(Debug)]
pub struct OfServer {
    /// As -S has it.
    pub name: String,
    pub figures: Figures,
    /// Of its counters.
    pub deltas: Option<Deltas>,
}

impl Figures {
    /// Those of all servers together.
    pub fn all(servers: &[Figures]) -> Figures {
        let (counts, errors) = (Counts::default(), Errors::new());
        let mut all = Figures { connections: 0, counts, errors, latencies: histogram() };
        for server in servers {
            all.connections += server.connections;
            all.counts += server.counts;
            merge_errors(&mut all.errors, &server.errors);
            all.latencies.add(&server.latencies).expect("the same bounds");
        }
        all
    }

    fn to_json(&self, seconds: f64) -> Value {
        let Counts { iterations, requests, rows, errors, retries, cancelled, not_begun, connected, .. } = self.counts;
        let kinds = self.errors.iter();
        let kinds =
            kinds.map(|(number, kind)| json!({ "number": number, "count": kind.count, "example": kind.example }));
        json!({
            "connections": self.connections,
            "connected": connected,
            "iterations": iterations,
            "iterations_per_second": rate(iterations, seconds),
            "requests": requests,
            "requests_per_second": rate(requests, seconds),
            "rows": rows,
            "rows_per_second": rate(rows, seconds),
            "retries": retries,
            "cancelled": cancelled,
            "not_begun": not_begun,
            "error_count": errors,
            "errors": kinds.collect::<Vec<_>>(),
            "latency_ms": latencies_of(&self.latencies),
        })
    }
}

impl OfServer {
    fn to_json(&self, seconds: f64) -> Value {
        let mut json = self.figures.to_json(seconds);
        json["server"] = json!(self.name);
        json["counters"] = json!(self.deltas);
        json
    }
}

fn rate(count: u64, seconds: f64) -> f64 {
    count as f64 / seconds.max(1e-9)
}

/// Above this the threads have little left to give; short runs are mostly logins.
const CLIENT_BOUND_PERCENT: f64 = 90.0;
const CLIENT_BOUND_AFTER_S: f64 = 1.0;

const PERCENTILES: [(&str, f64); 6] =
    [("p50", 50.0), ("p90", 90.0), ("p95", 95.0), ("p99", 99.0), ("p99.9", 99.9), ("p99.99", 99.99)];

impl Summary {
    pub fn has_errors(&self) -> bool {
        self.all.counts.errors > 0
    }

    /// A second of what was measured.
    pub fn rate(&self, count: u64) -> f64 {
        rate(count, self.seconds)
    }

    /// How busy the threads that drove the connections were, of 100.
    pub fn cpu_percent(&self) -> f64 {
        100.0 * self.cpu_s / (self.seconds * f64::from(self.schedulers)).max(1e-9)
    }

    /// Whether the figures may be the client's limit and not the server's.
    pub fn is_client_bound(&self) -> bool {
        self.seconds >= CLIENT_BOUND_AFTER_S && self.cpu_percent() > CLIENT_BOUND_PERCENT
    }

    /// What the only server has counted meanwhile. None: there are several, or it does not say.
    pub fn deltas(&self) -> Option<&Deltas> {
        match &self.servers[..] {
            [only] => only.deltas.as_ref(),
            _ => None,
        }
    }

    pub fn to_json(&self) -> String {
        let statements = self.statements.iter().map(|(name, latencies)| {
            json!({ "name": name, "count": latencies.len(), "latency_ms": latencies_of(latencies) })
        });
        let mut summary = self.all.to_json(self.seconds);
        for (name, value) in [
            ("seconds", json!(self.seconds)),
            ("interrupted", json!(self.is_interrupted)),
            ("iterations_per_connection", json!({ "fewest": self.fewest, "most": self.most })),
            ("client_cpu_seconds", json!(self.cpu_s)),
            ("client_cpu_percent", json!(self.cpu_percent())),
            ("client_bound", json!(self.is_client_bound())),
            ("statements", statements.collect()),
            ("server", json!(self.deltas())),
            ("servers", self.servers.iter().map(|server| server.to_json(self.seconds)).collect()),
            ("series", json!(self.series)),
        ] {
            summary[name] = value;
        }
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

fn latencies_of(latencies: &Histogram<u64>) -> Value {
    let percentiles = PERCENTILES.iter().map(|(name, percent)| (*name, percentile_ms(latencies, *percent)));
    let ends = [("min", latencies.min() as f64), ("mean", latencies.mean()), ("max", latencies.max() as f64)];
    percentiles.chain(ends.map(|(name, ns)| (name, ns / 1e6))).map(|(name, ms)| (name.to_string(), json!(ms))).collect()
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { connections, counts, errors, latencies } = &self.all;
        writeln!(f, "connections   {} of {connections} logged in", counts.connected)?;
        writeln!(f, "elapsed       {:.3} s (client CPU {:.3} s)", self.seconds, self.cpu_s)?;
        let line = |f: &mut fmt::Formatter<'_>, name: &str, count: u64| {
            writeln!(f, "{name:<13} {count} ({:.1} /s)", self.rate(count))
        };
        line(f, "iterations", counts.iterations)?;
        line(f, "requests", counts.requests)?;
        line(f, "rows", counts.rows)?;
        if counts.retries > 0 {
            line(f, "retries", counts.retries)?;
        }
        if counts.cancelled > 0 {
            line(f, "cancelled", counts.cancelled)?;
        }
        if counts.not_begun > 0 {
            writeln!(
                f,
                "not begun     {} that were due before the end: the server did not keep up, and latencies would be longer",
                counts.not_begun
            )?;
        }
        writeln!(f, "errors        {}", counts.errors)?;
        show_errors(f, errors)?;
        if !latencies.is_empty() {
            write!(f, "latency ms   ")?;
            for (name, percent) in PERCENTILES {
                write!(f, " {name} {:.3}", percentile_ms(latencies, percent))?;
            }
            writeln!(f, " max {:.3}", latencies.max() as f64 / 1e6)?;
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
        let is_one_of_several = self.servers.len() > 1;
        for server in self.servers.iter().filter(|_| is_one_of_several) {
            self.show_server(f, server)?;
        }
        for OfServer { name, deltas, .. } in &self.servers {
            if let Some(deltas) = deltas {
                deltas.show(f, if is_one_of_several { name } else { "The server" })?;
            }
        }
        Ok(())
    }
}

impl Summary {
    /// One of several.
    fn show_server(&self, f: &mut fmt::Formatter<'_>, server: &OfServer) -> fmt::Result {
        let Figures { connections, counts, errors, latencies } = &server.figures;
        let Counts { connected, requests, rows, errors: error_count, .. } = counts;
        let [p50, p99] = [50.0, 99.0].map(|percent| percentile_ms(latencies, percent));
        writeln!(f, "server        {}: {connected} of {connections} logged in", server.name)?;
        let rate = self.rate(*requests);
        writeln!(
            f,
            "  {requests:>10} requests ({rate:.1} /s), {rows} rows, {error_count} errors, p50 {p50:.3} p99 {p99:.3}"
        )?;
        show_errors(f, errors)
    }
}

fn show_errors(f: &mut fmt::Formatter<'_>, errors: &Errors) -> fmt::Result {
    for (number, kind) in errors {
        let example = kind.example.replace('\n', "\n                ");
        match number {
            0.. => writeln!(f, "  {:>10} x {example}", kind.count)?,
            _ => writeln!(f, "  {:>10} x client: {example}", kind.count)?,
        }
    }
    Ok(())
}
