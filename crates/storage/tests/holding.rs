//! One database's file is missing or damaged: the others open, and it comes back with all that was committed and nothing else, once
//! the file is whole again. The log's own files, on the other hand, are all the instance's: without one of them it does not open.

mod common;

use common::*;
use os::disk::Open;
use storage::*;
use types::pause::Unheard;

const OTHER: DatabaseId = DatabaseId(6);

/// With the file in its place again: by bringing the database online, or by a start.
fn back(place: &Place, storage: Storage, live: bool) -> Storage {
    if live {
        storage.bring_online(DB).expect("online");
        return storage;
    }
    drop(storage);
    place.open().expect("opened")
}

/// Two databases with a table each, and rows 0..100 in both, in the data files.
fn filled(name: &str, kind: Kind) -> (Place, Storage) {
    let place = Place::new(&format!("holding-{name}"));
    let storage = place.open().expect("opened");
    create(&storage, kind);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.create_database(&mut tx, OTHER, "six").expect("a database");
    storage.create_table(&mut tx, OTHER, TABLE, &layout(Kind::Clustered)).expect("a table");
    tx.commit(Durability::Full).expect("committed");
    insert(&storage, 0..100);
    storage.checkpoint().expect("a checkpoint");
    (place, storage)
}

fn insert_into(tx: &mut Transaction, storage: &Storage, db: DatabaseId, ids: std::ops::Range<i64>) {
    let table = storage.open_table(db, TABLE).expect("the table");
    for id in ids {
        let row = image(table.layout(), id, &(Some(vec![b'x'; 700]), id % 10, None));
        table.insert(tx, &row).expect("inserted");
    }
}

/// Rows of both databases in one transaction.
fn insert(storage: &Storage, ids: std::ops::Range<i64>) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    for id in ids {
        insert_into(&mut tx, storage, DB, id..id + 1);
        insert_into(&mut tx, storage, OTHER, id..id + 1);
    }
    tx.commit(Durability::Full).expect("committed");
}

fn insert_other(storage: &Storage, ids: std::ops::Range<i64>) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    insert_into(&mut tx, storage, OTHER, ids);
    tx.commit(Durability::Full).expect("committed");
}

fn ids_of(storage: &Storage, db: DatabaseId) -> Vec<i64> {
    let table = storage.open_table(db, TABLE).expect("the table");
    let mut found = Vec::new();
    for index in [1, 2] {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let mut spec = ScanSpec::all(IndexId(index), vec![0]);
        spec.lookup = true;
        spec.ignore_own_statement = false;
        let mut scan = table.scan(&mut tx, spec).expect("a scan");
        let mut batch = types::RowBatch::new([table.layout().row.column_type(0).physical()]);
        let mut ids = Vec::new();
        while scan.fill(&mut tx, &mut batch, 50).expect("rows") > 0 {
            ids.extend((0..batch.rows).map(|row| batch.columns[0].datum(row).as_i64()));
            batch.clear();
        }
        ids.sort();
        found.push(ids);
    }
    assert_eq!(found[0], found[1], "the indexes disagree");
    storage.check_pages(db).expect("whole pages");
    found.swap_remove(0)
}

fn to(end: i64) -> Vec<i64> {
    (0..end).collect()
}

/// A transaction with rows in both databases that never ends, and committed rows; then the process is gone.
fn crash(storage: Storage) {
    insert(&storage, 100..150);
    let mut open = storage.begin(Isolation::ReadCommitted);
    for id in 1_000..1_040 {
        insert_into(&mut open, &storage, OTHER, id..id + 1);
        insert_into(&mut open, &storage, DB, id..id + 1);
    }
    insert(&storage, 150..160);
    std::mem::forget(open);
    std::mem::forget(storage);
}

fn expect_held(storage: &Storage, hold: Hold) {
    assert_eq!(storage.hold_of(DB), Some(hold), "{:?}", storage.held());
    let refused = storage.open_table(DB, TABLE).err();
    assert!(matches!(refused, Some(StorageError::Held { hold: found, .. }) if found == hold), "{refused:?}");
}

