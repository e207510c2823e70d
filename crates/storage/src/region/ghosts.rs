//! Leaves that somebody should look at: rows were deleted there, or inserts undone. The version cleaner does (`cleanup`).
//!
//! Who deletes a row notes its leaf under the leaf's latch; the cleaner takes the note away before it latches the leaf. So
//! what it does not find there is noted again. A note is only a hint: one without a place, or lost in a crash, costs pages until
//! somebody deletes or reads there again.

use std::sync::atomic::{AtomicU64, Ordering};

use os::region::{Part, Placed};

use crate::error::StorageResult;
use crate::layout::PageRef;
use crate::region::memory::Memory;
use crate::region::page_list::{number, page};

/// Leaves noted at a time: a cleaner that has nothing to do looks at all places.
const LEAVES_MAX: usize = 8192;
/// Places where a leaf may be noted, one after the other.
const TRIES: usize = 8;
const _: () = assert!(TRIES < LEAVES_MAX, "a note is tried at places that differ");

pub struct Ghosts {
    /// `page_list::number` of the leaf noted at each place, 0: none.
    leaves: Part<AtomicU64>,
    /// The newest transaction that deleted there: the cleaner has nothing to do before every snapshot sees it.
    transactions: Part<AtomicU64>,
    /// Not above any of `transactions` in use.
    oldest: Placed<AtomicU64>,
}

impl Ghosts {
    pub fn new(memory: &Memory) -> StorageResult<Ghosts> {
        Ok(Ghosts {
            leaves: memory.carve("leaves with ghosts", LEAVES_MAX)?,
            transactions: memory.carve("transactions that left ghosts", LEAVES_MAX)?,
            oldest: memory.place("oldest ghosts", AtomicU64::new(u64::MAX))?,
        })
    }

    /// `transaction`: who deleted there; 0: all that is to be cleaned up there is old.
    #[inline]
    pub fn note(&self, leaf: PageRef, transaction: u64) {
        let wanted = number(leaf);
        assert!(leaf.file != 0, "0 is a place without a note");
        debug_assert!(transaction >> 48 == 0, "a transaction's id as row headers have it: {transaction}");
        let first = (wanted.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        for place in (first..first + TRIES).map(|place| place % LEAVES_MAX) {
            let mut found = self.leaves[place].load(Ordering::Relaxed);
            if found == 0 {
                match self.leaves[place].compare_exchange(0, wanted, Ordering::SeqCst, Ordering::SeqCst) {
                    Ok(_) => {
                        self.transactions[place].store(transaction, Ordering::Relaxed);
                        self.oldest.fetch_min(transaction, Ordering::Relaxed);
                        return;
                    }
                    Err(other) => found = other,
                }
            }
            if found == wanted {
                if self.transactions[place].load(Ordering::Relaxed) < transaction {
                    self.transactions[place].store(transaction, Ordering::Relaxed);
                }
                return;
            }
        }
    }

    /// Whether there may be leaves to clean up, where everybody sees the transactions below `horizon`.
    pub fn are_old(&self, horizon: u64) -> bool {
        self.oldest.load(Ordering::Relaxed) < horizon
    }

    /// Takes the leaves away whose ghosts are all of transactions below `horizon`.
    pub fn take_old(&self, horizon: u64) -> impl Iterator<Item = PageRef> {
        debug_assert!(horizon > 0, "0 is the system, whose changes are always seen");
        self.oldest.store(u64::MAX, Ordering::Relaxed);
        self.leaves.iter().zip(self.transactions.iter()).filter_map(move |(leaf, transaction)| {
            if leaf.load(Ordering::Relaxed) == 0 {
                return None;
            }
            let transaction = transaction.load(Ordering::Relaxed);
            if transaction >= horizon {
                self.oldest.fetch_min(transaction, Ordering::Relaxed);
                return None;
            }
            match leaf.swap(0, Ordering::SeqCst) {
                0 => None,
                taken => Some(page(taken)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use os::region::Visibility;

    use super::*;

    fn ghosts() -> Ghosts {
        Ghosts::new(&Memory::reserve(LEAVES_MAX * 16, Visibility::ThisProcess).expect("memory")).expect("a list")
    }

    fn leaf(page: u32) -> PageRef {
        PageRef { file: 3, page }
    }

    #[test]
    fn a_leaf_is_given_once_all_its_ghosts_are_old() {
        let ghosts = ghosts();
        ghosts.note(leaf(7), 20);
        ghosts.note(leaf(8), 25);
        ghosts.note(leaf(7), 30);
        ghosts.note(leaf(8), 21);
        assert!(!ghosts.are_old(20) && ghosts.are_old(21));
        assert_eq!(ghosts.take_old(25).next(), None);
        assert!(!ghosts.are_old(25), "what it looked at was too young");
        assert_eq!(ghosts.take_old(30).collect::<Vec<_>>(), [leaf(8)]);
        assert_eq!(ghosts.take_old(31).collect::<Vec<_>>(), [leaf(7)]);
        assert_eq!(ghosts.take_old(u64::MAX).next(), None);
    }

    #[test]
    fn what_finds_no_place_is_left_out() {
        let ghosts = ghosts();
        (0..2 * LEAVES_MAX as u32).for_each(|page| ghosts.note(leaf(page), 0));
        let mut taken: Vec<u32> = ghosts.take_old(1).map(|leaf| leaf.page).collect();
        assert!(taken.len() > LEAVES_MAX / 2 && taken.len() <= LEAVES_MAX, "{} leaves", taken.len());
        taken.sort();
        taken.dedup();
        assert!(taken.len() > LEAVES_MAX / 2, "none is given twice");
    }
}
