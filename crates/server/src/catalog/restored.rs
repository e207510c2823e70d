//! Databases from backups: how one that storage has restored becomes one of the catalog, in place of another or beside the others.

use storage::Transaction;
use types::{SqlResult, sql_error};

use super::base::{DatabaseRow, FileRow, OwnerRow};
use super::error::storage_error;
use super::family::{self, Guid};
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
        family: Guid,
        old: Option<&Database>,
    ) -> SqlResult<()> {
        let db = Database::new(row.clone(), &self.shared);
        let mut rows = db.rows(&self.storage, &mut tx);
        family::renew(&mut rows, family)?;
        rows.update::<OwnerRow>(0, &[int(DBO)], |dbo| dbo.sid = row.owner_sid.clone())?;
        if let Some(old) = old {
            self.storage.drop_database(&mut tx, old.storage_id()).map_err(storage_error)?;
        }
        let master = self.expect_database(MASTER);
        let mut rows = master.rows(&self.storage, &mut tx);
        if let Some(old) = old {
            let number = [int(i32::from(old.id.0))];
            rows.delete::<DatabaseRow>(0, &number)?;
            rows.delete::<FileRow>(0, &number)?;
        }
        // Another may have made one of the name.
        rows.try_insert(&row)?.map_err(|_| sql_error!(1801, row.name))?;
        for file in files {
            rows.insert(file)?;
        }
        tx.commit(storage::Durability::Full).map_err(storage_error)?;
        if let Some(old) = old {
            self.remove_database(old.id);
        }
        self.add_database(db);
        Ok(())
    }
}
