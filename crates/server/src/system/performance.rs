//! sys.dm_os_performance_counters.

use crate::host::SessionHost;
use crate::system::virtual_table::{NamedRow, number, text};

/// `cntr_type`: the value as it is.
const RAW: i64 = 65_792;
/// Grows; a reader takes differences over time.
const PER_SECOND: i64 = 272_696_576;

/// Of `Plan Cache: Cache Pages`.
const PAGE_BYTES: u64 = 8 << 10;

/// Object, counter, instance, value, type.
pub fn counters(host: &SessionHost) -> Vec<NamedRow> {
    let server = &host.server;
    let (counters, metrics, plans) =
        (&server.counters, server.catalog.storage.metrics(), server.plans.statements.counts());
    let procedures = server.plans.procedures.counts();
    let list: [(&str, &str, &str, u64, i64); 33] = [
        ("SQL Statistics", "Batch Requests/sec", "", counters.batch_requests.value(), PER_SECOND),
        ("SQL Statistics", "SQL Compilations/sec", "", counters.compilations.value(), PER_SECOND),
        ("General Statistics", "User Connections", "", server.sessions.count_everywhere() as u64, RAW),
        ("General Statistics", "Logins/sec", "", counters.logins.value(), PER_SECOND),
        ("General Statistics", "Logouts/sec", "", counters.logouts.value(), PER_SECOND),
        ("General Statistics", "Connection Reset/sec", "", counters.connection_resets.value(), PER_SECOND),
        ("Databases", "Transactions/sec", "_Total", metrics.transactions_begun, PER_SECOND),
        ("Databases", "Log Flushes/sec", "_Total", metrics.log_flushes, PER_SECOND),
        ("Databases", "Log Bytes Flushed/sec", "_Total", metrics.log_bytes_flushed, PER_SECOND),
        ("Databases", "Log Flush Waits/sec", "_Total", metrics.log_flush_waits, PER_SECOND),
        ("Locks", "Lock Requests/sec", "_Total", metrics.lock_requests, PER_SECOND),
        ("Locks", "Lock Waits/sec", "_Total", metrics.lock_waits, PER_SECOND),
        ("Locks", "Lock Wait Time (ms)", "_Total", metrics.lock_wait_ms, PER_SECOND),
        ("Locks", "Lock Timeouts/sec", "_Total", metrics.lock_timeouts, PER_SECOND),
        ("Locks", "Number of Deadlocks/sec", "_Total", metrics.deadlocks, PER_SECOND),
        ("Buffer Manager", "Page reads/sec", "", metrics.page_reads, PER_SECOND),
        ("Buffer Manager", "Page writes/sec", "", metrics.page_writes, PER_SECOND),
        ("Buffer Manager", "Checkpoint pages/sec", "", metrics.checkpoint_pages, PER_SECOND),
        ("Buffer Manager", "Database pages", "", metrics.buffer_pages, RAW),
        ("Access Methods", "Page Splits/sec", "", metrics.page_splits, PER_SECOND),
        ("Access Methods", "Pages Allocated/sec", "", metrics.pages_allocated, PER_SECOND),
        ("Transactions", "Version Store Size (KB)", "", metrics.version_store_bytes / 1_024, RAW),
        ("Plan Cache", "Cache Object Counts", "SQL Plans", plans.entries, RAW),
        ("Plan Cache", "Cache Object Counts", "Object Plans", procedures.entries, RAW),
        ("Plan Cache", "Cache Pages", "SQL Plans", plans.bytes.div_ceil(PAGE_BYTES), RAW),
        ("Plan Cache", "Cache Pages", "Object Plans", procedures.bytes.div_ceil(PAGE_BYTES), RAW),
        ("Statement Cache", "Statements Cached", "", plans.cached, PER_SECOND),
        ("Statement Cache", "Statements Found", "", plans.found, PER_SECOND),
        ("Statement Cache", "Statements Not Found", "", plans.not_found, PER_SECOND),
        ("Statement Cache", "Statements Dropped", "", plans.dropped, PER_SECOND),
        ("Statement Cache", "Statements Not Cached", "", plans.not_cached, PER_SECOND),
        ("Procedure Cache", "Procedure Requests", "", procedures.found + procedures.not_found, PER_SECOND),
        ("Procedure Cache", "Procedure Removals", "", procedures.dropped, PER_SECOND),
    ];
    let rows = list.into_iter().map(|(object, counter, instance, value, kind)| -> NamedRow {
        vec![
            ("object_name", text(&format!("SQLServer:{object}"))),
            ("counter_name", text(counter)),
            ("instance_name", text(instance)),
            ("cntr_value", number(value)),
            ("cntr_type", number(kind)),
        ]
    });
    rows.collect()
}
