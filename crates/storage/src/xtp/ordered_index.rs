//! An ordered index: a B-link tree (Lehman and Yao, 1981) whose nodes never change. Who changes one builds another and puts it in
//! its place by one compare-and-swap, so readers take no latch and see each node whole, and who dies in between holds nobody
//! up. It is a Bw-tree (Levandoski, ICDE 2013) that consolidates at once: the places of nodes are its mapping table.
//!
//! ```text
//! place:  2 words for retirement, the node that is there now (bit 0: it is empty and goes)
//! node:   2 words for retirement | u16 count, u8 first, u8 length, u8 level, u16 skip | place of its right neighbour | low key | high key, 0: none
//!         count prefixes, count targets; above the leaves count separators (the first: the low key)
//! key:    2 words for retirement | first row of its chain (bit 0: the key is leaving) | length | its bytes
//! leaf:   its targets are keys, in order; a target above is the place of a child, whose keys are not below the separator
//! ```
//! The keys of a node share the bytes that its low and its high key share, `skip` of them; a prefix is the eight bytes behind
//! those as a number, so most comparisons are of numbers within the node. All of them are where its keys have the same `length` (0:
//! they have not) and end with their prefixes. At an edge of the tree, where there is no low or no high key, the keys that are there may
//! share one byte, `first` (0: they do not); a key that is looked for need not have it. The high key tells who came by an old way to go
//! on to the right. A key that is not unique has the row's place behind it: then each version is found by itself.
//!
//! A node that has lost its last entry goes in three steps, each of them one compare-and-swap: its place is marked, so that nobody
//! puts anything there any more; its left neighbour takes over its range; its parent forgets it. Who comes to a place that is
//! marked, or to a node that no child of a key is left of, goes on from the neighbour to the left.

use std::cell::Cell;
use std::cmp::Ordering as Order;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::hash_index::{is_out, take_out};
use super::memory::{At, RowMemory};
use super::retired::{RETIRED_WORDS, Retired};
use super::row::{LEAVING, Row};
use crate::bounds::{first_word, last_word};
use crate::error::StorageResult;

const NODE: usize = RETIRED_WORDS;
/// In a place: its node is empty, and nobody may replace it.
const GOES: u64 = 1;
const PLACE_BYTES: usize = 8 * (NODE + 1);

const SHAPE: usize = RETIRED_WORDS;
const RIGHT: usize = SHAPE + 1;
const LOW: usize = SHAPE + 2;
const HIGH: usize = SHAPE + 3;
const ENTRIES: usize = SHAPE + 4;

const HEAD: usize = RETIRED_WORDS;
const LENGTH: usize = HEAD + 1;
const KEY_BYTES: usize = 8 * (LENGTH + 1);

const PREFIX_BYTES: usize = 8;

/// Entries of a node before it is split.
const ENTRIES_MAX: usize = 64;
/// A simulation splits nodes of so many.
const EARLY_SPLIT_ENTRIES: usize = 4;
const _: () =
    assert!(EARLY_SPLIT_ENTRIES >= 2 && EARLY_SPLIT_ENTRIES < ENTRIES_MAX, "both halves of a split have an entry");
const _: () = assert!(ENTRIES_MAX < u16::MAX as usize, "a node counts its entries in 16 bits");
const _: () = assert!(At::of_word(GOES | LEAVING).is_none(), "marks are no part of a place");

/// Where the tree begins: as each engine keeps it with the table's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrderedIndex {
    pub root: At,
}

/// By how much a tree grows in one change; what the change replaces is retired through it.
pub struct Growth<'a> {
    retired: &'a Retired,
    bytes: Cell<i64>,
}

impl<'a> Growth<'a> {
    pub fn new(retired: &'a Retired) -> Growth<'a> {
        Growth { retired, bytes: Cell::new(0) }
    }

    pub fn bytes(&self) -> i64 {
        self.bytes.get()
    }

    fn add(&self, bytes: usize) {
        self.bytes.set(self.bytes.get() + bytes as i64);
    }

    fn retire(&self, memory: &RowMemory, block: At, bytes: usize) {
        self.bytes.set(self.bytes.get() - bytes as i64);
        self.retired.retire(memory, block, bytes);
    }
}

/// A key with the chain of its rows.
#[derive(Clone, Copy)]
pub struct Key<'a> {
    memory: &'a RowMemory,
    pub at: At,
}

impl<'a> Key<'a> {
    #[inline]
    pub fn new(memory: &'a RowMemory, at: At) -> Key<'a> {
        Key { memory, at }
    }

    fn create(memory: &'a RowMemory, bytes: &[u8]) -> StorageResult<Key<'a>> {
        let at = memory.allocate(KEY_BYTES + bytes.len())?;
        memory.word(at, HEAD).store(0, Ordering::Relaxed);
        memory.word(at, LENGTH).store(bytes.len() as u64, Ordering::Relaxed);
        memory.put(at, KEY_BYTES, bytes);
        Ok(Key { memory, at })
    }

    #[inline]
    pub fn bytes(&self) -> &'a [u8] {
        let length = self.memory.word(self.at, LENGTH).load(Ordering::Relaxed) as usize;
        self.memory.bytes(self.at, KEY_BYTES, length)
    }

    #[inline]
    pub fn head(&self) -> &'a AtomicU64 {
        self.memory.word(self.at, HEAD)
    }

