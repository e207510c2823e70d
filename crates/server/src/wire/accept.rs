//! Waiting for connections at a listener, whatever is spoken on them.

use std::sync::atomic::Ordering;

use os::net::{Endpoint, Listener, NetError, Stream};
use os::wait::WaitType;

use crate::instance::server::Server;

/// Without descriptors nothing can be accepted until a connection ends; and how often the log says so.
const TOO_MANY_FILES_PAUSE_MS: u64 = 50;
const TELL_MS: u64 = 60_000;

/// Accepts until the server stops.
pub fn accept_each(server: &Server, listener: &Listener, begin: impl Fn(Stream, Endpoint)) {
    let mut tell_after = 0;
    while !server.stopping.load(Ordering::Acquire) {
        match listener.accept(None) {
            Ok((stream, peer)) => begin(stream, peer),
            Err(NetError::TooManyFiles) => {
                if os::clock::now() >= tell_after {
                    tell_after = os::clock::after_ms(TELL_MS);
                    tracing::warn!(
                        "no file descriptors are left: connections wait, and who has not logged in is dropped"
                    );
                }
                server.doors.drop_oldest();
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
