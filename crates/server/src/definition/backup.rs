//! BACKUP DATABASE and BACKUP LOG: a backup set at the end of a file, or in place of those that it has. Writers go on meanwhile; the set is
//! of the moment at which the statement ends. A full backup of a database under FULL or BULK_LOGGED begins a chain: from then on its log is
//! kept for log backups.
//! https://learn.microsoft.com/sql/t-sql/statements/backup-transact-sql

use std::sync::Arc;

use exec::session::{Ear, Signal, stop_of};
use sql::ast::{Backup, BackupDevice, DatabaseRef, Expr, Literal};
use storage::backup::{Progress, Set, SetKind, Wanted};
use storage::{Hold, StorageError, StorageResult};
use types::datetime::DateFormat;
use types::pause::Pause as _;
use types::{Datum, SqlError, SqlResult, SqlType, convert, sql_error};

use super::backup_about::{About, KeptFile, Media};
use super::backup_device::{self, Device, Names};
use super::backup_encryption;
use super::backup_history::{self, PAGE_BYTES, Place, log_pages};
use super::backup_options::{self, Options};
use super::backup_pace::Pace;
use super::backup_told;
use super::closed;
use super::database_setting;
use super::site::Ddl;
use crate::catalog::base::{ClassRow, DatabaseRow, FileRow, class, database_option};
use crate::catalog::error::storage_error;
use crate::catalog::family::{Fork, new_guid};
use crate::catalog::load::{int, small};
use crate::catalog::row::Date;
use crate::catalog::{Catalog, Database, MASTER, TEMPDB, clock, family, no_such_database, suspects};
use crate::settings::config::option;

const TICKS_A_DAY: i64 = 25_920_000;
/// The number of `terminated`.
const ABNORMAL: i32 = 3013;
/// `DatabaseRow::recovery_model`.
const SIMPLE: u8 = 3;

/// `verb` is terminating abnormally (3013), behind what has ended it. What is no statement at all, or not there, says only that.
pub fn terminated(verb: &str, error: SqlError) -> SqlError {
    const SYNTAX: u8 = 15;
    const UNSUPPORTED: i32 = 40510;
    if stop_of(&error).is_some() || error.severity == SYNTAX || error.number == UNSUPPORTED {
        return error;
    }
    sql_error!(3013, verb).after(error.one_by_one())
}

/// The name that a statement gives a database.
pub fn database_name(ddl: &Ddl<'_>, database: &DatabaseRef) -> String {
    match database {
        DatabaseRef::Name(name) => name.to_string(),
        DatabaseRef::Variable(variable) => ddl.site.variable(&variable.name).unwrap_or("").to_string(),
    }
}

/// How far work is: for `sys.dm_exec_requests`, and for the client as STATS says.
pub struct Reporter {
    signal: Arc<Signal>,
    /// Percent between two messages; None: there are none.
    every: Option<u64>,
    told: u64,
}

impl Reporter {
    pub fn new(ddl: &Ddl<'_>, options: &Options) -> Reporter {
        let every = options.number("STATS").map(|percent| percent as u64);
        Reporter { signal: ddl.site.session().signal.clone(), every, told: 0 }
    }

    /// Runs long work that tells how far it is, and hears the client meanwhile.
    pub fn follow<T>(
        &mut self,
        ddl: &mut Ddl<'_>,
        mut work: impl FnMut(&mut dyn FnMut(Progress) -> StorageResult<()>) -> StorageResult<T>,
    ) -> StorageResult<T> {
        let mut done = None;
        ddl.site.heard(&mut |ear| {
            done = Some(work(&mut |progress| self.step(ear, progress))?);
            Ok(())
        })?;
        Ok(done.expect("work without an error is done"))
    }

    /// Err: nobody wants the answer any more.
    fn step(&mut self, ear: &Ear<'_>, progress: Progress) -> StorageResult<()> {
        storage::error::heard(ear.pause())?;
        self.signal.running.tell(progress.done, progress.total);
        let percent = (u128::from(progress.done) * 100 / u128::from(progress.total.max(1))) as u64;
        // All of it is told by `end`, when it is so.
        let percent = percent.min(99);
        if self.every.is_some_and(|every| percent >= self.told + every) {
            self.told = percent;
            storage::error::heard(ear.message(&sql_error!(3211, percent)))?;
        }
        Ok(())
    }

