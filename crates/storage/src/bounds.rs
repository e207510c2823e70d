//! Ranges of normalized keys, as scans are given them.

/// Bound on a prefix of the index key, as normalized bytes of whole key columns (`types::key`). `Inclusive` takes
/// every key that begins with the prefix, `Exclusive` none of them, at either end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KeyBound<K = Vec<u8>> {
    #[default]
    Unbounded,
    Inclusive(K),
    Exclusive(K),
}

/// Behind a prefix: the least key above all that begin with it. No part of a key and no row number begins with FF.
pub(crate) const ABOVE_PREFIX: u8 = 0xff;

impl<K: AsRef<[u8]>> KeyBound<K> {
    pub fn to_owned_key(&self) -> KeyBound {
        match self {
            KeyBound::Unbounded => KeyBound::Unbounded,
            KeyBound::Inclusive(key) => KeyBound::Inclusive(key.as_ref().to_vec()),
            KeyBound::Exclusive(key) => KeyBound::Exclusive(key.as_ref().to_vec()),
        }
    }

    /// As a lower bound: `key` becomes the lowest key that may lie within.
    #[inline]
    pub fn append_lowest(&self, key: &mut Vec<u8>) {
        key.clear();
        match self {
            KeyBound::Unbounded => {}
            KeyBound::Inclusive(prefix) => key.extend_from_slice(prefix.as_ref()),
            KeyBound::Exclusive(prefix) => append_end(prefix.as_ref(), key),
        }
    }

    /// As an upper bound: `key` becomes the lowest key above all that lie within. False: there is none.
    #[inline]
    pub fn append_above(&self, key: &mut Vec<u8>) -> bool {
        key.clear();
        match self {
            KeyBound::Unbounded => return false,
            KeyBound::Inclusive(prefix) => append_end(prefix.as_ref(), key),
            KeyBound::Exclusive(prefix) => key.extend_from_slice(prefix.as_ref()),
        }
        true
    }
}

/// The least key above all that begin with `prefix`. A new buffer grows once.
fn append_end(prefix: &[u8], key: &mut Vec<u8>) {
    key.reserve(prefix.len() + 1);
    key.extend_from_slice(prefix);
    key.push(ABOVE_PREFIX);
}

/// Whether a key lies in a range.
pub fn in_bounds(key: &[u8], lower: &KeyBound, upper: &KeyBound) -> bool {
    let above = match lower {
        KeyBound::Unbounded => true,
        KeyBound::Inclusive(bound) => key >= bound.as_slice(),
        KeyBound::Exclusive(bound) => key > bound.as_slice() && !key.starts_with(bound),
    };
    let below = match upper {
        KeyBound::Unbounded => true,
        KeyBound::Inclusive(bound) => key <= bound.as_slice() || key.starts_with(bound),
        KeyBound::Exclusive(bound) => key < bound.as_slice(),
    };
    above && below
}

/// A key's first eight bytes as a number, which compares as they do. None: it has not so many.
#[inline]
pub fn first_word(key: &[u8]) -> Option<u64> {
    key.first_chunk().map(|bytes| u64::from_be_bytes(*bytes))
}

/// The last ones.
#[inline]
pub fn last_word(key: &[u8]) -> Option<u64> {
    key.last_chunk().map(|bytes| u64::from_be_bytes(*bytes))
}
