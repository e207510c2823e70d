//! Links of a given speed between client and server: a proxy of ours that holds bytes back as a link would.
//!
//! ```text
//!   client <--> [ line: one rate, one delay, in each direction ] <--> server
//!
//!   read a chunk --> the line carries it (a token bucket of one chunk) --> the delay --> write it
//! ```
//!
//! It needs no rights and no kernel module, so it works in a container as well. Its thread is its own: what it burns is neither the client's
//! CPU time nor the server's, though it takes turns on the same CPUs. What it cannot do is be faster than this machine: see `ceiling`.
//! All connections of a proxy share its line, as they would share a cable.

use std::collections::VecDeque;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use os::net::{Endpoint, Listener, NetError, NetResult, Stream};
use os::sched::{Machine, MachineConfig, Place, TaskKind};
use os::sync::Mutex;
use os::wait::{WaitType, WakeReason};
use serde::{Deserialize, Serialize};

/// The line carries so much of a message at a time: the reader of a long one gets its first bytes before the last ones are sent.
const CHUNK_NS: u64 = 20_000;
/// Bounds of a chunk: an Ethernet frame's payload; what one system call reads with profit.
const CHUNK_BYTES_MIN: usize = 1_500;
const CHUNK_BYTES_MAX: usize = 64 * 1024;
/// Besides what is on its way, so much waits for the line, as in a switch: the proxy may lose its CPU for so long, which is about a turn of
/// another thread, and the line does not idle.
const QUEUE_NS: u64 = 4_000_000;
const QUEUE_BYTES_MIN: usize = 256 * 1024;
/// The proxy's thread looks for bytes and for the end of a delay before it sleeps: a sleep would end 50 us late.
const IDLE_SPIN_US: u32 = 50;
const CONNECTIONS_MAX: u32 = 1_024;
const CONNECT_MS: u64 = 10_000;

/// How a proxy's ceiling is measured: small answers, and long ones for a while.
const ROUND_TRIPS: usize = 1_001;
const LONG_BYTES: usize = 4 << 20;
const RATE_NS: u64 = 500_000_000;

/// What a link is like, in each direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// 0: no limit.
    pub mbit_per_second: u64,
    /// One way.
    pub delay_us: u64,
}

impl Link {
    /// Neither limit nor delay: what the proxy itself costs.
    pub const BARE: Link = Link { mbit_per_second: 0, delay_us: 0 };

    /// How long the line is busy with so many bytes.
    fn carry_ns(self, bytes: usize) -> u64 {
        (bytes as u64 * 8_000).checked_div(self.mbit_per_second).unwrap_or(0)
    }

    /// How many bytes the line carries in this time. None: as many as there are.
    fn bytes_in(self, ns: u64) -> Option<usize> {
        (self.mbit_per_second > 0).then(|| (ns.saturating_mul(self.mbit_per_second) / 8_000) as usize)
    }

    fn chunk_bytes(self) -> usize {
        self.bytes_in(CHUNK_NS).map_or(CHUNK_BYTES_MAX, |bytes| bytes.clamp(CHUNK_BYTES_MIN, CHUNK_BYTES_MAX))
    }

    /// What a direction of a connection holds at most: on its way, and waiting.
    fn window_bytes(self) -> usize {
        self.bytes_in(self.delay_us * 1_000 + QUEUE_NS).unwrap_or(0).max(QUEUE_BYTES_MIN)
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mbit_per_second {
            0 => f.write_str("no limit")?,
            mbit if mbit % 1_000 == 0 => write!(f, "{} Gbit/s", mbit / 1_000)?,
            mbit => write!(f, "{mbit} Mbit/s")?,
        }
        write!(f, " and {} µs", self.delay_us)
    }
}

/// One direction of a link.
struct Line {
    link: Link,
    /// When it has carried all that was given to it.
    free_ns: u64,
}

impl Line {
    /// When bytes that come at `now` are at the other end, the last of them included.
    fn due(&mut self, now: u64, bytes: usize) -> u64 {
        self.free_ns = self.free_ns.max(now) + self.link.carry_ns(bytes);
        self.free_ns + self.link.delay_us * 1_000
    }
}

/// The two directions.
struct Lines {
    link: Link,
    up: Mutex<Line>,
    down: Mutex<Line>,
}

