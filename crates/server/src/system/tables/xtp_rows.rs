//! sys.dm_db_xtp_* and sys.dm_xtp_*: memory-optimized tables, from storage.

use storage::{
    CheckpointFile, CheckpointFileKind, DatabaseId, MemoryIndexKind, MemoryIndexStats, MemoryTableStats,
    MemoryTransaction, Role,
};
use types::Datum;

use crate::session::host::SessionHost;
use crate::system::cell::{Cell, NamedRow, address, number, text};

/// None: not a table of this family.
pub fn rows(host: &SessionHost, database: sql::catalog::DatabaseId, name: &str) -> Option<Vec<NamedRow>> {
    let storage = &host.server.catalog.storage;
    let database = DatabaseId(database.0);
    let objects = |chains| storage.memory_optimized_tables(database, chains);
    let tables = |chains| {
        let mut tables = objects(chains);
        tables.retain(|object| object.role == Role::Rows);
        tables
    };
    Some(match name {
        "dm_db_xtp_table_memory_stats" => memory(&objects(false)),
        "dm_db_xtp_memory_consumers" => consumers(&objects(false)),
        "dm_db_xtp_object_stats" => tables(false).iter().map(changes).collect(),
        "dm_db_xtp_index_stats" => tables(false).iter().flat_map(scans).collect(),
        "dm_db_xtp_hash_index_stats" => tables(true).iter().flat_map(chains).collect(),
        "dm_db_xtp_nonclustered_index_stats" => tables(false).iter().flat_map(nodes).collect(),
        "dm_db_xtp_transactions" => storage.memory_transactions().iter().map(transaction).collect(),
        "dm_db_xtp_checkpoint_files" => checkpoint_files(host, database),
        "dm_db_xtp_checkpoint_stats" => checkpoint_stats(host, database),
        // There are no generations of transactions: what they leave behind goes into the queues at once.
        "dm_db_xtp_gc_cycle_stats" => Vec::new(),
        "dm_xtp_gc_queue_stats" => queues(host),
        "dm_xtp_gc_stats" => vec![collected(host)],
        "dm_xtp_system_memory_consumers" => vec![system_heap(host)],
        "dm_xtp_transaction_stats" => vec![transactions(host)],
        _ => return None,
    })
}

/// Of each table, with the values that are out of its rows.
fn memory(objects: &[MemoryTableStats]) -> Vec<NamedRow> {
    let kb = |bytes: u64| number(bytes.div_ceil(1024));
    let row = |table: &MemoryTableStats| {
        let all = || objects.iter().filter(|object| object.table == table.table);
        let rows = all().map(|object| object.row_bytes.max(0) as u64).sum();
        let indexes = all().map(|object| object.index_bytes).sum();
        vec![
            ("object_id", number(table.table.0)),
            ("memory_allocated_for_table_kb", kb(rows)),
            ("memory_used_by_table_kb", kb(rows)),
            ("memory_allocated_for_indexes_kb", kb(indexes)),
            ("memory_used_by_indexes_kb", kb(indexes)),
        ]
    };
    objects.iter().filter(|object| object.role == Role::Rows).map(row).collect()
}

fn consumers(tables: &[MemoryTableStats]) -> Vec<NamedRow> {
    let null = || Cell::Datum(Datum::Null);
    let consumer = |table: &MemoryTableStats, index: Option<u32>, kind: (i64, &str, &str), bytes: u64, count: Cell| {
        vec![
            ("memory_consumer_type", number(kind.0)),
            ("memory_consumer_type_desc", text(kind.1)),
            ("memory_consumer_desc", text(kind.2)),
            ("object_id", number(table.table.0)),
            ("xtp_object_id", number(table.object)),
            ("index_id", index.map_or(null(), number)),
            ("allocated_bytes", number(bytes)),
            ("used_bytes", number(bytes)),
            ("allocation_count", count),
        ]
    };
    let mut rows: Vec<NamedRow> = Vec::new();
    for table in tables {
        let bytes = table.row_bytes.max(0) as u64;
        rows.push(consumer(table, None, (2, "VARHEAP", "Table heap"), bytes, number(table.versions)));
        for index in &table.indexes {
            let (kind, count) = match index.kind {
                MemoryIndexKind::Hash { .. } => ((3, "HASH", "Hash index"), number(1)),
                MemoryIndexKind::Ordered { .. } => ((2, "VARHEAP", "Range index heap"), null()),
            };
            rows.push(consumer(table, Some(index.id.0), kind, index.bytes, count));
        }
    }
    let numbered = |(at, row): (usize, &mut NamedRow)| row.push(("memory_consumer_id", number(at + 1)));
    rows.iter_mut().enumerate().for_each(numbered);
    rows
}

