//! What this layer costs, in ns an operation: `cargo run --profile bench-dev -p os --example primitives`. What it costs from one
//! worker to the next is in `switches`.
use os::net::{Endpoint, Listener, Place, Ready, Stream, read_exact};
use os::sched::{Machine, MachineConfig, TaskKind, WorkerKind, spawn, start};
use os::sync::*;
use os::wait::{self, WaitType};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn main() {
    // One measurement alone, for a profiler.
    if let Some(connections) = std::env::args().nth(1).and_then(|n| n.parse().ok()) {
        let machine = start(MachineConfig { max_worker_threads: 4096, ..Default::default() });
        let local = std::env::args().nth(2).is_some_and(|transport| transport == "local");
        return machine.run(move || echo(local, connections, 200_000 / connections));
    }
    for form in [RwLockForm::Atomic, RwLockForm::Classic, RwLockForm::Biased] {
        for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
            println!("--- {workers:?} workers, {form:?} RwLock");
            let config = MachineConfig { workers, rwlock: form, max_worker_threads: 4096, ..Default::default() };
            measure(&start(config));
        }
    }
}

fn measure(machine: &Machine) {
    machine.run(|| {
        let (mutex, lock) = (Mutex::new(WaitType::SOS_MUTEX, 0u64), RwLock::new(WaitType::SOS_RW, 0u64));
        report("mutex, uncontended", 2_000_000, || *mutex.lock() += 1);
        report("rwlock read, uncontended", 2_000_000, || assert!(*lock.read() == 0));
        report("maybe_yield", 20_000_000, wait::maybe_yield);
        report("clock::now", 2_000_000, || assert!(os::clock::now() > 0));
        report("yield to itself", 100_000, wait::yield_now);
    });
    machine.run(switches);
    machine.run(|| readers_and_writers(Place::LeastLoaded));
    machine.run(|| {
        report("spawn and join", 100_000, || spawn(TaskKind::Request, Place::Here, || ()).join().unwrap());
        report("preemptive call", 5_000, || os::sched::preemptive(WaitType::PREEMPTIVE_OTHER, || ()));
    });
    machine.run(|| echo(false, 1, 5_000));
    machine.run(|| echo(true, 1, 5_000));
    machine.run(|| echo(false, 64, 2_000));
    machine.run(|| echo(true, 64, 2_000));
    machine.run(|| echo(false, 512, 300));
    machine.run(|| echo(true, 512, 300));
}

fn report(what: &str, times: u64, mut run: impl FnMut()) {
    timed(what, times, || (0..times).for_each(|_| run()));
}

/// Elapsed time, and CPU time of the whole process, which a busy machine does not falsify.
fn timed(what: &str, times: u64, run: impl FnOnce()) {
    let used = || {
        let (user, kernel) = os::clock::process_cpu();
        user + kernel
    };
    let (start, start_cpu) = (os::clock::now(), used());
    run();
    let (elapsed, cpu) = (os::clock::now() - start, used() - start_cpu);
    println!("{what:32} {:9.1} ns, CPU {:9.1} ns", elapsed as f64 / times as f64, cpu as f64 / times as f64);
}

/// 100 workers of one scheduler that only yield.
fn switches() {
    const WORKERS: u64 = 100;
    const YIELDS: u64 = 2_000;
    let run = || spawn(TaskKind::Request, Place::On(0), || (0..YIELDS).for_each(|_| wait::yield_now()));
    timed("switch, 100 workers", WORKERS * YIELDS, || {
        (0..WORKERS).map(|_| run()).collect::<Vec<_>>().into_iter().for_each(|h| h.join().unwrap())
    });
}

/// 16 workers on all schedulers, one write in 100.
fn readers_and_writers(place: Place) {
    const WORKERS: u64 = 16;
    const ROUNDS: u64 = 50_000;
    let lock = Arc::new(RwLock::new(WaitType::SOS_RW, 0u64));
    let run = || {
        let lock = lock.clone();
        spawn(TaskKind::Request, place, move || {
            for round in 0..ROUNDS {
                if round % 100 == 0 {
                    *lock.write() += 1;
                } else {
                    std::hint::black_box(*lock.read());
                }
                wait::maybe_yield();
            }
        })
    };
    timed("rwlock, 16 workers, 1 % writes", WORKERS * ROUNDS, || {
        (0..WORKERS).map(|_| run()).collect::<Vec<_>>().into_iter().for_each(|h| h.join().unwrap())
    });
}

fn echo(local: bool, connections: u64, rounds: u64) {
    let tcp = Listener::bind(Endpoint::Tcp("127.0.0.1:0".parse().unwrap())).unwrap();
    let number = tcp.local_addr().tcp().unwrap().port();
    let listener = if local { Listener::bind(Endpoint::Local(number)).unwrap() } else { tcp };
    let address = listener.local_addr();
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let accept = spawn(TaskKind::Accept, Place::Here, move || {
        while !stopped.load(Ordering::Relaxed) {
            if let Ok((stream, _)) = listener.accept(Some(os::clock::after_ms(20))) {
                stream.arm(Place::LeastLoaded, None, answer);
            }
        }
    });
    let streams: Vec<_> = (0..connections).map(|_| Stream::connect(address, None).unwrap()).collect();
    let run = |stream: Stream| {
        spawn(TaskKind::Client, Place::LeastLoaded, move || {
            let mut bytes = [7; 64];
            for _ in 0..rounds {
                stream.write_all(&bytes, None).unwrap();
                read_exact(&stream, &mut bytes, None).unwrap();
            }
        })
    };
    let transport = if local { "local" } else { "tcp" };
    timed(&format!("echo, {transport}, {connections} connections"), connections * rounds, || {
        streams.into_iter().map(run).collect::<Vec<_>>().into_iter().for_each(|client| client.join().unwrap())
    });
    stop.store(true, Ordering::Relaxed);
    accept.join().unwrap();
}

fn answer(stream: Stream, _ready: Ready) {
    let mut bytes = [0; 4096];
    match stream.try_read(&mut bytes) {
        Ok(Some(0)) | Err(_) => return,
        Ok(Some(got)) => {
            if stream.write_all(&bytes[..got], None).is_err() {
                return;
            }
        }
        Ok(None) => {}
    }
    stream.arm(Place::Here, None, answer);
}
