//! The process kernel: a launcher that opens the data, forks the engines and then only watches, and what each engine does.
//!
//! ```text
//! launcher: addresses -> storage (recovery) -> catalog -> listeners -> fork ... an engine ends -> bury it or start all again ... signal -> close
//! engine:   machine of one scheduler -> background duties, mail -> listener ... signal -> its sessions end
//! ```
//! The launcher has one thread for as long as it lives: only so can it fork at any time.

use std::sync::Arc;

use os::launcher::{self, End, Engines as Processes, News};
use os::sched::{MachineConfig, Place, TaskKind};

use crate::agent;
use crate::instance::engines::Letter;
use crate::instance::error_log;
use crate::instance::machine::{Followed, workers_of_engine};
use crate::instance::server::Server;
use crate::request::entrance;
use crate::session::host::SessionHost;
use crate::settings::options::Settings;
use crate::start::init;
use crate::start::keeper;
use crate::start::renewal;
use crate::start::serve::{self, Listeners};
use crate::system;
use crate::wire::connection::Origin;

/// How long engines may take to end after they were asked to.
const STOP_MS: u64 = 10_000;
/// How long a burial may take: it undoes what the dead engine's sessions had not committed.
const BURIAL_MS: u64 = 60_000;
/// Between two looks at what engines say of themselves.
const LOOK_MS: u64 = 5;
/// An engine that looks for nothing to do.
const BURIAL_LOOK_MS: u64 = 500;
/// Starts in a row, none of which came so far that all engines served, after which the launcher gives up.
const FAILED_STARTS_MAX: u32 = 5;

/// The engine that runs the scripts of a new data directory and has the administrator's connection.
const FIRST: u32 = 1;
/// One for requests, one for the administrator.
const SCHEDULERS_EACH: u32 = 2;

/// Exit code of an engine whose start failed: another try would not help.
const CANNOT_START: i32 = 3;

/// Why the launcher stops watching.
enum Outcome {
    Stopped,
    /// The shared memory can no longer be trusted.
    Restart {
        /// All engines had served.
        served: bool,
    },
}

/// Runs the server until a signal. Err: why it does not serve.
pub fn run(settings: Settings) -> Result<(), String> {
    launcher::hear_signals();
    let machine = serve::machine_config(&settings)?;
    let usable = os::limits::usable_cpus();
    let cpus = if machine.cpus.is_empty() { usable.clone() } else { machine.cpus.clone() };
    let count = settings.engines.unwrap_or(cpus.len() as u32).clamp(1, os::engines::ENGINES_MAX as u32);
    let mut listeners = Listeners::bind(&settings)?;
    init::check(&settings)?;
    let (disk, directory) = serve::open_disk(&settings)?;
    let mut certificate = renewal::at_start(&settings)?;
    let (mut failed_starts, mut told, mut mask_at_start) = (0, false, None);
    loop {
        let (server, new) = serve::open_on(settings.clone(), disk.clone(), directory.clone(), &certificate, count)?;
        listeners.listen(settings.admin_listen)?;
        let server = Arc::new(server);
        let mask = || Followed::of(&server.catalog.configuration).cpus();
        let mask_at_start = &*mask_at_start.get_or_insert_with(mask);
        let engine = |number: u32| {
            // One that replaces another follows an affinity mask that was set meanwhile.
            let mask = mask();
            let (cpus, pinned) = match (mask == *mask_at_start, mask.is_empty()) {
                (true, _) => (&cpus, machine.pinned),
                (false, true) => (&usable, false),
                (false, false) => (&mask, true),
            };
            let machine = MachineConfig {
                cpus: vec![os::engines::cpu_of(number, cpus)],
                pinned,
                first_scheduler: number - 1,
                max_worker_threads: workers_of_engine(machine.max_worker_threads, count),
                // The administrator's connection is the first engine's.
                admin: machine.admin && number == FIRST,
                ..machine.clone()
            };
            be_engine(&server, &listeners, machine, new && number == FIRST)
        };
        match watch(&server, &listeners, count, &engine, &mut told)? {
            Outcome::Stopped => return serve::close(&server),
            Outcome::Restart { served } => {
                failed_starts = if served { 0 } else { failed_starts + 1 };
                if failed_starts >= FAILED_STARTS_MAX {
                    return Err(format!("{failed_starts} times in a row an engine ended before all of them served"));
                }
                // Perhaps another than at the first start.
                certificate = server.tls.certificate();
                (1..=count).for_each(launcher::forget);
            }
        }
    }
}

