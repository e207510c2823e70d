//! What the machine offers: CPUs, memory, and what a container or the administrator allows of them.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU64, Ordering};

/// CPUs the process may run on (its affinity mask at the first call), ascending.
pub fn usable_cpus() -> Vec<u32> {
    if crate::simcore::active() {
        return vec![0, 1];
    }
    // Asked once: later the asking thread may be bound to fewer.
    static USABLE: std::sync::OnceLock<Vec<u32>> = std::sync::OnceLock::new();
    USABLE.get_or_init(affinity_here).clone()
}

fn affinity_here() -> Vec<u32> {
    // SAFETY: cpu_set_t is plain data, filled by the call.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) != 0 {
            return vec![0];
        }
        let cpus: Vec<u32> = (0..libc::CPU_SETSIZE as u32).filter(|cpu| libc::CPU_ISSET(*cpu as usize, &set)).collect();
        assert!(!cpus.is_empty(), "this thread runs, and may not run anywhere");
        cpus
    }
}

/// CPUs' worth of time the control group may use a second (v2 `cpu.max`, v1 quota and period); `None`: unlimited.
pub fn cpu_quota() -> Option<f64> {
    let (quota, period) = match read_group("cpu.max") {
        Some(text) => {
            let (quota, period) = text.trim().split_once(' ')?;
            (quota.to_owned(), period.to_owned())
        }
        None => {
            let quota = read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")?;
            (quota, read("/sys/fs/cgroup/cpu/cpu.cfs_period_us")?)
        }
    };
    let quota: f64 = quota.trim().parse().ok().filter(|quota| *quota > 0.0)?;
    let period: f64 = period.trim().parse().ok().filter(|period| *period > 0.0)?;
    Some(quota / period)
}

