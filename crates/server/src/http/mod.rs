//! The live page: what perfmon shows of SQL Server, by HTTP, read-only. Off unless `--http` names an address.
//!
//! ```text
//! socket [TLS] -> request (head: method, path, host, login) -> /                    page/*, embedded
//!                                                              /metrics             metrics: Prometheus' text format
//!                                                              /sessions            activity: JSON
//!                                                              /health              200: logins are accepted
//! ```
//! A connection is one task on the administrator's scheduler, which no user keeps busy: a server whose schedulers are all stuck can
//! still be looked at, and whoever looks takes no turn from those who work. It carries one request; connections, bytes and time have
//! a bound, so that one who sends nothing, or nonsense, holds nothing for long, and gives way to who comes later.

mod activity;
mod metrics;
mod request;

use std::io::{self, ErrorKind, Read, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use os::net::{Endpoint, Listener, NetError, Stream};
use os::sched::{Place, TaskKind};

use self::request::{Hosts, Refusal, Request};
use crate::instance::doors::Doors;
use crate::instance::logins::{Attempt, Outcome};
use crate::instance::server::Server;
use crate::security::guessing::Turn;
use crate::wire::accept::accept_each;

/// Of all addresses, and half as many of one; beyond that the oldest is closed.
const CONNECTIONS_MAX: usize = 32;

/// From accept to the last byte of the answer.
const EXCHANGE_TIME_MAX_MS: u64 = 10_000;

/// What a client sent beyond its head is taken so far before the connection closes: otherwise it may lose the answer.
const LEFT_OVER_BYTES_MAX: usize = 64 << 10;

const HTML: &str = "text/html; charset=utf-8";
const TEXT: &str = "text/plain; charset=utf-8";

/// Answers until the server stops. A listener of other than a loopback address speaks TLS and asks for a login.
pub fn accept(server: &Arc<Server>, listener: &Listener) {
    let secured = listener.local_addr().tcp().is_none_or(|address| !address.ip().is_loopback());
    let doors = Doors::of(CONNECTIONS_MAX, usize::MAX);
    accept_each(server, listener, |stream, peer| {
        let door = doors.enter(&stream, 0);
        let server = server.clone();
        // As one who accepts: a stop interrupts its waits.
        os::sched::spawn(TaskKind::Accept, Place::Here, move || {
            if let Err(error) = serve(&server, &stream, secured, peer) {
                tracing::debug!("live page, {peer}: {error}");
            }
            drop(door);
        });
    });
}

/// A connection's bytes, until its time is over.
struct Wire<'a> {
    stream: &'a Stream,
    deadline: u64,
}

impl Read for Wire<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.read(bytes, Some(self.deadline)).map_err(io_error)
    }
}

impl Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write_all(bytes, Some(self.deadline)).map_err(io_error)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn io_error(error: NetError) -> io::Error {
    let kind = if error == NetError::Timeout { ErrorKind::TimedOut } else { ErrorKind::ConnectionAborted };
    io::Error::new(kind, error)
}

fn serve(server: &Arc<Server>, stream: &Stream, secured: bool, peer: Endpoint) -> io::Result<()> {
    let mut wire = Wire { stream, deadline: os::clock::after_ms(EXCHANGE_TIME_MAX_MS) };
    if secured {
        let mut tls = server.tls.http();
        exchange(&mut rustls::Stream::new(&mut tls, &mut wire), Hosts::All, |request| {
            if may_look(server, request, peer) { respond(server, request) } else { Response::unauthorized() }
        })?;
        tls.send_close_notify();
        tls.write_tls(&mut wire)?;
    } else {
        exchange(&mut wire, Hosts::Addresses, |request| respond(server, request))?;
    }
    let mut rest = [0; 4096];
    for _ in 0..LEFT_OVER_BYTES_MAX / rest.len() {
        if !stream.try_read(&mut rest).is_ok_and(|got| got.is_some_and(|count| count > 0)) {
            break;
        }
    }
    Ok(())
}

/// One request and its response.
fn exchange(
    wire: &mut (impl Read + Write),
    hosts: Hosts,
    respond: impl FnOnce(&Request) -> Response,
) -> io::Result<()> {
    let (response, head_only) = match request::read(wire, hosts) {
        Ok(Some(Ok(request))) => (respond(&request), request.head_only),
        Ok(Some(Err(refusal))) => (Response::refusal(refusal), false),
        // It went away without a word.
        Ok(None) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::TimedOut => (Response::refusal(Refusal::TooSlow), false),
        Err(error) => return Err(error),
    };
    wire.write_all(&response.to_bytes(head_only))?;
    wire.flush()
}

