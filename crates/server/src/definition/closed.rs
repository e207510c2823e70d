//! A database that is closed since what it has goes elsewhere: the tail of its log was backed up WITH NORECOVERY or STANDBY, or its files are
//! being detached. Its pages stay: it can be opened again, be read meanwhile, or go on with the log of who took over (`forward`).
//!
//! What must hold: from the moment at which it was closed nobody changes it until it is opened, a crash included.
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/tail-log-backups-sql-server

use storage::Resource;
use types::{SqlResult, sql_error};

use super::database_setting;
use super::site::Ddl;
use crate::catalog::base::{DatabaseRow, database_option};
use crate::catalog::error::storage_error;
use crate::catalog::family::{self, Tail};
use crate::catalog::{Database, is_system};
use crate::instance::plan_cache::Forget;

/// 3101 and 3102: sessions are in the database.
pub fn expect_nobody(ddl: &mut Ddl<'_>, db: &Database, verb: &str) -> SqlResult<()> {
    if ddl.site.state().0.database == db.id {
        return Err(sql_error!(3102, state 1, verb, db.name()));
    }
    let own = ddl.site.session().spid;
    match ddl.site.server().users_of(db.id.0).iter().any(|spid| *spid != own) {
        true => Err(sql_error!(3101)),
        false => Ok(()),
    }
}

/// Nothing comes behind what is in the log now: what comes next is a restore, or another instance. 3101, 3102: sessions are in it.
pub fn close(ddl: &mut Ddl<'_>, db: &Database, verb: &str) -> SqlResult<()> {
    if is_system(db.id) {
        return Err(super::unsupported("BACKUP LOG ... WITH NORECOVERY"));
    }
    let catalog = ddl.catalog.clone();
    let open = (*db.row()).clone();
    let row = DatabaseRow { options: open.options | database_option::RESTORING, ..open.clone() };
    expect_nobody(ddl, db, verb)?;
    // What an earlier closing says, from which a kill kept it, is of this one no longer.
    catalog.change(db, family::forget_tail)?;
    database_setting::write(ddl, db, row)?;
    // Who came meanwhile, or changes it from elsewhere; now nobody else comes.
    let id = db.storage_id();
    let is_of = |resource| matches!(resource, Resource::Table(db, _) | Resource::Row(db, ..) if db == id);
    let alone = match catalog.storage.locks().iter().any(|lock| is_of(lock.resource)) {
        true => Err(sql_error!(3101)),
        false => expect_nobody(ddl, db, verb),
    };
    let noted = alone.and_then(|()| {
        let end_lsn = catalog.storage.harden().map_err(storage_error)?;
        let tail = Tail { end_lsn, was_read_only: open.options & database_option::READ_ONLY != 0 };
        catalog.change(db, |rows| family::note_tail(rows, tail))
    });
    if noted.is_err() {
        database_setting::write(ddl, db, open)?;
    }
    noted
}

/// Whether it is closed with its own pages, and not restored from backups.
pub fn is_closed(ddl: &Ddl<'_>, db: &Database) -> SqlResult<bool> {
    Ok(db.awaits_restore() && ddl.catalog.storage.restored(db.storage_id()).map_err(storage_error)?.is_none())
}

/// It is open as it was before.
pub fn reopen(ddl: &mut Ddl<'_>, db: &Database) -> SqlResult<()> {
    let row = as_before(ddl, db)?;
    database_setting::write(ddl, db, row)?;
    if is_there(ddl, db) {
        ddl.catalog.change(db, family::forget_tail)?;
    }
    ddl.site.server().forget_plans(Forget::All);
    Ok(())
}

/// One that was damaged when its tail was backed up still is, and says nothing of itself.
fn is_there(ddl: &Ddl<'_>, db: &Database) -> bool {
    ddl.catalog.storage.hold_of(db.storage_id()).is_none()
}

fn as_before(ddl: &Ddl<'_>, db: &Database) -> SqlResult<DatabaseRow> {
    let mut row = DatabaseRow::clone(&db.row());
    row.options &= !(database_option::RESTORING | database_option::STANDBY);
    let tail = if is_there(ddl, db) { ddl.catalog.read(db, family::tail)? } else { None };
    if tail.is_some_and(|tail| !tail.was_read_only) {
        row.options &= !database_option::READ_ONLY;
    }
    Ok(row)
}

/// It is read, and not changed. Everybody's transactions had ended before it was closed, so there is nothing to undo for that.
pub fn stand_by(ddl: &mut Ddl<'_>, db: &Database) -> SqlResult<()> {
    let mut row = DatabaseRow::clone(&db.row());
    row.options = row.options & !database_option::RESTORING | database_option::STANDBY | database_option::READ_ONLY;
    database_setting::write(ddl, db, row)?;
    ddl.site.server().forget_plans(Forget::All);
    Ok(())
}

/// Nobody reads it any more. 3101, 3102: somebody does.
pub fn end_standby(ddl: &mut Ddl<'_>, db: &Database) -> SqlResult<()> {
    expect_nobody(ddl, db, "RESTORE")?;
    let mut row = as_before(ddl, db)?;
    row.options |= database_option::RESTORING;
    database_setting::write(ddl, db, row)?;
    // Who came meanwhile.
    let alone = expect_nobody(ddl, db, "RESTORE");
    if alone.is_err() {
        stand_by(ddl, db)?;
    }
    alone
}
