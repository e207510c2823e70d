//! Backups of one database among others, taken with transactions under way, restored elsewhere and beside the original; what happens to
//! files that are not whole; and what a kill leaves of a backup or a restore.

mod common;

use std::sync::Arc;

use common::*;
use os::disk::{Disk, File, Open, SimDisk, SimDiskFaults};
use os::sched::{MachineConfig, Place, TaskKind};
use os::sync::Mutex;
use os::wait::WaitType;
use storage::backup::{self, Algorithm, Keyed, Media, Set, SetKey, Target, Wanted};
use storage::*;

const OTHER: DatabaseId = DatabaseId(6);
const COPY: DatabaseId = DatabaseId(9);
/// In rows of the other database.
const SECRET: &[u8] = b"of nobody else's concern";
const KINDS: [Kind; 4] = [Kind::Heap, Kind::Clustered, Kind::Hash, Kind::Ordered];

fn read_of(storage: &Storage, db: DatabaseId, index: u32) -> Model {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    let table = storage.open_table(db, TABLE).expect("the table");
    let mut spec = ScanSpec::all(IndexId(index), vec![0, 1, 2, 3]);
    spec.lookup = index != COVERING;
    spec.ignore_own_statement = false;
    let mut scan = table.scan(&mut tx, spec).expect("a scan");
    let mut model = Model::new();
    let mut batch = types::RowBatch::new(table.layout().row.classes());
    while scan.fill(&mut tx, &mut batch, 50).expect("rows") > 0 {
        for row in 0..batch.rows {
            let bytes = |column: usize| {
                let datum = batch.columns[column].datum(row);
                (!datum.is_null()).then(|| datum.as_bytes().to_vec())
            };
            let number = |column: usize| batch.columns[column].datum(row).as_i64();
            assert!(model.insert(number(0), (bytes(1), number(2), bytes(3))).is_none(), "a row twice");
        }
        batch.clear();
    }
    model
}

/// The rows by every index, and the pages whole.
fn rows_of(storage: &Storage, db: DatabaseId) -> Model {
    let rows = read_of(storage, db, 1);
    assert!(rows == read_of(storage, db, 2), "the indexes disagree");
    let is_on_pages = !storage.open_table(db, TABLE).expect("the table").is_memory_optimized();
    assert!(!is_on_pages || rows == read_of(storage, db, COVERING), "the covering index disagrees");
    storage.check_pages(db).expect("whole pages");
    rows
}

fn change(storage: &Storage, db: DatabaseId, tx: &mut Transaction, rng: &mut Rng, model: &mut Model, keys: u64) {
    let table = storage.open_table(db, TABLE).expect("the table");
    tx.begin_statement();
    let id = rng.next(keys) as i64;
    let long = if rng.next(12) == 0 { value(rng, 20_000) } else { None };
    let row = (value(rng, 2500), rng.next(20) as i64, long);
    match (locator(&table, tx, id).expect("found or not"), rng.next(3)) {
        (Some(locator), 0) => {
            table.delete(tx, &locator).expect("deleted");
            model.remove(&id);
        }
        (Some(locator), _) => {
            table.update(tx, &locator, &image(table.layout(), id, &row)).expect("updated");
            model.insert(id, row);
        }
        (None, _) => {
            table.insert(tx, &image(table.layout(), id, &row)).expect("inserted");
            model.insert(id, row);
        }
    }
}

fn churn(storage: &Storage, db: DatabaseId, rng: &mut Rng, model: &mut Model, transactions: u64) {
    for _ in 0..transactions {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let mut changed = model.clone();
        for _ in 0..1 + rng.next(8) {
            change(storage, db, &mut tx, rng, &mut changed, 300);
        }
        if rng.next(6) == 0 {
            tx.rollback().expect("rolled back");
        } else {
            tx.commit(Durability::Full).expect("committed");
            *model = changed;
        }
    }
}

fn create_other(storage: &Storage, kind: Kind) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.create_database(&mut tx, OTHER, "other").expect("a database");
    storage.create_table(&mut tx, OTHER, TABLE, &layout(kind)).expect("a table");
    tx.commit(Durability::Full).expect("committed");
}

fn put_secret(storage: &Storage, id: i64) {
    let table = storage.open_table(OTHER, TABLE).expect("the table");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    table.insert(&mut tx, &image(table.layout(), id, &(Some(SECRET.to_vec()), 1, None))).expect("inserted");
    tx.commit(Durability::Full).expect("committed");
}

fn no_step(_: backup::Progress) -> StorageResult<()> {
    Ok(())
}

fn take(storage: &Storage, file: &dyn Media, at: u64, compressed: bool) -> Set {
    storage
        .backup(DB, file, at, &Wanted { about: b"what master knows", compressed, ..Wanted::default() }, &mut no_step)
        .expect("a backup")
}

fn restore(storage: &Storage, db: DatabaseId, file: &dyn Media, at: u64) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.restore(&mut tx, Target { database: db, name: "copy" }, file, at, &mut no_step).expect("restored");
    tx.commit(Durability::Full).expect("committed");
}

fn bytes_of(file: &File) -> Vec<u8> {
    let mut bytes = vec![0; file.len().expect("a length") as usize];
    file.read_at(&mut bytes, 0).expect("read");
    bytes
}

fn sim_disk() -> SimDisk {
    SimDisk::new(SimDiskFaults::default())
}

