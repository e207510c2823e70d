//! Rollbacks read their records from the log's ring while flushes take it away.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use common::*;
use os::disk::Disk;
use os::sched::{MachineConfig, Place, TaskKind};
use storage::*;

const SESSIONS: i64 = 4;
const ROUNDS: i64 = 20_000;

#[test]
fn a_rollback_finds_its_records_whoever_flushes_them() {
    let storage = Storage::open(small(Disk::memory())).expect("an instance");
    create(&storage, Kind::Clustered);
    let machine = os::sched::start(MachineConfig { cpus: vec![0, 1, 2, 3], pinned: false, ..MachineConfig::default() });
    let ended = Arc::new(AtomicBool::new(false));
    let flusher = {
        let (storage, ended) = (storage.clone(), ended.clone());
        machine.spawn(TaskKind::Request, Place::LeastLoaded, move || {
            while !ended.load(Ordering::Relaxed) {
                storage.flush_log().expect("flushed");
                os::wait::yield_now();
            }
        })
    };
    let sessions: Vec<_> = (0..SESSIONS)
        .map(|session| {
            let storage = storage.clone();
            machine.spawn(TaskKind::Request, Place::LeastLoaded, move || {
                let table = storage.open_table(DB, TABLE).expect("the table");
                for round in 0..ROUNDS {
                    let mut tx = storage.begin(Isolation::ReadCommitted);
                    let row = image(table.layout(), session * ROUNDS + round, &(Some(vec![7; 2000]), round, None));
                    table.insert(&mut tx, &row).expect("a row");
                    tx.rollback().expect("a rollback");
                }
            })
        })
        .collect();
    sessions.into_iter().for_each(|session| session.join().expect("a session"));
    ended.store(true, Ordering::Relaxed);
    flusher.join().expect("the flusher");
    machine.stop();
}
