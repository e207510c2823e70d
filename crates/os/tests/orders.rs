//! The memory orders of the locks, under an interpreter that knows weak memory (Miri): loads may see old values where the order
//! allows it, and a plain access that is not ordered after another thread's is a data race, which ends the test. tests/model.rs
//! tries more schedules, but sequentially consistent ones only.
//!
//! `MIRIFLAGS=-Zmiri-many-seeds=0..16 cargo +nightly miri test -p os --test orders` (half a minute for each seed)
//!
//! That each check can fail was tried by making one order Relaxed at a time:
//!
//! | check | order | it fails |
//! |---|---|---|
//! | a_mutex_orders_what_it_guards | the release's compare-and-swap | data race |
//! | a_spinlock_orders_what_it_guards | the release's store | data race |
//! | a_latch_orders_what_it_guards | `fetch_sub` of a release; the compare-and-swap that takes it | data race |
//! | rwlocks_order_what_they_guard | `fetch_sub` of a release | data race |
//! | | a published reader's leave; the revoking writer's look at the rows | data race |
//! | events_and_semaphores_order_what_comes_before | `set`'s store | data race |
//! | an_event_count_orders_what_comes_before | the ticket's load | for ever |
//! | an_unpark_orders_what_comes_before | `unpark`'s swap | data race |
//!
//! Not found so, in eight seeds: the orders of a reader's publication and of its second look at the word, and of the mutex's swap to
//! CONTENDED. The comments beside them say why they are as they are.
#![cfg(miri)]
#![allow(unsafe_code)]

use os::sync::*;
use os::wait::{self, WaitType};
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// What one thread writes and another reads, without any order of its own.
#[derive(Default)]
struct Plain(UnsafeCell<u64>);

// SAFETY: that no two threads are at it at once is what the tests are about.
unsafe impl Sync for Plain {}

impl Plain {
    fn set(&self, value: u64) {
        // SAFETY: as above.
        unsafe { *self.0.get() = value }
    }

    fn get(&self) -> u64 {
        // SAFETY: as above.
        unsafe { *self.0.get() }
    }
}

/// Runs `run(n)` on `count` threads, each one of a scheduler of its own, and waits for them.
fn threads(count: u64, run: impl Fn(u64) + Send + Sync) {
    thread::scope(|scope| {
        for n in 0..count {
            let run = &run;
            scope.spawn(move || {
                os::model::enter_new_scheduler();
                run(n);
            });
        }
    });
}

#[test]
fn a_mutex_orders_what_it_guards() {
    let sum = Mutex::new(WaitType::SOS_MUTEX, 0u64);
    threads(3, |_| (0..3).for_each(|_| *sum.lock() += 1));
    assert_eq!(*sum.lock(), 9);
}

#[test]
fn a_spinlock_orders_what_it_guards() {
    static CLASS: SpinClass = SpinClass::new("ORDERS");
    let sum = SpinLock::new(&CLASS, 0u64);
    threads(3, |_| (0..3).for_each(|_| *sum.lock() += 1));
    assert_eq!(*sum.lock(), 9);
}

#[test]
fn a_latch_orders_what_it_guards() {
    static CLASS: LatchClass = LatchClass::new("ORDERS");
    let pair = Latch::new(&CLASS, (0u64, 0u64));
    threads(3, |n| {
        for _ in 0..3 {
            if n == 0 {
                let pair = pair.acquire(LatchMode::Shared);
                assert_eq!(pair.0, pair.1);
            } else {
                let mut pair = pair.acquire(LatchMode::Exclusive);
                pair.0 += 1;
                pair.1 += 1;
            }
        }
    });
    assert_eq!(pair.shared().0, 6);
}

fn a_rwlock_orders_what_it_guards(form: RwLockForm) {
    set_rwlock_form(form);
    let pair = RwLock::new(WaitType::SOS_RW, (0u64, 0u64));
    // One that has been read is biased, if that is the form.
    drop(pair.read());
    threads(3, |n| {
        for round in 0..4 {
            if (n + round) % 3 == 0 {
                let mut pair = pair.write();
                pair.0 += 1;
                pair.1 += 1;
            } else {
                let pair = pair.read();
                assert_eq!(pair.0, pair.1);
            }
        }
    });
    assert_eq!(pair.read().0, 4);
}