#[test]
fn a_tree_that_is_built_meanwhile_comes_back_with_its_rows() {
    let disk = Disk::Sim(sim_disk());
    let storage = Storage::open(roomy(&disk)).expect("opened");
    create(&storage, Kind::Clustered);
    let mut model = Model::new();
    churn(&storage, DB, &mut Rng(11), &mut model, 80);
    let file = disk.open("five.bak", Open::New).expect("a file");
    let mut steps = 0;
    let rebuilt = storage.backup(DB, &file, 0, &Wanted::default(), &mut |_| {
        steps += 1;
        if steps == 2 {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            for index in [1, 2] {
                building(Fill::default(), |build| storage.rebuild_index(&mut tx, DB, TABLE, IndexId(index), build))?;
            }
            tx.commit(Durability::Full)?;
        }
        Ok(())
    });
    let set = rebuilt.expect("a backup");
    restore(&storage, COPY, &file, set.from);
    assert!(steps > 2 && rows_of(&storage, COPY) == model, "{steps} steps");
}

#[test]
fn what_was_committed_comes_back_here_and_elsewhere() {
    for (number, kind) in KINDS.into_iter().enumerate() {
        let mut rng = Rng(0x5eed + number as u64);
        let disk = Disk::Sim(sim_disk());
        let storage = Storage::open(roomy(&disk)).expect("opened");
        create(&storage, kind);
        create_other(&storage, kind);
        put_secret(&storage, 1);
        let (mut model, mut others) = (Model::new(), Model::new());
        churn(&storage, DB, &mut rng, &mut model, 60);
        // Under way: its changes are in pages and log, or in memory.
        let mut open = storage.begin(Isolation::ReadCommitted);
        let mut later = model.clone();
        let table = storage.open_table(DB, TABLE).expect("the table");
        for id in 5000..5040 {
            open.begin_statement();
            let row = (value(&mut rng, 2500), 3, value(&mut rng, 9000));
            table.insert(&mut open, &image(table.layout(), id, &row)).expect("inserted");
            later.insert(id, row);
        }
        churn(&storage, DB, &mut rng, &mut model, 20);
        put_secret(&storage, 2);
        let file = disk.open("five.bak", Open::New).expect("a file");
        let mut steps = 0;
        // While it runs things change: what is committed by its end is in it.
        let set = storage
            .backup(DB, &file, 0, &Wanted { about: b"what master knows", ..Wanted::default() }, &mut |_| {
                steps += 1;
                if steps == 2 {
                    churn(&storage, DB, &mut rng, &mut model, 20);
                    put_secret(&storage, 3);
                    storage.checkpoint().expect("a checkpoint meanwhile");
                    churn(&storage, DB, &mut rng, &mut model, 20);
                }
                Ok(())
            })
            .expect("a backup");
        assert!(steps > 2, "{steps} steps");
        let at_end = model.clone();
        open.commit(Durability::Full).expect("committed after the backup");
        assert_eq!((set.head.about.as_slice(), set.head.name.as_str()), (b"what master knows".as_slice(), "five"));
        let bytes = bytes_of(&file);
        assert!(!bytes.windows(SECRET.len()).any(|part| part == SECRET), "{kind:?}: rows of another database");
        // A second one behind it, compressed.
        let second = take(&storage, &file, set.to, true);
        assert!(second.to - second.from < set.to - set.from, "{kind:?}: deflating saves something");
        assert_eq!(backup::sets(&file), Ok(vec![set.clone(), second.clone()]));
        churn(&storage, OTHER, &mut rng, &mut others, 10);

        restore(&storage, COPY, &file, set.from);
        assert!(rows_of(&storage, COPY) == at_end, "{kind:?}: beside the original");
        let elsewhere = Disk::Sim(sim_disk());
        let target = Storage::open(roomy(&elsewhere)).expect("opened");
        restore(&target, DB, &file, set.from);
        assert!(rows_of(&target, DB) == at_end, "{kind:?}: elsewhere");
        // The second one has what was committed since.
        let mut tx = target.begin(Isolation::ReadCommitted);
        target.restore(&mut tx, Target { database: COPY, name: "two" }, &file, second.from, &mut no_step).expect("two");
        tx.commit(Durability::Full).expect("committed");
        let two = rows_of(&target, COPY);
        assert!(later.iter().filter(|(id, _)| **id >= 5000).all(|(id, row)| two.get(id) == Some(row)), "{kind:?}");

        // They go on, and come back after a restart.
        let mut copied = at_end.clone();
        churn(&target, DB, &mut rng, &mut copied, 40);
        assert!(rows_of(&target, DB) == copied, "{kind:?}: goes on");
        drop(target);
        let target = Storage::open(roomy(&elsewhere)).expect("opened again");
        assert!(rows_of(&target, DB) == copied, "{kind:?}: after a restart");
        churn(&target, DB, &mut rng, &mut copied, 40);
        assert!(rows_of(&target, DB) == copied && rows_of(&target, COPY) == two, "{kind:?}: goes on after a restart");
    }
}

/// A heap's rows are numbered; an instance that has given fewer numbers than the one the backup is from must not give them again.
#[test]
fn row_numbers_of_a_restored_heap_are_not_given_again() {
    let disk = Disk::Sim(sim_disk());
    let storage = Storage::open(roomy(&disk)).expect("opened");
    create(&storage, Kind::Heap);
    let table = storage.open_table(DB, TABLE).expect("the table");
    // A log far longer than the target's, and rows at its end.
    let mut rng = Rng(77);
    let mut model = Model::new();
    churn(&storage, DB, &mut rng, &mut model, 300);
    // The locator of a heap's row is its number.
    let mut highest = Vec::new();
    for id in 9000..9100 {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        tx.begin_statement();
        let row = (None, 1, None);
        let locator = table.insert(&mut tx, &image(table.layout(), id, &row)).expect("inserted").to_vec();
        tx.commit(Durability::Full).expect("committed");
        assert!(locator > highest, "numbers ascend");
        highest = locator;
        model.insert(id, row);
    }
    let file = disk.open("heap.bak", Open::New).expect("a file");
    let set = take(&storage, &file, 0, true);
    let elsewhere = Disk::Sim(sim_disk());
    let mut target = Storage::open(roomy(&elsewhere)).expect("opened");
    assert!(target.metrics().log_hardened_lsn + 100_000 < set.head.scan_lsn, "the target is young");
    restore(&target, DB, &file, 0);
    for life in 0..4 {
        for id in 0..50 {
            let mut tx = target.begin(Isolation::ReadCommitted);
            tx.begin_statement();
            let id = 10_000 + life * 100 + id;
            let table = target.open_table(DB, TABLE).expect("the table");
            let locator =
                table.insert(&mut tx, &image(table.layout(), id, &(None, 2, None))).expect("inserted").to_vec();
            tx.commit(Durability::Full).expect("committed");
            assert!(locator > highest, "life {life}: a number that was given");
            highest = locator;
            model.insert(id, (None, 2, None));
        }
        assert!(rows_of(&target, DB) == model, "life {life}");
        drop(target);
        target = Storage::open(roomy(&elsewhere)).expect("opened again");
    }
}

