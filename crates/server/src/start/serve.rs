//! From settings to a server on its data, and to the last byte on disk: start and stop, as both kernels do it.
//!
//! ```text
//! settings -> machine (schedulers) -> addresses -> storage (recovery) -> catalog -> init scripts -> listeners -> "ready" ... signal -> stop
//! ```

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use os::disk::{Disk, DiskError};
use os::net::{Endpoint, Listener, NetError, NetResult};
use os::region::Visibility;
use os::sched::{MachineConfig, Place, Pool, STARTS_WITH_MOST, TaskKind, Trouble, Watch, WorkerKind};
use os::sync::{Mutex, RwLockForm};
use os::wait::WaitType;
use storage::{CONTROL_FILE, Hold, Storage, StorageConfig, StorageError};

use crate::agent;
use crate::archive::seat;
use crate::audit::audits::Audits;
use crate::catalog::boot::BootOptions;
use crate::catalog::{Catalog, DATABASE_PAGE_BITS, DATABASES_MAX, shared};
use crate::http;
use crate::instance::doors::Doors;
use crate::instance::engines::Engines;
use crate::instance::error_log::{self, Source};
use crate::instance::limits;
use crate::instance::load::Loads;
use crate::instance::machine;
use crate::instance::memory;
use crate::instance::native_statistics::NativeStatistics;
use crate::instance::orphans::Orphans;
use crate::instance::plan_cache::PlanCaches;
use crate::instance::pools::Pools;
use crate::instance::server::{Events, Server, TraceFlags};
use crate::instance::sessions::{Sessions, number_type};
use crate::instance::spare::Spare;
use crate::security::guessing::Guesses;
use crate::security::password::{self, VerifiedLogins};
use crate::security::tls::{Certificate, Tls};
use crate::settings::config::{masks_of, option};
use crate::settings::options::{AdminListen, DataLocation, Kernel, RwLock, Scheduling, Settings, Workers};
use crate::settings::startup::StartupFile;
use crate::settings::strength;
use crate::start::browser;
use crate::start::init;
use crate::start::keeper;
use crate::start::listen;
use crate::start::{renewal, retention};

/// A scheduler that has not switched for so long is reported.
const NONYIELDING_MS: u64 = 60_000;

/// Of the instance's memory: what the server's engines share besides. Addresses only, until used.
const SHARED_BYTES: usize = shared::BYTES + (16 << 20);

const MB: u64 = 1 << 20;

/// Old versions of rows have this part of the memory, within bounds; the rest of them lies in a file.
const VERSIONS_PART: usize = 8;
const VERSIONS_BYTES_MIN: usize = 8 << 20;
const VERSIONS_BYTES_MAX: usize = 256 << 20;

/// How long running requests may go on after the server was asked to stop.
const STOP_GRACE_MS: u64 = 1_000;

/// How long tasks that still run are waited for when the data are closed.
pub(crate) const TASKS_MS: u64 = 3_000;

/// How long a start waits for a port or a directory that somebody has, and how often it looks.
const PREDECESSOR_MS: u64 = 2_000;
const PREDECESSOR_LOOK_MS: u64 = 10;

/// How often it is asked whether the machine stops while the data are fine.
const DATA_LOOK_MS: u64 = 500;

/// Where the administrator's connection is taken, if nobody else has it.
const ADMIN_PORT: u16 = 1434;

/// Characters of a password that the server makes: 96 bits.
const PASSWORD_LENGTH: usize = 16;

pub(crate) fn start_log() {
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::util::SubscriberInitExt;
    use tracing_subscriber::{EnvFilter, Layer, filter, fmt};
    let filter = EnvFilter::try_from_env("HEDDLE_LOG").unwrap_or_else(|_| "info".into());
    let to_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let console = fmt::layer().with_writer(std::io::stderr).with_ansi(to_terminal).with_filter(filter);
    let error_log = error_log::ToErrorLog.with_filter(filter::filter_fn(error_log::takes));
    // A second subscriber (two servers in one test process) changes nothing.
    let _ = tracing_subscriber::registry().with(console).with(error_log).try_init();
}