#[test]
fn a_database_without_its_file_waits_for_it_and_lacks_nothing() {
    for live in [false, true] {
        let (place, storage) = filled(&format!("missing-{live}"), Kind::Clustered);
        crash(storage);
        place.disk.rename("d00001.hdb", "away").expect("moved");
        let storage = place.open().expect("opened without one");
        expect_held(&storage, Hold::RecoveryPending);
        assert_eq!(ids_of(&storage, OTHER), to(160));
        insert_other(&storage, 160..170);
        for _ in 0..3 {
            storage.checkpoint().expect("a checkpoint");
        }
        insert_other(&storage, 170..2_170);
        std::mem::forget(storage);
        // And once more without it.
        let storage = place.open().expect("opened without one");
        expect_held(&storage, Hold::RecoveryPending);
        assert!(storage.bring_online(DB).is_err(), "it is not there");
        expect_held(&storage, Hold::RecoveryPending);
        place.disk.rename("away", "d00001.hdb").expect("back");
        let storage = back(&place, storage, live);
        assert_eq!(storage.hold_of(DB), None, "{:?}", storage.held());
        assert_eq!(ids_of(&storage, DB), to(160), "live: {live}");
        assert_eq!(ids_of(&storage, OTHER), to(2_170));
        insert(&storage, 3_000..3_010);
        std::mem::forget(storage);
        let storage = place.open().expect("opened");
        assert_eq!(ids_of(&storage, DB), (0..160).chain(3_000..3_010).collect::<Vec<_>>());
        assert_eq!(ids_of(&storage, OTHER), (0..2_170).chain(3_000..3_010).collect::<Vec<_>>());
    }
}

#[test]
fn memory_optimized_rows_come_back_with_their_database() {
    for live in [false, true] {
        let (place, storage) = filled(&format!("rows-{live}"), Kind::Ordered);
        crash(storage);
        place.disk.rename("d00001.hdb", "away").expect("moved");
        let storage = place.open().expect("opened without one");
        expect_held(&storage, Hold::RecoveryPending);
        insert_other(&storage, 160..170);
        storage.checkpoint().expect("a checkpoint");
        place.disk.rename("away", "d00001.hdb").expect("back");
        let storage = back(&place, storage, live);
        assert_eq!(ids_of(&storage, DB), to(160), "live: {live}");
        assert_eq!(ids_of(&storage, OTHER), to(170));
    }
}

#[test]
fn a_damaged_checkpoint_file_holds_the_database_that_has_rows_in_it() {
    let (place, storage) = filled("pair", Kind::Ordered);
    drop(storage);
    let rows =
        place.disk.list().expect("names").into_iter().find(|name| name.ends_with(".hxd")).expect("a file of rows");
    place.disk.rename(&rows, "away").expect("moved");
    let storage = place.open().expect("opened without its rows");
    expect_held(&storage, Hold::Suspect);
    assert!(storage.held()[0].why.contains(&rows), "{:?}", storage.held());
    insert_other(&storage, 100..110);
    storage.checkpoint().expect("a checkpoint");
    drop(storage);
    place.disk.rename("away", &rows).expect("back");
    let storage = place.open().expect("opened");
    assert_eq!(ids_of(&storage, DB), to(100));
    assert_eq!(ids_of(&storage, OTHER), to(110));
}

#[test]
fn damage_that_recovery_meets_holds_one_database() {
    for page in [0_u64, 2] {
        let (place, storage) = filled(&format!("suspect-{page}"), Kind::Clustered);
        crash(storage);
        let file = place.file("d00001.hdb");
        let mut whole = vec![0; 8192];
        file.read_at(&mut whole, page * 8192).expect("read");
        file.write_at(&[0xa5; 16], page * 8192 + 100).expect("damaged");
        place.file("doublewrite.hdw").write_at(&[0; 4], 0).expect("no copies");
        let storage = place.open().expect("opened");
        expect_held(&storage, Hold::Suspect);
        assert!(storage.held()[0].why.contains(&format!("1:{page}")), "{:?}", storage.held());
        assert_eq!(ids_of(&storage, OTHER), to(160));
        storage.checkpoint().expect("a checkpoint");
        file.write_at(&whole, page * 8192).expect("mended");
        storage.bring_online(DB).unwrap_or_else(|error| panic!("page {page}: {error}"));
        assert_eq!(ids_of(&storage, DB), to(160));
    }
}

