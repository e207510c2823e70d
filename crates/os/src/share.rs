//! Equal shares for connections that ask without a pause. A scheduler serves what is there, in turns; but who comes a moment too late
//! misses a round, and the same ones may always: because their client's thread comes later, or their scheduler's CPU is taken away
//! more often. So each connection counts its turns, and one that has had fewer than is usual goes ahead of the others, if need be on
//! another scheduler.
//!
//! That is not enough where nobody queues: a client's thread may run beside a scheduler, whose connections then ask less often. And
//! engines that are processes serve none of each other's connections. So a scheduler whose connections had more rests as long as it gave
//! them work: while somebody who had less asks, and for requests like those that they make. Whose requests are short has more turns
//! without taking anything from others.
//!
//! Turns, not time: what the clock says of a turn includes the time that the CPU was away, and who loses by that would pay twice.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// A turn, in the unit of the counts: the usual count moves by fractions.
const TURN: i64 = 1 << 16;
/// With each request the usual count comes nearer to that of its connection by this part, and its growth to what that was short of by
/// the other: so it keeps up with counts that all grow.
const NEARER: i64 = 32;
const GROWTH: i64 = NEARER * NEARER * 4;
/// One that is so much behind goes ahead of the others.
const AHEAD: i64 = 3 * TURN;
/// One that is so much behind did not get enough by that: another scheduler serves it.
const ELSEWHERE: i64 = 16 * TURN;
/// Nobody is owed more, nor can owe more.
const MOST: i64 = 256 * TURN;
/// Who lets so much time pass before the next request is owed nothing: it did not ask.
const PAUSE_NS: u64 = 10_000_000;
/// Who is behind and asked within so many quanta still asks.
const ASKS_QUANTA: u64 = 2;
/// Requests that take up to so many times as long as others are like them: one CPU may be that much slower than the other.
const ALIKE: u64 = 2;
/// With each request what a connection's requests take may grow by this part. It shrinks at once: what takes longer was interrupted.
const COST_GROWTH: u64 = 64;

/// A connection's.
#[derive(Default)]
pub struct Share {
    turns: AtomicI64,
    /// When its last request ended; 0: it had none.
    rests_since_ns: AtomicU64,
    /// What its requests take where nothing interrupts them.
    cost_ns: AtomicU64,
}

/// What is usual, on all engines.
#[derive(Default)]
pub struct Shares {
    usual: AtomicI64,
    /// How much it grows with each request.
    growth: AtomicI64,
    /// When somebody who was behind asked last.
    behind_asked_ns: AtomicU64,
    /// What its requests take.
    behind_cost_ns: AtomicU64,
}

/// What a request is owed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owed {
    /// Its connection had much more than the others: where it is alone, it lets others have the CPU for a moment, the clients of those
    /// who come too late among them.
    Less,
    Nothing,
    /// To run before those whose round begins.
    Ahead,
    /// And not where its connection is watched.
    Elsewhere,
}

impl Shares {
    /// A request that used so much CPU has ended at `now`. Counts of one connection change one after the other. Whether it had more
    /// than the others while one that had less, and makes requests like this, asks.
    pub fn book(&self, share: &Share, used_ns: u64, quantum_ns: u64, now: u64) -> bool {
        let turns = 1 + (used_ns / quantum_ns.max(1)).min(MOST as u64) as i64;
        let growth = self.growth.load(Ordering::Relaxed);
        assert!((0..=MOST).contains(&growth), "what is usual shrinks, or grows by {growth} with one request");
        let usual = self.usual.load(Ordering::Relaxed) + growth;
        let had = (share.turns.load(Ordering::Relaxed) + turns * TURN).clamp(usual - MOST, usual + MOST);
        share.turns.store(had, Ordering::Relaxed);
        share.rests_since_ns.store(now, Ordering::Relaxed);
        let known = share.cost_ns.load(Ordering::Relaxed);
        let cost = if known == 0 { used_ns } else { used_ns.min(known + known / COST_GROWTH + 1) };
        share.cost_ns.store(cost, Ordering::Relaxed);
        // Two at once may lose one's part: it is an estimate.
        self.usual.store(usual + (had - usual) / NEARER, Ordering::Relaxed);
        self.growth.store((growth + (had - usual) / GROWTH).clamp(0, MOST), Ordering::Relaxed);
        let asked = self.behind_asked_ns.load(Ordering::Relaxed);
        had - usual >= ELSEWHERE
            && now.saturating_sub(asked) < ASKS_QUANTA * quantum_ns
            && cost * ALIKE >= self.behind_cost_ns.load(Ordering::Relaxed)
    }

