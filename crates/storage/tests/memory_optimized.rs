//! What transactions on memory-optimized tables see of each other, how conflicts end, and what is left of old versions.

mod common;

use common::*;
use os::disk::{SimDisk, SimDiskFaults};
use storage::*;

fn opened(kind: Kind) -> (Storage, std::sync::Arc<Table>) {
    let storage = Storage::open(config(&SimDisk::new(SimDiskFaults::default()))).expect("opened");
    create(&storage, kind);
    let table = storage.open_table(DB, TABLE).expect("the table");
    (storage, table)
}

fn insert(table: &Table, tx: &mut Transaction, id: i64, n: i64) -> StorageResult<()> {
    tx.begin_statement();
    table.insert(tx, &image(table.layout(), id, &(None, n, None))).map(drop)
}

/// False: there is no such row.
fn set(table: &Table, tx: &mut Transaction, id: i64, n: i64) -> StorageResult<bool> {
    tx.begin_statement();
    let Some(locator) = locator(table, tx, id)? else { return Ok(false) };
    table.update(tx, &locator, &image(table.layout(), id, &(None, n, None))).map(|_| true)
}

fn numbers(storage: &Storage, tx: &mut Transaction) -> Vec<(i64, i64)> {
    tx.begin_statement();
    read(storage, tx, 1).into_iter().map(|(id, row)| (id, row.1)).collect()
}

fn now(storage: &Storage) -> Vec<(i64, i64)> {
    numbers(storage, &mut storage.begin(Isolation::ReadCommitted))
}

fn filled(kind: Kind) -> (Storage, std::sync::Arc<Table>) {
    let (storage, table) = opened(kind);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    (1..=3).for_each(|id| insert(&table, &mut tx, id, 0).expect("inserted"));
    tx.commit(Durability::Full).expect("committed");
    (storage, table)
}

const KINDS: [Kind; 2] = [Kind::Hash, Kind::Ordered];

#[test]
fn a_transaction_reads_as_of_one_time() {
    for kind in KINDS {
        let (storage, table) = filled(kind);
        let mut reader = storage.begin(Isolation::ReadCommitted);
        assert_eq!(numbers(&storage, &mut reader), [(1, 0), (2, 0), (3, 0)]);
        let mut writer = storage.begin(Isolation::ReadCommitted);
        assert_eq!(set(&table, &mut writer, 2, 5), Ok(true));
        insert(&table, &mut writer, 4, 5).expect("inserted");
        assert_eq!(numbers(&storage, &mut writer), [(1, 0), (2, 5), (3, 0), (4, 5)], "its own changes");
        writer.commit(Durability::Full).expect("committed");
        assert_eq!(numbers(&storage, &mut reader), [(1, 0), (2, 0), (3, 0)]);
        assert_eq!(now(&storage), [(1, 0), (2, 5), (3, 0), (4, 5)]);
    }
}

#[test]
fn the_first_writer_wins() {
    for kind in KINDS {
        let (storage, table) = filled(kind);
        let conflict = Err(StorageError::WriteConflict { table: TABLE });
        let mut first = storage.begin(Isolation::ReadCommitted);
        let mut second = storage.begin(Isolation::ReadCommitted);
        assert_eq!(set(&table, &mut first, 1, 10), Ok(true));
        assert_eq!(set(&table, &mut second, 1, 20), conflict, "it is not committed");
        second.rollback().expect("rolled back");
        let mut third = storage.begin(Isolation::ReadCommitted);
        assert_eq!(numbers(&storage, &mut third)[0], (1, 0));
        first.commit(Durability::Full).expect("committed");
        assert_eq!(set(&table, &mut third, 1, 30), conflict, "it was committed after the snapshot");
        drop(third);
        // What is rolled back is in nobody's way.
        let mut fourth = storage.begin(Isolation::ReadCommitted);
        assert_eq!(set(&table, &mut fourth, 1, 40), Ok(true));
        fourth.rollback().expect("rolled back");
        let mut fifth = storage.begin(Isolation::ReadCommitted);
        assert_eq!(set(&table, &mut fifth, 1, 50), Ok(true));
        fifth.commit(Durability::Full).expect("committed");
        assert_eq!(now(&storage)[0], (1, 50));
    }
}

