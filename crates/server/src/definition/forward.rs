//! Restores in steps: what goes on from a full backup that was restored WITH NORECOVERY. A differential backup, log backups up to their end or a
//! point in it, and the recovery that makes the database usable.
//!
//! What must hold: until the recovery nobody can use the database (927), and a step that fails has changed nothing that counts.
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-transact-sql
//! https://learn.microsoft.com/sql/t-sql/statements/restore-statements-arguments-transact-sql

use std::sync::Arc;

use sql::ast::Restore;
use storage::backup::{Gap, Phase, Restored as Progressed, Set, SetKind, Stop, Target, WantedMark, find_mark};
use storage::{Isolation, StorageError};
use types::{SqlError, SqlResult, SqlType, convert, sql_error};

use super::backup::{Reporter, database_name, tell_pages};
use super::backup_about::About;
use super::backup_device::Device;
use super::backup_history::{PAGE_BYTES, Restored};
use super::backup_options::{self, Options};
use super::closed::{self, expect_nobody, is_closed};
use super::recovery_path::{about_behind, base, expect_next, expect_phase, fork_of, is_on_path};
use super::restore_pages;
use super::restore_source::{Source, chosen, expect_bytes, open, put_begun, record, restore_error, target, verb};
use super::site::Ddl;
use crate::catalog::base::{DatabaseRow, FileRow, database_option};
use crate::catalog::error::storage_error;
use crate::catalog::family::Fork;
use crate::catalog::load::int;
use crate::catalog::row::{Date, text_datum};
use crate::catalog::{Database, MASTER, clock, no_such_database, snapshots};
use crate::instance::plan_cache::Forget;

/// `DatabaseRow::recovery_model`.
const SIMPLE: u8 = 3;
const TICKS_A_MINUTE: i64 = 600_000_000;

/// A point in time as a statement has it, where the set was made: ticks in UTC, and as msdb shows it. 3217: it is no date.
fn moment(text: &str, about: &About, dates: &convert::ConvertContext) -> SqlResult<(u64, Date)> {
    const TICKS: u8 = 7;
    let invalid = || sql_error!(3217, "STOPAT");
    let to = SqlType::datetime2(TICKS);
    let date = convert::convert(&text_datum(text), &SqlType::NVARCHAR_MAX, &to, convert::NO_STYLE, dates);
    let local = date.map_err(|_| invalid())?.as_i64();
    let utc = local - i64::from(about.offset_minutes) * TICKS_A_MINUTE;
    Ok((u64::try_from(utc).map_err(|_| invalid())?, clock::from_ticks(local)))
}

/// Where RESTORE LOG stops, and what msdb says of it.
type StopOf = (Point, (Option<Date>, Option<(String, bool)>));

/// A point in the log as a statement names it.
enum Point {
    /// Ticks, UTC.
    Time(u64),
    /// Behind the commit of the transaction that has the mark, or before it.
    Mark { name: String, after: u64, before: bool },
    /// Behind the record there, or before it; of a mark, behind the commit of its transaction.
    Lsn { lsn: u64, before: bool },
}

/// Where that is in a log backup, of which what lies before `from_lsn` is there already. A mark that it has not got lies behind its end.
fn place_of(
    ddl: &mut Ddl<'_>,
    point: &Point,
    from: &Source<'_>,
    from_lsn: u64,
    reporter: &mut Reporter,
) -> SqlResult<Stop> {
    let master = ddl.catalog.expect_database(MASTER);
    let wanted_name = if let Point::Mark { name, .. } = point { name.as_str() } else { "" };
    let fits = |found: &str| master.equal_names(found, wanted_name);
    let (wanted, before, otherwise) = match point {
        Point::Time(ticks) => return Ok(Stop::At(*ticks)),
        Point::Lsn { lsn, before: true } => return Ok(Stop::Before(*lsn)),
        Point::Lsn { lsn, .. } => (WantedMark::Lsn(*lsn), false, Stop::After(*lsn)),
        Point::Mark { after, before, .. } => {
            (WantedMark::Name { fits: &fits, after: *after }, *before, Stop::Before(u64::MAX))
        }
    };
    let (media, at) = (from.device.media(), from.set.from);
    let found = reporter.follow(ddl, |step| find_mark(media, at, from_lsn, &wanted, step));
    let found = found.map_err(|error| from.device.read_error(error))?;
    Ok(match found {
        Some(commit) if before => Stop::Before(commit),
        Some(commit) => Stop::After(commit),
        None => otherwise,
    })
}

