//! Building a tree from its left end: keys come in order, and each page is filled and logged once, as it then is.
//!
//! The tree is whole after each step. Its rightmost leaf is empty, and a new leaf comes in before it: one `Structure` record takes the page,
//! has its image, moves the lower fence of the rightmost leaf and adds the separator to the page above. Inner pages are split
//! at their end, so they stay full. So a crash, a rollback and whoever frees the tree find one, and undo knows nothing of this:
//! the tree is the transaction's own and goes whole.
//!
//! Of a large tree the rows are in the log only where somebody may need them there: a log backup, an archive, a backup that is under way. Else
//! a leaf's record has no rows, and the pages are on disk before `finish` returns. A crash before that takes the transaction with it, and what
//! redo makes of such a leaf (`PageKind::Unlogged`) goes with the tree. SQL Server calls it minimal logging:
//! https://learn.microsoft.com/sql/relational-databases/logs/the-transaction-log-sql-server
//!
//! A page's keys lack what its fences share, and the upper fence is known when the next key is. So cells wait until it is sure
//! how many of them a page takes.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use types::pause::Pause;

use crate::buffer::Exclusive;
use crate::concurrency::versions::{ROW_HEADER_BYTES, RowHeader};
use crate::engine::{BITMAP_SPAN, Engine, Writer};
use crate::error::StorageResult;
use crate::log::structure::{Action, Bits};
use crate::pages::page::{self, BODY_BYTES, PAGE_BYTES, PageBytes, PageKind};
use crate::shapes::tree::Tree;
use crate::trees::btree::{LEVELS_MAX, inner_split_point};

/// Inner pages that leave room have at least so many separators.
const SEPARATORS_MIN: usize = 4;
/// A simulation ends pages that have this many cells: its trees become deep.
const EARLY_CELLS: usize = 3;
const _: () = assert!(SEPARATORS_MIN > 1 && EARLY_CELLS > 1, "what is cut in two leaves each part something");

/// How full pages are made, in percent of what they hold; a page has at least one row, an inner page some separators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fill {
    pub leaf: u8,
    pub inner: u8,
}

impl Default for Fill {
    fn default() -> Fill {
        Fill { leaf: 100, inner: 100 }
    }
}

/// Bytes that a page filled so far leaves free.
fn reserve(percent: u8) -> usize {
    BODY_BYTES * (100 - usize::from(percent.clamp(1, 100))) / 100
}

/// In `TreeBuilder::bytes`: a key, and its payload behind it.
#[derive(Clone, Copy)]
struct Cell {
    start: usize,
    key: usize,
    payload: usize,
}

/// A tree that is being filled: `push` in the order of the keys, then `finish`. It has to be empty at the beginning, and nobody else's.
pub struct TreeBuilder {
    leaf_reserve: usize,
    inner_reserve: usize,
    /// Of each row: whose it is.
    header: [u8; ROW_HEADER_BYTES],
    /// Lower fence of the leaf that is being filled.
    lower: Vec<u8>,
    bytes: Vec<u8>,
    cells: Vec<Cell>,
    /// What the cells take in a page, keys whole.
    need: usize,
    /// So many of the cells are known to make a page.
    whole: usize,
    leaves: u32,
    /// Leaves whose rows are not in the log.
    unlogged: BTreeSet<u32>,
}

impl TreeBuilder {
    pub fn new(writer: &Writer, fill: Fill) -> TreeBuilder {
        assert!(writer.id != 0, "who has made a tree has an id");
        let header = RowHeader { transaction: writer.id, ghost: false, fresh: true, link: u64::from(writer.statement) };
        TreeBuilder {
            leaf_reserve: reserve(fill.leaf),
            inner_reserve: reserve(fill.inner),
            header: header.encode(),
            lower: Vec::new(),
            bytes: Vec::new(),
            cells: Vec::new(),
            need: 0,
            whole: 0,
            leaves: 0,
            unlogged: BTreeSet::new(),
        }
    }

    fn key(&self, cell: usize) -> &[u8] {
        let Cell { start, key, .. } = self.cells[cell];
        &self.bytes[start..start + key]
    }

    /// Adds a row. False: it has the key of the one before, and was not added.
    pub fn push(
        &mut self,
        engine: &Engine,
        tree: &Tree,
        writer: &mut Writer,
        key: &[u8],
        image: &[u8],
    ) -> StorageResult<bool> {
        while let Some(last) = self.cells.len().checked_sub(1) {
            let order = page::order(self.key(last), key);
            if order.is_eq() {
                return Ok(false);
            }
            assert!(order.is_lt(), "keys come in order");
            // One cell always fits.
            if last == 0 || self.fits(key) {
                self.whole = last + 1;
                break;
            }
            self.cut(engine, tree, writer)?;
        }
        let payload = ROW_HEADER_BYTES + image.len();
        self.cells.push(Cell { start: self.bytes.len(), key: key.len(), payload: image.len() });
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(image);
        self.need += page::cell_need(key.len(), payload);
        Ok(true)
    }

