//! DBCC CLONEDATABASE: a database with all definitions of another one, and no rows.
//!
//! Statistics are made of rows, in memory, so a clone has none: WITH NO_STATISTICS, or what implies it, is asked for.
//! https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-clonedatabase-transact-sql

use std::sync::Arc;

use os::wait::WaitType;
use sql::ast::{Dbcc, find_setting};
use storage::{Isolation, Transaction};
use types::{SqlError, SqlResult, sql_error};

use super::backup;
use super::check::{self, Asked};
use super::database_setting;
use super::dbcc::text_argument;
use super::site::Ddl;
use super::snapshot::row_of_copy;
use super::unsupported;
use crate::catalog::base::{DatabaseRow, FileRow, database_option};
use crate::catalog::error::storage_error;
use crate::catalog::family::new_guid;
use crate::catalog::load::int;
use crate::catalog::row::Text;
use crate::catalog::{Database, MASTER, is_system, no_such_database};
use crate::instance::error_log::{self, Source};

const OPTIONS: [&str; 6] =
    ["BACKUP_CLONEDB", "NO_INFOMSGS", "NO_QUERYSTORE", "NO_STATISTICS", "SERVICEBROKER", "VERIFY_CLONEDB"];
const NAME_MAX: usize = 128;
/// While others define things in the source, it is tried again so often.
const TRIES: u32 = 20;
const TRY_AGAIN_MS: u64 = 50;
/// "TRUSTWORTHY and DB_CHAINING options are turned off on a cloned database."
const NOT_TAKEN: i64 = database_option::STATES
    | database_option::SNAPSHOT
    | database_option::VERIFIED_CLONE
    | database_option::TRUSTWORTHY
    | database_option::DB_CHAINING;

pub fn run(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let has = |name: &str| find_setting(&dbcc.options, name).is_some();
    let (verifies, source) = (has("VERIFY_CLONEDB"), text_argument(dbcc, 0).ok_or_else(|| sql_error!(2560, 1))?);
    let name = text_argument(dbcc, 1).filter(|name| !name.is_empty()).ok_or_else(|| sql_error!(2560, 2))?;
    if dbcc.options.iter().any(|option| !OPTIONS.iter().any(|known| option.name.eq_ignore_ascii_case(known))) {
        return Err(sql_error!(2532));
    }
    if verifies && has("SERVICEBROKER") {
        return Err(sql_error!(12630));
    }
    let db = expect_source(ddl, &source, &name)?;
    if !verifies && !has("NO_STATISTICS") {
        return Err(unsupported("DBCC CLONEDATABASE without NO_STATISTICS or VERIFY_CLONEDB"));
    }
    tell(ddl, sql_error!(12620, db.name(), name));
    if verifies {
        ddl.message(sql_error!(12628));
    }
    let clone = make(ddl, &db, &name)?;
    tell(ddl, sql_error!(12622, db.name(), name));
    let is_sound = verifies && verify(ddl, &clone)?;
    if has("BACKUP_CLONEDB") {
        keep(ddl, &clone)?;
    }
    tell(ddl, if is_sound { sql_error!(12629, name) } else { sql_error!(12621, name) });
    if !has("NO_INFOMSGS") {
        ddl.message(sql_error!(2528));
    }
    Ok(())
}

/// "The following validations are performed by DBCC CLONEDATABASE."
fn expect_source(ddl: &Ddl<'_>, source: &str, name: &str) -> SqlResult<Arc<Database>> {
    if ddl.site.in_user_transaction() {
        return Err(sql_error!(12601));
    }
    let db = ddl.catalog.database_named(source).ok_or_else(|| no_such_database(source))?;
    if is_system(db.id) {
        return Err(sql_error!(12603));
    }
    if ddl.catalog.check_open(&db).is_err() {
        return Err(sql_error!(12604));
    }
    if name.encode_utf16().count() > NAME_MAX {
        return Err(sql_error!(12607, name));
    }
    if ddl.catalog.database_named(name).is_some() {
        return Err(sql_error!(12608, name));
    }
    Ok(db)
}

