//! Connections that have not logged in yet: how many there may be, and what they may hold. Beyond that the oldest goes. One address has half of
//! it at most, so that who opens thousands and says nothing keeps out nobody but those behind his own address, and them only while
//! all his connections are younger than their login.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

use os::net::{Stream, StreamHandle};
use os::sync::{SpinClass, SpinLock};

static DOORS: SpinClass = SpinClass::new("UNFINISHED_LOGINS");

/// Of the memory that the server may use, and at least, and at most.
const MEMORY_PART: u64 = 16;
const BYTES_MIN: usize = 16 << 20;
const BYTES_MAX: usize = 256 << 20;

/// Of the files that the process may open.
const FILES_PART: u64 = 2;
const COUNT_MAX: usize = 16_384;

/// How often the log tells of those that were dropped.
const TELL_MS: u64 = 60_000;

pub struct Doors {
    inner: SpinLock<Inner<StreamHandle>>,
    /// Of `os::clock::now`: when the log may tell again, and of how many.
    told: SpinLock<(u64, usize)>,
}

/// One that waits; when it is dropped the connection has logged in, or is gone.
pub struct Door {
    doors: Arc<Doors>,
    number: u64,
}

impl Doors {
    pub fn new(memory_bytes: u64, files: u64) -> Arc<Doors> {
        let bytes = usize::try_from(memory_bytes / MEMORY_PART).unwrap_or(usize::MAX);
        let count = usize::try_from(files / FILES_PART).unwrap_or(usize::MAX);
        Doors::of(count.clamp(2, COUNT_MAX), bytes.clamp(BYTES_MIN, BYTES_MAX))
    }

    /// So many connections, which may hold so much.
    pub fn of(count_max: usize, bytes_max: usize) -> Arc<Doors> {
        let inner = Inner::new(count_max, bytes_max);
        Arc::new(Doors { inner: SpinLock::new(&DOORS, inner), told: SpinLock::new(&DOORS, (0, 0)) })
    }

    /// A connection has come.
    pub fn enter(self: &Arc<Doors>, stream: &Stream, bytes: usize) -> Door {
        // None: by the local transport.
        let address = stream.peer_addr().ok().and_then(|peer| peer.tcp()).map(|peer| peer.ip());
        let (number, excess) = self.inner.lock().enter(address, stream.handle(), bytes);
        self.end(&excess);
        Door { doors: self.clone(), number }
    }

    /// Files have run out: the oldest makes room.
    pub fn drop_oldest(&self) {
        let oldest = self.inner.lock().remove_oldest();
        self.end(oldest.as_slice());
    }

    /// Outside of the lock: it wakes their tasks.
    fn end(&self, excess: &[StreamHandle]) {
        if excess.is_empty() {
            return;
        }
        excess.iter().for_each(StreamHandle::shutdown);
        let count = {
            let mut told = self.told.lock();
            told.1 += excess.len();
            if os::clock::now() < told.0 {
                return;
            }
            told.0 = os::clock::after_ms(TELL_MS);
            std::mem::take(&mut told.1)
        };
        tracing::warn!("{count} connections that had not logged in were dropped: there were too many at once");
    }
}

impl Door {
    /// What the connection holds now.
    pub fn holds(&self, bytes: usize) {
        let excess = self.doors.inner.lock().holds(self.number, bytes);
        self.doors.end(&excess);
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.doors.inner.lock().remove(self.number);
    }
}

/// `H`: what ends a connection.
struct Inner<H> {
    count_max: usize,
    bytes_max: usize,
    /// By age.
    waiting: BTreeMap<u64, Waiting<H>>,
    bytes: usize,
    addresses: HashMap<Option<IpAddr>, Address>,
    /// Number of the next one.
    next: u64,
}

struct Waiting<H> {
    address: Option<IpAddr>,
    handle: H,
    bytes: usize,
}

#[derive(Default)]
struct Address {
    numbers: BTreeSet<u64>,
    bytes: usize,
}

