//! Database snapshots: CREATE DATABASE ... AS SNAPSHOT OF, RESTORE DATABASE ... FROM DATABASE_SNAPSHOT.
//!
//! A snapshot is a copy of its source as it was when the statement began, taken while others go on writing: it costs the source nothing
//! afterwards, and takes the space of the whole from the beginning, where SQL Server's grows as pages of the source change.
//!
//! What must hold: nobody changes it (3906), and its source stays as long as it does (3709).
//! https://learn.microsoft.com/sql/relational-databases/databases/database-snapshots-sql-server

use std::sync::Arc;

use sql::ast::{BackupDevice, CreateDatabase, Expr, Literal, Restore, find_setting};
use storage::Isolation;
use storage::backup::Target;
use types::{SqlResult, sql_error};

use super::backup::Reporter;
use super::backup_options::Options;
use super::closed::expect_nobody;
use super::database_setting::setting_text;
use super::site::Ddl;
use crate::catalog::base::{DatabaseRow, FileRow, ReferenceRow, class, database_option};
use crate::catalog::error::storage_error;
use crate::catalog::family::{self, new_guid};
use crate::catalog::load::int;
use crate::catalog::row::{Binary, Text};
use crate::catalog::{Database, MASTER, clock, is_system, no_such_database, snapshots, suspects};
use crate::instance::plan_cache::Forget;

/// Of what a snapshot takes over, all but this.
const NOT_TAKEN: i64 = database_option::STATES | database_option::AUTO_CLOSE | database_option::AUTO_SHRINK;

/// 1821, 1822, 1825, 5127: there can be none of that, or not so.
pub fn create(ddl: &mut Ddl<'_>, create: &CreateDatabase, source: &str) -> SqlResult<()> {
    let name = create.name.to_string();
    if ddl.catalog.database_named(&name).is_some() {
        return Err(sql_error!(1801, name));
    }
    let db = ddl.catalog.database_named(source).ok_or_else(|| no_such_database(source))?;
    if db.option(database_option::SNAPSHOT) {
        return Err(sql_error!(1821));
    }
    if is_system(db.id) {
        return Err(super::unsupported(&format!("CREATE DATABASE ... AS SNAPSHOT OF {source}")));
    }
    if db.is_restoring() || ddl.catalog.storage.hold_of(db.storage_id()).is_some() {
        return Err(sql_error!(1822));
    }
    if create.collation.is_some() || !create.filegroups.is_empty() || !create.log.is_empty() {
        return Err(sql_error!(1825));
    }
    let catalog = ddl.catalog.clone();
    let claimed = catalog.claim_database_id(false)?;
    let files = files(ddl, create, &db, claimed.id)?;
    let options = db.row().options & !NOT_TAKEN | database_option::SNAPSHOT;
    let row = DatabaseRow { snapshot_isolation: 1, ..row_of_copy(ddl, &db, (claimed.id, &name), options)? };
    let mut tx = copy(ddl, &db, claimed.id, &name)?;
    let master = catalog.expect_database(MASTER);
    master.rows(&catalog.storage, &mut tx).insert(&snapshots::reference(claimed.id, db.id.0))?;
    catalog.put_restored(tx, row, &files, (new_guid(), None), None)?;
    ddl.site.server().forget_plans(Forget::All);
    Ok(())
}

/// Master's row of a copy that nobody changes, and who makes it owns.
pub fn row_of_copy(ddl: &mut Ddl<'_>, db: &Database, (id, name): (u16, &str), options: i64) -> SqlResult<DatabaseRow> {
    let maker = ddl.rights(|rights, look| rights.login(look))?.and_then(|login| login.sid.clone());
    Ok(DatabaseRow {
        id: id.into(),
        name: name.to_string(),
        created: clock::now(),
        options: options | database_option::READ_ONLY,
        user_access: 0,
        owner_sid: Binary(maker),
        ..(*db.row()).clone()
    })
}

/// The transaction with which the copy comes to be.
fn copy(ddl: &mut Ddl<'_>, db: &Database, id: u16, name: &str) -> SqlResult<storage::Transaction> {
    let catalog = ddl.catalog.clone();
    // What identity columns have reserved is not what they have given.
    db.counters.write_back(&catalog.storage, db)?;
    let mut tx = catalog.storage.begin(Isolation::ReadCommitted);
    tx.begin_statement();
    let mut reporter = Reporter::new(ddl, &Options::default());
    let target = || Target { database: storage::DatabaseId(id), name };
    let copied = reporter.follow(ddl, |step| catalog.storage.copy_database(&mut tx, db.storage_id(), target(), step));
    copied.map_err(storage_error)?;
    Ok(tx)
}

