//! RESTORE: a database from a backup set, under its name or another, and what a file of backups says of itself.
//!
//! What must hold: a database that is there goes in the step in which the restored one comes, and not before.
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-transact-sql

use std::sync::Arc;

use sql::ast::{Restore, RestoreKind};
use storage::Isolation;
use storage::backup::{self, Set, SetKind, Target};
use types::{SqlResult, sql_error};

use super::backup::{Reporter, database_name, fork, is_damaged, tell_pages, terminated};
use super::backup_about::{About, KeptFile};
use super::backup_device::Device;
use super::backup_headers;
use super::backup_history::{self, PAGE_BYTES, Place, Restored};
use super::backup_options::{self, Options};
use super::closed::expect_nobody;
use super::forward;
use super::recovery_path;
use super::restore_pages;
use super::restore_source::{
    Source, about, chosen, described, expect_bytes, expect_media, open, put_begun, record, restore_error, target, verb,
};
use super::site::Ddl;
use super::snapshot;
use crate::catalog::base::{DatabaseRow, FileRow, LoginRow, database_option};
use crate::catalog::boot::files_of;
use crate::catalog::family::Family;
use crate::catalog::row::{Binary, Text};
use crate::catalog::{Database, MASTER, clock, family, snapshots, suspects};
use crate::instance::plan_cache::Forget;

/// Options that a backup does not bring: they let the database's modules reach out of it.
const REACHING_OUT: i64 = database_option::TRUSTWORTHY | database_option::DB_CHAINING;

pub fn run(ddl: &mut Ddl<'_>, statement: &Restore) -> SqlResult<()> {
    let done = match statement.kind {
        RestoreKind::Database => restore_database(ddl, statement),
        RestoreKind::Log => forward::restore_log(ddl, statement),
        RestoreKind::RewindOnly => Err(sql_error!(3216)),
        RestoreKind::HeaderOnly => header_only(ddl, statement),
        RestoreKind::FileListOnly => file_list_only(ddl, statement),
        RestoreKind::LabelOnly => label_only(ddl, statement),
        RestoreKind::VerifyOnly => verify_only(ddl, statement),
    };
    done.map_err(|error| terminated(verb(statement.kind), error))
}

fn header_only(ddl: &mut Ddl<'_>, statement: &Restore) -> SqlResult<()> {
    let (device, options) = open(ddl, statement, backup_options::HEADERONLY)?;
    if options.number("FILE").is_some() {
        let set = described(&device, &options)?;
        return backup_headers::headers(ddl, &[set], device.is_url());
    }
    let mut sets = Vec::new();
    for (at, set) in device.sets()?.into_iter().enumerate() {
        let about = about(&device, &set)?;
        expect_media(&device, &options, &about)?;
        sets.push((at + 1, set, about));
    }
    backup_headers::headers(ddl, &sets, device.is_url())
}

fn file_list_only(ddl: &mut Ddl<'_>, statement: &Restore) -> SqlResult<()> {
    let (device, options) = open(ddl, statement, backup_options::FILELISTONLY)?;
    let (_, set, about) = chosen(ddl, &device, &options)?;
    backup_headers::files(ddl, &set, &about)
}

fn label_only(ddl: &mut Ddl<'_>, statement: &Restore) -> SqlResult<()> {
    let (device, options) = open(ddl, statement, backup_options::LABELONLY)?;
    let about = about(&device, &device.set(1)?)?;
    expect_media(&device, &options, &about)?;
    backup_headers::label(ddl, &about, device.families())
}

fn verify_only(ddl: &mut Ddl<'_>, statement: &Restore) -> SqlResult<()> {
    let (device, options) = open(ddl, statement, backup_options::VERIFYONLY)?;
    let (position, set, about) = chosen(ddl, &device, &options)?;
    let mut reporter = Reporter::new(ddl, &options);
    let verified = reporter.follow(ddl, |step| backup::verify(device.media(), set.from, step).map(drop));
    verified.map_err(|error| device.read_error(error))?;
    reporter.end(ddl);
    if options.has("LOADHISTORY") {
        let restored = Restored {
            database: &about.row.name,
            user: ddl.site.login(),
            kind: "V",
            replaced: false,
            restoring: false,
            stop: None,
        };
        let recorded =
            backup_history::record_restore(&ddl.catalog, &set, &about, &Place::of(ddl, &device, position), restored);
        if recorded.is_err() {
            ddl.message(sql_error!(3009));
        }
    }
    ddl.message(sql_error!(3262, position));
    Ok(())
}

