//! Randomness: the operating system's, or in a simulation the seed's.
#![allow(unsafe_code)]

pub use crate::rng::Rng;
use crate::{simcore, worker};
use std::cell::RefCell;

/// Got from the system ahead of need: a call for each NEWID() costs more than all else about it. Only on schedulers: a
/// process that forks has none when it does.
struct Ahead {
    bytes: [u8; AHEAD_BYTES],
    left: usize,
}

const AHEAD_BYTES: usize = 512;
/// Longer ones come from the system at once.
const SMALL_BYTES: usize = 32;

thread_local! {
    static AHEAD: RefCell<Ahead> = const { RefCell::new(Ahead { bytes: [0; AHEAD_BYTES], left: 0 }) };
}

/// Fills `bytes` with randomness fit for keys and salts.
pub fn fill(bytes: &mut [u8]) {
    if simcore::active() {
        return simcore::with(|sim| bytes.fill_with(|| sim.random() as u8));
    }
    if bytes.len() > SMALL_BYTES || !worker::on_scheduler() {
        return fill_from_system(bytes);
    }
    AHEAD.with_borrow_mut(|ahead| {
        if ahead.left < bytes.len() {
            fill_from_system(&mut ahead.bytes);
            ahead.left = AHEAD_BYTES;
        }
        let part = &mut ahead.bytes[ahead.left - bytes.len()..ahead.left];
        bytes.copy_from_slice(part);
        // Nobody finds a key here that has been given out.
        part.fill(0);
        ahead.left -= bytes.len();
    });
}

fn fill_from_system(bytes: &mut [u8]) {
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
