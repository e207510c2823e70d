//! A partitioned table beside a map: rows come, move and go, boundaries too, partitions are exchanged for a table; all of it is committed,
//! rolled back, or cut off by a crash.

mod common;

use common::*;
use storage::*;
use types::pause::Unheard;

/// The table beside, for partitions that are switched out.
const STAGE: TableId = TableId(78);
/// Rows are divided by this column.
const COLUMN: u16 = 2;
const VALUES: u64 = 20;

fn divided(boundaries: &[i64], right: bool) -> Partitioning {
    Partitioning {
        column: COLUMN,
        boundaries: boundaries.iter().map(|value| key(*value).into()).collect(),
        right,
        partitions: (0..=boundaries.len() as i32).map(|at| TableId(1_000 + at)).collect(),
    }
}

fn made(name: &str, kind: Kind, right: bool) -> (Place, Storage) {
    let place = Place::new(&format!("partitions-{name}"));
    let storage = place.open().expect("opened");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.create_database(&mut tx, DB, "five").expect("a database");
    let divided = divided(&[5, 10], right);
    storage.create_partitioned_table(&mut tx, DB, TABLE, &layout(kind), &divided).expect("a table");
    storage.create_table(&mut tx, DB, STAGE, &layout(kind)).expect("a table");
    tx.commit(Durability::Full).expect("committed");
    (place, storage)
}

fn same_indexes() -> Vec<(IndexId, IndexId)> {
    (1..=COVERING).map(|id| (IndexId(id), IndexId(id))).collect()
}

fn partitioned(storage: &Storage) -> PartitionedTable {
    match &*storage.open_table(DB, TABLE).expect("the table") {
        Table::Partitioned(table) => table.clone(),
        _ => panic!("it has partitions"),
    }
}

/// The partition's rows go to the other table and come back; `returns`: else they stay there for the caller to undo.
fn switch(storage: &Storage, tx: &mut Transaction, at: usize, returns: bool) {
    let (part, stage) = (Part { table: TABLE, partition: Some(at) }, Part { table: STAGE, partition: None });
    assert_eq!(storage.is_empty(tx, DB, stage), Ok(true));
    let rows = partitioned(storage).partitions()[at].row_count_estimate();
    storage.switch(tx, DB, (part, stage), &same_indexes()).expect("switched out");
    assert_eq!(storage.is_empty(tx, DB, part), Ok(true));
    assert_eq!(storage.open_table(DB, STAGE).expect("the table").row_count_estimate(), rows);
    if returns {
        storage.switch(tx, DB, (stage, part), &same_indexes()).expect("switched in");
        assert_eq!(storage.is_empty(tx, DB, stage), Ok(true));
    }
}

fn change_row(storage: &Storage, tx: &mut Transaction, rng: &mut Rng, model: &mut Model) {
    let table = storage.open_table(DB, TABLE).expect("the table");
    let id = rng.next(60) as i64;
    let row: Row =
        (value(rng, 300), rng.next(VALUES) as i64, if rng.next(20) == 0 { value(rng, 30_000) } else { None });
    let found = locator(&table, tx, id).expect("looked for");
    assert_eq!(found.is_some(), model.contains_key(&id), "row {id}");
    match found {
        None => {
            table.insert(tx, &image(table.layout(), id, &row)).expect("inserted");
            model.insert(id, row);
        }
        Some(locator) if rng.next(3) == 0 => {
            table.delete(tx, &locator).expect("deleted");
            model.remove(&id);
        }
        Some(locator) => {
            let moved = table.update(tx, &locator, &image(table.layout(), id, &row)).expect("updated");
            let mut read = Vec::new();
            assert_eq!(table.fetch(tx, &moved, &mut read), Ok(true));
            model.insert(id, row);
        }
    }
}

