//! What a process must know when engines are processes: which one it is, and when it must not die alone.
//!
//! An engine may be killed at any instruction. If none of its workers was inside a *critical section* of shared state, what
//! it leaves behind is whole: another engine rolls its transactions back and goes on. Otherwise nobody can know what state
//! the shared memory is in, and all engines must start again from the files. A section begins before the first instruction
//! that needs the rest to follow ([`enter`]) and ends after the last ([`leave`]); locks do so by themselves when they lie in
//! the region. Sections are counted by each scheduler for itself, in the shared tables, so that the count outlives the engine.

use crate::panics;
use crate::worker::{self, SCHEDULERS_MAX, system};
use std::sync::atomic::{AtomicI32, AtomicU32, AtomicUsize, Ordering};

/// Engines there may be: `max online engines`.
pub const ENGINES_MAX: usize = 128;

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The eventfd of each scheduler slot, one less; 0: none was made before a fork.
static WAKE_FDS: [AtomicI32; SCHEDULERS_MAX] = [const { AtomicI32::new(0) }; SCHEDULERS_MAX];

/// This process's engine, from 1; 0 in the launcher and in a process that is the only one.
#[inline]
pub fn number() -> u32 {
    NUMBER.load(Ordering::Relaxed)
}

/// The CPU of an engine, from 1, where all of them divide `cpus`.
pub fn cpu_of(engine: u32, cpus: &[u32]) -> u32 {
    assert!(engine != 0 && !cpus.is_empty(), "engine {engine} of {} CPUs", cpus.len());
    cpus[(engine as usize - 1) % cpus.len()]
}

/// The eventfd made for a scheduler slot before the fork.
pub(crate) fn wake_fd(scheduler: u32) -> Option<i32> {
    WAKE_FDS[scheduler as usize].load(Ordering::Relaxed).checked_sub(1).filter(|fd| *fd >= 0)
}

/// A range of addresses that forked engines share; both 0: none.
struct SharedRange {
    start: AtomicUsize,
    end: AtomicUsize,
}

/// What lies in one of them is shared state. They come and go before the fork, in a process with one thread.
static SHARED: [SharedRange; SHARED_MAX] =
    [const { SharedRange { start: AtomicUsize::new(0), end: AtomicUsize::new(0) } }; SHARED_MAX];

/// An instance has one, and one more if its files lie in memory; a test may have another.
const SHARED_MAX: usize = 8;

impl SharedRange {
    fn set(&self, start: usize, end: usize) {
        self.start.store(start, Ordering::Relaxed);
        self.end.store(end, Ordering::Relaxed);
    }
}

/// Those there are: they stand at the front.
fn shared() -> impl Iterator<Item = &'static SharedRange> {
    SHARED.iter().take_while(|range| range.end.load(Ordering::Relaxed) != 0)
}

/// From now on locks in this range count.
pub(crate) fn add_shared(start: usize, end: usize) {
    let used = shared().count();
    assert!(used < SHARED_MAX, "few regions are shared");
    assert!(start < end, "an empty range would end the list");
    SHARED[used].set(start, end);
}

/// The range that starts there is gone.
pub(crate) fn remove_shared(start: usize) {
    let last = shared().last();
    if let (Some(gone), Some(last)) = (shared().find(|range| range.start.load(Ordering::Relaxed) == start), last) {
        gone.set(last.start.load(Ordering::Relaxed), last.end.load(Ordering::Relaxed));
        last.set(0, 0);
    }
}

pub(crate) fn is_shared<T>(what: &T) -> bool {
    let at = what as *const T as usize;
    let holds =
        |range: &SharedRange| at >= range.start.load(Ordering::Relaxed) && at < range.end.load(Ordering::Relaxed);
    number() != 0 && shared().any(holds)
}

/// Begins a critical section of what lies at `what`, if that is shared with other engines.
#[inline]
pub fn enter<T>(what: &T) {
    if number() != 0 {
        count(what, 1);
    }
}

/// Ends a critical section that `enter` of the same thing began.
#[inline]
pub fn leave<T>(what: &T) {
    if number() != 0 {
        count(what, -1);
    }
}

/// A critical section with its end. What is not ended by [`Section::end`] is left by an error or by a panic, and a panic in it ends the process.
pub struct Section<'a, T> {
    of: &'a T,
}

/// Begins a critical section of what lies at `of`, as [`enter`] does.
#[inline]
pub fn section<T>(of: &T) -> Section<'_, T> {
    enter(of);
    Section { of }
}

impl<T> Section<'_, T> {
    /// Without the question whether a panic is under way, which a path that got here need not ask.
    #[inline]
    pub fn end(self) {
        leave(self.of);
        std::mem::forget(self);
    }
}

impl<T> Drop for Section<'_, T> {
    #[inline]
    fn drop(&mut self) {
        panics::assert_whole("a critical section");
        leave(self.of);
    }
}

#[cold]
fn count<T>(what: &T, change: i32) {
    let scheduler = worker::current_scheduler();
    if scheduler == 0 || !is_shared(what) {
        return;
    }
    let critical = &system().scheduler(scheduler).critical;
    // No other thread changes it. Release: the section's writes come between the two changes of the count.
    let before = critical.load(Ordering::Relaxed);
    assert!(change > 0 || before > 0, "a critical section ends that did not begin");
    critical.store(before.wrapping_add_signed(change), Ordering::Release);
    std::sync::atomic::compiler_fence(Ordering::SeqCst);
}

/// Whether an engine, which has ended, was inside a critical section.
pub fn died_inside(engine: u32) -> bool {
    assert!(engine != 0 && engine != number(), "engine {engine} is asked for by one that lives");
    schedulers_of(engine).any(|index| system().scheduler(index).critical.load(Ordering::Acquire) != 0)
}

pub(crate) fn schedulers_of(engine: u32) -> impl Iterator<Item = u32> {
    let of = move |index: &u32| {
        let slot = system().scheduler(*index);
        slot.status.load(Ordering::Acquire) != 0 && slot.engine.load(Ordering::Relaxed) == engine
    };
    (1..=system().schedulers_used()).filter(of)
}

/// This process is an engine from now on.
#[cfg(not(shuttle))]
pub(crate) fn become_engine(engine: u32) {
    assert!((1..=ENGINES_MAX as u32).contains(&engine), "engine {engine}");
    assert!(number() == 0, "engine {} makes no engines", number());
    NUMBER.store(engine, Ordering::Relaxed);
}

/// Makes the eventfds of the first scheduler slots.
#[cfg(not(shuttle))]
pub(crate) fn make_wake_fds(schedulers: u32) {
    assert!(number() == 0 && schedulers > 0, "they are made before the fork, for {schedulers} schedulers");
    for slot in &WAKE_FDS[1..=schedulers as usize] {
        if slot.load(Ordering::Relaxed) == 0 {
            slot.store(crate::sys::eventfd() + 1, Ordering::Relaxed);
        }
    }
}
