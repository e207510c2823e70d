//! TCP and Unix stream sockets, non-blocking, watched by a scheduler's poller from the first wait or arming on. A thread that
//! is no worker waits with poll(2) instead.
#![allow(unsafe_code)]

use super::{Endpoint, NetError, NetResult, Place, Ready};
use crate::calls::SystemCall;
use crate::clock;
use crate::kernel::poller::{ENDED, HANG_UP, IoEntry, READABLE, Room, Token, WRITABLE};
use crate::kernel::scheduler::{self, Scheduler, Task, TaskKind};
use crate::sched::place_by;
use crate::share::Owed;
use crate::sys::errno;
use crate::wait::{self, WaitType, WakeReason};
use crate::worker;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, Weak};

/// Connections the kernel queues before we accept them.
const BACKLOG: i32 = 4096;

/// Between two tries to get into the queue of a local listener, which has no way to tell that there is room.
const QUEUE_FULL_PAUSE_MS: u64 = 1;

/// What a local socket holds of what its peer has not read yet; the system doubles it for its own bookkeeping, and has a limit
/// (net.core.wmem_max). With its usual 208 KB writer and reader of a big result sleep and wake in turns, which costs more than half of
/// the rate where a wake-up is dear. TCP sizes its own buffers, up to some MB.
const LOCAL_SEND_BYTES: i32 = 1 << 20;

/// What the abstract names of local listeners begin with; the number follows in decimal.
const LOCAL_PREFIX: &[u8] = b"\0heddle:";

/// Which sockets these are: what the two kinds differ in is asked here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    V4,
    V6,
    Local,
}

impl Family {
    pub(super) fn of(endpoint: Endpoint) -> Family {
        match endpoint {
            Endpoint::Tcp(SocketAddr::V4(_)) => Family::V4,
            Endpoint::Tcp(SocketAddr::V6(_)) => Family::V6,
            Endpoint::Local(_) => Family::Local,
        }
    }

    fn open(self) -> NetResult<i32> {
        let family = match self {
            Family::V4 => libc::AF_INET,
            Family::V6 => libc::AF_INET6,
            Family::Local => libc::AF_UNIX,
        };
        // SAFETY: no pointers are passed.
        let fd = unsafe { libc::socket(family, libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC, 0) };
        if fd >= 0 { Ok(fd) } else { Err(error_of(errno())) }
    }

    /// A TCP socket tells that there is room to write in only after it had none. A Unix socket tells it whenever the peer has
    /// read: that would be an event, and often a wake-up, for each message sent.
    fn room(self) -> Room {
        if self == Family::Local { Room::WhenAsked } else { Room::Always }
    }

    /// A message goes at once, however small, and a big one does not stop at each turn.
    fn tune(self, fd: i32) {
        if self == Family::Local {
            set_option(fd, libc::SOL_SOCKET, libc::SO_SNDBUF, LOCAL_SEND_BYTES);
        } else {
            set_option(fd, libc::IPPROTO_TCP, libc::TCP_NODELAY, 1);
        }
    }
}

/// A socket and where it is watched.
pub(super) struct Socket {
    entry: Arc<IoEntry>,
    family: Family,
    watched: OnceLock<(&'static Scheduler, Token)>,
    /// A scheduler's load, which a listener is not.
    is_stream: bool,
}

impl Socket {
    /// Takes over `fd`.
    pub(super) fn new(fd: i32, family: Family, is_stream: bool) -> Socket {
        assert!(fd >= 0, "a socket without a descriptor");
        Socket { entry: Arc::new(IoEntry::new(fd)), family, watched: OnceLock::new(), is_stream }
    }

    pub(super) fn fd(&self) -> i32 {
        self.entry.fd
    }

    /// Clears `flag` before a try.
    pub(super) fn forget(&self, flag: u32) {
        self.entry.forget(flag);
    }

    pub(super) fn remember(&self, flag: u32) {
        self.entry.remember(flag);
    }

    fn watch(&self, scheduler: &'static Scheduler) -> NetResult<&(&'static Scheduler, Token)> {
        if self.watched.get().is_none() {
            let token = scheduler.poller().register(&self.entry, self.family.room()).map_err(error_of)?;
            scheduler.slot().connections.fetch_add(self.is_stream.into(), Ordering::Relaxed);
            assert!(scheduler.poller().entry(token).is_some_and(|entry| Arc::ptr_eq(&entry, &self.entry)));
            let first = self.watched.set((scheduler, token)).is_ok();
            assert!(first, "a stream is used by one worker at a time");
        }
        Ok(self.watched.get().expect("just set"))
    }

