//! The simulated network: byte pipes whose bytes arrive later, in pieces of any size, and now and then not at all.
//! Bytes of one direction stay in order, as TCP promises; a reset loses what is under way.

use super::{NetError, NetResult, Place, Ready};
use crate::kernel::poller::{Armed, HANG_UP, IoEntry, READABLE, WRITABLE};
use crate::kernel::scheduler::{self, Scheduler};
use crate::sched::scheduler_at;
use crate::share::Owed;
use crate::wait::{self, WaitType, WakeReason};
use crate::{clock, simcore};
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, Weak};

/// What may go wrong, each once in so many operations; 0: never.
#[derive(Clone, Copy, Debug)]
pub struct SimNetFaults {
    /// A write resets the connection.
    pub reset: u64,
    /// A connect is refused.
    pub refuse: u64,
    /// A piece takes a second.
    pub slow: u64,
    /// Typical time a piece is under way.
    pub delay_ns: u64,
}

impl Default for SimNetFaults {
    fn default() -> SimNetFaults {
        SimNetFaults { reset: 0, refuse: 0, slow: 0, delay_ns: 50_000 }
    }
}

/// Bytes a direction holds, under way and unread, before the writer waits.
const WINDOW_BYTES: usize = 64 * 1024;

#[derive(Default)]
struct Network {
    faults: SimNetFaults,
    listeners: BTreeMap<u16, Arc<ListenerState>>,
    next_port: u16,
    connections: u64,
}

thread_local! {
    static NETWORK: RefCell<Network> = RefCell::default();
}

/// A new network for the simulation about to begin on this thread.
pub(crate) fn reset_network(faults: SimNetFaults) {
    let old = NETWORK.replace(Network { faults, next_port: 40_000, ..Network::default() });
    drop(old);
}

pub(crate) fn set_network_faults(faults: SimNetFaults) {
    NETWORK.with_borrow_mut(|network| network.faults = faults);
}

struct ListenerState {
    entry: Arc<IoEntry>,
    queue: Mutex<VecDeque<(SimStream, SocketAddr)>>,
}

pub struct SimListener {
    state: Arc<ListenerState>,
    address: SocketAddr,
}

impl SimListener {
    pub fn bind(mut address: SocketAddr) -> NetResult<SimListener> {
        NETWORK.with_borrow_mut(|network| {
            if address.port() == 0 {
                network.next_port += 1;
                address.set_port(network.next_port);
            }
            if network.listeners.contains_key(&address.port()) {
                return Err(NetError::AddressInUse);
            }
            let state = Arc::new(ListenerState { entry: Arc::new(IoEntry::new(-1)), queue: Mutex::default() });
            let other = network.listeners.insert(address.port(), state.clone());
            assert!(other.is_none(), "two listeners on port {}", address.port());
            Ok(SimListener { state, address })
        })
    }

    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    pub fn accept(&self, deadline: Option<u64>) -> NetResult<(SimStream, SocketAddr)> {
        loop {
            self.state.entry.forget(READABLE);
            if let Some(next) = self.state.queue.lock().expect("queue").pop_front() {
                return Ok(next);
            }
            wait_for(&self.state.entry, READABLE, WaitType::NETWORK_ACCEPT, deadline)?;
        }
    }
}

impl Drop for SimListener {
    fn drop(&mut self) {
        // The network may be gone already, with the thread.
        let _ = NETWORK.try_with(|network| network.borrow_mut().listeners.remove(&self.address.port()));
    }
}

/// One side of a connection.
struct Side {
    number: u64,
    entry: Arc<IoEntry>,
    inbound: Mutex<Inbound>,
    peer: OnceLock<Weak<Side>>,
    home: OnceLock<&'static Scheduler>,
    local: SocketAddr,
    remote: SocketAddr,
}

#[derive(Default)]
struct Inbound {
    bytes: VecDeque<u8>,
    under_way: usize,
    /// The next piece arrives no earlier.
    last_arrival_ns: u64,
    ended: bool,
    reset: bool,
}

pub struct SimStream {
    side: Arc<Side>,
}

#[derive(Clone)]
pub struct WeakStream {
    side: Weak<Side>,
}

impl WeakStream {
    pub fn shutdown(&self) {
        if let Some(side) = self.side.upgrade() {
            side.shutdown();
        }
    }
}

impl SimStream {
    pub fn connect(address: SocketAddr, deadline: Option<u64>) -> NetResult<SimStream> {
        let faults = NETWORK.with_borrow(|network| network.faults);
        pass_time(&faults, deadline)?;
        let listener = NETWORK.with_borrow(|network| network.listeners.get(&address.port()).cloned());
        let refused = simcore::with(|sim| sim.one_in(faults.refuse));
        let listener = listener.filter(|_| !refused).ok_or(NetError::Refused)?;
        let (number, port) = NETWORK.with_borrow_mut(|network| {
            network.connections += 1;
            (network.connections, 50_000 + (network.connections % 10_000) as u16)
        });
        let mut from = address;
        from.set_port(port);
        let client = Arc::new(Side::new(2 * number, from, address));
        let server = Arc::new(Side::new(2 * number + 1, address, from));
        let paired =
            client.peer.set(Arc::downgrade(&server)).is_ok() && server.peer.set(Arc::downgrade(&client)).is_ok();
        assert!(paired);
        simcore::with(|sim| sim.trace(simcore::TRACE_NET, number));
        listener.queue.lock().expect("queue").push_back((SimStream { side: server }, from));
        let armed = listener.entry.report(READABLE);
        assert!(armed.is_none(), "listeners are not armed");
        Ok(SimStream { side: client })
    }

