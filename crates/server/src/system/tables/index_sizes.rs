//! Rows and pages of tables and indexes, partition by partition.

use exec::session::Session as State;
use sql::catalog::PartitionFunctionDef;
use storage::{IndexId, Table, TreeSize};
use types::key::KeyCodec;
use types::row::RowView;
use types::{SqlResult, SqlType};

use crate::catalog::Database;
use crate::catalog::base::{IndexRow, index_status};
use crate::catalog::error::storage_error;
use crate::catalog::load::{self, int};
use crate::catalog::partition::{self, SCHEME_MIN};
use crate::session::host::SessionHost;

/// Bytes of rows on a page of 8 KB.
const PAGE_BYTES: u64 = 8_096;

/// A partition of an index of a table, or of its heap.
pub struct IndexSize {
    pub object: i32,
    pub index: i32,
    /// From 1.
    pub partition: usize,
    /// The table that storage has for the partition.
    pub rowset: i32,
    /// The trees are those of all partitions: what is told of them is this one's share.
    pub is_share: bool,
    /// The filegroup.
    pub space: i32,
    pub rows: u64,
    pub tree: TreeSize,
    /// Of what is too long for its rows or entries.
    pub long_value_pages: u64,
    pub is_in_memory: bool,
}

/// Of all tables of a database, or of one.
pub fn index_sizes(
    host: &SessionHost,
    state: &mut State,
    db: &Database,
    one: Option<i64>,
) -> SqlResult<Vec<IndexSize>> {
    let mut indexes: Vec<IndexRow> = match one {
        None => host.catalog_rows(state, db, |rows| rows.all())?,
        Some(id) => match i32::try_from(id) {
            Ok(id) => host.catalog_rows(state, db, |rows| rows.find(0, &[int(id)]))?,
            Err(_) => Vec::new(),
        },
    };
    indexes.retain(|index| index.status & index_status::STATISTICS == 0);
    indexes.sort_by_key(|index| (index.id, index.indid));
    let storage = &host.server.catalog.storage;
    let mut found = Vec::new();
    for of_table in indexes.chunk_by(|a, b| a.id == b.id) {
        os::wait::maybe_yield();
        let object = of_table[0].id;
        let Ok(table) = storage.open_table(db.storage_id(), storage::TableId(object)) else { continue };
        let rows = table.row_count_estimate();
        for index in of_table {
            if let Some(shares) = shares(host, state, db, &table, index)? {
                found.extend(shares);
                continue;
            }
            let on_pages = |table: &storage::DiskTable| -> SqlResult<Option<(TreeSize, u64)>> {
                // One that is disabled has no tree.
                let Ok(size) = table.tree_size(IndexId(index.indid as u32)) else { return Ok(None) };
                let long = table.long_value_pages(IndexId(index.indid as u32)).map_err(storage_error)?;
                Ok(Some((size, long)))
            };
            let (tree, long_value_pages) = match &*table {
                Table::Disk(table) => match on_pages(table)? {
                    Some(size) => size,
                    None => continue,
                },
                Table::Partitioned(table) if index.indid > 1 && index.dataspace < SCHEME_MIN => {
                    let number = IndexId(index.indid as u32);
                    let Ok(size) = table.tree_size(number) else { continue };
                    (size, table.long_value_pages(number).map_err(storage_error)?)
                }
                Table::Partitioned(table) => {
                    let groups = host.catalog_rows(state, db, |rows| partition::scheme_by_id(rows, index.dataspace))?;
                    for (at, part) in table.partitions().iter().enumerate() {
                        let Some((tree, long_value_pages)) = on_pages(part)? else { continue };
                        let group = groups.as_ref().and_then(|scheme| scheme.filegroups.get(at));
                        found.push(IndexSize {
                            object,
                            index: index.indid,
                            partition: at + 1,
                            rowset: part.id().0,
                            is_share: false,
                            space: group.copied().unwrap_or(index.dataspace),
                            rows: part.row_count_estimate(),
                            tree,
                            long_value_pages,
                            is_in_memory: false,
                        });
                    }
                    continue;
                }
                Table::Memory(_) => {
                    let width: u64 = table.layout().row.columns().iter().map(|column| average_width(&column.ty)).sum();
                    let pages = (rows * (width + 9)).div_ceil(PAGE_BYTES);
                    (TreeSize { pages, leaves: pages, levels: 1 }, 0)
                }
            };
            let is_in_memory = matches!(&*table, Table::Memory(_));
            let (index, space) = (index.indid, index.dataspace);
            let (partition, rowset) = (1, object);
            found.push(IndexSize {
                object,
                index,
                partition,
                rowset,
                is_share: false,
                space,
                rows,
                tree,
                long_value_pages,
                is_in_memory,
            });
        }
    }
    Ok(found)
}