fn stop_of(options: &Options, about: &About, dates: &convert::ConvertContext) -> SqlResult<Option<StopOf>> {
    const NAMES: [&str; 3] = ["STOPAT", "STOPATMARK", "STOPBEFOREMARK"];
    let given: Vec<(&str, &str)> = NAMES.iter().filter_map(|name| Some((*name, options.text(name)?))).collect();
    let (name, text) = match given[..] {
        [] => return Ok(None),
        [one] => one,
        [(one, _), (other, _), ..] => {
            return Err(sql_error!(3031, other.to_ascii_lowercase(), one.to_ascii_lowercase()));
        }
    };
    if name == "STOPAT" {
        let (ticks, shown) = moment(text, about, dates)?;
        return Ok(Some((Point::Time(ticks), (Some(shown), None))));
    }
    let lsn = text.get(..4).filter(|word| word.eq_ignore_ascii_case("lsn:")).map(|_| &text[4..]);
    let before = name == "STOPBEFOREMARK";
    let after = match options.text("AFTER") {
        Some(after) => Some(moment(after, about, dates)?),
        None => None,
    };
    let point = match lsn {
        // Of an LSN there is one.
        Some(_) if after.is_some() => return Err(sql_error!(3217, name)),
        Some(lsn) => Point::Lsn { lsn: lsn.trim().parse().map_err(|_| sql_error!(3217, name))?, before },
        None => Point::Mark { name: text.to_string(), after: after.map_or(0, |(ticks, _)| ticks), before },
    };
    Ok(Some((point, (after.map(|(_, shown)| shown), Some((text.to_string(), before))))))
}

/// A database backup is of one moment: STOPAT says that it must not be later than that, and that log follows. 3145, 4338, 4340.
pub fn expect_stop_of_database(ddl: &Ddl<'_>, options: &Options, set: &Set, about: &About) -> SqlResult<Option<Date>> {
    match stop_of(options, about, &backup_options::dates(ddl))? {
        None => Ok(None),
        Some((Point::Time(_), _)) if about.row.recovery_model == SIMPLE => Err(sql_error!(3145)),
        Some((Point::Time(ticks), _)) if ticks < set.tail.covered => Err(sql_error!(4338)),
        Some((Point::Time(_), (shown, _))) => Ok(shown),
        Some(_) => Err(sql_error!(4340)),
    }
}

