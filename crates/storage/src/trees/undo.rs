//! Rolling back: the transaction's records from the newest to a savepoint or its first, each undone by its opposite.
//!
//! Undo is logical: the row is found by its key, wherever splits have moved it. Each step is logged as a compensation
//! record that says what to undo next, so a crash in the middle of a rollback goes on where it was. The same code serves
//! ROLLBACK, savepoints, failed statements and recovery.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::concurrency::locks::MemberId;
use crate::engine::{Author, Engine, Writer};
use crate::error::{StorageError, StorageResult};
use crate::layout::PageRef;
use crate::log::backward::Backward;
use crate::log::record::{CellBody, FLAG_COMPENSATION, Head, HeaderBody, Kind, Record, UpdateBody};
use crate::pages::data_files::DataFile;
use crate::pages::page;
use crate::shapes::tree::Tree;

/// Records between two looks of a rollback at the clock, when it says how far it is.
const TOLD_EVERY: u32 = 64;

impl Engine {
    /// Undoes what `writer` did after the record at `to` (0: everything).
    pub fn undo(&self, writer: &mut Writer, to: u64) -> StorageResult<()> {
        let mut next = writer.last_lsn;
        assert!(to <= next, "a savepoint is a record of the transaction: {to} of {next}");
        assert!(next == 0 || writer.id != 0, "who has records has an id");
        let member = &self.locks[writer.member];
        let (from, first) = (next, member.first_lsn.load(Ordering::SeqCst));
        let all = from.saturating_sub(to.max(first)).max(1);
        let mut log = Backward::new(&self.log, first);
        member.undo_begun_ms.store(os::clock::now_ms(), Ordering::Relaxed);
        let mut records = 0_u32;
        while next > to {
            if records.is_multiple_of(TOLD_EVERY) {
                let part = u128::from(from - next) * 10_000 / u128::from(all);
                member.undone.store(part.min(10_000) as u32 + 1, Ordering::Relaxed);
                os::wait::maybe_yield();
            }
            records = records.wrapping_add(1);
            let bytes = log.record(next)?;
            let record = Record::decode(next, bytes).filter(|record| record.head.transaction == writer.id);
            let record = record.ok_or_else(|| StorageError::Damaged(format!("log record at {next}")))?;
            if record.head.flags & FLAG_COMPENSATION == 0
                && let Some(file) = self.file(record.head.file)?
            {
                // Without its file it is of a database whose creation has been undone already, or of one that nobody gets now.
                self.undo_record(writer, &record, file, record.head.previous)?;
            }
            assert!(record.head.previous < next, "undo goes back: from {next} to {}", record.head.previous);
            next = record.head.previous;
            os::sim_point!("undo.record");
        }
        member.undone.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Rolls back a transaction that nobody runs any more, from its newest record on (0: it wrote none), and says in the log
    /// that it is over.
    pub fn roll_back_abandoned(&self, member: MemberId, id: u64, last_lsn: u64) -> StorageResult<()> {
        assert!(id != 0, "the system is not rolled back");
        debug_assert_eq!(self.locks[member].id.load(Ordering::SeqCst), id, "the transaction in its slot");
        let mut writer = Writer::new(member, id, last_lsn);
        self.undo(&mut writer, 0)?;
        let (transaction, previous) = (id, writer.last_lsn);
        if previous != 0 {
            self.log.append(Head { kind: Kind::End, flags: 0, transaction, previous, file: 0, page: 0 }, &[])?;
        }
        self.commits.rolled_back(id);
        Ok(())
    }

    /// `next`: what is to be undone after it.
    pub fn undo_record(
        &self,
        writer: &mut Writer,
        record: &Record<'_>,
        file: Arc<DataFile>,
        next: u64,
    ) -> StorageResult<()> {
        let head = &record.head;
        debug_assert!(head.flags & FLAG_COMPENSATION == 0, "what undoes is not undone");
        let damaged = || StorageError::Damaged(format!("log record at {}", record.lsn));
        // An unfinished transaction's row stays: a file that has it not is not the one that the log speaks of.
        let lost = || StorageError::corrupt(PageRef { file: head.file, page: head.page });
        let mut author = Author::Compensation(writer, next);
        match head.kind {
            Kind::Insert => {
                let body = CellBody::decode(record.body).ok_or_else(damaged)?;
                let tree = Tree::new(file, body.root);
                self.log.admit()?;
                let mut leaf = self.leaf_exclusive(&tree, body.key)?;
                let (slot, found) = page::lower_bound(&leaf, body.key);
                if !found {
                    return Err(lost());
                }
                self.ghosts.note(PageRef { file: head.file, page: leaf.number() }, 0);
                self.drop_cell(&mut author, &tree, &mut leaf, slot)
            }
            Kind::Update => {
                let body = UpdateBody::decode(record.body).ok_or_else(damaged)?;
                let tree = Tree::new(file, body.root);
                loop {
                    self.log.admit()?;
                    let mut leaf = self.leaf_exclusive(&tree, body.key)?;
                    let (slot, found) = page::lower_bound(&leaf, body.key);
                    if !found {
                        return Err(lost());
                    }
                    let old = body.patch(page::payload(&leaf, slot), body.old);
                    if page::has_room_to_replace(&leaf, slot, old.len()) {
                        return self.put_payload(&mut author, &tree, &mut leaf, slot, body.key, &old);
                    }
                    drop(leaf);
                    self.split(&tree, body.key, 0, &|leaf| {
                        let (slot, found) = page::lower_bound(leaf, body.key);
                        !found || page::has_room_to_replace(leaf, slot, old.len())
                    })?;
                }
            }
            Kind::Header => {
                let body = HeaderBody::decode(record.body).ok_or_else(damaged)?;
                let tree = Tree::new(file, body.root);
                self.log.admit()?;
                let mut leaf = self.leaf_exclusive(&tree, body.key)?;
                let (slot, found) = page::lower_bound(&leaf, body.key);
                if !found {
                    return Err(lost());
                }
                self.put_header(&mut author, &tree, &mut leaf, slot, body.key, body.old)
            }
            // A transaction changes the structure where it makes a tree.
            Kind::TreeCreate | Kind::Structure => {
                // Freed later, as a dropped one: another transaction may take the pages before this one's end is logged.
                self.append(&mut author, Kind::TreeDrop, &file, head.page, &[])?;
                self.pending_frees.add([PageRef { file: head.file, page: head.page }]);
                Ok(())
            }
            Kind::FileCreate => {
                self.append(&mut author, Kind::FileDrop, &file, 0, &[])?;
                let _freeing = self.freeing.lock();
                self.remove_file(head.file)
            }
            _ => Ok(()),
        }
    }
}