    pub fn end(&self, ddl: &mut Ddl<'_>) {
        if self.every.is_some() {
            ddl.message(sql_error!(3211, 100));
        }
    }
}

/// 4035 for each file, 3014 for all: pages that were written into the set, or read from it. BACKUP LOG has none of data.
pub fn tell_pages(
    ddl: &mut Ddl<'_>,
    verb: &str,
    (database, files, position): (&str, &[KeptFile], usize),
    set: &Set,
    (reporter, began): (&Reporter, u64),
) {
    let log_pages = log_pages(set);
    let data_too = verb != "BACKUP LOG" || set.is_whole();
    let mut of_file = |is_log: bool, pages: u64| {
        if let Some(file) = files.iter().find(|file| file.is_log() == is_log && (is_log || data_too)) {
            ddl.message(sql_error!(4035, pages, database, file.row.name, position));
        }
        if !is_log {
            reporter.end(ddl);
        }
    };
    of_file(false, set.tail.pages);
    of_file(true, log_pages);
    let pages = set.tail.pages + log_pages;
    let ms = (os::clock::now().saturating_sub(began) / 1_000_000).max(1);
    // Thousandths of a megabyte a second.
    let rate = u128::from(pages * PAGE_BYTES) * 1_000_000 / (1 << 20) / u128::from(ms);
    let thousandths = |number: u128| format!("{:03}", number % 1_000);
    let (seconds, ms) = (ms / 1_000, u128::from(ms));
    let all = sql_error!(3014, verb, pages, seconds, thousandths(ms), rate / 1_000, thousandths(rate));
    backup_told::tell(ddl, all.clone());
    ddl.message(all);
}

pub fn run(ddl: &mut Ddl<'_>, statement: &Backup) -> SqlResult<()> {
    let verb = if statement.log { "BACKUP LOG" } else { "BACKUP DATABASE" };
    let done = backup(ddl, statement, verb).map_err(|error| terminated(verb, error));
    if done.as_ref().is_err_and(|error| stop_of(error).is_some() || error.number == ABNORMAL) {
        backup_told::failed(verb, &database_name(ddl, &statement.database));
    }
    done
}

fn backup(ddl: &mut Ddl<'_>, statement: &Backup, verb: &str) -> SqlResult<()> {
    backup_options::expect_known(&statement.options, "BACKUP")?;
    let name = database_name(ddl, &statement.database);
    let db = ddl.catalog.database_named(&name).ok_or_else(|| no_such_database(&name))?;
    if ddl.site.in_user_transaction() {
        return Err(sql_error!(3021));
    }
    if db.id == TEMPDB {
        return Err(sql_error!(3147));
    }
    db.check_restored()?;
    if db.is_in_standby() {
        return Err(sql_error!(3036, db.name()));
    }
    // Nobody changes it, and what it lacks is in no backup of it.
    if db.is_in_emergency() {
        return Err(sql_error!(5052, verb, "EMERGENCY"));
    }
    if db.option(database_option::SNAPSHOT) {
        return Err(sql_error!(3002));
    }
    if !statement.mirrors.is_empty() {
        return Err(super::unsupported("BACKUP ... MIRROR TO"));
    }
    if let Some(part) = statement.files.first() {
        return Err(super::unsupported(&format!("{verb} ... {}", part.name)));
    }
    let of = if statement.log { backup_options::BACKUP_LOG } else { backup_options::BACKUP };
    if statement.devices.is_empty() {
        // TRUNCATE_ONLY and NO_LOG had no device, and are no options any more.
        backup_options::read(ddl, &statement.options, (of, false), "BACKUP")?;
    }
    let names = backup_device::names_of(ddl, &statement.devices, "BACKUP")?;
    let options = backup_options::read(ddl, &statement.options, (of, names.is_url), "BACKUP")?;
    let kind = match (statement.log, options.has("DIFFERENTIAL")) {
        (true, _) => SetKind::Log,
        (false, true) => SetKind::Differential,
        (false, false) => SetKind::Full,
    };
    if kind == SetKind::Log && options.has("NO_TRUNCATE") && is_damaged(&ddl.catalog, &db) {
        return back_up_tail(ddl, &db, &options, names);
    }
    expect_base(ddl, &db, kind, verb)?;
    backup_encryption::expect(ddl, &options)?;
    let stands = options.text("STANDBY").is_some();
    if !stands && !options.has("NORECOVERY") {
        return write(ddl, &db, (kind, verb), &options, names);
    }
    closed::close(ddl, &db, "BACKUP LOG")?;
    match write(ddl, &db, (kind, verb), &options, names) {
        Ok(()) if stands => closed::stand_by(ddl, &db),
        Ok(()) => Ok(()),
        Err(error) => closed::reopen(ddl, &db).and(Err(error)),
    }
}