/// Each data file of the source, where the statement says. 5127: one is not said; 5041's like for a name that is none of them.
fn files(ddl: &mut Ddl<'_>, create: &CreateDatabase, db: &Database, id: u16) -> SqlResult<Vec<FileRow>> {
    let catalog = ddl.catalog.clone();
    let master = catalog.expect_database(MASTER);
    let all: Vec<FileRow> = catalog.read(&master, |rows| rows.all())?;
    let mut said = Vec::new();
    for spec in &create.primary {
        let text = |name: &str| find_setting(&spec.settings, name).and_then(|setting| setting_text(&setting.value));
        let (Some(name), Some(path)) = (text("NAME"), text("FILENAME")) else {
            return Err(sql_error!(102, "NAME"));
        };
        if all.iter().any(|file| file.path.0.as_deref() == Some(&path)) {
            return Err(sql_error!(5170, path));
        }
        said.push((name, path));
    }
    let of_source = |file: &&FileRow| file.dbid == i32::from(db.id.0) && file.filegroup != 0;
    let mut files = Vec::new();
    for file in all.iter().filter(of_source) {
        let found = said.iter().position(|(name, _)| db.equal_names(name, &file.name));
        let found = found.ok_or_else(|| sql_error!(5127, file.name))?;
        let (_, path) = said.swap_remove(found);
        files.push(FileRow { dbid: id.into(), path: Text(Some(path)), ..file.clone() });
    }
    match said.first() {
        Some((name, _)) => Err(sql_error!(5041, name)),
        None => Ok(files),
    }
}

/// The snapshot that a RESTORE DATABASE is from.
pub fn named_by(ddl: &Ddl<'_>, statement: &Restore) -> Option<String> {
    match &statement.devices[..] {
        [BackupDevice::File(kind, value)] if &**kind == "DATABASE_SNAPSHOT" => Some(match value {
            Expr::Literal(Literal::String { text, .. }) => text.to_string(),
            Expr::Variable(variable) => ddl.site.variable(&variable.name).unwrap_or("").to_string(),
            _ => String::new(),
        }),
        _ => None,
    }
}

/// The source is what it was. 3137: it is no snapshot of it, or there are others.
pub fn revert(ddl: &mut Ddl<'_>, name: &str, old: Option<&Arc<Database>>, snapshot: &str) -> SqlResult<()> {
    if ddl.site.in_user_transaction() {
        return Err(sql_error!(3021));
    }
    let old = old.ok_or_else(|| no_such_database(name))?;
    let from = ddl.catalog.database_named(snapshot).ok_or_else(|| sql_error!(3137))?;
    if snapshots::of(&ddl.catalog, old)? != [from.name()] {
        return Err(sql_error!(3137));
    }
    expect_nobody(ddl, old, "RESTORE")?;
    let catalog = ddl.catalog.clone();
    let claimed = catalog.claim_database_id(true)?;
    let number = i32::from(old.id.0);
    let master = catalog.expect_database(MASTER);
    let files: Vec<FileRow> = catalog.read(&master, |rows| rows.find(0, &[int(number)]))?;
    let files: Vec<FileRow> = files.into_iter().map(|file| FileRow { dbid: claimed.id.into(), ..file }).collect();
    let row = DatabaseRow { id: claimed.id.into(), ..(*old.row()).clone() };
    let family = family::of(&catalog, old)?.family;
    let mut tx = copy(ddl, &from, claimed.id, name)?;
    // Who came meanwhile.
    expect_nobody(ddl, old, "RESTORE")?;
    let mut rows = master.rows(&catalog.storage, &mut tx);
    rows.delete_if::<ReferenceRow>(0, &[int(from.id.0.into())], |row| row.class == class::SNAPSHOT)?;
    rows.insert(&snapshots::reference(from.id.0, claimed.id))?;
    catalog.put_restored(tx, row, &files, (family, None), Some(old))?;
    suspects::restored(&catalog, old.id.0, claimed.id);
    catalog.change_governor().unbind(old.id)?;
    ddl.site.server().forget_plans(Forget::All);
    Ok(())
}
