//! RESTORE DATABASE ... PAGE: some pages of a database that stays online, and the log and differential backups that bring them up to the others.
//!
//! What must hold: nobody reads a page that is being restored (829) until the log that was written before the first step has been read.
//! https://learn.microsoft.com/sql/relational-databases/backup-restore/restore-pages-sql-server
//! https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-4000-to-4999

use std::sync::Arc;

use sql::ast::{Expr, Literal, Restore, Setting, SettingValue};
use storage::StorageError;
use storage::backup::{Gap, PAGES_MAX, Set, SetKind, SetTail, is_control_page};
use types::{SqlResult, sql_error};

use super::backup::{Reporter, tell_pages};
use super::backup_history::Restored;
use super::backup_options::{self, Options};
use super::restore_source::{Source, chosen, open, record, restore_error, verb};
use super::site::Ddl;
use crate::catalog::base::{FileRow, database_option};
use crate::catalog::error::storage_error;
use crate::catalog::load::int;
use crate::catalog::{Database, MASTER, family, no_such_database, suspects};

/// `DatabaseRow::recovery_model`.
const SIMPLE: u8 = 3;
/// All pages of a database are in it.
const FILE: u32 = 1;

/// Whether pages of a database that is online are being restored.
pub fn is_under_way(ddl: &Ddl<'_>, db: &Database) -> SqlResult<bool> {
    if ddl.catalog.check_open(db).is_err() {
        return Ok(false);
    }
    Ok(ddl.catalog.storage.some_pages(db.storage_id()).map_err(storage_error)?.is_some())
}

/// The text behind PAGE, if the statement says nothing else of parts of the database.
pub fn list_of(ddl: &Ddl<'_>, files: &[Setting]) -> Option<String> {
    let [setting] = files else { return None };
    match &setting.value {
        _ if &*setting.name != "PAGE" => None,
        SettingValue::Value(Expr::Literal(Literal::String { text, .. })) => Some(text.to_string()),
        SettingValue::Value(Expr::Variable(variable)) => Some(ddl.site.variable(&variable.name).unwrap_or("").into()),
        _ => None,
    }
}

/// Pairs of file and page, of which 4350 says where the list goes wrong.
fn pairs(list: &str) -> SqlResult<Vec<(u32, u32)>> {
    let mut found = Vec::new();
    let (bytes, mut at) = (list.as_bytes(), 0);
    let spaces = |at: usize| at + bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    loop {
        let mut pair = [0; 2];
        for (part, number) in pair.iter_mut().enumerate() {
            at = spaces(at);
            let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            let end = at + digits;
            let is_followed = part == 1 || bytes.get(end) == Some(&b':');
            match list[at..end].parse() {
                Ok(value) if is_followed => *number = value,
                _ => return Err(sql_error!(4350, found.len(), at)),
            }
            at = if part == 0 { end + 1 } else { spaces(end) };
        }
        found.push((pair[0], pair[1]));
        match bytes.get(at) {
            None => return Ok(found),
            Some(b',') => at += 1,
            Some(_) => return Err(sql_error!(4350, found.len(), at)),
        }
    }
}

