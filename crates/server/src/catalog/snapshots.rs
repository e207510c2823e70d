//! Which databases are snapshots of which: rows of master.

use types::{SqlResult, sql_error};

use super::base::{ReferenceRow, class};
use super::{Catalog, Database, MASTER};

/// The row for a snapshot.
pub fn reference(snapshot: u16, source: u16) -> ReferenceRow {
    ReferenceRow {
        class: class::SNAPSHOT,
        depid: snapshot.into(),
        depsubid: 0,
        indepid: source.into(),
        indepsubid: 0,
        status: 0,
    }
}

/// Names of the snapshots of a database.
pub fn of(catalog: &Catalog, db: &Database) -> SqlResult<Vec<String>> {
    let rows: Vec<ReferenceRow> = catalog.read(&catalog.expect_database(MASTER), |rows| rows.all())?;
    let is_of = |row: &&ReferenceRow| row.class == class::SNAPSHOT && row.indepid == i32::from(db.id.0);
    let ids: Vec<i32> = rows.iter().filter(is_of).map(|row| row.depid).collect();
    let databases = catalog.databases();
    Ok(databases.iter().filter(|other| ids.contains(&other.id.0.into())).map(|other| other.name()).collect())
}

/// 3709: a snapshot needs the database.
pub fn expect_none(catalog: &Catalog, db: &Database, verb: &str) -> SqlResult<()> {
    match of(catalog, db)?.first() {
        Some(snapshot) => Err(sql_error!(3709, verb, snapshot)),
        None => Ok(()),
    }
}