/// Forks the engines and watches them. `told`: that the server is ready, which is said once.
fn watch(
    server: &Arc<Server>,
    listeners: &Listeners,
    count: u32,
    engine: &dyn Fn(u32) -> i32,
    told: &mut bool,
) -> Result<Outcome, String> {
    let mut processes = Processes::launch(count, SCHEDULERS_EACH, engine);
    let mut served = false;
    loop {
        served = served || (1..=count).all(|number| server.engines.serves(number));
        if served && !*told {
            *told = true;
            println!("heddle is ready on {}", listeners.tcp.local_addr());
            tracing::info!("{count} engines serve");
            error_log::ready(&listeners.tcp.local_addr().to_string());
        }
        if renewal::look(server) {
            processes.reload();
        }
        match processes.wait_for_news(if served { 1_000 } else { LOOK_MS }) {
            News::Reload => os::signal::request_reload(),
            News::None => {}
            News::Stop => {
                stop(server, &mut processes);
                return Ok(Outcome::Stopped);
            }
            News::Ended(number, End::Exited(CANNOT_START)) => {
                return Err(format!("engine {number} could not start"));
            }
            News::Ended(number, end) => {
                tracing::error!("engine {number} has ended: {}", describe(end));
                // One that died inside may hold what the question needs.
                if !os::engines::died_inside(number)
                    && let Some(why) = server.catalog.storage.wait_until_stopped(os::clock::now())
                {
                    return Err(format!("{why}: the next start recovers the data"));
                }
                if !bury(server, &mut processes, number, count) {
                    tracing::error!("all engines start again, with recovery");
                    return Ok(Outcome::Restart { served });
                }
                processes.replace(number, engine);
                tracing::info!("engine {number} is replaced");
            }
        }
    }
}

fn describe(end: End) -> String {
    match end {
        End::Exited(code) => format!("exit code {code}"),
        End::Killed(signal) => format!("signal {signal}"),
    }
}

/// Ends what a dead engine left behind. False: it died inside a critical section, or nobody is left who could do it.
fn bury(server: &Arc<Server>, processes: &mut Processes, dead: u32, count: u32) -> bool {
    server.engines.has_ended(dead);
    server.plans.engine_has_ended(dead);
    server.catalog.workload_groups().engine_has_ended(dead);
    let alone = !(1..=count).any(|number| server.engines.serves(number));
    if alone || os::engines::died_inside(dead) {
        return false;
    }
    launcher::bury(dead);
    server.engines.order_burial(dead);
    let deadline = os::clock::after_ms(BURIAL_MS);
    let mut asked_to_stop = false;
    let buried = loop {
        if server.engines.burial().is_none() {
            break true;
        }
        match processes.wait_for_news(LOOK_MS) {
            // Two at a time are rare enough to take the safe way.
            News::Ended(number, end) => {
                tracing::error!("engine {number} has ended during a burial: {}", describe(end));
                server.engines.has_ended(number);
                server.plans.engine_has_ended(number);
                server.catalog.workload_groups().engine_has_ended(number);
                break false;
            }
            News::Stop => asked_to_stop = true,
            News::Reload => os::signal::request_reload(),
            News::None => {}
        }
        if os::clock::now() > deadline {
            break false;
        }
    };
    if asked_to_stop {
        // The launcher hears it again at its next look.
        launcher::repeat_stop();
    }
    if buried {
        server.sessions.forget_engine(dead);
    }
    buried
}

fn stop(server: &Arc<Server>, processes: &mut Processes) {
    tracing::info!("stopping");
    processes.stop();
    let deadline = os::clock::after_ms(STOP_MS);
    while processes.any() {
        if let News::Ended(number, end) = processes.wait_for_news(LOOK_MS)
            && end != End::Exited(0)
        {
            tracing::error!("engine {number} has ended: {}", describe(end));
        }
        if os::clock::now() > deadline {
            tracing::error!("an engine does not end: it is killed, and the next start recovers");
            processes.kill_all();
        }
    }
    server.stopping.store(true, std::sync::atomic::Ordering::Release);
}

