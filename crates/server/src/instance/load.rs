//! Moving averages of the schedulers' load, for ASE's monSysLoad, as the load averages of Unix are made. In the region: one engine
//! looks at the schedulers of all, now and then, and each shows what it found. Statistics only: words that order nothing else.

use std::sync::atomic::{AtomicU64, Ordering};

use os::region::Placed;
use os::shared_struct;
use os::stats::SchedulerRow;
use storage::{Memory, StorageResult};

use crate::instance::health::Health;

/// Schedulers that are looked at: as many as a machine may have.
const SCHEDULERS_MAX: usize = 256;

/// What is averaged: ASE's number and name of it.
pub const STATISTICS: [(i32, &str); 3] =
    [(0, "percent CPU busy"), (4, "run queue length"), (6, "outstanding disk I/Os")];

/// Over how long, in seconds.
const SPANS_S: [f64; 3] = [60.0, 300.0, 900.0];

/// Bits of an f64, and when it was: UTC, 100 ns since 0001-01-01; 0: never.
type Word = AtomicU64;

shared_struct! {
    struct Series {
        sample: Word,
        /// Samples times seconds, and seconds.
        sum: Word,
        seconds: Word,
        averages: [Word; 3],
        peak: Word,
        peak_at: Word,
        highest: [Word; 3],
        highest_at: [Word; 3],
    }
}

shared_struct! {
    struct Scheduler {
        /// Of the last look, ns.
        looked_at: AtomicU64,
        cpu: AtomicU64,
        series: [Series; 3],
    }
}

/// A value that is the greatest so far, and when that was.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Highest {
    pub value: f64,
    /// UTC, 100 ns since 0001-01-01. None: never above 0.
    pub at: Option<i64>,
}

/// One statistic of one scheduler.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load {
    pub sample: f64,
    /// Since the start.
    pub steady: f64,
    /// Of one, five and fifteen minutes.
    pub averages: [f64; 3],
    pub peak: Highest,
    pub highest: [Highest; 3],
}

pub struct Loads {
    pub health: Health,
    schedulers: Placed<[Scheduler; SCHEDULERS_MAX]>,
}

fn get(word: &Word) -> f64 {
    f64::from_bits(word.load(Ordering::Relaxed))
}

fn set(word: &Word, value: f64) {
    word.store(value.to_bits(), Ordering::Relaxed);
}

fn zero() -> Word {
    AtomicU64::new(0)
}

fn zeros() -> [Word; 3] {
    std::array::from_fn(|_| zero())
}

impl Series {
    fn new() -> Series {
        Series {
            sample: zero(),
            sum: zero(),
            seconds: zero(),
            averages: zeros(),
            peak: zero(),
            peak_at: zero(),
            highest: zeros(),
            highest_at: zeros(),
        }
    }

    fn add(&self, value: f64, seconds: f64, now: u64) {
        set(&self.sample, value);
        set(&self.sum, get(&self.sum) + value * seconds);
        set(&self.seconds, get(&self.seconds) + seconds);
        raise(&self.peak, &self.peak_at, value, now);
        for (at, span) in SPANS_S.iter().enumerate() {
            let average = get(&self.averages[at]);
            let average = average + (value - average) * (1.0 - (-seconds / span).exp());
            set(&self.averages[at], average);
            raise(&self.highest[at], &self.highest_at[at], average, now);
        }
    }

    fn read(&self) -> Load {
        let highest = |value: &Word, at: &Word| {
            let at = at.load(Ordering::Relaxed);
            Highest { value: get(value), at: (at != 0).then_some(at as i64) }
        };
        Load {
            sample: get(&self.sample),
            steady: get(&self.sum) / get(&self.seconds).max(f64::MIN_POSITIVE),
            averages: std::array::from_fn(|at| get(&self.averages[at])),
            peak: highest(&self.peak, &self.peak_at),
            highest: std::array::from_fn(|at| highest(&self.highest[at], &self.highest_at[at])),
        }
    }
}

fn raise(highest: &Word, at: &Word, value: f64, now: u64) {
    if value > get(highest) {
        set(highest, value);
        at.store(now, Ordering::Relaxed);
    }
}

impl Loads {
    pub fn new(memory: &Memory) -> StorageResult<Loads> {
        let scheduler =
            |_| Scheduler { looked_at: zero(), cpu: zero(), series: std::array::from_fn(|_| Series::new()) };
        let health = Health::new(memory)?;
        Ok(Loads { health, schedulers: memory.place("load averages", std::array::from_fn(scheduler))? })
    }

    /// Looks at the schedulers. One worker at a time does so.
    pub fn sample(&self, rows: &[SchedulerRow]) {
        self.health.sample(rows);
        let (now, utc) = (os::clock::now(), os::clock::utc_ticks() as u64);
        for row in rows {
            let cpu = row.total_cpu_usage_ns;
            let values = |busy: f64| [busy, f64::from(row.runnable_tasks), f64::from(row.pending_disk_io)];
            self.add(row.address as usize, now, utc, cpu, values);
        }
    }

    fn add(&self, address: usize, now: u64, utc: u64, cpu: u64, values: impl Fn(f64) -> [f64; 3]) {
        let Some(scheduler) = self.schedulers.get(address) else { return };
        let before = scheduler.looked_at.swap(now, Ordering::Relaxed);
        let used = cpu.saturating_sub(scheduler.cpu.swap(cpu, Ordering::Relaxed));
        if before == 0 || now <= before {
            return;
        }
        let elapsed = now - before;
        // A worker's time counts when it switches: a long run of one shows as 0 first and then as more than there was.
        let busy = (used as f64 / elapsed as f64 * 100.0).min(100.0);
        for (series, value) in scheduler.series.iter().zip(values(busy)) {
            series.add(value, elapsed as f64 / 1e9, utc);
        }
    }

    /// Of the scheduler with this address, in the order of `STATISTICS`.
    pub fn of(&self, address: u64) -> Option<[Load; 3]> {
        let scheduler = self.schedulers.get(address as usize)?;
        Some(std::array::from_fn(|at| scheduler.series[at].read()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_approach_what_is_sampled_and_remember_the_highest() {
        let memory = Memory::reserve(1 << 20, os::region::Visibility::ThisProcess).expect("memory");
        let loads = Loads::new(&memory).expect("room");
        let second = 1_000_000_000u64;
        // Half of the time busy, three in the queue, for a minute; then idle for as long.
        for at in 1..=120u64 {
            let (cpu, queue) = if at <= 60 { (at * second / 2, 3.0) } else { (30 * second, 0.0) };
            loads.add(5, at * second, at, cpu, |busy| [busy, queue, 0.0]);
        }
        let [busy, queue, disk] = loads.of(5).expect("a scheduler");
        let near = |a: f64, b: f64| (a - b).abs() < 0.02 * b.max(1.0);
        assert!(near(busy.steady, 25.0) && near(busy.peak.value, 50.0) && busy.sample == 0.0, "{busy:?}");
        // After a minute of 50, then one of 0: 50 (1 - 1/e) and that times 1/e.
        assert!(near(busy.highest[0].value, 50.0 * 0.632) && near(busy.averages[0], 50.0 * 0.632 * 0.368), "{busy:?}");
        assert_eq!(busy.highest[0].at, Some(60));
        assert!(queue.averages[2] > 0.0 && queue.averages[2] < queue.averages[1], "{queue:?}");
        assert_eq!(disk, Load::default());
        assert_eq!(loads.of(6).map(|load| load[0]), Some(Load::default()));
        assert_eq!(loads.of(SCHEDULERS_MAX as u64), None);
    }
}
