//! The simulated machine: one seed, one trace; faults it is asked for; a kill and a boot after it.
use os::disk::{Disk, Open, SimDisk, SimDiskFaults};
use os::net::{Endpoint, Listener, NetError, Place, Ready, SimNetFaults, Stream, read_exact};
use os::sched::{TaskKind, spawn};
use os::sim::{SimConfig, SimOutcome, run};
use os::sync::*;
use os::wait::{self, WaitType};
use std::sync::Arc;

/// A little of everything: locks, sockets, files, timers, random numbers.
fn workload(disk: Disk) -> u64 {
    let listener = Listener::bind(Endpoint::Tcp("127.0.0.1:1433".parse().unwrap())).unwrap();
    let address = listener.local_addr();
    let total = Arc::new(Mutex::new(WaitType::SOS_MUTEX, 0u64));
    let shared = total.clone();
    spawn(TaskKind::Accept, Place::Here, move || {
        while !os::sched::stopping() {
            if let Ok((stream, _)) = listener.accept(Some(os::clock::after_ms(1))) {
                let total = shared.clone();
                let disk = disk.clone();
                stream.arm(Place::LeastLoaded, None, move |stream, ready| serve(stream, ready, total, disk));
            }
        }
    });
    let clients: Vec<_> = (0..6u64)
        .map(|n| {
            spawn(TaskKind::Client, Place::On(n as u32), move || {
                let stream = Stream::connect(address, None).unwrap();
                for round in 0..10u64 {
                    stream.write_all(&(n * 100 + round).to_le_bytes(), None).unwrap();
                    let mut answer = [0; 8];
                    read_exact(&stream, &mut answer, None).unwrap();
                    if os::random::u64().is_multiple_of(4) {
                        wait::sleep(WaitType::WAITFOR, 1);
                    }
                }
            })
        })
        .collect();
    for client in clients {
        client.join().unwrap();
    }
    *total.lock()
}

fn serve(stream: Stream, ready: Ready, total: Arc<Mutex<u64>>, disk: Disk) {
    assert_eq!(ready, Ready::Input);
    let mut request = [0; 8];
    if read_exact(&stream, &mut request, None).is_err() {
        return;
    }
    os::sim_point!("test.request");
    let number = u64::from_le_bytes(request);
    let file = disk.open(&format!("f{}", number % 7), Open::ExistingOrNew).unwrap();
    file.write_at(&request, number * 8).unwrap();
    if os::sim_choice!("test.sync") {
        file.sync_data().unwrap();
    }
    *total.lock() += number;
    stream.write_all(&request, None).unwrap();
    stream.arm(Place::Here, None, move |stream, ready| serve(stream, ready, total, disk));
}

fn run_workload(seed: u64, config: SimConfig) -> SimOutcome<u64> {
    let disk = Disk::Sim(config.disks[0].clone());
    run(seed, config, move || workload(disk))
}

fn config() -> SimConfig {
    SimConfig { disks: vec![SimDisk::new(SimDiskFaults::default())], point_yields: 2, ..Default::default() }
}

const EXPECTED: u64 = 10 * 100 * 15 + 6 * 45;

#[test]
fn a_seed_repeats_exactly_and_seeds_differ() {
    let mut hashes = Vec::new();
    for seed in 0..20 {
        let first = run_workload(seed, config());
        let second = run_workload(seed, config());
        assert_eq!(first.result, Some(EXPECTED));
        assert_eq!((first.trace_hash, first.steps), (second.trace_hash, second.steps), "seed {seed}");
        assert_eq!(first.points, second.points);
        assert_eq!(first.points["test.request"], 60);
        assert_eq!(first.tasks_left, 0, "seed {seed}");
        hashes.push(first.trace_hash);
    }
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), 20);
}

#[test]
fn a_trace_does_not_depend_on_the_thread_or_its_neighbours() {
    let alone = run_workload(5, config()).trace_hash;
    let threads: Vec<_> = (0..3).map(|_| std::thread::spawn(|| run_workload(5, config()).trace_hash)).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), alone);
    }
}

#[test]
fn a_kill_keeps_what_was_synced_and_nothing_never_written() {
    let mut outcomes = [0; 3];
    for seed in 0..60u64 {
        let disk = SimDisk::new(SimDiskFaults::default());
        let fresh = disk.clone();
        let synced = run(seed, SimConfig { disks: vec![disk.clone()], ..Default::default() }, move || {
            let disk = Disk::Sim(fresh);
            let file = disk.open("log", Open::New).unwrap();
            file.write_at(&[1; 2048], 0).unwrap();
            file.sync_data().unwrap();
            disk.sync_names().unwrap();
            true
        });
        assert_eq!(synced.result, Some(true));
        let written = disk.clone();
        let config = SimConfig { disks: vec![disk.clone()], ..Default::default() };
        let killed: SimOutcome<()> = run(seed, config, move || {
            let disk = Disk::Sim(written);
            let file = disk.open("log", Open::Existing).unwrap();
            file.write_at(&[2; 1024], 0).unwrap();
            disk.open("unsynced", Open::New).unwrap();
            os::sim::kill_now();
        });
        assert_eq!(killed.result, None);
        let after = disk.clone();
        let seen = run(seed, SimConfig { disks: vec![disk], ..Default::default() }, move || {
            let disk = Disk::Sim(after);
            let mut bytes = [0; 2048];
            disk.open("log", Open::Existing).unwrap().read_at(&mut bytes, 0).unwrap();
            bytes
        });
        let bytes = seen.result.unwrap();
        assert!(bytes[1024..].iter().all(|byte| *byte == 1), "synced and untouched");
        for sector in bytes[..1024].chunks(512) {
            let new = sector.iter().take_while(|byte| **byte == 2).count();
            assert!(sector[new..].iter().all(|byte| *byte == 1), "a torn sector is new, then old");
            outcomes[if new == 0 {
                0
            } else if new == 512 {
                1
            } else {
                2
            }] += 1;
        }
    }
    assert!(outcomes.iter().all(|count| *count > 0), "lost, kept and torn all occur: {outcomes:?}");
}

