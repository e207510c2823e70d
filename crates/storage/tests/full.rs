//! A log that cannot grow: every rollback has its room, and statements that free space have some of their own.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use common::*;
use os::disk::{Disk, SimDisk, SimDiskFaults};
use os::sim::{SimConfig, run};
use storage::*;

const LOG_BYTES: u64 = 24 << 20;

fn limited(disk: Disk) -> StorageConfig {
    StorageConfig { log_bytes_max: LOG_BYTES, files_max: 8, ..small(disk) }
}

fn row(table: &Table, id: i64) -> Vec<u8> {
    image(table.layout(), id, &(Some(vec![b'x'; 1500]), id % 20, None))
}

/// Inserts rows from `first` on in one transaction until the log is full. How many it took.
fn fill(storage: &Storage, tx: &mut Transaction, first: i64) -> (i64, StorageError) {
    let table = storage.open_table(DB, TABLE).expect("a table");
    for at in 0.. {
        tx.begin_statement();
        if let Err(error) = table.insert(tx, &row(&table, first + at)) {
            return (at, error);
        }
        assert!(at < 100_000, "the log has no end");
    }
    unreachable!("it is full before");
}

fn add(storage: &Storage, ids: std::ops::Range<i64>) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let table = storage.open_table(DB, TABLE).expect("a table");
    for id in ids {
        table.insert(&mut tx, &row(&table, id)).expect("there is room");
    }
    tx.commit(Durability::Full).expect("committed");
}

fn count(storage: &Storage) -> usize {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    read(storage, &mut tx, 1).len()
}

const BY_TRANSACTION: StorageError = StorageError::LogFull(LogHolder::Transaction);

#[test]
fn what_fills_the_log_can_be_rolled_back() {
    for kind in [Kind::Heap, Kind::Clustered] {
        let disk = Disk::memory();
        let storage = Storage::open(limited(disk.clone())).expect("an empty disk");
        create(&storage, kind);
        add(&storage, 0..50);
        for _ in 0..4 {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            let (rows, error) = fill(&storage, &mut tx, 1000);
            assert_eq!(error, BY_TRANSACTION, "after {rows} rows");
            assert!(rows as u64 * 1500 > LOG_BYTES / 6, "{rows} rows are not much");
            assert_eq!(storage.log_space().holder, LogHolder::Transaction);
            tx.rollback().expect("what was admitted can be undone");
            storage.checkpoint().expect("a checkpoint needs no room");
            // What was cleaned up while it wrote may have begun a segment.
            storage.checkpoint().expect("another one");
            assert_eq!(storage.log_space().holder, LogHolder::Nothing);
            add(&storage, 60..70);
            let mut tx = storage.begin(Isolation::ReadCommitted);
            let table = storage.open_table(DB, TABLE).expect("a table");
            for id in 60..70 {
                let at = locator(&table, &mut tx, id).expect("readable").expect("it is there");
                table.delete(&mut tx, &at).expect("deleted");
            }
            tx.commit(Durability::Full).expect("committed");
            storage.checkpoint().expect("a checkpoint");
        }
        assert_eq!(count(&storage), 50);
        storage.shutdown().expect("a last checkpoint");
        let storage = Storage::open(limited(disk)).expect("opened again");
        assert_eq!(count(&storage), 50);
    }
}