pub fn restore_log(ddl: &mut Ddl<'_>, statement: &Restore) -> SqlResult<()> {
    let name = database_name(ddl, statement.database.as_ref().expect("the parser asks for it"));
    let db = target(ddl, &name)?;
    let pages = restore_pages::list_of(ddl, &statement.files).filter(|_| !statement.devices.is_empty());
    if let (None, Some(part)) = (&pages, statement.files.first()) {
        return Err(super::unsupported(&format!("RESTORE LOG ... {}", part.name)));
    }
    if statement.devices.is_empty() {
        return recover(ddl, &name, db.as_ref(), statement);
    }
    let (device, options) = open(ddl, statement, backup_options::RESTORE_LOG)?;
    let (position, set, about) = chosen(ddl, &device, &options)?;
    let db = db.ok_or_else(|| sql_error!(3118, name))?;
    match set.head.kind {
        SetKind::Log => {}
        SetKind::Full => return Err(sql_error!(3135, device.path, "BACKUP DATABASE")),
        SetKind::Differential => {
            return Err(sql_error!(3135, device.path, "BACKUP DATABASE WITH DIFFERENTIAL"));
        }
    }
    if restore_pages::is_under_way(ddl, &db)? {
        if let Some(list) = &pages {
            restore_pages::expect_all(ddl, &db, list)?;
        }
        return restore_pages::go_on(ddl, &db, Source { device: &device, position, set, about }, &options);
    }
    if pages.is_some() {
        return Err(sql_error!(3117));
    }
    let stop = stop_of(&options, &about, &backup_options::dates(ddl))?;
    let mut from = Source { device: &device, position, set, about };
    let (restored, base) = expect_phase(ddl, &db, &from)?;
    expect_next(&restored, &from.set)?;
    let is_closed = is_closed(ddl, &db)?;
    let db = leave_standby(ddl, db)?;
    expect_bytes(ddl, (from.set.tail.pages * PAGE_BYTES).saturating_add(from.set.tail.log_bytes))?;
    let began = os::clock::now();
    let mut reporter = Reporter::new(ddl, &options);
    // Within a whole one nothing says where its pages stood.
    let from_lsn = if from.set.is_whole() { 0 } else { restored.end_lsn };
    let at = match &stop {
        Some((point, _)) => Some(place_of(ddl, point, &from, from_lsn, &mut reporter)?),
        None => None,
    };
    let (db, reached) = if is_closed {
        go_on_closed(ddl, db, &mut from, at, (&restored, &base), &mut reporter)?
    } else if from.set.is_whole() {
        let reached = apply_whole(ddl, &db, &mut from, at, (&restored, &base), &mut reporter)?;
        (db, reached)
    } else {
        let reached = apply_log(ddl, &db, &mut from, at, &mut reporter)?;
        (db, reached)
    };
    let stands = options.text("STANDBY").is_some();
    let recovers = !stands && !options.has("NORECOVERY");
    match stop {
        _ if stands => stand_by(ddl, &name, &mut reporter)?,
        Some((Point::Time(_), _)) if recovers && !reached => ddl.message(sql_error!(4322)),
        Some(_) if recovers && !reached => ddl.message(sql_error!(4329)),
        _ if recovers => finish(ddl, &db, &mut reporter)?,
        _ => {}
    }
    let restored = Restored {
        database: &name,
        user: ddl.site.login(),
        kind: "L",
        replaced: options.has("REPLACE"),
        restoring: !recovers || stop.is_some() && !reached,
        stop: stop.map(|(_, shown)| shown),
    };
    record(ddl, &from, restored);
    tell_pages(ddl, "RESTORE LOG", (&name, &from.about.files, position), &from.set, (&reporter, began));
    Ok(())
}

/// Goes on with the log of a log backup. False: the point to stop at lies behind its end.
fn apply_log(
    ddl: &mut Ddl<'_>,
    db: &Database,
    from: &mut Source<'_>,
    at: Option<Stop>,
    reporter: &mut Reporter,
) -> SqlResult<bool> {
    let (storage, id, device) = (ddl.catalog.storage.clone(), db.storage_id(), from.device);
    let applied =
        reporter.follow(ddl, |step| match storage.restore_log(id, (device.media(), from.set.from), at, step) {
            Err(Gap::World(error)) => Err(error),
            other => Ok(other),
        });
    let applied = applied.map_err(|error| step_error(device, &db.name(), &from.about, error))?;
    let (set, reached) = applied.map_err(|gap| match gap {
        Gap::TooRecent { begins, wanted } => sql_error!(4305, begins, wanted),
        Gap::TooEarly { ends, wanted } => sql_error!(4326, ends, wanted),
        Gap::PastStop => sql_error!(4338),
        Gap::World(error) => device.read_error(error),
    })?;
    from.set = set;
    Ok(reached)
}