#[test]
fn killed_at_any_step_it_boots_again() {
    for step in (1..400).step_by(23) {
        let disk = SimDisk::new(SimDiskFaults::default());
        let outcome =
            run_workload(step, SimConfig { disks: vec![disk.clone()], kill_at_step: Some(step), ..Default::default() });
        assert_eq!(outcome.result, None);
        assert_eq!(outcome.steps, step);
        let again = run_workload(step, SimConfig { disks: vec![disk], ..Default::default() });
        assert_eq!(again.result, Some(EXPECTED));
    }
}

/// What its end does needs a machine that runs.
struct Owned;

impl Drop for Owned {
    fn drop(&mut self) {
        os::wait::yield_now();
    }
}

#[test]
fn a_kill_runs_no_destructor_of_a_task_that_has_not_begun() {
    for steps in 0..8 {
        let outcome = os::sim::run(3, SimConfig::default(), move || {
            os::sim::kill_after(steps);
            for _ in 0..4 {
                let owned = Owned;
                spawn(TaskKind::Request, Place::LeastLoaded, move || drop(owned));
            }
            os::sim::kill_now()
        });
        assert!(outcome.result.is_none());
    }
}

#[test]
fn the_simulated_network_is_tcp() {
    run(1, SimConfig::default(), || {
        assert_eq!(Listener::bind(Endpoint::Local(1433)).err(), Some(NetError::Unsupported));
        assert_eq!(Stream::connect(Endpoint::Local(1433), None).err(), Some(NetError::Unsupported));
    });
}

#[test]
fn resets_are_told_to_both_sides() {
    let mut broken = 0;
    for seed in 0..20 {
        let net = SimNetFaults { reset: 5, slow: 50, ..Default::default() };
        let outcome = run(seed, SimConfig { net, ..Default::default() }, || {
            let listener = Listener::bind(Endpoint::Tcp("127.0.0.1:0".parse().unwrap())).unwrap();
            let address = listener.local_addr();
            let server = spawn(TaskKind::Request, Place::LeastLoaded, move || {
                let (stream, _) = listener.accept(None).unwrap();
                let mut byte = [0; 1];
                while let Ok(1) = stream.read(&mut byte, None) {
                    if stream.write_all(&byte, None).is_err() {
                        break;
                    }
                }
            });
            let stream = Stream::connect(address, None).unwrap();
            let mut rounds = 0;
            let mut byte = [0; 1];
            while rounds < 10 && stream.write_all(b"x", None).is_ok() && matches!(stream.read(&mut byte, None), Ok(1)) {
                rounds += 1;
            }
            drop(stream);
            server.join().unwrap();
            rounds
        });
        broken += (outcome.result.unwrap() < 10) as u32;
    }
    assert!((1..=20).contains(&broken));
}

#[test]
fn a_deadlock_names_the_seed_and_who_waits() {
    let panic = std::panic::catch_unwind(|| {
        run(77, SimConfig::default(), || {
            let first = Arc::new(Mutex::new(WaitType::SOS_MUTEX, ()));
            let held = first.lock();
            let other = first.clone();
            let waiter = spawn(TaskKind::Request, Place::LeastLoaded, move || drop(other.lock()));
            waiter.join().unwrap();
            drop(held);
        })
    });
    let text = *panic.err().unwrap().downcast::<String>().unwrap();
    assert!(text.starts_with("seed 77: everyone waits for ever") && text.contains("SOS_MUTEX"), "{text}");
}

#[test]
fn memory_is_refused_now_and_then() {
    use os::region::{Region, RegionHeap, Visibility};
    let config = SimConfig { memory_refusals: 10, ..Default::default() };
    let outcome = run(3, config, || {
        let region = Region::reserve(4 << 20, Visibility::ThisProcess).unwrap();
        let heap = RegionHeap::carve(&region, "test", 1 << 20).unwrap();
        (0..200).filter(|_| heap.allocate(64).is_err()).count()
    });
    assert!((5..50).contains(&outcome.result.unwrap()));
}

#[test]
fn an_hour_passes_in_no_time() {
    let outcome = run(1, SimConfig::default(), || {
        let before = os::clock::utc_ticks();
        wait::sleep(WaitType::WAITFOR, 3_600_000);
        os::clock::utc_ticks() - before
    });
    assert!(outcome.result.unwrap() >= 36_000_000_000);
}