/// A file, as it is written and read by who has the key of its set.
fn keyed(disk: &Disk, name: &str, key: u8) -> Keyed {
    let media = Keyed::new(Box::new(disk.open(name, Open::ExistingOrNew).expect("a file")));
    media.unlock(SetKey::new(Algorithm::Aes256, &[key; 32]));
    media
}

/// Where the blocks of a file begin.
fn blocks_of(bytes: &[u8]) -> Vec<usize> {
    let (mut at, mut found) = (0, Vec::new());
    while at < bytes.len() {
        found.push(at);
        at += 24 + u32::from_le_bytes(bytes[at + 12..at + 16].try_into().expect("four bytes")) as usize;
    }
    found
}

/// As somebody leaves it who knows of checksums and has no key.
fn checksum(block: &mut [u8]) {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&block[..20]);
    crc.update(&block[24..]);
    block[20..24].copy_from_slice(&crc.finalize().to_le_bytes());
}

#[test]
fn what_is_encrypted_is_read_with_its_key_and_as_it_was_written() {
    const MARK: &[u8] = b"nobody reads what stands here";
    for kind in KINDS {
        let disk = Disk::Sim(sim_disk());
        let storage = Storage::open(roomy(&disk)).expect("opened");
        create(&storage, kind);
        let table = storage.open_table(DB, TABLE).expect("a table");
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let row = (Some(MARK.to_vec()), 1, Some(MARK.repeat(2_000)));
        table.insert(&mut tx, &image(table.layout(), 1, &row)).expect("a row");
        tx.commit(Durability::Full).expect("committed");
        storage.checkpoint().expect("a checkpoint");
        let has_mark = |file: &File| bytes_of(file).windows(MARK.len()).any(|part| part == MARK);
        let clear = disk.open("clear.bak", Open::New).expect("a file");
        take(&storage, &clear, 0, false);
        assert!(has_mark(&clear), "a clear backup shows what is looked for");
        for (compressed, copy) in [(false, COPY), (true, DatabaseId(10))] {
            let media = keyed(&disk, "encrypted.bak", 5);
            take(&storage, &media, 0, compressed);
            let file = disk.open("encrypted.bak", Open::Read).expect("a file");
            assert!(!has_mark(&file));
            // What it is can be told without the key, and nothing else.
            let sets = backup::sets(&file).expect("a set");
            assert!(sets.len() == 1 && sets[0].head.encrypted, "{sets:?}");
            for media in [&file as &dyn Media, &keyed(&disk, "encrypted.bak", 6)] {
                assert!(matches!(backup::verify(media, 0, &mut no_step), Err(StorageError::Damaged(_))));
            }
            restore(&storage, copy, &media, 0);
            assert!(rows_of(&storage, copy) == rows_of(&storage, DB));
        }
    }
}

#[test]
fn no_change_of_an_encrypted_set_is_taken_for_it() {
    let disk = Disk::Sim(sim_disk());
    let storage = Storage::open(roomy(&disk)).expect("opened");
    create(&storage, Kind::Clustered);
    let mut rng = Rng(4);
    churn(&storage, DB, &mut rng, &mut Model::new(), 120);
    let taken = |name: &str| {
        take(&storage, &keyed(&disk, name, 5), 0, false);
        bytes_of(&disk.open(name, Open::Read).expect("a file"))
    };
    let (bytes, others) = (taken("whole.bak"), taken("other.bak"));
    let damaged = disk.open("damaged.bak", Open::New).expect("a file");
    let blocks = blocks_of(&bytes);
    assert!(blocks.len() > 4, "{} blocks", blocks.len());
    let is_refused = |changed: &[u8]| {
        damaged.set_len(0).expect("emptied");
        damaged.write_at(changed, 0).expect("written");
        let found = backup::verify(&keyed(&disk, "damaged.bak", 5), 0, &mut no_step);
        matches!(found, Err(StorageError::Damaged(_) | StorageError::NewerFormat { .. }))
    };
    assert!(!is_refused(&bytes));
    let end_of = |block: usize| blocks.get(block + 1).copied().unwrap_or(bytes.len());
    for _ in 0..400 {
        let block = rng.next(blocks.len() as u64) as usize;
        let (start, end) = (blocks[block], end_of(block));
        // Half of the changes in the head, where every bit says something.
        let at =
            start + if rng.next(2) == 0 { rng.next(20) } else { 24 + rng.next((end - start - 24) as u64) } as usize;
        let mut changed = bytes.clone();
        changed[at] ^= 1 << rng.next(8);
        checksum(&mut changed[start..end]);
        assert!(is_refused(&changed), "byte {at} of block {block}");
    }
    // Two blocks in each other's place, each with the other's number.
    let mut changed = Vec::new();
    for block in [0, 2, 1].into_iter().chain(3..blocks.len()) {
        let mut bytes = bytes[blocks[block]..end_of(block)].to_vec();
        let number = [0, 2, 1].get(block).copied().unwrap_or(block) as u32;
        bytes[8..12].copy_from_slice(&number.to_le_bytes());
        checksum(&mut bytes);
        changed.extend(bytes);
    }
    assert!(is_refused(&changed), "blocks that were exchanged");
    for length in [0, blocks[1], blocks[2], bytes.len() - 1] {
        assert!(is_refused(&bytes[..length]), "cut at {length}");
    }
    // A block of another set of the same database, under the same key.
    let theirs = blocks_of(&others);
    let mut changed = bytes.clone();
    changed.splice(blocks[1]..blocks[2], others[theirs[1]..theirs[2]].iter().copied());
    assert!(is_refused(&changed), "another set's block");
}