    pub fn read(&self, bytes: &mut [u8], deadline: Option<u64>) -> NetResult<usize> {
        loop {
            if let Some(got) = self.try_read(bytes)? {
                return Ok(got);
            }
            wait_for(&self.side.entry, READABLE, WaitType::NETWORK_READ, deadline)?;
        }
    }

    pub fn try_read(&self, bytes: &mut [u8]) -> NetResult<Option<usize>> {
        assert!(!bytes.is_empty());
        let side = &self.side;
        side.entry.forget(READABLE);
        let mut inbound = side.inbound.lock().expect("inbound");
        if inbound.reset {
            return Err(NetError::Closed);
        }
        if inbound.bytes.is_empty() {
            if inbound.ended {
                side.entry.remember(READABLE);
                return Ok(Some(0));
            }
            return Ok(None);
        }
        // Any number of what is there, as the pieces of a real network fall.
        let there = inbound.bytes.len().min(bytes.len());
        let got = simcore::with(|sim| if sim.one_in(4) { 1 + sim.below(there as u64) as usize } else { there });
        assert!((1..=there).contains(&got), "{got} of {there} bytes are read");
        for (to, from) in bytes.iter_mut().zip(inbound.bytes.drain(..got)) {
            *to = from;
        }
        if !inbound.bytes.is_empty() || inbound.ended {
            side.entry.remember(READABLE);
        }
        drop(inbound);
        if let Some(peer) = side.peer() {
            peer.tell(WRITABLE);
        }
        Ok(Some(got))
    }

    pub fn write_all(&self, mut bytes: &[u8], deadline: Option<u64>) -> NetResult<()> {
        let faults = NETWORK.with_borrow(|network| network.faults);
        let mut interrupted = wait::Held::default();
        while !bytes.is_empty() {
            self.side.entry.forget(WRITABLE);
            if self.side.inbound.lock().expect("inbound").reset {
                return Err(NetError::Closed);
            }
            let Some(peer) = self.side.peer() else { return Err(NetError::Closed) };
            if simcore::with(|sim| sim.one_in(faults.reset)) {
                peer.reset();
                self.side.reset();
                return Err(NetError::Closed);
            }
            let sent = peer.send(bytes, &faults);
            bytes = &bytes[sent..];
            if sent == 0 {
                match wait_for(&self.side.entry, WRITABLE, WaitType::ASYNC_NETWORK_IO, deadline) {
                    Err(NetError::Interrupted) if !crate::sched::stopping() => interrupted.hold(),
                    waited => waited?,
                }
            }
        }
        Ok(())
    }

    pub fn watch(&self, on: bool) {
        self.side.entry.watch(if on { crate::sched::current_task() } else { None });
    }

    pub fn readable_now(&self) -> bool {
        self.side.entry.flags.load(Ordering::Relaxed) & (READABLE | HANG_UP) != 0
    }

    pub fn set_stranger(&self, on: bool) {
        self.side.entry.stranger.store(on, Ordering::Relaxed);
    }

    pub fn arm(
        stream: SimStream,
        place: Place,
        deadline: Option<u64>,
        run: impl FnOnce(SimStream, Ready) + Send + 'static,
    ) {
        let here = scheduler::here().expect("a connection is armed by a worker");
        let home = *stream.side.home.get_or_init(|| scheduler_at(&here.machine, place));
        let entry = stream.side.entry.clone();
        if let Some(now) = entry.arm(Box::new(move |ready| run(stream, ready)), deadline) {
            return start(home, &entry, now, Ready::Input);
        }
        if let Some(deadline) = deadline {
            let delay = deadline.saturating_sub(clock::now());
            simcore::with(|sim| {
                sim.schedule(
                    delay,
                    Box::new(move || {
                        if let Some(run) = entry.disarm_at(deadline) {
                            start(home, &entry, run, Ready::Timeout);
                        }
                    }),
                )
            });
        }
    }

    pub fn shutdown(&self) {
        self.side.shutdown();
    }

    pub fn downgrade(&self) -> WeakStream {
        WeakStream { side: Arc::downgrade(&self.side) }
    }

    pub fn local_addr(&self) -> SocketAddr {
        self.side.local
    }

    pub fn peer_addr(&self) -> SocketAddr {
        self.side.remote
    }
}

impl Drop for SimStream {
    fn drop(&mut self) {
        if simcore::active() {
            self.side.end_peer();
        }
    }
}

