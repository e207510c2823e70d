//! What keeps the makers of indexes on one table apart: its lock, and the name and the number of each new index.

use std::sync::Arc;

use sql::ast::{AlterIndex, AlterIndexAction, CreateIndex, Setting, find_setting};
use sql::catalog::{IndexDef, IndexKind, TableDef};
use storage::LockMode;
use types::key::encode_datum;
use types::{SqlResult, SqlType};

use super::partition::Placement;
use super::site::Ddl;
use super::view_index;
use crate::catalog::Database;
use crate::catalog::base::{IndexRow, ObjectRow};
use crate::catalog::load::{self, int};
use crate::catalog::row::{BaseRow, Field};

/// Whether others may change the table while the index is built.
pub fn is_online(options: &[Setting]) -> bool {
    find_setting(options, "ONLINE").is_some_and(Setting::is_on)
}

/// The table, locked for the index: against changes of its rows alone if what is stored of it stays as it is.
pub fn locked(
    ddl: &mut Ddl<'_>,
    create: &CreateIndex,
    on: Option<&Placement>,
    db: &Database,
    row: &ObjectRow,
) -> SqlResult<TableDef> {
    let replaces = find_setting(&create.options, "DROP_EXISTING").is_some_and(Setting::is_on);
    let is_apart = create.clustered != Some(true) && !replaces && !view_index::is_view(row);
    let is_apart = is_apart && on.is_none_or(|on| on.divided.is_none());
    let stays = |table: &TableDef| {
        let keys = create.columns.iter().map(|column| &*column.name);
        // A column that is computed when it is asked for goes into the rows.
        let mut columns = keys.chain(create.include.iter().map(|column| &**column));
        let is_stored = |name: &str| {
            let at = table.columns.iter().position(|column| db.equal_names(&column.name, name));
            at.is_none_or(|at| table.stored[at].is_some())
        };
        table.memory.is_none() && table.partitioning.is_none() && columns.all(is_stored)
    };
    if is_apart && stays(&ddl.reload(db, row.id)?) {
        ddl.lock_in(db, row.id, if is_online(&create.options) { LockMode::IntentShared } else { LockMode::Shared })?;
        keep_name(ddl, db, row.id, &create.name)?;
        let table = ddl.reload(db, row.id)?;
        if stays(&table) {
            return Ok(table);
        }
    }
    ddl.lock(db, row.id)?;
    ddl.reload(db, row.id)
}

/// The table of ALTER INDEX, locked: not against readers while an index that is not clustered is rebuilt, and online not against writers. Nothing
/// is changed by REORGANIZE, so nobody waits for it. None: there is no such table or view.
pub fn locked_to_alter(
    ddl: &mut Ddl<'_>,
    alter: &AlterIndex,
) -> SqlResult<Option<(Arc<Database>, ObjectRow, TableDef)>> {
    let AlterIndexAction::Rebuild { options, .. } = &alter.action else {
        return match &alter.action {
            AlterIndexAction::Reorganize { .. } => ddl.rows_as_they_are(&alter.table),
            _ => ddl.rows_for_change(&alter.table),
        };
    };
    let is_apart = |db: &Database, table: &TableDef| {
        let named = |index: &&IndexDef| alter.index.as_ref().is_some_and(|name| db.equal_names(name, &index.name));
        let index = table.indexes.iter().find(named);
        let is_plain = table.memory.is_none() && table.partitioning.is_none() && !table.of_view;
        is_plain && index.is_some_and(|index| index.kind == IndexKind::Nonclustered)
    };
    let found = ddl.rows_as_they_are(&alter.table)?;
    if let Some((db, row, _)) = found.filter(|(db, _, table)| is_apart(db, table)) {
        // One after the other, before either holds the table: at the end each wants it for itself.
        let key = [&b"rebuild"[..], &row.id.to_le_bytes()].concat();
        ddl.keep_key(&db, IndexRow::TABLE, &key, true)?;
        ddl.lock_in(&db, row.id, if is_online(options) { LockMode::IntentShared } else { LockMode::Update })?;
        let table = ddl.reload(&db, row.id)?;
        if is_apart(&db, &table) {
            return Ok(Some((db, row, table)));
        }
    }
    ddl.rows_for_change(&alter.table)
}

/// Waits for who makes an index of this name: whether there is one is known then.
fn keep_name(ddl: &mut Ddl<'_>, db: &Database, table: i32, name: &str) -> SqlResult<()> {
    let mut key = [&b"name"[..], &table.to_le_bytes()].concat();
    let ty = SqlType::SYSNAME.with_collation(db.collation);
    encode_datum(&ty, false, &name.to_string().to_datum(), &mut key);
    ddl.keep_key(db, IndexRow::TABLE, &key, true).map(|_| ())
}

/// Of a new index that is not clustered. Those that others are making are not to be seen yet, so each keeps its number.
pub fn new_number(ddl: &mut Ddl<'_>, db: &Database, table: i32) -> SqlResult<i32> {
    let mut least = 2;
    loop {
        let existing = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(table)]))?;
        let number = load::next_index_number(&existing, 2..load::XML_INDEX_MIN).max(least);
        let key = [&b"number"[..], &table.to_le_bytes(), &number.to_le_bytes()].concat();
        let kept = ddl.keep_key(db, IndexRow::TABLE, &key, false)?;
        // Who had it before may have made its index.
        if kept && ddl.rows(db, |rows| rows.first::<IndexRow>(0, &[int(table), int(number)]))?.is_none() {
            return Ok(number);
        }
        least = number + 1;
    }
}
