//! Pages restored while the rest of their database is used: whichever they are, they come back as they would be now, and a kill at any step
//! leaves each as it was, waiting, or back.

mod common;

use std::sync::Arc;

use common::*;
use os::disk::{Disk, File, Open, SimDisk, SimDiskFaults};
use os::sync::Mutex;
use os::wait::WaitType;
use storage::backup::{self, Gap, Set, SetKind, Wanted, is_control_page};
use storage::*;

const OTHER: DatabaseId = DatabaseId(6);
const BASE: u128 = 77;

fn no_step(_: backup::Progress) -> StorageResult<()> {
    Ok(())
}

fn create_other(storage: &Storage) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.create_database(&mut tx, OTHER, "other").expect("a database");
    storage.create_table(&mut tx, OTHER, TABLE, &layout(Kind::Clustered)).expect("a table");
    tx.commit(Durability::Full).expect("committed");
}

/// A transaction of a few rows with long values among them, new ones or others in place of old ones.
fn put(storage: &Storage, db: DatabaseId, rng: &mut Rng, model: &mut Model, ids: std::ops::Range<i64>) {
    let table = storage.open_table(db, TABLE).expect("the table");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    for id in ids {
        let long = if rng.next(12) == 0 { value(rng, 20_000) } else { None };
        let row = (value(rng, 2500), rng.next(20) as i64, long);
        if let Some(old) = locator(&table, &mut tx, id).expect("readable") {
            table.delete(&mut tx, &old).expect("deleted");
        }
        table.insert(&mut tx, &image(table.layout(), id, &row)).expect("inserted");
        model.insert(id, row);
    }
    tx.commit(Durability::Full).expect("committed");
}

fn rows_of(storage: &Storage) -> Model {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    let rows = read(storage, &mut tx, 1);
    assert!(rows == read(storage, &mut tx, 2), "the indexes disagree");
    storage.check_pages(DB).expect("whole pages");
    rows
}

fn take(storage: &Storage, file: &File, kind: SetKind) -> Set {
    let at = backup::sets(file).expect("sets").last().map_or(0, |set| set.to);
    let number = (kind == SetKind::Full).then_some(BASE);
    let wanted = Wanted { kind, number, keeps_log: true, ..Wanted::default() };
    storage.backup(DB, file, at, &wanted, &mut no_step).expect("a backup")
}

fn some_pages(storage: &Storage, rng: &mut Rng) -> Vec<u32> {
    let pages = storage.file_pages(DB).expect("pages");
    let mut some: Vec<u32> = (0..4).map(|_| rng.next(pages) as u32).filter(|page| !is_control_page(*page)).collect();
    some.sort_unstable();
    some.dedup();
    some
}

/// All steps, from the newest full backup on.
fn restore(storage: &Storage, file: &File, pages: &[u32]) {
    let sets = backup::sets(file).expect("sets");
    let full = sets.iter().rposition(|set| set.head.kind == SetKind::Full).expect("a full backup");
    storage.restore_some(DB, (file, &sets[full], BASE), pages, &mut no_step).expect("begun");
    take(storage, file, SetKind::Log);
    for set in &backup::sets(file).expect("sets")[full + 1..] {
        storage.restore_some_on(DB, (file, set), &mut no_step).expect("gone on");
    }
    let back = storage.end_some(DB, &mut no_step).expect("ended").expect("all log was read");
    assert_eq!(back, pages);
    assert!(storage.some_pages(DB).expect("readable").is_none());
}

#[test]
fn any_pages_come_back_as_they_would_be() {
    for (seed, kind) in [Kind::Heap, Kind::Clustered, Kind::Clustered].into_iter().enumerate() {
        let mut rng = Rng(0x2545_f491_4f6c_dd1d ^ (seed as u64 + 1) << 32);
        let disk = Disk::memory();
        let mut storage = Storage::open(roomy(&disk)).expect("opened");
        create(&storage, kind);
        create_other(&storage);
        let file = disk.open("sets", Open::New).expect("a file");
        let (mut model, mut other) = (Model::new(), Model::new());
        put(&storage, DB, &mut rng, &mut model, 0..150);
        take(&storage, &file, SetKind::Full);
        for round in 0..12 {
            let from = rng.next(200) as i64;
            put(&storage, DB, &mut rng, &mut model, from..from + 40);
            match rng.next(4) {
                0 => drop(take(&storage, &file, SetKind::Log)),
                1 => drop(take(&storage, &file, SetKind::Differential)),
                2 => {
                    drop(storage);
                    storage = Storage::open(roomy(&disk)).expect("opened again");
                }
                _ => {}
            }
            put(&storage, OTHER, &mut rng, &mut other, 0..3);
            let pages = some_pages(&storage, &mut rng);
            restore(&storage, &file, &pages);
            assert!(rows_of(&storage) == model, "seed {seed}, round {round}: pages {pages:?}");
        }
    }
}

