//! What an engine process leaves behind when it dies outside of critical sections: transactions that nobody will end.

use std::sync::atomic::Ordering;

use crate::commits::Status;
use crate::engine::{Engine, Writer};
use crate::error::StorageResult;
use crate::locks::MemberId;
use crate::log::record::{Head, Kind};

impl Engine {
    /// Ends the transactions of a dead engine: those whose commit record is in the log are committed, the others rolled back.
    /// Returns how many there were. One engine does it, once.
    pub fn bury(&self, engine: u32) -> StorageResult<usize> {
        let left_behind = self.locks.of_engine(engine);
        for member in &left_behind {
            self.locks.stop_waiting(*member);
            if let Err(error) = self.end_for(*member) {
                // Half undone: nobody may see it. Recovery finishes the job.
                self.log.stop(error.clone());
                return Err(error);
            }
            self.locks.release_all(*member);
            self.locks.leave(*member);
        }
        Ok(left_behind.len())
    }

    fn end_for(&self, member: MemberId) -> StorageResult<()> {
        let slot = &self.locks[member];
        let (id, last_lsn) = (slot.id.load(Ordering::SeqCst), slot.last_lsn.load(Ordering::SeqCst));
        if id == 0 || self.commits.status(id) != Status::Active {
            return Ok(());
        }
        match slot.committed.load(Ordering::SeqCst) {
            0 => {
                os::sim_point!("burial.undo");
                let mut writer = Writer { member, id, last_lsn, statement: 1, durable: true };
                self.undo(&mut writer, 0)?;
                let (transaction, previous) = (id, writer.last_lsn);
                if previous != 0 {
                    let head = Head { kind: Kind::End, flags: 0, transaction, previous, file: 0, page: 0 };
                    self.log.append(head, &[])?;
                }
                self.commits.rolled_back(id);
            }
            // Its client may have heard of it already, or never will: it is committed in the log.
            end => {
                self.log.harden(end)?;
                self.commits.commit(id);
            }
        }
        Ok(())
    }
}
