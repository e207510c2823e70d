//! Whether two logical CPUs share a core, found by work: the host of a virtual machine often does not tell.

use std::hint::black_box;
use std::sync::Barrier;

use crate::{clock, limits, simcore, sys};

/// Of each kind of turn the one counts that did most: nobody disturbed it.
const ROUNDS: u32 = 6;
const TURN_NS: u64 = 8_000_000;
/// Multiplications that do not wait for one another, more than a core's unit can have under way.
const LANES: usize = 8;
const STEPS: u64 = 1_000;

/// What both CPUs do at once, in times of what one does alone (the mean of the two): near 2 where each has a core of its own, near 1 where they
/// share one, and little more where something else runs. Multiplications in registers, since siblings share a core's unit for them. Takes
/// 0.15 s. None: the process may not use both, or the machine is a simulated one.
pub fn pair_gain(pair: [u32; 2]) -> Option<f64> {
    let usable = limits::usable_cpus();
    if simcore::active() || pair[0] == pair[1] || pair.iter().any(|cpu| !usable.contains(cpu)) {
        return None;
    }
    let (mut apart, mut together) = ([0, 0], 0);
    for _ in 0..ROUNDS {
        for (most, cpu) in apart.iter_mut().zip(pair) {
            *most = turns(&[cpu]).max(*most);
        }
        together = turns(&pair).max(together);
    }
    Some(2.0 * together as f64 / (apart[0] + apart[1]).max(1) as f64)
}

/// What these CPUs do in one turn, all at the same time.
fn turns(cpus: &[u32]) -> u64 {
    assert!(!cpus.is_empty(), "a turn on no CPU");
    let begin = Barrier::new(cpus.len());
    std::thread::scope(|scope| {
        let turn_on = |cpu: &u32| {
            let (begin, cpu) = (&begin, *cpu);
            scope.spawn(move || {
                sys::run_on(0, &[cpu]);
                begin.wait();
                turn(clock::now() + TURN_NS)
            })
        };
        let threads: Vec<_> = cpus.iter().map(turn_on).collect();
        threads.into_iter().map(|thread| thread.join().expect("arithmetic")).sum()
    })
}

fn turn(until: u64) -> u64 {
    let mut lanes: [u64; LANES] = std::array::from_fn(|lane| lane as u64 + 3);
    let mut done = 0;
    while clock::now() < until {
        for step in 0..STEPS {
            for lane in &mut lanes {
                *lane = lane.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(step);
            }
        }
        lanes = black_box(lanes);
        done += 1;
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_cpus_do_is_told_where_both_may_be_used() {
        let usable = limits::usable_cpus();
        if let [one, other, ..] = usable[..] {
            let gain = pair_gain([one, other]).expect("both may be used");
            // Whatever else runs here meanwhile.
            assert!((0.2..=5.0).contains(&gain), "{gain}");
        }
        assert_eq!(pair_gain([usable[0], usable[0]]), None);
        assert_eq!(pair_gain([usable[0], u32::MAX]), None);
    }
}