/// Its file is missing, or cannot be read.
pub fn is_damaged(catalog: &Catalog, db: &Database) -> bool {
    matches!(catalog.storage.hold_of(db.storage_id()), Some(Hold::RecoveryPending | Hold::Suspect))
}

/// BACKUP LOG WITH NO_TRUNCATE of a damaged database: the log is the instance's, which has all that no log backup has. What the database says
/// of itself is not in the set. With NORECOVERY it is closed as well, and its pages are of no more use.
fn back_up_tail(ddl: &mut Ddl<'_>, db: &Database, options: &Options, names: Names) -> SqlResult<()> {
    if db.row().recovery_model == SIMPLE {
        return Err(sql_error!(4208, "BACKUP LOG"));
    }
    if ddl.catalog.storage.chain_of(db.storage_id()).log_from().is_none() {
        return Err(sql_error!(4214));
    }
    if options.text("STANDBY").is_some() {
        // There is nothing that could be read.
        ddl.catalog.check_open(db)?;
    }
    backup_encryption::expect(ddl, options)?;
    write(ddl, db, (SetKind::Log, "BACKUP LOG"), options, names)?;
    if options.has("NORECOVERY") {
        let row = DatabaseRow { options: db.row().options | database_option::RESTORING, ..(*db.row()).clone() };
        database_setting::write(ddl, db, row)?;
    }
    Ok(())
}

/// 4208, 4212, 4214, 3024, 3035: there is nothing that the backup could go on from.
fn expect_base(ddl: &Ddl<'_>, db: &Database, kind: SetKind, verb: &str) -> SqlResult<()> {
    let chain = ddl.catalog.storage.chain(db.storage_id()).map_err(storage_error)?;
    match kind {
        SetKind::Log if db.id == MASTER => Err(sql_error!(4212)),
        SetKind::Log if db.row().recovery_model == SIMPLE => Err(sql_error!(4208, verb)),
        SetKind::Log if chain.log_from().is_none() && fork(&ddl.catalog, db, kind)?.is_none() => Err(sql_error!(4214)),
        SetKind::Differential if db.id == MASTER => Err(sql_error!(3024)),
        SetKind::Differential if chain.base_lsn == 0 && fork(&ddl.catalog, db, kind)?.is_none() => {
            Err(sql_error!(3035, db.name()))
        }
        _ => Ok(()),
    }
}

/// What the first log or differential backup of a restored database goes on from. None: it is another one, or has a chain of its own.
/// https://learn.microsoft.com/previous-versions/sql/sql-server-2008/ms175078(v=sql.100)
pub fn fork(catalog: &Catalog, db: &Database, kind: SetKind) -> SqlResult<Option<Fork>> {
    let chain = catalog.storage.chain(db.storage_id()).map_err(storage_error)?;
    let may_be = match kind {
        SetKind::Full => false,
        SetKind::Log => chain.log_from().is_none(),
        SetKind::Differential => chain.base_lsn == 0,
    };
    let fork = if may_be { catalog.read(db, family::fork)? } else { None };
    Ok(fork.filter(|fork| if kind == SetKind::Log { fork.takes_log } else { fork.base.is_some() }))
}

