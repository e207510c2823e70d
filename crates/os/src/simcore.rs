//! The heart of the simulated machine: virtual time, the seed's random numbers, the hash of everything that happened.
//! It is found by thread: a simulation runs on one OS thread, and other threads (other tests) do not notice it.
#![allow(unsafe_code)]

use crate::rng::Rng;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Simulations running in this process, and its death if it is to die at a mark: 0 in a server, so that every hook is one
/// predictable branch.
static RUNNING: AtomicU32 = AtomicU32::new(0);

/// The mark at which this process dies, and how often it still passes it.
static DEATH: OnceLock<(String, AtomicU32)> = OnceLock::new();

thread_local! {
    static HERE: Cell<bool> = const { Cell::new(false) };
    static CORE: RefCell<Option<SimCore>> = const { RefCell::new(None) };
}

/// Whether this thread is inside a simulation.
#[inline]
pub fn active() -> bool {
    // Relaxed: a thread inside a simulation set it itself, and any other reads HERE as false.
    RUNNING.load(Ordering::Relaxed) != 0 && HERE.get()
}

/// Whether marks mean anything.
#[inline]
pub fn has_marks() -> bool {
    RUNNING.load(Ordering::Relaxed) != 0
}

/// See `os::sim::die_at`.
pub fn die_at(mark: &str, nth: u32) {
    assert!(nth > 0, "1 is the next");
    assert!(DEATH.set((mark.to_owned(), AtomicU32::new(nth))).is_ok(), "a process dies once");
    RUNNING.fetch_add(1, Ordering::Relaxed);
}

/// A mark is passed outside of simulations.
pub fn pass_real(name: &str) {
    if let Some((mark, left)) = DEATH.get()
        && mark == name
        && left.fetch_sub(1, Ordering::Relaxed) == 1
    {
        // SAFETY: no memory is touched.
        unsafe { libc::kill(libc::getpid(), libc::SIGKILL) };
    }
}

/// Runs `f` on this thread's simulation. `f` must not park.
pub fn with<R>(f: impl FnOnce(&mut SimCore) -> R) -> R {
    CORE.with_borrow_mut(|core| f(core.as_mut().expect("inside a simulation")))
}

/// Makes this thread a simulated machine until [`leave`].
pub fn enter(core: SimCore) {
    assert!(!HERE.get(), "a simulation does not nest");
    let left = CORE.with_borrow_mut(|slot| slot.replace(core));
    assert!(left.is_none(), "the last simulation is still here");
    HERE.set(true);
    RUNNING.fetch_add(1, Ordering::Relaxed);
}

pub fn leave() -> SimCore {
    assert!(HERE.get());
    HERE.set(false);
    let running = RUNNING.fetch_sub(1, Ordering::Relaxed);
    assert!(running > 0, "a simulation ends that was not counted");
    CORE.with_borrow_mut(|slot| slot.take().expect("entered"))
}

/// Not 0: "no deadline yet" and "long ago" must differ from the start of time.
pub const START_NS: u64 = 1_000_000_000;

/// What a trace entry is about.
pub const TRACE_RUN: u64 = 1;
pub const TRACE_DISK: u64 = 2;
pub const TRACE_NET: u64 = 3;
pub const TRACE_POINT: u64 = 4;

/// Something that happens at its time: bytes arrive, an I/O completes.
pub type Happening = Box<dyn FnOnce()>;

pub struct SimCore {
    now_ns: u64,
    rng: Rng,
    hash: u64,
    traced: u64,
    events: BTreeMap<(u64, u64), Happening>,
    events_made: u64,
    kill_at_step: Option<u64>,
    /// The power fails at this passing of a mark, counted down.
    kill_at_point: Option<(String, u64)>,
    steps: u64,
    stuck: bool,
    /// One allocation in so many is refused; 0: none.
    pub memory_refusals: u64,
    seed: u64,
    /// Marks passed, with how often.
    points: BTreeMap<&'static str, u64>,
    /// When which mark was passed, the first ones; empty if nobody asked.
    passed: Vec<(u64, &'static str)>,
    pub passed_max: usize,
    pub point_yields: u64,
    pub steps_max: u64,
    pub no_choices: bool,
}

impl SimCore {
    pub fn new(seed: u64) -> SimCore {
        SimCore {
            now_ns: START_NS,
            rng: Rng::from_seed(seed),
            hash: 0xcbf2_9ce4_8422_2325,
            traced: 0,
            events: BTreeMap::new(),
            events_made: 0,
            kill_at_step: None,
            kill_at_point: None,
            steps: 0,
            stuck: false,
            memory_refusals: 0,
            seed,
            points: BTreeMap::new(),
            passed: Vec::new(),
            passed_max: 0,
            point_yields: 0,
            steps_max: u64::MAX,
            no_choices: false,
        }
    }

    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    pub fn advance_to(&mut self, ns: u64) {
        assert!(ns >= self.now_ns, "simulated time goes back");
        self.now_ns = ns;
    }