impl<H> Inner<H> {
    fn new(count_max: usize, bytes_max: usize) -> Inner<H> {
        Inner { count_max, bytes_max, waiting: BTreeMap::new(), bytes: 0, addresses: HashMap::new(), next: 0 }
    }

    /// Its number, and those that are too many now.
    fn enter(&mut self, address: Option<IpAddr>, handle: H, bytes: usize) -> (u64, Vec<H>) {
        let number = self.next;
        self.next += 1;
        self.waiting.insert(number, Waiting { address, handle, bytes });
        self.bytes += bytes;
        let of_address = self.addresses.entry(address).or_default();
        of_address.numbers.insert(number);
        of_address.bytes += bytes;
        (number, self.take_excess(address))
    }

    /// Those that are too many now.
    fn holds(&mut self, number: u64, bytes: usize) -> Vec<H> {
        let Some(waiting) = self.waiting.get_mut(&number) else { return Vec::new() };
        let before = std::mem::replace(&mut waiting.bytes, bytes);
        let address = waiting.address;
        self.bytes = self.bytes - before + bytes;
        let of_address = self.addresses.get_mut(&address).expect("it has one that waits");
        of_address.bytes = of_address.bytes - before + bytes;
        self.take_excess(address)
    }

    fn remove(&mut self, number: u64) -> Option<H> {
        let Waiting { address, handle, bytes } = self.waiting.remove(&number)?;
        self.bytes -= bytes;
        let of_address = self.addresses.get_mut(&address).expect("it has one that waits");
        of_address.numbers.remove(&number);
        of_address.bytes -= bytes;
        if of_address.numbers.is_empty() {
            self.addresses.remove(&address);
        }
        Some(handle)
    }

    fn remove_oldest(&mut self) -> Option<H> {
        let number = *self.waiting.keys().next()?;
        self.remove(number)
    }

    /// `address`: whose connections have become more, or more costly.
    fn take_excess(&mut self, address: Option<IpAddr>) -> Vec<H> {
        let mut excess = Vec::new();
        while let Some(own) = self.addresses.get(&address)
            && (own.numbers.len() > self.count_max / 2 || own.bytes > self.bytes_max / 2)
            && let Some(oldest) = own.numbers.first().copied()
        {
            excess.extend(self.remove(oldest));
        }
        while self.waiting.len() > self.count_max || self.bytes > self.bytes_max {
            excess.extend(self.remove_oldest());
        }
        excess
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([10, 0, 0, last]))
    }

    #[test]
    fn an_address_has_half_and_its_oldest_go_first() {
        let mut doors = Inner::new(8, 1_000);
        let neighbour = doors.enter(address(1), "neighbour", 10);
        assert!(neighbour.1.is_empty());
        for number in 0..4 {
            assert!(doors.enter(address(2), if number == 0 { "first" } else { "other" }, 10).1.is_empty());
        }
        assert_eq!(doors.enter(address(2), "fifth", 10).1, ["first"]);
        // By what they hold, too.
        let (large, excess) = doors.enter(address(3), "large", 400);
        assert!(excess.is_empty());
        assert!(doors.enter(address(3), "small", 50).1.is_empty());
        assert_eq!(doors.holds(large, 460), ["large"]);
        // Who is gone is counted no more.
        assert!(doors.holds(large, 10_000).is_empty());
        assert_eq!(doors.remove(neighbour.0), Some("neighbour"));
        assert_eq!(doors.remove(neighbour.0), None);
    }

    #[test]
    fn of_all_the_oldest_goes() {
        let mut doors = Inner::new(4, 100);
        for last in 0..4 {
            assert!(doors.enter(address(last), last, 1).1.is_empty());
        }
        assert_eq!(doors.enter(address(9), 9, 1).1, [0]);
        assert_eq!(doors.enter(None, 10, 50).1, [1]);
        assert_eq!(doors.enter(address(11), 11, 50).1, [2, 3, 9]);
        assert_eq!(doors.bytes, 100);
        assert_eq!(doors.remove_oldest(), Some(10));
        assert_eq!(doors.addresses.len(), 1);
    }
}
