//! How pages of tables and indexes lie, and what is on them.
//! https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-db-index-physical-stats-transact-sql

use exec::session::Session as State;
use storage::{IndexId, Leaves, PhysicalLevel};
use types::{Datum, SqlResult};

use super::index_sizes::{IndexSize, index_sizes};
use crate::catalog::base::{IndexRow, index_status};
use crate::catalog::error::storage_error;
use crate::instance::index_usage::KINDS;
use crate::session::host::SessionHost;
use crate::system::answer::Arguments;
use crate::system::cell::{Cell, NamedRow, number, text};

/// `hobt_id` of rowset 0, as sys.partitions has it.
const FIRST_HOBT: i64 = 72_057_594_037_927_936;

/// dm_db_index_physical_stats(database, object, index, partition, mode): NULL, 0 and DEFAULT mean all. LIMITED reads no leaves, SAMPLED one of
/// a hundred, DETAILED tells of each level.
pub fn physical_stats(host: &SessionHost, state: &mut State, arguments: &Arguments<'_>) -> SqlResult<Vec<NamedRow>> {
    let asked = |position: usize| arguments.number(position).filter(|number| *number != 0);
    let index = arguments.number(2).filter(|number| *number >= 0);
    let mode = arguments.text(4).map(|mode| mode.trim().to_ascii_uppercase());
    let leaves = match mode.as_deref() {
        Some("DETAILED") => Leaves::All,
        Some("SAMPLED") => Leaves::Some,
        _ => Leaves::None,
    };
    let storage = &host.server.catalog.storage;
    let mut found = Vec::new();
    let databases = host.server.catalog.open_databases();
    for db in databases.iter().filter(|db| asked(0).is_none_or(|wanted| wanted == i64::from(db.id.0))) {
        for size in index_sizes(host, state, db, asked(1))? {
            let fits = index.is_none_or(|wanted| wanted == i64::from(size.index))
                && asked(3).is_none_or(|wanted| wanted == size.partition as i64);
            // The trees of shares are told once.
            if !fits || size.is_in_memory || size.is_share && size.partition > 1 {
                continue;
            }
            let about = |unit: &'static str| -> NamedRow {
                vec![
                    ("database_id", number(db.id.0)),
                    ("object_id", number(size.object)),
                    ("index_id", number(size.index)),
                    ("partition_number", number(size.partition as u64)),
                    ("index_type_desc", text(kind_of(&size))),
                    ("alloc_unit_type_desc", text(unit)),
                ]
            };
            let Ok(table) = storage.open_table(db.storage_id(), storage::TableId(size.rowset)) else { continue };
            // Who has gone hears it where the statement goes on.
            let mut pause = || {
                os::wait::maybe_yield();
                !os::wait::is_interrupted()
            };
            let index = IndexId(size.index as u32);
            let levels = match &*table {
                storage::Table::Disk(table) => table.physical_levels(index, leaves, &mut pause),
                // One that does not lie as the table does.
                storage::Table::Partitioned(table) => table.physical_levels(index, leaves, &mut pause),
                storage::Table::Memory(_) => continue,
            };
            let levels = levels.map_err(storage_error)?;
            let told = if leaves == Leaves::All { levels.len() } else { 1 };
            for level in levels.iter().take(told) {
                let mut row = about("IN_ROW_DATA");
                row.push(("index_depth", number(levels.len() as u64)));
                append_level(&mut row, &size, level, leaves);
                found.push(row);
            }
            if size.long_value_pages > 0 {
                let mut row = about("LOB_DATA");
                row.extend([
                    ("index_depth", number(1)),
                    ("index_level", number(0)),
                    ("avg_fragmentation_in_percent", real(0.0)),
                    ("page_count", number(size.long_value_pages)),
                ]);
                found.push(row);
            }
        }
    }
    Ok(found)
}

/// dm_db_index_usage_stats: indexes of tables that there are, and that have been used since the start.
/// https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-db-index-usage-stats-transact-sql
pub fn index_usage(host: &SessionHost, state: &mut State) -> SqlResult<Vec<NamedRow>> {
    let usages = host.server.plans.index_usages();
    let (now, now_ns) = (os::clock::utc_ticks() as i64, os::clock::now());
    let time = |at_ns: u64| match at_ns {
        0 => Cell::Datum(Datum::Null),
        at_ns => Cell::Time(now - (now_ns.saturating_sub(at_ns) / 100) as i64),
    };
    let mut found = Vec::new();
    for db in host.server.catalog.open_databases() {
        let indexes: Vec<IndexRow> = host.catalog_rows(state, &db, |rows| rows.all())?;
        for index in indexes.iter().filter(|index| index.status & index_status::STATISTICS == 0) {
            let Some(usage) = usages.0.get(&(db.id.0, index.id, index.indid as u32)) else { continue };
            let mut row = vec![
                ("database_id", number(db.id.0)),
                ("object_id", number(index.id)),
                ("index_id", number(index.indid)),
            ];
            const USED: [(&str, &str); KINDS] = [
                ("user_seeks", "last_user_seek"),
                ("user_scans", "last_user_scan"),
                ("user_lookups", "last_user_lookup"),
                ("user_updates", "last_user_update"),
            ];
            for (kind, (times, last)) in USED.into_iter().enumerate() {
                row.push((times, number(usage.times[kind])));
                row.push((last, time(usage.last_ns[kind])));
            }
            // What the server asks for itself it asks of its own tables.
            row.extend(
                ["system_seeks", "system_scans", "system_lookups", "system_updates"].map(|name| (name, number(0))),
            );
            found.push(row);
        }
    }
    Ok(found)
}

