//! Where a server is, as T-SQL tools write it: `host`, `host,port`, `tcp:host,port`, `host\instance`, `lpc:.`, `(local)`.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use os::net::Endpoint;
use os::wait::WaitType;

pub const DEFAULT_PORT: u16 = 1433;
/// Where a server takes its administrator's connection when it listens on the default port.
pub const DEFAULT_ADMIN_PORT: u16 = 1434;

/// What may stand before a colon. `np:` goes over TCP as well, and so does `admin:`, to the administrator's port.
const SCHEMES: [&str; 4] = ["tcp", "lpc", "admin", "np"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Tcp,
    /// `lpc:`, SQL Server's shared memory: what `os::net` calls the local transport. The host is this machine.
    Local,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress {
    pub transport: Transport,
    pub host: String,
    pub port: u16,
    /// As the user wrote it: goes into LOGIN7 and messages.
    pub text: String,
}

impl ServerAddress {
    /// As `sqlcmd -A` does: a port is the administrator's own.
    pub fn parse_admin(text: &str) -> Result<ServerAddress, String> {
        let is_admin = text.trim().get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("admin:"));
        if is_admin { ServerAddress::parse(text) } else { ServerAddress::parse(&format!("admin:{}", text.trim())) }
    }

    /// An instance name after a backslash is accepted and not looked up: without a browser service the port decides.
    pub fn parse(text: &str) -> Result<ServerAddress, String> {
        let text = text.trim();
        let scheme =
            text.split_once(':').filter(|(scheme, _)| SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known)));
        let (scheme, rest) = scheme.unwrap_or(("", text));
        let transport = if scheme.eq_ignore_ascii_case("lpc") { Transport::Local } else { Transport::Tcp };
        let (place, port) = match rest.rsplit_once(',') {
            Some((place, port)) => {
                let port = port.trim().parse().map_err(|_| format!("'{port}' is no port, 1 to 65535 (in '{text}')"))?;
                (place, port)
            }
            None if scheme.eq_ignore_ascii_case("admin") => (rest, DEFAULT_ADMIN_PORT),
            None => (rest, DEFAULT_PORT),
        };
        let host = place.split('\\').next().unwrap_or_default().trim();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let host = match host {
            "" | "." | "(local)" => "127.0.0.1",
            _ if host.eq_ignore_ascii_case("localhost") => "127.0.0.1",
            other => other,
        };
        if transport == Transport::Local && !is_this_machine(host) {
            return Err(format!(
                "'{text}': lpc: reaches servers on this machine only; 'tcp:{rest}' goes over the network"
            ));
        }
        Ok(ServerAddress { transport, host: host.into(), port, text: text.into() })
    }

    /// Asks the system's resolver where it must; the worker is parked meanwhile.
    pub fn resolve(&self) -> Result<Vec<Endpoint>, String> {
        if self.transport == Transport::Local {
            return Ok(vec![Endpoint::Local(self.port)]);
        }
        if let Ok(address) = self.host.parse() {
            return Ok(vec![SocketAddr::new(address, self.port).into()]);
        }
        let found = os::sched::preemptive(WaitType::PREEMPTIVE_OS_GETADDRINFO, || {
            (self.host.as_str(), self.port).to_socket_addrs().map(|found| found.map(Endpoint::Tcp).collect::<Vec<_>>())
        });
        match found {
            Ok(found) if !found.is_empty() => Ok(found),
            Ok(_) => Err(format!("'{}' has no address", self.host)),
            Err(error) => Err(format!("'{}': {error}", self.host)),
        }
    }
}

/// `host`: an address or a name.
fn is_this_machine(host: &str) -> bool {
    if let Ok(address) = host.parse::<IpAddr>() {
        return address.is_loopback();
    }
    let name = os::env::host_name();
    let short = name.split('.').next().unwrap_or_default();
    [name.as_str(), short].iter().any(|mine| host.eq_ignore_ascii_case(mine))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_people_write() {
        let cases = [
            ("", "127.0.0.1", 1433),
            (".", "127.0.0.1", 1433),
            ("(local)", "127.0.0.1", 1433),
            ("localhost,14330", "127.0.0.1", 14330),
            ("tcp:db.example,1500", "db.example", 1500),
            ("lpc:.\\SQL2012", "127.0.0.1", 1433),
            ("db\\SQL2016", "db", 1433),
            ("[::1],1433", "::1", 1433),
            ("::1,1434", "::1", 1434),
            ("admin:db", "db", 1434),
            ("ADMIN:db,1500", "db", 1500),
        ];
        for (text, host, port) in cases {
            let address = ServerAddress::parse(text).expect(text);
            assert_eq!((address.host.as_str(), address.port), (host, port), "{text}");
            let is_lpc = text.starts_with("lpc:");
            assert_eq!(address.transport, if is_lpc { Transport::Local } else { Transport::Tcp }, "{text}");
        }
        assert_eq!(ServerAddress::parse_admin("db").map(|address| address.port), Ok(1434));
        assert_eq!(ServerAddress::parse_admin("admin:db,7").map(|address| address.port), Ok(7));
        assert!(ServerAddress::parse("db,port").is_err());
        assert!(ServerAddress::parse("db,70000").is_err());
    }

    #[test]
    fn lpc_reaches_this_machine_only() {
        let name = os::env::host_name();
        let short = name.split('.').next().expect("one part");
        let own =
            [".", "", "(local)", "localhost", "LOCALHOST", "127.0.0.1", "127.3.2.1", "::1", "[::1]", &name, short];
        for host in own {
            for text in [format!("lpc:{host},1500"), format!("LPC:{host}\\INSTANCE,1500")] {
                let address = ServerAddress::parse(&text).expect(&text);
                assert_eq!(address.resolve(), Ok(vec![Endpoint::Local(1500)]), "{text}");
            }
        }
        for host in ["db.example", "192.0.2.1", "2001:db8::1", "localhost.example"] {
            let error = ServerAddress::parse(&format!("lpc:{host},1500")).expect_err(host);
            assert!(error.contains("this machine only") && error.contains(&format!("tcp:{host},1500")), "{error}");
        }
        let plain = ServerAddress::parse("localhost").expect("an address").resolve();
        assert_eq!(plain, Ok(vec![Endpoint::Tcp(([127, 0, 0, 1], 1433).into())]));
    }
}
