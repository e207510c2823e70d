//! How the pages of a tree lie to each other and what is on them: for whoever decides whether it is to be made anew.

use crate::concurrency::versions::RowHeader;
use crate::engine::Engine;
use crate::error::StorageResult;
use crate::pages::page::{self, BODY_BYTES, PageBytes, PageKind};
use crate::shapes::tree::Tree;
use crate::trees::btree::LEVELS_MAX;

/// Which leaves are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaves {
    /// None: the pages above them tell where they lie.
    None,
    /// One of each hundred; all of a tree of few.
    Some,
    All,
}

/// A tree with fewer leaves is read whole.
const FEW_LEAVES: usize = 10_000;
/// Of so many leaves one is a sample.
const SAMPLE_PART: usize = 100;

/// Pages of one level, in the order of their keys.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PhysicalLevel {
    /// 0: the leaves.
    pub level: u8,
    pub pages: u64,
    /// Runs of pages that lie one behind the other in the file.
    pub fragments: u64,
    /// Pages behind which another page of the level lies than the next one.
    pub out_of_order: u64,
    pub records: Records,
}

/// What is on the pages that were read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Records {
    pub pages_read: u64,
    /// Ghosts are not among them.
    pub count: u64,
    pub ghosts: u64,
    /// Of records, ghosts among them: with their whole keys, without what a page needs for its order.
    pub bytes: u64,
    pub bytes_min: usize,
    pub bytes_max: usize,
    /// Of pages.
    pub bytes_used: u64,
}

impl PhysicalLevel {
    /// With the same level of a tree that goes on where this one ends.
    pub fn add(&mut self, next: &PhysicalLevel) {
        self.pages += next.pages;
        self.fragments += next.fragments;
        self.out_of_order += next.out_of_order;
        let (own, next) = (&self.records, &next.records);
        let least =
            [own, next].into_iter().filter(|records| records.bytes_max > 0).map(|records| records.bytes_min).min();
        self.records = Records {
            pages_read: own.pages_read + next.pages_read,
            count: own.count + next.count,
            ghosts: own.ghosts + next.ghosts,
            bytes: own.bytes + next.bytes,
            bytes_min: least.unwrap_or(0),
            bytes_max: own.bytes_max.max(next.bytes_max),
            bytes_used: own.bytes_used + next.bytes_used,
        };
    }
}

impl Records {
    fn add(&mut self, page: &PageBytes) {
        self.pages_read += 1;
        self.bytes_used += (BODY_BYTES - page::free_bytes(page)) as u64;
        let is_leaf = page::kind(page) == Some(PageKind::Leaf);
        let mut key = Vec::new();
        for slot in 0..page::slot_count(page) {
            let payload = page::payload(page, slot);
            key.clear();
            page::key_into(page, slot, &mut key);
            let bytes = key.len() + payload.len();
            self.bytes += bytes as u64;
            self.bytes_min = if self.bytes_max == 0 { bytes } else { self.bytes_min.min(bytes) };
            self.bytes_max = self.bytes_max.max(bytes);
            match is_leaf && RowHeader::decode(payload).ghost {
                true => self.ghosts += 1,
                false => self.count += 1,
            }
        }
        if !is_leaf {
            // The last child has no separator.
            self.count += 1;
        }
    }

    /// Percent of the pages' room.
    pub fn percent_used(&self) -> f64 {
        self.bytes_used as f64 * 100.0 / (self.pages_read.max(1) as f64 * BODY_BYTES as f64)
    }
}

impl PhysicalLevel {
    /// `numbers`: of its pages, in the order of their keys.
    fn of(level: u8, numbers: &[u32]) -> PhysicalLevel {
        let pairs = || numbers.windows(2).map(|pair| (pair[0], pair[1]));
        let breaks = pairs().filter(|(page, next)| *next != page.wrapping_add(1)).count() as u64;
        let mut in_file = numbers.to_vec();
        in_file.sort_unstable();
        let place = |number: u32| in_file.partition_point(|other| *other < number);
        let out_of_order = match breaks {
            0 => 0,
            _ => pairs().filter(|(page, next)| place(*next) != place(*page) + 1).count() as u64,
        };
        let pages = numbers.len() as u64;
        PhysicalLevel { level, pages, fragments: breaks + 1, out_of_order, records: Records::default() }
    }

    pub fn percent_out_of_order(&self) -> f64 {
        self.out_of_order as f64 * 100.0 / self.pages.max(1) as f64
    }
}

impl Engine {
    /// Each level of a tree, the leaves first. One latch is held at a time: pages that come and go meanwhile are counted or not. `pause` says
    /// false: enough.
    pub fn physical_levels(
        &self,
        tree: &Tree,
        leaves: Leaves,
        pause: &mut dyn FnMut() -> bool,
    ) -> StorageResult<Vec<PhysicalLevel>> {
        let mut found = Vec::new();
        let mut numbers = vec![tree.root];
        let mut level = page::level(&*self.buffer.shared(&tree.file, tree.root)?);
        for _ in 0..LEVELS_MAX {
            // Tens of nanoseconds a page.
            let mut of_level = types::long::run(numbers.len() * 64, || PhysicalLevel::of(level, &numbers));
            let step = match leaves {
                _ if level > 0 => 1,
                Leaves::None => numbers.len().max(1),
                Leaves::Some if numbers.len() >= FEW_LEAVES => SAMPLE_PART,
                Leaves::Some | Leaves::All => 1,
            };
            let mut children = Vec::new();
            for number in numbers.iter().step_by(step) {
                if !pause() {
                    return Ok(found);
                }
                let node = self.buffer.shared(&tree.file, *number)?;
                if page::root(&node) != tree.root || page::level(&node) != level {
                    continue;
                }
                of_level.records.add(&node);
                if level > 0 {
                    children.extend((0..=page::slot_count(&node)).map(|slot| page::child(&node, slot)));
                }
            }
            found.insert(0, of_level);
            if level == 0 || children.is_empty() {
                break;
            }
            numbers = children;
            level -= 1;
        }
        Ok(found)
    }
}
