//! `heddle lab sim`: the whole server inside the simulated machine, real clients, faults from a seed, and checks of what the
//! server promises. See docs/simulation.md.

mod panics;
mod trace;
mod client;
mod leftovers;
mod outcomes;
mod accounts;
mod plan;
mod bank;
mod history;
mod append;
mod machine;
mod map;
mod ring;
mod shrink;
mod storm;
mod vault;
mod farm;
mod runner;

use clap::{Args as ClapArgs, ValueEnum};

pub use machine::{Boot, Stop, Verdict};
use plan::{Change, Part};
pub use plan::{FaultKind, Wish};
pub use runner::Runner;

/// Run the whole server in a simulated machine: virtual time, a disk and a network in memory, and a schedule drawn from a seed
///
/// Clients work on it while the power fails, disks fill up, connections break; then it is checked that the server kept its
/// promises. A seed repeats exactly, so a failure is found again by its seed alone.
///
///   heddle lab sim --count 1000                        a thousand seeds of all workloads
///   heddle lab sim --seeds 0..500 --workload bank      these, of one workload
///   heddle lab sim --seed 4711 --trace -               one, and what happened in it
///   heddle lab sim --seed 4711 --minimize              one that fails, made small, and its trace
///   heddle lab sim --count 100 --fault kill,reset      these faults in every seed
///
/// Without --workload a seed's workload is the seed's: all take turns.
///
/// Exit code 0: no failure; 1: some seed failed; 2: it could not begin.
#[derive(Debug, Clone, ClapArgs)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// One seed.
    #[arg(long, value_name = "N", conflicts_with_all = ["seeds", "count"])]
    pub seed: Option<u64>,
    /// Seeds from the first up to, not including, the second.
    #[arg(long, value_name = "A..B", value_parser = parse_range, conflicts_with = "count")]
    pub seeds: Option<(u64, u64)>,
    /// So many seeds, from 0. Default: 100.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// What the clients do, and what is checked.
    #[arg(long, value_enum)]
    pub workload: Option<Kind>,
    /// Faults that every seed has, and no others; none: an undisturbed machine. Default: the seed chooses.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FAULT,...")]
    pub fault: Vec<FaultKind>,
    /// No faults at all.
    #[arg(long, conflicts_with = "fault")]
    pub no_faults: bool,
    /// Write what happened in a single seed's run to this file; -: to stdout.
    #[arg(long, value_name = "FILE", requires = "seed")]
    pub trace: Option<String>,
    /// With the marks that the server's code passes (`sim_point!`).
    #[arg(long)]
    pub points: bool,
    /// Make each plan that fails small, and print its trace.
    #[arg(long)]
    pub minimize: bool,
    /// Only these parts of the plan, as --minimize printed them.
    #[arg(long, value_delimiter = ',', value_name = "PART,...", requires = "seed")]
    pub keep: Vec<Part>,
    /// With these changes to the plan, as --minimize printed them: no-waits, schedulers=1, e0=120 (when a life ends) ...
    #[arg(long, value_delimiter = ',', value_name = "CHANGE,...", requires = "seed")]
    pub change: Vec<Change>,
    /// The machine's own choices from this number instead of the seed, as --minimize printed it.
    #[arg(long, value_name = "N", requires = "seed")]
    pub schedule: Option<u64>,
    /// Run each seed twice and compare the two traces.
    #[arg(long)]
    pub twice: bool,
    /// Processes at a time. Default: one for each CPU.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub jobs: Option<u32>,
    /// Stop at the first failure.
    #[arg(long)]
    pub first: bool,
    /// No progress bar.
    #[arg(long)]
    pub no_progress: bool,
    /// Speak to the process that started this one.
    #[arg(long, hide = true)]
    pub child: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, ValueEnum)]
pub enum Kind {
    /// Rows that point to each other: they stay one ring
    Ring,
    /// Transfers between accounts: their sum stays
    Bank,
    /// Lists that are appended to: no cycles of dependencies that the isolation level forbids
    Append,
    /// Random changes and reads, against an ordered map
    Map,
    /// Connections that come and go: nothing of them is left
    Storm,
    /// Transfers between accounts in memory-optimized tables, told to a table on pages
    Vault,
}

impl Kind {
    pub const ALL: [Kind; 6] = [Kind::Ring, Kind::Bank, Kind::Append, Kind::Map, Kind::Storm, Kind::Vault];

    pub fn of_seed(seed: u64) -> Kind {
        Kind::ALL[(seed % Kind::ALL.len() as u64) as usize]
    }
}

const SEEDS_DEFAULT: u64 = 100;

impl Args {
    fn range(&self) -> std::ops::Range<u64> {
        match (self.seed, self.seeds, self.count) {
            (Some(seed), _, _) => seed..seed.saturating_add(1),
            (_, Some((from, to)), _) => from..to,
            (_, _, count) => 0..count.unwrap_or(SEEDS_DEFAULT),
        }
    }

    fn wish(&self) -> Wish {
        Wish {
            faults: if self.no_faults {
                Some(Vec::new())
            } else {
                (!self.fault.is_empty()).then(|| self.fault.clone())
            },
        }
    }

    fn kind(&self, seed: u64) -> Kind {
        self.workload.unwrap_or(Kind::of_seed(seed))
    }
}

/// The process's exit code.
pub fn run(args: &Args, boot: Boot) -> i32 {
    panics::keep();
    let outcome = match (args.child, args.seed) {
        (true, _) => farm::serve(args, boot),
        (false, Some(seed)) => runner::one(args, seed, boot),
        (false, None) => farm::run(args, boot),
    };
    match outcome {
        Ok(0) => 0,
        Ok(_) => 1,
        Err(why) => {
            eprintln!("heddle lab sim: {why}");
            2
        }
    }
}

pub fn parse_range(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = text.split_once("..").ok_or("seeds are given as 0..100")?;
    let number = |text: &str| text.parse().map_err(|_| format!("{text} is no number"));
    let (from, to): (u64, u64) = (number(from)?, number(to)?);
    if from < to { Ok((from, to)) } else { Err(format!("{from}..{to} is empty")) }
}
