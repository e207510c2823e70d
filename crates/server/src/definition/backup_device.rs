//! Backup devices: files on disk, by the paths that users give, and objects of stores. A relative path lies in the default backup directory.
//!
//! What must hold: no statement writes into a file of the instance, or into one that another backup or restore has in use.

use std::path::Path;
use std::sync::Arc;

use os::disk::{Disk, DiskError, File, Open};
use sql::ast::{BackupDevice, Expr, Literal};
use storage::StorageError;
use storage::backup::{self, Keyed, Media, Nothing, Set, SetKey, StripeHead, Striped};
use types::{SqlError, SqlResult, sql_error};

use super::backup_options::Options;
use super::backup_url;
use super::dump_device;
use super::site::Ddl;
use crate::archive::object::{Lanes, ObjectReader, ObjectWriter};
use crate::catalog::error::storage_error;
use crate::catalog::family::new_guid;
use crate::catalog::path::with_slashes;

/// https://learn.microsoft.com/sql/t-sql/statements/backup-transact-sql
const PATH_CHARACTERS_MAX: usize = 259;

/// Of a statement.
const DEVICES_MAX: usize = 64;
/// Bytes of a stripe that lie together in a file.
const CHUNK: u32 = 1 << 20;

/// What a statement names: files, or objects of stores.
pub struct Names {
    pub is_url: bool,
    /// At least one.
    pub names: Vec<String>,
}

/// A file of a device.
struct Member {
    disk: Disk,
    name: String,
    /// It was not there.
    made: bool,
}

/// An open device: one file or object, or several of them that hold a stripe each.
pub struct Device {
    /// As the statement names it; of several the first.
    pub path: String,
    names: Names,
    media: Keyed,
    members: Vec<Member>,
    writers: Vec<Arc<ObjectWriter>>,
    readers: Vec<Arc<ObjectReader>>,
}

/// The devices that a statement has. `verb`: BACKUP or RESTORE.
pub fn names_of(ddl: &Ddl<'_>, devices: &[BackupDevice], verb: &str) -> SqlResult<Names> {
    if devices.is_empty() {
        return Err(sql_error!(3207));
    }
    if devices.len() > DEVICES_MAX {
        return Err(sql_error!(3205, DEVICES_MAX));
    }
    let mut found = Names { is_url: false, names: Vec::new() };
    for (at, device) in devices.iter().enumerate() {
        let (is_url, name) = name_of(ddl, device, verb)?;
        let refused = |what: &str| super::unsupported(&format!("{verb} ... {what}"));
        if at > 0 && is_url != found.is_url {
            return Err(refused("DISK and URL"));
        }
        if found.names.contains(&name) && !is_nothing(&name) {
            return Err(refused("the same device twice"));
        }
        found.is_url = is_url;
        found.names.push(name);
    }
    Ok(found)
}

/// The path that a logical device stands for. 3206: there is no such device.
fn of_logical(ddl: &Ddl<'_>, name: &str) -> SqlResult<String> {
    dump_device::path(ddl, name)?.ok_or_else(|| sql_error!(3206, name))
}

/// The device of Windows that keeps nothing, which SQL Server has on every system.
fn is_nothing(path: &str) -> bool {
    path.eq_ignore_ascii_case("NUL")
}