impl Lines {
    fn new(link: Link) -> Lines {
        let line = || Mutex::new(WaitType::SOS_MUTEX, Line { link, free_ns: 0 });
        Lines { link, up: line(), down: line() }
    }
}

/// A proxy that runs. Dropped, it ends with its connections.
pub struct Proxy {
    machine: Machine,
    pub port: u16,
}

impl Proxy {
    /// Listens on a free loopback port, and takes connections on to `server`.
    pub fn start(link: Link, server: Endpoint) -> Result<Proxy, String> {
        let cpus = os::limits::usable_cpus();
        let machine = os::sched::start(MachineConfig {
            // One thread, not bound: the last CPU is as good as any.
            cpus: cpus[cpus.len() - 1..].to_vec(),
            max_worker_threads: CONNECTIONS_MAX * 2,
            idle_spin_us: IDLE_SPIN_US,
            ..MachineConfig::default()
        });
        let listener = machine.run(bind).map_err(|error| format!("a link of {link}: {error}"))?;
        let port = listener.local_addr().tcp().map_or(0, |address| address.port());
        machine.spawn(TaskKind::Accept, Place::On(0), move || serve(&listener, server, &Arc::new(Lines::new(link))));
        Ok(Proxy { machine, port })
    }

    /// CPU time of its thread until now. Not for the proxy's own tasks: it waits for one.
    pub fn cpu_s(&self) -> f64 {
        self.machine.run(os::clock::thread_cpu) as f64 / 1e9
    }
}

fn bind() -> NetResult<Listener> {
    Listener::bind(SocketAddr::from(([127, 0, 0, 1], 0)).into())
}

/// Until the machine stops.
fn serve(listener: &Listener, server: Endpoint, lines: &Arc<Lines>) {
    while let Ok((client, _)) = listener.accept(None) {
        // A server that is gone refuses, and so does its link.
        let Ok(server) = Stream::connect(server, Some(os::clock::after_ms(CONNECT_MS))) else { continue };
        let (client, server) = (Arc::new(client), Arc::new(server));
        let (from, to, mine) = (client.clone(), server.clone(), lines.clone());
        os::sched::spawn(TaskKind::Client, Place::Here, move || carry(&from, &to, mine.link, &mine.up));
        let mine = lines.clone();
        os::sched::spawn(TaskKind::Client, Place::Here, move || carry(&server, &client, mine.link, &mine.down));
    }
}

/// One direction of a connection, to its end: then the other one ends as well.
fn carry(from: &Stream, to: &Stream, link: Link, line: &Mutex<Line>) {
    // Whoever is gone has its end told to the other: that is all there is to do about it.
    let _ = pass_on(from, to, link, line);
    from.shutdown();
    to.shutdown();
}

/// What is on its way.
struct Chunk {
    due_ns: u64,
    /// Of which the first `filled` count.
    bytes: Vec<u8>,
    filled: usize,
}

fn pass_on(from: &Stream, to: &Stream, link: Link, line: &Mutex<Line>) -> NetResult<()> {
    let (chunk_bytes, window_bytes) = (link.chunk_bytes(), link.window_bytes());
    // Oldest first; spare ones were delivered.
    let (mut queue, mut spare): (VecDeque<Chunk>, Vec<Vec<u8>>) = Default::default();
    let mut held_bytes = 0;
    loop {
        while let Some(chunk) = queue.pop_front_if(|chunk| chunk.due_ns <= os::clock::now()) {
            to.write_all(&chunk.bytes[..chunk.filled], None)?;
            held_bytes -= chunk.filled;
            spare.push(chunk.bytes);
        }
        let next_ns = queue.front().map(|chunk| chunk.due_ns);
        if let Some(due_ns) = next_ns.filter(|_| held_bytes >= window_bytes) {
            wait_until(due_ns)?;
            continue;
        }
        let mut bytes = spare.pop().unwrap_or_else(|| vec![0; chunk_bytes]);
        match from.read(&mut bytes, next_ns) {
            Ok(0) => break,
            Ok(filled) => {
                held_bytes += filled;
                let due_ns = line.lock().due(os::clock::now(), filled);
                queue.push_back(Chunk { due_ns, bytes, filled });
            }
            Err(NetError::Timeout) => spare.push(bytes),
            Err(error) => return Err(error),
        }
    }
    for chunk in queue {
        wait_until(chunk.due_ns)?;
        to.write_all(&chunk.bytes[..chunk.filled], None)?;
    }
    Ok(())
}

