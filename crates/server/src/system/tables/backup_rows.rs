//! What backups have of each database, and how much log there is for the next one. Backup scripts decide by these figures whether there is
//! anything that a log or a differential backup could go on from.
//! https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-database-recovery-status-transact-sql
//! https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-db-log-stats-transact-sql

use std::sync::Arc;

use storage::backup::SetKind;
use storage::{LogSpace, Segment};
use types::{Datum, SqlResult};

use super::server_rows::{log_bytes, log_holder, lsn_text};
use crate::catalog::base::BackupSetRow;
use crate::catalog::error::storage_error;
use crate::catalog::family::{self, Guid};
use crate::catalog::row::Date;
use crate::catalog::{Database, MASTER};
use crate::definition::backup::fork;
use crate::definition::backup_history::BY_GUID;
use crate::session::host::SessionHost;
use crate::system::answer::Arguments;
use crate::system::cell::{Cell, NamedRow, number, text};

/// What `dm_db_log_stats` says of a log backup that there was not.
const NEVER: Date = Date(0);
const NO_LSN: &str = "00000000:00000000:0000";
const DATA_FILE: i32 = 1;

/// All but its number is NULL of a database that cannot be read.
pub fn recovery_status(host: &SessionHost) -> Vec<NamedRow> {
    let row = |db: &Arc<Database>| {
        let mut row = vec![("database_id", number(db.id.0))];
        row.extend(status_of(host, db).unwrap_or_default());
        row
    };
    host.server.catalog.databases().iter().map(row).collect()
}

/// The full backups that differential ones go on from; of a database that cannot be read none is known.
pub fn bases(host: &SessionHost) -> Vec<NamedRow> {
    host.server.catalog.databases().iter().filter_map(|db| base_of(host, db).ok().flatten()).collect()
}

pub fn log_stats(host: &SessionHost, arguments: &Arguments<'_>) -> Vec<NamedRow> {
    let wanted = |db: &&Arc<Database>| arguments.number(0).is_none_or(|wanted| wanted == i64::from(db.id.0));
    let row = |db: &Arc<Database>| {
        let mut row = log_of(host, db);
        row.extend(log_backup_of(host, db).unwrap_or_default());
        row
    };
    host.server.catalog.databases().iter().filter(wanted).map(row).collect()
}

/// Of the current database: what a log backup would have, where one has something to go on from.
pub fn log_space(host: &SessionHost, db: &Database) -> SqlResult<NamedRow> {
    let LogSpace { total, used, .. } = log_bytes(host, db);
    let since = log_from(host, db)?.map_or(used, |from| host.server.catalog.storage.hardened().saturating_sub(from));
    Ok(vec![
        ("database_id", number(db.id.0)),
        ("total_log_size_in_bytes", number(total)),
        ("used_log_space_in_bytes", number(used)),
        ("used_log_space_in_percent", Cell::Datum(Datum::F64(used as f64 * 100.0 / total.max(1) as f64))),
        ("log_space_in_bytes_since_last_backup", number(since)),
    ])
}

fn guid(bytes: &Guid) -> Cell {
    Cell::Datum(Datum::I128(i128::from_le_bytes(*bytes)))
}

fn time(date: Date) -> Cell {
    Cell::Datum(Datum::I64(date.0))
}

fn is_open(host: &SessionHost, db: &Database) -> bool {
    !db.is_restoring() && host.server.catalog.storage.hold_of(db.storage_id()).is_none()
}

/// Where the log begins that no log backup has yet. None: a log backup would have nothing to go on from.
fn log_from(host: &SessionHost, db: &Database) -> SqlResult<Option<u64>> {
    let chain = host.server.catalog.storage.chain(db.storage_id()).map_err(storage_error)?;
    match chain.log_from() {
        Some(lsn) => Ok(Some(lsn)),
        None => Ok(fork(&host.server.catalog, db, SetKind::Log)?.map(|fork| fork.end_lsn)),
    }
}

