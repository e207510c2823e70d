//! Rows about memory: who holds how much of it, what queries are granted and wait for, what process and machine have.

use std::sync::atomic::Ordering;

use storage::{Clerk, GrantEntry};
use types::Datum;

use super::exec_rows::{plan_handle, sql_handle};
use crate::instance::plan_cache::PlanCacheCounts;
use crate::session::host::SessionHost;
use crate::system::cell::{Cell, NamedRow, number, text};

/// As SQL Server numbers the resource semaphore of queries that are not small, and the resource governor its default pool and group.
const SEMAPHORE: u32 = 0;
const POOL: u32 = 2;

/// None: not a table of this family.
pub fn rows(host: &SessionHost, name: &str) -> Option<Vec<NamedRow>> {
    Some(match name {
        "dm_os_memory_clerks" => clerks(host),
        "dm_os_memory_nodes" => vec![node(host)],
        "dm_os_memory_cache_counters" => caches(host),
        // There is none.
        "dm_os_buffer_pool_extension_configuration" => vec![vec![
            ("state", number(0)),
            ("state_description", text("BUFFER POOL EXTENSION DISABLED")),
            ("current_size_in_kb", number(0)),
        ]],
        "dm_os_sys_memory" => vec![sys_memory()],
        "dm_os_process_memory" => vec![process_memory(host)],
        "dm_exec_query_memory_grants" => grants(host),
        "dm_exec_query_resource_semaphores" => vec![semaphore(host)],
        _ => return None,
    })
}

/// Of all engines: what the region has is counted there, and what their processes hold besides is told to it.
fn clerks(host: &SessionHost) -> Vec<NamedRow> {
    let storage = &host.server.catalog.storage;
    let (broker, plans) = (storage.broker(), &host.server.plans);
    let clerk = |kind: &str, name: &str, bytes: u64| -> NamedRow {
        vec![
            ("type", text(kind)),
            ("name", text(name)),
            ("memory_node_id", number(0)),
            ("pages_kb", number(bytes / 1_024)),
            ("page_size_in_bytes", number(8_192)),
        ]
    };
    vec![
        clerk("MEMORYCLERK_SQLBUFFERPOOL", "Default", storage.metrics().buffer_pages * 8_192),
        clerk("CACHESTORE_SQLCP", "SQL Plans", plans.statements.counts().bytes),
        clerk("CACHESTORE_OBJCP", "Object Plans", plans.procedures.counts().bytes),
        clerk("MEMORYCLERK_SQLQERESERVATIONS", "Default", broker.held(Clerk::Queries)),
        clerk("MEMORYCLERK_XTP", "Default", broker.rows_held()),
        clerk("MEMORYCLERK_VERSIONSTORE", "Default", broker.held(Clerk::Versions)),
        clerk("MEMORYCLERK_SQLLOGPOOL", "Default", broker.held(Clerk::Log)),
        // Measured, not counted: sessions and their buffers, stacks, what the allocator keeps.
        clerk("MEMORYCLERK_SQLGENERAL", "Default", broker.uncounted()),
    ]
}

/// Memory is not kept apart by node: all of it is the first one's.
fn node(host: &SessionHost) -> NamedRow {
    let storage = &host.server.catalog.storage;
    let held_kb = storage.memory_held() / 1_024;
    vec![
        ("memory_node_id", number(0)),
        ("virtual_address_space_reserved_kb", number(held_kb)),
        ("virtual_address_space_committed_kb", number(held_kb)),
        ("pages_kb", number(held_kb)),
        ("target_kb", number(storage.broker().target() / 1_024)),
    ]
}

/// The caches of plans: of all engines.
fn caches(host: &SessionHost) -> Vec<NamedRow> {
    let plans = &host.server.plans;
    let cache = |kind: &str, name: &str, counts: PlanCacheCounts| -> NamedRow {
        vec![
            ("name", text(name)),
            ("type", text(kind)),
            ("pages_kb", number(counts.bytes / 1_024)),
            ("entries_count", number(counts.entries)),
        ]
    };
    vec![
        cache("CACHESTORE_SQLCP", "SQL Plans", plans.statements.counts()),
        cache("CACHESTORE_OBJCP", "Object Plans", plans.procedures.counts()),
    ]
}

