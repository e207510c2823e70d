//! The same behaviour on fibers and on threads: tasks, waits, yields, timers, preemptive calls, shutdown.
use os::sched::{MachineConfig, Nonyielding, Place, Pool, Scheduling, TaskKind, Trouble, Watch, WorkerKind};
use os::sched::{compute, preemptive, spawn, start, start_long, start_preemptive};
use os::stats::SystemCall;
use os::sync::*;
use os::wait::{self, WaitType};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn soon() -> u64 {
    os::clock::after_ms(20_000)
}

fn on_both(run: impl Fn() + Send + Sync + 'static) {
    let run = Arc::new(run);
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        let machine = start(MachineConfig { cpus: vec![0, 1], workers, max_worker_threads: 64, ..Default::default() });
        let run = run.clone();
        machine.run(move || run());
        assert_eq!(machine.panics(), 0);
        machine.stop();
    }
}

#[test]
fn tasks_run_and_are_joined() {
    on_both(|| {
        let handles: Vec<_> =
            (0..200u64).map(|n| spawn(TaskKind::Request, Place::LeastLoaded, move || n * n)).collect();
        let sum: u64 = handles.into_iter().map(|handle| handle.join().unwrap()).sum();
        assert_eq!(sum, (0..200).map(|n| n * n).sum());
    });
}

#[test]
fn more_tasks_than_workers_wait_for_one() {
    on_both(|| {
        let gate = Arc::new(Event::manual_reset(WaitType::SOS_EVENT));
        let ran = Arc::new(AtomicU64::new(0));
        let handles: Vec<_> = (0..500)
            .map(|n| {
                let (gate, ran) = (gate.clone(), ran.clone());
                spawn(TaskKind::Request, Place::On(n), move || {
                    assert!(gate.wait(Some(soon())));
                    ran.fetch_add(1, Ordering::Relaxed);
                })
            })
            .collect();
        wait::sleep(WaitType::SLEEP_TASK, 5);
        gate.set();
        for handle in handles {
            handle.join().unwrap();
        }
        assert_eq!(ran.load(Ordering::Relaxed), 500);
    });
}

#[test]
fn an_event_count_wakes_who_has_what_it_waits_for_and_one_more() {
    let machine = start(MachineConfig { cpus: vec![0], ..Default::default() });
    machine.run(|| {
        let reached = Arc::new(EventCount::default());
        let woken = Arc::new(Mutex::new(WaitType::SOS_MUTEX, Vec::new()));
        let ticket = reached.ticket();
        let waiters = [3, 1, 4, 2].map(|goal| {
            let (reached, woken) = (reached.clone(), woken.clone());
            spawn(TaskKind::Request, Place::Here, move || {
                reached.wait(ticket, goal, WaitType::SOS_EVENT);
                woken.lock().push(goal);
            })
        });
        wait::yield_now();
        reached.notify_up_to(2);
        wait::yield_now();
        assert_eq!(*woken.lock(), [3, 1, 2], "the one that sees to the rest goes first");
        reached.notify();
        waiters.into_iter().for_each(|waiter| waiter.join().expect("woken"));
        assert_eq!(*woken.lock(), [3, 1, 2, 4]);
    });
    assert_eq!(machine.panics(), 0);
}

#[test]
fn locks_work_across_schedulers() {
    on_both(|| {
        let mutex = Arc::new(Mutex::new(WaitType::SOS_MUTEX, 0u64));
        let pair = Arc::new(RwLock::new(WaitType::SOS_RW, (0u64, 0u64)));
        static CLASS: SpinClass = SpinClass::new("TEST_SCHEDULERS");
        let spin = Arc::new(SpinLock::new(&CLASS, 0u64));
        let handles: Vec<_> = (0..8)
            .map(|n| {
                let (mutex, pair, spin) = (mutex.clone(), pair.clone(), spin.clone());
                spawn(TaskKind::Request, Place::On(n), move || {
                    for round in 0..1_000 {
                        {
                            let mut sum = mutex.lock_until(soon()).expect("no lost wake-up");
                            *sum += 1;
                            if round % 16 == 0 {
                                // Held over a switch: others must park and be woken.
                                wait::yield_now();
                            }
                        }
                        if round % 4 == 0 {
                            let mut pair = pair.write_until(soon()).expect("no lost wake-up");
                            pair.0 += 1;
                            wait::maybe_yield();
                            pair.1 += 1;
                        } else {
                            let pair = pair.read_until(soon()).expect("no lost wake-up");
                            assert_eq!(pair.0, pair.1);
                        }
                        *spin.lock() += 1;
                    }
                })
            })
            .collect();
        for handle in handles {
            handle.join().unwrap();
        }
        assert_eq!((*mutex.lock(), pair.read().1, *spin.lock()), (8_000, 2_000, 8_000));
    });
}