    /// Whether all cells make a page, if `next` is the key behind them.
    fn fits(&self, next: &[u8]) -> bool {
        let count = self.cells.len();
        if count >= EARLY_CELLS && os::sim_choice!("tree.build.early", 16) {
            return false;
        }
        let upper = page::separator(self.key(count - 1), next);
        let prefix = page::common_prefix(&self.lower, upper);
        self.lower.len() + upper.len() + self.need - count * prefix + self.leaf_reserve <= BODY_BYTES
    }

    /// Makes a page of the cells that are known to be one.
    fn cut(&mut self, engine: &Engine, tree: &Tree, writer: &mut Writer) -> StorageResult<()> {
        let count = self.whole;
        assert!(0 < count && count < self.cells.len(), "a page of {count} cells");
        let upper = page::separator(self.key(count - 1), self.key(count)).to_vec();
        self.add_leaf(engine, tree, writer, count, Some(&upper))?;
        let start = self.cells[count].start;
        let gone = self.cells.drain(..count);
        self.need -= gone.map(|cell| page::cell_need(cell.key, ROW_HEADER_BYTES + cell.payload)).sum::<usize>();
        self.cells.iter_mut().for_each(|cell| cell.start -= start);
        self.bytes.drain(..start);
        self.lower = upper;
        self.whole = 0;
        Ok(())
    }

    /// Makes a page of what is left. Rows that are not in the log are on disk then.
    pub fn finish(mut self, engine: &Engine, tree: &Tree, writer: &mut Writer, pause: &dyn Pause) -> StorageResult<()> {
        // The last page has no upper fence, so its keys are whole.
        while self.cells.len() > 1 && self.lower.len() + self.need + self.leaf_reserve > BODY_BYTES {
            self.cut(engine, tree, writer)?;
        }
        match self.cells.len() {
            0 => {}
            count => self.add_leaf(engine, tree, writer, count, None)?,
        }
        os::sim_point!("tree.build.finish");
        match self.unlogged.is_empty() {
            true => Ok(()),
            false => engine.buffer.write_pages(&tree.file, &self.unlogged, &engine.log, pause),
        }
    }

    /// The leaf of the first cells, at its place in the file.
    fn leaf(&self, count: usize, upper: Option<&[u8]>, tree: &Tree, number: u32) -> Box<PageBytes> {
        let mut leaf = empty_leaf(tree, number, &self.lower, upper);
        for (slot, cell) in self.cells[..count].iter().enumerate() {
            let (key, image) = self.bytes[cell.start..][..cell.key + cell.payload].split_at(cell.key);
            page::insert(&mut leaf, slot, key, &[&self.header[..], image]);
        }
        leaf
    }

