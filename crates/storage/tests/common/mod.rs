//! A table with a clustered or no clustered index, one more index and long values, and how it is compared to a map.
#![allow(dead_code)] // Each test uses its part.

use std::collections::BTreeMap;

use os::disk::{Disk, File, Open, SimDisk};
use os::sim::{SimConfig, run};
use storage::*;
use types::key::KeyColumn;
use types::pause::{Pacer, Unheard};
use types::row::{ColumnType, encode};
use types::{Datum, KeySet, RowLayout, SqlType};

pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

/// A directory on the real disk with an instance of its own, removed at the end.
pub struct Place {
    path: std::path::PathBuf,
    pub disk: Disk,
}

impl Place {
    pub fn new(name: &str) -> Place {
        let path = os::fs::temporary(name);
        let disk = Disk::directory(&path).expect("a directory");
        Place { path, disk }
    }

    pub fn open(&self) -> StorageResult<Storage> {
        Storage::open(small(self.disk.clone()))
    }

    pub fn file(&self, name: &str) -> File {
        self.disk.open(name, Open::Existing).expect(name)
    }

    /// The first log file, and the only one of tests that stay within a segment.
    pub fn log(&self) -> File {
        self.file("h0000.log")
    }

    pub fn logs(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.disk.list().expect("names").into_iter().filter(|name| name.ends_with(".log")).collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        os::fs::remove_dir_all(&self.path).ok();
    }
}

pub const DB: DatabaseId = DatabaseId(5);
pub const TABLE: TableId = TableId(77);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Heap,
    Clustered,
    /// Memory-optimized: a hash index and an ordered one.
    Hash,
    /// Memory-optimized: two ordered indexes.
    Ordered,
}

pub fn layout(kind: Kind) -> TableLayout {
    let clustered = kind == Kind::Clustered;
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
        filter: vec![],
        // Few enough that chains are long.
        bucket_count: (kind == Kind::Hash && unique).then_some(64),
    };
    if matches!(kind, Kind::Hash | Kind::Ordered) {
        let indexes = vec![index(1, true, false, 0), index(2, false, false, 2)];
        return TableLayout { row, indexes, memory: Some(MemoryOptimized { durable: true }) };
    }
    let keys = KeySet::greater(&key(5), true).intersection(&KeySet::less(&key(15), false));
    let mut filtered = index(3, false, false, 2);
    filtered.filter = vec![FilterTerm { column: 2, keys }, FilterTerm { column: 3, keys: KeySet::not_null() }];
    let covering = IndexLayout { included: vec![3, 0, 1], ..index(COVERING, false, false, 2) };
    let indexes = vec![index(1, true, clustered, 0), index(2, false, false, 2), filtered, covering];
    TableLayout { row, indexes, memory: None }
}

/// Of a table on pages, the index that holds all columns, long values too.
pub const COVERING: u32 = 4;

/// Rows that have an entry in index 3.
pub fn in_filter(row: &Row) -> bool {
    (5..15).contains(&row.1) && row.2.is_some()
}

pub fn key(value: i64) -> Vec<u8> {
    let mut key = Vec::new();
    types::key::encode_datum(&SqlType::INT, false, &Datum::I64(value), &mut key);
    key
}

pub fn config(disk: &SimDisk) -> StorageConfig {
    small(Disk::Sim(disk.clone()))
}

/// Small enough that evictions, spills and new log segments happen. No background duties.
pub fn small(disk: Disk) -> StorageConfig {
    let mut config = StorageConfig::new(disk);
    config.memory_bytes = 80 * 8192;
    config.log_buffer_bytes = 1 << 20;
    config.log_segment_bytes = 1 << 20;
    config.logged_leaves = 1;
    config.version_memory_bytes = 1 << 20;
    config.memory_optimized_bytes = 64 << 20;
    config.files_max = 6;
    config.page_bits = 14;
    config.log_flush_ms = 0;
    config
}

/// As `small`, with room for a few more files.
pub fn roomy(disk: &Disk) -> StorageConfig {
    let mut config = small(disk.clone());
    config.files_max = 8;
    config
}

/// Where lives of an instance on a simulated disk end: each but the last at one of the points, or at any step.
pub struct Ends<'a> {
    pub lives: u64,
    pub points: &'a [&'static str],
    /// Within so many passings of a point, and so many steps.
    pub passings_max: u64,
    pub steps_max: u64,
}

/// What came of lives.
#[derive(Default)]
pub struct Toll {
    kills: u64,
    points: BTreeMap<&'static str, u64>,
}

