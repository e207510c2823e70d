//! CREATE, ALTER and DROP DATABASE. Each runs in a transaction of its own: SQL Server allows none of them in a user's.

use sql::ast::{AlterDatabase, AlterDatabaseAction, CreateDatabase, DataSpace, Ident, Setting, SettingValue};
use types::{SqlResult, sql_error};

use super::access;
use super::database_file::{self, LOG, PRIMARY};
use super::database_setting::{self, setting_text};
use super::database_state;
use super::server::{OtherSession, other_sessions};
use super::site::Ddl;
use crate::catalog::base::{
    ClassRow, DatabaseRow, FileRow, IndexRow, ReferenceRow, class, database_option, filegroup_status,
};
use crate::catalog::boot::{database_row, files_of};
use crate::catalog::error::storage_error;
use crate::catalog::load::{int, small};
use crate::catalog::row::{Binary, Text};
use crate::catalog::{Database, MASTER, MODEL, clock, family, is_system, no_such_database, snapshots};
use crate::instance::plan_cache::Forget;

/// `DatabaseRow::recovery_model`.
const SIMPLE: u8 = 3;

pub fn create(ddl: &mut Ddl<'_>, create: &CreateDatabase) -> SqlResult<()> {
    ddl.refuse_in_transaction("CREATE DATABASE")?;
    let name = create.name.to_string();
    if create.containment.as_ref().is_some_and(|kind| !kind.eq_ignore_ascii_case("NONE")) {
        return Err(super::unsupported("CREATE DATABASE ... CONTAINMENT"));
    }
    let grouped = create.filegroups.iter().flat_map(|group| &group.files);
    create.primary.iter().chain(grouped).chain(&create.log).try_for_each(database_file::refuse_bounds)?;
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
    let files = files_of(&ddl.catalog.data_directory, i32::from(id), &name).to_vec();
    let files = database_file::of_new(ddl, create, files)?;
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
        value: Text(Some(family::written(&family::new_guid()))),
    };
    ddl.catalog.clone().change(db, |rows| rows.insert(&row))
}

pub fn alter(ddl: &mut Ddl<'_>, alter: &AlterDatabase) -> SqlResult<()> {
    let db = match &alter.name {
        None => ddl.current()?,
        Some(name) => {
            let missing = || sql_error!(5069).after(vec![sql_error!(5011, state 5, &**name)]);
            ddl.catalog.database_named(name).ok_or_else(missing)?
        }
    };
    if db.is_restoring() {
        return Err(sql_error!(5069).after(vec![sql_error!(5052, "ALTER DATABASE", "RESTORING")]));
    }
    if db.option(database_option::SNAPSHOT) {
        return Err(sql_error!(5069).after(vec![sql_error!(5093)]));
    }
    if db.is_in_standby() && !lets_in(&alter.action) {
        return Err(sql_error!(5069).after(vec![sql_error!(5063, db.name())]));
    }
    match &alter.action {
        AlterDatabaseAction::ScopedConfiguration { settings, clear: false, secondary } => {
            database_setting::set_scoped(ddl, &db, settings, *secondary)
        }
        AlterDatabaseAction::ScopedConfiguration { settings, clear: true, .. } => clear_scoped(ddl, &db, settings),
        AlterDatabaseAction::Set { settings, termination } => {
            ddl.refuse_in_transaction("ALTER DATABASE")?;
            let mut row = DatabaseRow::clone(&db.row());
            for setting in settings {
                database_setting::check_of_system(&db, setting)?;
                database_setting::apply(&mut row, setting)?;
            }
            if database_state::is_changed(settings) {
                return database_state::change(ddl, &db, settings, termination.as_ref());
            }
            ddl.catalog.check_open(&db).map_err(|error| sql_error!(5069).after(vec![error]))?;
            let own = db.clone();
            access::change(ddl, &own, settings, termination.as_ref())?;
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
            database_file::add(ddl, &db, files, group)
        }
        AlterDatabaseAction::AddLogFile(files) => database_file::add(ddl, &db, files, LOG),
        AlterDatabaseAction::RemoveFile(name) => database_file::remove(ddl, &db, name),
        AlterDatabaseAction::ModifyFile(spec) => database_file::modify(ddl, &db, spec),
        AlterDatabaseAction::Other(what) => Err(super::unsupported(&format!("ALTER DATABASE {what}"))),
    }
}

/// All that can be said of a database in standby: who may be in it.
fn lets_in(action: &AlterDatabaseAction) -> bool {
    let says_who = |setting: &Setting| matches!(&*setting.name, "SINGLE_USER" | "RESTRICTED_USER" | "MULTI_USER");
    matches!(action, AlterDatabaseAction::Set { settings, .. } if settings.iter().all(says_who))
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
        Some(DataSpace { name, columns }) if !columns.is_empty() => Err(sql_error!(1921, "partition scheme", &**name)),
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
    ddl.message(sql_error!(5044, "filegroup", name));
    Ok(())
}

/// NAME is a name in the catalog; what else a filegroup may be asked for is what it is not here.
/// https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-file-and-filegroup-options
fn modify_filegroup(ddl: &mut Ddl<'_>, db: &Database, name: &str, property: &Setting) -> SqlResult<()> {
    let id = filegroup_named(ddl, db, name).map_err(|_| sql_error!(5014, state 2, "filegroup", name, db.name()))?;
    let catalog = ddl.catalog.clone();
    match (&*property.name, setting_text(&property.value)) {
        ("NAME", Some(_)) if id == PRIMARY => Err(sql_error!(5012)),
        ("NAME", Some(renamed)) => {
            if renamed.eq_ignore_ascii_case("PRIMARY")
                || filegroup_named(ddl, db, &renamed).is_ok_and(|other| other != id)
            {
                return Err(sql_error!(5035, state 2, renamed));
            }
            catalog.change(db, |rows| {
                rows.update::<ClassRow>(0, &[small(class::FILEGROUP), int(id)], |row| row.name = renamed.clone())
            })?;
            ddl.message(sql_error!(5021, state 3, "filegroup", renamed));
            Ok(())
        }
        ("READ_ONLY" | "READONLY" | "READ_WRITE" | "READWRITE", _) if id == PRIMARY => Err(sql_error!(5047)),
        ("DEFAULT", _) if id == PRIMARY => Err(sql_error!(5045, state 3, "filegroup", "DEFAULT")),
        ("AUTOGROW_SINGLE_FILE", _) => Err(sql_error!(5045, state 4, "filegroup", property.name)),
        ("READ_WRITE" | "READWRITE", _) => Err(sql_error!(5045, state 2, "filegroup", "READ_WRITE")),
        _ => Err(super::unsupported(&format!("ALTER DATABASE MODIFY FILEGROUP ... {}", property.name))),
    }
}

pub fn rename(ddl: &mut Ddl<'_>, old: &str, new: &str) -> SqlResult<()> {
    ddl.refuse_in_transaction("ALTER DATABASE")?;
    let db = ddl.catalog.database_named(old).ok_or_else(|| no_such_database(old))?;
    db.check_restored()?;
    if is_system(db.id) {
        return Err(sql_error!(5016, old));
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
    if db.awaits_restore() {
        catalog.storage.forget_restore(db.storage_id()).map_err(storage_error)?;
    }
    // Plans keep tables open, and these the data file that is gone.
    ddl.site.server().forget_plans(Forget::All);
    Ok(())
}
