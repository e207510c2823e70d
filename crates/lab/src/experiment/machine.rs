//! The machine that an experiment ran on: what must be known to read its figures, and what differs from machine to machine.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// How `Machine::virtualization` begins where there is one.
const VIRTUAL: &str = "virtual machine";

/// Below this two logical CPUs share a core, whatever is told of them: their own cores would make it 2.
const SHARED_CORE_GAIN: f64 = 1.4;

/// Recorded with each call of `heddle lab run`. What the system does not tell is "unknown".
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Machine {
    pub heddle: String,
    pub system: String,
    pub cpu_model: String,
    pub logical_cpus: u32,
    /// That this process may use.
    pub usable_cpus: Vec<u32>,
    /// Logical CPUs of one core, core by core: `0,4`.
    pub siblings: Vec<String>,
    pub governor: String,
    pub virtualization: String,
    pub numa_nodes: usize,
    /// CPUs' worth of time that a control group allows.
    pub cpu_quota: Option<f64>,
    pub memory_bytes: u64,
    /// The smaller of the machine's and its control group's.
    pub memory_limit_bytes: u64,
    /// Of 4 KB, when the run began.
    #[serde(default)]
    pub fresh_page_ns: Option<u64>,
    /// What the first two usable CPUs do at once, in times of what one does alone ([`os::cores::pair_gain`]).
    #[serde(default)]
    pub pair_gain: Option<f64>,
    pub clock_source: String,
}

impl Machine {
    pub fn look() -> Machine {
        Machine {
            heddle: env!("CARGO_PKG_VERSION").into(),
            system: os::env::os_release(),
            cpu_model: of_cpuinfo("model name").unwrap_or_else(unknown),
            logical_cpus: os::limits::topology().logical_cpus,
            usable_cpus: os::limits::usable_cpus(),
            siblings: siblings(),
            governor: read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").unwrap_or_else(unknown),
            virtualization: virtualization(),
            numa_nodes: os::limits::numa_nodes().len(),
            cpu_quota: os::limits::cpu_quota(),
            memory_bytes: os::limits::physical_memory(),
            memory_limit_bytes: os::limits::memory_limit(),
            fresh_page_ns: None,
            pair_gain: None,
            clock_source: read("/sys/devices/system/clocksource/clocksource0/current_clocksource")
                .unwrap_or_else(unknown),
        }
    }

    /// As `look`, with what takes a fraction of a second to try.
    pub fn try_out() -> Machine {
        let machine = Machine::look();
        let pair = machine.usable_cpus.first_chunk();
        Machine {
            fresh_page_ns: os::region::fresh_page_ns(),
            pair_gain: pair.and_then(|pair| os::cores::pair_gain(*pair)),
            ..machine
        }
    }

    /// What a definition may call by `$(name)`. Err: why this machine has none.
    pub fn variables(&self) -> BTreeMap<String, Result<String, String>> {
        let cores: Vec<Vec<u32>> = self.siblings.iter().filter_map(|list| os::limits::parse_cpu_list(list)).collect();
        let mine = |cpus: &[u32]| cpus.iter().copied().filter(|cpu| self.usable_cpus.contains(cpu)).collect();
        let cores: Vec<Vec<u32>> =
            cores.iter().map(|core| mine(core)).filter(|core: &Vec<u32>| !core.is_empty()).collect();
        let has_siblings = cores.iter().any(|core| core.len() > 1);
        let no_siblings = || {
            let mut told = "no two logical CPUs of this machine share a core".to_string();
            if self.virtualization.starts_with(VIRTUAL) {
                told.push_str(", as far as its host tells");
                if let Some(gain) = self.pair_gain.filter(|gain| *gain < SHARED_CORE_GAIN) {
                    let but = format!("; but the first two do {gain:.2} times the work of one, as two of one core do");
                    told.push_str(&but);
                }
            }
            told
        };
        let half = cores[..cores.len() / 2].concat();
        let half = match () {
            () if !has_siblings => Err(no_siblings()),
            () if half.is_empty() => Err("this machine has only one core".into()),
            () => Ok(list(&half)),
        };
        let first: Vec<u32> = cores.iter().map(|core| core[0]).collect();
        BTreeMap::from([
            ("cpu_count".into(), Ok(self.usable_cpus.len().to_string())),
            ("cpus_all".into(), Ok(list(&self.usable_cpus))),
            ("cpus_one".into(), Ok(list(&self.usable_cpus[..1]))),
            ("cpus_one_a_core".into(), if has_siblings { Ok(list(&first)) } else { Err(no_siblings()) }),
            ("cpus_half_with_siblings".into(), half),
        ])
    }
}

