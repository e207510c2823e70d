//! Tables against a `BTreeMap`: random changes from a printed seed, with rollbacks, savepoints, checkpoints and crashes.

mod common;

use std::collections::btree_map::Entry;

use common::*;
use os::disk::{SimDisk, SimDiskFaults};
use storage::*;
use types::Datum;
use types::row::RowView;

fn check(storage: &Storage, expected: &Model, seed: u64) {
    for index in [1, 2] {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let found = read(storage, &mut tx, index);
        let keys = |model: &Model| model.keys().copied().collect::<Vec<_>>();
        assert_eq!(keys(&found), keys(expected), "seed {seed} index {index}");
        assert!(found == *expected, "seed {seed} index {index}: values differ");
    }
    if storage.open_table(DB, TABLE).expect("the table").is_memory_optimized() {
        return;
    }
    let mut members = expected.clone();
    members.retain(|_, row| in_filter(row));
    assert!(
        read(storage, &mut storage.begin(Isolation::ReadCommitted), 3) == members,
        "seed {seed}: the filtered index"
    );
    let covered = read(storage, &mut storage.begin(Isolation::ReadCommitted), COVERING);
    assert!(covered == *expected, "seed {seed}: the covering index");
    storage.check_pages(DB).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
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
            let found = locator(table, tx, id).expect("a look-up");
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
            let found = locator(table, tx, id).expect("a look-up");
            assert_eq!(found.is_some(), model.remove(&id).is_some(), "seed {seed} id {id}");
            if let Some(locator) = found {
                table.delete(tx, &locator).unwrap_or_else(|error| panic!("seed {seed} id {id}: {error}"));
            }
        }
    }
}

