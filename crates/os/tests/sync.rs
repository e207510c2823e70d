//! Every lock under contention, first from plain threads. Bounded in rounds; a lost wake-up would hang a thread and is
//! seen as a deadline that passes.
use os::sync::*;
use os::wait::WaitType;
use std::sync::Arc;

const THREADS: usize = 4;
const ROUNDS: usize = 5_000;

fn threads(run: impl Fn(usize) + Send + Sync + 'static) {
    let run = Arc::new(run);
    let all: Vec<_> = (0..THREADS)
        .map(|n| {
            let run = run.clone();
            std::thread::spawn(move || run(n))
        })
        .collect();
    for thread in all {
        thread.join().unwrap();
    }
}

/// Far enough that reaching it means a wake-up was lost.
fn soon() -> u64 {
    os::clock::after_ms(20_000)
}

#[test]
fn mutex_excludes() {
    let sum = Arc::new(Mutex::new(WaitType::SOS_MUTEX, 0u64));
    let shared = sum.clone();
    threads(move |_| {
        for _ in 0..ROUNDS {
            let mut sum = shared.lock_until(soon()).expect("no lost wake-up");
            let seen = *sum;
            std::hint::spin_loop();
            *sum = seen + 1;
        }
    });
    assert_eq!(*sum.lock(), (THREADS * ROUNDS) as u64);
}

#[test]
fn spinlock_excludes_and_counts() {
    static CLASS: SpinClass = SpinClass::new("TEST_SPIN");
    let sum = Arc::new(SpinLock::new(&CLASS, 0u64));
    let shared = sum.clone();
    threads(move |_| {
        for _ in 0..ROUNDS {
            *shared.lock() += 1;
        }
    });
    assert_eq!(*sum.lock(), (THREADS * ROUNDS) as u64);
}

#[test]
fn latch_modes_are_compatible_as_documented() {
    use LatchMode::*;
    static CLASS: LatchClass = LatchClass::new("TEST_LATCH");
    let modes = [Keep, Shared, Update, Exclusive, Destroy];
    let expected = ["YYYYN", "YYYNN", "YYNNN", "YNNNN", "NNNNN"];
    for (held, row) in modes.iter().zip(expected) {
        for (asked, expect) in modes.iter().zip(row.chars()) {
            let latch = Latch::new(&CLASS, ());
            let _holder = latch.acquire(*held);
            assert_eq!(latch.try_acquire(*asked).is_some(), expect == 'Y', "{held:?} held, {asked:?} asked");
        }
    }
}

#[test]
fn latch_excludes_and_upgrades_wait() {
    static CLASS: LatchClass = LatchClass::new("TEST_LATCH_2");
    let pair = Arc::new(Latch::new(&CLASS, (0u64, 0u64)));
    let shared = pair.clone();
    threads(move |n| {
        for round in 0..ROUNDS {
            match (round + n) % 4 {
                0 => {
                    let mut pair = shared.acquire_until(LatchMode::Exclusive, soon()).expect("no lost wake-up");
                    pair.0 += 1;
                    pair.1 += 1;
                }
                1 => drop(shared.acquire_until(LatchMode::Keep, soon()).expect("no lost wake-up")),
                2 => drop(shared.acquire_until(LatchMode::Update, soon()).expect("no lost wake-up")),
                _ => {
                    let pair = shared.acquire_until(LatchMode::Shared, soon()).expect("no lost wake-up");
                    assert_eq!(pair.0, pair.1);
                }
            }
        }
    });
    assert_eq!(pair.shared().0, (THREADS * ROUNDS / 4) as u64);
}

#[test]
fn events_and_semaphores_let_through_as_many_as_they_say() {
    let ping = Arc::new(Event::auto_reset(WaitType::SOS_EVENT));
    let pong = Arc::new(Event::auto_reset(WaitType::SOS_EVENT));
    let (ping2, pong2) = (ping.clone(), pong.clone());
    let other = std::thread::spawn(move || {
        for _ in 0..ROUNDS {
            assert!(ping2.wait(Some(soon())));
            pong2.set();
        }
    });
    for _ in 0..ROUNDS {
        ping.set();
        assert!(pong.wait(Some(soon())));
    }
    other.join().unwrap();
    assert!(!ping.wait(Some(os::clock::after_ms(2))));

    let permits = Arc::new(Semaphore::new(WaitType::SOS_SEMAPHORE, 3));
    let inside = Arc::new(std::sync::atomic::AtomicU32::new(0));
    let (permits2, inside2) = (permits.clone(), inside.clone());
    threads(move |n| {
        for _ in 0..ROUNDS / 4 {
            let units = 1 + n as u32 % 3;
            assert!(permits2.acquire(units, Some(soon())));
            let now = inside2.fetch_add(units, std::sync::atomic::Ordering::SeqCst) + units;
            assert!(now <= 3, "{now}");
            inside2.fetch_sub(units, std::sync::atomic::Ordering::SeqCst);
            permits2.release(units);
        }
    });
    assert_eq!(permits.free(), 3);
}

#[test]
fn condvar_passes_every_item() {
    let queue = Arc::new((Mutex::new(WaitType::SOS_MUTEX, Vec::new()), Condvar::new(WaitType::SOS_CONDITION)));
    let shared = queue.clone();
    let consumer = std::thread::spawn(move || {
        let (mutex, filled) = &*shared;
        let mut sum = 0;
        for _ in 0..ROUNDS {
            let mut items = mutex.lock();
            while items.is_empty() {
                let (guard, notified) = filled.wait_until(items, Some(soon()));
                assert!(notified);
                items = guard;
            }
            sum += items.pop().unwrap();
        }
        sum
    });
    for n in 0..ROUNDS {
        queue.0.lock().push(n);
        queue.1.notify_one();
    }
    assert_eq!(consumer.join().unwrap(), ROUNDS * (ROUNDS - 1) / 2);
}
