//! The commit clock: which transactions have committed, when, and whose changes a snapshot sees.
//!
//! A transaction id is given at the first change, a commit time at the commit; both only grow. A snapshot is a value of
//! the commit clock: it sees what committed at or before it. Of each id the table keeps one word: 0 active, 1 rolled
//! back, otherwise the commit time. The newest `RING` ids live in a ring, older ones that some snapshot or unfinished
//! transaction still keeps interesting in a map, and of all ids below the horizon nothing is kept: every snapshot that
//! exists or will exist sees them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use os::sync::{SpinClass, SpinLock};

use crate::hash::NumberMap;

static COMMIT_CLOCK: SpinClass = SpinClass::new("XACT_COMMIT_CLOCK");

const RING: u64 = 1 << 16;
const ACTIVE: u64 = 0;
const ROLLED_BACK: u64 = 1;
/// The clock starts above the words with a meaning of their own.
const CLOCK_START: u64 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Active,
    RolledBack,
    /// At this time of the commit clock; 0: before every snapshot.
    Committed(u64),
}

pub struct Commits {
    ring: Box<[AtomicU64]>,
    /// The last commit time given. Written under `order`; a reader that loads it (Acquire) sees the words of all commits up to it.
    clock: AtomicU64,
    next: AtomicU64,
    /// All ids below are committed and seen by every snapshot, or rolled back.
    horizon: AtomicU64,
    /// Orders id assignment, commits and the move of old words to `old`.
    order: SpinLock<NumberMap<u64, u64>>,
}

impl Commits {
    /// `next`: above every id in the files.
    pub fn new(next: u64) -> Commits {
        assert!(next > 0, "0 is the system");
        Commits {
            ring: (0..RING).map(|_| AtomicU64::new(ACTIVE)).collect(),
            clock: AtomicU64::new(CLOCK_START),
            next: AtomicU64::new(next),
            horizon: AtomicU64::new(next),
            order: SpinLock::new(&COMMIT_CLOCK, NumberMap::default()),
        }
    }

    /// After a crash: of the ids below `next` those in `unfinished` are still to be rolled back; until then they are as
    /// active as if the instance had gone on, and nobody may clean up what they did.
    pub fn recovered(next: u64, unfinished: impl Iterator<Item = u64>) -> Commits {
        let commits = Commits::new(next);
        let active: BTreeSet<u64> = unfinished.collect();
        if let Some(&first) = active.first() {
            assert!(active.last().is_some_and(|last| *last < next), "ids that were given");
            commits.horizon.store(first, Ordering::SeqCst);
            let mut old = commits.order.lock();
            for id in (first..next).filter(|id| !active.contains(id)) {
                commits.set(&mut old, id, CLOCK_START);
            }
        }
        commits
    }

    pub fn next_id(&self) -> u64 {
        self.next.load(Ordering::Acquire)
    }

    pub fn now(&self) -> u64 {
        self.clock.load(Ordering::SeqCst)
    }

    pub fn horizon(&self) -> u64 {
        self.horizon.load(Ordering::Acquire)
    }

    /// `announce` runs before the id can be seen anywhere else.
    pub fn begin(&self, announce: impl FnOnce(u64)) -> u64 {
        let mut old = self.order.lock();
        let id = self.next.load(Ordering::Relaxed);
        announce(id);
        let word = &self.ring[(id % RING) as usize];
        if let Some(leaving) = id.checked_sub(RING)
            && leaving >= self.horizon.load(Ordering::Relaxed)
            && word.load(Ordering::Relaxed) != ACTIVE
        {
            old.insert(leaving, word.load(Ordering::Relaxed));
        }
        // Before the word changes its meaning, readers must know that the old id has left the ring.
        self.next.store(id + 1, Ordering::SeqCst);
        word.store(ACTIVE, Ordering::SeqCst);
        id
    }

    /// Makes the changes of `id` visible: one step on the clock.
    pub fn commit(&self, id: u64) -> u64 {
        let mut old = self.order.lock();
        let time = self.clock.load(Ordering::Relaxed) + 1;
        self.set(&mut old, id, time);
        self.clock.store(time, Ordering::SeqCst);
        time
    }

    /// All its changes are undone.
    pub fn rolled_back(&self, id: u64) {
        let mut old = self.order.lock();
        self.set(&mut old, id, ROLLED_BACK);
    }

    fn set(&self, old: &mut NumberMap<u64, u64>, id: u64, word: u64) {
        if id + RING >= self.next.load(Ordering::Relaxed) {
            self.ring[(id % RING) as usize].store(word, Ordering::SeqCst);
        } else {
            old.insert(id, word);
        }
    }

    #[inline]
    pub fn status(&self, id: u64) -> Status {
        if id < self.horizon() {
            return Status::Committed(0);
        }
        let word = self.ring[(id % RING) as usize].load(Ordering::SeqCst);
        if id + RING >= self.next.load(Ordering::SeqCst) {
            return Commits::meaning(word);
        }
        let old = self.order.lock();
        if id < self.horizon() {
            return Status::Committed(0);
        }
        Commits::meaning(old.get(&id).copied().unwrap_or(ACTIVE))
    }

    fn meaning(word: u64) -> Status {
        match word {
            ACTIVE => Status::Active,
            ROLLED_BACK => Status::RolledBack,
            time => Status::Committed(time),
        }
    }

    /// `oldest`: the oldest snapshot in use, or the clock if there is none. Returns the horizon.
    pub fn advance(&self, oldest: u64) -> u64 {
        let mut old = self.order.lock();
        let next = self.next.load(Ordering::Relaxed);
        let from = self.horizon.load(Ordering::Relaxed);
        let mut horizon = from;
        while horizon < next {
            let word = if horizon + RING >= next {
                self.ring[(horizon % RING) as usize].load(Ordering::Relaxed)
            } else {
                old.get(&horizon).copied().unwrap_or(ACTIVE)
            };
            if word == ACTIVE || word > oldest {
                break;
            }
            horizon += 1;
        }
        if horizon > from {
            self.horizon.store(horizon, Ordering::SeqCst);
            if !old.is_empty() {
                old.retain(|id, _| *id >= horizon);
            }
        }
        horizon
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_crash_only_the_unfinished_are_active() {
        let last = 20 + 2 * RING;
        let commits = Commits::recovered(last + 1, [20, last].into_iter());
        assert_eq!(commits.status(19), Status::Committed(0));
        assert_eq!((commits.status(20), commits.status(last)), (Status::Active, Status::Active));
        for id in [21, 20 + RING, last - 1] {
            assert_eq!(commits.status(id), Status::Committed(commits.now()), "{id}");
        }
        commits.rolled_back(20);
        assert_eq!(commits.advance(commits.now()), last);
        commits.rolled_back(last);
        assert_eq!(commits.advance(commits.now()), last + 1);
    }

    #[test]
    fn words_that_leave_the_ring_keep_their_meaning() {
        let commits = Commits::new(10);
        let open = commits.begin(|_| {});
        let early = commits.begin(|_| {});
        let time = commits.commit(early);
        for _ in 0..RING + 5 {
            let id = commits.begin(|_| {});
            commits.commit(id);
        }
        assert_eq!(commits.status(open), Status::Active);
        assert_eq!(commits.status(early), Status::Committed(time));
        assert_eq!(commits.advance(commits.now()), open, "an open transaction holds the horizon");
        let late = commits.commit(open);
        assert_eq!(commits.status(open), Status::Committed(late));
        assert_eq!(commits.advance(late - 1), open);
        assert_eq!(commits.advance(late), commits.next_id());
        assert_eq!(commits.status(open), Status::Committed(0));
    }
}