#[test]
fn timers_and_timeouts_fire() {
    on_both(|| {
        let before = os::clock::now();
        assert_eq!(wait::sleep(WaitType::WAITFOR, 20), wait::WakeReason::Timeout);
        let slept = os::clock::now() - before;
        assert!((20_000_000..2_000_000_000).contains(&slept), "{slept}");
        let event = Event::manual_reset(WaitType::SOS_EVENT);
        assert!(!event.wait(Some(os::clock::after_ms(3))));
        let mutex = Arc::new(Mutex::new(WaitType::SOS_MUTEX, ()));
        let held = mutex.lock();
        let other = mutex.clone();
        let failed =
            spawn(TaskKind::Request, Place::LeastLoaded, move || other.lock_until(os::clock::after_ms(3)).is_none());
        assert!(failed.join().unwrap());
        drop(held);
        assert!(mutex.try_lock().is_some());
    });
}

#[test]
fn an_interrupt_ends_a_wait_of_its_task_only() {
    on_both(|| {
        let worker = Arc::new(AtomicU64::new(0));
        let seen = worker.clone();
        let handle = spawn(TaskKind::Request, Place::On(1), move || {
            seen.store(wait::current().raw() as u64, Ordering::SeqCst);
            loop {
                match wait::park(WaitType::WAITFOR, Some(soon())) {
                    wait::WakeReason::Unparked => {}
                    reason => return reason,
                }
            }
        });
        while worker.load(Ordering::SeqCst) == 0 {
            wait::sleep(WaitType::SLEEP_TASK, 1);
        }
        let id = wait::WorkerId::from_raw(worker.load(Ordering::SeqCst) as u32);
        wait::interrupt(id, wait::TaskId(handle.task().0 + 1_000_000));
        wait::sleep(WaitType::SLEEP_TASK, 2);
        assert!(!handle.is_done());
        wait::interrupt(id, handle.task());
        assert_eq!(handle.join().unwrap(), wait::WakeReason::Interrupted);
    });
}

#[test]
fn preemptive_calls_leave_the_scheduler() {
    on_both(|| {
        let text = String::from("borrowed");
        let handles: Vec<_> = (0..40u64)
            .map(|n| {
                spawn(TaskKind::Request, Place::On(0), move || {
                    preemptive(WaitType::PREEMPTIVE_OS_CRYPTOPS, || {
                        std::thread::sleep(std::time::Duration::from_millis(5));
                        n
                    })
                })
            })
            .collect();
        let before = os::clock::now();
        assert_eq!(handles.into_iter().map(|h| h.join().unwrap()).sum::<u64>(), 780);
        // 40 calls of 5 ms on one scheduler overlap.
        assert!(os::clock::now() - before < 150_000_000);
        assert_eq!(preemptive(WaitType::PREEMPTIVE_OTHER, || text.len()), 8);
    });
}

