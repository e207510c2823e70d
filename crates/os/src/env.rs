//! The process's surroundings. Empty in a simulation, where a run depends on its seed alone.

use crate::simcore;

/// An environment variable; `None` if unset, not Unicode, or in a simulation.
pub fn var(name: &str) -> Option<String> {
    if simcore::active() { None } else { std::env::var(name).ok() }
}

/// Names of the environment's variables; none in a simulation.
pub fn names() -> Vec<String> {
    if simcore::active() {
        return Vec::new();
    }
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect()
}

/// An environment variable, in a simulation too: for what shows a run and does not change it.
pub fn var_outside(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

pub fn arguments() -> Vec<String> {
    std::env::args().collect()
}

/// The OS process id; 1 in a simulation.
pub fn process_id() -> u32 {
    if simcore::active() { 1 } else { std::process::id() }
}

/// The machine's name, as `SERVERPROPERTY('MachineName')` shows it.
pub fn host_name() -> String {
    let name = if simcore::active() { None } else { std::fs::read_to_string("/proc/sys/kernel/hostname").ok() };
    let name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    name.unwrap_or_else(|| "localhost".to_owned())
}

/// What the system's `os-release` says of itself under this name; empty: nothing.
pub fn distribution(name: &str) -> String {
    let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    value.unwrap_or_default().trim_matches(['"', '\'']).to_owned()
}

/// Kernel and distribution, for @@VERSION.
pub fn os_release() -> String {
    let name = distribution("PRETTY_NAME");
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} <{}>", if name.is_empty() { "Linux" } else { &name }, kernel.trim())
}
