//! Which rows of the target a statement has changed: a join may bring one more than once.

use std::collections::HashSet;

use types::SqlResult;

use crate::context::Context;
use crate::operators::FastHash;
use crate::workspace::Held;

/// A locator of up to so many bytes lies in the set itself, its length in the last byte.
const INLINE_BYTES: usize = 15;

/// Of one in a set, besides its bytes: what the set has of it, as full as it usually is, and the allocation of a longer one.
const INLINE_COST: usize = 2;
const LONG_COST: usize = 48;

/// Most statements ask nothing of it, and have none.
#[derive(Default)]
pub struct Seen(Option<Box<Locators>>);

#[derive(Default)]
struct Locators {
    short: HashSet<[u8; INLINE_BYTES + 1], FastHash>,
    long: HashSet<Box<[u8]>, FastHash>,
    long_bytes: usize,
    held: Held,
}

impl Seen {
    /// False: it was there.
    pub fn insert(&mut self, locator: &[u8]) -> bool {
        let own = self.0.get_or_insert_default();
        if locator.len() <= INLINE_BYTES {
            let mut short = [0; INLINE_BYTES + 1];
            short[..locator.len()].copy_from_slice(locator);
            short[INLINE_BYTES] = locator.len() as u8;
            return own.short.insert(short);
        }
        let new = own.long.insert(locator.into());
        own.long_bytes += if new { locator.len() + LONG_COST } else { 0 };
        new
    }

    /// After some have come: what they take is the module's. 701
    pub fn count(&mut self, context: &Context) -> SqlResult<()> {
        let Some(own) = &mut self.0 else { return Ok(()) };
        let short = own.short.capacity() * (INLINE_BYTES + INLINE_COST);
        context.force(&mut own.held, short + own.long_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locator_is_new_once_whatever_its_length() {
        let mut seen = Seen::default();
        let locators: Vec<Vec<u8>> = (0..40).flat_map(|length| [vec![0; length], vec![7; length]]).collect();
        for locator in &locators[1..] {
            assert!(seen.insert(locator), "{locator:?}");
        }
        assert!(locators.iter().all(|locator| !seen.insert(locator)));
    }
}
