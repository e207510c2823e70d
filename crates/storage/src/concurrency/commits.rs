//! The commit clock: which transactions have committed, when, and whose changes a snapshot sees.
//!
//! A transaction id is given at the first change, a commit time at the commit; both only grow. A snapshot is a value of
//! the commit clock: it sees what committed at or before it. Of each id the table keeps one word: 0 active, 1 rolled
//! back, otherwise the commit time, with its top bit set while the transaction has its time but may still fail. If it does
//! fail, its word says until when snapshots may have counted on it. Words lie in chunks of neighbouring ids, which go when
//! all their ids are below the horizon: of those every snapshot that exists or will exist sees the changes, or has none to ask of.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use os::region::{Part, Placed, Pool, spread};
use os::shared_struct;
use os::sync::{SpinClass, SpinLock};

use crate::error::{StorageError, StorageResult};
use crate::region::memory::Memory;

static COMMIT_CLOCK: SpinClass = SpinClass::new("XACT_COMMIT_CLOCK");

const CHUNK: usize = 8192;
/// Ids at or above the horizon that there may be: a billion, six hours of 50,000 commits a second.
const CHUNKS_MAX: usize = 1 << 17;
const ACTIVE: u64 = 0;
const ROLLED_BACK: u64 = 1;
/// With the commit time that the transaction will have if it commits.
const PREPARING: u64 = 1 << 63;
/// It had a commit time and was rolled back, with the time of the clock then: whoever has a snapshot as old may wait for it still.
const FAILED: u64 = 1 << 62;
/// The clock starts above the words with a meaning of their own.
const CLOCK_START: u64 = 2;
const _: () = assert!(CLOCK_START > ACTIVE && CLOCK_START > ROLLED_BACK && CLOCK_START < FAILED);
const _: () =
    assert!(CHUNK.is_power_of_two() && CHUNKS_MAX.is_power_of_two(), "an id has one chunk and one word in it");
/// Of ids: row headers have no more room for them.
const ID_BITS: u32 = 48;

type Words = [AtomicU64; CHUNK];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Active,
    RolledBack,
    /// It will have committed at this time of the clock, unless it fails.
    Preparing(u64),
    /// At this time of the commit clock; 0: before every snapshot.
    Committed(u64),
}

shared_struct! {
    struct State {
        /// The last commit time given. Written under `order`; a reader that loads it (Acquire) sees the words of all commits up to it.
        clock: AtomicU64,
        next: AtomicU64,
        /// All ids below are committed and seen by every snapshot, or rolled back.
        horizon: AtomicU64,
        /// Orders id assignment, commits and the coming and going of chunks.
        order: SpinLock<()>,
    }
}

pub struct Commits {
    state: Placed<State>,
    /// The slot of each chunk plus one, by `id / CHUNK`, as a ring.
    chunks: Part<AtomicU32>,
    words: Pool<Words>,
}

impl Commits {
    pub fn region_bytes() -> usize {
        Pool::<Words>::region_bytes(CHUNKS_MAX) + CHUNKS_MAX * size_of::<AtomicU32>()
    }

    /// `next`: above every id in the files.
    fn starting_at(memory: &Memory, horizon: u64, next: u64) -> StorageResult<Commits> {
        assert!(horizon > 0, "0 is the system");
        assert!(horizon <= next && next >> ID_BITS == 0, "ids from {horizon} to {next}");
        let state = State {
            clock: AtomicU64::new(CLOCK_START),
            next: AtomicU64::new(next),
            horizon: AtomicU64::new(horizon),
            order: SpinLock::new(&COMMIT_CLOCK, ()),
        };
        let commits = Commits {
            state: memory.place("commit clock", state)?,
            chunks: memory.carve("chunks of commit times", CHUNKS_MAX)?,
            words: memory.pool("commit times", CHUNKS_MAX)?,
        };
        for chunk in horizon / CHUNK as u64..=next / CHUNK as u64 {
            commits.add_chunk(chunk)?;
        }
        Ok(commits)
    }

    /// After a crash: of the ids below `next` those in `unfinished` are still to be rolled back; until then they are as
    /// active as if the instance had gone on, and nobody may clean up what they did.
    pub fn recovered(memory: &Memory, next: u64, unfinished: impl Iterator<Item = u64>) -> StorageResult<Commits> {
        let active: BTreeSet<u64> = unfinished.collect();
        assert!(active.last().is_none_or(|last| *last < next), "ids that were given");
        let first = active.first().copied().unwrap_or(next);
        let commits = Commits::starting_at(memory, first, next)?;
        for id in (first..next).filter(|id| !active.contains(id)) {
            commits.word(id).store(CLOCK_START, Ordering::SeqCst);
        }
        Ok(commits)
    }

