//! The list of workers that wait for one lock: linked by `WorkerSlot::wait_next`, since a worker waits in one place.
//!
//! The lock that owns the list guards it: either by a bit of its own word, or by [`ListLock`]. Only the guard's holder
//! touches the links and sets `granted`. A waiter waits until `granted`; a wake-up alone means nothing.

use crate::calls::SystemCall;
use crate::sys::atomic::{AtomicU32, Ordering};
use crate::wait::{WaitType, WakeReason, WorkerId, current, park_uninterruptible, unpark};
use crate::{engines, sys, worker};

#[derive(Default)]
pub struct WaitList {
    head: AtomicU32,
    tail: AtomicU32,
}

impl WaitList {
    pub const fn new() -> WaitList {
        WaitList { head: AtomicU32::new(0), tail: AtomicU32::new(0) }
    }

    pub fn first(&self) -> Option<WorkerId> {
        let id = WorkerId::from_raw(self.head.load(Ordering::Relaxed));
        id.is_some().then_some(id)
    }

    /// Adds the current worker, asking for `mode`.
    pub fn push_self(&self, mode: u32) {
        self.push(ask(mode));
    }

    /// As `push_self`, before all others.
    pub fn push_self_front(&self, mode: u32) {
        let me = ask(mode);
        self.assert_sound();
        let head = self.head.swap(me.raw(), Ordering::Relaxed);
        assert!(head != me.raw(), "{me:?} waits in this list already");
        worker::slot(me).is_listed(true);
        worker::slot(me).wait_next.store(head, Ordering::Relaxed);
        if head == 0 {
            self.tail.store(me.raw(), Ordering::Relaxed);
        }
    }

    pub fn push(&self, id: WorkerId) {
        self.assert_sound();
        worker::slot(id).wait_next.store(0, Ordering::Relaxed);
        let tail = self.tail.swap(id.raw(), Ordering::Relaxed);
        assert!(tail != id.raw(), "{id:?} waits in this list already");
        worker::slot(id).is_listed(true);
        if tail == 0 {
            self.head.store(id.raw(), Ordering::Relaxed);
        } else {
            let last = &worker::slot(WorkerId::from_raw(tail)).wait_next;
            assert!(last.load(Ordering::Relaxed) == 0, "the last waiter has a successor");
            last.store(id.raw(), Ordering::Relaxed);
        }
    }

    pub fn pop(&self) -> Option<WorkerId> {
        let id = self.first()?;
        let next = worker::slot(id).wait_next.load(Ordering::Relaxed);
        assert!(next != id.raw(), "{id:?} follows itself");
        assert!((next == 0) == (self.tail.load(Ordering::Relaxed) == id.raw()), "only the last has no successor");
        self.head.store(next, Ordering::Relaxed);
        if next == 0 {
            self.tail.store(0, Ordering::Relaxed);
        }
        worker::slot(id).is_listed(false);
        Some(id)
    }

    /// All of them, in order; the list is empty then.
    pub fn take(&self) -> WaitList {
        self.assert_sound();
        let (head, tail) = (self.head.swap(0, Ordering::Relaxed), self.tail.swap(0, Ordering::Relaxed));
        WaitList { head: AtomicU32::new(head), tail: AtomicU32::new(tail) }
    }

    /// Takes `id` out of the middle: a waiter that gives up. False if it was no longer there.
    pub fn remove(&self, id: WorkerId) -> bool {
        self.assert_sound();
        let mut before = WorkerId::NONE;
        let mut at = WorkerId::from_raw(self.head.load(Ordering::Relaxed));
        let mut passed = 0;
        while at.is_some() && at != id {
            passed += 1;
            assert!(passed < worker::WORKERS_MAX, "a ring of waiters");
            before = at;
            at = WorkerId::from_raw(worker::slot(at).wait_next.load(Ordering::Relaxed));
        }
        if !at.is_some() {
            return false;
        }
        let next = worker::slot(at).wait_next.load(Ordering::Relaxed);
        assert!((next == 0) == (self.tail.load(Ordering::Relaxed) == id.raw()), "only the last has no successor");
        if before.is_some() {
            worker::slot(before).wait_next.store(next, Ordering::Relaxed);
        } else {
            self.head.store(next, Ordering::Relaxed);
        }
        if next == 0 {
            self.tail.store(before.raw(), Ordering::Relaxed);
        }
        worker::slot(id).is_listed(false);
        true
    }

    /// Under the list's lock: there is a last waiter if and only if there is a first.
    fn assert_sound(&self) {
        let (head, tail) = (self.head.load(Ordering::Relaxed), self.tail.load(Ordering::Relaxed));
        assert!((head == 0) == (tail == 0), "a list from {head} to {tail}");
    }
}

/// A list and the lock that guards it. A worker that waits in a shared one says so in its slot, so that it can be taken
/// out when its engine has died.
#[derive(Default)]
pub struct Waiters {
    pub lock: ListLock,
    pub list: WaitList,
}

impl Waiters {
    pub const fn new() -> Waiters {
        Waiters { lock: ListLock::new(), list: WaitList::new() }
    }

    pub fn lock(&self) {
        engines::enter(self);
        self.lock.lock();
    }

    pub fn unlock(&self) {
        self.lock.unlock();
        engines::leave(self);
    }

