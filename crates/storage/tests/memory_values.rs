//! Values out of the rows of memory-optimized tables: a row changes without them, and they come and go with the rows that refer to them.

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::*;
use os::disk::{SimDisk, SimDiskFaults};
use storage::*;
use types::pause::Unheard;
use types::row::{ColumnType, RowView, encode};
use types::{Datum, RowLayout, SqlType};

const KINDS: [Kind; 2] = [Kind::Hash, Kind::Ordered];
const MEGABYTES: usize = 10 << 20;

fn opened(kind: Kind) -> (Storage, Arc<Table>) {
    let storage = Storage::open(config(&SimDisk::new(SimDiskFaults::default()))).expect("opened");
    create(&storage, kind);
    let table = storage.open_table(DB, TABLE).expect("the table");
    (storage, table)
}

fn long(seed: u8, bytes: usize) -> Option<Vec<u8>> {
    Some((0..bytes).map(|at| (at % 251) as u8 ^ seed).collect())
}

fn put(table: &Table, tx: &mut Transaction, id: i64, row: &Row) -> StorageResult<()> {
    tx.begin_statement();
    let image = image(table.layout(), id, row);
    match locator(table, tx, id)? {
        Some(at) => table.update(tx, &at, &image).map(drop),
        None => table.insert(tx, &image).map(drop),
    }
}

fn delete(table: &Table, tx: &mut Transaction, id: i64) {
    tx.begin_statement();
    let at = locator(table, tx, id).expect("a look-up").expect("the row");
    table.delete(tx, &at).expect("deleted");
}

fn seen(storage: &Storage, tx: &mut Transaction) -> Model {
    tx.begin_statement();
    read(storage, tx, 2)
}

fn now(storage: &Storage) -> Model {
    seen(storage, &mut storage.begin(Isolation::ReadCommitted))
}

fn begin(storage: &Storage) -> Transaction {
    storage.begin(Isolation::ReadCommitted)
}

fn commit(tx: Transaction) {
    tx.commit(Durability::Full).expect("committed");
}

fn bytes(storage: &Storage) -> u64 {
    (0..3).for_each(|_| storage.collect_versions());
    storage.memory_optimized_bytes()
}

fn logged(storage: &Storage) -> u64 {
    storage.memory_totals().transactions.log_bytes
}

#[test]
fn a_row_changes_without_its_long_values() {
    for kind in KINDS {
        let (storage, table) = opened(kind);
        let mut tx = begin(&storage);
        put(&table, &mut tx, 1, &(None, 0, long(1, MEGABYTES))).expect("inserted");
        commit(tx);
        let (memory, log) = (bytes(&storage), logged(&storage));
        assert!(memory > MEGABYTES as u64 && log > MEGABYTES as u64);
        for n in 1..=5 {
            let mut tx = begin(&storage);
            put(&table, &mut tx, 1, &(None, n, long(1, MEGABYTES))).expect("updated");
            commit(tx);
            let grown = storage.memory_optimized_bytes() - memory;
            assert!(grown < 16_384, "{kind:?}: {grown} bytes more");
        }
        let more = logged(&storage) - log;
        assert!(more < 4_096, "{kind:?}: {more} bytes in the log");
        assert_eq!(now(&storage), BTreeMap::from([(1, (None, 5, long(1, MEGABYTES)))]));
        // A value of the same length is another one.
        let mut tx = begin(&storage);
        put(&table, &mut tx, 1, &(None, 6, long(2, MEGABYTES))).expect("updated");
        commit(tx);
        assert_eq!(now(&storage)[&1].2, long(2, MEGABYTES));
        assert!(logged(&storage) > log + MEGABYTES as u64);
        assert!(bytes(&storage) < memory + 16_384, "the old value is gone");
    }
}

