//! A run second by second.

use hdrhistogram::Histogram;
use serde::Serialize;

use super::totals::{Counts, Totals, histogram};

/// One second of a run; the last one may be shorter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Second {
    /// Its end, from the beginning of the run.
    pub at_s: f64,
    pub seconds: f64,
    pub iterations: u64,
    pub requests: u64,
    pub rows: u64,
    pub errors: u64,
    /// Logged in and not at their end.
    pub connections: u64,
    /// Of the iterations that ended in it. NaN, which is null in JSON: there was none.
    pub p50_ms: f64,
    pub p95_ms: f64,
    pub p99_ms: f64,
    pub max_ms: f64,
}

impl Second {
    pub const CSV_HEAD: &str = "at_s,seconds,iterations,requests,rows,errors,connections,p50_ms,p95_ms,p99_ms,max_ms\n";

    pub fn requests_per_second(&self) -> f64 {
        self.requests as f64 / self.seconds
    }

    pub fn to_csv(&self) -> String {
        let latencies = [self.p50_ms, self.p95_ms, self.p99_ms, self.max_ms];
        let latencies = latencies.map(|ms| if ms.is_nan() { String::new() } else { format!("{ms:.6}") });
        let Second { iterations, requests, rows, errors, connections, .. } = self;
        format!(
            "{:.3},{:.3},{iterations},{requests},{rows},{errors},{connections},{}\n",
            self.at_s,
            self.seconds,
            latencies.join(",")
        )
    }
}

/// Takes what the threads have counted out of their hands, time after time.
pub struct Series {
    pub seconds: Vec<Second>,
    /// Of all iterations that count, by server.
    pub latencies: Vec<Histogram<u64>>,
    started: u64,
    since: u64,
    before: Counts,
    interval: Histogram<u64>,
}

impl Series {
    pub fn new(now: u64, servers: usize) -> Series {
        Series {
            seconds: Vec::new(),
            latencies: (0..servers).map(|_| histogram()).collect(),
            started: now,
            since: now,
            before: Counts::default(),
            interval: histogram(),
        }
    }

    pub fn is_due(&self, now: u64) -> bool {
        now - self.since >= 1_000_000_000
    }

    /// Ends a second. `counts`: its latencies are of the whole run's, too.
    pub fn end_second(&mut self, totals: &Totals, now: u64, counts: bool) {
        self.interval.reset();
        for (server, all) in self.latencies.iter_mut().enumerate() {
            for lane in totals.lanes_of(server) {
                let mut latencies = lane.latencies.lock();
                self.interval.add(&*latencies).expect("the same bounds");
                if counts {
                    all.add(&*latencies).expect("the same bounds");
                }
                latencies.reset();
            }
        }
        let counted = totals.counts();
        let before = std::mem::replace(&mut self.before, counted);
        let ms = |ns: u64| if self.interval.is_empty() { f64::NAN } else { ns as f64 / 1e6 };
        let percentile = |percent| ms(self.interval.value_at_percentile(percent));
        if now > self.since {
            self.seconds.push(Second {
                at_s: (now - self.started) as f64 / 1e9,
                seconds: (now - self.since) as f64 / 1e9,
                iterations: counted.iterations - before.iterations,
                requests: counted.requests - before.requests,
                rows: counted.rows - before.rows,
                errors: counted.errors - before.errors,
                connections: counted.connected.saturating_sub(counted.finished),
                p50_ms: percentile(50.0),
                p95_ms: percentile(95.0),
                p99_ms: percentile(99.0),
                max_ms: ms(self.interval.max()),
            });
        }
        self.since = now;
    }
}
