//! What a change of worker and a wake-up cost, on fibers, threads and between processes, beside the least that the machine
//! could do: a swap of registers, a round trip over a futex. Some seconds.
//!
//! `cargo run --profile bench-dev -p os --example switches`
#![allow(unsafe_code)]

use corosensei::stack::StackPointer;
use corosensei::{Coroutine, CoroutineResult};
use os::net::Place;
use os::sched::{Machine, MachineConfig, TaskKind, WorkerKind, spawn, start};
use os::sync::Event;
use os::wait::{self, WaitType, WorkerId};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Hand-overs of a measurement: many where one takes nanoseconds, few where it takes microseconds.
const MANY: u64 = 2_000_000;
const FEW: u64 = 20_000;

fn main() {
    println!("Time from one worker to the next: elapsed, and CPU of all who take part. A round trip is two of them.\n");
    println!("{:62}{:>12}{:>12}", "", "elapsed ns", "CPU ns");
    let cpus = os::limits::usable_cpus();
    let (first, last) = (cpus[0], cpus[cpus.len() - 1]);
    // Processes before threads: what is forked must be alone.
    let words = shared_words();
    forked("processes, futex in shared memory, one CPU [limit]", first, first, |me| futex_turns(words, me));
    forked("processes, futex in shared memory, two CPUs [limit]", first, last, |me| futex_turns(words, me));
    map_worker_tables();
    forked("processes, park and unpark, one CPU", first, first, |me| park_turns(words, me));
    forked("processes, park and unpark, two CPUs", first, last, |me| park_turns(words, me));
    threads("threads, futex, one CPU [limit]", first, first, words);
    threads("threads, futex, two CPUs [limit]", first, last, words);
    swap_of_registers();
    for (name, workers, pinned, times) in [
        ("fibers", WorkerKind::Fiber, false, MANY),
        ("threads anywhere", WorkerKind::Thread, false, 2 * FEW),
        ("threads bound to CPUs", WorkerKind::Thread, true, 2 * FEW),
    ] {
        let config = MachineConfig { workers, pinned, ..MachineConfig::default() };
        let machine = start(config.clone());
        machine.run(move || yields(&format!("{name}, yield to the other of a scheduler"), times));
        machine.run(move || events(&format!("{name}, event, one scheduler"), Place::Here, times / 4));
        events_across(&format!("{name}, event, another scheduler that looks for work"), &machine);
        drop(machine);
        let machine = start(MachineConfig { idle_spin_us: 0, ..config });
        events_across(&format!("{name}, event, another scheduler that sleeps"), &machine);
    }
}

fn report(what: &str, times: u64, elapsed_ns: u64, cpu_ns: u64) {
    let each = |ns: u64| format!("{:.1}", ns as f64 / times as f64);
    println!("{what:62}{:>12}{:>12}", each(elapsed_ns), each(cpu_ns));
}

/// `run` hands over `times` times.
fn timed(what: &str, times: u64, run: impl FnOnce()) {
    let (start, start_cpu) = (os::clock::now(), cpu_ns(libc::RUSAGE_SELF));
    run();
    report(what, times, os::clock::now() - start, cpu_ns(libc::RUSAGE_SELF) - start_cpu);
}

fn cpu_ns(whose: i32) -> u64 {
    // SAFETY: rusage is plain data; getrusage fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert!(libc::getrusage(whose, &mut usage) == 0);
        usage
    };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}

struct Stack(Vec<u128>);

impl Stack {
    fn new() -> Stack {
        Stack(vec![0; 8192])
    }
}

// SAFETY: the vector is aligned to 16 bytes, does not move its memory, and lives as long as this. What runs on it is a loop.
unsafe impl corosensei::stack::Stack for Stack {
    fn base(&self) -> StackPointer {
        StackPointer::new(self.0.as_ptr_range().end as usize).expect("not null")
    }

    fn limit(&self) -> StackPointer {
        StackPointer::new(self.0.as_ptr() as usize).expect("not null")
    }
}

/// The whole of a fiber switch but for the choice of whom.
fn swap_of_registers() {
    let mut other = Coroutine::with_stack(Stack::new(), |yielder: &corosensei::Yielder<bool, ()>, mut more: bool| {
        while more {
            more = yielder.suspend(());
        }
    });
    timed("swap of registers and stack [limit]", 2 * MANY, || {
        for _ in 0..MANY {
            assert!(matches!(other.resume(true), CoroutineResult::Yield(())));
        }
    });
    other.resume(false);
}

