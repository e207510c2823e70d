//! DBCC SHRINKFILE, SHRINKDATABASE, LOGINFO: the bytes of a database's file and of the log.
//!
//! A data file gives back its free end, as with TRUNCATEONLY: pages in use are not moved. The log is all databases', and gives back its
//! segments that are free.
//! https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-shrinkfile-transact-sql

use std::sync::Arc;

use sql::ast::Dbcc;
use types::{Datum, SqlResult, SqlType, sql_error};

use super::dbcc::{answer, database_argument, number_argument, text_argument};
use super::site::Ddl;
use crate::catalog::base::FileRow;
use crate::catalog::error::storage_error;
use crate::catalog::load::int;
use crate::catalog::{Database, MASTER};

const PAGE_BYTES: u64 = 8_192;
const PAGES_A_MEGABYTE: u32 = 128;
/// `FileRow::fileid` of what there is on disk.
const DATA: i32 = 1;
const LOG: i32 = 2;

/// NOTRUNCATE and EMPTYFILE move pages, and nothing is given back.
fn refuse_moves(dbcc: &Dbcc) -> SqlResult<()> {
    for at in 1..dbcc.args.len() {
        if let Some(word) = text_argument(dbcc, at).map(|word| word.to_ascii_uppercase())
            && matches!(&*word, "NOTRUNCATE" | "EMPTYFILE")
        {
            return Err(super::unsupported(&format!("DBCC {} {word}", dbcc.command)));
        }
    }
    Ok(())
}

fn files(ddl: &mut Ddl<'_>, db: &Database) -> SqlResult<Vec<FileRow>> {
    let catalog = ddl.catalog.clone();
    catalog.read(&catalog.expect_database(MASTER), |rows| rows.find::<FileRow>(0, &[int(i32::from(db.id.0))]))
}

/// 8920
fn expect_no_transaction(ddl: &Ddl<'_>, operation: &str) -> SqlResult<()> {
    match ddl.site.in_user_transaction() {
        true => Err(sql_error!(8920, operation)),
        false => Ok(()),
    }
}

pub fn shrink_file(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    refuse_moves(dbcc)?;
    expect_no_transaction(ddl, "shrinkfile")?;
    let db = ddl.current()?;
    db.check_writable()?;
    let files = files(ddl, &db)?;
    let found = match (text_argument(dbcc, 0), number_argument(dbcc, 0)) {
        (Some(name), _) => {
            let found = files.iter().find(|file| db.equal_names(&file.name, &name));
            found.ok_or_else(|| sql_error!(8985, name, db.name()))?
        }
        (None, Some(id)) => {
            let found = files.iter().find(|file| i128::from(file.fileid) == id);
            found.ok_or_else(|| sql_error!(8985, id, db.name()))?
        }
        _ => return Err(sql_error!(2560, state 9, 1)),
    };
    let target = number_argument(dbcc, 1).and_then(|megabytes| u32::try_from(megabytes).ok()).unwrap_or(0);
    let row = shrink(ddl, &db, found.fileid, target.saturating_mul(PAGES_A_MEGABYTE))?;
    tell(ddl, row.into_iter().collect())
}

pub fn shrink_database(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    refuse_moves(dbcc)?;
    expect_no_transaction(ddl, "shrinkdatabase")?;
    let db = database_argument(ddl, dbcc)?;
    ddl.catalog.check_open(&db)?;
    db.check_writable()?;
    // Free space that is to be left, in percent.
    let percent = number_argument(dbcc, 1).unwrap_or(0);
    if !(0..100).contains(&percent) {
        return Err(sql_error!(2560, state 9, 2));
    }
    let used = ddl.catalog.storage.space(db.storage_id()).map_err(storage_error)?.used;
    let least = u128::from(used) * 100 / (100 - percent as u128);
    let mut rows = Vec::new();
    for file in [DATA, LOG] {
        rows.extend(shrink(ddl, &db, file, u32::try_from(least).unwrap_or(u32::MAX))?);
    }
    tell(ddl, rows)
}

/// The row that is told of it. None: the file is a name only.
fn shrink(ddl: &mut Ddl<'_>, db: &Arc<Database>, file: i32, least: u32) -> SqlResult<Option<Vec<Datum>>> {
    let id = db.storage_id();
    let shrunk = ddl.long_storage(|storage, _, pause| match file {
        DATA => storage.shrink_file(id, least, pause),
        LOG => storage.shrink_log(pause),
        _ => Ok(()),
    });
    shrunk.map_err(storage_error)?;
    let storage = &ddl.catalog.storage;
    let (pages, used) = match file {
        DATA => storage.space(id).map(|space| (space.pages, space.used)).map_err(storage_error)?,
        LOG => {
            let space = storage.log_space();
            (space.total / PAGE_BYTES, space.used.div_ceil(PAGE_BYTES))
        }
        _ => return Ok(None),
    };
    let number = |value: u64| Datum::I64(value as i64);
    Ok(Some(vec![number(db.id.0.into()), number(file as u64), number(pages), number(8), number(used), number(used)]))
}

fn tell(ddl: &mut Ddl<'_>, rows: Vec<Vec<Datum>>) -> SqlResult<()> {
    let int = SqlType::INT;
    let columns = [
        ("DbId", SqlType::SMALLINT),
        ("FileId", int),
        ("CurrentSize", int),
        ("MinimumSize", int),
        ("UsedPages", int),
        ("EstimatedPages", int),
    ];
    answer(ddl, &columns, &rows)
}

/// The segments of the log as virtual log files.
pub fn log_info(ddl: &mut Ddl<'_>) -> SqlResult<()> {
    const ACTIVE: i64 = 2;
    let storage = &ddl.catalog.storage;
    let bytes = storage.log_segment_bytes();
    let row = |(at, segment): (usize, storage::Segment)| {
        let sequence = segment.first_lsn.map_or(0, |lsn| (lsn / bytes) as i64);
        vec![
            Datum::I64(0),
            Datum::I64(LOG.into()),
            Datum::I64(if segment.is_cut { 0 } else { bytes as i64 }),
            Datum::I64(at as i64 * bytes as i64),
            Datum::I64(sequence),
            Datum::I64(if segment.first_lsn.is_some() { ACTIVE } else { 0 }),
            Datum::I64(if sequence % 2 == 0 { 64 } else { 128 }),
            Datum::I128(0),
        ]
    };
    let rows: Vec<Vec<Datum>> = storage.log_segments().into_iter().enumerate().map(row).collect();
    let int = SqlType::INT;
    let columns = [
        ("RecoveryUnitId", int),
        ("FileId", int),
        ("FileSize", SqlType::BIGINT),
        ("StartOffset", SqlType::BIGINT),
        ("FSeqNo", int),
        ("Status", int),
        ("Parity", SqlType::TINYINT),
        ("CreateLSN", SqlType::decimal(25, 0)),
    ];
    answer(ddl, &columns, &rows)
}
