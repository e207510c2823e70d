//! Restoring a backup as a database of this instance.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use os::disk::{Disk, File, Open};
use os::wait::WaitType;

use super::blocks::damaged;
use super::media::Media;
use super::set::{Progress, Set};
use super::stamp::Stamp;
use super::unpack::unpack;
use crate::engine::{Author, Engine};
use crate::error::{StorageError, StorageResult};
use crate::instance::storage::Storage;
use crate::layout::{DatabaseId, TableId};
use crate::log::record::Kind;
use crate::pages::data_files::{DataFile, file_name};
use crate::pages::files::read_or_zero;
use crate::pages::page::PAGE_BYTES;
use crate::recovery::control::FileEntry;
use crate::recovery::restart::{PAGES_FROM_ELSEWHERE, SCRATCH, clear_scratch};
use crate::shapes::shape::Roots;
use crate::tables::load::every_row;
use crate::tables::table::Table;
use crate::transaction::{Isolation, Transaction};

/// Pages that are read and written at a time.
const PAGES: usize = 32;
/// Rows in memory between two looks around.
const ROWS_A_STEP: u32 = 200;
/// How often it is looked whether another restore has ended.
const LOOK_AGAIN_MS: u64 = 50;

/// The name of a database, and of what it is known by here.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub database: DatabaseId,
    pub name: &'a str,
}

/// A memory-optimized table of the backup.
type MemoryTables = Vec<(TableId, Roots)>;

