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

/// Done until it is begun; its buffers are used again from range to range.
#[derive(Default)]
pub struct Cursor {
    way: Kind,
    /// The next row of the chain it is in.
    next: At,
    /// `Key`: the key. `Range`: where what is left begins.
    lower: Vec<u8>,
    /// `Key`: a buffer for the keys that are met. `Range`: where what is left ends.
    upper: Vec<u8>,
    /// Of a range: the chains of a leaf begin here, the next one last.
    heads: Vec<At>,
}

/// With fewer the way down the tree costs more than they do.
const FEW_CHAINS: usize = 16;

#[derive(Default)]
enum Kind {
    #[default]
    Done,
    /// In the chain of one key of a hash index.
    Key { hash: u64 },
    /// In all chains of a hash index, one after the other: the rest of the bucket before `bucket`, then it and those behind it.
    All { bucket: u64, bounds: Option<(KeyBound, KeyBound)> },
    /// In the rest of a chain, then in those of `heads`, then in what is `left` of the range of an ordered index.
    Range { backward: bool, bounded: bool, left: bool },
}

impl Cursor {
    /// Begins with the first row of a range. `whole_keys`: two equal bounds are one whole key.
    pub fn begin<K: AsRef<[u8]>>(
        &mut self,
        xtp: &Xtp,
        index: &MemoryIndex,
        (lower, upper): (&KeyBound<K>, &KeyBound<K>),
        whole_keys: bool,
        backward: bool,
    ) {
        self.next = At::NONE;
        self.heads.clear();
        self.way = match (&index.way, lower, upper) {
            (Way::Ordered(_), lower, upper) => {
                lower.append_lowest(&mut self.lower);
                let bounded = upper.append_above(&mut self.upper);
                match bounded && self.upper <= self.lower {
                    true => Kind::Done,
                    false => Kind::Range { backward, bounded, left: true },
                }
            }
            (Way::Hash(hash_index), KeyBound::Inclusive(from), KeyBound::Inclusive(to))
                if whole_keys && from.as_ref() == to.as_ref() =>
            {
                lower.append_lowest(&mut self.lower);
                let hash = hash_index::hash(&self.lower);
                self.next = hash_index.first(&xtp.memory, hash);
                Kind::Key { hash }
            }
            (Way::Hash(_), KeyBound::Unbounded, KeyBound::Unbounded) => Kind::All { bucket: 0, bounds: None },
            (Way::Hash(_), ..) => Kind::All { bucket: 0, bounds: Some((lower.to_owned_key(), upper.to_owned_key())) },
        };
    }

    /// The next row. `position`: of the index among the table's.
    #[inline]
    pub fn step<'a>(&mut self, xtp: &'a Xtp, index: &MemoryIndex, position: usize) -> StorageResult<Option<Row<'a>>> {
        if let Kind::Range { .. } = self.way
            && let Some(at) = if self.next.is_none() { self.heads.pop() } else { Some(self.next) }
        {
            let row = Row::new(&xtp.memory, at);
            self.next = hash_index::next(row, position);
            return Ok(Some(row));
        }
        self.look_on(xtp, index, position)
    }

    /// As `step`, where more is to be done than to follow a link or to go to a chain that was noted.
    fn look_on<'a>(&mut self, xtp: &'a Xtp, index: &MemoryIndex, position: usize) -> StorageResult<Option<Row<'a>>> {
        let memory = &xtp.memory;
        loop {
            if self.next.is_none() {
                match self.heads.pop() {
                    Some(head) => self.next = head,
                    None if self.find_chain(xtp, index) => continue,
                    None => return Ok(None),
                }
            }
            let row = Row::new(memory, self.next);
            self.next = hash_index::next(row, position);
            let within = match &self.way {
                Kind::Range { .. } | Kind::All { bounds: None, .. } => true,
                Kind::Key { hash } => {
                    row.home(position) == *hash && index.has_key(row.image(), &self.lower, &mut self.upper)?
                }
                Kind::All { bounds: Some((lower, upper)), .. } => in_bounds(&index.key_of(row.image())?, lower, upper),
                Kind::Done => false,
            };
            if within {
                return Ok(Some(row));
            }
        }
    }

    /// Of the key of the last row no more rows are wanted.
    #[inline]
    pub fn leave_key(&mut self) {
        if let Kind::Key { .. } | Kind::Range { .. } = self.way {
            self.next = At::NONE;
        }
    }

    pub fn is_done(&self) -> bool {
        matches!(self.way, Kind::Done)
    }

    /// Goes to the next chain, which may be empty, or notes the next ones. False: there is none.
    fn find_chain(&mut self, xtp: &Xtp, index: &MemoryIndex) -> bool {
        match (&mut self.way, &index.way) {
            (Kind::All { bucket, .. }, Way::Hash(hash)) if *bucket < hash.bucket_count() => {
                self.next = hash.first(&xtp.memory, *bucket);
                *bucket += 1;
            }
            (Kind::Range { left: true, .. }, Way::Ordered(_)) => self.enter_leaf(xtp, index),
            _ => self.way = Kind::Done,
        }
        !self.is_done()
    }

    /// Notes the chains in the next leaf of the range, and in those behind it while they are few.
    fn enter_leaf(&mut self, xtp: &Xtp, index: &MemoryIndex) {
        let (Kind::Range { backward, bounded, left }, Way::Ordered(tree)) = (&mut self.way, &index.way) else {
            unreachable!("a range of an ordered index")
        };
        let (lower, upper) = (&mut self.lower, bounded.then_some(&mut self.upper));
        let memory = &xtp.memory;
        let _pinned = xtp.retired.pin();
        let mut leaf = match (*backward, &upper) {
            (false, _) => tree.leaf(memory, lower),
            (true, Some(upper)) => tree.leaf_before(memory, upper),
            (true, None) => tree.last_leaf(memory),
        };
        let replace = |bound: &mut Vec<u8>, by: &[u8]| {
            bound.clear();
            bound.extend_from_slice(by);
        };
        loop {
            let (low, high) = (leaf.low(), leaf.high());
            let first = if low.is_some_and(|low| low >= &lower[..]) { 0 } else { leaf.lower_bound(lower).0 };
            let goes_on = upper.as_ref().is_none_or(|upper| high.is_some_and(|high| high < &upper[..]));
            let end = match &upper {
                Some(upper) if !goes_on => leaf.lower_bound(upper).0,
                _ => leaf.count(),
            };
            for head in leaf.keys(first..end).map(|key| key.first()).filter(|head| !head.is_none()) {
                Row::new(memory, head).expect();
                self.heads.push(head);
            }
            if *backward {
                match low.filter(|low| *low > &lower[..]) {
                    Some(low) => {
                        replace(&mut self.upper, low);
                        *bounded = true;
                    }
                    None => *left = false,
                }
                return;
            }
            let Some(high) = high.filter(|_| goes_on) else {
                *left = false;
                break;
            };
            replace(lower, high);
            match leaf.right().filter(|_| self.heads.len() < FEW_CHAINS) {
                Some(right) => leaf = right,
                None => break,
            }
        }
        self.heads.reverse();
    }
}
