//! Waiting for connections at a listener, whatever is spoken on them.

use std::sync::atomic::Ordering;

use os::net::{Endpoint, Listener, NetError, Stream};
use os::wait::WaitType;

use crate::instance::server::Server;

/// Without descriptors nothing can be accepted until a connection ends.
const TOO_MANY_FILES_PAUSE_MS: u64 = 50;

/// Accepts until the server stops.
pub fn accept_each(server: &Server, listener: &Listener, begin: impl Fn(Stream, Endpoint)) {
    while !server.stopping.load(Ordering::Acquire) {
        match listener.accept(None) {
            Ok((stream, peer)) => begin(stream, peer),
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
