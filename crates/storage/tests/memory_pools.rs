//! What memory-optimized tables take is counted by database, and limited by pools of databases.

mod common;

use common::*;
use os::disk::{SimDisk, SimDiskFaults};
use storage::*;

const OTHER: DatabaseId = DatabaseId(6);
const SMALL: MemoryPool = MemoryPool(1);
const LARGE: MemoryPool = MemoryPool(2);
/// What may be taken without being counted yet: less than 16 KB of rows and as much of indexes for each of a table's eight shares.
const SLACK: u64 = 8 * 2 * 16 * 1024;
const KINDS: [Kind; 2] = [Kind::Hash, Kind::Ordered];

fn opened(disk: &SimDisk) -> Storage {
    Storage::open(config(disk)).expect("opened")
}

/// Two databases with a table each, in a small pool and in a large one.
fn two(kind: Kind) -> (Storage, SimDisk) {
    let disk = SimDisk::new(SimDiskFaults::default());
    let storage = opened(&disk);
    create(&storage, kind);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.create_database(&mut tx, OTHER, "six").expect("a database");
    storage.create_table(&mut tx, OTHER, TABLE, &layout(kind)).expect("a table");
    tx.commit(Durability::Full).expect("committed");
    limit(&storage);
    (storage, disk)
}

fn limit(storage: &Storage) {
    let pools = storage.memory_pools();
    pools.set(SMALL, "small", 5);
    pools.set(LARGE, "large", 15);
    pools.bind(DB, SMALL);
    pools.bind(OTHER, LARGE);
}

fn insert(storage: &Storage, db: DatabaseId, ids: std::ops::Range<i64>) -> StorageResult<()> {
    let table = storage.open_table(db, TABLE)?;
    let mut tx = storage.begin(Isolation::ReadCommitted);
    for id in ids {
        tx.begin_statement();
        table.insert(&mut tx, &image(table.layout(), id, &(Some(vec![b'x'; 100]), id, None)))?;
    }
    tx.commit(Durability::Full)
}

/// Inserts rows from a number on, some hundred in a transaction, until there is no room. Returns the number of the first that is
/// not there.
fn fill(storage: &Storage, db: DatabaseId, from: i64) -> i64 {
    let mut next = from;
    loop {
        match insert(storage, db, next..next + 200) {
            Ok(()) => next += 200,
            Err(error) => {
                let pool = if db == DB { "small" } else { "large" };
                assert_eq!(error, StorageError::MemoryOptimizedFull { pool: pool.into() });
                return next;
            }
        }
    }
}

fn delete(storage: &Storage, ids: std::ops::Range<i64>) {
    let table = storage.open_table(DB, TABLE).expect("the table");
    for id in ids {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        tx.begin_statement();
        let locator = locator(&table, &mut tx, id).expect("looked up").expect("there is such a row");
        table.delete(&mut tx, &locator).expect("deleted");
        tx.commit(Durability::Delayed).expect("committed");
    }
}

/// The cleaner goes round: once out of the chains, once out of memory.
fn collect(storage: &Storage) {
    (0..3).for_each(|_| storage.collect_versions());
}

#[test]
fn a_full_pool_is_full_for_its_own_databases_alone() {
    for kind in KINDS {
        let (storage, _) = two(kind);
        let pools = storage.memory_pools();
        let rows = fill(&storage, DB, 0);
        let small = pools.usage(SMALL);
        assert!(small.bytes.abs_diff(small.limit_bytes) <= SLACK + 200 * 500, "{small:?}");
        assert!(small.refusals == 1 && pools.usage(LARGE).refusals == 0);
        insert(&storage, OTHER, 0..2 * rows).expect("there is room in the other pool");
        assert!(pools.usage(LARGE).bytes > small.limit_bytes, "{:?}", pools.usage(LARGE));
        // Not even an update, which needs a version more; but rows go.
        let table = storage.open_table(DB, TABLE).expect("the table");
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let at = locator(&table, &mut tx, 1).expect("looked up").expect("the row");
        pools.set(SMALL, "small", 1);
        let updated = table.update(&mut tx, &at, &image(table.layout(), 1, &(None, 1, None)));
        assert_eq!(updated.err(), Some(StorageError::MemoryOptimizedFull { pool: "small".into() }));
        tx.rollback().expect("rolled back");
        pools.set(SMALL, "small", 5);
        delete(&storage, 0..rows / 2);
        collect(&storage);
        insert(&storage, DB, 0..rows / 4).expect("there is room again");
        drop(table);
        let there = read(&storage, &mut storage.begin(Isolation::ReadCommitted), 1);
        assert_eq!(there.len() as i64, rows / 4 + rows - rows / 2, "nothing else is lost");
        // A higher limit holds at once.
        let next = fill(&storage, OTHER, 2 * rows);
        pools.set(LARGE, "large", 16);
        insert(&storage, OTHER, next..next + 200).expect("there is room");
    }
}

