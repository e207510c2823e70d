//! Indexes.

use std::sync::Arc;

use sql::ast::{
    AlterIndex, AlterIndexAction, CreateIndex, DataSpace, Dbcc, DropIndex, Ident, IndexKind, InlineIndex,
    PartitionChoice, Setting, SettingValue, find_setting,
};
use sql::bind::Nature;
use storage::{IndexId, Part, StorageError, TableId};
use types::{Datum, SqlError, SqlResult, TypeKind, sql_error};

use super::build::{ask_to_sort, build_error, fills};
use super::dbcc::{no_such_object, number_argument, table_argument, text_argument};
use super::index_option::{known_options, options_of_action};
use super::index_partition;
use super::internal_table;
use super::layout::{self, differs, index_layout, new_partitioning};
use super::new_index::{is_online, locked, locked_to_alter, new_number};
use super::number::whole_number;
use super::partition::{self, Divided, Placement};
use super::rebuild;
use super::schema_binding;
use super::site::{Ddl, cannot_drop, has, place_of, source, written};
use super::spatial_index;
use super::text;
use super::view_index;
use super::xml_index::is_xml;
use crate::catalog::base::{
    ColumnRow, IndexColumnRow, IndexRow, ObjectRow, column_status as cs, index_status as ix, object_status as os_,
};
use crate::catalog::error::storage_error;
use crate::catalog::load::{self, int, small};
use crate::catalog::partition::PARTITIONING;
use crate::catalog::row::Text;
use crate::catalog::{Database, scalar_type};

/// What the catalog keeps of an index.
pub struct IndexSpec<'a> {
    pub name: String,
    pub clustered: bool,
    pub hash: bool,
    /// `index_status` bits besides those of `options`.
    pub status: i32,
    /// (name, descending).
    pub columns: Vec<(String, bool)>,
    pub included: Vec<String>,
    pub filter: Option<String>,
    pub options: &'a [Setting],
    /// What an ON clause says.
    pub on: Option<Placement>,
    /// Where the table's rows are, or will be if this is not the clustered index.
    pub table: Placement,
    pub constraint_id: i32,
    /// The number that it is to have; None: the next one.
    pub number: Option<i32>,
}

const KEY_COLUMNS_MAX: usize = 32;

/// The row of a heap that lies there.
pub fn add_heap(ddl: &mut Ddl<'_>, db: &Database, table: i32, place: &Placement) -> SqlResult<()> {
    let column = match &place.divided {
        None => None,
        Some(divided) => {
            let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(table), small(0)]))?;
            let column = columns.into_iter().find(|column| db.equal_names(&column.name, &divided.column));
            Some(column.ok_or_else(|| sql_error!(1911, divided.column))?)
        }
    };
    let row = IndexRow {
        id: table,
        indid: 0,
        name: None,
        status: 0,
        kind: 0,
        fillfact: 0,
        dataspace: place.space,
        filter: Text(None),
        buckets: 0,
        constraint_id: 0,
    };
    ddl.rows(db, |rows| {
        if let Some(column) = column {
            let row =
                IndexColumnRow { id: table, indid: 0, subid: 1, colid: column.colid, keyord: 0, status: PARTITIONING };
            rows.insert(&row)?;
        }
        rows.insert(&row)
    })
}

/// Rows of a new index; its id. 1911, 1919, 1999, 1913, 1908.
pub fn add_rows(ddl: &mut Ddl<'_>, db: &Database, shown: &str, table: i32, spec: &IndexSpec<'_>) -> SqlResult<i32> {
    let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(table), small(0)]))?;
    let existing = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(table)]))?;
    if existing.iter().any(|index| index.name.as_deref().is_some_and(|name| db.equal_names(name, &spec.name))) {
        return Err(sql_error!(1913, spec.name, "table", shown));
    }
    if spec.columns.len() > KEY_COLUMNS_MAX {
        return Err(sql_error!(1904, "index", spec.name, shown, spec.columns.len(), "index", 32));
    }
    let mut found = index_columns(db, shown, table, &columns, spec)?;
    weigh_key(ddl, db, table, &columns, &found, spec)?;
    let place = match (spec.clustered, &spec.on) {
        (true, Some(on)) => on.clone(),
        (true, None) => spec.table.clone(),
        (false, on) => partition::of_index(on.as_ref(), &spec.table),
    };
    if let Some(divided) = &place.divided {
        partition::check_column(ddl, db, (shown, table), divided, spec.clustered)?;
        divide(db, table, &columns, divided, spec, &mut found)?;
    }
    let indid = match spec.number {
        _ if spec.clustered => 1,
        Some(number) => number,
        None => new_number(ddl, db, table)?,
    };
    known_options(spec.options)?;
    let status = status_with(spec.options, spec.status);
    if has(status, ix::IGNORE_DUPLICATES) && !has(status, ix::UNIQUE) {
        return Err(duplicates_without_unique());
    }
    let row = IndexRow {
        id: table,
        indid,
        name: Some(spec.name.clone()),
        status,
        kind: match (spec.clustered, spec.hash) {
            (_, true) => 7,
            (true, false) => 1,
            (false, false) => 2,
        },
        fillfact: fill_factor(spec.options)?.unwrap_or(0),
        dataspace: place.space,
        filter: Text(spec.filter.clone()),
        buckets: buckets(spec.options),
        constraint_id: spec.constraint_id,
    };
    ddl.rows(db, |rows| {
        if spec.clustered {
            rows.delete::<IndexRow>(0, &[int(table), int(0)])?;
            rows.delete::<IndexColumnRow>(0, &[int(table), int(0)])?;
        }
        rows.insert(&row)?;
        for mut column in found {
            column.indid = indid;
            rows.insert(&column)?;
        }
        Ok(())
    })?;
    ddl.changed(db.id, table);
    Ok(indid)
}

/// Bytes of a key, https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server
const CLUSTERED_KEY_BYTES_MAX: usize = 900;
const NONCLUSTERED_KEY_BYTES_MAX: usize = 1700;