#[test]
fn a_snapshot_sees_the_values_of_its_time() {
    for kind in KINDS {
        let (storage, table) = opened(kind);
        let mut tx = begin(&storage);
        (1..=4).for_each(|id| put(&table, &mut tx, id, &(None, 0, long(1, 50_000))).expect("inserted"));
        commit(tx);
        let before = now(&storage);
        let mut reader = begin(&storage);
        assert_eq!(seen(&storage, &mut reader), before);
        let mut writer = begin(&storage);
        put(&table, &mut writer, 1, &(None, 1, long(2, 50_000))).expect("another value");
        put(&table, &mut writer, 2, &(None, 1, None)).expect("no value");
        put(&table, &mut writer, 3, &(None, 1, long(3, 10))).expect("a short value");
        delete(&table, &mut writer, 4);
        put(&table, &mut writer, 5, &(None, 1, long(5, 50_000))).expect("a new row");
        let after = BTreeMap::from([
            (1, (None, 1, long(2, 50_000))),
            (2, (None, 1, None)),
            (3, (None, 1, long(3, 10))),
            (5, (None, 1, long(5, 50_000))),
        ]);
        assert_eq!(seen(&storage, &mut writer), after);
        assert_eq!(now(&storage), before);
        commit(writer);
        bytes(&storage);
        assert_eq!(seen(&storage, &mut reader), before);
        assert_eq!(now(&storage), after);
        drop(reader);
        let held = bytes(&storage);
        let mut tx = begin(&storage);
        [1, 5].into_iter().for_each(|id| delete(&table, &mut tx, id));
        commit(tx);
        assert!(bytes(&storage) + 100_000 <= held, "{kind:?}");
    }
}

#[test]
fn what_is_taken_back_leaves_the_values_as_they_were() {
    for kind in KINDS {
        let (storage, table) = opened(kind);
        let mut tx = begin(&storage);
        (1..=3).for_each(|id| put(&table, &mut tx, id, &(None, 0, long(1, 50_000))).expect("inserted"));
        commit(tx);
        let (before, held) = (now(&storage), bytes(&storage));
        let change = |tx: &mut Transaction, n: u8| {
            put(&table, tx, 1, &(None, i64::from(n), long(n, 60_000))).expect("another value");
            put(&table, tx, 2, &(None, i64::from(n), long(1, 50_000))).expect("the same value");
            delete(&table, tx, 3);
            put(&table, tx, 3, &(None, i64::from(n), long(n, 70_000))).expect("a new row");
        };
        let mut tx = begin(&storage);
        change(&mut tx, 7);
        tx.rollback().expect("rolled back");
        assert_eq!(now(&storage), before);
        assert!(bytes(&storage) <= held + 4_096, "{kind:?}");

        let mut tx = begin(&storage);
        change(&mut tx, 7);
        let at_savepoint = seen(&storage, &mut tx);
        let savepoint = tx.savepoint();
        change(&mut tx, 8);
        assert_ne!(seen(&storage, &mut tx), at_savepoint);
        tx.rollback_to(savepoint).expect("taken back");
        assert_eq!(seen(&storage, &mut tx), at_savepoint);
        // A statement that fails after its value was written.
        tx.begin_statement();
        let again = image(table.layout(), 1, &(None, 0, long(9, 80_000)));
        table.insert(&mut tx, &again).expect_err("a duplicate key");
        commit(tx);
        assert_eq!(now(&storage), at_savepoint);
        bytes(&storage);
        let objects = storage.memory_optimized_tables(DB, false);
        let values = objects.iter().find(|object| object.role == Role::Values).expect("the object of the values");
        assert!(values.versions == 3 && values.row_bytes < 181_000, "{kind:?}: {values:?}");

        let mut tx = begin(&storage);
        (1..=3).for_each(|id| delete(&table, &mut tx, id));
        commit(tx);
        assert!(bytes(&storage) + 150_000 < held, "{kind:?}");
        let left = storage.memory_optimized_tables(DB, false);
        assert!(left.iter().all(|object| object.versions == 0 && object.row_bytes == 0), "{left:?}");
    }
}

