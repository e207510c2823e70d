//! How busy the machine's CPUs have been, minute by minute, for the records of sys.dm_os_ring_buffers that monitors read it from. In the
//! region: one engine measures, each shows what was found. Words that order nothing else.

use std::sync::atomic::{AtomicU64, Ordering};

use os::region::Placed;
use os::shared_struct;
use os::stats::SchedulerRow;
use storage::{Memory, StorageResult};

/// Minutes that are kept, as SQL Server keeps them.
const RECORDS_MAX: usize = 256;

const INTERVAL_NS: u64 = 60_000_000_000;

/// The first record is of so much, so that a monitor need not wait for a minute.
const FIRST_NS: u64 = 1_000_000_000;

shared_struct! {
    struct Record {
        /// As `os::clock::now_ms`.
        at_ms: AtomicU64,
        /// Percent of all CPUs: the schedulers', and what nobody used.
        used: AtomicU64,
        idle: AtomicU64,
    }
}

shared_struct! {
    struct Ring {
        /// Records so far.
        count: AtomicU64,
        /// Of the last measurement: when, the schedulers' time, the machine's idle time and all of its time, ms but for the first two (ns).
        measured_ns: AtomicU64,
        cpu_ns: AtomicU64,
        idle_ms: AtomicU64,
        all_ms: AtomicU64,
        records: [Record; RECORDS_MAX],
    }
}

/// A minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Minute {
    /// From 0, for ever.
    pub number: u64,
    pub at_ms: u64,
    pub used_percent: u64,
    pub idle_percent: u64,
}

pub struct Health {
    ring: Placed<Ring>,
}

fn percent(part: u64, whole: u64) -> u64 {
    (part * 100).checked_div(whole).unwrap_or(0).min(100)
}

impl Health {
    pub fn new(memory: &Memory) -> StorageResult<Health> {
        let zero = || AtomicU64::new(0);
        let record = |_| Record { at_ms: zero(), used: zero(), idle: zero() };
        let ring = Ring {
            count: zero(),
            measured_ns: zero(),
            cpu_ns: zero(),
            idle_ms: zero(),
            all_ms: zero(),
            records: std::array::from_fn(record),
        };
        Ok(Health { ring: memory.place("minutes of the CPUs", ring)? })
    }

    /// Measures, if it is time to. One worker at a time does so.
    pub fn sample(&self, schedulers: &[SchedulerRow]) {
        let (now, ring) = (os::clock::now(), &*self.ring);
        let before = ring.measured_ns.load(Ordering::Relaxed);
        let wait_ns = if ring.count.load(Ordering::Relaxed) == 0 { FIRST_NS } else { INTERVAL_NS };
        if before != 0 && now.saturating_sub(before) < wait_ns {
            return;
        }
        let cpu_ns = schedulers.iter().map(|row| row.total_cpu_usage_ns).sum();
        let cpus = os::cpus::usage();
        let idle_ms = cpus.iter().map(|cpu| cpu.idle_ms).sum();
        let all_ms = cpus.iter().map(|cpu| cpu.all_ms()).sum();
        self.add(now, cpus.len() as u64, [cpu_ns, idle_ms, all_ms]);
    }

    fn add(&self, now: u64, cpus: u64, [cpu_ns, idle_ms, all_ms]: [u64; 3]) {
        let ring = &*self.ring;
        let before = ring.measured_ns.swap(now.max(1), Ordering::Relaxed);
        let grown = |word: &AtomicU64, value: u64| value.saturating_sub(word.swap(value, Ordering::Relaxed));
        let (used, idle, all) =
            (grown(&ring.cpu_ns, cpu_ns), grown(&ring.idle_ms, idle_ms), grown(&ring.all_ms, all_ms));
        if before == 0 || now <= before || cpus == 0 {
            return;
        }
        let count = ring.count.load(Ordering::Relaxed);
        let record = &ring.records[count as usize % RECORDS_MAX];
        record.at_ms.store(now / 1_000_000, Ordering::Relaxed);
        record.used.store(percent(used, (now - before) * cpus), Ordering::Relaxed);
        record.idle.store(percent(idle, all), Ordering::Relaxed);
        // Release: who sees the count sees the record.
        ring.count.store(count + 1, Ordering::Release);
    }

    /// Those that are kept, the oldest first.
    pub fn minutes(&self) -> Vec<Minute> {
        let count = self.ring.count.load(Ordering::Acquire);
        let minute = |number: u64| {
            let record = &self.ring.records[number as usize % RECORDS_MAX];
            let get = |word: &AtomicU64| word.load(Ordering::Relaxed);
            Minute {
                number,
                at_ms: get(&record.at_ms),
                used_percent: get(&record.used),
                idle_percent: get(&record.idle),
            }
        };
        (count.saturating_sub(RECORDS_MAX as u64)..count).map(minute).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_is_what_came_since_the_one_before() {
        let memory = Memory::reserve(1 << 20, os::region::Visibility::ThisProcess).expect("memory");
        let health = Health::new(&memory).expect("room");
        let second = 1_000_000_000;
        health.add(10 * second, 2, [5 * second, 7_000, 20_000]);
        assert_eq!(health.minutes(), []);
        health.add(70 * second, 2, [35 * second, 79_000, 140_000]);
        let first = Minute { number: 0, at_ms: 70_000, used_percent: 25, idle_percent: 60 };
        assert_eq!(health.minutes(), [first]);
        for at in 0..RECORDS_MAX as u64 {
            health.add((130 + 60 * at) * second, 2, [35 * second, 79_000, 140_000 + at]);
        }
        let kept = health.minutes();
        assert_eq!((kept.len(), kept[0].number, kept[0].used_percent), (RECORDS_MAX, 1, 0));
    }
}
