//! Mail between the engines of one server: messages of bytes, a connection with them if need be. The boxes are made before
//! the engines are forked; each engine reads its own. What lies in the box of an engine that dies waits for the next one.
#![allow(unsafe_code)]

use super::beside::{self, Beside, Control, Descriptor};
use super::real::{Family, RealStream, Socket, error_of, name_of, set_option};
use super::{NetError, NetResult, Stream};
use crate::clock;
use crate::engines::ENGINES_MAX;
use crate::kernel::poller::READABLE;
use crate::sys::errno;
use crate::wait::{self, WaitType};

/// A longer message is cut into several by its sender.
pub const MESSAGE_BYTES_MAX: usize = 32 << 10;

/// What a box holds of messages that were not read yet; the system has a limit of its own (net.core.wmem_max).
const BOX_BYTES: i32 = 1 << 20;

/// Between two tries to get a message into a full box, which has no way to tell that there is room.
const BOX_FULL_PAUSE_MS: u64 = 1;

/// Both ends are open in every engine, so that a box outlives its engine.
struct Mailbox {
    inlet: Socket,
    outlet: Socket,
}

pub struct Mail {
    /// By engine number less one.
    boxes: Vec<Mailbox>,
}

impl Mail {
    pub fn new(engines: u32) -> NetResult<Mail> {
        assert!(engines as usize <= ENGINES_MAX, "boxes for {engines} engines");
        let boxes = (0..engines).map(|_| Mailbox::new()).collect::<NetResult<_>>()?;
        Ok(Mail { boxes })
    }

    /// Puts a message of at most `MESSAGE_BYTES_MAX` bytes into the box of `engine`, with the connection, which then is no more this
    /// process's. `Timeout`: the box stayed full.
    pub fn send(&self, engine: u32, bytes: &[u8], connection: Option<Stream>, deadline: u64) -> NetResult<()> {
        assert!((1..=MESSAGE_BYTES_MAX).contains(&bytes.len()), "a message of {} bytes", bytes.len());
        let fd = match &connection {
            None => None,
            Some(Stream::Real(stream)) => Some(stream.fd()),
            Some(Stream::Sim(_)) => return Err(NetError::Unsupported),
        };
        let to = self.box_of(engine).inlet.fd();
        loop {
            match send_one(to, bytes, fd) {
                Err(NetError::Io(libc::EAGAIN)) if clock::now() >= deadline => return Err(NetError::Timeout),
                Err(NetError::Io(libc::EAGAIN)) => drop(wait::sleep(WaitType::SLEEP_SYSTEMTASK, BOX_FULL_PAUSE_MS)),
                other => return other,
            }
        }
    }

