//! One damaged or missing file stops its database, not the instance: the file is held, and what the log says of it waits there. Later,
//! at a start or while the others are used, the file is opened, what it lacks is redone, and undone what was unfinished when it was held.
//!
//! A transaction that changed a held file and others was rolled back in the others alone, and its end is in the log. So whose changes of
//! the file remain is read off the file's own records: each that changed a row for somebody, less one for each that undid one, of
//! transactions without a commit. What undoes them leads nowhere: a crash in the middle must not undo the other files once more.
//!
//! Of a file that stays damaged as much is redone as fits its pages, for who reads it or repairs it; what it lacks it still lacks then, so a
//! good copy can still take its place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::engine::{Engine, Writer};
use crate::error::{StorageError, StorageResult};
use crate::hold::{HeldFile, Hold, Since};
use crate::layout::{DatabaseId, PageRef};
use crate::log::record::{FLAG_COMPENSATION, Head, Kind, Record};
use crate::log::replay;
use crate::pages::data_files::DataFile;
use crate::pages::page::{self, HEADER_BYTES, PageKind, u16_at};
use crate::recovery::control::HeldEntry;
use crate::shapes::shape::DIRECTORY_ROOT;

/// Redo of such a record changes pages.
pub fn changes_pages(kind: Kind) -> bool {
    matches!(kind, Kind::Insert | Kind::Update | Kind::Header | Kind::Remove | Kind::Structure)
}

/// Undo of such a record does something.
fn is_undone(kind: Kind) -> bool {
    matches!(kind, Kind::Insert | Kind::Update | Kind::Header | Kind::TreeCreate | Kind::Structure)
}

/// Without master there is no instance.
pub fn may_be_held(database: u16) -> bool {
    DatabaseId(database) != DatabaseId::MASTER && DatabaseId(database) != DatabaseId::TEMPDB
}

/// What a file that cannot be opened, or recovered, is from then on.
fn hold_for(error: &StorageError) -> Hold {
    match error {
        StorageError::Io(_) => Hold::RecoveryPending,
        _ => Hold::Suspect,
    }
}

/// Pages that the log was read past: they are damaged, or do not take a record, until the log has all of them. A page whose image was logged
/// may be torn by the first write that follows, and records from before its image find it so.
#[derive(Default)]
pub(crate) struct Behind(BTreeSet<PageRef>);

impl Behind {
    /// `is_whole`: `redo` needs nothing of the page as it lies there.
    pub fn redo(&mut self, page: PageRef, is_whole: bool, redo: &dyn Fn() -> StorageResult<()>) -> StorageResult<()> {
        if is_whole {
            self.0.remove(&page);
        } else if self.0.contains(&page) {
            return Ok(());
        }
        match redo() {
            // What was logged of it before it was put off its restore brings, and what comes later begins with all of it.
            Err(StorageError::CorruptPage { awaits: Some(_), .. }) => Ok(()),
            Err(StorageError::CorruptPage { .. }) => {
                self.0.insert(page);
                Ok(())
            }
            other => other,
        }
    }

    /// Those that the log had no more to say of.
    pub fn left(&self) -> impl Iterator<Item = PageRef> + '_ {
        self.0.iter().copied()
    }
}

impl Engine {
    /// Takes an error that is of one file's content as the file's: it is held, and the others go on.
    pub fn or_hold(&self, number: u32, since: Since, result: StorageResult<()>) -> StorageResult<()> {
        let Err(error) = result else { return Ok(()) };
        let is_of_file = matches!(
            error,
            StorageError::CorruptPage { .. }
                | StorageError::CorruptRow(_)
                | StorageError::Damaged(_)
                | StorageError::Io(_)
        );
        let file = match self.file(number)? {
            Some(file) if is_of_file && may_be_held(file.database) && self.log.is_stopped().is_none() => file,
            _ => return Err(error),
        };
        self.put_away(&file, Hold::Suspect, since, &error.to_string());
        self.forget_rows_of(DatabaseId(file.database));
        Ok(())
    }

    /// Rows of memory-optimized tables of a database that is held: some may be missing, so who opens it loads all of them.
    pub fn forget_rows_of(&self, db: DatabaseId) {
        let now = self.commits.now();
        let ours =
            self.xtp.objects.all().filter(|(_, object)| object.database() == db).map(|(_, object)| object.number());
        ours.collect::<Vec<_>>().into_iter().for_each(|number| self.xtp.objects.drop_soon(number, now));
    }

