//! The rows of an index in a range of keys, one after the other, whoever sees them.
//!
//! A cursor stands on rows, never on parts of an index: those may go while it rests, rows that it has met may not, as long as the
//! snapshot is in use that its reader took before.

use super::Xtp;
use super::hash_index;
use super::memory::At;
use super::row::Row;
use super::shape::MemoryIndex;
use super::way::Way;
use crate::bounds::{KeyBound, first_word, in_bounds, last_word};
use crate::error::StorageResult;

/// Done until it is begun; its buffers are used again from range to range.
#[derive(Default)]
pub struct Cursor {
    way: Kind,
    /// The row that was met last, of whose chain more rows are wanted.
    met: At,
    /// `Key`: the key. `Range`: where what is left begins.
    lower: Vec<u8>,
    /// `Key`: a buffer for the keys that are met. `Range`: where what is left ends.
    upper: Vec<u8>,
    /// The next chains begin here: those of a leaf, or one of a hash index.
    heads: Vec<At>,
    /// So many of them have been gone to.
    begun: usize,
}

/// The beginning of a chain, if there is a row in it.
#[inline]
fn chain(head: At) -> Option<At> {
    (!head.is_none()).then_some(head)
}

/// As keys compare. Of most ranges both are one number, the same but for the last bytes: two comparisons of words.
#[inline]
fn is_below(lower: &[u8], upper: &[u8]) -> bool {
    let words = |key| first_word(key).zip(last_word(key));
    let below = match (words(lower), words(upper)) {
        (Some(low), Some(high)) if lower.len() == upper.len() && lower.len() <= 16 => low < high,
        _ => lower < upper,
    };
    debug_assert_eq!(below, lower < upper, "words compare as their bytes do");
    below
}