/// A full backup on a file, of which its client hears nothing: where it is, and whether it reads well.
pub fn keep(ddl: &mut Ddl<'_>, db: &Database, path: &str) -> SqlResult<(String, bool)> {
    let path = Expr::Literal(Literal::String { text: path.into(), national: true });
    let names = backup_device::names_of(ddl, &[BackupDevice::File("DISK".into(), path)], "BACKUP")?;
    let options = Options::default();
    let device = Device::open_to_write(ddl, names, &options)?;
    let mut reporter = Reporter::new(ddl, &options);
    let Taken { device, set, place, .. } = put(ddl, (db, SetKind::Full), device, &options, None, &mut reporter)?;
    let verified = reporter.follow(ddl, |step| storage::backup::verify(device.media(), set.from, step).map(drop));
    Ok((place.paths()[0].clone(), verified.is_ok()))
}

/// A backup that has been taken, is recorded, and was told of.
struct Taken {
    device: Device,
    set: Set,
    about: About,
    place: Place,
    /// On the device.
    position: usize,
}

/// Nothing is left on the device of one that cannot be taken.
fn put(
    ddl: &mut Ddl<'_>,
    what: (&Database, SetKind),
    device: Device,
    options: &Options,
    expires: Option<Date>,
    reporter: &mut Reporter,
) -> SqlResult<Taken> {
    let (set, about, position) = match take(ddl, what, &device, options, expires, reporter) {
        Ok(taken) => taken,
        Err(error) => {
            device.give_up();
            return Err(error);
        }
    };
    let place = Place::of(ddl, &device, position);
    if backup_history::record_backup(&ddl.catalog, &set, &about, &place).is_err() {
        ddl.message(sql_error!(3009));
    }
    backup_told::backed_up(ddl, &set, &about, &place);
    Ok(Taken { device, set, about, place, position })
}

fn write(
    ddl: &mut Ddl<'_>,
    db: &Database,
    (kind, verb): (SetKind, &str),
    options: &Options,
    names: Names,
) -> SqlResult<()> {
    let expires = expires(ddl, options)?;
    let began = os::clock::now();
    let device = Device::open_to_write(ddl, names, options)?;
    let mut reporter = Reporter::new(ddl, options);
    let Taken { set, about, position, .. } = put(ddl, (db, kind), device, options, expires, &mut reporter)?;
    tell_pages(ddl, verb, (&db.name(), &about.files, position), &set, (&reporter, began));
    Ok(())
}

/// When the set may be overwritten: RETAINDAYS comes before EXPIREDATE, and 'media retention' stands for what is not said. None: at any
/// time.
fn expires(ddl: &Ddl<'_>, options: &Options) -> SqlResult<Option<Date>> {
    let after = |days: i64| Some(Date(clock::now().0 + days * TICKS_A_DAY));
    if let Some(days) = options.number("RETAINDAYS") {
        return Ok(after(days));
    }
    let Some(text) = options.text("EXPIREDATE") else {
        let days = ddl.catalog.configuration.running(option::MEDIA_RETENTION);
        return Ok(if days > 0 { after(days) } else { None });
    };
    let context = backup_options::dates(ddl);
    let text = crate::catalog::row::text_datum(text);
    let date = convert::convert(&text, &SqlType::NVARCHAR_MAX, &SqlType::DATETIME, convert::NO_STYLE, &context);
    let date = date.map_err(|_| sql_error!(3217, "EXPIREDATE"))?;
    Ok(Some(Date(date.as_i64())))
}

