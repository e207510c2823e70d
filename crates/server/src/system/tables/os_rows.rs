//! sys.dm_os_*: schedulers, workers, tasks, waits, locks and counters, from live state.

use os::sched::Pool;
use os::stats::{self, SchedulerRow, WorkerState};

use crate::instance::health::Minute;
use crate::session::host::SessionHost;
use crate::settings::config::option;
use crate::system::cell::{Cell, NamedRow, address, number, text};
use crate::system::performance;

use super::transaction_rows::resource_description;

const NS_PER_MS: u64 = 1_000_000;
/// 100 ns each.
const TICKS_PER_MS: i64 = 10_000;

/// None: not a table of this family.
pub fn rows(host: &SessionHost, name: &str) -> Option<Vec<NamedRow>> {
    let machine = stats::machine_here().unwrap_or(0);
    Some(match name {
        "dm_os_schedulers" => schedulers(machine),
        "dm_os_workers" => workers(machine),
        "dm_os_tasks" => tasks(machine),
        "dm_os_threads" => threads(machine),
        "dm_os_waiting_tasks" => waiting_tasks(host, machine),
        "dm_os_wait_stats" => waits(machine),
        "dm_os_ring_buffers" => host.server.load.health.minutes().iter().map(health_record).collect(),
        "dm_os_latch_stats" => latches(),
        "dm_os_spinlock_stats" => spinlocks(),
        "dm_os_performance_counters" => performance::counters(host),
        "dm_os_sys_info" => vec![sys_info(host, machine)],
        "dm_os_nodes" => nodes(machine),
        "dm_os_host_info" => vec![host_info()],
        _ => return None,
    })
}

fn schedulers(machine: u32) -> Vec<NamedRow> {
    let rows = stats::schedulers(machine).into_iter().map(|row| -> NamedRow {
        vec![
            ("scheduler_address", address(row.address)),
            ("parent_node_id", number(node_of(&row))),
            ("scheduler_id", number(row.scheduler_id)),
            ("cpu_id", number(row.cpu_id)),
            (
                "status",
                text(match (row.is_online, row.pool) {
                    (true, Pool::ADMIN) => "VISIBLE ONLINE (DAC)",
                    (true, _) => "VISIBLE ONLINE",
                    (false, _) => "VISIBLE OFFLINE",
                }),
            ),
            ("is_online", row.is_online.into()),
            ("is_idle", row.is_idle.into()),
            ("preemptive_switches_count", number(row.preemptive_switches)),
            ("context_switches_count", number(row.context_switches)),
            ("idle_switches_count", number(row.idle_switches)),
            ("current_tasks_count", number(row.current_tasks)),
            ("runnable_tasks_count", number(row.runnable_tasks)),
            ("current_workers_count", number(row.current_workers)),
            ("active_workers_count", number(row.active_workers)),
            ("work_queue_count", number(row.work_queue)),
            ("pending_disk_io_count", number(row.pending_disk_io)),
            ("load_factor", number(row.load_factor)),
            ("yield_count", number(row.yields)),
            ("last_timer_activity", number(row.last_timer_activity_ns / NS_PER_MS)),
            ("failed_to_create_worker", row.failed_to_create_worker.into()),
            ("active_worker_address", address(row.active_worker.raw().into())),
            ("quantum_length_us", number(row.quantum_ns / 1_000)),
            ("total_cpu_usage_ms", number(row.total_cpu_usage_ns / NS_PER_MS)),
            ("total_scheduler_delay_ms", number(row.total_scheduler_delay_ns / NS_PER_MS)),
            ("ideal_workers_limit", number(row.ideal_workers_limit)),
        ]
    });
    rows.collect()
}

