//! What the operating system has counted of a thread, from /proc: of this process's and, in the process kernel, of the other engines'.

/// Linux counts CPU time of threads in hundredths of a second, whatever the kernel's own tick is.
pub(crate) const TICK_MS: u64 = 10;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadUse {
    /// The process that it belongs to.
    pub process: u32,
    pub user_ms: u64,
    pub kernel_ms: u64,
    pub minor_faults: u64,
    pub major_faults: u64,
    /// It waited, or another had its turn.
    pub voluntary_switches: u64,
    pub involuntary_switches: u64,
    /// Since it began.
    pub age_ms: u64,
}

/// None: there is no such thread (any more), or the machine is a simulated one.
pub fn usage(thread: u32) -> Option<ThreadUse> {
    if crate::simcore::active() {
        return None;
    }
    let read = |path: String| std::fs::read_to_string(path).ok();
    let status = read(format!("/proc/{thread}/status"))?;
    let number = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    let process = number("Tgid:")?;
    let stat = read(format!("/proc/{process}/task/{thread}/stat"))?;
    let uptime = read("/proc/uptime".into())?;
    let uptime_s: f64 = uptime.split(' ').next()?.parse().ok()?;
    let [minor_faults, major_faults, user, kernel, started] = fields(&stat)?;
    Some(ThreadUse {
        process: process as u32,
        user_ms: user * TICK_MS,
        kernel_ms: kernel * TICK_MS,
        minor_faults,
        major_faults,
        voluntary_switches: number("voluntary_ctxt_switches:").unwrap_or(0),
        involuntary_switches: number("nonvoluntary_ctxt_switches:").unwrap_or(0),
        age_ms: ((uptime_s * 1e3) as u64).saturating_sub(started * TICK_MS),
    })
}

/// CPU time of a process since it began, user and kernel. None: there is no such process, or the machine is a simulated one.
pub fn process_cpu_ms(process: u32) -> Option<u64> {
    if crate::simcore::active() {
        return None;
    }
    let [.., user, kernel, _] = fields(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)?;
    Some((user + kernel) * TICK_MS)
}

/// minflt, majflt, utime, stime and starttime of a line of `stat`, proc(5).
fn fields(stat: &str) -> Option<[u64; 5]> {
    // The name, in brackets, may hold blanks and brackets. The field after it is the third.
    let all: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    let mut found = [0; 5];
    for (value, field) in found.iter_mut().zip([10, 12, 14, 15, 22]) {
        *value = all.get(field - 3)?.parse().ok()?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_works_is_seen_to() {
        assert_eq!(usage(0), None);
        let own = std::process::id();
        let before = usage(own).expect("the first thread has the process's number");
        assert_eq!(before.process, own);
        assert!(before.age_ms < 86_400_000);
        let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while process_cpu_ms(own).expect("this process") < TICK_MS {
            assert!(std::time::Instant::now() < until, "it works and no tick is counted");
        }
        assert_eq!(process_cpu_ms(u32::MAX), None);
    }

    #[test]
    fn a_name_may_hold_anything() {
        let rest = "S 1 2 3 4 5 6 70 8 90 10 110 120 13 14 15 16 17 18 190 20 21";
        assert_eq!(fields(&format!("7 (a ) b) {rest}")), Some([70, 90, 110, 120, 190]));
        assert_eq!(fields("7 (a) S 1 2"), None);
    }
}