    /// The first row of its chain.
    #[inline]
    pub fn first(&self) -> At {
        At::of_word(self.head().load(Ordering::Acquire))
    }

    fn free(&self) {
        self.memory.free(self.at, KEY_BYTES + self.bytes().len());
    }
}

/// What a node is made of.
#[derive(Clone, Default)]
struct Parts {
    level: u8,
    right: u64,
    low: u64,
    high: u64,
    targets: Vec<u64>,
    /// Above the leaves.
    separators: Vec<u64>,
}

#[derive(Clone, Copy)]
pub struct Node<'a> {
    memory: &'a RowMemory,
    at: At,
    words: &'a [u64],
    /// Its place is marked.
    goes: bool,
}

impl<'a> Node<'a> {
    #[inline]
    fn at_place(memory: &'a RowMemory, place: At) -> Node<'a> {
        let word = memory.word(place, NODE).load(Ordering::Acquire);
        let at = At::of_word(word);
        debug_assert!(!at.is_none(), "a place leads to a node");
        let shape = memory.word(at, SHAPE).load(Ordering::Relaxed);
        debug_assert!(shape as u16 as usize <= ENTRIES_MAX, "a node of {} entries", shape as u16);
        Node { memory, at, words: memory.words(at, SHAPE, words_of(shape) - SHAPE), goes: word & GOES != 0 }
    }

    #[inline]
    fn word(&self, word: usize) -> u64 {
        self.words[word - SHAPE]
    }

    #[inline]
    pub fn count(&self) -> usize {
        self.word(SHAPE) as u16 as usize
    }

    #[inline]
    fn first(&self) -> u8 {
        (self.word(SHAPE) >> 16) as u8
    }

    #[inline]
    fn length(&self) -> usize {
        (self.word(SHAPE) >> 24) as u8 as usize
    }

    #[inline]
    fn level(&self) -> u8 {
        (self.word(SHAPE) >> 32) as u8
    }

    #[inline]
    fn skip(&self) -> usize {
        (self.word(SHAPE) >> 40) as u16 as usize
    }

    #[inline]
    fn prefixes(&self) -> &'a [u64] {
        &self.words[ENTRIES - SHAPE..][..self.count()]
    }

