//! What the threads of a run count while it goes on.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hdrhistogram::Histogram;
use os::sync::Mutex;
use os::wait::WaitType;
use tds::token::ServerMessage;

use super::plan::STOP_WAIT_MS;

/// Latencies are kept in ns, to three digits, up to ten minutes.
const LATENCY_MAX_NS: u64 = 600_000_000_000;
/// Different errors that are told apart.
const ERROR_KINDS_MAX: usize = 64;

pub fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(100, LATENCY_MAX_NS, 3).expect("the bounds are sensible")
}

/// Counters of one scheduler's connections to one server: they share a thread, so nothing is contended.
#[repr(align(128))]
pub struct Lane {
    pub counters: Counters,
    /// Of the running second.
    pub latencies: Mutex<Histogram<u64>>,
    pub errors: Mutex<Errors>,
    /// Of the statements of a mix, of the whole run.
    pub statements: Vec<Mutex<Histogram<u64>>>,
}

/// By number: the server's, or a negative one for what happened on this side.
pub type Errors = BTreeMap<i64, ErrorKind>;

/// Errors with one number: how many, and the first as an example.
#[derive(Debug, Clone)]
pub struct ErrorKind {
    pub count: u64,
    pub example: String,
}

/// What connections have done.
#[derive(Default)]
pub struct Counters {
    pub iterations: AtomicU64,
    pub requests: AtomicU64,
    pub rows: AtomicU64,
    pub errors: AtomicU64,
    /// Requests that were sent again after an error that may pass, and those that were cancelled on purpose.
    pub retries: AtomicU64,
    pub cancelled: AtomicU64,
    /// Iterations of an open loop that were due before its time was up, and could not begin.
    pub not_begun: AtomicU64,
    /// Connections logged in, and those that are done (failed logins included).
    pub connected: AtomicU64,
    pub finished: AtomicU64,
}

/// The same at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub iterations: u64,
    pub requests: u64,
    pub rows: u64,
    pub errors: u64,
    pub retries: u64,
    pub cancelled: u64,
    pub not_begun: u64,
    pub connected: u64,
    pub finished: u64,
}

impl Counts {
    /// Work counts from the end of the warm-up on; errors and connections count from the beginning.
    pub fn measured_since(self, warm: Counts) -> Counts {
        Counts {
            iterations: self.iterations - warm.iterations,
            requests: self.requests - warm.requests,
            rows: self.rows - warm.rows,
            retries: self.retries - warm.retries,
            ..self
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, more: Counts) {
        self.iterations += more.iterations;
        self.requests += more.requests;
        self.rows += more.rows;
        self.errors += more.errors;
        self.retries += more.retries;
        self.cancelled += more.cancelled;
        self.not_begun += more.not_begun;
        self.connected += more.connected;
        self.finished += more.finished;
    }
}

impl Counters {
    fn read(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            iterations: read(&self.iterations),
            requests: read(&self.requests),
            rows: read(&self.rows),
            errors: read(&self.errors),
            retries: read(&self.retries),
            cancelled: read(&self.cancelled),
            not_begun: read(&self.not_begun),
            connected: read(&self.connected),
            finished: read(&self.finished),
        }
    }
}

/// What all tasks share.
pub struct Totals {
    /// Server by server, in each the schedulers.
    lanes: Vec<Lane>,
    pub schedulers: u32,
    pub stop: AtomicBool,
    /// When the run's time was up, ns of os::clock; 0 until then, and in a run that was ended otherwise.
    pub time_up: AtomicU64,
    /// Set after the warm-up.
    pub measuring: AtomicBool,
}

impl Totals {
    /// `statements`: in the mix.
    pub fn new(servers: usize, schedulers: u32, statements: usize) -> Totals {
        let lane = || Lane {
            counters: Counters::default(),
            latencies: Mutex::new(WaitType::SOS_EVENT, histogram()),
            errors: Mutex::new(WaitType::SOS_EVENT, Errors::new()),
            statements: (0..statements).map(|_| Mutex::new(WaitType::SOS_EVENT, histogram())).collect(),
        };
        Totals {
            lanes: (0..servers * schedulers as usize).map(|_| lane()).collect(),
            schedulers,
            stop: AtomicBool::new(false),
            time_up: AtomicU64::new(0),
            measuring: AtomicBool::new(false),
        }
    }

    /// No iteration that is due later begins.
    pub fn end_at(&self, now: u64) {
        self.time_up.store(now, Ordering::Relaxed);
        self.stop.store(true, Ordering::Release);
    }

    /// Whether what was due then may still begin. A run whose time is up begins what was due before, for as long as requests are waited for:
    /// without those who stood in line at the end, the line would seem shorter than it was.
    pub fn begins(&self, due: u64) -> bool {
        if !self.stop.load(Ordering::Acquire) {
            return true;
        }
        let time_up = self.time_up.load(Ordering::Relaxed);
        due < time_up && os::clock::now() < time_up + STOP_WAIT_MS * 1_000_000
    }

    pub fn lane(&self, server: usize, scheduler: u32) -> &Lane {
        &self.lanes_of(server)[scheduler as usize]
    }

    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    pub fn lanes_of(&self, server: usize) -> &[Lane] {
        let schedulers = self.schedulers as usize;
        &self.lanes[server * schedulers..][..schedulers]
    }

    /// Of all servers.
    pub fn counts(&self) -> Counts {
        counts(&self.lanes)
    }
}

/// Until now.
pub fn counts(lanes: &[Lane]) -> Counts {
    let mut counts = Counts::default();
    lanes.iter().for_each(|lane| counts += lane.counters.read());
    counts
}

/// Until now.
pub fn errors(lanes: &[Lane]) -> Errors {
    let mut errors = Errors::new();
    lanes.iter().for_each(|lane| merge_errors(&mut errors, &lane.errors.lock()));
    errors
}

pub fn merge_errors(all: &mut Errors, more: &Errors) {
    for (number, kind) in more {
        all.entry(*number).and_modify(|known| known.count += kind.count).or_insert_with(|| kind.clone());
    }
}

impl Lane {
    pub fn server_error(&self, message: &ServerMessage) {
        self.error(message.number.into(), || tds::client::format_message(message));
    }

    /// `number`: the server's, or a negative one for what happened on this side.
    pub fn error(&self, number: i64, example: impl FnOnce() -> String) {
        self.counters.errors.fetch_add(1, Ordering::Relaxed);
        let mut kinds = self.errors.lock();
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
