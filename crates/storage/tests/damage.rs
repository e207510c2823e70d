//! Damage on the real disk, each kind with its right answer: torn pages come back from the double-write file or are
//! named, a damaged end of the log is its end, and damage before what had been hardened is refused.

mod common;

use common::*;
use os::disk::File;
use storage::pages::page::{self, PAGE_BYTES};
use storage::*;

/// Where an LSN of the first segment is in its file.
fn in_log(lsn: u64) -> u64 {
    4096 + lsn
}

fn flip(file: &File, offset: u64) {
    let mut byte = [0];
    file.read_at(&mut byte, offset).expect("a byte");
    byte[0] ^= 0x10;
    file.write_at(&byte, offset).expect("written");
}

fn insert(storage: &Storage, ids: std::ops::Range<i64>) {
    let table = storage.open_table(DB, TABLE).expect("the table");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    for id in ids {
        let row = image(table.layout(), id, &(Some(vec![b'x'; 700]), id % 10, None));
        table.insert(&mut tx, &row).expect("inserted");
    }
    tx.commit(Durability::Full).expect("committed");
}

fn ids(storage: &Storage) -> Vec<i64> {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let (found, by_index) = (read(storage, &mut tx, 1), read(storage, &mut tx, 2));
    assert!(found == by_index, "the indexes disagree");
    found.keys().copied().collect()
}

/// With rows 0..100, all in the data file. The last page was written twice: the second time it did not follow from the log.
fn filled(name: &str) -> Place {
    let place = Place::new(&format!("damage-{name}"));
    let storage = place.open().expect("opened");
    create(&storage, Kind::Clustered);
    // So that rows are in the leaves of the table alone.
    let mut tx = storage.begin(Isolation::ReadCommitted);
    building(Fill::default(), |build| storage.drop_index(&mut tx, DB, TABLE, IndexId(COVERING), build))
        .expect("dropped");
    tx.commit(Durability::Full).expect("committed");
    insert(&storage, 0..98);
    storage.checkpoint().expect("a checkpoint");
    insert(&storage, 98..100);
    storage.checkpoint().expect("a checkpoint");
    place
}

/// A page of the last batch in the double-write file that holds rows of the table: file name, page number.
fn written_leaf(place: &Place) -> (String, u64) {
    let area = place.file("doublewrite.hdw");
    let mut copy = Box::new([0; PAGE_BYTES]);
    for position in 1.. {
        area.read_at(&mut copy[..], position * PAGE_BYTES as u64).expect("a leaf in the batch");
        if page::kind(&copy) == Some(page::PageKind::Leaf)
            && page::slot_count(&copy) > 5
            && page::payload(&copy, 0).len() > 700
        {
            return (format!("d{:05}.hdb", page::file_no(&copy)), page::page_no(&copy) as u64);
        }
    }
    unreachable!("the area ends")
}

/// The second half of the page is as it was before: zeros.
fn tear(file: &File, page: u64) {
    file.write_at(&[0; PAGE_BYTES / 2], page * PAGE_BYTES as u64 + PAGE_BYTES as u64 / 2).expect("torn");
}

#[test]
fn a_torn_page_comes_back_from_the_double_write_file() {
    let place = filled("torn");
    let (name, number) = written_leaf(&place);
    tear(&place.file(&name), number);
    let storage = place.open().expect("opened");
    assert_eq!(ids(&storage), (0..100).collect::<Vec<_>>());
}

#[test]
fn a_page_torn_for_good_is_named_and_spreads_nothing() {
    let place = filled("named");
    let (name, number) = written_leaf(&place);
    tear(&place.file(&name), number);
    place.file("doublewrite.hdw").write_at(&[0; 4], 0).expect("no copies");
    let storage = place.open().expect("opened");
    let table = storage.open_table(DB, TABLE).expect("the table");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let mut failed = Vec::new();
    let mut found = 0;
    for id in 0..100 {
        match locator(&table, &mut tx, id) {
            Ok(row) => found += row.is_some() as i64,
            Err(error) => failed.push(error),
        }
    }
    assert!(failed.len() > 5 && failed.len() as i64 + found == 100, "{} fail, {found} are found", failed.len());
    for error in failed {
        assert!(matches!(error, StorageError::CorruptPage { page, .. } if page.page as u64 == number), "{error}");
    }
}

/// Leaves that were changed since `lsn` and have no copy in the double-write file.
fn leaves_without_copy(place: &Place, file: &File, lsn: u64) -> Vec<u64> {
    let pages = |file: &File, from: u64| {
        let count = file.len().expect("a length") / PAGE_BYTES as u64;
        let mut pages = Vec::new();
        for position in from..count {
            let mut bytes = Box::new([0; PAGE_BYTES]);
            file.read_at(&mut bytes[..], position * PAGE_BYTES as u64).expect("a page");
            pages.push(bytes);
        }
        pages
    };
    let area = place.file("doublewrite.hdw");
    let mut count = [0; 4];
    area.read_at(&mut count, 0).expect("a count");
    let copied: Vec<u32> =
        pages(&area, 1).iter().take(u32::from_le_bytes(count) as usize).map(|page| page::page_no(page)).collect();
    let is_one = |page: &[u8; PAGE_BYTES]| {
        page::kind(page) == Some(page::PageKind::Leaf)
            && page::lsn(page) > lsn
            && !copied.contains(&page::page_no(page))
    };
    pages(file, 0).iter().filter(|page| is_one(page)).map(|page| page::page_no(page) as u64).collect()
}