#[test]
fn a_step_that_does_not_go_on_changes_nothing() {
    let disk = Disk::memory();
    let storage = Storage::open(roomy(&disk)).expect("opened");
    create(&storage, Kind::Clustered);
    let file = disk.open("sets", Open::New).expect("a file");
    let (mut rng, mut model) = (Rng(9), Model::new());
    put(&storage, DB, &mut rng, &mut model, 0..150);
    assert_eq!(storage.end_some(DB, &mut no_step), Err(StorageError::NoBackup));
    let full = take(&storage, &file, SetKind::Full);
    let mut logs = Vec::new();
    for _ in 0..3 {
        put(&storage, DB, &mut rng, &mut model, 0..150);
        logs.push(take(&storage, &file, SetKind::Log));
    }
    // What is in no log backup yet.
    put(&storage, DB, &mut rng, &mut model, 0..20);
    let page = (3..).find(|page| !is_control_page(*page)).expect("one");
    storage.restore_some(DB, (&file, &full, BASE), &[page], &mut no_step).expect("begun");
    let (begins, wanted) = (logs[1].head.scan_lsn, full.tail.end_lsn);
    let gap = storage.restore_some_on(DB, (&file, &logs[1]), &mut no_step);
    assert_eq!(gap, Err(Gap::TooRecent { begins, wanted }));
    for log in &logs {
        storage.restore_some_on(DB, (&file, log), &mut no_step).expect("gone on");
    }
    let (ends, wanted) = (logs[0].tail.end_lsn, logs[2].tail.end_lsn);
    let gap = storage.restore_some_on(DB, (&file, &logs[0]), &mut no_step);
    assert_eq!(gap, Err(Gap::TooEarly { ends, wanted }));
    // The page was put off behind them.
    assert_eq!(storage.end_some(DB, &mut no_step), Ok(None));
    let cancelled = storage.end_some(DB, &mut |_| Err(StorageError::Cancelled));
    assert_eq!(cancelled, Ok(None));
    let tail = take(&storage, &file, SetKind::Log);
    let cancelled = storage.restore_some_on(DB, (&file, &tail), &mut |_| Err(StorageError::Cancelled));
    assert_eq!(cancelled, Err(Gap::World(StorageError::Cancelled)));
    storage.restore_some_on(DB, (&file, &tail), &mut no_step).expect("gone on");
    assert_eq!(storage.end_some(DB, &mut no_step), Ok(Some(vec![page])));
    assert!(rows_of(&storage) == model);
}

/// What is known of a life that was cut.
#[derive(Default)]
struct Known {
    acknowledged: i64,
    /// That may be waiting.
    pages: Option<Vec<u32>>,
}

/// Rows 0, 1, 2 ... are inserted between restores of some pages.
fn live(storage: &Storage, disk: &Disk, known: &Arc<Mutex<Known>>, rng: &mut Rng) {
    let file = disk.open("live.bak", Open::ExistingOrNew).expect("a file");
    disk.sync_names().expect("its name stays");
    if storage.databases().is_empty() {
        assert_eq!(storage.held(), [], "a database that nobody gets");
        create(storage, Kind::Clustered);
    }
    if backup::sets(&file).expect("sets").is_empty() {
        take(storage, &file, SetKind::Full);
    }
    let waiting = known.lock().pages.clone();
    if let Some(pages) = waiting {
        restore(storage, &file, &pages);
        known.lock().pages = None;
    }
    let mut next = rows_of(storage).len() as i64;
    for _ in 0..3 {
        let rows = rows_of(storage);
        assert!(rows.keys().copied().eq(0..rows.len() as i64), "rows without gaps");
        assert!(rows.len() as i64 >= known.lock().acknowledged, "what was acknowledged is there");
        put(storage, DB, rng, &mut Model::new(), next..next + 15);
        next += 15;
        known.lock().acknowledged = next;
        let pages = some_pages(storage, rng);
        known.lock().pages = Some(pages.clone());
        restore(storage, &file, &pages);
        known.lock().pages = None;
    }
    assert_eq!(rows_of(storage).len() as i64, next);
}

const POINTS: [&str; 3] = ["restore.put_off", "restore.some_pages", "restore.put_back"];

#[test]
fn kills_leave_pages_as_they_were_or_waiting_or_back() {
    let seeds = seeds(16);
    let ends = Ends { lives: 6, points: &POINTS, passings_max: 6, steps_max: 3_000 };
    let mut toll = Toll::default();
    for seed in seeds.clone() {
        let (disk, known) = (SimDisk::new(SimDiskFaults::default()), Known::default());
        let known = Arc::new(Mutex::new(WaitType::SOS_MUTEX, known));
        toll.take(seed, &disk, &ends, move |storage, disk, rng| live(storage, disk, &known, rng));
    }
    toll.expect(seeds.end - seeds.start, &POINTS);
}
