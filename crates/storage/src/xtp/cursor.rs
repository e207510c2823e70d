//! The rows of an index in a range of keys, one after the other, whoever sees them.
//!
//! A cursor stands on rows, never on parts of an index: those may go while it rests, rows that it has met may not, as long as the
//! snapshot is in use that its reader took before.

use super::Xtp;
use super::hash_index;
use super::memory::At;
use super::row::Row;
use super::shape::{MemoryIndex, Way};
use crate::bounds::{KeyBound, in_bounds};
use crate::error::StorageResult;

pub enum Cursor {
    /// In the chain of one key of a hash index.
    Key {
        key: Vec<u8>,
        /// A buffer for the keys that are met.
        met: Vec<u8>,
        hash: u64,
        next: At,
    },
    /// In all chains of a hash index, one after the other: the rest of the bucket before `bucket`, then it and those behind it.
    All {
        bucket: u64,
        next: At,
        bounds: Option<(KeyBound, KeyBound)>,
    },
    /// In the rest of a chain, then in the chains that begin with `heads`, the next one last, then in what lies between
    /// `lower` and `upper` of an ordered index.
    Range {
        lower: Vec<u8>,
        upper: Option<Vec<u8>>,
        backward: bool,
        next: At,
        heads: Vec<At>,
        rest: bool,
    },
    Done,
}

impl Cursor {
    /// `whole_keys`: two equal bounds are one whole key.
    pub fn new<K: AsRef<[u8]>>(
        xtp: &Xtp,
        index: &MemoryIndex,
        (lower, upper): (&KeyBound<K>, &KeyBound<K>),
        whole_keys: bool,
        backward: bool,
    ) -> Cursor {
        let hash_index = match &index.way {
            Way::Hash(hash) => hash,
            Way::Ordered(_) => {
                let (mut from, mut to) = (Vec::new(), Vec::new());
                lower.append_lowest(&mut from);
                let (lower, upper) = (from, upper.append_above(&mut to).then_some(to));
                if upper.as_ref().is_some_and(|upper| *upper <= lower) {
                    return Cursor::Done;
                }
                return Cursor::Range { lower, upper, backward, next: At::NONE, heads: Vec::new(), rest: true };
            }
        };
        match (lower, upper) {
            (KeyBound::Inclusive(from), KeyBound::Inclusive(to)) if whole_keys && from.as_ref() == to.as_ref() => {
                let key = from.as_ref().to_vec();
                let hash = hash_index::hash(&key);
                Cursor::Key { met: Vec::new(), next: hash_index.first(&xtp.memory, hash), key, hash }
            }
            (KeyBound::Unbounded, KeyBound::Unbounded) => Cursor::All { bucket: 0, next: At::NONE, bounds: None },
            _ => Cursor::All { bucket: 0, next: At::NONE, bounds: Some((lower.to_owned_key(), upper.to_owned_key())) },
        }
    }

    /// The next row. `position`: of the index among the table's.
    pub fn step<'a>(&mut self, xtp: &'a Xtp, index: &MemoryIndex, position: usize) -> StorageResult<Option<Row<'a>>> {
        let memory = &xtp.memory;
        loop {
            match self {
                Cursor::Done => return Ok(None),
                Cursor::Key { key, met, hash, next } => {
                    if next.is_none() {
                        *self = Cursor::Done;
                        continue;
                    }
                    let row = Row::new(memory, *next);
                    *next = hash_index::next(row, position);
                    if row.home(position) == *hash && index.has_key(row.image(), key, met)? {
                        return Ok(Some(row));
                    }
                }
                Cursor::All { bucket, next, bounds } => {
                    if next.is_none() {
                        let Way::Hash(hash) = &index.way else { unreachable!("an ordered index has ranges") };
                        if *bucket == hash.bucket_count() {
                            *self = Cursor::Done;
                            continue;
                        }
                        *next = hash.first(memory, *bucket);
                        *bucket += 1;
                        continue;
                    }
                    let row = Row::new(memory, *next);
                    *next = hash_index::next(row, position);
                    let within = match bounds {
                        None => true,
                        Some((lower, upper)) => in_bounds(&index.key_of(row.image())?, lower, upper),
                    };
                    if within {
                        return Ok(Some(row));
                    }
                }
                Cursor::Range { next, heads, rest, .. } => {
                    if !next.is_none() {
                        let row = Row::new(memory, *next);
                        *next = hash_index::next(row, position);
                        return Ok(Some(row));
                    }
                    match heads.pop() {
                        Some(head) => *next = head,
                        None if *rest => self.next_leaf(xtp, index),
                        None => *self = Cursor::Done,
                    }
                }
            }
        }
    }

    /// Of the key of the last row no more rows are wanted.
    pub fn leave_key(&mut self) {
        match self {
            Cursor::Key { next, .. } | Cursor::Range { next, .. } => *next = At::NONE,
            Cursor::All { .. } | Cursor::Done => {}
        }
    }

    /// Notes the chains in the next leaf of the range.
    fn next_leaf(&mut self, xtp: &Xtp, index: &MemoryIndex) {
        let (Cursor::Range { lower, upper, backward, heads, rest, .. }, Way::Ordered(tree)) = (self, &index.way) else {
            unreachable!("a range of an ordered index")
        };
        let memory = &xtp.memory;
        let _pinned = xtp.retired.pin();
        let leaf = match (*backward, &upper) {
            (false, _) => tree.leaf(memory, lower),
            (true, Some(upper)) => tree.leaf_before(memory, upper),
            (true, None) => tree.last_leaf(memory),
        };
        let first = if leaf.low().is_some_and(|low| low >= &lower[..]) { 0 } else { leaf.lower_bound(lower).0 };
        let end = match &upper {
            Some(upper) if leaf.high().is_none_or(|high| &upper[..] <= high) => leaf.lower_bound(upper).0,
            _ => leaf.count(),
        };
        // Keys and rows lie anywhere: all are asked for before the first is waited for.
        (first..end).for_each(|entry| leaf.expect_key(entry));
        for head in (first..end).map(|entry| leaf.key(entry).first()).filter(|head| !head.is_none()) {
            Row::new(memory, head).expect();
            heads.push(head);
        }
        if !*backward {
            heads.reverse();
        }
        let bound = if *backward { leaf.low() } else { leaf.high() };
        match bound {
            Some(low) if *backward && low > &lower[..] => *upper = Some(low.to_vec()),
            Some(high) if !*backward && upper.as_ref().is_none_or(|upper| high < &upper[..]) => *lower = high.to_vec(),
            _ => *rest = false,
        }
    }
}