    /// Words for `CHUNK` more ids, all active. Under `order`, or before anybody else.
    fn add_chunk(&self, chunk: u64) -> StorageResult<()> {
        let link = &self.chunks[chunk as usize % CHUNKS_MAX];
        if link.load(Ordering::Relaxed) != 0 {
            return Err(StorageError::OutOfMemory);
        }
        let slot = self.words.take_needed()?;
        debug_assert!(
            self.words[slot].iter().all(|word| word.load(Ordering::Relaxed) == ACTIVE),
            "a chunk comes as if new"
        );
        link.store(slot + 1, Ordering::SeqCst);
        Ok(())
    }

    /// Of an id at or above the horizon.
    #[inline]
    fn word(&self, id: u64) -> &AtomicU64 {
        let chunk = self.chunks[(id / CHUNK as u64) as usize % CHUNKS_MAX].load(Ordering::Acquire);
        // A chunk that went meanwhile: the caller looks at the horizon again.
        // Transactions that follow one another run at the same time.
        &self.words[chunk.saturating_sub(1)][spread(id as usize % CHUNK)]
    }

    pub fn next_id(&self) -> u64 {
        self.state.next.load(Ordering::Acquire)
    }

    pub fn now(&self) -> u64 {
        self.state.clock.load(Ordering::SeqCst)
    }

    pub fn horizon(&self) -> u64 {
        self.state.horizon.load(Ordering::Acquire)
    }

    /// `announce` runs before the id can be seen anywhere else.
    pub fn begin(&self, announce: impl FnOnce(u64)) -> StorageResult<u64> {
        let _order = self.state.order.lock();
        let id = self.state.next.load(Ordering::Relaxed);
        assert!(id >> ID_BITS == 0, "ids are used up: a row header has no room for {id}");
        debug_assert!(id >= self.state.horizon.load(Ordering::Relaxed), "nobody is past an id that was not given");
        debug_assert_eq!(self.word(id).load(Ordering::Relaxed), ACTIVE, "an id is given once");
        if (id + 1).is_multiple_of(CHUNK as u64) {
            self.add_chunk((id + 1) / CHUNK as u64)?;
        }
        announce(id);
        self.state.next.store(id + 1, Ordering::SeqCst);
        Ok(id)
    }

    /// Makes the changes of `id` visible: one step on the clock.
    pub fn commit(&self, id: u64) -> u64 {
        self.stamp(id, 0)
    }

    /// Gives `id` its commit time. Snapshots from then on see its changes, if it is confirmed.
    pub fn prepare(&self, id: u64) -> u64 {
        self.stamp(id, PREPARING)
    }

    fn stamp(&self, id: u64, mark: u64) -> u64 {
        let _order = self.state.order.lock();
        let time = self.state.clock.load(Ordering::Relaxed) + 1;
        debug_assert_eq!(self.word(id).load(Ordering::Relaxed), ACTIVE, "a transaction gets one commit time");
        assert!(id != 0 && time < FAILED, "the system commits nothing");
        self.word(id).store(mark | time, Ordering::SeqCst);
        self.state.clock.store(time, Ordering::SeqCst);
        time
    }

    /// What was prepared has committed.
    pub fn confirm(&self, id: u64, time: u64) {
        debug_assert_eq!(self.word(id).load(Ordering::Relaxed), PREPARING | time, "what commits is what was prepared");
        debug_assert!(CLOCK_START < time && time <= self.now(), "a time the clock has given");
        self.word(id).store(time, Ordering::SeqCst);
    }

    /// One step on the clock without a commit: snapshots to come are younger than what has been.
    pub fn tick(&self) {
        let _order = self.state.order.lock();
        self.state.clock.fetch_add(1, Ordering::SeqCst);
    }

    /// All its changes are undone.
    pub fn rolled_back(&self, id: u64) {
        let _order = self.state.order.lock();
        debug_assert!(
            matches!(Commits::meaning(self.word(id).load(Ordering::Relaxed)), Status::Active | Status::Preparing(_)),
            "a transaction ends once"
        );
        let word = self.word(id);
        if word.load(Ordering::Relaxed) & PREPARING == 0 {
            return word.store(ROLLED_BACK, Ordering::SeqCst);
        }
        let time = self.state.clock.load(Ordering::Relaxed);
        word.store(FAILED | time, Ordering::SeqCst);
        // Snapshots to come are younger.
        self.state.clock.store(time + 1, Ordering::SeqCst);
    }

    #[inline]
    pub fn status(&self, id: u64) -> Status {
        if id < self.horizon() {
            return Status::Committed(0);
        }
        let word = self.word(id).load(Ordering::SeqCst);
        // The horizon moves before a chunk goes: if it has not passed the id, the word was the id's own.
        if id < self.state.horizon.load(Ordering::SeqCst) {
            return Status::Committed(0);
        }
        Commits::meaning(word)
    }

