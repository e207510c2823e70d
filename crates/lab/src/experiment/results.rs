//! Results as JSON lines, a file an experiment: each run is one line, written when it ends, so that what is there is always usable.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::link::Ceiling;
use super::machine::Machine;

/// One line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub enum Line {
    /// At the beginning, and again when it was resumed.
    Machine(Machine),
    /// Of the links that the experiment has, at the beginning and when it was resumed.
    Ceiling(Ceiling),
    Run(Box<Run>),
    Skipped(Skipped),
}

/// One run of one setting.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Of all that the run depended on: see `Setting::hash`.
    pub hash: String,
    /// The round that it belongs to, from 0.
    pub repeat: u32,
    /// Its place in the order in which runs were made.
    pub order: u32,
    /// By axis.
    pub setting: BTreeMap<String, String>,
    pub quick: bool,
    /// Where it was measured; none: a server started here.
    pub target: Option<String>,
    pub began_unix_s: u64,
    pub took_s: f64,
    /// By measure.
    pub values: BTreeMap<String, f64>,
    /// Seconds of the run: when they ended, and requests a second.
    pub seconds: Vec<(f64, f64)>,
    /// Iterations of each connection, up to `CLIENTS_MAX`.
    pub clients: Vec<u64>,
    /// Logical CPUs that may be used, and of 100 how busy each was, whoever used it.
    #[serde(default)]
    pub cpus: Vec<(u32, f64)>,
    /// What the server waited for: ms by wait type; none of it is 0.
    pub waits_ms: Vec<(String, f64)>,
    /// Collisions and spins by spinlock, where one was found taken.
    pub spinlocks: Vec<(String, f64, f64)>,
    /// Why it does not count.
    pub failed: Option<String>,
    /// What the server did not tell: lines of their own.
    #[serde(skip)]
    pub left_out: Vec<Skipped>,
}

/// What could not be measured here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skipped {
    pub what: String,
    pub why: String,
}

/// Of an experiment.
#[derive(Debug, Default)]
pub struct Results {
    pub machines: Vec<Machine>,
    pub ceilings: Vec<Ceiling>,
    pub runs: Vec<Run>,
    pub skipped: Vec<Skipped>,
}

impl Results {
    /// The runs that count: those of the newest program, for each setting.
    pub fn counted(&self) -> Vec<&Run> {
        let newest: BTreeMap<_, _> = self.runs.iter().map(|run| (&run.setting, &run.hash)).collect();
        let counts = |run: &&Run| run.failed.is_none() && newest[&run.setting] == &run.hash;
        self.runs.iter().filter(counts).collect()
    }
}

pub fn path(directory: &Path, experiment: &str) -> PathBuf {
    directory.join(format!("{experiment}.jsonl"))
}

/// What is there; empty if there is no file. A last line that was cut off is passed over: its run is missing, no more.
pub fn read(directory: &Path, experiment: &str) -> Result<Results, String> {
    let path = path(directory, experiment);
    let mut results = Results::default();
    if !os::fs::exists(&path) {
        return Ok(results);
    }
    let bytes = os::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        match serde_json::from_str(line) {
            Ok(Line::Machine(machine)) => results.machines.push(machine),
            Ok(Line::Ceiling(ceiling)) => results.ceilings.push(ceiling),
            Ok(Line::Run(run)) => results.runs.push(*run),
            Ok(Line::Skipped(skipped)) if results.skipped.contains(&skipped) => {}
            Ok(Line::Skipped(skipped)) => results.skipped.push(skipped),
            Err(_) if lines.peek().is_none() && !text.ends_with('\n') => {}
            Err(error) => return Err(format!("{}, line {}: {error}", path.display(), number + 1)),
        }
    }
    Ok(results)
}

/// Adds a line.
pub fn append(directory: &Path, experiment: &str, line: &Line) -> Result<(), String> {
    let path = path(directory, experiment);
    let mut text = serde_json::to_string(line).map_err(|error| format!("{}: {error}", path.display()))?;
    text.push('\n');
    os::fs::append(&path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()))
}

/// Takes away what a cut-off write has left at the end, so that lines can be added.
pub fn mend(directory: &Path, experiment: &str) -> Result<(), String> {
    let path = path(directory, experiment);
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    if !os::fs::exists(&path) {
        return Ok(());
    }
    let text = os::fs::read(&path).map_err(told)?;
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if whole < text.len() { os::fs::write(&path, &text[..whole]).map_err(told) } else { Ok(()) }
}