/// Two workers of this scheduler that only yield.
fn yields(what: &str, times: u64) {
    let run = move || (0..times / 2).for_each(|_| wait::yield_now());
    timed(what, times, || {
        let both = [(); 2].map(|()| spawn(TaskKind::Request, Place::Here, run));
        for worker in both {
            worker.join().expect("no panic");
        }
    });
}

/// Two workers that wait for each other.
fn events(what: &str, place: Place, rounds: u64) {
    let pair = || (Event::auto_reset(WaitType::SOS_EVENT), Event::auto_reset(WaitType::SOS_EVENT));
    let (mine, other) = (Arc::new(pair()), place);
    let theirs = mine.clone();
    let pong = spawn(TaskKind::Request, other, move || {
        for _ in 0..rounds {
            theirs.0.wait(None);
            theirs.1.set();
        }
    });
    timed(what, 2 * rounds, || {
        for _ in 0..rounds {
            mine.0.set();
            mine.1.wait(None);
        }
    });
    pong.join().expect("no panic");
}

fn events_across(what: &str, machine: &Machine) {
    if os::limits::usable_cpus().len() < 2 {
        return println!("{what:62}{:>12}", "one CPU");
    }
    let what = what.to_owned();
    machine.run(move || events(&what, Place::On(1), FEW));
}

/// Whose turn it is, and the two workers' names.
struct Words {
    turn: AtomicU32,
    workers: [AtomicU32; 2],
}

/// In memory that children of this process share with it.
fn shared_words() -> &'static Words {
    let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    // SAFETY: a fresh anonymous mapping of a page, aligned and zeroed, never unmapped; `Words` is valid when zero.
    unsafe {
        let page = libc::mmap(std::ptr::null_mut(), 4096, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        assert!(page != libc::MAP_FAILED);
        &*page.cast::<Words>()
    }
}

/// The worker tables are shared with processes forked after this.
fn map_worker_tables() {
    os::stats::slots_in_use();
}

fn pin(cpu: u32) {
    // SAFETY: the set is plain data on this stack.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu as usize, &mut set);
        assert!(libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) == 0);
    }
}

/// Two children of this process, each on its CPU, take turns.
fn forked(what: &str, first: u32, second: u32, turns: impl Fn(u32)) {
    let (start, start_cpu) = (os::clock::now(), cpu_ns(libc::RUSAGE_CHILDREN));
    let children = [(0, first), (1, second)].map(|(me, cpu)| {
        // SAFETY: this process has one thread, so the child may go on as it is.
        let child = unsafe { libc::fork() };
        assert!(child >= 0, "fork");
        if child == 0 {
            pin(cpu);
            turns(me);
            // SAFETY: ends the child without what the parent has registered for its own end.
            unsafe { libc::_exit(0) };
        }
        child
    });
    for child in children {
        let mut status = 0;
        // SAFETY: waits for a child of this process.
        assert!(unsafe { libc::waitpid(child, &mut status, 0) } == child && status == 0, "the child ended well");
    }
    report(what, 2 * FEW, os::clock::now() - start, cpu_ns(libc::RUSAGE_CHILDREN) - start_cpu);
}

fn threads(what: &str, first: u32, second: u32, words: &'static Words) {
    timed(what, 2 * FEW, || {
        std::thread::scope(|scope| {
            for (me, cpu) in [(0, first), (1, second)] {
                scope.spawn(move || {
                    pin(cpu);
                    futex_turns(words, me);
                });
            }
        })
    });
}

fn futex_turns(words: &Words, me: u32) {
    let futex = |operation: i32, value: u32| {
        // SAFETY: the word lives for the whole call; no timeout.
        unsafe { libc::syscall(libc::SYS_futex, words.turn.as_ptr(), operation, value, std::ptr::null::<()>()) };
    };
    for _ in 0..FEW {
        while words.turn.load(Ordering::Acquire) != me {
            futex(libc::FUTEX_WAIT, 1 - me);
        }
        words.turn.store(1 - me, Ordering::Release);
        futex(libc::FUTEX_WAKE, 1);
    }
}

fn park_turns(words: &Words, me: u32) {
    words.workers[me as usize].store(wait::current().raw(), Ordering::SeqCst);
    let other = loop {
        match words.workers[1 - me as usize].load(Ordering::SeqCst) {
            0 => std::thread::yield_now(),
            id => break WorkerId::from_raw(id),
        }
    };
    for _ in 0..FEW {
        while words.turn.load(Ordering::Acquire) != me {
            wait::park_uninterruptible(WaitType::SOS_EVENT, None);
        }
        words.turn.store(1 - me, Ordering::Release);
        wait::unpark(other);
    }
    // For the next pair: both have seen the other's name by now.
    words.workers[me as usize].store(0, Ordering::SeqCst);
}
