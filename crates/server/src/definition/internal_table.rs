//! Internal tables of XML and spatial indexes. SQL Server keeps such an index in a table of its own; here there is only that table's row in
//! the catalog, for tools find an index's statistics and partitions by it, and without one they take the index for none.
//! https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-internal-tables-transact-sql

use std::sync::Arc;

use types::SqlResult;

use super::site::{Ddl, Place};
use crate::catalog::Database;
use crate::catalog::base::{IndexRow, ObjectRow, object_status, schema};
use crate::catalog::load::{BY_PARENT, SPATIAL_INDEX, int};

pub const KIND: &str = "IT";

/// The table of a new index: `intprop` has the index's number.
pub fn add(ddl: &mut Ddl<'_>, db: &Arc<Database>, index: &IndexRow) -> SqlResult<()> {
    let what = if index.kind == SPATIAL_INDEX { "extended_index" } else { "xml_index_nodes" };
    let place = Place {
        db: db.clone(),
        schema: schema::SYS,
        schema_name: "sys".to_owned(),
        name: format!("{what}_{}_{}", index.id, index.indid),
    };
    ddl.add_object(&place, KIND, index.id, object_status::SHIPPED, index.indid)?;
    Ok(())
}

/// It goes with its index; an index of an older database has none.
pub fn drop(ddl: &mut Ddl<'_>, db: &Arc<Database>, index: &IndexRow) -> SqlResult<()> {
    let children = ddl.rows(db, |rows| rows.find::<ObjectRow>(BY_PARENT, &[int(index.id)]))?;
    let own = children.iter().find(|child| child.kind.as_str() == KIND && child.intprop == index.indid);
    if let Some(own) = own {
        ddl.rows(db, |rows| rows.delete::<ObjectRow>(0, &[int(own.id)]))?;
        ddl.changed_with(db.id, own.id, own.pid);
    }
    Ok(())
}