/// 1944: no key could be that short. 1945: some could be longer than SQL Server lets them be. Tables in memory have other bounds.
fn weigh_key(
    ddl: &mut Ddl<'_>,
    db: &Database,
    table: i32,
    columns: &[ColumnRow],
    found: &[IndexColumnRow],
    spec: &IndexSpec<'_>,
) -> SqlResult<()> {
    let key = || found.iter().filter(|part| part.keyord > 0);
    let of = |part: &IndexColumnRow| columns.iter().find(|column| column.colid == part.colid);
    // What has no length of its own is short: no such key comes near the bound without one that has.
    let bytes = |column: &ColumnRow| usize::try_from(column.length).unwrap_or(0);
    let most: usize = key().filter_map(of).map(bytes).sum();
    let (kind, bytes_max) = match spec.clustered {
        true => ("clustered", CLUSTERED_KEY_BYTES_MAX),
        false => ("nonclustered", NONCLUSTERED_KEY_BYTES_MAX),
    };
    if most <= bytes_max || spec.hash {
        return Ok(());
    }
    let row = ddl.rows(db, |rows| load::object_row(rows, table))?;
    if row.is_some_and(|row| row.status & os_::MEMORY_OPTIMIZED != 0) {
        return Ok(());
    }
    let varying = [TypeKind::VarChar, TypeKind::NVarChar, TypeKind::VarBinary, TypeKind::SqlVariant]
        .map(|kind| scalar_type::system_type(kind).xtype);
    let is_fixed = |column: &&ColumnRow| !varying.contains(&column.xtype);
    let least: usize = key().filter_map(of).filter(is_fixed).map(bytes).sum();
    if least > bytes_max {
        return Err(sql_error!(1944, spec.name, least, bytes_max));
    }
    ddl.message(sql_error!(1945, kind, bytes_max, spec.name, most));
    Ok(())
}

/// Marks the partitioning column among an index's, or adds it to them. 1908: a unique index lacks it in its key.
fn divide(
    db: &Database,
    table: i32,
    columns: &[ColumnRow],
    divided: &Divided,
    spec: &IndexSpec<'_>,
    found: &mut Vec<IndexColumnRow>,
) -> SqlResult<()> {
    let column = columns.iter().find(|column| db.equal_names(&column.name, &divided.column));
    let column = column.ok_or_else(|| sql_error!(1911, divided.column))?;
    let own = found.iter_mut().find(|own| own.colid == column.colid);
    if has(status_with(spec.options, spec.status), ix::UNIQUE) && own.as_ref().is_none_or(|own| own.keyord == 0) {
        return Err(sql_error!(1908, column.name, spec.name));
    }
    match own {
        Some(own) => own.status |= PARTITIONING,
        None => {
            let subid = found.len() as i32 + 1;
            let (colid, status) = (column.colid, PARTITIONING);
            found.push(IndexColumnRow { id: table, indid: 0, subid, colid, keyord: 0, status });
        }
    }
    Ok(())
}

/// The key's columns and those that are only included, with the index's number still to be given.
fn index_columns(
    db: &Database,
    shown: &str,
    table: i32,
    columns: &[ColumnRow],
    spec: &IndexSpec<'_>,
) -> SqlResult<Vec<IndexColumnRow>> {
    let find = |name: &str| columns.iter().find(|column| db.equal_names(&column.name, name));
    let unknown = |name: &str| sql_error!(1911, name);
    let mut found: Vec<IndexColumnRow> = Vec::new();
    for (i, (name, descending)) in spec.columns.iter().enumerate() {
        let column = find(name).ok_or_else(|| unknown(name))?;
        if !key_column_allowed(column) {
            return Err(sql_error!(1919, column.name, shown));
        }
        if found.iter().any(|other| other.colid == column.colid) {
            return Err(sql_error!(1909, "index", column.name));
        }
        found.push(IndexColumnRow {
            id: table,
            indid: 0,
            subid: i as i32 + 1,
            colid: column.colid,
            keyord: i as i32 + 1,
            status: i32::from(*descending),
        });
    }
    for name in &spec.included {
        let column = find(name).ok_or_else(|| unknown(name))?;
        // text, ntext, image
        if matches!(column.xtype, 34 | 35 | 99) {
            return Err(sql_error!(1999, column.name, shown));
        }
        if found.iter().any(|other| other.colid == column.colid) {
            return Err(sql_error!(1909, "index", column.name));
        }
        let subid = found.len() as i32 + 1;
        found.push(IndexColumnRow { id: table, indid: 0, subid, colid: column.colid, keyord: 0, status: 2 });
    }
    Ok(found)
}

fn number(options: &[Setting], name: &str) -> Option<i128> {
    match &find_setting(options, name)?.value {
        SettingValue::Value(expr) => whole_number(expr),
        _ => None,
    }
}

/// `INDEX name (columns)` within CREATE TABLE.
pub fn add_inline(
    ddl: &mut Ddl<'_>,
    db: &Database,
    shown: &str,
    id: i32,
    index: &InlineIndex,
    column: Option<&str>,
    table: &Placement,
) -> SqlResult<()> {
    let columns = match column {
        Some(column) if index.columns.is_empty() => vec![(column.to_string(), false)],
        _ => index.columns.iter().map(|c| (c.name.to_string(), c.descending)).collect(),
    };
    if index.columnstore {
        return Err(super::unsupported("INDEX ... COLUMNSTORE"));
    }
    super::database::refuse_filestream(index.filestream_on.as_ref())?;
    let on = partition::placement(ddl, db, index.on.as_ref())?;
    let filter = match &index.filter {
        None => None,
        Some(condition) => {
            let columns = ddl.reload(db, id)?;
            refuse_ignored_duplicates(&index.options, &index.name, shown)?;
            Some(filter_text("index", &index.name, shown, condition, &columns)?)
        }
    };
    let spec = IndexSpec {
        name: index.name.to_string(),
        clustered: index.clustered == Some(true),
        hash: index.hash,
        status: if index.unique { ix::UNIQUE } else { 0 },
        columns,
        included: index.include.iter().map(|c| c.to_string()).collect(),
        filter,
        options: &index.options,
        on,
        table: table.clone(),
        constraint_id: 0,
        number: None,
    };
    add_rows(ddl, db, shown, id, &spec).map(drop_value)
}

fn drop_value<T>(_: T) {}

