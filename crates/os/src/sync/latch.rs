//! A latch protects the physical consistency of a structure for a moment. Owned by a worker, never by a transaction.
//!
//! Five modes as SQL Server has them (facts: latch modes and their compatibility):
//! ```text
//!        KP SH UP EX DT      KP keep: the structure stays where it is
//!    KP   +  +  +  +  -      SH shared: read
//!    SH   +  +  +  -  -      UP update: read, one at a time, before EX
//!    UP   +  +  -  -  -      EX exclusive: change
//!    EX   +  -  -  -  -      DT destroy: take the structure away
//!    DT   -  -  -  -  -
//! ```
//! One 64-bit word; waiters park in FIFO order and are handed the latch; nobody passes a waiter.
//! ```text
//!  63..44   43..24 23..4  3    2    1    0
//!  waiters | KP   | SH   | UP | EX | DT | list lock
//! ```
#![allow(unsafe_code)]

use super::list::{Holder, WaitList, grant_all, mode_of, pause, wait_granted};
use crate::sys::atomic::{AtomicU64, Ordering};
use crate::wait::WaitType;
use crate::{clock, panics};
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicPtr};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum LatchMode {
    Keep = 0,
    Shared = 1,
    Update = 2,
    Exclusive = 3,
    Destroy = 4,
}

/// A name with its counters (`sys.dm_os_latch_stats`) and the family of wait types its waits are booked under.
pub struct LatchClass {
    name: &'static str,
    /// The KP member; the others follow it.
    waits: WaitType,
    registered: AtomicBool,
    next: AtomicPtr<LatchClass>,
    waiting_requests: AtomicU64,
    wait_ns: AtomicU64,
    max_ns: AtomicU64,
}

/// Counters of one latch class since start.
#[derive(Clone, Debug, PartialEq)]
pub struct LatchCounts {
    pub name: &'static str,
    pub waiting_requests: u64,
    pub wait_ns: u64,
    pub max_wait_ns: u64,
}

static CLASSES: AtomicPtr<LatchClass> = AtomicPtr::new(std::ptr::null_mut());

impl LatchClass {
    /// A class of non-buffer latches: waits are LATCH_*.
    pub const fn new(name: &'static str) -> LatchClass {
        LatchClass::with_waits(name, WaitType::LATCH_KP)
    }

    /// A class whose waits are the five types that begin at `first`, e.g. `PAGELATCH_KP`.
    pub const fn with_waits(name: &'static str, first: WaitType) -> LatchClass {
        assert!((first as usize + LatchMode::Destroy as usize) < WaitType::COUNT, "five types from the first on");
        LatchClass {
            name,
            waits: first,
            registered: AtomicBool::new(false),
            next: AtomicPtr::new(std::ptr::null_mut()),
            waiting_requests: AtomicU64::new(0),
            wait_ns: AtomicU64::new(0),
            max_ns: AtomicU64::new(0),
        }
    }

    /// Books a wait that the owner of the latch measured itself (page latches live in storage's page states).
    pub fn count_wait(&'static self, ns: u64) {
        if !self.registered.swap(true, Ordering::Relaxed) {
            let mut head = CLASSES.load(Ordering::Acquire);
            loop {
                self.next.store(head, Ordering::Relaxed);
                let me = (self as *const LatchClass).cast_mut();
                match CLASSES.compare_exchange_weak(head, me, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => break,
                    Err(now) => head = now,
                }
            }
        }
        self.waiting_requests.fetch_add(1, Ordering::Relaxed);
        self.wait_ns.fetch_add(ns, Ordering::Relaxed);
        self.max_ns.fetch_max(ns, Ordering::Relaxed);
    }

    pub fn wait_type(&self, mode: LatchMode) -> WaitType {
        WaitType::from_index(self.waits as u16 + mode as u16)
    }
}

/// Every latch class that was waited for.
pub fn latch_classes() -> Vec<LatchCounts> {
    let mut counts = Vec::new();
    let mut at = CLASSES.load(Ordering::Acquire);
    // SAFETY: the list holds &'static LatchClass only and nothing is ever taken out.
    while let Some(class) = unsafe { at.as_ref() } {
        counts.push(LatchCounts {
            name: class.name,
            waiting_requests: class.waiting_requests.load(Ordering::Relaxed),
            wait_ns: class.wait_ns.load(Ordering::Relaxed),
            max_wait_ns: class.max_ns.load(Ordering::Relaxed),
        });
        at = class.next.load(Ordering::Relaxed);
    }
    counts
}

