//! sys.dm_os_performance_counters.

use os::stats::SystemCall;

use storage::{Clerk, DatabaseId, LogSpace};

use crate::instance::server::Event;
use crate::session::host::SessionHost;
use crate::system::cell::{NamedRow, number, text};

/// `cntr_type`: the value as it is.
const RAW: i64 = 65_792;
/// Grows; a reader takes differences over time.
pub const PER_SECOND: i64 = 272_696_576;

/// A part of the counter of the same name that ends in Base, of type `BASE`: what is shown is 100 * one / other.
const PART: i64 = 537_003_264;
/// A sum over as many as the counter with Base counts.
const AVERAGE: i64 = 1_073_874_176;
const BASE: i64 = 1_073_939_712;

/// Of `Plan Cache: Cache Pages`.
const PAGE_BYTES: u64 = 8 << 10;

/// Object, counter, instance, value, type.
pub fn counters(host: &SessionHost) -> Vec<NamedRow> {
    let server = &host.server;
    let (events, metrics, plans) = (&server.events, server.catalog.storage.metrics(), server.plans.statements.counts());
    let procedures = server.plans.procedures.counts();
    let (storage, grants) = (&server.catalog.storage, server.catalog.storage.grants().totals());
    let broker = storage.broker();
    let kb = |bytes: u64| bytes / 1_024;
    let [informed, failed, fatal] =
        [Event::Informed, Event::UserError, Event::FatalError].map(|event| events.total(event));
    let list: [(&str, &str, &str, u64, i64); 56] = [
        ("SQL Statistics", "Batch Requests/sec", "", events.total(Event::BatchRequest), PER_SECOND),
        ("SQL Statistics", "SQL Compilations/sec", "", events.total(Event::Compilation), PER_SECOND),
        ("General Statistics", "User Connections", "", server.sessions.count_everywhere() as u64, RAW),
        ("General Statistics", "Logical Connections", "", server.sessions.count_everywhere() as u64, RAW),
        ("General Statistics", "Logins/sec", "", events.total(Event::Login), PER_SECOND),
        ("General Statistics", "Logouts/sec", "", events.total(Event::Logout), PER_SECOND),
        ("General Statistics", "Connection Reset/sec", "", events.total(Event::ConnectionReset), PER_SECOND),
        // https://learn.microsoft.com/sql/relational-databases/performance-monitor/sql-server-sql-errors-object
        ("SQL Errors", "Errors/sec", "_Total", informed + failed + fatal, PER_SECOND),
        ("SQL Errors", "Errors/sec", "Info Errors", informed, PER_SECOND),
        ("SQL Errors", "Errors/sec", "User Errors", failed, PER_SECOND),
        ("SQL Errors", "Errors/sec", "Kill Connection Errors", fatal, PER_SECOND),
        // No database goes offline while the server runs.
        ("SQL Errors", "Errors/sec", "DB Offline Errors", 0, PER_SECOND),
        ("Databases", "Transactions/sec", "_Total", metrics.transactions_begun, PER_SECOND),
        ("Databases", "Log Flushes/sec", "_Total", metrics.log_flushes, PER_SECOND),
        ("Databases", "Log Bytes Flushed/sec", "_Total", metrics.log_bytes_flushed, PER_SECOND),
        ("Databases", "Log Flush Waits/sec", "_Total", metrics.log_flush_waits, PER_SECOND),
        ("Databases", "XTP Memory Used (KB)", "_Total", server.catalog.storage.memory_optimized_bytes() / 1_024, RAW),
        ("Locks", "Lock Requests/sec", "_Total", metrics.lock_requests, PER_SECOND),
        ("Locks", "Lock Waits/sec", "_Total", metrics.lock_waits, PER_SECOND),
        ("Locks", "Lock Wait Time (ms)", "_Total", metrics.lock_wait_ms, PER_SECOND),
        ("Locks", "Lock Timeouts/sec", "_Total", metrics.lock_timeouts, PER_SECOND),
        ("Locks", "Number of Deadlocks/sec", "_Total", metrics.deadlocks, PER_SECOND),
        ("Buffer Manager", "Page reads/sec", "", metrics.page_reads, PER_SECOND),
        ("Buffer Manager", "Page writes/sec", "", metrics.page_writes, PER_SECOND),
        ("Buffer Manager", "Checkpoint pages/sec", "", metrics.checkpoint_pages, PER_SECOND),
        ("Buffer Manager", "Database pages", "", metrics.buffer_pages, RAW),
        ("Buffer Manager", "Target pages", "", broker.buffer_bytes() / PAGE_BYTES, RAW),
        ("Memory Manager", "Total Server Memory (KB)", "", kb(storage.memory_held()), RAW),
        ("Memory Manager", "Target Server Memory (KB)", "", kb(broker.target()), RAW),
        ("Memory Manager", "Database Cache Memory (KB)", "", metrics.buffer_pages * 8, RAW),
        ("Memory Manager", "Stolen Server Memory (KB)", "", kb(broker.others()), RAW),
        ("Memory Manager", "Granted Workspace Memory (KB)", "", kb(grants.granted), RAW),
        ("Memory Manager", "Maximum Workspace Memory (KB)", "", kb(grants.most), RAW),
        ("Memory Manager", "Reserved Server Memory (KB)", "", kb(grants.granted.saturating_sub(grants.used)), RAW),
        ("Memory Manager", "Memory Grants Outstanding", "", grants.holders.into(), RAW),
        ("Memory Manager", "Memory Grants Pending", "", grants.waiters.into(), RAW),
        ("Memory Manager", "SQL Cache Memory (KB)", "", kb(plans.bytes + procedures.bytes), RAW),
        ("Memory Manager", "Log Pool Memory (KB)", "", kb(broker.held(Clerk::Log)), RAW),
        ("Resource Pool Stats", "Memory grant timeouts/sec", "default", grants.timeouts, PER_SECOND),
        ("Resource Pool Stats", "Pending memory grants count", "default", grants.waiters.into(), RAW),
        ("Resource Pool Stats", "Active memory grant amount (KB)", "default", kb(grants.granted), RAW),
        ("Access Methods", "Page Splits/sec", "", metrics.page_splits, PER_SECOND),
        ("Access Methods", "Pages Allocated/sec", "", metrics.pages_allocated, PER_SECOND),
        ("Access Methods", "Page Deallocations/sec", "", metrics.pages_freed, PER_SECOND),
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
    // https://learn.microsoft.com/sql/relational-databases/performance-monitor/use-sql-server-objects
    let named = host.server.settings.named_instance();
    let prefix = named.map_or("SQLServer".to_owned(), |name| format!("MSSQL${name}"));
    let rows = list.into_iter().map(|(object, counter, instance, value, kind)| {
        row(&format!("{prefix}:{object}"), counter, instance, value, kind)
    });
    let others =
        of_databases(host).into_iter().chain(of_transactions(host)).chain(of_waits(host)).chain(of_buffer(host));
    let others = others.map(|(object, counter, instance, value, kind)| {
        row(&format!("{prefix}:{object}"), counter, &instance, value, kind)
    });
    let never = NEVER.iter().map(|(object, counter, kind)| row(&format!("{prefix}:{object}"), counter, "", 0, *kind));
    rows.chain(never).chain(others).chain(of_system_calls(&prefix)).chain(of_memory_optimized_tables(host)).collect()
}

/// Of what this server does not do: statements are not parameterized, plans not guided, latches not divided, rows not forwarded.
const NEVER: [(&str, &str, i64); 13] = [
    ("SQL Statistics", "Auto-Param Attempts/sec", PER_SECOND),
    ("SQL Statistics", "Failed Auto-Params/sec", PER_SECOND),
    ("SQL Statistics", "Safe Auto-Params/sec", PER_SECOND),
    ("SQL Statistics", "Unsafe Auto-Params/sec", PER_SECOND),
    ("SQL Statistics", "Forced Parameterizations/sec", PER_SECOND),
    ("SQL Statistics", "Guided plan executions/sec", PER_SECOND),
    ("SQL Statistics", "Misguided plan executions/sec", PER_SECOND),
    ("Latches", "Number of SuperLatches", RAW),
    ("Latches", "SuperLatch Promotions/sec", PER_SECOND),
    ("Latches", "SuperLatch Demotions/sec", PER_SECOND),
    ("Access Methods", "Forwarded Records/sec", PER_SECOND),
    ("Access Methods", "Mixed page allocations/sec", PER_SECOND),
    ("CLR", "CLR Execution", RAW),
];

type Counter = (&'static str, &'static str, String, u64, i64);

/// Sizes of files. The log is all databases': each shows it, and in the total it counts once.
fn of_databases(host: &SessionHost) -> Vec<Counter> {
    let (catalog, storage) = (&host.server.catalog, &host.server.catalog.storage);
    let mut rows = Vec::new();
    let mut add = |instance: &str, data_bytes: u64, log: LogSpace| {
        let mut row = |counter, value| rows.push(("Databases", counter, instance.to_owned(), value, RAW));
        row("Data File(s) Size (KB)", data_bytes / 1_024);
        row("Log File(s) Size (KB)", log.total / 1_024);
        row("Log File(s) Used Size (KB)", log.used / 1_024);
        row("Percent Log Used", log.used * 100 / log.total.max(1));
    };
    let mut all_bytes = 0;
    for db in catalog.databases() {
        let data_bytes = storage.file_pages(db.storage_id()).unwrap_or(0) * PAGE_BYTES;
        all_bytes += data_bytes;
        add(&db.name(), data_bytes, catalog.log_space_of(&db).unwrap_or_else(|_| storage.log_space()));
    }
    add("_Total", all_bytes, storage.log_space());
    rows
}

fn of_transactions(host: &SessionHost) -> Vec<Counter> {
    let storage = &host.server.catalog.storage;
    let running = storage.transactions();
    let longest_ms = running.iter().map(|entry| os::clock::now_ms().saturating_sub(entry.begun_ms)).max();
    let count =
        |is: &dyn Fn(&storage::TransactionEntry) -> bool| running.iter().filter(|entry| is(entry)).count() as u64;
    let free = storage.space(DatabaseId::TEMPDB).map_or(0, |space| space.pages.saturating_sub(space.used)) * PAGE_BYTES;
    let row = |object, counter, instance: &str, value| (object, counter, instance.to_owned(), value, RAW);
    vec![
        row("Databases", "Active Transactions", "_Total", running.len() as u64),
        row("General Statistics", "Processes blocked", "", count(&|entry| entry.blocked_by != 0)),
        row("Transactions", "Transactions", "", running.len() as u64),
        row("Transactions", "Snapshot Transactions", "", count(&|entry| entry.snapshot.is_some())),
        row("Transactions", "Longest Transaction Running Time", "", longest_ms.unwrap_or(0) / 1_000),
        row("Transactions", "Free Space in tempdb (KB)", "", free / 1_024),
    ]
}

/// What was waited for on the average, and what was found in the caches of plans.
fn of_waits(host: &SessionHost) -> Vec<Counter> {
    let (metrics, plans) = (host.server.catalog.storage.metrics(), &host.server.plans);
    let latches = os::stats::latches();
    let latch_waits: u64 = latches.iter().map(|latch| latch.waiting_requests).sum();
    let latch_ms = latches.iter().map(|latch| latch.wait_ns).sum::<u64>() / 1_000_000;
    let row = |object, counter, instance: &str, value, kind| (object, counter, instance.to_owned(), value, kind);
    let mut rows = vec![
        row("SQL Statistics", "SQL Re-Compilations/sec", "", plans.statements.counts().recompiled, PER_SECOND),
        row("Latches", "Latch Waits/sec", "", latch_waits, PER_SECOND),
        row("Latches", "Total Latch Wait Time (ms)", "", latch_ms, PER_SECOND),
        row("Latches", "Average Latch Wait Time (ms)", "", latch_ms, AVERAGE),
        row("Latches", "Average Latch Wait Time Base", "", latch_waits, BASE),
        row("Locks", "Average Wait Time (ms)", "_Total", metrics.lock_wait_ms, AVERAGE),
        row("Locks", "Average Wait Time Base", "_Total", metrics.lock_waits, BASE),
    ];
    for (instance, counts) in [("SQL Plans", plans.statements.counts()), ("Object Plans", plans.procedures.counts())] {
        rows.push(row("Plan Cache", "Cache Hit Ratio", instance, counts.found, PART));
        rows.push(row("Plan Cache", "Cache Hit Ratio Base", instance, counts.found + counts.not_found, BASE));
    }
    rows
}

/// How often a page that was looked at was in memory, and how long one stays there at the rate at which pages have left it so far.
fn of_buffer(host: &SessionHost) -> Vec<Counter> {
    let metrics = host.server.catalog.storage.metrics();
    let workers = os::stats::workers(os::stats::machine_here().unwrap_or(0));
    let sum = |of: fn(&os::stats::Work) -> u64| workers.iter().map(|row| of(&os::stats::work_of(row.id))).sum::<u64>();
    let (looked_at, missed) = (sum(|work| work.page_reads), sum(|work| work.page_faults));
    let up_s = os::clock::now_ms().saturating_sub(host.server.started_ms) / 1_000;
    let stays_s = up_s.saturating_mul(metrics.buffer_pages) / metrics.page_evictions.max(1);
    let life_s = if metrics.page_evictions == 0 { up_s } else { stays_s.min(up_s) };
    let row = |object, counter, instance: &str, value, kind| (object, counter, instance.to_owned(), value, kind);
    vec![
        row("Buffer Manager", "Buffer cache hit ratio", "", looked_at.saturating_sub(missed), PART),
        row("Buffer Manager", "Buffer cache hit ratio base", "", looked_at, BASE),
        row("Buffer Manager", "Page lookups/sec", "", looked_at, PER_SECOND),
        row("Buffer Manager", "Page life expectancy", "", life_s, RAW),
        row("Buffer Node", "Page life expectancy", "000", life_s, RAW),
        row("Buffer Node", "Database pages", "000", metrics.buffer_pages, RAW),
    ]
}

/// What the schedulers of all engines have asked the operating system for.
fn of_system_calls(prefix: &str) -> Vec<NamedRow> {
    let schedulers = os::stats::schedulers(os::stats::machine_here().unwrap_or(0));
    let named = |(call, counter): (SystemCall, &str)| {
        let count = schedulers.iter().map(|scheduler| scheduler.calls[call as usize]).sum();
        row(&format!("{prefix}:System Calls"), counter, "", count, PER_SECOND)
    };
    let list: [(SystemCall, &str); SystemCall::COUNT] = [
        (SystemCall::SocketRead, "Socket Reads/sec"),
        (SystemCall::SocketWrite, "Socket Writes/sec"),
        (SystemCall::Watch, "Watch Changes/sec"),
        (SystemCall::Look, "Looks/sec"),
        (SystemCall::Sleep, "Sleeps/sec"),
        (SystemCall::WakeUp, "Wake-ups/sec"),
        (SystemCall::Futex, "Futexes/sec"),
        (SystemCall::File, "File Calls/sec"),
        (SystemCall::Yield, "Yields/sec"),
    ];
    list.into_iter().map(named).collect()
}

fn row(object: &str, counter: &str, instance: &str, value: u64, kind: i64) -> NamedRow {
    vec![
        ("object_name", text(object)),
        ("counter_name", text(counter)),
        ("instance_name", text(instance)),
        ("cntr_value", number(value)),
        ("cntr_type", number(kind)),
    ]
}

/// Their objects are those of a version and not of an instance, which is named in each row instead.
fn of_memory_optimized_tables(host: &SessionHost) -> Vec<NamedRow> {
    let totals = host.server.catalog.storage.memory_totals();
    let (transactions, tables, indexes, collected) =
        (totals.transactions, totals.tables, totals.indexes, totals.collected);
    let aborted_by_user = transactions.aborted.saturating_sub(transactions.aborted_by_system);
    let rows_collected = collected.rows_by_workers + collected.rows_by_cleaner;
    let list: [(&str, &str, u64, i64); 34] = [
        ("Cursors", "Cursor deletes/sec", tables.deletes, PER_SECOND),
        ("Cursors", "Cursor inserts/sec", tables.inserts, PER_SECOND),
        ("Cursors", "Cursor scans started/sec", indexes.scans, PER_SECOND),
        ("Cursors", "Cursor unique violations/sec", tables.unique_violations, PER_SECOND),
        ("Cursors", "Cursor updates/sec", tables.updates, PER_SECOND),
        ("Cursors", "Cursor write conflicts/sec", tables.write_conflicts, PER_SECOND),
        ("Cursors", "Expired rows touched/sec", indexes.expired, PER_SECOND),
        ("Cursors", "Rows returned/sec", indexes.returned, PER_SECOND),
        ("Cursors", "Rows touched/sec", indexes.touched, PER_SECOND),
        ("Cursors", "Tentatively-deleted rows touched/sec", indexes.expiring, PER_SECOND),
        ("Garbage Collection", "Main GC work items/sec", collected.blocks_by_cleaner, PER_SECOND),
        ("Garbage Collection", "Parallel GC work item/sec", collected.blocks_by_workers, PER_SECOND),
        ("Garbage Collection", "Rows processed/sec", rows_collected, PER_SECOND),
        ("Garbage Collection", "Rows processed/sec (no sweep needed)", rows_collected, PER_SECOND),
        ("Phantom Processor", "Phantom expired rows touched/sec", indexes.phantom_expired, PER_SECOND),
        ("Phantom Processor", "Phantom expiring rows touched/sec", indexes.phantom_expiring, PER_SECOND),
        ("Phantom Processor", "Phantom rows touched/sec", indexes.phantom_touched, PER_SECOND),
        ("Phantom Processor", "Phantom scans started/sec", indexes.phantom_scans, PER_SECOND),
        ("Storage", "Checkpoints Closed", totals.checkpoints_closed, RAW),
        ("Storage", "Core Merges Completed", totals.merges, RAW),
        ("Storage", "Merge Policy Evaluations", totals.merge_looks, RAW),
        ("Storage", "Merges Installed", totals.merges_installed, RAW),
        ("Storage", "Total Files Merged", totals.files_merged, RAW),
        ("Transaction Log", "Log bytes written/sec", transactions.log_bytes, PER_SECOND),
        ("Transaction Log", "Log records written/sec", transactions.log_records, PER_SECOND),
        ("Transactions", "Cascading aborts/sec", transactions.dependencies_failed, PER_SECOND),
        ("Transactions", "Commit dependencies taken/sec", transactions.dependencies, PER_SECOND),
        ("Transactions", "Read-only transactions prepared/sec", transactions.read_only, PER_SECOND),
        ("Transactions", "Save point rollbacks/sec", transactions.savepoint_rollbacks, PER_SECOND),
        ("Transactions", "Save points created/sec", transactions.savepoints, PER_SECOND),
        ("Transactions", "Transaction validation failures/sec", transactions.validation_failures, PER_SECOND),
        ("Transactions", "Transactions aborted by user/sec", aborted_by_user, PER_SECOND),
        ("Transactions", "Transactions aborted/sec", transactions.aborted, PER_SECOND),
        ("Transactions", "Transactions created/sec", transactions.ended, PER_SECOND),
    ];
    let instance = host.server.settings.instance.as_str();
    let named = |(object, counter, value, kind): (&str, &str, u64, i64)| {
        row(&format!("SQL Server 2022 XTP {object}"), counter, instance, value, kind)
    };
    list.into_iter().map(named).collect()
}
