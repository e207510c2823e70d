//! The algorithms of B-trees of pages: keys are bytes, payloads are bytes, the root page never moves.
//!
//! Descending latches the child before it lets go of the parent (shared, and the leaf as asked), so a page is never
//! seen in the middle of a split. Splitting descends with exclusive latches on parent and node and splits, on the way,
//! every inner page that could not take a separator; one split a descent, each one log record (`Structure`), so a crash
//! leaves the tree whole. Leaves have no sibling links: the fence keys say where to go on.
//!
//! Ever-increasing keys: `Tree::hint` remembers the rightmost leaf; a leaf of this tree without an upper fence whose
//! lower fence is not above the key is the right one, whatever happened meanwhile.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::buffer::{Exclusive, Shared};
use crate::concurrency::versions::RowHeader;
use crate::engine::{Author, BITMAP_SPAN, Engine, Writer};
use crate::error::StorageResult;
use crate::layout::PageRef;
use crate::log::record::{CELL_HEAD_BYTES, Kind, cell_head};
use crate::log::structure::{Action, Bits, LAST_CHILD};
use crate::pages::data_files::DataFile;
use crate::pages::page::{self, PAGE_BYTES, PageBytes, PageKind};
use crate::shapes::shape::DIRECTORY_ROOT;
use crate::shapes::tree::{Target, Tree};

/// A tree cannot be deeper: each level has at least two children at a fill of a few keys.
pub const LEVELS_MAX: usize = 40;
/// A simulation splits inner pages that have this many cells, though there is room: its trees become deep.
const EARLY_SPLIT_CELLS: usize = 4;
const _: () = assert!(EARLY_SPLIT_CELLS > 1, "an inner page that is split leaves each part a cell or a child");