/// Err: the machine stops.
fn wait_until(due_ns: u64) -> NetResult<()> {
    while os::clock::now() < due_ns {
        if os::wait::park(WaitType::SLEEP_TASK, Some(due_ns)) == WakeReason::Interrupted {
            return Err(NetError::Interrupted);
        }
    }
    Ok(())
}

/// What a proxy can do at most on this machine, and the links that were asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ceiling {
    pub mbit_per_second: f64,
    /// To a message in each direction, besides the delay that is asked for.
    pub adds_us: f64,
    pub links: Vec<Link>,
}

impl Ceiling {
    /// The links that are slower here than they are called.
    pub fn beyond(&self) -> impl Iterator<Item = &Link> {
        let is_beyond =
            |link: &&Link| link.mbit_per_second as f64 > self.mbit_per_second || (link.delay_us as f64) < self.adds_us;
        self.links.iter().filter(|link| **link != Link::BARE).filter(is_beyond)
    }
}

/// Measures it: answers of one byte and long ones, with a bare proxy and without. Takes a second.
pub fn ceiling(links: Vec<Link>) -> Result<Ceiling, String> {
    let told = |error: NetError| format!("the ceiling of the links: {error}");
    let machine = os::sched::start(MachineConfig { idle_spin_us: IDLE_SPIN_US, ..MachineConfig::default() });
    let listener = machine.run(bind).map_err(told)?;
    let direct = listener.local_addr();
    machine.spawn(TaskKind::Accept, Place::On(1), move || {
        while let Ok((stream, _)) = listener.accept(None) {
            os::sched::spawn(TaskKind::Client, Place::Here, move || answer(&stream));
        }
    });
    let proxy = Proxy::start(Link::BARE, direct)?;
    let through = SocketAddr::from(([127, 0, 0, 1], proxy.port)).into();
    let round_trip_us = |to| machine.run(move || round_trip_ns(to)).map(|ns| ns as f64 / 1e3).map_err(told);
    let added_us = round_trip_us(through)? - round_trip_us(direct)?;
    let mbit_per_second = machine.run(move || mbit_per_second(through)).map_err(told)?;
    Ok(Ceiling { mbit_per_second, adds_us: (added_us / 2.0).max(0.0), links })
}

/// The far end: as many bytes as the request says.
fn answer(stream: &Stream) -> NetResult<()> {
    let bytes = vec![0; LONG_BYTES];
    let mut count = [0; 8];
    loop {
        os::net::read_exact(stream, &mut count, None)?;
        let wanted = usize::try_from(u64::from_le_bytes(count)).unwrap_or(usize::MAX);
        stream.write_all(&bytes[..wanted.min(LONG_BYTES)], None)?;
    }
}

/// The near end: a request for `into.len()` bytes, and these.
fn ask(stream: &Stream, into: &mut [u8]) -> NetResult<()> {
    let until = Some(os::clock::after_ms(CONNECT_MS));
    stream.write_all(&(into.len() as u64).to_le_bytes(), until)?;
    os::net::read_exact(stream, into, until)
}

/// The median of many.
fn round_trip_ns(to: Endpoint) -> NetResult<u64> {
    let stream = Stream::connect(to, Some(os::clock::after_ms(CONNECT_MS)))?;
    let mut trips = Vec::new();
    for _ in 0..ROUND_TRIPS {
        let begun = os::clock::now();
        ask(&stream, &mut [0])?;
        trips.push(os::clock::now() - begun);
    }
    trips.sort_unstable();
    Ok(trips[ROUND_TRIPS / 2])
}

