//! Trees built from sorted rows, beside a model: indexes made, dropped and rebuilt among changes, rolled back, and gone through crashes. SEEDS: so many
//! lives instead of 12.

mod common;

use std::collections::btree_map::Entry;

use common::*;
use os::disk::{Disk, SimDisk, SimDiskFaults};
use storage::*;
use types::pause::Unheard;

/// Any row, of any length.
fn any_row(rng: &mut Rng) -> Row {
    let long = if rng.next(30) == 0 { 20_000 } else { 200 };
    let short = if rng.next(8) == 0 { 2_900 } else { 60 };
    (value(rng, short), rng.next(20) as i64, value(rng, long))
}

fn insert(storage: &Storage, tx: &mut Transaction, model: &mut Model, rng: &mut Rng, count: u64) {
    let table = storage.open_table(DB, TABLE).expect("the table");
    for _ in 0..count {
        let id = rng.next(100_000) as i64;
        let row = any_row(rng);
        if let Entry::Vacant(free) = model.entry(id) {
            table.insert(tx, &image(table.layout(), id, &row)).expect("inserted");
            free.insert(row);
        }
    }
}

fn check(storage: &Storage, model: &Model, what: &str) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    check_as(storage, &mut tx, model, what);
    storage.check_pages(DB).unwrap_or_else(|error| panic!("{what}: {error}"));
    let flaws = storage.flaws(DB, None, &Unheard::default()).expect("looked through");
    assert!(flaws.is_empty(), "{what}: {flaws:?}");
}

/// By each index there is.
fn check_as(storage: &Storage, tx: &mut Transaction, model: &Model, what: &str) {
    let table = storage.open_table(DB, TABLE).expect("the table");
    for index in &table.layout().indexes {
        let found = read(storage, tx, index.id.0);
        let expected: Model = match index.filter.is_empty() {
            true => model.clone(),
            false => model.iter().filter(|(_, row)| in_filter(row)).map(|(id, row)| (*id, row.clone())).collect(),
        };
        assert!(found == expected, "{what}: index {} has {} rows of {}", index.id.0, found.len(), expected.len());
    }
}

/// What a definition does to indexes.
fn reshape(storage: &Storage, tx: &mut Transaction, rng: &mut Rng, kind: Kind) {
    let fill = Fill { leaf: 20 + rng.next(81) as u8, inner: 20 + rng.next(81) as u8 };
    let wanted = layout(kind);
    let has = |id: u32| {
        let table = storage.open_table(DB, TABLE).expect("the table");
        table.layout().indexes.iter().any(|index| index.id == IndexId(id))
    };
    let id = 1 + rng.next(u64::from(COVERING)) as u32;
    building(fill, |build| match rng.next(3) {
        0 if has(id) => storage.rebuild_index(tx, DB, TABLE, IndexId(id), build),
        0 => storage.rebuild_index(tx, DB, TABLE, IndexId::HEAP, build),
        _ if has(id) => storage.drop_index(tx, DB, TABLE, IndexId(id), build),
        _ => storage.create_index(tx, DB, TABLE, &wanted.indexes[id as usize - 1], build),
    })
    .expect("reshaped");
}

fn lives(seed: u64, kind: Kind) {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let disk = SimDisk::new(SimDiskFaults::default());
    let mut committed = Model::new();
    for life in 0..4 {
        let what = format!("seed {seed} life {life}");
        let storage = Storage::open(config(&disk)).unwrap_or_else(|error| panic!("{what}: {error}"));
        if life == 0 {
            create(&storage, kind);
        }
        check(&storage, &committed, &what);
        for _ in 0..1 + rng.next(6) {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            let mut model = committed.clone();
            for _ in 0..1 + rng.next(4) {
                let count = rng.next(120);
                insert(&storage, &mut tx, &mut model, &mut rng, count);
                tx.begin_statement();
                reshape(&storage, &mut tx, &mut rng, kind);
                check_as(&storage, &mut tx, &model, &what);
                if rng.next(3) == 0 {
                    let savepoint = tx.savepoint();
                    reshape(&storage, &mut tx, &mut rng, kind);
                    tx.rollback_to(savepoint).expect("undone");
                    check_as(&storage, &mut tx, &model, &what);
                }
            }
            match rng.next(3) {
                0 => tx.rollback().expect("rolled back"),
                _ => {
                    tx.commit(Durability::Full).expect("committed");
                    committed = model;
                }
            }
            if rng.next(3) == 0 {
                storage.checkpoint().expect("a checkpoint");
            }
        }
        check(&storage, &committed, &what);
        // A transaction that never ends.
        let mut tx = storage.begin(Isolation::ReadCommitted);
        reshape(&storage, &mut tx, &mut rng, kind);
        if rng.next(2) == 0 {
            storage.flush_log().expect("flushed");
        }
        if rng.next(2) == 0 {
            storage.checkpoint().expect("a checkpoint");
        }
        disk.kill(|bound| rng.next(bound));
        std::mem::forget(tx);
    }
    let storage = Storage::open(config(&disk)).expect("opened");
    check(&storage, &committed, &format!("seed {seed} at the end"));
}