/// Rows and values from checkpoint files that were written, deleted from and merged by many checkpoints, and from the log behind them,
/// in lives that end with a kill.
#[test]
fn values_come_back_from_log_and_checkpoint_files() {
    let disk = SimDisk::new(SimDiskFaults::default());
    let mut rng = Rng(31);
    let mut expected = Model::new();
    for life in 0..5 {
        let storage = Storage::open(config(&disk)).expect("opened");
        if life == 0 {
            create(&storage, Kind::Hash);
        }
        let table = storage.open_table(DB, TABLE).expect("the table");
        assert!(now(&storage) == expected, "life {life}");
        for _ in 0..60 {
            let mut tx = begin(&storage);
            let mut changed = expected.clone();
            for _ in 0..12 {
                let id = rng.next(100) as i64;
                match changed.get(&id) {
                    Some(_) if rng.next(4) == 0 => {
                        delete(&table, &mut tx, id);
                        changed.remove(&id);
                    }
                    known => {
                        let kept = known.filter(|_| rng.next(2) == 0).map(|row| row.2.clone());
                        let row =
                            (value(&mut rng, 50), rng.next(100) as i64, kept.unwrap_or_else(|| value(&mut rng, 4_000)));
                        put(&table, &mut tx, id, &row).expect("put");
                        changed.insert(id, row);
                    }
                }
            }
            match rng.next(5) {
                0 => tx.rollback().expect("rolled back"),
                _ => {
                    commit(tx);
                    expected = changed;
                }
            }
            if rng.next(6) == 0 {
                storage.checkpoint().expect("a checkpoint");
            }
        }
        let totals = storage.memory_totals();
        assert!(totals.merges_installed > 0 || life == 0, "life {life}: {totals:?}");
        // Each value belongs to one row.
        let long = expected.values().filter(|row| row.2.as_ref().is_some_and(|value| value.len() > 1_000)).count();
        bytes(&storage);
        let objects = storage.memory_optimized_tables(DB, false);
        let values = objects.iter().find(|object| object.role == Role::Values).expect("the object of the values");
        assert_eq!(values.versions, long as i64, "life {life}");
        disk.kill(|bound| rng.next(bound));
    }
}

fn index(id: u32, column: u16) -> IndexLayout {
    IndexLayout {
        id: IndexId(id),
        unique: false,
        key: vec![KeyColumn::ascending(column)],
        ..layout(Kind::Ordered).indexes[0].clone()
    }
}

#[test]
fn a_rebuilt_table_keeps_its_values_where_they_are() {
    for kind in KINDS {
        let disk = SimDisk::new(SimDiskFaults::default());
        let storage = Storage::open(config(&disk)).expect("opened");
        create(&storage, kind);
        let table = storage.open_table(DB, TABLE).expect("the table");
        let mut tx = begin(&storage);
        (1..=3).for_each(|id| put(&table, &mut tx, id, &(None, id, long(id as u8, 1 << 20))).expect("inserted"));
        commit(tx);
        let (before, held, log) = (now(&storage), bytes(&storage), logged(&storage));
        for commits in [false, true] {
            let mut tx = begin(&storage);
            building(Fill::default(), |build| storage.create_index(&mut tx, DB, TABLE, &index(7, 2), build))
                .expect("an index");
            if commits {
                commit(tx)
            } else {
                tx.rollback().expect("rolled back")
            }
            assert_eq!(now(&storage), before);
        }
        if kind == Kind::Hash {
            let mut tx = begin(&storage);
            storage.set_bucket_count(&mut tx, DB, TABLE, IndexId(1), 256, &Unheard::default()).expect("more buckets");
            commit(tx);
        }
        let mut tx = begin(&storage);
        building(Fill::default(), |build| storage.drop_index(&mut tx, DB, TABLE, IndexId(7), build)).expect("dropped");
        commit(tx);
        let grown = bytes(&storage).saturating_sub(held);
        assert!(grown < 32_768, "{kind:?}: {grown} bytes more");
        assert!(logged(&storage) - log < 32_768);
        // A value that a row got before the rebuilding is still one that goes.
        let table = storage.open_table(DB, TABLE).expect("the table");
        let mut tx = begin(&storage);
        delete(&table, &mut tx, 1);
        put(&table, &mut tx, 2, &(None, 2, None)).expect("no value");
        commit(tx);
        assert!(bytes(&storage) + (2 << 20) <= held + 32_768, "{kind:?}");
        let expected = BTreeMap::from([(2, (None, 2, None)), (3, before[&3].clone())]);
        assert_eq!(now(&storage), expected);
        storage.checkpoint().expect("a checkpoint");
        disk.kill(|_| 0);
        let storage = Storage::open(config(&disk)).expect("opened");
        assert_eq!(now(&storage), expected);
    }
}

#[test]
fn a_dropped_table_takes_its_values_along() {
    for (kind, truncates) in [(Kind::Hash, false), (Kind::Ordered, false), (Kind::Ordered, true)] {
        let (storage, _) = opened(kind);
        let empty = bytes(&storage);
        for _ in 0..3 {
            let table = storage.open_table(DB, TABLE).expect("the table");
            let mut tx = begin(&storage);
            (0..20).for_each(|id| put(&table, &mut tx, id, &(None, id, long(1, 100_000))).expect("inserted"));
            commit(tx);
            let mut tx = begin(&storage);
            if truncates {
                storage.truncate_table(&mut tx, DB, TABLE).expect("emptied");
            } else {
                storage.drop_table(&mut tx, DB, TABLE).expect("dropped");
                storage.create_table(&mut tx, DB, TABLE, &layout(kind)).expect("a table");
            }
            commit(tx);
            bytes(&storage);
            storage.open_table(DB, TABLE).expect("the new table");
            let left = storage.memory_optimized_bytes();
            assert!(left <= empty + 4_096, "{kind:?}: {empty} bytes, then {left}");
        }
    }
}