#[test]
fn a_call_that_was_started_runs_while_its_caller_goes_on() {
    on_both(|| {
        let begun = Arc::new(AtomicU64::new(0));
        let (theirs, may_end) = (begun.clone(), Arc::new(AtomicU64::new(0)));
        let ends = may_end.clone();
        let call = start_preemptive(move || {
            theirs.store(1, Ordering::SeqCst);
            while ends.load(Ordering::SeqCst) == 0 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            vec![1, 2, 3]
        });
        while begun.load(Ordering::SeqCst) == 0 {
            wait::sleep(WaitType::SLEEP_TASK, 1);
        }
        let waits = spawn(TaskKind::Request, Place::Here, move || call.wait(WaitType::IO_COMPLETION));
        wait::sleep(WaitType::SLEEP_TASK, 5);
        assert!(!waits.is_done());
        may_end.store(1, Ordering::SeqCst);
        assert_eq!(waits.join().unwrap(), [1, 2, 3]);
        // Done before it is asked for; and one that nobody asks for.
        let call = start_preemptive(|| 7);
        wait::sleep(WaitType::SLEEP_TASK, 5);
        assert_eq!(call.wait(WaitType::IO_COMPLETION), 7);
        drop(start_preemptive(|| 8));
    });
}

/// Who waits for a call hears what comes meanwhile, and may leave it alone.
#[test]
fn a_long_call_is_left_by_whom_it_is_unwanted() {
    on_both(|| {
        let (asked, worker, ends) =
            (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (times, who, end) = (asked.clone(), worker.clone(), ends.clone());
        let task = spawn(TaskKind::Request, Place::Here, move || {
            who.store(wait::current().raw().into(), Ordering::SeqCst);
            let call = start_long(move || {
                while end.load(Ordering::SeqCst) == 0 {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            });
            // The first interrupt is for something else, and is answered.
            call.wait_heard(WaitType::PREEMPTIVE_OTHER, || {
                wait::clear_interrupt();
                times.fetch_add(1, Ordering::SeqCst) == 1
            })
        });
        for times in 1..=2 {
            wait::sleep(WaitType::SLEEP_TASK, 5);
            assert!(!task.is_done());
            wait::interrupt(wait::WorkerId::from_raw(worker.load(Ordering::SeqCst) as u32), task.task());
            while asked.load(Ordering::SeqCst) < times {
                wait::sleep(WaitType::SLEEP_TASK, 1);
            }
        }
        assert_eq!(task.join().unwrap(), None);
        ends.store(1, Ordering::SeqCst);
        assert_eq!(start_long(|| 7).wait_heard(WaitType::PREEMPTIVE_OTHER, || true), Some(7));
    });
}

/// What only computes has threads of its own: calls that block do not wait for it. Who is interrupted does not wait for his turn.
#[test]
fn computations_hold_up_no_other_call_and_may_be_left() {
    on_both(|| {
        let open = Arc::new(AtomicU64::new(0));
        let begun = Arc::new(AtomicU64::new(0));
        let busy: Vec<_> = (0..40)
            .map(|_| {
                let (open, begun) = (open.clone(), begun.clone());
                spawn(TaskKind::Request, Place::On(0), move || {
                    compute(WaitType::PREEMPTIVE_OS_CRYPTOPS, || {
                        begun.fetch_add(1, Ordering::SeqCst);
                        while open.load(Ordering::SeqCst) == 0 {
                            std::thread::sleep(std::time::Duration::from_millis(1));
                        }
                    })
                })
            })
            .collect();
        while begun.load(Ordering::SeqCst) == 0 {
            wait::sleep(WaitType::SLEEP_TASK, 1);
        }
        assert_eq!(preemptive(WaitType::PREEMPTIVE_OTHER, || 7), 7);
        let worker = Arc::new(AtomicU64::new(0));
        let seen = worker.clone();
        let leaves = spawn(TaskKind::Request, Place::On(1), move || {
            seen.store(wait::current().raw() as u64, Ordering::SeqCst);
            compute(WaitType::PREEMPTIVE_OS_CRYPTOPS, || 8)
        });
        while worker.load(Ordering::SeqCst) == 0 {
            wait::sleep(WaitType::SLEEP_TASK, 1);
        }
        wait::interrupt(wait::WorkerId::from_raw(worker.load(Ordering::SeqCst) as u32), leaves.task());
        assert_eq!(leaves.join().unwrap(), None);
        open.store(1, Ordering::SeqCst);
        assert!(busy.into_iter().all(|task| task.join().unwrap().is_some()));
        assert_eq!(begun.load(Ordering::SeqCst), 40);
    });
}

#[test]
fn a_panic_is_told_to_the_joiner_and_hurts_no_one_else() {
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        let machine = start(MachineConfig { cpus: vec![0], workers, ..Default::default() });
        let failed = machine.spawn(TaskKind::Request, Place::On(0), || panic!("expected by the test"));
        assert!(failed.join().is_err());
        assert_eq!(machine.run(|| 7), 7);
        assert_eq!(machine.panics(), 1);
    }
}

#[test]
fn a_quantum_is_shared() {
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        let machine = start(MachineConfig { cpus: vec![0], workers, quantum_us: 1_000, ..Default::default() });
        let stop = Arc::new(AtomicU64::new(0));
        let hog = stop.clone();
        let busy = machine.spawn(TaskKind::Request, Place::On(0), move || {
            while hog.load(Ordering::Relaxed) == 0 {
                wait::maybe_yield();
            }
        });
        // Only a yielding hog lets this one run.
        let other = machine.spawn(TaskKind::Request, Place::On(0), move || stop.store(1, Ordering::Relaxed));
        assert!(other.join_until(soon()).is_ok());
        assert!(busy.join_until(soon()).is_ok());
    }
}

