//! Triggers of a database or of the server, which fire for definitions and logons: what of them a statement has to know.
//!
//! They are rows of `sysschobjs` of no table: in their database under the schema id `schema::OF_DATABASE`, those of the server in
//! master under `schema::OF_SERVER`. Each event that they fire for is a row of `sysmultiobjrefs`.

use std::sync::Arc;

use types::SqlResult;

use super::base::{KeyReferenceRow, ObjectRow, class, object_status, schema};
use super::load::{BY_NAME, FIRST, LAST, int, small};
use super::row::Date;
use super::store::Rows;
use super::{Catalog, Database, MASTER};

/// One that is enabled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopedTrigger {
    pub id: i32,
    pub name: String,
    pub of_server: bool,
    created: Date,
    /// Numbers of events, each with its place in the order.
    events: Vec<(i32, i32)>,
}

impl ScopedTrigger {
    /// Its place among those that an event fires: the lower the earlier. None: the event does not fire it.
    pub fn place(&self, event: i32) -> Option<(u8, i64, i32)> {
        let (_, order) = self.events.iter().find(|(number, _)| *number == event)?;
        let rank = match *order {
            FIRST => 0,
            LAST => 2,
            _ => 1,
        };
        Some((rank, self.created.0, self.id))
    }
}

/// Those of a database, and in master those of the server, as a transaction sees them.
pub fn load(rows: &mut Rows<'_>) -> SqlResult<Vec<ScopedTrigger>> {
    let mut found = Vec::new();
    for nsid in [schema::OF_DATABASE, schema::OF_SERVER] {
        if nsid == schema::OF_SERVER && rows.database.0 != MASTER.0 {
            continue;
        }
        for row in rows.find::<ObjectRow>(BY_NAME, &[int(nsid)])? {
            if row.kind.as_str() != "TR" || row.status & object_status::DISABLED != 0 {
                continue;
            }
            let events: Vec<KeyReferenceRow> = rows.find(0, &[int(row.id), small(class::TRIGGER_EVENT)])?;
            found.push(ScopedTrigger {
                id: row.id,
                name: row.name,
                of_server: nsid == schema::OF_SERVER,
                created: row.created,
                events: events.iter().map(|event| (event.depsubid, event.status)).collect(),
            });
        }
    }
    Ok(found)
}

impl Catalog {
    /// Those that are committed. They are kept with the database: while nothing of it changes, asking costs a comparison.
    pub fn scoped_triggers(&self, db: &Database) -> SqlResult<Arc<[ScopedTrigger]>> {
        if let Some(known) = db.known_triggers() {
            return Ok(known);
        }
        let seen = db.version();
        let found: Arc<[ScopedTrigger]> = self.read(db, load)?.into();
        db.keep_triggers(seen, found.clone());
        Ok(found)
    }
}