fn workers(machine: u32) -> Vec<NamedRow> {
    let rows = stats::workers(machine).into_iter().map(|row| -> NamedRow {
        let task = row.task.map_or(0, |task| task.0);
        vec![
            ("worker_address", address(row.id.raw().into())),
            ("is_preemptive", row.is_preemptive.into()),
            ("is_fiber", row.is_fiber.into()),
            ("context_switch_count", number(row.context_switches)),
            ("pending_io_count", number(row.pending_io)),
            ("wait_started_ms_ticks", number(row.wait_started_ns / NS_PER_MS)),
            ("wait_resumed_ms_ticks", number(row.wait_resumed_ns / NS_PER_MS)),
            ("task_bound_ms_ticks", number(row.task_bound_ns / NS_PER_MS)),
            ("worker_created_ms_ticks", number(row.created_ns / NS_PER_MS)),
            ("affinity", number(0)),
            ("state", text(row.state.name())),
            ("start_quantum", number(row.start_quantum_ns)),
            ("quantum_used", number(row.quantum_used_ns)),
            ("max_quantum", number(row.quantum_max_ns)),
            ("boost_count", number(row.boosts)),
            ("last_wait_type", text(row.last_wait_type.name())),
            ("return_code", number(0)),
            ("tasks_processed_count", number(row.tasks_processed)),
            ("fiber_address", if row.is_fiber { address(row.stack_base) } else { Cell::Datum(types::Datum::Null) }),
            ("task_address", address(task)),
            ("thread_address", address(row.os_thread_id.into())),
            ("scheduler_address", address(row.scheduler)),
        ]
    });
    rows.collect()
}

fn tasks(machine: u32) -> Vec<NamedRow> {
    let rows = stats::tasks(machine).into_iter().map(|row| -> NamedRow {
        vec![
            ("task_address", address(row.id.0)),
            ("task_state", text(row.state.name())),
            ("context_switches_count", number(row.context_switches)),
            ("pending_io_count", number(row.pending_io)),
            ("scheduler_id", number(row.scheduler_id)),
            ("session_id", number(row.session_id)),
            ("exec_context_id", number(0)),
            ("request_id", number(row.request_id)),
            ("worker_address", address(row.worker.raw().into())),
        ]
    });
    let pending = stats::pending_tasks().into_iter().map(|row| -> NamedRow {
        vec![
            ("task_address", address(row.id.0)),
            ("task_state", text("PENDING")),
            ("scheduler_id", number(row.scheduler_id)),
            ("exec_context_id", number(0)),
        ]
    });
    rows.chain(pending).collect()
}

/// One row an operating system thread that runs workers: all fibers of a scheduler share one.
fn threads(machine: u32) -> Vec<NamedRow> {
    let mut seen = Vec::new();
    let mut rows = Vec::new();
    for worker in stats::workers(machine) {
        if worker.os_thread_id == 0 || seen.contains(&worker.os_thread_id) {
            continue;
        }
        seen.push(worker.os_thread_id);
        let used = os::threads::usage(worker.os_thread_id).unwrap_or_default();
        rows.push(vec![
            ("thread_address", address(worker.os_thread_id.into())),
            ("started_by_sqlservr", true.into()),
            ("os_thread_id", number(worker.os_thread_id)),
            ("creation_time", Cell::Time(os::clock::utc_ticks() as i64 - used.age_ms as i64 * TICKS_PER_MS)),
            ("kernel_time", number(used.kernel_ms)),
            ("usermode_time", number(used.user_ms)),
            ("stack_base_address", address(worker.stack_base)),
            ("stack_end_address", address(worker.stack_limit)),
            ("scheduler_address", address(worker.scheduler)),
            ("worker_address", address(worker.id.raw().into())),
        ]);
    }
    rows
}

fn waiting_tasks(host: &SessionHost, machine: u32) -> Vec<NamedRow> {
    // Who waits for a lock or a transaction: storage knows for whom.
    let transactions = host.server.catalog.storage.transactions();
    let blocker = |session: u32| {
        let of_session = transactions.iter().filter(|transaction| session != 0 && transaction.session == session);
        of_session.map(|transaction| transaction.blocked_by).max().unwrap_or(0)
    };
    let rows = stats::waiting_tasks(machine).into_iter().map(|row| -> NamedRow {
        let blocked_by = row.blocking_session_id.max(blocker(row.session_id));
        let description =
            if row.session_id == 0 { None } else { resource_description(&host.server.catalog.storage, row.session_id) };
        vec![
            ("waiting_task_address", address(row.task.0)),
            ("session_id", number(row.session_id)),
            ("exec_context_id", number(0)),
            ("wait_duration_ms", number(row.wait_duration_ns / NS_PER_MS)),
            ("wait_type", text(row.wait_type.name())),
            ("resource_address", address(row.resource)),
            (
                "blocking_task_address",
                row.blocking_task.map_or(Cell::Datum(types::Datum::Null), |task| address(task.0)),
            ),
            ("resource_description", description.map_or(Cell::Datum(types::Datum::Null), |shown| text(&shown))),
            ("blocking_session_id", if blocked_by == 0 { Cell::Datum(types::Datum::Null) } else { number(blocked_by) }),
        ]
    });
    let now = os::clock::now();
    // Whose request it is will be known when it begins.
    let pending = stats::pending_tasks().into_iter().map(|row| -> NamedRow {
        vec![
            ("waiting_task_address", address(row.id.0)),
            ("exec_context_id", number(0)),
            ("wait_duration_ms", number(now.saturating_sub(row.since_ns) / NS_PER_MS)),
            ("wait_type", text("THREADPOOL")),
        ]
    });
    rows.chain(pending).collect()
}

