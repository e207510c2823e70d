//! Planted panics and failures, for tests and not in a release: the session that was chosen panics at the n-th marked place that it passes,
//! or the n-th of its steps of some kind fails (`fails!`).
//!
//! A place is marked by `plant!`, or by calling what is marked so and says who called: taking a lock, reading a page. In a release build
//! nothing of it is left.

use crate::sys::atomic::Ordering as SlotOrdering;
use crate::{panics, worker};
use std::panic::Location;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Whose passings count; 0: nobody's.
static SESSION: AtomicU32 = AtomicU32::new(0);
static PASSED: AtomicU64 = AtomicU64::new(0);
/// The passing that panics; 0: none.
static NTH: AtomicU64 = AtomicU64::new(0);
/// The place whose first passing panics; empty: by number.
static NAMED: Mutex<String> = Mutex::new(String::new());
/// The places passed while none panics, each with its first passing.
static PLACES: Mutex<Vec<(&'static Location<'static>, u64)>> = Mutex::new(Vec::new());

/// From now on the passings of `session` are counted; the `nth` panics, 0: none.
pub fn choose(session: u32, nth: u64) {
    choose_named(session, "");
    NTH.store(nth, Ordering::Relaxed);
}

/// The next passing by `session` of the place of that name (file:line:column) panics.
pub fn choose_named(session: u32, place: &str) {
    place.clone_into(&mut NAMED.lock().expect("nobody panics with it"));
    PASSED.store(0, Ordering::Relaxed);
    places().clear();
    NTH.store(0, Ordering::Relaxed);
    SESSION.store(session, Ordering::Relaxed);
}

/// How many there were since, and the first of each place. Ends the count.
pub fn passed() -> (u64, Vec<(&'static Location<'static>, u64)>) {
    SESSION.store(0, Ordering::Relaxed);
    (PASSED.load(Ordering::Relaxed), places().clone())
}

fn places() -> std::sync::MutexGuard<'static, Vec<(&'static Location<'static>, u64)>> {
    PLACES.lock().expect("nobody panics with it")
}

#[inline]
#[track_caller]
pub fn pass() {
    if SESSION.load(Ordering::Relaxed) != 0 {
        count(Location::caller());
    }
}

/// As [`pass`], at a place that another crate has marked.
#[inline]
pub fn pass_at(place: &'static Location<'static>) {
    if SESSION.load(Ordering::Relaxed) != 0 {
        count(place);
    }
}

#[cold]
fn count(place: &'static Location<'static>) {
    let me = worker::current_or_none();
    if !me.is_some() || !worker::on_scheduler() || panics::unwinds() {
        return;
    }
    let session = worker::slot(me).session_id.load(SlotOrdering::Relaxed);
    // What `os` does for itself may not panic.
    if place.file().starts_with(panics::OWN_SOURCES) || session == 0 || session != SESSION.load(Ordering::Relaxed) {
        return;
    }
    let (passing, nth) = (PASSED.fetch_add(1, Ordering::Relaxed) + 1, NTH.load(Ordering::Relaxed));
    let named = NAMED.lock().expect("nobody panics with it").clone();
    let is_it = if named.is_empty() { passing == nth } else { place.to_string() == named };
    if is_it {
        SESSION.store(0, Ordering::Relaxed);
        panic!("planted at {place}");
    }
    if nth == 0 && named.is_empty() {
        let mut places = places();
        if !places.iter().any(|(known, _)| *known == place) {
            places.push((place, passing));
        }
    }
}

/// What may fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A block of a work file is written, or read.
    SpillWrite = 1,
    SpillRead,
    /// An operator asks for more memory.
    Memory,
    /// A loop looks whether it is to end.
    Yield,
}

impl Step {
    pub fn named(name: &str) -> Option<Step> {
        [Step::SpillWrite, Step::SpillRead, Step::Memory, Step::Yield]
            .into_iter()
            .find(|step| format!("{step:?}").eq_ignore_ascii_case(name))
    }
}

/// Whose steps of which kind are counted; 0: nobody's.
static STEPPING: AtomicU32 = AtomicU32::new(0);
static STEP: AtomicU32 = AtomicU32::new(0);
static STEPS: AtomicU64 = AtomicU64::new(0);
static NTH_STEP: AtomicU64 = AtomicU64::new(0);

/// From now on these steps of `session` are counted; the `nth` fails, 0: none.
pub fn choose_step(session: u32, step: Step, nth: u64) {
    STEPS.store(0, Ordering::Relaxed);
    NTH_STEP.store(nth, Ordering::Relaxed);
    STEP.store(step as u32, Ordering::Relaxed);
    STEPPING.store(session, Ordering::Relaxed);
}

/// How many there were since. Ends the count.
pub fn steps() -> u64 {
    STEPPING.store(0, Ordering::Relaxed);
    STEPS.load(Ordering::Relaxed)
}

/// Whether this step is the one.
#[inline]
pub fn fails(step: Step) -> bool {
    STEPPING.load(Ordering::Relaxed) != 0 && counts_down(step)
}

#[cold]
fn counts_down(step: Step) -> bool {
    let me = worker::current_or_none();
    if step as u32 != STEP.load(Ordering::Relaxed) || !me.is_some() || !worker::on_scheduler() {
        return false;
    }
    let session = worker::slot(me).session_id.load(SlotOrdering::Relaxed);
    session == STEPPING.load(Ordering::Relaxed)
        && STEPS.fetch_add(1, Ordering::Relaxed) + 1 == NTH_STEP.load(Ordering::Relaxed)
}