#[test]
fn a_backup_that_is_not_whole_is_refused() {
    let disk = Disk::Sim(sim_disk());
    let storage = Storage::open(roomy(&disk)).expect("opened");
    create(&storage, Kind::Clustered);
    let mut rng = Rng(3);
    churn(&storage, DB, &mut rng, &mut Model::new(), 3);
    let file = disk.open("whole.bak", Open::New).expect("a file");
    take(&storage, &file, 0, true);
    let bytes = bytes_of(&file);
    assert!(backup::verify(&file, 0, &mut no_step).is_ok());
    let damaged = disk.open("damaged.bak", Open::New).expect("a file");
    damaged.write_at(&bytes, 0).expect("written");
    let mut at = 0;
    while at < bytes.len() {
        damaged.write_at(&[bytes[at] ^ 1 << rng.next(8)], at as u64).expect("flipped");
        let found = backup::verify(&damaged, 0, &mut no_step);
        let is_refused = matches!(found, Err(StorageError::Damaged(_) | StorageError::NewerFormat { .. }));
        assert!(is_refused, "byte {at}: {found:?}");
        damaged.write_at(&bytes[at..at + 1], at as u64).expect("as it was");
        at += if at < 200 || at + 200 > bytes.len() { 1 } else { 1 + rng.next(97) as usize };
    }
    for _ in 0..50 {
        let length = rng.next(bytes.len() as u64);
        damaged.set_len(length).expect("cut");
        assert!(backup::verify(&damaged, 0, &mut no_step).is_err(), "cut at {length}");
        assert_eq!(backup::sets(&damaged), Ok(Vec::new()), "cut at {length}");
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let target = Target { database: COPY, name: "copy" };
        assert!(storage.restore(&mut tx, target, &damaged, 0, &mut no_step).is_err(), "cut at {length}");
        tx.rollback().expect("rolled back");
        damaged.write_at(&bytes[length as usize..], length).expect("as it was");
    }
    assert_eq!(storage.databases(), [DB], "nothing is left of a restore that was refused");
    // Ended by its taker.
    let ended = storage.backup(DB, &damaged, 0, &Wanted::default(), &mut |_| Err(StorageError::Cancelled));
    assert_eq!((ended, damaged.len()), (Err(StorageError::Cancelled), Ok(0)));
    restore(&storage, COPY, &file, 0);
    assert!(rows_of(&storage, COPY) == rows_of(&storage, DB));
}

#[test]
fn a_restore_that_is_rolled_back_leaves_nothing() {
    for kind in [Kind::Heap, Kind::Hash] {
        let disk = Disk::Sim(sim_disk());
        let storage = Storage::open(roomy(&disk)).expect("opened");
        create(&storage, kind);
        let mut model = Model::new();
        churn(&storage, DB, &mut Rng(9), &mut model, 30);
        let file = disk.open("five.bak", Open::New).expect("a file");
        take(&storage, &file, 0, true);
        let before = disk.list().expect("names");
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let target = Target { database: COPY, name: "copy" };
        storage.restore(&mut tx, target, &file, 0, &mut no_step).expect("restored");
        tx.rollback().expect("rolled back");
        assert_eq!((storage.databases(), disk.list()), (vec![DB], Ok(before)), "{kind:?}");
        restore(&storage, COPY, &file, 0);
        assert!(rows_of(&storage, COPY) == model && rows_of(&storage, DB) == model, "{kind:?}");
        let taken = Target { database: COPY, name: "again" };
        let mut tx = storage.begin(Isolation::ReadCommitted);
        assert_eq!(storage.restore(&mut tx, taken, &file, 0, &mut no_step), Err(StorageError::AlreadyExists));
    }
}

/// What is known of a life that was cut.
#[derive(Default)]
struct Known {
    /// Where the backups are that were acknowledged.
    backups: Vec<u64>,
    acknowledged: i64,
    restored: Option<DatabaseId>,
}