    #[inline]
    fn targets(&self) -> &'a [u64] {
        &self.words[ENTRIES - SHAPE + self.count()..][..self.count()]
    }

    #[inline]
    fn separators(&self) -> &'a [u64] {
        &self.words[ENTRIES - SHAPE + 2 * self.count()..]
    }

    #[inline]
    fn bytes_of(&self, key: u64) -> &'a [u8] {
        Key::new(self.memory, At::of_word(key)).bytes()
    }

    /// The bytes that all its keys are at or above. None: there is no bound.
    #[inline]
    pub fn low(&self) -> Option<&'a [u8]> {
        (self.word(LOW) != 0).then(|| self.bytes_of(self.word(LOW)))
    }

    /// The bytes that all its keys are below.
    #[inline]
    pub fn high(&self) -> Option<&'a [u8]> {
        (self.word(HIGH) != 0).then(|| self.bytes_of(self.word(HIGH)))
    }

    /// Of a leaf: the first rows of these keys' chains, some of which may be empty. All keys are asked for before the first is waited for,
    /// and then their rows: they lie anywhere.
    #[inline]
    pub fn heads(&self, entries: Range<usize>) -> impl DoubleEndedIterator<Item = At> + use<'a> {
        let (memory, keys) = (self.memory, &self.targets()[entries]);
        keys.iter().for_each(|key| memory.expect(At::of_word(*key), HEAD));
        keys.iter().map(move |key| {
            let first = Key::new(memory, At::of_word(*key)).first();
            Row::expect_at(memory, first);
            first
        })
    }

    /// The node whose keys begin where these end. None: there is none, or it goes, and whoever wants it comes from above.
    #[inline]
    pub fn right(&self) -> Option<Node<'a>> {
        let place = At::of_word(self.word(RIGHT));
        (!place.is_none()).then(|| Node::at_place(self.memory, place)).filter(|node| !node.goes)
    }

    /// Of a leaf.
    #[inline]
    pub fn key(&self, entry: usize) -> Key<'a> {
        Key::new(self.memory, At::of_word(self.targets()[entry]))
    }

    /// The whole key of an entry beside `key`, which has the same prefix.
    fn compare(&self, entry: usize, key: &[u8]) -> Order {
        let own = if self.level() == 0 { self.targets()[entry] } else { self.separators()[entry] };
        // The first separator of all bounds nothing.
        if own == 0 { Order::Less } else { self.bytes_of(own).cmp(key) }
    }

    /// What `lower_bound` is to say of a key, by looking at whole keys.
    fn is_place_of(&self, entry: usize, found: bool, key: &[u8]) -> bool {
        (entry == 0 || self.compare(entry - 1, key) == Order::Less)
            && (entry == self.count() || self.compare(entry, key) == if found { Order::Equal } else { Order::Greater })
            && (!found || entry < self.count())
    }
    /// The first entry that is not below `key`, which lies between its bounds, and whether it is `key`.
    #[inline(always)]
    pub fn lower_bound(&self, key: &[u8]) -> (usize, bool) {
        let place = if self.first() != 0 && key.first() != Some(&self.first()) {
            (self.beyond(key), false)
        } else {
            let prefix = prefix_of(key, self.skip());
            self.among_alike(count_below(self.prefixes(), prefix), prefix, key)
        };
        debug_assert!(self.is_place_of(place.0, place.1, key), "entry {} for {key:02x?}", place.0);
        place
    }

    /// The end of the entries below `upper`, which is not below `lower`; that lies between the node's bounds, and belongs at `from`. Most ranges
    /// end soon: the entries are gone through.
    #[inline]
    pub fn end_from(&self, from: usize, lower: &[u8], upper: &[u8]) -> usize {
        debug_assert!(from <= self.count() && lower <= upper, "entry {from} of {}", self.count());
        let (first, skip) = (self.first(), self.skip());
        if first != 0 && upper.first() != Some(&first) {
            return self.beyond(upper);
        }
        // What lies beyond the node differs from its keys in what they share.
        if first == 0 && !share(lower, upper, skip) {
            return self.count();
        }
        let prefix = prefix_of(upper, skip);
        let below = self.prefixes()[from..].iter().take_while(|own| **own < prefix).count();
        self.among_alike(from + below, prefix, upper).0
    }

    /// The same at an edge of the tree, of a key that does not begin as all here do.
    #[cold]
    fn beyond(&self, key: &[u8]) -> usize {
        debug_assert!(self.first() != 0);
        let unbounded = usize::from(self.level() > 0 && self.separators()[0] == 0);
        if key.first() < Some(&self.first()) { unbounded } else { self.count() }
    }

    /// The first entry that is not below `key`, if those before `from` are, and it has no lower prefix than `key`; and whether it is `key`.
    #[inline]
    fn among_alike(&self, from: usize, prefix: u64, key: &[u8]) -> (usize, bool) {
        if self.prefixes().get(from) != Some(&prefix) {
            return (from, false);
        }
        let length = self.length();
        if prefix != 0 && (1..=self.skip() + PREFIX_BYTES).contains(&length) {
            // It is one entry, with nothing behind its prefix: of it and `key` one begins with the other. A separator without
            // bytes has no prefix.
            return (from + usize::from(key.len() > length), key.len() == length);
        }
        self.among_keys(from, key)
    }

    /// The same where keys go on behind their prefix: these have to be looked at, each somewhere in memory. Most often it is one.
    #[inline(never)]
    fn among_keys(&self, mut from: usize, key: &[u8]) -> (usize, bool) {
        let prefixes = self.prefixes();
        let prefix = prefixes[from];
        let mut to = from + 1;
        if prefixes.get(to) == Some(&prefix) {
            to += prefixes[to..].partition_point(|own| *own == prefix);
        }
        while from < to {
            let middle = (from + to) / 2;
            match self.compare(middle, key) {
                Order::Less => from = middle + 1,
                Order::Equal => return (middle, true),
                Order::Greater => to = middle,
            }
        }
        (from, false)
    }

    fn parts(&self) -> Parts {
        Parts {
            level: self.level(),
            right: self.word(RIGHT),
            low: self.word(LOW),
            high: self.word(HIGH),
            targets: self.targets().to_vec(),
            separators: self.separators().to_vec(),
        }
    }
}

fn shape_of(count: usize, level: u8) -> u64 {
    count as u64 | u64::from(level) << 32
}

fn words_of(shape: u64) -> usize {
    let arrays = if (shape >> 32) as u8 == 0 { 2 } else { 3 };
    ENTRIES + arrays * (shape as u16 as usize)
}

fn node_size(memory: &RowMemory, at: At) -> usize {
    8 * words_of(memory.word(at, SHAPE).load(Ordering::Relaxed))
}

/// How many of ascending numbers are below `prefix`: first of every eighth, then of the eight among which it is. Comparisons that do not
/// wait for each other take less time than the fewer ones of a binary search.
#[inline]
fn count_below(prefixes: &[u64], prefix: u64) -> usize {
    let count = |below: usize, own: &u64| below + usize::from(*own < prefix);
    let (eights, rest) = prefixes.as_chunks::<8>();
    let whole = eights.iter().map(|eight| &eight[7]).fold(0, count);
    let below = match eights.get(whole) {
        Some(eight) => eight.iter().fold(8 * whole, count),
        None => rest.iter().fold(8 * whole, count),
    };
    debug_assert_eq!(below, prefixes.partition_point(|own| *own < prefix), "prefixes ascend");
    below
}

/// Whether two keys begin with the same `length` bytes.
#[inline]
fn share(key: &[u8], other: &[u8], length: usize) -> bool {
    match (first_word(key), first_word(other)) {
        (Some(first), Some(second)) if length <= PREFIX_BYTES => {
            (first ^ second).leading_zeros() as usize >= 8 * length
        }
        _ => key.get(..length) == other.get(..length),
    }
}

#[inline]
fn prefix_of(key: &[u8], skip: usize) -> u64 {
    let rest = key.get(skip..).unwrap_or(&[]);
    match (first_word(rest), last_word(key)) {
        (Some(whole), _) => whole,
        // Too few: they are the key's last ones, without those before them.
        (None, Some(last)) => last.checked_shl(64 - 8 * rest.len() as u32).unwrap_or(0),
        (None, None) => {
            let mut bytes = [0; 8];
            bytes[..rest.len()].copy_from_slice(rest);
            u64::from_be_bytes(bytes)
        }
    }
}