/// Whether it is an object of a store, and its path.
fn name_of(ddl: &Ddl<'_>, device: &BackupDevice, verb: &str) -> SqlResult<(bool, String)> {
    let (kind, path) = match device {
        BackupDevice::File(kind, _) if !matches!(&**kind, "DISK" | "URL") => {
            let between = if verb == "BACKUP" { "TO" } else { "FROM" };
            return Err(super::unsupported(&format!("{verb} ... {between} {kind}")));
        }
        BackupDevice::File(kind, Expr::Literal(Literal::String { text, .. })) => (&**kind, text.to_string()),
        BackupDevice::File(kind, Expr::Variable(variable)) => {
            (&**kind, ddl.site.variable(&variable.name).unwrap_or("").to_string())
        }
        BackupDevice::File(kind, _) => (&**kind, String::new()),
        BackupDevice::Logical(name) => ("DISK", of_logical(ddl, name)?),
        BackupDevice::Variable(variable) => ("DISK", of_logical(ddl, ddl.site.variable(&variable.name).unwrap_or(""))?),
    };
    let (is_url, path) = (kind == "URL", path.trim_end());
    if path.is_empty() {
        return Err(sql_error!(3044));
    }
    if path.chars().count() > PATH_CHARACTERS_MAX {
        return Err(sql_error!(3057, PATH_CHARACTERS_MAX));
    }
    if is_url {
        if path.get(..8).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https://")) {
            return Err(super::unsupported(&format!("{verb} ... URL = 'https://...', a store that is not S3's")));
        }
        return Ok((true, path.to_string()));
    }
    let path = with_slashes(path);
    if path.contains('\0') || path.ends_with('/') {
        return Err(sql_error!(3038, path));
    }
    Ok((false, path.into_owned()))
}