/// One session inserts rows 0, 1, 2 ... in transactions of their own; beside it backups are taken and restored. In a backup are all rows
/// that were acknowledged before it began, and no row without those before it.
fn live(storage: &Storage, disk: &Disk, kind: Kind, known: &Arc<Mutex<Known>>) {
    let file = disk.open("live.bak", Open::ExistingOrNew).expect("a file");
    disk.sync_names().expect("its name stays");
    if storage.databases().is_empty() {
        create(storage, kind);
    }
    let files = disk.list().expect("names").iter().filter(|name| name.ends_with(".hdb")).count();
    assert_eq!(files, storage.databases().len(), "a data file that is nobody's");
    assert_eq!(disk.subdirectory("restore").expect("there").list(), Ok(Vec::new()), "left by a restore");
    let first = read_of(storage, DB, 1).len() as i64;
    assert!(first >= known.lock().acknowledged, "what was acknowledged is there");
    let restored = known.lock().restored;
    assert!(restored.is_none_or(|db| storage.databases().contains(&db)), "a restore that was acknowledged");
    for db in storage.databases() {
        let rows = rows_of(storage, db);
        assert!(rows.keys().copied().eq(0..rows.len() as i64), "rows without gaps in {db:?}");
    }
    let (writer, written) = (storage.clone(), known.clone());
    let session = os::sched::spawn(TaskKind::Request, Place::LeastLoaded, move || {
        let table = writer.open_table(DB, TABLE).expect("the table");
        for id in first..first + 150 {
            let mut tx = writer.begin(Isolation::ReadCommitted);
            tx.begin_statement();
            let row = (Some(vec![b'r'; (id % 900) as usize]), id % 20, None);
            table.insert(&mut tx, &image(table.layout(), id, &row)).expect("inserted");
            tx.commit(Durability::Full).expect("committed");
            written.lock().acknowledged = id + 1;
        }
    });
    for _ in 0..3 {
        let before = known.lock().acknowledged;
        let at = backup::sets(&file).expect("sets").last().map_or(0, |set| set.to);
        let set = storage.backup(DB, &file, at, &Wanted::default(), &mut no_step).expect("a backup");
        known.lock().backups.push(set.from);
        if let Some(db) = storage.databases().into_iter().find(|db| *db != DB) {
            let mut tx = storage.begin(Isolation::ReadCommitted);
            known.lock().restored = None;
            storage.drop_database(&mut tx, db).expect("dropped");
            tx.commit(Durability::Full).expect("committed");
        }
        let newest = DatabaseId(20 + os::random::u64() as u16 % 100);
        restore(storage, newest, &file, set.from);
        known.lock().restored = Some(newest);
        assert!(rows_of(storage, newest).len() as i64 >= before, "all that was acknowledged before");
    }
    session.join().expect("no panic");
    // Not under the lock: a kill would leave it held.
    let backups = known.lock().backups.clone();
    for at in backups {
        backup::verify(&file, at, &mut no_step).expect("a backup that was acknowledged");
    }
}

const POINTS: [&str; 7] = [
    "backup.pinned",
    "backup.pages",
    "backup.tail",
    "restore.unpacked",
    "restore.pages",
    "restore.copied",
    "restore.created",
];

#[test]
fn kills_leave_no_half_of_a_restored_database() {
    let seeds = seeds(12);
    let ends = Ends { lives: 5, points: &POINTS, passings_max: 3, steps_max: 6_000 };
    let mut toll = Toll::default();
    for seed in seeds.clone() {
        let kind = KINDS[seed as usize % KINDS.len()];
        let known = Arc::new(Mutex::new(WaitType::SOS_MUTEX, Known::default()));
        toll.take(seed, &sim_disk(), &ends, move |storage, disk, _| live(storage, disk, kind, &known));
    }
    toll.expect(seeds.end - seeds.start, &POINTS);
}

#[test]
fn definitions_under_way_are_not_in_a_backup() {
    let disk = Disk::Sim(sim_disk());
    let storage = Storage::open(roomy(&disk)).expect("opened");
    create(&storage, Kind::Clustered);
    let mut model = Model::new();
    churn(&storage, DB, &mut Rng(21), &mut model, 40);
    let [made, dropped, gone] = [78, 79, 80].map(TableId);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    for table in [dropped, gone] {
        storage.create_table(&mut tx, DB, table, &layout(Kind::Heap)).expect("a table");
    }
    tx.commit(Durability::Full).expect("committed");
    let mut open = storage.begin(Isolation::ReadCommitted);
    storage.create_table(&mut open, DB, made, &layout(Kind::Clustered)).expect("a table");
    storage.drop_table(&mut open, DB, dropped).expect("dropped");
    let file = disk.open("five.bak", Open::New).expect("a file");
    let mut steps = 0;
    storage
        .backup(DB, &file, 0, &Wanted::default(), &mut |_| {
            steps += 1;
            if steps == 1 {
                let mut tx = storage.begin(Isolation::ReadCommitted);
                storage.drop_table(&mut tx, DB, gone).expect("dropped while it runs");
                tx.commit(Durability::Full).expect("committed");
            }
            Ok(())
        })
        .expect("a backup");
    open.commit(Durability::Full).expect("committed after the backup");
    assert_eq!(storage.tables(DB), Ok(vec![TABLE, made]));
    restore(&storage, COPY, &file, 0);
    assert_eq!(storage.tables(COPY), Ok(vec![TABLE, dropped]));
    assert!(rows_of(&storage, COPY) == model);
}

/// On the real disk, with a page torn there: what the buffer has is good, and what nobody has is named.
#[test]
fn a_torn_page_is_taken_from_memory_or_named() {
    let path = os::fs::temporary("backup-torn");
    let disk = Disk::directory(&path).expect("a directory");
    let mut limits = roomy(&disk);
    // All pages stay in memory.
    limits.memory_bytes = 64 << 20;
    let storage = Storage::open(limits).expect("opened");
    create(&storage, Kind::Clustered);
    let mut model = Model::new();
    churn(&storage, DB, &mut Rng(5), &mut model, 60);
    storage.checkpoint().expect("a checkpoint");
    let data = disk.open("d00001.hdb", Open::Existing).expect("the data file");
    let mut page = [0; 8192];
    let torn = (3..).find(|number| {
        data.read_at(&mut page, number * 8192).expect("a page with rows");
        storage::pages::page::kind(&page) == Some(storage::pages::page::PageKind::Leaf)
    });
    data.write_at(&[0x5a; 512], torn.expect("found") * 8192 + 4096).expect("torn");
    let file = disk.open("five.bak", Open::New).expect("a file");
    take(&storage, &file, 0, true);
    restore(&storage, COPY, &file, 0);
    assert!(rows_of(&storage, COPY) == model && rows_of(&storage, DB) == model);
    assert_eq!(disk.subdirectory("restore").expect("there").list(), Ok(Vec::new()), "nothing is left");
    drop(storage);
    let copies = disk.open("doublewrite.hdw", Open::Existing).expect("the last batch");
    copies.write_at(&[0; 4], 0).expect("no copies");
    let storage = Storage::open(roomy(&disk)).expect("opened");
    let refused = storage.backup(DB, &file, 0, &Wanted::default(), &mut no_step);
    let named = matches!(refused, Err(StorageError::CorruptPage { page, .. }) if Some(u64::from(page.page)) == torn);
    assert!(named, "{refused:?}");
    assert!(rows_of(&storage, COPY) == model, "the copy is whole after a restart");
    drop(storage);
    os::fs::remove_dir_all(&path).ok();
}

