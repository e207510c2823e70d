//! Backup devices: files on disk, by the paths that users give. A relative one lies in the default backup directory.
//!
//! What must hold: no statement writes into a file of the instance, or into one that another backup or restore has in use.

use std::path::Path;

use os::disk::{Disk, DiskError, File, Open};
use sql::ast::{BackupDevice, Expr, Literal};
use storage::StorageError;
use storage::backup::{self, Set};
use types::{SqlError, SqlResult, sql_error};

use super::site::Ddl;
use crate::catalog::error::storage_error;

/// https://learn.microsoft.com/sql/t-sql/statements/backup-transact-sql
const PATH_CHARACTERS_MAX: usize = 259;

/// An open device.
pub struct Device {
    /// As the statement names it.
    pub path: String,
    pub file: File,
    disk: Disk,
    name: String,
    /// It was not there.
    made: bool,
}

/// The path of the one device that a statement has. `verb`: BACKUP or RESTORE.
pub fn path_of(ddl: &Ddl<'_>, devices: &[BackupDevice], verb: &str) -> SqlResult<String> {
    let [device] = devices else {
        return Err(if devices.is_empty() { sql_error!(3207) } else { sql_error!(3205, 1) });
    };
    let missing = |name: &str| Err(sql_error!(3206, name));
    let path = match device {
        BackupDevice::File(kind, _) if &**kind != "DISK" => {
            let between = if verb == "BACKUP" { "TO" } else { "FROM" };
            return Err(super::unsupported(&format!("{verb} ... {between} {kind}")));
        }
        BackupDevice::File(_, Expr::Literal(Literal::String { text, .. })) => text.to_string(),
        BackupDevice::File(_, Expr::Variable(variable)) => ddl.site.variable(&variable.name).unwrap_or("").to_string(),
        BackupDevice::File(..) => String::new(),
        // Of sp_addumpdevice, which there is none of.
        BackupDevice::Logical(name) => return missing(name),
        BackupDevice::Variable(variable) => return missing(ddl.site.variable(&variable.name).unwrap_or("")),
    };
    let path = path.trim_end();
    if path.is_empty() {
        return Err(sql_error!(3044));
    }
    if path.chars().count() > PATH_CHARACTERS_MAX {
        return Err(sql_error!(3057, PATH_CHARACTERS_MAX));
    }
    if path.eq_ignore_ascii_case("NUL") {
        return Err(super::unsupported(&format!("{verb} ... DISK = 'NUL'")));
    }
    if path.contains('\0') || path.ends_with('/') {
        return Err(sql_error!(3038, path));
    }
    Ok(path.to_string())
}

/// What Windows says, whose numbers SQL Server's messages have on every system.
fn system_error(error: DiskError) -> String {
    match error {
        DiskError::NotFound => "2(The system cannot find the file specified.)".into(),
        DiskError::Denied => "5(Access is denied.)".into(),
        DiskError::Locked => {
            "32(The process cannot access the file because it is being used by another process.)".into()
        }
        DiskError::AlreadyExists => "80(The file exists.)".into(),
        DiskError::Full => "112(There is not enough space on the disk.)".into(),
        DiskError::EndOfFile => "38(Reached the end of the file.)".into(),
        DiskError::Io(number) => {
            format!("{number}(The request could not be performed because of an I/O device error.)")
        }
    }
}

fn cannot_open(path: &str, error: DiskError) -> SqlError {
    sql_error!(3201, path, system_error(error))
}

/// The directory and the name there.
fn place(ddl: &Ddl<'_>, path: &str) -> SqlResult<(Disk, String)> {
    let no_such_path = || sql_error!(3201, path, "3(The system cannot find the path specified.)");
    let storage = &ddl.catalog.storage;
    let backups = storage.backup_directory().map_err(storage_error)?;
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    if path.contains('\\') || name == "." || name == ".." {
        return Err(no_such_path());
    }
    if path.starts_with('/') {
        let above = Path::new(if above.is_empty() { "/" } else { above });
        let disk = storage.disk().elsewhere(above).map_err(|error| match error {
            DiskError::NotFound => no_such_path(),
            error => cannot_open(path, error),
        })?;
        if storage.disk().holds(&disk) && !backups.holds(&disk) {
            return Err(cannot_open(path, DiskError::Denied));
        }
        return Ok((disk, name.to_string()));
    }
    if above.split('/').any(|part| part == "..")
        || matches!(backups, Disk::Real(_)) && !above.is_empty() && !backups.exists(above)
    {
        return Err(no_such_path());
    }
    let disk = if above.is_empty() {
        backups
    } else {
        backups.subdirectory(above).map_err(|error| cannot_open(path, error))?
    };
    Ok((disk, name.to_string()))
}

