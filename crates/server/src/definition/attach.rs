//! Databases that leave an instance and come to another: sp_detach_db, CREATE DATABASE ... FOR ATTACH.
//!
//! Pages of a database that is in use lie in the instance's own files. A detached one lies where its files are said to be: the primary has all
//! of it, the log's says only whose it is. Attaching is restoring from that; then the files are the instance's again, and go.
//!
//! What must hold: a database is in the instance or in its files, a crash included, and no file of anything else is written.
//! https://learn.microsoft.com/sql/relational-databases/databases/database-detach-and-attach-sql-server

use std::path::Path;

use os::disk::{Disk, DiskError, File, Open};
use sql::ast::{CreateDatabase, FileSpec, find_setting};
use storage::backup::{self, DETACHED_HEAD_BYTES, DetachedHead, SetKind, Target, Wanted};
use storage::{Hold, Isolation, StorageError};
use types::{SqlError, SqlResult, sql_error};

use super::backup::{Reporter, about};
use super::backup_about::{About, KeptFile};
use super::backup_device::system_error;
use super::backup_options::Options;
use super::closed::{close, reopen};
use super::database::drop_closed;
use super::database_setting::{self, setting_text};
use super::restore::{New, expect_room, files, row};
use super::site::Ddl;
use crate::catalog::base::{FileRow, database_option};
use crate::catalog::error::storage_error;
use crate::catalog::load::int;
use crate::catalog::row::Binary;
use crate::catalog::{Database, MASTER, family, is_system, snapshots};
use crate::instance::plan_cache::Forget;

/// Files of databases may lie in the directory of the data, under such names: none of the instance's own ends so.
const ENDINGS: [&str; 4] = [".mdf", ".ndf", ".ldf", ".ss"];

/// Written under this name first, behind the one that it is to have.
const UNFINISHED: &str = ".detaching";

/// 5120
fn cannot_open(path: &str, error: DiskError) -> SqlError {
    let said = system_error(error);
    let number: String = said.chars().take_while(char::is_ascii_digit).collect();
    sql_error!(5120, path, number, said)
}

/// The directory and the name there. 5133: there is no such directory; 5120: no file of a database may be there.
fn place(ddl: &Ddl<'_>, path: &str) -> SqlResult<(Disk, String)> {
    let missing = || sql_error!(5133, path, "3(The system cannot find the path specified.)");
    let storage = &ddl.catalog.storage;
    let data = storage.disk();
    let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_of_database = ENDINGS.iter().any(|ending| name.to_ascii_lowercase().ends_with(ending));
    if is_of_database && above == ddl.catalog.data_directory.trim_end_matches('/') && !name.contains(['\\', '\0']) {
        return Ok((data.clone(), name.to_string()));
    }
    if name.is_empty() || name == "." || name == ".." || path.contains(['\\', '\0']) || !path.starts_with('/') {
        return Err(missing());
    }
    let above = data.elsewhere(Path::new(if above.is_empty() { "/" } else { above }));
    let disk = above.map_err(|error| match error {
        DiskError::NotFound => missing(),
        error => cannot_open(path, error),
    })?;
    if data.holds(&disk) {
        let is_data = disk.holds(data);
        let is_backup = storage.backup_directory().map_err(storage_error)?.holds(&disk);
        if !(is_backup || is_data && is_of_database) {
            return Err(cannot_open(path, DiskError::Denied));
        }
    }
    Ok((disk, name.to_string()))
}

