//! The archive of an instance: whatever is shipped comes back, up to any commit; what is cut, flipped or missing is refused by its name;
//! one server writes it, and a start goes on where the last one was killed.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use common::*;
use os::disk::{Disk, Open};
use storage::archive::{
    self, ArchiveError, Archiver, Catalogue, DirectoryStore, Owner, Snapshot, Store, StoreError, StoreResult, Until,
};
use storage::*;

/// A store in a directory that is removed at the end.
struct Shelf {
    path: std::path::PathBuf,
    store: Arc<DirectoryStore>,
}

impl Shelf {
    fn new(name: &str) -> Shelf {
        let path = os::fs::temporary(name);
        let store = Arc::new(DirectoryStore::new(&path).expect("a directory"));
        Shelf { path, store }
    }

    fn disk(&self, directory: &str) -> Disk {
        Disk::directory(&self.path.join(directory)).expect("a directory")
    }

    fn segments(&self) -> Vec<String> {
        self.store.list("log").expect("names")
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        os::fs::remove_dir_all(&self.path).ok();
    }
}

fn archiver(storage: &Storage, store: &Arc<DirectoryStore>) -> Archiver {
    let owner = archive::claim(storage, &**store, "here").expect("claimed");
    storage.archived().lag_max.store(1 << 40, Ordering::SeqCst);
    Archiver::new(storage, store.clone(), owner)
}

fn snapshot(storage: &Storage, archiver: &Archiver) -> Snapshot {
    archive::take_snapshot(storage, &**archiver.store(), archiver.owner(), &[], &mut |_| Ok(())).expect("a snapshot")
}

fn told(time: u64) -> String {
    time.to_string()
}

fn restore(store: &dyn Store, to: &Disk, until: Until) -> Result<u64, ArchiveError> {
    archive::restore(store, to, until, &told, &mut |_| Ok(())).map(|brought| brought.end_lsn)
}

fn refused(store: &dyn Store, until: Until) -> String {
    let place = Place::new(&format!("archive-refused-{:x}", os::random::u64()));
    match restore(store, &place.disk, until) {
        Err(ArchiveError::Refused(why) | ArchiveError::Damaged(why)) => why,
        other => panic!("{other:?}"),
    }
}

fn rows(storage: &Storage) -> Model {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    let rows = read(storage, &mut tx, 1);
    drop(tx);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    assert!(rows == read(storage, &mut tx, 2), "the indexes disagree");
    let is_on_pages = !storage.open_table(DB, TABLE).expect("the table").is_memory_optimized();
    assert!(!is_on_pages || rows == read(storage, &mut tx, COVERING), "the covering index disagrees");
    storage.check_pages(DB).expect("whole pages");
    rows
}