/// The life of an engine; its exit code.
fn be_engine(server: &Arc<Server>, listeners: &Listeners, machine: MachineConfig, first_start: bool) -> i32 {
    let stop_requested = os::signal::stop_requests();
    #[cfg(debug_assertions)]
    die_as_told(&server.catalog.data_directory);
    error_log::start_writer();
    let machine = os::sched::start(machine);
    let server = server.clone();
    let listeners = match listeners.share(os::engines::number() == FIRST) {
        Ok(listeners) => listeners,
        Err(error) => {
            eprintln!("an engine cannot listen: {error}");
            return CANNOT_START;
        }
    };
    let code = machine.run(move || {
        server.audits.follow();
        if let Err(error) = server.audits.start() {
            eprintln!("{error}");
            return CANNOT_START;
        }
        server.catalog.storage.start_duties();
        if os::engines::number() == FIRST {
            agent::tables::make(&server);
        }
        if let (true, Some(scripts)) = (first_start, &server.settings.init)
            && let Err(error) = init::run(&server, scripts)
        {
            eprintln!("{error}");
            return CANNOT_START;
        }
        let (mail, burials) = (server.clone(), server.clone());
        // As one who accepts: a stop interrupts its wait.
        os::sched::spawn(TaskKind::Accept, Place::Here, move || read_mail(&mail));
        os::sched::spawn(TaskKind::System, Place::Here, move || bury_the_dead(&burials));
        listeners.accept(&server, os::engines::number() == FIRST);
        serve::watch(&server);
        if os::engines::number() == FIRST {
            keeper::start(&server);
        }
        server.engines.begin_to_serve();
        stop_requested.wait(None);
        serve::end_sessions(&server);
        0
    });
    if !machine.stop_within(serve::TASKS_MS) {
        tracing::warn!("an engine ends while requests to others, such as an object store, are not answered yet");
    }
    error_log::settle();
    code
}

/// For tests, and not in a release: the engine that finds and removes the file `die-at` in the data directory dies at the mark
/// (`sim_point!`) that it names, "catalog.publish 1" for its first passing.
#[cfg(debug_assertions)]
fn die_as_told(data: &str) {
    let Ok(disk) = os::disk::Disk::directory(data.as_ref()) else { return };
    let Ok(file) = disk.open("die-at", os::disk::Open::Existing) else { return };
    let mut text = [0; 64];
    if let (Ok(length), Ok(())) = (file.read_some_at(&mut text, 0), disk.remove("die-at"))
        && let Some((mark, nth)) = String::from_utf8_lossy(&text[..length]).trim().split_once(' ')
    {
        os::sim::die_at(mark, nth.parse().expect("a number of passings"));
    }
}

fn read_mail(server: &Arc<Server>) {
    while !os::sched::stopping() {
        match server.engines.receive() {
            Ok(Letter::Connection(stream, counted)) => {
                entrance::arrive(server, stream, Origin::Server(Some(Box::new(counted))))
            }
            Ok(Letter::Question { from, number, text }) => {
                // Not here: what it has to wait for, others' letters must not.
                let server = server.clone();
                os::sched::spawn(TaskKind::System, Place::Here, move || {
                    let answer = system::answer(&server, &text);
                    if let Err(error) = server.engines.answer(from, number, &answer) {
                        tracing::warn!("engine {from} does not take an answer: {error}");
                    }
                });
            }
            Err(error) => {
                if !os::sched::stopping() {
                    tracing::error!("mail cannot be read any more: {error}");
                }
                return;
            }
        }
    }
}

fn bury_the_dead(server: &Arc<Server>) {
    while !os::sched::stopping() {
        let Some(dead) = server.engines.take_burial(BURIAL_LOOK_MS) else { continue };
        match server.catalog.storage.bury(dead, || server.catalog.publish_for_the_dead()) {
            Ok(transactions) => {
                let (mut state, mut heir) = SessionHost::internal(server);
                heir.catalog_session.adopt(dead);
                heir.log_out(&mut state);
                tracing::info!(transactions, "engine {dead} is buried");
                server.engines.buried();
            }
            // The log has stopped: only recovery helps.
            Err(error) => {
                tracing::error!("engine {dead} cannot be buried: {error}");
                std::process::abort();
            }
        }
    }
}