impl Device {
    /// To be written, by nobody else meanwhile. It is made if it is not there.
    pub fn open_to_write(ddl: &Ddl<'_>, path: &str) -> SqlResult<Device> {
        let (disk, name) = place(ddl, path)?;
        let failed = |error| cannot_open(path, error);
        let made = !disk.exists(&name);
        if !made && !disk.is_plain(&name) {
            return Err(failed(DiskError::Denied));
        }
        let file = disk.open(&name, Open::ExistingOrNew).map_err(failed)?;
        file.claim(true).map_err(failed)?;
        if made {
            disk.sync_names().map_err(failed)?;
        }
        Ok(Device { path: path.to_string(), file, disk, name, made })
    }

    /// To be read, together with other readers.
    pub fn open_to_read(ddl: &Ddl<'_>, path: &str) -> SqlResult<Device> {
        let (disk, name) = place(ddl, path)?;
        let failed = |error| cannot_open(path, error);
        if !disk.exists(&name) {
            return Err(failed(DiskError::NotFound));
        }
        if !disk.is_plain(&name) {
            return Err(failed(DiskError::Denied));
        }
        let file = disk.open(&name, Open::Read).map_err(failed)?;
        file.claim(false).map_err(failed)?;
        Ok(Device { path: path.to_string(), file, disk, name, made: false })
    }

    /// Its path from the root, as msdb has it; of a server without a directory the one given.
    pub fn whole_path(&self, ddl: &Ddl<'_>) -> String {
        let directory = ddl.catalog.data_directory.trim_end_matches('/');
        match self.path.starts_with('/') || !directory.starts_with('/') {
            true => self.path.clone(),
            false => format!("{directory}/{}/{}", backup::BACKUPS, self.path),
        }
    }

    /// The complete backup sets. 3241: it is no backup; 3254: it is empty; 3256: its only one was never ended.
    pub fn sets(&self) -> SqlResult<Vec<Set>> {
        let sets = backup::sets(&self.file).map_err(|error| self.read_error(error))?;
        if sets.is_empty() {
            let length = self.file.len().map_err(|error| self.read_error(error.into()))?;
            return Err(match length {
                0 => sql_error!(3254, self.path),
                _ if self.begins(0)? => sql_error!(3256, self.path),
                _ => sql_error!(3241, self.path),
            });
        }
        Ok(sets)
    }

    /// Set `number`, counted from 1. 4038: there are fewer; 3256: it was never ended.
    pub fn set(&self, number: i64) -> SqlResult<Set> {
        let mut sets = self.sets()?;
        match usize::try_from(number).ok().and_then(|number| number.checked_sub(1)) {
            Some(at) if at < sets.len() => Ok(sets.swap_remove(at)),
            Some(at) if at == sets.len() && self.begins(sets[at - 1].to)? => Err(sql_error!(3256, self.path)),
            _ => Err(sql_error!(4038, number, self.path)),
        }
    }

    fn begins(&self, at: u64) -> SqlResult<bool> {
        backup::begins(&self.file, at).map_err(|error| self.read_error(error))
    }

    /// Of what was read from it.
    pub fn read_error(&self, error: StorageError) -> SqlError {
        match error {
            StorageError::Damaged(_) => sql_error!(3189),
            StorageError::NewerFormat { found, known } => sql_error!(3169, found, known),
            StorageError::Io(what) => sql_error!(3203, self.path, format_args!("1117({what})")),
            error => storage_error(error),
        }
    }

    /// Of what was written to it.
    pub fn write_error(&self, error: StorageError) -> SqlError {
        match error {
            StorageError::DiskFull => sql_error!(3202, self.path, system_error(DiskError::Full)),
            StorageError::Io(what) => sql_error!(3202, self.path, format_args!("1117({what})")),
            error => storage_error(error),
        }
    }

    /// Nothing came of it: what was made for it goes.
    pub fn give_up(self) {
        if self.made {
            // What stays holds no backup.
            self.disk.remove(&self.name).ok();
        }
    }
}