    /// Nobody gets the file any more, and nothing of it stays in memory.
    pub fn put_away(&self, file: &DataFile, hold: Hold, since: Since, why: &str) {
        self.files.hold(file, hold, since, why);
        self.buffer.forget_file(file);
        self.files.close(file.number);
        self.shapes.forget_all();
    }

    /// Files whose first pages are not theirs are held.
    pub fn check_heads(&self, since: Since) -> StorageResult<()> {
        for file in self.files.all()?.iter().filter(|file| !file.temporary) {
            self.or_hold(file.number, since, self.check_head(file))?;
        }
        Ok(())
    }

    fn check_head(&self, file: &DataFile) -> StorageResult<()> {
        let corrupt = |page| StorageError::corrupt(PageRef { file: file.number, page });
        let header = self.buffer.shared(file, 0)?;
        if page::kind(&header) != Some(PageKind::FileHeader) || u16_at(&header[..], HEADER_BYTES + 4) != file.database {
            return Err(corrupt(0));
        }
        drop(header);
        let root = self.buffer.shared(file, DIRECTORY_ROOT)?;
        match page::kind(&root) {
            Some(PageKind::Leaf | PageKind::Inner) => Ok(()),
            _ => Err(corrupt(DIRECTORY_ROOT)),
        }
    }

    /// At a start: those that were missing or damaged before may be there and whole by now.
    pub fn recover_held_files(&self, before: &[HeldEntry]) -> StorageResult<()> {
        let was_held = |held: &HeldFile| before.iter().any(|before| before.number == held.number);
        for held in self.files.held().into_iter().filter(|held| held.hold != Hold::Offline && was_held(held)) {
            // With what the rollbacks of this start have undone.
            self.log.harden_all()?;
            let end = self.log.hardened();
            if held.hold == Hold::Emergency {
                // Nobody has asked for more.
                self.open_damaged(&held, end).or_else(|error| self.log.is_stopped().map_or(Ok(()), |_| Err(error)))?;
                continue;
            }
            // Why not, the file says now.
            self.recover_file(&held, end).or_else(|error| self.log.is_stopped().map_or(Ok(()), |_| Err(error)))?;
        }
        Ok(())
    }

    /// Opens a held file and brings it up to `end`, up to which the log is hardened; nobody else is at it.
    pub fn recover_file(&self, held: &HeldFile, end: u64) -> StorageResult<()> {
        let recovered = match self.files.reopen(held.number) {
            Err(error) => Err((None, error)),
            Ok(file) => match self.bring_up(&file, held.since, end).and_then(|()| self.check_head(&file)) {
                Err(error) => Err((Some(file), error)),
                Ok(()) => Ok(file),
            },
        };
        match recovered {
            Ok(file) => {
                self.shapes.forget_all();
                self.files.let_go(&file);
                Ok(())
            }
            Err((file, error)) => {
                let why = format!("d{:05}.hdb: {error}", held.number);
                match file {
                    Some(file) => self.put_away(&file, hold_for(&error), held.since, &why),
                    None => self.files.say_held(held.number, hold_for(&error), held.since, &why),
                }
                Err(error)
            }
        }
    }

    fn bring_up(&self, file: &Arc<DataFile>, since: Since, end: u64) -> StorageResult<()> {
        if since.is_clean() {
            return Ok(());
        }
        let mut behind = Behind::default();
        let open = self.read_on(file, since, end, &mut |record| self.redo_on(file, record, &mut behind))?;
        if let Some(page) = behind.left().next() {
            return Err(StorageError::corrupt(page));
        }
        open.into_iter().try_for_each(|(transaction, records)| {
            self.undo_apart(file, transaction, &records, since, &mut |undone| undone)
        })
    }