fn changes(table: &MemoryTableStats) -> NamedRow {
    let counts = &table.counts;
    vec![
        ("object_id", number(table.table.0)),
        ("row_insert_attempts", number(counts.inserts)),
        ("row_update_attempts", number(counts.updates)),
        ("row_delete_attempts", number(counts.deletes)),
        ("write_conflicts", number(counts.write_conflicts)),
        ("unique_constraint_violations", number(counts.unique_violations)),
        ("object_address", address(table.object.into())),
    ]
}

fn scans(table: &MemoryTableStats) -> Vec<NamedRow> {
    let row = |index: &MemoryIndexStats| {
        let counts = &index.counts;
        vec![
            ("object_id", number(table.table.0)),
            ("xtp_object_id", number(table.object)),
            ("index_id", number(index.id.0)),
            ("scans_started", number(counts.scans)),
            ("rows_returned", number(counts.returned)),
            ("rows_touched", number(counts.touched)),
            ("rows_expiring", number(counts.expiring)),
            ("rows_expired", number(counts.expired)),
            ("phantom_scans_started", number(counts.phantom_scans)),
            ("phantom_rows_touched", number(counts.phantom_touched)),
            ("phantom_expiring_rows_encountered", number(counts.phantom_expiring)),
            ("phantom_expired_rows_encountered", number(counts.phantom_expired)),
            ("object_address", address(table.object.into())),
        ]
    };
    table.indexes.iter().map(row).collect()
}

/// Chains that are much longer than they need be make every look-up slow: SQL Server's rule is up to 10 rows a chain.
const LONG_CHAIN: u64 = 10;

