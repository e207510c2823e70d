//! Which version of a row a transaction sees.

use std::sync::atomic::Ordering;

use super::row::{NEVER, OWNED, Row};
use crate::concurrency::commits::{Commits, Status};

/// Whose eyes rows are seen with, and as of when.
#[derive(Clone, Copy)]
pub struct Eyes<'a> {
    pub commits: &'a Commits,
    /// A time of the commit clock, announced as a snapshot in use.
    pub time: u64,
    /// The reader's own transaction, 0 if it has changed nothing.
    pub own: u64,
    /// Own changes of this statement and later ones are not seen. `u32::MAX`: all are.
    pub before_statement: u32,
}

/// What a word of a row's life says at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Passed {
    Yes,
    No,
    /// Yes, if this transaction commits: it has its commit time already, but may still fail.
    If(u64),
    Own,
}

impl Eyes<'_> {
    /// Whether the version is seen, as far as that needs no more than a look at its life: its writer is long over, and nobody has ended it.
    #[inline]
    pub fn see_at_once(&self, row: Row<'_>) -> bool {
        row.begin().load(Ordering::Acquire) <= self.time && row.end().load(Ordering::Acquire) == NEVER
    }

    /// Whether the version is seen. Transactions that this rests on are added to `dependencies`: nothing that is seen may be
    /// told to anybody before they have committed.
    #[inline]
    pub fn see(&self, row: Row<'_>, dependencies: &mut Vec<u64>) -> bool {
        self.see_at_once(row) || self.look(row, dependencies)
    }

    #[inline(never)]
    fn look(&self, row: Row<'_>, dependencies: &mut Vec<u64>) -> bool {
        debug_assert!(self.time < NEVER && self.own & OWNED == 0, "a time, and a transaction");
        let mut rests_on = |id: u64| {
            if dependencies.last() != Some(&id) {
                dependencies.push(id);
            }
        };
        let began = match self.passed(row.begin()) {
            Passed::Yes => true,
            Passed::No => false,
            Passed::If(id) => {
                rests_on(id);
                true
            }
            Passed::Own => row.inserted_by() < self.before_statement,
        };
        began
            && match self.passed(row.end()) {
                Passed::Yes => false,
                Passed::No => true,
                Passed::If(id) => {
                    rests_on(id);
                    false
                }
                Passed::Own => row.ended_by() >= self.before_statement,
            }
    }

    /// Whether the moment in `word`, a row's begin or end, is not after the time.
    fn passed(&self, word: &std::sync::atomic::AtomicU64) -> Passed {
        let mut moment = word.load(Ordering::SeqCst);
        loop {
            if moment & OWNED == 0 {
                return if moment <= self.time { Passed::Yes } else { Passed::No };
            }
            let id = moment & !OWNED;
            debug_assert!(id != 0, "the system owns no row");
            if id == self.own {
                return Passed::Own;
            }
            match self.commits.status(id) {
                Status::Active | Status::RolledBack => return Passed::No,
                Status::Preparing(time) => return if time <= self.time { Passed::If(id) } else { Passed::No },
                // Long over: the word has been settled since, one way or the other.
                Status::Committed(0) => {
                    let now = word.load(Ordering::SeqCst);
                    if now == moment {
                        return Passed::Yes;
                    }
                    moment = now;
                }
                Status::Committed(time) => return if time <= self.time { Passed::Yes } else { Passed::No },
            }
        }
    }

    /// Whether a version was there at the time, or before it.
    pub fn has_begun(&self, row: Row<'_>) -> bool {
        self.passed(row.begin()) != Passed::No
    }

    /// Whether a version that these eyes do not see may be there when the reader commits: somebody else's that is not committed,
    /// or was committed after the time.
    pub fn may_come(&self, row: Row<'_>) -> bool {
        let begin = row.begin().load(Ordering::SeqCst);
        let rolled_back =
            begin == NEVER || begin & OWNED != 0 && self.commits.status(begin & !OWNED) == Status::RolledBack;
        !rolled_back && self.passed(row.begin()) == Passed::No
    }
}