/// The text of a filter that may stand: `sys.indexes.filter_definition`.
pub fn filter_text(
    kind: &str,
    name: &str,
    written: &str,
    condition: &sql::ast::Expr,
    table: &sql::catalog::TableDef,
) -> SqlResult<String> {
    let owner = sql::bind::FilterOwner { kind, name, table: written };
    sql::bind::index_filter(condition, &table.columns, owner)?;
    Ok(text::filter(condition))
}

/// 1916
pub fn duplicates_without_unique() -> SqlError {
    sql_error!(1916, state 4, "nonunique", "ignore_dup_key")
}

/// 10618
fn refuse_ignored_duplicates(options: &[Setting], name: &str, table: &str) -> SqlResult<()> {
    if !find_setting(options, "IGNORE_DUP_KEY").is_some_and(Setting::is_on) {
        return Ok(());
    }
    Err(sql_error!(10618, "create", name, table))
}

/// Gives where it is: the database, the table, the index's number.
pub fn create(ddl: &mut Ddl<'_>, create: &CreateIndex) -> SqlResult<(Arc<Database>, i32, i32)> {
    match &create.kind {
        IndexKind::Rows => {}
        IndexKind::Columnstore => return Err(super::unsupported("CREATE COLUMNSTORE INDEX")),
        IndexKind::Xml { using } => return super::xml_index::create(ddl, create, using.as_ref()),
        IndexKind::FullText => return Err(super::unsupported("CREATE FULLTEXT INDEX")),
        IndexKind::Spatial { .. } => {}
    }
    let shown = written(&create.table);
    ask_for_columns(ddl, create)?;
    if let IndexKind::Spatial { using } = &create.kind {
        let table = indexed(ddl, create, &shown)?;
        return spatial_index::create(ddl, create, using.as_ref(), table);
    }
    let (db, row) = indexed(ddl, create, &shown)?;
    let on_view = view_index::is_view(&row);
    super::database::refuse_filestream(create.filestream_on.as_ref())?;
    let on = partition::placement(ddl, &db, create.on.as_ref())?;
    if on_view {
        view_index::check(ddl, create, &db, &row)?;
    }
    let mut table_def = locked(ddl, create, on.as_ref(), &db, &row)?;
    if table_def.memory.is_some() {
        schema_binding::refuse_in_transaction(ddl, schema_binding::TABLES)?;
    }
    if create.unique && table_def.is_history() {
        return Err(sql_error!(13741, super::versioned::full_name(&db, &table_def)));
    }
    let table_name = if create.table.is_temporary() { create.table.name.to_string() } else { row.name.clone() };
    let shown = format!("{}.{}", table_def.schema, table_name);
    let drop_existing = find_setting(&create.options, "DROP_EXISTING").is_some_and(Setting::is_on);
    let clustered = create.clustered == Some(true);
    if table_def.memory.is_some() && on.as_ref().is_some_and(|on| on.divided.is_some()) {
        return Err(partition::not_in_memory());
    }
    // Of the index whose place it takes.
    let (mut constraint_id, mut constraint) = (0, 0);
    if drop_existing {
        let Some(old) = find_index(ddl, &db, row.id, &create.name)? else {
            return Err(sql_error!(7999, state 9, &*create.name, shown));
        };
        if old.indid == 1 && !clustered {
            return Err(sql_error!(1925));
        }
        if old.constraint_id != 0 {
            if !is_same_key(&db, &table_def, &old, create) {
                return Err(sql_error!(1907, &*create.name));
            }
            (constraint_id, constraint) = (old.constraint_id, old.status & (ix::PRIMARY_KEY | ix::UNIQUE_CONSTRAINT));
        }
        remove(ddl, &db, &row, &old)?;
        table_def = ddl.reload(&db, row.id)?;
    }
    if clustered {
        if let Some(other) = table_def.indexes.iter().find(|index| index.id == 1) {
            return Err(sql_error!(1902, if on_view { "view" } else { "table" }, shown, other.name));
        }
    }
    let filter = match &create.filter {
        None => None,
        Some(condition) => {
            refuse_ignored_duplicates(&create.options, &create.name, &shown)?;
            Some(filter_text("index", &create.name, &written(&create.table), condition, &table_def)?)
        }
    };
    let place = place_of(ddl, &db, &row)?;
    let spec = IndexSpec {
        name: create.name.to_string(),
        clustered,
        hash: create.hash,
        status: if create.unique { ix::UNIQUE | constraint } else { 0 },
        columns: create.columns.iter().map(|c| (c.name.to_string(), c.descending)).collect(),
        included: create.include.iter().map(|c| c.to_string()).collect(),
        filter,
        options: &create.options,
        on,
        table: Placement::of(&table_def),
        constraint_id,
        number: None,
    };
    if on_view && clustered && !drop_existing {
        view_index::fill(ddl, &db, &row, &place)?;
    }
    let indid = add_rows(ddl, &db, &shown, row.id, &spec)?;
    build(ddl, &db, row.id, indid, &place, &table_name, is_online(&create.options))?;
    if on_view {
        view_index::changed(ddl, &db, row.id)?;
    }
    Ok((db, row.id, indid))
}

/// Whether CREATE INDEX says what the index of a constraint is.
fn is_same_key(db: &Database, table: &sql::catalog::TableDef, old: &IndexRow, create: &CreateIndex) -> bool {
    let Some(index) = table.indexes.iter().find(|index| index.id == old.indid as u32) else { return false };
    let like = |(own, asked): (&(u16, bool), &sql::ast::IndexColumn)| {
        own.1 == asked.descending && db.equal_names(&table.columns[usize::from(own.0)].name, &asked.name)
    };
    let plain = create.unique && create.filter.is_none() && create.include.is_empty();
    let as_clustered = (create.clustered == Some(true)) == (old.indid == 1);
    plain && as_clustered && index.key.len() == create.columns.len() && index.key.iter().zip(&create.columns).all(like)
}

fn ask_for_columns(ddl: &mut Ddl<'_>, create: &CreateIndex) -> SqlResult<()> {
    let keys = create.columns.iter().map(|column| &*column.name);
    let columns: Vec<&str> = keys.chain(create.include.iter().map(|column| &**column)).collect();
    let whole = create.clustered == Some(true);
    ask_to_sort(ddl, &create.table, if whole { None } else { Some(&columns) })
}

