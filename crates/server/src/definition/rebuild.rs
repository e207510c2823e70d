//! Puts a table's rows into a new layout: through a heap beside it, so that memory does not grow with the table.

use std::sync::Arc;

use sql::catalog::TableDef;
use storage::{HeapLoad, TableId, TableLayout};
use types::{ColumnType, Datum, RowLayout, SqlError, SqlResult, convert, row, sql_error};

use super::build::{build_error, fills};
use super::layout::{create_storage, row_layout};
use super::site::{Ddl, Place, has, source};
use super::text::bracket;
use crate::catalog::base::{ColumnRow, column_status as cs};
use crate::catalog::error::storage_error;
use crate::catalog::load::{int, small};
use crate::catalog::{Database, scalar_type};

/// A stored column of the new layout: its name, its type, and its value over the old table.
pub struct NewColumn {
    pub name: String,
    pub ty: ColumnType,
    pub value: String,
    /// The value is text or binary of any length: what is longer than the type is error 2628.
    pub whole: bool,
}

/// Rows put aside, in the new layout.
pub struct Saved {
    heap: i32,
    row: RowLayout,
}

/// Copies the rows as they will be; the catalog still has the old table. 515: a NULL where none may be.
pub fn save(ddl: &mut Ddl<'_>, place: &Place, shown: &str, columns: &[NewColumn]) -> SqlResult<Saved> {
    let db = &place.db;
    let full_name = place.full_name(shown);
    let row = RowLayout::new(&columns.iter().map(|column| column.ty).collect::<Vec<_>>());
    let heap = ddl.new_id(db)?;
    let database = db.storage_id();
    let layout = TableLayout::heap(row.clone());
    ddl.storage(|storage, tx| storage.create_table(tx, database, TableId(heap), &layout)).map_err(storage_error)?;
    let list: Vec<String> = columns.iter().enumerate().map(|(i, column)| format!("{} AS c{i}", column.value)).collect();
    let query = format!("SELECT {} FROM {}", list.join(", "), source(place, shown));
    let catalog = ddl.catalog.clone();
    let table = catalog.storage.open_table(database, TableId(heap)).map_err(storage_error)?;
    let mut image = Vec::new();
    let mut load =
        ddl.storage(|_, tx| Ok(HeapLoad::new(&table, tx))).map_err(storage_error)?.expect("a heap just made");
    ddl.site.query(&query, &mut |tx, batch| {
        for i in 0..batch.rows {
            let mut values: Vec<Datum> = batch.columns.iter().map(|column| column.datum(i)).collect();
            for (column, value) in columns.iter().zip(&mut values).filter(|(column, _)| column.whole) {
                *value = fitted(std::mem::replace(value, Datum::Null), column, &full_name)?;
            }
            if let Some(position) =
                columns.iter().zip(&values).position(|(column, value)| !column.ty.nullable && value.is_null())
            {
                return Err(no_null(&columns[position].name, &full_name, "UPDATE"));
            }
            image.clear();
            row::encode(&row, &values, &mut image);
            load.push(tx, &image).map_err(|error| build_error(error, shown, None))?;
        }
        Ok(())
    })?;
    ddl.end_load(load).map_err(|error| build_error(error, shown, None))?;
    Ok(Saved { heap, row })
}

/// Replaces the storage of `new` by the rows put aside.
pub fn restore(ddl: &mut Ddl<'_>, db: &Database, new: &TableDef, saved: Saved) -> SqlResult<()> {
    let database = db.storage_id();
    let id = TableId(new.object.0);
    ddl.storage(|storage, tx| storage.drop_table(tx, database, id)).map_err(storage_error)?;
    create_storage(ddl, db, new)?;
    assert_eq!(row_layout(new), saved.row, "rows were put aside in the layout of the new definition");
    let fills = fills(ddl, db, new.object.0)?;
    ddl.build(&|index| fills.of(index), |storage, tx, build| {
        storage.copy_table(tx, database, (TableId(saved.heap), id), build)?;
        storage.drop_table(tx, database, TableId(saved.heap))
    })
    .map_err(|error| build_error(error, &format!("{}.{}", new.schema, new.name), None))
}

/// The value as one of the column's type. 2628: it is too long. `table`: its full name.
pub fn fitted(value: Datum, column: &NewColumn, table: &str) -> SqlResult<Datum> {
    let too_long = convert::is_too_long(&value, &column.ty.ty);
    let fitted = convert::fit(value, &column.ty.ty);
    match &fitted {
        Datum::Bytes(cut) if too_long => {
            let ty = &column.ty.ty;
            let shown = if ty.is_string() { convert::text_of(cut, ty) } else { String::new() };
            Err(sql_error!(2628, table, column.name, shown))
        }
        _ => Ok(fitted),
    }
}

/// 515. `table`: its full name.
pub fn no_null(column: &str, table: &str, verb: &str) -> SqlError {
    sql_error!(515, column, table, verb)
}

pub fn stored(column: &ColumnRow) -> bool {
    !has(column.status, cs::COMPUTED) || has(column.status, cs::PERSISTED | cs::STORED)
}

pub fn column_type(column: &ColumnRow) -> ColumnType {
    let ty = scalar_type::sql_type(
        column.xtype,
        column.utype,
        column.length,
        column.prec,
        column.scale,
        column.collation.as_deref(),
    );
    ColumnType { ty: ty.expect("a column of a scalar type"), nullable: has(column.status, cs::NULLABLE) }
}

/// How the stored columns of `columns` come from the table as it is.
pub fn carried(columns: &[ColumnRow], value: impl Fn(&ColumnRow) -> String) -> Vec<NewColumn> {
    let kept = columns.iter().filter(|column| stored(column));
    let new = |column: &ColumnRow| NewColumn {
        name: column.name.clone(),
        ty: column_type(column),
        value: value(column),
        whole: false,
    };
    kept.map(new).collect()
}

/// Makes computed columns stored. `bit`: PERSISTED, or STORED where an index or a history needs the values.
pub fn store_computed(
    ddl: &mut Ddl<'_>,
    db: &Arc<Database>,
    place: &Place,
    shown: &str,
    id: i32,
    columns: &[i32],
    bit: i32,
) -> SqlResult<()> {
    let mut rows = ddl.rows(db, |rows| rows.find::<ColumnRow>(0, &[int(id), small(0)]))?;
    for row in rows.iter_mut().filter(|row| columns.contains(&row.colid)) {
        row.status |= bit;
    }
    let saved = save(ddl, place, shown, &carried(&rows, |column| bracket(&column.name)))?;
    ddl.rows(db, |store| {
        for &colid in columns {
            store.update::<ColumnRow>(0, &[int(id), small(0), int(colid)], |row| row.status |= bit)?;
        }
        Ok(())
    })?;
    ddl.changed(db.id, id);
    let new = ddl.reload(db, id)?;
    restore(ddl, db, &new, saved)
}
