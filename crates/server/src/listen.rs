//! Accepting connections.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use os::net::{Listener, NetError};
use os::sched::{Place, TaskKind};
use os::wait::WaitType;

use crate::server::Server;
use crate::session;

/// Without descriptors nothing can be accepted until a connection ends.
const TOO_MANY_FILES_PAUSE_MS: u64 = 50;

/// Accepts until the server stops. Each connection starts as a task on the scheduler with the fewest.
pub fn accept_all(server: &Arc<Server>, listener: &Listener) {
    while !server.stopping.load(Ordering::Acquire) {
        match listener.accept(None) {
            Ok((stream, _)) => {
                let server = server.clone();
                os::sched::spawn(TaskKind::Request, Place::LeastLoaded, move || session::accept(&server, stream));
            }
            Err(NetError::TooManyFiles) => {
                tracing::warn!("no file descriptors are left: connections wait");
                os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, TOO_MANY_FILES_PAUSE_MS);
            }
            Err(error) => {
                if !server.stopping.load(Ordering::Acquire) {
                    tracing::error!("cannot accept connections any more: {error}");
                }
                return;
            }
        }
    }
}
