//! A server inside the simulated machine of `os::sim`: the same start and stop, without files, signals and TLS.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use os::disk::{Disk, SimDisk};
use os::net::Listener;
use os::sched::{Place, TaskKind};

use crate::security::tls::Certificate;
use crate::settings::options::{self, ServeArgs, Settings};
use crate::start::listen;
use crate::start::serve;

/// Ends the server in order.
pub type Stop = Box<dyn FnOnce() -> Result<(), String> + Send>;

/// Starts a server on `disk` and lets it accept. Called inside a simulation; the server lives until its machine stops, loses its
/// power, or `Stop` is called.
pub fn boot(disk: SimDisk, memory_bytes: u64, password: &str) -> Result<(SocketAddr, Stop), String> {
    if os::env::var_outside("HEDDLE_LOG").is_some() {
        serve::start_log();
    }
    let settings = settings(memory_bytes, password);
    let listener = Listener::bind(settings.listen.into()).map_err(|error| error.to_string())?;
    let address = listener.local_addr().tcp().expect("a simulated network is TCP");
    let server = Arc::new(serve::start_on(settings, Disk::Sim(disk), "simulated".into(), certificate())?);
    serve::watch(&server);
    let accepting = server.clone();
    os::sched::spawn(TaskKind::Accept, Place::Here, move || listen::accept_all(&accepting, &listener));
    Ok((address, Box::new(move || serve::stop(&server))))
}

/// The defaults of `heddle serve`, whatever this machine's files and environment say.
fn settings(memory_bytes: u64, password: &str) -> Settings {
    let args = ServeArgs {
        data: Some(":memory:".into()),
        listen: Some("127.0.0.1:0".into()),
        sa_password: Some(password.into()),
        ..ServeArgs::default()
    };
    let settings = options::resolve(args, |path| Err(format!("no {}", path.display())), |_| None);
    let settings = settings.expect("the defaults are good");
    Settings { memory_bytes: Some(memory_bytes), ..settings }
}

/// Nobody encrypts there, but a server has one. Made once: its key is not the seed's.
fn certificate() -> &'static Certificate {
    static CERTIFICATE: OnceLock<Certificate> = OnceLock::new();
    CERTIFICATE.get_or_init(|| Certificate::generate("simulated").expect("a certificate"))
}