/// One after the other: the form is the process's.
#[test]
fn rwlocks_order_what_they_guard() {
    for form in [RwLockForm::Atomic, RwLockForm::Classic, RwLockForm::Biased] {
        a_rwlock_orders_what_it_guards(form);
    }
    set_rwlock_form(RwLockForm::Biased);
    // The narrow gap between a reader's publication and its second look, and between a writer's mark and its look.
    let values: Vec<_> = (0..30).map(|_| RwLock::new(WaitType::SOS_RW, 0u64)).collect();
    values.iter().for_each(|value| drop(value.read()));
    threads(2, |n| {
        for value in &values {
            if n == 0 {
                *value.write() = 1;
            } else {
                assert!(*value.read() <= 1);
            }
        }
    });
    set_rwlock_form(RwLockForm::Atomic);
}

#[test]
fn events_and_semaphores_order_what_comes_before() {
    for event in [Event::auto_reset(WaitType::SOS_EVENT), Event::manual_reset(WaitType::SOS_EVENT)] {
        let value = Plain::default();
        threads(2, |n| {
            if n == 0 {
                value.set(7);
                event.set();
            } else {
                assert!(event.wait(None));
                assert_eq!(value.get(), 7);
            }
        });
    }
    let (value, permit) = (Plain::default(), Semaphore::new(WaitType::SOS_SEMAPHORE, 1));
    threads(3, |_| {
        assert!(permit.acquire(1, None));
        value.set(value.get() + 1);
        permit.release(1);
    });
    assert_eq!(value.get(), 3);
}

#[test]
fn a_condvar_orders_what_comes_before() {
    let (value, said) =
        (Plain::default(), (Mutex::new(WaitType::SOS_MUTEX, false), Condvar::new(WaitType::SOS_CONDITION)));
    threads(2, |n| {
        if n == 0 {
            value.set(7);
            *said.0.lock() = true;
            said.1.notify_one();
        } else {
            let mut is_said = said.0.lock();
            while !*is_said {
                is_said = said.1.wait(is_said);
            }
            assert_eq!(value.get(), 7);
        }
    });
}

#[test]
fn an_event_count_orders_what_comes_before() {
    let (value, reached, changed) = (Plain::default(), AtomicU64::new(0), EventCount::default());
    threads(2, |n| {
        if n == 0 {
            value.set(7);
            reached.store(1, Ordering::Release);
            changed.notify();
        } else {
            loop {
                let ticket = changed.ticket();
                if reached.load(Ordering::Acquire) == 1 {
                    break;
                }
                changed.wait(ticket, 1, WaitType::SOS_EVENT);
            }
            assert_eq!(value.get(), 7);
        }
    });
}

/// A word with a bit for those who wait, as a page's latch.
#[test]
fn a_parking_lot_wakes_whom_the_word_keeps_out() {
    const HELD: u64 = 1;
    const WAITERS: u64 = 2;
    let (value, word, lot) = (Plain::default(), AtomicU64::new(0), ParkingLot::default());
    threads(3, |_| {
        loop {
            let seen = word.load(Ordering::Relaxed);
            if seen & HELD == 0 {
                if word.compare_exchange(seen, seen | HELD, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                    break;
                }
            } else {
                lot.wait(5, &word, WAITERS, |word| word & HELD != 0, WaitType::PAGELATCH_EX);
            }
        }
        value.set(value.get() + 1);
        if word.fetch_and(!HELD, Ordering::SeqCst) & WAITERS != 0 {
            lot.wake(5, &word, WAITERS);
        }
    });
    assert_eq!(value.get(), 3);
}

#[test]
fn an_unpark_orders_what_comes_before() {
    for comes_first in [false, true] {
        let (value, is_told) = (Arc::new(Plain::default()), Arc::new(AtomicU64::new(0)));
        let (me, theirs, told) = (wait::current(), value.clone(), is_told.clone());
        let other = thread::spawn(move || {
            theirs.set(7);
            wait::unpark(me);
            told.store(1, Ordering::Relaxed);
        });
        // Relaxed: it orders nothing.
        while comes_first && is_told.load(Ordering::Relaxed) == 0 {
            thread::yield_now();
        }
        assert_eq!(wait::park_uninterruptible(WaitType::SOS_EVENT, None), wait::WakeReason::Unparked);
        assert_eq!(value.get(), 7);
        other.join().unwrap();
    }
}
