//! Park and unpark, the scheduler's inbox, and every lock under a model checker (shuttle): the same source with its
//! atomics and threads swapped, run under many thousands of interleavings (random and priority-based). A lost wake-up
//! shows as a schedule without end, a double grant as a broken assertion. Sequentially consistent schedules only: the
//! memory orders are argued in comments beside each atomic.
//!
//! `RUSTFLAGS="--cfg shuttle" CARGO_TARGET_DIR=target/shuttle cargo test -p os --test model`
#![cfg(shuttle)]

use os::model::atomic::{AtomicU32, AtomicU64, Ordering};
use os::sync::*;
use os::wait::{self, WaitType};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::thread;
use std::sync::Arc;

const ITERATIONS: usize = 2_000;

fn check(test: impl Fn() + Send + Sync + Clone + 'static) {
    let body = move || {
        os::model::begin();
        test();
    };
    let mut config = shuttle::Config::new();
    // The tables are made on the first thread's stack.
    config.stack_size = 4 << 20;
    config.max_steps = shuttle::MaxSteps::FailAfter(100_000);
    shuttle::Runner::new(RandomScheduler::new(ITERATIONS), config.clone()).run(body.clone());
    shuttle::Runner::new(PctScheduler::new(3, ITERATIONS), config).run(body);
}

/// Runs `run(n)` on three threads and waits for them.
fn threads(run: impl Fn(u32) + Send + Sync + 'static) {
    let run = Arc::new(run);
    let all: Vec<_> = (0..3)
        .map(|n| {
            let run = run.clone();
            thread::spawn(move || run(n))
        })
        .collect();
    for thread in all {
        thread.join().unwrap();
    }
}

#[test]
fn unpark_is_never_lost() {
    check(|| {
        let ready = Arc::new(AtomicU32::new(0));
        let me = wait::current();
        let told = ready.clone();
        let other = thread::spawn(move || {
            told.store(1, Ordering::SeqCst);
            wait::unpark(me);
        });
        while ready.load(Ordering::SeqCst) == 0 {
            wait::park_uninterruptible(WaitType::SOS_EVENT, None);
        }
        other.join().unwrap();
    });
}

#[test]
fn a_sleeping_scheduler_sees_every_worker_once() {
    check(|| {
        let fd = Arc::new(AtomicU32::new(0));
        os::model::MODEL_EVENTFD.set(Some(fd.clone()));
        let (a, b) = (os::model::parked_fiber(), os::model::parked_fiber());
        let scheduler = thread::spawn(move || {
            let mut picked = [os::model::pick_on_scheduler_1(&fd), os::model::pick_on_scheduler_1(&fd)];
            picked.sort();
            picked
        });
        // Two wakers of one, one waker of the other.
        let first = thread::spawn(move || wait::unpark(a));
        let second = thread::spawn(move || {
            wait::unpark(a);
            wait::unpark(b);
        });
        first.join().unwrap();
        second.join().unwrap();
        assert_eq!(scheduler.join().unwrap(), [a, b]);
    });
}

#[test]
fn mutex_excludes_and_wakes() {
    check(|| {
        let mutex = Arc::new(Mutex::new(WaitType::SOS_MUTEX, 0u32));
        let shared = mutex.clone();
        threads(move |n| {
            for _ in 0..2 {
                if n == 2 {
                    if let Some(mut sum) = shared.lock_until(0) {
                        *sum += 1;
                    }
                } else {
                    *shared.lock() += 1;
                }
            }
        });
        assert!((4..=6).contains(&*mutex.lock()));
    });
}

fn rwlock_excludes(form: RwLockForm) {
    set_rwlock_form(form);
    check(|| {
        let inside = Arc::new(AtomicU64::new(0));
        let lock = Arc::new(RwLock::new(WaitType::SOS_RW, ()));
        let after = lock.clone();
        threads(move |n| {
            const WRITER: u64 = 1 << 32;
            for round in 0..2 {
                if (n + round) % 3 == 0 {
                    let _guard = lock.write();
                    assert_eq!(inside.fetch_add(WRITER, Ordering::SeqCst), 0);
                    inside.fetch_sub(WRITER, Ordering::SeqCst);
                } else if n == 2 {
                    // One that gives up: as a writer, in front of readers.
                    drop(lock.write_until(0));
                } else {
                    let _guard = lock.read();
                    assert!(inside.fetch_add(1, Ordering::SeqCst) < WRITER);
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
            }
        });
        assert!(after.try_write().is_some(), "free at the end");
    });
}

#[test]
fn rwlocks_exclude_and_wake() {
    // One after the other: the form is the process's.
    rwlock_excludes(RwLockForm::Atomic);
    rwlock_excludes(RwLockForm::Classic);
}

#[test]
fn latch_excludes_and_wakes() {
    static CLASS: LatchClass = LatchClass::new("MODEL");
    check(|| {
        let latch = Arc::new(Latch::new(&CLASS, 0u32));
        let after = latch.clone();
        threads(move |n| {
            for round in 0..2 {
                match (n + round) % 4 {
                    0 => *latch.exclusive() += 1,
                    1 => drop(latch.acquire_until(LatchMode::Update, 0)),
                    2 => drop(latch.acquire(LatchMode::Keep)),
                    _ => assert!(*latch.shared() <= 2),
                }
            }
        });
        assert!(after.try_acquire(LatchMode::Destroy).is_some(), "free at the end");
    });
}

#[test]
fn events_and_semaphores_wake() {
    check(|| {
        let event = Arc::new(Event::auto_reset(WaitType::SOS_EVENT));
        let permits = Arc::new(Semaphore::new(WaitType::SOS_SEMAPHORE, 1));
        let (event2, permits2) = (event.clone(), permits.clone());
        let waiter = thread::spawn(move || {
            assert!(event2.wait(None));
            assert!(permits2.acquire(1, None));
            permits2.release(1);
        });
        let (event3, permits3) = (event.clone(), permits.clone());
        let hasty = thread::spawn(move || {
            if event3.wait(Some(0)) {
                event3.set();
            }
            if permits3.acquire(1, Some(0)) {
                permits3.release(1);
            }
        });
        event.set();
        waiter.join().unwrap();
        hasty.join().unwrap();
        assert_eq!(permits.free(), 1);
    });
}