/// On real schedulers and a real disk, with far fewer frames than pages, so that pages are written while they are read.
#[test]
fn a_backup_under_load_is_of_one_moment() {
    const SESSIONS: i64 = 3;
    /// Each transaction adds this many rows to each of its session's.
    const ROWS: i64 = 7;
    let path = os::fs::temporary("backup-load");
    let disk = Disk::directory(&path).expect("a directory");
    let mut limits = roomy(&disk);
    limits.log_flush_ms = 2;
    limits.recovery_interval_ms = 200;
    let cpus = os::limits::usable_cpus().iter().cycle().take(2).copied().collect();
    let machine = os::sched::start(MachineConfig { cpus, pinned: false, ..MachineConfig::default() });
    machine.run(move || {
        let storage = Storage::open(limits).expect("opened");
        create(&storage, Kind::Clustered);
        let ended = Arc::new(Mutex::new(WaitType::SOS_MUTEX, false));
        let sessions = (0..SESSIONS).map(|session| {
            let (storage, ended) = (storage.clone(), ended.clone());
            os::sched::spawn(TaskKind::Request, Place::LeastLoaded, move || {
                let table = storage.open_table(DB, TABLE).expect("the table");
                let mut rng = Rng(session as u64 + 1);
                let mut next = 0;
                while !*ended.lock() && next < 20_000 {
                    let mut tx = storage.begin(Isolation::ReadCommitted);
                    for _ in 0..ROWS {
                        tx.begin_statement();
                        // Spread, so that many pages change.
                        let id = session * 1_000_000 + next * 7919 % 100_003;
                        let row = (value(&mut rng, 1500), next, value(&mut rng, 3000));
                        table.insert(&mut tx, &image(table.layout(), id, &row)).expect("inserted");
                        next += 1;
                    }
                    tx.commit(Durability::Delayed).expect("committed");
                }
                next
            })
        });
        let sessions: Vec<_> = sessions.collect();
        let mut before = 0;
        for round in 0..4 {
            os::wait::sleep(WaitType::WAITFOR, 60);
            let file = disk.open(&format!("{round}.bak"), Open::New).expect("a file");
            take(&storage, &file, 0, round % 2 == 0);
            restore(&storage, COPY, &file, 0);
            let copied = rows_of(&storage, COPY);
            for session in 0..SESSIONS {
                let rows = copied.range(session * 1_000_000..(session + 1) * 1_000_000);
                let mut numbers: Vec<i64> = rows.map(|(_, row)| row.1).collect();
                numbers.sort_unstable();
                assert!(numbers.len() as i64 % ROWS == 0, "round {round}: a transaction by half");
                assert!(numbers.iter().copied().eq(0..numbers.len() as i64), "round {round}: the first of its rows");
            }
            assert!(copied.len() >= before, "round {round}: {} rows after {before}", copied.len());
            before = copied.len();
            let mut tx = storage.begin(Isolation::ReadCommitted);
            storage.drop_database(&mut tx, COPY).expect("dropped");
            tx.commit(Durability::Full).expect("committed");
        }
        *ended.lock() = true;
        let inserted: i64 = sessions.into_iter().map(|session| session.join().expect("no panic")).sum();
        assert!(before > 0 && inserted as usize >= before, "{before} of {inserted}");
        storage.shutdown().expect("ended");
    });
    machine.stop();
    os::fs::remove_dir_all(&path).ok();
}

/// While a backup is taken the log that its pages need stays, and whoever asks hears why; afterwards it goes.
#[test]
fn a_backup_is_named_as_what_holds_the_log() {
    let disk = Disk::Sim(sim_disk());
    let storage = Storage::open(roomy(&disk)).expect("opened");
    create(&storage, Kind::Clustered);
    let (mut rng, mut model) = (Rng(0x1065), Model::new());
    churn(&storage, DB, &mut rng, &mut model, 60);
    let file = disk.open("held.bak", Open::New).expect("a file");
    let mut holders = Vec::new();
    storage
        .backup(DB, &file, 0, &Wanted::default(), &mut |_| {
            if holders.is_empty() {
                for _ in 0..6 {
                    churn(&storage, DB, &mut rng, &mut model, 60);
                    storage.checkpoint().expect("a checkpoint meanwhile");
                    holders.push(storage.log_space().holder);
                }
            }
            Ok(())
        })
        .expect("a backup");
    assert!(holders.contains(&LogHolder::Backup), "{holders:?}");
    storage.checkpoint().expect("a checkpoint");
    assert!(storage.log_space().holder != LogHolder::Backup);
}

fn take_of(storage: &Storage, file: &File, at: u64, kind: backup::SetKind, number: u128) -> Set {
    let number = (kind == backup::SetKind::Full).then_some(number);
    let wanted = Wanted { kind, number, keeps_log: true, about: b"what master knows", ..Wanted::default() };
    storage.backup(DB, file, at, &wanted, &mut no_step).expect("a backup")
}