/// DBCC SQLPERF ('sys.dm_os_latch_stats', CLEAR).
pub fn clear_latch_classes() {
    let mut at = CLASSES.load(Ordering::Acquire);
    // SAFETY: the list holds &'static LatchClass only and nothing is ever taken out.
    while let Some(class) = unsafe { at.as_ref() } {
        for word in [&class.waiting_requests, &class.wait_ns, &class.max_ns] {
            word.store(0, Ordering::Relaxed);
        }
        at = class.next.load(Ordering::Relaxed);
    }
}

const LIST: u64 = 1;
const DT: u64 = 1 << 1;
const EX: u64 = 1 << 2;
const UP: u64 = 1 << 3;
const SH: u64 = 1 << 4;
const SHS: u64 = 0xF_FFFF << 4;
const KP: u64 = 1 << 24;
const KPS: u64 = 0xF_FFFF << 24;
const WAITER: u64 = 1 << 44;
const WAITERS: u64 = 0xF_FFFF << 44;

/// What a mode adds to the word, and which bits of the word it cannot bear.
const TAKES: [u64; 5] = [KP, SH, UP, EX, DT];
const BLOCKED_BY: [u64; 5] = [DT, DT | EX, DT | EX | UP, DT | EX | UP | SHS, DT | EX | UP | SHS | KPS];
const FULL: [u64; 5] = [KPS, SHS, 0, 0, 0];

const _: () = {
    assert!(LIST | DT | EX | UP | SHS | KPS | WAITERS == u64::MAX, "every bit has its meaning");
    assert!(LIST + DT + EX + UP + SHS + KPS + WAITERS == u64::MAX, "and one");
};

/// Whether the holders that a word shows get along, see the table above: at any moment, whoever changes it.
fn is_legal(word: u64) -> bool {
    let excludes = |held: u64, others: u64| word & held == 0 || word & others == 0;
    excludes(DT, EX | UP | SHS | KPS) && excludes(EX, UP | SHS)
}

struct RawLatch {
    word: AtomicU64,
    list: WaitList,
    class: &'static LatchClass,
}

impl RawLatch {
    fn try_acquire(&self, mode: LatchMode) -> bool {
        let mode = mode as usize;
        let mut word = self.word.load(Ordering::Relaxed);
        while word & (BLOCKED_BY[mode] | WAITERS) == 0 {
            assert!(FULL[mode] == 0 || word & FULL[mode] != FULL[mode], "latch holders overflow");
            debug_assert!(is_legal(word + TAKES[mode]), "{word:x} lets {mode} in");
            // Acquire pairs with the Release of `release`.
            match self.word.compare_exchange_weak(word, word + TAKES[mode], Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    #[cold]
    fn acquire_slow(&self, mode: LatchMode, deadline: Option<u64>) -> bool {
        let bits = mode as usize;
        let mut spins = 0;
        let mut word = self.word.load(Ordering::Relaxed);
        // As in RwLock: counted as a waiter in the same step that sees the latch not free for us.
        loop {
            let free = word & (BLOCKED_BY[bits] | WAITERS) == 0;
            if !free && word & LIST != 0 {
                pause(&mut spins);
                word = self.word.load(Ordering::Relaxed);
                continue;
            }
            assert!(is_legal(word), "a latch of {word:x}");
            assert!(word & WAITERS != WAITERS, "latch waiters overflow");
            assert!(!free || FULL[bits] == 0 || word & FULL[bits] != FULL[bits], "latch holders overflow");
            let next = if free { word + TAKES[bits] } else { (word + WAITER) | LIST };
            match self.word.compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) if free => return true,
                Ok(_) => break,
                Err(now) => word = now,
            }
        }
        self.list.push_self(mode as u32);
        self.unlock_list();
        let start = clock::now();
        let granted = wait_granted(self.class.wait_type(mode), deadline, |me| {
            self.lock_list();
            let was_there = self.list.remove(me);
            let mut granted = WaitList::new();
            if was_there {
                self.word.fetch_sub(WAITER, Ordering::Relaxed);
                granted = self.grant_waiters();
            }
            self.unlock_list();
            grant_all(granted);
            was_there
        });
        self.class.count_wait(clock::now().saturating_sub(start));
        granted
    }

    fn release(&self, mode: LatchMode) {
        let taken = TAKES[mode as usize];
        let before = self.word.fetch_sub(taken, Ordering::Release);
        let held = match mode {
            LatchMode::Keep => KPS,
            LatchMode::Shared => SHS,
            _ => taken,
        };
        assert!(before & held != 0, "latch released but not held");
        debug_assert!(is_legal(before), "a latch of {before:x}");
        if before & WAITERS != 0 {
            self.lock_list();
            let granted = self.grant_waiters();
            self.unlock_list();
            grant_all(granted);
        }
    }

    /// Hands the latch to the waiters at the head, as far as they go together. Under the list lock.
    fn grant_waiters(&self) -> WaitList {
        self.assert_sound();
        let granted = WaitList::new();
        while let Some(id) = self.list.first() {
            let mode = mode_of(id) as usize;
            // Nobody else takes while there are waiters, others only give back: one look, then an unconditional add.
            // Acquire: the granted one sees, through its mark, what the last holder wrote.
            if self.word.load(Ordering::Acquire) & BLOCKED_BY[mode] != 0 {
                break;
            }
            let before = self.word.fetch_add(TAKES[mode].wrapping_sub(WAITER), Ordering::AcqRel);
            assert!(before & WAITERS != 0, "a waiter that is not counted");
            assert!(before & BLOCKED_BY[mode] == 0, "somebody passed a waiter");
            assert!(FULL[mode] == 0 || before & FULL[mode] != FULL[mode], "latch holders overflow");
            self.list.pop();
            granted.push(id);
        }
        self.assert_sound();
        granted
    }

    /// Under the list lock: waiters are counted if and only if there are some.
    fn assert_sound(&self) {
        let word = self.word.load(Ordering::Relaxed);
        assert!(is_legal(word), "a latch of {word:x}");
        assert!(word & LIST != 0, "list lock not held");
        assert!((word & WAITERS == 0) == self.list.first().is_none(), "the waiters of {word:x} are not in the list");
    }

    fn lock_list(&self) {
        let mut spins = 0;
        while self.word.fetch_or(LIST, Ordering::Acquire) & LIST != 0 {
            while self.word.load(Ordering::Relaxed) & LIST != 0 {
                pause(&mut spins);
            }
        }
    }

    fn unlock_list(&self) {
        let before = self.word.fetch_and(!LIST, Ordering::Release);
        assert!(before & LIST != 0, "list lock not held");
        assert!(is_legal(before), "a latch of {before:x}");
    }
}

pub struct Latch<T> {
    raw: RawLatch,
    value: UnsafeCell<T>,
}

// SAFETY: EX and DT holders are alone with the value but for KP holders, whose guards give no access to it.
unsafe impl<T: Send + Sync> Sync for Latch<T> {}
// SAFETY: as for any owned T.
unsafe impl<T: Send> Send for Latch<T> {}

impl<T> Latch<T> {
    pub const fn new(class: &'static LatchClass, value: T) -> Latch<T> {
        let raw = RawLatch { word: AtomicU64::new(0), list: WaitList::new(), class };
        Latch { raw, value: UnsafeCell::new(value) }
    }