/// CPU time of one who stops at a twentieth of its quantum beside one who uses whole quanta.
#[test]
fn who_stops_early_loses_nothing_by_it() {
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        let ratio = |scheduling| {
            let machine = start(MachineConfig { cpus: vec![0], workers, scheduling, ..Default::default() });
            let work = |early: bool| {
                machine.spawn(TaskKind::Request, Place::On(0), move || {
                    let used = || os::stats::work_here().running_ns(os::clock::now());
                    let (begun, until) = (used(), os::clock::after_ms(400));
                    while os::clock::now() < until {
                        let turn = os::clock::now();
                        while os::clock::now() < turn + 200_000 {
                            if !early {
                                wait::maybe_yield();
                            }
                        }
                        if early {
                            wait::yield_if_owed();
                        }
                    }
                    used() - begun
                })
            };
            let (early, whole) = (work(true), work(false));
            whole.join().unwrap() as f64 / early.join().unwrap() as f64
        };
        // About 1 and about 20; a machine that is busy otherwise blurs both.
        let (ldf, fifo) = (ratio(Scheduling::LargeDeficitFirst), ratio(Scheduling::Fifo));
        assert!(ldf < 3.0 && ldf * 3.0 < fifo, "{workers:?}: {ldf} {fifo}");
    }
}

/// Blocks `count` requests on one event: (the event, their handles).
fn blocked(machine: &os::sched::Machine, count: u32) -> (Arc<Event>, Vec<os::sched::JoinHandle<u32>>) {
    let event = Arc::new(Event::manual_reset(WaitType::SOS_EVENT));
    let begin = |_| {
        let event = event.clone();
        machine.spawn(TaskKind::Request, Place::LeastLoaded, move || {
            event.wait(None);
            os::sched::here().unwrap()
        })
    };
    let tasks = (0..count).map(begin).collect();
    (event, tasks)
}

fn settled(what: impl Fn() -> bool) -> bool {
    (0..2_000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        what()
    })
}

