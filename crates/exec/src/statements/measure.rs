//! What the statements of a module cost, for sys.dm_exec_query_stats and its like: kept with the module, gone with it.
//!
//! Each shelf of a module's instances has counters of its own, and a scheduler runs one worker at a time: a counter is read,
//! added to and written without a locked instruction. Where more schedulers than shelves run, two of them may lose a count now
//! and then. Readers see numbers that are each right, not taken at one instant.
//!
//! Executions, pages and rows are counted every time. Two clock readings are a twentieth of a look-up by key, so of a statement that
//! takes less than `QUICK_NS` one execution in `SAMPLE` is timed and stands for the others; a wait in one of those is seen by the
//! scheduler's books and added. Longer statements are timed every time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use os::stats::Work;
use sql::plan::Module;

use crate::workspace::Granted;

/// Sum, last, smallest and largest of one number over executions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    pub total: u64,
    pub last: u64,
    pub min: u64,
    pub max: u64,
}

/// What completed executions of a statement, or of a whole module, cost. Times are ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    pub executions: u64,
    /// Of `os::clock::now`.
    pub last_start_ns: u64,
    /// On a CPU, as far as the scheduler knows: the time that its worker ran.
    pub worker: Figures,
    pub elapsed: Figures,
    pub physical_reads: Figures,
    pub logical_writes: Figures,
    pub logical_reads: Figures,
    pub rows: Figures,
    /// Bytes granted, used and expected, of the executions that were granted memory. None: none was.
    pub memory: Option<[Figures; 3]>,
    /// Pages of what was written to work files.
    pub spills: Figures,
}

/// A statement whose executions take less than this on average is not timed each time.
const QUICK_NS: u64 = 20_000;

/// Executions that are timed before a statement can be quick.
const TIMED_FIRST: u64 = 32;

/// Of a quick statement one execution in so many is timed.
const SAMPLE: u64 = 8;

/// One statement's, or the module's as a whole.
#[derive(Default)]
pub struct Counters {
    executions: AtomicU64,
    /// Executions of which nothing else is known.
    unmeasured: AtomicU64,
    last_start_ns: AtomicU64,
    /// Executions that were not timed since the last one that was.
    untimed: AtomicU64,
    quick: AtomicBool,
    physical_reads: Figure,
    logical_writes: Figure,
    logical_reads: Figure,
    rows: Figure,
    spills: Figure,
    worker: Figure,
    elapsed: Figure,
    memory: OnceLock<Box<Memory>>,
}

/// Of the executions that were granted memory: most statements have none.
#[derive(Default)]
struct Memory {
    executions: AtomicU64,
    granted: Figure,
    used: Figure,
    ideal: Figure,
}

/// Where an execution began.
#[derive(Clone)]
pub struct Mark {
    /// 0: it is not timed.
    clock_ns: u64,
    work: Work,
}

#[derive(Default)]
struct Figure {
    total: AtomicU64,
    last: AtomicU64,
    min: AtomicU64,
    max: AtomicU64,
}

fn get(word: &AtomicU64) -> u64 {
    word.load(Ordering::Relaxed)
}

fn set(word: &AtomicU64, value: u64) {
    word.store(value, Ordering::Relaxed);
}

impl Figure {
    #[inline]
    fn add(&self, value: u64, first: bool) {
        self.add_for(1, value, first);
    }

    /// `times` executions that each cost `value`, as far as is known.
    #[inline]
    fn add_for(&self, times: u64, value: u64, first: bool) {
        set(&self.total, get(&self.total).wrapping_add(value.wrapping_mul(times)));
        set(&self.last, value);
        if first || value < get(&self.min) {
            set(&self.min, value);
        }
        if value > get(&self.max) {
            set(&self.max, value);
        }
    }

    /// `untimed` executions are taken to cost what the last timed one did.
    fn read(&self, untimed: u64) -> Figures {
        let last = get(&self.last);
        let total = get(&self.total).wrapping_add(last.wrapping_mul(untimed));
        Figures { total, last, min: get(&self.min), max: get(&self.max) }
    }
}

impl Counters {
    pub fn executions(&self) -> u64 {
        get(&self.executions) + get(&self.unmeasured)
    }

