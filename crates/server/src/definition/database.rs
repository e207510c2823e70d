//! CREATE, ALTER and DROP DATABASE. Each runs in a transaction of its own: SQL Server allows none of them in a user's.

use sql::ast::{
    AlterDatabase, AlterDatabaseAction, CreateDatabase, DataSpace, FileSpec, Ident, Setting, SettingValue, find_setting,
};
use types::{SqlResult, sql_error};

use super::access;
use super::database_setting::{self, setting_text};
use super::database_state;
use super::number::whole_number;
use super::server::{OtherSession, other_sessions};
use super::site::Ddl;
use crate::catalog::base::{
    ClassRow, DatabaseRow, FileRow, IndexRow, ReferenceRow, class, database_option, file_status, filegroup_status,
};
use crate::catalog::boot::{database_row, files_of};
use crate::catalog::error::storage_error;
use crate::catalog::load::{int, small};
use crate::catalog::row::{Binary, Text};
use crate::catalog::{Database, MASTER, MODEL, clock, family, is_system, no_such_database, snapshots};
use crate::instance::plan_cache::Forget;

/// Filegroups of `FileRow`: the first of every database, and what log files have.
pub const PRIMARY: i32 = 1;
const LOG: i32 = 0;
/// `DatabaseRow::recovery_model`.
const SIMPLE: u8 = 3;

/// 2 TB, https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server
const LOG_PAGES_MAX: i32 = 1 << 28;

pub fn create(ddl: &mut Ddl<'_>, create: &CreateDatabase) -> SqlResult<()> {
    ddl.refuse_in_transaction("CREATE DATABASE")?;
    let name = create.name.to_string();
    if create.containment.as_ref().is_some_and(|kind| !kind.eq_ignore_ascii_case("NONE")) {
        return Err(super::unsupported("CREATE DATABASE ... CONTAINMENT"));
    }
    let grouped = create.filegroups.iter().flat_map(|group| &group.files);
    create.primary.iter().chain(grouped).chain(&create.log).try_for_each(refuse_bounds)?;
    for group in &create.filegroups {
        refuse_contents(group.contains.as_deref())?;
        if group.is_default {
            return Err(super::unsupported("CREATE DATABASE ... FILEGROUP ... DEFAULT"));
        }
    }
    if ddl.catalog.database_named(&name).is_some() {
        return Err(sql_error!(1801, name));
    }
    let catalog = ddl.catalog.clone();
    let claimed = catalog.claim_database_id(false)?;
    let id = claimed.id;
    let collation = match &create.collation {
        Some(collation) => {
            types::collation::lookup(collation).ok_or_else(|| super::data_type::invalid_collation(collation))?
        }
        None => ddl.catalog.collation,
    };
    let model = ddl.catalog.expect_database(MODEL).row();
    let mut row = DatabaseRow {
        options: model.options,
        recovery_model: model.recovery_model,
        delayed_durability: model.delayed_durability,
        ..database_row(i32::from(id), &name, &collation.name(), clock::now())
    };
    for setting in &create.options {
        database_setting::apply(&mut row, setting)?;
    }
    // Who makes it owns it.
    if let Some(maker) = ddl.rights(|rights, look| rights.login(look))? {
        row.owner_sid = Binary(maker.sid.clone());
    }
    let mut files = files_of(&ddl.catalog.data_directory, i32::from(id), &name).to_vec();
    if let Some(primary) = create.primary.first() {
        describe_file(&mut files[0], primary);
    }
    if let Some(log) = create.log.first() {
        describe_file(&mut files[1], log);
    }
    let primary = create.primary.iter().skip(1).map(|spec| (PRIMARY, spec));
    let groups = (PRIMARY + 1..).zip(&create.filegroups);
    let grouped = groups.flat_map(|(group, filegroup)| filegroup.files.iter().map(move |spec| (group, spec)));
    let logs = create.log.iter().skip(1).map(|spec| (LOG, spec));
    for (filegroup, spec) in primary.chain(grouped).chain(logs) {
        let model = if filegroup == LOG { &files[1] } else { &files[0] };
        let mut file = FileRow { fileid: files.len() as i32 + 1, filegroup, ..model.clone() };
        let group = usize::try_from(filegroup - PRIMARY - 1).ok().and_then(|at| create.filegroups.get(at));
        if group.is_some_and(|group| group.contains.is_some()) {
            file.status |= file_status::IN_MEMORY;
        }
        describe_file(&mut file, spec);
        refuse_same_name(&files, &file)?;
        files.push(file);
    }
    refuse_same_name(&files[..1], &files[1])?;
    for (at, group) in create.filegroups.iter().enumerate() {
        let same = |other: &str| other.eq_ignore_ascii_case(&group.name);
        if same("PRIMARY") || create.filegroups[..at].iter().any(|other| same(&other.name)) {
            return Err(sql_error!(5035, &*group.name));
        }
    }
    ddl.catalog.create_database(row, &files)?;
    let made = ddl.catalog.database_named(&name).expect("the database just made");
    for (i, group) in create.filegroups.iter().enumerate() {
        add_filegroup(ddl, &made, &group.name, i as i32 + 2, group.contains.is_some())?;
    }
    Ok(())
}

