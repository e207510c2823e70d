//! In which order runs are made: round by round through all settings, there and back again, so that a machine that gets slower or
//! faster meanwhile does so for all settings alike.

use std::collections::BTreeSet;

/// One run to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// Which of the settings.
    pub setting: usize,
    /// The round, from 0.
    pub repeat: u32,
}

/// The runs of `settings` settings, `repeat` of each, without those in `done`.
pub fn planned(settings: usize, repeat: u32, done: &BTreeSet<(usize, u32)>) -> Vec<Planned> {
    let mut runs = Vec::new();
    for repeat in 0..repeat {
        let round = (0..settings).map(|at| if repeat % 2 == 0 { at } else { settings - 1 - at });
        let missing = round.filter(|setting| !done.contains(&(*setting, repeat)));
        runs.extend(missing.map(|setting| Planned { setting, repeat }));
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(settings: usize, repeat: u32, done: &[(usize, u32)]) -> Vec<(usize, u32)> {
        let done = done.iter().copied().collect();
        planned(settings, repeat, &done).iter().map(|run| (run.setting, run.repeat)).collect()
    }

    #[test]
    fn there_and_back_again() {
        assert_eq!(order(3, 2, &[]), [(0, 0), (1, 0), (2, 0), (2, 1), (1, 1), (0, 1)]);
        // A steady drift hits all alike: the places of each setting have the same sum.
        let runs = order(4, 6, &[]);
        let places = |setting: usize| {
            runs.iter().enumerate().filter(|(_, run)| run.0 == setting).map(|(at, _)| at).sum::<usize>()
        };
        assert!((1..4).all(|setting| places(setting) == places(0)));
    }

    #[test]
    fn what_is_done_is_not_made_again() {
        assert_eq!(order(2, 2, &[(0, 0), (1, 1)]), [(1, 0), (0, 1)]);
        assert_eq!(order(2, 1, &[(0, 0), (1, 0)]), []);
    }
}