#[test]
fn one_of_two_that_insert_a_key_fails_whoever_comes_first() {
    for (kind, first_commits_first) in KINDS.into_iter().flat_map(|kind| [(kind, true), (kind, false)]) {
        let (storage, table) = filled(kind);
        let mut first = storage.begin(Isolation::ReadCommitted);
        let mut second = storage.begin(Isolation::ReadCommitted);
        insert(&table, &mut first, 7, 1).expect("inserted");
        insert(&table, &mut second, 7, 2).expect("nobody knows yet");
        let (early, late) = if first_commits_first { (first, second) } else { (second, first) };
        early.commit(Durability::Full).expect("committed");
        assert_eq!(late.commit(Durability::Full), Err(StorageError::Phantom { table: TABLE }));
        assert_eq!(now(&storage)[3], (7, if first_commits_first { 1 } else { 2 }));
        let mut third = storage.begin(Isolation::ReadCommitted);
        let duplicate = StorageError::DuplicateKey { table: TABLE, index: IndexId(1) };
        assert_eq!(insert(&table, &mut third, 7, 3), Err(duplicate));
    }
}

#[test]
fn who_comes_second_to_a_key_stays_second_though_it_changes_its_row() {
    for (kind, replaces) in KINDS.into_iter().flat_map(|kind| [(kind, true), (kind, false)]) {
        let (storage, table) = filled(kind);
        let mut first = storage.begin(Isolation::ReadCommitted);
        let mut second = storage.begin(Isolation::ReadCommitted);
        insert(&table, &mut first, 7, 1).expect("inserted");
        insert(&table, &mut second, 7, 2).expect("nobody knows yet");
        for n in 3..6 {
            if replaces {
                second.begin_statement();
                let locator = locator(&table, &mut second, 7).expect("read").expect("there");
                table.delete(&mut second, &locator).expect("its own");
                insert(&table, &mut second, 7, n).expect("nobody knows yet");
            } else {
                assert_eq!(set(&table, &mut second, 7, n), Ok(true));
            }
        }
        first.commit(Durability::Full).expect("committed");
        assert_eq!(second.commit(Durability::Full), Err(StorageError::Phantom { table: TABLE }));
        assert_eq!(now(&storage)[3..], [(7, 1)]);
    }
}

#[test]
fn a_key_whose_other_writer_rolled_back_is_free() {
    for kind in KINDS {
        let (storage, table) = filled(kind);
        let mut first = storage.begin(Isolation::ReadCommitted);
        let mut second = storage.begin(Isolation::ReadCommitted);
        insert(&table, &mut first, 7, 1).expect("inserted");
        insert(&table, &mut second, 7, 2).expect("inserted");
        first.rollback().expect("rolled back");
        second.commit(Durability::Full).expect("committed");
        assert_eq!(now(&storage)[3], (7, 2));
    }
}

#[test]
fn what_was_read_repeatably_must_not_have_changed() {
    for kind in KINDS {
        let (storage, table) = filled(kind);
        let mut reader = storage.begin(Isolation::RepeatableRead);
        assert_eq!(numbers(&storage, &mut reader).len(), 3);
        let mut writer = storage.begin(Isolation::ReadCommitted);
        insert(&table, &mut writer, 9, 9).expect("inserted");
        writer.commit(Durability::Full).expect("committed");
        reader.commit(Durability::Full).expect("a new row is no change of what was read");

        let mut reader = storage.begin(Isolation::RepeatableRead);
        assert_eq!(numbers(&storage, &mut reader).len(), 4);
        assert_eq!(set(&table, &mut reader, 3, 3), Ok(true), "its own changes do not count");
        let mut writer = storage.begin(Isolation::ReadCommitted);
        assert_eq!(set(&table, &mut writer, 1, 1), Ok(true));
        writer.commit(Durability::Full).expect("committed");
        assert_eq!(reader.commit(Durability::Full), Err(StorageError::NotRepeatable { table: TABLE }));
        assert_eq!(now(&storage), [(1, 1), (2, 0), (3, 0), (9, 9)]);
    }
}

#[test]
fn what_was_looked_through_serializably_must_not_have_grown() {
    for kind in KINDS {
        let (storage, table) = filled(kind);
        for (own, others, holds) in [(20, 21, false), (22, 22, false)] {
            let mut reader = storage.begin(Isolation::Serializable);
            // Two that each insert after they found nothing: one of them has to go.
            let mut other = storage.begin(Isolation::Serializable);
            assert_eq!(numbers(&storage, &mut reader), numbers(&storage, &mut other));
            insert(&table, &mut reader, own, 1).expect("inserted");
            insert(&table, &mut other, others, 1).expect("inserted");
            other.commit(Durability::Full).expect("committed");
            assert_eq!(reader.commit(Durability::Full).is_ok(), holds, "{kind:?} {own} {others}");
        }
        assert_eq!(now(&storage).len(), 5);
    }
}

