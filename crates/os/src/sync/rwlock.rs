//! Readers or one writer, after SQL Server's SOS_RWLock. A reader that arrives while a writer waits is not let in, so
//! writers do not starve; whoever must wait parks in one FIFO list and is handed the lock.
//!
//! Two forms of one semantics, chosen at start, since comparing them is an experiment (facts: sqlonice.com, "classic
//! SOS_RWLock" and "2016 SOS_RWLock"):
//!
//! *atomic* (the 2016 redesign): one 64-bit word, taken and given back by compare-and-swap alone:
//! ```text
//!  63..62   61..42            41..22    21..2     1        0
//!  unused | waiting writers | waiters | readers | writer | list lock
//! ```
//! *classic* (2012, 2014): the same fields, but every acquire and release first takes the list-lock bit and holds it
//! while it counts: the price the redesign saved.
//!
//! Invariants: writer excludes readers > 0. `waiters` counts the list, `waiting writers` the writers in it; both change
//! only under the list lock. A lock that is free or held by readers has no grantable waiter once nobody holds the list
//! lock: whoever makes a waiter grantable grants it. Model-checked in tests/model.rs.
#![allow(unsafe_code)]

use super::list::{WaitList, grant_all, mode_of, pause, wait_granted};
use crate::sys::atomic::{AtomicU64, Ordering};
use crate::wait::WaitType;
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};

/// Which form every `RwLock` of the process takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(u32)]
pub enum RwLockForm {
    #[default]
    Atomic = 0,
    Classic = 1,
}

static FORM: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

/// Chooses the form; at start, before any lock is held.
pub fn set_rwlock_form(form: RwLockForm) {
    FORM.store(form as u32, Ordering::Relaxed);
}

#[inline]
pub fn rwlock_form() -> RwLockForm {
    if FORM.load(Ordering::Relaxed) == 0 { RwLockForm::Atomic } else { RwLockForm::Classic }
}

const LIST: u64 = 1;
const WRITER: u64 = 2;
const READER: u64 = 1 << 2;
const READERS: u64 = 0xF_FFFF << 2;
const WAITER: u64 = 1 << 22;
const WAITERS: u64 = 0xF_FFFF << 22;
const WAITING_WRITER: u64 = 1 << 42;
const WAITING_WRITERS: u64 = 0xF_FFFF << 42;

/// `wait_mode` of the waiters.
const READ: u32 = 0;
const WRITE: u32 = 1;

/// The lock without a value: 24 bytes.
pub struct RawRwLock {
    word: AtomicU64,
    list: WaitList,
    wait: WaitType,
}

fn may_read(word: u64) -> bool {
    word & (WRITER | WAITING_WRITERS) == 0
}

fn may_write(word: u64) -> bool {
    word & (WRITER | READERS | WAITERS) == 0
}

impl RawRwLock {
    pub const fn new(wait: WaitType) -> RawRwLock {
        RawRwLock { word: AtomicU64::new(0), list: WaitList::new(), wait }
    }

    #[inline]
    pub fn try_acquire_shared(&self) -> bool {
        self.try_acquire(may_read, READER)
    }

    #[inline]
    pub fn try_acquire_exclusive(&self) -> bool {
        self.try_acquire(may_write, WRITER)
    }

    /// False when `deadline` (of `clock::now`) passes first.
    #[inline]
    pub fn acquire_shared(&self, deadline: Option<u64>) -> bool {
        self.try_acquire_shared() || self.acquire_slow(READ, may_read, READER, deadline)
    }

    #[inline]
    pub fn acquire_exclusive(&self, deadline: Option<u64>) -> bool {
        self.try_acquire_exclusive() || self.acquire_slow(WRITE, may_write, WRITER, deadline)
    }

    #[inline]
    pub fn release_shared(&self) {
        self.release(READER, READERS);
    }

    #[inline]
    pub fn release_exclusive(&self) {
        self.release(WRITER, WRITER);
    }