impl Engine {
    /// The level-1 page over the wanted leaf, latched, and the leaf's page; or None if the root is the leaf.
    fn descend<'a>(&'a self, tree: &Tree, target: Target<'_>) -> StorageResult<Option<(Shared<'a>, u32)>> {
        let mut node = self.buffer.shared(&tree.file, tree.root)?;
        for _ in 0..LEVELS_MAX {
            match page::kind(&node) {
                Some(PageKind::Leaf) if node.number() == tree.root => return Ok(None),
                Some(PageKind::Inner) if page::root(&node) == tree.root => {}
                _ => return Err(tree.corrupt(node.number())),
            }
            let child = tree.child_of(&node, target).1;
            debug_assert!(child != node.number(), "a page is not its own child");
            if page::level(&node) == 1 {
                return Ok(Some((node, child)));
            }
            node = self.buffer.shared(&tree.file, child)?;
        }
        Err(tree.corrupt(tree.root))
    }

    /// Appends where the leaves of the keys lie, 0 where that cannot be told, and has them brought near: from the disk, side by side, if they are
    /// `absent`, as some of the last ones were; else into the cache of this CPU. What fails is left to who reads them.
    pub fn expect_leaves<'k>(
        &self,
        tree: &Tree,
        keys: impl Iterator<Item = &'k [u8]>,
        absent: bool,
        leaves: &mut Vec<u32>,
    ) {
        let mut last = 0;
        for key in keys {
            let leaf = match self.descend(tree, Target::Key(key)) {
                Ok(Some((_, leaf))) => leaf,
                Ok(None) | Err(_) => 0,
            };
            leaves.push(leaf);
            if leaf == 0 || leaf == std::mem::replace(&mut last, leaf) {
                continue;
            }
            match absent {
                true => self.buffer.expect(&tree.file, leaf),
                false => self.buffer.bring_near(&tree.file, leaf),
            }
        }
    }

    pub fn leaf_shared<'a>(&'a self, tree: &Tree, target: Target<'_>) -> StorageResult<Shared<'a>> {
        loop {
            let (leaf, is_root) = match self.descend(tree, target)? {
                Some((_parent, leaf)) => (self.buffer.shared(&tree.file, leaf)?, false),
                None => (self.buffer.shared(&tree.file, tree.root)?, true),
            };
            if self.is_leaf_of(tree, &leaf) {
                debug_assert!(
                    !matches!(target, Target::Key(key) if !page::is_within_fences(&leaf, key)),
                    "the way down leads to the leaf of the key: {target:02x?} in page {}",
                    leaf.number()
                );
                return Ok(leaf);
            }
            if !is_root {
                return Err(tree.corrupt(leaf.number()));
            }
        }
    }

    /// The leaf that `key` belongs to, and its place there. It may lie in the leaf `near` (0: no idea), as its neighbours there or the fences say: no
    /// descent then.
    #[inline]
    pub fn place_near<'a>(&'a self, tree: &Tree, key: &[u8], near: u32) -> StorageResult<(Shared<'a>, (usize, bool))> {
        if near != 0 {
            let leaf = self.buffer.shared(&tree.file, near)?;
            if self.is_leaf_of(tree, &leaf)
                && let Some(place) = page::lower_bound_within(&leaf, key)
            {
                return Ok((leaf, place));
            }
        }
        let leaf = self.leaf_shared(tree, Target::Key(key))?;
        let place = page::lower_bound(&leaf, key);
        Ok((leaf, place))
    }

    pub fn leaf_exclusive<'a>(&'a self, tree: &Tree, key: &[u8]) -> StorageResult<Exclusive<'a>> {
        let hint = tree.hint.load(Ordering::Relaxed);
        if hint != 0 {
            let leaf = self.buffer.exclusive(&tree.file, hint)?;
            if self.is_leaf_of(tree, &leaf) && page::is_rightmost(&leaf) && page::lower_fence(&leaf) <= key {
                debug_assert!(page::is_within_fences(&leaf, key), "a rightmost leaf has no upper fence");
                return Ok(leaf);
            }
        }
        loop {
            let (leaf, is_root) = match self.descend(tree, Target::Key(key))? {
                Some((_parent, leaf)) => (self.buffer.exclusive(&tree.file, leaf)?, false),
                None => (self.buffer.exclusive(&tree.file, tree.root)?, true),
            };
            if self.is_leaf_of(tree, &leaf) {
                let found = if page::is_rightmost(&leaf) { leaf.number() } else { 0 };
                debug_assert!(
                    page::is_within_fences(&leaf, key),
                    "the way down leads to the leaf of the key: {key:02x?} in page {}",
                    leaf.number()
                );
                if hint != found {
                    tree.hint.store(found, Ordering::Relaxed);
                }
                return Ok(leaf);
            }
            if !is_root {
                return Err(tree.corrupt(leaf.number()));
            }
        }
    }

    fn is_leaf_of(&self, tree: &Tree, leaf: &PageBytes) -> bool {
        page::kind(leaf) == Some(PageKind::Leaf) && page::root(leaf) == tree.root
    }

    /// Makes room near `key`, unless `has_room` says there is by now: by removing what everybody knows to be deleted, else by
    /// one split. The caller looks again. `kept`: see `find_free`.
    pub fn split(
        &self,
        tree: &Tree,
        key: &[u8],
        kept: u32,
        has_room: &dyn Fn(&PageBytes) -> bool,
    ) -> StorageResult<()> {
        debug_assert!(key.len() <= page::KEY_BYTES_MAX, "a key of {} bytes", key.len());
        os::sim_point!("tree.split");
        let mut need = key.len();
        'again: loop {
            let mut parent: Option<(Exclusive<'_>, usize)> = None;
            let mut node = self.buffer.exclusive(&tree.file, tree.root)?;
            for _ in 0..LEVELS_MAX {
                let is_leaf = page::kind(&node) == Some(PageKind::Leaf);
                let split = if is_leaf {
                    if has_room(&node) || self.drop_ghosts(tree, &mut node)? {
                        return Ok(());
                    }
                    Some(leaf_split_point(&node, key))
                } else if page::free_bytes(&node) < page::cell_need(need, 4)
                    || page::slot_count(&node) >= EARLY_SPLIT_CELLS && os::sim_choice!("tree.split.inner.early", 4)
                {
                    Some(inner_split_point(&node))
                } else {
                    None
                };
                if let Some((slot, separator)) = split {
                    let parent_has_room =
                        parent.as_ref().is_none_or(|(parent, _)| page::has_room(parent, &separator, 4));
                    if !parent_has_room {
                        assert!(separator.len() > need, "the parent was asked for this much room");
                        need = separator.len();
                        continue 'again;
                    }
                    return self.split_node(tree, parent, node, (slot, &separator), kept);
                }
                let (slot, child) = tree.child_of(&node, Target::Key(key));
                debug_assert!(child != node.number(), "a page is not its own child");
                let child = self.buffer.exclusive(&tree.file, child)?;
                parent = Some((node, slot));
                node = child;
            }
            return Err(tree.corrupt(tree.root));
        }
    }

    /// Removes the rows of a leaf whose deletion every snapshot sees. Whether there were any.
    pub fn drop_ghosts<'a>(&'a self, tree: &Tree, leaf: &mut Exclusive<'a>) -> StorageResult<bool> {
        debug_assert!(self.is_leaf_of(tree, leaf), "rows are in leaves");
        let horizon = self.commits.horizon();
        let old = |slot: &usize| RowHeader::decode(page::payload(leaf, *slot)).is_old_ghost(horizon);
        let removed = |slot: usize| (leaf.number(), Action::RemoveCell { slot: slot as u16 });
        let actions: Vec<(u32, Action<'_>)> = (0..page::slot_count(leaf)).rev().filter(old).map(removed).collect();
        if actions.is_empty() {
            return Ok(false);
        }
        self.restructure(&tree.file, &actions, &mut [leaf])?;
        Ok(true)
    }

    /// Has a latched page cleaned up that may have got ghosts from another one.
    pub fn note_ghosts(&self, page: &PageBytes) {
        if page::kind(page) != Some(PageKind::Leaf) {
            return;
        }
        let headers = (0..page::slot_count(page)).map(|slot| RowHeader::decode(page::payload(page, slot)));
        if let Some(newest) = headers.filter(|header| header.ghost).map(|header| header.transaction).max() {
            self.ghosts.note(PageRef { file: page::file_no(page), page: page::page_no(page) }, newest);
        }
    }

    /// Cuts `node` in two; `parent`: the page above and the child's place in it, None for the root. `kept`: see `find_free`.
    pub(crate) fn split_node<'a>(
        &'a self,
        tree: &Tree,
        parent: Option<(Exclusive<'a>, usize)>,
        mut node: Exclusive<'a>,
        (slot, separator): (usize, &[u8]),
        kept: u32,
    ) -> StorageResult<()> {
        self.numbers.trees.splits.fetch_add(1, Ordering::Relaxed);
        assert_eq!(page::root(&node), tree.root, "a page of the tree");
        assert!(parent.is_some() || node.number() == tree.root, "only the root has nobody above it");
        let file = &*tree.file;
        let (mut bitmap, pages) = self.find_free(file, if parent.is_some() { 1 } else { 2 }, kept)?;
        assert_eq!(pages.len(), if parent.is_some() { 1 } else { 2 });
        let bits: Vec<u8> = pages.iter().flat_map(|page| ((page % BITMAP_SPAN) as u16).to_le_bytes()).collect();
        let take = (bitmap.number(), Action::SetBits { value: true, bits: Bits(&bits) });
        self.numbers.trees.pages_allocated.fetch_add(pages.len() as u64, Ordering::Relaxed);
        let mut right = Box::new([0; PAGE_BYTES]);
        match parent {
            Some((mut parent, child_slot)) => {
                assert_eq!(page::level(&parent), page::level(&node) + 1, "the level of a child is one less");
                assert_eq!(
                    page::child(&parent, child_slot),
                    node.number(),
                    "the parent leads to the page that is split"
                );
                assert!(page::is_within_fences(&parent, separator), "the separator is the parent's to have");
                let number = pages[0];
                page::split_right(&node, slot, separator, &mut right, number);
                let mut fresh = self.buffer.fresh(file, number)?;
                let left = node.number().to_le_bytes();
                let actions = [
                    take,
                    (node.number(), Action::SplitLeft { slot: slot as u16, separator }),
                    (number, Action::image(&right)),
                    (parent.number(), Action::InsertCell { slot: child_slot as u16, key: separator, payload: &left }),
                    (parent.number(), Action::SetChild { slot: child_slot as u16 + 1, child: number }),
                ];
                self.restructure(file, &actions, &mut [&mut bitmap, &mut node, &mut fresh, &mut parent])?;
                debug_assert_eq!(page::upper_fence(&node), Some(page::lower_fence(&fresh)), "the parts meet");
                debug_assert_eq!(page::child(&parent, child_slot + 1), fresh.number());
                self.note_ghosts(&fresh);
            }
            None => {
                let (left_no, right_no) = (pages[0], pages[1]);
                page::split_right(&node, slot, separator, &mut right, right_no);
                let mut left = page::moved(&node, left_no);
                page::split_left(&mut left, slot, separator);
                let mut root = Box::new([0; PAGE_BYTES]);
                page::format(&mut root, PageKind::Inner, page::level(&node) + 1, file.number, tree.root, tree.root);
                page::set_fences(&mut root, b"", None);
                page::insert(&mut root, 0, separator, &[&left_no.to_le_bytes()]);
                page::set_last_child(&mut root, right_no);
                let mut fresh_left = self.buffer.fresh(file, left_no)?;
                let mut fresh_right = self.buffer.fresh(file, right_no)?;
                let actions = [
                    take,
                    (left_no, Action::image(&left)),
                    (right_no, Action::image(&right)),
                    (tree.root, Action::image(&root)),
                ];
                self.restructure(file, &actions, &mut [&mut bitmap, &mut fresh_left, &mut fresh_right, &mut node])?;
                debug_assert_eq!(
                    page::upper_fence(&fresh_left),
                    Some(page::lower_fence(&fresh_right)),
                    "the parts meet"
                );
                debug_assert_eq!(page::level(&node), page::level(&fresh_left) + 1, "the tree is one level higher");
                self.note_ghosts(&fresh_left);
                self.note_ghosts(&fresh_right);
            }
        }
        Ok(())
    }

    /// A new empty tree, which a rollback of `writer` frees again, as one record; its root.
    pub fn create_root(&self, file: &Arc<DataFile>, writer: &mut Writer) -> StorageResult<u32> {
        let (mut bitmap, pages) = self.find_free(file, 1, writer.kept_pages())?;
        let root = pages[0];
        assert!(root > DIRECTORY_ROOT, "page {root} is every file's own");
        let image = empty_root(file.number, root);
        let bit = ((root % BITMAP_SPAN) as u16).to_le_bytes();
        let mut fresh = self.buffer.fresh(file, root)?;
        let actions =
            [(bitmap.number(), Action::SetBits { value: true, bits: Bits(&bit) }), (root, Action::image(&image))];
        let author = &mut Author::Change(writer);
        self.restructure_as((author, root), file, &actions, &mut [&mut bitmap, &mut fresh])?;
        Ok(root)
    }

    /// Gives back every page of a tree nobody can reach, one record a page: a crash in between leaves a smaller tree. Up to `left`
    /// pages, which counts them; false: there are more.
    pub fn free_tree(&self, tree: &Tree, left: &mut u32) -> StorageResult<bool> {
        let file = &*tree.file;
        if !self.is_allocated(file, tree.root)? {
            return Ok(true);
        }
        while *left > 0 {
            *left -= 1;
            os::wait::maybe_yield();
            self.log.admit()?;
            let mut node = self.buffer.exclusive(file, tree.root)?;
            if page::root(&node) != tree.root {
                return Err(tree.corrupt(tree.root));
            }
            if page::kind(&node) == Some(PageKind::Leaf) {
                self.free_root(file, node)?;
                return Ok(true);
            }
            loop {
                let child = self.buffer.exclusive(file, page::last_child(&node))?;
                // Only pages of the tree go with it. A child lies below, not always by one: an inner page whose last child went has become a
                // leaf.
                if page::root(&child) != tree.root || page::level(&child) >= page::level(&node) {
                    return Err(tree.corrupt(child.number()));
                }
                if page::kind(&child) == Some(PageKind::Inner) {
                    node = child;
                    continue;
                }
                let number = node.number();
                let count = page::slot_count(&node);
                if count > 0 {
                    let next = page::child(&node, count - 1);
                    let actions = [
                        (number, Action::RemoveCell { slot: count as u16 - 1 }),
                        (number, Action::SetChild { slot: LAST_CHILD, child: next }),
                    ];
                    self.free_page(file, child, &actions, &mut [&mut node])?;
                } else {
                    let mut empty = Box::new(*node);
                    let level = page::level(&node);
                    page::format(&mut empty, PageKind::Leaf, 0, file.number, number, tree.root);
                    page::set_fences(&mut empty, b"", None);
                    debug_assert!(level > 0);
                    self.free_page(file, child, &[(number, Action::image(&empty))], &mut [&mut node])?;
                }
                break;
            }
        }
        Ok(false)
    }

    /// Logs and inserts a cell in a latched leaf that has room.
    #[inline]
    pub fn put_cell(
        &self,
        author: &mut Author<'_>,
        tree: &Tree,
        leaf: &mut Exclusive<'_>,
        slot: usize,
        key: &[u8],
        payload: &[&[u8]],
    ) -> StorageResult<()> {
        debug_assert!(self.is_leaf_of(tree, leaf), "rows are in leaves");
        debug_assert_eq!(page::lower_bound(leaf, key), (slot, false), "the cell's place");
        leaf.mark_dirty();
        let head: [u8; CELL_HEAD_BYTES] = cell_head(tree.root, slot as u16, key.len());
        let end = match *payload {
            [header, image] => {
                self.append(author, Kind::Insert, &tree.file, leaf.number(), &[&head, key, header, image])?
            }
            _ => self.append(author, Kind::Insert, &tree.file, leaf.number(), &[&head, key, &payload.concat()])?,
        };
        page::insert(leaf, slot, key, payload);
        page::set_lsn(leaf, end);
        Ok(())
    }

    pub fn drop_cell(
        &self,
        author: &mut Author<'_>,
        tree: &Tree,
        leaf: &mut Exclusive<'_>,
        slot: usize,
    ) -> StorageResult<()> {
        debug_assert!(self.is_leaf_of(tree, leaf) && slot < page::slot_count(leaf), "slot {slot} of a leaf");
        leaf.mark_dirty();
        let slot_bytes = (slot as u16).to_le_bytes();
        let end = self.append(author, Kind::Remove, &tree.file, leaf.number(), &[&slot_bytes])?;
        page::remove(leaf, slot);
        page::set_lsn(leaf, end);
        Ok(())
    }
}

