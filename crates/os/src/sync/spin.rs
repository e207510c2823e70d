//! Spinlock: bounded spins, exponentially growing backoff, then a yield of the worker. Named; collisions, spins and
//! backoffs are counted per name as `sys.dm_os_spinlock_stats` shows them.
//!
//! For a few instructions. Nothing under it may wait: it is the yield alone that keeps two workers of one scheduler from
//! spinning for ever. With debug assertions a worker counts those it holds, and `wait` checks that there are none.
#![allow(unsafe_code)]

use super::list::pause;
use crate::sys::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::wait::{current, yield_now};
use crate::{clock, engines, panics, simcore, worker};
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicPtr};

/// A name and its counters; a `static` per kind of spinlock.
pub struct SpinClass {
    name: &'static str,
    registered: AtomicBool,
    next: AtomicPtr<SpinClass>,
    collisions: AtomicU64,
    spins: AtomicU64,
    backoffs: AtomicU64,
    sleep_ns: AtomicU64,
    /// By scheduler, some of which share a line: what is counted at every grab must not be what the grabs wait for.
    grabs: [GrabLine; GRAB_LINES],
}

/// In cache lines of its own, pairs of which are fetched together.
#[repr(align(128))]
struct GrabLine(AtomicU64);

const GRAB_LINES: usize = 16;

/// Counters of one spinlock class since start.
#[derive(Clone, Debug, PartialEq)]
pub struct SpinCounts {
    pub name: &'static str,
    pub collisions: u64,
    pub spins: u64,
    pub backoffs: u64,
    pub sleep_ns: u64,
    /// Times that it was taken, as far as `count_grabs` was on.
    pub grabs: u64,
}

/// Whether it is counted how often spinlocks are taken; see `count_grabs`.
static GRABS_COUNT: AtomicBool = AtomicBool::new(false);

/// Of locks that nobody named.
static UNNAMED: SpinClass = SpinClass::new("UNNAMED");

static CLASSES: AtomicPtr<SpinClass> = AtomicPtr::new(std::ptr::null_mut());

impl SpinClass {
    pub const fn new(name: &'static str) -> SpinClass {
        SpinClass {
            name,
            registered: AtomicBool::new(false),
            next: AtomicPtr::new(std::ptr::null_mut()),
            collisions: AtomicU64::new(0),
            spins: AtomicU64::new(0),
            backoffs: AtomicU64::new(0),
            sleep_ns: AtomicU64::new(0),
            grabs: [const { GrabLine(AtomicU64::new(0)) }; GRAB_LINES],
        }
    }

    #[cold]
    fn count_grab(&'static self) {
        if !self.registered.load(Ordering::Relaxed) {
            self.register();
        }
        self.grabs[worker::current_scheduler() as usize % GRAB_LINES].0.fetch_add(1, Ordering::Relaxed);
    }

    /// A lock was found taken, and was looked at so often until it was free.
    #[cold]
    pub(super) fn count_collision(&'static self, spins: u64) {
        self.register();
        self.collisions.fetch_add(1, Ordering::Relaxed);
        self.spins.fetch_add(spins, Ordering::Relaxed);
    }