/// 7940, 15010, 3706, 3707, 3709, 3703: it cannot be detached now. 5170: a file is there that is not its own.
pub fn detach(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<()> {
    let db = ddl.catalog.database_named(name).ok_or_else(|| sql_error!(15010, name))?;
    if ddl.site.in_user_transaction() {
        return Err(sql_error!(15002, "sys.sp_detach_db"));
    }
    if is_system(db.id) {
        return Err(sql_error!(7940));
    }
    if db.option(database_option::SNAPSHOT) {
        return Err(sql_error!(3706, "detach"));
    }
    if db.is_in_standby() {
        return Err(super::unsupported("sp_detach_db of a database in standby"));
    }
    snapshots::expect_none(&ddl.catalog, &db, "detach")?;
    match ddl.catalog.storage.hold_of(db.storage_id()) {
        Some(Hold::Suspect | Hold::RecoveryPending | Hold::Emergency) => return Err(sql_error!(3707)),
        _ => ddl.catalog.check_open(&db)?,
    }
    let all = files_of(ddl, &db)?;
    let path = |is_log: bool| {
        let file = all.iter().find(|file| (file.filegroup == 0) == is_log);
        file.and_then(|file| file.path.0.clone()).unwrap_or_default()
    };
    let paths = [path(false), path(true)];
    let places = [place(ddl, &paths[0])?, place(ddl, &paths[1])?];
    let id = family::of(&ddl.catalog, &db)?.database;
    for (path, (disk, name)) in paths.iter().zip(&places) {
        expect_free(path, disk, name, &id)?;
    }
    db.counters.write_back(&ddl.catalog.storage, &db)?;
    close(ddl, &db, "sp_detach_db").map_err(|error| match error.number {
        3101 | 3102 => sql_error!(3703, "database", name),
        _ => error,
    })?;
    if let Err(error) = write(ddl, &db, &paths, &places, id) {
        reopen(ddl, &db)?;
        return Err(error);
    }
    drop_closed(ddl, &db)
}

/// What a detachment that was killed has left may be written over, and so may a log's file, which has nothing.
fn expect_free(path: &str, disk: &Disk, name: &str, id: &[u8; 16]) -> SqlResult<()> {
    if !disk.exists(name) {
        return Ok(());
    }
    let is_own = disk.is_plain(name)
        && disk.open(name, Open::Read).is_ok_and(|file| {
            DetachedHead::read(&file).is_ok_and(|head| head.is_some_and(|head| head.is_log || head.id == *id))
        });
    match is_own {
        true => disk.remove(name).map_err(|error| cannot_open(path, error)),
        false => Err(sql_error!(5170, path)),
    }
}

/// The log's file first: once the primary is there, all is.
fn write(
    ddl: &mut Ddl<'_>,
    db: &Database,
    paths: &[String; 2],
    places: &[(Disk, String); 2],
    id: [u8; 16],
) -> SqlResult<()> {
    for (is_log, (path, (disk, name))) in paths.iter().zip(places).enumerate().rev() {
        let unfinished = format!("{name}{UNFINISHED}");
        let failed = |error: DiskError| sql_error!(5123, system_error(error), path);
        if disk.exists(&unfinished) {
            disk.remove(&unfinished).map_err(failed)?;
        }
        let file = disk.open(&unfinished, Open::ExistingOrNew).map_err(failed)?;
        let head = DetachedHead { is_log: is_log == 1, id };
        let written = head.write(&file).map_err(storage_error).and_then(|()| match head.is_log {
            true => file.sync_data().map_err(failed),
            false => write_set(ddl, db, path, &file),
        });
        drop(file);
        let named = written.and_then(|()| {
            disk.rename_new(&unfinished, name).map_err(|error| match error {
                DiskError::AlreadyExists => sql_error!(5170, path),
                error => failed(error),
            })
        });
        if named.is_err() {
            disk.remove(&unfinished).ok();
        }
        named?;
        disk.sync_names().map_err(failed)?;
    }
    Ok(())
}

fn write_set(ddl: &mut Ddl<'_>, db: &Database, path: &str, file: &File) -> SqlResult<()> {
    let about = about(ddl, db, &Options::default(), (None, None))?.encode();
    let wanted = Wanted { kind: SetKind::Full, about: &about, copy_only: true, ..Wanted::default() };
    let storage = ddl.catalog.storage.clone();
    let mut reporter = Reporter::new(ddl, &Options::default());
    let taken = reporter
        .follow(ddl, |step| storage.backup(db.storage_id(), file, DETACHED_HEAD_BYTES, &wanted, step).map(drop));
    taken.map_err(|error| match error {
        StorageError::DiskFull => sql_error!(5123, system_error(DiskError::Full), path),
        error => storage_error(error),
    })
}

fn files_of(ddl: &Ddl<'_>, db: &Database) -> SqlResult<Vec<FileRow>> {
    let catalog = ddl.catalog.clone();
    let of = [int(i32::from(db.id.0))];
    let mut files = catalog.read(&catalog.expect_database(MASTER), |rows| rows.find::<FileRow>(0, &of))?;
    files.sort_by_key(|file| file.fileid);
    Ok(files)
}

fn remove_own_log(disk: &Disk, name: &str, id: &[u8; 16]) {
    if !disk.exists(name) || !disk.is_plain(name) {
        return;
    }
    let head = disk.open(name, Open::Read).map(|file| DetachedHead::read(&file));
    if matches!(head, Ok(Ok(Some(head))) if head.is_log && head.id == *id) {
        // What stays has nothing in it.
        disk.remove(name).ok();
    }
}

/// A file that a statement names.
struct Given {
    path: String,
    disk: Disk,
    name: String,
    file: File,
    head: DetachedHead,
}

/// FOR ATTACH and FOR ATTACH_REBUILD_LOG: a log is not needed for either, since a database is detached without anything open.
pub fn attach(ddl: &mut Ddl<'_>, create: &CreateDatabase) -> SqlResult<()> {
    let name = create.name.to_string();
    if create.collation.is_some() || !create.filegroups.is_empty() {
        return Err(super::unsupported("CREATE DATABASE ... FOR ATTACH with COLLATE or FILEGROUP"));
    }
    if ddl.catalog.database_named(&name).is_some() {
        return Err(sql_error!(1801, name));
    }
    if create.primary.is_empty() {
        return Err(sql_error!(1829));
    }
    let mut given = Vec::new();
    for spec in create.primary.iter().chain(&create.log) {
        given.push(open(ddl, &name, &path_of(spec)?)?);
    }
    let Some(primary) = given.iter().find(|file| !file.head.is_log) else {
        return Err(sql_error!(5171, given[0].path));
    };
    let primary_id = primary.head.id;
    let is_of_it = |file: &Given| file.head.id == primary.head.id && (file.head.is_log || file.path == primary.path);
    if !given.iter().all(is_of_it) {
        return Err(sql_error!(5173));
    }
    let mut reporter = Reporter::new(ddl, &Options::default());
    let damaged = |error| not_readable(&name, &primary.path, error);
    let set = reporter.follow(ddl, |step| backup::verify(&primary.file, DETACHED_HEAD_BYTES, step)).map_err(damaged)?;
    let about = About::decode(&set.head.about).filter(|_| set.head.kind == SetKind::Full);
    let about = about.ok_or_else(|| sql_error!(5172, primary.path, "PageAudit"))?;
    expect_room(ddl, &set)?;
    let moves = about.files.iter().filter_map(|file| Some((file.row.name.clone(), path_in(&given, file)?)));
    let mut options = Options::default();
    options.moves = moves.collect();
    let catalog = ddl.catalog.clone();
    let claimed = catalog.claim_database_id(false)?;
    let new = New { name: &name, old: None, options: &options };
    let mut row = row(ddl, &new, &about, claimed.id)?;
    // Who attaches it owns it.
    if let Some(login) = ddl.rights(|rights, look| rights.login(look))? {
        row.owner_sid = Binary(login.sid.clone());
    }
    for setting in &create.options {
        database_setting::apply(&mut row, setting)?;
    }
    let rows = files(ddl, &new, &about, claimed.id)?;
    let mut tx = catalog.storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    let target = || Target { database: storage::DatabaseId(claimed.id), name: &name };
    let restored = reporter.follow(ddl, |step| {
        catalog.storage.restore(&mut tx, target(), &primary.file, DETACHED_HEAD_BYTES, step).map(drop)
    });
    restored.map_err(damaged)?;
    catalog.put_restored(tx, row, &rows, (about.database_family, None), None)?;
    // A log that was not named, where it was.
    let log = rows.iter().filter(|file| file.filegroup == 0).filter_map(|file| file.path.0.as_deref());
    for path in log.filter(|path| given.iter().all(|file| file.path != *path)) {
        if let Ok((disk, name)) = place(ddl, path) {
            remove_own_log(&disk, &name, &primary_id);
        }
    }
    for file in &given {
        if let Err(error) = file.disk.remove(&file.name) {
            tracing::warn!(
                path = file.path,
                "the file of a database that was attached stays, and is no longer its: {error}"
            );
        }
    }
    ddl.site.server().forget_plans(Forget::All);
    Ok(())
}

/// 1829: it says no file.
fn path_of(spec: &FileSpec) -> SqlResult<String> {
    let path = find_setting(&spec.settings, "FILENAME").and_then(|setting| setting_text(&setting.value));
    path.ok_or_else(|| sql_error!(1829))
}

/// Where a file of the database is now.
fn path_in(given: &[Given], file: &KeptFile) -> Option<String> {
    let is_primary = file.row.fileid == 1;
    let here = given.iter().find(|given| given.head.is_log == file.is_log() && (is_primary || given.head.is_log));
    here.map(|given| given.path.clone())
}

/// 5120: it is not there, or somebody has it; 5171, 5172, 948: it is something else, damaged, or of a newer server.
fn open(ddl: &Ddl<'_>, database: &str, path: &str) -> SqlResult<Given> {
    let (disk, name) = place(ddl, path)?;
    let failed = |error| cannot_open(path, error);
    let catalog = ddl.catalog.clone();
    let all: Vec<FileRow> = catalog.read(&catalog.expect_database(MASTER), |rows| rows.all())?;
    if all.iter().any(|file| file.path.0.as_deref() == Some(path)) {
        return Err(failed(DiskError::Locked));
    }
    if !disk.exists(&name) {
        return Err(failed(DiskError::NotFound));
    }
    if !disk.is_plain(&name) {
        return Err(failed(DiskError::Denied));
    }
    let file = disk.open(&name, Open::Read).map_err(failed)?;
    file.claim(true).map_err(failed)?;
    let head = DetachedHead::read(&file).map_err(|error| not_readable(database, path, error))?;
    let head = head.ok_or_else(|| sql_error!(5171, path))?;
    Ok(Given { path: path.to_string(), disk, name, file, head })
}

fn not_readable(database: &str, path: &str, error: StorageError) -> SqlError {
    match error {
        StorageError::NewerFormat { found, known } => sql_error!(948, database, found, known),
        StorageError::Damaged(_) | StorageError::CorruptPage { .. } | StorageError::CorruptRow(_) => {
            sql_error!(5172, path, "PageAudit")
        }
        StorageError::Io(_) => cannot_open(path, DiskError::Io(1117)),
        error => storage_error(error),
    }
}
