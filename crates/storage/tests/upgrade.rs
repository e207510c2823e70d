//! Starts on the files of an older format, killed at any step, with what was not synced lost or not: the next one goes on with the old or the
//! new format, and has every row.
//!
//! The control file is made what it was in that format; what a format does not know is left out of it. SEEDS: so many for each format.

mod common;

use common::*;
use os::disk::{Disk, Open, SimDisk, SimDiskFaults};
use os::sim::{SimConfig, run};
use storage::*;

const CONTROL: &str = "heddle.hct";
const COPY_BYTES: usize = 64 * 1024;
/// Bytes at the end of a copy that formats before 6, 5 and 2 have not: the counts of chains and of held files, the row number, the manifest.
const BEHIND: [(u32, u32); 3] = [(6, 4), (5, 8), (2, 8)];
const STARTS: u64 = 5;
const STEPS_MAX: u64 = 4_000;

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// Makes both copies of the control file what a server of `format` had written.
fn age(disk: &Disk, format: u32) {
    let file = disk.open(CONTROL, Open::Existing).expect("the control file");
    let mut bytes = vec![0; file.len().expect("a length") as usize];
    file.read_at(&mut bytes, 0).expect("read");
    for copy in bytes.chunks_exact_mut(COPY_BYTES).filter(|copy| copy.starts_with(b"HDLCTL01")) {
        let unknown: u32 = BEHIND.iter().filter(|(since, _)| *since > format).map(|(_, bytes)| bytes).sum();
        let length = word(copy, 16) - unknown;
        copy[8..12].copy_from_slice(&format.to_le_bytes());
        copy[16..20].copy_from_slice(&length.to_le_bytes());
        let crc = crc32fast::hash(&copy[16..16 + length as usize]);
        copy[12..16].copy_from_slice(&crc.to_le_bytes());
    }
    file.write_at(&bytes, 0).expect("written");
    file.sync_data().expect("synced");
}

/// The formats of the copies that are there.
fn formats(disk: &Disk) -> Vec<u32> {
    let file = disk.open(CONTROL, Open::Existing).expect("the control file");
    let mut bytes = vec![0; file.len().expect("a length") as usize];
    file.read_at(&mut bytes, 0).expect("read");
    let copies = bytes.chunks_exact(COPY_BYTES).filter(|copy| copy.starts_with(b"HDLCTL01"));
    copies.map(|copy| word(copy, 8)).collect()
}

fn change(storage: &Storage, rng: &mut Rng, model: &mut Model) {
    let table = storage.open_table(DB, TABLE).expect("the table");
    for _ in 0..20 {
        let mut tx = storage.begin(Isolation::ReadCommitted);
        let id = rng.next(200) as i64;
        match locator(&table, &mut tx, id).expect("read") {
            Some(row) => {
                assert!(table.delete(&mut tx, &row).is_ok());
                model.remove(&id);
            }
            None => {
                let row = (value(rng, 300), rng.next(30) as i64, value(rng, 9_000));
                table.insert(&mut tx, &image(table.layout(), id, &row)).expect("inserted");
                model.insert(id, row);
            }
        }
        tx.commit(Durability::Full).expect("committed");
    }
}

fn rows(storage: &Storage) -> Model {
    let mut tx = storage.begin(Isolation::ReadCommitted);
    let (found, by_index) = (read(storage, &mut tx, 1), read(storage, &mut tx, 2));
    assert!(found == by_index, "the indexes disagree");
    found
}

#[test]
fn a_start_on_an_older_format_may_be_killed_anywhere() {
    let seeds: u64 = os::env::var("SEEDS").and_then(|n| n.parse().ok()).unwrap_or(6);
    let (mut kills, mut starts) = (0, 0);
    for (format, seed) in (1..=6).flat_map(|format| (1..=seeds).map(move |seed| (format, seed))) {
        let mut rng = Rng((u64::from(format) << 32 | seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // Rows in memory came with format 2, values of theirs outside of the rows with 3.
        let kinds = [Kind::Clustered, Kind::Heap, Kind::Ordered];
        let kind = kinds[seed as usize % if format < 3 { 2 } else { 3 }];
        let disk = SimDisk::new(SimDiskFaults::default());
        let mut model = Model::new();
        let storage = Storage::open(config(&disk)).expect("opened");
        create(&storage, kind);
        change(&storage, &mut rng, &mut model);
        storage.checkpoint().expect("a checkpoint");
        change(&storage, &mut rng, &mut model);
        drop(storage);
        age(&Disk::Sim(disk.clone()), format);
        for start in 0..STARTS {
            let (disk_, wanted) = (disk.clone(), model.clone());
            let sim = SimConfig {
                kill_at_step: Some(20 + rng.next(STEPS_MAX)),
                disks: if rng.next(3) > 0 { vec![disk.clone()] } else { Vec::new() },
                point_yields: 4,
                steps_max: 2_000_000,
                ..SimConfig::default()
            };
            let outcome = run(seed * 100 + start, sim, move || {
                let storage = Storage::open(config(&disk_))
                    .unwrap_or_else(|error| panic!("format {format} seed {seed} start {start}: {error}"));
                assert!(rows(&storage) == wanted, "format {format} seed {seed} start {start}");
                storage.checkpoint().expect("a checkpoint");
            });
            kills += u64::from(outcome.result.is_none());
            starts += 1;
        }
        let storage = Storage::open(config(&disk)).expect("opened");
        assert!(rows(&storage) == model, "format {format} seed {seed}");
        // Both copies are written in turn.
        (0..2).for_each(|_| {
            change(&storage, &mut rng, &mut model);
            storage.checkpoint().expect("a checkpoint");
        });
        drop(storage);
        assert_eq!(formats(&Disk::Sim(disk.clone())), [7, 7], "format {format} seed {seed}");
        let storage = Storage::open(config(&disk)).expect("opened");
        assert!(rows(&storage) == model, "format {format} seed {seed}");
    }
    println!("{starts} starts, {kills} kills");
    assert!(kills * 4 > starts, "starts end by kills: {kills} of {starts}");
}
