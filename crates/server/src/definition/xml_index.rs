//! CREATE PRIMARY XML INDEX, CREATE XML INDEX ... USING XML INDEX: checked and kept in the catalog as SQL Server does, and no structure of
//! storage: methods read the value itself, whose tree is made once a value.
//! https://learn.microsoft.com/sql/t-sql/statements/create-xml-index-transact-sql

use std::sync::Arc;

use sql::ast::{CreateIndex, Ident};
use sql::catalog::IndexKind;
use types::{SqlResult, TypeKind, sql_error};

use super::internal_table;
use super::site::{Ddl, written};
use crate::catalog::Database;
use crate::catalog::base::{ColumnRow, IndexColumnRow, IndexRow, ObjectRow, column_status as cs, index_status as ix};
use crate::catalog::load::{SPATIAL_INDEX_MIN, XML_INDEX_MIN, int, next_index_number, small};
use crate::catalog::row::Text;

/// `sys.indexes.type`
pub const KIND: u8 = 3;
/// Columns of the primary key of a table with XML indexes are fewer.
const KEY_COLUMNS_END: usize = 16;

pub fn is_xml(index: &IndexRow) -> bool {
    index.kind == KIND
}

/// 1088, 1911, 1913, 6330 to 6334, 6337, 6342 to 6344.
pub fn create(
    ddl: &mut Ddl<'_>,
    create: &CreateIndex,
    using: Option<&(Ident, Option<Box<str>>)>,
) -> SqlResult<(Arc<Database>, i32, i32)> {
    let shown = written(&create.table);
    let name = &*create.name.text;
    if ddl.find(&create.table)?.is_some_and(|(_, row)| row.kind.as_str() == "V") {
        return Err(sql_error!(6334, &*create.table.name));
    }
    let Some((db, row, table)) = ddl.table_for_change(&create.table)? else {
        return Err(sql_error!(1088, state 12, shown));
    };
    if name.starts_with(['#', '@']) {
        return Err(sql_error!(6337, name, &name[..1]));
    }
    let [column] = create.columns.as_slice() else {
        return Err(sql_error!(102, state 1, ","));
    };
    let columns = ddl.rows(&db, |rows| rows.find::<ColumnRow>(0, &[int(row.id), small(0)]))?;
    let found = columns.iter().find(|known| db.equal_names(&known.name, &column.name));
    let column = found.ok_or_else(|| sql_error!(1911, &*column.name))?;
    let xml = crate::catalog::scalar_type::system_type(TypeKind::Xml).xtype;
    if column.xtype != xml {
        return Err(sql_error!(6330, column.name, row.name));
    }
    if column.status & cs::COMPUTED != 0 {
        return Err(sql_error!(6342, name, row.name, column.name));
    }
    let indexes = ddl.rows(&db, |rows| rows.find::<IndexRow>(0, &[int(row.id)]))?;
    if indexes.iter().any(|known| known.name.as_deref().is_some_and(|own| db.equal_names(own, name))) {
        return Err(sql_error!(1913, name, "table", shown));
    }
    let clustered = table.indexes.iter().find(|index| index.primary_key && index.kind == IndexKind::Clustered);
    if clustered.is_none_or(|index| index.key.len() >= KEY_COLUMNS_END) {
        return Err(sql_error!(6332, row.name, KEY_COLUMNS_END));
    }
    let of_column = primaries(ddl, &db, &row, &indexes, column.colid)?;
    let (primary, purpose) = match using {
        None => {
            if !of_column.is_empty() {
                return Err(sql_error!(6331, name, column.name, row.name));
            }
            (0, None)
        }
        Some((primary, purpose)) => {
            let is = |index: &&IndexRow| index.name.as_deref().is_some_and(|own| db.equal_names(own, &primary.text));
            let Some(found) = of_column.iter().find(is) else {
                return Err(sql_error!(6344, &*primary.text, row.name, column.name));
            };
            let purpose = match purpose.as_deref() {
                Some("VALUE") => "V",
                Some("PATH") => "P",
                Some("PROPERTY") => "R",
                _ => return Err(super::unsupported("CREATE XML INDEX of a selective XML index")),
            };
            (found.indid, Some(purpose))
        }
    };
    let indid = next_index_number(&indexes, XML_INDEX_MIN..SPATIAL_INDEX_MIN);
    let index = IndexRow {
        id: row.id,
        indid,
        name: Some(name.to_owned()),
        // Storage has nothing of it, as of statistics.
        status: ix::STATISTICS,
        kind: KIND,
        fillfact: 0,
        dataspace: 1,
        // P path, R property, V value.
        filter: Text(purpose.map(str::to_owned)),
        // The primary one.
        buckets: i64::from(primary),
        constraint_id: 0,
    };
    ddl.rows(&db, |rows| {
        rows.insert(&index)?;
        let column = IndexColumnRow { id: row.id, indid, subid: 1, colid: column.colid, keyord: 1, status: 0 };
        rows.insert(&column)
    })?;
    if index.buckets == 0 {
        internal_table::add(ddl, &db, &index)?;
    }
    ddl.changed(db.id, row.id);
    Ok((db, row.id, indid))
}

/// The primary XML indexes of a column.
fn primaries(
    ddl: &mut Ddl<'_>,
    db: &Database,
    row: &ObjectRow,
    indexes: &[IndexRow],
    colid: i32,
) -> SqlResult<Vec<IndexRow>> {
    let of = ddl.rows(db, |rows| rows.find::<IndexColumnRow>(0, &[int(row.id)]))?;
    let has = |index: &&IndexRow| of.iter().any(|column| column.indid == index.indid && column.colid == colid);
    Ok(indexes.iter().filter(|index| is_xml(index) && index.buckets == 0).filter(has).cloned().collect())
}

/// With a primary one go the secondary ones that are made over it.
pub fn drop(ddl: &mut Ddl<'_>, db: &Arc<Database>, row: &ObjectRow, index: &IndexRow) -> SqlResult<()> {
    let all = ddl.rows(db, |rows| rows.find::<IndexRow>(0, &[int(row.id)]))?;
    let over = |other: &&IndexRow| is_xml(other) && other.buckets == i64::from(index.indid);
    let gone: Vec<i32> = all.iter().filter(over).map(|other| other.indid).chain([index.indid]).collect();
    ddl.rows(db, |rows| {
        for indid in gone {
            rows.delete::<IndexRow>(0, &[int(row.id), int(indid)])?;
            rows.delete::<IndexColumnRow>(0, &[int(row.id), int(indid)])?;
        }
        Ok(())
    })?;
    internal_table::drop(ddl, db, index)?;
    ddl.changed(db.id, row.id);
    Ok(())
}
