//! Rows of some leaves of a tree, spread evenly: for statistics, which need neither all rows nor a moment at which they all were there.

use crate::concurrency::versions::{ROW_HEADER_BYTES, RowHeader};
use crate::engine::Engine;
use crate::error::StorageResult;
use crate::pages::page::{self, PAGE_BYTES, PageBytes, PageKind};
use crate::shapes::tree::{Target, Tree};
use crate::trees::btree::LEVELS_MAX;

/// What a sample has seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampled {
    /// Of the tree, about.
    pub leaves: f64,
    pub leaves_read: u64,
    pub rows: u64,
}

impl Sampled {
    /// All leaves were read.
    pub fn is_whole(&self) -> bool {
        self.leaves_read as f64 >= self.leaves
    }
}

impl Engine {
    /// Hands the images of rows that are not deleted to `visit`, with the number of their leaf within the sample. One latch is held at a
    /// time, and none while `visit` or `pause` run: leaves that come and go meanwhile are seen or not. `pause` says false: enough.
    pub fn sample(
        &self,
        tree: &Tree,
        leaves_max: u64,
        pause: &mut dyn FnMut() -> bool,
        visit: &mut dyn FnMut(u64, &[u8]) -> StorageResult<()>,
    ) -> StorageResult<Sampled> {
        let size = self.tree_size(tree)?;
        let mut sampled = Sampled { leaves: size.leaves as f64, leaves_read: 0, rows: 0 };
        let mut copy: Box<PageBytes> = Box::new([0; PAGE_BYTES]);
        let mut give = |copy: &PageBytes, sampled: &mut Sampled| -> StorageResult<bool> {
            for slot in 0..page::slot_count(copy) {
                let payload = page::payload(copy, slot);
                if !RowHeader::decode(payload).ghost {
                    visit(sampled.leaves_read, &payload[ROW_HEADER_BYTES..])?;
                    sampled.rows += 1;
                }
            }
            sampled.leaves_read += 1;
            Ok(pause())
        };
        if size.leaves <= leaves_max {
            let mut from = Vec::new();
            loop {
                copy.copy_from_slice(&self.leaf_shared(tree, Target::Key(&from))?[..]);
                let goes_on = give(&copy, &mut sampled)?;
                match page::upper_fence(&copy) {
                    Some(fence) if goes_on => from = fence.to_vec(),
                    Some(_) => return Ok(sampled),
                    None => return Ok(Sampled { leaves: sampled.leaves_read as f64, ..sampled }),
                }
            }
        }
        let mut last = 0;
        for number in 0..leaves_max {
            // The middle of each of as many equal parts.
            let place = (number as f64 + 0.5) / leaves_max as f64;
            match self.leaf_at(tree, place, &mut copy)? {
                Some(leaf) if leaf != last => last = leaf,
                _ => continue,
            }
            if !give(&copy, &mut sampled)? {
                break;
            }
        }
        Ok(sampled)
    }

    /// Copies the leaf at `place` of all, from 0 to 1, as far as inner pages are filled alike; its number. None: the tree changed on the way.
    fn leaf_at(&self, tree: &Tree, mut place: f64, copy: &mut PageBytes) -> StorageResult<Option<u32>> {
        let mut node = self.buffer.shared(&tree.file, tree.root)?;
        for _ in 0..LEVELS_MAX {
            match page::kind(&node) {
                Some(PageKind::Leaf) if page::root(&node) == tree.root => {
                    copy.copy_from_slice(&node[..]);
                    return Ok(Some(node.number()));
                }
                Some(PageKind::Inner) if page::root(&node) == tree.root => {}
                _ => return Ok(None),
            }
            let children = page::slot_count(&node) + 1;
            let exact = place * children as f64;
            let child = (exact as usize).min(children - 1);
            place = (exact - child as f64).clamp(0.0, 1.0);
            node = self.buffer.shared(&tree.file, page::child(&node, child))?;
        }
        Ok(None)
    }
}
