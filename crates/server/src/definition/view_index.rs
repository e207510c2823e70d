//! Indexes on views. With the first one, unique and clustered, the view's rows are stored: as those of a table with the view's id, of which no
//! statement speaks but through the view. What keeps them is bound with each statement that changes a table of the view.
//!
//! https://learn.microsoft.com/sql/relational-databases/views/create-indexed-views

use std::sync::Arc;

use sql::ast::{CreateIndex, Setting, find_setting};
use sql::bind::ViewIndex;
use storage::{HeapLoad, LockMode, StorageError, TableId};
use types::{Datum, SqlError, SqlResult, row, sql_error};

use super::build::build_error;
use super::layout::{create_storage, row_layout};
use super::site::{Ddl, Place, has, source, written};
use super::text::bracket;
use crate::catalog::Database;
use crate::catalog::base::{
    ColumnRow, IndexColumnRow, IndexRow, ObjectRow, ReferenceRow, class, index_status as ix, object_status as os_,
};
use crate::catalog::error::storage_error;
use crate::catalog::load::{self, int, small};

pub fn is_view(row: &ObjectRow) -> bool {
    row.kind.as_str() == "V"
}

/// Refuses what no view can have: 1939, 1941, 1940, 1990, 10610, and what `sql::bind::indexable` says of its text. Holds the definitions of its
/// tables, so that nobody changes their rows before the index is there for all.
pub fn check(ddl: &mut Ddl<'_>, create: &CreateIndex, db: &Database, row: &ObjectRow) -> SqlResult<()> {
    let schema = ddl.rows(db, |rows| load::schema_name(rows, row.nsid))?;
    let shown = format!("{schema}.{}", row.name);
    if create.filter.is_some() {
        return Err(sql_error!(10610, &*create.name, written(&create.table)));
    }
    if !has(row.status, os_::SCHEMA_BOUND) {
        return Err(sql_error!(1939, "index", row.name));
    }
    let clustered = create.clustered == Some(true);
    if clustered && !create.unique {
        return Err(sql_error!(1941, shown));
    }
    let first = clustered_index(ddl, db, row.id)?;
    if !clustered && first.is_none() {
        return Err(sql_error!(1940, "index", shown));
    }
    if clustered && first.is_none() && find_setting(&create.options, "ONLINE").is_some_and(Setting::is_on) {
        return Err(sql_error!(1967));
    }
    if find_setting(&create.options, "IGNORE_DUP_KEY").is_some_and(Setting::is_on) {
        return Err(sql_error!(1990));
    }
    if first.is_some() {
        expect_enabled(ddl, db, &schema, row)?;
    }
    refuse_options(ddl, row)?;
    let full = format!("{}.{shown}", db.name());
    let key: Vec<&str> =
        if clustered { create.columns.iter().map(|column| &*column.name).collect() } else { Vec::new() };
    let of = ViewIndex { view: &full, database: &db.name(), index: &create.name, key: &key };
    let mut tables = ddl.site.indexable(db.id, row.id, &of)?;
    tables.sort_by_key(|table| table.object.0);
    for table in tables {
        let row_of_table = ddl.rows(db, |rows| load::object_row(rows, table.object.0))?;
        if let Some(owned) = row_of_table.filter(|owned| owned.nsid != row.nsid || owned.owner != row.owner)
            && owner(ddl, db, &owned)? != owner(ddl, db, row)?
        {
            return Err(sql_error!(1938, shown, owned.name));
        }
        ddl.lock(db, table.object.0)?;
    }
    Ok(())
}