fn change(storage: &Storage, tx: &mut Transaction, rng: &mut Rng, model: &mut Model) {
    let table = storage.open_table(DB, TABLE).expect("the table");
    tx.begin_statement();
    let id = rng.next(200) as i64;
    let long = if rng.next(12) == 0 { value(rng, 20_000) } else { None };
    let row = (value(rng, 2_500), rng.next(20) as i64, long);
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

/// One transaction more, committed or not, and what there is then.
fn work(storage: &Storage, rng: &mut Rng, model: &mut Model) {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let mut changed = model.clone();
    for _ in 0..1 + rng.next(6) {
        change(storage, &mut tx, rng, &mut changed);
    }
    if rng.next(5) == 0 {
        tx.rollback().expect("rolled back");
    } else {
        tx.commit(Durability::Full).expect("committed");
        *model = changed;
    }
}

/// What there was when the log ended there, and when.
struct Moment {
    lsn: u64,
    time: u64,
    rows: Model,
}

#[test]
fn any_commit_comes_back() {
    for (seed, kind) in [(3, Kind::Clustered), (5, Kind::Heap), (7, Kind::Hash), (11, Kind::Ordered)] {
        let (place, shelf) =
            (Place::new(&format!("archive-any-{seed}")), Shelf::new(&format!("archive-any-shelf-{seed}")));
        let (mut rng, mut model, mut moments) = (Rng(seed), Model::new(), Vec::new());
        let mut storage = place.open().expect("opened");
        create(&storage, kind);
        let mut archiver = archiver(&storage, &shelf.store);
        let mut first = None;
        for round in 0..150 {
            work(&storage, &mut rng, &mut model);
            let moment = Moment { lsn: storage.hardened(), time: os::clock::utc_ticks(), rows: model.clone() };
            // Later than the commit, earlier than the next.
            os::wait::sleep(os::wait::WaitType::SLEEP_TASK, 1);
            moments.push(moment);
            match rng.next(24) {
                0..6 => archiver.ship().expect("shipped"),
                6 => storage.checkpoint().expect("a checkpoint"),
                7 | 8 if round > 5 => {
                    archiver.ship().expect("shipped");
                    let taken = snapshot(&storage, &archiver);
                    first.get_or_insert(taken.end_lsn);
                }
                9 => {
                    // A crash, and the next start goes on.
                    drop(archiver);
                    drop(storage);
                    storage = place.open().expect("opened again");
                    archiver = self::archiver(&storage, &shelf.store);
                    assert!(rows(&storage) == model);
                }
                _ => {}
            }
        }
        os::wait::sleep(os::wait::WaitType::SLEEP_TASK, 20);
        archiver.ship().expect("shipped");
        let first = first.expect("a snapshot was taken");
        assert_eq!(Catalogue::of_log(&*shelf.store).expect("read").ranges().len(), 1, "without a gap");
        let usable: Vec<&Moment> = moments.iter().filter(|moment| moment.lsn > first).collect();
        for nth in 0..12 {
            let moment = usable[rng.next(usable.len() as u64) as usize];
            let back = Place::new(&format!("archive-any-back-{seed}"));
            let until = if nth % 2 == 0 { Until::Lsn(moment.lsn) } else { Until::Time(moment.time) };
            match restore(&*shelf.store, &back.disk, until) {
                Ok(_) => {}
                // The snapshot ended between the commit's LSN and now.
                Err(ArchiveError::Refused(why)) if why.contains("nothing before it") => continue,
                Err(error) => panic!("{kind:?}, {until:?}: {error}"),
            }
            let restored = back.open().expect("recovered");
            assert!(rows(&restored) == moment.rows, "{kind:?}, {until:?}, snapshot from {first}");
        }
        let back = Place::new(&format!("archive-any-all-{seed}"));
        restore(&*shelf.store, &back.disk, Until::End).expect("all of it");
        assert!(rows(&back.open().expect("recovered")) == model);
    }
}

/// With some segments before a snapshot and some behind.
fn with_segments(name: &str) -> (Place, Shelf, Storage, Archiver, Model) {
    let (place, shelf) = (Place::new(name), Shelf::new(&format!("{name}-shelf")));
    let (mut rng, mut model) = (Rng(17), Model::new());
    let storage = place.open().expect("opened");
    create(&storage, Kind::Clustered);
    let mut archiver = archiver(&storage, &shelf.store);
    for round in 0..12 {
        work(&storage, &mut rng, &mut model);
        archiver.ship().expect("shipped");
        if round == 3 {
            snapshot(&storage, &archiver);
        }
    }
    os::wait::sleep(os::wait::WaitType::SLEEP_TASK, 20);
    archiver.ship().expect("shipped");
    (place, shelf, storage, archiver, model)
}

#[test]
fn what_is_cut_flipped_or_missing_is_refused_by_its_name() {
    let (_place, shelf, _storage, _archiver, _) = with_segments("archive-damage");
    let names = shelf.segments();
    let (disk, victim) = (shelf.disk("log"), &names[names.len() - 3]);
    let file = disk.open(victim, Open::Existing).expect("a segment");
    let length = file.len().expect("a length");
    let mut whole = vec![0; length as usize];
    file.read_at(&mut whole, 0).expect("read");
    for at in [0, 30, 61, length / 2, length - 1] {
        file.write_at(&[whole[at as usize] ^ 4], at).expect("flipped");
        let why = refused(&*shelf.store, Until::End);
        assert!(why.contains(victim.as_str()) && why.contains("damaged"), "byte {at}: {why}");
        file.write_at(&[whole[at as usize]], at).expect("put back");
    }
    file.set_len(length - 5).expect("cut");
    let why = refused(&*shelf.store, Until::End);
    assert!(why.contains(victim.as_str()) && why.contains("cut short"), "{why}");
    file.set_len(0).expect("cut");
    assert!(refused(&*shelf.store, Until::End).contains(victim.as_str()));
    drop(file);
    disk.remove(victim).expect("removed");
    let why = refused(&*shelf.store, Until::End);
    let first = u64::from_str_radix(&victim[..16], 16).expect("an LSN");
    assert!(why.contains("a gap") && why.contains(&format!("LSN {first} ")), "{why}");
    // What lies before the gap can be had.
    let back = Place::new("archive-damage-back");
    assert_eq!(restore(&*shelf.store, &back.disk, Until::Lsn(first)).expect("before the gap"), first);
    back.open().expect("recovered");
    // A part of the snapshot.
    let parts = shelf.disk("snapshot");
    let part = parts.list().expect("names").into_iter().find(|name| name.ends_with("-000000")).expect("a part");
    let file = parts.open(&part, Open::Existing).expect("the part");
    file.write_at(&[0xff; 4], 100).expect("flipped");
    assert!(refused(&*shelf.store, Until::Lsn(first)).contains(&part));
    parts.remove(&part).expect("removed");
    assert!(refused(&*shelf.store, Until::Lsn(first)).contains(&part));
    let manifest = part.replace("-000000", "-manifest");
    parts.remove(&manifest).expect("removed");
    assert!(refused(&*shelf.store, Until::Lsn(first)).contains("no snapshot"));
}

#[test]
fn what_lies_outside_of_the_archive_is_refused() {
    let (_place, shelf, storage, _archiver, _) = with_segments("archive-outside");
    let end = Catalogue::of_log(&*shelf.store).expect("read").end().expect("an end");
    assert_eq!(storage.hardened(), end);
    assert!(refused(&*shelf.store, Until::Lsn(end + 1)).contains(&format!("ends at LSN {end}")));
    assert!(refused(&*shelf.store, Until::Time(os::clock::utc_ticks() + 1_000_000)).contains("does not reach"));
    assert!(refused(&*shelf.store, Until::Time(1)).contains("nothing before it can be restored"));
    assert!(refused(&*shelf.store, Until::Lsn(4_096)).contains("nothing before it can be restored"));
}

#[test]
fn another_server_is_refused_and_one_that_was_replaced_notices() {
    let (place, shelf, storage, archiver, mut model) = with_segments("archive-owner");
    let stranger = Place::new("archive-owner-stranger");
    let other = stranger.open().expect("opened");
    match archive::claim(&other, &*shelf.store, "there") {
        Err(ArchiveError::Owned(Owner { who, term: 1, .. })) => assert_eq!(who, "here"),
        claimed => panic!("{claimed:?}"),
    }
    // What was restored from it is other data from now on.
    let back = Place::new("archive-owner-back");
    restore(&*shelf.store, &back.disk, Until::End).expect("restored");
    let restored = back.open().expect("recovered");
    assert!(matches!(archive::claim(&restored, &*shelf.store, "back"), Err(ArchiveError::Owned(_))));
    // The same data, started again while the first process is stopped for a while and does not know.
    let end = storage.hardened();
    let again = Storage::open(small(place.disk.clone())).expect("opened");
    let mut later = self::archiver(&again, &shelf.store);
    assert_eq!(later.owner().term, 2);
    // The first goes on for a moment, until it looks.
    let mut rng = Rng(23);
    work(&again, &mut rng, &mut model);
    later.ship().expect("shipped");
    assert!(matches!(archiver.check_owner(), Err(ArchiveError::Owned(Owner { term: 2, .. }))));
    let stale = format!("log/{:016x}-{:016x}-{:08x}", end, end + 4_096, 1);
    shelf.store.put_new(&stale, b"what a stopped server wrote when it woke up").expect("put");
    let back = Place::new("archive-owner-later");
    restore(&*shelf.store, &back.disk, Until::End).expect("the later owner's");
    assert!(rows(&back.open().expect("recovered")) == model);
    drop(storage);
}

#[test]
fn data_that_the_archive_has_gone_on_from_are_refused() {
    let (place, shelf, storage, mut archiver, _) = with_segments("archive-older");
    // A copy of the directory of before what is shipped now.
    let copy = Place::new("archive-older-copy");
    storage.checkpoint().expect("a checkpoint");
    for name in place.disk.list().expect("names") {
        let from = place.disk.open(&name, Open::Existing).expect("a file");
        let mut bytes = vec![0; from.len().expect("a length") as usize];
        from.read_at(&mut bytes, 0).expect("read");
        let to = copy.disk.open(&name, Open::New).expect("a file");
        to.write_at(&bytes, 0).expect("written");
    }
    let (mut rng, mut model) = (Rng(29), rows(&storage));
    for _ in 0..40 {
        work(&storage, &mut rng, &mut model);
    }
    archiver.ship().expect("shipped");
    let copied = copy.open().expect("opened");
    match archive::claim(&copied, &*shelf.store, "copy") {
        Err(ArchiveError::Refused(why)) => assert!(why.contains("goes on from other data than these"), "{why}"),
        claimed => panic!("{claimed:?}"),
    }
    // As long, and otherwise.
    let mut other = rows(&copied);
    while copied.hardened() <= storage.hardened() {
        work(&copied, &mut rng, &mut other);
    }
    match archive::claim(&copied, &*shelf.store, "copy") {
        Err(ArchiveError::Refused(why)) => assert!(why.contains("is another"), "{why}"),
        claimed => panic!("{claimed:?}"),
    }
    archiver.ship().expect("it is still the first's");
}

/// A store that is out of reach for a while.
struct Broken {
    store: Arc<DirectoryStore>,
    is_down: std::sync::atomic::AtomicBool,
}

impl Broken {
    fn reach(&self) -> StoreResult<&DirectoryStore> {
        match self.is_down.load(Ordering::SeqCst) {
            true => Err(StoreError::World("out of reach".into())),
            false => Ok(&self.store),
        }
    }
}

impl Store for Broken {
    fn put_new(&self, name: &str, bytes: &[u8]) -> StoreResult<()> {
        self.reach()?.put_new(name, bytes)
    }
    fn put(&self, name: &str, bytes: &[u8]) -> StoreResult<()> {
        self.reach()?.put(name, bytes)
    }
    fn get(&self, name: &str) -> StoreResult<Vec<u8>> {
        self.reach()?.get(name)
    }
    fn list(&self, directory: &str) -> StoreResult<Vec<String>> {
        self.reach()?.list(directory)
    }
    fn delete(&self, name: &str) -> StoreResult<()> {
        self.reach()?.delete(name)
    }
    fn place(&self) -> &str {
        self.store.place()
    }
}

#[test]
fn the_log_waits_for_a_store_out_of_reach_up_to_a_limit() {
    let (place, shelf) = (Place::new("archive-lag"), Shelf::new("archive-lag-shelf"));
    let (mut rng, mut model) = (Rng(31), Model::new());
    let storage = place.open().expect("opened");
    create(&storage, Kind::Clustered);
    let store = Arc::new(Broken { store: shelf.store.clone(), is_down: false.into() });
    let owner = archive::claim(&storage, &*store, "here").expect("claimed");
    let mut archiver = Archiver::new(&storage, store.clone(), owner);
    storage.archived().lag_max.store(4 << 20, Ordering::SeqCst);
    archiver.ship().expect("shipped");
    snapshot(&storage, &archiver);
    assert!(!storage.archived().wants_snapshot());
    store.is_down.store(true, Ordering::SeqCst);
    let begun = storage.hardened();
    while storage.hardened() < begun + (3 << 20) {
        work(&storage, &mut rng, &mut model);
    }
    assert!(matches!(archiver.ship(), Err(ArchiveError::Store(StoreError::World(_)))));
    storage.checkpoint().expect("a checkpoint");
    storage.checkpoint().expect("a checkpoint");
    assert_eq!(storage.log_space().holder, LogHolder::Archive);
    assert_eq!(storage.log_space().holder.name(), "LOG_BACKUP");
    // It comes back, and nothing is lacking.
    store.is_down.store(false, Ordering::SeqCst);
    archiver.ship().expect("shipped");
    assert_eq!((archiver.behind(), storage.archived().gaps.load(Ordering::SeqCst)), (0, 0));
    let back = Place::new("archive-lag-back");
    restore(&*shelf.store, &back.disk, Until::End).expect("restored");
    assert!(rows(&back.open().expect("recovered")) == model);
    drop(back);
    // For longer than the log is kept: commits go on, the archive goes on behind a gap, with a snapshot there.
    store.is_down.store(true, Ordering::SeqCst);
    let begun = storage.hardened();
    while storage.hardened() < begun + (6 << 20) {
        work(&storage, &mut rng, &mut model);
    }
    storage.checkpoint().expect("a checkpoint");
    assert_ne!(storage.log_space().holder, LogHolder::Archive);
    store.is_down.store(false, Ordering::SeqCst);
    archiver.ship().expect("it is told of the gap by the count");
    work(&storage, &mut rng, &mut model);
    archiver.ship().expect("shipped");
    assert_eq!(storage.archived().gaps.load(Ordering::SeqCst), 1);
    assert!(storage.archived().wants_snapshot());
    let why = refused(&*shelf.store, Until::End);
    assert!(why.contains("a gap"), "{why}");
    snapshot(&storage, &archiver);
    archiver.ship().expect("shipped");
    assert!(!storage.archived().wants_snapshot());
    let back = Place::new("archive-lag-later");
    restore(&*shelf.store, &back.disk, Until::End).expect("restored");
    assert!(rows(&back.open().expect("recovered")) == model);
}

#[test]
fn log_that_was_not_shipped_before_a_kill_is_shipped_after_it() {
    let (place, shelf) = (Place::new("archive-behind"), Shelf::new("archive-behind-shelf"));
    let (mut rng, mut model) = (Rng(41), Model::new());
    let storage = place.open().expect("opened");
    create(&storage, Kind::Clustered);
    let mut archiver = self::archiver(&storage, &shelf.store);
    archiver.ship().expect("shipped");
    snapshot(&storage, &archiver);
    let begun = storage.hardened();
    // Some segments, which the checkpoints of the next start would give back.
    while storage.hardened() < begun + (4 << 20) {
        work(&storage, &mut rng, &mut model);
    }
    drop((archiver, storage));
    let storage = place.open().expect("opened again");
    storage.checkpoint().expect("a checkpoint");
    let mut archiver = self::archiver(&storage, &shelf.store);
    archiver.ship().expect("shipped");
    assert_eq!((archiver.behind(), storage.archived().gaps.load(Ordering::SeqCst)), (0, 0));
    let back = Place::new("archive-behind-back");
    restore(&*shelf.store, &back.disk, Until::End).expect("restored");
    assert!(rows(&back.open().expect("recovered")) == model);
    // Whoever goes on without an archive does not wait for it.
    storage.archived().let_go();
    storage.checkpoint().expect("a checkpoint");
    assert_ne!(storage.log_space().holder, LogHolder::Archive);
}

#[test]
fn small_segments_become_few_and_every_moment_stays() {
    let (_place, shelf, storage, mut archiver, mut model) = with_segments("archive-merged");
    let mut rng = Rng(41);
    let mut moments = Vec::new();
    let merge = |archiver: &Archiver| archive::merge(&*shelf.store, archiver.owner(), &mut || Ok(())).expect("merged");
    for number in 0..150 {
        work(&storage, &mut rng, &mut model);
        archiver.ship().expect("shipped");
        if number % 10 == 0 {
            let (_, end) = Catalogue::of_log(&*shelf.store)
                .expect("read")
                .ranges()
                .last()
                .map(|one| (one.from, one.to))
                .expect("log");
            moments.push((end, model.clone()));
        }
        if number % 40 == 39 {
            assert!(merge(&archiver) >= archive::merge::RUN, "at {number}");
        }
    }
    merge(&archiver);
    let left = shelf.segments();
    assert!(left.len() < 50, "{left:?}");
    // One that was merged and is still there, as a kill leaves it: it goes.
    let whole = Catalogue::of_log(&*shelf.store).expect("read");
    let merged = *whole.segments.iter().find(|name| name.end - name.first > 100_000).expect("a merged one");
    let part = archive::segment::SegmentName { end: merged.first + 4_096, ..merged };
    shelf.store.put_new(&part.path(), b"not read").expect("put");
    assert_eq!(merge(&archiver), 1);
    assert!(shelf.store.get(&part.path()).is_err());
    for (end, model) in &moments {
        let back = Place::new("archive-merged-back");
        restore(&*shelf.store, &back.disk, Until::Lsn(*end)).expect("restored");
        assert!(rows(&back.open().expect("recovered")) == *model, "at {end}");
    }
    // The next start goes on there.
    drop(archiver);
    assert_eq!(archive::claim(&storage, &*shelf.store, "here").expect("claimed").term, 2);
}

#[test]
fn what_nobody_will_restore_goes() {
    let (_place, shelf, storage, mut archiver, mut model) = with_segments("archive-retention");
    let mut rng = Rng(37);
    let mut ends = Vec::new();
    for _ in 0..3 {
        work(&storage, &mut rng, &mut model);
        archiver.ship().expect("shipped");
        ends.push(snapshot(&storage, &archiver).ended);
        os::wait::sleep(os::wait::WaitType::SLEEP_TASK, 5);
    }
    os::wait::sleep(os::wait::WaitType::SLEEP_TASK, 20);
    work(&storage, &mut rng, &mut model);
    // One that was never ended.
    shelf.store.put_new("snapshot/0000000000000001-000000", b"a part").expect("put");
    archiver.ship().expect("shipped");
    let before = shelf.segments().len();
    assert_eq!(archive::drop_old(&*shelf.store, archiver.owner(), 0).expect("dropped"), 0, "all are wanted");
    let dropped = archive::drop_old(&*shelf.store, archiver.owner(), ends[1] + 1).expect("dropped");
    assert_eq!(dropped, 2, "the first of all and the first of these");
    let left = Catalogue::read(&*shelf.store).expect("read");
    assert_eq!(left.snapshots.iter().map(|one| one.ended).collect::<Vec<_>>(), ends[1..]);
    assert!(shelf.segments().len() < before, "log went, too");
    assert!(shelf.store.get("snapshot/0000000000000001-000000").is_err());
    for until in [Until::End, Until::Time(ends[1] + 1)] {
        let back = Place::new("archive-retention-back");
        restore(&*shelf.store, &back.disk, until).expect("restored");
        back.open().expect("recovered");
    }
    // Somebody else's archive is left alone.
    let stale = Owner { term: 0, ..archiver.owner().clone() };
    assert!(archive::drop_old(&*shelf.store, &stale, u64::MAX).is_err());
}

/// A store whose server puts its oldest snapshot away while that is read.
struct Retiring {
    store: Arc<DirectoryStore>,
    manifest: String,
    is_gone: AtomicBool,
}

impl Store for Retiring {
    fn put_new(&self, name: &str, bytes: &[u8]) -> StoreResult<()> {
        self.store.put_new(name, bytes)
    }
    fn put(&self, name: &str, bytes: &[u8]) -> StoreResult<()> {
        self.store.put(name, bytes)
    }
    fn get(&self, name: &str) -> StoreResult<Vec<u8>> {
        let is_part = name.starts_with("snapshot/") && !name.ends_with("-manifest");
        if is_part && !self.is_gone.swap(true, Ordering::Relaxed) {
            self.store.delete(&self.manifest)?;
            self.store.delete(name)?;
        }
        self.store.get(name)
    }
    fn list(&self, directory: &str) -> StoreResult<Vec<String>> {
        self.store.list(directory)
    }
    fn delete(&self, name: &str) -> StoreResult<()> {
        self.store.delete(name)
    }
    fn place(&self) -> &str {
        self.store.place()
    }
}

#[test]
fn a_snapshot_that_goes_while_it_is_read_is_told_from_damage() {
    let (_place, shelf, storage, mut archiver, mut model) = with_segments("archive-retired");
    let mut rng = Rng(41);
    work(&storage, &mut rng, &mut model);
    archiver.ship().expect("shipped");
    snapshot(&storage, &archiver);
    let manifests =
        shelf.store.list("snapshot").expect("listed").into_iter().filter(|name| name.ends_with("-manifest"));
    let newest = manifests.max().expect("one");
    let store = Retiring {
        store: shelf.store.clone(),
        manifest: format!("snapshot/{newest}"),
        is_gone: AtomicBool::new(false),
    };
    let back = Place::new("archive-retired-back");
    let gone = restore(&store, &back.disk, Until::End);
    assert!(matches!(gone, Err(ArchiveError::Dropped(_))), "{gone:?}");
    // Who begins again takes another one.
    let back = Place::new("archive-retired-again");
    restore(&store, &back.disk, Until::End).expect("restored");
    back.open().expect("recovered");
}