pub(crate) fn machine_config(settings: &Settings) -> Result<MachineConfig, String> {
    let usable = os::limits::usable_cpus();
    let mut config = MachineConfig {
        workers: match settings.workers {
            Workers::Fiber => WorkerKind::Fiber,
            Workers::Thread => WorkerKind::Thread,
        },
        rwlock: match settings.rwlock {
            RwLock::Classic => RwLockForm::Classic,
            RwLock::Atomic => RwLockForm::Atomic,
            RwLock::Biased => RwLockForm::Biased,
        },
        scheduling: match settings.scheduling {
            Scheduling::Ldf => os::sched::Scheduling::LargeDeficitFirst,
            Scheduling::Fifo => os::sched::Scheduling::Fifo,
        },
        max_worker_threads: settings.max_worker_threads(),
        // The live page is its scheduler's too.
        admin: settings.admin_listen != AdminListen::Off || settings.http.is_some(),
        watch: Some(Watch { after_ms: NONYIELDING_MS, report: report_trouble }),
        ..MachineConfig::default()
    };
    if let Some(cpus) = &settings.cpus {
        if let Some(missing) = cpus.iter().find(|cpu| !usable.contains(&(**cpu as u32))) {
            return Err(format!("--cpus: this process may not use CPU {missing}; it may use {usable:?}"));
        }
        config.cpus = cpus.iter().map(|cpu| *cpu as u32).collect();
        config.pinned = true;
    } else if let Some(cpus) = cpus_configured(settings) {
        config.cpus = cpus;
        config.pinned = true;
    } else if let Some(quota) = os::limits::cpu_quota() {
        // A container that may use 1.5 of 64 CPUs gets two schedulers.
        let schedulers = (quota.ceil() as usize).clamp(1, usable.len());
        config.cpus = usable[..schedulers].to_vec();
    }
    let cpus = if config.cpus.is_empty() { usable.len() } else { config.cpus.len() };
    // Half of the CPUs are left to requests, whatever is guessed. Engines that are processes have a CPU each.
    let computing = if settings.kernel == Kernel::Process { 1 } else { (cpus / 2).max(1) };
    os::sched::set_computing_threads_max(computing);
    if cpus > STARTS_WITH_MOST {
        tracing::warn!(
            "{cpus} CPUs: the server runs on the first {STARTS_WITH_MOST}, which is as many schedulers as it can have"
        );
    }
    let quota = os::limits::cpu_quota().is_some_and(|quota| quota < usable.len() as f64);
    config.pinned_unasked = settings.bind_workers.unwrap_or(settings.workers == Workers::Thread && !quota);
    if let Some(us) = settings.idle_spin_us {
        config.idle_spin_us = us;
    } else if usable.len() == 1 {
        config.idle_spin_us = 0;
    }
    Ok(config)
}

/// CPUs of `affinity mask` that are there: another machine's mask must not keep the server from starting.
fn cpus_configured(settings: &Settings) -> Option<Vec<u32>> {
    let usable = os::limits::usable_cpus();
    let wanted = settings.cpus_configured()?;
    let (there, missing): (Vec<u32>, Vec<u32>) =
        wanted.into_iter().map(|cpu| cpu as u32).partition(|cpu| usable.contains(cpu));
    if !missing.is_empty() {
        tracing::warn!("affinity mask: this process may not use CPUs {missing:?}; it may use {usable:?}");
    }
    (!there.is_empty()).then_some(there)
}