#[test]
fn an_offline_database_is_whole_on_disk_and_stays_offline() {
    let (place, storage) = filled("offline", Kind::Clustered);
    insert(&storage, 100..120);
    let mut user = storage.begin(Isolation::ReadCommitted);
    insert_into(&mut user, &storage, DB, 500..501);
    assert_eq!(storage.take_offline(DB, 0, &Unheard::default()), Err(StorageError::LockTimeout));
    insert_into(&mut user, &storage, DB, 501..502);
    drop(user);
    storage.take_offline(DB, 0, &Unheard::default()).expect("offline");
    expect_held(&storage, Hold::Offline);
    insert_other(&storage, 120..130);
    std::mem::forget(storage);
    let storage = place.open().expect("opened");
    expect_held(&storage, Hold::Offline);
    let log = storage.log_space();
    for at in 0..3_000 {
        insert_other(&storage, 1_000 + at..1_001 + at);
    }
    storage.checkpoint().expect("a checkpoint");
    assert!(storage.log_space().used <= log.used + (2 << 20), "it holds no log: {:?}", storage.log_space().used);
    storage.bring_online(DB).expect("online");
    assert_eq!(ids_of(&storage, DB), to(120));
}

#[test]
fn a_log_that_lost_a_file_or_a_part_is_refused() {
    let damages: [(&str, fn(&Place)); 4] = [
        ("all", |place| place.logs().iter().for_each(|name| place.disk.remove(name).expect("removed"))),
        ("newest", |place| {
            let newest = newest_log(place);
            place.disk.remove(&newest).expect("removed");
        }),
        ("cut", |place| place.file(&newest_log(place)).set_len(300_000).expect("cut")),
        ("end", |place| {
            // What was noted as hardened tells of it, where the log alone does not.
            let log = newest_log(place);
            place.file(&log).write_at(&vec![0; 1 << 20], 4096).expect("overwritten");
        }),
    ];
    for (name, damage) in damages {
        let place = Place::new(&format!("holding-log-{name}"));
        let storage = place.open().expect("opened");
        create(&storage, Kind::Clustered);
        let mut tx = storage.begin(Isolation::ReadCommitted);
        insert_into(&mut tx, &storage, DB, 0..4_000);
        tx.commit(Durability::Full).expect("committed");
        storage.note_hardened();
        assert!(place.logs().len() > 4, "several segments");
        std::mem::forget(storage);
        damage(&place);
        let error = place.open().err().expect(name);
        assert!(matches!(&error, StorageError::Damaged(why) if why.contains("restore")), "{name}: {error}");
    }
}

/// The file with the highest segment that has records.
fn newest_log(place: &Place) -> String {
    let mut newest = (0, String::new());
    for name in place.logs() {
        let mut bytes = [0; 8];
        let file = place.file(&name);
        file.read_at(&mut bytes, 8).expect("a header");
        let segment = u64::from_le_bytes(bytes);
        let mut first = [0; 4096];
        file.read_some_at(&mut first, 4096 + 8 * 4096).expect("read");
        if segment >= newest.0 && first.iter().any(|byte| *byte != 0) {
            newest = (segment, name);
        }
    }
    newest.1
}

#[test]
fn the_log_gives_its_files_back_after_a_peak() {
    let place = Place::new("holding-peak");
    let storage = place.open().expect("opened");
    create(&storage, Kind::Clustered);
    let before = storage.log_space().total;
    let mut tx = storage.begin(Isolation::ReadCommitted);
    insert_into(&mut tx, &storage, DB, 0..12_000);
    tx.commit(Durability::Full).expect("committed");
    let peak = storage.log_space().total;
    assert!(peak > before + (6 << 20), "{before} to {peak}");
    storage.checkpoint().expect("a checkpoint");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    insert_into(&mut tx, &storage, DB, 20_000..20_010);
    tx.commit(Durability::Full).expect("committed");
    storage.checkpoint().expect("a checkpoint");
    let after = storage.log_space().total;
    assert!(after < peak - (4 << 20), "{before}, {peak}, {after}");
    storage.shrink_log(&Unheard::default()).expect("shrunk");
    let on_disk: u64 = place.logs().iter().map(|name| place.file(name).len().expect("a length")).sum();
    assert_eq!(storage.log_space().total, on_disk);
    // Files that were cut are used again.
    let mut tx = storage.begin(Isolation::ReadCommitted);
    insert_into(&mut tx, &storage, DB, 30_000..36_000);
    tx.commit(Durability::Full).expect("committed");
    std::mem::forget(storage);
    let storage = place.open().expect("opened");
    assert_eq!(ids_of(&storage, DB).len(), 18_010);
}