/// The table of CREATE INDEX.
fn indexed(ddl: &mut Ddl<'_>, create: &CreateIndex, shown: &str) -> SqlResult<(Arc<Database>, ObjectRow)> {
    let Some((db, row)) = ddl.find(&create.table)? else {
        return Err(sql_error!(1088, shown));
    };
    match row.kind.as_str() {
        "U" => {}
        "V" if matches!(create.kind, IndexKind::Rows) => {}
        _ => return Err(sql_error!(1088, shown)),
    }
    Ok((db, row))
}

/// 1505
fn duplicate_found(table: &str, index: &str, values: &str) -> SqlError {
    sql_error!(1505, table, index, format_args!("({values})"))
}

/// Builds an index whose rows are in the catalog. 1505: rows that are there have one key twice.
pub fn build(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    id: i32,
    indid: i32,
    place: &super::site::Place,
    shown: &str,
    online: bool,
) -> SqlResult<()> {
    store_computed_keys(ddl, db, id, indid, place, shown)?;
    let table_def = ddl.reload(db, id)?;
    let index = table_def.indexes.iter().find(|index| index.id == indid as u32).expect("the index just made");
    let Some(layout) = index_layout(&table_def, index) else {
        let lone = index.key.iter().find(|(column, _)| table_def.stored[usize::from(*column)].is_none());
        let column = lone.map_or("", |(column, _)| &*table_def.columns[usize::from(*column)].name);
        return Err(sql_error!(2729, column, "table", shown));
    };
    let database = db.storage_id();
    let moves = layout.clustered && {
        let stored = ddl.catalog.storage.partitioning(database, TableId(id)).map_err(storage_error)?;
        differs(stored.as_ref(), &table_def)
    };
    let made = if moves {
        partition::refuse_attached_indexes(ddl, db, id)?;
        let (whole, divided) = (layout::layout(&table_def), new_partitioning(ddl, db, &table_def)?);
        ddl.long_storage(|storage, tx, pause| {
            storage.divide_table(tx, database, TableId(id), (&whole, divided.as_ref()), pause)
        })
    } else {
        let fills = fills(ddl, db, id)?;
        ddl.build(&|index| fills.of(index), |storage, tx, build| {
            build.online = online;
            storage.create_index(tx, database, TableId(id), &layout, build)
        })
    };
    ddl.changed(db.id, id);
    match made {
        Ok(()) => Ok(()),
        Err(StorageError::DuplicateKey { .. }) => {
            // The question for the value must not be answered from the index that is not there.
            let filter = ddl.rows(db, |rows| {
                let row = rows.first::<IndexRow>(0, &[int(id), int(indid)])?.expect("the index just made");
                rows.delete::<IndexColumnRow>(0, &[int(id), int(indid)])?;
                rows.delete::<IndexRow>(0, &[int(id), int(indid)])?;
                Ok(row.filter.0)
            })?;
            ddl.changed(db.id, id);
            let values = duplicate_value(ddl, place, shown, index, filter.as_deref(), &table_def)?;
            Err(duplicate_found(&format!("{}.{shown}", table_def.schema), &index.name, &values))
        }
        Err(error) => Err(build_error(error, &format!("{}.{shown}", table_def.schema), Some(&index.name))),
    }
}

/// `1, a`; empty: the rows have gone meanwhile.
fn duplicate_value(
    ddl: &mut Ddl<'_>,
    place: &super::site::Place,
    shown: &str,
    index: &sql::catalog::IndexDef,
    filter: Option<&str>,
    table_def: &sql::catalog::TableDef,
) -> SqlResult<String> {
    let columns: Vec<String> =
        index.key.iter().map(|(c, _)| text::bracket(&table_def.columns[usize::from(*c)].name)).collect();
    // The first one in the order of the index.
    let order: Vec<String> = index
        .key
        .iter()
        .zip(&columns)
        .map(|((_, descending), column)| match descending {
            true => format!("{column} DESC"),
            false => column.clone(),
        })
        .collect();
    let parts: Vec<String> =
        columns.iter().map(|c| format!("ISNULL(CONVERT(nvarchar(200), {c}), N'<NULL>')")).collect();
    let query = format!(
        "SELECT TOP 1 {} AS a FROM {}{} GROUP BY {} HAVING COUNT(*) > 1 ORDER BY {}",
        parts.join(" + N', ' + "),
        source(place, shown),
        filter.map_or_else(String::new, |filter| format!(" WHERE {filter}")),
        columns.join(", "),
        order.join(", ")
    );
    let mut found = None;
    ddl.site.query(&query, &mut |_, batch| {
        if batch.rows > 0 && found.is_none() {
            if let Datum::Bytes(bytes) = batch.columns[0].datum(0) {
                found = Some(types::collation::code_page::utf16_to_string(&bytes));
            }
        }
        Ok(())
    })?;
    Ok(found.unwrap_or_default())
}

/// The same of a table that has no rows yet.
pub fn store_new_keys(ddl: &mut Ddl<'_>, db: &Arc<Database>, id: i32, shown: &str) -> SqlResult<()> {
    let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(id), small(0)]))?;
    let key = ddl.rows(db, |rows| rows.find::<IndexColumnRow>(0, &[int(id)]))?;
    for column in columns.iter().filter(|c| !rebuild::stored(c) && key.iter().any(|k| k.colid == c.colid)) {
        let index = key.iter().find(|k| k.colid == column.colid).map_or(0, |k| k.indid);
        check_computed_key(ddl, db, (id, index), &[column], &key, shown)?;
        let of = [int(id), small(0), int(column.colid)];
        ddl.rows(db, |rows| rows.update::<ColumnRow>(0, &of, |row| row.status |= cs::STORED))?;
        ddl.changed(db.id, id);
    }
    Ok(())
}

