//! Pages in memory, and what they belong to.
//! https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-os-buffer-descriptors-transact-sql

use std::collections::HashMap;

use exec::session::Session as State;
use storage::{IndexId, PageContent, PageKind, ResidentPage, Table, TableId, TreePlace};
use types::{Datum, SqlResult};

use crate::catalog::base::{BASE_TABLES, IndexRow, index_status};
use crate::catalog::{Database, MASTER};
use crate::session::host::SessionHost;
use crate::system::cell::{Cell, NamedRow, number, text};

/// As sys.allocation_units has them of rowset 0: of rows, and of what is too long for them.
const FIRST_UNIT: i64 = 72_057_594_037_927_936;
const FIRST_LONG_UNIT: i64 = 144_115_188_075_855_872;

#[derive(Clone, Copy)]
struct Unit {
    id: i64,
    /// Of its leaves.
    leaf: &'static str,
}

/// By database and root of a tree.
type Units = HashMap<(u16, u32), Unit>;

/// Row by row: there may be millions of pages.
pub fn for_each(
    host: &SessionHost,
    state: &mut State,
    row: &mut dyn FnMut(NamedRow) -> SqlResult<()>,
) -> SqlResult<()> {
    let mut units = Units::new();
    for db in host.server.catalog.open_databases() {
        add_units(host, state, &db, &mut units)?;
    }
    host.server.catalog.storage.for_each_resident_page(|page| {
        os::wait::maybe_yield();
        row(named(&page, &units))
    })
}

fn add_units(host: &SessionHost, state: &mut State, db: &Database, units: &mut Units) -> SqlResult<()> {
    let storage = &host.server.catalog.storage;
    let mut add = |object: i32, index: i32, place: &TreePlace| {
        let number = i64::from(object) * 256 + i64::from(index);
        let leaf = if index > 1 { "INDEX_PAGE" } else { "DATA_PAGE" };
        units.insert((db.id.0, place.root), Unit { id: FIRST_UNIT + number, leaf });
        if let Some(root) = place.long_values {
            units.insert((db.id.0, root), Unit { id: FIRST_LONG_UNIT + number, leaf: "TEXT_MIX_PAGE" });
        }
    };
    for own in BASE_TABLES.iter().filter(|table| !table.master_only || db.id == MASTER) {
        if let Ok(table) = storage.open_table(db.storage_id(), TableId(own.id))
            && let Table::Disk(table) = &*table
        {
            table.tree_places().iter().for_each(|place| add(own.id, place.index.0 as i32, place));
        }
    }
    let mut indexes: Vec<IndexRow> = host.catalog_rows(state, db, |rows| rows.all())?;
    indexes.retain(|index| index.status & index_status::STATISTICS == 0);
    indexes.sort_by_key(|index| index.id);
    for of_table in indexes.chunk_by(|a, b| a.id == b.id) {
        let object = of_table[0].id;
        let Ok(table) = storage.open_table(db.storage_id(), TableId(object)) else { continue };
        let parts = match &*table {
            Table::Disk(table) => std::slice::from_ref(table),
            Table::Partitioned(table) => table.partitions(),
            Table::Memory(_) => continue,
        };
        for part in parts {
            for place in part.tree_places() {
                // An index that does not lie as the table does is one unit, of the table.
                let own = of_table.iter().find(|index| IndexId(index.indid as u32) == place.index);
                let is_apart =
                    own.is_some_and(|index| index.indid > 1 && index.dataspace < crate::catalog::partition::SCHEME_MIN);
                add(if is_apart { object } else { part.id().0 }, place.index.0 as i32, &place);
            }
        }
    }
    Ok(())
}

/// A page that somebody was changing tells where it is, and no more.
fn named(page: &ResidentPage, units: &Units) -> NamedRow {
    let content = page.content.as_ref();
    let unit = content.and_then(|content| units.get(&(page.database, content.root)));
    let told = |of: fn(&PageContent) -> u64| content.map_or(Cell::Datum(Datum::Null), |content| number(of(content)));
    vec![
        ("database_id", number(page.database)),
        ("file_id", number(1)),
        ("page_id", number(page.page)),
        ("page_level", told(|content| content.level.into())),
        ("allocation_unit_id", unit.map_or(Cell::Datum(Datum::Null), |unit| number(unit.id))),
        ("page_type", content.and_then(|content| kind(content, unit)).map_or(Cell::Datum(Datum::Null), text)),
        ("row_count", told(|content| content.rows.into())),
        ("free_space_in_bytes", told(|content| content.free_bytes.into())),
        ("is_modified", page.is_modified.into()),
        ("numa_node", number(0)),
        ("is_in_bpool_extension", false.into()),
    ]
}

/// As SQL Server calls pages of their use. A page of its allocation maps is of one of several kinds: here it is of one.
fn kind(content: &PageContent, unit: Option<&Unit>) -> Option<&'static str> {
    Some(match content.kind {
        PageKind::FileHeader => "FILEHEADER_PAGE",
        PageKind::Bitmap => "GAM_PAGE",
        PageKind::Leaf | PageKind::Unlogged => unit.map_or("DATA_PAGE", |unit| unit.leaf),
        PageKind::Inner if unit.is_some_and(|unit| unit.leaf == "TEXT_MIX_PAGE") => "TEXT_TREE_PAGE",
        PageKind::Inner => "INDEX_PAGE",
        PageKind::Overflow => "TEXT_MIX_PAGE",
        PageKind::Free | PageKind::Awaiting => return None,
    })
}