fn add_filegroup(ddl: &mut Ddl<'_>, db: &Database, name: &str, id: i32, in_memory: bool) -> SqlResult<()> {
    let now = clock::now();
    let row = ClassRow {
        class: class::FILEGROUP,
        id,
        name: name.to_string(),
        owner: 1,
        created: now,
        modified: now,
        status: if in_memory { filegroup_status::IN_MEMORY } else { 0 },
        value: Text(None),
    };
    ddl.catalog.clone().change(db, |rows| rows.insert(&row))
}

/// NAME and FILENAME as the user gave them: shown, while pages of all databases are in the instance's own files.
fn describe_file(file: &mut FileRow, spec: &FileSpec) {
    let text = |name: &str| find_setting(&spec.settings, name).and_then(|setting| setting_text(&setting.value));
    if let Some(name) = text("NAME") {
        file.name = name;
    }
    if let Some(path) = text("FILENAME") {
        file.path = Text(Some(path));
    }
    if let Some(pages) = find_setting(&spec.settings, "SIZE").and_then(|setting| pages(&setting.value)) {
        file.size = pages;
    }
    if let Some(pages) = find_setting(&spec.settings, "MAXSIZE").and_then(|setting| pages(&setting.value)) {
        file.size_max = pages;
    }
}

/// A file that may not grow, or not beyond a size, would have to be full some day (1105): rows of all databases lie in the instance's
/// files, which have no such bound. UNLIMITED is what they are, and 2 TB or more, which is the most that a log file of SQL Server may have and
/// what its tools write for it. FILEGROWTH by some amount says how, not how far.
fn refuse_bounds(spec: &FileSpec) -> SqlResult<()> {
    if let Some(size) = find_setting(&spec.settings, "MAXSIZE") {
        let is_unlimited = setting_text(&size.value).is_some_and(|word| word.eq_ignore_ascii_case("UNLIMITED"));
        if !is_unlimited && pages(&size.value).is_none_or(|pages| pages < LOG_PAGES_MAX) {
            return Err(super::unsupported("FILE ... MAXSIZE"));
        }
    }
    let growth = find_setting(&spec.settings, "FILEGROWTH").map(|setting| &setting.value);
    if let Some(SettingValue::Value(amount) | SettingValue::Quantity(amount, _)) = growth {
        if whole_number(amount) == Some(0) {
            return Err(super::unsupported("FILE ... FILEGROWTH = 0"));
        }
    }
    if find_setting(&spec.settings, "OFFLINE").is_some() {
        return Err(super::unsupported("FILE ... OFFLINE"));
    }
    Ok(())
}

/// A size in pages of 8 KB; plain numbers are megabytes.
fn pages(value: &SettingValue) -> Option<i32> {
    let (number, unit) = match value {
        SettingValue::Value(expr) => (whole_number(expr)?, "MB"),
        SettingValue::Quantity(expr, unit) => (whole_number(expr)?, &**unit),
        _ => return None,
    };
    let kilobytes = match unit {
        "KB" => number,
        "GB" => number.checked_mul(1024 * 1024)?,
        "TB" => number.checked_mul(1024 * 1024 * 1024)?,
        _ => number.checked_mul(1024)?,
    };
    i32::try_from(kilobytes / 8).ok()
}

