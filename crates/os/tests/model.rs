//! Park and unpark, the scheduler's inbox, and every lock under a model checker (shuttle): the same source with its
//! atomics and threads swapped, run under many thousands of interleavings (random and priority-based). A lost wake-up
//! shows as a schedule without end, a double grant as a broken assertion. Sequentially consistent schedules only: the
//! memory orders are argued in comments beside each atomic.
//!
//! `RUSTFLAGS="--cfg shuttle" CARGO_TARGET_DIR=target/shuttle cargo test -p os --test model`
//!
//! That each check can fail was tried by breaking one line at a time. "For ever" is a schedule that exceeds its steps.
//!
//! | check | line broken on purpose | it fails |
//! |---|---|---|
//! | unpark_is_never_lost | `park` stores PARKED without looking for a token | for ever |
//! | an_unpark_at_the_deadline_counts | a passed deadline stores TIMED over a token | for ever |
//! | a_sleeping_scheduler_sees_every_worker_once | `unpark` looks at the state, then stores TOKEN | for ever |
//! | | `drain_inbox` loads the head, then stores 0 | for ever |
//! | | `push_inbox` does not wake the scheduler, or wakes it before it pushes | for ever |
//! | | `push_runnable` does not link the new one behind the old tail | for ever |
//! | a_worker_slot_has_one_owner | the free list's head has no tag against reuse | two owners |
//! | spinlock_excludes | `collide` sees the word free, then stores its name | two inside |
//! | mutex_excludes_and_wakes | who waits marks HELD instead of CONTENDED | for ever |
//! | | a release that hands over also frees | released twice |
//! | | `grant` unparks before it marks | for ever |
//! | rwlocks_exclude_and_wake | a grant to a writer does not look for readers | two inside |
//! | | who waits enters the list first and is counted later | for ever |
//! | | the classic release grants nobody | for ever |
//! | | a published reader that leaves wakes no revoking writer | for ever |
//! | | the revoking writer names itself only before it parks, after its look | for ever |
//! | a_revoking_writer_overlooks_no_reader | the writer does not look at the rows, or at its own only | two inside |
//! | | the published reader does not look at the word again, or looks before it publishes | two inside |
//! | a_reader_is_not_let_in_past_a_waiting_writer | `may_read` does not look for waiting writers | for ever |
//! | | `may_publish` does not look for waiting writers | for ever |
//! | a_writer_that_gives_up_is_forgotten | it grants nobody behind it | for ever |
//! | | it takes the bias away although readers are published | two inside |
//! | latch_excludes_and_wakes | who waits enters the list first and is counted later | for ever |
//! | | a release does not look for waiters | for ever |
//! | | EX does not look for SH | two inside |
//! | an_auto_reset_event_lets_one_through_for_each_set | `wait` does not look again under the list's lock | for ever |
//! | | `set` marks the event although it let one through | still set |
//! | a_manual_reset_event_lets_all_through | `wait` does not look again under the list's lock | for ever |
//! | | `set` wakes one | for ever |
//! | a_semaphore_gives_what_it_has | a release grants nobody | for ever |
//! | | a grant does not look at what is free | units lost |
//! | a_condvar_loses_no_notification | who waits enters the list after it frees the mutex | for ever |
//! | an_event_count_loses_no_notification | `wait` does not compare its ticket under the list's lock | for ever |
//! | | `notify` counts after it has taken the waiters | for ever |
//! | an_event_count_that_wakes_one_of_those_who_wait_for_more_leaves_nobody | `notify_up_to` wakes none of the others | for ever |
//! | a_parking_lot_forgets_no_waiter | `wait` does not look at the word again under the bucket's lock | for ever |
//! | | who waits does not set the bit | for ever |
//! | | `wake` drops those of its bucket who wait for another word | for ever |
#![cfg(shuttle)]

use os::model::atomic::{AtomicU32, AtomicU64, Ordering};
use os::sync::*;
use os::wait::{self, WaitType};
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::thread;
use std::sync::Arc;

const ITERATIONS: usize = 2_000;

fn check(test: impl Fn() + Send + Sync + Clone + 'static) {
    check_times(ITERATIONS, test);
}

/// As [`check`]: a short test of one narrow gap needs more schedules, and has the time for them.
fn check_times(times: usize, test: impl Fn() + Send + Sync + Clone + 'static) {
    let body = move || {
        os::model::begin();
        test();
    };
    let mut config = shuttle::Config::new();
    // The tables are made on the first thread's stack.
    config.stack_size = 4 << 20;
    config.max_steps = shuttle::MaxSteps::FailAfter(100_000);
    shuttle::Runner::new(RandomScheduler::new(times), config.clone()).run(body.clone());
    shuttle::Runner::new(PctScheduler::new(3, times), config).run(body);
}