    /// Nothing has come since a read that took all there was: whatever comes is a new edge, which the poller reports. An end that
    /// came with the bytes before it is no edge of its own, so ENDED and HANG_UP are tried always. (A Unix socket also cuts a read
    /// short at a message that carries a descriptor: a peer that sends one waits for its own next bytes.)
    fn is_drained(&self) -> bool {
        let flags = self.entry.flags.load(Ordering::SeqCst);
        self.watched.get().is_some() && scheduler::here().is_some() && flags & (READABLE | HANG_UP | ENDED) == 0
    }

    /// Waits until `flag` comes up.
    pub(super) fn wait(&self, flag: u32, why: WaitType, deadline: Option<u64>) -> NetResult<()> {
        let Some(scheduler) = scheduler::here() else {
            return poll_outside(self.entry.fd, flag, deadline);
        };
        let (home, token) = *self.watch(scheduler)?;
        let asks = flag == WRITABLE && self.family.room() == Room::WhenAsked;
        if asks {
            home.poller().ask_for_room(token, &self.entry, true).map_err(error_of)?;
        }
        let mut reason = WakeReason::Unparked;
        if self.entry.wait_for(flag) {
            reason = wait::park(why, deadline);
        } else if wait::is_interrupted() {
            reason = WakeReason::Interrupted;
        }
        self.entry.stop_waiting(flag);
        if asks {
            home.poller().ask_for_room(token, &self.entry, false).map_err(error_of)?;
        }
        match reason {
            WakeReason::Unparked => Ok(()),
            WakeReason::Timeout => Err(NetError::Timeout),
            WakeReason::Interrupted => Err(NetError::Interrupted),
        }
    }
}

impl Socket {
    /// Its scheduler watches it no more.
    fn leave(&mut self) {
        if let Some((scheduler, token)) = self.watched.take() {
            scheduler.slot().connections.fetch_sub(self.is_stream.into(), Ordering::Relaxed);
            scheduler.poller().deregister(token, &self.entry);
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.leave();
    }
}

pub struct RealListener {
    socket: Socket,
    address: Endpoint,
}

impl RealListener {
    pub fn reserve(endpoint: Endpoint) -> NetResult<RealListener> {
        let family = Family::of(endpoint);
        let fd = family.open()?;
        let socket = Socket::new(fd, family, false);
        if family != Family::Local {
            set_option(fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1);
        }
        let (raw, length) = to_raw(endpoint);
        // SAFETY: `raw` is a live socket address of `length` bytes.
        check(unsafe { libc::bind(fd, (&raw const raw).cast(), length) })?;
        let address = name_of(fd, libc::getsockname)?;
        Ok(RealListener { socket, address })
    }

    pub fn listen(&self) -> NetResult<()> {
        // SAFETY: no pointers are passed.
        check(unsafe { libc::listen(self.socket.fd(), BACKLOG) })
    }

    pub fn local_addr(&self) -> Endpoint {
        self.address
    }

    pub fn share(&self) -> NetResult<RealListener> {
        // SAFETY: no pointers are passed.
        let fd = unsafe { libc::fcntl(self.socket.entry.fd, libc::F_DUPFD_CLOEXEC, 0) };
        if fd < 0 {
            return Err(error_of(errno()));
        }
        Ok(RealListener { socket: Socket::new(fd, self.socket.family, false), address: self.address })
    }