pub fn alter(ddl: &mut Ddl<'_>, alter: &AlterDatabase) -> SqlResult<()> {
    let db = match &alter.name {
        None => ddl.current()?,
        Some(name) => ddl.catalog.database_named(name).ok_or_else(|| sql_error!(5011, state 5, &**name))?,
    };
    if db.is_restoring() {
        return Err(sql_error!(5069).after(vec![sql_error!(5052, "ALTER DATABASE", "RESTORING")]));
    }
    if db.option(database_option::SNAPSHOT) {
        return Err(sql_error!(5069).after(vec![sql_error!(5093)]));
    }
    let mut row = DatabaseRow::clone(&db.row());
    match &alter.action {
        AlterDatabaseAction::ScopedConfiguration { settings, clear: false, .. } => {
            settings.iter().try_for_each(database_setting::expect_scoped)
        }
        AlterDatabaseAction::ScopedConfiguration { settings, clear: true, .. } => clear_scoped(ddl, &db, settings),
        AlterDatabaseAction::Set { settings, termination } => {
            ddl.refuse_in_transaction("ALTER DATABASE")?;
            for setting in settings {
                database_setting::check_of_system(&db, setting)?;
                database_setting::apply(&mut row, setting)?;
            }
            if database_state::is_changed(settings) {
                return database_state::change(ddl, &db, settings, termination.as_ref());
            }
            ddl.catalog.check_open(&db).map_err(|error| sql_error!(5069).after(vec![error]))?;
            let own = db.clone();
            access::change(ddl, &own, settings, termination.as_ref(), |ddl| database_setting::write(ddl, &db, row))?;
            if own.row().recovery_model == SIMPLE {
                ddl.catalog.storage.end_log_chain(own.storage_id()).map_err(storage_error)?;
                family::end_fork(&ddl.catalog, &own, false)?;
            }
            Ok(())
        }
        AlterDatabaseAction::ModifyName(name) => rename(ddl, &db.name(), name),
        AlterDatabaseAction::Collate(collation) => {
            types::collation::lookup(collation).ok_or_else(|| super::data_type::invalid_collation(collation))?;
            Err(sql_error!(5072, db.name(), &**collation))
        }
        AlterDatabaseAction::AddFilegroup { name, contains } => {
            refuse_contents(contains.as_deref())?;
            let groups = ddl.catalog.clone().read(&db, |rows| rows.find::<ClassRow>(0, &[small(class::FILEGROUP)]))?;
            let same = |other: &str| other.eq_ignore_ascii_case(name);
            if same("PRIMARY") || groups.iter().any(|group| same(&group.name)) {
                return Err(sql_error!(5035, &**name));
            }
            let id = groups.iter().map(|group| group.id).max().unwrap_or(1) + 1;
            add_filegroup(ddl, &db, name, id, contains.is_some())
        }
        AlterDatabaseAction::RemoveFilegroup(name) => remove_filegroup(ddl, &db, name),
        AlterDatabaseAction::ModifyFilegroup { name, property } => modify_filegroup(ddl, &db, name, property),
        AlterDatabaseAction::AddFile { files, filegroup } => {
            let group = match filegroup {
                Some(name) => filegroup_named(ddl, &db, name)?,
                None => PRIMARY,
            };
            add_files(ddl, &db, files, group)
        }
        AlterDatabaseAction::AddLogFile(files) => add_files(ddl, &db, files, LOG),
        AlterDatabaseAction::RemoveFile(name) => remove_file(ddl, &db, name),
        AlterDatabaseAction::ModifyFile(spec) => modify_file(ddl, &db, spec),
        AlterDatabaseAction::Other(what) => Err(super::unsupported(&format!("ALTER DATABASE {what}"))),
    }
}

/// ALTER DATABASE SCOPED CONFIGURATION CLEAR
fn clear_scoped(ddl: &mut Ddl<'_>, db: &Database, settings: &[Setting]) -> SqlResult<()> {
    match settings {
        [Setting { name, value: SettingValue::Alone, .. }] if &**name == "PROCEDURE_CACHE" => {
            ddl.site.server().forget_plans(Forget::Database(db.id.0));
            Ok(())
        }
        _ => Err(super::unsupported("ALTER DATABASE SCOPED CONFIGURATION CLEAR of one plan")),
    }
}

/// Of memory-optimized data there may be a filegroup, as scripts make one: such tables need none here.
fn refuse_contents(contains: Option<&str>) -> SqlResult<()> {
    match contains {
        None | Some("MEMORY_OPTIMIZED_DATA") => Ok(()),
        Some(other) => Err(super::unsupported(&format!("FILEGROUP ... CONTAINS {other}"))),
    }
}

