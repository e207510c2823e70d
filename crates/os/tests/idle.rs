//! Alone in its process, since it measures the process's memory.
use os::net::{Endpoint, Listener, Place, Ready, Stream};
use os::sched::{MachineConfig, TaskKind, spawn, start};

fn soon() -> u64 {
    os::clock::after_ms(20_000)
}

/// Accepts until the machine stops; connections rest until bytes come, which then end them.
fn serve() -> Endpoint {
    let listener = Listener::bind(Endpoint::Tcp("127.0.0.1:0".parse().unwrap())).unwrap();
    let address = listener.local_addr();
    spawn(TaskKind::Accept, Place::Here, move || {
        while !os::sched::stopping() {
            if let Ok((stream, _)) = listener.accept(Some(os::clock::after_ms(20))) {
                stream.arm(Place::LeastLoaded, None, |_stream: Stream, _ready: Ready| {});
            }
        }
    });
    address
}

#[test]
fn an_idle_connection_costs_little_memory() {
    os::limits::raise_open_files();
    const CONNECTIONS: usize = 5_000;
    let machine = start(MachineConfig { cpus: vec![0, 1], ..Default::default() });
    let address = machine.run(serve);
    let fresh = os::limits::resident_memory();
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|n| {
            if n % 100 == 99 {
                // Do not outrun the accept task: an overflowing backlog drops connections for a second.
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
            Stream::connect(address, Some(soon())).unwrap()
        })
        .collect();
    let served = || os::stats::schedulers(machine.id()).iter().map(|row| row.connections as usize).sum::<usize>();
    let limit = soon();
    while served() < CONNECTIONS {
        assert!(os::clock::now() < limit, "{} of {CONNECTIONS}", served());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let bytes = os::limits::resident_memory().saturating_sub(fresh) as usize / CONNECTIONS;
    assert!(bytes < 4096, "{bytes} bytes a connection, client side included");
    // Spread over the schedulers, and none holds a worker.
    let rows = os::stats::schedulers(machine.id());
    assert!(rows.iter().all(|row| row.connections as usize > CONNECTIONS / 3), "{rows:?}");
    assert!(rows.iter().map(|row| row.current_tasks).sum::<u32>() <= 1);
    println!("{bytes} bytes a connection, both sides");
    drop(clients);
}