    /// Frees the lock, then tells those who were taken out of the list under it. Both in one section: who is in no list and was not
    /// told would wait for ever.
    pub fn unlock_then(&self, tell: impl FnOnce()) {
        self.list.assert_sound();
        self.lock.unlock();
        if engines::is_shared(self) {
            crate::sim_point!("waiters.tell");
        }
        tell();
        engines::leave(self);
    }

    /// Adds the current worker. Under the lock.
    pub fn push_self(&self, mode: u32) {
        self.lock.assert_held();
        let waits_in = &worker::slot(current()).waiters;
        assert!(waits_in.load(Ordering::Relaxed) == 0, "who waits elsewhere waits here");
        if engines::is_shared(self) {
            waits_in.store(self as *const Waiters as u64, Ordering::Relaxed);
        }
        self.list.push_self(mode);
    }

    /// Takes a worker out. False if it was no longer there.
    pub fn remove(&self, id: WorkerId) -> bool {
        self.lock();
        let was_there = self.list.remove(id);
        self.unlock();
        was_there
    }
}

/// Who took a lock, so that nobody else frees it. Empty without debug assertions.
#[derive(Clone, Copy)]
pub struct Holder {
    #[cfg(debug_assertions)]
    worker: WorkerId,
}

impl Holder {
    #[inline]
    pub fn me() -> Holder {
        Holder {
            #[cfg(debug_assertions)]
            worker: current(),
        }
    }

    #[inline]
    pub fn assert_me(self) {
        #[cfg(debug_assertions)]
        assert!(self.worker == current(), "{:?} took the lock that {:?} frees", self.worker, current());
    }
}

/// Writes into the current worker's slot what it asks for.
fn ask(mode: u32) -> WorkerId {
    let me = current();
    let slot = worker::slot(me);
    slot.wait_mode.store(mode, Ordering::Relaxed);
    slot.granted.store(0, Ordering::Relaxed);
    me
}

/// What a waiter in the list asked for.
pub fn mode_of(id: WorkerId) -> u32 {
    worker::slot(id).wait_mode.load(Ordering::Relaxed)
}

/// What a waiter in the list waits for (`wait::describe`).
pub fn resource_of(id: WorkerId) -> u64 {
    worker::slot(id).wait_resource.load(Ordering::Relaxed)
}

/// Tells a waiter, taken out of the list before, that it has what it asked for. May come after the list's lock is
/// freed: until it sees the mark the waiter does not return, so its slot and link are still this list's.
pub fn grant(id: WorkerId) {
    let granted = &worker::slot(id).granted;
    // Who took the waiter out of the list is the only one who writes this, until the waiter has seen it.
    assert!(granted.load(Ordering::Relaxed) == 0, "granted twice to {id:?}");
    // Release: pairs with the Acquire in `wait_granted`; everything the granter did is seen by the woken.
    granted.store(1, Ordering::Release);
    unpark(id);
}

/// Grants all of a private list, taken out under the lock.
pub fn grant_all(granted: WaitList) {
    while let Some(id) = granted.pop() {
        grant(id);
    }
}

/// Waits, after `push_self`, until granted. At the deadline `give_up` takes the waiter out under the list's lock and
/// says whether it was still there; if not, the grant came first. False: timed out, and no longer in the list.
pub fn wait_granted(wait: WaitType, mut deadline: Option<u64>, give_up: impl Fn(WorkerId) -> bool) -> bool {
    let me = current();
    let slot = worker::slot(me);
    assert!(slot.granted.load(Ordering::Relaxed) <= 1, "granted is a mark");
    loop {
        if slot.granted.load(Ordering::Acquire) != 0 {
            debug_assert!(slot.listed.load(Ordering::Relaxed) == 0, "{me:?} was granted what it still waits for");
            slot.waiters.store(0, Ordering::Relaxed);
            return true;
        }
        if park_uninterruptible(wait, deadline) == WakeReason::Timeout && slot.granted.load(Ordering::Acquire) == 0 {
            if give_up(me) {
                assert!(slot.granted.load(Ordering::Relaxed) == 0, "{me:?} was in the list and has what it asked for");
                slot.waiters.store(0, Ordering::Relaxed);
                return false;
            }
            // The grant is under way.
            deadline = None;
        }
    }
}

/// A lock of a few instructions around a list; spins without backoff, as the critical sections are some stores long.
/// One word, free when zero: fit for the shared region.
pub struct ListLock(AtomicU32);

impl Default for ListLock {
    fn default() -> ListLock {
        ListLock::new()
    }
}

impl ListLock {
    pub const fn new() -> ListLock {
        ListLock(AtomicU32::new(0))
    }

    #[inline]
    pub fn lock(&self) {
        let mut spins = 0u32;
        // Acquire here and Release in unlock order the list's links.
        while self.0.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            pause(&mut spins);
        }
    }

    #[inline]
    pub fn unlock(&self) {
        // Only its holder writes a lock that is held: no exchange, which would wait for all stores before it.
        self.assert_held();
        self.0.store(0, Ordering::Release);
    }

    /// By who takes itself for the holder.
    #[inline]
    pub fn assert_held(&self) {
        assert!(self.0.load(Ordering::Relaxed) == 1, "list lock not held");
    }
}

/// One turn of a short spin; now and then lets the kernel run the holder, which it may have preempted.
pub fn pause(spins: &mut u32) {
    *spins = spins.wrapping_add(1);
    if spins.is_multiple_of(256) {
        worker::count_call(SystemCall::Yield);
        sys::yield_thread();
    } else {
        sys::spin_hint();
    }
}