/// Leaves of a table that are read to tell how its rows are shared by partitions. A smaller table is counted.
const LEAVES_MAX: u64 = 512;

/// The partitions of an index that is divided otherwise than its table, whose trees are not divided so: each has about its share of rows and pages.
/// None: it lies as the table does, or undivided.
fn shares(
    host: &SessionHost,
    state: &mut State,
    db: &Database,
    table: &Table,
    index: &IndexRow,
) -> SqlResult<Option<Vec<IndexSize>>> {
    if index.indid <= 1 || index.dataspace < SCHEME_MIN {
        return Ok(None);
    }
    let known = host.catalog_rows(state, db, |rows| {
        let Some(row) = load::object_row(rows, index.id)? else { return Ok(None) };
        let Some(def) = load::table(rows, &row)? else { return Ok(None) };
        let Some(own) = partition::of_index(rows, &def, index)? else { return Ok(None) };
        let scheme = partition::scheme_by_id(rows, own.scheme)?;
        Ok(scheme.map(|scheme| (def, own, scheme)))
    })?;
    let Some((def, own, scheme)) = known else { return Ok(None) };
    if def.partitioning.as_ref().is_some_and(|of| partition::otherwise(of, Some(&own)).is_none()) {
        return Ok(None);
    }
    let number = IndexId(index.indid as u32);
    let size = match table {
        Table::Disk(table) => table.tree_size(number),
        Table::Partitioned(table) => table.tree_size(number),
        Table::Memory(_) => return Ok(None),
    };
    // One that is disabled has no tree.
    let Ok(tree) = size else { return Ok(Some(Vec::new())) };
    let long = match table {
        Table::Disk(table) => table.long_value_pages(number),
        Table::Partitioned(table) => table.long_value_pages(number),
        Table::Memory(_) => Ok(0),
    };
    let long = long.map_err(storage_error)?;
    let counts = counted(table, &own.function, def.stored[usize::from(own.column)])?;
    let all: u64 = counts.iter().sum();
    let (mut before, mut found) = (0, Vec::with_capacity(counts.len()));
    for (at, count) in counts.iter().enumerate() {
        // Rounded so that shares add up to the whole.
        let share = |whole: u64| {
            let up_to = |rows: u64| (u128::from(whole) * u128::from(rows) / u128::from(all.max(1))) as u64;
            up_to(before + count) - up_to(before)
        };
        found.push(IndexSize {
            object: index.id,
            index: index.indid,
            partition: at + 1,
            rowset: index.id,
            is_share: true,
            space: scheme.filegroups.get(at).copied().unwrap_or(index.dataspace),
            rows: share(table.row_count_estimate()),
            tree: TreeSize { pages: share(tree.pages), leaves: share(tree.leaves), levels: tree.levels },
            long_value_pages: share(long),
            is_in_memory: false,
        });
        before += count;
    }
    Ok(Some(found))
}

/// Rows of a sample by partition of the function.
fn counted(table: &Table, function: &PartitionFunctionDef, column: Option<u16>) -> SqlResult<Vec<u64>> {
    let mut counts = vec![0; function.partitions()];
    let Some(column) = column.map(usize::from).filter(|column| *column < table.layout().row.len()) else {
        return Ok(counts);
    };
    let (boundaries, codec, mut key) = (function.keys(), KeyCodec::new(&function.ty, false), Vec::new());
    let mut add = |_: u64, row: &RowView<'_>| {
        key.clear();
        codec.encode_field(row, column, &mut key);
        let is_below = |boundary: &[u8]| if function.right { boundary <= &*key } else { boundary < &*key };
        counts[boundaries.partition_point(|boundary| is_below(boundary))] += 1;
    };
    let mut goes_on = || {
        os::wait::maybe_yield();
        !os::wait::is_interrupted()
    };
    let sampled = match table {
        Table::Disk(table) => table.sample(LEAVES_MAX, &mut goes_on, &mut add),
        Table::Partitioned(table) => table.sample(LEAVES_MAX, &mut goes_on, &mut add),
        Table::Memory(_) => return Ok(counts),
    };
    sampled.map_err(storage_error)?;
    Ok(counts)
}

/// Bytes a value takes on the whole: variable ones are thought half full.
fn average_width(ty: &SqlType) -> u64 {
    match ty.physical() {
        types::Physical::Bytes if ty.is_max() => 100,
        types::Physical::Bytes => u64::from(ty.length / 2) + 2,
        types::Physical::I128 => 16,
        _ => 8,
    }
}
