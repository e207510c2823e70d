//! What all RESTORE statements have in common: the device and the set that they read, the database that they are about, and msdb's row.

use std::sync::Arc;

use sql::ast::{Restore, RestoreKind};
use storage::StorageError;
use storage::backup::Set;
use types::{SqlError, SqlResult, sql_error};

use super::backup_about::{About, KeptFile};
use super::backup_device::{Device, names_of};
use super::backup_encryption;
use super::backup_history::{self, Place, Restored};
use super::backup_options::{self, Options};
use super::backup_told;
use super::closed::expect_nobody;
use super::site::Ddl;
use crate::catalog::base::{DatabaseRow, FileRow};
use crate::catalog::{Database, MASTER, TEMPDB, is_system, suspects};
use crate::instance::plan_cache::Forget;

/// As SQL Server calls the statement where it is terminating abnormally.
pub fn verb(kind: RestoreKind) -> &'static str {
    match kind {
        RestoreKind::Database => "RESTORE DATABASE",
        RestoreKind::Log => "RESTORE LOG",
        RestoreKind::HeaderOnly => "RESTORE HEADERONLY",
        RestoreKind::FileListOnly => "RESTORE FILELIST",
        RestoreKind::LabelOnly => "RESTORE LABELONLY",
        RestoreKind::VerifyOnly => "VERIFY DATABASE",
        RestoreKind::RewindOnly => "RESTORE REWINDONLY",
    }
}

/// The open device, and the statement's options. What only tells of a file may be within a transaction, as scripts have it in
/// INSERT ... EXEC.
pub fn open(ddl: &mut Ddl<'_>, statement: &Restore, kind: u8) -> SqlResult<(Device, Options)> {
    let tells = matches!(kind, backup_options::HEADERONLY | backup_options::FILELISTONLY | backup_options::LABELONLY);
    if !tells && ddl.site.in_user_transaction() {
        return Err(sql_error!(3021));
    }
    let names = names_of(ddl, &statement.devices, "RESTORE")?;
    let options = backup_options::read(ddl, &statement.options, (kind, names.is_url), "RESTORE")?;
    Ok((Device::open_to_read(ddl, names, &options)?, options))
}

pub fn about(device: &Device, set: &Set) -> SqlResult<About> {
    About::decode(&set.head.about).ok_or_else(|| sql_error!(3255, device.path))
}

/// The set that FILE names, the first without it; to be read, encrypted or not.
pub fn chosen(ddl: &mut Ddl<'_>, device: &Device, options: &Options) -> SqlResult<(usize, Set, About)> {
    let found = described(device, options)?;
    backup_encryption::unlock(ddl, device, &found.2)?;
    Ok(found)
}

/// As far as it says of itself.
pub fn described(device: &Device, options: &Options) -> SqlResult<(usize, Set, About)> {
    let number = options.number("FILE").unwrap_or(1);
    let set = device.set(number)?;
    let about = about(device, &set)?;
    expect_media(device, options, &about)?;
    Ok((number as usize, set, about))
}

/// 4037: the media has another name than the statement says.
pub fn expect_media(device: &Device, options: &Options, about: &About) -> SqlResult<()> {
    let found = about.media.name.as_deref().unwrap_or("");
    match options.text("MEDIANAME") {
        Some(wanted) if wanted != found => Err(sql_error!(4037, wanted, found, device.path)),
        _ => Ok(()),
    }
}

/// The database that a restore is to make or to replace, which may be there. 3108, 3147, 3217: it cannot be that one.
pub fn target(ddl: &Ddl<'_>, name: &str) -> SqlResult<Option<Arc<Database>>> {
    if name.is_empty() || name.encode_utf16().count() > 128 {
        return Err(sql_error!(3217, "database"));
    }
    let old = ddl.catalog.database_named(name);
    match old.as_ref().map(|db| db.id) {
        Some(TEMPDB) => Err(sql_error!(3147)),
        Some(MASTER) => Err(sql_error!(3108)),
        Some(id) if is_system(id) => Err(super::unsupported(&format!("RESTORE DATABASE {name}"))),
        _ => Ok(old),
    }
}

/// A set that is restored.
pub struct Source<'a> {
    pub device: &'a Device,
    pub position: usize,
    pub set: Set,
    pub about: About,
}

/// In msdb. 3009: it could not be.
pub fn record(ddl: &mut Ddl<'_>, from: &Source<'_>, restored: Restored<'_>) {
    let place = Place::of(ddl, from.device, from.position);
    match restored.kind {
        "F" => backup_told::file_restored(ddl, restored.database, &from.about, &place),
        _ => backup_told::restored(ddl, restored.database, &from.set, &from.about, &place),
    }
    if backup_history::record_restore(&ddl.catalog, &from.set, &from.about, &place, restored).is_err() {
        ddl.message(sql_error!(3009));
    }
}

pub fn restore_error(device: &Device, name: &str, files: &[KeptFile], error: StorageError) -> SqlError {
    match error {
        StorageError::CorruptPage { page, .. } => sql_error!(3183, 1, page.page, name),
        StorageError::CorruptRow(_) => sql_error!(3189),
        StorageError::AlreadyExists => sql_error!(1801, name),
        StorageError::DiskFull => {
            let path = files.first().and_then(|file| file.row.path.0.as_deref()).unwrap_or("");
            sql_error!(3202, path, "112(There is not enough space on the disk.)")
        }
        error => device.read_error(error),
    }
}

/// 3257: the disk has not so many bytes.
pub fn expect_bytes(ddl: &Ddl<'_>, needed: u64) -> SqlResult<()> {
    match ddl.catalog.storage.disk().free_bytes() {
        Ok(free) if free < needed => Err(sql_error!(3257, ddl.catalog.data_directory, needed - free, free)),
        _ => Ok(()),
    }
}

/// What storage has begun to restore is the database that `row` says, in place of `old`.
pub fn put_begun(ddl: &mut Ddl<'_>, row: DatabaseRow, files: &[FileRow], old: Option<&Database>) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let id = row.id as u16;
    let put = match old {
        // Who came meanwhile.
        Some(old) => expect_nobody(ddl, old, "RESTORE"),
        None => Ok(()),
    };
    let put = put.and_then(|()| catalog.put_restoring(row, files, old));
    if put.is_err() {
        // What stays goes at the next start.
        catalog.storage.forget_restore(storage::DatabaseId(id)).ok();
    }
    put?;
    if let Some(old) = old {
        suspects::restored(&catalog, old.id.0, id);
        catalog.change_governor().unbind(old.id)?;
    }
    ddl.site.server().forget_plans(Forget::All);
    Ok(())
}
