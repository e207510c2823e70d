//! What happened in a run, for people: who did what when and what came of it. Its text is part of what two runs of a seed
//! must have in common.

use std::fmt;

use os::sync::{SpinClass, SpinLock};

/// Lines kept; the rest is counted.
const LINES_MAX: usize = 100_000;

static LINES: SpinClass = SpinClass::new("SIM_TRACE");

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    Machine,
    /// Who prepares and checks.
    Referee,
    Client(u32),
}

#[derive(Clone, Debug)]
pub struct Line {
    /// Which life of the server, from 0.
    pub life: u32,
    /// Since that life began.
    pub at_ns: u64,
    pub who: Who,
    pub text: String,
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = match self.who {
            Who::Machine => "machine".into(),
            Who::Referee => "referee".into(),
            Who::Client(number) => format!("client {number}"),
        };
        write!(f, "{:>2} {:>12.3} ms  {who:<9} {}", self.life, self.at_ns as f64 / 1e6, self.text)
    }
}

pub struct Trace {
    lines: SpinLock<Vec<Line>>,
}

impl Default for Trace {
    fn default() -> Trace {
        Trace { lines: SpinLock::new(&LINES, Vec::new()) }
    }
}

impl Trace {
    pub fn add(&self, line: Line) {
        let mut lines = self.lines.lock();
        if lines.len() < LINES_MAX {
            lines.push(line);
        }
    }

    pub fn take(&self) -> Vec<Line> {
        std::mem::take(&mut *self.lines.lock())
    }
}

/// Folds text into a hash.
pub fn hash_text(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// What was called: statements on one line, and not all of a long one.
pub fn short(text: &str) -> String {
    const LONG: usize = 400;
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() > LONG {
        let cut = (0..=LONG).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
        line.truncate(cut);
        line += " ...";
    }
    line
}
