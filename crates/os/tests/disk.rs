//! Real files: contents, refusals, the lock; from a worker and from a plain thread.
use os::disk::{Disk, DiskError, Open};
use os::sched::{MachineConfig, start};
use std::path::PathBuf;

struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        Directory(std::env::temp_dir().join(format!("heddle-os-{name}-{}", std::process::id())))
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn exercise(disk: &Disk) {
    assert_eq!(disk.open("a", Open::Existing).err(), Some(DiskError::NotFound));
    let file = disk.open("a", Open::New).unwrap();
    assert_eq!(disk.open("a", Open::New).err(), Some(DiskError::AlreadyExists));
    let page = vec![7u8; 8192];
    file.write_at(&page, 8192).unwrap();
    let large: Vec<u8> = (0..600_000u32).map(|n| n as u8).collect();
    file.write_at(&large, 16384).unwrap();
    file.sync_data().unwrap();
    assert_eq!(file.len().unwrap(), 16384 + 600_000);
    let mut got = vec![1u8; 8192];
    file.read_at(&mut got, 0).unwrap();
    assert_eq!(got, vec![0; 8192]);
    file.read_at(&mut got, 8192).unwrap();
    assert_eq!(got, page);
    let mut back = vec![0; large.len()];
    file.read_at(&mut back, 16384).unwrap();
    assert_eq!(back, large);
    assert_eq!(file.read_at(&mut got, 16384 + 600_000 - 10), Err(DiskError::EndOfFile));
    assert_eq!(file.read_some_at(&mut got, 16384 + 600_000 - 10), Ok(10));
    file.set_len(100).unwrap();
    assert_eq!(file.len().unwrap(), 100);
    file.allocate(65_536).unwrap();
    assert_eq!(file.len().unwrap(), 65_536);
    disk.open("b", Open::ExistingOrNew).unwrap();
    disk.rename("a", "c").unwrap();
    disk.sync_names().unwrap();
    assert_eq!(disk.list().unwrap(), ["b", "c"]);
    disk.remove("b").unwrap();
    assert_eq!(disk.remove("b"), Err(DiskError::NotFound));
    assert!(disk.exists("c") && !disk.exists("b"));
    let inner = disk.subdirectory("inner").unwrap();
    inner.open("x", Open::New).unwrap().write_at(b"x", 0).unwrap();
    assert_eq!(disk.list().unwrap(), ["c"]);
    assert_eq!(inner.list().unwrap(), ["x"]);
    assert!(disk.free_bytes().unwrap() > 0);
}

#[test]
fn files_keep_what_was_written() {
    let here = Directory::new("plain");
    exercise(&Disk::directory(&here.0).unwrap());
    let there = Directory::new("worker");
    let disk = Disk::directory(&there.0).unwrap();
    let machine = start(MachineConfig { cpus: vec![0, 1], ..Default::default() });
    machine.run(move || exercise(&disk));
}

#[test]
fn a_directory_has_one_owner() {
    let here = Directory::new("lock");
    let disk = Disk::directory(&here.0).unwrap();
    let lock = disk.lock("lock").unwrap();
    assert_eq!(disk.lock("lock").err(), Some(DiskError::Locked));
    drop(lock);
    assert!(disk.lock("lock").is_ok());
}

#[test]
fn a_simulated_disk_answers_alike() {
    exercise(&Disk::Sim(os::disk::SimDisk::new(os::disk::SimDiskFaults::default())));
}