/// 1935: the view was made with other options. 1934: the session has others.
fn refuse_options(ddl: &Ddl<'_>, row: &ObjectRow) -> SqlResult<()> {
    let kept = [("ANSI_NULLS", os_::ANSI_NULLS), ("QUOTED_IDENTIFIER", os_::QUOTED_IDENTIFIER)];
    let off: Vec<&str> = kept.into_iter().filter(|(_, bit)| !has(row.status, *bit)).map(|(name, _)| name).collect();
    if !off.is_empty() {
        return Err(sql_error!(1935, row.name, off.join(", ")));
    }
    let options = &ddl.site.session().options;
    let needed = [
        ("ANSI_NULLS", options.ansi_nulls),
        ("QUOTED_IDENTIFIER", options.quoted_identifier),
        ("CONCAT_NULL_YIELDS_NULL", options.concat_null_yields_null),
        ("ANSI_WARNINGS", options.ansi_warnings),
        ("ANSI_PADDING", options.ansi_padding),
        ("NUMERIC_ROUNDABORT", !options.numeric_round_abort),
    ];
    let wrong: Vec<&str> = needed.into_iter().filter(|(_, right)| !right).map(|(name, _)| name).collect();
    if wrong.is_empty() { Ok(()) } else { Err(sql_error!(1934, "CREATE INDEX", wrong.join(", "))) }
}

fn owner(ddl: &mut Ddl<'_>, db: &Database, row: &ObjectRow) -> SqlResult<Option<i32>> {
    ddl.rows(db, |rows| load::owner_of(rows, row))
}

pub fn clustered_index(ddl: &mut Ddl<'_>, db: &Database, view: i32) -> SqlResult<Option<IndexRow>> {
    ddl.rows(db, |rows| rows.first::<IndexRow>(0, &[int(view), int(1)]))
}

/// 1974
pub fn expect_enabled(ddl: &mut Ddl<'_>, db: &Database, schema: &str, row: &ObjectRow) -> SqlResult<()> {
    match clustered_index(ddl, db, row.id)?.filter(|index| has(index.status, ix::DISABLED)) {
        None => Ok(()),
        Some(index) => {
            let shown = format!("{schema}.{}", row.name);
            Err(sql_error!(1974, "view", shown, index.name.unwrap_or_default()))
        }
    }
}

/// Stores what the view's query gives now, in a heap that the clustered index is made of.
pub fn fill(ddl: &mut Ddl<'_>, db: &Arc<Database>, row: &ObjectRow, place: &Place) -> SqlResult<()> {
    let mut def = ddl.reload(db, row.id)?;
    def.indexes.clear();
    create_storage(ddl, db, &def)?;
    let layout = row_layout(&def);
    let columns: Vec<String> = def.columns.iter().map(|column| bracket(&column.name)).collect();
    let query = format!("SELECT {} FROM {} OPTION (EXPAND VIEWS)", columns.join(", "), source(place, &row.name));
    let catalog = ddl.catalog.clone();
    let table = catalog.storage.open_table(db.storage_id(), TableId(row.id)).map_err(storage_error)?;
    let mut load =
        ddl.storage(|_, tx| Ok(HeapLoad::new(&table, tx))).map_err(storage_error)?.expect("a heap just made");
    let failed = |error: StorageError| build_error(error, &row.name, None);
    let mut image = Vec::new();
    ddl.site.query(&query, &mut |tx, batch| {
        for at in 0..batch.rows {
            let values: Vec<Datum> = batch.columns.iter().map(|column| column.datum(at)).collect();
            image.clear();
            row::encode(&layout, &values, &mut image);
            load.push(tx, &image).map_err(failed)?;
        }
        Ok(())
    })?;
    ddl.end_load(load).map_err(failed)
}

/// The view's tables know of its indexes: what changes them is bound anew.
pub fn changed(ddl: &mut Ddl<'_>, db: &Database, view: i32) -> SqlResult<()> {
    ddl.changed(db.id, view);
    for table in tables_of(ddl, db, view)? {
        ddl.changed(db.id, table);
    }
    Ok(())
}

fn tables_of(ddl: &mut Ddl<'_>, db: &Database, view: i32) -> SqlResult<Vec<i32>> {
    let references = ddl.rows(db, |rows| rows.find::<ReferenceRow>(0, &[int(view), small(class::OBJECT)]))?;
    let mut tables: Vec<i32> = references.into_iter().map(|reference| reference.indepid).collect();
    tables.sort_unstable();
    tables.dedup();
    Ok(tables)
}