/// An index on a computed column needs its values in the row.
fn store_computed_keys(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    id: i32,
    indid: i32,
    place: &super::site::Place,
    shown: &str,
) -> SqlResult<()> {
    let columns = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(id), small(0)]))?;
    let key = ddl.rows(db, |rows| rows.find::<IndexColumnRow>(0, &[int(id), int(indid)]))?;
    let not_stored: Vec<&ColumnRow> =
        columns.iter().filter(|c| !rebuild::stored(c) && key.iter().any(|k| k.colid == c.colid)).collect();
    if not_stored.is_empty() {
        return Ok(());
    }
    check_computed_key(ddl, db, (id, indid), &not_stored, &key, shown)?;
    if indid == 1 && table_is_divided(ddl, db, id)? {
        return Err(super::unsupported("A clustered index of a partitioned table on a computed column"));
    }
    // The rows are moved by the old definition, without the new index.
    let ids: Vec<i32> = not_stored.iter().map(|c| c.colid).collect();
    let index = ddl.rows(db, |rows| rows.first::<IndexRow>(0, &[int(id), int(indid)]))?.expect("the index just made");
    ddl.rows(db, |rows| {
        rows.delete::<IndexRow>(0, &[int(id), int(indid)])?;
        rows.delete::<IndexColumnRow>(0, &[int(id), int(indid)])
    })?;
    ddl.changed(db.id, id);
    rebuild::store_computed(ddl, db, place, shown, id, &ids, cs::STORED)?;
    ddl.rows(db, |rows| {
        rows.insert(&index)?;
        for column in &key {
            rows.insert(column)?;
        }
        Ok(())
    })?;
    ddl.changed(db.id, id);
    Ok(())
}

/// 2709, 2729, 2799: what an index keeps of a row that it computes is the same whenever it is computed. A column that is only included may
/// be imprecise: https://learn.microsoft.com/sql/t-sql/statements/create-index-transact-sql
fn check_computed_key(
    ddl: &mut Ddl<'_>,
    db: &Database,
    (id, indid): (i32, i32),
    columns: &[&ColumnRow],
    indexed: &[IndexColumnRow],
    shown: &str,
) -> SqlResult<()> {
    for column in columns {
        let nature = ddl.site.nature(db.id, id, column.definition.0.as_deref().unwrap_or_default())?;
        if nature.reads && nature != Nature::UNKNOWN {
            return Err(sql_error!(2709, column.name, "table", shown));
        }
        if !nature.deterministic {
            return Err(sql_error!(2729, column.name, "table", shown));
        }
        let in_key = indexed.iter().any(|part| part.colid == column.colid && part.keyord != 0);
        if !nature.precise && in_key {
            let index = ddl.rows(db, |rows| rows.first::<IndexRow>(0, &[int(id), int(indid)]))?;
            return Err(sql_error!(2799, index.and_then(|index| index.name).unwrap_or_default(), shown, column.name));
        }
    }
    Ok(())
}

fn table_is_divided(ddl: &mut Ddl<'_>, db: &Database, id: i32) -> SqlResult<bool> {
    let row = ddl.rows(db, |rows| rows.first::<IndexRow>(0, &[int(id), int(1)]))?;
    Ok(row.is_some_and(|row| row.dataspace >= crate::catalog::partition::SCHEME_MIN))
}

/// Removes an index that is no constraint's. What was clustered becomes a heap in the same place.
pub fn remove(ddl: &mut Ddl<'_>, db: &Arc<Database>, object: &ObjectRow, index: &IndexRow) -> SqlResult<()> {
    let (id, indid) = (object.id, index.indid);
    let place = if indid == 1 { Placement::of(&ddl.reload(db, id)?) } else { Placement::DEFAULT };
    ddl.rows(db, |rows| {
        rows.delete::<IndexRow>(0, &[int(id), int(indid)])?;
        rows.delete::<IndexColumnRow>(0, &[int(id), int(indid)])
    })?;
    if index.kind == load::SPATIAL_INDEX {
        internal_table::drop(ddl, db, index)?;
    }
    if indid == 1 {
        add_heap(ddl, db, id, &place)?;
    }
    ddl.changed(db.id, id);
    if has(index.status, ix::STATISTICS) || has(index.status, ix::DISABLED) {
        return Ok(());
    }
    let database = db.storage_id();
    let index = IndexId(indid as u32);
    // What was this index becomes a heap, and the others are built anew.
    let fills = fills(ddl, db, id)?;
    ddl.build(&|index| fills.of(index), |storage, tx, build| {
        storage.drop_index(tx, database, TableId(id), index, build)
    })
    .map_err(|error| build_error(error, &object.name, None))
}

pub fn find_index(ddl: &mut Ddl<'_>, db: &Database, table: i32, name: &str) -> SqlResult<Option<IndexRow>> {
    let indexes = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(table)]))?;
    Ok(indexes.into_iter().find(|index| index.name.as_deref().is_some_and(|own| db.equal_names(own, name))))
}

pub fn drop(ddl: &mut Ddl<'_>, drop: &DropIndex) -> SqlResult<()> {
    for item in &drop.indexes {
        let shown = format!("{}.{}", written(&item.table), &*item.index);
        let found = match ddl.find(&item.table)? {
            Some((db, row)) => {
                if has(row.status, os_::MEMORY_OPTIMIZED) {
                    schema_binding::refuse_in_transaction(ddl, schema_binding::TABLES)?;
                }
                ddl.lock(&db, row.id)?;
                find_index(ddl, &db, row.id, &item.index)?
                    .filter(|i| !has(i.status, ix::STATISTICS) || i.kind >= load::SPATIAL_INDEX || is_xml(i))
                    .map(|index| (db, row, index))
            }
            None => None,
        };
        let Some((db, row, index)) = found else {
            if drop.if_exists {
                continue;
            }
            return Err(cannot_drop("index", &shown, 7));
        };
        if is_xml(&index) {
            super::xml_index::drop(ddl, &db, &row, &index)?;
            continue;
        }
        if index.constraint_id != 0 {
            let kind = if has(index.status, ix::PRIMARY_KEY) { "PRIMARY KEY" } else { "UNIQUE KEY" };
            return Err(sql_error!(3723, state 4, shown, kind));
        }
        refuse_referenced(ddl, &db, &row, &index, &shown)?;
        if index.indid != 1 && !item.options.is_empty() {
            return Err(sql_error!(3748, shown));
        }
        if index.indid == 1 && has(row.status, os_::HISTORY) {
            super::versioned::check_index_drop(ddl, &db, &row, &shown)?;
        }
        if view_index::is_view(&row) {
            match index.indid {
                1 => view_index::drop_all(ddl, &db, row.id)?,
                _ => {
                    remove(ddl, &db, &row, &index)?;
                    view_index::changed(ddl, &db, row.id)?;
                }
            }
            continue;
        }
        let space = moved_to(ddl, &db, &row, &item.options)?;
        remove(ddl, &db, &row, &index)?;
        move_heap(ddl, &db, row.id, space)?;
    }
    Ok(())
}

