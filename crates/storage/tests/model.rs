//! Tables against a `BTreeMap`: random changes from a printed seed, with rollbacks, savepoints, checkpoints and crashes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use os::disk::{Disk, SimDisk, SimDiskFaults};
use storage::*;
use types::key::KeyColumn;
use types::row::{ColumnType, RowView, encode};
use types::{Datum, RowLayout, SqlType};

struct Rng(u64);

impl Rng {
    fn next(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

const DB: DatabaseId = DatabaseId(5);
const TABLE: TableId = TableId(77);

fn layout(clustered: bool) -> TableLayout {
    let row = RowLayout::new(&[
        ColumnType::not_null(SqlType::INT),
        ColumnType::nullable(SqlType::varchar(3000)),
        ColumnType::not_null(SqlType::INT),
        ColumnType::nullable(SqlType::VARCHAR_MAX),
    ]);
    let index = |id, unique, clustered, column| IndexLayout {
        id: IndexId(id),
        unique,
        clustered,
        key: vec![KeyColumn::ascending(column)],
        included: vec![],
    };
    TableLayout { row, indexes: vec![index(1, true, clustered, 0), index(2, false, false, 2)] }
}

fn config(disk: &SimDisk) -> StorageConfig {
    let mut config = StorageConfig::new(Disk::Sim(disk.clone()));
    config.memory_bytes = 80 * 8192;
    config.log_buffer_bytes = 1 << 20;
    config.log_segment_bytes = 1 << 20;
    config.version_memory_bytes = 1 << 20;
    config.files_max = 6;
    config.page_bits = 14;
    config.log_flush_ms = 0;
    config
}

type Model = BTreeMap<i64, (Option<Vec<u8>>, i64, Option<Vec<u8>>)>;

fn image(layout: &TableLayout, id: i64, row: &(Option<Vec<u8>>, i64, Option<Vec<u8>>)) -> Vec<u8> {
    let bytes = |value: &Option<Vec<u8>>| value.as_ref().map_or(Datum::Null, |value| Datum::bytes(value));
    let mut out = Vec::new();
    encode(&layout.row, &[Datum::I64(id), bytes(&row.0), Datum::I64(row.1), bytes(&row.2)], &mut out);
    out
}

fn read(storage: &Storage, tx: &mut Transaction, index: u32) -> Model {
    let table = storage.open_table(DB, TABLE).expect("the table is there");
    let mut spec = ScanSpec::all(IndexId(index), vec![0, 1, 2, 3]);
    spec.lookup = true;
    spec.ignore_own_statement = false;
    let mut scan = table.scan(tx, spec).expect("a scan");
    let mut model = Model::new();
    let mut batch = types::RowBatch::new(table.layout().row.classes());
    while scan.fill(tx, &mut batch, 50).expect("rows") > 0 {
        for row in 0..batch.rows {
            let bytes = |datum: Datum| if datum.is_null() { None } else { Some(datum.as_bytes().to_vec()) };
            let id = batch.columns[0].datum(row).as_i64();
            let value = (
                bytes(batch.columns[1].datum(row)),
                batch.columns[2].datum(row).as_i64(),
                bytes(batch.columns[3].datum(row)),
            );
            assert!(model.insert(id, value).is_none(), "row {id} twice");
        }
        batch.clear();
    }
    model
}

fn check(storage: &Storage, expected: &Model, seed: u64) {
    for index in [1, 2] {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let found = read(storage, &mut tx, index);
        let keys = |model: &Model| model.keys().copied().collect::<Vec<_>>();
        assert_eq!(keys(&found), keys(expected), "seed {seed} index {index}");
        assert!(found == *expected, "seed {seed} index {index}: values differ");
    }
}

fn value(rng: &mut Rng, max: u64) -> Option<Vec<u8>> {
    (rng.next(5) > 0).then(|| vec![b'a' + rng.next(26) as u8; rng.next(max) as usize])
}

fn locator(table: &Table, tx: &mut Transaction, id: i64) -> Option<Vec<u8>> {
    let mut key = Vec::new();
    types::key::encode_datum(&SqlType::INT, false, &Datum::I64(id), &mut key);
    let mut spec = ScanSpec::all(IndexId(1), vec![]);
    spec.lower = KeyBound::Inclusive(key.clone());
    spec.upper = KeyBound::Inclusive(key);
    spec.lock.update = true;
    spec.ignore_own_statement = false;
    let mut scan = table.scan(tx, spec).expect("a scan");
    scan.next(tx).expect("a row").map(|row| row.locator.to_vec())
}

fn change(table: &Table, tx: &mut Transaction, rng: &mut Rng, model: &mut Model, seed: u64) {
    let id = rng.next(400) as i64;
    let row = (value(rng, 400), rng.next(20) as i64, if rng.next(12) == 0 { value(rng, 30_000) } else { None });
    tx.begin_statement();
    match rng.next(4) {
        0 | 1 => {
            let result = table.insert(tx, &image(table.layout(), id, &row));
            match model.entry(id) {
                Entry::Occupied(_) => {
                    let index = IndexId(1);
                    assert_eq!(result, Err(StorageError::DuplicateKey { table: TABLE, index }), "seed {seed} id {id}");
                }
                Entry::Vacant(free) => {
                    result.unwrap_or_else(|error| panic!("seed {seed} id {id}: {error}"));
                    free.insert(row);
                }
            }
        }
        2 => {
            let found = locator(table, tx, id);
            assert_eq!(found.is_some(), model.contains_key(&id), "seed {seed} id {id}");
            if let Some(locator) = found {
                // Sometimes the key itself changes.
                let to = if rng.next(4) == 0 { rng.next(400) as i64 } else { id };
                let result = table.update(tx, &locator, &image(table.layout(), to, &row));
                if to != id && model.contains_key(&to) {
                    assert!(matches!(result, Err(StorageError::DuplicateKey { .. })), "seed {seed} {id} to {to}");
                } else {
                    result.unwrap_or_else(|error| panic!("seed {seed} {id} to {to}: {error}"));
                    model.remove(&id);
                    model.insert(to, row);
                }
            }
        }
        _ => {
            let found = locator(table, tx, id);
            assert_eq!(found.is_some(), model.remove(&id).is_some(), "seed {seed} id {id}");
            if let Some(locator) = found {
                table.delete(tx, &locator).unwrap_or_else(|error| panic!("seed {seed} id {id}: {error}"));
            }
        }
    }
}

fn create(storage: &Storage, clustered: bool) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.create_database(&mut tx, DB, "five").expect("a database");
    storage.create_table(&mut tx, DB, TABLE, &layout(clustered)).expect("a table");
    tx.commit(Durability::Full).expect("committed");
}

/// One life of an instance after another. Each ends with a crash that keeps some of the unsynced sectors.
fn lives(seed: u64, clustered: bool) {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let disk = SimDisk::new(SimDiskFaults::default());
    let mut committed = Model::new();
    for life in 0..4 {
        let storage = Storage::open(config(&disk)).unwrap_or_else(|error| panic!("seed {seed} life {life}: {error}"));
        if life == 0 {
            create(&storage, clustered);
        }
        check(&storage, &committed, seed);
        let table = storage.open_table(DB, TABLE).expect("the table");
        for _ in 0..rng.next(40) {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            let mut model = committed.clone();
            for _ in 0..1 + rng.next(25) {
                change(&table, &mut tx, &mut rng, &mut model, seed);
                if rng.next(20) == 0 {
                    let (savepoint, before) = (tx.savepoint(), model.clone());
                    for _ in 0..rng.next(10) {
                        change(&table, &mut tx, &mut rng, &mut model, seed);
                    }
                    tx.rollback_to(savepoint).expect("undone");
                    model = before;
                }
            }
            if rng.next(3) == 0 {
                tx.begin_statement();
                assert!(read(&storage, &mut tx, 1) == model, "seed {seed}: own changes are seen");
            }
            match rng.next(8) {
                0 | 1 => tx.rollback().expect("rolled back"),
                _ => {
                    tx.commit(Durability::Full).expect("committed");
                    committed = model;
                }
            }
            if rng.next(15) == 0 {
                storage.checkpoint().expect("a checkpoint");
            }
        }
        check(&storage, &committed, seed);
        // A transaction that never ends, partly on disk.
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let mut model = committed.clone();
        for _ in 0..rng.next(60) {
            change(&table, &mut tx, &mut rng, &mut model, seed);
        }
        if rng.next(2) == 0 {
            storage.flush_log().expect("flushed");
        }
        if rng.next(2) == 0 {
            storage.checkpoint().expect("a checkpoint");
        }
        disk.kill(|bound| rng.next(bound));
    }
    let storage = Storage::open(config(&disk)).expect("opened");
    check(&storage, &committed, seed);
}

#[test]
fn a_clustered_table_keeps_what_was_committed_through_crashes() {
    let seeds = os::env::var("SEEDS").and_then(|n| n.parse().ok()).unwrap_or(12);
    for seed in 1..=seeds {
        lives(seed, true);
    }
}

#[test]
fn a_heap_keeps_what_was_committed_through_crashes() {
    let seeds = os::env::var("SEEDS").and_then(|n| n.parse().ok()).unwrap_or(12);
    for seed in 1000..1000 + seeds {
        lives(seed, false);
    }
}

#[test]
fn rows_and_locators_come_back_as_they_went_in() {
    let disk = SimDisk::new(SimDiskFaults::default());
    let storage = Storage::open(config(&disk)).expect("opened");
    create(&storage, true);
    let table = storage.open_table(DB, TABLE).expect("the table");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let long = vec![b'x'; 100_000];
    let row = (None, 7, Some(long.clone()));
    let locator = table.insert(&mut tx, &image(table.layout(), 3, &row)).expect("inserted");
    let mut image = Vec::new();
    assert_eq!(table.fetch(&mut tx, &locator, &mut image), Ok(true));
    let view = RowView::new(&table.layout().row, &image).expect("an image");
    assert_eq!(view.datum(3), Datum::bytes(&long));
    table.delete(&mut tx, &locator).expect("deleted");
    assert_eq!(table.fetch(&mut tx, &locator, &mut image), Ok(false));
    assert_eq!(table.delete(&mut tx, &locator), Err(StorageError::RowGone));
    tx.commit(Durability::Full).expect("committed");
}
