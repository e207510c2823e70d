//! Where the actions of foreign keys lead: one DELETE or UPDATE may come to each table once.
//!
//! A row that CASCADE deletes goes on as a deleted one. A row that loses its reference (SET NULL, SET DEFAULT) or takes the new key
//! is an updated one in the columns of its foreign key: it goes on only to keys that refer to these. So a table may be reached by
//! CASCADE although another one, which is only updated, also leads to it.

use std::collections::{HashMap, HashSet};

use types::SqlResult;

use super::site::Ddl;
use crate::catalog::Database;
use crate::catalog::base::{KeyReferenceRow, ReferenceRow, class};
use crate::catalog::error::storage_error;
use crate::catalog::load::{self, int, small};

/// `ReferenceRow::status` of what deletes the rows that refer to a deleted one.
const CASCADE: i32 = 1;

/// A foreign key with an action.
pub struct Way {
    /// The table referred to, and the one that refers.
    pub from: i32,
    pub to: i32,
    /// As in `ReferenceRow::status`; 0: NO ACTION.
    pub on_delete: i32,
    pub on_update: i32,
    /// Columns of `to`, and those of `from` that they refer to.
    pub columns: Vec<i32>,
    pub referenced: Vec<i32>,
}

/// What an action does to the rows of a table.
enum Change<'a> {
    Deleted,
    /// None: any columns.
    Updated(Option<&'a [i32]>),
}

/// Whether `new`, beside the foreign keys that there are, has one change come to a table twice, or back to where it began.
pub fn meet(ddl: &mut Ddl<'_>, db: &Database, new: Way) -> SqlResult<bool> {
    if new.from == new.to {
        return Ok(true);
    }
    let mut ways = ways(ddl, db)?;
    let mut parents: HashMap<i32, Vec<i32>> = HashMap::new();
    for way in &ways {
        parents.entry(way.to).or_default().push(way.from);
    }
    // Only what leads to the new key can meet in it or behind it.
    let mut roots = HashSet::from([new.from]);
    let mut next = vec![new.from];
    while let Some(table) = next.pop() {
        let unseen = parents.get(&table).into_iter().flatten().filter(|parent| roots.insert(**parent));
        next.extend(unseen);
    }
    ways.push(new);
    let mut below: HashMap<i32, Vec<&Way>> = HashMap::new();
    for way in &ways {
        below.entry(way.from).or_default().push(way);
    }
    let mut found = false;
    let looked = ddl.long_storage(|_, _, pause| {
        for root in &roots {
            storage::error::heard(pause.pause())?;
            found = comes_twice(&below, *root, Change::Deleted) || comes_twice(&below, *root, Change::Updated(None));
            if found {
                break;
            }
        }
        Ok(())
    });
    looked.map_err(storage_error)?;
    Ok(found)
}

fn ways(ddl: &mut Ddl<'_>, db: &Database) -> SqlResult<Vec<Way>> {
    ddl.rows(db, |rows| {
        let mut ways = Vec::new();
        for key in rows.all::<ReferenceRow>()? {
            if key.class != class::FOREIGN_KEY || key.status & 0xff == 0 {
                continue;
            }
            let Some(row) = load::object_row(rows, key.depid)? else { continue };
            let pairs = rows.find::<KeyReferenceRow>(0, &[int(key.depid), small(class::FOREIGN_KEY)])?;
            ways.push(Way {
                from: key.indepid,
                to: row.pid,
                on_delete: key.status & 15,
                on_update: key.status >> 4 & 15,
                columns: pairs.iter().map(|pair| pair.indepid).collect(),
                referenced: pairs.iter().map(|pair| pair.indepsubid).collect(),
            });
        }
        Ok(ways)
    })
}

fn comes_twice(below: &HashMap<i32, Vec<&Way>>, root: i32, change: Change<'_>) -> bool {
    let mut reached = HashSet::from([root]);
    let mut next = vec![(root, change)];
    while let Some((table, change)) = next.pop() {
        for way in below.get(&table).into_iter().flatten() {
            let onward = match &change {
                Change::Deleted if way.on_delete == 0 => continue,
                Change::Deleted if way.on_delete == CASCADE => Change::Deleted,
                Change::Deleted => Change::Updated(Some(&way.columns)),
                Change::Updated(columns) => {
                    let moved = |column: &i32| columns.is_none_or(|columns| columns.contains(column));
                    if way.on_update == 0 || !way.referenced.iter().any(moved) {
                        continue;
                    }
                    Change::Updated(Some(&way.columns))
                }
            };
            if !reached.insert(way.to) {
                return true;
            }
            next.push((way.to, onward));
        }
    }
    false
}
