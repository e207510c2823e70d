//! Logical backup devices: sp_addumpdevice, sp_dropdevice, and the file that a name stands for. They are rows of master.
//! https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addumpdevice-transact-sql

use types::{SqlResult, sql_error};

use super::site::Ddl;
use crate::catalog::base::{ClassRow, class};
use crate::catalog::load::{int, name as name_datum, small};
use crate::catalog::row::Text;
use crate::catalog::{MASTER, clock};
use crate::security::role::DISKADMIN;

/// As `sys.backup_devices` numbers it, the only kind that there is.
const DISK: i32 = 2;

fn named(ddl: &Ddl<'_>, name: &str) -> SqlResult<Option<ClassRow>> {
    let master = ddl.catalog.expect_database(MASTER);
    ddl.catalog.read(&master, |rows| rows.first::<ClassRow>(1, &[small(class::DUMP_DEVICE), name_datum(name)]))
}

/// The path that a logical device stands for. None: there is no such device.
pub fn path(ddl: &Ddl<'_>, name: &str) -> SqlResult<Option<String>> {
    Ok(named(ddl, name)?.and_then(|row| row.value.0))
}

/// 15247, 15002: what both procedures ask first.
fn may(ddl: &mut Ddl<'_>, procedure: &str) -> SqlResult<()> {
    let login = ddl.rights(|rights, look| rights.login(look))?;
    if !login.is_some_and(|login| login.sysadmin || login.ids.contains(&DISKADMIN)) {
        return Err(sql_error!(15247));
    }
    match ddl.site.in_user_transaction() {
        true => Err(sql_error!(15002, procedure)),
        false => Ok(()),
    }
}

pub fn add(ddl: &mut Ddl<'_>, kind: &str, name: Option<&str>, path: Option<&str>) -> SqlResult<()> {
    may(ddl, "sys.sp_addumpdevice")?;
    match kind.to_ascii_lowercase().as_str() {
        "disk" => {}
        "tape" => return Err(super::unsupported("sp_addumpdevice 'tape'")),
        _ => return Err(sql_error!(15044, kind)),
    }
    let name = name.filter(|name| !name.is_empty()).ok_or_else(|| sql_error!(15045))?;
    let path = path.filter(|path| !path.is_empty()).ok_or_else(|| sql_error!(15046))?;
    if named(ddl, name)?.is_some() {
        return Err(sql_error!(15026, name));
    }
    let now = clock::now();
    let master = ddl.catalog.expect_database(MASTER);
    ddl.rows(&master, |rows| {
        let taken = rows.find::<ClassRow>(0, &[small(class::DUMP_DEVICE)])?;
        rows.insert(&ClassRow {
            class: class::DUMP_DEVICE,
            id: taken.iter().map(|row| row.id).max().unwrap_or(0) + 1,
            name: name.to_string(),
            owner: 1,
            created: now,
            modified: now,
            status: DISK,
            value: Text(Some(path.to_string())),
        })
    })
}

/// Its file's path; the file stays. 15012: there is no such device.
pub fn remove(ddl: &mut Ddl<'_>, name: &str) -> SqlResult<String> {
    may(ddl, "sys.sp_dropdevice")?;
    let row = named(ddl, name)?.ok_or_else(|| sql_error!(15012, name))?;
    let master = ddl.catalog.expect_database(MASTER);
    ddl.rows(&master, |rows| rows.delete::<ClassRow>(0, &[small(class::DUMP_DEVICE), int(row.id)]))?;
    Ok(row.value.0.unwrap_or_default())
}