    /// An execution that nobody wants measured has completed.
    pub fn pass(&self) {
        set(&self.unmeasured, get(&self.unmeasured) + 1);
    }

    #[inline]
    pub fn begin(&self) -> Mark {
        let timed = !self.quick.load(Ordering::Relaxed) || get(&self.untimed) >= SAMPLE - 1;
        Mark { clock_ns: if timed { os::clock::now() } else { 0 }, work: os::stats::work_here() }
    }

    /// The execution that began at `mark` has completed. `spills`: pages.
    #[inline]
    pub fn end(&self, mark: &Mark, rows: u64, spills: u64) {
        let (before, work) = (&mark.work, os::stats::work_here());
        let executions = get(&self.executions);
        let first = executions == 0;
        self.physical_reads.add(work.page_faults.wrapping_sub(before.page_faults), first);
        self.logical_writes.add(work.page_writes.wrapping_sub(before.page_writes), first);
        self.logical_reads.add(work.page_reads.wrapping_sub(before.page_reads), first);
        self.rows.add(rows, first);
        // Of a statement that never spilled all are 0 already.
        if spills > 0 || get(&self.spills.total) > 0 {
            self.spills.add(spills, first);
        }
        set(&self.executions, executions + 1);
        if mark.clock_ns != 0 {
            self.timed(mark, &work, executions + 1);
        } else {
            set(&self.untimed, get(&self.untimed) + 1);
            set(&self.last_start_ns, before.quantum_start_ns);
            if work.quantum_used_ns != before.quantum_used_ns {
                self.waited(before, &work);
            }
        }
    }

    pub fn count_grant(&self, grant: Granted) {
        let memory = self.memory.get_or_init(Box::default);
        let first = get(&memory.executions) == 0;
        set(&memory.executions, get(&memory.executions) + 1);
        memory.granted.add(grant.granted, first);
        memory.used.add(grant.used, first);
        memory.ideal.add(grant.ideal, first);
    }

    fn timed(&self, mark: &Mark, work: &Work, executions: u64) {
        let now = os::clock::now();
        let (elapsed, first) = (now.saturating_sub(mark.clock_ns), executions == 1);
        let running = work.running_ns(now).saturating_sub(mark.work.running_ns(mark.clock_ns));
        set(&self.last_start_ns, mark.clock_ns);
        // A long one among quick ones stands for itself only.
        let (untimed, stands_for) = (get(&self.untimed), if elapsed < QUICK_NS { 1 + get(&self.untimed) } else { 1 });
        for (figure, value) in [(&self.elapsed, elapsed), (&self.worker, running)] {
            let others = if stands_for == 1 { get(&figure.last).min(QUICK_NS).wrapping_mul(untimed) } else { 0 };
            figure.add_for(stands_for, value, first);
            set(&figure.total, get(&figure.total).wrapping_add(others));
        }
        set(&self.untimed, 0);
        let quick = executions >= TIMED_FIRST && get(&self.elapsed.total) / executions < QUICK_NS && elapsed < QUICK_NS;
        self.quick.store(quick, Ordering::Relaxed);
    }

    /// An execution that was not timed lost the CPU: how long it was away, but for what it ran in between, is known.
    #[cold]
    fn waited(&self, before: &Work, work: &Work) {
        let ran = work.quantum_used_ns.wrapping_sub(before.quantum_used_ns);
        let away = work.quantum_start_ns.saturating_sub(before.quantum_start_ns).saturating_sub(ran);
        set(&self.elapsed.total, get(&self.elapsed.total).wrapping_add(away));
        set(&self.elapsed.max, get(&self.elapsed.max).max(away));
    }

    fn read(&self) -> Option<Measured> {
        let (executions, untimed) = (get(&self.executions), get(&self.untimed));
        (executions > 0).then(|| Measured {
            executions,
            last_start_ns: get(&self.last_start_ns),
            worker: self.worker.read(untimed),
            elapsed: self.elapsed.read(untimed),
            physical_reads: self.physical_reads.read(0),
            logical_writes: self.logical_writes.read(0),
            logical_reads: self.logical_reads.read(0),
            rows: self.rows.read(0),
            memory: self.memory.get().map(|memory| [&memory.granted, &memory.used, &memory.ideal].map(|of| of.read(0))),
            spills: self.spills.read(0),
        })
    }
}