fn chains(table: &MemoryTableStats) -> Vec<NamedRow> {
    let hash = |index: &MemoryIndexStats| match index.kind {
        MemoryIndexKind::Hash { chains: Some(chains) } => Some((index.id, chains)),
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
    let row = |index: &MemoryIndexStats| match index.kind {
        MemoryIndexKind::Ordered { inner, leaves } => Some(vec![
            ("object_id", number(table.table.0)),
            ("xtp_object_id", number(table.object)),
            ("index_id", number(index.id.0)),
            ("internal_pages", number(inner)),
            ("leaf_pages", number(leaves)),
        ]),
        MemoryIndexKind::Hash { .. } => None,
    };
    table.indexes.iter().filter_map(row).collect()
}

/// A running transaction, and its commit time once it has one.
fn transaction((entry, end): &(MemoryTransaction, Option<u64>)) -> NamedRow {
    let (state, state_desc) = if end.is_some() { (3, "VALIDATING") } else { (0, "ACTIVE") };
    vec![
        ("xtp_transaction_id", number(entry.number)),
        ("transaction_id", number(entry.id)),
        ("session_id", number(entry.session)),
        ("begin_tsn", number(entry.begun_at)),
        ("end_tsn", number(end.unwrap_or(0))),
        ("state", number(state)),
        ("state_desc", text(state_desc)),
        ("result", number(0)),
        ("result_desc", text("IN PROGRESS")),
        ("is_prepared", end.is_some().into()),
        ("read_set_row_count", number(entry.rows_read)),
        ("write_set_row_count", number(entry.rows_written)),
        ("scan_set_count", number(entry.ranges_read)),
    ]
}

/// A checkpoint file is known by its number and type; its identifier is made of them.
fn file_id(kind: i64, file: u64) -> Cell {
    Cell::Datum(Datum::I128(i128::from(file) << 8 | i128::from(kind)))
}

const DATA: i64 = 0;
const DELTA: i64 = 1;
const ROOT: i64 = 2;

fn checkpoint_files(host: &SessionHost, database: DatabaseId) -> Vec<NamedRow> {
    let row = |file: &CheckpointFile| {
        let (kind, desc, other) = match file.kind {
            CheckpointFileKind::Data => (DATA, "DATA", Some(DELTA)),
            CheckpointFileKind::Delta => (DELTA, "DELTA", Some(DATA)),
            CheckpointFileKind::Root => (ROOT, "ROOT", None),
        };
        let mut row: NamedRow = vec![
            ("checkpoint_file_id", file_id(kind, file.number)),
            ("relative_file_path", text(&file.name)),
            ("file_type", number(kind)),
            ("file_type_desc", text(desc)),
            ("file_size_in_bytes", number(file.bytes)),
            ("file_size_used_in_bytes", number(file.used_bytes)),
            ("state", number(2)),
            ("state_desc", text("ACTIVE")),
            ("encryption_status", number(0)),
            ("encryption_status_desc", text("UNENCRYPTED")),
        ];
        if let Some(other) = other {
            row.push(("checkpoint_pair_file_id", file_id(other, file.number)));
            row.push(("logical_row_count", number(file.entries)));
        }
        row
    };
    let last = host.server.catalog.storage.last_checkpoint(database);
    // A file that cannot be read stops the instance where it is needed, not here.
    last.map_or(Vec::new(), |last| last.files.iter().map(row).collect())
}

/// A database without memory-optimized tables has no row.
fn checkpoint_stats(host: &SessionHost, database: DatabaseId) -> Vec<NamedRow> {
    let storage = &host.server.catalog.storage;
    if storage.memory_optimized_tables(database, false).is_empty() {
        return Vec::new();
    }
    let Ok(last) = storage.last_checkpoint(database) else { return Vec::new() };
    let lsn = |lsn: u64| Cell::Datum(Datum::I128(lsn.into()));
    let mut row = vec![
        ("last_lsn_processed", number(last.redo_lsn)),
        ("end_of_log_lsn", lsn(last.log_end)),
        ("bytes_to_end_of_log", number(last.log_end.saturating_sub(last.redo_lsn))),
        ("checkpoints_closed", number(storage.memory_totals().checkpoints_closed)),
        ("hardened_recovery_lsn", lsn(last.redo_lsn)),
        ("hardened_truncation_lsn", lsn(last.scan_lsn)),
        ("log_bytes_since_last_close", number(last.log_end.saturating_sub(last.log_at_begin))),
        ("time_since_last_close_in_ms", number(last.ago_ms)),
        ("current_checkpoint_id", number(last.sequence + 1)),
        ("outstanding_checkpoint_count", number(0)),
        ("recovery_checkpoint_id", number(last.sequence)),
        ("internal_error_code", number(0)),
    ];
    if last.manifest != 0 {
        row.push(("hardened_root_file_guid", file_id(ROOT, last.manifest)));
    }
    vec![row]
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

fn collected(host: &SessionHost) -> NamedRow {
    let collected = host.server.catalog.storage.memory_totals().collected;
    let rows = collected.rows_by_workers + collected.rows_by_cleaner;
    vec![
        ("rows_examined", number(rows)),
        ("rows_no_sweep_needed", number(rows)),
        ("parallel_assist_count", number(collected.rows_by_workers)),
        ("idle_worker_count", number(collected.rows_by_cleaner)),
        ("sweep_scans_started", number(0)),
    ]
}

/// What is neither rows nor indexes.
fn system_heap(host: &SessionHost) -> NamedRow {
    let heap = host.server.catalog.storage.memory_heap();
    vec![
        ("memory_consumer_id", number(1)),
        ("memory_consumer_type", number(2)),
        ("memory_consumer_type_desc", text("VARHEAP")),
        ("memory_consumer_desc", text("System heap")),
        ("allocated_bytes", number(heap.reserved_bytes.saturating_sub(heap.table_bytes))),
        ("used_bytes", number(heap.allocated_bytes.saturating_sub(heap.table_bytes))),
    ]
}

fn transactions(host: &SessionHost) -> NamedRow {
    let totals = host.server.catalog.storage.memory_totals();
    let (transactions, tables, indexes) = (&totals.transactions, &totals.tables, &totals.indexes);
    vec![
        ("total_count", number(transactions.ended)),
        ("read_only_count", number(transactions.read_only)),
        ("total_aborts", number(transactions.aborted)),
        ("system_aborts", number(transactions.aborted_by_system)),
        ("validation_failures", number(transactions.validation_failures)),
        ("dependencies_taken", number(transactions.dependencies)),
        ("dependencies_failed", number(transactions.dependencies_failed)),
        ("savepoint_create", number(transactions.savepoints)),
        ("savepoint_rollbacks", number(transactions.savepoint_rollbacks)),
        ("log_bytes_written", number(transactions.log_bytes)),
        ("log_IO_count", number(transactions.logged)),
        ("phantom_scans_started", number(indexes.phantom_scans)),
        ("phantom_rows_touched", number(indexes.phantom_touched)),
        ("phantom_rows_expiring", number(indexes.phantom_expiring)),
        ("phantom_rows_expired", number(indexes.phantom_expired)),
        ("scans_started", number(indexes.scans)),
        ("rows_returned", number(indexes.returned)),
        ("rows_touched", number(indexes.touched)),
        ("rows_expiring", number(indexes.expiring)),
        ("rows_expired", number(indexes.expired)),
        ("rows_inserted", number(tables.inserts)),
        ("rows_updated", number(tables.updates)),
        ("rows_deleted", number(tables.deletes)),
        ("write_conflicts", number(tables.write_conflicts)),
        ("unique_constraint_violations", number(tables.unique_violations)),
    ]
}