/// The same check as a login by TDS, with what a wrong password costs there.
fn may_look(server: &Server, request: &Request, peer: Endpoint) -> bool {
    let Some((name, password)) = &request.login else { return false };
    let address = peer.tcp().map_or_else(|| peer.to_string(), |address| address.ip().to_string());
    let attempt = Attempt { name, password, address: &address, changes_password: false };
    let outcome = server.turn_of(&attempt).and_then(|turn| match turn {
        Turn::Now => server.authenticate(&attempt),
        // A browser asks again.
        Turn::At(_) | Turn::Never(_) => Ok(Outcome::Later),
    });
    match outcome {
        Ok(Outcome::In(_)) => return true,
        Ok(Outcome::Refused(_)) => {}
        Ok(Outcome::Later | Outcome::Gone) => tracing::warn!("live page: an attempt from {address} came too early"),
        Err(error) => tracing::warn!("live page: login failed: {}", error.text),
    }
    false
}

fn respond(server: &Arc<Server>, request: &Request) -> Response {
    let computed = |kind, text: types::SqlResult<String>| match text {
        Ok(text) => Response::ok(kind, text),
        Err(error) => Response::new("500 Internal Server Error", TEXT, format!("{}\n", error.text)),
    };
    match request.path.as_str() {
        "/" => Response::ok(HTML, include_str!("page/index.html")),
        "/page.css" => Response::ok("text/css; charset=utf-8", include_str!("page/page.css")),
        "/page.js" => Response::ok("text/javascript; charset=utf-8", include_str!("page/page.js")),
        "/metrics" => computed("text/plain; version=0.0.4; charset=utf-8", metrics::text(server)),
        "/sessions" => computed("application/json", activity::json(server)),
        "/health" if accepts_logins(server) => Response::ok(TEXT, "logins are accepted\n"),
        "/health" => Response::new("503 Service Unavailable", TEXT, "no logins are accepted\n"),
        _ => Response::new("404 Not Found", TEXT, "there are /, /metrics, /sessions and /health\n"),
    }
}

fn accepts_logins(server: &Server) -> bool {
    let engines = server.engines.count();
    let serves = engines == 0 || (1..=engines).any(|engine| server.engines.serves(engine));
    serves && !server.stopping.load(Ordering::Acquire)
}

struct Response {
    status: &'static str,
    content_type: &'static str,
    /// A line of its own among the header's.
    field: &'static str,
    body: String,
}

impl Response {
    fn new(status: &'static str, content_type: &'static str, body: impl Into<String>) -> Response {
        Response { status, content_type, field: "", body: body.into() }
    }

    fn ok(content_type: &'static str, body: impl Into<String>) -> Response {
        Response::new("200 OK", content_type, body)
    }

    fn unauthorized() -> Response {
        let field = "WWW-Authenticate: Basic realm=\"heddle\", charset=\"UTF-8\"\r\n";
        Response { field, ..Response::new("401 Unauthorized", TEXT, "a login of this server is needed\n") }
    }

    fn refusal(refusal: Refusal) -> Response {
        let (status, text, field) = match refusal {
            Refusal::Malformed => ("400 Bad Request", "not a request of HTTP/1.1\n", ""),
            Refusal::Method => ("405 Method Not Allowed", "GET and HEAD\n", "Allow: GET, HEAD\r\n"),
            Refusal::TooSlow => ("408 Request Timeout", "the request did not come in time\n", ""),
            // A name may be pointed here by whoever owns it, and so may his page in a browser that can reach this server.
            Refusal::Host => ("421 Misdirected Request", "ask for this server by its IP address or as localhost\n", ""),
            Refusal::TooLarge => ("431 Request Header Fields Too Large", "the head of the request is too large\n", ""),
        };
        Response { field, ..Response::new(status, TEXT, text) }
    }

    fn to_bytes(&self, head_only: bool) -> Vec<u8> {
        let Response { status, content_type, field, body } = self;
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\n\
             Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n{field}\r\n",
            body.len()
        );
        let body = if head_only { "" } else { body };
        [head.as_bytes(), body.as_bytes()].concat()
    }
}
