//! Randomness: the operating system's, or in a simulation the seed's.
#![allow(unsafe_code)]

pub use crate::rng::Rng;
use crate::simcore;

/// Fills `bytes` with randomness fit for keys and salts.
pub fn fill(bytes: &mut [u8]) {
    if simcore::active() {
        return simcore::with(|sim| bytes.fill_with(|| sim.random() as u8));
    }
    let mut done = 0;
    while done < bytes.len() {
        let rest = &mut bytes[done..];
        // SAFETY: writes at most rest.len() bytes into `rest`.
        let got = unsafe { libc::getrandom(rest.as_mut_ptr().cast(), rest.len(), 0) };
        assert!(got > 0 || crate::sys::errno() == libc::EINTR, "getrandom: errno {}", crate::sys::errno());
        done += got.max(0) as usize;
    }
}

pub fn u64() -> u64 {
    let mut bytes = [0; 8];
    fill(&mut bytes);
    u64::from_le_bytes(bytes)
}

/// A generator seeded from [`u64`]: differs from run to run, except in a simulation.
pub fn rng() -> Rng {
    Rng::from_seed(u64())
}

#[cfg(test)]
mod tests {
    #[test]
    fn seeds_repeat_and_bounds_hold() {
        let (mut a, mut b) = (super::Rng::from_seed(7), super::Rng::from_seed(7));
        for bound in 1..100 {
            let n = a.below(bound);
            assert!(n < bound);
            assert_eq!(n, b.below(bound));
        }
        assert_ne!(super::u64(), super::u64());
    }
}
