//! What is counted of memory-optimized tables, for the DMVs. A transaction counts for itself, in plain numbers, and adds them to
//! words that all engines share: when it goes on to another table or index, and at its end. So a row costs an addition, and who
//! counts at the same time is in nobody's way: each scheduler has words of its own.

use std::sync::atomic::{AtomicU64, Ordering};

use os::region::Part;
use os::shared_struct;

use super::Xtp;
use super::row::{NEVER, OWNED, Row};
use crate::error::StorageResult;
use crate::region::memory::Memory;

/// Schedulers count apart, as many as this; those beyond share words with others.
pub const SHARES: usize = 8;
const _: () = assert!(SHARES.is_power_of_two());

/// The caller's share.
#[inline]
pub fn share() -> usize {
    os::sched::here().unwrap_or(0) as usize % SHARES
}

/// Plain numbers, and how they are added to shared words and read from them: in the order of the fields.
macro_rules! counts {
    ($(#[$meta:meta])* $name:ident { $($(#[$about:meta])* $field:ident),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct $name { $($(#[$about])* pub $field: u64),* }

        impl $name {
            pub const WORDS: usize = [$(stringify!($field)),*].len();

            /// Adds these numbers to shared words and begins again with none.
            pub fn move_to<'a>(&mut self, word: impl Fn(usize) -> &'a AtomicU64) {
                let numbers = [$(std::mem::take(&mut self.$field)),*];
                for (at, number) in numbers.into_iter().enumerate().filter(|(_, number)| *number != 0) {
                    word(at).fetch_add(number, Ordering::Relaxed);
                }
            }

            pub fn read<'a>(word: impl Fn(usize) -> &'a AtomicU64) -> $name {
                let mut words = (0..Self::WORDS).map(|at| word(at).load(Ordering::Relaxed));
                $name { $($field: words.next().expect("a word a field")),* }
            }

            pub fn add(&mut self, other: $name) {
                $(self.$field += other.$field;)*
            }
        }
    };
}

counts! {
    /// Of a table.
    TableCounts {
        /// Rows that somebody wanted to insert, update, delete, whatever became of it.
        inserts,
        updates,
        deletes,
        write_conflicts,
        unique_violations,
    }
}

counts! {
    /// Of an index.
    IndexCounts {
        scans,
        /// Rows that a transaction saw, and those that it met.
        returned,
        touched,
        /// Of those met: somebody is about to delete them; they were deleted before.
        expiring,
        expired,
        /// The same of the second look by which SERIALIZABLE is checked.
        phantom_scans,
        phantom_touched,
        phantom_expiring,
        phantom_expired,
    }
}

impl IndexCounts {
    /// A scan has met a row. Returns whether it was `seen`.
    #[inline]
    pub fn meet(&mut self, row: Row<'_>, seen: bool) -> bool {
        self.touched += 1;
        if seen {
            self.returned += 1;
        } else {
            count_end(row, &mut self.expiring, &mut self.expired);
        }
        seen
    }

    /// It has met so many, and seen them.
    #[inline]
    pub fn meet_seen(&mut self, rows: usize) {
        self.touched += rows as u64;
        self.returned += rows as u64;
    }

    /// The second look under SERIALIZABLE has.
    pub fn meet_again(&mut self, row: Row<'_>, seen: bool) {
        self.phantom_touched += 1;
        if !seen {
            count_end(row, &mut self.phantom_expiring, &mut self.phantom_expired);
        }
    }
}

#[inline(never)]
fn count_end(row: Row<'_>, expiring: &mut u64, expired: &mut u64) {
    match row.end().load(Ordering::Relaxed) {
        NEVER => {}
        end if end & OWNED != 0 => *expiring += 1,
        _ => *expired += 1,
    }
}

counts! {
    /// Of transactions that used a memory-optimized table.
    TransactionCounts {
        /// Over, however they ended.
        ended,
        /// Committed, and changed no row of such a table.
        read_only,
        aborted,
        /// Of these, by a conflict, a failed validation or dependency.
        aborted_by_system,
        validation_failures,
        /// Others whose commit was waited for, and those that failed.
        dependencies,
        dependencies_failed,
        savepoints,
        savepoint_rollbacks,
        /// Records of rows in the log, their bytes, and the transactions that wrote any.
        log_records,
        log_bytes,
        logged,
    }
}

shared_struct! {
    #[repr(align(128))]
    struct Share {
        words: [AtomicU64; TransactionCounts::WORDS],
    }
}

const _: () = assert!(size_of::<Share>() == 128, "a share is in a pair of cache lines of its own");
/// What transactions have counted that are over.
pub struct Ended {
    shares: Part<Share>,
}

impl Ended {
    pub fn new(memory: &Memory) -> StorageResult<Ended> {
        Ok(Ended { shares: memory.carve("counts of memory-optimized transactions", SHARES)? })
    }

    fn add(&self, counts: &mut TransactionCounts) {
        let words = &self.shares[share()].words;
        counts.move_to(|at| &words[at]);
    }

    pub fn read(&self) -> TransactionCounts {
        let mut sum = TransactionCounts::default();
        self.shares.iter().for_each(|share| sum.add(TransactionCounts::read(|at| &share.words[at])));
        sum
    }
}

/// What a transaction has counted and not added yet.
#[derive(Default)]
pub struct Tally {
    pub transaction: TransactionCounts,
    /// The object that `of_table` is of.
    object: Option<u16>,
    of_table: TableCounts,
    /// The object and the position of the index that `of_index` is of.
    index: Option<(u16, u16)>,
    of_index: IndexCounts,
}

impl Tally {
    /// Where to count for a table.
    #[inline]
    pub fn table(&mut self, xtp: &Xtp, object: u16) -> &mut TableCounts {
        if self.object != Some(object) {
            self.settle_table(xtp);
            self.object = Some(object);
        }
        &mut self.of_table
    }

    /// Where to count for the index at this position of a table.
    #[inline]
    pub fn index(&mut self, xtp: &Xtp, object: u16, position: usize) -> &mut IndexCounts {
        let index = (object, position as u16);
        if self.index != Some(index) {
            self.settle_index(xtp);
            self.index = Some(index);
        }
        &mut self.of_index
    }

    /// Apart from the way that every row takes.
    #[cold]
    #[inline(never)]
    fn settle_table(&mut self, xtp: &Xtp) {
        if let Some(object) = self.object {
            xtp.objects.at(object).add_counts(&mut self.of_table);
        }
    }

    #[cold]
    #[inline(never)]
    fn settle_index(&mut self, xtp: &Xtp) {
        if let Some((object, position)) = self.index {
            xtp.objects.at(object).add_index_counts(&xtp.memory, usize::from(position), &mut self.of_index);
        }
    }

    /// The transaction is over; its snapshot still keeps the tables in memory that it has used.
    pub fn settle(&mut self, xtp: &Xtp) {
        debug_assert_eq!(self.transaction.ended, 0, "a transaction ends once");
        debug_assert!(self.transaction.aborted_by_system <= self.transaction.aborted);
        self.settle_table(xtp);
        self.settle_index(xtp);
        self.transaction.ended = 1;
        xtp.ended.add(&mut self.transaction);
    }
}
