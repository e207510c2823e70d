//! Random numbers from a seed: for spreading, sampling, loads and simulations; not for secrets.

/// A fast generator for spreading, sampling and loads (SplitMix64): not for secrets. Same seed, same numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    pub const fn from_seed(seed: u64) -> Rng {
        Rng(seed)
    }

    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..bound` (`bound` > 0), even to within 2^-64.
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0);
        ((self.next() as u128 * bound as u128) >> 64) as u64
    }
}
