//! sys.dm_db_xtp_* and sys.dm_xtp_*: memory-optimized tables, from storage.

use storage::{DatabaseId, MemoryIndexStats, MemoryTableStats};

use crate::host::SessionHost;
use crate::system::virtual_table::{NamedRow, number};

/// None: not a table of this family.
pub fn rows(host: &SessionHost, database: sql::catalog::DatabaseId, name: &str) -> Option<Vec<NamedRow>> {
    let tables = |chains| host.server.catalog.storage.memory_optimized_tables(DatabaseId(database.0), chains);
    Some(match name {
        "dm_db_xtp_table_memory_stats" => tables(false).iter().map(memory).collect(),
        "dm_db_xtp_hash_index_stats" => tables(true).iter().flat_map(chains).collect(),
        "dm_db_xtp_nonclustered_index_stats" => tables(false).iter().flat_map(nodes).collect(),
        "dm_xtp_gc_queue_stats" => queues(host),
        _ => return None,
    })
}

fn memory(table: &MemoryTableStats) -> NamedRow {
    let kb = |bytes: u64| number(bytes.div_ceil(1024));
    vec![
        ("object_id", number(table.table.0)),
        ("memory_allocated_for_table_kb", kb(table.row_bytes.max(0) as u64)),
        ("memory_used_by_table_kb", kb(table.row_bytes.max(0) as u64)),
        ("memory_allocated_for_indexes_kb", kb(table.index_bytes)),
        ("memory_used_by_indexes_kb", kb(table.index_bytes)),
    ]
}

/// Chains that are much longer than they need be make every look-up slow: SQL Server's rule is up to 10 rows a chain.
const LONG_CHAIN: u64 = 10;

fn chains(table: &MemoryTableStats) -> Vec<NamedRow> {
    let hash = |index: &MemoryIndexStats| match index {
        MemoryIndexStats::Hash { id, chains: Some(chains) } => Some((*id, *chains)),
        _ => None,
    };
    let row = |(id, chains): (storage::IndexId, storage::ChainStats)| {
        let used = chains.buckets - chains.empty;
        let average = chains.rows.checked_div(used).unwrap_or(0);
        if average > LONG_CHAIN {
            tracing::warn!(
                object_id = table.table.0,
                index_id = id.0,
                total_bucket_count = chains.buckets,
                avg_chain_length = average,
                max_chain_length = chains.longest,
                "the bucket count of a hash index is too low for its rows; ALTER TABLE ... ALTER INDEX ... REBUILD WITH (BUCKET_COUNT = ...)"
            );
        }
        vec![
            ("object_id", number(table.table.0)),
            ("xtp_object_id", number(table.object)),
            ("index_id", number(id.0)),
            ("total_bucket_count", number(chains.buckets)),
            ("empty_bucket_count", number(chains.empty)),
            ("avg_chain_length", number(average)),
            ("max_chain_length", number(chains.longest)),
        ]
    };
    table.indexes.iter().filter_map(hash).map(row).collect()
}

fn nodes(table: &MemoryTableStats) -> Vec<NamedRow> {
    let row = |index: &MemoryIndexStats| match index {
        MemoryIndexStats::Ordered { id, inner, leaves } => Some(vec![
            ("object_id", number(table.table.0)),
            ("xtp_object_id", number(table.object)),
            ("index_id", number(id.0)),
            ("internal_pages", number(*inner)),
            ("leaf_pages", number(*leaves)),
        ]),
        MemoryIndexStats::Hash { .. } => None,
    };
    table.indexes.iter().filter_map(row).collect()
}

fn queues(host: &SessionHost) -> Vec<NamedRow> {
    let queues = host.server.catalog.storage.garbage_queues();
    let row = |(id, queue): (usize, &storage::GarbageQueue)| {
        vec![
            ("queue_id", number(id)),
            ("total_enqueues", number(queue.pushed)),
            ("total_dequeues", number(queue.pushed - queue.length)),
            ("current_queue_depth", number(queue.length)),
            ("maximum_queue_depth", number(queue.longest)),
        ]
    };
    queues.iter().enumerate().map(row).collect()
}
