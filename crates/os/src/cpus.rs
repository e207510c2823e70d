//! What the operating system has counted of each logical CPU, whoever used it, from /proc/stat.

use crate::threads::TICK_MS;
use crate::{limits, simcore};

/// Since the machine started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CpuUse {
    pub cpu: u32,
    pub user_ms: u64,
    /// With interrupts.
    pub kernel_ms: u64,
    /// With waits for disks.
    pub idle_ms: u64,
    /// The host of a virtual machine gave the CPU to others.
    pub stolen_ms: u64,
}

impl CpuUse {
    /// It worked, for whatever program.
    pub fn busy_ms(self) -> u64 {
        self.user_ms + self.kernel_ms
    }

    /// That there was to use, stolen time included.
    pub fn all_ms(self) -> u64 {
        self.busy_ms() + self.idle_ms + self.stolen_ms
    }

    /// What has come since `before`.
    pub fn since(self, before: CpuUse) -> CpuUse {
        let grown = |of: fn(&CpuUse) -> u64| of(&self).saturating_sub(of(&before));
        CpuUse {
            cpu: self.cpu,
            user_ms: grown(|all| all.user_ms),
            kernel_ms: grown(|all| all.kernel_ms),
            idle_ms: grown(|all| all.idle_ms),
            stolen_ms: grown(|all| all.stolen_ms),
        }
    }
}

/// Of the CPUs that the process may use. None of them in a simulated machine.
pub fn usage() -> Vec<CpuUse> {
    if simcore::active() {
        return Vec::new();
    }
    let usable = limits::usable_cpus();
    let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    text.lines().filter_map(of_line).filter(|row| usable.contains(&row.cpu)).collect()
}

/// `cpu3 user nice system idle iowait irq softirq steal guest guest_nice`, proc(5). None: a line of something else.
fn of_line(line: &str) -> Option<CpuUse> {
    let (cpu, counts) = line.strip_prefix("cpu")?.split_once(' ')?;
    let counts: Vec<u64> = counts.split_whitespace().map_while(|count| count.parse().ok()).collect();
    let [user, nice, system, idle, iowait, irq, softirq, steal] = *counts.first_chunk()?;
    Some(CpuUse {
        cpu: cpu.parse().ok()?,
        // A guest's time is the user's already.
        user_ms: (user + nice) * TICK_MS,
        kernel_ms: (system + irq + softirq) * TICK_MS,
        idle_ms: (idle + iowait) * TICK_MS,
        stolen_ms: steal * TICK_MS,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_cpu() {
        let row = CpuUse { cpu: 3, user_ms: 30, kernel_ms: 160, idle_ms: 90, stolen_ms: 80 };
        assert_eq!(of_line("cpu3 1 2 3 4 5 6 7 8 9 10"), Some(row));
        assert_eq!(of_line("cpu  1 2 3 4 5 6 7 8 9 10"), None, "the sum of all");
        assert_eq!(of_line("cpu3 1 2 3"), None);
        assert_eq!(of_line("intr 1 2 3 4 5 6 7 8 9"), None);
    }

    #[test]
    fn what_has_come_between_two_looks() {
        let before = CpuUse { cpu: 3, user_ms: 10, kernel_ms: 20, idle_ms: 30, stolen_ms: 40 };
        let after = CpuUse { cpu: 3, user_ms: 11, kernel_ms: 22, idle_ms: 33, stolen_ms: 44 };
        let grown = after.since(before);
        assert_eq!(grown, CpuUse { cpu: 3, user_ms: 1, kernel_ms: 2, idle_ms: 3, stolen_ms: 4 });
        assert_eq!((grown.busy_ms(), grown.all_ms()), (3, 10));
        // A machine's idle time may be told a little lower than before.
        assert_eq!(before.since(after).all_ms(), 0);
    }

    #[test]
    fn every_usable_cpu_has_counts() {
        let all = usage();
        assert_eq!(all.iter().map(|row| row.cpu).collect::<Vec<_>>(), limits::usable_cpus());
        assert!(all.iter().all(|row| row.user_ms + row.idle_ms > 0), "{all:?}");
    }
}