/// Versions that nobody needs go, also those of transactions that rolled back, and a reader holds what it may see.
#[test]
fn old_versions_go_when_their_last_reader_does() {
    for kind in KINDS {
        let (storage, table) = filled(kind);
        let bytes = || storage.memory_optimized_bytes();
        let update_all = |rounds: i64| {
            for n in 0..rounds {
                let mut tx = storage.begin(Isolation::ReadCommitted);
                for id in 1..=3 {
                    assert_eq!(set(&table, &mut tx, id, n), Ok(true));
                }
                match n % 5 {
                    4 => tx.rollback().expect("rolled back"),
                    _ => tx.commit(Durability::Delayed).expect("committed"),
                }
            }
        };
        update_all(2_000);
        let usual = bytes();
        update_all(20_000);
        assert!(bytes() < usual * 2, "{kind:?}: {usual} bytes, then {}", bytes());
        let mut reader = storage.begin(Isolation::ReadCommitted);
        let seen = numbers(&storage, &mut reader);
        update_all(5_000);
        let held = bytes();
        assert!(held > usual * 4, "{kind:?}: {usual} bytes, with a reader {held}");
        assert_eq!(numbers(&storage, &mut reader), seen);
        drop(reader);
        update_all(2_000);
        // Out of their chains, then out of memory.
        (0..2).for_each(|_| storage.collect_versions());
        assert!(bytes() < usual * 2, "{kind:?}: {usual} bytes, with a reader {held}, then {}", bytes());
    }
}

/// Rows from checkpoint files that were written, deleted from and merged by many checkpoints, and from the log behind them.
#[test]
fn rows_come_back_from_checkpoint_files() {
    let disk = SimDisk::new(SimDiskFaults::default());
    let mut rng = Rng(77);
    let mut expected = Model::new();
    for life in 0..4 {
        let storage = Storage::open(config(&disk)).expect("opened");
        if life == 0 {
            create(&storage, Kind::Hash);
        }
        let table = storage.open_table(DB, TABLE).expect("the table");
        assert!(read(&storage, &mut storage.begin(Isolation::ReadCommitted), 1) == expected, "life {life}");
        for _ in 0..60 {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            for _ in 0..20 {
                let id = rng.next(500) as i64;
                let row = (value(&mut rng, 2_000), rng.next(100) as i64, None);
                tx.begin_statement();
                match locator(&table, &mut tx, id).expect("a look-up") {
                    Some(at) if rng.next(3) == 0 => {
                        table.delete(&mut tx, &at).expect("deleted");
                        expected.remove(&id);
                    }
                    Some(at) => {
                        table.update(&mut tx, &at, &image(table.layout(), id, &row)).expect("updated");
                        expected.insert(id, row);
                    }
                    None => {
                        table.insert(&mut tx, &image(table.layout(), id, &row)).expect("inserted");
                        expected.insert(id, row);
                    }
                }
            }
            tx.commit(Durability::Full).expect("committed");
            if rng.next(6) == 0 {
                storage.checkpoint().expect("a checkpoint");
            }
        }
        disk.kill(|bound| rng.next(bound));
    }
    let storage = Storage::open(config(&disk)).expect("opened");
    assert!(read(&storage, &mut storage.begin(Isolation::ReadCommitted), 2) == expected);
}

/// What is dropped gives its memory back.
#[test]
fn a_dropped_table_leaves_nothing() {
    for kind in KINDS {
        let (storage, _) = opened(kind);
        let empty = storage.memory_optimized_bytes();
        for _ in 0..3 {
            let table = storage.open_table(DB, TABLE).expect("the table");
            let mut tx = storage.begin(Isolation::ReadCommitted);
            (0..2_000).for_each(|id| insert(&table, &mut tx, id, id).expect("inserted"));
            tx.commit(Durability::Full).expect("committed");
            assert!(storage.memory_optimized_bytes() > empty + 100_000);
            let mut tx = storage.begin(Isolation::ReadCommitted);
            storage.drop_table(&mut tx, DB, TABLE).expect("dropped");
            storage.create_table(&mut tx, DB, TABLE, &layout(kind)).expect("a table");
            tx.commit(Durability::Full).expect("committed");
            (0..2).for_each(|_| storage.collect_versions());
            storage.open_table(DB, TABLE).expect("the new table");
            let left = storage.memory_optimized_bytes();
            assert!(left <= empty + 4_096, "{kind:?}: {empty} bytes, then {left}");
        }
    }
}