    /// Of each transaction without a commit its records of the file that nobody has undone. `redo` gets what changes the file's pages.
    fn read_on(
        &self,
        file: &DataFile,
        since: Since,
        end: u64,
        redo: &mut dyn FnMut(&Record<'_>) -> StorageResult<()>,
    ) -> StorageResult<BTreeMap<u64, Vec<u64>>> {
        let mut open: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
        let read = replay(self.log.store(), since.scan_lsn, end, &mut |record| {
            let Head { kind, transaction, flags, file: of, .. } = record.head;
            if kind == Kind::Commit {
                open.remove(&transaction);
            }
            if of != file.number {
                return Ok(());
            }
            if transaction != 0 && flags & FLAG_COMPENSATION != 0 {
                open.get_mut(&transaction).map(Vec::pop);
            } else if transaction != 0 && is_undone(kind) {
                open.entry(transaction).or_default().push(record.lsn);
            }
            if record.lsn >= since.redo_lsn && changes_pages(kind) {
                redo(&record)?;
            }
            os::wait::maybe_yield();
            Ok(())
        })?;
        if read.end < end {
            return Err(StorageError::Damaged(format!("the log at LSN {}", read.end)));
        }
        Ok(open)
    }

    /// Opens a held file for readers, damaged as it may be (`Hold::Emergency`), with as much of the log up to `end` as fits its pages.
    pub fn open_damaged(&self, held: &HeldFile, end: u64) -> StorageResult<()> {
        let opened = self.files.reopen(held.number).and_then(|file| {
            let redone = self.redo_what_fits(&file, held.since, end);
            redone.inspect_err(|error| self.put_away(&file, held.hold, held.since, &error.to_string()))
        });
        match &opened {
            Ok(()) => self.files.say_held(held.number, Hold::Emergency, held.since, &held.why),
            Err(error) => {
                let why = format!("d{:05}.hdb: {error}", held.number);
                self.files.say_held(held.number, hold_for(error), held.since, &why);
            }
        }
        self.shapes.forget_all();
        opened
    }

    /// From the first record on that a page does not take, it takes none, until one has all of it.
    fn redo_what_fits(&self, file: &DataFile, since: Since, end: u64) -> StorageResult<()> {
        if since.is_clean() {
            return Ok(());
        }
        let mut behind = Behind::default();
        let redo = &mut |record: &Record<'_>| {
            self.redo_each(file, record, &mut |page, is_whole, redo| {
                let page = PageRef { file: file.number, page };
                behind.redo(page, is_whole, &|| match redo() {
                    Err(StorageError::Damaged(_)) => Err(StorageError::corrupt(page)),
                    other => other,
                })
            })
        };
        self.read_on(file, since, end, redo).map(drop)
    }

    /// In a file that has been repaired: undoes what was unfinished when it was held, as far as its rows are still there. How many changes
    /// are not.
    pub fn undo_what_is_there(&self, file: &Arc<DataFile>, since: Since, end: u64) -> StorageResult<u64> {
        if since.is_clean() {
            return Ok(0);
        }
        let open = self.read_on(file, since, end, &mut |_| Ok(()))?;
        let mut lost = 0;
        for (transaction, records) in open {
            self.undo_apart(file, transaction, &records, since, &mut |undone| match undone {
                Err(StorageError::CorruptPage { .. } | StorageError::Damaged(_)) => {
                    lost += 1;
                    Ok(())
                }
                other => other,
            })?;
        }
        Ok(lost)
    }

    /// Undoes these records of a transaction that is over. `each` hears how that went, and says whether it goes on.
    fn undo_apart(
        &self,
        file: &Arc<DataFile>,
        transaction: u64,
        records: &[u64],
        since: Since,
        each: &mut dyn FnMut(StorageResult<()>) -> StorageResult<()>,
    ) -> StorageResult<()> {
        if records.is_empty() {
            return Ok(());
        }
        let member = self.locks.enter();
        self.locks[member].id.store(transaction, Ordering::SeqCst);
        self.locks[member].first_lsn.store(since.scan_lsn, Ordering::SeqCst);
        let mut writer = Writer::new(member, transaction, 0);
        let mut bytes = Vec::new();
        let undone = records.iter().rev().try_for_each(|lsn| {
            self.log.read(*lsn, &mut bytes)?;
            let record = Record::decode(*lsn, &bytes).filter(|record| record.head.transaction == transaction);
            let record = record.ok_or_else(|| StorageError::Damaged(format!("log record at {lsn}")))?;
            os::wait::maybe_yield();
            each(self.undo_record(&mut writer, &record, file.clone(), 0))
        });
        if writer.last_lsn != 0 {
            let head = Head { kind: Kind::End, flags: 0, transaction, previous: writer.last_lsn, file: 0, page: 0 };
            self.log.append(head, &[])?;
        }
        self.locks.leave(member);
        undone
    }
}