    pub fn accept(&self, deadline: Option<u64>) -> NetResult<(RealStream, Endpoint)> {
        loop {
            self.socket.entry.forget(READABLE);
            let mut raw = new_raw();
            let mut length = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
            let flags = libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
            // SAFETY: `raw` and `length` are live and describe each other.
            let fd = unsafe { libc::accept4(self.socket.entry.fd, (&raw mut raw).cast(), &mut length, flags) };
            if fd >= 0 {
                // There may be more in the queue, for which no new edge comes.
                self.socket.entry.remember(READABLE);
                let family = self.socket.family;
                family.tune(fd);
                return Ok((RealStream { socket: Box::new(Socket::new(fd, family, true)) }, from_raw(&raw, length)));
            }
            match errno() {
                libc::EAGAIN => self.socket.wait(READABLE, WaitType::NETWORK_ACCEPT, deadline)?,
                // The connection was gone before we took it.
                libc::ECONNABORTED | libc::EINTR | libc::EPROTO => {}
                other => {
                    self.socket.entry.remember(READABLE);
                    return Err(error_of(other));
                }
            }
        }
    }
}

pub struct RealStream {
    socket: Box<Socket>,
}

#[derive(Clone)]
pub struct WeakStream {
    entry: Weak<IoEntry>,
}

impl WeakStream {
    pub fn shutdown(&self) {
        let Some(entry) = self.entry.upgrade() else { return };
        shut_down(entry.fd);
        // Who rests with it ends at once, here: its own scheduler may have no worker for it.
        if let Some(here) = scheduler::here()
            && let Some(run) = entry.disarm()
        {
            here.start(Task::new(TaskKind::System, Box::new(move || run(Ready::Input))));
        }
    }
}

impl RealStream {
    pub(super) fn of(socket: Socket) -> RealStream {
        RealStream { socket: Box::new(socket) }
    }

    pub(super) fn fd(&self) -> i32 {
        self.socket.entry.fd
    }

    pub fn connect(endpoint: Endpoint, deadline: Option<u64>) -> NetResult<RealStream> {
        let family = Family::of(endpoint);
        let fd = family.open()?;
        let stream = RealStream { socket: Box::new(Socket::new(fd, family, true)) };
        family.tune(fd);
        let (raw, length) = to_raw(endpoint);
        loop {
            // SAFETY: `raw` is a live socket address of `length` bytes.
            if unsafe { libc::connect(fd, (&raw const raw).cast(), length) } == 0 {
                return Ok(stream);
            }
            match errno() {
                libc::EINPROGRESS => break,
                // The local listener's queue is full, and nothing will tell when it is no more.
                libc::EAGAIN if family == Family::Local => pause(deadline)?,
                other => return Err(error_of(other)),
            }
        }
        // Registered only now: an unconnected socket would count as hung up.
        while !is_ready(fd, libc::POLLOUT) {
            stream.socket.entry.forget(WRITABLE);
            if !is_ready(fd, libc::POLLOUT) {
                stream.socket.wait(WRITABLE, WaitType::NETWORK_CONNECT, deadline)?;
            }
        }
        let (mut error, mut size) = (0i32, 4 as libc::socklen_t);
        // SAFETY: `error` and `size` are live and describe each other.
        check(unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_ERROR, (&raw mut error).cast(), &mut size) })?;
        if error == 0 { Ok(stream) } else { Err(error_of(error)) }
    }

    pub fn read(&self, bytes: &mut [u8], deadline: Option<u64>) -> NetResult<usize> {
        loop {
            if let Some(got) = self.try_read(bytes)? {
                return Ok(got);
            }
            self.socket.wait(READABLE, WaitType::NETWORK_READ, deadline)?;
        }
    }

    pub fn try_read(&self, bytes: &mut [u8]) -> NetResult<Option<usize>> {
        assert!(!bytes.is_empty(), "a read of nothing cannot tell the end of the stream");
        let entry = &self.socket.entry;
        if self.socket.is_drained() {
            return Ok(None);
        }
        loop {
            entry.forget(READABLE);
            worker::count_call(SystemCall::SocketRead);
            // SAFETY: writes at most bytes.len() bytes into `bytes`.
            let got = unsafe { libc::recv(entry.fd, bytes.as_mut_ptr().cast(), bytes.len(), 0) };
            if got >= 0 {
                assert!(got as usize <= bytes.len(), "the system read {got} bytes into {}", bytes.len());
                if got as usize == bytes.len() || got == 0 {
                    // There may be more, for which no new edge comes; the end of the stream stays readable.
                    entry.remember(READABLE);
                }
                return Ok(Some(got as usize));
            }
            match errno() {
                libc::EAGAIN => return Ok(None),
                libc::EINTR => {}
                other => return Err(error_of(other)),
            }
        }
    }