    #[inline]
    fn try_acquire(&self, admits: fn(u64) -> bool, take: u64) -> bool {
        if rwlock_form() == RwLockForm::Classic {
            let word = self.lock_list();
            let admitted = admits(word);
            self.unlock_list(if admitted { take } else { 0 }, 0);
            return admitted;
        }
        let mut word = self.word.load(Ordering::Relaxed);
        while admits(word) {
            assert!(word & READERS != READERS, "readers overflow");
            // Acquire pairs with the Release of `release`: see what the last holder wrote.
            match self.word.compare_exchange_weak(word, word + take, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    #[cold]
    fn acquire_slow(&self, mode: u32, admits: fn(u64) -> bool, take: u64, deadline: Option<u64>) -> bool {
        // Take the list lock and count ourselves as a waiter in one step, unless the lock has become free: a release
        // after this step sees a waiter, one before it left a word that admits us.
        let counted = if mode == WRITE { WAITER | WAITING_WRITER } else { WAITER };
        let mut spins = 0;
        let mut word = self.word.load(Ordering::Relaxed);
        loop {
            let next = match (admits(word), word & LIST != 0) {
                (true, _) if rwlock_form() == RwLockForm::Atomic => word + take,
                (_, true) => {
                    pause(&mut spins);
                    word = self.word.load(Ordering::Relaxed);
                    continue;
                }
                (true, false) => word + take,
                (false, false) => {
                    assert!(word & WAITERS != WAITERS, "waiters overflow");
                    (word + counted) | LIST
                }
            };
            match self.word.compare_exchange_weak(word, next, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) if next & LIST != 0 && word & LIST == 0 => break,
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        self.list.push_self(mode);
        self.unlock_list(0, 0);
        wait_granted(self.wait, deadline, |me| {
            self.lock_list();
            let was_there = self.list.remove(me);
            let woken = if was_there {
                self.word.fetch_sub(counted, Ordering::Relaxed);
                // Readers that waited behind this writer only may be admitted now.
                self.grant_waiters()
            } else {
                WaitList::new()
            };
            self.unlock_list(0, 0);
            grant_all(woken);
            was_there
        })
    }

    #[inline]
    fn release(&self, give: u64, held: u64) {
        if rwlock_form() == RwLockForm::Classic {
            let word = self.lock_list();
            assert!(word & held != 0, "RwLock released but not held");
            self.word.fetch_sub(give, Ordering::Release);
            let woken = self.grant_waiters();
            self.unlock_list(0, 0);
            grant_all(woken);
            return;
        }
        let before = self.word.fetch_sub(give, Ordering::Release);
        assert!(before & held != 0, "RwLock released but not held");
        let after = before - give;
        if after & WAITERS != 0 && after & (READERS | WRITER) == 0 {
            self.release_slow();
        }
    }

    #[cold]
    fn release_slow(&self) {
        self.lock_list();
        let woken = self.grant_waiters();
        self.unlock_list(0, 0);
        grant_all(woken);
    }

    /// Hands the lock to the waiters at the head that it now admits. Under the list lock. Returns them, to be told.
    fn grant_waiters(&self) -> WaitList {
        let woken = WaitList::new();
        while let Some(id) = self.list.first() {
            let writer = mode_of(id) == WRITE;
            let (blocked, change) = if writer {
                (WRITER | READERS, WRITER.wrapping_sub(WAITER + WAITING_WRITER))
            } else {
                (WRITER, READER.wrapping_sub(WAITER))
            };
            // A reader may come and go meanwhile (no writer waits), so this is a compare-and-swap too. Acquire: the
            // granted one sees, through our mark, what the last holder wrote.
            let mut word = self.word.load(Ordering::Acquire);
            let granted = loop {
                if word & blocked != 0 {
                    break false;
                }
                let next = word.wrapping_add(change);
                match self.word.compare_exchange_weak(word, next, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => break true,
                    Err(now) => word = now,
                }
            };
            if !granted {
                break;
            }
            self.list.pop();
            woken.push(id);
            if writer {
                break;
            }
        }
        woken
    }

    /// Takes the list-lock bit; returns the word without it.
    fn lock_list(&self) -> u64 {
        let mut spins = 0;
        loop {
            let before = self.word.fetch_or(LIST, Ordering::Acquire);
            if before & LIST == 0 {
                return before;
            }
            while self.word.load(Ordering::Relaxed) & LIST != 0 {
                pause(&mut spins);
            }
        }
    }

    /// Frees the list-lock bit and adds and takes what changed under it, in one step.
    fn unlock_list(&self, add: u64, take: u64) {
        let before = self.word.fetch_add(add.wrapping_sub(take).wrapping_sub(LIST), Ordering::Release);
        assert!(before & LIST != 0, "list lock not held");
    }
}

pub struct RwLock<T> {
    raw: RawRwLock,
    value: UnsafeCell<T>,
}

// SAFETY: the lock gives the value to readers together or to one writer.
unsafe impl<T: Send + Sync> Sync for RwLock<T> {}
// SAFETY: as for any owned T.
unsafe impl<T: Send> Send for RwLock<T> {}

impl<T> RwLock<T> {
    pub const fn new(wait: WaitType, value: T) -> RwLock<T> {
        RwLock { raw: RawRwLock::new(wait), value: UnsafeCell::new(value) }
    }

    #[inline]
    pub fn read(&self) -> ReadGuard<'_, T> {
        let acquired = self.raw.acquire_shared(None);
        assert!(acquired, "no deadline, no timeout");
        ReadGuard { lock: self }
    }

    #[inline]
    pub fn write(&self) -> WriteGuard<'_, T> {
        let acquired = self.raw.acquire_exclusive(None);
        assert!(acquired, "no deadline, no timeout");
        WriteGuard { lock: self }
    }

    pub fn try_read(&self) -> Option<ReadGuard<'_, T>> {
        self.raw.try_acquire_shared().then(|| ReadGuard { lock: self })
    }

    pub fn try_write(&self) -> Option<WriteGuard<'_, T>> {
        self.raw.try_acquire_exclusive().then(|| WriteGuard { lock: self })
    }

    pub fn read_until(&self, deadline: u64) -> Option<ReadGuard<'_, T>> {
        self.raw.acquire_shared(Some(deadline)).then(|| ReadGuard { lock: self })
    }

    pub fn write_until(&self, deadline: u64) -> Option<WriteGuard<'_, T>> {
        self.raw.acquire_exclusive(Some(deadline)).then(|| WriteGuard { lock: self })
    }

    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

pub struct ReadGuard<'a, T> {
    lock: &'a RwLock<T>,
}

pub struct WriteGuard<'a, T> {
    lock: &'a RwLock<T>,
}

impl<T> Drop for ReadGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.raw.release_shared();
    }
}

impl<T> Drop for WriteGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.raw.release_exclusive();
    }
}

impl<T> Deref for ReadGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: while the guard lives no writer holds the lock.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> Deref for WriteGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard's worker is the only holder.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for WriteGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the guard's worker is the only holder, and `&mut self` the only way through the guard.
        unsafe { &mut *self.lock.value.get() }
    }
}