fn change_partitions(storage: &Storage, tx: &mut Transaction, rng: &mut Rng, next: &mut i32, may_leave: bool) -> bool {
    let known = storage.partitioning(DB, TABLE).expect("read").expect("it is divided");
    let pause = Unheard::default();
    match rng.next(3) {
        0 => {
            let boundary = key(rng.next(VALUES) as i64);
            if !known.boundaries.iter().any(|other| **other == *boundary) {
                *next += 1;
                storage.split_partition(tx, DB, TABLE, (&boundary, TableId(*next)), &pause).expect("split");
            }
        }
        1 if !known.boundaries.is_empty() => {
            let at = rng.next(known.boundaries.len() as u64) as usize;
            storage.merge_partitions(tx, DB, TABLE, at, &pause).expect("merged");
        }
        _ => {
            let returns = !may_leave || rng.next(2) == 0;
            switch(storage, tx, rng.next(known.partitions.len() as u64) as usize, returns);
            return returns;
        }
    }
    true
}

fn check(storage: &Storage, model: &Model) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    for index in [1, 2, COVERING] {
        assert_eq!(&read(storage, &mut tx, index), model, "by index {index}");
    }
    let filtered: Model = model.iter().filter(|(_, row)| in_filter(row)).map(|(id, row)| (*id, row.clone())).collect();
    assert_eq!(read(storage, &mut tx, 3), filtered, "by the filtered index");
    let misplaced = partitioned(storage).misplaced(&mut tx, 10, &Unheard::default()).expect("looked at");
    assert_eq!(misplaced, []);
    let stage = Part { table: STAGE, partition: None };
    assert_eq!(storage.is_empty(&mut tx, DB, stage), Ok(true));
    drop(tx);
    storage.check_pages(DB).expect("whole pages");
    assert_eq!(storage.flaws(DB, Some(TABLE), &Unheard::default()), Ok(Vec::new()));
}

fn twin(name: &str, kind: Kind, right: bool, seed: u64) {
    let (place, mut storage) = made(name, kind, right);
    let (mut rng, mut model, mut next) = (Rng(seed), Model::new(), 2_000);
    for _ in 0..60 {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let mut changed = model.clone();
        let keeps = rng.next(3) > 0;
        let mut is_whole = true;
        for _ in 0..rng.next(12) + 1 {
            tx.begin_statement();
            if rng.next(5) > 0 {
                change_row(&storage, &mut tx, &mut rng, &mut changed);
            } else {
                is_whole = change_partitions(&storage, &mut tx, &mut rng, &mut next, !keeps);
                if !is_whole {
                    break;
                }
            }
        }
        if keeps && is_whole {
            tx.commit(Durability::Full).expect("committed");
            model = changed;
        } else if rng.next(2) == 0 {
            tx.rollback().expect("rolled back");
        } else {
            // Cut off in the middle: what was written of it is undone by the start.
            storage.flush_log().expect("hardened");
            std::mem::forget(tx);
            drop(storage);
            storage = place.open().expect("opened again");
        }
        storage.collect_versions();
        storage.clean_ghosts().expect("cleaned");
        check(&storage, &model);
    }
}

#[test]
fn a_partitioned_heap_is_as_a_map() {
    twin("heap", Kind::Heap, true, 11);
}

#[test]
fn a_partitioned_clustered_table_is_as_a_map() {
    twin("clustered", Kind::Clustered, false, 12);
}