    pub fn advance(&mut self, ns: u64) {
        assert!(self.now_ns.checked_add(ns).is_some(), "simulated time ends");
        self.now_ns += ns;
    }

    pub fn random(&mut self) -> u64 {
        self.rng.next()
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.rng.below(bound)
    }

    /// True once in `n`.
    pub fn one_in(&mut self, n: u64) -> bool {
        n > 0 && self.rng.below(n) == 0
    }

    /// Adds one event to the trace: what happened and to whom. Two runs of a seed must add the same ones.
    pub fn trace(&mut self, what: u64, whom: u64) {
        self.traced += 1;
        for word in [self.now_ns, what, whom] {
            self.hash = (self.hash ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
        }
    }

    pub fn trace_hash(&self) -> u64 {
        self.hash
    }

    pub fn trace_events(&self) -> u64 {
        self.traced
    }

    /// Lets `event` happen `delay_ns` from now.
    pub fn schedule(&mut self, delay_ns: u64, event: Happening) {
        self.events_made += 1;
        let at = self.now_ns.checked_add(delay_ns).expect("a time that comes");
        let other = self.events.insert((at, self.events_made), event);
        assert!(other.is_none(), "each event has its own number");
    }

    pub fn due_event(&mut self) -> Option<Happening> {
        let first = self.events.first_entry()?;
        (first.key().0 <= self.now_ns).then(|| first.remove())
    }

    pub fn next_event_ns(&self) -> Option<u64> {
        self.events.first_key_value().map(|(key, _)| key.0)
    }

    /// Forgets what was to happen: the machine is gone.
    pub fn take_events(&mut self) -> Vec<Happening> {
        std::mem::take(&mut self.events).into_values().collect()
    }

    /// The power fails at the `step`th scheduling step from now on.
    pub fn kill_at_step(&mut self, step: u64) {
        self.kill_at_step = Some(self.steps + step);
    }

    /// The power fails when `name` is passed for the `nth` time from now on, 1 being the next.
    pub fn kill_at_point(&mut self, name: String, nth: u64) {
        assert!(nth > 0, "1 is the next");
        self.kill_at_point = Some((name, nth));
    }

    /// Counts a step; true when it must be the last.
    pub fn step(&mut self) -> bool {
        self.steps += 1;
        self.kill_due() || self.is_too_long()
    }

    /// Whether the power has failed.
    pub fn kill_due(&self) -> bool {
        self.kill_at_step.is_some_and(|at| self.steps >= at)
    }

    /// A look at the quantum takes a little time, and now and then ends it.
    pub fn quantum_ends(&mut self) -> bool {
        self.now_ns += 500;
        self.one_in(8)
    }

    pub fn is_too_long(&self) -> bool {
        self.steps > self.steps_max
    }

    pub fn steps(&self) -> u64 {
        self.steps
    }

    pub fn memory_refused(&mut self) -> bool {
        self.one_in(self.memory_refusals)
    }

    /// Counts a mark; true if the worker is to yield there.
    pub fn pass_point(&mut self, name: &'static str) -> bool {
        assert!(!name.is_empty(), "a mark has a name");
        self.note_point(name);
        self.trace(TRACE_POINT, hash_of(name));
        if let Some((wanted, left)) = &mut self.kill_at_point
            && wanted == name
        {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.kill_at_step(0);
                return true;
            }
        }
        self.one_in(self.point_yields)
    }

    /// Whether the rare way is taken here: in half of the seeds never, in the others once in so many times.
    pub fn choose(&mut self, name: &'static str, one_in: u64) -> bool {
        let rare = !self.no_choices && Rng::from_seed(self.seed ^ hash_of(name)).next() & 1 == 0 && self.one_in(one_in);
        if rare {
            self.note_point(name);
        }
        rare
    }

    fn note_point(&mut self, name: &'static str) {
        *self.points.entry(name).or_default() += 1;
        if self.passed.len() < self.passed_max {
            self.passed.push((self.now_ns, name));
        }
    }

    pub fn take_passed(&mut self) -> Vec<(u64, &'static str)> {
        std::mem::take(&mut self.passed)
    }

    pub fn take_points(&mut self) -> BTreeMap<&'static str, u64> {
        std::mem::take(&mut self.points)
    }

    /// Nobody can run any more and nothing is to happen.
    pub fn stuck(&mut self) {
        self.stuck = true;
    }

    pub fn is_stuck(&self) -> bool {
        self.stuck
    }
}

fn hash_of(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3))
}