/// 3154 and 3159: WITH REPLACE alone says that another database, or changes since, may go.
fn may_replace(ddl: &mut Ddl<'_>, old: &Database, about: &About, options: &Options) -> SqlResult<()> {
    if options.has("REPLACE") {
        return Ok(());
    }
    let catalog = ddl.catalog.clone();
    let known = match recovery_path::base(ddl, old)? {
        Some(base) => Some(Family { family: base.database_family, database: base.database }),
        None if is_damaged(&catalog, old) => backup_history::family_of(&catalog, old)?,
        None => catalog.read(old, family::found)?,
    };
    let is_same = known.is_some_and(|known| known.family == about.database_family);
    if !is_same || !old.equal_names(&old.name(), &about.row.name) {
        return Err(sql_error!(3154, old.name()));
    }
    // Its tail has been backed up, or there is no chain that it would be the tail of.
    let keeps_log = catalog.storage.chain_of(old.storage_id()).log_from().is_some();
    let goes_on = || SqlResult::Ok(!is_damaged(&catalog, old) && fork(&catalog, old, SetKind::Log)?.is_some());
    if old.awaits_restore() || !keeps_log && !goes_on()? {
        return Ok(());
    }
    Err(sql_error!(3159, old.name()))
}

fn restore_database(ddl: &mut Ddl<'_>, statement: &Restore) -> SqlResult<()> {
    let name = database_name(ddl, statement.database.as_ref().expect("the parser asks for it"));
    let old = target(ddl, &name)?;
    if let Some(list) = restore_pages::list_of(ddl, &statement.files).filter(|_| !statement.devices.is_empty()) {
        return restore_pages::restore(ddl, statement, &name, old.as_ref(), &list);
    }
    if let Some(part) = statement.files.first() {
        return Err(super::unsupported(&format!("RESTORE DATABASE ... {}", part.name)));
    }
    if let Some(from) = snapshot::named_by(ddl, statement) {
        return snapshot::revert(ddl, &name, old.as_ref(), &from);
    }
    if let Some(old) = &old {
        if old.option(database_option::SNAPSHOT) {
            return Err(sql_error!(3002));
        }
        snapshots::expect_none(&ddl.catalog, old, "restore")?;
    }
    if statement.devices.is_empty() {
        return forward::recover(ddl, &name, old.as_ref(), statement);
    }
    let (device, options) = open(ddl, statement, backup_options::DATABASE)?;
    if let Some(db) = old.as_ref().filter(|_| !options.has("REPLACE"))
        && restore_pages::is_under_way(ddl, db)?
    {
        let (position, set, about) = chosen(ddl, &device, &options)?;
        if set.head.kind == SetKind::Differential {
            return restore_pages::go_on(ddl, db, Source { device: &device, position, set, about }, &options);
        }
    }
    if let Some(old) = &old {
        expect_nobody(ddl, old, "RESTORE")?;
    }
    let (position, set, about) = chosen(ddl, &device, &options)?;
    match set.head.kind {
        SetKind::Full => {}
        SetKind::Log => return Err(sql_error!(3135, device.path, "BACKUP LOG")),
        SetKind::Differential => {
            let from = Source { device: &device, position, set, about };
            return forward::restore_differential(ddl, &name, old.as_ref(), from, &options);
        }
    }
    let stop = forward::expect_stop_of_database(ddl, &options, &set, &about)?;
    if let Some(old) = &old {
        may_replace(ddl, old, &about, &options)?;
    }
    expect_room(ddl, &set)?;
    let began = os::clock::now();
    let mut reporter = Reporter::new(ddl, &options);
    let new = New { name: &name, old: old.as_ref(), options: &options };
    let stands = options.text("STANDBY").is_some();
    let restoring = stop.is_some() || stands || options.has("NORECOVERY");
    let set = match restoring {
        true => begin(ddl, &new, &device, (&set, &about), &mut reporter)?,
        false => restore(ddl, &new, &device, (&set, &about), &mut reporter)?,
    };
    if stands {
        forward::stand_by(ddl, &name, &mut reporter)?;
    } else if stop.is_some() && !options.has("NORECOVERY") {
        ddl.message(sql_error!(4322));
    }
    let restored = Restored {
        database: &name,
        user: ddl.site.login(),
        kind: "D",
        replaced: options.has("REPLACE"),
        restoring,
        stop: stop.map(|at| (Some(at), None)),
    };
    record(ddl, &Source { device: &device, position, set: set.clone(), about: about.clone() }, restored);
    tell_pages(ddl, "RESTORE DATABASE", (&name, &about.files, position), &set, (&reporter, began));
    Ok(())
}

/// 3257: pages lie twice on the disk, and the log once, while a set is restored.
pub fn expect_room(ddl: &Ddl<'_>, set: &Set) -> SqlResult<()> {
    let needed = u64::from(set.head.pages).saturating_mul(2 * PAGE_BYTES).saturating_add(set.tail.log_bytes);
    expect_bytes(ddl, needed)
}

/// What is to come to be.
pub struct New<'a> {
    pub name: &'a str,
    /// What it replaces.
    pub old: Option<&'a Arc<Database>>,
    pub options: &'a Options,
}