impl Storage {
    /// The database in the backup at `at` of `from` comes to be as `target` when the transaction commits. Its rows in memory lie there twice
    /// while it runs.
    pub fn restore(
        &self,
        tx: &mut Transaction,
        target: Target<'_>,
        from: &dyn Media,
        at: u64,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<Set> {
        tx.check_running()?;
        let _one_at_a_time = self.turn(step)?;
        if self.engine().file_of(target.database).is_ok() {
            return Err(StorageError::AlreadyExists);
        }
        let disk = &self.engine().disk;
        clear_scratch(disk)?;
        let restored = self.restore_privately(tx, target, from, at, step);
        let cleared = clear_scratch(disk);
        let set = restored?;
        cleared?;
        Ok(set)
    }

    fn restore_privately(
        &self,
        tx: &mut Transaction,
        target: Target<'_>,
        from: &dyn Media,
        at: u64,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<Set> {
        let scratch = self.engine().disk.subdirectory(SCRATCH)?;
        // Unpacking is one half of it, copying pages the other.
        let set = unpack(from, at, (&scratch, None), &mut |progress| {
            step(Progress { done: progress.done, total: progress.total * 2 })
        })?;
        os::sim_point!("restore.unpacked");
        self.take_over(tx, target, (scratch, DatabaseId(set.head.database)), step)?;
        Ok(set)
    }

    /// Recovers the instance in a directory, and copies its database.
    pub(super) fn take_over(
        &self,
        tx: &mut Transaction,
        target: Target<'_>,
        (scratch, of): (Disk, DatabaseId),
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<()> {
        // All its pages are on disk then.
        let private = Storage::open(self.private_config(scratch))?;
        // Its creation was not committed.
        let source = private.engine().file_of(of).map_err(|_| damaged("there is no database in it"))?;
        let tables = memory_tables(private.engine(), of)?;
        self.make_row_numbers_higher(private.engine().numbers.next_row.load(Ordering::SeqCst))?;
        let file = self.copy_pages(tx, target, &source, &tables, &mut |progress| {
            step(Progress { done: progress.total + progress.done, total: progress.total * 2 })
        })?;
        self.add_file(tx, target, file)?;
        for (table, _) in &tables {
            let from = private.open_table(of, *table)?;
            copy_rows(&private, &from, tx, &*self.open_table(target.database, *table)?, step)?;
        }
        Ok(())
    }

    /// One restore at a time: there is one place to unpack a backup.
    pub(super) fn turn(
        &self,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<os::sync::MutexGuard<'_, ()>> {
        loop {
            if let Some(turn) = self.restoring().try_lock() {
                return Ok(turn);
            }
            os::wait::sleep(WaitType::BACKUPIO, LOOK_AGAIN_MS);
            step(Progress { done: 0, total: 1 })?;
        }
    }

    /// No row gets a number that a restored one has, not even after a crash right behind the commit.
    fn make_row_numbers_higher(&self, next: u64) -> StorageResult<()> {
        if self.engine().numbers.next_row.fetch_max(next, Ordering::SeqCst) < next {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// The data file of the target, whole on disk, which nobody knows yet.
    fn copy_pages(
        &self,
        tx: &mut Transaction,
        target: Target<'_>,
        source: &DataFile,
        tables: &MemoryTables,
        step: &mut dyn FnMut(Progress) -> StorageResult<()>,
    ) -> StorageResult<(u32, File)> {
        let engine = self.engine();
        engine.identify(&mut tx.writer)?;
        let mut objects = BTreeMap::new();
        for number in tables.iter().flat_map(|(_, roots)| [roots.base, roots.long_values]).filter(|number| *number != 0)
        {
            let here = engine.xtp.numbers.next_object.fetch_add(1, Ordering::SeqCst);
            tx.objects.made.push(here);
            objects.insert(number, here);
        }
        let number = engine.numbers.next_file.fetch_add(1, Ordering::SeqCst);
        if engine.disk.exists(&file_name(number)) {
            // Left over from before a crash: its number was never hardened.
            engine.disk.remove(&file_name(number))?;
        }
        let file = engine.disk.open(&file_name(number), Open::New)?;
        let stamp = Stamp {
            file: number,
            database: target.database,
            lsn: engine.log.tail(),
            transaction: tx.writer.id,
            objects,
        };
        let copied = copy_file(source, &file, &stamp, step);
        let copied = copied.and_then(|()| Ok(engine.disk.sync_names()?));
        if let Err(error) = copied {
            drop(file);
            engine.disk.remove(&file_name(number)).ok();
            return Err(error);
        }
        os::sim_point!("restore.copied");
        Ok((number, file))
    }

    /// From here on a rollback removes the file.
    fn add_file(&self, tx: &mut Transaction, target: Target<'_>, (number, file): (u32, File)) -> StorageResult<()> {
        let engine = self.engine();
        let entry = FileEntry { number, database: target.database.0, temporary: false, name: target.name.to_string() };
        let mut body = Vec::new();
        entry.encode(&mut body);
        let added = engine.files.add(number, target.database.0, false, file, target.name);
        let data: Arc<DataFile> = added.inspect_err(|_| {
            // What stays goes at the next start.
            engine.disk.remove(&file_name(number)).ok();
        })?;
        engine.append(&mut Author::Change(&mut tx.writer), Kind::FileCreate, &data, PAGES_FROM_ELSEWHERE, &[&body])?;
        data.mark_logged();
        os::sim_point!("restore.created");
        let tables: Vec<_> =
            engine.list_directory(target.database)?.into_iter().map(|table| (target.database, table)).collect();
        // A database that had the id before may have left shapes behind.
        engine.shapes.forget(&tables, false);
        tx.reshaped.extend(tables);
        Ok(())
    }
}

fn memory_tables(engine: &Engine, db: DatabaseId) -> StorageResult<MemoryTables> {
    let mut tables = Vec::new();
    for table in engine.list_directory(db)? {
        if let Some((layout, roots)) = engine.read_directory(db, table)?
            && layout.memory.is_some()
        {
            tables.push((table, roots));
        }
    }
    Ok(tables)
}

fn copy_file(
    source: &DataFile,
    file: &File,
    stamp: &Stamp,
    step: &mut dyn FnMut(Progress) -> StorageResult<()>,
) -> StorageResult<()> {
    let pages = source.pages() as usize;
    let total = (pages * PAGE_BYTES) as u64;
    file.allocate(total)?;
    let mut piece = vec![0; PAGES * PAGE_BYTES];
    for first in (0..pages).step_by(PAGES) {
        let count = PAGES.min(pages - first);
        let at = (first * PAGE_BYTES) as u64;
        let piece = &mut piece[..count * PAGE_BYTES];
        read_or_zero(&source.file, WaitType::BACKUPIO, at, piece)?;
        for (number, bytes) in piece.as_chunks_mut::<PAGE_BYTES>().0.iter_mut().enumerate() {
            stamp.apply(bytes, source.number, (first + number) as u32)?;
        }
        file.write_at(piece, at)?;
        os::sim_point!("restore.pages");
        step(Progress { done: at + piece.len() as u64, total })?;
        os::wait::maybe_yield();
    }
    Ok(file.sync_data_as(WaitType::BACKUPIO)?)
}

fn copy_rows(
    private: &Storage,
    source: &Table,
    tx: &mut Transaction,
    target: &Table,
    step: &mut dyn FnMut(Progress) -> StorageResult<()>,
) -> StorageResult<()> {
    let mut reader = private.begin(Isolation::ReadCommitted);
    reader.begin_statement();
    let mut scan = source.scan(&mut reader, every_row())?;
    let mut rows = 0_u32;
    while let Some(row) = scan.next(&mut reader)? {
        target.insert(tx, row.image)?;
        rows += 1;
        if rows.is_multiple_of(ROWS_A_STEP) {
            os::wait::maybe_yield();
            step(Progress { done: 1, total: 1 })?;
        }
    }
    Ok(())
}
