//! Mutual exclusion that may be held over waits. FIFO waiters; a newcomer may take a free mutex before a woken waiter,
//! but a waiter that lost that race once is handed the mutex directly the next time, so none starves.
//!
//! ```text
//! word: 0 free | 1 held | 2 held, and the releaser must look at the list
//! ```
//! Whoever goes the slow way sets 2 before it waits and keeps 2 when it acquires, so a waiter is never forgotten.
#![allow(unsafe_code)]

use super::list::{Holder, ListLock, WaitList, grant, mode_of, wait_granted};
use crate::sys::atomic::{AtomicU32, Ordering};
use crate::wait::WaitType;
use crate::{engines, panics};
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};

const FREE: u32 = 0;
const HELD: u32 = 1;
const CONTENDED: u32 = 2;

/// `wait_mode`: wake me to try again / hand the mutex to me.
const TRY: u32 = 0;
const HAND_OVER: u32 = 1;

pub(super) struct RawMutex {
    word: AtomicU32,
    list_lock: ListLock,
    list: WaitList,
    wait: WaitType,
}

impl RawMutex {
    pub const fn new(wait: WaitType) -> RawMutex {
        RawMutex { word: AtomicU32::new(FREE), list_lock: ListLock::new(), list: WaitList::new(), wait }
    }

    #[inline]
    pub fn try_acquire(&self) -> bool {
        // Acquire pairs with the Release in `release`: see what the last holder wrote.
        self.word.compare_exchange(FREE, HELD, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    #[inline]
    pub fn acquire(&self, deadline: Option<u64>) -> bool {
        self.try_acquire() || self.acquire_slow(deadline)
    }

    #[cold]
    fn acquire_slow(&self, deadline: Option<u64>) -> bool {
        let mut mode = TRY;
        loop {
            self.list_lock.lock();
            let before = self.word.swap(CONTENDED, Ordering::Acquire);
            assert!(before <= CONTENDED, "a mutex of {before}");
            if before == FREE {
                self.list_lock.unlock();
                return true;
            }
            if mode == HAND_OVER {
                self.list.push_self_front(mode);
            } else {
                self.list.push_self(mode);
            }
            self.list_lock.unlock();
            let woken = wait_granted(self.wait, deadline, |me| {
                self.list_lock.lock();
                let was_there = self.list.remove(me);
                self.list_lock.unlock();
                was_there
            });
            if !woken {
                return false;
            }
            if mode == HAND_OVER {
                // Who handed it over left the word as it was, and whoever came since has marked it so again.
                assert!(self.word.load(Ordering::Relaxed) == CONTENDED, "handed over, but not held");
                return true;
            }
            mode = HAND_OVER;
        }
    }

    #[inline]
    pub fn release(&self) {
        if self.word.compare_exchange(HELD, FREE, Ordering::Release, Ordering::Relaxed).is_err() {
            self.release_slow();
        }
    }

    pub fn is_held(&self) -> bool {
        self.word.load(Ordering::Relaxed) != FREE
    }

    #[cold]
    fn release_slow(&self) {
        self.list_lock.lock();
        assert!(self.word.load(Ordering::Relaxed) == CONTENDED, "mutex released twice");
        let woken = self.list.pop();
        // Read before the grant: after it the waiter may be gone and wait elsewhere.
        let asked = woken.map(mode_of);
        assert!(asked.is_none_or(|mode| mode <= HAND_OVER), "a waiter of another lock");
        let hand_over = asked == Some(HAND_OVER);
        if !hand_over {
            self.word.store(FREE, Ordering::Release);
        }
        self.list_lock.unlock();
        if let Some(id) = woken {
            grant(id);
        }
    }
}

pub struct Mutex<T> {
    raw: RawMutex,
    value: UnsafeCell<T>,
}

// SAFETY: the lock gives the value to one holder at a time.
unsafe impl<T: Send> Sync for Mutex<T> {}
// SAFETY: as for any owned T.
unsafe impl<T: Send> Send for Mutex<T> {}

impl<T> Mutex<T> {
    pub const fn new(wait: WaitType, value: T) -> Mutex<T> {
        Mutex { raw: RawMutex::new(wait), value: UnsafeCell::new(value) }
    }

    #[inline]
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn lock(&self) -> MutexGuard<'_, T> {
        crate::plant!();
        engines::enter(self);
        let acquired = self.raw.acquire(None);
        assert!(acquired, "no deadline, no timeout");
        MutexGuard { mutex: self, holder: Holder::me() }
    }

    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        engines::enter(self);
        let acquired = self.raw.try_acquire();
        if !acquired {
            engines::leave(self);
        }
        acquired.then(|| MutexGuard { mutex: self, holder: Holder::me() })
    }

    /// `None` when `deadline` (of `clock::now`) passes first.
    pub fn lock_until(&self, deadline: u64) -> Option<MutexGuard<'_, T>> {
        engines::enter(self);
        let acquired = self.raw.acquire(Some(deadline));
        if !acquired {
            engines::leave(self);
        }
        acquired.then(|| MutexGuard { mutex: self, holder: Holder::me() })
    }

    pub(super) fn is_held(&self) -> bool {
        self.raw.is_held()
    }

    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }

    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    holder: Holder,
}

impl<'a, T> MutexGuard<'a, T> {
    pub(super) fn mutex(&self) -> &'a Mutex<T> {
        self.mutex
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        panics::assert_whole("what a mutex guards");
        self.holder.assert_me();
        self.mutex.raw.release();
        engines::leave(self.mutex);
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the guard's existence means this worker holds the mutex.
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in deref, and `&mut self` makes it the only reference through the guard.
        unsafe { &mut *self.mutex.value.get() }
    }
}