/// Into the log, as SQL Server words it.
fn report_trouble(trouble: &Trouble) {
    match trouble {
        Trouble::Nonyielding(worker) => {
            let created = os::clock::utc_ticks() - os::clock::now().saturating_sub(worker.worker_created_ns) / 100;
            tracing::error!(
                error = 17883,
                "Process {}:0:0 ({:#x}) Worker {:#x} appears to be non-yielding on Scheduler {}. Thread creation time: {created}. Approx Thread CPU Used: kernel {} ms, user {} ms. Process Utilization {}%. System Idle {}%. Interval: {} ms. Stack:\n    {}",
                worker.session_id,
                worker.os_thread,
                worker.worker.raw(),
                worker.scheduler_id,
                worker.thread_kernel_ms,
                worker.thread_user_ms,
                worker.process_percent,
                worker.idle_percent,
                worker.interval_ms,
                worker.stack.join("\n    ")
            );
        }
        Trouble::NoneTaken { seconds, process_percent, idle_percent } => tracing::error!(
            error = 17884,
            "New queries assigned to process on Node 0 have not been picked up by a worker thread in the last {seconds} seconds. Blocking or long-running queries can contribute to this condition, and may degrade client response time. Use the \"max worker threads\" configuration option to increase number of allowable threads, or optimize current running queries. SQL Process Utilization: {process_percent}%. System Idle: {idle_percent}%."
        ),
    }
}

/// MSSQL_COLLATION is that of new data: data that are there keep theirs, and who asks for another must hear it.
fn check_collation(catalog: &Catalog, settings: &Settings) -> Result<(), String> {
    match settings.collation {
        Some(asked) if asked != catalog.collation => Err(format!(
            "MSSQL_COLLATION is {}, but the data in {} are in {}: leave it out, or begin with an empty directory",
            asked.name(),
            catalog.data_directory,
            catalog.collation.name()
        )),
        _ => Ok(()),
    }
}

/// Databases that do not come up with the others, each with the file or page that is the reason.
fn tell_held(storage: &Storage) {
    for held in storage.held() {
        let text = match held.hold {
            Hold::Offline => continue,
            Hold::RecoveryPending => {
                error_log::raise_as(
                    Source::Server,
                    17204,
                    16,
                    1,
                    &format!(
                        "FCB::Open failed: Could not open file for file number 1 of database '{}'.  OS error: {}.",
                        held.name, held.why
                    ),
                );
                format!(
                    "database {}: RECOVERY_PENDING: {}. Put the file back and restart, or SET ONLINE",
                    held.name, held.why
                )
            }
            _ => {
                error_log::raise_as(
                    Source::Server,
                    3414,
                    21,
                    1,
                    &format!(
                        "An error occurred during recovery, preventing the database '{}' (database ID {}) from restarting: {}. Diagnose the recovery errors and fix them, or restore from a known good backup.",
                        held.name, held.database, held.why
                    ),
                );
                format!(
                    "database {}: SUSPECT: {}. Put a good copy of the file back, or restore the database",
                    held.name, held.why
                )
            }
        };
        tracing::error!(target: error_log::CONSOLE, "{text}");
    }
}

/// What of sp_configure's values the command line decided otherwise.
fn tell_configuration(catalog: &Catalog, settings: &Settings, memory: u64) {
    let configuration = &catalog.configuration;
    configuration.set_running(option::LIGHTWEIGHT_POOLING, i64::from(settings.workers == Workers::Fiber));
    configuration.set_running(option::KERNEL_MODE, i64::from(settings.kernel == Kernel::Process));
    configuration.set_running(option::MAX_WORKER_THREADS, i64::from(settings.max_worker_threads()));
    let cpus = settings
        .cpus
        .clone()
        .or_else(|| cpus_configured(settings).map(|cpus| cpus.into_iter().map(|cpu| cpu as usize).collect()));
    let (mask, mask64) = masks_of(&cpus.unwrap_or_default());
    configuration.set_running(option::AFFINITY_MASK, mask);
    configuration.set_running(option::AFFINITY64_MASK, mask64);
    if settings.memory_bytes.is_some() {
        configuration.set_running(option::MAX_SERVER_MEMORY, (memory >> 20) as i64);
    }
}

/// Where a server takes connections.
pub struct Listeners {
    pub tcp: Listener,
    /// The local transport, named by the TCP port. None: the server does without.
    pub local: Option<Listener>,
    /// The dedicated administrator connection's.
    pub admin: Option<Listener>,
    /// The live page's.
    pub http: Option<Listener>,
}