fn finish(storage: &Storage, db: DatabaseId) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.finish_restore(&mut tx, Target { database: db, name: "copy" }, &mut no_step).expect("recovered");
    tx.commit(Durability::Full).expect("committed");
    storage.forget_restore(db).expect("forgotten");
}

fn drop_copy(storage: &Storage) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.drop_database(&mut tx, COPY).expect("dropped");
    tx.commit(Durability::Full).expect("committed");
}

/// What the database was at a moment, and which log backup has that moment.
struct Moment {
    ticks: u64,
    model: Model,
    log: usize,
}

/// Changes the database and its neighbour, and notes what it was at some moments.
fn some_moments(storage: &Storage, rng: &mut Rng, model: &mut Model, log: usize, moments: &mut Vec<Moment>) {
    for _ in 0..3 {
        let transactions = 4 + rng.next(12);
        churn(storage, DB, rng, model, transactions);
        put_secret(storage, rng.next(1 << 50) as i64);
        moments.push(Moment { ticks: os::clock::utc_ticks(), model: model.clone(), log });
        // The next commit is later than this moment.
        while os::clock::utc_ticks() == moments.last().expect("one").ticks {}
    }
}

#[test]
fn a_chain_of_logs_leads_to_every_moment() {
    for (seed, kind) in KINDS.into_iter().enumerate() {
        let mut rng = Rng(0x2545_f491_4f6c_dd1d ^ (seed as u64 + 1) << 32);
        let disk = Disk::memory();
        let mut storage = Storage::open(roomy(&disk)).expect("opened");
        create(&storage, kind);
        create_other(&storage, kind);
        let mut model = Model::new();
        churn(&storage, DB, &mut rng, &mut model, 40);
        let file = disk.open("chain", Open::New).expect("a file");
        assert_eq!(storage.chain(DB), Ok(Chain::default()));
        let refused =
            storage.backup(DB, &file, 0, &Wanted { kind: backup::SetKind::Log, ..Wanted::default() }, &mut no_step);
        assert_eq!(refused, Err(StorageError::NoBackup));
        let full = take_of(&storage, &file, 0, backup::SetKind::Full, 77);
        let (mut logs, mut moments, mut at, mut differential) = (Vec::new(), Vec::new(), full.to, None);
        for log in 0..5 {
            some_moments(&storage, &mut rng, &mut model, log, &mut moments);
            if log == 2 {
                let set = take_of(&storage, &file, at, backup::SetKind::Differential, 0);
                assert_eq!((set.head.base, set.head.base_lsn), (77, full.head.redo_lsn));
                at = set.to;
                differential = Some((set, model.clone()));
            }
            // A life ends without a word in between, and log is kept all the same.
            if rng.next(2) == 0 {
                drop(storage);
                storage = Storage::open(roomy(&disk)).expect("opened again");
            }
            let set = take_of(&storage, &file, at, backup::SetKind::Log, 0);
            assert_eq!(set.head.scan_lsn, logs.last().map_or(full.tail.end_lsn, |last: &Set| last.tail.end_lsn));
            assert_eq!(storage.chain(DB).expect("a chain").log_from, set.tail.end_lsn);
            at = set.to;
            logs.push(set);
        }
        for moment in moments.iter().filter(|_| rng.next(3) == 0) {
            storage.begin_restore(COPY, (&file, full.from), None, &mut no_step).expect("begun");
            for (number, log) in logs[..=moment.log].iter().enumerate() {
                let stop = Some(backup::Stop::At(moment.ticks));
                let (_, reached) = storage.restore_log(COPY, (&file, log.from), stop, &mut no_step).expect("applied");
                assert_eq!(reached, number == moment.log);
            }
            finish(&storage, COPY);
            assert!(rows_of(&storage, COPY) == moment.model, "{kind:?}: a moment of log {}", moment.log);
            drop_copy(&storage);
        }
        // Past the others by a differential one, and on to the end.
        let (set, then) = differential.expect("taken");
        storage.begin_restore(COPY, (&file, full.from), None, &mut no_step).expect("begun");
        storage.restore_pages(COPY, (&file, set.from), None, &mut no_step).expect("applied");
        for log in &logs[2..] {
            storage.restore_log(COPY, (&file, log.from), None, &mut no_step).expect("applied");
        }
        finish(&storage, COPY);
        assert!(rows_of(&storage, COPY) == model, "{kind:?}: the end");
        drop_copy(&storage);
        storage.begin_restore(COPY, (&file, full.from), None, &mut no_step).expect("begun");
        let gap = storage.restore_log(COPY, (&file, logs[1].from), None, &mut no_step);
        let (begins, wanted) = (logs[1].head.scan_lsn, full.tail.end_lsn);
        assert_eq!(gap.map(drop), Err(backup::Gap::TooRecent { begins, wanted }));
        storage.restore_pages(COPY, (&file, set.from), None, &mut no_step).expect("applied");
        let (ends, wanted) = (logs[0].tail.end_lsn, set.tail.end_lsn);
        let gap = storage.restore_log(COPY, (&file, logs[0].from), None, &mut no_step);
        assert_eq!(gap.map(drop), Err(backup::Gap::TooEarly { ends, wanted }));
        finish(&storage, COPY);
        assert!(rows_of(&storage, COPY) == then, "{kind:?}: the differential backup");
        storage.end_log_chain(DB).expect("ended");
        assert_eq!(storage.chain(DB).expect("a chain").log_from, 0);
    }
}

