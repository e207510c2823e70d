//! Rows about the resource governor: what is asked for, what is in effect, and the memory that databases in its pools take.

use std::sync::atomic::Ordering;

use storage::MemoryPoolUsage;
use types::{Datum, SqlResult};

use crate::catalog::governor::{DEFAULT_POOL, INTERNAL_POOL, ResourcePool, SETTINGS};
use crate::catalog::workload::{GROUP_SETTINGS, GroupFigures, INTERNAL_GROUP, WorkloadGroup, setting};
use crate::session::host::SessionHost;
use crate::system::cell::{Cell, NamedRow, number, text};

/// None: not a table of this family.
pub fn rows(host: &SessionHost, name: &str) -> SqlResult<Option<Vec<NamedRow>>> {
    let catalog = &host.server.catalog;
    Ok(Some(match name {
        "resource_governor_configuration" => {
            let mut row = configuration(catalog.asked_classifier()?.map_or(0, |(id, _)| id));
            row.push(("is_enabled", catalog.governor_is_enabled()?.into()));
            vec![row]
        }
        "dm_resource_governor_configuration" => {
            let mut row = configuration(catalog.workload_groups().classifier());
            row.push(("is_reconfiguration_pending", catalog.governor_is_behind()?.into()));
            vec![row]
        }
        "resource_governor_resource_pools" => catalog.resource_pools()?.iter().map(asked_for).collect(),
        "dm_resource_governor_resource_pools" => {
            let since = catalog.started;
            let row = |(pool, usage): &(ResourcePool, MemoryPoolUsage)| {
                let mut row = in_effect(pool, usage);
                row.extend(of_queries(host, pool));
                row.push(("statistics_start_time", Cell::Datum(Datum::I64(since.0))));
                row
            };
            catalog.governed_pools().iter().map(row).collect()
        }
        "dm_resource_governor_workload_groups" => {
            let groups = catalog.workload_groups().all();
            groups.iter().map(|group| group_in_effect(host, group)).collect()
        }
        "resource_governor_workload_groups" => catalog.asked_workload_groups()?.iter().map(workload_group).collect(),
        _ => return Ok(None),
    }))
}

fn configuration(classifier: i32) -> NamedRow {
    vec![("classifier_function_id", number(classifier)), ("max_outstanding_io_per_volume", number(0))]
}

fn asked_for(pool: &ResourcePool) -> NamedRow {
    let settings = SETTINGS.iter().zip(pool.settings).map(|(setting, value)| (setting.column, number(value)));
    [("pool_id", number(pool.id)), ("name", text(&pool.name))].into_iter().chain(settings).collect()
}

/// Queries are those of the default pool, as all groups are but the internal one.
fn of_queries(host: &SessionHost, pool: &ResourcePool) -> NamedRow {
    if pool.id != DEFAULT_POOL {
        return Vec::new();
    }
    let grants = host.server.catalog.storage.grants().totals();
    let groups = host.server.catalog.workload_groups().all();
    let cpu_ns: u64 = groups.iter().map(|group| work(host, group).cpu_ns).sum();
    vec![
        ("total_cpu_usage_ms", number(cpu_ns / 1_000_000)),
        ("used_memgrant_kb", number(grants.used / 1024)),
        ("total_memgrant_timeout_count", number(grants.timeouts)),
        ("active_memgrant_count", number(grants.holders)),
        ("active_memgrant_kb", number(grants.granted / 1024)),
        ("memgrant_waiter_count", number(grants.waiters)),
    ]
}

/// I/O is not counted by pool.
fn in_effect(pool: &ResourcePool, usage: &MemoryPoolUsage) -> NamedRow {
    let mut row = asked_for(pool);
    row.extend([
        ("max_memory_kb", number(usage.limit_bytes / 1024)),
        ("target_memory_kb", number(usage.limit_bytes / 1024)),
        ("used_memory_kb", number(usage.bytes.div_ceil(1024))),
        ("out_of_memory_count", number(usage.refusals)),
    ]);
    row
}

/// What a group's sessions have done: those that have ended, and those there are here.
fn work(host: &SessionHost, group: &WorkloadGroup) -> GroupFigures {
    // The internal group has no sessions, and no figures of its own.
    if group.id == INTERNAL_GROUP {
        return GroupFigures::default();
    }
    let mut figures = host.server.catalog.workload_groups().figures(group.id);
    let sessions = host.server.sessions.all();
    let mut running = 0;
    for session in sessions.iter().filter(|session| session.group.load(Ordering::Relaxed) == group.id) {
        figures.requests += session.requests.load(Ordering::Relaxed);
        figures.cpu_ns += session.cpu_ns.load(Ordering::Relaxed);
        running += u32::from(session.request_started_ns.load(Ordering::Relaxed) != 0);
    }
    // Who asks for a turn and does not wait yet is no request that runs.
    if group.settings[setting::MAX_REQUESTS] == 0 {
        figures.active = running;
    }
    figures
}

fn group_in_effect(host: &SessionHost, group: &WorkloadGroup) -> NamedRow {
    let mut row = workload_group(group);
    let figures = work(host, group);
    row.extend([
        ("statistics_start_time", Cell::Datum(Datum::I64(host.server.catalog.started.0))),
        ("total_request_count", number(figures.requests)),
        ("active_request_count", number(figures.active)),
        ("queued_request_count", number(figures.waiting)),
        ("total_queued_request_count", number(figures.waited)),
        ("total_cpu_limit_violation_count", number(figures.violations)),
        ("total_cpu_usage_ms", number(figures.cpu_ns / 1_000_000)),
        ("effective_max_dop", number(1)),
    ]);
    row
}

fn workload_group(group: &WorkloadGroup) -> NamedRow {
    let settings = GROUP_SETTINGS.iter().zip(group.settings).map(|(setting, value)| (setting.column, number(value)));
    let mut row: NamedRow = settings.collect();
    row.extend([
        ("group_id", number(group.id)),
        ("name", text(&group.name)),
        ("importance", text("Medium")),
        ("request_max_memory_grant_percent_numeric", number(group.settings[setting::GRANT_PERCENT])),
        ("pool_id", number(if group.id == INTERNAL_GROUP { INTERNAL_POOL } else { DEFAULT_POOL })),
        ("external_pool_id", number(2)),
    ]);
    row
}