/// What dm_db_index_operational_stats does not count.
const UNCOUNTED: [&str; 34] = [
    "nonleaf_insert_count",
    "nonleaf_delete_count",
    "nonleaf_update_count",
    "leaf_allocation_count",
    "nonleaf_allocation_count",
    "leaf_page_merge_count",
    "nonleaf_page_merge_count",
    "forwarded_fetch_count",
    "lob_fetch_in_pages",
    "lob_fetch_in_bytes",
    "lob_orphan_create_count",
    "lob_orphan_insert_count",
    "row_overflow_fetch_in_pages",
    "row_overflow_fetch_in_bytes",
    "column_value_push_off_row_count",
    "column_value_pull_in_row_count",
    "row_lock_count",
    "row_lock_wait_count",
    "row_lock_wait_in_ms",
    "page_lock_count",
    "page_lock_wait_count",
    "page_lock_wait_in_ms",
    "index_lock_promotion_attempt_count",
    "index_lock_promotion_count",
    "page_latch_wait_count",
    "page_latch_wait_in_ms",
    "page_io_latch_wait_count",
    "page_io_latch_wait_in_ms",
    "tree_page_latch_wait_count",
    "tree_page_latch_wait_in_ms",
    "tree_page_io_latch_wait_count",
    "tree_page_io_latch_wait_in_ms",
    "page_compression_attempt_count",
    "page_compression_success_count",
];

/// dm_db_index_operational_stats(database, object, index, partition): NULL, 0 and DEFAULT mean all, of the index NULL, -1 and DEFAULT. What
/// statements do is not known by partition: a table that has more than one has 0 everywhere.
/// https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-db-index-operational-stats-transact-sql
pub fn operational_stats(host: &SessionHost, state: &mut State, arguments: &Arguments<'_>) -> SqlResult<Vec<NamedRow>> {
    let asked = |position: usize| arguments.number(position).filter(|number| *number != 0);
    let index = arguments.number(2).filter(|number| *number >= 0);
    let usages = host.server.plans.index_usages();
    let mut found = Vec::new();
    for db in host.server.catalog.open_databases().iter() {
        if asked(0).is_some_and(|wanted| wanted != i64::from(db.id.0)) {
            continue;
        }
        for size in index_sizes(host, state, db, asked(1))? {
            let fits = index.is_none_or(|wanted| wanted == i64::from(size.index))
                && asked(3).is_none_or(|wanted| wanted == size.partition as i64);
            if !fits || size.is_in_memory {
                continue;
            }
            let used = usages.0.get(&(db.id.0, size.object, size.index as u32)).filter(|_| size.rowset == size.object);
            let used = used.copied().unwrap_or_default();
            let [inserted, updated, deleted] = used.rows;
            // An index keeps a deleted entry as a ghost for a while, a heap does not.
            let (gone, ghosts) = if size.index == 0 { (deleted, 0) } else { (0, deleted) };
            let mut row = vec![
                ("database_id", number(db.id.0)),
                ("object_id", number(size.object)),
                ("index_id", number(size.index)),
                ("partition_number", number(size.partition as u64)),
                ("hobt_id", number(FIRST_HOBT + i64::from(size.rowset) * 256 + i64::from(size.index))),
                ("leaf_insert_count", number(inserted)),
                ("leaf_delete_count", number(gone)),
                ("leaf_update_count", number(updated)),
                ("leaf_ghost_count", number(ghosts)),
                ("range_scan_count", number(used.ranges)),
                ("singleton_lookup_count", number(used.singles)),
            ];
            row.extend(UNCOUNTED.map(|name| (name, number(0))));
            found.push(row);
        }
    }
    Ok(found)
}

fn kind_of(size: &IndexSize) -> &'static str {
    ["HEAP", "CLUSTERED INDEX", "NONCLUSTERED INDEX"][size.index.clamp(0, 2) as usize]
}

fn real(value: f64) -> Cell {
    Cell::Datum(Datum::F64(value))
}

fn append_level(row: &mut NamedRow, size: &IndexSize, level: &PhysicalLevel, leaves: Leaves) {
    row.extend([
        ("index_level", number(level.level)),
        ("avg_fragmentation_in_percent", real(level.percent_out_of_order())),
        ("fragment_count", number(level.fragments)),
        ("avg_fragment_size_in_pages", real(level.pages as f64 / level.fragments.max(1) as f64)),
        ("page_count", number(level.pages)),
    ]);
    if leaves == Leaves::None {
        return;
    }
    let records = &level.records;
    let of_all = |part: u64| (part as f64 * level.pages as f64 / records.pages_read.max(1) as f64).round() as u64;
    let all = records.count + records.ghosts;
    row.extend([
        ("avg_page_space_used_in_percent", real(records.percent_used())),
        ("record_count", number(of_all(records.count))),
        ("ghost_record_count", number(of_all(records.ghosts))),
        ("version_ghost_record_count", number(0)),
        ("min_record_size_in_bytes", number(records.bytes_min as u64)),
        ("max_record_size_in_bytes", number(records.bytes_max as u64)),
        ("avg_record_size_in_bytes", real(records.bytes as f64 / all.max(1) as f64)),
        ("compressed_page_count", number(0)),
    ]);
    if size.index == 0 {
        row.push(("forwarded_record_count", number(0)));
    }
}
