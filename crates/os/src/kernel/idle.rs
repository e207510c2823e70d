//! How long a scheduler without work looks for more before it sleeps. To be woken costs 30 us, and a virtual CPU that was given back
//! comes when its host finds the time. So one looks on where more mostly came soon; and one that is busy for a good part of its
//! time does so for longer, since what it burns is then no more than a few times what it needs.

/// A yield of the CPU that took longer gave it to somebody who computes, and the kernel lets who yields wait longest. Who sleeps is
/// woken in time: no looking for a while then.
const YIELD_LOST_NS: u64 = 1_000_000;
/// The first such while. The next one is twice as long where a turn is lost again soon after, up to the longest: somebody computes
/// for long then, and each look that tries whether he has ended costs a turn.
const PAUSE_NS: u64 = 20_000_000;
const PAUSE_NS_MAX: u64 = 1_280_000_000;
/// A busy scheduler works for at least one part in so many of its time, and looks so many times as long.
const BUSY_PART: u64 = 4;
const BUSY_FACTOR: u64 = 10;
/// One long rest must not count for more than this many of the longest looks.
const RESTS_MAX: u64 = 4;
/// Times with and without work lose this part of their weight with each new one.
const MEMORY: u64 = 16;

/// What a scheduler's times without work were like lately.
#[derive(Default)]
pub struct IdleTimes {
    /// One of them: a moving average.
    usual_ns: u64,
    /// Sums that fade.
    busy_ns: u64,
    idle_ns: u64,
    /// When the last one ended.
    busy_since_ns: u64,
    /// No looking before this time.
    look_from_ns: u64,
    /// How long the last pause was.
    pause_ns: u64,
}

impl IdleTimes {
    /// Work came at `now`; there had been none since `since`. `spin_ns`: the machine's `idle_spin`.
    pub fn ended(&mut self, since: u64, now: u64, spin_ns: u64) {
        let idle = now.saturating_sub(since).min(spin_ns * BUSY_FACTOR * RESTS_MAX);
        self.usual_ns = (self.usual_ns * 3 + idle.min(spin_ns * RESTS_MAX)) / 4;
        self.busy_ns = self.busy_ns - self.busy_ns / MEMORY + since.saturating_sub(self.busy_since_ns);
        self.idle_ns = self.idle_ns - self.idle_ns / MEMORY + idle;
        self.busy_since_ns = now;
        assert!(self.usual_ns <= spin_ns * RESTS_MAX, "one rest counts for more than the longest");
        assert!(self.idle_ns <= MEMORY * (spin_ns * BUSY_FACTOR * RESTS_MAX + 1), "rests do not fade");
    }

    /// How long to look for work now that there is none.
    pub fn look_ns(&self, now: u64, spin_ns: u64) -> u64 {
        if now < self.look_from_ns {
            0
        } else if self.busy_ns * (BUSY_PART - 1) >= self.idle_ns {
            spin_ns * BUSY_FACTOR
        } else if self.usual_ns < spin_ns {
            spin_ns
        } else {
            0
        }
    }

    /// The CPU was yielded at `before` and came back at `now`.
    pub fn yielded(&mut self, before: u64, now: u64) {
        if now.saturating_sub(before) > YIELD_LOST_NS {
            let soon = now.saturating_sub(self.look_from_ns) <= self.pause_ns;
            self.pause_ns = if soon { (self.pause_ns * 2).clamp(PAUSE_NS, PAUSE_NS_MAX) } else { PAUSE_NS };
            self.look_from_ns = now + self.pause_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPIN_NS: u64 = 200_000;

    /// After `rounds` of so much work and so much rest.
    fn after(rounds: usize, busy_ns: u64, idle_ns: u64) -> u64 {
        let (mut times, mut now) = (IdleTimes::default(), 0);
        for _ in 0..rounds {
            times.ended(now + busy_ns, now + busy_ns + idle_ns, SPIN_NS);
            now += busy_ns + idle_ns;
        }
        times.look_ns(now, SPIN_NS)
    }

    #[test]
    fn who_is_busy_looks_long_and_who_rests_long_does_not_look() {
        assert_eq!(after(100, 500_000, 1_000_000), SPIN_NS * BUSY_FACTOR);
        assert_eq!(after(100, 20_000, 100_000), SPIN_NS, "little work, and often");
        assert_eq!(after(100, 20_000, 1_000_000), 0, "little work, and seldom");
        assert_eq!(after(100, 500_000, 10_000_000), 0);
    }

    #[test]
    fn a_long_rest_ends_the_looking_and_a_little_work_begins_it_again() {
        let (mut times, mut now) = (IdleTimes::default(), 0);
        let mut round = |busy: u64, idle: u64| {
            times.ended(now + busy, now + busy + idle, SPIN_NS);
            now += busy + idle;
            times.look_ns(now, SPIN_NS)
        };
        assert!((0..50).all(|_| round(100_000, 100_000) > 0));
        assert_eq!(round(100_000, 60_000_000_000), 0);
        assert!((0..60).any(|_| round(100_000, 100_000) == SPIN_NS * BUSY_FACTOR));
    }

    #[test]
    fn a_yield_that_cost_the_turn_ends_the_looking_for_a_while() {
        let mut times = IdleTimes::default();
        times.yielded(1_000, 1_000 + YIELD_LOST_NS + 1);
        assert_eq!(times.look_ns(2_000_000, SPIN_NS), 0);
        assert!(times.look_ns(PAUSE_NS * 2, SPIN_NS) > 0);
    }

    #[test]
    fn turns_that_are_lost_again_and_again_make_the_pauses_long_and_quiet_makes_them_short_again() {
        let (mut times, mut now) = (IdleTimes::default(), PAUSE_NS_MAX);
        let mut lose_after = |quiet_ns: u64| {
            let before = now.max(times.look_from_ns) + quiet_ns;
            now = before + YIELD_LOST_NS + 1;
            times.yielded(before, now);
            times.look_from_ns - now
        };
        assert_eq!(lose_after(0), PAUSE_NS);
        assert_eq!(lose_after(1_000), PAUSE_NS * 2);
        assert_eq!(lose_after(1_000), PAUSE_NS * 4);
        assert!((0..10).map(|_| lose_after(1_000)).all(|pause| pause <= PAUSE_NS_MAX));
        assert_eq!(lose_after(1_000), PAUSE_NS_MAX);
        assert_eq!(lose_after(PAUSE_NS_MAX + 1), PAUSE_NS);
    }

    #[test]
    fn without_a_spin_nobody_looks() {
        let mut times = IdleTimes::default();
        times.ended(100, 200, 0);
        assert_eq!(times.look_ns(300, 0), 0);
    }
}