#[test]
fn indexes_come_and_go_among_changes_rollbacks_and_crashes() {
    for seed in 1..=os::env::var("SEEDS").and_then(|n| n.parse().ok()).unwrap_or(12) {
        lives(seed, if seed % 2 == 0 { Kind::Heap } else { Kind::Clustered });
    }
}

/// An instance whose table has rows of the first `rows` numbers, and only the index of its key.
fn filled(rows: i64, logged_leaves: u32) -> Storage {
    let mut config = small(Disk::memory());
    config.logged_leaves = logged_leaves;
    config.memory_bytes = 16 << 20;
    config.log_segment_bytes = 4 << 20;
    let storage = Storage::open(config).expect("an instance");
    create(&storage, Kind::Clustered);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    for index in [2, 3] {
        building(Fill::default(), |build| storage.drop_index(&mut tx, DB, TABLE, IndexId(index), build))
            .expect("dropped");
    }
    let table = storage.open_table(DB, TABLE).expect("the table");
    for id in 0..rows {
        let row = image(table.layout(), id, &(None, id * 7919 % 1_000_003, None));
        table.insert(&mut tx, &row).expect("inserted");
    }
    tx.commit(Durability::Full).expect("committed");
    storage
}

fn size(storage: &Storage, index: u32) -> TreeSize {
    let table = storage.open_table(DB, TABLE).expect("the table");
    let Table::Disk(table) = &*table else { panic!("a table of pages") };
    table.tree_size(IndexId(index)).expect("its size")
}

fn unique_index() -> IndexLayout {
    IndexLayout { unique: true, ..layout(Kind::Clustered).indexes[1].clone() }
}

#[test]
fn the_log_lacks_the_rows_of_a_large_tree_until_somebody_keeps_it() {
    let storage = filled(30_000, 1);
    let logged = || {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let before = storage.metrics().log_tail_lsn;
        building(Fill::default(), |build| storage.create_index(&mut tx, DB, TABLE, &unique_index(), build))
            .expect("an index");
        let (logged, built) = (storage.metrics().log_tail_lsn - before, size(&storage, 2).pages * 8192);
        tx.rollback().expect("rolled back");
        logged as f64 / built as f64
    };
    let without = logged();
    assert!(without < 0.25, "{without} bytes of log for each of a page");
    let media = Disk::memory().open("backup", os::disk::Open::New).expect("a file");
    let wanted = backup::Wanted { number: Some(1), keeps_log: true, ..backup::Wanted::default() };
    storage.backup(DB, &media, 0, &wanted, &mut |_| Ok(())).expect("a backup");
    let with = logged();
    assert!(with > 0.8, "{with} bytes of log for each of a page");
}

#[test]
fn pages_are_as_full_as_is_said_and_the_log_has_each_once() {
    let storage = filled(30_000, u32::MAX);
    let index = unique_index();
    let mut leaves = Vec::new();
    for (leaf, inner) in [(100, 100), (50, 100), (50, 50)] {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let before = storage.metrics().log_tail_lsn;
        let fill = Fill { leaf, inner };
        building(fill, |build| storage.create_index(&mut tx, DB, TABLE, &index, build)).expect("an index");
        let size = size(&storage, 2);
        let logged = storage.metrics().log_tail_lsn - before;
        let bytes = size.pages * 8192 * u64::from(leaf) / 100;
        assert!(logged < bytes * 23 / 20 + 20_000, "{logged} bytes of log for {size:?}, {leaf} % full");
        leaves.push((size.leaves as f64, size.pages - size.leaves));
        tx.rollback().expect("rolled back");
    }
    assert!((1.9..2.1).contains(&(leaves[1].0 / leaves[0].0)), "{leaves:?}");
    assert_eq!(leaves[1].0, leaves[2].0, "{leaves:?}");
    assert!(leaves[2].1 > leaves[1].1, "PAD_INDEX is of the pages above the leaves: {leaves:?}");
}

