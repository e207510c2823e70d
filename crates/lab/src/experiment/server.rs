//! The server that is measured: one started for a single run, with data and a port of its own, or one that runs already.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use os::children::Service;
use os::net::Endpoint;
use tds::client::{ClientEncryption, ConnectOptions};

use super::link::Proxy;
use super::setting::Setting;
use crate::address::{ServerAddress, Transport};
use crate::client::{Answer, Connection, Target, Trust};
use crate::script::batches;

/// The database of a run: made before, gone afterwards.
pub const DATABASE: &str = "heddle_lab";

const LOGIN_MS: u64 = 30_000;
/// A set-up script takes no longer.
const BATCH_MS: u64 = 600_000;
const STOP_MS: u64 = 60_000;

/// A directory that goes when it is dropped.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left there is no reason to lose a measurement; the system clears its temporary files.
        let _ = os::fs::remove_dir_all(&self.0);
    }
}

/// A server of our own. Dropped, it ends at once and its data goes.
pub struct Server {
    // Before the directory that it uses.
    service: Service,
    scratch: Scratch,
    password: String,
    port: u16,
    /// From its start to the line that says it is ready.
    pub start_ms: f64,
}

impl Server {
    /// Starts one as `setting` says, with its options of sp_configure in effect. `directory` is made, and goes with the server.
    pub fn start(setting: &Setting, on_disk: bool, directory: PathBuf) -> Result<Server, String> {
        os::fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
        let mut server = Server::launch(setting, on_disk, Scratch(directory), password())?;
        if server.configure(setting)? {
            if !on_disk {
                return Err(
                    "an option of [server.configure] takes effect at a start, which needs on_disk = true".into()
                );
            }
            let Server { service, scratch, password, .. } = server;
            stop(service)?;
            server = Server::launch(setting, on_disk, scratch, password)?;
        }
        Ok(server)
    }

    fn launch(setting: &Setting, on_disk: bool, scratch: Scratch, password: String) -> Result<Server, String> {
        let directory = &scratch.0;
        let data = if on_disk { directory.join("data").to_string_lossy().into_owned() } else { ":memory:".into() };
        let fixed = ["serve", "--data", &data, "--listen", "127.0.0.1:0", "--admin-listen", "off"];
        let arguments: Vec<String> =
            fixed.iter().map(|text| text.to_string()).chain(setting.arguments.iter().cloned()).collect();
        let log = directory.join("server.log");
        let begun = os::clock::now();
        let service = Service::start(&arguments, &[("MSSQL_SA_PASSWORD", &password)], &log)
            .map_err(|error| format!("the server: {error}"))?;
        let start_ms = (os::clock::now() - begun) as f64 / 1e6;
        let port = service.ready.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        let said =
            || os::fs::read(&log).map(|bytes| String::from_utf8_lossy(&bytes).trim().to_owned()).unwrap_or_default();
        let port = port.ok_or_else(|| format!("the server did not start ({}): {}", arguments.join(" "), said()))?;
        Ok(Server { service, scratch, password, port, start_ms })
    }

    /// Sets the options. True: one of them waits for the next start.
    fn configure(&self, setting: &Setting) -> Result<bool, String> {
        if setting.configure.is_empty() {
            return Ok(false);
        }
        let mut connection = open(&self.target("master", Transport::Tcp)?)?;
        ask(&mut connection, "EXEC sp_configure 'show advanced options', 1; RECONFIGURE")?;
        let mut names = Vec::new();
        for (name, value) in &setting.configure {
            let name = format!("'{}'", name.replace('\'', "''"));
            let text = format!("EXEC sp_configure {name}, {value}");
            ask(&mut connection, &text).map_err(|why| format!("{text}: {why}"))?;
            names.push(name);
        }
        ask(&mut connection, "RECONFIGURE")?;
        let waiting = format!(
            "SELECT COUNT(*) FROM sys.configurations WHERE value <> value_in_use AND name IN ({})",
            names.join(", ")
        );
        let waiting = ask(&mut connection, &waiting)?;
        Ok(first_number(&waiting) > Some(0.0))
    }

    pub fn target(&self, database: &str, transport: Transport) -> Result<Target, String> {
        let host = if transport == Transport::Local { "lpc:." } else { "127.0.0.1" };
        self.target_at(&format!("{host},{}", self.port), database)
    }

    /// By a link that ends at a port of this machine.
    pub fn target_by(&self, link: &Proxy, database: &str) -> Result<Target, String> {
        self.target_at(&format!("127.0.0.1,{}", link.port), database)
    }

    fn target_at(&self, address: &str, database: &str) -> Result<Target, String> {
        target_of(ServerAddress::parse(address)?, "sa", &self.password, ClientEncryption::Login, database)
    }

    /// Where a link to it begins.
    pub fn endpoint(&self) -> Endpoint {
        SocketAddr::from(([127, 0, 0, 1], self.port)).into()
    }

