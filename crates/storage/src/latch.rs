//! Where workers wait for a page latch. The latch itself is the page's state word (`buffer`): one of its bits says that
//! somebody waits here, so that a release without waiters never comes here.
//!
//! A waiter sets the bit and enters the list under the bucket's lock, and only while the word still keeps it out. Whoever
//! releases a word with the bit takes the same lock, clears the bit and wakes every waiter of the page; those that lose
//! the race for the latch come again. So no wake-up is lost, and the bit is set whenever somebody is in the list.

use std::sync::atomic::{AtomicU64, Ordering};

use os::sync::Mutex;
use os::wait::{self, WaitType, WorkerId};

const BUCKETS: usize = 64;

/// Page index and waiter; at most one entry a worker.
type Bucket = Mutex<Vec<(usize, WorkerId)>>;

pub struct Parking {
    buckets: Box<[Bucket]>,
}

impl Parking {
    pub fn new() -> Parking {
        Parking { buckets: (0..BUCKETS).map(|_| Mutex::new(WaitType::SOS_MUTEX, Vec::new())).collect() }
    }

    fn bucket(&self, index: usize) -> &Bucket {
        &self.buckets[index % BUCKETS]
    }

    /// Suspends the worker until the page is released. Returns at once if `keeps_out` is false of the word.
    pub fn wait(
        &self,
        index: usize,
        state: &AtomicU64,
        waiters_bit: u64,
        keeps_out: impl Fn(u64) -> bool,
        wait: WaitType,
    ) {
        let me = wait::current();
        {
            let mut bucket = self.bucket(index).lock();
            let mut word = state.load(Ordering::SeqCst);
            loop {
                if !keeps_out(word) {
                    return;
                }
                match state.compare_exchange(word, word | waiters_bit, Ordering::SeqCst, Ordering::SeqCst) {
                    Ok(_) => break,
                    Err(now) => word = now,
                }
            }
            bucket.push((index, me));
        }
        loop {
            wait::park_uninterruptible(wait, None);
            if !self.bucket(index).lock().contains(&(index, me)) {
                return;
            }
        }
    }

    /// After a release of a word that had the bit.
    #[cold]
    pub fn wake(&self, index: usize, state: &AtomicU64, waiters_bit: u64) {
        let mut bucket = self.bucket(index).lock();
        state.fetch_and(!waiters_bit, Ordering::SeqCst);
        bucket.retain(|(page, waiter)| {
            if *page == index {
                wait::unpark(*waiter);
            }
            *page != index
        });
    }
}

impl Default for Parking {
    fn default() -> Parking {
        Parking::new()
    }
}
