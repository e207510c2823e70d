//! FILE_ID, FILEGROUP_NAME, FILEPROPERTY and their kin: files and filegroups of the current database, as sys.database_files and
//! sys.filegroups have them.
//! https://learn.microsoft.com/sql/t-sql/functions/fileproperty-transact-sql
//! https://learn.microsoft.com/sql/t-sql/functions/filegroupproperty-transact-sql

use exec::session::Session as State;
use sql::function::FunctionId;
use types::SqlResult;

use super::answer::{Answer, Arguments};
use crate::catalog::base::{ClassRow, FileRow, class, file_status};
use crate::catalog::load::{int, small};
use crate::catalog::{Database, MASTER};
use crate::session::host::SessionHost;

const PRIMARY_FILE: i32 = 1;
const PRIMARY_GROUP: i32 = 1;
/// Of a filegroup's `ClassRow::status`.
const DEFAULT: i32 = 1;

pub fn answer(
    host: &mut SessionHost,
    state: &mut State,
    db: &Database,
    (function, arguments): (FunctionId, &Arguments<'_>),
) -> SqlResult<Answer> {
    use FunctionId::{FileName, FilegroupId, FilegroupName, Filegroupproperty, Fileproperty};
    let (named, numbered) = (arguments.text(0), arguments.number(0));
    let is_meant = |id: i32, name: &str| match function {
        FileName | FilegroupName => numbered == Some(id.into()),
        _ => named.as_deref().is_some_and(|named| db.equal_names(named, name)),
    };
    let property = || arguments.text(1).unwrap_or_default().trim().to_ascii_lowercase();
    if matches!(function, FilegroupId | FilegroupName | Filegroupproperty) {
        let groups: Vec<ClassRow> = host.catalog_rows(state, db, |rows| rows.find(0, &[small(class::FILEGROUP)]))?;
        let Some(group) = groups.into_iter().find(|group| is_meant(group.id, &group.name)) else {
            return Ok(Answer::Null);
        };
        return Ok(match function {
            FilegroupId => Answer::Number(group.id.into()),
            FilegroupName => group.name.as_str().into(),
            _ => of_group(&group, &property()),
        });
    }
    let master = host.server.catalog.expect_database(MASTER);
    let number = [int(i32::from(db.id.0))];
    let files: Vec<FileRow> = host.catalog_rows(state, &master, |rows| rows.find(0, &number))?;
    let Some(file) = files.into_iter().find(|file| is_meant(file.fileid, &file.name)) else {
        return Ok(Answer::Null);
    };
    Ok(match function {
        FileName => file.name.as_str().into(),
        Fileproperty => of_file(host, db, &file, &property()),
        _ => Answer::Number(file.fileid.into()),
    })
}

fn of_file(host: &SessionHost, db: &Database, file: &FileRow, property: &str) -> Answer {
    let is_log = file.status & file_status::LOG != 0;
    match property {
        "isreadonly" => Answer::Number(0),
        "isprimaryfile" => (file.fileid == PRIMARY_FILE).into(),
        "islogfile" => is_log.into(),
        // Pages of 8 KB. All rows are in the first file.
        "spaceused" => {
            let storage = &host.server.catalog.storage;
            let used = match (is_log, file.fileid) {
                (true, _) => Some(storage.log_space().used.div_ceil(8_192)),
                (false, PRIMARY_FILE) => storage.space(db.storage_id()).ok().map(|space| space.used),
                _ => Some(0),
            };
            used.map(|pages| pages as i64).into()
        }
        _ => Answer::Null,
    }
}

fn of_group(group: &ClassRow, property: &str) -> Answer {
    match property {
        "isreadonly" => Answer::Number(0),
        "isuserdefinedfg" => (group.id != PRIMARY_GROUP).into(),
        "isdefault" => (group.status & DEFAULT != 0).into(),
        _ => Answer::Null,
    }
}