#[test]
fn what_is_deleted_and_collected_does_not_count() {
    for kind in KINDS {
        let (storage, _) = two(kind);
        let bytes = || storage.memory_pools().database_bytes(DB);
        insert(&storage, DB, 0..200).expect("inserted");
        delete(&storage, 0..200);
        collect(&storage);
        let empty = bytes();
        for round in 0..5 {
            let from = round * 10_000;
            insert(&storage, DB, from..from + 4_000).expect("inserted");
            assert!(bytes() > empty + 4_000 * 100, "{kind:?}: {empty} bytes, then {}", bytes());
            delete(&storage, from..from + 4_000);
            collect(&storage);
        }
        assert!(bytes() <= empty + SLACK, "{kind:?}: {empty} bytes, then {}", bytes());
        // What is rolled back neither.
        for round in 0..5 {
            let table = storage.open_table(DB, TABLE).expect("the table");
            let mut tx = storage.begin(Isolation::ReadCommitted);
            for id in 0..2_000 {
                table.insert(&mut tx, &image(table.layout(), id + round * 2_000, &(None, id, None))).expect("inserted");
            }
            tx.rollback().expect("rolled back");
            collect(&storage);
        }
        assert!(bytes() <= empty + SLACK, "{kind:?}: {empty} bytes, then {}", bytes());
        // Nor do the rows of a table that is gone.
        insert(&storage, DB, 100_000..101_000).expect("inserted");
        assert!(bytes() > empty + 100_000);
        let mut tx = storage.begin(Isolation::ReadCommitted);
        storage.drop_table(&mut tx, DB, TABLE).expect("dropped");
        tx.commit(Durability::Full).expect("committed");
        collect(&storage);
        assert_eq!((bytes(), storage.memory_pools().usage(SMALL).bytes), (0, 0));
    }
}

#[test]
fn a_start_counts_what_it_loads_and_loads_it_whatever_the_limit() {
    for kind in KINDS {
        let (storage, disk) = two(kind);
        let rows = fill(&storage, DB, 0);
        let before = storage.memory_pools().database_bytes(DB);
        drop(storage);
        let storage = opened(&disk);
        let there = read(&storage, &mut storage.begin(Isolation::ReadCommitted), 1);
        assert_eq!(there.len() as i64, rows);
        let after = storage.memory_pools().database_bytes(DB);
        // Nodes of the index may be fuller or emptier.
        assert!(after.abs_diff(before) < before / 5, "{kind:?}: {before} bytes, then {after}");
        storage.memory_pools().set(SMALL, "small", 1);
        storage.memory_pools().bind(DB, SMALL);
        assert_eq!(storage.memory_pools().usage(SMALL).bytes, after, "they come to the pool with their database");
        let refused = insert(&storage, DB, rows..rows + 1);
        assert_eq!(refused, Err(StorageError::MemoryOptimizedFull { pool: "small".into() }));
        storage.memory_pools().bind(DB, MemoryPool::DEFAULT);
        assert_eq!(storage.memory_pools().usage(SMALL).bytes, 0, "and leave it");
        insert(&storage, DB, rows..rows + 1).expect("there is room in the default pool");
    }
}

#[test]
fn a_table_with_more_buckets_than_its_pool_has_memory_takes_none() {
    let (storage, _) = two(Kind::Hash);
    let table = TableId(TABLE.0 + 1);
    let mut large = layout(Kind::Hash);
    large.indexes[0].bucket_count = Some(1 << 20);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.create_table(&mut tx, DB, table, &large).expect("defined");
    storage.create_table(&mut tx, OTHER, table, &large).expect("defined");
    tx.commit(Durability::Full).expect("committed");
    let before = (storage.memory_optimized_bytes(), storage.memory_pools().usage(SMALL).bytes);
    let refused = storage.open_table(DB, table).err();
    assert_eq!(refused, Some(StorageError::MemoryOptimizedFull { pool: "small".into() }));
    assert_eq!((storage.memory_optimized_bytes(), storage.memory_pools().usage(SMALL).bytes), before);
    storage.open_table(OTHER, table).expect("there is room in the other pool");
    assert!(storage.memory_pools().usage(LARGE).bytes >= 8 << 20);
}
