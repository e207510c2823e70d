//! `startup.toml` in the data directory: the options of sp_configure that a start needs before it can open master, since they
//! decide on what master is opened: kernel, workers, schedulers, memory.
//!
//! Master is the truth; the file is a copy, written after each change and, where a crash came between, at the next start. The
//! command line, the environment and the configuration file win over both.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use os::region::Placed;
use os::sync::Mutex;
use os::wait::WaitType;
use storage::{Memory, StorageResult};

use crate::settings::config::{Configuration, OPTIONS, option};

/// Options that are in the file once somebody set them.
pub const OPTIONS_AT_START: [usize; 7] = [
    option::MAX_WORKER_THREADS,
    option::AFFINITY_MASK,
    option::MAX_SERVER_MEMORY,
    option::LIGHTWEIGHT_POOLING,
    option::AFFINITY64_MASK,
    option::KERNEL_MODE,
    option::MAX_ONLINE_ENGINES,
];

const HEADER: &str =
    "# What sp_configure set of the options that a start needs first. Written by the server: change it there.\n";

/// Values from the file, as sp_configure took them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StartupValues(BTreeMap<String, i64>);

impl StartupValues {
    /// None: nobody set it.
    pub fn get(&self, index: usize) -> Option<i64> {
        self.0.get(OPTIONS[index].name).copied()
    }

    /// Err: it is not such a file, or names what is not such an option.
    pub fn parse(text: &str) -> Result<StartupValues, String> {
        let values: BTreeMap<String, i64> = toml::from_str(text).map_err(|error| error.to_string())?;
        let known = |name: &str| OPTIONS_AT_START.iter().any(|index| OPTIONS[*index].name == name);
        match values.keys().find(|name| !known(name)) {
            Some(name) => Err(format!("'{name}' is no option of a start")),
            None => Ok(StartupValues(values)),
        }
    }

    pub fn of(configuration: &Configuration) -> StartupValues {
        let given = OPTIONS_AT_START.iter().filter_map(|&index| Some((index, configuration.given(index)?)));
        StartupValues(given.map(|(index, value)| (OPTIONS[index].name.to_string(), value)).collect())
    }

    pub fn text(&self) -> String {
        self.0.iter().fold(HEADER.to_string(), |text, (name, value)| text + &format!("\"{name}\" = {value}\n"))
    }
}

pub fn path(directory: &Path) -> PathBuf {
    directory.join("startup.toml")
}

/// The file of a running server.
pub struct StartupFile {
    /// None: the server keeps nothing.
    path: Option<PathBuf>,
    /// Lets one writer of all engines after the other: the last one has seen the newest values.
    writing: Placed<Mutex<()>>,
}

impl StartupFile {
    pub fn new(directory: Option<&Path>, memory: &Memory) -> StorageResult<StartupFile> {
        let writing = memory.place("startup.toml", Mutex::new(WaitType::SOS_MUTEX, ()))?;
        Ok(StartupFile { path: directory.map(path), writing })
    }

    /// Writes what is configured now. A file that cannot be written is told in the log: the next start will say what it missed.
    pub fn write(&self, configuration: &Configuration) {
        let Some(path) = &self.path else { return };
        let _writing = self.writing.lock();
        let text = StartupValues::of(configuration).text();
        if let Err(error) = os::fs::write(path, text.as_bytes()) {
            tracing::error!("{}: {error}: options of sp_configure for the next start are not in it", path.display());
        }
    }

    /// At a start: `used` is what it found in the file. If a crash came between master and the file, the file is written anew.
    pub fn repair(&self, configuration: &Configuration, used: &StartupValues) {
        let configured = StartupValues::of(configuration);
        if configured != *used {
            tracing::warn!("startup.toml was not what sp_configure set: from the next start on {configured:?} holds");
            self.write(configuration);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_set_is_written_and_read_again() {
        let configuration = crate::settings::config::tests::defaults();
        assert_eq!(StartupValues::of(&configuration).text(), HEADER);
        configuration.configure(option::LIGHTWEIGHT_POOLING, 1);
        configuration.configure(option::AFFINITY_MASK, -2147483648);
        configuration.configure(option::NESTED_TRIGGERS, 0);
        let values = StartupValues::parse(&StartupValues::of(&configuration).text()).expect("its own text");
        assert_eq!(values, StartupValues::of(&configuration));
        assert_eq!(values.get(option::LIGHTWEIGHT_POOLING), Some(1));
        assert_eq!(values.get(option::AFFINITY_MASK), Some(-2147483648));
        assert_eq!(values.get(option::KERNEL_MODE), None);
    }

    #[test]
    fn another_file_is_refused() {
        assert!(StartupValues::parse("speed = 11").expect_err("unknown").contains("'speed'"));
        assert!(StartupValues::parse("\"kernel mode\" = \"fast\"").is_err());
        assert!(StartupValues::parse("kernel mode").is_err());
    }
}
