//! An index that is added to those of a table, or made anew, while others use it: until its tree is full nobody knows of that, so they go on as
//! they are, and may add indexes of theirs.
//!
//! The rows are locked against changes. Online they are only at the beginning and at the end: the tree gets the rows of one moment, then what
//! the log says was changed since, and that again as long as much was changed meanwhile. The last time nobody changes anything. Who writes
//! pays nothing for it. https://learn.microsoft.com/sql/relational-databases/indexes/how-online-index-operations-work

use std::sync::atomic::{Ordering, fence};

use types::pause::Pacer;

use crate::concurrency::locks::LockMode;
use crate::error::{ROW_WORK, StorageError, StorageResult, heard};
use crate::instance::storage::Storage;
use crate::layout::{DatabaseId, IndexLayout, TableId, TableLayout};
use crate::log::{self, record};
use crate::shapes::shape::{IndexRoots, IndexShape, Roots};
use crate::tables::disk_table::{DiskTable, entry_of, image_at};
use crate::tables::load::{self, Build};
use crate::transaction::{Isolation, Transaction};
use crate::trees::rows::{Inserted, ReadMode, Seen};

/// So few rows are brought up to date with the table locked.
const ROWS_LOCKED: usize = 1_000;
/// Rounds before the table is locked, however much is changed meanwhile.
const ROUNDS_MAX: usize = 10;
const _: () = assert!(ROUNDS_MAX > 0);

/// The table as of one time.
struct Moment {
    /// Reads what was committed then.
    reader: Transaction,
    /// From here on the log has all changes of rows that the reader does not see.
    from: u64,
    /// Up to here it has all that the reader sees.
    end: u64,
}

/// The tree that is filled, with its table.
struct Target<'a> {
    disk: &'a DiskTable,
    index: &'a IndexShape,
    /// How rows are locked against changes.
    mode: LockMode,
}

/// Key and payload of a row's entry, if the index has one.
type Entry = Option<(Vec<u8>, Vec<u8>)>;

impl Storage {
    /// False: what the table is made of changes as a whole.
    pub(super) fn may_add_index(&self, tx: &Transaction, db: DatabaseId, table: TableId) -> StorageResult<bool> {
        tx.check_running()?;
        let (layout, roots) = self.engine().read_directory(db, table)?.ok_or(StorageError::UnknownTable)?;
        Ok(layout.memory.is_none() && roots.partitioning.is_none())
    }

    pub(super) fn add_index(
        &self,
        tx: &mut Transaction,
        (db, table): (DatabaseId, TableId),
        index: &IndexLayout,
        build: &mut Build<'_>,
    ) -> StorageResult<()> {
        let before = tx.savepoint();
        let own = self.fill_beside(tx, (db, table), (index, LockMode::Shared), build)?;
        os::sim_point!("index.publish");
        let added = tx.lock_shape(db, table).and_then(|()| match self.with_index(db, table, index, own)? {
            (layout, roots, None) => self.write_shape(tx, db, table, Some((&layout, &roots))),
            (_, _, Some(_)) => Err(StorageError::AlreadyExists),
        });
        self.undo_if_failed(tx, before, added)
    }

    /// Gives an index that is not clustered a new tree in place of the one that it has. None uses the table while they change places.
    pub(super) fn replace_index(
        &self,
        tx: &mut Transaction,
        (db, table): (DatabaseId, TableId),
        index: &IndexLayout,
        build: &mut Build<'_>,
    ) -> StorageResult<()> {
        let before = tx.savepoint();
        // Two that waited for each other at the end would be a deadlock: one comes after the other.
        let own = self.fill_beside(tx, (db, table), (index, LockMode::Update), build)?;
        let replaced = tx.lock_table(db, table, LockMode::SchemaModification).and_then(|()| {
            let (layout, roots, old) = self.with_index(db, table, index, own)?;
            self.drop_index_trees(tx, db, old.ok_or(StorageError::UnknownIndex)?)?;
            self.write_shape(tx, db, table, Some((&layout, &roots)))
        });
        self.undo_if_failed(tx, before, replaced)
    }