#[test]
fn without_a_free_worker_requests_wait_and_the_rest_goes_on() {
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        let machine = start(MachineConfig {
            cpus: vec![0, 1],
            workers,
            max_worker_threads: 4,
            admin: true,
            ..Default::default()
        });
        let id = machine.id();
        let (event, tasks) = blocked(&machine, 10);
        let queue = || os::stats::schedulers(id).iter().map(|row| row.work_queue).sum::<u32>();
        assert!(settled(|| queue() == 6), "{} wait", queue());
        // A background duty and the administrator have workers of their own.
        assert_eq!(machine.spawn(TaskKind::System, Place::LeastLoaded, || 1).join(), Ok(1));
        let seen = machine.spawn(TaskKind::Request, Place::In(Pool::ADMIN), || {
            let pending = os::stats::pending_tasks();
            let here = os::sched::here().unwrap();
            // Room for two more of each scheduler.
            os::sched::set_workers_max(8);
            (pending.len(), here)
        });
        assert_eq!(seen.join(), Ok((6, 1_048_576)));
        assert!(settled(|| queue() == 2));
        event.set();
        assert!(tasks.into_iter().all(|task| task.join().is_ok()));
        let waits = os::stats::waits(id);
        let threadpool = waits.iter().find(|row| row.wait_type == WaitType::THREADPOOL).unwrap();
        // Those that got a worker when there were more of them were not passed on by a worker that became free.
        assert!(threadpool.waiting_tasks >= 2 && threadpool.wait_ns > 0);
    }
}

#[test]
fn schedulers_leave_and_come_back_while_requests_run() {
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        let machine = start(MachineConfig { cpus: vec![0, 1], workers, max_worker_threads: 8, ..Default::default() });
        let id = machine.id();
        let online = || os::stats::schedulers(id).iter().map(|row| row.is_online).collect::<Vec<_>>();
        let (event, tasks) = blocked(&machine, 12);
        let change = |cpus: Option<Vec<u32>>| {
            machine.spawn(TaskKind::System, Place::On(0), move || os::sched::set_affinity(cpus.as_deref()))
        };
        let row = |n: usize| os::stats::schedulers(id)[n].clone();
        assert!(settled(|| row(0).active_workers == 4 && row(1).active_workers == 4));
        assert_eq!(change(Some(vec![0])).join(), Ok(Ok(())));
        assert_eq!(online(), [true, false]);
        // New requests run on the one that is left, also those that waited for a worker of the other.
        assert!(settled(|| row(1).work_queue == 0 && row(0).current_tasks >= 8));
        let here = machine.spawn(TaskKind::System, Place::LeastLoaded, || os::sched::here().unwrap());
        assert_eq!(here.join(), Ok(0));
        event.set();
        let places: Vec<u32> = tasks.into_iter().map(|task| task.join().unwrap()).collect();
        assert!(places.contains(&1), "who had begun there ends there");
        assert_eq!(change(None).join(), Ok(Ok(())));
        assert_eq!(online(), [true, true]);
        let (event, tasks) = blocked(&machine, 8);
        event.set();
        assert!(tasks.into_iter().map(|task| task.join().unwrap()).any(|place| place == 1));
        assert_eq!(change(Some(vec![900])).join(), Ok(Err(os::sched::ChangeError::NoSuchCpu(900))));
    }
}

/// The CPUs that the calling thread may use, as the system writes them.
fn cpus_allowed() -> String {
    let status = std::fs::read_to_string("/proc/thread-self/status").expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    line.expect("its CPUs").trim().to_string()
}

#[test]
fn threads_are_bound_as_the_affinity_says() {
    let all = cpus_allowed();
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        for pinned_unasked in [false, true] {
            let machine = start(MachineConfig { cpus: vec![0, 1], workers, pinned_unasked, ..Default::default() });
            let seen = || machine.spawn(TaskKind::Request, Place::On(1), cpus_allowed).join().unwrap();
            let unasked = if pinned_unasked { "1" } else { &all };
            assert_eq!(seen(), unasked);
            let change = |cpus: Option<Vec<u32>>| {
                let set = move || os::sched::set_affinity(cpus.as_deref());
                machine.spawn(TaskKind::System, Place::On(0), set).join()
            };
            assert_eq!(change(Some(vec![0, 1])), Ok(Ok(())));
            assert_eq!(seen(), "1");
            assert_eq!(change(None), Ok(Ok(())));
            assert_eq!(seen(), unasked);
        }
    }
}