/// A log backup of a closed database itself has nothing that its pages have not. One of who took over has all pages, and takes their place:
/// the database as it is then.
fn go_on_closed(
    ddl: &mut Ddl<'_>,
    db: Arc<Database>,
    from: &mut Source<'_>,
    stop: Option<Stop>,
    (restored, base): (&Progressed, &About),
    reporter: &mut Reporter,
) -> SqlResult<(Arc<Database>, bool)> {
    let end = from.set.tail.end_lsn;
    if is_on_path(restored, base, from) {
        let reached = match stop {
            _ if end < restored.end_lsn => return Err(sql_error!(4326, end, restored.end_lsn)),
            Some(Stop::At(time)) if time < restored.covered => return Err(sql_error!(4338)),
            Some(Stop::Before(lsn) | Stop::After(lsn)) if lsn < end => return Err(sql_error!(4338)),
            Some(Stop::At(time)) => time == restored.covered,
            _ => false,
        };
        return Ok((db, reached));
    }
    let reached = ends_at(&from.set, stop, restored.covered)?;
    let catalog = ddl.catalog.clone();
    snapshots::expect_none(&catalog, &db, "restore")?;
    let claimed = catalog.claim_database_id(true)?;
    let mut row = DatabaseRow::clone(&db.row());
    row.id = claimed.id.into();
    row.options &= !(database_option::STATES | database_option::READ_ONLY);
    row.options |= database_option::RESTORING | from.about.row.options & database_option::READ_ONLY;
    let master = catalog.expect_database(MASTER);
    let mut files: Vec<FileRow> = catalog.read(&master, |rows| rows.find(0, &[int(i32::from(db.id.0))]))?;
    files.iter_mut().for_each(|file| file.dbid = claimed.id.into());
    let (id, name) = (storage::DatabaseId(claimed.id), db.name());
    let (device, at, about) = (from.device, from.set.from, about_behind(base, from));
    let begun =
        reporter.follow(ddl, |step| catalog.storage.begin_restore(id, (device.media(), at), about.clone(), step));
    from.set = begun.map_err(|error| restore_error(device, &name, &from.about.files, error))?;
    put_begun(ddl, row, &files, Some(&*db))?;
    let db = catalog.database_named(&name).ok_or_else(|| no_such_database(&name))?;
    Ok((db, reached))
}

/// Whether a log backup that has all pages ends at the point to stop at. 4338, 4341: that lies before it, or within.
fn ends_at(set: &Set, stop: Option<Stop>, covered: u64) -> SqlResult<bool> {
    match stop {
        Some(Stop::At(time)) if time < covered => Err(sql_error!(4338)),
        Some(Stop::At(time)) if time < set.tail.covered => Err(sql_error!(4341)),
        Some(Stop::Before(lsn) | Stop::After(lsn)) if lsn < set.tail.end_lsn => Err(sql_error!(4341)),
        Some(Stop::At(time)) => Ok(time == set.tail.covered),
        _ => Ok(false),
    }
}

/// Goes on with a log backup that has all pages. False: the point to stop at lies behind its end. 4341: it lies within.
fn apply_whole(
    ddl: &mut Ddl<'_>,
    db: &Database,
    from: &mut Source<'_>,
    stop: Option<Stop>,
    (restored, base): (&Progressed, &About),
    reporter: &mut Reporter,
) -> SqlResult<bool> {
    let end = from.set.tail.end_lsn;
    let is_own = is_on_path(restored, base, from);
    if is_own && end < restored.end_lsn {
        return Err(sql_error!(4326, end, restored.end_lsn));
    }
    if let (Some(Stop::At(time)), Some(fork), false) = (stop, from.about.fork, is_own)
        && (restored.covered..=fork.time).contains(&time)
        && restored.end_lsn == fork.end_lsn
    {
        // Nothing was changed between the end of what was restored and its restore.
        return Ok(true);
    }
    let reached = ends_at(&from.set, stop, restored.covered)?;
    let (storage, id, name) = (ddl.catalog.storage.clone(), db.storage_id(), db.name());
    let (device, at, about): (&Device, _, _) = (from.device, from.set.from, about_behind(base, from));
    let applied = reporter.follow(ddl, |step| storage.restore_pages(id, (device.media(), at), about.clone(), step));
    from.set = applied.map_err(|error| step_error(device, &name, &from.about, error))?;
    Ok(reached)
}