/// Where the set goes in the file, its position there, and the media that it belongs to; None: a new one.
fn media(device: &Device, options: &Options) -> SqlResult<(u64, usize, Option<Media>)> {
    let length = device.media().len().map_err(|error| device.read_error(error))?;
    // An object has one set, and none is there where it may be written.
    if length == 0 || options.has("FORMAT") || device.is_url() {
        return Ok((0, 1, None));
    }
    // "Appending to an existing backup set option is not supported for encrypted backups", and INIT keeps the media that there is.
    if options.encryption.is_some() {
        return Err(sql_error!(3095, "ENCRYPTION", "ENCRYPTION"));
    }
    let sets = match device.sets() {
        Ok(sets) => sets,
        // One that was never ended: there is nothing to keep.
        Err(error) if error.number == 3256 => return Ok((0, 1, None)),
        Err(error) => return Err(error),
    };
    let mut known = Vec::new();
    for set in &sets {
        known.push(About::decode(&set.head.about).ok_or_else(|| sql_error!(3255, device.path))?);
    }
    let media = known.first().map(|about| about.media.clone());
    if let (Some(wanted), Some(media)) = (options.text("MEDIANAME"), &media) {
        let found = media.name.as_deref().unwrap_or("");
        if wanted != found && !options.has("SKIP") {
            return Err(sql_error!(4037, wanted, found, device.path));
        }
    }
    if !options.has("INIT") {
        let end = sets.last().expect("at least one").to;
        return Ok((end, sets.len() + 1, media));
    }
    let now = clock::now().0;
    let kept = known.iter().filter_map(|about| about.expires).find(|date| date.0 > now);
    if let Some(date) = kept.filter(|_| !options.has("SKIP")) {
        return Err(sql_error!(4030, device.path, shown(date)));
    }
    Ok((0, 1, media))
}

/// As messages show a moment: `Oct 20 2010 12:00:00:000AM`.
fn shown(date: Date) -> String {
    const WITH_MILLISECONDS: i32 = 109;
    let context = convert::ConvertContext { date_format: DateFormat::Mdy, ..convert::ConvertContext::CAST };
    let text =
        convert::convert(&Datum::I64(date.0), &SqlType::DATETIME, &SqlType::NVARCHAR_MAX, WITH_MILLISECONDS, &context);
    text.map_or_else(|_| String::new(), |text| types::collation::code_page::utf16_to_string(text.as_bytes()))
}

fn take(
    ddl: &mut Ddl<'_>,
    (db, kind): (&Database, SetKind),
    device: &Device,
    options: &Options,
    expires: Option<Date>,
    reporter: &mut Reporter,
) -> SqlResult<(Set, About, usize)> {
    let (at, position, media) = media(device, options)?;
    let mut about = about(ddl, db, options, (expires, media))?;
    let is_damaged = is_damaged(&ddl.catalog, db);
    let logged = !is_damaged && ddl.catalog.read(db, family::last_log_backup)?.is_some();
    about.encryption = backup_encryption::begin(ddl, options, &about.id, device)?;
    about.fork = if is_damaged { None } else { fork(&ddl.catalog, db, kind)? };
    about.begins_chain = kind == SetKind::Log && !about.copy_only && !logged && about.fork.is_none();
    let bytes = about.encode();
    // Of master there are full backups only, which nothing goes on from.
    let begins = kind != SetKind::Log && !(about.copy_only && kind == SetKind::Full) && db.id != MASTER;
    let wanted = Wanted {
        kind,
        about: &bytes,
        compressed: about.compressed,
        number: (begins && kind == SetKind::Full).then_some(u128::from_le_bytes(about.id)),
        // Where a log backup is to go on from the restore, this is no beginning.
        keeps_log: begins && db.row().recovery_model != SIMPLE && about.fork.is_none_or(|fork| !fork.takes_log),
        copy_only: about.copy_only,
        whole: about.fork.map(|fork| fork.base.map_or(0, u128::from_le_bytes)),
    };
    let storage = ddl.catalog.storage.clone();
    let chain = storage.chain_of(db.storage_id());
    let mut set = None;
    let catalog = ddl.catalog.clone();
    let taken = ddl.site.heard(&mut |ear| {
        // The pages that wait to be written are written before the backup's own checkpoint, which cannot be interrupted.
        storage.checkpoint_heard(ear)?;
        let mut pace = Pace::new(&catalog);
        let step = &mut |progress: Progress| {
            pace.read(progress.done, ear)?;
            reporter.step(ear, progress)
        };
        set = Some(storage.backup(db.storage_id(), device.media(), at, &wanted, step)?);
        Ok(())
    });
    taken.map_err(|error| match error {
        StorageError::UnknownDatabase => no_such_database(&about.row.name),
        StorageError::NoBackup if kind == SetKind::Log => sql_error!(4214),
        StorageError::NoBackup => sql_error!(3035, about.row.name),
        StorageError::CorruptPage { page, .. } => {
            suspects::record(&ddl.catalog);
            sql_error!(3043, about.row.name, 1, page.page, about.files[0].row.path.0.as_deref().unwrap_or(""))
        }
        StorageError::Damaged(_) => storage_error(error),
        error => device.write_error(error),
    })?;
    // A full backup that nothing was kept before begins a chain, in which no log backup was taken yet.
    let chain_begins = wanted.keeps_log && chain.log_from().is_none();
    let is_log = kind == SetKind::Log && !about.copy_only;
    if is_log || chain_begins && logged {
        family::note_log_backup(&ddl.catalog, db, is_log)?;
    }
    if is_log && about.fork.is_some() {
        family::end_fork(&ddl.catalog, db, false)?;
    }
    if wanted.number.is_some() {
        family::end_fork(&ddl.catalog, db, true)?;
    }
    // Who set RECOVERY SIMPLE meanwhile keeps no log.
    if db.row().recovery_model == SIMPLE && !is_damaged {
        storage.end_log_chain(db.storage_id()).map_err(storage_error)?;
    }
    Ok((set.expect("it was taken"), about, position))
}

