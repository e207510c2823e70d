//! The table in which readers of biased locks say that they read (BRAVO: Dice and Kogan, USENIX ATC 2019): a row for each
//! scheduler, so that a read writes no cache line that another CPU writes. `sync::rwlock` is its only user and argues why
//! nobody is overlooked.
//!
//! The paper hashes thread and lock into one table of 4,096 slots; a row of a scheduler has few, since only its running
//! worker and those that keep a lock over a wait are in it at once, and a writer then looks at one line a scheduler.
use crate::sys::atomic::{AtomicU32, AtomicU64, Ordering};

/// All zero is empty.
#[derive(Default)]
#[repr(C, align(128))]
pub struct ReaderRow {
    /// `lock number << 32 | readers`. A slot without readers is free, whatever lock it still names.
    slots: [AtomicU64; ReaderRow::SLOTS],
    turns: AtomicU32,
}

const _: () =
    assert!(cfg!(shuttle) || size_of::<ReaderRow>() == 128, "a row is one line, and its neighbour is fetched with it");

impl ReaderRow {
    /// Locks that the workers of one scheduler can read at once this way; the others are counted in their lock's word.
    pub const SLOTS: usize = if cfg!(shuttle) { 2 } else { 7 };

    /// One reader more of `lock` in this row: the slot, or `None` when no slot is free.
    #[inline]
    pub fn publish(&self, lock: u32) -> Option<u32> {
        assert!(lock != 0);
        // One who holds no other lock finds the first slot free.
        if self.publish_in(0, lock) { Some(0) } else { self.publish_further(lock) }
    }

    #[cold]
    fn publish_further(&self, lock: u32) -> Option<u32> {
        (1..Self::SLOTS as u32).find(|slot| self.publish_in(*slot, lock))
    }

    #[inline]
    fn publish_in(&self, slot: u32, lock: u32) -> bool {
        let slot = &self.slots[slot as usize];
        let seen = slot.load(Ordering::Relaxed);
        let readers = seen & u64::from(u32::MAX);
        debug_assert!(readers < u64::from(u32::MAX), "one reader more would change the lock's number");
        // The exchange fails only among threads that share a row: those outside all schedulers. SeqCst: see rwlock.rs, "Order".
        (readers == 0 || seen >> 32 == u64::from(lock))
            && slot
                .compare_exchange(seen, u64::from(lock) << 32 | (readers + 1), Ordering::SeqCst, Ordering::Relaxed)
                .is_ok()
    }

    /// One reader less in `slot`; from any thread, since a guard may end elsewhere than it began.
    #[inline]
    pub fn withdraw(&self, slot: u32) {
        let before = self.slots[slot as usize].fetch_sub(1, Ordering::SeqCst);
        assert!(before as u32 != 0, "withdrawn but not published");
    }

    pub fn has_reader(&self, lock: u32) -> bool {
        debug_assert!(lock != 0, "no lock has the number of none");
        self.slots.iter().any(|slot| {
            // SeqCst also acquires: with an empty slot the writer sees that its last reader is done.
            let seen = slot.load(Ordering::SeqCst);
            (seen >> 32) as u32 == lock && seen as u32 != 0
        })
    }

    /// True once in `n` calls of this scheduler (a lost update between outside threads does not matter).
    #[inline]
    pub fn one_in(&self, n: u32) -> bool {
        let turn = self.turns.load(Ordering::Relaxed).wrapping_add(1);
        self.turns.store(turn, Ordering::Relaxed);
        turn.is_multiple_of(n)
    }

    /// Forgets the readers of a scheduler that is gone.
    pub fn clear(&self) {
        for slot in &self.slots {
            slot.store(0, Ordering::SeqCst);
        }
    }
}
