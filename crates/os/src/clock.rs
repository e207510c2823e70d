//! Time. In a simulation the simulated time; otherwise the machine's. Nothing above `os` reads a clock another way.
#![allow(unsafe_code)]

use crate::simcore;

/// Nanoseconds since some moment before the process started; never goes back.
pub fn now() -> u64 {
    if simcore::active() {
        return simcore::with(|sim| sim.now_ns());
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

/// Minutes local time is ahead of UTC at this moment (the offset of `sysdatetimeoffset`). 0 in a simulation.
pub fn local_offset_minutes() -> i32 {
    if simcore::active() {
        return 0;
    }
    let seconds = (read_clock(libc::CLOCK_REALTIME) / 1_000_000_000) as libc::time_t;
    // SAFETY: tm is plain data; localtime_r fills it from a live time_t.
    let mut parts: libc::tm = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are live for the call.
    unsafe { libc::localtime_r(&seconds, &mut parts) };
    (parts.tm_gmtoff / 60) as i32
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

/// A cheap counter for measuring short spans (a few ns a read). See [`ticks_per_us`]; 1000 in a simulation.
pub fn ticks() -> u64 {
    if simcore::active() {
        return now();
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: rdtsc has no preconditions on x86-64.
    return unsafe { core::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    return read_clock(libc::CLOCK_MONOTONIC);
}

/// How many [`ticks`] a microsecond has, measured once.
pub fn ticks_per_us() -> u64 {
    if simcore::active() {
        return 1000;
    }
    static RATE: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    *RATE.get_or_init(|| {
        let (start_ns, start) = (read_clock(libc::CLOCK_MONOTONIC), ticks());
        // 2 ms are enough for three digits, and a quantum needs no more.
        while read_clock(libc::CLOCK_MONOTONIC) - start_ns < 2_000_000 {
            std::hint::spin_loop();
        }
        let elapsed_ns = read_clock(libc::CLOCK_MONOTONIC) - start_ns;
        ((ticks() - start) * 1000 / elapsed_ns).max(1)
    })
}

/// 100 ns ticks from 0001-01-01 to 1970-01-01: 719162 days.
const UNIX_EPOCH_TICKS: u64 = 719_162 * 86_400 * 10_000_000;
const SIM_UNIX_START_NS: u64 = 1_704_067_200 * 1_000_000_000;

fn read_clock(id: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is live; these clock ids exist on every Linux we run on.
    unsafe { libc::clock_gettime(id, &mut time) };
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
        assert!(super::ticks_per_us() > 0);
    }
}
