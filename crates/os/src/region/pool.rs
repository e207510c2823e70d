//! Slots of one type in the region, named by number. A slot is a valid `T` for ever, taken or not, so a stale number is
//! never worse than a look at somebody else's slot; what a slot was taken for is the user's to check (a number of its own).
//!
//! Free slots are linked in a list for each scheduler, so that schedulers do not meet when they take and give; a fresh slot
//! is taken before another scheduler's.
#![allow(unsafe_code)]

use super::{OutOfMemory, Part, Placed, RELAXED, Region, Shared, spread, spread_count};
use crate::{simcore, worker};
use std::ops::Index;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const LISTS: usize = 16;

/// In cache lines of its own, pairs of which are fetched together.
#[derive(Default)]
#[repr(align(128))]
struct FreeList {
    /// First free slot plus one, 0: none; the upper half counts changes, against a slot that left and came back.
    head: AtomicU64,
}

#[derive(Default)]
struct Heads {
    lists: [FreeList; LISTS],
    /// Slots that were ever taken.
    used: AtomicU32,
}

// SAFETY: numbers.
unsafe impl Shared for Heads {}

pub struct Pool<T> {
    slots: Part<T>,
    /// Of a free slot: the next one plus one.
    links: Part<AtomicU32>,
    heads: Placed<Heads>,
}

impl<T: Shared> Pool<T> {
    pub fn carve(region: &Region, name: &'static str, count: usize) -> Result<Pool<T>, OutOfMemory> {
        assert!(count < u32::MAX as usize, "slots are numbered in 32 bits");
        Ok(Pool {
            slots: region.carve(name, count)?,
            links: region.carve("links of a pool", spread_count(count))?,
            heads: region.place("heads of a pool", Heads::default())?,
        })
    }

    /// Bytes of the region that `count` slots take.
    pub fn region_bytes(count: usize) -> usize {
        count * size_of::<T>() + spread_count(count) * size_of::<u32>() + size_of::<Heads>() + 3 * super::PAGE
    }

    /// A free slot, as its last user left it, or zeros. It is the caller's until `give`.
    pub fn take(&self) -> Result<u32, OutOfMemory> {
        if simcore::active() && simcore::with(|sim| sim.memory_refused()) {
            return Err(OutOfMemory);
        }
        self.take_needed()
    }

    /// As `take`, where there is a slot for everyone who may come: a simulation does not refuse it.
    pub fn take_needed(&self) -> Result<u32, OutOfMemory> {
        let own = list_here();
        if let Some(slot) = self.pop(own) {
            return Ok(slot);
        }
        if self.used() < self.slots.len() as u32 {
            let fresh = self.heads.used.fetch_add(1, RELAXED);
            if (fresh as usize) < self.slots.len() {
                return Ok(fresh);
            }
            self.heads.used.store(self.slots.len() as u32, RELAXED);
        }
        (0..LISTS).find_map(|list| self.pop(list)).ok_or(OutOfMemory)
    }

    /// Gives a slot back that `take` gave.
    pub fn give(&self, slot: u32) {
        assert!((slot as usize) < self.slots.len());
        debug_assert!(slot < self.used(), "slot {slot} is given back and was never taken");
        let head = &self.heads.lists[list_here()].head;
        let mut now = head.load(RELAXED);
        loop {
            // Whoever has the slot took it off its list before.
            assert!(now as u32 != slot + 1, "slot {slot} is given back twice");
            self.links[spread(slot as usize)].store(now as u32, RELAXED);
            // Release: who takes the slot sees what was done to it.
            match head.compare_exchange_weak(now, tagged(now, slot + 1), Ordering::Release, RELAXED) {
                Ok(_) => return,
                Err(other) => now = other,
            }
        }
    }

    fn pop(&self, list: usize) -> Option<u32> {
        let head = &self.heads.lists[list].head;
        let mut now = head.load(Ordering::Acquire);
        loop {
            let slot = (now as u32).checked_sub(1)?;
            let next = self.links[spread(slot as usize)].load(RELAXED);
            // Also where somebody else has taken the slot meanwhile: links are numbers of slots at any time.
            debug_assert!(next as usize <= self.slots.len(), "free slot {slot} is followed by {next}");
            match head.compare_exchange_weak(now, tagged(now, next), Ordering::Acquire, Ordering::Acquire) {
                Ok(_) => return Some(slot),
                Err(other) => now = other,
            }
        }
    }

    /// Slots below this were taken at some time.
    pub fn used(&self) -> u32 {
        self.heads.used.load(RELAXED).min(self.slots.len() as u32)
    }
}

impl<const N: usize> Pool<[AtomicU64; N]> {
    /// As `give`, and the slot's memory goes back to the system: it reads as zeros from then on.
    pub fn give_empty(&self, slot: u32) {
        let bytes = size_of::<[AtomicU64; N]>();
        assert!((slot as usize) < self.slots.len());
        // SAFETY: within the part. Words that become zero under a late reader are words all the same.
        unsafe {
            let at = NonNull::from(&self.slots[slot as usize]).cast::<u8>();
            self.slots.region().punch_out(at, bytes);
        }
        self.give(slot);
    }
}

impl<T: Shared> Index<u32> for Pool<T> {
    type Output = T;
    #[inline]
    fn index(&self, slot: u32) -> &T {
        &self.slots[slot as usize]
    }
}

fn list_here() -> usize {
    worker::current_scheduler() as usize % LISTS
}

fn tagged(before: u64, first: u32) -> u64 {
    ((before >> 32).wrapping_add(1) << 32) | first as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::Visibility;

    #[test]
    fn every_slot_has_one_taker() {
        let region = Region::reserve(1 << 20, Visibility::ForkedProcesses).unwrap();
        let pool = Pool::<AtomicU64>::carve(&region, "test", 100).unwrap();
        std::thread::scope(|scope| {
            for me in 1..=4u64 {
                let pool = &pool;
                scope.spawn(move || {
                    for _ in 0..20_000 {
                        let mine: Vec<u32> = (0..20).map(|_| pool.take().unwrap()).collect();
                        mine.iter().for_each(|slot| assert_eq!(pool[*slot].swap(me, RELAXED), 0));
                        for slot in mine {
                            assert_eq!(pool[slot].swap(0, RELAXED), me);
                            pool.give(slot);
                        }
                    }
                });
            }
        });
        let all: std::collections::BTreeSet<u32> = (0..100).map(|_| pool.take().unwrap()).collect();
        assert_eq!((all.len(), pool.take()), (100, Err(OutOfMemory)));
        pool.give(7);
        assert_eq!(pool.take(), Ok(7));
    }

    #[test]
    fn emptied_slots_read_as_zeros() {
        let region = Region::reserve(1 << 20, Visibility::ForkedProcesses).unwrap();
        let pool = Pool::<[AtomicU64; 512]>::carve(&region, "test", 4).unwrap();
        let slot = pool.take().unwrap();
        pool[slot][9].store(5, RELAXED);
        pool.give_empty(slot);
        assert_eq!(pool[pool.take().unwrap()][9].load(RELAXED), 0);
    }
}
