//! Files of a database: what CREATE DATABASE names, and ALTER DATABASE ADD, MODIFY and REMOVE FILE. They are rows of the catalog: pages
//! of all databases lie in the instance's own files.
//!
//! What must hold: of a database's files each has a name of its own, of the instance's each a path of its own.
//! https://learn.microsoft.com/sql/t-sql/statements/alter-database-transact-sql-file-and-filegroup-options

use sql::ast::{CreateDatabase, FileSpec, Setting, SettingValue, find_setting};
use types::{SqlError, SqlResult, sql_error};

use super::database_setting::setting_text;
use super::number::whole_number;
use super::site::Ddl;
use crate::catalog::base::{ClassRow, FileRow, class, file_status, filegroup_status};
use crate::catalog::load::{int, small};
use crate::catalog::row::Text;
use crate::catalog::{Database, MASTER};

/// Filegroups of `FileRow`: the first of every database, and what log files have.
pub const PRIMARY: i32 = 1;
pub const LOG: i32 = 0;
/// 2 TB, https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server
const LOG_PAGES_MAX: i32 = 1 << 28;
/// 512 KB.
const SIZE_PAGES_MIN: i32 = 64;

/// The files of a new database: `files` as it has them where nothing is said, and what the statement says of them.
pub fn of_new(ddl: &mut Ddl<'_>, create: &CreateDatabase, mut files: Vec<FileRow>) -> SqlResult<Vec<FileRow>> {
    if let Some(primary) = create.primary.first() {
        describe(&mut files[0], primary);
    }
    if let Some(log) = create.log.first() {
        describe(&mut files[1], log);
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
        describe(&mut file, spec);
        files.push(file);
    }
    for (at, file) in files.iter().enumerate() {
        if is_named(&files[..at], &file.name).is_some() {
            return Err(sql_error!(1828, state 5, file.name));
        }
    }
    let all = all(ddl)?;
    for (at, file) in files.iter().enumerate() {
        // Where nobody has said so, a file may lie where another, whose database has another name since, does.
        let is_said = match at {
            0 => !create.primary.is_empty(),
            1 => !create.log.is_empty(),
            _ => true,
        };
        expect_size(file).map_err(|error| error_with(error, 1))?;
        if is_said && (has_path(&all, file) || has_path(&files[..at], file)) {
            return Err(error_with(sql_error!(5170, state 4, shown(file)), 4));
        }
    }
    Ok(files)
}

/// 1802 behind what it is about.
fn error_with(error: SqlError, state: u8) -> SqlError {
    sql_error!(1802, state state).after(vec![error])
}

/// 5174
fn expect_size(file: &FileRow) -> SqlResult<()> {
    match file.status & file_status::IN_MEMORY == 0 && file.size < SIZE_PAGES_MIN {
        true => Err(sql_error!(5174)),
        false => Ok(()),
    }
}

fn is_named<'a>(files: &'a [FileRow], name: &str) -> Option<&'a FileRow> {
    files.iter().find(|file| file.name.eq_ignore_ascii_case(name))
}

fn has_path(files: &[FileRow], file: &FileRow) -> bool {
    files.iter().any(|other| other.path.0.is_some() && other.path == file.path)
}

fn shown(file: &FileRow) -> &str {
    file.path.0.as_deref().unwrap_or("")
}

/// Of all databases.
fn all(ddl: &Ddl<'_>) -> SqlResult<Vec<FileRow>> {
    let catalog = ddl.catalog.clone();
    catalog.read(&catalog.expect_database(MASTER), |rows| rows.all())
}

/// What the user says of a file: shown, while pages of all databases are in the instance's own files.
fn describe(file: &mut FileRow, spec: &FileSpec) {
    let setting = |name: &str| find_setting(&spec.settings, name).map(|setting| &setting.value);
    if let Some(name) = setting("NAME").and_then(setting_text) {
        file.name = name;
    }
    if let Some(path) = setting("FILENAME").and_then(setting_text) {
        file.path = Text(Some(path));
    }
    if let Some(pages) = setting("SIZE").and_then(pages) {
        file.size = pages;
    }
    if let Some(pages) = setting("MAXSIZE").and_then(pages) {
        file.size_max = pages;
    }
    match setting("FILEGROWTH") {
        Some(SettingValue::Quantity(percent, unit)) if matches!(&**unit, "%" | "PERCENT") => {
            file.growth = whole_number(percent).and_then(|percent| i32::try_from(percent).ok()).unwrap_or(file.growth);
            file.status |= file_status::PERCENT;
        }
        Some(amount) => {
            if let Some(pages) = pages(amount) {
                file.growth = pages;
                file.status &= !file_status::PERCENT;
            }
        }
        None => {}
    }
}