impl Parts {
    fn is_at_edge(&self) -> bool {
        self.low == 0 || self.high == 0
    }

    /// Writes the node into a block of its own.
    fn build(&self, memory: &RowMemory) -> StorageResult<At> {
        assert!(self.targets.len() <= ENTRIES_MAX, "a node of {} entries", self.targets.len());
        assert_eq!(
            self.separators.len(),
            if self.level == 0 { 0 } else { self.targets.len() },
            "above the leaves each child has a separator"
        );
        debug_assert!(self.targets.iter().all(|target| !At::of_word(*target).is_none()), "an entry leads somewhere");
        let bytes_of = |key: u64| Key::new(memory, At::of_word(key)).bytes();
        let keys = if self.level == 0 { &self.targets } else { &self.separators };
        // The first separator of all has no bytes, and bounds nothing.
        let unbounded = usize::from(keys.first() == Some(&0));
        debug_assert!(
            unbounded == 0 || self.level > 0 && self.low == 0,
            "the first child of the first node has no bound"
        );
        let bounded = &keys[unbounded..];
        debug_assert!(bounded.is_sorted_by(|a, b| bytes_of(*a) < bytes_of(*b)), "keys of a node are in order");
        debug_assert!(
            self.low == 0 || bounded.first().is_none_or(|key| bytes_of(self.low) <= bytes_of(*key)),
            "its keys are not below its low key"
        );
        debug_assert!(
            self.high == 0 || bounded.last().is_none_or(|key| bytes_of(*key) < bytes_of(self.high)),
            "its keys are below its high key"
        );
        let least = bounded.first().map_or(&[][..], |key| bytes_of(*key));
        let first = match (bounded.last(), least) {
            (Some(last), [least, ..]) if self.is_at_edge() && bytes_of(*last)[0] == *least => *least,
            _ => 0,
        };
        let skip = match (self.low, self.high) {
            _ if self.is_at_edge() => usize::from(first != 0),
            (low, high) => bytes_of(low).iter().zip(bytes_of(high)).take_while(|(low, high)| low == high).count(),
        };
        let skip = skip.min(usize::from(u16::MAX));
        let mut length = u8::try_from(least.len()).unwrap_or(0);
        let count = keys.len();
        debug_assert_eq!(self.high == 0, self.right == 0, "who has an end has a neighbour");
        let at = memory.allocate(8 * words_of(shape_of(count, self.level)))?;
        let put = |word: usize, value: u64| memory.word(at, word).store(value, Ordering::Relaxed);
        (0..unbounded).for_each(|entry| put(ENTRIES + entry, 0));
        for (entry, key) in bounded.iter().enumerate() {
            let bytes = bytes_of(*key);
            put(ENTRIES + unbounded + entry, prefix_of(bytes, skip));
            if bytes.len() != usize::from(length) {
                length = 0;
            }
        }
        let shape =
            shape_of(count, self.level) | u64::from(first) << 16 | u64::from(length) << 24 | (skip as u64) << 40;
        [shape, self.right, self.low, self.high]
            .into_iter()
            .enumerate()
            .for_each(|(word, value)| put(SHAPE + word, value));
        let rest = self.targets.iter().chain(&self.separators);
        rest.enumerate().for_each(|(word, value)| put(ENTRIES + count + word, *value));
        Ok(at)
    }

    /// The upper half becomes a node of its own, right of `place_of_right`'s... bounds; returns it. `separator`: its low key.
    fn split(&mut self, separator: u64, right: u64) -> Parts {
        let middle = self.targets.len() / 2;
        assert!(middle > 0 && middle < self.targets.len(), "both halves have an entry");
        let upper = Parts {
            level: self.level,
            right: self.right,
            low: separator,
            high: self.high,
            targets: self.targets.split_off(middle),
            separators: if self.level == 0 { Vec::new() } else { self.separators.split_off(middle) },
        };
        (self.high, self.right) = (separator, right);
        upper
    }
}

fn create_place(memory: &RowMemory, node: At) -> StorageResult<At> {
    let place = memory.allocate(PLACE_BYTES)?;
    memory.word(place, NODE).store(node.word(), Ordering::Relaxed);
    Ok(place)
}

impl OrderedIndex {
    /// Of an empty tree.
    pub const EMPTY_BYTES: usize = 8 * ENTRIES + PLACE_BYTES;

    pub fn create(memory: &RowMemory) -> StorageResult<OrderedIndex> {
        let leaf = Parts::default().build(memory)?;
        let root = create_place(memory, leaf).inspect_err(|_| memory.free(leaf, node_size(memory, leaf)))?;
        Ok(OrderedIndex { root })
    }