    /// Trees with the entries of the index, which nobody knows. The rows are locked in `mode` when it returns.
    fn fill_beside(
        &self,
        tx: &mut Transaction,
        (db, table): (DatabaseId, TableId),
        (index, mode): (&IndexLayout, LockMode),
        build: &mut Build<'_>,
    ) -> StorageResult<IndexRoots> {
        // What the transaction itself has changed only it sees, and the log of tempdb is not kept.
        let online = build.online && db != DatabaseId::TEMPDB && !tx.holds_table(db, table, LockMode::IntentExclusive);
        let held = tx.table_mode(db, table).unwrap_or(LockMode::IntentShared).join(LockMode::IntentShared);
        tx.lock_table(db, table, mode)?;
        let before = tx.savepoint();
        let (layout, _) = self.engine().read_directory(db, table)?.ok_or(StorageError::UnknownTable)?;
        let roots = self.create_index_trees(tx, db, (&layout, index), 0)?;
        let mut first = None;
        if online {
            // Nobody has changed a row and not ended.
            first = Some(self.moment(tx, None)?);
            tx.weaken_table(db, table, held);
        }
        tx.fill_own_trees(before, |tx| {
            let (layout, roots, _) = self.with_index(db, table, index, roots)?;
            let shape = self.disk_shape((db, table), layout, &roots)?;
            let disk = &DiskTable { engine: self.engine().clone(), shape, opened: 0 };
            let target = Target { disk, index: disk.index(index.id)?.ok_or(StorageError::UnknownIndex)?, mode };
            match first {
                None => load::build_index(tx, None, disk, target.index, build),
                Some(mut moment) => {
                    load::build_index(tx, Some(&mut moment.reader), disk, target.index, build)?;
                    self.follow(tx, &target, moment, build)
                }
            }
        })?;
        Ok(roots)
    }

    /// What the table is made of, with the index's trees there; which one it had before, if it had one.
    fn with_index(
        &self,
        db: DatabaseId,
        table: TableId,
        index: &IndexLayout,
        own: IndexRoots,
    ) -> StorageResult<(TableLayout, Roots, Option<IndexRoots>)> {
        let (mut layout, mut roots) = self.engine().read_directory(db, table)?.ok_or(StorageError::UnknownTable)?;
        let old = layout.indexes.iter().position(|known| known.id == index.id);
        let old = match old {
            Some(at) => Some(std::mem::replace(&mut roots.indexes[at], own)),
            None => {
                layout.indexes.push(index.clone());
                roots.indexes.push(own);
                None
            }
        };
        Ok((layout, roots, old))
    }

    /// `least`: all changes of the table before it are seen; None: nobody is changing the table.
    fn moment(&self, tx: &Transaction, least: Option<u64>) -> StorageResult<Moment> {
        let engine = self.engine();
        // In this order: who begins after the look at the end of the log writes behind that.
        let hardened = engine.log.hardened();
        fence(Ordering::SeqCst);
        let oldest = engine.locks.oldest_lsn_but(tx.member());
        let mut reader = self.begin(Isolation::Snapshot);
        reader.snapshot();
        engine.log.harden_all()?;
        let from = least.map_or(hardened, |least| oldest.min(hardened).max(least));
        Ok(Moment { reader, from, end: engine.log.hardened() })
    }

    /// Brings the tree, which has the rows of a moment, up to now. The table's rows are locked when it returns.
    fn follow(
        &self,
        tx: &mut Transaction,
        target: &Target<'_>,
        first: Moment,
        build: &mut Build<'_>,
    ) -> StorageResult<()> {
        let (db, table) = (target.disk.shape.db, target.disk.shape.id);
        let (least, mut then) = (first.from, first);
        for round in 1.. {
            let mut now = self.moment(tx, Some(least))?;
            let changed = self.bring_up(tx, target, (&mut then, &mut now), build)?;
            then = now;
            if changed <= ROWS_LOCKED || round == ROUNDS_MAX {
                break;
            }
        }
        tx.lock_table(db, table, target.mode)?;
        os::sim_point!("index.follow");
        let mut now = self.moment(tx, Some(least))?;
        self.bring_up(tx, target, (&mut then, &mut now), build).map(|_| ())
    }