    /// A request has come at `now`.
    pub fn owed(&self, share: &Share, now: u64) -> Owed {
        let usual = self.usual.load(Ordering::Relaxed);
        if now.saturating_sub(share.rests_since_ns.load(Ordering::Relaxed)) > PAUSE_NS {
            share.turns.store(usual, Ordering::Relaxed);
            return Owed::Nothing;
        }
        let behind = usual - share.turns.load(Ordering::Relaxed);
        if behind >= AHEAD {
            self.behind_asked_ns.store(now, Ordering::Relaxed);
            self.behind_cost_ns.store(share.cost_ns.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        match behind {
            ELSEWHERE.. => Owed::Elsewhere,
            AHEAD.. => Owed::Ahead,
            _ if behind <= -ELSEWHERE => Owed::Less,
            _ => Owed::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUANTUM_NS: u64 = 4_000_000;

    /// `count` connections that had as many turns as each other for a while.
    fn equals(shares: &Shares, count: usize) -> Vec<Share> {
        let all: Vec<Share> = (0..count).map(|_| Share::default()).collect();
        for _ in 0..1_000 {
            for share in &all {
                shares.book(share, 1_000, QUANTUM_NS, 1);
            }
        }
        all
    }

    #[test]
    fn equals_are_owed_nothing_however_many_they_are() {
        for count in [1, 2, 6, 400] {
            let shares = Shares::default();
            let all = equals(&shares, count);
            assert!(all.iter().all(|share| shares.owed(share, 1) == Owed::Nothing), "{count}");
        }
    }

    #[test]
    fn who_misses_rounds_goes_ahead_until_it_has_had_as_many() {
        let shares = Shares::default();
        let (late, others) = {
            let mut all = equals(&shares, 6);
            (all.remove(0), all)
        };
        let without_late = || {
            for share in &others {
                shares.book(share, 1_000, QUANTUM_NS, 1);
            }
            shares.owed(&late, 1)
        };
        assert!((0..10).any(|_| without_late() == Owed::Ahead));
        assert!((0..40).any(|_| without_late() == Owed::Elsewhere));
        // Alone for a while, it catches up, and then has had more than the others.
        let late_alone = || {
            shares.book(&late, 1_000, QUANTUM_NS, 1);
            shares.owed(&late, 1)
        };
        assert!((0..1_000).any(|_| late_alone() == Owed::Nothing));
        assert!((0..1_000).any(|_| late_alone() == Owed::Less));
    }

    #[test]
    fn who_had_more_rests_while_its_like_asks_for_less() {
        const NOW: u64 = 1_000_000_000;
        let (shares, late) = (Shares::default(), Share::default());
        let others = equals(&shares, 6);
        shares.book(&late, 2_000, QUANTUM_NS, NOW);
        let has_more = |used| (0..100).any(|_| shares.book(&others[0], used, QUANTUM_NS, NOW));
        assert!(!has_more(1_000), "nobody who is behind has asked");
        assert_ne!(shares.owed(&late, NOW), Owed::Nothing);
        assert!(has_more(1_000));
        assert!(!has_more(900), "its requests are shorter than the half of the other's");
        assert!(!shares.book(&others[0], 5_000, QUANTUM_NS, NOW), "one that takes longer was interrupted");
        assert!(!shares.book(&late, 1_000, QUANTUM_NS, NOW), "it had less itself");
        assert!(!shares.book(&others[0], 1_000, QUANTUM_NS, 2 * NOW), "the other has not asked lately");
    }

    #[test]
    fn who_paused_is_owed_nothing() {
        let (shares, idle) = (Shares::default(), Share::default());
        shares.book(&idle, 0, QUANTUM_NS, 1);
        equals(&shares, 2);
        assert_eq!(shares.owed(&idle, 1_000), Owed::Elsewhere);
        assert_eq!(shares.owed(&idle, PAUSE_NS + 2), Owed::Nothing);
        assert_eq!(shares.owed(&idle, 1_000), Owed::Nothing, "it begins with what is usual now");
    }

    #[test]
    fn long_requests_count_as_many_turns() {
        let (shares, long, short) = (Shares::default(), Share::default(), Share::default());
        for _ in 0..10 {
            shares.book(&long, 20 * QUANTUM_NS, QUANTUM_NS, 1);
            shares.book(&short, 10, QUANTUM_NS, 1);
        }
        assert_ne!(shares.owed(&short, 1), Owed::Nothing);
    }
}
