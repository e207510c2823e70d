//! Rows about the resource governor: what is asked for, what is in effect, and the memory that databases in its pools take.

use std::sync::atomic::Ordering;

use os::stats;
use storage::MemoryPoolUsage;
use types::{Datum, SqlResult};

use crate::catalog::governor::{ResourcePool, SETTINGS};
use crate::session::host::SessionHost;
use crate::system::cell::{Cell, NamedRow, number, text};

/// None: not a table of this family.
pub fn rows(host: &SessionHost, name: &str) -> SqlResult<Option<Vec<NamedRow>>> {
    let catalog = &host.server.catalog;
    Ok(Some(match name {
        "resource_governor_configuration" => {
            let mut row = configuration();
            row.push(("is_enabled", catalog.governor_is_enabled()?.into()));
            vec![row]
        }
        "dm_resource_governor_configuration" => {
            let mut row = configuration();
            row.push(("is_reconfiguration_pending", catalog.governor_is_behind()?.into()));
            vec![row]
        }
        "resource_governor_resource_pools" => catalog.resource_pools()?.iter().map(asked_for).collect(),
        "dm_resource_governor_resource_pools" => {
            let since = catalog.started;
            let row = |(pool, usage): &(ResourcePool, MemoryPoolUsage)| {
                let mut row = in_effect(pool, usage);
                row.push(("statistics_start_time", Cell::Datum(Datum::I64(since.0))));
                row
            };
            catalog.governed_pools().iter().map(row).collect()
        }
        "dm_resource_governor_workload_groups" => {
            let requests = host
                .server
                .sessions
                .all()
                .iter()
                .filter(|session| session.request_started_ns.load(Ordering::Relaxed) != 0)
                .count();
            vec![group_in_effect(host, 1, "internal", 0), group_in_effect(host, 2, "default", requests)]
        }
        "resource_governor_workload_groups" => vec![workload_group(1, "internal"), workload_group(2, "default")],
        _ => return Ok(None),
    }))
}

fn configuration() -> NamedRow {
    vec![("classifier_function_id", number(0)), ("max_outstanding_io_per_volume", number(0))]
}

fn asked_for(pool: &ResourcePool) -> NamedRow {
    let settings = SETTINGS.iter().zip(pool.settings).map(|(setting, value)| (setting.column, number(value)));
    [("pool_id", number(pool.id)), ("name", text(&pool.name))].into_iter().chain(settings).collect()
}

/// CPU, grants of memory and I/O are not counted by pool.
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

/// Requests and CPU time are all the default group's.
fn group_in_effect(host: &SessionHost, id: i32, name: &str, requests: usize) -> NamedRow {
    let mut row = workload_group(id, name);
    let is_default = id == 2;
    let schedulers = stats::schedulers(stats::machine_here().unwrap_or(0));
    let cpu_ns: u64 = schedulers.iter().map(|scheduler| scheduler.total_cpu_usage_ns).sum();
    row.extend([
        ("statistics_start_time", Cell::Datum(Datum::I64(host.server.catalog.started.0))),
        ("active_request_count", number(requests)),
        ("queued_request_count", number(0)),
        ("total_cpu_usage_ms", number(if is_default { cpu_ns / 1_000_000 } else { 0 })),
        ("effective_max_dop", number(1)),
    ]);
    row
}

fn workload_group(id: i32, name: &str) -> NamedRow {
    vec![
        ("group_id", number(id)),
        ("name", text(name)),
        ("importance", text("Medium")),
        ("request_max_memory_grant_percent", number(25)),
        ("request_max_memory_grant_percent_numeric", number(25)),
        ("request_max_cpu_time_sec", number(0)),
        ("request_memory_grant_timeout_sec", number(0)),
        ("max_dop", number(0)),
        ("group_max_requests", number(0)),
        ("pool_id", number(id)),
        ("external_pool_id", number(2)),
    ]
}