#[test]
fn pools_have_schedulers_of_their_own() {
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        let machine = start(MachineConfig { cpus: vec![0], workers, ..Default::default() });
        let sales = Pool(7);
        let set = |pool, count| {
            let idle = os::sched::IdleTimeout::Microseconds(0);
            machine.spawn(TaskKind::System, Place::On(0), move || os::sched::set_pool(pool, count, idle)).join()
        };
        let here_in = |pool| {
            let run = || os::sched::here().unwrap();
            machine.spawn(TaskKind::Request, Place::In(pool), run).join().unwrap()
        };
        assert_eq!(set(sales, 2), Ok(Ok(())));
        assert!([1, 2].contains(&here_in(sales)));
        assert_eq!(here_in(Pool::DEFAULT), 0);
        // The threads of a pool that is gone serve the next one.
        assert_eq!(set(sales, 0), Ok(Ok(())));
        assert_eq!(here_in(sales), 0);
        assert_eq!(set(Pool(8), 1), Ok(Ok(())));
        assert!([1, 2].contains(&here_in(Pool(8))));
        assert_eq!(os::stats::schedulers(machine.id()).len(), 3);
    }
}

#[test]
fn an_idle_machine_uses_no_cpu() {
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        let machine = start(MachineConfig { cpus: vec![0, 1], workers, ..Default::default() });
        machine.run(|| wait::sleep(WaitType::SLEEP_TASK, 1));
        let sleeps = os::stats::schedulers(machine.id()).iter().map(|s| s.kernel_sleeps).sum::<u64>();
        std::thread::sleep(std::time::Duration::from_millis(200));
        let later = os::stats::schedulers(machine.id());
        assert!(later.iter().all(|s| s.is_idle));
        // Asleep in the kernel the whole time: one call each at most.
        assert!(later.iter().map(|s| s.kernel_sleeps).sum::<u64>() - sleeps <= 2);
    }
}

static TROUBLES: std::sync::Mutex<Vec<Nonyielding>> = std::sync::Mutex::new(Vec::new());

/// Named in the report's stack.
#[inline(never)]
fn spin_without_yielding(until: u64) {
    while os::clock::now() < until {
        std::hint::black_box(until);
    }
}

#[test]
fn a_scheduler_that_does_not_switch_is_reported_with_its_stack() {
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        let report = |trouble: &Trouble| {
            if let Trouble::Nonyielding(worker) = trouble {
                TROUBLES.lock().unwrap().push(worker.clone());
            }
        };
        let watch = Some(Watch { after_ms: 120, report });
        let machine = start(MachineConfig { cpus: vec![0, 1], workers, watch, ..Default::default() });
        // One that waits and one that yields are left alone.
        let (event, tasks) = blocked(&machine, 1);
        let yields = machine.spawn(TaskKind::Request, Place::On(0), || {
            let until = os::clock::after_ms(600);
            while os::clock::now() < until {
                wait::maybe_yield();
            }
        });
        let stuck = machine.spawn(TaskKind::Request, Place::On(1), || {
            os::sched::set_session(77);
            spin_without_yielding(os::clock::after_ms(600));
        });
        assert!(stuck.join().is_ok() && yields.join().is_ok());
        event.set();
        assert!(tasks.into_iter().all(|task| task.join().is_ok()));
        drop(machine);
        let troubles = std::mem::take(&mut *TROUBLES.lock().unwrap());
        assert!(
            !troubles.is_empty() && troubles.iter().all(|worker| worker.scheduler_id == 1 && worker.session_id == 77)
        );
        assert!(troubles[0].interval_ms >= 100, "{troubles:?}");
        let stack = troubles[0].stack.join("\n");
        assert!(stack.contains("spin_without_yielding"), "{workers:?}: {stack}");
    }
}

static NOT_TAKEN: AtomicU64 = AtomicU64::new(0);