    /// From one moment to a later one: first what is there no more, so that it is in nobody's way. Rows that were changed.
    fn bring_up(
        &self,
        tx: &mut Transaction,
        target: &Target<'_>,
        (then, now): (&mut Moment, &mut Moment),
        build: &mut Build<'_>,
    ) -> StorageResult<usize> {
        let (engine, disk, tree) = (self.engine(), target.disk, &target.index.tree);
        let mut changed = 0;
        for adds in [false, true] {
            let mut pacer = Pacer::new(build.pause);
            let sorter = &mut *build.sorter;
            changed_keys(target.disk, (then.from, now.end), &mut |key| {
                heard(pacer.spend(ROW_WORK))?;
                sorter.add(key, &[], &mut pacer)
            })?;
            changed = 0;
            let (mut last, mut work, mut moved) = (None, Pacer::new(build.pause), Vec::new());
            sorter.drain(&mut pacer, &mut |key, _| {
                if last.as_deref() == Some(key) {
                    return Ok(());
                }
                last = Some(key.to_vec());
                changed += 1;
                heard(work.spend(4 * ROW_WORK))?;
                let (old, new) = (entry_at(target, &mut then.reader, key)?, entry_at(target, &mut now.reader, key)?);
                let wanted = if old == new {
                    None
                } else if adds {
                    new
                } else {
                    old
                };
                let Some((key, entry)) = wanted else { return Ok(()) };
                if !adds {
                    let writer = &tx.writer;
                    let gone = engine.remove_row(writer, tree, &key)?;
                    let gone = gone.expect("the tree has the rows of the earlier moment");
                    return engine.remove_long_values(
                        writer,
                        target.index.stored(disk.shape.id),
                        &gone[image_at(&gone)..],
                    );
                }
                let patience = tx.patience();
                let entry = disk.fitting_entry(tx, target.index, &entry, &mut moved)?;
                match engine.insert_row(&mut tx.writer, tree, disk.shape.id, &key, entry, patience)? {
                    Inserted::Done => Ok(()),
                    Inserted::Duplicate => {
                        Err(StorageError::DuplicateKey { table: disk.shape.id, index: target.index.layout.id })
                    }
                }
            })?;
        }
        Ok(changed)
    }
}

/// Keys of the table's rows that were changed in a part of the log, in the order of the changes.
fn changed_keys(
    disk: &DiskTable,
    (from, end): (u64, u64),
    each: &mut dyn FnMut(&[u8]) -> StorageResult<()>,
) -> StorageResult<()> {
    let base = &disk.shape.base;
    log::blocks(disk.engine.log.store(), from, end, &mut |at, block| {
        log::records(at, block, &mut |record| {
            if record.head.file == base.file.number
                && let Some((root, key)) = record::row_of(&record)
                && root == base.root
            {
                each(key)?;
            }
            Ok(())
        })
    })
}

fn entry_at(target: &Target<'_>, reader: &mut Transaction, key: &[u8]) -> StorageResult<Entry> {
    let (disk, index) = (target.disk, target.index);
    let time = reader.snapshot();
    let view = reader.view_as(ReadMode::Snapshot(time));
    let mut image = Vec::new();
    if disk.engine.read_row(&view, &disk.shape.base, key, &mut image)? == Seen::Nothing {
        return Ok(None);
    }
    let mut joined = Vec::new();
    let wanted = |index: &IndexShape, column| index.has(column) || index.finds_by(column);
    let row = disk.known_to_indexes(&image, &mut joined, wanted)?;
    if !index.holds(&row) {
        return Ok(None);
    }
    let (mut own, mut entry) = (Vec::new(), Vec::new());
    entry_of(index, &row, key, &mut own, &mut entry)?;
    Ok(Some((own, entry)))
}