/// One that finds no room for its indexes takes nothing, however often it is tried: neither memory nor a table's place.
#[test]
fn a_table_without_room_leaves_nothing() {
    const MORE_THAN_TABLES_THERE_MAY_BE: usize = 70_000;
    let (storage, table) = opened(Kind::Hash);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let other = TableId(TABLE.0 + 1);
    let mut large = layout(Kind::Hash);
    large.indexes[1].bucket_count = Some(1 << 30);
    storage.create_table(&mut tx, DB, other, &large).expect("defined");
    tx.commit(Durability::Delayed).expect("committed");
    let before = storage.memory_optimized_bytes();
    let full = StorageError::MemoryOptimizedFull { pool: "default".into() };
    for _ in 0..MORE_THAN_TABLES_THERE_MAY_BE {
        assert_eq!(storage.open_table(DB, other).err().as_ref(), Some(&full));
    }
    assert_eq!(storage.memory_optimized_bytes(), before);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.drop_table(&mut tx, DB, other).expect("dropped");
    storage.create_table(&mut tx, DB, other, &layout(Kind::Ordered)).expect("a table");
    tx.commit(Durability::Delayed).expect("committed");
    storage.open_table(DB, other).expect("there is room for this one");
    drop(table);
}

/// Values of megabytes: in the log and in checkpoint files, after kills too, and nothing is left of them in the end.
#[test]
fn values_longer_than_a_page_are_kept() {
    let disk = SimDisk::new(SimDiskFaults::default());
    let mut rng = Rng(5);
    let long = |seed: u8, bytes: usize| Some((0..bytes).map(|at| (at % 251) as u8 ^ seed).collect::<Vec<u8>>());
    let mut expected = Model::new();
    let mut empty = 0;
    for life in 0..4_u8 {
        let storage = Storage::open(config(&disk)).expect("opened");
        if life == 0 {
            create(&storage, Kind::Hash);
            storage.open_table(DB, TABLE).expect("the table");
            empty = storage.memory_optimized_bytes();
        }
        let table = storage.open_table(DB, TABLE).expect("the table");
        assert!(read(&storage, &mut storage.begin(Isolation::ReadCommitted), 1) == expected, "life {life}");
        for id in 0..3 {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            tx.begin_statement();
            let at = locator(&table, &mut tx, id).expect("a look-up");
            // In odd lives the long value stays as it is.
            let old = expected.get(&id).filter(|_| life % 2 == 1).map(|row: &Row| row.2.clone());
            let row = (None, i64::from(life), old.unwrap_or_else(|| long(life, 500_000 << id)));
            let image = image(table.layout(), id, &row);
            match at {
                Some(at) => table.update(&mut tx, &at, &image).map(drop).expect("updated"),
                None => table.insert(&mut tx, &image).map(drop).expect("inserted"),
            }
            tx.commit(Durability::Full).expect("committed");
            expected.insert(id, row);
            if (id + i64::from(life)) % 3 == 0 {
                storage.checkpoint().expect("a checkpoint");
            }
        }
        disk.kill(|bound| rng.next(bound));
    }
    let storage = Storage::open(config(&disk)).expect("opened");
    let table = storage.open_table(DB, TABLE).expect("the table");
    assert!(read(&storage, &mut storage.begin(Isolation::ReadCommitted), 2) == expected);
    for id in 0..3 {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let at = locator(&table, &mut tx, id).expect("a look-up").expect("the row");
        table.delete(&mut tx, &at).expect("deleted");
        tx.commit(Durability::Full).expect("committed");
    }
    (0..2).for_each(|_| storage.collect_versions());
    let left = storage.memory_optimized_bytes();
    assert!(left <= empty + 4_096, "{empty} bytes, then {left}");
}

