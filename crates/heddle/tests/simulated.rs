//! The whole server on the simulated machine: virtual time, a disk and a network in memory, and a schedule drawn from a seed.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::net::SocketAddr;
use std::sync::Arc;

use lab::address::ServerAddress;
use lab::client::{Answer, Connection, Target, Trust};
use os::disk::{Disk, SimDisk, SimDiskFaults};
use os::net::Listener;
use os::sched::{Place, TaskKind};
use os::sim::{SimConfig, SimOutcome, run};
use server::options::{AdminListen, DataLocation, RwLock, Scheduling, Settings, Workers};
use server::tls::Certificate;
use tds::client::{ClientEncryption, ConnectOptions};
use types::Datum;

const PASSWORD: &str = "Heddle-1-test";
const SESSIONS: i64 = 3;
const ROWS: i64 = 8;

fn settings(port: u16) -> Settings {
    Settings {
        kernel: server::options::Kernel::Threaded,
        engines: None,
        data: DataLocation::Memory,
        listen: SocketAddr::from(([127, 0, 0, 1], port)),
        admin_listen: AdminListen::Off,
        sa_password: Some(PASSWORD.into()),
        workers: Workers::Fiber,
        rwlock: RwLock::Atomic,
        scheduling: Scheduling::Ldf,
        cpus: None,
        memory_bytes: Some(64 << 20),
        idle_spin_us: None,
        init: None,
        tls: None,
        startup: Default::default(),
    }
}

/// A server on `disk`, accepting.
fn boot(disk: &SimDisk, certificate: &Certificate) -> SocketAddr {
    let listener = Listener::bind(settings(0).listen.into()).expect("a simulated port");
    let address = listener.local_addr().tcp().expect("a TCP port");
    let server = server::serve::start_on(settings(0), Disk::Sim(disk.clone()), "simulated".into(), certificate);
    let server = Arc::new(server.expect("the server starts"));
    os::sched::spawn(TaskKind::Accept, Place::Here, move || server::listen::accept_all(&server, &listener));
    address
}

fn connect(address: SocketAddr) -> Connection {
    let parsed = ServerAddress::parse(&format!("{},{}", address.ip(), address.port())).expect("an address");
    let options = ConnectOptions {
        user: "sa".into(),
        password: PASSWORD.into(),
        encryption: ClientEncryption::Plain,
        ..ConnectOptions::default()
    };
    let target = Target::new(parsed, options, &Trust::Anyone).expect("a target");
    Connection::open(&target, None).expect("a login")
}

fn ask(connection: &mut Connection, query: &str) -> Answer {
    let answer = connection.query(query, None).expect("an answer");
    assert!(answer.first_error().is_none(), "{query}: {:?}", answer.first_error());
    answer
}

fn number(answer: &Answer) -> i64 {
    match answer.sets[0].rows[0][0] {
        Datum::I64(value) => value,
        ref other => panic!("a number, not {other:?}"),
    }
}

/// Three sessions insert and count; the sum of all rows at the end.
fn script(address: SocketAddr) -> i64 {
    let mut first = connect(address);
    ask(&mut first, "CREATE TABLE t (s int, n int, PRIMARY KEY (s, n))");
    let tasks: Vec<_> = (0..SESSIONS)
        .map(|session| {
            os::sched::spawn(TaskKind::Client, Place::LeastLoaded, move || {
                let mut connection = connect(address);
                for n in 1..=ROWS {
                    ask(&mut connection, &format!("INSERT t VALUES ({session}, {n})"));
                    let seen = number(&ask(&mut connection, &format!("SELECT COUNT(*) FROM t WHERE s = {session}")));
                    assert_eq!(seen, n, "a session sees its own rows");
                }
            })
        })
        .collect();
    for task in tasks {
        task.join().expect("no session failed");
    }
    number(&ask(&mut first, "SELECT SUM(n) FROM t"))
}

fn simulate(seed: u64, certificate: &Arc<Certificate>) -> SimOutcome<i64> {
    let disk = SimDisk::new(SimDiskFaults::default());
    let config = SimConfig { disks: vec![disk.clone()], steps_max: 5_000_000, ..SimConfig::default() };
    let certificate = certificate.clone();
    run(seed, config, move || script(boot(&disk, &certificate)))
}

#[test]
fn one_seed_is_one_trace() {
    let certificate = Arc::new(Certificate::generate("simulated").expect("a certificate"));
    let first = simulate(1, &certificate);
    let again = simulate(1, &certificate);
    assert_eq!(first.result, Some(SESSIONS * ROWS * (ROWS + 1) / 2));
    assert_eq!((first.trace_hash, first.steps), (again.trace_hash, again.steps));
    let other = simulate(2, &certificate);
    assert_eq!(other.result, first.result, "another schedule, the same answer");
    assert_ne!(other.trace_hash, first.trace_hash);
}