/// To the client, and into the error log.
fn tell(ddl: &mut Ddl<'_>, message: SqlError) {
    error_log::tell(Source::Session(ddl.site.session().spid), &message.text);
    ddl.message(message);
}

fn make(ddl: &mut Ddl<'_>, db: &Database, name: &str) -> SqlResult<Arc<Database>> {
    let catalog = ddl.catalog.clone();
    let claimed = catalog.claim_database_id(false)?;
    let options = db.row().options & !NOT_TAKEN | database_option::CLONE;
    let row = row_of_copy(ddl, db, (claimed.id, name), options)?;
    let files = files(ddl, db, claimed.id)?;
    let tx = definitions(ddl, db, &row)?;
    catalog.put_restored(tx, row, &files, (new_guid(), None), None)?;
    catalog.database_named(name).ok_or_else(|| no_such_database(name))
}

/// The transaction with which the clone comes to be. 12605: the source does not stay as it is for a moment.
fn definitions(ddl: &mut Ddl<'_>, db: &Database, row: &DatabaseRow) -> SqlResult<Transaction> {
    let catalog = ddl.catalog.clone();
    // What identity columns have reserved is not what they have given.
    db.counters.write_back(&catalog.storage, db)?;
    for _ in 0..TRIES {
        let mut tx = catalog.storage.begin(Isolation::ReadCommitted);
        tx.begin_statement();
        if catalog.clone_definitions(&mut tx, db, row)? {
            return Ok(tx);
        }
        tx.rollback().map_err(storage_error)?;
        os::wait::sleep(WaitType::SLEEP_TASK, TRY_AGAIN_MS);
    }
    Err(sql_error!(12605))
}

/// "The file names for the destination database will follow the source_file_name underscore random number convention", and sizes are those of
/// model.
fn files(ddl: &Ddl<'_>, db: &Database, id: u16) -> SqlResult<Vec<FileRow>> {
    let catalog = &ddl.catalog;
    let files: Vec<FileRow> =
        catalog.read(&catalog.expect_database(MASTER), |rows| rows.find(0, &[int(i32::from(db.id.0))]))?;
    let number = random();
    let sized = |file: FileRow| {
        let path = file.path.0.as_deref().map(|path| match path.rsplit_once('.') {
            Some((stem, extension)) if !extension.contains('/') => format!("{stem}_{number}.{extension}"),
            _ => format!("{path}_{number}"),
        });
        FileRow { dbid: id.into(), path: Text(path), size: 1024, size_max: -1, growth: 8192, ..file }
    };
    Ok(files.into_iter().map(sized).collect())
}

fn random() -> u32 {
    let mut bytes = [0; 4];
    os::random::fill(&mut bytes);
    u32::from_le_bytes(bytes)
}

/// VERIFY_CLONEDB: whether it is as DBCC CHECKDB wants it, which its property then says.
fn verify(ddl: &mut Ddl<'_>, clone: &Arc<Database>) -> SqlResult<bool> {
    let dbcc = Dbcc { command: "CHECKDB".into(), args: Vec::new(), options: Vec::new() };
    let is_sound = check::look(ddl, clone, &Asked::of(&dbcc, true))?.found.is_empty();
    if is_sound {
        let options = clone.row().options | database_option::VERIFIED_CLONE;
        database_setting::write(ddl, clone, DatabaseRow { options, ..(*clone.row()).clone() })?;
    }
    ddl.message(if is_sound { sql_error!(12626) } else { sql_error!(12627) });
    Ok(is_sound)
}

/// BACKUP_CLONEDB: a backup in the default directory, which is read once more.
fn keep(ddl: &mut Ddl<'_>, clone: &Database) -> SqlResult<()> {
    let path = format!("{}_{}.bak", clone.name(), random());
    let told = match backup::keep(ddl, clone, &path) {
        Ok((path, true)) => sql_error!(12623, path),
        Ok((path, false)) => sql_error!(12625, path),
        Err(error) if exec::session::stop_of(&error).is_some() => return Err(error),
        Err(error) => {
            ddl.message(error);
            sql_error!(12624)
        }
    };
    ddl.message(told);
    Ok(())
}