/// 1921. The database's data files are places on disk in name only, so its filegroups are names, but they must be there.
pub fn filegroup_named(ddl: &mut Ddl<'_>, db: &Database, name: &str) -> SqlResult<i32> {
    if name.eq_ignore_ascii_case("PRIMARY") {
        return Ok(PRIMARY);
    }
    let groups = ddl.catalog.clone().read(db, |rows| rows.find::<ClassRow>(0, &[small(class::FILEGROUP)]))?;
    let found = groups.iter().find(|group| db.equal_names(&group.name, name));
    found.map(|group| group.id).ok_or_else(|| sql_error!(1921, "filegroup", name))
}

/// TEXTIMAGE_ON. 1921: no such filegroup.
pub fn check_text_space(ddl: &mut Ddl<'_>, db: &Database, space: Option<&DataSpace>) -> SqlResult<()> {
    match space {
        None => Ok(()),
        Some(DataSpace { name, column: Some(_) }) => Err(sql_error!(1921, "partition scheme", &**name)),
        Some(DataSpace { name, .. }) if name.eq_ignore_ascii_case("DEFAULT") => Ok(()),
        Some(DataSpace { name, .. }) => filegroup_named(ddl, db, name).map(drop_id),
    }
}

fn drop_id(_: i32) {}

/// FILESTREAM_ON: "NULL" says that there is none.
pub fn refuse_filestream(space: Option<&DataSpace>) -> SqlResult<()> {
    match space {
        Some(space) if !space.name.eq_ignore_ascii_case("NULL") => Err(super::unsupported("FILESTREAM_ON")),
        _ => Ok(()),
    }
}

fn remove_filegroup(ddl: &mut Ddl<'_>, db: &Database, name: &str) -> SqlResult<()> {
    let id = filegroup_named(ddl, db, name)?;
    let (catalog, number) = (ddl.catalog.clone(), i32::from(db.id.0));
    let files = catalog.read(&catalog.expect_database(MASTER), |rows| rows.find::<FileRow>(0, &[int(number)]))?;
    let indexes: Vec<IndexRow> = catalog.read(db, |rows| rows.all())?;
    let schemes = catalog.read(db, |rows| rows.find::<ClassRow>(0, &[small(class::PARTITION_SCHEME)]))?;
    let mut schemes = schemes.iter().filter_map(crate::catalog::partition::scheme);
    if schemes.any(|scheme| scheme.filegroups.contains(&id) || scheme.next == Some(id)) {
        return Err(sql_error!(5042, state 12, "filegroup", name));
    }
    let used = files.iter().any(|file| file.filegroup == id) || indexes.iter().any(|index| index.dataspace == id);
    if used || id == PRIMARY {
        return Err(sql_error!(5042, "filegroup", name));
    }
    catalog.change(db, |rows| rows.delete::<ClassRow>(0, &[small(class::FILEGROUP), int(id)]))?;
    Ok(())
}

fn modify_filegroup(ddl: &mut Ddl<'_>, db: &Database, name: &str, property: &Setting) -> SqlResult<()> {
    filegroup_named(ddl, db, name)?;
    Err(super::unsupported(&format!("ALTER DATABASE MODIFY FILEGROUP ... {}", property.name)))
}

fn add_files(ddl: &mut Ddl<'_>, db: &Database, files: &[FileSpec], group: i32) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let master = catalog.expect_database(MASTER);
    let id = i32::from(db.id.0);
    files.iter().try_for_each(refuse_bounds)?;
    let groups = catalog.read(db, |rows| rows.find::<ClassRow>(0, &[small(class::FILEGROUP), int(group)]))?;
    let in_memory = groups.first().is_some_and(|group| group.status & filegroup_status::IN_MEMORY != 0);
    let status = match (group, in_memory) {
        (LOG, _) => file_status::LOG,
        (_, true) => file_status::IN_MEMORY,
        _ => 0,
    };
    catalog.change(&master, |rows| {
        for spec in files {
            let there = rows.find::<FileRow>(0, &[int(id)])?;
            let fileid = there.iter().map(|file| file.fileid).max().unwrap_or(0) + 1;
            let mut file = FileRow { fileid, status, filegroup: group, ..there[0].clone() };
            describe_file(&mut file, spec);
            refuse_same_name(&there, &file)?;
            rows.insert(&file)?;
        }
        Ok(())
    })
}

/// 1828
fn refuse_same_name(there: &[FileRow], file: &FileRow) -> SqlResult<()> {
    let taken = there.iter().any(|other| other.fileid != file.fileid && other.name.eq_ignore_ascii_case(&file.name));
    if taken { Err(sql_error!(1828, file.name)) } else { Ok(()) }
}

