//! `heddle serve`: settings, log, and one of the two kernels.

use std::sync::Arc;

use os::wait::WaitType;

use crate::agent;
use crate::instance::error_log;
use crate::settings::options::{self, Kernel, ServeArgs, Settings};
use crate::start::keeper;
use crate::start::launch;
use crate::start::serve;

/// Runs the server until a signal. Err: why it does not serve; the text says what to do.
pub fn run(args: ServeArgs) -> Result<(), String> {
    let settings = options::resolve(args, read_settings_file, os::env::var).map_err(|error| error.to_string())?;
    os::signal::prepare();
    serve::start_log();
    os::panics::watch();
    for name in options::unknown_variables(os::env::names().into_iter()) {
        tracing::warn!("{name} is set, but this server does not know it: it has no effect");
    }
    os::limits::raise_open_files();
    os::heap::bound();
    types::long::set_away(|work| os::sched::preemptive(WaitType::PREEMPTIVE_OTHER, work));
    types::long::set_let_go(|work| drop(os::sched::start_preemptive(work)));
    match settings.kernel {
        Kernel::Threaded => serve_threaded(settings),
        Kernel::Process => launch::run(settings),
    }
}

fn serve_threaded(settings: Settings) -> Result<(), String> {
    let stop_requested = os::signal::stop_requests();
    let machine = os::sched::start(serve::machine_config(&settings)?);
    let outcome = machine.run(move || {
        error_log::start_writer();
        let (server, listeners) = serve::start(settings)?;
        let server = Arc::new(server);
        server.audits.start()?;
        error_log::ready(&listeners.tcp.local_addr().to_string());
        println!("heddle is ready on {}", listeners.tcp.local_addr());
        listeners.accept(&server, true);
        serve::watch(&server);
        agent::startup::begin(&server);
        keeper::start(&server);
        stop_requested.wait(None);
        serve::stop(&server)
    });
    // The data are closed: who still waits, for an object store that is silent, say, is not waited for.
    if !machine.stop_within(serve::TASKS_MS) {
        tracing::warn!("the server ends while requests to others, such as an object store, are not answered yet");
    }
    error_log::settle();
    outcome
}

/// `-` is the standard input: a secret that comes from there is in no file and in no list of processes.
fn read_settings_file(path: &std::path::Path) -> Result<String, String> {
    let text = if path.as_os_str() == "-" { os::fs::read_standard_input() } else { os::fs::read_text(path) };
    text.map_err(|error| error.to_string())
}