/// Of the scheduler monitor, which has one for each minute: monitors read the CPU's use from it.
fn health_record(minute: &Minute) -> NamedRow {
    let record = format!(
        "<Record id = \"{}\" type =\"{SCHEDULER_MONITOR}\" time =\"{}\"><SchedulerMonitorEvent><SystemHealth>\
         <ProcessUtilization>{}</ProcessUtilization><SystemIdle>{}</SystemIdle>\
         </SystemHealth></SchedulerMonitorEvent></Record>",
        minute.number, minute.at_ms, minute.used_percent, minute.idle_percent
    );
    vec![
        ("ring_buffer_address", address(1)),
        ("ring_buffer_type", text(SCHEDULER_MONITOR)),
        ("timestamp", number(minute.at_ms)),
        ("record", text(&record)),
    ]
}

const SCHEDULER_MONITOR: &str = "RING_BUFFER_SCHEDULER_MONITOR";

fn waits(machine: u32) -> Vec<NamedRow> {
    let rows = stats::waits(machine).into_iter().map(|row| -> NamedRow {
        vec![
            ("wait_type", text(row.wait_type.name())),
            ("waiting_tasks_count", number(row.waiting_tasks)),
            ("wait_time_ms", number(row.wait_ns / NS_PER_MS)),
            ("max_wait_time_ms", number(row.max_wait_ns / NS_PER_MS)),
            ("signal_wait_time_ms", number(row.signal_ns / NS_PER_MS)),
        ]
    });
    rows.collect()
}

fn latches() -> Vec<NamedRow> {
    let rows = stats::latches().into_iter().map(|row| -> NamedRow {
        vec![
            ("latch_class", text(row.name)),
            ("waiting_requests_count", number(row.waiting_requests)),
            ("wait_time_ms", number(row.wait_ns / NS_PER_MS)),
            ("max_wait_time_ms", number(row.max_wait_ns / NS_PER_MS)),
        ]
    });
    rows.collect()
}

fn spinlocks() -> Vec<NamedRow> {
    let rows = stats::spinlocks().into_iter().map(|row| -> NamedRow {
        let per_collision = if row.collisions == 0 { 0.0 } else { row.spins as f64 / row.collisions as f64 };
        vec![
            ("name", text(row.name)),
            ("collisions", number(row.collisions)),
            ("spins", number(row.spins)),
            ("spins_per_collision", Cell::Datum(types::Datum::F64(f64::from(per_collision as f32)))),
            ("sleep_time", number(row.sleep_ns / NS_PER_MS)),
            ("backoffs", number(row.backoffs)),
        ]
    });
    rows.collect()
}