#[test]
fn an_index_leaves_the_count_of_rows_as_it_is_and_an_estimate_looks_at_many_leaves() {
    let storage = filled(20_000, 1);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let table = storage.open_table(DB, TABLE).expect("the table");
    // The leaves in the middle have few rows each.
    let gone = (9_000..11_000).filter(|id| id % 50 != 0);
    for id in gone {
        let locator = locator(&table, &mut tx, id).expect("looked for").expect("it is there");
        table.delete(&mut tx, &locator).expect("deleted");
    }
    tx.commit(Durability::Full).expect("committed");
    storage.collect_versions();
    let rows = || storage.open_table(DB, TABLE).expect("the table").row_count_estimate();
    assert_eq!(rows(), 18_040);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    building(Fill::default(), |build| storage.create_index(&mut tx, DB, TABLE, &unique_index(), build)).expect("built");
    assert_eq!(rows(), 18_040);
    tx.commit(Durability::Full).expect("committed");
    assert_eq!(rows(), 18_040);
    // Of what is rolled back the count is not known.
    let mut tx = storage.begin(Isolation::ReadCommitted);
    building(Fill::default(), |build| storage.drop_index(&mut tx, DB, TABLE, IndexId(2), build)).expect("dropped");
    tx.rollback().expect("rolled back");
    assert!((17_000..19_000).contains(&rows()), "{} of 18040", rows());
}

#[test]
fn a_key_that_is_there_twice_is_told_and_nothing_stays() {
    let storage = filled(1_000, 1);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let table = storage.open_table(DB, TABLE).expect("the table");
    let row = image(table.layout(), 5_000, &(None, 999 * 7919 % 1_000_003, None));
    table.insert(&mut tx, &row).expect("inserted");
    tx.commit(Durability::Full).expect("committed");
    storage.collect_versions();
    let before = storage.space(DB).expect("its space").used;
    let mut index = layout(Kind::Clustered).indexes[1].clone();
    for unique in [true, false] {
        index.unique = unique;
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let built = building(Fill::default(), |build| storage.create_index(&mut tx, DB, TABLE, &index, build));
        match unique {
            true => assert_eq!(built, Err(StorageError::DuplicateKey { table: TABLE, index: IndexId(2) })),
            false => assert_eq!(read(&storage, &mut tx, 2).len(), 1_001),
        }
        // What failed has left its transaction as it was, and its pages go.
        let count = read(&storage, &mut tx, 1).len();
        assert_eq!(count, 1_001);
        tx.rollback().expect("rolled back");
        assert_eq!(storage.space(DB).expect("its space").used, before, "unique: {unique}");
    }
}

#[test]
fn few_rows_and_wide_keys() {
    for rows in [0, 1, 2, 7, 500] {
        let storage = Storage::open(small(Disk::memory())).expect("an instance");
        create(&storage, Kind::Heap);
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let table = storage.open_table(DB, TABLE).expect("the table");
        let mut model = Model::new();
        for id in 0..rows {
            // Long keys that share their beginning, or nothing.
            let mut text = vec![b'a' + (id % 3) as u8; 1_600];
            text.extend_from_slice(format!("{:09}", id * 7919 % 1_000_003).as_bytes());
            let row = (Some(text), id, None);
            table.insert(&mut tx, &image(table.layout(), id, &row)).expect("inserted");
            model.insert(id, row);
        }
        let mut index = layout(Kind::Heap).indexes[1].clone();
        (index.id, index.key[0].ordinal) = (IndexId(9), 1);
        for (leaf, inner) in [(100, 100), (1, 1)] {
            building(Fill { leaf, inner }, |build| storage.create_index(&mut tx, DB, TABLE, &index, build))
                .expect("built");
            check_as(&storage, &mut tx, &model, &format!("{rows} rows"));
            building(Fill::default(), |build| storage.drop_index(&mut tx, DB, TABLE, IndexId(9), build))
                .expect("dropped");
        }
        tx.commit(Durability::Full).expect("committed");
        check(&storage, &model, &format!("{rows} rows"));
    }
}