impl Side {
    fn new(number: u64, local: SocketAddr, remote: SocketAddr) -> Side {
        Side {
            number,
            entry: Arc::new(IoEntry::new(-1)),
            inbound: Mutex::default(),
            peer: OnceLock::new(),
            home: OnceLock::new(),
            local,
            remote,
        }
    }

    fn peer(&self) -> Option<Arc<Side>> {
        self.peer.get().and_then(Weak::upgrade)
    }

    /// Something came up at this side: wakes who waits, or starts the armed task.
    fn tell(&self, flags: u32) {
        if let Some(run) = self.entry.report(flags) {
            start(self.home.get().expect("armed at its home"), &self.entry, run, Ready::Input);
        }
    }

    /// Takes some of `bytes` on the way to this side; 0 when the window is full.
    fn send(self: &Arc<Side>, bytes: &[u8], faults: &SimNetFaults) -> usize {
        let mut inbound = self.inbound.lock().expect("inbound");
        let room = WINDOW_BYTES.saturating_sub(inbound.bytes.len() + inbound.under_way);
        let most = room.min(bytes.len());
        if most == 0 {
            return 0;
        }
        let piece = simcore::with(|sim| if sim.one_in(4) { 1 + sim.below(most as u64) as usize } else { most });
        assert!((1..=most).contains(&piece), "{piece} of {most} bytes are sent");
        inbound.under_way += piece;
        assert!(inbound.bytes.len() + inbound.under_way <= WINDOW_BYTES, "more is under way than the window holds");
        let content = bytes[..piece].to_vec();
        let side = Arc::downgrade(self);
        let number = self.number;
        self.later(&mut inbound, faults, move || {
            let Some(side) = side.upgrade() else { return };
            simcore::with(|sim| sim.trace(simcore::TRACE_NET, number << 32 | content.len() as u64));
            let mut inbound = side.inbound.lock().expect("inbound");
            assert!(inbound.under_way >= content.len(), "bytes arrive that were not sent");
            inbound.under_way -= content.len();
            inbound.bytes.extend(content);
            drop(inbound);
            side.tell(READABLE);
        });
        piece
    }

    /// Lets `event` happen after everything already under way to this side.
    fn later(&self, inbound: &mut Inbound, faults: &SimNetFaults, event: impl FnOnce() + 'static) {
        simcore::with(|sim| {
            let delay = if sim.one_in(faults.slow) { 1_000_000_000 } else { sim.below(2 * faults.delay_ns + 1) };
            let arrival = (sim.now_ns() + delay).max(inbound.last_arrival_ns);
            assert!(arrival >= sim.now_ns(), "a piece arrives before it is sent");
            inbound.last_arrival_ns = arrival;
            sim.schedule(arrival - sim.now_ns(), Box::new(event));
        });
    }

    /// Lets the peer read our end, after what is under way.
    fn end_peer(&self) {
        let Some(peer) = self.peer() else { return };
        let faults = NETWORK.with_borrow(|network| network.faults);
        let weak = Arc::downgrade(&peer);
        let mut inbound = peer.inbound.lock().expect("inbound");
        peer.later(&mut inbound, &faults, move || {
            let Some(side) = weak.upgrade() else { return };
            side.inbound.lock().expect("inbound").ended = true;
            side.tell(READABLE | WRITABLE);
        });
    }

    fn shutdown(&self) {
        self.end_peer();
        self.inbound.lock().expect("inbound").ended = true;
        self.tell(READABLE | WRITABLE);
    }

    fn reset(&self) {
        let mut inbound = self.inbound.lock().expect("inbound");
        inbound.reset = true;
        inbound.bytes.clear();
        drop(inbound);
        self.tell(READABLE | WRITABLE | HANG_UP);
    }
}

fn wait_for(entry: &IoEntry, flag: u32, why: WaitType, deadline: Option<u64>) -> NetResult<()> {
    let mut reason = WakeReason::Unparked;
    if entry.wait_for(flag) {
        reason = wait::park(why, deadline);
    } else if wait::is_interrupted() {
        reason = WakeReason::Interrupted;
    }
    entry.stop_waiting(flag);
    match reason {
        WakeReason::Unparked => Ok(()),
        WakeReason::Timeout => Err(NetError::Timeout),
        WakeReason::Interrupted => Err(NetError::Interrupted),
    }
}

/// The time a handshake takes.
fn pass_time(faults: &SimNetFaults, deadline: Option<u64>) -> NetResult<()> {
    let arrives = clock::now() + simcore::with(|sim| sim.below(4 * faults.delay_ns + 1));
    let until = deadline.map_or(arrives, |deadline| deadline.min(arrives));
    while clock::now() < until {
        if wait::park(WaitType::NETWORK_CONNECT, Some(until)) == WakeReason::Interrupted {
            return Err(NetError::Interrupted);
        }
    }
    if until < arrives { Err(NetError::Timeout) } else { Ok(()) }
}

/// Starts the closure of a connection that rested.
fn start(home: &Scheduler, entry: &IoEntry, run: Armed, ready: Ready) {
    match entry.stranger.load(Ordering::Relaxed) {
        true => home.start_stranger(run, ready),
        false => home.start_armed(run, ready, Owed::Nothing),
    }
}
