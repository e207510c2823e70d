//! Requests that take longer than they may, and sessions that ask for nothing: looked for some times a second, where there is a limit.
//!
//! A request that has expired ends as by an attention, and its client hears 10961; one that does not even hear that, because its client
//! takes nothing in, loses its connection. Sessions that rest too long end as by KILL. The administrator's connection has no limits: it
//! is there to mend what others do.

use std::sync::atomic::Ordering;

use crate::instance::server::Server;
use crate::instance::sessions::SessionEntry;
use crate::settings::config::option;

/// From the limit to the end of the connection, for what has not ended by then.
const GRACE_S: u64 = 30;

const NS: u64 = 1_000_000_000;
/// Of `clock::utc_ticks`.
const TICKS: i64 = 10_000_000;

/// Looks at the sessions of this engine.
pub fn look(server: &Server) {
    let running = |option| server.catalog.configuration.running(option) as u32;
    let (request_s, idle_s) = (running(option::REQUEST_TIME_LIMIT), running(option::IDLE_SESSION_LIMIT));
    if request_s == 0 && idle_s == 0 {
        return;
    }
    for session in server.sessions.all().iter().filter(|session| !session.identity.admin) {
        if request_s > 0 {
            expire(session, request_s);
        }
        if idle_s > 0 && idles(session, idle_s) {
            tracing::warn!(
                spid = session.spid,
                "the session of login '{}' has asked for nothing for {idle_s} s, the idle session limit: it ends",
                session.identity.login_name
            );
            session.kill();
        }
    }
}

fn expire(session: &SessionEntry, limit_s: u32) {
    let (elapsed_ns, limit_ns) = (session.request_elapsed_ns(), u64::from(limit_s) * NS);
    if elapsed_ns > limit_ns + GRACE_S * NS {
        session.kill();
    } else if elapsed_ns > limit_ns {
        session.expire(limit_s);
    }
}

fn idles(session: &SessionEntry, limit_s: u32) -> bool {
    let rests = session.request_started_ns.load(Ordering::Relaxed) == 0;
    let since = session.last_request_end.load(Ordering::Relaxed);
    rests && os::clock::utc_ticks() as i64 - since > i64::from(limit_s) * TICKS
}
