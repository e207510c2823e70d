//! Where workers wait for something that has no room for a list of its own, such as one word for a page's latch. One bit
//! of the word says that somebody waits here, so that a release without waiters never comes here.
//!
//! A waiter sets the bit and enters the list of its bucket under the bucket's lock, and only while the word still keeps it
//! out. Whoever releases a word with the bit takes the same lock, clears the bit and wakes every waiter of the word; those
//! that lose the race for it come again. So no wake-up is lost, and the bit is set whenever somebody is in the list.

use super::list::{WaitList, Waiters, grant_all, resource_of, wait_granted};
use crate::sys::atomic::{AtomicU64, Ordering};
use crate::wait::{self, WaitType, WorkerId};

const BUCKETS: usize = 64;

/// Words are named by a number of the caller's, which the DMVs show as the resource of the wait. Zero is a valid lot.
pub struct ParkingLot {
    buckets: [Waiters; BUCKETS],
}

impl Default for ParkingLot {
    fn default() -> ParkingLot {
        ParkingLot { buckets: std::array::from_fn(|_| Waiters::default()) }
    }
}

impl ParkingLot {
    fn bucket(&self, key: u64) -> &Waiters {
        &self.buckets[key as usize % BUCKETS]
    }

    /// Suspends the worker until the word is released. Returns at once if `keeps_out` is false of it.
    pub fn wait(&self, key: u64, word: &AtomicU64, waiters_bit: u64, keeps_out: impl Fn(u64) -> bool, wait: WaitType) {
        assert!(waiters_bit.is_power_of_two(), "one bit says that somebody waits");
        let bucket = self.bucket(key);
        bucket.lock();
        let mut now = word.load(Ordering::SeqCst);
        loop {
            if !keeps_out(now) {
                return bucket.unlock();
            }
            match word.compare_exchange(now, now | waiters_bit, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => break,
                Err(other) => now = other,
            }
        }
        wait::describe(key, WorkerId::NONE);
        bucket.push_self(0);
        bucket.unlock();
        let woken = wait_granted(wait, None, |_| unreachable!("no deadline"));
        assert!(woken, "no deadline, no timeout");
        wait::describe(0, WorkerId::NONE);
    }

    /// After a release of a word that had the bit.
    #[cold]
    pub fn wake(&self, key: u64, word: &AtomicU64, waiters_bit: u64) {
        let bucket = self.bucket(key);
        bucket.lock();
        let before = word.fetch_and(!waiters_bit, Ordering::SeqCst);
        let all = bucket.list.take();
        let woken = WaitList::new();
        while let Some(waiter) = all.pop() {
            let list = if resource_of(waiter) == key { &woken } else { &bucket.list };
            list.push(waiter);
        }
        assert!(before & waiters_bit != 0 || woken.first().is_none(), "somebody waited for a word without the bit");
        bucket.unlock_then(|| grant_all(woken));
    }
}