/// What Windows says, whose numbers SQL Server's messages have on every system.
pub fn system_error(error: DiskError) -> String {
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

/// The directory and the name there. What is written makes the directories that are not there, as SQL Server does on Linux: scripts of
/// backups count on it there, and make them themselves on Windows alone.
pub fn place(ddl: &Ddl<'_>, path: &str, writes: bool) -> SqlResult<(Disk, String)> {
    let no_such_path = || sql_error!(3201, path, "3(The system cannot find the path specified.)");
    let storage = &ddl.catalog.storage;
    let backups = storage.backup_directory().map_err(storage_error)?;
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    if path.contains('\\') || name == "." || name == ".." {
        return Err(no_such_path());
    }
    if path.starts_with('/') {
        let above = Path::new(if above.is_empty() { "/" } else { above });
        if writes && !matches!(storage.disk(), Disk::Sim(_)) && !os::fs::exists(above) {
            os::fs::create_dir_all(above).map_err(|_| no_such_path())?;
        }
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

/// A file of backups goes, if it is there.
pub fn delete(ddl: &Ddl<'_>, path: &str) -> SqlResult<()> {
    let (disk, name) = place(ddl, path, false)?;
    match disk.remove(&name) {
        Ok(()) | Err(DiskError::NotFound) => Ok(()),
        Err(error) => Err(cannot_open(path, error)),
    }
}

/// A file that a device is, or a part of.
fn open_file(ddl: &Ddl<'_>, path: &str, writes: bool) -> SqlResult<(File, Member)> {
    let (disk, name) = place(ddl, path, writes)?;
    let failed = |error| cannot_open(path, error);
    let made = !disk.exists(&name);
    if made && !writes {
        return Err(failed(DiskError::NotFound));
    }
    if !made && !disk.is_plain(&name) {
        return Err(failed(DiskError::Denied));
    }
    let how = match (writes, made) {
        (false, _) => Open::Read,
        (true, true) => Open::ExistingOrNew,
        // It may turn out to be no backup.
        (true, false) => Open::Foreign,
    };
    let file = disk.open(&name, how).map_err(failed)?;
    file.claim(writes).map_err(failed)?;
    if made {
        disk.sync_names().map_err(failed)?;
    }
    Ok((file, Member { disk, name, made }))
}

/// One medium of several, which are all that their media set has. 3132: some are missing; 3227: one is given twice; 3258: one is of
/// another media set.
fn joined(names: &[String], mut media: Vec<Box<dyn Media>>) -> SqlResult<Box<dyn Media>> {
    let mut heads = Vec::new();
    for (name, one) in names.iter().zip(&media) {
        let head = StripeHead::read(&**one).map_err(|error| match error {
            StorageError::NewerFormat { .. } => sql_error!(3255, name),
            StorageError::Damaged(_) => sql_error!(3241, name),
            error => storage_error(error),
        })?;
        heads.push(head);
    }
    let Some(first) = heads[0] else {
        return match names.len() {
            1 => Ok(media.remove(0)),
            _ => Err(sql_error!(3258, names[1])),
        };
    };
    for (at, head) in heads.iter().enumerate() {
        let Some(head) = head.filter(|head| (head.media, head.count) == (first.media, first.count)) else {
            return Err(sql_error!(3258, names[at]));
        };
        let is_same = |other: &Option<StripeHead>| other.is_some_and(|other| other.number == head.number);
        if let Some(before) = heads[..at].iter().position(is_same) {
            return Err(sql_error!(3227, names[at], head.number, names[before]));
        }
    }
    if heads.len() != first.count as usize {
        return Err(sql_error!(3132, first.count, heads.len()));
    }
    let stripes = media.into_iter().zip(heads.into_iter().flatten()).collect();
    Ok(Box::new(Striped::existing(stripes).map_err(|_| sql_error!(3258, names[0]))?))
}

fn boxed<M: Media + 'static>(media: M) -> Box<dyn Media> {
    Box::new(media)
}

impl Device {
    fn new(names: Names, media: Box<dyn Media>) -> Device {
        let path = names.names[0].clone();
        let media = Keyed::new(media);
        Device { path, names, media, members: Vec::new(), writers: Vec::new(), readers: Vec::new() }
    }

    /// To be written, by nobody else meanwhile. Files are made if they are not there.
    pub fn open_to_write(ddl: &mut Ddl<'_>, names: Names, options: &Options) -> SqlResult<Device> {
        if names.is_url {
            return Device::open_objects(ddl, names, options);
        }
        let mut members = Vec::new();
        let opened = names.names.iter().try_fold(Vec::new(), |mut media, path| {
            if is_nothing(path) {
                media.push(boxed(Nothing));
                return Ok(media);
            }
            let (file, member) = open_file(ddl, path, true)?;
            members.push(member);
            media.push(boxed(file));
            Ok(media)
        });
        let media = opened.and_then(|media| written(&names.names, media, options));
        match media {
            Ok(media) => Ok(Device { members, ..Device::new(names, media) }),
            Err(error) => {
                members.iter().for_each(Member::give_up);
                Err(error)
            }
        }
    }

    fn open_objects(ddl: &mut Ddl<'_>, names: Names, options: &Options) -> SqlResult<Device> {
        let lanes = Arc::new(Lanes::default());
        let mut writers: Vec<Arc<ObjectWriter>> = Vec::new();
        for url in &names.names {
            match backup_url::to_write(ddl, url, options, &lanes) {
                Ok(writer) => writers.push(writer),
                Err(error) => {
                    writers.into_iter().for_each(ObjectWriter::give_up);
                    return Err(error);
                }
            }
        }
        let mut media: Vec<Box<dyn Media>> = writers.iter().map(|writer| boxed(writer.clone())).collect();
        // A chunk is a part: so one part is filled at a time.
        let chunk = options.number("MAXTRANSFERSIZE").unwrap_or(backup_url::PART_DEFAULT) as u32;
        let media = match media.len() {
            1 => media.remove(0),
            _ => boxed(Striped::new(media, chunk, new_guid())),
        };
        Ok(Device { writers, ..Device::new(names, media) })
    }

    /// To be read, together with other readers.
    pub fn open_to_read(ddl: &mut Ddl<'_>, names: Names, options: &Options) -> SqlResult<Device> {
        let (mut media, mut readers) = (Vec::new(), Vec::new());
        for path in &names.names {
            if names.is_url {
                let reader = backup_url::to_read(ddl, path, options)?;
                media.push(boxed(reader.clone()));
                readers.push(reader);
            } else if is_nothing(path) {
                media.push(boxed(Nothing));
            } else {
                media.push(boxed(open_file(ddl, path, false)?.0));
            }
        }
        let media = joined(&names.names, media)?;
        Ok(Device { readers, ..Device::new(names, media) })
    }

    pub fn media(&self) -> &dyn Media {
        &self.media
    }

    /// The key of the set that is written, or read; of one, and once is enough.
    pub fn unlock(&self, key: SetKey) {
        if self.media.key().is_none() {
            self.media.unlock(key);
        }
    }

    pub fn is_url(&self) -> bool {
        self.names.is_url
    }

    /// Files or objects.
    pub fn families(&self) -> usize {
        self.names.names.len()
    }

    /// The paths from the root, as msdb has them; of a server without a directory those given.
    pub fn whole_paths(&self, ddl: &Ddl<'_>) -> Vec<String> {
        let directory = ddl.catalog.data_directory.trim_end_matches('/');
        let whole = |path: &String| match self.is_url()
            || is_nothing(path)
            || path.starts_with('/')
            || !directory.starts_with('/')
        {
            true => path.clone(),
            false => format!("{directory}/{}/{path}", backup::BACKUPS),
        };
        self.names.names.iter().map(whole).collect()
    }

    /// The complete backup sets. 3241: it is no backup; 3254: it is empty; 3256: its only one was never ended.
    pub fn sets(&self) -> SqlResult<Vec<Set>> {
        let sets = backup::sets(self.media()).map_err(|error| self.read_error(error))?;
        if sets.is_empty() {
            let length = self.media().len().map_err(|error| self.read_error(error))?;
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
        backup::begins(self.media(), at).map_err(|error| self.read_error(error))
    }

    /// Of what was read from it.
    pub fn read_error(&self, error: StorageError) -> SqlError {
        let refused =
            self.readers.iter().zip(&self.names.names).find_map(|(reader, url)| Some((reader.failed()?, url)));
        if let (Some((refusal, url)), StorageError::Io(_) | StorageError::DiskFull) = (refused, &error) {
            return backup_url::read_error(url, &refusal);
        }
        match error {
            StorageError::Damaged(_) => sql_error!(3189),
            StorageError::NewerFormat { found, known } => sql_error!(3169, found, known),
            StorageError::Io(what) => sql_error!(3203, self.path, format_args!("1117({what})")),
            error => storage_error(error),
        }
    }

    /// Of what was written to it.
    pub fn write_error(&self, error: StorageError) -> SqlError {
        let refused =
            self.writers.iter().zip(&self.names.names).find_map(|(writer, url)| Some((writer.failed()?, url)));
        if let (Some((refusal, url)), StorageError::Io(_) | StorageError::DiskFull) = (refused, &error) {
            return backup_url::write_error(url, &refusal);
        }
        match error {
            StorageError::DiskFull => sql_error!(3202, self.path, system_error(DiskError::Full)),
            StorageError::Io(what) => sql_error!(3202, self.path, format_args!("1117({what})")),
            error => storage_error(error),
        }
    }

    /// Nothing came of it: what was made for it goes.
    pub fn give_up(self) {
        self.members.iter().for_each(Member::give_up);
        self.writers.into_iter().for_each(ObjectWriter::give_up);
    }
}

impl Member {
    fn give_up(&self) {
        if self.made {
            // What stays holds no backup.
            self.disk.remove(&self.name).ok();
        }
    }
}

/// What files that are to be written are together. 3231: they are another number of stripes already.
fn written(names: &[String], mut media: Vec<Box<dyn Media>>, options: &Options) -> SqlResult<Box<dyn Media>> {
    let mut is_striped = false;
    for (name, one) in names.iter().zip(&media) {
        if options.has("FORMAT") || one.len().map_err(storage_error)? == 0 {
            continue;
        }
        let head = StripeHead::read(&**one).map_err(|_| sql_error!(3241, name))?;
        let count = head.map_or(1, |head| head.count);
        if count as usize != names.len() {
            return Err(sql_error!(3231, name, count, names.len()));
        }
        is_striped |= count > 1;
    }
    match media.len() {
        1 => Ok(media.remove(0)),
        _ if is_striped => joined(names, media),
        _ => Ok(boxed(Striped::new(media, CHUNK, new_guid()))),
    }
}