fn remove_file(ddl: &mut Ddl<'_>, db: &Database, name: &str) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let master = catalog.expect_database(MASTER);
    let id = i32::from(db.id.0);
    let removed = catalog.change(&master, |rows| {
        rows.delete_if::<FileRow>(0, &[int(id)], |file| file.fileid > 2 && file.name.eq_ignore_ascii_case(name))
    })?;
    if removed == 0 {
        return Err(sql_error!(5009));
    }
    Ok(())
}

fn modify_file(ddl: &mut Ddl<'_>, db: &Database, spec: &FileSpec) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let master = catalog.expect_database(MASTER);
    let id = i32::from(db.id.0);
    let name =
        find_setting(&spec.settings, "NAME").and_then(|setting| setting_text(&setting.value)).unwrap_or_default();
    let files = catalog.read(&master, |rows| rows.find::<FileRow>(0, &[int(id)]))?;
    let Some(file) = files.iter().find(|file| file.name.eq_ignore_ascii_case(&name)) else {
        return Err(sql_error!(5041, name));
    };
    refuse_bounds(spec)?;
    let mut changed = file.clone();
    describe_file(&mut changed, spec);
    if let Some(renamed) = find_setting(&spec.settings, "NEWNAME").and_then(|setting| setting_text(&setting.value)) {
        changed.name = renamed;
        refuse_same_name(&files, &changed)?;
    }
    catalog.change(&master, |rows| {
        rows.update::<FileRow>(0, &[int(id), int(file.fileid)], |row| *row = changed.clone())
    })?;
    Ok(())
}

pub fn rename(ddl: &mut Ddl<'_>, old: &str, new: &str) -> SqlResult<()> {
    ddl.refuse_in_transaction("ALTER DATABASE")?;
    let db = ddl.catalog.database_named(old).ok_or_else(|| no_such_database(old))?;
    db.check_restored()?;
    if is_system(db.id) {
        return Err(sql_error!(3708, "rename", "database", old, "database"));
    }
    if ddl.catalog.database_named(new).is_some_and(|other| other.id != db.id) {
        return Err(sql_error!(1801, new));
    }
    ddl.catalog.check_open(&db).map_err(|error| sql_error!(5069).after(vec![error]))?;
    let row = DatabaseRow { name: new.to_string(), ..DatabaseRow::clone(&db.row()) };
    database_setting::write(ddl, &db, row)?;
    ddl.message(sql_error!(5021, "database", new));
    Ok(())
}

pub fn drop(ddl: &mut Ddl<'_>, name: &Ident, if_exists: bool) -> SqlResult<()> {
    ddl.refuse_in_transaction("DROP DATABASE")?;
    let Some(db) = ddl.catalog.database_named(name) else {
        return if if_exists { Ok(()) } else { Err(sql_error!(3701, "drop", "database", &**name)) };
    };
    if is_system(db.id) {
        return Err(sql_error!(3708, state 4, "drop", "database", &**name, "database"));
    }
    let is_user = |session: &OtherSession| session.database == i64::from(db.id.0);
    if ddl.site.state().0.database == db.id || other_sessions(ddl)?.iter().any(is_user) {
        return Err(sql_error!(3702, state 3, &**name));
    }
    snapshots::expect_none(&ddl.catalog, &db, "drop")?;
    drop_closed(ddl, &db)
}

/// It goes, whoever uses it.
pub fn drop_closed(ddl: &mut Ddl<'_>, db: &Database) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let master = catalog.expect_database(MASTER);
    let mut tx = catalog.storage.begin(storage::Isolation::ReadCommitted);
    tx.begin_statement();
    catalog.drop_pages(&mut tx, db)?;
    let mut rows = master.rows(&catalog.storage, &mut tx);
    rows.delete::<DatabaseRow>(0, &[int(i32::from(db.id.0))])?;
    rows.delete::<FileRow>(0, &[int(i32::from(db.id.0))])?;
    rows.delete_if::<ReferenceRow>(0, &[int(i32::from(db.id.0))], |row| {
        matches!(row.class, class::SNAPSHOT | class::GOOD_CHECK)
    })?;
    tx.commit(storage::Durability::Full).map_err(storage_error)?;
    catalog.change_governor().unbind(db.id)?;
    catalog.remove_database(db.id);
    if db.is_restoring() {
        catalog.storage.forget_restore(db.storage_id()).map_err(storage_error)?;
    }
    // Plans keep tables open, and these the data file that is gone.
    ddl.site.server().forget_plans(Forget::All);
    Ok(())
}
