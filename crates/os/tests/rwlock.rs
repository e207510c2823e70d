//! The three forms of RwLock under contention. The form is the process's, so one test takes them in turn. A lost wake-up is seen
//! as a deadline that passes.
use os::net::Place;
use os::sched::{MachineConfig, TaskKind, WorkerKind, spawn, start};
use os::sim::SimConfig;
use os::sync::*;
use os::wait::{self, WaitType};
use std::sync::Arc;

const WORKERS: usize = 8;
const ROUNDS: usize = 4_000;

/// Far enough that reaching it means a wake-up was lost.
fn soon() -> u64 {
    os::clock::after_ms(20_000)
}

#[test]
fn every_form_on_every_worker_kind() {
    for rwlock in [RwLockForm::Atomic, RwLockForm::Classic, RwLockForm::Biased] {
        for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
            let machine = start(MachineConfig { rwlock, workers, cpus: vec![0, 1, 0], ..MachineConfig::default() });
            machine.run(|| bias_comes_and_goes(rwlock_form() == RwLockForm::Biased));
            machine.run(pairs_stay_whole);
            machine.run(a_hold_lasts_over_a_wait);
            machine.run(more_locks_than_slots);
            // From plain threads too, which share one row of the readers' table.
            on_threads();
            times_out_and_recovers();
        }
        a_simulated_run_repeats();
    }
}

fn bias_comes_and_goes(expected: bool) {
    let lock = RawRwLock::new(WaitType::SOS_RW);
    let read = || {
        let hold = lock.acquire_shared(None).expect("free");
        lock.release_shared(hold);
        hold.is_published()
    };
    assert!(!read());
    (0..100).for_each(|_| _ = read());
    assert_eq!(read(), expected);
    assert!(lock.acquire_exclusive(None));
    assert!(lock.try_acquire_shared().is_none());
    lock.release_exclusive();
    assert!(!read(), "revoked");
    let end = soon();
    while !read() && expected {
        assert!(os::clock::now() < end, "bias comes back");
    }
}

fn reads_and_writes(pair: &RwLock<(u64, u64)>, n: usize) {
    for round in 0..ROUNDS {
        if round % 64 == n {
            let mut pair = pair.write_until(soon()).expect("no lost wake-up");
            pair.0 += 1;
            wait::maybe_yield();
            pair.1 += 1;
        } else {
            let pair = pair.read_until(soon()).expect("no lost wake-up");
            if round % 256 == 0 {
                wait::yield_now();
            }
            assert_eq!(pair.0, pair.1);
        }
    }
}

fn written() -> u64 {
    (0..WORKERS).map(|n| (0..ROUNDS).filter(|round| round % 64 == n).count() as u64).sum()
}

fn pairs_stay_whole() {
    let pair = Arc::new(RwLock::new(WaitType::SOS_RW, (0u64, 0u64)));
    let workers: Vec<_> = (0..WORKERS)
        .map(|n| {
            let pair = pair.clone();
            spawn(TaskKind::Request, Place::LeastLoaded, move || reads_and_writes(&pair, n))
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    assert_eq!(*pair.read(), (written(), written()));
}

fn on_threads() {
    let pair = RwLock::new(WaitType::SOS_RW, (0u64, 0u64));
    std::thread::scope(|scope| {
        for n in 0..WORKERS {
            let pair = &pair;
            scope.spawn(move || reads_and_writes(pair, n));
        }
    });
    assert_eq!(*pair.read(), (written(), written()));
}

/// Readers that keep the lock while they wait, and a writer that must see them all gone.
fn a_hold_lasts_over_a_wait() {
    let lock = Arc::new(RwLock::new(WaitType::SOS_RW, 0u32));
    (0..100).for_each(|_| assert_eq!(*lock.read(), 0));
    let inside = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let (entered, leave) =
        (Arc::new(Semaphore::new(WaitType::SOS_SEMAPHORE, 0)), Arc::new(Event::manual_reset(WaitType::SOS_EVENT)));
    let readers: Vec<_> = (0..WORKERS)
        .map(|n| {
            let (lock, inside, entered, leave) = (lock.clone(), inside.clone(), entered.clone(), leave.clone());
            spawn(TaskKind::Request, Place::On(n as u32 % 3), move || {
                let value = lock.read();
                inside.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                entered.release(1);
                assert!(leave.wait(Some(soon())));
                assert_eq!(*value, 0);
                inside.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
            })
        })
        .collect();
    assert!(entered.acquire(WORKERS as u32, Some(soon())));
    assert!(lock.try_write().is_none());
    assert!(lock.write_until(os::clock::after_ms(2)).is_none());
    assert!(lock.try_read().is_some(), "a writer that gave up keeps nobody out");
    let (writer_lock, writer_inside) = (lock.clone(), inside.clone());
    let writer = spawn(TaskKind::Request, Place::On(1), move || {
        let mut value = writer_lock.write_until(soon()).expect("no lost wake-up");
        assert_eq!(writer_inside.load(std::sync::atomic::Ordering::SeqCst), 0);
        *value = 1;
    });
    while lock.try_read().is_some() {
        wait::yield_now();
    }
    assert!(lock.read_until(os::clock::after_ms(2)).is_none(), "a writer waits");
    leave.set();
    writer.join().unwrap();
    readers.into_iter().for_each(|reader| reader.join().unwrap());
    assert_eq!(*lock.read(), 1);
}

/// A worker that reads more locks at once than its scheduler's row has slots.
fn more_locks_than_slots() {
    let locks: Vec<_> = (0..20u32).map(|n| RwLock::new(WaitType::SOS_RW, n)).collect();
    for _ in 0..400 {
        let held: Vec<_> = locks.iter().map(RwLock::read).collect();
        assert!(held.iter().zip(0..).all(|(value, n)| **value == n));
        assert!(locks.iter().all(|lock| lock.try_write().is_none()));
    }
    assert!(locks.iter().all(|lock| lock.try_write().is_some()));
}

/// Bias, which depends on rows, numbers and times, changes nothing of a seed's trace.
fn a_simulated_run_repeats() {
    let run = |seed| {
        let outcome = os::sim::run(seed, SimConfig { schedulers: 3, ..SimConfig::default() }, || {
            a_hold_lasts_over_a_wait();
            bias_comes_and_goes(rwlock_form() == RwLockForm::Biased);
            pairs_stay_whole();
        });
        assert!(outcome.result.is_some());
        outcome.trace_hash
    };
    assert_eq!([1, 2].map(run), [1, 2].map(run));
    assert_ne!(run(1), run(2));
}

fn times_out_and_recovers() {
    let lock = Arc::new(RwLock::new(WaitType::SOS_RW, ()));
    (0..100).for_each(|_| drop(lock.read()));
    let reader = lock.read();
    assert!(lock.write_until(os::clock::after_ms(5)).is_none());
    // The writer that gave up must not keep readers out.
    assert!(lock.try_read().is_some());
    let other = lock.clone();
    let writer = std::thread::spawn(move || other.write_until(soon()).is_some());
    while lock.try_read().is_some() {
        std::thread::yield_now();
    }
    // A writer waits: a reader that arrives now is not let in, and when it gives up the writer still gets its turn.
    assert!(lock.read_until(os::clock::after_ms(5)).is_none());
    drop(reader);
    assert!(writer.join().unwrap());
    assert!(lock.try_write().is_some());
}