fn sys_info(host: &SessionHost, machine: u32) -> NamedRow {
    let topology = os::limits::topology();
    let all = stats::schedulers(machine);
    let schedulers = all.iter().filter(|row| row.is_online && row.pool != Pool::ADMIN).count();
    let (user_ns, system_ns) = os::clock::process_cpu();
    let broker = host.server.catalog.storage.broker();
    let target_kb = broker.target() / 1_024;
    let configuration = &host.server.catalog.configuration;
    let masks = [option::AFFINITY_MASK, option::AFFINITY64_MASK];
    let affinity = if masks.iter().any(|mask| configuration.running(*mask) != 0) { "MANUAL" } else { "AUTO" };
    vec![
        ("cpu_ticks", number(os::clock::now())),
        ("ms_ticks", number(os::clock::now_ms())),
        ("cpu_count", number(topology.logical_cpus)),
        ("hyperthread_ratio", number(topology.cores_per_socket.max(1))),
        ("physical_memory_kb", number(os::limits::physical_memory() / 1_024)),
        ("virtual_memory_kb", number(137_438_953_344u64)),
        ("committed_kb", number(host.server.catalog.storage.memory_held() / 1_024)),
        ("committed_target_kb", number(target_kb)),
        ("visible_target_kb", number(target_kb)),
        ("stack_size_in_bytes", number(256 << 10)),
        ("os_quantum", number(all.first().map_or(0, |row| row.quantum_ns / NS_PER_MS))),
        ("max_workers_count", number(os::sched::workers_max() * host.server.engines.count().max(1))),
        ("scheduler_count", number(schedulers)),
        ("scheduler_total_count", number(all.len())),
        ("sqlserver_start_time_ms_ticks", number(host.server.started_ms)),
        ("sqlserver_start_time", Cell::Datum(types::Datum::I64(host.server.catalog.started.0))),
        ("affinity_type", number(if affinity == "MANUAL" { 1 } else { 2 })),
        ("affinity_type_desc", text(affinity)),
        ("process_kernel_time_ms", number(system_ns / NS_PER_MS)),
        ("process_user_time_ms", number(user_ns / NS_PER_MS)),
        ("time_source", number(1)),
        ("time_source_desc", text("MULTIMEDIA_TIMER")),
        ("virtual_machine_type", number(0)),
        ("virtual_machine_type_desc", text("NONE")),
        ("softnuma_configuration", number(0)),
        ("softnuma_configuration_desc", text("OFF")),
        ("process_physical_affinity", text("")),
        ("sql_memory_model", number(1)),
        ("sql_memory_model_desc", text("CONVENTIONAL")),
        ("socket_count", number(topology.sockets)),
        ("cores_per_socket", number(topology.cores_per_socket)),
        ("numa_node_count", number(os::sched::numa_nodes().len())),
        ("container_type", number(0)),
        ("container_type_desc", text("NONE")),
    ]
}

/// The node of the administrator's scheduler, as SQL Server numbers it.
const ADMIN_NODE: u32 = 64;

fn node_of(row: &SchedulerRow) -> u32 {
    if row.pool == Pool::ADMIN { ADMIN_NODE } else { row.node }
}

fn nodes(machine: u32) -> Vec<NamedRow> {
    let schedulers = stats::schedulers(machine);
    let cpus = os::sched::numa_nodes();
    let mask_of = |cpus: &[u32]| cpus.iter().fold(0u64, |mask, cpu| mask | 1u64.checked_shl(*cpu).unwrap_or(0));
    let node = |id: u32, cpus: &[u32]| -> NamedRow {
        let mine: Vec<&SchedulerRow> = schedulers.iter().filter(|row| node_of(row) == id).collect();
        let online: Vec<u32> = mine.iter().filter(|row| row.is_online).map(|row| row.cpu_id).collect();
        let sum = |value: fn(&SchedulerRow) -> u32| mine.iter().map(|row| u64::from(value(row))).sum::<u64>();
        let state = match (id, online.is_empty()) {
            (ADMIN_NODE, _) => "ONLINE DAC",
            (_, true) => "OFFLINE",
            (_, false) => "ONLINE",
        };
        vec![
            ("node_id", number(id)),
            ("node_state_desc", text(state)),
            ("memory_node_id", number(id)),
            ("cpu_affinity_mask", number(mask_of(cpus))),
            ("online_scheduler_count", number(online.len())),
            ("idle_scheduler_count", number(mine.iter().filter(|row| row.is_idle).count())),
            ("active_worker_count", number(sum(|row| row.active_workers))),
            ("avg_load_balance", number(sum(|row| row.load_factor) / mine.len().max(1) as u64)),
            ("online_scheduler_mask", number(mask_of(&online))),
            ("processor_group", number(0)),
            ("cpu_count", number(cpus.len())),
        ]
    };
    let mut rows: Vec<NamedRow> = cpus.iter().enumerate().map(|(id, cpus)| node(id as u32, cpus)).collect();
    if schedulers.iter().any(|row| row.pool == Pool::ADMIN) {
        rows.push(node(ADMIN_NODE, &[]));
    }
    rows
}

fn host_info() -> NamedRow {
    vec![
        ("host_platform", text("Linux")),
        ("host_distribution", text(&os::env::distribution("NAME"))),
        ("host_release", text(&os::env::distribution("VERSION_ID"))),
        ("host_service_pack_level", text("")),
        ("os_language_version", number(1033)),
        ("host_architecture", text(std::env::consts::ARCH)),
    ]
}

/// `sys.dm_exec_requests.status` of a session's worker.
pub fn request_status(state: WorkerState) -> &'static str {
    match state {
        WorkerState::Running => "running",
        WorkerState::Runnable => "runnable",
        WorkerState::Suspended => "suspended",
    }
}
