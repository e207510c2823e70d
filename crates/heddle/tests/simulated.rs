//! The whole server on the simulated machine: some seeds of each workload of `heddle lab sim`, and that a seed repeats exactly.
//! More seeds, or one of them: SEEDS=1000, SEED=4711; `heddle lab sim` runs thousands and makes a failure small.

use std::collections::BTreeMap;

use lab::address::ServerAddress;
use lab::client::{Connection, Target, Trust};
use lab::sim::{FaultKind, Kind, Runner, Wish};
use os::disk::{SimDisk, SimDiskFaults};
use os::sim::SimConfig;
use os::wait::{WaitType, sleep};
use tds::client::{ClientEncryption, ConnectOptions};
use types::Datum;

/// Seeds of each workload.
const SEEDS: u64 = 25;

/// Each has found a bug once; what it was stands in the commit that mended it.
const FOUND: &[(Kind, u64)] = &[
    (Kind::Bank, 81),
    (Kind::Ring, 40),
    (Kind::Ring, 87),
    (Kind::Map, 0),
    (Kind::Map, 16),
    (Kind::Map, 39),
    (Kind::Map, 63),
    (Kind::Map, 87),
    (Kind::Map, 160),
    (Kind::Vault, 44),
    (Kind::Vault, 107),
    (Kind::Vault, 63),
    (Kind::Append, 2017),
];

fn number(name: &str) -> Option<u64> {
    os::env::var(name).and_then(|text| text.parse().ok())
}

/// What failed, each with its seed.
fn run(kind: Kind, seeds: impl Iterator<Item = u64>, wish: &Wish) -> Vec<String> {
    let mut runner = Runner::new(server::start::simulated::boot);
    let mut failures = Vec::new();
    let (mut kills, mut count) = (0, 0);
    for seed in seeds {
        let verdict = runner.run(kind, seed, wish).expect("a server starts on an empty disk");
        kills += verdict.kills;
        count += 1;
        if let Some(failure) = verdict.failure {
            failures.push(format!("{kind:?} seed {seed}: {}: {}", failure.kind, failure.text));
        }
    }
    println!("{kind:?}: {count} seeds, {kills} kills");
    failures
}

