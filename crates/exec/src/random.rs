//! RAND's generator: the two multiplicative generators that P. L'Ecuyer combined ("Efficient and portable combined random number
//! generators", CACM 31(6), 1988, figure 3). The seed is the first one's state; the second one's start is SQL Server's, known from
//! the values that the documentation of RAND shows.

const FIRST: (i64, i64) = (40_014, 2_147_483_563);
const SECOND: (i64, i64) = (40_692, 2_147_483_399);
/// About 1 / 2147483563, as the paper's program writes it.
const SCALE: f64 = 4.656613e-10;
/// The first one's state for the seed 0, from which it would never move.
const FOR_ZERO: i64 = 12_345;
const SECOND_START: i64 = 67_890;

/// Where both generators are. Neither is ever 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RandState {
    first: i64,
    second: i64,
}

impl RandState {
    /// The sign of a seed has no say.
    pub fn seeded(seed: i64) -> RandState {
        let first = match seed.abs() % FIRST.1 {
            0 => FOR_ZERO,
            seed => seed,
        };
        RandState { first, second: SECOND_START }
    }

    /// The next value, above 0 and below 1, and the state after it.
    pub fn next(self) -> (f64, RandState) {
        let first = self.first * FIRST.0 % FIRST.1;
        let second = self.second * SECOND.0 % SECOND.1;
        let difference = first - second;
        let value = if difference < 1 { difference + FIRST.1 - 1 } else { difference };
        (value as f64 * SCALE, RandState { first, second })
    }
}

#[cfg(test)]
mod tests {
    use super::RandState;

    #[test]
    fn values_are_those_of_the_documentation() {
        let mut state = RandState::seeded(100);
        let mut values = Vec::new();
        for _ in 0..3 {
            let (value, next) = state.next();
            values.push(value);
            state = next;
        }
        let expected = [0.715436657367485, 0.28463380767982, 0.0131039082850364];
        assert!(values.iter().zip(expected).all(|(value, known)| (value - known).abs() < 1e-14), "{values:?}");
    }

    #[test]
    fn no_seed_stops_it() {
        for seed in [0, i64::from(i32::MIN), i64::from(i32::MAX), 2_147_483_563, -1] {
            let (value, state) = RandState::seeded(seed).next();
            assert!(value > 0.0 && value < 1.0 && state.next().0 != value, "{seed}: {value}");
        }
    }
}
