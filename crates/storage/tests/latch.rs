//! Readers and writers of one page on real schedulers: nobody sees half of a change.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use os::disk::{Disk, Open, SimDisk, SimDiskFaults};
use os::region::Visibility;
use os::sched::{MachineConfig, Place, TaskKind, WorkerKind};
use storage::buffer::Buffer;
use storage::pages::data_files::{DataFile, DataFiles};
use storage::pages::page;
use storage::region::memory::Memory;

const SCHEDULERS: u32 = 4;
const WRITES: u64 = 10_000;
/// Looks between two writes.
const LOOKS: u64 = 150;
const FIRST: usize = 100;
const SECOND: usize = 7_000;

fn look(buffer: &Buffer, file: &DataFile, may_wait: bool) -> u64 {
    let page = buffer.shared(file, 1).expect("the page");
    let first = page::u64_at(&page[..], FIRST);
    if may_wait {
        // As a descent does that has to read its next page in.
        os::wait::yield_now();
    }
    assert_eq!(first, page::u64_at(&page[..], SECOND), "half of a change");
    first
}

fn change(buffer: &Buffer, file: &DataFile, may_wait: bool) {
    let mut page = buffer.exclusive(file, 1).expect("the page");
    let next = page::u64_at(&page[..], FIRST) + 1;
    page::put_u64(&mut page[..], FIRST, next);
    if may_wait {
        os::wait::yield_now();
    }
    page::put_u64(&mut page[..], SECOND, next);
}

fn readers_and_writers(workers: WorkerKind) {
    let cpus = os::limits::usable_cpus();
    let cpus = cpus.iter().cycle().take(SCHEDULERS as usize).copied().collect();
    let machine = os::sched::start(MachineConfig { workers, cpus, ..MachineConfig::default() });
    machine.run(|| {
        let disk = Disk::Sim(SimDisk::new(SimDiskFaults::default()));
        let memory = Memory::reserve(Buffer::region_bytes(2, 10), Visibility::ThisProcess).expect("memory");
        memory.broker().set_target(1 << 20);
        let files = Arc::new(DataFiles::new(&memory, disk.clone(), 2).expect("a table"));
        let buffer = Arc::new(Buffer::new(&memory, &disk, files.clone(), 2, 10).expect("a pool"));
        let file = disk.open("pages", Open::New).expect("a file");
        let file = files.add(1, 1, false, file, "pages").expect("a place");
        drop(buffer.fresh(&file, 1).expect("a page"));
        let written = Arc::new(AtomicU64::new(0));
        let tasks: Vec<_> = (0..SCHEDULERS * 3)
            .map(|number| {
                let (buffer, file, written) = (buffer.clone(), file.clone(), written.clone());
                os::sched::spawn(TaskKind::Client, Place::On(number % SCHEDULERS), move || {
                    let (mut newest, mut turn) = (0, u64::from(number));
                    while written.load(Ordering::Relaxed) < WRITES {
                        turn += 1;
                        let seen = look(&buffer, &file, turn.is_multiple_of(31));
                        assert!(seen >= newest, "a change came undone");
                        newest = seen;
                        if turn.is_multiple_of(LOOKS) {
                            change(&buffer, &file, turn.is_multiple_of(7));
                            written.fetch_add(1, Ordering::Relaxed);
                        }
                        if turn.is_multiple_of(50) {
                            os::wait::yield_now();
                        }
                    }
                })
            })
            .collect();
        tasks.into_iter().for_each(|task| task.join().expect("no panic"));
        assert_eq!(look(&buffer, &file, false), written.load(Ordering::Relaxed));
    });
    machine.stop();
}

#[test]
fn nobody_sees_half_of_a_change_on_fibers() {
    readers_and_writers(WorkerKind::Fiber);
}

#[test]
fn nobody_sees_half_of_a_change_on_threads() {
    readers_and_writers(WorkerKind::Thread);
}