    /// What its processes have used until now. None: the system does not say.
    pub fn usage(process_id: u32) -> Option<Usage> {
        let children = read(&format!("/proc/{process_id}/task/{process_id}/children")).unwrap_or_default();
        let children = children.split_whitespace().filter_map(|word| word.parse().ok());
        let mut all = Usage::default();
        for one in std::iter::once(process_id).chain(children).map(Usage::of) {
            let one = one?;
            all.cpu_s += one.cpu_s;
            all.switches += one.switches;
            all.resident_bytes += one.resident_bytes;
            all.peak_bytes += one.peak_bytes;
        }
        Some(all)
    }

    pub fn process_id(&self) -> u32 {
        self.service.process_id()
    }

    /// Stops it and removes its data.
    pub fn stop(self) -> Result<(), String> {
        let Server { service, scratch, .. } = self;
        stop(service)?;
        drop(scratch);
        Ok(())
    }
}

fn stop(service: Service) -> Result<(), String> {
    service.stop(STOP_MS).map_err(|error| format!("the server: {error}"))
}

/// Letters of all the kinds that a password policy asks for.
fn password() -> String {
    format!("Lab-{:016x}", os::random::u64())
}

/// What processes have used since their start.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// User and system.
    pub cpu_s: f64,
    /// Switches by the system, wanted or not, of threads that still live.
    pub switches: u64,
    /// Pages that several processes share count for each.
    pub resident_bytes: u64,
    pub peak_bytes: u64,
}

impl Usage {
    fn of(process_id: u32) -> Option<Usage> {
        let threads = os::fs::list(Path::new(&format!("/proc/{process_id}/task"))).ok()?;
        let of_thread = |(thread, _): &(String, bool)| {
            // A thread that ended meanwhile has none.
            let status = read(&format!("/proc/{process_id}/task/{thread}/status")).unwrap_or_default();
            field(&status, "voluntary_ctxt_switches:") + field(&status, "nonvoluntary_ctxt_switches:")
        };
        let status = read(&format!("/proc/{process_id}/status"))?;
        Some(Usage {
            cpu_s: os::threads::process_cpu_ms(process_id)? as f64 / 1e3,
            switches: threads.iter().map(of_thread).sum(),
            resident_bytes: field(&status, "VmRSS:") * 1024,
            peak_bytes: field(&status, "VmHWM:") * 1024,
        })
    }
}

fn field(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0)
}

fn read(path: &str) -> Option<String> {
    os::fs::read_text(Path::new(path)).ok()
}

pub fn target_of(
    address: ServerAddress,
    user: &str,
    password: &str,
    encryption: ClientEncryption,
    database: &str,
) -> Result<Target, String> {
    let options = ConnectOptions {
        user: user.into(),
        password: password.into(),
        database: database.into(),
        application: "heddle lab".into(),
        encryption,
        ..ConnectOptions::default()
    };
    Target::new(address, options, &Trust::Anyone).map_err(|error| error.to_string())
}

pub fn open(target: &Target) -> Result<Connection, String> {
    Connection::open(target, Some(os::clock::after_ms(LOGIN_MS))).map_err(|error| error.to_string())
}

/// Runs a batch; an error in its answer is one.
pub fn ask(connection: &mut Connection, text: &str) -> Result<Answer, String> {
    let answer = connection.query(text, Some(os::clock::after_ms(BATCH_MS))).map_err(|error| error.to_string())?;
    match answer.first_error() {
        Some(error) => Err(tds::client::format_message(error)),
        None => Ok(answer),
    }
}

/// The first value of the first row.
pub fn first_number(answer: &Answer) -> Option<f64> {
    match answer.sets.first()?.rows.first()?.first()? {
        types::Datum::I64(number) => Some(*number as f64),
        types::Datum::F64(number) => Some(*number),
        _ => None,
    }
}

/// The texts of the first column, NULLs left out.
pub fn first_texts(answer: Answer) -> Vec<String> {
    let rows = answer.sets.into_iter().flat_map(|set| set.rows);
    let text_of = |row: Vec<types::Datum>| match row.into_iter().next() {
        Some(types::Datum::Bytes(text)) => Some(tds::wire::utf16_to_string(&text)),
        _ => None,
    };
    rows.filter_map(text_of).collect()
}

/// Makes the database of a run. Err: also if there is one of its name already.
pub fn make(master: &Target) -> Result<(), String> {
    let made = ask(&mut open(master)?, &format!("CREATE DATABASE {DATABASE}"));
    made.map(|_| ()).map_err(|why| format!("the database of the run cannot be made: {why}"))
}

/// Runs the set-up script. `target`: the database of the run.
pub fn set_up(target: &Target, setup: &str) -> Result<(), String> {
    let mut connection = open(target)?;
    for (batch, count) in batches(setup) {
        for _ in 0..count {
            ask(&mut connection, &batch).map_err(|why| format!("set-up: {why}\nin: {}", batch.trim()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_of_a_process() {
        assert_eq!(field("VmPeak:\t  9 kB\nVmRSS:\t  123 kB\n", "VmRSS:"), 123);
        let own = Usage::of(os::env::process_id()).expect("this process");
        assert!(own.resident_bytes > 0 && own.peak_bytes >= own.resident_bytes && own.switches > 0);
        assert_eq!(Usage::of(u32::MAX), None);
    }
}