/// A rebuilt table whose transaction goes back to before that, and then ends either way.
#[test]
fn what_a_savepoint_takes_back_leaves_nothing() {
    for (kind, commits) in [(Kind::Hash, true), (Kind::Ordered, true), (Kind::Hash, false)] {
        let (storage, table) = filled(kind);
        let bytes = |storage: &Storage| {
            (0..2).for_each(|_| storage.collect_versions());
            storage.memory_optimized_bytes()
        };
        let mut left = Vec::new();
        for n in 0..4 {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            assert_eq!(set(&table, &mut tx, 1, n), Ok(true));
            let savepoint = tx.savepoint();
            storage.truncate_table(&mut tx, DB, TABLE).expect("emptied");
            let other = storage.open_table(DB, TABLE).expect("the new table");
            (0..2_000).for_each(|id| insert(&other, &mut tx, id, id).expect("inserted"));
            tx.rollback_to(savepoint).expect("taken back");
            let expected = match commits {
                true => tx.commit(Durability::Full).map(|()| [(1, n), (2, 0), (3, 0)]),
                false => tx.rollback().map(|()| [(1, 0), (2, 0), (3, 0)]),
            };
            assert_eq!(now(&storage), expected.expect("ended"));
            left.push(bytes(&storage));
        }
        assert!(left[1..].iter().all(|bytes| *bytes <= left[0]), "{kind:?}: {left:?} bytes");
    }
}

#[test]
fn a_range_that_was_not_looked_through_may_grow() {
    for kind in KINDS {
        let (storage, table) = filled(kind);
        let mut reader = storage.begin(Isolation::Serializable);
        let mut spec = ScanSpec::all(IndexId(1), vec![0]);
        spec.whole_keys = true;
        let mut scan = table.scan(&mut reader, spec).expect("a scan");
        let bound = KeyBound::Inclusive(key(2));
        scan.restart(&mut reader, &bound, &bound).expect("of one key");
        assert!(scan.next(&mut reader).expect("read").is_some());
        drop(scan);
        let mut writer = storage.begin(Isolation::ReadCommitted);
        insert(&table, &mut writer, 9, 9).expect("inserted");
        writer.commit(Durability::Full).expect("committed");
        reader.commit(Durability::Full).expect("nobody has looked there");
    }
}

#[test]
fn counts_say_what_was_done_and_how_it_ended() {
    for kind in KINDS {
        let (storage, table) = filled(kind);
        let of_table = |storage: &Storage| storage.memory_optimized_tables(DB, false)[0].clone();
        assert_eq!(of_table(&storage).counts, TableCounts { inserts: 3, ..TableCounts::default() });
        assert_eq!(storage.memory_totals().transactions.ended, 1);

        let mut first = storage.begin(Isolation::ReadCommitted);
        let mut second = storage.begin(Isolation::ReadCommitted);
        assert_eq!(numbers(&storage, &mut second).len(), 3);
        let scans = of_table(&storage).indexes[0].counts.scans;
        assert_eq!(set(&table, &mut first, 1, 10), Ok(true));
        let running = storage.memory_transactions();
        let written: Vec<u32> = running.iter().map(|(entry, _)| entry.rows_written).collect();
        assert_eq!(written, [2, 0], "a version ended and one inserted; a reader");
        assert!(running.iter().all(|(entry, end)| entry.begun_at > 0 && end.is_none()));
        set(&table, &mut second, 1, 20).expect_err("a conflict");
        second.rollback().expect("rolled back");
        insert(&table, &mut first, 2, 0).expect_err("a duplicate key");
        first.commit(Durability::Full).expect("committed");
        let after = of_table(&storage);
        let expected =
            TableCounts { inserts: 4, updates: 2, write_conflicts: 1, unique_violations: 1, ..TableCounts::default() };
        assert_eq!(after.counts, expected);
        assert!(after.indexes[0].counts.scans > scans);

        // SERIALIZABLE looks twice, and fails if there is more.
        let mut reader = storage.begin(Isolation::Serializable);
        assert_eq!(numbers(&storage, &mut reader).len(), 3);
        let entry = storage.memory_transactions()[0].0;
        assert_eq!((entry.rows_read, entry.ranges_read), (3, 1));
        let mut writer = storage.begin(Isolation::ReadCommitted);
        insert(&table, &mut writer, 8, 8).expect("inserted");
        let savepoint = writer.savepoint();
        insert(&table, &mut writer, 9, 9).expect("inserted");
        writer.rollback_to(savepoint).expect("taken back");
        writer.commit(Durability::Full).expect("committed");
        reader.commit(Durability::Full).expect_err("a phantom");
        let totals = storage.memory_totals();
        let transactions = totals.transactions;
        assert_eq!((transactions.ended, transactions.read_only), (5, 0), "{kind:?}");
        assert_eq!((transactions.aborted, transactions.aborted_by_system), (2, 2));
        assert_eq!((transactions.validation_failures, transactions.savepoint_rollbacks), (1, 1));
        assert_eq!((transactions.logged, transactions.log_records), (3, 3));
        assert!(transactions.log_bytes > 0 && totals.indexes.phantom_scans == 1 && totals.indexes.phantom_touched > 0);
        assert_eq!(totals.tables.inserts, 6);

        // The old version of row 1 is met until it is collected.
        let expired = of_table(&storage).indexes[0].counts.expired;
        numbers(&storage, &mut storage.begin(Isolation::ReadCommitted));
        let met = of_table(&storage).indexes[0].counts.expired;
        (0..3).for_each(|_| storage.collect_versions());
        let collected = storage.memory_totals().collected;
        assert!(collected.rows_by_workers + collected.rows_by_cleaner >= 2, "{collected:?}");
        numbers(&storage, &mut storage.begin(Isolation::ReadCommitted));
        assert_eq!(of_table(&storage).indexes[0].counts.expired, met);
        assert!(met >= expired);

        // What a dropped table counted stays in the sums.
        drop(table);
        let mut tx = storage.begin(Isolation::ReadCommitted);
        storage.drop_table(&mut tx, DB, TABLE).expect("dropped");
        tx.commit(Durability::Full).expect("committed");
        (0..3).for_each(|_| storage.collect_versions());
        assert!(storage.memory_optimized_tables(DB, false).is_empty());
        assert_eq!(storage.memory_totals().tables, totals.tables);
    }
}

