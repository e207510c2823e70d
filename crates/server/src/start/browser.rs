//! SQL Server Browser's answers (`--browser`): clients ask by UDP on which port an instance listens, so that `host\instance` is enough.
//!
//! ```text
//! client --UDP 1434--> the server that has the port --> answers for itself and for those that announce themselves to it
//! other server of this machine --local datagram each second--> the server that has the port
//! ```
//! Several servers of one machine share the port: the first has it, the others announce themselves to it, and one of them takes the
//! port when it is free. Only processes of the same user, or of root, are heard, and only in one network namespace.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use os::net::{Datagrams, Endpoint, NetError};
use os::sched::{Place, TaskKind};
use os::sync::Mutex;
use os::wait::WaitType;
use tds::resolution::{self, Instance, Question};

use crate::instance::server::Server;
use crate::settings::options;
use crate::system::server_property::PRODUCT_VERSION;

/// How often a server announces itself, and tries whether the port is free.
const ANNOUNCE_MS: u64 = 1_000;
/// An instance that announced itself longer ago is gone.
const SILENT_MS: u64 = 3 * ANNOUNCE_MS + ANNOUNCE_MS / 2;
/// Other instances that are told of; more are not listened to.
const OTHERS_MAX: usize = 128;
/// An address, a name, a version, two ports.
const ANNOUNCEMENT_BYTES_MAX: usize = 128;
/// After a socket that fails.
const PAUSE_MS: u64 = 1_000;

/// Whether the address can be used: a port that another program has is, as soon as it is free.
pub fn check(address: SocketAddr) -> Result<(), String> {
    match Datagrams::bind(address.into()) {
        Ok(_) | Err(NetError::AddressInUse) => Ok(()),
        Err(error) => Err(format!("--browser {address}: {error}")),
    }
}

/// Starts the task, in the engine that has it. `admin`: where the administrator connection is taken.
pub fn start(server: &Arc<Server>, tcp: Endpoint, admin: Option<Endpoint>) {
    let Some(address) = server.settings.browser else { return };
    let Some(tcp) = tcp.tcp() else { return };
    let own = Instance {
        server: os::env::host_name(),
        name: server.settings.instance.clone(),
        version: PRODUCT_VERSION.to_owned(),
        tcp_port: tcp.port(),
        admin_port: admin.and_then(Endpoint::tcp).map(|address| address.port()),
    };
    let browser =
        Arc::new(Browser { server: server.clone(), address, own, others: Mutex::new(WaitType::SOS_MUTEX, Vec::new()) });
    // As one who accepts: a stop interrupts its wait.
    os::sched::spawn(TaskKind::Accept, Place::Here, move || browser.serve());
}

/// An instance and when it last announced itself, on the clock of `os::clock::now_ms`.
struct Other {
    instance: Instance,
    heard_ms: u64,
}

struct Browser {
    server: Arc<Server>,
    address: SocketAddr,
    own: Instance,
    others: Mutex<Vec<Other>>,
}