    /// The next message for `engine`, which is this one; `bytes` becomes the message.
    pub fn receive(&self, engine: u32, bytes: &mut Vec<u8>) -> NetResult<Option<Stream>> {
        let socket = &self.box_of(engine).outlet;
        loop {
            socket.forget(READABLE);
            match receive_one(socket.fd(), bytes) {
                Err(NetError::Io(libc::EAGAIN)) => socket.wait(READABLE, WaitType::DISPATCHER_QUEUE_SEMAPHORE, None)?,
                Ok(connection) => {
                    // There may be more in the box, for which no new edge comes.
                    socket.remember(READABLE);
                    return connection.map(adopt).transpose();
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Mail {
    fn box_of(&self, engine: u32) -> &Mailbox {
        assert!((1..=self.boxes.len()).contains(&(engine as usize)), "engine {engine} of {}", self.boxes.len());
        &self.boxes[engine as usize - 1]
    }
}

impl Mailbox {
    fn new() -> NetResult<Mailbox> {
        let mut ends = [0; 2];
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // SAFETY: room for two descriptors.
        if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr()) } != 0 {
            return Err(error_of(errno()));
        }
        set_option(ends[0], libc::SOL_SOCKET, libc::SO_SNDBUF, BOX_BYTES);
        let [inlet, outlet] = ends.map(|fd| Socket::new(fd, Family::Local, false));
        Ok(Mailbox { inlet, outlet })
    }
}

/// A connection that came with a message.
fn adopt(fd: i32) -> NetResult<Stream> {
    let family = name_of(fd, libc::getsockname).map(Family::of);
    // The socket owns the descriptor from here on, also if its name could not be read.
    let socket = Socket::new(fd, *family.as_ref().unwrap_or(&Family::Local), true);
    family.map(|_| Stream::Real(RealStream::of(socket)))
}

const FD_BYTES: u32 = Descriptor::BYTES;

fn send_one(to: i32, bytes: &[u8], fd: Option<i32>) -> NetResult<()> {
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    let mut control = Control::new();
    // SAFETY: msghdr is plain data.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    if let Some(fd) = fd {
        message.msg_control = (&raw mut control).cast();
        // SAFETY: computes sizes and places within `control`, which has room for one descriptor.
        unsafe {
            message.msg_controllen = libc::CMSG_SPACE(FD_BYTES) as usize;
            let header = libc::CMSG_FIRSTHDR(&message);
            (*header).cmsg_level = libc::SOL_SOCKET;
            (*header).cmsg_type = libc::SCM_RIGHTS;
            (*header).cmsg_len = libc::CMSG_LEN(FD_BYTES) as usize;
            libc::CMSG_DATA(header).cast::<i32>().write_unaligned(fd);
        }
    }
    // SAFETY: `message` names live memory; `bytes` is only read.
    match unsafe { libc::sendmsg(to, &message, libc::MSG_NOSIGNAL) } {
        -1 => Err(error_of(errno())),
        sent => {
            assert!(sent as usize == bytes.len(), "a message of {} bytes was cut to {sent}", bytes.len());
            Ok(())
        }
    }
}

fn receive_one(from: i32, bytes: &mut Vec<u8>) -> NetResult<Option<i32>> {
    bytes.resize(MESSAGE_BYTES_MAX, 0);
    let received = beside::receive::<Descriptor>(from, bytes, None).inspect_err(|_| bytes.clear())?;
    let got = received.length;
    assert!(!received.was_cut, "a message longer than the longest");
    assert!(got > 0, "the inlet is open, and no message is empty");
    bytes.truncate(got);
    Ok(received.beside.map(|Descriptor(fd)| fd))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Endpoint, Listener};

    #[test]
    fn messages_keep_their_bounds_and_carry_connections() {
        let mail = Mail::new(2).unwrap();
        let soon = || clock::after_ms(10_000);
        let listener = Listener::bind(Endpoint::Tcp(([127, 0, 0, 1], 0).into())).unwrap();
        let client = Stream::connect(listener.local_addr(), Some(soon())).unwrap();
        let (server, _) = listener.accept(Some(soon())).unwrap();
        mail.send(2, b"one", None, soon()).unwrap();
        mail.send(2, b"two", Some(server), soon()).unwrap();
        let mut bytes = Vec::new();
        assert!(mail.receive(2, &mut bytes).unwrap().is_none());
        assert_eq!(bytes, b"one");
        let connection = mail.receive(2, &mut bytes).unwrap().expect("a connection");
        assert_eq!(bytes, b"two");
        connection.write_all(b"hello", Some(soon())).unwrap();
        let mut got = [0; 5];
        crate::net::read_exact(&client, &mut got, Some(soon())).unwrap();
        assert_eq!(&got, b"hello");
        assert_eq!(connection.local_addr(), Ok(listener.local_addr()));
    }

    #[test]
    fn a_full_box_is_no_endless_wait() {
        let mail = Mail::new(1).unwrap();
        let message = vec![7; MESSAGE_BYTES_MAX];
        let sent = (0..1000).take_while(|_| mail.send(1, &message, None, clock::after_ms(5)).is_ok()).count();
        assert!((2..1000).contains(&sent), "{sent}");
        assert_eq!(mail.send(1, &message, None, clock::after_ms(1)), Err(NetError::Timeout));
        let mut bytes = Vec::new();
        mail.receive(1, &mut bytes).unwrap();
        assert_eq!(bytes, message);
    }
}