#[test]
fn checkpoint_files_are_shown_with_the_rows_of_the_database() {
    let (storage, table) = filled(Kind::Hash);
    assert_eq!(storage.last_checkpoint(DB).expect("known").files, []);
    storage.checkpoint().expect("a checkpoint");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    assert_eq!(set(&table, &mut tx, 2, 7), Ok(true));
    tx.commit(Durability::Full).expect("committed");
    storage.checkpoint().expect("another");
    let last = storage.last_checkpoint(DB).expect("known");
    let files: Vec<_> = last.files.iter().map(|file| (file.kind, file.entries)).collect();
    use CheckpointFileKind::*;
    assert_eq!(files, [(Data, 3), (Delta, 1), (Data, 1), (Delta, 0), (Root, 0)]);
    assert!(last.files.iter().all(|file| file.bytes >= file.used_bytes));
    assert!(last.log_end >= last.redo_lsn && last.redo_lsn >= last.scan_lsn);
    assert_eq!(storage.memory_totals().checkpoints_closed, 2);
    assert_eq!(storage.last_checkpoint(DatabaseId(DB.0 + 1)).expect("known").files, []);
}

#[test]
fn every_table_that_a_transaction_changes_is_held_to_its_end() {
    let (storage, table) = opened(Kind::Hash);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let other = TableId(TABLE.0 + 1);
    storage.create_table(&mut tx, DB, other, &layout(Kind::Ordered)).expect("a table");
    tx.commit(Durability::Full).expect("committed");
    let tables = [table, storage.open_table(DB, other).expect("the other table")];
    let mut tx = storage.begin(Isolation::ReadCommitted);
    for id in 0..3 {
        tables.iter().for_each(|table| insert(table, &mut tx, id, id).expect("inserted"));
    }
    let redefine = |table: TableId| {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        tx.set_lock_timeout_ms(0);
        tx.lock_table(DB, table, LockMode::SchemaModification)
    };
    assert_eq!([TABLE, other].map(redefine), [Err(StorageError::LockTimeout), Err(StorageError::LockTimeout)]);
    tx.commit(Durability::Full).expect("committed");
    assert_eq!([TABLE, other].map(redefine), [Ok(()), Ok(())]);
}

#[test]
fn a_refused_change_takes_back_no_more_than_itself() {
    for kind in KINDS {
        let (storage, table) = filled(kind);
        let mut tx = storage.begin(Isolation::ReadCommitted);
        insert(&table, &mut tx, 4, 4).expect("inserted");
        assert_eq!(set(&table, &mut tx, 1, 1), Ok(true));
        let taken = StorageError::DuplicateKey { table: TABLE, index: IndexId(1) };
        for id in [1, 4] {
            assert_eq!(insert(&table, &mut tx, id, 9), Err(taken.clone()));
        }
        // The row that it ended is there again.
        tx.begin_statement();
        let second = locator(&table, &mut tx, 2).expect("looked for").expect("there");
        assert_eq!(table.update(&mut tx, &second, &image(table.layout(), 3, &(None, 9, None))).err(), Some(taken));
        assert_eq!(set(&table, &mut tx, 2, 2), Ok(true));
        tx.commit(Durability::Full).expect("committed");
        assert_eq!(now(&storage), [(1, 1), (2, 2), (3, 0), (4, 4)], "{kind:?}");
    }
}