/// Of a heap, index 1 is unique and has not the partitioning column in its key.
#[test]
fn a_key_is_unique_over_all_partitions() {
    let (_place, storage) = made("unique", Kind::Heap, true);
    let table = storage.open_table(DB, TABLE).expect("the table");
    let row = |id: i64, n: i64| image(table.layout(), id, &(None, n, None));
    let begin = || {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        tx.set_lock_timeout_ms(0);
        tx.begin_statement();
        tx
    };
    let taken = Some(StorageError::DuplicateKey { table: TABLE, index: IndexId(1) });
    // Somebody else's key is waited for, whichever partition it is to lie in.
    for (commits, expected) in [(false, None), (true, taken.clone())] {
        let (mut first, mut second) = (begin(), begin());
        table.insert(&mut first, &row(1, 1)).expect("inserted");
        assert_eq!(table.insert(&mut second, &row(1, 12)).err(), Some(StorageError::LockTimeout));
        match commits {
            true => first.commit(Durability::Full).expect("committed"),
            false => first.rollback().expect("rolled back"),
        }
        assert_eq!(table.insert(&mut second, &row(1, 12)).err(), expected);
        second.rollback().expect("rolled back");
    }
    let mut tx = begin();
    let second = table.insert(&mut tx, &row(2, 7)).expect("inserted");
    assert_eq!(table.update(&mut tx, &second, &row(1, 7)).err(), taken, "in its partition");
    assert_eq!(table.update(&mut tx, &second, &row(1, 12)).err(), taken, "on its way to another one");
    let second = table.update(&mut tx, &second, &row(2, 12)).expect("moved");
    let first = locator(&table, &mut tx, 1).expect("looked for").expect("found");
    table.delete(&mut tx, &first).expect("deleted");
    table.update(&mut tx, &second, &row(1, 12)).expect("the key is free");
    tx.commit(Durability::Full).expect("committed");
    // A key that somebody is about to give up is waited for as well.
    let (mut first, mut second) = (begin(), begin());
    let there = locator(&table, &mut first, 1).expect("looked for").expect("found");
    table.delete(&mut first, &there).expect("deleted");
    assert_eq!(table.insert(&mut second, &row(1, 1)).err(), Some(StorageError::LockTimeout));
    first.rollback().expect("rolled back");
    assert_eq!(table.insert(&mut second, &row(1, 1)).err(), taken);
}

#[test]
fn a_row_in_the_wrong_partition_is_found() {
    let (_place, storage) = made("misplaced", Kind::Clustered, true);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let table = storage.open_table(DB, TABLE).expect("the table");
    for id in 0..20 {
        table.insert(&mut tx, &image(table.layout(), id, &(None, id, None))).expect("inserted");
    }
    let part = storage.open_table(DB, TableId(1_001)).expect("a partition");
    part.insert(&mut tx, &image(table.layout(), 50, &(None, 12, None))).expect("inserted");
    tx.commit(Durability::Full).expect("committed");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let found = partitioned(&storage).misplaced(&mut tx, 10, &Unheard::default()).expect("looked at");
    assert_eq!(found, [MisplacedRow { partition: TableId(1_001), found: 1, right: 2 }]);
    assert_eq!(storage.partition_owners(DB).expect("read").get(&TableId(1_001)), Some(&TABLE));
}

#[test]
fn a_scan_reads_the_partitions_that_may_have_its_rows() {
    let of = |right: bool, lower, upper| divided(&[5, 10], right).of_range(&lower, &upper);
    let (at, above) = (|value| KeyBound::Inclusive(key(value)), |value| KeyBound::Exclusive(key(value)));
    for (right, lower, upper, expected) in [
        (true, at(5), at(5), 1..2),
        (false, at(5), at(5), 0..1),
        (true, KeyBound::Unbounded, above(5), 0..1),
        (false, KeyBound::Unbounded, above(5), 0..1),
        (false, above(5), at(10), 1..2),
        (true, above(5), at(10), 1..3),
        (true, at(7), KeyBound::Unbounded, 1..3),
        (false, at(11), above(20), 2..3),
    ] {
        assert_eq!(of(right, lower.clone(), upper.clone()), expected, "{right} {lower:?} {upper:?}");
    }
    // What follows the column in a key decides nothing.
    let longer = |value: i64| KeyBound::Exclusive([key(value), key(1)].concat());
    assert_eq!(divided(&[5, 10], false).of_range(&longer(5), &longer(10)), 0..2);
    assert_eq!(divided(&[5, 10], true).of_range(&longer(5), &longer(10)), 1..3);
}