    pub fn write_all(&self, mut bytes: &[u8], deadline: Option<u64>) -> NetResult<()> {
        let entry = &self.socket.entry;
        let mut interrupted = wait::Held::default();
        while !bytes.is_empty() {
            entry.forget(WRITABLE);
            worker::count_call(SystemCall::SocketWrite);
            // SAFETY: reads at most bytes.len() bytes of `bytes`.
            let sent = unsafe { libc::send(entry.fd, bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) };
            if sent >= 0 {
                assert!(sent > 0, "the system takes none of {} bytes, and does not say why", bytes.len());
                bytes = &bytes[sent as usize..];
                continue;
            }
            match errno() {
                libc::EAGAIN => match self.socket.wait(WRITABLE, WaitType::ASYNC_NETWORK_IO, deadline) {
                    Err(NetError::Interrupted) if !crate::sched::stopping() => interrupted.hold(),
                    waited => waited?,
                },
                libc::EINTR => {}
                other => return Err(error_of(other)),
            }
        }
        Ok(())
    }

    pub fn watch(&self, on: bool) {
        self.socket.entry.watch(if on { crate::sched::current_task() } else { None });
    }

    pub fn readable_now(&self) -> bool {
        if self.socket.watched.get().is_some() {
            return self.socket.entry.flags.load(Ordering::Relaxed) & (READABLE | HANG_UP) != 0;
        }
        is_ready(self.socket.entry.fd, libc::POLLIN)
    }

    pub fn set_stranger(&self, on: bool) {
        self.socket.entry.stranger.store(on, Ordering::Relaxed);
    }

    pub fn arm(
        mut stream: RealStream,
        place: Place,
        deadline: Option<u64>,
        run: impl FnOnce(RealStream, Ready) + Send + 'static,
    ) {
        let here = scheduler::here().expect("a connection is armed by a worker");
        // A connection that was just accepted asked for none of the work that its acceptor did.
        let asked = stream.socket.watched.get().is_some();
        let home = stream.socket.watched.get().map(|(scheduler, _)| *scheduler).filter(|home| match place {
            Place::In(pool) => home.is_open() && (home.pool() == pool || here.machine.open(pool).next().is_none()),
            _ => home.is_open(),
        });
        let scheduler = home.unwrap_or_else(|| {
            // Not watched yet, or where it is to be no longer: the socket moves.
            stream.socket.leave();
            let place = if place == Place::Here && !here.is_open() { Place::LeastLoaded } else { place };
            place_by(&here.machine, place, |s| s.slot().connections.load(Ordering::Relaxed).into())
        });
        if !scheduler.machine.arms() {
            scheduler.machine.arms.store(true, Ordering::Relaxed);
        }
        let entry = stream.socket.entry.clone();
        let token = match stream.socket.watch(scheduler) {
            Ok((_, token)) => *token,
            // Out of memory or of watches: the task finds out when it reads.
            Err(_) => {
                return scheduler.start_armed(Box::new(move |ready| run(stream, ready)), Ready::Input, Owed::Nothing);
            }
        };
        if asked {
            here.book_request(&entry.share);
        }
        if let Some(now) = entry.arm(Box::new(move |ready| run(stream, ready)), deadline) {
            return scheduler.begin_request(now, &entry, false);
        }
        if let Some(deadline) = deadline {
            scheduler.arm_timer(deadline, token);
        }
        // A machine that began to stop may have disarmed everything just before us.
        if scheduler.machine.stopping.load(Ordering::SeqCst) {
            drop(entry.disarm());
        }
    }

    pub fn shutdown(&self) {
        shut_down(self.socket.entry.fd);
    }

    pub fn downgrade(&self) -> WeakStream {
        WeakStream { entry: Arc::downgrade(&self.socket.entry) }
    }

    pub fn local_addr(&self) -> NetResult<Endpoint> {
        name_of(self.socket.entry.fd, libc::getsockname)
    }

    pub fn peer_addr(&self) -> NetResult<Endpoint> {
        name_of(self.socket.entry.fd, libc::getpeername)
    }
}

fn shut_down(fd: i32) {
    // SAFETY: no pointers are passed; a socket already shut down is an error nobody needs.
    unsafe { libc::shutdown(fd, libc::SHUT_RDWR) };
}

fn poll_outside(fd: i32, flag: u32, deadline: Option<u64>) -> NetResult<()> {
    assert!(!worker::on_scheduler(), "poll(2) would hold up a scheduler");
    assert!(flag == READABLE || flag == WRITABLE, "nobody waits for {flag:x}");
    let events = if flag == READABLE { libc::POLLIN } else { libc::POLLOUT };
    let mut wanted = libc::pollfd { fd, events, revents: 0 };
    loop {
        let timeout_ms = match deadline {
            None => -1,
            Some(deadline) => deadline.saturating_sub(clock::now()).div_ceil(1_000_000).min(1 << 30) as i32,
        };
        // SAFETY: one live pollfd.
        match unsafe { libc::poll(&mut wanted, 1, timeout_ms) } {
            0 => return Err(NetError::Timeout),
            count if count > 0 => return Ok(()),
            _ if errno() == libc::EINTR => {}
            _ => return Err(error_of(errno())),
        }
    }
}

