//! Who is in a database while its state changes: SINGLE_USER and RESTRICTED_USER begin when the other sessions have left it, of
//! themselves or ended by the termination clause of ALTER DATABASE SET.

use sql::ast::{Setting, Termination};
use storage::Resource;
use storage::error::heard;
use types::pause::Pause as _;
use types::{SqlError, SqlResult, sql_error};

use super::database_setting;
use super::number::whole_number;
use super::site::Ddl;
use crate::catalog::Database;
use crate::catalog::base::{DatabaseRow, database_option};
use crate::catalog::error::storage_error;

/// `DatabaseRow::user_access`.
pub const SINGLE_USER: u8 = 1;
pub const RESTRICTED_USER: u8 = 2;

/// How often it is looked whether the others have left.
const LOOK_MS: u64 = 20;
const NS_A_SECOND: u64 = 1_000_000_000;

/// 5070 or 5064, followed by 5069.
pub fn failed(error: SqlError) -> SqlError {
    sql_error!(5069).after(vec![error])
}

/// Options that are changed with nobody else in the database.
const ALONE: i64 = database_option::READ_ONLY | database_option::READ_COMMITTED_SNAPSHOT;

/// Changes the database's row as the settings say, where they ask for it with nobody else in the database.
/// https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-set-options
pub fn change(
    ddl: &mut Ddl<'_>,
    db: &Database,
    settings: &[Setting],
    termination: Option<&Termination>,
) -> SqlResult<()> {
    let any = |names: &[&str]| settings.iter().any(|setting| names.contains(&&*setting.name));
    if db.row().user_access == SINGLE_USER && !others(ddl, db).is_empty() {
        return Err(failed(sql_error!(5064, db.name())));
    }
    let narrows = any(&["SINGLE_USER", "RESTRICTED_USER"]);
    let changes = (db.row().options ^ applied(db, settings)?.options) & ALONE;
    let told = termination.is_some() && any(&["READ_ONLY", "READ_WRITE", "READ_COMMITTED_SNAPSHOT"]);
    if narrows || told || changes != 0 {
        until_alone(ddl, db, termination)?;
    }
    if changes & database_option::READ_ONLY != 0 {
        until_unchanged(ddl, db)?;
    }
    // Others may have changed it meanwhile.
    let row = applied(db, settings)?;
    database_setting::write(ddl, db, row)?;
    // Who came between the last look and the change; now nobody else comes.
    if narrows && termination.is_some() {
        end_others(ddl, db);
    }
    Ok(())
}

fn applied(db: &Database, settings: &[Setting]) -> SqlResult<DatabaseRow> {
    let mut row = DatabaseRow::clone(&db.row());
    settings.iter().try_for_each(|setting| database_setting::apply(&mut row, setting))?;
    Ok(row)
}

fn others(ddl: &mut Ddl<'_>, db: &Database) -> Vec<u32> {
    let own = ddl.site.session().spid;
    let mut users = ddl.site.server().users_of(db.id.0);
    users.retain(|spid| *spid != own);
    users
}

pub fn end_others(ddl: &mut Ddl<'_>, db: &Database) {
    let server = ddl.site.server();
    for spid in others(ddl, db) {
        server.kill(spid);
    }
}

/// Waits for the transactions of other databases' sessions that use the database: what they have changed may not come to be in one that nobody can write in.
fn until_unchanged(ddl: &mut Ddl<'_>, db: &Database) -> SqlResult<()> {
    let (own, id) = (ddl.site.session().spid, db.storage_id());
    let is_of = |resource| matches!(resource, Resource::Table(db, _) | Resource::Row(db, ..) if db == id);
    let catalog = ddl.catalog.clone();
    while catalog.storage.locks().iter().any(|lock| lock.session != own && is_of(lock.resource)) {
        look_again(ddl)?;
    }
    Ok(())
}

/// After a moment. A client that cancels, or goes, interrupts each sleep until it is heard.
fn look_again(ddl: &mut Ddl<'_>) -> SqlResult<()> {
    ddl.site.heard(&mut |ear| heard(ear.pause())).map_err(storage_error)?;
    os::wait::sleep(os::wait::WaitType::WAITFOR, LOOK_MS);
    Ok(())
}

/// Waits until the others have left. 5070: they may not be waited for.
pub fn until_alone(ddl: &mut Ddl<'_>, db: &Database, termination: Option<&Termination>) -> SqlResult<()> {
    let ends_at = match termination {
        Some(Termination::RollbackAfter(seconds)) => {
            let seconds = whole_number(seconds).and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
            Some(os::clock::now().saturating_add(seconds.saturating_mul(NS_A_SECOND)))
        }
        Some(Termination::RollbackImmediate) => Some(0),
        _ => None,
    };
    while !others(ddl, db).is_empty() {
        if matches!(termination, Some(Termination::NoWait)) {
            return Err(failed(sql_error!(5070, state 2, db.name())));
        }
        if ends_at.is_some_and(|moment| os::clock::now() >= moment) {
            end_others(ddl, db);
        }
        look_again(ddl)?;
    }
    Ok(())
}