impl Listeners {
    /// Handles of the same listeners for an engine that is a process; `admin`: the administrator's and the live page's too.
    pub(crate) fn share(&self, admin: bool) -> NetResult<Listeners> {
        let share = |listener: &Option<Listener>| listener.as_ref().map(Listener::share).transpose();
        Ok(Listeners {
            tcp: self.tcp.share()?,
            local: share(&self.local)?,
            admin: if admin { share(&self.admin)? } else { None },
            http: if admin { share(&self.http)? } else { None },
        })
    }

    /// Clients are no longer refused. A start that cannot serve has its addresses before it touches the data, and listens when these are open,
    /// so that nobody waits for a recovery on a connection. `admin`: where the administrator's is wanted.
    pub(crate) fn listen(&mut self, admin: AdminListen) -> Result<(), String> {
        for listener in std::iter::once(&self.tcp).chain(&self.local).chain(&self.http) {
            let address = listener.local_addr();
            // Somebody began at the same time, and was sooner.
            listener.listen().map_err(|error| format!("cannot listen on {address}: {error}"))?;
        }
        let Some(listener) = &self.admin else { return Ok(()) };
        match (listener.listen(), admin) {
            (Ok(()), _) => {}
            (Err(error), AdminListen::At(address)) => return Err(format!("--admin-listen {address}: {error}")),
            (Err(_), _) => self.admin = any_admin().filter(|other| other.listen().is_ok()),
        }
        if let Some(address) = self.admin.as_ref().and_then(|listener| listener.local_addr().tcp()) {
            let how = if address.ip().is_loopback() { "locally" } else { "remotely" };
            let port = address.port();
            tracing::info!("Dedicated admin connection support was established for listening {how} on port {port}.");
        }
        Ok(())
    }

    /// Starts the tasks that accept. `browser`: also the one that tells clients of the ports.
    pub(crate) fn accept(self, server: &Arc<Server>, browser: bool) {
        if browser {
            browser::start(server, self.tcp.local_addr(), self.admin.as_ref().map(Listener::local_addr));
        }
        for listener in std::iter::once(self.tcp).chain(self.local) {
            let server = server.clone();
            os::sched::spawn(TaskKind::Accept, Place::Here, move || listen::accept_all(&server, &listener));
        }
        if let Some(listener) = self.admin {
            let server = server.clone();
            let place = Place::In(Pool::ADMIN);
            os::sched::spawn(TaskKind::Accept, place, move || listen::accept_admin(&server, &listener));
        }
        if let Some(listener) = self.http {
            let server = server.clone();
            let place = Place::In(Pool::ADMIN);
            os::sched::spawn(TaskKind::Accept, place, move || http::accept(&server, &listener));
        }
    }

    pub(crate) fn bind(settings: &Settings) -> Result<Listeners, String> {
        let tcp = once_free(NetError::AddressInUse, || Listener::reserve(settings.listen.into()));
        let tcp = tcp.map_err(|error| match error {
            NetError::AddressInUse => {
                format!("{} is in use by another program; choose another port with --listen", settings.listen)
            }
            other => format!("cannot listen on {}: {other}", settings.listen),
        })?;
        let local = tcp.local_addr().tcp().map(|address| Endpoint::Local(address.port()));
        let local = local.and_then(|endpoint| {
            Listener::reserve(endpoint)
                .inspect_err(|error| tracing::warn!("no local transport ({endpoint}): {error}"))
                .ok()
        });
        let admin = bind_admin(settings.admin_listen)?;
        let http = settings.http.map(bind_http).transpose()?;
        settings.browser.map_or(Ok(()), browser::check)?;
        Ok(Listeners { tcp, local, admin, http })
    }
}

fn bind_http(address: SocketAddr) -> Result<Listener, String> {
    let listener = Listener::reserve(address.into()).map_err(|error| format!("--http {address}: {error}"))?;
    let scheme = if address.ip().is_loopback() { "http" } else { "https" };
    tracing::info!("the live page is {scheme}://{}/", listener.local_addr());
    Ok(listener)
}

