//! Databases from backups: how one that storage has restored becomes one of the catalog, in place of another or beside the others.

use storage::Transaction;
use types::{SqlResult, sql_error};

use super::base::{DatabaseRow, FileRow, OwnerRow, database_option};
use super::error::storage_error;
use super::family::{self, Fork, Guid};
use super::load::int;
use super::{Catalog, DATABASES_MAX, Database, MASTER};

/// The user that its owner is.
const DBO: i32 = 1;

/// A number that a database is being made with. It is free again once it is dropped, and no database has it.
pub struct Claimed<'a> {
    catalog: &'a Catalog,
    pub id: u16,
}

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        self.catalog.claimed.lock().retain(|id| *id != self.id);
    }
}

impl Catalog {
    /// A number for a new database. `goes`: one that another makes room for. 1835: there are as many as there may be.
    pub fn claim_database_id(&self, goes: bool) -> SqlResult<Claimed<'_>> {
        let mut claimed = self.claimed.lock();
        let taken: Vec<u16> = self.databases().iter().map(|db| db.id.0).chain(claimed.iter().copied()).collect();
        if taken.len() >= DATABASES_MAX + usize::from(goes) {
            return Err(sql_error!(1835, DATABASES_MAX));
        }
        let id = (5..).find(|id| !taken.contains(id)).expect("fewer databases than numbers");
        claimed.push(id);
        Ok(Claimed { catalog: self, id })
    }

    /// Ends the restore that `tx` is: the database is there, under `row`, and `old` gone, or nothing has changed.
    pub(crate) fn put_restored(
        &self,
        mut tx: Transaction,
        row: DatabaseRow,
        files: &[FileRow],
        (family, fork): (Guid, Option<&Fork>),
        old: Option<&Database>,
    ) -> SqlResult<()> {
        let db = Database::new(row.clone(), &self.shared);
        let mut rows = db.rows(&self.storage, &mut tx);
        family::renew(&mut rows, family, fork)?;
        rows.update::<OwnerRow>(0, &[int(DBO)], |dbo| dbo.sid = row.owner_sid.clone())?;
        if let Some(old) = old {
            self.drop_pages(&mut tx, old)?;
        }
        self.replace(tx, db, files, old)
    }

    /// Commits `tx`, with which master has `db` and its files, and `old` no more.
    fn replace(&self, mut tx: Transaction, db: Database, files: &[FileRow], old: Option<&Database>) -> SqlResult<()> {
        let master = self.expect_database(MASTER);
        let mut rows = master.rows(&self.storage, &mut tx);
        if let Some(old) = old {
            let number = [int(i32::from(old.id.0))];
            rows.delete::<DatabaseRow>(0, &number)?;
            rows.delete::<FileRow>(0, &number)?;
        }
        // Another may have made one of the name.
        rows.try_insert(&*db.row())?.map_err(|_| sql_error!(1801, db.name()))?;
        for file in files {
            rows.insert(file)?;
        }
        tx.commit(storage::Durability::Full).map_err(storage_error)?;
        if let Some(old) = old {
            self.remove_database(old.id);
            if old.awaits_restore() && old.id != db.id {
                self.storage.forget_restore(old.storage_id()).map_err(storage_error)?;
            }
        }
        self.add_database(db);
        Ok(())
    }

    /// A database that is being restored may have no pages here.
    pub(crate) fn drop_pages(&self, tx: &mut Transaction, db: &Database) -> SqlResult<()> {
        match self.storage.drop_database(tx, db.storage_id()) {
            Err(storage::StorageError::UnknownDatabase) if db.is_restoring() => Ok(()),
            dropped => dropped.map_err(storage_error),
        }
    }

    /// A restore has begun: there is a row for a database that nobody can use yet, and `old` is gone, in one step.
    pub(crate) fn put_restoring(&self, row: DatabaseRow, files: &[FileRow], old: Option<&Database>) -> SqlResult<()> {
        debug_assert!(row.options & database_option::RESTORING != 0);
        let mut tx = self.storage.begin(storage::Isolation::ReadCommitted);
        tx.begin_statement();
        if let Some(old) = old {
            self.drop_pages(&mut tx, old)?;
        }
        self.replace(tx, Database::new(row, &self.shared), files, old)
    }

    /// Ends the restore of `db`, whose pages come with `tx`: it can be used.
    pub(crate) fn end_restoring(&self, tx: Transaction, db: &Database, family: (Guid, Option<&Fork>)) -> SqlResult<()> {
        self.show_restored(tx, db, family, 0)?;
        self.storage.forget_restore(db.storage_id()).map_err(storage_error)
    }

    /// It can be read until the next step of its restore.
    pub(crate) fn stand_by(&self, tx: Transaction, db: &Database, family: Guid) -> SqlResult<()> {
        self.show_restored(tx, db, (family, None), database_option::READ_ONLY | database_option::STANDBY)
    }

    /// Commits `tx`, with which the pages of `db` come; it gets `options`.
    fn show_restored(
        &self,
        mut tx: Transaction,
        db: &Database,
        (family, fork): (Guid, Option<&Fork>),
        options: i64,
    ) -> SqlResult<()> {
        let mut row = DatabaseRow::clone(&db.row());
        row.options = row.options & !database_option::RESTORING | options;
        let whole = Database::new(row.clone(), &self.shared);
        let mut rows = whole.rows(&self.storage, &mut tx);
        family::renew(&mut rows, family, fork)?;
        rows.update::<OwnerRow>(0, &[int(DBO)], |dbo| dbo.sid = row.owner_sid.clone())?;
        let master = self.expect_database(MASTER);
        let mut rows = master.rows(&self.storage, &mut tx);
        rows.update::<DatabaseRow>(0, &[int(row.id)], |old| *old = row.clone())?;
        tx.commit(storage::Durability::Full).map_err(storage_error)?;
        self.remove_database(db.id);
        self.add_database(whole);
        Ok(())
    }

    /// At a start: what a crash left between a database's file and what master says of it.
    pub(crate) fn settle_emergencies(&self) -> SqlResult<()> {
        let master = self.expect_database(MASTER);
        for db in self.databases() {
            let is_so = self.storage.hold_of(db.storage_id()) == Some(storage::Hold::Emergency);
            if db.is_in_emergency() != is_so {
                let mut row = DatabaseRow::clone(&db.row());
                row.options ^= database_option::EMERGENCY;
                self.change(&master, |rows| rows.update::<DatabaseRow>(0, &[int(row.id)], |old| *old = row.clone()))?;
                db.set_row(row);
            }
        }
        Ok(())
    }

    /// At a start: restores that nobody will go on with leave nothing, and no log is kept for databases under SIMPLE.
    pub(crate) fn settle_backups(&self) -> SqlResult<()> {
        // A number that is free may have been the next one.
        const BEYOND: u16 = 16;
        let databases = self.databases();
        let users = || databases.iter().filter(|db| !super::is_system(db.id));
        let last = users().map(|db| db.id.0).max().unwrap_or(super::MSDB.0);
        for id in super::MSDB.0 + 1..=last.saturating_add(BEYOND) {
            if !users().any(|db| db.id.0 == id && db.awaits_restore()) {
                self.storage.forget_restore(storage::DatabaseId(id)).map_err(storage_error)?;
            }
        }
        const SIMPLE: u8 = 3;
        for db in users().filter(|db| db.row().recovery_model == SIMPLE && !db.awaits_restore()) {
            self.storage.end_log_chain(db.storage_id()).map_err(storage_error)?;
        }
        Ok(())
    }
}