impl Toll {
    /// Lives on one disk, one after the other; the seed decides where they end, and what the dice show within.
    pub fn take(
        &mut self,
        seed: u64,
        disk: &SimDisk,
        ends: &Ends<'_>,
        live: impl Fn(&Storage, &Disk, &mut Rng) + Clone + Send + 'static,
    ) {
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for life in 0..ends.lives {
            let is_last = life + 1 == ends.lives;
            let point = ends.points[rng.next(ends.points.len() as u64) as usize];
            let at_point = !is_last && rng.next(3) > 0;
            let sim = SimConfig {
                kill_at_step: (!is_last && !at_point).then(|| 200 + rng.next(ends.steps_max)),
                kill_at_point: at_point.then(|| (point.to_owned(), 1 + rng.next(ends.passings_max))),
                disks: vec![disk.clone()],
                point_yields: 4,
                steps_max: 4_000_000,
                ..SimConfig::default()
            };
            let (own, live, dice) = (disk.clone(), live.clone(), rng.next(1 << 40) | 1);
            let outcome = run(seed * 100 + life, sim, move || {
                let disk = Disk::Sim(own);
                let mut limits = roomy(&disk);
                limits.log_flush_ms = 3;
                limits.recovery_interval_ms = 1000;
                let storage = Storage::open(limits).unwrap_or_else(|error| panic!("seed {seed} life {life}: {error}"));
                live(&storage, &disk, &mut Rng(dice));
            });
            self.kills += u64::from(outcome.result.is_none());
            for (point, times) in outcome.points {
                *self.points.entry(point).or_default() += times;
            }
        }
    }

    /// Each of so many seeds had a kill, and every point was reached.
    pub fn expect(&self, seeds: u64, points: &[&str]) {
        println!("{seeds} seeds, {} kills, {:?}", self.kills, self.points);
        assert!(self.kills >= seeds, "lives end by kills: {}", self.kills);
        for point in points {
            assert!(self.points.contains_key(point), "{point} was never reached");
        }
    }
}

/// SEEDS and SEED: how many, and the first one.
pub fn seeds(usual: u64) -> std::ops::Range<u64> {
    let number = |name: &str| os::env::var(name).and_then(|n| n.parse().ok());
    let first = number("SEED").unwrap_or(1);
    first..first + number("SEEDS").unwrap_or(usual)
}

/// Columns 1 to 3 of a row.
pub type Row = (Option<Vec<u8>>, i64, Option<Vec<u8>>);
pub type Model = BTreeMap<i64, Row>;

pub fn image(layout: &TableLayout, id: i64, row: &Row) -> Vec<u8> {
    let bytes = |value: &Option<Vec<u8>>| value.as_ref().map_or(Datum::Null, |value| Datum::bytes(value));
    let mut out = Vec::new();
    encode(&layout.row, &[Datum::I64(id), bytes(&row.0), Datum::I64(row.1), bytes(&row.2)], &mut out);
    out
}

pub fn read(storage: &Storage, tx: &mut Transaction, index: u32) -> Model {
    let table = storage.open_table(DB, TABLE).expect("the table is there");
    let mut spec = ScanSpec::all(IndexId(index), vec![0, 1, 2, 3]);
    spec.lookup = index != COVERING;
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

pub fn value(rng: &mut Rng, max: u64) -> Option<Vec<u8>> {
    (rng.next(5) > 0).then(|| vec![b'a' + rng.next(26) as u8; rng.next(max) as usize])
}

/// The row's locator and newest committed image, under an update lock of the statement.
pub fn newest(table: &Table, tx: &mut Transaction, id: i64) -> StorageResult<Option<(Vec<u8>, Vec<u8>)>> {
    let key = key(id);
    let mut spec = ScanSpec::all(IndexId(1), vec![]);
    spec.lower = KeyBound::Inclusive(key.clone());
    spec.upper = KeyBound::Inclusive(key);
    spec.lock.update = true;
    spec.lookup = true;
    spec.ignore_own_statement = false;
    let mut scan = table.scan(tx, spec)?;
    Ok(scan.next(tx)?.map(|row| (row.locator.to_vec(), row.image.to_vec())))
}

pub fn locator(table: &Table, tx: &mut Transaction, id: i64) -> StorageResult<Option<Vec<u8>>> {
    Ok(newest(table, tx, id)?.map(|(locator, _)| locator))
}

pub fn create(storage: &Storage, kind: Kind) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.create_database(&mut tx, DB, "five").expect("a database");
    storage.create_table(&mut tx, DB, TABLE, &layout(kind)).expect("a table");
    tx.commit(Durability::Full).expect("committed");
}

/// Sorts in memory, however much it is.
#[derive(Default)]
pub struct InMemory(Vec<(Vec<u8>, Vec<u8>)>);

impl KeySorter for InMemory {
    fn add(&mut self, key: &[u8], payload: &[u8], _: &mut Pacer<'_>) -> StorageResult<()> {
        self.0.push((key.to_vec(), payload.to_vec()));
        Ok(())
    }

    fn drain(
        &mut self,
        _: &mut Pacer<'_>,
        each: &mut dyn FnMut(&[u8], &[u8]) -> StorageResult<()>,
    ) -> StorageResult<()> {
        self.0.sort();
        std::mem::take(&mut self.0).iter().try_for_each(|(key, payload)| each(key, payload))
    }
}

/// Runs what builds trees, with pages so full.
pub fn building<T>(fill: Fill, work: impl FnOnce(&mut Build<'_>) -> T) -> T {
    let (mut sorter, pause) = (InMemory::default(), Unheard::default());
    work(&mut Build { sorter: &mut sorter, pause: &pause, fill: &|_| fill, online: false })
}
