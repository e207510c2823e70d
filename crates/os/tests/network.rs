//! Sockets of both transports, on fibers and on threads: requests to armed connections, slow readers, hang-ups, deadlines, idle memory.
use os::net::{Endpoint, Listener, NetError, Place, Ready, Stream, read_exact};
use os::sched::{Machine, MachineConfig, TaskKind, WorkerKind, spawn, start};
use os::wait::{self, WaitType};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn soon() -> u64 {
    os::clock::after_ms(20_000)
}

fn machine(workers: WorkerKind) -> Machine {
    start(MachineConfig { cpus: vec![0, 1], workers, max_worker_threads: 64, ..Default::default() })
}

fn tcp() -> Listener {
    Listener::bind(Endpoint::Tcp(SocketAddr::from(([127, 0, 0, 1], 0)))).unwrap()
}

/// Its number is a port that is held for good, so no other test gets it.
fn local() -> Listener {
    let holder = tcp();
    let number = holder.local_addr().tcp().unwrap().port();
    std::mem::forget(holder);
    Listener::bind(Endpoint::Local(number)).unwrap()
}

fn on_all(run: impl Fn(Machine, fn() -> Listener)) {
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        for listen in [tcp, local] {
            run(machine(workers), listen);
        }
    }
}

/// Accepts for ever; each connection rests until bytes come, then one task echoes what is there.
fn serve_echo(listen: fn() -> Listener) -> Endpoint {
    let listener = listen();
    let address = listener.local_addr();
    spawn(TaskKind::Accept, Place::Here, move || {
        while !os::sched::stopping() {
            match listener.accept(Some(os::clock::after_ms(20))) {
                Ok((stream, _)) => stream.arm(Place::LeastLoaded, None, echo),
                Err(error) => assert_eq!(error, NetError::Timeout),
            }
        }
    });
    address
}

fn echo(stream: Stream, ready: Ready) {
    assert_eq!(ready, Ready::Input);
    let mut bytes = [0; 4096];
    match stream.try_read(&mut bytes) {
        Ok(Some(0)) | Err(_) => return,
        Ok(Some(got)) => {
            if stream.write_all(&bytes[..got], Some(soon())).is_err() {
                return;
            }
        }
        Ok(None) => {}
    }
    stream.arm(Place::Here, None, echo);
}

#[test]
fn armed_connections_answer_many_clients() {
    on_all(|machine, listen| {
        let address = machine.run(move || serve_echo(listen));
        let clients: Vec<_> = (0..50u32)
            .map(|n| {
                machine.spawn(TaskKind::Client, Place::LeastLoaded, move || {
                    let stream = Stream::connect(address, Some(soon())).unwrap();
                    for round in 0..100u32 {
                        let sent = [n.to_le_bytes(), round.to_le_bytes()].concat();
                        stream.write_all(&sent, Some(soon())).unwrap();
                        let mut got = [0; 8];
                        read_exact(&stream, &mut got, Some(soon())).unwrap();
                        assert_eq!(got[..], sent[..]);
                    }
                })
            })
            .collect();
        for client in clients {
            client.join().unwrap();
        }
        assert_eq!(machine.panics(), 0);
        let rows = os::stats::schedulers(machine.id());
        // Resting connections hold no worker: what is left is the accept task.
        assert!(rows.iter().map(|row| row.current_tasks).sum::<u32>() <= 1 + 50);
    });
}

