//! Cleaning up after deletes: ghosts that nobody needs go, then leaves that hold little, then inner pages.
//!
//! Two neighbours under one parent become one page when they take up to `page::MERGED_BYTES_MAX`, or when one of them is empty
//! and the other has room: a wider range of keys may have a shorter prefix, which every key then stores. The right one
//! takes the cells of both, the left one goes back to the file, the parent loses the cell between them: one `Structure` record. A root
//! with one child becomes that child. Pages only merge under their parent, so an inner page with one child merges first.
//!
//! Latches: the parent, the left page, the right page, then the bitmap; nobody who holds a latch below waits for one above.
//! What goes while somebody stands on it: readers go on by key, and whoever remembered the page's number checks the page.

use crate::buffer::Exclusive;
use crate::concurrency::commits::Status;
use crate::concurrency::versions::RowHeader;
use crate::engine::Engine;
use crate::error::StorageResult;
use crate::layout::PageRef;
use crate::log::structure::Action;
use crate::pages::page::{self, PageBytes, PageKind};
use crate::shapes::shape::DIRECTORY_ROOT;
use crate::shapes::tree::{Target, Tree};
use crate::trees::btree::LEVELS_MAX;

impl Engine {
    /// Lets ghosts go that no snapshot needs any more, and pages that hold little without them.
    pub fn clean_ghosts(&self) -> StorageResult<()> {
        for leaf in self.ghosts.take_old(self.commits.horizon()) {
            self.clean_leaf(leaf)?;
            os::wait::maybe_yield();
        }
        Ok(())
    }

    fn clean_leaf(&self, at: PageRef) -> StorageResult<()> {
        // No tree and no file goes meanwhile.
        let _freeing = self.freeing.lock();
        let Some(file) = self.file(at.file)? else { return Ok(()) };
        // The log's last room is for transactions.
        if !self.has_room_to_clean()? {
            self.ghosts.note(at, 0);
            return Ok(());
        }
        self.log.admit()?;
        let mut leaf = self.buffer.exclusive(&file, at.page)?;
        if page::kind(&leaf) != Some(PageKind::Leaf) {
            return Ok(());
        }
        let tree = Tree::new(file, page::root(&leaf));
        assert!(at.page >= DIRECTORY_ROOT, "page {at} is no leaf");
        self.drop_ghosts(&tree, &mut leaf)?;
        self.note_ghosts(&leaf);
        if at.page == tree.root || !page::is_sparse(&leaf) {
            return Ok(());
        }
        let key = page::lower_fence(&leaf).to_vec();
        drop(leaf);
        self.merge_upwards(&tree, &key)
    }

    /// Merges the leaf of `key` with a neighbour, then the inner pages above as long as they hold little.
    fn merge_upwards(&self, tree: &Tree, key: &[u8]) -> StorageResult<()> {
        let mut level = 0;
        loop {
            self.log.admit()?;
            assert!(usize::from(level) < LEVELS_MAX, "a tree of {level} levels");
            let Some(mut parent) = self.parent_exclusive(tree, key, level)? else { break };
            if self.merge_under(tree, &mut parent, key)? {
                // There may be room for the next neighbour, too, and what merged above has made neighbours below.
                level = 0;
                continue;
            }
            if !page::is_sparse(&parent) {
                break;
            }
            level += 1;
        }
        self.lower_root(tree)
    }