pub fn restore_differential(
    ddl: &mut Ddl<'_>,
    name: &str,
    db: Option<&Arc<Database>>,
    mut from: Source<'_>,
    options: &Options,
) -> SqlResult<()> {
    let db = db.ok_or_else(|| sql_error!(3118, name))?;
    if is_closed(ddl, db)? {
        return Err(sql_error!(3117));
    }
    let (restored, base) = expect_phase(ddl, db, &from)?;
    if u128::from_le_bytes(base.id) != from.set.head.base {
        return Err(sql_error!(3136));
    }
    if is_on_path(&restored, &base, &from) && from.set.tail.end_lsn < restored.end_lsn {
        return Err(sql_error!(3120));
    }
    let db = &leave_standby(ddl, db.clone())?;
    let stop = expect_stop_of_database(ddl, options, &from.set, &from.about)?;
    expect_bytes(ddl, u64::from(from.set.head.pages).saturating_mul(PAGE_BYTES) + from.set.tail.log_bytes)?;
    let began = os::clock::now();
    let mut reporter = Reporter::new(ddl, options);
    let (storage, id, at) = (ddl.catalog.storage.clone(), db.storage_id(), from.set.from);
    let (device, about): (&Device, _) = (from.device, about_behind(&base, &from));
    let applied = reporter.follow(ddl, |step| storage.restore_pages(id, (device.media(), at), about.clone(), step));
    from.set = applied.map_err(|error| step_error(device, name, &from.about, error))?;
    let stands = options.text("STANDBY").is_some();
    let restoring = stands || options.has("NORECOVERY") || stop.is_some();
    if stands {
        stand_by(ddl, name, &mut reporter)?;
    } else if !restoring {
        finish(ddl, db, &mut reporter)?;
    } else if !options.has("NORECOVERY") {
        ddl.message(sql_error!(4322));
    }
    let restored = Restored {
        database: name,
        user: ddl.site.login(),
        kind: "I",
        replaced: options.has("REPLACE"),
        restoring,
        stop: stop.map(|at| (Some(at), None)),
    };
    record(ddl, &from, restored);
    tell_pages(ddl, "RESTORE DATABASE", (name, &from.about.files, from.position), &from.set, (&reporter, began));
    Ok(())
}

/// 3117: another statement has ended the restore meanwhile, or begun to.
fn step_error(device: &Device, name: &str, about: &About, error: StorageError) -> SqlError {
    match error {
        StorageError::NoBackup | StorageError::UnknownDatabase => sql_error!(3117),
        error => restore_error(device, name, &about.files, error),
    }
}

fn finish_error(db: &Database, error: StorageError) -> SqlError {
    match error {
        StorageError::CorruptPage { page, .. } => sql_error!(3183, 1, page.page, db.name()),
        StorageError::AlreadyExists => sql_error!(3153),
        StorageError::Damaged(_) | StorageError::CorruptRow(_) => sql_error!(3189),
        StorageError::NoBackup => sql_error!(4319, db.name()),
        error => storage_error(error),
    }
}

/// RESTORE DATABASE, or LOG, without a device: WITH RECOVERY ends a restore where it is. 3153: there is none.
pub fn recover(ddl: &mut Ddl<'_>, name: &str, db: Option<&Arc<Database>>, statement: &Restore) -> SqlResult<()> {
    if ddl.site.in_user_transaction() {
        return Err(sql_error!(3021));
    }
    let options = backup_options::read(ddl, &statement.options, (backup_options::DATABASE, false), "RESTORE")?;
    let db = db.ok_or_else(|| no_such_database(name))?;
    if !db.awaits_restore() {
        return match restore_pages::is_under_way(ddl, db)? {
            true => restore_pages::recover(ddl, name, statement, &options),
            false => Err(sql_error!(3153)),
        };
    }
    if let Some(option) = ["STOPAT", "STOPATMARK", "STOPBEFOREMARK"].iter().find(|name| options.text(name).is_some()) {
        // What was restored is as far as it is.
        return Err(super::unsupported(&format!("RESTORE ... WITH RECOVERY, {option}")));
    }
    if options.has("NORECOVERY") {
        return leave_standby(ddl, db.clone()).map(drop);
    }
    let began = os::clock::now();
    let mut reporter = Reporter::new(ddl, &options);
    let db = leave_standby(ddl, db.clone())?;
    match options.text("STANDBY") {
        Some(_) => stand_by(ddl, name, &mut reporter)?,
        None => finish(ddl, &db, &mut reporter)?,
    }
    tell_pages(ddl, verb(statement.kind), (name, &[], 1), &Set::default(), (&reporter, began));
    Ok(())
}