fn is_ready(fd: i32, events: i16) -> bool {
    let mut wanted = libc::pollfd { fd, events, revents: 0 };
    // SAFETY: one live pollfd.
    unsafe { libc::poll(&mut wanted, 1, 0) > 0 }
}

/// Lets a moment pass; `Timeout` at the deadline.
fn pause(deadline: Option<u64>) -> NetResult<()> {
    if deadline.is_some_and(|deadline| clock::now() >= deadline) {
        return Err(NetError::Timeout);
    }
    if scheduler::here().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(QUEUE_FULL_PAUSE_MS));
        return Ok(());
    }
    match wait::sleep(WaitType::NETWORK_CONNECT, QUEUE_FULL_PAUSE_MS) {
        WakeReason::Interrupted => Err(NetError::Interrupted),
        WakeReason::Unparked | WakeReason::Timeout => Ok(()),
    }
}

pub(super) fn set_option(fd: i32, level: i32, option: i32, value: i32) {
    // SAFETY: `value` is a live i32. A refused option costs speed, not correctness.
    unsafe { libc::setsockopt(fd, level, option, (&raw const value).cast(), 4) };
}

pub(super) fn check(result: i32) -> NetResult<()> {
    if result == 0 { Ok(()) } else { Err(error_of(errno())) }
}

pub(super) fn error_of(errno: i32) -> NetError {
    match errno {
        libc::ECONNRESET | libc::EPIPE | libc::ENOTCONN | libc::ESHUTDOWN | libc::ECONNABORTED => NetError::Closed,
        libc::ECONNREFUSED => NetError::Refused,
        libc::EADDRINUSE => NetError::AddressInUse,
        libc::EAFNOSUPPORT => NetError::Unsupported,
        libc::EMFILE | libc::ENFILE | libc::ENOBUFS | libc::ENOMEM => NetError::TooManyFiles,
        libc::ETIMEDOUT => NetError::Timeout,
        errno => NetError::Io(errno),
    }
}

pub(super) fn new_raw() -> libc::sockaddr_storage {
    // SAFETY: sockaddr_storage is plain data.
    unsafe { std::mem::zeroed() }
}

pub(super) fn to_raw(endpoint: Endpoint) -> (libc::sockaddr_storage, libc::socklen_t) {
    let mut raw = new_raw();
    match endpoint {
        Endpoint::Tcp(SocketAddr::V4(v4)) => {
            // SAFETY: sockaddr_storage is large and aligned enough for every socket address.
            let to = unsafe { &mut *(&raw mut raw).cast::<libc::sockaddr_in>() };
            to.sin_family = libc::AF_INET as libc::sa_family_t;
            to.sin_port = v4.port().to_be();
            to.sin_addr.s_addr = u32::from_ne_bytes(v4.ip().octets());
            (raw, size_of::<libc::sockaddr_in>() as libc::socklen_t)
        }
        Endpoint::Tcp(SocketAddr::V6(v6)) => {
            // SAFETY: as above.
            let to = unsafe { &mut *(&raw mut raw).cast::<libc::sockaddr_in6>() };
            to.sin6_family = libc::AF_INET6 as libc::sa_family_t;
            to.sin6_port = v6.port().to_be();
            to.sin6_addr.s6_addr = v6.ip().octets();
            to.sin6_scope_id = v6.scope_id();
            (raw, size_of::<libc::sockaddr_in6>() as libc::socklen_t)
        }
        Endpoint::Local(number) => {
            // SAFETY: as above.
            let to = unsafe { &mut *(&raw mut raw).cast::<libc::sockaddr_un>() };
            to.sun_family = libc::AF_UNIX as libc::sa_family_t;
            let name = [LOCAL_PREFIX, number.to_string().as_bytes()].concat();
            for (to, from) in to.sun_path.iter_mut().zip(&name) {
                *to = *from as libc::c_char;
            }
            // The length ends an abstract name: it has no terminator.
            (raw, (std::mem::offset_of!(libc::sockaddr_un, sun_path) + name.len()) as libc::socklen_t)
        }
    }
}

