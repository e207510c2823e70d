//! Where a server is, as T-SQL tools write it: `host`, `host,port`, `tcp:host,port`, `host\instance`, `lpc:.`, `(local)`.

use std::net::{SocketAddr, ToSocketAddrs};

use os::wait::WaitType;

pub const DEFAULT_PORT: u16 = 1433;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerAddress {
    pub host: String,
    pub port: u16,
    /// As the user wrote it: goes into LOGIN7 and messages.
    pub text: String,
}

impl ServerAddress {
    /// An instance name after a backslash is accepted and not looked up: without a browser service the port decides.
    pub fn parse(text: &str) -> Result<ServerAddress, String> {
        let text = text.trim();
        let rest = text.split_once(':').map_or(text, |(scheme, rest)| {
            if ["tcp", "lpc", "admin", "np"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
                rest
            } else {
                text
            }
        });
        let (place, port) = match rest.rsplit_once(',') {
            Some((place, port)) => {
                let port = port.trim().parse().map_err(|_| format!("'{port}' is not a port number (in '{text}')"))?;
                (place, port)
            }
            None => (rest, DEFAULT_PORT),
        };
        let host = place.split('\\').next().unwrap_or_default().trim();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let host = match host {
            "" | "." | "(local)" => "127.0.0.1",
            _ if host.eq_ignore_ascii_case("localhost") => "127.0.0.1",
            other => other,
        };
        Ok(ServerAddress { host: host.into(), port, text: text.into() })
    }

    /// Asks the system's resolver; the worker is parked meanwhile.
    pub fn resolve(&self) -> Result<Vec<SocketAddr>, String> {
        if let Ok(address) = self.host.parse() {
            return Ok(vec![SocketAddr::new(address, self.port)]);
        }
        let found = os::sched::preemptive(WaitType::PREEMPTIVE_OS_GETADDRINFO, || {
            (self.host.as_str(), self.port).to_socket_addrs().map(|found| found.collect::<Vec<_>>())
        });
        match found {
            Ok(found) if !found.is_empty() => Ok(found),
            Ok(_) => Err(format!("'{}' has no address", self.host)),
            Err(error) => Err(format!("'{}': {error}", self.host)),
        }
    }
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
        ];
        for (text, host, port) in cases {
            let address = ServerAddress::parse(text).expect(text);
            assert_eq!((address.host.as_str(), address.port), (host, port), "{text}");
        }
        assert!(ServerAddress::parse("db,port").is_err());
        assert!(ServerAddress::parse("db,70000").is_err());
    }
}