/// One life of an instance after another. Each ends with a crash that keeps some of the unsynced sectors.
fn lives(seed: u64, kind: Kind) {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let disk = SimDisk::new(SimDiskFaults::default());
    let mut committed = Model::new();
    for life in 0..4 {
        let storage = Storage::open(config(&disk)).unwrap_or_else(|error| panic!("seed {seed} life {life}: {error}"));
        if life == 0 {
            create(&storage, kind);
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
            if rng.next(5) == 0 {
                storage.collect_versions();
                storage.clean_ghosts().expect("cleaned up");
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

/// One scan goes to and fro between seeks, while the table changes and its leaves split, merge and go.
fn seeks(seed: u64, kind: Kind) {
    let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let storage = Storage::open(config(&SimDisk::new(SimDiskFaults::default()))).expect("opened");
    create(&storage, kind);
    let table = storage.open_table(DB, TABLE).expect("the table");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let mut model = Model::new();
    let mut scans: Vec<Scan> = [false, true]
        .map(|backward| {
            let mut spec = ScanSpec::all(IndexId(1), vec![0]);
            (spec.lookup, spec.backward, spec.ignore_own_statement) = (true, backward, false);
            table.scan(&mut tx, spec).expect("a scan")
        })
        .into();
    let mut batch = types::RowBatch::new([types::Physical::I64]);
    for step in 0..600 {
        tx.begin_statement();
        for _ in 0..rng.next(4) {
            change(&table, &mut tx, &mut rng, &mut model, seed);
        }
        let (low, high) = (rng.next(300) as i64, rng.next(300) as i64);
        let high = if rng.next(2) == 0 { low } else { high };
        let key = |id: i64| {
            let mut key = Vec::new();
            types::key::encode_datum(&types::SqlType::INT, false, &Datum::I64(id), &mut key);
            key
        };
        let (lower, upper) = (KeyBound::Inclusive(key(low)), KeyBound::Inclusive(key(high)));
        let mut expected: Vec<i64> = model.keys().copied().filter(|id| (low..=high).contains(id)).collect();
        for scan in &mut scans {
            // Some are left in the middle.
            let wanted = if rng.next(3) == 0 { 1 } else { 1 + rng.next(9) as usize };
            let mut found = Vec::new();
            scan.restart(&mut tx, &lower, &upper).expect("placed");
            while scan.fill(&mut tx, &mut batch, wanted).expect("rows") > 0 {
                found.extend((0..batch.rows).map(|row| batch.columns[0].datum(row).as_i64()));
                batch.clear();
                if wanted == 1 {
                    break;
                }
            }
            let shown = if wanted == 1 { expected.len().min(1) } else { expected.len() };
            assert_eq!(found, expected[..shown], "seed {seed} step {step}");
            expected.reverse();
        }
        // Keys and beginnings that all share, in any order.
        let (mut prefixes, mut expected) = (Prefixes::default(), Vec::new());
        for owner in 0..rng.next(12) as u32 {
            let prefix = if rng.next(4) == 0 { Vec::new() } else { key(rng.next(300) as i64) };
            let pushed = prefixes.push(owner, |bytes| {
                bytes.extend_from_slice(&prefix);
                Ok::<_, ()>(true)
            });
            pushed.expect("always there");
            expected.extend(model.keys().filter(|id| key(**id).starts_with(&prefix)).map(|id| (owner, *id)));
        }
        let wanted = 1 + rng.next(40) as usize;
        let (mut found, mut owners) = (Vec::new(), Vec::new());
        while !prefixes.is_done() {
            scans[0].fill_for(&mut tx, &mut prefixes, &mut batch, wanted, &mut owners).expect("rows");
            assert!(batch.rows <= wanted && owners.len() == batch.rows, "seed {seed} step {step}");
            found.extend((0..batch.rows).map(|row| (owners[row], batch.columns[0].datum(row).as_i64())));
            batch.clear();
            owners.clear();
        }
        assert_eq!(found, expected, "seed {seed} step {step}: {wanted} at once");
    }
}

#[test]
fn one_scan_seeks_again_and_again() {
    for seed in 1..12 {
        seeks(seed, [Kind::Heap, Kind::Clustered, Kind::Ordered][seed as usize % 3]);
    }
}

#[test]
fn a_clustered_table_keeps_what_was_committed_through_crashes() {
    let seeds = os::env::var("SEEDS").and_then(|n| n.parse().ok()).unwrap_or(12);
    for seed in 1..=seeds {
        lives(seed, Kind::Clustered);
    }
}

#[test]
fn a_heap_keeps_what_was_committed_through_crashes() {
    let seeds = os::env::var("SEEDS").and_then(|n| n.parse().ok()).unwrap_or(12);
    for seed in 1000..1000 + seeds {
        lives(seed, Kind::Heap);
    }
}

#[test]
fn a_memory_optimized_table_keeps_what_was_committed_through_crashes() {
    let seeds = os::env::var("SEEDS").and_then(|n| n.parse().ok()).unwrap_or(12);
    for seed in 2000..2000 + seeds {
        lives(seed, if seed % 2 == 0 { Kind::Hash } else { Kind::Ordered });
    }
}

#[test]
fn rows_and_locators_come_back_as_they_went_in() {
    let disk = SimDisk::new(SimDiskFaults::default());
    let storage = Storage::open(config(&disk)).expect("opened");
    create(&storage, Kind::Clustered);
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

/// A run of ascending keys fills its pages wherever it lies: behind all others, or between them.
#[test]
fn a_run_between_other_keys_fills_its_pages() {
    let pages_of_a_run = |others: &[i64]| {
        let storage = Storage::open(config(&SimDisk::new(SimDiskFaults::default()))).expect("opened");
        create(&storage, Kind::Clustered);
        let table = storage.open_table(DB, TABLE).expect("the table");
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let mut insert = |id| {
            let row = (Some(vec![b'v'; 100]), 1, None);
            table.insert(&mut tx, &image(table.layout(), id, &row)).expect("inserted");
        };
        others.iter().for_each(|&id| insert(id));
        let before = storage.metrics().pages_allocated;
        (0..3000).for_each(|step| insert(1_000_000 + step));
        storage.metrics().pages_allocated - before
    };
    let behind = pages_of_a_run(&[]);
    let scattered: Vec<i64> = (0..600).map(|n| (n * 7919 % 600) * 10_000 + 5_000).collect();
    let between = pages_of_a_run(&scattered);
    assert!(between <= behind + behind / 10, "{between} pages between other keys, {behind} behind them");
}

/// Rows that come and go need no more pages than there are rows at a time.
#[test]
fn deleted_rows_make_room_for_others() {
    let storage = Storage::open(config(&SimDisk::new(SimDiskFaults::default()))).expect("opened");
    create(&storage, Kind::Clustered);
    let table = storage.open_table(DB, TABLE).expect("the table");
    let mut pages = Vec::new();
    for round in 0..20 {
        // Every round has keys of its own among those of the others.
        let keys: Vec<i64> = (0..300).map(|n| n * 100 + round).collect();
        let mut tx = storage.begin(Isolation::ReadCommitted);
        for &id in &keys {
            table.insert(&mut tx, &image(table.layout(), id, &(Some(vec![b'v'; 100]), 1, None))).expect("inserted");
        }
        tx.commit(Durability::Full).expect("committed");
        for &id in &keys {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            let locator = locator(&table, &mut tx, id).expect("a look-up").expect("the row");
            table.delete(&mut tx, &locator).expect("deleted");
            tx.commit(Durability::Full).expect("committed");
        }
        pages.push(storage.metrics().pages_allocated);
    }
    assert!(pages[19] <= pages[1] * 2, "pages allocated by round: {pages:?}");
    check(&storage, &Model::new(), 0);
}
