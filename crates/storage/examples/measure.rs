//! What a session gets from the storage alone: rows inserted a second, durable and delayed, and rows looked up.
//!
//! `cargo run --release -p storage --example measure -- [directory]`; without a directory the files are in memory.

use std::sync::Arc;

use os::clock;
use os::disk::Disk;
use os::sched::{MachineConfig, Place, TaskKind};
use storage::*;
use types::key::KeyColumn;
use types::row::{ColumnType, encode};
use types::{Datum, RowLayout, SqlType};

const DB: DatabaseId = DatabaseId(5);
const ROWS_LOOKED_UP: i64 = 1_000_000;

fn layout() -> TableLayout {
    let row = RowLayout::new(&[ColumnType::not_null(SqlType::BIGINT), ColumnType::not_null(SqlType::varchar(100))]);
    let key = vec![KeyColumn::ascending(0)];
    TableLayout {
        row,
        indexes: vec![IndexLayout {
            id: IndexId(1),
            unique: true,
            clustered: true,
            key,
            included: vec![],
            filter: vec![],
            bucket_count: None,
        }],
        memory: None,
    }
}

fn create(storage: &Storage, id: i32) -> TableId {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.create_table(&mut tx, DB, TableId(id), &layout()).expect("a table");
    tx.commit(Durability::Full).expect("committed");
    TableId(id)
}

/// Two rows a transaction, as usp_Insert does, for `ms` milliseconds. Returns the rows.
fn insert(storage: &Storage, table: TableId, durability: Durability, ms: u64, key: impl Fn(i64) -> i64) -> i64 {
    let layout = layout();
    let until = clock::after_ms(ms);
    let mut image = Vec::new();
    let mut rows = 0;
    while clock::now() < until {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let open = storage.open_table(DB, table).expect("the table");
        for _ in 0..2 {
            tx.begin_statement();
            image.clear();
            encode(&layout.row, &[Datum::I64(key(rows)), Datum::bytes(&[b'x'; 40])], &mut image);
            open.insert(&mut tx, &image).expect("inserted");
            rows += 1;
        }
        tx.commit(durability).expect("committed");
        os::wait::maybe_yield();
    }
    rows
}

fn look_up(storage: &Storage, table: TableId, rows: i64) {
    let open = storage.open_table(DB, table).expect("the table");
    let mut batch = types::RowBatch::new(open.layout().row.classes());
    let mut key = Vec::new();
    for nth in 0..ROWS_LOOKED_UP {
        let id = (nth as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) % rows as u64;
        let mut tx = storage.begin(Isolation::ReadCommitted);
        key.clear();
        types::key::encode_datum(&SqlType::BIGINT, false, &Datum::I64(id as i64), &mut key);
        let mut spec = ScanSpec::all(IndexId(1), vec![0, 1]);
        spec.lower = KeyBound::Inclusive(key.clone());
        spec.upper = KeyBound::Inclusive(key.clone());
        let mut scan = open.scan(&mut tx, spec).expect("a scan");
        batch.clear();
        assert_eq!(scan.fill(&mut tx, &mut batch, 10).expect("a row"), 1, "{id}");
        tx.commit(Durability::Full).expect("nothing to do");
        os::wait::maybe_yield();
    }
}

fn scan(storage: &Storage, table: TableId) -> i64 {
    let open = storage.open_table(DB, table).expect("the table");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let mut scan = open.scan(&mut tx, ScanSpec::all(IndexId(1), vec![0])).expect("a scan");
    let mut batch = types::RowBatch::new(open.layout().row.classes().take(1));
    let mut rows = 0;
    while scan.fill(&mut tx, &mut batch, 1024).expect("rows") > 0 {
        rows += batch.rows as i64;
        batch.clear();
    }
    rows
}

fn say(what: &str, count: i64, started: u64) {
    let ns = clock::now() - started;
    println!("{what:44} {:>12.0} /s   {:>8.0} ns each", count as f64 * 1e9 / ns as f64, ns as f64 / count as f64);
}

/// `sessions` at a time, each on a table of its own or all on one, with keys that interleave.
fn sessions(storage: &Storage, first: i32, sessions: i32, shared: bool, durability: Durability, ms: u64) -> i64 {
    let tables: Vec<_> = (0..if shared { 1 } else { sessions }).map(|n| create(storage, first + n)).collect();
    let storage = Arc::new(storage.clone());
    let tasks: Vec<_> = (0..sessions as i64)
        .map(|n| {
            let (storage, table) = (storage.clone(), tables[n as usize % tables.len()]);
            os::sched::spawn(TaskKind::Request, Place::On(n as u32), move || {
                insert(&storage, table, durability, ms, |row| row * sessions as i64 + n)
            })
        })
        .collect();
    tasks.into_iter().map(|task| task.join().expect("no panic")).sum()
}

fn measure(disk: Disk) {
    let mut config = StorageConfig::new(disk);
    config.memory_bytes = 4 << 30;
    config.page_bits = 22;
    let storage = Storage::open(config).expect("opened");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.create_database(&mut tx, DB, "five").expect("a database");
    tx.commit(Durability::Full).expect("committed");

    let table = create(&storage, 100);
    let started = clock::now();
    let rows = insert(&storage, table, Durability::Delayed, 3000, |row| row);
    say("delayed, ascending, 1 session, rows", rows, started);
    let started = clock::now();
    look_up(&storage, table, rows);
    say("one-row look-ups, each a transaction", ROWS_LOOKED_UP, started);
    let started = clock::now();
    assert_eq!(scan(&storage, table), rows);
    say("scan, rows", rows, started);
    let random = create(&storage, 101);
    let started = clock::now();
    let rows = insert(&storage, random, Durability::Delayed, 2000, |row| {
        (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64
    });
    say("delayed, random key, 1 session, rows", rows, started);
    let full = create(&storage, 102);
    let started = clock::now();
    let rows = insert(&storage, full, Durability::Full, 2000, |row| row);
    say("durable, 1 session, rows", rows, started);
    for (first, count, shared, durability, what) in [
        (200, 2, false, Durability::Delayed, "delayed, 2 sessions, own tables, rows"),
        (300, 2, true, Durability::Delayed, "delayed, 2 sessions, one table, rows"),
        (400, 64, true, Durability::Full, "durable, 64 sessions, one table, rows"),
    ] {
        let started = clock::now();
        let rows = sessions(&storage, first, count, shared, durability, 2000);
        say(what, rows, started);
    }
    let started = clock::now();
    storage.shutdown().expect("shut down");
    println!("checkpoint and stop {} ms; {:?}", (clock::now() - started) / 1_000_000, storage.metrics());
}

fn main() {
    let disk = match std::env::args().nth(1) {
        Some(path) => Disk::directory(std::path::Path::new(&path)).expect("a directory"),
        None => Disk::memory(),
    };
    os::sched::start(MachineConfig::default()).run(move || measure(disk));
}
