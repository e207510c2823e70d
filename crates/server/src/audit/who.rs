//! Who somebody is: the login and the user of a database, for records and for specifications that name a principal.

use types::SqlResult;

use crate::catalog::base::{LoginRow, OwnerRow, ReferenceRow, class};
use crate::catalog::boot::SYSADMIN_ROLE;
use crate::catalog::load::{int, name as name_datum, small};
use crate::catalog::{Catalog, Database, MASTER};

pub const PUBLIC: i32 = 0;
const DBO: i32 = 1;
const GUEST: i32 = 2;

/// A principal by number and name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Principal {
    pub id: i32,
    pub name: String,
}

/// Whether `member` is in `role`, itself or through roles within it.
fn reaches(catalog: &Catalog, db: &Database, kind: u8, role: i32, member: i32) -> SqlResult<bool> {
    catalog.read(db, |rows| {
        let mut seen = vec![role];
        let mut at = 0;
        while let Some(&id) = seen.get(at) {
            if id == member {
                return Ok(true);
            }
            for row in rows.find::<ReferenceRow>(0, &[int(id), small(kind)])? {
                if !seen.contains(&row.indepid) {
                    seen.push(row.indepid);
                }
            }
            at += 1;
        }
        Ok(false)
    })
}

fn login_row(catalog: &Catalog, login: &str) -> SqlResult<Option<LoginRow>> {
    let master = catalog.expect_database(MASTER);
    catalog.read(&master, |rows| rows.first(1, &[name_datum(login)]))
}

/// The login's number; 0: there is none of this name.
pub fn login(catalog: &Catalog, login: &str) -> SqlResult<i32> {
    Ok(login_row(catalog, login)?.map_or(0, |row| row.id))
}

pub fn is_sysadmin(catalog: &Catalog, login: &str) -> SqlResult<bool> {
    let master = catalog.expect_database(MASTER);
    match login_row(catalog, login)? {
        Some(row) => reaches(catalog, &master, class::SERVER_ROLE_MEMBER, SYSADMIN_ROLE, row.id),
        None => Ok(false),
    }
}

/// Who the login is in a database: dbo, its own user, or guest.
pub fn user(catalog: &Catalog, db: &Database, login: &str) -> SqlResult<Principal> {
    let row = login_row(catalog, login)?;
    let users: Vec<OwnerRow> = catalog.read(db, |rows| rows.all())?;
    let id = match &row {
        None => DBO,
        Some(_) if is_sysadmin(catalog, login)? => DBO,
        Some(row) => {
            let own = users.iter().find(|user| user.sid == row.sid && user.sid.0.is_some());
            own.map_or(GUEST, |user| user.id)
        }
    };
    let name = users.into_iter().find(|user| user.id == id).map_or_else(String::new, |user| user.name);
    Ok(Principal { id, name })
}

/// Whether a user of the database is a principal of it, or a member of that.
pub fn is_or_in(catalog: &Catalog, db: &Database, user: i32, principal: i32) -> SqlResult<bool> {
    Ok(principal == PUBLIC || principal == user || reaches(catalog, db, class::ROLE_MEMBER, principal, user)?)
}
