//! Repairing a database that nobody else uses: its pages (`trees::heal`), then the rows that lack a part.

use types::pause::{Pacer, Pause, Unheard};
use types::row::RowView;

use crate::concurrency::locks::LockMode;
use crate::concurrency::versions::{ROW_HEADER_BYTES, RowHeader};
use crate::engine::Engine;
use crate::error::{ROW_WORK, StorageError, StorageResult, heard};
use crate::hold::Hold;
use crate::instance::storage::Storage;
use crate::layout::{DatabaseId, TableId};
use crate::pages::page;
use crate::recovery::control::FORMAT;
use crate::shapes::shape::Shape;
use crate::shapes::tree::Target;
use crate::tables::table::Table;
use crate::transaction::Transaction;
use crate::trees::heal::Repaired;

/// Rows whose places are told.
const PLACES_MAX: usize = 200;

/// A row that cannot be read.
struct Torn {
    page: u32,
    slot: u16,
    key: Vec<u8>,
}

impl Storage {
    /// Makes the trees and bitmaps of a database whole. `may_lose`: also where that costs rows; otherwise what would is left as it is. Nobody
    /// else uses the database.
    ///
    /// `CorruptPage`: what is left cannot be put together.
    pub fn heal(&self, db: DatabaseId, may_lose: bool, pause: &dyn Pause) -> StorageResult<Repaired> {
        let engine = self.engine();
        let repaired = engine.heal(&*engine.file_of(db)?, (db, FORMAT), may_lose, pause)?;
        self.checkpoint_heard(pause)?;
        Ok(repaired)
    }

    /// Brings a database that is read in an emergency, and whole again, back to the others. How many changes of unfinished transactions
    /// could not be undone, since their rows are gone.
    pub fn end_emergency(&self, db: DatabaseId) -> StorageResult<u64> {
        let engine = self.engine();
        let Some(held) = engine.files.held_of(db).filter(|held| held.hold == Hold::Emergency) else { return Ok(0) };
        let file = engine.file_of(db)?;
        let mut lost = 0;
        self.under_checkpoint(|covered| {
            engine.log.harden_all()?;
            let end = engine.log.hardened();
            lost = engine.undo_what_is_there(&file, held.since, end)?;
            engine.log.harden_all()?;
            engine.shapes.forget_all();
            engine.files.let_go(&file);
            let loaded = engine.load_memory_tables_of(db, covered, engine.log.hardened());
            if let Err(error) = &loaded {
                engine.put_away(&file, Hold::Suspect, held.since, &error.to_string());
                engine.forget_rows_of(db);
            }
            loaded
        })?;
        self.checkpoint_heard(&Unheard::default())?;
        Ok(lost)
    }

    /// Deletes the rows of a table that cannot be read, since a long value of theirs is lost: how many, and where the first of them were (page
    /// and slot). Indexes keep their entries: they are to be built again.
    pub fn drop_torn_rows(
        &self,
        tx: &mut Transaction,
        db: DatabaseId,
        table: TableId,
        pause: &dyn Pause,
    ) -> StorageResult<(u64, Vec<(u32, u16)>)> {
        tx.lock_table(db, table, LockMode::SchemaModification)?;
        let table = self.open_table(db, table)?;
        let Table::Disk(table) = &*table else { return Ok((0, Vec::new())) };
        let (engine, shape) = (self.engine(), &*table.shape);
        let patience = tx.patience();
        let (mut old, mut pacer) = (Vec::new(), Pacer::new(pause));
        let (mut from, mut dropped, mut places) = (Some(Vec::new()), 0, Vec::new());
        while let Some(key) = from {
            let (torn, next) = engine.torn_rows(shape, &key, &mut pacer)?;
            dropped += torn.len() as u64;
            let room = PLACES_MAX.saturating_sub(places.len());
            places.extend(torn.iter().map(|row| (row.page, row.slot)).take(room));
            tx.change(db, shape.id, |tx| {
                for row in &torn {
                    engine.delete_row(
                        &mut tx.writer,
                        &shape.base,
                        shape.id,
                        &row.key,
                        None,
                        None,
                        patience,
                        &mut old,
                    )?;
                }
                Ok(())
            })?;
            from = next;
        }
        Ok((dropped, places))
    }
}

impl Engine {
    /// Such rows in the leaf of `from`, and where the next leaf begins.
    fn torn_rows(
        &self,
        shape: &Shape,
        from: &[u8],
        pacer: &mut Pacer<'_>,
    ) -> StorageResult<(Vec<Torn>, Option<Vec<u8>>)> {
        let (mut rows, mut torn, mut joined) = (Vec::new(), Vec::new(), Vec::new());
        let leaf = self.leaf_shared(&shape.base, Target::Key(from))?;
        for slot in 0..page::slot_count(&leaf) {
            let payload = page::payload(&leaf, slot);
            if !RowHeader::decode(payload).ghost {
                let row = Torn { page: leaf.number(), slot: slot as u16, key: page::key(&leaf, slot) };
                rows.push((row, payload[ROW_HEADER_BYTES..].to_vec()));
            }
        }
        let next = page::upper_fence(&leaf).map(<[u8]>::to_vec);
        // A long value is looked for without a latch.
        drop(leaf);
        for (row, image) in rows {
            heard(pacer.spend(ROW_WORK + image.len()))?;
            let read = match RowView::new(&shape.layout.row, &image) {
                Ok(view) if view.has_overflow() => self.join_long_values(shape.stored(), &image, &mut joined),
                other => other.map(drop).map_err(StorageError::from),
            };
            match read {
                Ok(()) => {}
                Err(StorageError::CorruptRow(_) | StorageError::Damaged(_) | StorageError::CorruptPage { .. }) => {
                    torn.push(row);
                }
                Err(error) => return Err(error),
            }
        }
        Ok((torn, next))
    }
}