#[test]
fn requests_of_a_scheduler_that_does_not_yield_are_served_by_another() {
    on_all(|machine, listen| {
        let address = machine.run(move || serve_echo(listen));
        let talk = |stream: &Stream| {
            stream.write_all(b"hello", None).unwrap();
            let mut got = [0; 5];
            read_exact(stream, &mut got, Some(soon())).unwrap();
            assert_eq!(&got, b"hello");
        };
        let streams: Vec<_> = (0..8).map(|_| Stream::connect(address, Some(soon())).unwrap()).collect();
        streams.iter().for_each(talk);
        let (running, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let hog = {
            let (running, answered, until) = (running.clone(), answered.clone(), soon());
            machine.spawn(TaskKind::System, Place::On(0), move || {
                running.store(true, Ordering::SeqCst);
                while !answered.load(Ordering::SeqCst) && os::clock::now() < until {
                    std::hint::spin_loop();
                }
                answered.load(Ordering::SeqCst)
            })
        };
        // What is asleep does not help; a scheduler with a little to do does.
        let lively = {
            let answered = answered.clone();
            machine.spawn(TaskKind::System, Place::On(1), move || {
                while !answered.load(Ordering::SeqCst) {
                    wait::sleep(WaitType::SLEEP_TASK, 1);
                }
            })
        };
        while !running.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        streams.iter().for_each(talk);
        answered.store(true, Ordering::SeqCst);
        assert!(hog.join().unwrap(), "a connection waited for its own scheduler");
        lively.join().unwrap();
        assert_eq!(machine.panics(), 0);
    });
}

#[test]
fn requests_go_to_a_scheduler_that_rests() {
    on_all(|machine, listen| {
        let finished = |scheduler: usize| os::stats::schedulers(machine.id())[scheduler].tasks_finished;
        let listener = listen();
        let address = listener.local_addr();
        let answered = Arc::new(AtomicBool::new(false));
        let accept = machine.spawn(TaskKind::Accept, Place::On(0), move || {
            let (stream, _) = listener.accept(Some(soon())).unwrap();
            stream.arm(Place::On(0), None, move |stream, _| stream.write_all(b"x", Some(soon())).unwrap());
        });
        let stream = Stream::connect(address, Some(soon())).unwrap();
        accept.join().unwrap();
        let busy = {
            let (answered, until) = (answered.clone(), soon());
            machine.spawn(TaskKind::Request, Place::On(0), move || {
                while !answered.load(Ordering::SeqCst) && os::clock::now() < until {
                    wait::maybe_yield();
                }
            })
        };
        // By now the other one sleeps.
        std::thread::sleep(std::time::Duration::from_millis(50));
        let before = finished(1);
        stream.write_all(b"go", None).unwrap();
        read_exact(&stream, &mut [0], Some(soon())).unwrap();
        let until = os::clock::after_ms(5_000);
        while finished(1) == before && os::clock::now() < until {
            std::thread::yield_now();
        }
        answered.store(true, Ordering::SeqCst);
        busy.join().unwrap();
        assert_eq!(finished(1), before + 1, "the request ran behind the busy task");
    });
}

#[test]
fn connections_are_spread_evenly() {
    on_all(|machine, listen| {
        let listener = listen();
        let address = listener.local_addr();
        let accept = machine.spawn(TaskKind::Accept, Place::On(0), move || {
            for _ in 0..8 {
                let (stream, _) = listener.accept(Some(soon())).unwrap();
                stream.arm(Place::LeastLoaded, None, |_, _| ());
            }
            // The listener is no scheduler's load.
            os::stats::schedulers(os::stats::machine_here().unwrap())
                .iter()
                .map(|row| row.connections)
                .collect::<Vec<_>>()
        });
        let _streams: Vec<_> = (0..8).map(|_| Stream::connect(address, Some(soon())).unwrap()).collect();
        let counts = accept.join().unwrap();
        assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
    });
}

#[test]
fn a_plain_thread_is_a_client_too() {
    on_all(|machine, listen| {
        let address = machine.run(move || serve_echo(listen));
        let stream = Stream::connect(address, Some(soon())).unwrap();
        let mut got = [0; 5];
        for _ in 0..20 {
            stream.write_all(b"hello", None).unwrap();
            read_exact(&stream, &mut got, Some(soon())).unwrap();
            assert_eq!(&got, b"hello");
        }
        assert!(!stream.readable_now());
        assert_eq!(stream.read(&mut got, Some(os::clock::after_ms(5))), Err(NetError::Timeout));
    });
}

#[test]
fn a_slow_reader_makes_the_writer_wait_and_loses_nothing() {
    on_all(|machine, listen| {
        let listener = listen();
        let address = listener.local_addr();
        const BYTES: usize = 16 << 20;
        let writer = machine.spawn(TaskKind::Request, Place::On(0), move || {
            let content: Vec<u8> = (0..BYTES).map(|n| (n % 251) as u8).collect();
            let (stream, _) = listener.accept(Some(soon())).unwrap();
            stream.write_all(&content, Some(soon())).unwrap();
        });
        let reader = machine.spawn(TaskKind::Client, Place::On(1), move || {
            let stream = Stream::connect(address, Some(soon())).unwrap();
            let mut bytes = vec![0; 100_000];
            // The writer has begun: what follows is waiting.
            assert_eq!(stream.read(&mut bytes[..1], Some(soon())), Ok(1));
            wait::sleep(WaitType::SLEEP_TASK, 20);
            let (mut seen, mut reads) = (1usize, 0);
            loop {
                reads += 1;
                if reads % 16 == 0 {
                    wait::sleep(WaitType::SLEEP_TASK, 1);
                }
                let got = stream.read(&mut bytes, Some(soon())).unwrap();
                if got == 0 {
                    return seen;
                }
                assert!(bytes[..got].iter().enumerate().all(|(n, byte)| *byte == ((seen + n) % 251) as u8));
                seen += got;
            }
        });
        writer.join().unwrap();
        assert_eq!(reader.join().unwrap(), BYTES);
        let waits = os::stats::waits(machine.id());
        let network = waits.iter().find(|row| row.wait_type == WaitType::ASYNC_NETWORK_IO).unwrap();
        assert!(network.waiting_tasks > 0 && network.wait_ns > 5_000_000, "{network:?}");
    });
}

#[test]
fn a_running_task_sees_input_and_hang_up() {
    on_all(|machine, listen| {
        let listener = listen();
        let address = listener.local_addr();
        let server = machine.spawn(TaskKind::Request, Place::On(0), move || {
            let (stream, _) = listener.accept(Some(soon())).unwrap();
            let mut first = [0; 3];
            read_exact(&stream, &mut first, Some(soon())).unwrap();
            // A long computation that passes yield points notices the attention.
            let limit = soon();
            while !stream.readable_now() {
                wait::maybe_yield();
                assert!(os::clock::now() < limit);
            }
            let mut more = [0; 3];
            read_exact(&stream, &mut more, Some(soon())).unwrap();
            assert_eq!(&more, b"att");
            while !stream.readable_now() {
                wait::maybe_yield();
                assert!(os::clock::now() < limit);
            }
            assert_eq!(stream.read(&mut more, Some(soon())), Ok(0));
        });
        let client = machine.spawn(TaskKind::Client, Place::On(1), move || {
            let stream = Stream::connect(address, Some(soon())).unwrap();
            stream.write_all(b"run", None).unwrap();
            wait::sleep(WaitType::SLEEP_TASK, 10);
            stream.write_all(b"att", None).unwrap();
            wait::sleep(WaitType::SLEEP_TASK, 10);
        });
        client.join().unwrap();
        server.join().unwrap();
    });
}

#[test]
fn armed_connections_time_out_and_are_killed() {
    on_all(|machine, listen| {
        let listener = listen();
        let address = listener.local_addr();
        let seen = Arc::new(AtomicU64::new(0));
        let counts = seen.clone();
        machine.run(move || {
            let silent = Stream::connect(address, Some(soon())).unwrap();
            let (timed, _) = listener.accept(Some(soon())).unwrap();
            let counts_timed = counts.clone();
            timed.arm(Place::LeastLoaded, Some(os::clock::after_ms(10)), move |_, ready| {
                assert_eq!(ready, Ready::Timeout);
                counts_timed.fetch_add(1, Ordering::SeqCst);
            });
            let _killed_client = Stream::connect(address, Some(soon())).unwrap();
            let (killed, _) = listener.accept(Some(soon())).unwrap();
            let handle = killed.handle();
            let counts_killed = counts.clone();
            killed.arm(Place::LeastLoaded, None, move |stream, ready| {
                assert_eq!(ready, Ready::Input);
                assert_eq!(stream.read(&mut [0; 1], None), Ok(0));
                counts_killed.fetch_add(1, Ordering::SeqCst);
            });
            handle.shutdown();
            let limit = soon();
            while counts.load(Ordering::SeqCst) < 2 {
                assert!(os::clock::now() < limit);
                wait::sleep(WaitType::SLEEP_TASK, 1);
            }
            // The timed connection was closed with its task.
            assert_eq!(silent.read(&mut [0; 1], Some(soon())), Ok(0));
            handle.shutdown();
        });
        assert_eq!(seen.load(Ordering::SeqCst), 2);
        assert_eq!(machine.panics(), 0);
    });
}

/// However many strangers there are, each scheduler does one thing for one of them at a time; one that panics stops none of the others.
#[test]
fn strangers_take_turns_within_one_task() {
    on_all(|machine, listen| {
        let listener = listen();
        let address = listener.local_addr();
        let (running, most) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let (now, highest) = (running.clone(), most.clone());
        machine.run(move || {
            let clients: Vec<_> = (0..60u8)
                .map(|number| {
                    let client = Stream::connect(address, Some(soon())).unwrap();
                    let (stream, _) = listener.accept(Some(soon())).unwrap();
                    stream.set_stranger(true);
                    let (now, highest) = (now.clone(), highest.clone());
                    stream.arm(Place::LeastLoaded, Some(soon()), move |stream, ready| {
                        assert!(ready == Ready::Input && number != 30, "this one panics");
                        highest.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        wait::sleep(WaitType::SLEEP_TASK, 1);
                        now.fetch_sub(1, Ordering::SeqCst);
                        stream.set_stranger(false);
                        spawn(TaskKind::Request, Place::Here, move || echo(stream, Ready::Input));
                    });
                    client
                })
                .collect();
            clients.iter().for_each(|client| client.write_all(&[7], None).unwrap());
            for (number, client) in clients.iter().enumerate() {
                // Whoever it was for did not read what came: the connection may be reset.
                let answered = client.read(&mut [0; 1], Some(soon())).unwrap_or(0);
                assert_eq!(answered, usize::from(number != 30), "client {number}");
            }
        });
        assert!((1..=2).contains(&most.load(Ordering::SeqCst)), "{most:?} at a time, on two schedulers");
        assert_eq!((running.load(Ordering::SeqCst), machine.panics()), (0, 1));
    });
}

#[test]
fn refused_and_taken_addresses_are_told() {
    on_all(|machine, listen| {
        machine.run(move || {
            let listener = listen();
            let address = listener.local_addr();
            assert_eq!(Listener::bind(address).err(), Some(NetError::AddressInUse));
            drop(listener);
            assert_eq!(Stream::connect(address, Some(soon())).err(), Some(NetError::Refused));
        });
    });
}

/// Nobody waits for a server that has its address and does not listen yet.
#[test]
fn a_reserved_address_refuses_until_it_listens() {
    on_all(|machine, listen| {
        machine.run(move || {
            let address = {
                let free = listen();
                free.local_addr()
            };
            let first = Listener::reserve(address).unwrap();
            assert_eq!(Stream::connect(address, Some(soon())).err(), Some(NetError::Refused));
            first.listen().unwrap();
            first.listen().unwrap();
            assert_eq!(Listener::reserve(address).err(), Some(NetError::AddressInUse));
            let client = Stream::connect(address, Some(soon())).unwrap();
            client.write_all(b"x", None).unwrap();
            let (server, _) = first.accept(Some(soon())).unwrap();
            assert_eq!(server.read(&mut [0; 2], Some(soon())), Ok(1));
        });
    });
}

/// DMVs show these.
#[test]
fn both_ends_know_how_they_are_connected() {
    on_all(|machine, listen| {
        machine.run(move || {
            let listener = listen();
            let client = Stream::connect(listener.local_addr(), Some(soon())).unwrap();
            let (server, peer) = listener.accept(Some(soon())).unwrap();
            assert_eq!(server.local_addr(), Ok(listener.local_addr()));
            assert_eq!(client.peer_addr(), Ok(listener.local_addr()));
            assert_eq!((server.peer_addr(), client.local_addr()), (Ok(peer), Ok(peer)));
            let is_tcp = listener.local_addr().tcp().is_some();
            assert_eq!(peer.tcp().map(|peer| peer.ip().is_loopback()), is_tcp.then_some(true));
            if !is_tcp {
                assert_eq!(peer, Endpoint::Local(0));
            }
        });
    });
}

/// A local name is no port: neither takes the other's place.
#[test]
fn a_number_serves_tcp_and_local_at_once() {
    on_all(|machine, _| {
        machine.run(|| {
            let first = tcp();
            let number = first.local_addr().tcp().unwrap().port();
            assert_eq!(Stream::connect(Endpoint::Local(number), Some(soon())).err(), Some(NetError::Refused));
            let second = Listener::bind(Endpoint::Local(number)).unwrap();
            for listener in [&first, &second] {
                let client = Stream::connect(listener.local_addr(), Some(soon())).unwrap();
                let (server, _) = listener.accept(Some(soon())).unwrap();
                client.write_all(b"x", None).unwrap();
                assert_eq!(server.read(&mut [0; 2], Some(soon())), Ok(1));
            }
        });
    });
}