fn sys_memory() -> NamedRow {
    let (total, available) = (os::limits::physical_memory(), os::limits::available_memory());
    // As Windows tells: below 1/32 there is little, above 1/16 much.
    let (low, high) = (available < total / 32, available > total / 16);
    let described = match (low, high) {
        (true, _) => "Available physical memory is low",
        (_, true) => "Available physical memory is high",
        _ => "Physical memory usage is steady",
    };
    vec![
        ("total_physical_memory_kb", number(total / 1_024)),
        ("available_physical_memory_kb", number(available / 1_024)),
        ("total_page_file_kb", number(total / 1_024)),
        ("available_page_file_kb", number(available / 1_024)),
        ("system_memory_state_desc", text(described)),
        ("system_high_memory_signal_state", high.into()),
        ("system_low_memory_signal_state", low.into()),
    ]
}

fn process_memory(host: &SessionHost) -> NamedRow {
    let broker = host.server.catalog.storage.broker();
    let (resident, target) = (os::limits::resident_memory(), broker.target());
    vec![
        ("physical_memory_in_use_kb", number(resident / 1_024)),
        ("total_virtual_address_space_kb", number(137_438_953_344u64)),
        ("virtual_address_space_committed_kb", number(host.server.catalog.storage.memory_held() / 1_024)),
        ("memory_utilization_percentage", number((resident * 100 / target.max(1)).min(100))),
        ("available_commit_limit_kb", number(os::limits::available_memory() / 1_024)),
        ("process_physical_memory_low", (!broker.has_room_for(target / 64)).into()),
        ("process_virtual_memory_low", false.into()),
    ]
}

/// Of the sessions of this engine.
fn grants(host: &SessionHost) -> Vec<NamedRow> {
    let sessions = host.server.sessions.all();
    let own = os::engines::number();
    let entries = host.server.catalog.storage.grants().entries();
    let rows = entries.iter().filter(|grant| grant.engine == own).map(|grant| {
        let mut row = grant_row(grant);
        if let Some(session) = sessions.iter().find(|session| session.spid == grant.session) {
            row.push(("plan_handle", plan_handle(session)));
            row.push(("sql_handle", sql_handle(session)));
            row.push(("group_id", number(session.group.load(Ordering::Relaxed))));
        }
        row
    });
    rows.collect()
}

fn grant_row(grant: &GrantEntry) -> NamedRow {
    let null = || Cell::Datum(Datum::Null);
    let waits = grant.granted_at == 0;
    // "NULL if the memory isn't granted", or if it is.
    let granted = |bytes: u64| if waits { null() } else { number(bytes / 1_024) };
    let waiting = |cell: Cell| if waits { cell } else { null() };
    vec![
        ("session_id", number(grant.session)),
        ("request_id", number(grant.request)),
        ("scheduler_id", number(grant.scheduler)),
        ("dop", number(1)),
        ("request_time", Cell::Time(grant.asked_at as i64)),
        ("grant_time", if waits { null() } else { Cell::Time(grant.granted_at as i64) }),
        ("requested_memory_kb", number(grant.requested / 1_024)),
        ("granted_memory_kb", granted(grant.granted)),
        ("required_memory_kb", number(grant.required / 1_024)),
        ("used_memory_kb", granted(grant.used)),
        ("max_used_memory_kb", granted(grant.used_max)),
        ("query_cost", Cell::Datum(Datum::F64(grant.cost))),
        ("timeout_sec", number(grant.timeout_ms / 1_000)),
        ("resource_semaphore_id", number(SEMAPHORE)),
        ("queue_id", waiting(number(0))),
        ("wait_order", waiting(number(grant.place))),
        ("is_next_candidate", waiting((grant.place == 0).into())),
        ("wait_time_ms", waiting(number(grant.waited_ms))),
        ("pool_id", number(POOL)),
        ("is_small", false.into()),
        ("ideal_memory_kb", number((grant.ideal / 1_024).min(i64::MAX as u64))),
    ]
}

fn semaphore(host: &SessionHost) -> NamedRow {
    let totals = host.server.catalog.storage.grants().totals();
    vec![
        ("resource_semaphore_id", number(SEMAPHORE)),
        ("target_memory_kb", number(totals.total / 1_024)),
        ("max_target_memory_kb", number(totals.most / 1_024)),
        ("total_memory_kb", number(totals.total / 1_024)),
        ("available_memory_kb", number(totals.total.saturating_sub(totals.granted) / 1_024)),
        ("granted_memory_kb", number(totals.granted / 1_024)),
        ("used_memory_kb", number(totals.used / 1_024)),
        ("grantee_count", number(totals.holders)),
        ("waiter_count", number(totals.waiters)),
        ("timeout_error_count", number(totals.timeouts)),
        ("forced_grant_count", number(totals.forced)),
        ("pool_id", number(POOL)),
    ]
}
