//! Sockets: TCP and the machine's own (the local transport) by readiness, or byte pipes of the simulated network.
//!
//! A read or write tries first and parks only if it must. Between requests a connection is *armed* ([`Stream::arm`]): no
//! worker and no stack wait for it; the scheduler that sees its next bytes starts a task with it.

mod real;
mod beside;
mod mail;
mod datagram;
mod sim;

pub use crate::kernel::poller::Ready;
pub use crate::sched::Place;
pub use datagram::{Datagrams, Sender};
pub use mail::{MESSAGE_BYTES_MAX, Mail};
pub use sim::SimNetFaults;
pub(crate) use sim::{reset_network, set_network_faults};

use real::{RealListener, RealStream};
use sim::{SimListener, SimStream};
use std::net::SocketAddr;

/// Where something listens, or one end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Endpoint {
    Tcp(SocketAddr),
    /// The local transport: a Unix stream socket of the abstract name `\0heddle:<number>`. Such a name is no file: it is gone
    /// with its listener, however that ends, and it is seen where the loopback interface is, in its network namespace. By custom
    /// the number is the server's TCP port; 0 at a client's end, which has no name. A simulated machine has no such sockets.
    Local(u16),
}

impl Endpoint {
    pub fn tcp(self) -> Option<SocketAddr> {
        match self {
            Endpoint::Tcp(address) => Some(address),
            Endpoint::Local(_) => None,
        }
    }
}

impl From<SocketAddr> for Endpoint {
    fn from(address: SocketAddr) -> Endpoint {
        Endpoint::Tcp(address)
    }
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Endpoint::Tcp(address) => address.fmt(to),
            Endpoint::Local(0) => to.write_str("<local machine>"),
            Endpoint::Local(number) => write!(to, "lpc:.,{number}"),
        }
    }
}

/// What the world can do to a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NetError {
    /// The peer is gone, or the connection was shut down here.
    Closed,
    Timeout,
    /// The task was interrupted while it waited (`wait::interrupt`).
    Interrupted,
    Refused,
    AddressInUse,
    /// This machine has no sockets of that kind.
    Unsupported,
    /// Out of file descriptors.
    TooManyFiles,
    /// Anything else, with the system's number.
    Io(i32),
}

impl std::fmt::Display for NetError {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NetError::Closed => to.write_str("connection closed"),
            NetError::Timeout => to.write_str("timed out"),
            NetError::Interrupted => to.write_str("interrupted"),
            NetError::Refused => to.write_str("connection refused"),
            NetError::AddressInUse => to.write_str("address in use"),
            NetError::Unsupported => to.write_str("no such transport on this machine"),
            NetError::TooManyFiles => to.write_str("too many open files"),
            NetError::Io(errno) => write!(to, "{}", std::io::Error::from_raw_os_error(*errno)),
        }
    }
}

impl std::error::Error for NetError {}

pub type NetResult<T> = Result<T, NetError>;

/// Accepts connections.
pub enum Listener {
    Real(RealListener),
    Sim(SimListener),
}

impl Listener {
    /// TCP port 0: any free one.
    pub fn bind(endpoint: Endpoint) -> NetResult<Listener> {
        let listener = Listener::reserve(endpoint)?;
        listener.listen()?;
        Ok(listener)
    }

    /// Takes the address: who connects is refused until `listen`. Several may have taken the same TCP port until one of them listens.
    pub fn reserve(endpoint: Endpoint) -> NetResult<Listener> {
        if crate::simcore::active() {
            simulated(endpoint).and_then(SimListener::bind).map(Listener::Sim)
        } else {
            RealListener::reserve(endpoint).map(Listener::Real)
        }
    }

    /// Connections come from here on. Once more changes nothing. `AddressInUse`: another one listens there.
    pub fn listen(&self) -> NetResult<()> {
        match self {
            Listener::Real(listener) => listener.listen(),
            // Nobody of a simulated machine connects before there is somebody who accepts.
            Listener::Sim(_) => Ok(()),
        }
    }

    pub fn local_addr(&self) -> Endpoint {
        match self {
            Listener::Real(listener) => listener.local_addr(),
            Listener::Sim(listener) => listener.local_addr().into(),
        }
    }

    /// Another handle of the same listener, for an engine that was forked after it was bound: connections go to whoever accepts.
    pub fn share(&self) -> NetResult<Listener> {
        match self {
            Listener::Real(listener) => listener.share().map(Listener::Real),
            Listener::Sim(_) => Err(NetError::Unsupported),
        }
    }

    /// Waits for the next connection. `TooManyFiles` passes: wait a little and go on.
    pub fn accept(&self, deadline: Option<u64>) -> NetResult<(Stream, Endpoint)> {
        match self {
            Listener::Real(listener) => listener.accept(deadline).map(|(stream, peer)| (Stream::Real(stream), peer)),
            Listener::Sim(listener) => {
                listener.accept(deadline).map(|(stream, peer)| (Stream::Sim(stream), peer.into()))
            }
        }
    }
}

/// A connection. Dropping it closes it.
pub enum Stream {
    Real(RealStream),
    Sim(SimStream),
}