    /// Puts the class in the list of all, at its first collision or the first grab that is counted.
    fn register(&'static self) {
        if self.registered.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut head = CLASSES.load(Ordering::Acquire);
        loop {
            self.next.store(head, Ordering::Relaxed);
            let me = (self as *const SpinClass).cast_mut();
            match CLASSES.compare_exchange_weak(head, me, Ordering::Release, Ordering::Acquire) {
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
    }
}

/// Begins or ends counting how often spinlocks of this process are taken: an addition more for each grab, so it is off unless
/// somebody wants to know.
pub fn count_grabs(on: bool) {
    GRABS_COUNT.store(on, Ordering::Relaxed);
}

/// Every spinlock class that had a collision, or whose grabs were counted.
pub fn spin_classes() -> Vec<SpinCounts> {
    let mut counts = Vec::new();
    let mut at = CLASSES.load(Ordering::Acquire);
    // SAFETY: the list holds &'static SpinClass only and nothing is ever taken out.
    while let Some(class) = unsafe { at.as_ref() } {
        counts.push(SpinCounts {
            name: class.name,
            collisions: class.collisions.load(Ordering::Relaxed),
            spins: class.spins.load(Ordering::Relaxed),
            backoffs: class.backoffs.load(Ordering::Relaxed),
            sleep_ns: class.sleep_ns.load(Ordering::Relaxed),
            grabs: class.grabs.iter().map(|line| line.0.load(Ordering::Relaxed)).sum(),
        });
        at = class.next.load(Ordering::Relaxed);
    }
    counts
}

/// DBCC SQLPERF ('sys.dm_os_spinlock_stats', CLEAR).
pub fn clear_spin_classes() {
    let mut at = CLASSES.load(Ordering::Acquire);
    // SAFETY: the list holds &'static SpinClass only and nothing is ever taken out.
    while let Some(class) = unsafe { at.as_ref() } {
        let rare = [&class.collisions, &class.spins, &class.backoffs, &class.sleep_ns];
        for word in rare.into_iter().chain(class.grabs.iter().map(|line| &line.0)) {
            word.store(0, Ordering::Relaxed);
        }
        at = class.next.load(Ordering::Relaxed);
    }
}

pub struct SpinLock<T> {
    /// 0 free, else the holder's `WorkerId`. Acquire when taken, Release when freed.
    word: AtomicU32,
    /// None: the lock began as zeros, in the shared region; see `lock_as`.
    class: Option<&'static SpinClass>,
    value: UnsafeCell<T>,
}

// SAFETY: the lock gives the value to one holder at a time.
unsafe impl<T: Send> Sync for SpinLock<T> {}
// SAFETY: as for any owned T.
unsafe impl<T: Send> Send for SpinLock<T> {}

impl<T> SpinLock<T> {
    pub const fn new(class: &'static SpinClass, value: T) -> SpinLock<T> {
        SpinLock { word: AtomicU32::new(0), class: Some(class), value: UnsafeCell::new(value) }
    }

    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn lock(&self) -> SpinGuard<'_, T> {
        crate::plant!();
        engines::enter(self);
        let me = current().raw();
        if self.word.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed).is_err() {
            self.collide(me, self.class.unwrap_or(&UNNAMED));
        }
        worker::spinlocks_held(1);
        if GRABS_COUNT.load(Ordering::Relaxed) {
            self.class.unwrap_or(&UNNAMED).count_grab();
        }
        SpinGuard { lock: self }
    }

    /// As `lock`, counted under `class`: for a lock that began as zeros.
    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn lock_as(&self, class: &'static SpinClass) -> SpinGuard<'_, T> {
        crate::plant!();
        engines::enter(self);
        let me = current().raw();
        if self.word.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed).is_err() {
            self.collide(me, class);
        }
        worker::spinlocks_held(1);
        if GRABS_COUNT.load(Ordering::Relaxed) {
            class.count_grab();
        }
        SpinGuard { lock: self }
    }

    pub fn try_lock(&self) -> Option<SpinGuard<'_, T>> {
        engines::enter(self);
        let me = current().raw();
        let taken = self.word.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed).is_ok();
        if taken {
            worker::spinlocks_held(1);
        } else {
            engines::leave(self);
        }
        taken.then(|| SpinGuard { lock: self })
    }

    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }

    #[cold]
    fn collide(&self, me: u32, class: &'static SpinClass) {
        assert!(self.word.load(Ordering::Relaxed) != me, "spinlock {} taken twice by one worker", class.name);
        let (mut spins, mut backoffs, mut limit) = (0u64, 0u64, SPINS_FIRST);
        let mut sleep_ns = 0;
        'taken: loop {
            let mut turn = 0;
            for _ in 0..limit {
                spins += 1;
                if self.word.load(Ordering::Relaxed) == 0
                    && self.word.compare_exchange_weak(0, me, Ordering::Acquire, Ordering::Relaxed).is_ok()
                {
                    break 'taken;
                }
                if simcore::active() {
                    break;
                }
                pause(&mut turn);
            }
            backoffs += 1;
            let start = clock::now();
            yield_now();
            sleep_ns += clock::now().saturating_sub(start);
            limit = (limit * 2).min(SPINS_MOST);
        }
        assert!(spins > 0 && backoffs < spins, "{backoffs} backoffs in {spins} spins");
        class.count_collision(spins);
        class.backoffs.fetch_add(backoffs, Ordering::Relaxed);
        class.sleep_ns.fetch_add(sleep_ns, Ordering::Relaxed);
    }
}

/// Spins before the first backoff (about a microsecond), and before a late one.
const SPINS_FIRST: u32 = 128;
const SPINS_MOST: u32 = 8192;

pub struct SpinGuard<'a, T> {
    lock: &'a SpinLock<T>,
}

impl<T> Drop for SpinGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        panics::assert_whole("what a spinlock guards");
        debug_assert!(self.lock.word.load(Ordering::Relaxed) == current().raw(), "a spinlock is freed by its holder");
        worker::spinlocks_held(-1);
        self.lock.word.store(0, Ordering::Release);
        engines::leave(self.lock);
    }
}

impl<T> Deref for SpinGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard's existence means this worker holds the lock.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for SpinGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in deref, and `&mut self` makes it the only reference through the guard.
        unsafe { &mut *self.lock.value.get() }
    }
}