/// A file that may not grow, or not beyond a size, would have to be full some day (1105): rows of all databases lie in the instance's
/// files, which have no such bound. UNLIMITED is what they are, and 2 TB or more, which is the most that a log file of SQL Server may have and
/// what its tools write for it. FILEGROWTH by some amount says how, not how far.
pub fn refuse_bounds(spec: &FileSpec) -> SqlResult<()> {
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

/// 1036: a file that is to be added is named, and where it is to be.
fn expect_named(spec: &FileSpec) -> SqlResult<()> {
    let says = |name: &str| find_setting(&spec.settings, name).is_some();
    match (says("NAME"), says("FILENAME")) {
        (false, _) => Err(sql_error!(1036, severity 16, state 3, "NAME")),
        (true, false) => Err(sql_error!(1036, "FILENAME")),
        (true, true) => Ok(()),
    }
}

pub fn add(ddl: &mut Ddl<'_>, db: &Database, specs: &[FileSpec], group: i32) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let master = catalog.expect_database(MASTER);
    let id = i32::from(db.id.0);
    specs.iter().try_for_each(expect_named)?;
    specs.iter().try_for_each(refuse_bounds)?;
    let groups = catalog.read(db, |rows| rows.find::<ClassRow>(0, &[small(class::FILEGROUP), int(group)]))?;
    let in_memory = groups.first().is_some_and(|group| group.status & filegroup_status::IN_MEMORY != 0);
    let status = match (group, in_memory) {
        (LOG, _) => file_status::LOG,
        (_, true) => file_status::IN_MEMORY,
        _ => 0,
    };
    catalog.change(&master, |rows| {
        let mut all: Vec<FileRow> = rows.all()?;
        let mut there: Vec<FileRow> = all.iter().filter(|file| file.dbid == id).cloned().collect();
        let count = there.len();
        for spec in specs {
            let fileid = there.iter().map(|file| file.fileid).max().unwrap_or(0) + 1;
            let mut file = FileRow { fileid, status, filegroup: group, ..there[0].clone() };
            describe(&mut file, spec);
            if is_named(&there[..count], &file.name).is_some() {
                return Err(sql_error!(1828, state 4, file.name));
            }
            if is_named(&there[count..], &file.name).is_some() {
                return Err(sql_error!(1828, state 9, file.name));
            }
            expect_size(&file).map_err(|error| sql_error!(5009, state 8).after(vec![error]))?;
            if has_path(&all, &file) {
                return Err(sql_error!(5170, shown(&file)).after(vec![sql_error!(5009)]));
            }
            rows.insert(&file)?;
            all.push(file.clone());
            there.push(file);
        }
        Ok(())
    })
}

/// 5009: there is none; 5020: a database has its first data file and its first log file always.
pub fn remove(ddl: &mut Ddl<'_>, db: &Database, name: &str) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let id = i32::from(db.id.0);
    let files: Vec<FileRow> = all(ddl)?.into_iter().filter(|file| file.dbid == id).collect();
    let file = is_named(&files, name).ok_or_else(|| sql_error!(5009, state 9))?;
    if file.fileid <= 2 {
        return Err(sql_error!(5020));
    }
    catalog.change(&catalog.expect_database(MASTER), |rows| rows.delete::<FileRow>(0, &[int(id), int(file.fileid)]))?;
    ddl.message(sql_error!(5044, "file", file.name));
    Ok(())
}

pub fn modify(ddl: &mut Ddl<'_>, db: &Database, spec: &FileSpec) -> SqlResult<()> {
    let catalog = ddl.catalog.clone();
    let id = i32::from(db.id.0);
    let text = |name: &str| find_setting(&spec.settings, name).and_then(|setting| setting_text(&setting.value));
    let name = text("NAME").ok_or_else(|| sql_error!(1036, severity 16, state 3, "NAME"))?;
    let (own, others): (Vec<FileRow>, Vec<FileRow>) = all(ddl)?.into_iter().partition(|file| file.dbid == id);
    let Some(file) = is_named(&own, &name) else {
        return Err(sql_error!(5041, name));
    };
    let changes = |setting: &Setting| &*setting.name != "NAME";
    if !spec.settings.iter().any(changes) {
        return Err(sql_error!(5038, file.name));
    }
    refuse_bounds(spec)?;
    let mut changed = file.clone();
    describe(&mut changed, spec);
    let renamed = text("NEWNAME");
    if let Some(renamed) = &renamed {
        if is_named(&own, renamed).is_some() {
            return Err(sql_error!(1828, state 3, renamed));
        }
        changed.name = renamed.clone();
    }
    let moved = text("FILENAME").is_some();
    let mut rest = own.iter().filter(|other| other.fileid != file.fileid).chain(&others);
    if moved && rest.any(|other| other.path == changed.path) {
        return Err(sql_error!(12106, shown(&changed)));
    }
    if find_setting(&spec.settings, "SIZE").is_some() && i64::from(changed.size) <= size(ddl, file)? {
        return Err(sql_error!(5039));
    }
    catalog.change(&catalog.expect_database(MASTER), |rows| {
        rows.update::<FileRow>(0, &[int(id), int(file.fileid)], |row| *row = changed.clone())
    })?;
    if moved {
        ddl.message(sql_error!(5018, file.name));
    }
    if let Some(renamed) = renamed {
        ddl.message(sql_error!(5021, "file", renamed));
    }
    Ok(())
}

/// Pages, as the catalog shows them.
fn size(ddl: &mut Ddl<'_>, file: &FileRow) -> SqlResult<i64> {
    let query = format!(
        "SELECT CONVERT(bigint, size) FROM sys.master_files WHERE database_id = {} AND file_id = {}",
        file.dbid, file.fileid
    );
    let mut found = i64::from(file.size);
    ddl.site.query(&query, &mut |_, batch| {
        if batch.rows > 0 {
            found = found.max(batch.columns[0].datum(0).as_i64());
        }
        Ok(())
    })?;
    Ok(found)
}