impl Browser {
    fn serve(self: &Arc<Self>) {
        let (mut told, mut hears) = (false, false);
        while !self.stopping() {
            let failure = match Datagrams::bind(self.address.into()) {
                Ok(socket) => {
                    tracing::info!("SQL Server Browser's requests are answered on UDP {}", self.address);
                    told = false;
                    hears = hears || self.hear_announcements();
                    self.answer_all(&socket).err()
                }
                Err(NetError::AddressInUse) => self.announce().err(),
                Err(error) => Some(error),
            };
            if let Some(error) = failure
                && !self.stopping()
                && !std::mem::replace(&mut told, true)
            {
                match error {
                    NetError::Refused => tracing::warn!(
                        "UDP {} is another program's, which knows nothing of instance {}; it is taken when it is free",
                        self.address,
                        self.own.name
                    ),
                    error => tracing::error!("UDP {}: {error}", self.address),
                }
            }
            os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, ANNOUNCE_MS);
        }
    }

    fn stopping(&self) -> bool {
        os::sched::stopping() || self.server.stopping.load(Ordering::Acquire)
    }

    /// Tells the server that has the port of this one.
    fn announce(&self) -> Result<(), NetError> {
        let sender = Datagrams::bind(Endpoint::Local(0))?;
        sender.send(announcement(self.address, &self.own).as_bytes(), Endpoint::Local(self.address.port()))
    }

    /// Starts the task that hears other servers' announcements, from now on. False: it cannot.
    fn hear_announcements(self: &Arc<Self>) -> bool {
        let socket = match Datagrams::bind(Endpoint::Local(self.address.port())) {
            Ok(socket) => socket,
            Err(error) => {
                // A server that has the same port of another address of this machine.
                tracing::warn!("other servers of this machine cannot announce themselves here: {error}");
                return false;
            }
        };
        let browser = self.clone();
        os::sched::spawn(TaskKind::Accept, Place::Here, move || {
            let mut bytes = [0; ANNOUNCEMENT_BYTES_MAX];
            while !browser.stopping() {
                match socket.receive(&mut bytes, None) {
                    Ok((length, sender)) if sender.trusted => browser.hear(&bytes[..length]),
                    Ok(_) => {}
                    Err(_) if browser.stopping() => return,
                    Err(_) => drop(os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, PAUSE_MS)),
                }
            }
        });
        true
    }

    fn hear(&self, bytes: &[u8]) {
        let Some(instance) = announced(bytes, self.address, &self.own.server) else { return };
        let now = os::clock::now_ms();
        let mut others = self.others.lock();
        others.retain(|other| other.is_there(now) && !other.instance.name.eq_ignore_ascii_case(&instance.name));
        if others.len() < OTHERS_MAX {
            others.push(Other { instance, heard_ms: now });
        }
    }

    /// Answers until the server stops.
    fn answer_all(&self, socket: &Datagrams) -> Result<(), NetError> {
        // A byte more than the longest request: what is longer is seen to be.
        let mut bytes = [0; resolution::REQUEST_BYTES_MAX + 1];
        while !self.stopping() {
            let (length, sender) = match socket.receive(&mut bytes, None) {
                Ok(received) => received,
                // An answer reached nobody: the system tells the next call.
                Err(NetError::Refused) => continue,
                Err(error) => return Err(error),
            };
            let Some(question) = Question::decode(&bytes[..length]) else { continue };
            if let Some(answer) = self.answer(question) {
                // Who asks again gets another; nobody waits for one that cannot be reached.
                let _ = socket.send(&answer, sender.endpoint);
            }
        }
        Ok(())
    }

    /// None: there is no such instance, which is not answered.
    fn answer(&self, question: Question<'_>) -> Option<Vec<u8>> {
        let others = self.others.lock();
        let now = os::clock::now_ms();
        let there = others.iter().filter(|other| other.is_there(now)).map(|other| &other.instance);
        let mut all = std::iter::once(&self.own).chain(there);
        let mut named = |name: &[u8]| all.find(|instance| instance.name.as_bytes().eq_ignore_ascii_case(name));
        match question {
            Question::One(name) => named(name).map(|instance| resolution::response([instance])),
            Question::Admin(name) => named(name)?.admin_port.map(resolution::admin_response),
            Question::All => Some(resolution::response(all)),
        }
    }
}

impl Other {
    fn is_there(&self, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.heard_ms) < SILENT_MS
    }
}

/// `0.0.0.0:1434;NAME;16.0.4003.1;1433;1434`: where it wants to be told of, and the last 0: no administrator connection.
fn announcement(place: SocketAddr, instance: &Instance) -> String {
    let Instance { name, version, tcp_port, admin_port, .. } = instance;
    format!("{place};{name};{version};{tcp_port};{}", admin_port.unwrap_or(0))
}

/// None: nothing that a server of this kind sends, or meant for another address of the machine.
fn announced(bytes: &[u8], place: SocketAddr, server: &str) -> Option<Instance> {
    let mut parts = str::from_utf8(bytes).ok()?.split(';');
    parts.next().filter(|told| *told == place.to_string())?;
    let name = options::parse_instance(parts.next()?).ok()?;
    let version = parts.next().filter(|version| version.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()))?;
    let tcp_port = parts.next()?.parse().ok()?;
    let admin_port: u16 = parts.next()?.parse().ok()?;
    let admin_port = (admin_port != 0).then_some(admin_port);
    Some(Instance { server: server.to_owned(), name, version: version.to_owned(), tcp_port, admin_port })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_read_as_they_are_written() {
        let instance = Instance {
            server: "LOOM".into(),
            name: "SALES".into(),
            version: "16.0.4003.1".into(),
            tcp_port: 1433,
            admin_port: None,
        };
        let place = SocketAddr::from(([127, 0, 0, 1], 1434));
        let text = announcement(place, &instance);
        assert!(text.len() <= ANNOUNCEMENT_BYTES_MAX);
        assert_eq!(announced(text.as_bytes(), place, "LOOM"), Some(instance));
        assert_eq!(announced(text.as_bytes(), SocketAddr::from(([127, 0, 0, 2], 1434)), "LOOM"), None);
        for wrong in ["", "SALES", "SALES;16.0", "SALES;16.0;x;0", "SA;LES;16.0;1;0", "a b;16.0;1;0", "SALES;x;1;0"] {
            assert_eq!(announced(format!("{place};{wrong}").as_bytes(), place, "LOOM"), None, "{wrong}");
        }
        assert_eq!(announced(&[0xFF; 4], place, "LOOM"), None);
    }
}