/// As `--cpus` takes them.
fn list(cpus: &[u32]) -> String {
    cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

fn unknown() -> String {
    "unknown".into()
}

fn read(path: &str) -> Option<String> {
    let text = os::fs::read_text(Path::new(path)).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn of_cpuinfo(key: &str) -> Option<String> {
    let text = read("/proc/cpuinfo")?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn siblings() -> Vec<String> {
    let of = |cpu: u32| read(&format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"));
    let mut cores: Vec<String> = Vec::new();
    for list in os::limits::usable_cpus().into_iter().map(|cpu| of(cpu).unwrap_or_else(|| cpu.to_string())) {
        if !cores.contains(&list) {
            cores.push(list);
        }
    }
    cores
}

fn virtualization() -> String {
    let flags = of_cpuinfo("flags").unwrap_or_default();
    let has_host = flags.split(' ').any(|flag| flag == "hypervisor");
    let product = ["/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name"].map(read);
    let product: Vec<String> = product.into_iter().flatten().collect();
    match (has_host, product.is_empty()) {
        (false, _) => "no sign of a hypervisor".into(),
        (true, true) => VIRTUAL.into(),
        (true, false) => format!("{VIRTUAL} ({})", product.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(siblings: &[&str], usable: &[u32]) -> BTreeMap<String, Result<String, String>> {
        let siblings = siblings.iter().map(|list| list.to_string()).collect();
        Machine { siblings, usable_cpus: usable.to_vec(), ..Machine::look() }.variables()
    }

    #[test]
    fn cpus_by_cores() {
        let threaded = with(&["0,4", "1,5", "2,6", "3,7"], &[0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(threaded["cpus_one_a_core"], Ok("0,1,2,3".into()));
        assert_eq!(threaded["cpus_half_with_siblings"], Ok("0,4,1,5".into()));
        assert_eq!(threaded["cpu_count"], Ok("8".into()));
        let plain = with(&["0", "1"], &[0, 1]);
        assert_eq!(plain["cpus_all"], Ok("0,1".into()));
        assert!(plain["cpus_one_a_core"].is_err() && plain["cpus_half_with_siblings"].is_err());
        let told = |virtualization: &str| {
            let machine =
                Machine { virtualization: virtualization.into(), siblings: vec!["0".into()], ..Machine::look() };
            machine.variables()["cpus_one_a_core"].clone().expect_err("no siblings")
        };
        assert!(told("virtual machine (KVM)").ends_with("as far as its host tells"));
        assert!(told("no sign of a hypervisor").ends_with("share a core"));
        let hidden = Machine {
            virtualization: "virtual machine (KVM)".into(),
            siblings: vec!["0".into(), "1".into()],
            pair_gain: Some(1.08),
            ..Machine::look()
        };
        let told = hidden.variables()["cpus_one_a_core"].clone().expect_err("no siblings");
        assert!(told.ends_with("the first two do 1.08 times the work of one, as two of one core do"), "{told}");
        // Only one of two siblings may be used: there is nothing to share.
        assert!(with(&["0,2", "1,3"], &[0, 1])["cpus_one_a_core"].is_err());
    }

    #[test]
    fn this_machine_is_known() {
        let machine = Machine::try_out();
        assert!(!machine.cpu_model.is_empty());
        assert_eq!(machine.pair_gain.is_some(), machine.usable_cpus.len() > 1);
    }
}