/// "By default, the DAC only listens on the loop-back IP address (127.0.0.1), port 1434. If TCP port 1434 isn't available, a TCP port is
/// dynamically assigned": the port beside the server's own may be another server's.
/// https://learn.microsoft.com/sql/database-engine/configure-windows/remote-admin-connections-server-configuration-option
fn bind_admin(wanted: AdminListen) -> Result<Option<Listener>, String> {
    match wanted {
        AdminListen::Off => Ok(None),
        AdminListen::At(address) => {
            Listener::reserve(address.into()).map(Some).map_err(|error| format!("--admin-listen {address}: {error}"))
        }
        AdminListen::Usual => Ok(admin_at(ADMIN_PORT).ok().or_else(any_admin)),
    }
}

fn admin_at(port: u16) -> NetResult<Listener> {
    Listener::reserve(SocketAddr::from(([127, 0, 0, 1], port)).into())
}

fn any_admin() -> Option<Listener> {
    let told =
        |error: &NetError| tracing::warn!("no dedicated admin connection: {error}; --admin-listen names an address");
    admin_at(0).inspect_err(told).ok()
}

/// Binds the port, opens the data as the settings say and starts the server on it.
pub fn start(settings: Settings) -> Result<(Server, Listeners), String> {
    // The port first: a start that cannot serve must not touch the data.
    let mut listeners = Listeners::bind(&settings)?;
    init::check(&settings)?;
    let (disk, directory) = open_disk(&settings)?;
    let certificate = renewal::at_start(&settings)?;
    let admin = settings.admin_listen;
    let server = start_on(settings, disk, directory, &certificate)?;
    listeners.listen(admin)?;
    Ok((server, listeners))
}

/// The disk that the settings name, and how messages and views name it.
pub(crate) fn open_disk(settings: &Settings) -> Result<(Disk, String), String> {
    match &settings.data {
        DataLocation::Memory if settings.kernel == Kernel::Process => {
            let disk = Disk::shared_memory().map_err(|error| format!("no files in memory: {error}"))?;
            Ok((disk, ":memory:".to_owned()))
        }
        DataLocation::Memory => Ok((Disk::memory(), ":memory:".to_owned())),
        DataLocation::Directory(path) => {
            let disk = open_directory(path)?;
            // With the lock: another server's log must stay where it is.
            error_log::open(&path.join("log"), settings)?;
            Ok((disk, path.display().to_string()))
        }
    }
}

/// Recovers what is on `disk`, boots the catalog and runs the init scripts. `directory`: how messages and views name the disk.
pub fn start_on(
    settings: Settings,
    disk: Disk,
    directory: String,
    certificate: &Certificate,
) -> Result<Server, String> {
    let (server, new) = open_on(settings, disk, directory, certificate, 0)?;
    let server = Arc::new(server);
    agent::tables::make(&server);
    if let (true, Some(scripts)) = (new, &server.settings.init) {
        init::run(&server, scripts)?;
    }
    Ok(Arc::into_inner(server).expect("the session of the scripts has ended"))
}

/// Where the log and what is spilled lie in memory, each has this part of what the process may use: a transaction that does not end fills
/// the log (9002), and not the machine.
const MEMORY_PART: u64 = 4;

fn storage_config(settings: &Settings, disk: Disk, memory: u64, engines: u32) -> StorageConfig {
    let usual = StorageConfig::new(disk);
    let bytes_max = match settings.data {
        DataLocation::Memory => (os::limits::memory_limit() / MEMORY_PART).max(512 << 20),
        DataLocation::Directory(_) => u64::MAX,
    };
    // Addresses for as much as may ever be configured.
    let memory_max = memory.max(os::limits::memory_limit());
    StorageConfig {
        memory_bytes: memory as usize,
        memory_optimized_bytes: Storage::memory_optimized_part(memory_max) as usize,
        version_memory_bytes: (memory as usize / VERSIONS_PART).clamp(VERSIONS_BYTES_MIN, VERSIONS_BYTES_MAX),
        page_bits: DATABASE_PAGE_BITS,
        files_max: DATABASES_MAX,
        spill_bytes_max: settings.spill_bytes.min(bytes_max),
        caller_bytes: SHARED_BYTES,
        visibility: if engines > 0 { Visibility::ForkedProcesses } else { Visibility::ThisProcess },
        log_bytes_max: usual.log_bytes_max.min(bytes_max),
        ..usual
    }
}