    /// The node of `level` that `key` belongs to, and its place. The caller has pinned the epoch.
    fn descend<'a>(&self, memory: &'a RowMemory, key: &[u8], level: u8) -> (At, Node<'a>) {
        self.way_down(memory, key, level, false)
    }

    /// As `descend`; `before`: to the node of the keys just below `key`.
    fn way_down<'a>(&self, memory: &'a RowMemory, key: &[u8], level: u8, before: bool) -> (At, Node<'a>) {
        let is_right_of =
            |node: &Node<'_>| node.high().is_some_and(|high| if before { key > high } else { key >= high });
        let mut place = self.root;
        let mut node = Node::at_place(memory, place);
        let mut expected_high = 0;
        loop {
            if node.goes {
                let (left_place, left) = self.left_of(memory, &node);
                if left.word(RIGHT) == place.word() && node.level() == level {
                    // Its range is still its own.
                    return (place, node);
                }
                (place, node, expected_high) = (left_place, left, 0);
                if node.level() > level && is_right_of(&node) {
                    (place, node) = self.last_child(memory, node);
                }
                continue;
            }
            // The bound that its parent knows needs no look.
            if node.word(HIGH) != expected_high && is_right_of(&node) {
                place = At::of_word(node.word(RIGHT));
                debug_assert!(!place.is_none(), "who has a high key has a neighbour");
                node = Node::at_place(memory, place);
                continue;
            }
            if node.level() == level {
                return (place, node);
            }
            let (entry, found) = node.lower_bound(key);
            debug_assert!(node.level() > level, "the way leads down: level {} for {level}", node.level());
            let entry = if found && !before { Some(entry) } else { entry.checked_sub(1) };
            (place, node, expected_high) = match entry {
                Some(entry) => {
                    let place = At::of_word(node.targets()[entry]);
                    let high = node.separators().get(entry + 1).copied().unwrap_or(node.word(HIGH));
                    debug_assert_eq!(
                        Node::at_place(memory, place).level() + 1,
                        node.level(),
                        "the level of a child is one less"
                    );
                    (place, Node::at_place(memory, place), high)
                }
                None => {
                    let (place, node) = self.last_child(memory, self.left_of(memory, &node).1);
                    (place, node, 0)
                }
            };
        }
    }

    /// The node to the left of one that is not the first of its level.
    fn left_of<'a>(&self, memory: &'a RowMemory, node: &Node<'a>) -> (At, Node<'a>) {
        self.way_down(memory, node.low().expect("the first node of a level never goes"), node.level(), true)
    }

    /// The last child of a node, or of the nearest one to the left that has any.
    fn last_child<'a>(&self, memory: &'a RowMemory, mut node: Node<'a>) -> (At, Node<'a>) {
        loop {
            if let Some(last) = node.targets().last() {
                let place = At::of_word(*last);
                return (place, Node::at_place(memory, place));
            }
            node = self.left_of(memory, &node).1;
        }
    }

    /// The leaf that `key` belongs to. The caller has pinned the epoch.
    #[inline]
    pub fn leaf<'a>(&self, memory: &'a RowMemory, key: &[u8]) -> Node<'a> {
        self.descend(memory, key, 0).1
    }

    /// The first row of a key's chain. The caller has pinned the epoch.
    pub fn first_row(&self, memory: &RowMemory, key: &[u8]) -> At {
        let leaf = self.leaf(memory, key);
        let (entry, found) = leaf.lower_bound(key);
        if found { leaf.key(entry).first() } else { At::NONE }
    }

    /// The leaf of the keys just below `key`. The caller has pinned the epoch.
    pub fn leaf_before<'a>(&self, memory: &'a RowMemory, key: &[u8]) -> Node<'a> {
        self.way_down(memory, key, 0, true).1
    }

    /// The last leaf. The caller has pinned the epoch.
    pub fn last_leaf<'a>(&self, memory: &'a RowMemory) -> Node<'a> {
        let mut node = Node::at_place(memory, self.root);
        loop {
            if node.word(HIGH) != 0 {
                node = Node::at_place(memory, At::of_word(node.word(RIGHT)));
            } else if node.level() == 0 {
                return node;
            } else {
                node = self.last_child(memory, node).1;
            }
        }
    }

    /// Puts a row before all others of its key: link `index` of the row, which says then where its key is. The caller has pinned the
    /// epoch.
    pub fn link(
        &self,
        memory: &RowMemory,
        growth: &Growth<'_>,
        key: &[u8],
        row: Row<'_>,
        index: usize,
    ) -> StorageResult<()> {
        let link = row.link(index);
        loop {
            let key = self.find_or_add(memory, growth, key)?;
            row.set_home(index, key.at.word());
            debug_assert!(index < row.links());
            let mut first = key.head().load(Ordering::Relaxed);
            while first & LEAVING == 0 {
                link.store(first, Ordering::Relaxed);
                match key.head().compare_exchange_weak(first, row.at().word(), Ordering::SeqCst, Ordering::Relaxed) {
                    Ok(_) => return Ok(()),
                    Err(now) => first = now,
                }
            }
        }
    }

    fn find_or_add<'a>(&self, memory: &'a RowMemory, growth: &Growth<'_>, bytes: &[u8]) -> StorageResult<Key<'a>> {
        let mut new: Option<Key<'a>> = None;
        let result = loop {
            let (place, node) = self.descend(memory, bytes, 0);
            if node.goes {
                if let Err(error) = self.hand_over(memory, growth, place, &node) {
                    break Err(error);
                }
                continue;
            }
            let (entry, found) = node.lower_bound(bytes);
            if found {
                let key = node.key(entry);
                if key.head().load(Ordering::SeqCst) & LEAVING == 0 {
                    break Ok(key);
                }
                self.remove(memory, growth, place, node, entry)?;
                continue;
            }
            let key = match new {
                Some(key) => key,
                None => *new.insert(Key::create(memory, bytes)?),
            };
            let mut parts = node.parts();
            parts.targets.insert(entry, key.at.word());
            match self.replace(memory, growth, place, node, parts) {
                Ok(true) => {
                    growth.add(KEY_BYTES + bytes.len());
                    return Ok(key);
                }
                Ok(false) => os::sim_point!("xtp.node.lost"),
                Err(error) => break Err(error),
            }
        };
        if let Some(key) = new {
            key.free();
        }
        result
    }

    /// Puts `parts`, split if they are too many, where `node` is. False: something else is there by now.
    fn replace(
        &self,
        memory: &RowMemory,
        growth: &Growth<'_>,
        place: At,
        node: Node<'_>,
        mut parts: Parts,
    ) -> StorageResult<bool> {
        debug_assert_eq!(
            (parts.level, parts.low),
            (node.level(), node.word(LOW)),
            "a place keeps its level and where it begins"
        );
        debug_assert!(!node.goes, "nobody replaces what goes");
        // What has been built and found no place is freed again.
        let mut built = Built { memory, blocks: Vec::new() };
        let mut up = None;
        let most = if os::sim_choice!("xtp.node.split.early", 8) { EARLY_SPLIT_ENTRIES } else { ENTRIES_MAX };
        let new = if parts.targets.len() <= most {
            built.node(&parts)?
        } else {
            os::sim_point!("xtp.node.split");
            debug_assert!(place != self.root || parts.high == 0 && parts.low == 0, "the root has all keys");
            let middle = parts.targets.len() / 2;
            let separator = if parts.level == 0 {
                let bytes = Key::new(memory, At::of_word(parts.targets[middle])).bytes();
                built.key(bytes)?.word()
            } else {
                parts.separators[middle]
            };
            let right = built.place()?;
            let upper = parts.split(separator, right.word());
            let upper = built.node(&upper)?;
            memory.word(right, NODE).store(upper.word(), Ordering::Relaxed);
            if place == self.root {
                let lower = built.node(&parts)?;
                let left = built.place()?;
                memory.word(left, NODE).store(lower.word(), Ordering::Relaxed);
                let level = parts.level + 1;
                let (targets, separators) = (vec![left.word(), right.word()], vec![0, separator]);
                built.node(&Parts { level, targets, separators, ..Parts::default() })?
            } else {
                up = Some((separator, right));
                built.node(&parts)?
            }
        };
        let slot = memory.word(place, NODE);
        let changed = slot.compare_exchange(node.at.word(), new.word(), Ordering::SeqCst, Ordering::Relaxed).is_ok();
        if !changed {
            return Ok(false);
        }
        growth.add(built.blocks.drain(..).map(|(_, bytes)| bytes).sum());
        growth.retire(memory, node.at, node_size(memory, node.at));
        if let Some((separator, right)) = up {
            // Without it the way is longer, no more: a refusal of memory is no reason to fail.
            self.add_separator(memory, growth, parts.level + 1, separator, right).ok();
        }
        Ok(true)
    }

    fn add_separator(
        &self,
        memory: &RowMemory,
        growth: &Growth<'_>,
        level: u8,
        separator: u64,
        child: At,
    ) -> StorageResult<()> {
        let bytes = Key::new(memory, At::of_word(separator)).bytes();
        loop {
            let (place, node) = self.descend(memory, bytes, level);
            if node.goes {
                self.hand_over(memory, growth, place, &node)?;
                continue;
            }
            let (entry, found) = node.lower_bound(bytes);
            if found {
                return Ok(());
            }
            let mut parts = node.parts();
            parts.targets.insert(entry, child.word());
            parts.separators.insert(entry, separator);
            if self.replace(memory, growth, place, node, parts)? {
                break;
            }
        }
        if Node::at_place(memory, child).goes {
            // It has gone meanwhile, and whoever took it away did not find it here.
            self.remove_separator(memory, growth, level, bytes, child)?;
        }
        Ok(())
    }

    /// Takes an empty node away, unless it is the first of its level, or not empty any more.
    fn take_away(&self, memory: &RowMemory, growth: &Growth<'_>, place: At, node: &Node<'_>) {
        debug_assert!(node.count() == 0 && !node.goes, "an empty node goes");
        let slot = memory.word(place, NODE);
        let marked = node.at.word() | GOES;
        if node.word(LOW) == 0
            || slot.compare_exchange(node.at.word(), marked, Ordering::SeqCst, Ordering::Relaxed).is_err()
        {
            return;
        }
        os::sim_point!("xtp.node.empty");
        if self.hand_over(memory, growth, place, node).is_err() {
            // No memory for its neighbour: it stays.
            slot.store(node.at.word(), Ordering::SeqCst);
            return;
        }
        let low = node.low().expect("looked at above");
        let Ok(parent_low) = self.remove_separator(memory, growth, node.level() + 1, low, place) else {
            // Nor for its parent, which goes on to name it: the way through it leads to the left.
            return;
        };
        growth.retire(memory, node.at, node_size(memory, node.at));
        growth.retire(memory, place, PLACE_BYTES);
        if parent_low != Some(node.word(LOW)) {
            let key = Key::new(memory, At::of_word(node.word(LOW)));
            growth.retire(memory, key.at, KEY_BYTES + key.bytes().len());
        }
    }

    /// The range of a node that goes becomes its left neighbour's. Anybody may do it.
    fn hand_over(&self, memory: &RowMemory, growth: &Growth<'_>, place: At, node: &Node<'_>) -> StorageResult<()> {
        loop {
            let (left_place, left) = self.left_of(memory, node);
            debug_assert_eq!(left.level(), node.level(), "a neighbour is of the same level");
            if left.word(RIGHT) != place.word() {
                return Ok(());
            }
            if left.goes {
                self.hand_over(memory, growth, left_place, &left)?;
                continue;
            }
            let mut parts = left.parts();
            (parts.high, parts.right) = (node.word(HIGH), node.word(RIGHT));
            if self.replace(memory, growth, left_place, left, parts)? {
                return Ok(());
            }
        }
    }

    /// Takes a child out of the node above it, if it is there. Returns that node's low key.
    fn remove_separator(
        &self,
        memory: &RowMemory,
        growth: &Growth<'_>,
        level: u8,
        separator: &[u8],
        child: At,
    ) -> StorageResult<Option<u64>> {
        loop {
            let (place, node) = self.descend(memory, separator, level);
            let entry = node.targets().iter().position(|target| *target == child.word());
            let Some(entry) = entry.filter(|_| !node.goes) else { return Ok(None) };
            let mut parts = node.parts();
            parts.targets.remove(entry);
            parts.separators.remove(entry);
            debug_assert!(parts.level == level && level > 0);
            let empty = parts.targets.is_empty();
            if self.replace(memory, growth, place, node, parts)? {
                if empty {
                    let node = Node::at_place(memory, place);
                    if node.count() == 0 && !node.goes {
                        self.take_away(memory, growth, place, &node);
                    }
                }
                return Ok(Some(node.word(LOW)));
            }
        }
    }

    /// Takes a key that is leaving out of its leaf. The caller has looked at `node` while it was at `place`.
    fn remove(
        &self,
        memory: &RowMemory,
        growth: &Growth<'_>,
        place: At,
        node: Node<'_>,
        entry: usize,
    ) -> StorageResult<()> {
        let key = node.key(entry);
        debug_assert_eq!(node.level(), 0, "keys are in leaves");
        debug_assert!(key.head().load(Ordering::SeqCst) & LEAVING != 0, "only a key that is leaving goes");
        let mut parts = node.parts();
        parts.targets.remove(entry);
        let empty = parts.targets.is_empty();
        if self.replace(memory, growth, place, node, parts)? {
            growth.retire(memory, key.at, KEY_BYTES + key.bytes().len());
            if empty {
                let node = Node::at_place(memory, place);
                if node.count() == 0 && !node.goes {
                    self.take_away(memory, growth, place, &node);
                }
            }
        }
        Ok(())
    }

    /// Takes a marked row out of the chain of its key, and the key with its last row. Only one worker does so with a row.
    pub fn unlink(&self, memory: &RowMemory, growth: &Growth<'_>, row: Row<'_>, index: usize) {
        let home = row.home(index);
        if home == 0 {
            // It never was in it.
            return;
        }
        let _pinned = growth.retired.pin();
        if is_out(row, index) {
            // Whoever took it out asks whether it was the last: the key may be gone by now.
            return;
        }
        let key = Key::new(memory, At::of_word(home));
        take_out(memory, key.head(), row, index);
        if key.head().compare_exchange(0, LEAVING, Ordering::SeqCst, Ordering::Relaxed).is_err() {
            return;
        }
        loop {
            let (place, node) = self.descend(memory, key.bytes(), 0);
            if node.goes {
                return;
            }
            let (entry, found) = node.lower_bound(key.bytes());
            if !found || node.targets()[entry] != home {
                return;
            }
            // No memory for a smaller node: the key stays, and goes when somebody wants to use it.
            if self.remove(memory, growth, place, node, entry).is_err() {
                return;
            }
        }
    }

    /// Calls `visit` with every key, of a tree that nobody changes.
    pub fn for_each_key(&self, memory: &RowMemory, visit: &mut dyn FnMut(Key<'_>)) {
        let mut leaf = self.leaf(memory, &[]);
        loop {
            (0..leaf.count()).for_each(|entry| visit(leaf.key(entry)));
            if leaf.word(RIGHT) == 0 {
                return;
            }
            leaf = Node::at_place(memory, At::of_word(leaf.word(RIGHT)));
        }
    }

    /// Frees the whole tree, which nobody reads any more; its rows stay.
    pub fn free(&self, memory: &RowMemory) {
        let mut first = self.root;
        // Neighbours and nodes above share them.
        let mut lows = BTreeSet::new();
        loop {
            let leftmost = Node::at_place(memory, first);
            debug_assert_eq!(leftmost.word(LOW), 0, "the first node of a level has no bound");
            let below = (leftmost.level() > 0).then(|| At::of_word(leftmost.targets()[0]));
            let mut place = first;
            while !place.is_none() {
                let node = Node::at_place(memory, place);
                let right = At::of_word(node.word(RIGHT));
                if node.level() == 0 {
                    (0..node.count()).for_each(|entry| node.key(entry).free());
                }
                lows.insert(node.word(LOW));
                memory.free(node.at, node_size(memory, node.at));
                memory.free(place, PLACE_BYTES);
                place = right;
            }
            match below {
                Some(below) => first = below,
                None => break,
            }
        }
        for low in lows.into_iter().filter(|low| *low != 0) {
            Key::new(memory, At::of_word(low)).free();
        }
    }

    /// Nodes above the leaves, leaves, and the bytes of all of them. The caller has pinned the epoch.
    pub fn measure(&self, memory: &RowMemory) -> (u64, u64, u64) {
        let (mut inner, mut leaves, mut bytes) = (0, 0, 0);
        let mut first = self.root;
        loop {
            let leftmost = Node::at_place(memory, first);
            let mut node = leftmost;
            loop {
                *(if node.level() == 0 { &mut leaves } else { &mut inner }) += 1;
                bytes += (PLACE_BYTES + node_size(memory, node.at)) as u64;
                if node.word(RIGHT) == 0 {
                    break;
                }
                node = Node::at_place(memory, At::of_word(node.word(RIGHT)));
            }
            if leftmost.level() == 0 {
                return (inner, leaves, bytes);
            }
            first = At::of_word(leftmost.targets()[0]);
        }
    }
}

