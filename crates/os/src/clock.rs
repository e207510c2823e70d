//! Time. In a simulation the simulated time; otherwise the machine's. Nothing above `os` reads a clock another way.
#![allow(unsafe_code)]

use crate::simcore;

/// Nanoseconds since some moment before the process started; never goes back.
pub fn now() -> u64 {
    if simcore::active() {
        return simcore::with(|sim| sim.now_ns());
    }
    #[cfg(target_arch = "x86_64")]
    if let Some(counter) = COUNTER.get_or_init(Counter::measure) {
        return counter.now();
    }
    read_clock(libc::CLOCK_MONOTONIC)
}

/// Milliseconds of [`now`]: the unit of `ms_ticks` in the DMVs.
pub fn now_ms() -> u64 {
    now() / 1_000_000
}

/// A deadline `ms` from now, for the calls that take one.
pub fn after_ms(ms: u64) -> u64 {
    now().saturating_add(ms.saturating_mul(1_000_000))
}

/// UTC, in 100 ns ticks since 0001-01-01 00:00 (the unit and the origin of `datetime2`).
pub fn utc_ticks() -> u64 {
    let unix_ns = if simcore::active() {
        // Simulated days start at 2024-01-01: dates in a trace are then the same in every run.
        SIM_UNIX_START_NS + now()
    } else {
        read_clock(libc::CLOCK_REALTIME)
    };
    UNIX_EPOCH_TICKS + unix_ns / 100
}

/// UTC at a moment of [`now`], in ticks as [`utc_ticks`]. The two clocks are read as near to each other as can be had: a thread that is
/// interrupted between them would place the moment elsewhere.
pub fn utc_ticks_at(moment: u64) -> u64 {
    const APART_MAX_NS: u64 = 20_000;
    const TRIES: u32 = 8;
    let mut best = (u64::MAX, 0);
    for _ in 0..TRIES {
        let before = now();
        let utc = utc_ticks();
        let apart = now() - before;
        if apart < best.0 {
            best = (apart, utc.saturating_sub((before + apart / 2).saturating_sub(moment) / 100));
        }
        if apart <= APART_MAX_NS {
            break;
        }
    }
    best.1
}

/// Minutes local time is ahead of UTC at this moment (the offset of `sysdatetimeoffset`). 0 in a simulation.
pub fn local_offset_minutes() -> i32 {
    if simcore::active() {
        return 0;
    }
    // Offsets change on the quarter hour, and localtime_r looks at the zone file each time: the offset of this quarter
    // is kept. Both in one word, so that a reader never pairs them wrongly: the quarter plus one, then the offset.
    static KNOWN: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let seconds = (read_clock(libc::CLOCK_REALTIME) / 1_000_000_000) as libc::time_t;
    let quarter = seconds as u64 / 900 + 1;
    let known = KNOWN.load(std::sync::atomic::Ordering::Relaxed);
    if known >> 16 == quarter {
        return i32::from(known as u16 as i16);
    }
    // SAFETY: tm is plain data; localtime_r fills it from a live time_t.
    let mut parts: libc::tm = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are live for the call.
    unsafe { libc::localtime_r(&seconds, &mut parts) };
    assert!(parts.tm_gmtoff.abs() <= 86_400, "a day has no {} seconds", parts.tm_gmtoff);
    let minutes = (parts.tm_gmtoff / 60) as i16;
    KNOWN.store(quarter << 16 | u64::from(minutes as u16), std::sync::atomic::Ordering::Relaxed);
    i32::from(minutes)
}

/// CPU time this OS thread has used, ns. In a simulation the simulated time.
pub fn thread_cpu() -> u64 {
    if simcore::active() { now() } else { read_clock(libc::CLOCK_THREAD_CPUTIME_ID) }
}

/// CPU time the process has used, ns: (user, kernel).
pub fn process_cpu() -> (u64, u64) {
    // SAFETY: rusage is plain data, filled by getrusage.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let ns = |t: libc::timeval| t.tv_sec as u64 * 1_000_000_000 + t.tv_usec as u64 * 1_000;
    (ns(usage.ru_utime), ns(usage.ru_stime))
}

/// The CPU's time-stamp counter as a clock: a few ns a read, where `clock_gettime` takes 25 to 50, and every switch reads
/// it. Only where the kernel itself trusts the counter: then it ticks evenly and alike on all CPUs.
#[cfg(target_arch = "x86_64")]
struct Counter {
    start: u64,
    start_ns: u64,
    /// ns a tick, in units of 2^-32.
    rate: u64,
}

#[cfg(target_arch = "x86_64")]
static COUNTER: std::sync::OnceLock<Option<Counter>> = std::sync::OnceLock::new();

#[cfg(target_arch = "x86_64")]
impl Counter {
    fn measure() -> Option<Counter> {
        if cfg!(miri) {
            return None;
        }
        let source =
            std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource").ok()?;
        if source.trim() != "tsc" {
            return None;
        }
        let (start_ns, start) = (read_clock(libc::CLOCK_MONOTONIC), ticks());
        // 4 ms give five digits; timeouts and the DMVs need no more.
        while read_clock(libc::CLOCK_MONOTONIC) - start_ns < 4_000_000 {
            std::hint::spin_loop();
        }
        let (elapsed_ns, elapsed) = (read_clock(libc::CLOCK_MONOTONIC) - start_ns, ticks() - start);
        assert!(elapsed > 0, "the counter that the kernel trusts stands still");
        Some(Counter { start, start_ns, rate: ((elapsed_ns as u128) << 32).div_ceil(elapsed as u128) as u64 })
    }

    #[inline]
    fn now(&self) -> u64 {
        // Another CPU's counter may be some ticks behind the one the start was read on.
        let elapsed = ticks().saturating_sub(self.start);
        self.start_ns + ((elapsed as u128 * self.rate as u128) >> 32) as u64
    }
}

#[cfg(target_arch = "x86_64")]
fn ticks() -> u64 {
    // SAFETY: rdtsc has no preconditions on x86-64.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// 100 ns ticks from 0001-01-01 to 1970-01-01: 719162 days.
const UNIX_EPOCH_TICKS: u64 = 719_162 * 86_400 * 10_000_000;
const SIM_UNIX_START_NS: u64 = 1_704_067_200 * 1_000_000_000;

fn read_clock(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is live; these clock ids exist on every Linux we run on.
    let failed = unsafe { libc::clock_gettime(id, &mut time) };
    assert!(failed == 0, "clock_gettime: errno {}", crate::sys::errno());
    assert!((0..1_000_000_000).contains(&time.tv_nsec) && time.tv_sec >= 0, "{} s {} ns", time.tv_sec, time.tv_nsec);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

#[cfg(test)]
mod tests {
    #[test]
    fn utc_is_this_century_and_monotonic_time_moves() {
        let year = super::utc_ticks() / (365 * 86_400 * 10_000_000);
        assert!((2020..2200).contains(&year), "{year}");
        let start = super::now();
        while super::now() == start {}
        assert!(super::now() > start);
        let (system, ours) = (super::read_clock(libc::CLOCK_MONOTONIC), super::now());
        assert!(system.abs_diff(ours) < 50_000_000, "{system} {ours}");
    }
}
