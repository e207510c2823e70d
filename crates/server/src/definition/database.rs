//! CREATE, ALTER and DROP DATABASE. Each runs in a transaction of its own: SQL Server allows none of them in a user's.

use sql::ast::{
    AlterDatabase, AlterDatabaseAction, CreateDatabase, Expr, FileSpec, Ident, Literal, Setting, SettingValue,
    find_setting,
};
use types::{SqlResult, sql_error};

use super::number::whole_number;
use super::server::{OtherSession, other_sessions};
use super::site::Ddl;
use crate::catalog::base::{ClassRow, DatabaseRow, FileRow, class, database_option};
use crate::catalog::boot::{database_row, files_of};
use crate::catalog::error::storage_error;
use crate::catalog::load::{int, small};
use crate::catalog::row::Text;
use crate::catalog::{DATABASES_MAX, MASTER, MODEL, clock, is_system, no_such_database};
use crate::instance::plan_cache::Forget;

pub fn create(ddl: &mut Ddl<'_>, create: &CreateDatabase) -> SqlResult<()> {
    ddl.refuse_in_transaction("CREATE DATABASE")?;
    let name = create.name.to_string();
    if create.snapshot_of.is_some() {
        return Err(super::unsupported("CREATE DATABASE ... AS SNAPSHOT OF"));
    }
    if create.attach.is_some() {
        return Err(super::unsupported("CREATE DATABASE ... FOR ATTACH"));
    }
    if ddl.catalog.database_named(&name).is_some() {
        return Err(sql_error!(1801, name));
    }
    let taken: Vec<u16> = ddl.catalog.databases().iter().map(|db| db.id.0).collect();
    if taken.len() >= DATABASES_MAX {
        return Err(sql_error!(1835, DATABASES_MAX));
    }
    let id = (5..).find(|id| !taken.contains(id)).expect("fewer databases than numbers");
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
        apply(&mut row, setting)?;
    }
    let mut files = files_of(&ddl.catalog.data_directory, i32::from(id), &name).to_vec();
    if let Some(primary) = create.primary.first() {
        describe_file(&mut files[0], primary);
    }
    if let Some(log) = create.log.first() {
        describe_file(&mut files[1], log);
    }
    for spec in create.primary.iter().skip(1).chain(create.filegroups.iter().flat_map(|group| &group.files)) {
        let mut file = FileRow { fileid: files.len() as i32 + 1, ..files[0].clone() };
        describe_file(&mut file, spec);
        files.push(file);
    }
    ddl.catalog.create_database(row, &files)?;
    let made = ddl.catalog.database_named(&name).expect("the database just made");
    for (i, group) in create.filegroups.iter().enumerate() {
        add_filegroup(ddl, &made, &group.name, i as i32 + 2)?;
    }
    Ok(())
}