    /// The page above the one of `level` that `key` belongs to; None: the tree is not that high.
    fn parent_exclusive<'a>(&'a self, tree: &Tree, key: &[u8], level: u8) -> StorageResult<Option<Exclusive<'a>>> {
        let mut node = self.buffer.shared(&tree.file, tree.root)?;
        if page::level(&node) <= level + 1 {
            drop(node);
            let root = self.buffer.exclusive(&tree.file, tree.root)?;
            // It may have changed between the latches; then another time.
            return Ok((page::level(&root) == level + 1).then_some(root));
        }
        loop {
            let (is_inner, above) = (page::kind(&node) == Some(PageKind::Inner), page::level(&node));
            if !is_inner || page::root(&node) != tree.root || above < level + 2 {
                return Err(tree.corrupt(node.number()));
            }
            let child = tree.child_of(&node, Target::Key(key)).1;
            if above == level + 2 {
                let parent = self.buffer.exclusive(&tree.file, child)?;
                drop(node);
                return Ok(Some(parent));
            }
            node = self.buffer.shared(&tree.file, child)?;
        }
    }

    /// Merges the child of `key` with the next one, else with the one before. Whether it could.
    fn merge_under<'a>(&'a self, tree: &Tree, parent: &mut Exclusive<'a>, key: &[u8]) -> StorageResult<bool> {
        if page::kind(parent) != Some(PageKind::Inner) || page::root(parent) != tree.root {
            return Err(tree.corrupt(parent.number()));
        }
        let (slot, _) = tree.child_of(parent, Target::Key(key));
        let pairs = [Some(slot), slot.checked_sub(1)];
        for between in pairs.into_iter().flatten().filter(|between| *between < page::slot_count(parent)) {
            let left = self.buffer.exclusive(&tree.file, page::child(parent, between))?;
            let mut right = self.buffer.exclusive(&tree.file, page::child(parent, between + 1))?;
            if page::upper_fence(&left) != Some(page::lower_fence(&right)) || page::kind(&left) != page::kind(&right) {
                return Err(tree.corrupt(left.number()));
            }
            if self.is_being_filled(&left, &right) {
                continue;
            }
            let Some(merged) = page::merge(&left, &right) else { continue };
            assert_eq!(page::level(&left) + 1, page::level(parent), "the level of a child is one less");
            assert_eq!(
                (page::lower_fence(&merged), page::upper_fence(&merged)),
                (page::lower_fence(&left), page::upper_fence(&right)),
                "who takes over has the keys of both"
            );
            match page::level(&left) {
                0 => os::sim_point!("tree.merge"),
                _ => os::sim_point!("tree.merge.inner"),
            }
            let actions = [
                (parent.number(), Action::RemoveCell { slot: between as u16 }),
                (right.number(), Action::image(&merged)),
            ];
            self.free_page(&tree.file, left, &actions, &mut [parent, &mut right])?;
            debug_assert_eq!(page::child(parent, between), right.number(), "the parent leads to what is left");
            self.note_ghosts(&right);
            return Ok(true);
        }
        Ok(false)
    }

    /// Whether a transaction is building their tree (`trees::build`): what comes next comes before its last leaf, which stays empty. A page may
    /// have been noted when it was another tree's.
    fn is_being_filled(&self, left: &PageBytes, right: &PageBytes) -> bool {
        let is_last = page::level(right) == 0 && page::is_rightmost(right) && page::slot_count(right) == 0;
        let Some(last) = page::slot_count(left).checked_sub(1).filter(|_| is_last) else { return false };
        let header = RowHeader::decode(page::payload(left, last));
        header.fresh && self.commits.status(header.transaction) == Status::Active
    }

    /// A root with one child becomes that child.
    fn lower_root(&self, tree: &Tree) -> StorageResult<()> {
        let has_one_child = |root: &page::PageBytes| page::level(root) > 0 && page::slot_count(root) == 0;
        while has_one_child(&*self.buffer.shared(&tree.file, tree.root)?) {
            self.log.admit()?;
            let mut root = self.buffer.exclusive(&tree.file, tree.root)?;
            if !has_one_child(&root) {
                return Ok(());
            }
            let child = self.buffer.exclusive(&tree.file, page::last_child(&root))?;
            assert_eq!(page::level(&child) + 1, page::level(&root), "the level of a child is one less");
            assert!(page::lower_fence(&child).is_empty() && page::is_rightmost(&child), "an only child has all keys");
            os::sim_point!("tree.lower");
            let image = page::moved(&child, tree.root);
            self.free_page(&tree.file, child, &[(tree.root, Action::image(&image))], &mut [&mut root])?;
            debug_assert_eq!(page::root(&root), root.number(), "the root page never moves");
            self.note_ghosts(&root);
        }
        Ok(())
    }
}