fn seeds_of(kind: Kind) {
    let first = number("SEED").unwrap_or(1_000);
    let count = if number("SEED").is_some() { 1 } else { number("SEEDS").unwrap_or(SEEDS) };
    let found = FOUND.iter().filter(|(of, _)| *of == kind).map(|(_, seed)| *seed);
    let failures = run(kind, (first..first + count).chain(found), &Wish::default());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn a_ring_stays_a_ring() {
    seeds_of(Kind::Ring);
}

#[test]
fn money_is_neither_made_nor_lost() {
    seeds_of(Kind::Bank);
}

#[test]
fn no_cycle_of_dependencies_is_there_that_the_level_forbids() {
    seeds_of(Kind::Append);
}

/// A check that never sees what a level allows would not see what it forbids. How many seeds that takes depends on everything that draws
/// from them.
#[test]
fn what_a_level_allows_is_seen_to_happen() {
    const SEEDS_MAX: u64 = 2_000;
    const ALLOWED: [&str; 7] = [
        "pages at READ UNCOMMITTED, G1a",
        "pages at READ COMMITTED, G-single",
        "pages at SNAPSHOT, G2-item",
        "memory at SNAPSHOT, G2-item",
        "pages at READ COMMITTED and memory at SNAPSHOT, G-single",
        "memory at REPEATABLE READ, histories",
        "memory at SERIALIZABLE, histories",
    ];
    let wish = Wish { faults: Some(Vec::new()) };
    let mut runner = Runner::new(server::start::simulated::boot);
    let mut seen = BTreeMap::<String, u64>::new();
    for seed in 0..SEEDS_MAX {
        let verdict = runner.run(Kind::Append, seed, &wish).expect("a server starts on an empty disk");
        assert_eq!(verdict.failure, None, "seed {seed}");
        verdict.seen.into_iter().for_each(|what| *seen.entry(what).or_default() += 1);
        if ALLOWED.iter().all(|what| seen.contains_key(*what)) {
            println!("after {} seeds: {seen:#?}", seed + 1);
            return;
        }
    }
    let missing = ALLOWED.iter().filter(|what| !seen.contains_key(**what)).collect::<Vec<_>>();
    panic!("{missing:?}: never in {SEEDS_MAX} seeds, {seen:#?}");
}

#[test]
fn a_table_is_an_ordered_map() {
    seeds_of(Kind::Map);
}

#[test]
fn a_transaction_over_both_kinds_of_table_is_there_whole_or_not_at_all() {
    seeds_of(Kind::Vault);
}

#[test]
fn nothing_is_left_of_connections_that_come_and_go() {
    seeds_of(Kind::Storm);
}

#[test]
fn every_fault_alone_is_survived() {
    let mut failures = Vec::new();
    for (at, fault) in (0..).zip(FaultKind::ALL) {
        let wish = Wish { faults: Some(vec![fault]) };
        let seeds = 2_000 + 3 * at..2_003 + 3 * at;
        failures.extend(run(Kind::of_seed(at), seeds, &wish).into_iter().map(|why| format!("{fault:?}, {why}")));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn one_seed_is_one_trace() {
    let mut runner = Runner::new(server::start::simulated::boot);
    let mut other = Runner::new(server::start::simulated::boot);
    let mut hashes = Vec::new();
    for kind in Kind::ALL {
        for seed in 1..4 {
            let run = |runner: &mut Runner| {
                let verdict = runner.run(kind, seed, &Wish::default()).expect("a server starts on an empty disk");
                let lines: Vec<String> = verdict.trace.iter().map(ToString::to_string).collect();
                (lines, verdict.hash, verdict.steps)
            };
            let first = run(&mut runner);
            let second = run(&mut other);
            let differs = first.0.iter().zip(&second.0).find(|(one, two)| one != two);
            assert_eq!(differs, None, "{kind:?} seed {seed}");
            assert_eq!((first.1, first.2), (second.1, second.2), "{kind:?} seed {seed}");
            hashes.push(first.1);
        }
    }
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 3 * Kind::ALL.len(), "other seeds, other traces");
}

const PASSWORD: &str = "Simulated-1";

/// Runs `body` with a server on an empty disk.
fn with_server(body: impl FnOnce(&Target) + Send + 'static) {
    let disk = SimDisk::new(SimDiskFaults::default());
    let config = SimConfig { disks: vec![disk.clone()], steps_max: 1_500_000, ..SimConfig::default() };
    let outcome = os::sim::run(1, config, move || {
        let (address, stop) = server::start::simulated::boot(disk, 64 << 20, PASSWORD).expect("a server starts");
        let address = ServerAddress::parse(&format!("{},{}", address.ip(), address.port())).expect("an address");
        let options = ConnectOptions {
            user: "sa".into(),
            password: PASSWORD.into(),
            encryption: ClientEncryption::Plain,
            ..ConnectOptions::default()
        };
        body(&Target::new(address, options, &Trust::Anyone).expect("a numeric address"));
        stop().expect("it stops");
    });
    assert!(outcome.result.is_some(), "the power did not fail");
}

/// The one number that a batch answers.
fn ask(connection: &mut Connection, text: &str) -> i64 {
    let answer = connection.query(text, Some(os::clock::after_ms(60_000))).expect("an answer");
    assert_eq!(answer.first_error().map(|error| error.text.clone()), None, "{text}");
    match answer.sets.first().map(|set| &set.rows[0][0]) {
        Some(Datum::I64(number)) => *number,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn temporary_tables_go_with_their_session_though_memory_is_refused_then() {
    with_server(|target| {
        let open = || Connection::open(target, Some(os::clock::after_ms(60_000))).expect("a connection");
        let (mut watcher, mut owner) = (open(), open());
        let make =
            "CREATE TABLE #own (i int PRIMARY KEY); CREATE TABLE ##all (i int); INSERT #own VALUES (1); SELECT 1";
        ask(&mut owner, make);
        let tables = "SELECT COUNT(*) FROM tempdb.sys.tables";
        assert_eq!(ask(&mut watcher, tables), 2);
        os::sim::set_memory_refusals(1);
        drop(owner);
        sleep(WaitType::WAITFOR, 5_000);
        os::sim::set_memory_refusals(0);
        // Whether they could be dropped meanwhile is up to what the drop found in memory.
        sleep(WaitType::WAITFOR, 5_000);
        assert_eq!(ask(&mut watcher, tables), 0);
    });
}

#[test]
fn a_session_that_is_handed_on_shows_no_temporary_table_that_could_not_be_dropped() {
    with_server(|target| {
        let mut session = Connection::open(target, Some(os::clock::after_ms(60_000))).expect("a connection");
        ask(&mut session, "CREATE TABLE #own (i int PRIMARY KEY); SELECT 1");
        os::sim::set_memory_refusals(1);
        session.protocol().reset_with_next(tds::packet::Reset::Connection);
        let refused = session.query("SELECT 1", Some(os::clock::after_ms(60_000)));
        os::sim::set_memory_refusals(0);
        refused.expect("an answer, be it an error");
        assert_eq!(ask(&mut session, "SELECT ISNULL(OBJECT_ID('tempdb..#own'), 0)"), 0);
        sleep(WaitType::WAITFOR, 5_000);
        assert_eq!(ask(&mut session, "SELECT COUNT(*) FROM tempdb.sys.tables"), 0);
    });
}