/// Runs `run(n)` on three threads and waits for them.
fn threads(run: impl Fn(u32) + Send + Sync + 'static) {
    many_threads(3, run);
}

fn many_threads(count: u32, run: impl Fn(u32) + Send + Sync + 'static) {
    let run = Arc::new(run);
    let all: Vec<_> = (0..count)
        .map(|n| {
            let run = run.clone();
            thread::spawn(move || run(n))
        })
        .collect();
    for thread in all {
        thread.join().unwrap();
    }
}

/// The form of RwLock is the process's, so tests that choose it must not meet.
static ONE_FORM: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// As [`check`], for every form of RwLock in turn.
fn check_rwlocks(test: fn()) {
    let _one = ONE_FORM.lock();
    for form in [RwLockForm::Atomic, RwLockForm::Classic, RwLockForm::Biased] {
        set_rwlock_form(form);
        check(test);
    }
    set_rwlock_form(RwLockForm::Atomic);
}

/// What a writer adds where readers add one.
const WRITER: u64 = 1 << 32;

/// A lock that has been read, so that it is biased if the form is.
fn read_before<T: Default>() -> Arc<RwLock<T>> {
    let lock = Arc::new(RwLock::new(WaitType::SOS_RW, T::default()));
    drop(lock.read());
    lock
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
fn an_unpark_at_the_deadline_counts() {
    check(|| {
        let me = wait::current();
        let other = thread::spawn(move || wait::unpark(me));
        // Whoever times out has not been told, so the token is still to come.
        if wait::park_uninterruptible(WaitType::SOS_EVENT, Some(0)) == wait::WakeReason::Timeout {
            assert_eq!(wait::park_uninterruptible(WaitType::SOS_EVENT, None), wait::WakeReason::Unparked);
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
fn a_worker_slot_has_one_owner() {
    check(|| {
        let owners = [const { AtomicU32::new(0) }; 16];
        let (a, b) = (os::model::parked_fiber(), os::model::parked_fiber());
        os::model::release(b);
        os::model::release(a);
        threads(move |_| {
            let take = || {
                let id = os::model::parked_fiber();
                assert_eq!(owners[id.raw() as usize].fetch_add(1, Ordering::SeqCst), 0);
                id
            };
            let give = |id: wait::WorkerId| {
                owners[id.raw() as usize].fetch_sub(1, Ordering::SeqCst);
                os::model::release(id);
            };
            // The first comes back to the head of the free list, before which the second is gone from it.
            let (first, second) = (take(), take());
            give(first);
            give(second);
        });
    });
}

#[test]
fn spinlock_excludes() {
    static CLASS: SpinClass = SpinClass::new("MODEL");
    check(|| {
        let lock = Arc::new(SpinLock::new(&CLASS, ()));
        let inside = AtomicU32::new(0);
        threads(move |n| {
            for _ in 0..2 {
                let guard = if n == 2 { lock.try_lock() } else { Some(lock.lock()) };
                if guard.is_some() {
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
            }
        });
    });
}

#[test]
fn mutex_excludes_and_wakes() {
    check(|| {
        let mutex = Arc::new(Mutex::new(WaitType::SOS_MUTEX, ()));
        let after = mutex.clone();
        let inside = AtomicU32::new(0);
        threads(move |n| {
            for _ in 0..2 {
                // One that gives up.
                let guard = if n == 2 { mutex.lock_until(0) } else { Some(mutex.lock()) };
                if guard.is_some() {
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
            }
        });
        assert!(after.try_lock().is_some(), "free at the end");
    });
}

#[test]
fn rwlocks_exclude_and_wake() {
    check_rwlocks(|| {
        let inside = AtomicU64::new(0);
        let lock = read_before::<()>();
        let after = lock.clone();
        threads(move |n| {
            if n > 0 {
                os::model::enter_new_scheduler();
            }
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

/// The narrow gap between a reader's publication and its second look, and between a writer's mark and its look.
#[test]
fn a_revoking_writer_overlooks_no_reader() {
    let _one = ONE_FORM.lock();
    set_rwlock_form(RwLockForm::Biased);
    check_times(10_000, || {
        let lock = read_before::<AtomicU64>();
        let writers_lock = lock.clone();
        let writer = thread::spawn(move || {
            os::model::enter_new_scheduler();
            let inside = writers_lock.write();
            assert_eq!(inside.fetch_add(WRITER, Ordering::SeqCst), 0, "a reader is inside");
            thread::yield_now();
            inside.fetch_sub(WRITER, Ordering::SeqCst);
        });
        let inside = lock.read();
        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "a writer is inside");
        thread::yield_now();
        inside.fetch_sub(1, Ordering::SeqCst);
        drop(inside);
        writer.join().unwrap();
    });
    set_rwlock_form(RwLockForm::Atomic);
}

/// Neither by the word nor by the table; so whoever keeps reading cannot starve a writer.
#[test]
fn a_reader_is_not_let_in_past_a_waiting_writer() {
    check_rwlocks(|| {
        let lock = Arc::new(RwLock::new(WaitType::SOS_RW, AtomicU32::new(0)));
        // If biased, the one is counted in the word and the other published.
        let (first, second) = (lock.read(), lock.read());
        let writers_lock = lock.clone();
        let writer = thread::spawn(move || writers_lock.write().fetch_add(1, Ordering::SeqCst));
        let readers_lock = lock.clone();
        let reader = thread::spawn(move || {
            os::model::enter_new_scheduler();
            // What keeps a reader out while one reads can only be a writer that waits. This one may have come too late.
            for _ in 0..20 {
                if readers_lock.try_read().is_none() {
                    assert_eq!(readers_lock.read().load(Ordering::SeqCst), 1, "passed the writer");
                    return;
                }
                thread::yield_now();
            }
        });
        // Until the writer is in the list, or has made its mark.
        while lock.try_read().is_some() {
            thread::yield_now();
        }
        assert!(lock.try_read().is_none() && lock.try_write().is_none());
        drop(first);
        assert!(lock.try_read().is_none(), "passed the writer");
        drop(second);
        assert_eq!(lock.read().load(Ordering::SeqCst), 1, "passed the writer");
        writer.join().unwrap();
        reader.join().unwrap();
    });
}

/// A reader behind it goes on although nobody leaves; and with the bias half revoked, the readers inside still count.
#[test]
fn a_writer_that_gives_up_is_forgotten() {
    check_rwlocks(|| {
        let lock = Arc::new(RwLock::new(WaitType::SOS_RW, AtomicU32::new(0)));
        // If biased, the one is counted in the word and the other published.
        let (first, second) = (lock.read(), lock.read());
        let hasty_lock = lock.clone();
        let hasty = thread::spawn(move || assert!(hasty_lock.write_until(0).is_none(), "two read"));
        let readers_lock = lock.clone();
        let reader = thread::spawn(move || drop(readers_lock.read()));
        reader.join().unwrap();
        drop(first);
        hasty.join().unwrap();
        assert!(lock.try_write().is_none(), "the second reads");
        let patient_lock = lock.clone();
        let patient = thread::spawn(move || patient_lock.write().fetch_add(1, Ordering::SeqCst));
        assert_eq!(second.load(Ordering::SeqCst), 0, "a writer is inside");
        drop(second);
        patient.join().unwrap();
    });
}

#[test]
fn latch_excludes_and_wakes() {
    static CLASS: LatchClass = LatchClass::new("MODEL");
    const EXCLUSIVE: u32 = 1 << 16;
    check(|| {
        let latch = Arc::new(Latch::new(&CLASS, ()));
        let after = latch.clone();
        let inside = AtomicU32::new(0);
        threads(move |n| {
            for round in 0..2 {
                match (n + round) % 4 {
                    0 => {
                        let _guard = latch.exclusive();
                        assert_eq!(inside.fetch_add(EXCLUSIVE, Ordering::SeqCst), 0);
                        inside.fetch_sub(EXCLUSIVE, Ordering::SeqCst);
                    }
                    1 => drop(latch.acquire_until(LatchMode::Update, 0)),
                    2 => drop(latch.acquire(LatchMode::Keep)),
                    _ => {
                        let _guard = latch.shared();
                        assert!(inside.fetch_add(1, Ordering::SeqCst) < EXCLUSIVE);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                }
            }
        });
        assert!(after.try_acquire(LatchMode::Destroy).is_some(), "free at the end");
    });
}

#[test]
fn an_auto_reset_event_lets_one_through_for_each_set() {
    check(|| {
        let event = Arc::new(Event::auto_reset(WaitType::SOS_EVENT));
        let (patient, hasty) = (event.clone(), event.clone());
        let waiter = thread::spawn(move || assert!(patient.wait(None)));
        let hasty = thread::spawn(move || {
            if hasty.wait(Some(0)) {
                hasty.set();
            }
        });
        event.set();
        waiter.join().unwrap();
        hasty.join().unwrap();
        assert!(!event.is_set(), "one set, one through");
    });
}

#[test]
fn a_manual_reset_event_lets_all_through() {
    check(|| {
        let event = Arc::new(Event::manual_reset(WaitType::SOS_EVENT));
        threads(move |n| match n {
            0 => event.set(),
            _ => assert!(event.wait(None)),
        });
    });
}

#[test]
fn a_semaphore_gives_what_it_has() {
    check(|| {
        const UNITS: u32 = 2;
        let permits = Arc::new(Semaphore::new(WaitType::SOS_SEMAPHORE, UNITS));
        let after = permits.clone();
        let out = AtomicU32::new(0);
        threads(move |n| {
            // One wants all at once, one gives up, one takes them singly.
            let (units, deadline) = [(2, None), (2, Some(0)), (1, None)][n as usize];
            for _ in 0..2 {
                if permits.acquire(units, deadline) {
                    assert!(out.fetch_add(units, Ordering::SeqCst) + units <= UNITS);
                    out.fetch_sub(units, Ordering::SeqCst);
                    permits.release(units);
                }
            }
        });
        assert_eq!(after.free(), UNITS);
    });
}

#[test]
fn a_condvar_loses_no_notification() {
    check(|| {
        let shared = Arc::new((Mutex::new(WaitType::SOS_MUTEX, 0u32), Condvar::new(WaitType::SOS_EVENT)));
        threads(move |n| {
            let (mutex, changed) = &*shared;
            let mut items = mutex.lock();
            if n == 0 {
                *items += 2;
                changed.notify_one();
                changed.notify_one();
            } else {
                while *items == 0 {
                    items = changed.wait(items);
                }
                *items -= 1;
            }
        });
    });
}

#[test]
fn an_event_count_loses_no_notification() {
    check(|| {
        let shared = Arc::new((EventCount::default(), AtomicU32::new(0)));
        threads(move |n| {
            let (changed, items) = &*shared;
            if n == 0 {
                for _ in 0..2 {
                    items.fetch_add(1, Ordering::SeqCst);
                    changed.notify();
                }
                return;
            }
            loop {
                let ticket = changed.ticket();
                let taken = items.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |items| items.checked_sub(1));
                if taken.is_ok() {
                    break;
                }
                changed.wait(ticket, 0, WaitType::SOS_EVENT);
            }
        });
    });
}

/// As the log's commits: each appends, and one flushes for all who came before it began.
#[test]
fn an_event_count_that_wakes_one_of_those_who_wait_for_more_leaves_nobody() {
    check(|| {
        let log = (EventCount::default(), Mutex::new(WaitType::SOS_MUTEX, ()), AtomicU64::new(0), AtomicU64::new(0));
        let shared = Arc::new(log);
        many_threads(4, move |_| {
            let (changed, flushes, appended, hardened) = &*shared;
            let goal = appended.fetch_add(1, Ordering::SeqCst) + 1;
            while hardened.load(Ordering::SeqCst) < goal {
                let ticket = changed.ticket();
                match flushes.try_lock() {
                    Some(flush) => {
                        hardened.store(appended.load(Ordering::SeqCst), Ordering::SeqCst);
                        drop(flush);
                        changed.notify_up_to(hardened.load(Ordering::SeqCst));
                    }
                    None => changed.wait(ticket, goal, WaitType::WRITELOG),
                }
            }
        });
    });
}

/// Locks of one word, made of the lot as page latches are. Two of them share a bucket.
#[test]
fn a_parking_lot_forgets_no_waiter() {
    const HELD: u64 = 1;
    const WAITERS: u64 = 2;
    const KEYS: [u64; 2] = [1, 65];
    fn acquire(lot: &ParkingLot, key: u64, word: &AtomicU64) {
        loop {
            let now = word.load(Ordering::SeqCst);
            if now & HELD != 0 {
                lot.wait(key, word, WAITERS, |now| now & HELD != 0, WaitType::LATCH_EX);
            } else if word.compare_exchange(now, now | HELD, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                return;
            }
        }
    }
    fn release(lot: &ParkingLot, key: u64, word: &AtomicU64) {
        if word.fetch_and(!HELD, Ordering::SeqCst) & WAITERS != 0 {
            lot.wake(key, word, WAITERS);
        }
    }
    check(|| {
        let lot = ParkingLot::default();
        let (words, inside) = ([const { AtomicU64::new(0) }; 2], [const { AtomicU32::new(0) }; 2]);
        many_threads(4, move |n| {
            let which = n as usize % 2;
            acquire(&lot, KEYS[which], &words[which]);
            assert_eq!(inside[which].fetch_add(1, Ordering::SeqCst), 0);
            inside[which].fetch_sub(1, Ordering::SeqCst);
            release(&lot, KEYS[which], &words[which]);
        });
    });
}