    #[inline]
    pub fn acquire(&self, mode: LatchMode) -> LatchGuard<'_, T> {
        if !self.raw.try_acquire(mode) {
            let acquired = self.raw.acquire_slow(mode, None);
            assert!(acquired, "no deadline, no timeout");
        }
        LatchGuard { latch: self, mode, holder: Holder::me() }
    }

    pub fn shared(&self) -> LatchGuard<'_, T> {
        self.acquire(LatchMode::Shared)
    }

    pub fn exclusive(&self) -> LatchGuard<'_, T> {
        self.acquire(LatchMode::Exclusive)
    }

    pub fn try_acquire(&self, mode: LatchMode) -> Option<LatchGuard<'_, T>> {
        self.raw.try_acquire(mode).then(|| LatchGuard { latch: self, mode, holder: Holder::me() })
    }

    /// `None` when `deadline` (of `clock::now`) passes first (SQL Server's error 845).
    pub fn acquire_until(&self, mode: LatchMode, deadline: u64) -> Option<LatchGuard<'_, T>> {
        let acquired = self.raw.try_acquire(mode) || self.raw.acquire_slow(mode, Some(deadline));
        acquired.then(|| LatchGuard { latch: self, mode, holder: Holder::me() })
    }
}

pub struct LatchGuard<'a, T> {
    latch: &'a Latch<T>,
    mode: LatchMode,
    holder: Holder,
}

impl<T> LatchGuard<'_, T> {
    pub fn mode(&self) -> LatchMode {
        self.mode
    }
}

impl<T> Drop for LatchGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        if matches!(self.mode, LatchMode::Update | LatchMode::Exclusive | LatchMode::Destroy) {
            panics::assert_whole("what a latch guards");
        }
        self.holder.assert_me();
        self.latch.raw.release(self.mode);
    }
}

impl<T> Deref for LatchGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        assert!(self.mode != LatchMode::Keep, "a KP latch keeps, it does not read");
        // SAFETY: held SH or above, so nobody changes the value.
        unsafe { &*self.latch.value.get() }
    }
}

impl<T> DerefMut for LatchGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        assert!(matches!(self.mode, LatchMode::Exclusive | LatchMode::Destroy), "change under EX only");
        // SAFETY: held EX or DT, so no other guard gives access, and `&mut self` is the only way through this one.
        unsafe { &mut *self.latch.value.get() }
    }
}
