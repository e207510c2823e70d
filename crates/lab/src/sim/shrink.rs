//! A plan that fails, made small: parts are taken out as long as what is left still fails in the same way.

use std::collections::BTreeSet;

use os::disk::SimDisk;

use super::machine::{Boot, Verdict, play};
use super::plan::{Change, Part, Plan, Workload};

/// Another order of steps may hide a failure that is still possible: each smaller plan is tried with some.
const SCHEDULES: u64 = 6;
/// Runs in all.
const RUNS_MAX: u32 = 3_000;
const NS_MAX: u64 = 120_000_000_000;

pub struct Shrunk<Op> {
    pub plan: Plan<Op>,
    pub verdict: Verdict,
    pub runs: u32,
}

struct Search<'a, W: Workload> {
    image: &'a SimDisk,
    boot: Boot,
    kind: String,
    /// On the real clock.
    until_ns: u64,
    best: Shrunk<W::Op>,
    progress: &'a mut dyn FnMut(u32, usize),
}

/// The smallest plan found that fails as `verdict` did.
pub fn shrink<W: Workload>(
    plan: Plan<W::Op>,
    verdict: Verdict,
    image: &SimDisk,
    boot: Boot,
    progress: &mut dyn FnMut(u32, usize),
) -> Shrunk<W::Op> {
    let kind = verdict.failure.as_ref().expect("a failure to shrink").kind.clone();
    let best = Shrunk { plan, verdict, runs: 0 };
    let mut search = Search::<W> { image, boot, kind, until_ns: os::clock::now() + NS_MAX, best, progress };
    loop {
        let before = search.best.plan.parts().len();
        search.take_parts_out();
        search.simplify();
        if search.best.plan.parts().len() == before || search.is_over() {
            return search.best;
        }
    }
}

impl<W: Workload> Search<'_, W> {
    fn is_over(&self) -> bool {
        self.best.runs >= RUNS_MAX || os::clock::now() > self.until_ns
    }

    /// Whether `plan` fails, too; then it is the best so far.
    fn try_plan(&mut self, mut plan: Plan<W::Op>) -> bool {
        let first = plan.schedule;
        for schedule in 0..SCHEDULES {
            if self.is_over() {
                return false;
            }
            plan.schedule = first.wrapping_add(schedule);
            self.best.runs += 1;
            let verdict = play::<W>(&plan, self.image, self.boot);
            if verdict.failure.as_ref().is_some_and(|failure| failure.kind == self.kind) {
                self.best.plan = plan;
                self.best.verdict = verdict;
                (self.progress)(self.best.runs, self.best.plan.parts().len());
                return true;
            }
        }
        (self.progress)(self.best.runs, self.best.plan.parts().len());
        false
    }

    /// Halves first, then smaller and smaller pieces (Zeller's delta debugging, complements only).
    fn take_parts_out(&mut self) {
        for client in 0..self.best.plan.clients.len() as u32 {
            let parts = self.best.plan.parts();
            let others: BTreeSet<Part> =
                parts.iter().copied().filter(|part| !matches!(part, Part::Step(of, _) if *of == client)).collect();
            if others.len() < parts.len() {
                self.try_plan(self.best.plan.keep(&others));
            }
        }
        let mut piece = self.best.plan.parts().len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            while at < self.best.plan.parts().len() && !self.is_over() {
                let parts = self.best.plan.parts();
                let rest = parts.iter().take(at).chain(parts.iter().skip(at + piece)).copied().collect();
                if !self.try_plan(self.best.plan.keep(&rest)) {
                    at += piece;
                }
            }
            if piece == 1 || self.is_over() {
                return;
            }
            piece = piece.div_ceil(2);
        }
    }

    /// A plainer machine, no cancels, no pauses; lives that end earlier, faults that last shorter.
    fn simplify(&mut self) {
        let changes = [
            Change::Schedulers(1),
            Change::PointYields(0),
            Change::MemoryMb(64),
            Change::NoChoices,
            Change::FullDisk,
            Change::VersionedReads,
            Change::NoCancels,
            Change::NoWaits,
        ];
        for change in changes {
            if !self.best.plan.changes.contains(&change) {
                self.try_plan(self.best.plan.change(change));
            }
        }
        for (part, mut end) in self.best.plan.ends.clone() {
            self.lower(*end.when(), |when| Change::When(part, when));
        }
        for fault in self.best.plan.faults.clone() {
            self.lower(fault.from_ms, |ms| Change::When(fault.id, ms));
            self.lower(fault.for_ms, |ms| Change::Lasts(fault.id, ms));
        }
    }

    /// The smallest number found with which it still fails, by halving what is between.
    fn lower(&mut self, mut fails: u64, change: impl Fn(u64) -> Change) {
        let mut holds = 0;
        while fails > holds + 1 && !self.is_over() {
            let middle = holds + (fails - holds) / 2;
            if self.try_plan(self.best.plan.change(change(middle))) {
                fails = middle;
            } else {
                holds = middle;
            }
        }
    }
}