/// With fewer the way down the tree costs more than they do.
const FEW_CHAINS: usize = 16;
const _: () = assert!(FEW_CHAINS > 0);

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
        self.met = At::NONE;
        self.forget_chains();
        debug_assert!(self.begun == 0 && self.heads.is_empty());
        self.way = match (&index.way, lower, upper) {
            (Way::Ordered(_), lower, upper) => {
                lower.append_lowest(&mut self.lower);
                let bounded = upper.append_above(&mut self.upper);
                match bounded && !is_below(&self.lower, &self.upper) {
                    true => Kind::Done,
                    false => Kind::Range { backward, bounded, left: true },
                }
            }
            (Way::Hash(hash_index), KeyBound::Inclusive(from), KeyBound::Inclusive(to))
                if whole_keys && from.as_ref() == to.as_ref() =>
            {
                lower.append_lowest(&mut self.lower);
                let hash = hash_index::hash(&self.lower);
                self.heads.extend(chain(hash_index.first(&xtp.memory, hash)));
                Kind::Key { hash }
            }
            (Way::Hash(_), KeyBound::Unbounded, KeyBound::Unbounded) => Kind::All { bucket: 0, bounds: None },
            (Way::Hash(_), ..) => Kind::All { bucket: 0, bounds: Some((lower.to_owned_key(), upper.to_owned_key())) },
        };
    }

    #[inline]
    fn forget_chains(&mut self) {
        self.heads.clear();
        self.begun = 0;
    }

    /// The beginning of the next chain that was noted.
    #[inline]
    fn next_chain(&mut self) -> Option<At> {
        debug_assert!(self.begun <= self.heads.len(), "chain {} of {}", self.begun, self.heads.len());
        let chains = &self.heads[self.begun..];
        let empty = chains.iter().take_while(|head| head.is_none()).count();
        let head = chains.get(empty).copied();
        self.begun += empty + usize::from(head.is_some());
        head
    }

    /// The beginnings of the chains that come next, as far as they are known; some may be empty.
    #[inline]
    pub fn noted(&self) -> &[At] {
        match self.way {
            Kind::Range { .. } if self.met.is_none() => &self.heads[self.begun..],
            _ => &[],
        }
    }

    /// Of the first of the noted chains no more rows are wanted.
    #[inline]
    pub fn pass(&mut self, chains: usize) {
        self.begun += chains;
        debug_assert!(self.begun <= self.heads.len(), "what is passed was noted");
        debug_assert!(chains == 0 || self.met.is_none(), "noted chains come after the one it stands in");
        if let Kind::Range { left: false, .. } = self.way
            && self.met.is_none()
            && self.begun == self.heads.len()
        {
            self.way = Kind::Done;
        }
    }

    /// The next row. `position`: of the index among the table's.
    #[inline]
    pub fn step<'a>(&mut self, xtp: &'a Xtp, index: &MemoryIndex, position: usize) -> StorageResult<Option<Row<'a>>> {
        if let Kind::Range { .. } = self.way
            && self.met.is_none()
            && let Some(head) = self.next_chain()
        {
            self.met = head;
            return Ok(Some(Row::new(&xtp.memory, head)));
        }
        self.look_on(xtp, index, position)
    }

    /// As `step`, where more is to be done than to go to a chain that was noted.
    fn look_on<'a>(&mut self, xtp: &'a Xtp, index: &MemoryIndex, position: usize) -> StorageResult<Option<Row<'a>>> {
        let memory = &xtp.memory;
        loop {
            let met = std::mem::take(&mut self.met);
            let next = chain(met).and_then(|met| chain(hash_index::next(Row::new(memory, met), position)));
            self.met = match next.or_else(|| self.next_chain()) {
                Some(next) => next,
                None if self.find_chain(xtp, index) => continue,
                None => return Ok(None),
            };
            let row = Row::new(memory, self.met);
            debug_assert!(position < row.links(), "index {position} of a row in {}", row.links());
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
            self.met = At::NONE;
        }
    }

    #[inline]
    pub fn is_done(&self) -> bool {
        matches!(self.way, Kind::Done)
    }

    /// Goes to the next chain, which may be empty, or notes the next ones. False: there is none.
    fn find_chain(&mut self, xtp: &Xtp, index: &MemoryIndex) -> bool {
        debug_assert!(self.begun == self.heads.len() && self.met.is_none(), "what was noted comes first");
        match (&mut self.way, &index.way) {
            (Kind::All { bucket, .. }, Way::Hash(hash)) if *bucket < hash.bucket_count() => {
                self.heads.clear();
                self.heads.extend(chain(hash.first(&xtp.memory, *bucket)));
                self.begun = 0;
                *bucket += 1;
            }
            (Kind::Range { left: true, .. }, Way::Ordered(_)) => self.note_leaf(xtp, index),
            _ => self.way = Kind::Done,
        }
        !self.is_done()
    }

    /// None of the chains that were noted is left, but the range is.
    #[inline]
    pub fn is_before_leaf(&self) -> bool {
        matches!(self.way, Kind::Range { left: true, .. }) && self.met.is_none() && self.begun == self.heads.len()
    }

    /// Notes the chains in the next leaf of the range, and in those behind it while they are few.
    #[inline(never)]
    pub fn note_leaf(&mut self, xtp: &Xtp, index: &MemoryIndex) {
        let (Kind::Range { backward, bounded, left }, Way::Ordered(tree)) = (&mut self.way, &index.way) else {
            unreachable!("a range of an ordered index")
        };
        let (lower, upper, heads, memory) = (&mut self.lower, &mut self.upper, &mut self.heads, &xtp.memory);
        debug_assert!(self.begun == heads.len() && self.met.is_none(), "what was noted comes first");
        heads.clear();
        self.begun = 0;
        let replace = |bound: &mut Vec<u8>, by: &[u8]| {
            bound.clear();
            bound.extend_from_slice(by);
        };
        let _pinned = xtp.retired.pin();
        if *backward {
            let leaf = if *bounded { tree.leaf_before(memory, upper) } else { tree.last_leaf(memory) };
            let low = leaf.low().filter(|low| *low > &lower[..]);
            let first = if low.is_some() { 0 } else { leaf.lower_bound(lower).0 };
            let end = if *bounded { leaf.lower_bound(upper).0 } else { leaf.count() };
            heads.extend(leaf.heads(first..end).rev());
            match low {
                Some(low) => {
                    debug_assert!(!*bounded || low < &upper[..], "a scan goes on: down to {low:02x?}");
                    replace(upper, low);
                    *bounded = true;
                }
                None => *left = false,
            }
        } else {
            let mut leaf = tree.leaf(memory, lower);
            loop {
                let first = leaf.lower_bound(lower).0;
                let end = if *bounded { leaf.end_from(first, lower, upper) } else { leaf.count() };
                heads.extend(leaf.heads(first..end));
                // Only behind a leaf's last key its high key is of interest, which lies elsewhere.
                let high = if end == leaf.count() { leaf.high() } else { None };
                let Some(high) = high.filter(|high| !*bounded || *high < &upper[..]) else {
                    *left = false;
                    break;
                };
                debug_assert!(high > &lower[..], "a scan goes on: up to {high:02x?}");
                replace(lower, high);
                match leaf.right().filter(|_| heads.len() < FEW_CHAINS) {
                    Some(right) => leaf = right,
                    None => break,
                }
            }
        }
        self.pass(0);
    }
}