/// Blocks of a change that is not in its place yet: dropped, it frees them.
struct Built<'a> {
    memory: &'a RowMemory,
    blocks: Vec<(At, usize)>,
}

impl Built<'_> {
    fn node(&mut self, parts: &Parts) -> StorageResult<At> {
        let node = parts.build(self.memory)?;
        self.blocks.push((node, node_size(self.memory, node)));
        Ok(node)
    }

    fn place(&mut self) -> StorageResult<At> {
        let place = create_place(self.memory, At::NONE)?;
        self.blocks.push((place, PLACE_BYTES));
        Ok(place)
    }

    fn key(&mut self, bytes: &[u8]) -> StorageResult<At> {
        let key = Key::create(self.memory, bytes)?.at;
        self.blocks.push((key, KEY_BYTES + bytes.len()));
        Ok(key)
    }
}

impl Drop for Built<'_> {
    fn drop(&mut self) {
        for (at, bytes) in self.blocks.drain(..) {
            self.memory.free(at, bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::region::memory::Memory;
    use os::region::Visibility;

    /// Each is 0 to 3, or one of the bytes at the ends of numbers: many keys begin alike, and many end with zeros.
    fn bytes(next: &mut impl FnMut(u64) -> u64, length: u64) -> Vec<u8> {
        (0..length).map(|_| [0, 1, 2, 3, 0x7f, 0x80, 0xff][next(7).min(next(7)) as usize]).collect()
    }

    #[test]
    fn bounds_are_those_of_a_sorted_list() {
        let memory = Memory::reserve(Retired::region_bytes() + (64 << 20), Visibility::ThisProcess).expect("memory");
        let (rows, retired) = (RowMemory::carve(&memory, 64 << 20), Retired::new(&memory));
        let (rows, retired) = (rows.expect("a heap"), retired.expect("queues"));
        for seed in 1..=200 {
            let mut state = seed;
            let mut next = |below| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % below
            };
            // Of one length, or of several; beginning alike, or not.
            let (shortest, longest) = [(9, 9), (5, 5), (10, 10), (12, 12), (1, 9), (8, 24)][next(6) as usize];
            let marks: &[u8] = [&[2][..], &[1, 2], &[0xfd]][next(3) as usize];
            let mut key = |spread| {
                let mark = marks[next(marks.len() as u64) as usize];
                let length = shortest + next(longest - shortest + 1 + spread);
                [&[mark][..], &bytes(&mut next, length - 1)].concat()
            };
            let (index, growth) = (OrderedIndex::create(&rows).expect("a tree"), Growth::new(&retired));
            let mut keys = BTreeSet::new();
            for _ in 0..if seed % 2 == 0 { 40 } else { 600 } {
                let key = key(0);
                index.find_or_add(&rows, &growth, &key).expect("memory");
                keys.insert(key);
            }
            let beyond = [vec![], vec![0], vec![0xff], vec![2], vec![2, 0xff], vec![1, 0xff]];
            let all: Vec<_> = (0..600).map(|_| key(3)).chain(keys.clone()).chain(beyond).collect();
            for (at, sought) in all.iter().enumerate() {
                for sought in [&sought[..], &sought[..sought.len().min(5)], &[&sought[..], &[0xff]].concat()] {
                    let leaf = index.leaf(&rows, sought);
                    let (entry, found) = leaf.lower_bound(sought);
                    let next = if entry < leaf.count() { Some(leaf.key(entry).bytes()) } else { leaf.high() };
                    let expected = keys.range(sought.to_vec()..).next().map(|key| &key[..]);
                    assert_eq!((next, found), (expected, keys.contains(sought)), "seed {seed}: {sought:?}");
                    for upper in [&all[at / 2], &[sought, &[0xff]].concat(), &[sought, &[3]].concat()] {
                        let below = (0..leaf.count()).filter(|entry| leaf.key(*entry).bytes() < &upper[..]).count();
                        if &upper[..] >= sought {
                            let end = leaf.end_from(entry, sought, upper);
                            assert_eq!(end, below, "seed {seed}: {sought:?} to {upper:?}");
                        }
                    }
                }
            }
            index.free(&rows);
        }
    }
}