    /// Not committed nor rolled back yet.
    #[inline]
    pub fn is_running(&self, id: u64) -> bool {
        matches!(self.status(id), Status::Active | Status::Preparing(_))
    }

    fn meaning(word: u64) -> Status {
        match word {
            ACTIVE => Status::Active,
            ROLLED_BACK => Status::RolledBack,
            time if time & PREPARING != 0 => Status::Preparing(time & !PREPARING),
            time if time & FAILED != 0 => Status::RolledBack,
            time => Status::Committed(time),
        }
    }

    /// `oldest`: the oldest snapshot in use, or the clock if there is none. Returns the horizon.
    pub fn advance(&self, oldest: u64) -> u64 {
        let _order = self.state.order.lock();
        let next = self.state.next.load(Ordering::Relaxed);
        let from = self.state.horizon.load(Ordering::Relaxed);
        assert!(from <= next, "no id at or above {next} has been given: the horizon is {from}");
        assert!(oldest <= self.state.clock.load(Ordering::Relaxed), "a snapshot is a time that has been");
        let mut horizon = from;
        while horizon < next {
            let word = self.word(horizon).load(Ordering::Relaxed);
            let is_over = match word {
                ACTIVE => false,
                word if word & PREPARING != 0 => false,
                word if word & FAILED != 0 => word & !FAILED < oldest,
                word => word <= oldest,
            };
            if !is_over {
                break;
            }
            horizon += 1;
        }
        if horizon > from {
            self.state.horizon.store(horizon, Ordering::SeqCst);
            for chunk in from / CHUNK as u64..horizon / CHUNK as u64 {
                let slot = self.chunks[chunk as usize % CHUNKS_MAX].swap(0, Ordering::SeqCst);
                assert!(slot != 0, "the words of ids below the horizon go once");
                self.words.give_empty(slot - 1);
            }
        }
        horizon
    }
}

#[cfg(test)]
mod tests {
    use os::region::Visibility;

    use super::*;

    fn memory() -> Memory {
        Memory::reserve(Commits::region_bytes(), Visibility::ThisProcess).expect("memory")
    }

    #[test]
    fn after_a_crash_only_the_unfinished_are_active() {
        let last = 20 + 2 * CHUNK as u64;
        let commits = Commits::recovered(&memory(), last + 1, [20, last].into_iter()).expect("a clock");
        assert_eq!(commits.status(19), Status::Committed(0));
        assert_eq!((commits.status(20), commits.status(last)), (Status::Active, Status::Active));
        for id in [21, 20 + CHUNK as u64, last - 1] {
            assert_eq!(commits.status(id), Status::Committed(commits.now()), "{id}");
        }
        commits.rolled_back(20);
        assert_eq!(commits.advance(commits.now()), last);
        commits.rolled_back(last);
        assert_eq!(commits.advance(commits.now()), last + 1);
    }

    /// Below the horizon every id counts as committed: who waits for one that fails must hear of it first.
    #[test]
    fn who_may_count_on_a_transaction_hears_that_it_failed() {
        let commits = Commits::starting_at(&memory(), 10, 10).expect("a clock");
        let failing = commits.begin(|_| {}).expect("room");
        commits.prepare(failing);
        let snapshot = commits.now();
        commits.rolled_back(failing);
        assert_eq!(commits.advance(snapshot), failing);
        assert_eq!(commits.status(failing), Status::RolledBack);
        assert_eq!(commits.advance(commits.now()), failing + 1, "nobody is left who began before");
    }

    #[test]
    fn an_open_transaction_keeps_the_words_of_all_later_ones() {
        let commits = Commits::starting_at(&memory(), 10, 10).expect("a clock");
        let begin = || commits.begin(|_| {}).expect("room");
        let open = begin();
        let early = begin();
        let time = commits.commit(early);
        for _ in 0..3 * CHUNK {
            commits.commit(begin());
        }
        assert_eq!(commits.status(open), Status::Active);
        assert_eq!(commits.status(early), Status::Committed(time));
        assert_eq!(commits.advance(commits.now()), open, "an open transaction holds the horizon");
        let late = commits.commit(open);
        assert_eq!(commits.status(open), Status::Committed(late));
        assert_eq!(commits.advance(late - 1), open);
        assert_eq!(commits.advance(late), commits.next_id());
        assert_eq!(commits.status(open), Status::Committed(0));
        // The chunks that went serve again, as if new.
        for _ in 0..3 * CHUNK {
            assert_eq!(commits.status(begin()), Status::Active);
        }
    }
}
