//! Accepting connections. Engines that are processes listen together; whoever accepts gives the connection to the one that has
//! the fewest, so that all serve as many clients.

use std::sync::Arc;

use os::net::{Listener, Stream};

use crate::instance::server::Server;
use crate::request::entrance;
use crate::settings::config::option;
use crate::wire::accept::accept_each;
use crate::wire::connection::Origin;

/// Accepts until the server stops.
pub fn accept_all(server: &Arc<Server>, listener: &Listener) {
    accept_each(server, listener, |stream, _| match server.engines.count() {
        0 => entrance::arrive(server, stream, Origin::Server(None)),
        _ => assign(server, stream),
    });
}

/// As `accept_all`, by a worker of the administrator's scheduler: for the connection that is served when all others are busy.
pub fn accept_admin(server: &Arc<Server>, listener: &Listener) {
    accept_each(server, listener, |stream, peer| {
        let remote = peer.tcp().is_some_and(|address| !address.ip().is_loopback());
        if remote && server.catalog.configuration.running(option::REMOTE_ADMIN_CONNECTIONS) == 0 {
            return tracing::warn!("dedicated admin connection from {peer}: 'remote admin connections' is 0");
        }
        entrance::arrive(server, stream, Origin::Admin);
    });
}

/// Gives the connection to the engine that has the fewest.
fn assign(server: &Arc<Server>, stream: Stream) {
    let (engine, counted) = server.engines.choose();
    if engine == os::engines::number() {
        entrance::arrive(server, stream, Origin::Server(Some(Box::new(counted))));
    } else if let Err(error) = server.engines.hand_over(counted, stream) {
        tracing::warn!("a connection could not be given to engine {engine}: {error}");
    }
}
