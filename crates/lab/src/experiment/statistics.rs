//! What several runs of one setting say together.

/// Median and range of some figures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    pub median: f64,
    pub low: f64,
    pub high: f64,
    /// Of how many figures.
    pub count: usize,
}

impl Spread {
    /// None: there are no figures.
    pub fn of(figures: &[f64]) -> Option<Spread> {
        let mut sorted = figures.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (low, high) = (*sorted.first()?, *sorted.last()?);
        let middle = sorted.len() / 2;
        let median =
            if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) };
        Some(Spread { median, low, high, count: sorted.len() })
    }

    /// From the lowest to the highest, of 100 of the median.
    pub fn percent(&self) -> f64 {
        if self.median == 0.0 { 0.0 } else { 100.0 * (self.high - self.low) / self.median.abs() }
    }

    /// Whether a ratio is told from one: no run of it was on the other side, and there was more than one.
    pub fn differs_from_one(&self) -> bool {
        self.count > 1 && (self.low > 1.0 || self.high < 1.0)
    }
}

/// The ratios of figures that were measured in the same round, so that what hit the machine in a round hit both. `figures` and `baseline`:
/// (round, figure).
pub fn paired_ratios(figures: &[(u32, f64)], baseline: &[(u32, f64)]) -> Vec<f64> {
    let of_round = |round: u32| baseline.iter().find(|(other, _)| *other == round).map(|(_, figure)| *figure);
    let pairs = figures.iter().filter_map(|(round, figure)| Some((*figure, of_round(*round)?)));
    pairs.filter(|(_, base)| *base != 0.0).map(|(figure, base)| figure / base).collect()
}

/// Jain's index of fairness: 1 where all have the same, 1/n where one has all. None: nobody has anything.
pub fn jain(shares: &[u64]) -> Option<f64> {
    let (sum, squares) = shares.iter().fold((0.0, 0.0), |(sum, squares), share| {
        let share = *share as f64;
        (sum + share, squares + share * share)
    });
    (squares > 0.0).then(|| sum * sum / (shares.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_ranges_by_hand() {
        assert_eq!(Spread::of(&[]), None);
        assert_eq!(Spread::of(&[7.0]), Some(Spread { median: 7.0, low: 7.0, high: 7.0, count: 1 }));
        let odd = Spread::of(&[30.0, 10.0, 20.0]).expect("figures");
        assert_eq!((odd.median, odd.low, odd.high, odd.percent()), (20.0, 10.0, 30.0, 100.0));
        let even = Spread::of(&[4.0, 1.0, 3.0, 2.0]).expect("figures");
        assert_eq!((even.median, even.percent()), (2.5, 120.0));
        assert_eq!(Spread::of(&[0.0, 0.0]).map(|zero| zero.percent()), Some(0.0));
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        let (fast, slow) = ([(0, 20.0), (1, 44.0), (3, 9.0)], [(1, 40.0), (0, 10.0), (2, 5.0)]);
        let ratios = paired_ratios(&fast, &slow);
        assert_eq!(ratios, [2.0, 1.1]);
        assert!(Spread::of(&ratios).expect("two").differs_from_one());
        assert!(!Spread::of(&[0.9, 1.2]).expect("two").differs_from_one());
        assert!(Spread::of(&[0.8, 0.9]).expect("two").differs_from_one());
        assert!(!Spread::of(&[0.8]).expect("one").differs_from_one());
        assert_eq!(paired_ratios(&[(0, 1.0)], &[(0, 0.0)]), [0.0; 0]);
    }

    #[test]
    fn fairness_by_hand() {
        assert_eq!(jain(&[5, 5, 5]), Some(1.0));
        assert_eq!(jain(&[9, 0, 0]), Some(1.0 / 3.0));
        assert_eq!(jain(&[1, 3]), Some(16.0 / 20.0));
        assert_eq!(jain(&[0, 0]), None);
    }
}