/// The best of many: what else the machine does is no limit of the proxy's.
fn mbit_per_second(to: Endpoint) -> NetResult<f64> {
    let stream = Stream::connect(to, Some(os::clock::after_ms(CONNECT_MS)))?;
    let (mut bytes, mut best) = (vec![0; LONG_BYTES], 0.0_f64);
    let until = os::clock::now() + RATE_NS;
    while os::clock::now() < until {
        let begun = os::clock::now();
        ask(&stream, &mut bytes)?;
        best = best.max(LONG_BYTES as f64 * 8e3 / (os::clock::now() - begun) as f64);
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIGABIT: Link = Link { mbit_per_second: 1_000, delay_us: 50 };

    #[test]
    fn a_line_by_hand() {
        let mut line = Line { link: GIGABIT, free_ns: 0 };
        // 1,250 bytes are 10,000 bits: 10 us at 1 Gbit/s, and 50 us of delay.
        assert_eq!(line.due(1_000_000, 1_250), 1_060_000);
        // At once after them: they wait for the line.
        assert_eq!(line.due(1_000_000, 2_500), 1_080_000);
        // The line has been idle since 1,030,000 and saves nothing up.
        assert_eq!(line.due(2_000_000, 1_250), 2_060_000);
        let mut bare = Line { link: Link::BARE, free_ns: 0 };
        assert_eq!((bare.due(5, 1 << 30), bare.due(6, 1)), (5, 6));
    }

    #[test]
    fn bounds_by_hand() {
        let bytes = |mbit_per_second| {
            let link = Link { mbit_per_second, delay_us: 50 };
            (link.chunk_bytes(), link.window_bytes())
        };
        // 20 us and 4.05 ms of the line: at 10 Gbit/s 1,250 bytes a us.
        assert_eq!(bytes(10_000), (25_000, 5_062_500));
        assert_eq!(bytes(10), (CHUNK_BYTES_MIN, QUEUE_BYTES_MIN));
        assert_eq!(bytes(0), (CHUNK_BYTES_MAX, QUEUE_BYTES_MIN));
        assert_eq!([bytes(100_000).0, bytes(1_000).0], [CHUNK_BYTES_MAX, 2_500]);
    }

    #[test]
    fn links_by_name() {
        let named = [GIGABIT, Link { mbit_per_second: 2_500, delay_us: 1 }, Link::BARE].map(|link| link.to_string());
        assert_eq!(named, ["1 Gbit/s and 50 µs", "2500 Mbit/s and 1 µs", "no limit and 0 µs"]);
        let of = |mbit_per_second, delay_us| Link { mbit_per_second, delay_us };
        let links = vec![Link::BARE, of(1_000, 50), of(40_000, 50), of(1_000, 2)];
        let ceiling = Ceiling { mbit_per_second: 20_000.0, adds_us: 8.0, links };
        assert_eq!(ceiling.beyond().copied().collect::<Vec<_>>(), [of(40_000, 50), of(1_000, 2)]);
    }

    /// Time of a simulated machine that one connection takes for so many bytes to the client, after a request of 8.
    fn simulated_ns(link: Option<Link>, bytes: usize) -> u64 {
        let net = os::net::SimNetFaults { delay_ns: 1_000, ..os::net::SimNetFaults::default() };
        let config = os::sim::SimConfig { schedulers: 1, net, ..os::sim::SimConfig::default() };
        let outcome = os::sim::run(7, config, move || {
            let listener = bind().expect("a listener");
            let mut to = listener.local_addr();
            os::sched::spawn(TaskKind::Client, Place::Here, move || {
                let (stream, _) = listener.accept(None).expect("a connection");
                answer(&stream)
            });
            if let Some(link) = link {
                let (proxy, server) = (bind().expect("a listener"), to);
                to = proxy.local_addr();
                os::sched::spawn(TaskKind::Accept, Place::Here, move || {
                    serve(&proxy, server, &Arc::new(Lines::new(link)));
                });
            }
            let stream = Stream::connect(to, None).expect("a connection");
            ask(&stream, &mut [0]).expect("an answer");
            let begun = os::clock::now();
            ask(&stream, &mut vec![0; bytes]).expect("an answer");
            os::clock::now() - begun
        });
        outcome.result.expect("no kill")
    }

    /// On simulated time, so that what is measured is the proxy and not how busy this machine is.
    #[test]
    fn rate_and_delay_are_what_was_asked_for() {
        const BYTES: usize = 4_000_000;
        let around = |took: u64, wanted: u64| (wanted..wanted + wanted / 20).contains(&took);
        // 32 ms at 1 Gbit/s, and 50 us each way.
        let took = simulated_ns(Some(GIGABIT), BYTES);
        assert!(around(took, 32_100_000), "{took}");
        // 320 ms at 100 Mbit/s, and 3 ms each way.
        let took = simulated_ns(Some(Link { mbit_per_second: 100, delay_us: 3_000 }), BYTES);
        assert!(around(took, 326_000_000), "{took}");
        // A message of one byte knows the delay alone.
        let took = simulated_ns(Some(Link { mbit_per_second: 1_000, delay_us: 2_000 }), 1);
        assert!(around(took, 4_000_000), "{took}");
        // And a bare proxy is no link.
        let (bare, direct) = (simulated_ns(Some(Link::BARE), BYTES), simulated_ns(None, BYTES));
        assert!(bare < 32_000_000 / 2 && direct < bare, "{bare} {direct}");
    }

    #[test]
    fn a_slow_link_stops_the_server_and_does_not_keep_what_it_sends() {
        const PIPE_BYTES: usize = 64 * 1024;
        // A byte a us.
        let link = Link { mbit_per_second: 8, delay_us: 1_000 };
        let config = os::sim::SimConfig { schedulers: 1, ..os::sim::SimConfig::default() };
        let outcome = os::sim::run(7, config, move || {
            let (listener, proxy) = (bind().expect("a listener"), bind().expect("a listener"));
            let (server, to) = (listener.local_addr(), proxy.local_addr());
            let sent = Arc::new(Mutex::new(WaitType::SOS_MUTEX, 0));
            let count = sent.clone();
            os::sched::spawn(TaskKind::Client, Place::Here, move || {
                let (stream, _) = listener.accept(None).expect("a connection");
                while stream.write_all(&[0; 1_024], None).is_ok() {
                    *count.lock() += 1_024;
                }
            });
            os::sched::spawn(TaskKind::Accept, Place::Here, move || serve(&proxy, server, &Arc::new(Lines::new(link))));
            let _stream = Stream::connect(to, None).expect("a connection");
            os::wait::sleep(WaitType::SLEEP_TASK, 100);
            *sent.lock()
        });
        let (sent, window) = (outcome.result.expect("no kill"), link.window_bytes());
        // 100,000 bytes have left it, and a pipe of the network lies before it.
        assert!(sent > window && sent < window + 100_000 + PIPE_BYTES + CHUNK_BYTES_MAX, "{sent}");
    }

    #[test]
    fn a_proxy_has_a_ceiling() {
        let ceiling = ceiling(vec![GIGABIT]).expect("measured");
        assert!(ceiling.mbit_per_second > 1.0 && ceiling.mbit_per_second.is_finite(), "{ceiling:?}");
        assert!((0.0..1e6).contains(&ceiling.adds_us), "{ceiling:?}");
    }

    /// On real sockets: never faster than the link, however busy the machine is, and every byte as it was sent.
    #[test]
    fn real_bytes_come_no_sooner_than_the_link_carries_them() {
        const BYTES: usize = 500_000;
        let link = Link { mbit_per_second: 200, delay_us: 5_000 };
        let machine = os::sched::start(MachineConfig { idle_spin_us: 0, ..MachineConfig::default() });
        let listener = machine.run(bind).expect("a listener");
        let server = listener.local_addr();
        let pattern = |count: usize| (0..count).map(|at| (at % 251) as u8).collect::<Vec<u8>>();
        machine.spawn(TaskKind::Accept, Place::On(0), move || {
            let (stream, _) = listener.accept(None).expect("a connection");
            os::net::read_exact(&stream, &mut [0; 8], None).expect("a request");
            stream.write_all(&pattern(BYTES), None).expect("sent");
        });
        let proxy = Proxy::start(link, server).expect("a proxy");
        let to = SocketAddr::from(([127, 0, 0, 1], proxy.port)).into();
        let (took_ns, came, end) = machine.run(move || {
            let stream = Stream::connect(to, None).expect("a connection");
            let (begun, mut came) = (os::clock::now(), vec![0; BYTES]);
            ask(&stream, &mut came).expect("an answer");
            let took_ns = os::clock::now() - begun;
            // The server has closed its end, and what was sent before that is here.
            (took_ns, came, stream.read(&mut [0], None))
        });
        assert!(came == pattern(BYTES));
        assert_eq!(end, Ok(0));
        // 20 ms for the bytes, and 5 ms each way.
        assert!(took_ns >= 30_000_000, "{took_ns}");
        assert!(proxy.cpu_s() > 0.0);
    }
}