#[test]
fn pages_torn_by_the_first_write_since_their_image_was_logged_follow_from_the_log() {
    let place = filled("first-write");
    let (name, _) = written_leaf(&place);
    let storage = place.open().expect("opened");
    let before = storage.metrics().log_hardened_lsn;
    let mut control = vec![0; place.file("heddle.hct").len().expect("a length") as usize];
    place.file("heddle.hct").read_at(&mut control, 0).expect("read");
    // Pages take rows, are free, and are taken again for other rows: that is when the log has all of them.
    insert(&storage, 100..150);
    let mut tx = storage.begin(Isolation::ReadCommitted);
    storage.truncate_table(&mut tx, DB, TABLE).expect("truncated");
    tx.commit(Durability::Full).expect("committed");
    storage.collect_versions();
    storage.clean_ghosts().expect("cleaned");
    insert(&storage, 1000..1200);
    storage.checkpoint().expect("a checkpoint");
    drop(storage);
    // A crash before the last checkpoint was known.
    place.file("heddle.hct").write_at(&control, 0).expect("written");
    let data = place.file(&name);
    let torn = leaves_without_copy(&place, &data, before);
    assert!(torn.len() > 5, "{torn:?}");
    torn.iter().for_each(|page| tear(&data, *page));
    let storage = place.open().expect("opened");
    assert_eq!(ids(&storage), (1000..1200).collect::<Vec<_>>());
    storage.check_pages(DB).expect("whole");
    assert_eq!(storage.take_suspects(), [], "none was lost");
}

#[test]
fn a_damaged_last_block_is_the_end_of_the_log() {
    let place = filled("tail");
    let storage = place.open().expect("opened");
    insert(&storage, 200..210);
    let last = storage.metrics().log_hardened_lsn;
    insert(&storage, 300..310);
    drop(storage);
    flip(&place.log(), in_log(last) + 100);
    let storage = place.open().expect("opened");
    assert_eq!(ids(&storage), (0..100).chain(200..210).collect::<Vec<_>>());
    insert(&storage, 400..410);
    drop(storage);
    // What follows the damage was written over it: nothing old comes back.
    assert_eq!(ids(&place.open().expect("opened")), (0..100).chain(200..210).chain(400..410).collect::<Vec<_>>());
}

#[test]
fn damage_before_what_had_been_hardened_is_refused() {
    let place = filled("middle");
    let storage = place.open().expect("opened");
    let damaged = storage.metrics().log_hardened_lsn;
    for id in 0..4 {
        insert(&storage, 200 + id..201 + id);
    }
    drop(storage);
    flip(&place.log(), in_log(damaged) + 60);
    let error = place.open().err().expect("refused");
    assert!(matches!(&error, StorageError::Damaged(why) if why.contains(&format!("LSN {damaged}"))), "{error}");
}

#[test]
fn a_log_file_that_was_cut_is_refused() {
    let place = filled("cut");
    let storage = place.open().expect("opened");
    insert(&storage, 200..210);
    let last = storage.metrics().log_hardened_lsn;
    insert(&storage, 300..310);
    drop(storage);
    place.log().set_len(in_log(last) + 1000).expect("cut");
    let error = place.open().err().expect("refused");
    assert!(matches!(&error, StorageError::Damaged(why) if why.contains("h0000.log has been cut")), "{error}");
}

#[test]
fn a_log_cut_before_the_last_checkpoint_is_refused() {
    let place = filled("short");
    let storage = place.open().expect("opened");
    let start = storage.metrics().log_hardened_lsn;
    insert(&storage, 200..210);
    // Held back by an open transaction: the log before the checkpoint is still needed.
    let table = storage.open_table(DB, TABLE).expect("the table");
    let mut tx = storage.begin(Isolation::ReadCommitted);
    table.insert(&mut tx, &image(table.layout(), 900, &(None, 1, None))).expect("inserted");
    insert(&storage, 210..220);
    storage.checkpoint().expect("a checkpoint");
    std::mem::forget(tx);
    drop(storage);
    let end = place.log().len().expect("a length");
    let zeros = vec![0; (end - in_log(start) - 4096) as usize];
    place.log().write_at(&zeros, in_log(start) + 4096).expect("overwritten");
    let error = place.open().err().expect("refused");
    assert!(matches!(&error, StorageError::Damaged(why) if why.contains("last checkpoint")), "{error}");
}

#[test]
fn a_lost_log_is_refused() {
    let place = filled("lost");
    place.disk.remove("h0000.log").expect("removed");
    let error = place.open().err().expect("refused");
    assert!(matches!(error, StorageError::Damaged(_)), "{error}");
}

#[test]
fn one_damaged_copy_of_the_control_file_does_no_harm_and_two_are_refused() {
    let place = filled("control");
    let control = place.file(CONTROL_FILE);
    flip(&control, 40);
    assert_eq!(ids(&place.open().expect("opened")), (0..100).collect::<Vec<_>>());
    flip(&control, 64 * 1024 + 40);
    assert_eq!(ids(&place.open().expect("opened")), (0..100).collect::<Vec<_>>());
    for copy in [0, 64 * 1024] {
        control.write_at(&[0xff; 64], copy).expect("damaged");
    }
    let error = place.open().err().expect("refused");
    assert!(matches!(error, StorageError::Damaged(_)), "{error}");
}