pub fn empty_root(file: u32, root: u32) -> Box<PageBytes> {
    let mut image = Box::new([0; PAGE_BYTES]);
    page::format(&mut image, PageKind::Leaf, 0, file, root, root);
    page::set_fences(&mut image, b"", None);
    image
}

/// Where to cut a leaf that `key` finds no room in, and the separator. At the end (ascending keys) the left page stays full.
fn leaf_split_point(node: &PageBytes, key: &[u8]) -> (usize, Vec<u8>) {
    let count = page::slot_count(node);
    let (slot, found) = page::lower_bound(node, key);
    assert!(count > 0, "a cell that does not fit an empty page");
    debug_assert!(page::is_within_fences(node, key), "room is made where the key belongs");
    if slot == count {
        let separator = page::separator(&page::key(node, count - 1), key).to_vec();
        // The left page keeps all its cells and gets the separator as its fence.
        let free = page::free_bytes(node) + page::upper_fence(node).map_or(0, <[u8]>::len);
        if count == 1 || free >= separator.len() {
            return (count, separator);
        }
        if page::prefix_length(node) == 0 {
            return (count - 1, page::separator(&page::key(node, count - 2), &page::key(node, count - 1)).to_vec());
        }
    }
    if count == 1 {
        assert!(!found, "one cell fits a page");
        return (0, page::separator(key, &page::key(node, 0)).to_vec());
    }
    if !found && 0 < slot && slot < count && page::is_newest(node, slot - 1) {
        // Keys ascend here, between others: those above leave, and from now on the run fills pages of its own from the end.
        // The separator is above `key`, so that the run goes on in the left page.
        return (slot, page::separator(key, &page::key(node, slot)).to_vec());
    }
    let middle = middle_slot(node, count).clamp(1, count - 1);
    (middle, page::separator(&page::key(node, middle - 1), &page::key(node, middle)).to_vec())
}

/// The cell there goes up: its key is the separator.
pub(crate) fn inner_split_point(node: &PageBytes) -> (usize, Vec<u8>) {
    let count = page::slot_count(node);
    assert!(count > 0, "an inner page without separators is not full");
    // The rightmost inner page of an ascending load: keep the left one nearly full.
    let slot = if page::is_rightmost(node) { count - 1 } else { middle_slot(node, count).min(count - 1) };
    debug_assert!(slot < count);
    (slot, page::key(node, slot))
}

/// The slot before which about half of the cells' bytes lie.
fn middle_slot(node: &PageBytes, count: usize) -> usize {
    debug_assert_eq!(count, page::slot_count(node));
    let size = |slot| page::cell_need(page::suffix(node, slot).len(), page::payload(node, slot).len());
    let total: usize = (0..count).map(size).sum();
    let mut before = 0;
    for slot in 0..count {
        if before * 2 >= total {
            return slot;
        }
        before += size(slot);
    }
    count / 2
}
