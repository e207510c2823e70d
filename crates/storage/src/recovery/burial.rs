//! What an engine process leaves behind when it dies outside of critical sections: transactions that nobody will end.

use std::sync::atomic::Ordering;

use crate::concurrency::commits::Status;
use crate::concurrency::locks::{LockMode, MemberId, Patience, Resource};
use crate::engine::Engine;
use crate::error::StorageResult;
use crate::xtp::work_list::WorkList;

impl Engine {
    /// Ends the transactions of a dead engine: those whose commit record is in the log are committed, the others rolled back.
    /// Before their locks are released, `publish` makes visible what the engine may have defined (see `Transaction::commit_then`).
    /// Returns how many there were. One engine does it, once.
    pub fn bury(&self, engine: u32, publish: impl FnOnce()) -> StorageResult<usize> {
        debug_assert!(engine != os::engines::number(), "nobody buries itself");
        self.log.look_again();
        let left_behind = self.locks.of_engine(engine);
        for member in &left_behind {
            self.locks.stop_waiting(*member);
            if let Err(error) = self.end_for(*member) {
                // Half undone: nobody may see it. Recovery finishes the job.
                self.log.stop(error.clone());
                return Err(error);
            }
        }
        if !left_behind.is_empty() {
            // They may have changed shapes, and nobody knows which.
            self.shapes.forget_all();
        }
        publish();
        for member in &left_behind {
            self.locks.release_all(*member);
            self.locks.leave(*member);
        }
        if !left_behind.is_empty() {
            self.drop_lost_objects();
        }
        Ok(left_behind.len())
    }

    /// Memory-optimized tables that came or went with the dead engine's transactions: of their objects nobody has said that they go.
    fn drop_lost_objects(&self) {
        let member = self.locks.enter();
        for (_, object) in self.xtp.objects.all().filter(|(_, object)| !object.is_dropped()) {
            let (db, table, number) = (object.database(), object.table(), object.number());
            debug_assert!(number != 0);
            let resource = Resource::Table(db, table);
            // Who defines the table anew at this moment knows what of it goes.
            if self.locks.acquire(member, resource, LockMode::SchemaStability, Patience::Ms(0)) != Ok(true) {
                continue;
            }
            let is_lost = self
                .read_directory(db, table)
                .is_ok_and(|found| found.is_none_or(|(_, roots)| roots.base != number && roots.long_values != number));
            if is_lost {
                self.xtp.objects.drop_soon(number, self.commits.now());
            }
            self.locks.release(member, resource);
        }
        self.locks.leave(member);
    }

    fn end_for(&self, member: MemberId) -> StorageResult<()> {
        let slot = &self.locks[member];
        let (id, last_lsn) = (slot.id.load(Ordering::SeqCst), slot.last_lsn.load(Ordering::SeqCst));
        if id == 0 {
            assert_eq!((last_lsn, slot.work.load(Ordering::SeqCst)), (0, 0), "who has no id has changed nothing");
            return Ok(());
        }
        let work = WorkList::left_behind(&self.xtp.memory, slot.work.load(Ordering::SeqCst));
        assert!(last_lsn < self.log.tail(), "its newest record is in the log");
        let time = match (self.commits.status(id), slot.committed.load(Ordering::SeqCst)) {
            (Status::Active | Status::Preparing(_), 0) => {
                os::sim_point!("burial.undo");
                self.undo_work(&work, 0, id);
                self.roll_back_abandoned(member, id, last_lsn)?;
                self.commits.now()
            }
            // Its client may have heard of it already, or never will: it is committed in the log.
            (Status::Active, end) => {
                assert!(end > last_lsn, "the commit record is the last");
                self.log.harden(end)?;
                self.commits.commit(id)
            }
            (Status::Preparing(time), end) => {
                assert!(end > last_lsn, "the commit record is the last");
                self.log.harden(end)?;
                self.commits.confirm(id, time);
                self.settle(&work, time);
                time
            }
            (Status::Committed(time), _) => {
                self.settle(&work, time);
                time
            }
            (Status::RolledBack, _) => self.commits.now(),
        };
        self.count_versions(&work, slot.work_counted.load(Ordering::Relaxed) as usize);
        self.leave_garbage(&work, time);
        slot.work.store(0, Ordering::SeqCst);
        Ok(())
    }
}