/// A database that has no backup has no family yet.
fn status_of(host: &SessionHost, db: &Database) -> SqlResult<NamedRow> {
    let mut row = Vec::new();
    if !is_open(host, db) {
        return Ok(row);
    }
    if let Some(family) = host.server.catalog.read(db, family::found)? {
        row.extend([
            ("database_guid", guid(&family.database)),
            ("family_guid", guid(&family.family)),
            ("recovery_fork_guid", guid(&family.database)),
            ("first_recovery_fork_guid", guid(&family.database)),
        ]);
    }
    if let Some(lsn) = log_from(host, db)? {
        row.push(("last_log_backup_lsn", number(lsn)));
    }
    Ok(row)
}

fn base_of(host: &SessionHost, db: &Database) -> SqlResult<Option<NamedRow>> {
    if !is_open(host, db) {
        return Ok(None);
    }
    let catalog = &host.server.catalog;
    let chain = catalog.storage.chain(db.storage_id()).map_err(storage_error)?;
    let (id, lsn) = match chain.base_lsn {
        0 => match fork(catalog, db, SetKind::Differential)?.and_then(|fork| Some((fork.base?, fork.end_lsn))) {
            Some(base) => base,
            None => return Ok(None),
        },
        lsn => (chain.base.to_le_bytes(), lsn),
    };
    let master = catalog.expect_database(MASTER);
    let set = catalog.read(&master, |rows| rows.first::<BackupSetRow>(BY_GUID, &[Datum::bytes(&id)]))?;
    let lsn = set.as_ref().map_or(number(lsn), |set| number(set.checkpoint_lsn));
    let mut row =
        vec![("database_id", number(db.id.0)), ("file_id", number(DATA_FILE)), ("lsn", lsn), ("guid", guid(&id))];
    if let Some(set) = set {
        row.push(("time", time(set.started)));
    }
    Ok(Some(row))
}

fn megabytes(bytes: u64) -> Cell {
    Cell::Datum(Datum::F64(bytes as f64 / f64::from(1 << 20)))
}

fn log_of(host: &SessionHost, db: &Database) -> NamedRow {
    let storage = &host.server.catalog.storage;
    let space = log_bytes(host, db);
    let segments = storage.log_segments();
    let bytes = storage.log_segment_bytes();
    let end = storage.hardened();
    let active = || segments.iter().filter_map(|segment: &Segment| segment.first_lsn);
    let model = ["FULL", "BULK_LOGGED", "SIMPLE"][usize::from(db.row().recovery_model.clamp(1, 3)) - 1];
    let mut row = vec![
        ("database_id", number(db.id.0)),
        ("recovery_model", text(model)),
        ("log_min_lsn", lsn_text(active().min().unwrap_or(end))),
        ("log_end_lsn", lsn_text(end)),
        ("current_vlf_sequence_number", number(end / bytes)),
        ("current_vlf_size_mb", megabytes(bytes)),
        ("total_vlf_count", number(segments.len())),
        ("active_vlf_count", number(active().count())),
        ("total_log_size_mb", megabytes(space.total)),
        ("active_log_size_mb", megabytes(space.used)),
        ("log_truncation_holdup_reason", text(log_holder(storage, db).name())),
    ];
    if let Ok(last) = storage.last_checkpoint(db.storage_id()) {
        row.extend([
            ("log_checkpoint_lsn", lsn_text(last.log_at_begin)),
            ("log_since_last_checkpoint_mb", megabytes(last.log_end.saturating_sub(last.log_at_begin))),
            ("log_recovery_lsn", lsn_text(last.scan_lsn)),
            ("log_recovery_size_mb", megabytes(last.log_end.saturating_sub(last.scan_lsn))),
            ("recovery_vlf_count", number(active().filter(|first| first + bytes > last.scan_lsn).count())),
        ]);
    }
    row
}

fn log_backup_of(host: &SessionHost, db: &Database) -> SqlResult<NamedRow> {
    if !is_open(host, db) {
        return Ok(Vec::new());
    }
    let catalog = &host.server.catalog;
    let taken = catalog.read(db, family::last_log_backup)?;
    let from = log_from(host, db)?;
    let since = from.map_or(0, |from| catalog.storage.hardened().saturating_sub(from));
    Ok(vec![
        ("log_backup_time", time(taken.filter(|_| from.is_some()).unwrap_or(NEVER))),
        ("log_backup_lsn", from.map_or_else(|| text(NO_LSN), lsn_text)),
        ("log_since_last_log_backup_mb", megabytes(since)),
    ])
}