/// As `start_on` without the scripts; also whether the data are new. `engines`: processes that will be forked, 0: none.
pub(crate) fn open_on(
    settings: Settings,
    disk: Disk,
    directory: String,
    certificate: &Certificate,
    engines: u32,
) -> Result<(Server, bool), String> {
    let memory = settings.memory_bytes.map_or_else(memory::target_default, memory::target_allowed);
    let config = storage_config(&settings, disk, memory, engines);
    let storage = Storage::open(config).map_err(|error| cannot_open(&directory, &error))?;
    fit_rows(&storage, memory)?;
    tell_held(&storage);
    tell_recovered(&storage);
    let new = storage.databases().is_empty();
    init::begin(&settings, new)?;
    let made_password = (new && settings.sa_password.is_none()).then(make_password);
    let password = settings.sa_password.as_ref().or(made_password.as_ref());
    let sa_password_hash = password.map(|password| {
        let mut salt = [0; 16];
        os::random::fill(&mut salt);
        password::hash(password, salt)
    });
    let boot = BootOptions {
        server_name: settings.server_name(),
        data_directory: directory,
        bulk_directories: settings.bulk_directories.clone(),
        backup_rate: settings.backup_rate,
        collation: settings.collation.unwrap_or_default(),
        sa_password_hash: sa_password_hash.clone(),
        password_policy: settings.password_policy,
        session_number: number_type(settings.max_connections),
    };
    let archive = seat::take_seat(&settings, &storage, &boot.data_directory)?;
    let catalog = Catalog::boot(storage, &boot)
        .map_err(|error| format!("cannot open the catalog in {}: {error}", boot.data_directory))?;
    // At once: whatever fails from here on, the data are there, and nobody else knows it.
    if let Some(password) = &made_password {
        eprintln!("The password of sa is {password} (it is shown only now)");
    }
    check_collation(&catalog, &settings)?;
    tell_configuration(&catalog, &settings, memory);
    let refused = |error: StorageError| format!("no memory for what engines share: {error}");
    let shared = catalog.storage.memory();
    let kept_in = match &settings.data {
        DataLocation::Memory => None,
        DataLocation::Directory(path) => Some(path.as_path()),
    };
    let startup = StartupFile::new(kept_in, shared).map_err(refused)?;
    startup.repair(&catalog.configuration, &settings.startup);
    let pools = Pools::load(kept_in)?;
    let audits = Audits::load(kept_in)?;
    // Thread pools are the threaded kernel's.
    if engines == 0 {
        pools.start();
    }
    let tls = Tls::new(certificate).map_err(|error| error.to_string())?;
    let verified = verified_logins(password.zip(sa_password_hash.as_ref()));
    let connections_max = settings.max_connections;
    let workspace = exec::workspace::Pool::new(&catalog.storage, settings.query_memory_bytes);
    let server = Server {
        settings,
        tls,
        plans: PlanCaches::new(shared).map_err(refused)?,
        load: Loads::new(shared).map_err(refused)?,
        sessions: Sessions::new(shared, connections_max).map_err(refused)?,
        engines: Engines::new(shared, engines).map_err(refused)?,
        spare: Spare::new(),
        doors: Doors::new(memory, os::limits::open_files()),
        orphans: Orphans::default(),
        startup,
        archive,
        pools,
        audits,
        events: Events::new(shared).map_err(refused)?,
        verified: Mutex::new(WaitType::SOS_MUTEX, verified),
        guesses: Guesses::new(shared).map_err(refused)?,
        trace_flags: shared.place("trace flags", TraceFlags::default()).map_err(refused)?,
        native_statistics: shared
            .place("statistics of native modules", NativeStatistics::default())
            .map_err(refused)?,
        agent_changes: shared.place("changes of jobs", AtomicU32::new(0)).map_err(refused)?,
        stops_at_once: shared.place("SHUTDOWN WITH NOWAIT", AtomicU32::new(0)).map_err(refused)?,
        stopping: AtomicBool::new(false),
        workspace,
        started_ms: os::clock::now() / 1_000_000,
        catalog: Arc::new(catalog),
    };
    // Before engines are forked: each has it from here.
    machine::follow_counting(&server);
    machine::follow_caches(&server);
    machine::follow_quota(&server);
    Ok((server, new))
}