#[test]
fn requests_that_no_worker_takes_are_reported() {
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        let report = |trouble: &Trouble| {
            if let Trouble::NoneTaken { .. } = trouble {
                NOT_TAKEN.fetch_add(1, Ordering::Relaxed);
            }
        };
        let watch = Some(Watch { after_ms: 60, report });
        let cpus = vec![0, 1];
        let machine = start(MachineConfig { cpus, workers, max_worker_threads: 4, watch, ..Default::default() });
        let id = machine.id();
        let queues = || os::stats::schedulers(id).iter().map(|row| row.work_queue).collect::<Vec<_>>();
        // While one scheduler takes what comes, nobody need hear of the other.
        let gate = Arc::new(Event::manual_reset(WaitType::SOS_EVENT));
        let wait = || {
            let gate = gate.clone();
            machine.spawn(TaskKind::Request, Place::On(0), move || gate.wait(None))
        };
        let on_one: Vec<_> = (0..5).map(|_| wait()).collect();
        assert!(settled(|| queues() == [3, 0]), "{:?}", queues());
        std::thread::sleep(std::time::Duration::from_millis(200));
        assert_eq!(NOT_TAKEN.load(Ordering::Relaxed), 0);
        let (event, on_all) = blocked(&machine, 10);
        assert!(settled(|| NOT_TAKEN.load(Ordering::Relaxed) > 0), "{:?}", queues());
        gate.set();
        event.set();
        assert!(on_one.into_iter().all(|task| task.join() == Ok(true)));
        assert!(on_all.into_iter().all(|task| task.join().is_ok()));
        drop(machine);
        NOT_TAKEN.store(0, Ordering::Relaxed);
    }
}

#[test]
fn system_calls_are_counted_by_what_they_are_for() {
    const TURNS: u64 = 500;
    let counts = |workers| {
        let machine = start(MachineConfig { cpus: vec![0], workers, max_worker_threads: 16, ..Default::default() });
        let before = os::stats::schedulers(machine.id());
        machine.run(|| {
            // Two that give each other the turn, without a look at anything outside.
            let ball = || Arc::new(Event::auto_reset(WaitType::SOS_EVENT));
            let (there, back) = (ball(), ball());
            let (theirs, answer) = (there.clone(), back.clone());
            let other = spawn(TaskKind::Request, Place::Here, move || {
                for _ in 0..TURNS {
                    assert!(theirs.wait(Some(soon())));
                    answer.set();
                }
            });
            for _ in 0..TURNS {
                there.set();
                assert!(back.wait(Some(soon())));
            }
            other.join().unwrap();
            // And one message that is asked for before it comes.
            let listener = os::net::Listener::bind(std::net::SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
            let to = listener.local_addr();
            let reader = spawn(TaskKind::Request, Place::Here, move || {
                let (stream, _) = listener.accept(Some(soon())).unwrap();
                stream.read(&mut [0; 8], Some(soon())).unwrap()
            });
            let stream = os::net::Stream::connect(to, Some(soon())).unwrap();
            wait::sleep(WaitType::SLEEP_TASK, 20);
            stream.write_all(&[1; 8], Some(soon())).unwrap();
            assert_eq!(reader.join(), Ok(8));
        });
        let grown = |call: SystemCall| {
            let after = os::stats::schedulers(machine.id());
            after[0].calls[call as usize] - before[0].calls[call as usize]
        };
        assert!(grown(SystemCall::Watch) > 0, "a socket was waited for");
        let [futexes, writes, reads] = [SystemCall::Futex, SystemCall::SocketWrite, SystemCall::SocketRead].map(grown);
        // A task that comes to a scheduler that sleeps, which it does sooner or later: it is woken, and takes that in.
        let until = soon();
        while grown(SystemCall::Sleep) == 0 || grown(SystemCall::WakeUp) < 2 {
            assert!(os::clock::now() < until, "it never slept");
            std::thread::sleep(std::time::Duration::from_millis(20));
            machine.run(|| ());
        }
        machine.stop();
        assert!(writes == 1 && (1..=2).contains(&reads), "{writes} {reads}: one that found nothing may come before");
        futexes
    };
    // A thread that gives its turn away wakes the next one, and waits unless its own comes at once; a fiber asks nobody.
    let futexes = counts(WorkerKind::Thread);
    assert!((2 * TURNS..5 * TURNS).contains(&futexes), "{futexes}");
    // But the last one wakes the thread of this test.
    assert!(counts(WorkerKind::Fiber) <= 1);
}
