//! Requests that take longer than they may, and sessions that ask for nothing: looked for some times a second, where there is a limit.
//!
//! A request that has expired ends as by an attention, and its client hears 10961; one that does not even hear that, because its client
//! takes nothing in, loses its connection. Sessions that rest too long end as by KILL. The administrator's connection has no limits: it
//! is there to mend what others do.

use std::sync::atomic::Ordering;

use crate::catalog::workload::setting;
use crate::instance::server::Server;
use crate::instance::sessions::SessionEntry;
use crate::settings::config::option;

/// From the limit to the end of the connection, for what has not ended by then.
const GRACE_S: u64 = 30;

/// The trace flag by which REQUEST_MAX_CPU_TIME_SEC stops requests.
const STOPS_AT_CPU_LIMIT: i32 = 2422;

const NS: u64 = 1_000_000_000;
/// From a KILL to the end of the connection, for a request that does not get to tell its client of it before.
const TELLS_NS: u64 = NS / 10;
/// Of `clock::utc_ticks`.
const TICKS: i64 = 10_000_000;

/// Sessions that were killed and have not ended in time lose their connection: their client takes nothing in, or they have much to roll back.
pub fn cut_killed(server: &Server) {
    server.sessions.all().iter().filter(|session| session.killed_for(TELLS_NS)).for_each(|session| session.cut());
}

/// Looks at the sessions of this engine.
pub fn look(server: &Server) {
    let running = |option| server.catalog.configuration.running(option) as u32;
    let (request_s, idle_s) = (running(option::REQUEST_TIME_LIMIT), running(option::IDLE_SESSION_LIMIT));
    let bounds_cpu = server.catalog.workload_groups().bounds_cpu();
    if request_s == 0 && idle_s == 0 && !bounds_cpu {
        return;
    }
    for session in server.sessions.all().iter().filter(|session| !session.identity.admin) {
        if request_s > 0 {
            expire(session, request_s);
        }
        if bounds_cpu {
            bound_cpu(server, session);
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
        session.cut();
    } else if elapsed_ns > limit_ns {
        session.expire(limit_s, false);
    }
}

/// "By default, Resource Governor doesn't prevent a request from continuing if the maximum time is exceeded. However, an event is generated."
/// With trace flag 2422 it is stopped.
/// https://learn.microsoft.com/sql/t-sql/statements/create-workload-group-transact-sql
fn bound_cpu(server: &Server, session: &SessionEntry) {
    let groups = server.catalog.workload_groups();
    let group = session.group.load(Ordering::Relaxed);
    let limit_s = groups.setting(group, setting::CPU_TIME) as u32;
    let Some((cpu_ns, ..)) = session.work_of_request().filter(|_| limit_s > 0) else { return };
    if cpu_ns <= u64::from(limit_s) * NS {
        return;
    }
    let request = session.requests.load(Ordering::Relaxed);
    if session.cpu_told.swap(request, Ordering::Relaxed) != request {
        groups.count_violation(group);
        tracing::warn!(
            spid = session.spid,
            "a request of login '{}' has taken {} ms of CPU time; its workload group {group} allows {limit_s} s",
            session.identity.login_name,
            cpu_ns / 1_000_000
        );
    }
    if server.trace_flags.is_on(STOPS_AT_CPU_LIMIT) {
        session.expire(limit_s, true);
    }
}

fn idles(session: &SessionEntry, limit_s: u32) -> bool {
    let rests = session.request_started_ns.load(Ordering::Relaxed) == 0;
    let since = session.last_request_end.load(Ordering::Relaxed);
    rests && os::clock::utc_ticks() as i64 - since > i64::from(limit_s) * TICKS
}
