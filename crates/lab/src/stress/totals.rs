//! What the threads of a run count while it goes on.

use std::collections::BTreeMap;
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
    /// Of the running second.
    pub latencies: Mutex<Histogram<u64>>,
    pub errors: Mutex<BTreeMap<i64, ErrorKind>>,
    /// Of the statements of a mix, of the whole run.
    pub statements: Vec<Mutex<Histogram<u64>>>,
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
    /// Set after the warm-up.
    pub measuring: AtomicBool,
}

impl Totals {
    /// `statements`: in the mix.
    pub fn new(lanes: u32, statements: usize) -> Totals {
        let lane = || Lane {
            latencies: Mutex::new(WaitType::SOS_EVENT, histogram()),
            errors: Mutex::new(WaitType::SOS_EVENT, BTreeMap::new()),
            statements: (0..statements).map(|_| Mutex::new(WaitType::SOS_EVENT, histogram())).collect(),
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
