//! Accepting connections.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use os::net::{Listener, NetError, Place, Ready};
use os::wait::WaitType;

use crate::login::LOGIN_TIME_MAX_MS;
use crate::server::Server;
use crate::session;

/// Without descriptors nothing can be accepted until a connection ends.
const TOO_MANY_FILES_PAUSE_MS: u64 = 50;

/// Accepts until the server stops. Each connection starts, when its first bytes come, as a task on the scheduler with the fewest.
pub fn accept_all(server: &Arc<Server>, listener: &Listener) {
    while !server.stopping.load(Ordering::Acquire) {
        match listener.accept(None) {
            Ok((stream, _)) => {
                let server = server.clone();
                let deadline = os::clock::after_ms(LOGIN_TIME_MAX_MS);
                // A client that says nothing costs a socket, no worker.
                stream.arm(Place::LeastLoaded, Some(deadline), move |stream, ready| {
                    if ready == Ready::Input {
                        session::accept(&server, stream);
                    }
                });
            }
            Err(NetError::TooManyFiles) => {
                tracing::warn!("no file descriptors are left: connections wait");
                os::wait::sleep(WaitType::SLEEP_SYSTEMTASK, TOO_MANY_FILES_PAUSE_MS);
            }
            Err(error) => {
                if !server.stopping.load(Ordering::Acquire) {
                    tracing::error!("cannot accept connections on {} any more: {error}", listener.local_addr());
                }
                return;
            }
        }
    }
}
