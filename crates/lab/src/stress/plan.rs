//! What a run's connections share.

use std::path::PathBuf;

use os::sync::Event as Signal;

use super::Args;
use super::control::Control;
use super::output::Form;
use super::totals::Totals;
use super::work::Work;
use crate::client::Target;

/// How long connections may take to notice that it is over, before their requests are cancelled.
pub const STOP_WAIT_MS: u64 = 2_000;

pub struct Plan {
    pub args: Args,
    pub control: Control,
    pub work: Work,
    /// The servers; never empty.
    pub targets: Vec<Target>,
    pub totals: Totals,
    /// When a connection may begin its iterations: all are in, or the run is over.
    pub begin: Signal,
    /// Where the results go, and as what.
    pub output: Option<PathBuf>,
    pub form: Form,
    pub edge: Option<Box<dyn Fn(Edge) + Send + Sync>>,
}

/// A moment of a run that somebody else may want to know of. Who is called may wait: between the two nothing is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    /// Warm-up is over.
    Begin,
    /// The connections have been told to stop, or are at their end.
    End,
}

impl Plan {
    pub fn tell(&self, edge: Edge) {
        if let Some(tell) = &self.edge {
            tell(edge);
        }
    }

    /// Of the connection at `index`: the servers take turns.
    pub fn server_of(&self, index: u32) -> usize {
        index as usize % self.targets.len()
    }

    /// The schedulers take turns as well, with a step after each round, or one would have all connections of one server.
    pub fn scheduler_of(&self, index: u32) -> u32 {
        let schedulers = self.totals.schedulers;
        (index + index / (schedulers * self.targets.len() as u32)) % schedulers
    }

    /// -n for each input.
    pub fn connections(&self) -> u32 {
        self.args.connections * self.work.groups.len() as u32
    }
}