fn tell_recovered(storage: &Storage) {
    let recovered = storage.recovered();
    if recovered.records > 0 {
        tracing::info!(
            log_mb = recovered.log_bytes >> 20,
            records = recovered.records,
            transactions_rolled_back = recovered.rolled_back,
            ms = recovered.elapsed_ns / 1_000_000,
            "recovery is complete"
        );
    }
}

fn cannot_open(directory: &str, error: &StorageError) -> String {
    match (error, os::limits::address_space()) {
        (StorageError::OutOfMemory, Some(limit)) => format!(
            "cannot open the data in {directory}: {error}; the process may have {} MB of addresses, and needs many times its memory: \
             raise that limit (ulimit -v unlimited)",
            limit >> 20
        ),
        // Of another database's page that database alone would stay closed.
        (StorageError::CorruptPage { page, .. }, _) => format!(
            "cannot open the data in {directory}: page {page}, of {}, is damaged: put a good copy of the file back, or restore from a backup",
            storage::data_file_name(page.file)
        ),
        _ => format!("cannot open the data in {directory}: {error}"),
    }
}

/// The rows of memory-optimized tables are all there now: they must leave room for the rest.
fn fit_rows(storage: &Storage, memory: u64) -> Result<(), String> {
    let (rows, most) = (storage.broker().rows_held(), Storage::memory_optimized_part(memory));
    if rows > most {
        return Err(format!(
            "the rows of memory-optimized tables take {} MB, and with {} MB of memory they may take {} MB: start with --memory {}MB \
             or more ('max server memory (MB)')",
            rows.div_ceil(MB),
            memory / MB,
            most / MB,
            Storage::memory_for_rows(rows).div_ceil(MB)
        ));
    }
    storage.set_memory_target(memory);
    Ok(())
}

/// `known`: sa's password and its hash, if it was just made.
fn verified_logins(known: Option<(&String, &Vec<u8>)>) -> VerifiedLogins {
    let mut key = [0; 32];
    os::random::fill(&mut key);
    let mut verified = VerifiedLogins::new(key);
    if let Some((password, hash)) = known {
        verified.remember(hash, password);
    }
    verified
}

fn open_directory(path: &Path) -> Result<Disk, String> {
    let failed = |error: &dyn std::fmt::Display| format!("cannot use the data directory {}: {error}", path.display());
    // The system's own words say what is in the way.
    os::fs::create_dir_all(path).map_err(|error| failed(&error))?;
    let disk = Disk::directory(path).map_err(|error| failed(&error))?;
    if let Some(other) = others_directory(&disk, path) {
        return Err(format!(
            "the directory {} has no data, but '{other}', which is somebody else's: name an empty one",
            path.display()
        ));
    }
    match os::fs::close_directory(path) {
        Ok(true) => {}
        Ok(false) => tracing::warn!(
            "others may look into the data directory {}: it is not this user's alone, and stays as it is",
            path.display()
        ),
        Err(error) => return Err(failed(&error)),
    }
    match once_free(DiskError::Locked, || disk.lock("lock")) {
        Ok(lock) => {
            // Held until the process ends, kill included.
            std::mem::forget(lock);
            Ok(disk)
        }
        Err(DiskError::Locked) => Err(format!("the data directory {} is in use by another server", path.display())),
        Err(error) => Err(format!("cannot lock the data directory {}: {error}", path.display())),
    }
}