impl Stream {
    pub fn connect(endpoint: Endpoint, deadline: Option<u64>) -> NetResult<Stream> {
        if crate::simcore::active() {
            simulated(endpoint).and_then(|address| SimStream::connect(address, deadline)).map(Stream::Sim)
        } else {
            RealStream::connect(endpoint, deadline).map(Stream::Real)
        }
    }

    /// Waits for bytes and reads some: `bytes.len()` at most, 0 only at the end of the stream (`bytes` not empty).
    pub fn read(&self, bytes: &mut [u8], deadline: Option<u64>) -> NetResult<usize> {
        match self {
            Stream::Real(stream) => stream.read(bytes, deadline),
            Stream::Sim(stream) => stream.read(bytes, deadline),
        }
    }

    /// Reads what is there, without waiting: `None` if nothing is.
    pub fn try_read(&self, bytes: &mut [u8]) -> NetResult<Option<usize>> {
        match self {
            Stream::Real(stream) => stream.try_read(bytes),
            Stream::Sim(stream) => stream.try_read(bytes),
        }
    }

    /// Writes all. Waits (ASYNC_NETWORK_IO) while the peer does not take them. An interrupt does not end it, for half of the bytes
    /// would be of no use to the peer: it stands when the call returns. Only the machine's stop ends it.
    pub fn write_all(&self, bytes: &[u8], deadline: Option<u64>) -> NetResult<()> {
        match self {
            Stream::Real(stream) => stream.write_all(bytes, deadline),
            Stream::Sim(stream) => stream.write_all(bytes, deadline),
        }
    }

    /// Whether input (or the end of the stream) has come since the last read: a few ns, to be asked in the middle of a
    /// request for an attention or a peer that hung up. News arrive when the worker yields.
    pub fn readable_now(&self) -> bool {
        match self {
            Stream::Real(stream) => stream.readable_now(),
            Stream::Sim(stream) => stream.readable_now(),
        }
    }

    /// While on, input that comes while the current task does not read (an attention, or the peer's end) interrupts it
    /// (`wait::is_interrupted`): its waits end, its loops see it. Turn it off, and `wait::clear_interrupt`, when done.
    pub fn interrupt_on_input(&self, on: bool) {
        match self {
            Stream::Real(stream) => stream.watch(on),
            Stream::Sim(stream) => stream.watch(on),
        }
    }

    /// Whether nobody knows yet who is at the other end: then what it asks for takes turns with what other strangers do, within one task, and
    /// must not wait for long. From the next time that it rests on.
    pub fn set_stranger(&self, on: bool) {
        match self {
            Stream::Real(stream) => stream.set_stranger(on),
            Stream::Sim(stream) => stream.set_stranger(on),
        }
    }

    /// Lets the connection rest. At the next input, or at `deadline`, `run` gets it back as a new task. `place` says
    /// which scheduler serves it, the first time it is armed or waited for; from then on it stays there.
    pub fn arm(self, place: Place, deadline: Option<u64>, run: impl FnOnce(Stream, Ready) + Send + 'static) {
        match self {
            Stream::Real(stream) => {
                RealStream::arm(stream, place, deadline, move |s, ready| run(Stream::Real(s), ready))
            }
            Stream::Sim(stream) => SimStream::arm(stream, place, deadline, move |s, ready| run(Stream::Sim(s), ready)),
        }
    }

    /// Ends the connection for both sides; who waits on it or rests with it is woken and reads its end.
    pub fn shutdown(&self) {
        match self {
            Stream::Real(stream) => stream.shutdown(),
            Stream::Sim(stream) => stream.shutdown(),
        }
    }

    /// For ending the connection from elsewhere (KILL), also while it rests.
    pub fn handle(&self) -> StreamHandle {
        match self {
            Stream::Real(stream) => StreamHandle::Real(stream.downgrade()),
            Stream::Sim(stream) => StreamHandle::Sim(stream.downgrade()),
        }
    }

    pub fn local_addr(&self) -> NetResult<Endpoint> {
        match self {
            Stream::Real(stream) => stream.local_addr(),
            Stream::Sim(stream) => Ok(stream.local_addr().into()),
        }
    }

    pub fn peer_addr(&self) -> NetResult<Endpoint> {
        match self {
            Stream::Real(stream) => stream.peer_addr(),
            Stream::Sim(stream) => Ok(stream.peer_addr().into()),
        }
    }
}

/// The simulated network is TCP.
fn simulated(endpoint: Endpoint) -> NetResult<SocketAddr> {
    endpoint.tcp().ok_or(NetError::Unsupported)
}

/// Names a connection without keeping it open.
#[derive(Clone)]
pub enum StreamHandle {
    Real(real::WeakStream),
    Sim(sim::WeakStream),
}

impl StreamHandle {
    /// As [`Stream::shutdown`]; nothing if the connection is gone.
    pub fn shutdown(&self) {
        match self {
            StreamHandle::Real(stream) => stream.shutdown(),
            StreamHandle::Sim(stream) => stream.shutdown(),
        }
    }
}

/// Reads exactly `bytes.len()` bytes; `Closed` if the stream ends before.
pub fn read_exact(stream: &Stream, bytes: &mut [u8], deadline: Option<u64>) -> NetResult<()> {
    let mut done = 0;
    while done < bytes.len() {
        match stream.read(&mut bytes[done..], deadline)? {
            0 => return Err(NetError::Closed),
            got => done += got,
        }
    }
    Ok(())
}