#[test]
fn a_dropped_database_takes_its_tables_along() {
    for commits in [false, true] {
        let (storage, table) = opened(Kind::Ordered);
        let mut tx = begin(&storage);
        (0..20).for_each(|id| put(&table, &mut tx, id, &(None, id, long(1, 100_000))).expect("inserted"));
        commit(tx);
        let held = bytes(&storage);
        drop(table);
        let mut tx = begin(&storage);
        storage.drop_database(&mut tx, DB).expect("dropped");
        if !commits {
            tx.rollback().expect("rolled back");
            assert_eq!((now(&storage).len(), bytes(&storage)), (20, held));
            continue;
        }
        commit(tx);
        assert!(bytes(&storage) < 16_384, "of {held}");
        assert_eq!(storage.memory_pools().database_bytes(DB), 0);
        create(&storage, Kind::Ordered);
        assert_eq!(now(&storage), Model::new());
    }
}

/// A row of three columns that do not fit a row together by their declared lengths: the longest leaves it, unless an index has it.
#[test]
fn rows_longer_than_a_row_may_be_leave_their_longest_columns_out() {
    let (storage, _) = opened(Kind::Ordered);
    let wide = TableId(TABLE.0 + 1);
    let types = [SqlType::INT, SqlType::varchar(8000), SqlType::varchar(3000), SqlType::INT];
    let mut definition = layout(Kind::Ordered);
    definition.indexes.truncate(1);
    definition.row = RowLayout::new(&types[..3].iter().map(|ty| ColumnType::nullable(*ty)).collect::<Vec<_>>());
    let mut tx = begin(&storage);
    storage.create_table(&mut tx, DB, wide, &definition).expect("a table");
    commit(tx);
    let object = |role| {
        let objects = storage.memory_optimized_tables(DB, false);
        objects.into_iter().find(|object| object.table == wide && object.role == role).expect("the object")
    };
    let row = |id: i64| [Datum::I64(id), Datum::bytes(&[id as u8; 8000]), Datum::bytes(&[id as u8; 3000])];
    let read = |storage: &Storage| {
        let table = storage.open_table(DB, wide).expect("the table");
        let mut tx = begin(storage);
        let mut scan = table.scan(&mut tx, ScanSpec::all(IndexId(1), vec![])).expect("a scan");
        let mut rows = Vec::new();
        while let Some(row) = scan.next(&mut tx).expect("a row") {
            let view = RowView::new(&table.layout().row, row.image).expect("an image");
            rows.push((0..3).map(|column| view.datum(column)).collect::<Vec<_>>());
        }
        rows
    };
    let table = storage.open_table(DB, wide).expect("the table");
    let mut tx = begin(&storage);
    let expected: Vec<Vec<Datum>> = (1..=3).map(|id| row(id).to_vec()).collect();
    for row in &expected {
        let mut image = Vec::new();
        encode(&definition.row, row, &mut image);
        table.insert(&mut tx, &image).expect("inserted");
    }
    commit(tx);
    assert_eq!((object(Role::Values).versions, read(&storage)), (3, expected.clone()));
    assert!(object(Role::Rows).row_bytes < 3 * 3_500);

    let mut tx = begin(&storage);
    building(Fill::default(), |build| storage.create_index(&mut tx, DB, wide, &index(7, 1), build))
        .expect("an index on it");
    commit(tx);
    bytes(&storage);
    assert_eq!((object(Role::Values).versions, read(&storage)), (0, expected.clone()));

    let mut tx = begin(&storage);
    building(Fill::default(), |build| storage.drop_index(&mut tx, DB, wide, IndexId(7), build)).expect("dropped");
    commit(tx);
    bytes(&storage);
    assert_eq!((object(Role::Values).versions, read(&storage)), (3, expected.clone()));

    let mut tx = begin(&storage);
    let more = RowLayout::new(&types.map(ColumnType::nullable));
    storage.alter_row_layout(&mut tx, DB, wide, &more, &Unheard::default()).expect("a column more");
    commit(tx);
    assert_eq!(read(&storage), expected);
}
