//! Datagrams: UDP sockets, and Unix ones of the abstract names that local listeners have, whose messages tell the sender's user.
#![allow(unsafe_code)]

use super::real::{Family, Socket, check, error_of, from_raw, name_of, new_raw, set_option, to_raw};
use super::{Endpoint, NetError, NetResult};
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

/// Room for the header and the sender's credentials, aligned as the header needs it.
#[repr(C)]
union Control {
    header: libc::cmsghdr,
    bytes: [u8; 64],
}

const UCRED_BYTES: usize = size_of::<libc::ucred>();
const _: () =
    assert!(size_of::<libc::cmsghdr>() + UCRED_BYTES.next_multiple_of(8) <= size_of::<Control>(), "it has room");

fn receive_one(from: i32, bytes: &mut [u8]) -> NetResult<(usize, Sender)> {
    let mut raw = new_raw();
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    let mut control = Control { bytes: [0; 64] };
    // SAFETY: msghdr is plain data.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_name = (&raw mut raw).cast();
    message.msg_namelen = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    message.msg_control = (&raw mut control).cast();
    message.msg_controllen = size_of::<Control>();
    // SAFETY: `message` names live memory that may be written.
    let got = unsafe { libc::recvmsg(from, &mut message, libc::MSG_CMSG_CLOEXEC) };
    if got < 0 {
        return Err(error_of(errno()));
    }
    assert!(got as usize <= bytes.len(), "the system read {got} bytes into {}", bytes.len());
    // SAFETY: the header, if there is one, lies in `control`; with SCM_CREDENTIALS a ucred follows it.
    let user = unsafe {
        let header = libc::CMSG_FIRSTHDR(&message);
        let has_user = !header.is_null()
            && (*header).cmsg_level == libc::SOL_SOCKET
            && (*header).cmsg_type == libc::SCM_CREDENTIALS
            && (*header).cmsg_len >= libc::CMSG_LEN(UCRED_BYTES as u32) as usize;
        has_user.then(|| libc::CMSG_DATA(header).cast::<libc::ucred>().read_unaligned().uid)
    };
    // SAFETY: no pointers are passed.
    let own = unsafe { libc::geteuid() };
    let endpoint = from_raw(&raw, message.msg_namelen);
    Ok((got as usize, Sender { endpoint, trusted: user.is_some_and(|user| user == own || user == 0) }))
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