fn add_filegroup(ddl: &mut Ddl<'_>, db: &crate::catalog::Database, name: &str, id: i32) -> SqlResult<()> {
    let now = clock::now();
    let row = ClassRow {
        class: class::FILEGROUP,
        id,
        name: name.to_string(),
        owner: 1,
        created: now,
        modified: now,
        status: 0,
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

fn setting_text(value: &SettingValue) -> Option<String> {
    match value {
        SettingValue::Word(word) => Some(word.to_string()),
        SettingValue::Name(name) => Some(name.name.to_string()),
        SettingValue::Value(Expr::Literal(Literal::String { text, .. })) => Some(text.to_string()),
        _ => None,
    }
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
    let mut row = DatabaseRow::clone(&db.row());
    match &alter.action {
        AlterDatabaseAction::ScopedConfiguration { .. } => return Ok(()),
        AlterDatabaseAction::Set { settings, .. } => {
            ddl.refuse_in_transaction("ALTER DATABASE")?;
            for setting in settings {
                apply(&mut row, setting)?;
            }
        }
        AlterDatabaseAction::ModifyName(name) => return rename(ddl, &db.name(), name),
        AlterDatabaseAction::Collate(collation) => {
            types::collation::lookup(collation).ok_or_else(|| super::data_type::invalid_collation(collation))?;
            return Err(sql_error!(5072, db.name(), &**collation));
        }
        AlterDatabaseAction::AddFilegroup { name, .. } => {
            let groups = ddl.catalog.clone().read(&db, |rows| rows.find::<ClassRow>(0, &[small(class::FILEGROUP)]))?;
            let id = groups.iter().map(|group| group.id).max().unwrap_or(1) + 1;
            return add_filegroup(ddl, &db, name, id);
        }
        AlterDatabaseAction::RemoveFilegroup(name) => {
            let wanted = name.to_string();
            let removed = ddl.catalog.clone().change(&db, |rows| {
                rows.delete_if::<ClassRow>(0, &[small(class::FILEGROUP)], |group| {
                    group.name.eq_ignore_ascii_case(&wanted) && group.id != 1
                })
            })?;
            if removed == 0 {
                return Err(sql_error!(1921, "filegroup", wanted));
            }
            return Ok(());
        }
        AlterDatabaseAction::ModifyFilegroup { .. } => return Ok(()),
        AlterDatabaseAction::AddFile { files, .. } => return add_files(ddl, &db, files, false),
        AlterDatabaseAction::AddLogFile(files) => return add_files(ddl, &db, files, true),
        AlterDatabaseAction::RemoveFile(name) => return remove_file(ddl, &db, name),
        AlterDatabaseAction::ModifyFile(spec) => return modify_file(ddl, &db, spec),
        AlterDatabaseAction::Other(what) => return Err(super::unsupported(&format!("ALTER DATABASE {what}"))),
    }
    write(ddl, &db, row)
}

pub fn write(ddl: &mut Ddl<'_>, db: &crate::catalog::Database, row: DatabaseRow) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let master = catalog.expect_database(MASTER);
    catalog.change(&master, |rows| rows.update::<DatabaseRow>(0, &[int(row.id)], |old| *old = row.clone()))?;
    db.set_row(row);
    catalog.raise_databases_version();
    catalog.raise_version();
    Ok(())
}

fn apply(row: &mut DatabaseRow, setting: &Setting) -> SqlResult<()> {
    let word = || setting_text(&setting.value).map(|text| text.to_ascii_uppercase());
    let bad = || sql_error!(102, setting.name);
    let on = setting.is_on();
    match &*setting.name {
        "ALLOW_SNAPSHOT_ISOLATION" => row.snapshot_isolation = u8::from(on),
        "RECOVERY" => {
            row.recovery_model = match word().as_deref() {
                Some("FULL") => 1,
                Some("BULK_LOGGED") => 2,
                Some("SIMPLE") => 3,
                _ => return Err(bad()),
            }
        }
        "PAGE_VERIFY" => {
            row.page_verify = match word().as_deref() {
                Some("NONE") => 0,
                Some("TORN_PAGE_DETECTION") => 1,
                Some("CHECKSUM") => 2,
                _ => return Err(bad()),
            }
        }
        "DELAYED_DURABILITY" => {
            row.delayed_durability = match word().as_deref() {
                Some("DISABLED") => 0,
                Some("ALLOWED") => 1,
                // Scripts in print say FORCE.
                Some("FORCED" | "FORCE") => 2,
                _ => return Err(bad()),
            }
        }
        "COMPATIBILITY_LEVEL" => {
            let level = match &setting.value {
                SettingValue::Value(expr) => whole_number(expr),
                _ => None,
            };
            row.compatibility_level = match level {
                Some(level @ (100 | 110 | 120 | 130 | 140 | 150 | 160)) => level as u8,
                _ => return Err(sql_error!(15048, 100, 110, 120, 130, 140, 150, 160)),
            };
        }
        "TARGET_RECOVERY_TIME" => {
            let (number, unit) = match &setting.value {
                SettingValue::Quantity(expr, unit) => (whole_number(expr), &**unit),
                SettingValue::Value(expr) => (whole_number(expr), "SECONDS"),
                _ => (None, ""),
            };
            let number = number.and_then(|n| i32::try_from(n).ok()).ok_or_else(bad)?;
            row.target_recovery_time = if unit.starts_with("MINUTE") { number.saturating_mul(60) } else { number };
        }
        "MULTI_USER" => row.user_access = 0,
        "SINGLE_USER" => row.user_access = 1,
        "RESTRICTED_USER" => row.user_access = 2,
        "READ_ONLY" => row.options |= database_option::READ_ONLY,
        "READ_WRITE" => row.options &= !database_option::READ_ONLY,
        "ONLINE" => row.options &= !database_option::OFFLINE,
        "OFFLINE" | "EMERGENCY" => return Err(super::unsupported(&format!("ALTER DATABASE SET {}", setting.name))),
        "ENABLE_BROKER" | "NEW_BROKER" => row.options |= database_option::ENABLE_BROKER,
        "DISABLE_BROKER" => row.options &= !database_option::ENABLE_BROKER,
        "PARAMETERIZATION" => set(row, database_option::PARAMETERIZATION_FORCED, word().as_deref() == Some("FORCED")),
        "CURSOR_DEFAULT" => set(row, database_option::CURSOR_DEFAULT_LOCAL, word().as_deref() == Some("LOCAL")),
        "QUERY_STORE" => set(row, database_option::QUERY_STORE, on),
        // Said and kept nowhere: nothing behaves differently for them.
        "CHANGE_TRACKING"
        | "CONTAINMENT"
        | "DB_CHAINING_OFF"
        | "DEFAULT_LANGUAGE"
        | "DEFAULT_FULLTEXT_LANGUAGE"
        | "NESTED_TRIGGERS"
        | "FILESTREAM"
        | "TWO_DIGIT_YEAR_CUTOFF"
        | "TRANSFORM_NOISE_WORDS"
        | "HADR"
        | "AUTOMATIC_TUNING"
        | "TEMPORAL_HISTORY_RETENTION"
        | "SUPPLEMENTAL_LOGGING"
        | "VARDECIMAL_STORAGE_FORMAT"
        | "CATALOG_COLLATION"
        | "LEDGER"
        | "PERSISTENT_LOG_BUFFER"
        | "REMOTE_DATA_ARCHIVE"
        | "DATA_RETENTION" => {}
        name => match database_option::NAMES.iter().find(|(known, _)| *known == name) {
            Some((_, bit)) => set(row, *bit, on),
            None => return Err(bad()),
        },
    }
    Ok(())
}

fn set(row: &mut DatabaseRow, bit: i64, on: bool) {
    row.options = if on { row.options | bit } else { row.options & !bit };
}

fn add_files(ddl: &mut Ddl<'_>, db: &crate::catalog::Database, files: &[FileSpec], log: bool) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let master = catalog.expect_database(MASTER);
    let id = i32::from(db.id.0);
    catalog.change(&master, |rows| {
        for spec in files {
            let there = rows.find::<FileRow>(0, &[int(id)])?;
            let fileid = there.iter().map(|file| file.fileid).max().unwrap_or(0) + 1;
            let mut file =
                FileRow { fileid, status: if log { 2 } else { 0 }, filegroup: i32::from(!log), ..there[0].clone() };
            describe_file(&mut file, spec);
            rows.insert(&file)?;
        }
        Ok(())
    })
}

fn remove_file(ddl: &mut Ddl<'_>, db: &crate::catalog::Database, name: &str) -> SqlResult<()> {
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

fn modify_file(ddl: &mut Ddl<'_>, db: &crate::catalog::Database, spec: &FileSpec) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let master = catalog.expect_database(MASTER);
    let id = i32::from(db.id.0);
    let name =
        find_setting(&spec.settings, "NAME").and_then(|setting| setting_text(&setting.value)).unwrap_or_default();
    let files = catalog.read(&master, |rows| rows.find::<FileRow>(0, &[int(id)]))?;
    let Some(file) = files.iter().find(|file| file.name.eq_ignore_ascii_case(&name)) else {
        return Err(sql_error!(5041, name));
    };
    let mut changed = file.clone();
    describe_file(&mut changed, spec);
    catalog.change(&master, |rows| {
        rows.update::<FileRow>(0, &[int(id), int(file.fileid)], |row| *row = changed.clone())
    })?;
    Ok(())
}

pub fn rename(ddl: &mut Ddl<'_>, old: &str, new: &str) -> SqlResult<()> {
    ddl.refuse_in_transaction("ALTER DATABASE")?;
    let db = ddl.catalog.database_named(old).ok_or_else(|| no_such_database(old))?;
    if is_system(db.id) {
        return Err(sql_error!(3708, "rename", "database", old, "database"));
    }
    if ddl.catalog.database_named(new).is_some_and(|other| other.id != db.id) {
        return Err(sql_error!(1801, new));
    }
    let row = DatabaseRow { name: new.to_string(), ..DatabaseRow::clone(&db.row()) };
    write(ddl, &db, row)?;
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
    let catalog = ddl.catalog.clone();
    let master = catalog.expect_database(MASTER);
    let mut tx = catalog.storage.begin(storage::Isolation::ReadCommitted);
    tx.begin_statement();
    catalog.storage.drop_database(&mut tx, db.storage_id()).map_err(storage_error)?;
    let mut rows = master.rows(&catalog.storage, &mut tx);
    rows.delete::<DatabaseRow>(0, &[int(i32::from(db.id.0))])?;
    rows.delete::<FileRow>(0, &[int(i32::from(db.id.0))])?;
    tx.commit(storage::Durability::Full).map_err(storage_error)?;
    catalog.change_governor().unbind(db.id)?;
    catalog.remove_database(db.id);
    // Plans keep tables open, and these the data file that is gone.
    ddl.site.server().forget_plans(Forget::All);
    Ok(())
}