/// The pages of a list, which can be restored alone.
fn numbers(ddl: &Ddl<'_>, db: &Database, list: &str) -> SqlResult<Vec<u32>> {
    let pages = ddl.catalog.storage.file_pages(db.storage_id()).map_err(storage_error)?;
    let mut numbers = Vec::new();
    for (file, page) in pairs(list)? {
        if file != FILE || u64::from(page) >= pages {
            return Err(sql_error!(3217, "PAGE"));
        }
        if is_control_page(page) {
            return Err(sql_error!(3111, format_args!("({file}:{page})")));
        }
        numbers.push(page);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

/// Log is read for all pages that are being restored: a list has to name them all.
pub fn expect_all(ddl: &Ddl<'_>, db: &Database, list: &str) -> SqlResult<()> {
    let pages = ddl.catalog.storage.some_pages(db.storage_id()).map_err(storage_error)?;
    let mut wanted = pages.map_or_else(Vec::new, |pages| pages.numbers());
    wanted.sort_unstable();
    match numbers(ddl, db, list)? == wanted {
        true => Ok(()),
        false => Err(super::unsupported("RESTORE LOG ... PAGE of others than all pages that are being restored")),
    }
}

/// The name of the file that has all pages.
fn file_name(ddl: &Ddl<'_>, db: &Database) -> SqlResult<String> {
    let catalog = &ddl.catalog;
    let files =
        catalog.read(&catalog.expect_database(MASTER), |rows| rows.find::<FileRow>(0, &[int(i32::from(db.id.0))]))?;
    let first = files.into_iter().find(|file| file.fileid == FILE as i32);
    Ok(first.map_or_else(String::new, |file| file.name))
}

/// 4302: what is of the whole database.
fn expect_online_options(options: &Options) -> SqlResult<()> {
    const TEXTS: [&str; 4] = ["STANDBY", "STOPAT", "STOPATMARK", "STOPBEFOREMARK"];
    let text = TEXTS.iter().find(|name| options.text(name).is_some());
    let switch = ["REPLACE", "RESTRICTED_USER"].iter().find(|name| options.has(name));
    match text.or(switch) {
        Some(name) => Err(sql_error!(4302, name.to_ascii_lowercase())),
        None if !options.moves.is_empty() => Err(sql_error!(4302, "move")),
        None => Ok(()),
    }
}

/// The set is of the database as it is now: 3154, 3116.
fn expect_on_path(ddl: &Ddl<'_>, db: &Database, from: &Source<'_>) -> SqlResult<()> {
    let known = ddl.catalog.read(db, family::found)?;
    if known.is_none_or(|known| known.family != from.about.database_family) {
        return Err(sql_error!(3154, db.name()));
    }
    let file = ddl.catalog.storage.file_number(db.storage_id()).map_err(storage_error)?;
    if known.is_none_or(|known| known.database != from.about.database) || from.set.head.file != file {
        return Err(sql_error!(3116));
    }
    Ok(())
}

/// The first step, or one that goes on with a differential backup.
pub fn restore(
    ddl: &mut Ddl<'_>,
    statement: &Restore,
    name: &str,
    db: Option<&Arc<Database>>,
    list: &str,
) -> SqlResult<()> {
    pairs(list)?;
    let db = db.ok_or_else(|| sql_error!(3118, name))?;
    if ddl.catalog.check_open(db).is_err()
        || ddl.catalog.storage.hold_of(db.storage_id()).is_some()
        || db.is_in_standby()
    {
        return Err(sql_error!(4310, file_name(ddl, db)?));
    }
    if db.option(database_option::SNAPSHOT) {
        return Err(sql_error!(3002));
    }
    if db.row().recovery_model == SIMPLE {
        return Err(sql_error!(4346));
    }
    if db.option(database_option::READ_ONLY) {
        return Err(sql_error!(4344));
    }
    let numbers = numbers(ddl, db, list)?;
    let (device, options) = open(ddl, statement, backup_options::DATABASE)?;
    expect_online_options(&options)?;
    let (position, set, about) = chosen(ddl, &device, &options)?;
    let from = Source { device: &device, position, set, about };
    let storage = ddl.catalog.storage.clone();
    let before =
        storage.some_pages(db.storage_id()).map_err(storage_error)?.map_or_else(Vec::new, |pages| pages.numbers());
    match from.set.head.kind {
        SetKind::Full => {}
        SetKind::Log => return Err(sql_error!(3135, device.path, "BACKUP LOG")),
        SetKind::Differential if numbers.iter().all(|number| before.contains(number)) => {
            return go_on(ddl, db, from, &options);
        }
        SetKind::Differential => return Err(sql_error!(3136)),
    }
    expect_on_path(ddl, db, &from)?;
    if before.iter().chain(numbers.iter().filter(|number| !before.contains(number))).count() > PAGES_MAX {
        return Err(sql_error!(3105, file_name(ddl, db)?, PAGES_MAX));
    }
    let began = os::clock::now();
    let mut reporter = Reporter::new(ddl, &options);
    let (id, base) = (db.storage_id(), u128::from_le_bytes(from.about.id));
    let read = reporter.follow(ddl, |step| storage.restore_some(id, (device.media(), &from.set, base), &numbers, step));
    read.map_err(|error| restore_error(&device, name, &from.about.files, error))?;
    end_of_step(ddl, db, &from, ("F", numbers.len()), &options, (&mut reporter, began))
}

/// A differential or a log backup brings the pages further.
pub fn go_on(ddl: &mut Ddl<'_>, db: &Arc<Database>, from: Source<'_>, options: &Options) -> SqlResult<()> {
    expect_online_options(options)?;
    expect_on_path(ddl, db, &from)?;
    let storage = ddl.catalog.storage.clone();
    let id = db.storage_id();
    let pages = storage.some_pages(id).map_err(storage_error)?.ok_or_else(|| sql_error!(3117))?;
    let is_log = from.set.head.kind == SetKind::Log;
    if !is_log && (pages.base == 0 || pages.base != from.set.head.base) {
        return Err(sql_error!(3136));
    }
    let began = os::clock::now();
    let mut reporter = Reporter::new(ddl, options);
    let device = from.device;
    let read = reporter.follow(ddl, |step| match storage.restore_some_on(id, (device.media(), &from.set), step) {
        Err(Gap::World(error)) => Err(error),
        other => Ok(other),
    });
    let gone_on = read.map_err(|error| match error {
        StorageError::NoBackup | StorageError::UnknownDatabase => sql_error!(3117),
        error => restore_error(device, &db.name(), &from.about.files, error),
    })?;
    gone_on.map_err(|gap| match gap {
        Gap::TooRecent { begins, wanted } => sql_error!(4305, begins, wanted),
        Gap::TooEarly { .. } if !is_log => sql_error!(3120),
        Gap::TooEarly { ends, wanted } => sql_error!(4326, ends, wanted),
        Gap::PastStop | Gap::World(_) => sql_error!(3117),
    })?;
    let kind = if is_log { "L" } else { "I" };
    let count = if is_log { 0 } else { pages.numbers().len() };
    end_of_step(ddl, db, &from, (kind, count), options, (&mut reporter, began))
}

/// The pages are brought online, if that is wanted and all log has been read.
fn end_of_step(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    from: &Source<'_>,
    (kind, pages): (&'static str, usize),
    options: &Options,
    (reporter, began): (&mut Reporter, u64),
) -> SqlResult<()> {
    let restoring = match options.has("NORECOVERY") {
        true => {
            let now = ddl.catalog.storage.some_pages(db.storage_id()).map_err(storage_error)?;
            if now.is_some_and(|now| now.is_complete()) {
                ddl.message(sql_error!(4308));
            }
            true
        }
        false => !end(ddl, db, reporter)?,
    };
    let name = db.name();
    let restored = Restored { database: &name, user: ddl.site.login(), kind, replaced: false, restoring, stop: None };
    record(ddl, from, restored);
    let verb = if kind == "L" { "RESTORE LOG" } else { "RESTORE DATABASE ... FILE=<name>" };
    let told = Set { tail: SetTail { pages: pages as u64, ..SetTail::default() }, ..Set::default() };
    let data: Vec<_> = from.about.files.iter().filter(|file| !file.is_log()).cloned().collect();
    tell_pages(ddl, verb, (&name, &data, from.position), &told, (reporter, began));
    Ok(())
}

/// Whether the pages are online again. 4303 says up to where there is more log of them.
fn end(ddl: &mut Ddl<'_>, db: &Database, reporter: &mut Reporter) -> SqlResult<bool> {
    let (catalog, id) = (ddl.catalog.clone(), db.storage_id());
    let ended = reporter.follow(ddl, |step| catalog.storage.end_some(id, step));
    let numbers = ended.map_err(|error| match error {
        StorageError::NoBackup => sql_error!(3153),
        StorageError::Damaged(_) => sql_error!(3189),
        error => storage_error(error),
    })?;
    match numbers {
        Some(numbers) => {
            suspects::pages_restored(&catalog, db.id.0, &numbers);
            Ok(true)
        }
        None => {
            if let Some(pages) = catalog.storage.some_pages(id).map_err(storage_error)? {
                ddl.message(sql_error!(4303, pages.end_lsn, pages.wanted_lsn));
            }
            Ok(false)
        }
    }
}

/// RESTORE DATABASE, or LOG, without a device.
pub fn recover(ddl: &mut Ddl<'_>, name: &str, statement: &Restore, options: &Options) -> SqlResult<()> {
    let db = ddl.catalog.database_named(name).ok_or_else(|| no_such_database(name))?;
    expect_online_options(options)?;
    if options.has("NORECOVERY") {
        return Ok(());
    }
    let began = os::clock::now();
    let mut reporter = Reporter::new(ddl, options);
    end(ddl, &db, &mut reporter)?;
    tell_pages(ddl, verb(statement.kind), (name, &[], 1), &Set::default(), (&reporter, began));
    Ok(())
}