/// What master knows of the database, and the statement of the set.
pub fn about(
    ddl: &mut Ddl<'_>,
    db: &Database,
    options: &Options,
    (expires, media): (Option<Date>, Option<Media>),
) -> SqlResult<About> {
    let catalog = ddl.catalog.clone();
    let is_damaged = is_damaged(&catalog, db);
    let family = match is_damaged {
        true => backup_history::family_of(&catalog, db)?.ok_or_else(|| sql_error!(4214))?,
        false => family::of(&catalog, db)?,
    };
    let files = files_of(ddl, db)?;
    let owned = |name: &str| options.text(name).map(str::to_string);
    let media = media.unwrap_or_else(|| Media {
        id: new_guid(),
        family: new_guid(),
        name: owned("MEDIANAME"),
        description: owned("MEDIADESCRIPTION"),
        made: clock::now(),
    });
    let compresses = match (options.has("COMPRESSION"), options.has("NO_COMPRESSION")) {
        (false, false) => catalog.configuration.running(option::BACKUP_COMPRESSION_DEFAULT) != 0,
        (compresses, _) => compresses,
    };
    let mut states = if options.has("NORECOVERY") { database_option::RESTORING } else { 0 };
    states |= if is_damaged { database_option::OFFLINE } else { 0 };
    Ok(About {
        id: new_guid(),
        media,
        database_family: family.family,
        database: family.database,
        name: owned("NAME"),
        description: owned("DESCRIPTION"),
        user: ddl.site.login(),
        server: catalog.server_name.clone(),
        machine: os::env::host_name(),
        // "When used with DIFFERENTIAL, COPY_ONLY is ignored." What leaves the log as it is comes to the same.
        copy_only: options.has("COPY_ONLY") && !options.has("DIFFERENTIAL") || options.has("NO_TRUNCATE"),
        begins_chain: false,
        compressed: compresses,
        expires,
        offset_minutes: os::clock::local_offset_minutes() as i16,
        row: DatabaseRow { options: db.row().options & !database_option::STATES | states, ..(*db.row()).clone() },
        files,
        fork: None,
        encryption: None,
    })
}

/// The files of a database as the catalog shows them.
fn files_of(ddl: &mut Ddl<'_>, db: &Database) -> SqlResult<Vec<KeptFile>> {
    let catalog = ddl.catalog.clone();
    let number = i32::from(db.id.0);
    let mut files = catalog.read(&catalog.expect_database(MASTER), |rows| rows.find::<FileRow>(0, &[int(number)]))?;
    files.sort_by_key(|file| file.fileid);
    let groups = match is_damaged(&catalog, db) {
        true => Vec::new(),
        false => catalog.read(db, |rows| rows.find::<ClassRow>(0, &[small(class::FILEGROUP)]))?,
    };
    let group_of = |file: &FileRow| match file.filegroup {
        0 => None,
        1 => Some("PRIMARY".to_string()),
        id => groups.iter().find(|group| group.id == id).map(|group| group.name.clone()),
    };
    Ok(files.into_iter().map(|row| KeptFile { filegroup: group_of(&row), row }).collect())
}
