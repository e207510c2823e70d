//! One instance, several engines that are processes: they change the same rows, wait for each other's locks and latches,
//! share one log and one small buffer pool. Then the instance is opened again from its files.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use common::*;
use os::disk::Disk;
use os::engines::{End, Engines};
use os::region::Visibility;
use os::sched::{MachineConfig, Place, TaskKind, WorkerKind};
use storage::*;

const ENGINES: u32 = 3;
const SESSIONS: u32 = 4;
const TRANSACTIONS: i64 = 150;
const ACCOUNTS: i64 = 5;
const FIRST_ACCOUNT: i64 = 1_000_000;
const TOTAL: i64 = ACCOUNTS * 1000;

fn transfer(table: &Table, tx: &mut Transaction, rng: &mut Rng) -> StorageResult<()> {
    for change in [-7, 7] {
        tx.begin_statement();
        let id = FIRST_ACCOUNT + rng.next(ACCOUNTS as u64) as i64;
        let (locator, bytes) = newest(table, tx, id)?.expect("accounts stay");
        let balance = types::row::RowView::new(&table.layout().row, &bytes)?.datum(2).as_i64();
        table.update(tx, &locator, &image(table.layout(), id, &(None, balance + change, None)))?;
    }
    Ok(())
}

/// The first row of a session; it inserts as many as it has transactions.
fn first_row(engine: u32, session: u32) -> i64 {
    ((engine - 1) * SESSIONS + session) as i64 * TRANSACTIONS
}

fn session(storage: &Storage, engine: u32, session: u32) -> u64 {
    let table = storage.open_table(DB, TABLE).expect("the table");
    let mut rng = Rng(u64::from(engine * 100 + session + 1));
    let mut deadlocks = 0;
    for number in 0..TRANSACTIONS {
        loop {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            tx.set_session(engine * 100 + session);
            let row = (value(&mut rng, 2000), number, value(&mut rng, 6000));
            let done = table
                .insert(&mut tx, &image(table.layout(), first_row(engine, session) + number, &row))
                .map(|_| ())
                .and_then(|()| transfer(&table, &mut tx, &mut rng));
            match done {
                Ok(()) => {
                    let durability = if number % 3 == 0 { Durability::Full } else { Durability::Delayed };
                    tx.commit(durability).expect("a commit");
                    break;
                }
                Err(StorageError::Deadlock) => {
                    deadlocks += 1;
                    tx.rollback().expect("a rollback");
                }
                Err(error) => panic!("engine {engine}, session {session}: {error}"),
            }
        }
    }
    deadlocks
}

fn engine(storage: &Storage, number: u32, workers: WorkerKind) -> i32 {
    let cpus = os::limits::usable_cpus();
    let cpu = cpus[number as usize % cpus.len()];
    let machine = os::sched::start(MachineConfig { cpus: vec![cpu], workers, ..MachineConfig::default() });
    let storage = storage.clone();
    let deadlocks = Arc::new(AtomicU64::new(0));
    machine.run(move || {
        let sessions: Vec<_> = (0..SESSIONS)
            .map(|at| {
                let (storage, deadlocks) = (storage.clone(), deadlocks.clone());
                os::sched::spawn(TaskKind::Request, Place::Here, move || {
                    deadlocks.fetch_add(session(&storage, number, at), Ordering::Relaxed);
                })
            })
            .collect();
        sessions.into_iter().for_each(|session| session.join().expect("a session"));
    });
    0
}

fn check(storage: &Storage, what: &str) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let (mut found, by_index) = (read(storage, &mut tx, 1), read(storage, &mut tx, 2));
    assert!(found == by_index, "{what}: the indexes disagree");
    let accounts = found.split_off(&FIRST_ACCOUNT);
    assert_eq!(accounts.len() as i64, ACCOUNTS, "{what}");
    assert_eq!(accounts.values().map(|row| row.1).sum::<i64>(), TOTAL, "{what}: a transfer by half");
    assert_eq!(found.len() as i64, (ENGINES * SESSIONS) as i64 * TRANSACTIONS, "{what}: rows");
    assert!(found.iter().all(|(id, row)| id % TRANSACTIONS == row.1), "{what}: rows of their sessions");
    assert_eq!(storage.locks(), [], "{what}: nothing is locked");
    drop(tx);
    assert_eq!(storage.transactions(), [], "{what}: nobody is left");
}

fn engines_share_an_instance(workers: WorkerKind) {
    let directory = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("processes-{workers:?}"));
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).expect("a directory");
    let open = |visibility| {
        let disk = Disk::directory(&directory).expect("a disk");
        Storage::open(StorageConfig { visibility, ..small(disk) }).expect("an instance")
    };
    let storage = open(Visibility::ForkedProcesses);
    create(&storage, true);
    let table = storage.open_table(DB, TABLE).expect("the table");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    for account in 0..ACCOUNTS {
        table
            .insert(&mut tx, &image(table.layout(), FIRST_ACCOUNT + account, &(None, 1000, None)))
            .expect("an account");
    }
    tx.commit(Durability::Full).expect("committed");

    let mut engines = Engines::launch(ENGINES, 1, &|number| engine(&storage, number, workers));
    while let Some((number, end)) = engines.wait() {
        assert_eq!(end, End::Exited(0), "engine {number}");
    }
    check(&storage, "after the engines");
    let metrics = storage.metrics();
    assert!(metrics.page_evictions > 0 && metrics.lock_waits > 0, "they met: {metrics:?}");
    storage.flush_log().expect("flushed");
    drop(table);
    drop(storage);
    check(&open(Visibility::ThisProcess), "opened again");
    std::fs::remove_dir_all(&directory).expect("removed");
}

fn main() {
    for (name, workers) in [("fibers", WorkerKind::Fiber), ("threads", WorkerKind::Thread)] {
        engines_share_an_instance(workers);
        println!("test engines_with_{name}_share_an_instance ... ok");
    }
    println!("\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
}