#[test]
fn a_full_log_leaves_room_for_what_frees_space() {
    let storage = Storage::open(limited(Disk::memory())).expect("an empty disk");
    create(&storage, Kind::Clustered);
    let other = TableId(78);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.create_table(&mut tx, DB, other, &layout(Kind::Clustered)).expect("a table");
    tx.commit(Durability::Full).expect("committed");
    add(&storage, 0..200);
    let mut holder = storage.begin(Isolation::ReadCommitted);
    assert_eq!(fill(&storage, &mut holder, 10_000).1, BY_TRANSACTION);

    let mut tx = storage.begin(Isolation::ReadCommitted);
    let table = storage.open_table(DB, TABLE).expect("a table");
    assert_eq!(table.insert(&mut tx, &row(&table, 900)), Err(BY_TRANSACTION), "an ordinary change has no room");
    tx.rollback().expect("nothing to undo");
    storage.checkpoint().expect("a checkpoint");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.set_frees_space(true);
    for id in 0..100 {
        let at = locator(&table, &mut tx, id).expect("readable").expect("it is there");
        table.delete(&mut tx, &at).expect("a deletion has room");
    }
    tx.commit(Durability::Full).expect("committed");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.set_frees_space(true);
    storage.truncate_table(&mut tx, DB, other).expect("truncated");
    storage.drop_table(&mut tx, DB, other).expect("dropped");
    tx.commit(Durability::Full).expect("committed");
    storage.checkpoint().expect("a checkpoint");
    holder.rollback().expect("all that was admitted can be undone");
    storage.checkpoint().expect("a checkpoint");
    add(&storage, 300..400);
    assert_eq!(count(&storage), 200);
}

/// More than one wants the last room.
#[test]
fn several_transactions_fill_the_log_at_once_and_all_are_rolled_back() {
    let disk = SimDisk::new(SimDiskFaults::default());
    for seed in 1..=3 {
        let disk = disk.clone();
        let sim = SimConfig { disks: vec![disk.clone()], steps_max: 20_000_000, ..SimConfig::default() };
        let outcome = run(seed, sim, move || {
            let storage = Storage::open(limited(Disk::Sim(disk.clone()))).expect("a disk");
            if seed == 1 {
                create(&storage, Kind::Clustered);
                add(&storage, 0..50);
            }
            let full = Arc::new(AtomicU32::new(0));
            let tasks: Vec<_> = (1..=4)
                .map(|number| {
                    let (storage, full) = (storage.clone(), full.clone());
                    os::sched::spawn(os::sched::TaskKind::Request, os::sched::Place::LeastLoaded, move || {
                        let mut tx = storage.begin(Isolation::ReadCommitted);
                        assert_eq!(fill(&storage, &mut tx, number * 100_000).1, BY_TRANSACTION);
                        full.fetch_add(1, Ordering::SeqCst);
                        // The others find what this one holds.
                        while full.load(Ordering::SeqCst) < 4 {
                            os::wait::sleep(os::wait::WaitType::WAITFOR, 1);
                        }
                        tx.rollback().expect("it can be undone");
                    })
                })
                .collect();
            for task in tasks {
                task.join().expect("no panic");
            }
            assert_eq!(count(&storage), 50);
            storage.shutdown().expect("a last checkpoint");
        });
        assert!(outcome.result.is_some(), "seed {seed}");
    }
}

/// Who writes more than the log has, in small transactions, waits now and then for a checkpoint.
#[test]
fn who_finds_no_room_waits_for_a_checkpoint() {
    let disk = SimDisk::new(SimDiskFaults::default());
    let sim = SimConfig { disks: vec![disk.clone()], steps_max: 20_000_000, ..SimConfig::default() };
    let outcome = run(3, sim, move || {
        let mut config = limited(Disk::Sim(disk.clone()));
        // A checkpoint once in an hour, unless somebody asks.
        (config.log_flush_ms, config.recovery_interval_ms) = (5, 3_600_000);
        let storage = Storage::open(config).expect("a disk");
        create(&storage, Kind::Clustered);
        let begun = storage.metrics().log_tail_lsn;
        for part in 0..60 {
            add(&storage, part * 400..part * 400 + 400);
        }
        assert!(storage.metrics().log_tail_lsn - begun > LOG_BYTES, "more than the log has");
        assert_eq!(count(&storage), 24_000);
        storage.shutdown().expect("a last checkpoint");
    });
    assert!(outcome.result.is_some());
}