/// MOVE TO: where the heap lies that a clustered index leaves. 1921: there is no such place; 2726, 1911, 7726: it cannot be divided so.
pub fn moved_to(
    ddl: &mut Ddl<'_>,
    db: &Database,
    row: &ObjectRow,
    options: &[Setting],
) -> SqlResult<Option<Placement>> {
    let Some(setting) = find_setting(options, "MOVE TO") else { return Ok(None) };
    let space = match &setting.value {
        SettingValue::Word(name) => DataSpace { name: name.clone(), columns: Vec::new() },
        SettingValue::List(Some(name), columns) => {
            let columns = columns.iter().map(|column| Ident { text: column.name.clone(), quoted: true });
            DataSpace { name: name.clone(), columns: columns.collect() }
        }
        _ => return Err(sql_error!(102, "MOVE")),
    };
    let place = partition::placement(ddl, db, Some(&space))?.expect("an ON clause is given");
    if let Some(divided) = &place.divided {
        partition::check_column(ddl, db, (row.name.as_str(), row.id), divided, true)?;
    }
    let table = ddl.reload(db, row.id)?;
    if (place.divided.is_some() || table.partitioning.is_some()) && !place.is_same(db, &Placement::of(&table)) {
        partition::refuse_attached_indexes(ddl, db, row.id)?;
    }
    Ok(Some(place))
}

/// Moves a heap there; `None`: it stays.
pub fn move_heap(ddl: &mut Ddl<'_>, db: &Arc<Database>, table: i32, place: Option<Placement>) -> SqlResult<()> {
    let Some(place) = place else { return Ok(()) };
    ddl.rows(db, |rows| {
        rows.delete::<IndexRow>(0, &[int(table), int(0)])?;
        rows.delete::<IndexColumnRow>(0, &[int(table), int(0)])
    })?;
    add_heap(ddl, db, table, &place)?;
    ddl.changed(db.id, table);
    let def = ddl.reload(db, table)?;
    let (database, id) = (db.storage_id(), TableId(table));
    let stored = ddl.catalog.storage.partitioning(database, id).map_err(storage_error)?;
    if !differs(stored.as_ref(), &def) {
        return Ok(());
    }
    let (whole, divided) = (layout::layout(&def), new_partitioning(ddl, db, &def)?);
    ddl.long_storage(|storage, tx, pause| storage.divide_table(tx, database, id, (&whole, divided.as_ref()), pause))
        .map_err(|error| build_error(error, &format!("{}.{}", def.schema, def.name), None))
}

fn refuse_referenced(
    ddl: &mut Ddl<'_>,
    db: &Database,
    row: &ObjectRow,
    index: &IndexRow,
    shown: &str,
) -> SqlResult<()> {
    let used = ddl.rows(db, |rows| {
        rows.find::<crate::catalog::base::ReferenceRow>(
            1,
            &[int(row.id), small(crate::catalog::base::class::FOREIGN_KEY)],
        )
    })?;
    if used.iter().any(|reference| reference.status >> 8 == index.indid) {
        return Err(sql_error!(3723, state 5, shown, "FOREIGN KEY"));
    }
    Ok(())
}

pub fn alter(ddl: &mut Ddl<'_>, alter: &AlterIndex) -> SqlResult<()> {
    let shown = written(&alter.table);
    if let AlterIndexAction::Rebuild { .. } = &alter.action {
        ask_to_sort(ddl, &alter.table, None)?;
    }
    let Some((db, row, old)) = locked_to_alter(ddl, alter)? else {
        return Err(sql_error!(1088, shown));
    };
    if old.memory.is_some() {
        return Err(sql_error!(10794, state 12, "operation", "ALTER INDEX", "memory optimized tables"));
    }
    options_of_action(&alter.action)?;
    let chosen = indexes_named(ddl, &db, row.id, alter.index.as_deref())?;
    index_partition::refuse(&alter.action, alter.index.is_none(), &chosen, (row.name.as_str(), &old))?;
    let partition = index_partition::chosen(ddl, &db, &alter.action, &chosen, (row.name.as_str(), &old))?;
    let place = place_of(ddl, &db, &row)?;
    for index in chosen {
        if old.of_view && alter_of_view(ddl, (&row, &place), &index, &alter.action)? {
            continue;
        }
        if is_xml(&index) {
            // There is nothing to build: only whether it is disabled is kept.
            let disabled = match &alter.action {
                AlterIndexAction::Disable => true,
                AlterIndexAction::Rebuild { .. } => false,
                _ => continue,
            };
            let status = index.status & !ix::DISABLED | if disabled { ix::DISABLED } else { 0 };
            set_status(ddl, &db, row.id, index.indid, status)?;
            continue;
        }
        if let AlterIndexAction::Rebuild { options, .. } | AlterIndexAction::Set(options) = &alter.action {
            check_options(&index, options)?;
        }
        match &alter.action {
            // It has no pages.
            _ if index.kind == load::SPATIAL_INDEX => {}
            AlterIndexAction::Rebuild { .. }
                if has(index.status, ix::DISABLED) && !has(index.status, ix::STATISTICS) =>
            {
                let AlterIndexAction::Rebuild { options, .. } = &alter.action else { unreachable!("just looked") };
                let status = status_with(options, index.status & !ix::DISABLED);
                set_status(ddl, &db, row.id, index.indid, status)?;
                set_fill(ddl, &db, row.id, index.indid, options)?;
                build(ddl, &db, row.id, index.indid, &place, &row.name, false)?;
            }
            AlterIndexAction::Reorganize { .. } if has(index.status, ix::DISABLED) => {
                return Err(sql_error!(1973, index.name.as_deref().unwrap_or_default(), "table", row.name));
            }
            // Pages are kept in order as rows come: there is nothing to reorganize.
            AlterIndexAction::Reorganize { .. } => {}
            AlterIndexAction::Resumable { verb, .. } => {
                return Err(sql_error!(10638, verb, index.name.as_deref().unwrap_or_default(), row.name));
            }
            AlterIndexAction::Disable if index.indid == 1 => {
                return Err(super::unsupported("ALTER INDEX ... DISABLE of a clustered index"));
            }
            AlterIndexAction::Disable if !has(index.status, ix::DISABLED) => {
                let (database, id) = (db.storage_id(), IndexId(index.indid as u32));
                let fills = fills(ddl, &db, row.id)?;
                ddl.build(&|index| fills.of(index), |storage, tx, build| {
                    storage.drop_index(tx, database, TableId(row.id), id, build)
                })
                .map_err(storage_error)?;
                set_status(ddl, &db, row.id, index.indid, index.status | ix::DISABLED)?;
            }
            AlterIndexAction::Disable => {}
            AlterIndexAction::Rebuild { options, .. } | AlterIndexAction::Set(options) => {
                let status = status_with(options, index.status);
                if status != index.status {
                    set_status(ddl, &db, row.id, index.indid, status)?;
                }
                if let AlterIndexAction::Rebuild { .. } = &alter.action {
                    set_fill(ddl, &db, row.id, index.indid, options)?;
                    let name = format!("{}.{}", place.schema_name, row.name);
                    let online = is_online(options);
                    let part = index_partition::in_trees(ddl, &db, &old, &index, partition)?;
                    rebuild_pages(ddl, &db, (row.id, &name), &index, (part, online))?;
                }
            }
        }
    }
    if old.of_view {
        view_index::changed(ddl, &db, row.id)?;
    }
    match alter.action {
        AlterIndexAction::Reorganize { .. } => Ok(()),
        _ => ddl.touch(&db, row.id),
    }
}