/// Drops all indexes of a view with their statistics, and its rows. The view is locked.
pub fn drop_all(ddl: &mut Ddl<'_>, db: &Database, view: i32) -> SqlResult<()> {
    if clustered_index(ddl, db, view)?.is_none() {
        return Ok(());
    }
    ddl.rows(db, |rows| {
        rows.delete::<IndexRow>(0, &[int(view)])?;
        rows.delete::<IndexColumnRow>(0, &[int(view)])
    })?;
    drop_rows(ddl, db, view)?;
    changed(ddl, db, view)
}

fn drop_rows(ddl: &mut Ddl<'_>, db: &Database, view: i32) -> SqlResult<()> {
    match ddl.storage(|storage, tx| storage.drop_table(tx, db.storage_id(), TableId(view))) {
        Ok(()) | Err(StorageError::UnknownTable) => Ok(()),
        Err(error) => Err(storage_error(error)),
    }
}

/// ALTER INDEX ... DISABLE of the clustered index: the rows go, and no index of the view can be used.
pub fn disable(ddl: &mut Ddl<'_>, db: &Database, view: i32) -> SqlResult<()> {
    let indexes = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(view)]))?;
    for index in indexes.iter().filter(|index| !has(index.status, ix::STATISTICS)) {
        let key = [int(view), int(index.indid)];
        ddl.rows(db, |rows| rows.update::<IndexRow>(0, &key, |row| row.status |= ix::DISABLED))?;
    }
    drop_rows(ddl, db, view)
}

/// ALTER INDEX ... REBUILD of a clustered index that is disabled: its rows come, for it to be built of them.
pub fn enable(ddl: &mut Ddl<'_>, db: &Arc<Database>, row: &ObjectRow, place: &Place) -> SqlResult<()> {
    tables_of(ddl, db, row.id)?.into_iter().try_for_each(|table| ddl.lock(db, table))?;
    fill(ddl, db, row, place)?;
    ddl.rows(db, |rows| rows.update::<IndexRow>(0, &[int(row.id), int(1)], |row| row.status &= !ix::DISABLED))?;
    ddl.changed(db.id, row.id);
    Ok(())
}

/// Whether what is stored of an indexed view is what its query gives: 8907, 8908.
pub fn compare(ddl: &mut Ddl<'_>, db: &Arc<Database>, view: i32) -> SqlResult<Vec<SqlError>> {
    let Some(row) = ddl.rows(db, |rows| load::object_row(rows, view))?.filter(is_view) else { return Ok(Vec::new()) };
    if clustered_index(ddl, db, view)?.is_none_or(|index| has(index.status, ix::DISABLED)) {
        return Ok(Vec::new());
    }
    let place = super::site::place_of(ddl, db, &row)?;
    let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(view), small(0)]))?;
    let list = columns.iter().map(|column| bracket(&column.name)).collect::<Vec<_>>().join(", ");
    let from = source(&place, &row.name);
    let (stored, made) = (format!("SELECT {list} FROM {from} WITH (NOEXPAND)"), format!("SELECT {list} FROM {from}"));
    let name = format!("{}.{}", place.schema_name, row.name);
    // Who changes the tables changes the view, and is not in the midst of it.
    for table in tables_of(ddl, db, view)?.into_iter().chain([view]) {
        let (database, table) = (db.storage_id(), TableId(table));
        ddl.storage(|_, tx| tx.lock_table(database, table, LockMode::Shared)).map_err(storage_error)?;
    }
    let mut errors = Vec::new();
    for (left, right, error) in
        [(&stored, &made, sql_error!(8907, name, view)), (&made, &stored, sql_error!(8908, name, view))]
    {
        if ddl.any_row(&format!("{left} EXCEPT {right} OPTION (EXPAND VIEWS)"))? {
            errors.push(error);
        }
    }
    Ok(errors)
}