/// Bytes of memory the process may use: the smaller of the machine's and its control group's.
pub fn memory_limit() -> u64 {
    if crate::simcore::active() {
        return 4 << 30;
    }
    let group = read_group("memory.max").or_else(|| read("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    let group = group.and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    physical_memory().min(group)
}

/// Bytes of addresses the process may have (`ulimit -v`); None: as many as there are.
pub fn address_space() -> Option<u64> {
    // SAFETY: rlimit is plain data, filled by the call.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        let known = libc::getrlimit(libc::RLIMIT_AS, &mut limit) == 0;
        (known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
    }
}

/// Bytes of memory of the machine.
pub fn physical_memory() -> u64 {
    meminfo("MemTotal:").unwrap_or(1 << 30)
}

/// Bytes of memory that could be had now without swapping, of the machine and of the control groups that the process is in.
pub fn available_memory() -> u64 {
    let machine = meminfo("MemAvailable:").unwrap_or(1 << 29);
    group_paths().iter().filter_map(|path| available_in(path)).fold(machine, u64::min)
}

/// Of the group's limit what is not in use, where cached files are not: they go when memory is wanted. None: it has no limit.
fn available_in(group: &str) -> Option<u64> {
    let number = |name: &str| read(&format!("{group}/{name}"))?.trim().parse::<u64>().ok();
    let (limit, used) = (number("memory.max")?, number("memory.current")?);
    let stat = read(&format!("{group}/memory.stat"))?;
    let cached = stat.lines().filter_map(|line| line.split_once(' ')).filter(|(name, _)| name.ends_with("active_file"));
    let cached: u64 = cached.filter_map(|(_, bytes)| bytes.parse::<u64>().ok()).sum();
    Some(limit.saturating_sub(used.saturating_sub(cached)))
}

/// What the process may still ask for within its own bound of memory, as its owner said last.
static EXPECTED: AtomicU64 = AtomicU64::new(0);

/// The process will ask for so much more memory: files that lie in memory leave it room.
pub fn expect_use(bytes: u64) {
    EXPECTED.store(bytes, Ordering::Relaxed);
}

/// Bytes by which files that lie in memory may grow now. What the process will ask for is left to it, a quarter of all at most: a bound
/// may be set higher than the machine allows, and data must have a place.
pub fn spare_memory() -> u64 {
    let kept = EXPECTED.load(Ordering::Relaxed).min(memory_limit() / 4);
    available_memory().saturating_sub(kept)
}

/// Bytes of memory the process has resident.
pub fn resident_memory() -> u64 {
    resident_and_shared().0
}

/// Bytes of memory that only the process has: neither of files, as its program, nor shared with others. In a simulation, whose process
/// has other things too: none.
pub fn private_memory() -> u64 {
    if crate::simcore::active() {
        return 0;
    }
    let (resident, shared) = resident_and_shared();
    resident.saturating_sub(shared)
}

/// From /proc/self/statm.
fn resident_and_shared() -> (u64, u64) {
    let text = read("/proc/self/statm").unwrap_or_default();
    let bytes = |at| text.split(' ').nth(at).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096;
    (bytes(1), bytes(2))
}

/// Files that the process may have open, and how far it may raise that itself.
fn file_limit() -> Option<libc::rlimit> {
    // SAFETY: rlimit is plain data, filled by the call.
    unsafe {
        let mut limit: libc::rlimit = std::mem::zeroed();
        (libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0).then_some(limit)
    }
}

/// Raises the soft limit of open files to the hard one; returns it.
pub fn raise_open_files() -> u64 {
    if let Some(limit) = file_limit() {
        let limit = libc::rlimit { rlim_cur: limit.rlim_max, ..limit };
        // SAFETY: reads the struct. Where it is refused the limit stays as it was.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) };
    }
    files_allowed()
}

/// Files that the process may have open.
pub fn open_files() -> u64 {
    if crate::simcore::active() { 1 << 20 } else { files_allowed() }
}

fn files_allowed() -> u64 {
    file_limit().map_or(1024, |limit| limit.rlim_cur)
}

/// How the CPUs are laid out, for sys.dm_os_sys_info.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Topology {
    pub logical_cpus: u32,
    pub sockets: u32,
    pub cores_per_socket: u32,
    pub numa_nodes: u32,
}

pub fn topology() -> Topology {
    let text = read("/proc/cpuinfo").unwrap_or_default();
    let values = |key: &str| {
        let lines = text.lines().filter(|line| line.starts_with(key));
        lines.filter_map(|line| line.rsplit(':').next()?.trim().parse::<u32>().ok()).collect::<Vec<_>>()
    };
    let logical_cpus = (text.lines().filter(|line| line.starts_with("processor")).count() as u32).max(1);
    let mut sockets = values("physical id");
    sockets.sort_unstable();
    sockets.dedup();
    let sockets = (sockets.len() as u32).max(1);
    let cores_per_socket = values("cpu cores").first().copied().unwrap_or(logical_cpus / sockets).max(1);
    let nodes = (0..1024).take_while(|n| std::path::Path::new(&format!("/sys/devices/system/node/node{n}")).exists());
    Topology { logical_cpus, sockets, cores_per_socket, numa_nodes: (nodes.count() as u32).max(1) }
}

/// The CPUs of each NUMA node, as far as the process may use them; one node where the system names none.
pub fn numa_nodes() -> Vec<Vec<u32>> {
    let usable = usable_cpus();
    let list = |node: usize| read(&format!("/sys/devices/system/node/node{node}/cpulist"));
    let of = |text: String| parse_cpu_list(&text).unwrap_or_default();
    let nodes: Vec<Vec<u32>> = (0..1024).map_while(list).map(of).collect();
    let mine = |cpus: Vec<u32>| cpus.into_iter().filter(|cpu| usable.contains(cpu)).collect();
    if nodes.is_empty() || crate::simcore::active() { vec![usable] } else { nodes.into_iter().map(mine).collect() }
}

/// `0-3,6` as the kernel writes CPUs; `None` for what is no such list.
pub fn parse_cpu_list(text: &str) -> Option<Vec<u32>> {
    const CPU_MAX: u32 = 1_023;
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.trim().parse::<u32>().ok()?, last.trim().parse::<u32>().ok()?);
        if first > last || last > CPU_MAX {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

/// The value of `name` in the closest of our control groups that sets one.
fn read_group(name: &str) -> Option<String> {
    let mut texts = group_paths().into_iter().filter_map(|group| read(&format!("{group}/{name}")));
    texts.find(|text| !text.starts_with("max"))
}

/// Our control group's directory (v2) and those above it, the root's last.
fn group_paths() -> Vec<String> {
    let group = read("/proc/self/cgroup").unwrap_or_default();
    let Some(path) = group.lines().find_map(|line| line.strip_prefix("0::")) else { return Vec::new() };
    let above = std::path::Path::new(path.trim()).ancestors();
    above.map(|path| format!("/sys/fs/cgroup{}", path.to_string_lossy().trim_end_matches('/'))).collect()
}

fn meminfo(key: &str) -> Option<u64> {
    let text = read("/proc/meminfo")?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kb| kb * 1024)
}

fn read(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn this_machine_has_cpus_and_memory() {
        assert!(!super::usable_cpus().is_empty());
        assert!(super::memory_limit() > 64 << 20 && super::memory_limit() <= super::physical_memory());
        assert!(super::private_memory() > 0 && super::private_memory() <= super::resident_memory());
        crate::heap::trim();
        assert!(super::resident_memory() > 0 && super::available_memory() > 0);
        let topology = super::topology();
        assert!(topology.logical_cpus >= topology.sockets && topology.numa_nodes > 0);
        assert!(super::cpu_quota().is_none_or(|quota| quota > 0.0));
        let nodes = super::numa_nodes();
        assert!(!nodes.is_empty() && nodes.concat().len() == super::usable_cpus().len());
        assert_eq!(super::parse_cpu_list("0-2,5\n"), Some(vec![0, 1, 2, 5]));
        assert_eq!(super::parse_cpu_list("3-1"), None);
    }
}
