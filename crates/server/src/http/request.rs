//! The head of an HTTP/1.1 request: read within its bound, judged once.

use std::io::{self, Read};
use std::net::{Ipv4Addr, Ipv6Addr};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Bytes and fields that the head of a request may have.
const HEAD_BYTES_MAX: usize = 8 << 10;
const FIELDS_MAX: usize = 64;

/// A request that may be answered.
#[derive(Debug, PartialEq)]
pub struct Request {
    /// HEAD: as GET, without the body.
    pub head_only: bool,
    /// Begins with a slash; what follows a question mark is left out.
    pub path: String,
    /// Name and password.
    pub login: Option<(String, String)>,
}

/// Why a request is not answered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refusal {
    Malformed,
    Method,
    TooSlow,
    /// The host asked for is neither an IP address nor localhost.
    Host,
    TooLarge,
}

/// By which names this server may be asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Hosts {
    /// What nobody's name server can point elsewhere: for those who need no login.
    Addresses,
    All,
}

/// Reads a head. None: the client sends nothing.
pub fn read(wire: &mut impl Read, hosts: Hosts) -> io::Result<Option<Result<Request, Refusal>>> {
    let mut head = vec![0; HEAD_BYTES_MAX];
    let mut length = 0;
    while length < HEAD_BYTES_MAX {
        let count = wire.read(&mut head[length..])?;
        if count == 0 {
            return Ok((length > 0).then_some(Err(Refusal::Malformed)));
        }
        length += count;
        if let Some(judged) = parse(&head[..length], hosts) {
            return Ok(Some(judged));
        }
    }
    Ok(Some(Err(Refusal::TooLarge)))
}

/// None: more is to come.
fn parse(head: &[u8], hosts: Hosts) -> Option<Result<Request, Refusal>> {
    let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
    let mut parsed = httparse::Request::new(&mut fields);
    match parsed.parse(head) {
        Ok(httparse::Status::Complete(_)) => Some(judge(&parsed, hosts)),
        Ok(httparse::Status::Partial) => None,
        Err(httparse::Error::TooManyHeaders) => Some(Err(Refusal::TooLarge)),
        Err(_) => Some(Err(Refusal::Malformed)),
    }
}

fn judge(parsed: &httparse::Request<'_, '_>, hosts: Hosts) -> Result<Request, Refusal> {
    let field = |name: &str| {
        let mut values = parsed.headers.iter().filter(|field| field.name.eq_ignore_ascii_case(name));
        match (values.next(), values.next()) {
            (Some(field), None) => std::str::from_utf8(field.value).map(Some).map_err(|_| Refusal::Malformed),
            (None, _) => Ok(None),
            (Some(_), Some(_)) => Err(Refusal::Malformed),
        }
    };
    let host = field("Host")?.ok_or(Refusal::Malformed)?;
    if hosts == Hosts::Addresses && !names_no_one(host) {
        return Err(Refusal::Host);
    }
    let head_only = match parsed.method {
        Some("GET") => false,
        Some("HEAD") => true,
        _ => return Err(Refusal::Method),
    };
    let target = parsed.path.filter(|target| target.starts_with('/')).ok_or(Refusal::Malformed)?;
    let path = target.split('?').next().unwrap_or(target).to_owned();
    Ok(Request { head_only, path, login: field("Authorization")?.and_then(basic) })
}

/// Whether `host`, as a Host field has it, is an IP address or localhost: what no one's name server can point elsewhere.
fn names_no_one(host: &str) -> bool {
    let is_port = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let name = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => name.eq_ignore_ascii_case("localhost") || name.parse::<Ipv4Addr>().is_ok(),
    }
}

/// Name and password of an Authorization field, RFC 7617. None: it is of another kind, or broken.
fn basic(value: &str) -> Option<(String, String)> {
    let (scheme, coded) = value.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("Basic") {
        return None;
    }
    let text = String::from_utf8(STANDARD.decode(coded.trim()).ok()?).ok()?;
    let (name, password) = text.split_once(':')?;
    Some((name.to_owned(), password.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(head: &str) -> Option<Result<Request, Refusal>> {
        parse(head.as_bytes(), Hosts::Addresses)
    }

    fn refused(head: &str) -> Refusal {
        judged(head).expect("whole").expect_err("refused")
    }

    #[test]
    fn a_request_is_a_path_and_a_login() {
        let head = "GET /metrics?a=b HTTP/1.1\r\nhost: 127.0.0.1:8080\r\nAuthorization: basic c2E6YTpi\r\n\r\n";
        let login = Some(("sa".to_owned(), "a:b".to_owned()));
        assert_eq!(judged(head), Some(Ok(Request { head_only: false, path: "/metrics".into(), login })));
        let head = "HEAD / HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n";
        assert_eq!(judged(head), Some(Ok(Request { head_only: true, path: "/".into(), login: None })));
        for length in 0..head.len() {
            assert_eq!(judged(&head[..length]), None, "{length} bytes are no request yet");
        }
    }

    #[test]
    fn what_is_not_one_is_refused() {
        assert_eq!(refused("POST / HTTP/1.1\r\nHost: [::1]\r\n\r\n"), Refusal::Method);
        assert_eq!(refused("GET / HTTP/1.1\r\n\r\n"), Refusal::Malformed);
        assert_eq!(refused("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n"), Refusal::Malformed);
        assert_eq!(refused("GET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), Refusal::Malformed);
        assert_eq!(refused("GET /\r\n"), Refusal::Malformed);
        assert_eq!(refused("\u{12}\u{1}\0\u{2f}"), Refusal::Malformed);
        let many = "A: b\r\n".repeat(FIELDS_MAX);
        assert_eq!(refused(&format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n")), Refusal::TooLarge);
        let long = format!("GET /{} HTTP/1.1\r\n", "a".repeat(HEAD_BYTES_MAX));
        assert_eq!(read(&mut long.as_bytes(), Hosts::Addresses).expect("read"), Some(Err(Refusal::TooLarge)));
        assert_eq!(read(&mut "".as_bytes(), Hosts::Addresses).expect("read"), None);
        assert_eq!(read(&mut "GET".as_bytes(), Hosts::Addresses).expect("read"), Some(Err(Refusal::Malformed)));
    }

    #[test]
    fn a_host_is_an_address_or_localhost() {
        for host in
            ["127.0.0.1", "192.0.2.7:80", "[::1]", "[2001:db8::1]:8080", "localhost", "LOCALHOST:9", "127.0.0.1:"]
        {
            assert!(names_no_one(host), "{host}");
        }
        for host in [
            "",
            "db.example",
            "localhost.example:80",
            "127.0.0.1.example",
            "::1",
            "[::1",
            "127.1",
            "[localhost]",
            "a@127.0.0.1",
        ] {
            assert!(!names_no_one(host), "{host}");
        }
    }

    #[test]
    fn a_login_is_a_name_and_a_password_or_none() {
        for (value, name, password) in
            [("Basic c2E6", "sa", ""), ("BASIC  OmE= ", "", "a"), ("basic c8OkOsOpOn4/", "sä", "é:~?")]
        {
            assert_eq!(basic(value), Some((name.into(), password.into())), "{value}");
        }
        // Of another scheme; without a colon; not UTF-8; not base64, or cut.
        for value in [
            "Bearer c2E6",
            "Basic c2E=",
            "Basic /zpi",
            "Basic c2E",
            "Basic c2E6!===",
            "Basic c2 6",
            "Basic c2-_",
            "Basic",
        ] {
            assert_eq!(basic(value), None, "{value}");
        }
    }
}