/// What a damaged directory comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Refused,
    Held,
    ByCheck,
    Harmless,
}

/// Bytes are flipped, overwritten or cut, in a data file or the log, at places that the seed says: found, or harmless, and what is not
/// damaged is as it was. `DAMAGE_CASES` says how many, `SEED` repeats them.
#[test]
fn sampled_damage_is_found_or_harmless() {
    let number = |name: &str| os::env::var(name).and_then(|text| text.parse::<u64>().ok());
    let seed = number("SEED").unwrap_or_else(|| u64::from(os::env::process_id()) * 2_654_435_761 + 1);
    let mut rng = Rng(seed);
    let (place, storage) = filled("sampled", Kind::Clustered);
    insert(&storage, 100..160);
    storage.note_hardened();
    std::mem::forget(storage);
    let whole = Place::new("holding-sampled-whole");
    copy_files(&place, &whole);
    let mut seen = std::collections::BTreeMap::<(bool, Outcome), u32>::new();
    for case in 0..number("DAMAGE_CASES").unwrap_or(300) {
        copy_files(&whole, &place);
        let in_log = rng.next(3) == 0;
        let name = if in_log { newest_log(&place) } else { "d00001.hdb".to_string() };
        let file = place.file(&name);
        let length = file.len().expect("a length");
        // Most of a segment is empty, and of a file of few pages.
        let at = rng.next(length / 2);
        if !in_log && rng.next(4) > 0 {
            place.file("doublewrite.hdw").write_at(&[0; 4], 0).expect("no copies");
        }
        match rng.next(8) {
            0 => file.set_len(at).expect("cut"),
            _ => {
                let bytes: Vec<u8> = (0..=rng.next(40)).map(|_| rng.next(256) as u8).collect();
                file.write_at(&bytes, at.min(length - 64)).expect("overwritten");
            }
        }
        let outcome = outcome(&place, &format!("case {case} of seed {seed}, {name} at {at}"));
        assert!(in_log || outcome != Outcome::Refused, "case {case} of seed {seed}: the file of one database");
        *seen.entry((in_log, outcome)).or_default() += 1;
    }
    println!("seed {seed}: {seen:?}");
    assert!(seen.keys().filter(|(in_log, _)| !in_log).count() > 1, "{seen:?}");
}

fn copy_files(from: &Place, to: &Place) {
    for name in to.disk.list().expect("names") {
        to.disk.remove(&name).expect("removed");
    }
    for name in from.disk.list().expect("names") {
        let source = from.file(&name);
        let mut bytes = vec![0; source.len().expect("a length") as usize];
        source.read_at(&mut bytes, 0).expect("read");
        to.disk.open(&name, Open::ExistingOrNew).and_then(|file| file.write_at(&bytes, 0)).expect("written");
    }
}

fn outcome(place: &Place, case: &str) -> Outcome {
    let storage = match place.open() {
        Ok(storage) => storage,
        Err(StorageError::Damaged(_)) => return Outcome::Refused,
        Err(error) => panic!("{case}: {error}"),
    };
    assert_eq!(ids_of(&storage, OTHER), to(160), "{case}");
    if storage.hold_of(DB).is_some() {
        return Outcome::Held;
    }
    let flaws = storage.flaws(DB, None, &Unheard::default()).expect(case);
    if !flaws.is_empty() {
        return Outcome::ByCheck;
    }
    assert_eq!(ids_of(&storage, DB), to(160), "{case}");
    Outcome::Harmless
}