/// WITH STANDBY: it can be read until the next step. Whoever goes on needs no undo file, and none is written.
pub fn stand_by(ddl: &mut Ddl<'_>, name: &str, reporter: &mut Reporter) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let db = catalog.database_named(name).ok_or_else(|| no_such_database(name))?;
    let (storage, id) = (&catalog.storage, db.storage_id());
    // One that is closed has its own pages.
    let Some(restored) = storage.restored(id).map_err(storage_error)? else {
        return closed::stand_by(ddl, &db);
    };
    let base = About::decode(&restored.about).ok_or_else(|| sql_error!(3117))?;
    // Once for the copy that is recovered, once for what is read.
    expect_bytes(ddl, u64::from(restored.pages).saturating_mul(2 * PAGE_BYTES))?;
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    let target = || Target { database: id, name };
    let stands = reporter.follow(ddl, |step| storage.stand_by(&mut tx, target(), step));
    stands.map_err(|error| finish_error(&db, error))?;
    catalog.stand_by(tx, &db, base.database_family)?;
    ddl.site.server().forget_plans(Forget::All);
    Ok(())
}

/// Nobody can read it any more: the next step of its restore begins. 3101, 3102: somebody does. The database as it is then.
fn leave_standby(ddl: &mut Ddl<'_>, db: Arc<Database>) -> SqlResult<Arc<Database>> {
    if !db.is_in_standby() {
        return Ok(db);
    }
    if is_closed(ddl, &db)? {
        closed::end_standby(ddl, &db)?;
        return Ok(db);
    }
    expect_nobody(ddl, &db, "RESTORE")?;
    let catalog = ddl.catalog.clone();
    snapshots::expect_none(&catalog, &db, "restore")?;
    let base = base(ddl, &db)?.ok_or_else(|| sql_error!(3117))?;
    let mut row = DatabaseRow::clone(&db.row());
    row.options &= !(database_option::STANDBY | database_option::READ_ONLY);
    row.options |= database_option::RESTORING | base.row.options & database_option::READ_ONLY;
    let master = catalog.expect_database(MASTER);
    let files: Vec<FileRow> = catalog.read(&master, |rows| rows.find(0, &[int(row.id)]))?;
    catalog.put_restoring(row, &files, Some(&db))?;
    ddl.site.server().forget_plans(Forget::All);
    let name = db.name();
    catalog.database_named(&name).ok_or_else(|| no_such_database(&name))
}

/// The database can be used from here on. One whose tail has been backed up is as it was.
fn finish(ddl: &mut Ddl<'_>, db: &Arc<Database>, reporter: &mut Reporter) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let (storage, id) = (&catalog.storage, db.storage_id());
    expect_nobody(ddl, db, "RESTORE")?;
    let Some(restored) = storage.restored(id).map_err(storage_error)? else {
        return closed::reopen(ddl, db);
    };
    if restored.phase == Phase::Interrupted {
        return Err(sql_error!(4319, db.name()));
    }
    let base = About::decode(&restored.about).ok_or_else(|| sql_error!(3117))?;
    expect_bytes(ddl, u64::from(restored.pages).saturating_mul(PAGE_BYTES))?;
    let mut tx = storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    let name = db.name();
    let target = || Target { database: id, name: &name };
    let finished = reporter.follow(ddl, |step| storage.finish_restore(&mut tx, target(), step));
    finished.map_err(|error| finish_error(db, error))?;
    let takes_log = db.row().recovery_model != SIMPLE;
    let fork = fork_of(&base, (base.database, restored.file), restored.end_lsn.max(restored.part_end));
    let fork = Fork { takes_log, ..fork };
    catalog.end_restoring(tx, db, (base.database_family, Some(&fork)))?;
    ddl.site.server().forget_plans(Forget::All);
    Ok(())
}
