//! sys.dm_os_*: schedulers, workers, tasks, waits, locks and counters, from live state.

use os::stats::{self, WorkerState};

use crate::config::option;
use crate::host::SessionHost;
use crate::system::performance;
use crate::system::virtual_table::{Cell, NamedRow, address, number, text};

const NS_PER_MS: u64 = 1_000_000;

/// None: not a table of this family.
pub fn rows(host: &SessionHost, name: &str) -> Option<Vec<NamedRow>> {
    let machine = stats::machine_here().unwrap_or(0);
    Some(match name {
        "dm_os_schedulers" => schedulers(machine),
        "dm_os_workers" => workers(machine),
        "dm_os_tasks" => tasks(machine),
        "dm_os_threads" => threads(machine),
        "dm_os_waiting_tasks" => waiting_tasks(machine),
        "dm_os_wait_stats" => waits(machine),
        "dm_os_latch_stats" => latches(),
        "dm_os_spinlock_stats" => spinlocks(),
        "dm_os_performance_counters" => performance::counters(host),
        "dm_os_sys_info" => vec![sys_info(host, machine)],
        "dm_os_nodes" => vec![node(machine)],
        "dm_os_host_info" => vec![host_info()],
        "dm_os_sys_memory" => vec![sys_memory()],
        "dm_os_process_memory" => vec![process_memory()],
        _ => return None,
    })
}

fn schedulers(machine: u32) -> Vec<NamedRow> {
    let rows = stats::schedulers(machine).into_iter().map(|row| -> NamedRow {
        vec![
            ("scheduler_address", address(row.address)),
            ("parent_node_id", number(0)),
            ("scheduler_id", number(row.scheduler_id)),
            ("cpu_id", number(row.cpu_id)),
            ("status", text(if row.is_online { "VISIBLE ONLINE" } else { "VISIBLE OFFLINE" })),
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
    rows.collect()
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
        rows.push(vec![
            ("thread_address", address(worker.os_thread_id.into())),
            ("started_by_sqlservr", true.into()),
            ("os_thread_id", number(worker.os_thread_id)),
            ("stack_base_address", address(worker.stack_base)),
            ("stack_end_address", address(worker.stack_limit)),
            ("scheduler_address", address(worker.scheduler)),
            ("worker_address", address(worker.id.raw().into())),
        ]);
    }
    rows
}

fn waiting_tasks(machine: u32) -> Vec<NamedRow> {
    let rows = stats::waiting_tasks(machine).into_iter().map(|row| -> NamedRow {
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
            ("blocking_session_id", number(row.blocking_session_id)),
        ]
    });
    rows.collect()
}

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
    let schedulers = stats::schedulers(machine).len();
    let (user_ns, system_ns) = os::clock::process_cpu();
    let metrics = host.server.catalog.storage.metrics();
    let target_kb = host.server.memory_bytes / 1_024;
    let workers_max = match host.server.catalog.configuration.running(option::MAX_WORKER_THREADS) {
        0 => os::sched::automatic_worker_threads(schedulers as u32).into(),
        configured => configured,
    };
    let settings = &host.server.settings;
    let affinity = if settings.cpus.is_some() || settings.cpus_configured().is_some() { "MANUAL" } else { "AUTO" };
    vec![
        ("cpu_ticks", number(os::clock::now())),
        ("ms_ticks", number(os::clock::now_ms())),
        ("cpu_count", number(topology.logical_cpus)),
        ("hyperthread_ratio", number(topology.cores_per_socket.max(1))),
        ("physical_memory_kb", number(os::limits::physical_memory() / 1_024)),
        ("virtual_memory_kb", number(137_438_953_344u64)),
        ("committed_kb", number(metrics.buffer_pages * 8)),
        ("committed_target_kb", number(target_kb)),
        ("visible_target_kb", number(target_kb)),
        ("stack_size_in_bytes", number(256 << 10)),
        ("os_quantum", number(4)),
        ("max_workers_count", number(workers_max)),
        ("scheduler_count", number(schedulers)),
        ("scheduler_total_count", number(schedulers)),
        ("sqlserver_start_time_ms_ticks", number(host.server.started_ms)),
        ("sqlserver_start_time", Cell::Datum(types::Datum::I64(host.server.catalog.started.0))),
        ("affinity_type", number(if affinity == "MANUAL" { 1 } else { 2 })),
        ("affinity_type_desc", text(affinity)),
        ("process_kernel_time_ms", number(system_ns / NS_PER_MS)),
        ("process_user_time_ms", number(user_ns / NS_PER_MS)),
        ("time_source", number(1)),
        ("time_source_desc", text("MULTIMEDIA_TIMER")),
        ("virtual_machine_type_desc", text("NONE")),
        ("softnuma_configuration_desc", text("OFF")),
        ("process_physical_affinity", text("")),
        ("sql_memory_model", number(1)),
        ("sql_memory_model_desc", text("CONVENTIONAL")),
        ("socket_count", number(topology.sockets)),
        ("cores_per_socket", number(topology.cores_per_socket)),
        ("numa_node_count", number(topology.numa_nodes)),
    ]
}

fn node(machine: u32) -> NamedRow {
    let schedulers = stats::schedulers(machine);
    let mask = schedulers.iter().fold(0u64, |mask, row| mask | 1u64.checked_shl(row.cpu_id).unwrap_or(0));
    vec![
        ("node_id", number(0)),
        ("node_state_desc", text("ONLINE")),
        ("memory_node_id", number(0)),
        ("cpu_affinity_mask", number(mask)),
        ("online_scheduler_count", number(schedulers.len())),
        ("idle_scheduler_count", number(schedulers.iter().filter(|row| row.is_idle).count())),
        ("active_worker_count", number(schedulers.iter().map(|row| u64::from(row.active_workers)).sum::<u64>())),
        (
            "avg_load_balance",
            number(
                schedulers.iter().map(|row| u64::from(row.load_factor)).sum::<u64>() / schedulers.len().max(1) as u64,
            ),
        ),
        ("online_scheduler_mask", number(mask)),
        ("cpu_count", number(schedulers.len())),
    ]
}

fn host_info() -> NamedRow {
    vec![
        ("host_platform", text("Linux")),
        ("host_distribution", text(&os::env::os_release())),
        ("host_release", text("")),
        ("host_service_pack_level", text("")),
        ("os_language_version", number(1033)),
        ("host_architecture", text(std::env::consts::ARCH)),
    ]
}

fn sys_memory() -> NamedRow {
    let (total, available) = (os::limits::physical_memory(), os::limits::available_memory());
    vec![
        ("total_physical_memory_kb", number(total / 1_024)),
        ("available_physical_memory_kb", number(available / 1_024)),
        ("total_page_file_kb", number(total / 1_024)),
        ("available_page_file_kb", number(available / 1_024)),
        ("system_memory_state_desc", text("Available physical memory is high")),
        ("system_high_memory_signal_state", true.into()),
        ("system_low_memory_signal_state", false.into()),
    ]
}

fn process_memory() -> NamedRow {
    vec![
        ("physical_memory_in_use_kb", number(os::limits::resident_memory() / 1_024)),
        ("memory_utilization_percentage", number(100)),
        ("available_commit_limit_kb", number(os::limits::available_memory() / 1_024)),
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
