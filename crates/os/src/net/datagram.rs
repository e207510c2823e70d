//! Datagrams: UDP sockets, and Unix ones of the abstract names that local listeners have, whose messages tell the sender's user.
#![allow(unsafe_code)]

use super::real::{Family, Socket, check, error_of, from_raw, name_of, new_raw, set_option, to_raw};
use super::{Endpoint, NetError, NetResult, beside};
use crate::kernel::poller::READABLE;
use crate::sys::errno;
use crate::wait::WaitType;

/// Who sent a datagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sender {
    pub endpoint: Endpoint,
    /// A process of this process's user, or of root; false for all that comes by UDP.
    pub trusted: bool,
}

/// A socket of datagrams. A simulated machine has none.
pub struct Datagrams {
    socket: Socket,
    address: Endpoint,
}

impl Datagrams {
    /// UDP port 0: any free one. `Endpoint::Local(0)`: a sender without a name.
    pub fn bind(endpoint: Endpoint) -> NetResult<Datagrams> {
        if crate::simcore::active() {
            return Err(NetError::Unsupported);
        }
        let family = Family::of(endpoint);
        let domain = match family {
            Family::V4 => libc::AF_INET,
            Family::V6 => libc::AF_INET6,
            Family::Local => libc::AF_UNIX,
        };
        // SAFETY: no pointers are passed.
        let fd = unsafe { libc::socket(domain, libc::SOCK_DGRAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC, 0) };
        if fd < 0 {
            return Err(error_of(errno()));
        }
        let socket = Socket::new(fd, family, false);
        if family == Family::Local {
            set_option(fd, libc::SOL_SOCKET, libc::SO_PASSCRED, 1);
        }
        if endpoint != Endpoint::Local(0) {
            let (raw, length) = to_raw(endpoint);
            // SAFETY: `raw` is a live socket address of `length` bytes.
            check(unsafe { libc::bind(fd, (&raw const raw).cast(), length) })?;
        }
        let address = name_of(fd, libc::getsockname)?;
        Ok(Datagrams { socket, address })
    }

    pub fn local_addr(&self) -> Endpoint {
        self.address
    }

    /// Waits for a datagram; what of it `bytes` does not hold is lost.
    pub fn receive(&self, bytes: &mut [u8], deadline: Option<u64>) -> NetResult<(usize, Sender)> {
        loop {
            self.socket.forget(READABLE);
            match receive_one(self.socket.fd(), bytes) {
                Err(NetError::Io(libc::EAGAIN)) => self.socket.wait(READABLE, WaitType::NETWORK_READ, deadline)?,
                other => {
                    // There may be more, for which no new edge comes.
                    self.socket.remember(READABLE);
                    return other;
                }
            }
        }
    }

    /// Does not wait: what the system has no room for is lost, as a datagram may be. `Refused`: nobody has that local name.
    pub fn send(&self, bytes: &[u8], to: Endpoint) -> NetResult<()> {
        let (raw, length) = to_raw(to);
        // SAFETY: reads `bytes`, and a live socket address of `length` bytes.
        let sent = unsafe {
            libc::sendto(
                self.socket.fd(),
                bytes.as_ptr().cast(),
                bytes.len(),
                libc::MSG_NOSIGNAL,
                (&raw const raw).cast(),
                length,
            )
        };
        match sent {
            -1 if matches!(errno(), libc::EAGAIN | libc::ENOBUFS) => Ok(()),
            -1 => Err(error_of(errno())),
            _ => Ok(()),
        }
    }
}

fn receive_one(from: i32, bytes: &mut [u8]) -> NetResult<(usize, Sender)> {
    let mut raw = new_raw();
    let received = beside::receive::<libc::ucred>(from, bytes, Some(&mut raw))?;
    let user = received.beside.map(|process| process.uid);
    // SAFETY: no pointers are passed.
    let own = unsafe { libc::geteuid() };
    let endpoint = from_raw(&raw, received.name_length);
    Ok((received.length, Sender { endpoint, trusted: user.is_some_and(|user| user == own || user == 0) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;
    use std::net::SocketAddr;

    #[test]
    fn datagrams_come_with_their_sender() {
        let any = || Datagrams::bind(SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
        let (one, other) = (any(), any());
        let soon = || Some(clock::after_ms(10_000));
        one.send(b"hello", other.local_addr()).unwrap();
        let mut bytes = [0; 16];
        let (length, sender) = other.receive(&mut bytes, soon()).unwrap();
        assert_eq!(&bytes[..length], b"hello");
        assert_eq!(sender, Sender { endpoint: one.local_addr(), trusted: false });
        assert_eq!(other.receive(&mut bytes, Some(clock::after_ms(5))), Err(NetError::Timeout));
        assert!(matches!(Datagrams::bind(one.local_addr()), Err(NetError::AddressInUse)));

        let number = one.local_addr().tcp().expect("UDP").port();
        let sender = Datagrams::bind(Endpoint::Local(0)).unwrap();
        assert_eq!(sender.send(b"x", Endpoint::Local(number)), Err(NetError::Refused));
        let local = Datagrams::bind(Endpoint::Local(number)).unwrap();
        sender.send(b"own", Endpoint::Local(number)).unwrap();
        let (length, from) = local.receive(&mut bytes, soon()).unwrap();
        assert_eq!((&bytes[..length], from.trusted), (&b"own"[..], true));
    }
}