/// `length`: how much of `raw` the system has filled.
pub(super) fn from_raw(raw: &libc::sockaddr_storage, length: libc::socklen_t) -> Endpoint {
    assert!(length as usize <= size_of::<libc::sockaddr_storage>(), "an address of {length} bytes");
    match i32::from(raw.ss_family) {
        libc::AF_INET6 => {
            // SAFETY: the family says which address it is.
            let v6 = unsafe { &*(raw as *const libc::sockaddr_storage).cast::<libc::sockaddr_in6>() };
            SocketAddr::new(IpAddr::V6(Ipv6Addr::from(v6.sin6_addr.s6_addr)), u16::from_be(v6.sin6_port)).into()
        }
        libc::AF_UNIX => {
            // SAFETY: as above.
            let local = unsafe { &*(raw as *const libc::sockaddr_storage).cast::<libc::sockaddr_un>() };
            let path = local.sun_path.map(|byte| byte as u8);
            let end =
                (length as usize).saturating_sub(std::mem::offset_of!(libc::sockaddr_un, sun_path)).min(path.len());
            let number =
                path[..end].strip_prefix(LOCAL_PREFIX).and_then(|number| str::from_utf8(number).ok()?.parse().ok());
            Endpoint::Local(number.unwrap_or(0))
        }
        _ => {
            // SAFETY: as above; any other family reads as IPv4 of some bytes of the storage.
            let v4 = unsafe { &*(raw as *const libc::sockaddr_storage).cast::<libc::sockaddr_in>() };
            let ip = Ipv4Addr::from(v4.sin_addr.s_addr.to_ne_bytes());
            SocketAddr::new(IpAddr::V4(ip), u16::from_be(v4.sin_port)).into()
        }
    }
}

type NameCall = unsafe extern "C" fn(i32, *mut libc::sockaddr, *mut libc::socklen_t) -> i32;

pub(super) fn name_of(fd: i32, call: NameCall) -> NetResult<Endpoint> {
    let mut raw = new_raw();
    let mut length = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
    // SAFETY: `raw` and `length` are live and describe each other.
    check(unsafe { call(fd, (&raw mut raw).cast(), &mut length) })?;
    Ok(from_raw(&raw, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listening(endpoint: Endpoint) -> RealListener {
        let listener = RealListener::reserve(endpoint).unwrap();
        listener.listen().unwrap();
        listener
    }

    /// A TCP listener, whose port no other test has, and a local one of that number.
    fn both() -> (RealListener, RealListener) {
        let tcp = listening(SocketAddr::from(([127, 0, 0, 1], 0)).into());
        let number = tcp.local_addr().tcp().unwrap().port();
        let local = listening(Endpoint::Local(number));
        (tcp, local)
    }

    /// connect(2) answers EAGAIN then, which is neither a failure nor a promise.
    #[test]
    fn a_full_local_queue_is_waited_for() {
        let (_number, listener) = both();
        // SAFETY: no pointers are passed. Listening again sets the length of the queue, here to one more than 0.
        assert_eq!(unsafe { libc::listen(listener.socket.entry.fd, 0) }, 0);
        let endpoint = listener.local_addr();
        let first = RealStream::connect(endpoint, None).unwrap();
        assert_eq!(RealStream::connect(endpoint, Some(clock::after_ms(10))).err(), Some(NetError::Timeout));
        let late = std::thread::spawn(move || RealStream::connect(endpoint, Some(clock::after_ms(20_000))).map(drop));
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!late.is_finished(), "it waits for room");
        let accepted = listener.accept(None).unwrap();
        assert_eq!(late.join().unwrap(), Ok(()));
        drop((first, accepted));
    }

    #[test]
    fn addresses_come_back_as_they_went_in() {
        let tcp = ["127.0.0.1:1433", "[::1]:0", "[fe80::1]:65535"].map(|text| Endpoint::Tcp(text.parse().unwrap()));
        for endpoint in tcp.into_iter().chain([0, 1, 1433, 65535].map(Endpoint::Local)) {
            let (raw, length) = to_raw(endpoint);
            assert_eq!(from_raw(&raw, length), endpoint);
        }
        let (raw, _) = to_raw(Endpoint::Local(1433));
        // Only the family: the unnamed socket of a client.
        assert_eq!(from_raw(&raw, 2), Endpoint::Local(0));
    }
}
