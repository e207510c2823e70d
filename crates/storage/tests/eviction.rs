//! Many sessions in a pool that is much too small, while a checkpoint is always under way and the lazy writer goes ahead: whoever makes room
//! for a page holds latches of others, and nobody waits for somebody who waits for those.

mod common;

use common::*;
use os::disk::{SimDisk, SimDiskFaults};
use os::sched::{MachineConfig, Place, TaskKind, WorkerKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use storage::*;

const SCHEDULERS: u32 = 2;
const SESSIONS: u32 = 6;
const ROWS: u64 = 1_500;

#[test]
fn checkpoints_and_evictions_do_not_wait_for_each_other() {
    let cpus = os::limits::usable_cpus();
    let cpus = cpus.iter().cycle().take(SCHEDULERS as usize).copied().collect();
    let machine = os::sched::start(MachineConfig { workers: WorkerKind::Fiber, cpus, ..MachineConfig::default() });
    machine.run(|| {
        let mut config = config(&SimDisk::new(SimDiskFaults::default()));
        // With its background duties, the lazy writer among them.
        config.log_flush_ms = 5;
        let storage = Storage::open(config).expect("an instance");
        storage.start_duties();
        create(&storage, Kind::Clustered);
        let working = Arc::new(AtomicU64::new(u64::from(SESSIONS)));
        let sessions = (0..SESSIONS).map(|session| {
            let (storage, working) = (storage.clone(), working.clone());
            os::sched::spawn(TaskKind::Client, Place::On(session % SCHEDULERS), move || {
                let mut rng = Rng(0x9e37_79b9_7f4a_7c15 + u64::from(session));
                let table = storage.open_table(DB, TABLE).expect("the table is there");
                for number in 0..ROWS {
                    let mut tx = storage.begin(Isolation::ReadCommitted);
                    tx.begin_statement();
                    // Anywhere among all others.
                    let id =
                        (number * u64::from(SESSIONS) + u64::from(session)).wrapping_mul(0x9e37_79b9) & 0x7fff_ffff;
                    let row = (value(&mut rng, 1500), rng.next(1000) as i64, None);
                    table.insert(&mut tx, &image(table.layout(), id as i64, &row)).expect("inserted");
                    tx.commit(Durability::Delayed).expect("committed");
                    os::wait::maybe_yield();
                }
                working.fetch_sub(1, Ordering::Relaxed);
            })
        });
        let sessions: Vec<_> = sessions.collect();
        let checkpoints = {
            let storage = storage.clone();
            os::sched::spawn(TaskKind::Client, Place::On(0), move || {
                let mut count = 0;
                while working.load(Ordering::Relaxed) > 0 {
                    storage.checkpoint().expect("a checkpoint");
                    count += 1;
                    os::wait::yield_now();
                }
                count
            })
        };
        sessions.into_iter().for_each(|session| session.join().expect("no panic"));
        assert!(checkpoints.join().expect("no panic") > 0);
        let mut tx = storage.begin(Isolation::ReadCommitted);
        assert_eq!(read(&storage, &mut tx, 1).len() as u64, ROWS * u64::from(SESSIONS));
        drop(tx);
        storage.check_pages(DB).expect("whole");
    });
    machine.stop();
}