/// What is restored from the log of a file that nobody can open is what was committed, whatever was under way when it was lost: also what the
/// start has rolled back without that file.
#[test]
fn the_log_of_a_lost_file_has_what_was_committed_and_nothing_else() {
    for seed in seeds(16) {
        let kind = KINDS[seed as usize % KINDS.len()];
        let mut rng = Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let disk = Disk::memory();
        let file = disk.open("chain", Open::New).expect("a file");
        let storage = Storage::open(roomy(&disk)).expect("opened");
        create(&storage, kind);
        create_other(&storage, Kind::Clustered);
        let (mut model, mut others) = (Model::new(), Model::new());
        churn(&storage, DB, &mut rng, &mut model, 40);
        let full = take_of(&storage, &file, 0, backup::SetKind::Full, 1);
        churn(&storage, DB, &mut rng, &mut model, 30);
        let log = take_of(&storage, &file, full.to, backup::SetKind::Log, 0);
        churn(&storage, DB, &mut rng, &mut model, 20);
        // One that never ends, in both databases.
        let (mut lost, mut lost_others) = (model.clone(), others.clone());
        let mut open = storage.begin(Isolation::ReadCommitted);
        for _ in 0..1 + rng.next(40) {
            change(&storage, DB, &mut open, &mut rng, &mut lost, 300);
            if rng.next(2) == 0 {
                change(&storage, OTHER, &mut open, &mut rng, &mut lost_others, 300);
            }
        }
        if rng.next(2) == 0 {
            storage.checkpoint().expect("a checkpoint");
        }
        let mut later = storage.begin(Isolation::ReadCommitted);
        later.begin_statement();
        let table = storage.open_table(DB, TABLE).expect("the table");
        for id in 5_000..5_000 + rng.next(40) as i64 {
            let row = (value(&mut rng, 2500), 3, None);
            table.insert(&mut later, &image(table.layout(), id, &row)).expect("inserted");
            model.insert(id, row);
        }
        later.commit(Durability::Full).expect("committed");
        drop(table);
        std::mem::forget(open);
        std::mem::forget(storage);
        disk.rename("d00001.hdb", "away").expect("moved");
        let mut storage = Storage::open(roomy(&disk)).expect("opened without one");
        for _ in 0..rng.next(3) {
            churn(&storage, OTHER, &mut rng, &mut others, 10);
            std::mem::forget(storage);
            storage = Storage::open(roomy(&disk)).expect("opened without one");
        }
        assert_eq!(storage.hold_of(DB), Some(Hold::RecoveryPending));
        let wanted = Wanted { kind: backup::SetKind::Log, about: b"of the tail", ..Wanted::default() };
        let refused = storage.backup(DB, &file, log.to, &wanted, &mut no_step);
        assert!(matches!(refused, Err(StorageError::Held { .. })), "{refused:?}");
        let wanted = Wanted { copy_only: true, ..wanted };
        let tail = storage.backup(DB, &file, log.to, &wanted, &mut no_step).expect("the tail");
        assert!(tail.head.held && !log.head.held);
        storage.begin_restore(COPY, (&file, 0), None, &mut no_step).expect("begun");
        for from in [log.from, tail.from] {
            storage.restore_log(COPY, (&file, from), None, &mut no_step).expect("applied");
        }
        let mut tx = storage.begin(Isolation::ReadCommitted);
        storage.stand_by(&mut tx, Target { database: COPY, name: "copy" }, &mut no_step).expect("read");
        tx.commit(Durability::Full).expect("committed");
        assert!(rows_of(&storage, COPY) == model, "seed {seed}, {kind:?}: in standby");
        drop_copy(&storage);
        finish(&storage, COPY);
        assert!(rows_of(&storage, COPY) == model, "seed {seed}, {kind:?}: recovered");
        assert!(rows_of(&storage, OTHER) == others, "seed {seed}");
        disk.rename("away", "d00001.hdb").expect("back");
        storage.bring_online(DB).expect("online");
        assert!(rows_of(&storage, DB) == model, "seed {seed}, {kind:?}: its file is back");
    }
}

/// As a server of format 5 left it: without what backups have.
#[test]
fn an_instance_of_format_5_opens_and_begins_a_chain() {
    const COPY_BYTES: usize = 64 * 1024;
    let disk = Disk::memory();
    let storage = Storage::open(roomy(&disk)).expect("opened");
    create(&storage, Kind::Hash);
    let mut model = Model::new();
    churn(&storage, DB, &mut Rng(5), &mut model, 30);
    drop(storage);
    let control = disk.open(CONTROL_FILE, Open::Existing).expect("the control file");
    let mut bytes = bytes_of(&control);
    for copy in bytes.chunks_exact_mut(COPY_BYTES).filter(|copy| copy.starts_with(b"HDLCTL01")) {
        let word = |copy: &[u8], at: usize| u32::from_le_bytes(copy[at..at + 4].try_into().expect("four bytes"));
        assert_eq!(word(copy, 8), 7);
        // There are no chains: what is too much is their count.
        let length = word(copy, 16) - 2;
        copy[8..12].copy_from_slice(&5_u32.to_le_bytes());
        copy[16..20].copy_from_slice(&length.to_le_bytes());
        let crc = crc32fast::hash(&copy[16..16 + length as usize]);
        copy[12..16].copy_from_slice(&crc.to_le_bytes());
    }
    control.write_at(&bytes, 0).expect("written");
    drop(control);
    let storage = Storage::open(roomy(&disk)).expect("opened");
    assert!(rows_of(&storage, DB) == model);
    let file = disk.open("chain", Open::New).expect("a file");
    let full = take_of(&storage, &file, 0, backup::SetKind::Full, 1);
    churn(&storage, DB, &mut Rng(6), &mut model, 30);
    let log = take_of(&storage, &file, full.to, backup::SetKind::Log, 0);
    storage.begin_restore(COPY, (&file, 0), None, &mut no_step).expect("begun");
    storage.restore_log(COPY, (&file, log.from), None, &mut no_step).expect("applied");
    finish(&storage, COPY);
    assert!(rows_of(&storage, COPY) == model);
}