/// The index of that name, or all. 2727
fn indexes_named(ddl: &mut Ddl<'_>, db: &Database, table: i32, name: Option<&str>) -> SqlResult<Vec<IndexRow>> {
    let all = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(table)]))?.into_iter();
    let Some(name) = name else {
        return Ok(all.filter(|index| index.indid > 0 && !has(index.status, ix::STATISTICS)).collect());
    };
    let found: Vec<IndexRow> =
        all.filter(|index| index.name.as_deref().is_some_and(|own| db.equal_names(own, name))).collect();
    match found.is_empty() {
        true => Err(sql_error!(2727, state 3, name)),
        false => Ok(found),
    }
}

/// What the clustered index of a view is, the view's rows are. False: it goes the way of any index.
fn alter_of_view(
    ddl: &mut Ddl<'_>,
    (row, place): (&ObjectRow, &super::site::Place),
    index: &IndexRow,
    action: &AlterIndexAction,
) -> SqlResult<bool> {
    let db = place.db.clone();
    if index.indid != 1 {
        return match view_index::expect_enabled(ddl, &db, &place.schema_name, row) {
            // With the clustered one they all are.
            Err(_) if matches!(action, AlterIndexAction::Disable) => Ok(true),
            enabled => enabled.map(|()| false),
        };
    }
    match action {
        AlterIndexAction::Disable => view_index::disable(ddl, &db, row.id)?,
        AlterIndexAction::Rebuild { .. } if has(index.status, ix::DISABLED) => {
            view_index::enable(ddl, &db, row, place)?;
            build(ddl, &db, row.id, index.indid, place, &row.name, false)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Makes the pages of an index, or of a heap, anew.
fn rebuild_pages(
    ddl: &mut Ddl<'_>,
    db: &Database,
    (table, name): (i32, &str),
    index: &IndexRow,
    (partition, online): (Option<usize>, bool),
) -> SqlResult<()> {
    let (database, id) = (db.storage_id(), IndexId(index.indid as u32));
    let fills = fills(ddl, db, table)?;
    let part = Part { table: TableId(table), partition };
    let rebuilt = ddl.build(&|index| fills.of(index), |storage, tx, build| {
        build.online = online;
        storage.rebuild_partition(tx, database, part, id, build)
    });
    rebuilt.map_err(|error| build_error(error, name, index.name.as_deref()))?;
    ddl.changed(db.id, table);
    Ok(())
}

/// DBCC DBREINDEX (table [, index [, fillfactor]]). 2501: no such table, 2727: no such index; a fill factor of 0 is the index's own.
/// https://learn.microsoft.com/sql/t-sql/database-console-commands/dbcc-dbreindex-transact-sql
pub fn reindex(ddl: &mut Ddl<'_>, dbcc: &Dbcc) -> SqlResult<()> {
    let written = text_argument(dbcc, 0).unwrap_or_default();
    let found = table_argument(ddl, dbcc)?.filter(|(_, row)| row.kind.as_str() == "U");
    let (db, row) = found.ok_or_else(|| no_such_object(&written))?;
    let percent = match number_argument(dbcc, 2) {
        None | Some(0) => None,
        Some(percent) => Some(checked_fill(percent)?),
    };
    ddl.lock(&db, row.id)?;
    let rows = ddl.rows(&db, |rows| rows.find::<IndexRow>(0, &[int(row.id)]))?;
    let is_built = |index: &IndexRow| index.indid > 0 && index.status & (ix::STATISTICS | ix::DISABLED) == 0;
    let mut chosen: Vec<IndexRow> = rows.into_iter().filter(is_built).collect();
    if let Some(name) = text_argument(dbcc, 1).filter(|name| !name.is_empty()) {
        chosen.retain(|index| index.name.as_deref().is_some_and(|own| db.equal_names(own, &name)));
        if chosen.is_empty() {
            return Err(sql_error!(2727, state 3, name));
        }
    }
    let table = place_of(ddl, &db, &row)?;
    for index in chosen.iter().filter(|_| !has(row.status, os_::MEMORY_OPTIMIZED)) {
        if let Some(percent) = percent {
            let key = [int(row.id), int(index.indid)];
            ddl.rows(&db, |rows| rows.update::<IndexRow>(0, &key, |row| row.fillfact = percent))?;
        }
        rebuild_pages(ddl, &db, (row.id, &format!("{}.{}", table.schema_name, row.name)), index, (None, false))?;
    }
    if find_setting(&dbcc.options, "NO_INFOMSGS").is_none() {
        ddl.message(sql_error!(2528));
    }
    Ok(())
}

/// FILLFACTOR, where it is given.
fn set_fill(ddl: &mut Ddl<'_>, db: &Database, table: i32, indid: i32, options: &[Setting]) -> SqlResult<()> {
    let Some(percent) = fill_factor(options)? else { return Ok(()) };
    ddl.rows(db, |rows| rows.update::<IndexRow>(0, &[int(table), int(indid)], |row| row.fillfact = percent))?;
    Ok(())
}

/// 129. https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors-0-to-999
fn fill_factor(options: &[Setting]) -> SqlResult<Option<u8>> {
    number(options, "FILLFACTOR").map(checked_fill).transpose()
}

fn checked_fill(percent: i128) -> SqlResult<u8> {
    match percent {
        1..=100 => Ok(percent as u8),
        other => Err(sql_error!(129, other)),
    }
}

fn status_with(options: &[Setting], mut status: i32) -> i32 {
    for (name, bit, inverted) in [
        ("IGNORE_DUP_KEY", ix::IGNORE_DUPLICATES, false),
        ("PAD_INDEX", ix::PADDED, false),
        ("STATISTICS_NORECOMPUTE", ix::NO_RECOMPUTE, false),
        ("ALLOW_ROW_LOCKS", ix::NO_ROW_LOCKS, true),
        ("ALLOW_PAGE_LOCKS", ix::NO_PAGE_LOCKS, true),
    ] {
        if let Some(setting) = find_setting(options, name) {
            status = if setting.is_on() != inverted { status | bit } else { status & !bit };
        }
    }
    status
}

/// Errors: 1979 for a constraint's index, 1916, 10618.
fn check_options(index: &IndexRow, options: &[Setting]) -> SqlResult<()> {
    if !find_setting(options, "IGNORE_DUP_KEY").is_some_and(Setting::is_on) {
        return Ok(());
    }
    let name = index.name.as_deref().unwrap_or_default();
    if has(index.status, ix::PRIMARY_KEY) || has(index.status, ix::UNIQUE_CONSTRAINT) {
        return Err(sql_error!(1979, "ignore_dup_key", name));
    }
    if !has(index.status, ix::UNIQUE) || index.filter.0.is_some() {
        return Err(duplicates_without_unique());
    }
    Ok(())
}

/// ALTER TABLE ... REBUILD: the options of the clustered index, also where it is a constraint's. 7729, 7735 for one partition.
pub fn rebuild_table(
    ddl: &mut Ddl<'_>,
    db: &Database,
    (table, name): (i32, &str),
    partition: Option<&PartitionChoice>,
    options: &[Setting],
) -> SqlResult<()> {
    known_options(options)?;
    let indexes = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(table)]))?;
    let clustered = indexes.into_iter().find(|index| index.indid == 1);
    let def = ddl.reload(db, table)?;
    let partition = match partition {
        Some(PartitionChoice::One(expr)) => {
            let index = clustered.as_ref().and_then(|index| index.name.as_deref());
            Some(index_partition::of_table(ddl, &def, index, (name, expr))?)
        }
        _ => None,
    };
    let in_memory = def.memory.is_some();
    let Some(index) = clustered else {
        let heap = ddl.rows(db, |rows| rows.first::<IndexRow>(0, &[int(table), int(0)]))?;
        let heap = heap.filter(|_| !in_memory);
        return heap.map_or(Ok(()), |heap| rebuild_pages(ddl, db, (table, name), &heap, (partition, false)));
    };
    let status = status_with(options, index.status);
    if has(status, ix::IGNORE_DUPLICATES) && !has(status, ix::UNIQUE) {
        return Err(duplicates_without_unique());
    }
    if status != index.status {
        set_status(ddl, db, table, index.indid, status)?;
    }
    set_fill(ddl, db, table, index.indid, options)?;
    if in_memory { Ok(()) } else { rebuild_pages(ddl, db, (table, name), &index, (partition, false)) }
}