/// A directory within one that has no data, and is none of a server's: nothing is to be made there, such as in `/etc`, and its mode stays.
fn others_directory(disk: &Disk, path: &Path) -> Option<String> {
    const OWN: [&str; 4] = ["backup", "log", "lost+found", "tls"];
    if disk.exists(CONTROL_FILE) {
        return None;
    }
    // One that cannot be read is refused by what follows.
    let names = os::fs::list(path).unwrap_or_default();
    if names.iter().any(|(name, _)| name.ends_with(".hdb")) {
        return None;
    }
    let is_other = |name: &str| !name.starts_with('.') && !OWN.contains(&name);
    names.into_iter().find(|(name, is_directory)| *is_directory && is_other(name)).map(|(name, _)| name)
}

/// Takes what another process may have. Of a server that was killed the system ends the processes a moment later, and what they have
/// goes with them: that is waited for.
fn once_free<T, E: PartialEq>(taken: E, mut take: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let deadline = os::clock::after_ms(PREDECESSOR_MS);
    loop {
        match take() {
            Err(error) if error == taken && os::clock::now() < deadline => os::sched::nap(PREDECESSOR_LOOK_MS),
            answer => return answer,
        }
    }
}

/// Letters and digits that no font confuses.
fn make_password() -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789+-.*";
    let mut bytes = [0; PASSWORD_LENGTH];
    os::random::fill(&mut bytes);
    let password: String = bytes.iter().map(|byte| char::from(ALPHABET[usize::from(*byte) % ALPHABET.len()])).collect();
    // One in some thousand has too few kinds of characters.
    if strength::check(&password, "sa", "", PASSWORD_LENGTH).is_ok() { password } else { make_password() }
}

/// Looks at the load now and then, and ends the server when its data can not be written any more: what fails once on a disk is not
/// tried again as if it had not, and a session of a server that only says so would wait for ever for the locks of one that died. The
/// next start recovers.
pub(crate) fn watch(server: &Arc<Server>) {
    let server = server.clone();
    os::sched::spawn(TaskKind::System, Place::Here, move || {
        let (mut trimmed_ns, mut retained_ns, mut jobs) = (0, 0, agent::look::Watch::default());
        loop {
            let why = server.catalog.storage.wait_until_stopped(os::clock::after_ms(DATA_LOOK_MS));
            if os::sched::stopping() || server.stopping.load(Ordering::Acquire) {
                return;
            }
            // One of the engines looks at the schedulers of all.
            if server.engines.others().all(|other| other > os::engines::number()) {
                server.load.sample(&os::stats::schedulers(os::stats::machine_here().unwrap_or(0)));
                retention::look(&server, &mut retained_ns);
                jobs.look(&server);
            }
            renewal::look(&server);
            memory::look(&server, &mut trimmed_ns);
            limits::look(&server);
            limits::cut_killed(&server);
            server.audits.flush();
            let Some(why) = why else { continue };
            tracing::error!("{why}: the server ends, and recovers its data when it is started again");
            server.stopping.store(true, Ordering::Release);
            for session in server.sessions.all() {
                session.kill();
                session.cut();
            }
            return os::signal::request_stop();
        }
    });
}

/// No new connections; sessions end; what is committed is on disk.
pub(crate) fn stop(server: &Server) -> Result<(), String> {
    tracing::info!("stopping");
    end_sessions(server);
    close(server)
}

/// No new connections to this engine; its sessions end, as far as they do in time.
pub(crate) fn end_sessions(server: &Server) {
    server.stopping.store(true, Ordering::Release);
    for session in server.sessions.all() {
        session.kill();
        session.cut();
    }
    let deadline = os::clock::after_ms(STOP_GRACE_MS);
    while server.sessions.count() > 0 && os::clock::now() < deadline {
        os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, 5);
    }
}

/// Everything is on disk, and nothing is changed any more.
pub(crate) fn close(server: &Server) -> Result<(), String> {
    let failed = |error: storage::StorageError| format!("the data could not be closed: {error}");
    if server.stops_at_once.load(Ordering::Relaxed) != 0 {
        return server.catalog.storage.stop_at_once().map_err(failed);
    }
    server.catalog.shutdown().map_err(|error| error.to_string())?;
    keeper::ship_the_rest(server);
    server.catalog.storage.shutdown().map_err(failed)
}