    fn add_leaf(
        &mut self,
        engine: &Engine,
        tree: &Tree,
        writer: &mut Writer,
        count: usize,
        upper: Option<&[u8]>,
    ) -> StorageResult<()> {
        os::sim_point!("tree.build");
        let mut need = upper.map_or(0, <[u8]>::len);
        'again: loop {
            engine.admit(writer)?;
            let mut parent: Option<Exclusive<'_>> = None;
            let mut node = engine.buffer.exclusive(&tree.file, tree.root)?;
            for _ in 0..LEVELS_MAX {
                if page::root(&node) != tree.root {
                    return Err(tree.corrupt(node.number()));
                }
                if page::kind(&node) == Some(PageKind::Leaf) {
                    return self.put_leaf(engine, tree, writer, parent, node, (count, upper));
                }
                let separators = page::slot_count(&node);
                let reserve = if separators >= SEPARATORS_MIN { self.inner_reserve } else { 0 };
                let is_full = page::free_bytes(&node) < page::cell_need(need, 4) + reserve
                    || separators >= SEPARATORS_MIN && os::sim_choice!("tree.build.inner.early", 4);
                if upper.is_some() && is_full {
                    let (slot, separator) = inner_split_point(&node);
                    if parent.as_ref().is_some_and(|parent| !page::has_room(parent, &separator, 4)) {
                        assert!(separator.len() > need, "the page above was asked for this much room");
                        need = separator.len();
                    } else {
                        let above = parent.map(|parent| {
                            let last = page::slot_count(&parent);
                            (parent, last)
                        });
                        engine.split_node(tree, above, node, (slot, &separator), writer.kept_pages())?;
                    }
                    continue 'again;
                }
                let child = engine.buffer.exclusive(&tree.file, page::last_child(&node))?;
                parent = Some(node);
                node = child;
            }
            return Err(tree.corrupt(tree.root));
        }
    }

    /// `node`: the rightmost leaf. With an upper fence the new one comes in before it, else it becomes that.
    fn put_leaf<'a>(
        &mut self,
        engine: &'a Engine,
        tree: &Tree,
        writer: &Writer,
        parent: Option<Exclusive<'a>>,
        mut node: Exclusive<'a>,
        (count, upper): (usize, Option<&[u8]>),
    ) -> StorageResult<()> {
        let (file, number) = (&*tree.file, node.number());
        assert!(page::is_rightmost(&node) && page::slot_count(&node) == 0, "page {number} is being filled");
        debug_assert_eq!(page::lower_fence(&node), &self.lower[..], "it begins where the last one ended");
        let Some(upper) = upper else {
            let image = self.leaf(count, None, tree, number);
            return engine.restructure(file, &[(number, Action::image(&image))], &mut [&mut node]);
        };
        let wanted = if parent.is_some() { 1 } else { 2 };
        let (mut bitmap, pages) = engine.find_free(file, wanted, writer.kept_pages())?;
        let bits: Vec<u8> = pages.iter().flat_map(|page| ((page % BITMAP_SPAN) as u16).to_le_bytes()).collect();
        let take = (bitmap.number(), Action::SetBits { value: true, bits: Bits(&bits) });
        engine.numbers.trees.pages_allocated.fetch_add(pages.len() as u64, Ordering::Relaxed);
        let left = pages[0];
        let image = self.leaf(count, Some(upper), tree, left);
        let mut fresh = engine.buffer.fresh(file, left)?;
        let readers = engine.log_readers.lock();
        let is_wanted = || self.leaves < engine.logged_leaves || *readers > 0 || engine.keeps_log(file);
        let is_logged = !file.temporary && is_wanted();
        self.leaves += 1;
        let logged = if is_logged { &image } else { &unlogged_leaf(tree, left) };
        match parent {
            Some(mut parent) => {
                let rest = empty_leaf(tree, number, upper, None);
                let slot = page::slot_count(&parent) as u16;
                let actions = [
                    take,
                    (left, Action::image(logged)),
                    (number, Action::image(&rest)),
                    (parent.number(), Action::InsertCell { slot, key: upper, payload: &left.to_le_bytes() }),
                ];
                engine.restructure(file, &actions, &mut [&mut bitmap, &mut fresh, &mut node, &mut parent])?;
            }
            None => {
                let right = pages[1];
                let rest = empty_leaf(tree, right, upper, None);
                let mut root = Box::new([0; PAGE_BYTES]);
                page::format(&mut root, PageKind::Inner, 1, file.number, tree.root, tree.root);
                page::set_fences(&mut root, b"", None);
                page::insert(&mut root, 0, upper, &[&left.to_le_bytes()]);
                page::set_last_child(&mut root, right);
                let mut fresh_right = engine.buffer.fresh(file, right)?;
                let actions = [
                    take,
                    (left, Action::image(logged)),
                    (right, Action::image(&rest)),
                    (tree.root, Action::image(&root)),
                ];
                engine.restructure(file, &actions, &mut [&mut bitmap, &mut fresh, &mut fresh_right, &mut node])?;
            }
        }
        if !is_logged {
            let lsn = page::lsn(&fresh);
            fresh.copy_from_slice(&image[..]);
            page::set_lsn(&mut fresh, lsn);
            // Of tempdb nothing is needed after a crash.
            if !file.temporary {
                self.unlogged.insert(left);
            }
        }
        Ok(())
    }
}

/// What the log has of a leaf without its rows.
fn unlogged_leaf(tree: &Tree, number: u32) -> Box<PageBytes> {
    let mut leaf = Box::new([0; PAGE_BYTES]);
    page::format(&mut leaf, PageKind::Unlogged, 0, tree.file.number, number, tree.root);
    leaf
}

fn empty_leaf(tree: &Tree, number: u32, lower: &[u8], upper: Option<&[u8]>) -> Box<PageBytes> {
    let mut leaf = Box::new([0; PAGE_BYTES]);
    page::format(&mut leaf, PageKind::Leaf, 0, tree.file.number, number, tree.root);
    page::set_fences(&mut leaf, lower, upper);
    leaf
}