pub fn set_status(ddl: &mut Ddl<'_>, db: &Database, table: i32, indid: i32, status: i32) -> SqlResult<()> {
    ddl.rows(db, |rows| rows.update::<IndexRow>(0, &[int(table), int(indid)], |row| row.status = status))?;
    ddl.changed(db.id, table);
    Ok(())
}

/// `BUCKET_COUNT` of a hash index as it was given, 0: it was not.
fn asked_buckets(options: &[Setting]) -> u64 {
    let value = find_setting(options, "BUCKET_COUNT").and_then(|setting| match &setting.value {
        sql::ast::SettingValue::Value(expr) => whole_number(expr),
        _ => None,
    });
    value.and_then(|value| u64::try_from(value).ok()).unwrap_or(0)
}

/// As many as a hash index gets. 0: none were asked for.
pub fn buckets(options: &[Setting]) -> i64 {
    match asked_buckets(options) {
        0 => 0,
        asked => storage::bucket_count(asked) as i64,
    }
}

/// As many as a hash index gets that is there already. 41303: no such number.
pub fn new_buckets(options: &[Setting]) -> SqlResult<i64> {
    match asked_buckets(options) {
        asked @ 1..=storage::BUCKETS_MAX => Ok(storage::bucket_count(asked) as i64),
        _ => Err(sql_error!(41303)),
    }
}

/// 1919: text, xml and the like are no keys.
pub fn key_column_allowed(column: &ColumnRow) -> bool {
    let large = matches!(column.xtype, 34 | 35 | 99 | 241) || column.length == -1;
    !large
        && scalar_type::sql_type(column.xtype, column.utype, column.length, column.prec, column.scale, None)
            .is_some_and(|ty| !matches!(ty.kind, TypeKind::Xml | TypeKind::Json))
}