fn restore(
    ddl: &mut Ddl<'_>,
    new: &New<'_>,
    device: &Device,
    (set, about): (&Set, &About),
    reporter: &mut Reporter,
) -> SqlResult<Set> {
    let catalog = ddl.catalog.clone();
    let claimed = catalog.claim_database_id(new.old.is_some())?;
    let row = row(ddl, new, about, claimed.id)?;
    let files = files(ddl, new, about, claimed.id)?;
    let mut tx = catalog.storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    let target = Target { database: storage::DatabaseId(claimed.id), name: new.name };
    let restored =
        reporter.follow(ddl, |step| catalog.storage.restore(&mut tx, target, device.media(), set.from, step));
    let restored = restored.map_err(|error| restore_error(device, new.name, &about.files, error))?;
    if let Some(old) = new.old {
        // Who came meanwhile.
        expect_nobody(ddl, old, "RESTORE")?;
    }
    let old = new.old.map(|old| &**old);
    let fork = recovery_path::fork_of(about, (about.database, set.head.file), set.tail.end_lsn);
    catalog.put_restored(tx, row, &files, (about.database_family, Some(&fork)), old)?;
    if let Some(old) = old {
        suspects::restored(&catalog, old.id.0, claimed.id);
        catalog.change_governor().unbind(old.id)?;
    }
    // Plans keep tables open, and these the data file that is gone.
    ddl.site.server().forget_plans(Forget::All);
    Ok(restored)
}

/// As `restore`, and leaves it restoring.
fn begin(
    ddl: &mut Ddl<'_>,
    new: &New<'_>,
    device: &Device,
    (set, about): (&Set, &About),
    reporter: &mut Reporter,
) -> SqlResult<Set> {
    let catalog = ddl.catalog.clone();
    let claimed = catalog.claim_database_id(new.old.is_some())?;
    let mut row = row(ddl, new, about, claimed.id)?;
    row.options |= database_option::RESTORING;
    let files = files(ddl, new, about, claimed.id)?;
    let db = storage::DatabaseId(claimed.id);
    let begun = reporter.follow(ddl, |step| catalog.storage.begin_restore(db, (device.media(), set.from), None, step));
    let begun = begun.map_err(|error| restore_error(device, new.name, &about.files, error))?;
    put_begun(ddl, row, &files, new.old.map(|old| &**old))?;
    Ok(begun)
}

/// The database as master will have it. Its options come back with it; who owns it does where a member of sysadmin restores it, and the
/// login is there.
pub fn row(ddl: &mut Ddl<'_>, new: &New<'_>, about: &About, id: u16) -> SqlResult<DatabaseRow> {
    let reaches = new.old.map_or(0, |old| old.row().options & REACHING_OUT);
    let restorer = ddl.rights(|rights, look| rights.login(look))?.and_then(|login| login.sid.clone());
    let catalog = ddl.catalog.clone();
    let owner = match (ddl.is_sysadmin()?, new.old) {
        (true, _) => {
            let logins: Vec<LoginRow> = catalog.read(&catalog.expect_database(MASTER), |rows| rows.all())?;
            let is_there = logins.iter().any(|login| login.sid == about.row.owner_sid && login.sid.0.is_some());
            if is_there { about.row.owner_sid.0.clone() } else { restorer }
        }
        (false, Some(old)) => old.row().owner_sid.0.clone(),
        (false, None) => restorer,
    };
    const RESTRICTED_USER: u8 = 2;
    let restricted = new.options.has("RESTRICTED_USER");
    Ok(DatabaseRow {
        id: id.into(),
        name: new.name.to_string(),
        created: clock::now(),
        options: about.row.options & !REACHING_OUT & !database_option::STATES | reaches,
        user_access: if restricted { RESTRICTED_USER } else { about.row.user_access },
        owner_sid: Binary(owner),
        ..about.row.clone()
    })
}

/// Its files as the catalog will show them: where MOVE says, else where they were, unless another database's are there. 3234: MOVE names
/// none of them.
pub fn files(ddl: &mut Ddl<'_>, new: &New<'_>, about: &About, id: u16) -> SqlResult<Vec<FileRow>> {
    let catalog = ddl.catalog.clone();
    let is_named = |file: &KeptFile, name: &str| file.row.name.eq_ignore_ascii_case(name);
    for (from, _) in &new.options.moves {
        if !about.files.iter().any(|file| is_named(file, from)) {
            return Err(sql_error!(3234, from, new.name));
        }
    }
    let all: Vec<FileRow> = catalog.read(&catalog.expect_database(MASTER), |rows| rows.all())?;
    let old = new.old.map_or(0, |old| i32::from(old.id.0));
    let is_taken = |path: &Text| all.iter().any(|file| file.dbid != old && file.path == *path);
    let own = files_of(&catalog.data_directory, id.into(), new.name);
    let place = |file: &KeptFile| {
        let moved = new.options.moves.iter().rev().find(|(from, _)| is_named(file, from));
        match moved {
            Some((_, to)) => Text(Some(to.clone())),
            None if !is_taken(&file.row.path) => file.row.path.clone(),
            None => own[usize::from(file.is_log())].path.clone(),
        }
    };
    Ok(about.files.iter().map(|file| FileRow { dbid: id.into(), path: place(file), ..file.row.clone() }).collect())
}