impl Measured {
    fn and(self, other: Measured) -> Measured {
        let later = other.last_start_ns > self.last_start_ns;
        let both = |a: Figures, b: Figures| Figures {
            total: a.total.wrapping_add(b.total),
            last: if later { b.last } else { a.last },
            min: a.min.min(b.min),
            max: a.max.max(b.max),
        };
        Measured {
            executions: self.executions + other.executions,
            last_start_ns: self.last_start_ns.max(other.last_start_ns),
            worker: both(self.worker, other.worker),
            elapsed: both(self.elapsed, other.elapsed),
            physical_reads: both(self.physical_reads, other.physical_reads),
            logical_writes: both(self.logical_writes, other.logical_writes),
            logical_reads: both(self.logical_reads, other.logical_reads),
            rows: both(self.rows, other.rows),
            memory: match (self.memory, other.memory) {
                (Some(a), Some(b)) => Some(std::array::from_fn(|at| both(a[at], b[at]))),
                (a, b) => a.or(b),
            },
            spills: both(self.spills, other.spills),
        }
    }
}

/// Queries of a module that are measured, the first ones: counters must not outgrow the plans.
const QUERIES_MAX: usize = 1_000;

/// The module's own first, then those of its queries by `QueryId`.
pub fn counters_for(module: &Module) -> Arc<[Counters]> {
    (0..=module.queries.len().min(QUERIES_MAX)).map(|_| Counters::default()).collect()
}

/// The module's own is the first, then those of its queries; None: never completed. Empty: the module never ran.
pub fn read<'a>(shelves: impl Iterator<Item = &'a [Counters]>) -> Vec<Option<Measured>> {
    let mut sums: Vec<Option<Measured>> = Vec::new();
    for shelf in shelves {
        sums.resize(shelf.len(), None);
        for (sum, counters) in sums.iter_mut().zip(shelf) {
            *sum = match (*sum, counters.read()) {
                (Some(sum), Some(more)) => Some(sum.and(more)),
                (sum, more) => sum.or(more),
            };
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(clock_ns: u64) -> Mark {
        Mark { clock_ns, work: Work::default() }
    }

    #[test]
    fn shelves_add_up_and_the_latest_is_the_last() {
        let (a, b) = ([Counters::default(), Counters::default()], [Counters::default(), Counters::default()]);
        a[1].end(&mark(5), 10, 0);
        a[1].end(&mark(30), 2, 3);
        b[1].end(&mark(20), 40, 7);
        let sums = read([&a[..], &b[..]].into_iter());
        assert_eq!(sums[0], None);
        let sum = sums[1].expect("three executions");
        assert_eq!((sum.executions, sum.last_start_ns), (3, 30));
        assert_eq!(sum.rows, Figures { total: 52, last: 2, min: 2, max: 40 });
        assert_eq!(sum.spills, Figures { total: 10, last: 3, min: 0, max: 7 });
    }

    #[test]
    fn a_sample_stands_for_the_others_and_their_waits_are_added() {
        let counters = Counters::default();
        for _ in 0..TIMED_FIRST {
            counters.end(&counters.begin(), 0, 0);
        }
        assert!(counters.quick.load(Ordering::Relaxed), "nothing takes less than nothing");
        counters.end(&counters.begin(), 0, 0);
        assert_eq!(counters.begin().clock_ns, 0, "not each of them is timed");
        // Ran 100 ns, was away for 5 ms, ran again.
        let before = Work { quantum_start_ns: 1_000, quantum_used_ns: 50, ..Work::default() };
        let after = Work { quantum_start_ns: 5_001_100, quantum_used_ns: 150, ..Work::default() };
        counters.waited(&before, &after);
        let measured = counters.read().expect("executions");
        assert_eq!((measured.executions, measured.elapsed.max), (TIMED_FIRST + 1, 5_000_000));
        assert!(measured.elapsed.total >= 5_000_000);
    }
}
